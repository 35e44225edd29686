//! Kernel k-means: against ordinary k-means and plain sums, on rings, on bad input.

mod common;

use std::f64::consts::TAU;

use common::{Grid, Random, config, gram};
use mercer::error::Fault;
use mercer::kernel::{BlockKernel, Laplacian, Linear, Poly, Precomputed, Rbf, Samples};
use mercer::math::{Libm, Real};
use mercer::methods::kmeans::{self, Cluster, KMeansFit, KMeansScratch, Outcome};
use mercer::methods::{KMeansOptions, KMeansReport, KMeansWorkspace, KernelKMeans};
use mercer::{Error, Kernel};
use proptest::collection::vec;
use proptest::prelude::*;

/// Memory for a fit whose sizes are run-time values.
struct Memory<T> {
    sums: Grid<T>,
    labels: Vec<u32>,
    best: Vec<u32>,
    norms: Vec<T>,
    distances: Vec<T>,
    clusters: Vec<Cluster<T>>,
}

impl<T: Real> Memory<T> {
    fn new(samples: usize, clusters: usize) -> Self {
        Self {
            sums: Grid::zeros(samples, clusters),
            labels: vec![0; samples],
            best: vec![0; samples],
            norms: vec![T::ZERO; samples],
            distances: vec![T::ZERO; samples],
            clusters: vec![Cluster::default(); clusters],
        }
    }

    fn scratch(&mut self) -> KMeansScratch<'_, T> {
        KMeansScratch {
            sums: self.sums.view_mut(),
            labels: &mut self.labels,
            best: &mut self.best,
            norms: &mut self.norms,
            distances: &mut self.distances,
            clusters: &mut self.clusters,
        }
    }
}

/// A fit, pass by pass.
struct Fitted<T> {
    report: KMeansReport<T>,
    memory: Memory<T>,
    /// From each start: before the first pass and after each.
    objectives: Vec<Vec<T>>,
}

fn fit<T: Real, K, S>(kernel: &K, samples: &S, options: KMeansOptions) -> Result<Fitted<T>, Error>
where
    S: Samples + ?Sized,
    K: BlockKernel<S::View, Scalar = T>,
{
    let mut memory = Memory::new(samples.count(), options.clusters);
    let mut scratch = memory.scratch();
    let mut fit = KMeansFit::start(kernel, samples, options, &mut scratch)?;
    let mut objectives = vec![vec![fit.objective()]];
    loop {
        let start = fit.present_start();
        let report = fit.step(kernel, samples, &mut scratch)?;
        if fit.present_start() > start {
            objectives.push(Vec::new());
        } else if report.is_none() {
            objectives[start].push(fit.objective());
        }
        if let Some(report) = report {
            assert_eq!(fit.objective(), report.objective, "labels are not those of the report");
            return Ok(Fitted { report, memory, objectives });
        }
    }
}

/// One start, passes over all samples only.
fn lloyd(clusters: usize) -> KMeansOptions {
    KMeansOptions::new(clusters).starts(1).single_moves(false)
}

fn squared_distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// The mean of some rows.
fn centre(x: &Grid<f64>, labels: &[u32], cluster: u32) -> Vec<f64> {
    let rows: Vec<&[f64]> = x
        .iter_rows()
        .zip(labels)
        .filter(|&(_, &label)| label == cluster)
        .map(|(row, _)| row)
        .collect();
    (0..x.columns).map(|j| rows.iter().map(|row| row[j]).sum::<f64>() / rows.len() as f64).collect()
}

/// The objective from all pairs: `Σ_c (1/2|c|) Σ_{i,j∈c} ‖φ(x_i) − φ(x_j)‖²`.
fn pairwise_objective(gram: &Grid<f64>, labels: &[u32], clusters: usize) -> f64 {
    let within = |cluster: u32| {
        let members: Vec<usize> = (0..labels.len()).filter(|&i| labels[i] == cluster).collect();
        let distance = |i: usize, j: usize| gram.at(i, i) + gram.at(j, j) - 2.0 * gram.at(i, j);
        let pairs = members.iter().flat_map(|&i| members.iter().map(move |&j| distance(i, j)));
        pairs.sum::<f64>() / (2.0 * members.len() as f64)
    };
    (0..clusters as u32).map(within).sum()
}

