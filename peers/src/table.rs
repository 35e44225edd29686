//! A table of times for the three sizes, with what the others take in multiples of the first row.

use std::fmt;

pub(crate) type Sizes = [usize; 3];
/// A number for each size.
pub(crate) type Times = [f64; 3];

pub(crate) struct Table {
    title: &'static str,
    sizes: Sizes,
    rows: Vec<(String, Times)>,
}

impl Table {
    pub(crate) fn new(title: &'static str, sizes: Sizes) -> Self {
        Self { title, sizes, rows: Vec::new() }
    }

    /// Adds a row, or to one that is there already the times that are better.
    pub(crate) fn row(&mut self, name: &str, milliseconds: Times) {
        match self.rows.iter_mut().find(|(known, _)| known == name) {
            Some((_, best)) => {
                *best = std::array::from_fn(|i| best[i].min(milliseconds[i]));
            }
            None => self.rows.push((name.to_string(), milliseconds)),
        }
    }

    /// What one row takes in the best of the others', which are those that this accepts; `None` without any.
    pub(crate) fn lead(&self, name: &str, other: impl Fn(&str) -> bool) -> Option<Times> {
        let (_, ours) = self.rows.iter().find(|(known, _)| known == name)?;
        let mut others = self.rows.iter().filter(|(name, _)| other(name)).map(|(_, ms)| *ms);
        let first = others.next()?;
        let best = others.fold(first, |best, ms| std::array::from_fn(|i| best[i].min(ms[i])));
        Some(std::array::from_fn(|i| best[i] / ours[i]))
    }
}

/// What is wanted: at every size so many times as fast as the fastest other.
pub(crate) struct Goal {
    pub(crate) what: &'static str,
    pub(crate) times: f64,
    pub(crate) sizes: Sizes,
    /// `None` if the others could not be measured.
    pub(crate) lead: Option<Times>,
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "goal: {}, {}× at n =", self.what, self.times)?;
        for (i, n) in self.sizes.iter().enumerate() {
            write!(f, "{} {n}", if i == 0 { "" } else { "," })?;
        }
        let Some(lead) = self.lead else {
            return write!(f, ": not judged, the others are missing");
        };
        let [a, b, c] = lead;
        let met = if lead.iter().all(|&lead| lead >= self.times) { "met" } else { "NOT met" };
        write!(f, ": {a:.2}×, {b:.2}×, {c:.2}×: {met}")
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let width = width.max(self.title.len());
        write!(f, "{:<width$}", self.title)?;
        for n in self.sizes {
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
        let mut table = Table::new("work", [1, 2, 3]);
        table.row("ours", [1.0, 2.0, 4.0]);
        table.row("theirs", [3.0, 5.0, 4.0]);
        let text = table.to_string();
        let last = text.lines().last().expect("three lines");
        assert!(last.contains("3.0×") && last.contains("2.5×") && last.contains("1.0×"), "{text}");
    }

    #[test]
    fn the_best_of_all_rounds_and_of_all_others_counts() {
        let mut table = Table::new("work", [1, 2, 3]);
        let times = [[2.0, 2.0, 4.0], [9.0, 4.0, 12.0], [6.0, 8.0, 16.0]];
        for (name, times) in ["ours", "a", "b"].into_iter().zip(times) {
            table.row(name, times);
        }
        table.row("ours", [1.0, 3.0, 5.0]);
        assert_eq!(table.lead("ours", |name| name != "ours"), Some([6.0, 2.0, 3.0]));
        assert_eq!(table.lead("ours", |_| false), None);
        let goal = |times, lead| Goal { what: "work", times, sizes: [1, 2, 3], lead }.to_string();
        let lead = Some([6.0, 2.0, 3.0]);
        assert!(goal(2.0, lead).ends_with(": 6.00×, 2.00×, 3.00×: met"), "{}", goal(2.0, lead));
        assert!(goal(2.5, lead).ends_with("NOT met"));
        assert!(goal(2.5, None).contains("not judged"));
    }
}
