//! Four sums at once: the inner loops of a score.
//!
//! **Method.** Four points share the loads of the query and the overhead of a loop; four inputs at
//! a time make that overhead small at every optimisation level, with sizes that the compiler knows
//! (`docs/bench.csv` has a score at 3, s and z). More than four points do not fit into the
//! registers of a Cortex-M4F.
//!
//! **Source.** Loop unrolling with register blocking; measured here.
//!
//! **Domain.** Every point has as many inputs as the query.
//!
//! **Bound.** In [`add_products`], each sum is added up in the order of its inputs, so that its
//! bits are those of the plain loop. [`add_dot`], and [`add_rows`] in its first four columns, join
//! the terms of four points in pairs before they join the sum; how many columns there are makes no
//! difference to any of them.

use crate::linalg::slices::head;
use crate::math::Real;

/// How many sums are made at once.
pub(crate) const LANES: usize = 4;

/// One number for each lane.
pub(crate) type Lanes<T> = [T; LANES];

/// `sums[l] + Σ_j x_j y_lj`.
#[inline(always)]
pub(crate) fn add_products<T: Real>(sums: Lanes<T>, x: &[T], y: Lanes<&[T]>) -> Lanes<T> {
    let mut sums = sums;
    let (quads, rest) = x.as_chunks();
    for (q, &[x0, x1, x2, x3]) in quads.iter().enumerate() {
        let Some(y0) = column(y, 4 * q) else { break };
        sums = add_scaled(sums, x0, y0);
        let Some(y1) = column(y, 4 * q + 1) else { break };
        sums = add_scaled(sums, x1, y1);
        let Some(y2) = column(y, 4 * q + 2) else { break };
        sums = add_scaled(sums, x2, y2);
        let Some(y3) = column(y, 4 * q + 3) else { break };
        sums = add_scaled(sums, x3, y3);
    }
    for (j, &x) in rest.iter().enumerate() {
        let Some(y) = column(y, 4 * quads.len() + j) else { break };
        sums = add_scaled(sums, x, y);
    }
    sums
}

/// `sums[j] + Σ_l rows[l][j] x_l`, four columns at a time: those of the first four as in
/// [`add_dot`], those of any others one after the other. That takes two instructions less for a
/// column and two cycles more: a few columns are worth the cycles, many are not the instructions.
#[inline(always)]
pub(crate) fn add_rows<T: Real>(sums: &mut [T], rows: Lanes<&[T]>, x: Lanes<T>) {
    let ([r0, r1, r2, r3], [x0, x1, x2, x3]) = (rows, x);
    let (quads, rest) = sums.as_chunks_mut();
    let ((a, _), (b, _)) = (r0.as_chunks(), r1.as_chunks());
    let ((c, _), (d, _)) = (r2.as_chunks(), r3.as_chunks());
    let (in_pairs, done) = (quads.is_empty(), 4 * quads.len());
    // Row by row, which leaves time for each product to arrive. Slices, not an iterator that is
    // asked in two places: at level z it would be a function, of twice the time.
    if let (
        [sums, more @ ..],
        [a, a_more @ ..],
        [b, b_more @ ..],
        [c, c_more @ ..],
        [d, d_more @ ..],
    ) = (quads, a, b, c, d)
    {
        let first = add_scaled(scaled(x0, *a), x1, *b);
        let second = add_scaled(scaled(x2, *c), x3, *d);
        *sums = added(*sums, added(first, second));
        for ((((sums, a), b), c), d) in
            more.iter_mut().zip(a_more).zip(b_more).zip(c_more).zip(d_more)
        {
            *sums = add_scaled(add_scaled(*sums, x0, *a), x1, *b);
            *sums = add_scaled(add_scaled(*sums, x2, *c), x3, *d);
        }
    }
    for (j, sum) in rest.iter_mut().enumerate() {
        let Some(column) = column(rows, done + j) else { break };
        *sum = match in_pairs {
            true => add_dot(*sum, column, x),
            false => add_in_turn(*sum, column, x),
        };
    }
}

/// `sum + Σ_l x_l y_l`, one term after the other.
#[inline(always)]
fn add_in_turn<T: Real>(sum: T, x: Lanes<T>, y: Lanes<T>) -> T {
    let ([x0, x1, x2, x3], [y0, y1, y2, y3]) = (x, y);
    sum + x0 * y0 + x1 * y1 + x2 * y2 + x3 * y3
}

/// `sum + Σ_l x_l y_l`, the terms in pairs: a core that takes three cycles to add a product in one
/// instruction takes two in two, and the compiler forms the one wherever a product joins a sum.
#[inline(always)]
pub(crate) fn add_dot<T: Real>(sum: T, x: Lanes<T>, y: Lanes<T>) -> T {
    let ([x0, x1, x2, x3], [y0, y1, y2, y3]) = (x, y);
    sum + ((x0 * y0 + x1 * y1) + (x2 * y2 + x3 * y3))
}

