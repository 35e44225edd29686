//! What is the wearer doing? From raw samples of a watch to one of four activities, by way of
//! kernel principal components.
//!
//! Raw samples fill windows, windows become features, and these are projected on the first
//! components of a model that was fitted to all activities together, without being told which is
//! which. Behind it stands the simplest classifier there is: the nearest mean of a class. It learns
//! from the first half of the recordings and is tried on the other half; beside it, the same
//! classifier on the features themselves, which up to five projections do not match, and six do.
//!
//! - host: `cargo run --release --example classify`
//! - Cortex-M4F in QEMU: `cargo run --release --example classify --target thumbv7em-none-eabihf`
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "support/motions.rs"]
mod motions;
mod support;

use mercer::detect::{Cost, GaussianProjector, Scaling};
use mercer::kernel::Rbf;
use mercer::kpca::{Components, LandmarkWorkspace, Landmarks};
use mercer::signal::{Extractor, Feature, FrontEnd, Window};
use mercer::{Error, KernelPca};
use motions::{UNSEEN, raw};
use static_cell::ConstStaticCell;
use support::say;

/// Mean and log deviation of each axis.
struct Watch;
impl FrontEnd for Watch {
    const FEATURES: &'static [Feature] = &[Feature::Mean, Feature::LogStd];
}

const AXES: usize = 6;
const INPUTS: usize = 2 * AXES;
/// Instants in a window, ten a second.
const LENGTH: usize = 25;
const CLASSES: usize = UNSEEN.len();
/// Recordings of each activity, of which the first half is learned from.
const RECORDINGS: usize = 10;
const WINDOWS: usize = 4;
const SAMPLES: usize = CLASSES * RECORDINGS / 2 * WINDOWS;
/// With so many, everything fits into the 16 KB of RAM of a micro:bit (Cortex-M0).
const POINTS: usize = 16;
/// Of the components.
const KEPT: usize = 8;

type Reading = [f32; INPUTS];
type Model = KernelPca<Rbf<f32>, Reading, POINTS, KEPT>;

/// What turns raw samples into readings.
struct Front {
    window: Window<f32, AXES, LENGTH, LENGTH>,
    extractor: Extractor<Watch, INPUTS, 0>,
}

// Large values live in statics, never on the stack.
static FRONT: ConstStaticCell<Front> =
    ConstStaticCell::new(Front { window: Window::new(), extractor: Extractor::new() });
static READINGS: ConstStaticCell<[Reading; SAMPLES]> =
    ConstStaticCell::new([[0.0; INPUTS]; SAMPLES]);
static WORKSPACE: ConstStaticCell<LandmarkWorkspace<f32, SAMPLES, POINTS>> =
    ConstStaticCell::new(LandmarkWorkspace::new());
static MODEL: ConstStaticCell<Model> = ConstStaticCell::new(Model::new());

fn run() -> Result<(), Error> {
    let (front, readings, model) = (FRONT.take(), READINGS.take(), MODEL.take());
    let mut places = readings.iter_mut();
    for_windows(
        front,
        |recording| recording < RECORDINGS / 2,
        |_, reading| {
            if let Some(place) = places.next() {
                *place = *reading;
            }
            Ok(())
        },
    )?;
    let scaling = Scaling::learn(readings.as_slice());
    for reading in readings.iter_mut() {
        *reading = scaling.apply(reading);
    }
    let wish = (Landmarks::Rank(POINTS), Components::Fixed(KEPT));
    let report =
        model.fit_landmarks(Rbf::for_inputs(INPUTS), readings, wish.0, wish.1, WORKSPACE.take())?;
    say!("{SAMPLES} windows of 2.5 s, {INPUTS} features each: mean and log deviation of 6 axes");
    say!(
        "{KEPT} components on {} points explain {:.0} % of the variance",
        report.points,
        100.0 * report.explained
    );
    let by_features = try_out(front, &scaling, |x| Ok(*x))?;
    let by_projections = try_out(front, &scaling, |x| {
        let mut features = [0.0; KEPT];
        features.copy_from_slice(&model.project(x)?);
        Ok(features)
    })?;
    say!("");
    say!("The nearest class mean, on {SAMPLES} windows of recordings that it has not seen:");
    if let Some(right) = by_features.last() {
        say!("  {right} right by the {INPUTS} features");
    }
    for (kept, right) in (1..).zip(by_projections) {
        say!("  {right} right by {kept} projection{}", if kept > 1 { "s" } else { "" });
    }
    show_cost(&GaussianProjector::<INPUTS, POINTS, KEPT>::COST);
    Ok(())
}

/// Learns the mean of each class from one half of the recordings, and classifies the other half:
/// how often it is right by the first feature alone, by the first two, and so on.
#[inline(never)]
fn try_out<const F: usize>(
    front: &mut Front,
    scaling: &Scaling<Reading>,
    features: impl Fn(&Reading) -> Result<[f32; F], Error>,
) -> Result<[usize; F], Error> {
    let mut means = [[0.0; F]; CLASSES];
    for_windows(
        front,
        |recording| recording < RECORDINGS / 2,
        |class, reading| {
            let features = features(&scaling.apply(reading))?;
            for (mean, feature) in means[class].iter_mut().zip(features) {
                *mean += feature / (SAMPLES / CLASSES) as f32;
            }
            Ok(())
        },
    )?;
    let mut right = [0; F];
    for_windows(
        front,
        |recording| recording >= RECORDINGS / 2,
        |class, reading| {
            let features = features(&scaling.apply(reading))?;
            for (used, right) in (1..).zip(&mut right) {
                *right += usize::from(nearest(&features[..used], &means) == class);
            }
            Ok(())
        },
    )?;
    Ok(right)
}

/// The class whose mean is nearest, by the features that are given.
fn nearest<const F: usize>(x: &[f32], means: &[[f32; F]; CLASSES]) -> usize {
    let distance = |class: usize| -> f32 {
        x.iter().zip(&means[class]).map(|(x, mean)| (x - mean) * (x - mean)).sum()
    };
    (1..CLASSES).fold(0, |best, class| if distance(class) < distance(best) { class } else { best })
}

/// Streams the raw samples of the wanted recordings, and hands over each reading with its class.
fn for_windows(
    Front { window, extractor }: &mut Front,
    wanted: impl Fn(usize) -> bool,
    mut each: impl FnMut(usize, &Reading) -> Result<(), Error>,
) -> Result<(), Error> {
    for (class, (_, recordings)) in UNSEEN.iter().enumerate() {
        for (_, recording) in raw(recordings).enumerate().filter(|(number, _)| wanted(*number)) {
            window.gap();
            for sample in recording {
                if let Some(full) = window.push(&sample)? {
                    extractor.extract(&full);
                    each(class, extractor.reading())?;
                }
            }
        }
    }
    Ok(())
}

fn show_cost(cost: &Cost) {
    let Cost { flash, ram, multiply_adds, instructions, .. } = cost;
    say!("");
    say!("One projection, as `mercer export --project {KEPT}` would put it into flash:");
    say!("  {flash} bytes of flash, {ram} of stack, {multiply_adds} multiply-adds");
    say!(
        "  at most {} instructions on a Cortex-M4F, {} on a Cortex-M0",
        instructions.cortex_m4f,
        instructions.cortex_m0
    );
}

support::main!(run);
