//! Firmware that measures how much stack learning, scoring and explaining take, and fails when it
//! is more than promised.
//!
//! The stack below the caller is painted with a pattern, the work is done, and the lowest word that
//! lost its paint tells how far it went. `cargo xtask device` runs it on every board. A host's
//! stack is another matter: there it says so and does nothing.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "../../examples/support/mod.rs"]
mod support;

use support::say;

/// What the documentation of `Learner` promises.
#[cfg(target_os = "none")]
const PROMISED: usize = 2048;

#[cfg(not(target_os = "none"))]
fn run() -> Result<(), core::convert::Infallible> {
    say!("skipped: the stack is measured on a device");
    Ok(())
}

#[cfg(target_os = "none")]
fn run() -> Result<(), Failure> {
    use mercer::detect::Replace;
    use mercer::detect::explain::ITERATIONS;
    use mercer::kernel::Rbf;
    use mercer::signal::{Feature, FrontEnd};
    use mercer::{Detector, Error, LeanLearner, Learner, Monitor, Progress, Recipe};
    use static_cell::ConstStaticCell;

    /// Six features of two channels.
    struct Raw;
    impl FrontEnd for Raw {
        const FEATURES: &'static [Feature] = &[Feature::Mean, Feature::LogStd, Feature::Bands(4)];
    }
    const STREAM_WINDOW: usize = 64;
    type RawStream = mercer::stream!(Raw, f32, 2, STREAM_WINDOW, STREAM_WINDOW);
    static STREAM: ConstStaticCell<RawStream> = ConstStaticCell::new(RawStream::new());

    const INPUTS: usize = RawStream::INPUTS;
    type Small = Learner<Rbf<f32>, [f32; INPUTS], 16, 12, 16>;
    static LEARNER: ConstStaticCell<Small> = ConstStaticCell::new(Small::new());
    static SPARE: ConstStaticCell<Detector<Rbf<f32>, [f32; INPUTS], 12, 16>> =
        ConstStaticCell::new(Detector::new());
    let (learner, spare) = (LEARNER.take(), SPARE.take());

    let mut result = Ok(());
    let mut keep = |outcome: Result<(), Error>| result = result.and(outcome);
    let mut state = 1_u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 16_777_216.0 - 0.5
    };
    let mut push = 0;
    while !learner.is_full() {
        let common = noise();
        let reading = core::array::from_fn(|_| common + 0.2 * noise());
        push = push.max(peak_stack(|| keep(learner.push(&reading))));
    }
    let recipe = Recipe::default().trim(0.1);
    let (mut begin, mut step) = (0, 0);
    // The second time there is a detector whose components the new ones are compared with.
    for _ in 0..2 {
        let kernel = Rbf::for_inputs(INPUTS);
        begin = begin.max(peak_stack(|| keep(learner.begin(kernel, recipe))));
        let mut progress = Progress::Working;
        while progress == Progress::Working {
            progress = Progress::Done;
            step = step.max(peak_stack(|| keep(learner.step().map(|after| progress = after))));
        }
    }
    // The lean learner keeps to the same. Few samples for either: a board of 16 KB has both.
    type Lean = LeanLearner<INPUTS, 16, 4, 16>;
    static LEAN: ConstStaticCell<Lean> = ConstStaticCell::new(Lean::new());
    let lean = LEAN.take();
    let mut in_little = 0;
    while !lean.is_full() {
        let common = noise();
        let reading = core::array::from_fn(|_| common + 0.2 * noise());
        in_little = in_little.max(peak_stack(|| keep(lean.push(&reading))));
    }
    in_little = in_little.max(peak_stack(|| keep(lean.begin(Rbf::for_inputs(INPUTS), recipe))));
    while lean.is_learning() {
        in_little = in_little.max(peak_stack(|| keep(lean.step().map(|_| ()))));
    }
    let reading = [0.1; INPUTS];
    let replace = Replace::Random;
    in_little = in_little.max(peak_stack(|| keep(lean.refresh(&reading, replace).map(|_| ()))));
    let refresh = peak_stack(|| keep(learner.refresh(&reading, Replace::Random).map(|_| ())));
    let detector = learner.detector().map_err(Failure::Refused)?;
    let score = peak_stack(|| keep(detector.score(&reading).map(|_| ())));
    let project = peak_stack(|| keep(detector.project(&reading).map(|_| ())));
    let why = peak_stack(|| keep(detector.contributions(&reading).map(|_| ())));
    let expected =
        peak_stack(|| keep(detector.expected_input(&reading, 3, ITERATIONS).map(|_| ())));
    let suspect = peak_stack(|| keep(detector.suspect(&reading).map(|_| ())));
    let mut lost = reading;
    lost[3] = f32::NAN;
    let missing = peak_stack(|| keep(detector.score_available(&lost).map(|_| ())));

    let mut monitor = Monitor::new(detector, STREAM.take());
    let mut watch = 0;
    for _ in 0..STREAM_WINDOW {
        let sample = core::array::from_fn(|_| noise());
        watch = watch.max(peak_stack(|| keep(monitor.push(&sample).map(|_| ()))));
    }
    let was_judged = monitor.last().is_some();
    let copy = peak_stack(|| keep(spare.copy_from(detector)));
    let swap = peak_stack(|| keep(learner.swap_detector(spare)));
    result.map_err(Failure::Refused)?;
    if !was_judged {
        return Err(Failure::NotJudged);
    }
    say!("push {push}, begin {begin}, step {step}, refresh {refresh}, score {score} bytes");
    say!("project {project}, contributions {why}, expected_input {expected} bytes");
    say!("suspect {suspect}, score_available {missing} bytes");
    say!("raw sample {watch} bytes; lean learner {in_little} bytes");
    say!("copy_from {copy}, swap_detector {swap} bytes, of a detector of {}", size_of_val(spare));
    let all = [
        push, begin, step, refresh, score, project, why, expected, suspect, missing, watch, copy,
        swap, in_little,
    ];
    match all.into_iter().fold(0, usize::max) {
        most if most <= PROMISED => Ok(()),
        most => Err(Failure::TooMuch(most)),
    }
}

