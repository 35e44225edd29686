//! Recordings as lines of text, in the format that `mercer fit` reads.

use core::fmt::{self, Write};

use crate::Sample;

/// The first line.
pub const HEADER: &str = "ax,ay";
/// Two numbers of at most six characters, and what stands between and after them.
pub const LONGEST_LINE: usize = 14;

/// Writes a sample as a line.
///
/// # Errors
/// Those of `out`.
pub fn line(sample: &Sample, out: &mut impl Write) -> fmt::Result {
    let [ax, ay] = sample;
    writeln!(out, "{ax},{ay}")
}

/// Reads a line, the header not among them.
pub fn sample(line: &str) -> Option<Sample> {
    let (ax, ay) = line.trim_end().split_once(',')?;
    Some([ax.parse().ok()?, ay.parse().ok()?])
}
