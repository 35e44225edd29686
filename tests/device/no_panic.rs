//! Firmware that links only if no panic path is left in it.
//!
//! Its panic handler calls a function that nobody defines. When the optimiser has proved that no
//! panic can happen, the handler is dropped with the call in it; otherwise the linker stops with an
//! undefined symbol. `cargo xtask device` builds this at opt-level 3, s and z, and lists the
//! callers when it does not link. On the host it merely runs.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::hint::black_box;

// Linked for how to enter a critical section, which `static_cell` needs on cores without atomics.
#[cfg(all(target_os = "none", target_arch = "arm"))]
use cortex_m as _;
use mercer::detect::{
    AlarmRule, FalseAlarms, InputSet, LaterReadings, LogDetector, LogLearner, LogQuantisedDetector,
    Logs, Replace,
};
use mercer::kernel::{
    BlockKernel, Codes, Laplacian, Linear, Normalised, Poly, Precomputed, Rbf, Sigmoid, Spectrum,
    Sum, geometry, gram,
};
use mercer::kpca::{
    Axes, Components, ExactWorkspace, Expansion, ExpansionHeader, LandmarkWorkspace, Landmarks,
    LeadingWorkspace,
};
use mercer::linalg::eigen::{Eigensolver, Jacobi, MAX_SWEEPS, TridiagonalQr};
use mercer::linalg::{Matrix, MatrixViewMut, eigen};
use mercer::methods::dimension::Method;
use mercer::methods::graph::{Diffusion, connect};
use mercer::methods::{
    DimensionOptions, DimensionWorkspace, FisherWorkspace, KMeansOptions, KMeansWorkspace,
    KernelFisher, KernelKMeans, KernelRidge, Pca, PcaWorkspace, PreImageWorkspace, PreImages,
    dimension,
};
use mercer::monitor::Lesson;
use mercer::signal::{
    Channel, Extractor, Feature, Features, FrontEnd, Operator, Rows, RowsMut, Stored, Window,
    fill_turn, memory, width,
};
use mercer::{
    Alarm, AlarmConfig, Detect, Detector, Error, GaussianLearner, KernelPca, LeanLearner, Learner,
    Monitor, Progress, Projector, QuantisedDetector, Recipe,
};
#[cfg(all(target_os = "none", target_arch = "riscv32"))]
use riscv as _;
use static_cell::ConstStaticCell;

const SAMPLES: usize = 8;
type Reading = [f32; 3];

/// Inputs and results pass through `black_box`, lest the optimiser compute everything beforehand.
fn workload() -> Result<(), Error> {
    let samples: [Reading; SAMPLES] = black_box([
        [0.5, 1.5, -2.0],
        [0.25, 1.0, 0.125],
        [1.5, -0.5, 0.75],
        [-0.75, 0.0, 1.25],
        [2.0, 0.5, -0.25],
        [-1.0, 1.75, 0.5],
        [0.0, -1.5, 1.0],
        [1.0, 0.875, -1.125],
    ]);
    learn_and_score(black_box(Rbf::new(0.125)), &samples)?;
    // All other kernels in one, or there would be a copy of every fit for each, and no room for
    // them in a small flash.
    let (laplacian, poly) = (Laplacian::new(0.125), Poly { gamma: 0.5, coef0: 1.0, degree: 3 });
    let (cosine, sigmoid) = (Normalised(Linear), Sigmoid::new(0.01, 0.5));
    learn_and_score(black_box(Sum(Sum(laplacian, poly), Sum(cosine, sigmoid))), &samples)?;
    decompose(&samples)?;
    linear_pca(&samples)?;
    regress(&samples)?;
    denoise(&samples)?;
    read_strings()?;
    walk_graph()?;
    judge_labels(&samples)?;
    group(&samples)?;
    detect(&samples)?;
    lean(&samples)?;
    watch_logarithms()?;
    watch_events()?;
    watch::<f32>([0.5, 1.5, -2.0])?;
    watch::<i16>([5, 15, -20])?;
    listen::<f32>([0.5, 1.5, -2.0])?;
    listen::<i16>([5, 15, -20])?;
    listen_by_list()?;

    // The control: what must not link, so that a check which no longer checks is noticed.
    #[cfg(panic_control)]
    black_box(samples[black_box(2)]);
    Ok(())
}

