//! What was pushed stays what it was, bit for bit, and errors name it as the caller would.

mod common;
mod faults;
mod learning;

use common::config;
use learning::*;
use mercer::detect::{Blindness, DetectorBuffer, FoldOrder, LearnSizes, Replace, Warning};
use mercer::error::Fault;
use mercer::kernel::{BlockKernel, Linear, Rbf};
use mercer::kpca::Components;
use mercer::linalg::MatrixView;
use mercer::linalg::eigen::TridiagonalQr;
use mercer::{Error, Kernel, Learner, Progress, Recipe};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseResult, TestRunner};

type Three<K> = Learner<K, [f32; 3], 24, 12, 8>;

fn bits(learner: &Three<Rbf<f32>>) -> Vec<[u32; 3]> {
    learner.samples().map(|x| x.map(f32::to_bits)).collect()
}

/// Any finite number: ordinary ones, and all that sensors send when they are broken.
fn input() -> impl Strategy<Value = f32> {
    prop_oneof![
        6 => -10.0_f32..10.0,
        1 => prop::sample::select(vec![
            0.0, -0.0, 1.0, 65_535.0, 4_294_967_295.0, f32::MAX, f32::MIN, f32::MIN_POSITIVE, 1e-45, -1e-40, 1e30,
        ]),
        1 => any::<u32>().prop_map(f32::from_bits).prop_filter("finite", |x| x.is_finite()),
    ]
}

/// What a firmware may do with a learner.
#[derive(Clone, Debug)]
enum Call {
    Push([f32; 3]),
    Begin { gamma: f32, standardise: bool, components: usize, trim: f32 },
    Steps(usize),
    Learn,
    GiveUp,
    Restore,
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        12 => [input(), input(), input()].prop_map(Call::Push),
        2 => (prop::sample::select(vec![1e-30, 0.01, 0.04, 1.0, 1e5]), any::<bool>(), 1..40_usize,
              prop::sample::select(vec![0.0, 0.1, 0.5]))
            .prop_map(|(gamma, standardise, components, trim)| Call::Begin {
                gamma, standardise, components, trim,
            }),
        2 => (0..400_usize).prop_map(Call::Steps),
        1 => Just(Call::Learn),
        1 => Just(Call::GiveUp),
        1 => Just(Call::Restore),
    ]
}

/// Makes these calls, and looks at the samples after each.
fn make_calls(calls: Vec<Call>) -> TestCaseResult {
    let mut learner = Three::<Rbf<f32>>::new();
    let mut pushed: Vec<[u32; 3]> = Vec::new();
    for call in calls {
        match call {
            Call::Push(x) => {
                if learner.push(&x).is_ok() {
                    pushed.push(x.map(f32::to_bits));
                }
            }
            Call::Begin { gamma, standardise, components, trim } => {
                let recipe = Recipe::default()
                    .standardise(standardise)
                    .components(Components::Fixed(components))
                    .trim(trim);
                let _ = learner.begin(Rbf::new(gamma), recipe);
            }
            Call::Steps(count) => {
                for _ in 0..count {
                    let _ = learner.step();
                }
            }
            Call::Learn => {
                let _ = learner.learn(Rbf::for_inputs(3), Recipe::default());
            }
            Call::GiveUp => learner.give_up(),
            Call::Restore => {
                if let Ok(detector) = learner.detector() {
                    let mut bytes = vec![0; detector.encoded_len()];
                    detector.write_to(&mut bytes).unwrap();
                    if learner.restore(&bytes).is_ok() {
                        pushed.clear();
                    }
                }
            }
        }
        prop_assert_eq!(&bits(&learner), &pushed);
    }
    Ok(())
}

#[test]
fn whatever_happens_samples_keep_their_bits() {
    const SEQUENCES: u32 = 300;
    let mut runner = TestRunner::new(config(SEQUENCES));
    runner.run(&prop::collection::vec(call(), 1..80), make_calls).unwrap();
    let fault = "sequences of calls of a learner, with absurd samples";
    faults::record(9, fault, SEQUENCES as usize, SEQUENCES as usize, "--test samples_stay");
}

#[test]
fn one_absurd_reading_does_not_spoil_the_others() {
    for absurd in [4_294_967_295.0, f32::MAX, f32::MIN] {
        let mut learner = Small::<Rbf<f32>, f32>::new();
        let mut samples = Machine(1).readings::<f32>(N);
        samples[17][2] = absurd;
        for x in &samples {
            learner.push(x).unwrap();
        }
        let _ = learner.learn(Rbf::new(-1.0), Recipe::default());
        let _ = learner.learn(rbf(), Recipe::default().components(Components::Fixed(1000)));
        let first = learner.learn(rbf(), Recipe::default()).map(|_| ());
        assert!(learner.samples().eq(&samples), "{absurd}");
        // The others of that input look alike beside it, and it is named.
        first.unwrap();
        let cause = Blindness::Outlier { sample: 17 };
        let warning = Warning::BlindInputs { first: 2, count: 1, cause };
        let warnings = learner.report().unwrap().warnings();
        assert!(warnings.contains(&warning), "{absurd}: {warnings:?}");
    }
}

