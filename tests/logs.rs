//! Logarithmic inputs: a detector with them is a plain one of readings whose logarithm was taken by
//! hand, wherever it comes from and whatever it is made into.

use mercer::detect::explain::ITERATIONS;
use mercer::detect::{
    Detect, DetectorBuffer, InputSet, LogDetector, LogLearner, LogQuantisedDetector, LogScaling,
    Logs, Scaling, Threshold,
};
use mercer::error::{Fault, FormatFault};
use mercer::kernel::Rbf;
use mercer::linalg::MatrixView;
use mercer::linalg::eigen::TridiagonalQr;
use mercer::math::{Fast, Math, Real};
use mercer::{Detector, Error, GaussianLearner, Learner, Progress, QuantisedDetector, Recipe};

const D: usize = 4;
const N: usize = 80;
const R: usize = 24;
const P: usize = 12;
/// The inputs of [`samples`] that are logarithmic by the rule.
const LOGARITHMIC: [usize; 2] = [1, 3];

/// Two inputs that vary by amounts, and two that vary by factors and belong together.
fn sample<T: Real>(i: usize) -> [T; D] {
    let wave = |step: f64| (i as f64 * step).sin();
    let (load, noise) = (wave(0.7), wave(2.3));
    let strength = (1.3 * load + 0.3 * noise).exp() * 1e-3;
    let energy = (2.5 * load + 0.6 * wave(1.9)).exp() * 40.0;
    [20.0 + 3.0 * load, strength, noise - 0.2 * load, energy].map(T::from_f64)
}

fn samples<T: Real>() -> Vec<[T; D]> {
    (0..N).map(sample).collect()
}

/// Readings near and far, at the floor, at 0 and below.
fn readings<T: Real>() -> Vec<[T; D]> {
    let mut readings: Vec<[T; D]> = (0..40).map(|i| sample(1000 + 3 * i)).collect();
    for (i, value) in [0.0, -0.0, -1.0, 1e-30, 1e-4, 5e-5, 1e3, 1e30].into_iter().enumerate() {
        let mut reading = readings[i];
        reading[LOGARITHMIC[i % 2]] = T::from_f64(value);
        readings.push(reading);
    }
    readings
}

/// Half the smallest of the samples, by hand; 0 for inputs that are not logarithmic.
fn floors<T: Real>(samples: &[[T; D]]) -> [T; D] {
    let mut floors = [T::ZERO; D];
    for input in LOGARITHMIC {
        let smallest = samples.iter().map(|x| x[input]).reduce(|a, b| if b < a { b } else { a });
        floors[input] = smallest.unwrap() * T::from_f64(0.5);
    }
    floors
}

/// A reading with the logarithms of two inputs, by hand.
fn by_hand<T: Real>(x: &[T; D], floors: &[T; D]) -> [T; D] {
    let mut logs = *x;
    for input in LOGARITHMIC {
        let value = if x[input] > floors[input] { x[input] } else { floors[input] };
        logs[input] = value.ln();
    }
    logs
}

type Of<T> = Learner<Rbf<T>, [T; D], N, R, P, TridiagonalQr<T>, LogScaling<[T; D]>>;
type Plain<T> = Learner<Rbf<T>, [T; D], N, R, P>;

fn learned<T: Real>(logs: Logs) -> Box<Of<T>>
where
    Fast: Math<T>,
{
    let mut learner = Box::new(Of::<T>::new());
    samples().iter().for_each(|x| learner.push(x).unwrap());
    learner.learn(Rbf::for_inputs(D), Recipe::default().logs(logs)).unwrap();
    learner
}

fn plain<T: Real>(samples: &[[T; D]]) -> Box<Plain<T>>
where
    Fast: Math<T>,
{
    let mut learner = Box::new(Plain::<T>::new());
    samples.iter().for_each(|x| learner.push(x).unwrap());
    learner.learn(Rbf::for_inputs(D), Recipe::default()).unwrap();
    learner
}

fn bits<T: Real>(values: impl IntoIterator<Item = T>) -> Vec<u64> {
    values.into_iter().map(|value| value.to_f64().to_bits()).collect()
}

