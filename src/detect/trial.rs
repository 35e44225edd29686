//! The same reading with another value in the place of one input: at which does it score lowest?
//!
//! Which values to try depends on what is usual: a deviation of the samples. Inputs that were
//! standardised have a mean of 0 and a deviation of 1. Where inputs are not scaled, the points of
//! the model stand for the samples. Landmarks are spread wider than these (1.2 times on real data,
//! in the median), which is no harm: a search goes on from there. And an input
//! that is the same in all points never changed: only that value is usual.

use super::scaling::{Scaling, moments};
use super::{Detector, VectorReading, VectorScaling};
use crate::error::Error;
use crate::kernel::{BlockKernel, Samples};
use crate::kpca::{KernelPcaView, Score};
use crate::linalg::slices::{entry, head_mut, set};
use crate::math::Real;

/// The values that are tried first, in deviations from the mean.
const TRIED: [f64; 2] = [-1.0, 1.0];
/// Then steps to either side, the first of a deviation, each half as long as the one before. With
/// five, values are found to 1/16 of a deviation, up to almost three from the mean; more of them
/// come no nearer to the true ones.
const STEPS: usize = 5;

/// How many scores it takes to find the lowest one.
pub(super) const SEARCH: usize = TRIED.len() + 2 * STEPS;

/// A reading as the model sees it, with inputs that can be exchanged.
pub(super) trait Trial<T: Real> {
    /// How many inputs it has.
    fn inputs(&self) -> usize;

    /// The value of an input.
    fn get(&self, input: usize) -> T;

    /// Replaces the value of an input.
    fn set(&mut self, input: usize, value: T);

    /// What an input usually reads.
    fn usual(&self, input: usize) -> Usual<T>;

    /// The SPE of the reading as it stands.
    fn spe(&mut self) -> Result<T, Error>;

    /// The SPE with another value in the place of an input, which then has its own again.
    fn spe_with(&mut self, input: usize, value: T) -> Result<T, Error>;
}

/// Mean and deviation of an input; the latter is 0 if it never changed.
#[derive(Clone, Copy)]
pub(super) struct Usual<T> {
    pub(super) mean: T,
    pub(super) deviation: T,
}

impl<T: Real> Usual<T> {
    /// Of a standardised input.
    pub(super) const STANDARD: Self = Self { mean: T::ZERO, deviation: T::ONE };

    /// Of an input that reads this in the points.
    fn of<I: Iterator<Item = T>>(values: impl Fn() -> I, standardised: bool) -> Self {
        let first = values().next().unwrap_or_default();
        if values().all(|value| value == first) {
            Self { mean: first, deviation: T::ZERO }
        } else if standardised {
            Self::STANDARD
        } else {
            let (mean, deviation) = moments(values);
            Self { mean, deviation }
        }
    }

    /// How far a value is from the mean, in deviations; infinite if it is another one than ever.
    pub(super) fn distance(&self, value: T) -> T {
        let distance = (value - self.mean).abs();
        if distance > T::ZERO { distance / self.deviation } else { T::ZERO }
    }
}

/// Was an input standardised, rather than left as it is?
pub(super) fn is_standardised<T: Real>(mean: &[T], deviation: &[T], input: usize) -> bool {
    entry(mean, input) != T::ZERO || entry(deviation, input) != T::ONE
}

/// A value of an input, and the SPE of the reading with it.
#[derive(Clone, Copy)]
pub(super) struct Lowest<T> {
    pub(super) value: T,
    pub(super) spe: T,
}

impl<T: Real> Lowest<T> {
    /// The lower of this one and that at another value, if there is one: what cannot be scored is
    /// no candidate.
    fn or_at(
        found: Option<Self>,
        trial: &mut impl Trial<T>,
        input: usize,
        value: T,
    ) -> Option<Self> {
        let spe = trial.spe_with(input, value).ok();
        match (found, spe) {
            (Some(found), Some(spe)) if spe < found.spe => Some(Self { value, spe }),
            (None, Some(spe)) => Some(Self { value, spe }),
            (found, _) => found,
        }
    }
}