/// All fits, then projection and scores.
fn learn_and_score<K>(kernel: K, samples: &[Reading]) -> Result<(), Error>
where
    K: BlockKernel<[f32], Scalar = f32> + Copy,
{
    let mut model = KernelPca::<K, Reading, SAMPLES, 4>::new();
    let components = Components::Share(black_box(0.9));
    let mut exact = ExactWorkspace::<f32, SAMPLES>::new();
    black_box(model.fit_exact(kernel, samples, components, &mut exact)?);
    black_box(model.score(&black_box([0.5, 0.5, 0.5]))?);
    let mut leading = LeadingWorkspace::<f32, SAMPLES, SAMPLES>::new();
    let one = Components::Fixed(black_box(1));
    black_box(model.fit_leading(kernel, samples, one, &mut leading)?);
    let mut landmark = LandmarkWorkspace::<f32, SAMPLES, SAMPLES>::new();
    let landmarks = Landmarks::Rank(black_box(6));
    black_box(model.fit_landmarks(kernel, samples, landmarks, components, &mut landmark)?);
    black_box(model.project(&black_box([0.5, 0.5, 0.5]))?);
    black_box(model.score(&black_box([0.5, 0.5, 0.5]))?);
    Ok(())
}

/// Linear PCA by both routes, and all that can be done with it.
fn linear_pca(samples: &[Reading]) -> Result<(), Error> {
    let mut pca = Pca::<Reading, 2>::new();
    let components = Components::Share(black_box(0.9));
    black_box(pca.fit(samples, components, &mut PcaWorkspace::<_, 3, Jacobi<f32>>::new())?);
    black_box(pca.fit_dual(samples, components, &mut PcaWorkspace::<_, SAMPLES>::new())?);
    let x = black_box([0.5, 0.5, 0.5]);
    black_box(pca.whiten(&x)?);
    black_box(pca.score(&x)?);
    black_box(pca.denoise(&x)?);
    Ok(())
}

/// Ridge regression of two outputs.
fn regress(samples: &[Reading; SAMPLES]) -> Result<(), Error> {
    let targets = samples.map(|[a, b, c]| [a + b, b * c]);
    let mut ridge = KernelRidge::<Rbf<f32>, Reading, [f32; 2], SAMPLES>::new();
    let (kernel, lambda) = black_box((Rbf::new(0.125), 0.1));
    ridge.fit(kernel, samples, &targets, lambda, &mut Matrix::zeros())?;
    black_box(ridge.predict(&black_box([0.5, 0.5, 0.5]))?);
    Ok(())
}

/// Pre-images that have a formula, that are searched for and that are learned.
fn denoise(samples: &[Reading; SAMPLES]) -> Result<(), Error> {
    let x = black_box([0.5, 0.5, 0.5]);
    let components = Components::Fixed(black_box(2));
    let mut exact = ExactWorkspace::<f32, SAMPLES>::new();
    let mut linear = KernelPca::<Linear, Reading, SAMPLES, 2>::new();
    linear.fit_exact(Linear, samples, components, &mut exact)?;
    black_box(linear.denoise(&x, black_box(1))?);
    let mut gaussian = KernelPca::<Rbf<f32>, Reading, SAMPLES, 2>::new();
    let kernel = black_box(Rbf::new(0.125));
    gaussian.fit_exact(kernel, samples, components, &mut exact)?;
    // Either answer will do.
    black_box(gaussian.denoise(&x, black_box(20)).is_ok());
    black_box(gaussian.pre_image(&black_box([0.1, 0.2]), &x, black_box(20)).is_ok());
    let mut learned = PreImages::<Rbf<f32>, Reading, SAMPLES, 2>::new();
    let mut workspace = PreImageWorkspace::new();
    let ridge = black_box(0.1);
    gaussian.learn_pre_images(kernel, samples, ridge, &mut workspace, &mut learned)?;
    black_box(gaussian.denoise_by(&x, &learned)?);
    Ok(())
}

