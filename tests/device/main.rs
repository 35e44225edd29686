//! What must come out the same, to the last bit, on the host and on every emulated core.
//!
//! Rust never contracts a multiplication and an addition into one rounding by itself, libm is the
//! same code everywhere, and the soft-float routines of cores without an FPU round as IEEE 754
//! says: so the stated bound between host and device is **zero**. Each line below shows results as
//! the bits of their numbers; `cargo xtask device` compares the lines. So that all of them cannot
//! be equally wrong, the landmark model is also held against its golden reference here.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod csv;
#[path = "../../examples/support/mod.rs"]
mod support;

use core::fmt;

use mercer::detect::explain::ITERATIONS;
use mercer::detect::{FoldOrder, InputSet, LogLearner, LogQuantisedDetector, Logs, Suspect};
use mercer::kernel::{
    BlockKernel, Conformal, Cosine, Exp, Laplacian, Linear, Mapped, Normalised, Poly, Product,
    QuadraticForm, Rbf, Scale, Sigmoid, Spectrum, Sum, geometry, gram,
};
use mercer::kpca::{
    Components, ExactWorkspace, LandmarkWorkspace, Landmarks, LeadingWorkspace, Score,
};
use mercer::linalg::Matrix;
use mercer::linalg::eigen::{self, Eigensolver, MAX_SWEEPS, TridiagonalQr};
use mercer::math::Real;
use mercer::methods::graph::{Diffusion, connect};
use mercer::monitor::Lesson;
use mercer::signal::{Extractor, Feature, FrontEnd, Operator, Rows, Stored, Window, memory, width};
use mercer::{
    Detect, Detector, Error, GaussianLearner, Kernel, KernelPca, Learner, Monitor, Progress,
    QuantisedDetector, Recipe,
};
use static_cell::ConstStaticCell;
use support::say;

const TRAIN: usize = 100;
const TEST: usize = 50;
const POINTS: usize = 16;
const COMPONENTS: usize = 8;

macro_rules! golden {
    ($name:literal) => {
        csv::table(include_str!(concat!("../data/golden/circles_", $name, ".csv")), "", 0)
    };
}
static SAMPLES: [[f32; 2]; TRAIN] = golden!("data_train");
static QUERIES: [[f32; 2]; TEST] = golden!("data_test");
static PIVOTS: [[f32; 1]; POINTS] = golden!("pch16_pivots");
static EIGENVALUES: [[f32; 1]; POINTS] = golden!("pch16_eig");
/// Columns `residual` and `spe`.
static SCORES: [[f32; 2]; TEST] = golden!("pch16_scores");

type Landmark = LandmarkWorkspace<f32, TRAIN, POINTS>;

type Small = Learner<Rbf<f32>, [f32; 2], 20, 6, 4>;
type Learned = Detector<Rbf<f32>, [f32; 2], 6, 4>;
static LEARNER: ConstStaticCell<Small> = ConstStaticCell::new(Learner::new());

