//! After the fit to all samples: what may be wrong with them and with the model, a part a step.

use super::candidate::{Candidate, points};
use super::dependence::{Alike, Dependence};
use super::inspect::{advised_samples, require_sense};
use super::probe::{Next, Probe, highest};
use super::reach::lower;
use super::report::{Warning, warn};
use super::{LearnScratch, Learning, Stage};
use crate::detect::alarm::{Alarm, AlarmConfig};
use crate::detect::calibrate::samples_for;
use crate::detect::folds::FoldOrder;
use crate::detect::hearing::Hearing;
use crate::detect::reading::Inspect;
use crate::error::Error;
use crate::kernel::{BlockKernel, Index, Indexed, Samples};
use crate::kpca::landmark::{Factor, LandmarkScratch};
use crate::linalg::eigen::Eigensolver;
use crate::linalg::slices::{entry, head};
use crate::math::Real;

impl<K, T: Real, E: Eigensolver<T>> Learning<K, T, E> {
    /// One part of what the order of the samples says.
    ///
    /// A function of its own, as the others here, so that what it keeps on the stack is not there
    /// while a fit is under way.
    #[inline(never)]
    pub(super) fn examine_order<S, F>(
        &mut self,
        samples: &S,
        scratch: &mut LearnScratch<'_, T, E, F>,
    ) -> Result<(), Error>
    where
        S: Samples<View: Inspect> + ?Sized,
        K: BlockKernel<S::View, Scalar = T> + Clone,
        F: Factor<T>,
    {
        let Stage::Order { kernel, fit, cholesky, order } = &mut self.stage else { return Ok(()) };
        let all = || Indexed { samples, rows: head(scratch.rows, self.kept) };
        let coordinates = F::coordinates(&mut scratch.landmark, *cholesky, kernel, all());
        if let Some(order) = order.step(coordinates) {
            let (kernel, fit, all) = (kernel.clone(), *fit, all());
            self.judge_order(order, advised_samples(&all))?;
            self.stage = Stage::Remember { fold: self.folds(), kernel, fit, near: 0 };
        }
        Ok(())
    }

    /// Is the model, whose points have `near` memos, one that can work?
    #[inline(never)]
    pub(super) fn judge_model<S, F>(
        &mut self,
        samples: &S,
        scratch: &LearnScratch<'_, T, E, F>,
    ) -> Result<(), Error>
    where
        S: Samples<View: Inspect> + ?Sized,
        K: BlockKernel<S::View, Scalar = T> + Clone,
        F: Factor<T>,
    {
        let Stage::Judge { kernel, fit, near } = &self.stage else { return Ok(()) };
        let (kernel, fit, near) = (kernel.clone(), *fit, *near);
        let all = Indexed { samples, rows: head(scratch.rows, self.kept) };
        let (wish, total) = (self.recipe.components, scratch.candidate.header.total_variance);
        let sense = require_sense(&kernel, &all, wish, &fit, total, &mut self.warnings);
        let norm = kernel.stranger_norm();
        self.stage = Stage::Done { kernel: kernel.clone(), fit, near };
        sense?;
        if let Some(norm) = norm {
            self.require_reach(norm, scratch)?;
        }
        // Models of folds can be indefinite where that of all samples is not.
        if !scratch.candidate.header.indefinite {
            self.threshold.usual = self.threshold.usual.larger(T::ZERO);
        }
        self.watch(head(scratch.spe, self.kept))?;
        self.stage = Stage::Probe { kernel, fit, near, probe: Probe::NEW };
        Ok(())
    }

    /// One step of the search for blind inputs.
    #[inline(never)]
    pub(super) fn probe<S, F>(&mut self, samples: &S, scratch: &mut LearnScratch<'_, T, E, F>)
    where
        S: Samples<View: Inspect> + ?Sized,
        K: BlockKernel<S::View, Scalar = T> + Clone,
        F: Factor<T>,
    {
        let Stage::Probe { kernel, fit, near, probe } = &mut self.stage else { return };
        let all = Indexed { samples, rows: head(scratch.rows, self.kept) };
        // The coordinates of the samples have served their purpose.
        let LandmarkScratch { factor, covariance, residuals, pivots, values, .. } =
            &mut scratch.landmark;
        let room = factor.room(covariance);
        let spe = head(scratch.spe, self.kept);
        match probe.next(&all, spe, room.len(), residuals) {
            Next::Score { position, input, by } => {
                let candidate = Candidate {
                    points: points(samples, pivots, fit.points),
                    memos: head(values, *near),
                    expansion: scratch.candidate.view(),
                };
                let judge = |x: &S::View| candidate.score(kernel, x, scratch.projection);
                let score =
                    all.sample(position).and_then(|x| x.moved(input, by, room, judge)?.ok());
                probe.scored(self.kept, score, entry(scratch.spe, position), &self.threshold);
            }
            Next::Measured => {}
            Next::Done => {
                let row = |position| entry(scratch.rows, position).at();
                self.blind = probe.report(row, &mut self.warnings);
                self.stage = Stage::Done { kernel: kernel.clone(), fit: *fit, near: *near };
            }
        }
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
    fn require_reach<F: Factor<T>>(
        &mut self,
        norm: T,
        scratch: &LearnScratch<'_, T, E, F>,
    ) -> Result<(), Error> {
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
        let sample = entry(scratch.rows, highest(spe.iter().copied())).at();
        warn(&mut self.warnings, Warning::ThresholdLowered { sample, above: lowered.above });
        Ok(())
    }
}
