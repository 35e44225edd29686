#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

// In the order in which data flow.
mod error;
pub mod math;
mod lanes;
pub mod matrix;
pub mod samples;
pub mod kernel;
pub mod gram;
pub mod geometry;
pub mod eigen;
pub mod cholesky;
pub mod fit;
pub mod model;
pub mod score;
pub mod preimage;
pub mod scaling;
pub mod detector;
pub mod cost;
pub mod calibrate;
pub mod learn;
pub mod learner;
pub mod explain;
pub mod alarm;
pub mod persist;
pub mod quantised;
mod detect;
// Beside that line: the lectures' other methods.
pub mod pca;
pub mod ridge;
mod labels;
pub mod dimension;
pub mod kmeans;
pub mod fisher;
pub mod graph;

pub use alarm::{Alarm, AlarmConfig, AlarmState};
pub use calibrate::{FalseAlarms, FoldOrder};
pub use cholesky::Landmarks;
pub use cost::{Cost, Instructions};
pub use detect::Detect;
pub use detector::{Detector, DetectorView, Reading, Thresholds, Watch};
pub use dimension::{Assessment, DimensionWorkspace, RelevantDimension};
pub use eigen::Progress;
pub use error::{Error, Fault, FormatFault};
pub use fisher::{FisherReport, FisherWorkspace, KernelFisher};
pub use fit::exact::ExactWorkspace;
pub use fit::landmark::LandmarkWorkspace;
pub use fit::leading::LeadingWorkspace;
pub use fit::{Components, Report};
pub use kernel::Kernel;
pub use kmeans::{KMeansReport, KMeansWorkspace, KernelKMeans};
pub use learn::{LearnReport, Recipe, Warning};
pub use learner::{Learner, Replace};
pub use math::Real;
pub use matrix::{Matrix, MatrixView, MatrixViewMut};
pub use model::{KernelPca, Projection};
pub use pca::{Pca, PcaReport, PcaWorkspace};
pub use preimage::{PreImage, PreImageWorkspace, PreImages};
pub use quantised::QuantisedDetector;
pub use ridge::KernelRidge;
pub use samples::{Sample, Samples, Vector};
pub use scaling::Scaling;
pub use score::Score;
