//! A raw reading as whole numbers: the bits of an `f32` are taken apart, no floating-point
//! operation is needed.

use super::logarithm::{LOG_BITS, log2};
use crate::error::Fault;

/// How one input becomes a whole number `z = x·2^q − mean`, and what this adds to the squared
/// length of a reading. Of a logarithmic input, `x` is the logarithm to base 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Input {
    /// The mean in units of `2^−q`; less than `2^30` in magnitude.
    pub mean: i32,
    /// `q`: how many bits of the input count after the binary point; negative for inputs in large
    /// units.
    pub bits: i32,
    /// A `z` beyond this is far from all points, whatever the other inputs are.
    pub limit: u16,
    /// The weight of `z²` in half a squared distance, in Q14.
    pub weight: u16,
}

/// Inputs beyond this number of units count as this number.
pub(super) const LARGEST: i32 = 1 << 30;
/// Fractional bits of [`Input::weight`].
pub(super) const SQUARE_WEIGHT_BITS: u32 = 14;

/// Mantissa bits of an `f32` without the one that is not stored.
const MANTISSA_BITS: u32 = f32::MANTISSA_DIGITS - 1;
/// The exponent field of infinities and NaN.
const NOT_FINITE: u32 = 0xff;
/// The exponent field of numbers from `2^30` to `2^31`.
const TOO_LARGE: i32 = f32::MAX_EXP - 1 + 30;

impl Input {
    /// All zeros: nothing learned.
    pub const EMPTY: Self = Self { mean: 0, bits: 0, limit: 0, weight: 0 };

    /// `x` in units of `2^−q` from the mean. At most `2^31 − 1` in magnitude: both numbers are
    /// below [`LARGEST`] or equal to it.
    #[inline(always)]
    pub(super) fn offset(&self, x: f32) -> Option<i32> {
        Some(to_fixed(x, self.bits)?.wrapping_sub(self.mean))
    }

    /// As [`offset`](Self::offset), from a whole number.
    #[inline(always)]
    pub(super) fn offset_of_count(&self, x: i16) -> i32 {
        let magnitude = u32::from(x.unsigned_abs());
        let fixed = if self.bits >= 0 {
            let bits = self.bits.min(30);
            magnitude.min(LARGEST as u32 >> bits) << bits
        } else {
            // With one more bit, to round by.
            (((magnitude << 1) >> self.bits.saturating_neg().min(31)) + 1) >> 1
        } as i32;
        (if x < 0 { -fixed } else { fixed }).wrapping_sub(self.mean)
    }

    /// As [`offset`](Self::offset), from the logarithm of an input or of its floor.
    ///
    /// As signed numbers, the bits of floats above 0 are in their order, and those of others below
    /// all of them.
    #[inline(always)]
    pub(super) fn log_offset(&self, x: f32, floor: f32) -> Option<i32> {
        let pattern = x.to_bits();
        if (pattern >> MANTISSA_BITS) & NOT_FINITE == NOT_FINITE {
            return None;
        }
        let log = log2((pattern as i32).max(floor.to_bits() as i32) as u32);
        // With one more bit, to round by.
        let excess = (LOG_BITS as i32).wrapping_sub(self.bits) & 31;
        Some((((log >> (excess - 1)) + 1) >> 1).wrapping_sub(self.mean))
    }

    /// What `z` adds to half the squared length of a reading, rounded down; below `2^32` for `z` up
    /// to [`limit`](Self::limit).
    #[inline(always)]
    pub(super) fn half_square(&self, z: u32) -> u32 {
        let (square, weight) = (z.wrapping_mul(z), u32::from(self.weight));
        // A 32 × 16 bit product in two parts, for cores that multiply 32 bits to 32.
        let high = (square >> 16).wrapping_mul(weight) << (16 - SQUARE_WEIGHT_BITS);
        high.wrapping_add((square & 0xffff).wrapping_mul(weight) >> SQUARE_WEIGHT_BITS)
    }
}

