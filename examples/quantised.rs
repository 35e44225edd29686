//! The same detector twice, in `f32` and in integers, on readings of a smart watch.
//!
//! A detector that was trained on the host lives in flash. The device turns it into integers, which cores without an FPU score tens
//! of times as fast, and both are asked about walking and other motions.
//!
//! - host: `cargo run --release --example quantised`
//! - Cortex-M0 in QEMU: `cargo run --release --example quantised --target thumbv6m-none-eabi`
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "support/motions.rs"]
mod motions;
mod support;

use mercer::detect::LogQuantisedDetector;
use mercer::{Detect, Error};
use motions::{FEATURES, MODEL_LENGTH, NAMES, UNSEEN, Window, windows};
use static_cell::ConstStaticCell;
use support::say;

include!("data/walking/model.rs");

/// Room for the 12 points and 4 components of `WALKING`.
type Quantised = LogQuantisedDetector<FEATURES, 12, 4>;

static QUANTISED: ConstStaticCell<Quantised> = ConstStaticCell::new(Quantised::new());

fn run() -> Result<(), Error> {
    let quantised = QUANTISED.take();
    quantised.quantise(&WALKING)?;
    say!("Walking: {} bytes in f32, {} in integers", size_of_val(&WALKING), Quantised::SIZE);
    say!("activity     SPE, f32  in integers  off by, of the threshold");
    let threshold = WALKING.threshold().spe;
    for (name, recordings) in &UNSEEN {
        for window in windows::<MODEL_LENGTH>(recordings).step_by(17) {
            let (exact, whole) = (WALKING.score(&window)?, quantised.score(&window)?);
            let difference = (whole.score.spe - exact.score.spe) / threshold;
            say!(
                "{name:<10}  {:>9.5}  {:>11.5}  {:>+22.3} %  {}",
                exact.score.spe,
                whole.score.spe,
                100.0 * difference,
                verdict(quantised, &window)?
            );
        }
    }
    Ok(())
}

/// What gave it away, if it is not walking. Works with either kind of detector.
fn verdict(detector: &impl Detect<Window>, x: &Window) -> Result<&'static str, Error> {
    if !detector.score(x)?.unusual {
        return Ok("");
    }
    let suspect = detector.suspect(x)?;
    Ok(NAMES.get(suspect.input).unwrap_or(&"unknown"))
}

support::main!(run);
