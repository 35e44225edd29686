//! Fits to many samples: the number of landmarks does not fall with the number of samples, and no
//! sum over samples loses its digits, in `f32` as in `f64`.
//!
//! `cargo test --test large_n -- --nocapture` prints what was measured.

mod faults;
mod common;

use common::{Grid, Random, Route, decompose_by, fit_landmarks, fit_pca_by, gram};
use mercer::Progress;
use mercer::detect::scaling;
use mercer::kernel::{BlockKernel, Linear, Poly, Rbf};
use mercer::kpca::{Components, Landmarks, PivotedCholesky};
use mercer::linalg::eigen::Jacobi;
use mercer::math::Real;

const INPUTS: usize = 6;
const LANDMARKS: usize = 48;
const KEPT: usize = 12;

/// Standardised readings of a machine with two hidden states; the same numbers in both precisions.
fn readings<T: Real>(count: usize, seed: u64) -> Grid<T> {
    let mut random = Random(seed);
    let mut data = Vec::with_capacity(count * INPUTS);
    for _ in 0..count {
        let (load, speed) = (random.normal(), random.normal());
        let state = [load, speed, 0.7 * (load + speed), load * speed, (2.0 * load).sin(), 0.0];
        let reading = state.map(|value| value + 0.3 * random.normal());
        data.extend(reading.map(|value| T::from_f64(f64::from(value as f32))));
    }
    Grid { rows: count, columns: INPUTS, data }
}

fn gamma() -> f64 {
    f64::from((1.0 / (8.0 * INPUTS as f64)) as f32)
}

/// What the landmarks of a fit imply, computed plainly in `f64`.
struct Plain {
    points: Vec<Vec<f64>>,
    /// The landmarks' factor, `L Lᵀ = K`.
    factor: Vec<Vec<f64>>,
    mean: Vec<f64>,
    values: Vec<f64>,
    vectors: Grid<f64>,
    total_variance: f64,
    unspanned: f64,
}

fn wide(x: &[impl Real]) -> Vec<f64> {
    x.iter().map(|v| v.to_f64()).collect()
}

