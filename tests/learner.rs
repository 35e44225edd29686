//! The life of a learner: bounded steps, every state left as promised, refreshing.

mod learning;

use std::cell::Cell;

use learning::*;
use mercer::detect::{FoldOrder, Replace};
use mercer::error::Fault;
use mercer::kernel::{BlockKernel, Kernel, Laplacian, Rbf};
use mercer::kpca::Components;
use mercer::math::Real;
use mercer::{Error, Learner, Progress, Recipe};

// Steps.

/// Counts how often it is asked for a value, `k(x, x)` included.
#[derive(Clone, Debug)]
struct Counted<'a, K> {
    kernel: K,
    count: &'a Cell<usize>,
}

impl<K: BlockKernel<[f32], Scalar = f32>> Kernel<[f32]> for Counted<'_, K> {
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

impl<K: BlockKernel<[f32], Scalar = f32>> BlockKernel<[f32]> for Counted<'_, K> {}

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
    let trimmed = Recipe::default().trim(0.1);
    let seven = Recipe::default().folds(7).order(FoldOrder::Interleaved);
    fn bounded<const R: usize>(samples: &[[f32; 4]], recipe: Recipe<f32>) {
        let steps = count_steps::<R>(samples, recipe);
        let (n, r, folds) = (samples.len(), R, recipe.folds);
        // A fold may take a sweep or two more than the last fit.
        let sweeps = steps.sweeps + 2;
        let rounds = if recipe.trim > 0.0 { 2 } else { 1 };
        let fits = rounds * folds + 1;
        // The documented number.
        let inputs = samples[0].len();
        let fitting = fits * (3 * r + 4 * r * r * sweeps / n + 22) + rounds * (n + 1);
        let bound = fitting + inputs / 4 + 20 + 33 * inputs + 18;
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
    let recipe = Recipe::default().order(FoldOrder::Interleaved);
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
    refused(&mut learner, rbf(), Recipe::default().folds(5), too_few(7, 10));
    let positive = Error::Parameter { name: "gamma", rule: "finite and > 0" };
    refused(&mut learner, Rbf::new(-1.0), Recipe::default(), positive);
    let folds = Error::Parameter { name: "folds", rule: ">= 2" };
    refused(&mut learner, rbf(), Recipe::default().folds(1), folds);
    let trim = Error::Parameter { name: "trim", rule: "a share >= 0 and <= 0.5" };
    for share in [-0.1, 0.6, f32::NAN] {
        refused(&mut learner, rbf(), Recipe::default().trim(share), trim);
    }
    let rate = Error::Parameter { name: "false_alarms", rule: "a share > 0 and < 1" };
    for alpha in [0.0, 1.0, f64::NAN] {
        let recipe = Recipe::default().false_alarms(share(alpha));
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
    // The last sensor deviates by less than 1, so that scaling makes its reading larger still.
    let fault = Error::Query(Fault::ScaleOverflow { input: 3 });
    assert_eq!(learner.refresh(&huge, Replace::Oldest), Err(fault));
    assert_eq!(state(&learner), before);
}

type Open = Learner<Laplacian<f64>, [f64; 4], 24, 24, P>;

fn held<K, T: Real, const N: usize, const R: usize>(
    learner: &Learner<K, [T; 4], N, R, P>,
) -> Vec<[T; 4]>
where
    K: BlockKernel<[T], Scalar = T> + Clone,
{
    learner.samples().copied().collect()
}

#[test]
fn a_first_attempt_that_fails_or_is_given_up_leaves_the_samples() {
    let samples = Machine(13).readings::<f64>(24);
    let mut learner: Open = filled(&samples);
    let wide = Recipe::default().components(Components::Fixed(100));
    let error = Error::Rank { wanted: 100, rank: 17 };
    assert_eq!(learner.learn(Laplacian::new(0.1), wide), Err(error));
    assert!(!learner.is_learning() && learner.report().is_none());
    assert_eq!(learner.detector().map(|_| ()), Err(Error::NotFitted));
    assert_eq!(held(&learner), samples);

    for steps in [0, 1, 10, 100] {
        learner.begin(Laplacian::new(0.1), Recipe::default()).unwrap();
        for _ in 0..steps {
            assert_eq!(learner.step(), Ok(Progress::Working));
        }
        learner.give_up();
        assert!(!learner.is_learning());
    }
    learner.give_up();
    assert_eq!(held(&learner), samples);

    let report = learner.learn(Laplacian::new(0.1), Recipe::default()).unwrap().clone();
    let mut fresh: Open = filled(&samples);
    let expected = fresh.learn(Laplacian::new(0.1), Recipe::default()).unwrap();
    assert_eq!(&report, expected);
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

/// A normal reading of the machine that the learner finds unusual (or usual), neither more than
/// twice the threshold.
fn reading_that_is(
    learner: &Small<Rbf<f32>, f32>,
    unusual: bool,
    machine: &mut Machine,
) -> [f32; 4] {
    let detector = learner.detector().unwrap();
    std::iter::repeat_with(|| machine.reading())
        .find(|x| {
            let verdict = detector.score(x).unwrap();
            verdict.unusual == unusual && verdict.score.spe <= 2.0 * detector.threshold().spe
        })
        .unwrap()
}

#[test]
fn faults_never_enter() {
    let mut machine = Machine(18);
    let samples = machine.readings::<f32>(N);
    for count in [N, 40] {
        let (mut learner, _) = learn(&samples[..count], rbf(), Recipe::default()).unwrap();
        let offer = |learner: &mut Small<_, _>, x: [f32; 4], expected: bool| {
            let verdict = learner.refresh(&x, Replace::Oldest).unwrap();
            assert_eq!(verdict.unusual, expected);
            learner.samples().any(|sample| *sample == x)
        };
        for round in 0..30 {
            // Spikes, each among usual readings.
            for _ in 0..round % 7 {
                let x = reading_that_is(&learner, false, &mut machine);
                assert!(offer(&mut learner, x, false));
            }
            let mut spike = machine.reading::<f32>();
            spike[round % 3] += 30.0 * UNITS[round % 3] as f32;
            assert!(!offer(&mut learner, spike, true));
            assert!(learner.samples().all(|x| *x != spike));
            // A small fault that lasts.
            let fault: Vec<_> =
                (0..2 + round % 3).map(|_| reading_that_is(&learner, true, &mut machine)).collect();
            for x in &fault {
                assert!(!offer(&mut learner, *x, true));
            }
            for _ in 0..6 {
                let x = reading_that_is(&learner, false, &mut machine);
                assert!(offer(&mut learner, x, false));
            }
            assert!(learner.samples().all(|x| *x != spike && !fault.contains(x)), "{round}");
        }
    }
}

#[test]
fn a_single_unusual_reading_enters_once_those_around_it_are_usual() {
    let mut machine = Machine(22);
    let (mut learner, _) = learn(&machine.readings(N), rbf(), Recipe::default()).unwrap();
    for _ in 0..4 {
        let x = reading_that_is(&learner, false, &mut machine);
        learner.refresh(&x, Replace::Oldest).unwrap();
    }
    let unusual = reading_that_is(&learner, true, &mut machine);
    learner.refresh(&unusual, Replace::Oldest).unwrap();
    for i in 1..=4 {
        assert!(!held(&learner).contains(&unusual), "{i}");
        let x = reading_that_is(&learner, false, &mut machine);
        learner.refresh(&x, Replace::Oldest).unwrap();
        assert_eq!(held(&learner).last(), Some(&x));
    }
    assert_eq!(held(&learner)[N - 2], unusual, "just before the reading that confirmed it");
}

/// A learner of 24 samples, and readings that it finds normal.
fn with_normal_readings(count: usize) -> (Vec<[f64; 4]>, Open, Vec<[f64; 4]>) {
    let mut machine = Machine(19);
    let samples = machine.readings(24);
    let mut learner = filled(&samples);
    learner.learn(Laplacian::new(0.1), Recipe::default()).unwrap();
    let detector = learner.detector().unwrap();
    let normal = std::iter::repeat_with(|| machine.reading())
        .filter(|x| !detector.score(x).unwrap().unusual)
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
            assert_eq!(held(&learner), latest);
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
        if !learner.refresh(&x, Replace::Oldest).unwrap().unusual {
            all.push(x);
        }
    }
    assert!(all.len() > N + 15);
    let scaling = *learner.detector().unwrap().scaling();
    let latest: Vec<_> = all[all.len() - N..].iter().map(|x| scaling.apply(x)).collect();
    let mut as_stored = latest.clone();
    as_stored.rotate_right((all.len() - N) % N);
    for order in [FoldOrder::Contiguous, FoldOrder::Interleaved] {
        let recipe = Recipe::default().order(order);
        let threshold = learner.learn(rbf(), recipe).unwrap().threshold.spe;
        let among =
            |samples| cross_fit(&rbf(), samples, &recipe).iter().any(|s| s.spe == threshold);
        assert!(among(&latest), "{order:?}");
        assert!(!among(&as_stored), "{order:?}");
    }
}

#[test]
fn any_sample_may_be_replaced_and_the_others_stay_in_order() {
    let (samples, mut learner, normal) = with_normal_readings(4000);
    let mut expected = samples;
    let mut replaced = [0; 24];
    for x in &normal {
        learner.refresh(x, Replace::Random).unwrap();
        let now = held(&learner);
        // The first place at which they differ is that of the sample which is gone.
        let gone = (0..24).find(|&i| now[i] != expected[i]).unwrap();
        replaced[gone] += 1;
        expected.remove(gone);
        expected.push(*x);
        assert_eq!(now, expected);
    }
    // 167 of each age, with a standard deviation of 13; four of them are 52.
    assert!(replaced.iter().all(|count| (115..=219).contains(count)), "{replaced:?}");
    // What the model sees follows: it learns what one with these samples would.
    let scaling = *learner.detector().unwrap().scaling();
    let scaled: Vec<_> = expected.iter().map(|x| scaling.apply(x)).collect();
    let recipe = Recipe::default();
    let threshold = learner.learn(Laplacian::new(0.1), recipe).unwrap().threshold.spe;
    let scores = cross_fit(&Laplacian::new(0.1), &scaled, &recipe);
    assert!(scores.iter().any(|score| score.spe == threshold));
}

#[test]
fn free_room_is_used_before_anything_is_replaced() {
    let mut machine = Machine(21);
    let samples = machine.readings::<f32>(50);
    for replace in [Replace::Oldest, Replace::Random] {
        let (mut learner, _) = learn(&samples, rbf(), Recipe::default()).unwrap();
        let mut expected = 50;
        for _ in 0..30 {
            let anomalous = learner.refresh(&machine.reading(), replace).unwrap().unusual;
            expected = N.min(expected + usize::from(!anomalous));
            // And perhaps an unusual one that waited.
            assert!((expected..=expected + 1).contains(&learner.len()));
            expected = learner.len();
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
        assert_eq!(learner.refresh(x, Replace::Random), score);
    }
    assert_eq!(state(&learner), before);
    learner.thaw();
    learner.refresh(&normal[0], Replace::Oldest).unwrap();
    assert_ne!(state(&learner), before);
}

/// Share of alarms in the last of ten rounds of 60 readings each, over which the mean load rises by
/// `drift`.
///
/// Without faults all alarms are false. Unless frozen, it learns again after each round.
fn false_alarms_after(drift: f64, frozen: bool) -> f64 {
    const MACHINES: u64 = 4;
    const ROUNDS: usize = 10;
    let recipe = Recipe::default().order(FoldOrder::Interleaved);
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
                alarms += usize::from(reading.unusual);
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
    // 5 % of 240 readings, with a standard deviation of 1.4 % for them and as much for the four
    // learners: three of them above is 11 %.
    let share = false_alarms_after(0.0, false);
    assert!(share < 0.11, "{share}");
}
