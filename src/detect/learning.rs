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
mod continuity;
mod copies;
mod dependence;
mod inspect;
mod probe;
mod reach;
mod recipe;
mod report;
mod words;

pub use recipe::Recipe;
pub use report::{Blindness, LearnReport, Warning};

use dependence::{Alike, Dependence};
use inspect::{advised_samples, inspect, name_cause, require_sense};
use probe::{Next, Probe, highest, moved};
use reach::lower;
use report::{Warnings, warn};

use crate::Progress;
use crate::detect::Threshold;
use crate::detect::alarm::{Alarm, AlarmConfig};
use crate::detect::calibrate::{nth_smallest, quantile, samples_for, supported_share};
use crate::detect::folds::{Blocks, FoldOrder, HeldOut};
use crate::detect::hearing::Hearing;
use crate::detect::reading::Inspect;
use crate::error::Error;
use crate::kernel::block::make_memos;
use crate::kernel::{BlockKernel, Indexed, Samples};
use crate::kpca::landmark::{LandmarkFit, LandmarkScratch};
use crate::kpca::{ExpansionHeader, ExpansionMut, ExpansionView, FitReport, KernelPcaView, Score};
use crate::linalg::carve::{Carver, total};
use crate::linalg::eigen::{Eigensolver, TridiagonalQr};
use crate::linalg::slices::{entry, head, head_mut, set};
use crate::math::{Real, long_sum};

/// Borrowed memory for learning from `n` samples, of whatever origin.
#[derive(Debug)]
pub struct LearnScratch<'a, T, E = TridiagonalQr<T>> {
    /// For the fits; it also names their eigensolver.
    pub landmark: LandmarkScratch<'a, T, E>,
    /// `n`; the samples that are not trimmed, in order.
    pub kept: &'a mut [u32],
    /// `n`; those that the current fit is made to.
    pub rows: &'a mut [u32],
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

