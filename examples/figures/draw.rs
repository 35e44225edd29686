//! What the figures have in common: a white page, panels with axes, points, bands of colour.

use std::error::Error;
use std::fmt::Display;
use std::ops::Range;

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::contour::Field;
use crate::data::Point;

/// The page is drawn twice as large as it is meant to be seen: coordinates are whole pixels, and
/// lines would show steps.
pub(crate) const WIDTH: u32 = 2000;

pub(crate) const INK: RGBColor = RGBColor(0x24, 0x29, 0x2f);
pub(crate) const GREY: RGBColor = RGBColor(0x6e, 0x77, 0x81);
/// Can be told from each other with any kind of sight, and in print.
pub(crate) const BLUE: RGBColor = RGBColor(0x1f, 0x5f, 0xa8);
pub(crate) const ORANGE: RGBColor = RGBColor(0xd5, 0x5e, 0x00);
pub(crate) const GREEN: RGBColor = RGBColor(0x00, 0x8a, 0x66);

const FONT: &str = "sans-serif";

pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(crate) type Chart<'a, 'b> =
    ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
pub(crate) type Drawn = Result<(), Box<dyn Error>>;

/// A white page with a title, and below it what `draw` adds.
pub(crate) fn page(
    height: u32,
    title: &str,
    draw: impl FnOnce(&Area<'_>) -> Drawn,
) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        let page = area.margin(16, 8, 8, 16);
        let below = page.titled(title, font(40, &INK)).map_err(failed)?;
        draw(&below)?;
        area.present().map_err(failed)?;
    }
    // A third of the file would be what is the default anyway.
    Ok(text.replace(" opacity=\"1\"", "").replace(" stroke=\"none\"", ""))
}

/// One of the two axes of a panel.
pub(crate) struct Axis<'a> {
    pub(crate) label: &'a str,
    pub(crate) range: Range<f64>,
    /// What is written at a place.
    pub(crate) format: fn(&f64) -> String,
}

impl<'a> Axis<'a> {
    /// An axis with plain numbers; without room for a label if it has none.
    pub(crate) fn new(label: &'a str, range: Range<f64>) -> Self {
        Self { label, range, format: short }
    }
}

/// Axes around a range of the plane.
pub(crate) fn panel<'a, 'b>(
    area: &'a Area<'b>,
    title: &str,
    x: Axis<'_>,
    y: Axis<'_>,
) -> Result<Chart<'a, 'b>, Box<dyn Error>> {
    let mut chart = ChartBuilder::on(area)
        .caption(title, font(34, &INK))
        .margin(16)
        .x_label_area_size(if x.label.is_empty() { 44 } else { 80 })
        .y_label_area_size(if y.label.is_empty() { 64 } else { 104 })
        .build_cartesian_2d(x.range, y.range)
        .map_err(failed)?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_labels(5)
        .y_labels(5)
        .axis_style(GREY)
        .label_style(font(26, &GREY))
        .axis_desc_style(font(28, &GREY))
        .x_desc(x.label)
        .y_desc(y.label)
        .x_label_formatter(&x.format)
        .y_label_formatter(&y.format)
        .draw()
        .map_err(failed)?;
    Ok(chart)
}

/// Bands of colour between the levels, one colour more than there are levels.
pub(crate) fn bands(
    chart: &mut Chart<'_, '_>,
    field: &Field,
    levels: &[f64],
    colours: &[RGBColor],
) -> Drawn {
    let (x, y) = (chart.x_range(), chart.y_range());
    let page = Rectangle::new([(x.start, y.start), (x.end, y.end)], colours[0].filled());
    chart.draw_series([page]).map_err(failed)?;
    let areas = field.areas(levels);
    let areas =
        areas.into_iter().map(|area| Polygon::new(area.outline, colours[area.band].filled()));
    chart.draw_series(areas).map_err(failed)?;
    Ok(())
}

/// A line where the function is at a level.
pub(crate) fn contour(chart: &mut Chart<'_, '_>, field: &Field, level: f64) -> Drawn {
    let lines = field.lines(level).into_iter();
    let lines = lines.map(|line| PathElement::new(line, INK.stroke_width(4)));
    chart.draw_series(lines).map_err(failed)?;
    Ok(())
}

/// Points as dots with a light rim, so that they are seen on any colour.
pub(crate) fn dots(chart: &mut Chart<'_, '_>, points: &[Point], colour: RGBColor) -> Drawn {
    for (size, style) in [(8, WHITE.filled()), (6, colour.filled())] {
        let dots = points.iter().map(|&[x, y]| Circle::new((x, y), size, style));
        chart.draw_series(dots).map_err(failed)?;
    }
    Ok(())
}

/// A straight line of dashes.
pub(crate) fn dashed(chart: &mut Chart<'_, '_>, from: (f64, f64), to: (f64, f64)) -> Drawn {
    let line = DashedLineSeries::new([from, to], 14, 10, INK.stroke_width(3));
    chart.draw_series(line).map_err(failed)?;
    Ok(())
}

/// Words around a place.
pub(crate) fn label(chart: &mut Chart<'_, '_>, [x, y]: Point, words: &str) -> Drawn {
    let style = font(28, &INK).pos(Pos::new(HPos::Center, VPos::Center));
    chart.draw_series([Text::new(words.to_string(), (x, y), style)]).map_err(failed)?;
    Ok(())
}

/// What the lines and dots with a label are.
pub(crate) fn legend<'a, 'b: 'a>(
    chart: &mut Chart<'a, 'b>,
    position: SeriesLabelPosition,
) -> Drawn {
    chart
        .configure_series_labels()
        .position(position)
        .margin(24)
        .legend_area_size(56)
        .background_style(WHITE.mix(0.85))
        .label_font(font(28, &INK))
        .draw()
        .map_err(failed)
}

/// Colours on a straight way between two, ends included.
pub(crate) fn shades(from: RGBColor, to: RGBColor, count: usize) -> Vec<RGBColor> {
    let share = |i: usize| i as f64 / (count - 1).max(1) as f64;
    let mix =
        |a: u8, b: u8, s: f64| (f64::from(a) + (f64::from(b) - f64::from(a)) * s).round() as u8;
    (0..count)
        .map(share)
        .map(|s| RGBColor(mix(from.0, to.0, s), mix(from.1, to.1, s), mix(from.2, to.2, s)))
        .collect()
}

pub(crate) fn font(size: u32, colour: &RGBColor) -> TextStyle<'static> {
    (FONT, size).into_font().color(colour)
}

/// Two decimals at the most.
pub(crate) fn short(value: &f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    // No minus zero.
    format!("{}", rounded + 0.0)
}

/// The errors of a backend borrow from it.
pub(crate) fn failed(error: impl Display) -> Box<dyn Error> {
    format!("cannot draw: {error}").into()
}
