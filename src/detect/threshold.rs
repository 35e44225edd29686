//! What scores are compared with.

use core::cmp::Ordering;

use crate::error::Error;
use crate::kpca::Score;
use crate::math::Real;

/// Where unusual readings begin, and what usual ones score.
///
/// A reading with an SPE above the threshold is *unusual*; whether there is an *alarm* is for an
/// [`Alarm`](crate::Alarm) to say, which looks at more than one reading.
///
/// SPE alone is compared. [T²](Score::t2) is a score to look at: it falls again far from all
/// samples, and no rule was found by which a threshold for it keeps its rate of false alarms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Threshold<T> {
    /// Largest usual [`Score::spe`].
    pub spe: T,
    /// The mean SPE of usual readings, by models that had not seen them: where a smoothed
    /// [`Alarm`](crate::Alarm) starts. 0 if it is not known.
    ///
    /// It may be above the threshold, if that was set by hand or
    /// [had to be lowered](crate::detect::Warning::ThresholdLowered); alarms then start at the
    /// threshold.
    pub usual: T,
}

impl<T: Real> Threshold<T> {
    /// Nothing calibrated yet: zeros.
    pub const EMPTY: Self = Self::new(T::ZERO);

    /// A threshold that was set by hand. Nothing is known of what usual readings score: a smoothed
    /// alarm starts at 0, and takes a reading or two longer for a fault that is there from the
    /// start.
    pub const fn new(spe: T) -> Self {
        Self { spe, usual: T::ZERO }
    }

    /// The same with what usual readings score on average.
    ///
    /// ```
    /// use mercer::detect::Threshold;
    /// /// As it was calibrated earlier.
    /// const PUMP: Threshold<f32> = Threshold::new(0.3).with_usual(0.11);
    /// // A service engineer moves it, and what is usual stays what it was.
    /// let moved = Threshold::new(0.4).with_usual(PUMP.usual);
    /// assert_eq!((moved.spe, moved.usual), (0.4, 0.11));
    /// ```
    #[must_use]
    pub const fn with_usual(self, usual: T) -> Self {
        Self { usual, ..self }
    }

    /// Twice as high.
    pub(in crate::detect) fn doubled(self) -> Self {
        Self { spe: self.spe + self.spe, ..self }
    }

    /// The same numbers as `f64`, exactly.
    pub(in crate::detect) fn to_f64(self) -> Threshold<f64> {
        Threshold::new(self.spe.to_f64()).with_usual(self.usual.to_f64())
    }

    /// Compares a score with the threshold.
    pub fn judge(&self, score: Score<T>) -> Verdict<T> {
        // A threshold that is not a number was never calibrated: better an alarm too many.
        let unusual = score.spe.partial_cmp(&self.spe).is_none_or(Ordering::is_gt);
        Verdict { score, threshold: *self, unusual }
    }
}

impl Threshold<f64> {
    /// Are these numbers that scores can be compared with? Scores are not negative, unless the
    /// kernel is indefinite.
    ///
    /// # Errors
    /// [`Error::Parameter`] names `spe` or `usual`.
    pub(in crate::detect) const fn validate(&self, indefinite: bool) -> Result<(), Error> {
        if !self.spe.is_finite() {
            return Err(Error::Parameter { name: "spe", rule: "finite" });
        }
        if !self.usual.is_finite() {
            return Err(Error::Parameter { name: "usual", rule: "finite" });
        }
        if self.usual < 0.0 && !indefinite {
            return Err(Error::Parameter { name: "usual", rule: ">= 0" });
        }
        Ok(())
    }
}

/// The score of one reading, what it was compared with, and the outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Verdict<T> {
    /// The scores.
    pub score: Score<T>,
    /// What SPE was compared with.
    pub threshold: Threshold<T>,
    /// SPE exceeds its threshold.
    pub unusual: bool,
}

/// A reading that was judged, as an [`Alarm`](crate::Alarm) takes it: a [`Verdict`], or a
/// [`WholeVerdict`](crate::detect::quantised::WholeVerdict) of a quantised detector.
pub trait Judged: sealed::Sealed {
    /// What its score is smoothed in.
    type Number;

    /// The SPE.
    fn spe(&self) -> Self::Number;
    /// What it was compared with.
    fn threshold(&self) -> Threshold<Self::Number>;
    /// SPE exceeds its threshold.
    fn is_unusual(&self) -> bool;
}

/// An alarm counts on scores that are whole numbers being those of 32 bits.
pub(in crate::detect) mod sealed {
    pub trait Sealed {}
}

impl<T: Real> sealed::Sealed for Verdict<T> {}

impl<T: Real> Judged for Verdict<T> {
    type Number = T;

    fn spe(&self) -> T {
        self.score.spe
    }
    fn threshold(&self) -> Threshold<T> {
        self.threshold
    }
    fn is_unusual(&self) -> bool {
        self.unusual
    }
}
