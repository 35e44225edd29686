//! What a valid quantised detector is: what [`quantise`](super::QuantisedDetector::quantise) can
//! have made, as far as its numbers tell. One list of rules for parts, constants and bytes, which
//! are shown to it one after the other.

use core::f32::consts::LOG2_E;

use super::exponential::{EXPONENT_BITS, VANISHES};
use super::input::{Input, LARGEST, SQUARE_WEIGHT_BITS, to_fixed};
use super::score::{
    BIAS, Component, MOST_SHIFT, PAIR, PROJECTION_BITS, QuantisedHeader, QuantisedPoint,
    SQUARE_BITS,
};
use super::{QuantisedDetector, QuantisedModel};
use crate::detect::hearing::Hearing;
use crate::detect::reading::VectorScaling;
use crate::detect::scaling::Scaling;
use crate::detect::threshold::Threshold;
use crate::detect::valid::Inspection;
use crate::error::{Error, require_capacity};
use crate::kernel::broken_rate_rule;
use crate::linalg::slices::split;
use crate::math::Normal;

/// The most bits by which half a squared distance can be finer than it must be.
const MOST_DISTANCE_SHIFT: u8 = 8;
/// `1 + ‖centre‖²` in Q28: from 1, less what rounding can take from a centre of length 0, to 2.9.
pub(super) const CEILINGS: core::ops::RangeInclusive<u32> =
    (15 << (SQUARE_BITS - 4))..=(29 * ((1 << SQUARE_BITS) / 10));
/// The bits of the largest inverse variance, and the range of the unit they share.
pub(super) const VARIANCE_BITS: u32 = 24;
pub(super) const VARIANCE_EXPONENTS: core::ops::RangeInclusive<i16> = -60..=60;
/// Between these, numbers below the normal ones are less than half a unit of an input.
pub(super) const INPUT_BITS: core::ops::RangeInclusive<i32> = -100..=100;
/// Between these, a logarithm that is less than 128 has bits to round by, and fits.
pub(super) const LOG_INPUT_BITS: core::ops::RangeInclusive<i32> = 0..=22;

/// Is `value` in a range? (`contains` is not `const`.)
macro_rules! within {
    ($value:expr, $range:ident) => {
        *$range.start() <= $value && $value <= *$range.end()
    };
}

/// Half the squared length of a point, from its coordinates as they are stored.
pub(super) const fn half_length(mut coordinates: &[u16], mut inputs: &[Input]) -> u64 {
    let mut sum = 0_u64;
    while let ([p, coordinates_left @ ..], [input, inputs_left @ ..]) = (coordinates, inputs) {
        sum = sum.saturating_add(half_square(unbiased(*p), input));
        (coordinates, inputs) = (coordinates_left, inputs_left);
    }
    sum
}

/// What a coordinate adds to that: `p²/(4w)`, rounded up.
pub(super) const fn half_square(coordinate: i32, input: &Input) -> u64 {
    let p = coordinate.unsigned_abs() as u64;
    let weight = if input.weight > 0 { input.weight as u64 } else { 1 };
    ((p * p) << (SQUARE_WEIGHT_BITS - 2)).div_ceil(weight)
}

/// Remembers the first rule that is broken.
pub(super) struct Check {
    header: QuantisedHeader,
    fault: Option<Error>,
    scaling: Inspection,
    inputs: u64,
    /// `Σ b_j²`.
    offsets: f64,
    /// Half the squared length of the longest point.
    longest: u64,
}

impl Check {
    /// Counts must be those of what is shown afterwards.
    pub(super) const fn new(header: QuantisedHeader) -> Self {
        let mut check = Self {
            header,
            fault: None,
            scaling: Inspection::of::<f32>(),
            inputs: 0,
            offsets: 0.0,
            longest: 0,
        };
        if let Some(rule) = broken_rate_rule(header.gamma as f64, Normal::of::<f32>()) {
            check.require(false, "gamma", rule);
        }
        check.require_shift(header.distance_shift, MOST_DISTANCE_SHIFT);
        check.require_shift(header.centre_shift, MOST_SHIFT);
        let exponent = header.variance_exponent;
        let usual = within!(exponent, VARIANCE_EXPONENTS);
        check.require(usual, "variances", "neither tiny nor huge");
        let ceiling = within!(header.ceiling, CEILINGS);
        check.require(ceiling, "centre", "of a norm from 0 to 1.9");
        check
    }