/// The relevant dimension of labels, by each method, and a discriminant.
fn judge_labels(samples: &[Reading]) -> Result<(), Error> {
    let labels = black_box([1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0, -1.0]);
    let mut workspace = DimensionWorkspace::<f32, SAMPLES>::new();
    for options in [
        DimensionOptions::SIGNS,
        DimensionOptions::VALUES.method(Method::LeaveOneOut).centred(true),
    ] {
        let mut scratch = workspace.scratch(black_box(SAMPLES))?;
        let kernel = black_box(Rbf::new(0.125));
        let found = dimension::estimate(&kernel, samples, &labels, options, &mut scratch)?;
        black_box((found.assessment(), scratch.denoised));
    }
    let mut fisher = KernelFisher::<Rbf<f32>, Reading, SAMPLES>::new();
    let mut workspace = FisherWorkspace::new();
    black_box(fisher.fit(Rbf::new(0.125), samples, &labels, black_box(0.1), &mut workspace)?);
    black_box(fisher.classify(&black_box([0.5, 0.5, 0.5]))?);
    Ok(())
}

/// Kernel k-means, pass by pass, and a new point.
fn group(samples: &[Reading]) -> Result<(), Error> {
    let mut clusters = KernelKMeans::<Rbf<f32>, Reading, SAMPLES, 3>::new();
    let mut workspace = KMeansWorkspace::new();
    let options = black_box(KMeansOptions::new(3));
    black_box(clusters.fit(black_box(Rbf::new(0.5)), samples, options, &mut workspace)?);
    black_box((clusters.labels(), clusters.assign(&black_box([0.5, 0.5, 0.5]))?));
    Ok(())
}

