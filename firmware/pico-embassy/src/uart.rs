//! Lines of text on GP0, at 921600 baud: fast enough for a recording.

use core::fmt;

use embassy_rp::Peri;
use embassy_rp::peripherals::{PIN_0, UART0};
use embassy_rp::uart::{Blocking, Config, UartTx};

/// The sending half of UART0.
pub struct Log(UartTx<'static, Blocking>);

impl Log {
    /// Sends on GP0.
    pub fn new(uart: Peri<'static, UART0>, tx: Peri<'static, PIN_0>) -> Self {
        let mut config = Config::default();
        config.baudrate = 921_600;
        Self(UartTx::new_blocking(uart, tx, config))
    }
}

impl fmt::Write for Log {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.blocking_write(text.as_bytes()).map_err(|_| fmt::Error)
    }
}
