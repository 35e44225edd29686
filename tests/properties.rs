//! What must hold whatever the numbers are, on random matrices and samples.
//!
//! The numbers are the same in every run; `PROPTEST_RNG_SEED=7 cargo test --test properties` draws
//! others.

mod common;

use common::{Fitted, Grid, config, decompose, fit_exact, fit_landmarks, gram};
use mercer::kernel::{
    BlockKernel, Conformal, Exp, Laplacian, Linear, Mapped, Normalised, Poly, Precomputed, Product,
    QuadraticForm, Rbf, Scale, Spectrum, Sum, geometry,
};
use mercer::kpca::{Components, ExactWorkspace, LandmarkWorkspace, Landmarks};
use mercer::linalg::Matrix;
use mercer::linalg::eigen::{self, Eigensolver, MAX_SWEEPS, TridiagonalQr};
use mercer::math::Real;
use mercer::{Error, Kernel, KernelPca, Progress};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

/// Symmetric matrices of every size up to 12 and of very different scales.
fn symmetric_matrix() -> impl Strategy<Value = Grid<f64>> {
    (1..=12_usize, -3..=3).prop_flat_map(|(n, exponent)| {
        let scale = 10_f64.powi(exponent);
        vec(-scale..scale, n * n)
            .prop_map(move |entries| Grid::from_fn(n, n, |i, j| entries[i.min(j) * n + i.max(j)]))
    })
}

/// 4 to 12 samples of 1 to 4 inputs.
fn samples() -> impl Strategy<Value = Grid<f64>> {
    (4..=12_usize, 1..=4_usize).prop_flat_map(|(rows, columns)| samples_of(rows, columns))
}

fn samples_of(rows: usize, columns: usize) -> impl Strategy<Value = Grid<f64>> {
    vec(-2.0..2.0, rows * columns).prop_map(move |data| {
        // No two alike, however far the numbers are shrunk.
        let apart = |i, j| if j == 0 { 0.5 * i as f64 } else { 0.0 };
        Grid::from_fn(rows, columns, |i, j| data[i * columns + j] + apart(i, j))
    })
}

fn epsilon<T: Real>() -> f64 {
    T::EPSILON.to_f64()
}

fn largest<T: Real>(values: &[T]) -> f64 {
    values.iter().fold(0.0, |largest: f64, v| largest.max(v.to_f64().abs()))
}

/// Entries differ by no more than `tolerance`.
fn near<T: Real>(got: &[T], expected: &[T], tolerance: f64) -> TestCaseResult {
    prop_assert_eq!(got.len(), expected.len());
    for (i, (g, e)) in got.iter().zip(expected).enumerate() {
        let difference = (g.to_f64() - e.to_f64()).abs();
        prop_assert!(difference <= tolerance, "entry {i}: {g} is not {e} (± {tolerance:e})");
    }
    Ok(())
}

fn magnitudes(values: &[f64]) -> Vec<f64> {
    values.iter().map(|v| v.abs()).collect()
}

fn identity<T: Real>(n: usize) -> Grid<T> {
    Grid::from_fn(n, n, |i, j| if i == j { T::ONE } else { T::ZERO })
}

/// Smallest difference of neighbouring variances up to the last kept, over the largest: components
/// turn by rounding over it.
fn relative_gap(values: &[f64], kept: usize) -> f64 {
    let gaps = values.windows(2).take(kept).map(|pair| (pair[0] - pair[1]) / values[0]);
    gaps.fold(1.0, f64::min)
}

// ---- eigenvalues ----

fn decomposition_holds<T: Real>(a: &Grid<f64>) -> TestCaseResult {
    let a: Grid<T> = a.cast();
    let n = a.rows;
    // Each of the 6 or so sweeps rotates a row n times.
    let rounding = 8.0 * n as f64 * epsilon::<T>();
    let scale = largest(&a.data) * n as f64;
    let found = decompose(&a).unwrap();
    let u = &found.vectors;
    let weighted = Grid::from_fn(n, n, |i, j| found.values[i] * u.at(i, j));
    near(&u.transposed().times(&weighted).data, &a.data, rounding * scale)?;
    near(&u.times(&u.transposed()).data, &identity(n).data, rounding)?;
    prop_assert!(found.values.is_sorted_by(|left, right| left >= right));
    for vector in u.iter_rows() {
        let extreme = vector.iter().fold(T::ZERO, |m, v| if v.abs() > m.abs() { *v } else { m });
        prop_assert!(extreme > T::ZERO, "sign of {vector:?}");
    }
    let sum = found.values.iter().fold(T::ZERO, |sum, &v| sum + v);
    near(&[sum], &[eigen::trace(a.view())], rounding * scale)
}

