//! Landmark kernel PCA: a few samples that span the rest are the points of the model.
//!
//! **Method.** Pivoted Cholesky gives every sample coordinates `z_i` (a row of the factor `G`), and
//! the landmarks' own rows form the triangular `L`, so that `z(x) = L⁻¹ k_P(x)`. Ordinary PCA in
//! these `r` dimensions, with mean `z̄`, covariance `C = (1/n) Σ (z_i − z̄)(z_i − z̄)ᵀ` and
//! `C u_j = λ_j u_j`, then gives `α_j = L⁻ᵀ u_j`, `b_j = u_j·z̄`, `β = L⁻ᵀ z̄`,
//! `‖centre‖² = |z̄|²`. The total variance is `tr(C)` plus the mean residual. The sign rule applies
//! to `u_j`.
//!
//! **Source.** Fine & Scheinberg, *Efficient SVM Training Using Low-Rank Kernel Representations*,
//! JMLR 2, 2001, for the factor; PCA of its rows is a Nyström approximation of kernel PCA.
//!
//! **Domain.** At least two samples that are not all equal, and room for at least one landmark.
//!
//! **Bound.** The landmarks leave a share of the trace unspanned, which the report states
//! ([`FitReport::unspanned`]); it is 0 when all samples are landmarks. The total variance is
//! too large by `M − |z̄|²`, the part of the centre that the points do not span.

mod coordinates;
mod factor;
mod recomputed;

pub use coordinates::Coordinates;
pub use factor::Factor;
pub use recomputed::Recomputed;

use core::ops::Range;

use super::components::{Choice, Components, FitReport, choose};
use super::model::{KernelPca, Scalar};
use crate::Progress;
use crate::error::{Error, require_capacity};
use crate::kernel::{BlockKernel, Index, Sample, Samples, gram};
use crate::kpca::{ExpansionHeader, ExpansionMut, Landmarks, PivotedCholesky};
use crate::linalg::carve::{Carver, total};
use crate::linalg::eigen::{self, EigenScratch, Eigensolver, MAX_SWEEPS, Memory, TridiagonalQr};
use crate::linalg::slices::{entry, head, head_mut, split_mut, swap, tail};
use crate::linalg::{Matrix, MatrixView, MatrixViewMut, blocks, covariance, rows};
use crate::math::{Real, dot_in_order, long_sum};

/// Memory for a landmark fit of at most `N` samples and `R` landmarks: `N·R + R²` numbers and a
/// little more.
///
/// `E` is the [eigensolver](eigen) that the fit is made with; [`Jacobi`](eigen::Jacobi) needs `R²`
/// numbers more.
#[derive(Clone, Debug)]
pub struct LandmarkWorkspace<
    T: Real,
    const N: usize,
    const R: usize,
    E: Eigensolver<T> = TridiagonalQr<T>,
> {
    factor: Matrix<T, N, R>,
    residuals: [T; N],
    pivots: [u32; R],
    covariance: Matrix<T, R, R>,
    values: [T; R],
    mean: [T; R],
    solver: E::Memory<R>,
}

impl<T: Real, const N: usize, const R: usize, E: Eigensolver<T>> LandmarkWorkspace<T, N, R, E> {
    /// Bytes it occupies.
    pub const SIZE: usize = size_of::<Self>();

    /// An empty workspace; a `static` of it stays in `.bss`.
    pub const fn new() -> Self {
        Self {
            factor: Matrix::zeros(),
            residuals: [T::ZERO; N],
            pivots: [0; R],
            covariance: Matrix::zeros(),
            values: [T::ZERO; R],
            mean: [T::ZERO; R],
            solver: E::Memory::EMPTY,
        }
    }

    /// The part for `samples` samples.
    ///
    /// # Errors
    /// [`Error::Capacity`] when there are more than `N`.
    pub fn scratch(&mut self, samples: usize) -> Result<LandmarkScratch<'_, T, E>, Error> {
        require_capacity("samples in the workspace", samples, N)?;
        Ok(LandmarkScratch {
            factor: self.factor.view_mut().into_leading(samples, R),
            residuals: head_mut(&mut self.residuals, samples),
            pivots: &mut self.pivots,
            covariance: self.covariance.view_mut(),
            values: &mut self.values,
            mean: &mut self.mean,
            solver: E::scratch(self.solver.as_mut_slice()),
        })
    }
}

