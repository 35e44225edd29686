//! `exp` of numbers up to 0: one value by a polynomial (`f32`), and rows of values by a table.
//!
//! **Method.** For one value, `x = n ln 2 + r` with a whole `n` and `|r| ≤ ½ ln 2`; `e^r` is a
//! polynomial, and `n` is added to the exponent bits. For rows, the exponent is counted in steps of
//! `1/64` of a doubling, `t = n + f` with a whole `n` and `|f| ≤ ½`: `2^(n/64)` is a table entry
//! whose exponent bits are moved by `n`, and `2^(f/64)` is a parabola in `f32` and a series in
//! `f64`. The parabola `c((f + a)² + b)` takes one multiplication less than one with three free
//! coefficients. Its shift `a = 92` costs nothing, because `f + a` comes from the same subtraction
//! as `f`. Nor does the whole part of what the exponents of a row share: it is in the number that
//! rounds them, while the rest, at most half a step, is a factor of the row.
//!
//! **Source.** Range reduction: Cody & Waite, *Software Manual for the Elementary Functions*, 1980.
//! Table: Tang, ACM TOMS 15, 1989. The coefficients were fitted here for the least relative error.
//!
//! **Domain.** Exponents up to 0, or barely above it by rounding; in rows of `f32`, from −77 up,
//! where results are normal numbers. [`Fast`]'s `exp` of one value hands arguments outside
//! `[−87, 0]` to libm.
//!
//! **Bound.** Those stated at [`Fast`], to which the tests hold. The parabola's share is 2.8e-8,
//! the best for `a = 92`; the best of all, `a = 92.3`, would have 7e-9. The factor is off by 7e-8.

use super::{Fast, Math};

/// Steps per doubling; the table has as many entries.
const STEPS: usize = 64;

/// 2²³ + 2²²: adding it, or a whole number near it, rounds numbers of either sign to whole steps,
/// which the low bits then hold.
const ROUNDER: f32 = 12_582_912.0;

/// The parabola `SCALE·((f + SHIFT)² + CONSTANT)`, fitted for the least relative error on
/// `[−½, ½]`.
const SHIFT: f32 = 92.0;
const CONSTANT: f32 = 8_525.093;
const SCALE: f64 = 5.886_129_341_818_333e-5;

/// `2^(f/64) ≈ 1 + LINEAR·f + SQUARE·f²`, fitted likewise; off by 7e-9, and exact at 0.
const LINEAR: f32 = 0.010_830_465;
const SQUARE: f32 = 5.864_934_4e-5;

