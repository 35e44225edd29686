//! What firmware that counts instructions is made of: the tasks, for any shape, and the measuring.
//!
//! `cargo xtask bench` compiles this library once for a core and a level. A firmware is then a
//! program of a few lines, which names a task in its shape with [`firmware!`]; all that is generic
//! is compiled with it, so that it holds that task and nothing of the others: a count does not
//! change when another task is added, and its size is that of the task. On the host there is
//! nothing here.
#![cfg_attr(target_os = "none", no_std)]
#![allow(missing_docs, reason = "private, but for the few lines")]

#[cfg(target_os = "none")]
#[path = "../../../examples/support/mod.rs"]
mod support;

#[cfg(target_os = "none")]
mod inputs;
#[cfg(target_os = "none")]
pub mod learning;
#[cfg(target_os = "none")]
pub mod measure;
#[cfg(target_os = "none")]
pub mod scoring;
#[cfg(target_os = "none")]
pub mod signal;
#[cfg(target_os = "none")]
pub mod task;
