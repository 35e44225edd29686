//! Scores in integers: one pass over the points, four at a time.
//!
//! Sums wrap around at `2^32` on purpose. What is added up may be larger; what comes out is not, because
//! [`quantise`](super::QuantisedDetector::quantise) has checked that it cannot be, and then the sum is right whatever happened on the way.

use super::exponential::{EXPONENT_BITS, KERNEL_BITS, power};
use super::input::{FLOORS, Input, Raw};
use crate::error::Error;
use crate::score::Score;

/// How many points are worked on at a time: a coordinate of the reading is loaded once for all of them, and loops cost a
/// quarter, so that it hardly matters whether the compiler unrolls them.
pub(super) const BLOCK: usize = 4;
/// Points and weights are stored with this added: the smallest cores load unsigned half-words faster than signed ones.
pub(super) const BIAS: u32 = 1 << 15;
/// Fractional bits of a projection.
pub(super) const PROJECTION_BITS: u32 = 29;
/// Fractional bits of squares of projections and of squared distances in feature space.
pub(super) const SQUARE_BITS: u32 = 28;
/// Fractional bits of `Σ |f_j|`, which is less than 64.
const ABS_SUM_BITS: u32 = 26;
/// The largest shift of a weight: those of a component take at least 16 bits in Q13.
pub(super) const WEIGHT_BITS: u32 = PROJECTION_BITS - KERNEL_BITS;
/// The fewest fractional bits of half a squared distance.
pub(super) const DISTANCE_BITS: u32 = EXPONENT_BITS + 1;

/// What a component is beside its weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Component {
    /// `b_j` in Q29.
    pub offset: i32,
    /// `1/λ_j`, at most `2^24`, in units that all components share.
    pub inverse_variance: u32,
    /// Weights are in Q(13 − `shift`).
    pub shift: u8,
}

impl Component {
    /// All zeros: nothing learned.
    pub const EMPTY: Self = Self { offset: 0, inverse_variance: 0, shift: 0 };

    /// A sum of weighted kernel values as a projection in Q29.
    #[inline(always)]
    fn projection(&self, sum: u32, bias: u32) -> i32 {
        (sum.wrapping_sub(bias) << (self.shift & 15)).wrapping_sub(self.offset as u32) as i32
    }
}

/// The numbers of a quantised model that are not arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct QuantisedHeader {
    /// Number of points in use, at most the capacity.
    pub points: u32,
    /// Number of components in use, at most the capacity.
    pub components: u32,
    /// `γ` of the Gaussian kernel.
    pub gamma: f32,
    /// Half a squared distance is in Q(20 + `distance_shift`).
    pub distance_shift: u8,
    /// Centre weights are in Q(13 − `centre_shift`).
    pub centre_shift: u8,
    /// [`Component::inverse_variance`] is in units of `2^variance_exponent`.
    pub variance_exponent: i16,
    /// Half the squared length of a reading from which on all kernel values are 0.
    pub far: u32,
    /// `1 + ‖centre‖²` in Q28.
    pub ceiling: u32,
}

impl QuantisedHeader {
    /// All zeros: nothing learned.
    pub const EMPTY: Self = Self {
        points: 0,
        components: 0,
        gamma: 0.0,
        distance_shift: 0,
        centre_shift: 0,
        variance_exponent: 0,
        far: 0,
        ceiling: 0,
    };
}

/// A reading, ready to be compared with points.
pub(super) struct Query {
    /// What half the squared distance from a point is, but for that point's own part.
    pub(super) start: u32,
    /// It is so far from all points that all kernel values are 0.
    pub(super) far: bool,
}

