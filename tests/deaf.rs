//! A threshold that no reading exceeds is never handed out: readings far away raise an alarm
//! whatever was learned from.
//!
//! `cargo test --test deaf -- --nocapture` prints how many detectors would be deaf, and what they
//! find once their threshold is lowered.

mod faults;
mod common;
mod evaluation;
mod sight;

use common::Grid;
use evaluation::{Width, alarm_rate, learn as cross_fit, mean, standardised};
use mercer::detect::calibrate::quantile;
use mercer::detect::persist::Encode;
use mercer::detect::{FalseAlarms, FoldOrder, Warning};
use mercer::kernel::{BlockKernel, Laplacian, Rbf};
use mercer::math::Real;
use mercer::{Error, Recipe};
use sight::{Input, random};

/// Detectors of a kind.
const SEEDS: u64 = 100;
/// New readings, without a fault.
const FRESH: usize = 400;

/// A detector whose threshold was out of reach, and its lowered one.
struct Lowered {
    reported: f64,
    false_alarms: f64,
    /// Found with one input off by 5, 10, 100, 1000 deviations.
    single: [f64; 4],
    /// With all of them.
    all: [f64; 4],
}

const SIZES: [f32; 4] = [5.0, 10.0, 100.0, 1000.0];

/// One of a hundred; none if the threshold by the plain quantile is within reach.
fn lowered(inputs: &[Input], n: usize, seed: u64) -> Option<Lowered> {
    let (mut random, d) = (random(seed), inputs.len());
    let rows: Vec<Vec<f32>> = (0..n + FRESH).map(|_| sight::row(inputs, &mut random)).collect();
    let training: Vec<u32> = (0..n as u32).collect();
    let mut grid = standardised(&Grid::from_rows(&rows), &training);
    // Faults of the last input alone and of all, in deviations, of readings that were not learned
    // from.
    for all in [false, true] {
        for size in SIZES {
            for i in 0..100 {
                let mut x = grid.row(n + i).to_vec();
                for (j, value) in x.iter_mut().enumerate().filter(|&(j, _)| all || j + 1 == d) {
                    *value += if i >> j & 1 == 0 { size } else { -size };
                }
                grid.data.extend(x);
                grid.rows += 1;
            }
        }
    }
    grid.data.extend(vec![1e6; d]);
    grid.rows += 1;
    let judged: Vec<u32> = (n as u32..grid.rows as u32).collect();
    let recipe = Recipe::default().false_alarms(FalseAlarms::Share(0.01));
    let view = grid.view();
    let learned =
        cross_fit(&view, &training, &judged, sight::POINTS, recipe, Width::Inputs(d)).unwrap();
    let spe: Vec<f64> = learned.scores.iter().map(|score| score.spe.to_f64()).collect();
    let far_field = *spe.last().unwrap();
    let threshold = learned.report.threshold.spe.to_f64();
    assert!(threshold < 0.91 * far_field, "{threshold} of {far_field}");
    let plain = quantile(&learned.crossfit_spe, 0.01).unwrap().threshold;
    if plain.to_f64() < far_field {
        return None;
    }
    let above = learned.crossfit_spe.iter().filter(|score| score.to_f64() > threshold).count();
    let said = |warning: &Warning| matches!(warning, Warning::ThresholdLowered { above: a, .. } if *a == above);
    assert!(learned.report.warnings().iter().any(said), "{:?}", learned.report.warnings());
    let reported = learned.report.false_alarms.to_f64();
    assert!((reported - (above + 1) as f64 / (n + 1) as f64).abs() < 1e-6, "{reported}");
    let found = |k: usize| alarm_rate(&spe[FRESH + 100 * k..FRESH + 100 * (k + 1)], threshold);
    Some(Lowered {
        reported,
        false_alarms: alarm_rate(&spe[..FRESH], threshold),
        single: [0, 1, 2, 3].map(found),
        all: [4, 5, 6, 7].map(found),
    })
}

