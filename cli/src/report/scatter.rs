//! Rows where the first components see them.

use anyhow::Result;
use mercer::detect::{logs, scaling};
use plotters::prelude::*;

use super::figure::{Shape, Tone, draw, failed, tick};
use super::readings::{FIRST, Readings, first_projections};
use crate::Number;
use crate::model::Model;
use crate::text::thousands;

/// Dots of usual rows, and rings of unusual ones.
const MOST_ROWS: usize = 700;
/// Crosses of landmarks.
const MOST_LANDMARKS: usize = 200;

/// Rows and landmarks on the first components.
pub(super) struct Scatter<'a, T> {
    readings: &'a Readings<T>,
    components: usize,
    landmarks: Vec<[f64; FIRST]>,
    /// Where rows are. A model of one component has the score in place of a second.
    rows: Vec<[f64; FIRST]>,
    usual: Vec<usize>,
    unusual: Vec<usize>,
}

impl<'a, T: Number> Scatter<'a, T> {
    pub(super) fn new(model: &Model<T>, readings: &'a Readings<T>) -> Result<Self> {
        let mut scorer = model.scorer();
        let mut landmarks = Vec::new();
        for point in spread(model.points.iter_rows(), MOST_LANDMARKS) {
            let mut raw = point.to_vec();
            scaling::undo(&mut raw, &model.mean, &model.deviation);
            logs::undo(&mut raw, &model.floor);
            scorer.project(&raw)?;
            landmarks.push(first_projections(&scorer.projection));
        }
        let mut rows = readings.projections.clone();
        if model.components() == 1 {
            rows.iter_mut().zip(&readings.severity).for_each(|(row, &score)| row[1] = score);
            landmarks.clear();
        }
        let (unusual, usual): (Vec<usize>, Vec<usize>) =
            (0..readings.count()).partition(|&row| readings.unusual[row]);
        Ok(Self {
            readings,
            components: model.components(),
            landmarks,
            rows,
            usual: spread(usual.into_iter(), MOST_ROWS).collect(),
            unusual: spread(unusual.into_iter(), MOST_ROWS).collect(),
        })
    }

    /// Are landmarks drawn too?
    pub(super) fn has_landmarks(&self) -> bool {
        !self.landmarks.is_empty()
    }

    /// How many rows are drawn.
    pub(super) fn shown(&self) -> usize {
        self.usual.len() + self.unusual.len()
    }

    /// The figures: the first component with the second, and with the third; as many as there are.
    pub(super) fn svgs(&self) -> Result<Vec<String>> {
        let others = 1..self.components.clamp(2, FIRST);
        others.map(|other| self.svg(other)).collect()
    }

    fn name(&self, component: usize) -> String {
        match component < self.components {
            true => format!("component {component}"),
            false => "score, in thresholds".into(),
        }
    }

    fn svg(&self, other: usize) -> Result<String> {
        let shape = Shape::HALF;
        let title = format!(
            "{} rows on component 0 and {}; rings are unusual, crosses are landmarks",
            thousands(self.shown()),
            self.name(other)
        );
        let row = |&row: &usize| self.rows[row];
        let all = self.usual.iter().chain(&self.unusual).map(row);
        let all: Vec<_> = all.chain(self.landmarks.iter().copied()).collect();
        let range = |component: usize| {
            let values = || all.iter().map(|at| at[component]);
            let low = values().fold(f64::INFINITY, f64::min);
            let high = values().fold(f64::NEG_INFINITY, f64::max);
            let margin = if high > low { 0.05 * (high - low) } else { 0.5 };
            low - margin..high + margin
        };
        let length = |component: usize| range(component).end - range(component).start;
        let (width, height) = (length(0), length(other));
        let tone = |row: usize, otherwise: Tone| match &self.readings.labels {
            Some(labels) => labels.tone(row),
            None => otherwise,
        };
        let at = |first: &[f64; FIRST]| (first[0], first[other]);
        draw(shape, &title, |canvas| {
            let mut chart = ChartBuilder::on(canvas)
                .margin_top(8)
                .margin_right(12)
                .margin_left(6)
                .x_label_area_size(44)
                .y_label_area_size(66)
                .build_cartesian_2d(range(0), range(other))
                .map_err(failed)?;
            chart
                .configure_mesh()
                .light_line_style(TRANSPARENT)
                .bold_line_style(Tone::Faint.colour())
                .axis_style(Tone::Ink.colour())
                .label_style(shape.font(Tone::Ink))
                .x_desc("component 0")
                .y_desc(self.name(other))
                .x_labels(5)
                .y_labels(5)
                .x_label_formatter(&|&x| tick(x, width))
                .y_label_formatter(&|&y| tick(y, height))
                .draw()
                .map_err(failed)?;
            let crosses = self
                .landmarks
                .iter()
                .map(|first| Cross::new(at(first), shape.dot as i32, Tone::Soft.colour()));
            chart.draw_series(crosses).map_err(failed)?;
            let dots = self.usual.iter().map(|&row| {
                let colour = tone(row, Tone::Data).colour();
                Circle::new(at(&self.rows[row]), shape.dot, colour.filled())
            });
            chart.draw_series(dots).map_err(failed)?;
            let rings = self.unusual.iter().map(|&row| {
                let colour = tone(row, Tone::Unusual).colour();
                Circle::new(at(&self.rows[row]), shape.dot + 1, colour.stroke_width(2))
            });
            chart.draw_series(rings).map_err(failed)?;
            Ok(())
        })
    }
}

/// At most so many, at even distances.
fn spread<I: ExactSizeIterator>(all: I, most: usize) -> std::iter::StepBy<I> {
    let stride = all.len().div_ceil(most).max(1);
    all.step_by(stride)
}
