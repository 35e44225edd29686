//! How much of the variance the components explain.

use anyhow::Result;

use super::chart::{Chart, Side};
use super::scale::number;
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

    pub(super) fn svg(&self) -> String {
        let kept = self.together().last().unwrap_or_default();
        let title = format!(
            "Share of the variance that each of {} components explains, and their sum: {}",
            self.ratios.len(),
            percent(kept)
        );
        let across = Side::new("component", -0.6..self.ratios.len() as f64 - 0.4, 8);
        let mut up = Side::new("of the variance", 0.0..100.0, 5);
        up.ticks.iter_mut().for_each(|(_, text)| *text += " %");
        // There is no component between two.
        let ticks = across.ticks.into_iter().filter(|(value, _)| value.fract() == 0.0);
        let ticks = ticks.map(|(value, _)| (value, number(value, 1.0))).collect();
        let chart = Chart { across: Side { ticks, ..across }, up };
        let mut marks = String::new();
        for (j, ratio) in self.ratios.iter().enumerate() {
            let (left, top) = chart.at((j as f64 - 0.4, 100.0 * ratio));
            let (right, bottom) = chart.at((j as f64 + 0.4, 0.0));
            marks += &format!(
                "<rect class=\"f-data\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" \
                 height=\"{:.1}\"/>",
                right - left,
                (bottom - top).max(0.0)
            );
        }
        let sums = || self.together().enumerate().map(|(j, sum)| (j as f64, 100.0 * sum));
        marks += &format!(
            "<path class=\"s-limit\" d=\"{}\"/><path class=\"dots s-limit\" d=\"{}\"/>",
            chart.line(sums()),
            chart.dots(sums())
        );
        chart.svg(&title, &marks)
    }
}
