//! Verdicts in whole numbers, for an alarm without floating point.

use super::QuantisedDetector;
use super::input::Raw;
use super::score::{SQUARE_BITS, Sums};
use crate::detect::reading::VectorScaling;
use crate::detect::threshold::{Judged, Threshold, Verdict, sealed};
use crate::error::Error;

/// Bits that are kept of a score, as an `f32` keeps them.
const SCORE_BITS: u32 = f32::MANTISSA_DIGITS;
/// The exponent field of 1.
const ONE_EXPONENT: i32 = f32::MAX_EXP - 1;

/// The SPE of a reading, what it was compared with, and the outcome, in whole numbers: Q28, of
/// which `2^28` is 1. See [`QuantisedDetector::judge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct WholeVerdict {
    /// The very number that [`score`](QuantisedDetector::score) gives, times `2^28`.
    pub spe: u32,
    /// What it was compared with, rounded down; 0 for a negative threshold.
    pub threshold: Threshold<u32>,
    /// SPE exceeds its threshold, as [`score`](QuantisedDetector::score) says it.
    pub unusual: bool,
}

impl sealed::Sealed for WholeVerdict {}

impl Judged for WholeVerdict {
    /// With room for the bits that a smoothed score has in addition.
    type Number = u64;

    fn spe(&self) -> u64 {
        self.spe.into()
    }
    fn threshold(&self) -> Threshold<u64> {
        Threshold { spe: self.threshold.spe.into(), usual: self.threshold.usual.into() }
    }
    fn is_unusual(&self) -> bool {
        self.unusual
    }
}

impl<const D: usize, const R: usize, const P: usize, S> QuantisedDetector<D, R, P, S>
where
    S: VectorScaling<[f32; D]>,
{
    /// As [`score`](Self::score), with nothing computed in floating point: for an
    /// [`Alarm`](crate::Alarm) on cores without an FPU.
    ///
    /// ```
    /// # use mercer::{Learner, Recipe};
    /// # use mercer::kernel::Rbf;
    /// use mercer::{Alarm, AlarmConfig, QuantisedDetector};
    /// # let mut learner = Learner::<Rbf<f32>, [f32; 2], 64, 16, 8>::new();
    /// # for t in 0..64 {
    /// #     let load = (t as f32 * 0.7).sin();
    /// #     learner.push(&[20.0 + 3.0 * load, 5.0 + load + 0.1 * (t as f32).cos()])?;
    /// # }
    /// # learner.learn(Rbf::for_inputs(2), Recipe::default())?;
    /// # let mut quantised = QuantisedDetector::<2, 16, 8>::new();
    /// # quantised.quantise(learner.detector()?)?;
    /// let mut alarm = Alarm::new(AlarmConfig::DEFAULT)?;
    /// for _ in 0..3 {
    ///     alarm.update(&quantised.judge(&[17.5, 6.0])?);
    /// }
    /// assert!(alarm.state().is_active());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`score`](Self::score).
    pub fn judge(&self, x: &[f32; D]) -> Result<WholeVerdict, Error> {
        self.judge_raw(x)
    }

    /// As [`judge`](Self::judge), for readings that are whole numbers, e.g. of an ADC.
    ///
    /// # Errors
    /// [`Error::NotFitted`].
    pub fn judge_counts(&self, x: &[i16; D]) -> Result<WholeVerdict, Error> {
        self.judge_raw(x)
    }

    /// Scores a reading, and compares the bits of SPE with those of the threshold: no comparison of
    /// floats is linked for it.
    #[inline(always)]
    pub(super) fn verdict<X: Raw>(&self, x: &[X; D]) -> Result<Verdict<f32>, Error> {
        let score = self.model.score(x, &self.scaling, &mut Sums::new())?;
        let unusual = exceeds(score.spe, self.threshold.spe);
        Ok(Verdict { score, threshold: self.threshold, unusual })
    }

    #[inline(always)]
    fn judge_raw<X: Raw>(&self, x: &[X; D]) -> Result<WholeVerdict, Error> {
        let spe = rounded(self.model.whole_score(x, &self.scaling, &mut Sums::new())?.spe);
        let Threshold { spe: limit, usual } = self.threshold;
        let threshold = Threshold { spe: to_square(limit), usual: to_square(usual) };
        Ok(WholeVerdict { spe, threshold, unusual: spe > threshold.spe || is_negative(limit) })
    }
}

/// `spe > limit`, for an SPE that is not negative, as bits: those of such floats are in their
/// order. The limit is finite, by the rules of every door.
fn exceeds(spe: f32, limit: f32) -> bool {
    is_negative(limit) || spe.to_bits() > limit.to_bits() << 1 >> 1
}

