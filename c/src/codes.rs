//! What functions return: 0 or more if all is well, less if not.

use core::ffi::{CStr, c_char};

use mercer::Error;
use mercer::error::{Fault, FormatFault};

/// A number that a function returns.
pub(crate) type Code = i32;

/// All is well, and there is nothing more to do.
pub const MERCER_OK: i32 = 0;
/// All is well, and there is more to do: call the function that steps again.
pub const MERCER_WORKING: i32 = 1;
/// A window is complete: there is a reading, and with a detector a verdict.
pub const MERCER_READING: i32 = 2;
/// A pointer is NULL that must not be.
pub const MERCER_NULL: i32 = -1;
/// A pointer does not have the alignment of its type.
pub const MERCER_MISALIGNED: i32 = -2;
/// The memory is too small for the object.
pub const MERCER_TOO_SMALL: i32 = -3;
/// The program was compiled with the header of another build of the library.
pub const MERCER_OTHER_BUILD: i32 = -4;
/// The object was not initialised.
pub const MERCER_NOT_INITIALISED: i32 = -5;
/// A length is not the one that it must be.
pub const MERCER_LENGTH: i32 = -6;
/// Two objects lie in the same memory.
pub const MERCER_OVERLAP: i32 = -7;
/// An input or a channel is NaN or infinite.
pub const MERCER_NOT_FINITE: i32 = -10;
/// An input is so large that it cannot be worked with.
pub const MERCER_TOO_LARGE: i32 = -11;
/// The learner has no room for another reading.
pub const MERCER_FULL: i32 = -12;
/// Learning is under way: go on with it, or give it up.
pub const MERCER_LEARNING: i32 = -13;
/// Nothing was learned or loaded yet.
pub const MERCER_NOT_FITTED: i32 = -14;
/// There is no reading yet.
pub const MERCER_NO_READING: i32 = -15;
/// A parameter is outside of its range.
pub const MERCER_PARAMETER: i32 = -16;
/// Too few readings, or too few that differ.
pub const MERCER_TOO_FEW: i32 = -20;
/// All readings are equal: there is nothing to learn.
pub const MERCER_NO_VARIANCE: i32 = -21;
/// The kernel is too narrow: lower gamma.
pub const MERCER_KERNEL_TOO_NARROW: i32 = -22;
/// The kernel is too wide: raise gamma.
pub const MERCER_KERNEL_TOO_WIDE: i32 = -23;
/// The components leave nothing unexplained: build with fewer, or with more points.
pub const MERCER_NO_RESIDUAL: i32 = -24;
/// No reading could exceed the threshold.
pub const MERCER_DEAF: i32 = -25;
/// The numbers of these readings are too extreme to learn from.
pub const MERCER_NUMERIC: i32 = -26;
/// The bytes are no saved model or alarm; erased flash is none.
pub const MERCER_NOT_SAVED: i32 = -30;
/// The bytes were saved by another version of the format.
pub const MERCER_OTHER_VERSION: i32 = -31;
/// Bytes are missing at the end.
pub const MERCER_TRUNCATED: i32 = -32;
/// The bytes were altered.
pub const MERCER_CHECKSUM: i32 = -33;
/// The bytes are of another kind of model.
pub const MERCER_OTHER_KIND: i32 = -34;
/// The bytes are of a model for another front end: window, features, channels.
pub const MERCER_OTHER_FRONT_END: i32 = -35;
/// The bytes are of a model that does not fit: other inputs, more points or components.
pub const MERCER_OTHER_SIZES: i32 = -36;
/// The room for the bytes is too small: MERCER_SAVED_BYTES always suffice.
pub const MERCER_NO_ROOM: i32 = -37;
/// The bytes are of an alarm with another configuration.
pub const MERCER_OTHER_ALARM: i32 = -38;
/// An error that has no code of its own.
pub const MERCER_OTHER: i32 = -99;

