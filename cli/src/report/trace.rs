//! A series of values as paths of SVG that stretch to any width: a line through all rows or, where
//! there are more of them than a screen has room for, the range of each column and a line through
//! their means.
//!
//! Steps are whole numbers from one point to the next, which takes few bytes; the script of the
//! page reads values back from them.

use std::fmt::Write;
use std::ops::Range;

use super::axis::Axis;

/// The drawing's own units: from left to right, and from top to bottom.
pub(super) const WIDTH: f64 = 10_000.0;
pub(super) const HEIGHT: f64 = 4_000.0;

/// A series, drawn.
pub(super) struct Trace {
    /// Along the largest values to the right, and back along the least; none if all rows are
    /// drawn.
    pub(super) band: Option<String>,
    pub(super) line: String,
}

/// A point, in the drawing's units.
type Point = (i64, i64);

/// Draws what `height` says of each row, from 0 at the bottom to 1, in about so many columns.
pub(super) fn trace(axis: &Axis, columns: usize, height: impl Fn(usize) -> f64) -> Trace {
    if axis.count() <= 2 * columns {
        let points = (0..axis.count()).map(|row| point(axis.share(row), height(row)));
        return Trace { band: None, line: path(points) };
    }
    let (mut low, mut high, mut mean) = (Vec::new(), Vec::new(), Vec::new());
    for (column, rows) in axis.bins(columns).into_iter().enumerate() {
        if rows.is_empty() {
            continue;
        }
        let across = (column as f64 + 0.5) / columns as f64;
        let ends = rows
            .clone()
            .map(&height)
            .fold((1.0_f64, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        low.push(point(across, ends.0));
        high.push(point(across, ends.1));
        let sum: f64 = rows.clone().map(&height).sum();
        mean.push(point(across, sum / rows.len() as f64));
    }
    let around = high.into_iter().chain(low.into_iter().rev());
    Trace { band: Some(path(around) + "z"), line: path(mean.into_iter()) }
}

/// A dot at each of some rows, by a pen with a round tip: a circle would be stretched.
pub(super) fn dots(points: impl Iterator<Item = (f64, f64)>) -> String {
    points.map(|(across, height)| point(across, height)).fold(String::new(), |mut path, (x, y)| {
        let _ = write!(path, "M{x} {y}h0");
        path
    })
}

/// Boxes from top to bottom.
pub(super) fn boxes(reaches: impl Iterator<Item = Range<f64>>) -> String {
    reaches.fold(String::new(), |mut path, reach| {
        let [start, end] = [reach.start, reach.end].map(|at| (at * WIDTH).round() as i64);
        let width = (end - start).max(1);
        let _ = write!(path, "M{start} 0h{width}v{HEIGHT}h-{width}z");
        path
    })
}

fn point(across: f64, height: f64) -> Point {
    ((across * WIDTH).round() as i64, ((1.0 - height) * HEIGHT).round() as i64)
}

fn path(mut points: impl Iterator<Item = Point>) -> String {
    let Some(first) = points.next() else { return String::new() };
    let mut path = format!("M{} {}l", first.0, first.1);
    let mut last = first;
    for point in points {
        let (x, y) = (point.0 - last.0, point.1 - last.1);
        // A minus parts two numbers as well as a space.
        let before = if x < 0 || path.ends_with('l') { "" } else { " " };
        let between = if y < 0 { "" } else { " " };
        let _ = write!(path, "{before}{x}{between}{y}");
        last = point;
    }
    if path.ends_with('l') { path + "0 0" } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(rows: usize) -> Axis {
        Axis::numbers("row", (0..rows).map(|row| row as f64).collect())
    }

    /// Where a path goes.
    fn points(path: &str) -> Vec<Point> {
        let text = path.replace('-', " -").replace(['M', 'l', 'z'], " ");
        let numbers: Vec<i64> = text.split_whitespace().map(|n| n.parse().unwrap()).collect();
        let steps = numbers.chunks(2).scan((0, 0), |at, step| {
            *at = (at.0 + step[0], at.1 + step[1]);
            Some(*at)
        });
        steps.collect()
    }

    #[test]
    fn few_rows_are_all_there() {
        let heights = [0.0, 1.0, 0.25];
        let drawn = trace(&axis(3), 2, |row| heights[row]);
        assert!(drawn.band.is_none());
        assert_eq!(points(&drawn.line), [(0, 4000), (5000, 0), (10_000, 3000)]);
        assert_eq!(points(&trace(&axis(1), 2, |_| 0.5).line)[0], (5000, 2000));
    }

    #[test]
    fn many_rows_have_their_range() {
        // One row in a thousand reaches the top: it must be seen.
        let height = |row: usize| if row == 777 { 1.0 } else { 0.1 + 0.1 * (row % 2) as f64 };
        let drawn = trace(&axis(1000), 50, height);
        let band = points(drawn.band.as_deref().unwrap());
        assert_eq!(band.len(), 100);
        let (high, low) = band.split_at(50);
        for (column, (high, low)) in high.iter().zip(low.iter().rev()).enumerate() {
            assert_eq!(high.0, low.0);
            let expected = if column == 38 { (0, 3600) } else { (3200, 3600) };
            assert_eq!((high.1, low.1), expected, "{column}");
        }
        assert_eq!(points(&drawn.line)[3].1, 3400);
        // However many rows there are, it takes as many bytes.
        let longer = trace(&axis(100_000), 50, |row| height(row % 1000));
        assert!(longer.line.len() < 2 * drawn.line.len());
    }
}
