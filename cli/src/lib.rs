//! The host command `mercer`: from a CSV on the desk to a model in flash.
//!
//! All mathematics is the library's, on memory whose sizes come from the file; what is here reads,
//! writes and shows. `mercer --help` lists the commands.

// In the order in which data flow.
mod escape;
mod hanging;
mod speech;
mod text;
mod number;
mod grid;
mod spread;
mod bounded;
mod lines;
mod names;
mod decimals;
mod missing;
mod rows;
mod port;
mod source;
mod survey;
mod unreadable;
mod table;
mod kernel;
mod logs;
mod memory;
mod cores;
mod queue;
mod crossfit;
mod samples;
mod saturation;
mod front;
mod windows;
mod fronts;
mod label;
mod intake;
mod loaded;
mod choices;
mod training;
mod per_day;
mod learn;
mod model;
mod unfinished;
mod whole;
mod file;
mod watch;
mod live;
mod quality;
mod search;
mod sklearn;
mod progress;
mod export;
mod report;
mod motions;
pub mod command;

use kernel::KernelSpec;
use number::{Number, Precision};
