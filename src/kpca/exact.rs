//! Exact kernel PCA: every sample is a point of the model.
//!
//! **Method.** With `K̃ v_j = η_j v_j` (unit vectors, descending): `α_j = v_j/√η_j`, `β_i = 1/n`,
//! `b_j = Σ_i α_ji m_i`, `λ_j = η_j/n`, `‖centre‖² = M`, total variance `tr(K̃)/n`. Because
//! `K̃ e = 0`, the weights of a component sum to zero, so the centring of a new point reduces to
//! the constant `b_j`. A training sample projects to `√η_j v_ij`.
//!
//! **Source.** Schölkopf, Smola & Müller, *Nonlinear Component Analysis as a Kernel Eigenvalue
//! Problem*, Neural Computation 10, 1998.
//!
//! **Domain.** At least two samples that are not all equal. Negative eigenvalues, which indefinite
//! kernels have, are reported and never kept.
//!
//! **Bound.** Eigenvalues up to `4n·ε` of the largest kernel value count as rounding. Projections
//! agree with scikit-learn's to 1e-9 of the largest in `f64` and 1e-4 in `f32` (`tests/golden.rs`).

use super::components::{Components, FitReport, choose};
use super::model::{KernelPca, Scalar};
use crate::error::{Error, require_capacity};
use crate::kernel::{BlockKernel, Sample, Samples, gram};
use crate::kpca::{ExpansionHeader, ExpansionMut};
use crate::linalg::carve::{Carver, total};
use crate::linalg::eigen::{self, EigenScratch, Eigensolver, Memory, TridiagonalQr};
use crate::linalg::slices::head_mut;
use crate::linalg::{Matrix, MatrixView, MatrixViewMut};
use crate::math::{Real, sum};

/// Memory for an exact fit of at most `N` samples: an `N × N` matrix and a little more.
///
/// `E` is the [eigensolver](eigen) that the fit is made with; with
/// [`Jacobi`](eigen::Jacobi), there is a second matrix.
#[derive(Clone, Debug)]
pub struct ExactWorkspace<T: Real, const N: usize, E: Eigensolver<T> = TridiagonalQr<T>> {
    gram: Matrix<T, N, N>,
    values: [T; N],
    means: [T; N],
    solver: E::Memory<N>,
}

impl<T: Real, const N: usize, E: Eigensolver<T>> ExactWorkspace<T, N, E> {
    /// Bytes it occupies.
    pub const SIZE: usize = size_of::<Self>();

    /// An empty workspace; a `static` of it stays in `.bss`.
    pub const fn new() -> Self {
        Self {
            gram: Matrix::zeros(),
            values: [T::ZERO; N],
            means: [T::ZERO; N],
            solver: E::Memory::EMPTY,
        }
    }

    /// The part for `samples` samples.
    ///
    /// # Errors
    /// [`Error::Capacity`] when there are more than `N`.
    pub fn scratch(&mut self, samples: usize) -> Result<ExactScratch<'_, T, E>, Error> {
        require_capacity("samples in the workspace", samples, N)?;
        Ok(ExactScratch {
            gram: self.gram.view_mut().into_leading(samples, samples),
            values: head_mut(&mut self.values, samples),
            means: head_mut(&mut self.means, samples),
            solver: eigen::part(&mut self.solver, samples),
        })
    }
}

impl<T: Real, const N: usize, E: Eigensolver<T>> Default for ExactWorkspace<T, N, E> {
    fn default() -> Self {
        Self::new()
    }
}

/// Borrowed memory for an exact fit of `n` samples, of whatever origin.
#[derive(Debug)]
pub struct ExactScratch<'a, T, E = TridiagonalQr<T>> {
    /// `n × n`; the Gram matrix, then its eigenvectors `v_j` as rows.
    pub gram: MatrixViewMut<'a, T>,
    /// `n`; the eigenvalues `η_j`.
    pub values: &'a mut [T],
    /// `n`; the row means `m_i`.
    pub means: &'a mut [T],
    /// For the eigensolver, which it names.
    pub solver: EigenScratch<'a, T, E>,
}

impl<'a, T: Real, E: Eigensolver<T>> ExactScratch<'a, T, E> {
    /// How many numbers an exact fit to `n` samples takes.
    pub fn numbers(n: usize) -> usize {
        total(&[(n, n), (2, n), (1, E::scratch_len(n))])
    }

