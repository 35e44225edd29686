//! Agreement with scikit-learn and numpy: every case of `data/golden/manifest.csv`, in double
//! and in single precision, by both eigensolvers.
//!
//! `cargo test --test golden -- --nocapture` prints the worst errors of each case.

mod common;

use std::collections::BTreeSet;
use std::fmt::Debug;

use common::{
    Fitted, Grid, Route, Table, fit_exact, fit_exact_by, fit_landmarks, fit_landmarks_by,
    fit_pca_by, number,
};
use mercer::kernel::{BlockKernel, Cosine, Linear, Normalised, Poly, Rbf, Sigmoid};
use mercer::kpca::{
    Components, ExactWorkspace, KernelPcaView, LandmarkWorkspace, Landmarks, PivotedCholesky, Score,
};
use mercer::linalg::MatrixView;
use mercer::linalg::eigen::{Eigensolver, Jacobi, TridiagonalQr};
use mercer::math::{Fast, Math, Real};
use mercer::methods::ridge::{self, KernelRidgeView};
use mercer::{KernelPca, Progress};

/// Largest errors allowed in one precision, each relative to the largest reference value of its
/// column or table.
struct Tolerances {
    /// Eigenvalues, traces, residuals of pivots, and `k̃`, which no eigenvector enters.
    values: f64,
    /// Projections and `Σ|f|`. They turn by rounding over the relative gap of the eigenvalues,
    /// 2.6e-4 at the least here; but components whose neighbours are that close are small
    /// beside the largest, so one limit does for all cases.
    projections: f64,
    /// SPE, relative to the largest `k̃`: it is a difference of numbers of that size. Absolute with
    /// Gaussian kernels, where `k̃` is about 1.
    spe: f64,
    /// T² divides by the variances, so an error relative to the largest projection counts up to
    /// `√(λ₁/λ_q)` times: up to 47 here.
    t2: f64,
    /// Weights and predictions of ridge regressions: twice the rounding times the condition of the
    /// matrix, which is up to 209 here.
    ridge: f64,
}

/// Double precision: the references themselves are good to 1e-14.
const F64: Tolerances =
    Tolerances { values: 1e-9, projections: 1e-9, spe: 1e-9, t2: 1e-9, ridge: 1e-9 };
/// Single precision: `ε` is 1.2e-7, and the inputs are rounded to it before anything is computed.
const F32: Tolerances =
    Tolerances { values: 1e-5, projections: 1e-4, spe: 1e-5, t2: 1e-3, ridge: 5e-5 };

/// How many cases of each type there are, so that a manifest cut short is noticed.
const CASES: [(&str, usize); 4] = [("kpca", 11), ("pca", 2), ("pch", 3), ("krr", 3)];

/// One line of the manifest.
struct Case {
    name: String,
    kind: String,
    dataset: String,
    kernel: String,
    gamma: Option<f64>,
    degree: Option<f64>,
    coef0: Option<f64>,
    /// The ridge.
    alpha: Option<f64>,
    /// 0 where there are none.
    components: usize,
    rank: Option<f64>,
    trace: Option<f64>,
    relative_gap: Option<f64>,
    sign_margin: Option<f64>,
    least_eigenvalue: Option<f64>,
}

impl Case {
    fn all() -> Vec<Self> {
        let manifest = Table::read("golden/manifest.csv");
        let read = |row| {
            let text = |column| manifest.text(row, column);
            let optional = |column| Some(text(column)).filter(|v| !v.is_empty()).map(number);
            Self {
                name: text("case").into(),
                kind: text("type").into(),
                dataset: text("dataset").into(),
                kernel: text("kernel").into(),
                gamma: optional("gamma"),
                degree: optional("degree"),
                coef0: optional("coef0"),
                alpha: optional("alpha"),
                components: optional("q").map_or(0, |q| q as usize),
                rank: optional("rank"),
                trace: optional("trace"),
                relative_gap: optional("min_rel_gap"),
                sign_margin: optional("min_sign_margin"),
                least_eigenvalue: optional("min_eig_over_max"),
            }
        };
        (0..manifest.rows()).map(read).collect()
    }

    fn named(name: &str) -> Self {
        Self::all().into_iter().find(|case| case.name == name).expect(name)
    }

    /// The file of the case with this ending.
    fn table(&self, ending: &str) -> Table {
        Table::read(&format!("golden/{}_{ending}.csv", self.name))
    }

