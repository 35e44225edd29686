//! What a relevant dimension means, in plain words.

use core::fmt;

use super::{Labels, RelevantDimension};
use crate::math::Real;

/// With fewer samples than this per dimension, the dimension counts as large: our rule of thumb,
/// the lecture names no number.
pub const SAMPLES_PER_DIMENSION: usize = 8;

/// A noise share above this, a quarter of the variance or of the signs, counts as large: our rule
/// of thumb, the lecture names no number.
pub const LARGE_NOISE: f64 = 0.25;

/// What kind of problem labelled samples pose, for the kernel that was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Assessment {
    /// Small dimension, little noise.
    Simple,
    /// Small dimension, much noise.
    Noisy,
    /// Large dimension, little noise.
    Complex,
    /// Large dimension, much noise.
    ComplexAndNoisy,
}

impl fmt::Display for Assessment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Simple => "simple: a few dimensions explain the labels",
            Self::Noisy => {
                "noisy: a few dimensions explain all that can be explained, and much is left; \
                 find out what disturbs the labels"
            }
            Self::Complex => {
                "complex: little noise, but many dimensions for so few samples; find a kernel that \
                 knows more about the problem, or more samples"
            }
            Self::ComplexAndNoisy => {
                "complex and noisy: many dimensions, and much is left; find another kernel, more \
                 samples, or what disturbs the labels"
            }
        })
    }
}

impl<T: Real> RelevantDimension<T> {
    /// What kind of problem this is, by two rules of thumb: [`SAMPLES_PER_DIMENSION`] and
    /// [`LARGE_NOISE`].
    pub fn assessment(&self) -> Assessment {
        let large = self.dimension.saturating_mul(SAMPLES_PER_DIMENSION) > self.samples;
        match (large, self.noise_share > T::from_f64(LARGE_NOISE)) {
            (false, false) => Assessment::Simple,
            (false, true) => Assessment::Noisy,
            (true, false) => Assessment::Complex,
            (true, true) => Assessment::ComplexAndNoisy,
        }
    }
}

/// The figures in one sentence; the [assessment](RelevantDimension::assessment) is another.
impl<T: Real> fmt::Display for RelevantDimension<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = T::from_f64(100.0) * self.noise_share;
        let of = match self.labels {
            Labels::Values => "of the labels' variance",
            Labels::Signs => "of the labels",
        };
        let (dimension, samples) = (self.dimension, self.samples);
        write!(f, "{dimension} relevant dimensions of {samples}, noise {percent:.1} % {of}")
    }
}
