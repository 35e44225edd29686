//! Memory for learning, of sizes that are known at run time.

use mercer::detect::learning::LearnScratch;
use mercer::kpca::exact::ExactScratch;
use mercer::kpca::landmark::LandmarkScratch;
use mercer::kpca::{ExpansionHeader, ExpansionMut};
use mercer::linalg::eigen::{Eigensolver, TridiagonalQr};
use mercer::math::Real;

use crate::grid::Grid;

/// The weights of a model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weights<T> {
    /// Scalars, and how much of the rest is in use.
    pub header: ExpansionHeader<T>,
    /// A row for each point, a column for each component.
    pub weights: Grid<T>,
    /// `β`, one for each point.
    pub centre: Vec<T>,
    /// `b`, one for each component.
    pub offsets: Vec<T>,
    /// `λ`, one for each component.
    pub variances: Vec<T>,
}

impl<T: Real> Weights<T> {
    /// Room for so many points and components.
    pub(crate) fn new(points: usize, components: usize) -> Self {
        Self {
            header: ExpansionHeader::default(),
            weights: Grid::zeros(points, components),
            centre: vec![T::ZERO; points],
            offsets: vec![T::ZERO; components],
            variances: vec![T::ZERO; components],
        }
    }

    /// For a fit to write.
    pub(crate) fn storage(&mut self) -> ExpansionMut<'_, T> {
        ExpansionMut {
            header: &mut self.header,
            weights: self.weights.view_mut(),
            centre: &mut self.centre,
            offsets: &mut self.offsets,
            variances: &mut self.variances,
        }
    }

    /// Drops the room that is not in use.
    pub(crate) fn fitted(mut self) -> Self {
        let (points, components) = (self.header.points as usize, self.header.components as usize);
        self.weights = self.weights.leading(points, components);
        self.centre.truncate(points);
        self.offsets.truncate(components);
        self.variances.truncate(components);
        self
    }
}

/// For learning from `n` samples with at most `r` points and `p` components.
pub(crate) struct Memory<T> {
    factor: Grid<T>,
    residuals: Vec<T>,
    pub(crate) pivots: Vec<u32>,
    covariance: Grid<T>,
    beside: Vec<T>,
    values: Vec<T>,
    mean: Vec<T>,
    kept: Vec<u32>,
    pub(crate) rows: Vec<u32>,
    spe: Vec<T>,
    t2: Vec<T>,
    projection: Vec<T>,
    pub(crate) candidate: Weights<T>,
}

impl<T: Real> Memory<T> {
    pub(crate) fn new(n: usize, r: usize, p: usize) -> Self {
        Self {
            factor: Grid::zeros(n, r),
            residuals: vec![T::ZERO; n],
            pivots: vec![0; r],
            covariance: Grid::zeros(r, r),
            beside: vec![T::ZERO; r],
            values: vec![T::ZERO; r],
            mean: vec![T::ZERO; r],
            kept: vec![0; n],
            rows: vec![0; n],
            spe: vec![T::ZERO; n],
            t2: vec![T::ZERO; n],
            projection: vec![T::ZERO; p],
            candidate: Weights::new(r, p),
        }
    }

    pub(crate) fn scratch(&mut self) -> LearnScratch<'_, T> {
        LearnScratch {
            landmark: LandmarkScratch {
                factor: self.factor.view_mut(),
                residuals: &mut self.residuals,
                pivots: &mut self.pivots,
                covariance: self.covariance.view_mut(),
                solver: TridiagonalQr::scratch(&mut self.beside),
                values: &mut self.values,
                mean: &mut self.mean,
            },
            kept: &mut self.kept,
            rows: &mut self.rows,
            spe: &mut self.spe,
            t2: &mut self.t2,
            projection: &mut self.projection,
            candidate: self.candidate.storage(),
        }
    }
}

/// For an exact fit to `n` samples.
pub(crate) struct ExactMemory<T> {
    gram: Grid<T>,
    values: Vec<T>,
    means: Vec<T>,
    beside: Vec<T>,
}

impl<T: Real> ExactMemory<T> {
    pub(crate) fn new(n: usize) -> Self {
        let zeros = || vec![T::ZERO; n];
        Self { gram: Grid::zeros(n, n), values: zeros(), means: zeros(), beside: zeros() }
    }

    pub(crate) fn scratch(&mut self) -> ExactScratch<'_, T> {
        ExactScratch {
            gram: self.gram.view_mut(),
            values: &mut self.values,
            means: &mut self.means,
            solver: TridiagonalQr::scratch(&mut self.beside),
        }
    }
}