impl<T: Real, E> LearnScratch<'_, T, E> {
    /// After learning: which samples the points of the model are, in the order of the points.
    pub fn points(&self, report: &LearnReport<T>) -> impl Iterator<Item = usize> {
        let pivots = head(self.landmark.pivots, report.fit.points);
        pivots.iter().map(|&pivot| entry(self.rows, pivot as usize) as usize)
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
/// kernel evaluations and about `5n·r + r·(r + p)` multiply-adds, or `70n` comparisons of numbers
/// (`140n` in `f64`); the first step makes about `6n·d`. With `F` folds there are at most
/// `(F + 1)·(3r + 12r²/n·s + 7) + n + 3` steps, `s` being the eigensolver's sweeps; trimming makes
/// the folds' part of it twice. The search for blind inputs takes up to `33d + 17` more, each with
/// one reading to score or one input to measure; where all is well, `9d + 17`. (Readings of more
/// than `n·r` inputs are not searched: there is no room for one.)
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
    Inspect,
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
    /// Score the samples of a fold, of which so many are done, by points of which `near` have
    /// memos.
    Score {
        fold: usize,
        kernel: K,
        near: usize,
        done: usize,
    },
    Settle,
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
    pub fn start(
        recipe: Recipe<T>,
        order: impl ExactSizeIterator<Item = u32>,
        scratch: &mut LearnScratch<'_, T, E>,
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
            stage: Stage::Inspect,
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
    pub fn step<S>(
        &mut self,
        samples: &S,
        kernel: impl Fn(&Indexed<'_, S>) -> Result<K, Error>,
        scratch: &mut LearnScratch<'_, T, E>,
    ) -> Result<Progress, Error>
    where
        S: Samples<View: Inspect> + ?Sized,
        K: BlockKernel<S::View, Scalar = T> + Clone,
    {
        let (recipe, kept, folds) = (self.recipe, self.kept, self.folds());
        let held_out = match self.stage {
            Stage::Begin { fold } | Stage::Score { fold, .. } => self.held_out(fold),
            _ => HeldOut::NOTHING,
        };
        match &mut self.stage {
            Stage::Inspect => {
                let all = Indexed { samples, rows: scratch.kept };
                inspect(&all, scratch.rows, &mut self.warnings);
                self.stage = Stage::Begin { fold: 0 };
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
                let landmark = &mut scratch.landmark.leading(rows);
                let progress = fit
                    .step(kernel, &subset, landmark, &mut scratch.candidate)
                    .map_err(|error| in_all(name_cause(error, &subset), subset.rows))?;
                if let Some(report) = progress {
                    let kernel = kernel.clone();
                    if fold < folds {
                        let near = remember_points(&kernel, &subset, report.points, landmark);
                        self.stage = Stage::Score { fold, kernel, near, done: 0 };
                    } else {
                        self.judge_model(samples, kernel, report, scratch)?;
                    }
                }
            }
            Stage::Score { fold, kernel, near, done } => match held_out.nth(*done) {
                Some(position) => {
                    score_held_out(samples, kernel, *near, position, kept, scratch)?;
                    *done += 1;
                }
                None if *fold + 1 < folds => self.stage = Stage::Begin { fold: *fold + 1 },
                None => self.stage = Stage::Settle,
            },
            Stage::Settle => self.stage = self.settle(scratch)?,
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
            Stage::Done { kernel, fit } => Some((
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

    /// After the fit to all samples: what may be wrong with them and with the model.
    ///
    /// A function of its own, as [`probe`](Self::probe), so that what it keeps on the stack is not
    /// there while a fit is under way.
    #[inline(never)]
    fn judge_model<S>(
        &mut self,
        samples: &S,
        kernel: K,
        fit: FitReport<T>,
        scratch: &mut LearnScratch<'_, T, E>,
    ) -> Result<(), Error>
    where
        S: Samples<View: Inspect> + ?Sized,
        K: BlockKernel<S::View, Scalar = T> + Clone,
    {
        let all = Indexed { samples, rows: head(scratch.rows, self.kept) };
        let order = dependence::examine(
            scratch.landmark.factor.view().leading(self.kept, fit.points),
            head(scratch.landmark.values, fit.points),
        );
        self.judge_order(order, advised_samples(&all))?;
        let near = remember_points(&kernel, &all, fit.points, &mut scratch.landmark);
        let (wish, total) = (self.recipe.components, scratch.candidate.header.total_variance);
        let sense = require_sense(&kernel, &all, wish, &fit, total, &mut self.warnings);
        let norm = kernel.stranger_norm();
        self.stage = Stage::Done { kernel: kernel.clone(), fit };
        sense?;
        if let Some(norm) = norm {
            self.require_reach(norm, scratch)?;
        }
        // Models of folds can be indefinite where that of all samples is not.
        if !scratch.candidate.header.indefinite {
            self.threshold.usual = self.threshold.usual.larger(T::ZERO);
        }
        self.watch(head(scratch.spe, self.kept))?;
        let probe = Probe::new(head(scratch.spe, self.kept));
        self.stage = Stage::Probe { kernel, fit, near, probe };
        Ok(())
    }

    /// One step of the search for blind inputs.
    #[inline(never)]
    fn probe<S>(&mut self, samples: &S, scratch: &mut LearnScratch<'_, T, E>)
    where
        S: Samples<View: Inspect> + ?Sized,
        K: BlockKernel<S::View, Scalar = T> + Clone,
    {
        let Stage::Probe { kernel, fit, near, probe } = &mut self.stage else { return };
        let all = Indexed { samples, rows: head(scratch.rows, self.kept) };
        // The coordinates of the samples have served their purpose.
        let room = scratch.landmark.factor.reborrow().into_entries();
        match probe.next(&all, room.len()) {
            Next::Score { position, input, by } => {
                let x = all.sample(position).and_then(|x| moved(x, input, by, room));
                let candidate = Candidate {
                    points: points(&all, scratch.landmark.pivots, fit.points),
                    memos: head(scratch.landmark.values, *near),
                    expansion: scratch.candidate.view(),
                };
                let score = x.and_then(|x| candidate.score(kernel, x, scratch.projection).ok());
                probe.scored(self.kept, score, entry(scratch.spe, position), &self.threshold);
            }
            Next::Measured => {}
            Next::Done => {
                let row = |position| entry(scratch.rows, position) as usize;
                self.blind = probe.report(row, &mut self.warnings);
                self.stage = Stage::Done { kernel: kernel.clone(), fit: *fit };
            }
        }
    }

    /// Trims, once, or takes the threshold.
    fn settle(&mut self, scratch: &mut LearnScratch<'_, T, E>) -> Result<Stage<K, T, E>, Error> {
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

    /// Warns of what the order of the samples says, if it can do harm.
    fn judge_order(&mut self, order: Dependence, advised: usize) -> Result<(), Error> {
        if let Some(Alike { effective, spacing }) = order.alike {
            let enough = advised.max(samples_for(self.recipe.false_alarms.share()?));
            // Folds in turn leave the neighbours of what they hold out in the fit, however many
            // samples there are.
            let seen = self.recipe.order == FoldOrder::Interleaved && 2 * effective < self.kept;
            if effective < enough || seen {
                warn(&mut self.warnings, Warning::Autocorrelated { effective, spacing });
                self.false_alarms = self.rate_supported_by(effective)?;
            }
        }
        if let Some(quarter) = order.unlike {
            warn(&mut self.warnings, Warning::Drift { quarter });
        }
        Ok(())
    }

    /// Counts the alarms that the scores of the samples raise, in their order, and warns of an
    /// alarm that usual readings would not end.
    fn watch(&mut self, spe: &[T]) -> Result<(), Error> {
        let mut alarm = Alarm::new(AlarmConfig::DEFAULT)?;
        let mut was_active = false;
        for &spe in spe {
            let unusual = spe > self.threshold.spe;
            let is_active = alarm.take(spe, &self.threshold, unusual).is_active();
            self.alarms += usize::from(is_active && !was_active);
            was_active = is_active;
        }
        if !AlarmConfig::DEFAULT.rule.ends_with(&self.threshold) {
            let share = self.threshold.usual.to_f64() / self.threshold.spe.to_f64();
            warn(&mut self.warnings, Warning::AlarmStays { percent: (100.0 * share) as usize });
        }
        Ok(())
    }

    /// Lowers a threshold that strangers of this `k(s, s)` do not exceed.
    fn require_reach(&mut self, norm: T, scratch: &LearnScratch<'_, T, E>) -> Result<(), Error> {
        let spe = head(scratch.spe, self.kept);
        let model = scratch.candidate.view();
        let hearing = Hearing::of(Some(norm), &model);
        let most = T::from_f64(hearing.highest_spe());
        let Some(lowered) = lower(self.threshold.spe, model.far_field(norm), most, spe) else {
            return hearing.require(&self.threshold.to_f64());
        };
        self.threshold.spe = lowered.threshold;
        if 2 * lowered.above > self.kept {
            return Err(Error::KernelTooNarrow);
        }
        hearing.require(&self.threshold.to_f64())?;
        // The share of a new score: the threshold is one of the scores that it is compared with.
        let share = T::from_usize(lowered.above + 1) / T::from_usize(self.kept + 1);
        self.false_alarms = self.false_alarms.larger(share);
        let sample = entry(scratch.rows, highest(spe.iter().copied())) as usize;
        warn(&mut self.warnings, Warning::ThresholdLowered { sample, above: lowered.above });
        Ok(())
    }
}

/// Lists the kept samples at the positions that are wanted; returns how many.
fn select_rows<T, E>(
    scratch: &mut LearnScratch<'_, T, E>,
    kept: usize,
    wanted: impl Fn(usize) -> bool,
) -> usize {
    let chosen = scratch.kept.iter().take(kept).enumerate().filter(|&(p, _)| wanted(p));
    scratch.rows.iter_mut().zip(chosen).map(|(row, (_, &sample))| *row = sample).count()
}

/// Scores the sample at a position by the candidate, whose points are rows of the current subset.
fn score_held_out<K, T, S, E>(
    samples: &S,
    kernel: &K,
    near: usize,
    position: usize,
    kept: usize,
    scratch: &mut LearnScratch<'_, T, E>,
) -> Result<(), Error>
where
    T: Real,
    S: Samples + ?Sized,
    K: BlockKernel<S::View, Scalar = T>,
{
    let expansion = scratch.candidate.view();
    let subset = Indexed { samples, rows: head(scratch.rows, kept) };
    let candidate = Candidate {
        points: points(&subset, scratch.landmark.pivots, expansion.points()),
        memos: head(scratch.landmark.values, near),
        expansion,
    };
    let row = entry(scratch.kept, position);
    let Some(x) = samples.sample(row as usize) else {
        return Err(Error::NotFitted);
    };
    let score = candidate
        .score(kernel, x, scratch.projection)
        .map_err(|error| error.of_sample(row as usize))?;
    set(scratch.spe, position, score.spe);
    Ok(())
}

/// Makes the memos of the points of a fit, in the place of its eigenvalues, which have served their
/// purpose; returns how many there are.
fn remember_points<K, T, S, E>(
    kernel: &K,
    samples: &S,
    count: usize,
    scratch: &mut LandmarkScratch<'_, T, E>,
) -> usize
where
    T: Real,
    S: Samples + ?Sized,
    K: BlockKernel<S::View, Scalar = T>,
{
    let points = points(samples, scratch.pivots, count);
    make_memos(kernel, points.iter_samples(), scratch.values).len()
}

/// An error of a fit to some samples, in the numbering of all.
fn in_all(error: Error, rows: &[u32]) -> Error {
    error.renumbered(|index| entry(rows, index) as usize)
}

/// A model that was fitted, in the memory of learning.
struct Candidate<'a, S: ?Sized, T> {
    points: Indexed<'a, S>,
    memos: &'a [T],
    expansion: ExpansionView<'a, T>,
}

impl<S: Samples + ?Sized, T: Real> Candidate<'_, S, T> {
    /// Scores a reading; `projection` has room for as many components as there may be.
    fn score<K>(&self, kernel: &K, x: &S::View, projection: &mut [T]) -> Result<Score<T>, Error>
    where
        K: BlockKernel<S::View, Scalar = T>,
    {
        let model = KernelPcaView::with_memos(kernel, &self.points, self.memos, self.expansion)?;
        model.score(x, head_mut(projection, self.expansion.components()))
    }
}

/// The points of a fit to some samples.
fn points<'a, S: ?Sized>(samples: &'a S, pivots: &'a [u32], count: usize) -> Indexed<'a, S> {
    Indexed { samples, rows: head(pivots, count) }
}

/// Drops the `trim` worst-scoring samples from the `kept` ones, which stay in order.
fn drop_worst<T: Real, E>(
    scratch: &mut LearnScratch<'_, T, E>,
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
