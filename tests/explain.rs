//! Which input is to blame for an anomaly, and what it should have read.
//!
//! `cargo test --test explain -- --nocapture` prints the table of the localisation experiment.

mod common;

use std::io::Write as _;

use common::{Fitted, Grid, Table, fit_exact, fit_landmarks, number};
use mercer::detect::explain::{ITERATIONS, Suspect};
use mercer::detect::{DetectorView, Scaling, Threshold, scaling};
use mercer::error::Fault;
use mercer::kernel::{
    BlockKernel, Gradient, Laplacian, Linear, Normalised, Poly, Rbf, Sigmoid, Sum,
};
use mercer::kpca::{Components, KernelPcaView, LandmarkWorkspace, Landmarks};
use mercer::linalg::MatrixView;
use mercer::math::{Fast, Math, Real};
use mercer::{Detector, Error, KernelPca};

/// Numbers that look random, the same in every run (xorshift64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 11) as usize % n
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        low + unit * (high - low)
    }
}

// ---- a plant of two states and four sensors ----

/// Two states that vary freely, their sum, their difference, and a little noise; each in its own
/// unit.
fn readings<const N: usize>(random: &mut Random) -> [[f32; 4]; N] {
    core::array::from_fn(|_| {
        let (s, t) = (random.between(-1.0, 1.0), random.between(-1.0, 1.0));
        reading(s, t).map(|v| v + random.between(-0.02, 0.02) as f32)
    })
}

fn reading(s: f64, t: f64) -> [f32; 4] {
    [20.0 + s, 5.0 + 0.5 * t, 100.0 + 10.0 * (s + t), s - t].map(|v| v as f32)
}

/// The input of the largest contribution, in magnitude.
fn largest<T: Real>(contributions: &[T]) -> usize {
    let magnitudes = contributions.iter().map(|c| c.abs()).enumerate();
    magnitudes.reduce(|best, other| if other.1 > best.1 { other } else { best }).unwrap().0
}

/// Deviations of the four sensors, roughly.
const DEVIATION: [f32; 4] = [0.58, 0.29, 8.2, 0.82];

type Plant = Detector<Rbf<f32>, [f32; 4], 24, 16>;

fn plant() -> Plant {
    let samples: [_; 64] = readings(&mut Random(20));
    let scaling: Scaling<[f32; 4]> = Scaling::learn(samples.as_slice());
    let scaled = samples.map(|x| scaling.apply(&x));
    let mut model = KernelPca::new();
    let mut workspace = LandmarkWorkspace::<f32, 64, 24>::new();
    let (rank, share) = (Landmarks::Rank(24), Components::Share(0.99));
    model.fit_landmarks(Rbf::new(0.05), &scaled, rank, share, &mut workspace).unwrap();
    Detector::from_parts(scaling, model, Threshold::EMPTY).unwrap()
}

#[test]
fn a_disturbed_sensor_is_named_and_restored() {
    let plant = plant();
    let normal: [_; 32] = readings(&mut Random(7));
    for (i, truth) in normal.iter().enumerate() {
        let input = i % 4;
        for off in [-6.0, 6.0, 40.0, 1e4, 1e30] {
            let mut x = *truth;
            x[input] += off * DEVIATION[input];
            let contributions = plant.contributions(&x).unwrap();
            assert_eq!(largest(&contributions), input, "{x:?}: {contributions:?}");
            let suspect = plant.suspect(&x).unwrap();
            assert_eq!((suspect.input, suspect.read), (input, x[input]), "{x:?}: {suspect:?}");
            let expected = plant.expected_input(&x, input, ITERATIONS).unwrap();
            for instead in [suspect.expected, expected] {
                let error = (instead - truth[input]).abs() / DEVIATION[input];
                assert!(error < 0.5, "{x:?}: {instead} for input {input}");
            }
            let [mut restored, usual] = [x, *truth];
            restored[input] = suspect.expected;
            let spe = |x| plant.score(x).unwrap().score.spe;
            assert!((suspect.rest - spe(&restored)).abs() <= 1e-5, "{suspect:?}");
            assert!((suspect.fall - (spe(&x) - suspect.rest)).abs() <= 1e-6, "{suspect:?}");
            assert!(suspect.rest <= spe(&usual) + 1e-3, "{suspect:?}");
        }
    }
}

