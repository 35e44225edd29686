//! Learning a detector: cross-fit, calibration and fit, in bounded steps.
//!
//! 1. Each fold is scored by a model fitted to the other folds.
//! 2. If asked to, the worst-scoring share of the samples is left out, and 1 is done once more without it.
//! 3. The thresholds are taken from these scores (see [`calibrate`](crate::calibrate)), and the model is fitted to all samples.
//!
//! What cannot be right is refused, what may not be is said: see [`Warning`] and the last variants of [`Error`].
//!
//! [`Learning`] is the state alone. Samples, kernel and memory come with each call, so a [`Learner`](crate::Learner) in statics and a
//! host program with sizes from a file share this code.

use core::fmt;

use crate::calibrate::{FalseAlarms, FoldOrder, nth_smallest, quantile};
use crate::cholesky::Landmarks;
use crate::detector::{Thresholds, Watch};
use crate::eigen::Progress;
use crate::error::Error;
use crate::fit::landmark::{LandmarkFit, LandmarkScratch};
use crate::fit::{Components, Report};
use crate::kernel::Kernel;
use crate::math::{Real, sum};
use crate::model::{ExpansionMut, KernelPcaView};
use crate::samples::{Indexed, Samples};

/// Every choice that learning makes; the default is the recipe `8m` of `docs/EVALUATION.md` with `γ` left to the caller.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Recipe<T> {
    /// Whether a [`Learner`](crate::Learner) standardises the inputs, with its first fit. Default: yes. (Who calls [`Learning`] scales samples itself.)
    pub standardise: bool,
    /// How many points the model may have. Default: as many as there is room for.
    pub landmarks: Landmarks<T>,
    /// How many components it keeps. Default: 99 % of the variance.
    pub components: Components<T>,
    /// How many folds the samples are dealt into, at least 2. Default: 4.
    pub folds: usize,
    /// How they are dealt. Default: in blocks, for readings that follow each other in time.
    pub order: FoldOrder,
    /// How many false alarms are tolerable. Default: 5 % of normal readings.
    pub false_alarms: FalseAlarms<T>,
    /// Which scores can raise an alarm. Default: SPE. With both, each gets half of the false alarms.
    pub watch: Watch,
    /// Which share of the samples, those that score worst, to leave out: field data are never clean. Thresholds are taken from those that
    /// remain: if more is trimmed than is bad, normal readings like the trimmed ones raise false alarms, up to this share on top of the wish. Default: 0.
    pub trim: T,
}

impl<T: Real> Default for Recipe<T> {
    fn default() -> Self {
        Self {
            standardise: true,
            landmarks: Landmarks::Room,
            components: Components::Share(T::from_f64(0.99)),
            folds: 4,
            order: FoldOrder::Contiguous,
            false_alarms: FalseAlarms::Share(T::from_f64(0.05)),
            watch: Watch::Spe,
            trim: T::ZERO,
        }
    }
}

impl<T: Real> Recipe<T> {
    /// Are its values in their domain? (Landmarks and components are checked by the fit.)
    fn validate(&self) -> Result<(), Error> {
        self.false_alarms.share()?;
        if self.folds < 2 {
            return Err(Error::Parameter { name: "folds", rule: ">= 2" });
        }
        if self.trim >= T::ZERO && self.trim <= T::from_f64(0.5) {
            Ok(())
        } else {
            Err(Error::Parameter { name: "trim", rule: "a share >= 0 and <= 0.5" })
        }
    }
}