fn slices_agree<T: Real>(a: &Grid<f64>, pairs: usize) -> TestCaseResult {
    let a: Grid<T> = a.cast();
    let whole = decompose(&a).unwrap();
    let (mut work, mut values, mut scratch) =
        (a.clone(), vec![T::ZERO; a.rows], vec![T::ZERO; a.rows]);
    let a = &mut work.view_mut();
    let mut eigen = TridiagonalQr::start(a, MAX_SWEEPS).unwrap();
    while eigen.step(a, &mut values, &mut scratch, pairs).unwrap() == Progress::Working {}
    prop_assert_eq!(values, whole.values);
    prop_assert_eq!(work, whole.vectors);
    Ok(())
}

proptest! {
    #![proptest_config(config(128))]

    #[test]
    fn a_symmetric_matrix_is_recomposed_from_its_decomposition(a in symmetric_matrix()) {
        decomposition_holds::<f64>(&a)?;
        decomposition_holds::<f32>(&a)?;
    }

    #[test]
    fn repeated_eigenvalues_are_found(a in symmetric_matrix(), levels in vec(-1..=2_i8, 12)) {
        let (n, q) = (a.rows, decompose(&a).unwrap().vectors);
        let mut values: Vec<f64> = levels[..n].iter().map(|&v| v.into()).collect();
        let weighted = Grid::from_fn(n, n, |i, j| values[i] * q.at(i, j));
        let product = q.transposed().times(&weighted);
        let repeated = Grid::from_fn(n, n, |i, j| product.at(i.min(j), i.max(j)));
        values.sort_by(|a, b| b.total_cmp(a));
        near(&decompose(&repeated).unwrap().values, &values, 1e-13)?;
        decomposition_holds::<f64>(&repeated)?;
        decomposition_holds::<f32>(&repeated)?;
    }

    #[test]
    fn slices_of_the_eigensolver_give_the_same_bits(a in symmetric_matrix(), pairs in 1..20_usize) {
        slices_agree::<f64>(&a, pairs)?;
        slices_agree::<f32>(&a, pairs)?;
    }

    #[test]
    fn exponentials_of_a_and_minus_a_are_inverse(data in vec(-1.0..1.0, 36)) {
        let a = Grid::from_fn(6, 6, |i, j| data[i.min(j) * 6 + i.max(j)]);
        let found = decompose(&a).unwrap();
        let apply = |f: fn(f64) -> f64| {
            let mut out = Grid::zeros(6, 6);
            eigen::matrix_function(&found.values, found.vectors.view(), f, &mut out.view_mut()).unwrap();
            out
        };
        let (grown, shrunk) = (apply(f64::exp), apply(|v| (-v).exp()));
        // The largest entries are e^|λ|, |λ| ≤ 6.
        near(&grown.times(&shrunk).data, &identity(6).data, 1e-14 * largest(&grown.data) * largest(&shrunk.data))?;
        near(&apply(|v| v).data, &a.data, 1e-13)?;
    }

    #[test]
    fn the_product_of_eigenvalues_is_the_determinant(a in symmetric_matrix()) {
        let n = a.rows as i32;
        let scale = largest(&a.data) * f64::from(n);
        let determinant = eigen::determinant(&decompose(&a).unwrap().values);
        near(&[determinant], &[determinant_by_elimination(a)], 1e-12 * scale.powi(n))?;
    }
}

/// Gaussian elimination with row exchanges.
fn determinant_by_elimination(mut a: Grid<f64>) -> f64 {
    let (n, mut determinant) = (a.rows, 1.0);
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a.at(i, k).abs().total_cmp(&a.at(j, k).abs())).unwrap();
        if pivot != k {
            determinant = -determinant;
            for j in 0..n {
                a.data.swap(k * n + j, pivot * n + j);
            }
        }
        determinant *= a.at(k, k);
        for i in k + 1..n {
            let factor = a.at(i, k) / a.at(k, k);
            for j in k..n {
                a.data[i * n + j] -= factor * a.at(k, j);
            }
        }
    }
    determinant
}

