//! Cells without a number, and what becomes of their rows.

use clap::ValueEnum;

/// `--missing`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Missing {
    /// The first such cell ends it.
    #[default]
    Error,
    /// Their rows are left out, and counted on standard error.
    Skip,
    /// They are filled by what the other cells of the row say; a row that has none is left out.
    Impute,
}

/// Does a cell say that there is no number? Numbers that are not finite do, too.
pub(crate) fn says_nothing(cell: &str) -> bool {
    const WORDS: [&str; 5] = ["", "na", "n/a", "null", "none"];
    WORDS.iter().any(|word| cell.eq_ignore_ascii_case(word))
        // A number that is too large for any type is no such word.
        || !cell.contains(|c: char| c.is_ascii_digit())
            && cell.parse::<f64>().is_ok_and(|value| !value.is_finite())
}
