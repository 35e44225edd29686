//! What comes from C as a pointer, and may be anything.
//!
//! An object is memory of the caller that begins with a tag. Whatever can be looked at is, before a
//! reference is made; what cannot is said at the head of this crate.

use core::mem::size_of;
use core::slice;

use crate::codes::{self, Code};
use crate::config::{BUILD, INPUTS};

/// How many `uint64_t` an object takes, on the machine that compiles this. Those of a device with
/// 32 bits are a few bytes smaller: the header, made on a desk, has room for both.
pub struct Words;

impl Words {
    /// That of a type.
    pub(crate) const fn of<T: Object>() -> usize {
        size_of::<Tagged<T>>().div_ceil(size_of::<u64>())
    }
}

/// What an object of the caller is inside of the library.
pub(crate) trait Object: Sized {
    /// Another one for each type.
    const KIND: u32;
    /// Stands at the front of an object that was initialised: not 0, and another one for each type
    /// and build, so that memory which outlives an update of the firmware is not taken for an
    /// object.
    const TAG: u32 = (Self::KIND ^ BUILD) | 1;
    /// What the header calls it.
    type Memory;

    /// Writes a value with nothing in it, without a copy of it on the stack. `again` says that
    /// there is such an object already.
    ///
    /// # Safety
    /// `place` is valid for writing a `Self` and, if `again`, for reading one.
    unsafe fn begin(place: *mut Self, again: bool);
}

/// An object as it lies in the caller's memory.
#[repr(C)]
struct Tagged<T> {
    tag: u32,
    value: T,
}

/// Null or misaligned? `Memory` is made of `uint64_t`, and nothing of ours needs more than that.
fn check<T: Object>(memory: *const T::Memory) -> Result<*const Tagged<T>, Code> {
    const { assert!(align_of::<Tagged<T>>() <= align_of::<u64>(), "the header says uint64_t") };
    let object = memory.cast::<Tagged<T>>();
    if memory.is_null() {
        Err(codes::MERCER_NULL)
    } else if !memory.cast::<u64>().is_aligned() {
        Err(codes::MERCER_MISALIGNED)
    } else {
        Ok(object)
    }
}

/// Initialises an object in `size` bytes of the caller, who has read the header of build `build`.
///
/// # Safety
/// As C promises.
pub(crate) unsafe fn begin<T: Object>(
    memory: *mut T::Memory,
    size: usize,
    build: u32,
) -> Result<&'static mut T, Code> {
    let object = check::<T>(memory)?.cast_mut();
    if build != BUILD {
        return Err(codes::MERCER_OTHER_BUILD);
    }
    if size < size_of::<Tagged<T>>() {
        return Err(codes::MERCER_TOO_SMALL);
    }
    // SAFETY: aligned, and of the size that was checked. The value is read only behind its tag,
    // which is written after it.
    unsafe {
        let again = (&raw const (*object).tag).read() == T::TAG;
        T::begin(&raw mut (*object).value, again);
        (&raw mut (*object).tag).write(T::TAG);
        Ok(&mut (*object).value)
    }
}

/// An object that was initialised, to be changed.
///
/// # Safety
/// As C promises.
pub(crate) unsafe fn object<'a, T: Object>(memory: *mut T::Memory) -> Result<&'a mut T, Code> {
    let object = check::<T>(memory)?.cast_mut();
    // SAFETY: not null, aligned, and the memory of an object begins with a tag or something else.
    let tag = unsafe { (&raw const (*object).tag).read() };
    if tag != T::TAG {
        return Err(codes::MERCER_NOT_INITIALISED);
    }
    // SAFETY: only `begin` writes the tag, after the value, and nobody else has the object now.
    Ok(unsafe { &mut (*object).value })
}