/// `Σ_j term(x_j, y_j)`, over the shorter length.
///
/// Here the lanes are inputs, not points, and are added up at the end: a host computes them in
/// vectors.
#[inline(always)]
pub(crate) fn sum_of<T: Real>(x: &[T], y: &[T], term: impl Fn(T, T) -> T) -> T {
    let length = x.len().min(y.len());
    let (x, x_rest) = head(x, length).as_chunks::<LANES>();
    let (y, y_rest) = head(y, length).as_chunks::<LANES>();
    let rest = x_rest.iter().zip(y_rest).fold(T::ZERO, |sum, (&x, &y)| sum + term(x, y));
    let mut quads = x.iter().zip(y);
    let Some((&[x0, x1, x2, x3], &[y0, y1, y2, y3])) = quads.next() else { return rest };
    let mut sums = [term(x0, y0), term(x1, y1), term(x2, y2), term(x3, y3)];
    for (x, y) in quads {
        for ((sum, &x), &y) in sums.iter_mut().zip(x).zip(y) {
            *sum += term(x, y);
        }
    }
    let [a, b, c, d] = sums;
    let sum = (a + b) + (c + d);
    if x_rest.is_empty() { sum } else { sum + rest }
}

/// Four entries of a row that has them, from one on; `None` as in [`column`].
#[inline(always)]
pub(crate) fn four<T: Real>(row: &[T], first: usize) -> Option<Lanes<T>> {
    debug_assert!(first + LANES <= row.len(), "four from {first} of {}", row.len());
    row.get(first..)?.first_chunk().copied()
}

/// `sums[l] + x y_l`.
#[inline(always)]
pub(crate) fn add_scaled<T: Real>(sums: Lanes<T>, x: T, y: Lanes<T>) -> Lanes<T> {
    let ([s0, s1, s2, s3], [y0, y1, y2, y3]) = (sums, y);
    [s0 + x * y0, s1 + x * y1, s2 + x * y2, s3 + x * y3]
}

/// `x y_l`.
#[inline(always)]
fn scaled<T: Real>(x: T, y: Lanes<T>) -> Lanes<T> {
    let [y0, y1, y2, y3] = y;
    [x * y0, x * y1, x * y2, x * y3]
}

/// `x_l + y_l`.
#[inline(always)]
fn added<T: Real>(x: Lanes<T>, y: Lanes<T>) -> Lanes<T> {
    let ([x0, x1, x2, x3], [y0, y1, y2, y3]) = (x, y);
    [x0 + y0, x1 + y1, x2 + y2, x3 + y3]
}

/// Entry `j` of each, which all have; `None` rather than zeros, because a loop that can end early
/// costs less than one that goes on with them.
#[inline(always)]
fn column<T: Real>(rows: Lanes<&[T]>, j: usize) -> Option<Lanes<T>> {
    debug_assert!(rows.iter().all(|row| j < row.len()), "entry {j}");
    let [r0, r1, r2, r3] = rows;
    Some([*r0.get(j)?, *r1.get(j)?, *r2.get(j)?, *r3.get(j)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::array::from_fn;

    #[test]
    fn lanes_have_the_bits_of_the_plain_loop() {
        let x: [f32; 11] = from_fn(|j| 0.37 * j as f32 - 1.9);
        let y: Lanes<[f32; 11]> = from_fn(|l| from_fn(|j| ((7 * l + 3 * j) % 13) as f32 * 0.11));
        let start: Lanes<f32> = from_fn(|l| l as f32 * 0.3);
        for inputs in 0..=11 {
            let sums = add_products(start, &x[..inputs], from_fn(|l| &y[l][..inputs]));
            for (l, sum) in sums.iter().enumerate() {
                let plain = (0..inputs).fold(start[l], |sum, j| sum + x[j] * y[l][j]);
                assert_eq!(*sum, plain, "lane {l}, {inputs} inputs");
            }
        }
        for inputs in 0..=11 {
            let (x, y) = (x.map(f64::from), y[1].map(f64::from));
            let sum = sum_of(&x[..inputs], &y, |x, y| (x - y) * (x - y));
            let plain: f64 = (0..inputs).map(|j| (x[j] - y[j]) * (x[j] - y[j])).sum();
            assert!((sum - plain).abs() < 1e-14, "{inputs} inputs: {sum} instead of {plain}");
        }
        let mut sums = x;
        add_rows(&mut sums, y.each_ref().map(<[f32; 11]>::as_slice), start);
        for (j, sum) in sums.iter().enumerate() {
            let column = from_fn(|l| y[l][j]);
            let joined = if j < LANES {
                add_dot(x[j], column, start)
            } else {
                add_in_turn(x[j], column, start)
            };
            assert_eq!(*sum, joined, "column {j}");
            let plain = (0..LANES).fold(x[j], |sum, l| sum + y[l][j] * start[l]);
            assert!((sum - plain).abs() <= 2e-7 * (1.0 + x[j].abs()), "{sum} instead of {plain}");
        }
        for columns in 0..=11 {
            let mut fewer = x;
            add_rows(&mut fewer[..columns], from_fn(|l| &y[l][..columns]), start);
            assert_eq!(fewer[..columns], sums[..columns], "{columns} columns");
        }
    }
}
