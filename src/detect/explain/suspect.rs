//! The input to blame, by scoring the reading again without it.

use crate::detect::logs::apply_checked;
use crate::detect::trial::{Lowest, Scaled, Trial, Usual, coarsely_lowest, finely_lowest};
use crate::detect::{Detector, DetectorView, VectorReading, VectorScaling};
use crate::error::{Error, require_shape};
use crate::kernel::{BlockKernel, Samples};
use crate::linalg::slices::{copy, entry, set};
use crate::math::Real;

/// The input to blame for an unusual reading; see the [module](crate::detect::explain).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Suspect<T> {
    /// Which input, counted from 0.
    pub input: usize,
    /// What it read, in raw units.
    pub read: T,
    /// What it should have read by what the others say, in raw units: where SPE is lowest, at most
    /// about 3 deviations from the mean.
    pub expected: T,
    /// By how much SPE falls with that; 0 if no single input makes a difference, and then the
    /// suspect is the one that is furthest from what it usually reads.
    pub fall: T,
    /// The SPE that is left. Above the [threshold](crate::detect::Threshold), this input alone does
    /// not explain the reading.
    pub rest: T,
}

/// A [`Suspect`], but for the units of raw inputs.
pub(in crate::detect) struct Blame<T> {
    pub(in crate::detect) input: usize,
    /// In the units of the model.
    pub(in crate::detect) expected: T,
    pub(in crate::detect) fall: T,
    pub(in crate::detect) rest: T,
}

impl<T> Blame<T> {
    /// The same in raw units.
    pub(in crate::detect) fn in_raw_units(self, read: T, expected: T) -> Suspect<T> {
        let Self { input, fall, rest, .. } = self;
        Suspect { input, read, expected, fall, rest }
    }
}

/// An input, and how well it would explain a reading.
struct Candidate<T> {
    input: usize,
    usual: Usual<T>,
    lowest: Option<Lowest<T>>,
    /// By how much SPE falls, or rises if negative; 0 if that is no more than rounding.
    fall: T,
    /// How far the input is from its mean, in deviations.
    distance: T,
}

impl<T: Real> Candidate<T> {
    fn new(trial: &mut impl Trial<T>, input: usize, spe: T) -> Self {
        let usual = trial.usual(input);
        let lowest = coarsely_lowest(trial, input, usual, None);
        let fall = lowest.map_or(T::ZERO, |lowest| beyond_rounding(spe, lowest.spe));
        Self { input, usual, lowest, fall, distance: usual.distance(trial.get(input)) }
    }

    /// Far from all points nothing lowers SPE; then the distance tells.
    fn explains_more_than(&self, other: &Self) -> bool {
        self.fall > other.fall || (self.fall == other.fall && self.distance > other.distance)
    }

    /// The value at which SPE is lowest: its own if no other is lower, and the mean where all are
    /// alike.
    fn lowest(&self, trial: &mut impl Trial<T>, spe: T) -> Lowest<T> {
        let Some(found) = self.lowest.filter(|_| self.fall != T::ZERO) else {
            return Lowest { value: self.usual.mean, spe };
        };
        let lowest = finely_lowest(trial, self.input, self.usual, found);
        if lowest.spe < spe { lowest } else { Lowest { value: trial.get(self.input), spe } }
    }
}

/// By how much the second of two SPEs is lower, or higher if negative; 0 if that is no more than
/// their rounding.
fn beyond_rounding<T: Real>(spe: T, lower: T) -> T {
    let fall = spe - lower;
    if fall.abs() > T::from_f64(64.0) * T::EPSILON * spe.abs() { fall } else { T::ZERO }
}

/// The input to blame for a reading that can be scored: two scores for each, ten more for the two
/// that lower SPE most, of which a closer look chooses, and one for the reading itself.
pub(in crate::detect) fn blame<T: Real>(trial: &mut impl Trial<T>) -> Result<Blame<T>, Error> {
    let spe = trial.spe()?;
    let (mut first, mut second) = (None, None);
    for input in 0..trial.inputs() {
        let candidate = Candidate::new(trial, input, spe);
        let beats = |other: &Option<Candidate<T>>| {
            other.as_ref().is_none_or(|other| candidate.explains_more_than(other))
        };
        if beats(&first) {
            second = first.replace(candidate);
        } else if beats(&second) {
            second = Some(candidate);
        }
    }
    let first = first.ok_or(Error::Parameter { name: "inputs", rule: ">= 1" })?;
    let (mut input, mut lowest) = (first.input, first.lowest(trial, spe));
    if let Some(second) = second {
        let other = second.lowest(trial, spe);
        if other.spe < lowest.spe {
            (input, lowest) = (second.input, other);
        }
    }
    Ok(Blame { input, expected: lowest.value, fall: spe - lowest.spe, rest: lowest.spe })
}

