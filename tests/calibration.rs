//! Threshold and model against a plain computation, and whether they keep their promise.

mod learning;

use learning::*;
use mercer::detect::{FalseAlarms, FoldOrder, Replace, Scaling, Threshold, Warning};
use mercer::kernel::Rbf;
use mercer::kpca::{LandmarkWorkspace, Landmarks, Score};
use mercer::math::{Fast, Math, Real};
use mercer::{KernelPca, Recipe};

fn thresholds_agree<T: Real>()
where
    Fast: Math<T>,
{
    // 58 samples: the folds are of unequal size.
    let samples = Machine(1).readings::<T>(58);
    for order in [FoldOrder::Contiguous, FoldOrder::Interleaved] {
        for (folds, thousandths) in [(4, 50), (3, 100), (7, 300)] {
            let alpha = share(thousandths as f64 / 1000.0);
            let recipe = Recipe::default().order(order).folds(folds).false_alarms(alpha);
            let (_, report) = learn(&samples, rbf(), recipe).unwrap();
            let scores = cross_fit(&rbf(), &scaled(&samples), &recipe);
            let spe = quantile(scores.iter().map(|score| score.spe), thousandths);
            assert_eq!(report.threshold.spe, spe, "{order:?}, {folds} folds, {thousandths}");
            let wished = T::from_f64(thousandths as f64 / 1000.0);
            assert_eq!((report.wished, report.false_alarms), (wished, wished));
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
    Fast: Math<T>,
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
    assert_eq!(*detector.threshold(), report.threshold);
    assert_eq!(detector.model().points(), model.points());
    for x in samples.iter().chain(&Machine(3).readings(20)) {
        let score = model.score(&detector.scaling().apply(x)).unwrap();
        let reading = detector.score(x).unwrap();
        assert_eq!(reading.score, score);
        assert_eq!(reading.unusual, score.spe > report.threshold.spe);
    }
}

#[test]
fn the_detector_is_the_landmark_fit_to_all_scaled_samples() {
    detector_agrees::<f32>();
    detector_agrees::<f64>();
}

#[test]
fn inputs_are_left_as_they_are_if_asked() {
    let samples = Machine(5).readings::<f64>(N);
    let recipe = Recipe::default().standardise(false);
    let kernel = Rbf::new(0.001);
    let (learner, report) = learn(&samples, kernel, recipe).unwrap();
    let detector = learner.detector().unwrap();
    assert_eq!(*detector.scaling(), Scaling::identity());
    let spe = cross_fit(&kernel, &samples, &recipe).into_iter().map(|score| score.spe);
    assert_eq!(report.threshold.spe, quantile(spe, 50));
    let model = fit(&kernel, &samples, &recipe);
    let x = Machine(6).reading();
    assert_eq!(detector.score(&x).unwrap().score, model.score(&x).unwrap());
}

#[test]
fn cross_fit_keeps_its_promise_where_the_training_scores_would_not() {
    const MACHINES: u64 = 12;
    const FRESH: usize = 100;
    let recipe = Recipe::default().order(FoldOrder::Interleaved);
    let (mut alarms, mut in_sample_alarms) = (0, 0);
    for seed in 0..MACHINES {
        let mut machine = Machine(1000 + seed);
        let samples = machine.readings::<f32>(N);
        let (learner, report) = learn(&samples, rbf(), recipe).unwrap();
        let detector = learner.detector().unwrap();
        let own = |x| detector.score(x).unwrap().score.spe;
        let in_sample = quantile(samples.iter().map(own), 50);
        assert!(in_sample < report.threshold.spe);
        for _ in 0..FRESH {
            let reading = detector.score(&machine.reading()).unwrap();
            alarms += usize::from(reading.unusual);
            in_sample_alarms += usize::from(reading.score.spe > in_sample);
        }
    }
    // The share of one machine is Beta(α(n+1), (1−α)(n+1)) at the worst, so the mean of 12 machines
    // and 1200 readings has a standard deviation of √(0.05·0.95/12·(1/62 + 1/100)) = 0.010;
    // four of them above 5 % is 9 %.
    let of = |count: usize| count as f64 / (MACHINES as usize * FRESH) as f64;
    assert!((0.01..0.09).contains(&of(alarms)), "{}", of(alarms));
    assert!(of(in_sample_alarms) > 0.15, "{}", of(in_sample_alarms));
    assert!(in_sample_alarms > 2 * alarms, "{in_sample_alarms} against {alarms}");
}

#[test]
fn spe_alone_decides() {
    let recipe = Recipe::default().false_alarms(share(0.2));
    let (learner, report) = learn(&Machine(4).readings::<f64>(N), rbf(), recipe).unwrap();
    let detector = learner.detector().unwrap();
    // T² is still a score, and one that does not say the same: readings above its usual values are
    // found among the anomalous ones and among the others.
    let fresh = Machine(5).readings(300);
    let verdicts: Vec<_> = fresh.iter().map(|x| detector.score(x).unwrap()).collect();
    let high = quantile(verdicts.iter().map(|verdict| verdict.score.t2), 200);
    let mut seen = [0; 4];
    for verdict in verdicts {
        let (spe, t2) = (verdict.score.spe > report.threshold.spe, verdict.score.t2 > high);
        assert_eq!(verdict.unusual, spe);
        seen[usize::from(spe) + 2 * usize::from(t2)] += 1;
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");

    let anomalous = |spe, t2| {
        let mut score = Score::default();
        (score.spe, score.t2) = (spe, t2);
        report.threshold.judge(score).unusual
    };
    let at = report.threshold.spe;
    for t2 in [0.0, 1.0, 1e300, f64::INFINITY, f64::NAN] {
        assert!(!anomalous(at, t2), "exactly at the threshold is still usual");
        assert!(anomalous(at * (1.0 + f64::EPSILON), t2));
        assert!(anomalous(f64::NAN, t2), "what cannot be compared is no reason for silence");
    }
    assert!(Threshold::new(f64::NAN).judge(Score::default()).unusual);
}

#[test]
fn a_rate_per_day_that_the_samples_cannot_support_is_said_and_the_largest_score_taken() {
    let samples = Machine(6).readings::<f32>(N);
    // One false alarm a day: once an hour 1/24, once a minute 1/1440.
    let recipe = |hertz| Recipe::default().false_alarms(FalseAlarms::PerDay { alarms: 1.0, hertz });
    let (_, hourly) = learn(&samples, rbf(), recipe(1.0 / 3600.0)).unwrap();
    assert_eq!(hourly.warnings(), []);
    let by_share = Recipe::default().false_alarms(FalseAlarms::Share(1.0 / 24.0));
    let (_, same) = learn(&samples, rbf(), by_share).unwrap();
    assert_eq!(hourly.threshold, same.threshold);

    let (_, minutely) = learn(&samples, rbf(), recipe(1.0 / 60.0)).unwrap();
    // The largest score is a high threshold: an input may be blind then.
    let unsupported = Warning::UnsupportedRate { given: N, needed: 1439 };
    assert_eq!(minutely.warnings().first(), Some(&unsupported));
    let scores = cross_fit(&rbf(), &scaled(&samples), &Recipe::default());
    let largest = scores.iter().map(|score| score.spe).fold(0.0, f32::max);
    assert_eq!(minutely.threshold.spe, largest);
    // The report says what was wished for, and that one reading in 61 is what can be told.
    let wished = recipe(1.0 / 60.0).false_alarms.share().unwrap();
    assert_eq!((minutely.wished, minutely.false_alarms), (wished, 1.0 / 61.0));
    assert_eq!(hourly.false_alarms, hourly.wished);

    for (alpha, needed) in [(0.01, 99), (0.003, 333), (1e-5, 99_999), (1e-9, 999_999_999)] {
        let recipe = Recipe::<f64>::default().false_alarms(share(alpha));
        let samples = Machine(6).readings(N);
        let (_, report) = learn(&samples, rbf(), recipe).unwrap();
        let unsupported = Warning::UnsupportedRate { given: N, needed };
        assert_eq!(report.warnings().first(), Some(&unsupported), "{alpha}");
    }
    // As many as it takes are enough, one fewer is not. (The largest score is a threshold by which
    // faults are found in 1 to 20 % of readings.)
    for (n, expected) in
        [(49, vec![]), (48, vec![Warning::UnsupportedRate { given: 48, needed: 49 }])]
    {
        let recipe = Recipe::default().false_alarms(share(0.02));
        let (_, report) = learn(&samples[..n], rbf::<f32>(), recipe).unwrap();
        let blind = |warning: &&Warning| matches!(warning, Warning::BlindInputs { .. });
        let others: Vec<_> = report.warnings().iter().filter(|w| !blind(w)).copied().collect();
        assert_eq!(others, expected, "{n}");
    }
}

#[test]
fn the_same_pushes_give_the_same_bits() {
    let samples = Machine(7).readings::<f32>(N);
    let recipe = Recipe::default().trim(0.05);
    let (mut a, _) = learn(&samples, rbf(), recipe).unwrap();
    let (mut b, _) = learn(&samples, rbf(), recipe).unwrap();
    assert_eq!(state(&a), state(&b));
    for x in Machine(8).readings(30) {
        assert_eq!(a.refresh(&x, Replace::Random), b.refresh(&x, Replace::Random));
    }
    a.learn(rbf(), recipe).unwrap();
    b.learn(rbf(), recipe).unwrap();
    assert_eq!(state(&a), state(&b));
}
