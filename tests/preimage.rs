//! Pre-images: the linear ones are those of PCA, the Gaussian ones are where the distance in
//! feature space has no slope, the learned ones are a ridge regression; and what is refused.
//!
//! scikit-learn's `inverse_transform` is in `golden.rs`, de-noising in `denoising.rs`.

mod common;

use common::{Fitted, Grid, Route, config, fit_exact, fit_landmarks, fit_pca};
use mercer::error::Fault;
use mercer::kernel::{BlockKernel, Laplacian, Linear, Poly, Rbf};
use mercer::kpca::preimage::ITERATIONS;
use mercer::kpca::{Components, ExactWorkspace, KernelPcaView, Landmarks, PreImage};
use mercer::methods::ridge::KernelRidgeView;
use mercer::methods::{PreImageWorkspace, PreImages};
use mercer::{Error, Kernel, KernelPca};
use proptest::collection::vec;
use proptest::prelude::*;

/// 12 samples of 3 inputs, none near another.
fn samples() -> impl Strategy<Value = Grid<f64>> {
    vec(-0.3..0.3, 36).prop_map(|jitter| {
        let place = |i: usize, j: usize| ((i >> j) % 3) as f64 + 0.2 * (i % 5) as f64;
        Grid::from_fn(12, 3, |i, j| place(i, j) + jitter[3 * i + j])
    })
}

fn denoise<K: PreImage<f64>>(
    kernel: &K,
    points: &Grid<f64>,
    fitted: &Fitted<f64>,
    x: &[f64],
) -> Result<Vec<f64>, Error> {
    let points = points.view();
    let mut memos = vec![Default::default(); fitted.expansion().points()];
    let model = KernelPcaView::new(kernel, &points, fitted.expansion(), &mut memos).unwrap();
    let mut projection = vec![0.0; fitted.report.components];
    let (mut scratch, mut denoised) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    model.denoise(x, ITERATIONS, &mut projection, &mut scratch, &mut denoised)?;
    Ok(denoised)
}