impl<K, S, T> DetectorView<'_, K, S>
where
    T: Real,
    S: Samples<View = [T]> + ?Sized,
    K: BlockKernel<[T], Scalar = T>,
{
    /// The input to blame for a raw reading, with the bits of
    /// [`Detector::suspect`](crate::Detector::suspect).
    ///
    /// `instead` has one place for each input, `projection` one for each component. Afterwards
    /// `instead` is the reading with the suspect as it should have read; the other inputs are as
    /// they were, but for rounding.
    ///
    /// # Errors
    /// As [`score`](Self::score), and [`Error::Shape`] for an `instead` of another length.
    pub fn suspect(
        &self,
        x: &[T],
        instead: &mut [T],
        projection: &mut [T],
    ) -> Result<Suspect<T>, Error> {
        require_shape("instead", x.len(), instead.len())?;
        copy(x, instead);
        apply_checked(instead, self.mean, self.deviation, self.floor)?;
        let Self { ref model, mean, deviation, .. } = *self;
        let blame = blame(&mut Scaled { model, mean, deviation, x: instead, projection })?;
        set(instead, blame.input, blame.expected);
        self.undo(instead);
        let (read, expected) = (entry(x, blame.input), entry(instead, blame.input));
        Ok(blame.in_raw_units(read, expected))
    }
}

impl<K, X, const R: usize, const P: usize, S> Detector<K, X, R, P, S>
where
    X: VectorReading,
    K: BlockKernel<[X::Scalar], Scalar = X::Scalar>,
    S: VectorScaling<X>,
{
    /// The input to blame for an unusual reading, and what it should have read: `2d + 21` scores
    /// for `d` inputs; see the [module](crate::detect::explain).
    ///
    /// A reading of which no input is wrong has a suspect, too: ask on an alarm.
    ///
    /// ```
    /// # use mercer::{Detector, KernelPca};
    /// # use mercer::detect::{Scaling, Threshold};
    /// # use mercer::kernel::Rbf;
    /// # use mercer::kpca::{Components, ExactWorkspace};
    /// # let samples: [[f32; 3]; 16] = core::array::from_fn(|i| {
    /// #     let (s, t) = ((i % 4) as f32 - 1.5, (i / 4) as f32 - 1.5);
    /// #     [20.0 + s, 30.0 + t, 50.0 + s + t]
    /// # });
    /// # let scaling = Scaling::learn(samples.as_slice());
    /// # let scaled = samples.map(|x| scaling.apply(&x));
    /// # let mut model = KernelPca::<Rbf<f32>, [f32; 3], 16, 8>::new();
    /// # let share = Components::Share(0.95);
    /// # model.fit_exact(Rbf::new(0.05), &scaled, share, &mut ExactWorkspace::<f32, 16>::new())?;
    /// # let detector = Detector::from_parts(scaling, model, Threshold::EMPTY)?;
    /// // Learned from readings whose third input is the sum of the others.
    /// let suspect = detector.suspect(&[20.5, 30.5, 41.0])?;
    /// assert_eq!((suspect.input, suspect.read), (2, 41.0));
    /// assert!((suspect.expected - 51.0).abs() < 0.5);
    /// assert!(suspect.fall > 0.9 * detector.score(&[20.5, 30.5, 41.0])?.score.spe);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`score`](Self::score), and [`Error::Query`] for inputs too large to be scaled.
    pub fn suspect(&self, x: &X) -> Result<Suspect<X::Scalar>, Error> {
        let (mut instead, mut projection) = (self.prepared(x)?, [X::Scalar::ZERO; P]);
        let blame = blame(&mut self.trial(&self.model.view()?, &mut instead, &mut projection))?;
        set(instead.view_mut(), blame.input, blame.expected);
        let expected = entry(self.scaling.undo(&instead).view(), blame.input);
        let read = entry(x.view(), blame.input);
        Ok(blame.in_raw_units(read, expected))
    }
}
