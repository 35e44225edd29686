//! Where the coordinates of the samples come from during a fit.

use core::fmt::Debug;
use core::ops::Range;

use super::coordinates::Coordinates;
use super::{LandmarkColumn, LandmarkScratch};
use crate::Progress;
use crate::error::Error;
use crate::kernel::{BlockKernel, Index, Indexed, Samples};
use crate::kpca::{Landmarks, PivotedCholesky};
use crate::linalg::MatrixViewMut;
use crate::linalg::eigen::Eigensolver;
use crate::linalg::slices::head;
use crate::math::Real;

mod sealed {
    pub trait Sealed {}
    impl<T> Sealed for crate::linalg::MatrixViewMut<'_, T> {}
    impl<T> Sealed for crate::kpca::landmark::Recomputed<'_, T> {}
}

/// Where the coordinates `z_i` of the samples come from: they are kept, or found again whenever
/// they are needed.
///
/// | factor | memory | time |
/// |---|---|---|
/// | a matrix, [`MatrixViewMut`] | `n·r` numbers | each coordinate is computed once |
/// | [`Recomputed`](super::Recomputed) | `r` numbers | for a pass over the samples, `n·r` kernel evaluations and `n·r²/2` multiply-adds |
///
/// A fit calls these functions in their order here. All get the memory of the fit, of which the
/// factor is a part.
pub trait Factor<T: Real>: Sized + Debug + sealed::Sealed {
    /// How the samples are numbered.
    type Index: Index;

    /// The part for fewer samples.
    type Part<'b>: Factor<T, Index = Self::Index>
    where
        Self: 'b;

    /// Do the rows of the landmarks have to be restored after the eigenproblem?
    const RESTORES: bool;

    /// Can the landmarks be brought into another order at the end?
    const ORDERS: bool;

    /// The part for fewer samples.
    fn leading(&mut self, samples: usize) -> Self::Part<'_>;

    /// How many landmarks there is room for.
    fn landmarks(&self) -> usize;

    /// Takes one more landmark, or goes on to look for it: `known` is 0 before the first step of
    /// that, and says how far it has come.
    ///
    /// # Errors
    /// Those of [`PivotedCholesky::step`].
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
        E: Eigensolver<T>;

    /// Of how many samples the coordinates can be looked at in a step.
    fn rows_in_step(n: usize, rank: usize) -> usize;

    /// Adds the coordinates of some samples to their mean, which is complete after the last.
    ///
    /// # Errors
    /// [`Error::NotFinite`] when the kernel overflows.
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
        E: Eigensolver<T>;

    /// Clears the covariance; from here on coordinates are less their mean.
    fn begin_covariance<E: Eigensolver<T>>(scratch: &mut LandmarkScratch<'_, T, E, Self>);

    /// How many samples can be added to the covariance in a step.
    fn summed_in_step(n: usize, rank: usize) -> usize;

    /// Adds some samples to the covariance, on and above its diagonal.
    ///
    /// # Errors
    /// [`Error::NotFinite`] when the kernel overflows.
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
        E: Eigensolver<T>;

    /// Once the eigenvectors have been found: makes the rows of some landmarks anew, those before
    /// being there. (Where that is [needed](Self::RESTORES).)
    ///
    /// # Errors
    /// [`Error::NotFinite`] when the kernel overflows.
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
        E: Eigensolver<T>;

    /// Solves `Lᵀ W = W₀` for row `k` of the weights and entry `k` of the centre, in place; those
    /// below are solved.
    fn solve<E: Eigensolver<T>>(
        scratch: &LandmarkScratch<'_, T, E, Self>,
        k: usize,
        weights: &mut MatrixViewMut<'_, T>,
        centre: &mut [T],
    );

    /// After a fit to these samples, whose landmarks are named by their numbers in `all.samples`:
    /// the coordinates of each, less their mean.
    fn coordinates<'s, K, S, E>(
        scratch: &'s mut LandmarkScratch<'_, T, E, Self>,
        cholesky: PivotedCholesky<T>,
        kernel: &'s K,
        all: Indexed<'s, S, Self::Index>,
    ) -> impl Coordinates<T> + 's
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
        E: Eigensolver<T>;