#[test]
fn a_failed_sensor_is_replaced() {
    let plant = plant();
    let truth = reading(0.3, -0.4);
    let mut x = truth;
    x[2] = f32::NAN;
    assert!((plant.expected_input(&x, 2, ITERATIONS).unwrap() - truth[2]).abs() < 2.0);
}

#[test]
fn a_normal_reading_is_what_is_expected() {
    let plant = plant();
    let normal: [_; 32] = readings(&mut Random(7));
    for x in &normal {
        let expected = plant.expected(x, ITERATIONS).unwrap();
        for ((e, x), deviation) in expected.iter().zip(x).zip(DEVIATION) {
            assert!((e - x).abs() < 0.25 * deviation, "{expected:?}, not {x}");
        }
    }
}

#[test]
fn the_expected_reading_lies_between_the_disturbed_and_the_true_one() {
    let plant = plant();
    let normal: [_; 32] = readings(&mut Random(7));
    for (i, truth) in normal.iter().enumerate() {
        let input = i % 4;
        let mut x = *truth;
        x[input] += 3.0 * DEVIATION[input];
        let expected = plant.expected(&x, ITERATIONS).unwrap();
        let error = (expected[input] - truth[input]) / DEVIATION[input];
        assert!((-0.5..2.0).contains(&error), "{truth:?} plus 3 deviations: {expected:?}");
        let (before, after) = (plant.score(&x).unwrap(), plant.score(&expected).unwrap());
        assert!(after.score.spe < 0.5 * before.score.spe);
    }
}

#[test]
fn far_readings_are_answered_too() {
    let plant = plant();
    for far in [1e4, 1e18, 1e37_f32] {
        let x = [20.0, 5.0, 100.0 + far, -0.01 * far];
        let contributions = plant.contributions(&x).unwrap();
        let spe = plant.score(&x).unwrap().score.spe;
        let total: f32 = contributions.iter().sum();
        assert!((total - spe).abs() <= 1e-5 * spe, "{contributions:?} do not sum to {spe}");
        assert_eq!(largest(&contributions), 2);
        // Nor does one input alone explain it: then it is the one that is furthest off.
        let Suspect { input, fall, expected, .. } = plant.suspect(&x).unwrap();
        assert_eq!((input, fall), (2, 0.0));
        assert!((expected - 100.0).abs() < 2.0 * DEVIATION[2], "{expected}");
        // The projection no longer tells where the reading was: only that it is one among the
        // normal ones.
        let expected = plant.expected(&x, ITERATIONS).unwrap();
        for ((e, centre), deviation) in expected.iter().zip(reading(0.0, 0.0)).zip(DEVIATION) {
            assert!((e - centre).abs() < 3.0 * deviation, "{expected:?}");
        }
        // Without the third input, the fourth is still far from normal.
        let lost = plant.expected_input(&x, 2, ITERATIONS);
        assert!(matches!(lost, Err(Error::NoPreImage { .. })), "{lost:?}");
    }
}

// ---- what is refused ----

#[test]
fn unusable_queries_are_named() {
    let plant = plant();
    for value in [f32::NAN, f32::INFINITY] {
        let error = Error::Query(Fault::NotFinite { input: 1 });
        let x = [20.0, value, 100.0, 0.0];
        assert_eq!(plant.contributions(&x), Err(error));
        assert_eq!(plant.suspect(&x), Err(error));
        assert_eq!(plant.expected(&x, ITERATIONS), Err(error));
        assert_eq!(plant.expected_input(&x, 0, ITERATIONS), Err(error));
    }
}

