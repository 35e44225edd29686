//! Other kernel methods, beside the line from readings to verdicts.
//!
//! Each module stands alone: a model, its fit in memory of the caller's, and its errors. In reading
//! order:
//!
//! | module | holds |
//! |---|---|
//! | `labels`, `points` | shared by several: rules for labels, samples that a model keeps |
//! | [`pca`] | linear PCA: de-correlation, whitening, reconstruction |
//! | [`ridge`] | kernel ridge regression |
//! | [`preimage`] | pre-images for any kernel, learned by ridge regression |
//! | [`dimension`] | how many components the labels need, and how noisy they are |
//! | [`fisher`] | kernel Fisher discriminant: two classes told apart |
//! | [`kmeans`] | kernel k-means: samples in clusters |
//! | [`graph`] | the diffusion kernel: how alike the nodes of a graph are |
//!
//! This room knows [`kpca`](crate::kpca) and what is below it. [`detect`](crate::detect) does not
//! know it, nor it `detect`.

pub mod dimension;
pub mod fisher;
pub mod graph;
pub mod kmeans;
mod labels;
pub mod pca;
mod points;
pub mod preimage;
pub mod ridge;

#[doc(inline)]
pub use dimension::{Assessment, DimensionOptions, DimensionWorkspace, RelevantDimension};
#[doc(inline)]
pub use fisher::{FisherReport, FisherWorkspace, KernelFisher};
#[doc(inline)]
pub use kmeans::{KMeansOptions, KMeansReport, KMeansWorkspace, KernelKMeans};
#[doc(inline)]
pub use pca::{Pca, PcaHeader, PcaReport, PcaWorkspace};
#[doc(inline)]
pub use preimage::{PreImageWorkspace, PreImages};
#[doc(inline)]
pub use ridge::KernelRidge;
