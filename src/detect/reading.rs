//! What a detector judges: vectors of inputs, which are scaled first, and anything else that a
//! kernel compares.
//!
//! | reading | scaled by | inputs |
//! |---|---|---|
//! | `[f32; D]`, `[f64; D]` | [`Scaling`], or [`LogScaling`] if its detector names it | `D` |
//! | `[u8; N]` and other codes, [`Codes`], [`Text`], `&str` | [`Unscaled`] | none |
//! | a type of your own | [`Unscaled`] | none |
//!
//! A type of your own needs its kernel, and three lines:
//!
//! ```
//! use mercer::detect::{Inspect, Reading, Unscaled};
//! use mercer::kernel::Sample;
//!
//! /// Which valves are open.
//! #[derive(Clone, PartialEq)]
//! struct Valves(u32);
//! impl Sample for Valves {
//!     type View = Self;
//!     fn view(&self) -> &Self {
//!         self
//!     }
//! }
//! impl Inspect for Valves {
//!     fn equals(&self, other: &Self) -> bool {
//!         self == other
//!     }
//! }
//! impl Reading for Valves {
//!     type Scaling = Unscaled;
//! }
//! ```

use core::fmt::Debug;

use super::logs::{LogCourse, LogScaling, Logs};
use super::scaling::{self, Course, Scaling};
use crate::Progress;
use crate::error::{Error, Fault};
use crate::kernel::counts::Counts;
use crate::kernel::{Codes, Sample, Text, Vector};
use crate::linalg::slices::{copy, head, set, swap, update};
use crate::math::{Real, first_not_finite, sum};

/// What a detector judges; see the [module](self).
pub trait Reading: Sample<View: Inspect> + Clone {
    /// How it is prepared for the model, unless its detector names another way: [`Scaling`] for
    /// vectors, [`Unscaled`] for everything else.
    type Scaling: Prepare<Self>;
    /// How many inputs it has; 0 if it is no vector.
    const WIDTH: usize = 0;
}

/// A reading whose inputs are numbers: `[f32; D]` or `[f64; D]`.
pub trait VectorReading: Vector + Reading<Scaling = Scaling<Self>> {}
impl<X: Vector + Reading<Scaling = Scaling<X>>> VectorReading for X {}

/// What learning looks at before it trusts its samples.
pub trait Inspect {
    /// Is the other one an exact copy?
    fn equals(&self, other: &Self) -> bool;

    /// A number that equal readings share, others rather not: copies are looked for among readings
    /// with the same one. Without it each reading is compared with all earlier ones.
    fn digest(&self) -> u32 {
        0
    }

    /// How many inputs there are to look at one by one.
    fn inputs(&self) -> usize {
        0
    }

    /// Has the other one the same value for an input?
    fn same_input(&self, other: &Self, input: usize) -> bool {
        let _ = (other, input);
        false
    }

    /// The value of an input, if it is such a number.
    fn number<T: Real>(&self, input: usize) -> Option<T> {
        let _ = input;
        None
    }

    /// How many numbers of room [`moved`](Self::moved) needs.
    fn room(&self) -> usize {
        self.inputs()
    }

    /// Calls `judge` with the reading of which one input is moved by so much, if it is such a
    /// number and there is room: learning moves inputs one by one, to see whether a fault would be
    /// noticed.
    fn moved<T: Real, A>(
        &self,
        input: usize,
        by: T,
        room: &mut [T],
        judge: impl FnOnce(&Self) -> A,
    ) -> Option<A> {
        let _ = (input, by, room, judge);
        None
    }
}

/// How readings are prepared for the model.
pub trait Prepare<X>: Clone + Debug {
    /// Where a learner keeps its samples as the model sees them, beside the raw ones: nowhere if
    /// they are the same.
    type Room<const N: usize>: PreparedSamples<X>;

    /// Nothing learned yet; all zeros.
    const EMPTY: Self;

    /// Readings stay as they are.
    fn identity() -> Self;

    /// How far learning has come; nowhere yet by default.
    type Course: Copy + Debug + Default;

    /// Can inputs be logarithmic as wished?
    ///
    /// # Errors
    /// [`Error::Parameter`] where no logarithm can be taken, else [`Error::UnknownInput`].
    fn check_logs(logs: &Logs) -> Result<(), Error>;

