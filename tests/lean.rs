//! The lean learner: what it learns is what the ordinary one learns, from the samples as they are
//! kept; and what 16 bits an input cost is said, never hidden.

use mercer::detect::{FalseAlarms, Replace, Warning};
use mercer::error::Fault;
use mercer::kernel::Rbf;
use mercer::kpca::Landmarks;
use mercer::{Error, GaussianLearner, LeanLearner, Progress, Recipe};

const D: usize = 4;
const N: usize = 96;
const R: usize = 20;
const P: usize = 10;

type Lean = LeanLearner<D, N, R, P>;
type Ample = GaussianLearner<D, N, R, P>;

// On a host, whose counters have 64 bits. `src/detect/learner/lean.rs` has the same for devices.
const _: () = assert!(LeanLearner::<12, 128, 24, 12>::SIZE <= 12_500);
const _: () =
    assert!(3 * LeanLearner::<12, 128, 24, 12>::SIZE < GaussianLearner::<12, 128, 24, 12>::SIZE);

/// A small generator.
struct Random(u32);

impl Random {
    fn uniform(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / 16_777_216.0
    }

    fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.uniform()).sum::<f32>() - 6.0
    }
}

/// Inputs of very different units, two of which belong together.
fn reading(random: &mut Random) -> [f32; D] {
    let load = random.normal();
    [
        1013.25 + 0.5 * load,
        2e-6 * (load + 0.2 * random.normal()),
        -4e7 + 3e6 * random.normal(),
        random.normal(),
    ]
}

fn readings(seed: u32, count: usize) -> Vec<[f32; D]> {
    let mut random = Random(seed);
    (0..count).map(|_| reading(&mut random)).collect()
}

fn lean_from(readings: &[[f32; D]]) -> Box<Lean> {
    let mut learner = Box::new(Lean::new());
    for reading in readings {
        learner.push(reading).unwrap();
    }
    learner
}

fn ample_from(readings: impl Iterator<Item = [f32; D]>) -> Box<Ample> {
    let mut learner = Box::new(Ample::new());
    for reading in readings {
        learner.push(&reading).unwrap();
    }
    learner
}

const KERNEL: Rbf<f32> = Rbf::new(1.0 / 32.0);
const RECIPE: Recipe<f32> = Recipe::<f32>::DEFAULT;

/// Larger differences than these are no rounding.
fn close(a: f32, b: f32, tolerance: f32) -> bool {
    (a - b).abs() <= tolerance * (1.0 + a.abs())
}

/// The ordinary learner is fed with the samples as the lean one keeps them, in deviations: that
/// leaves no difference but rounding.
#[test]
fn it_learns_what_the_ordinary_learner_does_from_the_same_samples() {
    let recipes = [
        RECIPE,
        RECIPE.trim(0.05),
        RECIPE.landmarks(Landmarks::Rank(9)),
        RECIPE.landmarks(Landmarks::Residual(0.3)),
        RECIPE.folds(3).false_alarms(FalseAlarms::Share(0.1)),
    ];
    for (seed, recipe) in (1..).zip(recipes) {
        let mut lean = lean_from(&readings(seed, N));
        let report = lean.learn(KERNEL, recipe).unwrap();
        let scaling = *lean.detector().unwrap().scaling();
        let scaled = lean.samples().map(|x| {
            // What is kept are whole counts.
            scaling.apply(&x).map(|z| (z * 1024.0).round() / 1024.0)
        });
        let mut ample = ample_from(scaled);
        let expected = ample.learn(KERNEL, recipe.standardise(false)).unwrap().clone();
        assert_eq!(report.fit.points, expected.fit.points);
        assert_eq!(report.fit.components, expected.fit.components);
        assert_eq!((report.trimmed, report.alarms), (expected.trimmed, expected.alarms));
        assert_eq!(report.warnings(), expected.warnings(), "seed {seed}");
        assert!(close(report.threshold.spe, expected.threshold.spe, 1e-4));
        assert!(close(report.threshold.usual, expected.threshold.usual, 1e-4));
        assert!(close(report.fit.unspanned, expected.fit.unspanned, 1e-5));
        let (lean, ample) = (lean.detector().unwrap(), ample.detector().unwrap());
        assert_eq!(lean.model().points(), ample.model().points(), "points, in their order");
        for x in readings(77 + seed, 100) {
            let score = lean.score(&x).unwrap();
            let expected = ample.score(&scaling.apply(&x)).unwrap();
            assert!(close(score.score.spe, expected.score.spe, 1e-4), "{score:?} {expected:?}");
        }
    }
}