/// `‖φ(z) − Σ w_i φ(point_i)‖²`, from the definition of its three terms.
fn squared_distance(
    kernel: &Rbf<f64>,
    points: &Grid<f64>,
    fitted: &Fitted<f64>,
    projection: &[f64],
    z: &[f64],
) -> f64 {
    let view = points.view();
    let mut memos = vec![Default::default(); fitted.expansion().points()];
    let model = KernelPcaView::new(kernel, &view, fitted.expansion(), &mut memos).unwrap();
    let weights: Vec<f64> = model.reconstruction(projection).map(|(_, w)| w).collect();
    let mut distance = kernel.eval(z, z);
    for (i, x) in points.iter_rows().enumerate() {
        distance -= 2.0 * weights[i] * kernel.eval(z, x);
        for (j, y) in points.iter_rows().enumerate() {
            distance += weights[i] * weights[j] * kernel.eval(x, y);
        }
    }
    distance
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn the_linear_kernel_reconstructs_as_pca_does(
        x in samples(), components in 1..=3_usize, query in vec(-3.0..3.0, 3), offset in -9.0..9.0,
    ) {
        let x = Grid::from_fn(x.rows, x.columns, |i, j| x.at(i, j) + offset);
        let pca = fit_pca(&x, Components::Fixed(components), Route::Primal).unwrap();
        let values = fit_pca(&x, Components::Fixed(3), Route::Primal).unwrap();
        let values = values.view().variances();
        // The plane turns by rounding over the gap that ends it.
        let gap = (values[components - 1] - values.get(components).unwrap_or(&0.0)) / values[0];
        prop_assume!(gap > 1e-3);
        let fitted = fit_exact(&Linear, &x.view(), Components::Fixed(components)).unwrap();
        let got = denoise(&Linear, &x, &fitted, &query).unwrap();
        for (got, expected) in got.iter().zip(pca.denoise(&query)) {
            prop_assert!((got - expected).abs() < 1e-10 / gap, "{got} is not {expected}");
        }
    }

    /// Three landmarks span the three inputs, the centre among them.
    #[test]
    fn landmarks_that_span_the_inputs_reconstruct_as_pca_does(x in samples(), query in vec(-3.0..3.0, 3)) {
        let fitted = fit_landmarks(&Linear, &x.view(), Landmarks::Rank(3), Components::Fixed(2), 3).unwrap();
        let pca = fit_pca(&x, Components::Fixed(2), Route::Primal).unwrap();
        let all = fit_pca(&x, Components::Fixed(3), Route::Primal).unwrap();
        let values = all.view().variances();
        prop_assume!((values[1] - values[2]) / values[0] > 1e-3);
        let points = x.pick(&fitted.points);
        let got = denoise(&Linear, &points, &fitted, &query).unwrap();
        for (got, expected) in got.iter().zip(pca.denoise(&query)) {
            prop_assert!((got - expected).abs() < 1e-8, "{got} is not {expected}");
        }
    }

    /// No neighbour of the pre-image is nearer than it in feature space, beyond the tolerance of
    /// the search, and `x` itself is not.
    #[test]
    fn gaussian_pre_images_are_nearest_in_feature_space(x in samples(), query in vec(0.0..2.5, 3)) {
        let kernel = Rbf::new(0.2);
        let fitted = fit_exact(&kernel, &x.view(), Components::Fixed(4)).unwrap();
        let (projection, _) = fitted.score(&kernel, &x.view(), &query).unwrap();
        let z = denoise(&kernel, &x, &fitted, &query).unwrap();
        let distance = |z: &[f64]| squared_distance(&kernel, &x, &fitted, &projection, z);
        let found = distance(&z);
        prop_assert!(found <= distance(&query) + 1e-9);
        for input in 0..3 {
            for step in [-0.05, 0.05] {
                let mut neighbour = z.clone();
                neighbour[input] += step;
                prop_assert!(found <= distance(&neighbour), "{z:?} is not the nearest");
            }
        }
    }

    /// With all components nothing is lost, so a sample is its own pre-image.
    #[test]
    fn samples_are_their_own_pre_images_when_all_components_are_kept(x in samples(), sample in 0..12_usize) {
        let kernel = Rbf::new(1.0);
        let fitted = fit_exact(&kernel, &x.view(), Components::Fixed(11)).unwrap();
        let z = denoise(&kernel, &x, &fitted, x.row(sample)).unwrap();
        for (z, x) in z.iter().zip(x.row(sample)) {
            prop_assert!((z - x).abs() < 1e-6, "{z} is not {x}");
        }
    }

    /// By the formula `k(f, F)(k(F, F) + λI)⁻¹X`, the inverse by the eigendecomposition: another
    /// way to solve it.
    #[test]
    fn learned_pre_images_follow_their_formula(x in samples(), query in vec(0.0..2.5, 3), ridge in 0.01..1.0) {
        let (kernel, on_projections) = (Poly { gamma: 0.3, coef0: 1.0, degree: 2 }, Rbf::new(0.4));
        let fitted = fit_exact(&kernel, &x.view(), Components::Fixed(3)).unwrap();
        let points = x.view();
        let mut memos = vec![Default::default(); fitted.expansion().points()];
        let model = KernelPcaView::new(&kernel, &points, fitted.expansion(), &mut memos).unwrap();
        let (mut f, mut gram, mut weights) = (Grid::zeros(12, 3), Grid::zeros(12, 12), Grid::zeros(12, 3));
        let (views, gram) = ((&mut f.view_mut(), &mut weights.view_mut()), &mut gram.view_mut());
        mercer::methods::preimage::learn(&model, &on_projections, &points, ridge, views.0, gram, views.1).unwrap();
        let regression = f.view();
        let regression = KernelRidgeView::new(&on_projections, &regression, weights.view()).unwrap();
        let (mut projection, mut got) = (vec![0.0; 3], vec![0.0; 3]);
        model.project(&query, &mut projection).unwrap();
        regression.predict(&projection, &mut got).unwrap();

        let found = common::decompose(&common::gram(&on_projections, &fitted.training.view()).unwrap()).unwrap();
        let row = Grid::from_fn(1, 12, |_, i| on_projections.eval(&projection, fitted.training.row(i)));
        let turned = row.times(&found.vectors.transposed());
        let divided = Grid::from_fn(1, 12, |_, i| turned.at(0, i) / (found.values[i] + ridge));
        let expected = divided.times(&found.vectors).times(&x);
        for (got, expected) in got.iter().zip(&expected.data) {
            prop_assert!((got - expected).abs() < 1e-9, "{got} is not {expected}");
        }
    }
}

// ---- the const-generic owner ----

/// A circle, and room for more points and components than there are.
const COUNT: usize = 12;
type Model<K> = KernelPca<K, [f32; 2], 13, 5>;

