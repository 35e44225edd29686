//! How unusual a point is.
//!
//! **Method.** With `k̃ = ‖φ(x) − φ̄‖²`, the projections `f_j` and the component variances `λ_j`:
//!
//! | field | formula | measures |
//! |---|---|---|
//! | [`spe`](Score::spe) | `k̃ − Σ f_j²` | what the components cannot explain |
//! | [`t2`](Score::t2) | `Σ f_j²/λ_j` | how far along the components |
//! | [`abs_sum`](Score::abs_sum) | `Σ \|f_j\|` | the same, unweighted |
//! | [`centre_distance`](Score::centre_distance) | `k̃` | squared distance from the centre |
//!
//! **Source.** SPE: Hoffmann, *Kernel PCA for Novelty Detection*, Pattern Recognition 40, 2007. T²:
//! Lee et al., *Nonlinear Process Monitoring Using Kernel Principal Component Analysis*, Chemical
//! Engineering Science 59, 2004.
//!
//! **Domain.** Higher is more anomalous for all four near the samples. **Use `spe` to detect
//! anomalies**: with a Gaussian kernel, a point far from every sample projects to one fixed inner
//! point. There `t2` and `abs_sum` *fall* again, with narrow kernels below what normal points
//! score, while `spe` rises to its ceiling `1 + M − Σ b_j²` and stays.
//!
//! **Bound.** SPE is a difference: it is off by a few roundings of `k̃`, however small it is
//! itself, and is clamped at 0 unless the kernel is indefinite. `tests/golden.rs` holds all of them
//! to references.

use super::expansion::ExpansionHeader;
use crate::error::{Error, Fault};
use crate::math::Real;

/// The scores of one point. Use [`spe`](Self::spe) to detect anomalies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Score<T> {
    /// Squared reconstruction error in feature space: the score to detect anomalies with.
    ///
    /// Never negative, except with kernels that are not positive definite.
    pub spe: T,
    /// Hotelling's T² within the kept components. Falls for points far from all samples.
    pub t2: T,
    /// Sum of the absolute projections. Falls for points far from all samples.
    pub abs_sum: T,
    /// Squared distance to the centre of the samples in feature space.
    pub centre_distance: T,
}

impl<T: Real> Score<T> {
    /// The scores that follow from `k(x, x)`, `Σ β_i k_i` and the projections. SPE may be negative
    /// by rounding.
    #[inline(always)]
    pub(super) fn new(
        header: &ExpansionHeader<T>,
        kxx: T,
        centre_product: T,
        projection: &[T],
        variances: &[T],
    ) -> Self {
        let centre_distance = kxx - (centre_product + centre_product) + header.centre_norm;
        Self::from_distance(centre_distance, projection, variances)
    }

    /// Only rounding makes SPE negative, unless the kernel itself does.
    #[inline(always)]
    pub(crate) fn clamped(self, indefinite: bool) -> Self {
        Self { spe: if indefinite { self.spe } else { T::ZERO.larger(self.spe) }, ..self }
    }

    /// The scores that follow from `k̃` and the projections. SPE may be negative by rounding.
    #[inline(always)]
    pub(crate) fn from_distance(centre_distance: T, projection: &[T], variances: &[T]) -> Self {
        // As `sum` begins.
        let (mut explained, mut t2, mut abs_sum) = (-T::ZERO, -T::ZERO, -T::ZERO);
        for (&f, &variance) in projection.iter().zip(variances) {
            explained += f * f;
            t2 += f * f / variance;
            abs_sum += f.abs();
        }
        Self { spe: centre_distance - explained, t2, abs_sum, centre_distance }
    }
}

/// Projections that did not overflow.
pub(crate) fn require_finite_outputs<T: Real>(projection: &[T]) -> Result<(), Error> {
    match projection.iter().all(|f| f.is_finite()) {
        true => Ok(()),
        false => Err(Error::Query(Fault::Overflow)),
    }
}

/// A score that did not overflow: any overflow shows in one of these fields, before SPE is clamped.
pub(crate) fn finite_score<T: Real>(score: Score<T>) -> Result<Score<T>, Error> {
    match (score.spe + score.t2).is_finite() {
        true => Ok(score),
        false => Err(Error::Query(Fault::Overflow)),
    }
}
