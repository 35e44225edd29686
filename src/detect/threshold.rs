//! What scores are compared with.

use core::cmp::Ordering;

use crate::kpca::Score;
use crate::math::Real;

/// Where unusual readings begin.
///
/// SPE alone raises alarms. [T²](Score::t2) is a score to look at: it falls again far from all
/// samples, and no rule was found by which a threshold for it keeps its rate of false alarms.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Threshold<T> {
    /// Largest usual [`Score::spe`].
    pub spe: T,
}

impl<T: Real> Threshold<T> {
    /// Nothing calibrated yet: zero.
    pub const EMPTY: Self = Self::new(T::ZERO);

    /// A threshold that was calibrated earlier, or set by hand.
    pub const fn new(spe: T) -> Self {
        Self { spe }
    }

    /// Twice as high.
    pub(in crate::detect) fn doubled(self) -> Self {
        Self::new(self.spe + self.spe)
    }

    /// The same number as `f64`, exactly.
    pub(in crate::detect) fn to_f64(self) -> Threshold<f64> {
        Threshold::new(self.spe.to_f64())
    }

    /// Compares a score with the threshold.
    pub fn judge(&self, score: Score<T>) -> Verdict<T> {
        // A threshold that is not a number was never calibrated: better an alarm too many.
        let unusual = score.spe.partial_cmp(&self.spe).is_none_or(Ordering::is_gt);
        Verdict { score, unusual }
    }
}

/// The score of one reading and what the threshold says of it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Verdict<T> {
    /// The scores.
    pub score: Score<T>,
    /// SPE exceeds its threshold.
    pub unusual: bool,
}