/// Rounded to as many bits as an `f32` has, half to even.
fn rounded(value: u32) -> u32 {
    let unit = 1_u32.wrapping_shl((u32::BITS - value.leading_zeros()).saturating_sub(SCORE_BITS));
    let half = unit >> 1;
    // More than half a unit is rounded up, and just half of one if the unit is odd.
    let odd = u32::from(value & unit != 0 && half > 0);
    // SPE is below 3, so there is room for the carry.
    value.wrapping_add(half.saturating_sub(1) + odd) & !(unit - 1)
}

/// A score in Q28, rounded down, from the bits of an `f32`; 0 for a negative one.
fn to_square(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 1 {
        return 0;
    }
    // Where the lowest bit of the mantissa is, from the lowest of the result.
    let exponent = (bits >> (SCORE_BITS - 1)) as i32 - ONE_EXPONENT;
    let shift = exponent + SQUARE_BITS as i32 - (SCORE_BITS as i32 - 1);
    let mantissa = bits & ((1 << (SCORE_BITS - 1)) - 1) | 1 << (SCORE_BITS - 1);
    match shift {
        ..-31 => 0,
        -31..0 => mantissa.wrapping_shr(shift.unsigned_abs()),
        0..=8 => mantissa.wrapping_shl(shift.unsigned_abs()),
        _ => u32::MAX,
    }
}

/// Below 0, which −0 is not.
fn is_negative(value: f32) -> bool {
    value.to_bits() > 1 << 31
}

#[cfg(test)]
mod tests {
    use super::super::score::to_float;
    use super::*;

    #[test]
    fn bits_compare_as_floats_do() {
        let limits = random().take(2_000).map(f32::from_bits).filter(|limit| limit.is_finite());
        for limit in limits.chain([0.0, -0.0, 1e-45, -1e-45, 1.0, f32::MAX, f32::MIN]) {
            let next = f32::from_bits(limit.abs().to_bits() + 1);
            let before = f32::from_bits(limit.abs().to_bits().saturating_sub(1));
            for spe in [0.0, 1e-45, before, limit.abs(), next, 0.3, 2.9] {
                assert_eq!(exceeds(spe, limit), spe > limit, "{spe:e}, {limit:e}");
            }
        }
    }

    fn random() -> impl Iterator<Item = u32> {
        core::iter::successors(Some(1_u32), |state| {
            Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
        })
    }

    /// Scores are below `2^30`, so none is saturated.
    fn scores() -> impl Iterator<Item = u32> {
        let any = random().take(200_000).map(|state| (state >> 2) >> (state & 15));
        let near = (4..30).flat_map(|bits| {
            (0..2_u32 << 8).map(move |offset| ((1_u32 << bits) - 2).wrapping_add(offset))
        });
        any.chain(near)
    }

    #[test]
    fn scores_are_rounded_as_floats_are() {
        for value in scores() {
            let float = f64::from(to_float(value, -(SQUARE_BITS as i32)));
            assert_eq!(f64::from(rounded(value)), float * f64::from(1 << SQUARE_BITS), "{value}");
        }
    }

    #[test]
    fn thresholds_are_rounded_down() {
        for state in random().take(200_000) {
            // Exponents from 2^−100 to 2^3.
            let exponent = 27 + (state >> 8) % 103;
            let value = f32::from_bits((state & 0x7f_ffff) | exponent << 23);
            let exact = (f64::from(value) * f64::from(1 << SQUARE_BITS)).floor();
            assert_eq!(f64::from(to_square(value)), exact, "{value:e}");
        }
        for (value, expected) in [(0.0, 0), (-0.0, 0), (-1.0, 0), (1e-45, 0), (1.0, 1 << 28)] {
            assert_eq!(to_square(value), expected, "{value:e}");
        }
        assert_eq!([16.0, 1e30, f32::MAX, f32::INFINITY].map(to_square), [u32::MAX; 4]);
    }

    /// The comparison is that of the floats, for thresholds on and around every score.
    #[test]
    fn unusual_is_what_floats_say() {
        let mut both = [0; 2];
        for value in scores() {
            let float = to_float(value, -(SQUARE_BITS as i32));
            for limit in [float, float.next_up(), float.next_down(), -float, 0.0, -0.0] {
                let whole = rounded(value) > to_square(limit) || is_negative(limit);
                assert_eq!(whole, float > limit, "{float:e} and {limit:e}");
                both[usize::from(whole)] += 1;
            }
        }
        assert!(both.iter().all(|&count| count > 100_000), "{both:?}");
    }
}
