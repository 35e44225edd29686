//! Learning: thresholds and model against a plain computation, every refusal and warning provoked, every state left as promised.

use std::cell::Cell;

use mercer::kernel::{Cosine, Kernel, Laplacian, Linear, Normalised, Poly, Rbf, Sigmoid};
use mercer::math::{Libm, Math};
use mercer::{
    Components, Error, FalseAlarms, Fault, FoldOrder, KernelPca, LandmarkWorkspace, Landmarks,
    LearnReport, Learner, Progress, Real, Recipe, Replace, Scaling, Score, Warning, Watch,
};

/// A machine with two hidden states (load and speed), which four sensors see in units of their own.
struct Machine(u64);

/// What a deviation of 1 of a hidden state is in the units of each sensor.
const UNITS: [f64; 4] = [3.0, 0.5, 8.0, 0.1];

impl Machine {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    /// A reading while the mean load is `load`.
    fn loaded<T: Real>(&mut self, load: f64) -> [T; 4] {
        let (load, speed) = (load + self.normal(), self.normal());
        let state = [load, speed, load + speed, load * speed];
        let offset = [20.0, 5.0, 100.0, 1.0];
        std::array::from_fn(|i| {
            T::from_f64(offset[i] + UNITS[i] * (state[i] + 0.2 * self.normal()))
        })
    }

    fn reading<T: Real>(&mut self) -> [T; 4] {
        self.loaded(0.0)
    }

    fn readings<T: Real>(&mut self, count: usize) -> Vec<[T; 4]> {
        (0..count).map(|_| self.reading()).collect()
    }
}

const N: usize = 60;
const R: usize = 20;
const P: usize = 16;

type Small<K, T> = Learner<K, [T; 4], N, R, P>;

fn filled<K, T, const N: usize, const R: usize, const P: usize>(
    samples: &[[T; 4]],
) -> Learner<K, [T; 4], N, R, P>
where
    T: Real,
    K: Kernel<[T], Scalar = T> + Clone,
{
    let mut learner = Learner::new();
    for x in samples {
        learner.push(x).unwrap();
    }
    learner
}

/// Learns from samples with the default sizes.
fn learn<K, T>(
    samples: &[[T; 4]],
    kernel: K,
    recipe: Recipe<T>,
) -> Result<(Small<K, T>, LearnReport<T>), Error>
where
    T: Real,
    K: Kernel<[T], Scalar = T> + Clone,
{
    let mut learner = filled(samples);
    let report = learner.learn(kernel, recipe)?.clone();
    Ok((learner, report))
}

fn rbf<T: Real>() -> Rbf<T> {
    Rbf::for_inputs(4)
}

fn share<T: Real>(alpha: f64) -> FalseAlarms<T> {
    FalseAlarms::Share(T::from_f64(alpha))
}

/// Everything there is in a learner; two that read the same are the same to the last bit.
fn state(learner: &impl std::fmt::Debug) -> String {
    format!("{learner:?}")
}

// A plain computation of the same thing.

fn scaled<T: Real>(samples: &[[T; 4]]) -> Vec<[T; 4]> {
    let scaling = Scaling::<[T; 4]>::learn(samples);
    samples.iter().map(|x| scaling.apply(x)).collect()
}

fn fit<K, T>(kernel: &K, samples: &[[T; 4]], recipe: &Recipe<T>) -> KernelPca<K, [T; 4], R, P>
where
    T: Real,
    K: Kernel<[T], Scalar = T> + Clone,
{
    let mut model = KernelPca::new();
    let mut workspace = LandmarkWorkspace::<T, N, R>::new();
    let landmarks = Landmarks::Rank(R);
    model
        .fit_landmarks(kernel.clone(), samples, landmarks, recipe.components, &mut workspace)
        .unwrap();
    model
}

/// Scores each sample by a model of the other folds.
fn cross_fit<K, T>(kernel: &K, samples: &[[T; 4]], recipe: &Recipe<T>) -> Vec<Score<T>>
where
    T: Real,
    K: Kernel<[T], Scalar = T> + Clone,
{
    let (n, folds) = (samples.len(), recipe.folds);
    let in_fold = |i: usize, fold: usize| match recipe.order {
        FoldOrder::Contiguous => {
            ((fold * n).div_ceil(folds)..((fold + 1) * n).div_ceil(folds)).contains(&i)
        }
        FoldOrder::Interleaved => i % folds == fold,
    };
    let mut scores = vec![Score::default(); n];
    for fold in 0..folds {
        let others: Vec<_> = (0..n).filter(|&i| !in_fold(i, fold)).map(|i| samples[i]).collect();
        let model = fit(kernel, &others, recipe);
        for i in (0..n).filter(|&i| in_fold(i, fold)) {
            scores[i] = model.score(&samples[i]).unwrap();
        }
    }
    scores
}

/// The `⌈(n+1)(1−α)⌉`-th smallest, `α` in thousandths.
fn quantile<T: Real>(scores: impl Iterator<Item = T>, thousandths: usize) -> T {
    let mut sorted: Vec<T> = scores.collect();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let rank = ((sorted.len() + 1) * (1000 - thousandths)).div_ceil(1000);
    sorted[rank.min(sorted.len()) - 1]
}

// Thresholds and model.

fn thresholds_agree<T: Real>()
where
    Libm: Math<T>,
{
    // 58 samples: the folds are of unequal size.
    let samples = Machine(1).readings::<T>(58);
    for order in [FoldOrder::Contiguous, FoldOrder::Interleaved] {
        for (folds, thousandths) in [(4, 50), (3, 100), (7, 300)] {
            for watch in [Watch::Spe, Watch::T2] {
                let alpha = share(thousandths as f64 / 1000.0);
                let recipe =
                    Recipe { order, folds, watch, false_alarms: alpha, ..Recipe::default() };
                let (_, report) = learn(&samples, rbf(), recipe).unwrap();
                let scores = cross_fit(&rbf(), &scaled(&samples), &recipe);
                let case = format!("{order:?}, {folds} folds, {thousandths}, {watch:?}");
                let spe = quantile(scores.iter().map(|score| score.spe), thousandths);
                let t2 = quantile(scores.iter().map(|score| score.t2), thousandths);
                assert_eq!(report.thresholds.spe, spe, "{case}");
                assert_eq!(report.thresholds.t2, t2, "{case}");
                assert_eq!(report.thresholds.watch, watch);
                assert_eq!(report.false_alarms, T::from_f64(thousandths as f64 / 1000.0));
            }
        }
    }
}

#[test]
fn thresholds_are_quantiles_of_scores_by_models_that_never_saw_the_sample() {
    thresholds_agree::<f32>();
    thresholds_agree::<f64>();
}

