//! Cells without a number, garbled lines, and what becomes of their rows.

use clap::ValueEnum;

use crate::text::{count, note};

/// `--missing`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Missing {
    /// The first such cell ends it.
    #[default]
    Error,
    /// Their rows are left out, and counted on standard error.
    Skip,
    /// They are filled: by what the other cells of the row say to a model, in `fit` and `tune` by
    /// the median of the column; a row that has none is left out.
    Impute,
}

/// What becomes of rows that are not all numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Care {
    pub(crate) missing: Missing,
    /// Lines that are garbled are left out too, rather than an error.
    pub(crate) is_tolerant: bool,
}

impl Care {
    /// For readings: an error, unless somebody says otherwise or nobody could mend the line.
    pub(crate) fn of_rows(asked: Option<Missing>, is_stream: bool) -> Self {
        let usual = if is_stream { Missing::Skip } else { Missing::Error };
        let missing = asked.unwrap_or(usual);
        Self { missing, is_tolerant: missing != Missing::Error }
    }

    /// For raw samples: a cell without a number is a gap, unless somebody says otherwise.
    pub(crate) fn of_samples(asked: Option<Missing>, is_stream: bool) -> Self {
        let missing = asked.unwrap_or(Missing::Skip);
        let is_tolerant = missing != Missing::Error && (is_stream || asked.is_some());
        Self { missing, is_tolerant }
    }
}

/// Does a cell say that there is no number? Numbers that are not finite do, too.
pub(crate) fn says_nothing(cell: &str) -> bool {
    const WORDS: [&str; 7] = ["", "na", "n/a", "#n/a", "null", "none", "-"];
    WORDS.iter().any(|word| cell.eq_ignore_ascii_case(word))
        // A number that is too large for any type is no such word.
        || !cell.contains(|c: char| c.is_ascii_digit())
            && cell.parse::<f64>().is_ok_and(|value| !value.is_finite())
}

/// Lines that were left out because they are garbled.
#[derive(Debug, Default)]
pub(crate) struct Garbled {
    pub(crate) lines: usize,
    first: Vec<String>,
    /// Somebody waits for the rows: the first is named at once.
    pub(crate) is_stream: bool,
}

/// Garbled lines that are named one by one.
const MOST_NAMED: usize = 3;

impl Garbled {
    pub(crate) fn add(&mut self, why: &anyhow::Error) {
        self.lines += 1;
        if self.first.len() < MOST_NAMED {
            self.first.push(why.to_string());
        }
        if self.is_stream && self.lines == 1 {
            note(&format!("{why}: left out, as all such lines are"));
        }
    }

    /// What is wrong with the first of them.
    pub(crate) fn first(&self) -> Option<&str> {
        self.first.first().map(String::as_str)
    }

    pub(crate) fn in_words(&self) -> Option<String> {
        let more = if self.lines > self.first.len() { ", …" } else { "" };
        let lines = count(self.lines, "garbled line");
        (self.lines > 0).then(|| format!("{lines} left out: {}{more}", self.first.join(", ")))
    }
}