impl<T: Real, const N: usize, const R: usize, E: Eigensolver<T>> Default
    for LandmarkWorkspace<T, N, R, E>
{
    fn default() -> Self {
        Self::new()
    }
}

/// Borrowed memory for a landmark fit of `n` samples and at most `R` landmarks, of whatever origin.
#[derive(Debug)]
pub struct LandmarkScratch<'a, T, E = TridiagonalQr<T>, F = MatrixViewMut<'a, T>>
where
    T: Real,
    F: Factor<T>,
{
    /// Where the coordinates come from. In a matrix they are kept: `n × R`, the `z_i` as rows, from
    /// the covariance on less their mean, `z_i − z̄`.
    pub factor: F,
    /// `n`; what the landmarks leave unspanned of each sample.
    pub residuals: &'a mut [T],
    /// `R`; the samples that became landmarks, in the order of their choice.
    pub pivots: &'a mut [F::Index],
    /// `R × R`; the covariance `C`, then its eigenvectors `u_j` as rows.
    pub covariance: MatrixViewMut<'a, T>,
    /// `R`; the eigenvalues `λ_j`, before that sums over samples.
    pub values: &'a mut [T],
    /// `R`; the mean `z̄`.
    pub mean: &'a mut [T],
    /// For the eigensolver, which it names.
    pub solver: EigenScratch<'a, T, E>,
}

impl<'a, T: Real, E: Eigensolver<T>> LandmarkScratch<'a, T, E> {
    /// How many numbers a fit to `n` samples with at most `r` landmarks takes.
    pub fn numbers(n: usize, r: usize) -> usize {
        total(&[(n, r), (1, n), (r, r), (2, r), (1, E::scratch_len(r))])
    }

    /// Memory for `n` samples and at most as many landmarks as there are `pivots`, in one block.
    ///
    /// # Errors
    /// [`Error::Capacity`] when that has fewer than [`numbers`](Self::numbers).
    pub fn over(n: usize, pivots: &'a mut [u32], numbers: &'a mut [T]) -> Result<Self, Error> {
        let r = pivots.len();
        let needed = Self::numbers(n, r);
        let mut numbers = Carver::new("numbers of a landmark fit", needed, numbers)?;
        Ok(Self {
            factor: numbers.matrix(n, r)?,
            residuals: numbers.take(n),
            pivots,
            covariance: numbers.matrix(r, r)?,
            values: numbers.take(r),
            mean: numbers.take(r),
            solver: E::scratch(numbers.take(E::scratch_len(r))),
        })
    }
}

impl<T: Real, E: Eigensolver<T>, F: Factor<T>> LandmarkScratch<'_, T, E, F> {
    /// The part for fewer samples.
    pub fn leading(&mut self, samples: usize) -> LandmarkScratch<'_, T, E, F::Part<'_>> {
        let samples = samples.min(self.residuals.len());
        LandmarkScratch {
            factor: self.factor.leading(samples),
            residuals: head_mut(self.residuals, samples),
            pivots: self.pivots,
            covariance: self.covariance.reborrow(),
            values: self.values,
            mean: self.mean,
            solver: self.solver.reborrow(),
        }
    }

    /// All arrays are for the same number of landmarks. (The rest is checked where it is used.)
    fn require_shape(&self) -> Result<(), Error> {
        let expected = self.factor.landmarks();
        for (what, given) in [
            ("covariance rows", self.covariance.rows()),
            ("covariance columns", self.covariance.columns()),
            ("eigenvalues", self.values.len()),
            ("mean", self.mean.len()),
        ] {
            if given != expected {
                return Err(Error::Shape { what, expected, given });
            }
        }
        self.solver.require(expected)
    }
}

impl<T: Real, E: Eigensolver<T>> LandmarkScratch<'_, T, E> {
    /// After a fit: the projection `u_j·(z_i − z̄)` of training sample `i` on the leading
    /// components.
    ///
    /// # Errors
    /// [`Error::Capacity`] when there is no such sample or not so many components.
    pub fn training_projection(&self, sample: usize, out: &mut [T]) -> Result<(), Error> {
        require_capacity("samples", sample + 1, self.factor.rows())?;
        require_capacity("components", out.len(), self.covariance.rows())?;
        let factor = self.factor.view();
        let z = factor.row(sample);
        for (f, u) in out.iter_mut().zip(self.covariance.view().iter_rows()) {
            *f = dot_in_order(z, u);
        }
        Ok(())
    }
}

