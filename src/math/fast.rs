//! `exp` of numbers up to 0: one value by a polynomial (`f32`), and rows of values by a table.
//!
//! **Method.** For one value, `x = n ln 2 + r` with a whole `n` and `|r| ≤ ½ ln 2`; `e^r` is a
//! polynomial, and `n` is added to the exponent bits. For rows, the exponent is counted in steps of
//! `1/64` of a doubling, `t = n + f` with a whole `n` and `|f| ≤ ½`: `2^(n/64)` is a table entry
//! whose exponent bits are moved by `n`, and `2^(f/64)` is a parabola in `f32` and a series in
//! `f64`. The parabola `c((f + a)² + b)` takes one multiplication less than one with three free
//! coefficients. Its shift `a = 92` costs nothing, because `f + a` comes from the same subtraction
//! as `f`.
//!
//! **Source.** Range reduction: Cody & Waite, *Software Manual for the Elementary Functions*, 1980.
//! Table: Tang, ACM TOMS 15, 1989. The coefficients were fitted here for the least relative error.
//!
//! **Domain.** Exponents up to 0, or barely above it by rounding. In rows of `f32`, values below
//! `2⁻⁶²` stay at about that; [`Fast`]'s `exp` hands arguments outside `[−87, 0]` to libm.
//!
//! **Bound.** Those stated at [`Fast`], to which the tests hold. The parabola's share is 2.8e-8,
//! the best for `a = 92`; the best of all, `a = 92.3`, would have 7e-9.

use super::{Fast, Math};

/// Steps per doubling; the table has as many entries.
const STEPS: usize = 64;

/// One step, as an exponent of e.
const STEP: f32 = (core::f64::consts::LN_2 / STEPS as f64) as f32;

/// Adding this rounds `t` to whole steps: from 2²³ to 2²⁴, floats are whole numbers.
///
/// It lies just below 2²⁴, so that the low bits hold `n − 128`, and far enough below for
/// `TOP + SHIFT` to be representable as well.
const TOP: f32 = 16_777_216.0 - 128.0;

/// The parabola `SCALE·((f + SHIFT)² + CONSTANT)`, fitted for the least relative error on
/// `[−½, ½]`.
const SHIFT: f32 = 92.0;
const CONSTANT: f32 = 8_525.093;
const SCALE: f64 = 5.886_129_341_818_333e-5;

/// The bits of `SCALE · 2^(n/64)` for `n − 128 = 0…63`, less what moving `n − 128` to the exponent
/// adds.
const TABLE: [u32; STEPS] = {
    let mut table = [0; STEPS];
    let mut j = 0;
    while j < STEPS {
        let exact = 4.0 * SCALE * exp_series(j as f64 * core::f64::consts::LN_2 / STEPS as f64);
        table[j] = (exact as f32).to_bits().wrapping_sub((j as u32) << TO_EXPONENT);
        j += 1;
    }
    table
};
/// Shift from steps to the exponent bits of a float: 64 steps are one exponent.
const TO_EXPONENT: u32 = 17;

/// `eˣ` for `0 ≤ x < 1`, in constants, where there is no `exp`; 20 terms of the series.
const fn exp_series(x: f64) -> f64 {
    let (mut sum, mut term, mut k) = (1.0, 1.0, 1.0);
    while k < 20.0 {
        term *= x / k;
        sum += term;
        k += 1.0;
    }
    sum
}

/// `SCALE · 2^(n/64)` from the bits of `n + TOP`, for `n` from −7168 to 128.
#[inline(always)]
fn power(rounded: f32) -> f32 {
    let bits = rounded.to_bits();
    let entry = TABLE[bits as usize % STEPS];
    f32::from_bits(entry.wrapping_add(bits << TO_EXPONENT))
}

impl Math<f32> for Fast {
    const STEPS: f64 = STEPS as f64 * core::f64::consts::LOG2_E;

    #[inline(always)]
    fn exp_steps(self, t: f32, start: f32) -> f32 {
        let top = TOP + start;
        let rounded = t + top;
        let u = t - (rounded - (top + SHIFT));
        power(rounded) * (u * u + CONSTANT)
    }

    #[inline(always)]
    fn split(self, shared: f32) -> (f32, f32) {
        let start = (shared as i32) as f32;
        // Less than a step, for which three terms of the series of e^x are enough.
        let x = (shared - start) * STEP;
        (start, 1.0 + (x + x * x * (0.5 + x * (1.0 / 6.0))))
    }

    #[inline]
    fn exp(self, x: f32) -> f32 {
        // ln 2 in two parts. The first has 15 bits, so that its product with a whole number up to
        // 126 is exact.
        const LN_2_HIGH: f32 = 0.693_145_75;
        const LN_2_LOW: f32 = 1.428_606_8e-6;
        // 2²³ + 2²²: adding it rounds numbers of either sign.
        const ROUNDER: f32 = 12_582_912.0;
        // Below −87 results are subnormal; above 0 they do not come from a kernel of this kind.
        if !(-87.0..=0.0).contains(&x) {
            return libm::expf(x);
        }
        let rounded = x * core::f32::consts::LOG2_E + ROUNDER;
        let n = rounded - ROUNDER;
        let r = (x - n * LN_2_HIGH) - n * LN_2_LOW;
        // 1 + r + r²q(r) with the q of least error, 3e-9, for |r| ≤ ln 2/2. It is exactly 1 at 0,
        // as the kernel of equal points must be.
        let q = 0.001_381_459_8;
        let q = q * r + 0.008_368_717;
        let q = q * r + 0.041_668_39;
        let q = q * r + 0.166_665_21;
        let q = q * r + 0.499_999_93;
        let power = 1.0 + (r + r * r * q);
        // Moves the exponent by n, which the low bits of the rounded number hold.
        f32::from_bits(power.to_bits().wrapping_add(rounded.to_bits() << 23))
    }