    /// Memory for `n` samples in one block.
    ///
    /// # Errors
    /// [`Error::Capacity`] when that has fewer than [`numbers`](Self::numbers).
    pub fn over(n: usize, numbers: &'a mut [T]) -> Result<Self, Error> {
        let needed = Self::numbers(n);
        let mut numbers = Carver::new("numbers of an exact fit", needed, numbers)?;
        Ok(Self {
            gram: numbers.matrix(n, n)?,
            values: numbers.take(n),
            means: numbers.take(n),
            solver: E::scratch(numbers.take(E::scratch_len(n))),
        })
    }
}

impl<T: Real, E> ExactScratch<'_, T, E> {
    /// After a fit: the projection `√η_j v_ij` of training sample `i` on the leading components.
    ///
    /// # Errors
    /// [`Error::Capacity`] when there is no such sample or not so many components.
    pub fn training_projection(&self, sample: usize, out: &mut [T]) -> Result<(), Error> {
        require_capacity("samples", sample + 1, self.gram.columns())?;
        require_capacity("components", out.len(), self.values.len())?;
        project_sample(sample, self.values, self.gram.view(), out);
        Ok(())
    }
}

/// Fits the weights of a model whose points are the samples, in their order.
///
/// `n(n+1)/2` kernel evaluations and an `n × n` eigenproblem.
///
/// # Errors
/// Whatever is wrong with kernel, samples, sizes or the wish for components; [`Error::NoVariance`]
/// when all samples are equal; [`Error::NoConvergence`] or [`Error::EigenvalueOverflow`].
pub fn fit<K, S, E>(
    kernel: &K,
    samples: &S,
    components: Components<K::Scalar>,
    scratch: &mut ExactScratch<'_, K::Scalar, E>,
    expansion: &mut ExpansionMut<'_, K::Scalar>,
) -> Result<FitReport<K::Scalar>, Error>
where
    S: Samples + ?Sized,
    K: BlockKernel<S::View>,
    E: Eigensolver<K::Scalar>,
{
    let centred = centred_gram(kernel, samples, &mut scratch.gram, scratch.means, expansion)?;
    let sweeps = scratch.solver.solve(&mut scratch.gram, scratch.values)?;
    let least = scratch.values.last().copied().unwrap_or(K::Scalar::ZERO);
    let pairs = Eigenpairs {
        values: scratch.values,
        vectors: scratch.gram.reborrow(),
        means: scratch.means,
        least,
        sweeps,
        certified: true,
    };
    write(components, centred, pairs, expansion)
}

/// What is known of the Gram matrix besides its eigenpairs.
pub(super) struct Centred<T> {
    /// Eigenvalues up to this are made of rounding.
    pub(super) rounding: T,
    /// The grand mean `M`.
    grand: T,
    trace: T,
}

/// Checks everything that can be checked beforehand, and computes `K̃` and the row means.
pub(super) fn centred_gram<K, S>(
    kernel: &K,
    samples: &S,
    gram: &mut MatrixViewMut<'_, K::Scalar>,
    means: &mut [K::Scalar],
    expansion: &ExpansionMut<'_, K::Scalar>,
) -> Result<Centred<K::Scalar>, Error>
where
    S: Samples + ?Sized,
    K: BlockKernel<S::View>,
{
    let n = samples.count();
    require_capacity("points", n, expansion.capacity().0)?;
    gram::fill(kernel, samples, gram)?;
    gram::require_variance(kernel, samples, samples.iter_samples().map(|x| kernel.diagonal(x)))?;
    // Kernel values are off by a few ε, and centring subtracts numbers of their size, however small
    // the result.
    let rounding = K::Scalar::from_usize(4 * n) * K::Scalar::EPSILON * gram.view().largest_below();
    let grand = gram::centre(gram, means)?;
    Ok(Centred { rounding, grand, trace: eigen::trace(gram.view()) })
}

/// Eigenpairs of `K̃`, or the leading ones.
pub(super) struct Eigenpairs<'a, T> {
    /// Descending.
    pub(super) values: &'a [T],
    /// One a row, in the same order.
    pub(super) vectors: MatrixViewMut<'a, T>,
    /// The row means `m_i`.
    pub(super) means: &'a [T],
    /// The least eigenvalue, or what is known of it.
    pub(super) least: T,
    pub(super) sweeps: usize,
    /// No eigenvalue above the last one is missing.
    pub(super) certified: bool,
}