    fn data<T: Real>(&self, part: &str) -> Grid<T> {
        Table::read(&format!("golden/{}_data_{part}.csv", self.dataset)).numbers().cast()
    }

    fn rbf<T: Real>(&self) -> Rbf<T> {
        Rbf::new(T::from_f64(self.gamma.unwrap()))
    }

    fn poly<T: Real>(&self) -> Poly<T> {
        let [gamma, coef0] = [self.gamma, self.coef0].map(|v| T::from_f64(v.unwrap()));
        Poly { gamma, coef0, degree: self.degree.unwrap() as u32 }
    }

    fn sigmoid<T: Real>(&self) -> Sigmoid<T> {
        Sigmoid::new(T::from_f64(self.gamma.unwrap()), T::from_f64(self.coef0.unwrap()))
    }
}

/// The errors of one case in one precision.
struct Errors {
    label: String,
    tolerances: &'static Tolerances,
    worst: Vec<(&'static str, f64, f64)>,
}

impl Errors {
    /// Notes the largest difference over `scale`; a NaN counts as infinite.
    fn note<T: Real>(
        &mut self,
        what: &'static str,
        got: &[T],
        expected: &[f64],
        scale: f64,
        limit: f64,
    ) {
        assert_eq!(got.len(), expected.len(), "{}: {what}", self.label);
        let differences = got.iter().zip(expected).map(|(g, e)| (g.to_f64() - e).abs() / scale);
        let error = differences.map(|d| if d.is_nan() { f64::INFINITY } else { d });
        let error = error.fold(0.0, f64::max);
        match self.worst.iter_mut().find(|(known, ..)| *known == what) {
            Some((_, worst, _)) => *worst = worst.max(error),
            None => self.worst.push((what, error, limit)),
        }
    }

    fn values<T: Real>(&mut self, what: &'static str, got: &[T], expected: &[f64]) {
        self.note(what, got, expected, largest(expected), self.tolerances.values);
    }

    fn projections<T: Real>(&mut self, what: &'static str, got: &[T], expected: &[f64]) {
        self.note(what, got, expected, largest(expected), self.tolerances.projections);
    }

    /// `expected` as computed, without clamping; the crate's is never negative unless the kernel is
    /// indefinite.
    fn spe<T: Real>(&mut self, got: &[T], expected: &[f64], scale: f64, indefinite: bool) {
        let negligible = -F64.spe * scale;
        let clamp = |e: f64| if indefinite || e < negligible { e } else { e.max(0.0) };
        let expected: Vec<_> = expected.iter().copied().map(clamp).collect();
        self.note("spe", got, &expected, scale, self.tolerances.spe);
    }

    fn ridge<T: Real>(&mut self, what: &'static str, got: &[T], expected: &[f64]) {
        self.note(what, got, expected, largest(expected), self.tolerances.ridge);
    }

    fn t2<T: Real>(&mut self, got: &[T], expected: &[f64]) {
        self.note("t2", got, expected, largest(expected), self.tolerances.t2);
    }

    /// The line of the table; the errors that exceed their limits are marked.
    fn line(&self) -> String {
        let mark = |error, limit| if error <= limit { ' ' } else { '!' };
        let cell = |(what, error, limit): &(_, f64, f64)| {
            format!("  {what} {error:.1e}{}", mark(*error, *limit))
        };
        let cells: String = self.worst.iter().map(cell).collect();
        format!("{:<25}{cells}", self.label)
    }

    fn within_limits(&self) -> bool {
        self.worst.iter().all(|(_, error, limit)| error <= limit)
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest: f64, v| largest.max(v.abs()))
}

/// Projections of the rows of `points`, one after the other, and one column for each score.
struct Scored<T> {
    projections: Vec<T>,
    scores: Vec<Score<T>>,
}

impl<T: Real> Scored<T> {
    fn new<K: BlockKernel<[T], Scalar = T>>(
        fitted: &Fitted<T>,
        kernel: &K,
        points: MatrixView<'_, T>,
        queries: &Grid<T>,
    ) -> Self {
        let score = |x| fitted.score(kernel, &points, x).unwrap();
        let (projections, scores): (Vec<_>, _) = queries.iter_rows().map(score).unzip();
        Self { projections: projections.concat(), scores }
    }

