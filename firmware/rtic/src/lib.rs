//! What both programs need of the chip.
#![no_std]

pub mod log;
pub mod ticks;
pub mod timer;
