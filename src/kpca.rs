//! Kernel PCA: one model of points and weights, with its fits and its scores.
//!
//! [`KernelPca`] owns a model whose capacities are part of its type. A [`KernelPcaView`] is to a
//! [`KernelPca`] what a slice is to an array, and the same goes for the other views of this crate:
//! owner and view take the same route, and score with the same bits. In reading order:
//!
//! | module | holds |
//! |---|---|
//! | `expansion` | the weights: [`Expansion`], its header and its views |
//! | `score` | [`Score`]: SPE, T² and what they measure |
//! | `route` | the one way from a query to its sums over the points |
//! | `view`, `model` | [`KernelPcaView`] and [`KernelPca`], which follow that route |
//! | `axes` | [`Axes`]: what projections need of a model, and no more |
//! | `given` | scores of points that only the caller can compare |
//! | `contributions` | how strongly SPE depends on each input |
//! | `components` | [`Components`], the wish for a number of components, and [`FitReport`] |
//! | [`exact`] | every sample is a point; all eigenpairs of an `n × n` matrix |
//! | [`leading`] | the same model, found faster when few components are wanted |
//! | `pivoted` | the choice of [`Landmarks`] by pivoted Cholesky |
//! | [`landmark`] | a few samples that span the rest are points; in bounded steps, for devices |
//! | [`preimage`] | back from projections to inputs |
//!
//! A fit writes nothing before every check has passed and the eigensolver has converged, so an
//! error leaves the old model as it was.
//!
//! This room knows [`kernel`](crate::kernel), [`linalg`](crate::linalg) and what is below them. Raw
//! units and thresholds are the business of [`detect`](crate::detect).

mod axes;
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

pub use axes::Axes;
pub use components::{Components, FitReport};
#[doc(inline)]
pub use exact::ExactWorkspace;
pub use expansion::{Expansion, ExpansionHeader, ExpansionMut, ExpansionView};
#[doc(inline)]
pub use landmark::LandmarkWorkspace;
#[doc(inline)]
pub use leading::LeadingWorkspace;
pub use model::{KernelPca, Projection, Scalar};
pub use pivoted::{Landmarks, PivotedCholesky};
#[doc(inline)]
pub use preimage::PreImage;
pub use score::Score;
pub use view::KernelPcaView;
