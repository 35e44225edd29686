//! Inputs that are positive by nature, such as standard deviations, RMS values and energies: their
//! logarithm is taken before they are scaled.
//!
//! Such an input varies by factors rather than by amounts. A reading of a tenth of the usual is
//! then as far away as one of ten times the usual; without the logarithm it is next to the mean.
//!
//! **Method.** `x ← ln(max(x, floor))`, then [`Scaling`]. The floor is kept for each input: half
//! the smallest positive value of the samples, so that a reading of 0, or below, is lower than
//! those, but not farther away than anything else. All readings from there down are alike: where
//! the samples themselves vary by large factors, a sensor that reads 0 is given away by the other
//! inputs, if at all.
//!
//! **Automatic rule.** An input is logarithmic if all its samples are positive, the largest is at
//! least 4 times the smallest, and the logarithm lowers the magnitude of their skewness.
//!
//! **Outliers.** Where the most extreme values count as the next ones inwards, all of this is about
//! what they count as.
//!
//! Only [`LogScaling`], and what has its sizes at run time, links a logarithm.

use super::inputs::InputSet;
use super::scaling::{self, Course, Scaling, moments};
use super::valid::Inspection;
use crate::Progress;
use crate::error::{Error, Fault};
use crate::kernel::{Samples, Vector};
use crate::math::{Normal, Real, first_not_finite, long_sum};

/// How often the largest sample must hold the smallest for the automatic rule to take logarithms:
/// between values of less than that, a logarithm is next to a straight line.
const RATIO: f64 = 4.0;

/// Which inputs a [`Recipe`](crate::Recipe) wants to be logarithmic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Logs {
    /// What the scaling of the detector is for: with [`LogScaling`] as [`Auto`](Self::Auto), else,
    /// and with sizes at run time, as [`None`](Self::None).
    #[default]
    Usual,
    /// No input.
    None,
    /// Those of the automatic rule of the [module](self).
    Auto,
    /// These.
    Inputs(InputSet),
}

impl Logs {
    /// What is wished of an input.
    pub(in crate::detect) fn of(&self, input: usize) -> Log {
        match self {
            Self::Usual | Self::None => Log::No,
            Self::Auto => Log::Auto,
            Self::Inputs(set) if set.contains(input) => Log::Yes,
            Self::Inputs(_) => Log::No,
        }
    }

    /// Are all of them among so many inputs?
    pub(in crate::detect) fn require_within(&self, inputs: usize) -> Result<(), Error> {
        let Self::Inputs(set) = self else { return Ok(()) };
        match set.iter().find(|&input| input >= inputs) {
            Some(input) => Err(Error::UnknownInput { input, inputs }),
            None => Ok(()),
        }
    }

    /// Is no logarithm asked for, where none can be taken?
    pub(in crate::detect) fn require_none(&self, rule: &'static str) -> Result<(), Error> {
        match self {
            Self::Usual | Self::None => Ok(()),
            Self::Inputs(set) if set.is_empty() => Ok(()),
            _ => Err(Error::Parameter { name: "logs", rule }),
        }
    }
}

/// Is the logarithm of an input taken?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Log {
    /// It is not.
    No,
    /// By the automatic rule of the [module](self).
    Auto,
    /// It is.
    Yes,
}

/// The floor of logarithmic inputs, and mean and standard deviation of each input after its
/// logarithm.
///
/// ```
/// use mercer::detect::{LogScaling, Logs};
/// // A temperature, and the strength of a vibration.
/// let samples = [[20.0_f32, 1.0], [22.0, 0.5], [21.0, 2.0], [19.0, 8.0], [20.5, 1.0]];
/// let scaling: LogScaling<[f32; 2]> = LogScaling::learn(samples.as_slice(), Logs::Auto)?;
/// assert_eq!(scaling.floor, [0.0, 0.25]); // 0 for an input that is not logarithmic
/// assert_eq!(scaling.apply(&[20.0, 0.0]), scaling.apply(&[20.0, 0.25]));
/// let scaled = scaling.apply(&[20.0, 4.0]);
/// assert!((scaling.undo(&scaled)[1] - 4.0).abs() < 1e-5);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct LogScaling<X> {
    /// Mean and deviation, of the logarithm where it is taken.
    pub scaling: Scaling<X>,
    /// Below this a logarithmic input counts as this; 0 for one that is not logarithmic.
    pub floor: X,
}

impl<X> LogScaling<X> {
    /// A scaling that was learned earlier.
    pub const fn new(scaling: Scaling<X>, floor: X) -> Self
    where
        X: Copy,
    {
        Self { scaling, floor }
    }
}

impl<X: Vector> LogScaling<X> {
    /// Nothing learned yet; a `static` of it stays in `.bss`.
    pub const EMPTY: Self = Self { scaling: Scaling::EMPTY, floor: X::ZEROS };

