//! Tables of a page: on a narrow screen, each line becomes a block of its own.

use crate::escape::html as escape;
use crate::text::shorten;

/// Characters of a text of others in a table or a legend.
pub(super) const LONGEST_CELL: usize = 28;

/// A column of a table: what stands above it, and what its cells are.
pub(super) struct Column {
    head: String,
    class: &'static str,
}

pub(super) fn texts(head: &str) -> Column {
    Column { head: escape(head), class: "" }
}

pub(super) fn numbers(head: &str) -> Column {
    Column { head: escape(head), class: " class=\"number\"" }
}

pub(super) fn pictures(head: &str) -> Column {
    Column { head: escape(head), class: " class=\"picture\"" }
}

/// A text of others in a table.
pub(super) fn cell(text: &str) -> String {
    escape(&shorten(text, LONGEST_CELL))
}

/// A table; the first cell of a line is the head of that line.
pub(super) fn table(
    id: &str,
    columns: &[Column],
    lines: impl Iterator<Item = Vec<String>>,
) -> String {
    let head = |Column { head, class }: &Column| format!("<th scope=\"col\"{class}>{head}</th>");
    let line = |cells: Vec<String>| {
        let mut html = String::from("<tr>");
        for (place, (Column { head, class }, cell)) in columns.iter().zip(cells).enumerate() {
            html += &match place {
                0 => format!("<th scope=\"row\"{class}>{cell}</th>"),
                _ => format!("<td{class} data-head=\"{head}\">{cell}</td>"),
            };
        }
        html + "</tr>\n"
    };
    let (heads, body): (String, String) =
        (columns.iter().map(head).collect(), lines.map(line).collect());
    format!(
        "<table id=\"{id}\">\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"
    )
}
