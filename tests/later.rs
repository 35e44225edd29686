//! Calibration by the readings after learning: the rate is the promised one, faults among them are
//! noticed, resets are survived.
//!
//! `cargo test --test later -- --nocapture` prints what was measured.

mod common;
mod evaluation;
mod learning;
mod stored;
mod streams;

use common::{Grid, Random};
use learning::{Machine, P, R, rbf};
use mercer::detect::{FalseAlarms, LaterCalibration, LaterReadings, Threshold};
use mercer::error::FormatFault;
use mercer::{Error, QuantisedDetector, Recipe};
use stored::seal;
use streams::{INDEPENDENT, Kind, Trial, share};

/// What so many scores of an even distribution come to, whose rate above a threshold is known
/// exactly.
fn even(readings: usize, wish: f64, random: &mut Random) -> LaterCalibration<f64> {
    let before = Threshold::new(0.95);
    let mut later = LaterReadings::<f64, [f64; 64]>::of(&before, 0.05);
    (0..readings).for_each(|_| later.push(random.uniform()).unwrap());
    later.calibrate_trusting(FalseAlarms::Share(wish), &before).unwrap()
}

#[test]
fn the_rate_is_on_average_the_supported_one_and_spread_as_its_interval_says() {
    const TRIALS: usize = 4000;
    let mut random = Random(7);
    for (readings, wish) in
        [(19, 0.05), (99, 0.01), (120, 0.05), (399, 0.01), (399, 0.1), (1000, 0.02)]
    {
        let found: Vec<_> = (0..TRIALS)
            .map(|_| {
                let result = even(readings, wish, &mut random);
                (1.0 - result.threshold.spe, result)
            })
            .collect();
        let LaterCalibration { false_alarms, low, high, .. } = found[0].1;
        let mean = evaluation::mean(found.iter().map(|(rate, _)| *rate));
        let below = share(found.iter().map(|(rate, _)| *rate < low));
        let above = share(found.iter().map(|(rate, _)| *rate > high));
        println!(
            "{readings} at {wish}: mean {mean:.4} of {false_alarms:.4}; {below:.3} below {low:.4}, {above:.3} above {high:.4}"
        );
        assert!(false_alarms <= wish * (1.0 + 1e-12));
        // Four standard errors; the deviation of a beta distribution is below √(mean/readings).
        let error = 4.0 * (false_alarms / readings as f64 / TRIALS as f64).sqrt();
        assert!((mean - false_alarms).abs() < error, "{mean} {false_alarms}");
        // One in twenty, either way: the standard error is 0.0034.
        assert!((below - 0.05).abs() < 0.014 && (above - 0.05).abs() < 0.014, "{below} {above}");
    }
}

const LATER: usize = 399;
const SAMPLES: usize = 128;
const INPUTS: usize = 4;

/// A detector for 5 %, the scores of later readings, of fresh ones, and of faults.
struct Scores {
    before: f64,
    /// The threshold for 1 % by cross-fit.
    crossfit: f64,
    later: Vec<f64>,
    fresh: Vec<f64>,
    /// One input is off by 5 deviations, or all by 3.
    faults: [Vec<f64>; 2],
}

fn scores(kind: Kind, seed: u64) -> Option<Scores> {
    const FRESH: usize = 1000;
    const FAULTS: usize = 60;
    let others = LATER + FRESH + 2 * FAULTS;
    let mut readings = kind.readings((SAMPLES, others), INPUTS, seed);
    let deviation: Vec<f64> = (0..INPUTS)
        .map(|j| {
            let column = &readings.column(j)[..SAMPLES];
            let mean = evaluation::mean(column.iter().copied());
            evaluation::mean(column.iter().map(|x| (x - mean) * (x - mean))).sqrt()
        })
        .collect();
    let first = SAMPLES + LATER + FRESH;
    for i in 0..2 * FAULTS {
        for (j, deviation) in deviation.iter().enumerate() {
            let by = if i >= FAULTS {
                3.0
            } else if i % INPUTS == j {
                5.0
            } else {
                0.0
            };
            readings.data[(first + i) * INPUTS + j] += by * deviation;
        }
    }
    let readings = Grid { ..readings };
    let trial = Trial::of(&readings, SAMPLES, 48, Recipe::default())?;
    let crossfit = mercer::detect::calibrate::quantile(&trial.crossfit_spe, 0.01)?.threshold;
    let spe: Vec<f64> = trial.fresh.iter().map(|score| score.spe).collect();
    let (later, rest) = spe.split_at(LATER);
    let (fresh, faults) = rest.split_at(FRESH);
    let (one, all) = faults.split_at(FAULTS);
    Some(Scores {
        before: trial.report.threshold.spe,
        crossfit,
        later: later.to_vec(),
        fresh: fresh.to_vec(),
        faults: [one.to_vec(), all.to_vec()],
    })
}

