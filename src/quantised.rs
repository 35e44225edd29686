//! A detector in integers, for cores without an FPU.
//!
//! TODO
mod exponential;
mod input;
mod quantise;
mod score;

pub use input::Input;
pub use score::{Component, QuantisedHeader};

use crate::detector::{Reading, Thresholds};
use crate::error::Error;
use crate::scaling::Scaling;
use crate::score::Score;
use input::Raw;
use score::{BLOCK, Blocks, Query, Sums, finish};

/// The arrays of a quantised model, as they are stored; see the [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct QuantisedModel<const D: usize, const R: usize, const P: usize> {
    /// How raw inputs become whole numbers.
    pub inputs: [Input; D],
    /// Coordinates of the points, with `2^15` added: `D` rows of four points, then those of the next four.
    pub points: [[u16; D]; R],
    /// Half the squared length of each point.
    pub lengths: [u32; R],
    /// `α` with `2^15` added: `P` rows of four points, then those of the next four.
    pub weights: [[u16; P]; R],
    /// `β` with `2^15` added.
    pub centre: [u16; R],
    /// What else is known about the components.
    pub components: [Component; P],
}

impl<const D: usize, const R: usize, const P: usize> QuantisedModel<D, R, P> {
    /// All zeros: nothing learned.
    pub const EMPTY: Self = Self {
        inputs: [Input::EMPTY; D],
        points: [[0; D]; R],
        lengths: [0; R],
        weights: [[0; P]; R],
        centre: [0; R],
        components: [Component::EMPTY; P],
    };
}

/// TODO
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct QuantisedDetector<const D: usize, const R: usize, const P: usize> {
    scaling: Scaling<[f32; D]>,
    thresholds: Thresholds<f32>,
    header: QuantisedHeader,
    model: QuantisedModel<D, R, P>,
}

impl<const D: usize, const R: usize, const P: usize> QuantisedDetector<D, R, P> {
    /// Bytes it occupies, in flash or RAM.
    pub const SIZE: usize = size_of::<Self>();

    /// A detector that has learned nothing; a `static` of it stays in `.bss`.
    pub const fn new() -> Self {
        Self::from_parts(
            Scaling { mean: [0.0; D], deviation: [0.0; D] },
            Thresholds::EMPTY,
            QuantisedHeader::EMPTY,
            QuantisedModel::EMPTY,
        )
    }

    /// A detector from parts that [`quantise`](Self::quantise) made earlier.
    pub const fn from_parts(
        scaling: Scaling<[f32; D]>,
        thresholds: Thresholds<f32>,
        header: QuantisedHeader,
        model: QuantisedModel<D, R, P>,
    ) -> Self {
        const {
            assert!(D > 0 && R > 0 && P > 0, "a model needs inputs, points and components");
            assert!(R % BLOCK == 0, "there must be room for a multiple of 4 points");
            assert!(P <= 256, "at most 256 components can be added up");
        }
        Self { scaling, thresholds, header, model }
    }

    /// Scores a raw reading and compares it with the thresholds.
    pub fn score(&self, x: &[f32; D]) -> Result<Reading<f32>, Error> {
        Ok(self.thresholds.judge(self.project(x, &mut [0; P])?))
    }

    /// As [`score`](Self::score), for readings that are whole numbers.
    pub fn score_counts(&self, x: &[i16; D]) -> Result<Reading<f32>, Error> {
        Ok(self.thresholds.judge(self.project(x, &mut [0; P])?))
    }

    #[inline(always)]
    fn project<X: Raw>(&self, x: &[X; D], projections: &mut [u32; P]) -> Result<Score<f32>, Error> {
        if self.header.points == 0 {
            return Err(Error::NotFitted);
        }
        let mut z = [0; D];
        let query = Query::new(x, &self.model.inputs, self.header.far, &mut z)?;
        let components = self.header.components as usize;
        let projections = projections.get_mut(..components).unwrap_or_default();
        let sums = if query.far { Sums::default() } else { self.blocks().accumulate(&query, &z, projections) };
        Ok(finish(&self.header, &self.model.components, &sums, projections))
    }

    fn blocks(&self) -> Blocks<'_> {
        let count = (self.header.points as usize).div_ceil(BLOCK);
        let lengths = self.model.lengths.as_chunks().0;
        Blocks {
            points: self.model.points.as_flattened().as_chunks().0,
            inputs: D,
            lengths: lengths.get(..count).unwrap_or(lengths),
            weights: self.model.weights.as_flattened().as_chunks().0,
            stride: P,
            centre: self.model.centre.as_chunks().0,
            distance_shift: self.header.distance_shift.into(),
        }
    }
}
