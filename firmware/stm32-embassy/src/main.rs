//! Watches a fan with a NUCLEO-L476RG.
//!
//! At the first boot, or with the blue button held at any boot, it learns what is normal and stores
//! that in flash; after that it only watches. The green LED is the alarm, and the UART has the
//! details.
#![no_std]
#![no_main]

use core::ops::Range;

use embassy_embedded_hal::adapter::BlockingAsync;
use embassy_executor::Spawner;
use embassy_stm32::flash::{Blocking, FLASH_SIZE, Flash, MAX_ERASE_SIZE};
use embassy_stm32::gpio::{Input, Level, Output, Pull, Speed};
use fan::Memory;
use panic_halt as _;
use stm32_embassy::uart::Log;
use stm32_embassy::{clocks, sampling};

type Storage = Memory<BlockingAsync<Flash<'static, Blocking>>>;
/// The last pages, which memory.x leaves out.
const MODELS: Range<u32> = (FLASH_SIZE - Storage::PAGES * MAX_ERASE_SIZE) as u32..FLASH_SIZE as u32;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_stm32::init(clocks::config());
    let Ok(mut log) = Log::new(p.USART2, p.PA2) else { panic!("a usual speed") };
    let mut led = Output::new(p.PA5, Level::Low, Speed::Low);
    let button = Input::new(p.PC13, Pull::None);
    let flash = BlockingAsync::new(Flash::new_blocking(p.FLASH));
    let Ok(storage) = Storage::new(flash, MODELS) else { panic!("whole pages") };
    let Ok(()) = sampling::start(p.ADC1, p.PC0, p.PC1) else { panic!("started twice") };
    let show = |alarm: bool| led.set_level(alarm.into());
    fan_embassy::watch(storage, button.is_low(), &mut log, show).await
}