// ---- kernels ----

/// Kernels of different types in one list.
struct Any(Box<dyn Kernel<[f64], Scalar = f64>>);

impl BlockKernel<[f64]> for Any {}

impl Kernel<[f64]> for Any {
    type Scalar = f64;
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        self.0.eval(x, y)
    }
    fn diagonal(&self, x: &[f64]) -> f64 {
        self.0.diagonal(x)
    }
    fn validate(&self) -> Result<(), Error> {
        self.0.validate()
    }
}

/// One of every kind that is positive semi-definite, on 3 inputs.
fn positive_kernels(gamma: f64) -> Vec<(&'static str, Any)> {
    let (rbf, poly) = (Rbf::new(gamma), Poly { gamma, coef0: 1.0, degree: 3 });
    let matrix = Matrix::from_rows([[2.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]]);
    let any = |kernel: Box<dyn Kernel<[f64], Scalar = f64>>| Any(kernel);
    vec![
        ("linear", any(Box::new(Linear))),
        ("rbf", any(Box::new(rbf))),
        ("laplacian", any(Box::new(Laplacian::new(gamma)))),
        ("poly", any(Box::new(poly))),
        ("quadratic form", any(Box::new(QuadraticForm { matrix }))),
        ("scale", any(Box::new(Scale { factor: 3.0, kernel: rbf }))),
        ("sum", any(Box::new(Sum(rbf, Linear)))),
        ("product", any(Box::new(Product(rbf, poly)))),
        ("exp", any(Box::new(Exp::new(Scale { factor: 0.2, kernel: Linear })))),
        ("conformal", any(Box::new(Conformal { kernel: rbf, weight: |x: &[f64]| x[0] }))),
        ("mapped", any(Box::new(Mapped { kernel: rbf, map: |x: &[f64]| [x[0] * x[1], x[2]] }))),
        ("normalised", any(Box::new(Normalised(poly)))),
    ]
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn kernels_are_symmetric_and_bounded_by_their_diagonal(x in samples_of(2, 3), gamma in 0.05..2.0) {
        let (x, y) = (x.row(0), x.row(1));
        for (name, kernel) in positive_kernels(gamma) {
            let bound = (kernel.diagonal(x) * kernel.diagonal(y)).sqrt();
            let (forth, back) = (kernel.eval(x, y), kernel.eval(y, x));
            prop_assert!((forth - back).abs() <= 1e-14 * bound, "{name}: {forth} and {back}");
            prop_assert!(forth.abs() <= bound * (1.0 + 1e-14), "{name}: {forth} exceeds {bound}");
        }
    }

    #[test]
    fn gram_matrices_of_kernels_are_positive_semi_definite(x in samples_of(9, 3), gamma in 0.05..2.0) {
        for (name, kernel) in positive_kernels(gamma) {
            let values = decompose(&gram(&kernel, &x.view()).unwrap()).unwrap().values;
            prop_assert!(values[8] >= -1e-14 * values[0], "{name}: {values:?}");
        }
    }

    #[test]
    fn centred_gram_matrices_are_symmetric_and_annihilate_ones(x in samples(), gamma in 0.05..2.0) {
        let poly = Poly { gamma, coef0: 1.0, degree: 3 };
        let plain = gram(&poly, &x.view()).unwrap();
        let (mut centred, mut means) = (plain.clone(), vec![0.0; x.rows]);
        let grand = mercer::kernel::gram::centre(&mut centred.view_mut(), &mut means).unwrap();
        prop_assert_eq!(&centred, &centred.transposed());
        let rounding = 1e-14 * largest(&plain.data);
        let row_sums: Vec<f64> = centred.iter_rows().map(|row| row.iter().sum()).collect();
        near(&row_sums, &vec![0.0; x.rows], rounding * x.rows as f64)?;
        let shifted = Grid::from_fn(x.rows, x.rows, |i, j| centred.at(i, j) + means[i] + means[j] - grand);
        near(&shifted.data, &plain.data, rounding)?;
    }
}

// ---- exact models ----

/// The samples moved away from the origin: centring then has something to do.
fn moved(x: &Grid<f64>, offset: f64) -> Grid<f64> {
    Grid::from_fn(x.rows, x.columns, |i, j| x.at(i, j) + offset)
}

