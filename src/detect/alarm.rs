//! From single readings to an alarm: warm-up, smoothing, hysteresis, latch and acknowledge.
//!
//! One reading above the threshold is *unusual*, and not yet an *alarm*: thresholds are set so that
//! a few percent of the normal readings exceed them. (A rate of [false
//! alarms](crate::detect::FalseAlarms) therefore speaks of unusual readings; an alarm is raised
//! less often, as the [report](crate::detect::LearnReport::alarms) of learning shows.) An [`Alarm`]
//! looks at scores as they come, by a [rule](AlarmRule) that says when it is *up* and when it is
//! *over*:
//!
//! | rule | up | over |
//! |---|---|---|
//! | [`Smoothed`](AlarmRule::Smoothed), the default | `E > threshold` | `E < end %` of it |
//! | [`Count`](AlarmRule::Count) | `raise` or more of the last `window` readings are unusual | at most `clear` of them are |
//!
//! with `E ← E + (SPE − E)/2^shift`, which starts at the mean score of usual readings that is
//! [stored](crate::detect::Threshold::usual) beside the threshold. From that:
//!
//! | state | reading: up | reading: over | other reading | [`acknowledge`](Alarm::acknowledge) | [`gap`](Alarm::gap) |
//! |---|---|---|---|---|---|
//! | [`WarmUp`](AlarmState::WarmUp) | – | – | `Normal` once `warm_up` readings were seen | – | – |
//! | [`Normal`](AlarmState::Normal) | `Raised` | – | – | – | – |
//! | [`Raised`](AlarmState::Raised) | – | `Latched` with `latch`, else `Normal` | – | `Acknowledged` | as if over |
//! | [`Acknowledged`](AlarmState::Acknowledged) | – | `Normal` | – | – | as if over |
//! | [`Latched`](AlarmState::Latched) | `Raised` | – | – | `Normal` | – |
//!
//! A dash means that the state stays. Furthermore:
//!
//! - Readings during warm-up are counted but not judged: they are no part of the last `window`, and
//!   `E` does not follow them, since warm-up is for scores that mean nothing yet.
//! - Readings that were not made yet count as usual ones, so `raise` unusual readings in a row
//!   always raise the alarm.
//! - [`missing`](Alarm::missing), for a reading that could not be scored, changes no state and
//!   counts neither way. A score that is not finite, which no detector gives, is taken as missing.
//! - [`gap`](Alarm::gap), between two recordings or after a standstill, forgets the readings: `E`
//!   and the last `window` start afresh, and what was up is over. What somebody has to acknowledge
//!   stays. There is no new warm-up.
//! - [`reset`](Alarm::reset) leads from every state to the first one: `WarmUp`, or `Normal` if
//!   `warm_up` is 0.
//! - [`save`](Alarm::save) and [`restore`](Alarm::restore) carry all of it over a reset of the
//!   device, in 24 bytes.
//!
//! The states but for the warm-up are those of alarm management standards (ISA-18.2, IEC 62682);
//! `Latched` is their "returned to normal, unacknowledged".

mod config;
mod save;
mod smooth;

pub use config::{AlarmConfig, AlarmRule};
pub use save::SAVED_SIZE;
pub use smooth::Smooth;

use config::LONGEST_WINDOW;

use crate::detect::threshold::{Judged, Threshold};
use crate::error::Error;

/// What an [`Alarm`] says; the [module](self) has the table of transitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum AlarmState {
    /// Too early to judge.
    WarmUp,
    /// Nothing to report.
    Normal,
    /// The readings are not as usual, and nobody has acknowledged it.
    Raised,
    /// The readings are not as usual, and somebody knows.
    Acknowledged,
    /// It is over, but nobody has acknowledged that it was there.
    Latched,
}

impl AlarmState {
    /// Is something wrong at present?
    pub const fn is_active(self) -> bool {
        matches!(self, Self::Raised | Self::Acknowledged)
    }

    /// Is there something that nobody has acknowledged? What a lamp or a siren should show.
    pub const fn is_unacknowledged(self) -> bool {
        matches!(self, Self::Raised | Self::Latched)
    }

    /// The state after a reading that says so: the table's columns for readings.
    const fn after(self, up: bool, over: bool, latch: bool) -> Self {
        match self {
            Self::Normal | Self::Latched if up => Self::Raised,
            Self::Raised if over && latch => Self::Latched,
            Self::Raised | Self::Acknowledged if over => Self::Normal,
            other => other,
        }
    }
}

/// A small state machine between the judgement of single readings and what a user is told.
///
/// It takes the verdicts of a detector in `f32` or `f64`, or those of a
/// [quantised](crate::QuantisedDetector::judge) one, where `T` is `u64` and nothing is computed in
/// floating point.
///
/// ```
/// use mercer::{Alarm, AlarmConfig, AlarmState};
/// # use mercer::{Learner, Recipe};
/// # use mercer::kernel::Rbf;
/// # let mut learner = Learner::<Rbf<f32>, [f32; 2], 64, 16, 8>::new();
/// # for t in 0..64 {
/// #     let load = (t as f32 * 0.7).sin();
/// #     learner.push(&[20.0 + 3.0 * load, 5.0 + load + 0.1 * (t as f32).cos()])?;
/// # }
/// # learner.learn(Rbf::for_inputs(2), Recipe::default())?;
/// # let detector = learner.detector()?;
/// let mut alarm = Alarm::new(AlarmConfig::DEFAULT)?;
/// for reading in [[20.0, 5.0], [f32::NAN, 5.0], [17.5, 6.0], [17.5, 6.0]] {
///     let state = match detector.score(&reading) {
///         Ok(verdict) => alarm.update(&verdict),
///         Err(_) => alarm.missing(),
///     };
///     if state.is_unacknowledged() { /* blink */ }
/// }
/// assert_eq!(alarm.state(), AlarmState::Raised);
/// assert_eq!(alarm.acknowledge(), AlarmState::Acknowledged);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Alarm<T> {
    config: AlarmConfig,
    state: AlarmState,
    /// Readings that warm-up still takes.
    warming: u16,
    /// Missing readings since the last one that was not.
    absent: u16,
    /// Of the rule that counts: the last readings, the newest in the lowest bit; 1 is unusual.
    history: u32,
    /// Of the rule that smooths: `E`, once there was a reading.
    smoothed: Option<T>,
}

