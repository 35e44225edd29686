//! What can go wrong, with the culprit named.

use core::fmt;

/// Why a fit, a projection or a decomposition was refused.
///
/// After an error, the model is what it was before the call.
///
/// Its text is one complete line, the inner fault included, so that a log on a device needs no
/// more. [`source`](core::error::Error::source) returns that [`Fault`] or [`FormatFault`]; programs
/// that print whole chains of sources can leave out the source of this error.
///
/// ```
/// use core::error::Error as _;
/// use mercer::Error;
/// use mercer::error::Fault;
/// let error = Error::Sample { index: 3, fault: Fault::NotFinite { input: 1 } };
/// assert_eq!(error.to_string(), "sample 3: input 1 is not finite");
/// assert_eq!(error.source().unwrap().to_string(), "input 1 is not finite");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Error {
    /// A parameter lies outside its domain.
    Parameter {
        /// The parameter's name as it is written in code, e.g. `gamma`.
        name: &'static str,
        /// The rule it breaks, e.g. `finite and > 0`.
        rule: &'static str,
    },
    /// A training sample cannot be used.
    Sample {
        /// Position of the sample in the training set.
        index: usize,
        /// What is wrong with it.
        fault: Fault,
    },
    /// The label or target of a training sample cannot be used.
    Label {
        /// Position of the sample in the training set.
        index: usize,
        /// Which output, counted from 0, if the target is several numbers.
        output: usize,
        /// The rule it breaks, e.g. `finite`.
        rule: &'static str,
    },
    /// The point to project or score cannot be used.
    Query(Fault),
    /// A raw sample cannot be used.
    Channel {
        /// Which channel of the signal, counted from 0.
        channel: usize,
        /// The rule it breaks, e.g. `finite`.
        rule: &'static str,
    },
    /// Fewer samples than the method needs.
    TooFewSamples {
        /// How many were given.
        given: usize,
        /// The least number that is enough.
        needed: usize,
    },
    /// Too few samples differ, in feature space, by more than rounding.
    TooFewDistinct {
        /// How many do.
        distinct: usize,
        /// The least number that is enough.
        needed: usize,
    },
    /// The caller's storage is too small.
    Capacity {
        /// What did not fit, e.g. `samples`.
        what: &'static str,
        /// How many places are needed at least.
        needed: usize,
        /// How many there are.
        capacity: usize,
    },
    /// A matrix or slice does not have the size that the others imply.
    Shape {
        /// Which argument.
        what: &'static str,
        /// The size it should have.
        expected: usize,
        /// The size it has.
        given: usize,
    },
    /// A matrix that must be symmetric is not; the first pair that differs by more than rounding.
    NotSymmetric {
        /// Row of the entry above the diagonal.
        row: usize,
        /// Column of the entry above the diagonal.
        column: usize,
    },
    /// A matrix entry is NaN or infinite (in a Gram matrix: the kernel overflowed on that pair).
    NotFinite {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
    },
    /// A matrix that must be positive definite is not, beyond rounding. (In a ridge regression:
    /// raise the ridge.)
    NotPositiveDefinite {
        /// The first row that depends on the rows before it, or makes the matrix indefinite.
        row: usize,
    },
    /// An edge leads to a node outside the graph.
    Edge {
        /// One end of the edge.
        row: usize,
        /// The other end.
        column: usize,
        /// The number of nodes, which are counted from 0.
        nodes: usize,
    },
    /// The weight of a graph's edge is negative or not finite.
    Weight {
        /// One end of the edge.
        row: usize,
        /// The other end.
        column: usize,
    },
    /// All samples are the same point in feature space: there is nothing to learn.
    NoVariance,
    /// More components were asked for than the data span.
    Rank {
        /// How many components were asked for.
        wanted: usize,
        /// How many have a variance above rounding.
        rank: usize,
    },
    /// The kernel is so narrow that every sample is an island: any new reading would look
    /// unusual.
    KernelTooNarrow,
    /// The kernel is so wide that all samples look alike: any new reading would look normal.
    KernelTooWide,
    /// As many components as the samples span were kept, so that nothing is left for the
    /// reconstruction error to measure.
    NoResidual {
        /// How many components were kept.
        components: usize,
    },
    /// No reading can exceed the threshold, so there would never be an alarm: lower it.
    Deaf,
    /// Readings after learning are stranger than the threshold promised: there may be faults among
    /// them. Leave out what was not normal, learn again, or [trust
    /// them](crate::detect::LaterReadings::calibrate_trusting).
    StrangeReadings {
        /// How many readings there were.
        readings: usize,
        /// How many of them are above the threshold from before.
        unusual: usize,
    },
    /// There is no such input.
    UnknownInput {
        /// Which one, counted from 0.
        input: usize,
        /// How many there are, or can be.
        inputs: usize,
    },
    /// The logarithm of an input is wished for, but no sample has a value of it above 0.
    NoLogarithm {
        /// Which input (sensor), counted from 0.
        input: usize,
    },
    /// Learning is under way; this must wait until it is done or cancelled.
    Learning,
    /// The eigensolver used up its sweeps.
    NoConvergence {
        /// How many sweeps were made.
        sweeps: usize,
    },
    /// An eigenvalue, or in a fit the sum of them up to it, is larger than numbers of this type can
    /// be, though no entry of the matrix is.
    EigenvalueOverflow {
        /// Which one, counted from 0 in descending order.
        index: usize,
    },
    /// The search for a [pre-image](crate::kpca::preimage), such as an expected reading, used up
    /// its iterations or found no normal reading nearby.
    NoPreImage {
        /// How many iterations were made.
        iterations: usize,
    },
    /// The model has not been fitted yet.
    NotFitted,
    /// The bytes are not a stored detector of this type.
    Format(FormatFault),
    /// A stored model was made for another front end than this one.
    FrontEnd(FrontEndFault),
}

