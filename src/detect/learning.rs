//! Learning a detector: cross-fit, calibration and fit, in bounded steps.
//!
//! 1. Each fold is scored by a model fitted to the other folds.
//! 2. If asked to, the worst-scoring share of the samples is left out, and 1 is done once more
//!    without it.
//! 3. The threshold is taken from these scores (see [`calibrate`](crate::detect::calibrate)), their
//!    mean is kept beside it for an [alarm](crate::Alarm) to start at, and the model is fitted to
//!    all samples.
//! 4. The order of the samples is looked at: if neighbours are alike, or a quarter is unlike the
//!    others, the wish for false alarms is unlikely to come true.
//! 5. A threshold that no reading exceeds is lowered, alarms on these scores are counted, and
//!    inputs whose faults pass unnoticed are looked for.
//!
//! What cannot be right is refused, what may not be is said: see [`Warning`] and the last variants
//! of [`Error`].
//!
//! [`Learning`] is the state alone. Samples, kernel and memory come with each call, so a
//! [`Learner`](crate::Learner) in statics and a host program with sizes from a file share this
//! code.

mod apart;
mod candidate;
mod continuity;
mod copies;
mod dependence;
mod inspect;
mod judge;
mod probe;
mod reach;
mod recipe;
mod report;
mod sorting;
mod words;

pub use recipe::Recipe;
pub use report::{Blindness, LearnReport, Warning};

use candidate::{remember_points, score_held_out};
use dependence::Examination;
use inspect::{Inspection, name_cause};
use probe::Probe;
use report::{Warnings, warn};

use crate::Progress;
use crate::detect::Threshold;
use crate::detect::calibrate::{nth_smallest, quantile, samples_for, supported_share};
use crate::detect::folds::{Blocks, FoldOrder, HeldOut};
use crate::detect::reading::Inspect;
use crate::error::Error;
use crate::kernel::{BlockKernel, Index, Indexed, Samples};
use crate::kpca::landmark::{Factor, LandmarkFit, LandmarkScratch};
use crate::kpca::{ExpansionHeader, ExpansionMut, FitReport, PivotedCholesky};
use crate::linalg::MatrixViewMut;
use crate::linalg::carve::{Carver, total};
use crate::linalg::eigen::{Eigensolver, TridiagonalQr};
use crate::linalg::slices::{entry, head, head_mut, set};
use crate::math::{Real, long_sum};

/// Borrowed memory for learning from `n` samples, of whatever origin.
#[derive(Debug)]
pub struct LearnScratch<'a, T, E = TridiagonalQr<T>, F = MatrixViewMut<'a, T>>
where
    T: Real,
    F: Factor<T>,
{
    /// For the fits; it also names their eigensolver, and where coordinates come from. After a fit
    /// its `pivots` are numbers of samples.
    pub landmark: LandmarkScratch<'a, T, E, F>,
    /// `n`; the samples that are not trimmed, in order.
    pub kept: &'a mut [F::Index],
    /// `n`; those that the current fit is made to.
    pub rows: &'a mut [F::Index],
    /// `n`; cross-fitted SPE.
    pub spe: &'a mut [T],
    /// One for each component there is room for.
    pub projection: &'a mut [T],
    /// Where models are built: the folds', and in the end the result.
    pub candidate: ExpansionMut<'a, T>,
}

/// How much memory learning takes, for programs whose sizes are known at run time only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LearnSizes {
    /// The number of samples.
    pub samples: usize,
    /// How many points the model may have.
    pub points: usize,
    /// How many components it may have.
    pub components: usize,
}

impl LearnSizes {
    /// How many numbers.
    pub fn numbers<T: Real, E: Eigensolver<T>>(&self) -> usize {
        let Self { samples, points, components } = *self;
        let fit = LandmarkScratch::<T, E>::numbers(samples, points);
        let model = ExpansionMut::<T>::numbers(points, components);
        total(&[(1, fit), (1, model), (1, samples), (1, components)])
    }

    /// How many indices.
    pub const fn indices(&self) -> usize {
        total(&[(2, self.samples), (1, self.points)])
    }
}

