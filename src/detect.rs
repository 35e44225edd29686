//! Detection.

pub mod alarm;
pub mod buffer;
pub mod calibrate;
pub mod cost;
mod detector;
pub mod explain;
mod interface;
mod learner;
pub mod learning;
pub mod persist;
pub mod quantised;
pub mod reading;
pub mod scaling;

pub use alarm::{Alarm, AlarmConfig, AlarmState};
pub use buffer::DetectorBuffer;
pub use calibrate::{FalseAlarms, FoldOrder};
pub use cost::{Cost, Instructions};
pub use detector::{Detector, DetectorView, GaussianDetector, Thresholds, Verdict, Watch};
pub use interface::Detect;
pub use learner::{GaussianLearner, Learner, Replace};
pub use learning::{LearnReport, LearnSizes, Recipe, Warning};
pub use quantised::QuantisedDetector;
pub use reading::{Inspect, Prepare, Reading, Unscaled, VectorReading};
pub use scaling::Scaling;