fn circle() -> [[f32; 2]; COUNT] {
    core::array::from_fn(|i| {
        let angle = i as f32 * core::f32::consts::TAU / COUNT as f32;
        [angle.cos(), angle.sin()]
    })
}

fn fitted<K: BlockKernel<[f32], Scalar = f32>>(kernel: K) -> Model<K> {
    let mut model = Model::new();
    let workspace = &mut ExactWorkspace::<f32, COUNT>::new();
    model.fit_exact(kernel, &circle(), Components::Fixed(4), workspace).unwrap();
    model
}

#[test]
fn the_owner_gives_the_same_bits_as_views() {
    let model = fitted(Rbf::new(1.0));
    let x = [1.2, 0.1];
    let [mut f, mut scratch, mut z] = [vec![0.0; 4], vec![0.0; 2], vec![0.0; 2]];
    let view = model.view().unwrap();
    view.denoise(&x, ITERATIONS, &mut f, &mut scratch, &mut z).unwrap();
    assert_eq!(model.denoise(&x, ITERATIONS).unwrap()[..], z[..]);
    assert_eq!(model.pre_image(&f, &x, ITERATIONS).unwrap()[..], z[..]);
}

#[test]
fn pre_images_can_be_learned_for_kernels_without_a_formula() {
    let model = fitted(Laplacian::new(0.5));
    let mut pre_images = PreImages::<Rbf<f32>, [f32; 2], COUNT, 5>::new();
    let workspace = &mut PreImageWorkspace::new();
    model.learn_pre_images(Rbf::new(1.0), &circle(), 1e-3, workspace, &mut pre_images).unwrap();
    for [a, b] in circle() {
        let [x, y] = model.denoise_by(&[1.15 * a, 1.15 * b], &pre_images).unwrap();
        let radius = (x * x + y * y).sqrt();
        assert!((radius - 1.0).abs() < 0.1, "radius {radius}, not 1");
        assert!(x * a + y * b > 0.9, "({x}, {y}) is elsewhere on the circle than ({a}, {b})");
    }
}

/// Inputs that are known to about a thousandth: the search ends all the same, where it does at the
/// origin.
#[test]
fn pre_images_far_from_the_origin_are_found() {
    const OFFSET: f32 = 1e4;
    // Multiples of 1/512, so that moving them is exact.
    let round = |v: f32| (512.0 * v).round() / 512.0;
    let samples = circle().map(|x| x.map(round));
    let fit = |offset: f32| {
        let mut model = Model::new();
        let workspace = &mut ExactWorkspace::<f32, COUNT>::new();
        let moved = samples.map(|x| x.map(|v| v + offset));
        model.fit_exact(Rbf::new(1.0), &moved, Components::Fixed(4), workspace).unwrap();
        model
    };
    let (here, there) = (fit(0.0), fit(OFFSET));
    for query in 0..100 {
        let (angle, radius) = (0.7 * query as f32, 0.6 + 0.01 * query as f32);
        let x = [radius * angle.cos(), radius * angle.sin()].map(round);
        let expected = here.denoise(&x, ITERATIONS).unwrap();
        let got = there.denoise(&x.map(|v| v + OFFSET), ITERATIONS).unwrap();
        for (got, expected) in got.iter().zip(expected) {
            // Neighbours there are 1/1024 apart; and the search has a tolerance of a thousandth of
            // the width, which is 1.
            let off = (got - OFFSET - expected).abs();
            assert!(off < 4e-3, "query {query}: {got} is not {expected}");
        }
    }
}

// ---- refusals ----

#[test]
fn far_from_all_points_the_search_starts_again_from_the_nearest() {
    let model = fitted(Rbf::new(1.0));
    let [x, y] = model.denoise(&[1e4, 0.0], ITERATIONS).unwrap();
    assert!(x.is_finite() && y.is_finite() && x * x + y * y < 2.0, "({x}, {y})");
}