    fn tanh(self, x: f32) -> f32 {
        libm::tanhf(x)
    }
}

/// Rows in double precision, for hosts.
mod double {
    use super::{STEPS, exp_series};

    /// 2⁵² + 2⁵¹: adding it rounds numbers of either sign to whole steps.
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    /// Below this, in steps, results would be subnormal.
    pub(super) const LEAST: f64 = -1_020.0 * STEPS as f64;
    /// `2^(j/64)`.
    const TABLE: [f64; STEPS] = {
        let mut table = [0.0; STEPS];
        let mut j = 0;
        while j < STEPS {
            table[j] = exp_series(j as f64 * core::f64::consts::LN_2 / STEPS as f64);
            j += 1;
        }
        table
    };

    /// A number of steps rounded to a whole one: in the low bits, and as a number.
    #[inline(always)]
    pub(super) fn round(t: f64) -> (u64, f64) {
        let rounded = t + ROUNDER;
        (rounded.to_bits(), rounded - ROUNDER)
    }

    /// `2^(n/64)·e^x` from the bits of a rounded `n` and `|x| ≤ ln 2/128`, where six terms of the
    /// series are off by 4e-17.
    #[inline(always)]
    pub(super) fn power(bits: u64, x: f64) -> f64 {
        let entry = TABLE[bits as usize % STEPS];
        let tail = x * x * (0.5 + x * (1.0 / 6.0 + x * (1.0 / 24.0 + x * (1.0 / 120.0))));
        // From bit 6 on, n holds the exponent, which has eleven bits.
        let power = f64::from_bits(entry.to_bits().wrapping_add((bits >> 6) << 52));
        power + power * (x + tail)
    }
}

impl Math<f64> for Fast {
    // The form in steps has neither branches nor calls, so that the compiler can vectorise it.
    const VECTORS: bool = true;
    const STEPS: f64 = STEPS as f64 * core::f64::consts::LOG2_E;

    #[inline(always)]
    fn exp_steps(self, t: f64, start: f64) -> f64 {
        let sum = t + start;
        let t = if sum > double::LEAST { sum } else { double::LEAST };
        let (bits, n) = double::round(t);
        double::power(bits, (t - n) * (core::f64::consts::LN_2 / STEPS as f64))
    }

    fn exp(self, x: f64) -> f64 {
        libm::exp(x)
    }

    fn tanh(self, x: f64) -> f64 {
        libm::tanh(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relative(value: f32, x: f64) -> f64 {
        (f64::from(value) / libm::exp(x) - 1.0).abs()
    }

    #[test]
    fn exp_is_as_exact_as_promised() {
        let mut worst: f64 = 0.0;
        for i in 0..=1_000_000 {
            let x = -(i as f32) * 9e-5;
            let error = relative(Fast.exp(x), f64::from(x));
            // Denormals have fewer bits.
            assert!(error <= 8e-8 || x < -87.0, "exp({x}) is off by {error:e}");
            worst = worst.max(if x < -87.0 { 0.0 } else { error });
        }
        assert!(worst > 7e-8, "{worst:e}: the promise can be better");
        assert_eq!(Fast.exp(0.0), 1.0);
        assert_eq!(Fast.exp(-1e4), 0.0);
        assert_eq!(Fast.exp(1.0), libm::expf(1.0));
    }

    #[test]
    fn steps_are_as_exact_as_promised() {
        let steps = <Fast as Math<f32>>::STEPS;
        for i in 0..=716_000 {
            let t = -(i as f32) * 0.01;
            let x = f64::from(t) / steps;
            let error = relative(Fast.exp_steps(t, 0.0), x);
            assert!(error <= 2.1e-7, "exp({x}) is off by {error:e}");
            let (start, factor) = Fast.split(t);
            let error = relative(factor * Fast.exp_steps(0.0, start), x);
            assert!(error <= 3.2e-7, "exp({x}) in two parts is off by {error:e}");
        }
    }

    #[test]
    fn double_precision_is_as_exact_as_promised() {
        let mut worst = 0.0_f64;
        for i in 0..=700_000 {
            let x = -f64::from(i) * 1e-3;
            let steps = Fast.exp_steps(x * <Fast as Math<f64>>::STEPS, 0.0);
            let error = (steps / libm::exp(x) - 1.0).abs();
            worst = worst.max(error / (5e-16 - 2e-16 * x));
        }
        assert!((0.5..=1.0).contains(&worst), "{worst} of what is promised");
        assert!(Fast.exp_steps(-1e9_f64, 0.0) < 1e-300);
    }

    #[test]
    fn a_sum_that_rounding_lifts_above_zero_is_no_accident() {
        let exact = libm::expf(1.5 / <Fast as Math<f32>>::STEPS as f32);
        assert!((Fast.exp_steps(1.5_f32, 0.0) - exact).abs() < 2e-7);
    }
}
