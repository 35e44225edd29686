//! What teaches a learner need not know which one it is.

use super::{LeanLearner, Learner, Replace};
use crate::detect::Verdict;
use crate::detect::reading::{Prepare, Reading};
use crate::error::Error;
use crate::kernel::BlockKernel;
use crate::kpca::Scalar;
use crate::linalg::eigen::Eigensolver;
use crate::math::Real;

/// A [`Learner`] or a [`LeanLearner`], while it takes readings.
pub trait Pupil {
    /// What it learns from.
    type Reading;
    /// The numbers of its scores.
    type Scalar: Real;

    /// Takes a sample.
    ///
    /// # Errors
    /// See [`Learner::push`] and [`LeanLearner::push`].
    fn push(&mut self, x: &Self::Reading) -> Result<(), Error>;

    /// Scores a reading; a normal one may become a sample.
    ///
    /// # Errors
    /// See [`Learner::refresh`] and [`LeanLearner::refresh`].
    fn refresh(
        &mut self,
        x: &Self::Reading,
        replace: Replace,
    ) -> Result<Verdict<Self::Scalar>, Error>;

    /// Says that the next reading does not follow the last one.
    fn gap(&mut self);
}

impl<K, X, const N: usize, const R: usize, const P: usize, E, S> Pupil
    for Learner<K, X, N, R, P, E, S>
where
    X: Reading,
    K: BlockKernel<X::View> + Clone,
    E: Eigensolver<Scalar<K, X>>,
    S: Prepare<X>,
{
    type Reading = X;
    type Scalar = Scalar<K, X>;
    fn push(&mut self, x: &X) -> Result<(), Error> {
        Self::push(self, x)
    }
    fn refresh(&mut self, x: &X, replace: Replace) -> Result<Verdict<Scalar<K, X>>, Error> {
        Self::refresh(self, x, replace)
    }
    fn gap(&mut self) {
        Self::gap(self);
    }
}

impl<const D: usize, const N: usize, const R: usize, const P: usize> Pupil
    for LeanLearner<D, N, R, P>
{
    type Reading = [f32; D];
    type Scalar = f32;
    fn push(&mut self, x: &[f32; D]) -> Result<(), Error> {
        Self::push(self, x)
    }
    fn refresh(&mut self, x: &[f32; D], replace: Replace) -> Result<Verdict<f32>, Error> {
        Self::refresh(self, x, replace)
    }
    fn gap(&mut self) {
        Self::gap(self);
    }
}
