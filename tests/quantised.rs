//! Detectors in integers beside those that they were made from: on six real data sets, far away,
//! and at the ends of every range.
//!
//! `cargo test --test quantised -- --nocapture` prints what is lost on real data; without
//! `../shared/data/adbench` that part is skipped.

mod common;
mod evaluation;
mod learning;
mod plain;

use common::number;
use evaluation::{alarm_rate, auroc, is_shared, mean, read_shared};
use learning::Machine;
use mercer::detect::quantised::QuantisedProjector;
use mercer::detect::{AlarmRule, FoldOrder, Scaling, Threshold};
use mercer::error::Fault;
use mercer::kernel::Rbf;
use mercer::kpca::{Components, Expansion, ExpansionHeader};
use mercer::{
    Alarm, AlarmConfig, Detect, Detector, Error, KernelPca, Learner, QuantisedDetector, Recipe,
};
use plain::plain_score;

/// What it is to be quantised on the default recipe: how much SPE may differ, in units of the
/// threshold. The largest that was measured is 0.022.
const TOLERANCE: f64 = 0.05;

/// How much a projection may differ. The largest that was measured, on real data, is 7.0e-4.
const PROJECTION_TOLERANCE: f64 = 1e-3;

type Machines = Detector<Rbf<f32>, [f32; 4], 20, 16>;
type Quantised = QuantisedDetector<4, 20, 16>;

fn machine(seed: u64) -> (Machines, Quantised) {
    let samples = Machine(seed).readings::<f32>(60);
    let (learner, _) = learning::learn(&samples, learning::rbf(), Recipe::default()).unwrap();
    let detector = learner.detector().unwrap().clone();
    let mut quantised = Quantised::new();
    quantised.quantise(&detector).unwrap();
    (detector, quantised)
}

/// A detector from its numbers, on inputs that are not scaled.
fn by_hand<const D: usize, const R: usize, const P: usize>(
    gamma: f32,
    points: [[f32; D]; R],
    weights: [[f32; P]; R],
    centre: [f32; R],
) -> Result<Detector<Rbf<f32>, [f32; D], R, P>, Error> {
    let header = ExpansionHeader::new(R as u32, P as u32, 0.5, 2.0, false);
    let expansion = Expansion::from_parts(header, weights, centre, [0.1; P], [0.25; P])?;
    let model =
        KernelPca::from_parts(Rbf::new(gamma), points, Rbf::new(gamma).memos(&points), expansion);
    let threshold = Threshold::new(0.5);
    Detector::from_parts(Scaling::identity(), model, threshold)
}

/// Readings of every size: usual ones, ones with a far input, huge and tiny ones.
fn readings<const D: usize>(
    random: &mut Machine,
    usual: impl Fn(&mut Machine) -> [f32; D],
) -> Vec<[f32; D]> {
    let mut readings = Vec::new();
    for round in 0..400 {
        let mut x = usual(random);
        readings.push(x);
        let input = round % D;
        x[input] += (random.normal() * 10_f64.powf(8.0 * random.uniform() - 4.0)) as f32;
        readings.push(x);
        let factor = 10_f64.powf(60.0 * random.uniform() - 30.0) as f32;
        readings.push(x.map(|x| x * factor));
    }
    for extreme in [0.0, -0.0, f32::MAX, f32::MIN, f32::MIN_POSITIVE, 1e-42, 1.0] {
        readings.push([extreme; D]);
        let mut x = usual(random);
        x[0] = extreme;
        readings.push(x);
    }
    readings
}

#[test]
fn scores_are_those_of_plain_arithmetic() {
    for seed in 1..=6 {
        let (_, quantised) = machine(seed);
        let mut random = Machine(seed + 100);
        for x in readings(&mut random, Machine::reading) {
            let found = quantised.score(&x).unwrap().score;
            assert_eq!(found, plain_score(quantised.model(), &x), "{x:?}");
        }
    }
}