impl Query {
    /// Writes `−z` for each input of a raw reading.
    ///
    /// Half a squared distance is `Σ_l w_l z_l² − Σ_l z_l p_l + Σ_l p_l²/(4 w_l) = Σ_l w_l (z_l − p_l/(2 w_l))² ≥ 0`, with the `w_l` as they
    /// are stored. Rounding takes less than [`FLOORS`] units an input from the first sum and nothing from the last: they are added here.
    #[inline(always)]
    pub(super) fn new<X: Raw>(
        x: &[X],
        inputs: &[Input],
        far: u32,
        negated: &mut [u32],
    ) -> Result<Self, Error> {
        let (mut length, mut sum, mut is_far) = (FLOORS * x.len() as u32, 0_u32, false);
        for (index, ((x, input), negated)) in x.iter().zip(inputs).zip(negated).enumerate() {
            let z = x.offset(input, index).map_err(Error::Query)?;
            let (magnitude, limit) = (z.unsigned_abs(), u32::from(input.limit));
            let term = input.half_square(magnitude & 0xffff);
            // Until this is so, the length is less than `far` and cannot overflow; afterwards it does not matter.
            is_far |= magnitude > limit || term >= far.wrapping_sub(length);
            length = length.wrapping_add(term);
            *negated = (z as u32).wrapping_neg();
            sum = sum.wrapping_add(*negated);
        }
        Ok(Self { start: length.wrapping_sub(sum.wrapping_mul(BIAS)), far: is_far })
    }
}

/// The arrays of a quantised model: the part in use, in blocks of four points.
pub(super) struct Blocks<'a> {
    /// `inputs` rows a block.
    pub(super) points: &'a [[u16; BLOCK]],
    pub(super) inputs: usize,
    /// Half the squared length of each point.
    pub(super) lengths: &'a [[u32; BLOCK]],
    /// `stride` rows a block.
    pub(super) weights: &'a [[u16; BLOCK]],
    pub(super) stride: usize,
    pub(super) centre: &'a [[u16; BLOCK]],
    pub(super) distance_shift: u32,
}

/// Sums over the points, modulo `2^32`.
#[derive(Default)]
pub(super) struct Sums {
    /// `Σ k_i` in Q16, times the bias.
    pub(super) bias: u32,
    /// `Σ (β_i + bias) k_i`.
    pub(super) centre: u32,
}

impl Blocks<'_> {
    /// Adds `Σ (α_ji + bias) k_i` to `projections`.
    #[inline(always)]
    pub(super) fn accumulate(&self, query: &Query, z: &[u32], projections: &mut [u32]) -> Sums {
        let (mut total, mut centre) = (0_u32, 0_u32);
        let points = self.points.chunks_exact(self.inputs.max(1)).zip(self.lengths);
        let weights = self.weights.chunks_exact(self.stride.max(1)).zip(self.centre);
        for ((points, &lengths), (weights, beta)) in points.zip(weights) {
            let [mut h0, mut h1, mut h2, mut h3] = lengths.map(|length| length.wrapping_add(query.start));
            for (&z, p) in z.iter().zip(points) {
                let [p0, p1, p2, p3] = p.map(u32::from);
                h0 = h0.wrapping_add(p0.wrapping_mul(z));
                h1 = h1.wrapping_add(p1.wrapping_mul(z));
                h2 = h2.wrapping_add(p2.wrapping_mul(z));
                h3 = h3.wrapping_add(p3.wrapping_mul(z));
            }
            let k = [h0, h1, h2, h3].map(|h| power(h >> (self.distance_shift & 15)));
            let [k0, k1, k2, k3] = k;
            total = total.wrapping_add(k0).wrapping_add(k1).wrapping_add(k2).wrapping_add(k3);
            centre = centre.wrapping_add(weighted(k, beta));
            for (sum, weights) in projections.iter_mut().zip(weights) {
                *sum = sum.wrapping_add(weighted(k, weights));
            }
        }
        Sums { bias: total.wrapping_mul(BIAS), centre }
    }
}

#[inline(always)]
fn weighted([k0, k1, k2, k3]: [u32; BLOCK], weights: &[u16; BLOCK]) -> u32 {
    let [w0, w1, w2, w3] = weights.map(u32::from);
    let (a, b) = (w0.wrapping_mul(k0), w1.wrapping_mul(k1));
    let (c, d) = (w2.wrapping_mul(k2), w3.wrapping_mul(k3));
    a.wrapping_add(b).wrapping_add(c).wrapping_add(d)
}