impl Scores {
    fn calibrate(&self, later: &[f64], wish: f64) -> Result<LaterCalibration<f64>, Error> {
        let before = Threshold::new(self.before);
        let mut readings = LaterReadings::<f64, [f64; 32]>::of(&before, 0.05);
        later.iter().for_each(|&spe| readings.push(spe).unwrap());
        readings.calibrate(FalseAlarms::Share(wish), &before)
    }

    /// The later readings, with one in twenty replaced by a fault.
    fn with_faults(&self, kind: usize) -> Vec<f64> {
        let mut later = self.later.clone();
        later.iter_mut().step_by(20).zip(&self.faults[kind]).for_each(|(x, &fault)| *x = fault);
        later
    }
}

fn above(scores: &[f64], threshold: f64) -> f64 {
    share(scores.iter().map(|&score| score > threshold))
}

fn deviation_from(wish: f64, rates: &[f64]) -> f64 {
    evaluation::mean(rates.iter().map(|rate| (rate - wish) * (rate - wish))).sqrt()
}

/// With real detectors: the rate comes true, nearer to the wish than that of cross-fit, and more
/// faults are found for it.
#[test]
fn later_readings_are_sharper_than_cross_fit_and_faults_among_them_are_noticed() {
    const SEEDS: u64 = 40;
    const WISH: f64 = 0.01;
    let (mut crossfit_all, mut later_all) = (Vec::new(), Vec::new());
    let (mut light, mut noticed) = ([0, 0], [[0, 0], [0, 0]]);
    for kind in INDEPENDENT {
        let cases: Vec<Scores> = (0..SEEDS).filter_map(|seed| scores(kind, seed)).collect();
        assert!(cases.len() as u64 > SEEDS / 2, "{}", kind.name());
        let (mut by_later, mut by_crossfit) = (Vec::new(), Vec::new());
        let (mut found_later, mut found_crossfit) = (Vec::new(), Vec::new());
        let mut refused = 0;
        for case in &cases {
            let before = Threshold::new(case.before);
            let mut readings = LaterReadings::<f64, [f64; 4]>::of(&before, 0.05);
            case.later.iter().for_each(|&spe| readings.push(spe).unwrap());
            let trusted = readings.calibrate_trusting(FalseAlarms::Share(WISH), &before).unwrap();
            refused += usize::from(readings.calibrate(FalseAlarms::Share(WISH), &before).is_err());
            by_later.push(above(&case.fresh, trusted.threshold.spe));
            by_crossfit.push(above(&case.fresh, case.crossfit));
            found_later.push(above(&case.faults[0], trusted.threshold.spe));
            found_crossfit.push(above(&case.faults[0], case.crossfit));
        }
        let mean = |rates: &[f64]| evaluation::mean(rates.iter().copied());
        println!(
            "{}: 1 % by cross-fit {:.4} ± {:.4}, by {LATER} later readings {:.4} ± {:.4}; faults of 5 deviations found {:.3}, {:.3}; refused {refused} of {}",
            kind.name(),
            mean(&by_crossfit),
            deviation_from(WISH, &by_crossfit),
            mean(&by_later),
            deviation_from(WISH, &by_later),
            mean(&found_crossfit),
            mean(&found_later),
            cases.len(),
        );
        // A calibration deviates by 0.005, and 1000 readings by 0.003: four standard errors.
        let error = 4.0 * 0.006 / (cases.len() as f64).sqrt();
        assert!((mean(&by_later) - WISH).abs() < error, "{}", kind.name());
        crossfit_all.extend(by_crossfit);
        later_all.extend(by_later);
        for (faults, counts) in noticed.iter_mut().enumerate() {
            // Heavy tails are stranger than such faults.
            if kind != Kind::HeavyTailed {
                for wish in [0.01, 0.05] {
                    let of = |case: &&Scores| case.calibrate(&case.with_faults(faults), wish);
                    let strange = |case: &&Scores| {
                        matches!(of(case), Err(Error::StrangeReadings { readings: LATER, .. }))
                    };
                    counts[0] += cases.len();
                    counts[1] += cases.iter().filter(strange).count();
                }
            }
        }
        if kind != Kind::HeavyTailed {
            let of = |wish: f64| cases.iter().filter(move |c| c.calibrate(&c.later, wish).is_err());
            light[0] += 2 * cases.len();
            light[1] += of(0.01).count() + of(0.05).count();
        }
    }
    let [crossfit, later] = [&crossfit_all, &later_all].map(|rates| deviation_from(WISH, rates));
    println!("off from 1 %: cross-fit {crossfit:.4}, later readings {later:.4}");
    println!(
        "refused without faults {light:?}, with one input off {:?}, with all {:?}",
        noticed[0], noticed[1]
    );
    assert!(later < crossfit, "{later} {crossfit}");
    assert!(33 * light[1] <= light[0], "refused without reason: {light:?}");
    assert!(4 * noticed[0][1] >= 3 * noticed[0][0], "one input: {:?}", noticed[0]);
    assert!(100 * noticed[1][1] >= 95 * noticed[1][0], "all inputs: {:?}", noticed[1]);
}

