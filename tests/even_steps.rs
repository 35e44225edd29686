//! Learning goes in steps of bounded and even size: what a step does is counted, not timed. On
//! devices `cargo xtask bench` counts the instructions of the longest one.

use std::cell::Cell;

use mercer::detect::learning::{LearnScratch, LearnSizes, Learning};
use mercer::kernel::{BlockKernel, Kernel, Rbf, Samples};
use mercer::kpca::ExpansionHeader;
use mercer::{GaussianLearner, Progress, Recipe};

const INPUTS: usize = 5;
const POINTS: usize = 16;
const COMPONENTS: usize = 8;

/// What was asked for since the last look.
#[derive(Default)]
struct Counts {
    samples: Cell<usize>,
    evaluations: Cell<usize>,
}

fn count(cell: &Cell<usize>) {
    cell.set(cell.get() + 1);
}

struct Watched<'a>(&'a [[f32; INPUTS]], &'a Counts);

impl Samples for Watched<'_> {
    type View = [f32];
    fn count(&self) -> usize {
        self.0.len()
    }
    fn sample(&self, index: usize) -> Option<&[f32]> {
        count(&self.1.samples);
        self.0.get(index).map(|x| x.as_slice())
    }
}

#[derive(Clone)]
struct Counting<'a>(Rbf<f32>, &'a Counts);

impl Kernel<[f32]> for Counting<'_> {
    type Scalar = f32;
    fn eval(&self, x: &[f32], y: &[f32]) -> f32 {
        count(&self.1.evaluations);
        self.0.eval(x, y)
    }
    fn stranger_norm(&self) -> Option<f32> {
        self.0.stranger_norm()
    }
}
impl BlockKernel<[f32]> for Counting<'_> {}

/// Readings of `levels` levels an input: of few, many are copies.
fn readings(n: usize, levels: f32) -> Vec<[f32; INPUTS]> {
    let mut state = 7_u32;
    let mut random = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32 * 4.0 - 2.0
    };
    (0..n).map(|_| std::array::from_fn(|_| (random() * levels).round() / levels)).collect()
}

/// The most samples and evaluations that one step asked for, and the number of steps.
fn longest(rows: &[[f32; INPUTS]], recipe: Recipe<f32>) -> (usize, usize, usize) {
    let n = rows.len();
    let sizes = LearnSizes { samples: n, points: POINTS, components: COMPONENTS };
    let mut header = ExpansionHeader::default();
    let mut numbers = vec![0.0; sizes.numbers::<f32, mercer::linalg::eigen::TridiagonalQr<f32>>()];
    let mut indices = vec![0; sizes.indices()];
    let mut scratch =
        LearnScratch::<f32>::over(sizes, &mut header, &mut numbers, &mut indices).unwrap();
    let counts = Counts::default();
    let kernel = Counting(Rbf::for_inputs(INPUTS), &counts);
    let samples = Watched(rows, &counts);
    let mut learning = Learning::start(recipe, 0..n as u32, &mut scratch).unwrap();
    let (mut most, mut steps) = ((0, 0), 0);
    loop {
        let progress = learning.step(&samples, |_| Ok(kernel.clone()), &mut scratch).unwrap();
        most = (most.0.max(counts.samples.take()), most.1.max(counts.evaluations.take()));
        steps += 1;
        if progress == Progress::Done {
            return (most.0, most.1, steps);
        }
    }
}

#[test]
fn no_step_grows_faster_than_the_samples() {
    for n in [64, 128, 256, 512] {
        for levels in [1e6, 1.0, 0.5] {
            for trim in [0.0, 0.1] {
                let recipe = Recipe::default().trim(trim);
                let (samples, evaluations, steps) = longest(&readings(n, levels), recipe);
                let case = format!("{n} samples of {levels} levels, {trim} trimmed");
                assert!(samples <= 12 * n, "{case}: a step looks at {samples}");
                assert!(evaluations <= 2 * n + 2 * POINTS, "{case}: {evaluations} evaluations");
                assert!(steps < 2000 + 4 * n, "{case}: {steps} steps");
            }
        }
    }
}

/// Of the first fit, of one whose samples have to be scaled anew, and of one that needs neither.
#[test]
fn the_beginning_is_short_and_steps_do_the_rest() {
    let mut learner = GaussianLearner::<INPUTS, 64, POINTS, COMPONENTS>::new();
    for x in readings(64, 1e6) {
        learner.push(&x).unwrap();
    }
    let steps = |learner: &mut GaussianLearner<INPUTS, 64, POINTS, COMPONENTS>, trim: f32| {
        learner.begin(Rbf::for_inputs(INPUTS), Recipe::default().trim(trim)).unwrap();
        let mut steps = 1;
        while learner.step().unwrap() == Progress::Working {
            steps += 1;
        }
        steps
    };
    let mut plain = learner.clone();
    let (first, again) = (steps(&mut plain, 0.0), steps(&mut plain, 0.0));
    // One for each input and one to see that there is no other, two for the samples; the second
    // time 64 for the comparison with the first model.
    assert_eq!(first - (INPUTS + 1) - 2, again - 64);
    let mut trimmed = learner.clone();
    let with_bounds = steps(&mut trimmed, 0.1);
    assert!(with_bounds > first + 2 * INPUTS, "{with_bounds} steps, {first} without trimming");
}

#[test]
fn the_longest_step_is_a_constant() {
    const COST: mercer::detect::LearnCost = GaussianLearner::<12, 128, 32, 24>::COST;
    // What is promised for this size, at opt-level 3 and s; `cargo xtask bench` counts it.
    const { assert!(COST.step.cortex_m4f <= 110_000) };
    assert_eq!(COST.ram, size_of::<GaussianLearner<12, 128, 32, 24>>());
    let more = GaussianLearner::<12, 256, 32, 24>::COST;
    assert!(more.step.cortex_m0 > COST.step.cortex_m0);
}
