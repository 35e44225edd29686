//! Relevant dimension estimation: how many kernel principal components the labels need, and how
//! noisy the labels are.
//!
//! **Method.** With all unit eigenvectors `v_j` of the `n × n` Gram matrix, in descending order,
//! labels `y` have the coefficients `z_j = v_jᵀy`. What they say about the samples is in the
//! leading ones if the kernel suits the problem; noise is spread evenly over all. With
//! `S_d = Σ_{j≤d} v_j v_jᵀ`, the estimate `d̂` minimises a criterion (among equal ones, the
//! smallest `d` is taken):
//!
//! | [`Method`] | criterion |
//! |---|---|
//! | `TwoComponents` | `(d/n) ln σ₁² + ((n−d)/n) ln σ₂²`: two Gaussians, by maximum likelihood |
//! | `LeaveOneOut` | `(1/n) Σ_i ((y_i − (S_d y)_i)/(1 − (S_d)_ii))²`: each label from the others |
//!
//! with `σ₁² = (1/d) Σ_{j≤d} z_j²` and `σ₂² = (1/(n−d)) Σ_{j>d} z_j²`. The de-noised labels are
//! `ŷ = S_d̂ y`, and the noise level is how far `y` is from them on average: the mean squared
//! error, or for labels ±1 the share whose sign differs. A small `d̂` with much noise indicates
//! noisy labels, a large `d̂` with little noise a complex problem:
//! [`RelevantDimension::assessment`].
//!
//! [`DimensionOptions::centred`](field@DimensionOptions::centred) centres the Gram matrix, as
//! kernel PCA does, and the labels with it. Their mean is then added to `ŷ` and is estimated as
//! well: `S_d + eeᵀ/n` takes the place of `S_d`.
//!
//! **Source.** Braun, Buhmann & Müller, *On Relevant Dimensions in Kernel Feature Spaces*, JMLR 9,
//! 2008, where the Gram matrix is not centred.
//!
//! **Domain.** Finite labels that are not all equal and whose squares neither overflow nor vanish.
//!
//! **Bound.** Only dimensions whose eigenvalue exceeds `4n·ε` of the largest entry of the Gram
//! matrix are considered; a coefficient is known to about `√n·ε` of the length of the labels.
//!
//! ```
//! use mercer::kernel::Rbf;
//! use mercer::methods::{DimensionOptions, DimensionWorkspace, dimension};
//! let x: [[f32; 1]; 40] = core::array::from_fn(|i| [0.2 * i as f32 - 4.0]);
//! let y = x.map(|[x]| x.sin() + if (5.0 * x) as i32 % 2 == 0 { 0.1 } else { -0.1 });
//!
//! let mut workspace = DimensionWorkspace::<f32, 40>::new();
//! let mut scratch = workspace.scratch(x.len())?;
//! let options = DimensionOptions::VALUES;
//! let found = dimension::estimate(&Rbf::new(0.5), x.as_slice(), &y, options, &mut scratch)?;
//! assert!(found.dimension <= 8 && (found.noise - 0.01).abs() < 0.002); // labels are off by 0.1
//! assert!(scratch.denoised.iter().zip(&x).all(|(smooth, [x])| (smooth - x.sin()).abs() < 0.1));
//! # Ok::<(), mercer::Error>(())
//! ```

mod assessment;
mod criterion;

pub use assessment::{Assessment, LARGE_NOISE, SAMPLES_PER_DIMENSION};

use criterion::Left;

use crate::error::{Error, require_capacity, require_shape};
use crate::kernel::{BlockKernel, Samples, gram};
use crate::linalg::eigen::{self, EigenScratch, Eigensolver, Memory, TridiagonalQr};
use crate::linalg::slices::{head, head_mut};
use crate::linalg::{Matrix, MatrixViewMut, rows};
use crate::math::{Real, first_least, sum};
use crate::methods::labels;

/// How the dimension is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Method {
    /// The coefficients are drawn from a wide Gaussian up to the dimension, and from a narrow one
    /// beyond.
    TwoComponents,
    /// Each label is predicted from the others. This makes no assumption on the coefficients and
    /// often finds more dimensions.
    LeaveOneOut,
}