/// Of a hundred detectors none is deaf; what those find that would have been.
fn none_is_deaf(name: &str, inputs: &[Input], n: usize, expected: std::ops::Range<usize>) {
    let lowered: Vec<Lowered> = (0..SEEDS).filter_map(|seed| lowered(inputs, n, seed)).collect();
    let over = |value: &dyn Fn(&Lowered) -> f64| 100.0 * mean(lowered.iter().map(value));
    let (reported, real) = (over(&|l| l.reported), over(&|l| l.false_alarms));
    println!(
        "{name}, n = {n}: {} of {SEEDS} would be deaf, none is; lowered: {reported:.1} % false alarms reported, {real:.1} % found",
        lowered.len()
    );
    for (k, size) in SIZES.iter().enumerate() {
        let (single, all) = (over(&|l| l.single[k]), over(&|l| l.all[k]));
        println!("  {size} deviations: found in {single:.1} % in one input, {all:.1} % in all");
        if *size >= 10.0 {
            assert!(all > 95.0, "{size}: {all}");
        }
        if *size >= 100.0 {
            assert_eq!((single, all), (100.0, 100.0), "{size}");
        }
    }
    assert!(expected.contains(&lowered.len()), "{} of {SEEDS}", lowered.len());
    let fault = format!("thresholds that nothing would exceed, of 100 detectors: {name}, n = {n}");
    faults::record(1, &fault, lowered.len(), lowered.len(), "--test deaf");
    // What is reported is what happens; a mean over some dozens of detectors and 400 readings each.
    assert!(real < 2.0 * reported && real > 0.3 * reported, "{real} % instead of {reported} %");
}

// How many of a hundred would be deaf: the mean over 800 (31.4, 13.4 and 19.4), give or take three
// binomial deviations.

#[test]
fn a_rare_state_does_not_deafen() {
    let inputs = [Input::Rare(0.03), Input::Normal];
    none_is_deaf("rare binary input", &inputs, 64, 17..46);
    none_is_deaf("rare binary input", &inputs, 128, 3..24);
}

#[test]
fn heavy_tails_do_not_deafen() {
    none_is_deaf("heavy tails", &[Input::Heavy(2); 4], 128, 7..32);
}

/// Judges a reading so far away that it has nothing in common with any other.
fn far_readings_alarm<K, T>(samples: &Grid<T>, kernel: K, recipe: Recipe<T>) -> Option<Error>
where
    T: Real + Encode,
    K: BlockKernel<[T], Scalar = T> + Clone + Encode,
{
    let case = format!("{} of {}, {recipe:?}", samples.rows, samples.columns);
    let learned = sight::learn(samples, kernel, recipe, |learned| {
        let widest = samples.data.iter().fold(1.0, |most: f64, v| most.max(v.to_f64().abs()));
        for sign in [1.0, -1.0] {
            for size in [1e3, 1e6] {
                let far = vec![T::from_f64(sign * size * widest); samples.columns];
                let verdict = learned.judge(&far);
                assert!(verdict.unusual, "{case}: {verdict:?}, {:?}", learned.report);
            }
        }
        let (spe, far_field) = (learned.report.threshold.spe, learned.far_field.unwrap());
        assert!(spe < far_field, "{case}: {spe} of {far_field}");
        let share = learned.report.false_alarms.to_f64();
        assert!(share > 0.0 && share <= 0.6, "{case}: {share}");
    });
    learned.err()
}