/// Rounding of the projections on each component: kernel values are known to `ε` of the largest,
/// and their weights are at most `1/√η`.
fn projection_rounding<T: Real>(fitted: &Fitted<T>, gram: &Grid<T>) -> Vec<f64> {
    let n = gram.rows as f64;
    let rounding = |v: &T| 4.0 * n * epsilon::<T>() * largest(&gram.data) / (n * v.to_f64()).sqrt();
    fitted.expansion().variances().iter().map(rounding).collect()
}

/// `Σα = 0`, the projections of the training samples are `√η v`, their mean is 0 and their variance
/// `λ`.
fn training_identities<T: Real, K: BlockKernel<[T], Scalar = T>>(
    kernel: &K,
    x: &Grid<f64>,
) -> TestCaseResult {
    let x: Grid<T> = x.cast();
    let n = T::from_usize(x.rows);
    // All but a thousandth of the variance, so that no component is made of rounding.
    let share = Components::Share(T::from_f64(0.999));
    let fitted = fit_exact(kernel, &x.view(), share).unwrap();
    let rounding = projection_rounding(&fitted, &gram(kernel, &x.view()).unwrap());
    let project = |row| fitted.score(kernel, &x.view(), row).unwrap().0;
    let projected = Grid::from_rows(&x.iter_rows().map(project).collect::<Vec<_>>());
    let sum = |values: &[T]| values.iter().fold(T::ZERO, |sum, &v| sum + v);
    for (j, &variance) in fitted.expansion().variances().iter().enumerate() {
        let alpha = weights(&fitted, j);
        near(&[sum(&alpha)], &[T::ZERO], n.to_f64() * epsilon::<T>() * largest(&alpha))?;
        let f = projected.column(j);
        near(&f, &fitted.training.column(j), rounding[j])?;
        near(&[sum(&f) / n], &[T::ZERO], rounding[j])?;
        let squares: Vec<T> = f.iter().map(|&f| f * f).collect();
        near(&[sum(&squares) / n], &[variance], 2.0 * rounding[j] * largest(&f))?;
    }
    Ok(())
}

/// `α_j`: the weights of one component.
fn weights<T: Real>(fitted: &Fitted<T>, j: usize) -> Vec<T> {
    fitted.expansion().weights().iter_rows().map(|row| row[j]).collect()
}

