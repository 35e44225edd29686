//! Folds of whole recordings: what a recording has in common says nothing about the next one.

mod learning;

use learning::*;
use mercer::detect::{DetectorBuffer, FoldOrder, Replace, Scaling};
use mercer::kernel::Rbf;
use mercer::linalg::MatrixView;
use mercer::math::{Fast, Math, Real};
use mercer::{Error, Recipe};

/// Samples of recordings of these lengths.
fn record<T: Real>(lengths: &[usize], spread: f64) -> (Vec<[T; 4]>, Vec<usize>) {
    let mut machine = Machine(77);
    let (mut samples, mut of) = (Vec::new(), Vec::new());
    for (recording, &length) in lengths.iter().enumerate() {
        let load = spread * machine.normal();
        samples.extend((0..length).map(|_| machine.loaded(load)));
        of.extend((0..length).map(|_| recording));
    }
    (samples, of)
}

fn learner_of<T: Real>(samples: &[[T; 4]], of: &[usize]) -> Box<Small<Rbf<T>, T>>
where
    Fast: Math<T>,
{
    let mut learner = Box::new(Small::new());
    for (i, x) in samples.iter().enumerate() {
        if i > 0 && of[i] != of[i - 1] {
            learner.gap();
            learner.gap(); // a gap is a gap
        }
        learner.push(x).unwrap();
    }
    learner
}

/// The threshold of models that were each fitted to the recordings of other folds.
fn expected<T: Real>(samples: &[[T; 4]], of: &[usize], folds: usize) -> T
where
    Fast: Math<T>,
{
    let recordings = of[of.len() - 1] + 1;
    let folds = folds.min(recordings);
    let scaling: Scaling<[T; 4]> = Scaling::learn(samples);
    let scaled: Vec<_> = samples.iter().map(|x| scaling.apply(x)).collect();
    let recipe = Recipe::default().folds(folds);
    let kernel = Rbf::for_inputs(4);
    let scores = cross_fit_by(&kernel, &scaled, &recipe, |i| of[i] * folds / recordings);
    quantile(scores.iter().map(|score| score.spe), 50)
}

