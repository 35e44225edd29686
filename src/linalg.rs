//! Linear algebra on borrowed slices: matrices, symmetric eigenproblems, linear systems.
//!
//! [`Matrix`] owns its storage, so that a firmware can place it in a `static`; all work is done on
//! views, whose sizes are run-time values. In reading order:
//!
//! | module | holds |
//! |---|---|
//! | `slices` | parts of slices, their bounds asserted in tests, without a panic in firmware |
//! | `matrix` | [`Matrix`], [`MatrixView`], [`MatrixViewMut`] |
//! | `lanes` | four sums at once: the inner loops of a score |
//! | `rows` | arithmetic on rows in a fixed order: the inner loops of a fit |
//! | `blocks` | sums over many samples |
//! | `covariance` | sums of products over samples |
//! | [`cholesky`] | linear systems with a positive definite matrix |
//! | [`eigen`] | all eigenpairs of a symmetric matrix, or the leading ones; functions of matrices |
//!
//! This room knows [`error`](crate::error), [`Progress`](crate::Progress) and
//! [`math`](crate::math). It has never heard of kernels.

pub(crate) mod blocks;
pub(crate) mod carve;
pub mod cholesky;
pub(crate) mod covariance;
pub mod eigen;
pub(crate) mod lanes;
mod matrix;
pub(crate) mod rows;
pub(crate) mod slices;

pub use matrix::{Matrix, MatrixView, MatrixViewMut};
