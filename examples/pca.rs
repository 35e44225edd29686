//! Linear PCA of a smart watch's readings: how many numbers do 12 features take?
//!
//! Two seconds of accelerometer and gyroscope become 12 features. From 50 windows of walking it learns mean and principal axes, keeps as many as hold 90 %
//! of the variance, and prints what each of the four activities loses on the way to these few numbers and back.
//!
//! - host: `cargo run --release --example pca`
//! - Cortex-M4F in QEMU: `cargo run --release --example pca --target thumbv7em-none-eabihf`
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "support/motions.rs"]
mod motions;
mod support;

use mercer::Error;
use mercer::detect::Scaling;
use mercer::kpca::Components;
use mercer::methods::{Pca, PcaWorkspace};
use motions::{FEATURES, ROWS, TRAINING, UNSEEN, Window, windows};
use static_cell::ConstStaticCell;
use support::say;

/// Two seconds.
const LENGTH: usize = 20;
const WINDOWS: usize = ROWS / LENGTH;
const COMPONENTS: usize = 8;

type Workspace = PcaWorkspace<Window, FEATURES>;

// Large values live in statics, never on the stack.
static SAMPLES: ConstStaticCell<[Window; WINDOWS]> =
    ConstStaticCell::new([[0.0; FEATURES]; WINDOWS]);
static PCA: ConstStaticCell<Pca<Window, COMPONENTS>> = ConstStaticCell::new(Pca::new());
static WORKSPACE: ConstStaticCell<Workspace> = ConstStaticCell::new(PcaWorkspace::new());

fn run() -> Result<(), Error> {
    let samples = SAMPLES.take();
    for (place, window) in samples.iter_mut().zip(windows::<LENGTH>(&TRAINING)) {
        *place = window;
    }
    let scaling = Scaling::learn(samples.as_slice());
    for sample in samples.iter_mut() {
        *sample = scaling.apply(sample);
    }

    let pca = PCA.take();
    let report = pca.fit(samples, Components::Share(0.9), WORKSPACE.take())?;
    say!(
        "{} of {} axes hold {:.1} % of the variance of {} windows of walking",
        report.components,
        report.rank,
        100.0 * report.explained,
        report.samples
    );
    say!("axis   variance    share   longest entry");
    let view = pca.view()?;
    for (j, (variance, share)) in view.variances().iter().zip(view.explained_ratios()).enumerate() {
        let axis = view.axes().row(j).iter().enumerate();
        let (input, entry) =
            axis.fold(
                (0, 0.0_f32),
                |best, (i, &entry)| {
                    if entry.abs() > best.1.abs() { (i, entry) } else { best }
                },
            );
        say!(
            "u{:<4} {variance:>9.4} {:>7.1}%   {entry:+.3} {}",
            j + 1,
            100.0 * share,
            motions::NAMES[input]
        );
    }

    let (mut lost, mut white) = (0.0, 0.0);
    for sample in samples.iter() {
        lost += pca.score(sample)?.spe / WINDOWS as f32;
        white += pca.whiten(sample)?.iter().map(|w| w * w).sum::<f32>() / WINDOWS as f32;
    }
    say!(
        "Lost on average, over the training windows: {lost:.4}; by the axes dropped: {:.4}",
        pca.header().truncation_error
    );
    say!("Mean square of a whitened coordinate: {:.4}", white / report.components as f32);

    say!("activity   mean squared loss");
    for (name, recordings) in &UNSEEN {
        let mut lost = 0.0;
        for window in windows::<LENGTH>(recordings) {
            lost += pca.score(&scaling.apply(&window))?.spe / WINDOWS as f32;
        }
        say!("{name:<10} {lost:>10.3}");
    }
    Ok(())
}

support::main!(run);