#[test]
fn a_detector_that_has_learned_nothing_says_so() {
    let empty = Plant::new();
    assert_eq!(empty.contributions(&[0.0; 4]), Err(Error::NotFitted));
    assert_eq!(empty.suspect(&[0.0; 4]), Err(Error::NotFitted));
    assert_eq!(empty.expected(&[0.0; 4], ITERATIONS), Err(Error::NotFitted));
    assert_eq!(empty.expected_input(&[0.0; 4], 0, ITERATIONS), Err(Error::NotFitted));
}

#[test]
fn iterations_and_inputs_are_checked() {
    let plant = plant();
    let x = reading(0.3, -0.4);
    let none = Error::Parameter { name: "iterations", rule: ">= 1" };
    assert_eq!(plant.expected(&x, 0), Err(none));
    assert_eq!(plant.expected_input(&x, 0, 0), Err(none));
    let outside = Error::Parameter { name: "input", rule: "< number of inputs" };
    assert_eq!(plant.expected_input(&x, 4, ITERATIONS), Err(outside));
    let off = [20.0, 5.0, 160.0, 0.0];
    assert_eq!(plant.expected(&off, 1), Err(Error::NoPreImage { iterations: 1 }));
    assert_eq!(plant.expected_input(&off, 2, 1), Err(Error::NoPreImage { iterations: 1 }));
}

#[test]
fn slices_of_another_length_are_named() {
    let samples = [[0.0, 0.5], [1.0, 0.25], [0.5, -1.0]];
    let kernel = Rbf::new(0.5);
    let fitted = fit_exact(&kernel, samples.as_slice(), Components::Fixed(2)).unwrap();
    let mut memos = vec![Default::default(); fitted.expansion().points()];
    let model =
        KernelPcaView::new(&kernel, samples.as_slice(), fitted.expansion(), &mut memos).unwrap();
    let shape = |what, given| Err(Error::Shape { what, expected: 2, given });
    let (x, row, f) = ([0.0; 2], &mut [0.0; 3], &mut [0.0; 2]);
    let (short, long) = (&mut [0.0], &mut [0.0; 3]);
    assert_eq!(model.contributions(&x, row, f, long).map(drop), shape("contributions", 3));
    assert_eq!(
        model.contributions(&x, row, short, &mut [0.0; 2]).map(drop),
        shape("projection", 1)
    );
    assert_eq!(model.expected_input(&x, 0, 9, f, short).map(drop), shape("expected", 1));
}

// ---- the suspect ----

#[test]
fn a_sensor_that_hangs_at_its_mean_is_named() {
    let plant = plant();
    let mean = plant.scaling().mean;
    let (mut found, mut cases) = (0, 0);
    for (s, t) in [(0.9, 0.8), (-0.8, 0.9), (0.8, -0.9), (-0.9, -0.8), (0.9, 0.3), (0.2, -0.9)] {
        let truth = reading(s, t);
        // Those whose value is so near to their mean that nothing is wrong are passed over.
        for input in (0..4).filter(|&i| (truth[i] - mean[i]).abs() > DEVIATION[i]) {
            let mut x = truth;
            x[input] = mean[input];
            cases += 1;
            let suspect = plant.suspect(&x).unwrap();
            found += usize::from(suspect.input == input);
            assert_eq!(plant.contributions(&x).unwrap()[input], 0.0, "a slope from the mean");
        }
    }
    assert!(cases >= 10 && 10 * found >= 9 * cases, "{found} of {cases}");
}