#[derive(Debug)]
enum Failure {
    Refused(#[allow(dead_code, reason = "shown by Debug")] Error),
    /// A result differs from its reference by more than the tolerance.
    Wrong(#[allow(dead_code, reason = "shown by Debug")] &'static str),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

fn run() -> Result<(), Failure> {
    kernels();
    matrices()?;
    diffusion()?;
    exact::<f32>("exact f32")?;
    exact::<f64>("exact f64")?;
    leading::<f32>("leading f32")?;
    leading::<f64>("leading f64")?;
    landmarks()?;
    learning()?;
    signals()?;
    watch()?;
    logarithms()?;
    refusals();
    Ok(())
}

/// Every kernel at one pair of points.
fn kernels() {
    fn line<K: BlockKernel<[f32], Scalar = f32>>(name: &str, kernel: K) {
        let (x, y) = ([0.5, -1.25, 2.0], [1.5, 0.25, -0.5]);
        say!("{name:<12} {}", Bits(&[kernel.eval(&x, &y), kernel.diagonal(&x)]));
    }
    fn norm(x: &[f32]) -> [f32; 1] {
        [x.iter().fold(0.0, |sum, v| sum + v * v)]
    }
    let rbf = Rbf::new(0.3);
    let matrix = Matrix::from_rows([[2.0, 0.5, 0.0], [0.5, 1.0, -0.25], [0.0, -0.25, 3.0]]);
    line("linear", Linear);
    line("rbf", rbf);
    line("laplacian", Laplacian::new(0.3));
    line("poly", Poly { gamma: 0.7, coef0: 1.1, degree: 5 });
    line("sigmoid", Sigmoid::new(0.4, -0.2));
    line("quadratic", QuadraticForm { matrix });
    line("scale", Scale { factor: 0.1, kernel: rbf });
    line("sum", Sum(rbf, Linear));
    line("product", Product(rbf, Linear));
    line("exp", Exp::new(Scale { factor: 0.1, kernel: Linear }));
    line("conformal", Conformal { kernel: rbf, weight: |x: &[f32]| norm(x)[0] });
    line("mapped", Mapped { kernel: rbf, map: norm });
    line("normalised", Normalised(Poly { gamma: 0.7, coef0: 1.1, degree: 3 }));
    line("cosine", Normalised(Linear) as Cosine);
    let spectrum = Normalised(Spectrum::<f32>::new(2));
    let values = [spectrum.eval("wäke", "awake"), spectrum.eval(b"wmsaz".as_slice(), b"msazw")];
    say!("spectrum     {}", Bits(&values));
}

// The parts are kept apart (`inline(never)`), so that their matrices are on the stack one after the
// other: some boards have 16 KB.

/// Gram matrix, centring, geometry, the eigensolver and a function of a matrix.
#[inline(never)]
fn matrices() -> Result<(), Failure> {
    const N: usize = 8;
    let mut k = Matrix::<f32, N, N>::zeros();
    let [mut means, mut values, mut scratch] = [[0.0; N]; 3];
    gram::fill(&Rbf::new(1.5), &SAMPLES[..N], &mut k.view_mut())?;
    say!(
        "geometry     {}",
        Bits(&[
            geometry::centre_norm(k.view())?,
            geometry::spread(k.view())?,
            geometry::variance_along(k.view(), k.view().row(2))?,
            geometry::combination_norm(k.view(), k.view().row(3))?,
        ])
    );
    let grand = gram::centre(&mut k.view_mut(), &mut means)?;
    say!("centring     {} {}", Bits(&[grand]), Bits(&means));
    eigen::symmetric(&mut k.view_mut(), &mut values, &mut scratch, MAX_SWEEPS)?;
    say!("eigenvalues  {}", Bits(&values));
    say!("eigenvector  {}", Bits(k.view().row(1)));
    let mut function = Matrix::<f32, N, N>::zeros();
    eigen::matrix_function(&values, k.view(), |x| x * x + 1.0, &mut function.view_mut())?;
    say!("function     {}", Bits(function.view().row(4)));
    Ok(())
}

/// Heat that spreads along a ring.
#[inline(never)]
fn diffusion() -> Result<(), Failure> {
    const N: usize = 6;
    let [mut weights, mut k] = [Matrix::<f32, N, N>::zeros(); 2];
    let [mut values, mut scratch] = [[0.0; N]; 2];
    let ring = (0..N).map(|node| (node, (node + 1) % N, 0.5 + 0.1 * node as f32));
    connect(ring, &mut weights.view_mut())?;
    let (matrix, out) = (&mut weights.view_mut(), &mut k.view_mut());
    let solver = TridiagonalQr::scratch(&mut scratch);
    Diffusion::new(0.7).gram(matrix, &mut values, solver, out)?;
    say!("heat modes   {}", Bits(&values));
    say!("diffusion    {}", Bits(k.view().row(1)));
    Ok(())
}

/// The leading component of the first samples, in either precision, with so few steps that it has
/// to restart.
#[inline(never)]
fn leading<T: Real>(name: &str) -> Result<(), Failure>
where
    Rbf<T>: BlockKernel<[T], Scalar = T>,
{
    const N: usize = 8;
    let mut samples = [[T::ZERO; 2]; N];
    for (sample, &x) in samples.iter_mut().zip(&SAMPLES) {
        *sample = x.map(|v| T::from_f64(v.into()));
    }
    let mut model = KernelPca::<Rbf<T>, [T; 2], N, 1>::new();
    let mut workspace = LeadingWorkspace::<T, N, 6>::new();
    let kernel = Rbf::new(T::from_f64(1.5));
    let report = model.fit_leading(kernel, &samples, Components::Fixed(1), &mut workspace)?;
    say!("{name:<12} rank {}, {}", report.rank, Bits(model.expansion().variances()));
    say!("{name:<12} {}", Bits(model.expansion().weights().row(3)));
    Ok(())
}

/// Exact kernel PCA of the first samples, in either precision.
#[inline(never)]
fn exact<T: Real>(name: &str) -> Result<(), Failure>
where
    Rbf<T>: BlockKernel<[T], Scalar = T>,
{
    const N: usize = 8;
    let wide = |x: [f32; 2]| x.map(|v| T::from_f64(v.into()));
    let mut samples = [[T::ZERO; 2]; N];
    for (sample, &x) in samples.iter_mut().zip(&SAMPLES) {
        *sample = wide(x);
    }
    let mut model = KernelPca::<Rbf<T>, [T; 2], N, 4>::new();
    let kernel = Rbf::new(T::from_f64(0.8));
    let mut workspace = ExactWorkspace::<T, N>::new();
    let report = model.fit_exact(kernel, &samples, Components::Fixed(4), &mut workspace)?;
    say!("{name}: rank {}, {} sweeps", report.rank, report.sweeps);
    say!("  variances  {}", Bits(model.expansion().variances()));
    say!("  offsets    {}", Bits(model.expansion().offsets()));
    for &query in &QUERIES[..3] {
        let query = wide(query);
        say!("  projection {}", Bits(&model.project(&query)?));
        say!("  score      {}", Bits(&fields(model.score(&query)?)));
    }
    Ok(())
}

/// The golden landmark case `circles_pch16`: as on the host, and within 1e-5 of the reference.
#[inline(never)]
fn landmarks() -> Result<(), Failure> {
    // On the stack, where the other parts have room for theirs afterwards.
    let mut workspace = Landmark::new();
    let mut model = KernelPca::<Rbf<f32>, [f32; 2], POINTS, COMPONENTS>::new();
    let (rank, kept) = (Landmarks::Rank(POINTS), Components::Fixed(COMPONENTS));
    let report = model.fit_landmarks(Rbf::new(2.0), &SAMPLES, rank, kept, &mut workspace)?;
    say!("landmarks: {} points, {} sweeps", report.points, report.sweeps);
    for (point, [pivot]) in model.points().iter().zip(&PIVOTS) {
        require("pivots", SAMPLES.get(*pivot as usize) == Some(point))?;
    }
    say!("  variances  {}", Bits(model.expansion().variances()));
    for (variance, [golden]) in model.expansion().variances().iter().zip(&EIGENVALUES) {
        require("variances", (variance - golden).abs() <= 1e-5)?;
    }
    let mut digest = 0;
    for (query, [_, golden]) in QUERIES.iter().zip(&SCORES) {
        let score = model.score(query)?;
        require("spe", (score.spe - golden).abs() <= 1e-5)?;
        digest = mixed(digest, &fields(score));
    }
    say!("  all bits of {TEST} scores, mixed: {digest:016x}");
    Ok(())
}

/// A detector learned in steps. Its stored form holds every number it has: one that differed in a
/// bit would have another checksum.
#[inline(never)]
fn learning() -> Result<(), Failure> {
    let learner = LEARNER.take();
    while !learner.is_full() {
        learner.push(&SAMPLES[learner.len()])?;
    }
    let recipe = Recipe::default().order(FoldOrder::Interleaved).trim(0.1);
    learner.begin(Rbf::for_inputs(2), recipe)?;
    let mut steps = 1;
    while learner.step()? == Progress::Working {
        steps += 1;
    }
    let detector = learner.detector()?;
    let mut bytes = [0; Learned::ENCODED_SIZE];
    let length = detector.write_to(&mut bytes)?;
    let checksum = bytes[..length].last_chunk().map_or(0, |last| u32::from_le_bytes(*last));
    say!("learner: {steps} steps, {length} bytes stored, checksum {checksum:08x}");
    say!("  threshold  {}", Bits(&[detector.threshold().spe]));
    say!("  why        {}", Bits(&detector.contributions(&[0.9, -0.9])?));
    say!("  expected   {}", Bits(&[detector.expected_input(&[0.9, -0.9], 1, ITERATIONS)?]));
    blamed_and_missing(detector)?;
    quantised(detector)
}

/// The same in integers; far readings, too.
#[inline(never)]
fn quantised(detector: &Learned) -> Result<(), Failure> {
    let mut quantised = QuantisedDetector::<2, 6, 4>::new();
    quantised.quantise(detector)?;
    let mut bytes = [0; QuantisedDetector::<2, 6, 4>::ENCODED_SIZE];
    let length = quantised.write_to(&mut bytes)?;
    let checksum = bytes[..length].last_chunk().map_or(0, |last| u32::from_le_bytes(*last));
    say!("quantised: {length} bytes stored, checksum {checksum:08x}");
    for x in [[0.1, 0.2], [0.9, -0.9], [-1.5, 3.0], [1e4, -1e-4], [f32::MAX, 0.5]] {
        let reading = quantised.score(&x)?;
        say!("  score      {} {}", Bits(&fields(reading.score)), reading.unusual);
    }
    say!("  counts     {}", Bits(&fields(quantised.score_counts(&[1, -1])?.score)));
    say!("  why        {}", Bits(&quantised.contributions(&[0.9, -0.9])?));
    blamed_and_missing(&quantised)
}

/// Suspects, of far readings too, and verdicts on half a reading.
fn blamed_and_missing(detector: &impl Detect<[f32; 2]>) -> Result<(), Failure> {
    for x in [[0.9, -0.9], [1e4, -1e-4]] {
        let Suspect { input, read, expected, fall, rest, .. } = detector.suspect(&x)?;
        say!("  suspect    {input} {}", Bits(&[read, expected, fall, rest]));
    }
    for x in [[f32::NAN, 0.4], [0.4, f32::INFINITY]] {
        let partial = detector.score_available(&x)?;
        let missing = partial.missing.iter().next();
        say!("  without    {missing:?} {}", Bits(&fields(partial.verdict.score)));
    }
    Ok(())
}

/// Every feature, and every operator on them.
struct Everything;

impl FrontEnd for Everything {
    const FEATURES: &'static [Feature] = &[
        Feature::Mean,
        Feature::Std,
        Feature::LogStd,
        Feature::Rms,
        Feature::PeakToPeak,
        Feature::Min,
        Feature::Max,
        Feature::Crest,
        Feature::Skew,
        Feature::Kurt,
        Feature::Mad,
        Feature::LogMad,
        Feature::ZeroCrossings,
        Feature::Bands(4),
        Feature::Bands(3),
    ];
    const SCALES: &'static [f32] = &[0.1, 3.0];
    const OPERATORS: &'static [Operator] =
        &[Operator::Difference, Operator::Average(2), Operator::Ewma(0.3), Operator::Lags(2)];
}

const CHANNEL: usize = mercer::signal::outputs(Everything::FEATURES);
const INPUTS: usize = 2 * CHANNEL;
const ROW: usize = width(Everything::OPERATORS, INPUTS);
type Operators = Rows<Everything, INPUTS, ROW, { memory(Everything::OPERATORS, INPUTS) }>;

fn signals() -> Result<(), Failure> {
    fn noise(state: &mut u32) -> i16 {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (*state >> 20) as i16
    }
    listen::<f32, 64>("raw", |state| [f32::from(noise(state)) * 0.37 + 9.81, 3.5])?;
    // The first layers of its transform are others.
    listen::<f32, 32>("raw 32", |state| [f32::from(noise(state)) * 1e-9, -7e6])?;
    listen::<i16, 64>("counts", |state| [noise(state), 30_000 - noise(state) / 512])
}

/// Samples of two channels to features, and these through operators.
#[inline(never)]
fn listen<T: Stored, const LENGTH: usize>(
    name: &str,
    sample: fn(&mut u32) -> [T; 2],
) -> Result<(), Failure> {
    let mut window = Window::<T, 2, LENGTH, 40>::new();
    let mut extractor = Extractor::<Everything, INPUTS, LENGTH>::new();
    let mut operators = Operators::new();
    let (mut state, mut digest) = (1, 0);
    for _ in 0..300 {
        let Some(full) = window.push(&sample(&mut state))? else { continue };
        let floored = extractor.extract(&full);
        let bands = &extractor.reading()[CHANNEL - 7..CHANNEL];
        say!("{name:<8} {floored} {} {}", Bits(&extractor.reading()[..1]), Bits(bands));
        digest = mixed(digest, extractor.reading());
        if let Some(row) = operators.push(extractor.reading())? {
            digest = mixed(digest, row);
        }
    }
    say!("  all bits of the readings, mixed: {digest:016x}");
    Ok(())
}

/// What a monitor makes of counts.
struct Watched;

impl FrontEnd for Watched {
    const FEATURES: &'static [Feature] = &[Feature::Mean, Feature::LogStd, Feature::Bands(2)];
    const SCALES: &'static [f32] = &[0.01];
    const OPERATORS: &'static [Operator] = &[Operator::Average(2)];
}
type WatchedStream = mercer::stream!(Watched, i16, 1, 16, 12);

/// Learns from raw samples, then watches others: in steps, with a gap, and with the same detector
/// in integers.
#[inline(never)]
fn watch() -> Result<(), Failure> {
    let mut stream = WatchedStream::new();
    let mut learner = GaussianLearner::<4, 14, 4, 3>::new();
    let mut lesson = Lesson::new(&mut learner, &mut stream);
    let (mut state, mut time) = (1_u32, 0_u32);
    let mut sample = |size: i32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        time += 1;
        [(1000 + 50 * (time % 5) as i32 + ((size * (state >> 20) as i32) >> 10)) as i16]
    };
    for _ in 0..16 + 13 * 12 {
        lesson.push(&sample(20))?;
    }
    learner.learn(Rbf::for_inputs(4), Recipe::default())?;
    let detector = learner.detector()?;
    let mut bytes = [0; WatchedStream::FRONT_END.encoded_len()];
    let length = WatchedStream::FRONT_END.write_to(&mut bytes)?;
    let checksum = bytes.last_chunk().map_or(0, |last| u32::from_le_bytes(*last));
    say!("monitor: front end in {length} bytes, checksum {checksum:08x}");
    WatchedStream::FRONT_END.require(&bytes)?;
    stream.gap();
    let mut whole = QuantisedDetector::<4, 4, 3>::new();
    whole.quantise(detector)?;
    let mut monitor = Monitor::new(detector, &mut stream);
    for time in 0..120 {
        if time == 70 {
            say!("  gap        {:?}", monitor.gap());
        }
        let _ = monitor.take(&sample(if time < 40 { 20 } else { 200 }))?;
        // At first a step for each sample: what is left is done when the next one comes.
        for _ in 0..1 + time / 60 {
            if let Some(outcome) = monitor.step()? {
                say!("  verdict    {}", Bits(&fields(outcome.verdict.score)));
            }
        }
        if let (11, Some(last), Some(reading)) = (time % 12, monitor.last(), monitor.reading()) {
            say!("  {:?} {} {}", last.alarm, Bits(reading), Bits(&[last.verdict.score.spe]));
            say!("  integers   {}", Bits(&[whole.score(reading)?.score.spe]));
        }
    }
    let Suspect { input, read, expected, .. } = monitor.suspect()?;
    say!("  suspect    {input} {}", Bits(&[read, expected]));
    Ok(())
}

/// A detector of two logarithmic inputs, in floats and in integers; 0 and negative readings, too.
#[inline(never)]
fn logarithms() -> Result<(), Failure> {
    // On the stack, which has room for it while no other is at work: the smallest board has no
    // more.
    let mut learner = LogLearner::<2, 12, 4, 3>::new();
    while !learner.is_full() {
        // From 1/8 to 8 or so.
        let [x, y] = SAMPLES[learner.len()].map(|value| 1.0 / (1.25 + value));
        learner.push(&[x, y * y])?;
    }
    let recipe = Recipe::default().order(FoldOrder::Interleaved);
    let logs = Logs::Inputs(InputSet::of(&[0, 1])?);
    learner.learn(Rbf::for_inputs(2), recipe.logs(logs))?;
    let detector = learner.detector()?;
    say!("logarithms: floors {}", Bits(&detector.scaling().floor));
    say!("  mean       {}", Bits(&detector.scaling().scaling.mean));
    let mut quantised = LogQuantisedDetector::<2, 4, 3>::new();
    quantised.quantise(detector)?;
    for x in [[1.0, 1.0], [0.3, 7.0], [0.0, 1e-30], [-5.0, 1e30]] {
        let (exact, whole) = (detector.score(&x)?, quantised.score(&x)?);
        say!("  score      {} {}", Bits(&fields(exact.score)), exact.unusual);
        say!("  integers   {} {}", Bits(&fields(whole.score)), whole.unusual);
    }
    say!("  expected   {}", Bits(&[detector.expected_input(&[0.3, 7.0], 1, ITERATIONS)?]));
    Ok(())
}

/// Errors read the same, too.
fn refusals() {
    let mut model = KernelPca::<Rbf<f32>, [f32; 2], 4, 2>::new();
    let mut workspace = ExactWorkspace::<f32, 4>::new();
    let one = Components::Fixed(1);
    let mut refused = |kernel, samples: &[[f32; 2]], components| {
        if let Err(error) = model.fit_exact(kernel, samples, components, &mut workspace) {
            say!("{error}");
        }
    };
    refused(Rbf::new(0.0), &SAMPLES[..4], one);
    refused(Rbf::new(1.0), &SAMPLES[..1], one);
    refused(Rbf::new(1.0), &SAMPLES[..5], one);
    refused(Rbf::new(1.0), &[SAMPLES[0]; 3], one);
    refused(Rbf::new(1.0), &[[0.0, f32::NAN], [1.0, 2.0]], one);
    refused(Rbf::new(1.0), &SAMPLES[..2], Components::Fixed(2));
}

/// A number that all bits of some values have a part in.
fn mixed(digest: u64, values: &[f32]) -> u64 {
    values.iter().fold(digest, |digest: u64, value| {
        (digest.rotate_left(5) ^ u64::from(value.to_bits())).wrapping_mul(0x517c_c1b7_2722_0a95)
    })
}

fn require(what: &'static str, right: bool) -> Result<(), Failure> {
    if right { Ok(()) } else { Err(Failure::Wrong(what)) }
}

fn fields<T>(score: Score<T>) -> [T; 4] {
    [score.spe, score.t2, score.abs_sum, score.centre_distance]
}

/// Numbers as the bits of an `f64`, which any `f32` becomes without loss.
struct Bits<'a, T>(&'a [T]);

impl<T: Real> fmt::Display for Bits<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|value| write!(f, " {:016x}", value.to_f64().to_bits()))
    }
}

support::main!(run);
