//! Detectors that change hands, by `swap_detector` and `copy_from`: the same bits on the other
//! side, and a learner that goes on as one that was given the same detector in another way.

mod common;

use common::{Random, config};
use mercer::detect::{LogDetector, LogLearner, Replace};
use mercer::kernel::{BlockKernel, Laplacian, Poly, Rbf};
use mercer::linalg::eigen::TridiagonalQr;
use mercer::monitor::Lesson;
use mercer::signal::{Feature, FrontEnd};
use mercer::{Alarm, AlarmConfig, AlarmState, Detector, Error, Learner, Monitor, Progress, Recipe};
use proptest::prelude::*;

const ROOM: usize = 40;
type Reading = [f32; 3];
type Model<K> = Detector<K, Reading, 12, 5>;
type Pupil<K> = Learner<K, Reading, ROOM, 12, 5>;

/// Two inputs that depend on each other, and one by itself; `unit` and `offset` as another sensor
/// would have them.
fn readings(seed: u64, count: usize, unit: f32, offset: f32) -> Vec<Reading> {
    let mut random = Random(seed);
    let mut reading = || {
        let load = random.noise() as f32;
        [load, 0.5 * load + 0.1 * random.noise() as f32, random.noise() as f32]
    };
    (0..count).map(|_| reading().map(|x| offset + unit * x)).collect()
}

fn taught<K>(kernel: K, samples: &[Reading]) -> Pupil<K>
where
    K: BlockKernel<[f32], Scalar = f32> + Clone,
{
    let mut pupil = Pupil::new();
    samples.iter().for_each(|x| pupil.push(x).unwrap());
    pupil.learn(kernel, Recipe::default()).unwrap();
    pupil
}

/// Near and far.
fn queries(seed: u64) -> Vec<Reading> {
    let mut queries = readings(seed, 20, 1.0, 0.0);
    queries.extend(readings(seed, 10, 30.0, 5.0));
    queries.push([0.0, 1e9, -1e-9]);
    queries
}

/// Everything that a score has.
fn scores<K>(model: &Model<K>, seed: u64) -> Vec<[u32; 4]>
where
    K: BlockKernel<[f32], Scalar = f32>,
{
    let bits = |x: &Reading| {
        let score = model.score(x).unwrap().score;
        [score.spe, score.t2, score.abs_sum, score.centre_distance].map(f32::to_bits)
    };
    queries(seed).iter().map(bits).collect()
}

/// Of two samples counts, so that one model has more points than the other, in either order.
fn require_a_true_copy<K>(kernel: K, seed: u64)
where
    K: BlockKernel<[f32], Scalar = f32> + Clone,
{
    let many = taught(kernel.clone(), &readings(seed, ROOM, 1.0, 0.0));
    let few = taught(kernel, &readings(seed ^ 1, 8, 3.0, -2.0));
    let (many, few) = (many.detector().unwrap(), few.detector().unwrap());
    let mut copy = Model::new();
    for model in [many, few, many] {
        copy.copy_from(model).unwrap();
        assert_eq!(scores(&copy, seed), scores(model, seed));
        assert_eq!(copy.threshold(), model.threshold());
        assert_eq!(copy.scaling(), model.scaling());
        assert_eq!(copy.model().points(), model.model().points());
        copy.validate().unwrap();
    }
}

