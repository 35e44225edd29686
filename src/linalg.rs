//! Linear algebra on borrowed slices: matrices, symmetric eigenproblems, Cholesky's factorisation.
//!
//! Nothing in this room knows of kernels. Const-generic types such as [`Matrix`] own storage; a
//! [`MatrixView`] is to a [`Matrix`] what a slice is to an array, and all work is done on views.

pub(crate) mod carve;
pub mod cholesky;
pub mod eigen;
pub(crate) mod lanes;
mod matrix;
pub(crate) mod rows;
pub(crate) mod slices;

pub use matrix::{Matrix, MatrixView, MatrixViewMut};