fn detector_agrees<T: Real>()
where
    Libm: Math<T>,
{
    let samples = Machine(2).readings::<T>(N);
    let (learner, report) = learn(&samples, rbf(), Recipe::default()).unwrap();
    let mut model = KernelPca::<_, [T; 4], R, P>::new();
    let mut workspace = LandmarkWorkspace::<T, N, R>::new();
    let components = Recipe::default().components;
    let expected = model
        .fit_landmarks(rbf(), &scaled(&samples), Landmarks::Rank(R), components, &mut workspace)
        .unwrap();
    let detector = learner.detector().unwrap();
    assert_eq!(report.fit, expected);
    assert_eq!(*detector.scaling(), Scaling::learn(samples.as_slice()));
    assert_eq!(*detector.thresholds(), report.thresholds);
    assert_eq!(detector.model().points(), model.points());
    for x in samples.iter().chain(&Machine(3).readings(20)) {
        let score = model.score(&detector.scaling().apply(x)).unwrap();
        let reading = detector.score(x).unwrap();
        assert_eq!(reading.score, score);
        assert_eq!(reading.anomalous, score.spe > report.thresholds.spe);
    }
}

#[test]
fn the_detector_is_the_landmark_fit_to_all_scaled_samples() {
    detector_agrees::<f32>();
    detector_agrees::<f64>();
}

#[test]
fn cross_fit_keeps_its_promise_where_the_training_scores_would_not() {
    const MACHINES: u64 = 12;
    const FRESH: usize = 100;
    let recipe = Recipe { order: FoldOrder::Interleaved, ..Recipe::default() };
    let (mut alarms, mut in_sample_alarms) = (0, 0);
    for seed in 0..MACHINES {
        let mut machine = Machine(1000 + seed);
        let samples = machine.readings::<f32>(N);
        let (learner, report) = learn(&samples, rbf(), recipe).unwrap();
        let detector = learner.detector().unwrap();
        let own = |x| detector.score(x).unwrap().score.spe;
        let in_sample = quantile(samples.iter().map(own), 50);
        assert!(in_sample < report.thresholds.spe);
        for _ in 0..FRESH {
            let reading = detector.score(&machine.reading()).unwrap();
            alarms += usize::from(reading.anomalous);
            in_sample_alarms += usize::from(reading.score.spe > in_sample);
        }
    }
    // The share of one machine is Beta(α(n+1), (1−α)(n+1)) at the worst, so the mean of 12 machines and 1200 readings has a
    // standard deviation of √(0.05·0.95/12·(1/62 + 1/100)) = 0.010; four of them above 5 % is 9 %.
    let of = |count: usize| count as f64 / (MACHINES as usize * FRESH) as f64;
    assert!((0.01..0.09).contains(&of(alarms)), "{}", of(alarms));
    assert!(of(in_sample_alarms) > 0.15, "{}", of(in_sample_alarms));
    assert!(in_sample_alarms > 2 * alarms, "{in_sample_alarms} against {alarms}");
}

#[test]
fn with_both_scores_watched_each_gets_half_of_the_false_alarms() {
    let samples = Machine(4).readings::<f64>(N);
    let recipe = |watch, alpha| Recipe { watch, false_alarms: share(alpha), ..Recipe::default() };
    let (_, one) = learn(&samples, rbf(), recipe(Watch::Spe, 0.1)).unwrap();
    let (learner, both) = learn(&samples, rbf(), recipe(Watch::Both, 0.2)).unwrap();
    assert_eq!((both.thresholds.spe, both.thresholds.t2), (one.thresholds.spe, one.thresholds.t2));
    assert_eq!(both.false_alarms, 0.2);
    // 5 % of 60 samples is supported, 2 × 2.5 % would be, 2 × 1.25 % is not.
    assert_eq!(learn(&samples, rbf(), recipe(Watch::Both, 0.05)).unwrap().1.warnings(), []);
    let (_, tight) = learn(&samples, rbf(), recipe(Watch::Both, 0.025)).unwrap();
    assert_eq!(tight.warnings(), [Warning::UnsupportedRate { needed: 79 }]);

    // Each kind of verdict occurs, and is what the scores say.
    let detector = learner.detector().unwrap();
    let mut seen = [0; 4];
    for x in Machine(5).readings(300) {
        let reading = detector.score(&x).unwrap();
        let spe = reading.score.spe > both.thresholds.spe;
        let t2 = reading.score.t2 > both.thresholds.t2;
        assert_eq!(reading.anomalous, spe || t2);
        seen[usize::from(spe) + 2 * usize::from(t2)] += 1;
        for (watch, expected) in [(Watch::Spe, spe), (Watch::T2, t2)] {
            let thresholds = mercer::Thresholds { watch, ..both.thresholds };
            assert_eq!(thresholds.judge(reading.score).anomalous, expected);
        }
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
    // Exactly at the threshold is still normal.
    let at = Score { spe: both.thresholds.spe, t2: both.thresholds.t2, ..Score::default() };
    assert!(!both.thresholds.judge(at).anomalous);
}

#[test]
fn a_rate_per_day_that_the_samples_cannot_support_is_said_and_the_largest_score_taken() {
    let samples = Machine(6).readings::<f32>(N);
    // One false alarm a day: once an hour 1/24, once a minute 1/1440.
    let recipe = |hertz| Recipe {
        false_alarms: FalseAlarms::PerDay { alarms: 1.0, hertz },
        ..Recipe::default()
    };
    let (_, hourly) = learn(&samples, rbf(), recipe(1.0 / 3600.0)).unwrap();
    assert_eq!(hourly.warnings(), []);
    let by_share = Recipe { false_alarms: FalseAlarms::Share(1.0 / 24.0), ..Recipe::default() };
    let (_, same) = learn(&samples, rbf(), by_share).unwrap();
    assert_eq!(hourly.thresholds, same.thresholds);

    let (_, minutely) = learn(&samples, rbf(), recipe(1.0 / 60.0)).unwrap();
    assert_eq!(minutely.warnings(), [Warning::UnsupportedRate { needed: 1439 }]);
    let scores = cross_fit(&rbf(), &scaled(&samples), &Recipe::default());
    let largest = |score: fn(&Score<f32>) -> f32| scores.iter().map(score).fold(0.0, f32::max);
    assert_eq!(minutely.thresholds.spe, largest(|score| score.spe));
    assert_eq!(minutely.thresholds.t2, largest(|score| score.t2));

    for (alpha, needed) in [(0.01, 99), (0.003, 333), (1e-5, 99_999), (1e-9, 1_000_000)] {
        let recipe = Recipe { false_alarms: share(alpha), ..Recipe::<f64>::default() };
        let samples = Machine(6).readings(N);
        let (_, report) = learn(&samples, rbf(), recipe).unwrap();
        assert_eq!(report.warnings(), [Warning::UnsupportedRate { needed }], "{alpha}");
    }
    // As many as it takes are enough, one fewer is not.
    for (n, expected) in [(49, vec![]), (48, vec![Warning::UnsupportedRate { needed: 49 }])] {
        let recipe = Recipe { false_alarms: share(0.02), ..Recipe::default() };
        let (_, report) = learn(&samples[..n], rbf::<f32>(), recipe).unwrap();
        assert_eq!(report.warnings(), expected, "{n}");
    }
}

#[test]
fn the_same_pushes_give_the_same_bits() {
    let samples = Machine(7).readings::<f32>(N);
    let recipe = Recipe { trim: 0.05, watch: Watch::Both, ..Recipe::default() };
    let (mut a, _) = learn(&samples, rbf(), recipe).unwrap();
    let (mut b, _) = learn(&samples, rbf(), recipe).unwrap();
    assert_eq!(state(&a), state(&b));
    for x in Machine(8).readings(30) {
        assert_eq!(a.refresh(&x, Replace::MostAlike), b.refresh(&x, Replace::MostAlike));
    }
    a.learn(rbf(), recipe).unwrap();
    b.learn(rbf(), recipe).unwrap();
    assert_eq!(state(&a), state(&b));
}

// Steps.

/// Counts how often it is asked for a value, `k(x, x)` included.
#[derive(Clone, Debug)]
struct Counted<'a, K> {
    kernel: K,
    count: &'a Cell<usize>,
}