/// Something about the samples or the result that may not be what was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Warning {
    /// Inputs that never changed: a sensor that is disconnected, or not needed.
    ConstantInputs {
        /// The first of them.
        first: usize,
        /// How many there are.
        count: usize,
    },
    /// Inputs that kept one value for more than half of the time: a sensor that got stuck.
    StuckInputs {
        /// The first of them.
        first: usize,
        /// How many there are.
        count: usize,
    },
    /// Samples that are exact copies of earlier ones: they teach nothing, and cross-fit takes them for new ones.
    Duplicates {
        /// How many there are.
        samples: usize,
    },
    /// Fewer samples than it takes to know the inputs.
    FewSamples {
        /// How many there are.
        given: usize,
        /// How many would be better: at least 32, and four for each input.
        advised: usize,
    },
    /// The samples are too few for the wish for false alarms: the threshold is their largest score.
    UnsupportedRate {
        /// How many it would take.
        needed: usize,
    },
    /// There was no room for the components that the recipe asks for.
    ComponentsCapped,
    /// The points do not span the share of the variance that the recipe asks for: more of them would, or a wider kernel.
    PointsCapped,
    /// The kernel is not positive semi-definite: scores have no meaning as distances.
    Indefinite,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::ConstantInputs { first, count } => {
                write!(f, "{count} inputs never changed, the first is {first}")
            }
            Self::StuckInputs { first, count } => {
                write!(f, "{count} inputs were stuck for half of the time, the first is {first}")
            }
            Self::Duplicates { samples } => write!(f, "{samples} samples are copies of others"),
            Self::FewSamples { given, advised } => {
                write!(f, "few samples: {given} given, {advised} would be better")
            }
            Self::UnsupportedRate { needed } => {
                write!(f, "so few false alarms can only be promised with {needed} samples")
            }
            Self::ComponentsCapped => {
                f.write_str("no room for the components that the recipe asks for")
            }
            Self::PointsCapped => {
                f.write_str("the points do not span the variance that the recipe asks for")
            }
            Self::Indefinite => f.write_str("kernel is not positive semi-definite"),
        }
    }
}

/// What learning found; each kind of warning at most once.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct LearnReport<T> {
    /// The fit to all samples.
    pub fit: Report<T>,
    /// The calibrated thresholds.
    pub thresholds: Thresholds<T>,
    /// The share of false alarms the thresholds are for.
    pub false_alarms: T,
    /// How many samples were left out.
    pub trimmed: usize,
    warnings: heapless::Vec<Warning, 8>,
}

impl<T> LearnReport<T> {
    /// What may not be as it was meant.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}

/// Borrowed memory for learning from `n` samples, of whatever origin.
#[derive(Debug)]
pub struct LearnScratch<'a, T> {
    /// For the fits.
    pub landmark: LandmarkScratch<'a, T>,
    /// `n`; the samples that are not trimmed, in order.
    pub kept: &'a mut [u32],
    /// `n`; those that the current fit is made to.
    pub rows: &'a mut [u32],
    /// `n`; cross-fitted SPE.
    pub spe: &'a mut [T],
    /// `n`; cross-fitted T².
    pub t2: &'a mut [T],
    /// One for each component there is room for.
    pub projection: &'a mut [T],
    /// Where models are built: the folds', and in the end the result.
    pub candidate: ExpansionMut<'a, T>,
}

impl<T: Real> LearnScratch<'_, T> {
    fn require_shape(&self, n: usize) -> Result<(), Error> {
        for (what, expected, given) in [
            ("kept", n, self.kept.len()),
            ("rows", n, self.rows.len()),
            ("spe", n, self.spe.len()),
            ("t2", n, self.t2.len()),
            ("residuals", n, self.landmark.residuals.len()),
            ("projection", self.candidate.capacity().1, self.projection.len()),
        ] {
            if given != expected {
                return Err(Error::Shape { what, expected, given });
            }
        }
        Ok(())
    }
}

