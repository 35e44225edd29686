//! Memory for learning, of sizes that are known at run time.

use mercer::detect::LearnSizes;
use mercer::detect::learning::LearnScratch;
use mercer::kpca::{ExpansionHeader, ExpansionMut, ExpansionView};
use mercer::linalg::eigen::TridiagonalQr;
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

    /// A copy of weights that a fit has written.
    pub(crate) fn of(fitted: ExpansionView<'_, T>) -> Self {
        let mut weights = Grid::new(fitted.components());
        fitted.weights().iter_rows().for_each(|row| weights.push(row));
        Self {
            header: *fitted.header(),
            weights,
            centre: fitted.centre().to_vec(),
            offsets: fitted.offsets().to_vec(),
            variances: fitted.variances().to_vec(),
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
}

/// For learning from `n` samples with at most `r` points and `p` components.
pub(crate) struct Memory<T> {
    sizes: LearnSizes,
    header: ExpansionHeader<T>,
    numbers: Vec<T>,
    indices: Vec<u32>,
}

impl<T: Real> Memory<T> {
    pub(crate) fn new(n: usize, r: usize, p: usize) -> Self {
        Self::of(LearnSizes { samples: n, points: r, components: p })
    }

    pub(crate) fn of(sizes: LearnSizes) -> Self {
        Self {
            sizes,
            header: ExpansionHeader::default(),
            numbers: vec![T::ZERO; sizes.numbers::<T, TridiagonalQr<T>>()],
            indices: vec![0; sizes.indices()],
        }
    }

    pub(crate) fn scratch(&mut self) -> LearnScratch<'_, T> {
        LearnScratch::over(self.sizes, &mut self.header, &mut self.numbers, &mut self.indices)
            .expect("as many numbers as the sizes take")
    }
}
