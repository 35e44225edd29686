//! Scores in integers: one pass over the points, two at a time.
//!
//! Sums wrap around at `2^32` on purpose. What is added up may be larger; what comes out is not,
//! because [`quantise`](super::QuantisedDetector::quantise) has checked that it cannot be, and then
//! the sum is right whatever happened on the way.

use super::QuantisedModel;
use super::exponential::{EXPONENT_BITS, KERNEL_BITS, power};
use super::input::{Input, Raw};
use crate::detect::reading::VectorScaling;
use crate::error::Error;
use crate::kpca::Score;
use crate::linalg::slices::head;

/// How many points are worked on at a time: a coordinate of the reading is loaded once for both,
/// and more of them need more registers than the smallest cores have.
pub(super) const PAIR: usize = 2;
/// How many components are added up at a time. Written out one by one, they cost little more when
/// the compiler optimises for size.
const GROUP: usize = 4;
/// Points and weights are stored with this added: the smallest cores load unsigned half-words
/// faster than signed ones.
pub(super) const BIAS: u32 = 1 << 15;
/// Fractional bits of a projection.
pub(super) const PROJECTION_BITS: u32 = 29;
/// Fractional bits of squares of projections and of squared distances in feature space.
pub(super) const SQUARE_BITS: u32 = 28;
/// Fractional bits of `Σ |f_j|`, which is less than 64.
const ABS_SUM_BITS: u32 = 26;
/// Fractional bits of a sum of weighted kernel values, which is less than 2.
const SUM_BITS: u32 = 30;
/// The most fractional bits of a weight: with those of a kernel value, they make those of a sum.
pub(super) const WEIGHT_BITS: u32 = SUM_BITS - KERNEL_BITS;
/// So much larger weights can be.
pub(super) const MOST_SHIFT: u8 = WEIGHT_BITS as u8;
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
    /// Weights are in Q(14 − `shift`).
    pub shift: u8,
}

impl Component {
    /// All zeros: nothing learned.
    pub const EMPTY: Self = Self { offset: 0, inverse_variance: 0, shift: 0 };
}

/// A sum of weighted kernel values in Q29.
#[inline(always)]
fn to_sum(sum: u32, bias: u32, shift: u8) -> i32 {
    ((sum.wrapping_sub(bias) << (shift & 15)) as i32) >> (SUM_BITS - PROJECTION_BITS)
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
    /// Centre weights are in Q(14 − `centre_shift`).
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

/// A point and its weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct QuantisedPoint<const D: usize, const P: usize> {
    /// Half its squared length.
    pub half_length: u32,
    /// Its coordinates, with `2^15` added.
    pub coordinates: [u16; D],
    /// `α_ji` for each component `j`, with `2^15` added.
    pub weights: [u16; P],
    /// `β_i`, with `2^15` added.
    pub centre: u16,
}

impl<const D: usize, const P: usize> QuantisedPoint<D, P> {
    /// All zeros: nothing learned.
    pub const EMPTY: Self =
        Self { half_length: 0, coordinates: [0; D], weights: [0; P], centre: 0 };
}

/// A reading as whole numbers.
pub(super) struct Query<const D: usize> {
    /// `−z` for each input.
    negated: [u32; D],
    /// What half the squared distance from a point is, but for that point's own part.
    start: u32,
    distance_shift: u32,
}

impl<const D: usize> Query<D> {
    pub(super) const fn new(header: &QuantisedHeader) -> Self {
        Self { negated: [0; D], start: 0, distance_shift: header.distance_shift as u32 }
    }
}

/// Writes `−z` for each input of a raw reading. Returns what half the squared distance from a point
/// is, but for that point's own part; none for a reading so far away that all kernel values are 0.
///
/// Half a squared distance is `Σ w z² − Σ z p + Σ p²/(4w) = Σ w (z − p/(2w))² ≥ 0`, summed over the
/// inputs, with the `w` as they are stored. Rounding takes less than a unit an input from the first
/// sum and nothing from the last: so much is added here.
///
/// `LOGS` says whether there are floors.
#[inline(never)]
fn approach<X: Raw, const LOGS: bool>(
    x: &[X],
    inputs: &[Input],
    floors: &[f32],
    far: u32,
    negated: &mut [u32],
) -> Result<Option<u32>, Error> {
    let inputs = inputs.iter().zip(negated);
    let (mut room, mut sum) = (far.saturating_sub(x.len() as u32), 0_u32);
    for (index, (x, (input, negated))) in x.iter().zip(inputs).enumerate() {
        let z = match floors.get(index) {
            // Its bits are those of a number above 0.
            Some(&floor) if LOGS && floor.to_bits() as i32 > 0 => x.log_offset(input, floor, index),
            _ => x.offset(input, index),
        };
        let z = z.map_err(Error::Query)?;
        let magnitude = z.unsigned_abs();
        if magnitude > u32::from(input.limit) {
            room = 0;
        }
        // Once there is no room left, none comes back.
        room = room.saturating_sub(input.half_square(magnitude));
        *negated = (z as u32).wrapping_neg();
        sum = sum.wrapping_add(*negated);
    }
    let start = far.wrapping_sub(room).wrapping_sub(sum.wrapping_mul(BIAS));
    Ok((room > 0).then_some(start))
}

