//! From numbers with a floating point to whole ones, and the proof that these do not overflow.

use core::f32::consts::{LN_2, LOG2_E};
use core::iter;
use core::ops::RangeInclusive;

use super::exponential::{KERNEL_BITS, KERNEL_ERROR, VANISHES};
use super::input::{Input, LARGEST, SQUARE_WEIGHT_BITS, to_fixed};
use super::score::{
    BIAS, Component, DISTANCE_BITS, PROJECTION_BITS, QuantisedHeader, SQUARE_BITS, WEIGHT_BITS,
    two_to,
};
use super::valid::{
    CEILINGS, INPUT_BITS, LOG_INPUT_BITS, VARIANCE_BITS, VARIANCE_EXPONENTS, half_square,
};
use super::{QuantisedDetector, QuantisedModel};
use crate::detect::Detector;
use crate::detect::reading::VectorScaling;
use crate::detect::scaling::Scaling;
use crate::error::{Error, require_capacity};
use crate::kernel::Rbf;
use crate::kpca::{ExpansionView, KernelPcaView};
use crate::linalg::slices::head_mut;
use crate::math::{Math, Real, dot_in_order, sum};

/// The largest coordinate or weight.
const MOST: i32 = i16::MAX as i32;
/// Half a squared distance at which a kernel value vanishes leaves room for no more fractional bits
/// than this.
const MOST_DISTANCE_BITS: u32 = 28;
/// The share of 32 bits that is used: what remains is for the rounding of single-precision
/// estimates.
const ROOM: f32 = 0.98;
/// Sums of weighted kernel values stay below this, as 2 is where Q30 ends, and so do offsets:
/// projections are then less than 4, where Q29 ends.
const REACH: f32 = 1.9;
/// By how much a kernel value changes when a point moves, at the most:
/// `max |d 2^(−r²)/dr| = √(2 ln 2/e) = 0.714`.
const STEEPEST: f32 = 0.715;
/// The smallest weight of a square: 11 bits of it are then stored, and scales are off by less than
/// 1/4000.
const FINEST: f32 = 0.125;

const TOO_NARROW: &str = "small enough for points of 16 bits";

/// Names a parameter that breaks a rule. Conditions are such that NaN breaks it.
fn require(holds: bool, name: &'static str, rule: &'static str) -> Result<(), Error> {
    if holds { Ok(()) } else { Err(Error::Parameter { name, rule }) }
}

/// A model to be quantised.
type Source<'a, M, const D: usize> = KernelPcaView<'a, Rbf<f32, M>, [[f32; D]]>;

impl<const D: usize, const R: usize, const P: usize, S> QuantisedDetector<D, R, P, S>
where
    S: VectorScaling<[f32; D]>,
{
    /// Takes over what another detector has learned; threshold included.
    ///
    /// It takes about as long as one score by the other detector for each of its points.
    ///
    /// # Errors
    /// The quantised detector is unchanged then.
    ///
    /// | error | meaning |
    /// |---|---|
    /// | [`Error::NotFitted`] | nothing was learned |
    /// | [`Error::Capacity`] | more points or components than this type has room for |
    /// | [`Error::Parameter`] `gamma` | the kernel is so narrow, for points so far apart, that 16 bits are too few |
    /// | `mean`, `deviation` | an input varies too little around a large mean, or is in units too large or too small for an `f32` |
    /// | `weights`, `centre`, `offsets`, `variances` | not those of kernel PCA: sums could overflow |
    /// | [`Error::Deaf`] and others | the detector is not [valid](Detector::validate) |
    pub fn quantise<M: Math<f32>, const N: usize, const C: usize>(
        &mut self,
        detector: &Detector<Rbf<f32, M>, [f32; D], N, C, S>,
    ) -> Result<(), Error> {
        let source = detector.model.view()?;
        let expansion = source.expansion();
        require_capacity("points", expansion.points(), R)?;
        require_capacity("components", expansion.components(), P)?;
        detector.validate()?;

        let mut grid = Grid::new(&source, &detector.scaling)?;
        let mut header = QuantisedHeader {
            points: expansion.points() as u32,
            components: expansion.components() as u32,
            gamma: source.kernel().gamma,
            distance_shift: (grid.distance_bits - DISTANCE_BITS) as u8,
            far: grid.limit(&source)?,
            ..QuantisedHeader::EMPTY
        };
        let mut components = [Component::EMPTY; P];
        describe(&expansion, &mut components, &mut header)?;
        require_reach::<M, D, C>(&source, &grid, &components, &header)?;

        // From here on nothing can fail.
        self.scaling = detector.scaling.clone();
        self.threshold = detector.threshold;
        self.model.header = header;
        self.model.inputs = grid.inputs;
        self.model.components = components;
        write(&source, &grid, &mut self.model);
        Ok(())
    }
}

