//! One line of what is said of rows: cells of CSV, or an object of JSON with the same names.

use std::fmt::Write;

use crate::escape;
use crate::number::Number;

/// A line that grows cell by cell, in the order of the columns.
pub(super) struct Line {
    names: Vec<String>,
    is_json: bool,
    next: usize,
    text: String,
}

impl Line {
    /// Of columns with these names.
    pub(super) fn new(names: Vec<String>, is_json: bool) -> Self {
        Self { names, is_json, next: 0, text: String::new() }
    }

    /// The first line of CSV; JSON has none.
    pub(super) fn header(&self) -> Option<String> {
        let cells: Vec<String> = self.names.iter().map(|name| escape::csv(name)).collect();
        (!self.is_json).then(|| cells.join(","))
    }

    pub(super) fn row(&mut self, row: u64) {
        self.push(&row.to_string());
    }

    /// The shortest text that reads back as the same number.
    pub(super) fn number<T: Number>(&mut self, value: T) {
        match self.is_json && !value.is_finite() {
            true => self.push("null"),
            false => self.push(&format!("{value:?}")),
        }
    }

    pub(super) fn flag(&mut self, yes: bool) {
        let words = if self.is_json { ["false", "true"] } else { ["0", "1"] };
        self.push(words[usize::from(yes)]);
    }

    pub(super) fn text(&mut self, text: &str) {
        match self.is_json {
            true => self.push(&json(text)),
            false => self.push(&escape::csv(text)),
        }
    }

    pub(super) fn list(&mut self, texts: &[&str]) {
        match self.is_json {
            true => {
                let texts: Vec<String> = texts.iter().map(|text| json(text)).collect();
                self.push(&format!("[{}]", texts.join(",")));
            }
            false => self.push(&escape::csv(&texts.join(";"))),
        }
    }

    /// There is nothing to say here.
    pub(super) fn nothing(&mut self) {
        self.push(if self.is_json { "null" } else { "" });
    }

    /// The whole line; the next one begins.
    pub(super) fn take(&mut self) -> String {
        debug_assert_eq!(self.next, self.names.len(), "a cell for each column");
        self.next = 0;
        let text = std::mem::take(&mut self.text);
        if self.is_json { format!("{{{text}}}") } else { text }
    }

    fn push(&mut self, cell: &str) {
        if self.next > 0 {
            self.text.push(',');
        }
        if self.is_json {
            let name = self.names.get(self.next).map_or("", String::as_str);
            write!(self.text, "{}:", json(name)).expect("a string takes what is written to it");
        }
        self.text.push_str(cell);
        self.next += 1;
    }
}

fn json(text: &str) -> String {
    escape::json(&serde_json::Value::from(text).to_string())
}
