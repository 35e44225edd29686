//! The closed list of features.

use core::fmt;
use core::str::FromStr;

use crate::error::Error;

/// A feature of the samples `x_0 … x_{n−1}` of one channel.
///
/// With the mean `m = Σx/n` and `c = x − m`. A channel whose samples are all equal has a mean, a
/// least and a largest value, and an RMS; everything else is 0, and the logarithms are at the
/// floor.
///
/// Its text is the name that recipes and tables use, and parses again:
///
/// ```
/// use mercer::signal::Feature;
/// assert_eq!(Feature::Bands(4).to_string(), "bands4");
/// assert_eq!("p2p".parse(), Ok(Feature::PeakToPeak));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Feature {
    /// `mean`: `m`.
    Mean,
    /// `std`: `√(Σc²/n)`.
    Std,
    /// `logstd`: its natural logarithm, of at least the floor.
    LogStd,
    /// `rms`: `√(Σx²/n)`, with the mean in it.
    Rms,
    /// `p2p`: largest less least.
    PeakToPeak,
    /// `min`: the least.
    Min,
    /// `max`: the largest.
    Max,
    /// `crest`: `max|c| / std`.
    Crest,
    /// `skew`: `(Σc³/n) / std³`.
    Skew,
    /// `kurt`: `(Σc⁴/n) / std⁴ − 3`.
    Kurt,
    /// `mad`: the mean of `|x_i − x_{i−1}|`.
    Mad,
    /// `logmad`: its natural logarithm, of at least the floor.
    LogMad,
    /// `zc`: how often samples pass from below the mean to above it or back; one at the mean counts
    /// as above.
    ZeroCrossings,
    /// `bandsB`: the natural logarithms of the energies in `B` bands of frequencies of equal width,
    /// each of at least the square of the floor. The window must have a power of two of samples.
    Bands(u8),
}

/// Every feature that has one output, with its name.
const NAMES: [(Feature, &str); 13] = [
    (Feature::Mean, "mean"),
    (Feature::Std, "std"),
    (Feature::LogStd, "logstd"),
    (Feature::Rms, "rms"),
    (Feature::PeakToPeak, "p2p"),
    (Feature::Min, "min"),
    (Feature::Max, "max"),
    (Feature::Crest, "crest"),
    (Feature::Skew, "skew"),
    (Feature::Kurt, "kurt"),
    (Feature::Mad, "mad"),
    (Feature::LogMad, "logmad"),
    (Feature::ZeroCrossings, "zc"),
];

/// What the name of bands begins with.
const BANDS: &str = "bands";

impl Feature {
    /// How many numbers it gives: one, or one for each band.
    pub const fn outputs(self) -> usize {
        match self {
            Self::Bands(bands) => bands as usize,
            _ => 1,
        }
    }

    /// The bit that stands for it in a [`Set`]; all bands share one.
    const fn bit(self) -> u16 {
        1 << match self {
            Self::Mean => 0,
            Self::Std => 1,
            Self::LogStd => 2,
            Self::Rms => 3,
            Self::PeakToPeak => 4,
            Self::Min => 5,
            Self::Max => 6,
            Self::Crest => 7,
            Self::Skew => 8,
            Self::Kurt => 9,
            Self::Mad => 10,
            Self::LogMad => 11,
            Self::ZeroCrossings => 12,
            Self::Bands(_) => 13,
        }
    }

    const fn is(self, other: Self) -> bool {
        self.bit() == other.bit() && self.outputs() == other.outputs()
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Bands(bands) = self {
            return write!(f, "{BANDS}{bands}");
        }
        let name = NAMES.iter().find(|(feature, _)| feature == self);
        f.write_str(name.map_or("", |(_, name)| name))
    }
}

impl FromStr for Feature {
    type Err = Error;

    /// # Errors
    /// [`Error::Parameter`] if there is no such feature.
    fn from_str(text: &str) -> Result<Self, Error> {
        let bands = || match text.strip_prefix(BANDS)?.parse() {
            Ok(bands) if bands > 0 => Some(Self::Bands(bands)),
            _ => None,
        };
        let named = NAMES.iter().find(|(_, name)| *name == text).map(|(feature, _)| *feature);
        named.or_else(bands).ok_or(Error::Parameter { name: "feature", rule: RULE })
    }
}

const RULE: &str = "one of mean, std, logstd, rms, p2p, min, max, crest, skew, kurt, mad, logmad, \
                    zc, bands1 to bands255";

/// How many numbers a channel has of these features.
///
/// ```
/// use mercer::signal::{Feature, outputs};
/// const FEATURES: &[Feature] = &[Feature::Mean, Feature::LogStd, Feature::Bands(4)];
/// let reading = [0.0_f32; 3 * outputs(FEATURES)]; // of 3 channels
/// # assert_eq!(reading.len(), 18);
/// ```
pub const fn outputs(features: &[Feature]) -> usize {
    let (mut count, mut i) = (0, 0);
    while i < features.len() {
        count += features[i].outputs();
        i += 1;
    }
    count
}

/// Checks a list of features for windows of `length` samples.
pub(crate) const fn validate(features: &[Feature], length: usize) -> Result<(), Error> {
    if features.is_empty() {
        return Err(Error::Parameter { name: "features", rule: "at least one" });
    }
    let mut i = 0;
    while i < features.len() {
        if features[i].outputs() == 0 {
            return Err(Error::Parameter { name: "bands", rule: "1 to 255" });
        }
        let mut j = 0;
        while j < i {
            if features[j].is(features[i]) {
                return Err(Error::Parameter { name: "features", rule: "different" });
            }
            j += 1;
        }
        i += 1;
    }
    if Set::of(features).has(Set::BANDS) && !length.is_power_of_two() {
        return Err(Error::Parameter { name: "window", rule: "a power of two for bands" });
    }
    Ok(())
}

/// Some of the features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Set(u16);

impl Set {
    /// Every feature.
    pub(crate) const ALL: Self = Self(u16::MAX);
    /// Bands, however many.
    pub(crate) const BANDS: Self = Self::of(&[Feature::Bands(1)]);

    /// Those of a list.
    pub(crate) const fn of(features: &[Feature]) -> Self {
        let (mut bits, mut i) = (0, 0);
        while i < features.len() {
            bits |= features[i].bit();
            i += 1;
        }
        Self(bits)
    }

    /// Is any of the other ones among them?
    #[inline(always)]
    pub(crate) const fn has(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }
}
