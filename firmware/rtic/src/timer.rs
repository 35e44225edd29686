//! The timer that says when to sample, and a clock to measure it with.
//!
//! The crate of this chip knows its interrupts and not its registers, hence the only `unsafe` lines
//! of this project. With a chip that has a hardware abstraction layer there are none.

use core::ptr::with_exposed_provenance_mut;

use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;

/// Counts of both clocks a second: of the oscillator that the chip starts with.
pub const CLOCK: u32 = 12_500_000;
/// Counts from sample to sample.
pub const PERIOD: u32 = CLOCK / fan::RATE;

const RCGC1: usize = 0x400f_e104;
const TIMER0: usize = 0x4003_0000;
const CONFIG: usize = TIMER0;
const MODE: usize = TIMER0 + 0x04;
const CONTROL: usize = TIMER0 + 0x0c;
const MASK: usize = TIMER0 + 0x18;
const CLEAR: usize = TIMER0 + 0x24;
const LOAD: usize = TIMER0 + 0x28;

fn write(register: usize, value: u32) {
    // SAFETY: a register of timer 0, or its clock gate, which nothing else in this project touches.
    unsafe { with_exposed_provenance_mut::<u32>(register).write_volatile(value) };
}

/// Raises `TIMER_0A` a thousand times a second.
pub fn start() {
    write(RCGC1, 1 << 16);
    write(CONTROL, 0);
    write(CONFIG, 0);
    write(MODE, 2);
    write(LOAD, PERIOD - 1);
    write(MASK, 1);
    write(CONTROL, 1);
}

/// The interrupt has been seen.
pub fn acknowledge() {
    write(CLEAR, 1);
}

/// A clock beside the timer: counts down, and round once in 1.3 s.
pub fn start_clock(mut clock: SYST) {
    clock.set_clock_source(SystClkSource::Core);
    clock.set_reload(MASK_24);
    clock.clear_current();
    clock.enable_counter();
}

const MASK_24: u32 = 0x00ff_ffff;

/// The counts since an earlier [`now`].
pub fn since(earlier: u32) -> u32 {
    earlier.wrapping_sub(now()) & MASK_24
}

/// What the clock shows.
pub fn now() -> u32 {
    SYST::get_current()
}
