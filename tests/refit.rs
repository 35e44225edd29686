//! What projections mean over a refit: signs are kept, and components that are others are reported.
//!
//! Whether a component is still the same is computed here from projections alone, by the formula of
//! the correlation, in `f64`.

mod learning;

use learning::{Machine, filled, rbf, scaled};
use mercer::detect::{LearnReport, Replace, Warning};
use mercer::kernel::{BlockKernel, Linear, Rbf};
use mercer::kpca::Components;
use mercer::{Detector, Learner, Progress, Recipe};

const D: usize = 4;
const R: usize = 20;
const P: usize = 6;
type Roomy<K> = Learner<K, [f32; D], 120, R, P>;

/// Samples that are scaled already, so that a fresh learner sees what one that learns again does.
fn recipe() -> Recipe<f32> {
    Recipe::default().standardise(false).components(Components::Fixed(4))
}

fn changed(report: &LearnReport<f32>) -> Vec<usize> {
    let changed: Vec<usize> = report.changed_components().collect();
    let warned = report.warnings().iter().find_map(|warning| match warning {
        Warning::ComponentsChanged { first, count } => Some((*first, *count)),
        _ => None,
    });
    assert_eq!(warned, changed.first().map(|&first| (first, changed.len())));
    changed
}

/// The correlation of a component of two detectors over some readings.
fn correlation<K, const R: usize, const P: usize>(
    [a, b]: [&Detector<K, [f32; D], R, P>; 2],
    component: usize,
    readings: &[[f32; D]],
) -> f64
where
    K: BlockKernel<[f32], Scalar = f32>,
{
    let of = |detector: &Detector<K, [f32; D], R, P>| -> Vec<f64> {
        let values = readings.iter().map(|x| detector.project(x).unwrap()[component].into());
        let values: Vec<f64> = values.collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|value| value - mean).collect()
    };
    let (a, b) = (of(a), of(b));
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt()
}

#[test]
fn a_refit_to_the_same_samples_changes_nothing() {
    for seed in 1..=5 {
        let mut learner: Roomy<Rbf<f32>> = filled(&Machine(seed).readings(60));
        let first = learner.learn(rbf(), Recipe::default()).unwrap().clone();
        assert_eq!(changed(&first), []);
        let before = format!("{:?}", learner.detector().unwrap());
        let again = learner.learn(rbf(), Recipe::default()).unwrap().clone();
        assert_eq!(format!("{:?}", learner.detector().unwrap()), before);
        assert_eq!(again, first);
    }
}

/// Replaced samples: a component that is not reported has the sign and the meaning that it had,
/// and one that is has not. A learner without a past has other signs now and then.
#[test]
fn signs_are_kept_when_samples_change() {
    let (mut kept, mut lost, mut turned) = (0, 0, 0);
    for seed in 1..=30 {
        let mut random = Machine(seed);
        let readings = scaled(&random.readings::<f32>(110));
        let (samples, later) = readings.split_at(60);
        let mut learner: Learner<Rbf<f32>, [f32; D], 60, R, P> = filled(samples);
        learner.learn(rbf(), recipe()).unwrap();
        let before = learner.detector().unwrap().clone();
        for x in &later[..30] {
            learner.refresh(x, Replace::Oldest).unwrap();
        }
        let report = learner.learn(rbf(), recipe()).unwrap().clone();
        let after = learner.detector().unwrap();
        let samples: Vec<[f32; D]> = learner.samples().copied().collect();
        let changed = changed(&report);
        for component in 0..4 {
            let r = correlation([&before, after], component, &samples);
            // On the border either will do.
            if r.abs() > 0.72 {
                assert!(!changed.contains(&component), "{seed}, {component}: {r}");
                assert!(r > 0.0, "{seed}, {component}: {r}");
                kept += 1;
            } else if r.abs() < 0.69 {
                assert!(changed.contains(&component), "{seed}, {component}: {r}");
                lost += 1;
            }
            if !changed.contains(&component) {
                // Readings that neither has seen move a little, not to the other side.
                let r = correlation([&before, after], component, &later[30..]);
                assert!(r > 0.4, "{seed}, {component}: {r} on other readings");
            }
        }
        // The same model but for signs.
        let mut fresh: Learner<Rbf<f32>, [f32; D], 60, R, P> = filled(&samples);
        fresh.learn(rbf(), recipe()).unwrap();
        let fresh = fresh.detector().unwrap();
        for x in &later[30..] {
            let (f, g) = (after.project(x).unwrap(), fresh.project(x).unwrap());
            let apart = f.iter().zip(g.iter()).map(|(f, g)| (f.abs() - g.abs()).abs());
            assert!(apart.fold(0.0, f32::max) < 2e-5, "{seed}: {f:?} {g:?}");
            let spe = |detector: &Detector<_, _, R, P>| detector.score(x).unwrap().score.spe;
            assert!((spe(after) - spe(fresh)).abs() < 2e-5, "{seed}");
        }
        let opposite = |&j: &usize| correlation([after, fresh], j, &samples) < 0.0;
        turned += (0..4).filter(opposite).count();
    }
    println!("of 120 components {kept} kept, {lost} others; {turned} were turned");
    assert!(kept > 60 && lost > 0 && turned > 5, "{kept} {lost} {turned}");
}