/// Both kinds of detector, from the first reading to the new threshold.
#[test]
fn a_detector_and_its_quantised_twin_take_the_threshold() {
    let mut machine = Machine(11);
    let samples: Vec<[f32; 4]> = machine.readings(learning::N);
    let (learner, report) = learning::learn(&samples, rbf(), Recipe::default()).unwrap();
    let mut detector = learner.detector().unwrap().clone();
    let mut quantised = QuantisedDetector::<4, R, P>::new();
    quantised.quantise(&detector).unwrap();
    let start = |threshold: &_| LaterReadings::<f32, [f32; 8]>::of(threshold, report.false_alarms);
    let mut exact = start(detector.threshold());
    let mut whole = start(quantised.threshold());
    for _ in 0..LATER {
        let x = machine.reading();
        exact.push(detector.score(&x).unwrap().score.spe).unwrap();
        whole.push(quantised.score(&x).unwrap().score.spe).unwrap();
    }
    let wish = FalseAlarms::Share(0.02);
    let exact = exact.calibrate(wish, detector.threshold()).unwrap();
    let whole = whole.calibrate(wish, quantised.threshold()).unwrap();
    assert_eq!((exact.readings, exact.false_alarms), (LATER, 0.02));
    let off = (exact.threshold.spe - whole.threshold.spe).abs();
    assert!(off < 0.05 * exact.threshold.spe, "{off}");
    detector.set_threshold(exact.threshold).unwrap();
    quantised.set_threshold(whole.threshold).unwrap();
    let fresh: Vec<[f32; 4]> = machine.readings(2000);
    let rates = [
        share(fresh.iter().map(|x| detector.score(x).unwrap().unusual)),
        share(fresh.iter().map(|x| quantised.score(x).unwrap().unusual)),
    ];
    println!("2 % wished for: {rates:?}, {:.4} to {:.4} expected", exact.low, exact.high);
    assert!(rates.iter().all(|&rate| rate > 0.005 && rate < 0.05), "{rates:?}");
    // They were judged by the old threshold.
    let again = start(&Threshold::new(1.0)).calibrate(wish, detector.threshold());
    assert!(matches!(again, Err(Error::Parameter { name: "threshold", .. })), "{again:?}");
}

