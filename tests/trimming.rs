//! Field data are never clean: the worst-scoring samples are left out.

mod learning;

use learning::*;
use mercer::detect::{Blindness, FoldOrder, Warning};
use mercer::kernel::Rbf;
use mercer::{Error, Learner, Recipe};

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
    let recipe = Recipe::default().order(FoldOrder::Interleaved);
    let found = |learner: &Small<Rbf<f32>, f32>| {
        let detector = learner.detector().unwrap();
        faulty_readings().iter().filter(|x| detector.score(x).unwrap().unusual).count()
    };
    assert_eq!(found(&learn(&clean, rbf(), recipe).unwrap().0), 20, "without outliers");
    let (untrimmed, blown_up) = learn(&samples, rbf(), recipe).unwrap();
    assert_eq!(blown_up.trimmed, 0);
    // It says so: the inputs with outliers are blind, the first because of that sample.
    assert!((0..3).all(|input| blown_up.blind_inputs().any(|blind| blind == input)));
    let cause = Blindness::Outlier { sample: 11 };
    let blind = Warning::BlindInputs { first: 0, count: 4, cause };
    assert!(blown_up.warnings().contains(&blind), "{:?}", blown_up.warnings());
    assert!(found(&untrimmed) < 4, "{} of 20 untrimmed", found(&untrimmed));
    for (trim, expected) in [(0.05, 3), (0.1, 6)] {
        let (learner, report) = learn(&samples, rbf(), recipe.trim(trim))
            .unwrap_or_else(|error| panic!("size {size}, trim {trim}: {error}"));
        assert_eq!(report.trimmed, expected);
        assert_eq!(report.fit.samples, 60 - expected);
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
            assert_eq!(report.threshold.spe, quantile(scores.iter().map(|s| s.spe), 50));
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
        let (_, report) = learn(&samples, rbf(), Recipe::default().trim(trim)).unwrap();
        assert_eq!(report.trimmed, expected, "{trim}");
        assert_eq!(report.fit.samples, 50 - expected);
    }
    // 0.29·100 = 28.999… in binary.
    let recipe = Recipe::default().trim(0.29);
    let samples: Vec<_> = Machine(54).readings::<f64>(100);
    let mut learner: Learner<_, _, 100, 8, 4> = filled(&samples);
    assert_eq!(learner.learn(rbf(), recipe).map(|report| report.trimmed), Ok(29));
}

#[test]
fn trimming_down_to_too_few_samples_is_refused() {
    let samples = Machine(55).readings::<f32>(12);
    let recipe = Recipe::default().trim(0.5);
    let error = Error::TooFewSamples { given: 6, needed: 8 };
    assert_eq!(learn(&samples, rbf(), recipe).map(|_| ()), Err(error));
}

/// False alarms on new readings of twelve healthy machines.
fn false_alarms_on_clean_data(trim: f32) -> f64 {
    let mut alarms = 0;
    for seed in 100..112 {
        let mut machine = Machine(seed);
        let samples = machine.readings(N);
        let recipe = Recipe::default().trim(trim).order(FoldOrder::Interleaved);
        let (learner, _) = learn(&samples, rbf(), recipe).unwrap();
        let detector = learner.detector().unwrap();
        let anomalous = |x: &[f32; 4]| detector.score(x).unwrap().unusual;
        alarms += machine.readings(100).iter().filter(|x| anomalous(x)).count();
    }
    alarms as f64 / 1200.0
}

#[test]
fn trimming_clean_samples_costs_false_alarms_but_no_more_than_the_share_trimmed() {
    let (none, some) = (false_alarms_on_clean_data(0.0), false_alarms_on_clean_data(0.1));
    println!("false alarms {none:.3} without trimming, {some:.3} with 10 % trimmed");
    // 1200 readings at about 5 and 15 %: three standard deviations are 0.03.
    assert!(none < 0.05 + 0.03, "{none}");
    assert!(none < some && some < 0.05 + 0.1 + 0.03, "{none} {some}");
}
