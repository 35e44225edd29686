//! Numbers in cells, whatever stands in front of their decimals.

use std::cell::Cell;

use clap::ValueEnum;

use crate::Number;
use crate::text::note;

/// What stands in front of decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DecimalMark {
    /// 1.5
    Point,
    /// 1,5
    Comma,
}

/// How the cells of a file are read.
pub(crate) struct Decimals {
    /// As it was asked for, or as the first cell has it that shows it.
    mark: Cell<Option<DecimalMark>>,
    is_asked: bool,
}

/// Why a cell is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoNumber {
    Word,
    /// Its decimals are not like those of the cells before it.
    Mixed,
}

impl Decimals {
    /// Where cells are separated by commas, a comma is part of a number only if somebody says so.
    pub(crate) fn new(asked: Option<DecimalMark>, delimiter: u8) -> Self {
        let implied = (delimiter == b',').then_some(DecimalMark::Point);
        Self { mark: Cell::new(asked.or(implied)), is_asked: asked.is_some() || implied.is_some() }
    }

    /// The number in a cell; it may be infinite or NaN.
    pub(crate) fn parse<T: Number>(&self, cell: &str) -> Result<T, NoNumber> {
        let plain = |text: &str| text.parse().map_err(|_| NoNumber::Word);
        if self.is_asked && self.mark.get() == Some(DecimalMark::Point) {
            return plain(cell);
        }
        let found = match (cell.contains('.'), cell.contains(',')) {
            (false, false) => return plain(cell),
            (true, true) => return Err(NoNumber::Word),
            (true, false) => DecimalMark::Point,
            (false, true) => DecimalMark::Comma,
        };
        let number = match found {
            DecimalMark::Point => plain(cell)?,
            DecimalMark::Comma => plain(&cell.replacen(',', ".", 1))?,
        };
        match self.mark.get() {
            Some(mark) if mark == found => Ok(number),
            Some(_) => Err(NoNumber::Mixed),
            None => {
                self.mark.set(Some(found));
                if found == DecimalMark::Comma {
                    note(&format!("{cell} is read as {number:?} (--decimal point forbids it)"));
                }
                Ok(number)
            }
        }
    }

    /// Digits behind the mark; none where there is an exponent.
    pub(crate) fn digits(cell: &str) -> Option<usize> {
        let is_plain = !cell.contains(['e', 'E']);
        let behind = cell.split_once(['.', ',']).map_or(0, |(_, behind)| behind.len());
        is_plain.then_some(behind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_are_decimals_where_they_separate_no_cells() {
        let all = |asked, delimiter, cells: &[&str]| {
            let decimals = Decimals::new(asked, delimiter);
            cells.iter().map(|cell| decimals.parse::<f64>(cell)).collect::<Vec<_>>()
        };
        let (word, mixed) = (Err(NoNumber::Word), Err(NoNumber::Mixed));
        assert_eq!(
            all(None, b';', &["1", "-1,5", "2,5e3", "1.5"]),
            [Ok(1.0), Ok(-1.5), Ok(2500.0), mixed]
        );
        assert_eq!(all(None, b';', &["1.5", "1,5"]), [Ok(1.5), mixed]);
        assert_eq!(all(None, b',', &["1,5", "1.5"]), [word, Ok(1.5)]);
        assert_eq!(all(Some(DecimalMark::Comma), b',', &["1,5", "2.5"]), [Ok(1.5), mixed]);
        assert_eq!(all(Some(DecimalMark::Point), b';', &["1,5", "2.5"]), [word, Ok(2.5)]);
        // Thousands are no decimals.
        assert_eq!(all(None, b';', &["1,234,567", "1.234,5", ",", "x,y"]), [word; 4]);
    }
}