impl<T: Smooth> Alarm<T> {
    /// An alarm before its first reading.
    ///
    /// # Errors
    /// As [`AlarmConfig::validate`].
    pub const fn new(config: AlarmConfig) -> Result<Self, Error> {
        match config.validate() {
            Ok(()) => Ok(Self::start(config)),
            Err(error) => Err(error),
        }
    }

    /// The same with numbers that are known to make sense.
    pub(crate) const fn start(config: AlarmConfig) -> Self {
        let state = if config.warm_up > 0 { AlarmState::WarmUp } else { AlarmState::Normal };
        Self { config, state, warming: config.warm_up, absent: 0, history: 0, smoothed: None }
    }

    /// Takes a reading that was judged. Returns the state after it.
    pub fn update(&mut self, reading: &impl Judged<Number = T>) -> AlarmState {
        self.take(reading.spe(), &reading.threshold(), reading.is_unusual())
    }

    /// Takes a score with what it was compared with, and the outcome.
    pub(in crate::detect) fn take(
        &mut self,
        spe: T,
        threshold: &Threshold<T>,
        unusual: bool,
    ) -> AlarmState {
        if !spe.is_finite() {
            return self.missing();
        }
        self.absent = 0;
        if self.warming > 0 {
            self.warming -= 1;
            if self.warming == 0 {
                self.state = AlarmState::Normal;
            }
        } else {
            let (up, over) = match self.config.rule {
                AlarmRule::Smoothed { shift, end } => self.smooth(spe, threshold, shift, end),
                AlarmRule::Count { window, raise, clear } => {
                    self.count(unusual, window, raise, clear)
                }
            };
            self.state = self.state.after(up, over, self.config.latch);
        }
        self.state
    }

    /// Lets `E` follow a score: is it up, is it over?
    fn smooth(&mut self, spe: T, threshold: &Threshold<T>, shift: u8, end: u8) -> (bool, bool) {
        let before = match self.smoothed {
            Some(smoothed) => smoothed,
            None => T::begin(threshold, shift),
        };
        let smoothed = before.follow(spe, shift);
        self.smoothed = Some(smoothed);
        (smoothed.exceeds(threshold.spe, shift), smoothed.is_below(end, threshold.spe, shift))
    }

    /// Adds a reading to the last ones: is it up, is it over?
    const fn count(&mut self, unusual: bool, window: u8, raise: u8, clear: u8) -> (bool, bool) {
        self.history = ((self.history << 1) | unusual as u32) & window_bits(window);
        let count = self.history.count_ones();
        (count >= raise as u32, count <= clear as u32)
    }

    /// Takes note of a reading that could not be made or scored. Returns the state, which stays as
    /// it is.
    ///
    /// A broken sensor is therefore no alarm of this kind: see [`absent`](Self::absent).
    pub const fn missing(&mut self) -> AlarmState {
        self.absent = self.absent.saturating_add(1);
        self.state
    }

    /// Takes note that the readings to come do not go on where the last one was: a new recording, a
    /// standstill, a sensor that was off. The readings before are forgotten, and an alarm that is
    /// up is over. Returns the state after it.
    pub const fn gap(&mut self) -> AlarmState {
        self.absent = 0;
        self.history = 0;
        self.smoothed = None;
        self.state = self.state.after(false, true, self.config.latch);
        self.state
    }

    /// Somebody has seen the alarm. Returns the state after it.
    pub const fn acknowledge(&mut self) -> AlarmState {
        self.state = match self.state {
            AlarmState::Raised => AlarmState::Acknowledged,
            AlarmState::Latched => AlarmState::Normal,
            other => other,
        };
        self.state
    }

    /// Forgets everything and starts with the warm-up again, e.g. with a new model. Returns the
    /// state after it.
    pub const fn reset(&mut self) -> AlarmState {
        *self = Self::start(self.config);
        self.state
    }

    /// The state after the last call.
    pub const fn state(&self) -> AlarmState {
        self.state
    }

    /// When it is raised and when it ends.
    pub const fn config(&self) -> &AlarmConfig {
        &self.config
    }

    /// The smoothed score, which is compared with the threshold: none before the first reading that
    /// is judged, and with a rule that counts.
    pub fn smoothed(&self) -> Option<T> {
        match self.config.rule {
            AlarmRule::Smoothed { shift, .. } => self.smoothed.map(|e| e.as_score(shift)),
            AlarmRule::Count { .. } => None,
        }
    }

    /// How many of the last `window` readings were unusual; 0 with a rule that does not count.
    pub const fn unusual(&self) -> u32 {
        self.history.count_ones()
    }

    /// How many readings in a row were [missing](Self::missing), up to 65535; a firmware decides
    /// how many mean a fault, and how many a [gap](Self::gap).
    pub const fn absent(&self) -> u16 {
        self.absent
    }
}

/// The bits of a history that count.
const fn window_bits(window: u8) -> u32 {
    u32::MAX.wrapping_shr((LONGEST_WINDOW - window) as u32)
}
