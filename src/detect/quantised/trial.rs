//! Other values in the place of an input: the suspect, and verdicts without inputs that have
//! failed.
//!
//! By the rules of [`trial`](crate::detect::trial), in its units, on scores in integers. Only the
//! values to be tried take floating-point operations, a few dozen each.

use super::score::Sums;
use super::valid::unbiased;
use super::{QuantisedDetector, QuantisedModel};
use crate::detect::explain::blame;
use crate::detect::missing::{check_available, impute, missing_inputs};
use crate::detect::reading::VectorScaling;
use crate::detect::scaling::Scaling;
use crate::detect::trial::{Trial, Usual, is_standardised};
use crate::detect::{PartialVerdict, Suspect};
use crate::error::Error;
use crate::linalg::slices::{entry, set};
use crate::math::Real;

impl<const D: usize, const R: usize, const P: usize, S> QuantisedDetector<D, R, P, S>
where
    S: VectorScaling<[f32; D]>,
{
    /// The input to blame for an unusual reading, and what it should have read: `2D + 21` scores
    /// and two looks at the points; see [`explain`](crate::detect::explain).
    ///
    /// # Errors
    /// As [`score`](Self::score), and [`ScaleOverflow`](crate::error::Fault::ScaleOverflow) names
    /// an input that is so large that it cannot be scaled.
    pub fn suspect(&self, x: &[f32; D]) -> Result<Suspect<f32>, Error> {
        // Names an input that is not finite, before it is scaled.
        self.score(x)?;
        let scaled = self.scaling.apply(x);
        S::check_prepared(&scaled)?;
        let mut reading = self.reading(*x, scaled);
        let blame = blame(&mut reading)?;
        reading.set(blame.input, blame.expected);
        let (read, expected) = (entry(x, blame.input), entry(&reading.raw, blame.input));
        Ok(blame.in_raw_units(read, expected))
    }

    /// Scores a raw reading of which inputs may be missing, that is, not finite; see
    /// [`missing`](crate::detect::missing). It takes
    /// [so many scores](crate::detect::missing::scores): one if nothing is missing.
    ///
    /// # Errors
    /// As [`Detector::score_available`](crate::Detector::score_available).
    pub fn score_available(&self, x: &[f32; D]) -> Result<PartialVerdict<f32>, Error> {
        if self.model.header.points == 0 {
            return Err(Error::NotFitted);
        }
        let missing = missing_inputs(x)?;
        if missing.is_empty() {
            return Ok(PartialVerdict::new(self.score(x)?, missing));
        }
        let scaled = self.scaling.apply(x);
        check_available(&scaled, &missing)?;
        let mut reading = self.reading(*x, scaled);
        impute(&mut reading, &missing)?;
        Ok(PartialVerdict::new(self.score(&reading.raw)?, missing))
    }

    /// What each scaled input usually reads, by which [`suspect`](Self::suspect) chooses the values
    /// that it tries: means, and deviations, which are 0 for an input that never changed.
    pub fn usual(&self) -> ([f32; D], [f32; D]) {
        let reading = self.reading([0.0; D], [0.0; D]);
        let (mut means, mut deviations) = ([0.0; D], [0.0; D]);
        for input in 0..D {
            let Usual { mean, deviation } = reading.usual(input);
            set(&mut means, input, mean);
            set(&mut deviations, input, deviation);
        }
        (means, deviations)
    }

    fn reading(&self, raw: [f32; D], scaled: [f32; D]) -> ScaledReading<'_, D, R, P, S> {
        let (model, scaling) = (&self.model, &self.scaling);
        ScaledReading { model, scaling, units: self.units(), raw, scaled }
    }
}

/// A reading, raw and scaled.
struct ScaledReading<'a, const D: usize, const R: usize, const P: usize, S> {
    model: &'a QuantisedModel<D, R, P>,
    scaling: &'a S,
    /// What a coordinate of 1 is in each scaled input.
    units: [f32; D],
    raw: [f32; D],
    scaled: [f32; D],
}

impl<const D: usize, const R: usize, const P: usize, S> Trial<f32> for ScaledReading<'_, D, R, P, S>
where
    S: VectorScaling<[f32; D]>,
{
    fn inputs(&self) -> usize {
        D
    }
    fn get(&self, input: usize) -> f32 {
        entry(&self.scaled, input)
    }
    fn set(&mut self, input: usize, value: f32) {
        set(&mut self.scaled, input, value);
        let raw = self.scaling.undo(&self.scaled);
        set(&mut self.raw, input, entry(&raw, input));
    }
    fn usual(&self, input: usize) -> Usual<f32> {
        let points = self.model.points.iter().take(self.model.header.points as usize);
        let coordinates = points.map(|point| unbiased(entry(&point.coordinates, input)));
        let Usual { mean, deviation } = usual_of_counts(coordinates);
        let unit = entry(&self.units, input);
        let Scaling { mean: means, deviation: deviations, .. } = self.scaling.standard();
        match deviation > 0.0 && is_standardised(means, deviations, input) {
            true => Usual::STANDARD,
            false => Usual { mean: mean * unit, deviation: deviation * unit },
        }
    }
    fn spe(&mut self) -> Result<f32, Error> {
        Ok(self.model.score(&self.raw, self.scaling, &mut Sums::new())?.spe)
    }
    fn spe_with(&mut self, input: usize, value: f32) -> Result<f32, Error> {
        let own = (self.get(input), entry(&self.raw, input));
        self.set(input, value);
        let spe = self.spe();
        set(&mut self.scaled, input, own.0);
        set(&mut self.raw, input, own.1);
        spe
    }
}

/// Mean and deviation of whole numbers of 16 bits, in integers but for the last step.
fn usual_of_counts(counts: impl Iterator<Item = i32> + Clone) -> Usual<f32> {
    let count = counts.clone().count().max(1) as i64;
    let mean = counts.clone().map(i64::from).sum::<i64>() / count;
    // Of at most 33 bits each: there is room for 2^31 of them.
    let squares = counts.map(|c| (i64::from(c) - mean) * (i64::from(c) - mean)).sum::<i64>();
    let variance = (squares / count) as f32;
    Usual { mean: mean as f32, deviation: Real::sqrt(variance) }
}
