//! Pre-images for any kernel, learned from the training samples.
//!
//! **Method.** A [ridge regression](crate::methods::ridge) from projections back to inputs: with
//! `f_i` the projection of sample `x_i` and `K_f` the Gram matrix of the `f_i`,
//! `z(f) = Σ_i a_i k(f, f_i)` with `a = (K_f + λI)⁻¹ X`.
//!
//! **Source.** Bakır, Weston & Schölkopf, *Learning to Find Pre-Images*, NIPS 2003.
//!
//! **Domain.** Models on vectors, with any kernel; the kernel on projections and the ridge are the
//! caller's choice.
//!
//! **Bound.** That of the regression.

use crate::error::{Error, require_capacity, require_shape};
use crate::kernel::{BlockKernel, Samples, Vector};
use crate::kpca::{KernelPca, KernelPcaView};
use crate::linalg::slices::copy;
use crate::linalg::slices::head_mut;
use crate::linalg::{Matrix, MatrixViewMut};
use crate::math::Real;
use crate::methods::ridge::{self, KernelRidge};

/// A regression from projections on at most `P` components back to inputs, learned from at most `N`
/// samples of type `X`; `K` is the kernel on projections.
///
/// Projections on fewer components are filled up with zeros, which change neither inner products
/// nor distances.
pub type PreImages<K, X, const N: usize, const P: usize> =
    KernelRidge<K, [<X as Vector>::Scalar; P], X, N>;

/// Memory to learn pre-images from at most `N` samples and `P` components.
#[derive(Clone, Debug)]
pub struct PreImageWorkspace<T, const N: usize, const P: usize> {
    projections: [[T; P]; N],
    gram: Matrix<T, N, N>,
}

impl<T: Real, const N: usize, const P: usize> PreImageWorkspace<T, N, P> {
    /// Bytes it occupies.
    pub const SIZE: usize = size_of::<Self>();

    /// An empty workspace; a `static` of it stays in `.bss`.
    pub const fn new() -> Self {
        Self { projections: [[T::ZERO; P]; N], gram: Matrix::zeros() }
    }
}

impl<T: Real, const N: usize, const P: usize> Default for PreImageWorkspace<T, N, P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, X, const R: usize, const P: usize> KernelPca<K, X, R, P>
where
    X: Vector,
    K: BlockKernel<[X::Scalar], Scalar = X::Scalar>,
{
    /// Learns to go back from projections to inputs, from samples like those that the model was
    /// fitted to.
    ///
    /// `kernel` compares projections; the model's own, as in scikit-learn, is a good choice if it
    /// is Gaussian.
    ///
    /// # Errors
    /// As [`project`](Self::project) and [`ridge::fit`]. `pre_images` are unchanged after an error.
    pub fn learn_pre_images<J, const N: usize>(
        &self,
        kernel: J,
        samples: &[X],
        ridge: X::Scalar,
        workspace: &mut PreImageWorkspace<X::Scalar, N, P>,
        pre_images: &mut PreImages<J, X, N, P>,
    ) -> Result<(), Error>
    where
        J: BlockKernel<[X::Scalar], Scalar = X::Scalar>,
    {
        require_capacity("samples", samples.len(), N)?;
        let projections = head_mut(&mut workspace.projections, samples.len());
        projections.fill([X::Scalar::ZERO; P]);
        let model = self.view()?;
        let places = MatrixViewMut::new(projections.as_flattened_mut(), samples.len(), P)?;
        let components = model.expansion().components();
        project(&model, samples, &mut places.into_leading(samples.len(), components))?;
        pre_images.fit(kernel, projections, samples, ridge, &mut workspace.gram)
    }

    /// `x` without its noise: the pre-image of its own projection, as
    /// [learned](Self::learn_pre_images).
    ///
    /// # Errors
    /// As [`project`](Self::project) and [`KernelRidge::predict`].
    pub fn denoise_by<J, const N: usize>(
        &self,
        x: &X,
        pre_images: &PreImages<J, X, N, P>,
    ) -> Result<X, Error>
    where
        J: BlockKernel<[X::Scalar], Scalar = X::Scalar>,
    {
        pre_images.predict(&self.filled_up(x)?)
    }

    /// The projection of a sample, with zeros for components that the model does not have.
    fn filled_up(&self, x: &X) -> Result<[X::Scalar; P], Error> {
        let mut filled_up = [X::Scalar::ZERO; P];
        copy(&self.project(x.view())?, &mut filled_up);
        Ok(filled_up)
    }
}

/// Projects `samples` and writes the weights of a [regression](crate::methods::ridge) from their
/// projections back to them.
///
/// `projections` has a row for each sample and a column for each component: the points of the
/// regression. `gram` is `n × n`; `weights` has a row for each sample and a column for each input.
///
/// # Errors
/// As [`KernelPcaView::project`] and [`ridge::fit`].
pub fn learn<K, S, J, Q, T>(
    model: &KernelPcaView<'_, K, S>,
    kernel: &J,
    samples: &Q,
    ridge: T,
    projections: &mut MatrixViewMut<'_, T>,
    gram: &mut MatrixViewMut<'_, T>,
    weights: &mut MatrixViewMut<'_, T>,
) -> Result<(), Error>
where
    T: Real,
    S: Samples<View = [T]> + ?Sized,
    K: BlockKernel<[T], Scalar = T>,
    J: BlockKernel<[T], Scalar = T>,
    Q: Samples<View = [T]> + ?Sized,
{
    require_shape("projections", samples.count(), projections.rows())?;
    project(model, samples, projections)?;
    ridge::fit(kernel, &projections.view(), samples, ridge, gram, weights)
}

/// Writes the projection of each sample to its row.
fn project<K, S, Q, T>(
    model: &KernelPcaView<'_, K, S>,
    samples: &Q,
    projections: &mut MatrixViewMut<'_, T>,
) -> Result<(), Error>
where
    T: Real,
    S: Samples<View = [T]> + ?Sized,
    K: BlockKernel<[T], Scalar = T>,
    Q: Samples<View = [T]> + ?Sized,
{
    for (index, (row, x)) in projections.iter_rows_mut().zip(samples.iter_samples()).enumerate() {
        model.project(x, row).map_err(|error| match error {
            // Here the query is a sample.
            Error::Query(fault) => Error::Sample { index, fault },
            other => other,
        })?;
    }
    Ok(())
}
