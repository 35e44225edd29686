//! Functions of a symmetric matrix.
//!
//! **Method.** Through its decomposition `A = U Λ Uᵀ`: `f(A) = U f(Λ) Uᵀ`.
//!
//! **Source.** Golub & Van Loan, *Matrix Computations*, §9.1.
//!
//! **Domain.** Matrices at whose eigenvalues the function is finite. The solvers see to it that the
//! eigenvalues are.
//!
//! **Bound.** Off by a few `ε` of the largest `|f(λ)|`, and by what `f` makes of errors of a few
//! `ε‖A‖` in the eigenvalues.

use crate::error::Error;
use crate::linalg::{MatrixView, MatrixViewMut};
use crate::math::{Real, long_sum};

/// Writes `f(A) = U f(Λ) Uᵀ` to `out`: the square root, inverse, exponential … of a matrix.
///
/// `values` and `vectors` are what [`symmetric`](super::symmetric) gave for `A` (eigenvectors are
/// rows).
///
/// ```
/// use mercer::linalg::{Matrix, eigen};
/// let mut u = Matrix::from_rows([[2.0_f64, 1.0], [1.0, 2.0]]);
/// let (mut values, mut scratch) = ([0.0; 2], [0.0; 2]);
/// eigen::symmetric(&mut u.view_mut(), &mut values, &mut scratch, eigen::MAX_SWEEPS)?;
/// let mut inverse = Matrix::<f64, 2, 2>::zeros();
/// eigen::matrix_function(&values, u.view(), |v| 1.0 / v, &mut inverse.view_mut())?;
/// assert!((inverse.view().row(0)[0] - 2.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// [`Error::Shape`] when the sizes do not agree; [`Error::NotFinite`] when `f` has no finite value
/// at an eigenvalue (row and column are that eigenvalue's number).
pub fn matrix_function<T: Real>(
    values: &[T],
    vectors: MatrixView<'_, T>,
    f: impl Fn(T) -> T,
    out: &mut MatrixViewMut<'_, T>,
) -> Result<(), Error> {
    let n = values.len();
    for (what, given) in [
        ("eigenvector rows", vectors.rows()),
        ("eigenvector columns", vectors.columns()),
        ("output rows", out.rows()),
        ("output columns", out.columns()),
    ] {
        if given != n {
            return Err(Error::Shape { what, expected: n, given });
        }
    }
    if let Some(j) = values.iter().position(|&value| !f(value).is_finite()) {
        return Err(Error::NotFinite { row: j, column: j });
    }
    for row in out.iter_rows_mut() {
        row.fill(T::ZERO);
    }
    for (&value, vector) in values.iter().zip(vectors.iter_rows()) {
        let weight = f(value);
        for (row, &u_i) in out.iter_rows_mut().zip(vector) {
            for (entry, &u_j) in row.iter_mut().zip(vector) {
                *entry += weight * (u_i * u_j);
            }
        }
    }
    Ok(())
}

/// Sum of the diagonal, which is the sum of the eigenvalues.
pub fn trace<T: Real>(matrix: MatrixView<'_, T>) -> T {
    long_sum(matrix.diagonal())
}

/// Determinant, the product of the eigenvalues; infinite where that overflows.
pub fn determinant<T: Real>(values: &[T]) -> T {
    values.iter().fold(T::ONE, |product, &value| product * value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Matrix;
    use crate::linalg::eigen::{MAX_SWEEPS, symmetric};

    const A: Matrix<f64, 3, 3> =
        Matrix::from_rows([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]]);

    fn decompose(a: Matrix<f64, 3, 3>) -> ([f64; 3], Matrix<f64, 3, 3>) {
        let (mut vectors, mut values) = (a, [0.0; 3]);
        symmetric(&mut vectors.view_mut(), &mut values, &mut [0.0; 3], MAX_SWEEPS).unwrap();
        (values, vectors)
    }

    #[test]
    fn square_root_squares_to_the_matrix() {
        let (values, vectors) = decompose(A);
        let mut root = Matrix::<f64, 3, 3>::zeros();
        matrix_function(&values, vectors.view(), f64::sqrt, &mut root.view_mut()).unwrap();
        for i in 0..3 {
            for j in 0..3 {
                let square: f64 = (0..3).map(|k| root.view().at(i, k) * root.view().at(k, j)).sum();
                assert!((square - A.view().at(i, j)).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn trace_and_determinant_by_hand() {
        let (values, _) = decompose(A);
        assert_eq!(trace(A.view()), 9.0);
        assert!((values.iter().sum::<f64>() - 9.0).abs() < 1e-14);
        // 4(6 − 1) − 1(2 + 0.5) + 0.5(−1 − 1.5)
        assert!((determinant(&values) - 16.25).abs() < 1e-13);
    }

    #[test]
    fn a_function_without_a_value_is_refused() {
        let (values, vectors) = decompose(Matrix::from_rows([[1.0; 3]; 3]));
        let mut out = Matrix::<f64, 3, 3>::zeros();
        let f = |v: f64| if v > 1.0 { v } else { f64::NAN };
        assert_eq!(
            matrix_function(&values, vectors.view(), f, &mut out.view_mut()),
            Err(Error::NotFinite { row: 1, column: 1 })
        );
        assert_eq!(
            matrix_function(&values[..2], vectors.view(), f, &mut out.view_mut()),
            Err(Error::Shape { what: "eigenvector rows", expected: 2, given: 3 })
        );
    }
}
