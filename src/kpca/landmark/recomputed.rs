//! Coordinates that are not kept: each is found again whenever it is needed.
//!
//! **Method.** `z(x) = L⁻¹ k_P(x)` by forward substitution, where the rows of `L` are those of the
//! landmarks. `L` lies below the diagonal of the covariance while samples are added to that on and
//! above its diagonal, and `√δ` of each landmark beside it. The eigenproblem takes that place; once
//! its vectors have been copied, the rows of the landmarks are made anew.
//!
//! A landmark is the sample with the largest residual. Residuals only fall, from landmark to
//! landmark and in every bit, so one that was found earlier is an upper bound: the largest bound is
//! found anew until it is that of the sample which was looked at last. Hence the landmarks are
//! those of [`PivotedCholesky::step`], of which few samples are looked at for each.
//!
//! **Source.** Minoux, *Accelerated greedy algorithms for maximizing submodular set functions*,
//! 1978, for the bounds.
//!
//! **Domain.** At most [`Recomputed::SAMPLES`] samples: sums over more are made in blocks, which
//! need the place of `L`.
//!
//! **Bound.** The coordinates are, bit by bit, those that [`PivotedCholesky::step`] keeps.

use core::ops::Range;

use super::LandmarkScratch;
use super::coordinates::Coordinates;
use super::factor::Factor;
use crate::Progress;
use crate::error::{Error, require_capacity, require_shape};
use crate::kernel::{BlockKernel, Index, Indexed, Kernel, Samples};
use crate::kpca::pivoted::{largest, shortened};
use crate::kpca::{Landmarks, PivotedCholesky};
use crate::linalg::eigen::Eigensolver;
use crate::linalg::slices::{copy, entry, head, head_mut, set, split_mut};
use crate::linalg::{MatrixView, MatrixViewMut, blocks, rows};
use crate::math::{Real, dot_in_order};

/// A factor that keeps no coordinates, for fits to at most [`SAMPLES`](Self::SAMPLES) samples: each
/// is found again, by forward substitution, whenever it is needed.
#[derive(Debug)]
pub struct Recomputed<'a, T> {
    /// `√δ` of each landmark when it was taken, the diagonal of `L`; one for each there is room
    /// for.
    pub roots: &'a mut [T],
}

impl<T> Recomputed<'_, T> {
    /// How many samples a fit may have.
    pub const SAMPLES: usize = blocks::BLOCK;
}

/// What the coordinates of a sample are found from.
struct Replay<'b, K, S: ?Sized, T, I> {
    kernel: &'b K,
    samples: &'b S,
    /// The landmarks so far.
    pivots: &'b [I],
    /// Their rows, below the diagonal.
    triangle: MatrixView<'b, T>,
    roots: &'b [T],
    cholesky: PivotedCholesky<T>,
}

impl<K, S, T, I> Replay<'_, K, S, T, I>
where
    T: Real,
    S: Samples + ?Sized,
    K: Kernel<S::View, Scalar = T>,
    I: Index,
{
    /// Writes the coordinates of a sample, one for each landmark. Returns its residual, and whether
    /// it showed that the kernel is indefinite.
    fn row(&self, sample: usize, row: &mut [T]) -> Result<(T, bool), Error> {
        let Some(x) = self.samples.sample(sample) else {
            return Err(Error::Capacity {
                what: "samples",
                needed: sample + 1,
                capacity: self.samples.count(),
            });
        };
        let (mut residual, mut indefinite) = (self.kernel.diagonal(x), false);
        for (column, (&pivot, &root)) in self.pivots.iter().zip(self.roots).enumerate() {
            let (known, next) = split_mut(row, column);
            // As in `PivotedCholesky::append_column`.
            let value = if pivot.at() == sample {
                residual = T::ZERO;
                root
            } else if residual <= T::ZERO {
                T::ZERO
            } else {
                let Some(landmark) = self.samples.sample(pivot.at()) else { continue };
                let spanned = head(self.triangle.row(column), column);
                let value = (self.kernel.eval(x, landmark) - dot_in_order(spanned, known)) / root;
                if !value.is_finite() {
                    return Err(Error::NotFinite { row: sample, column: pivot.at() });
                }
                let left = residual - value * value;
                let longer = left < -T::from_f64(8.0) * self.cholesky.rounding_after(column);
                let value = if longer { shortened(value, residual) } else { value };
                indefinite |= longer;
                residual = T::ZERO.larger(left);
                value
            };
            set(next, 0, value);
        }
        Ok((residual, indefinite))
    }
}

