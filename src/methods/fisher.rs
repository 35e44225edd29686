//! Kernel Fisher discriminant: the direction in feature space that best tells two classes apart.
//!
//! **Method.** With `M_c` the mean of the columns of the Gram matrix that belong to class `c`, and
//! the scatter within the classes `N_ij = Σ_c Σ_{k∈c} (K_ik − M_ci)(K_jk − M_cj)`, the weights are
//! `a = (N + μI)⁻¹ (M₊ − M₋)`. They make the distance between the projected class means large
//! beside the projected scatter; `μ` keeps them short, since otherwise any labels could be fitted.
//!
//! A point projects to `f(x) = Σ_i a_i k(x, x_i) − b`. The direction leaves scale and threshold
//! open. The scale is chosen so that the mean of class +1 is at 1 and that of class −1 at −1, and
//! the threshold at 0 is half way between them: right for classes of the same spread, whatever
//! their sizes. Positive `f` means class +1.
//!
//! **Source.** Mika, Rätsch, Weston, Schölkopf & Müller, *Fisher Discriminant Analysis with
//! Kernels*, NNSP 1999.
//!
//! **Domain.** Labels +1 and −1, both present, and `μ > 0`. More than two classes take a
//! generalised eigenproblem instead of a linear system, and are left out: one discriminant for each
//! class against the rest does as well.
//!
//! **Bound.** The weights are those of a matrix within `γ_{3n+1} |L||Lᵀ|` of `N + μI`, as
//! [Cholesky's](crate::linalg::cholesky) are. Classes whose means differ by no more than `n·ε` of
//! the largest kernel value are refused.

use crate::error::{Error, Fault, require_capacity, require_shape};
use crate::kernel::{BlockKernel, Kernel, Sample, Samples, gram, require_positive};
use crate::kpca::Scalar;
use crate::linalg::slices::{entry, head, head_mut};
use crate::linalg::{Matrix, MatrixViewMut, cholesky};
use crate::math::{Real, sum};
use crate::methods::{labels, points};

/// What a fit found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct FisherReport<T> {
    /// Number of samples of class +1.
    pub positive: usize,
    /// Number of samples of class −1.
    pub negative: usize,
    /// The offset `b`.
    pub offset: T,
    /// Standard deviation of the samples' projections around the mean of their class, where these
    /// means are at ±1: small if the classes are well apart.
    pub deviation: T,
    /// How many samples of the fit lie on the wrong side.
    pub errors: usize,
}

/// A discriminant of at most `N` samples of type `X`.
///
/// ```
/// use mercer::kernel::Rbf;
/// use mercer::methods::{FisherWorkspace, KernelFisher};
/// // Inside and outside, which no line separates.
/// let samples = [[0.1, 0.0], [0.0, -0.1], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
/// let labels = [1.0, 1.0, -1.0, -1.0, -1.0, -1.0];
/// let mut fisher = KernelFisher::<Rbf<f32>, [f32; 2], 6>::new();
/// let mut workspace = FisherWorkspace::<f32, 6>::new();
/// let report = fisher.fit(Rbf::new(1.0), &samples, &labels, 0.01, &mut workspace)?;
/// assert_eq!(report.errors, 0);
/// assert!(fisher.project(&[0.0, 0.2])? > 0.0 && fisher.project(&[0.7, -0.7])? < 0.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct KernelFisher<K, X, const N: usize>
where
    X: Sample,
    K: Kernel<X::View>,
{
    kernel: Option<K>,
    points: heapless::Vec<X, N, u32>,
    weights: [Scalar<K, X>; N],
    offset: Scalar<K, X>,
}

