//! Lines of text on P0.06, where the debugger of the kit listens, at 921600 baud.

use core::fmt;

use embassy_nrf::peripherals::{P0_06, UARTE0};
use embassy_nrf::uarte::{self, Baudrate, UarteTx};
use embassy_nrf::{Peri, bind_interrupts};

bind_interrupts!(struct Irqs {
    UARTE0 => uarte::InterruptHandler<UARTE0>;
});

/// The sending half of UARTE0.
pub struct Log(UarteTx<'static>);

impl Log {
    /// Sends on P0.06.
    pub fn new(uart: Peri<'static, UARTE0>, tx: Peri<'static, P0_06>) -> Self {
        let mut config = uarte::Config::default();
        config.baudrate = Baudrate::Baud921600;
        Self(UarteTx::new(uart, Irqs, tx, config))
    }
}

impl fmt::Write for Log {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.blocking_write(text.as_bytes()).map_err(|_| fmt::Error)
    }
}