    /// Numbers that have served their purpose once the coordinates have.
    fn room<'s>(&'s mut self, covariance: &'s mut MatrixViewMut<'_, T>) -> &'s mut [T];
}

/// Every coordinate is kept.
impl<T: Real> Factor<T> for MatrixViewMut<'_, T> {
    type Index = u32;
    type Part<'b>
        = MatrixViewMut<'b, T>
    where
        Self: 'b;
    const RESTORES: bool = false;
    const ORDERS: bool = true;

    fn leading(&mut self, samples: usize) -> MatrixViewMut<'_, T> {
        let columns = self.columns();
        self.reborrow().into_leading(samples, columns)
    }

    fn landmarks(&self) -> usize {
        self.columns()
    }

    fn take_landmark<K, S, E>(
        scratch: &mut LandmarkScratch<'_, T, E, Self>,
        cholesky: &mut PivotedCholesky<T>,
        _: &mut usize,
        kernel: &K,
        samples: &S,
        stop: Landmarks<T>,
    ) -> Result<Progress, Error>
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
        E: Eigensolver<T>,
    {
        let LandmarkScratch { factor, residuals, pivots, .. } = scratch;
        cholesky.step(kernel, samples, stop, factor, residuals, pivots)
    }

    fn rows_in_step(n: usize, _: usize) -> usize {
        n
    }

    fn find_mean<K, S, E>(
        scratch: &mut LandmarkScratch<'_, T, E, Self>,
        cholesky: &mut PivotedCholesky<T>,
        _: &K,
        _: &S,
        all: Range<usize>,
    ) -> Result<(), Error>
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
        E: Eigensolver<T>,
    {
        scratch.find_mean(all.end, cholesky.rank());
        Ok(())
    }

    fn begin_covariance<E: Eigensolver<T>>(scratch: &mut LandmarkScratch<'_, T, E, Self>) {
        scratch.begin_covariance();
    }

    fn summed_in_step(n: usize, rank: usize) -> usize {
        // Each sample costs r²/2; a landmark n·r.
        (4 * n / rank.max(1)).max(16)
    }

    fn add_to_covariance<K, S, E>(
        scratch: &mut LandmarkScratch<'_, T, E, Self>,
        cholesky: &PivotedCholesky<T>,
        _: &K,
        samples: &S,
        some: Range<usize>,
    ) -> Result<(), Error>
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
        E: Eigensolver<T>,
    {
        scratch.add_to_covariance(some, samples.count(), cholesky.rank());
        Ok(())
    }

    fn restore_rows<K, S, E>(
        _: &mut LandmarkScratch<'_, T, E, Self>,
        _: &PivotedCholesky<T>,
        _: &K,
        _: &S,
        _: Range<usize>,
    ) -> Result<(), Error>
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
        E: Eigensolver<T>,
    {
        Ok(())
    }

    fn solve<E: Eigensolver<T>>(
        scratch: &LandmarkScratch<'_, T, E, Self>,
        k: usize,
        weights: &mut MatrixViewMut<'_, T>,
        centre: &mut [T],
    ) {
        let pivots = head(scratch.pivots, centre.len());
        let column = LandmarkColumn::new(scratch.factor.view(), scratch.mean, k);
        column.solve_row(pivots, weights);
        column.solve_entry(pivots, centre);
    }

    fn coordinates<'s, K, S, E>(
        scratch: &'s mut LandmarkScratch<'_, T, E, Self>,
        cholesky: PivotedCholesky<T>,
        _: &'s K,
        all: Indexed<'s, S, u32>,
    ) -> impl Coordinates<T> + 's
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
        E: Eigensolver<T>,
    {
        scratch.factor.view().leading(all.count(), cholesky.rank())
    }

    fn room<'s>(&'s mut self, _: &'s mut MatrixViewMut<'_, T>) -> &'s mut [T] {
        self.reborrow().into_entries()
    }
}
