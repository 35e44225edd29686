//! Kernel PCA: the model, its fits, its scores.

pub(crate) mod components;
pub mod exact;
mod expansion;
pub mod landmark;
pub mod leading;
pub(crate) mod model;
mod pivoted;
pub mod preimage;
mod row;
mod score;

pub use components::{Components, Report};
pub use exact::ExactWorkspace;
pub use expansion::{Expansion, ExpansionMut, ExpansionView, Header};
pub use landmark::LandmarkWorkspace;
pub use leading::LeadingWorkspace;
pub use model::{KernelPca, KernelPcaView, Projection, Scalar};
pub use pivoted::{Landmarks, PivotedCholesky};
pub use preimage::PreImage;
pub use score::Score;
