//! Verdicts without inputs that have failed.

mod common;
mod learning;

use common::{Grid, Random, fit_landmarks};
use learning::{Machine, UNITS};
use mercer::detect::{DetectorView, InputSet, Threshold, missing};
use mercer::error::Fault;
use mercer::kernel::{BlockKernel, Laplacian, Linear, Normalised, Poly, Rbf, Sigmoid};
use mercer::kpca::{Components, KernelPcaView, Landmarks};
use mercer::math::{Fast, Math, Real};
use mercer::{Detector, Error, Recipe};

type Machines<T> = Detector<Rbf<T>, [T; 4], 20, 16>;

fn machine<T: Real>(seed: u64) -> Machines<T>
where
    Fast: Math<T>,
{
    let samples = Machine(seed).readings::<T>(60);
    let (learner, _) = learning::learn(&samples, learning::rbf(), Recipe::default()).unwrap();
    learner.detector().unwrap().clone()
}

/// What a sensor that is not there may say.
const FAILED: [f32; 3] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];

fn without(x: &[f32; 4], missing: InputSet, value: f32) -> [f32; 4] {
    let mut left = *x;
    missing.iter().for_each(|input| left[input] = value);
    left
}

/// Any proper subset of four inputs.
fn subsets() -> impl Iterator<Item = InputSet> {
    (1..15_u32).map(|bits| {
        let inputs: Vec<usize> = (0..4).filter(|input| bits >> input & 1 == 1).collect();
        InputSet::of(&inputs).unwrap()
    })
}

#[test]
fn with_all_inputs_it_is_the_plain_score() {
    fn same<T: Real>()
    where
        Fast: Math<T>,
    {
        let detector = machine::<T>(3);
        for x in Machine(4).readings::<T>(50) {
            let partial = detector.score_available(&x).unwrap();
            assert_eq!(partial.verdict, detector.score(&x).unwrap());
            assert!(partial.missing.is_empty());
            assert_eq!(detector.fill_missing(&x), Ok(x));
        }
    }
    same::<f32>();
    same::<f64>();
}

#[test]
fn the_verdict_names_what_is_missing_and_depends_on_the_rest_alone() {
    let detector = machine::<f32>(3);
    for x in Machine(5).readings::<f32>(20) {
        for missing in subsets() {
            let partial = FAILED.map(|v| detector.score_available(&without(&x, missing, v)));
            assert_eq!(partial[0].unwrap().missing, missing);
            assert!(partial.iter().all(|p| *p == partial[0]), "{partial:?}");
            assert!(detector.score(&without(&x, missing, f32::NAN)).is_err(), "the plain score");
        }
    }
}

/// The score is the lowest that was found: not above that of the mean, nor (but for what a
/// search by steps misses) above that of the truth.
#[test]
fn what_is_missing_is_filled_by_what_scores_lowest() {
    let detector = machine::<f32>(3);
    let threshold = detector.threshold().spe;
    for x in Machine(6).readings::<f32>(40) {
        for missing in subsets() {
            let left = without(&x, missing, f32::NAN);
            let spe = detector.score_available(&left).unwrap().verdict.score.spe;
            let mut usual = x;
            missing.iter().for_each(|input| usual[input] = detector.scaling().mean[input]);
            let score = |x| detector.score(x).unwrap().score.spe;
            assert!(spe <= score(&usual) + 1e-5, "{x:?} without {missing:?}");
            if missing.len() == 1 {
                assert!(spe <= score(&x) + 0.02 * threshold, "{x:?} without {missing:?}");
            }
            let filled = detector.fill_missing(&left).unwrap();
            assert!((score(&filled) - spe).abs() <= 1e-5, "{filled:?}");
            for input in (0..4).filter(|&input| !missing.contains(input)) {
                assert_eq!(filled[input], x[input], "what is there stays");
            }
        }
    }
}

#[test]
fn a_failed_sensor_does_not_blind_the_rest() {
    let detector = machine::<f32>(3);
    let (mut false_alarms, mut found, mut named, mut cases) = (0, 0, 0, 0);
    for (round, x) in Machine(7).readings::<f32>(200).into_iter().enumerate() {
        let (failed, disturbed) = (round % 4, (round + 1 + round / 4 % 3) % 4);
        let left = without(&x, InputSet::of(&[failed]).unwrap(), f32::NAN);
        false_alarms += usize::from(detector.score_available(&left).unwrap().verdict.unusual);
        let mut fault = left;
        fault[disturbed] += 8.0 * UNITS[disturbed] as f32;
        cases += 1;
        if detector.score_available(&fault).unwrap().verdict.unusual {
            found += 1;
            let filled = detector.fill_missing(&fault).unwrap();
            named += usize::from(detector.suspect(&filled).unwrap().input == disturbed);
        }
    }
    println!("{false_alarms} false alarms, {found} found, {named} named of {cases}");
    assert!(20 * false_alarms <= 2 * cases, "{false_alarms} of {cases}");
    assert!(100 * found >= 98 * cases, "{found} of {cases}");
    assert!(10 * named >= 9 * found, "{named} of {found}");
}