proptest! {
    #![proptest_config(config(12))]

    #[test]
    fn a_copy_scores_the_same(seed in any::<u64>()) {
        require_a_true_copy(Rbf::for_inputs(3), seed);
        require_a_true_copy(Laplacian::new(0.3), seed);
        require_a_true_copy(Poly { gamma: 0.3, coef0: 1.0, degree: 2 }, seed);
    }

    /// A learner that has been given a detector learns as one that has read the same detector,
    /// whatever its scaling was before.
    #[test]
    fn a_learner_goes_on_with_what_it_was_given(seed in any::<u64>(), unit in 0.01_f32..100.0) {
        let kernel = Rbf::for_inputs(3);
        let (ours, others) = (readings(seed, 30, 1.0, 0.0), readings(seed ^ 1, 25, unit, 1.0));
        let other = taught(kernel, &others);
        let mut bytes = [0; Model::<Rbf<f32>>::ENCODED_SIZE];
        let length = other.detector().unwrap().write_to(&mut bytes).unwrap();
        let fresh = readings(seed ^ 2, 10, 1.0, 0.0);

        let mut swapped = taught(kernel, &ours);
        let mut handed = other.detector().unwrap().clone();
        swapped.swap_detector(&mut handed).unwrap();
        let mut restored = Pupil::new();
        restored.restore(&bytes[..length]).unwrap();
        ours.iter().for_each(|x| restored.push(x).unwrap());

        let [first, second] = [&mut swapped, &mut restored].map(|pupil| {
            fresh.iter().for_each(|x| pupil.push(x).unwrap());
            // In some units the scaling of the others leaves nothing to learn.
            pupil.learn(kernel, Recipe::default()).map(|report| report.threshold)
        });
        prop_assert_eq!(first, second);
        let [a, b] = [&swapped, &restored].map(|pupil| pupil.detector().unwrap());
        prop_assert_eq!(scores(a, seed), scores(b, seed));
        prop_assert_eq!(a.threshold(), b.threshold());
        prop_assert_eq!(a.scaling(), other.detector().unwrap().scaling());
    }
}

#[test]
fn the_first_detector_leaves_and_the_samples_stay() {
    let kernel = Rbf::for_inputs(3);
    let samples = readings(5, 30, 1.0, 0.0);
    let mut pupil = taught(kernel, &samples);
    let before = scores(pupil.detector().unwrap(), 9);
    let mut model = Model::new();
    pupil.swap_detector(&mut model).unwrap();
    assert_eq!(scores(&model, 9), before);
    assert!(matches!(pupil.detector(), Err(Error::NotFitted)));
    assert_eq!(pupil.refresh(&samples[0], Replace::Oldest), Err(Error::NotFitted));
    assert!(pupil.samples().eq(&samples));
    // Nothing is left to hand over: the one that is at work stays.
    assert_eq!(pupil.swap_detector(&mut model), Err(Error::NotFitted));
    assert_eq!(scores(&model, 9), before);
    // The same samples make the same detector.
    pupil.learn(kernel, Recipe::default()).unwrap();
    assert_eq!(scores(pupil.detector().unwrap(), 9), before);
}

#[test]
fn two_detectors_go_back_and_forth() {
    let kernel = Rbf::for_inputs(3);
    let mut pupil = taught(kernel, &readings(5, 20, 1.0, 0.0));
    let mut at_work = Model::new();
    at_work.copy_from(pupil.detector().unwrap()).unwrap();
    let scaling = *at_work.scaling();
    for round in 0..4 {
        for x in readings(50 + round, 15, 1.0, 0.0) {
            pupil.refresh(&x, Replace::Oldest).unwrap();
        }
        pupil.begin(kernel, Recipe::default()).unwrap();
        while pupil.step().unwrap() == Progress::Working {
            assert_eq!(pupil.swap_detector(&mut at_work), Err(Error::Learning));
        }
        let learned = scores(pupil.detector().unwrap(), round);
        let old = scores(&at_work, round);
        assert_ne!(learned, old);
        pupil.swap_detector(&mut at_work).unwrap();
        assert_eq!(scores(&at_work, round), learned);
        assert_eq!(scores(pupil.detector().unwrap(), round), old);
        assert_eq!(*at_work.scaling(), scaling, "scores before and after stay comparable");
    }
}

#[test]
fn nothing_learned_is_nothing_copied() {
    let pupil = taught(Rbf::for_inputs(3), &readings(5, 20, 1.0, 0.0));
    let mut copy = pupil.detector().unwrap().clone();
    assert_eq!(copy.copy_from(&Model::new()), Err(Error::NotFitted));
    assert_eq!(scores(&copy, 1), scores(pupil.detector().unwrap(), 1));
}

