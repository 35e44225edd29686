//! What cannot be right, or may not be, about samples, kernel and model.

use super::copies;
use super::probe::spread_over;
use super::report::{Warning, Warnings, warn};
use crate::Progress;
use crate::detect::reading::Inspect;
use crate::error::Error;
use crate::kernel::{BlockKernel, Index, Samples};
use crate::kpca::{Components, FitReport};
use crate::math::{Real, sum};

/// How far the look at the samples themselves has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Inspection {
    constant: Group,
    stuck: Group,
    part: Part,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum Part {
    /// Look at the values of some inputs, from this one on.
    Inputs(usize),
    /// Count the samples that are copies of others.
    Copies,
    /// There are so many copies. Are they natural, because all inputs have few levels?
    Levels { copies: usize, levels: Levels },
    /// Are there enough samples?
    Count,
}

/// Some inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
struct Group {
    first: usize,
    count: usize,
}

impl Group {
    const NONE: Self = Self { first: 0, count: 0 };

    fn add(&mut self, input: usize) {
        if self.count == 0 {
            self.first = input;
        }
        self.count += 1;
    }
}

/// How many inputs are looked at in a step.
const INPUTS: usize = 4;

impl Inspection {
    pub(super) const NEW: Self =
        Self { constant: Group::NONE, stuck: Group::NONE, part: Part::Inputs(0) };

    /// Goes on to look for what is wrong with the samples; `room` has a place for each of them.
    pub(super) fn step<S: Samples<View: Inspect> + ?Sized, I: Index>(
        &mut self,
        samples: &S,
        room: &mut [I],
        warnings: &mut Warnings,
    ) -> Progress {
        let (n, inputs) = (samples.count(), samples.sample(0).map_or(0, Inspect::inputs));
        match &mut self.part {
            Part::Inputs(next) => {
                let some = *next..inputs.min(*next + INPUTS);
                *next = some.end;
                for input in some {
                    match was_stuck(samples, input) {
                        Stuck::Always => self.constant.add(input),
                        Stuck::Mostly => self.stuck.add(input),
                        Stuck::No => {}
                    }
                }
                if *next == inputs {
                    self.part = Part::Copies;
                }
            }
            Part::Copies => {
                if let Group { first, count: count @ 1.. } = self.constant {
                    warn(warnings, Warning::ConstantInputs { first, count });
                }
                if let Group { first, count: count @ 1.. } = self.stuck {
                    warn(warnings, Warning::StuckInputs { first, count });
                }
                let copies = copies::count(samples, room);
                let many = copies * COPIES_IN > n;
                let levels = Levels::of(0);
                self.part = if many { Part::Levels { copies, levels } } else { Part::Count };
            }
            Part::Levels { copies, levels } if levels.input < inputs => {
                match levels.step(samples) {
                    Some(true) => *levels = Levels::of(levels.input + 1),
                    Some(false) => {
                        let copies = *copies;
                        self.warn_of_copies(copies, warnings);
                    }
                    None => {}
                }
            }
            // Without inputs, there is nothing that copies would be natural for.
            Part::Levels { copies, .. } if inputs == 0 => {
                let copies = *copies;
                self.warn_of_copies(copies, warnings);
            }
            Part::Levels { .. } => self.part = Part::Count,
            Part::Count => {
                let advised = advised_samples(samples);
                if n < advised {
                    warn(warnings, Warning::FewSamples { given: n, advised });
                }
                return Progress::Done;
            }
        }
        Progress::Working
    }

    fn warn_of_copies(&mut self, samples: usize, warnings: &mut Warnings) {
        warn(warnings, Warning::Duplicates { samples });
        self.part = Part::Count;
    }
}

/// One copy in so many samples: fewer move a threshold for 5 % by half of its rate at the most.
const COPIES_IN: usize = 40;
/// From how many samples it is told whether an input is coarse.
const LEVELS_OF: usize = 128;
/// How many of these are compared with the earlier ones in a step.
const COMPARED: usize = 4;

/// Does an input have few levels, so that samples can be equal without being copies? Of samples
/// that are no copies, at most half have a new value of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
struct Levels {
    input: usize,
    /// How many samples were compared.
    done: usize,
    distinct: usize,
    levels: usize,
}

impl Levels {
    const fn of(input: usize) -> Self {
        Self { input, done: 0, distinct: 0, levels: 0 }
    }

    /// Compares some samples with the earlier ones; after the last, says whether the input is
    /// coarse.
    fn step<S: Samples<View: Inspect> + ?Sized>(&mut self, samples: &S) -> Option<bool> {
        let some = || spread_over(samples.count(), LEVELS_OF).filter_map(|i| samples.sample(i));
        for (i, x) in some().enumerate().skip(self.done).take(COMPARED) {
            let earlier = || some().take(i);
            self.distinct += usize::from(!earlier().any(|y| y.equals(x)));
            self.levels += usize::from(!earlier().any(|y| y.same_input(x, self.input)));
            self.done = i + 1;
        }
        let all = samples.count().min(LEVELS_OF);
        (self.done == all).then_some(2 * self.levels <= self.distinct)
    }
}

/// How many independent samples it takes to know the inputs.
///
/// With two for each of 32 inputs, realised false alarms are as far from the wished 5 % as with
/// four: 3.7 and 6.1 % of Gaussian readings, 7.1 and 6.8 % of heavy-tailed ones.
pub(super) fn advised_samples<S: Samples<View: Inspect> + ?Sized>(samples: &S) -> usize {
    (2 * samples.sample(0).map_or(0, Inspect::inputs)).max(32)
}