impl<K: Kernel<[f32], Scalar = f32>> Kernel<[f32]> for Counted<'_, K> {
    type Scalar = f32;
    fn eval(&self, x: &[f32], y: &[f32]) -> f32 {
        self.count.set(self.count.get() + 1);
        self.kernel.eval(x, y)
    }
    fn diagonal(&self, x: &[f32]) -> f32 {
        self.count.set(self.count.get() + 1);
        self.kernel.diagonal(x)
    }
    fn check(&self, x: &[f32], peer: &[f32]) -> Result<(), Fault> {
        self.kernel.check(x, peer)
    }
}

struct Steps {
    count: usize,
    /// The most kernel values that one step asked for.
    most: usize,
    sweeps: usize,
}

fn count_steps<const R: usize>(samples: &[[f32; 4]], recipe: Recipe<f32>) -> Steps {
    let asked = Cell::new(0);
    let mut learner: Learner<_, _, N, R, P> = filled(samples);
    learner.begin(Counted { kernel: rbf(), count: &asked }, recipe).unwrap();
    assert_eq!(asked.get(), 0);
    let mut steps = Steps { count: 0, most: 0, sweeps: 0 };
    loop {
        asked.set(0);
        let progress = learner.step().unwrap();
        steps.count += 1;
        steps.most = steps.most.max(asked.get());
        if progress == Progress::Done {
            steps.sweeps = learner.report().unwrap().fit.sweeps;
            return steps;
        }
    }
}

#[test]
fn there_are_no_more_steps_than_documented() {
    let samples = Machine(9).readings(N);
    let trimmed = Recipe { trim: 0.1, ..Recipe::default() };
    let seven = Recipe { folds: 7, order: FoldOrder::Interleaved, ..Recipe::default() };
    fn bounded<const R: usize>(samples: &[[f32; 4]], recipe: Recipe<f32>) {
        let steps = count_steps::<R>(samples, recipe);
        let (n, r, folds) = (samples.len(), R, recipe.folds);
        // A fold may take a sweep or two more than the last fit.
        let sweeps = steps.sweeps + 2;
        let rounds = if recipe.trim > 0.0 { 2 } else { 1 };
        let fits = rounds * folds + 1;
        // The documented number, and what it leaves out: a few steps for each fit, whatever its size.
        let bound = fits * (3 * r + r * r / n + 12 * r * r * sweeps / n + 7) + rounds * (n + 1) + 2;
        assert!(steps.count <= bound, "{} steps, not {bound}: {r}, {recipe:?}", steps.count);
        assert!(steps.most <= 2 * n, "{} kernel values in one step", steps.most);
    }
    for recipe in [Recipe::default(), trimmed, seven] {
        bounded::<1>(&samples, recipe);
        bounded::<4>(&samples, recipe);
        bounded::<R>(&samples, recipe);
    }
    bounded::<40>(&samples, Recipe::default());
    bounded::<4>(&samples[..12], Recipe::default());
}

#[test]
fn no_step_asks_for_more_than_2n_kernel_values_even_when_the_first_samples_are_equal() {
    let mut samples = Machine(10).readings(N);
    let first = samples[0];
    samples[..N - 12].fill(first);
    let recipe = Recipe { order: FoldOrder::Interleaved, ..Recipe::default() };
    let most = count_steps::<R>(&samples, recipe).most;
    assert!(most <= 2 * N, "{most} kernel values in one step, {N} samples");
}

#[test]
fn the_old_detector_keeps_its_bits_until_the_last_step() {
    let mut machine = Machine(11);
    let (mut learner, _) =
        learn::<_, f32>(&machine.readings(40), rbf(), Recipe::default()).unwrap();
    for _ in 0..20 {
        learner.push(&machine.loaded(1.0)).unwrap();
    }
    let old = state(learner.detector().unwrap());
    let old_report = learner.report().cloned();
    let probes: Vec<[f32; 4]> = machine.readings(3);
    let scores = |learner: &Small<Rbf<f32>, f32>| -> Vec<_> {
        probes.iter().map(|x| learner.detector().unwrap().score(x).unwrap()).collect()
    };
    let before = scores(&learner);
    let mut all_at_once = learner.clone();
    learner.begin(Rbf::new(0.05), Recipe::default()).unwrap();
    while learner.step().unwrap() == Progress::Working {
        assert!(learner.is_learning());
        assert_eq!(scores(&learner), before);
        assert_eq!(learner.refresh(&probes[0], Replace::Oldest).unwrap(), before[0]);
    }
    assert!(!learner.is_learning());
    assert_ne!(state(learner.detector().unwrap()), old);
    assert_ne!(learner.report().cloned(), old_report);
    assert_eq!(learner.step(), Ok(Progress::Done), "nothing left to do");
    all_at_once.learn(Rbf::new(0.05), Recipe::default()).unwrap();
    assert_eq!(state(&learner), state(&all_at_once), "what happens between steps has no effect");
}

// The life of a learner.