fn same_as_by_hand<T: Real>()
where
    Fast: Math<T>,
{
    let floors = floors(&samples::<T>());
    let by_hand_samples: Vec<[T; D]> = samples().iter().map(|x| by_hand(x, &floors)).collect();
    let plain = plain(&by_hand_samples);
    let plain = plain.detector().unwrap();
    let wish = Logs::Inputs(InputSet::of(&LOGARITHMIC).unwrap());
    for logs in [Logs::Usual, Logs::Auto, wish] {
        let learner = learned::<T>(logs);
        let detector = learner.detector().unwrap();
        assert_eq!(detector.scaling().floor, floors, "{logs:?}");
        assert_eq!(detector.threshold(), plain.threshold());
        let view = detector.view().unwrap();
        for x in readings() {
            let (found, expected) =
                (detector.score(&x).unwrap(), plain.score(&by_hand(&x, &floors)).unwrap());
            assert_eq!(found, expected, "{x:?}");
            let mut projection = vec![T::ZERO; view.model.expansion().components()];
            assert_eq!(view.score(&mut x.clone(), &mut projection).unwrap(), expected);
            let why = detector.contributions(&x).unwrap();
            assert_eq!(bits(why), bits(plain.contributions(&by_hand(&x, &floors)).unwrap()));
        }
    }
}

#[test]
fn a_score_is_that_of_logarithms_by_hand() {
    same_as_by_hand::<f32>();
    same_as_by_hand::<f64>();
}

/// The logarithm itself is another's here: that of the standard library.
#[test]
fn scaled_inputs_are_within_rounding_of_the_formula() {
    let learner = learned::<f32>(Logs::Auto);
    let scaling = learner.detector().unwrap().scaling();
    let samples = samples::<f32>();
    for input in 0..D {
        let log = LOGARITHMIC.contains(&input);
        let value = |x: f32| if log { f64::from(x).ln() } else { f64::from(x) };
        let values: Vec<f64> = samples.iter().map(|x| value(x[input])).collect();
        let mean = values.iter().sum::<f64>() / N as f64;
        let square = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / N as f64;
        for x in samples.iter().chain(&readings()[..40]) {
            let expected = (value(x[input]) - mean) / square.sqrt();
            let found = scaling.apply(x)[input];
            assert!((f64::from(found) - expected).abs() < 2e-5, "{input}: {found} {expected}");
        }
    }
}

#[test]
fn without_logarithms_it_is_the_plain_detector() {
    let (learner, plain) = (learned::<f32>(Logs::None), plain(&samples()));
    let (detector, plain) = (learner.detector().unwrap(), plain.detector().unwrap());
    assert_eq!(detector.scaling().floor, [0.0; D]);
    for x in readings() {
        assert_eq!(detector.score(&x), plain.score(&x));
    }
    assert_eq!(stored(detector), {
        let mut bytes = vec![0; plain.encoded_len()];
        plain.write_to(&mut bytes).unwrap();
        bytes
    });
}

fn stored(detector: &LogDetector<D, R, P>) -> Vec<u8> {
    let mut bytes = vec![0xa5; LogDetector::<D, R, P>::ENCODED_SIZE];
    let length = detector.write_to(&mut bytes).unwrap();
    assert_eq!(length, detector.encoded_len());
    bytes.truncate(length);
    bytes
}

