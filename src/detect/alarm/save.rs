//! An alarm as bytes, for memory that survives a reset.
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 1 | `A0` plus 1 for whole numbers, 4 for `f32`, 8 for `f64` |
//! | 1 | 1 | the state (`WarmUp` 0, `Normal` 1, `Raised` 2, `Acknowledged` 3, `Latched` 4); bit 6: `E` has started; bit 7: `latch` |
//! | 2 | 4 | the rule: 0, `shift`, `end`, 0; or 1, `window`, `raise`, `clear` |
//! | 6 | 2 | `warm_up` |
//! | 8 | 2 | readings that warm-up still takes |
//! | 10 | 2 | missing readings in a row |
//! | 12 | 8 | `E`, as an `f64` or with its `shift` extra bits; or the last readings, the newest in the lowest bit |
//! | 20 | 4 | CRC-32 of all bytes before |
//!
//! Numbers are little-endian.

use super::{Alarm, AlarmConfig, AlarmRule, AlarmState, Smooth, window_bits};
use crate::detect::persist::{Encode, Reader, Writer, checksum};
use crate::error::{Error, FormatFault};

/// How many bytes an alarm takes.
pub const SAVED_SIZE: usize = 24;

/// The first byte, but for the type of the numbers.
const MAGIC: u8 = 0xa0;
const STARTED: u8 = 1 << 6;
const LATCH: u8 = 1 << 7;
const STATES: [AlarmState; 5] = [
    AlarmState::WarmUp,
    AlarmState::Normal,
    AlarmState::Raised,
    AlarmState::Acknowledged,
    AlarmState::Latched,
];

/// Everything but the checksum.
struct Saved {
    magic: u8,
    state: u8,
    rule: [u8; 4],
    warm_up: u16,
    warming: u16,
    absent: u16,
    /// `E` or the history.
    memory: u64,
}

