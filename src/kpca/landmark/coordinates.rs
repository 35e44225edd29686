//! The coordinates of the samples after a fit, as far as their order is of interest.

use core::ops::Range;

use crate::linalg::MatrixView;
use crate::linalg::slices::tail;
use crate::math::Real;

/// The coordinates `z_i − z̄` of the samples, in their order.
pub trait Coordinates<T: Real> {
    /// How many samples there are.
    fn count(&self) -> usize;

    /// How many of them can be looked at in a step.
    fn in_step(&self) -> usize;

    /// The squared length of the sum of some of them; if not `anew`, of those before as well.
    fn squared_sum(&mut self, some: Range<usize>, anew: bool) -> T;

    /// Of samples so far `apart`, the differences `u = z_t − z_{t+apart}` at this sample, and `v`
    /// at the next: `u·v` and `‖u‖² + ‖v‖²`.
    fn neighbours(&mut self, sample: usize, apart: usize) -> (T, T);
}

/// Columns that are added up in one pass over the rows: a cache line of a host, in `f32`.
const ABREAST: usize = 16;

/// One sample a row.
impl<T: Real> Coordinates<T> for MatrixView<'_, T> {
    fn count(&self) -> usize {
        self.rows()
    }

    fn in_step(&self) -> usize {
        self.rows()
    }

    /// Always anew: all that are wanted can be looked at in a step.
    fn squared_sum(&mut self, some: Range<usize>, _: bool) -> T {
        let mut norm = T::ZERO;
        for first in (0..self.columns()).step_by(ABREAST) {
            let mut sums = [T::ZERO; ABREAST];
            for row in some.clone() {
                let entries = tail(self.row(row), first);
                sums.iter_mut().zip(entries).for_each(|(sum, &entry)| *sum += entry);
            }
            norm = sums.into_iter().fold(norm, |norm, sum| norm + sum * sum);
        }
        norm
    }

    fn neighbours(&mut self, sample: usize, apart: usize) -> (T, T) {
        let (now, next) = (self.row(sample), self.row(sample + 1));
        let (then, after) = (self.row(sample + apart), self.row(sample + apart + 1));
        let (mut product, mut norms) = (T::ZERO, T::ZERO);
        for (((&now, &next), &then), &after) in now.iter().zip(next).zip(then).zip(after) {
            let (u, v) = (now - then, next - after);
            product += u * v;
            norms += u * u + v * v;
        }
        (product, norms)
    }
}
