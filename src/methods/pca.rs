//! Linear PCA: mean, principal axes, and what is lost without the minor ones.
//!
//! **Method.** For samples `x_i` with mean `μ` and covariance
//! `C = (1/n) Σ (x_i − μ)(x_i − μ)ᵀ = U Λ Uᵀ`, variances `λ_j` descending:
//!
//! | | | |
//! |---|---|---|
//! | [`project`](PcaView::project) | `f = Uᵀ(x − μ)` | uncorrelated, with variances `λ_j` |
//! | [`whiten`](PcaView::whiten) | `Λ^(−1/2) Uᵀ(x − μ)` | the covariance is the identity |
//! | [`reconstruct`](PcaView::reconstruct) | `μ + Σ f_j u_j` | the nearest point in the span |
//! | [`PcaHeader::truncation_error`] | `Σ λ_j` of dropped axes | mean of `‖x_i − x̂_i‖²` |
//! | [`score`](PcaView::score) | `‖x − μ‖² − Σ f_j²`, … | how unusual a point is |
//!
//! Two routes lead to the same result: [`fit()`] through the `d × d` covariance of the inputs, and
//! [`fit_dual`] through the `n × n` inner products of the samples,
//! `(1/n)(x_i − μ)·(x_j − μ) = V Λ Vᵀ` and `u_j = Σ_i v_ij (x_i − μ)/√(nλ_j)`, the smaller problem
//! when there are fewer samples than inputs. The second is [kernel PCA](crate::kpca) with the
//! [linear kernel](crate::kernel::Linear), which finds the same projections; but a `Pca` needs no
//! samples any more, and a projection costs `d·P` multiply-adds. Scores mean what they mean in
//! kernel PCA.
//!
//! Sign of an axis: the training sample whose projection is largest in magnitude (the first of
//! them) has a positive one, as in kernel PCA. Where two samples tie but for rounding, the routes
//! may disagree.
//!
//! **Source.** Pearson 1901; Hotelling 1933. That no other axes leave a smaller truncation error:
//! Eckart & Young 1936.
//!
//! **Domain.** At least two finite samples that are not all equal. **Variances divide by `n`**, as
//! those of kernel PCA do. numpy's `cov` and scikit-learn's `PCA` divide by `n − 1`: their
//! variances are `n/(n − 1)` times these; axes, projections and shares are the same.
//!
//! **Bound.** Variances of at most `4·max(n, d)·ε` of the largest entry of the matrix count as
//! rounding, and their axes are not kept.

mod fit;

pub use fit::{PcaMut, PcaReport, PcaScratch, PcaWorkspace, fit, fit_dual};

use crate::error::{Error, require_shape};
use crate::kernel::{Kernel, Linear, Vector};
use crate::kpca::score::{finite_score, require_finite_outputs};
use crate::kpca::{Components, Projection, Score};
use crate::linalg::eigen::Eigensolver;
use crate::linalg::slices::{head, head_mut};
use crate::linalg::{MatrixView, MatrixViewMut};
use crate::math::{Real, squared_distance};

/// The scalars of a PCA.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct PcaHeader<T> {
    /// Number of axes in use, at most the capacity; 0 before a fit.
    pub components: u32,
    /// Variance of the samples over all axes, `Σ λ_j`: their mean squared distance to the mean.
    pub total_variance: T,
    /// `Σ λ_j` of the axes that were dropped: the mean squared error of the samples'
    /// reconstructions.
    pub truncation_error: T,
}

impl<T> PcaHeader<T> {
    /// The scalars of a PCA that was fitted earlier, e.g. for a `static` in flash.
    pub const fn new(components: u32, total_variance: T, truncation_error: T) -> Self {
        Self { components, total_variance, truncation_error }
    }
}

/// Linear PCA with at most `P` components on samples of type `X`, such as `[f32; 12]`.
///
/// ```
/// use mercer::kpca::Components;
/// use mercer::methods::{Pca, PcaWorkspace};
///
/// // The second input is twice the first.
/// let samples = [[1.0_f32, 2.0], [2.0, 4.0], [3.0, 6.0], [4.0, 8.0], [5.0, 10.0]];
/// let mut pca = Pca::<[f32; 2], 1>::new();
/// let report = pca.fit(&samples, Components::Share(0.9), &mut PcaWorkspace::<_, 2>::new())?;
/// assert!(report.explained > 0.999);
/// let x = pca.denoise(&[3.0, 7.0])?; // back to the line
/// assert!((x[0] - 3.4).abs() < 1e-5 && (x[1] - 6.8).abs() < 1e-5);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Pca<X: Vector, const P: usize> {
    header: PcaHeader<X::Scalar>,
    mean: X,
    axes: [X; P],
    variances: [X::Scalar; P],
}

impl<X: Vector, const P: usize> Pca<X, P> {
    /// Bytes it occupies, in flash or RAM.
    pub const SIZE: usize = size_of::<Self>();

