//! What is refused, with which error and in which words.

mod common;

use std::collections::HashSet;
use std::error::Error as _;

use common::{Grid, decompose, fit_exact, fit_landmarks, gram};
use mercer::error::Fault;
use mercer::kernel::BlockKernel;
use mercer::kernel::{
    Conformal, Cosine, Exp, Laplacian, Linear, Normalised, Poly, Precomputed, Product,
    QuadraticForm, Rbf, Scale, Sigmoid, Sum,
};
use mercer::kpca::{
    Components, ExactWorkspace, Expansion, KernelPcaView, LandmarkWorkspace, Landmarks,
    PivotedCholesky, Score, exact, landmark,
};
use mercer::linalg::Matrix;
use mercer::linalg::eigen::{self, Eigensolver, TridiagonalQr};
use mercer::{Error, KernelPca};

const SAMPLES: [[f32; 2]; 5] = [[0.0, 0.5], [1.0, 0.25], [0.5, -1.0], [-1.0, 2.0], [1.5, 1.0]];
const RBF: Rbf<f32> = Rbf::new(0.5);
const CUBIC: Poly<f32> = Poly { gamma: 1.0, coef0: 1.0, degree: 3 };

/// Room for 5 points, 3 components, 6 samples.
type Model<K> = KernelPca<K, [f32; 2], 5, 3>;
type Exact = ExactWorkspace<f32, 6>;
type Landmark = LandmarkWorkspace<f32, 6, 5>;

/// The result is this error, and the error says this.
#[track_caller]
fn refused<T>(result: Result<T, Error>, error: Error, text: &str) {
    let given = result.err();
    assert_eq!(given, Some(error));
    assert_eq!(error.to_string(), text);
    if let Error::Sample { fault, .. } | Error::Query(fault) = error {
        let source = error.source().expect("the fault is the source");
        assert_eq!(source.downcast_ref(), Some(&fault));
        assert!(text.ends_with(&source.to_string()));
    }
}

/// All ways to fit, and what each says about these samples.
fn every_fit<K>(
    kernel: K,
    samples: &[[f32; 2]],
    components: Components<f32>,
) -> Vec<Result<(), Error>>
where
    K: BlockKernel<[f32], Scalar = f32> + Clone,
{
    let rank = Landmarks::Rank(3);
    let exact =
        Model::new().fit_exact(kernel.clone(), samples, components, &mut Exact::new()).map(drop);
    let landmarks = Model::new()
        .fit_landmarks(kernel.clone(), samples, rank, components, &mut Landmark::new())
        .map(drop);
    let exact_view = fit_exact(&kernel, samples, components).map(drop);
    let landmark_view = fit_landmarks(&kernel, samples, rank, components, 5).map(drop);
    vec![exact, landmarks, exact_view, landmark_view]
}

/// All functions that look at kernel and samples: the fits, the Gram matrix and the factorisation.
fn every_entry<K>(kernel: K, samples: &[[f32; 2]]) -> Vec<Result<(), Error>>
where
    K: BlockKernel<[f32], Scalar = f32> + Clone,
{
    let mut results = every_fit(kernel.clone(), samples, Components::Fixed(1));
    results.push(gram(&kernel, samples).map(drop));
    let mut residuals = vec![0.0; samples.len()];
    results.push(PivotedCholesky::start(&kernel, samples, &mut residuals).map(drop));
    results
}

/// A model fitted to [`SAMPLES`].
fn fitted<K: BlockKernel<[f32], Scalar = f32>>(kernel: K) -> Model<K> {
    let mut model = Model::new();
    model.fit_exact(kernel, &SAMPLES, Components::Fixed(2), &mut Exact::new()).unwrap();
    model
}

/// Both ways to use a model refuse the point.
#[track_caller]
fn query_refused<K>(kernel: K, x: &[f32], fault: Fault, text: &str)
where
    K: BlockKernel<[f32], Scalar = f32>,
{
    let model = fitted(kernel);
    refused(model.score(x), Error::Query(fault), text);
    refused(model.project(x), Error::Query(fault), text);
}

/// A sample in which one input is replaced.
fn with_input(index: usize, input: usize, value: f32) -> [[f32; 2]; 5] {
    let mut samples = SAMPLES;
    samples[index][input] = value;
    samples
}