    /// Goes on to learn what suits these samples, with a wish for logarithms that was
    /// [checked](Self::check_logs); the `outliers` smallest and the `outliers` largest values of
    /// each input count as the next one inwards. A step takes a few passes over one input.
    ///
    /// # Errors
    /// [`Error::NoLogarithm`] names an input that is wished to be logarithmic, but nowhere
    /// positive.
    fn learn_step(
        &mut self,
        course: &mut Self::Course,
        samples: &[X],
        outliers: usize,
        logs: Logs,
    ) -> Result<Progress, Error>;

    /// Can it be applied?
    ///
    /// # Errors
    /// [`Error::Parameter`] names what is wrong with it.
    fn validate(&self) -> Result<(), Error>;

    /// What [`apply`](Self::apply) makes of this preparation before it looks at the reading. A
    /// detector keeps it, so that its scores need not divide.
    type Factors: Clone + Debug;

    /// Those of [`EMPTY`](Self::EMPTY), all zeros: nothing is to be judged with them.
    const NO_FACTORS: Self::Factors;

    /// Makes them.
    fn factors(&self) -> Self::Factors;

    /// A raw reading as the model sees it, by [factors](Self::factors) that were made before.
    fn apply_by(&self, factors: &Self::Factors, x: &X) -> X;

    /// A raw reading as the model sees it.
    fn apply(&self, x: &X) -> X {
        self.apply_by(&self.factors(), x)
    }

    /// Can the model use a prepared reading? At one look, which may say no to one that it can use.
    fn looks_usable(prepared: &X) -> bool;

    /// Can a raw reading be used?
    ///
    /// # Errors
    /// [`Error::Query`] names the input that cannot.
    fn check(x: &X) -> Result<(), Error>;

    /// Can a reading be used after it was prepared?
    ///
    /// # Errors
    /// [`Error::Query`] names the input that cannot.
    fn check_prepared(prepared: &X) -> Result<(), Error>;
}

/// At most `N` samples as the model sees them; see [`Prepare::Room`].
pub trait PreparedSamples<X>: Clone + Debug {
    /// Nothing prepared yet; all zeros.
    const EMPTY: Self;

    /// Keeps the prepared reading of this place.
    fn set(&mut self, place: usize, prepared: X);

    /// Exchanges the readings of two places.
    fn swap(&mut self, a: usize, b: usize);

    /// The prepared samples, of which these are the raw ones.
    fn of<'a>(&'a self, raw: &'a [X]) -> &'a [X];
}

impl<X> PreparedSamples<X> for () {
    const EMPTY: Self = ();
    fn set(&mut self, _: usize, _: X) {}
    fn swap(&mut self, _: usize, _: usize) {}
    fn of<'a>(&'a self, raw: &'a [X]) -> &'a [X] {
        raw
    }
}

impl<X: Vector, const N: usize> PreparedSamples<X> for [X; N] {
    const EMPTY: Self = [X::ZEROS; N];
    fn set(&mut self, place: usize, prepared: X) {
        set(self, place, prepared);
    }
    fn swap(&mut self, a: usize, b: usize) {
        swap(self, a, b);
    }
    fn of<'a>(&'a self, raw: &'a [X]) -> &'a [X] {
        head(self, raw.len())
    }
}

/// For readings that are no vectors: the model sees them as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Unscaled;

impl<X: Clone> Prepare<X> for Unscaled {
    type Room<const N: usize> = ();
    type Course = ();
    const EMPTY: Self = Self;
    fn identity() -> Self {
        Self
    }
    fn check_logs(logs: &Logs) -> Result<(), Error> {
        logs.require_none("none for readings that are not scaled")
    }
    fn learn_step(&mut self, (): &mut (), _: &[X], _: usize, _: Logs) -> Result<Progress, Error> {
        Ok(Progress::Done)
    }
    fn validate(&self) -> Result<(), Error> {
        Ok(())
    }
    type Factors = ();
    const NO_FACTORS: () = ();
    fn factors(&self) {}
    fn apply_by(&self, (): &(), x: &X) -> X {
        x.clone()
    }
    fn looks_usable(_: &X) -> bool {
        true
    }
    fn check(_: &X) -> Result<(), Error> {
        Ok(())
    }
    fn check_prepared(_: &X) -> Result<(), Error> {
        Ok(())
    }
}

