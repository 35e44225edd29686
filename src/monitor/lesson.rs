//! Raw samples for a learner.

use super::widen::sealed::Widen as _;
use crate::detect::{Pupil, Replace, Verdict};
use crate::error::Error;
use crate::monitor::FromReading;
use crate::progress::Progress;
use crate::signal::Source;

/// A learner, ordinary or [lean](crate::LeanLearner), and the stream that it learns from: gaps in
/// the samples are gaps for both.
///
/// ```
/// use mercer::GaussianLearner;
/// use mercer::monitor::Lesson;
/// use mercer::signal::{Feature, FrontEnd};
///
/// struct Fan;
/// impl FrontEnd for Fan {
///     const FEATURES: &'static [Feature] = &[Feature::Mean, Feature::LogStd];
/// }
/// let mut stream = <mercer::stream!(Fan, i16, 1, 8, 4)>::new();
/// let mut learner = GaussianLearner::<2, 64, 16, 8>::new();
/// let mut lesson = Lesson::new(&mut learner, &mut stream);
/// for recording in 0..2 {
///     for t in 0..16 {
///         lesson.push(&[recording + (t * t) % 7])?;
///     }
///     lesson.gap();
/// }
/// assert_eq!(learner.len(), 2 * 3);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug)]
pub struct Lesson<'l, L, S> {
    learner: &'l mut L,
    source: S,
}

impl<'l, L, S> Lesson<'l, L, S>
where
    L: Pupil<Reading: FromReading<S::Reading>>,
    S: Source,
{
    /// Brings the two together.
    pub const fn new(learner: &'l mut L, source: S) -> Self {
        Self { learner, source }
    }

    /// Takes a raw sample; if it completes a reading, the learner takes that as a
    /// [sample](crate::Learner::push) to learn from. Did it?
    ///
    /// # Errors
    /// [`Error::Channel`] as [`Stream::push`](crate::signal::Stream::push), which is also a gap for
    /// the learner; else as [`Learner::push`](crate::Learner::push).
    pub fn push(&mut self, sample: &S::Sample) -> Result<bool, Error> {
        let learned = self.with(sample, |learner, x| learner.push(x))?;
        Ok(learned.is_some())
    }

    /// The same for a learner that has a detector: it scores the reading, and a normal one may
    /// become a sample; see [`Learner::refresh`](crate::Learner::refresh).
    ///
    /// # Errors
    /// As [`push`](Self::push), and as [`Learner::refresh`](crate::Learner::refresh).
    pub fn refresh(
        &mut self,
        sample: &S::Sample,
        replace: Replace,
    ) -> Result<Option<Verdict<L::Scalar>>, Error> {
        self.with(sample, |learner, x| learner.refresh(x, replace))
    }

    fn with<A>(
        &mut self,
        sample: &S::Sample,
        call: impl FnOnce(&mut L, &L::Reading) -> Result<A, Error>,
    ) -> Result<Option<A>, Error> {
        match self.source.take(sample) {
            Ok(Progress::Done) => return Ok(None),
            Ok(Progress::Working) => {}
            Err(error) => {
                self.learner.gap();
                return Err(error);
            }
        }
        for _ in 0..self.source.left() {
            let _ = self.source.step()?;
        }
        let Some(reading) = self.source.reading() else { return Ok(None) };
        L::Reading::with(reading, |x| call(self.learner, x)).map(Some)
    }

    /// Samples are missing here, or another recording begins: neither the stream nor the learner
    /// takes what follows for a continuation; see [`Learner::gap`](crate::Learner::gap).
    pub fn gap(&mut self) {
        self.source.gap();
        self.learner.gap();
    }

    /// The stream, for [`floored_windows`](crate::signal::Stream::floored_windows), say.
    pub const fn source(&self) -> &S {
        &self.source
    }
}
