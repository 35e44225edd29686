//! The firmware of all boards that run Embassy, but for their pins: two tasks, of which the first
//! belongs on an executor in an interrupt.
#![no_std]
#![forbid(unsafe_code)]

mod sampling;
mod watching;

pub use sampling::{EVENTS, Event, sample};
pub use watching::watch;

use core::fmt::Write;

/// Sends every sample as a line of CSV, in the format that `mercer fit` reads.
pub async fn record(log: &mut impl Write) -> ! {
    let _ = writeln!(log, "{}", fan::HEADER);
    loop {
        // A line that `mercer fit` refuses, and names: a recording with a gap is better made anew.
        let _ = match EVENTS.receive().await {
            Event::Sample(sample) => fan::line(&sample, log),
            Event::Gap => writeln!(log, "gap"),
        };
    }
}