// ---- samples and queries ----

#[test]
fn inputs_that_are_not_finite_are_named() {
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let fault = Fault::NotFinite { input: 1 };
        for result in every_entry(RBF, &with_input(3, 1, value)) {
            let error = Error::Sample { index: 3, fault };
            refused(result, error, "sample 3: input 1 is not finite");
        }
        query_refused(RBF, &[0.0, value], fault, "query: input 1 is not finite");
    }
}

#[test]
fn samples_and_queries_of_another_length_are_named() {
    let ragged: [&[f32]; 3] = [&[0.0, 1.0], &[1.0, 1.0], &[2.0]];
    let fault = Fault::Length { expected: 2, given: 1 };
    let text = "sample 2: number of inputs is 1, expected 2";
    let error = Error::Sample { index: 2, fault };
    refused(fit_exact(&RBF, ragged.as_slice(), Components::Fixed(1)), error, text);
    query_refused(RBF, &[1.0], fault, "query: number of inputs is 1, expected 2");
    let long = Fault::Length { expected: 2, given: 3 };
    query_refused(RBF, &[1.0; 3], long, "query: number of inputs is 3, expected 2");

    let grid = Grid::from_rows(&SAMPLES);
    let fitted = fit_exact(&RBF, &grid.view(), Components::Fixed(2)).unwrap();
    let result = fitted.score(&RBF, &grid.view(), &[1.0]);
    refused(result, Error::Query(fault), "query: number of inputs is 1, expected 2");
}

#[test]
fn fewer_than_two_samples_are_too_few() {
    for given in [0, 1] {
        for result in every_entry(RBF, &SAMPLES[..given]) {
            let text = format!("too few samples: {given} given, at least 2 needed");
            refused(result, Error::TooFewSamples { given, needed: 2 }, &text);
        }
    }
}

#[test]
fn equal_samples_have_nothing_to_learn() {
    for result in every_fit(RBF, &[[0.1, 0.7]; 5], Components::Fixed(1)) {
        let text = "all samples are equal: there is no variance to learn";
        refused(result, Error::NoVariance, text);
    }
    // Equal in feature space is enough: to the cosine, these are one point.
    let cosine: Cosine = Normalised(Linear);
    for result in every_fit(cosine, &[[1.0, 2.0], [2.0, 4.0], [4.0, 8.0]], Components::Fixed(1)) {
        assert_eq!(result, Err(Error::NoVariance));
    }
}

#[test]
fn samples_without_direction_are_refused_by_normalised_kernels() {
    let cosine: Cosine = Normalised(Linear);
    let text = "norm is zero, so that a normalised kernel has no value";
    let mut samples = SAMPLES;
    samples[2] = [0.0; 2];
    for result in every_entry(cosine, &samples) {
        let error = Error::Sample { index: 2, fault: Fault::ZeroNorm };
        refused(result, error, &format!("sample 2: {text}"));
    }
    query_refused(cosine, &[0.0, 0.0], Fault::ZeroNorm, &format!("query: {text}"));
}

#[test]
fn kernels_that_overflow_are_noticed() {
    let text = "matrix entry at row 1, column 1 is not finite";
    for result in every_entry(CUBIC, &with_input(1, 0, 1e10)) {
        refused(result, Error::NotFinite { row: 1, column: 1 }, text);
    }
    query_refused(CUBIC, &[1e20, 0.0], Fault::Overflow, "query: kernel or result overflows");
    let error = Error::Sample { index: 1, fault: Fault::Overflow };
    for result in every_entry(Normalised(CUBIC), &with_input(1, 0, 1e10)) {
        refused(result, error, "sample 1: kernel or result overflows");
    }
}

/// `k(x, x)`, the projections and T² are all finite here; twice the product with the centre is not.
#[test]
fn a_score_that_overflows_on_the_way_is_refused() {
    let samples = [[1.2e19, 0.0], [1.2e19, 1e18], [1.1e19, 0.0]];
    let mut model = Model::new();
    let (rank, components) = (Landmarks::Rank(2), Components::Fixed(1));
    model.fit_landmarks(Linear, &samples, rank, components, &mut Landmark::new()).unwrap();
    let fault = Fault::Overflow;
    let result = model.score(&[1.6e19, 0.0]);
    refused(result, Error::Query(fault), "query: kernel or result overflows");
}

