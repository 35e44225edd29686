//! Which inputs scores depend on, and when.

use anyhow::Result;
use plotters::prelude::*;

use super::figure::{LEVELS, Shape, Tone, draw, failed};
use super::readings::Readings;
use super::timeline::runs;
use crate::model::Model;
use crate::text::{shorten, thousands};
use crate::{Number, escape};

/// Inputs that are shown: those that contribute most.
const MOST_INPUTS: usize = 32;
/// Cells beside each other, on a wide screen and on a narrow one.
const MOST_ACROSS: [usize; 2] = [200, 60];
/// Cells in all: each takes some bytes.
const MOST_CELLS: usize = 4000;
/// Characters of a name, on a wide screen and on a narrow one.
const LONGEST_NAME: [usize; 2] = [26, 13];
const CELL_HEIGHT: u32 = 20;
/// The scale ends here, in thresholds, so that one cell cannot fade all others; nor is anything remarkable below one threshold.
const BRIGHTEST: std::ops::RangeInclusive<f64> = 1.0..=4.0;

/// Contributions by input, from row to row.
pub(super) struct HeatMap<'a, T> {
    readings: &'a Readings<T>,
    names: &'a [String],
    /// The inputs that are shown, in the model's order.
    pub(super) inputs: Vec<usize>,
    /// The value of the darkest cell, in thresholds.
    pub(super) brightest: f64,
    /// For a wide screen and a narrow one: the cells of each input, none where there are no rows.
    cells: [Vec<Option<Vec<f64>>>; 2],
}

impl<'a, T: Number> HeatMap<'a, T> {
    pub(super) fn new(model: &'a Model<T>, readings: &'a Readings<T>) -> Result<Self> {
        let columns = |most: usize| -> Result<Vec<Option<Vec<f64>>>> {
            let most = most.min(MOST_CELLS / model.inputs().min(MOST_INPUTS));
            let bins = readings.axis.bins(most.min(readings.count()));
            let worst = bins.into_iter().map(|bin| readings.worst(bin));
            worst.map(|row| row.map(|row| readings.shares(model, row)).transpose()).collect()
        };
        let cells = [columns(MOST_ACROSS[0])?, columns(MOST_ACROSS[1])?];
        let mut sums = vec![0.0; model.inputs()];
        let mut brightest = *BRIGHTEST.start();
        for column in cells[0].iter().flatten() {
            sums.iter_mut().zip(column).for_each(|(sum, value)| *sum += value);
            brightest = column.iter().copied().fold(brightest, f64::max);
        }
        let mut inputs: Vec<usize> = (0..model.inputs()).collect();
        inputs.sort_by(|&a, &b| f64::total_cmp(&sums[b], &sums[a]));
        inputs.truncate(MOST_INPUTS);
        inputs.sort_unstable();
        let brightest = brightest.min(*BRIGHTEST.end());
        Ok(Self { readings, names: &model.columns, inputs, brightest, cells })
    }

    /// Cells beside each other, on a wide screen and on a narrow one.
    pub(super) fn across(&self) -> [usize; 2] {
        [self.cells[0].len(), self.cells[1].len()]
    }

    /// The value in the middle of the scale.
    pub(super) fn middle(&self) -> f64 {
        self.brightest / 4.0
    }

    /// For a wide screen, then for a narrow one.
    pub(super) fn svgs(&self) -> Result<[String; 2]> {
        Ok([self.svg(0)?, self.svg(1)?])
    }

    fn svg(&self, screen: usize) -> Result<String> {
        let (cells, longest) = (&self.cells[screen], LONGEST_NAME[screen]);
        let shape = [Shape::WIDE, Shape::NARROW][screen];
        let height = CELL_HEIGHT * self.inputs.len() as u32;
        let shape = shape.tall(height + 8 + 44);
        let title = format!(
            "Contributions of {} inputs to the scores of {} rows",
            self.inputs.len(),
            thousands(self.readings.count())
        );
        let names = self.inputs.iter().map(|&input| escape::line(&self.names[input]));
        let names: Vec<String> = names.map(|name| shorten(&name, longest)).collect();
        let most = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
        // About the width of a letter; capitals are wider.
        let left = (0.62 * f64::from(shape.text) * (most + 1) as f64) as u32 + 8;
        let axis = &self.readings.axis;
        draw(shape, &title, |canvas| {
            let mut chart = ChartBuilder::on(canvas)
                .margin_top(8)
                .margin_right(12)
                .margin_left(left)
                .x_label_area_size(44)
                .build_cartesian_2d(axis.range(), 0..1)
                .map_err(failed)?;
            let (x, y) = chart.plotting_area().get_pixel_range();
            chart
                .configure_mesh()
                .disable_mesh()
                .axis_style(Tone::Ink.colour())
                .label_style(shape.font(Tone::Ink))
                .x_desc(escape::line(&axis.name))
                .x_labels(axis.ticks((x.end - x.start) as u32))
                .x_label_formatter(&|&x| axis.tick(x))
                .draw()
                .map_err(failed)?;
            let step = f64::from(x.end - x.start) / cells.len() as f64;
            let across = |cell: usize| x.start + (cell as f64 * step).round() as i32;
            for (line, (&input, name)) in self.inputs.iter().zip(&names).enumerate() {
                let top = y.start + (line as u32 * CELL_HEIGHT) as i32;
                let bottom = top + CELL_HEIGHT as i32 - 1;
                let style = shape.font(Tone::Ink).pos(plotters::style::text_anchor::Pos::new(
                    plotters::style::text_anchor::HPos::Right,
                    plotters::style::text_anchor::VPos::Center,
                ));
                let middle = (top + bottom) / 2;
                canvas
                    .draw(&Text::new(name.as_str(), (x.start - 8, middle), style))
                    .map_err(failed)?;
                let levels = cells.iter().map(|column| self.level(column.as_deref(), input));
                for (run, level) in runs(levels) {
                    let tone = if level == 0 { Tone::Faint } else { Tone::Level(level) };
                    let corners = [(across(run.start), top), (across(run.end), bottom)];
                    canvas
                        .draw(&Rectangle::new(corners, tone.colour().filled()))
                        .map_err(failed)?;
                }
            }
            Ok(())
        })
    }

    /// The shade of a cell, from 0 to [`LEVELS`]: by the square root, so that what is just above a threshold can be seen beside what is far above.
    fn level(&self, column: Option<&[f64]>, input: usize) -> usize {
        let value = column.map_or(0.0, |column| column[input]);
        (((value / self.brightest).sqrt() * (LEVELS + 1) as f64) as usize).min(LEVELS)
    }
}