/// The projections squared and added up are what the components explain, and their magnitudes are
/// the sum that a score has; beside those in `f32` they are within their bound, wherever the
/// reading is.
#[test]
fn projections_are_those_of_floats() {
    let mut worst = 0.0_f64;
    for seed in 1..=6 {
        let (detector, quantised) = machine(seed);
        let mut random = Machine(seed + 300);
        for x in readings(&mut random, Machine::reading) {
            let found = quantised.project(&x).unwrap();
            let score = quantised.score(&x).unwrap().score;
            let explained: f32 = found.iter().map(|f| f * f).sum();
            let magnitudes: f32 = found.iter().map(|f| f.abs()).sum();
            assert!((explained - (score.centre_distance - score.spe)).abs() < 1e-5, "{x:?}");
            assert!((magnitudes - score.abs_sum).abs() < 1e-5, "{x:?}");
            worst = worst.max(projections_apart(&detector, &quantised, &x));
        }
        for counts in [[20_i16, 5, 1, 0], [-3, 5, 7, 2], [0; 4], [i16::MAX; 4]] {
            let as_floats = counts.map(f32::from);
            assert_eq!(quantised.project_counts(&counts), quantised.project(&as_floats));
        }
        let unusable = [0.0, f32::NAN, 0.0, 0.0];
        assert_eq!(quantised.project(&unusable), Err(Error::Query(Fault::NotFinite { input: 1 })));
    }
    println!("projections of a made-up machine: off by up to {worst:.1e}");
    assert!(worst < PROJECTION_TOLERANCE, "{worst}");
    assert_eq!(Quantised::new().project(&[0.0; 4]), Err(Error::NotFitted));
}

/// The largest difference of a projection in integers from that in `f32`. (What `f32` cannot scale
/// has none there.)
fn projections_apart<const D: usize>(
    float: &dyn Detect<[f32; D]>,
    whole: &dyn Detect<[f32; D]>,
    x: &[f32; D],
) -> f64 {
    let (mut room, mut other_room) = ([0.0; 32], [0.0; 32]);
    let Ok(expected) = float.project_into(x, &mut room) else { return 0.0 };
    let found = whole.project_into(x, &mut other_room).unwrap();
    assert_eq!(found.len(), expected.len());
    let pairs = found.iter().zip(expected);
    pairs.map(|(f, g)| f64::from((f - g).abs())).fold(0.0, f64::max)
}

#[test]
fn projections_need_room() {
    let (detector, quantised) = machine(1);
    let x = Machine(7).reading();
    let needed = detector.project(&x).unwrap().len();
    let detectors: [&dyn Detect<[f32; 4]>; 2] = [&detector, &quantised];
    for detector in detectors {
        let mut room = [0.0; 32];
        let refused = detector.project_into(&x, &mut room[..needed - 1]);
        let capacity = needed - 1;
        assert_eq!(refused, Err(Error::Capacity { what: "projections", needed, capacity }));
        assert_eq!(detector.project_into(&x, &mut room[..needed]).unwrap().len(), needed);
    }
}

/// Whole numbers say what floats say, and an alarm on them is up when one on floats is.
#[test]
fn verdicts_and_alarms_in_whole_numbers_are_those_of_floats() {
    const SHIFTS: std::ops::RangeInclusive<u8> = 0..=8;
    let one = f64::from(1 << 28);
    let (mut up, mut differ) = (0, 0);
    for seed in 1..=6 {
        let (_, mut quantised) = machine(seed);
        let learned = *quantised.threshold();
        assert!(learned.usual > 0.0 && learned.usual < learned.spe);
        let mut random = Machine(seed + 200);
        let readings = readings(&mut random, Machine::reading);
        for threshold in [
            learned,
            Threshold::new(learned.spe).with_usual(3.0 * learned.spe),
            Threshold::new(0.0),
            Threshold::new(-0.0),
            Threshold::new(-0.1),
            Threshold::new(1e-30).with_usual(1e-40),
        ] {
            quantised.set_threshold(threshold).unwrap();
            for shift in SHIFTS {
                let rule = AlarmRule::Smoothed { shift, end: 80 };
                let config = AlarmConfig::DEFAULT.rule(rule);
                let (mut whole, mut float) =
                    (Alarm::new(config).unwrap(), Alarm::new(config).unwrap());
                for x in &readings {
                    let (found, expected) =
                        (quantised.judge(x).unwrap(), quantised.score(x).unwrap());
                    assert_eq!(f64::from(found.spe), f64::from(expected.score.spe) * one, "{x:?}");
                    assert_eq!(found.unusual, expected.unusual, "{x:?}");
                    let states = (whole.update(&found), float.update(&expected));
                    // Whole numbers are less than a unit off; floats round 2^shift times.
                    let (e, f) =
                        (whole.smoothed().unwrap() as f64 / one, float.smoothed().unwrap());
                    // (A negative threshold, where E starts in floats, is 0 in whole numbers.)
                    let off = (e - f64::from(f)).abs();
                    let bound = 4e-7 * 2_f64.powi(shift.into());
                    assert!(off < bound || threshold.spe < 0.0, "{e} and {f} with {shift}");
                    differ += usize::from(states.0 != states.1);
                    up += usize::from(states.0.is_active());
                }
            }
        }
        quantised.set_threshold(learned).unwrap();
        for counts in [[20_i16, 5, 1, 0], [-3, 5, 7, 2], [0; 4], [i16::MAX; 4]] {
            let as_floats = counts.map(f32::from);
            assert_eq!(quantised.judge_counts(&counts), quantised.judge(&as_floats));
        }
        assert!(quantised.judge(&[f32::NAN, 0.0, 0.0, 0.0]).is_err());
    }
    assert!(up > 100_000, "{up}");
    println!("{up} readings in alarm, {differ} of them in one kind of number only");
    // Where E is within rounding of a limit, or the threshold is 0 in whole numbers.
    assert!(differ * 1000 < up, "{differ} of {up}");
}