impl<K, X, const N: usize> KernelFisher<K, X, N>
where
    X: Sample,
    K: BlockKernel<X::View>,
{
    /// Bytes it occupies.
    pub const SIZE: usize = size_of::<Self>();

    /// A discriminant that has not been fitted; a `static` of it stays in `.bss`.
    pub const fn new() -> Self {
        const { assert!(N > 0, "there must be room for samples") };
        Self {
            kernel: None,
            points: heapless::Vec::new(),
            weights: [Scalar::<K, X>::ZERO; N],
            offset: Scalar::<K, X>::ZERO,
        }
    }

    /// A discriminant that was fitted earlier, e.g. on the host, and lives in flash; `offset` is
    /// that of the [report](FisherReport::offset).
    pub const fn from_parts(
        kernel: K,
        points: [X; N],
        weights: [Scalar<K, X>; N],
        offset: Scalar<K, X>,
    ) -> Self {
        Self { kernel: Some(kernel), points: heapless::Vec::from_array(points), weights, offset }
    }

    /// Fits the discriminant to samples with labels +1 and −1; the samples are kept.
    ///
    /// # Errors
    /// See [`fit`]; [`Error::Capacity`] when there is no room for the samples. The discriminant is
    /// unchanged after an error.
    pub fn fit(
        &mut self,
        kernel: K,
        samples: &[X],
        labels: &[Scalar<K, X>],
        mu: Scalar<K, X>,
        workspace: &mut FisherWorkspace<Scalar<K, X>, N>,
    ) -> Result<FisherReport<Scalar<K, X>>, Error>
    where
        X: Clone,
    {
        let mut scratch = workspace.scratch(samples.len())?;
        let report = fit(&kernel, samples, labels, mu, &mut scratch)?;
        // The workspace has as much room as there is here.
        points::keep(&mut self.points, samples);
        for (place, &weight) in self.weights.iter_mut().zip(scratch.weights.iter()) {
            *place = weight;
        }
        self.offset = report.offset;
        self.kernel = Some(kernel);
        Ok(report)
    }

    /// The weights `a_i`, one for each sample of the fit.
    pub fn weights(&self) -> &[Scalar<K, X>] {
        head(&self.weights, self.points.len())
    }

    /// `f(x)`: positive for class +1, about 1 for a typical point of it, and negative for class −1.
    ///
    /// # Errors
    /// [`Error::NotFitted`], or [`Error::Query`] when the point cannot be used.
    pub fn project(&self, x: &X::View) -> Result<Scalar<K, X>, Error> {
        let kernel = self.kernel.as_ref().ok_or(Error::NotFitted)?;
        project(kernel, self.points.as_slice(), self.weights(), self.offset, x)
    }

    /// The class of a point, +1 or −1; +1 where `f(x)` is exactly 0.
    ///
    /// # Errors
    /// Those of [`project`](Self::project).
    pub fn classify(&self, x: &X::View) -> Result<Scalar<K, X>, Error> {
        let one = Scalar::<K, X>::ONE;
        Ok(if self.project(x)? < Scalar::<K, X>::ZERO { -one } else { one })
    }
}

impl<K, X, const N: usize> Default for KernelFisher<K, X, N>
where
    X: Sample,
    K: BlockKernel<X::View>,
{
    fn default() -> Self {
        Self::new()
    }
}

/// Memory for a fit to at most `N` samples: an `N × N` matrix and a little more.
#[derive(Clone, Debug)]
pub struct FisherWorkspace<T, const N: usize> {
    matrix: Matrix<T, N, N>,
    positive: [T; N],
    negative: [T; N],
    weights: [T; N],
}

impl<T: Real, const N: usize> FisherWorkspace<T, N> {
    /// Bytes it occupies.
    pub const SIZE: usize = size_of::<Self>();

    /// An empty workspace; a `static` of it stays in `.bss`.
    pub const fn new() -> Self {
        Self {
            matrix: Matrix::zeros(),
            positive: [T::ZERO; N],
            negative: [T::ZERO; N],
            weights: [T::ZERO; N],
        }
    }

    /// The part for `samples` samples.
    ///
    /// # Errors
    /// [`Error::Capacity`] when there are more than `N`.
    pub fn scratch(&mut self, samples: usize) -> Result<FisherScratch<'_, T>, Error> {
        require_capacity("samples in the workspace", samples, N)?;
        Ok(FisherScratch {
            matrix: self.matrix.view_mut().into_leading(samples, samples),
            positive: head_mut(&mut self.positive, samples),
            negative: head_mut(&mut self.negative, samples),
            weights: head_mut(&mut self.weights, samples),
        })
    }
}

