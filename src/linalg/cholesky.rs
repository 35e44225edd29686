//! Linear systems `A X = B` with a symmetric positive definite `A`, by Cholesky's factorisation.
//!
//! **Method.** `A = L Lᵀ` with `L_ij = (A_ij − Σ_{k<j} L_ik L_jk)/L_jj` for `j < i` and
//! `L_ii² = A_ii − Σ_{k<i} L_ik²`; then `L Y = B` from the first row down and `Lᵀ X = Y` from the
//! last row up. The factor takes about `n³/6` multiply-adds, each right-hand side `n²`.
//!
//! **Source.** Golub & Van Loan, *Matrix Computations*, 4th ed. 2013, §4.2.
//!
//! **Domain.** Finite, symmetric, positive definite beyond rounding: a pivot of at most `n·ε·A_ii`
//! is refused. Such a matrix needs no pivoting.
//!
//! **Bound.** The solution is that of `(A + E) X = B` with `|E| ≤ γ_{3n+1} |L||Lᵀ|` entry by entry,
//! `γ_k = kε/(2 − kε)` (Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed. 2002,
//! theorem 10.4). Its error is up to the condition number of `A` times as large.

use crate::error::{Error, require_shape};
use crate::linalg::slices::{entry, head};
use crate::linalg::{MatrixView, MatrixViewMut, rows};
use crate::math::Real;

/// Solves `A X = B` in place for a symmetric positive definite `A`: [`factorise`], then
/// [`substitute`].
///
/// `right` holds `B`, with a row for each row of `A` and a column for each right-hand side, and
/// receives `X`.
///
/// ```
/// use mercer::linalg::{Matrix, cholesky};
/// let mut a = Matrix::from_rows([[4.0_f32, 2.0], [2.0, 5.0]]);
/// let mut b = Matrix::from_rows([[8.0, 0.0], [12.0, 4.0]]);
/// cholesky::solve(&mut a.view_mut(), &mut b.view_mut())?;
/// assert_eq!(b, Matrix::from_rows([[1.0, -0.5], [2.0, 1.0]]));
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// Those of [`factorise`], and [`Error::Shape`] if `right` has another number of rows. `right` is
/// unchanged after an error.
pub fn solve<T: Real>(
    matrix: &mut MatrixViewMut<'_, T>,
    right: &mut MatrixViewMut<'_, T>,
) -> Result<(), Error> {
    factorise(matrix)?;
    substitute(matrix.view(), right)
}

/// Writes `L` over the lower triangle of a symmetric positive definite matrix, row by row; the
/// entries above the diagonal stay as they are.
///
/// # Errors
/// Those of [`MatrixView::require_symmetric`], and [`Error::NotPositiveDefinite`].
pub fn factorise<T: Real>(matrix: &mut MatrixViewMut<'_, T>) -> Result<(), Error> {
    let n = matrix.view().require_symmetric()?;
    for i in 0..n {
        let own = matrix.at(i, i);
        for j in 0..i {
            let (upper, row) = matrix.row_pair_mut(j, i);
            let product = rows::dot_in_lanes(head(row, j), head(upper, j));
            let value = (entry(row, j) - product) / entry(upper, j);
            matrix.set(i, j, value);
        }
        let view = matrix.view();
        let left = head(view.row(i), i);
        let pivot = own - rows::dot_in_lanes(left, left);
        // A difference of numbers of the size of A_ii: up to this it is nothing but rounding.
        let rounding = T::from_usize(n) * T::EPSILON * own;
        if !(pivot > rounding && pivot.is_finite()) {
            return Err(Error::NotPositiveDefinite { row: i });
        }
        matrix.set(i, i, pivot.sqrt());
    }
    Ok(())
}

/// Solves `L Lᵀ X = B` in place, given the factor that [`factorise`] wrote.
///
/// A NaN in `right` spreads over its column, and a solution that overflows leaves infinities or
/// NaNs there: check the result if right-hand sides are large or the matrix is nearly singular.
///
/// # Errors
/// [`Error::Shape`] if `right` has another number of rows.
pub fn substitute<T: Real>(
    factor: MatrixView<'_, T>,
    right: &mut MatrixViewMut<'_, T>,
) -> Result<(), Error> {
    let n = factor.rows();
    require_shape("matrix columns", n, factor.columns())?;
    require_shape("right-hand sides", n, right.rows())?;
    for i in 0..n {
        for k in 0..i {
            subtract_row(right, i, (k, factor.at(i, k)));
        }
        divide_row(right, i, factor);
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            subtract_row(right, i, (k, factor.at(k, i)));
        }
        divide_row(right, i, factor);
    }
    Ok(())
}

/// Will [`substitute`] find finite numbers for this right-hand side, which has an entry for each
/// row?
///
/// Solves by the same operations in the same order, and stores the solution in the first row, above
/// the diagonal, where the factor has nothing.
pub(crate) fn is_finite_solution<T: Real>(
    factor: &mut MatrixViewMut<'_, T>,
    right: impl IntoIterator<Item = T>,
) -> bool {
    let n = factor.rows();
    let mut right = right.into_iter();
    // An empty system has an empty solution.
    let Some(first) = right.next() else { return true };
    // The one entry for which the first row has no place.
    let first = first / factor.at(0, 0);
    for (i, right) in (1..n).zip(right) {
        let view = factor.view();
        let known = |k: usize| if k == 0 { first } else { view.at(0, k) };
        let entry = (0..i).fold(right, |sum, k| sum + -view.at(i, k) * known(k));
        let entry = entry / view.at(i, i);
        factor.set(0, i, entry);
    }
    let upward = |factor: MatrixView<'_, T>, i: usize, own: T| {
        let entry = (i + 1..n).fold(own, |sum, k| sum + -factor.at(k, i) * factor.at(0, k));
        entry / factor.at(i, i)
    };
    for i in (1..n).rev() {
        let entry = upward(factor.view(), i, factor.at(0, i));
        factor.set(0, i, entry);
    }
    // A number that is not finite spoils all that follow, even if multiplied by 0.
    upward(factor.view(), 0, first).is_finite()
}

