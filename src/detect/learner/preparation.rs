//! Before the model can see the samples: the scaling is learned, and the samples are scaled.

use super::{Job, Learner};
use crate::Progress;
use crate::detect::reading::{Prepare, PreparedSamples, Reading};
use crate::error::Error;
use crate::kernel::BlockKernel;
use crate::kpca::Scalar;
use crate::linalg::eigen::Eigensolver;

/// How many samples are scaled in a step.
const SCALED: usize = 32;

/// What is left to do.
#[derive(Clone, Debug)]
pub(super) enum Preparation<C> {
    /// Learn the scaling.
    Scaling(C),
    /// Scale the samples from this one on.
    Samples(usize),
    Complete,
}

impl<K, X, const N: usize, const R: usize, const P: usize, E, S> Learner<K, X, N, R, P, E, S>
where
    X: Reading,
    K: BlockKernel<X::View> + Clone,
    E: Eigensolver<Scalar<K, X>>,
    S: Prepare<X>,
{
    /// One step of it.
    #[inline(never)]
    pub(super) fn prepare(&mut self) -> Result<Progress, Error> {
        let Some(Job { recipe, preparation, .. }) = self.job.first_mut() else {
            return Ok(Progress::Done);
        };
        let scaling = &mut self.detector.scaling;
        match preparation {
            Preparation::Scaling(course) => {
                let outliers = recipe.trimmed(self.samples.len());
                let progress = scaling.learn_step(course, &self.samples, outliers, recipe.logs)?;
                if progress == Progress::Done {
                    scaling.validate()?;
                    *preparation = Preparation::Samples(0);
                }
            }
            Preparation::Samples(next) => {
                let some = *next..self.samples.len().min(*next + SCALED);
                *next = some.end;
                self.detector.factors = scaling.factors();
                for (place, sample) in
                    self.samples.iter().enumerate().take(some.end).skip(some.start)
                {
                    let prepared = scaling.apply_by(&self.detector.factors, sample);
                    S::check_prepared(&prepared).map_err(|error| error.of_sample(place))?;
                    self.prepared.set(place, prepared);
                }
                if *next == self.samples.len() {
                    self.stale = false;
                    *preparation = Preparation::Complete;
                }
            }
            Preparation::Complete => return Ok(Progress::Done),
        }
        Ok(Progress::Working)
    }
}