/// Position of the first least value.
fn first_least(values: impl Iterator<Item = f64>) -> usize {
    let values: Vec<f64> = values.collect();
    (0..values.len()).fold(0, |best, i| if values[i] < values[best] { i } else { best })
}

/// Ordinary k-means on coordinates, with the same seeds and ties.
fn ordinary_k_means(x: &Grid<f64>, clusters: usize) -> Vec<u32> {
    let mean = centre(x, &vec![0; x.rows], 0);
    let mut seeds = vec![first_least(x.iter_rows().map(|row| squared_distance(row, &mean)))];
    let nearest_seed = |seeds: &[usize], row: &[f64]| {
        first_least(seeds.iter().map(|&seed| squared_distance(row, x.row(seed))))
    };
    while seeds.len() < clusters {
        let to_seed = |row: &[f64]| squared_distance(row, x.row(seeds[nearest_seed(&seeds, row)]));
        seeds.push(first_least(x.iter_rows().map(|row| -to_seed(row))));
    }
    let mut labels: Vec<u32> = x.iter_rows().map(|row| nearest_seed(&seeds, row) as u32).collect();
    for _ in 0..100 {
        let centres: Vec<Vec<f64>> = (0..clusters as u32).map(|c| centre(x, &labels, c)).collect();
        let nearest = |row: &[f64]| first_least(centres.iter().map(|c| squared_distance(row, c)));
        let next: Vec<u32> = x.iter_rows().map(|row| nearest(row) as u32).collect();
        if next == labels {
            break;
        }
        labels = next;
    }
    labels
}