#[test]
fn a_search_that_does_not_end_is_an_error() {
    let model = fitted(Rbf::new(1.0));
    let none = Error::Parameter { name: "iterations", rule: ">= 1" };
    assert_eq!(model.denoise(&[1.2, 0.1], 0), Err(none));
    let one = Error::NoPreImage { iterations: 1 };
    assert_eq!(model.denoise(&[1.2, 0.1], 1), Err(one));
    assert_eq!(one.to_string(), "no pre-image found, iterations made: 1");
    // One is enough for what has a formula.
    let mut linear = Model::new();
    let workspace = &mut ExactWorkspace::<f32, COUNT>::new();
    linear.fit_exact(Linear, &circle(), Components::Fixed(2), workspace).unwrap();
    assert!(linear.denoise(&[1.2, 0.1], 1).is_ok());
    // Weights so large that the reconstruction overflows.
    let lost = linear.pre_image(&[f32::MAX, f32::MAX], &[0.0; 2], ITERATIONS);
    assert_eq!(lost, Err(Error::NoPreImage { iterations: 2 }));
}

#[test]
fn bad_queries_and_shapes_are_named() {
    let model = fitted(Rbf::new(1.0));
    for value in [f32::NAN, f32::INFINITY] {
        let error = Error::Query(Fault::NotFinite { input: 1 });
        assert_eq!(model.denoise(&[0.0, value], ITERATIONS), Err(error));
        assert_eq!(model.pre_image(&[0.0; 4], &[0.0, value], ITERATIONS), Err(error));
    }
    let shape = |what, expected, given| Err(Error::Shape { what, expected, given });
    let result = model.pre_image(&[0.0; 3], &[0.0; 2], 9).map(drop);
    assert_eq!(result, shape("projection", 4, 3));
    let view = model.view().unwrap();
    let (x, f) = ([0.0; 2], &mut [0.0; 4]);
    let result = view.denoise(&x, 9, &mut [0.0; 3], &mut [0.0; 2], &mut [0.0; 2]).map(drop);
    assert_eq!(result, shape("projection", 4, 3));
    let result = view.denoise(&x, 9, f, &mut [0.0; 1], &mut [0.0; 2]).map(drop);
    assert_eq!(result, shape("scratch", 2, 1));
    let result = view.denoise(&x, 9, f, &mut [0.0; 2], &mut [0.0; 3]).map(drop);
    assert_eq!(result, shape("pre-image", 2, 3));
    let length = Error::Query(Fault::Length { expected: 2, given: 3 });
    let result = view.pre_image(f, &[0.0; 3], 9, &mut [0.0; 3], &mut [0.0; 3]).map(drop);
    assert_eq!(result, Err(length));
    let empty = Model::<Rbf<f32>>::new();
    assert_eq!(empty.denoise(&[0.0; 2], ITERATIONS), Err(Error::NotFitted));
    assert_eq!(empty.pre_image(&[], &[0.0; 2], ITERATIONS), Err(Error::NotFitted));
}

#[test]
fn bad_samples_to_learn_from_are_named_and_leave_what_was_learned() {
    let model = fitted(Laplacian::new(0.5));
    let mut pre_images = PreImages::<Rbf<f32>, [f32; 2], COUNT, 5>::new();
    let workspace = &mut PreImageWorkspace::new();
    assert_eq!(model.denoise_by(&[0.0; 2], &pre_images), Err(Error::NotFitted));
    model.learn_pre_images(Rbf::new(1.0), &circle(), 1e-3, workspace, &mut pre_images).unwrap();
    let before = model.denoise_by(&[1.0, 0.5], &pre_images);
    let mut refuse = |samples: &[[f32; 2]], kernel, ridge, error| {
        let result = model.learn_pre_images(kernel, samples, ridge, workspace, &mut pre_images);
        assert_eq!(result, Err(error));
    };
    let mut samples = circle();
    samples[7][1] = f32::NAN;
    let fault = Fault::NotFinite { input: 1 };
    refuse(&samples, Rbf::new(1.0), 0.1, Error::Sample { index: 7, fault });
    let few = Error::TooFewSamples { given: 1, needed: 2 };
    refuse(&samples[..1], Rbf::new(1.0), 0.1, few);
    let full = Error::Capacity { what: "samples", needed: 13, capacity: 12 };
    refuse(&[[0.5; 2]; 13], Rbf::new(1.0), 0.1, full);
    let gamma = Error::Parameter { name: "gamma", rule: "finite and > 0" };
    refuse(&circle(), Rbf::new(-1.0), 0.1, gamma);
    // Twice the same sample: no inverse without a ridge.
    samples = circle();
    samples[3] = samples[1];
    refuse(&samples, Rbf::new(1.0), 0.0, Error::NotPositiveDefinite { row: 3 });
    assert_eq!(model.denoise_by(&[1.0, 0.5], &pre_images), before);
}