/// What the labels are, and with that how noise is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Labels {
    /// Numbers: the noise level is the mean squared error.
    Values,
    /// Classes, +1 or −1: the noise level is the share of labels whose sign differs from that of
    /// the de-noised label.
    Signs,
}

/// What the labels are, and how to find their dimension.
///
/// ```
/// use mercer::methods::DimensionOptions;
/// use mercer::methods::dimension::Method;
/// const OPTIONS: DimensionOptions = DimensionOptions::SIGNS.method(Method::LeaveOneOut).up_to(20);
/// assert_eq!(OPTIONS.up_to, Some(20));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct DimensionOptions {
    /// How the dimension is found.
    pub method: Method,
    /// What the labels are.
    pub labels: Labels,
    /// Centre the Gram matrix and the labels.
    pub centred: bool,
    /// The largest dimension to consider; `None` for half the number of samples, as in the paper.
    /// (Near `n` the second Gaussian has only a few coefficients, and one that happens to be small
    /// makes any `d` there look likely.)
    pub up_to: Option<usize>,
}

impl DimensionOptions {
    /// Labels that are numbers, by the two-component model, as in the paper.
    pub const VALUES: Self =
        Self { method: Method::TwoComponents, labels: Labels::Values, centred: false, up_to: None };
    /// Labels that are +1 or −1, by the two-component model, as in the paper.
    pub const SIGNS: Self = Self { labels: Labels::Signs, ..Self::VALUES };

    /// Sets [`method`](field@Self::method).
    pub const fn method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// Sets [`centred`](field@Self::centred).
    pub const fn centred(self, centred: bool) -> Self {
        Self { centred, ..self }
    }

    /// Sets [`up_to`](field@Self::up_to).
    pub const fn up_to(self, dimension: usize) -> Self {
        Self { up_to: Some(dimension), ..self }
    }
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct RelevantDimension<T> {
    /// Number of samples `n`.
    pub samples: usize,
    /// The relevant dimension `d̂`.
    pub dimension: usize,
    /// The largest dimension that was considered:
    /// [`DimensionOptions::up_to`](field@DimensionOptions::up_to), or the number of eigenvalues
    /// above rounding if that is less.
    pub searched: usize,
    /// What the labels were taken for.
    pub labels: Labels,
    /// The noise level: the mean squared error, or the share of labels whose sign differs.
    pub noise: T,
    /// The same as a share: of the variance of the labels, or of their number.
    pub noise_share: T,
}

/// Memory for an estimate from at most `N` samples: an `N × N` matrix and a little more.
///
/// `E` is the [eigensolver](eigen) that the estimate is made with; with
/// [`Jacobi`](eigen::Jacobi), there is a second matrix.
#[derive(Clone, Debug)]
pub struct DimensionWorkspace<T: Real, const N: usize, E: Eigensolver<T> = TridiagonalQr<T>> {
    gram: Matrix<T, N, N>,
    values: [T; N],
    coefficients: [T; N],
    denoised: [T; N],
    criterion: [T; N],
    solver: E::Memory<N>,
}

impl<T: Real, const N: usize, E: Eigensolver<T>> DimensionWorkspace<T, N, E> {
    /// Bytes it occupies.
    pub const SIZE: usize = size_of::<Self>();

    /// An empty workspace; a `static` of it stays in `.bss`.
    pub const fn new() -> Self {
        Self {
            gram: Matrix::zeros(),
            values: [T::ZERO; N],
            coefficients: [T::ZERO; N],
            denoised: [T::ZERO; N],
            criterion: [T::ZERO; N],
            solver: E::Memory::EMPTY,
        }
    }

    /// The part for `samples` samples.
    ///
    /// # Errors
    /// [`Error::Capacity`] when there are more than `N`.
    pub fn scratch(&mut self, samples: usize) -> Result<DimensionScratch<'_, T, E>, Error> {
        require_capacity("samples in the workspace", samples, N)?;
        Ok(DimensionScratch {
            gram: self.gram.view_mut().into_leading(samples, samples),
            values: head_mut(&mut self.values, samples),
            coefficients: head_mut(&mut self.coefficients, samples),
            denoised: head_mut(&mut self.denoised, samples),
            criterion: head_mut(&mut self.criterion, samples),
            solver: eigen::part(&mut self.solver, samples),
        })
    }
}

