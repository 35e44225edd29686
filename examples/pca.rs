//! Linear PCA of a smart watch's readings: how many numbers do 12 features take?
//!
//! Windows of accelerometer and gyroscope become 12 features. From 55 windows of walking it learns
//! mean and principal axes, keeps as many as hold 90 % of the variance, and prints what each of the
//! four activities loses on the way to these few numbers and back.
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
use motions::{FEATURES, TRAINING, UNSEEN, WatchStream, Window, windows};
use static_cell::ConstStaticCell;
use support::say;

/// Each second window of walking: there is no room for all on a micro:bit.
const WINDOWS: usize = motions::WINDOWS / 2;
const COMPONENTS: usize = 8;

type Workspace = PcaWorkspace<Window, FEATURES>;

// Large values live in statics, never on the stack.
static SAMPLES: ConstStaticCell<[Window; WINDOWS]> =
    ConstStaticCell::new([[0.0; FEATURES]; WINDOWS]);
static PCA: ConstStaticCell<Pca<Window, COMPONENTS>> = ConstStaticCell::new(Pca::new());
static WORKSPACE: ConstStaticCell<Workspace> = ConstStaticCell::new(PcaWorkspace::new());
static STREAM: ConstStaticCell<WatchStream> = ConstStaticCell::new(WatchStream::new());

fn run() -> Result<(), Error> {
    let (samples, stream) = (SAMPLES.take(), STREAM.take());
    for (place, window) in samples.iter_mut().zip(windows(stream, &TRAINING).step_by(2)) {
        *place = window?;
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
        if let Some(name) = motions::NAMES.get(input) {
            let (number, share) = (j + 1, 100.0 * share);
            say!("u{number:<4} {variance:>9.4} {share:>7.1}%   {entry:+.3} {name}");
        }
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
        for window in windows(stream, recordings) {
            lost += pca.score(&scaling.apply(&window?))?.spe / motions::WINDOWS as f32;
        }
        say!("{name:<10} {lost:>10.3}");
    }
    Ok(())
}

support::main!(run);