/// How points become whole numbers. Lengths are in widths of the kernel, so that
/// `k = 2^(−‖x − y‖²)`.
struct Grid<const D: usize> {
    /// Fractional bits of half a squared distance.
    distance_bits: u32,
    inputs: [Input; D],
    /// A coordinate of a point is its scaled input times this.
    factors: [f32; D],
    /// The largest distance between neighbouring values of a coordinate.
    step: f32,
}

impl<const D: usize> Grid<D> {
    /// The finest grid on which neither coordinates nor squared distances overflow.
    fn new<M: Math<f32>>(
        source: &Source<'_, M, D>,
        scaling: &impl VectorScaling<[f32; D]>,
    ) -> Result<Self, Error> {
        let width = (source.kernel().gamma * LOG2_E).sqrt();
        let mut largest = [0.0_f32; D];
        let mut radius = 0.0_f32;
        for point in source.points() {
            for (largest, x) in largest.iter_mut().zip(point) {
                *largest = largest.larger((x * width).abs());
            }
            radius = radius.larger((dot_in_order(point, point)).sqrt() * width);
        }
        // A reading that is longer than this is far from all points.
        let far = radius + (VANISHES as f32).sqrt();
        let most = (radius + far) * (radius + far) / 2.0;
        let mut bits = MOST_DISTANCE_BITS;
        loop {
            require(bits >= DISTANCE_BITS, "gamma", TOO_NARROW)?;
            // Units are a power of two apart, so that one between the coarsest and half of it must
            // do.
            let fits = |largest: &f32| {
                let unit = coarsest(bits, *largest) / 2.0;
                unit * ROOM * f32::from(u16::MAX) >= far && square_weight(unit, bits) >= FINEST
            };
            // Comparisons are such that NaN does not pass.
            if most <= ROOM * two_to(32 - bits as i32) && largest.iter().all(fits) {
                break;
            }
            bits -= 1;
        }
        let mut grid =
            Self { distance_bits: bits, inputs: [Input::EMPTY; D], factors: [0.0; D], step: 0.0 };
        let inputs = grid.inputs.iter_mut().zip(&mut grid.factors).zip(largest);
        let Scaling { mean, deviation } = scaling.standard();
        let floors = scaling.floors().iter().copied().chain(iter::repeat(0.0));
        let scaling = mean.iter().zip(deviation).zip(floors);
        for (((input, factor), largest), ((&mean, &deviation), floor)) in inputs.zip(scaling) {
            // Means and deviations of logarithms are to base e, those in integers to base 2.
            let (mean, density, usual) = match floor > 0.0 {
                true => (mean * LOG2_E, LN_2 * width / deviation, LOG_INPUT_BITS),
                false => (mean, width / deviation, INPUT_BITS),
            };
            let unit;
            (*input, unit) = Input::new(mean, density, coarsest(bits, largest), bits, usual)?;
            *factor = width * unit * two_to(bits as i32);
            grid.step = grid.step.larger(1.0 / (unit * two_to(bits as i32)));
        }
        Ok(grid)
    }

