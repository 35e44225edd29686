//! Where rows stand from left to right.

use std::ops::Range;

use serde_json::json;

use super::instants::{clock, date, parse};
use super::scale::{number, round_step, round_values};
use crate::escape;
use crate::text::shorten;

/// A place for each row, never to the left of the row before.
pub(super) struct Axis {
    /// What it shows.
    pub(super) name: String,
    positions: Vec<f64>,
    kind: Kind,
}

enum Kind {
    Numbers,
    /// Seconds since the start of 1970.
    Instants,
    /// A position is only a rank; what to call each row.
    Texts(Vec<String>),
}

/// A mark below an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    /// How far to the right it is, from 0 to 1.
    pub(super) share: f64,
    /// What stands below it: a line, and another one where the date changes.
    pub(super) lines: Vec<String>,
}

/// Characters of a text that is neither a number nor an instant.
const LONGEST_TICK: usize = 19;
/// Pixels of a character below an axis, and between two ticks.
const CHARACTER: usize = 8;
const DISTANCE: usize = 20;
/// Texts that a script is given to say where the cursor is.
const MOST_TEXTS: usize = 1500;
/// Seconds between ticks; whole days for longer ones.
const STEPS: [f64; 17] = [
    1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0,
    10_800.0, 21_600.0, 43_200.0,
];
const DAY: f64 = 86_400.0;

impl Axis {
    /// Rows at these places, which do not decrease.
    pub(super) fn numbers(name: &str, positions: Vec<f64>) -> Self {
        Self { name: name.into(), positions, kind: Kind::Numbers }
    }

    /// True to scale when the texts are numbers or instants that do not decrease; else one row
    /// after the other, each with its text.
    pub(super) fn new(column: &str, texts: &[String]) -> Self {
        let numbers: Option<Vec<f64>> =
            texts.iter().map(|text| text.parse().ok().filter(|x: &f64| x.is_finite())).collect();
        if let Some(positions) = numbers.filter(|numbers| numbers.is_sorted()) {
            return Self::numbers(column, positions);
        }
        let zone = texts.first().and_then(|text| parse(text)).map_or("", |(_, zone)| zone);
        let of_zone = |text: &String| parse(text).filter(|(_, z)| *z == zone).map(|(at, _)| at);
        let instants: Option<Vec<f64>> = texts.iter().map(of_zone).collect();
        if let Some(positions) = instants.filter(|instants| instants.is_sorted()) {
            let name = if zone.is_empty() { column.into() } else { format!("{column} ({zone})") };
            return Self { name, positions, kind: Kind::Instants };
        }
        let positions = (0..texts.len()).map(|row| row as f64).collect();
        Self { name: column.into(), positions, kind: Kind::Texts(texts.to_vec()) }
    }

    /// Only some of the rows.
    pub(super) fn part(&self, rows: Range<usize>) -> Self {
        // Ranks go on from where the part begins, as ticks are not asked for there.
        let positions = self.positions[rows].to_vec();
        Self { name: self.name.clone(), positions, kind: Kind::Numbers }
    }

    pub(super) fn count(&self) -> usize {
        self.positions.len()
    }

    /// How far to the right a row is, from 0 to 1.
    pub(super) fn share(&self, row: usize) -> f64 {
        let Range { start, end } = self.range();
        (self.positions[row] - start) / (end - start)
    }

    /// From where to where some rows reach: half of the way to those beside them.
    pub(super) fn reach(&self, rows: Range<usize>) -> Range<f64> {
        let middle = |a: usize, b: usize| 0.5 * (self.share(a) + self.share(b));
        let start = if rows.start == 0 { 0.0 } else { middle(rows.start - 1, rows.start) };
        let end = if rows.end == self.count() { 1.0 } else { middle(rows.end - 1, rows.end) };
        start..end
    }

    /// From the first row to the last; never empty.
    fn range(&self) -> Range<f64> {
        let first = self.positions.first().copied().unwrap_or_default();
        let last = self.positions.last().copied().unwrap_or_default();
        // Far from 0, a half may be too little to be anything.
        let half = 0.5_f64.max(1e-12 * first.abs());
        if last > first { first..last } else { first - half..first + half }
    }

