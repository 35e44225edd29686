//! Arbitrary numbers: ordinary ones, and all that sensors send when they are broken.

use mercer::detect::persist::Encode;
use mercer::math::Real;

use crate::{Decisions, pick};

/// A number below `bound`, which is not 0.
pub fn below(decisions: &mut Decisions<'_>, bound: usize) -> usize {
    usize::from(decisions.arbitrary::<u16>().unwrap_or(0)) % bound
}

/// A byte.
pub fn byte(decisions: &mut Decisions<'_>) -> u8 {
    decisions.arbitrary().unwrap_or(0)
}

/// Yes or no.
pub fn flag(decisions: &mut Decisions<'_>) -> bool {
    byte(decisions) & 1 == 1
}

/// `f32` or `f64`.
pub trait Number: Real + Encode + std::fmt::Debug {
    /// The number of any bit pattern.
    fn any_bits(bits: u64) -> Self;
    /// Its bits.
    fn bits(self) -> u64;
    /// The smallest and the largest number, and those around the borders between kinds.
    const EXTREMES: [Self; 8];
}

impl Number for f32 {
    fn any_bits(bits: u64) -> Self {
        Self::from_bits(bits as u32)
    }
    fn bits(self) -> u64 {
        self.to_bits().into()
    }
    const EXTREMES: [Self; 8] = [
        Self::MAX,
        Self::MIN,
        Self::MIN_POSITIVE,
        1e-45,
        -1e-40,
        4_294_967_295.0,
        1e30,
        Self::EPSILON,
    ];
}

impl Number for f64 {
    fn any_bits(bits: u64) -> Self {
        Self::from_bits(bits)
    }
    fn bits(self) -> u64 {
        self.to_bits()
    }
    const EXTREMES: [Self; 8] =
        [Self::MAX, Self::MIN, Self::MIN_POSITIVE, 5e-324, -1e-310, 1e300, 1e150, Self::EPSILON];
}

/// Any number at all, NaN among them.
pub fn any<T: Number>(decisions: &mut Decisions<'_>) -> T {
    match byte(decisions) {
        // Ordinary readings are what most of a training set must be for it to be learned.
        0..192 => ordinary(decisions),
        192..208 => pick(decisions, &T::EXTREMES),
        208..216 => pick(decisions, &[T::ZERO, -T::ZERO, T::ONE, T::from_f64(65_535.0)]),
        216..220 => pick(decisions, &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(T::from_f64)),
        _ => T::any_bits(decisions.arbitrary().unwrap_or(0)),
    }
}

/// Any finite number.
pub fn finite<T: Number>(decisions: &mut Decisions<'_>) -> T {
    let value: T = any(decisions);
    if value.is_finite() { value } else { T::ONE }
}

/// A reading of a sensor that is not broken: between −8 and 8, and often seen before.
pub fn ordinary<T: Number>(decisions: &mut Decisions<'_>) -> T {
    T::from_f64(f64::from(decisions.arbitrary::<i16>().unwrap_or(0)) / 4096.0)
}
