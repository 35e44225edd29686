//! A model that was trained on the host, in flash, projects and scores readings.
//!
//! The model is a `static`: no fit, no workspace, no RAM but a few hundred bytes of stack.
//! `cargo xtask data` trained it on walking and wrote `data/walking.rs`.
//!
//! - host: `cargo run --release --example project`
//! - Cortex-M4F in QEMU: `cargo run --release --example project --target thumbv7em-none-eabihf`
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "support/motions.rs"]
mod motions;
mod support;
#[path = "data/walking.rs"]
mod walking;

use mercer::Error;
use motions::{UNSEEN, windows};
use support::say;
use walking::{SCALE, WALKING};

fn run() -> Result<(), Error> {
    say!(
        "A model of walking in flash: {} points, {} components, {} bytes",
        WALKING.expansion().points(),
        WALKING.expansion().components(),
        size_of_val(&WALKING)
    );
    say!("activity        f1      f2      f3      f4     SPE       T2");
    for (name, recordings) in &UNSEEN {
        for mut window in windows(recordings).step_by(17) {
            SCALE.apply(&mut window);
            let f = WALKING.project(&window)?;
            let score = WALKING.score(&window)?;
            say!(
                "{name:<10} {:>7.3} {:>7.3} {:>7.3} {:>7.3} {:>7.4} {:>8.2}",
                f[0],
                f[1],
                f[2],
                f[3],
                score.spe,
                score.t2
            );
        }
    }
    Ok(())
}

support::main!(run);
