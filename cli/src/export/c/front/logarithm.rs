//! The library's natural logarithm in C: that of a C library may have other bits.

use mercer::math::Real;

use super::super::literal;

/// The floor of logarithms, and the logarithm of it.
pub(super) fn floor(floor: f32) -> String {
    let least = Real::ln(floor);
    format!(
        r#"
/* Below this, deviations and mean differences count as this, and energies below its square as that; and its logarithm. */
#define NAME_FLOOR ({})
#define NAME_LEAST ({})
"#,
        literal(&floor),
        literal(&least)
    )
}

/// The definition of `NAME_ln`.
pub(super) const LN: &str = r#"
/* Natural logarithm of a finite number that is not negative, with the bits that mercer gets from libm.
 *
 * Steps and coefficients are those of e_logf.c in FreeBSD's msun:
 * Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
 * Developed at SunPro, a Sun Microsystems, Inc. business.
 * Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice is preserved. */
static float name_ln(float x)
{
    uint32_t bits = name_bits(x);
    int exponent = -127;
    float power, f, s, square, fourth, series, half;

    if (bits < 0x00800000u) {
        if (bits == 0u) {
            return -INFINITY;
        }
        /* Below the normal numbers. */
        bits = name_bits(x * 33554432.0f);
        exponent -= 25;
    }
    /* x is a power of two times 1 + f, which lies between the roots of 1/2 and 2. */
    bits += 0x3f800000u - 0x3f3504f3u;
    exponent += (int)(bits >> 23);
    power = (float)exponent;
    f = name_from_bits((bits & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
    s = f / (2.0f + f);
    square = s * s;
    fourth = square * square;
    series = square * (0xaaaaaap-24f + fourth * 0x91e9eep-25f) + fourth * (0xccce13p-25f + fourth * 0xf89e26p-26f);
    half = 0.5f * f * f;
    return s * (half + series) + power * 9.058001e-06f - half + f + power * 0.6931381f;
}
"#;