/// All that a fit has, taken apart: what coordinates are found from, and a row for them.
macro_rules! parts {
    ($scratch:ident, $cholesky:expr, $kernel:ident, $samples:ident, $rank:expr) => {{
        let rank = $rank;
        let replay = Replay {
            kernel: $kernel,
            samples: $samples,
            pivots: head($scratch.pivots, rank),
            triangle: $scratch.covariance.view(),
            roots: &*$scratch.factor.roots,
            cholesky: $cholesky,
        };
        (replay, $scratch.solver.numbers(rank))
    }};
}

impl<T: Real> Factor<T> for Recomputed<'_, T> {
    type Index = u16;
    type Part<'b>
        = Recomputed<'b, T>
    where
        Self: 'b;
    const RESTORES: bool = true;
    /// The rows of the landmarks depend on those before.
    const ORDERS: bool = false;

    fn leading(&mut self, _: usize) -> Recomputed<'_, T> {
        Recomputed { roots: self.roots }
    }

    fn landmarks(&self) -> usize {
        self.roots.len()
    }

    fn take_landmark<K, S, E>(
        scratch: &mut LandmarkScratch<'_, T, E, Self>,
        cholesky: &mut PivotedCholesky<T>,
        known: &mut usize,
        kernel: &K,
        samples: &S,
        stop: Landmarks<T>,
    ) -> Result<Progress, Error>
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
        E: Eigensolver<T>,
    {
        let (n, rank, room) = (samples.count(), cholesky.rank(), scratch.pivots.len());
        require_capacity("samples", n, Self::SAMPLES)?;
        require_shape("residuals", n, scratch.residuals.len())?;
        require_shape("pivots", scratch.factor.landmarks(), room)?;
        for _ in 0..looked_at_in_step(n, rank) {
            let next = match stop {
                // All residuals count.
                Landmarks::Residual(_) => (*known < n).then_some(*known),
                _ => Some(largest(scratch.residuals).0).filter(|&next| *known != next + 1),
            };
            let Some(next) = next else {
                *known = 0;
                return Self::take_largest(scratch, cholesky, kernel, samples, stop);
            };
            let (replay, row) = parts!(scratch, *cholesky, kernel, samples, rank);
            let (residual, indefinite) = replay.row(next, row)?;
            set(scratch.residuals, next, residual);
            if indefinite {
                cholesky.note_indefinite();
            }
            *known = next + 1;
        }
        Ok(Progress::Working)
    }

    fn rows_in_step(n: usize, rank: usize) -> usize {
        (n / rank.max(1)).max(1)
    }

    fn find_mean<K, S, E>(
        scratch: &mut LandmarkScratch<'_, T, E, Self>,
        cholesky: &mut PivotedCholesky<T>,
        kernel: &K,
        samples: &S,
        some: Range<usize>,
    ) -> Result<(), Error>
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
        E: Eigensolver<T>,
    {
        let (n, rank) = (samples.count(), cholesky.rank());
        if some.start == 0 {
            scratch.mean.fill(T::ZERO);
            scratch.values.fill(T::ZERO);
        }
        for sample in some.clone() {
            let (replay, row) = parts!(scratch, *cholesky, kernel, samples, rank);
            let (residual, indefinite) = replay.row(sample, row)?;
            if indefinite {
                cholesky.note_indefinite();
            }
            rows::add(scratch.mean, T::ONE, row);
            set(scratch.residuals, sample, residual);
        }
        if some.end == n {
            for mean in scratch.mean.iter_mut() {
                *mean /= T::from_usize(n);
            }
        }
        Ok(())
    }

    fn begin_covariance<E: Eigensolver<T>>(scratch: &mut LandmarkScratch<'_, T, E, Self>) {
        for (i, row) in scratch.covariance.iter_rows_mut().enumerate() {
            split_mut(row, i).1.fill(T::ZERO);
        }
    }

    fn summed_in_step(n: usize, rank: usize) -> usize {
        Self::rows_in_step(n, rank)
    }

    fn add_to_covariance<K, S, E>(
        scratch: &mut LandmarkScratch<'_, T, E, Self>,
        cholesky: &PivotedCholesky<T>,
        kernel: &K,
        samples: &S,
        some: Range<usize>,
    ) -> Result<(), Error>
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
        E: Eigensolver<T>,
    {
        let (count, rank) = (T::from_usize(samples.count()), cholesky.rank());
        for sample in some {
            let (replay, row) = parts!(scratch, *cholesky, kernel, samples, rank);
            replay.row(sample, row)?;
            rows::add(row, -T::ONE, scratch.mean);
            for (i, sums) in scratch.covariance.iter_rows_mut().enumerate().take(rank) {
                let right = split_mut(row, i).1;
                let left = right.first().copied().unwrap_or_default() / count;
                rows::add(split_mut(sums, i).1, left, right);
            }
        }
        Ok(())
    }

    fn restore_rows<K, S, E>(
        scratch: &mut LandmarkScratch<'_, T, E, Self>,
        cholesky: &PivotedCholesky<T>,
        kernel: &K,
        samples: &S,
        landmarks: Range<usize>,
    ) -> Result<(), Error>
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
        E: Eigensolver<T>,
    {
        for landmark in landmarks {
            let sample = entry(scratch.pivots, landmark).at();
            let (replay, row) = parts!(scratch, *cholesky, kernel, samples, landmark);
            replay.row(sample, row)?;
            copy(row, scratch.covariance.row_mut(landmark));
        }
        Ok(())
    }

    fn solve<E: Eigensolver<T>>(
        scratch: &LandmarkScratch<'_, T, E, Self>,
        k: usize,
        weights: &mut MatrixViewMut<'_, T>,
        centre: &mut [T],
    ) {
        let (triangle, root) = (scratch.covariance.view(), entry(scratch.factor.roots, k));
        let below = k + 1..centre.len();
        let (_, row, later) = weights.around_row_mut(k);
        let (known, solved) = split_mut(centre, k + 1);
        let Some(own) = known.last_mut() else { return };
        for (landmark, (weights, centre)) in below.zip(later.view().iter_rows().zip(solved.iter()))
        {
            let factor = -triangle.at(landmark, k);
            rows::add(row, factor, weights);
            *own += factor * *centre;
        }
        for value in row.iter_mut().chain([own]) {
            *value /= root;
        }
    }

    fn coordinates<'s, K, S, E>(
        scratch: &'s mut LandmarkScratch<'_, T, E, Self>,
        cholesky: PivotedCholesky<T>,
        kernel: &'s K,
        all: Indexed<'s, S, u16>,
    ) -> impl Coordinates<T> + 's
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
        E: Eigensolver<T>,
    {
        let (samples, rank) = (all.samples, cholesky.rank());
        let (replay, row) = parts!(scratch, cholesky, kernel, samples, rank);
        // Eigenvalues and residuals have served their purpose.
        Replayed {
            replay,
            numbers: all.rows,
            mean: head(scratch.mean, rank),
            row,
            now: head_mut(scratch.values, rank),
            next: head_mut(scratch.residuals, rank),
            known: None,
        }
    }

    fn room<'s>(&'s mut self, covariance: &'s mut MatrixViewMut<'_, T>) -> &'s mut [T] {
        covariance.reborrow().into_entries()
    }
}

