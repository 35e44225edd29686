//! Units of any size: what is learned from readings in nanoteslas is what is learned from the same
//! readings in parsecs.

mod common;
mod learning;

use common::{Grid, Random};
use learning::Machine;
use mercer::detect::{Scaling, scaling};
use mercer::kernel::Rbf;
use mercer::math::Real;
use mercer::{Error, Learner, Recipe};

/// Mean and deviation in `f64`, of numbers that are scaled by a power of two first, so that no
/// square overflows or vanishes.
fn plain<T: Real>(values: &[T]) -> (f64, f64) {
    let largest = values.iter().fold(0.0_f64, |m, v| m.max(v.to_f64().abs()));
    if largest == 0.0 {
        return (0.0, 0.0);
    }
    let unit = largest.log2().floor().min(1023.0).exp2();
    let values: Vec<f64> = values.iter().map(|v| v.to_f64() / unit).collect();
    let n = values.len() as f64;
    let mean = values.iter().map(|v| v / n).sum::<f64>();
    let square = values.iter().map(|v| (v - mean) * (v - mean) / n).sum::<f64>();
    (mean * unit, square.sqrt() * unit)
}

/// `learn` and, with outliers, `learn_clamped`, of one input.
fn learned<T: Real>(values: &[T], outliers: usize) -> (T, T) {
    let samples = Grid { rows: values.len(), columns: 1, data: values.to_vec() };
    let (mut mean, mut deviation) = ([T::ZERO], [T::ZERO]);
    scaling::learn_clamped(&samples.view(), outliers, &mut mean, &mut deviation);
    // Some cores take subnormal numbers for 0, so that they are not divided by: an error says so.
    let subnormal = deviation[0].to_f64() < smallest::<T>() / T::EPSILON.to_f64();
    let refusal = Error::Parameter { name: "deviation", rule: "not subnormal" };
    let expected = if subnormal { Err(refusal) } else { Ok(()) };
    assert_eq!(scaling::validate(&mean, &deviation), expected, "{}", deviation[0]);
    (mean[0], deviation[0])
}

fn agrees<T: Real>(values: &[T], what: &str) {
    let (mean, deviation) = learned(values, 0);
    let (exact_mean, exact) = plain(values);
    let close = 16.0 * T::EPSILON.to_f64();
    let largest = values.iter().fold(0.0_f64, |m, v| m.max(v.to_f64().abs()));
    // Subnormal numbers are as far apart as the smallest of them is from 0.
    let grain = T::from_f64(largest * T::EPSILON.to_f64()).to_f64() * 2.0 + smallest::<T>();
    assert!((mean.to_f64() - exact_mean).abs() <= close * largest + grain, "{what}: mean {mean}");
    let error = (deviation.to_f64() - exact).abs();
    assert!(
        error <= close * exact + T::EPSILON.to_f64() * largest + smallest::<T>(),
        "{what}: deviation {deviation}, not {exact:e}"
    );
    assert!(deviation > T::ZERO && deviation.is_finite() && mean.is_finite(), "{what}");
}

/// The smallest positive number.
fn smallest<T: Real>() -> f64 {
    let mut smallest = T::ONE;
    while smallest / T::from_f64(2.0) > T::ZERO {
        smallest /= T::from_f64(2.0);
    }
    smallest.to_f64()
}

fn every_decade<T: Real>(decades: std::ops::RangeInclusive<i32>) {
    for decade in decades {
        let unit = 10_f64.powi(decade);
        let mut random = Random(decade.unsigned_abs().into());
        let mut values = |count: usize, offset: f64| -> Vec<T> {
            (0..count).map(|_| T::from_f64(unit * (offset + random.normal() / 4.0))).collect()
        };
        agrees(&values(200, 0.0), &format!("1e{decade}"));
        agrees(&values(2, 0.0), &format!("two of 1e{decade}"));
        agrees(&values(50, 30.0)[..], &format!("1e{decade}, far from 0"));
        let mut outlier = values(40, 0.0);
        outlier[7] = T::from_f64(unit * 1e3_f64.min(1e38 / unit));
        agrees(&outlier, &format!("1e{decade}, an outlier"));
    }
}

#[test]
fn deviations_of_every_decade() {
    every_decade::<f32>(-37..=36);
    every_decade::<f64>(-306..=306);
}

