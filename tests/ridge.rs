//! Kernel ridge regression: limits of the ridge, several targets at once, and what is refused.
//!
//! The reference numbers of scikit-learn are in `golden.rs`.

mod common;

use common::{Grid, config, gram};
use mercer::error::Fault;
use mercer::kernel::{BlockKernel, Linear, Rbf, Sigmoid};
use mercer::linalg::{Matrix, MatrixView};
use mercer::math::Real;
use mercer::methods::KernelRidge;
use mercer::methods::ridge::{self, KernelRidgeView};
use mercer::{Error, Kernel};
use proptest::collection::vec;
use proptest::prelude::*;

/// 3 to 10 samples of 2 inputs, no two of them near each other, with two targets each.
fn examples() -> impl Strategy<Value = (Grid<f64>, Grid<f64>)> {
    (3..=10_usize).prop_flat_map(|n| {
        (vec(-0.2..0.2, 2 * n), vec(-3.0..3.0, 2 * n)).prop_map(move |(jitter, targets)| {
            let place = |i: usize, j| if j == 0 { (i % 4) as f64 } else { (i / 4) as f64 };
            (
                Grid::from_fn(n, 2, |i, j| place(i, j) + jitter[2 * i + j]),
                Grid { rows: n, columns: 2, data: targets },
            )
        })
    })
}

fn fit<T: Real, K: BlockKernel<[T], Scalar = T>>(
    kernel: &K,
    samples: &Grid<T>,
    targets: &Grid<T>,
    ridge: T,
) -> Result<Grid<T>, Error> {
    let n = samples.rows;
    let (mut gram, mut weights) = (Grid::zeros(n, n), Grid::zeros(n, targets.columns));
    let (gram, storage) = (&mut gram.view_mut(), &mut weights.view_mut());
    ridge::fit(kernel, &samples.view(), &targets.view(), ridge, gram, storage)?;
    Ok(weights)
}

fn predict<T: Real, K: BlockKernel<[T], Scalar = T>>(
    kernel: &K,
    samples: &Grid<T>,
    weights: &Grid<T>,
    x: &[T],
) -> Vec<T> {
    let points = samples.view();
    let model = KernelRidgeView::new(kernel, &points, weights.view()).unwrap();
    let mut prediction = vec![T::ZERO; weights.columns];
    model.predict(x, &mut prediction).unwrap();
    prediction
}

proptest! {
    #![proptest_config(config(64))]

    /// `(K + λI) a = y`, by plain multiplication.
    #[test]
    fn weights_solve_the_regularised_system((x, y) in examples(), ridge in 1e-3..10.0) {
        let kernel = Rbf::new(1.0);
        let a = fit(&kernel, &x, &y, ridge).unwrap();
        let mut k = gram(&kernel, &x.view()).unwrap();
        for i in 0..x.rows {
            k.data[i * (x.rows + 1)] += ridge;
        }
        for (got, expected) in k.times(&a).data.iter().zip(&y.data) {
            // Weights are at most y/λ = 3e3 times.
            prop_assert!((got - expected).abs() < 1e-11, "{got} is not {expected}");
        }
    }

    /// From interpolation to zero: the distance to the targets grows with the ridge, the size of
    /// the predictions falls.
    #[test]
    fn a_small_ridge_interpolates_and_a_large_one_predicts_zero((x, y) in examples()) {
        let kernel = Rbf::new(2.0);
        let at = |ridge| {
            let a = fit(&kernel, &x, &y, ridge).unwrap();
            let predictions = x.iter_rows().flat_map(|row| predict(&kernel, &x, &a, row));
            let predictions: Vec<f64> = predictions.collect();
            let pairs = predictions.iter().zip(&y.data);
            let distance: f64 = pairs.map(|(p, y)| (p - y).powi(2)).sum();
            let size: f64 = predictions.iter().map(|p| p * p).sum();
            (distance.sqrt(), size.sqrt())
        };
        let target: f64 = y.data.iter().map(|y| y * y).sum::<f64>().sqrt();
        let path: Vec<_> = [0.0, 1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6].into_iter().map(at).collect();
        for pair in path.windows(2) {
            prop_assert!(pair[0].0 <= pair[1].0 + 1e-11, "distances {path:?}");
            prop_assert!(pair[0].1 >= pair[1].1 - 1e-11, "sizes {path:?}");
        }
        // Neighbours are 0.6 apart at the least, so K is far from singular.
        prop_assert!(path[0].0 < 1e-11 * target);
        prop_assert!(path[6].1 < 1e-4 * target && path[6].0 > 0.9999 * target);
    }

    #[test]
    fn targets_together_are_predicted_as_each_alone((x, y) in examples(), ridge in 0.01..1.0) {
        let kernel = Rbf::new(1.0);
        let both = fit(&kernel, &x, &y, ridge).unwrap();
        for j in 0..2 {
            let one = Grid { rows: y.rows, columns: 1, data: y.column(j) };
            prop_assert_eq!(fit(&kernel, &x, &one, ridge).unwrap().data, both.column(j));
        }
    }

    /// With the linear kernel the weights of the inputs are those of ordinary ridge regression, `w
    /// = (XᵀX + λI)⁻¹Xᵀy`.
    #[test]
    fn the_linear_kernel_gives_ordinary_ridge_regression((x, y) in examples(), ridge in 0.1..2.0) {
        let a = fit(&Linear, &x, &y, ridge).unwrap();
        let w = x.transposed().times(&a);
        let mut normal = x.transposed().times(&x);
        normal.data[0] += ridge;
        normal.data[3] += ridge;
        let (left, right) = (normal.times(&w), x.transposed().times(&y));
        for (left, right) in left.data.iter().zip(&right.data) {
            prop_assert!((left - right).abs() < 1e-10, "{left} is not {right}");
        }
    }
}

