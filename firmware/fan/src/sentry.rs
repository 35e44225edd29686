//! The party that must not be late.

use core::fmt;

use mercer::detect::AlarmRule;
use mercer::monitor::Outcome;
use mercer::{Alarm, AlarmConfig, AlarmState, Error, Monitor};

use crate::{FanStream, Model, Reading, Sample};

/// An alarm that is up as soon as it is sure, and over as soon: a third of a second each.
const ALARM: AlarmConfig =
    AlarmConfig::DEFAULT.rule(AlarmRule::Count { window: 8, raise: 4, clear: 1 });

/// Takes samples, scores windows and raises the alarm.
pub struct Sentry<'a> {
    monitor: Monitor<&'a mut Model, &'a mut FanStream>,
    windows: u32,
}

/// A window that is complete.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Counted from 0, since the start.
    pub number: u32,
    /// What the teacher learns from.
    pub reading: Reading,
    /// None while there is no model.
    pub outcome: Option<Outcome<f32>>,
    /// Has the alarm changed with this window?
    pub changed: bool,
}

impl<'a> Sentry<'a> {
    /// A sentry with a model that was learned earlier, or with an empty one.
    ///
    /// # Errors
    /// Those of [`Alarm::new`], which a valid configuration does not have.
    pub fn new(model: &'a mut Model, stream: &'a mut FanStream) -> Result<Self, Error> {
        let alarm = Alarm::new(ALARM)?;
        Ok(Self { monitor: Monitor::with_alarm(model, stream, alarm), windows: 0 })
    }

    /// Takes a sample, and returns a window if that is complete.
    ///
    /// # Errors
    /// Those of [`Monitor::push`], but for a model that is not there yet.
    pub fn on_sample(&mut self, sample: &Sample) -> Result<Option<Window>, Error> {
        let before = self.alarm();
        let outcome = match self.monitor.push(sample) {
            Ok(None) => return Ok(None),
            Err(Error::NotFitted) => None,
            outcome => outcome?,
        };
        let Some(&reading) = self.monitor.reading() else { return Ok(None) };
        let number = self.windows;
        self.windows = number.wrapping_add(1);
        let changed = before.is_active() != self.alarm().is_active();
        Ok(Some(Window { number, reading, outcome, changed }))
    }

    /// Samples were lost: the next window begins after them.
    pub fn gap(&mut self) {
        self.monitor.gap();
    }

    /// What the alarm says.
    pub fn alarm(&self) -> AlarmState {
        self.monitor.alarm().state()
    }

    /// May the model be exchanged? Not during an alarm: it would start afresh with the new one.
    pub fn takes_a_model(&self) -> bool {
        !self.alarm().is_active()
    }

    /// Goes on with another model, and returns the one from before.
    pub fn set_model(&mut self, model: &'a mut Model) -> &'a mut Model {
        self.monitor.set_detector(model)
    }
}

/// A line for the log.
impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, outcome, .. } = self;
        match outcome {
            None => write!(f, "window {number}: learning"),
            Some(Outcome { verdict, alarm, .. }) => {
                let state = if alarm.is_active() { "ALARM" } else { "normal" };
                write!(f, "window {number}: {state}, score {:.4}", verdict.score.spe)
            }
        }
    }
}
