//! What a channel's features are made of in the time domain.
//!
//! **Method.** Differences from the first sample are added up to a mean, the mean of what is left
//! corrects it, and the moments are sums of powers of the samples less that mean: three passes. The
//! powers are of samples in units of the power of two below the range, which neither overflow nor
//! vanish; such units change no bit.
//!
//! **Source.** Chan, Golub & LeVeque, *Algorithms for Computing the Sample Variance: Analysis and
//! Recommendations*, The American Statistician 37, 1983: the corrected two-pass algorithm after a
//! shift.
//!
//! **Domain.** Samples up to [`LARGEST`](crate::signal::LARGEST) in size.
//!
//! **Bound.** In parts of the largest sample, mean and RMS 2e-6; relative, deviation, crest factor
//! and mean absolute difference 5e-6; skewness 4e-5, kurtosis 2e-5 of `|kurt| + 3`: what
//! `tests/signal.rs` holds them to, also on an offset a thousand times the signal and in units from
//! 1e-30 to 1e20.

use crate::math::Real;
use crate::signal::feature::{Feature, Set};
use crate::signal::window::{Channel, Stored};

/// Statistics of one channel; 0 where all samples are equal, or nobody has asked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Statistics {
    pub(crate) min: f32,
    pub(crate) max: f32,
    pub(crate) mean: f32,
    /// Of `|x_i − x_{i−1}|`, the mean.
    pub(crate) step: f32,
    pub(crate) deviation: f32,
    /// Means of powers of the centred samples, in their units.
    second: f32,
    third: f32,
    fourth: f32,
    pub(crate) crossings: u32,
    /// How to centre samples.
    pub(crate) centre: Centre,
}

/// Brings samples to their mean, in units that are about their range.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Centre {
    first: f32,
    /// From the first sample to the mean, in those units.
    shift: f32,
    /// One over the unit: a power of two; 0 where all samples are equal.
    per_unit: f32,
    /// The binary logarithm of the unit.
    exponent: i32,
}

impl Centre {
    /// A sample less the mean, in units of the range.
    #[inline(always)]
    pub(crate) fn apply(&self, x: f32) -> f32 {
        (x - self.first) * self.per_unit - self.shift
    }

    /// Are all samples equal?
    pub(crate) fn is_constant(&self) -> bool {
        self.per_unit == 0.0
    }

    /// The natural logarithm of the unit.
    pub(crate) fn log_unit(&self) -> f32 {
        self.exponent as f32 * core::f32::consts::LN_2
    }
}

/// What needs the deviation; the others need the mean at most.
const DEVIATION: Set = Set::of(&[
    Feature::Std,
    Feature::LogStd,
    Feature::Rms,
    Feature::Crest,
    Feature::Skew,
    Feature::Kurt,
]);
const SHAPE: Set = Set::of(&[Feature::Skew, Feature::Kurt]);
const STEPS: Set = Set::of(&[Feature::Mad, Feature::LogMad]);
const CROSSINGS: Set = Set::of(&[Feature::ZeroCrossings]);

impl Statistics {
    /// Those that the features of `wanted` need, which the compiler knows.
    #[inline(always)]
    pub(crate) fn of<T: Stored>(channel: &Channel<'_, T>, wanted: Set) -> Self {
        let first = channel.first();
        let (mut min, mut max, mut previous) = (first, first, first);
        let mut look = |x: f32| {
            min = if x < min { x } else { min };
            max = if x > max { x } else { max };
            x - first
        };
        let (sum, steps) = if wanted.has(STEPS) {
            channel.sums(|x| {
                let step = (x - previous).abs();
                previous = x;
                (look(x), step)
            })
        } else {
            (channel.sums(look), 0.0)
        };
        if min == max {
            return Self { min, max, mean: first, ..Self::default() };
        }
        let count = channel.len() as f32;
        let rough = sum / count;
        let shift = rough + channel.sums(|x| (x - first) - rough) / count;
        let (per_unit, exponent) = unit(max - min);
        let centre = Centre { first, shift: shift * per_unit, per_unit, exponent };
        let mean = first + shift;
        let step = steps / (count - 1.0);
        let statistics = Self { min, max, mean, step, centre, ..Self::default() };
        statistics.with_moments(channel, wanted)
    }

    /// Adds what takes another pass.
    #[inline(always)]
    fn with_moments<T: Stored>(self, channel: &Channel<'_, T>, wanted: Set) -> Self {
        if !wanted.has(DEVIATION) && !wanted.has(CROSSINGS) {
            return self;
        }
        let (centre, count) = (self.centre, channel.len() as f32);
        let (mut crossings, mut before) = (0, centre.apply(centre.first).to_bits());
        let mut centred = |x: f32| {
            let c = centre.apply(x);
            if wanted.has(CROSSINGS) {
                // Signs are compared as bits: a difference of equal numbers is +0, hence above.
                crossings += (c.to_bits() ^ before) >> 31;
                before = c.to_bits();
            }
            c
        };
        let (squares, cubes, fourths) = if wanted.has(SHAPE) {
            channel.sums(|x| {
                let c = centred(x);
                let square = c * c;
                (square, square * c, square * square)
            })
        } else {
            let squares = channel.sums(|x| {
                let c = centred(x);
                c * c
            });
            (squares, 0.0, 0.0)
        };
        let (second, third, fourth) = (squares / count, cubes / count, fourths / count);
        let deviation = Real::sqrt(second) / centre.per_unit;
        Self { deviation, second, third, fourth, crossings, ..self }
    }

    /// The largest distance from the mean, in deviations.
    pub(crate) fn crest(&self) -> f32 {
        let (above, below) = (self.centre.apply(self.max), -self.centre.apply(self.min));
        self.unless_constant(|| above.larger(below) / Real::sqrt(self.second))
    }

    pub(crate) fn skew(&self) -> f32 {
        self.unless_constant(|| self.third / (self.second * Real::sqrt(self.second)))
    }

    /// Above that of a Gaussian.
    pub(crate) fn kurt(&self) -> f32 {
        self.unless_constant(|| self.fourth / (self.second * self.second) - 3.0)
    }

    fn unless_constant(&self, value: impl FnOnce() -> f32) -> f32 {
        if self.centre.is_constant() { 0.0 } else { value() }
    }

    /// The root of the mean square: of a right triangle with the mean and the deviation as its
    /// sides.
    pub(crate) fn rms(&self) -> f32 {
        let mean = self.mean.abs();
        let (long, short) =
            if mean > self.deviation { (mean, self.deviation) } else { (self.deviation, mean) };
        if short == 0.0 {
            return long;
        }
        let ratio = short / long;
        long * Real::sqrt(1.0 + ratio * ratio)
    }
}

/// Bits of an `f32` below its exponent.
const FRACTION: u32 = f32::MANTISSA_DIGITS - 1;

/// One over the power of two at or below a positive number, and the exponent of that power.
fn unit(range: f32) -> (f32, i32) {
    // 1 to 254; the numbers below all powers that have an inverse share the smallest of them.
    let biased = (range.to_bits() >> FRACTION).max(1);
    (f32::from_bits((254 - biased) << FRACTION), biased as i32 - 127)
}
