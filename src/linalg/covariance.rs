//! Sums of products of coordinates over samples, four by four.
//!
//! **Method.** The upper triangle of `Σ z zᵀ` is made of squares of 4 × 4 entries and, along the
//! diagonal, of triangles. The entries of one stay in registers while the samples go by, so that
//! two times four numbers are loaded for sixteen products; up to three last columns go by
//! themselves. Of many samples, 512 are added up before their sum joins the others.
//!
//! **Source.** Register blocking; sums in blocks as in `blocks.rs`.
//!
//! **Domain.** Any number of samples and coordinates whose squares do not overflow when 512 of them
//! are added up: the weight multiplies the sums, so that it costs nothing.
//!
//! **Bound.** An entry of `n` samples, handed over in `m` calls, is off by at most
//! `γ_k Σ|w z_i z_j|` with `k = 513 + n/512 + m`.

use crate::linalg::blocks::BLOCK;
use crate::linalg::lanes::{LANES, Lanes, add_scaled, four};
use crate::linalg::slices::{entry, update};
use crate::linalg::{MatrixView, MatrixViewMut};
use crate::math::Real;

/// Adds `weight · Σ z zᵀ` over the rows `z` of `samples`, which have as many columns as the sums
/// have rows, on and above the diagonal.
// Its squares are on the stack: not inlined, they are gone when it returns.
#[inline(never)]
pub(crate) fn add<T: Real>(sums: &mut MatrixViewMut<'_, T>, samples: MatrixView<'_, T>, weight: T) {
    debug_assert_eq!(samples.columns(), sums.rows(), "sizes differ");
    for first in (0..samples.rows()).step_by(BLOCK) {
        let block = samples.part(first..first + BLOCK);
        for row in (0..samples.columns()).step_by(LANES) {
            add_band(sums, block, weight, row);
        }
    }
}

/// The products of coordinates `first` to `first + 3`, as far as there are any, with themselves and
/// those behind them.
fn add_band<T: Real>(
    sums: &mut MatrixViewMut<'_, T>,
    samples: MatrixView<'_, T>,
    weight: T,
    first: usize,
) {
    let columns = samples.columns();
    let behind = first + LANES;
    if behind > columns {
        for i in first..columns {
            for j in i..columns {
                let sum =
                    samples.iter_rows().fold(T::ZERO, |sum, z| sum + entry(z, i) * entry(z, j));
                update(sums.row_mut(i), j, |total| *total += weight * sum);
            }
        }
        return;
    }
    add_rows(sums, (first, first), weight, triangle(samples, first));
    for column in (behind..columns - columns % LANES).step_by(LANES) {
        add_rows(sums, (first, column), weight, square(samples, first, column));
    }
    for column in (behind..columns).rev().take(columns % LANES) {
        let sum = strip(samples, first, column);
        for (i, sum) in sum.into_iter().enumerate() {
            update(sums.row_mut(first + i), column, |total| *total += weight * sum);
        }
    }
}

/// Adds four rows of four, times the weight, to the sums from entry `(row, column)` on.
fn add_rows<T: Real>(
    sums: &mut MatrixViewMut<'_, T>,
    (row, column): (usize, usize),
    weight: T,
    [a, b, c, d]: [Lanes<T>; LANES],
) {
    add_row(sums.row_mut(row), column, weight, a);
    add_row(sums.row_mut(row + 1), column, weight, b);
    add_row(sums.row_mut(row + 2), column, weight, c);
    add_row(sums.row_mut(row + 3), column, weight, d);
}

/// Adds four numbers, times the weight, to those of a row from this column on.
fn add_row<T: Real>(row: &mut [T], column: usize, weight: T, four: Lanes<T>) {
    let place = row.get_mut(column..).and_then(<[T]>::first_chunk_mut);
    debug_assert!(place.is_some(), "four from {column}");
    if let Some(place) = place {
        *place = add_scaled(*place, weight, four);
    }
}

/// Sixteen products of coordinates.
fn square<T: Real>(samples: MatrixView<'_, T>, row: usize, column: usize) -> [Lanes<T>; LANES] {
    let mut sums = [[T::ZERO; LANES]; LANES];
    for z in samples.whole_rows() {
        let (Some([x0, x1, x2, x3]), Some(y)) = (four(z, row), four(z, column)) else { break };
        let [a, b, c, d] = sums;
        sums = [
            add_scaled(a, x0, y),
            add_scaled(b, x1, y),
            add_scaled(c, x2, y),
            add_scaled(d, x3, y),
        ];
    }
    sums
}

/// Ten of them, of coordinates with themselves and those behind; zeros below the diagonal.
fn triangle<T: Real>(samples: MatrixView<'_, T>, first: usize) -> [Lanes<T>; LANES] {
    let o = T::ZERO;
    let (mut a, mut b, mut c, mut d) = ([o; 4], [o; 3], [o; 2], o);
    for z in samples.whole_rows() {
        let Some(y) = four(z, first) else { break };
        let [x0, x1, x2, x3] = y;
        a = add_scaled(a, x0, y);
        let ([b1, b2, b3], [c2, c3]) = (b, c);
        b = [b1 + x1 * x1, b2 + x1 * x2, b3 + x1 * x3];
        c = [c2 + x2 * x2, c3 + x2 * x3];
        d += x3 * x3;
    }
    let ([b1, b2, b3], [c2, c3]) = (b, c);
    [a, [o, b1, b2, b3], [o, o, c2, c3], [o, o, o, d]]
}

/// Four of them, with one column.
fn strip<T: Real>(samples: MatrixView<'_, T>, row: usize, column: usize) -> Lanes<T> {
    samples.whole_rows().fold([T::ZERO; LANES], |sums, z| match four(z, row) {
        Some(x) => add_scaled(sums, entry(z, column), x),
        None => sums,
    })
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    #[test]
    fn every_shape_has_the_sums_of_the_plain_loop() {
        for (samples, columns, stride) in
            (0..14).flat_map(|columns| [0, 1, 3, 8, 600].map(|n| (n, columns, columns + n % 3)))
        {
            let stride = stride.max(1);
            let data: Vec<f64> =
                (0..samples * stride).map(|i| libm::sin(0.7 + 1.3 * i as f64)).collect();
            let z = MatrixView::new(&data, samples, stride).unwrap().leading(samples, columns);
            let mut sums = std::vec![1.0; columns * columns];
            add(&mut MatrixViewMut::new(&mut sums, columns, columns).unwrap(), z, 0.25);
            for (k, &sum) in sums.iter().enumerate() {
                let (i, j) = (k / columns, k % columns);
                let plain: f64 = z.iter_rows().map(|z| 0.25 * z[i] * z[j]).sum();
                let expected = if i <= j { 1.0 + plain } else { 1.0 };
                assert!((sum - expected).abs() < 1e-12, "({i}, {j}) of {columns}: {sum}");
            }
        }
    }
}
