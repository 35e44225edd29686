//! A raw reading as whole numbers: the bits of an `f32` are taken apart, no floating-point operation is needed.

use crate::error::Fault;

/// How one input becomes a whole number `z = x·2^q − mean`, and what this adds to the squared length of a reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Input {
    /// The mean in units of `2^−q`; less than [`LARGEST`] in magnitude.
    pub mean: i32,
    /// `q`: how many bits of the input count after the binary point; negative for inputs in large units.
    pub bits: i16,
    /// A `z` beyond this is far from all points, whatever the other inputs are.
    pub limit: u16,
    /// The weight of `z²` in half a squared distance is `weight·2^(up − 16 − down)`.
    pub weight: u16,
    /// See [`weight`](Self::weight); at most 2.
    pub up: u8,
    /// See [`weight`](Self::weight); at most 15.
    pub down: u8,
}

/// Inputs beyond this number of units count as this number.
pub(super) const LARGEST: i32 = 1 << 30;
/// By less than this is [`Input::half_square`] too small: a floor that is shifted by at most 2, and another.
pub(super) const FLOORS: u32 = 5;

/// Mantissa bits of an `f32`, with the one that is not stored.
const MANTISSA_BITS: u32 = f32::MANTISSA_DIGITS;
/// The exponent field of a number whose last mantissa bit is worth 1.
const WHOLE: i32 = f32::MAX_EXP + MANTISSA_BITS as i32 - 2;
/// The exponent field of infinities and NaN.
const NOT_FINITE: u32 = 0xff;

impl Input {
    /// All zeros: nothing learned.
    pub const EMPTY: Self = Self { mean: 0, bits: 0, limit: 0, weight: 0, up: 0, down: 0 };

    /// `x` in units of `2^−q` from the mean. At most `2^31 − 1` in magnitude: both numbers are below [`LARGEST`] or equal to it.
    #[inline(always)]
    pub(super) fn offset(&self, x: f32) -> Option<i32> {
        Some(to_fixed(x, self.bits.into())?.wrapping_sub(self.mean))
    }

    /// As [`offset`](Self::offset), from a whole number.
    #[inline(always)]
    pub(super) fn offset_of_count(&self, x: i16) -> i32 {
        let bits = i32::from(self.bits);
        let fixed = if bits >= 0 {
            let bits = bits.min(30);
            let most = LARGEST >> bits;
            i32::from(x).clamp(-most, most) << bits
        } else {
            i32::from(x) >> (-bits).min(31)
        };
        fixed.wrapping_sub(self.mean)
    }

    /// What `z` adds to half the squared length of a reading; below `2^32` for `z` up to [`limit`](Self::limit).
    #[inline(always)]
    pub(super) fn half_square(&self, z: u32) -> u32 {
        let (square, weight) = (z.wrapping_mul(z), u32::from(self.weight));
        // A 32 × 16 bit product in two parts, for cores that multiply 32 bits to 32.
        let product = (square >> 16) * weight + (((square & 0xffff) * weight) >> 16);
        (product << (self.up & 15)) >> (self.down & 15)
    }
}

/// `x·2^bits`, rounded to the nearest and at most [`LARGEST`] in magnitude; none if `x` is not finite.
#[inline(always)]
pub(super) fn to_fixed(x: f32, bits: i32) -> Option<i32> {
    let pattern = x.to_bits();
    let exponent = (pattern << 1) >> MANTISSA_BITS;
    if exponent == NOT_FINITE {
        return None;
    }
    // For numbers below the normal ones the leading bit is wrong; in the units that are allowed they are 0 all the same.
    let mantissa = (pattern << 8 | 1 << 31) >> 8;
    let shift = exponent as i32 - WHOLE + bits;
    let magnitude = if shift > 6 {
        LARGEST
    } else if shift >= 0 {
        (mantissa << shift) as i32
    } else if shift > -(MANTISSA_BITS as i32) - 2 {
        // With one more bit, to round by.
        (((mantissa << 1) >> -shift) + 1) as i32 >> 1
    } else {
        0
    };
    Some(if pattern >> 31 == 0 { magnitude } else { -magnitude })
}

/// A raw reading of some type, one input at a time.
pub(super) trait Raw: Copy {
    /// Distance from the mean in units of the input.
    fn offset(self, input: &Input, index: usize) -> Result<i32, Fault>;
}

impl Raw for f32 {
    #[inline(always)]
    fn offset(self, input: &Input, index: usize) -> Result<i32, Fault> {
        input.offset(self).ok_or(Fault::NotFinite { input: index })
    }
}

impl Raw for i16 {
    #[inline(always)]
    fn offset(self, input: &Input, _: usize) -> Result<i32, Fault> {
        Ok(input.offset_of_count(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_become_whole_numbers() {
        let values = [0.0_f32, 1.0, -1.5, 0.3, 1e-3, 12345.678, 3.3e8, -7e-9, 1e-42, f32::MAX, f32::MIN_POSITIVE];
        for x in values {
            for bits in -40..60 {
                let exact = f64::from(x) * libm::exp2(bits.into());
                let expected = libm::round(exact).clamp(-f64::from(LARGEST), LARGEST.into());
                let found = f64::from(to_fixed(x, bits).unwrap());
                let near = (found - exact).abs() <= 0.5;
                let large = exact.abs() >= f64::from(LARGEST) - 0.5 && found == expected.signum() * f64::from(LARGEST);
                assert!(near || large, "{x:e}·2^{bits} = {exact}, found {found}");
            }
        }
        for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert_eq!(to_fixed(x, 0), None);
        }
    }

    #[test]
    fn squares_are_exact_but_for_their_floor() {
        for (weight, up, down) in
            [(0x8000, 0, 0), (0xffff, 0, 0), (0xffff, 2, 0), (0xabcd, 1, 0), (0x8001, 0, 15)]
        {
            let input = Input { mean: 0, bits: 0, limit: 0, weight, up, down };
            for z in [0, 1, 2, 77, 1000, 0x7fff, 0x8000, 0xffff_u32 >> up] {
                let scale = libm::exp2(f64::from(up) - f64::from(down) - 16.0);
                let exact = f64::from(z) * f64::from(z) * f64::from(weight) * scale;
                let found = f64::from(input.half_square(z));
                assert!(found <= exact && exact < found + f64::from(FLOORS), "{z}: {found} {exact}");
            }
        }
    }
}
