//! A front end as bytes, in front of those of its detector.
//!
//! A detector is of use only with the front end that it was learned with. So a model for a
//! [`Monitor`](crate::Monitor) is stored as a front end, followed by a
//! [detector](crate::detect::persist) or a [quantised](crate::detect::quantised) one. Neither of
//! the two readers takes the other one's bytes, hence none is forgotten:
//!
//! ```
//! use mercer::error::FrontEndFault;
//! use mercer::signal::{Feature, FrontEnd};
//! use mercer::{Error, GaussianDetector};
//! # use mercer::{GaussianLearner, Recipe};
//! # use mercer::kernel::Rbf;
//! # struct Pump;
//! # impl FrontEnd for Pump {
//! #     const FEATURES: &'static [Feature] = &[Feature::Mean, Feature::LogStd];
//! # }
//! # let mut learner = GaussianLearner::<2, 64, 16, 8>::new();
//! # for t in 0..64 {
//! #     let load = (t as f32 * 0.7).sin();
//! #     learner.push(&[20.0 + 3.0 * load, 5.0 + load + 0.1 * (t as f32).cos()])?;
//! # }
//! # learner.learn(Rbf::for_inputs(2), Recipe::default())?;
//! # let detector = learner.detector()?;
//! type PumpStream = mercer::stream!(Pump, f32, 1, 256, 128);
//! let mut bytes = vec![0; PumpStream::FRONT_END.encoded_len() + detector.encoded_len()];
//! let length = PumpStream::FRONT_END.write_to(&mut bytes)?;
//! detector.write_to(&mut bytes[length..])?;
//!
//! let mut restored = GaussianDetector::<2, 16, 8>::new();
//! restored.read_from(PumpStream::FRONT_END.require(&bytes)?)?;
//! # assert_eq!(restored.threshold(), detector.threshold());
//!
//! // Other firmware does not take it.
//! type Shorter = mercer::stream!(Pump, f32, 1, 128, 128);
//! let fault = FrontEndFault::Count { what: "window", expected: 128, found: 256 };
//! assert_eq!(Shorter::FRONT_END.require(&bytes), Err(Error::FrontEnd(fault)));
//! # Ok::<(), mercer::Error>(())
//! ```
//!
//! # Layout
//!
//! All numbers are little-endian and follow each other without gaps; sizes and counts take 4 bytes.
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 4 | `MRCF` |
//! | 4 | 2 | [`FRONT_END_FORMAT_VERSION`] |
//! | 6 | 1 | samples: 01 for `f32`, 02 for `i16` |
//! | 7 | 1 | 0 |
//! | 8 | 4 | length of all of it, from the first byte of `MRCF` to the last of the checksum |
//! | 12 | 4 | channels |
//! | 16 | 4 | samples of a window |
//! | 20 | 4 | samples of the hop |
//! | 24 | 4 | the floor of logarithms, an `f32` |
//! | 28 | 4 | `f`, the number of features |
//! | 32 | 4 | `s`, the number of scales |
//! | 36 | 4 | `o`, the number of operators |
//! | 40 | 2`f` | features: a tag, and how many bands, 0 for others |
//! | | 4`s` | scales, as `f32` |
//! | | 5`o` | operators: a tag, then rows, the share as an `f32`, or 0 |
//! | last 4 | 4 | CRC-32 of all bytes before |
//!
//! Features have the tags 01 to 0E (hexadecimal), in the order of
//! [`Feature`](crate::signal::Feature); operators 01 to 04, in that of
//! [`Operator`](crate::signal::Operator).

use crate::detect::persist::{Encode, Reader, Writer, checksum};
use crate::error::{Error, FormatFault, FrontEndFault};
use crate::linalg::slices::tail;
use crate::signal::{Feature, FrontEndView, Operator, SampleKind};

/// The version of the layout that is written, and the only one that is read.
pub const FRONT_END_FORMAT_VERSION: u16 = 1;

const MAGIC: [u8; 4] = *b"MRCF";
const PRELUDE_SIZE: usize = 40;
const CHECKSUM_SIZE: usize = 4;
const FEATURE_SIZE: usize = 2;
const SCALE_SIZE: usize = 4;
const OPERATOR_SIZE: usize = 5;