    /// Inputs stay as they are.
    pub fn identity() -> Self {
        Self { scaling: Scaling::identity(), floor: X::ZEROS }
    }

    /// Floors, means and standard deviations of the samples.
    ///
    /// # Errors
    /// [`Error::UnknownInput`] and [`Error::NoLogarithm`] name an input that is wished to be
    /// logarithmic.
    pub fn learn<S>(samples: &S, logs: Logs) -> Result<Self, Error>
    where
        S: Samples<View = [X::Scalar]> + ?Sized,
    {
        Self::learn_clamped(samples, 0, logs)
    }

    /// As [`learn`](Self::learn), but the `outliers` smallest and the `outliers` largest values of
    /// each input count as the next one inwards.
    ///
    /// # Errors
    /// Those of [`learn`](Self::learn).
    pub fn learn_clamped<S>(samples: &S, outliers: usize, logs: Logs) -> Result<Self, Error>
    where
        S: Samples<View = [X::Scalar]> + ?Sized,
    {
        logs.require_within(X::INPUTS)?;
        let (mut learned, mut course) = (Self::EMPTY, LogCourse::default());
        while learned.learn_step(&mut course, samples, outliers, logs)? == Progress::Working {}
        Ok(learned)
    }

    /// Goes on with [`learn_clamped`](Self::learn_clamped).
    pub(in crate::detect) fn learn_step<S>(
        &mut self,
        course: &mut LogCourse<X::Scalar>,
        samples: &S,
        outliers: usize,
        logs: Logs,
    ) -> Result<Progress, Error>
    where
        S: Samples<View = [X::Scalar]> + ?Sized,
    {
        let logs = if logs == Logs::Usual { Logs::Auto } else { logs };
        let Self { scaling: Scaling { mean, deviation }, floor } = self;
        let (mean, deviation, floor) = (mean.view_mut(), deviation.view_mut(), floor.view_mut());
        learn_step(course, samples, outliers, |input| logs.of(input), mean, deviation, floor)
    }

    /// A raw reading, after logarithms, in units of standard deviations from the mean.
    pub fn apply(&self, x: &X) -> X {
        self.apply_by(&self.scaling.factors(), x)
    }

    /// As [`apply`](Self::apply), with factors that were made before.
    pub(in crate::detect) fn apply_by(&self, factors: &X, x: &X) -> X {
        let mut logs = *x;
        take(logs.view_mut(), self.floor.view());
        self.scaling.apply_by(factors, &logs)
    }

    /// The raw reading of which this is the scaled one.
    pub fn undo(&self, x: &X) -> X {
        let mut raw = self.scaling.undo(x);
        undo(raw.view_mut(), self.floor.view());
        raw
    }

    /// Can it be applied?
    ///
    /// # Errors
    /// [`Error::Parameter`] as [`Scaling::validate`], or when a `floor` is not finite, negative or
    /// subnormal.
    pub fn validate(&self) -> Result<(), Error> {
        self.scaling.validate()?;
        validate(self.floor.view())
    }
}

/// Writes mean and standard deviation of each input, after its logarithm where that is taken, and
/// its floor, which is 0 where not. `log` says what is wished of an input.
///
/// # Errors
/// [`Error::NoLogarithm`] names an input that is wished to be logarithmic, but nowhere positive.
pub fn learn<T: Real, S: Samples<View = [T]> + ?Sized>(
    samples: &S,
    outliers: usize,
    log: impl Fn(usize) -> Log,
    mean: &mut [T],
    deviation: &mut [T],
    floor: &mut [T],
) -> Result<(), Error> {
    let mut course = LogCourse::default();
    while learn_step(&mut course, samples, outliers, &log, mean, deviation, floor)?
        == Progress::Working
    {}
    Ok(())
}

/// Goes on to learn floor, mean and standard deviation of each input: a few passes over the values
/// of one and their logarithms, or the selection of one value.
///
/// # Errors
/// Those of [`learn`].
pub(in crate::detect) fn learn_step<T: Real, S: Samples<View = [T]> + ?Sized>(
    course: &mut LogCourse<T>,
    samples: &S,
    outliers: usize,
    log: impl Fn(usize) -> Log,
    mean: &mut [T],
    deviation: &mut [T],
    floor: &mut [T],
) -> Result<Progress, Error> {
    let input = course.inputs.input();
    let places = mean.get_mut(input).zip(deviation.get_mut(input)).zip(floor.get_mut(input));
    let Some(((mean, deviation), place)) = places else { return Ok(Progress::Done) };
    let Some(column) = course.inputs.column(samples, outliers) else {
        return Ok(Progress::Working);
    };
    let values = || column.values();
    course.floor = match course.floor {
        Floor::Unknown => match log(input) {
            Log::No => Floor::Known(None),
            Log::Auto => match promising_floor(values) {
                Some(floor) => Floor::Promising(floor),
                None => Floor::Known(None),
            },
            Log::Yes => Floor::Known(Some(floor_of(values).ok_or(Error::NoLogarithm { input })?)),
        },
        Floor::Promising(floor) => {
            Floor::Skewed { floor, skewness: skewness(|| logs_of(values(), floor)).abs() }
        }
        Floor::Skewed { floor, skewness: of_logs } => {
            Floor::Known((of_logs < skewness(values).abs()).then_some(floor))
        }
        Floor::Known(floor) => {
            *place = floor.unwrap_or(T::ZERO);
            (*mean, *deviation) = match floor {
                Some(floor) => moments(|| logs_of(values(), floor)),
                None => moments(values),
            };
            course.inputs.next_input();
            Floor::Unknown
        }
    };
    Ok(Progress::Working)
}