#[test]
fn calls_at_the_wrong_time_are_refused_and_change_nothing() {
    let samples = Machine(12).readings::<f32>(N);
    let mut learner: Small<Rbf<f32>, f32> = filled(&samples[..7]);
    let refused = |learner: &mut Small<_, _>, kernel, recipe, error| {
        let before = state(learner);
        assert_eq!(learner.begin(kernel, recipe), Err(error));
        assert_eq!(state(learner), before);
    };
    let too_few = |given, needed| Error::TooFewSamples { given, needed };
    let mut empty = Small::new();
    refused(&mut empty, rbf(), Recipe::default(), too_few(0, 8));
    refused(&mut learner, rbf(), Recipe::default(), too_few(7, 8));
    refused(&mut learner, rbf(), Recipe { folds: 5, ..Recipe::default() }, too_few(7, 10));
    let positive = Error::Parameter { name: "gamma", rule: "finite and > 0" };
    refused(&mut learner, Rbf::new(-1.0), Recipe::default(), positive);
    let folds = Error::Parameter { name: "folds", rule: ">= 2" };
    refused(&mut learner, rbf(), Recipe { folds: 1, ..Recipe::default() }, folds);
    let trim = Error::Parameter { name: "trim", rule: "a share >= 0 and <= 0.5" };
    for share in [-0.1, 0.6, f32::NAN] {
        refused(&mut learner, rbf(), Recipe { trim: share, ..Recipe::default() }, trim);
    }
    let rate = Error::Parameter { name: "false_alarms", rule: "a share > 0 and < 1" };
    for alpha in [0.0, 1.0, f64::NAN] {
        let recipe = Recipe { false_alarms: share(alpha), ..Recipe::default() };
        refused(&mut learner, rbf(), recipe, rate);
    }

    let before = state(&learner);
    assert_eq!(learner.step(), Ok(Progress::Done), "there is nothing to do");
    assert_eq!(learner.detector().map(|_| ()), Err(Error::NotFitted));
    assert_eq!(learner.refresh(&samples[0], Replace::Oldest), Err(Error::NotFitted));
    assert!(learner.report().is_none());
    for bad in [f32::NAN, f32::INFINITY] {
        let fault = Fault::NotFinite { input: 2 };
        assert_eq!(learner.push(&[1.0, 2.0, bad, 4.0]), Err(Error::Query(fault)));
    }
    assert_eq!(state(&learner), before);

    for x in &samples[7..] {
        assert!(!learner.is_full());
        learner.push(x).unwrap();
    }
    assert!(learner.is_full() && learner.len() == N);
    let full = Error::Capacity { what: "samples", needed: N + 1, capacity: N };
    let before = state(&learner);
    assert_eq!(learner.push(&samples[0]), Err(full));
    assert_eq!(state(&learner), before);

    learner.begin(rbf(), Recipe::default()).unwrap();
    assert_eq!(learner.step(), Ok(Progress::Working));
    let before = state(&learner);
    assert_eq!(learner.push(&samples[0]), Err(Error::Learning));
    assert_eq!(learner.begin(rbf(), Recipe::default()), Err(Error::Learning));
    assert_eq!(learner.learn(rbf(), Recipe::default()), Err(Error::Learning));
    assert_eq!(state(&learner), before);
    while learner.step().unwrap() == Progress::Working {}

    let before = state(&learner);
    assert_eq!(learner.push(&samples[0]), Err(full));
    let nan = [0.0, f32::NAN, 0.0, 0.0];
    let fault = Error::Query(Fault::NotFinite { input: 1 });
    assert_eq!(learner.refresh(&nan, Replace::Oldest), Err(fault));
    assert_eq!(learner.push(&nan), Err(fault));
    let huge = [f32::MAX, 0.0, 0.0, f32::MAX];
    assert_eq!(learner.refresh(&huge, Replace::Oldest), Err(Error::Query(Fault::Overflow)));
    assert_eq!(state(&learner), before);
}

/// Its models have all samples as points, so that they can be looked at.
type Open = Learner<Laplacian<f64>, [f64; 4], 24, 24, P>;

/// The raw samples that it holds.
fn held(learner: &Open) -> Vec<[f64; 4]> {
    let mut copy = learner.clone();
    let report = copy.learn(Laplacian::new(0.1), Recipe::default()).unwrap();
    assert_eq!(report.fit.points, learner.len());
    let detector = copy.detector().unwrap();
    sorted(detector.model().points().iter().map(|x| detector.scaling().undo(x)).collect())
}

fn sorted(mut samples: Vec<[f64; 4]>) -> Vec<[f64; 4]> {
    samples.sort_by(|a, b| a.partial_cmp(b).unwrap());
    samples
}

#[track_caller]
fn assert_near(a: &[[f64; 4]], b: &[[f64; 4]]) {
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().flatten().zip(b.iter().flatten()) {
        assert!((x - y).abs() <= 1e-13 * y.abs(), "{x} is not {y}");
    }
}

#[test]
fn a_first_attempt_that_fails_or_is_given_up_leaves_the_samples() {
    let samples = Machine(13).readings::<f64>(24);
    let mut learner: Open = filled(&samples);
    let wide = Recipe { components: Components::Fixed(100), ..Recipe::default() };
    let error = Error::Rank { wanted: 100, rank: 17 };
    assert_eq!(learner.learn(Laplacian::new(0.1), wide), Err(error));
    assert!(!learner.is_learning() && learner.report().is_none());
    assert_eq!(learner.detector().map(|_| ()), Err(Error::NotFitted));
    assert_near(&held(&learner), &sorted(samples.clone()));

    for steps in [0, 1, 10, 100] {
        learner.begin(Laplacian::new(0.1), Recipe::default()).unwrap();
        for _ in 0..steps {
            assert_eq!(learner.step(), Ok(Progress::Working));
        }
        learner.give_up();
        assert!(!learner.is_learning());
    }
    learner.give_up();
    assert_near(&held(&learner), &sorted(samples.clone()));

    let report = learner.learn(Laplacian::new(0.1), Recipe::default()).unwrap().clone();
    let mut fresh: Open = filled(&samples);
    let expected = fresh.learn(Laplacian::new(0.1), Recipe::default()).unwrap();
    assert_eq!(report.warnings(), expected.warnings());
    let ratio = report.thresholds.spe / expected.thresholds.spe;
    assert!((ratio - 1.0).abs() < 1e-9, "{ratio}");
}

#[test]
fn learning_again_that_fails_or_is_given_up_leaves_everything() {
    let samples = Machine(14).readings::<f32>(N);
    let (mut learner, report) = learn(&samples, rbf(), Recipe::default()).unwrap();
    let detector = state(learner.detector().unwrap());
    let scores = |learner: &Small<Rbf<f32>, f32>| -> Vec<_> {
        samples.iter().map(|x| learner.detector().unwrap().score(x).unwrap()).collect()
    };
    let before = scores(&learner);
    let narrow = learner.learn(Rbf::new(1e4), Recipe::default()).map(|_| ());
    assert_eq!(narrow, Err(Error::KernelTooNarrow));
    assert_eq!(state(learner.detector().unwrap()), detector);
    assert_eq!(learner.report(), Some(&report));
    learner.begin(Rbf::new(0.1), Recipe::default()).unwrap();
    for _ in 0..200 {
        assert_eq!(learner.step(), Ok(Progress::Working));
    }
    learner.give_up();
    assert_eq!(state(learner.detector().unwrap()), detector);
    assert_eq!(learner.report(), Some(&report));
    // The scaled samples are the same bits: learning as before gives the same as before.
    assert_eq!(learner.learn(rbf(), Recipe::default()), Ok(&report));
    assert_eq!(scores(&learner), before);
}

