//! From a raw reading to a verdict, an alarm and a reason.
//!
//! A [`Detector`] is a scaling, a model and a threshold in one value; a [`Learner`] makes it on the
//! device. In reading order:
//!
//! | module | holds |
//! |---|---|
//! | [`scaling`] | [`Scaling`]: inputs in units of their standard deviation |
//! | [`logs`] | [`LogScaling`]: the same after a logarithm, for inputs that are positive by nature |
//! | `inputs` | [`InputSet`]: some of the inputs |
//! | `threshold` | [`Threshold`] and the [`Verdict`] it gives |
//! | [`hearing`] | which thresholds can be exceeded, and when a detector is deaf |
//! | `valid` | what a valid detector is, whichever door it comes through |
//! | `detector` | [`Detector`] and [`DetectorView`] |
//! | `projector` | [`Projector`]: features for a classifier, from the axes of a model alone |
//! | `flash` | detectors and projectors in flash, which the compiler checks |
//! | [`calibrate`] | a threshold for a wished rate of [`FalseAlarms`] |
//! | [`folds`] | how samples are dealt into folds: [`FoldOrder`] |
//! | [`later`] | a threshold from the readings after learning: [`LaterReadings`] |
//! | [`learning`] | cross-fit, calibration and fit in steps: [`Recipe`], [`LearnReport`] |
//! | `learner` | [`Learner`]: samples, memory and detector in one, for a `static`; [`LeanLearner`]: in a third of the RAM |
//! | [`alarm`] | [`Alarm`]: smoothed score or m of n, hysteresis, latch, acknowledge |
//! | `trial` | at which value of one input a reading scores lowest |
//! | [`explain`] | which input is to blame, and what it should have read |
//! | [`missing`] | a verdict without the inputs that have failed; [`InputSet`] |
//! | [`persist`] | a detector as bytes |
//! | [`quantised`] | [`QuantisedDetector`]: the same in integers, for cores without an FPU |
//! | `interface` | [`Detect`], which both kinds of detector implement |
//! | [`cost`] | instructions, flash and RAM of a score, as constants |
//!
//! This room knows [`kpca`](crate::kpca) and what is below it, and not [`methods`](crate::methods).

pub mod alarm;
pub mod buffer;
pub mod calibrate;
pub mod cost;
mod detector;
pub mod explain;
mod flash;
pub mod folds;
pub mod hearing;
mod inputs;
mod interface;
pub mod later;
mod learner;
pub mod learning;
pub mod logs;
pub mod missing;
pub mod persist;
mod projector;
pub mod quantised;
pub mod reading;
pub mod scaling;
mod threshold;
mod trial;
mod valid;

#[doc(inline)]
pub use alarm::{Alarm, AlarmConfig, AlarmRule, AlarmState};
#[doc(inline)]
pub use buffer::DetectorBuffer;
#[doc(inline)]
pub use calibrate::FalseAlarms;
#[doc(inline)]
pub use cost::{Cost, Instructions, LearnCost};
pub use detector::{Detector, DetectorView, GaussianDetector, LogDetector};
#[doc(inline)]
pub use explain::Suspect;
#[doc(inline)]
pub use folds::FoldOrder;
pub use inputs::InputSet;
pub use interface::Detect;
#[doc(inline)]
pub use later::{LaterCalibration, LaterReadings};
pub use learner::{GaussianLearner, LeanLearner, Learner, LogLearner, Pupil, Replace};
#[doc(inline)]
pub use learning::{Blindness, LearnReport, LearnSizes, Recipe, Warning};
#[doc(inline)]
pub use logs::{LogScaling, Logs};
#[doc(inline)]
pub use missing::PartialVerdict;
pub use projector::{GaussianProjector, LogProjector, Projector};
#[doc(inline)]
pub use quantised::{LogQuantisedDetector, QuantisedDetector};
#[doc(inline)]
pub use reading::{Inspect, Prepare, Reading, Unscaled, VectorReading, VectorScaling};
#[doc(inline)]
pub use scaling::Scaling;
pub use threshold::{Judged, Threshold, Verdict};