/// Sums over the points, modulo `2^32`.
pub(super) struct Sums<const P: usize> {
    /// `Σ k_i` in Q16.
    kernel: u32,
    /// `Σ (β_i + bias) k_i`.
    centre: u32,
    /// `Σ (α_ji + bias) k_i`; later the projections in Q29.
    projections: [u32; P],
}

impl<const P: usize> Sums<P> {
    pub(super) const fn new() -> Self {
        Self { kernel: 0, centre: 0, projections: [0; P] }
    }

    /// The projections, once a score was computed.
    pub(super) fn projections(&self) -> impl Iterator<Item = f32> {
        self.projections.iter().map(|&f| {
            let f = f as i32;
            let magnitude = to_float(f.unsigned_abs(), -(PROJECTION_BITS as i32));
            if f < 0 { -magnitude } else { magnitude }
        })
    }
}

impl<const D: usize, const R: usize, const P: usize> QuantisedModel<D, R, P> {
    /// Scores a raw reading. `sums` are empty; afterwards they hold the projections.
    #[inline(always)]
    pub(super) fn score<X: Raw, S: VectorScaling<[f32; D]>>(
        &self,
        x: &[X; D],
        scaling: &S,
        sums: &mut Sums<P>,
    ) -> Result<Score<f32>, Error> {
        Ok(self.whole_score(x, scaling, sums)?.to_floats(&self.header))
    }

    /// The same in whole numbers.
    #[inline(always)]
    pub(super) fn whole_score<X: Raw, S: VectorScaling<[f32; D]>>(
        &self,
        x: &[X; D],
        scaling: &S,
        sums: &mut Sums<P>,
    ) -> Result<WholeScore, Error> {
        let header = &self.header;
        let (points, components) = (header.points as usize, (header.components as usize).min(P));
        if points == 0 {
            return Err(Error::NotFitted);
        }
        let mut query = Query::new(header);
        let start = match S::LOGS {
            true => {
                let floors = scaling.floors();
                approach::<X, true>(x, &self.inputs, floors, header.far, &mut query.negated)?
            }
            false => approach::<X, false>(x, &self.inputs, &[], header.far, &mut query.negated)?,
        };
        if let Some(start) = start {
            query.start = start;
            let pairs = self.points.as_chunks().0;
            let pairs = pairs.get(..points.div_ceil(PAIR)).unwrap_or(pairs);
            accumulate(pairs, &query, components, sums);
        }
        let components = head(&self.components, components);
        Ok(finish(header, components, sums))
    }
}

/// Kernel values of two points.
///
/// Kept apart (`inline(never)`): the smallest cores have seven registers to compute with, and this
/// needs all of them.
#[inline(never)]
fn kernel_pair<const D: usize, const P: usize>(
    [a, b]: &[QuantisedPoint<D, P>; PAIR],
    query: &Query<D>,
) -> (u32, u32) {
    let mut h = a.half_length.wrapping_add(query.start);
    let mut g = b.half_length.wrapping_add(query.start);
    for ((&p, &q), &z) in a.coordinates.iter().zip(&b.coordinates).zip(&query.negated) {
        h = h.wrapping_add(u32::from(p).wrapping_mul(z));
        g = g.wrapping_add(u32::from(q).wrapping_mul(z));
    }
    let shift = query.distance_shift & 15;
    (power(h >> shift), power(g >> shift))
}

/// One pass over the points.
#[inline(never)]
fn accumulate<const D: usize, const P: usize>(
    pairs: &[[QuantisedPoint<D, P>; PAIR]],
    query: &Query<D>,
    components: usize,
    sums: &mut Sums<P>,
) {
    let groups = components.div_ceil(GROUP);
    for pair @ [a, b] in pairs {
        let (k, l) = kernel_pair(pair, query);
        sums.kernel = sums.kernel.wrapping_add(k).wrapping_add(l);
        add_weighted(&mut sums.centre, k, a.centre, l, b.centre);
        let (whole, rest) = sums.projections.as_chunks_mut::<GROUP>();
        let ((v, v_rest), (w, w_rest)) =
            (a.weights.as_chunks::<GROUP>(), b.weights.as_chunks::<GROUP>());
        for (sums, (v, w)) in whole.iter_mut().zip(v.iter().zip(w)).take(groups) {
            let ([s0, s1, s2, s3], [v0, v1, v2, v3], [w0, w1, w2, w3]) = (sums, v, w);
            add_weighted(s0, k, *v0, l, *w0);
            add_weighted(s1, k, *v1, l, *w1);
            add_weighted(s2, k, *v2, l, *w2);
            add_weighted(s3, k, *v3, l, *w3);
        }
        for (sum, (&v, &w)) in rest.iter_mut().zip(v_rest.iter().zip(w_rest)) {
            add_weighted(sum, k, v, l, w);
        }
    }
}

