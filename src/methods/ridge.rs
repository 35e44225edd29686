//! Kernel ridge regression: numbers that depend smoothly on samples, learned from examples.
//!
//! **Method.** For samples `x_i` with targets `y_i` and a ridge `λ`, the function of the kernel's
//! feature space that minimises `Σ (y_i − y(x_i))² + λ‖w‖²` is
//!
//! `y(x) = Σ_i a_i k(x, x_i)` with `a = (K + λI)⁻¹ y`,
//!
//! solved by [Cholesky's factorisation](crate::linalg::cholesky::solve): `n²/2` kernel evaluations
//! and `n³/6` multiply-adds to fit, `n` evaluations to predict. A target can be several numbers:
//! each is a regression of its own, and all share the factor of `K + λI`.
//!
//! **Source.** Saunders, Gammerman & Vovk, *Ridge Regression Learning Algorithm in Dual Variables*,
//! ICML 1998.
//!
//! **Domain.** Finite targets and a ridge `λ ≥ 0`. The smaller the ridge, the closer the
//! predictions come to the targets of the samples; at 0 they meet, noise included, if `K` has an
//! inverse. The larger it is, the closer they come to zero. There is no intercept: predictions tend
//! to zero far from all samples, so centre the targets.
//!
//! **Bound.** The weights are those of a matrix within `γ_{3n+1} |L||Lᵀ|` of `K + λI`, as
//! [Cholesky's](crate::linalg::cholesky) are; with `λ > 0` and a positive semi-definite `K` the
//! condition number is at most `1 + ‖K‖/λ`.

use crate::error::{Error, Fault, require_capacity, require_shape};
use crate::kernel::{BlockKernel, Kernel, Sample, Samples, Vector, gram};
use crate::linalg::cholesky::{factorise, is_finite_solution, substitute};
use crate::linalg::slices::{entry, head, head_mut};
use crate::linalg::{Matrix, MatrixView, MatrixViewMut};
use crate::math::{Real, first_not_finite};
use crate::methods::{labels, points};

/// A kernel ridge regression on at most `N` samples of type `X`, with targets of type `Y` such as
/// `[f32; 1]`.
///
/// ```
/// use mercer::kernel::Rbf;
/// use mercer::linalg::Matrix;
/// use mercer::methods::KernelRidge;
///
/// let samples = [[0.0_f32], [1.0], [2.0], [3.0], [4.0]];
/// let targets = samples.map(|[x]| [x * x - 4.0]);
/// let mut ridge = KernelRidge::<Rbf<f32>, [f32; 1], [f32; 1], 5>::new();
/// ridge.fit(Rbf::new(0.1), &samples, &targets, 1e-3, &mut Matrix::zeros())?;
/// let [y] = ridge.predict(&[2.5])?;
/// assert!((y - (2.5 * 2.5 - 4.0)).abs() < 0.1);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct KernelRidge<K, X, Y, const N: usize> {
    /// None before the first fit, so that an empty model is all zeros and stays out of `.data`.
    kernel: Option<K>,
    points: heapless::Vec<X, N, u32>,
    /// `a`, with a place for each of the `N` points.
    weights: [Y; N],
}

impl<K, X, Y, const N: usize> KernelRidge<K, X, Y, N>
where
    X: Sample,
    Y: Vector,
    K: BlockKernel<X::View, Scalar = Y::Scalar>,
{
    /// Bytes the model occupies, in flash or RAM.
    pub const SIZE: usize = size_of::<Self>();

    /// A model that has not been fitted.
    pub const fn new() -> Self {
        const { assert!(N > 0, "a regression needs room for samples") };
        Self { kernel: None, points: heapless::Vec::new(), weights: [Y::ZEROS; N] }
    }

    /// A model that was trained earlier, e.g. on the host, and lives in flash.
    pub const fn from_parts(kernel: K, points: [X; N], weights: [Y; N]) -> Self {
        Self { kernel: Some(kernel), points: heapless::Vec::from_array(points), weights }
    }

    /// The model with its sizes as run-time values.
    ///
    /// # Errors
    /// [`Error::NotFitted`].
    pub fn view(&self) -> Result<KernelRidgeView<'_, K, [X]>, Error> {
        let kernel = self.kernel.as_ref().ok_or(Error::NotFitted)?;
        let weights = Y::flatten(self.weights());
        let weights = MatrixView::new(weights, self.points.len(), Y::INPUTS)?;
        KernelRidgeView::new(kernel, self.points.as_slice(), weights)
    }

    /// The samples it was fitted to.
    pub fn points(&self) -> &[X] {
        &self.points
    }

    /// `a_i`, the weights of the samples, one number for each output.
    pub fn weights(&self) -> &[Y] {
        head(&self.weights, self.points.len())
    }

    /// Predicts the target of a sample.
    ///
    /// # Errors
    /// [`Error::NotFitted`], or [`Error::Query`] when the sample cannot be used.
    pub fn predict(&self, x: &X::View) -> Result<Y, Error> {
        let mut prediction = Y::ZEROS;
        self.view()?.predict(x, prediction.view_mut())?;
        Ok(prediction)
    }
}