/// An input that never changed is divided by 1, whatever its unit: a change of it is found all the
/// same, and taken back altogether.
#[test]
fn a_constant_input_that_changes_is_named() {
    for change in [0.5, -3.0, 40.0] {
        let mut random = Random(3);
        let samples: [[f64; 3]; 32] = core::array::from_fn(|_| {
            let load = random.between(-1.0, 1.0);
            [load, 20.0, 2.0 * load + random.between(-0.1, 0.1)]
        });
        let scaling: Scaling<[f64; 3]> = Scaling::learn(samples.as_slice());
        let scaled = samples.map(|x| scaling.apply(&x));
        let mut model = KernelPca::<_, _, 16, 8>::new();
        let mut workspace = LandmarkWorkspace::<f64, 32, 16>::new();
        let (rank, share) = (Landmarks::Rank(16), Components::Share(0.99));
        model.fit_landmarks(Rbf::new(0.05), &scaled, rank, share, &mut workspace).unwrap();
        let detector = Detector::from_parts(scaling, model, Threshold::EMPTY).unwrap();
        let suspect = detector.suspect(&[0.5, 20.0 + change, 1.0]).unwrap();
        assert_eq!((suspect.input, suspect.expected), (1, 20.0), "{suspect:?}");
    }
}

/// Deviations are those of the points: inputs that are not scaled, in whatever unit and around
/// whatever value, have the same suspects.
#[test]
fn the_suspect_does_not_depend_on_units() {
    fn unscaled(unit: f64, offset: f64) -> Detector<Rbf<f64>, [f64; 4], 24, 16> {
        let samples: [_; 64] = readings(&mut Random(20));
        let scaling: Scaling<[f32; 4]> = Scaling::learn(samples.as_slice());
        let scaled = samples.map(|x| scaling.apply(&x).map(|v| f64::from(v) * unit + offset));
        let mut model = KernelPca::new();
        let mut workspace = LandmarkWorkspace::<f64, 64, 24>::new();
        let (rank, share) = (Landmarks::Rank(24), Components::Share(0.99));
        let kernel = Rbf::new(0.05 / (unit * unit));
        model.fit_landmarks(kernel, &scaled, rank, share, &mut workspace).unwrap();
        Detector::from_parts(Scaling::identity(), model, Threshold::EMPTY).unwrap()
    }
    let mut random = Random(5);
    let plain = unscaled(1.0, 0.0);
    for (unit, offset) in [(1e4, 0.0), (1e-3, 0.0), (1.0, 50.0), (300.0, -9e3)] {
        let moved = unscaled(unit, offset);
        for round in 0..60 {
            let mut x: [f64; 4] = core::array::from_fn(|_| random.between(-1.5, 1.5));
            x[round % 4] += random.between(-6.0, 6.0);
            let there = x.map(|v| v * unit + offset);
            let (here, there) = (plain.suspect(&x).unwrap(), moved.suspect(&there).unwrap());
            assert_eq!(here.input, there.input, "{x:?}");
            let expected = (there.expected - offset) / unit;
            assert!((expected - here.expected).abs() < 1e-6, "{here:?} {there:?}");
        }
    }
}

/// The rule in other words, on the scores of the view: each input a deviation of the points from
/// their mean (for the inputs are not scaled), then the two best ones in halving steps. Returns
/// the lowest score of each: infinite for those that were not looked at closely.
fn lowest_by_hand<K: BlockKernel<[f64], Scalar = f64>>(
    detector: &DetectorView<'_, K, MatrixView<'_, f64>>,
    x: &[f64; 3],
) -> [f64; 3] {
    let points = detector.model.points();
    let moments = [0, 1, 2].map(|l: usize| {
        let values: Vec<f64> = points.iter_rows().map(|point| point[l]).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let squares = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
        (mean, (squares / values.len() as f64).sqrt())
    });
    let spe = |l: usize, value: f64| {
        let mut tried = *x;
        tried[l] = value;
        let mut projection = vec![0.0; detector.model.expansion().components()];
        detector.model.score(&tried, &mut projection).map_or(f64::INFINITY, |score| score.spe)
    };
    let lower = |l: usize, a: f64, b: f64| if spe(l, b) < spe(l, a) { b } else { a };
    let coarse = [0, 1, 2].map(|l| {
        let (mean, deviation) = moments[l];
        lower(l, mean - deviation, mean + deviation)
    });
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| spe(a, coarse[a]).total_cmp(&spe(b, coarse[b])));
    let mut lowest = [f64::INFINITY; 3];
    for l in [order[0], order[1]] {
        let mut value = coarse[l];
        for step in [1.0, 0.5, 0.25, 0.125, 0.0625].map(|share| share * moments[l].1) {
            value = lower(l, lower(l, value, value - step), value + step);
        }
        lowest[l] = spe(l, value);
    }
    lowest
}

