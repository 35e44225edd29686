//! The host command `mercer`: from a CSV on the desk to a model in flash.
//!
//! All mathematics is the library's, on memory whose sizes come from the file; what is here reads, writes and shows.
//! `mercer --help` lists the commands.

// In the order in which data flow.
mod number;
mod grid;
mod lines;
pub mod table;
mod kernel;
mod memory;
pub mod learn;
pub mod model;
pub mod file;
mod label;
mod quality;
mod search;
mod progress;
mod text;
pub mod export;
mod report;
mod motions;
pub mod command;

pub use kernel::KernelSpec;
pub use number::{Number, Precision};
