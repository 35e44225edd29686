//! Pre-images: back from the components to the inputs, and de-noising by them.
//!
//! **Method.** A projection `f` stands for the point `Σ_i w_i φ(point_i)` of feature space, with
//! `w_i = β_i + Σ_j f_j α_ji`. Its pre-image is the `z` whose `φ(z)` comes nearest to it. The
//! pre-image of a noisy `x`'s own projection is `x` without what the dropped components hold: most
//! of the noise.
//!
//! - [`Linear`](crate::kernel::Linear): `z = Σ_i w_i point_i`, exactly, as
//!   [linear PCA](crate::methods::pca) gives it.
//! - [`Rbf`](crate::kernel::Rbf): at the nearest `z`,
//!   `z = Σ_i w_i k(z, point_i) point_i / Σ_i w_i k(z, point_i)`. Repeating this step finds such a
//!   `z`, in general one of several: [`denoise`](KernelPcaView::denoise) starts at `x`. Where the
//!   denominator vanishes, as it does far from all points, the search starts once more, from the
//!   point nearest to `x`.
//! - Other kernels: [learn](crate::methods::preimage::learn) a map from projections back to inputs.
//!
//! **Source.** Mika, Schölkopf, Smola, Müller, Scholz & Rätsch, *Kernel PCA and De-Noising in
//! Feature Spaces*, NIPS 11, 1998.
//!
//! **Domain.** Models on vectors. A search that does not end within the iterations allowed is an
//! error, and so are weights that vanish twice.
//!
//! **Bound.** The last step of a search is shorter than 1e-3 of the kernel's width, or than
//! rounding.

mod search;

pub(crate) use search::{Search, Total};

use crate::error::{Error, require_shape};
use crate::kernel::{BlockKernel, Samples, Vector};
use crate::kpca::{KernelPca, KernelPcaView, Scalar};
use crate::linalg::slices::{copy, head_mut};
use crate::math::{Real, dot_in_order, first_least, squared_distance};

/// Iterations to allow for a pre-image, an expected reading or an expected input.
///
/// Within a few deviations of normal, most readings take fewer than 10 and most inputs fewer than
/// 30; far from normal it can take ten times as many.
pub const ITERATIONS: usize = 300;

/// A kernel whose pre-images can be computed: [`Linear`](crate::kernel::Linear) and
/// [`Rbf`](crate::kernel::Rbf).
///
/// It is sealed, since the way they are searched for may change.
pub trait PreImage<T: Real>: Search<T> {}
impl<T: Real, K: Search<T>> PreImage<T> for K {}

pub(crate) fn require_iterations(iterations: usize) -> Result<(), Error> {
    match iterations {
        0 => Err(Error::Parameter { name: "iterations", rule: ">= 1" }),
        _ => Ok(()),
    }
}

impl<K, S, T> KernelPcaView<'_, K, S>
where
    T: Real,
    S: Samples<View = [T]> + ?Sized,
    K: BlockKernel<[T], Scalar = T>,
{
    /// The points and their weights `w_i = β_i + Σ_j f_j α_ji` in the reconstruction of a projected
    /// point.
    pub fn reconstruction(&self, projection: &[T]) -> impl Iterator<Item = (&[T], T)> {
        let expansion = self.expansion();
        let weights = expansion.weights().iter_rows().zip(expansion.centre());
        let weights = weights.map(|(alpha, &beta)| beta + dot_in_order(alpha, projection));
        self.points().iter_samples().zip(weights)
    }
}

