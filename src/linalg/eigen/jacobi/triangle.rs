//! Rotations and exchanges of rows and columns in the upper triangle of a symmetric matrix; the lower one is neither read nor written.
//!
//! Rows and columns `p < q` meet the others in three places: down two columns (above row `p`), along row `p` and down column `q` (between), along two rows
//! (beyond `q`).

use super::turn::{TOGETHER, Turn, turn_four, turn_four_rows};
use crate::linalg::MatrixViewMut;
use crate::math::Real;

/// Makes the entry at `(p, q)` zero if it is above the threshold.
pub(super) fn annihilate<T: Real>(
    matrix: &mut MatrixViewMut<'_, T>,
    vectors: &mut MatrixViewMut<'_, T>,
    (p, q): (usize, usize),
    threshold: T,
) {
    if matrix.at(p, q).abs() > threshold {
        turn_one(matrix, vectors, (p, q));
    }
}

#[inline(never)]
fn turn_one<T: Real>(
    matrix: &mut MatrixViewMut<'_, T>,
    vectors: &mut MatrixViewMut<'_, T>,
    (p, q): (usize, usize),
) {
    let (mut a_pp, mut a_qq, mut a_pq) = (matrix.at(p, p), matrix.at(q, q), matrix.at(p, q));
    let turn = Turn::annihilate(&mut a_pp, &mut a_qq, &mut a_pq, T::ZERO);
    matrix.set(p, p, a_pp);
    matrix.set(q, q, a_qq);
    matrix.set(p, q, a_pq);
    for_each_pair(matrix, p, q, |x, y| turn.apply(x, y));
    let (x, y) = vectors.row_pair_mut(p, q);
    for (x, y) in x.iter_mut().zip(y) {
        turn.apply(x, y);
    }
}

/// Visits the entries `(k, p)` and `(k, q)` of the symmetric matrix, for every `k` but `p` and `q`.
#[inline(always)]
fn for_each_pair<T: Real>(
    matrix: &mut MatrixViewMut<'_, T>,
    p: usize,
    q: usize,
    visit: impl Fn(&mut T, &mut T),
) {
    let Some(Parts { above, row_p, between, from_q, stride }) = split(matrix, p, q) else { return };
    let Some((left, [_, right @ ..])) = row_p.split_at_mut_checked(q) else { return };
    for row in above.chunks_exact_mut(stride.max(1)) {
        if let Some([x, .., y]) = row.get_mut(p..=q) {
            visit(x, y);
        }
    }
    // By reference: a zip of chunks themselves divides by their size, and at opt-level z the compiler does not see that this is not 0.
    for (x, row) in left.iter_mut().skip(p + 1).zip(&mut between.chunks_exact_mut(stride.max(1))) {
        if let Some(y) = row.get_mut(q) {
            visit(x, y);
        }
    }
    for (x, y) in right.iter_mut().zip(from_q.iter_mut().skip(q + 1)) {
        visit(x, y);
    }
}