/// 8 to 30 samples of 2 inputs.
fn samples() -> impl Strategy<Value = Grid<f64>> {
    (8..=30_usize).prop_flat_map(|rows| {
        vec(-2.0..2.0, rows * 2).prop_map(move |data| Grid { rows, columns: 2, data })
    })
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn the_linear_kernel_gives_ordinary_k_means(x in samples(), clusters in 1..=4_usize) {
        let got = fit(&Linear, &x.view(), lloyd(clusters)).unwrap();
        let expected = ordinary_k_means(&x, clusters);
        // Ordinary k-means without care for empty clusters has no answer when one is.
        prop_assume!((0..clusters as u32).all(|c| expected.contains(&c)));
        prop_assert_eq!(&got.memory.labels, &expected);
        let distance = |(row, &label): (&[f64], &u32)| squared_distance(row, &centre(&x, &expected, label));
        let objective: f64 = x.iter_rows().zip(&expected).map(distance).sum();
        prop_assert!((got.report.objective - objective).abs() < 1e-11);
    }

    #[test]
    fn no_pass_raises_the_objective(x in samples(), clusters in 1..=5_usize, gamma in 0.05..8.0, single_moves: bool) {
        let options = KMeansOptions::new(clusters).single_moves(single_moves);
        for (got, gram) in [
            (fit(&Rbf::new(gamma), &x.view(), options).unwrap(), gram(&Rbf::new(gamma), &x.view()).unwrap()),
            (fit(&Laplacian::new(gamma), &x.view(), options).unwrap(), gram(&Laplacian::new(gamma), &x.view()).unwrap()),
        ] {
            let rounding = 1e-12;
            for objectives in &got.objectives {
                prop_assert!(objectives.is_sorted_by(|before, after| *after <= before + rounding), "{objectives:?}");
            }
            let least = got.objectives.iter().filter_map(|objectives| objectives.last()).fold(f64::INFINITY, |a, &b| a.min(b));
            prop_assert!(got.report.objective <= least + 1e-11);
            let labels = &got.memory.labels;
            let plain = pairwise_objective(&gram, labels, clusters);
            prop_assert!((got.report.objective - plain).abs() < rounding, "{} is not {plain}", got.report.objective);
            prop_assert!((0..clusters as u32).all(|c| labels.contains(&c)), "an empty cluster: {labels:?}");
            prop_assert_eq!(got.report.outcome, Outcome::Settled);
            let sizes: Vec<u32> = got.memory.clusters.iter().map(|cluster| cluster.samples).collect();
            prop_assert_eq!(sizes.iter().sum::<u32>() as usize, x.rows);
        }
    }

    /// Settled means: no single sample can lower the objective by moving.
    #[test]
    fn after_single_moves_none_helps(x in samples(), clusters in 2..=4_usize, gamma in 0.05..8.0) {
        let kernel = Rbf::new(gamma);
        let got = fit(&kernel, &x.view(), KMeansOptions::new(clusters)).unwrap();
        let gram = gram(&kernel, &x.view()).unwrap();
        let labels = got.memory.labels;
        for i in 0..x.rows {
            let alone = labels.iter().filter(|&&label| label == labels[i]).count() == 1;
            for cluster in (0..clusters as u32).filter(|_| !alone) {
                let mut other = labels.clone();
                other[i] = cluster;
                let objective = pairwise_objective(&gram, &other, clusters);
                prop_assert!(objective >= got.report.objective - 1e-10, "sample {i} to {cluster}");
            }
        }
        let passes_only = fit(&kernel, &x.view(), lloyd(clusters)).unwrap();
        prop_assert!(got.report.objective <= passes_only.report.objective + 1e-12);
    }

    #[test]
    fn samples_are_assigned_to_the_nearest_centre(x in samples(), query in vec(-2.0..2.0, 2)) {
        let kernel = Rbf::new(0.7);
        let Memory { labels, clusters, .. } = fit(&kernel, &x.view(), KMeansOptions::new(3)).unwrap().memory;
        let mut sums = [0.0; 3];
        let got = kmeans::assign(&kernel, &x.view(), &labels, &clusters, &query, &mut sums).unwrap();
        let distance = |cluster: u32| {
            let members: Vec<&[f64]> =
                x.iter_rows().zip(&labels).filter(|&(_, &label)| label == cluster).map(|(row, _)| row).collect();
            let count = members.len() as f64;
            let cross: f64 = members.iter().map(|row| kernel.eval(row, &query)).sum();
            let within: f64 = members.iter().flat_map(|a| members.iter().map(|b| kernel.eval(a, b))).sum();
            1.0 - 2.0 * cross / count + within / (count * count)
        };
        let plain: Vec<f64> = (0..3).map(distance).collect();
        let nearest = plain.iter().copied().fold(f64::INFINITY, f64::min);
        prop_assert!((plain[got.cluster] - nearest).abs() < 1e-12);
        prop_assert!((got.squared_distance - nearest).abs() < 1e-12);
    }

    #[test]
    fn a_precomputed_gram_matrix_gives_the_same_groups(x in samples()) {
        // `Fast` computes the values of a matrix in vectors and single ones by libm, which gives
        // other bits.
        let kernel = Rbf { gamma: 0.7, math: Libm };
        let gram = gram(&kernel, &x.view()).unwrap();
        let rows: Vec<usize> = (0..x.rows).collect();
        let direct = fit(&kernel, &x.view(), KMeansOptions::new(3)).unwrap();
        let indirect = fit(&Precomputed(gram.view()), rows.as_slice(), KMeansOptions::new(3)).unwrap();
        prop_assert_eq!(direct.memory.labels, indirect.memory.labels);
        prop_assert_eq!(direct.report, indirect.report);
    }
}

// ---- far from the origin, in f32 ----

/// Two groups that are 2 apart, each ±`spread`, far from the origin.
fn far_groups(offset: f32, spread: f64) -> Vec<[f32; 1]> {
    let mut random = Random(5);
    let place = |i: usize| f64::from(offset) + 2.0 * (i % 2) as f64;
    (0..64).map(|i| [(place(i) + spread * (random.uniform() - 0.5)) as f32]).collect()
}

