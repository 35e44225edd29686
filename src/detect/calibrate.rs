//! A threshold for a wished share of false alarms, and how far samples can support the wish.
//!
//! A false alarm is here a normal reading that is *unusual*: above the threshold. An
//! [`Alarm`](crate::Alarm) takes more than one of them; the
//! [report](crate::detect::LearnReport::alarms) says how often the samples raise it.
//!
//! The scores of the samples a model was fitted to say little about those of new readings: the
//! model has bent itself towards them. On six real data sets a 5 % threshold taken from them gave
//! 33 % false alarms (`docs/EVALUATION.md`). So the samples are scored by *cross-fit*: they are
//! dealt into folds, and each fold is scored by a model that was fitted to the others. The
//! threshold is then the `⌈(n+1)(1−α)⌉`-th smallest of these `n` scores. If they all came from one
//! model that had seen none of them, this would bound the share of false alarms by `α` for readings
//! that are exchangeable with the samples (split conformal prediction; Vovk et al. 2005). They come
//! from as many models as there are folds, and the final one is fitted to all samples: the rate is
//! then close to `α`, mostly below, but not bounded by it. `docs/CALIBRATION.md` has what it was
//! for many kinds of readings, `docs/EVALUATION.md` on real data.
//!
//! The readings after learning can take the place of cross-fit: see
//! [`later`](crate::detect::later).
//!
//! *Exchangeable* means: taken under the same conditions as the samples, and independent of each
//! other. Of readings that drift, or that are like their neighbours, more raise false alarms.
//! Learning looks for both and [warns](crate::detect::Warning). And no wish is met by too few
//! samples: `n` of them support about one false alarm in `n + 1` readings, not fewer. The
//! [report](crate::detect::LearnReport) says what was wished for, and what is supported.

use crate::error::Error;
use crate::math::Real;

/// How many false alarms are wished for, among readings that are
/// [exchangeable](self) with the samples: normal readings that are
/// [unusual](crate::Verdict::unusual). Alarms that an [`Alarm`](crate::Alarm) raises are fewer.
///
/// The fewer they may be, the more samples it takes: 5 % wants a few dozen, 1 % several hundred.
/// With fewer the threshold is one of the largest scores seen, which lets many anomalies pass; with
/// fewer than `1/α − 1` it is the largest, and there will be more false alarms than wished for:
/// about one in `n + 1` readings.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum FalseAlarms<T> {
    /// This share of normal readings, between 0 and 1.
    Share(T),
    /// So many a day, at so many readings a second.
    PerDay {
        /// Unusual readings a day that are normal, > 0.
        alarms: T,
        /// Readings a second, > 0.
        hertz: T,
    },
}

impl<T: Real> FalseAlarms<T> {
    /// As a share of the normal readings.
    ///
    /// ```
    /// use mercer::detect::FalseAlarms;
    /// let alpha = FalseAlarms::PerDay { alarms: 864.0, hertz: 1.0 }.share()?;
    /// assert_eq!(alpha, 0.01);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] when it does not lie between 0 and 1, or when alarms or readings are
    /// not more than 0.
    pub fn share(&self) -> Result<T, Error> {
        let share = match *self {
            Self::Share(share) => share,
            Self::PerDay { alarms, hertz } if alarms > T::ZERO && hertz > T::ZERO => {
                alarms / (hertz * T::from_f64(86_400.0))
            }
            Self::PerDay { .. } => {
                let rule = "more than 0 alarms a day, at more than 0 readings a second";
                return Err(Error::Parameter { name: "false_alarms", rule });
            }
        };
        if share > T::ZERO && share < T::ONE {
            Ok(share)
        } else {
            Err(Error::Parameter { name: "false_alarms", rule: "a share > 0 and < 1" })
        }
    }
}

/// A threshold, and whether there are enough scores to back it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Quantile<T> {
    /// Scores above this are unusual.
    pub threshold: T,
    /// The wish was for more than the scores can tell: the threshold is the largest of them, and
    /// the share of false alarms is about `1/(n+1)`, more than was wished for.
    pub unsupported: bool,
}