impl<T: Real> Recomputed<'_, T> {
    /// Takes the sample with the largest residual, which is known, unless there are enough.
    fn take_largest<K, S, E>(
        scratch: &mut LandmarkScratch<'_, T, E, Self>,
        cholesky: &mut PivotedCholesky<T>,
        kernel: &K,
        samples: &S,
        stop: Landmarks<T>,
    ) -> Result<Progress, Error>
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
        E: Eigensolver<T>,
    {
        let (rank, capacity) = (cholesky.rank(), scratch.pivots.len());
        let enough = cholesky.is_enough(stop, capacity, scratch.residuals)?;
        let (pivot, residual) = largest(scratch.residuals);
        if enough || residual <= cholesky.rounding() {
            return Ok(Progress::Done);
        }
        if rank == capacity {
            return Err(Error::Capacity { what: "landmarks", needed: rank + 1, capacity });
        }
        let (replay, row) = parts!(scratch, *cholesky, kernel, samples, rank);
        replay.row(pivot, row)?;
        copy(row, scratch.covariance.row_mut(rank));
        set(scratch.factor.roots, rank, residual.sqrt());
        set(scratch.pivots, rank, Index::of(pivot));
        set(scratch.residuals, pivot, T::ZERO);
        cholesky.count_landmark();
        Ok(Progress::Working)
    }
}