#[test]
fn groups_far_from_the_origin_are_distinct() {
    let samples = far_groups(1000.0, 0.5);
    let got = fit(&Linear, samples.as_slice(), KMeansOptions::new(2)).unwrap();
    let even: Vec<u32> = (0..64).map(|i| (i % 2) ^ got.memory.labels[0]).collect();
    assert_eq!(got.memory.labels, even);
    // But what rounding cannot tell apart is not: here `k(x, x)` is known to 0.06.
    let equal: Vec<[f32; 1]> = (0..8).map(|i| [1000.0 + 1e-4 * i as f32]).collect();
    let error = Error::TooFewDistinct { distinct: 1, needed: 2 };
    assert_eq!(
        fit(&Linear, equal.as_slice(), KMeansOptions::new(2)).map(|got| got.report).err(),
        Some(error)
    );
}

/// A squared distance is off by up to about `n·ε` of the largest `k(x, x)`, the objective by `n`
/// times as much: so much it may rise, and no more.
#[test]
fn far_from_the_origin_the_objective_stays_within_rounding() {
    for offset in [0.0, 100.0, 300.0, 1000.0] {
        for spread in [0.5, 3.0, 20.0] {
            let samples = far_groups(offset, spread);
            let largest = samples.iter().map(|[x]| x * x).fold(0.0, f32::max);
            let rounding = (64 * 64) as f32 * f32::EPSILON * largest;
            for clusters in 2..=4 {
                let got = match fit(&Linear, samples.as_slice(), KMeansOptions::new(clusters)) {
                    // Nothing but rounding within the groups.
                    Err(Error::TooFewDistinct { .. }) => continue,
                    got => got.unwrap(),
                };
                for objectives in &got.objectives {
                    assert!(objectives.iter().all(|&objective| objective >= 0.0));
                    let sorted =
                        objectives.is_sorted_by(|before, after| *after <= before + rounding);
                    assert!(sorted, "offset {offset}, ± {rounding}: {objectives:?}");
                }
                let exact = Grid::from_rows(&samples).cast::<f64>();
                let gram = gram(&Linear, &exact.view()).unwrap();
                let plain = pairwise_objective(&gram, &got.memory.labels, clusters);
                let off = (f64::from(got.report.objective) - plain).abs();
                assert!(off <= f64::from(rounding), "{} is not {plain}", got.report.objective);
                assert_eq!(got.report.outcome, Outcome::Settled, "offset {offset}, ± {spread}");
            }
        }
    }
}

// ---- rings ----

/// Evenly spaced points of two rings of radius 0.3 and 1, off by up to a tenth; even rows are of
/// the outer one.
fn rings(n: usize, seed: u64) -> Vec<[f64; 2]> {
    let mut random = Random(seed);
    let mut noise = || 0.1 * random.noise();
    let point = |i: usize| {
        let (radius, turn) = if i.is_multiple_of(2) { (1.0, 0.0) } else { (0.3, 0.3) };
        let angle = TAU * (i / 2) as f64 / (n / 2) as f64 + turn;
        [radius * angle.cos() + noise(), radius * angle.sin() + noise()]
    };
    (0..n).map(point).collect()
}

/// The labels and the objective of a fit with a Gaussian kernel, whose values are computed only
/// once.
fn fit_points(gamma: f64, points: &[[f64; 2]], options: KMeansOptions) -> (Vec<u32>, f64) {
    let gram = gram(&Rbf::new(gamma), points).unwrap();
    let rows: Vec<usize> = (0..points.len()).collect();
    let got = fit(&Precomputed(gram.view()), rows.as_slice(), options).unwrap();
    (got.memory.labels, got.report.objective)
}

/// How many samples are with the wrong ring, whatever the numbers of the clusters.
fn errors(labels: &[u32]) -> usize {
    let wrong = labels.iter().enumerate().filter(|&(i, &label)| label as usize != i % 2).count();
    wrong.min(labels.len() - wrong)
}

