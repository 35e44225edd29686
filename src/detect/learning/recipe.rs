//! The choices that learning makes.

use crate::detect::Watch;
use crate::detect::calibrate::{FalseAlarms, FoldOrder};
use crate::error::Error;
use crate::kpca::{Components, Landmarks};
use crate::math::Real;

/// Every choice that learning makes; the default is the recipe `8m` of `docs/EVALUATION.md` with `γ` left to the caller.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Recipe<T> {
    /// Whether a [`Learner`](crate::Learner) standardises the inputs, with its first fit. Default: yes. (Who calls
    /// [`Learning`](super::Learning) scales samples itself.)
    pub standardise: bool,
    /// How many points the model may have. Default: as many as there is room for.
    pub landmarks: Landmarks<T>,
    /// How many components it keeps. Default: 99 % of the variance.
    pub components: Components<T>,
    /// How many folds the samples are dealt into, at least 2. Default: 4.
    pub folds: usize,
    /// How they are dealt. Default: in blocks, for readings that follow each other in time.
    pub order: FoldOrder,
    /// How many false alarms are tolerable. Default: 5 % of normal readings.
    pub false_alarms: FalseAlarms<T>,
    /// Which scores can raise an alarm. Default: SPE. With both, each gets half of the false alarms.
    pub watch: Watch,
    /// Which share of the samples, those that score worst, to leave out: field data are never clean. Thresholds are taken from
    /// those that remain: if more is trimmed than is bad, normal readings like the trimmed ones raise false alarms, up to this
    /// share on top of the wish. Default: 0.
    pub trim: T,
}

impl<T: Real> Default for Recipe<T> {
    fn default() -> Self {
        Self {
            standardise: true,
            landmarks: Landmarks::Room,
            components: Components::Share(T::from_f64(0.99)),
            folds: 4,
            order: FoldOrder::Contiguous,
            false_alarms: FalseAlarms::Share(T::from_f64(0.05)),
            watch: Watch::Spe,
            trim: T::ZERO,
        }
    }
}

impl<T: Real> Recipe<T> {
    /// How many of `n` samples are [trimmed](Self::trim): the whole part of that share.
    pub fn trimmed(&self, n: usize) -> usize {
        // A product that is whole but for rounding counts as whole.
        let exact = self.trim * T::from_usize(n) * (T::ONE + T::from_f64(4.0) * T::EPSILON);
        (1..=n).take_while(|&count| T::from_usize(count) <= exact).count()
    }

    /// Are its values in their domain? (Landmarks and components are checked by the fit.)
    pub(super) fn validate(&self) -> Result<(), Error> {
        self.false_alarms.share()?;
        if self.folds < 2 {
            return Err(Error::Parameter { name: "folds", rule: ">= 2" });
        }
        if self.trim >= T::ZERO && self.trim <= T::from_f64(0.5) {
            Ok(())
        } else {
            Err(Error::Parameter { name: "trim", rule: "a share >= 0 and <= 0.5" })
        }
    }
}
