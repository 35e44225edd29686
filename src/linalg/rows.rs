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
use crate::linalg::lanes::{Lanes, sum_of};
use crate::linalg::slices::{head, head_mut};
use crate::math::{Real, sum};

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

/// `Σ xᵢ`; in `f64`, the type of hosts, in four lanes.
pub(crate) fn row_sum<T: Real>(x: &[T]) -> T {
    if size_of::<T>() <= size_of::<f32>() {
        return sum(x.iter().copied());
    }
    sum_of(x, x, |x, _| x)
}

/// `Σ xᵢ²`; in `f64`, the type of hosts, in sixteen lanes: four sums wait for each other less.
pub(crate) fn squares<T: Real>(x: &[T]) -> T {
    if size_of::<T>() <= size_of::<f32>() {
        return dot_in_lanes(x, x);
    }
    let (sixteens, rest) = x.as_chunks::<16>();
    let mut sums = [[T::ZERO; 4]; 4];
    for sixteen in sixteens {
        for (sum, four) in sums.iter_mut().zip(sixteen.as_chunks::<4>().0) {
            *sum = product(*sum, four, four);
        }
    }
    add_up(apart(sums).map(add_up)) + dot_in_lanes(rest, rest)
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
    let [mut a, mut b, mut c, mut d] = apart(sums).map(add_up);
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
///
/// `backwards` begins with the last row: where that was used last, caches still hold it. It counts
/// for `f64`, the type of hosts. The type decides, not the target: the order of the sums, hence
/// every bit, is the same everywhere.
pub(crate) fn multiply_symmetric<T: Real>(
    a: MatrixView<'_, T>,
    x: &[T],
    y: &mut [T],
    backwards: bool,
) {
    let n = a.rows();
    debug_assert!(x.len() == n && y.len() == n && a.columns() == n, "sizes differ");
    if size_of::<T>() > size_of::<f32>() {
        return multiply_on_host(a, x, y, backwards);
    }
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

/// Rows of a matrix in `f64` that no cache of a host holds: to read eight of them at a time keeps
/// its memory busier, and loads `x` and `y` half as often.
const MANY: usize = 1024;

/// [`multiply_symmetric`] in either direction.
fn multiply_on_host<T: Real>(a: MatrixView<'_, T>, x: &[T], y: &mut [T], backwards: bool) {
    let n = a.rows();
    y.fill(T::ZERO);
    let rows = if n >= MANY { 8 } else { 4 };
    let blocks = n / rows;
    let add_rest = |y: &mut [T]| {
        for i in blocks * rows..n {
            add_block::<T, 1>(a, i, x, y, |[row], [own], x, y| [add_and_dot(y, *own, row, x)]);
        }
    };
    if backwards {
        add_rest(y);
    }
    for k in 0..blocks {
        let first = rows * if backwards { blocks - 1 - k } else { k };
        match rows {
            8 => add_block(a, first, x, y, left_of_eight),
            _ => add_block(a, first, x, y, left_of_four),
        }
    }
    if !backwards {
        add_rest(y);
    }
}

/// Adds what `R` rows make of `x`, as rows and as columns: `left` says it of what lies left of the
/// diagonal block.
#[inline(always)]
fn add_block<T: Real, const R: usize>(
    a: MatrixView<'_, T>,
    first: usize,
    x: &[T],
    y: &mut [T],
    left: impl Fn([&[T]; R], &[T; R], &[T], &mut [T]) -> [T; R],
) {
    let rows: [&[T]; R] = core::array::from_fn(|k| a.row(first + k));
    debug_assert!(first + R <= x.len().min(y.len()), "row {first} of {}", a.rows());
    let Some(own) = x.get(first..).and_then(<[T]>::first_chunk::<R>) else { return };
    let Some((before, after)) = y.split_at_mut_checked(first) else { return };
    let sums = left(rows.map(|row| head(row, first)), own, x, before);
    for (i, ((row, &x_i), sum)) in rows.iter().zip(own).zip(sums).enumerate() {
        let Some((above, [y_i, ..])) = after.split_at_mut_checked(i) else { return };
        let Some([block @ .., diagonal]) = row.get(first..=first + i) else { return };
        for ((y_j, &entry), &x_j) in above.iter_mut().zip(block).zip(own) {
            *y_j += entry * x_i;
            *y_i += entry * x_j;
        }
        *y_i += sum + *diagonal * x_i;
    }
}

/// `y ← y + Σ ownᵣ·rowᵣ`; returns `Σ rowᵣ·x` of each row.
///
/// Four lanes fill a vector register. It is not inlined, so that the compiler knows that `y` does
/// not alias the rows.
#[inline(never)]
fn left_of_four<T: Real>(rows: [&[T]; 4], &[f, g, h, k]: &[T; 4], x: &[T], y: &mut [T]) -> [T; 4] {
    let [p, q, r, s] = rows.map(|row| row.as_chunks::<4>().0);
    let (x, y) = (x.as_chunks::<4>().0, y.as_chunks_mut::<4>().0);
    let mut sums = [[T::ZERO; 4]; 4];
    for (((((y, x), p), q), r), s) in y.iter_mut().zip(x).zip(p).zip(q).zip(r).zip(s) {
        *y = scaled(scaled(scaled(scaled(*y, f, p), g, q), h, r), k, s);
        let [a, b, c, d] = sums;
        sums = [product(a, x, p), product(b, x, q), product(c, x, r), product(d, x, s)];
    }
    apart(sums).map(add_up)
}

/// The same of eight rows.
#[inline(never)]
fn left_of_eight<T: Real>(rows: [&[T]; 8], own: &[T; 8], x: &[T], y: &mut [T]) -> [T; 8] {
    let [a, b, c, d, e, f, g, h] = rows.map(|row| row.as_chunks::<4>().0);
    let (x, y) = (x.as_chunks::<4>().0, y.as_chunks_mut::<4>().0);
    let mut sums = [[T::ZERO; 4]; 8];
    let (first, second) = (a.iter().zip(b).zip(c).zip(d), e.iter().zip(f).zip(g).zip(h));
    for (((y, x), (((a, b), c), d)), (((e, f), g), h)) in y.iter_mut().zip(x).zip(first).zip(second)
    {
        let rows = [a, b, c, d, e, f, g, h];
        for (row, &factor) in rows.iter().zip(own) {
            *y = scaled(*y, factor, row);
        }
        for (sum, row) in sums.iter_mut().zip(rows) {
            *sum = product(*sum, x, row);
        }
    }
    apart(sums).map(add_up)
}

/// `sum + factor·row`. A loop over an array becomes vector instructions where patterns do not.
#[inline(always)]
fn scaled<T: Real>(mut sum: Lanes<T>, factor: T, row: &Lanes<T>) -> Lanes<T> {
    for (sum, &entry) in sum.iter_mut().zip(row) {
        *sum += factor * entry;
    }
    sum
}

/// `sum + x ∘ row`.
#[inline(always)]
fn product<T: Real>(mut sum: Lanes<T>, x: &Lanes<T>, row: &Lanes<T>) -> Lanes<T> {
    for ((sum, &x), &entry) in sum.iter_mut().zip(x).zip(row) {
        *sum += x * entry;
    }
    sum
}

/// Four rows of `f32` in [`multiply_symmetric`]: what lies left of the diagonal block, as rows and
/// as columns, then that block.
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
    let [a, b, c, d] = left_in_two_lanes(left, own, x, before);
    if let ([p0, ..], [q0, q1, ..], [r0, r1, r2, ..], [s0, s1, s2, s3, ..]) =
        (p_own, q_own, r_own, s_own)
    {
        *y0 = a + (*p0 * f + *q0 * g + (*r0 * h + *s0 * k));
        *y1 = b + (*q0 * f + *q1 * g + (*r1 * h + *s1 * k));
        *y2 = c + (*r0 * f + *r1 * g + (*r2 * h + *s2 * k));
        *y3 = d + (*s0 * f + *s1 * g + (*s2 * h + *s3 * k));
    }
}

/// [`left_of_four`] for `f32`, the type of devices.
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

/// The sums of several rows, of which no compiler makes common vectors: because their lanes are
/// added up together, it would shuffle entries in every turn of the loop. On hosts, that is, where
/// vectors are.
#[inline(always)]
fn apart<T: Real, const R: usize>(sums: [Lanes<T>; R]) -> [Lanes<T>; R] {
    if size_of::<T>() > size_of::<f32>() { black_box(sums) } else { sums }
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
        for n in 0..53 {
            let [x, y, z, w] = [0.7, 1.3, 2.9, 0.1].map(|step| numbers(n, step));
            let plain = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            assert!(near(dot_in_lanes(&x, &y), plain(&x, &y)));
            assert!(near(row_sum(&x), x.iter().sum()));
            assert!(near(squares(&x), plain(&x, &x)));
            let single: Vec<f32> = x.iter().map(|&x| x as f32).collect();
            assert!((f64::from(squares(&single)) - plain(&x, &x)).abs() < 1e-5);
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
        for n in (0..19).chain([MANY - 1, MANY, MANY + 11]) {
            let whole = |i: usize, j: usize| libm::cos((i.min(j) * 3 + i.max(j) * 7) as f64);
            // What is above the diagonal must not be read.
            let entry = |k: usize| if k % n <= k / n { whole(k / n, k % n) } else { f64::NAN };
            let data: Vec<f64> = (0..n * n).map(entry).collect();
            let (x, mut y) = (numbers(n, 0.9), std::vec![f64::NAN; n]);
            for backwards in [false, true] {
                multiply_symmetric(MatrixView::new(&data, n, n).unwrap(), &x, &mut y, backwards);
                for (i, y) in y.iter().enumerate() {
                    let expected = (0..n).map(|j| whole(i, j) * x[j]).sum::<f64>();
                    assert!((y - expected).abs() < 1e-14 * (20 + n) as f64, "row {i} of {n}");
                }
            }
            let single: Vec<f32> = data.iter().map(|&entry| entry as f32).collect();
            let (x, mut y) =
                (x.iter().map(|&x| x as f32).collect::<Vec<_>>(), std::vec![f32::NAN; n]);
            multiply_symmetric(MatrixView::new(&single, n, n).unwrap(), &x, &mut y, false);
            for (i, &y) in y.iter().enumerate() {
                let expected = (0..n).map(|j| whole(i, j) * f64::from(x[j])).sum::<f64>();
                let bound = 1e-6 * libm::sqrt((20 + n) as f64);
                assert!((f64::from(y) - expected).abs() < bound, "row {i} of {n} in f32");
            }
        }
    }
}
