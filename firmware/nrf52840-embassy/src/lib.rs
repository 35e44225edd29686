//! The board: what is on which pin, and how samples leave it.
#![no_std]

pub mod sampling;
pub mod uart;
