//! A model that refuses to be bad: every warning and every refusal of learning, provoked.

mod learning;

use learning::*;
use mercer::detect::{Blindness, FalseAlarms, Warning};
use mercer::kernel::{BlockKernel, Cosine, Laplacian, Linear, Normalised, Poly, Rbf, Sigmoid};
use mercer::kpca::{Components, Landmarks};
use mercer::math::Real;
use mercer::{Error, Learner, Recipe};

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
            Recipe::<f64>::default().components(Components::Fixed(4)),
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
    assert!(learner.detector().unwrap().score(&x).unwrap().unusual);
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
    // The first quarter was taken while the sensor still worked, and what is stuck is like its
    // neighbours.
    let late = [
        Warning::StuckInputs { first: 3, count: 1 },
        Warning::Autocorrelated { effective: 29, spacing: 3 },
        Warning::Drift { quarter: 0 },
    ];
    assert_warns(&stuck(20, 60, 3), &late);
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
            Warning::Drift { quarter: 0 },
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
    let mut machine = Machine(62);
    let mut learner = Learner::<Rbf<f32>, [f32; 20], 39, R, P>::new();
    while !learner.is_full() {
        let readings: [[f32; 4]; 5] = core::array::from_fn(|_| machine.reading());
        learner.push(&core::array::from_fn(|j| readings[j / 4][j % 4])).unwrap();
    }
    let recipe = Recipe::default().components(Components::Fixed(6));
    let report = learner.learn(Rbf::for_inputs(20), recipe).unwrap();
    assert_eq!(report.warnings(), [Warning::FewSamples { given: 39, advised: 40 }]);
}

#[test]
fn missing_room_for_components_is_said() {
    let mut learner: Learner<Rbf<f32>, _, N, R, 1> = filled(&Machine(62).readings(N));
    let report = learner.learn(rbf(), Recipe::default()).unwrap();
    assert_eq!(report.warnings(), [Warning::ComponentsCapped]);
    assert!(report.fit.components == 1 && report.fit.explained < 0.8);
    // Next to nothing is missed: a figure of the report, no warning.
    let mut learner: Learner<Rbf<f32>, _, N, R, 3> = filled(&Machine(62).readings(N));
    let report = learner.learn(rbf(), Recipe::default()).unwrap();
    assert_eq!(report.warnings(), []);
    assert!(report.fit.components == 3 && (0.8..0.99).contains(&report.fit.explained));
}

#[test]
fn missing_room_for_points_is_said() {
    let mut learner: Learner<Rbf<f32>, _, N, 4, 4> = filled(&Machine(62).readings(N));
    let recipe = Recipe::default().components(Components::Share(0.9));
    let report = learner.learn(rbf(), recipe).unwrap();
    assert_eq!(report.warnings(), [Warning::PointsCapped]);
    assert!(report.fit.components == report.fit.rank && report.fit.unspanned > 0.1);
}

/// With a threshold at the median, or scores that are all alike: and what the warning advises
/// helps.
#[test]
fn an_alarm_that_would_not_end_is_named() {
    let samples = Machine(65).readings::<f32>(N);
    let stays = |kernel, recipe| {
        let (_, report) = learn(&samples, kernel, recipe).unwrap();
        let share = report.threshold.usual / report.threshold.spe;
        let warned = report.warnings().iter().find_map(|warning| match warning {
            Warning::AlarmStays { percent } => Some(*percent),
            _ => None,
        });
        assert_eq!(warned.is_some(), share >= 0.8, "{share}: {:?}", report.warnings());
        assert!(warned.is_none_or(|percent| percent == (100.0 * share) as usize), "{warned:?}");
        warned.is_some()
    };
    let half = Recipe::default().false_alarms(FalseAlarms::Share(0.6));
    assert!(stays(rbf(), half), "wish for fewer false alarms");
    assert!(!stays(rbf(), Recipe::default()));
    let narrow = Rbf::new(2.0);
    assert!(stays(narrow, Recipe::default()), "choose a wider kernel");
}

#[test]
fn every_warning_reads_differently() {
    let warnings = [
        Warning::ConstantInputs { first: 0, count: 1 },
        Warning::StuckInputs { first: 3, count: 1 },
        Warning::Duplicates { samples: 1 },
        Warning::FewSamples { given: 20, advised: 32 },
        Warning::UnsupportedRate { given: 20, needed: 99 },
        Warning::Autocorrelated { effective: 6, spacing: 19 },
        Warning::Drift { quarter: 0 },
        Warning::Drift { quarter: 1 },
        Warning::Drift { quarter: 3 },
        Warning::ComponentsCapped,
        Warning::PointsCapped,
        Warning::Indefinite,
        Warning::ThresholdLowered { sample: 3, above: 2 },
        Warning::AlarmStays { percent: 93 },
        Warning::BlindInputs { first: 1, count: 2, cause: Blindness::Outlier { sample: 7 } },
        Warning::BlindInputs { first: 1, count: 2, cause: Blindness::Threshold { sample: 7 } },
        Warning::BlindInputs { first: 1, count: 2, cause: Blindness::Stuck },
        Warning::BlindInputs { first: 1, count: 2, cause: Blindness::Scale },
        Warning::BlindInputs { first: 1, count: 2, cause: Blindness::Kernel },
    ];
    let texts: std::collections::BTreeSet<String> =
        warnings.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), warnings.len());
}

