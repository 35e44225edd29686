//! Files that are read whole, as long as they are not too large for that.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, ensure};

/// Bytes of a file of JSON. A model of 2,000 landmarks with 1,000 inputs has about 50 million.
pub(crate) const MOST_JSON: u64 = 256 << 20;
/// Bytes of a file with numbers of rows.
pub(crate) const MOST_ROW_NUMBERS: u64 = 64 << 20;

/// The text of a file of at most `most` bytes. A larger one is refused unread; so is a pipe or a
/// device once it has brought more.
pub(crate) fn read_text(path: &Path, most: u64) -> Result<String> {
    let name = || path.display().to_string();
    let file = File::open(path).with_context(name)?;
    let large = || format!("{}: larger than {} MiB, the most that is read", name(), most >> 20);
    ensure!(file.metadata().map_or(0, |found| found.len()) <= most, large());
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).with_context(name)?;
    ensure!(bytes.len() as u64 <= most, large());
    String::from_utf8(bytes).with_context(|| format!("{}: not UTF-8 text", name()))
}