/// The value of the two at which the reading scores lowest, unless what was `found` before is at
/// least as low.
pub(super) fn coarsely_lowest<T: Real>(
    trial: &mut impl Trial<T>,
    input: usize,
    usual: Usual<T>,
    found: Option<Lowest<T>>,
) -> Option<Lowest<T>> {
    TRIED.iter().fold(found, |found, &offset| {
        let value = usual.mean + usual.deviation * T::from_f64(offset);
        Lowest::or_at(found, trial, input, value)
    })
}

/// The value near one that was [found coarsely](coarsely_lowest) at which it scores lowest.
pub(super) fn finely_lowest<T: Real>(
    trial: &mut impl Trial<T>,
    input: usize,
    usual: Usual<T>,
    found: Lowest<T>,
) -> Lowest<T> {
    let (mut lowest, mut step) = (found, usual.deviation);
    for _ in 0..STEPS {
        let from = lowest.value;
        for value in [from - step, from + step] {
            lowest = Lowest::or_at(Some(lowest), trial, input, value).unwrap_or(lowest);
        }
        step *= T::from_f64(0.5);
    }
    lowest
}

/// A scaled reading in the caller's slice, a model, and how it was scaled.
pub(super) struct Scaled<'a, K, S, T>
where
    T: Real,
    S: Samples<View = [T]> + ?Sized,
    K: BlockKernel<[T], Scalar = T>,
{
    pub(super) model: &'a KernelPcaView<'a, K, S>,
    pub(super) mean: &'a [T],
    pub(super) deviation: &'a [T],
    pub(super) x: &'a mut [T],
    pub(super) projection: &'a mut [T],
}

impl<K, S, T> Trial<T> for Scaled<'_, K, S, T>
where
    T: Real,
    S: Samples<View = [T]> + ?Sized,
    K: BlockKernel<[T], Scalar = T>,
{
    fn inputs(&self) -> usize {
        self.x.len()
    }
    fn get(&self, input: usize) -> T {
        entry(self.x, input)
    }
    fn set(&mut self, input: usize, value: T) {
        set(self.x, input, value);
    }
    fn usual(&self, input: usize) -> Usual<T> {
        let points = self.model.points();
        let values = || points.iter_samples().filter_map(move |point| point.get(input).copied());
        Usual::of(values, is_standardised(self.mean, self.deviation, input))
    }
    fn spe(&mut self) -> Result<T, Error> {
        Ok(self.score()?.spe)
    }
    fn spe_with(&mut self, input: usize, value: T) -> Result<T, Error> {
        let own = self.get(input);
        self.set(input, value);
        let spe = self.spe();
        self.set(input, own);
        spe
    }
}

impl<K, S, T> Scaled<'_, K, S, T>
where
    T: Real,
    S: Samples<View = [T]> + ?Sized,
    K: BlockKernel<[T], Scalar = T>,
{
    /// The scores of the reading as it stands.
    pub(super) fn score(&mut self) -> Result<Score<T>, Error> {
        self.model.score(self.x, self.projection)
    }
}

impl<K, X, const R: usize, const P: usize, S> Detector<K, X, R, P, S>
where
    X: VectorReading,
    K: BlockKernel<[X::Scalar], Scalar = X::Scalar>,
    S: VectorScaling<X>,
{
    /// A prepared reading, to be tried with other values. It does not go by a
    /// [`DetectorView`](super::DetectorView), which would link a logarithm.
    pub(super) fn trial<'a>(
        &'a self,
        model: &'a KernelPcaView<'a, K, [X]>,
        x: &'a mut X,
        projection: &'a mut [X::Scalar; P],
    ) -> Scaled<'a, K, [X], X::Scalar> {
        let Scaling { mean, deviation } = self.scaling.standard();
        let projection = head_mut(projection, model.expansion().components());
        let (mean, deviation) = (mean.view(), deviation.view());
        Scaled { model, mean, deviation, x: x.view_mut(), projection }
    }
}