/// The same as [`annihilate`] at `(p, q)`, `(p, q + 1)`, `(p, q + 2)` and `(p, q + 3)` in turn, to the bit.
///
/// What the four angles depend on is turned at once; everything else after that, by four rotations at a time.
pub(super) fn annihilate_four<T: Real>(
    matrix: &mut MatrixViewMut<'_, T>,
    vectors: &mut MatrixViewMut<'_, T>,
    (p, q): (usize, usize),
    threshold: T,
) {
    // All four at once cost as much as two, one by one.
    let entries = matrix.view().row(p).get(q..q + TOGETHER).unwrap_or_default();
    if entries.iter().filter(|entry| entry.abs() > threshold).count() < 2 {
        for column in q..q + TOGETHER {
            annihilate(matrix, vectors, (p, column), threshold);
        }
        return;
    }
    let Some(Parts { above, row_p, between, from_q, stride }) = split(matrix, p, q) else { return };
    let Some([r0, r1, r2, r3]) = four_rows(from_q, stride) else { return };
    let Some((left, right)) = row_p.split_at_mut_checked(q) else { return };
    let (Some([a_pp, left @ ..]), [a0, a1, a2, a3, right @ ..]) = (left.get_mut(p..), right) else {
        return;
    };
    // The rows of the block on the diagonal that the four columns have in common with rows q to q + 3, and what is beyond it.
    let (
        Some([d0, b01, b02, b03, r0 @ ..]),
        Some([_, d1, b12, b13, r1 @ ..]),
        Some([_, _, d2, b23, r2 @ ..]),
        Some([_, _, _, d3, r3 @ ..]),
    ) = (r0.get_mut(q..), r1.get_mut(q..), r2.get_mut(q..), r3.get_mut(q..))
    else {
        return;
    };

    let t0 = Turn::annihilate(a_pp, d0, a0, threshold);
    t0.apply(a1, b01);
    t0.apply(a2, b02);
    t0.apply(a3, b03);
    let t1 = Turn::annihilate(a_pp, d1, a1, threshold);
    t1.apply(a0, b01);
    t1.apply(a2, b12);
    t1.apply(a3, b13);
    let t2 = Turn::annihilate(a_pp, d2, a2, threshold);
    t2.apply(a0, b02);
    t2.apply(a1, b12);
    t2.apply(a3, b23);
    let t3 = Turn::annihilate(a_pp, d3, a3, threshold);
    t3.apply(a0, b03);
    t3.apply(a1, b13);
    t3.apply(a2, b23);

    let turns = [t0, t1, t2, t3];
    turn_columns_above(above, stride, (p, q), turns);
    turn_columns_between(left, between, (stride, q), turns);
    turn_four_rows(right, [r0, r1, r2, r3], turns);
    let Some(Parts { row_p, from_q, stride, .. }) = split(vectors, p, q) else { return };
    let Some(rows) = four_rows(from_q, stride) else { return };
    turn_four_rows(row_p, rows, turns);
}

#[inline(never)]
fn turn_columns_above<T: Real>(
    above: &mut [T],
    stride: usize,
    (p, q): (usize, usize),
    turns: [Turn<T>; TOGETHER],
) {
    for row in above.chunks_exact_mut(stride.max(1)) {
        let Some((left, right)) = row.split_at_mut_checked(q) else { return };
        let (Some(x), Some(y)) = (left.get_mut(p), right.first_chunk_mut()) else { return };
        (*x, *y) = turn_four(*x, *y, turns);
    }
}

#[inline(never)]
fn turn_columns_between<T: Real>(
    left: &mut [T],
    between: &mut [T],
    (stride, q): (usize, usize),
    turns: [Turn<T>; TOGETHER],
) {
    for (x, row) in left.iter_mut().zip(&mut between.chunks_exact_mut(stride.max(1))) {
        let Some(y) = row.get_mut(q..).and_then(<[T]>::first_chunk_mut) else { return };
        (*x, *y) = turn_four(*x, *y, turns);
    }
}

/// Brings the largest entry of the diagonal from row `p` on to row `p`, by an exchange of rows and columns, if it is larger by a tenth.
///
/// Done before each row of a sweep (de Rijk, SIAM J. Sci. Stat. Comput. 10, 1989), this saves a fifth of the rotations when eigenvalues fall off fast, as those
/// of Gram matrices do. Where they are close together, exchanges for less than a tenth would cost more rotations than they save.
pub(super) fn bring_largest<T: Real>(
    matrix: &mut MatrixViewMut<'_, T>,
    vectors: &mut MatrixViewMut<'_, T>,
    p: usize,
) {
    let a_pp = matrix.at(p, p);
    let (mut q, mut a_qq) = (p, a_pp);
    for k in p + 1..matrix.rows() {
        let a_kk = matrix.at(k, k);
        if a_kk > a_qq {
            (q, a_qq) = (k, a_kk);
        }
    }
    if q > p && a_qq > T::from_f64(1.1) * a_pp {
        matrix.set(p, p, a_qq);
        matrix.set(q, q, a_pp);
        for_each_pair(matrix, p, q, core::mem::swap);
        vectors.swap_rows(p, q);
    }
}

/// A matrix taken apart at rows `p < q`.
struct Parts<'a, T> {
    above: &'a mut [T],
    row_p: &'a mut [T],
    between: &'a mut [T],
    from_q: &'a mut [T],
    /// From a row to the next.
    stride: usize,
}

#[inline(always)]
fn split<'a, T>(matrix: &'a mut MatrixViewMut<'_, T>, p: usize, q: usize) -> Option<Parts<'a, T>> {
    let (columns, (entries, stride)) = (matrix.columns(), matrix.entries_mut());
    let (above, entries) = entries.split_at_mut_checked(p * stride)?;
    let (between, from_q) = entries.split_at_mut_checked((q - p) * stride)?;
    let (row_p, between) = between.split_at_mut_checked(stride)?;
    Some(Parts { above, row_p: row_p.get_mut(..columns)?, between, from_q, stride })
}