/// One line for each.
const TEXTS: &[(Code, &CStr)] = &[
    (MERCER_OK, c"all is well"),
    (MERCER_WORKING, c"there is more to do: step again"),
    (MERCER_READING, c"a window is complete"),
    (MERCER_NULL, c"a pointer is NULL"),
    (MERCER_MISALIGNED, c"a pointer does not have the alignment of its type"),
    (MERCER_TOO_SMALL, c"the memory is too small for the object"),
    (MERCER_OTHER_BUILD, c"the header is of another build of the library: make it anew"),
    (MERCER_NOT_INITIALISED, c"the object was not initialised"),
    (MERCER_LENGTH, c"a length is not the one that it must be"),
    (MERCER_OVERLAP, c"two objects lie in the same memory"),
    (MERCER_NOT_FINITE, c"an input or a channel is NaN or infinite"),
    (MERCER_TOO_LARGE, c"an input is too large"),
    (MERCER_FULL, c"the learner has no room for another reading"),
    (MERCER_LEARNING, c"learning is under way: step on, or give it up"),
    (MERCER_NOT_FITTED, c"nothing was learned or loaded yet"),
    (MERCER_NO_READING, c"there is no reading yet"),
    (MERCER_PARAMETER, c"a parameter is outside of its range"),
    (MERCER_TOO_FEW, c"too few readings, or too few that differ"),
    (MERCER_NO_VARIANCE, c"all readings are equal: there is nothing to learn"),
    (MERCER_KERNEL_TOO_NARROW, c"the kernel is too narrow: lower gamma"),
    (MERCER_KERNEL_TOO_WIDE, c"the kernel is too wide: raise gamma"),
    (MERCER_NO_RESIDUAL, c"the components leave nothing unexplained: build with fewer"),
    (MERCER_DEAF, c"no reading could exceed the threshold"),
    (MERCER_NUMERIC, c"the numbers of these readings are too extreme"),
    (MERCER_NOT_SAVED, c"the bytes are no saved model or alarm"),
    (MERCER_OTHER_VERSION, c"saved by another version of the format: learn anew"),
    (MERCER_TRUNCATED, c"bytes are missing at the end"),
    (MERCER_CHECKSUM, c"the bytes were altered"),
    (MERCER_OTHER_KIND, c"the bytes are of another kind of model"),
    (MERCER_OTHER_FRONT_END, c"the model is for other windows, features or channels"),
    (MERCER_OTHER_SIZES, c"the model has other inputs, or too many points or components"),
    (MERCER_NO_ROOM, c"the room for the bytes is too small"),
    (MERCER_OTHER_ALARM, c"the alarm was saved with another configuration"),
    (MERCER_OTHER, c"another error"),
];

/// What a code means, in one line; also for codes that there are none of. Never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mercer_error_text(code: i32) -> *const c_char {
    let found = TEXTS.iter().find(|(known, _)| *known == code);
    found.map_or(c"no code of this library", |(_, text)| text).as_ptr()
}

/// What a function returns.
pub(crate) fn returned(result: Result<Code, Code>) -> Code {
    match result {
        Ok(code) | Err(code) => code,
    }
}

/// The code of an error, and the number of the culprit: an input, a channel or a reading.
pub(crate) fn of(error: Error) -> (Code, Option<usize>) {
    match error {
        Error::Channel { channel, .. } => (MERCER_NOT_FINITE, Some(channel)),
        Error::Query(fault) => of_fault(fault),
        Error::Sample { index, fault } => (of_fault(fault).0, Some(index)),
        Error::Capacity { what: "samples", .. } => (MERCER_FULL, None),
        Error::Capacity { what: "encoded front end" | "encoded detector", .. } => {
            (MERCER_NO_ROOM, None)
        }
        Error::Capacity { .. } | Error::Shape { .. } => (MERCER_OTHER_SIZES, None),
        Error::Learning => (MERCER_LEARNING, None),
        Error::NotFitted => (MERCER_NOT_FITTED, None),
        Error::Parameter { .. } => (MERCER_PARAMETER, None),
        Error::TooFewSamples { .. } | Error::TooFewDistinct { .. } => (MERCER_TOO_FEW, None),
        Error::NoVariance => (MERCER_NO_VARIANCE, None),
        Error::KernelTooNarrow => (MERCER_KERNEL_TOO_NARROW, None),
        Error::KernelTooWide => (MERCER_KERNEL_TOO_WIDE, None),
        Error::NoResidual { .. } | Error::Rank { .. } => (MERCER_NO_RESIDUAL, None),
        Error::Deaf => (MERCER_DEAF, None),
        Error::NotFinite { row, .. } => (MERCER_NUMERIC, Some(row)),
        Error::NoConvergence { .. } | Error::EigenvalueOverflow { .. } => (MERCER_NUMERIC, None),
        Error::NotPositiveDefinite { .. } => (MERCER_NUMERIC, None),
        Error::Format(fault) => (of_format(fault), None),
        Error::FrontEnd(_) => (MERCER_OTHER_FRONT_END, None),
        _ => (MERCER_OTHER, None),
    }
}

fn of_fault(fault: Fault) -> (Code, Option<usize>) {
    match fault {
        Fault::NotFinite { input } => (MERCER_NOT_FINITE, Some(input)),
        Fault::ScaleOverflow { input } => (MERCER_TOO_LARGE, Some(input)),
        _ => (MERCER_TOO_LARGE, None),
    }
}

fn of_format(fault: FormatFault) -> Code {
    match fault {
        FormatFault::Magic => MERCER_NOT_SAVED,
        FormatFault::Version { .. } => MERCER_OTHER_VERSION,
        FormatFault::Truncated { .. } => MERCER_TRUNCATED,
        FormatFault::Checksum => MERCER_CHECKSUM,
        _ => MERCER_OTHER_KIND,
    }
}

/// The culprit as C has it: -1 if there is none.
pub(crate) fn number(culprit: Option<usize>) -> i32 {
    culprit.and_then(|culprit| i32::try_from(culprit).ok()).unwrap_or(-1)
}