#[test]
fn rings_come_apart_with_a_gaussian_kernel_and_not_without() {
    const RUNS: u64 = 20;
    println!("two rings, 80 samples, {RUNS} draws: how often all samples are with their ring");
    let one_start = KMeansOptions::new(2).starts(1);
    let count = |options, gamma| {
        let right = |seed: &u64| errors(&fit_points(gamma, &rings(80, *seed), options).0) == 0;
        (0..RUNS).filter(right).count()
    };
    // Too wide, and the kernel is nearly linear; too narrow, and other clusters have a lower
    // objective than the rings, which more starts find.
    for gamma in [1.0, 2.0, 4.0, 6.0, 8.0, 16.0] {
        let (passes, moves) = (count(lloyd(2), gamma), count(one_start, gamma));
        let starts = count(KMeansOptions::new(2), gamma);
        println!(
            "  gamma {gamma}: {passes} by passes alone, {moves} with single moves, {starts} with 8 starts"
        );
        if (2.0..=6.0).contains(&gamma) {
            assert_eq!((moves, starts), (RUNS as usize, RUNS as usize), "gamma {gamma}");
        }
    }
    for seed in 0..RUNS {
        let got = fit(&Linear, rings(80, seed).as_slice(), KMeansOptions::new(2)).unwrap();
        assert!(errors(&got.memory.labels) > 20, "a straight line cannot separate rings");
    }
}

/// Gaps in a ring make local minima, which several starts avoid.
#[test]
fn uneven_rings_take_several_starts() {
    const RUNS: u64 = 20;
    let kernel = Rbf::new(4.0);
    let mut found = [0; 4];
    for seed in 0..RUNS {
        let mut random = Random(seed);
        let point = |i: usize| {
            let radius = if i.is_multiple_of(2) { 1.0 } else { 0.3 };
            let angle = TAU * random.noise();
            [angle.cos(), angle.sin()].map(|direction| radius * direction + 0.1 * random.noise())
        };
        let points: Vec<[f64; 2]> = (0..80).map(point).collect();
        let truth: Vec<u32> = (0..80).map(|i| i % 2).collect();
        let of_rings = pairwise_objective(&gram(&kernel, points.as_slice()).unwrap(), &truth, 2);
        let one_start = KMeansOptions::new(2).starts(1);
        let many = KMeansOptions::new(2).starts(32);
        for (found, options) in
            found.iter_mut().zip([lloyd(2), one_start, KMeansOptions::new(2), many])
        {
            let (labels, objective) = fit_points(4.0, &points, options);
            assert!(of_rings <= objective + 1e-9, "draw {seed}: there is a better one");
            *found += usize::from(errors(&labels) == 0);
        }
    }
    let [passes, moves, eight, many] = found;
    println!(
        "uneven rings, gamma 4, {RUNS} draws: {passes} by passes alone, {moves} with single moves, {eight} with 8 starts, {many} with 32"
    );
    assert!(passes < moves && moves < eight && eight < many);
}

#[test]
fn new_points_join_the_ring_they_lie_on() {
    let points: Vec<[f32; 2]> = rings(64, 1).iter().map(|p| p.map(|x| x as f32)).collect();
    let mut clusters = KernelKMeans::<Rbf<f32>, [f32; 2], 64, 2>::new();
    let mut workspace = KMeansWorkspace::<f32, 64, 2>::new();
    clusters.fit(Rbf::new(4.0), &points, KMeansOptions::new(2), &mut workspace).unwrap();
    assert_eq!(errors(clusters.labels()), 0);
    let (outer, inner) = (clusters.labels()[0] as usize, clusters.labels()[1] as usize);
    for fresh in rings(64, 99).iter().enumerate() {
        let (i, x) = (fresh.0, fresh.1.map(|x| x as f32));
        let expected = if i.is_multiple_of(2) { outer } else { inner };
        assert_eq!(clusters.assign(&x).unwrap().cluster, expected, "point {i}");
    }
    assert_eq!(clusters.clusters().len(), 2);
}

// ---- limits and bad input ----

#[test]
fn as_many_clusters_as_samples_leave_nothing() {
    let samples = [[0.0], [1.0], [3.0], [7.0]];
    let got = fit(&Rbf::new(0.5), samples.as_slice(), KMeansOptions::new(4)).unwrap();
    assert!(got.report.objective.abs() < 1e-15);
    let one = fit(&Linear, samples.as_slice(), KMeansOptions::new(1)).unwrap();
    assert_eq!(one.memory.labels, [0; 4]);
    assert!((one.report.objective - 28.75).abs() < 1e-12, "{}", one.report.objective);
}