/// What is different about the front end of a stored model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum FrontEndFault {
    /// A size, or how many there are of something.
    Count {
        /// What is counted: `channels`, samples of the `window` or the `hop`, `features`, `scales`
        /// or `operators`.
        what: &'static str,
        /// As it is in this program.
        expected: usize,
        /// As it is in the stored model.
        found: usize,
    },
    /// One of several.
    Entry {
        /// Of what: `feature`, `scale` or `operator`.
        what: &'static str,
        /// Which one, counted from 0.
        index: usize,
    },
    /// Something that there is one of.
    Other {
        /// `floor`, or `kind of samples`.
        what: &'static str,
    },
}

/// What is wrong with one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Fault {
    /// An input is NaN or infinite.
    NotFinite {
        /// Which input (sensor), counted from 0.
        input: usize,
    },
    /// The sample and its peers have different numbers of inputs.
    Length {
        /// How many inputs the others have.
        expected: usize,
        /// How many this one has.
        given: usize,
    },
    /// `k(x, x)` is not positive, so a normalised kernel has no value at this sample.
    ZeroNorm,
    /// The kernel's value at this sample overflows.
    Overflow,
    /// An input is so large that it cannot be scaled.
    ScaleOverflow {
        /// Which input (sensor), counted from 0.
        input: usize,
    },
    /// An input is so far from all others that a learner which keeps samples in few bits cannot
    /// tell these apart.
    Outlier {
        /// Which input (sensor), counted from 0.
        input: usize,
    },
    /// No input is finite: there is nothing left to judge.
    AllMissing,
    /// An index into a precomputed Gram matrix lies outside it.
    OutOfRange {
        /// The number of rows of the matrix.
        size: usize,
    },
}

