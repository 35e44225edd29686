//! The natural logarithm in single precision.
//!
//! **Method.** `x = 2ᵏ(1 + f)` with `1 + f` from √½ to √2. With `s = f/(2 + f)`, `ln(1 + f)` is
//! `2 artanh s = 2(s + s³/3 + s⁵/5 + …)`, and since `2s = f − sf`, it is `f` minus something small:
//! `f − s(f − 2(s²/3 + s⁴/5 + s⁶/7 + s⁸/9))`. What is left out is below 1e-9.
//!
//! **Source.** Our own, so that an exported model can have it in C with the same bits.
//!
//! **Domain.** All numbers, as in IEEE 754.
//!
//! **Bound.** Off by less than 1 in the last place, and by less than 8.7e-8 of the result (all
//! numbers, compared with `f64`).

/// Places of the fraction.
const FRACTION: u32 = 23;
/// The bits of √½, rounded: where the range of `1 + f` begins.
const LEAST: u32 = 0x3f35_04f3;
/// `ln 2` in two parts; the first times an exponent is exact.
const LN_2_HIGH: f32 = 355.0 / 512.0;
const LN_2_LOW: f32 = -2.121_944_4e-4;

pub(super) fn ln(x: f32) -> f32 {
    if !(x > 0.0 && x.is_finite()) {
        return match x {
            0.0 => f32::NEG_INFINITY,
            f32::INFINITY => f32::INFINITY,
            _ => f32::NAN,
        };
    }
    // Below the normal numbers there are too few digits: 2²⁴ times as large, it is one of them.
    let (x, shift) = if x < f32::MIN_POSITIVE { (x * 16_777_216.0, -24) } else { (x, 0) };
    // From the bits of √½ on, the exponent counts, and below it the fraction starts anew.
    let above = x.to_bits().wrapping_sub(LEAST);
    let exponent = ((above as i32 >> FRACTION) + shift) as f32;
    let f = f32::from_bits((above & ((1 << FRACTION) - 1)).wrapping_add(LEAST)) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let series = z * (2.0 / 3.0 + z * (2.0 / 5.0 + z * (2.0 / 7.0 + z * (2.0 / 9.0))));
    exponent * LN_2_HIGH + (exponent * LN_2_LOW + (f - s * (f - series)))
}

#[cfg(test)]
mod tests {
    use super::ln;

    /// Every 97th number, and all others with `step` 1, which takes a minute.
    #[test]
    fn it_is_close_to_that_of_doubles() {
        let step = 97;
        for bits in (1..f32::INFINITY.to_bits()).step_by(step) {
            let x = f32::from_bits(bits);
            let (found, exact) = (f64::from(ln(x)), libm::log(x.into()));
            assert!((found - exact).abs() <= 8.7e-8 * exact.abs(), "{x:e}: {found} and {exact}");
        }
    }

    #[test]
    fn ends_of_the_range_are_those_of_ieee_754() {
        assert_eq!(ln(0.0), f32::NEG_INFINITY);
        assert_eq!(ln(-0.0), f32::NEG_INFINITY);
        assert_eq!(ln(f32::INFINITY), f32::INFINITY);
        assert_eq!(ln(1.0).to_bits(), 0);
        for x in [f32::NAN, -f32::NAN, -1.0, -f32::MIN_POSITIVE, f32::NEG_INFINITY] {
            assert!(ln(x).is_nan(), "{x}");
        }
    }
}