impl<X: Vector> Prepare<X> for Scaling<X> {
    type Room<const N: usize> = [X; N];
    type Course = Course<X::Scalar>;
    const EMPTY: Self = Scaling::EMPTY;
    fn identity() -> Self {
        Scaling::identity()
    }
    fn check_logs(logs: &Logs) -> Result<(), Error> {
        logs.require_none("none without a `LogScaling`")
    }
    fn learn_step(
        &mut self,
        course: &mut Course<X::Scalar>,
        samples: &[X],
        outliers: usize,
        _: Logs,
    ) -> Result<Progress, Error> {
        let (mean, deviation) = (self.mean.view_mut(), self.deviation.view_mut());
        Ok(scaling::learn_step(course, samples, outliers, mean, deviation))
    }
    fn validate(&self) -> Result<(), Error> {
        Scaling::validate(self)
    }
    type Factors = X;
    const NO_FACTORS: X = X::ZEROS;
    fn factors(&self) -> X {
        Scaling::factors(self)
    }
    #[inline(always)]
    fn apply_by(&self, factors: &X, x: &X) -> X {
        Scaling::apply_by(self, factors, x)
    }
    #[inline(always)]
    fn looks_usable(prepared: &X) -> bool {
        // The sum of finite values can still overflow: only a look at each of them tells.
        sum(prepared.view().iter().copied()).is_finite()
    }
    fn check(x: &X) -> Result<(), Error> {
        let fault = first_not_finite(x.view()).map(|input| Fault::NotFinite { input });
        fault.map_or(Ok(()), |fault| Err(Error::Query(fault)))
    }
    fn check_prepared(prepared: &X) -> Result<(), Error> {
        // The reciprocal of a tiny deviation is large.
        let fault = first_not_finite(prepared.view()).map(|input| Fault::ScaleOverflow { input });
        fault.map_or(Ok(()), |fault| Err(Error::Query(fault)))
    }
}

impl<X: Vector> Prepare<X> for LogScaling<X> {
    type Room<const N: usize> = [X; N];
    type Course = LogCourse<X::Scalar>;
    const EMPTY: Self = LogScaling::EMPTY;
    fn identity() -> Self {
        LogScaling::identity()
    }
    fn check_logs(logs: &Logs) -> Result<(), Error> {
        logs.require_within(X::INPUTS)
    }
    fn learn_step(
        &mut self,
        course: &mut LogCourse<X::Scalar>,
        samples: &[X],
        outliers: usize,
        logs: Logs,
    ) -> Result<Progress, Error> {
        LogScaling::learn_step(self, course, samples, outliers, logs)
    }
    fn validate(&self) -> Result<(), Error> {
        LogScaling::validate(self)
    }
    type Factors = X;
    const NO_FACTORS: X = X::ZEROS;
    fn factors(&self) -> X {
        self.scaling.factors()
    }
    fn apply_by(&self, factors: &X, x: &X) -> X {
        LogScaling::apply_by(self, factors, x)
    }
    fn looks_usable(prepared: &X) -> bool {
        Scaling::looks_usable(prepared)
    }
    fn check(x: &X) -> Result<(), Error> {
        Scaling::check(x)
    }
    fn check_prepared(prepared: &X) -> Result<(), Error> {
        Scaling::check_prepared(prepared)
    }
}

/// How vectors are scaled: [`Scaling`] or [`LogScaling`].
pub trait VectorScaling<X: Vector>: Prepare<X> {
    /// Can an input be logarithmic?
    const LOGS: bool;

    /// Mean and deviation, of the logarithm of inputs that are logarithmic.
    fn standard(&self) -> &Scaling<X>;

    /// The [floor](LogScaling::floor) of each input; empty where no input can be logarithmic.
    fn floors(&self) -> &[X::Scalar];

    /// The raw reading of which this is the prepared one.
    fn undo(&self, x: &X) -> X;
}

impl<X: Vector> VectorScaling<X> for Scaling<X> {
    const LOGS: bool = false;
    fn standard(&self) -> &Scaling<X> {
        self
    }
    fn floors(&self) -> &[X::Scalar] {
        &[]
    }
    fn undo(&self, x: &X) -> X {
        Scaling::undo(self, x)
    }
}