/// Turns the sums into projections in Q29, in place, and these into scores.
#[inline(always)]
pub(super) fn finish(
    header: &QuantisedHeader,
    components: &[Component],
    sums: &Sums,
    projections: &mut [u32],
) -> Score<f32> {
    let (mut explained, mut abs_sum, mut t2) = (0_u32, 0_u32, 0_u64);
    for (sum, component) in projections.iter_mut().zip(components) {
        let f = component.projection(*sum, sums.bias);
        *sum = f as u32;
        let square = square(f);
        explained = explained.saturating_add(square);
        abs_sum = abs_sum.saturating_add(f.unsigned_abs() >> (PROJECTION_BITS - ABS_SUM_BITS));
        // 32 and 24 bits: there is room for 256 of them.
        t2 += u64::from(square) * u64::from(component.inverse_variance);
    }
    // 2 Σ β_i k_i in Q28 is Σ β_i k_i in Q29.
    let twice = sums.centre.wrapping_sub(sums.bias) << (header.centre_shift & 15);
    // Only rounding makes these negative.
    let centre_distance = (header.ceiling.wrapping_sub(twice) as i32).max(0) as u32;
    let spe = centre_distance.saturating_sub(explained);
    let square_exponent = -(SQUARE_BITS as i32);
    Score {
        spe: to_float(spe, square_exponent),
        t2: long_to_float(t2, square_exponent + i32::from(header.variance_exponent)),
        abs_sum: to_float(abs_sum, -(ABS_SUM_BITS as i32)),
        centre_distance: to_float(centre_distance, square_exponent),
    }
}

/// `f²` in Q28, off by less than 2 units, for `f` in Q29 and less than 4 in magnitude.
#[inline(always)]
fn square(f: i32) -> u32 {
    // f = high·2^15 + low with |low| ≤ 2^14: f² = high²·2^30 + 2·high·low·2^15 + low², of which the last is below a unit.
    let high = f.wrapping_add(1 << 14) >> 15;
    let low = f.wrapping_sub(high << 15);
    (high.wrapping_mul(high)).wrapping_add(high.wrapping_mul(low) >> 14) as u32
}

/// `value·2^exponent`, for results that are normal numbers.
#[inline(always)]
pub(super) fn to_float(value: u32, exponent: i32) -> f32 {
    if value == 0 {
        return 0.0;
    }
    let bits = (value as f32).to_bits();
    f32::from_bits(bits.wrapping_add((exponent << (f32::MANTISSA_DIGITS - 1)) as u32))
}

/// As [`to_float`], with the lowest bits of a long number cut off.
#[inline(always)]
fn long_to_float(value: u64, exponent: i32) -> f32 {
    match (value >> 32) as u32 {
        0 => to_float(value as u32, exponent),
        // At least 16 bits remain.
        high if high >> 16 == 0 => to_float((value >> 16) as u32, exponent + 16),
        high => to_float(high, exponent + 32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_within_their_bound() {
        let mut state = 1_u32;
        for _ in 0..1_000_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            for f in [state as i32, state as i32 >> (state >> 27)] {
                let exact = f64::from(f) * f64::from(f) / libm::exp2(30.0);
                assert!((f64::from(square(f)) - exact).abs() < 2.0, "{f}");
            }
        }
        assert_eq!(square(0), 0);
        assert_eq!(square(1 << 29), 1 << 28);
        assert_eq!(square(-(1 << 29)), 1 << 28);
    }

    #[test]
    fn numbers_become_floats() {
        for value in [0, 1, 3, 0xffff, 0x0123_4567, u32::MAX] {
            for exponent in [-60, -28, 0, 30] {
                let exact = (f64::from(value) * libm::exp2(exponent.into())) as f32;
                assert_eq!(to_float(value, exponent), exact);
            }
        }
        for shift in 0..60 {
            let value = 0xfedc_u64 << shift >> 12;
            let exact = value as f64;
            assert!((f64::from(long_to_float(value, 0)) / exact.max(1e-9) - 1.0).abs() < 2e-5 || value == 0);
        }
    }
}
