//! Watches a fan with a Raspberry Pi Pico.
//!
//! At the first boot, or with the button held at any boot, it learns what is normal and stores that
//! in flash; after that it only watches. The LED is the alarm, and the UART has the details.
#![no_std]
#![no_main]

use core::ops::Range;

use embassy_embedded_hal::adapter::BlockingAsync;
use embassy_executor::Spawner;
use embassy_rp::flash::{Blocking, ERASE_SIZE, Flash};
use embassy_rp::gpio::{Input, Level, Output, Pull};
use embassy_rp::peripherals::FLASH;
use fan::Memory;
use panic_halt as _;
use pico_embassy::sampling;
use pico_embassy::uart::Log;

const FLASH_SIZE: usize = 2 * 1024 * 1024;
type Storage = Memory<BlockingAsync<Flash<'static, FLASH, Blocking, FLASH_SIZE>>>;
/// The last pages, which memory.x leaves out.
const MODELS: Range<u32> = (FLASH_SIZE - Storage::PAGES * ERASE_SIZE) as u32..FLASH_SIZE as u32;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let mut log = Log::new(p.UART0, p.PIN_0);
    let mut led = Output::new(p.PIN_25, Level::Low);
    let button = Input::new(p.PIN_14, Pull::Up);
    let flash = BlockingAsync::new(Flash::new_blocking(p.FLASH));
    let Ok(storage) = Storage::new(flash, MODELS) else { panic!("whole pages") };
    let Ok(()) = sampling::start(p.ADC, p.PIN_26, p.PIN_27) else { panic!("started twice") };
    let show = |alarm: bool| led.set_level(alarm.into());
    fan_embassy::watch(storage, button.is_low(), &mut log, show).await
}