/// How far the learning of a [`LogScaling`] has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LogCourse<T> {
    inputs: Course<T>,
    floor: Floor<T>,
}

/// What is known of the floor of an input, and whether it is logarithmic.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Floor<T> {
    #[default]
    Unknown,
    /// It is, if its logarithms are less skewed than its values.
    Promising(T),
    /// The same, and so much are they skewed.
    Skewed { floor: T, skewness: T },
    /// None if it is not logarithmic.
    Known(Option<T>),
}

/// Half the smallest positive value; none if there is none.
fn floor_of<T: Real, I: Iterator<Item = T>>(values: impl Fn() -> I) -> Option<T> {
    let positive = values().filter(|value| *value > T::ZERO && value.is_finite());
    let smallest = positive.reduce(|least, other| if other < least { other } else { least })?;
    // Some cores take subnormal numbers for 0.
    let least = T::from_f64(Normal::of::<T>().least);
    Some(least.larger(smallest * T::from_f64(0.5)))
}

/// The floor of an input that may be logarithmic by the rule of the [module](self): all that is
/// left to compare is skewness.
fn promising_floor<T: Real, I: Iterator<Item = T>>(values: impl Fn() -> I) -> Option<T> {
    let floor = floor_of(&values)?;
    let (mut smallest, mut largest) = (values().next()?, T::ZERO);
    for value in values() {
        smallest = if value < smallest { value } else { smallest };
        largest = largest.larger(value);
    }
    let positive = values().all(|value| value > T::ZERO);
    (positive && largest / smallest >= T::from_f64(RATIO)).then_some(floor)
}

/// The third moment of values in units of their deviation.
fn skewness<T: Real, I: Iterator<Item = T>>(values: impl Fn() -> I) -> T {
    let (mean, deviation) = moments(&values);
    let cube = |value: T| {
        let scaled = (value - mean) / deviation;
        scaled * scaled * scaled
    };
    long_sum(values().map(cube)) / T::from_usize(values().count())
}

/// The logarithm of a value, or of the floor. What is not finite stays so.
fn log_of<T: Real>(value: T, floor: T) -> T {
    if value.is_finite() { value.larger(floor).ln() } else { value }
}

/// The logarithms of some values.
fn logs_of<T: Real>(values: impl Iterator<Item = T>, floor: T) -> impl Iterator<Item = T> {
    values.map(move |value| log_of(value, floor))
}

/// Takes the logarithms of a reading in place: of inputs with a floor above 0. None have one where
/// there are no floors.
pub fn take<T: Real>(x: &mut [T], floor: &[T]) {
    for (x, &floor) in x.iter_mut().zip(floor) {
        if floor > T::ZERO {
            *x = log_of(*x, floor);
        }
    }
}

/// Turns the logarithms of a reading back into what they were taken of, in place.
pub fn undo<T: Real>(x: &mut [T], floor: &[T]) {
    for (x, &floor) in x.iter_mut().zip(floor) {
        if floor > T::ZERO {
            *x = x.exp();
        }
    }
}

/// Can logarithms be taken with these floors?
///
/// # Errors
/// [`Error::Parameter`] when one is not finite, negative or subnormal.
pub fn validate<T: Real>(floor: &[T]) -> Result<(), Error> {
    let mut inspection = Inspection::of::<T>();
    inspection.all(Inspection::floor, floor.iter().copied());
    inspection.result()
}

