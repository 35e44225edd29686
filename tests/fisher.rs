//! The kernel Fisher discriminant: against plain formulas, on rings and on banana, on bad input.

mod common;

use std::f64::consts::TAU;

use common::{Grid, Random, config, gram};
use mercer::Error;
use mercer::error::Fault;
use mercer::kernel::{BlockKernel, Linear, Rbf};
use mercer::math::Real;
use mercer::methods::fisher::{self, FisherReport, FisherScratch};
use mercer::methods::{FisherWorkspace, KernelFisher};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

fn fit<T: Real, K: BlockKernel<[T], Scalar = T>>(
    kernel: &K,
    samples: &Grid<T>,
    labels: &[T],
    mu: T,
) -> Result<(FisherReport<T>, Vec<T>), Error> {
    let n = samples.rows;
    let mut matrix = Grid::zeros(n, n);
    let [mut positive, mut negative, mut weights] = [(); 3].map(|()| vec![T::ZERO; n]);
    let mut scratch = FisherScratch {
        matrix: matrix.view_mut(),
        positive: &mut positive,
        negative: &mut negative,
        weights: &mut weights,
    };
    let report = fisher::fit(kernel, &samples.view(), labels, mu, &mut scratch)?;
    Ok((report, weights))
}

/// By elimination with the largest pivot.
fn solve(matrix: &Grid<f64>, right: &[f64]) -> Vec<f64> {
    let n = right.len();
    let mut rows: Vec<Vec<f64>> =
        (0..n).map(|i| matrix.row(i).iter().copied().chain([right[i]]).collect()).collect();
    for pivot in 0..n {
        let largest = (pivot..n)
            .max_by(|&a, &b| rows[a][pivot].abs().total_cmp(&rows[b][pivot].abs()))
            .unwrap();
        rows.swap(pivot, largest);
        let (head, tail) = rows.split_at_mut(pivot + 1);
        let top = &head[pivot];
        for row in tail {
            let factor = row[pivot] / top[pivot];
            row.iter_mut().zip(top).for_each(|(entry, above)| *entry -= factor * above);
        }
    }
    let mut solution = vec![0.0; n];
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| rows[i][j] * solution[j]).sum();
        solution[i] = (rows[i][n] - known) / rows[i][i];
    }
    solution
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

/// Scatter and difference of the class means, by the formulas of the paper: `Σ_c K_c (I − 1/n_c)
/// K_cᵀ`.
struct Plain {
    scatter: Grid<f64>,
    difference: Vec<f64>,
    /// `M₊ + M₋`.
    sum: Vec<f64>,
}

impl Plain {
    fn new(gram: &Grid<f64>, labels: &[f64]) -> Self {
        let n = labels.len();
        let mut scatter = Grid::zeros(n, n);
        let mut means = Vec::new();
        for class in [1.0, -1.0] {
            let members: Vec<usize> = (0..n).filter(|&i| labels[i] == class).collect();
            let (count, size) = (members.len(), members.len() as f64);
            let part = Grid::from_fn(n, count, |i, k| gram.at(i, members[k]));
            let centring =
                Grid::from_fn(count, count, |a, b| f64::from(u8::from(a == b)) - 1.0 / size);
            let product = part.times(&centring).times(&part.transposed());
            scatter = Grid::from_fn(n, n, |i, j| scatter.at(i, j) + product.at(i, j));
            means.push((0..n).map(|i| part.row(i).iter().sum::<f64>() / size).collect::<Vec<_>>());
        }
        let combine =
            |sign: f64| means[0].iter().zip(&means[1]).map(|(p, m)| p + sign * m).collect();
        Self { scatter, difference: combine(-1.0), sum: combine(1.0) }
    }

    fn regularised(&self, mu: f64) -> Grid<f64> {
        let n = self.difference.len();
        Grid::from_fn(n, n, |i, j| self.scatter.at(i, j) + if i == j { mu } else { 0.0 })
    }
}