/// Fits the weights of a model whose points are `samples[pivots[0..points]]`, in one go.
///
/// `n·r` kernel evaluations, `n·r²` multiply-adds and an `r × r` eigenproblem.
///
/// # Errors
/// Those of [`LandmarkFit`].
pub fn fit<K, S, E, F>(
    kernel: &K,
    samples: &S,
    landmarks: Landmarks<K::Scalar>,
    components: Components<K::Scalar>,
    scratch: &mut LandmarkScratch<'_, K::Scalar, E, F>,
    expansion: &mut ExpansionMut<'_, K::Scalar>,
) -> Result<FitReport<K::Scalar>, Error>
where
    S: Samples + ?Sized,
    K: BlockKernel<S::View>,
    E: Eigensolver<K::Scalar>,
    F: Factor<K::Scalar>,
{
    let mut fit = LandmarkFit::start(kernel, samples, landmarks, components, scratch)?;
    loop {
        if let Some(report) = fit.step(kernel, samples, scratch, expansion)? {
            return Ok(report);
        }
    }
}

/// State of a landmark fit that is made in steps; kernel, samples and memory stay with the caller,
/// who must not change them meanwhile.
///
/// For `n` samples, `r` landmarks and `p` components, a step makes at most `n` kernel evaluations
/// and about `n·r + r·(r + p)` multiply-adds. The expansion is not touched before every check has
/// passed and the eigensolver has converged.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct LandmarkFit<T, E = TridiagonalQr<T>> {
    landmarks: Landmarks<T>,
    components: Components<T>,
    cholesky: PivotedCholesky<T>,
    total_variance: T,
    /// The mean residual.
    unspanned: T,
    stage: Stage<T, E>,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum Stage<T, E> {
    /// Take another landmark; what is known of the residuals is the factor's business.
    Landmark { known: usize },
    /// Find the mean of the coordinates, of which those before this sample are added up.
    Mean { sample: usize },
    /// Take it off them.
    Centre,
    /// Add the samples from this one on to the covariance.
    Covariance { sample: usize },
    /// Make the covariance symmetric.
    Complete,
    /// Begin the eigenproblem.
    Solve,
    /// Go on with it, to the eigenvalues.
    Eigen(E),
    /// Find the eigenvectors of those that are chosen.
    Vectors { solver: E, choice: Choice<T> },
    /// Bring the rows of the landmarks, from this one on, back to where the factor needs them.
    Restore { landmark: usize, report: FitReport<T> },
    /// Solve for the weights of the `points` first landmarks, from the last one up.
    Weights { points: usize, report: FitReport<T> },
}

impl<T: Real, E: Eigensolver<T>> LandmarkFit<T, E> {
    /// Checks everything that can be checked beforehand; about `2n` kernel evaluations.
    ///
    /// # Errors
    /// Whatever is wrong with kernel, samples or sizes; [`Error::NoVariance`] when all samples are
    /// equal.
    pub fn start<K, S, F>(
        kernel: &K,
        samples: &S,
        landmarks: Landmarks<T>,
        components: Components<T>,
        scratch: &mut LandmarkScratch<'_, T, E, F>,
    ) -> Result<Self, Error>
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
        F: Factor<T>,
    {
        scratch.require_shape()?;
        let cholesky = PivotedCholesky::start(kernel, samples, scratch.residuals)?;
        gram::require_variance(kernel, samples, scratch.residuals.iter().copied())?;
        let stage = Stage::Landmark { known: 0 };
        let (total_variance, unspanned) = (T::ZERO, T::ZERO);
        Ok(Self { landmarks, components, cholesky, total_variance, unspanned, stage })
    }

    /// The state of the factorisation.
    pub(crate) const fn cholesky(&self) -> PivotedCholesky<T> {
        self.cholesky
    }

