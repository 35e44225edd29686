//! Landmark kernel PCA: a few samples that span the rest are the points of the model.
//!
//! Pivoted Cholesky gives every sample coordinates `z_i` (a row of the factor `G`), and the landmarks' own rows form the
//! triangular `L`, so that `z(x) = L⁻¹ k_P(x)`. Ordinary PCA in these `r` dimensions, with mean `z̄`, covariance
//! `C = (1/n) Σ (z_i − z̄)(z_i − z̄)ᵀ` and `C u_j = λ_j u_j`, then gives `α_j = L⁻ᵀ u_j`, `b_j = u_j·z̄`, `β = L⁻ᵀ z̄`, `‖centre‖² = |z̄|²`.
//! Total variance: `tr(C)` plus the mean residual. The sign rule applies to `u_j`.

use super::{Components, Report, choose, require_capacity};
use crate::cholesky::{Landmarks, PivotedCholesky};
use crate::eigen::{self, MAX_SWEEPS, Progress};
use crate::error::Error;
use crate::gram;
use crate::kernel::Kernel;
use crate::math::{Real, dot, sum};
use crate::matrix::{Matrix, MatrixView, MatrixViewMut};
use crate::model::{ExpansionMut, Header};
use crate::samples::Samples;

/// Memory for a landmark fit of at most `N` samples and `R` landmarks: `N·R + 2R²` numbers and a little more.
#[derive(Clone, Debug)]
pub struct LandmarkWorkspace<T, const N: usize, const R: usize> {
    factor: Matrix<T, N, R>,
    residuals: [T; N],
    pivots: [u32; R],
    covariance: Matrix<T, R, R>,
    vectors: Matrix<T, R, R>,
    values: [T; R],
    mean: [T; R],
}

impl<T: Real, const N: usize, const R: usize> LandmarkWorkspace<T, N, R> {
    /// Bytes it occupies.
    pub const SIZE: usize = size_of::<Self>();

    /// An empty workspace; a `static` of it stays in `.bss`.
    pub const fn new() -> Self {
        Self {
            factor: Matrix::zeros(),
            residuals: [T::ZERO; N],
            pivots: [0; R],
            covariance: Matrix::zeros(),
            vectors: Matrix::zeros(),
            values: [T::ZERO; R],
            mean: [T::ZERO; R],
        }
    }

    /// The part for `samples` samples.
    ///
    /// # Errors
    /// [`Error::Capacity`] when there are more than `N`.
    pub fn scratch(&mut self, samples: usize) -> Result<LandmarkScratch<'_, T>, Error> {
        require_capacity("samples in the workspace", samples, N)?;
        Ok(LandmarkScratch {
            factor: self.factor.view_mut().into_leading(samples, R),
            residuals: self.residuals.get_mut(..samples).unwrap_or_default(),
            pivots: &mut self.pivots,
            covariance: self.covariance.view_mut(),
            vectors: self.vectors.view_mut(),
            values: &mut self.values,
            mean: &mut self.mean,
        })
    }
}

impl<T: Real, const N: usize, const R: usize> Default for LandmarkWorkspace<T, N, R> {
    fn default() -> Self {
        Self::new()
    }
}

/// Borrowed memory for a landmark fit of `n` samples and at most `R` landmarks, of whatever origin.
#[derive(Debug)]
pub struct LandmarkScratch<'a, T> {
    /// `n × R`; the coordinates `z_i` as rows.
    pub factor: MatrixViewMut<'a, T>,
    /// `n`; what the landmarks leave unspanned of each sample.
    pub residuals: &'a mut [T],
    /// `R`; the samples that became landmarks, in the order of their choice.
    pub pivots: &'a mut [u32],
    /// `R × R`; the covariance `C`, destroyed by the fit.
    pub covariance: MatrixViewMut<'a, T>,
    /// `R × R`; the eigenvectors `u_j` as rows.
    pub vectors: MatrixViewMut<'a, T>,
    /// `R`; the eigenvalues `λ_j`.
    pub values: &'a mut [T],
    /// `R`; the mean `z̄`.
    pub mean: &'a mut [T],
}

impl<T: Real> LandmarkScratch<'_, T> {
    /// All arrays are for the same number of landmarks. (The rest is checked where it is used.)
    fn require_shape(&self) -> Result<(), Error> {
        let expected = self.factor.columns();
        for (what, given) in [
            ("covariance rows", self.covariance.rows()),
            ("covariance columns", self.covariance.columns()),
            ("eigenvector rows", self.vectors.rows()),
            ("eigenvector columns", self.vectors.columns()),
            ("eigenvalues", self.values.len()),
            ("mean", self.mean.len()),
        ] {
            if given != expected {
                return Err(Error::Shape { what, expected, given });
            }
        }
        Ok(())
    }

    /// After a fit: the projection `u_j·(z_i − z̄)` of training sample `i` on the leading components.
    ///
    /// # Errors
    /// [`Error::Capacity`] when there is no such sample or not so many components.
    pub fn training_projection(&self, sample: usize, out: &mut [T]) -> Result<(), Error> {
        require_capacity("samples", sample + 1, self.factor.rows())?;
        require_capacity("components", out.len(), self.vectors.rows())?;
        let factor = self.factor.view();
        let z = factor.row(sample).iter().zip(self.mean.iter());
        for (f, u) in out.iter_mut().zip(self.vectors.view().iter_rows()) {
            *f = sum(z.clone().zip(u).map(|((&z, &mean), &u)| (z - mean) * u));
        }
        Ok(())
    }
}

