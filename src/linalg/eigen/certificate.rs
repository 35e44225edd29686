//! Proof that no leading eigenvalue was missed.
//!
//! **Method.** After eigenpairs `λ_j, x_j` were found, all other eigenvalues are below `σ` exactly
//! when `σI − (A − Σ λ_j x_j x_jᵀ)` is positive definite. Whether it is, a Cholesky factorisation
//! tells, stably and without pivoting.
//!
//! **Source.** Sylvester's law of inertia; Higham, *Accuracy and Stability of Numerical
//! Algorithms*, 2002, §10.1.
//!
//! **Domain.** A symmetric matrix whose squares neither overflow nor vanish.
//!
//! **Bound.** Backward error `O(nε‖A‖)`, in practice a few `ε‖A‖`: `σ` must have that much to
//! spare.

use crate::linalg::slices::{entry, tail, tail_mut};
use crate::linalg::{MatrixView, MatrixViewMut, rows};
use crate::math::Real;

/// The larger eigenvalue of `[[a, b], [b, c]]`.
pub(super) fn larger_eigenvalue<T: Real>(a: T, b: T, c: T) -> T {
    let two = T::from_f64(2.0);
    let half = (a - c) / two;
    (a + c) / two + (half * half + b * b).sqrt()
}

/// Have all eigenpairs but the given ones eigenvalues below `bound`?
///
/// `matrix` is read from its lower triangle and the diagonal; what is above is overwritten, and so
/// is `pivots`.
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

/// Writes `σI − A + Σ λ_j x_j x_jᵀ` above the diagonal and to `pivots`; returns `‖A − Σ λ_j x_j
/// x_jᵀ‖_F²`.
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
            let below = matrix.at(k, i);
            matrix.set(i, k, -below);
        }
        *pivot = -matrix.at(i, i);
        let right = tail_mut(matrix.row_mut(i), i + 1);
        let (fours, rest) = values.as_chunks::<4>();
        for (first, &[a, b, c, d]) in (0..).step_by(4).zip(fours) {
            let x = [0, 1, 2, 3].map(|k| vectors.row(first + k));
            let [p, q, r, s] = x.map(|x| entry(x, i));
            let factors = [a * p, b * q, c * r, d * s];
            *pivot += (a * p * p + b * q * q) + (c * r * r + d * s * s);
            rows::add_four(right, factors, x.map(|x| tail(x, i + 1)));
        }
        for (vector, &value) in vectors.iter_rows().skip(4 * fours.len()).zip(rest) {
            if let Some([own, others @ ..]) = vector.get(i..) {
                rows::add(right, value * *own, others);
                *pivot += value * *own * *own;
            }
        }
        diagonal += *pivot * *pivot;
        beside += rows::dot_in_lanes(right, right);
        *pivot += bound;
    }
    diagonal + (beside + beside)
}

/// Factorises it as `U Uᵀ`, from the last row up, above the diagonal; fails where a pivot is not
/// positive.
fn is_positive_definite<T: Real>(matrix: &mut MatrixViewMut<'_, T>, pivots: &[T]) -> bool {
    for (j, &pivot) in pivots.iter().enumerate().rev() {
        let own = tail(matrix.view().row(j), j + 1);
        let square = pivot - rows::dot_in_lanes(own, own);
        if square <= T::ZERO {
            return false;
        }
        let inverse = T::ONE / square.sqrt();
        let mut first = 0;
        while first < j {
            let view = matrix.view();
            let right = |i: usize| tail(view.row(i), j + 1);
            // Rows from j on are final already: their products are not used.
            let four = [0, 1, 2, 3].map(|k| right((first + k).min(j)));
            for (i, product) in (first..j).zip(rows::dot_four(four, right(j))) {
                let solved = (matrix.at(i, j) - product) * inverse;
                matrix.set(i, j, solved);
            }
            first += 4;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    /// `diag(5, 4, 3, 3, 2, 1, …)` in a rotated basis, and its two leading eigenpairs.
    #[test]
    fn a_missed_copy_is_noticed() {
        let n = 9;
        let spectrum = [5.0, 4.0, 3.0, 3.0, 2.0, 1.0, 1.0, 0.0, -1.0];
        // Columns of the reflection I − 2uuᵀ are the eigenvectors.
        let u = |i: usize| (i + 1) as f64 / libm::sqrt(285.0);
        let x = |j: usize, i: usize| f64::from(u8::from(i == j)) - 2.0 * u(i) * u(j);
        let entry = |i, j| (0..n).map(|k| spectrum[k] * x(k, i) * x(k, j)).sum::<f64>();
        let matrix: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
        let below = |found: &[usize], bound: f64| {
            let (mut work, mut pivots) = (matrix.clone(), [0.0; 9]);
            let values: Vec<f64> = found.iter().map(|&j| spectrum[j]).collect();
            let vectors: Vec<f64> =
                found.iter().flat_map(|&j| (0..n).map(move |i| x(j, i))).collect();
            remainder_is_below(
                &mut MatrixViewMut::new(&mut work, n, n).unwrap(),
                &values,
                MatrixView::new(&vectors, found.len(), n).unwrap(),
                bound,
                &mut pivots,
            )
        };
        assert!(below(&[0, 1, 2], 3.0 + 1e-13) && !below(&[0, 1, 2], 3.0 - 1e-13));
        assert!(below(&[0, 1, 2, 3], 2.0 + 1e-13) && !below(&[0, 1, 2, 3], 2.0 - 1e-13));
        assert!(!below(&[0, 1, 3, 4], 2.0 + 1e-13), "the other 3 is missing");
        assert!(below(&[0, 1, 2, 3, 4, 5, 6], 1e-13) && !below(&[0, 1, 2, 3, 4, 5, 6], -1e-13));
        assert!(below(&[], 5.0 + 1e-13) && !below(&[], 5.0 - 1e-13));
        assert!((larger_eigenvalue(2.0, 1.0, 2.0) - 3.0_f64).abs() < 1e-15);
    }
}