/// A device's life: learn in steps, score, explain, alarm, refresh, learn again, save, load.
fn detect(samples: &[Reading]) -> Result<(), Error> {
    type Small = Learner<Rbf<f32>, Reading, 24, 8, 6>;
    static LEARNER: ConstStaticCell<Small> = ConstStaticCell::new(Small::new());
    let Some(learner) = LEARNER.try_take() else { return Ok(()) };
    for round in 0..3 {
        for &[a, b, c] in samples {
            learner.push(&black_box([a + 0.1 * round as f32, b, c]))?;
        }
    }
    let mut recipe = Recipe::default().trim(black_box(0.1));
    for _ in 0..2 {
        learner.begin(black_box(Rbf::for_inputs(3)), recipe)?;
        while learner.step()? == Progress::Working {}
        recipe.trim = 0.0;
        black_box(learner.refresh(&black_box([0.5, 0.5, 0.5]), Replace::Oldest)?);
        black_box(learner.refresh(&black_box([0.25, 0.5, 0.5]), Replace::Random)?);
    }
    black_box(learner.report());

    let x = black_box([1.0, 0.5, -3.0]);
    let detector = learner.detector()?;
    let mut alarm = Alarm::new(black_box(AlarmConfig::DEFAULT))?;
    black_box(alarm.update(&detector.score(&x)?));
    black_box((alarm.missing(), alarm.acknowledge(), alarm.smoothed(), alarm.gap()));
    let mut alarm = Alarm::restore(black_box(AlarmConfig::DEFAULT), &black_box(alarm.save()))?;
    black_box(alarm.update(&detector.score(&x)?));
    black_box(alarm.reset());
    let count = black_box(AlarmConfig::DEFAULT.rule(AlarmRule::THREE_OF_FIVE));
    let mut alarm = Alarm::new(count)?;
    black_box(alarm.update(&detector.score(&x)?));
    black_box(Alarm::<f32>::restore(count, &alarm.save())?);
    black_box(detector.contributions(&x)?);
    black_box(detector.suspect(&x)?);
    let lost = black_box([1.0, f32::NAN, f32::INFINITY]);
    black_box(detector.score_available(&lost)?);
    black_box(detector.fill_missing(&lost)?);
    // Either answer will do.
    black_box(detector.expected(&x, black_box(20)).is_ok());
    black_box(detector.expected_input(&x, black_box(1), black_box(20)).is_ok());

    let mut bytes = [0; Detector::<Rbf<f32>, Reading, 8, 6>::ENCODED_SIZE];
    let length = detector.write_to(black_box(&mut bytes))?;
    let mut loaded = Detector::<Rbf<f32>, Reading, 8, 6>::new();
    loaded.read_from(bytes.get(..black_box(length)).unwrap_or_default())?;
    black_box(loaded.score(&x)?);
    loaded.set_threshold(black_box(*loaded.threshold()))?;
    // Made from parts once more, in memory and as if in flash, but from what is not known before.
    let (scaling, threshold) = (*loaded.scaling(), *loaded.threshold());
    let made = Detector::from_parts(scaling, loaded.model().clone(), black_box(threshold))?;
    black_box(made.validate()?);
    let header = black_box(ExpansionHeader::new(1, 1, 0.5, 0.5, false));
    let expansion = Expansion::from_parts(header, [[0.5]], [1.0], [0.1], black_box([0.25]))?;
    let flash = Detector::<Rbf<f32>, [f32; _], _, _>::in_flash(
        black_box(scaling),
        black_box(Rbf::new(0.125)),
        black_box([x]),
        expansion,
        black_box(threshold),
    );
    black_box(flash.is_some());
    project(&loaded, &x)?;

    let mut quantised = QuantisedDetector::<3, 8, 6>::new();
    quantised.quantise(black_box(&loaded))?;
    black_box(quantised.score(&x)?);
    black_box(quantised.score_counts(&black_box([1, 2, -3]))?);
    black_box((quantised.project(&x)?, quantised.project_counts(&black_box([1, 2, -3]))?));
    black_box(quantised.contributions(&x)?);
    black_box(quantised.suspect(&x)?);
    black_box(quantised.score_available(&lost)?);
    let mut alarm = Alarm::new(black_box(AlarmConfig::DEFAULT))?;
    black_box(alarm.update(&quantised.judge(&x)?));
    black_box(alarm.update(&quantised.judge_counts(&black_box([1, 2, -3]))?));
    black_box(Alarm::<u64>::restore(black_box(AlarmConfig::DEFAULT), &alarm.save())?);
    let mut bytes = [0; QuantisedDetector::<3, 8, 6>::ENCODED_SIZE];
    let length = quantised.write_to(black_box(&mut bytes))?;
    quantised.read_from(bytes.get(..black_box(length)).unwrap_or_default())?;
    black_box(quantised.score(&x)?);
    quantised.set_threshold(black_box(*quantised.threshold()))?;
    let (scaling, model) = (*quantised.scaling(), *quantised.model());
    let made = QuantisedDetector::<_, _, _>::from_parts;
    black_box(made(black_box(scaling), black_box(model), threshold)?);
    sharpen(&mut loaded, &x)?;
    let mut handed = Detector::new();
    handed.copy_from(learner.detector()?)?;
    learner.swap_detector(black_box(&mut handed))?;
    learner.begin(black_box(Rbf::for_inputs(3)), Recipe::default())?;
    learner.forget();
    Ok(())
}