    /// A coordinate of a point.
    fn coordinate(&self, point: &[f32; D], input: usize) -> i32 {
        let (x, factor) = (point.get(input), self.factors.get(input));
        let x = x.copied().unwrap_or_default() * factor.copied().unwrap_or_default();
        finite_to_fixed(x, 0).clamp(-MOST, MOST)
    }

    /// `Σ p²/(4w)`, rounded up: half the squared length of a point, given the weights `w` of the
    /// inputs as they are stored.
    fn half_length(&self, point: &[f32; D]) -> u64 {
        let inputs = self.inputs.iter().enumerate();
        let terms = inputs.map(|(l, input)| half_square(self.coordinate(point, l), input));
        terms.fold(0, u64::saturating_add)
    }

    /// Half the squared length of a reading that is far from all points. Sets the limits of the
    /// inputs, too.
    ///
    /// With `ρ` the longest point and `√c` the distance at which kernel values vanish, that is
    /// `(ρ + √c)²`. Any shorter reading has squared distances of at most `(ρ + ρ + √c)²`, which
    /// must be less than `2^32`.
    fn limit<M: Math<f32>>(&mut self, source: &Source<'_, M, D>) -> Result<u32, Error> {
        let longest = source.points().iter().map(|p| self.half_length(p)).fold(0, u64::max);
        let vanishes = (u64::from(VANISHES) << (self.distance_bits - 1)) as f32;
        let (radius, reach) = ((longest as f32).sqrt(), vanishes.sqrt());
        // Rounded up by more than the rounding of what follows.
        let far = (radius + reach) * (radius + reach) * (1.0 + 8.0 * f32::EPSILON);
        let most = (2.0 * radius + reach) * (2.0 * radius + reach);
        require(most + D as f32 <= 0.99 * two_to(32), "gamma", TOO_NARROW)?;
        for input in &mut self.inputs {
            let weight = f32::from(input.weight) * two_to(-(SQUARE_WEIGHT_BITS as i32));
            let limit = (far / weight).sqrt() + 1.0;
            require(limit < f32::from(u16::MAX), "gamma", TOO_NARROW)?;
            input.limit = limit as u16;
        }
        Ok(far as u32)
    }
}

/// The coarsest unit of an input: the weight of its square in half a squared distance,
/// `unit²·2^(bits−1)`, is less than 4, and coordinates of points, `p·unit·2^bits`, fit into 16
/// bits.
///
/// The coarser the unit, the finer the coordinates, which matter more: a reading that moves by so
/// little has almost the same score, but points that move by so little are multiplied by weights of
/// both signs.
fn coarsest(bits: u32, largest: f32) -> f32 {
    // √(2^(3−bits)): a square root is exact for even exponents.
    let unit = two_to(3 - bits as i32).sqrt();
    let fits = (MOST as f32 - 1.0) * two_to(-(bits as i32));
    if unit * largest > fits { fits / largest } else { unit }
}

impl Input {
    /// An input whose unit, a power of two, is at most `coarsest` in widths of the kernel. Also
    /// returns the unit.
    ///
    /// `density` is how many widths of the kernel a change of the raw input, or of its logarithm,
    /// by 1 is; `usual` are the bits that it may have.
    fn new(
        mean: f32,
        density: f32,
        coarsest: f32,
        distance_bits: u32,
        usual: RangeInclusive<i32>,
    ) -> Result<(Self, f32), Error> {
        let bits = exponent(density / coarsest) + 1;
        if !usual.contains(&bits) {
            return Err(Error::Parameter { name: "deviation", rule: "neither tiny nor huge" });
        }
        let unit = density * two_to(-bits);
        let fits = mean.abs() * two_to(bits) < LARGEST as f32;
        require(fits, "mean", "not so large against the deviation")?;
        let weight = finite_to_fixed(square_weight(unit, distance_bits), SQUARE_WEIGHT_BITS as i32);
        // Less than 4 by `coarsest`.
        let weight = weight.clamp(1, u16::MAX.into()) as u16;
        let mean = finite_to_fixed(mean, bits);
        Ok((Self { mean, bits, limit: 0, weight }, unit))
    }
}

