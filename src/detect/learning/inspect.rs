//! What cannot be right, or may not be, about samples, kernel and model.

use super::report::{Warning, Warnings, warn};
use crate::detect::reading::Inspect;
use crate::error::Error;
use crate::kernel::{BlockKernel, Samples};
use crate::kpca::{Components, FitReport};
use crate::math::{Real, sum};

/// Looks for what is wrong with the samples themselves.
pub(super) fn inspect<S: Samples<View: Inspect> + ?Sized>(samples: &S, warnings: &mut Warnings) {
    let n = samples.count();
    let inputs = samples.sample(0).map_or(0, Inspect::inputs);
    let longest = |input: usize| longest_run(samples, input);
    let constant = || (0..inputs).filter(|&input| longest(input) == n);
    let stuck = || (0..inputs).filter(|&input| (n / 2 + 1..n).contains(&longest(input)));
    if let Some(first) = constant().next() {
        warn(warnings, Warning::ConstantInputs { first, count: constant().count() });
    }
    if let Some(first) = stuck().next() {
        warn(warnings, Warning::StuckInputs { first, count: stuck().count() });
    }
    let is_copy = |(i, x): &(usize, &S::View)| samples.iter_samples().take(*i).any(|y| y.equals(x));
    let copies = samples.iter_samples().enumerate().filter(is_copy).count();
    if copies > 0 {
        warn(warnings, Warning::Duplicates { samples: copies });
    }
    let advised = advised_samples(samples);
    if n < advised {
        warn(warnings, Warning::FewSamples { given: n, advised });
    }
}

/// How many independent samples it takes to know the inputs.
pub(super) fn advised_samples<S: Samples<View: Inspect> + ?Sized>(samples: &S) -> usize {
    (4 * samples.sample(0).map_or(0, Inspect::inputs)).max(32)
}

/// Length of the longest run of samples with the same value for an input.
fn longest_run<S: Samples<View: Inspect> + ?Sized>(samples: &S, input: usize) -> usize {
    let (mut longest, mut run, mut last) = (0, 0, None::<&S::View>);
    for x in samples.iter_samples() {
        run = if last.is_some_and(|last| last.same_input(x, input)) { run + 1 } else { 1 };
        longest = longest.max(run);
        last = Some(x);
    }
    longest
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
    if let Components::Share(share) = wish
        && report.explained < share
    {
        if report.components < report.rank {
            warn(warnings, Warning::ComponentsCapped);
        }
        if report.unspanned > T::ONE - share {
            warn(warnings, Warning::PointsCapped);
        }
    }
    Ok(())
}

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