#[test]
fn the_ends_of_the_range() {
    fn ends<T: Real>(largest: T, tiny: T) {
        // Half of them at one end and half at the other: the deviation is the largest number.
        let far: Vec<T> = (0..10).map(|i| if i % 2 == 0 { largest } else { -largest }).collect();
        assert_eq!(learned(&far, 0), (T::ZERO, largest));
        assert_eq!(learned(&far, 2), (T::ZERO, largest));
        let one: Vec<T> = (0..10).map(|i| if i == 3 { largest } else { -largest }).collect();
        agrees(&one, "one at the other end");
        assert_eq!(learned(&[largest; 9], 0), (largest, T::ONE));
        let near = largest - largest * T::EPSILON;
        agrees(&[largest, near, near, largest, near], "next to the largest number");
        // Subnormal numbers.
        let small: Vec<T> = (0..9).map(|i| tiny * T::from_usize(i)).collect();
        agrees(&small, "multiples of the smallest number");
        agrees(&[T::ZERO, tiny, T::ZERO, T::ZERO], "the smallest number");
        assert_eq!(learned(&[tiny; 4], 0), (tiny, T::ONE));
    }
    ends(f32::MAX, f32::from_bits(1));
    ends(f64::MAX, f64::from_bits(1));
}

#[test]
fn clamped_moments_have_any_unit_too() {
    for unit in [1e-37_f32, 1e-30, 2e-23, 1.0, 1e20, 1e35] {
        let mut random = Random(5);
        let mut values: Vec<f32> = (0..80).map(|_| unit * random.normal() as f32).collect();
        values[11] = 90.0 * unit;
        let mut sorted = values.clone();
        sorted.sort_by(f32::total_cmp);
        let clamped: Vec<f32> = values.iter().map(|v| v.clamp(sorted[2], sorted[77])).collect();
        let (mean, deviation) = learned(&values, 2);
        let (exact_mean, exact) = plain(&clamped);
        assert!((f64::from(deviation) / exact - 1.0).abs() < 1e-5, "{unit:e}: {deviation:e}");
        assert!((f64::from(mean) - exact_mean).abs() < 1e-5 * exact, "{unit:e}");
    }
}

/// A value that is not a number is no silent constant.
#[test]
fn values_that_are_not_finite_are_refused() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for place in [0, 2] {
            let mut samples = [[1.0_f32, 5.0], [2.0, 6.0], [3.0, 7.0], [4.0, 9.0]];
            samples[place][1] = bad;
            let scaling: Scaling<[f32; 2]> = Scaling::learn(samples.as_slice());
            assert!(matches!(scaling.validate(), Err(Error::Parameter { .. })), "{scaling:?}");
        }
    }
}

/// Detectors of the same readings in other units pass the same verdicts.
#[test]
fn a_detector_does_not_mind_the_unit() {
    fn verdicts(unit: f32) -> Vec<(f32, bool)> {
        let mut learner = Learner::<Rbf<f32>, [f32; 4], 60, 20, 16>::new();
        let in_unit = |x: [f32; 4]| x.map(|v| v * unit);
        for x in Machine(1).readings::<f32>(60) {
            learner.push(&in_unit(x)).unwrap();
        }
        learner.learn(Rbf::for_inputs(4), Recipe::default()).unwrap();
        let mut readings = Machine(2).readings::<f32>(40);
        for (i, x) in readings.iter_mut().enumerate().skip(20) {
            x[i % 4] += 5.0 * learning::UNITS[i % 4] as f32;
        }
        let score = |&x: &[f32; 4]| {
            let verdict = learner.detector().unwrap().score(&in_unit(x)).unwrap();
            (verdict.score.spe, verdict.unusual)
        };
        readings.iter().map(score).collect()
    }
    let usual = verdicts(1.0);
    assert!(usual[20..].iter().filter(|v| v.1).count() >= 16, "faults are found: {usual:?}");
    // The offsets, up to 100, and the smallest deviation, a tenth, must be numbers too.
    for unit in
        [2_f32.powi(-110), 2_f32.powi(-80), 2_f32.powi(-76), 2_f32.powi(60), 2_f32.powi(115)]
    {
        for (found, usual) in verdicts(unit).iter().zip(&usual) {
            assert!((found.0 - usual.0).abs() < 1e-4, "unit {unit:e}: {found:?}, not {usual:?}");
            assert_eq!(found.1, usual.1, "unit {unit:e}");
        }
    }
}