/// `x·2^bits`, rounded to the nearest and at most [`LARGEST`] in magnitude; none if `x` is not
/// finite.
///
/// With units in which the smallest normal number is less than half of one; below those the leading
/// bit of the mantissa would be wrong.
#[inline(always)]
pub(super) const fn to_fixed(x: f32, bits: i32) -> Option<i32> {
    let pattern = x.to_bits();
    let exponent = (pattern >> MANTISSA_BITS) & NOT_FINITE;
    if exponent == NOT_FINITE {
        return None;
    }
    // The leading bit is bit 31 here and bit 29 in the largest result, before which there is a bit
    // to round by.
    let mantissa = (pattern << (31 - MANTISSA_BITS)) | 1 << 31;
    let excess = TOO_LARGE.wrapping_sub(bits).wrapping_sub(exponent as i32);
    let magnitude = match excess {
        1..32 => (((mantissa >> excess) + 1) >> 1) as i32,
        ..1 => LARGEST,
        _ => 0,
    };
    // −m is !m + 1.
    let sign = pattern as i32 >> 31;
    Some((magnitude ^ sign).wrapping_sub(sign))
}

/// A raw reading of some type, one input at a time.
pub(super) trait Raw: Copy {
    /// Distance from the mean in units of the input.
    fn offset(self, input: &Input, index: usize) -> Result<i32, Fault>;

    /// The same of a logarithmic input.
    fn log_offset(self, input: &Input, floor: f32, index: usize) -> Result<i32, Fault>;
}

impl Raw for f32 {
    #[inline(always)]
    fn offset(self, input: &Input, index: usize) -> Result<i32, Fault> {
        input.offset(self).ok_or(Fault::NotFinite { input: index })
    }

    #[inline(always)]
    fn log_offset(self, input: &Input, floor: f32, index: usize) -> Result<i32, Fault> {
        input.log_offset(self, floor).ok_or(Fault::NotFinite { input: index })
    }
}

impl Raw for i16 {
    #[inline(always)]
    fn offset(self, input: &Input, _: usize) -> Result<i32, Fault> {
        Ok(input.offset_of_count(self))
    }

    #[inline(always)]
    fn log_offset(self, input: &Input, floor: f32, index: usize) -> Result<i32, Fault> {
        f32::from(self).log_offset(input, floor, index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_become_whole_numbers() {
        let values = [
            0.0_f32,
            1.0,
            -1.5,
            0.3,
            1e-3,
            12345.678,
            3.3e8,
            -7e-9,
            1e-42,
            f32::MAX,
            f32::MIN_POSITIVE,
        ];
        for x in values {
            for bits in -40..60 {
                let exact = f64::from(x) * libm::exp2(bits.into());
                let expected = libm::round(exact).clamp(-f64::from(LARGEST), LARGEST.into());
                let found = f64::from(to_fixed(x, bits).unwrap());
                let near = (found - exact).abs() <= 0.5;
                let large = exact.abs() >= f64::from(LARGEST) - 0.5
                    && found == expected.signum() * f64::from(LARGEST);
                assert!(near || large, "{x:e}·2^{bits} = {exact}, found {found}");
            }
        }
        for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert_eq!(to_fixed(x, 0), None);
        }
    }

    #[test]
    fn squares_are_exact_but_for_their_floor() {
        for weight in [1, 0x1234, 0x8001, 0xffff] {
            let input = Input { weight, ..Input::EMPTY };
            for z in [0, 1, 2, 77, 1000, 0x5678, 0x7fff] {
                let exact = f64::from(z) * f64::from(z) * f64::from(weight)
                    / f64::from(1 << SQUARE_WEIGHT_BITS);
                assert_eq!(f64::from(input.half_square(z)), exact.floor(), "{z}, {weight}");
            }
        }
    }
}
