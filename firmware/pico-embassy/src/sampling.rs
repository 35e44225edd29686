//! Samples of both axes a thousand times a second, whatever else goes on.
//!
//! The task runs on an executor of its own, in an interrupt: scoring and learning, which take
//! longer than a millisecond on this core, cannot delay it.

use embassy_executor::{InterruptExecutor, SpawnError};
use embassy_rp::adc::{Adc, Blocking, Channel, Config};
use embassy_rp::gpio::Pull;
use embassy_rp::interrupt;
use embassy_rp::interrupt::{InterruptExt, Priority};
use embassy_rp::peripherals::{ADC, PIN_26, PIN_27};
use embassy_rp::Peri;
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::channel;
use embassy_time::{Duration, Instant, Ticker};
use fan::Sample;
use portable_atomic::{AtomicU32, Ordering};

/// What comes from the converter.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// Both axes.
    Sample(Sample),
    /// Samples are missing here: while flash is written, nothing else runs on this chip.
    Gap,
}

/// Long enough for the longest step of learning.
pub static EVENTS: channel::Channel<CriticalSectionRawMutex, Event, 256> = channel::Channel::new();
/// Samples that were due and not taken.
pub static MISSED: AtomicU32 = AtomicU32::new(0);

const PERIOD: Duration = Duration::from_hz(fan::RATE as u64);
static EXECUTOR: InterruptExecutor = InterruptExecutor::new();

#[interrupt]
unsafe fn SWI_IRQ_0() {
    // SAFETY: this is the interrupt that the executor was started with.
    unsafe { EXECUTOR.on_interrupt() }
}

/// Begins to sample: `ax` on GP26, `ay` on GP27.
///
/// # Errors
/// If it has begun before.
pub fn start(
    adc: Peri<'static, ADC>,
    ax: Peri<'static, PIN_26>,
    ay: Peri<'static, PIN_27>,
) -> Result<(), SpawnError> {
    let adc = Adc::new_blocking(adc, Config::default());
    let axes = [Channel::new_pin(ax, Pull::None), Channel::new_pin(ay, Pull::None)];
    interrupt::SWI_IRQ_0.set_priority(Priority::P2);
    EXECUTOR.start(interrupt::SWI_IRQ_0).spawn(sample(adc, axes)?);
    Ok(())
}

#[embassy_executor::task]
async fn sample(mut adc: Adc<'static, Blocking>, mut axes: [Channel<'static>; 2]) {
    let mut ticker = Ticker::every(PERIOD);
    let mut last = Instant::now();
    loop {
        ticker.next().await;
        let late = last.elapsed();
        last = Instant::now();
        if late >= 2 * PERIOD {
            miss((late.as_ticks() / PERIOD.as_ticks()) as u32 - 1);
            ticker.reset();
        }
        // A conversion takes 2 us: not worth an interrupt.
        let values = axes.each_mut().map(|axis| adc.blocking_read(axis));
        let event = match values {
            [Ok(ax), Ok(ay)] => Event::Sample([ax as i16, ay as i16]),
            _ => Event::Gap,
        };
        if EVENTS.try_send(event).is_err() {
            miss(1);
        }
    }
}

fn miss(samples: u32) {
    MISSED.fetch_add(samples, Ordering::Relaxed);
    // If there is no room for it, the next sample that has none is a gap again.
    let _ = EVENTS.try_send(Event::Gap);
}