#[test]
fn whatever_is_learned_from_a_far_reading_alarms() {
    let kinds = [
        Input::Normal,
        Input::Rare(0.02),
        Input::Rare(0.1),
        Input::Levels(3),
        Input::Heavy(1),
        Input::Heavy(2),
        Input::Constant,
        Input::Lognormal,
    ];
    let mut refused = Vec::new();
    let cases = 600;
    for seed in 0..cases {
        let mut random = random(seed);
        let mut pick = |count: usize| (random.uniform() * count as f64) as usize;
        let d = [1, 2, 3, 5, 8][pick(5)];
        let n = [12, 24, 64, 128][pick(4)];
        let inputs: Vec<Input> = (0..d).map(|_| kinds[pick(kinds.len())]).collect();
        let alpha = [0.001, 0.01, 0.05, 0.2][pick(4)];
        let order = [FoldOrder::Contiguous, FoldOrder::Interleaved][pick(2)];
        let folds = [2, 4, 6][pick(3)];
        let trim = [0.0, 0.0, 0.05][pick(3)];
        let narrow = [0.3, 1.0, 1.0, 3.0, 10.0][pick(5)] / (8 * d) as f64;
        let kernel = pick(4);
        let samples = sight::rows::<f64>(&inputs, n, &mut random);
        let recipe = Recipe::<f64>::default().folds(folds).order(order).trim(trim);
        let recipe = recipe.false_alarms(FalseAlarms::Share(alpha));
        let error = match kernel {
            0 => far_readings_alarm(&samples, Rbf::<f64>::new(narrow), recipe),
            1 => far_readings_alarm(&samples, Laplacian::<f64>::new(narrow), recipe),
            _ => {
                let recipe = Recipe::<f32>::default().folds(folds).order(order);
                let alpha = FalseAlarms::Share(alpha as f32);
                let recipe = recipe.false_alarms(alpha).trim(trim as f32);
                far_readings_alarm(&samples.cast(), Rbf::<f32>::new(narrow as f32), recipe)
            }
        };
        refused.extend(error.map(|error| format!("{error}")));
    }
    let refusals = refused.len();
    refused.sort();
    refused.dedup();
    println!("{cases} kinds of samples: {refusals} refused ({refused:?}), the others hear");
    let fault =
        "random samples with discrete, heavy-tailed and constant inputs: all hear, or are refused";
    faults::record(1, fault, cases as usize, cases as usize, "--test deaf");
    assert!(refusals < cases as usize / 3, "{refusals}");
}

/// Held-out samples that are mostly as strange as anything could be: no threshold would be both
/// within reach and of use.
#[test]
fn samples_that_look_like_strangers_to_each_other_are_refused() {
    // Another state of the machine in each half, hence in each of two folds.
    let mut samples = sight::rows::<f64>(&[Input::Normal; 2], 64, &mut random(1));
    samples.data[64..].iter_mut().for_each(|value| *value += 1000.0);
    let recipe = Recipe::default().standardise(false).folds(2);
    let learn = |recipe| {
        let kernel = Rbf::<f64>::for_inputs(2);
        sight::learn(&samples, kernel, recipe, |learned| learned.report)
    };
    assert_eq!(learn(recipe).err(), Some(Error::KernelTooNarrow));
    // With both states in each fold there is no such trouble.
    let report = learn(recipe.order(FoldOrder::Interleaved)).unwrap();
    let lowered = |warning: &Warning| matches!(warning, Warning::ThresholdLowered { .. });
    assert!(!report.warnings().iter().any(lowered), "{:?}", report.warnings());
}

/// T² falls again far away, which is why it raises no alarms: SPE notices what T² takes for usual.
#[test]
fn far_readings_alarm_also_where_t2_finds_them_usual() {
    let (mut taken_for_usual, seeds) = (0, 40);
    for (d, n) in [(2, 64), (4, 128), (8, 128)] {
        let mut usual = 0;
        for seed in 0..seeds {
            let samples = sight::rows::<f64>(&vec![Input::Normal; d], n, &mut random(seed));
            let kernel = Rbf::<f64>::for_inputs(d);
            sight::learn(&samples, kernel, Recipe::default(), |learned| {
                let far = learned.judge(&vec![1e6; d]);
                assert!(far.unusual, "{:?}", learned.report);
                let largest = samples.data.chunks(d).map(|x| learned.judge(x).score.t2);
                usual += usize::from(far.score.t2 < largest.fold(0.0, f64::max));
            })
            .unwrap();
        }
        println!("{d} inputs, n = {n}: T² of far readings is usual in {usual} of {seeds} models");
        taken_for_usual += usual;
    }
    assert!(taken_for_usual > 0);
}