/// The `⌈(n+1)(1−α)⌉`-th smallest score, or the largest when that is beyond `n`; at most `64n`
/// comparisons in `f32`, `128n` in `f64`.
///
/// ```
/// use mercer::detect::calibrate::quantile;
/// let scores: [f32; 19] = core::array::from_fn(|i| i as f32);
/// assert_eq!(quantile(&scores, 0.1).map(|q| q.threshold), Some(17.0)); // the 18th
/// assert!(quantile(&scores, 0.01).is_some_and(|q| q.unsupported));
/// ```
pub fn quantile<T: Real>(scores: &[T], alpha: T) -> Option<Quantile<T>> {
    let rank = rank(scores.len(), alpha);
    let threshold = nth_smallest(|| scores.iter().copied(), rank.min(scores.len()))?;
    Some(Quantile { threshold, unsupported: rank > scores.len() })
}

/// `⌈(n+1)(1−α)⌉`; a product that is whole but for rounding counts as whole.
fn rank<T: Real>(n: usize, alpha: T) -> usize {
    let exact = T::from_usize(n + 1) * (T::ONE - alpha);
    let lenient = exact - exact * T::EPSILON * T::from_f64(16.0);
    (1..=n).find(|&rank| T::from_usize(rank) >= lenient).unwrap_or(n + 1)
}

/// The fewest samples of which the `⌈(n+1)(1−α)⌉`-th exists: `1/α − 1`, rounded up; `usize::MAX`
/// stands for that many and more.
pub(crate) fn samples_for<T: Real>(alpha: T) -> usize {
    // What is whole but for the rounding of α counts as whole.
    let exact = (1.0 - T::EPSILON.to_f64()) / alpha.to_f64() - 1.0;
    let whole = exact as usize;
    if (whole as f64) < exact { whole.saturating_add(1) } else { whole }.max(1)
}

/// The smallest share of false alarms that so many samples support: that of readings which score
/// higher than all of them.
pub(crate) fn supported_share<T: Real>(samples: usize) -> T {
    T::ONE / (T::from_usize(samples) + T::ONE)
}