/// Those that have one output, in the order of their tags; bands come after them.
const FEATURES: [Feature; 13] = [
    Feature::Mean,
    Feature::Std,
    Feature::LogStd,
    Feature::Rms,
    Feature::PeakToPeak,
    Feature::Min,
    Feature::Max,
    Feature::Crest,
    Feature::Skew,
    Feature::Kurt,
    Feature::Mad,
    Feature::LogMad,
    Feature::ZeroCrossings,
];

/// Storing. The [module](self) documents the bytes.
impl FrontEndView<'_> {
    /// How many bytes [`write_to`](Self::write_to) needs.
    pub const fn encoded_len(&self) -> usize {
        encoded_len(self.features.len(), self.scales.len(), self.operators.len())
    }

    /// Writes the front end to the front of `out` and returns how many bytes that took: where the
    /// detector goes.
    ///
    /// # Errors
    /// [`Error::Capacity`] when `out` is shorter than [`encoded_len`](Self::encoded_len), and those
    /// of [`validate`](Self::validate).
    pub fn write_to(&self, out: &mut [u8]) -> Result<usize, Error> {
        self.validate()?;
        let (needed, capacity) = (self.encoded_len(), out.len());
        let no_room = Error::Capacity { what: "encoded front end", needed, capacity };
        let out = out.get_mut(..needed).ok_or(no_room)?;
        let (body, check) = out.split_last_chunk_mut().ok_or(no_room)?;
        let mut to = Writer::new(body);
        to.bytes(MAGIC)?;
        FRONT_END_FORMAT_VERSION.encode(&mut to)?;
        to.bytes([tag_of(self.samples), 0])?;
        for size in [needed, self.channels, self.window, self.hop] {
            stored(size).encode(&mut to)?;
        }
        self.floor.encode(&mut to)?;
        for count in [self.features.len(), self.scales.len(), self.operators.len()] {
            stored(count).encode(&mut to)?;
        }
        self.features.iter().try_for_each(|&feature| to.bytes(encode_feature(feature)))?;
        self.scales.iter().try_for_each(|scale| scale.encode(&mut to))?;
        self.operators.iter().try_for_each(|&operator| to.bytes(encode_operator(operator)))?;
        *check = checksum(body).to_le_bytes();
        Ok(needed)
    }

    /// Checks that the front of `bytes` is this very front end, and returns the bytes behind it:
    /// those of the detector.
    ///
    /// # Errors
    /// [`Error::FrontEnd`] names what is different in a front end that is another one;
    /// [`Error::Format`] as [`StoredFrontEnd::read`].
    pub fn require<'b>(&self, bytes: &'b [u8]) -> Result<&'b [u8], Error> {
        let (stored, rest) = StoredFrontEnd::read(bytes)?;
        match stored.difference(self) {
            None => Ok(rest),
            Some(fault) => Err(Error::FrontEnd(fault)),
        }
    }
}

/// A front end that was read from bytes, in which it stays. Whether its numbers make sense together
/// is for [`FrontEndView::validate`] to say.
#[derive(Clone, Copy, Debug)]
pub struct StoredFrontEnd<'b> {
    /// What samples are.
    pub samples: SampleKind,
    /// How many channels a sample has.
    pub channels: usize,
    /// Samples in a window.
    pub window: usize,
    /// Samples from the start of a window to that of the next.
    pub hop: usize,
    /// The floor of logarithms.
    pub floor: f32,
    features: &'b [[u8; FEATURE_SIZE]],
    scales: &'b [[u8; SCALE_SIZE]],
    operators: &'b [[u8; OPERATOR_SIZE]],
}

