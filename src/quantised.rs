//! A detector in integers, for cores without an FPU.
//!
//! TODO
mod exponential;
mod input;
mod quantise;
mod score;

pub use input::Input;
pub use score::{Component, QuantisedHeader, QuantisedPoint};

use crate::detector::{Reading, Thresholds};
use crate::error::Error;
use crate::scaling::Scaling;
use score::{PAIR, Sums};

/// The numbers of a quantised model, as they are stored; see the [module](self).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct QuantisedModel<const D: usize, const R: usize, const P: usize> {
    /// Sizes, formats, and constants of the scores.
    pub header: QuantisedHeader,
    /// How raw inputs become whole numbers.
    pub inputs: [Input; D],
    /// The points with their weights.
    pub points: [QuantisedPoint<D, P>; R],
    /// What else is known about the components.
    pub components: [Component; P],
}

impl<const D: usize, const R: usize, const P: usize> QuantisedModel<D, R, P> {
    /// All zeros: nothing learned.
    pub const EMPTY: Self = Self {
        header: QuantisedHeader::EMPTY,
        inputs: [Input::EMPTY; D],
        points: [QuantisedPoint::EMPTY; R],
        components: [Component::EMPTY; P],
    };
}

/// TODO
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct QuantisedDetector<const D: usize, const R: usize, const P: usize> {
    scaling: Scaling<[f32; D]>,
    thresholds: Thresholds<f32>,
    model: QuantisedModel<D, R, P>,
}

impl<const D: usize, const R: usize, const P: usize> QuantisedDetector<D, R, P> {
    /// Bytes it occupies, in flash or RAM.
    pub const SIZE: usize = size_of::<Self>();

    /// A detector that has learned nothing; a `static` of it stays in `.bss`.
    pub const fn new() -> Self {
        Self::from_parts(
            Scaling { mean: [0.0; D], deviation: [0.0; D] },
            QuantisedModel::EMPTY,
            Thresholds::EMPTY,
        )
    }

    /// A detector from parts that [`quantise`](Self::quantise) made earlier, e.g. on the host: a detector in flash.
    pub const fn from_parts(
        scaling: Scaling<[f32; D]>,
        model: QuantisedModel<D, R, P>,
        thresholds: Thresholds<f32>,
    ) -> Self {
        const {
            assert!(D > 0 && R > 0 && P > 0, "a model needs inputs, points and components");
            assert!(R % PAIR == 0, "there must be room for an even number of points");
            assert!(P <= 256, "at most 256 components can be added up");
        }
        Self { scaling, model, thresholds }
    }

    /// Scores a raw reading and compares it with the thresholds.
    pub fn score(&self, x: &[f32; D]) -> Result<Reading<f32>, Error> {
        Ok(self.thresholds.judge(self.model.score(x, &mut Sums::EMPTY)?))
    }

    /// As [`score`](Self::score), for readings that are whole numbers.
    pub fn score_counts(&self, x: &[i16; D]) -> Result<Reading<f32>, Error> {
        Ok(self.thresholds.judge(self.model.score(x, &mut Sums::EMPTY)?))
    }
}