/// The weight of the square of an input in half a squared distance.
fn square_weight(unit: f32, distance_bits: u32) -> f32 {
    unit * unit * two_to(distance_bits as i32 - 1)
}

/// Formats and constants of components and centre.
fn describe(
    expansion: &ExpansionView<'_, f32>,
    components: &mut [Component],
    header: &mut QuantisedHeader,
) -> Result<(), Error> {
    let inverse = |variance: &f32| 1.0 / *variance;
    let largest = expansion.variances().iter().map(inverse).fold(0.0, f32::larger);
    let variance_exponent = exponent(largest) + 1 - VARIANCE_BITS as i32;
    // What does not fit into 16 bits is not in the range, either.
    header.variance_exponent = i16::try_from(variance_exponent).unwrap_or(i16::MAX);
    let usual = VARIANCE_EXPONENTS.contains(&header.variance_exponent);
    require(usual, "variances", "neither tiny nor huge")?;
    let constants = expansion.offsets().iter().zip(expansion.variances());
    for (j, (component, (&offset, variance))) in components.iter_mut().zip(constants).enumerate() {
        require(offset.abs() <= REACH, "offsets", "at most 1.9")?;
        let inverse = finite_to_fixed(inverse(variance), -variance_exponent);
        *component = Component {
            offset: finite_to_fixed(offset, PROJECTION_BITS as i32),
            inverse_variance: inverse as u32,
            shift: (WEIGHT_BITS - weight_bits("weights", column(expansion, j))?) as u8,
        };
    }
    let centre = expansion.centre().iter().copied();
    header.centre_shift = (WEIGHT_BITS - weight_bits("centre", centre)?) as u8;
    let ceiling = 1.0 + expansion.header().centre_norm;
    header.ceiling = finite_to_fixed(ceiling.larger(0.0), SQUARE_BITS as i32) as u32;
    require(CEILINGS.contains(&header.ceiling), "centre", "of a norm from 0 to 1.9")
}

/// The weights of a component, point by point.
fn column<'a>(
    expansion: &ExpansionView<'a, f32>,
    component: usize,
) -> impl Iterator<Item = f32> + use<'a> {
    let weights = expansion.weights();
    (0..weights.rows()).map(move |point| weights.get(point, component).unwrap_or_default())
}

/// How many fractional bits weights can have.
fn weight_bits(name: &'static str, weights: impl Iterator<Item = f32>) -> Result<u32, Error> {
    let largest = weights.fold(0.0, |largest: f32, weight| largest.larger(weight.abs()));
    let fits = |bits: &u32| largest * two_to(*bits as i32) <= MOST as f32;
    (0..=WEIGHT_BITS).rev().find(fits).ok_or(Error::Parameter { name, rule: "at most 32767" })
}