/// Overflows on one pair: the sum of the first inputs of its samples is 2001.
#[derive(Clone, Debug)]
struct Trap;
impl Kernel<[f32]> for Trap {
    type Scalar = f32;
    fn eval(&self, x: &[f32], y: &[f32]) -> f32 {
        if x[0] + y[0] == 2001.0 { f32::INFINITY } else { Rbf::new(0.1).eval(x, y) }
    }
    fn check(&self, x: &[f32], _: &[f32]) -> Result<(), Fault> {
        if x[1] == 77.0 { Err(Fault::ZeroNorm) } else { Ok(()) }
    }
}
impl BlockKernel<[f32]> for Trap {}

/// Samples of which each is told apart by its first input, on which the trap's values do not
/// depend.
fn numbered(n: usize) -> Vec<[f32; 3]> {
    (0..n).map(|i| [0.01 * i as f32, (i as f32 * 0.7).sin(), (i as f32 * 1.3).cos()]).collect()
}

#[test]
fn errors_name_the_row_of_the_caller_and_not_that_of_a_fold() {
    let raw = Recipe::default().standardise(false);
    let (mut tried, mut named) = (0, 0);
    for order in [FoldOrder::Contiguous, FoldOrder::Interleaved] {
        for row in [0, 1, 5, 6, 13, 23] {
            let mut samples = numbered(24);
            samples[row][1] = 77.0;
            let mut learner = Three::new();
            for x in &samples {
                learner.push(x).unwrap();
            }
            let found = learner.learn(Trap, raw.order(order)).map(|_| ());
            let expected = Error::Sample { index: row, fault: Fault::ZeroNorm };
            named += usize::from(found == Err(expected));

            let flat: Vec<f32> = samples.iter().flatten().copied().collect();
            let mut memory = vec![0.0; DetectorBuffer::<Trap, f32>::numbers(3, 12, 8)];
            let mut buffer = DetectorBuffer::new(3, 12, 8, &mut memory).unwrap();
            let (mut numbers, mut indices) =
                (vec![0.0; buffer.learn_numbers(24)], vec![0; buffer.learn_indices(24)]);
            let view = MatrixView::new(&flat, 24, 3).unwrap();
            let found =
                buffer.learn(&view, Trap, raw.order(order), &mut numbers, &mut indices).map(|_| ());
            named += usize::from(found == Err(expected));
            tried += 2;
        }
    }
    let fault = "samples that cannot be used, named by the row of the caller";
    faults::record(10, fault, tried, named, "--test samples_stay");
    assert_eq!(tried, named);
}

#[test]
fn pairs_on_which_a_kernel_overflows_are_named_in_the_numbers_of_the_caller() {
    for (i, j) in [(3, 20), (20, 3), (0, 23), (11, 12)] {
        let mut samples = numbered(24);
        (samples[i][0], samples[j][0]) = (1000.5, 1000.5);
        let mut learner = Three::new();
        for x in &samples {
            learner.push(x).unwrap();
        }
        let recipe = Recipe::default().standardise(false).order(FoldOrder::Interleaved);
        match learner.learn(Trap, recipe).map(|_| ()) {
            // On the diagonal, too: the sum of a sample's input with itself.
            Err(Error::NotFinite { row, column }) => {
                assert!([i, j].contains(&row) && [i, j].contains(&column), "{row}, {column}");
            }
            Err(Error::Sample { index, .. }) => assert!([i, j].contains(&index), "{index}"),
            other => panic!("{i}, {j}: {other:?}"),
        }
    }
}

/// A Gaussian that overflows between vectors longer than this.
#[derive(Clone, Debug)]
struct Limited {
    square: f32,
}
impl Kernel<[f32]> for Limited {
    type Scalar = f32;
    fn eval(&self, x: &[f32], y: &[f32]) -> f32 {
        let beyond = |x: &[f32]| x.iter().map(|x| x * x).sum::<f32>() > self.square;
        if beyond(x) && beyond(y) { f32::INFINITY } else { Rbf::new(1.0 / 32.0).eval(x, y) }
    }
}
impl BlockKernel<[f32]> for Limited {}

