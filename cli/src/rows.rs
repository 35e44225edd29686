//! Which rows of a file are taken, as options.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, ensure};
use clap::Args;

use crate::bounded::{MOST_ROW_NUMBERS, read_text};
use crate::missing::Missing;
use crate::text::excerpt;

/// Which rows are taken. They are counted from 0, the header not among them.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct RowChoice {
    /// Only rows with this cell; repeat it for another column (both must hold) or another value
    /// (either may)
    #[arg(long = "where", value_name = "COLUMN=VALUE", value_parser = condition)]
    pub conditions: Vec<String>,
    /// Only these rows, counted from 0, such as 0-399,500- (from 500 to the end); or those whose
    /// numbers are in this file, separated by white space or commas. `fit` takes them
    /// in that order. No window of raw samples spans a row that is left out, by this or otherwise
    #[arg(long, value_name = "LIST|FILE", value_parser = row_list)]
    pub rows: Option<RowList>,
    /// Not these rows
    #[arg(long, value_name = "LIST|FILE", value_parser = row_list)]
    pub skip_rows: Option<RowList>,
    /// Of the rows that are left, only each K-th; of raw samples, each K-th window
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub every: u64,
    /// What becomes of rows with cells that are empty, n/a, NaN or the like. After one that is
    /// skipped, a new window of raw samples begins, as on a device. `skip` and `impute` also
    /// leave out, and name, lines that are garbled [default: error; skip for standard input and
    /// raw samples]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub missing: Option<Missing>,
    /// Only the rows of one machine, which follow each other as if there were no others.
    #[arg(skip)]
    pub each: Option<Each>,
}

/// The rows of one machine.
#[derive(Clone, Debug)]
pub(crate) struct Each {
    pub(crate) column: String,
    /// What stands in the column.
    pub(crate) value: String,
}

impl RowChoice {
    /// The same for raw samples, of which a window has all: `every` is of windows then.
    pub(crate) fn of_samples(&self) -> Self {
        Self { every: 1, ..self.clone() }
    }

    /// The files that rows are chosen by.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        [&self.rows, &self.skip_rows].into_iter().flatten().filter_map(|list| match list {
            RowList::File(path) => Some(path.as_path()),
            RowList::Numbers(_) => None,
        })
    }
}

fn condition(text: &str) -> Result<String, String> {
    match text.contains('=') {
        true => Ok(text.into()),
        false => Err("has the form COLUMN=VALUE".into()),
    }
}

/// `--rows`.
#[derive(Clone, Debug)]
pub(crate) enum RowList {
    /// As they were written.
    Numbers(String),
    File(PathBuf),
}

/// What has nothing but numbers, commas and dashes is no name of a file (`./7` is).
fn row_list(text: &str) -> Result<RowList, String> {
    let is_list = text.chars().all(|c| c.is_ascii_digit() || "-, ".contains(c));
    if !is_list || !text.contains(|c: char| c.is_ascii_digit()) {
        return Ok(RowList::File(text.into()));
    }
    RowSet::new([(String::new(), text)]).map_err(|error| error.to_string())?;
    Ok(RowList::Numbers(text.into()))
}

impl RowList {
    /// As an option has it.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Numbers(text) => text.clone(),
            Self::File(path) => path.to_string_lossy().into(),
        }
    }

    pub(crate) fn read(&self) -> Result<RowSet> {
        let path = match self {
            Self::Numbers(text) => return RowSet::new([(String::new(), text.as_str())]),
            Self::File(path) => path,
        };
        let text = read_text(path, MOST_ROW_NUMBERS)?;
        let name = path.display();
        let place = |line: usize| format!("{name}:{}: ", line + 1);
        let set = RowSet::new(text.lines().enumerate().map(|(line, text)| (place(line), text)))?;
        ensure!(!set.ranges.is_empty(), "{name}: no row numbers");
        Ok(set)
    }
}

/// Rows from the first to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    first: u64,
    /// None: to the end.
    last: Option<u64>,
    /// Where it stands in the list.
    position: usize,
}

/// Numbers of rows, and their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowSet {
    /// By their first rows; none overlaps another.
    ranges: Vec<Range>,
}

