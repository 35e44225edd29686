//! The same detector twice, in `f32` and in integers, on readings of a smart watch.
//!
//! A detector that was trained on the host lives in flash. The device turns it into integers, which
//! cores without an FPU score tens of times as fast, and both are asked about walking and other
//! motions.
//!
//! - host: `cargo run --release --example quantised`
//! - Cortex-M0 in QEMU: `cargo run --release --example quantised --target thumbv6m-none-eabi`
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "support/motions.rs"]
mod motions;
mod support;

use mercer::signal::Name;
use mercer::{Detect, Error, QuantisedDetector};
use motions::{FEATURES, NAMES, UNSEEN, WatchStream, Window, windows};
use static_cell::ConstStaticCell;
use support::say;

include!("data/walking/model.rs");

/// Room for the 12 points and 4 components of `WALKING`.
type Quantised = QuantisedDetector<FEATURES, 12, 4>;

static QUANTISED: ConstStaticCell<Quantised> = ConstStaticCell::new(Quantised::new());
static STREAM: ConstStaticCell<WatchStream> = ConstStaticCell::new(WatchStream::new());

fn run() -> Result<(), Error> {
    let (quantised, stream) = (QUANTISED.take(), STREAM.take());
    quantised.quantise(&WALKING)?;
    say!("Walking: {} bytes in f32, {} in integers", size_of_val(&WALKING), Quantised::SIZE);
    say!("activity     SPE, f32  in integers  off by, of the threshold");
    let threshold = WALKING.threshold().spe;
    for (name, recordings) in &UNSEEN {
        for window in windows(stream, recordings).step_by(37) {
            let window = window?;
            let (exact, whole) = (WALKING.score(&window)?, quantised.score(&window)?);
            let difference = (whole.score.spe - exact.score.spe) / threshold;
            let (exact, whole) = (exact.score.spe, whole.score.spe);
            let off = 100.0 * difference;
            match blamed(quantised, &window)? {
                Some(input) => {
                    say!("{name:<10}  {exact:>9.5}  {whole:>11.5}  {off:>+22.3} %  {input}");
                }
                None => say!("{name:<10}  {exact:>9.5}  {whole:>11.5}  {off:>+22.3} %"),
            }
        }
    }
    Ok(())
}

/// What gave it away, if it is not walking. Works with either kind of detector.
fn blamed(detector: &impl Detect<Window>, x: &Window) -> Result<Option<Name<'static>>, Error> {
    if !detector.score(x)?.unusual {
        return Ok(None);
    }
    let suspect = detector.suspect(x)?;
    Ok(NAMES.get(suspect.input))
}

support::main!(run);
