//! How much of the variance the components explain.

use anyhow::Result;
use plotters::prelude::*;

use super::figure::{Shape, Tone, draw, failed, tick};
use crate::Number;
use crate::model::Model;
use crate::text::percent;

/// Bars beyond these are too thin to be seen.
const MOST_COMPONENTS: usize = 60;

/// A bar for each component, and their sum.
pub(super) struct Spectrum {
    ratios: Vec<f64>,
    /// How many components the figure leaves out.
    pub(super) left_out: usize,
}

impl Spectrum {
    pub(super) fn new<T: Number>(model: &Model<T>) -> Result<Self> {
        let mut ratios: Vec<f64> =
            model.expansion()?.explained_ratios().map(|ratio| ratio.to_f64()).collect();
        let left_out = ratios.len().saturating_sub(MOST_COMPONENTS);
        ratios.truncate(MOST_COMPONENTS);
        Ok(Self { ratios, left_out })
    }

    /// What the first components explain together, for each number of them.
    fn together(&self) -> impl Iterator<Item = f64> {
        self.ratios.iter().scan(0.0, |sum, ratio| {
            *sum += ratio;
            Some(*sum)
        })
    }

    pub(super) fn svg(&self) -> Result<String> {
        let shape = Shape::HALF;
        let kept = self.together().last().unwrap_or_default();
        let title = format!(
            "Share of the variance that each of {} components explains, and their sum: {}",
            self.ratios.len(),
            percent(kept)
        );
        draw(shape, &title, |canvas| {
            let right = self.ratios.len() as f64 - 0.4;
            let mut chart = ChartBuilder::on(canvas)
                .margin_top(14)
                .margin_right(8)
                .x_label_area_size(44)
                .y_label_area_size(58)
                .build_cartesian_2d(-0.6..right, 0.0..100.0)
                .map_err(failed)?;
            chart
                .configure_mesh()
                .disable_x_mesh()
                .light_line_style(TRANSPARENT)
                .bold_line_style(Tone::Faint.colour())
                .axis_style(Tone::Ink.colour())
                .label_style(shape.font(Tone::Ink))
                .x_desc("component")
                .x_labels(8)
                .y_labels(6)
                .x_label_formatter(&|x| match (x - x.round()).abs() < 1e-6 {
                    true => tick(*x, 1.0),
                    false => String::new(),
                })
                .y_label_formatter(&|y| format!("{y:.0} %"))
                .draw()
                .map_err(failed)?;
            let bars = self.ratios.iter().enumerate().map(|(j, ratio)| {
                let corners = [(j as f64 - 0.4, 0.0), (j as f64 + 0.4, 100.0 * ratio)];
                Rectangle::new(corners, Tone::Data.colour().filled())
            });
            chart.draw_series(bars).map_err(failed)?;
            let sums: Vec<_> =
                self.together().enumerate().map(|(j, sum)| (j as f64, 100.0 * sum)).collect();
            let line = PathElement::new(sums.clone(), Tone::Limit.colour().stroke_width(2));
            chart.draw_series([line]).map_err(failed)?;
            let dots = sums.iter().map(|&at| Circle::new(at, 3, Tone::Limit.colour().filled()));
            chart.draw_series(dots).map_err(failed)?;
            Ok(())
        })
    }
}