    const fn require(&mut self, holds: bool, name: &'static str, rule: &'static str) {
        if !holds && self.fault.is_none() {
            self.fault = Some(Error::Parameter { name, rule });
        }
    }

    const fn require_shift(&mut self, shift: u8, most: u8) {
        self.require(shift <= most, "shift", "one that is written");
    }

    /// An input with its mean, deviation and floor, which is 0 for one that is not logarithmic.
    pub(super) const fn input(&mut self, input: &Input, mean: f32, deviation: f32, floor: f32) {
        self.scaling.mean(mean as f64);
        self.scaling.deviation(deviation as f64);
        self.scaling.floor(floor as f64);
        let (mean, usual) = match floor > 0.0 {
            true => (mean * LOG2_E, within!(input.bits, LOG_INPUT_BITS)),
            false => (mean, within!(input.bits, INPUT_BITS)),
        };
        let whole = match to_fixed(mean, input.bits) {
            Some(whole) if usual => whole,
            _ => LARGEST,
        };
        self.require(input.mean == whole && whole.abs() < LARGEST, "mean", "that of the input");
        // What a value beyond the limit adds to a length makes the reading far, and what one up to
        // it adds is below 2^32.
        let (limit, weight) = (input.limit as u64, input.weight as u64);
        let square = (limit * limit * weight) >> SQUARE_WEIGHT_BITS;
        let far = self.header.far as u64;
        let fits = weight > 0 && square + (square >> 10) >= far && square <= u32::MAX as u64;
        self.require(fits, "limit", "that of the input");
        self.inputs += 1;
    }

    /// A component.
    pub(super) const fn component(&mut self, component: &Component) {
        self.require_shift(component.shift, MOST_SHIFT);
        let offset = component.offset as f64 / (1_u32 << PROJECTION_BITS) as f64;
        self.require(offset > -2.0 && offset < 2.0, "offsets", "less than 2");
        self.offsets += offset * offset;
        let fits = component.inverse_variance <= 1 << VARIANCE_BITS;
        self.require(fits, "variances", "at most 2^24");
    }

    /// A point, of which half the squared length is stored and known from its coordinates.
    pub(super) const fn point(&mut self, stored: u32, known: u64) {
        self.require(stored as u64 == known, "points", "of the length that is stored");
        if known > self.longest {
            self.longest = known;
        }
    }

    /// Lengths and threshold, if there is one, once all else was seen.
    pub(super) const fn finish(mut self, threshold: Option<&Threshold<f32>>) -> Result<(), Error> {
        if let Err(fault) = self.scaling.result() {
            return Err(fault);
        }
        // Not of numbers that are out of range: these could overflow.
        if self.fault.is_none() {
            self.lengths();
        }
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let Some(threshold) = threshold else { return Ok(()) };
        let threshold = Threshold::new(threshold.spe as f64).with_usual(threshold.usual as f64);
        self.hearing().require(&threshold)
    }

    /// With `ρ` the longest point and `√c` the distance at which kernel values vanish, a reading is
    /// far from `(ρ + √c)²` on, and no distance of any other exceeds `(2ρ + √c)² < 2^32`.
    const fn lengths(&mut self) {
        let vanishes = (VANISHES as u64) << (EXPONENT_BITS + self.header.distance_shift as u32);
        let (radius, reach) = (self.longest.isqrt(), vanishes.isqrt());
        let (least, most) = ((radius + reach) * (radius + reach), 2 * (radius + 1) + reach + 1);
        let far = self.header.far as u64;
        let near = least <= far && far <= least + (least >> 10);
        self.require(near, "far", "that of the points");
        let fits = most <= 1 << 16 && most * most + self.inputs <= 1 << 32;
        self.require(fits, "points", "near enough for 32 bits");
    }