// ---- kernels ----

#[test]
fn kernel_parameters_outside_their_domain_are_named_by_every_entry() {
    fn named<K: BlockKernel<[f32], Scalar = f32> + Clone>(
        kernel: K,
        name: &'static str,
        rule: &'static str,
    ) {
        for result in every_entry(kernel, &SAMPLES) {
            let text = format!("parameter `{name}` must be {rule}");
            refused(result, Error::Parameter { name, rule }, &text);
        }
    }
    let positive = "finite and > 0";
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        named(Rbf::new(bad), "gamma", positive);
        named(Laplacian::new(bad), "gamma", positive);
        named(Sigmoid::new(bad, 0.0), "gamma", positive);
        named(Poly { gamma: bad, ..CUBIC }, "gamma", positive);
        named(Scale { factor: bad, kernel: Linear }, "factor", positive);
        named(Sum(Linear, Rbf::new(bad)), "gamma", positive);
        named(Product(Rbf::new(bad), Linear), "gamma", positive);
        named(Exp::new(Rbf::new(bad)), "gamma", positive);
        named(Normalised(Rbf::new(bad)), "gamma", positive);
        named(Conformal { kernel: Rbf::new(bad), weight: |x: &[f32]| x[0] }, "gamma", positive);
    }
    named(Sigmoid::new(1.0, f32::NAN), "coef0", "finite");
    named(Poly { coef0: f32::INFINITY, ..CUBIC }, "coef0", "finite");
    named(Poly { degree: 0, ..CUBIC }, "degree", ">= 1");
    let matrix = Matrix::from_rows([[1.0, 2.0], [2.0, 1.0]]);
    named(QuadraticForm { matrix }, "matrix", "positive semi-definite");
}

#[test]
fn precomputed_matrices_must_be_square_finite_and_symmetric() {
    let fit = |matrix: &Grid<f32>| {
        fit_exact(&Precomputed(matrix.view()), [0_usize, 1, 2].as_slice(), Components::Fixed(1))
    };
    let mut matrix = Grid::from_fn(3, 3, |i, j| if i == j { 1.0 } else { 0.25 });
    assert!(fit(&matrix).is_ok());
    let oblong = Error::Shape { what: "matrix columns", expected: 3, given: 2 };
    let text = "size mismatch in matrix columns: 2 given, 3 expected";
    refused(fit(&Grid::from_fn(3, 2, |_, _| 1.0)), oblong, text);
    matrix.data[7] = 0.5;
    let skewed = Error::NotSymmetric { row: 1, column: 2 };
    refused(fit(&matrix), skewed, "matrix is not symmetric at row 1, column 2");
    matrix.data[7] = f32::NAN;
    let nan = Error::NotFinite { row: 2, column: 1 };
    refused(fit(&matrix), nan, "matrix entry at row 2, column 1 is not finite");
}

#[test]
fn rows_outside_a_precomputed_matrix_are_refused() {
    let matrix = Matrix::from_rows([[1.0_f32, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 1.0]]);
    let mut model = KernelPca::<Precomputed<f32>, usize, 5, 2>::new();
    let mut fit = |rows: &[usize]| {
        let kernel = Precomputed(matrix.view());
        model.fit_exact(kernel, rows, Components::Fixed(1), &mut Exact::new())
    };
    let fault = Fault::OutOfRange { size: 3 };
    let outside = Error::Sample { index: 1, fault };
    let text = "index is outside the precomputed matrix of 3 rows";
    refused(fit(&[0, 3, 1]), outside, &format!("sample 1: {text}"));
    fit(&[0, 1]).unwrap();
    assert!(model.score(&2).is_ok());
    refused(model.score(&3), Error::Query(fault), &format!("query: {text}"));
}

// ---- matrices ----

