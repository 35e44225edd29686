//! Inputs of different units made comparable: each is shifted to mean 0 and scaled to standard
//! deviation 1.
//!
//! The deviation is the `1/n` one. An input that is constant over the samples is divided by 1, so
//! that it has no weight but a change of it is seen in its own units.
//!
//! Units may be of any size: squares are made of differences that are scaled first, so that
//! deviations from 1e-37 to 1e37 keep their digits in `f32`, and nothing finite overflows. A value
//! that is not finite makes its input's mean NaN or infinite, which [`validate`] refuses.

use crate::Progress;
use crate::detect::calibrate::nth_smallest;
use crate::detect::valid::Inspection;
use crate::error::Error;
use crate::kernel::{Samples, Vector};
use crate::math::{Real, long_sum, scale_of};

/// Mean and standard deviation of each input.
///
/// ```
/// use mercer::detect::Scaling;
/// let scaling: Scaling<[f32; 2]> = Scaling::learn([[1.0_f32, 7.0], [3.0, 7.0]].as_slice());
/// assert_eq!(scaling, Scaling::new([2.0, 7.0], [1.0, 1.0]));
/// assert_eq!(scaling.apply(&[5.0, 7.5]), [3.0, 0.5]);
/// assert_eq!(scaling.undo(&[3.0, 0.5]), [5.0, 7.5]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Scaling<X> {
    /// What is subtracted from each input.
    pub mean: X,
    /// What each input is divided by afterwards; in `f32`, multiplied by its reciprocal.
    pub deviation: X,
}

impl<X> Scaling<X> {
    /// A scaling that was learned earlier.
    pub const fn new(mean: X, deviation: X) -> Self
    where
        X: Copy,
    {
        Self { mean, deviation }
    }
}

impl<X: Vector> Scaling<X> {
    /// Nothing learned yet; a `static` of it stays in `.bss`.
    pub const EMPTY: Self = Self { mean: X::ZEROS, deviation: X::ZEROS };

    /// Inputs stay as they are.
    pub fn identity() -> Self {
        let mut scaling = Self::EMPTY;
        scaling.deviation.view_mut().fill(X::Scalar::ONE);
        scaling
    }

    /// Mean and standard deviation of the samples.
    pub fn learn<S: Samples<View = [X::Scalar]> + ?Sized>(samples: &S) -> Self {
        let mut scaling = Self::EMPTY;
        learn(samples, scaling.mean.view_mut(), scaling.deviation.view_mut());
        scaling
    }

    /// As [`learn`](Self::learn), but the `outliers` smallest and the `outliers` largest values of
    /// each input count as the next one inwards.
    pub fn learn_clamped<S: Samples<View = [X::Scalar]> + ?Sized>(
        samples: &S,
        outliers: usize,
    ) -> Self {
        let mut scaling = Self::EMPTY;
        let (mean, deviation) = (scaling.mean.view_mut(), scaling.deviation.view_mut());
        learn_clamped(samples, outliers, mean, deviation);
        scaling
    }

    /// A raw reading in units of standard deviations from the mean.
    pub fn apply(&self, x: &X) -> X {
        self.apply_by(&self.factors(), x)
    }

    /// What inputs are [scaled by](Real::scaled_by) after the mean was subtracted.
    pub(in crate::detect) fn factors(&self) -> X {
        let mut factors = self.deviation;
        factors.view_mut().iter_mut().for_each(|factor| *factor = factor.to_factor());
        factors
    }

    /// As [`apply`](Self::apply), with factors that were made before.
    #[inline(always)]
    pub(in crate::detect) fn apply_by(&self, factors: &X, x: &X) -> X {
        let mut scaled = *x;
        let rows = scaled.view_mut().iter_mut().zip(self.mean.view()).zip(factors.view());
        rows.for_each(|((x, &mean), &factor)| *x = (*x - mean).scaled_by(factor));
        scaled
    }

    /// The raw reading of which this is the scaled one.
    pub fn undo(&self, x: &X) -> X {
        let mut raw = *x;
        undo(raw.view_mut(), self.mean.view(), self.deviation.view());
        raw
    }
}

/// Writes mean and standard deviation of each input; 1 for the deviation of a constant one.
pub fn learn<T: Real, S: Samples<View = [T]> + ?Sized>(
    samples: &S,
    mean: &mut [T],
    deviation: &mut [T],
) {
    learn_clamped(samples, 0, mean, deviation);
}

