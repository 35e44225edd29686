//! What the firmware does, apart from all pins.
#![no_std]
#![forbid(unsafe_code)]

use core::fmt;

use mercer::monitor::Outcome;

include!("model.rs");

/// Samples a second.
pub const RATE: u32 = @rate@;
/// The counts of the converter, a number for each channel.
pub type Sample = [i16; @channels@];
/// The first line of a recording.
pub const HEADER: &str = "@header@";

/// Takes samples, scores windows and raises the alarm.
pub struct Watcher<'a> {
    monitor: ModelMonitor<'a>,
    windows: u32,
}

/// A window that is complete.
pub struct Window {
    /// Counted from 0.
    pub number: u32,
    /// The verdict on it, and the alarm.
    pub outcome: Outcome<@number@>,
    /// Has the alarm changed with it?
    pub changed: bool,
}

impl<'a> Watcher<'a> {
    /// Before the first sample.
    pub fn new(stream: &'a mut ModelStream) -> Self {
        Self { monitor: ModelMonitor::new(&MODEL, stream), windows: 0 }
    }

    /// Takes a sample, and returns a window if that is complete.
    pub fn on_sample(&mut self, sample: &Sample) -> Result<Option<Window>, mercer::Error> {
        let before = self.monitor.alarm().state().is_active();
        let Some(outcome) = self.monitor.push(sample)? else { return Ok(None) };
        let number = self.windows;
        self.windows = number.wrapping_add(1);
        let changed = before != outcome.alarm.is_active();
        Ok(Some(Window { number, outcome, changed }))
    }

    /// Samples were lost: the next window begins after them.
    pub fn gap(&mut self) {
        self.monitor.gap();
    }
}

/// A line for the log.
impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outcome { verdict, alarm, .. } = self.outcome;
        let state = if alarm.is_active() { "ALARM" } else { "normal" };
        write!(f, "window {}: {state}, score {:.4}", self.number, verdict.score.spe)
    }
}

/// Writes a sample as a line of CSV, as `mercer fit` reads it.
pub fn write_line(sample: &Sample, out: &mut impl fmt::Write) -> fmt::Result {
    for (place, value) in sample.iter().enumerate() {
        write!(out, "{}{value}", if place == 0 { "" } else { "," })?;
    }
    writeln!(out)
}

/// Reads such a line.
pub fn read_line(line: &str) -> Option<Sample> {
    let (mut sample, mut values) = ([0; @channels@], line.trim_end().split(','));
    for value in &mut sample {
        *value = values.next()?.trim().parse().ok()?;
    }
    values.next().is_none().then_some(sample)
}