#[test]
fn indefinite_kernels_are_named() {
    let samples = Machine(63).readings::<f32>(N);
    let recipe = Recipe::default().components(Components::Fixed(2));
    let (_, report) = learn(&samples, Sigmoid::new(0.1, 0.5), recipe).unwrap();
    // Faults of 5 deviations of most inputs are found in 10 % of new readings.
    let [Warning::Indefinite, Warning::BlindInputs { count: 2.., cause, .. }] = report.warnings()
    else {
        panic!("{:?}", report.warnings());
    };
    assert_eq!(*cause, Blindness::Kernel);
    assert!(report.fit.indefinite);
}

#[test]
fn many_warnings_are_given_at_once() {
    let mut samples = Machine(64).readings::<f32>(20);
    for (i, x) in samples.iter_mut().enumerate() {
        x[0] = 7.0;
        if i < 12 {
            x[3] = 1.0;
        }
    }
    samples[9] = samples[4];
    let mut learner: Learner<_, _, N, R, 1> = filled(&samples);
    let recipe = Recipe::default().false_alarms(FalseAlarms::Share(0.01));
    let report = learner.learn(Sigmoid::new(0.1, 0.5), recipe).unwrap();
    assert_eq!(
        report.warnings(),
        [
            Warning::ConstantInputs { first: 0, count: 1 },
            Warning::StuckInputs { first: 3, count: 1 },
            Warning::Duplicates { samples: 1 },
            Warning::FewSamples { given: 20, advised: 32 },
            Warning::UnsupportedRate { given: 20, needed: 99 },
            Warning::Indefinite,
        ]
    );
    // The one component that there is room for misses less than a fifth.
    assert!(report.fit.components == 1 && report.fit.explained > 0.8);
}

#[track_caller]
fn assert_refused<K, T>(samples: &[[T; 4]], kernel: K, recipe: Recipe<T>, error: Error)
where
    T: Real,
    K: BlockKernel<[T], Scalar = T> + Clone,
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
        let recipe = Recipe::default().components(components);
        assert_refused(&samples, affine, recipe, Error::NoResidual { components: 4 });
    }
    let five = Recipe::default().components(Components::Fixed(5));
    assert_refused(&samples, affine, five, Error::Rank { wanted: 5, rank: 4 });
    let three = Recipe::default().components(Components::Fixed(3));
    // The last input, which no combination of the others gives, is explained away: its faults are
    // found in 1 % of new readings.
    let blind = Warning::BlindInputs { first: 3, count: 1, cause: Blindness::Kernel };
    assert_eq!(learn(&samples, affine, three).unwrap().1.warnings(), [blind]);
}

#[test]
fn wishes_that_cannot_be_met_are_named() {
    let samples = Machine(70).readings::<f32>(N);
    let with = |components| Recipe::default().components(components);
    let components = Error::Parameter { name: "components", rule: ">= 1" };
    assert_refused(&samples, rbf(), with(Components::Fixed(0)), components);
    let room = Error::Capacity { what: "components", needed: 17, capacity: P };
    assert_refused(&samples, rbf(), with(Components::Fixed(17)), room);
    let landmarks = Recipe::default().landmarks(Landmarks::Rank(0));
    let rule = Error::Parameter { name: "landmarks", rule: ">= 1" };
    assert_refused(&samples, rbf(), landmarks, rule);
    let landmarks = Recipe::default().landmarks(Landmarks::Residual(1e-5));
    let room = Error::Capacity { what: "landmarks", needed: R + 1, capacity: R };
    assert_refused(&samples, rbf(), landmarks, room);
}

#[test]
fn kernels_that_are_not_positive_everywhere_can_be_learned_with() {
    // On standardised inputs their values are 0 on average: that does not make islands of the
    // samples.
    let samples = Machine(71).readings::<f32>(N);
    let recipe = Recipe::default().components(Components::Fixed(2));
    fn usable<K: BlockKernel<[f32], Scalar = f32> + Clone>(
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

/// How many components are kept says nothing about how narrow the kernel is.
#[test]
fn few_components_or_points_are_not_taken_for_a_narrow_kernel() {
    let wide = |seed: u64| -> Vec<[f32; 12]> {
        let mut machine = Machine(seed);
        (0..32).map(|_| std::array::from_fn(|_| machine.normal() as f32)).collect()
    };
    let mut linear = Learner::<Linear, [f32; 12], 32, 12, 1>::new();
    let mut few_points = Learner::<Rbf<f32>, [f32; 12], 32, 4, 3>::new();
    for x in wide(72) {
        linear.push(&x).unwrap();
        few_points.push(&x).unwrap();
    }
    let recipe = Recipe::default().components(Components::Fixed(1));
    linear.learn(Linear, recipe).unwrap();
    few_points.learn(Rbf::new(0.05), recipe).unwrap();
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
fn finite_readings_of_any_size_are_scaled_and_the_samples_stay() {
    // 1e25 has no square in f32, and two of 3e38 no sum.
    for wild in [1e25, 3e38] {
        let samples = spoiled(N, |i, x| {
            if [17, 18].contains(&i) {
                x[0] = wild;
            }
        });
        let mut learner: Small<Rbf<f32>, f32> = filled(&samples);
        // Whether such a sensor is of use is another question.
        if learner.learn(rbf(), Recipe::default()).is_ok() {
            let scaling = *learner.detector().unwrap().scaling();
            let share = 2.0 / N as f32;
            let expected = (share * (1.0 - share)).sqrt();
            let [mean, deviation] = [scaling.mean[0], scaling.deviation[0]].map(|x| x / wild);
            assert!((mean - share).abs() < 1e-6, "{wild:e}: mean {mean}");
            assert!((deviation - expected).abs() < 1e-6, "{wild:e}: deviation {deviation}");
        }
        assert!(!state(&learner).contains("NaN"), "{wild:e} destroyed the samples");
    }
}
