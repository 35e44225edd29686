//! Records: sends every sample as a line of CSV, in the format that `mercer fit` reads.
#![no_std]
#![no_main]

use core::fmt::Write;

use board::{EVENTS, Event, Log};
use embassy_executor::Spawner;
use embassy_rp::adc::Channel;
use embassy_rp::gpio::Pull;
use panic_halt as _;
use watch::{HEADER, write_line};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let mut log = Log::new(p.UART0, p.PIN_0);
    let pins = [@pins@];
    let Ok(()) = board::start(p.ADC, pins) else { panic!("started twice") };
    let _ = writeln!(log, "{HEADER}");
    loop {
        // A line that `mercer fit` refuses, and names: a recording with a gap is better made anew.
        let _ = match EVENTS.receive().await {
            Event::Sample(sample) => write_line(&sample, &mut log),
            Event::Gap => writeln!(log, "gap"),
        };
    }
}
