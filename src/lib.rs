#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

// In the order in which data flow.
pub mod error;
mod progress;
pub mod math;
pub mod linalg;
pub mod kernel;
pub mod kpca;
pub mod detect;
// Beside that line: the lectures' other methods.
pub mod methods;

pub use detect::{
    Alarm, AlarmConfig, AlarmState, Detect, Detector, GaussianDetector, GaussianLearner, Learner,
    QuantisedDetector, Recipe, Verdict,
};
pub use error::Error;
pub use kernel::Kernel;
pub use kpca::KernelPca;
pub use progress::Progress;