/// Fits the weights of a model whose points are `samples[pivots[0..points]]`.
///
/// `n·r` kernel evaluations, `n·r²` multiply-adds and an `r × r` eigenproblem.
///
/// # Errors
/// Whatever is wrong with kernel, samples, sizes or the wishes for landmarks and components; [`Error::NoVariance`] when all
/// samples are equal; [`Error::NoConvergence`].
pub fn fit<K, S>(
    kernel: &K,
    samples: &S,
    landmarks: Landmarks<K::Scalar>,
    components: Components<K::Scalar>,
    scratch: &mut LandmarkScratch<'_, K::Scalar>,
    expansion: &mut ExpansionMut<'_, K::Scalar>,
) -> Result<Report<K::Scalar>, Error>
where
    S: Samples + ?Sized,
    K: Kernel<S::View>,
{
    let n = samples.count();
    let (room, component_room) = expansion.capacity();
    scratch.require_shape()?;
    let LandmarkScratch { factor, residuals, pivots, .. } = scratch;
    let mut cholesky = PivotedCholesky::start(kernel, samples, residuals)?;
    gram::require_variance(kernel, samples)?;
    while cholesky.step(kernel, samples, landmarks, factor, residuals, pivots)? == Progress::Working
    {
    }
    let rank = cholesky.rank();
    require_capacity("points", rank, room)?;

    let count = K::Scalar::from_usize(n);
    let coordinates = scratch.factor.view().leading(n, rank);
    let mean = scratch.mean.get_mut(..rank).unwrap_or_default();
    let values = scratch.values.get_mut(..rank).unwrap_or_default();
    let mut covariance = scratch.covariance.reborrow().into_leading(rank, rank);
    let mut vectors = scratch.vectors.reborrow().into_leading(rank, rank);
    column_means(coordinates, mean);
    covariance_of(coordinates, mean, &mut covariance);
    let residual = sum(scratch.residuals.iter().copied()) / count;
    let total_variance = residual + eigen::trace(covariance.view());
    let sweeps = eigen::symmetric(&mut covariance, &mut vectors, values, MAX_SWEEPS)?;
    let choice =
        choose(components, values, cholesky.rounding() / count, total_variance, component_room)?;

    let pivots = scratch.pivots.get(..rank).unwrap_or_default();
    let kept = vectors.view().leading(choice.components, rank);
    for (j, (u, &value)) in kept.iter_rows().zip(values.iter()).enumerate() {
        for (i, &entry) in u.iter().enumerate() {
            expansion.weights.set(i, j, entry);
        }
        if let (Some(b), Some(variance)) =
            (expansion.offsets.get_mut(j), expansion.variances.get_mut(j))
        {
            *b = dot(u, mean);
            *variance = value;
        }
    }
    let mut weights = expansion.weights.reborrow().into_leading(rank, choice.components);
    solve_transposed(coordinates, pivots, &mut weights);
    for (beta, &z) in expansion.centre.iter_mut().zip(mean.iter()) {
        *beta = z;
    }
    let beta = expansion.centre.get_mut(..rank).unwrap_or_default();
    solve_transposed(coordinates, pivots, &mut MatrixViewMut::new(beta, rank, 1)?);

    let indefinite = cholesky.is_indefinite();
    *expansion.header = Header {
        points: rank as u32,
        components: choice.components as u32,
        centre_norm: dot(mean, mean),
        total_variance,
        indefinite,
    };
    Ok(Report {
        samples: n,
        points: rank,
        components: choice.components,
        rank: choice.rank,
        explained: choice.explained,
        unspanned: residual / total_variance,
        sweeps,
        indefinite,
    })
}

/// `z̄`.
fn column_means<T: Real>(rows: MatrixView<'_, T>, mean: &mut [T]) {
    mean.fill(T::ZERO);
    for row in rows.iter_rows() {
        for (mean, &z) in mean.iter_mut().zip(row) {
            *mean += z;
        }
    }
    let count = T::from_usize(rows.rows());
    for mean in mean {
        *mean /= count;
    }
}

/// `C = (1/n) Σ (z_i − z̄)(z_i − z̄)ᵀ`.
fn covariance_of<T: Real>(
    rows: MatrixView<'_, T>,
    mean: &[T],
    covariance: &mut MatrixViewMut<'_, T>,
) {
    for row in covariance.iter_rows_mut() {
        row.fill(T::ZERO);
    }
    let count = T::from_usize(rows.rows());
    for z in rows.iter_rows() {
        for (i, row) in covariance.iter_rows_mut().enumerate() {
            let centred = z.get(i).zip(mean.get(i)).map_or(T::ZERO, |(&z, &mean)| z - mean) / count;
            for (entry, (&z, &mean)) in row.iter_mut().zip(z.iter().zip(mean)).skip(i) {
                *entry += centred * (z - mean);
            }
        }
    }
    covariance.mirror_upper();
}

/// Solves `Lᵀ W = W₀` in place, `L` being the landmarks' rows of the factor: back substitution, a row at a time.
fn solve_transposed<T: Real>(
    factor: MatrixView<'_, T>,
    pivots: &[u32],
    rows: &mut MatrixViewMut<'_, T>,
) {
    for k in (0..pivots.len()).rev() {
        for (m, &pivot) in pivots.iter().enumerate().skip(k + 1) {
            let l = factor.at(pivot as usize, k);
            let (row, later) = rows.row_pair_mut(k, m);
            for (w, &other) in row.iter_mut().zip(later.iter()) {
                *w -= l * other;
            }
        }
        let diagonal = pivots.get(k).map_or(T::ONE, |&pivot| factor.at(pivot as usize, k));
        for w in rows.row_mut(k) {
            *w /= diagonal;
        }
    }
}