/// The `rank`-th smallest value, counted from 1; of equal ones, the first.
///
/// At most 32 passes over the values in `f32`, 64 in `f64`, and no more than there are different
/// values: the numbers between the two values that it may be are halved, and these move on to the
/// next values inwards.
pub(crate) fn nth_smallest<T: Real, I: Iterator<Item = T>>(
    values: impl Fn() -> I,
    rank: usize,
) -> Option<T> {
    // What is not a number is neither smaller nor larger.
    let mut numbers = values().filter(|value| value.partial_cmp(value).is_some());
    let first = numbers.next()?;
    let (mut low, mut high, mut count) = (first, first, 1);
    for value in numbers {
        low = if value < low { value } else { low };
        high = high.larger(value);
        count += 1;
    }
    if !(1..=count).contains(&rank) {
        return None;
    }
    while low < high {
        let middle = T::halfway(low, high);
        let (mut below, mut above, mut not_larger) = (low, high, 0);
        for value in values() {
            if value <= middle {
                below = below.larger(value);
                not_larger += 1;
            } else if value < above {
                above = value;
            }
        }
        if rank <= not_larger { high = below } else { low = above }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantile_counts_as_the_definition_says() {
        let scores = [5.0_f64, 1.0, 3.0, 3.0, 2.0, 9.0, 7.0, 4.0, 8.0];
        // ⌈10·0.9⌉ = 9th, ⌈10·0.8⌉ = 8th, ⌈10·0.5⌉ = 5th of nine.
        for (alpha, expected) in [(0.1, 9.0), (0.2, 8.0), (0.5, 4.0), (0.6, 3.0), (0.7, 3.0)] {
            let found = quantile(&scores, alpha).unwrap();
            assert_eq!(found, Quantile { threshold: expected, unsupported: false }, "{alpha}");
        }
        let found = quantile(&scores, 0.05).unwrap();
        assert_eq!(found, Quantile { threshold: 9.0, unsupported: true });
        assert_eq!(quantile::<f64>(&[], 0.05), None);
    }

    /// Compared with sorting: ties, signs, zeros of both signs, huge and tiny values, and what is
    /// no number.
    #[test]
    fn ranks_are_those_of_sorted_values() {
        let mut state = 1_u32;
        let mut random = move |range: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % range
        };
        for round in 0..400 {
            let count = random(40) as usize;
            let values: std::vec::Vec<f32> = (0..count)
                .map(|_| match round % 4 {
                    0 => random(7) as f32 - 3.0,
                    1 => f32::from_bits(random(1 << 24) << 8),
                    2 => [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::MIN_POSITIVE / 2.0]
                        [random(5) as usize],
                    _ => [f32::NAN, 1.0, 1.0 + f32::EPSILON, -1.0][random(4) as usize],
                })
                .collect();
            let mut sorted: std::vec::Vec<f32> =
                values.iter().copied().filter(|value| !value.is_nan()).collect();
            sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
            for rank in 0..=count + 1 {
                let expected = rank.checked_sub(1).and_then(|i| sorted.get(i).copied());
                let found = nth_smallest(|| values.iter().copied(), rank);
                assert_eq!(found, expected, "{rank} of {values:?}");
                // Of equal ones the first: also of zeros.
                let first = expected.and_then(|e| values.iter().copied().find(|&v| v == e));
                assert_eq!(found.map(f32::to_bits), first.map(f32::to_bits));
            }
        }
    }

    /// However the values are ordered and spread.
    #[test]
    fn passes_do_not_grow_with_the_number_of_values() {
        let passes = core::cell::Cell::new(0);
        for spread in [1.0, 1e-30, 1e30] {
            let values = |i: i32| f64::from(i - 50_000) * spread;
            for ascending in [true, false] {
                passes.set(0);
                let found = nth_smallest(
                    || {
                        passes.set(passes.get() + 1);
                        (0..100_000).map(|i| values(if ascending { i } else { 99_999 - i }))
                    },
                    77_777,
                );
                assert_eq!(found, Some(values(77_776)));
                assert!(passes.get() <= 65, "{} passes", passes.get());
            }
        }
    }

    #[test]
    fn rounding_of_alpha_does_not_move_the_rank() {
        for (n, alpha, expected) in
            [(99, 0.01, 99), (99, 0.05, 95), (199, 0.1, 180), (19, 0.05, 19)]
        {
            assert_eq!(rank(n, alpha), expected);
            assert_eq!(rank(n, alpha as f32), expected, "f32");
        }
    }

    #[test]
    fn impossible_rates_are_refused() {
        for wish in [
            FalseAlarms::Share(0.0),
            FalseAlarms::Share(1.0),
            FalseAlarms::Share(f32::NAN),
            FalseAlarms::PerDay { alarms: 1.0, hertz: 0.0 },
            FalseAlarms::PerDay { alarms: 1e6, hertz: 1.0 },
            FalseAlarms::PerDay { alarms: -1.0, hertz: 1.0 },
            FalseAlarms::PerDay { alarms: 1.0, hertz: -1.0 },
            FalseAlarms::PerDay { alarms: -1.0, hertz: -1.0 },
            FalseAlarms::PerDay { alarms: 0.0, hertz: 1.0 },
            FalseAlarms::PerDay { alarms: f32::NAN, hertz: 1.0 },
            FalseAlarms::PerDay { alarms: 1.0, hertz: f32::NAN },
            FalseAlarms::PerDay { alarms: 1.0, hertz: f32::INFINITY },
            FalseAlarms::PerDay { alarms: f32::INFINITY, hertz: f32::INFINITY },
        ] {
            let refused = wish.share();
            assert!(
                matches!(refused, Err(Error::Parameter { name: "false_alarms", .. })),
                "{wish:?}: {refused:?}"
            );
        }
    }

    #[test]
    fn samples_for_a_rate_are_the_fewest_that_support_it() {
        for (alpha, expected) in
            [(0.5, 1), (0.3, 3), (0.05, 19), (0.01, 99), (0.003, 333), (1e-5, 99_999)]
        {
            assert_eq!(samples_for(alpha), expected, "{alpha}");
            assert_eq!(samples_for(alpha as f32), expected, "{alpha} in f32");
            assert!(supported_share::<f64>(expected) <= alpha * (1.0 + 1e-12));
            assert!(expected == 1 || supported_share::<f64>(expected - 1) > alpha);
        }
        assert_eq!(samples_for(1e-9), 999_999_999);
        assert_eq!(samples_for(1.0 / 86_400_000.0), 86_399_999);
        assert_eq!(samples_for(1e-300), usize::MAX);
        assert_eq!(samples_for(f32::from_bits(1)), usize::MAX);
    }
}
