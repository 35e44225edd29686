//! SPE from row to row, with its threshold, unusual rows and the alarm.

use anyhow::Result;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::figure::{Canvas, Shape, Tone, draw, failed, tick};
use super::readings::Readings;
use crate::text::{short, thousands};
use crate::{Number, escape};

/// Scores above so many thresholds are drawn by their logarithm: else the threshold would lie on the axis.
const LINEAR_UP_TO: f64 = 40.0;
/// What lies below this share of the threshold is as good as 0.
const LOWEST: f64 = 1e-2;
/// Dots on the line of fewer rows than these.
const MOST_DOTS: usize = 60;

const LEFT: u32 = 58;
const RIGHT: u32 = 12;
/// Height of the strip of labels above the chart.
const STRIP: i32 = 8;
/// Height of the bar of the alarm, between that and the chart.
const BAR: i32 = 5;

/// Rows that share a column of the screen.
type Rows = std::ops::Range<usize>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// SPE of all rows, in one of the sizes of a figure.
pub(super) struct Timeline<'a, T> {
    pub(super) readings: &'a Readings<T>,
}

/// From scores to heights: themselves or their logarithms.
#[derive(Clone, Copy)]
struct Height {
    logarithmic: bool,
    lowest: f64,
}

impl Height {
    fn of(&self, value: f64) -> f64 {
        if self.logarithmic { value.max(self.lowest).log10() } else { value }
    }

    fn tick(&self, height: f64, most: f64) -> String {
        if self.logarithmic { tick(10_f64.powf(height), 0.0) } else { tick(height, most) }
    }
}