    /// Does one piece of the work; the report says that it is complete.
    ///
    /// # Errors
    /// Whatever is wrong with the wishes for landmarks and components or with the capacity;
    /// [`Error::NoConvergence`] or [`Error::EigenvalueOverflow`].
    // What it keeps on the stack is gone when it returns: other steps of learning need theirs.
    #[inline(never)]
    pub fn step<K, S, F>(
        &mut self,
        kernel: &K,
        samples: &S,
        scratch: &mut LandmarkScratch<'_, T, E, F>,
        expansion: &mut ExpansionMut<'_, T>,
    ) -> Result<Option<FitReport<T>>, Error>
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
        F: Factor<T>,
    {
        let n = samples.count();
        let rank = self.cholesky.rank();
        match &mut self.stage {
            Stage::Landmark { known } => {
                let (cholesky, stop) = (&mut self.cholesky, self.landmarks);
                if F::take_landmark(scratch, cholesky, known, kernel, samples, stop)?
                    == Progress::Done
                {
                    require_capacity("points", rank, expansion.capacity().0)?;
                    self.stage = Stage::Mean { sample: 0 };
                }
            }
            Stage::Mean { sample } => {
                let last = sample.saturating_add(F::rows_in_step(n, rank)).min(n);
                F::find_mean(scratch, &mut self.cholesky, kernel, samples, *sample..last)?;
                *sample = last;
                if last == n {
                    self.unspanned = long_sum(scratch.residuals.iter().copied()) / T::from_usize(n);
                    self.stage = Stage::Centre;
                }
            }
            Stage::Centre => {
                F::begin_covariance(scratch);
                self.stage = Stage::Covariance { sample: 0 };
            }
            Stage::Covariance { sample } => {
                let last = sample.saturating_add(F::summed_in_step(n, rank)).min(n);
                F::add_to_covariance(scratch, &self.cholesky, kernel, samples, *sample..last)?;
                *sample = last;
                if last == n {
                    self.stage = Stage::Complete;
                }
            }
            Stage::Complete => {
                let mut covariance = scratch.covariance.reborrow().into_leading(rank, rank);
                covariance.mirror_upper();
                self.total_variance = eigen::trace(covariance.view()) + self.unspanned;
                self.stage = Stage::Solve;
            }
            Stage::Solve => {
                let mut covariance = scratch.covariance.reborrow().into_leading(rank, rank);
                self.stage = Stage::Eigen(E::start(&mut covariance, MAX_SWEEPS)?);
            }
            Stage::Eigen(solver) => {
                let mut covariance = scratch.covariance.reborrow().into_leading(rank, rank);
                let values = head_mut(scratch.values, rank);
                let memory = scratch.solver.part(rank);
                // Each operation costs about 4r; a landmark n·r.
                let progress = solver.step_values(&mut covariance, values, memory, 1 + n / 2)?;
                if progress == Progress::Done {
                    let solver = *solver;
                    let choice = self.choose_components(values, expansion.capacity().1)?;
                    self.stage = Stage::Vectors { solver, choice };
                }
            }
            Stage::Vectors { solver, choice } => {
                let mut covariance = scratch.covariance.reborrow().into_leading(rank, rank);
                let values = head_mut(scratch.values, rank);
                let memory = scratch.solver.part(rank);
                let mut columns = eigen::Columns {
                    count: choice.components,
                    vectors: expansion.weights.reborrow().into_leading(rank, usize::MAX),
                    vector: head_mut(expansion.centre, rank),
                };
                let operations = 1 + n / 2;
                let progress = solver.step_vectors(
                    &mut covariance,
                    values,
                    memory,
                    &mut columns,
                    operations,
                )?;
                if progress == Progress::Done {
                    let (sweeps, choice) = (solver.sweeps(), *choice);
                    let report = self.write_components(sweeps, choice, n, scratch, expansion);
                    self.stage = match F::RESTORES {
                        true => Stage::Restore { landmark: 0, report },
                        false => Stage::Weights { points: rank, report },
                    };
                }
            }
            Stage::Restore { landmark, report } => {
                let last = landmark.saturating_add(F::rows_in_step(n, rank)).min(rank);
                F::restore_rows(scratch, &self.cholesky, kernel, samples, *landmark..last)?;
                *landmark = last;
                if last == rank {
                    self.stage = Stage::Weights { points: rank, report: *report };
                }
            }
            Stage::Weights { points: 0, report } => {
                let report = *report;
                if F::ORDERS {
                    bring_near_first(kernel, samples, head_mut(scratch.pivots, rank), expansion);
                }
                return Ok(Some(report));
            }
            Stage::Weights { points, report } => {
                *points -= 1;
                let mut weights =
                    expansion.weights.reborrow().into_leading(rank, report.components);
                let centre = head_mut(expansion.centre, rank);
                F::solve(scratch, *points, &mut weights, centre);
            }
        }
        Ok(None)
    }

