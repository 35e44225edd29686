//! `2^−x` in integers: a table of one octave, a straight line between its entries, a shift for the
//! octaves.

use crate::linalg::slices::entry;

/// Fractional bits of an exponent.
pub(super) const EXPONENT_BITS: u32 = 19;
/// Fractional bits of a kernel value.
pub(super) const KERNEL_BITS: u32 = 16;
/// From this exponent on the result is 0: it would be below half a unit.
pub(super) const VANISHES: u32 = 17;
/// How far a result can be from the true one, in units of `2^−KERNEL_BITS`.
///
/// A line over 1/128 of an octave is off by `(ln 2/128)²/8 = 3.7e-6`, a quarter of a unit; the
/// entries by `2^−19`, an eighth; the rest is rounding, which is to the nearest in the first octave
/// and between that and downwards in the others.
pub(super) const KERNEL_ERROR: f32 = 1.375;

const STEP_BITS: u32 = 7;
const STEPS: usize = 1 << STEP_BITS;
/// Bits of an exponent below a step.
const LINE_BITS: u32 = EXPONENT_BITS - STEP_BITS;
/// Fractional bits of an entry.
const ENTRY_BITS: u32 = 31;

/// `2^(−i/128)` in Q31 and, in the lowest 12 bits, by how much the next entry is smaller, in Q19:
/// one load for both.
static TABLE: [u32; STEPS] = table();

/// `2^−x` in Q16, for `x` in Q19.
#[inline(always)]
pub(super) fn power(x: u32) -> u32 {
    let octaves = x >> EXPONENT_BITS;
    if octaves >= VANISHES {
        return 0;
    }
    let step = (x >> LINE_BITS) as usize % STEPS;
    let entry = entry(&TABLE, step);
    let line = (entry % (1 << LINE_BITS)) * (x % (1 << LINE_BITS));
    // The line is at most the step to the next entry, so this cannot become negative.
    (entry - line) >> (ENTRY_BITS - KERNEL_BITS + octaves)
}

/// Made by the compiler, from square roots in integers.
const fn table() -> [u32; STEPS] {
    const BITS: u32 = 62;
    // 2^(−1/128) is the seventh square root of one half.
    let (mut root, mut i) = (1_u128 << (BITS - 1), 0);
    while i < STEP_BITS {
        root = (root << BITS).isqrt();
        i += 1;
    }
    // Half a unit of the result, so that cutting off rounds.
    let half = 1_u128 << (BITS - KERNEL_BITS - 1);
    let (mut table, mut i, mut power) = ([0; STEPS], 0, 1_u128 << BITS);
    let mut entry = round(power + half, BITS - EXPONENT_BITS);
    while i < STEPS {
        power = (power * root) >> BITS;
        let next = round(power + half, BITS - EXPONENT_BITS);
        // The difference of what is stored: lines that meet make a function that nowhere rises.
        table[i] = (entry << LINE_BITS) + (entry - next);
        entry = next;
        i += 1;
    }
    table
}

const fn round(value: u128, bits: u32) -> u32 {
    ((value + (1 << (bits - 1))) >> bits) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every exponent there is, against `exp2` in double precision.
    #[test]
    fn every_power_is_within_its_bound() {
        let mut worst = 0.0_f64;
        for x in 0..=(VANISHES + 1) << EXPONENT_BITS {
            let exact = libm::exp2(-f64::from(x) / f64::from(1 << EXPONENT_BITS));
            let error = f64::from(power(x)) - exact * f64::from(1 << KERNEL_BITS);
            worst = worst.max(error.abs());
        }
        std::println!("2^-x is off by at most {worst:.3} units");
        assert!(worst <= f64::from(KERNEL_ERROR), "{worst}");
    }

    #[test]
    fn powers_fall_from_one_to_nothing() {
        assert_eq!(power(0), 1 << KERNEL_BITS);
        let mut last = power(0);
        for x in 0..=(VANISHES + 1) << EXPONENT_BITS {
            assert!(power(x) <= last, "rises at {x}");
            last = power(x);
        }
        assert_eq!(last, 0);
        assert_eq!(power(u32::MAX), 0);
    }
}