impl<T: Number> Timeline<'_, T> {
    fn largest(&self) -> f64 {
        self.readings.spe.iter().copied().fold(self.readings.threshold, f64::max)
    }

    /// Is the axis of the scores logarithmic?
    pub(super) fn is_logarithmic(&self) -> bool {
        let threshold = self.readings.threshold;
        threshold > 0.0 && self.largest() > LINEAR_UP_TO * threshold
    }

    /// Are there more rows than a screen has columns?
    pub(super) fn is_thinned(&self) -> bool {
        self.readings.count() > columns(Shape::WIDE)
    }

    pub(super) fn svg(&self, shape: Shape) -> Result<String> {
        let title = format!(
            "SPE of {} rows with its threshold {}; {} rows are unusual, {} in alarm",
            thousands(self.readings.count()),
            short(self.readings.threshold),
            thousands(self.readings.unusual_count()),
            thousands(self.readings.alarm_count())
        );
        draw(shape, &title, |canvas| self.paint(canvas, shape))
    }

    fn paint(&self, canvas: &Canvas<'_>, shape: Shape) -> Result<()> {
        let threshold = self.readings.threshold;
        let height = Height { logarithmic: self.is_logarithmic(), lowest: LOWEST * threshold };
        let bottom = if height.logarithmic { height.of(0.0) } else { 0.0 };
        let top = height.of(self.largest());
        let top = if top > bottom { top + 0.05 * (top - bottom) } else { bottom + 1.0 };
        let axis = &self.readings.axis;
        let mut chart = ChartBuilder::on(canvas)
            .margin_top(STRIP + BAR + 12)
            .margin_right(RIGHT)
            .x_label_area_size(44)
            .y_label_area_size(LEFT)
            .build_cartesian_2d(axis.range(), bottom..top)
            .map_err(failed)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(Tone::Faint.colour())
            .axis_style(Tone::Ink.colour())
            .label_style(shape.font(Tone::Ink))
            .x_desc(escape::line(&axis.name))
            .x_labels(axis.ticks(shape.size.0 - LEFT))
            .y_labels(5)
            .x_label_formatter(&|&x| axis.tick(x))
            .y_label_formatter(&|&y| height.tick(y, top))
            .draw()
            .map_err(failed)?;
        let line = self.line(shape).map(|(x, y)| (x, height.of(y)));
        let line = PathElement::new(line.collect::<Vec<_>>(), Tone::Data.colour());
        chart.draw_series([line]).map_err(failed)?;
        if self.readings.count() < MOST_DOTS {
            let dots = axis.positions().iter().zip(&self.readings.spe);
            let circle =
                |(&x, &y)| Circle::new((x, height.of(y)), shape.dot, Tone::Data.colour().filled());
            chart.draw_series(dots.map(circle)).map_err(failed)?;
        }
        let dot = if self.readings.count() > columns(shape) { shape.dot - 1 } else { shape.dot };
        let unusual = self.unusual(shape).map(|(x, y)| (x, height.of(y)));
        let dots = unusual.map(|at| Circle::new(at, dot, Tone::Unusual.colour().filled()));
        chart.draw_series(dots).map_err(failed)?;
        let limit = [axis.range().start, axis.range().end].map(|x| (x, height.of(threshold)));
        let limit = PathElement::new(limit, Tone::Limit.colour().stroke_width(2));
        chart.draw_series([limit]).map_err(failed)?;
        let in_alarm = &self.readings.in_alarm;
        let alarm = |rows: Rows| rows.into_iter().any(|row| in_alarm[row]).then_some(Tone::Alarm);
        self.strip(canvas, &chart, (BAR, 3), alarm)?;
        match &self.readings.labels {
            Some(labels) => self.strip(canvas, &chart, (STRIP, BAR + 5), |rows| {
                (!rows.is_empty()).then(|| labels.tone(rows.start))
            }),
            None => Ok(()),
        }
    }

    /// All scores, or the least and the greatest of each column of the screen in their order.
    fn line(&self, shape: Shape) -> impl Iterator<Item = (f64, f64)> {
        let values = &self.readings.spe;
        let rows: Vec<usize> = match values.len() <= columns(shape) {
            true => (0..values.len()).collect(),
            false => {
                let bins = self.readings.axis.bins(columns(shape));
                let ends = bins.into_iter().flat_map(|bin| {
                    let by_value = |a: &usize, b: &usize| values[*a].total_cmp(&values[*b]);
                    let (least, most) = (bin.clone().min_by(by_value), bin.max_by(by_value));
                    let first = least.min(most);
                    [first, least.max(most).filter(|_| least != most)]
                });
                ends.flatten().collect()
            }
        };
        rows.into_iter().map(|row| (self.readings.axis.positions()[row], values[row]))
    }

    /// All unusual rows, or the greatest of each column of the screen.
    fn unusual(&self, shape: Shape) -> impl Iterator<Item = (f64, f64)> {
        let (values, unusual) = (&self.readings.spe, &self.readings.unusual);
        let above = |&row: &usize| unusual[row];
        let rows: Vec<usize> = match values.len() <= columns(shape) {
            true => (0..values.len()).filter(above).collect(),
            false => {
                let bins = self.readings.axis.bins(columns(shape)).into_iter();
                let by_value = |a: &usize, b: &usize| values[*a].total_cmp(&values[*b]);
                bins.filter_map(|bin| bin.filter(above).max_by(by_value)).collect()
            }
        };
        rows.into_iter().map(|row| (self.readings.axis.positions()[row], values[row]))
    }

    /// What rows have in common, as a strip of this height and distance above the chart.
    fn strip(
        &self,
        canvas: &Canvas<'_>,
        chart: &Chart<'_, '_>,
        (height, distance): (i32, i32),
        tone: impl Fn(Rows) -> Option<Tone>,
    ) -> Result<()> {
        let (x, y) = chart.plotting_area().get_pixel_range();
        let width = (x.end - x.start) as usize;
        let bins = self.readings.axis.bins(width.min(self.readings.count()));
        let step = width as f64 / bins.len() as f64;
        for (run, tone) in runs(bins.iter().map(|bin| tone(bin.clone()))) {
            let Some(tone) = tone else { continue };
            let at = |bin: usize| x.start + (bin as f64 * step).round() as i32;
            let (top, bottom) = (y.start - height - distance, y.start - distance);
            let corners = [(at(run.start), top), (at(run.end), bottom)];
            canvas.draw(&Rectangle::new(corners, tone.colour().filled())).map_err(failed)?;
        }
        Ok(())
    }
}

/// Columns of pixels that a chart has for rows.
fn columns(shape: Shape) -> usize {
    (shape.size.0 - LEFT - RIGHT) as usize
}

/// Runs of equal values: where each is, and what it is.
pub(super) fn runs<V: PartialEq>(
    values: impl Iterator<Item = V>,
) -> Vec<(std::ops::Range<usize>, V)> {
    let mut runs: Vec<(std::ops::Range<usize>, V)> = Vec::new();
    for (place, value) in values.enumerate() {
        match runs.last_mut() {
            Some((run, known)) if *known == value => run.end = place + 1,
            _ => runs.push((place..place + 1, value)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_neighbours_are_one_run() {
        let runs = runs([1, 1, 2, 1].into_iter());
        assert_eq!(runs, [(0..2, 1), (2..3, 2), (3..4, 1)]);
    }

    #[test]
    fn a_logarithm_has_a_floor() {
        let height = Height { logarithmic: true, lowest: 0.01 };
        assert_eq!([height.of(0.0), height.of(-1.0), height.of(100.0)], [-2.0, -2.0, 2.0]);
        assert_eq!(height.tick(2.0, 2.0), "100");
    }
}