// ---- the const-generic owner ----

const SAMPLES: [[f32; 2]; 4] = [[0.0, 0.5], [1.0, 0.25], [0.5, -1.0], [-1.0, 2.0]];
const TARGETS: [[f32; 2]; 4] = [[1.0, -1.0], [0.5, 2.0], [0.0, 0.25], [-2.0, 3.0]];
const RBF: Rbf<f32> = Rbf::new(0.5);

/// Room for one more than there are.
type Model<K> = KernelRidge<K, [f32; 2], [f32; 2], 5>;

#[test]
fn the_owner_gives_the_same_bits_as_views() {
    let mut model = Model::new();
    model.fit(RBF, &SAMPLES, &TARGETS, 0.1, &mut Matrix::zeros()).unwrap();
    let (samples, targets) = (Grid::from_rows(&SAMPLES), Grid::from_rows(&TARGETS));
    let weights = fit(&RBF, &samples, &targets, 0.1).unwrap();
    assert_eq!(model.weights().as_flattened(), weights.data);
    assert_eq!(model.points(), SAMPLES);
    let x = [0.3, 0.4];
    let expected = predict(&RBF, &samples, &weights, &x);
    assert_eq!(model.predict(&x).unwrap()[..], expected[..]);
    let weights: [[f32; 2]; 4] = model.weights().try_into().unwrap();
    let flash = KernelRidge::<_, _, _, 4>::from_parts(RBF, SAMPLES, weights);
    assert_eq!(flash.predict(&x).unwrap()[..], expected[..]);
}

#[test]
fn samples_need_not_be_vectors() {
    /// Counts the positions at which two event codes agree.
    struct Matches;
    impl Kernel<str> for Matches {
        type Scalar = f64;
        fn eval(&self, x: &str, y: &str) -> f64 {
            x.bytes().zip(y.bytes()).filter(|(a, b)| a == b).count() as f64
        }
    }
    impl BlockKernel<str> for Matches {}
    let mut model = KernelRidge::<Matches, &str, [f64; 1], 3>::new();
    let (codes, costs) = (["boot-ok", "boot-no", "halt-ok"], [[1.0], [5.0], [2.0]]);
    model.fit(Matches, &codes, &costs, 0.0, &mut Matrix::zeros()).unwrap();
    for (code, [cost]) in codes.into_iter().zip(costs) {
        assert!((model.predict(code).unwrap()[0] - cost).abs() < 1e-13);
    }
    assert!(model.predict("halt-no").unwrap()[0] > model.predict("halt-ok").unwrap()[0]);
}

// ---- refusals ----

#[test]
fn bad_examples_are_named_and_leave_what_was_learned() {
    let mut model = Model::new();
    let mut workspace = Matrix::zeros();
    model.fit(RBF, &SAMPLES, &TARGETS, 0.1, &mut workspace).unwrap();
    let before = model.clone();
    let mut refuse = |kernel, samples: &[[f32; 2]], targets: &[[f32; 2]], ridge, error| {
        assert_eq!(model.fit(kernel, samples, targets, ridge, &mut workspace), Err(error));
    };
    for ridge in [-1.0, f32::NAN, f32::INFINITY] {
        let error = Error::Parameter { name: "ridge", rule: "finite and >= 0" };
        refuse(RBF, &SAMPLES, &TARGETS, ridge, error);
    }
    let gamma = Error::Parameter { name: "gamma", rule: "finite and > 0" };
    refuse(Rbf::new(0.0), &SAMPLES, &TARGETS, 0.1, gamma);
    let few = Error::TooFewSamples { given: 1, needed: 2 };
    refuse(RBF, &SAMPLES[..1], &TARGETS[..1], 0.1, few);
    let full = Error::Capacity { what: "samples", needed: 6, capacity: 5 };
    refuse(RBF, &[[0.0; 2]; 6], &[[0.0; 2]; 6], 0.1, full);
    let shape = Error::Shape { what: "targets", expected: 4, given: 3 };
    refuse(RBF, &SAMPLES, &TARGETS[..3], 0.1, shape);
    let (mut samples, mut targets) = (SAMPLES, TARGETS);
    samples[2][0] = f32::NAN;
    let fault = Fault::NotFinite { input: 0 };
    refuse(RBF, &samples, &TARGETS, 0.1, Error::Sample { index: 2, fault });
    targets[3][1] = f32::INFINITY;
    let error = Error::Label { index: 3, output: 1, rule: "finite" };
    assert_eq!(error.to_string(), "sample 3: label 1 must be finite");
    refuse(RBF, &SAMPLES, &targets, 0.1, error);
    // Twice the same sample: no inverse without a ridge.
    samples = SAMPLES;
    samples[3] = samples[1];
    let singular = Error::NotPositiveDefinite { row: 3 };
    refuse(RBF, &samples, &TARGETS, 0.0, singular);
    assert_eq!(
        singular.to_string(),
        "matrix is not positive definite: row 3 depends on the rows before it"
    );
    assert_eq!(model.weights(), before.weights());
    assert_eq!(model.predict(&[0.0, 0.0]), before.predict(&[0.0, 0.0]));

    let mut indefinite = Model::new();
    let sigmoid = Sigmoid::new(2.0, -1.0);
    let refused = indefinite.fit(sigmoid, &SAMPLES, &TARGETS, 0.1, &mut workspace);
    assert!(matches!(refused, Err(Error::NotPositiveDefinite { .. })), "{refused:?}");
}

