//! A score that follows the scores slowly: `E ← E + (SPE − E)/2^s`.

use crate::detect::threshold::Threshold;
use crate::math::Real;

/// Numbers that scores are smoothed in: `f32` and `f64` as they are, and whole numbers, of which
/// a smoothed score keeps `s` more bits. (Without these, `E` would stop up to `2^s − 1` units short
/// of scores that stay the same.)
///
/// Nobody else can implement it.
pub trait Smooth: sealed::Sealed + Copy + PartialOrd {
    /// Tells the types apart where an alarm is stored.
    #[doc(hidden)]
    const TAG: u8;

    /// Can it be a score?
    #[doc(hidden)]
    fn is_finite(self) -> bool;
    /// `E` before the first reading: what is usual, but not above the threshold, or an alarm could
    /// come out of nothing.
    #[doc(hidden)]
    fn begin(threshold: &Threshold<Self>, shift: u8) -> Self;
    /// `E` after a score.
    #[doc(hidden)]
    fn follow(self, score: Self, shift: u8) -> Self;
    /// Is `E` above the threshold, or is that not a number?
    #[doc(hidden)]
    fn exceeds(self, threshold: Self, shift: u8) -> bool;
    /// Is `E` below so many percent of the threshold?
    #[doc(hidden)]
    fn is_below(self, percent: u8, threshold: Self, shift: u8) -> bool;
    /// `E` as a score.
    #[doc(hidden)]
    fn as_score(self, shift: u8) -> Self;
    /// `E` to be stored.
    #[doc(hidden)]
    fn to_bits(self) -> u64;
    /// `E` as it was stored; none if it cannot have been.
    #[doc(hidden)]
    fn from_bits(bits: u64, shift: u8) -> Option<Self>;
}

mod sealed {
    pub trait Sealed {}
    impl<T: crate::math::Real> Sealed for T {}
    impl Sealed for u64 {}
}

impl<T: Real> Smooth for T {
    const TAG: u8 = size_of::<T>() as u8;

    fn is_finite(self) -> bool {
        Real::is_finite(self)
    }

    fn begin(threshold: &Threshold<Self>, _: u8) -> Self {
        let Threshold { spe, usual } = *threshold;
        let start = if usual > spe { spe } else { usual };
        if Real::is_finite(start) { start } else { T::ZERO }
    }

    fn follow(self, score: Self, shift: u8) -> Self {
        // As a weighted mean, which cannot overflow, and is the score itself for a shift of 0.
        let weight = T::ONE / T::from_usize(1_usize.wrapping_shl(shift.into()));
        self * (T::ONE - weight) + score * weight
    }

    fn exceeds(self, threshold: Self, _: u8) -> bool {
        // A threshold that is not a number was never calibrated: better an alarm too many.
        self.partial_cmp(&threshold).is_none_or(core::cmp::Ordering::is_gt)
    }

    fn is_below(self, percent: u8, threshold: Self, _: u8) -> bool {
        // Below a negative threshold, which an indefinite kernel can have, is farther from 0.
        let percent = if threshold < T::ZERO { 200 - usize::from(percent) } else { percent.into() };
        self < threshold * (T::from_usize(percent) / T::from_f64(100.0))
    }

    fn as_score(self, _: u8) -> Self {
        self
    }

    fn to_bits(self) -> u64 {
        self.to_f64().to_bits()
    }

    fn from_bits(bits: u64, _: u8) -> Option<Self> {
        let smoothed = T::from_f64(f64::from_bits(bits));
        (Real::is_finite(smoothed) && smoothed.to_bits() == bits).then_some(smoothed)
    }
}

/// Scores of 32 bits with room for the extra bits and for percents.
impl Smooth for u64 {
    const TAG: u8 = 1;

    fn is_finite(self) -> bool {
        true
    }

    fn begin(threshold: &Threshold<Self>, shift: u8) -> Self {
        threshold.usual.min(threshold.spe).wrapping_shl(shift.into())
    }

    fn follow(self, score: Self, shift: u8) -> Self {
        // Not less than 0: what is subtracted is a part of it.
        self.wrapping_sub(self.wrapping_shr(shift.into())).wrapping_add(score)
    }

    fn exceeds(self, threshold: Self, shift: u8) -> bool {
        self > threshold.wrapping_shl(shift.into())
    }

    fn is_below(self, percent: u8, threshold: Self, shift: u8) -> bool {
        let threshold = threshold.wrapping_shl(shift.into());
        self.wrapping_mul(100) < threshold.wrapping_mul(percent.into())
    }

    fn as_score(self, shift: u8) -> Self {
        self.wrapping_shr(shift.into())
    }

    fn to_bits(self) -> u64 {
        self
    }

    fn from_bits(bits: u64, shift: u8) -> Option<Self> {
        (bits.as_score(shift) <= u32::MAX.into()).then_some(bits)
    }
}