#[test]
fn scaling_is_kept_when_learning_again() {
    let mut machine = Machine(15);
    let samples = machine.readings::<f32>(40);
    let (mut learner, _) = learn(&samples, rbf(), Recipe::default()).unwrap();
    let scaling = *learner.detector().unwrap().scaling();
    for _ in 0..20 {
        learner.push(&machine.loaded(0.5)).unwrap();
    }
    let report = learner.learn(rbf(), Recipe::default()).unwrap();
    assert_eq!(report.fit.samples, 60);
    assert_eq!(*learner.detector().unwrap().scaling(), scaling);
}

#[test]
fn a_learner_that_forgot_is_as_good_as_new() {
    let samples = Machine(16).readings::<f32>(N);
    let others = Machine(17).readings::<f32>(50);
    let (mut learner, _) = learn(&samples, rbf(), Recipe::default()).unwrap();
    for x in &others {
        learner.refresh(x, Replace::Oldest).unwrap();
    }
    learner.begin(rbf(), Recipe::default()).unwrap();
    assert_eq!(learner.step(), Ok(Progress::Working));
    learner.forget();
    assert!(learner.is_empty() && !learner.is_learning() && learner.report().is_none());
    assert_eq!(learner.detector().map(|_| ()), Err(Error::NotFitted));
    assert_eq!(learner.refresh(&samples[0], Replace::Oldest), Err(Error::NotFitted));
    for x in &others {
        learner.push(x).unwrap();
    }
    let (fresh, expected) = learn(&others, rbf(), Recipe::default()).unwrap();
    assert_eq!(learner.learn(rbf(), Recipe::default()), Ok(&expected));
    for x in &samples {
        let (a, b) = (learner.detector().unwrap(), fresh.detector().unwrap());
        assert_eq!(a.score(x), b.score(x));
    }
}

// Refreshing.

#[test]
fn a_restored_learner_scores_as_before_and_can_learn_again() {
    let mut machine = Machine(41);
    let (before, _) = learn::<_, f32>(&machine.readings(N), rbf(), Recipe::default()).unwrap();
    let mut bytes = vec![0; before.detector().unwrap().encoded_len()];
    before.detector().unwrap().write_to(&mut bytes).unwrap();

    let mut after: Small<Rbf<f32>, f32> = filled(&machine.readings(10));
    let untouched = state(&after);
    assert!(after.restore(&bytes[1..]).is_err());
    assert_eq!(state(&after), untouched);
    after.restore(&bytes).unwrap();
    assert!(after.is_empty());
    for x in machine.readings(20) {
        let score = |learner: &Small<Rbf<f32>, f32>| learner.detector().unwrap().score(&x);
        assert_eq!(score(&after), score(&before));
    }
    while !after.is_full() {
        after.refresh(&machine.reading(), Replace::Oldest).unwrap();
    }
    after.learn(rbf(), Recipe::default()).unwrap();
    assert_ne!(state(after.detector().unwrap()), state(before.detector().unwrap()));
    after.begin(rbf(), Recipe::default()).unwrap();
    assert_eq!(after.restore(&bytes), Err(Error::Learning));
}

#[test]
fn anomalous_readings_never_enter() {
    let mut machine = Machine(18);
    let samples = machine.readings::<f32>(N);
    for count in [N, 40] {
        let (mut learner, _) = learn(&samples[..count], rbf(), Recipe::default()).unwrap();
        let before = state(&learner);
        for i in 0..40 {
            let mut x = machine.reading::<f32>();
            x[i % 3] += 8.0 * UNITS[i % 3] as f32;
            for replace in [Replace::Oldest, Replace::MostAlike] {
                assert!(learner.refresh(&x, replace).unwrap().anomalous);
            }
        }
        assert_eq!(state(&learner), before);
    }
}

/// A learner of 24 samples, and readings that it finds normal.
fn with_normal_readings(count: usize) -> (Vec<[f64; 4]>, Open, Vec<[f64; 4]>) {
    let mut machine = Machine(19);
    let samples = machine.readings(24);
    let mut learner = filled(&samples);
    learner.learn(Laplacian::new(0.1), Recipe::default()).unwrap();
    let detector = learner.detector().unwrap();
    let normal = std::iter::repeat_with(|| machine.reading())
        .filter(|x| !detector.score(x).unwrap().anomalous)
        .take(count)
        .collect();
    (samples, learner, normal)
}

#[test]
fn the_oldest_samples_are_replaced_in_turn() {
    let (samples, mut learner, normal) = with_normal_readings(50);
    let mut all = samples;
    for (i, x) in normal.iter().enumerate() {
        let score = learner.detector().unwrap().score(x);
        assert_eq!(learner.refresh(x, Replace::Oldest), score);
        all.push(*x);
        assert_eq!(learner.len(), 24);
        if [0, 1, 5, 23, 24, 49].contains(&i) {
            let latest = all[all.len() - 24..].to_vec();
            assert_near(&held(&learner), &sorted(latest));
        }
    }
}

#[test]
fn folds_follow_the_age_of_the_samples_after_a_refresh() {
    let mut machine = Machine(20);
    let samples = machine.readings::<f32>(N);
    let (mut learner, _) = learn(&samples, rbf(), Recipe::default()).unwrap();
    let mut all = samples;
    for _ in 0..25 {
        let x = machine.reading();
        if !learner.refresh(&x, Replace::Oldest).unwrap().anomalous {
            all.push(x);
        }
    }
    assert!(all.len() > N + 15);
    let scaling = *learner.detector().unwrap().scaling();
    let latest: Vec<_> = all[all.len() - N..].iter().map(|x| scaling.apply(x)).collect();
    let mut as_stored = latest.clone();
    as_stored.rotate_right((all.len() - N) % N);
    for order in [FoldOrder::Contiguous, FoldOrder::Interleaved] {
        let recipe = Recipe { order, ..Recipe::default() };
        let threshold = learner.learn(rbf(), recipe).unwrap().thresholds.spe;
        let among =
            |samples| cross_fit(&rbf(), samples, &recipe).iter().any(|s| s.spe == threshold);
        assert!(among(&latest), "{order:?}");
        assert!(!among(&as_stored), "{order:?}");
    }
}

