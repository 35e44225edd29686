//! What scores are compared with.

use core::cmp::Ordering;

use crate::kpca::Score;
use crate::math::Real;

/// Which scores can raise an alarm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Watch {
    /// What the components cannot explain: the default, and the best single score on real data.
    #[default]
    Spe,
    /// How far along the components.
    T2,
    /// Either of them.
    Both,
}

impl Watch {
    /// Does SPE count?
    pub const fn watches_spe(self) -> bool {
        matches!(self, Self::Spe | Self::Both)
    }

    /// Does T² count?
    pub const fn watches_t2(self) -> bool {
        matches!(self, Self::T2 | Self::Both)
    }
}

/// Scores above these are anomalous.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Thresholds<T> {
    /// Largest usual [`Score::spe`].
    pub spe: T,
    /// Largest usual [`Score::t2`].
    pub t2: T,
    /// Which of them count.
    pub watch: Watch,
}

impl<T: Real> Thresholds<T> {
    /// Nothing calibrated yet; all zeros.
    pub const EMPTY: Self = Self { spe: T::ZERO, t2: T::ZERO, watch: Watch::Spe };

    /// Thresholds that were calibrated earlier, or set by hand.
    pub const fn new(spe: T, t2: T, watch: Watch) -> Self {
        Self { spe, t2, watch }
    }

    /// Twice as high.
    pub(in crate::detect) fn doubled(self) -> Self {
        Self { spe: self.spe + self.spe, t2: self.t2 + self.t2, ..self }
    }

    /// The same numbers as `f64`, exactly.
    pub(in crate::detect) fn to_f64(self) -> Thresholds<f64> {
        Thresholds::new(self.spe.to_f64(), self.t2.to_f64(), self.watch)
    }

    /// Compares a score with the thresholds.
    pub fn judge(&self, score: Score<T>) -> Verdict<T> {
        // A threshold that is not a number was never calibrated: better an alarm too many.
        let exceeds =
            |score: T, threshold: T| score.partial_cmp(&threshold).is_none_or(Ordering::is_gt);
        let (spe, t2) = (exceeds(score.spe, self.spe), exceeds(score.t2, self.t2));
        let anomalous = (spe && self.watch.watches_spe()) || (t2 && self.watch.watches_t2());
        Verdict { score, anomalous }
    }
}

/// The score of one reading and what the thresholds say of it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Verdict<T> {
    /// The scores.
    pub score: Score<T>,
    /// A score that is watched exceeds its threshold.
    pub anomalous: bool,
}