/// No sum of weighted kernel values exceeds [`REACH`], for whatever reading.
///
/// In feature space a sum `Σ a_i k(x, point_i)` is an inner product with `φ(x)`, which has length
/// 1, so it is at most the length `√(aᵀKa)`. Quantised weights are off by a unit each at the most,
/// quantised kernel values by [`KERNEL_ERROR`] and by what it means that points have moved.
fn require_reach<M: Math<f32>, const D: usize, const C: usize>(
    source: &Source<'_, M, D>,
    grid: &Grid<D>,
    components: &[Component],
    header: &QuantisedHeader,
) -> Result<(), Error> {
    let expansion = source.expansion();
    let (mut squares, mut projection) = ([0.0_f32; C], [0.0_f32; C]);
    let projection = head_mut(&mut projection, expansion.components());
    let ceiling = 1.0 + expansion.header().centre_norm;
    let mut centre_square = 0.0_f32;
    for (i, (point, beta)) in source.points().iter().zip(expansion.centre()).enumerate() {
        let score = source.score(point, projection)?;
        // f_j + b_j is the sum for this point.
        let sums = projection.iter().zip(expansion.offsets()).map(|(f, b)| f + b);
        let weights = expansion.weights().row(i);
        for ((square, weight), sum) in squares.iter_mut().zip(weights).zip(sums) {
            *square += weight * sum;
        }
        centre_square += beta * (ceiling - score.centre_distance) / 2.0;
    }
    let moved = STEEPEST * (D as f32).sqrt() * grid.step / 2.0;
    let error = (KERNEL_ERROR + 1.0) * two_to(-(KERNEL_BITS as i32)) + moved;
    let reaches = |square: f32, magnitudes: f32, shift: u8| {
        let rounding = expansion.points() as f32 * two_to(i32::from(shift) - WEIGHT_BITS as i32);
        square.larger(0.0).sqrt() + rounding + magnitudes * error <= REACH
    };
    for (j, (square, component)) in squares.into_iter().zip(components).enumerate() {
        let magnitudes = sum(column(&expansion, j).map(f32::abs));
        if j < expansion.components() && !reaches(square, magnitudes, component.shift) {
            return Err(Error::Parameter {
                name: "weights",
                rule: "those of components of length 1",
            });
        }
    }
    let magnitudes = sum(expansion.centre().iter().map(|beta| beta.abs()));
    match reaches(centre_square, magnitudes, header.centre_shift) {
        true => Ok(()),
        false => Err(Error::Parameter { name: "centre", rule: "no longer than 1" }),
    }
}

/// Writes points and weights; places without a point have no weight.
fn write<M: Math<f32>, const D: usize, const R: usize, const P: usize>(
    source: &Source<'_, M, D>,
    grid: &Grid<D>,
    model: &mut QuantisedModel<D, R, P>,
) {
    let expansion = source.expansion();
    let biased = |value: i32| value.clamp(-MOST, MOST).wrapping_add(BIAS as i32) as u16;
    let (mut weights, mut centre) = ([Rounded::default(); P], Rounded::default());
    for (i, place) in model.points.iter_mut().enumerate() {
        let point = source.points().get(i).unwrap_or(&[0.0; D]);
        // It fits: the longest was checked.
        place.half_length = grid.half_length(point) as u32;
        for (input, coordinate) in place.coordinates.iter_mut().enumerate() {
            *coordinate = biased(grid.coordinate(point, input));
        }
        let places = place.weights.iter_mut().zip(&mut weights).zip(&model.components);
        for (j, ((place, rounded), component)) in places.enumerate() {
            let weight = expansion.weights().get(i, j).unwrap_or(0.0);
            *place = biased(rounded.next(weight, component.shift));
        }
        let weight = expansion.centre().get(i).copied().unwrap_or(0.0);
        place.centre = biased(centre.next(weight, model.header.centre_shift));
    }
}

/// Rounds weights one after the other, each with what was left over from those before.
///
/// Kernel values of neighbours are alike, so that errors which add up to nothing nearly cancel in a
/// sum.
#[derive(Clone, Copy, Default)]
struct Rounded {
    left: f32,
}

impl Rounded {
    fn next(&mut self, weight: f32, shift: u8) -> i32 {
        let exact = weight * two_to(WEIGHT_BITS as i32 - i32::from(shift)) + self.left;
        let rounded = finite_to_fixed(exact, 0);
        self.left = exact - rounded as f32;
        rounded
    }
}

/// `⌊log2 x⌋` of a normal number above 0; far out of every range for others.
fn exponent(x: f32) -> i32 {
    if x.is_normal() && x > 0.0 {
        (x.to_bits() >> (f32::MANTISSA_DIGITS - 1)) as i32 + 1 - f32::MAX_EXP
    } else {
        i32::MAX / 2
    }
}

/// [`to_fixed`] of a number that is known to be finite.
fn finite_to_fixed(x: f32, bits: i32) -> i32 {
    debug_assert!(x.is_finite(), "{x}");
    to_fixed(x, bits).unwrap_or_default()
}