/// Features of a reading, from a detector and from a part of one.
fn project(detector: &Detector<Rbf<f32>, Reading, 8, 6>, x: &Reading) -> Result<(), Error> {
    black_box(detector.project(x)?);
    let mut room = black_box([0.0; 6]);
    black_box(Detect::project_into(detector, x, &mut room)?);
    let (kernel, points) = (black_box(Rbf::new(0.125)), black_box([*x; 5]));
    let (weights, offsets) = (black_box([[0.5, 0.25]; 5]), black_box([0.1; 2]));
    let scaling = black_box(*detector.scaling());
    let flash =
        Projector::<Rbf<f32>, [f32; _], _, _>::in_flash(scaling, kernel, points, weights, offsets);
    black_box(flash.is_some());
    let axes = Axes::from_parts(kernel, points, kernel.memos(&points), weights, offsets);
    black_box(Projector::from_parts(scaling, axes)?.project(x)?);
    Ok(())
}

/// A learner of logarithmic inputs, its storage, and the same in integers.
fn watch_logarithms() -> Result<(), Error> {
    static LEARNER: ConstStaticCell<LogLearner<3, 16, 8, 6>> =
        ConstStaticCell::new(LogLearner::new());
    let Some(learner) = LEARNER.try_take() else { return Ok(()) };
    while !learner.is_full() {
        let x = learner.len() as f32;
        learner.push(black_box(&[x, x * x + 1.0, 1.0 / (x + 1.0)]))?;
    }
    let logs = Logs::Inputs(InputSet::of(black_box(&[1, 2]))?);
    for logs in black_box([logs, Logs::Auto]) {
        learner.learn(Rbf::new(black_box(0.05)), Recipe::default().trim(0.1).logs(logs))?;
    }
    let detector = learner.detector()?;
    let x = black_box([3.0, 0.0, 0.5]);
    black_box(detector.score(&x)?);
    black_box(detector.contributions(&x)?);
    black_box(detector.suspect(&x)?);
    black_box(detector.expected_input(&x, black_box(1), black_box(20)).is_ok());
    let mut bytes = [0; LogDetector::<3, 8, 6>::ENCODED_SIZE];
    let length = detector.write_to(black_box(&mut bytes))?;
    let mut loaded = LogDetector::<3, 8, 6>::new();
    loaded.read_from(bytes.get(..black_box(length)).unwrap_or_default())?;
    black_box(loaded.view()?.validate()?);
    let mut quantised = LogQuantisedDetector::<3, 8, 6>::new();
    quantised.quantise(black_box(&loaded))?;
    black_box(quantised.score(&x)?);
    black_box(quantised.score_counts(&black_box([1, 2, -3]))?);
    black_box(quantised.contributions(&x)?);
    black_box(quantised.suspect(&x)?);
    let mut bytes = [0; LogQuantisedDetector::<3, 8, 6>::ENCODED_SIZE];
    let length = quantised.write_to(black_box(&mut bytes))?;
    quantised.read_from(bytes.get(..black_box(length)).unwrap_or_default())?;
    Ok(())
}

/// Readings after learning, stored on the way, and the threshold that they lead to.
fn sharpen(detector: &mut Detector<Rbf<f32>, Reading, 8, 6>, x: &Reading) -> Result<(), Error> {
    type Later = LaterReadings<f32, [f32; 4]>;
    let mut later = Later::of(detector.threshold(), black_box(0.5));
    for _ in 0..black_box(3) {
        later.push(detector.score(x)?.score.spe)?;
    }
    let mut bytes = [0; Later::ENCODED_SIZE];
    let length = later.write_to(black_box(&mut bytes))?;
    later.read_from(bytes.get(..black_box(length)).unwrap_or_default())?;
    // Either answer will do.
    let wish = FalseAlarms::Share(black_box(0.5));
    if let Ok(calibrated) = later.calibrate(wish, detector.threshold()) {
        black_box(detector.set_threshold(calibrated.threshold).is_ok());
    }
    Ok(())
}