/// The scaling of samples in 16 bits, beside that of the samples as they were.
#[test]
fn detectors_from_the_same_readings_agree() {
    for seed in 1..6 {
        let readings = readings(seed, N);
        let mut lean = lean_from(&readings);
        let mut ample = ample_from(readings.iter().copied());
        lean.learn(KERNEL, RECIPE).unwrap();
        ample.learn(KERNEL, RECIPE).unwrap();
        let (lean, ample) = (lean.detector().unwrap(), ample.detector().unwrap());
        for input in 0..D {
            let (a, b) = (lean.scaling().deviation[input], ample.scaling().deviation[input]);
            assert!((a / b - 1.0).abs() < 1e-3, "input {input}: {a} {b}");
            let (a, c) = (lean.scaling().mean[input], ample.scaling().mean[input]);
            assert!((a - c).abs() < 2e-3 * b, "input {input}: {a} {c}");
        }
        let (a, b) = (lean.threshold().spe, ample.threshold().spe);
        assert!((a / b - 1.0).abs() < 0.02, "{a} {b}");
        let later = self::readings(seed + 50, 200);
        let unusual =
            |verdicts: &dyn Fn(&[f32; D]) -> bool| later.iter().filter(|x| verdicts(x)).count();
        let found = [
            unusual(&|x| lean.score(x).unwrap().unusual),
            unusual(&|x| ample.score(x).unwrap().unusual),
        ];
        assert!(found[0].abs_diff(found[1]) <= 2, "{found:?}");
    }
}

#[test]
fn samples_are_kept_to_the_digits_that_are_promised() {
    for seed in 1..20 {
        let readings = readings(seed, N);
        let learner = lean_from(&readings);
        for input in 0..D {
            let first = readings[0][input];
            let far = readings.iter().map(|x| (x[input] - first).abs()).fold(0.0, f32::max);
            for (kept, x) in learner.samples().zip(&readings) {
                let off = f64::from(kept[input]) - f64::from(x[input]);
                // And what `f32` itself rounds, beside a large value.
                let bound = f64::from(far) / 8192.0 + f64::from(x[input].abs()) * 1.2e-7;
                assert!(off.abs() <= bound, "input {input}: {kept:?} for {x:?}");
            }
        }
    }
}

/// A reading may be beyond all before, many times.
#[test]
fn ranges_grow_as_far_as_they_must() {
    let mut learner = LeanLearner::<2, 64, 8, 4>::new();
    for step in 0..60 {
        let large = 3.0_f32.powi(step) * if step % 2 == 0 { 1.0 } else { -1.0 };
        learner.push(&[large, 1e-30 * large]).unwrap();
    }
    let last = learner.samples().last().unwrap();
    assert!((last[0] / -(3.0_f32.powi(59)) - 1.0).abs() < 2e-4, "{last:?}");
    // Distances that are no number are refused, and nothing is changed.
    let mut learner = LeanLearner::<2, 8, 8, 4>::new();
    learner.push(&[0.0, 3e38]).unwrap();
    let refused = learner.push(&[1.0, -3e38]);
    assert_eq!(refused, Err(Error::Query(Fault::ScaleOverflow { input: 1 })));
    assert_eq!(learner.len(), 1);
    assert!(learner.samples().eq([[0.0, 3e38]]));
    // The smallest numbers there are.
    let mut learner = LeanLearner::<1, 8, 8, 4>::new();
    for x in [0.0, 1e-45, 1e-40, 3e-39] {
        learner.push(&[x]).unwrap();
    }
    assert!(learner.samples().all(|[x]| x.is_finite()));
}

