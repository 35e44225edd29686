//! Kernel PCA: the model, its fits, its scores.

pub(crate) mod components;
pub(crate) mod contributions;
pub mod exact;
mod expansion;
mod given;
pub mod landmark;
pub mod leading;
mod model;
mod pivoted;
pub mod preimage;
mod route;
pub(crate) mod score;
mod view;

pub use components::{Components, FitReport};
pub use exact::ExactWorkspace;
pub use expansion::{Expansion, ExpansionHeader, ExpansionMut, ExpansionView};
pub use landmark::LandmarkWorkspace;
pub use leading::LeadingWorkspace;
pub use model::{KernelPca, Projection, Scalar};
pub use pivoted::{Landmarks, PivotedCholesky};
pub use preimage::PreImage;
pub use score::Score;
pub use view::KernelPcaView;
