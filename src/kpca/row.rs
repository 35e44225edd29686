//! One pass over the points of a model, four at a time or in `f64` a block at a time: what a score consists of.
//!
//! The plain way, point by point through [`Kernel::eval`], is [`KernelPcaView`](super::KernelPcaView); tests compare the two.

use crate::kernel::{Kernel, Row, Sample, Samples};
use crate::kpca::ExpansionView;
use crate::linalg::lanes::{LANES, add_dot, add_rows};
use crate::math::Real;

/// Points that are looked at together in `f64`.
const BLOCK: usize = 16;

/// The points of a model, and what belongs to them.
pub(super) struct Points<'a, X, T, const R: usize, const P: usize> {
    pub(super) points: &'a [X],
    pub(super) memos: &'a [T; R],
    pub(super) weights: &'a [[T; P]; R],
    pub(super) centre: &'a [T; R],
}

impl<X: Sample, T: Real, const R: usize, const P: usize> Points<'_, X, T, R, P> {
    /// Writes `Σ_i α_ji k_i` for each component and returns `Σ_i β_i k_i`, for a query that the kernel has prepared.
    ///
    /// All `P` columns of weights are added up, in use or not: their number is then known to the compiler, which keeps the sums in registers.
    /// Not inlined, or all arrays would be addressed from the start of the model, out of reach of the short offsets of load instructions.
    #[inline(never)]
    pub(super) fn sums<K>(&self, kernel: &K, row: Row<T>, x: &X, sums: &mut [T; P]) -> T
    where
        K: Kernel<X::View, Scalar = T>,
    {
        let mut column_sums = [T::ZERO; P];
        let centre_sum = if size_of::<T>() > size_of::<f32>() {
            self.by_blocks(kernel, row, x, &mut column_sums)
        } else {
            self.by_fours(kernel, row, x, &mut column_sums)
        };
        for (sum, column_sum) in sums.iter_mut().zip(column_sums) {
            *sum = row.factor * column_sum;
        }
        row.factor * centre_sum
    }

    /// For `f32`, whose place is a device: everything that is known of four points stays in registers.
    #[inline(always)]
    fn by_fours<K>(&self, kernel: &K, row: Row<T>, x: &X, column_sums: &mut [T; P]) -> T
    where
        K: Kernel<X::View, Scalar = T>,
    {
        let mut centre_sum = T::ZERO;
        let (fours, last) = self.points.as_chunks::<LANES>();
        // Or all arrays would be addressed from the start of the model, out of reach of the short offsets of load instructions.
        let (memos, _) = self.memos.as_chunks();
        let (weights, _) = self.weights.as_chunks();
        let (centre, _) = self.centre.as_chunks();
        for (((points, &memos), weights), &centre) in
            fours.iter().zip(memos).zip(weights).zip(centre)
        {
            let [p0, p1, p2, p3] = points;
            let points = [p0.view(), p1.view(), p2.view(), p3.view()];
            let k = kernel.eval_four(row, x.view(), points, memos);
            add_rows(column_sums, weights, k);
            centre_sum = add_dot(centre_sum, centre, k);
        }
        let done = self.points.len() - last.len();
        let others = self.memos.iter().zip(self.weights).zip(self.centre).skip(done);
        for (point, ((&memo, weights), &beta)) in last.iter().zip(others) {
            let k = kernel.eval_prepared(row, x.view(), point.view(), memo);
            centre_sum += beta * k;
            for (sum, &alpha) in column_sums.iter_mut().zip(weights) {
                *sum += alpha * k;
            }
        }
        centre_sum
    }

    /// For `f64`, whose place is a host: one loop for all exponents of a block, one for all `exp`, one for the sums, all of which become vector instructions.
    #[inline(always)]
    fn by_blocks<K>(&self, kernel: &K, row: Row<T>, x: &X, column_sums: &mut [T; P]) -> T
    where
        K: Kernel<X::View, Scalar = T>,
    {
        let mut centre_sum = T::ZERO;
        let blocks = self.points.chunks(BLOCK).zip(self.memos.chunks(BLOCK));
        let blocks = blocks.zip(self.weights.chunks(BLOCK)).zip(self.centre.chunks(BLOCK));
        for (((points, memos), weights), centre) in blocks {
            let mut values = [T::ZERO; BLOCK];
            for ((value, point), &memo) in values.iter_mut().zip(points).zip(memos) {
                *value = kernel.begin_prepared(row, x.view(), point.view(), memo);
            }
            kernel.finish(row, values.get_mut(..points.len()).unwrap_or_default());
            for (((&k, _), weights), &beta) in values.iter().zip(points).zip(weights).zip(centre) {
                centre_sum += beta * k;
                for (sum, &alpha) in column_sums.iter_mut().zip(weights) {
                    *sum += alpha * k;
                }
            }
        }
        centre_sum
    }
}

/// As [`Points::sums`] and less the offsets, with the same bits, for sizes that are known at run time.
pub(super) fn sums<K, S>(
    kernel: &K,
    row: Row<K::Scalar>,
    x: &S::View,
    points: &S,
    memos: &[K::Scalar],
    expansion: ExpansionView<'_, K::Scalar>,
    projection: &mut [K::Scalar],
) -> K::Scalar
where
    S: Samples + ?Sized,
    K: Kernel<S::View>,
{
    projection.fill(K::Scalar::ZERO);
    let mut centre_sum = K::Scalar::ZERO;
    let mut add = |i: usize, k: K::Scalar| {
        centre_sum += expansion.centre().get(i).copied().unwrap_or_default() * k;
        for (sum, &alpha) in projection.iter_mut().zip(expansion.weights().row(i)) {
            *sum += alpha * k;
        }
    };
    for (first, memos) in (0..).step_by(BLOCK).zip(memos.chunks(BLOCK)) {
        let mut values = [K::Scalar::ZERO; BLOCK];
        for ((i, &memo), value) in (first..).zip(memos).zip(&mut values) {
            let Some(point) = points.sample(i) else { break };
            *value = kernel.begin_prepared(row, x, point, memo);
        }
        let values = values.get_mut(..memos.len()).unwrap_or_default();
        kernel.finish(row, values);
        (first..).zip(values).for_each(|(i, k)| add(i, *k));
    }
    for (f, &offset) in projection.iter_mut().zip(expansion.offsets()) {
        *f = row.factor * *f - offset;
    }
    row.factor * centre_sum
}