/// Readings of independent inputs with these deviations.
fn independent(random: &mut Machine, deviations: [f64; D], count: usize) -> Vec<[f32; D]> {
    let mut reading = || deviations.map(|deviation| (deviation * random.normal()) as f32);
    (0..count).map(|_| reading()).collect()
}

/// Of a linear kernel the components are the inputs, in the order of their variances.
#[test]
fn components_that_swap_are_reported() {
    for seed in 1..=5 {
        let mut random = Machine(seed);
        let mut learner: Roomy<Linear> =
            filled(&independent(&mut random, [4.0, 2.0, 1.0, 0.2], 60));
        let recipe = recipe().components(Components::Fixed(3));
        learner.learn(Linear, recipe).unwrap();
        for x in independent(&mut random, [4.0, 1.0, 3.5, 0.2], 60) {
            learner.push(&x).unwrap();
        }
        let report = learner.learn(Linear, recipe).unwrap();
        assert_eq!(changed(report), [1, 2], "{seed}");
        let warning = *report.warnings().last().unwrap();
        assert!(
            warning.to_string().starts_with("2 components are others than before, the first is 1")
        );
        // From now on this is what they are.
        assert_eq!(changed(learner.learn(Linear, recipe).unwrap()), []);
    }
}

#[test]
fn components_that_go_are_reported_and_those_that_come_are_not() {
    let with = |components| recipe().components(Components::Fixed(components));
    let mut learner: Roomy<Rbf<f32>> = filled(&scaled(&Machine(3).readings(60)));
    learner.learn(rbf(), with(3)).unwrap();
    assert_eq!(changed(learner.learn(rbf(), with(5)).unwrap()), []);
    assert_eq!(changed(learner.learn(rbf(), with(2)).unwrap()), [2, 3, 4]);
}

/// Signs also outlast a reset and another width of the kernel.
#[test]
fn signs_outlast_a_reset() {
    let mut turned = 0;
    for seed in 1..=20 {
        let mut random = Machine(seed);
        let readings = scaled(&random.readings::<f32>(120));
        let mut learner: Roomy<Rbf<f32>> = filled(&readings[..60]);
        learner.learn(rbf(), recipe()).unwrap();
        let before = learner.detector().unwrap().clone();
        let mut bytes = vec![0; before.encoded_len()];
        before.write_to(&mut bytes).unwrap();
        let mut restored = Roomy::<Rbf<f32>>::new();
        restored.restore(&bytes).unwrap();
        readings[60..].iter().for_each(|x| restored.push(x).unwrap());
        let wider = Rbf::new(0.8 * rbf::<f32>().gamma);
        let report = restored.learn(wider, recipe()).unwrap().clone();
        let changed = changed(&report);
        let after = restored.detector().unwrap();
        for component in (0..4).filter(|component| !changed.contains(component)) {
            let r = correlation([&before, after], component, &readings[60..]);
            assert!(r > 0.69, "{seed}, {component}: {r}");
        }
        let mut fresh: Roomy<Rbf<f32>> = filled(&readings[60..]);
        fresh.learn(wider, recipe()).unwrap();
        let fresh = fresh.detector().unwrap();
        let opposite = |&j: &usize| correlation([after, fresh], j, &readings[60..]) < 0.0;
        turned += (0..4).filter(opposite).count();
    }
    assert!(turned > 5, "{turned}");
}

/// The comparison takes a step for each sample, and leaves the samples that were trimmed out.
#[test]
fn comparing_takes_a_step_for_each_sample() {
    for trim in [0.0, 0.05] {
        let recipe = recipe().trim(trim);
        let mut learner: Roomy<Rbf<f32>> = filled(&scaled(&Machine(9).readings(60)));
        let mut steps = || {
            learner.begin(rbf(), recipe).unwrap();
            let mut steps = 1;
            while learner.step().unwrap() == Progress::Working {
                steps += 1;
            }
            (steps, learner.report().unwrap().trimmed)
        };
        let ((first, _), (again, trimmed)) = (steps(), steps());
        // The first time the samples are scaled, 32 of them a step.
        assert_eq!(again - (first - 2), 60 - trimmed);
    }
}

/// The least of everything.
#[test]
fn small_learners_have_room_to_compare() {
    let samples: Vec<[f32; D]> = scaled(&Machine(4).readings(4));
    let recipe = recipe().folds(2).components(Components::Fixed(1));
    let mut learner = Learner::<Rbf<f32>, [f32; D], 4, 1, 1>::new();
    samples.iter().for_each(|x| learner.push(x).unwrap());
    for _ in 0..2 {
        // One point leaves most unexplained: whatever it says, it must say it twice.
        let report = learner.learn(rbf(), recipe).map(changed);
        assert!(report.clone().map_or(true, |changed| changed.is_empty()), "{report:?}");
    }
    let mut learner = Learner::<Rbf<f32>, [f32; D], 6, 3, 2>::new();
    let samples: Vec<[f32; D]> = scaled(&Machine(4).readings(6));
    samples.iter().for_each(|x| learner.push(x).unwrap());
    let recipe = recipe.components(Components::Fixed(2));
    learner.learn(rbf(), recipe).unwrap();
    assert_eq!(changed(learner.learn(rbf(), recipe).unwrap()), []);
}
