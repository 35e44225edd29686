//! Watches a fan with an nRF52840-DK.
//!
//! At the first boot, or with button 1 held at any boot, it learns what is normal and stores that
//! in flash; after that it only watches. LED 1 is the alarm, and the UART has the details.
#![no_std]
#![no_main]

use core::ops::Range;

use embassy_embedded_hal::adapter::BlockingAsync;
use embassy_executor::Spawner;
use embassy_nrf::gpio::{Input, Level, Output, OutputDrive, Pull};
use embassy_nrf::nvmc::{FLASH_SIZE, Nvmc, PAGE_SIZE};
use fan::Memory;
use nrf52840_embassy::sampling;
use nrf52840_embassy::uart::Log;
use panic_halt as _;

type Storage = Memory<BlockingAsync<Nvmc<'static>>>;
/// The last pages, which memory.x leaves out.
const MODELS: Range<u32> = (FLASH_SIZE - Storage::PAGES * PAGE_SIZE) as u32..FLASH_SIZE as u32;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    let mut log = Log::new(p.UARTE0, p.P0_06);
    // Lit when the pin is low.
    let mut led = Output::new(p.P0_13, Level::High, OutputDrive::Standard);
    let button = Input::new(p.P0_11, Pull::Up);
    let flash = BlockingAsync::new(Nvmc::new(p.NVMC));
    let Ok(storage) = Storage::new(flash, MODELS) else { panic!("whole pages") };
    let Ok(()) = sampling::start(p.SAADC, p.P0_02, p.P0_03) else { panic!("started twice") };
    let show = |alarm: bool| led.set_level((!alarm).into());
    fan_embassy::watch(storage, button.is_low(), &mut log, show).await
}