    /// What decides how large an SPE can become.
    const fn hearing(&self) -> Hearing {
        Hearing {
            norm: Some(1.0),
            centre_norm: self.header.ceiling as f64 / (1_u32 << SQUARE_BITS) as f64 - 1.0,
            offsets: self.offsets,
            indefinite: false,
        }
    }
}

impl<const D: usize, const P: usize> QuantisedPoint<D, P> {
    /// Fills a place without adding to any sum.
    pub(super) const WEIGHTLESS: Self = Self {
        half_length: 0,
        coordinates: [BIAS as u16; D],
        weights: [BIAS as u16; P],
        centre: BIAS as u16,
    };
}

impl<const D: usize, const R: usize, const P: usize, S> QuantisedDetector<D, R, P, S>
where
    S: VectorScaling<[f32; D]>,
{
    /// Is it one that can be put to work? Whatever was quantised, read or made from parts is.
    ///
    /// # Errors
    /// [`Error::NotFitted`]; [`Error::Capacity`] for more points or components than there is room
    /// for; [`Error::Deaf`] if no reading can exceed the threshold;
    /// [`Error::Parameter`] names a number that quantising does not make.
    pub fn validate(&self) -> Result<(), Error> {
        self.require_heard(&self.threshold)
    }

    /// Is this a threshold for it?
    pub(super) fn require_heard(&self, threshold: &Threshold<f32>) -> Result<(), Error> {
        validate(self.scaling.standard(), self.scaling.floors(), &self.model, Some(threshold))
    }
}

/// The rules, on the parts of a detector, or of a projector, which has no threshold. Without
/// floors, no input is logarithmic.
pub(super) const fn validate<const D: usize, const R: usize, const P: usize>(
    scaling: &Scaling<[f32; D]>,
    mut floors: &[f32],
    model: &QuantisedModel<D, R, P>,
    threshold: Option<&Threshold<f32>>,
) -> Result<(), Error> {
    let (points, components) = (model.header.points as usize, model.header.components as usize);
    if points == 0 || components == 0 {
        return Err(Error::NotFitted);
    }
    if let Err(error) = require_capacity("points", points, R) {
        return Err(error);
    }
    if let Err(error) = require_capacity("components", components, P) {
        return Err(error);
    }
    let mut check = Check::new(model.header);
    let (mut inputs, mut means, mut deviations) =
        (model.inputs.as_slice(), scaling.mean.as_slice(), scaling.deviation.as_slice());
    while let ([input, others @ ..], [mean, means_left @ ..], [deviation, deviations_left @ ..]) =
        (inputs, means, deviations)
    {
        let (floor, floors_left) = match floors {
            [floor, left @ ..] => (*floor, left),
            [] => (0.0, floors),
        };
        check.input(input, *mean, *deviation, floor);
        floors = floors_left;
        (inputs, means, deviations) = (others, means_left, deviations_left);
    }
    let (mut left, _) = split(&model.components, components);
    while let [component, others @ ..] = left {
        check.component(component);
        left = others;
    }
    let (mut left, rest) = split(&model.points, points);
    while let [point, others @ ..] = left {
        check.point(point.half_length, half_length(&point.coordinates, &model.inputs));
        left = others;
    }
    // Points are worked on in pairs.
    if let (1, [partner, ..]) = (points % PAIR, rest) {
        let (mut left, _) = split(&partner.weights, components);
        let mut weightless = partner.centre as u32 == BIAS;
        while let [weight, others @ ..] = left {
            weightless = weightless && *weight as u32 == BIAS;
            left = others;
        }
        check.require(weightless, "weights", "2^15 where there is no point");
    }
    check.finish(threshold)
}

/// A coordinate as it was before `2^15` was added.
pub(super) const fn unbiased(stored: u16) -> i32 {
    stored as i32 - BIAS as i32
}