#[test]
fn a_missing_input_that_follows_the_others_is_restored() {
    let detector = machine::<f32>(3);
    let mut errors: Vec<f64> = Machine(8)
        .readings::<f32>(100)
        .iter()
        .map(|x| {
            // The third sensor is the sum of the first two.
            let filled =
                detector.fill_missing(&without(x, InputSet::of(&[2]).unwrap(), f32::NAN)).unwrap();
            f64::from((filled[2] - x[2]).abs()) / UNITS[2]
        })
        .collect();
    errors.sort_by(f64::total_cmp);
    assert!(errors[50] < 0.5, "median error {}", errors[50]);
}

#[test]
fn views_and_other_kernels_fill_too() {
    /// A smooth score has few valleys: that of the lowest value is found. That of a Laplacian
    /// kernel has an edge at every point.
    fn holds(kernel: impl BlockKernel<[f64], Scalar = f64>, name: &str, smooth: bool) {
        let mut random = Random(20);
        let mut samples = Grid::from_fn(24, 3, |_, _| random.noise());
        for row in samples.view_mut().iter_rows_mut() {
            row[2] = row[0] - 0.5 * row[1] + 0.1 * row[2];
        }
        let (rank, components) = (Landmarks::Rank(8), Components::Share(0.98));
        let fitted = fit_landmarks(&kernel, &samples.view(), rank, components, 8).unwrap();
        let points = samples.pick(&fitted.points);
        let points = points.view();
        let mut memos = vec![0.0; fitted.expansion().points()];
        let model = KernelPcaView::new(&kernel, &points, fitted.expansion(), &mut memos).unwrap();
        let (mean, deviation) = (&[1.0; 3], &[2.0; 3]);
        let detector =
            DetectorView { mean, deviation, floor: &[], model, threshold: Threshold::EMPTY };
        let mut projection = vec![0.0; fitted.report.components];
        for round in 0..30 {
            let x: [f64; 3] = core::array::from_fn(|_| 1.0 + 2.0 * random.noise());
            let mut left = x;
            left[round % 3] = f64::NAN;
            let partial = detector.score_available(&mut left, &mut projection).unwrap();
            assert_eq!(partial.missing, InputSet::of(&[round % 3]).unwrap(), "{name}");
            let again = detector.score(&mut left.clone(), &mut projection).unwrap().score.spe;
            let spe = partial.verdict.score.spe;
            assert!((again - spe).abs() <= 1e-12, "{name}: {left:?} is complete and raw");
            // Nothing on a fine grid is much lower.
            for step in (-12..=12).filter(|_| smooth) {
                let mut tried = x;
                tried[round % 3] = 1.0 + 2.0 * f64::from(step) / 12.0;
                let lower = detector.score(&mut tried, &mut projection).unwrap().score.spe;
                assert!(spe <= lower + 0.05 * lower.abs() + 0.01, "{name}: {spe} {lower}");
            }
        }
    }
    holds(Rbf::new(0.3), "rbf", true);
    holds(Laplacian::new(0.3), "laplacian", false);
    holds(Linear, "linear", true);
    holds(Poly { gamma: 0.5, coef0: 1.0, degree: 2 }, "poly", true);
    holds(Sigmoid::new(0.3, 0.1), "sigmoid", true);
    holds(Normalised(Linear), "cosine", true);
}

#[test]
fn owner_and_view_agree() {
    let detector = machine::<f32>(3);
    let view = detector.view().unwrap();
    let mut projection = vec![0.0; view.model.expansion().components()];
    for x in Machine(9).readings::<f32>(10) {
        for missing in subsets() {
            let mut left = without(&x, missing, f32::NAN);
            let owner = detector.score_available(&left);
            assert_eq!(view.score_available(&mut left, &mut projection), owner);
        }
    }
}

// ---- what is refused ----