    /// Are there only whole numbers, so that none between them is a place?
    fn is_whole(&self) -> bool {
        self.positions.iter().all(|position| position.fract() == 0.0)
    }

    fn is_one_place(&self) -> bool {
        self.positions.first() == self.positions.last()
    }

    /// Cuts the range into so many equal parts; returns the rows in each, which may be none.
    pub(super) fn bins(&self, count: usize) -> Vec<Range<usize>> {
        let bin = |row: usize| ((self.share(row) * count as f64) as usize).min(count - 1);
        let mut bins = Vec::with_capacity(count);
        let mut row = 0;
        for k in 0..count {
            let first = row;
            while row < self.count() && bin(row) <= k {
                row += 1;
            }
            bins.push(first..row);
        }
        bins
    }

    /// Ticks that have room on so many pixels.
    pub(super) fn ticks(&self, pixels: usize) -> Vec<Tick> {
        let Range { start, end } = self.range();
        let most = |longest: usize| (pixels / (CHARACTER * longest + DISTANCE)).max(2);
        let tick =
            |value: f64, lines: Vec<String>| Tick { share: (value - start) / (end - start), lines };
        match &self.kind {
            Kind::Numbers if self.is_one_place() => {
                let at = self.positions.first().copied().unwrap_or_default();
                vec![tick(at, vec![number(at, if at.fract() == 0.0 { 1.0 } else { 1e-3 })])]
            }
            Kind::Numbers => {
                let longest =
                    [start, end].map(|x| number(x, round_step((end - start) / 8.0)).len());
                let values = round_values(start..end, most(longest[0].max(longest[1])));
                let ticks = values.into_iter().filter_map(|(value, text)| match self.is_whole() {
                    true if value.fract() != 0.0 => None,
                    true => Some(tick(value, vec![number(value, 1.0)])),
                    false => Some(tick(value, vec![text])),
                });
                ticks.collect()
            }
            Kind::Instants => {
                let least = (end - start) / most(10) as f64;
                let longer = STEPS.into_iter().find(|&step| step >= least);
                let step = match longer {
                    _ if least < 0.5 => round_step(least),
                    Some(step) => step,
                    None => DAY * round_step(least / DAY).max(1.0),
                };
                // One tick alone tells no distance.
                let shorter = STEPS.into_iter().rev().filter(|&shorter| shorter < step);
                let steps = [step].into_iter().chain(shorter.take(3));
                let of = |step: f64| {
                    let count = ((end / step).floor() - (start / step).ceil()).clamp(-1.0, 99.0);
                    let mut day = None;
                    (0..=count as i64).map(move |k| {
                        let at = ((start / step).ceil() + k as f64) * step;
                        let (today, before) = (date(at), day.replace(date(at)));
                        match step >= DAY {
                            true => tick(at, vec![today]),
                            false if before.as_ref() == Some(&today) => {
                                tick(at, vec![clock(at, step)])
                            }
                            false => tick(at, vec![clock(at, step), today]),
                        }
                    })
                };
                let found = steps.into_iter().map(|step| of(step).collect::<Vec<Tick>>());
                found.into_iter().find(|ticks| ticks.len() > 1).unwrap_or_default()
            }
            Kind::Texts(texts) => {
                let most = most(LONGEST_TICK).min(texts.len()).max(1);
                let rows = (0..most).map(|k| k * (texts.len() - 1) / (most - 1).max(1));
                let text = |row: usize| shorten(&escape::line(&texts[row]), LONGEST_TICK);
                rows.map(|row| tick(self.positions[row], vec![text(row)])).collect()
            }
        }
    }

