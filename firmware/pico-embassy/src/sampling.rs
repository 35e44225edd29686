//! The converter, and the interrupt in which it is read.

use embassy_executor::{InterruptExecutor, SpawnError};
use embassy_rp::Peri;
use embassy_rp::adc::{Adc, Blocking, Channel, Config};
use embassy_rp::gpio::Pull;
use embassy_rp::interrupt;
use embassy_rp::interrupt::{InterruptExt, Priority};
use embassy_rp::peripherals::{ADC, PIN_26, PIN_27};

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
    // A conversion takes 2 us: not worth an interrupt.
    let mut read = |axis: &mut Channel<'_>| adc.blocking_read(axis).ok().map(|value| value as i16);
    let [ax, ay] = &mut axes;
    fan_embassy::sample(async || Some([read(ax)?, read(ay)?])).await
}
