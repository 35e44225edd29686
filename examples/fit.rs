//! Learns on the device what walking looks like, then scores what it has not seen.
//!
//! 1.6 s of a smart watch's accelerometer and gyroscope become 12 features. From 55 such windows of
//! walking it picks landmarks, fits kernel PCA, and scores windows of walking, running, badminton
//! and standing. All of it fits in the 16 KB of RAM of a micro:bit (Cortex-M0).
//!
//! - host: `cargo run --release --example fit`
//! - Cortex-M4F in QEMU: `cargo run --release --example fit --target thumbv7em-none-eabihf`
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "support/motions.rs"]
mod motions;
mod support;

use mercer::detect::Scaling;
use mercer::kernel::Rbf;
use mercer::kpca::{Components, LandmarkWorkspace, Landmarks};
use mercer::{Error, KernelPca};
use motions::{FEATURES, TRAINING, UNSEEN, WatchStream, Window, windows};
use static_cell::ConstStaticCell;
use support::say;

/// Each second window: there is no room for all.
const WINDOWS: usize = motions::WINDOWS / 2;
const POINTS: usize = 18;
const COMPONENTS: usize = 16;

type Model = KernelPca<Rbf<f32>, Window, POINTS, COMPONENTS>;
type Workspace = LandmarkWorkspace<f32, WINDOWS, POINTS>;

// Large values live in statics, never on the stack.
static MODEL: ConstStaticCell<Model> = ConstStaticCell::new(KernelPca::new());
static WORKSPACE: ConstStaticCell<Workspace> = ConstStaticCell::new(LandmarkWorkspace::new());
static STREAM: ConstStaticCell<WatchStream> = ConstStaticCell::new(WatchStream::new());
static SAMPLES: ConstStaticCell<[Window; WINDOWS]> =
    ConstStaticCell::new([[0.0; FEATURES]; WINDOWS]);

fn run() -> Result<(), Error> {
    let (model, workspace, samples) = (MODEL.take(), WORKSPACE.take(), SAMPLES.take());
    let stream = STREAM.take();

    say!("Learning what walking looks like: {WINDOWS} windows of 1.6 s, {FEATURES} features each");
    for (sample, window) in samples.iter_mut().zip(windows(stream, &TRAINING).step_by(2)) {
        *sample = window?;
    }
    let scaling = Scaling::learn(samples.as_slice());
    for sample in samples.iter_mut() {
        *sample = scaling.apply(sample);
    }
    let report = model.fit_landmarks(
        Rbf::new(1.0 / (8.0 * FEATURES as f32)),
        samples,
        Landmarks::Rank(POINTS),
        Components::Share(0.99),
        workspace,
    )?;
    say!(
        "  points      {} of {} windows span the rest but for {:.2} % of the variance",
        report.points,
        report.samples,
        100.0 * report.unspanned
    );
    say!(
        "  components  {} of {} explain {:.2} % (eigensolver: {} sweeps)",
        report.components,
        report.rank,
        100.0 * report.explained,
        report.sweeps
    );
    say!(
        "  memory      model {} bytes, workspace {}, samples {}",
        Model::SIZE,
        Workspace::SIZE,
        size_of_val(samples)
    );

    show_spectrum(model);
    show_scores(model, &scaling, stream)
}

// Apart from `run` (`inline(never)`): on a micro:bit there are 3 KB of stack, and each part needs
// some of it.
#[inline(never)]
fn show_spectrum(model: &Model) {
    say!("");
    say!("component  eigenvalue  explained  in total");
    let expansion = model.expansion();
    let mut total = 0.0;
    for (j, (variance, ratio)) in
        expansion.variances().iter().zip(expansion.explained_ratios()).enumerate()
    {
        total += ratio;
        say!(
            "{:>9}  {variance:>10.6}  {:>7.2} %  {:>6.2} %  {}",
            j + 1,
            100.0 * ratio,
            100.0 * total,
            bar(ratio)
        );
    }
}

#[inline(never)]
fn show_scores(
    model: &Model,
    scaling: &Scaling<Window>,
    stream: &mut WatchStream,
) -> Result<(), Error> {
    say!("");
    // A Gaussian kernel vanishes far from every sample, and the score stops rising.
    let expansion = model.expansion();
    let inner: f32 = expansion.offsets().iter().map(|b| b * b).sum();
    let ceiling = 1.0 + expansion.header().centre_norm - inner;
    say!("How unusual are windows it has not seen?");
    say!("SPE: 0 = explained by what was learned, {ceiling:.3} = unlike anything learned");
    say!("activity      lowest    median   highest");
    let mut normal = [0.0; WINDOWS];
    let (mut lower, mut pairs) = (0.0, 0.0);
    for (activity, (name, recordings)) in UNSEEN.iter().enumerate() {
        let mut scores = [0.0; WINDOWS];
        for (score, window) in scores.iter_mut().zip(windows(stream, recordings).step_by(2)) {
            *score = model.score(&scaling.apply(&window?))?.spe;
        }
        scores.sort_unstable_by(f32::total_cmp);
        let (lowest, median, highest) = (scores[0], scores[WINDOWS / 2], scores[WINDOWS - 1]);
        say!("{name:<10}  {lowest:>8.5}  {median:>8.5}  {highest:>8.5}  {}", bar(median / ceiling));
        if activity == 0 {
            normal = scores;
        } else {
            for score in &scores {
                lower += normal.iter().filter(|&other| other < score).count() as f32;
                lower += 0.5 * normal.iter().filter(|&other| other == score).count() as f32;
            }
            pairs += (WINDOWS * WINDOWS) as f32;
        }
    }
    say!("");
    say!(
        "A window of another activity scores higher than one of walking in {:.1} % of all pairs (AUROC).",
        100.0 * lower / pairs
    );
    Ok(())
}

/// A share of the whole as a bar of at most 40 characters.
fn bar(share: f32) -> &'static str {
    const BAR: &str = "########################################";
    BAR.get(..(share * 40.0) as usize).unwrap_or(BAR)
}

support::main!(run);
