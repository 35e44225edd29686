//! When an alarm is raised and when it ends.

use super::smooth::Smooth;
use crate::detect::threshold::Threshold;
use crate::error::Error;

/// What raises an alarm, and what ends it.
///
/// | | [`Smoothed`](Self::Smoothed), the default | [`Count`](Self::Count) |
/// |---|---|---|
/// | looks at | scores | only at whether readings are [unusual](crate::Verdict::unusual) |
/// | raised by | a score far above the threshold within a reading or two; one just above it, if it lasts | `raise` of the last `window` readings, however far above |
/// | not raised by | readings that are unusual now and then | the same, if they keep their distance |
///
/// `docs/EVALUATION.md` compares the two on real faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum AlarmRule {
    /// By a smoothed score `E ← E + (SPE − E)/2^shift`, which starts at what is
    /// [usual](crate::detect::Threshold::usual): raised when it is above the threshold, ended when
    /// it is below `end` percent of that.
    ///
    /// After scores of `f` thresholds it takes some `2^shift · ln(f)` usual readings to end. A
    /// Gaussian kernel's are bounded, but with a kernel whose scores grow without bound (linear,
    /// polynomial, spectrum) that can be long: count there, if that matters.
    Smoothed {
        /// How slowly `E` follows the scores, 0 to 8: it has made half of the way after about
        /// `0.7·2^shift` readings. 0 is not at all smoothed. 2 to 4 behave alike on real data.
        shift: u8,
        /// The end, in percent of the threshold: 1 to 100, where 100 is no hysteresis. Below what
        /// is usual, the alarm does not end by itself.
        end: u8,
    },
    /// By the number of unusual readings among the last ones.
    Count {
        /// How many of the last readings count (`n`): 1 to 32.
        window: u8,
        /// The alarm is raised when at least so many of them are unusual (`m` of `n`): 1 to
        /// `window`.
        raise: u8,
        /// It ends when at most so many of them are: less than `raise`.
        clear: u8,
    },
}

/// The largest [`shift`](AlarmRule::Smoothed::shift).
const LARGEST_SHIFT: u8 = 8;
/// Bits of the history.
pub(super) const LONGEST_WINDOW: u8 = 32;

impl AlarmRule {
    /// The default: an eighth of each score, ended below 80 % of the threshold.
    pub const SMOOTHED: Self = Self::Smoothed { shift: 3, end: 80 };

    /// Raised at 3 of the last 5 readings, ended at 1 of 5.
    ///
    /// If 5 % of the usual readings are unusual, independently, 3 of 5 are so once in 860 readings.
    pub const THREE_OF_FIVE: Self = Self::Count { window: 5, raise: 3, clear: 1 };

    /// Does an alarm end when readings are as usual again? Not by a smoothed score if usual
    /// readings [score](Threshold::usual) more than `end` percent of the threshold; learning
    /// [warns](crate::detect::Warning::AlarmStays) where that is so with the default.
    ///
    /// ```
    /// use mercer::detect::{AlarmRule, Threshold};
    /// let narrow = Threshold::new(0.30).with_usual(0.27);
    /// assert!(!AlarmRule::SMOOTHED.ends_with(&narrow));
    /// assert!(AlarmRule::Smoothed { shift: 3, end: 95 }.ends_with(&narrow));
    /// assert!(AlarmRule::THREE_OF_FIVE.ends_with(&narrow));
    /// ```
    pub fn ends_with<T: Smooth>(&self, threshold: &Threshold<T>) -> bool {
        match *self {
            Self::Smoothed { shift, end } => {
                T::begin(threshold, shift).is_below(end, threshold.spe, shift)
            }
            Self::Count { .. } => true,
        }
    }

    const fn validate(&self) -> Result<(), Error> {
        let (name, rule) = match *self {
            Self::Smoothed { shift, .. } if shift > LARGEST_SHIFT => ("shift", "0 to 8"),
            Self::Smoothed { end, .. } if end == 0 || end > 100 => ("end", "1 to 100"),
            Self::Count { window, .. } if window == 0 || window > LONGEST_WINDOW => {
                ("window", "1 to 32")
            }
            Self::Count { window, raise, .. } if raise == 0 || raise > window => {
                ("raise", "1 to window")
            }
            Self::Count { raise, clear, .. } if clear >= raise => ("clear", "< raise"),
            _ => return Ok(()),
        };
        Err(Error::Parameter { name, rule })
    }
}

/// When an alarm is raised and when it ends.
///
/// It can be written as a constant, and a wrong one can be made a compile error:
///
/// ```
/// use mercer::AlarmConfig;
/// use mercer::detect::AlarmRule;
/// /// Six of the last eight readings, and somebody has to look.
/// const CONFIG: AlarmConfig =
///     AlarmConfig::DEFAULT.rule(AlarmRule::Count { window: 8, raise: 6, clear: 2 }).latch(true);
/// const _: () = assert!(CONFIG.validate().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct AlarmConfig {
    /// What raises and what ends it.
    pub rule: AlarmRule,
    /// How many readings after a start are not judged, while filters settle.
    pub warm_up: u16,
    /// It does not end by itself before it was acknowledged.
    pub latch: bool,
}

impl AlarmConfig {
    /// [By the smoothed score](AlarmRule::SMOOTHED); no warm-up, no latch.
    pub const DEFAULT: Self = Self { rule: AlarmRule::SMOOTHED, warm_up: 0, latch: false };

    /// Sets what raises and what ends it. See [`rule`](field@Self::rule).
    #[must_use]
    pub const fn rule(self, rule: AlarmRule) -> Self {
        Self { rule, ..self }
    }

    /// Sets how many readings after a start are not judged. See [`warm_up`](field@Self::warm_up).
    #[must_use]
    pub const fn warm_up(self, warm_up: u16) -> Self {
        Self { warm_up, ..self }
    }

    /// Sets whether it has to be acknowledged to end. See [`latch`](field@Self::latch).
    #[must_use]
    pub const fn latch(self, latch: bool) -> Self {
        Self { latch, ..self }
    }

    /// Do the numbers make sense together?
    ///
    /// # Errors
    /// [`Error::Parameter`] names the first field that does not.
    pub const fn validate(&self) -> Result<(), Error> {
        self.rule.validate()
    }
}

impl Default for AlarmConfig {
    fn default() -> Self {
        Self::DEFAULT
    }
}