#[test]
fn folds_are_whole_recordings() {
    fn check<T: Real>()
    where
        Fast: Math<T>,
    {
        for lengths in [&[20, 10, 30][..], &[30, 30], &[9, 1, 12, 8, 1, 5, 14, 10], &[1; 60]] {
            let (samples, of) = record::<T>(lengths, 0.5);
            let expected = expected(&samples, &of, 4);
            let recipe = Recipe::default();
            let mut learner = learner_of(&samples, &of);
            let report = learner.learn(Rbf::for_inputs(4), recipe).unwrap();
            assert_eq!(report.threshold.spe, expected, "{lengths:?}");

            // The same by a program whose sizes come from a file.
            let begins: Vec<usize> = (1..60).filter(|&i| of[i] != of[i - 1]).collect();
            let mut memory = vec![T::ZERO; DetectorBuffer::<Rbf<T>, T>::numbers(4, R, P)];
            let mut detector = DetectorBuffer::new(4, R, P, &mut memory).unwrap();
            let (mut numbers, mut indices) =
                (vec![T::ZERO; detector.learn_numbers(60)], vec![0; detector.learn_indices(60)]);
            let rows = MatrixView::new(samples.as_flattened(), 60, 4).unwrap();
            let kernel = Rbf::for_inputs(4);
            let (numbers, indices) = (&mut numbers, &mut indices);
            let report =
                detector.learn_recordings(&rows, &begins, kernel, recipe, numbers, indices);
            assert_eq!(report.unwrap().threshold.spe, expected, "{lengths:?}");
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn one_recording_is_cut_into_blocks_and_independent_readings_are_dealt_in_turn() {
    let (samples, of) = record::<f32>(&[60], 0.0);
    let learn = |samples: &[[f32; 4]], of: &[usize], order| {
        let recipe = Recipe::default().order(order);
        learner_of(samples, of).learn(Rbf::for_inputs(4), recipe).unwrap().threshold
    };
    let mut plain: Small<Rbf<f32>, f32> = filled(&samples);
    let blocks = plain.learn(Rbf::for_inputs(4), Recipe::default()).unwrap().threshold;
    assert_eq!(learn(&samples, &of, FoldOrder::Contiguous), blocks);
    let several: Vec<usize> = (0..60).map(|i| i / 13).collect();
    assert_ne!(learn(&samples, &several, FoldOrder::Contiguous), blocks);
    let in_turn = learn(&samples, &of, FoldOrder::Interleaved);
    assert_eq!(learn(&samples, &several, FoldOrder::Interleaved), in_turn);
}

/// Recordings differ among each other more than within: what folds that cut through them promise
/// does not hold for the next recording.
#[test]
fn promises_hold_for_recordings_that_were_not_seen() {
    let (mut whole, mut cut, mut judged) = (0, 0, 0);
    for seed in 0..40 {
        let mut machine = Machine(500 + seed);
        let mut recording = |length: usize| -> Vec<[f32; 4]> {
            let load = machine.normal();
            (0..length)
                .map(|_| {
                    let x: [f32; 4] = machine.loaded(load);
                    // The load of a recording is what its readings share; they vary little.
                    core::array::from_fn(|i| x[i] * 0.2 + (20.0 + 15.0 * load) as f32 * 0.8)
                })
                .collect()
        };
        let samples: Vec<[f32; 4]> = (0..12).flat_map(|_| recording(5)).collect();
        let of: Vec<usize> = (0..60).map(|i| i / 5).collect();
        let mut by_recordings = learner_of(&samples, &of);
        by_recordings.learn(Rbf::for_inputs(4), Recipe::default()).unwrap();
        let mut through: Small<Rbf<f32>, f32> = filled(&samples);
        let in_turn = Recipe::default().order(FoldOrder::Interleaved);
        through.learn(Rbf::for_inputs(4), in_turn).unwrap();
        for x in (0..40).flat_map(|_| recording(5)) {
            whole += usize::from(by_recordings.detector().unwrap().score(&x).unwrap().unusual);
            cut += usize::from(through.detector().unwrap().score(&x).unwrap().unusual);
            judged += 1;
        }
    }
    let share = |count: usize| 100.0 * count as f64 / judged as f64;
    println!("unusual: {:.1} % by recordings, {:.1} % through them", share(whole), share(cut));
    assert!(share(cut) > 2.0 * share(whole) && share(whole) < 10.0);
}

/// Recordings are still told apart after samples were replaced, in either way.
#[test]
fn recordings_follow_their_samples() {
    for replace in [Replace::Oldest, Replace::Random] {
        let (samples, of) = record::<f64>(&[20, 20, 20], 0.3);
        let mut learner = learner_of(&samples, &of);
        let recipe = Recipe::default().trim(0.0);
        learner.learn(Rbf::for_inputs(4), recipe).unwrap();
        let scaling = *learner.detector().unwrap().scaling();
        // Readings that are told apart, and so which recording a sample is of.
        let mut known: Vec<([f64; 4], usize)> = samples.into_iter().zip(of).collect();
        let mut machine = Machine(3);
        for recording in 3..6 {
            learner.gap();
            for _ in 0..9 {
                let x = machine.reading();
                known.push((x, recording));
                learner.refresh(&x, replace).unwrap();
            }
        }
        let samples: Vec<[f64; 4]> = learner.samples().copied().collect();
        let of = |x: &[f64; 4]| known.iter().find(|(k, _)| k == x).unwrap().1;
        let of: Vec<usize> = samples.iter().map(of).collect();
        assert!(of.is_sorted(), "{replace:?}: {of:?}");
        // Numbered without those of which nothing is left.
        let mut number = 0;
        let numbers: Vec<usize> = (0..60)
            .map(|i| {
                number += usize::from(i > 0 && of[i] != of[i - 1]);
                number
            })
            .collect();
        let scaled: Vec<_> = samples.iter().map(|x| scaling.apply(x)).collect();
        let folds = 4.min(number + 1);
        let recipe = Recipe::default().folds(folds);
        let kernel = Rbf::for_inputs(4);
        let fold = |i: usize| numbers[i] * folds / (number + 1);
        let scores = cross_fit_by(&kernel, &scaled, &recipe, fold);
        let mut spe: Vec<f64> = scores.iter().map(|score| score.spe).collect();
        spe.sort_by(f64::total_cmp);
        let found = learner.learn(kernel, Recipe::default()).unwrap().threshold.spe;
        // Readings that were refused raise it by some ranks.
        let rank = spe.iter().position(|&score| score == found);
        assert!(rank.is_some_and(|rank| rank >= 57), "{replace:?}: {found} of {spe:?}");
    }
}

#[test]
fn too_many_folds_for_recordings_are_refused() {
    let (samples, of) = record::<f32>(&[2; 30], 0.5);
    let mut learner = learner_of(&samples, &of);
    let refused = learner.learn(Rbf::for_inputs(4), Recipe::default().folds(17)).map(|_| ());
    assert!(matches!(refused, Err(Error::Parameter { name: "folds", .. })), "{refused:?}");
    learner.learn(Rbf::for_inputs(4), Recipe::default().folds(16)).unwrap();
}
