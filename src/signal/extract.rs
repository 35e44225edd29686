//! From a window to a reading.
//!
//! [`Extractor`] is for a recipe that the compiler knows, [`Features`] for one that is read at run
//! time. Both call [`write`], which is compiled for the features of the former alone.

use core::marker::PhantomData;
use core::num::NonZero;

use crate::error::{Error, require_capacity, require_shape};
use crate::linalg::slices::{head_mut, split_mut};
use crate::math::Real;
use crate::signal::bands::Spectrum;
use crate::signal::feature::{Feature, Set, outputs, validate};
use crate::signal::fft::{Complex, Turn};
use crate::signal::front_end::{FrontEnd, require, scale, validate_floor, validate_scales};
use crate::signal::statistics::Statistics;
use crate::signal::window::{Channel, Full, Stored};

/// Which features a copy of [`write`] knows.
trait Known {
    const SET: Set;
}

/// Those of a front end.
struct Exactly<F>(PhantomData<F>);

impl<F: FrontEnd> Known for Exactly<F> {
    const SET: Set = Set::of(F::FEATURES);
}

/// All of them.
struct Any;

impl Known for Any {
    const SET: Set = Set::ALL;
}

/// What takes logarithms.
const LOGARITHMS: Set = Set::of(&[Feature::LogStd, Feature::LogMad, Feature::Bands(1)]);
/// What takes square roots beside the deviation's.
const ROOTS: Set = Set::of(&[Feature::Rms, Feature::Crest, Feature::Skew, Feature::Kurt]);

/// Writes the features of a channel, and returns how many logarithms were at the floor.
///
/// With bands among them, `turn` and `memory` have one entry for two samples.
fn write<K: Known, T: Stored>(
    features: &[Feature],
    floor: f32,
    channel: &Channel<'_, T>,
    (turn, memory): (&[Complex], &mut [Complex]),
    mut out: &mut [f32],
) -> usize {
    let statistics = Statistics::of(channel, K::SET);
    let least = if K::SET.has(LOGARITHMS) { Real::ln(floor) } else { 0.0 };
    let mut logarithms = Logarithms { floor, least, floored: 0 };
    let has_bands = K::SET.has(Set::BANDS) && Set::of(features).has(Set::BANDS);
    let spectrum = has_bands.then(|| Spectrum::of(channel, &statistics.centre, turn, memory));
    for &feature in features {
        let (own, rest) = split_mut(out, feature.outputs());
        out = rest;
        debug_assert!(K::SET.has(Set::of(&[feature])), "{feature} is not known");
        let value = match feature {
            // What nobody can ask this copy for is not linked.
            Feature::LogStd | Feature::LogMad if !K::SET.has(LOGARITHMS) => 0.0,
            Feature::Rms | Feature::Crest | Feature::Skew | Feature::Kurt if !K::SET.has(ROOTS) => {
                0.0
            }
            Feature::Mean => statistics.mean,
            Feature::Std => statistics.deviation,
            Feature::LogStd => logarithms.of(statistics.deviation),
            Feature::Rms => statistics.rms(),
            Feature::PeakToPeak => statistics.max - statistics.min,
            Feature::Min => statistics.min,
            Feature::Max => statistics.max,
            Feature::Crest => statistics.crest(),
            Feature::Skew => statistics.skew(),
            Feature::Kurt => statistics.kurt(),
            Feature::Mad => statistics.step,
            Feature::LogMad => logarithms.of(statistics.step),
            Feature::ZeroCrossings => statistics.crossings as f32,
            Feature::Bands(bands) => {
                if let (Some(spectrum), Some(bands)) = (&spectrum, NonZero::new(bands.into())) {
                    for (band, energy) in own.iter_mut().enumerate() {
                        *energy = logarithms.of_energy(spectrum.log_energy(band, bands));
                    }
                }
                continue;
            }
        };
        own.fill(value);
    }
    logarithms.floored
}

/// Writes the features of one channel by the recipe `F`, and returns how many logarithms were at
/// the floor. `memory` has [`spectrum_memory`].
pub(crate) fn extract<F: FrontEnd, T: Stored, const LENGTH: usize>(
    number: usize,
    channel: &Channel<'_, T>,
    memory: &mut [f32],
    out: &mut [f32],
) -> usize {
    let turn: &[f32] = if Exactly::<F>::SET.has(Set::BANDS) { &Turn::<LENGTH>::TABLE } else { &[] };
    let channel = channel.scaled(scale(F::SCALES, number));
    let memory = (turn.as_chunks().0, memory.as_chunks_mut().0);
    write::<Exactly<F>, T>(F::FEATURES, F::FLOOR, &channel, memory, out)
}

/// How many numbers a transform takes place in: none without bands.
pub(crate) const fn spectrum_memory(features: &[Feature], length: usize) -> usize {
    if Set::of(features).has(Set::BANDS) { length } else { 0 }
}

/// Takes logarithms of at least a floor, and counts those that are at it.
struct Logarithms {
    floor: f32,
    /// The logarithm of the floor.
    least: f32,
    floored: usize,
}

impl Logarithms {
    fn of(&mut self, value: f32) -> f32 {
        let log = if value > self.floor { Real::ln(value) } else { self.least };
        self.at_least(log, self.least)
    }

    /// Of an energy whose logarithm is known; its floor is the square.
    fn of_energy(&mut self, log: f32) -> f32 {
        self.at_least(log, 2.0 * self.least)
    }