impl<T: Real, const N: usize, E: Eigensolver<T>> Default for DimensionWorkspace<T, N, E> {
    fn default() -> Self {
        Self::new()
    }
}

/// Borrowed memory for an estimate from `n` samples, of whatever origin; the fields say what it
/// holds afterwards.
#[derive(Debug)]
pub struct DimensionScratch<'a, T, E = TridiagonalQr<T>> {
    /// `n × n`; the Gram matrix, then its eigenvectors `v_j` as rows.
    pub gram: MatrixViewMut<'a, T>,
    /// `n`; the eigenvalues.
    pub values: &'a mut [T],
    /// `n`; the coefficients `z_j`. The sum of their squares is that of the labels (less their
    /// mean, if centred).
    pub coefficients: &'a mut [T],
    /// `n`; the de-noised labels `ŷ`.
    pub denoised: &'a mut [T],
    /// `n`; the criterion for `d = 1, 2, …` up to [`RelevantDimension::searched`].
    pub criterion: &'a mut [T],
    /// For the eigensolver, which it names; then for `(S_d)_ii`, how much of each sample the first
    /// `d` eigenvectors span.
    pub solver: EigenScratch<'a, T, E>,
}

/// Estimates the relevant dimension of labelled samples; leaves the de-noised labels and the rest
/// in `scratch`.
///
/// `n(n+1)/2` kernel evaluations, an `n × n` eigenproblem and `2n²` multiply-adds.
///
/// # Errors
/// Whatever is wrong with kernel, samples or sizes; [`Error::Label`] for one that is not finite, or
/// not ±1 where it should be; [`Error::Parameter`] for labels that are all equal or whose squares
/// overflow or vanish, and for a bad [`DimensionOptions::up_to`](field@DimensionOptions::up_to);
/// [`Error::NoVariance`] when all samples are equal; [`Error::NoConvergence`] or
/// [`Error::EigenvalueOverflow`].
pub fn estimate<K, S, E>(
    kernel: &K,
    samples: &S,
    labels: &[K::Scalar],
    options: DimensionOptions,
    scratch: &mut DimensionScratch<'_, K::Scalar, E>,
) -> Result<RelevantDimension<K::Scalar>, Error>
where
    S: Samples + ?Sized,
    K: BlockKernel<S::View>,
    E: Eigensolver<K::Scalar>,
{
    let n = samples.count();
    scratch.require_shape(n)?;
    gram::fill(kernel, samples, &mut scratch.gram)?;
    let mean = mean_of(labels, options.labels, n)?;
    gram::require_variance(kernel, samples, samples.iter_samples().map(|x| kernel.diagonal(x)))?;
    let up_to = match options.up_to {
        None => n / 2,
        Some(wanted) if wanted >= 1 && wanted < n => wanted,
        Some(_) => {
            let rule = ">= 1 and below the number of samples";
            return Err(Error::Parameter { name: "up_to", rule });
        }
    };
    let rounding =
        K::Scalar::from_usize(4 * n) * K::Scalar::EPSILON * scratch.gram.view().largest_below();
    if options.centred {
        gram::centre(&mut scratch.gram, scratch.solver.numbers(n))?;
    }
    scratch.solver.solve(&mut scratch.gram, scratch.values)?;
    // Below this, an eigenvector belongs to rounding, not to a direction in feature space.
    let rank = scratch.values.iter().take_while(|&&value| value > rounding).count();
    let searched = up_to.min(rank);
    let centre = if options.centred { Some(mean) } else { None };
    scratch.search(labels, centre, options.method, searched);
    let criterion = head(scratch.criterion, searched).iter().copied();
    // Without a dimension above rounding, there is nothing to search.
    let (least, _) = first_least(criterion).ok_or(Error::NoVariance)?;
    let dimension = 1 + least;
    scratch.denoise(if options.centred { mean } else { K::Scalar::ZERO }, dimension);
    let (noise, noise_share) = noise(labels, scratch.denoised, options.labels, mean);
    Ok(RelevantDimension {
        samples: n,
        dimension,
        searched,
        labels: options.labels,
        noise,
        noise_share,
    })
}

