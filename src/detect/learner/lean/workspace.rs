//! The memory of a lean learner that is only needed while it learns.

use crate::detect::learning::LearnScratch;
use crate::kpca::ExpansionMut;
use crate::kpca::landmark::{LandmarkScratch, Recomputed};
use crate::linalg::Matrix;
use crate::linalg::eigen::{Eigensolver, TridiagonalQr};
use crate::linalg::slices::head_mut;

/// Memory that is only needed while learning. The models of the folds, and the result, are made in
/// the place of the detector.
#[derive(Clone, Debug)]
pub(super) struct Workspace<const N: usize, const R: usize, const P: usize> {
    residuals: [f32; N],
    spe: [f32; N],
    covariance: Matrix<f32, R, R>,
    roots: [f32; R],
    values: [f32; R],
    mean: [f32; R],
    solver: [f32; R],
    projection: [f32; P],
    kept: [u16; N],
    rows: [u16; N],
    pivots: [u16; R],
}

/// The part for some samples.
pub(super) type Scratch<'a> = LearnScratch<'a, f32, TridiagonalQr<f32>, Recomputed<'a, f32>>;

impl<const N: usize, const R: usize, const P: usize> Workspace<N, R, P> {
    pub(super) const EMPTY: Self = Self {
        residuals: [0.0; N],
        spe: [0.0; N],
        covariance: Matrix::zeros(),
        roots: [0.0; R],
        values: [0.0; R],
        mean: [0.0; R],
        solver: [0.0; R],
        projection: [0.0; P],
        kept: [0; N],
        rows: [0; N],
        pivots: [0; R],
    };

    /// The samples that are the points of a model of so many.
    pub(super) fn pivots(&mut self, points: usize) -> &mut [u16] {
        head_mut(&mut self.pivots, points)
    }

    pub(super) fn scratch<'a>(
        &'a mut self,
        samples: usize,
        candidate: ExpansionMut<'a, f32>,
    ) -> Scratch<'a> {
        LearnScratch {
            landmark: LandmarkScratch {
                factor: Recomputed { roots: &mut self.roots },
                residuals: head_mut(&mut self.residuals, samples),
                pivots: &mut self.pivots,
                covariance: self.covariance.view_mut(),
                values: &mut self.values,
                mean: &mut self.mean,
                solver: TridiagonalQr::scratch(&mut self.solver),
            },
            kept: head_mut(&mut self.kept, samples),
            rows: head_mut(&mut self.rows, samples),
            spe: head_mut(&mut self.spe, samples),
            projection: &mut self.projection,
            candidate,
        }
    }
}