/// No more components than exact arithmetic finds, and a positive semi-definite kernel is not taken
/// for an indefinite one.
fn rounding_is_not_taken_for_structure<T: Real, K: BlockKernel<[T], Scalar = T>>(
    kernel: &K,
    x: &Grid<f64>,
    rank: usize,
) -> TestCaseResult {
    let x: Grid<T> = x.cast();
    let (all, one) = (Landmarks::Rank(x.rows), Components::Fixed(1));
    let exact = fit_exact(kernel, &x.view(), one).unwrap();
    let landmarks = fit_landmarks(kernel, &x.view(), all, one, x.rows).unwrap();
    for report in [exact.report, landmarks.report] {
        prop_assert!(!report.indefinite, "{report:?}");
        prop_assert!(report.rank <= rank, "{report:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn training_samples_project_as_the_eigenvectors_say(x in samples(), gamma in 0.05..2.0) {
        training_identities(&Rbf::new(gamma), &x)?;
        training_identities(&Rbf::new(gamma as f32), &x)?;
        training_identities::<f64, _>(&Linear, &x)?;
        training_identities::<f32, _>(&Linear, &x)?;
    }

    #[test]
    fn training_samples_far_from_the_origin_do_too(x in samples(), offset in 1.0..10.0) {
        let x = moved(&x, offset);
        training_identities::<f64, _>(&Linear, &x)?;
        training_identities::<f32, _>(&Linear, &x)?;
        training_identities(&Poly { gamma: 0.1, coef0: 1.0, degree: 2 }, &x)?;
        training_identities(&Poly { gamma: 0.1_f32, coef0: 1.0, degree: 2 }, &x)?;
    }

    #[test]
    fn explained_ratios_descend_and_sum_to_what_is_reported(x in samples(), share in 0.1..1.0) {
        let fitted = fit_exact(&Rbf::new(0.5), &x.view(), Components::Share(share)).unwrap();
        let ratios: Vec<f64> = fitted.expansion().explained_ratios().collect();
        let sum: f64 = ratios.iter().sum();
        prop_assert!(ratios.is_sorted_by(|left, right| left >= right));
        prop_assert!(sum <= 1.0 + 1e-14 && sum >= share);
        prop_assert!(sum - ratios.last().unwrap() < share, "one fewer would do: {ratios:?}");
        near(&[fitted.report.explained], &[sum], 1e-14)?;
    }

    #[test]
    fn the_order_of_the_samples_does_not_matter(
        x in samples_of(10, 3),
        order in Just((0..10).collect::<Vec<usize>>()).prop_shuffle(),
        query in vec(-2.0..2.0, 3),
    ) {
        let kernel = Rbf::new(0.3);
        let all = fit_exact(&kernel, &x.view(), Components::Fixed(9)).unwrap();
        let gap = relative_gap(all.expansion().variances(), 3);
        prop_assume!(gap > 1e-4);
        let score = |x: &Grid<f64>| {
            let fitted = fit_exact(&kernel, &x.view(), Components::Fixed(3)).unwrap();
            fitted.score(&kernel, &x.view(), &query).unwrap().1
        };
        let (one, other) = (score(&x), score(&x.pick(&order)));
        // T² is of the order of 10; the eigenvectors turn by ε over the gap.
        let tolerance = 1e-13 / gap;
        near(&[one.spe, one.t2 / 10.0, one.abs_sum, one.centre_distance],
             &[other.spe, other.t2 / 10.0, other.abs_sum, other.centre_distance], tolerance)?;
    }

    /// By the covariance matrix of the inputs and the same eigensolver, which the properties above
    /// vouch for.
    #[test]
    fn the_linear_kernel_gives_ordinary_pca(x in samples_of(12, 4), offset in 0.0..10.0, query in vec(-2.0..2.0, 4)) {
        let x = moved(&x, offset);
        let mean: Vec<f64> = (0..4).map(|j| x.column(j).iter().sum::<f64>() / 12.0).collect();
        let centred = Grid::from_fn(12, 4, |i, j| x.at(i, j) - mean[j]);
        let product = centred.transposed().times(&centred);
        let axes = decompose(&Grid::from_fn(4, 4, |i, j| product.at(i, j) / 12.0)).unwrap();
        prop_assume!(relative_gap(&axes.values, 2) > 1e-3);
        let from_mean = Grid::from_fn(4, 1, |i, _| query[i] - mean[i]);
        let expected = axes.vectors.times(&from_mean).data;

        let fitted = fit_exact(&Linear, &x.view(), Components::Fixed(2)).unwrap();
        let (projection, score) = fitted.score(&Linear, &x.view(), &query).unwrap();
        near(fitted.expansion().variances(), &axes.values[..2], 1e-11)?;
        near(&[fitted.expansion().header().total_variance], &[axes.values.iter().sum()], 1e-11)?;
        // Signs follow the training samples here, the inputs there.
        near(&magnitudes(&projection), &magnitudes(&expected[..2]), 1e-8)?;
        let left = expected[2].powi(2) + expected[3].powi(2);
        near(&[score.spe], &[left], 1e-8)?;
    }

    #[test]
    fn geometry_agrees_with_the_model(x in samples(), query_of in 0..4_usize) {
        let kernel = Rbf::new(0.4);
        let gram = gram(&kernel, &x.view()).unwrap();
        let fitted = fit_exact(&kernel, &x.view(), Components::Share(0.9)).unwrap();
        let header = *fitted.expansion().header();
        let distance = |i| geometry::centre_distance(gram.view(), gram.at(i, i), gram.row(i)).unwrap();
        let mean_square = (0..x.rows).map(|i| distance(i).powi(2)).sum::<f64>() / x.rows as f64;
        let spread = geometry::spread(gram.view()).unwrap();
        near(&[mean_square, header.total_variance], &[spread, spread], 1e-14)?;
        near(&[geometry::centre_norm(gram.view()).unwrap().powi(2)], &[header.centre_norm], 1e-14)?;
        let (_, score) = fitted.score(&kernel, &x.view(), x.row(query_of)).unwrap();
        near(&[distance(query_of).powi(2)], &[score.centre_distance], 1e-14)?;
        for (j, &variance) in fitted.expansion().variances().iter().enumerate() {
            let alpha = weights(&fitted, j);
            near(&[geometry::combination_norm(gram.view(), &alpha).unwrap()], &[1.0], 1e-12)?;
            near(&[geometry::variance_along(gram.view(), &alpha).unwrap()], &[variance], 1e-12)?;
        }
    }

    #[test]
    fn a_precomputed_gram_matrix_gives_the_same_bits_as_its_kernel(x in samples()) {
        // One that is evaluated point by point, as the entries of a matrix are looked up.
        let kernel = Laplacian::new(0.7_f32);
        let x: Grid<f32> = x.cast();
        let gram = gram(&kernel, &x.view()).unwrap();
        let (by_row, rows) = (Precomputed(gram.view()), (0..x.rows).collect::<Vec<_>>());
        let direct = fit_exact(&kernel, &x.view(), Components::Share(0.9)).unwrap();
        let indirect = fit_exact(&by_row, rows.as_slice(), Components::Share(0.9)).unwrap();
        prop_assert_eq!(&indirect, &direct);
        for (i, row) in x.iter_rows().enumerate() {
            let one = direct.score(&kernel, &x.view(), row).unwrap();
            prop_assert_eq!(indirect.score(&by_row, rows.as_slice(), &i).unwrap(), one.clone());
            let mut projection = vec![0.0; one.0.len()];
            let by_values = direct.expansion().score_row(1.0, gram.row(i), &mut projection).unwrap();
            prop_assert_eq!((projection, by_values), one);
        }
    }
}

// Rounding is taken for structure in one case of a few hundred, if at all.
proptest! {
    #![proptest_config(config(512))]

    #[test]
    fn linear_models_have_no_more_components_than_inputs(x in samples(), offset in 0.0..100.0) {
        let (x, inputs) = (moved(&x, offset), x.columns);
        rounding_is_not_taken_for_structure::<f64, _>(&Linear, &x, inputs)?;
        rounding_is_not_taken_for_structure::<f32, _>(&Linear, &x, inputs)?;
    }

    #[test]
    fn wide_gaussian_kernels_are_not_taken_for_indefinite(x in samples(), exponent in -5.0..0.0) {
        let gamma = 10_f64.powf(exponent);
        rounding_is_not_taken_for_structure(&Rbf::new(gamma), &x, x.rows - 1)?;
        rounding_is_not_taken_for_structure(&Rbf::new(gamma as f32), &x, x.rows - 1)?;
    }
}

// ---- landmark models ----

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn all_samples_as_landmarks_give_the_exact_scores(x in samples_of(9, 3), query in vec(-2.0..2.0, 3)) {
        let kernel = Laplacian::new(0.5);
        let all = fit_exact(&kernel, &x.view(), Components::Fixed(8)).unwrap();
        let gap = relative_gap(all.expansion().variances(), 3);
        prop_assume!(gap > 1e-4);
        let exact = fit_exact(&kernel, &x.view(), Components::Fixed(3)).unwrap();
        let landmarks = fit_landmarks(&kernel, &x.view(), Landmarks::Rank(9), Components::Fixed(3), 9).unwrap();
        prop_assert_eq!(landmarks.report.points, 9);
        let (_, one) = exact.score(&kernel, &x.view(), &query).unwrap();
        let (_, other) = landmarks.score(&kernel, &x.pick(&landmarks.points).view(), &query).unwrap();
        near(&[one.spe, one.t2 / 10.0, one.abs_sum, one.centre_distance],
             &[other.spe, other.t2 / 10.0, other.abs_sum, other.centre_distance], 1e-12 / gap)?;
        near(landmarks.expansion().variances(), exact.expansion().variances(), 1e-13)?;
    }

    #[test]
    fn landmarks_lose_no_more_variance_than_promised(x in samples_of(12, 3), share in 0.02..0.5) {
        let (kernel, n) = (Rbf::new(0.5), 12.0);
        let exact = fit_exact(&kernel, &x.view(), Components::Fixed(1)).unwrap();
        let fit = |stop| fit_landmarks(&kernel, &x.view(), stop, Components::Share(1.0), 12).unwrap();
        let fitted = fit(Landmarks::Residual(share));
        let unspanned: f64 = fitted.residuals.iter().sum();
        prop_assert!(unspanned <= share * n, "{unspanned} of {n} unspanned");
        let points = fitted.report.points;
        if points > 1 {
            let fewer: f64 = fit(Landmarks::Rank(points - 1)).residuals.iter().sum();
            prop_assert!(fewer > share * n, "{points} landmarks are more than needed");
        }
        // What lies in the span is at most all there is, and what is missing is at most the
        // residual.
        let spanned: f64 = fitted.expansion().variances().iter().sum();
        let total = exact.expansion().header().total_variance;
        prop_assert!(spanned <= total + 1e-13 && spanned >= total - unspanned / n - 1e-13);
        let report = fitted.report;
        near(&[report.unspanned * fitted.expansion().header().total_variance], &[unspanned / n], 1e-13)?;
        prop_assert!(fitted.expansion().variances()[0] <= exact.expansion().variances()[0] + 1e-13);
    }

    #[test]
    fn with_all_components_the_spe_of_a_training_sample_is_its_residual(x in samples_of(12, 3), rank in 2..8_usize) {
        let kernel = Laplacian::new(0.5);
        let fitted = fit_landmarks(&kernel, &x.view(), Landmarks::Rank(rank), Components::Fixed(rank), rank).unwrap();
        let points = x.pick(&fitted.points);
        for (i, row) in x.iter_rows().enumerate() {
            let (projection, score) = fitted.score(&kernel, &points.view(), row).unwrap();
            near(&[score.spe], &[fitted.residuals[i]], 1e-12)?;
            near(&projection, fitted.training.row(i), 1e-12)?;
        }
    }

    #[test]
    fn a_used_workspace_gives_the_same_bits_as_a_new_one(
        first in samples_of(12, 2),
        second in samples_of(9, 2),
    ) {
        let [first, second] = [first, second].map(|x| {
            x.cast::<f32>().iter_rows().map(|row| [row[0], row[1]]).collect::<Vec<_>>()
        });
        let (kernel, rank, share) = (Rbf::new(0.5_f32), Landmarks::Rank(6), Components::Share(0.9));
        let mut model = KernelPca::<_, _, 12, 12>::new();

        let mut exact = |samples: &[[f32; 2]], workspace: &mut ExactWorkspace<f32, 12>| {
            let report = model.fit_exact(kernel, samples, share, workspace).unwrap();
            (report, model.score(&[0.1, 0.2]).unwrap())
        };
        let mut workspace = ExactWorkspace::new();
        exact(&first, &mut workspace);
        let used = exact(&second, &mut workspace);
        prop_assert_eq!(used, exact(&second, &mut ExactWorkspace::new()));

        let mut landmarks = |samples: &[[f32; 2]], workspace: &mut LandmarkWorkspace<f32, 12, 12>| {
            let report = model.fit_landmarks(kernel, samples, rank, share, workspace).unwrap();
            (report, model.score(&[0.1, 0.2]).unwrap())
        };
        let mut workspace = LandmarkWorkspace::new();
        landmarks(&first, &mut workspace);
        let used = landmarks(&second, &mut workspace);
        prop_assert_eq!(used, landmarks(&second, &mut LandmarkWorkspace::new()));
    }
}