fn four_rows<T>(rows: &mut [T], stride: usize) -> Option<[&mut [T]; TOGETHER]> {
    let (r0, rows) = rows.split_at_mut_checked(stride)?;
    let (r1, rows) = rows.split_at_mut_checked(stride)?;
    let (r2, r3) = rows.split_at_mut_checked(stride)?;
    Some([r0, r1, r2, r3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Matrix;

    const N: usize = 9;

    /// The lower triangle and what lies outside the view are not a number: reading them would show.
    fn upper_only() -> Matrix<f64, { N + 1 }, { N + 2 }> {
        let mut a = Matrix::from_rows([[f64::NAN; N + 2]; N + 1]);
        for i in 0..N {
            for j in i..N {
                a.view_mut().set(i, j, libm::cos((3 * i + 7 * j) as f64) + (i + j) as f64 / 9.0);
            }
        }
        a
    }

    fn bits<const R: usize, const C: usize>(a: &Matrix<f64, R, C>) -> [[u64; C]; R] {
        a.as_rows().map(|row| row.map(f64::to_bits))
    }

    #[test]
    fn four_at_once_have_the_bits_of_one_by_one() {
        for threshold in [0.0, 0.3, 0.6, 0.9] {
            for (p, q) in (0..N - 4).flat_map(|p| (p + 1..=N - 4).map(move |q| (p, q))) {
                let (mut a, mut b) = (upper_only(), upper_only());
                let (mut u, mut v) = (Matrix::<f64, N, N>::zeros(), Matrix::<f64, N, N>::zeros());
                u.view_mut().set_identity();
                v.view_mut().set_identity();
                let view = &mut a.view_mut().into_leading(N, N);
                annihilate_four(view, &mut u.view_mut(), (p, q), threshold);
                let view = &mut b.view_mut().into_leading(N, N);
                for column in q..q + 4 {
                    annihilate(view, &mut v.view_mut(), (p, column), threshold);
                }
                assert_eq!(bits(&a), bits(&b), "({p}, {q}) above {threshold}");
                assert_eq!(bits(&u), bits(&v), "({p}, {q}) above {threshold}");
            }
        }
    }

    /// `J A Jᵀ` with the whole matrix, as the textbook has it.
    #[test]
    fn a_rotation_is_that_of_the_whole_matrix() {
        let start = upper_only();
        let entry = |i: usize, j: usize| start.view().at(i.min(j), i.max(j));
        for (p, q) in (0..N).flat_map(|p| (p + 1..N).map(move |q| (p, q))) {
            let (mut a, mut v) = (start, Matrix::<f64, N, N>::zeros());
            v.view_mut().set_identity();
            annihilate(&mut a.view_mut().into_leading(N, N), &mut v.view_mut(), (p, q), 0.0);
            assert_eq!(a.view().at(p, q), 0.0);
            for i in 0..N {
                for j in i..N {
                    let (x, y) = (v.view().row(i), v.view().row(j));
                    let expected: f64 =
                        (0..N * N).map(|e| x[e / N] * entry(e / N, e % N) * y[e % N]).sum();
                    assert!((a.view().at(i, j) - expected).abs() < 1e-14, "({i}, {j})");
                }
            }
        }
    }

    #[test]
    fn an_exchange_renames_rows_and_columns() {
        let mut a = upper_only();
        a.view_mut().set(6, 6, 100.0);
        let (start, mut v) = (a, Matrix::<f64, N, N>::zeros());
        v.view_mut().set_identity();
        bring_largest(&mut a.view_mut().into_leading(N, N), &mut v.view_mut(), 2);
        let name = |i: usize| [0, 1, 6, 3, 4, 5, 2, 7, 8][i];
        for i in 0..N {
            assert_eq!(v.view().at(i, name(i)), 1.0);
            for j in i..N {
                let (k, l) = (name(i).min(name(j)), name(i).max(name(j)));
                assert_eq!(a.view().at(i, j), start.view().at(k, l));
            }
        }
        let still = bits(&a);
        a.view_mut().set(6, 6, 105.0);
        bring_largest(&mut a.view_mut().into_leading(N, N), &mut v.view_mut(), 2);
        assert_eq!(bits(&a)[2], still[2], "not larger by a tenth");
    }
}