impl<'b> StoredFrontEnd<'b> {
    /// Reads a front end from the front of `bytes`; returns also the bytes behind it.
    ///
    /// # Errors
    /// | error | meaning |
    /// |---|---|
    /// | [`FormatFault::Magic`] | not a stored front end: erased flash, or a detector without one |
    /// | [`FormatFault::Version`] | written by another version of this crate |
    /// | [`FormatFault::Truncated`] | bytes are missing at the end |
    /// | [`FormatFault::Checksum`] | bytes were altered |
    /// | [`FormatFault::Unknown`], [`FormatFault::Flags`], [`FormatFault::Length`] | not written by this crate |
    pub fn read(bytes: &'b [u8]) -> Result<(Self, &'b [u8]), Error> {
        let mut from = Reader::new(bytes);
        if from.bytes()? != MAGIC {
            return Err(Error::Format(FormatFault::Magic));
        }
        let (found, expected) = (u16::decode(&mut from)?, FRONT_END_FORMAT_VERSION);
        if found != expected {
            return Err(Error::Format(FormatFault::Version { found, expected }));
        }
        let [samples, flags] = from.bytes()?;
        let mut count = || u32::decode(&mut from).map(|count| count as usize);
        let (length, channels, window, hop) = (count()?, count()?, count()?, count()?);
        let floor = f32::decode(&mut from)?;
        let mut count = || u32::decode(&mut from).map(|count| count as usize);
        let counts = [count()?, count()?, count()?];

        let needed = length.max(PRELUDE_SIZE + CHECKSUM_SIZE);
        let truncated = Error::Format(FormatFault::Truncated { needed, given: bytes.len() });
        let (whole, rest) = bytes.split_at_checked(needed).ok_or(truncated)?;
        let (checked, check) = whole.split_last_chunk().ok_or(truncated)?;
        if checksum(checked) != u32::from_le_bytes(*check) {
            return Err(Error::Format(FormatFault::Checksum));
        }
        if flags != 0 {
            return Err(Error::Format(FormatFault::Flags { found: flags }));
        }
        let [features, scales, operators] = counts;
        let expected = encoded_len(features, scales, operators);
        let wrong = Error::Format(FormatFault::Length { expected, found: length });
        if expected != length {
            return Err(wrong);
        }
        let (features, after) = entries(tail(checked, PRELUDE_SIZE), features).ok_or(wrong)?;
        let (scales, after) = entries(after, scales).ok_or(wrong)?;
        let (operators, _) = entries(after, operators).ok_or(wrong)?;
        let samples = kind_of(samples)?;
        let read = Self { samples, channels, window, hop, floor, features, scales, operators };
        read.features.iter().try_for_each(|bytes| decode_feature(*bytes).map(|_| ()))?;
        read.operators.iter().try_for_each(|bytes| decode_operator(*bytes).map(|_| ()))?;
        Ok((read, rest))
    }

    /// The features, in order.
    pub fn features(&self) -> impl Iterator<Item = Feature> {
        self.features.iter().flat_map(|bytes| decode_feature(*bytes))
    }

    /// The scales.
    pub fn scales(&self) -> impl Iterator<Item = f32> {
        self.scales.iter().map(|bytes| f32::from_le_bytes(*bytes))
    }

    /// The operators, in order.
    pub fn operators(&self) -> impl Iterator<Item = Operator> {
        self.operators.iter().flat_map(|bytes| decode_operator(*bytes))
    }

    /// The first thing that is not as in this one.
    fn difference(&self, expected: &FrontEndView<'_>) -> Option<FrontEndFault> {
        if self.samples != expected.samples {
            return Some(FrontEndFault::Other { what: "kind of samples" });
        }
        let counts = [
            ("channels", expected.channels, self.channels),
            ("window", expected.window, self.window),
            ("hop", expected.hop, self.hop),
            ("features", expected.features.len(), self.features.len()),
            ("scales", expected.scales.len(), self.scales.len()),
            ("operators", expected.operators.len(), self.operators.len()),
        ];
        for (what, expected, found) in counts {
            if expected != found {
                return Some(FrontEndFault::Count { what, expected, found });
            }
        }
        if self.floor.to_bits() != expected.floor.to_bits() {
            return Some(FrontEndFault::Other { what: "floor" });
        }
        let entry = |what, index: Option<usize>| Some(FrontEndFault::Entry { what, index: index? });
        entry("feature", first_other(self.features(), expected.features))
            .or_else(|| entry("scale", first_other(self.scales(), expected.scales)))
            .or_else(|| entry("operator", first_other(self.operators(), expected.operators)))
    }
}

