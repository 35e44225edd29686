//! The memory of a learner that is only needed while it learns.

use crate::detect::learning::LearnScratch;
use crate::error::Error;
use crate::kpca::{Expansion, LandmarkWorkspace};
use crate::linalg::eigen::Eigensolver;
use crate::linalg::slices::head_mut;
use crate::math::Real;

/// Memory that is only needed while learning.
#[derive(Clone, Debug)]
pub(super) struct Workspace<
    T: Real,
    const N: usize,
    const R: usize,
    const P: usize,
    E: Eigensolver<T>,
> {
    landmark: LandmarkWorkspace<T, N, R, E>,
    kept: [u32; N],
    rows: [u32; N],
    spe: [T; N],
    projection: [T; P],
    candidate: Expansion<T, R, P>,
}

impl<T: Real, const N: usize, const R: usize, const P: usize, E: Eigensolver<T>>
    Workspace<T, N, R, P, E>
{
    pub(super) const EMPTY: Self = Self {
        landmark: LandmarkWorkspace::new(),
        kept: [0; N],
        rows: [0; N],
        spe: [T::ZERO; N],
        projection: [T::ZERO; P],
        candidate: Expansion::empty(),
    };

    pub(super) fn scratch(&mut self, samples: usize) -> Result<LearnScratch<'_, T, E>, Error> {
        Ok(LearnScratch {
            landmark: self.landmark.scratch(samples)?,
            kept: head_mut(&mut self.kept, samples),
            rows: head_mut(&mut self.rows, samples),
            spe: head_mut(&mut self.spe, samples),
            projection: &mut self.projection,
            candidate: self.candidate.storage(),
        })
    }
}
