//! A fit, pass by pass; method, source, domain and bound are those of the [parent](super).

use super::{KMeansOptions, KMeansReport, KMeansScratch, Outcome};
use crate::error::Error;
use crate::kernel::gram::check_samples;
use crate::kernel::{BlockKernel, Samples};
use crate::math::Real;

/// Finds clusters in one go.
///
/// # Errors
/// Those of [`KMeansFit`].
pub fn fit<K, S>(
    kernel: &K,
    samples: &S,
    options: KMeansOptions,
    scratch: &mut KMeansScratch<'_, K::Scalar>,
) -> Result<KMeansReport<K::Scalar>, Error>
where
    S: Samples + ?Sized,
    K: BlockKernel<S::View>,
{
    let mut fit = KMeansFit::start(kernel, samples, options, scratch)?;
    loop {
        if let Some(report) = fit.step(kernel, samples, scratch)? {
            return Ok(report);
        }
    }
}

/// State of a fit that makes one pass per step; kernel, samples and memory stay with the caller,
/// who must not change them in between.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct KMeansFit<T> {
    options: KMeansOptions,
    /// The present start.
    start: usize,
    passes: usize,
    objective: T,
    /// Gains up to this are nothing but rounding.
    rounding: T,
    /// The best start that has ended.
    best: Option<KMeansReport<T>>,
    stage: Stage,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum Stage {
    /// Move all samples at once.
    Together,
    /// Move one after the other.
    Singly,
    /// Compare with the best start.
    Ended(Outcome),
    /// Choose other seeds.
    Seed,
    Finished,
}

impl<T: Real> KMeansFit<T> {
    /// Checks everything, chooses the seeds and forms the first clusters: about `n²` kernel
    /// evaluations.
    ///
    /// # Errors
    /// Whatever is wrong with kernel, samples or sizes; [`Error::Parameter`] for 0 clusters, starts
    /// or passes; [`Error::TooFewSamples`] when there are fewer samples than clusters,
    /// [`Error::TooFewDistinct`] when fewer differ by more than rounding; [`Error::NotFinite`] for
    /// a pair on which the kernel overflows.
    pub fn start<K, S>(
        kernel: &K,
        samples: &S,
        options: KMeansOptions,
        scratch: &mut KMeansScratch<'_, T>,
    ) -> Result<Self, Error>
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
    {
        for (name, value) in [
            ("clusters", options.clusters),
            ("starts", options.starts),
            ("max_passes", options.max_passes),
        ] {
            if value == 0 {
                return Err(Error::Parameter { name, rule: ">= 1" });
            }
        }
        check_samples(kernel, samples)?;
        let n = samples.count();
        scratch.require_shape(n, options.clusters)?;
        if options.clusters > n {
            return Err(Error::TooFewSamples { given: n, needed: options.clusters });
        }
        let rounding = scratch.measure(kernel, samples)?;
        let mut fit = Self {
            options: KMeansOptions { starts: options.starts.min(n), ..options },
            start: 0,
            passes: 0,
            objective: T::ZERO,
            rounding,
            best: None,
            stage: Stage::Seed,
        };
        let first = scratch.nearest_to_all(kernel, samples)?;
        fit.begin(kernel, samples, first, scratch)?;
        Ok(fit)
    }

    /// Makes one pass, or goes on to the next start; returns the report when all starts are done.
    ///
    /// # Errors
    /// [`Error::TooFewDistinct`], as it depends on the first seed which samples rounding can tell
    /// apart. If kernel, samples or memory were changed since [`start`](Self::start):
    /// [`Error::Shape`] or [`Error::NotFinite`].
    pub fn step<K, S>(
        &mut self,
        kernel: &K,
        samples: &S,
        scratch: &mut KMeansScratch<'_, T>,
    ) -> Result<Option<KMeansReport<T>>, Error>
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
    {
        scratch.require_shape(samples.count(), self.options.clusters)?;
        match self.stage {
            Stage::Together | Stage::Singly if self.passes >= self.options.max_passes => {
                self.stage = Stage::Ended(Outcome::PassesUsedUp);
            }
            Stage::Together | Stage::Singly => self.pass(kernel, samples, scratch)?,
            Stage::Ended(outcome) => {
                self.compare(samples.count(), outcome, scratch);
                self.start += 1;
                self.stage = Stage::Seed;
            }
            Stage::Seed if self.start < self.options.starts => {
                let first = self.start * samples.count() / self.options.starts;
                self.begin(kernel, samples, first, scratch)?;
            }
            Stage::Seed => {
                for (label, best) in scratch.labels.iter_mut().zip(scratch.best.iter()) {
                    *label = *best;
                }
                scratch.refresh(kernel, samples)?;
                self.objective = scratch.objective();
                self.stage = Stage::Finished;
            }
            Stage::Finished => return Ok(self.best),
        }
        Ok(None)
    }

    /// Forms clusters around seeds, the first of which is given.
    fn begin<K, S>(
        &mut self,
        kernel: &K,
        samples: &S,
        first: usize,
        scratch: &mut KMeansScratch<'_, T>,
    ) -> Result<(), Error>
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
    {
        scratch.seed(kernel, samples, first)?;
        scratch.refresh(kernel, samples)?;
        self.objective = scratch.objective();
        self.passes = 0;
        self.stage = Stage::Together;
        Ok(())
    }

    /// Makes one pass; if no sample moves, decides what comes next.
    fn pass<K, S>(
        &mut self,
        kernel: &K,
        samples: &S,
        scratch: &mut KMeansScratch<'_, T>,
    ) -> Result<(), Error>
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
    {
        self.passes += 1;
        let moved = match self.stage {
            Stage::Together => scratch.move_together(self.rounding),
            _ => scratch.move_singly(kernel, samples, self.rounding),
        };
        if moved {
            // From scratch, because sums that are only corrected collect rounding.
            scratch.refresh(kernel, samples)?;
            self.objective = scratch.objective();
        } else if self.stage == Stage::Together && self.options.single_moves {
            self.stage = Stage::Singly;
        } else {
            self.stage = Stage::Ended(Outcome::Settled);
        }
        Ok(())
    }

    /// Keeps the labels of the present start if they are better than the best so far.
    fn compare(&mut self, samples: usize, outcome: Outcome, scratch: &mut KMeansScratch<'_, T>) {
        let rounding = T::from_usize(samples) * self.rounding;
        if self.best.is_some_and(|best| self.objective + rounding >= best.objective) {
            return;
        }
        for (best, label) in scratch.best.iter_mut().zip(scratch.labels.iter()) {
            *best = *label;
        }
        self.best = Some(KMeansReport {
            samples,
            clusters: self.options.clusters,
            start: self.start,
            passes: self.passes,
            objective: self.objective,
            outcome,
        });
    }

    /// The sum of squared distances to the centres, as it is now.
    pub const fn objective(&self) -> T {
        self.objective
    }

    /// Which start is under way, counted from 0.
    pub const fn present_start(&self) -> usize {
        self.start
    }
}