/// Takes logarithms of a raw reading and scales it, in place; says which input cannot be.
pub(in crate::detect) fn apply_checked<T: Real>(
    x: &mut [T],
    mean: &[T],
    deviation: &[T],
    floor: &[T],
) -> Result<(), Error> {
    if let Some(input) = first_not_finite(x) {
        return Err(Error::Query(Fault::NotFinite { input }));
    }
    take(x, floor);
    scaling::apply(x, mean, deviation);
    // Division by a tiny deviation can overflow.
    match first_not_finite(x) {
        Some(input) => Err(Error::Query(Fault::ScaleOverflow { input })),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSITIVE: [[f64; 1]; 5] = [[1.0], [2.0], [4.0], [8.0], [64.0]];

    fn floor_by(samples: &[[f64; 1]], outliers: usize, logs: Logs) -> Result<f64, Error> {
        LogScaling::<[f64; 1]>::learn_clamped(samples, outliers, logs).map(|s| s.floor[0])
    }

    #[test]
    fn the_automatic_rule_asks_for_three_things() {
        let auto = |samples: &[[f64; 1]]| floor_by(samples, 0, Logs::Auto).unwrap();
        assert_eq!(auto(&POSITIVE), 0.5);
        let mut zero = POSITIVE;
        zero[2] = [0.0];
        assert_eq!(auto(&zero), 0.0, "not all are positive");
        assert_eq!(auto(&[[1.0], [1.1], [1.2], [3.9]]), 0.0, "less than four times");
        assert_eq!(auto(&[[1.0], [1.1], [1.2], [4.0]]), 0.5);
        assert_eq!(auto(&[[1.0], [9.0], [9.5], [10.0]]), 0.0, "skewed to the other side");
        assert_eq!(auto(&[]), 0.0);
        assert_eq!(auto(&[[f64::NAN], [1.0], [9.0], [1.0]]), 0.0);
        assert_eq!(auto(&[[f64::INFINITY], [1.0], [9.0], [1.0]]), 0.0);
    }

    #[test]
    fn outliers_are_not_looked_at() {
        let mut samples = [[0.0]; 12];
        for (i, x) in samples.iter_mut().enumerate() {
            *x = [libm::exp2((i % 6) as f64)];
        }
        samples[7] = [-1e9];
        assert_eq!(floor_by(&samples, 0, Logs::Auto), Ok(0.0));
        assert_eq!(floor_by(&samples, 1, Logs::Auto), Ok(0.5));
        // The floor of a wish does not look at them, either.
        samples[7] = [1e-9];
        let third = Logs::Inputs(InputSet::of(&[0]).unwrap());
        assert_eq!(floor_by(&samples, 0, third), Ok(5e-10));
        assert_eq!(floor_by(&samples, 1, third), Ok(0.5));
    }

    #[test]
    fn a_wish_is_granted_or_refused_by_name() {
        let wish = |inputs: &[usize]| Logs::Inputs(InputSet::of(inputs).unwrap());
        let learn = |samples: &[[f32; 2]], logs| LogScaling::<[f32; 2]>::learn(samples, logs);
        let samples = [[0.0, -1.0], [-3.0, -2.0], [3.0, -1.0], [5.0, -4.0]];
        assert_eq!(learn(&samples, wish(&[0])).unwrap().floor, [1.5, 0.0]);
        assert_eq!(learn(&samples, wish(&[1, 0])), Err(Error::NoLogarithm { input: 1 }));
        let unknown = Error::UnknownInput { input: 2, inputs: 2 };
        assert_eq!(learn(&samples, wish(&[2])), Err(unknown));
        let plain = learn(&samples, Logs::None).unwrap();
        assert_eq!(plain.scaling, Scaling::learn(samples.as_slice()));
        assert_eq!(plain.floor, [0.0; 2]);
        // Half of the smallest number there is would be none.
        let tiny = learn(&[[f32::from_bits(1), 1.0]; 4], wish(&[0])).unwrap();
        assert_eq!(tiny.floor[0], f32::MIN_POSITIVE);
        assert_eq!(tiny.validate(), Ok(()));
    }

    #[test]
    fn readings_below_the_floor_count_as_the_floor() {
        let scaling: LogScaling<[f64; 1]> = LogScaling::learn(&POSITIVE[..], Logs::Usual).unwrap();
        let lowest = scaling.apply(&[0.5]);
        assert!(lowest[0].is_finite() && lowest[0] < scaling.apply(&[1.0])[0]);
        for below in [0.4, f64::from_bits(1), 0.0, -0.0, -1.0, f64::MIN] {
            assert_eq!(scaling.apply(&[below]), lowest, "{below}");
        }
        for not_finite in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(!scaling.apply(&[not_finite])[0].is_finite(), "{not_finite}");
        }
        for x in [0.5, 1.0, 3.0, 1e6] {
            assert!((scaling.undo(&scaling.apply(&[x]))[0] / x - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn unusable_floors_are_named() {
        for floor in [f32::NAN, f32::INFINITY, -1.0, f32::from_bits(1)] {
            let error = validate(&[0.0, floor]).unwrap_err();
            assert!(matches!(error, Error::Parameter { name: "floor", .. }), "{floor}");
        }
        assert_eq!(validate(&[0.0, f32::MIN_POSITIVE, f32::MAX]), Ok(()));
    }
}