/// Readings that are like nothing would make a detector that hears nothing: refused here, and if
/// they are trusted, there.
#[test]
fn strangers_do_not_make_a_detector_deaf() {
    let mut machine = Machine(12);
    let samples: Vec<[f32; 4]> = machine.readings(learning::N);
    let (learner, report) = learning::learn(&samples, rbf(), Recipe::default()).unwrap();
    let mut detector = learner.detector().unwrap().clone();
    let mut quantised = QuantisedDetector::<4, R, P>::new();
    quantised.quantise(&detector).unwrap();
    let before = *detector.threshold();
    let mut later = LaterReadings::<f32, [f32; 8]>::of(&before, report.false_alarms);
    for i in 0..100 {
        let x = [1e6 + i as f32, -1e6, 1e6, 0.0];
        later.push(detector.score(&x).unwrap().score.spe).unwrap();
    }
    let wish = FalseAlarms::Share(0.05);
    let refused = later.calibrate(wish, &before);
    assert_eq!(refused, Err(Error::StrangeReadings { readings: 100, unusual: 100 }));
    let text = refused.unwrap_err().to_string();
    assert!(text.contains("100 of 100") && text.contains("leave out"), "{text}");
    let trusted = later.calibrate_trusting(wish, &before).unwrap();
    assert_eq!(detector.set_threshold(trusted.threshold), Err(Error::Deaf));
    assert_eq!(quantised.set_threshold(trusted.threshold), Err(Error::Deaf));
    assert_eq!(*detector.threshold(), before);
}

#[test]
fn wishes_that_cannot_be_met_are_refused_with_what_they_take() {
    let before = Threshold::new(0.5_f32);
    let mut later = LaterReadings::<f32, [f32; 4]>::of(&before, 0.05);
    let refused = |later: &LaterReadings<f32, [f32; 4]>, wish| later.calibrate(wish, &before);
    for (wish, needed) in [(0.05, 19), (0.01, 99), (0.001, 999), (0.5, 1)] {
        let error = Err(Error::TooFewSamples { given: 0, needed });
        assert_eq!(refused(&later, FalseAlarms::Share(wish)), error);
    }
    for needed in [19_usize, 99, 999] {
        let wish = FalseAlarms::Share(1.0 / (needed + 1) as f32);
        let mut later = LaterReadings::<f32, [f32; 4]>::of(&before, 0.05);
        for i in 0..needed {
            let error = Err(Error::TooFewSamples { given: i, needed });
            assert_eq!(refused(&later, wish), error);
            later.push(i as f32 / (2 * needed) as f32).unwrap();
        }
        assert!(refused(&later, wish).is_ok());
    }
    let per_day = FalseAlarms::PerDay { alarms: 1.0, hertz: 1.0 };
    let needed = Err(Error::TooFewSamples { given: 0, needed: 86_399 });
    assert_eq!(refused(&later, per_day), needed);
    for share in [0.0, 1.0, -1.0, f32::NAN] {
        let error = refused(&later, FalseAlarms::Share(share));
        assert!(matches!(error, Err(Error::Parameter { name: "false_alarms", .. })), "{error:?}");
    }
    for promised in [0.0, 1.0, f32::NAN] {
        let later = LaterReadings::<f32, [f32; 4]>::of(&before, promised);
        let error = refused(&later, FalseAlarms::Share(0.1));
        assert!(matches!(error, Err(Error::Parameter { name: "promised", .. })), "{error:?}");
    }
    later.push(0.1).unwrap();
    // Deterministic values of all kinds: what is kept is what sorting keeps.
    let mut random = Random(3);
    let mut all = vec![0.1_f32];
    for _ in 0..500 {
        let spe = (random.normal() * 4.0).round() as f32;
        later.push(spe).unwrap();
        all.push(spe);
        let mut sorted = all.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        assert_eq!(later.largest(), &sorted[..4.min(sorted.len())]);
    }
    assert_eq!(later.unusual(), all.iter().filter(|&&spe| spe > 0.5).count());
    let mean = all.iter().map(|&spe| f64::from(spe)).sum::<f64>() / all.len() as f64;
    assert!((f64::from(later.mean()) - mean).abs() < 1e-5);
}

