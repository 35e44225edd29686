//! Watches a fan with an ESP32-C6: learns after every reset, then watches. The LED on GPIO8 is the
//! alarm, and the UART has the details.
#![no_std]
#![no_main]

use core::fmt::Write as _;

use esp_hal::gpio::{Level, Output, OutputConfig};
use esp_hal::uart::{Config, Uart};
use esp32c6::sampling;
use fan::{FanLearner, FanStream, Model, Sentry, Teacher};
use panic_halt as _;
use static_cell::ConstStaticCell;

esp_bootloader_esp_idf::esp_app_desc!();

// All zeros: they take no flash.
static MODEL: ConstStaticCell<Model> = ConstStaticCell::new(Model::new());
static SPARE: ConstStaticCell<Model> = ConstStaticCell::new(Model::new());
static LEARNER: ConstStaticCell<FanLearner> = ConstStaticCell::new(FanLearner::new());
static STREAM: ConstStaticCell<FanStream> = ConstStaticCell::new(FanStream::new());

#[esp_hal::main]
fn main() -> ! {
    let p = esp_hal::init(esp_hal::Config::default());
    let Ok(uart) = Uart::new(p.UART0, Config::default()) else { panic!("a usual speed") };
    let mut log = uart.with_tx(p.GPIO16);
    let mut led = Output::new(p.GPIO8, Level::Low, OutputConfig::default());
    let Ok(mut sentry) = Sentry::new(MODEL.take(), STREAM.take()) else { panic!("a valid alarm") };
    let mut teacher = Teacher::new(LEARNER.take(), SPARE.take());
    let mut samples = sampling::start(p.TIMG0, p.ADC1, p.GPIO0, p.GPIO1);
    let mut learned = None;
    let mut missed = 0;
    loop {
        // Where samples are missing, no window goes on.
        if sampling::missed() != missed {
            missed = sampling::missed();
            sentry.gap();
        }
        if sentry.takes_a_model()
            && let Some(model) = learned.take()
        {
            teacher.take_back(sentry.set_model(model));
        }
        // A step of learning at a time, and samples come first.
        let outcome = match samples.dequeue() {
            None => teacher.step().map(|model| learned = model.or(learned.take())),
            Some(sample) => sentry.on_sample(&sample).and_then(|window| {
                let Some(window) = window else { return Ok(()) };
                led.set_level(sentry.alarm().is_active().into());
                if window.changed {
                    let _ = writeln!(log, "{window}\n{missed} samples missed");
                }
                teacher.on_window(&window)
            }),
        };
        if let Err(error) = outcome {
            let _ = writeln!(log, "{error}");
        }
    }
}