#[test]
fn every_kernel_has_a_suspect() {
    fn holds(kernel: impl BlockKernel<[f64], Scalar = f64>, name: &str) {
        let mut random = Random(20);
        // The third input follows the others.
        let mut samples = Grid::from_fn(24, 3, |_, _| random.between(-1.5, 1.5));
        for row in samples.view_mut().iter_rows_mut() {
            row[2] = row[0] - 0.5 * row[1] + 0.1 * row[2];
        }
        let (rank, components) = (Landmarks::Rank(8), Components::Share(0.98));
        let fitted = fit_landmarks(&kernel, &samples.view(), rank, components, 8).unwrap();
        let points = samples.pick(&fitted.points);
        let points = points.view();
        let mut memos = vec![0.0; fitted.expansion().points()];
        let model = KernelPcaView::new(&kernel, &points, fitted.expansion(), &mut memos).unwrap();
        let (mean, deviation) = (&[0.0; 3], &[1.0; 3]);
        let detector =
            DetectorView { mean, deviation, floor: &[], model, threshold: Threshold::EMPTY };
        let mut projection = vec![0.0; fitted.report.components];
        for round in 0..40 {
            let mut x: [f64; 3] = core::array::from_fn(|_| random.between(-1.0, 1.0));
            x[round % 3] += random.between(-4.0, 4.0);
            let mut instead = [0.0; 3];
            let suspect = detector.suspect(&x, &mut instead, &mut projection).unwrap();
            let spe = detector.model.score(&x, &mut projection).unwrap().spe;
            let lowest = lowest_by_hand(&detector, &x);
            let best = lowest.iter().copied().fold(f64::INFINITY, f64::min);
            if best >= spe {
                // Nothing is better than what was read.
                assert_eq!((suspect.fall, suspect.rest), (0.0, spe), "{name}: {suspect:?}");
                continue;
            }
            let found = lowest[suspect.input];
            assert!(found <= best + 1e-9, "{name} {x:?}: {suspect:?} {lowest:?}");
            assert!((suspect.rest - best).abs() < 1e-9, "{name}: {suspect:?} {lowest:?}");
            assert_eq!(suspect.read, x[suspect.input]);
            let mut corrected = x;
            corrected[suspect.input] = suspect.expected;
            assert_eq!(instead, corrected);
            let rest = detector.model.score(&corrected, &mut projection).unwrap().spe;
            assert_eq!((suspect.rest, suspect.fall), (rest, spe - rest), "{name}");
        }
    }
    holds(Rbf::new(0.3), "rbf");
    holds(Laplacian::new(0.3), "laplacian");
    holds(Linear, "linear");
    holds(Poly { gamma: 0.5, coef0: 1.0, degree: 3 }, "poly");
    holds(Sigmoid::new(0.3, 0.1), "sigmoid");
    holds(Normalised(Linear), "cosine");
    holds(Sum(Linear, Rbf::new(0.1)), "sum");
}

#[test]
fn owner_and_view_have_the_same_suspect() {
    let plant = plant();
    let view = plant.view().unwrap();
    let mut projection = vec![0.0; view.model.expansion().components()];
    let mut random = Random(9);
    for x in readings::<32>(&mut random) {
        let x = x.map(|v| v + random.between(-2.0, 2.0) as f32);
        let mut instead = [0.0; 4];
        let suspect = view.suspect(&x, &mut instead, &mut projection).unwrap();
        assert_eq!(plant.suspect(&x), Ok(suspect));
        assert_eq!(instead[suspect.input], suspect.expected);
    }
    let short = view.suspect(&[0.0; 4], &mut [0.0; 3], &mut projection);
    assert_eq!(short, Err(Error::Shape { what: "instead", expected: 4, given: 3 }));
}

// ---- the formula ----

