//! A verdict without some of the inputs: a sensor that has failed does not blind the rest.
//!
//! An input that is not finite is *missing*: a firmware writes NaN for a sensor that it knows to
//! have failed. What is missing gets the value at which the reading scores lowest, so that the
//! verdict is on the others and on how they go together. Several inputs take turns, twice.
//!
//! So a reading scores no higher than with what the sensor would have read, but for the search:
//! there are fewer false alarms, and faults that only the missing input shows are not found.
//! `docs/EVALUATION.md` says how many. To leave the input out of the kernel's distances instead was
//! tried there, and loses more.
//!
//! ```
//! use mercer::detect::InputSet;
//! use mercer::{GaussianLearner, Recipe};
//! use mercer::kernel::Rbf;
//! # let mut learner = GaussianLearner::<3, 64, 16, 8>::new();
//! # for t in 0..64 {
//! #     let (s, t) = ((t as f32 * 0.7).sin(), (t as f32 * 0.33).cos());
//! #     learner.push(&[20.0 + 3.0 * s, 5.0 + t, 40.0 + 3.0 * s + 2.0 * t])?;
//! # }
//! # learner.learn(Rbf::for_inputs(3), Recipe::default())?;
//! let detector = learner.detector()?;
//! assert!(detector.score(&[20.0, f32::NAN, 41.0]).is_err());
//! let partial = detector.score_available(&[20.0, f32::NAN, 41.0])?;
//! assert!(!partial.verdict.unusual);
//! assert_eq!(partial.missing, InputSet::of(&[1])?);
//! assert!(detector.score_available(&[20.0, f32::NAN, 60.0])?.verdict.unusual);
//! # Ok::<(), mercer::Error>(())
//! ```

use crate::detect::trial::{Lowest, SEARCH, Scaled, Trial, coarsely_lowest, finely_lowest};
use crate::detect::{
    Detector, DetectorView, InputSet, VectorReading, VectorScaling, Verdict, logs, scaling,
};
use crate::error::{Error, Fault, require_capacity};
use crate::kernel::{BlockKernel, Samples};
use crate::math::Real;

/// How often the missing inputs take turns, if there are several; a third time changes nothing.
const TURNS: usize = 2;

/// A verdict, and the inputs that it was made without.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct PartialVerdict<T> {
    /// On the other inputs.
    pub verdict: Verdict<T>,
    /// The inputs that were not finite; if there are none, the verdict is that of `score`.
    pub missing: InputSet,
}

impl<T> PartialVerdict<T> {
    pub(in crate::detect) const fn new(verdict: Verdict<T>, missing: InputSet) -> Self {
        Self { verdict, missing }
    }
}

/// How many scores a verdict takes at most, with so many inputs missing.
pub const fn scores(missing: usize) -> usize {
    let turns = if missing > 1 { TURNS } else { 1 };
    2 + turns * missing * SEARCH
}

/// The inputs of a raw reading that are missing.
///
/// # Errors
/// [`Error::Query`] when all are, and [`Error::Capacity`] when one is missing that no
/// [`InputSet`] has room for.
pub(in crate::detect) fn missing_inputs<T: Real>(x: &[T]) -> Result<InputSet, Error> {
    let not_finite = |(input, value): (usize, &T)| (!value.is_finite()).then_some(input);
    let mut missing = InputSet::EMPTY;
    for input in x.iter().enumerate().filter_map(not_finite) {
        require_capacity("missing inputs", input + 1, InputSet::MOST)?;
        missing = missing.with(input)?;
    }
    match missing.len() == x.len() && !missing.is_empty() {
        true => Err(Error::Query(Fault::AllMissing)),
        false => Ok(missing),
    }
}

/// Checks the inputs of a reading that are there, after it was scaled.
///
/// # Errors
/// [`Error::Query`] names the first that was too large for it.
pub(in crate::detect) fn check_available<T: Real>(
    scaled: &[T],
    missing: &InputSet,
) -> Result<(), Error> {
    let overflowed = |(input, value): (usize, &T)| !value.is_finite() && !missing.contains(input);
    match scaled.iter().enumerate().position(overflowed) {
        Some(input) => Err(Error::Query(Fault::ScaleOverflow { input })),
        None => Ok(()),
    }
}