/// Two points almost the same with weights of opposite signs, near the largest that there are,
/// whose component has length 1; and an odd number of points, components and inputs.
#[test]
fn the_largest_weights_do_not_overflow() {
    for (gap, weight) in [(0.1_f32, 12.0_f32), (0.01, 120.0), (0.001, 1200.0), (0.0001, 12000.0)] {
        let points = [[0.5, -1.0, 0.25], [0.5 + gap, -1.0, 0.25], [-0.5, 1.0, 1.5]];
        let weights = [[weight, 0.0, 0.5, 0.1, -0.3], [-weight, 0.9, 0.5, 0.2, 0.1], [0.0; 5]];
        let detector = by_hand(0.3, points, weights, [0.2, 0.3, 0.3]).unwrap();
        let mut quantised = QuantisedDetector::<3, 4, 5>::new();
        let result = quantised.quantise(&detector);
        if weight > 10_000.0 {
            // Half a unit of such weights is too much.
            assert!(matches!(result, Err(Error::Parameter { name: "weights", .. })), "{result:?}");
            continue;
        }
        assert_eq!(result, Ok(()));
        let mut random = Machine(7);
        for x in readings(&mut random, |random| [(); 3].map(|()| random.normal() as f32)) {
            let found = quantised.score(&x).unwrap().score;
            assert_eq!(found, plain_score(quantised.model(), &x), "{x:?}");
        }
    }
}

/// Kernels from wide to the narrowest that are taken, points from near to far.
#[test]
fn distances_do_not_overflow() {
    let mut taken = 0;
    for gamma in [1e-4, 0.01, 0.1, 1.0, 10.0, 100.0, 1e4] {
        for extent in [0.01_f32, 1.0, 10.0, 1000.0] {
            let points = [[extent, -extent], [-extent, extent], [0.0, extent], [0.0, 0.0]];
            let detector = by_hand(gamma, points, [[0.4, -0.25]; 4], [0.25; 4]).unwrap();
            let mut quantised = QuantisedDetector::<2, 4, 2>::new();
            match quantised.quantise(&detector) {
                Ok(()) => taken += 1,
                Err(Error::Parameter { name: "gamma", .. }) => continue,
                other => panic!("{other:?}"),
            }
            let mut random = Machine(8);
            let size = f64::from(extent) + 1.0 / f64::from(gamma).sqrt();
            for x in readings(&mut random, |r| [(); 2].map(|()| (size * r.normal()) as f32)) {
                let found = quantised.score(&x).unwrap().score;
                assert_eq!(found, plain_score(quantised.model(), &x), "{x:?}");
            }
        }
    }
    assert!(taken >= 16, "only {taken} models were taken");
}

#[test]
fn usual_readings_score_as_before() {
    let mut worst = 0.0_f64;
    for seed in 1..=10 {
        let (detector, quantised) = machine(seed);
        let threshold = f64::from(detector.threshold().spe);
        let mut random = Machine(seed + 50);
        for _ in 0..500 {
            let load = 3.0 * random.uniform();
            let x = random.loaded(load);
            let (exact, whole) = (detector.score(&x).unwrap(), quantised.score(&x).unwrap());
            let difference = f64::from(exact.score.spe - whole.score.spe).abs() / threshold;
            worst = worst.max(difference);
            for (exact, whole, tolerance) in [
                (exact.score.t2, whole.score.t2, 0.01 * exact.score.t2 + 0.1),
                (exact.score.abs_sum, whole.score.abs_sum, 0.005),
                (exact.score.centre_distance, whole.score.centre_distance, 5e-4),
            ] {
                assert!((exact - whole).abs() <= tolerance, "{exact} {whole}");
            }
        }
    }
    println!("a machine: SPE is off by at most {worst:.4} of the threshold");
    assert!(worst <= TOLERANCE, "{worst}");
}

