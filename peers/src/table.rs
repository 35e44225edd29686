//! A table of times for the three sizes, with what the others take in multiples of the first row.

use std::fmt;

use crate::data::SIZES;

pub(crate) struct Table {
    title: &'static str,
    rows: Vec<(String, [f64; SIZES.len()])>,
}

impl Table {
    pub(crate) fn new(title: &'static str) -> Self {
        Self { title, rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, name: &str, milliseconds: [f64; SIZES.len()]) {
        self.rows.push((name.to_string(), milliseconds));
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let width = width.max(self.title.len());
        write!(f, "{:<width$}", self.title)?;
        for n in SIZES {
            write!(f, "  {:>16}", format!("n = {n}"))?;
        }
        writeln!(f)?;
        let Some((_, first)) = self.rows.first() else { return Ok(()) };
        for (name, milliseconds) in &self.rows {
            write!(f, "{name:<width$}")?;
            for (ms, ours) in milliseconds.iter().zip(first) {
                write!(f, "  {ms:>9.3} {:>5.1}×", ms / ours)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_multiples_of_the_first() {
        let mut table = Table::new("work");
        table.row("ours", [1.0, 2.0, 4.0]);
        table.row("theirs", [3.0, 5.0, 4.0]);
        let text = table.to_string();
        let last = text.lines().last().expect("three lines");
        assert!(last.contains("3.0×") && last.contains("2.5×") && last.contains("1.0×"), "{text}");
    }
}
