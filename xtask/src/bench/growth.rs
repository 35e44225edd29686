//! How the counts grow with the sizes: straight lines, and how far the counts are from them.

use anyhow::{Context, Result, ensure};

use super::plan::{
    Case, FIT, FIT_SAMPLES, GROWTH_BOARD, GROWTH_LEVEL, SCORE, SCORE_COMPONENTS, SCORE_INPUTS,
    SCORE_POINTS,
};
use super::record::{Key, Row};

/// A count may be this far from its line: sizes that fill a block or an unrolled loop cost less,
/// and those that outgrow the registers more.
pub(crate) const TOLERATED: f64 = 0.08;

/// One size grows, the others stay.
#[derive(Debug)]
pub(crate) struct Series {
    pub(crate) task: &'static str,
    /// The letter of the size that grows.
    pub(crate) letter: &'static str,
    /// What grows, and what stays as it is.
    pub(crate) title: &'static str,
    pub(crate) points: Vec<Point>,
    pub(crate) line: Line,
}

/// One measurement of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) size: f64,
    /// What the count should be proportional to, but for a constant: `r·(d + P)` of a score, `n`
    /// of a fit.
    pub(crate) work: f64,
    pub(crate) instructions: f64,
}

/// `instructions = intercept + slope · size`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) intercept: f64,
    pub(crate) slope: f64,
}

impl Line {
    /// The line with the least squares of *relative* deviations.
    pub(crate) fn through(points: &[Point]) -> Line {
        let weight = |point: &Point| 1.0 / (point.instructions * point.instructions);
        let sum = |term: fn(&Point) -> f64| {
            points.iter().map(|point| weight(point) * term(point)).sum::<f64>()
        };
        let total = sum(|_| 1.0);
        let (x, y) = (sum(|p| p.size) / total, sum(|p| p.instructions) / total);
        let products = sum(|p| p.size * p.instructions) / total - x * y;
        let squares = sum(|p| p.size * p.size) / total - x * x;
        let slope = products / squares;
        Line { intercept: y - slope * x, slope }
    }

    pub(crate) fn at(&self, size: f64) -> f64 {
        self.intercept + self.slope * size
    }
}

impl Series {
    /// The largest relative deviation of a count from the line.
    pub(crate) fn deviation(&self) -> f64 {
        let off = |p: &Point| (p.instructions / self.line.at(p.size) - 1.0).abs();
        self.points.iter().map(off).fold(0.0, f64::max)
    }

    fn new(
        rows: &[Row],
        letter: &'static str,
        title: &'static str,
        cases: impl Iterator<Item = Case>,
    ) -> Result<Series> {
        let mut task = "";
        let mut points = Vec::new();
        for case in cases {
            task = case.task;
            let (n, d, r, p) =
                (f64::from(case.n), f64::from(case.d), f64::from(case.r), f64::from(case.p));
            let size = match letter {
                "n" => n,
                "d" => d,
                "r" => r,
                _ => p,
            };
            let work = if case.n == 0 { r * (d + p) } else { n };
            let instructions = count(rows, &case)? as f64;
            points.push(Point { size, work, instructions });
        }
        let line = Line::through(&points);
        Ok(Series { task, letter, title, points, line })
    }
}

/// The count of one case of the growth.
pub(crate) fn count(rows: &[Row], case: &Case) -> Result<u64> {
    let key = Key::new(GROWTH_BOARD, case, GROWTH_LEVEL);
    let found = rows.iter().find(|row| row.key == key);
    Ok(found.with_context(|| format!("{} was not measured", key.describe()))?.instructions)
}

/// Everything that should be a straight line.
pub(crate) fn series(rows: &[Row]) -> Result<[Series; 4]> {
    let points = SCORE_POINTS.into_iter().map(|r| Case { r, ..SCORE });
    let inputs = SCORE_INPUTS.into_iter().map(|d| Case { d, ..SCORE });
    let components = SCORE_COMPONENTS.into_iter().map(|p| Case { p, ..SCORE });
    let samples = FIT_SAMPLES.into_iter().map(|n| Case { n, ..FIT });
    Ok([
        Series::new(rows, "r", "points r, with d = 8, P = 4", points)?,
        Series::new(rows, "d", "inputs d, with r = 64, P = 4", inputs)?,
        Series::new(rows, "P", "components P, with r = 64, d = 8", components)?,
        Series::new(rows, "n", "samples n, with r = 16, d = 12, P = 8", samples)?,
    ])
}

/// Fails on a count that is too far from its line.
pub(crate) fn require_linear(rows: &[Row]) -> Result<()> {
    for series in series(rows)? {
        let (off, most) = (100.0 * series.deviation(), 100.0 * TOLERATED);
        let Series { task, letter, .. } = series;
        ensure!(off <= most, "{task} is not linear in {letter}: {off:.1} % off, {most} % allowed");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(size: f64, instructions: f64) -> Point {
        Point { size, work: size, instructions }
    }

    fn series_of(points: Vec<Point>) -> Series {
        let line = Line::through(&points);
        Series { task: "t", letter: "n", title: "n", points, line }
    }

    #[test]
    fn a_line_is_found() {
        let on = |size: f64| point(size, 100.0 + 7.0 * size);
        let series = series_of(vec![on(1.0), on(10.0), on(300.0)]);
        assert!((series.line.slope - 7.0).abs() < 1e-9);
        assert!((series.line.intercept - 100.0).abs() < 1e-9);
        assert!(series.deviation() < 1e-12);
    }

    #[test]
    fn a_curve_is_not_a_line() {
        let on = |size: f64| point(size, 100.0 + size * size);
        let series = series_of([16.0, 32.0, 64.0, 128.0].map(on).to_vec());
        assert!(series.deviation() > TOLERATED, "{}", series.deviation());
    }

    #[test]
    fn what_was_not_measured_is_named() {
        let error = require_linear(&[]).unwrap_err().to_string();
        assert!(error.contains("m4f score d=8 r=16"), "{error}");
    }
}
