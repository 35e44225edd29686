//! Samples in 16 bits an input, whatever the units are.
//!
//! **Method.** A [`Scaling`] says what the counts mean: input `j` is
//! `mean_j + count_j·deviation_j/1024`. At first nothing is known of the readings, so `mean` is the
//! first one, and `deviation` a power of two by which the second value of the input has 8,192
//! counts or more. A reading beyond the range doubles it, and halves the counts there are, until it
//! fits. With the scaling that is learned, counts become those of deviations.
//!
//! **Bound.** Halved counts are rounded to the nearest, hence off by less than one in all. The
//! reading that is farthest from the first one has 8,192 counts or more, so a sample is off by less
//! than `2⁻¹³` of that distance. The deviation of `n` values is at least `1/√n` of the distance of
//! the farthest from their mean: hence 362 counts of 512 samples, unless outliers were left out of
//! it. Then it can be less, and is refused below [`LEAST`].

use crate::Progress;
use crate::detect::scaling::{Course, Scaling, moments};
use crate::error::{Error, Fault};
use crate::kernel::counts::{Counts, STEPS, nearest};
use crate::linalg::slices::{entry, set};

/// The least deviation, in counts, that tells usual values apart: each is off by less than one.
const LEAST: f32 = 64.0;

/// The reading as it was taken, but for rounding.
pub(super) fn decoded<const D: usize>(counts: &Counts<D>, scaling: &Scaling<[f32; D]>) -> [f32; D] {
    scaling.undo(&counts.in_deviations())
}

/// The counts of a reading.
///
/// # Errors
/// [`Error::Query`] names an input that is out of range.
pub(super) fn counted<const D: usize>(
    x: &[f32; D],
    scaling: &Scaling<[f32; D]>,
) -> Result<Counts<D>, Error> {
    let mut counts = Counts::ZERO;
    for (input, value) in scaling.apply(x).into_iter().enumerate() {
        let count = nearest(value * STEPS).ok_or(out_of_range(input))?;
        counts.set(input, count);
    }
    Ok(counts)
}

fn out_of_range(input: usize) -> Error {
    Error::Query(Fault::ScaleOverflow { input })
}

/// The counts of a reading, after whatever has to change to make it fit.
///
/// # Errors
/// [`Error::Query`] names an input whose distance from the first reading is no number; nothing is
/// changed then.
pub(super) fn counted_anew<const D: usize>(
    x: &[f32; D],
    scaling: &mut Scaling<[f32; D]>,
    samples: &mut [Counts<D>],
) -> Result<Counts<D>, Error> {
    if samples.is_empty() {
        *scaling = Scaling::new(*x, [0.0; D]);
        return Ok(Counts::ZERO);
    }
    let mut distances = *x;
    for (distance, mean) in distances.iter_mut().zip(scaling.mean) {
        *distance -= mean;
    }
    if let Some(input) = distances.iter().position(|distance| !distance.is_finite()) {
        return Err(out_of_range(input));
    }
    let mut counts = Counts::ZERO;
    for (input, (distance, unit)) in distances.into_iter().zip(&mut scaling.deviation).enumerate() {
        if distance == 0.0 {
            continue;
        }
        if samples.iter().all(|sample| sample.get(input) == 0) {
            *unit = first_unit(distance);
        }
        // Each time the unit is twice as large, up to the largest number there is.
        let count = loop {
            match nearest(distance / *unit * STEPS) {
                Some(count) => break count,
                None => {
                    *unit *= 2.0;
                    samples.iter_mut().for_each(|sample| halve(sample, input));
                }
            }
        };
        counts.set(input, count);
    }
    Ok(counts)
}

/// An eighth of the distance or less, but more than a sixteenth: a power of two.
fn first_unit(distance: f32) -> f32 {
    const MANTISSA: u32 = 23;
    let exponent = (distance.abs().to_bits() >> MANTISSA).saturating_sub(3).max(1);
    f32::from_bits(exponent << MANTISSA)
}

/// Halves a count; in the middle between two, it becomes the even one.
fn halve<const D: usize>(sample: &mut Counts<D>, input: usize) {
    let count = i32::from(sample.get(input));
    sample.set(input, ((count + (count >> 1 & 1)) >> 1) as i16);
}

/// Goes on to learn the scaling of the samples, an input a step; their counts become those of
/// deviations. As in [`learn_clamped`](crate::detect::scaling::learn_clamped), the `outliers` most
/// extreme values on either side count as the next one inwards; in counts, as 32 deviations at the
/// most.
///
/// # Errors
/// [`Error::Sample`] names the outlier and the input of which it leaves no deviation to be seen.
pub(super) fn learn_step<const D: usize>(
    course: &mut Course<f32>,
    outliers: usize,
    scaling: &mut Scaling<[f32; D]>,
    samples: &mut [Counts<D>],
) -> Result<Progress, Error> {
    let input = course.input();
    if input >= D {
        return Ok(Progress::Done);
    }
    let (mean, deviation) = {
        let values = || samples.iter().map(|sample| f32::from(sample.get(input)));
        let Some(range) = course.range(values, samples.len(), outliers) else {
            return Ok(Progress::Working);
        };
        moments(|| values().map(|value| range.clamped(value)))
    };
    course.next_input();
    let first = samples.first().map_or(0, |sample| sample.get(input));
    if samples.iter().all(|sample| sample.get(input) == first) {
        let constant =
            entry(&scaling.mean, input) + mean / STEPS * entry(&scaling.deviation, input);
        set(&mut scaling.mean, input, constant);
        // As in every scaling.
        set(&mut scaling.deviation, input, 1.0);
        samples.iter_mut().for_each(|sample| sample.set(input, 0));
        return Ok(Progress::Working);
    }
    if deviation < LEAST {
        return Err(Error::Sample {
            index: farthest(samples, input, mean),
            fault: Fault::Outlier { input },
        });
    }
    let unit = entry(&scaling.deviation, input);
    let learned = entry(&scaling.mean, input) + mean / STEPS * unit;
    set(&mut scaling.mean, input, learned);
    set(&mut scaling.deviation, input, deviation / STEPS * unit);
    for sample in samples {
        let value = (f32::from(sample.get(input)) - mean) / deviation * STEPS;
        let limit = if value < 0.0 { -i16::MAX } else { i16::MAX };
        sample.set(input, nearest(value).unwrap_or(limit));
    }
    Ok(Progress::Working)
}

/// The sample with the most extreme value of an input; of equal ones, the first.
fn farthest<const D: usize>(samples: &[Counts<D>], input: usize, mean: f32) -> usize {
    let mut farthest = (0, -1.0);
    for (place, sample) in samples.iter().enumerate() {
        let distance = (f32::from(sample.get(input)) - mean).abs();
        if distance > farthest.1 {
            farthest = (place, distance);
        }
    }
    farthest.0
}