#[test]
fn after_refreshing_rows_are_counted_from_the_oldest_sample() {
    let mut machine = Machine(3);
    let mut learner: Learner<Limited, [f32; 4], N, R, P> = filled(&machine.readings(N));
    learner.learn(Limited { square: f32::MAX }, Recipe::default()).unwrap();
    for _ in 0..25 {
        learner.refresh(&machine.reading(), Replace::Random).unwrap();
        learner.refresh(&machine.reading(), Replace::Oldest).unwrap();
    }
    // The kernel overflows for the longest sample only.
    let scaling = *learner.detector().unwrap().scaling();
    let square = |x: &[f32; 4]| scaling.apply(x).iter().map(|x| x * x).sum::<f32>();
    let mut squares: Vec<_> = learner.samples().map(square).enumerate().collect();
    squares.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    let [.., (_, second), (longest, _)] = squares[..] else { unreachable!() };
    let error = learner.learn(Limited { square: second }, Recipe::default()).map(|_| ());
    let fault = Fault::Overflow;
    assert!(
        error == Err(Error::NotFinite { row: longest, column: longest })
            || error == Err(Error::Sample { index: longest, fault }),
        "{error:?}, not {longest}"
    );
}

#[test]
fn sizes_that_no_machine_has_are_refused_at_once() {
    let samples = Machine(5).readings::<f32>(N);
    let huge = usize::MAX;
    let (mut tried, mut refused) = (0, 0);
    for folds in [huge, huge - 1, huge / 2, huge / 2 + 1, N, N / 2 + 1] {
        for order in [FoldOrder::Contiguous, FoldOrder::Interleaved] {
            let found = learn(&samples, rbf(), Recipe::default().folds(folds).order(order));
            let needed = folds.saturating_mul(2);
            tried += 1;
            refused +=
                usize::from(found.map(|_| ()) == Err(Error::TooFewSamples { given: N, needed }));
        }
    }
    for wish in [huge, huge / 2, 1 << 40] {
        let recipe = Recipe::default().components(Components::Fixed(wish));
        let found = learn(&samples, rbf(), recipe).map(|_| ());
        refused += usize::from(matches!(found, Err(Error::Rank { wanted, .. }) if wanted == wish));
        let recipe = Recipe::default().landmarks(mercer::kpca::Landmarks::Rank(wish));
        let found = learn(&samples, rbf(), recipe).map(|_| ());
        refused += usize::from(matches!(found, Err(Error::Capacity { .. })));
        tried += 2;
    }
    for (inputs, points, components) in
        [(huge, 1, 1), (1, huge, 1), (1, 1, huge), (1 << 40, 1 << 40, 1), (huge, huge, huge)]
    {
        let mut memory = [0.0_f32; 64];
        let buffer = DetectorBuffer::<Linear, f32>::new(inputs, points, components, &mut memory);
        refused += usize::from(matches!(buffer.map(|_| ()), Err(Error::Capacity { .. })));
        tried += 1;
        let sizes = LearnSizes { samples: inputs, points, components };
        assert_eq!(sizes.numbers::<f32, TridiagonalQr<f32>>(), usize::MAX);
        assert!(sizes.indices() >= inputs);
    }
    let mut memory = vec![0.0; DetectorBuffer::<Linear, f32>::numbers(3, 4, 2)];
    let buffer = DetectorBuffer::<Linear, f32>::new(3, 4, 2, &mut memory).unwrap();
    assert_eq!(buffer.learn_numbers(usize::MAX), usize::MAX);
    assert_eq!(buffer.learn_indices(usize::MAX), usize::MAX);
    let fault = "numbers of folds, points, components and inputs that no machine has";
    faults::record(11, fault, tried, refused, "--test samples_stay");
    assert_eq!(tried, refused);
}

#[test]
fn learning_that_is_given_up_between_any_two_steps_changes_nothing() {
    let samples = Machine(6).readings::<f32>(N);
    let mut steps = 0;
    let mut all: Small<Rbf<f32>, f32> = filled(&samples);
    all.begin(rbf(), Recipe::default()).unwrap();
    while all.step().unwrap() == Progress::Working {
        steps += 1;
    }
    for stop in (0..steps).step_by(7) {
        let mut learner: Small<Rbf<f32>, f32> = filled(&samples);
        learner.begin(rbf(), Recipe::default()).unwrap();
        for _ in 0..stop {
            assert_eq!(learner.step(), Ok(Progress::Working));
        }
        learner.give_up();
        assert!(learner.samples().eq(&samples));
        learner.learn(rbf(), Recipe::default()).unwrap();
        assert_eq!(state(learner.detector().unwrap()), state(all.detector().unwrap()), "{stop}");
    }
}
