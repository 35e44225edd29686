//! Arithmetic on rows, four entries or four rows at a time.
//!
//! **Method.** Entry `i` of a sum goes to lane `i mod 4`. The lanes are added up at the end, as
//! `(0 + 1) + (2 + 3)`, and the up to three entries beyond the last four after them: a fixed order,
//! hence the same bits everywhere, that a host can compute with vector instructions. Patterns
//! instead of indices keep panics out and unroll at every optimisation level.
//!
//! **Source.** Pairwise and blocked summation: Higham, *Accuracy and Stability of Numerical
//! Algorithms*, 2nd ed. 2002, §3.1 and §4.2.
//!
//! **Domain.** Rows of any length, also none; where lengths differ, each function says which
//! counts.
//!
//! **Bound.** A dot product of `n` terms is off by at most `γ_k Σ|x_i y_i|` with `k = n/4 + 6` and
//! `γ_k = kε/(2 − kε)`; in order it would be `k = n`.

use core::hint::black_box;

use crate::linalg::MatrixView;
use crate::linalg::lanes::Lanes;
use crate::linalg::slices::{head, head_mut};
use crate::math::Real;

fn add_up<T: Real>([a, b, c, d]: Lanes<T>) -> T {
    (a + b) + (c + d)
}

/// `lanes + x ∘ y`.
#[inline(always)]
fn accumulate<T: Real>(
    [a, b, c, d]: Lanes<T>,
    [x0, x1, x2, x3]: [T; 4],
    [y0, y1, y2, y3]: [T; 4],
) -> Lanes<T> {
    [a + x0 * y0, b + x1 * y1, c + x2 * y2, d + x3 * y3]
}

/// `x + factor·y`.
#[inline(always)]
fn add_multiple<T: Real>([x0, x1, x2, x3]: [T; 4], factor: T, [y0, y1, y2, y3]: [T; 4]) -> [T; 4] {
    [x0 + factor * y0, x1 + factor * y1, x2 + factor * y2, x3 + factor * y3]
}

/// `Σ xᵢ yᵢ` in four lanes, over the shorter length; [`dot_in_order`](crate::math::dot_in_order)
/// has the bits of the plain loop.
pub(crate) fn dot_in_lanes<T: Real>(x: &[T], y: &[T]) -> T {
    let length = x.len().min(y.len());
    let (x, x_rest) = head(x, length).as_chunks::<4>();
    let (y, y_rest) = head(y, length).as_chunks::<4>();
    let lanes = x.iter().zip(y).fold([T::ZERO; 4], |lanes, (&x, &y)| accumulate(lanes, x, y));
    x_rest.iter().zip(y_rest).fold(add_up(lanes), |sum, (&x, &y)| sum + x * y)
}

/// `y ← y + factor·x`, over the shorter length.
pub(crate) fn add<T: Real>(y: &mut [T], factor: T, x: &[T]) {
    let length = x.len().min(y.len());
    let (x, x_rest) = head(x, length).as_chunks::<4>();
    let (y, y_rest) = head_mut(y, length).as_chunks_mut::<4>();
    for (y, &x) in y.iter_mut().zip(x) {
        *y = add_multiple(*y, factor, x);
    }
    for (y, &x) in y_rest.iter_mut().zip(x_rest) {
        *y += factor * x;
    }
}

/// `y ← y + factor·x` and returns `Σ xᵢ zᵢ`, over the shortest length.
///
/// Each `xᵢ` is loaded once: this is how a row of a triangle serves as row and as column.
pub(crate) fn add_and_dot<T: Real>(y: &mut [T], factor: T, x: &[T], z: &[T]) -> T {
    let length = x.len().min(y.len()).min(z.len());
    let (x, x_rest) = head(x, length).as_chunks::<4>();
    let (z, z_rest) = head(z, length).as_chunks::<4>();
    let (y, y_rest) = head_mut(y, length).as_chunks_mut::<4>();
    let mut lanes = [T::ZERO; 4];
    for ((y, &x), &z) in y.iter_mut().zip(x).zip(z) {
        *y = add_multiple(*y, factor, x);
        lanes = accumulate(lanes, x, z);
    }
    let mut sum = add_up(lanes);
    for ((y, &x), &z) in y_rest.iter_mut().zip(x_rest).zip(z_rest) {
        *y += factor * x;
        sum += x * z;
    }
    sum
}

