//! SVG for a page: drawn by plotters, coloured by the page's style sheet.

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;

use crate::escape;

/// What a mark in a figure means: its form, its tone, and a text that is not escaped yet.
pub(super) type Key = (&'static str, Tone, String);

/// A colour by what it is for; the style sheet has one for light and one for dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    /// Text and axes.
    Ink,
    /// What should not stand out.
    Soft,
    /// Lines of the grid, empty cells.
    Faint,
    /// Whatever is shown.
    Data,
    /// A threshold.
    Limit,
    /// Rows above it.
    Unusual,
    /// Rows in alarm.
    Alarm,
    /// Rows of the first labels, by position.
    Label(usize),
    /// A cell of the heat map, from 1 to [`LEVELS`].
    Level(usize),
}

/// Labels that have a tone of their own; the one after them is for all others.
pub(super) const LABELS: usize = 6;
/// Shades of the heat map, beside none.
pub(super) const LEVELS: usize = 9;

impl Tone {
    const FIXED: [(Tone, &str); 7] = [
        (Tone::Ink, "ink"),
        (Tone::Soft, "soft"),
        (Tone::Faint, "faint"),
        (Tone::Data, "data"),
        (Tone::Limit, "limit"),
        (Tone::Unusual, "unusual"),
        (Tone::Alarm, "alarm"),
    ];

    fn all() -> impl Iterator<Item = Tone> {
        let fixed = Self::FIXED.into_iter().map(|(tone, _)| tone);
        fixed.chain((0..=LABELS).map(Tone::Label)).chain((1..=LEVELS).map(Tone::Level))
    }

    /// What the style sheet calls it.
    pub(super) fn name(self) -> String {
        match self {
            Tone::Label(label) => format!("label{label}"),
            Tone::Level(level) => format!("level{level}"),
            fixed => {
                let name = Self::FIXED.iter().find(|(tone, _)| *tone == fixed);
                name.map_or("", |(_, name)| name).to_string()
            }
        }
    }

    /// A stand-in while plotters draws: [`themed`] turns it into a class.
    pub(super) fn colour(self) -> RGBColor {
        let place = Self::all().position(|tone| tone == self).unwrap_or_default();
        RGBColor(1, 2, place as u8)
    }
}

/// The sizes of a figure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Which screens it is for: a class of the style sheet.
    pub(super) class: &'static str,
    /// Width and height, in units of about a pixel.
    pub(super) size: (u32, u32),
    /// Height of text.
    pub(super) text: u32,
    /// Radius of a dot.
    pub(super) dot: u32,
}

impl Shape {
    /// Half of a wide screen, or all of a phone's.
    pub(super) const HALF: Self = Self { class: "half", size: (420, 310), text: 14, dot: 3 };

    /// Text in a tone. Plotters counts its height with leading.
    pub(super) fn font(&self, tone: Tone) -> TextStyle<'static> {
        ("sans-serif", 1.24 * f64::from(self.text)).into_font().color(&tone.colour())
    }
}

/// Where a figure is drawn.
pub(super) type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// A figure; its title says in words what it shows.
pub(super) fn draw(
    shape: Shape,
    title: &str,
    paint: impl FnOnce(&Canvas<'_>) -> Result<()>,
) -> Result<String> {
    let mut text = String::new();
    {
        let canvas = SVGBackend::with_string(&mut text, shape.size).into_drawing_area();
        paint(&canvas)?;
        canvas.present().map_err(failed)?;
    }
    let body = text.split_once('>').map_or("", |(_, body)| body);
    let (width, height) = shape.size;
    Ok(format!(
        "<svg class=\"{}\" viewBox=\"0 0 {width} {height}\" role=\"img\"><title>{}</title>{}",
        shape.class,
        escape::html(title),
        themed(body)
    ))
}

/// Classes instead of colours, and nothing that goes without saying.
fn themed(svg: &str) -> String {
    let mut svg = svg.replace(" font-family=\"sans-serif\"", "");
    for given in ["opacity=\"1\"", "fill=\"none\"", "stroke=\"none\"", "stroke-width=\"1\""] {
        svg = svg.replace(&format!(" {given}"), "");
    }
    for tone in Tone::all() {
        let (RGBColor(r, g, b), name) = (tone.colour(), tone.name());
        for (attribute, kind) in [("fill", 'f'), ("stroke", 's')] {
            let from = format!(" {attribute}=\"#{r:02X}{g:02X}{b:02X}\"");
            svg = svg.replace(&from, &format!(" class=\"{kind}-{name}\""));
        }
    }
    svg
}

/// The errors of a backend borrow from it.
pub(super) fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("cannot draw: {error}")
}

/// A number beside an axis of some length: no more digits than it takes. What is nothing beside that length is 0: ticks come from sums.
pub(super) fn tick(value: f64, length: f64) -> String {
    let magnitude = value.abs();
    if magnitude < 1e-6 * length {
        return "0".into();
    }
    if !(1e-3..1e7).contains(&magnitude) {
        let text = format!("{value:.2e}");
        return text.replace(".00e", "e");
    }
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_becomes_a_class() {
        let shape = Shape::HALF;
        let svg = draw(shape, "a < b", |canvas| {
            for (i, tone) in Tone::all().enumerate() {
                let at = (10 * i as i32, 5);
                canvas.draw(&Circle::new(at, 3, tone.colour().filled())).map_err(failed)?;
                canvas.draw(&Circle::new(at, 4, tone.colour())).map_err(failed)?;
                canvas
                    .draw(&Text::new("fill=\"#010200\"", at, shape.font(tone)))
                    .map_err(failed)?;
            }
            Ok(())
        })
        .unwrap();
        assert!(svg.contains("<title>a &lt; b</title>"), "{svg}");
        for tone in Tone::all() {
            assert_eq!(svg.matches(&format!("class=\"f-{}\"", tone.name())).count(), 2, "{tone:?}");
            assert_eq!(svg.matches(&format!("class=\"s-{}\"", tone.name())).count(), 1, "{tone:?}");
        }
        assert!(!svg.contains("=\"#") && !svg.contains("http"), "{svg}");
    }

    #[test]
    fn the_style_sheet_has_every_tone() {
        for tone in Tone::all() {
            let name = tone.name();
            for rule in [format!(".f-{name}"), format!(".s-{name}")] {
                let known = include_str!("style.css").contains(&rule);
                assert!(known || matches!(tone, Tone::Level(_)), "{rule}");
            }
        }
    }

    #[test]
    fn texts_are_short() {
        assert_eq!(
            [0.0, -6e-17, 0.25, -0.5, 100_000.0, 1.5e8].map(|value| tick(value, 1.0)),
            ["0", "0", "0.25", "-0.5", "100000", "1.50e8"]
        );
        assert_eq!(tick(2e-9, 1e-8), "2e-9");
    }
}
