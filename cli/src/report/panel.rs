//! A chart of one series: its name, a drawing that is stretched to its place, and levels beside it.

use std::fmt::Write;

use super::scale::Scale;
use super::trace::{HEIGHT, Trace, WIDTH};
use crate::escape::html as escape;

/// A chart.
pub(super) struct Panel<'a> {
    pub(super) class: &'a str,
    pub(super) name: &'a str,
    /// What stands behind the name.
    pub(super) note: &'a str,
    /// What it shows, for those who cannot see it.
    pub(super) title: &'a str,
    pub(super) scale: &'a Scale,
    /// About how many numbers stand beside it.
    pub(super) levels: usize,
    /// What is drawn.
    pub(super) marks: &'a str,
    /// HTML that is laid over the drawing.
    pub(super) over: &'a str,
    /// And what stands below it.
    pub(super) under: &'a str,
}

impl Panel<'_> {
    pub(super) fn html(&self) -> String {
        let Self { class, name, note, title, scale, marks, over, under, .. } = self;
        let note = match *note {
            "" => String::new(),
            note => format!(" <span class=\"of\">{}</span>", escape(note)),
        };
        format!(
            "<div class=\"panel {class}\" data-low=\"{:e}\" data-high=\"{:e}\"{}>\
             <p class=\"name\"><b>{}</b>{note}</p><div class=\"plot\">{}{}{over}</div>{}</div>\n",
            scale.low(),
            scale.high(),
            if scale.is_logarithmic { " data-log" } else { "" },
            escape(name),
            levels(scale, self.levels),
            svg("trace", title, marks),
            if under.is_empty() {
                String::new()
            } else {
                format!("<div class=\"plot\">{under}</div>")
            }
        )
    }
}

/// Numbers to the left of a drawing.
pub(super) fn levels(scale: &Scale, count: usize) -> String {
    let mut html = String::from("<span class=\"levels\" aria-hidden=\"true\">");
    for (value, text) in scale.ticks(count) {
        let top = 100.0 * (1.0 - scale.share(value));
        let _ = write!(html, "<i style=\"top:{top:.1}%\">{text}</i>");
    }
    html + "</span>"
}

/// The paths of a series.
pub(super) fn drawing(trace: &Trace) -> String {
    let band = trace.band.as_ref().map(|d| format!("<path class=\"band\" d=\"{d}\"/>"));
    format!("{}<path class=\"line\" d=\"{}\"/>", band.unwrap_or_default(), trace.line)
}

/// A drawing that is stretched to the width and height of its place.
pub(super) fn svg(class: &str, title: &str, marks: &str) -> String {
    let about = match title {
        "" => " aria-hidden=\"true\">".to_string(),
        title => format!(" role=\"img\"><title>{}</title>\n", escape(title)),
    };
    format!(
        "<svg class=\"{class}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\"{about}{marks}</svg>"
    )
}
