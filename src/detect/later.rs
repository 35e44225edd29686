//! Calibration by the readings after learning: a threshold that new readings back.
//!
//! Cross-fit promises a rate that is close to what was wished for, and 128 samples say little about
//! one reading in a hundred. The firmware can go on: it scores readings that it takes as normal,
//! and keeps the few largest scores. Of `M` of them, with `k = ⌊α(M+1)⌋`, the threshold is the
//! `k`-th largest, and a reading is unusual when it scores strictly above it.
//!
//! **What is promised.** If a further reading is exchangeable with these (same conditions, and
//! independent of each other), it is unusual with probability `k/(M+1) ≤ α`, on average over
//! calibrations. One calibration has a rate of its own, spread like Beta(`k`, `M+1−k`): its
//! interval from 5 to 95 % is in the [result](LaterCalibration). Equal scores only make the rate
//! smaller.
//!
//! **What is refused.** Faults among these readings raise the threshold, up to one that finds no
//! such fault any more. So they are judged by the threshold from before, with its own promise `p`:
//! [`Error::StrangeReadings`] says that more of them are above it than `2p` explains by chance
//! (once in a hundred), or that the new threshold is above `1.5·√(p/l)` times the old one, `l`
//! being the lower end of the interval. Of 400 independent readings with light tails, that refuses
//! at most 3 % of calibrations; if 5 % of them are faults, it refuses all where every input is off
//! by 3 deviations, and about four in five where one is off by 5. What is not noticed is faint: it
//! scores about like normal readings. With heavy tails (Student's t, three degrees of freedom) and
//! 1 % wished for, four in ten are refused, faults or none: there such a threshold passes most
//! faults of 5 deviations. Who knows that all readings were normal
//! [trusts](LaterReadings::calibrate_trusting) them. (`cargo test --test later` measures it.)
//!
//! **Source.** Vovk, Gammerman, Shafer, *Algorithmic Learning in a Random World*, 2005 (split, or
//! inductive, conformal prediction); Vovk, *Conditional Validity of Inductive Conformal
//! Predictors*, 2012, for the spread of one calibration.
//!
//! **Bound.** `K` kept scores and 7 numbers; a reading takes at most `K` comparisons. A result
//! takes at most 128 times `M` steps of a few operations; mostly a few thousand in all.

mod spread;
mod stored;

use crate::detect::Threshold;
use crate::detect::calibrate::{FalseAlarms, samples_for};
use crate::error::Error;
use crate::linalg::slices::{entry, head, head_mut, swap};
use crate::math::Real;
use spread::{chance_of_at_least, rate_below};

pub use stored::LATER_FORMAT_VERSION;

/// The largest scores of the readings after learning, and what else a threshold takes.
///
/// `S` is where these scores are kept: an array `[T; K]`, or whatever else has `K` places. They
/// support a wish of `α` for up to `K/α` readings: 8 scores are enough for 1 % of 799. With more
/// readings the threshold is the `K`-th largest, and the rate is smaller than wished for; the
/// [result](LaterCalibration::false_alarms) says so.
///
/// ```
/// use mercer::detect::{FalseAlarms, LaterReadings};
/// use mercer::{Learner, Recipe};
/// use mercer::kernel::Rbf;
/// # let mut learner = Learner::<Rbf<f32>, [f32; 2], 64, 16, 8>::new();
/// # let mut state = 1_u32;
/// # let mut noise = || (0..4).map(|_| {
/// #     state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
/// #     (state >> 8) as f32 / 8_388_608.0 - 1.0
/// # }).sum::<f32>();
/// # let mut read_sensors = || { let load = noise(); [20.0 + load, 5.0 + load + 0.3 * noise()] };
/// # for _ in 0..64 {
/// #     learner.push(&read_sensors())?;
/// # }
/// learner.learn(Rbf::for_inputs(2), Recipe::default())?;
/// let promised = learner.report().map_or(0.05, |report| report.false_alarms);
/// let mut detector = learner.detector()?.clone();
///
/// let mut later = LaterReadings::<f32, [f32; 4]>::of(detector.threshold(), promised);
/// for _ in 0..399 {
///     later.push(detector.score(&read_sensors())?.score.spe)?;
/// }
/// let calibrated = later.calibrate(FalseAlarms::Share(0.01), detector.threshold())?;
/// detector.set_threshold(calibrated.threshold)?;
/// assert_eq!(calibrated.false_alarms, 4.0 / 400.0);
/// assert!(calibrated.low > 0.003 && calibrated.high < 0.02);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// It belongs to one detector: after learning again, begin anew.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct LaterReadings<T, S> {
    /// Descending; zeros after those in use.
    largest: S,
    count: u32,
    /// How many are above the threshold from before.
    unusual: u32,
    mean: T,
    before: Threshold<T>,
    /// The share of readings that were promised to be above it.
    promised: T,
}

