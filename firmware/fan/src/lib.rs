//! Watches a fan by two axes of an accelerometer: everything that is not about a board.
//!
//! Two parties, as on every board:
//!
//! - The [`Sentry`] takes the samples, in an interrupt or in a task that must not be late. It has a
//!   detector, once there is one, and an alarm.
//! - The [`Teacher`] takes the sentry's windows and learns from them in steps, whenever there is
//!   time. What it has learned goes to the sentry as a reference, and the detector that the sentry
//!   had before comes back the same way: nobody waits, and no detector is copied over a stack.
//!
//! Neither knows how samples, windows and references travel. On the boards that is a queue and two
//! mailboxes; in the tests of this crate it is a loop over a recording.
#![no_std]
#![forbid(unsafe_code)]

mod csv;
mod memory;
mod sentry;
pub mod simulated;
// For you to copy, as it says.
#[path = "../../../examples/support/store.rs"]
mod store;
mod teacher;
#[cfg(test)]
mod tests;

pub use csv::{HEADER, LONGEST_LINE, line, sample};
pub use memory::{Memory, MemoryError};
pub use sentry::{Sentry, Window};
pub use teacher::Teacher;

use mercer::signal::{Feature, FrontEnd};
use mercer::{GaussianDetector, GaussianLearner};

/// Samples a second.
pub const RATE: u32 = 1000;
/// The counts of the converter for both axes.
pub type Sample = [i16; 2];

/// What of a window of samples tells a sound fan from another.
pub struct Vibration;

impl FrontEnd for Vibration {
    const FEATURES: &'static [Feature] = &[Feature::Mean, Feature::LogStd];
    const CHANNELS: &'static [&'static str] = &["ax", "ay"];
}

/// Windows of two turns of the fan, one after the other: 25 readings a second.
pub type FanStream = mercer::stream!(Vibration, i16, 2, 40, 40);
/// What becomes of a window.
pub type Reading = [f32; FanStream::INPUTS];

/// How many windows are learned from, and how large a model may be: see `GaussianLearner::SIZE`.
const SAMPLES: usize = 64;
const POINTS: usize = 12;
const COMPONENTS: usize = 4;

/// What is learned.
pub type Model = GaussianDetector<{ FanStream::INPUTS }, POINTS, COMPONENTS>;
/// What learns it.
pub type FanLearner = GaussianLearner<{ FanStream::INPUTS }, SAMPLES, POINTS, COMPONENTS>;