#[test]
fn a_stored_detector_is_the_same_wherever_it_is_read() {
    let learner = learned::<f32>(Logs::Usual);
    let detector = learner.detector().unwrap();
    let bytes = stored(detector);
    assert_eq!(bytes.len(), LogDetector::<D, R, P>::ENCODED_SIZE - unused(detector));
    let mut read = LogDetector::<D, R, P>::new();
    read.read_from(&bytes).unwrap();
    assert_eq!(read.scaling(), detector.scaling());
    assert_eq!(stored(&read), bytes);
    let mut memory = vec![0.0; DetectorBuffer::<Rbf<f32>, f32>::numbers(D, R, P)];
    let mut buffer = DetectorBuffer::<Rbf<f32>, f32>::new(D, R, P, &mut memory).unwrap();
    buffer.read_from(&bytes).unwrap();
    let view = buffer.view().unwrap();
    let mut again = vec![0; view.encoded_len()];
    view.write_to(&mut again).unwrap();
    assert_eq!(again, bytes);
    let mut projection = vec![0.0; view.model.expansion().components()];
    for x in readings() {
        let expected = detector.score(&x).unwrap();
        assert_eq!(read.score(&x).unwrap(), expected);
        assert_eq!(view.score(&mut x.clone(), &mut projection).unwrap(), expected);
    }
    // After a reset.
    let mut restored = Box::new(LogLearner::<D, N, R, P>::new());
    restored.restore(&bytes).unwrap();
    assert_eq!(restored.detector().unwrap().scaling(), detector.scaling());
    // Where no logarithm is linked, it is refused; and a plain one is not, where it is.
    let mut plain_detector = Detector::<Rbf<f32>, [f32; D], R, P>::new();
    let tag = FormatFault::Tag { what: "scaling", expected: 0, found: 4 };
    assert_eq!(plain_detector.read_from(&bytes), Err(Error::Format(tag)));
    let plain = plain(&samples::<f32>());
    let mut plain_bytes = vec![0; plain.detector().unwrap().encoded_len()];
    plain.detector().unwrap().write_to(&mut plain_bytes).unwrap();
    read.read_from(&plain_bytes).unwrap();
    assert_eq!(read.scaling().floor, [0.0; D]);
    buffer.read_from(&plain_bytes).unwrap();
    assert_eq!(buffer.view().unwrap().floor, [0.0; D], "none is left of before");
}

/// Bytes of points and components that are not in use.
fn unused(detector: &LogDetector<D, R, P>) -> usize {
    let expansion = detector.model().expansion();
    let (r, p) = (expansion.points(), expansion.components());
    4 * ((R - r) * (D + 1) + (R * P - r * p) + 2 * (P - p))
}

#[test]
fn memory_of_run_time_sizes_learns_the_same() {
    let samples = samples::<f32>();
    let rows = MatrixView::new(samples.as_flattened(), N, D).unwrap();
    let mut memory = vec![0.0; DetectorBuffer::<Rbf<f32>, f32>::numbers(D, R, P)];
    let mut buffer = DetectorBuffer::<Rbf<f32>, f32>::new(D, R, P, &mut memory).unwrap();
    let (mut numbers, mut indices) =
        (vec![7.0; buffer.learn_numbers(N)], vec![0; buffer.learn_indices(N)]);
    let mut learn = |recipe: Recipe<f32>| {
        buffer.learn(&rows, Rbf::for_inputs(D), recipe, &mut numbers, &mut indices)?;
        let view = buffer.view()?;
        let mut bytes = vec![0; view.encoded_len()];
        view.write_to(&mut bytes).map(|_| bytes)
    };
    for recipe in [Recipe::default(), Recipe::default().trim(0.1)] {
        let mut learner = Box::new(LogLearner::<D, N, R, P>::new());
        samples.iter().for_each(|x| learner.push(x).unwrap());
        learner.learn(Rbf::for_inputs(D), recipe).unwrap();
        let expected = stored(learner.detector().unwrap());
        assert_eq!(learn(recipe.logs(Logs::Auto)), Ok(expected));
    }
    let unknown = Error::UnknownInput { input: D, inputs: D };
    let beyond = Logs::Inputs(InputSet::of(&[D]).unwrap());
    assert_eq!(learn(Recipe::default().logs(beyond)), Err(unknown));
}

#[test]
fn expected_values_are_in_raw_units() {
    let learner = learned::<f32>(Logs::Usual);
    let detector = learner.detector().unwrap();
    let normal = sample::<f32>(1000);
    for input in LOGARITHMIC {
        for wrong in [0.0, normal[input] * 30.0, f32::NAN] {
            let mut faulty = normal;
            faulty[input] = wrong;
            let expected = detector.expected_input(&faulty, input, ITERATIONS).unwrap();
            let factor = expected / normal[input];
            assert!((0.4..2.5).contains(&factor), "{input}: {expected} for {}", normal[input]);
        }
    }
    let expected = detector.expected(&normal, ITERATIONS).unwrap();
    assert!(LOGARITHMIC.iter().all(|&l| (0.5..2.0).contains(&(expected[l] / normal[l]))));
}