impl<T: Smooth> Alarm<T> {
    /// The alarm as bytes, its configuration included: for memory that survives a reset.
    ///
    /// ```
    /// use mercer::{Alarm, AlarmConfig, Error};
    /// use mercer::detect::alarm::SAVED_SIZE;
    ///
    /// const CONFIG: AlarmConfig = AlarmConfig::DEFAULT.warm_up(10).latch(true);
    ///
    /// /// After a reset: the alarm from before, or a new one where nothing was saved yet.
    /// fn take_up(backup: &[u8; SAVED_SIZE]) -> Result<Alarm<f32>, Error> {
    ///     Alarm::restore(CONFIG, backup).or_else(|_| Alarm::new(CONFIG))
    /// }
    /// let alarm = take_up(&[0xff; SAVED_SIZE])?;
    /// assert_eq!(take_up(&alarm.save())?, alarm);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn save(&self) -> [u8; SAVED_SIZE] {
        let mut bytes = [0; SAVED_SIZE];
        if let Some((body, check)) = bytes.split_last_chunk_mut() {
            let written = self.to_saved().encode(&mut Writer::new(body));
            debug_assert!(written.is_ok(), "there is room");
            *check = checksum(body).to_le_bytes();
        }
        bytes
    }

    /// An alarm as it was [saved](Self::save). It goes on where it was: call [`gap`](Self::gap) if
    /// readings were missed in between.
    ///
    /// # Errors
    /// | error | meaning |
    /// |---|---|
    /// | those of [`new`](Self::new) | the configuration makes no sense |
    /// | [`FormatFault::Checksum`] | bytes were altered, or were never saved |
    /// | [`FormatFault::Magic`] | not a saved alarm |
    /// | [`FormatFault::Scalar`] | an alarm on numbers of another type |
    /// | [`Error::Parameter`] `rule`, `warm_up`, `latch` | saved with another configuration |
    /// | [`FormatFault::Flags`], [`Error::Parameter`] `saved` | not written by this crate: a state that no alarm comes into |
    pub fn restore(config: AlarmConfig, bytes: &[u8; SAVED_SIZE]) -> Result<Self, Error> {
        config.validate()?;
        let faulty = |fault| Error::Format(fault);
        let (body, check) = bytes.split_last_chunk().ok_or(faulty(FormatFault::Checksum))?;
        if checksum(body) != u32::from_le_bytes(*check) {
            return Err(faulty(FormatFault::Checksum));
        }
        let saved = Saved::decode(&mut Reader::new(body))?;
        let (expected, found) = (T::TAG, saved.magic ^ MAGIC);
        if found > 0xf {
            return Err(faulty(FormatFault::Magic));
        }
        if found != expected {
            return Err(faulty(FormatFault::Scalar { expected, found }));
        }
        Self::from_saved(config, &saved)
    }

    fn to_saved(self) -> Saved {
        let (rule, memory) = match self.config.rule {
            AlarmRule::Smoothed { shift, end } => {
                ([0, shift, end, 0], self.smoothed.map_or(0, T::to_bits))
            }
            AlarmRule::Count { window, raise, clear } => {
                ([1, window, raise, clear], self.history.into())
            }
        };
        let state = STATES.iter().position(|&state| state == self.state).unwrap_or_default();
        let flag = |set, flag| if set { flag } else { 0 };
        Saved {
            magic: MAGIC | T::TAG,
            state: state as u8
                | flag(self.smoothed.is_some(), STARTED)
                | flag(self.config.latch, LATCH),
            rule,
            warm_up: self.config.warm_up,
            warming: self.warming,
            absent: self.absent,
            memory,
        }
    }

    fn from_saved(config: AlarmConfig, saved: &Saved) -> Result<Self, Error> {
        let start = Self::start(config);
        let expected = start.to_saved();
        for (same, name) in [
            (saved.rule == expected.rule, "rule"),
            (saved.warm_up == expected.warm_up, "warm_up"),
            (saved.state & LATCH == expected.state & LATCH, "latch"),
        ] {
            require(same, name, "that of the saved alarm")?;
        }
        let flags = Error::Format(FormatFault::Flags { found: saved.state });
        let state = STATES.get(usize::from(saved.state & !(STARTED | LATCH))).ok_or(flags)?;
        let started = saved.state & STARTED != 0;
        let (mut smoothed, mut history) = (None, 0);
        match (config.rule, started) {
            (AlarmRule::Smoothed { shift, .. }, true) => {
                smoothed = T::from_bits(saved.memory, shift);
                require(smoothed.is_some(), "saved", "a score that was smoothed")?;
            }
            (AlarmRule::Smoothed { .. }, false) => {
                require(saved.memory == 0, "saved", "0 before the first score")?;
            }
            (AlarmRule::Count { .. }, true) => return Err(flags),
            (AlarmRule::Count { window, .. }, false) => {
                history = saved.memory as u32;
                let fits = saved.memory & !u64::from(window_bits(window)) == 0;
                require(fits, "saved", "as many readings as count")?;
            }
        }
        // Readings are judged after the warm-up, and not before.
        let warms = *state == AlarmState::WarmUp;
        let fresh = history == 0 && !started;
        let counts = saved.warming <= config.warm_up && warms == (saved.warming > 0);
        require(counts && (fresh || !warms), "saved", "either warming up or not")?;
        let latched = *state == AlarmState::Latched;
        require(config.latch || !latched, "saved", "latched only where alarms are")?;
        let active = state.is_active();
        require(!(active && fresh), "saved", "an alarm that readings have raised")?;
        Ok(Self {
            state: *state,
            warming: saved.warming,
            absent: saved.absent,
            history,
            smoothed,
            ..start
        })
    }
}

impl Saved {
    fn encode(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        out.bytes([self.magic, self.state])?;
        out.bytes(self.rule)?;
        for count in [self.warm_up, self.warming, self.absent] {
            count.encode(out)?;
        }
        out.bytes(self.memory.to_le_bytes())
    }

    fn decode(input: &mut Reader<'_>) -> Result<Self, Error> {
        let [magic, state] = input.bytes()?;
        Ok(Self {
            magic,
            state,
            rule: input.bytes()?,
            warm_up: u16::decode(input)?,
            warming: u16::decode(input)?,
            absent: u16::decode(input)?,
            memory: u64::from_le_bytes(input.bytes()?),
        })
    }
}

fn require(holds: bool, name: &'static str, rule: &'static str) -> Result<(), Error> {
    if holds { Ok(()) } else { Err(Error::Parameter { name, rule }) }
}