/// `y ← y + a·u + b·w`, over the shortest length.
pub(crate) fn add_two<T: Real>(y: &mut [T], a: T, u: &[T], b: T, w: &[T]) {
    let length = y.len().min(u.len()).min(w.len());
    let (u, u_rest) = head(u, length).as_chunks::<4>();
    let (w, w_rest) = head(w, length).as_chunks::<4>();
    let (y, y_rest) = head_mut(y, length).as_chunks_mut::<4>();
    for ((y, &u), &w) in y.iter_mut().zip(u).zip(w) {
        *y = add_multiple(add_multiple(*y, a, u), b, w);
    }
    for ((y, &u), &w) in y_rest.iter_mut().zip(u_rest).zip(w_rest) {
        *y = (*y + a * u) + b * w;
    }
}

/// `(x, y) ← (cx + sy, cy − sx)`, over the shorter length.
pub(crate) fn rotate<T: Real>(x: &mut [T], y: &mut [T], c: T, s: T) {
    let length = x.len().min(y.len());
    let (x, x_rest) = head_mut(x, length).as_chunks_mut::<4>();
    let (y, y_rest) = head_mut(y, length).as_chunks_mut::<4>();
    for (x, y) in x.iter_mut().zip(y) {
        let ([x0, x1, x2, x3], [y0, y1, y2, y3]) = (*x, *y);
        *x = [c * x0 + s * y0, c * x1 + s * y1, c * x2 + s * y2, c * x3 + s * y3];
        *y = [c * y0 - s * x0, c * y1 - s * x1, c * y2 - s * x2, c * y3 - s * x3];
    }
    for (x, y) in x_rest.iter_mut().zip(y_rest) {
        (*x, *y) = (c * *x + s * *y, c * *y - s * *x);
    }
}

/// `Σ xᵢ yᵢ` of four rows with the same `y`, over the length of `y`, which no row may fall short
/// of.
pub(crate) fn dot_four<T: Real>(rows: [&[T]; 4], y: &[T]) -> [T; 4] {
    let [p, q, r, s] = rows.map(|row| head(row, y.len()).as_chunks::<4>());
    let (y, y_rest) = y.as_chunks::<4>();
    let mut sums = [[T::ZERO; 4]; 4];
    for ((((&p, &q), &r), &s), &y) in p.0.iter().zip(q.0).zip(r.0).zip(s.0).zip(y) {
        let [a, b, c, d] = sums;
        sums = [accumulate(a, p, y), accumulate(b, q, y), accumulate(c, r, y), accumulate(d, s, y)];
    }
    let [mut a, mut b, mut c, mut d] = sums.map(add_up);
    for ((((&p, &q), &r), &s), &y) in p.1.iter().zip(q.1).zip(r.1).zip(s.1).zip(y_rest) {
        (a, b, c, d) = (a + p * y, b + q * y, c + r * y, d + s * y);
    }
    [a, b, c, d]
}

/// `y ← y + Σ factorᵣ·rowᵣ` for four rows, over the length of `y`, which no row may fall short of.
pub(crate) fn add_four<T: Real>(y: &mut [T], [f, g, h, k]: [T; 4], rows: [&[T]; 4]) {
    let [p, q, r, s] = rows.map(|row| head(row, y.len()).as_chunks::<4>());
    let (y, y_rest) = y.as_chunks_mut::<4>();
    for ((((y, &p), &q), &r), &s) in y.iter_mut().zip(p.0).zip(q.0).zip(r.0).zip(s.0) {
        let half = add_multiple(add_multiple(*y, f, p), g, q);
        *y = add_multiple(add_multiple(half, h, r), k, s);
    }
    for ((((y, &p), &q), &r), &s) in y_rest.iter_mut().zip(p.1).zip(q.1).zip(r.1).zip(s.1) {
        *y = (((*y + f * p) + g * q) + h * r) + k * s;
    }
}

