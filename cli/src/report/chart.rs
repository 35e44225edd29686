//! A chart of a fixed shape, with its axes, as SVG.

use std::fmt::Write;
use std::ops::Range;

use super::scale::round_values;
use crate::escape::html as escape;

/// Width and height in units of about a pixel, and what axes take of them.
const SIZE: [f64; 2] = [420.0, 310.0];
const LEFT: f64 = 66.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 46.0;
/// Height of text.
const TEXT: f64 = 14.0;

/// Numbers beside an axis, with their texts.
pub(super) type Ticks = Vec<(f64, String)>;

/// An axis: what it shows, from where to where, and numbers beside it.
pub(super) struct Side {
    pub(super) name: String,
    pub(super) range: Range<f64>,
    pub(super) ticks: Ticks,
}

impl Side {
    /// With round numbers, at most so many.
    pub(super) fn new(name: impl Into<String>, range: Range<f64>, most: usize) -> Self {
        Self { name: name.into(), ticks: round_values(range.clone(), most), range }
    }

    fn share(&self, value: f64) -> f64 {
        (value - self.range.start) / (self.range.end - self.range.start)
    }
}

/// Two axes.
pub(super) struct Chart {
    pub(super) across: Side,
    pub(super) up: Side,
}

impl Chart {
    /// Where a point is drawn.
    pub(super) fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let [width, height] = [SIZE[0] - LEFT - RIGHT, SIZE[1] - TOP - BOTTOM];
        (LEFT + self.across.share(x) * width, TOP + (1.0 - self.up.share(y)) * height)
    }

    /// The chart with what is drawn in it; its title says in words what it shows.
    pub(super) fn svg(&self, title: &str, marks: &str) -> String {
        let [width, height] = SIZE;
        let (right, bottom) = (width - RIGHT, height - BOTTOM);
        let mut svg = format!(
            "<svg class=\"chart\" viewBox=\"0 0 {width} {height}\" role=\"img\">\
             <title>{}</title>\n",
            escape(title)
        );
        let text = |x: f64, y: f64, anchor: &str, text: &str| {
            format!(
                "<text class=\"f-ink\" font-size=\"{TEXT}\" x=\"{x:.1}\" y=\"{y:.1}\" \
                 text-anchor=\"{anchor}\">{}</text>",
                escape(text)
            )
        };
        let mut grid = String::new();
        for (value, name) in &self.across.ticks {
            let (x, _) = self.at((*value, self.up.range.start));
            let _ = write!(grid, "M{x:.1} {TOP}V{bottom}");
            svg += &text(x, bottom + TEXT + 4.0, "middle", name);
        }
        for (value, name) in &self.up.ticks {
            let (_, y) = self.at((self.across.range.start, *value));
            let _ = write!(grid, "M{LEFT} {y:.1}H{right}");
            svg += &text(LEFT - 6.0, y + 0.35 * TEXT, "end", name);
        }
        svg += &text(0.5 * (LEFT + right), height - 6.0, "middle", &self.across.name);
        let _ = write!(
            svg,
            "<g transform=\"rotate(-90)\">{}</g><path class=\"grid\" d=\"{grid}\"/>{marks}\
             <path class=\"s-ink\" d=\"M{LEFT} {TOP}V{bottom}H{right}\"/></svg>",
            text(-0.5 * (TOP + bottom), TEXT, "middle", &self.up.name)
        );
        svg
    }

    /// A line through some points.
    pub(super) fn line(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        self.pen(points, "L", "").replacen('L', "M", 1)
    }

    /// A dot at each of some points, by a pen with a round tip.
    pub(super) fn dots(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        self.pen(points, "M", "h0")
    }

    /// A diamond around each.
    pub(super) fn diamonds(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        self.pen(points, "M", "m0-4l4 4-4 4-4-4z")
    }

    /// A cross at each.
    pub(super) fn crosses(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        self.pen(points, "M", "m-3-3l6 6m0-6l-6 6")
    }

    fn pen(&self, points: impl Iterator<Item = (f64, f64)>, move_by: &str, draw: &str) -> String {
        points.map(|point| self.at(point)).fold(String::new(), |mut path, (x, y)| {
            let _ = write!(path, "{move_by}{x:.1} {y:.1}{draw}");
            path
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_where_axes_meet() {
        let chart =
            Chart { across: Side::new("a < b", 0.0..10.0, 5), up: Side::new("y", -1.0..1.0, 4) };
        assert_eq!(chart.at((0.0, -1.0)), (LEFT, SIZE[1] - BOTTOM));
        assert_eq!(chart.at((10.0, 1.0)), (SIZE[0] - RIGHT, TOP));
        assert_eq!(chart.line([(0.0, 1.0), (10.0, 1.0)].into_iter()), "M66.0 12.0L408.0 12.0");
        let svg = chart.svg("<t>", "");
        assert!(
            svg.contains("<title>&lt;t&gt;</title>") && svg.contains(">a &lt; b</text>"),
            "{svg}"
        );
        assert_eq!(svg.matches("<text ").count(), 6 + 5 + 2);
    }
}