/// Subtracts a multiple of row `k` from row `i`.
fn subtract_row<T: Real>(matrix: &mut MatrixViewMut<'_, T>, i: usize, (k, factor): (usize, T)) {
    let (first, second) = matrix.row_pair_mut(i.min(k), i.max(k));
    let (row, other) = if i < k { (first, second) } else { (second, first) };
    rows::add(row, -factor, other);
}

/// Divides row `i` by the diagonal of the factor.
fn divide_row<T: Real>(matrix: &mut MatrixViewMut<'_, T>, i: usize, factor: MatrixView<'_, T>) {
    let diagonal = factor.at(i, i);
    for entry in matrix.row_mut(i) {
        *entry /= diagonal;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Linear, Rbf, gram};
    use crate::linalg::Matrix;

    const SAMPLES: [[f64; 2]; 5] = [[0.0, 0.0], [1.0, 0.2], [0.1, 0.9], [-1.0, 2.0], [3.0, 3.0]];

    fn gaussian() -> Matrix<f64, 5, 5> {
        let mut gram = Matrix::zeros();
        gram::fill(&Rbf::new(0.7), SAMPLES.as_slice(), &mut gram.view_mut()).unwrap();
        gram
    }

    #[test]
    fn the_product_with_the_solution_is_the_right_hand_side() {
        let right: Matrix<f64, 5, 3> = Matrix::from_rows(core::array::from_fn(|i| {
            core::array::from_fn(|j| (i * i) as f64 - 2.5 * j as f64)
        }));
        let (matrix, mut factor, mut solution) = (gaussian(), gaussian(), right);
        solve(&mut factor.view_mut(), &mut solution.view_mut()).unwrap();
        for i in 0..5 {
            for j in 0..3 {
                let column = solution.view().iter_rows().map(|row| row[j]);
                let product: f64 =
                    matrix.view().row(i).iter().zip(column).map(|(a, x)| a * x).sum();
                assert!((product - right.view().at(i, j)).abs() < 1e-13, "({i}, {j})");
            }
        }
    }

    #[test]
    fn a_block_of_a_larger_matrix_can_be_solved() {
        let (mut whole, mut alone) = (gaussian(), Matrix::<f64, 2, 2>::zeros());
        gram::fill(&Rbf::new(0.7), &SAMPLES[..2], &mut alone.view_mut()).unwrap();
        let [mut x, mut y] = [Matrix::<f64, 2, 1>::from_rows([[1.0], [-2.0]]); 2];
        solve(&mut whole.view_mut().into_leading(2, 2), &mut x.view_mut()).unwrap();
        solve(&mut alone.view_mut(), &mut y.view_mut()).unwrap();
        assert_eq!(x, y);
    }

    #[test]
    fn matrices_that_are_not_positive_definite_are_refused() {
        let mut right = Matrix::<f64, 5, 1>::from_rows([[1.0]; 5]);
        // Five samples in two dimensions: rank two, so that the third pivot is rounding.
        let mut gram = Matrix::<f64, 5, 5>::zeros();
        gram::fill(&Linear, SAMPLES.map(|[a, b]| [a + 0.3, b]).as_slice(), &mut gram.view_mut())
            .unwrap();
        let error = solve(&mut gram.view_mut(), &mut right.view_mut()).unwrap_err();
        assert_eq!(error, Error::NotPositiveDefinite { row: 2 });
        assert_eq!(right, Matrix::from_rows([[1.0]; 5]), "right-hand sides are unchanged");

        for (matrix, expected) in [
            ([[1.0, 2.0], [2.0, 1.0]], Error::NotPositiveDefinite { row: 1 }),
            ([[0.0, 0.0], [0.0, 1.0]], Error::NotPositiveDefinite { row: 0 }),
            ([[-1.0, 0.0], [0.0, 1.0]], Error::NotPositiveDefinite { row: 0 }),
            ([[1.0, 0.5], [0.6, 1.0]], Error::NotSymmetric { row: 0, column: 1 }),
            ([[1.0, f64::NAN], [0.5, 1.0]], Error::NotFinite { row: 0, column: 1 }),
        ] {
            let mut right = Matrix::<f64, 2, 1>::zeros();
            let mut matrix = Matrix::from_rows(matrix);
            assert_eq!(solve(&mut matrix.view_mut(), &mut right.view_mut()), Err(expected));
        }
        // The factor itself can overflow.
        let mut huge = Matrix::from_rows([[1e-30, 3e38_f32], [3e38, 3e38]]);
        let refused = solve(&mut huge.view_mut(), &mut Matrix::<f32, 2, 1>::zeros().view_mut());
        assert_eq!(refused, Err(Error::NotPositiveDefinite { row: 1 }));
    }

    #[test]
    fn wrong_sizes_are_named() {
        let mut right = Matrix::<f64, 4, 1>::zeros();
        assert_eq!(
            solve(&mut gaussian().view_mut(), &mut right.view_mut()),
            Err(Error::Shape { what: "right-hand sides", expected: 5, given: 4 })
        );
        let mut oblong = Matrix::<f64, 4, 3>::zeros();
        assert_eq!(
            solve(&mut oblong.view_mut(), &mut right.view_mut()),
            Err(Error::Shape { what: "matrix columns", expected: 4, given: 3 })
        );
    }
}