impl<K, X, Y, const N: usize> KernelRidge<K, X, Y, N>
where
    X: Sample + Clone,
    Y: Vector,
    K: BlockKernel<X::View, Scalar = Y::Scalar>,
{
    /// Learns to predict `targets[i]` from `samples[i]`.
    ///
    /// # Errors
    /// See [`fit`]. The model is unchanged after an error.
    pub fn fit(
        &mut self,
        kernel: K,
        samples: &[X],
        targets: &[Y],
        ridge: Y::Scalar,
        workspace: &mut Matrix<Y::Scalar, N, N>,
    ) -> Result<(), Error> {
        let n = samples.len();
        require_capacity("samples", n, N)?;
        let weights = Y::flatten_mut(head_mut(&mut self.weights, n));
        let mut weights = MatrixViewMut::new(weights, n, Y::INPUTS)?;
        let mut gram = workspace.view_mut().into_leading(n, n);
        fit(&kernel, samples, targets, ridge, &mut gram, &mut weights)?;
        points::keep(&mut self.points, samples);
        self.kernel = Some(kernel);
        Ok(())
    }
}

impl<K, X, Y, const N: usize> Default for KernelRidge<K, X, Y, N>
where
    X: Sample,
    Y: Vector,
    K: BlockKernel<X::View, Scalar = Y::Scalar>,
{
    fn default() -> Self {
        Self::new()
    }
}

/// Writes the weights `a = (K + λI)⁻¹ y`.
///
/// `targets` has a vector of outputs for each sample, `weights` a row for each sample and a column
/// for each output; `gram` is `n × n` and ends as the factor of `K + λI`. Nothing is written to
/// `weights` before every check has passed. One of these checks solves each system once beforehand,
/// which adds `n²` multiply-adds for each output.
///
/// # Errors
/// Whatever is wrong with kernel, samples or sizes; [`Error::Parameter`] for a negative `ridge`,
/// and for targets so large that the weights overflow; [`Error::Label`] for a target that is not
/// finite; [`Error::NotPositiveDefinite`] when the ridge is too small for a kernel that is not
/// positive definite on these samples, or smaller than the kernel's rounding (as it soon is in
/// `f32` with a wide Gaussian).
pub fn fit<K, S, Y>(
    kernel: &K,
    samples: &S,
    targets: &Y,
    ridge: K::Scalar,
    gram: &mut MatrixViewMut<'_, K::Scalar>,
    weights: &mut MatrixViewMut<'_, K::Scalar>,
) -> Result<(), Error>
where
    S: Samples + ?Sized,
    Y: Samples<View = [K::Scalar]> + ?Sized,
    K: BlockKernel<S::View>,
{
    let n = samples.count();
    require_shape("targets", n, targets.count())?;
    require_shape("weight rows", n, weights.rows())?;
    if !(ridge.is_finite() && ridge >= K::Scalar::ZERO) {
        return Err(Error::Parameter { name: "ridge", rule: "finite and >= 0" });
    }
    for (index, target) in targets.iter_samples().enumerate() {
        require_shape("weight columns", target.len(), weights.columns())?;
        if let Some(output) = first_not_finite(target) {
            return Err(Error::Label { index, output, rule: labels::FINITE });
        }
    }
    gram::fill(kernel, samples, gram)?;
    for i in 0..n {
        gram.set(i, i, gram.at(i, i) + ridge);
    }
    factorise(gram)?;
    for output in 0..weights.columns() {
        if !is_finite_solution(gram, targets.iter_samples().map(|target| entry(target, output))) {
            let rule = "smaller, or the ridge larger: the weights overflow";
            return Err(Error::Parameter { name: "targets", rule });
        }
    }
    for (row, target) in weights.iter_rows_mut().zip(targets.iter_samples()) {
        for (weight, &target) in row.iter_mut().zip(target) {
            *weight = target;
        }
    }
    substitute(gram.view(), weights)
}

/// A regression to predict with, borrowed from storage of any kind: a [`KernelRidge`], or a host
/// program's vectors.
#[derive(Clone, Copy, Debug)]
pub struct KernelRidgeView<'a, K, S>
where
    S: Samples + ?Sized,
    K: Kernel<S::View>,
{
    kernel: &'a K,
    points: &'a S,
    weights: MatrixView<'a, K::Scalar>,
}

impl<'a, K, S> KernelRidgeView<'a, K, S>
where
    S: Samples + ?Sized,
    K: BlockKernel<S::View>,
{
    /// Puts kernel, points and weights together; `weights` has a row for each point and a column
    /// for each output.
    ///
    /// # Errors
    /// [`Error::Shape`] when the numbers of points and of rows of weights differ.
    pub fn new(
        kernel: &'a K,
        points: &'a S,
        weights: MatrixView<'a, K::Scalar>,
    ) -> Result<Self, Error> {
        require_shape("points", weights.rows(), points.count())?;
        Ok(Self { kernel, points, weights })
    }

    /// `a`: a row for each point, a column for each output.
    pub const fn weights(&self) -> MatrixView<'a, K::Scalar> {
        self.weights
    }

    /// Predicts the target of a sample; `prediction` has one place for each output.
    ///
    /// # Errors
    /// [`Error::NotFitted`] without points, [`Error::Shape`] for a `prediction` of another length,
    /// and [`Error::Query`] when the sample cannot be used.
    pub fn predict(&self, x: &S::View, prediction: &mut [K::Scalar]) -> Result<(), Error> {
        let peer = self.points.sample(0).ok_or(Error::NotFitted)?;
        require_shape("prediction", self.weights.columns(), prediction.len())?;
        self.kernel.check(x, peer).map_err(Error::Query)?;
        prediction.fill(K::Scalar::ZERO);
        for (point, weights) in self.points.iter_samples().zip(self.weights.iter_rows()) {
            let k = self.kernel.eval(x, point);
            for (output, &weight) in prediction.iter_mut().zip(weights) {
                *output += weight * k;
            }
        }
        match first_not_finite(prediction) {
            None => Ok(()),
            Some(_) => Err(Error::Query(Fault::Overflow)),
        }
    }
}