    /// What a script has to know about it, as JSON.
    pub(super) fn for_script(&self) -> String {
        let Range { start, end } = self.range();
        let (kind, texts) = match &self.kind {
            Kind::Numbers => ("number", None),
            Kind::Instants => ("instant", None),
            Kind::Texts(texts) if texts.len() <= MOST_TEXTS => ("text", Some(texts)),
            Kind::Texts(_) => ("rank", None),
        };
        let shown = |text: &String| shorten(&escape::line(text), LONGEST_TICK);
        let texts: Option<Vec<String>> = texts.map(|texts| texts.iter().map(shown).collect());
        json!({ "name": self.name, "kind": kind, "from": start, "to": end, "texts": texts,
            "whole": self.is_whole() })
        .to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(texts: &[&str]) -> Axis {
        Axis::new("t", &texts.iter().map(|text| text.to_string()).collect::<Vec<_>>())
    }

    fn lines(ticks: &[Tick]) -> Vec<String> {
        ticks.iter().map(|tick| tick.lines.join("|")).collect()
    }

    #[test]
    fn numbers_in_order_are_to_scale() {
        let axis = axis(&["0", "1", "2", "10"]);
        assert_eq!(axis.range(), 0.0..10.0);
        assert_eq!(axis.bins(5), [0..2, 2..3, 3..3, 3..3, 3..4]);
        assert_eq!(lines(&axis.ticks(100)), ["0", "5", "10"]);
        assert_eq!(axis.reach(1..3), 0.05..0.6);
    }

    #[test]
    fn as_many_bins_as_even_rows_hold_one_each() {
        for rows in [1, 2, 7, 96] {
            let bins = Axis::numbers("row", (0..rows).map(|row| row as f64).collect()).bins(rows);
            assert_eq!(bins, (0..rows).map(|row| row..row + 1).collect::<Vec<_>>());
        }
    }

    #[test]
    fn other_texts_stand_side_by_side() {
        for texts in [["3", "2", "4"], ["mon", "tue", "wed"], ["1", "", "2"], ["0", "NaN", "inf"]] {
            let axis = axis(&texts);
            assert_eq!(axis.range(), 0.0..2.0);
            assert_eq!(lines(&axis.ticks(1000)), texts);
        }
        // An hour that comes twice, and instants of two zones, are not to scale.
        let twice = ["2024-10-27 02:59", "2024-10-27 02:01"];
        let zones = ["2024-10-27T02:59+02:00", "2024-10-27T02:59+01:00"];
        assert_eq!([axis(&twice).range(), axis(&zones).range()], [0.0..1.0, 0.0..1.0]);
    }

    #[test]
    fn a_new_day_says_its_date() {
        let axis = axis(&["2024-01-09 22:10", "2024-01-10 00:00", "2024-01-10 01:00"]);
        let ticks = axis.ticks(700);
        assert_eq!(
            lines(&ticks),
            ["22:30|2024-01-09", "23:00", "23:30", "00:00|2024-01-10", "00:30", "01:00"]
        );
        assert!(ticks.iter().all(|tick| (0.0..=1.0).contains(&tick.share)));
        let years = super::Axis::new("t", &["2020-01-01".into(), "2024-01-01".into()]);
        assert!(lines(&years.ticks(600)).iter().all(|line| line.len() == 10));
        let zone = super::Axis::new("t", &["2020-01-01T00:00Z".into(), "2020-01-01T00:01Z".into()]);
        assert_eq!(zone.name, "t (Z)");
    }

    #[test]
    fn ticks_have_room() {
        let ends = [(0.0, 1e-9), (1.58e9, 1.58e9 + 7.0), (0.0, 1e6), (-5.0, 5.0), (1e30, 1e30)];
        for (first, last) in ends {
            let axis = Axis::numbers("t", vec![first, last]);
            for pixels in [240, 600, 1000] {
                let ticks = axis.ticks(pixels);
                for pair in ticks.windows(2) {
                    let room = (pair[1].share - pair[0].share) * pixels as f64;
                    let half = |tick: &Tick| 3.5 * tick.lines[0].chars().count() as f64;
                    let needed = half(&pair[0]) + half(&pair[1]);
                    assert!(
                        room > needed || ticks.len() <= 3,
                        "{first} {last} {pixels}: {ticks:?}"
                    );
                    assert_ne!(pair[0].lines, pair[1].lines);
                }
            }
        }
    }

    #[test]
    fn one_row_has_room() {
        assert_eq!(axis(&["7"]).range(), 6.5..7.5);
        assert_eq!(axis(&["7", "7"]).bins(3), [0..0, 0..2, 2..2]);
        assert_eq!(axis(&["7"]).reach(0..1), 0.0..1.0);
        assert_eq!(lines(&axis(&["7"]).ticks(600)), ["7"]);
        assert_eq!(lines(&axis(&["7", "9"]).ticks(600)), ["7", "8", "9"]);
    }
}
