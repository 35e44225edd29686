//! Where rows stand from left to right.

use std::ops::Range;

use super::figure::tick;

/// A place for each row, never to the left of the row before.
pub(super) struct Axis {
    /// What it counts.
    pub(super) name: String,
    positions: Vec<f64>,
    /// What to call each row, when its position is only its rank.
    texts: Option<Vec<String>>,
}

/// Longer texts do not fit beside each other.
const LONGEST_TICK: usize = 11;

impl Axis {
    /// True to scale when the texts are numbers that do not decrease; else one row after the other, each with its text.
    pub(super) fn new(name: &str, texts: Vec<String>) -> Self {
        let numbers: Option<Vec<f64>> =
            texts.iter().map(|text| text.parse().ok().filter(|x: &f64| x.is_finite())).collect();
        let name = name.to_string();
        match numbers {
            Some(positions) if positions.is_sorted() => Self { name, positions, texts: None },
            _ => {
                let positions = (0..texts.len()).map(|row| row as f64).collect();
                Self { name, positions, texts: Some(texts) }
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

    /// What stands below a position.
    pub(super) fn tick(&self, position: f64) -> String {
        let Some(texts) = &self.texts else { return tick(position) };
        let row = position.round();
        if (row - position).abs() > 1e-6 || row < 0.0 {
            return String::new();
        }
        let text = texts.get(row as usize).map_or("", String::as_str);
        super::figure::shorten(text, LONGEST_TICK)
    }
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
    fn one_row_has_room() {
        assert_eq!(axis(&["7"]).range(), 6.5..7.5);
        assert_eq!(axis(&["7", "7"]).bins(3), [0..0, 0..2, 2..2]);
    }
}