/// On a straight way out of the samples the score is that of `f32` at every distance, and in the
/// end it is the ceiling.
#[test]
fn far_readings_score_high() {
    let (detector, quantised) = machine(3);
    let expansion = detector.model().expansion();
    let inner: f32 = expansion.offsets().iter().map(|b| b * b).sum();
    let ceiling = 1.0 + expansion.header().centre_norm - inner;
    let Scaling { mean, deviation, .. } = *detector.scaling();
    let mut random = Machine(9);
    for _ in 0..50 {
        let way: [f32; 4] = [(); 4].map(|()| random.normal() as f32);
        for step in -20..=300 {
            let length = 1.2_f32.powi(step);
            let x = std::array::from_fn(|i| mean[i] + length * way[i] * deviation[i]);
            let (exact, whole) = (detector.score(&x).unwrap(), quantised.score(&x).unwrap());
            let difference = (exact.score.spe - whole.score.spe).abs();
            assert!(difference <= 1e-3, "{length}: {exact:?} {whole:?}");
            if length > 100.0 {
                assert!(whole.unusual && (whole.score.spe - ceiling).abs() < 1e-4, "{length}");
            }
        }
    }
}

#[test]
fn counts_score_like_the_same_numbers() {
    let samples: Vec<[f32; 4]> = Machine(5).readings(60);
    for unit in [0.01_f32, 1.0, 50.0, 1000.0] {
        let counts: Vec<[i16; 4]> =
            samples.iter().map(|x| x.map(|x| (x * unit).clamp(-3e4, 3e4) as i16)).collect();
        let numbers: Vec<[f32; 4]> = counts.iter().map(|x| x.map(f32::from)).collect();
        let learned = learning::learn(&numbers, learning::rbf(), Recipe::default());
        let Ok((learner, _)) = learned else { continue };
        let mut quantised = Quantised::new();
        quantised.quantise(learner.detector().unwrap()).unwrap();
        for extreme in [i16::MIN, -1, 0, 1, i16::MAX] {
            let extreme = [extreme; 4];
            for x in counts.iter().chain([&extreme]) {
                let same = quantised.score(&x.map(f32::from)).unwrap();
                assert_eq!(quantised.score_counts(x).unwrap(), same, "{x:?}");
            }
        }
    }
}

#[test]
fn the_same_input_is_to_blame() {
    fn blamed(detector: &impl Detect<[f32; 4]>, x: &[f32; 4]) -> usize {
        detector.suspect(x).unwrap().input
    }
    let (detector, quantised) = machine(11);
    let (mut random, mut agreed) = (Machine(12), 0);
    for round in 0..200 {
        let mut x: [f32; 4] = random.reading();
        x[round % 4] += 4.0 * learning::UNITS[round % 4] as f32;
        agreed += usize::from(blamed(&detector, &x) == blamed(&quantised, &x));
        let exact = detector.contributions(&x).unwrap();
        let size = exact.iter().fold(0.0_f32, |size, c| size.max(c.abs()));
        for (exact, whole) in exact.iter().zip(quantised.contributions(&x).unwrap()) {
            assert!((exact - whole).abs() <= 0.01 * size, "{exact} {whole}");
        }
    }
    // Two that explain it alike can change places.
    assert!(agreed >= 198, "{agreed} of 200");
    let far = [1e30_f32, 5.0, 100.0, 1.0];
    assert_eq!(blamed(&quantised, &far), 0);
}

#[test]
fn the_suspect_should_have_read_the_same() {
    let (detector, quantised) = machine(11);
    let threshold = f64::from(detector.threshold().spe);
    let mut random = Machine(13);
    for round in 0..200 {
        let mut x: [f32; 4] = random.reading();
        x[round % 4] += 4.0 * learning::UNITS[round % 4] as f32;
        let (exact, whole) = (detector.suspect(&x).unwrap(), quantised.suspect(&x).unwrap());
        assert_eq!(whole.read, x[whole.input]);
        if exact.input == whole.input {
            assert!(f64::from((exact.rest - whole.rest).abs()) <= TOLERANCE * threshold);
            assert!(f64::from((exact.fall - whole.fall).abs()) <= 2.0 * TOLERANCE * threshold);
        }
        let mut instead = x;
        instead[whole.input] = whole.expected;
        assert_eq!(quantised.score(&instead).unwrap().score.spe, whole.rest, "{x:?}");
    }
}

