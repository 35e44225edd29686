//! A score that follows the scores slowly: `E ← E + (SPE − E)/2^s`.

use crate::detect::threshold::Threshold;
use crate::math::Real;

/// Numbers that scores are smoothed in: `f32` and `f64` as they are, and whole numbers, of which
/// a smoothed score keeps `s` more bits. (Without these, `E` would stop up to `2^s − 1` units short
/// of scores that stay the same.)
///
/// Nobody else can implement it.
pub trait Smooth: sealed::Smoothing {}

impl<T: sealed::Smoothing> Smooth for T {}

mod sealed {
    use crate::detect::threshold::Threshold;

    /// What an alarm does with a smoothed score `E`.
    pub trait Smoothing: Copy + PartialOrd {
        /// Tells the types apart where an alarm is stored.
        const TAG: u8;

        /// Can it be a score?
        fn is_finite(self) -> bool;
        /// `E` before the first reading: what is usual, but not above the threshold, or an alarm
        /// could come out of nothing.
        fn begin(threshold: &Threshold<Self>, shift: u8) -> Self;
        /// `E` after a score.
        fn follow(self, score: Self, shift: u8) -> Self;
        /// Is `E` above the threshold, or is that not a number?
        fn exceeds(self, threshold: Self, shift: u8) -> bool;
        /// Is `E` below so many percent of the threshold?
        fn is_below(self, percent: u8, threshold: Self, shift: u8) -> bool;
        /// `E` as a score.
        fn as_score(self, shift: u8) -> Self;
        /// `E` to be stored.
        fn to_bits(self) -> u64;
        /// `E` as it was stored; none if it cannot have been.
        fn from_bits(bits: u64, shift: u8) -> Option<Self>;
    }
}

impl<T: Real> sealed::Smoothing for T {
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
impl sealed::Smoothing for u64 {
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

#[cfg(test)]
mod tests {
    use super::sealed::Smoothing;
    use crate::detect::Threshold;

    /// Whole numbers behave as real ones do but for less than a unit, and stop nowhere short.
    #[test]
    fn whole_numbers_are_smoothed_to_less_than_a_unit() {
        #[derive(Clone, Copy)]
        struct Pair {
            whole: u32,
            threshold: u32,
            usual: u32,
        }
        let mut seed = 7_u32;
        let mut random = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed
        };
        for shift in 0..=8_u8 {
            let (mut real, mut whole) = (0.0_f64, 0_u64);
            for round in 0..4000 {
                let threshold = random() >> (random() % 31);
                let pair =
                    Pair { whole: random() >> (random() % 31), threshold, usual: threshold / 3 };
                if round == 0 {
                    let begin =
                        Threshold::new(f64::from(pair.threshold)).with_usual(pair.usual.into());
                    real = <f64 as Smoothing>::begin(&begin, shift);
                    whole = u64::from(pair.usual) << shift;
                }
                real = real.follow(pair.whole.into(), shift);
                whole = whole.follow(pair.whole.into(), shift);
                let scaled = whole as f64 / f64::from(1_u32 << shift);
                assert!((scaled - real).abs() < 1.0, "{scaled} and {real} with {shift}");
                assert!(scaled >= real - 1e-6, "rounding goes one way");
                assert_eq!(whole.as_score(shift), whole >> shift);
                let exact = |percent: u64| {
                    u128::from(whole) * 100
                        < (u128::from(pair.threshold) << shift) * u128::from(percent)
                };
                for percent in [1, 50, 80, 100] {
                    let below = whole.is_below(percent, pair.threshold.into(), shift);
                    assert_eq!(below, exact(percent.into()));
                }
                let above = u128::from(whole) > u128::from(pair.threshold) << shift;
                assert_eq!(whole.exceeds(pair.threshold.into(), shift), above);
            }
            for score in [0, 1, 12_345, u32::MAX] {
                for _ in 0..24_000 {
                    whole = whole.follow(score.into(), shift);
                }
                assert_eq!(whole.as_score(shift), u64::from(score), "{score} with {shift}");
            }
        }
    }
}