/// What is wrong with the bytes that should be a stored detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum FormatFault {
    /// They do not begin with the magic number; erased flash does not, either.
    Magic,
    /// They were written in a version of the format that cannot be read.
    Version {
        /// The version they have.
        found: u16,
        /// The version that can be read.
        expected: u16,
    },
    /// There are too few of them.
    Truncated {
        /// How many are needed at least.
        needed: usize,
        /// How many there are.
        given: usize,
    },
    /// They do not match their checksum.
    Checksum,
    /// The numbers are of another type.
    Scalar {
        /// Bytes of a number in this program: 4 for `f32`, 8 for `f64`.
        expected: u8,
        /// Bytes of a number in the stored detector.
        found: u8,
    },
    /// The kernel, a part of it, or the scaling is of another type.
    Tag {
        /// Which part, e.g. `kernel`.
        what: &'static str,
        /// The tag of the type in this program.
        expected: u8,
        /// The tag of the type in the stored detector.
        found: u8,
    },
    /// Something is of a kind that there is none of in this version.
    Unknown {
        /// What it is, e.g. `feature`.
        what: &'static str,
        /// Its tag.
        found: u8,
    },
    /// The length does not follow from the counts of inputs, points and components, or one of these
    /// is 0.
    Length {
        /// The length that follows from the counts.
        expected: usize,
        /// The length that is stored.
        found: usize,
    },
    /// There are flags that have no meaning.
    Flags {
        /// All flags.
        found: u8,
    },
}

impl Error {
    /// The same error with the numbers of samples in another numbering: those of a fold as those of
    /// all samples, say.
    pub(crate) fn renumbered(self, number: impl Fn(usize) -> usize) -> Self {
        match self {
            Self::Sample { index, fault } => Self::Sample { index: number(index), fault },
            Self::NotFinite { row, column } => {
                Self::NotFinite { row: number(row), column: number(column) }
            }
            other => other,
        }
    }