#[test]
fn without_an_input_the_verdict_is_the_same() {
    let (detector, quantised) = machine(11);
    let threshold = f64::from(detector.threshold().spe);
    let mut random = Machine(14);
    for round in 0..200 {
        let mut x: [f32; 4] = random.reading();
        assert_eq!(quantised.score_available(&x).unwrap().verdict, quantised.score(&x).unwrap());
        x[round % 4] = f32::NAN;
        if round % 3 == 0 {
            x[(round + 1) % 4] = f32::INFINITY;
        }
        let exact = detector.score_available(&x).unwrap();
        let whole = quantised.score_available(&x).unwrap();
        assert_eq!(exact.missing, whole.missing);
        let difference = f64::from((exact.verdict.score.spe - whole.verdict.score.spe).abs());
        assert!(difference <= TOLERANCE * threshold, "{x:?}: {exact:?} {whole:?}");
    }
}

#[test]
fn what_cannot_be_quantised_is_refused() {
    let (detector, quantised) = machine(1);
    let mut kept = quantised.clone();
    let before = format!("{kept:?}");
    let unfitted = Machines::new();
    assert_eq!(kept.quantise(&unfitted), Err(Error::NotFitted));

    let mut small = QuantisedDetector::<4, 6, 16>::new();
    let refused = small.quantise(&detector);
    assert!(matches!(refused, Err(Error::Capacity { what: "points", .. })), "{refused:?}");
    let mut small = QuantisedDetector::<4, 20, 2>::new();
    let refused = small.quantise(&detector);
    assert!(matches!(refused, Err(Error::Capacity { what: "components", .. })), "{refused:?}");
    assert_eq!(small.score(&[0.0; 4]), Err(Error::NotFitted));

    let points = [[1.0, 2.0], [-1.0, 0.5]];
    let mut pair = QuantisedDetector::<2, 2, 1>::new();
    let mut named = |detector: Result<Detector<_, _, 2, 1>, Error>| match detector
        .and_then(|detector| pair.quantise(&detector))
    {
        Err(Error::Parameter { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    let (weights, centre) = ([[0.5], [-0.5]], [0.5; 2]);
    assert_eq!(named(by_hand(1e9, points, weights, centre)), "gamma");
    assert_eq!(named(by_hand(f32::NAN, points, weights, centre)), "gamma");
    assert_eq!(named(by_hand(0.1, points, [[3.0], [-3.0]], centre)), "weights");
    assert_eq!(named(by_hand(0.1, points, [[1e9], [-1e9]], centre)), "weights");
    assert_eq!(named(by_hand(0.1, points, weights, [5.0, 5.0])), "centre");
    let scaled = |mean: f32, deviation: f32| {
        let detector = by_hand(0.1, points, weights, centre)?;
        let scaling = Scaling::new([0.0, mean], [1.0, deviation]);
        Detector::from_parts(scaling, detector.model().clone(), *detector.threshold())
    };
    assert_eq!(named(scaled(1e9, 1.0)), "mean");
    assert_eq!(named(scaled(f32::NAN, 1.0)), "mean");
    assert_eq!(named(scaled(0.0, 1e38)), "deviation");
    assert_eq!(named(scaled(0.0, 1e-38)), "deviation");
    assert_eq!(named(scaled(0.0, 0.0)), "deviation");
    assert_eq!(format!("{kept:?}"), before, "an error changes nothing");
}

#[test]
fn readings_that_are_not_finite_are_named() {
    let (_, quantised) = machine(2);
    for (input, value) in [(0, f32::NAN), (2, f32::INFINITY), (3, f32::NEG_INFINITY)] {
        // Not even when another is far.
        let mut x = [1e30, 1e30, 1e30, 1e30];
        x[input] = value;
        let fault = Error::Query(Fault::NotFinite { input });
        assert_eq!(quantised.score(&x), Err(fault));
        assert_eq!(quantised.contributions(&x), Err(fault));
        assert_eq!(quantised.suspect(&x), Err(fault));
    }
    assert_eq!(Quantised::new().suspect(&[0.0; 4]), Err(Error::NotFitted));
    let lost = [0.0, f32::NAN, 0.0, 0.0];
    assert_eq!(Quantised::new().score_available(&lost), Err(Error::NotFitted));
    assert_eq!(quantised.score_available(&[f32::NAN; 4]), Err(Error::Query(Fault::AllMissing)));
    assert_eq!(Quantised::new().score(&[0.0; 4]), Err(Error::NotFitted));
    assert_eq!(Quantised::new().contributions(&[0.0; 4]), Err(Error::NotFitted));
}

#[test]
fn bytes_are_read_back() {
    let (_, quantised) = machine(4);
    let mut bytes = vec![0xff; Quantised::ENCODED_SIZE + 3];
    let length = quantised.write_to(&mut bytes).unwrap();
    assert_eq!(length, quantised.encoded_len());
    // Into another capacity, which held something else.
    let mut read = QuantisedDetector::<4, 30, 17>::new();
    read.quantise(&machine(5).0).unwrap();
    let before = format!("{read:?}");
    for cut in 0..length {
        assert!(matches!(read.read_from(&bytes[..cut]), Err(Error::Format(_))), "{cut} bytes");
    }
    for bit in 0..8 * length {
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(read.read_from(&bytes).is_err(), "bit {bit}");
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    assert_eq!(format!("{read:?}"), before, "an error changes nothing");
    read.read_from(&bytes).unwrap();
    let mut random = Machine(13);
    for x in readings(&mut random, Machine::reading) {
        assert_eq!(read.score(&x), quantised.score(&x));
        assert_eq!(read.contributions(&x), quantised.contributions(&x));
    }
    let mut again = vec![0; length];
    assert_eq!(read.write_to(&mut again), Ok(length));
    assert_eq!(again, bytes[..length]);

    let mut other = QuantisedDetector::<3, 20, 16>::new();
    let refused = other.read_from(&bytes);
    assert_eq!(refused, Err(Error::Shape { what: "inputs", expected: 3, given: 4 }));
    let mut small = QuantisedDetector::<4, 2, 16>::new();
    assert!(matches!(small.read_from(&bytes), Err(Error::Capacity { what: "points", .. })));
    assert_eq!(small.write_to(&mut bytes), Err(Error::NotFitted));
    let needed = quantised.encoded_len();
    let full = Error::Capacity { what: "encoded detector", needed, capacity: needed - 1 };
    assert_eq!(quantised.write_to(&mut again[1..]), Err(full));
}

#[test]
fn it_takes_two_thirds_of_the_room() {
    let (whole, float) =
        (QuantisedDetector::<8, 64, 4>::SIZE, Detector::<Rbf<f32>, [f32; 8], 64, 4>::SIZE);
    println!("64 points of 8 inputs, 4 components: {whole} bytes, {float} in f32");
    assert!(10 * whole < 7 * float);
}

// Real data.

/// One split of a set: SPE of the rows that were not learned from, normal and anomalous ones.
struct Case {
    set: &'static str,
    points: usize,
    threshold: f64,
    float: [Vec<f64>; 2],
    whole: [Vec<f64>; 2],
    /// With the points rounded to 8 bits, and nothing else.
    bytes: [Vec<f64>; 2],
    /// The largest difference of a projection in integers.
    projections: f64,
}

#[test]
fn hardly_any_auroc_is_lost() {
    if !is_shared("adbench") {
        return;
    }
    // Their detectors are too large for the stack of a test.
    let few = in_large_stack(evaluate::<32>);
    let many = in_large_stack(evaluate::<128>);
    println!(
        "set, points: AUROC in f32, lost by 16 bits, by points of 8 bits; largest difference of SPE in thresholds by either; of a projection; false alarms in f32, in 16 bits"
    );
    let (mut losses, mut bytes_losses, mut rates) = (Vec::new(), Vec::new(), Vec::new());
    for cases in few.iter().chain(&many) {
        let area = |[normal, anomalous]: &[Vec<f64>; 2]| auroc(normal, anomalous);
        let over = |value: &dyn Fn(&Case) -> f64| mean(cases.iter().map(value));
        let float = over(&|case| area(&case.float));
        let loss = float - over(&|case| area(&case.whole));
        let bytes_loss = float - over(&|case| area(&case.bytes));
        let far = [
            over(&|case| alarm_rate(&case.float[0], case.threshold)),
            over(&|case| alarm_rate(&case.whole[0], case.threshold)),
        ];
        let worst = |scores: &dyn Fn(&Case) -> &[Vec<f64>; 2]| {
            cases.iter().map(|case| case.largest_difference(scores(case))).fold(0.0, f64::max)
        };
        let (worst, bytes_worst) = (worst(&|case| &case.whole), worst(&|case| &case.bytes));
        let Case { set, points, .. } = &cases[0];
        let projections = cases.iter().map(|case| case.projections).fold(0.0, f64::max);
        println!(
            "{set:<10} {points:>3}: {float:.4} {loss:+.5} {bytes_loss:+.5}; {worst:.4} {bytes_worst:.2}; {projections:.1e}; {:.2} % {:.2} %",
            100.0 * far[0],
            100.0 * far[1]
        );
        assert!(worst <= TOLERANCE, "{set} {points}: {worst}");
        assert!(projections <= PROJECTION_TOLERANCE, "{set} {points}: {projections}");
        losses.push(loss);
        bytes_losses.push(bytes_loss);
        rates.push(far);
    }
    assert_eq!(losses.len(), 12);
    let (loss, bytes_loss) = (mean(losses), mean(bytes_losses));
    let [float, whole] = [0, 1].map(|i| mean(rates.iter().map(|far| far[i])));
    println!("mean: {loss:+.5} {bytes_loss:+.5}; {:.2} % {:.2} %", 100.0 * float, 100.0 * whole);
    assert!(loss <= 0.0005, "{loss}");
    // The threshold is taken over: it must still mean what it did.
    assert!((float - whole).abs() <= 0.001, "{float} {whole}");
}

fn in_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(64 << 20);
        thread.spawn_scoped(scope, work).unwrap().join().unwrap()
    })
}

fn evaluate<const R: usize>() -> Vec<Vec<Case>> {
    vec![
        cases::<9, R>("breastw"),
        cases::<32, R>("Ionosphere"),
        cases::<12, R>("vowels"),
        cases::<8, R>("Pima"),
        cases::<30, R>("WDBC"),
        cases::<6, R>("thyroid"),
    ]
}

/// Every split of a set, learned with the default recipe and a Gaussian kernel of the usual width.
fn cases<const D: usize, const R: usize>(set: &'static str) -> Vec<Case> {
    let table = read_shared(&format!("adbench/{set}.csv"));
    let (numbers, labels) = (table.numbers(), table.column("label"));
    let rows: Vec<[f32; D]> =
        (0..numbers.rows).map(|i| std::array::from_fn(|j| numbers.at(i, j) as f32)).collect();
    let splits = read_shared("adbench/splits.csv");
    let lines = (0..splits.rows()).filter(|&line| splits.text(line, "data") == set);
    let cases: Vec<Case> = lines
        .map(|line| {
            let training = splits.text(line, "train_rows").split(' ').map(number);
            let training: Vec<usize> = training.map(|row| row as usize).collect();
            let samples: Vec<[f32; D]> = training.iter().map(|&i| rows[i]).collect();
            let unseen = [0.0, 1.0].map(|label| {
                let unseen = |i: &usize| labels[*i] == label && !training.contains(i);
                (0..rows.len()).filter(unseen).map(|i| rows[i]).collect::<Vec<_>>()
            });
            case::<D, R>(set, &samples, &unseen)
        })
        .collect();
    assert_eq!(cases.len(), 5);
    cases
}

fn case<const D: usize, const R: usize>(
    set: &'static str,
    samples: &[[f32; D]],
    unseen: &[Vec<[f32; D]>; 2],
) -> Case {
    let mut learner = Box::new(Learner::<Rbf<f32>, [f32; D], 128, R, 32>::new());
    for x in samples {
        learner.push(x).unwrap();
    }
    let scaling = Scaling::learn(samples);
    let scaled: Vec<[f32; D]> = samples.iter().map(|x| scaling.apply(x)).collect();
    let kernel = Rbf::for_samples(scaled.as_slice(), 8.0).unwrap();
    let recipe =
        Recipe::default().components(Components::Share(0.99)).order(FoldOrder::Interleaved);
    learner.learn(kernel, recipe).unwrap();
    let detector = learner.detector().unwrap();
    let mut quantised = Box::new(QuantisedDetector::<D, R, 32>::new());
    quantised.quantise(detector).unwrap();
    let bytes = with_bytes(detector);
    let scores = |detector: &dyn Detect<[f32; D]>| {
        let spe = |x: &[f32; D]| f64::from(detector.score(x).unwrap().score.spe);
        unseen.each_ref().map(|rows| rows.iter().map(spe).collect())
    };
    let apart = |x| projections_apart(detector, &*quantised, x);
    Case {
        set,
        points: R,
        projections: unseen.iter().flatten().map(apart).fold(0.0, f64::max),
        threshold: detector.threshold().spe.into(),
        float: scores(detector),
        whole: scores(&*quantised),
        bytes: scores(&*bytes),
    }
}

/// The same detector with coordinates of 8 bits.
fn with_bytes<const D: usize, const R: usize, const P: usize>(
    detector: &Detector<Rbf<f32>, [f32; D], R, P>,
) -> Box<Detector<Rbf<f32>, [f32; D], R, P>> {
    let model = detector.model();
    let largest = model.points().iter().flatten().fold(0.0_f32, |most, x| most.max(x.abs()));
    let mut points = [[0.0; D]; R];
    for (place, point) in points.iter_mut().zip(model.points()) {
        *place = point.map(|x| (x * 127.0 / largest).round() * largest / 127.0);
    }
    let expansion = model.expansion();
    let (mut weights, mut centre) = ([[0.0; P]; R], [0.0; R]);
    for (i, place) in weights.iter_mut().enumerate().take(expansion.points()) {
        place[..expansion.components()].copy_from_slice(expansion.weights().row(i));
        centre[i] = expansion.centre()[i];
    }
    let padded = |values: &[f32]| {
        let mut padded = [1.0; P];
        padded[..values.len()].copy_from_slice(values);
        padded
    };
    let (offsets, variances) = (padded(expansion.offsets()), padded(expansion.variances()));
    let header = *expansion.header();
    let expansion = Expansion::from_parts(header, weights, centre, offsets, variances).unwrap();
    let kernel = *model.kernel().unwrap();
    let model = KernelPca::from_parts(kernel, points, kernel.memos(&points), expansion);
    Box::new(Detector::from_parts(*detector.scaling(), model, *detector.threshold()).unwrap())
}

impl Case {
    fn largest_difference(&self, scores: &[Vec<f64>; 2]) -> f64 {
        let pairs = self.float.iter().flatten().zip(scores.iter().flatten());
        pairs.map(|(a, b)| (a - b).abs() / self.threshold).fold(0.0, f64::max)
    }
}

#[test]
fn a_projector_has_the_bits_of_its_detector() {
    let points = [[0.0, 0.0], [1.0, 0.5], [-1.0, 0.3], [0.2, -1.0]];
    let weights = [[0.3, -0.2], [-0.4, 0.1], [0.2, 0.5], [0.1, -0.3]];
    let detector = by_hand(0.1, points, weights, [0.25; 4]).unwrap();
    let mut quantised = QuantisedDetector::<2, 4, 2>::new();
    quantised.quantise(&detector).unwrap();
    let (scaling, model) = (*quantised.scaling(), *quantised.model());
    type Projector = QuantisedProjector<2, 4, 2>;
    let projector = Projector::from_parts(scaling, model).unwrap();
    for x in [[0.0, 0.0], [0.7, -0.4], [3.0, 2.0], [1e30, 0.0], [-2.0, 1e-40]] {
        assert_eq!(projector.project(&x).unwrap(), quantised.project(&x).unwrap()[..], "{x:?}");
    }
    for x in [[0, 0], [2, -1], [i16::MAX, i16::MIN]] {
        let expected = quantised.project_counts(&x).unwrap();
        assert_eq!(projector.project_counts(&x).unwrap(), expected[..], "{x:?}");
    }
    let fault = Error::Query(Fault::NotFinite { input: 1 });
    assert_eq!(projector.project(&[0.0, f32::NAN]), Err(fault));

    // What quantising does not make is refused, and so is room that is not used.
    let mut altered = model;
    altered.points[1].half_length += 1;
    let refused = Projector::from_parts(scaling, altered).err();
    assert!(matches!(refused, Some(Error::Parameter { name: "points", .. })), "{refused:?}");
    let mut fewer = model;
    fewer.header.components = 1;
    let refused = Projector::from_parts(scaling, fewer).err();
    assert!(matches!(refused, Some(Error::Parameter { name: "components", .. })), "{refused:?}");
}