    /// Applies the wish for components; what follows cannot fail.
    fn choose_components(&self, values: &[T], capacity: usize) -> Result<Choice<T>, Error> {
        // Kernel values, and so the covariance and its eigenvalues, are off by a few ε of the
        // largest, however small they are.
        let rounding = T::from_f64(4.0) * T::EPSILON * self.cholesky.largest();
        choose(self.components, values, rounding, self.total_variance, capacity)
    }

    /// Writes what is known of the components that are chosen.
    ///
    /// In `z` coordinates the weights are the eigenvectors, as they are, and the centre is `z̄`.
    fn write_components<F: Factor<T>>(
        &self,
        sweeps: usize,
        choice: Choice<T>,
        n: usize,
        scratch: &mut LandmarkScratch<'_, T, E, F>,
        expansion: &mut ExpansionMut<'_, T>,
    ) -> FitReport<T> {
        let rank = self.cholesky.rank();
        let values = head(scratch.values, rank);
        let mean = head(scratch.mean, rank);
        let total_variance = self.total_variance;
        let kept = scratch.covariance.view().leading(choice.components, rank);
        for (j, (u, &value)) in kept.iter_rows().zip(values).enumerate() {
            if let (Some(b), Some(variance)) =
                (expansion.offsets.get_mut(j), expansion.variances.get_mut(j))
            {
                *b = dot_in_order(u, mean);
                *variance = value;
            }
        }
        for (beta, &z) in expansion.centre.iter_mut().zip(mean) {
            *beta = z;
        }
        let indefinite = self.cholesky.is_indefinite();
        *expansion.header = ExpansionHeader {
            points: rank as u32,
            components: choice.components as u32,
            centre_norm: dot_in_order(mean, mean),
            total_variance,
            indefinite,
        };
        FitReport {
            samples: n,
            points: rank,
            components: choice.components,
            rank: choice.rank,
            explained: choice.explained,
            unspanned: self.unspanned / total_variance,
            sweeps,
            indefinite,
            certified: true,
        }
    }
}

impl<T: Real, E> LandmarkScratch<'_, T, E, MatrixViewMut<'_, T>> {
    /// Computes `z̄`.
    fn find_mean(&mut self, n: usize, rank: usize) {
        self.mean.fill(T::ZERO);
        self.values.fill(T::ZERO);
        for (i, row) in self.factor.view().leading(n, rank).iter_rows().enumerate() {
            if blocks::is_next(i) {
                blocks::set_aside(self.mean, self.values);
            }
            rows::add(self.mean, T::ONE, row);
        }
        rows::add(self.mean, T::ONE, self.values);
        self.values.fill(T::ZERO);
        let count = T::from_usize(n);
        for mean in self.mean.iter_mut() {
            *mean /= count;
        }
    }

    /// Takes `z̄` off the coordinates, and clears the covariance.
    fn begin_covariance(&mut self) {
        for row in self.factor.iter_rows_mut() {
            rows::add(row, -T::ONE, self.mean);
        }
        for row in self.covariance.iter_rows_mut() {
            row.fill(T::ZERO);
        }
    }

    /// Adds `(1/n)(z_i − z̄)(z_i − z̄)ᵀ` for some samples, above the diagonal.
    fn add_to_covariance(&mut self, samples: Range<usize>, n: usize, rank: usize) {
        let mut sums = self.covariance.reborrow().into_leading(rank, rank);
        let coordinates = self.factor.view().leading(n, rank).part(samples);
        covariance::add(&mut sums, coordinates, T::ONE / T::from_usize(n));
    }
}

