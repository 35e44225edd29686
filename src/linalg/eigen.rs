//! Eigenvalues and eigenvectors of symmetric matrices, and functions of matrices through them.
//!
//! [`symmetric`] finds all of them: it reduces the matrix to a tridiagonal one by reflections and diagonalises that by implicit QR; the
//! eigenvectors take the place of the matrix. As a [`TridiagonalQr`] it can be stopped and resumed after any row or rotation. [`leading`] finds the largest ones only, by
//! Lanczos' method, in a small part of the time when the matrix is large. Conventions of both:
//!
//! - eigenvectors are the **rows** of the vector matrix, of length one;
//! - eigenvalues descend; equal ones keep the order in which the solver found them;
//! - each eigenvector's entry of largest magnitude (the first of them) is positive.
//!
//! ```
//! use mercer::linalg::{Matrix, eigen};
//! let mut a = Matrix::from_rows([[2.0_f64, 1.0], [1.0, 2.0]]);
//! let (mut values, mut scratch) = ([0.0; 2], [0.0; 2]);
//! eigen::symmetric(&mut a.view_mut(), &mut values, &mut scratch, eigen::MAX_SWEEPS)?;
//! assert!((values[0] - 3.0).abs() < 1e-15 && (values[1] - 1.0).abs() < 1e-15);
//! # Ok::<(), mercer::Error>(())
//! ```

mod certificate;
mod conventions;
mod function;
mod householder;
mod jacobi;
mod lanczos;
#[cfg(test)]
mod plain;
mod qr;
mod ritz;
mod solver;
#[cfg(test)]
mod tests;
mod tridiagonal;

pub use function::{determinant, matrix_function, trace};
pub use jacobi::Jacobi;
pub use lanczos::{LanczosScratch, Leading, MAX_RESTARTS, leading};
pub(crate) use solver::part;
pub use solver::{EigenScratch, Eigensolver, Memory};
pub use tridiagonal::{MAX_SWEEPS, TridiagonalQr};

use crate::error::Error;
use crate::linalg::MatrixViewMut;
use crate::math::Real;

/// [`TridiagonalQr::solve`](Eigensolver::solve): all eigenpairs of a symmetric matrix in one go, by
/// the solver for most sizes. `values` and `scratch` have a place for each row.
///
/// # Errors
/// Those of [`Eigensolver::start`] and [`Eigensolver::step`].
pub fn symmetric<T: Real>(
    matrix: &mut MatrixViewMut<'_, T>,
    values: &mut [T],
    scratch: &mut [T],
    max_sweeps: usize,
) -> Result<usize, Error> {
    TridiagonalQr::solve(matrix, values, scratch, max_sweeps)
}