/// A reading so far away that its kernel values are 0, against the formula for it.
#[test]
fn the_far_field_value_is_the_score_of_a_reading_far_away() {
    let samples: Vec<[f64; 2]> =
        (0..20).map(|i| [(i as f64).sin(), (i as f64 * 0.7).cos()]).collect();
    fn holds<K: BlockKernel<[f64], Scalar = f64> + Copy>(samples: &[[f64; 2]], k: K) {
        let mut model = KernelPca::<K, [f64; 2], 20, 6>::new();
        let mut workspace = ExactWorkspace::<f64, 20>::new();
        model.fit_exact(k, samples, Components::Fixed(6), &mut workspace).unwrap();
        let far = model.far_field().unwrap();
        assert_eq!(model.view().unwrap().far_field(), Some(far));
        let score = model.score(&[1e4, -1e4]).unwrap().spe;
        assert!((score - far).abs() < 1e-12 * far, "{score} {far}");
    }
    let (rbf, laplacian) = (Rbf::new(0.5), Laplacian::new(0.7));
    holds(&samples, rbf);
    holds(&samples, laplacian);
    holds(&samples, Sum(rbf, laplacian));
    holds(&samples, Product(rbf, Scale { factor: 3.0, kernel: laplacian }));
    holds(&samples, Normalised(Scale { factor: 3.0, kernel: rbf }));
    assert_eq!(Kernel::<[f64]>::stranger_norm(&Linear), None);
    let words = Normalised(Spectrum::<f64>::new(2));
    assert_eq!(Kernel::<str>::stranger_norm(&words), Some(1.0));
}
