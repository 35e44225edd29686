//! What cannot be right, or may not be, about samples, kernel and model.

use super::copies;
use super::probe::spread_over;
use super::report::{Warning, Warnings, warn};
use crate::detect::reading::Inspect;
use crate::error::Error;
use crate::kernel::{BlockKernel, Samples};
use crate::kpca::{Components, FitReport};
use crate::math::{Real, sum};

/// Looks for what is wrong with the samples themselves; `room` has a place for each of them.
pub(super) fn inspect<S: Samples<View: Inspect> + ?Sized>(
    samples: &S,
    room: &mut [u32],
    warnings: &mut Warnings,
) {
    let n = samples.count();
    let inputs = samples.sample(0).map_or(0, Inspect::inputs);
    let constant = || (0..inputs).filter(|&input| longest_run(samples, input).length == n);
    let stuck = || (0..inputs).filter(|&input| was_stuck(samples, input));
    if let Some(first) = constant().next() {
        warn(warnings, Warning::ConstantInputs { first, count: constant().count() });
    }
    if let Some(first) = stuck().next() {
        warn(warnings, Warning::StuckInputs { first, count: stuck().count() });
    }
    let copies = copies::count(samples, room);
    let are_natural = || inputs > 0 && (0..inputs).all(|input| is_coarse(samples, input));
    if copies * COPIES_IN > n && !are_natural() {
        warn(warnings, Warning::Duplicates { samples: copies });
    }
    let advised = advised_samples(samples);
    if n < advised {
        warn(warnings, Warning::FewSamples { given: n, advised });
    }
}

/// One copy in so many samples: fewer move a threshold for 5 % by half of its rate at the most.
const COPIES_IN: usize = 40;
/// From how many samples it is told whether an input is coarse.
const LEVELS_OF: usize = 128;

/// Does an input have few levels, so that samples can be equal without being copies? Of samples
/// that are no copies, at most half have a new value of it.
fn is_coarse<S: Samples<View: Inspect> + ?Sized>(samples: &S, input: usize) -> bool {
    let some = || spread_over(samples.count(), LEVELS_OF).filter_map(|i| samples.sample(i));
    let (mut distinct, mut levels) = (0, 0);
    for (i, x) in some().enumerate() {
        let earlier = || some().take(i);
        distinct += usize::from(!earlier().any(|y| y.equals(x)));
        levels += usize::from(!earlier().any(|y| y.same_input(x, input)));
    }
    2 * levels <= distinct
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

/// Did an input keep a value for more than half of the time that it hardly ever has otherwise? One
/// that nearly always has the same value is not stuck, it is like that.
fn was_stuck<S: Samples<View: Inspect> + ?Sized>(samples: &S, input: usize) -> bool {
    let n = samples.count();
    let Run { start, length } = longest_run(samples, input);
    let Some(kept) = samples.sample(start).filter(|_| (n / 2 + 1..n).contains(&length)) else {
        return false;
    };
    let same = samples.iter_samples().filter(|x| x.same_input(kept, input)).count();
    2 * (same - length) <= n - length
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