impl RowSet {
    /// Of texts, each with what to say in front of what is wrong with it.
    fn new<'a>(texts: impl IntoIterator<Item = (String, &'a str)>) -> Result<Self> {
        let mut ranges: Vec<(Range, String)> = Vec::new();
        for (place, text) in texts {
            let words = text.split(|c: char| c.is_whitespace() || c == ',');
            for word in words.filter(|word| !word.is_empty()) {
                let range = range(word, ranges.len());
                let wrong = || anyhow!("{place}{:?} is not a row number", excerpt(word));
                ranges.push((range.ok_or_else(wrong)?, place.clone()));
            }
        }
        ranges.sort_by_key(|(range, _)| range.first);
        for pair in ranges.windows(2) {
            let ((before, _), (next, place)) = (&pair[0], &pair[1]);
            let is_apart = before.last.is_some_and(|last| last < next.first);
            ensure!(is_apart, "{place}row {} again", next.first);
        }
        Ok(Self { ranges: ranges.into_iter().map(|(range, _)| range).collect() })
    }

    /// Where a row stands among them, if it does.
    pub(crate) fn position(&self, row: u64) -> Option<(usize, u64)> {
        let after = self.ranges.partition_point(|range| range.first <= row);
        let range = self.ranges.get(after.checked_sub(1)?)?;
        range.last.is_none_or(|last| row <= last).then_some((range.position, row))
    }

    /// The first of them that a file of so many rows does not have.
    pub(crate) fn beyond(&self, rows: u64) -> Option<u64> {
        let beyond = |range: &Range| match range.last {
            Some(last) => (last >= rows).then_some(range.first.max(rows)),
            None => (range.first >= rows).then_some(range.first),
        };
        self.ranges.iter().find_map(beyond)
    }
}

/// `7`, `7-9` or `7-`.
fn range(word: &str, position: usize) -> Option<Range> {
    let (first, last) = match word.split_once('-') {
        None => (word.parse().ok()?, Some(word.parse().ok()?)),
        Some((first, "")) => (first.parse().ok()?, None),
        Some((first, last)) => (first.parse().ok()?, Some(last.parse().ok()?)),
    };
    last.is_none_or(|last| first <= last).then_some(Range { first, last, position })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Vec<u64>, String> {
        let set = RowSet::new([(String::new(), text)]).map_err(|error| error.to_string())?;
        let mut rows: Vec<u64> = (0..12).filter(|&row| set.position(row).is_some()).collect();
        rows.sort_by_key(|&row| set.position(row));
        Ok(rows)
    }

    #[test]
    fn lists_of_rows_are_understood() {
        assert_eq!(of("3"), Ok(vec![3]));
        assert_eq!(of("0-2,9-"), Ok(vec![0, 1, 2, 9, 10, 11]));
        assert_eq!(of("10-,0-1"), Ok(vec![10, 11, 0, 1]), "in this order");
        assert_eq!(of(" 5, 4-4\t2"), Ok(vec![5, 4, 2]));
        for (bad, why) in [
            ("3-1", "\"3-1\" is not a row number"),
            ("1-2-3", "not a row number"),
            ("-4", "not a row number"),
            ("1,0-5", "row 1 again"),
            ("5-,9", "row 9 again"),
            ("99999999999999999999", "not a row number"),
        ] {
            let error = of(bad).unwrap_err();
            assert!(error.contains(why), "{bad}: {error}");
        }
    }

    #[test]
    fn rows_that_are_not_there_are_noticed() {
        let beyond = |text: &str| RowSet::new([(String::new(), text)]).unwrap().beyond(10);
        assert_eq!([beyond("0-9"), beyond("0-"), beyond("9-")], [None; 3]);
        assert_eq!([beyond("0-12"), beyond("10-"), beyond("3,77")], [Some(10), Some(10), Some(77)]);
    }

    #[test]
    fn names_of_files_are_told_from_numbers() {
        let is_file = |text: &str| matches!(row_list(text), Ok(RowList::File(_)));
        assert!(is_file("rows.txt") && is_file("./7") && is_file("2024-01-01.txt") && is_file("-"));
        assert!(!is_file("7") && !is_file("0-399,500-"));
        assert!(row_list("9-3").is_err());
    }
}