    /// Nothing learned yet; a `static` of it stays in `.bss`.
    pub const fn new() -> Self {
        const { assert!(P > 0, "a PCA needs room for components") };
        let header = PcaHeader::new(0, X::Scalar::ZERO, X::Scalar::ZERO);
        Self::from_parts(header, X::ZEROS, [X::ZEROS; P], [X::Scalar::ZERO; P])
    }

    /// A PCA that was fitted earlier, e.g. on the host, and lives in flash. Axes beyond the number
    /// in the header are ignored.
    pub const fn from_parts(
        header: PcaHeader<X::Scalar>,
        mean: X,
        axes: [X; P],
        variances: [X::Scalar; P],
    ) -> Self {
        Self { header, mean, axes, variances }
    }

    /// Learns mean and axes through the covariance of the inputs; `M` is at least their number.
    ///
    /// # Errors
    /// See [`fit()`]. The PCA is unchanged after an error.
    pub fn fit<const M: usize, E: Eigensolver<X::Scalar>>(
        &mut self,
        samples: &[X],
        components: Components<X::Scalar>,
        workspace: &mut PcaWorkspace<X, M, E>,
    ) -> Result<PcaReport<X::Scalar>, Error> {
        let mut scratch = workspace.scratch("inputs in the workspace", X::INPUTS)?;
        fit(samples, components, &mut scratch, &mut self.storage()?)
    }

    /// Learns mean and axes through the inner products of the samples; `M` is at least their
    /// number.
    ///
    /// # Errors
    /// See [`fit_dual`]. The PCA is unchanged after an error.
    pub fn fit_dual<const M: usize, E: Eigensolver<X::Scalar>>(
        &mut self,
        samples: &[X],
        components: Components<X::Scalar>,
        workspace: &mut PcaWorkspace<X, M, E>,
    ) -> Result<PcaReport<X::Scalar>, Error> {
        let mut scratch = workspace.scratch("samples in the workspace", samples.len())?;
        fit_dual(samples, components, &mut scratch, &mut self.storage()?)
    }

    /// The storage, for a fit to write.
    fn storage(&mut self) -> Result<PcaMut<'_, X::Scalar>, Error> {
        Ok(PcaMut {
            header: &mut self.header,
            mean: self.mean.view_mut(),
            axes: MatrixViewMut::new(X::flatten_mut(&mut self.axes), P, X::INPUTS)?,
            variances: &mut self.variances,
        })
    }

    /// The part in use, with its sizes as run-time values.
    ///
    /// # Errors
    /// [`Error::NotFitted`].
    pub fn view(&self) -> Result<PcaView<'_, X::Scalar>, Error> {
        let components = self.components();
        let axes = MatrixView::new(X::flatten(&self.axes), P, X::INPUTS)?;
        let variances = head(&self.variances, components);
        PcaView::new(self.header, self.mean.view(), axes.leading(components, X::INPUTS), variances)
    }

    /// Number of axes in use; a header in flash may claim more than there are.
    fn components(&self) -> usize {
        (self.header.components as usize).min(P)
    }

    /// The mean `μ` of the samples.
    pub const fn mean(&self) -> &X {
        &self.mean
    }

    /// The principal axes `u_j`; none before a fit.
    pub fn axes(&self) -> &[X] {
        head(&self.axes, self.components())
    }

    /// The scalars.
    pub const fn header(&self) -> &PcaHeader<X::Scalar> {
        &self.header
    }

    /// Projects a point onto the axes.
    ///
    /// # Errors
    /// [`Error::NotFitted`], or [`Error::Query`] when the point cannot be used.
    pub fn project(&self, x: &X) -> Result<Projection<X::Scalar, P>, Error> {
        self.with_room(|view, values| view.project(x.view(), values))
    }

    /// Projects a point and divides by the deviation along each axis.
    ///
    /// # Errors
    /// As [`project`](Self::project).
    pub fn whiten(&self, x: &X) -> Result<Projection<X::Scalar, P>, Error> {
        self.with_room(|view, values| view.whiten(x.view(), values))
    }

    /// The point whose projection this is, in the span of the axes.
    ///
    /// # Errors
    /// [`Error::NotFitted`], [`Error::Shape`] for a projection of another length, and
    /// [`Error::Query`] when the result overflows.
    pub fn reconstruct(&self, projection: &[X::Scalar]) -> Result<X, Error> {
        let mut x = X::ZEROS;
        self.view()?.reconstruct(projection, x.view_mut())?;
        Ok(x)
    }

    /// The nearest point in the span of the axes: `x` without its part along the dropped ones.
    ///
    /// # Errors
    /// As [`project`](Self::project).
    pub fn denoise(&self, x: &X) -> Result<X, Error> {
        self.reconstruct(&self.project(x)?)
    }

    /// Scores a point.
    ///
    /// # Errors
    /// As [`project`](Self::project).
    pub fn score(&self, x: &X) -> Result<Score<X::Scalar>, Error> {
        let (view, mut values) = (self.view()?, [X::Scalar::ZERO; P]);
        view.score(x.view(), head_mut(&mut values, view.components()))
    }

    /// Makes room for one value per component and lets `write` fill it.
    fn with_room(
        &self,
        write: impl FnOnce(PcaView<'_, X::Scalar>, &mut [X::Scalar]) -> Result<(), Error>,
    ) -> Result<Projection<X::Scalar, P>, Error> {
        let (view, mut values) = (self.view()?, [X::Scalar::ZERO; P]);
        write(view, head_mut(&mut values, view.components()))?;
        Ok(Projection::leading(values, view.components()))
    }
}