/// `K + λI` has an inverse, but a large one.
#[test]
fn weights_that_overflow_are_refused_and_leave_what_was_learned() {
    let (samples, wide) = ([[0.0_f32], [1.0], [2.0]], Rbf::new(0.01));
    let mut model = KernelRidge::<Rbf<f32>, [f32; 1], [f32; 2], 3>::new();
    let mut workspace = Matrix::zeros();
    let targets = [[1.0, 1e37], [2.0, -1e37], [3.0, 1e37]];
    let small = targets.map(|[y, _]| [y, -y]);
    model.fit(wide, &samples, &small, 1e-5, &mut workspace).unwrap();
    let before = model.clone();
    let rule = "smaller, or the ridge larger: the weights overflow";
    let error = Error::Parameter { name: "targets", rule };
    assert_eq!(model.fit(wide, &samples, &targets, 1e-5, &mut workspace), Err(error));
    assert_eq!(model.weights(), before.weights());
    assert_eq!(model.predict(&[0.5]), before.predict(&[0.5]));
    // As the message says.
    model.fit(wide, &samples, &targets, 0.1, &mut workspace).unwrap();
    assert!(model.weights().as_flattened().iter().all(|weight| weight.is_finite()));
    // And what does not overflow is the same, however near it comes.
    let scaled = small.map(|y| y.map(|y| y * 2.0_f32.powi(100)));
    model.fit(wide, &samples, &scaled, 1e-5, &mut workspace).unwrap();
    for (large, weight) in
        model.weights().as_flattened().iter().zip(before.weights().as_flattened())
    {
        assert_eq!(*large, weight * 2.0_f32.powi(100));
    }
    // In f32 the rounding of a wide kernel exceeds a small ridge.
    let refused = model.fit(Rbf::new(1e-8), &samples, &small, 1e-7, &mut workspace);
    assert!(matches!(refused, Err(Error::NotPositiveDefinite { .. })), "{refused:?}");
}

#[test]
fn bad_queries_and_storage_are_named() {
    let mut model = Model::new();
    assert_eq!(model.predict(&[0.0, 0.0]), Err(Error::NotFitted));
    model.fit(RBF, &SAMPLES, &TARGETS, 0.1, &mut Matrix::zeros()).unwrap();
    let nan = Error::Query(Fault::NotFinite { input: 1 });
    assert_eq!(model.predict(&[0.0, f32::NAN]), Err(nan));
    let length = Error::Query(Fault::Length { expected: 2, given: 1 });
    assert_eq!(model.predict(&[0.0]), Err(length));
    let mut linear = KernelRidge::<Linear, [f32; 2], [f32; 2], 5>::new();
    linear.fit(Linear, &SAMPLES, &TARGETS, 0.1, &mut Matrix::zeros()).unwrap();
    assert_eq!(linear.predict(&[3e38, 3e38]), Err(Error::Query(Fault::Overflow)));

    let shape = |what, expected, given| Err(Error::Shape { what, expected, given });
    let view = model.view().unwrap();
    assert_eq!(view.predict(&[0.0; 2], &mut [0.0; 1]), shape("prediction", 2, 1));
    let weights = MatrixView::new(&[0.0_f32; 6], 3, 2).unwrap();
    let mismatch = KernelRidgeView::new(&RBF, SAMPLES.as_slice(), weights).map(drop);
    assert_eq!(mismatch, shape("points", 3, 4));
    let targets = Grid::from_rows(&TARGETS);
    for (side, rows, columns, expected) in [
        (3, 4, 2, shape("gram rows", 4, 3)),
        (4, 3, 2, shape("weight rows", 4, 3)),
        (4, 4, 1, shape("weight columns", 2, 1)),
    ] {
        let (mut gram, mut weights) = (Grid::zeros(side, side), Grid::zeros(rows, columns));
        let (gram, weights) = (&mut gram.view_mut(), &mut weights.view_mut());
        let result = ridge::fit(&RBF, SAMPLES.as_slice(), &targets.view(), 0.1, gram, weights);
        assert_eq!(result, expected);
    }
}
