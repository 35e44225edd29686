//! Records: sends every sample as a line of CSV, in the format that `mercer fit` reads.
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use panic_halt as _;
use pico_embassy::sampling;
use pico_embassy::uart::Log;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let mut log = Log::new(p.UART0, p.PIN_0);
    let Ok(()) = sampling::start(p.ADC, p.PIN_26, p.PIN_27) else { panic!("started twice") };
    fan_embassy::record(&mut log).await
}