type Kept = LaterReadings<f32, [f32; 5]>;

fn kept(readings: usize) -> Kept {
    let mut random = Random(9);
    let mut later = Kept::of(&Threshold::new(0.9), 0.05);
    (0..readings).for_each(|_| later.push(random.uniform() as f32).unwrap());
    later
}

fn bytes_of(later: &Kept) -> Vec<u8> {
    let mut bytes = vec![0xA5; Kept::ENCODED_SIZE];
    assert_eq!(later.write_to(&mut bytes), Ok(Kept::ENCODED_SIZE));
    bytes
}

#[test]
fn a_reset_after_any_reading_changes_nothing() {
    let mut random = Random(9);
    let mut later = Kept::of(&Threshold::new(0.9), 0.05);
    for _ in 0..60 {
        let mut restored = Kept::of(&Threshold::new(0.1), 0.5);
        restored.read_from(&bytes_of(&later)).unwrap();
        assert_eq!(restored, later);
        later = restored;
        later.push(random.uniform() as f32).unwrap();
    }
    assert_eq!(later, kept(60));
    let wish = FalseAlarms::Share(0.05);
    assert_eq!(later.calibrate(wish, &Threshold::new(0.9)).unwrap().false_alarms, 3.0 / 61.0);
    let refused = later.write_to(&mut [0; Kept::ENCODED_SIZE - 1]);
    assert!(matches!(refused, Err(Error::Capacity { .. })), "{refused:?}");
}

#[test]
fn damaged_bytes_are_refused_and_nothing_is_lost() {
    let (whole, old) = (bytes_of(&kept(60)), kept(7));
    let mut later = old.clone();
    let mut refuse = |bytes: &[u8]| {
        let error = later.read_from(bytes).unwrap_err();
        assert_eq!(later, old);
        error
    };
    for length in 0..whole.len() {
        let error = refuse(&whole[..length]);
        assert!(matches!(error, Error::Format(FormatFault::Truncated { .. })), "{error:?}");
    }
    for bit in 0..8 * whole.len() {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        refuse(&bytes);
    }
    assert_eq!(refuse(&[0xFF; 64]), Error::Format(FormatFault::Magic));
    // Right checksums, but nothing that readings lead to. Where: the table of `stored.rs`.
    let forge = |at: usize, value: &[u8]| {
        let mut bytes = whole.clone();
        bytes[at..at + value.len()].copy_from_slice(value);
        seal(&mut bytes);
        bytes
    };
    let number = |value: f32| value.to_le_bytes();
    for (at, value, name) in [
        (16, 61_u32.to_le_bytes(), "unusual"),
        (16, 1_u32.to_le_bytes(), "unusual"),
        (32, number(f32::NAN), "spe"),
        (36, number(f32::INFINITY), "spe"),
        (36, number(0.0), "largest"),
        (52, number(2.0), "largest"),
        (12, 3_u32.to_le_bytes(), "largest"),
    ] {
        let error = refuse(&forge(at, &value));
        assert!(
            matches!(error, Error::Parameter { name: found, .. } if found == name),
            "{error:?}"
        );
    }
    assert_eq!(refuse(&forge(7, &[1])), Error::Format(FormatFault::Flags { found: 1 }));
    let version = Error::Format(FormatFault::Version { found: 9, expected: 1 });
    assert_eq!(refuse(&forge(4, &[9, 0])), version);
    let room = Error::Shape { what: "largest scores", expected: 5, given: 6 };
    assert_eq!(refuse(&forge(8, &[6, 0, 0, 0])), room);
    let scalar = Error::Format(FormatFault::Scalar { expected: 4, found: 8 });
    assert_eq!(refuse(&forge(6, &[8])), scalar);
    later.read_from(&whole).unwrap();
    assert_eq!(later, kept(60));
}