/// Adds the weighted kernel values of two points.
#[inline(always)]
fn add_weighted(sum: &mut u32, k: u32, v: u16, l: u32, w: u16) {
    let (first, second) = (k.wrapping_mul(u32::from(v)), l.wrapping_mul(u32::from(w)));
    *sum = sum.wrapping_add(first).wrapping_add(second);
}

/// Scores in whole numbers.
#[derive(Clone, Copy)]
pub(super) struct WholeScore {
    /// In Q28.
    pub(super) spe: u32,
    /// In units of `2^(variance_exponent − 28)`.
    t2: u64,
    /// In Q26.
    abs_sum: u32,
    /// In Q28.
    centre_distance: u32,
}

impl WholeScore {
    #[inline(always)]
    fn to_floats(self, header: &QuantisedHeader) -> Score<f32> {
        let square_exponent = -(SQUARE_BITS as i32);
        Score {
            spe: to_float(self.spe, square_exponent),
            t2: long_to_float(self.t2, square_exponent + i32::from(header.variance_exponent)),
            abs_sum: to_float(self.abs_sum, -(ABS_SUM_BITS as i32)),
            centre_distance: to_float(self.centre_distance, square_exponent),
        }
    }
}

/// Turns the sums into projections in Q29, in place, and these into scores.
#[inline(never)]
fn finish<const P: usize>(
    header: &QuantisedHeader,
    components: &[Component],
    sums: &mut Sums<P>,
) -> WholeScore {
    let bias = sums.kernel.wrapping_mul(BIAS);
    let (mut explained, mut abs_sum, mut t2) = (0_u32, 0_u32, 0_u64);
    for (sum, component) in sums.projections.iter_mut().zip(components) {
        let f = to_sum(*sum, bias, component.shift).wrapping_sub(component.offset);
        *sum = f as u32;
        let square = square(f);
        explained = explained.saturating_add(square);
        abs_sum = abs_sum.saturating_add(f.unsigned_abs() >> (PROJECTION_BITS - ABS_SUM_BITS));
        // 32 and 24 bits: there is room for 256 of them.
        let term = u64::from(square) * u64::from(component.inverse_variance);
        t2 = t2.wrapping_add(term);
    }
    // 2 Σ β_i k_i in Q28 is Σ β_i k_i in Q29.
    let twice = to_sum(sums.centre, bias, header.centre_shift);
    // Only rounding makes these negative.
    let centre_distance = (header.ceiling as i32).wrapping_sub(twice).max(0) as u32;
    let spe = centre_distance.saturating_sub(explained);
    WholeScore { spe, t2, abs_sum, centre_distance }
}

/// `f²` in Q28, off by less than 2 units, for `f` in Q29 and less than 4 in magnitude.
#[inline(always)]
fn square(f: i32) -> u32 {
    // f = high·2^15 + low with |low| ≤ 2^14: f² = high²·2^30 + 2·high·low·2^15 + low², of which the
    // last is below a unit.
    let high = f.wrapping_add(1 << 14) >> 15;
    let low = f.wrapping_sub(high << 15);
    (high.wrapping_mul(high)).wrapping_add(high.wrapping_mul(low) >> 14) as u32
}

/// `value·2^exponent`, for results that are normal numbers.
#[inline]
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
    let (leading, exponent) = match (value >> 32) as u32 {
        0 => (value as u32, exponent),
        // At least 16 bits remain.
        high if high >> 16 == 0 => ((value >> 16) as u32, exponent + 16),
        high => (high, exponent + 32),
    };
    to_float(leading, exponent)
}

/// `2^exponent`, for normal results.
pub(super) fn two_to(exponent: i32) -> f32 {
    f32::from_bits(((exponent + f32::MAX_EXP - 1) as u32) << (f32::MANTISSA_DIGITS - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_within_their_bound() {
        let mut state = 1_u32;
        for _ in 0..1_000_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // What is not clamped is within 2^−14 of 4.
            for f in [state as i32, state as i32 >> (state >> 27)] {
                let f = f.clamp(i32::MIN + (1 << 15), i32::MAX - (1 << 15));
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
            assert!(
                (f64::from(long_to_float(value, 0)) / exact.max(1e-9) - 1.0).abs() < 2e-5
                    || value == 0
            );
        }
    }
}