/// Of how many samples the residual is found in a step; for each, all of them are compared.
const fn looked_at_in_step(n: usize, rank: usize) -> usize {
    n / rank.saturating_add(8) + 1
}

/// The coordinates of the samples after a fit.
struct Replayed<'b, K, S: ?Sized, T, I> {
    replay: Replay<'b, K, S, T, I>,
    /// Which samples.
    numbers: &'b [I],
    mean: &'b [T],
    /// Of one of them.
    row: &'b mut [T],
    /// A sum of them, or a difference of two.
    now: &'b mut [T],
    /// The difference at the next sample.
    next: &'b mut [T],
    /// `now` is the difference at this sample, from one so far apart.
    known: Option<(usize, usize)>,
}

impl<K, S, T, I> Replayed<'_, K, S, T, I>
where
    T: Real,
    S: Samples + ?Sized,
    K: Kernel<S::View, Scalar = T>,
    I: Index,
{
    /// The coordinates of the sample at this position, in `row`.
    fn find(&mut self, position: usize) {
        let found = self.replay.row(entry(self.numbers, position).at(), self.row);
        debug_assert!(found.is_ok(), "they were found before: {found:?}");
    }

    /// The difference at this sample, in `next`.
    fn find_next(&mut self, sample: usize, apart: usize) {
        self.find(sample);
        copy(self.row, self.next);
        self.find(sample + apart);
        rows::add(self.next, -T::ONE, self.row);
    }
}

impl<K, S, T, I> Coordinates<T> for Replayed<'_, K, S, T, I>
where
    T: Real,
    S: Samples + ?Sized,
    K: Kernel<S::View, Scalar = T>,
    I: Index,
{
    fn count(&self) -> usize {
        self.numbers.len()
    }

    fn in_step(&self) -> usize {
        Recomputed::<T>::rows_in_step(self.numbers.len(), self.mean.len())
    }

    fn squared_sum(&mut self, some: Range<usize>, anew: bool) -> T {
        if anew {
            self.now.fill(T::ZERO);
            self.known = None;
        }
        for position in some {
            self.find(position);
            rows::add(self.row, -T::ONE, self.mean);
            rows::add(self.now, T::ONE, self.row);
        }
        dot_in_order(self.now, self.now)
    }

    fn neighbours(&mut self, sample: usize, apart: usize) -> (T, T) {
        if self.known != Some((sample, apart)) {
            self.find_next(sample, apart);
            copy(self.next, self.now);
        }
        self.find_next(sample + 1, apart);
        let (mut product, mut norms) = (T::ZERO, T::ZERO);
        for (&u, &v) in self.now.iter().zip(self.next.iter()) {
            product += u * v;
            norms += u * u + v * v;
        }
        copy(self.next, self.now);
        self.known = Some((sample + 1, apart));
        (product, norms)
    }
}

#[cfg(test)]
mod tests;
