//! Reduction of a symmetric matrix to a tridiagonal one by reflections.
//!
//! **Method.** From the last row upwards, a reflection `P = I − u uᵀ/h` of the first `i`
//! coordinates leaves nothing of row `i` but the diagonal and its neighbour. Only the lower
//! triangle is read; `u` stays in its row, and above the diagonal, out of the way, are kept the
//! neighbour at `(i−1, i)` and `h` at `(i−2, i)`.
//!
//! **Source.** Golub & Van Loan, *Matrix Computations*, §8.3.1.
//!
//! **Domain.** Entries whose squares neither overflow nor vanish when they are summed.
//!
//! **Bound.** Backward error of a few `ε‖A‖_F` (Wilkinson, *The Algebraic Eigenvalue Problem*,
//! 1965, ch. 5).

use crate::linalg::slices::head;
use crate::linalg::{MatrixView, MatrixViewMut, rows};
use crate::math::Real;

/// Finds the reflection of row `i ≥ 1`; false when it needs none, because what it would remove is
/// `negligible`.
pub(super) fn reflect<T: Real>(matrix: &mut MatrixViewMut<'_, T>, i: usize, negligible: T) -> bool {
    let neighbour = matrix.at(i, i - 1);
    let others = head(matrix.view().row(i), i - 1);
    let square = rows::dot_in_lanes(others, others);
    if square <= negligible * negligible {
        matrix.set(i - 1, i, neighbour);
        if i >= 2 {
            matrix.set(i - 2, i, T::ZERO);
        }
        return false;
    }
    let length = (square + neighbour * neighbour).sqrt();
    // With this sign nothing cancels.
    let image = if neighbour > T::ZERO { -length } else { length };
    let last = neighbour - image;
    matrix.set(i, i - 1, last);
    matrix.set(i - 1, i, image);
    matrix.set(i - 2, i, (square + last * last) / T::from_f64(2.0));
    true
}

/// The reflection of row `i`: `u` and `h`; none if it needed none.
pub(super) fn reflection<'a, T: Real>(
    matrix: &MatrixView<'a, T>,
    i: usize,
) -> Option<(&'a [T], T)> {
    let h = matrix.at(i.checked_sub(2)?, i);
    (h > T::ZERO).then(|| (head(matrix.row(i), i), h))
}

/// Adds row `j < i` of the lower triangle to `product = A u`. Rows must come in ascending order.
pub(super) fn multiply<T: Real>(matrix: MatrixView<'_, T>, product: &mut [T], i: usize, j: usize) {
    let u = matrix.row(i);
    if let (Some((left, [diagonal, ..])), Some(&u_j), Some((before, [entry, ..]))) =
        (matrix.row(j).split_at_checked(j), u.get(j), product.split_at_mut_checked(j))
    {
        *entry = rows::add_and_dot(before, u_j, left, u) + *diagonal * u_j;
    }
}

/// Turns `A u` into the `w` of `P A P = A − u wᵀ − w uᵀ`: `w = q − (u·q/2h) u` with `q = A u/h`.
pub(super) fn complete<T: Real>(matrix: MatrixView<'_, T>, product: &mut [T], i: usize) {
    if let Some((u, h)) = reflection(&matrix, i) {
        let mean = rows::dot_in_lanes(u, product) / (h + h);
        for (p, &u) in product.iter_mut().zip(u) {
            *p = (*p - mean * u) / h;
        }
    }
}

/// `A − u wᵀ − w uᵀ` in row `j < i`, up to the diagonal.
pub(super) fn update<T: Real>(matrix: &mut MatrixViewMut<'_, T>, w: &[T], i: usize, j: usize) {
    let (row, u) = matrix.row_pair_mut(j, i);
    if let (Some(row), Some(&u_j), Some(&w_j)) = (row.get_mut(..=j), u.get(j), w.get(j)) {
        rows::add_two(row, -u_j, w, -w_j, u);
    }
}

/// `v ← v P` for a row `v` of the product of the reflections before row `i`.
pub(super) fn apply<T: Real>(matrix: MatrixView<'_, T>, v: &mut [T], i: usize) {
    if let Some((u, h)) = reflection(&matrix, i) {
        reflect_row(v, u, h);
    }
}

/// The same for row `j < i` of a product that has taken the place of the rows of the reflections it
/// contains.
pub(super) fn apply_inside<T: Real>(matrix: &mut MatrixViewMut<'_, T>, i: usize, j: usize) {
    if let Some((_, h)) = reflection(&matrix.view(), i) {
        let (v, u) = matrix.row_pair_mut(j, i);
        reflect_row(v, head(u, i), h);
    }
}

fn reflect_row<T: Real>(v: &mut [T], u: &[T], h: T) {
    let factor = rows::dot_in_lanes(u, v) / h;
    rows::add(v, -factor, u);
}

/// A product inside the matrix grows by a row and a column, those of the identity, once it contains
/// the reflection of row `i`.
pub(super) fn extend<T: Real>(matrix: &mut MatrixViewMut<'_, T>, i: usize) {
    for j in 0..i {
        matrix.set(i, j, T::ZERO);
        matrix.set(j, i, T::ZERO);
    }
    matrix.set(i, i, T::ONE);
}

/// Copies the diagonal and what is beside it.
pub(super) fn gather<T: Real>(matrix: MatrixView<'_, T>, diagonal: &mut [T], beside: &mut [T]) {
    for (i, (diagonal, beside)) in diagonal.iter_mut().zip(beside).enumerate().take(matrix.rows()) {
        *diagonal = matrix.at(i, i);
        *beside = if i + 1 < matrix.rows() { matrix.at(i, i + 1) } else { T::ZERO };
    }
}

/// Moves the diagonal to row 0 and its neighbours to the front of row 1; the matrix is lost.
pub(super) fn gather_inside<T: Real>(matrix: &mut MatrixViewMut<'_, T>) {
    let n = matrix.rows();
    let first = if n >= 2 { matrix.at(0, 1) } else { T::ZERO };
    for i in 1..n {
        let entry = matrix.at(i, i);
        matrix.set(0, i, entry);
    }
    for i in 1..n {
        let entry = if i == 1 { first } else { matrix.at(i - 1, i) };
        matrix.set(1, i - 1, entry);
    }
}
