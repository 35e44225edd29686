//! `exp` of numbers up to 0, for `f32`: one by a polynomial, and in rows by a table.
//!
//! In rows, the exponent is counted in steps of `1/64` of a doubling, `t = n + f` with a whole `n` and `|f| ≤ ½` (table method of Tang, ACM TOMS
//! 15, 1989). `2^(n/64)` is a table entry whose exponent bits are moved by `n`; `2^(f/64)` is a parabola. A parabola `c((f + a)² + b)` takes one
//! multiplication less than one with three free coefficients, and `a = 92` is added for nothing while `f` is taken off `t`: the best with this `a` is
//! off by 2.8e-8 (the best of all, with `a = 92.3`, by 7e-9).
//!
//! Tests hold both forms to the errors stated at [`Fast`].

use super::{Fast, Math};

/// Steps to a doubling; the table has as many entries.
const STEPS: usize = 64;

/// One step, as an exponent of e.
const STEP: f32 = (core::f64::consts::LN_2 / STEPS as f64) as f32;

/// Adding this rounds `t` to whole steps: from 2²³ to 2²⁴ floats are whole numbers.
///
/// Just below 2²⁴, so that the low bits hold `n − 128`, and as far below as leaves `TOP + SHIFT` a
/// whole number too.
const TOP: f32 = 16_777_216.0 - 128.0;

/// The parabola `SCALE·((f + SHIFT)² + CONSTANT)`, fitted for the least relative error on `[−½, ½]`.
const SHIFT: f32 = 92.0;
const CONSTANT: f32 = 8_525.093;
const SCALE: f64 = 5.886_129_341_818_333e-5;

/// `SCALE · 2^(n/64)` for `n − 128 = 0…63`, as bits, less what moving `n − 128` to the exponent adds to them.
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
/// From steps to the exponent bits of a float: 64 steps are one exponent.
const TO_EXPONENT: u32 = 17;

/// `eˣ` for `0 ≤ x < 1`, where the compiler has no `exp`.
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
    let entry = TABLE.get(bits as usize % STEPS).copied().unwrap_or_default();
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
        // Less than a step: three terms of the series of e^x are enough.
        let x = (shared - start) * STEP;
        (start, 1.0 + (x + x * x * (0.5 + x * (1.0 / 6.0))))
    }

    #[inline]
    fn exp(self, x: f32) -> f32 {
        // `ln 2` in two parts: a whole number up to 126 times the first, which has 15 bits, is exact (Cody & Waite 1980).
        const LN_2_HIGH: f32 = 0.693_145_75;
        const LN_2_LOW: f32 = 1.428_606_8e-6;
        // 2²³ + 2²²: adding it rounds numbers of either sign.
        const ROUNDER: f32 = 12_582_912.0;
        // Outside, results are not normal numbers, or not of a kernel.
        if !(-87.0..=0.0).contains(&x) {
            return libm::expf(x);
        }
        let rounded = x * core::f32::consts::LOG2_E + ROUNDER;
        let n = rounded - ROUNDER;
        let r = (x - n * LN_2_HIGH) - n * LN_2_LOW;
        // 1 + r + r²q(r) with the q of least error, 3e-9, for |r| ≤ ln 2/2; exactly 1 for 0, as a kernel of equal points must be.
        let q = 0.001_381_459_8;
        let q = q * r + 0.008_368_717;
        let q = q * r + 0.041_668_39;
        let q = q * r + 0.166_665_21;
        let q = q * r + 0.499_999_93;
        let power = 1.0 + (r + r * r * q);
        // Moves the exponent by n, which is in the low bits of the rounded number.
        f32::from_bits(power.to_bits().wrapping_add(rounded.to_bits() << 23))
    }

    fn tanh(self, x: f32) -> f32 {
        libm::tanhf(x)
    }
}

/// Rows in double precision, which are for the host.
mod double {
    use super::{STEPS, exp_series};

    /// 2⁵² + 2⁵¹: adding it rounds numbers of either sign to whole steps.
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    /// Below this, in steps, results are not normal numbers.
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

    /// A number of steps rounded to a whole one: as bits, in the lowest of them, and as a number.
    #[inline(always)]
    pub(super) fn round(t: f64) -> (u64, f64) {
        let rounded = t + ROUNDER;
        (rounded.to_bits(), rounded - ROUNDER)
    }

    /// `2^(n/64)·e^x` for the bits of a rounded `n` and `|x| ≤ ln 2/128`; six terms of the series are off by 4e-17.
    #[inline(always)]
    pub(super) fn power(bits: u64, x: f64) -> f64 {
        let entry = TABLE.get(bits as usize % STEPS).copied().unwrap_or_default();
        let tail = x * x * (0.5 + x * (1.0 / 6.0 + x * (1.0 / 24.0 + x * (1.0 / 120.0))));
        // The sixth and higher bits are the exponent, of which there are eleven bits.
        let power = f64::from_bits(entry.to_bits().wrapping_add((bits >> 6) << 52));
        power + power * (x + tail)
    }
}

impl Math<f64> for Fast {
    // Its form in steps has neither branches nor calls, so that the compiler can compute several at once.
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
