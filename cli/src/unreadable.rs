//! Lines that are no rows of a CSV: where, and why.

use std::io::Read;

use anyhow::anyhow;
use csv::ErrorKind;

use crate::lines::{Lines, LongRow};
use crate::text::excerpt;

/// The line that a position of the parser is on.
pub(crate) fn line_of(
    lines: &Lines<Box<dyn Read + Send>>,
    position: Option<&csv::Position>,
) -> u64 {
    lines.line_from(position.map_or(0, csv::Position::byte))
}

/// What the parser says, in our words.
pub(crate) fn csv_error(
    name: &str,
    lines: &Lines<Box<dyn Read + Send>>,
    header: &[String],
    error: csv::Error,
) -> anyhow::Error {
    let line = line_of(lines, error.position());
    match error.kind() {
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            let (expected, found) = (*expected_len, *len);
            let column = expected.min(found) + 1;
            let missing = header.get(found as usize);
            let missing =
                missing.map_or(String::new(), |name| format!(", {} is missing", excerpt(name)));
            anyhow!("{name}:{line}:{column}: {found} cells instead of {expected}{missing}")
        }
        ErrorKind::Utf8 { err, .. } => {
            anyhow!("{name}:{line}:{}: a cell that is not UTF-8 text", err.field() + 1)
        }
        ErrorKind::Io(cause) => match cause.get_ref().and_then(|cause| cause.downcast_ref()) {
            Some(long @ LongRow { line }) => anyhow!("{name}:{line}: {long}"),
            None => anyhow::Error::from(error).context(name.to_string()),
        },
        _ => anyhow!("{name}:{line}: {error}"),
    }
}