/// An object that was initialised, to be looked at.
///
/// # Safety
/// As C promises.
pub(crate) unsafe fn shared<'a, T: Object>(memory: *const T::Memory) -> Result<&'a T, Code> {
    let object = check::<T>(memory)?;
    // SAFETY: as in `object`.
    let tag = unsafe { (&raw const (*object).tag).read() };
    if tag != T::TAG {
        return Err(codes::MERCER_NOT_INITIALISED);
    }
    // SAFETY: as in `object`, and nobody changes it now.
    Ok(unsafe { &(*object).value })
}

/// Two objects of a call must not lie in each other's memory. Whether they lie in any is asked
/// later.
pub(crate) fn require_apart<A: Object, B: Object>(
    a: *const A::Memory,
    b: *const B::Memory,
) -> Result<(), Code> {
    let (first, second) = (a.addr(), b.addr());
    let apart = first.abs_diff(second)
        >= if first < second { size_of::<Tagged<A>>() } else { size_of::<Tagged<B>>() };
    if apart || a.is_null() || b.is_null() { Ok(()) } else { Err(codes::MERCER_OVERLAP) }
}

/// A reading, as a copy.
///
/// # Safety
/// As C promises.
pub(crate) unsafe fn reading(numbers: *const f32, inputs: usize) -> Result<[f32; INPUTS], Code> {
    // SAFETY: as this function's.
    unsafe { array(numbers, inputs) }
}

/// So many numbers, as a copy.
///
/// # Safety
/// As C promises.
pub(crate) unsafe fn array<T: Copy, const N: usize>(
    numbers: *const T,
    count: usize,
) -> Result<[T; N], Code> {
    if numbers.is_null() {
        Err(codes::MERCER_NULL)
    } else if count != N {
        Err(codes::MERCER_LENGTH)
    } else if !numbers.is_aligned() {
        Err(codes::MERCER_MISALIGNED)
    } else {
        // SAFETY: aligned, and as long as the caller says, which is as long as it must be.
        Ok(unsafe { numbers.cast::<[T; N]>().read() })
    }
}

/// Bytes to read from. None of them are an error here: what they should be, the reader says.
///
/// # Safety
/// As C promises.
pub(crate) unsafe fn bytes<'a>(start: *const u8, length: usize) -> Result<&'a [u8], Code> {
    if start.is_null() {
        return Err(codes::MERCER_NULL);
    }
    require_length(length)?;
    // SAFETY: as long as the caller says, and nobody writes there during the call.
    Ok(unsafe { slice::from_raw_parts(start, length) })
}

/// Bytes to write to.
///
/// # Safety
/// As C promises.
pub(crate) unsafe fn room<'a>(start: *mut u8, length: usize) -> Result<&'a mut [u8], Code> {
    if start.is_null() {
        return Err(codes::MERCER_NULL);
    }
    require_length(length)?;
    // SAFETY: as long as the caller says, and nobody else uses it during the call. What C has there
    // are some bytes or other, for all that the compiler of this crate can know.
    Ok(unsafe { slice::from_raw_parts_mut(start, length) })
}

/// No memory is longer; a length below 0 that was converted is.
fn require_length(length: usize) -> Result<(), Code> {
    if length <= isize::MAX as usize { Ok(()) } else { Err(codes::MERCER_LENGTH) }
}

/// Writes a result, where one is asked for.
///
/// # Safety
/// As C promises.
pub(crate) unsafe fn give<T>(place: *mut T, value: T) -> Result<(), Code> {
    if place.is_null() {
        return Ok(());
    }
    if !place.is_aligned() {
        return Err(codes::MERCER_MISALIGNED);
    }
    // SAFETY: aligned, and room for one.
    unsafe { place.write(value) };
    Ok(())
}

/// What a structure of the caller says; `None` if there is none.
///
/// # Safety
/// As C promises.
pub(crate) unsafe fn given<T: Copy>(place: *const T) -> Result<Option<T>, Code> {
    if place.is_null() {
        return Ok(None);
    }
    if !place.is_aligned() {
        return Err(codes::MERCER_MISALIGNED);
    }
    // SAFETY: aligned, and one is there; all its fields are numbers, of which every pattern is one.
    Ok(Some(unsafe { place.read() }))
}