impl<X: Vector> VectorScaling<X> for LogScaling<X> {
    const LOGS: bool = true;
    fn standard(&self) -> &Scaling<X> {
        &self.scaling
    }
    fn floors(&self) -> &[X::Scalar] {
        self.floor.view()
    }
    fn undo(&self, x: &X) -> X {
        LogScaling::undo(self, x)
    }
}

impl<T: Real, const D: usize> Reading for [T; D] {
    type Scaling = Scaling<Self>;
    const WIDTH: usize = D;
}

/// Mixes numbers into one, whose upper bits depend on all of theirs.
fn mixed(parts: impl Iterator<Item = u32>) -> u32 {
    // 2³² over the golden ratio (Knuth, The Art of Computer Programming 3, 2nd ed. 1998, §6.4).
    let mix = |hash: u32, part: u32| (hash.rotate_left(5) ^ part).wrapping_mul(0x9e37_79b1);
    parts.fold(0, mix)
}

impl<T: Real> Inspect for [T] {
    fn equals(&self, other: &Self) -> bool {
        self == other
    }
    fn digest(&self) -> u32 {
        mixed(self.iter().map(|number| number.digest()))
    }
    fn inputs(&self) -> usize {
        self.len()
    }
    fn same_input(&self, other: &Self, input: usize) -> bool {
        self.get(input) == other.get(input)
    }
    fn number<U: Real>(&self, input: usize) -> Option<U> {
        U::same_type(self)?.get(input).copied()
    }
    fn moved<U: Real, A>(
        &self,
        input: usize,
        by: U,
        room: &mut [U],
        judge: impl FnOnce(&Self) -> A,
    ) -> Option<A> {
        let room = room.get_mut(..self.len())?;
        copy(U::same_type(self)?, room);
        update(room, input, |value| *value += by);
        T::same_type(room).map(judge)
    }
}

/// Its numbers are counts, whatever number is asked for.
impl<const D: usize> Inspect for Counts<D> {
    fn equals(&self, other: &Self) -> bool {
        self == other
    }
    fn digest(&self) -> u32 {
        mixed(self.all().iter().map(|&count| count as u32))
    }
    fn inputs(&self) -> usize {
        D
    }
    fn same_input(&self, other: &Self, input: usize) -> bool {
        self.get(input) == other.get(input)
    }
    fn number<T: Real>(&self, input: usize) -> Option<T> {
        (input < D).then(|| T::from_f64(f64::from(self.get(input))))
    }
    fn room(&self) -> usize {
        0
    }
    /// As far as there are counts.
    fn moved<T: Real, A>(
        &self,
        input: usize,
        by: T,
        _: &mut [T],
        judge: impl FnOnce(&Self) -> A,
    ) -> Option<A> {
        let mut moved = *self;
        // Casts from numbers saturate.
        moved.set(input, self.get(input).saturating_add(by.to_f64() as i16));
        Some(judge(&moved))
    }
}

/// Codes: their positions are no inputs.
macro_rules! codes {
    ($($code:ty),*) => {$(
        impl<const N: usize> Reading for [$code; N] {
            type Scaling = Unscaled;
        }
        impl Inspect for [$code] {
            fn equals(&self, other: &Self) -> bool {
                self == other
            }
            fn digest(&self) -> u32 {
                mixed(self.iter().map(|&code| code as u32))
            }
        }
    )*};
}
codes!(u8, u16, u32, i8, i16, i32, char, bool);

impl<const N: usize> Reading for Codes<N> {
    type Scaling = Unscaled;
}

impl<const N: usize> Reading for Text<N> {
    type Scaling = Unscaled;
}

impl Inspect for str {
    fn equals(&self, other: &Self) -> bool {
        self == other
    }
    fn digest(&self) -> u32 {
        self.as_bytes().digest()
    }
}

/// Row numbers of a [`Precomputed`](crate::kernel::Precomputed) Gram matrix.
impl Reading for usize {
    type Scaling = Unscaled;
}

impl Inspect for usize {
    fn equals(&self, other: &Self) -> bool {
        self == other
    }
    fn digest(&self) -> u32 {
        mixed(core::iter::once(*self as u32))
    }
}

/// Borrowed readings, e.g. `&str`.
impl<V: Inspect + ?Sized> Reading for &V {
    type Scaling = Unscaled;
}
