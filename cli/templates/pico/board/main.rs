//! Watches: the LED is the alarm, and the UART has the details.
#![no_std]
#![no_main]

use core::fmt::Write;

use board::{EVENTS, Event, Log};
use embassy_executor::Spawner;
use embassy_rp::adc::Channel;
use embassy_rp::gpio::{Level, Output, Pull};
use panic_halt as _;
use static_cell::ConstStaticCell;
use watch::{ModelStream, Watcher};

static STREAM: ConstStaticCell<ModelStream> = ConstStaticCell::new(ModelStream::new());

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let mut log = Log::new(p.UART0, p.PIN_0);
    let mut led = Output::new(p.PIN_25, Level::Low);
    // A model that does not score as it did on the desk is none to rely on.
    if let Err(vector) = watch::model_self_test() {
        let _ = writeln!(log, "the self-test fails at vector {vector}");
    }
    let pins = [@pins@];
    let Ok(()) = board::start(p.ADC, pins) else { panic!("started twice") };
    let mut watcher = Watcher::new(STREAM.take());
    loop {
        let sample = match EVENTS.receive().await {
            Event::Sample(sample) => sample,
            Event::Gap => {
                watcher.gap();
                let _ = writeln!(log, "samples were lost");
                continue;
            }
        };
        match watcher.on_sample(&sample) {
            Ok(None) => {}
            Ok(Some(window)) => {
                led.set_level(window.outcome.alarm.is_active().into());
                if window.changed {
                    let _ = writeln!(log, "{window}");
                }
            }
            Err(error) => {
                let _ = writeln!(log, "{error}");
            }
        }
    }
}