#[test]
fn passes_are_bounded() {
    let points = rings(80, 0);
    let run = |max_passes| {
        let options = KMeansOptions::new(2).starts(1).max_passes(max_passes);
        fit(&Rbf::new(4.0), points.as_slice(), options).unwrap().report
    };
    let all = run(100);
    assert_eq!(all.outcome, Outcome::Settled);
    let cut = run(all.passes - 1);
    assert_eq!((cut.outcome, cut.passes), (Outcome::PassesUsedUp, all.passes - 1));
    assert_eq!(run(all.passes).outcome, Outcome::Settled);
}

const SAMPLES: [[f32; 2]; 5] = [[0.0, 0.1], [0.7, 0.0], [0.2, 1.1], [1.3, 0.9], [0.4, 0.5]];

#[track_caller]
fn refused(
    samples: &[[f32; 2]],
    kernel: &impl BlockKernel<[f32], Scalar = f32>,
    options: KMeansOptions,
    error: Error,
    text: &str,
) {
    assert_eq!(fit(kernel, samples, options).map(|got| got.report), Err(error));
    assert_eq!(error.to_string(), text);
}

#[test]
fn bad_wishes_and_samples_are_named() {
    let rbf = Rbf::new(0.5);
    let error = Error::Parameter { name: "clusters", rule: ">= 1" };
    refused(&SAMPLES, &rbf, KMeansOptions::new(0), error, "parameter `clusters` must be >= 1");
    let none = KMeansOptions::new(2).starts(0);
    let error = Error::Parameter { name: "starts", rule: ">= 1" };
    refused(&SAMPLES, &rbf, none, error, "parameter `starts` must be >= 1");
    let none = KMeansOptions::new(2).max_passes(0);
    let error = Error::Parameter { name: "max_passes", rule: ">= 1" };
    refused(&SAMPLES, &rbf, none, error, "parameter `max_passes` must be >= 1");
    let error = Error::TooFewSamples { given: 5, needed: 6 };
    refused(
        &SAMPLES,
        &rbf,
        KMeansOptions::new(6),
        error,
        "too few samples: 5 given, at least 6 needed",
    );
    // Copies do not make a cluster.
    let mut copies = SAMPLES;
    copies[3] = copies[1];
    copies[4] = copies[1];
    let error = Error::TooFewDistinct { distinct: 3, needed: 4 };
    let text = "too few distinct samples: 3 found, at least 4 needed";
    refused(&copies, &rbf, KMeansOptions::new(4), error, text);
    assert!(fit(&rbf, copies.as_slice(), KMeansOptions::new(3)).is_ok());
    let mut bad = SAMPLES;
    bad[2][0] = f32::NAN;
    let error = Error::Sample { index: 2, fault: Fault::NotFinite { input: 0 } };
    refused(&bad, &rbf, KMeansOptions::new(2), error, "sample 2: input 0 is not finite");
    bad[2][0] = 1e20;
    let cubic = Poly { gamma: 1.0, coef0: 0.0, degree: 3 };
    let error = Error::NotFinite { row: 2, column: 2 };
    refused(
        &bad,
        &cubic,
        KMeansOptions::new(2),
        error,
        "matrix entry at row 2, column 2 is not finite",
    );
    let huge = [[1.5e19, 0.0], [1.5e19, 1e18], [0.0, 0.0]];
    let error = Error::NotFinite { row: 0, column: 0 };
    refused(
        &huge,
        &Linear,
        KMeansOptions::new(2),
        error,
        "matrix entry at row 0, column 0 is not finite",
    );
    let error = Error::Parameter { name: "gamma", rule: "finite and > 0" };
    let text = "parameter `gamma` must be finite and > 0";
    refused(&SAMPLES, &Rbf::new(-1.0), KMeansOptions::new(2), error, text);
    let mut memory = Memory::new(5, 2);
    let mut scratch = memory.scratch();
    assert_eq!(
        kmeans::fit(&rbf, SAMPLES.as_slice(), KMeansOptions::new(3), &mut scratch),
        Err(Error::Shape { what: "sums columns", expected: 3, given: 2 })
    );
}

