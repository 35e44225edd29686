//! Eigenvalues and eigenvectors of symmetric matrices, and functions of matrices through them.
//!
//! | | finds | memory | rows | errors of eigenvalues |
//! |---|---|---|---|---|
//! | [`TridiagonalQr`] | all eigenpairs | in place | 5 and more | a few `ε` of the largest |
//! | [`Jacobi`] | all eigenpairs | a second matrix | up to 4 | a few `ε` of each, if graded |
//! | [`leading`] | the largest ones | a basis | many | a few `ε` of the largest |
//!
//! *Rows* is where it takes the fewest instructions on a Cortex-M4F. At 16 rows `Jacobi` takes
//! twice as many as `TridiagonalQr`, at 32 almost three times. Take it for few rows, for small
//! eigenvalues of a matrix with a widely graded diagonal, or to save 2 KB of flash (5 KB at
//! opt-level 3) in firmware that needs no other solver.
//!
//! Every fit that needs all eigenpairs takes either [`Eigensolver`] as a type parameter, and a
//! firmware contains the one that it names: `ExactWorkspace<f32, 32, Jacobi<f32>>`,
//! `Learner<Rbf<f32>, [f32; 6], 64, 24, 16, Jacobi<f32>>`. [`PcaWorkspace`] has `Jacobi` unless
//! told otherwise, because inputs are few and come in units of their own, which make a covariance
//! graded; all others have `TridiagonalQr`. What was measured is in docs/EIGENSOLVERS.md, also why
//! no fit starts from the eigenvectors of the one before.
//!
//! Conventions of all:
//!
//! - eigenvectors are the **rows** of the vector matrix, of length one;
//! - eigenvalues descend; equal ones keep the order in which the solver found them;
//! - each eigenvector's entry of largest magnitude (the first of them) is positive;
//! - matrices are scaled where squares of their entries would overflow or vanish, and an eigenvalue
//!   that is too large for its type is [`Error::EigenvalueOverflow`].
//!
//! ```
//! use mercer::linalg::{Matrix, eigen};
//! let mut a = Matrix::from_rows([[2.0_f64, 1.0], [1.0, 2.0]]);
//! let (mut values, mut scratch) = ([0.0; 2], [0.0; 2]);
//! eigen::symmetric(&mut a.view_mut(), &mut values, &mut scratch, eigen::MAX_SWEEPS)?;
//! assert!((values[0] - 3.0).abs() < 1e-15 && (values[1] - 1.0).abs() < 1e-15);
//! # Ok::<(), mercer::Error>(())
//! ```
//!
//! [`PcaWorkspace`]: crate::methods::PcaWorkspace

mod certificate;
mod conventions;
mod function;
mod householder;
mod inverse;
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
pub use inverse::Columns;
pub use jacobi::Jacobi;
pub use lanczos::{LanczosScratch, Leading, MAX_RESTARTS, MOST_FACTORISED, leading};
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
