//! From single readings to an alarm: warm-up, debounce, hysteresis, latch and acknowledge.
//!
//! One reading over a threshold is not yet an alarm: thresholds are set so that a few percent of
//! the usual readings exceed them. [`Alarm`] looks at the last `window` readings. With `a` of them
//! unusual:
//!
//! | state | reading: `a ≥ raise` | reading: `a ≤ clear` | other reading | [`acknowledge`](Alarm::acknowledge) |
//! |---|---|---|---|---|
//! | [`WarmUp`](AlarmState::WarmUp) | – | – | `Normal` once `warm_up` readings were seen | – |
//! | [`Normal`](AlarmState::Normal) | `Raised` | – | – | – |
//! | [`Raised`](AlarmState::Raised) | – | `Latched` with `latch`, else `Normal` | – | `Acknowledged` |
//! | [`Acknowledged`](AlarmState::Acknowledged) | – | `Normal` | – | – |
//! | [`Latched`](AlarmState::Latched) | `Raised` | – | – | `Normal` |
//!
//! A dash means that the state stays. Furthermore:
//!
//! - Readings during warm-up are counted but not judged, and are no part of the last `window`.
//! - Readings that were not made yet count as usual ones, so `raise` unusual readings in a row
//!   always raise the alarm.
//! - [`missing`](Alarm::missing), for a reading that could not be scored, changes no state and
//!   counts neither way.
//! - [`reset`](Alarm::reset) leads from every state to the first one: `WarmUp`, or `Normal` if
//!   `warm_up` is 0.
//!
//! The states but for the warm-up are those of alarm management standards (ISA-18.2, IEC 62682);
//! `Latched` is their "returned to normal, unacknowledged".

use crate::error::Error;

/// When an alarm is raised and when it ends.
///
/// It can be written as a constant, and a wrong one can be made a compile error:
///
/// ```
/// use mercer::AlarmConfig;
/// /// Six of the last eight readings, and somebody has to look.
/// const CONFIG: AlarmConfig = AlarmConfig::DEFAULT.window(8).raise(6).latch(true);
/// const _: () = assert!(CONFIG.validate().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct AlarmConfig {
    /// How many readings after a start are not judged, while filters settle.
    pub warm_up: u16,
    /// How many of the last readings count (`n`): 1 to 32.
    pub window: u8,
    /// The alarm is raised when at least so many of them are unusual (`m` of `n`): 1 to `window`.
    pub raise: u8,
    /// It ends when at most so many of them are: less than `raise`.
    pub clear: u8,
    /// It does not end by itself before it was acknowledged.
    pub latch: bool,
}

/// Bits of the history.
const LONGEST_WINDOW: u8 = 32;

impl AlarmConfig {
    /// No warm-up; raised at 3 of the last 5 readings, ended at 1 of 5; no latch.
    ///
    /// If 5 % of the usual readings exceed the threshold, independently, 3 of 5 do so once in 860
    /// readings.
    pub const DEFAULT: Self = Self { warm_up: 0, window: 5, raise: 3, clear: 1, latch: false };

    /// Sets how many readings after a start are not judged. See [`warm_up`](field@Self::warm_up).
    #[must_use]
    pub const fn warm_up(self, warm_up: u16) -> Self {
        Self { warm_up, ..self }
    }

    /// Sets how many of the last readings count. See [`window`](field@Self::window).
    #[must_use]
    pub const fn window(self, window: u8) -> Self {
        Self { window, ..self }
    }

    /// Sets how many of them raise the alarm. See [`raise`](field@Self::raise).
    #[must_use]
    pub const fn raise(self, raise: u8) -> Self {
        Self { raise, ..self }
    }

    /// Sets how many of them, at most, end it. See [`clear`](field@Self::clear).
    #[must_use]
    pub const fn clear(self, clear: u8) -> Self {
        Self { clear, ..self }
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
        let (name, rule) = if self.window == 0 || self.window > LONGEST_WINDOW {
            ("window", "1 to 32")
        } else if self.raise == 0 || self.raise > self.window {
            ("raise", "1 to window")
        } else if self.clear >= self.raise {
            ("clear", "< raise")
        } else {
            return Ok(());
        };
        Err(Error::Parameter { name, rule })
    }
}