/// Gives the missing inputs the values at which the reading scores lowest.
pub(in crate::detect) fn impute<T: Real>(
    trial: &mut impl Trial<T>,
    missing: &InputSet,
) -> Result<(), Error> {
    for input in missing.iter() {
        trial.set(input, trial.usual(input).mean);
    }
    let mut spe = trial.spe()?;
    let turns = if missing.len() > 1 { TURNS } else { 1 };
    for input in (0..turns).flat_map(|_| missing.iter()) {
        let usual = trial.usual(input);
        let present = Lowest { value: trial.get(input), spe };
        let found = coarsely_lowest(trial, input, usual, Some(present)).unwrap_or(present);
        let lowest = finely_lowest(trial, input, usual, found);
        trial.set(input, lowest.value);
        spe = lowest.spe;
    }
    Ok(())
}

impl<K, S, T> DetectorView<'_, K, S>
where
    T: Real,
    S: Samples<View = [T]> + ?Sized,
    K: BlockKernel<[T], Scalar = T>,
{
    /// Scores a raw reading of which inputs may be missing, with the bits of
    /// [`Detector::score_available`](crate::Detector::score_available). Afterwards `x` is raw again
    /// and complete; the inputs that were there are as they were, but for rounding.
    ///
    /// # Errors
    /// As there, and [`Error::Shape`] for a `projection` of another length.
    pub fn score_available(
        &self,
        x: &mut [T],
        projection: &mut [T],
    ) -> Result<PartialVerdict<T>, Error> {
        let missing = missing_inputs(x)?;
        let Self { ref model, mean, deviation, floor, .. } = *self;
        logs::take(x, floor);
        scaling::apply(x, mean, deviation);
        check_available(x, &missing)?;
        if !missing.is_empty() {
            impute(&mut Scaled { model, mean, deviation, x, projection }, &missing)?;
        }
        let verdict = self.threshold.judge(model.score(x, projection)?);
        self.undo(x);
        Ok(PartialVerdict::new(verdict, missing))
    }
}

impl<K, X, const R: usize, const P: usize, S> Detector<K, X, R, P, S>
where
    X: VectorReading,
    K: BlockKernel<[X::Scalar], Scalar = X::Scalar>,
    S: VectorScaling<X>,
{
    /// Scores a raw reading of which inputs may be missing, that is, not finite; see the
    /// [module](crate::detect::missing). It takes [so many scores](scores): one if nothing is.
    ///
    /// # Errors
    /// As [`score`](Self::score) for the inputs that are there; [`Fault::AllMissing`] when none is,
    /// and [`Error::Capacity`] when one from number 256 on is missing.
    pub fn score_available(&self, x: &X) -> Result<PartialVerdict<X::Scalar>, Error> {
        self.completed(x).map(|(verdict, _)| verdict)
    }

    /// The reading with a value for each input that is missing, the one by which
    /// [`score_available`](Self::score_available) judges. The other inputs are as they are: so
    /// [`suspect`](Self::suspect) can be asked about it.
    ///
    /// # Errors
    /// As [`score_available`](Self::score_available).
    pub fn fill_missing(&self, x: &X) -> Result<X, Error> {
        let (partial, completed) = self.completed(x)?;
        let mut filled = *x;
        let places = filled.view_mut().iter_mut().zip(completed.view());
        for (input, (place, &value)) in places.enumerate() {
            if partial.missing.contains(input) {
                *place = value;
            }
        }
        Ok(filled)
    }

    fn completed(&self, x: &X) -> Result<(PartialVerdict<X::Scalar>, X), Error> {
        let model = self.model.view()?;
        let missing = missing_inputs(x.view())?;
        let (mut scaled, mut projection) = (self.scaling.apply(x), [X::Scalar::ZERO; P]);
        check_available(scaled.view(), &missing)?;
        let mut trial = self.trial(&model, &mut scaled, &mut projection);
        if !missing.is_empty() {
            impute(&mut trial, &missing)?;
        }
        let verdict = self.threshold.judge(trial.score()?);
        Ok((PartialVerdict::new(verdict, missing), self.scaling.undo(&scaled)))
    }
}