impl<T: Real, const N: usize> Default for FisherWorkspace<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

/// Borrowed memory for a fit to `n` samples, of whatever origin.
#[derive(Debug)]
pub struct FisherScratch<'a, T> {
    /// `n × n`; the Gram matrix, then the scatter, then its factor.
    pub matrix: MatrixViewMut<'a, T>,
    /// `n`; the class mean `M₊`.
    pub positive: &'a mut [T],
    /// `n`; the class mean `M₋`.
    pub negative: &'a mut [T],
    /// `n`; afterwards the weights `a_i`.
    pub weights: &'a mut [T],
}

/// Writes the weights to `scratch` and returns the offset in the report.
///
/// `3n²/2` kernel evaluations, `n³/2` multiply-adds for the scatter and `n³/6` for its factor. A
/// larger `mu` makes a smoother discriminant that follows the samples less; it has the unit of the
/// scatter, `n·k²`.
///
/// # Errors
/// Whatever is wrong with kernel, samples or sizes; [`Error::Label`] for one that is not ±1;
/// [`Error::Parameter`] for labels of one class only, for classes with the same mean, and for a
/// `mu` that is not finite and positive; [`Error::NotPositiveDefinite`] for a `mu` that is lost in
/// the rounding of the scatter.
pub fn fit<K, S>(
    kernel: &K,
    samples: &S,
    labels: &[K::Scalar],
    mu: K::Scalar,
    scratch: &mut FisherScratch<'_, K::Scalar>,
) -> Result<FisherReport<K::Scalar>, Error>
where
    S: Samples + ?Sized,
    K: BlockKernel<S::View>,
{
    let (n, zero) = (samples.count(), K::Scalar::ZERO);
    for (what, given) in [
        ("positive", scratch.positive.len()),
        ("negative", scratch.negative.len()),
        ("weights", scratch.weights.len()),
    ] {
        require_shape(what, n, given)?;
    }
    require_positive("mu", mu)?;
    gram::fill(kernel, samples, &mut scratch.matrix)?;
    labels::require_classes(labels, n)?;
    let positive = labels.iter().filter(|&&label| label > zero).count();
    let counts = [positive, n - positive];
    if counts.contains(&0) {
        return Err(Error::Parameter { name: "labels", rule: "a mix of both classes" });
    }
    scratch.class_means(labels, counts)?;
    scratch.scatter(labels, mu);
    let right = &mut MatrixViewMut::new(scratch.weights, n, 1)?;
    cholesky::solve(&mut scratch.matrix, right)?;
    scratch.settle(kernel, samples, labels, counts)
}

