//! The lectures' other methods.

pub mod dimension;
pub mod fisher;
pub mod graph;
pub mod kmeans;
mod labels;
pub mod pca;
mod points;
pub mod preimage;
pub mod ridge;

pub use dimension::{Assessment, DimensionOptions, DimensionWorkspace, RelevantDimension};
pub use fisher::{FisherReport, FisherWorkspace, KernelFisher};
pub use kmeans::{KMeansOptions, KMeansReport, KMeansWorkspace, KernelKMeans};
pub use pca::{Pca, PcaHeader, PcaReport, PcaWorkspace};
pub use preimage::{PreImageWorkspace, PreImages};
pub use ridge::KernelRidge;