#[test]
fn all_inputs_missing_is_an_error() {
    let detector = machine::<f32>(3);
    let none = Error::Query(Fault::AllMissing);
    assert_eq!(detector.score_available(&[f32::NAN; 4]), Err(none));
    assert_eq!(detector.fill_missing(&[f32::INFINITY; 4]), Err(none));
    assert_eq!(none.to_string(), "query: all inputs are missing");
    let empty = Machines::<f32>::new();
    assert_eq!(empty.score_available(&[0.0, f32::NAN, 0.0, 0.0]), Err(Error::NotFitted));
}

#[test]
fn an_input_that_is_there_and_cannot_be_scaled_is_named() {
    let detector = machine::<f32>(3);
    let mut tiny = *detector.scaling();
    tiny.deviation[3] = 1e-20;
    let model = detector.model().clone();
    let detector = Detector::from_parts(tiny, model, *detector.threshold()).unwrap();
    let found = detector.score_available(&[20.0, f32::NAN, 100.0, f32::MAX]);
    assert_eq!(found, Err(Error::Query(Fault::ScaleOverflow { input: 3 })));
    // What is missing is not scaled: that would overflow here, too.
    assert!(detector.score_available(&[20.0, 5.0, 100.0, f32::NAN]).is_ok());
}

#[test]
fn only_the_first_256_inputs_can_be_missing() {
    let mut random = Random(2);
    let samples = Grid::from_fn(12, 260, |_, _| random.noise());
    let kernel = Rbf::new(1e-3);
    let (rank, components) = (Landmarks::Rank(4), Components::Fixed(2));
    let fitted = fit_landmarks(&kernel, &samples.view(), rank, components, 4).unwrap();
    let points = samples.pick(&fitted.points);
    let points = points.view();
    let mut memos = vec![0.0; fitted.expansion().points()];
    let model = KernelPcaView::new(&kernel, &points, fitted.expansion(), &mut memos).unwrap();
    let (mean, deviation) = (&[0.0; 260], &[1.0; 260]);
    let detector = DetectorView { mean, deviation, floor: &[], model, threshold: Threshold::EMPTY };
    let without = |input: usize| {
        let mut x = samples.row(0).to_vec();
        x[input] = f64::NAN;
        detector.score_available(&mut x, &mut [0.0; 2]).map(|partial| partial.missing)
    };
    assert_eq!(without(255), InputSet::of(&[255]));
    let error = Error::Capacity { what: "missing inputs", needed: 257, capacity: 256 };
    assert_eq!(without(256), Err(error));
}

/// The bound that is promised is kept, and reached.
#[test]
fn the_work_is_bounded() {
    use std::cell::Cell;

    use mercer::Kernel;

    /// Counts its evaluations of a first point.
    struct Counting<'a>(Rbf<f64>, &'a Cell<usize>);
    impl Kernel<[f64]> for Counting<'_> {
        type Scalar = f64;
        fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
            self.1.set(self.1.get() + 1);
            self.0.eval(x, y)
        }
        fn diagonal(&self, _: &[f64]) -> f64 {
            1.0
        }
    }
    impl BlockKernel<[f64]> for Counting<'_> {}

    let count = Cell::new(0);
    let kernel = Counting(Rbf::new(0.2), &count);
    let mut random = Random(20);
    let samples = Grid::from_fn(24, 6, |_, _| random.noise());
    let (rank, components) = (Landmarks::Rank(8), Components::Fixed(3));
    let fitted = fit_landmarks(&kernel, &samples.view(), rank, components, 8).unwrap();
    let points = samples.pick(&fitted.points);
    let points = points.view();
    let mut memos = vec![0.0; fitted.expansion().points()];
    let model = KernelPcaView::new(&kernel, &points, fitted.expansion(), &mut memos).unwrap();
    let (mean, deviation) = (&[0.0; 6], &[1.0; 6]);
    let detector = DetectorView { mean, deviation, floor: &[], model, threshold: Threshold::EMPTY };
    let mut projection = [0.0; 3];
    let mut scores = |work: &mut dyn FnMut(&mut [f64])| {
        count.set(0);
        work(&mut projection);
        assert_eq!(count.get() % 8, 0);
        count.get() / 8
    };
    let x = [0.3, -2.0, 0.1, 0.5, -0.5, 0.2];
    let suspect = scores(&mut |f| assert!(detector.suspect(&x, &mut [0.0; 6], f).is_ok()));
    assert_eq!(suspect, 2 * 6 + 21);
    for lost in 0..6 {
        let mut left = x;
        left[..lost].fill(f64::NAN);
        let needed = scores(&mut |f| assert!(detector.score_available(&mut left, f).is_ok()));
        let most = missing::scores(lost);
        assert!(needed <= most && (lost == 0) == (needed == 1), "{needed} of {most}");
    }
}
