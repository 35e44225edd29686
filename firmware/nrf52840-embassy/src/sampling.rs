//! The converter, and the interrupt in which it is read.

use embassy_executor::{InterruptExecutor, SpawnError};
use embassy_nrf::interrupt::{InterruptExt, Priority};
use embassy_nrf::peripherals::{P0_02, P0_03, SAADC};
use embassy_nrf::saadc::{self, ChannelConfig, Saadc};
use embassy_nrf::{Peri, bind_interrupts, interrupt};

bind_interrupts!(struct Irqs {
    SAADC => saadc::InterruptHandler;
});

static EXECUTOR: InterruptExecutor = InterruptExecutor::new();

#[interrupt]
unsafe fn EGU1_SWI1() {
    // SAFETY: this is the interrupt that the executor was started with.
    unsafe { EXECUTOR.on_interrupt() }
}

/// Begins to sample: `ax` on P0.02, `ay` on P0.03.
///
/// # Errors
/// If it has begun before.
pub fn start(
    adc: Peri<'static, SAADC>,
    ax: Peri<'static, P0_02>,
    ay: Peri<'static, P0_03>,
) -> Result<(), SpawnError> {
    let axes = [ChannelConfig::single_ended(ax), ChannelConfig::single_ended(ay)];
    let adc = Saadc::new(adc, Irqs, saadc::Config::default(), axes);
    interrupt::EGU1_SWI1.set_priority(Priority::P6);
    EXECUTOR.start(interrupt::EGU1_SWI1).spawn(sample(adc)?);
    Ok(())
}

#[embassy_executor::task]
async fn sample(mut adc: Saadc<'static, 2>) {
    // Both axes at once, by DMA.
    fan_embassy::sample(async || {
        let mut values = [0; 2];
        adc.sample(&mut values).await;
        Some(values)
    })
    .await
}