/// A learner of event codes, its storage, and a detector in memory of run-time size.
fn watch_events() -> Result<(), Error> {
    type Events = Learner<Normalised<Spectrum<f32>>, Codes<8>, 16, 6, 4>;
    static LEARNER: ConstStaticCell<Events> = ConstStaticCell::new(Events::new());
    let Some(learner) = LEARNER.try_take() else { return Ok(()) };
    for round in 0..16_u8 {
        let mut codes = Codes::try_from(black_box(&b"wmsaz"[..]))?;
        codes.push(black_box(b'a' + round % 5))?;
        codes.push(black_box(b'a' + round % 3))?;
        learner.push(&codes)?;
    }
    // Either answer will do.
    let learned = learner.learn(Normalised(black_box(Spectrum::new(2))), Recipe::default()).is_ok();
    if black_box(learned) {
        let mut bytes = [0; Detector::<Normalised<Spectrum<f32>>, Codes<8>, 6, 4>::ENCODED_SIZE];
        let length = learner.detector()?.write_to(black_box(&mut bytes))?;
        learner.restore(bytes.get(..black_box(length)).unwrap_or_default())?;
        black_box(learner.detector()?.score(&Codes::try_from(black_box(&b"zzz"[..]))?)?);
    }
    Ok(())
}

/// All features, and all operators.
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
    ];
    const SCALES: &'static [f32] = &[0.5];
    const OPERATORS: &'static [Operator] =
        &[Operator::Average(3), Operator::Ewma(0.5), Operator::Difference, Operator::Lags(2)];
}

/// Raw samples to readings, by a recipe that the compiler knows.
fn listen<T: Stored>(samples: [T; 3]) -> Result<(), Error> {
    const LENGTH: usize = 64;
    let mut window = Window::<T, 1, LENGTH, 16>::new();
    let mut extractor = Extractor::<Everything, 17, LENGTH>::new();
    let mut rows = Rows::<
        Everything,
        17,
        { width(Everything::OPERATORS, 17) },
        { memory(Everything::OPERATORS, 17) },
    >::new();
    for round in 0..2 * LENGTH {
        for &sample in &black_box(samples) {
            if let Some(full) = window.push(&[sample])? {
                black_box(extractor.extract(&full));
                black_box(rows.push(extractor.reading())?);
            }
        }
        if round == LENGTH {
            window.gap();
            rows.gap();
        }
    }
    Ok(())
}

/// What a small monitor makes of raw samples.
struct Few;

impl FrontEnd for Few {
    const FEATURES: &'static [Feature] = &[Feature::Mean, Feature::LogStd, Feature::Bands(1)];
    const OPERATORS: &'static [Operator] = &[Operator::Average(2)];
    const CHANNELS: &'static [&'static str] = &["ax"];
}

/// The same life in little memory.
fn lean(samples: &[Reading]) -> Result<(), Error> {
    type Small = LeanLearner<3, 24, 8, 6>;
    static LEARNER: ConstStaticCell<Small> = ConstStaticCell::new(Small::new());
    let Some(learner) = LEARNER.try_take() else { return Ok(()) };
    for round in 0..3 {
        for &[a, b, c] in samples {
            learner.push(&black_box([a + 0.1 * round as f32, b, c]))?;
        }
        learner.gap();
    }
    let mut recipe = Recipe::default().trim(black_box(0.1));
    for _ in 0..2 {
        learner.begin(black_box(Rbf::for_inputs(3)), recipe)?;
        while learner.step()? == Progress::Working {}
        recipe = recipe.trim(0.0).landmarks(black_box(Landmarks::Residual(0.5)));
        black_box(learner.refresh(&black_box([0.5, 0.5, 0.5]), Replace::Oldest)?);
        black_box(learner.refresh(&black_box([0.25, 0.5, 0.5]), Replace::Random)?);
    }
    black_box(learner.report());
    black_box(learner.samples().last());
    let threshold = black_box(*learner.detector()?.threshold());
    learner.set_threshold(threshold)?;
    let mut bytes = [0; Detector::<Rbf<f32>, Reading, 8, 6>::ENCODED_SIZE];
    let length = learner.detector()?.write_to(black_box(&mut bytes))?;
    learner.forget();
    learner.restore(bytes.get(..black_box(length)).unwrap_or_default())
}