/// A threshold that later readings back.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct LaterCalibration<T> {
    /// For [`set_threshold`](crate::Detector::set_threshold), which refuses one that nothing would
    /// exceed.
    pub threshold: Threshold<T>,
    /// How many readings it rests on.
    pub readings: usize,
    /// The share of false alarms that was wished for.
    pub wished: T,
    /// The share that is supported, `k/(M+1)`: at most the wish, and less if it takes more scores
    /// than are kept. It is the mean over calibrations, for readings that are
    /// [exchangeable](crate::detect::calibrate) with those it rests on.
    pub false_alarms: T,
    /// One calibration in twenty has a smaller share than this,
    pub low: T,
    /// and one in twenty has a larger one.
    pub high: T,
}

impl<T: Real, const K: usize> LaterReadings<T, [T; K]> {
    /// Bytes it occupies.
    pub const SIZE: usize = size_of::<Self>();

    /// Does not compile without room for a score.
    const ROOM: () = assert!(K > 0, "keeps one score at least");

    /// None yet. `before` is the threshold of the detector that scores them, and `promised` the
    /// share of normal readings that it was to find unusual, as in
    /// [`LearnReport::false_alarms`](crate::detect::LearnReport::false_alarms).
    pub const fn of(before: &Threshold<T>, promised: T) -> Self {
        const { Self::ROOM }
        Self::kept_in([T::ZERO; K], before, promised)
    }
}

impl<T: Real, S> LaterReadings<T, S> {
    /// As [`of`](Self::of), with places for the largest scores that the caller has, all of them
    /// zero.
    pub const fn kept_in(places: S, before: &Threshold<T>, promised: T) -> Self {
        let (count, unusual, mean) = (0, 0, T::ZERO);
        Self { largest: places, count, unusual, mean, before: *before, promised }
    }
}

impl<T: Real, S: AsRef<[T]> + AsMut<[T]>> LaterReadings<T, S> {
    /// Takes the SPE of another normal reading.
    ///
    /// # Errors
    /// [`Error::Parameter`] if it is not finite, and [`Error::Capacity`] after 2³² − 1 readings;
    /// both leave all as it was.
    pub fn push(&mut self, spe: T) -> Result<(), Error> {
        if !spe.is_finite() {
            return Err(Error::Parameter { name: "spe", rule: "finite" });
        }
        let capacity = u32::MAX as usize;
        let full = Error::Capacity { what: "later readings", needed: capacity, capacity };
        self.count = self.count.checked_add(1).ok_or(full)?;
        self.unusual += u32::from(spe > self.before.spe);
        let count = T::from_usize(self.count());
        self.mean += spe / count - self.mean / count;
        self.keep(spe);
        Ok(())
    }

    /// Puts a score among the largest, if it is one of them.
    fn keep(&mut self, spe: T) {
        let (kept, is_new) = (self.kept(), self.count() <= self.largest.as_ref().len());
        let places = head_mut(self.largest.as_mut(), kept);
        if let Some(last) = places.last_mut()
            && (is_new || spe > *last)
        {
            *last = spe;
            // It rises to where it belongs.
            for upper in (0..kept - 1).rev() {
                if entry(places, upper) >= spe {
                    break;
                }
                swap(places, upper, upper + 1);
            }
        }
    }

    /// How many readings there were.
    pub const fn count(&self) -> usize {
        self.count as usize
    }

    /// How many of them are above the threshold from before.
    pub const fn unusual(&self) -> usize {
        self.unusual as usize
    }

    /// The mean of their scores.
    pub const fn mean(&self) -> T {
        self.mean
    }

    /// The largest scores, from the largest on.
    pub fn largest(&self) -> &[T] {
        head(self.largest.as_ref(), self.kept())
    }

    fn kept(&self) -> usize {
        self.count().min(self.largest.as_ref().len())
    }

    /// The threshold for a wish. `present` is the one of the detector that it is for.
    ///
    /// # Errors
    /// [`Error::TooFewSamples`] says how many readings the wish takes; [`Error::StrangeReadings`]
    /// that they are not like those that were learned from; [`Error::Parameter`] names
    /// `false_alarms`, `promised` or the `threshold`, when it is not the one that the readings were
    /// judged by.
    pub fn calibrate(
        &self,
        wish: FalseAlarms<T>,
        present: &Threshold<T>,
    ) -> Result<LaterCalibration<T>, Error> {
        let result = self.calibrate_trusting(wish, present)?;
        if self.are_strange(&result) {
            let (readings, unusual) = (self.count(), self.unusual());
            return Err(Error::StrangeReadings { readings, unusual });
        }
        Ok(result)
    }

