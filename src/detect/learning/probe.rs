//! Which inputs the learned detector is blind to.
//!
//! Each input of some samples is moved by [`FAULT`] robust deviations either way, and the result
//! is judged by the final model and its threshold. An input whose moved readings are unusual
//! in less than a quarter of the probes is *blind*, whatever the reason: a single glitch that
//! stretched its scale, a threshold that a rare sample sets, a kernel too wide. Of a logarithmic
//! input, which varies by factors, it is the logarithm that is moved.
//!
//! The model knows these samples, so their SPE is lower than that of new readings. What it lacks is
//! the difference of the sample's own score by the final model and by one that had not seen it. It
//! is added; with 30 inputs and 128 samples, faults found in 73 % of new readings would else seem
//! to be found in 45 %.

use super::report::{Blindness, Warning, Warnings, warn};
use super::sorting::sorted;
use crate::detect::Threshold;
use crate::detect::reading::Inspect;
use crate::kernel::Samples;
use crate::kpca::Score;
use crate::linalg::slices::{entry, set};
use crate::math::{Real, first_least};

/// How many robust deviations a fault is.
const FAULT: f64 = 5.0;
/// How many samples are moved, up and down: with a quarter of 32 probes as the limit, an input
/// that is found in half of them is taken for blind once in 950, one at 5 % for seeing once in
/// 7,000.
const MOVED: usize = 16;
/// From how many values quantiles are taken at the most.
const VALUES: usize = 128;
/// A value of more robust deviations than this is an outlier: of a thousand normal ones, the
/// largest is at about 3.
const OUTLIER: f64 = 6.0;
/// An input whose deviation is smaller than that of another by this factor is not scaled.
const UNSCALED: f64 = 10.0;
/// The range without the lowest and the highest tenth, in deviations of a normal distribution.
const INNER_RANGE: f64 = 2.563;

/// How far the probing has come, and what it found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Probe<T> {
    /// What the SPE of each sample lacks, of the first `known` ones.
    lacking: [T; MOVED],
    known: usize,
    input: usize,
    /// Of that input, once it was measured.
    spread: Option<Spread<T>>,
    /// How many readings were judged, with this input moved.
    judged: usize,
    /// How many of them are unusual.
    found: usize,
    /// How many of them scored higher than nine in ten samples.
    unusual: usize,
    /// The scores of the samples, once they were looked at.
    scores: Option<Scores<T>>,
    /// The largest deviation of an input.
    widest: T,
    blind: Option<Blind<T>>,
    count: usize,
    inputs: u64,
}

/// The cross-fitted scores of the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
struct Scores<T> {
    /// What nine in ten samples score at the most.
    usual: T,
    /// The sample that scored highest.
    highest: usize,
}

/// The values of an input over the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
struct Spread<T> {
    /// Robust, > 0.
    deviation: T,
    /// More than half of the values are the same.
    stuck: bool,
    /// The most extreme sample, if it is an outlier.
    outlier: Option<usize>,
}

/// The first blind input.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
struct Blind<T> {
    input: usize,
    cause: Option<Blindness>,
    deviation: T,
}

/// What to do next.
pub(super) enum Next<T> {
    /// Score this sample with an input moved by so much.
    Score {
        position: usize,
        input: usize,
        by: T,
    },
    /// Nothing yet: scores or an input were measured.
    Measured,
    Done,
}

impl<T: Real> Probe<T> {
    pub(super) const NEW: Self = Self {
        lacking: [T::ZERO; MOVED],
        known: 0,
        input: 0,
        spread: None,
        judged: 0,
        found: 0,
        unusual: 0,
        scores: None,
        widest: T::ZERO,
        blind: None,
        count: 0,
        inputs: 0,
    };

    /// Chooses the next reading to score; first of all looks at the cross-fitted `scores`, and with
    /// a new input measures it: a few passes over the samples, and sorts. Nothing is to be done
    /// for readings that are no vectors, or for which there is no `room` of so many numbers.
    /// `sorting` has a number for each sample.
    pub(super) fn next<S>(
        &mut self,
        samples: &S,
        scores: &[T],
        room: usize,
        sorting: &mut [T],
    ) -> Next<T>
    where
        S: Samples<View: Inspect> + ?Sized,
    {
        let n = samples.count();
        let probed = samples.sample(0).filter(|x| x.number::<T>(0).is_some() && x.room() <= room);
        if self.input >= probed.map_or(0, Inspect::inputs) {
            return Next::Done;
        }
        if self.scores.is_none() {
            let some = spread_over(n, VALUES).filter_map(|i| scores.get(i).copied());
            let usual = tenth(sorted(some, sorting), 9).unwrap_or(T::ZERO);
            self.scores = Some(Scores { usual, highest: highest(scores.iter().copied()) });
            return Next::Measured;
        }
        let Some(spread) = self.spread else {
            match measure(samples, self.input, sorting) {
                Measured::Varies(spread) => {
                    self.widest = self.widest.larger(spread.deviation);
                    self.spread = Some(spread);
                }
                Measured::ConstantBut { sample } => {
                    self.note(Some(Blindness::Outlier { sample }), T::ZERO);
                    self.input += 1;
                }
                // There is no telling what a fault would be; it has a warning of its own.
                Measured::Constant => self.input += 1,
            }
            return Next::Measured;
        };
        let position = spread_over(n, MOVED).nth(self.judged / 2).unwrap_or(0);
        if self.awaits_own() {
            return Next::Score { position, input: 0, by: T::ZERO };
        }
        let by = spread.deviation * T::from_f64(FAULT);
        let by = if self.judged.is_multiple_of(2) { by } else { -by };
        Next::Score { position, input: self.input, by }
    }