#[test]
fn contributions_of_the_linear_kernel_have_a_closed_form() {
    // The samples lie in the plane x0 = x1 with mean 0, so SPE = (x0 − x1)²/2.
    let samples = [[1.0, 1.0, 0.5], [-1.0, -1.0, 0.5], [2.0, 2.0, -1.0], [-2.0, -2.0, 0.0]];
    let fitted = fit_exact(&Linear, samples.as_slice(), Components::Fixed(2)).unwrap();
    let mut memos = vec![Default::default(); fitted.expansion().points()];
    let model =
        KernelPcaView::new(&Linear, samples.as_slice(), fitted.expansion(), &mut memos).unwrap();
    let mut row = vec![0.0; model.expansion().points()];
    let (mut projection, mut contributions) = ([0.0; 2], [0.0; 3]);
    for [a, b, c] in [[1.0, 3.0, 2.0], [-4.0, 0.5, 0.0], [2.0, 2.0, 7.0]] {
        let score =
            model.contributions(&[a, b, c], &mut row, &mut projection, &mut contributions).unwrap();
        for (got, expected) in contributions.iter().zip([a * (a - b), b * (b - a), 0.0]) {
            assert!((got - expected).abs() < 1e-12, "{contributions:?} at {:?}", [a, b, c]);
        }
        // SPE is homogeneous of degree 2: Euler's theorem.
        let total: f64 = contributions.iter().sum();
        assert!((total - 2.0 * score.spe).abs() < 1e-12, "{contributions:?} of {score:?}");
    }
}

/// `x_l (SPE(x + h e_l) − SPE(x − h e_l))/2h`.
fn agrees_with_differences<K: Gradient<f64>>(
    kernel: &K,
    points: &MatrixView<'_, f64>,
    fitted: &Fitted<f64>,
) {
    let mut memos = vec![Default::default(); fitted.expansion().points()];
    let model = KernelPcaView::new(kernel, points, fitted.expansion(), &mut memos).unwrap();
    let mut row = vec![0.0; model.expansion().points()];
    let mut projection = vec![0.0; fitted.report.components];
    let mut contributions = [0.0; 3];
    for x in [[0.4, -0.9, 1.3], [2.0, -3.0, 1.0]] {
        let score = model.contributions(&x, &mut row, &mut projection, &mut contributions).unwrap();
        assert_eq!(score, model.score(&x, &mut projection).unwrap());
        for l in 0..3 {
            let mut spe = |step: f64| {
                let mut moved = x;
                moved[l] += step;
                model.score(&moved, &mut projection).unwrap().spe
            };
            let expected = x[l] * (spe(1e-5) - spe(-1e-5)) / 2e-5;
            let error = (contributions[l] - expected).abs();
            assert!(error < 1e-6 * expected.abs().max(1.0), "{contributions:?}, not {expected}");
        }
    }
}

#[test]
fn contributions_are_the_gradient_of_spe_times_the_input() {
    fn agrees(kernel: impl Gradient<f64>) {
        let mut random = Random(20);
        let samples = Grid::from_fn(12, 3, |_, _| random.between(-1.5, 1.5));
        let exact = fit_exact(&kernel, &samples.view(), Components::Fixed(3)).unwrap();
        agrees_with_differences(&kernel, &samples.view(), &exact);
        let (rank, components) = (Landmarks::Rank(6), Components::Fixed(2));
        let few = fit_landmarks(&kernel, &samples.view(), rank, components, 6).unwrap();
        agrees_with_differences(&kernel, &samples.pick(&few.points).view(), &few);
    }
    agrees(Rbf::new(0.3));
    agrees(Laplacian::new(0.3));
    agrees(Poly { gamma: 0.5, coef0: 1.0, degree: 2 });
    agrees(Sum(Linear, Normalised(Poly { gamma: 0.5, coef0: 1.0, degree: 3 })));
}

// ---- real data ----

/// Data that are not part of the repository, as seen from `tests/data`.
const ADBENCH: &str = "../../../shared/data/adbench";