#[test]
fn the_eigensolver_refuses_matrices_it_cannot_decompose() {
    let mut a = Grid::from_fn(3, 3, |i, j| (i + j) as f64);
    assert!(decompose(&a).is_ok());
    a.data[1] = 1.5;
    let skewed = Error::NotSymmetric { row: 0, column: 1 };
    refused(decompose(&a).map(drop), skewed, "matrix is not symmetric at row 0, column 1");
    a.data[1] = f64::INFINITY;
    let infinite = Error::NotFinite { row: 0, column: 1 };
    refused(decompose(&a).map(drop), infinite, "matrix entry at row 0, column 1 is not finite");
    let mut a = Grid::from_fn(2, 2, |_, _| 1.0);
    let unfinished = eigen::symmetric(&mut a.view_mut(), &mut [0.0; 2], &mut [0.0; 2], 0);
    let text = "eigensolver did not converge in 0 sweeps";
    refused(unfinished, Error::NoConvergence { sweeps: 0 }, text);
}

/// Entries and eigenvalues are finite here, but the Frobenius norm, which convergence is measured
/// by, is not.
#[test]
fn the_eigensolver_solves_matrices_near_overflow() {
    let unit = f32::MAX / 10.0;
    let a = Grid::from_fn(3, 3, |i, j| if i == j { 7.0 * unit } else { unit });
    let values = decompose(&a).unwrap().values;
    for (value, expected) in values.iter().zip([9.0, 6.0, 6.0]) {
        assert!((value / unit - expected).abs() < 1e-5, "{values:?}");
    }
}

// ---- sizes ----

#[test]
fn more_components_than_the_samples_span_are_refused() {
    for result in every_fit(Linear, &SAMPLES, Components::Fixed(3)) {
        let text = "3 components requested, but the samples span only 2";
        refused(result, Error::Rank { wanted: 3, rank: 2 }, text);
    }
}

#[test]
fn wishes_that_make_no_sense_are_named() {
    for result in every_fit(RBF, &SAMPLES, Components::Fixed(0)) {
        let error = Error::Parameter { name: "components", rule: ">= 1" };
        refused(result, error, "parameter `components` must be >= 1");
    }
    for share in [0.0, -0.5, 1.5, f32::NAN] {
        for result in every_fit(RBF, &SAMPLES, Components::Share(share)) {
            let error = Error::Parameter { name: "share", rule: "> 0 and <= 1" };
            refused(result, error, "parameter `share` must be > 0 and <= 1");
        }
    }
    let landmarks =
        |stop| fit_landmarks(&RBF, SAMPLES.as_slice(), stop, Components::Fixed(1), 5).map(drop);
    let error = Error::Parameter { name: "landmarks", rule: ">= 1" };
    refused(landmarks(Landmarks::Rank(0)), error, "parameter `landmarks` must be >= 1");
    for share in [0.0, 1.0, f32::NAN] {
        let error = Error::Parameter { name: "residual", rule: "> 0 and < 1" };
        let text = "parameter `residual` must be > 0 and < 1";
        refused(landmarks(Landmarks::Residual(share)), error, text);
    }
}

#[test]
fn what_does_not_fit_is_named_with_its_capacity() {
    #[track_caller]
    fn full<T>(result: Result<T, Error>, what: &'static str, needed: usize, capacity: usize) {
        let text = format!("no room for {what}: at least {needed} needed, capacity is {capacity}");
        refused(result, Error::Capacity { what, needed, capacity }, &text);
    }
    let spread = |n: usize| (0..n).map(|i| [i as f32, (i * i) as f32]).collect::<Vec<_>>();
    let exact = |n, components| {
        Model::new().fit_exact(RBF, &spread(n), Components::Fixed(components), &mut Exact::new())
    };
    let landmarks = |n, stop, components| {
        let components = Components::Fixed(components);
        Model::new().fit_landmarks(RBF, &spread(n), stop, components, &mut Landmark::new())
    };
    full(exact(7, 1), "samples in the workspace", 7, 6);
    full(landmarks(7, Landmarks::Rank(2), 1), "samples in the workspace", 7, 6);
    full(exact(6, 1), "points", 6, 5);
    full(exact(5, 4), "components", 4, 3);
    full(landmarks(6, Landmarks::Rank(5), 4), "components", 4, 3);
    full(landmarks(6, Landmarks::Rank(6), 1), "landmarks", 6, 5);
    full(landmarks(6, Landmarks::Residual(1e-6), 1), "landmarks", 6, 5);

    let mut workspace = Exact::new();
    let mut scratch = workspace.scratch(5).unwrap();
    let (mut expansion, mut out) = (Expansion::<f32, 5, 3>::empty(), [0.0; 3]);
    let (samples, storage) = (SAMPLES.as_slice(), &mut expansion.storage());
    exact::fit(&RBF, samples, Components::Fixed(3), &mut scratch, storage).unwrap();
    scratch.training_projection(4, &mut out).unwrap();
    full(scratch.training_projection(5, &mut out), "samples", 6, 5);
    full(scratch.training_projection(0, &mut [0.0; 6]), "components", 6, 5);
}

