//! docs/growth.svg: the counts and their lines.

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;

use super::growth::{Point, Series};

const SIZE: (u32, u32) = (1000, 420);

/// Greys and colours that can be told from a white page and from a black one; the background stays
/// transparent.
const INK: RGBColor = RGBColor(0x7d, 0x85, 0x90);
const COLOURS: [RGBColor; 3] =
    [RGBColor(0x2f, 0x81, 0xf7), RGBColor(0xd9, 0x76, 0x1c), RGBColor(0x2d, 0xa0, 0x44)];
const FONT: &str = "sans-serif";

/// The plot as the text of an SVG file: scores to the left, fits to the right.
pub(crate) fn svg(series: &[Series]) -> Result<String> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        let (left, right) = area.split_horizontally(SIZE.0 / 2);
        let (fits, scores): (Vec<&Series>, Vec<&Series>) =
            series.iter().partition(|series| series.task.starts_with("fit"));
        let scored = ("score: thousands of instructions", "r·(d + P)");
        panel(&left, scored, 1e3, &scores)?;
        let fitted = ("fit-landmarks: millions of instructions", "samples n");
        panel(&right, fitted, 1e6, &fits)?;
        area.present().map_err(failed)?;
    }
    Ok(text)
}

fn panel<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    (title, x_label): (&str, &str),
    unit: f64,
    series: &[&Series],
) -> Result<()> {
    let most = |of: fn(&Point) -> f64| {
        let all = series.iter().flat_map(|series| &series.points).map(of);
        1.05 * all.fold(0.0, f64::max)
    };
    let (width, height) = (most(|p| p.work), most(|p| p.instructions) / unit);
    let mut chart = ChartBuilder::on(area)
        .caption(title, (FONT, 18).into_font().color(&INK))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(48)
        .build_cartesian_2d(0.0..width, 0.0..height)
        .map_err(failed)?;
    chart
        .configure_mesh()
        .disable_mesh()
        .axis_style(INK)
        .label_style((FONT, 14).into_font().color(&INK))
        .axis_desc_style((FONT, 15).into_font().color(&INK))
        .x_desc(x_label)
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{}", (y * 10.0).round() / 10.0))
        .draw()
        .map_err(failed)?;
    for (series, colour) in series.iter().zip(COLOURS) {
        let Series { points, line, .. } = series;
        let fitted = points.iter().map(|p| (p.work, line.at(p.size) / unit));
        chart
            .draw_series(LineSeries::new(fitted, colour.stroke_width(2)))
            .map_err(failed)?
            .label(series.title)
            .legend(move |(x, y)| Circle::new((x + 10, y), 5, colour.filled()));
        let measured = points.iter().map(|p| (p.work, p.instructions / unit));
        chart
            .draw_series(measured.map(|at| Circle::new(at, 4, colour.filled())))
            .map_err(failed)?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .label_font((FONT, 14).into_font().color(&INK))
        .draw()
        .map_err(failed)
}

/// The errors of a backend borrow from it.
fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("cannot draw: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::growth::Line;

    #[test]
    fn every_count_is_a_dot_and_every_series_has_a_name() {
        let at = |size: f64| Point { size, work: size, instructions: 1e6 * size };
        let points = [1.0, 2.0, 3.0].map(at).to_vec();
        let line = Line { intercept: 0.0, slope: 1e6 };
        let series = Series { task: "fit", letter: "n", title: "samples, few", points, line };
        let text = svg(&[series]).unwrap();
        assert!(text.starts_with("<svg"), "{text}");
        assert_eq!(text.matches("<circle").count(), 3 + 1);
        assert!(text.contains("samples, few"), "{text}");
    }
}