/// Raw samples for a learner, its detector for a monitor, and the front end as bytes.
fn watch<T: Stored>(samples: [T; 3]) -> Result<(), Error> {
    type Small<T> = mercer::stream!(Few, T, 1, 8, 4);
    let mut stream = Small::<T>::new();
    let mut learner = GaussianLearner::<3, 12, 6, 4>::new();
    let mut lesson = Lesson::new(&mut learner, &mut stream);
    for _ in 0..black_box(4) {
        for &sample in &black_box(samples) {
            black_box(lesson.push(&[sample])?);
        }
    }
    lesson.gap();
    // Either answer will do.
    black_box(learner.learn(Rbf::new(black_box(0.1)), Recipe::default()).is_ok());
    if let Ok(detector) = learner.detector() {
        let mut monitor = Monitor::new(detector, &mut stream);
        for _ in 0..black_box(8) {
            for &sample in &black_box(samples) {
                black_box(monitor.push(&[sample])?);
                let _ = black_box(monitor.take(&[sample])?);
                black_box(monitor.step()?);
            }
        }
        black_box((monitor.suspect().is_ok(), monitor.gap(), monitor.acknowledge()));
        black_box((monitor.last(), monitor.reading(), monitor.alarm().save()));
        let wide = Detector::<Rbf<f64>, [f64; 3], 2, 1>::new();
        let mut monitor = Monitor::new(&wide, &mut stream);
        for &sample in &black_box(samples) {
            black_box(monitor.push(&[sample]).is_ok());
        }
    }
    let mut bytes = [0; Small::<f32>::FRONT_END.encoded_len()];
    let length = Small::<T>::FRONT_END.write_to(black_box(&mut bytes))?;
    black_box(Small::<T>::FRONT_END.require(bytes.get(..black_box(length)).unwrap_or_default())?);
    Ok(())
}

/// The same by a list that is read at run time.
fn listen_by_list() -> Result<(), Error> {
    let samples = black_box([0.5, 1.5, -2.0, 0.25, 1.0, 0.125, 1.5, -0.5]);
    let length = black_box(samples.len());
    let (mut turn, mut spectrum, mut out) = ([0.0; 8], [0.0; 8], [0.0; 17]);
    fill_turn(turn.get_mut(..length).unwrap_or_default());
    let features = Features::new(black_box(Everything::FEATURES), black_box(1e-9), length)?;
    let channel = Channel::new(samples.get(..length).unwrap_or_default())?.scaled(black_box(0.1));
    black_box(features.write(&channel, &turn, &mut spectrum, &mut out)?);
    let operators = black_box(Everything::OPERATORS);
    let (mut remembered, mut row) = ([0.0; 128], [0.0; 34]);
    let mut rows = RowsMut::new(operators, black_box(17), &mut remembered, &mut row)?;
    black_box(rows.push(&out)?);
    Ok(())
}

/// Kernel PCA of strings and of event codes.
fn read_strings() -> Result<(), Error> {
    let kernel = Normalised(black_box(Spectrum::<f32>::new(2)));
    let components = Components::Share(black_box(0.9));
    let mut workspace = ExactWorkspace::<f32, 4, Jacobi<f32>>::new();
    let mut model = KernelPca::<_, &str, 4, 2>::new();
    let words = black_box(["wake", "sleep", "awake", "asleep"]);
    black_box(model.fit_exact(kernel, &words, components, &mut workspace)?);
    black_box(model.project(black_box("wäke"))?);
    black_box(model.score(black_box("slept"))?);
    let mut model = KernelPca::<_, [u8; 5], 4, 2>::new();
    let codes = black_box([*b"wmsaz", *b"wmsts", *b"zwmsa", *b"stsaz"]);
    let mut workspace = LandmarkWorkspace::<f32, 4, 4, Jacobi<f32>>::new();
    let rank = Landmarks::Rank(black_box(3));
    black_box(model.fit_landmarks(kernel, &codes, rank, components, &mut workspace)?);
    black_box(model.score(black_box(b"msmsm"))?);
    Ok(())
}