/// Applies the wish for components and writes the model.
pub(super) fn write<T: Real>(
    components: Components<T>,
    centred: Centred<T>,
    pairs: Eigenpairs<'_, T>,
    expansion: &mut ExpansionMut<'_, T>,
) -> Result<FitReport<T>, Error> {
    let Centred { rounding, grand, trace } = centred;
    let Eigenpairs { values, mut vectors, means, least, sweeps, certified } = pairs;
    let n = means.len();
    if !trace.is_finite() {
        let sum_to = |index: usize| sum(values.iter().take(index + 1).copied());
        let index = (0..values.len()).find(|&index| !sum_to(index).is_finite());
        return Err(Error::EigenvalueOverflow { index: index.unwrap_or(values.len()) });
    }
    let choice = choose(components, values, rounding, trace, expansion.capacity().1)?;
    let indefinite = least < -(rounding + rounding);

    let count = T::from_usize(n);
    for (j, (vector, &value)) in
        vectors.iter_rows_mut().zip(values).enumerate().take(choice.components)
    {
        remove_mean(vector);
        let root = value.sqrt();
        for (i, &entry) in vector.iter().enumerate() {
            expansion.weights.set(i, j, entry / root);
        }
        let offset = sum(vector.iter().zip(means).map(|(&v, &m)| v / root * m));
        if let (Some(b), Some(variance)) =
            (expansion.offsets.get_mut(j), expansion.variances.get_mut(j))
        {
            *b = offset;
            *variance = value / count;
        }
    }
    for beta in expansion.centre.iter_mut().take(n) {
        *beta = T::ONE / count;
    }
    *expansion.header = ExpansionHeader {
        points: n as u32,
        components: choice.components as u32,
        centre_norm: grand,
        total_variance: trace / count,
        indefinite,
    };
    Ok(FitReport {
        samples: n,
        points: n,
        components: choice.components,
        rank: choice.rank,
        explained: choice.explained,
        unspanned: T::ZERO,
        sweeps,
        indefinite,
        certified,
    })
}

/// `√η_j v_ij` of one sample.
pub(super) fn project_sample<T: Real>(
    sample: usize,
    values: &[T],
    vectors: MatrixView<'_, T>,
    out: &mut [T],
) {
    for ((f, vector), &value) in out.iter_mut().zip(vectors.iter_rows()).zip(values) {
        let entry = vector.get(sample).copied().unwrap_or(T::ZERO);
        *f = T::ZERO.larger(value).sqrt() * entry;
    }
}

/// Makes an eigenvector orthogonal to the vector of ones `e` again, as all those of `K̃` are in
/// exact arithmetic.
///
/// Rounding in `K̃ e = 0` tilts it towards `e` by about `n·ε·‖K‖/η_j`. A kernel row has a large
/// mean, which that tilt would multiply: in `f32` and with a wide kernel, projections were off by
/// up to 4e-3 of the largest without this, and are off by 1e-5 with it.
fn remove_mean<T: Real>(vector: &mut [T]) {
    let mean = sum(vector.iter().copied()) / T::from_usize(vector.len());
    for entry in vector {
        *entry -= mean;
    }
}

impl<K, X, const R: usize, const P: usize> KernelPca<K, X, R, P>
where
    X: Sample + Clone,
    K: BlockKernel<X::View>,
{
    /// Fits exact kernel PCA: every sample becomes a point.
    ///
    /// # Errors
    /// See [`fit`]. The model is unchanged then.
    pub fn fit_exact<const N: usize, E: Eigensolver<Scalar<K, X>>>(
        &mut self,
        kernel: K,
        samples: &[X],
        components: Components<Scalar<K, X>>,
        workspace: &mut ExactWorkspace<Scalar<K, X>, N, E>,
    ) -> Result<FitReport<Scalar<K, X>>, Error> {
        let mut scratch = workspace.scratch(samples.len())?;
        let mut storage = self.expansion_mut();
        let report = fit(&kernel, samples, components, &mut scratch, &mut storage)?;
        self.adopt(kernel, samples.iter());
        Ok(report)
    }
}