#[cfg(target_os = "none")]
#[derive(Debug)]
#[allow(dead_code, reason = "shown by Debug")]
enum Failure {
    Refused(mercer::Error),
    /// The monitor has not seen a whole window, so that nothing of it was measured.
    NotJudged,
    TooMuch(usize),
}

/// Bytes of stack that `work` uses, including its frame.
#[cfg(target_os = "none")]
#[inline(never)]
fn peak_stack(work: impl FnOnce()) -> usize {
    /// More than is promised, so that a broken promise can be measured.
    const WORDS: usize = 800;
    const PAINT: u32 = 0xdead_beef;

    let top = stack_pointer();
    let word = |i: usize| (top - 4 * (i + 1)) as *mut u32;
    for i in 0..WORDS {
        // SAFETY: free stack, below everything that lives.
        unsafe { word(i).write_volatile(PAINT) };
    }
    apart(work);
    // SAFETY: as above; plain memory, read as it is.
    let painted = |i: &usize| unsafe { word(*i).read_volatile() == PAINT };
    4 * (WORDS - (0..WORDS).rev().take_while(painted).count())
}

/// Keeps the work out of the frame of the function that paints.
#[cfg(target_os = "none")]
#[inline(never)]
fn apart(work: impl FnOnce()) {
    work();
    core::hint::black_box(());
}

#[cfg(target_os = "none")]
#[inline(always)]
fn stack_pointer() -> usize {
    let pointer: usize;
    // SAFETY: reads a register.
    #[cfg(target_arch = "arm")]
    unsafe {
        core::arch::asm!("mov {}, sp", out(reg) pointer, options(nomem, nostack))
    };
    // SAFETY: reads a register.
    #[cfg(target_arch = "riscv32")]
    unsafe {
        core::arch::asm!("mv {}, sp", out(reg) pointer, options(nomem, nostack))
    };
    pointer
}

support::main!(run);
