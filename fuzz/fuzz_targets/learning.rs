//! Learning from arbitrary numbers by arbitrary recipes and kernels, by `Learner` and by
//! `DetectorBuffer`.
//!
//! Both end within the documented number of steps, without a panic, and agree. What they hand out
//! has a finite threshold, and finite scores for every sample; a reading far away has a finite
//! score too, or is refused by name. A refusal leaves the samples as they were.

#![no_main]

use mercer::detect::persist::Encode;
use mercer::detect::{DetectorBuffer, FalseAlarms, FoldOrder, LearnReport};
use mercer::kernel::{
    BlockKernel, Exp, Laplacian, Linear, Normalised, Poly, Product, Rbf, Sigmoid, Sum,
};
use mercer::kpca::{Components, Landmarks};
use mercer::linalg::MatrixView;
use mercer::linalg::eigen::MAX_SWEEPS;
use mercer::{Error, Learner, Progress, Recipe};
use mercer_fuzz::number::{self, Number};
use mercer_fuzz::{Decisions, pick};

/// The most samples; inputs, points and components.
const N: usize = 32;
const D: usize = 3;
const R: usize = 10;
const P: usize = 5;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let decisions = &mut Decisions::new(data);
    match number::flag(decisions) {
        true => with_kernel::<f32>(decisions),
        false => with_kernel::<f64>(decisions),
    }
});

fn with_kernel<T: Number>(decisions: &mut Decisions<'_>)
where
    mercer::math::Fast: mercer::math::Math<T>,
    mercer::math::Libm: mercer::math::Math<T>,
{
    let kind = number::byte(decisions) % 10;
    let gamma = match number::byte(decisions) % 4 {
        0 => number::any(decisions),
        1 => T::from_f64(pick(decisions, &[1e-30, 1e-6, 1e-3, 1.0, 30.0, 1e6, 1e30])),
        _ => T::from_f64(1.0 / 24.0),
    };
    let coef0 = if number::flag(decisions) { number::any(decisions) } else { T::ONE };
    let degree = pick(decisions, &[2, 1, 3, 0, 31, 1000, u32::MAX]);
    let math = mercer::math::Fast;
    let gaussian = Rbf { gamma, math };
    match kind {
        0 => learn::<_, T>(Linear, decisions),
        1 => learn(Laplacian { gamma, math }, decisions),
        2 => learn(Poly { gamma, coef0, degree }, decisions),
        3 => learn(Sigmoid { gamma, coef0, math }, decisions),
        4 => learn::<_, T>(Normalised(Linear), decisions),
        5 => learn(Sum(Linear, gaussian), decisions),
        6 => learn(Product(Poly { gamma, coef0, degree }, gaussian), decisions),
        7 => learn::<_, T>(Exp { kernel: Linear, math: mercer::math::Libm }, decisions),
        _ => learn(gaussian, decisions),
    }
}

fn recipe<T: Number>(decisions: &mut Decisions<'_>) -> Recipe<T> {
    let any_share = |decisions: &mut Decisions<'_>| match number::flag(decisions) {
        true => number::any(decisions),
        false => T::from_f64(f64::from(number::byte(decisions)) / 256.0),
    };
    let mut recipe = Recipe::default();
    // Which choices are others than the default.
    let chosen = number::byte(decisions);
    let is_chosen = |bit: u8| chosen & (1 << bit) != 0;
    if is_chosen(0) {
        recipe.standardise = false;
    }
    if is_chosen(1) {
        recipe.landmarks = match number::byte(decisions) % 3 {
            0 => Landmarks::Room,
            1 => Landmarks::Rank(pick(decisions, &[1, 2, 5, R, R + 1, 0, usize::MAX])),
            _ => Landmarks::Residual(any_share(decisions)),
        };
    }
    if is_chosen(2) {
        recipe.components = match number::flag(decisions) {
            true => Components::Fixed(pick(decisions, &[1, 2, 4, P, P + 1, 0, usize::MAX])),
            false => Components::Share(any_share(decisions)),
        };
    }
    if is_chosen(3) {
        recipe.folds = pick(decisions, &[2, 3, 5, 8, 16, 1, 0, N, usize::MAX, usize::MAX / 2 + 1]);
    }
    if is_chosen(4) {
        recipe.order = FoldOrder::Interleaved;
    }
    if is_chosen(5) {
        recipe.false_alarms = match number::flag(decisions) {
            true => FalseAlarms::Share(any_share(decisions)),
            false => FalseAlarms::PerDay {
                alarms: number::any(decisions),
                hertz: number::any(decisions),
            },
        };
    }
    if is_chosen(6) {
        recipe.trim = any_share(decisions);
    }
    recipe
}

