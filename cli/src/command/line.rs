//! One line of what is said of rows: cells of CSV, or an object of JSON with the same names.

use std::fmt::{Display, Write};

use crate::escape;
use crate::number::Number;

/// A line that grows cell by cell, in the order of the columns.
#[derive(Clone)]
pub(super) struct Line {
    /// As they are written.
    names: Vec<String>,
    is_json: bool,
    next: usize,
    text: String,
    /// Where a cell is to be filled in.
    later: Option<usize>,
}

impl Line {
    /// Of columns with these names.
    pub(super) fn new(names: Vec<String>, is_json: bool) -> Self {
        let written = |name: &String| if is_json { json(name) } else { escape::csv(name) };
        let names = names.iter().map(written).collect();
        Self { names, is_json, next: 0, text: String::new(), later: None }
    }

    /// The first line of CSV; JSON has none.
    pub(super) fn header(&self) -> Option<String> {
        (!self.is_json).then(|| self.names.join(","))
    }

    /// Begins a line, with the number of its row.
    pub(super) fn begin(&mut self, row: u64) {
        (self.next, self.later) = (0, None);
        self.text.clear();
        self.push(format_args!("{row}"));
    }

    /// The shortest text that reads back as the same number.
    pub(super) fn number<T: Number>(&mut self, value: T) {
        match self.is_json && !value.is_finite() {
            true => self.push("null"),
            false => self.push(format_args!("{value:?}")),
        }
    }

    pub(super) fn flag(&mut self, yes: bool) {
        self.push(flag(self.is_json, yes));
    }

    /// A cell that is filled in when the line is written.
    pub(super) fn later(&mut self) {
        self.push("");
        self.later = Some(self.text.len());
    }

    pub(super) fn text(&mut self, text: &str) {
        match self.is_json {
            true => self.push(json(text)),
            false => self.push(escape::csv(text)),
        }
    }

    pub(super) fn list(&mut self, texts: &[&str]) {
        match self.is_json {
            true => {
                let texts: Vec<String> = texts.iter().map(|text| json(text)).collect();
                self.push(format_args!("[{}]", texts.join(",")));
            }
            false => self.push(escape::csv(&texts.join(";"))),
        }
    }

    /// There is nothing to say here.
    pub(super) fn nothing(&mut self) {
        self.push(if self.is_json { "null" } else { "" });
    }

    /// Adds the whole line to a text. Returns where in the text a cell is to be filled in.
    pub(super) fn end(&mut self, text: &mut String) -> Option<usize> {
        debug_assert_eq!(self.next, self.names.len(), "a cell for each column");
        if self.is_json {
            text.push('{');
        }
        let later = self.later.map(|place| text.len() + place);
        text.push_str(&self.text);
        text.push_str(if self.is_json { "}\n" } else { "\n" });
        later
    }

    fn push(&mut self, cell: impl Display) {
        if self.next > 0 {
            self.text.push(',');
        }
        let name = self.names.get(self.next).map_or("", String::as_str);
        let written = match self.is_json {
            true => write!(self.text, "{name}:{cell}"),
            false => write!(self.text, "{cell}"),
        };
        written.expect("a string takes what is written to it");
        self.next += 1;
    }
}

/// Yes or no in a cell.
pub(super) fn flag(is_json: bool, yes: bool) -> &'static str {
    match (is_json, yes) {
        (true, true) => "true",
        (true, false) => "false",
        (false, true) => "1",
        (false, false) => "0",
    }
}

fn json(text: &str) -> String {
    escape::json(&serde_json::Value::from(text).to_string())
}