const SETS: [&str; 6] = ["Ionosphere", "vowels", "Pima", "thyroid", "WDBC", "breastw"];

/// Rows with their labels cut off, and which of them are normal.
fn real_set(name: &str) -> (Grid<f64>, Vec<bool>) {
    let table = Table::read(&format!("{ADBENCH}/{name}.csv"));
    let all = table.numbers();
    let normal = table.column("label").iter().map(|&label| label == 0.0).collect();
    (Grid::from_fn(all.rows, all.columns - 1, |i, j| all.at(i, j)), normal)
}

/// Scales all rows by what the training rows say.
fn standardised(rows: &Grid<f64>, training: &[usize]) -> Grid<f64> {
    let (mut mean, mut deviation) = (vec![0.0; rows.columns], vec![0.0; rows.columns]);
    scaling::learn(&rows.pick(training).view(), &mut mean, &mut deviation);
    let mut scaled = rows.clone();
    for row in scaled.view_mut().iter_rows_mut() {
        scaling::apply(row, &mean, &deviation);
    }
    scaled
}

/// What became of the disturbed rows of one data set.
#[derive(Default)]
struct Outcome {
    rows: usize,
    /// How often the right input had the largest contribution.
    found: usize,
    /// How often it had the largest value.
    largest: usize,
    /// Iterations of the expected readings, and of the expected inputs for the suspect, that
    /// converged.
    reading_iterations: Vec<f64>,
    input_iterations: Vec<f64>,
    /// Errors at the disturbed input, in standard deviations: of these two, and of answering with
    /// the mean.
    reading: Vec<f64>,
    input: Vec<f64>,
    mean: Vec<f64>,
}

/// The value that a share of all values does not exceed.
fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * share) as usize]
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole as f64
}

impl Outcome {
    /// Adds 5 or 8 standard deviations, or subtracts them, at one random input of each row.
    fn disturb<T: Real, M: Math<T>>(
        &mut self,
        model: &KernelPcaView<'_, Rbf<T, M>, MatrixView<'_, T>>,
        rows: &Grid<f64>,
        random: &mut Random,
    ) {
        let mut kernel_row = vec![T::ZERO; model.expansion().points()];
        let mut projection = vec![T::ZERO; model.expansion().components()];
        let mut contributions = vec![T::ZERO; rows.columns];
        let (mut scratch, mut expected) = (contributions.clone(), contributions.clone());
        for row in rows.iter_rows() {
            let input = random.below(rows.columns);
            let off = [-8.0, -5.0, 5.0, 8.0][random.below(4)];
            let mut x: Vec<T> = row.iter().map(|&v| T::from_f64(v)).collect();
            x[input] = T::from_f64(row[input] + off);

            let places = (&mut kernel_row, &mut projection, &mut contributions);
            model.contributions(&x, places.0, places.1, places.2).unwrap();
            let found = largest(&contributions);
            self.rows += 1;
            self.found += usize::from(found == input);
            self.largest += usize::from(largest(&x) == input);

            let error = |value: T| (value.to_f64() - row[input]).abs();
            let [f, s, e] = [&mut projection, &mut scratch, &mut expected];
            if let Ok(iterations) = model.denoise(&x, ITERATIONS, f, s, e) {
                self.reading_iterations.push(iterations as f64);
                self.reading.push(error(e[input]));
            }
            if let Ok(iterations) = model.expected_input(&x, found, ITERATIONS, f, e) {
                self.input_iterations.push(iterations as f64);
                self.input.push(error(e[input]));
            }
            self.mean.push(row[input].abs());
        }
    }

    fn print(&mut self, name: &str) {
        println!(
            "{name:10} {:4} {:6.1} {:7.1} | {:7.1} {:4} {:6.2} | {:6.1} {:4} {:6.2} | {:5.2}",
            self.rows,
            percent(self.found, self.rows),
            percent(self.largest, self.rows),
            percent(self.reading.len(), self.rows),
            quantile(&mut self.reading_iterations, 0.9),
            quantile(&mut self.reading, 0.5),
            percent(self.input.len(), self.rows),
            quantile(&mut self.input_iterations, 0.9),
            quantile(&mut self.input, 0.5),
            quantile(&mut self.mean, 0.5),
        );
    }
}

