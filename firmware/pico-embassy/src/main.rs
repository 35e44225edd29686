#![no_std]
#![no_main]
use embassy_rp as _;
#[cortex_m_rt::entry]
fn main() -> ! { loop {} }
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! { loop {} }