#[test]
fn what_falls_to_nothing_is_noticed() {
    let (logs, plain) = (learned::<f32>(Logs::Usual), plain(&samples::<f32>()));
    let (logs, plain) = (logs.detector().unwrap(), plain.detector().unwrap());
    let mut found = [0, 0];
    let normal: Vec<[f32; D]> = (0..40).map(|i| sample(1000 + 3 * i)).collect();
    for (i, mut x) in normal.into_iter().enumerate() {
        x[LOGARITHMIC[i % 2]] = 0.0;
        found[0] += usize::from(logs.score(&x).unwrap().unusual);
        found[1] += usize::from(plain.score(&x).unwrap().unusual);
    }
    println!("found by logarithms, and without: {found:?} of 40");
    assert!(found[0] >= 30 && found[0] > found[1] + 10, "{found:?}");
}

#[test]
fn bad_readings_are_named() {
    let learner = learned::<f32>(Logs::Usual);
    let detector = learner.detector().unwrap();
    let mut quantised = LogQuantisedDetector::<D, R, P>::new();
    quantised.quantise(detector).unwrap();
    for input in 0..D {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut x = sample(7);
            x[input] = bad;
            let error = Err(Error::Query(Fault::NotFinite { input }));
            assert_eq!(detector.score(&x), error);
            assert_eq!(quantised.score(&x), error);
            let mut projection = vec![0.0; detector.model().expansion().components()];
            assert_eq!(detector.view().unwrap().score(&mut x.clone(), &mut projection), error);
        }
    }
}

#[test]
fn bad_wishes_are_refused_by_name() {
    let recipe =
        |inputs: &[usize]| Recipe::<f32>::DEFAULT.logs(Logs::Inputs(InputSet::of(inputs).unwrap()));
    let kernel = Rbf::for_inputs(D);
    let mut learner = Box::new(LogLearner::<D, N, R, P>::new());
    for i in 0..N {
        let mut x: [f32; D] = sample(i);
        x[2] = -x[2].abs();
        learner.push(&x).unwrap();
    }
    let refused = |learner: &mut LogLearner<D, N, R, P>, recipe| {
        let error = learner.begin(kernel, recipe).unwrap_err();
        assert!(!learner.is_learning() && learner.detector().is_err());
        error
    };
    let unknown = Error::UnknownInput { input: 200, inputs: D };
    assert_eq!(refused(&mut learner, recipe(&[1, 200])), unknown);
    // That an input is nowhere positive is found when it is looked at.
    learner.begin(kernel, recipe(&[2])).unwrap();
    let error = loop {
        match learner.step() {
            Ok(progress) => assert_eq!(progress, Progress::Working),
            Err(error) => break error,
        }
    };
    assert_eq!(error, Error::NoLogarithm { input: 2 });
    assert!(!learner.is_learning() && learner.detector().is_err());
    let unscaled = refused(&mut learner, recipe(&[1]).standardise(false));
    assert!(matches!(unscaled, Error::Parameter { name: "logs", .. }), "{unscaled}");
    // What is not scaled is not transformed either, unless that is asked for.
    for logs in [Logs::Usual, Logs::None, Logs::Auto] {
        let recipe = Recipe::default().standardise(false).logs(logs);
        learner.begin(kernel, recipe).unwrap();
        learner.give_up();
    }
    let mut plain = Box::new(GaussianLearner::<D, N, R, P>::new());
    samples().iter().for_each(|x| plain.push(x).unwrap());
    for logs in [Logs::Auto, recipe(&[1]).logs] {
        let error = plain.begin(kernel, Recipe::default().logs(logs)).unwrap_err();
        assert!(matches!(error, Error::Parameter { name: "logs", .. }), "{error}");
    }
    plain.learn(kernel, Recipe::default().logs(Logs::None)).unwrap();
}

/// Zeros and negative values among the samples of an input that is wished to be logarithmic.
#[test]
fn samples_below_the_floor_count_as_the_floor() {
    let mut learner = Box::new(LogLearner::<D, N, R, P>::new());
    for i in 0..N {
        let mut x: [f32; D] = sample(i);
        if i % 10 == 3 {
            x[1] = if i % 20 == 3 { 0.0 } else { -5.0 };
        }
        learner.push(&x).unwrap();
    }
    let wish = Logs::Inputs(InputSet::of(&[1]).unwrap());
    learner.learn(Rbf::for_inputs(D), Recipe::default().logs(wish)).unwrap();
    let smallest = learner.samples().map(|x| x[1]).filter(|&x| x > 0.0).reduce(f32::min).unwrap();
    assert_eq!(learner.detector().unwrap().scaling().floor, [0.0, smallest / 2.0, 0.0, 0.0]);
}