#[test]
fn the_most_alike_sample_is_replaced() {
    let (samples, mut learner, normal) = with_normal_readings(10);
    let scaling = *learner.detector().unwrap().scaling();
    let mut expected = samples;
    for x in &normal {
        // The kernel falls with the sum of the absolute differences of the scaled inputs.
        let distance = |y: &[f64; 4]| -> f64 {
            let (x, y) = (scaling.apply(x), scaling.apply(y));
            x.iter().zip(y).map(|(a, b)| (a - b).abs()).sum()
        };
        let nearest = (0..24)
            .min_by(|&i, &j| distance(&expected[i]).total_cmp(&distance(&expected[j])))
            .unwrap();
        expected[nearest] = *x;
        learner.refresh(x, Replace::MostAlike).unwrap();
    }
    assert_near(&held(&learner), &sorted(expected));
}

#[test]
fn free_room_is_used_before_anything_is_replaced() {
    let mut machine = Machine(21);
    let samples = machine.readings::<f32>(50);
    for replace in [Replace::Oldest, Replace::MostAlike] {
        let (mut learner, _) = learn(&samples, rbf(), Recipe::default()).unwrap();
        let mut expected = 50;
        for _ in 0..30 {
            let anomalous = learner.refresh(&machine.reading(), replace).unwrap().anomalous;
            expected = N.min(expected + usize::from(!anomalous));
            assert_eq!(learner.len(), expected);
        }
        assert!(learner.is_full());
    }
}

#[test]
fn frozen_learners_score_and_stay_as_they_are() {
    let (_, mut learner, normal) = with_normal_readings(20);
    learner.freeze();
    let before = state(&learner);
    for x in &normal {
        let score = learner.detector().unwrap().score(x);
        assert_eq!(learner.refresh(x, Replace::Oldest), score);
        assert_eq!(learner.refresh(x, Replace::MostAlike), score);
    }
    assert_eq!(state(&learner), before);
    learner.thaw();
    learner.refresh(&normal[0], Replace::Oldest).unwrap();
    assert_ne!(state(&learner), before);
}

/// Share of alarms in the last of ten rounds of 60 readings each, over which the mean load rises by `drift`.
///
/// Without faults all alarms are false. Unless frozen, it learns again after each round.
fn false_alarms_after(drift: f64, frozen: bool) -> f64 {
    const MACHINES: u64 = 4;
    const ROUNDS: usize = 10;
    let recipe = Recipe { order: FoldOrder::Interleaved, ..Recipe::default() };
    let mut alarms = 0;
    for seed in 0..MACHINES {
        let mut machine = Machine(40 + seed);
        let (mut learner, _) = learn::<_, f32>(&machine.readings(N), rbf(), recipe).unwrap();
        if frozen {
            learner.freeze();
        }
        for i in 0..ROUNDS * 60 {
            let load = drift * i as f64 / (ROUNDS * 60) as f64;
            let reading = learner.refresh(&machine.loaded(load), Replace::Oldest).unwrap();
            assert_eq!(learner.len(), N);
            if i >= (ROUNDS - 1) * 60 {
                alarms += usize::from(reading.anomalous);
            } else if i % 60 == 59 && !frozen {
                learner.learn(rbf(), recipe).unwrap();
            }
        }
    }
    alarms as f64 / (MACHINES * 60) as f64
}

#[test]
fn refreshing_follows_a_drift_that_a_frozen_detector_takes_for_a_fault() {
    let (frozen, refreshed) = (false_alarms_after(4.0, true), false_alarms_after(4.0, false));
    assert!(frozen > 0.6, "{frozen}");
    assert!(refreshed < 0.3, "{refreshed}");
}

#[test]
fn refreshing_without_drift_does_not_raise_the_rate_of_false_alarms() {
    // 5 % of 240 readings, with a standard deviation of 1.4 % for them and as much for the four learners: three of them above is 11 %.
    let share = false_alarms_after(0.0, false);
    assert!(share < 0.11, "{share}");
}

// Field data.

/// 57 clean samples and three that are off by `size` deviations, each in another sensor.
fn contaminated(size: f64) -> (Vec<[f32; 4]>, Vec<[f32; 4]>) {
    let clean = Machine(50).readings::<f32>(57);
    let mut samples = clean.clone();
    let mut outliers = Machine(51).readings::<f32>(3);
    for (i, place) in [(0, 11), (1, 30), (2, 52)] {
        outliers[i][i] += (size * UNITS[i]) as f32;
        samples.insert(place, outliers[i]);
    }
    (clean, samples)
}

/// A mild fault: readings in which one sensor is off by six deviations.
fn faulty_readings() -> Vec<[f32; 4]> {
    let mut readings = Machine(52).readings::<f32>(20);
    for (i, x) in readings.iter_mut().enumerate() {
        let sensor = i % 3;
        x[sensor] += if i % 2 == 0 { 6.0 } else { -6.0 } * UNITS[sensor] as f32;
    }
    readings
}

fn trimming_drops_the_outliers(size: f64) {
    let (clean, samples) = contaminated(size);
    let recipe = Recipe { order: FoldOrder::Interleaved, ..Recipe::default() };
    let found = |learner: &Small<Rbf<f32>, f32>| {
        let detector = learner.detector().unwrap();
        faulty_readings().iter().filter(|x| detector.score(x).unwrap().anomalous).count()
    };
    assert_eq!(found(&learn(&clean, rbf(), recipe).unwrap().0), 20, "without outliers");
    let (untrimmed, blown_up) = learn(&samples, rbf(), recipe).unwrap();
    assert_eq!(blown_up.trimmed, 0);
    assert!(found(&untrimmed) < 4, "{} of 20 untrimmed", found(&untrimmed));
    for (trim, expected) in [(0.05, 3), (0.1, 6)] {
        let (learner, report) = learn(&samples, rbf(), Recipe { trim, ..recipe })
            .unwrap_or_else(|error| panic!("size {size}, trim {trim}: {error}"));
        assert_eq!(report.trimmed, expected);
        assert_eq!(report.fit.samples, 60 - expected);
        assert!(blown_up.thresholds.spe > 3.0 * report.thresholds.spe);
        let found = found(&learner);
        assert!(found > 15, "size {size}, trim {trim}: {found} of 20");
        // An outlier that were left in would be a point: it is far from all others.
        let detector = learner.detector().unwrap();
        let scaled: Vec<_> = clean.iter().map(|x| detector.scaling().apply(x)).collect();
        assert!(detector.model().points().iter().all(|point| scaled.contains(point)));
        if expected == 3 {
            // Exactly the three outliers are gone: what is left is what the clean samples give.
            let model = fit(&rbf(), &scaled, &recipe);
            assert_eq!(detector.model().points(), model.points());
            for x in &scaled {
                assert_eq!(detector.model().score(x), model.score(x));
            }
            let scores = cross_fit(&rbf(), &scaled, &recipe);
            assert_eq!(report.thresholds.spe, quantile(scores.iter().map(|s| s.spe), 50));
        }
    }
}

