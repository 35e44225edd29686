//! What the fuzz targets share. Each target is a file in `fuzz_targets`; its head says what it
//! asserts.
//!
//! A target reads its input as decisions: which kernel, which numbers, which call. So every input
//! means something, and a change of one byte is a small change of what is done.

pub mod checksum;
#[cfg(feature = "command")]
pub mod desk;
pub mod edits;
#[cfg(feature = "command")]
pub mod model_file;
pub mod number;
pub mod tokens;

/// Decisions, read from the fuzzer's bytes; once these are used up, all of them are 0.
pub use libfuzzer_sys::arbitrary::Unstructured as Decisions;

/// One of some choices.
pub fn pick<T: Copy>(decisions: &mut Decisions<'_>, choices: &[T]) -> T {
    choices[number::below(decisions, choices.len())]
}
