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

/// The definition of `NAME_ln`: `src/math/logarithm.rs`, for finite numbers that are not negative.
pub(super) const LN: &str = r#"
/* Natural logarithm of a finite number that is not negative, with the bits that mercer has. */
static float name_ln(float x)
{
    uint32_t above;
    int exponent = 0;
    float power, f, s, z, series;

    if (x == 0.0f) {
        return -INFINITY;
    }
    if (x < 1.17549435e-38f) {
        /* Below the normal numbers. */
        x *= 16777216.0f;
        exponent = -24;
    }
    /* x is a power of two times 1 + f, which lies between the roots of 1/2 and 2. */
    above = name_bits(x) - 0x3f3504f3u;
    exponent += (int)((above + 0x40000000u) >> 23) - 128;
    power = (float)exponent;
    f = name_from_bits((above & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
    s = f / (2.0f + f);
    z = s * s;
    series = z * (2.0f / 3.0f + z * (2.0f / 5.0f + z * (2.0f / 7.0f + z * (2.0f / 9.0f))));
    return power * (355.0f / 512.0f) + (power * -2.1219444e-4f + (f - s * (f - series)));
}
"#;