/// In integers, whatever is made of it.
#[test]
fn integers_are_within_their_bound() {
    let learner = learned::<f32>(Logs::Usual);
    let detector = learner.detector().unwrap();
    let mut quantised = LogQuantisedDetector::<D, R, P>::new();
    quantised.quantise(detector).unwrap();
    assert_eq!(quantised.validate(), Ok(()));
    assert_eq!(Detect::floors(&quantised), Detect::floors(detector));
    let bound = 0.05 * detector.threshold().spe;
    let mut worst = 0.0_f32;
    for x in samples().into_iter().chain(readings()) {
        let (whole, exact) = (quantised.score(&x).unwrap(), detector.score(&x).unwrap());
        worst = worst.max((whole.score.spe - exact.score.spe).abs());
        let (why, exact_why) =
            (quantised.contributions(&x).unwrap(), detector.contributions(&x).unwrap());
        let size = exact_why.iter().fold(0.0, |most: f32, c| most.max(c.abs()));
        let off = why.iter().zip(exact_why).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(off <= 0.05 * size + bound, "{x:?}: {why:?} {exact_why:?}");
    }
    println!("SPE in integers is off by {:.4} of the threshold", worst / detector.threshold().spe);
    assert!(worst <= bound, "{worst} {bound}");

    let mut bytes = [0; LogQuantisedDetector::<D, R, P>::ENCODED_SIZE];
    let length = quantised.write_to(&mut bytes).unwrap();
    let mut read = LogQuantisedDetector::<D, R, P>::new();
    read.read_from(&bytes[..length]).unwrap();
    for x in readings() {
        assert_eq!(read.score(&x), quantised.score(&x));
    }
    let made = LogQuantisedDetector::from_parts(
        *quantised.scaling(),
        *quantised.model(),
        *quantised.threshold(),
    );
    assert_eq!(made.unwrap().score(&sample(3)), quantised.score(&sample(3)));
    let mut plain = QuantisedDetector::<D, R, P>::new();
    let tag = FormatFault::Tag { what: "scaling", expected: 0, found: 1 };
    assert_eq!(plain.read_from(&bytes[..length]), Err(Error::Format(tag)));
}

/// Counts of an ADC, and floats of the same value.
#[test]
fn counts_have_the_scores_of_equal_floats() {
    let mut learner = Box::new(LogLearner::<2, N, 16, 8>::new());
    for i in 0..N {
        let [load, noise] = [0.7, 2.3].map(|step| (i as f32 * step).sin());
        learner.push(&[(3.0 * load).exp2().mul_add(100.0, 5.0).round(), 50.0 * noise]).unwrap();
    }
    learner.learn(Rbf::for_inputs(2), Recipe::default()).unwrap();
    let detector = learner.detector().unwrap();
    assert!(detector.scaling().floor[0] > 0.0 && detector.scaling().floor[1] == 0.0);
    let mut quantised = LogQuantisedDetector::<2, 16, 8>::new();
    quantised.quantise(detector).unwrap();
    for x in [[100, 3], [0, 0], [-7, -20], [1, 44], [i16::MAX, i16::MIN], [i16::MIN, 1]] {
        assert_eq!(quantised.score_counts(&x), quantised.score(&x.map(f32::from)), "{x:?}");
    }
    // 0, what is below, and the floor itself.
    let lowest = quantised.score(&[detector.scaling().floor[0], 7.0]);
    for below in [0, -1, i16::MIN] {
        assert_eq!(quantised.score_counts(&[below, 7]), lowest);
    }
}

