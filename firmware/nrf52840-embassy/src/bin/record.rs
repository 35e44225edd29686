//! Records: sends every sample as a line of CSV, in the format that `mercer fit` reads.
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use nrf52840_embassy::sampling;
use nrf52840_embassy::uart::Log;
use panic_halt as _;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    let mut log = Log::new(p.UARTE0, p.P0_06);
    let Ok(()) = sampling::start(p.SAADC, p.P0_02, p.P0_03) else { panic!("started twice") };
    fan_embassy::record(&mut log).await
}