/// `y = A x` from the lower triangle of `A`, each entry of which is loaded once; `x` and `y` are as
/// long as `A` has rows.
pub(crate) fn multiply_symmetric<T: Real>(a: MatrixView<'_, T>, x: &[T], y: &mut [T]) {
    let n = a.rows();
    debug_assert!(x.len() == n && y.len() == n && a.columns() == n, "sizes differ");
    let mut first = 0;
    while first + 4 <= n {
        four_rows(a, first, x, y);
        first += 4;
    }
    for i in first..n {
        let (Some((left, [diagonal, ..])), Some(&x_i), Some((before, [y_i, ..]))) =
            (a.row(i).split_at_checked(i), x.get(i), y.split_at_mut_checked(i))
        else {
            debug_assert!(false, "row {i} of {n}");
            return;
        };
        *y_i = add_and_dot(before, x_i, left, x) + *diagonal * x_i;
    }
}

/// Four rows in [`multiply_symmetric`]: what lies left of the diagonal block, as rows and as
/// columns, then that block.
fn four_rows<T: Real>(a: MatrixView<'_, T>, first: usize, x: &[T], y: &mut [T]) {
    let rows = [a.row(first), a.row(first + 1), a.row(first + 2), a.row(first + 3)];
    debug_assert!(first + 4 <= x.len().min(y.len()), "row {first} of {}", a.rows());
    debug_assert!(rows.iter().all(|row| first + 4 <= row.len()), "row {first} of {}", a.rows());
    // Not through `slices`: to return at once is cheaper than to go on with empty parts.
    let Some(&own) = x.get(first..).and_then(<[T]>::first_chunk::<4>) else { return };
    let Some((before, [y0, y1, y2, y3, ..])) = y.split_at_mut_checked(first) else { return };
    let [Some((p, p_own)), Some((q, q_own)), Some((r, r_own)), Some((s, s_own))] =
        rows.map(|row| row.split_at_checked(first))
    else {
        return;
    };
    let [f, g, h, k] = own;
    let (x, _) = x.as_chunks::<4>();
    let (before, _) = before.as_chunks_mut::<4>();
    let left = [p, q, r, s].map(|row| row.as_chunks::<4>().0);
    // By the size of a number, not by the target: the order of the sums, hence every bit, is the
    // same everywhere.
    let [a, b, c, d] = if size_of::<T>() > size_of::<f32>() {
        left_in_four_lanes(left, own, x, before)
    } else {
        left_in_two_lanes(left, own, x, before)
    };
    if let ([p0, ..], [q0, q1, ..], [r0, r1, r2, ..], [s0, s1, s2, s3, ..]) =
        (p_own, q_own, r_own, s_own)
    {
        *y0 = a + (*p0 * f + *q0 * g + (*r0 * h + *s0 * k));
        *y1 = b + (*q0 * f + *q1 * g + (*r1 * h + *s1 * k));
        *y2 = c + (*r0 * f + *r1 * g + (*r2 * h + *s2 * k));
        *y3 = d + (*s0 * f + *s1 * g + (*s2 * h + *s3 * k));
    }
}

/// `y ← y + Σ ownᵣ·rowᵣ`; returns `Σ rowᵣ·x` of each row. For `f32`, the type of devices.
///
/// In two lanes, because four rows of four do not fit into the registers of a Cortex-M4F.
#[inline(always)]
fn left_in_two_lanes<T: Real>(
    [p, q, r, s]: [&[[T; 4]]; 4],
    [f, g, h, k]: [T; 4],
    x: &[[T; 4]],
    y: &mut [[T; 4]],
) -> [T; 4] {
    let columns = p.iter().zip(q).zip(r).zip(s);
    let mut sums = [[T::ZERO; 2]; 4];
    for ((y, &x), (((&p, &q), &r), &s)) in y.iter_mut().zip(x).zip(columns) {
        let half = add_multiple(add_multiple(*y, f, p), g, q);
        *y = add_multiple(add_multiple(half, h, r), k, s);
        let [a, b, c, d] = sums;
        sums = [two_lanes(a, p, x), two_lanes(b, q, x), two_lanes(c, r, x), two_lanes(d, s, x)];
    }
    sums.map(|[even, odd]| even + odd)
}