/// Where two lists of the same length differ first.
fn first_other<T: PartialEq>(stored: impl Iterator<Item = T>, expected: &[T]) -> Option<usize> {
    stored.zip(expected).position(|(stored, expected)| stored != *expected)
}

/// The first so many entries, and what follows them.
fn entries<const SIZE: usize>(bytes: &[u8], count: usize) -> Option<(&[[u8; SIZE]], &[u8])> {
    let (entries, rest) = bytes.split_at_checked(count.checked_mul(SIZE)?)?;
    Some((entries.as_chunks().0, rest))
}

const fn encoded_len(features: usize, scales: usize, operators: usize) -> usize {
    (PRELUDE_SIZE + CHECKSUM_SIZE)
        .saturating_add(features.saturating_mul(FEATURE_SIZE))
        .saturating_add(scales.saturating_mul(SCALE_SIZE))
        .saturating_add(operators.saturating_mul(OPERATOR_SIZE))
}

/// Sizes of things in memory, so more than `u32::MAX` do not occur.
fn stored(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

const fn tag_of(samples: SampleKind) -> u8 {
    match samples {
        SampleKind::Numbers => 1,
        SampleKind::Counts => 2,
    }
}

fn kind_of(tag: u8) -> Result<SampleKind, Error> {
    match tag {
        1 => Ok(SampleKind::Numbers),
        2 => Ok(SampleKind::Counts),
        _ => Err(unknown("samples", tag)),
    }
}

/// The tags of bands and operators; those of other features are their places in [`FEATURES`], from
/// 1 on.
const BANDS: u8 = FEATURES.len() as u8 + 1;
const AVERAGE: u8 = 1;
const EWMA: u8 = 2;
const LAGS: u8 = 3;
const DIFFERENCE: u8 = 4;

fn encode_feature(feature: Feature) -> [u8; FEATURE_SIZE] {
    match feature {
        Feature::Bands(bands) => [BANDS, bands],
        other => {
            let place = FEATURES.iter().position(|feature| *feature == other);
            debug_assert!(place.is_some(), "{other} has a tag");
            [1 + place.unwrap_or_default() as u8, 0]
        }
    }
}

fn decode_feature([tag, bands]: [u8; FEATURE_SIZE]) -> Result<Feature, Error> {
    let single = FEATURES.get(usize::from(tag).wrapping_sub(1)).copied();
    match (tag, single) {
        (BANDS, _) => Ok(Feature::Bands(bands)),
        (_, Some(feature)) if bands == 0 => Ok(feature),
        _ => Err(unknown("feature", tag)),
    }
}

fn encode_operator(operator: Operator) -> [u8; OPERATOR_SIZE] {
    let (tag, number) = match operator {
        Operator::Average(rows) => (AVERAGE, u32::from(rows)),
        Operator::Ewma(share) => (EWMA, share.to_bits()),
        Operator::Lags(rows) => (LAGS, u32::from(rows)),
        Operator::Difference => (DIFFERENCE, 0),
    };
    let [a, b, c, d] = number.to_le_bytes();
    [tag, a, b, c, d]
}

fn decode_operator([tag, a, b, c, d]: [u8; OPERATOR_SIZE]) -> Result<Operator, Error> {
    let number = u32::from_le_bytes([a, b, c, d]);
    let operator = match (tag, u16::try_from(number)) {
        (AVERAGE, Ok(rows)) => Operator::Average(rows),
        (EWMA, _) => Operator::Ewma(f32::from_bits(number)),
        (LAGS, Ok(rows)) => Operator::Lags(rows),
        (DIFFERENCE, Ok(0)) => Operator::Difference,
        _ => return Err(unknown("operator", tag)),
    };
    Ok(operator)
}

/// A tag, or what stands behind it, that is never written.
const fn unknown(what: &'static str, found: u8) -> Error {
    Error::Format(FormatFault::Unknown { what, found })
}