fn kernel(x: &[f64], y: &[f64]) -> f64 {
    let square: f64 = x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum();
    (-gamma() * square).exp()
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

impl Plain {
    fn new<T: Real>(samples: &Grid<T>, landmarks: &[usize]) -> Self {
        let points: Vec<_> = landmarks.iter().map(|&i| wide(samples.row(i))).collect();
        let r = points.len();
        let mut factor: Vec<Vec<f64>> = Vec::new();
        for i in 0..r {
            let mut row: Vec<f64> = Vec::new();
            for (j, earlier) in factor.iter().enumerate() {
                row.push((kernel(&points[i], &points[j]) - dot(&row, earlier)) / earlier[j]);
            }
            row.push((1.0 - dot(&row, &row)).sqrt());
            factor.push(row);
        }
        let (mean, values, vectors) = (vec![], vec![], Grid::zeros(0, 0));
        let (total_variance, unspanned) = (0.0, 0.0);
        let mut plain = Self { points, factor, mean, values, vectors, total_variance, unspanned };
        let n = samples.rows as f64;
        let (mut sums, mut products) = (vec![0.0; r], Grid::<f64>::zeros(r, r));
        // In blocks, and from near the mean: one sum of a million would be off by hundreds of
        // roundings itself.
        let mut near = vec![0.0; r];
        for x in samples.iter_rows().take(100) {
            let z = plain.coordinates(&wide(x));
            near.iter_mut().zip(&z).for_each(|(near, z)| *near += z / n.min(100.0));
        }
        for block in samples.data.chunks(1000 * samples.columns) {
            let (mut part, mut some, mut left) = (vec![0.0; r], Grid::<f64>::zeros(r, r), 0.0);
            for x in block.chunks(samples.columns) {
                let mut z = plain.coordinates(&wide(x));
                left += 1.0 - dot(&z, &z);
                z.iter_mut().zip(&near).for_each(|(z, near)| *z -= near);
                for (i, &own) in z.iter().enumerate() {
                    part[i] += own;
                    let row = &mut some.data[i * r..=i * r + i];
                    row.iter_mut().zip(&z).for_each(|(sum, &other)| *sum += own * other);
                }
            }
            plain.unspanned += left / n;
            sums.iter_mut().zip(&part).for_each(|(sum, part)| *sum += part / n);
            products.data.iter_mut().zip(&some.data).for_each(|(sum, part)| *sum += part / n);
        }
        let covariance =
            Grid::from_fn(r, r, |i, j| products.at(i.max(j), i.min(j)) - sums[i] * sums[j]);
        plain.total_variance = (0..r).map(|i| covariance.at(i, i)).sum::<f64>() + plain.unspanned;
        let eigen = decompose_by::<f64, Jacobi<f64>>(&covariance).unwrap();
        let mean = sums.iter().zip(&near).map(|(sum, near)| sum + near).collect();
        Self { mean, values: eigen.values, vectors: eigen.vectors, ..plain }
    }

    /// `z(x) = L⁻¹ k(x)`.
    fn coordinates(&self, x: &[f64]) -> Vec<f64> {
        let mut z: Vec<f64> = Vec::with_capacity(self.points.len());
        for (point, row) in self.points.iter().zip(&self.factor) {
            z.push((kernel(x, point) - dot(&z, row)) / row[z.len()]);
        }
        z
    }

    /// SPE and T².
    fn score(&self, x: &[f64]) -> (f64, f64) {
        let z: Vec<f64> =
            self.coordinates(x).iter().zip(&self.mean).map(|(z, mean)| z - mean).collect();
        let outside = 1.0 - dot(&self.coordinates(x), &self.coordinates(x));
        let (mut spe, mut t2) = (dot(&z, &z) + outside, 0.0);
        for j in 0..KEPT {
            let f = dot(&z, self.vectors.row(j));
            spe -= f * f;
            t2 += f * f / self.values[j];
        }
        (spe, t2)
    }
}

/// The largest errors of a fit: of SPE, the variances and the unspanned share relative to
/// `k(x,x) = 1`, of the rest relative to their own size.
struct Errors {
    spe: f64,
    t2: f64,
    variances: f64,
    total: f64,
    unspanned: f64,
    centre: f64,
}

fn errors<T: Real>(n: usize) -> Errors
where
    Rbf<T>: BlockKernel<[T], Scalar = T>,
{
    let samples = readings::<T>(n, 1);
    let rbf = Rbf::new(T::from_f64(gamma()));
    let wish = (Landmarks::Rank(LANDMARKS), Components::Fixed(KEPT));
    let fitted = fit_landmarks(&rbf, &samples.view(), wish.0, wish.1, LANDMARKS).unwrap();
    assert_eq!(fitted.report.points, LANDMARKS, "{n} rows");
    assert!(!fitted.report.indefinite);
    let plain = Plain::new(&samples, &fitted.points);
    let points = samples.pick(&fitted.points);
    let (mut spe, mut t2) = (0.0_f64, 0.0_f64);
    for (i, x) in readings::<T>(60, 2).iter_rows().enumerate() {
        let mut x = x.to_vec();
        // Some of them are faults.
        x[i % INPUTS] += T::from_usize(i % 5);
        let score = fitted.score(&rbf, &points.view(), &x).unwrap().1;
        let exact = plain.score(&wide(&x));
        spe = spe.max((score.spe.to_f64() - exact.0).abs());
        t2 = t2.max((score.t2.to_f64() / exact.1 - 1.0).abs());
    }
    let relative = |found: T, exact: f64| (found.to_f64() / exact - 1.0).abs();
    let expansion = fitted.expansion();
    let pairs = expansion.variances().iter().zip(&plain.values);
    let header = expansion.header();
    let errors = Errors {
        spe,
        t2,
        variances: pairs.fold(0.0, |m, (&found, &exact)| m.max((found.to_f64() - exact).abs())),
        total: relative(header.total_variance, plain.total_variance),
        unspanned: (fitted.report.unspanned.to_f64() - plain.unspanned / plain.total_variance)
            .abs(),
        centre: relative(header.centre_norm, dot(&plain.mean, &plain.mean)),
    };
    println!(
        "{} {n:>7} rows: {} landmarks, spe {:.1e}, t2 {:.1e}, variances {:.1e}, total {:.1e}, \
         unspanned {:.1e}, centre {:.1e}",
        std::any::type_name::<T>(),
        fitted.report.points,
        errors.spe,
        errors.t2,
        errors.variances,
        errors.total,
        errors.unspanned,
        errors.centre
    );
    errors
}

/// Errors in units of `ε`, which do not depend on the number of samples.
fn stays_exact<T: Real>(sizes: &[usize])
where
    Rbf<T>: BlockKernel<[T], Scalar = T>,
{
    for &n in sizes {
        let errors = errors::<T>(n);
        let unit = T::EPSILON.to_f64();
        for (what, error, most) in [
            ("spe", errors.spe, 64.0),
            ("t2", errors.t2, 512.0),
            ("variances", errors.variances, 8.0),
            ("total", errors.total, 32.0),
            ("unspanned", errors.unspanned, 8.0),
            ("centre", errors.centre, 32.0),
        ] {
            assert!(error <= most * unit, "{n} rows, {what}: {:.0} eps", error / unit);
        }
    }
    let fault = format!("fits to up to a million rows, {}", std::any::type_name::<T>());
    faults::record(7, &fault, sizes.len(), sizes.len(), "--test large_n");
}

#[test]
fn all_landmarks_remain_and_scores_stay_exact_in_f32() {
    stays_exact::<f32>(&[128, 1000, 50_000, 100_000, 1_000_000]);
}

#[test]
fn all_landmarks_remain_and_scores_stay_exact_in_f64() {
    stays_exact::<f64>(&[128, 1000, 50_000, 100_000, 1_000_000]);
}

/// Kernels whose feature space has few dimensions: as many landmarks are taken, and what is left is
/// below a quarter of what counts as rounding.
fn ranks<T: Real>(n: usize)
where
    Linear: BlockKernel<[T], Scalar = T>,
    Poly<T>: BlockKernel<[T], Scalar = T>,
{
    let poly = |degree| Poly { gamma: T::from_f64(0.5), coef0: T::ONE, degree };
    let worst = [
        rank_is(&Linear, n, 1, 1),
        rank_is(&Linear, n, 5, 5),
        rank_is(&Linear, n, 12, 12),
        rank_is(&Linear, n, 60, 60),
        rank_is(&poly(2), n, 4, 15),
        rank_is(&poly(3), n, 3, 20),
        rank_is(&poly(2), n, 9, 55),
    ]
    .into_iter()
    .fold(0.0, f64::max);
    println!("{} {n:>7} rows: at most {worst:.2} of rounding", std::any::type_name::<T>());
}

fn rank_is<T: Real, K>(kernel: &K, n: usize, inputs: usize, rank: usize) -> f64
where
    K: BlockKernel<[T], Scalar = T>,
{
    let mut random = Random(inputs as u64);
    let samples = Grid::from_fn(n, inputs, |_, _| T::from_f64(random.normal()));
    let room = rank + 3;
    let (mut factor, mut residuals) = (Grid::zeros(n, room), vec![T::ZERO; n]);
    let mut pivots = vec![0; room];
    let samples = &samples.view();
    let mut state = PivotedCholesky::start(kernel, samples, &mut residuals).unwrap();
    let mut step = || {
        let factor = &mut factor.view_mut();
        let stop = Landmarks::Rank(room);
        state.step(kernel, samples, stop, factor, &mut residuals, &mut pivots).unwrap()
    };
    while step() == Progress::Working {}
    assert_eq!(state.rank(), rank, "{n} rows of {inputs} inputs");
    assert!(!state.is_indefinite());
    let left = residuals.iter().fold(T::ZERO, |m, &r| m.larger(r));
    let share = left.to_f64() / state.rounding().to_f64();
    assert!(share < 0.25, "{n} rows of {inputs} inputs: {share} of rounding");
    share
}

#[test]
fn rank_is_found_whatever_the_number_of_samples() {
    for n in [100, 3000, 100_000] {
        ranks::<f32>(n);
        ranks::<f64>(n);
    }
}

/// The share of the trace at which to stop is met, as `f64` adds it up.
#[test]
fn a_residual_share_is_kept() {
    let samples = readings::<f32>(200_000, 3);
    let rbf = Rbf::new(gamma() as f32);
    for share in [0.1, 0.01] {
        let wish = Landmarks::Residual(share);
        let fitted = fit_landmarks(&rbf, &samples.view(), wish, Components::Fixed(2), 200).unwrap();
        let left: f64 = fitted.residuals.iter().map(|&r| f64::from(r)).sum();
        let exact = left / samples.rows as f64;
        assert!(exact <= f64::from(share) * (1.0 + 1e-5), "{exact} of {share}");
        let found = fitted.report.unspanned * fitted.expansion().header().total_variance;
        assert!((f64::from(found) / exact - 1.0).abs() < 1e-5);
    }
}

/// Mean and deviation of a million readings around an offset, and of ones whose squares are all
/// equal, which is the worst for a plain sum.
#[test]
fn mean_and_deviation_of_a_million() {
    let mut random = Random(7);
    let mut samples = Grid::<f32>::zeros(1_000_000, 3);
    for row in samples.data.chunks_exact_mut(3) {
        let side = if random.uniform() < 0.3 { 1.0 } else { -1.0 };
        row.copy_from_slice(&[30000.0 + 5.0 * random.normal() as f32, 1.1 * side, 0.1]);
    }
    samples.data[0] = 30018.0;
    let (mut mean, mut deviation) = ([0.0_f32; 3], [0.0_f32; 3]);
    scaling::learn(&samples.view(), &mut mean, &mut deviation);
    let n = samples.rows as f64;
    for i in 0..2 {
        let column = || samples.iter_rows().map(|row| f64::from(row[i]));
        let exact = column().sum::<f64>() / n;
        let spread = (column().map(|x| (x - exact) * (x - exact)).sum::<f64>() / n).sqrt();
        let off = (f64::from(mean[i]) - exact).abs() / f64::from(f32::EPSILON);
        let wide = (f64::from(deviation[i]) / spread - 1.0).abs();
        println!("input {i}: mean off by {off:.2} eps, deviation by {wide:.1e}");
        // The mean itself has no more digits; the differences are of the size of the deviation.
        assert!(off <= 0.5 * exact.abs() + 34.0 * spread, "{off}");
        assert!(wide < 5e-6, "{wide:e}");
    }
    assert_eq!((mean[2], deviation[2]), (0.1, 1.0));
}

/// The same tolerance and the same sums in linear PCA: six inputs, one the sum of two others.
#[test]
fn pca_of_a_million() {
    let mut random = Random(8);
    let mut samples = Grid::<f32>::zeros(1_000_000, 6);
    for row in samples.data.chunks_exact_mut(6) {
        let [a, b, c, d, e] = [3.0, 1.0, 0.5, 0.2, 0.1].map(|s| (s * random.normal()) as f32);
        row.copy_from_slice(&[1000.0 + a, b, a * 0.5 + b, c, d, e]);
    }
    let wish = Components::Share(1.0);
    let found = fit_pca_by::<Jacobi<f32>, f32>(&samples, wish, Route::Primal).unwrap();
    let exact =
        fit_pca_by::<Jacobi<f64>, f64>(&samples.cast(), Components::Fixed(5), Route::Primal)
            .unwrap();
    let mut worst = 0.0_f64;
    for (&f, &e) in found.view().variances().iter().zip(exact.view().variances()) {
        worst = worst.max((f64::from(f) - e).abs() / exact.view().variances()[0]);
    }
    println!("pca: rank {}, variances off by {worst:.1e} of the largest", found.report.rank);
    assert_eq!(found.report.rank, 5);
    assert!(worst < 32.0 * f64::from(f32::EPSILON), "{worst:e}");
    let means = found.view().mean().iter().zip(exact.view().mean());
    for (i, (&found, &exact)) in means.enumerate() {
        let off = (f64::from(found) - exact).abs() / f64::from(f32::EPSILON);
        assert!(off <= 0.5 * exact.abs() + 34.0 * 3.0, "input {i}: {off} eps");
    }
}

/// Row means and grand mean of a Gram matrix of thousands.
#[test]
fn centre_of_thousands() {
    let samples = readings::<f32>(3000, 5);
    let rbf = Rbf::new(gamma() as f32);
    let mut k = gram(&rbf, &samples.view()).unwrap();
    let exact: f64 = k.data.iter().map(|&k| f64::from(k)).sum::<f64>() / 9e6;
    let mut means = vec![0.0; 3000];
    let grand = mercer::kernel::gram::centre(&mut k.view_mut(), &mut means).unwrap();
    let off = (f64::from(grand) / exact - 1.0).abs() / f64::from(f32::EPSILON);
    println!("grand mean off by {off:.1} eps");
    assert!(off < 34.0, "{off}");
}