/// Samples in a row with the same value for an input.
struct Run {
    start: usize,
    length: usize,
}

/// The longest of them; of equal ones, the first.
fn longest_run<S: Samples<View: Inspect> + ?Sized>(samples: &S, input: usize) -> Run {
    let (mut longest, mut run) = (Run { start: 0, length: 0 }, Run { start: 0, length: 0 });
    let mut last = None::<&S::View>;
    for (i, x) in samples.iter_samples().enumerate() {
        run = match last.is_some_and(|last| last.same_input(x, input)) {
            true => Run { length: run.length + 1, ..run },
            false => Run { start: i, length: 1 },
        };
        if run.length > longest.length {
            longest = Run { ..run };
        }
        last = Some(x);
    }
    longest
}

/// Did an input keep its value?
enum Stuck {
    /// In all samples.
    Always,
    /// For more than half of the time, with a value that it hardly ever has otherwise.
    Mostly,
    /// One that nearly always has the same value is not stuck, it is like that.
    No,
}

fn was_stuck<S: Samples<View: Inspect> + ?Sized>(samples: &S, input: usize) -> Stuck {
    let n = samples.count();
    let Run { start, length } = longest_run(samples, input);
    if length == n {
        return Stuck::Always;
    }
    let Some(kept) = samples.sample(start).filter(|_| length > n / 2) else {
        return Stuck::No;
    };
    let same = samples.iter_samples().filter(|x| x.same_input(kept, input)).count();
    if 2 * (same - length) <= n - length { Stuck::Mostly } else { Stuck::No }
}

/// Refuses a model that could not work, and warns of one that may not.
pub(super) fn require_sense<K, T, S>(
    kernel: &K,
    samples: &S,
    wish: Components<T>,
    report: &FitReport<T>,
    total_variance: T,
    warnings: &mut Warnings,
) -> Result<(), Error>
where
    T: Real,
    S: Samples + ?Sized,
    K: BlockKernel<S::View, Scalar = T>,
{
    let n = T::from_usize(report.samples);
    let norm = sum(samples.iter_samples().map(|x| kernel.diagonal(x))) / n;
    if likeness(kernel, samples) < T::from_f64(NARROW) * norm {
        return Err(Error::KernelTooNarrow);
    }
    if total_variance < T::from_f64(WIDE) * T::EPSILON * norm {
        return Err(Error::KernelTooWide);
    }
    if report.components == report.rank && report.unspanned <= n * T::EPSILON {
        return Err(Error::NoResidual { components: report.components });
    }
    if report.indefinite {
        warn(warnings, Warning::Indefinite);
    }
    if let Components::Share(share) = wish {
        let tolerable = T::ONE - share;
        let unexplained = T::ONE - report.unspanned - report.explained;
        let capped = report.components < report.rank;
        if capped && unexplained > tolerable.larger(T::from_f64(UNEXPLAINED)) {
            warn(warnings, Warning::ComponentsCapped);
        }
        if report.unspanned > tolerable.larger(T::from_f64(UNSPANNED)) {
            warn(warnings, Warning::PointsCapped);
        }
    }
    Ok(())
}

/// A share of the variance that may lie outside the span of the points, whatever the recipe asks
/// for. On six real sets, the mean AUROC of 48 points (at most 2 % outside with 128 rows, 7 % with
/// up to 2000) is .934; of 32, 24, 16 and 8 points (1, 6, 13, 39 % outside on average) .928, .918,
/// .914, .900.
const UNSPANNED: f64 = 0.1;
/// A share of the variance that components without room would have explained, and that may be
/// missed. With room for 24, 16, 8 and 4 components (2, 4, 13, 31 % missed) the same AUROC is .934,
/// .932, .932, .924.
const UNEXPLAINED: f64 = 0.2;

/// Samples that are less [alike](likeness) than this share of `k(x,x)` are islands: the default
/// kernel makes it about 0.8.
const NARROW: f64 = 0.05;
/// A total variance of so few ε of `k(x,x)` is mostly rounding: with it the second digit of a score
/// is lost.
const WIDE: f64 = 1000.0;

/// How alike two different samples are: root mean square of `k(x,y)`, over `n` pairs that lie far
/// apart in the order of the samples.
fn likeness<K, T, S>(kernel: &K, samples: &S) -> T
where
    T: Real,
    S: Samples + ?Sized,
    K: BlockKernel<S::View, Scalar = T>,
{
    let n = samples.count().max(1);
    let apart = (2 * n / 5).max(1);
    let others = (apart..n).chain(0..apart).filter_map(|i| samples.sample(i));
    let squares = samples.iter_samples().zip(others).map(|(x, y)| {
        let value = kernel.eval(x, y);
        value * value
    });
    (sum(squares) / T::from_usize(n)).sqrt()
}

/// Samples that differ, but not in feature space, are not to blame: the kernel is.
pub(super) fn name_cause<S: Samples<View: Inspect> + ?Sized>(error: Error, samples: &S) -> Error {
    let first = || samples.sample(0);
    let differ = || samples.iter_samples().any(|x| first().is_some_and(|first| !x.equals(first)));
    if error == Error::NoVariance && differ() { Error::KernelTooWide } else { error }
}
