//! Firmware that counts the instructions of one task, and how much stack it takes. `cargo xtask bench` builds it once for each task and
//! shape, which it passes in environment variables, runs it in QEMU and turns the ticks printed here into instructions.
//!
//! One task a firmware: a count then does not change when another task is added, and the size of the firmware is that of the task.
//! On the host it does nothing.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod inputs;
#[cfg(target_os = "none")]
mod measure;
#[cfg(target_os = "none")]
mod shape;
#[cfg(target_os = "none")]
mod signal;
#[cfg(target_os = "none")]
mod tasks;
#[path = "../../../examples/support/mod.rs"]
mod support;

use support::say;

#[cfg(not(target_os = "none"))]
fn run() -> Result<(), core::convert::Infallible> {
    say!("skipped: instructions are counted on a device");
    Ok(())
}

/// Four lines of ticks: nothing, two loops of known length, and the task with its stack.
#[cfg(target_os = "none")]
fn run() -> Result<(), measure::Failure> {
    measure::start();
    let empty = measure::ticks(|| true)?;
    let short = measure::ticks(measure::short_loop)?;
    let long = measure::ticks(measure::long_loop)?;
    let task = tasks::measured()?;
    say!("empty {} {}", empty.ticks, empty.stack);
    say!("loop {} {}", measure::SHORT, short.ticks);
    say!("loop {} {}", measure::LONG, long.ticks);
    say!("task {} {}", task.ticks, task.stack);
    Ok(())
}

support::main!(run);