/// The bound that `Learning` documents.
fn most_steps<T: Number>(samples: usize, recipe: &Recipe<T>) -> usize {
    let fit = 3 * R + (12 * R * R).div_ceil(samples.max(1)) * MAX_SWEEPS + 7;
    let rounds = if recipe.trim > T::ZERO { 2 } else { 1 };
    let folds = recipe.folds.min(samples);
    rounds * (folds * fit + samples) + fit + 3 + 33 * D + 17
}

fn learn<K, T>(kernel: K, decisions: &mut Decisions<'_>)
where
    T: Number,
    K: BlockKernel<[T], Scalar = T> + Encode + Clone + std::fmt::Debug,
{
    let recipe = recipe(decisions);
    let mut learner = Box::new(Learner::<K, [T; D], N, R, P>::new());
    let count = 2 + number::below(decisions, N);
    // Some sets have few values, or inputs that follow each other.
    let shape = number::byte(decisions) % 4;
    let mut last = [T::ZERO; D];
    for _ in 0..count {
        let mut x: [T; D] = std::array::from_fn(|_| number::any(decisions));
        match shape {
            1 => x[1] = x[0] + x[1] / T::from_f64(16.0),
            2 => x[2] = last[2],
            _ => {}
        }
        last = x;
        let bad = x.iter().position(|value| !value.is_finite());
        match learner.push(&x) {
            Ok(()) => assert_eq!(bad, None),
            Err(Error::Capacity { .. }) => assert!(learner.is_full()),
            Err(error) => {
                let fault = mercer::error::Fault::NotFinite { input: bad.expect("it is finite") };
                assert_eq!(error, Error::Query(fault));
            }
        }
    }
    let samples: Vec<[T; D]> = learner.samples().copied().collect();

    let by_steps = in_steps(&mut learner, kernel.clone(), recipe, samples.len());
    assert!(learner.samples().map(|x| x.map(T::bits)).eq(samples.iter().map(|x| x.map(T::bits))));
    assert!(!learner.is_learning());
    assert_eq!(learner.detector().is_ok(), by_steps.is_ok());

    let flat: Vec<T> = samples.as_flattened().to_vec();
    let mut memory = vec![T::ZERO; DetectorBuffer::<K, T>::numbers(D, R, P)];
    let mut buffer = DetectorBuffer::new(D, R, P, &mut memory).expect("there is room");
    let view = MatrixView::new(&flat, samples.len(), D).expect("as many numbers");
    let mut numbers = vec![T::ZERO; buffer.learn_numbers(samples.len())];
    let mut indices = vec![0; buffer.learn_indices(samples.len())];
    let at_once = buffer.learn(&view, kernel, recipe, &mut numbers, &mut indices);
    let (report, again) = match (by_steps, at_once) {
        (Ok(report), Ok(again)) => (report, again),
        // Of several things that are wrong, each names the one it comes to first.
        (Err(_), Err(_)) => return,
        (by_steps, at_once) => panic!("in steps {by_steps:?}, at once {at_once:?}"),
    };
    assert_eq!(report, again, "two ways to learn the same");

    require_finite(&report);
    let detector = learner.detector().expect("it has learned");
    let mut bytes = vec![0; detector.encoded_len()];
    detector.write_to(&mut bytes).expect("what was learned can be stored");
    for sample in &samples {
        let verdict = detector.score(sample).expect("a sample that it has learned from");
        require_finite_scores(&verdict.score);
    }
    let far = T::from_f64(pick(decisions, &[1e3, -1e6, 1e12]));
    let scaling = detector.scaling();
    let far: [T; D] = std::array::from_fn(|i| scaling.mean[i] + far * scaling.deviation[i]);
    match detector.score(&far) {
        Ok(verdict) => require_finite_scores(&verdict.score),
        Err(error) => assert!(matches!(error, Error::Query(_)), "{error:?}"),
    }
}

fn in_steps<K, T>(
    learner: &mut Learner<K, [T; D], N, R, P>,
    kernel: K,
    recipe: Recipe<T>,
    samples: usize,
) -> Result<LearnReport<T>, Error>
where
    T: Number,
    K: BlockKernel<[T], Scalar = T> + Clone,
{
    learner.begin(kernel, recipe)?;
    for _ in 0..most_steps(samples, &recipe) {
        if learner.step()? == Progress::Done {
            return Ok(learner.report().expect("it is done").clone());
        }
    }
    panic!("{} steps were not enough", most_steps(samples, &recipe));
}

fn require_finite<T: Number>(report: &LearnReport<T>) {
    let LearnReport { fit, threshold, false_alarms, .. } = report;
    for number in [threshold.spe, *false_alarms, fit.explained, fit.unspanned] {
        assert!(number.is_finite(), "{report:?}");
    }
    assert!((1..=R).contains(&fit.points) && (1..=P).contains(&fit.components), "{report:?}");
}

fn require_finite_scores<T: Number>(score: &mercer::kpca::Score<T>) {
    assert!(
        [score.spe, score.t2, score.abs_sum].iter().all(|score| score.is_finite()),
        "{score:?}"
    );
}