/// The same for `f64`, the type of hosts.
///
/// Four lanes fill a vector register, and loops over arrays become vector instructions where
/// patterns do not. It is not inlined, so that the compiler knows that `y` does not alias the rows.
#[inline(never)]
fn left_in_four_lanes<T: Real>(
    [p, q, r, s]: [&[[T; 4]]; 4],
    [f, g, h, k]: [T; 4],
    x: &[[T; 4]],
    y: &mut [[T; 4]],
) -> [T; 4] {
    let scaled = |mut sum: [T; 4], factor: T, row: &[T; 4]| {
        for (sum, &entry) in sum.iter_mut().zip(row) {
            *sum += factor * entry;
        }
        sum
    };
    let product = |mut sum: [T; 4], x: &[T; 4], row: &[T; 4]| {
        for ((sum, &x), &entry) in sum.iter_mut().zip(x).zip(row) {
            *sum += x * entry;
        }
        sum
    };
    let mut sums = [[T::ZERO; 4]; 4];
    for (((((y, x), p), q), r), s) in y.iter_mut().zip(x).zip(p).zip(q).zip(r).zip(s) {
        *y = scaled(scaled(scaled(scaled(*y, f, p), g, q), h, r), k, s);
        let [a, b, c, d] = sums;
        sums = [product(a, x, p), product(b, x, q), product(c, x, r), product(d, x, s)];
    }
    // Without this, the compiler puts four rows into one vector, because their lanes are added up
    // together here, and shuffles entries in every turn of the loop.
    black_box(sums).map(add_up)
}

/// `lanes + x ∘ y`, in two lanes.
#[inline(always)]
fn two_lanes<T: Real>(
    [even, odd]: [T; 2],
    [x0, x1, x2, x3]: [T; 4],
    [y0, y1, y2, y3]: [T; 4],
) -> [T; 2] {
    [(even + x0 * y0) + x2 * y2, (odd + x1 * y1) + x3 * y3]
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    fn numbers(n: usize, step: f64) -> Vec<f64> {
        (0..n).map(|i| libm::sin(1.0 + step * i as f64)).collect()
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-13
    }

    #[test]
    fn sums_agree_with_plain_loops_at_every_length() {
        for n in 0..23 {
            let [x, y, z, w] = [0.7, 1.3, 2.9, 0.1].map(|step| numbers(n, step));
            let plain = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            assert!(near(dot_in_lanes(&x, &y), plain(&x, &y)));
            let four = dot_four([&x, &y, &z, &w], &w);
            for (got, row) in four.iter().zip([&x, &y, &z, &w]) {
                assert!(near(*got, plain(row, &w)));
            }
            let mut sum = x.clone();
            add(&mut sum, 2.0, &y);
            add_two(&mut sum, -1.0, &z, 0.5, &w);
            add_four(&mut sum, [1.0, 2.0, 3.0, 4.0], [&x, &y, &z, &w]);
            let product = add_and_dot(&mut sum, 0.25, &x, &y);
            assert!(near(product, plain(&x, &y)));
            for i in 0..n {
                assert!(near(sum[i], 2.25 * x[i] + 4.0 * y[i] + 2.0 * z[i] + 4.5 * w[i]));
            }
            let (mut a, mut b) = (x.clone(), y.clone());
            rotate(&mut a, &mut b, 0.6, 0.8);
            for i in 0..n {
                assert!(near(a[i], 0.6 * x[i] + 0.8 * y[i]) && near(b[i], 0.6 * y[i] - 0.8 * x[i]));
            }
        }
    }

    #[test]
    fn a_triangle_multiplies_like_the_whole_matrix() {
        for n in 0..19 {
            let whole = |i: usize, j: usize| libm::cos((i.min(j) * 3 + i.max(j) * 7) as f64);
            // What is above the diagonal must not be read.
            let entry = |k: usize| if k % n <= k / n { whole(k / n, k % n) } else { f64::NAN };
            let data: Vec<f64> = (0..n * n).map(entry).collect();
            let (x, mut y) = (numbers(n, 0.9), std::vec![f64::NAN; n]);
            multiply_symmetric(MatrixView::new(&data, n, n).unwrap(), &x, &mut y);
            for (i, y) in y.iter().enumerate() {
                assert!(near(*y, (0..n).map(|j| whole(i, j) * x[j]).sum()), "row {i} of {n}");
            }
        }
    }
}
