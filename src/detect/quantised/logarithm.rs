//! The logarithm to base 2 in integers, from the bits of an `f32`.
//!
//! **Method.** `x = 2^e·m` with `1 ≤ m < 2`. A table has, for each 32nd of that range, a `c` near
//! `1/m` and its logarithm: `log2 m = log2(m c) − log2 c`. What is left, `m c = 1 + r`, is within
//! 1/64 of 1, and three terms of its series are enough.
//!
//! **Source.** Table and series: Tang, ACM TOMS 16, 1990; here with whole numbers.
//!
//! **Domain.** Normal numbers above 0.
//!
//! **Bound.** Off by less than 1e-7, to which the test holds it.

/// Fractional bits of a logarithm; it is less than 128 in magnitude.
pub(super) const LOG_BITS: u32 = 24;
/// Entries of the table, and bits of their number.
const STEPS: usize = 1 << STEP_BITS;
const STEP_BITS: u32 = 5;
/// Mantissa bits of an `f32` without the one that is not stored.
const MANTISSA_BITS: u32 = f32::MANTISSA_DIGITS - 1;
/// Fractional bits of `c`.
const INVERSE_BITS: u32 = 14;
/// Fractional bits of `r`, as the product of `m` and `c` has them. It is less than 2^31 in
/// magnitude.
const REST_BITS: u32 = MANTISSA_BITS + INVERSE_BITS;
/// Fractional bits of `r` where fewer of it are enough, and of the coefficients of its powers.
const SHORT_BITS: u32 = REST_BITS - 16;
const SQUARE_BITS: u32 = 15;
const LINEAR_BITS: u32 = 22;

#[derive(Clone, Copy)]
struct Step {
    /// `c`.
    inverse: u32,
    /// `−log2 c`.
    log: i32,
}

const TABLE: [Step; STEPS] = {
    let mut table = [Step { inverse: 0, log: 0 }; STEPS];
    let mut i = 0;
    while i < STEPS {
        let middle = 1.0 + (i as f64 + 0.5) / STEPS as f64;
        let inverse = ((1 << INVERSE_BITS) as f64 / middle + 0.5) as u32;
        let log = log2_series((1 << INVERSE_BITS) as f64 / inverse as f64);
        table[i] = Step { inverse, log: (log * (1 << LOG_BITS) as f64 + 0.5) as i32 };
        i += 1;
    }
    table
};

/// `log2 y` for `1 ≤ y ≤ 2`, in constants, where there is no `ln`: 20 terms of the series of `2
/// artanh((y − 1)/(y + 1))`.
const fn log2_series(y: f64) -> f64 {
    let z = (y - 1.0) / (y + 1.0);
    let (mut sum, mut power, mut k) = (0.0, z, 1.0);
    while k < 40.0 {
        sum += power / k;
        power *= z * z;
        k += 2.0;
    }
    2.0 * core::f64::consts::LOG2_E * sum
}

/// A coefficient of the series, `±log2(e)/k`.
const fn coefficient(k: f64, bits: u32) -> i32 {
    (core::f64::consts::LOG2_E / k * (1 << bits) as f64) as i32
}

/// `log2` of the normal number above 0 that has these bits, in Q24.
pub(super) fn log2(pattern: u32) -> i32 {
    let exponent = (pattern >> MANTISSA_BITS) as i32 + 1 - f32::MAX_EXP;
    let mantissa = (pattern & ((1 << MANTISSA_BITS) - 1)) | 1 << MANTISSA_BITS;
    let step = TABLE[(pattern >> (MANTISSA_BITS - STEP_BITS)) as usize % STEPS];
    // Modulo 2^32, of which the 1 in Q37 is a multiple.
    let rest = mantissa.wrapping_mul(step.inverse) as i32;
    let short = rest >> (REST_BITS - SHORT_BITS);
    let cubic = (coefficient(3.0, SQUARE_BITS).wrapping_mul(short)) >> SHORT_BITS;
    let square = cubic.wrapping_sub(coefficient(2.0, SQUARE_BITS));
    let linear = (square.wrapping_mul(short)) >> (SQUARE_BITS + SHORT_BITS - LINEAR_BITS);
    let linear = linear.wrapping_add(coefficient(1.0, LINEAR_BITS));
    let product = i64::from(rest) * i64::from(linear);
    let near = (product >> (REST_BITS + LINEAR_BITS - LOG_BITS)) as i32;
    (exponent << LOG_BITS).wrapping_add(step.log).wrapping_add(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_holds() {
        let mut worst = 0.0_f64;
        let mut check = |x: f32| {
            let found = f64::from(log2(x.to_bits())) / f64::from(1 << LOG_BITS);
            worst = worst.max((found - libm::log2(x.into())).abs());
        };
        // Each 7th mantissa, and all exponents.
        (0..1 << MANTISSA_BITS).step_by(7).for_each(|m| check(f32::from_bits(0x3f80_0000 | m)));
        (1..=254).for_each(|e| check(f32::from_bits(e << MANTISSA_BITS | 0x0012_3456)));
        for x in [f32::MIN_POSITIVE, f32::MAX, 1.0, 2.0_f32.next_down(), 1.0_f32.next_up()] {
            check(x);
        }
        assert!(worst < 1e-7, "{worst:e}");
        assert!(worst > 5e-8, "{worst:e}: the promise can be better");
    }
}