impl<T: Real, E: Eigensolver<T>> DimensionScratch<'_, T, E> {
    /// Checks that all arrays are for the same number of samples; the matrix is checked where it is
    /// filled.
    fn require_shape(&self, expected: usize) -> Result<(), Error> {
        for (what, given) in [
            ("eigenvalues", self.values.len()),
            ("coefficients", self.coefficients.len()),
            ("denoised", self.denoised.len()),
            ("criterion", self.criterion.len()),
        ] {
            require_shape(what, expected, given)?;
        }
        self.solver.require(expected)
    }

    /// Computes the coefficients and the criterion for every dimension up to `searched`; `centre`,
    /// if there is one, is subtracted from the labels first.
    fn search(&mut self, labels: &[T], centre: Option<T>, method: Method, searched: usize) {
        let vectors = self.gram.view();
        let n = T::from_usize(labels.len());
        // The mean is predicted from the other labels as well: eeᵀ/n has 1/n on its diagonal.
        let (mean, mean_share) = match centre {
            Some(mean) => (mean, T::ONE / n),
            None => (T::ZERO, T::ZERO),
        };
        // The labels as they are used, until the place is needed for the fitted ones.
        for (place, &label) in self.denoised.iter_mut().zip(labels) {
            *place = label - mean;
        }
        for (z, vector) in self.coefficients.iter_mut().zip(vectors.iter_rows()) {
            *z = rows::dot_in_lanes(vector, self.denoised);
        }
        match method {
            Method::TwoComponents => criterion::two_components(self.coefficients, self.criterion),
            Method::LeaveOneOut => {
                let spanned = self.solver.numbers(labels.len());
                spanned.fill(mean_share);
                let mut left = Left { residuals: self.denoised, spanned, mean_share };
                let criterion = self.criterion.iter_mut().take(searched);
                let pairs = vectors.iter_rows().zip(self.coefficients.iter());
                for (place, (vector, &z)) in criterion.zip(pairs) {
                    *place = left.error(vector, z, labels, mean);
                }
            }
        }
    }

    /// Writes `ŷ = mean + S_d (y − mean)`.
    fn denoise(&mut self, mean: T, dimension: usize) {
        self.denoised.fill(mean);
        let pairs = self.gram.view().iter_rows().zip(self.coefficients.iter());
        for (vector, &z) in pairs.take(dimension) {
            rows::add(self.denoised, z, vector);
        }
    }
}

/// Checks the labels and returns their mean.
fn mean_of<T: Real>(values: &[T], kind: Labels, samples: usize) -> Result<T, Error> {
    match kind {
        Labels::Values => labels::require_values(values, samples)?,
        Labels::Signs => labels::require_classes(values, samples)?,
    }
    let name = "labels";
    if values.windows(2).all(|pair| matches!(pair, [a, b] if a == b)) {
        return Err(Error::Parameter { name, rule: "of at least two different values" });
    }
    let mean = sum(values.iter().copied()) / T::from_usize(samples);
    let squares = sum(values.iter().map(|&y| y * y));
    if !squares.is_finite() || variance(values, mean) <= T::ZERO {
        return Err(Error::Parameter { name, rule: "of a magnitude that can be squared" });
    }
    Ok(mean)
}

fn variance<T: Real>(labels: &[T], mean: T) -> T {
    sum(labels.iter().map(|&y| (y - mean) * (y - mean))) / T::from_usize(labels.len())
}

/// The noise level, as it is and as a share.
fn noise<T: Real>(labels: &[T], denoised: &[T], kind: Labels, mean: T) -> (T, T) {
    let pairs = labels.iter().zip(denoised);
    let count = T::from_usize(labels.len());
    match kind {
        Labels::Values => {
            let squares = sum(pairs.map(|(&y, &smooth)| (y - smooth) * (y - smooth)));
            (squares / count, squares / count / variance(labels, mean))
        }
        Labels::Signs => {
            // A de-noised label of 0 agrees with neither class.
            let other = pairs.filter(|&(&y, &smooth)| y * smooth <= T::ZERO).count();
            let share = T::from_usize(other) / count;
            (share, share)
        }
    }
}