    /// What is wrong with a query that is a sample.
    pub(crate) fn of_sample(self, index: usize) -> Self {
        match self {
            Self::Query(fault) => Self::Sample { index, fault },
            other => other,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Parameter { name, rule } => write!(f, "parameter `{name}` must be {rule}"),
            Self::Sample { index, fault } => write!(f, "sample {index}: {fault}"),
            Self::Label { index, output, rule } => {
                write!(f, "sample {index}: label {output} must be {rule}")
            }
            Self::Query(fault) => write!(f, "query: {fault}"),
            Self::Channel { channel, rule } => {
                write!(f, "raw sample: channel {channel} must be {rule}")
            }
            Self::TooFewSamples { given, needed } => {
                write!(f, "too few samples: {given} given, at least {needed} needed")
            }
            Self::TooFewDistinct { distinct, needed } => {
                write!(f, "too few distinct samples: {distinct} found, at least {needed} needed")
            }
            Self::Capacity { what, needed, capacity } => {
                write!(f, "no room for {what}: at least {needed} needed, capacity is {capacity}")
            }
            Self::Shape { what, expected, given } => {
                write!(f, "size mismatch in {what}: {given} given, {expected} expected")
            }
            Self::NotSymmetric { row, column } => {
                write!(f, "matrix is not symmetric at row {row}, column {column}")
            }
            Self::NotFinite { row, column } => {
                write!(f, "matrix entry at row {row}, column {column} is not finite")
            }
            Self::NotPositiveDefinite { row } => {
                write!(
                    f,
                    "matrix is not positive definite: row {row} depends on the rows before it"
                )
            }
            Self::Edge { row, column, nodes } => {
                write!(f, "edge from {row} to {column} ends outside the graph of {nodes} nodes")
            }
            Self::Weight { row, column } => {
                write!(f, "edge from {row} to {column} must have a finite weight >= 0")
            }
            Self::NoVariance => f.write_str("all samples are equal: there is no variance to learn"),
            Self::Rank { wanted, rank } => {
                write!(f, "{wanted} components requested, but the samples span only {rank}")
            }
            Self::KernelTooNarrow => {
                f.write_str("kernel is too narrow: no two samples are alike (lower gamma)")
            }
            Self::KernelTooWide => {
                f.write_str("kernel is too wide: all samples are alike (raise gamma)")
            }
            Self::NoResidual { components } => {
                write!(f, "{components} components leave nothing unexplained: keep fewer")
            }
            Self::Deaf => f.write_str("no reading can exceed the threshold: lower it"),
            Self::StrangeReadings { readings, unusual } => write!(
                f,
                "the later readings are stranger than the threshold promised, {unusual} of \
                 {readings} are above it: leave out what was not normal, or learn again"
            ),
            Self::UnknownInput { input, inputs } => {
                write!(f, "there is no input {input}: they are counted from 0 to below {inputs}")
            }
            Self::NoLogarithm { input } => {
                write!(f, "input {input} has no value above 0, so it cannot be logarithmic")
            }
            Self::Learning => f.write_str("learning is still under way"),
            Self::NoConvergence { sweeps } => {
                write!(f, "eigensolver did not converge in {sweeps} sweeps")
            }
            Self::EigenvalueOverflow { index } => {
                write!(f, "eigenvalue {index} overflows: divide the matrix by a constant")
            }
            Self::NoPreImage { iterations } => {
                write!(f, "no pre-image found, iterations made: {iterations}")
            }
            Self::NotFitted => f.write_str("model has not been fitted"),
            Self::Format(fault) => write!(f, "what was stored cannot be used: {fault}"),
            Self::FrontEnd(fault) => write!(f, "model was made for another front end: {fault}"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NotFinite { input } => write!(f, "input {input} is not finite"),
            Self::Length { expected, given } => {
                write!(f, "number of inputs is {given}, expected {expected}")
            }
            Self::ZeroNorm => f.write_str("norm is zero, so that a normalised kernel has no value"),
            Self::Overflow => f.write_str("kernel or result overflows"),
            Self::ScaleOverflow { input } => write!(f, "input {input} is too large to be scaled"),
            Self::Outlier { input } => write!(
                f,
                "input {input} is so far from all others that 16 bits do not tell these apart: \
                 learn again without this sample"
            ),
            Self::AllMissing => f.write_str("all inputs are missing"),
            Self::OutOfRange { size } => {
                write!(f, "index is outside the precomputed matrix of {size} rows")
            }
        }
    }
}

impl fmt::Display for FormatFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Magic => f.write_str("bytes do not begin with the magic number"),
            Self::Version { found, expected } => {
                write!(f, "format version is {found}, only {expected} can be read")
            }
            Self::Truncated { needed, given } => {
                write!(f, "{given} bytes, at least {needed} needed")
            }
            Self::Checksum => f.write_str("checksum does not match, the bytes were altered"),
            Self::Scalar { expected, found } => {
                write!(f, "numbers have {found} bytes, expected {expected}")
            }
            Self::Tag { what, expected, found } => {
                write!(f, "{what} has tag {found:#04x}, expected {expected:#04x}")
            }
            Self::Unknown { what, found } => write!(f, "there is no {what} of tag {found:#04x}"),
            Self::Length { expected, found } => {
                write!(f, "length is {found} bytes, but the counts imply {expected}")
            }
            Self::Flags { found } => write!(f, "unknown flags {found:#04x}"),
        }
    }
}

impl fmt::Display for FrontEndFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Count { what, expected, found } => {
                write!(f, "its {what}: {found}, expected {expected}")
            }
            Self::Entry { what, index } => write!(f, "its {what} {index} is another one"),
            Self::Other { what } => write!(f, "its {what} is another one"),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Sample { fault, .. } | Self::Query(fault) => Some(fault),
            Self::Format(fault) => Some(fault),
            Self::FrontEnd(fault) => Some(fault),
            _ => None,
        }
    }
}

impl core::error::Error for Fault {}

impl core::error::Error for FormatFault {}

impl core::error::Error for FrontEndFault {}

/// Checks that there is room for what is needed.
pub(crate) const fn require_capacity(
    what: &'static str,
    needed: usize,
    capacity: usize,
) -> Result<(), Error> {
    if needed <= capacity { Ok(()) } else { Err(Error::Capacity { what, needed, capacity }) }
}

/// Checks that something has the size that the rest implies.
pub(crate) fn require_shape(
    what: &'static str,
    expected: usize,
    given: usize,
) -> Result<(), Error> {
    if given == expected { Ok(()) } else { Err(Error::Shape { what, expected, given }) }
}
