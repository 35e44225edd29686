//! Which input made a reading unusual: the formulas of [`explain`](crate::detect::explain), on
//! points and weights turned back into `f32`.

use core::f32::consts::LN_2;

use super::input::SQUARE_WEIGHT_BITS;
use super::score::{QuantisedPoint, Sums, WEIGHT_BITS, two_to};
use super::{QuantisedDetector, valid};
use crate::detect::reading::VectorScaling;
use crate::error::Error;
use crate::kernel::{Gradient, Rbf};
use crate::kpca::contributions::weigh_gradient;

impl<const D: usize, const R: usize, const P: usize, S> QuantisedDetector<D, R, P, S>
where
    S: VectorScaling<[f32; D]>,
{
    /// How strongly SPE depends on each input of a raw reading: a picture, not shares of it; see
    /// [`explain`](crate::detect::explain).
    ///
    /// Points are turned back into `f32` one by one, so this is as slow as with a detector in
    /// `f32`: on a core without an FPU about 40 scores. It is for alarms.
    ///
    /// # Errors
    /// As [`score`](Self::score), and [`ScaleOverflow`](crate::error::Fault::ScaleOverflow) names
    /// an input that is so large that it cannot be scaled.
    pub fn contributions(&self, x: &[f32; D]) -> Result<[f32; D], Error> {
        let mut sums = Sums::new();
        let score = self.model.score(x, &self.scaling, &mut sums)?;
        let scaled = self.scaling.apply(x);
        S::check_prepared(&scaled)?;
        let kernel = Rbf::new(self.model.header.gamma);
        let units = self.units();
        let mut contributions = [0.0; D];
        for point in self.model.points.iter().take(self.model.header.points as usize) {
            let weight = self.weight(point, &sums);
            let coordinates = restored(point, &units);
            kernel.add_gradient(&scaled, &coordinates, -(weight + weight), &mut contributions);
        }
        weigh_gradient(score.spe, &scaled, &mut contributions)?;
        Ok(contributions)
    }

    /// What a coordinate of 1 is in each scaled input: half a `z` over its weight, in units of the
    /// raw input or of its logarithm to base 2, over the deviation. It turns points back.
    pub fn units(&self) -> [f32; D] {
        let mut units = [0.0; D];
        let deviations = &self.scaling.standard().deviation;
        for ((unit, input), deviation) in units.iter_mut().zip(&self.model.inputs).zip(deviations) {
            let raw = two_to(SQUARE_WEIGHT_BITS as i32 - 1 - input.bits.clamp(-100, 100));
            *unit = raw / (f32::from(input.weight.max(1)) * deviation);
        }
        for (unit, _) in units.iter_mut().zip(self.scaling.floors()).filter(|(_, f)| **f > 0.0) {
            *unit *= LN_2;
        }
        units
    }

    /// `w_i = β_i + Σ_j f_j α_ji`, the weight of a point in the reconstruction.
    fn weight(&self, point: &QuantisedPoint<D, P>, sums: &Sums<P>) -> f32 {
        let header = &self.model.header;
        let restored = |weight: u16, shift: u8| {
            unbiased(weight) * two_to(i32::from(shift & 15) - WEIGHT_BITS as i32)
        };
        let weights = point.weights.iter().zip(&self.model.components).zip(sums.projections());
        let terms = weights.take(header.components as usize);
        terms.fold(restored(point.centre, header.centre_shift), |sum, ((&alpha, component), f)| {
            sum + f * restored(alpha, component.shift)
        })
    }
}

/// The scaled inputs that a point stands for.
fn restored<const D: usize, const P: usize>(
    point: &QuantisedPoint<D, P>,
    units: &[f32; D],
) -> [f32; D] {
    let mut restored = *units;
    for (x, &coordinate) in restored.iter_mut().zip(&point.coordinates) {
        *x *= unbiased(coordinate);
    }
    restored
}

fn unbiased(stored: u16) -> f32 {
    valid::unbiased(stored) as f32
}