impl<'a, T: Real, E: Eigensolver<T>> LearnScratch<'a, T, E> {
    /// Memory of these sizes in one block of numbers and one of indices.
    ///
    /// # Errors
    /// [`Error::Capacity`] when one of them is too small.
    pub fn over(
        sizes: LearnSizes,
        header: &'a mut ExpansionHeader<T>,
        numbers: &'a mut [T],
        indices: &'a mut [u32],
    ) -> Result<Self, Error> {
        let LearnSizes { samples, points, components } = sizes;
        let mut indices = Carver::new("indices for learning", sizes.indices(), indices)?;
        let needed = sizes.numbers::<T, E>();
        let mut numbers = Carver::new("numbers for learning", needed, numbers)?;
        let landmark = numbers.take(LandmarkScratch::<T, E>::numbers(samples, points));
        let candidate = numbers.take(ExpansionMut::<T>::numbers(points, components));
        Ok(Self {
            landmark: LandmarkScratch::over(samples, indices.take(points), landmark)?,
            kept: indices.take(samples),
            rows: indices.take(samples),
            spe: numbers.take(samples),
            projection: numbers.take(components),
            candidate: ExpansionMut::over(points, components, header, candidate)?,
        })
    }
}

impl<T: Real, E, F: Factor<T>> LearnScratch<'_, T, E, F> {
    /// After learning: which samples the points of the model are, in the order of the points.
    pub fn points(&self, report: &LearnReport<T>) -> impl Iterator<Item = usize> {
        head(self.landmark.pivots, report.fit.points).iter().map(|sample| sample.at())
    }

    fn require_shape(&self, n: usize) -> Result<(), Error> {
        for (what, expected, given) in [
            ("kept", n, self.kept.len()),
            ("rows", n, self.rows.len()),
            ("spe", n, self.spe.len()),
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
/// For `n` samples of `d` inputs, `r` landmarks and `p` components, a step makes at most `2n`
/// kernel evaluations and about `2n·r + r·(r + p)` multiply-adds, or `70n` comparisons of numbers
/// (`140n` in `f64`). No stage is longer: `tests/even_steps.rs` counts, and
/// [`Learner::COST`](crate::GaussianLearner::COST) has the longest step in instructions.
///
/// With `F` folds there are at most `(F + 1)·(3r + 4r²/n·s + 22) + n + d/4 + 20` steps, `s` being
/// the eigensolver's sweeps; trimming makes the folds' part of it twice. Copies among the samples
/// take up to `32d` more. The search for blind inputs takes up to `33d + 18` more, each with one
/// reading to score or one input to measure; where all is well, `9d + 6`. (Readings of more than
/// `n·r` inputs are not searched: there is no room for one.)
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Learning<K, T, E = TridiagonalQr<T>> {
    recipe: Recipe<T>,
    kept: usize,
    refused: T,
    trimmed: usize,
    warnings: Warnings,
    threshold: Threshold<T>,
    /// The share of false alarms that the samples support.
    false_alarms: T,
    alarms: usize,
    blind: u64,
    changed: u64,
    /// Where recordings end, if there are several.
    blocks: Blocks,
    stage: Stage<K, T, E>,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum Stage<K, T, E> {
    /// Look at the samples themselves.
    Inspect(Inspection),
    /// Choose a kernel for a fold and begin its fit; the fold after the last stands for all
    /// samples.
    Begin {
        fold: usize,
    },
    /// Fit a model to the first `rows` of the listed samples.
    Fit {
        fold: usize,
        kernel: K,
        rows: usize,
        fit: LandmarkFit<T, E>,
    },
    /// Make the memos of the points of a fit, of which `near` have one.
    Remember {
        fold: usize,
        kernel: K,
        fit: FitReport<T>,
        near: usize,
    },
    /// Score the samples of a fold, of which so many are done, by points of which `near` have
    /// memos.
    Score {
        fold: usize,
        kernel: K,
        near: usize,
        done: usize,
    },
    /// Trim, or take the threshold.
    Settle,
    /// Look at the order of the samples.
    Order {
        kernel: K,
        fit: FitReport<T>,
        cholesky: PivotedCholesky<T>,
        order: Examination<T>,
    },
    /// Judge the final model, whose points have `near` memos.
    Judge {
        kernel: K,
        fit: FitReport<T>,
        near: usize,
    },
    /// Look for blind inputs of the final model, whose points have `near` memos.
    Probe {
        kernel: K,
        fit: FitReport<T>,
        near: usize,
        probe: Probe<T>,
    },
    Done {
        kernel: K,
        fit: FitReport<T>,
        near: usize,
    },
}

impl<K, T: Real, E: Eigensolver<T>> Learning<K, T, E> {
    /// Checks the recipe and the number of samples.
    ///
    /// `order` lists the samples in the order in which they are dealt into folds; it is copied.
    ///
    /// # Errors
    /// [`Error::Parameter`], [`Error::TooFewSamples`] (two are needed for each fold),
    /// [`Error::Shape`].
    pub fn start<F: Factor<T>>(
        recipe: Recipe<T>,
        order: impl ExactSizeIterator<Item = F::Index>,
        scratch: &mut LearnScratch<'_, T, E, F>,
    ) -> Result<Self, Error> {
        recipe.validate()?;
        let n = order.len();
        scratch.require_shape(n)?;
        recipe.require_samples(n)?;
        for (place, row) in scratch.kept.iter_mut().zip(order) {
            *place = row;
        }
        Ok(Self {
            recipe,
            kept: n,
            refused: T::ZERO,
            trimmed: 0,
            warnings: heapless::Vec::new(),
            threshold: Threshold::EMPTY,
            false_alarms: T::ZERO,
            alarms: 0,
            blind: 0,
            changed: 0,
            blocks: Blocks::default(),
            stage: Stage::Inspect(Inspection::NEW),
        })
    }

    /// Says that the samples are of several recordings, all of which but the first begin at these
    /// positions in the order of [`start`](Self::start). [Contiguous](FoldOrder::Contiguous) folds
    /// then consist of whole recordings, as many as there are if these are fewer: what a recording
    /// has in common says nothing about the next one.
    ///
    /// # Errors
    /// [`Error::Parameter`] for positions that do not ascend within the samples, and for more than
    /// 16 folds.
    pub fn with_recordings(
        mut self,
        begins: impl Iterator<Item = usize> + Clone,
    ) -> Result<Self, Error> {
        if self.recipe.order == FoldOrder::Contiguous {
            self.blocks = Blocks::of_recordings(begins, self.kept, self.recipe.folds)?;
        }
        Ok(self)
    }

    /// How many folds there are.
    pub fn folds(&self) -> usize {
        self.blocks.folds(self.recipe.folds)
    }

    /// What a fold holds out; nothing, if it is the one after the last.
    pub fn held_out(&self, fold: usize) -> HeldOut {
        let plain = || self.recipe.order.held_out(fold, self.kept, self.recipe.folds);
        self.blocks.held_out(fold).unwrap_or_else(plain)
    }

    /// Says which share of the normal readings is missing from the samples because an earlier
    /// detector found them unusual. The threshold makes up for it, or it would fall with each
    /// refit: as if larger scores stood beside those of the samples, for up to half of the false
    /// alarms that are tolerable.
    #[must_use]
    pub fn with_refused(self, share: T) -> Self {
        Self { refused: share, ..self }
    }

    /// Does one piece of the work. `kernel` chooses the kernel for some samples: the same for all,
    /// or one that suits them, e.g. `|rows: &Indexed<'_, _>| Rbf::for_samples(rows, 8.0)` (the
    /// compiler needs the type of the argument).
    ///
    /// # Errors
    /// Whatever is wrong with kernel, samples, sizes or wishes; [`Error::KernelTooNarrow`],
    /// [`Error::KernelTooWide`] and [`Error::NoResidual`] for models that could not work.
    pub fn step<S, F>(
        &mut self,
        samples: &S,
        kernel: impl Fn(&Indexed<'_, S, F::Index>) -> Result<K, Error>,
        scratch: &mut LearnScratch<'_, T, E, F>,
    ) -> Result<Progress, Error>
    where
        S: Samples<View: Inspect> + ?Sized,
        K: BlockKernel<S::View, Scalar = T> + Clone,
        F: Factor<T>,
    {
        let (recipe, kept, folds) = (self.recipe, self.kept, self.folds());
        let held_out = match self.stage {
            Stage::Begin { fold } | Stage::Score { fold, .. } => self.held_out(fold),
            _ => HeldOut::NOTHING,
        };
        match &mut self.stage {
            Stage::Inspect(inspection) => {
                let all = Indexed { samples, rows: scratch.kept };
                if inspection.step(&all, scratch.rows, &mut self.warnings) == Progress::Done {
                    self.stage = Stage::Begin { fold: 0 };
                }
            }
            Stage::Begin { fold } => {
                let fold = *fold;
                let rows = select_rows(scratch, kept, |p| !held_out.contains(p));
                let subset = Indexed { samples, rows: head(scratch.rows, rows) };
                let kernel = kernel(&subset).map_err(|error| in_all(error, subset.rows))?;
                let landmark = &mut scratch.landmark.leading(rows);
                let fit = LandmarkFit::start(
                    &kernel,
                    &subset,
                    recipe.landmarks,
                    recipe.components,
                    landmark,
                )
                .map_err(|error| in_all(name_cause(error, &subset), subset.rows))?;
                self.stage = Stage::Fit { fold, kernel, rows, fit };
            }
            Stage::Fit { fold, kernel, rows, fit } => {
                let (fold, rows) = (*fold, *rows);
                let subset = Indexed { samples, rows: head(scratch.rows, rows) };
                let (landmark, candidate) = (&mut scratch.landmark, &mut scratch.candidate);
                let progress = fit
                    .step(kernel, &subset, &mut landmark.leading(rows), candidate)
                    .map_err(|error| in_all(name_cause(error, &subset), subset.rows))?;
                if let Some(report) = progress {
                    let (cholesky, fit) = (fit.cholesky(), report);
                    name_samples(head_mut(scratch.landmark.pivots, fit.points), scratch.rows);
                    let kernel = kernel.clone();
                    self.stage = if fold < folds {
                        Stage::Remember { fold, kernel, fit, near: 0 }
                    } else {
                        let variances = head(scratch.landmark.values, fit.points);
                        Stage::Order { kernel, fit, cholesky, order: Examination::new(variances) }
                    };
                }
            }
            Stage::Remember { fold, kernel, fit, near } => {
                let landmark = &mut scratch.landmark;
                if remember_points(kernel, samples, fit.points, near, landmark) {
                    let (fold, kernel, near) = (*fold, kernel.clone(), *near);
                    self.stage = if fold < folds {
                        Stage::Score { fold, kernel, near, done: 0 }
                    } else {
                        Stage::Judge { kernel, fit: *fit, near }
                    };
                }
            }
            Stage::Score { fold, kernel, near, done } => match held_out.nth(*done) {
                Some(position) => {
                    score_held_out(samples, kernel, *near, position, scratch)?;
                    *done += 1;
                }
                None if *fold + 1 < folds => self.stage = Stage::Begin { fold: *fold + 1 },
                None => self.stage = Stage::Settle,
            },
            Stage::Settle => self.stage = self.settle(scratch)?,
            Stage::Order { .. } => self.examine_order(samples, scratch)?,
            Stage::Judge { .. } => self.judge_model(samples, scratch)?,
            Stage::Probe { .. } => self.probe(samples, scratch),
            Stage::Done { .. } => return Ok(Progress::Done),
        }
        Ok(match self.stage {
            Stage::Done { .. } => Progress::Done,
            _ => Progress::Working,
        })
    }

    /// After the last step: the kernel of the model, and the report. Also when that step refused
    /// the model as one that cannot tell readings apart: it still projects them.
    pub fn result(&self) -> Option<(&K, LearnReport<T>)> {
        match &self.stage {
            Stage::Done { kernel, fit, .. } => Some((
                kernel,
                LearnReport {
                    fit: *fit,
                    threshold: self.threshold,
                    wished: self.recipe.false_alarms.share().unwrap_or(T::ZERO),
                    false_alarms: self.false_alarms,
                    alarms: self.alarms,
                    trimmed: self.trimmed,
                    warnings: self.warnings.clone(),
                    blind: self.blind,
                    changed: self.changed,
                },
            )),
            _ => None,
        }
    }

    /// The choices.
    pub(in crate::detect) const fn recipe(&self) -> &Recipe<T> {
        &self.recipe
    }

    /// After the last step: how many leading points of the model have memos, and are near.
    pub(in crate::detect) fn near(&self) -> usize {
        if let Stage::Done { near, .. } = self.stage { near } else { 0 }
    }

    /// Trims, once, or takes the threshold.
    fn settle<F: Factor<T>>(
        &mut self,
        scratch: &mut LearnScratch<'_, T, E, F>,
    ) -> Result<Stage<K, T, E>, Error> {
        let trim = self.recipe.trimmed(self.kept);
        if self.trimmed == 0 && trim > 0 {
            self.trimmed = trim;
            drop_worst(scratch, self.kept, trim, &mut self.blocks);
            self.kept -= trim;
            self.recipe.require_samples(self.kept)?;
            return Ok(Stage::Begin { fold: 0 });
        }
        let alpha = self.recipe.false_alarms.share()?;
        let half = alpha / T::from_f64(2.0);
        let refused = if self.refused < half { self.refused } else { half };
        let remaining = (alpha - refused) / (T::ONE - refused);
        let (given, needed) = (self.kept, samples_for(alpha));
        let Some(quantile) = quantile(head(scratch.spe, given), remaining) else {
            return Err(Error::TooFewSamples { given, needed: 1 });
        };
        let mean = long_sum(head(scratch.spe, given).iter().copied()) / T::from_usize(given);
        self.threshold = Threshold::new(quantile.threshold).with_usual(mean);
        if given < needed {
            warn(&mut self.warnings, Warning::UnsupportedRate { given, needed });
        }
        self.false_alarms = self.rate_supported_by(given)?;
        // A fold that no sample is in: the fit is then made to all.
        Ok(Stage::Begin { fold: self.folds() })
    }

    /// The share of false alarms that so many independent samples support.
    fn rate_supported_by(&self, samples: usize) -> Result<T, Error> {
        Ok(self.recipe.false_alarms.share()?.larger(supported_share(samples)))
    }
}

/// Lists the kept samples at the positions that are wanted; returns how many.
fn select_rows<T: Real, E, F: Factor<T>>(
    scratch: &mut LearnScratch<'_, T, E, F>,
    kept: usize,
    wanted: impl Fn(usize) -> bool,
) -> usize {
    let chosen = scratch.kept.iter().take(kept).enumerate().filter(|&(p, _)| wanted(p));
    scratch.rows.iter_mut().zip(chosen).map(|(row, (_, &sample))| *row = sample).count()
}

/// Turns the landmarks of a fit to some samples into numbers of all samples.
fn name_samples<I: Index>(pivots: &mut [I], rows: &[I]) {
    for pivot in pivots {
        *pivot = entry(rows, pivot.at());
    }
}

/// An error of a fit to some samples, in the numbering of all.
fn in_all<I: Index>(error: Error, rows: &[I]) -> Error {
    error.renumbered(|index| entry(rows, index).at())
}

/// Drops the `trim` worst-scoring samples from the `kept` ones, which stay in order.
fn drop_worst<T: Real, E, F: Factor<T>>(
    scratch: &mut LearnScratch<'_, T, E, F>,
    kept: usize,
    trim: usize,
    blocks: &mut Blocks,
) {
    let spe = head(scratch.spe, kept);
    let Some(largest_kept) = nth_smallest(|| spe.iter().copied(), kept - trim) else {
        return;
    };
    let above = spe.iter().filter(|&&score| score > largest_kept).count();
    // Of equal scores at the border, the first ones go.
    let mut tied = trim - above.min(trim);
    let mut next = 0;
    for position in 0..kept {
        let score = entry(spe, position);
        let goes = score == largest_kept && tied > 0;
        tied -= usize::from(goes);
        if goes || score > largest_kept {
            blocks.drop_sample(next);
        } else {
            let row = entry(scratch.kept, position);
            set(scratch.kept, next, row);
            next += 1;
        }
    }
}