#[test]
fn trimming_drops_outliers_of_12_deviations_and_then_a_mild_fault_is_found() {
    trimming_drops_the_outliers(12.0);
}

#[test]
fn trimming_drops_outliers_of_1000_deviations_and_then_a_mild_fault_is_found() {
    trimming_drops_the_outliers(1000.0);
}

#[test]
fn the_trimmed_share_is_rounded_down() {
    let samples = Machine(53).readings::<f64>(50);
    for (trim, expected) in [(0.0, 0), (0.01, 0), (0.02, 1), (0.05, 2), (0.1, 5), (0.5, 25)] {
        let (_, report) = learn(&samples, rbf(), Recipe { trim, ..Recipe::default() }).unwrap();
        assert_eq!(report.trimmed, expected, "{trim}");
        assert_eq!(report.fit.samples, 50 - expected);
    }
    // 0.29·100 = 28.999… in binary.
    let recipe = Recipe { trim: 0.29, ..Recipe::default() };
    let samples: Vec<_> = Machine(54).readings::<f64>(100);
    let mut learner: Learner<_, _, 100, 8, 4> = filled(&samples);
    assert_eq!(learner.learn(rbf(), recipe).map(|report| report.trimmed), Ok(29));
}

#[test]
fn trimming_down_to_too_few_samples_is_refused() {
    let samples = Machine(55).readings::<f32>(12);
    let recipe = Recipe { trim: 0.5, ..Recipe::default() };
    let error = Error::TooFewSamples { given: 6, needed: 8 };
    assert_eq!(learn(&samples, rbf(), recipe).map(|_| ()), Err(error));
}

// A model that refuses to be bad.

/// Clean samples, changed.
fn spoiled(n: usize, spoil: impl Fn(usize, &mut [f32; 4])) -> Vec<[f32; 4]> {
    let mut samples = Machine(60).readings(n);
    for (i, x) in samples.iter_mut().enumerate() {
        spoil(i, x);
    }
    samples
}

#[track_caller]
fn assert_warns(samples: &[[f32; 4]], expected: &[Warning]) {
    let (_, report) = learn(samples, rbf(), Recipe::default()).unwrap();
    assert_eq!(report.warnings(), expected);
}

#[test]
fn clean_samples_give_no_warning() {
    for seed in 60..64 {
        assert_warns(&Machine(seed).readings(N), &[]);
    }
    assert_warns(&spoiled(32, |_, _| {}), &[]);
    for kernel in [0.005, 0.1] {
        let (_, report) = learn(
            &Machine(60).readings(N),
            Rbf::new(kernel),
            Recipe { components: Components::Fixed(4), ..Recipe::<f64>::default() },
        )
        .unwrap();
        assert_eq!(report.warnings(), []);
    }
}

#[test]
fn constant_inputs_are_named() {
    let one = spoiled(N, |_, x| x[2] = 101.3);
    assert_warns(&one, &[Warning::ConstantInputs { first: 2, count: 1 }]);
    let two = spoiled(N, |_, x| (x[1], x[3]) = (0.1, -7.7));
    assert_warns(&two, &[Warning::ConstantInputs { first: 1, count: 2 }]);
    // A change of it is still an anomaly.
    let (learner, _) = learn(&one, rbf(), Recipe::default()).unwrap();
    let mut x = one[0];
    x[2] += 10.0;
    assert!(learner.detector().unwrap().score(&x).unwrap().anomalous);
}

#[test]
fn stuck_inputs_are_named() {
    let stuck = |from, to, sensor: usize| {
        spoiled(N, move |i, x| {
            if (from..to).contains(&i) {
                x[sensor] = 5.0;
            }
        })
    };
    assert_warns(&stuck(0, 31, 1), &[Warning::StuckInputs { first: 1, count: 1 }]);
    assert_warns(&stuck(20, 60, 3), &[Warning::StuckInputs { first: 3, count: 1 }]);
    assert_warns(&stuck(10, 40, 1), &[]);
    let both = spoiled(N, |i, x| {
        x[0] = 1.5;
        if i > 20 {
            (x[1], x[2]) = (5.0, 100.0);
        }
    });
    assert_warns(
        &both,
        &[
            Warning::ConstantInputs { first: 0, count: 1 },
            Warning::StuckInputs { first: 1, count: 2 },
        ],
    );
}

#[test]
fn copies_of_samples_are_counted() {
    let original = spoiled(N, |_, _| {});
    let copies = spoiled(N, |i, x| {
        if [20, 33, 59].contains(&i) {
            *x = original[7];
        }
    });
    assert_warns(&copies, &[Warning::Duplicates { samples: 3 }]);
}

#[test]
fn too_few_samples_to_know_the_inputs_are_said() {
    assert_warns(&spoiled(31, |_, _| {}), &[Warning::FewSamples { given: 31, advised: 32 }]);
    let mut machine = Machine(61);
    let mut learner = Learner::<Rbf<f32>, [f32; 10], 39, R, P>::new();
    while !learner.is_full() {
        let [a, b, c, d] = machine.reading();
        let [e, f, g, h] = machine.reading();
        learner.push(&[a, b, c, d, e, f, g, h, a + f, b + e]).unwrap();
    }
    let recipe = Recipe { components: Components::Fixed(6), ..Recipe::default() };
    let report = learner.learn(Rbf::for_inputs(10), recipe).unwrap();
    assert_eq!(report.warnings(), [Warning::FewSamples { given: 39, advised: 40 }]);
}

#[test]
fn missing_room_for_components_is_said() {
    let mut learner: Learner<Rbf<f32>, _, N, R, 3> = filled(&Machine(62).readings(N));
    let report = learner.learn(rbf(), Recipe::default()).unwrap();
    assert_eq!(report.warnings(), [Warning::ComponentsCapped]);
    assert!(report.fit.components == 3 && report.fit.explained < 0.99);
}

#[test]
fn indefinite_kernels_are_named() {
    let samples = Machine(63).readings::<f32>(N);
    let recipe = Recipe { components: Components::Fixed(2), ..Recipe::default() };
    let (_, report) = learn(&samples, Sigmoid::new(0.1, 0.5), recipe).unwrap();
    assert_eq!(report.warnings(), [Warning::Indefinite]);
    assert!(report.fit.indefinite);
}