    /// The sample that is to be moved next has to be scored as it is first.
    const fn awaits_own(&self) -> bool {
        self.known <= self.judged / 2
    }

    /// Takes the score of the reading that was chosen, and that of its sample by a model which had
    /// not seen it. A reading that cannot be scored is noticed, too.
    pub(super) fn scored(
        &mut self,
        n: usize,
        score: Option<Score<T>>,
        unseen: T,
        threshold: &Threshold<T>,
    ) {
        if self.awaits_own() {
            let lacking = score.map_or(T::ZERO, |own| (unseen - own.spe).larger(T::ZERO));
            set(&mut self.lacking, self.known, lacking);
            self.known += 1;
            return;
        }
        let lacking = entry(&self.lacking, self.judged / 2);
        let score = score.map(|score| Score { spe: score.spe + lacking, ..score });
        let unusual = score.is_none_or(|score| threshold.judge(score).unusual);
        self.judged += 1;
        self.found += usize::from(unusual);
        let Scores { usual, highest } =
            self.scores.unwrap_or(Scores { usual: T::ZERO, highest: 0 });
        self.unusual += usize::from(score.is_none_or(|score| score.spe > usual));
        let probes = 2 * n.min(MOVED);
        let enough = probes / 4;
        if self.found < enough && self.judged < probes {
            return;
        }
        if self.found < enough
            && let Some(spread) = self.spread
        {
            let cause = if let Some(sample) = spread.outlier {
                Some(Blindness::Outlier { sample })
            } else if 2 * self.unusual >= probes {
                Some(Blindness::Threshold { sample: highest })
            } else {
                spread.stuck.then_some(Blindness::Stuck)
            };
            self.note(cause, spread.deviation);
        }
        (self.spread, self.judged, self.found, self.unusual) = (None, 0, 0, 0);
        self.input += 1;
    }

    /// The current input is blind.
    fn note(&mut self, cause: Option<Blindness>, deviation: T) {
        self.count += 1;
        self.inputs |= u32::try_from(self.input).map_or(0, |i| 1_u64.checked_shl(i).unwrap_or(0));
        let blind = Blind { input: self.input, cause, deviation };
        self.blind = self.blind.or(Some(blind));
    }

    /// After the last input: says what was found; `row` turns a position into the caller's number
    /// of a sample. Returns the blind ones of the first 64 inputs as bits.
    pub(super) fn report(&self, row: impl Fn(usize) -> usize, warnings: &mut Warnings) -> u64 {
        if let Some(Blind { input: first, cause, deviation }) = self.blind {
            let unscaled = deviation * T::from_f64(UNSCALED) < self.widest;
            let otherwise = if unscaled { Blindness::Scale } else { Blindness::Kernel };
            let cause = cause.unwrap_or(otherwise).renumbered(row);
            warn(warnings, Warning::BlindInputs { first, count: self.count, cause });
        }
        self.inputs
    }
}

/// The position of the largest value; among equal ones, of the first.
pub(super) fn highest<T: Real>(values: impl IntoIterator<Item = T>) -> usize {
    first_least(values.into_iter().map(|value| -value)).map_or(0, |(position, _)| position)
}

enum Measured<T> {
    Constant,
    /// All samples but this one have the same value.
    ConstantBut {
        sample: usize,
    },
    Varies(Spread<T>),
}

/// The range of the values without the lowest and the highest tenth gives the deviation. Where
/// more than half of them are the same, the others' median distance from it does: the step of a
/// sensor with few levels, or what one that hangs does while it works.
fn measure<T: Real, S: Samples<View: Inspect> + ?Sized>(
    samples: &S,
    input: usize,
    sorting: &mut [T],
) -> Measured<T> {
    let value = |x: &S::View| x.number::<T>(input);
    let n = samples.count();
    let some = spread_over(n, VALUES).filter_map(|i| value(samples.sample(i)?));
    let values = sorted(some, sorting);
    let (Some(low), Some(median), Some(high)) =
        (tenth(values, 1), tenth(values, 5), tenth(values, 9))
    else {
        return Measured::Constant;
    };
    let distances = || samples.iter_samples().filter_map(value).map(|value| (value - median).abs());
    let others = || distances().filter(|&distance| distance > T::ZERO);
    let (sample, count) = (highest(distances()), others().count());
    let stuck = 2 * count < n;
    let deviation = match count {
        0 => return Measured::Constant,
        1 => return Measured::ConstantBut { sample },
        _ if stuck => entry(sorted(others(), sorting), count.div_ceil(2) - 1),
        _ => (high - low) / T::from_f64(INNER_RANGE),
    };
    let limit = deviation * T::from_f64(OUTLIER);
    let outlier = distances().nth(sample).is_some_and(|largest| largest > limit);
    Measured::Varies(Spread { deviation, stuck, outlier: outlier.then_some(sample) })
}

/// At most so many of `n` positions, spread over them.
pub(super) fn spread_over(n: usize, most: usize) -> impl Iterator<Item = usize> {
    let count = n.min(most);
    (0..count).filter_map(move |i| ((2 * i + 1) * n).checked_div(2 * count))
}

/// The value that has so many tenths of the sorted ones below it; none of none.
fn tenth<T: Real>(sorted: &[T], tenths: usize) -> Option<T> {
    let last = sorted.len().checked_sub(1)?;
    sorted.get((sorted.len() * tenths / 10).min(last)).copied()
}
