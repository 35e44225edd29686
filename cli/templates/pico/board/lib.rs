//! The board: what is on which pin, and how samples leave the converter.
#![no_std]

use core::fmt;

use embassy_executor::{InterruptExecutor, SpawnError};
use embassy_rp::Peri;
use embassy_rp::adc::{Adc, Blocking, Channel as Pin, Config};
use embassy_rp::interrupt;
use embassy_rp::interrupt::{InterruptExt, Priority};
use embassy_rp::peripherals::{ADC, PIN_0, UART0};
use embassy_rp::uart::{self, UartTx};
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::channel::Channel;
use embassy_time::{Duration, Instant, Ticker};
use watch::{RATE, Sample};

/// What the sampling task has to say.
pub enum Event {
    /// All channels.
    Sample(Sample),
    /// Samples are missing here.
    Gap,
}

/// From the sampling task to the other one; long enough for the score of a window.
pub static EVENTS: Channel<CriticalSectionRawMutex, Event, 64> = Channel::new();

static EXECUTOR: InterruptExecutor = InterruptExecutor::new();
const PERIOD: Duration = Duration::from_hz(RATE as u64);

#[interrupt]
unsafe fn SWI_IRQ_0() {
    // SAFETY: this is the interrupt that the executor was started with.
    unsafe { EXECUTOR.on_interrupt() }
}

/// Begins to sample, in an interrupt: scoring cannot delay it.
///
/// # Errors
/// If it has begun before.
pub fn start(adc: Peri<'static, ADC>, pins: [Pin<'static>; @channels@]) -> Result<(), SpawnError> {
    let adc = Adc::new_blocking(adc, Config::default());
    interrupt::SWI_IRQ_0.set_priority(Priority::P2);
    EXECUTOR.start(interrupt::SWI_IRQ_0).spawn(sample(adc, pins)?);
    Ok(())
}

#[embassy_executor::task]
async fn sample(mut adc: Adc<'static, Blocking>, mut pins: [Pin<'static>; @channels@]) {
    let (mut ticker, mut last) = (Ticker::every(PERIOD), Instant::now());
    loop {
        ticker.next().await;
        let waited = last.elapsed();
        last = Instant::now();
        if waited >= 2 * PERIOD {
            let _ = EVENTS.try_send(Event::Gap);
            ticker.reset();
        }
        // A conversion takes 2 us: not worth an interrupt.
        let values = pins.each_mut().map(|pin| adc.blocking_read(pin));
        let event = match values.iter().all(Result::is_ok) {
            true => Event::Sample(values.map(|value| value.unwrap_or_default() as i16)),
            false => Event::Gap,
        };
        if EVENTS.try_send(event).is_err() {
            // Nobody has taken the last ones: those that are there do not continue.
            EVENTS.clear();
            let _ = EVENTS.try_send(Event::Gap);
        }
    }
}

/// Lines of text on GP0, at 921600 baud: fast enough for a recording.
pub struct Log(UartTx<'static, uart::Blocking>);

impl Log {
    /// Sends on GP0.
    pub fn new(uart: Peri<'static, UART0>, tx: Peri<'static, PIN_0>) -> Self {
        let mut config = uart::Config::default();
        config.baudrate = 921_600;
        Self(UartTx::new_blocking(uart, tx, config))
    }
}

impl fmt::Write for Log {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.blocking_write(text.as_bytes()).map_err(|_| fmt::Error)
    }
}