    fn at_least(&mut self, log: f32, least: f32) -> f32 {
        if log > least {
            return log;
        }
        self.floored += 1;
        least
    }
}

/// Makes readings of windows by the recipe `F`: the features of the first channel, those of the
/// second, and so on.
///
/// `INPUTS` is the number of channels times [`outputs`]. `MEMORY` is the number of samples in a
/// window if there are bands among the features, else 0. What does not fit together does not
/// compile:
///
/// ```compile_fail
/// use mercer::signal::{Extractor, Feature, FrontEnd, Window};
/// struct Pump;
/// impl FrontEnd for Pump {
///     const FEATURES: &'static [Feature] = &[Feature::Bands(4)];
/// }
/// let mut window = Window::<f32, 1, 100, 50>::new(); // no power of two
/// let mut extractor = Extractor::<Pump, 4, 100>::new();
/// if let Some(full) = window.push(&[1.0])? {
///     extractor.extract(&full);
/// }
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// All zeros at first, so that a `static` takes no flash.
#[derive(Debug)]
pub struct Extractor<F, const INPUTS: usize, const MEMORY: usize> {
    memory: [f32; MEMORY],
    reading: [f32; INPUTS],
    front_end: PhantomData<fn() -> F>,
}

impl<F: FrontEnd, const INPUTS: usize, const MEMORY: usize> Extractor<F, INPUTS, MEMORY> {
    /// One that has seen no window.
    pub const fn new() -> Self {
        Self { memory: [0.0; MEMORY], reading: [0.0; INPUTS], front_end: PhantomData }
    }

    /// Makes a reading of a window; returns how many of its numbers are logarithms at the
    /// [floor](FrontEnd::FLOOR), where a detector is blind.
    pub fn extract<T: Stored, const CHANNELS: usize, const LENGTH: usize>(
        &mut self,
        window: &Full<'_, T, CHANNELS, LENGTH>,
    ) -> usize {
        const {
            require(validate(F::FEATURES, LENGTH));
            require(validate_floor(F::FLOOR));
            require(validate_scales(F::SCALES, CHANNELS));
            let inputs = CHANNELS * outputs(F::FEATURES);
            assert!(INPUTS == inputs, "INPUTS is channels times outputs of the features");
            let memory = spectrum_memory(F::FEATURES, LENGTH);
            assert!(MEMORY == memory, "MEMORY is the length of the window for bands, else 0");
        };
        let readings = self.reading.chunks_exact_mut(const { outputs(F::FEATURES) });
        let mut floored = 0;
        for (number, (channel, out)) in window.channels().zip(readings).enumerate() {
            floored += extract::<F, T, LENGTH>(number, &channel, &mut self.memory, out);
        }
        floored
    }

    /// The last reading; zeros before the first.
    pub const fn reading(&self) -> &[f32; INPUTS] {
        &self.reading
    }
}

impl<F: FrontEnd, const INPUTS: usize, const MEMORY: usize> Default
    for Extractor<F, INPUTS, MEMORY>
{
    fn default() -> Self {
        Self::new()
    }
}

/// Features that are chosen at run time, of channels with `length` samples: the same bits as an
/// [`Extractor`]'s, on a desk.
///
/// ```
/// use mercer::signal::{Channel, FLOOR, Feature, Features, fill_turn};
/// let samples = [1.0, 3.0, 2.0, 7.0];
/// let features = Features::new(&[Feature::Max, Feature::Bands(2)], FLOOR, samples.len())?;
/// let (mut turn, mut memory, mut out) = ([0.0; 4], [0.0; 4], [0.0; 3]);
/// fill_turn(&mut turn);
/// features.write(&Channel::new(&samples)?, &turn, &mut memory, &mut out)?;
/// assert_eq!(out[0], 7.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Features<'a> {
    features: &'a [Feature],
    floor: f32,
    length: usize,
}

impl<'a> Features<'a> {
    /// Checks a recipe for windows of `length` samples.
    ///
    /// # Errors
    /// [`Error::Parameter`] names what is wrong with it.
    pub fn new(features: &'a [Feature], floor: f32, length: usize) -> Result<Self, Error> {
        validate(features, length)?;
        validate_floor(floor)?;
        Ok(Self { features, floor, length })
    }

    /// Writes the [`outputs`] of a channel; returns how many of them are logarithms at the floor.
    ///
    /// With bands among the features, `turn` is what [`fill_turn`](crate::signal::fill_turn) makes
    /// for the length of the window, and `memory` is as long; else both may be empty.
    ///
    /// # Errors
    /// [`Error::Shape`] or [`Error::Capacity`] if a length does not fit.
    pub fn write<T: Stored>(
        &self,
        channel: &Channel<'_, T>,
        turn: &[f32],
        memory: &mut [f32],
        out: &mut [f32],
    ) -> Result<usize, Error> {
        require_shape("samples", self.length, channel.len())?;
        require_shape("outputs", outputs(self.features), out.len())?;
        let needed = spectrum_memory(self.features, self.length);
        if needed > 0 {
            require_shape("turn", needed, turn.len())?;
        }
        require_capacity("the spectrum", needed, memory.len())?;
        let memory = (turn.as_chunks().0, head_mut(memory, needed).as_chunks_mut().0);
        Ok(write::<Any, T>(self.features, self.floor, channel, memory, out))
    }
}