/// Moves far points behind near ones, which are then evaluated in blocks.
pub(crate) fn bring_near_first<K, S, I>(
    kernel: &K,
    samples: &S,
    pivots: &mut [I],
    expansion: &mut ExpansionMut<'_, K::Scalar>,
) where
    S: Samples + ?Sized,
    K: BlockKernel<S::View>,
    I: Index,
{
    let is_near = |pivot: I| {
        let point = samples.sample(pivot.at());
        point.is_some_and(|point| kernel.is_near(point))
    };
    // All before `near` are near, and all from `near` to the one that is looked at are far.
    let mut near = 0;
    for index in 0..pivots.len() {
        if is_near(entry(pivots, index)) {
            if near < index {
                swap(pivots, near, index);
                swap(expansion.centre, near, index);
                expansion.weights.swap_rows(near, index);
            }
            near += 1;
        }
    }
}

/// Column `k` of `L`, the landmarks' rows of the factor, which is row `k` of the system
/// `Lᵀ W = W₀`. It is solved in place; the rows below are solved already.
struct LandmarkColumn<'a, T> {
    factor: MatrixView<'a, T>,
    mean: T,
    k: usize,
}

impl<'a, T: Real> LandmarkColumn<'a, T> {
    fn new(factor: MatrixView<'a, T>, mean: &[T], k: usize) -> Self {
        Self { factor, mean: entry(mean, k), k }
    }

    /// The entry of a landmark. The mean was taken off; where there was a zero, there is one again.
    fn entry(&self, pivot: u32) -> T {
        self.factor.at(pivot as usize, self.k) + self.mean
    }

    /// Solves for row `k` of the weights: four rows below at a time, in their order, then the rest.
    fn solve_row(&self, pivots: &[u32], solution: &mut MatrixViewMut<'_, T>) {
        let (k, below) = (self.k, self.k + 1);
        let (fours, rest) = tail(pivots, below).as_chunks::<4>();
        let (_, row, later) = solution.around_row_mut(k);
        let later = later.view();
        for (group, pivots) in fours.iter().enumerate() {
            let rows = [0, 1, 2, 3].map(|m| later.row(4 * group + m));
            rows::add_four(row, pivots.map(|pivot| -self.entry(pivot)), rows);
        }
        for (m, &pivot) in rest.iter().enumerate() {
            rows::add(row, -self.entry(pivot), later.row(4 * fours.len() + m));
        }
        let diagonal = pivots.get(k).map_or(T::ONE, |&pivot| self.entry(pivot));
        for w in row {
            *w /= diagonal;
        }
    }

    /// Solves for entry `k` of one right-hand side.
    fn solve_entry(&self, pivots: &[u32], solution: &mut [T]) {
        let (known, later) = split_mut(solution, self.k + 1);
        let products = tail(pivots, self.k + 1).iter().zip(later);
        let diagonal = pivots.get(self.k).map_or(T::ONE, |&pivot| self.entry(pivot));
        if let Some(own) = known.last_mut() {
            let sum = products.fold(*own, |sum, (&pivot, w)| sum + -self.entry(pivot) * *w);
            *own = sum / diagonal;
        }
    }
}

impl<K, X, const R: usize, const P: usize> KernelPca<K, X, R, P>
where
    X: Sample + Clone,
    K: BlockKernel<X::View>,
{
    /// Fits landmark kernel PCA: the samples that best span the rest become points.
    ///
    /// # Errors
    /// See [`fit`]. The model is unchanged then.
    pub fn fit_landmarks<const N: usize, E: Eigensolver<Scalar<K, X>>>(
        &mut self,
        kernel: K,
        samples: &[X],
        landmarks: Landmarks<Scalar<K, X>>,
        components: Components<Scalar<K, X>>,
        workspace: &mut LandmarkWorkspace<Scalar<K, X>, N, R, E>,
    ) -> Result<FitReport<Scalar<K, X>>, Error> {
        let mut scratch = workspace.scratch(samples.len())?;
        let mut storage = self.expansion_mut();
        let report = fit(&kernel, samples, landmarks, components, &mut scratch, &mut storage)?;
        let chosen =
            scratch.pivots.iter().take(report.points).filter_map(|&i| samples.get(i as usize));
        self.adopt(kernel, chosen);
        Ok(report)
    }
}