#[test]
fn every_warning_is_given_at_once() {
    let mut samples = Machine(64).readings::<f32>(20);
    for (i, x) in samples.iter_mut().enumerate() {
        x[0] = 7.0;
        if i < 12 {
            x[3] = 1.0;
        }
    }
    samples[9] = samples[4];
    let mut learner: Learner<_, _, N, R, 1> = filled(&samples);
    let recipe = Recipe { false_alarms: FalseAlarms::Share(0.01), ..Recipe::default() };
    let report = learner.learn(Sigmoid::new(0.1, 0.5), recipe).unwrap();
    assert_eq!(
        report.warnings(),
        [
            Warning::ConstantInputs { first: 0, count: 1 },
            Warning::StuckInputs { first: 3, count: 1 },
            Warning::Duplicates { samples: 1 },
            Warning::FewSamples { given: 20, advised: 32 },
            Warning::UnsupportedRate { needed: 99 },
            Warning::Indefinite,
            Warning::ComponentsCapped,
        ]
    );
}

#[track_caller]
fn assert_refused<K, T>(samples: &[[T; 4]], kernel: K, recipe: Recipe<T>, error: Error)
where
    T: Real,
    K: Kernel<[T], Scalar = T> + Clone,
{
    assert_eq!(learn(samples, kernel, recipe).map(|(_, report)| report), Err(error));
}

#[test]
fn equal_samples_are_refused() {
    let equal = [Machine(65).reading::<f32>(); N];
    assert_refused(&equal, rbf(), Recipe::default(), Error::NoVariance);
    // All variation in one fold: the others have nothing to learn from.
    let mut one_block = equal;
    one_block[50..].copy_from_slice(&Machine(66).readings(10));
    assert_refused(&one_block, rbf(), Recipe::default(), Error::NoVariance);
}

#[test]
fn kernels_that_make_islands_of_all_samples_are_refused() {
    let samples = Machine(67).readings::<f32>(N);
    for gamma in [10.0, 100.0, 1e4, 1e30] {
        let narrow = Error::KernelTooNarrow;
        assert_refused(&samples, Rbf::new(gamma), Recipe::default(), narrow);
        assert_refused(&samples, Laplacian::new(gamma), Recipe::default(), narrow);
    }
    let samples = Machine(67).readings::<f64>(N);
    assert_refused(&samples, Rbf::new(100.0), Recipe::default(), Error::KernelTooNarrow);
}

#[test]
fn kernels_that_make_all_samples_alike_are_refused() {
    let samples = Machine(68).readings::<f32>(N);
    for gamma in [1e-5, 1e-6] {
        assert_refused(&samples, Rbf::new(gamma), Recipe::default(), Error::KernelTooWide);
    }
    let samples = Machine(68).readings::<f64>(N);
    assert_refused(&samples, Rbf::new(1e-14), Recipe::default(), Error::KernelTooWide);
}

#[test]
fn kernels_that_make_all_samples_equal_are_called_too_wide_for_they_differ() {
    let samples = Machine(68).readings::<f32>(N);
    for gamma in [1e-7, 1e-8, 1e-12, 1e-30] {
        assert_refused(&samples, Rbf::new(gamma), Recipe::default(), Error::KernelTooWide);
    }
}

#[test]
fn models_without_a_residual_are_refused() {
    let samples = Machine(69).readings::<f64>(N);
    // Four inputs and a constant span four dimensions around the mean.
    let affine = Poly { gamma: 1.0, coef0: 1.0, degree: 1 };
    for components in [Components::Fixed(4), Components::Share(1.0)] {
        let recipe = Recipe { components, ..Recipe::default() };
        assert_refused(&samples, affine, recipe, Error::NoResidual { components: 4 });
    }
    let five = Recipe { components: Components::Fixed(5), ..Recipe::default() };
    assert_refused(&samples, affine, five, Error::Rank { wanted: 5, rank: 4 });
    let three = Recipe { components: Components::Fixed(3), ..Recipe::default() };
    assert_eq!(learn(&samples, affine, three).unwrap().1.warnings(), []);
}

#[test]
fn wishes_that_cannot_be_met_are_named() {
    let samples = Machine(70).readings::<f32>(N);
    let with = |components| Recipe { components, ..Recipe::default() };
    let components = Error::Parameter { name: "components", rule: ">= 1" };
    assert_refused(&samples, rbf(), with(Components::Fixed(0)), components);
    let room = Error::Capacity { what: "components", needed: 17, capacity: P };
    assert_refused(&samples, rbf(), with(Components::Fixed(17)), room);
    let landmarks = Recipe { landmarks: Landmarks::Rank(0), ..Recipe::default() };
    let rule = Error::Parameter { name: "landmarks", rule: ">= 1" };
    assert_refused(&samples, rbf(), landmarks, rule);
    let landmarks = Recipe { landmarks: Landmarks::Residual(1e-5), ..Recipe::default() };
    let room = Error::Capacity { what: "landmarks", needed: R + 1, capacity: R };
    assert_refused(&samples, rbf(), landmarks, room);
}

#[test]
fn kernels_that_are_not_positive_everywhere_can_be_learned_with() {
    // On standardised inputs their values are 0 on average: that does not make islands of the samples.
    let samples = Machine(71).readings::<f32>(N);
    let recipe = Recipe { components: Components::Fixed(2), ..Recipe::default() };
    fn usable<K: Kernel<[f32], Scalar = f32> + Clone>(
        samples: &[[f32; 4]],
        kernel: K,
        recipe: Recipe<f32>,
    ) -> Option<Error> {
        learn(samples, kernel, recipe).err()
    }
    let cubic = Poly { gamma: 0.25, coef0: 0.0, degree: 3 };
    let cosine: Cosine = Normalised(Linear);
    let refused = [
        ("linear", usable(&samples, Linear, recipe)),
        ("cosine", usable(&samples, cosine, recipe)),
        ("cubic", usable(&samples, cubic, recipe)),
    ];
    assert!(refused.iter().all(|(_, error)| error.is_none()), "{refused:?}");
}

#[test]
fn a_sensor_that_varies_little_around_a_large_value_has_its_weight() {
    let samples = spoiled(N, |_, x| x[1] = 1000.0 + 0.01 * (x[1] - 5.0));
    let (learner, report) = learn(&samples, rbf(), Recipe::default()).unwrap();
    assert_eq!(report.warnings(), []);
    let deviation = learner.detector().unwrap().scaling().deviation[1];
    assert!((0.004..0.006).contains(&deviation), "{deviation}");
}

#[test]
fn finite_readings_too_large_to_scale_are_refused_and_the_samples_stay() {
    // 1e25 has no square in f32, and two of 3e38 no sum.
    for wild in [1e25, 3e38] {
        let samples = spoiled(N, |i, x| {
            if [17, 18].contains(&i) {
                x[0] = wild;
            }
        });
        let mut learner: Small<Rbf<f32>, f32> = filled(&samples);
        let outcome = learner.learn(rbf(), Recipe::default()).map(|_| ());
        assert!(outcome.is_err(), "{wild:e}: {:?}", learner.detector().map(|d| *d.scaling()));
        assert!(!state(&learner).contains("NaN"), "{wild:e} destroyed the samples");
    }
}