impl<T: Real> FisherScratch<'_, T> {
    /// Writes `M₊`, `M₋`, and their difference to the weights.
    fn class_means(&mut self, labels: &[T], [positive, negative]: [usize; 2]) -> Result<(), Error> {
        let gram = self.matrix.view();
        let mut largest = T::ZERO;
        let means = self.positive.iter_mut().zip(self.negative.iter_mut());
        for (row, ((plus, minus), difference)) in
            gram.iter_rows().zip(means.zip(self.weights.iter_mut()))
        {
            let of_class = |class: T| {
                sum(row.iter().zip(labels).filter(|&(_, &label)| label == class).map(|(&k, _)| k))
            };
            *plus = of_class(T::ONE) / T::from_usize(positive);
            *minus = of_class(-T::ONE) / T::from_usize(negative);
            *difference = *plus - *minus;
            largest = largest.larger(difference.abs());
        }
        let rounding = T::from_usize(labels.len()) * T::EPSILON * gram.largest_below();
        if largest <= rounding {
            let rule = "of classes whose means differ";
            return Err(Error::Parameter { name: "labels", rule });
        }
        Ok(())
    }

    /// Writes `N + μI` over the Gram matrix.
    ///
    /// The Gram matrix is symmetric, so that its lower triangle holds all of it, and the scatter
    /// grows in the upper one. The diagonal follows row by row: `K_ii` is needed for row `i` of the
    /// scatter, which is its column as well, and never again.
    fn scatter(&mut self, labels: &[T], mu: T) {
        let n = labels.len();
        for i in 0..n {
            for j in i + 1..n {
                let entry = self.scatter_entry(labels, i, j);
                self.matrix.set(i, j, entry);
            }
            let own = self.scatter_entry(labels, i, i);
            self.matrix.set(i, i, own + mu);
        }
        self.matrix.mirror_upper();
    }

    /// `N_ij`, from the lower triangle of the Gram matrix.
    fn scatter_entry(&self, labels: &[T], i: usize, j: usize) -> T {
        let gram = |i: usize, k: usize| self.matrix.at(i.max(k), i.min(k));
        let mean = |class: T, i: usize| {
            let means = if class > T::ZERO { &*self.positive } else { &*self.negative };
            entry(means, i)
        };
        let terms = labels
            .iter()
            .enumerate()
            .map(|(k, &class)| (gram(i, k) - mean(class, i)) * (gram(j, k) - mean(class, j)));
        sum(terms)
    }

    /// Sets scale and offset from the projections of the samples, which take the place of `M₊`.
    fn settle<K, S>(
        &mut self,
        kernel: &K,
        samples: &S,
        labels: &[T],
        [positive, negative]: [usize; 2],
    ) -> Result<FisherReport<T>, Error>
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
    {
        for (place, x) in self.positive.iter_mut().zip(samples.iter_samples()) {
            *place = expand(kernel, samples, self.weights, x);
        }
        let pairs = || self.positive.iter().zip(labels);
        let of_class =
            |class: T| sum(pairs().filter(|&(_, &label)| label == class).map(|(&f, _)| f));
        let plus = of_class(T::ONE) / T::from_usize(positive);
        let minus = of_class(-T::ONE) / T::from_usize(negative);
        let two = T::from_f64(2.0);
        let (middle, scale) = ((plus + minus) / two, (plus - minus) / two);
        // In exact arithmetic (M₊ − M₋)ᵀ(N + μI)⁻¹(M₊ − M₋) > 0.
        if !(scale > T::ZERO && (middle / scale).is_finite()) {
            return Err(Error::Parameter { name: "mu", rule: "larger for these samples" });
        }
        let settled = || pairs().map(|(&f, &label)| ((f - middle) / scale, label));
        let squares = sum(settled().map(|(f, label)| (f - label) * (f - label)));
        let wrong = settled().filter(|&(f, label)| (f < T::ZERO) != (label < T::ZERO));
        let errors = wrong.count();
        for weight in self.weights.iter_mut() {
            *weight /= scale;
        }
        let deviation = (squares / T::from_usize(labels.len())).sqrt();
        Ok(FisherReport { positive, negative, offset: middle / scale, deviation, errors })
    }
}

/// `Σ_i a_i k(x, x_i) − b`, with the weights and the offset of a fit to `samples`.
///
/// # Errors
/// [`Error::Query`] when the point cannot be used; [`Error::Shape`] for another number of weights
/// than samples; [`Error::NotFitted`] without samples.
pub fn project<K, S>(
    kernel: &K,
    samples: &S,
    weights: &[K::Scalar],
    offset: K::Scalar,
    x: &S::View,
) -> Result<K::Scalar, Error>
where
    S: Samples + ?Sized,
    K: BlockKernel<S::View>,
{
    require_shape("weights", samples.count(), weights.len())?;
    let peer = samples.sample(0).ok_or(Error::NotFitted)?;
    kernel.check(x, peer).map_err(Error::Query)?;
    let f = expand(kernel, samples, weights, x) - offset;
    if f.is_finite() { Ok(f) } else { Err(Error::Query(Fault::Overflow)) }
}

/// `Σ_i a_i k(x, x_i)`.
fn expand<K, S>(kernel: &K, samples: &S, weights: &[K::Scalar], x: &S::View) -> K::Scalar
where
    S: Samples + ?Sized,
    K: BlockKernel<S::View>,
{
    sum(samples.iter_samples().zip(weights).map(|(point, &weight)| weight * kernel.eval(x, point)))
}