    fn column(&self, field: impl Fn(&Score<T>) -> T) -> Vec<T> {
        self.scores.iter().map(field).collect()
    }
}

/// Runs one case by the solver `E`; the type and kernel must be known.
fn run<T: Real, E: Eigensolver<T>>(
    case: &Case,
    precision: &str,
    tolerances: &'static Tolerances,
) -> Errors
where
    Fast: Math<T>,
{
    let label = format!("{} {precision}", case.name);
    let mut errors = Errors { label, tolerances, worst: Vec::new() };
    match (case.kind.as_str(), case.kernel.as_str()) {
        ("kpca", "rbf") => kpca::<T, E, _>(case, &case.rbf::<T>(), &mut errors),
        ("kpca", "poly") => kpca::<T, E, _>(case, &case.poly::<T>(), &mut errors),
        ("kpca", "sigmoid") => kpca::<T, E, _>(case, &case.sigmoid::<T>(), &mut errors),
        ("kpca", "linear") => kpca::<T, E, _>(case, &Linear, &mut errors),
        ("kpca", "cosine") => kpca::<T, E, Cosine>(case, &Normalised(Linear), &mut errors),
        ("pca", "") => {
            pca::<T, E>(case, Route::Primal, &mut errors);
            pca::<T, E>(case, Route::Dual, &mut errors);
            pca_by_kernel::<T, E>(case, &mut errors);
        }
        ("pch", "rbf") => pch::<T, E>(case, &mut errors),
        ("krr", "rbf") => krr(case, &case.rbf::<T>(), &mut errors),
        ("krr", "poly") => krr(case, &case.poly::<T>(), &mut errors),
        ("krr", "linear") => krr::<T, _>(case, &Linear, &mut errors),
        unknown => panic!("{}: no test for {unknown:?}", case.name),
    }
    errors
}

/// The sign of every component is decided more clearly than projections are known, so that signs
/// can be compared too.
fn require_clear_signs(case: &Case, errors: &Errors) {
    assert!(case.sign_margin.unwrap() > errors.tolerances.projections, "{}", errors.label);
}

fn kpca<T, E, K>(case: &Case, kernel: &K, errors: &mut Errors)
where
    T: Real,
    E: Eigensolver<T>,
    K: BlockKernel<[T], Scalar = T>,
{
    require_clear_signs(case, errors);
    let train = case.data::<T>("train");
    let count = T::from_usize(train.rows);
    let components = Components::Fixed(case.components);
    let fitted = fit_exact_by::<E, _, _>(kernel, &train.view(), components).unwrap();
    let indefinite = case.least_eigenvalue.unwrap() < -1e-6;
    assert_eq!(fitted.report.indefinite, indefinite, "{}", errors.label);

    let mu: Vec<_> = fitted.expansion().variances().iter().map(|&v| v * count).collect();
    errors.values("mu", &mu, &case.table("eig").column("mu"));
    let trace = fitted.expansion().header().total_variance * count;
    errors.values("trace", &[trace], &[case.trace.unwrap()]);
    errors.projections("√η·v", &fitted.training.data, &case.table("train").numbers().data);

    for (part, scores) in [("train", "scores_train"), ("test", "scores")] {
        let got = Scored::new(&fitted, kernel, train.view(), &case.data(part));
        errors.projections("f", &got.projections, &case.table(part).numbers().data);
        let expected = case.table(scores);
        let kxx = expected.column("kxx");
        errors.values("k̃", &got.column(|s| s.centre_distance), &kxx);
        let scale = if case.kernel == "rbf" { 1.0 } else { largest(&kxx) };
        errors.spe(&got.column(|s| s.spe), &expected.column("spe"), scale, indefinite);
        errors.t2(&got.column(|s| s.t2), &expected.column("t2"));
        errors.projections("Σ|f|", &got.column(|s| s.abs_sum), &expected.column("fabs"));
    }
    if let Some(ridge) = case.alpha {
        inverse(case, kernel, T::from_f64(ridge), &fitted, errors);
    }
}

/// `inverse_transform`: learned pre-images of the test projections, with the same kernel on
/// projections.
fn inverse<T: Real, K: BlockKernel<[T], Scalar = T>>(
    case: &Case,
    kernel: &K,
    ridge: T,
    fitted: &Fitted<T>,
    errors: &mut Errors,
) {
    let (train, n) = (case.data::<T>("train"), fitted.training.rows);
    let points = train.view();
    let mut memos = vec![Default::default(); fitted.expansion().points()];
    let model = KernelPcaView::new(kernel, &points, fitted.expansion(), &mut memos).unwrap();
    let (mut projections, mut weights) =
        (Grid::zeros(n, case.components), Grid::zeros(n, train.columns));
    let (rows, weights_mut) = (&mut projections.view_mut(), &mut weights.view_mut());
    let gram = &mut Grid::zeros(n, n);
    mercer::methods::preimage::learn(
        &model,
        kernel,
        &points,
        ridge,
        rows,
        &mut gram.view_mut(),
        weights_mut,
    )
    .unwrap();
    let projections = projections.view();
    let regression = KernelRidgeView::new(kernel, &projections, weights.view()).unwrap();
    let mut got = Grid::zeros(case.data::<T>("test").rows, train.columns);
    let queries = case.table("test").numbers().cast::<T>();
    for (x, f) in got.view_mut().iter_rows_mut().zip(queries.iter_rows()) {
        regression.predict(f, x).unwrap();
    }
    errors.projections("x̂", &got.data, &case.table("inverse_test").numbers().data);
}

/// Both routes of linear PCA.
fn pca<T: Real, E: Eigensolver<T>>(case: &Case, route: Route, errors: &mut Errors) {
    require_clear_signs(case, errors);
    let (train, test) = (case.data::<T>("train"), case.data::<T>("test"));
    let fitted = fit_pca_by::<E, T>(&train, Components::Fixed(case.components), route).unwrap();
    let pca = fitted.view();
    let scale = largest(&train.cast().data);
    let mean = case.table("mean").numbers();
    errors.note("mean", pca.mean(), &mean.data, scale, errors.tolerances.values);
    let axes: Vec<T> = pca.axes().iter_rows().flatten().copied().collect();
    errors.projections("axes", &axes, &case.table("components").numbers().data);
    // The references divide by n − 1.
    let unbiased = T::from_usize(train.rows) / T::from_usize(train.rows - 1);
    let variances: Vec<_> = pca.variances().iter().map(|&v| v * unbiased).collect();
    errors.values("variances", &variances, &case.table("var").column("var_n_minus_1"));
    let ratios: Vec<_> = pca.explained_ratios().collect();
    errors.values("ratios", &ratios, &case.table("var").column("ratio"));

    let mut projection = vec![T::ZERO; case.components];
    let (mut projections, mut scores) = (Vec::new(), Vec::new());
    for x in test.iter_rows() {
        scores.push(pca.score(x, &mut projection).unwrap());
        projections.extend_from_slice(&projection);
    }
    let got = Scored { projections, scores };
    errors.projections("f", &got.projections, &case.table("test").numbers().data);
    let expected = case.table("scores");
    let dist2 = expected.column("dist2");
    errors.values("k̃", &got.column(|s| s.centre_distance), &dist2);
    errors.spe(&got.column(|s| s.spe), &expected.column("spe"), largest(&dist2), false);
    errors.t2(&got.column(|s| s.t2 / unbiased), &expected.column("t2"));
}

/// Ordinary PCA is kernel PCA with the linear kernel: its mean is `Σ β_i x_i`, its axes are `Σ α_ji
/// x_i`.
fn pca_by_kernel<T: Real, E: Eigensolver<T>>(case: &Case, errors: &mut Errors) {
    require_clear_signs(case, errors);
    let train = case.data::<T>("train");
    let components = Components::Fixed(case.components);
    let fitted = fit_exact_by::<E, _, _>(&Linear, &train.view(), components).unwrap();
    let expansion = fitted.expansion();
    let weights =
        Grid::from_fn(train.rows, case.components, |i, j| expansion.weights().get(i, j).unwrap());
    let beta = Grid::from_rows(&[expansion.centre()]);
    let mean = case.table("mean").numbers();
    // Of standardised inputs it is zero, so it is compared with the inputs.
    let scale = largest(&train.cast().data);
    errors.note("mean", &beta.times(&train).data, &mean.data, scale, errors.tolerances.values);
    let axes = weights.transposed().times(&train);
    errors.projections("axes", &axes.data, &case.table("components").numbers().data);

    // The references divide by n − 1.
    let unbiased = T::from_usize(train.rows) / T::from_usize(train.rows - 1);
    let variances: Vec<_> = expansion.variances().iter().map(|&v| v * unbiased).collect();
    errors.values("variances", &variances, &case.table("var").column("var_n_minus_1"));
    let ratios: Vec<_> = expansion.explained_ratios().collect();
    errors.values("ratios", &ratios, &case.table("var").column("ratio"));

    let got = Scored::new(&fitted, &Linear, train.view(), &case.data("test"));
    errors.projections("f", &got.projections, &case.table("test").numbers().data);
    let expected = case.table("scores");
    let dist2 = expected.column("dist2");
    errors.values("k̃", &got.column(|s| s.centre_distance), &dist2);
    errors.spe(&got.column(|s| s.spe), &expected.column("spe"), largest(&dist2), false);
    errors.t2(&got.column(|s| s.t2 / unbiased), &expected.column("t2"));
}

/// Landmarks by pivoted Cholesky, and PCA in their span.
fn pch<T: Real, E: Eigensolver<T>>(case: &Case, errors: &mut Errors)
where
    Fast: Math<T>,
{
    let (kernel, train) = (case.rbf::<T>(), case.data::<T>("train"));
    let rank = case.rank.unwrap() as usize;
    let (pivots, chosen) = pivots(&kernel, train.view(), rank);
    let expected = case.table("pivots");
    errors.values("δ", &chosen, &expected.column("residual_when_chosen"));
    let rows: Vec<_> = expected.column("row").into_iter().map(|row| row as usize).collect();
    assert_eq!(pivots, rows, "{}: lead {:e}", errors.label, case.relative_gap.unwrap());

    let fit = |components| {
        let (stop, components) = (Landmarks::Rank(rank), Components::Fixed(components));
        fit_landmarks_by::<E, _, _>(&kernel, &train.view(), stop, components, rank).unwrap()
    };
    let (full, kept) = (fit(rank), fit(case.components));
    // Of the same landmarks, those far from the origin come last.
    let sorted = |rows: &[usize]| rows.iter().copied().collect::<BTreeSet<_>>();
    assert_eq!(sorted(&full.points), sorted(&rows));
    errors.values("λ", full.expansion().variances(), &case.table("eig").column("lambda"));

    let (points, test) = (train.pick(&full.points), case.data("test"));
    let expected = case.table("scores");
    for (fitted, column) in [(full, "residual"), (kept, "spe")] {
        let got = Scored::new(&fitted, &kernel, points.view(), &test);
        errors.spe(&got.column(|s| s.spe), &expected.column(column), 1.0, false);
    }
}

/// Takes landmarks one by one: which, and their residuals at that moment.
fn pivots<T: Real>(kernel: &Rbf<T>, samples: MatrixView<'_, T>, rank: usize) -> (Vec<usize>, Vec<T>)
where
    Fast: Math<T>,
{
    let mut factor = Grid::zeros(samples.rows(), rank);
    let (mut residuals, mut pivots) = (vec![T::ZERO; samples.rows()], vec![0; rank]);
    let mut cholesky = PivotedCholesky::start(kernel, &samples, &mut residuals).unwrap();
    let mut chosen = Vec::new();
    loop {
        let before = residuals.clone();
        let (factor, stop) = (&mut factor.view_mut(), Landmarks::Rank(rank));
        let step = cholesky.step(kernel, &samples, stop, factor, &mut residuals, &mut pivots);
        match step.unwrap() {
            Progress::Working => chosen.push(before[pivots[cholesky.rank() - 1] as usize]),
            Progress::Done => return (pivots.iter().map(|&p| p as usize).collect(), chosen),
        }
    }
}

/// Ridge regressions; the last column of the data is the target.
fn krr<T: Real, K: BlockKernel<[T], Scalar = T>>(case: &Case, kernel: &K, errors: &mut Errors) {
    let ridge = T::from_f64(case.alpha.unwrap());
    let (train, test) = (case.data::<T>("train"), case.data::<T>("test"));
    let inputs = |data: &Grid<T>| Grid::from_fn(data.rows, data.columns - 1, |i, j| data.at(i, j));
    let (samples, n) = (inputs(&train), train.rows);
    let targets = Grid { rows: n, columns: 1, data: train.column(train.columns - 1) };
    let (mut gram, mut weights) = (Grid::zeros(n, n), Grid::zeros(n, 1));
    let storage = (&mut gram.view_mut(), &mut weights.view_mut());
    ridge::fit(kernel, &samples.view(), &targets.view(), ridge, storage.0, storage.1).unwrap();
    errors.ridge("a", &weights.data, &case.table("dual").numbers().data);
    let points = samples.view();
    let model = KernelRidgeView::new(kernel, &points, weights.view()).unwrap();
    let predict = |x: &[T]| {
        let mut prediction = [T::ZERO];
        model.predict(x, &mut prediction).unwrap();
        prediction[0]
    };
    let predictions: Vec<T> = inputs(&test).iter_rows().map(predict).collect();
    errors.ridge("y", &predictions, &case.table("pred").numbers().data);
}

#[test]
fn every_case_agrees_with_its_reference() {
    let cases = Case::all();
    for (kind, count) in CASES {
        assert_eq!(cases.iter().filter(|case| case.kind == kind).count(), count, "{kind} cases");
    }
    let all = |case| {
        [
            run::<f64, TridiagonalQr<f64>>(case, "f64 QR", &F64),
            run::<f64, Jacobi<f64>>(case, "f64 Jacobi", &F64),
            run::<f32, TridiagonalQr<f32>>(case, "f32 QR", &F32),
            run::<f32, Jacobi<f32>>(case, "f32 Jacobi", &F32),
        ]
    };
    let errors: Vec<Errors> = cases.iter().flat_map(all).collect();
    assert_eq!(errors.len(), 4 * cases.len());
    for line in &errors {
        println!("{}", line.line());
    }
    let beyond: Vec<_> = errors.iter().filter(|e| !e.within_limits()).map(Errors::line).collect();
    assert!(beyond.is_empty(), "beyond the limits where marked:\n{}", beyond.join("\n"));
}

/// The const-generic model is a shell over the functions that the cases above go through.
fn shell_agrees<T: Real, K, const D: usize, const N: usize, const P: usize>(case: &Case, kernel: K)
where
    K: BlockKernel<[T], Scalar = T> + Clone + Debug,
{
    let (train, test) = (case.data::<T>("train"), case.data::<T>("test"));
    let samples: Vec<[T; D]> = train.iter_rows().map(|row| row.try_into().unwrap()).collect();
    let mut model = Box::new(KernelPca::<K, [T; D], N, P>::new());
    let mut workspace = Box::new(ExactWorkspace::<T, N>::new());
    let report = model
        .fit_exact(kernel.clone(), &samples, Components::Fixed(case.components), &mut workspace)
        .unwrap();
    let fitted = fit_exact(&kernel, &train.view(), Components::Fixed(case.components)).unwrap();
    assert_eq!(report, fitted.report);
    let view = model.view().unwrap();
    for x in test.iter_rows() {
        let (projection, score) = fitted.score(&kernel, &train.view(), x).unwrap();
        let mut own = projection.clone();
        assert_eq!(view.score(x, &mut own).unwrap(), score);
        assert_eq!(own, projection);
    }
}

#[test]
fn const_generic_exact_models_give_the_same_bits_as_views() {
    // Capacity for more samples and components than there are: rows are then parts of longer rows.
    let iris = Case::named("iris_rbf");
    shell_agrees::<f64, _, 4, 96, 9>(&iris, iris.rbf());
    shell_agrees::<f32, _, 4, 90, 8>(&iris, iris.rbf());
    let circles = Case::named("circles_poly2");
    shell_agrees::<f64, _, 2, 100, 3>(&circles, circles.poly());
    shell_agrees::<f32, _, 2, 101, 4>(&circles, circles.poly());
}

#[test]
fn const_generic_landmark_models_give_the_same_bits_as_views() {
    let case = Case::named("bc64_pch32");
    let (train, test) = (case.data::<f32>("train"), case.data::<f32>("test"));
    let samples: Vec<[f32; 30]> = train.iter_rows().map(|row| row.try_into().unwrap()).collect();
    let (stop, components) = (Landmarks::Rank(32), Components::Fixed(case.components));
    let mut model = KernelPca::<Rbf<f32>, [f32; 30], 33, 17>::new();
    let mut workspace = LandmarkWorkspace::<f32, 70, 33>::new();
    let report =
        model.fit_landmarks(case.rbf(), &samples, stop, components, &mut workspace).unwrap();
    let fitted = fit_landmarks(&case.rbf(), &train.view(), stop, components, 32).unwrap();
    assert_eq!(report, fitted.report);
    let points = train.pick(&fitted.points);
    let view = model.view().unwrap();
    for x in test.iter_rows() {
        let (mut projection, score) = fitted.score(&case.rbf(), &points.view(), x).unwrap();
        assert_eq!(view.score(x, &mut projection).unwrap(), score);
    }
}