impl<K, S, T> KernelPcaView<'_, K, S>
where
    T: Real,
    S: Samples<View = [T]> + ?Sized,
    K: PreImage<T>,
{
    /// Writes the pre-image of a projection, searched for from `start`; see the
    /// [module](crate::kpca::preimage). Returns the number of iterations.
    ///
    /// `projection` has one value for each component, the other slices one for each input. An
    /// iteration costs about a score. The linear kernel takes one and needs no `start`.
    ///
    /// # Errors
    /// [`Error::NotFitted`] without points, [`Error::Shape`] for slices of another length,
    /// [`Error::Query`] for a `start` that cannot be used, [`Error::Parameter`] for no
    /// `iterations`, and [`Error::NoPreImage`] when these do not suffice or the weights vanish a
    /// second time.
    pub fn pre_image(
        &self,
        projection: &[T],
        start: &[T],
        iterations: usize,
        scratch: &mut [T],
        pre_image: &mut [T],
    ) -> Result<usize, Error> {
        require_iterations(iterations)?;
        require_shape("projection", self.expansion().components(), projection.len())?;
        require_shape("scratch", start.len(), scratch.len())?;
        require_shape("pre-image", start.len(), pre_image.len())?;
        let peer = self.points().sample(0).ok_or(Error::NotFitted)?;
        self.kernel().check(start, peer).map_err(Error::Query)?;
        copy(start, pre_image);
        let mut restarted = false;
        for iteration in 1..=iterations {
            if self.kernel().step(pre_image, self.reconstruction(projection), scratch) {
                let moved = squared_distance(pre_image, scratch);
                copy(scratch, pre_image);
                if self.kernel().is_last(moved, dot_in_order(pre_image, pre_image)) {
                    return Ok(iteration);
                }
            } else if restarted {
                return Err(Error::NoPreImage { iterations: iteration });
            } else {
                restarted = true;
                self.copy_nearest(start, pre_image);
            }
        }
        Err(Error::NoPreImage { iterations })
    }

    /// Writes `x` without its noise: the pre-image of its own projection, searched for from `x`.
    /// Returns the number of iterations.
    ///
    /// `projection` has one place for each component, `scratch` and `denoised` one for each input.
    ///
    /// # Errors
    /// As [`project`](Self::project) and [`pre_image`](Self::pre_image).
    pub fn denoise(
        &self,
        x: &[T],
        iterations: usize,
        projection: &mut [T],
        scratch: &mut [T],
        denoised: &mut [T],
    ) -> Result<usize, Error> {
        require_iterations(iterations)?;
        self.project(x, projection)?;
        self.pre_image(projection, x, iterations, scratch, denoised)
    }

    /// Copies the point nearest to `x`, the first of equals.
    fn copy_nearest(&self, x: &[T], nearest: &mut [T]) {
        let points = self.points();
        let first = first_least(points.iter_samples().map(|point| squared_distance(x, point)));
        if let Some(point) = first.and_then(|(i, _)| points.sample(i)) {
            copy(point, nearest);
        }
    }
}

impl<K, X, const R: usize, const P: usize> KernelPca<K, X, R, P>
where
    X: Vector,
    K: PreImage<X::Scalar>,
{
    /// The pre-image of a projection, searched for from `start`; see the
    /// [module](crate::kpca::preimage). [`ITERATIONS`] is a good number to allow.
    ///
    /// # Errors
    /// See [`KernelPcaView::pre_image`].
    pub fn pre_image(
        &self,
        projection: &[X::Scalar],
        start: &X,
        iterations: usize,
    ) -> Result<X, Error> {
        let (mut scratch, mut pre_image) = (X::ZEROS, X::ZEROS);
        let (scratch, place) = (scratch.view_mut(), pre_image.view_mut());
        self.view()?.pre_image(projection, start.view(), iterations, scratch, place)?;
        Ok(pre_image)
    }

    /// `x` without its noise: the pre-image of its own projection, searched for from `x`.
    /// [`ITERATIONS`] is a good number to allow.
    ///
    /// ```
    /// use mercer::KernelPca;
    /// use mercer::kernel::Rbf;
    /// use mercer::kpca::{Components, ExactWorkspace};
    /// use mercer::kpca::preimage::ITERATIONS;
    ///
    /// // Samples on a circle.
    /// let samples: [[f32; 2]; 12] = core::array::from_fn(|i| {
    ///     let angle = i as f32 * core::f32::consts::TAU / 12.0;
    ///     [angle.cos(), angle.sin()]
    /// });
    /// let mut model = KernelPca::<Rbf<f32>, [f32; 2], 12, 4>::new();
    /// let workspace = &mut ExactWorkspace::<f32, 12>::new();
    /// model.fit_exact(Rbf::new(1.0), &samples, Components::Fixed(4), workspace)?;
    ///
    /// let [x, y] = model.denoise(&[1.2, 0.1], ITERATIONS)?;
    /// let radius = (x * x + y * y).sqrt();
    /// assert!((radius - 1.0).abs() < 0.1);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// See [`KernelPcaView::denoise`].
    pub fn denoise(&self, x: &X, iterations: usize) -> Result<X, Error> {
        let view = self.view()?;
        let mut projection = [Scalar::<K, X>::ZERO; P];
        let (mut scratch, mut denoised) = (X::ZEROS, X::ZEROS);
        view.denoise(
            x.view(),
            iterations,
            head_mut(&mut projection, view.expansion().components()),
            scratch.view_mut(),
            denoised.view_mut(),
        )?;
        Ok(denoised)
    }
}