/// Recipe `8m` of the data's README with 48 landmarks, and at most 80 normal test rows of each
/// split.
fn localise<T: Real>(name: &str) -> Outcome
where
    Fast: Math<T>,
{
    let (rows, normal) = real_set(name);
    let splits = Table::read(&format!("{ADBENCH}/splits.csv"));
    let reference = Table::read(&format!("{ADBENCH}/reference_kpca.csv"));
    let (mut outcome, mut random) = (Outcome::default(), Random(20));
    for split in (0..splits.rows()).filter(|&row| splits.text(row, "data") == name) {
        let training: Vec<usize> =
            splits.text(split, "train_rows").split(' ').map(|row| row.parse().unwrap()).collect();
        let is_recipe = |row: &usize| {
            let text = |column| reference.text(*row, column);
            text("data") == name
                && text("split") == splits.text(split, "split")
                && text("recipe") == "8m"
        };
        let recipe = (0..reference.rows()).find(is_recipe).unwrap();
        let kernel = Rbf::new(T::from_f64(number(reference.text(recipe, "gamma"))));

        let scaled = standardised(&rows, &training);
        let samples: Grid<T> = scaled.pick(&training).cast();
        let (rank, share) = (Landmarks::Rank(48), Components::Share(T::from_f64(0.99)));
        let fitted = fit_landmarks(&kernel, &samples.view(), rank, share, 48).unwrap();
        let points = samples.pick(&fitted.points);
        let points = points.view();
        let mut memos = vec![Default::default(); fitted.expansion().points()];
        let model = KernelPcaView::new(&kernel, &points, fitted.expansion(), &mut memos).unwrap();

        let test = (0..rows.rows).filter(|row| normal[*row] && !training.contains(row));
        let test: Vec<usize> = test.take(80).collect();
        outcome.disturb(&model, &scaled.pick(&test), &mut random);
    }
    outcome
}

#[test]
fn a_disturbed_input_is_found_in_real_data() {
    let folder = format!("{}/tests/data/{ADBENCH}", env!("CARGO_MANIFEST_DIR"));
    if !std::path::Path::new(&folder).is_dir() {
        let why = "skipped: there is no ../shared/data/adbench beside the repository";
        // Not `println!`, which the test runner swallows.
        let _ = writeln!(std::io::stderr(), "{why}");
        return;
    }
    println!("5 or 8 deviations added to one input or subtracted from it:");
    println!("- % of rows in which the contribution, or the value itself, names that input");
    println!("- expected reading, expected input: % converged, 90 % quantile of their iterations,");
    println!("  median error at that input in deviations; that of answering with the mean");
    println!("           rows  found largest | reading iter  error |  input iter  error |  mean");
    let mut outcomes = SETS.map(localise::<f32>);
    for (name, outcome) in SETS.iter().zip(&mut outcomes) {
        outcome.print(name);
    }
    let mean = |count: &dyn Fn(&Outcome) -> usize| {
        outcomes.iter().map(|o| percent(count(o), o.rows)).sum::<f64>() / outcomes.len() as f64
    };
    let (found, largest) = (mean(&|o| o.found), mean(&|o| o.largest));
    println!("mean            {found:6.1} {largest:7.1}");
    assert!(found >= 95.0, "{found} % found");
    for (name, outcome) in SETS.iter().zip(&mut outcomes) {
        assert!(percent(outcome.reading.len(), outcome.rows) >= 99.0, "{name}");
        assert!(percent(outcome.input.len(), outcome.rows) >= 99.0, "{name}");
        let (input, mean) = (quantile(&mut outcome.input, 0.5), quantile(&mut outcome.mean, 0.5));
        assert!(input < mean, "{name}: the mean is nearer");
    }
}