/// State of learning in steps.
///
/// For `n` samples of `d` inputs, `r` landmarks and `p` components, a step makes at most `2n` kernel evaluations and about `n·r + r·(r + p)`
/// multiply-adds, or `4n²` comparisons; the first step makes `n²·d/2` comparisons at worst. With `F` folds there are at most
/// `(F + 1)·(3r + 12r²/n·s + 7) + n + 3` steps, `s` being the eigensolver's sweeps; trimming makes the folds' part of it twice.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Learning<K, T> {
    recipe: Recipe<T>,
    kept: usize,
    selected: usize,
    trimmed: usize,
    warnings: heapless::Vec<Warning, 8>,
    thresholds: Thresholds<T>,
    stage: Stage<K, T>,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum Stage<K, T> {
    Inspect,
    /// Choose a kernel for a fold and begin its fit; the fold after the last stands for all samples.
    Begin {
        fold: usize,
    },
    Fit {
        fold: usize,
        kernel: K,
        fit: LandmarkFit<T>,
    },
    /// Score the samples of a fold from this position on.
    Score {
        fold: usize,
        kernel: K,
        position: usize,
    },
    Settle,
    Done {
        kernel: K,
        fit: Report<T>,
    },
}

impl<K, T: Real> Learning<K, T> {
    /// Checks the recipe and the number of samples.
    ///
    /// `order` lists the samples in the order in which they are dealt into folds; it is copied.
    ///
    /// # Errors
    /// [`Error::Parameter`], [`Error::TooFewSamples`] (two are needed for each fold), [`Error::Shape`].
    pub fn start(
        recipe: Recipe<T>,
        order: impl ExactSizeIterator<Item = u32>,
        scratch: &mut LearnScratch<'_, T>,
    ) -> Result<Self, Error> {
        recipe.validate()?;
        let n = order.len();
        scratch.require_shape(n)?;
        let needed = 2 * recipe.folds;
        if n < needed {
            return Err(Error::TooFewSamples { given: n, needed });
        }
        for (place, row) in scratch.kept.iter_mut().zip(order) {
            *place = row;
        }
        Ok(Self {
            recipe,
            kept: n,
            selected: 0,
            trimmed: 0,
            warnings: heapless::Vec::new(),
            thresholds: Thresholds { watch: recipe.watch, ..Thresholds::EMPTY },
            stage: Stage::Inspect,
        })
    }

    /// Says how many of the samples were taken because an earlier detector had found them normal: for each `1 − α` of these `α` were kept out, which the
    /// thresholds have to make up for, or they would fall with each refit. Once all samples were selected, the threshold is their largest score.
    #[must_use]
    pub fn with_selected(self, count: usize) -> Self {
        Self { selected: count, ..self }
    }

