//! Exact kernel PCA for the leading components only: [`exact`] without the full eigenproblem.
//!
//! **Method.** The Gram matrix, formulas and points of [`exact`]; the eigenpairs come from
//! [`eigen::leading`], which takes a small part of the time when the matrix is large and few of
//! them are wanted. Both fits hold one `N × N` matrix; this one adds a basis of `S × N`.
//!
//! **Source.** Lanczos' method with restarts and a certificate: see [`eigen::leading`].
//!
//! **Domain.** That of [`exact`]; with indefinite kernels it may not converge.
//!
//! **Bound.** None of the leading eigenvalues is missed; of more than [`eigen::MOST_FACTORISED`]
//! samples, the report says whether that is [certain](FitReport::certified). Projections agree with
//! those of [`exact`] to 1e-12 in `f64` (`tests/leading.rs`).

use super::exact::{self, Eigenpairs};
use super::model::{KernelPca, Scalar};
use super::{Components, FitReport};
use crate::error::{Error, require_capacity};
use crate::kernel::{BlockKernel, Sample, Samples};
use crate::kpca::ExpansionMut;
use crate::linalg::eigen::{self, LanczosScratch};
use crate::linalg::slices::{head, head_mut};
use crate::linalg::{Matrix, MatrixViewMut};
use crate::math::Real;

/// Memory for the leading components of at most `N` samples, with a Krylov basis of `S` vectors:
/// `N² + N·S + 2S²` numbers and a little more.
///
/// For `p` components, `S` must be at least `2p + 4`, or `N`; `4p` makes restarts rare. It does not
/// change what is found, only how long it takes.
#[derive(Clone, Debug)]
pub struct LeadingWorkspace<T, const N: usize, const S: usize> {
    gram: Matrix<T, N, N>,
    means: [T; N],
    basis: Matrix<T, S, N>,
    projected: Matrix<T, S, S>,
    rotation: Matrix<T, S, S>,
    values: [T; S],
    diagonal: [T; S],
    beside: [T; S],
    vector: [T; N],
    pivots: [T; N],
}

impl<T: Real, const N: usize, const S: usize> LeadingWorkspace<T, N, S> {
    /// Bytes it occupies.
    pub const SIZE: usize = size_of::<Self>();

    /// An empty workspace; a `static` of it stays in `.bss`.
    pub const fn new() -> Self {
        Self {
            gram: Matrix::zeros(),
            means: [T::ZERO; N],
            basis: Matrix::zeros(),
            projected: Matrix::zeros(),
            rotation: Matrix::zeros(),
            values: [T::ZERO; S],
            diagonal: [T::ZERO; S],
            beside: [T::ZERO; S],
            vector: [T::ZERO; N],
            pivots: [T::ZERO; N],
        }
    }

    /// The part for `samples` samples.
    ///
    /// # Errors
    /// [`Error::Capacity`] when there are more than `N`.
    pub fn scratch(&mut self, samples: usize) -> Result<LeadingScratch<'_, T>, Error> {
        require_capacity("samples in the workspace", samples, N)?;
        Ok(LeadingScratch {
            gram: self.gram.view_mut().into_leading(samples, samples),
            means: head_mut(&mut self.means, samples),
            lanczos: LanczosScratch {
                basis: self.basis.view_mut().into_leading(S, samples),
                projected: self.projected.view_mut(),
                rotation: self.rotation.view_mut(),
                values: &mut self.values,
                diagonal: &mut self.diagonal,
                beside: &mut self.beside,
                vector: head_mut(&mut self.vector, samples),
                pivots: head_mut(&mut self.pivots, samples),
            },
        })
    }
}

impl<T: Real, const N: usize, const S: usize> Default for LeadingWorkspace<T, N, S> {
    fn default() -> Self {
        Self::new()
    }
}

/// Borrowed memory for the leading components of `n` samples, of whatever origin.
#[derive(Debug)]
pub struct LeadingScratch<'a, T> {
    /// `n × n`; the Gram matrix, destroyed by the fit.
    pub gram: MatrixViewMut<'a, T>,
    /// `n`; the row means `m_i`.
    pub means: &'a mut [T],
    /// For `n × n`; the eigenpairs `η_j, v_j` are its first values and rows.
    pub lanczos: LanczosScratch<'a, T>,
}

impl<T: Real> LeadingScratch<'_, T> {
    /// After a fit: the projection `√η_j v_ij` of training sample `i` on the leading components, no
    /// more than were kept.
    ///
    /// # Errors
    /// [`Error::Capacity`] when there is no such sample or not so many components.
    pub fn training_projection(&self, sample: usize, out: &mut [T]) -> Result<(), Error> {
        require_capacity("samples", sample + 1, self.means.len())?;
        require_capacity("components", out.len(), self.lanczos.values.len())?;
        exact::project_sample(sample, self.lanczos.values, self.lanczos.basis.view(), out);
        Ok(())
    }
}

/// Fits the weights of a model whose points are the samples, in their order.
///
/// With [`Components::Share`] it finds as many components as the expansion has room for, then keeps
/// the fewest that reach the share. In the report, `rank` counts only the components that were
/// looked for, so it is a lower bound; `indefinite` is certain when true, and judged by the
/// smallest Ritz value when false.
///
/// # Errors
/// Whatever is wrong with kernel, samples, sizes or the wish for components; [`Error::NoVariance`]
/// when all samples are equal; [`Error::NoConvergence`], which was seen with indefinite kernels
/// only: give it more steps, or use an exact fit.
pub fn fit<K, S>(
    kernel: &K,
    samples: &S,
    components: Components<K::Scalar>,
    scratch: &mut LeadingScratch<'_, K::Scalar>,
    expansion: &mut ExpansionMut<'_, K::Scalar>,
) -> Result<FitReport<K::Scalar>, Error>
where
    S: Samples + ?Sized,
    K: BlockKernel<S::View>,
{
    let LeadingScratch { gram, means, lanczos } = scratch;
    let room = expansion.capacity().1;
    let wanted = match components {
        Components::Fixed(wanted) => wanted,
        Components::Share(_) => room.min(lanczos.most_eigenpairs()),
    };
    require_capacity("components", wanted, room)?;
    let centred = exact::centred_gram(kernel, samples, gram, means, expansion)?;
    let wanted = wanted.clamp(1, means.len().max(1));
    let found = eigen::leading(gram, wanted, centred.rounding, lanczos)?;
    let pairs = Eigenpairs {
        values: head(lanczos.values, found.found),
        vectors: lanczos.basis.reborrow(),
        means,
        least: found.smallest,
        sweeps: found.sweeps,
        certified: found.certified,
    };
    exact::write(components, centred, pairs, expansion)
}

impl<K, X, const R: usize, const P: usize> KernelPca<K, X, R, P>
where
    X: Sample + Clone,
    K: BlockKernel<X::View>,
{
    /// Fits the leading components of exact kernel PCA: faster than [`fit_exact`](Self::fit_exact)
    /// when there are many samples.
    ///
    /// # Errors
    /// See [`fit`]. The model is unchanged then.
    pub fn fit_leading<const N: usize, const S: usize>(
        &mut self,
        kernel: K,
        samples: &[X],
        components: Components<Scalar<K, X>>,
        workspace: &mut LeadingWorkspace<Scalar<K, X>, N, S>,
    ) -> Result<FitReport<Scalar<K, X>>, Error> {
        let mut scratch = workspace.scratch(samples.len())?;
        let mut storage = self.expansion_mut();
        let report = fit(&kernel, samples, components, &mut scratch, &mut storage)?;
        self.adopt(kernel, samples.iter());
        Ok(report)
    }
}