#[test]
fn memory_of_the_wrong_size_is_refused() {
    const N: usize = SAMPLES.len();
    let samples = SAMPLES.as_slice();
    let exact = |short: &str| {
        let size = |name| if name == short { N - 1 } else { N };
        let mut gram = Grid::zeros(size("gram"), size("gram"));
        let [mut values, mut means, mut beside] =
            ["values", "means", "beside"].map(|name| vec![0.0; size(name)]);
        let mut scratch = exact::ExactScratch {
            gram: gram.view_mut(),
            values: &mut values,
            means: &mut means,
            solver: TridiagonalQr::scratch(&mut beside),
        };
        let mut expansion = Expansion::<f32, N, 3>::empty();
        exact::fit(&RBF, samples, Components::Fixed(1), &mut scratch, &mut expansion.storage())
    };
    assert!(exact("none").is_ok());
    for short in ["gram", "values", "means", "beside"] {
        assert!(matches!(exact(short), Err(Error::Shape { .. })), "{short}: {:?}", exact(short));
    }

    let landmarks = |short: &str| {
        let size = |name, size: usize| if name == short { size - 1 } else { size };
        let mut factor = Grid::zeros(size("factor", N), 3);
        let (mut residuals, mut pivots) =
            (vec![0.0; size("residuals", N)], vec![0; size("pivots", 3)]);
        let mut covariance = Grid::zeros(size("covariance", 3), 3);
        let [mut values, mut mean, mut beside] =
            ["values", "mean", "beside"].map(|name| vec![0.0; size(name, 3)]);
        let mut scratch = landmark::LandmarkScratch {
            factor: factor.view_mut(),
            residuals: &mut residuals,
            pivots: &mut pivots,
            covariance: covariance.view_mut(),
            values: &mut values,
            mean: &mut mean,
            solver: TridiagonalQr::scratch(&mut beside),
        };
        let mut expansion = Expansion::<f32, 3, 3>::empty();
        let (rank, components) = (Landmarks::Rank(3), Components::Fixed(1));
        let storage = &mut expansion.storage();
        landmark::fit(&RBF, samples, rank, components, &mut scratch, storage)
    };
    assert!(landmarks("none").is_ok());
    for short in ["factor", "residuals", "pivots", "covariance", "values", "mean", "beside"] {
        let result = landmarks(short);
        assert!(matches!(result, Err(Error::Shape { .. })), "{short}: {result:?}");
    }
}

#[test]
fn views_check_their_sizes() {
    let grid = Grid::from_rows(&SAMPLES);
    let fitted = fit_exact(&RBF, &grid.view(), Components::Fixed(2)).unwrap();
    let four = SAMPLES[..4].as_ref();
    let points = Error::Shape { what: "points", expected: 5, given: 4 };
    let mut memos = vec![Default::default(); fitted.expansion().points()];
    let view = KernelPcaView::new(&RBF, four, fitted.expansion(), &mut memos).map(drop);
    refused(view, points, "size mismatch in points: 4 given, 5 expected");
    let samples = grid.view();
    let mut memos = vec![Default::default(); fitted.expansion().points()];
    let view = KernelPcaView::new(&RBF, &samples, fitted.expansion(), &mut memos).unwrap();
    let short = Error::Shape { what: "projection", expected: 2, given: 1 };
    let text = "size mismatch in projection: 1 given, 2 expected";
    refused(view.score(&[0.0, 0.0], &mut [0.0; 1]), short, text);
    refused(view.project(&[0.0, 0.0], &mut [0.0; 1]), short, text);
    let row = Error::Shape { what: "kernel row", expected: 5, given: 4 };
    let text = "size mismatch in kernel row: 4 given, 5 expected";
    refused(fitted.expansion().score_row(1.0, &[0.0; 4], &mut [0.0; 2]), row, text);
    refused(fitted.expansion().project_row(&[0.0; 4], &mut [0.0; 2]), row, text);
}