impl<X: Vector, const P: usize> Default for Pca<X, P> {
    fn default() -> Self {
        Self::new()
    }
}

/// A PCA to use, borrowed from storage of any kind: a [`Pca`], or a host program's vectors.
#[derive(Clone, Copy, Debug)]
pub struct PcaView<'a, T> {
    header: PcaHeader<T>,
    mean: &'a [T],
    axes: MatrixView<'a, T>,
    variances: &'a [T],
}

impl<'a, T: Real> PcaView<'a, T> {
    /// Puts mean, axes (one per row) and variances together.
    ///
    /// # Errors
    /// [`Error::NotFitted`] without components, [`Error::Shape`] when a size differs from what the
    /// header says.
    pub fn new(
        header: PcaHeader<T>,
        mean: &'a [T],
        axes: MatrixView<'a, T>,
        variances: &'a [T],
    ) -> Result<Self, Error> {
        let components = header.components as usize;
        if components == 0 {
            return Err(Error::NotFitted);
        }
        require_shape("axes", components, axes.rows())?;
        require_shape("inputs of an axis", mean.len(), axes.columns())?;
        require_shape("variances", components, variances.len())?;
        Ok(Self { header, mean, axes, variances })
    }

    /// The scalars.
    pub const fn header(&self) -> &PcaHeader<T> {
        &self.header
    }

    /// The mean `μ` of the samples.
    pub const fn mean(&self) -> &'a [T] {
        self.mean
    }

    /// The axes `u_j`, one per row.
    pub const fn axes(&self) -> MatrixView<'a, T> {
        self.axes
    }

    /// `λ_j`, the variance of the samples along each axis (with `1/n`), descending.
    pub const fn variances(&self) -> &'a [T] {
        self.variances
    }

    /// Number of axes.
    pub const fn components(&self) -> usize {
        self.axes.rows()
    }

    /// The share of the total variance along each axis, descending.
    pub fn explained_ratios(&self) -> impl Iterator<Item = T> + use<'a, T> {
        let total = self.header.total_variance;
        self.variances.iter().map(move |&variance| variance / total)
    }

    /// Projects a point; `projection` has one place for each axis.
    ///
    /// # Errors
    /// [`Error::Shape`] for a `projection` of another length, and [`Error::Query`] when the point
    /// cannot be used.
    pub fn project(&self, x: &[T], projection: &mut [T]) -> Result<(), Error> {
        require_shape("projection", self.components(), projection.len())?;
        Kernel::<[T]>::check(&Linear, x, self.mean).map_err(Error::Query)?;
        for (f, axis) in projection.iter_mut().zip(self.axes.iter_rows()) {
            *f = fit::project_on(axis, x, self.mean);
        }
        require_finite_outputs(projection)
    }

    /// Projects a point and divides by the deviation `√λ_j` along each axis.
    ///
    /// # Errors
    /// As [`project`](Self::project).
    pub fn whiten(&self, x: &[T], white: &mut [T]) -> Result<(), Error> {
        self.project(x, white)?;
        for (value, &variance) in white.iter_mut().zip(self.variances) {
            *value /= variance.sqrt();
        }
        require_finite_outputs(white)
    }

    /// Writes `μ + Σ f_j u_j`; `x` has one place for each input.
    ///
    /// # Errors
    /// [`Error::Shape`] for slices of another length, and [`Error::Query`] when an input overflows.
    pub fn reconstruct(&self, projection: &[T], x: &mut [T]) -> Result<(), Error> {
        require_shape("projection", self.components(), projection.len())?;
        require_shape("reconstruction", self.mean.len(), x.len())?;
        for (x, &mean) in x.iter_mut().zip(self.mean) {
            *x = mean;
        }
        for (&f, axis) in projection.iter().zip(self.axes.iter_rows()) {
            for (x, &entry) in x.iter_mut().zip(axis) {
                *x += f * entry;
            }
        }
        require_finite_outputs(x)
    }

    /// Projects and scores a point; `projection` has one place for each axis.
    ///
    /// # Errors
    /// As [`project`](Self::project).
    pub fn score(&self, x: &[T], projection: &mut [T]) -> Result<Score<T>, Error> {
        self.project(x, projection)?;
        let score =
            Score::from_distance(squared_distance(x, self.mean), projection, self.variances);
        Ok(finite_score(score)?.clamped(false))
    }
}
