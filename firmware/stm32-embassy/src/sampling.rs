//! The converter, and the interrupt in which it is read.

use embassy_executor::{InterruptExecutor, SpawnError};
use embassy_stm32::adc::{Adc, SampleTime};
use embassy_stm32::interrupt::{InterruptExt, Priority};
use embassy_stm32::peripherals::{ADC1, PC0, PC1};
use embassy_stm32::{Peri, interrupt};

static EXECUTOR: InterruptExecutor = InterruptExecutor::new();

// An interrupt of a peripheral that is not used.
#[interrupt]
unsafe fn UART5() {
    // SAFETY: this is the interrupt that the executor was started with.
    unsafe { EXECUTOR.on_interrupt() }
}

/// Begins to sample: `ax` on A5 (PC0), `ay` on A4 (PC1).
///
/// # Errors
/// If it has begun before.
pub fn start(
    adc: Peri<'static, ADC1>,
    ax: Peri<'static, PC0>,
    ay: Peri<'static, PC1>,
) -> Result<(), SpawnError> {
    interrupt::UART5.set_priority(Priority::P6);
    EXECUTOR.start(interrupt::UART5).spawn(sample(Adc::new(adc), ax, ay)?);
    Ok(())
}

#[embassy_executor::task]
async fn sample(
    mut adc: Adc<'static, ADC1>,
    mut ax: Peri<'static, PC0>,
    mut ay: Peri<'static, PC1>,
) {
    // A conversion takes a few microseconds: not worth an interrupt.
    const TIME: SampleTime = SampleTime::CYCLES47_5;
    fan_embassy::sample(async || {
        let (ax, ay) = (adc.blocking_read(&mut ax, TIME), adc.blocking_read(&mut ay, TIME));
        Some([ax as i16, ay as i16])
    })
    .await
}