#[test]
fn bad_input_is_named_and_changes_nothing() {
    let mut learner = lean_from(&readings(3, 10));
    for value in [f32::NAN, f32::INFINITY] {
        let mut x = readings(4, 1)[0];
        x[2] = value;
        assert_eq!(learner.push(&x), Err(Error::Query(Fault::NotFinite { input: 2 })));
    }
    assert_eq!(learner.len(), 10);
    let refused = |result: Result<(), Error>| match result {
        Err(Error::Parameter { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(learner.begin(Rbf::new(-1.0), RECIPE)), "gamma");
    assert_eq!(refused(learner.begin(KERNEL, RECIPE.standardise(false))), "standardise");
    assert_eq!(refused(learner.begin(KERNEL, RECIPE.folds(1))), "folds");
    let logs = mercer::detect::Logs::Auto;
    assert_eq!(refused(learner.begin(KERNEL, RECIPE.logs(logs))), "logs");
    let few = learner.begin(KERNEL, RECIPE.folds(9));
    assert_eq!(few, Err(Error::TooFewSamples { given: 10, needed: 18 }));
    assert!(matches!(learner.detector(), Err(Error::NotFitted)));

    let mut full = lean_from(&readings(3, N));
    let capacity = Error::Capacity { what: "samples", needed: N + 1, capacity: N };
    assert_eq!(full.push(&readings(4, 1)[0]), Err(capacity));
    full.begin(KERNEL, RECIPE).unwrap();
    assert_eq!(full.push(&readings(4, 1)[0]), Err(Error::Learning));
    assert_eq!(full.begin(KERNEL, RECIPE), Err(Error::Learning));
    assert_eq!(full.restore(&[]), Err(Error::Learning));
    full.give_up();
    assert!(!full.is_learning() && full.report().is_none());
    full.learn(KERNEL, RECIPE).unwrap();
}

/// What the ordinary learner refuses, or warns of, this one does.
#[test]
fn refusals_and_warnings_are_those_of_the_ordinary_learner() {
    let usual = readings(5, N);
    let cases = [
        ("all equal", KERNEL, vec![usual[0]; N]),
        ("narrow", Rbf::new(1e4), usual.clone()),
        ("wide", Rbf::new(1e-9), usual.clone()),
        ("constant", KERNEL, usual.iter().map(|x| [x[0], x[1], 7.5, x[3]]).collect()),
        ("copies", KERNEL, (0..N).map(|i| usual[i / 3]).collect()),
    ];
    for (name, kernel, readings) in cases {
        let lean = lean_from(&readings).learn(kernel, RECIPE);
        let mut ample = ample_from(readings.iter().copied());
        let ample = ample.learn(kernel, RECIPE).cloned();
        match (lean, ample) {
            (Ok(lean), Ok(ample)) => assert_eq!(lean.warnings(), ample.warnings(), "{name}"),
            (lean, ample) => assert_eq!(lean.err(), ample.err(), "{name}"),
        }
    }
}

/// One glitch that leaves no digits for the rest.
#[test]
fn a_glitch_is_never_silent() {
    let mut readings = readings(6, N);
    readings[40][3] = 65_535.0;
    let report = lean_from(&readings).learn(KERNEL, RECIPE).unwrap();
    assert_eq!(report.blind_inputs().collect::<Vec<_>>(), [3]);
    let outlier = Error::Sample { index: 40, fault: Fault::Outlier { input: 3 } };
    let mut learner = lean_from(&readings);
    assert_eq!(learner.learn(KERNEL, RECIPE.trim(0.02)), Err(outlier));
    assert_eq!(
        outlier.to_string(),
        "sample 40: input 3 is so far from all others that 16 bits do not tell these apart: \
         learn again without this sample"
    );
    // One that leaves enough of them is trimmed, and the input sees.
    readings[40][3] = 90.0;
    let mut learner = lean_from(&readings);
    let report = learner.learn(KERNEL, RECIPE.trim(0.02)).unwrap();
    assert_eq!((report.trimmed, report.blind_inputs().count()), (1, 0));
    assert!((learner.detector().unwrap().scaling().deviation[3] - 1.0).abs() < 0.3);
}

#[test]
fn samples_follow_what_is_normal_and_learning_goes_on() {
    let mut random = Random(9);
    let mut learner = lean_from(&readings(9, N));
    learner.learn(KERNEL, RECIPE).unwrap();
    let scaling = *learner.detector().unwrap().scaling();
    let first = learner.samples().next();
    for replace in [Replace::Oldest, Replace::Random] {
        for _ in 0..100 {
            let x = reading(&mut random);
            let unusual = learner.detector().unwrap().score(&x).unwrap().unusual;
            assert_eq!(learner.refresh(&x, replace).unwrap().unusual, unusual);
        }
    }
    assert!(learner.is_full() && learner.samples().next() != first);
    // A later sample far beyond the range is refused, not bent.
    learner.forget();
    assert!(learner.is_empty() && learner.report().is_none());
    let mut learner = lean_from(&readings(9, N - 1));
    learner.learn(KERNEL, RECIPE).unwrap();
    let mut far = readings(9, 1)[0];
    far[3] += 40.0;
    assert_eq!(learner.push(&far), Err(Error::Query(Fault::ScaleOverflow { input: 3 })));
    assert!(learner.refresh(&far, Replace::Oldest).unwrap().unusual);
    assert_eq!(learner.len(), N - 1);
    // A refit keeps the scaling; while it learns there is no detector.
    learner.push(&reading(&mut random)).unwrap();
    learner.begin(KERNEL, RECIPE).unwrap();
    assert!(matches!(learner.refresh(&far, Replace::Oldest), Err(Error::NotFitted)));
    assert!(learner.report().is_none());
    while learner.step().unwrap() == Progress::Working {}
    assert!((learner.detector().unwrap().scaling().mean[0] - scaling.mean[0]).abs() < 0.1);
    // Refused: no detector, but the samples and the scaling stay.
    assert!(learner.learn(Rbf::new(1e4), RECIPE).is_err());
    assert!(learner.detector().is_err() && learner.is_full());
    learner.learn(KERNEL, RECIPE).unwrap();
}

#[test]
fn a_stored_detector_is_the_same_after_a_reset() {
    let mut learner = lean_from(&readings(11, N));
    learner.learn(KERNEL, RECIPE).unwrap();
    let mut bytes = [0; mercer::GaussianDetector::<D, R, P>::ENCODED_SIZE];
    let length = learner.detector().unwrap().write_to(&mut bytes).unwrap();
    let mut woken = Box::new(Lean::new());
    woken.restore(&bytes[..length]).unwrap();
    for x in readings(12, 50) {
        let expected = learner.detector().unwrap().score(&x).unwrap();
        assert_eq!(woken.refresh(&x, Replace::Oldest).unwrap(), expected);
    }
    assert!(woken.len() > 40);
    woken.learn(KERNEL, RECIPE).unwrap();
    let damaged = woken.restore(&bytes[..length - 1]);
    assert!(damaged.is_err() && woken.detector().is_ok(), "everything is as it was");
}

/// Numbers in reports are positions in the order of the samples, also when these went round, and
/// recordings are not cut.
#[test]
fn samples_are_numbered_by_age() {
    let mut random = Random(13);
    let mut learner = lean_from(&readings(13, N));
    learner.learn(KERNEL, RECIPE).unwrap();
    for _ in 0..30 {
        learner.refresh(&reading(&mut random), Replace::Oldest).unwrap();
    }
    let mut fresh = Box::new(Lean::new());
    for (i, x) in learner.samples().enumerate() {
        if i % 24 == 0 {
            fresh.gap();
        }
        fresh.push(&x).unwrap();
    }
    let report = fresh.learn(KERNEL, RECIPE).unwrap();
    assert!(!report.warnings().contains(&Warning::Indefinite));
    let mut glitch: Vec<[f32; D]> = fresh.samples().collect();
    glitch[17][0] += 400.0;
    let named = lean_from(&glitch).learn(KERNEL, RECIPE.trim(0.02));
    assert_eq!(named.err(), Some(Error::Sample { index: 17, fault: Fault::Outlier { input: 0 } }));
}

/// No step is much longer than the others: none makes more than about `2n` kernel evaluations.
#[test]
fn there_are_many_small_steps() {
    let mut learner = lean_from(&readings(15, N));
    learner.begin(KERNEL, RECIPE).unwrap();
    let mut steps = 1;
    while learner.step().unwrap() == Progress::Working {
        steps += 1;
        assert!(steps < 5 * (8 * R + 100) + 4 * N + 60 * D, "{steps} steps");
    }
    assert!(steps > 5 * 3 * R);
}
