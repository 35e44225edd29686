//! The choices that learning makes.

use crate::detect::calibrate::FalseAlarms;
use crate::detect::folds::FoldOrder;
use crate::detect::logs::Logs;
use crate::error::{Error, require_capacity};
use crate::kpca::{Components, Landmarks};
use crate::math::Real;

/// Every choice that learning makes: scaling, points, components, folds, false alarms, trimming.
///
/// The default suits most readings. It is the one that the tables of `docs/EVALUATION.md` call
/// `8m`, except that the kernel, and so its `γ`, is the caller's
/// ([`Rbf::for_inputs`](crate::kernel::Rbf::for_inputs)).
///
/// ```
/// use mercer::Recipe;
/// use mercer::detect::FalseAlarms;
/// const CAUTIOUS: Recipe<f32> =
///     Recipe::<f32>::DEFAULT.trim(0.02).false_alarms(FalseAlarms::Share(0.01));
/// assert_eq!(CAUTIOUS.folds, 4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Recipe<T> {
    /// Whether a [`Learner`](crate::Learner) standardises the inputs, with its first fit. Default:
    /// yes. (Who calls [`Learning`](super::Learning) scales samples itself.)
    pub standardise: bool,
    /// Which inputs are [logarithmic](crate::detect::logs): their logarithm is what is
    /// standardised. It takes a [`LogScaling`](crate::detect::LogScaling), whose default is the
    /// automatic rule. Default: what the scaling is for.
    pub logs: Logs,
    /// How many points the model may have. Default: as many as there is room for.
    pub landmarks: Landmarks<T>,
    /// How many components it keeps. Default: 99 % of the variance.
    pub components: Components<T>,
    /// How many folds the samples are dealt into, at least 2. Default: 4.
    pub folds: usize,
    /// How they are dealt. Default: in blocks, for readings that follow each other in time. Either
    /// way their order is taken as that of time, and learning says if neighbours are alike.
    pub order: FoldOrder,
    /// How many false alarms are wished for. Default: 5 % of normal readings are unusual. What the
    /// samples support is in the [report](super::LearnReport::false_alarms).
    pub false_alarms: FalseAlarms<T>,
    /// Which share of the samples, those that score worst, to leave out: field data are never
    /// clean. The threshold is taken from those that remain: if more is trimmed than is bad, normal
    /// readings like the trimmed ones raise false alarms, up to this share on top of the wish.
    /// Default: 0.
    pub trim: T,
}

impl<T: Real> Default for Recipe<T> {
    fn default() -> Self {
        Self::with(T::from_f64(SHARE), T::from_f64(ALPHA))
    }
}

/// The default share of the variance, and of false alarms.
const SHARE: f64 = 0.99;
const ALPHA: f64 = 0.05;

impl Recipe<f32> {
    /// The default, as a constant.
    pub const DEFAULT: Self = Self::with(SHARE as f32, ALPHA as f32);
}

impl Recipe<f64> {
    /// The default, as a constant.
    pub const DEFAULT: Self = Self::with(SHARE, ALPHA);
}

impl<T: Real> Recipe<T> {
    const fn with(share: T, alpha: T) -> Self {
        Self {
            standardise: true,
            logs: Logs::Usual,
            landmarks: Landmarks::Room,
            components: Components::Share(share),
            folds: 4,
            order: FoldOrder::Contiguous,
            false_alarms: FalseAlarms::Share(alpha),
            trim: T::ZERO,
        }
    }

    /// Sets whether inputs are standardised. See [`standardise`](field@Self::standardise).
    #[must_use]
    pub const fn standardise(self, standardise: bool) -> Self {
        Self { standardise, ..self }
    }

    /// Sets which inputs are logarithmic. See [`logs`](field@Self::logs).
    #[must_use]
    pub const fn logs(self, logs: Logs) -> Self {
        Self { logs, ..self }
    }

    /// Sets how many points the model may have. See [`landmarks`](field@Self::landmarks).
    #[must_use]
    pub const fn landmarks(self, landmarks: Landmarks<T>) -> Self {
        Self { landmarks, ..self }
    }

    /// Sets how many components it keeps. See [`components`](field@Self::components).
    #[must_use]
    pub const fn components(self, components: Components<T>) -> Self {
        Self { components, ..self }
    }

    /// Sets how many folds the samples are dealt into. See [`folds`](field@Self::folds).
    #[must_use]
    pub const fn folds(self, folds: usize) -> Self {
        Self { folds, ..self }
    }

    /// Sets how they are dealt. See [`order`](field@Self::order).
    #[must_use]
    pub const fn order(self, order: FoldOrder) -> Self {
        Self { order, ..self }
    }

    /// Sets how many false alarms are tolerable. See [`false_alarms`](field@Self::false_alarms).
    #[must_use]
    pub const fn false_alarms(self, false_alarms: FalseAlarms<T>) -> Self {
        Self { false_alarms, ..self }
    }

    /// Sets which share of the samples to leave out. See [`trim`](field@Self::trim).
    #[must_use]
    pub const fn trim(self, trim: T) -> Self {
        Self { trim, ..self }
    }

    /// How many of `n` samples are [trimmed](Self::trim): the whole part of that share.
    pub fn trimmed(&self, n: usize) -> usize {
        // A product that is whole but for rounding counts as whole.
        let exact = self.trim * T::from_usize(n) * (T::ONE + T::from_f64(4.0) * T::EPSILON);
        (1..=n).take_while(|&count| T::from_usize(count) <= exact).count()
    }

    /// Are there two samples for each fold, and not more of them than can be numbered?
    pub(super) fn require_samples(&self, given: usize) -> Result<(), Error> {
        let needed = self.folds.saturating_mul(2);
        if given < needed {
            return Err(Error::TooFewSamples { given, needed });
        }
        require_capacity("samples", given, u32::MAX as usize)
    }

    /// Are its values in their domain? (Landmarks and components are checked by the fit.)
    pub(super) fn validate(&self) -> Result<(), Error> {
        self.false_alarms.share()?;
        if !self.standardise && self.logs != Logs::Auto {
            self.logs.require_none("none where inputs are not standardised")?;
        }
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