/// 6 to 20 samples of 2 inputs, both classes among them.
fn problem() -> impl Strategy<Value = (Grid<f64>, Vec<f64>)> {
    (6..=20_usize).prop_flat_map(|rows| {
        let data = vec(-2.0..2.0, rows * 2).prop_map(move |data| Grid { rows, columns: 2, data });
        let labels = vec(any::<bool>(), rows).prop_map(|signs| {
            let mut labels: Vec<f64> = signs.iter().map(|&s| if s { 1.0 } else { -1.0 }).collect();
            (labels[0], labels[1]) = (1.0, -1.0);
            labels
        });
        (data, labels)
    })
}

fn near(got: &[f64], expected: &[f64], tolerance: f64) -> TestCaseResult {
    prop_assert_eq!(got.len(), expected.len());
    let largest = expected.iter().fold(1.0, |largest: f64, v| largest.max(v.abs()));
    for (i, (g, e)) in got.iter().zip(expected).enumerate() {
        prop_assert!((g - e).abs() <= tolerance * largest, "entry {i}: {g} is not {e}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(128))]

    #[test]
    fn weights_agree_with_plain_formulas((x, y) in problem(), gamma in 0.1..2.0, exponent in -3.0..1.0) {
        let (kernel, mu) = (Rbf::new(gamma), 10_f64.powf(exponent));
        let (report, weights) = fit(&kernel, &x, &y, mu).unwrap();
        let plain = Plain::new(&gram(&kernel, &x.view()).unwrap(), &y);
        let a = solve(&plain.regularised(mu), &plain.difference);
        let scale = dot(&a, &plain.difference) / 2.0;
        let expected: Vec<f64> = a.iter().map(|a| a / scale).collect();
        // Solutions are off by rounding times the condition, which is below n²/μ.
        near(&weights, &expected, 1e-10)?;
        near(&[report.offset], &[dot(&a, &plain.sum) / 2.0 / scale], 1e-10)?;
    }

    /// Projected class means are ±1, the rest of the report follows from the projections.
    #[test]
    fn reports_say_what_projections_show((x, y) in problem(), gamma in 0.1..2.0) {
        let kernel = Rbf::new(gamma);
        let (report, weights) = fit(&kernel, &x, &y, 0.1).unwrap();
        let f: Vec<f64> = x.iter_rows().map(|row| {
            fisher::project(&kernel, &x.view(), &weights, report.offset, row).unwrap()
        }).collect();
        let class = |sign: f64| f.iter().zip(&y).filter(|&(_, &y)| y == sign).map(|(&f, _)| f).collect::<Vec<_>>();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let (plus, minus) = (class(1.0), class(-1.0));
        near(&[mean(&plus), mean(&minus)], &[1.0, -1.0], 1e-10)?;
        prop_assert_eq!((report.positive, report.negative), (plus.len(), minus.len()));
        let squares: Vec<f64> = f.iter().zip(&y).map(|(f, y)| (f - y).powi(2)).collect();
        near(&[report.deviation], &[mean(&squares).sqrt()], 1e-9)?;
        let errors = f.iter().zip(&y).filter(|&(f, y)| f * y < 0.0).count();
        prop_assert_eq!(report.errors, errors);
    }

    /// Fisher's criterion `(aᵀd)²/(aᵀ(N + μI)a)` is largest at the weights.
    #[test]
    fn no_other_direction_is_better((x, y) in problem(), other in vec(-1.0..1.0, 20), step in 0.001..1.0) {
        let (kernel, mu) = (Rbf::new(0.7), 0.05);
        let (_, weights) = fit(&kernel, &x, &y, mu).unwrap();
        let plain = Plain::new(&gram(&kernel, &x.view()).unwrap(), &y);
        let matrix = plain.regularised(mu);
        let criterion = |a: &[f64]| {
            let product: Vec<f64> = matrix.iter_rows().map(|row| dot(row, a)).collect();
            dot(a, &plain.difference).powi(2) / dot(a, &product)
        };
        let turned: Vec<f64> = weights.iter().zip(&other).map(|(a, o)| a + step * o).collect();
        prop_assert!(criterion(&turned) <= criterion(&weights) * (1.0 + 1e-12));
    }

    /// With the linear kernel `w = Σ a_i x_i` solves `(G S + μI) w = G (m₊ − m₋)`, `G = Σ x xᵀ`,
    /// `S` the scatter of the inputs: Fisher's own discriminant for small `μ`.
    #[test]
    fn the_linear_kernel_gives_the_ordinary_discriminant((x, y) in problem(), exponent in -2.0..1.0) {
        let mu = 10_f64.powf(exponent);
        let (_, weights) = fit(&Linear, &x, &y, mu).unwrap();
        let mean = |class: f64| {
            let members: Vec<&[f64]> = x.iter_rows().zip(&y).filter(|&(_, &y)| y == class).map(|(row, _)| row).collect();
            [0, 1].map(|j| members.iter().map(|row| row[j]).sum::<f64>() / members.len() as f64)
        };
        let (plus, minus) = (mean(1.0), mean(-1.0));
        let centre = |i: usize| if y[i] == 1.0 { plus } else { minus };
        let inner = Grid::from_fn(2, 2, |a, b| (0..x.rows).map(|i| x.at(i, a) * x.at(i, b)).sum());
        let scatter = Grid::from_fn(2, 2, |a, b| {
            (0..x.rows).map(|i| (x.at(i, a) - centre(i)[a]) * (x.at(i, b) - centre(i)[b])).sum()
        });
        let product = inner.times(&scatter);
        let system = Grid::from_fn(2, 2, |a, b| product.at(a, b) + if a == b { mu } else { 0.0 });
        let difference = [plus[0] - minus[0], plus[1] - minus[1]];
        let right: Vec<f64> = inner.iter_rows().map(|row| dot(row, &difference)).collect();
        let w = solve(&system, &right);
        let scale = dot(&w, &difference) / 2.0;
        let expected: Vec<f64> = w.iter().map(|w| w / scale).collect();
        let got: Vec<f64> = (0..2).map(|j| dot(&weights, &x.column(j))).collect();
        near(&got, &expected, 1e-9)?;
    }

    #[test]
    fn exchanged_classes_change_the_sign_only((x, y) in problem()) {
        let kernel = Rbf::new(0.5);
        let (report, weights) = fit(&kernel, &x, &y, 0.1).unwrap();
        let opposite: Vec<f64> = y.iter().map(|y| -y).collect();
        let (other, negated) = fit(&kernel, &x, &opposite, 0.1).unwrap();
        let back: Vec<f64> = negated.iter().map(|w| -w).collect();
        near(&weights, &back, 1e-12)?;
        near(&[report.offset, report.deviation], &[-other.offset, other.deviation], 1e-12)?;
        prop_assert_eq!(report.errors, other.errors);
    }
}

// ---- data ----

/// Points of two rings of radius 0.3 and 1, off by up to a tenth, with their labels.
fn rings(n: usize, seed: u64) -> (Grid<f32>, Vec<f32>) {
    let mut random = Random(seed);
    let mut uniform = || random.uniform() as f32;
    let mut labels = Vec::new();
    let mut points = Vec::new();
    for i in 0..n {
        let (radius, label) = if i.is_multiple_of(2) { (1.0, -1.0) } else { (0.3, 1.0) };
        let angle = TAU as f32 * uniform();
        labels.push(label);
        points.push([angle.cos(), angle.sin()].map(|v| radius * v + 0.2 * uniform() - 0.1));
    }
    (Grid::from_rows(&points), labels)
}

fn count_errors<K: BlockKernel<[f32], Scalar = f32>>(
    kernel: &K,
    (x, y): &(Grid<f32>, Vec<f32>),
    (fresh, labels): &(Grid<f32>, Vec<f32>),
    mu: f32,
) -> (usize, usize) {
    let (report, weights) = fit(kernel, x, y, mu).unwrap();
    let wrong = fresh.iter_rows().zip(labels).filter(|&(row, &label)| {
        let f = fisher::project(kernel, &x.view(), &weights, report.offset, row).unwrap();
        f * label <= 0.0
    });
    (report.errors, wrong.count())
}

#[test]
fn rings_are_told_apart_by_a_gaussian_kernel_and_not_by_a_line() {
    println!("two rings, 80 samples and 80 fresh points, 10 draws: errors");
    for seed in 0..10 {
        let (training, fresh) = (rings(80, seed), rings(80, seed + 100));
        let gaussian = count_errors(&Rbf::new(2.0), &training, &fresh, 0.1);
        let linear = count_errors(&Linear, &training, &fresh, 0.1);
        println!("  Gaussian {gaussian:?}, linear {linear:?}");
        assert_eq!(gaussian, (0, 0));
        assert!(linear.0 > 20 && linear.1 > 20);
    }
}

#[test]
fn banana_is_classified_about_as_well_as_can_be() {
    let text = include_str!("../examples/data/banana/banana.csv");
    let numbers = |line: &str| line.split(',').map(|cell| cell.parse().unwrap()).collect();
    let rows: Vec<Vec<f32>> = text.lines().skip(1).map(numbers).collect();
    let part = |first: usize| {
        let x = Grid::from_fn(100, 2, |i, j| rows[first + i][j]);
        (x, (0..100).map(|i| rows[first + i][2]).collect::<Vec<_>>())
    };
    let (mut gaussian, mut linear) = (0, 0);
    for (training, test) in [(0, 100), (100, 0)] {
        gaussian += count_errors(&Rbf::new(1.0), &part(training), &part(test), 0.1).1;
        linear += count_errors(&Linear, &part(training), &part(test), 0.1).1;
    }
    println!(
        "banana, 100 samples each time, errors on 200 other points: Gaussian {gaussian}, linear {linear}"
    );
    assert!(gaussian <= 30, "good classifiers err on a tenth: {gaussian} of 200");
    assert!(linear >= 60, "a line is little better than chance: {linear} of 200");
}

// ---- bad input ----

const SAMPLES: [[f32; 2]; 5] = [[0.0, 0.1], [0.7, 0.0], [0.2, 1.1], [1.3, 0.9], [0.4, 0.5]];
const LABELS: [f32; 5] = [1.0, -1.0, 1.0, -1.0, 1.0];

#[track_caller]
fn refused(samples: &[[f32; 2]], labels: &[f32], mu: f32, error: Error, text: &str) {
    assert_eq!(
        fit(&Rbf::new(0.5), &Grid::from_rows(samples), labels, mu).map(|got| got.0),
        Err(error)
    );
    assert_eq!(error.to_string(), text);
}

#[test]
fn labels_that_cannot_be_used_are_named() {
    for value in [f32::NAN, 0.0, 2.0, f32::INFINITY] {
        let error = Error::Label { index: 2, output: 0, rule: "+1 or -1" };
        let text = "sample 2: label 0 must be +1 or -1";
        refused(&SAMPLES, &[1.0, -1.0, value, 1.0, -1.0], 0.1, error, text);
    }
    let error = Error::Shape { what: "labels", expected: 5, given: 4 };
    refused(&SAMPLES, &LABELS[..4], 0.1, error, "size mismatch in labels: 4 given, 5 expected");
    for class in [1.0, -1.0] {
        let error = Error::Parameter { name: "labels", rule: "a mix of both classes" };
        refused(
            &SAMPLES,
            &[class; 5],
            0.1,
            error,
            "parameter `labels` must be a mix of both classes",
        );
    }
    let alike = [SAMPLES[0], SAMPLES[1], SAMPLES[0], SAMPLES[1]];
    let error = Error::Parameter { name: "labels", rule: "of classes whose means differ" };
    let text = "parameter `labels` must be of classes whose means differ";
    refused(&alike, &[1.0, 1.0, -1.0, -1.0], 0.1, error, text);
}

#[test]
fn samples_and_parameters_that_cannot_be_used_are_named() {
    for mu in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let error = Error::Parameter { name: "mu", rule: "finite and > 0" };
        refused(&SAMPLES, &LABELS, mu, error, "parameter `mu` must be finite and > 0");
    }
    let mut bad = SAMPLES;
    bad[3][1] = f32::NAN;
    let error = Error::Sample { index: 3, fault: Fault::NotFinite { input: 1 } };
    refused(&bad, &LABELS, 0.1, error, "sample 3: input 1 is not finite");
    let error = Error::TooFewSamples { given: 1, needed: 2 };
    let text = "too few samples: 1 given, at least 2 needed";
    refused(&SAMPLES[..1], &LABELS[..1], 0.1, error, text);
    // Rank 3 at the most: the rest is rounding, and so is mu.
    let got = fit(&Rbf::new(0.5), &Grid::from_rows(&SAMPLES), &LABELS, 1e-20).map(|got| got.0);
    assert!(matches!(got, Err(Error::NotPositiveDefinite { .. })), "{got:?}");
}

/// One that lives in flash.
static FLASH: KernelFisher<Rbf<f32>, [f32; 2], 2> =
    KernelFisher::from_parts(Rbf::new(0.5), [[0.0, 0.0], [2.0, 0.0]], [1.0, -1.0], 0.25);

#[test]
fn parts_make_the_same_discriminant() {
    // 1 − exp(−0.5·2²) − 0.25.
    assert!((FLASH.project(&[0.0, 0.0]).unwrap() - (0.75 - (-2.0_f32).exp())).abs() < 1e-6);
    let mut fisher = KernelFisher::<Rbf<f32>, [f32; 2], 5>::new();
    let workspace = &mut FisherWorkspace::new();
    let report = fisher.fit(Rbf::new(0.5), &SAMPLES, &LABELS, 0.1, workspace).unwrap();
    let weights = fisher.weights().try_into().unwrap();
    let parts = KernelFisher::<_, _, 5>::from_parts(Rbf::new(0.5), SAMPLES, weights, report.offset);
    for x in SAMPLES {
        assert_eq!(parts.project(&x), fisher.project(&x));
    }
}

#[test]
fn the_owner_names_what_is_missing_and_keeps_what_it_had() {
    let mut fisher = KernelFisher::<Rbf<f32>, [f32; 2], 5>::new();
    assert_eq!(fisher.project(&[0.0, 0.0]), Err(Error::NotFitted));
    assert_eq!(fisher.classify(&[0.0, 0.0]), Err(Error::NotFitted));
    let mut workspace = FisherWorkspace::new();
    let (kernel, x) = (Rbf::new(0.5), [0.3, 0.3]);
    fisher.fit(kernel, &SAMPLES, &LABELS, 0.1, &mut workspace).unwrap();
    let before = fisher.project(&x).unwrap();
    let full = Error::Capacity { what: "samples in the workspace", needed: 6, capacity: 5 };
    assert_eq!(fisher.fit(kernel, &[x; 6], &[1.0; 6], 0.1, &mut workspace), Err(full));
    assert!(fisher.fit(kernel, &SAMPLES, &[1.0; 5], 0.1, &mut workspace).is_err());
    assert!(fisher.fit(kernel, &SAMPLES, &LABELS, 1e-20, &mut workspace).is_err());
    assert_eq!(fisher.project(&x), Ok(before));
    let nan = Fault::NotFinite { input: 0 };
    assert_eq!(fisher.project(&[f32::NAN, 0.0]), Err(Error::Query(nan)));
    let long = Fault::Length { expected: 2, given: 3 };
    assert_eq!(fisher.classify(&[0.0; 3]), Err(Error::Query(long)));
    // A fit to fewer samples after a fit to more.
    fisher.fit(kernel, &SAMPLES[..3], &LABELS[..3], 0.1, &mut workspace).unwrap();
    assert_eq!(fisher.weights().len(), 3);
    let mut other = KernelFisher::<Rbf<f32>, [f32; 2], 5>::new();
    other.fit(kernel, &SAMPLES[..3], &LABELS[..3], 0.1, &mut FisherWorkspace::new()).unwrap();
    assert_eq!(fisher.project(&x), other.project(&x));
    assert_eq!(fisher.classify(&SAMPLES[1]), Ok(-1.0));
}
