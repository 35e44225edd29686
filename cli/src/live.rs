//! A stream of readings as a person watches it: what is to be seen, kept apart from who reads and
//! who draws.
//!
//! [`feed`] reads and scores on a thread of its own and sends [`News`]; [`View`] makes of them what
//! is to be seen; [`screen`] draws that; [`log`] writes events down. `command/watch.rs` brings them
//! together.

pub(crate) mod feed;
pub(crate) mod log;
pub(crate) mod screen;
mod view;

pub(crate) use view::View;

use ratatui::crossterm::event::KeyEvent;

/// What the reader has to say.
#[derive(Debug)]
pub(crate) enum News {
    /// A reading was scored.
    Scored(Scored),
    /// What was left out so far.
    Omitted(Vec<String>),
    /// There will be no more readings; with an error if that is not as it should be.
    End(Option<String>),
    /// Somebody has pressed a key.
    Key(KeyEvent),
    /// Somebody wants the program to end.
    Quit,
}

/// A reading with what the detector says. Scores are counted in thresholds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scored {
    /// The number of its row, or of the first row of its window.
    pub(crate) row: u64,
    /// What stands in the column of times, if there is one.
    pub(crate) time: String,
    pub(crate) score: f64,
    /// What is compared with the threshold to raise the alarm, if that is a smoothed score.
    pub(crate) smoothed: Option<f64>,
    /// Is the alarm up?
    pub(crate) alarm: bool,
    /// The input to blame, if the reading is unusual.
    pub(crate) suspect: Option<Blamed>,
}

/// An input, what it read and what it should have read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Blamed {
    pub(crate) input: String,
    pub(crate) read: f64,
    pub(crate) expected: f64,
}