/// Kernel PCA of the nodes of a graph.
fn walk_graph() -> Result<(), Error> {
    let [mut weights, mut gram] = [Matrix::<f32, 4, 4>::zeros(); 2];
    let [mut values, mut scratch] = [[0.0; 4]; 2];
    let edges = black_box([(0, 1, 1.0), (1, 2, 0.5), (2, 3, 1.0)]);
    connect(edges, &mut weights.view_mut())?;
    let (matrix, out) = (&mut weights.view_mut(), &mut gram.view_mut());
    let solver = TridiagonalQr::scratch(&mut scratch);
    Diffusion::new(black_box(0.5)).gram(matrix, &mut values, solver, out)?;
    let mut model = KernelPca::<_, usize, 4, 2>::new();
    let mut workspace = ExactWorkspace::<f32, 4>::new();
    let (kernel, nodes) = (Precomputed(gram.view()), black_box([0, 1, 2, 3]));
    let one = Components::Fixed(black_box(1));
    black_box(model.fit_exact(kernel, &nodes, one, &mut workspace)?);
    black_box(model.score(&black_box(2))?);
    Ok(())
}

/// Gram matrix, geometry, both eigensolvers in slices and a function of the matrix.
fn decompose(samples: &[Reading]) -> Result<(), Error> {
    let mut gram = Matrix::<f32, SAMPLES, SAMPLES>::zeros();
    let mut function = Matrix::<f32, SAMPLES, SAMPLES>::zeros();
    let [mut means, mut values, mut scratch] = [[0.0; SAMPLES]; 3];
    gram::fill(&Linear, samples, &mut gram.view_mut())?;
    black_box(geometry::spread(gram.view())?);
    black_box(geometry::variance_along(gram.view(), &black_box([0.5; SAMPLES]))?);
    black_box(gram::centre(&mut gram.view_mut(), &mut means)?);
    let a = &mut gram.view_mut();
    in_slices::<TridiagonalQr<f32>>(a, &mut values, &mut scratch)?;
    gram::fill(&Linear, samples, a)?;
    in_slices::<Jacobi<f32>>(a, &mut values, &mut [0.0; SAMPLES * SAMPLES])?;
    eigen::matrix_function(&values, gram.view(), |x| x * x, &mut function.view_mut())?;
    black_box(function);
    Ok(())
}

fn in_slices<E: Eigensolver<f32>>(
    a: &mut MatrixViewMut<'_, f32>,
    values: &mut [f32],
    scratch: &mut [f32],
) -> Result<(), Error> {
    let mut solver = E::start(a, MAX_SWEEPS)?;
    while solver.step(a, values, scratch, black_box(3))? == Progress::Working {}
    black_box(values);
    Ok(())
}

#[cfg(not(target_os = "none"))]
fn main() -> Result<(), Error> {
    workload()
}

#[cfg(target_os = "none")]
#[cfg_attr(target_arch = "arm", cortex_m_rt::entry)]
#[cfg_attr(target_arch = "riscv32", riscv_rt::entry)]
fn entry() -> ! {
    semihosting::process::exit(workload().is_err().into())
}

#[cfg(all(target_os = "none", not(debug_assertions)))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        fn a_panic_path_remains() -> !;
    }
    // SAFETY: never runs, because a program in which this call is left does not link.
    unsafe { a_panic_path_remains() }
}

// A debug build keeps its overflow checks, hence its panics.
#[cfg(all(target_os = "none", debug_assertions))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    semihosting::process::exit(1)
}