/// Samples that the given scaling cannot scale are named, and nothing is lost.
#[test]
fn a_scaling_that_does_not_fit_is_refused_by_learning() {
    let kernel = Rbf::for_inputs(3);
    let mut samples = readings(5, 20, 1.0, 0.0);
    samples[7][1] = 1e30;
    let mut pupil = Learner::<_, Reading, ROOM, 12, 5, TridiagonalQr<f32>>::new();
    samples.iter().for_each(|x| pupil.push(x).unwrap());
    pupil.learn(kernel, Recipe::default().trim(0.1)).unwrap();
    let mut tiny = taught(kernel, &readings(6, 20, 1e-12, 0.0)).detector().unwrap().clone();
    let before = scores(&tiny, 1);
    pupil.swap_detector(&mut tiny).unwrap();
    for _ in 0..2 {
        let refused = pupil.learn(kernel, Recipe::default()).map(|_| ());
        assert!(matches!(refused, Err(Error::Sample { index: 7, .. })), "{refused:?}");
    }
    assert!(pupil.samples().eq(&samples) && !pupil.is_learning());
    assert_eq!(scores(pupil.detector().unwrap(), 1), before);
    // With its own detector it learns again.
    pupil.swap_detector(&mut tiny).unwrap();
    pupil.learn(kernel, Recipe::default().trim(0.1)).unwrap();
}

#[test]
fn logarithms_go_along() {
    let mut pupil = LogLearner::<3, ROOM, 12, 5>::new();
    for x in readings(5, 30, 1.0, 0.0) {
        pupil.push(&x.map(f32::exp)).unwrap();
    }
    pupil.learn(Rbf::for_inputs(3), Recipe::default()).unwrap();
    let (mut copy, mut swapped) = (LogDetector::new(), LogDetector::<3, 12, 5>::new());
    copy.copy_from(pupil.detector().unwrap()).unwrap();
    pupil.swap_detector(&mut swapped).unwrap();
    assert!(copy.scaling().floor.iter().any(|floor| *floor > 0.0));
    for x in queries(3).iter().map(|x| x.map(|v| v.min(50.0).exp())) {
        assert_eq!(copy.score(&x), swapped.score(&x));
    }
}

struct Level;
impl FrontEnd for Level {
    const FEATURES: &'static [Feature] = &[Feature::Mean];
}
type LevelStream = mercer::stream!(Level, f32, 3, 1, 1);

/// A monitor that owns a mutable reference gives it back, and an alarm that nobody has seen yet is
/// not lost by that.
#[test]
fn an_exchange_loses_no_alarm() {
    let kernel = Rbf::for_inputs(3);
    let mut pupil = Pupil::new();
    let mut stream = LevelStream::new();
    let mut lesson = Lesson::new(&mut pupil, &mut stream);
    for x in readings(5, 30, 1.0, 0.0) {
        lesson.push(&x).unwrap();
    }
    pupil.learn(kernel, Recipe::default()).unwrap();
    let [mut first, mut second] = [Model::new(), Model::new()];
    first.copy_from(pupil.detector().unwrap()).unwrap();
    pupil.swap_detector(&mut second).unwrap();

    for (latch, after) in [(true, AlarmState::Latched), (false, AlarmState::Normal)] {
        let alarm = Alarm::new(AlarmConfig::DEFAULT.latch(latch)).unwrap();
        let mut monitor = Monitor::with_alarm(&mut first, LevelStream::new(), alarm);
        let strange = [1.0, -1.0, 0.0];
        for _ in 0..10 {
            monitor.push(&strange).unwrap();
        }
        assert_eq!(monitor.alarm().state(), AlarmState::Raised);
        let spent = monitor.set_detector(&mut second);
        assert_eq!(monitor.alarm().state(), after);
        assert_eq!(scores(spent, 3), scores(monitor.detector(), 3));
        // The fault is still there: so says the other detector.
        for _ in 0..10 {
            monitor.push(&strange).unwrap();
        }
        assert_eq!(monitor.alarm().state(), AlarmState::Raised);
    }
}