/// As [`learn`], but the `outliers` smallest and the `outliers` largest values of each input count
/// as the next one inwards. With outliers, at most `64n` comparisons for each input, `128n` in
/// `f64`.
pub fn learn_clamped<T: Real, S: Samples<View = [T]> + ?Sized>(
    samples: &S,
    outliers: usize,
    mean: &mut [T],
    deviation: &mut [T],
) {
    let mut course = Course::default();
    while learn_step(&mut course, samples, outliers, mean, deviation) == Progress::Working {}
}

/// Goes on to learn mean and standard deviation of each input: a few passes over the values of
/// one, or the selection of one of them.
pub(in crate::detect) fn learn_step<T: Real, S: Samples<View = [T]> + ?Sized>(
    course: &mut Course<T>,
    samples: &S,
    outliers: usize,
    mean: &mut [T],
    deviation: &mut [T],
) -> Progress {
    let places = mean.get_mut(course.input).zip(deviation.get_mut(course.input));
    let Some((mean, deviation)) = places else { return Progress::Done };
    if let Some(column) = course.column(samples, outliers) {
        (*mean, *deviation) = moments(|| column.values());
        course.next_input();
    }
    Progress::Working
}

/// How far the learning of a scaling has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Course<T> {
    input: usize,
    bounds: Bounds<T>,
}

/// What is known of the range of an input without its outliers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Bounds<T> {
    #[default]
    Unknown,
    Low(Option<T>),
    Both(Option<(T, T)>),
}

impl<T: Real> Course<T> {
    /// The input that is learned.
    pub(in crate::detect) const fn input(&self) -> usize {
        self.input
    }

    /// Goes on with the next one.
    pub(in crate::detect) const fn next_input(&mut self) {
        *self = Self { input: self.input + 1, bounds: Bounds::Unknown };
    }

    /// The values of the input; none yet if one of the bounds was looked for instead.
    pub(in crate::detect) fn column<'a, S: Samples<View = [T]> + ?Sized>(
        &mut self,
        samples: &'a S,
        outliers: usize,
    ) -> Option<Column<'a, T, S>> {
        let column = Column { samples, input: self.input, range: Range::ALL };
        let range = self.range(|| column.values(), samples.count(), outliers)?;
        Some(Column { range, ..column })
    }

    /// Which of so many values count as they are; none yet if one of the bounds was looked for
    /// instead.
    pub(in crate::detect) fn range<I: Iterator<Item = T>>(
        &mut self,
        values: impl Fn() -> I,
        n: usize,
        outliers: usize,
    ) -> Option<Range<T>> {
        // At most up to the quartiles, or little would be left to measure.
        let outliers = outliers.min(n / 4);
        self.bounds = match self.bounds {
            _ if outliers == 0 => return Some(Range::ALL),
            Bounds::Unknown => Bounds::Low(nth_smallest(values, outliers + 1)),
            Bounds::Low(low) => Bounds::Both(low.zip(nth_smallest(values, n - outliers))),
            Bounds::Both(range) => return Some(Range(range)),
        };
        None
    }
}

/// The least and the largest value that count as they are; none without outliers.
#[derive(Clone, Copy, Debug)]
pub(in crate::detect) struct Range<T>(Option<(T, T)>);

impl<T: Real> Range<T> {
    const ALL: Self = Self(None);

    /// What a value counts as.
    pub(in crate::detect) fn clamped(&self, value: T) -> T {
        match self.0 {
            Some((low, _)) if value < low => low,
            Some((_, high)) if value > high => high,
            _ => value,
        }
    }
}

/// The values of one input over the samples, with outliers brought in.
pub(in crate::detect) struct Column<'a, T, S: ?Sized> {
    samples: &'a S,
    input: usize,
    range: Range<T>,
}

impl<T: Real, S: Samples<View = [T]> + ?Sized> Column<'_, T, S> {
    /// One for each sample.
    pub(in crate::detect) fn values(&self) -> impl Iterator<Item = T> {
        let values = self.samples.iter_samples().filter_map(|x| x.get(self.input).copied());
        values.map(|value| self.range.clamped(value))
    }
}