// ---- the life of a model ----

#[test]
fn a_model_that_was_not_fitted_says_so() {
    let model = Model::<Rbf<f32>>::new();
    let text = "model has not been fitted";
    refused(model.score(&[0.0, 0.0]), Error::NotFitted, text);
    refused(model.project(&[0.0, 0.0]), Error::NotFitted, text);
    refused(model.view().map(drop), Error::NotFitted, text);
}

fn bits(score: Score<f32>) -> [u32; 4] {
    [score.spe, score.t2, score.abs_sum, score.centre_distance].map(f32::to_bits)
}

#[test]
fn a_failed_refit_leaves_the_model_as_it_was() {
    let mut model = fitted(CUBIC);
    let query = [0.3, -0.2];
    let before = bits(model.score(&query).unwrap());
    let one = Components::Fixed(1);
    // None of these may pass, and the last ones fail as late as possible.
    let long = [SAMPLES, SAMPLES].concat();
    type Attempt<'a> = (Poly<f32>, &'a [[f32; 2]], Components<f32>);
    let attempts: [Attempt; 10] = [
        (Poly { degree: 0, ..CUBIC }, &SAMPLES, one),
        (CUBIC, &SAMPLES[..1], one),
        (CUBIC, &long, one),
        (CUBIC, &with_input(4, 0, f32::NAN), one),
        (CUBIC, &with_input(4, 0, 1e20), one),
        (CUBIC, &[[1.0, 2.0]; 4], one),
        (CUBIC, &SAMPLES[1..], Components::Share(2.0)),
        (CUBIC, &SAMPLES[1..], Components::Fixed(5)),
        (CUBIC, &SAMPLES[1..], Components::Fixed(0)),
        (CUBIC, &with_input(0, 1, 3.0), Components::Fixed(4)),
    ];
    for (i, (kernel, samples, components)) in attempts.into_iter().enumerate() {
        let exact = model.fit_exact(kernel, samples, components, &mut Exact::new());
        assert!(exact.is_err(), "attempt {i}");
        assert_eq!(bits(model.score(&query).unwrap()), before, "attempt {i}, exact");
        let (rank, mut workspace) = (Landmarks::Rank(4), Landmark::new());
        let landmarks = model.fit_landmarks(kernel, samples, rank, components, &mut workspace);
        assert!(landmarks.is_err(), "attempt {i}");
        assert_eq!(bits(model.score(&query).unwrap()), before, "attempt {i}, landmarks");
        assert_eq!(model.points(), SAMPLES, "attempt {i}");
    }
    let refit = model.fit_exact(CUBIC, &SAMPLES[1..], one, &mut Exact::new());
    assert!(refit.is_ok());
    assert_ne!(bits(model.score(&query).unwrap()), before);
}

#[test]
fn every_error_has_its_own_words() {
    let faults = [
        Fault::NotFinite { input: 1 },
        Fault::Length { expected: 1, given: 2 },
        Fault::ZeroNorm,
        Fault::Overflow,
        Fault::OutOfRange { size: 1 },
    ];
    let samples = faults.map(|fault| Error::Sample { index: 1, fault });
    let queries = faults.map(Error::Query);
    let others = [
        Error::Parameter { name: "a", rule: "b" },
        Error::TooFewSamples { given: 1, needed: 2 },
        Error::Capacity { what: "a", needed: 2, capacity: 1 },
        Error::Shape { what: "a", expected: 1, given: 2 },
        Error::NotSymmetric { row: 1, column: 2 },
        Error::NotFinite { row: 1, column: 2 },
        Error::Weight { row: 1, column: 2 },
        Error::NoVariance,
        Error::Rank { wanted: 2, rank: 1 },
        Error::NoConvergence { sweeps: 1 },
        Error::NotFitted,
    ];
    let errors = [samples.as_slice(), &queries, &others].concat();
    let texts: HashSet<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), errors.len());
    assert!(texts.iter().all(|text| !text.is_empty()));
}
