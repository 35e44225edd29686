//! The lectures' other methods.

pub mod dimension;
pub mod fisher;
pub mod graph;
pub mod kmeans;
mod labels;
pub mod pca;
pub mod preimage;
pub mod ridge;

pub use dimension::{Assessment, DimensionWorkspace, RelevantDimension};
pub use fisher::{FisherReport, FisherWorkspace, KernelFisher};
pub use kmeans::{KMeansReport, KMeansWorkspace, KernelKMeans};
pub use pca::{Pca, PcaReport, PcaWorkspace};
pub use preimage::{PreImageWorkspace, PreImages};
pub use ridge::KernelRidge;
