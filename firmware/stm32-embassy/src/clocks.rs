//! 80 MHz from the internal oscillator, and a clock for the converter.

use embassy_stm32::Config;
use embassy_stm32::rcc::mux::Adcsel;
use embassy_stm32::rcc::{Pll, PllMul, PllPreDiv, PllRDiv, PllSource, Sysclk};

/// How the chip is set up.
pub fn config() -> Config {
    let mut config = Config::default();
    config.rcc.hsi = true;
    config.rcc.pll = Some(Pll {
        source: PllSource::HSI,
        prediv: PllPreDiv::DIV1,
        mul: PllMul::MUL10,
        divp: None,
        divq: None,
        divr: Some(PllRDiv::DIV2),
    });
    config.rcc.sys = Sysclk::PLL1_R;
    config.rcc.mux.adcsel = Adcsel::SYS;
    config
}
