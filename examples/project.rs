//! A detector that was trained on the host, in flash, projects and scores readings.
//!
//! The detector is a `static`: no fit, no workspace, no RAM but a stream of samples and a few
//! hundred bytes of stack. `cargo xtask data` trained it on walking and wrote
//! `data/walking/model.rs`, by `mercer fit` and `mercer export`.
//!
//! - host: `cargo run --release --example project`
//! - Cortex-M4F in QEMU: `cargo run --release --example project --target thumbv7em-none-eabihf`
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "support/motions.rs"]
mod motions;
mod support;

use mercer::Error;
use motions::{UNSEEN, WatchStream, windows};
use static_cell::ConstStaticCell;
use support::say;

include!("data/walking/model.rs");

static STREAM: ConstStaticCell<WatchStream> = ConstStaticCell::new(WatchStream::new());

fn run() -> Result<(), Error> {
    let stream = STREAM.take();
    let model = WALKING.model();
    say!(
        "What walking looks like, in flash: {} points, {} components, {} bytes",
        model.expansion().points(),
        model.expansion().components(),
        size_of_val(&WALKING)
    );
    say!("activity        f1      f2      f3      f4     SPE       T2");
    for (name, recordings) in &UNSEEN {
        for window in windows(stream, recordings).step_by(37) {
            let window = window?;
            let f = model.project(&WALKING.scaling().apply(&window))?;
            let reading = WALKING.score(&window)?;
            say!(
                "{name:<10} {:>7.3} {:>7.3} {:>7.3} {:>7.3} {:>7.4} {:>8.2}  {}",
                f[0],
                f[1],
                f[2],
                f[3],
                reading.score.spe,
                reading.score.t2,
                if reading.unusual { "not walking" } else { "" }
            );
        }
    }
    say!("SPE above {:.4} is not walking.", WALKING.threshold().spe);
    Ok(())
}

support::main!(run);