/// Some that live in flash: two samples at a distance of 2, each its own centre.
static FLASH: KernelKMeans<Linear, [f32; 1], 2, 2> = KernelKMeans::from_parts(
    Linear,
    [[1.0], [3.0]],
    [0, 1],
    [Cluster::new(1, 1.0), Cluster::new(1, 9.0)],
);

#[test]
fn parts_make_the_same_clusters() {
    let nearest = FLASH.assign(&[2.5]).unwrap();
    assert_eq!((nearest.cluster, nearest.squared_distance), (1, 0.25));
    let mut clusters = KernelKMeans::<Rbf<f32>, [f32; 2], 5, 2>::new();
    let workspace = &mut KMeansWorkspace::new();
    clusters.fit(Rbf::new(0.5), &SAMPLES, KMeansOptions::new(2), workspace).unwrap();
    let (labels, parts) = (clusters.labels(), clusters.clusters());
    let (labels, parts) = (labels.try_into().unwrap(), parts.try_into().unwrap());
    let parts = KernelKMeans::<_, _, 5, 2>::from_parts(Rbf::new(0.5), SAMPLES, labels, parts);
    for x in SAMPLES {
        assert_eq!(parts.assign(&x), clusters.assign(&x));
    }
}

/// A wrong label must not pass for a sample that is not there.
#[test]
fn parts_with_a_label_of_no_cluster_are_refused() {
    let parts = [Cluster::new(1, 1.0), Cluster::new(1, 9.0)];
    let wrong = KernelKMeans::from_parts(Linear, [[1.0_f32], [3.0]], [0, 2], parts);
    let rule = "below the number of clusters";
    assert_eq!(wrong.assign(&[2.5]), Err(Error::Label { index: 1, output: 0, rule }));
}

#[test]
fn memory_of_another_size_is_refused_in_the_middle_of_a_fit() {
    let (rbf, samples) = (Rbf::new(0.5), SAMPLES.as_slice());
    let (mut memory, mut smaller) = (Memory::new(5, 2), Memory::new(4, 2));
    let mut started =
        KMeansFit::start(&rbf, samples, KMeansOptions::new(2), &mut memory.scratch()).unwrap();
    let error = Error::Shape { what: "sums rows", expected: 5, given: 4 };
    assert_eq!(started.step(&rbf, samples, &mut smaller.scratch()), Err(error));
}

#[test]
fn the_owner_names_what_is_missing_and_keeps_what_it_had() {
    let mut clusters = KernelKMeans::<Rbf<f32>, [f32; 2], 5, 2>::new();
    assert_eq!(clusters.assign(&[0.0, 0.0]), Err(Error::NotFitted));
    let mut workspace = KMeansWorkspace::new();
    clusters.fit(Rbf::new(0.5), &SAMPLES, KMeansOptions::new(2), &mut workspace).unwrap();
    let before = (clusters.labels().to_vec(), clusters.assign(&[0.3, 0.3]).unwrap());
    let full = Error::Capacity { what: "samples in the workspace", needed: 6, capacity: 5 };
    let six = [[0.0, 0.0]; 6];
    assert_eq!(clusters.fit(Rbf::new(0.5), &six, KMeansOptions::new(2), &mut workspace), Err(full));
    let full = Error::Capacity { what: "clusters in the workspace", needed: 3, capacity: 2 };
    assert_eq!(
        clusters.fit(Rbf::new(0.5), &SAMPLES, KMeansOptions::new(3), &mut workspace),
        Err(full)
    );
    let bad = clusters.fit(Rbf::new(f32::NAN), &SAMPLES, KMeansOptions::new(2), &mut workspace);
    assert!(matches!(bad, Err(Error::Parameter { name: "gamma", .. })));
    assert_eq!((clusters.labels().to_vec(), clusters.assign(&[0.3, 0.3]).unwrap()), before);
    let nan = Fault::NotFinite { input: 1 };
    assert_eq!(clusters.assign(&[0.0, f32::NAN]), Err(Error::Query(nan)));
    let long = Fault::Length { expected: 2, given: 3 };
    assert_eq!(clusters.assign(&[0.0; 3]), Err(Error::Query(long)));
}
