//! Where rows stand from left to right.

use std::ops::Range;

use super::figure::tick;
use crate::escape;
use crate::text::{excerpt, shorten};

/// A place for each row, never to the left of the row before.
pub(super) struct Axis {
    /// The column that it shows.
    pub(super) column: String,
    /// The same, with what all its texts have in common.
    pub(super) name: String,
    positions: Vec<f64>,
    /// What to call each row, when its position is only its rank.
    texts: Option<Vec<String>>,
}

/// Longer texts do not fit beside each other.
const LONGEST_TICK: usize = 11;

impl Axis {
    /// True to scale when the texts are numbers that do not decrease; else one row after the other, each with its text.
    pub(super) fn new(column: &str, texts: Vec<String>) -> Self {
        let numbers: Option<Vec<f64>> =
            texts.iter().map(|text| text.parse().ok().filter(|x: &f64| x.is_finite())).collect();
        let column = column.to_string();
        match numbers {
            Some(positions) if positions.is_sorted() => {
                Self { name: column.clone(), column, positions, texts: None }
            }
            _ => {
                let common = common_start(&texts);
                let name = match common {
                    "" => column.clone(),
                    common => format!("{column}, {}…", excerpt(common)),
                };
                let ends = texts.iter().map(|text| text[common.len()..].to_string());
                let positions = (0..texts.len()).map(|row| row as f64).collect();
                Self { column, name, positions, texts: Some(ends.collect()) }
            }
        }
    }

    /// Row by row.
    pub(super) fn positions(&self) -> &[f64] {
        &self.positions
    }

    /// From the first row to the last; never empty.
    pub(super) fn range(&self) -> Range<f64> {
        let first = self.positions.first().copied().unwrap_or_default();
        let last = self.positions.last().copied().unwrap_or_default();
        if last > first { first..last } else { first - 0.5..first + 0.5 }
    }

    /// Cuts the range into so many equal parts; returns the rows in each, which may be none.
    pub(super) fn bins(&self, count: usize) -> Vec<Range<usize>> {
        let Range { start, end } = self.range();
        let bin = |position: f64| {
            (((position - start) / (end - start) * count as f64) as usize).min(count - 1)
        };
        let mut bins = Vec::with_capacity(count);
        let mut row = 0;
        for k in 0..count {
            let first = row;
            while self.positions.get(row).is_some_and(|&position| bin(position) <= k) {
                row += 1;
            }
            bins.push(first..row);
        }
        bins
    }

    /// How many ticks have room on so many pixels.
    pub(super) fn ticks(&self, pixels: u32) -> usize {
        let width = if self.texts.is_some() { 110 } else { 60 };
        (pixels / width).max(2) as usize
    }

    /// What stands below a position.
    pub(super) fn tick(&self, position: f64) -> String {
        let Some(texts) = &self.texts else {
            return tick(position, self.range().end - self.range().start);
        };
        let row = position.round();
        if (row - position).abs() > 1e-6 || row < 0.0 {
            return String::new();
        }
        let text = texts.get(row as usize).map_or("", String::as_str);
        shorten(&escape::line(text), LONGEST_TICK)
    }
}

/// What all texts start with, up to the end of a word: the date of hours, say.
fn common_start(texts: &[String]) -> &str {
    let Some(first) = texts.first() else { return "" };
    let common = texts.iter().fold(first.as_str(), |common, text| {
        let equal = common.chars().zip(text.chars()).take_while(|(a, b)| a == b);
        &common[..equal.map(|(a, _)| a.len_utf8()).sum()]
    });
    let end = common.char_indices().rev().find(|(_, c)| !c.is_alphanumeric());
    end.map_or("", |(at, c)| &common[..at + c.len_utf8()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(texts: &[&str]) -> Axis {
        Axis::new("t", texts.iter().map(|text| text.to_string()).collect())
    }

    #[test]
    fn numbers_in_order_are_to_scale() {
        let axis = axis(&["0", "1", "2", "10"]);
        assert_eq!(axis.range(), 0.0..10.0);
        assert_eq!(axis.bins(5), [0..2, 2..3, 3..3, 3..3, 3..4]);
        assert_eq!(axis.tick(2.5), "2.5");
    }

    #[test]
    fn as_many_bins_as_even_rows_hold_one_each() {
        for rows in [1, 2, 7, 96] {
            let texts = (0..rows).map(|row| row.to_string()).collect();
            let bins = Axis::new("row", texts).bins(rows);
            assert_eq!(bins, (0..rows).map(|row| row..row + 1).collect::<Vec<_>>());
        }
    }

    #[test]
    fn other_texts_stand_side_by_side() {
        for texts in [["3", "2", "4"], ["mon", "tue", "wed"], ["1", "", "2"], ["0", "NaN", "inf"]] {
            let axis = axis(&texts);
            assert_eq!(axis.positions(), [0.0, 1.0, 2.0]);
            assert_eq!([axis.tick(0.0), axis.tick(1.0)], [texts[0], texts[1]]);
            assert_eq!([axis.tick(0.5), axis.tick(3.0), axis.tick(-1.0)], ["", "", ""]);
        }
    }

    #[test]
    fn what_all_texts_share_is_in_the_name() {
        let axis = axis(&["2024-01-09 23:00", "2024-01-10 00:00", "2024-01-10 01:00"]);
        assert_eq!(axis.name, "t, 2024-01-…");
        assert_eq!([axis.tick(0.0), axis.tick(2.0)], ["09 23:00", "10 01:00"]);
        assert_eq!(common_start(&["größe".into(), "gräser".into()]), "");
        assert_eq!(common_start(&["ü→a".into(), "ü→b".into()]), "ü→");
    }

    #[test]
    fn one_row_has_room() {
        assert_eq!(axis(&["7"]).range(), 6.5..7.5);
        assert_eq!(axis(&["7", "7"]).bins(3), [0..0, 0..2, 2..2]);
    }
}