#[test]
fn a_forged_floor_is_refused_at_every_door() {
    let learner = learned::<f32>(Logs::Usual);
    let detector = learner.detector().unwrap();
    let bytes = stored(detector);
    let mut quantised = LogQuantisedDetector::<D, R, P>::new();
    quantised.quantise(detector).unwrap();
    let is_floor = |error: Error| matches!(error, Error::Parameter { name: "floor", .. });
    let at = 24 + 6 + 4 * 4 + 2 * D * 4;
    assert_eq!(bytes[at + 4..at + 8], detector.scaling().floor[1].to_le_bytes());
    let mut bad_floors = vec![[0.0; D]];
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, f32::from_bits(1)] {
        for input in 0..D {
            let mut floor = detector.scaling().floor;
            floor[input] = bad;
            bad_floors.push(floor);
        }
    }
    for (i, floor) in bad_floors.into_iter().enumerate() {
        let mut forged = bytes.clone();
        for (place, value) in forged[at..].chunks_exact_mut(4).zip(floor) {
            place.copy_from_slice(&value.to_le_bytes());
        }
        seal(&mut forged);
        let mut read = LogDetector::<D, R, P>::new();
        assert!(is_floor(read.read_from(&forged).unwrap_err()), "{floor:?}");
        let mut memory = vec![0.0; DetectorBuffer::<Rbf<f32>, f32>::numbers(D, R, P)];
        let mut buffer = DetectorBuffer::<Rbf<f32>, f32>::new(D, R, P, &mut memory).unwrap();
        assert!(is_floor(buffer.read_from(&forged).unwrap_err()), "{floor:?}");
        // Floors of which none is above 0 are as good as none, but for the form in which they are
        // stored.
        if i == 0 {
            continue;
        }
        let scaling = LogScaling::new(detector.scaling().scaling, floor);
        let model = detector.model().clone();
        let made = Detector::from_parts(scaling, model, *detector.threshold());
        assert!(is_floor(made.unwrap_err()), "{floor:?}");
        let mut view = detector.view().unwrap();
        view.floor = &floor;
        assert!(is_floor(view.validate().unwrap_err()), "{floor:?}");
        let threshold = *quantised.threshold();
        let whole = LogQuantisedDetector::from_parts(scaling, *quantised.model(), threshold);
        assert!(is_floor(whole.unwrap_err()), "{floor:?}");
    }
    let mut view = detector.view().unwrap();
    view.floor = &[0.5; D - 1];
    let shape = Error::Shape { what: "floors", expected: D, given: D - 1 };
    assert_eq!(view.validate(), Err(shape));
}

/// The checksum of forged bytes, by the definition: a polynomial division, bit by bit.
fn seal(bytes: &mut [u8]) {
    let (body, check) = bytes.split_last_chunk_mut().unwrap();
    let crc = body.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 }
        })
    });
    *check = (!crc).to_le_bytes();
}

/// A detector with logarithms as a constant, which the compiler checks.
#[test]
fn a_detector_in_flash_takes_logarithms() {
    use mercer::kpca::{Expansion, ExpansionHeader};
    const EXPANSION: Expansion<f32, 2, 1> = {
        let header = ExpansionHeader::new(2, 1, 0.8, 0.2, false);
        match Expansion::from_parts(header, [[1.5], [-1.5]], [0.5; 2], [0.0], [0.15]) {
            Ok(expansion) => expansion,
            Err(_) => panic!(),
        }
    };
    const fn pump(floor: f32) -> Option<LogDetector<2, 2, 1>> {
        LogDetector::in_flash(
            LogScaling::new(Scaling::new([20.0, -1.0], [2.0, 0.5]), [0.0, floor]),
            Rbf::new(0.04),
            [[0.5, -0.4], [-0.6, 0.2]],
            EXPANSION,
            Threshold::new(0.3),
        )
    }
    static PUMP: LogDetector<2, 2, 1> = pump(0.1).expect("a valid detector");
    let plain = Detector::<Rbf<f32>, [f32; 2], 2, 1>::in_flash(
        Scaling::new([20.0, -1.0], [2.0, 0.5]),
        Rbf::new(0.04),
        [[0.5, -0.4], [-0.6, 0.2]],
        EXPANSION,
        Threshold::new(0.3),
    )
    .unwrap();
    for x in [0.0, 0.1, 0.4, 3.0] {
        let by_hand = [21.0, Real::ln(f32::max(x, 0.1))];
        assert_eq!(PUMP.score(&[21.0, x]), plain.score(&by_hand));
    }
    for bad in [f32::NAN, -0.1, f32::INFINITY, f32::from_bits(1)] {
        assert!(pump(bad).is_none(), "{bad}");
    }
}