    /// As [`calibrate`](Self::calibrate), for readings that are known to be normal, however strange
    /// they are. Faults that score less than the new threshold pass unnoticed.
    ///
    /// # Errors
    /// As there, but for [`Error::StrangeReadings`].
    pub fn calibrate_trusting(
        &self,
        wish: FalseAlarms<T>,
        present: &Threshold<T>,
    ) -> Result<LaterCalibration<T>, Error> {
        let wished = wish.share()?;
        if !(self.promised > T::ZERO && self.promised < T::ONE) {
            return Err(Error::Parameter { name: "promised", rule: "a share > 0 and < 1" });
        }
        if *present != self.before {
            let rule = "the one that the later readings were judged by: begin anew";
            return Err(Error::Parameter { name: "threshold", rule });
        }
        let all = self.count() as f64 + 1.0;
        // A product that is whole but for the rounding of the wish counts as whole.
        let allowed = (wished.to_f64() * (1.0 + T::EPSILON.to_f64()) * all) as usize;
        let rank = allowed.min(self.kept());
        if rank == 0 {
            let (given, needed) = (self.count(), samples_for(wished));
            return Err(Error::TooFewSamples { given, needed });
        }
        let rate = |chance| rate_below(rank, self.count(), T::from_f64(chance));
        Ok(LaterCalibration {
            threshold: Threshold::new(entry(self.largest(), rank - 1)).with_usual(self.mean),
            readings: self.count(),
            wished,
            false_alarms: T::from_f64(rank as f64 / all),
            low: rate(0.05),
            high: rate(0.95),
        })
    }

    /// Are there faults among them, or readings of another kind?
    fn are_strange(&self, result: &LaterCalibration<T>) -> bool {
        let twice = self.promised + self.promised;
        let many = chance_of_at_least(self.unusual(), self.count(), twice) < T::from_f64(BY_CHANCE);
        let rarer = (self.promised / result.low).larger(T::ONE).sqrt();
        many || result.threshold.spe > self.before.spe * rarer * T::from_f64(RISE)
    }
}

/// So many readings above the threshold from before are no chance.
const BY_CHANCE: f64 = 0.01;
/// How many times as high as before a threshold for the same rate may be.
const RISE: f64 = 1.5;

#[cfg(test)]
mod tests {
    use super::*;

    fn of<const K: usize>(scores: impl IntoIterator<Item = f32>) -> LaterReadings<f32, [f32; K]> {
        let mut later = LaterReadings::of(&Threshold::new(50.0), 0.5);
        scores.into_iter().for_each(|score| later.push(score).unwrap());
        later
    }

    #[test]
    fn the_largest_are_kept_whatever_the_order() {
        let shuffled = |n: usize| (0..n).map(move |i| ((i * 37 + 11) % n) as f32);
        assert_eq!(of::<4>(shuffled(100)).largest(), [99.0, 98.0, 97.0, 96.0]);
        assert_eq!(of::<4>([1.0, 2.0, 2.0, 2.0, 0.0, 3.0]).largest(), [3.0, 2.0, 2.0, 2.0]);
        assert_eq!(of::<4>([-1.0, -3.0, -2.0]).largest(), [-1.0, -2.0, -3.0]);
        assert_eq!(of::<1>([5.0, 7.0, 6.0]).largest(), [7.0]);
        let later = of::<4>(shuffled(100));
        assert_eq!((later.count(), later.unusual(), later.mean()), (100, 49, 49.5));
    }

    #[test]
    fn the_rank_is_that_of_the_definition() {
        let before = Threshold::new(50.0);
        let later = of::<8>((0..99).map(|i| i as f32));
        for (wish, rank) in [(0.01, 1), (0.019, 1), (0.02, 2), (0.05, 5), (0.0799, 7), (0.08, 8)] {
            let found = later.calibrate_trusting(FalseAlarms::Share(wish), &before).unwrap();
            assert_eq!(found.threshold.spe, (99 - rank) as f32, "{wish}");
            assert!((found.false_alarms - rank as f32 / 100.0).abs() < 1e-7);
        }
        // More than is kept: fewer alarms than wished for, and that is said.
        let found = later.calibrate_trusting(FalseAlarms::Share(0.3), &before).unwrap();
        assert_eq!((found.threshold.spe, found.wished), (91.0, 0.3));
        assert!((found.false_alarms - 0.08).abs() < 1e-7);
        // One reading fewer, and the wish is not supported.
        let few = of::<8>((0..98).map(|i| i as f32));
        let refused = few.calibrate_trusting(FalseAlarms::Share(0.01), &before);
        assert_eq!(refused, Err(Error::TooFewSamples { given: 98, needed: 99 }));
    }

    #[test]
    fn what_is_no_score_changes_nothing() {
        let mut later = of::<4>([1.0, 2.0]);
        let before = later.clone();
        for score in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let refused = later.push(score);
            assert_eq!(refused, Err(Error::Parameter { name: "spe", rule: "finite" }));
            assert_eq!(later, before);
        }
        later.count = u32::MAX;
        let full = Error::Capacity {
            what: "later readings",
            needed: u32::MAX as usize,
            capacity: u32::MAX as usize,
        };
        assert_eq!(later.push(1.0), Err(full));
    }
}
