//! Proof that no leading eigenvalue was missed.
//!
//! After eigenpairs `λ_j, x_j` were found, all other eigenvalues are below `σ` exactly when `σI − (A − Σ λ_j x_j x_jᵀ)` is positive definite, and whether it is
//! a Cholesky factorisation tells, stably and without pivoting: backward error `O(nε‖A‖)` (Higham 2002, §10.1), in practice a few `ε‖A‖`.

use super::rows;
use crate::math::Real;
use crate::matrix::{MatrixView, MatrixViewMut};

/// The larger eigenvalue of `[[a, b], [b, c]]`.
pub(super) fn larger_eigenvalue<T: Real>(a: T, b: T, c: T) -> T {
    let two = T::from_f64(2.0);
    let half = (a - c) / two;
    (a + c) / two + (half * half + b * b).sqrt()
}

/// Have all eigenpairs but the given ones eigenvalues below `bound`?
///
/// `matrix` is read from its lower triangle and the diagonal; what is above is overwritten, and so is `pivots`.
pub(super) fn remainder_is_below<T: Real>(
    matrix: &mut MatrixViewMut<'_, T>,
    values: &[T],
    vectors: MatrixView<'_, T>,
    bound: T,
    pivots: &mut [T],
) -> bool {
    let squares = deflate(matrix, values, vectors, bound, pivots);
    // Its Frobenius norm is often small enough.
    squares < bound * bound && bound > T::ZERO || is_positive_definite(matrix, pivots)
}

/// Writes `σI − A + Σ λ_j x_j x_jᵀ` above the diagonal and to `pivots`; returns `‖A − Σ λ_j x_j x_jᵀ‖_F²`.
fn deflate<T: Real>(
    matrix: &mut MatrixViewMut<'_, T>,
    values: &[T],
    vectors: MatrixView<'_, T>,
    bound: T,
    pivots: &mut [T],
) -> T {
    let (mut diagonal, mut beside) = (T::ZERO, T::ZERO);
    for (i, pivot) in pivots.iter_mut().enumerate() {
        for k in i + 1..matrix.rows() {
            let entry = matrix.at(k, i);
            matrix.set(i, k, -entry);
        }
        *pivot = -matrix.at(i, i);
        let right = matrix.row_mut(i).get_mut(i + 1..).unwrap_or_default();
        for (vector, &value) in vectors.iter_rows().zip(values) {
            if let Some([own, others @ ..]) = vector.get(i..) {
                rows::add(right, value * *own, others);
                *pivot += value * *own * *own;
            }
        }
        diagonal += *pivot * *pivot;
        beside += rows::dot(right, right);
        *pivot += bound;
    }
    diagonal + (beside + beside)
}

/// Factorises `U Uᵀ`, from the last row up, above the diagonal; fails where a pivot is not positive.
fn is_positive_definite<T: Real>(matrix: &mut MatrixViewMut<'_, T>, pivots: &mut [T]) -> bool {
    for j in (0..pivots.len()).rev() {
        let own = matrix.view();
        let own = own.row(j).get(j + 1..).unwrap_or_default();
        let pivot = pivots.get(j).copied().unwrap_or(T::ZERO) - rows::dot(own, own);
        if !(pivot > T::ZERO) {
            return false;
        }
        let root = pivot.sqrt();
        for i in 0..j {
            let view = matrix.view();
            let own = view.row(j).get(j + 1..).unwrap_or_default();
            let other = view.row(i).get(j + 1..).unwrap_or_default();
            let entry = (view.at(i, j) - rows::dot(own, other)) / root;
            matrix.set(i, j, entry);
        }
    }
    true
}