/// Mean and standard deviation of some values; 1 for the deviation of equal ones.
pub(in crate::detect) fn moments<T: Real, I: Iterator<Item = T>>(values: impl Fn() -> I) -> (T, T) {
    // Measured from one of them, equal values have no deviation at all, and those around a large
    // one lose no digits.
    let Some(origin) = values().next() else { return (T::ZERO, T::ONE) };
    let (mut low, mut high, mut count) = (origin, origin, 0);
    for value in values() {
        low = if value < low { value } else { low };
        high = high.larger(value);
        count += 1;
    }
    let count = T::from_usize(count);
    let half = T::from_f64(0.5);
    // Where differences would overflow, those of halves do not.
    let part = if (high - low).is_finite() { T::ONE } else { half };
    let from_origin = |value: T| value * part - origin * part;
    let largest = from_origin(high).larger(-from_origin(low));
    // Nor do squares, or vanish.
    let scale = scale_of(largest);
    let difference = |value: T| match from_origin(value) {
        difference if scale == T::ONE => difference,
        difference => difference / scale,
    };
    let offset = long_sum(values().map(difference)) / count;
    let square = |value: T| (difference(value) - offset) * (difference(value) - offset);
    let variance = long_sum(values().map(square)) / count;
    let mean = (origin * part + offset * scale) / part;
    let deviation = variance.sqrt() * scale / part;
    // Only rounding can take the mean out of the range, and the deviation beyond half of it (or, if
    // all are next to the smallest number there is, to nothing).
    let mean = if mean < low { low } else { mean };
    let mean = if mean > high { high } else { mean };
    let deviation = if deviation.is_finite() { deviation } else { high * half - low * half };
    let least = if largest > T::ZERO { largest } else { T::ONE };
    (mean, if deviation > T::ZERO { deviation } else { least })
}

/// Scales a reading in place: `(x − mean)/deviation`, in `f32` by the reciprocal, which a detector
/// keeps; see [`Real::to_factor`].
pub fn apply<T: Real>(x: &mut [T], mean: &[T], deviation: &[T]) {
    for ((x, &mean), &deviation) in x.iter_mut().zip(mean).zip(deviation) {
        *x = (*x - mean).scaled_by(deviation.to_factor());
    }
}

/// Turns a scaled reading back into a raw one, in place.
pub fn undo<T: Real>(x: &mut [T], mean: &[T], deviation: &[T]) {
    for ((x, &mean), &deviation) in x.iter_mut().zip(mean).zip(deviation) {
        *x = *x * deviation + mean;
    }
}

impl<X: Vector> Scaling<X> {
    /// Can it be divided by?
    ///
    /// # Errors
    /// [`Error::Parameter`] when a mean is not finite, or a deviation not finite, positive and
    /// normal.
    pub fn validate(&self) -> Result<(), Error> {
        validate(self.mean.view(), self.deviation.view())
    }
}

/// Can it be divided by?
///
/// # Errors
/// [`Error::Parameter`] when a mean is not finite, or a deviation not finite, positive and normal.
pub fn validate<T: Real>(mean: &[T], deviation: &[T]) -> Result<(), Error> {
    let mut inspection = Inspection::of::<T>();
    inspection.all(Inspection::mean, mean.iter().copied());
    inspection.all(Inspection::deviation, deviation.iter().copied());
    inspection.result()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_input_is_divided_by_one() {
        let samples = [[0.1_f32, 1.0]; 7];
        let mut varied = samples;
        varied[3][1] = 2.0;
        let scaling: Scaling<[f32; 2]> = Scaling::learn(varied.as_slice());
        assert_eq!(scaling.deviation[0], 1.0, "rounding is not taken for variation");
        assert!(scaling.deviation[1] < 1.0);
        assert_eq!(scaling.validate(), Ok(()));
    }

    #[test]
    fn unusable_scalings_are_named() {
        let name = |scaling: Scaling<[f64; 2]>| match scaling.validate() {
            Err(Error::Parameter { name, .. }) => name,
            other => panic!("{other:?}"),
        };
        assert_eq!(name(Scaling::EMPTY), "deviation");
        assert_eq!(name(Scaling { mean: [0.0, f64::NAN], deviation: [1.0; 2] }), "mean");
        assert_eq!(Scaling::<[f64; 2]>::identity().validate(), Ok(()));
    }
}