    /// Does one piece of the work. `kernel` chooses the kernel for some samples: the same for all, or one that suits them, e.g.
    /// `|rows: &Indexed<'_, _>| Rbf::for_samples(rows, 8.0)` (the compiler needs the type of the argument).
    ///
    /// # Errors
    /// Whatever is wrong with kernel, samples, sizes or wishes; [`Error::KernelTooNarrow`], [`Error::KernelTooWide`] and
    /// [`Error::NoResidual`] for models that could not work.
    pub fn step<S>(
        &mut self,
        samples: &S,
        kernel: impl Fn(&Indexed<'_, S>) -> Result<K, Error>,
        scratch: &mut LearnScratch<'_, T>,
    ) -> Result<Progress, Error>
    where
        S: Samples<View = [T]> + ?Sized,
        K: Kernel<[T], Scalar = T> + Clone,
    {
        let (recipe, kept) = (self.recipe, self.kept);
        match &mut self.stage {
            Stage::Inspect => {
                let all = Indexed { samples, rows: scratch.kept };
                inspect(&all, &mut self.warnings);
                self.stage = Stage::Begin { fold: 0 };
            }
            Stage::Begin { fold } => {
                let fold = *fold;
                let rows = select_rows(scratch, kept, |p| {
                    recipe.order.fold(p, kept, recipe.folds) != fold
                });
                let subset =
                    Indexed { samples, rows: scratch.rows.get(..rows).unwrap_or_default() };
                let kernel = kernel(&subset)?;
                let landmark = &mut scratch.landmark.leading(rows);
                let fit = LandmarkFit::start(
                    &kernel,
                    &subset,
                    recipe.landmarks,
                    recipe.components,
                    landmark,
                )
                .map_err(|error| name_cause(error, &subset))?;
                self.stage = Stage::Fit { fold, kernel, fit };
            }
            Stage::Fit { fold, kernel, fit } => {
                let fold = *fold;
                let rows = count_rows(kept, |p| recipe.order.fold(p, kept, recipe.folds) != fold);
                let subset =
                    Indexed { samples, rows: scratch.rows.get(..rows).unwrap_or_default() };
                let landmark = &mut scratch.landmark.leading(rows);
                let progress = fit
                    .step(kernel, &subset, landmark, &mut scratch.candidate)
                    .map_err(|error| name_cause(error, &subset))?;
                if let Some(report) = progress {
                    let kernel = kernel.clone();
                    self.stage = if fold < recipe.folds {
                        Stage::Score { fold, kernel, position: 0 }
                    } else {
                        self.require_sense(&kernel, &subset, &report, scratch)?;
                        Stage::Done { kernel, fit: report }
                    };
                }
            }
            Stage::Score { fold, kernel, position } => {
                let held_out = |p: &usize| recipe.order.fold(*p, kept, recipe.folds) == *fold;
                match (*position..kept).find(held_out) {
                    Some(p) => {
                        score_held_out(samples, kernel, p, kept, scratch)?;
                        *position = p + 1;
                    }
                    None if *fold + 1 < recipe.folds => {
                        self.stage = Stage::Begin { fold: *fold + 1 }
                    }
                    None => self.stage = Stage::Settle,
                }
            }
            Stage::Settle => self.stage = self.settle(scratch)?,
            Stage::Done { .. } => return Ok(Progress::Done),
        }
        Ok(match self.stage {
            Stage::Done { .. } => Progress::Done,
            _ => Progress::Working,
        })
    }

    /// After the last step: the kernel of the model, and the report.
    pub fn result(&self) -> Option<(&K, LearnReport<T>)> {
        match &self.stage {
            Stage::Done { kernel, fit } => Some((
                kernel,
                LearnReport {
                    fit: *fit,
                    thresholds: self.thresholds,
                    false_alarms: self.recipe.false_alarms.share().unwrap_or(T::ZERO),
                    trimmed: self.trimmed,
                    warnings: self.warnings.clone(),
                },
            )),
            _ => None,
        }
    }

    /// Trims, once, or takes the thresholds.
    fn settle(&mut self, scratch: &mut LearnScratch<'_, T>) -> Result<Stage<K, T>, Error> {
        let trim = count_share(self.kept, self.recipe.trim);
        if self.trimmed == 0 && trim > 0 {
            self.trimmed = trim;
            drop_worst(scratch, self.kept, trim);
            self.kept -= trim;
            let needed = 2 * self.recipe.folds;
            if self.kept < needed {
                return Err(Error::TooFewSamples { given: self.kept, needed });
            }
            return Ok(Stage::Begin { fold: 0 });
        }
        let mut alpha = self.recipe.false_alarms.share()?;
        if self.recipe.watch == Watch::Both {
            alpha /= T::from_f64(2.0);
        }
        // As if α/(1−α) larger scores stood beside each sample that was selected.
        let whole = T::from_usize(self.kept + 1);
        let selected = T::from_usize(self.selected.min(self.kept));
        let remaining = alpha * (whole - selected) / whole;
        let spe = quantile(scratch.spe.get(..self.kept).unwrap_or_default(), remaining);
        let t2 = quantile(scratch.t2.get(..self.kept).unwrap_or_default(), remaining);
        let (Some(spe), Some(t2)) = (spe, t2) else {
            return Err(Error::TooFewSamples { given: self.kept, needed: 1 });
        };
        (self.thresholds.spe, self.thresholds.t2) = (spe.threshold, t2.threshold);
        let needed = samples_for(alpha);
        if self.kept < needed {
            warn(&mut self.warnings, Warning::UnsupportedRate { needed });
        }
        // A fold that no sample is in: the fit is then made to all.
        Ok(Stage::Begin { fold: self.recipe.folds })
    }

    /// Refuses a model that could not work, and warns of one that may not.
    fn require_sense<S>(
        &mut self,
        kernel: &K,
        samples: &S,
        report: &Report<T>,
        scratch: &LearnScratch<'_, T>,
    ) -> Result<(), Error>
    where
        S: Samples<View = [T]> + ?Sized,
        K: Kernel<[T], Scalar = T>,
    {
        let n = T::from_usize(report.samples);
        let header = *scratch.candidate.view().header();
        let norm = sum(samples.iter_samples().map(|x| kernel.diagonal(x))) / n;
        if likeness(kernel, samples) < T::from_f64(NARROW) * norm {
            return Err(Error::KernelTooNarrow);
        }
        if header.total_variance < T::from_f64(WIDE) * T::EPSILON * norm {
            return Err(Error::KernelTooWide);
        }
        if report.components == report.rank && report.unspanned <= n * T::EPSILON {
            return Err(Error::NoResidual { components: report.components });
        }
        if report.indefinite {
            warn(&mut self.warnings, Warning::Indefinite);
        }
        if let Components::Share(share) = self.recipe.components
            && report.explained < share
        {
            if report.components < report.rank {
                warn(&mut self.warnings, Warning::ComponentsCapped);
            }
            if report.unspanned > T::ONE - share {
                warn(&mut self.warnings, Warning::PointsCapped);
            }
        }
        Ok(())
    }
}

/// Samples that are less [alike](likeness) than this share of `k(x,x)` are islands: the default kernel makes it about 0.8.
const NARROW: f64 = 0.05;
/// A total variance of so few ε of `k(x,x)` is mostly rounding: with it the second digit of a score is lost.
const WIDE: f64 = 1000.0;

/// How alike two different samples are: root mean square of `k(x,y)`, over `n` pairs that lie far apart in the order of the samples.
fn likeness<K, T, S>(kernel: &K, samples: &S) -> T
where
    T: Real,
    S: Samples<View = [T]> + ?Sized,
    K: Kernel<[T], Scalar = T>,
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
fn name_cause<T: Real, S: Samples<View = [T]> + ?Sized>(error: Error, samples: &S) -> Error {
    let differ = || samples.iter_samples().any(|x| Some(x) != samples.sample(0));
    if error == Error::NoVariance && differ() { Error::KernelTooWide } else { error }
}

/// Adds a warning; there is room for one of each kind.
fn warn(warnings: &mut heapless::Vec<Warning, 8>, warning: Warning) {
    let _ = warnings.push(warning);
}

/// The whole part of `share·n`.
pub(crate) fn count_share<T: Real>(n: usize, share: T) -> usize {
    // A product that is whole but for rounding counts as whole.
    let exact = share * T::from_usize(n) * (T::ONE + T::from_f64(4.0) * T::EPSILON);
    (1..=n).take_while(|&count| T::from_usize(count) <= exact).count()
}

/// The fewest samples of which the `⌈(n+1)(1−α)⌉`-th exists: `1/α − 1`, rounded up; at most a million.
fn samples_for<T: Real>(alpha: T) -> usize {
    let (mut low, mut high) = (1, 1_000_000);
    while low < high {
        let middle = (low + high) / 2;
        if T::from_usize(middle + 1) * alpha >= T::ONE - T::EPSILON {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// Lists the kept samples at the positions that are wanted; returns how many.
fn select_rows<T>(
    scratch: &mut LearnScratch<'_, T>,
    kept: usize,
    wanted: impl Fn(usize) -> bool,
) -> usize {
    let chosen = scratch.kept.iter().take(kept).enumerate().filter(|&(p, _)| wanted(p));
    scratch.rows.iter_mut().zip(chosen).map(|(row, (_, &sample))| *row = sample).count()
}

/// How many positions are wanted.
fn count_rows(kept: usize, wanted: impl Fn(usize) -> bool) -> usize {
    (0..kept).filter(|&p| wanted(p)).count()
}

/// Scores the sample at a position by the candidate, whose points are rows of the current subset.
fn score_held_out<K, T, S>(
    samples: &S,
    kernel: &K,
    position: usize,
    kept: usize,
    scratch: &mut LearnScratch<'_, T>,
) -> Result<(), Error>
where
    T: Real,
    S: Samples<View = [T]> + ?Sized,
    K: Kernel<[T], Scalar = T>,
{
    let expansion = scratch.candidate.view();
    let (count, components) = (expansion.points(), expansion.components());
    let subset = Indexed { samples, rows: scratch.rows.get(..kept).unwrap_or_default() };
    let pivots = scratch.landmark.pivots.get(..count).unwrap_or_default();
    let points = Indexed { samples: &subset, rows: pivots };
    let model = KernelPcaView::new(kernel, &points, expansion)?;
    let projection = scratch.projection.get_mut(..components).unwrap_or_default();
    let row = scratch.kept.get(position).copied().unwrap_or_default();
    let Some(x) = samples.sample(row as usize) else {
        return Err(Error::NotFitted);
    };
    let score = model.score(x, projection)?;
    if let (Some(spe), Some(t2)) = (scratch.spe.get_mut(position), scratch.t2.get_mut(position)) {
        (*spe, *t2) = (score.spe, score.t2);
    }
    Ok(())
}

/// Drops the `trim` worst-scoring samples from the `kept` ones, which stay in order.
fn drop_worst<T: Real>(scratch: &mut LearnScratch<'_, T>, kept: usize, trim: usize) {
    let spe = scratch.spe.get(..kept).unwrap_or_default();
    let Some(largest_kept) = nth_smallest(spe, kept - trim) else {
        return;
    };
    let mut to_drop = trim;
    let mut next = 0;
    for position in 0..kept {
        let score = spe.get(position).copied().unwrap_or(T::ZERO);
        // Of equal scores at the border, the first ones go.
        let tied = score == largest_kept
            && to_drop > spe.iter().skip(position).filter(|&&s| s > largest_kept).count();
        if to_drop > 0 && (score > largest_kept || tied) {
            to_drop -= 1;
        } else {
            let row = scratch.kept.get(position).copied();
            if let (Some(place), Some(row)) = (scratch.kept.get_mut(next), row) {
                *place = row;
            }
            next += 1;
        }
    }
}

/// Looks for what is wrong with the samples themselves.
fn inspect<T: Real, S: Samples<View = [T]> + ?Sized>(
    samples: &S,
    warnings: &mut heapless::Vec<Warning, 8>,
) {
    let n = samples.count();
    let inputs = samples.sample(0).map_or(0, <[T]>::len);
    let longest = |input: usize| longest_run(samples.iter_samples().map(|x| x.get(input)));
    let constant = || (0..inputs).filter(|&input| longest(input) == n);
    let stuck = || (0..inputs).filter(|&input| (n / 2 + 1..n).contains(&longest(input)));
    if let Some(first) = constant().next() {
        warn(warnings, Warning::ConstantInputs { first, count: constant().count() });
    }
    if let Some(first) = stuck().next() {
        warn(warnings, Warning::StuckInputs { first, count: stuck().count() });
    }
    let is_copy = |(i, x): &(usize, &[T])| samples.iter_samples().take(*i).any(|y| y == *x);
    let copies = samples.iter_samples().enumerate().filter(is_copy).count();
    if copies > 0 {
        warn(warnings, Warning::Duplicates { samples: copies });
    }
    let advised = (4 * inputs).max(32);
    if n < advised {
        warn(warnings, Warning::FewSamples { given: n, advised });
    }
}

/// Length of the longest run of equal values.
fn longest_run<V: PartialEq>(values: impl Iterator<Item = V>) -> usize {
    let (mut longest, mut run, mut last) = (0, 0, None);
    for value in values {
        run = if last.as_ref() == Some(&value) { run + 1 } else { 1 };
        longest = longest.max(run);
        last = Some(value);
    }
    longest
}
