//! Lines of text on PA2, where the debugger of the board listens, at 921600 baud.

use core::fmt;

use embassy_stm32::Peri;
use embassy_stm32::mode::Blocking;
use embassy_stm32::peripherals::{PA2, USART2};
use embassy_stm32::usart::{Config, ConfigError, UartTx};

/// The sending half of USART2.
pub struct Log(UartTx<'static, Blocking>);

impl Log {
    /// Sends on PA2.
    ///
    /// # Errors
    /// If the clock does not suit the speed.
    pub fn new(uart: Peri<'static, USART2>, tx: Peri<'static, PA2>) -> Result<Self, ConfigError> {
        let mut config = Config::default();
        config.baudrate = 921_600;
        Ok(Self(UartTx::new_blocking(uart, tx, config)?))
    }
}

impl fmt::Write for Log {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.blocking_write(text.as_bytes()).map_err(|_| fmt::Error)
    }
}