impl Default for AlarmConfig {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// What an [`Alarm`] says; the [module](self) has the table of transitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum AlarmState {
    /// Too early to judge.
    WarmUp,
    /// Nothing to report.
    Normal,
    /// Too many unusual readings, and nobody has acknowledged it.
    Raised,
    /// Too many unusual readings, and somebody knows.
    Acknowledged,
    /// It is over, but nobody has acknowledged that it was there.
    Latched,
}

impl AlarmState {
    /// Are there too many unusual readings at present?
    pub const fn is_active(self) -> bool {
        matches!(self, Self::Raised | Self::Acknowledged)
    }

    /// Is there something that nobody has acknowledged? What a lamp or a siren should show.
    pub const fn is_unacknowledged(self) -> bool {
        matches!(self, Self::Raised | Self::Latched)
    }
}

/// A small state machine between the judgement of single readings and what a user is told.
///
/// ```
/// use mercer::{Alarm, AlarmConfig, AlarmState};
/// let mut alarm = Alarm::new(AlarmConfig::DEFAULT)?; // 3 of 5
/// # let readings = [Ok(false), Ok(true), Ok(true), Err(()), Ok(true)];
/// for reading in readings {
///     // E.g. `detector.score(&x).map(|reading| reading.unusual)`.
///     let state = match reading {
///         Ok(unusual) => alarm.update(unusual),
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
pub struct Alarm {
    config: AlarmConfig,
    state: AlarmState,
    /// Readings that warm-up still takes.
    warming: u16,
    /// Missing readings since the last one that was not.
    absent: u16,
    /// The last readings, the newest in the lowest bit; 1 is unusual.
    history: u32,
}

impl Alarm {
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

    const fn start(config: AlarmConfig) -> Self {
        let state = if config.warm_up > 0 { AlarmState::WarmUp } else { AlarmState::Normal };
        Self { config, state, warming: config.warm_up, absent: 0, history: 0 }
    }

    /// Takes a reading: is it [unusual](crate::Verdict::unusual)? Returns the state after it.
    pub const fn update(&mut self, unusual: bool) -> AlarmState {
        self.absent = 0;
        if self.warming > 0 {
            self.warming -= 1;
            if self.warming == 0 {
                self.state = AlarmState::Normal;
            }
        } else {
            self.history = ((self.history << 1) | unusual as u32) & self.window();
            self.state = self.judge();
        }
        self.state
    }

    /// Takes note of a reading that could not be made or scored. Returns the state, which stays as
    /// it is.
    ///
    /// A broken sensor is therefore no alarm of this kind: see [`absent`](Self::absent).
    pub const fn missing(&mut self) -> AlarmState {
        self.absent = self.absent.saturating_add(1);
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

    /// Forgets all readings and starts with the warm-up again, e.g. with a new model. Returns the
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

    /// How many of the last `window` readings were unusual.
    pub const fn unusual(&self) -> u32 {
        self.history.count_ones()
    }

    /// How many readings in a row were [missing](Self::missing), up to 65535; a firmware decides
    /// how many mean a fault.
    pub const fn absent(&self) -> u16 {
        self.absent
    }

    /// The bits of the history that count.
    const fn window(&self) -> u32 {
        u32::MAX.wrapping_shr((LONGEST_WINDOW - self.config.window) as u32)
    }

    /// The state that follows from the history: the table's columns for readings.
    const fn judge(&self) -> AlarmState {
        let raise = self.unusual() >= self.config.raise as u32;
        let clear = self.unusual() <= self.config.clear as u32;
        match self.state {
            AlarmState::Normal | AlarmState::Latched if raise => AlarmState::Raised,
            AlarmState::Raised if clear && self.config.latch => AlarmState::Latched,
            AlarmState::Raised | AlarmState::Acknowledged if clear => AlarmState::Normal,
            other => other,
        }
    }
}