/// The bits of `SCALE · 2^(n/64)` for `n = 0…63`, less what moving `n` to the exponent adds.
const TABLE: [u32; STEPS] = {
    let mut table = [0; STEPS];
    let mut j = 0;
    while j < STEPS {
        let exact = SCALE * exp_series(j as f64 * core::f64::consts::LN_2 / STEPS as f64);
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

/// `SCALE · 2^(n/64)` from the bits of `n + ROUNDER`, for `n` from −7168 up.
#[inline(always)]
fn power(rounded: f32) -> f32 {
    let bits = rounded.to_bits();
    let entry = TABLE[bits as usize % STEPS];
    f32::from_bits(entry.wrapping_add(bits << TO_EXPONENT))
}

impl Math<f32> for Fast {
    const STEPS: f64 = STEPS as f64 * core::f64::consts::LOG2_E;

    const ORIGIN: f32 = ROUNDER;

    #[inline(always)]
    fn split(self, shared: f32) -> (f32, f32) {
        let start = shared + ROUNDER;
        let f = shared - (start - ROUNDER);
        (start, 1.0 + f * (LINEAR + f * SQUARE))
    }

    #[inline(always)]
    fn exp_steps(self, t: f32, start: f32) -> f32 {
        // Ready to be added, which takes less than a subtraction where there is no FPU.
        let back = -SHIFT - start;
        let rounded = t + start;
        let u = t - (rounded + back);
        power(rounded) * (u * u + CONSTANT)
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
    pub(super) const ROUNDER: f64 = 6_755_399_441_055_744.0;
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

    /// `2^(n/64)` from the bits of a rounded `n`.
    #[inline(always)]
    pub(super) fn power(rounded: f64) -> f64 {
        let bits = rounded.to_bits();
        let entry = TABLE[bits as usize % STEPS];
        // From bit 6 on, n holds the exponent, which has eleven bits.
        f64::from_bits(entry.to_bits().wrapping_add((bits >> 6) << 52))
    }

    /// `2^(f/64) − 1` for `|f| ≤ ½`, where six terms of the series of `e^x` are off by 4e-17.
    #[inline(always)]
    pub(super) fn growth(f: f64) -> f64 {
        let x = f * (core::f64::consts::LN_2 / STEPS as f64);
        x + x * x * (0.5 + x * (1.0 / 6.0 + x * (1.0 / 24.0 + x * (1.0 / 120.0))))
    }
}

impl Math<f64> for Fast {
    // The form in steps has neither branches nor calls, so that the compiler can vectorise it.
    const VECTORS: bool = true;
    const STEPS: f64 = STEPS as f64 * core::f64::consts::LOG2_E;

    const ORIGIN: f64 = double::ROUNDER;

    #[inline(always)]
    fn split(self, shared: f64) -> (f64, f64) {
        let start = shared + double::ROUNDER;
        (start, 1.0 + double::growth(shared - (start - double::ROUNDER)))
    }

    #[inline(always)]
    fn exp_steps(self, t: f64, start: f64) -> f64 {
        let t = if t > double::LEAST { t } else { double::LEAST };
        let rounded = t + start;
        let power = double::power(rounded);
        power + power * double::growth(t - (rounded - start))
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
        let mut worst = 0.0_f64;
        // Every 1009th number: a prime, so that all parts of a step are met.
        for bits in (1e-3_f32.to_bits()..7100_f32.to_bits()).step_by(1009) {
            let t = -f32::from_bits(bits);
            let x = f64::from(t) / steps;
            let error = relative(Fast.exp_steps(t, ROUNDER), x);
            assert!(error <= 2.6e-7, "exp({x}) is off by {error:e}");
            worst = worst.max(error);
            let (start, factor) = Fast.split(t);
            let error = relative(factor * Fast.exp_steps(0.0, start), x);
            assert!(error <= 3.2e-7, "exp({x}) in two parts is off by {error:e}");
        }
        assert!(worst > 2.2e-7, "{worst:e}: the promise can be better");
        assert_eq!(Fast.split(0.0), (ROUNDER, 1.0));
        for i in 0..=1_000 {
            let f = i as f32 * 1e-3 - 0.5;
            let (start, factor) = Fast.split(f);
            let error = relative(factor, f64::from(f) / steps);
            assert!(start == ROUNDER && error <= 7e-8, "a factor for {f} is off by {error:e}");
        }
    }

    #[test]
    fn double_precision_is_as_exact_as_promised() {
        let mut worst = 0.0_f64;
        for i in 0..=700_000 {
            let x = -f64::from(i) * 1e-3;
            let steps = Fast.exp_steps(x * <Fast as Math<f64>>::STEPS, double::ROUNDER);
            let error = (steps / libm::exp(x) - 1.0).abs();
            worst = worst.max(error / (5e-16 - 2e-16 * x));
        }
        assert!((0.5..=1.0).contains(&worst), "{worst} of what is promised");
        assert!(Fast.exp_steps(-1e9_f64, double::ROUNDER) < 1e-300);
    }

    #[test]
    fn a_sum_that_rounding_lifts_above_zero_is_no_accident() {
        let exact = libm::expf(1.5 / <Fast as Math<f32>>::STEPS as f32);
        assert!((Fast.exp_steps(1.5_f32, ROUNDER) - exact).abs() < 2e-7);
    }
}
