//! Records: sends every sample as a line of CSV, in the format that `mercer fit` reads.
#![no_std]
#![no_main]

use core::fmt::Write as _;

use embassy_executor::Spawner;
use panic_halt as _;
use pico_embassy::sampling::{self, EVENTS, Event};
use pico_embassy::uart::Log;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let mut log = Log::new(p.UART0, p.PIN_0);
    let Ok(()) = sampling::start(p.ADC, p.PIN_26, p.PIN_27) else { panic!("started twice") };
    let _ = writeln!(log, "{}", fan::HEADER);
    loop {
        match EVENTS.receive().await {
            Event::Sample(sample) => {
                let _ = fan::line(&sample, &mut log);
            }
            // An empty line is none to most readers; a recording with gaps is better made anew.
            Event::Gap => {
                let _ = writeln!(log, "GAP");
            }
        }
    }
}
