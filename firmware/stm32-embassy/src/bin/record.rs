//! Records: sends every sample as a line of CSV, in the format that `mercer fit` reads.
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use panic_halt as _;
use stm32_embassy::uart::Log;
use stm32_embassy::{clocks, sampling};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(clocks::config());
    let Ok(mut log) = Log::new(p.USART2, p.PA2) else { panic!("a usual speed") };
    let Ok(()) = sampling::start(p.ADC1, p.PC0, p.PC1) else { panic!("started twice") };
    fan_embassy::record(&mut log).await
}
