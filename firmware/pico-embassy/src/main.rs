//! Watches a fan with a Raspberry Pi Pico.
//!
//! At the first boot, or with the button held at any boot, it learns what is normal and stores that
//! in flash; after that it only watches. The LED is the alarm, and the UART has the details.
#![no_std]
#![no_main]

use core::fmt::Write as _;

use embassy_embedded_hal::adapter::BlockingAsync;
use embassy_executor::Spawner;
use embassy_rp::flash::{Blocking, ERASE_SIZE, Flash};
use embassy_rp::gpio::{Input, Level, Output, Pull};
use embassy_rp::peripherals::FLASH;
use fan::{FanLearner, FanStream, Memory, Model, Sentry, Teacher};
use panic_halt as _;
use pico_embassy::sampling::{self, EVENTS, Event, MISSED};
use pico_embassy::uart::Log;
use portable_atomic::Ordering;
use static_cell::ConstStaticCell;

const FLASH_SIZE: usize = 2 * 1024 * 1024;
type Storage = Memory<BlockingAsync<Flash<'static, FLASH, Blocking, FLASH_SIZE>>>;
/// The last pages, which memory.x leaves out.
const MODELS: core::ops::Range<u32> =
    (FLASH_SIZE - Storage::PAGES * ERASE_SIZE) as u32..FLASH_SIZE as u32;

// All zeros: they take no flash.
static MODEL: ConstStaticCell<Model> = ConstStaticCell::new(Model::new());
static SPARE: ConstStaticCell<Model> = ConstStaticCell::new(Model::new());
static LEARNER: ConstStaticCell<FanLearner> = ConstStaticCell::new(FanLearner::new());
static STREAM: ConstStaticCell<FanStream> = ConstStaticCell::new(FanStream::new());

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let mut log = Log::new(p.UART0, p.PIN_0);
    let mut led = Output::new(p.PIN_25, Level::Low);
    let button = Input::new(p.PIN_14, Pull::Up);
    let flash = BlockingAsync::new(Flash::new_blocking(p.FLASH));
    let Ok(mut storage) = Storage::new(flash, MODELS) else { panic!("pages") };

    let model = MODEL.take();
    let stored = if button.is_low() { Ok(None) } else { storage.load(model).await };
    let mut teacher = match stored {
        Ok(Some(generation)) => {
            let _ = writeln!(log, "model {generation} loaded");
            None
        }
        other => {
            let _ = writeln!(log, "learning: {other:?}");
            Some(Teacher::new(LEARNER.take(), SPARE.take()))
        }
    };
    let Ok(mut sentry) = Sentry::new(model, STREAM.take()) else { panic!("alarm") };
    let Ok(()) = sampling::start(p.ADC, p.PIN_26, p.PIN_27) else { panic!("started twice") };

    let mut samples = 0_u32;
    loop {
        // A step of learning at a time, and samples come first.
        let busy = teacher.as_ref().is_some_and(Teacher::is_learning);
        let event = if busy { EVENTS.try_receive().ok() } else { Some(EVENTS.receive().await) };
        let window = match event {
            Some(Event::Sample(sample)) => {
                samples += 1;
                sentry.on_sample(&sample)
            }
            Some(Event::Gap) => {
                sentry.gap();
                Ok(None)
            }
            None => Ok(None),
        };
        match window {
            Ok(None) => {}
            Ok(Some(window)) => {
                led.set_level(sentry.alarm().is_active().into());
                if window.changed {
                    let missed = MISSED.load(Ordering::Relaxed);
                    let _ = writeln!(log, "{window}\n{samples} samples, {missed} missed");
                }
                if let Some(teacher) = &mut teacher
                    && let Err(error) = teacher.on_window(&window)
                {
                    let _ = writeln!(log, "{error}");
                }
            }
            Err(error) => {
                let _ = writeln!(log, "{error}");
            }
        }
        if event.is_some() {
            continue;
        }
        match teacher.as_mut().map(Teacher::step) {
            None | Some(Ok(None)) => {}
            Some(Err(error)) => {
                let _ = writeln!(log, "{error}");
            }
            Some(Ok(Some(model))) => {
                // Both are told apart from here on: one is at work, the other no longer needed.
                let saved = storage.save(model).await;
                let _ = writeln!(log, "learned from {samples} samples, saved: {saved:?}");
                sentry.set_model(model);
                teacher = None;
            }
        }
    }
}
