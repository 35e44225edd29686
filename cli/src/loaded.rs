//! Readings of a CSV, all of them in memory.

use anyhow::{Result, anyhow, ensure};
use mercer::Error;
use mercer::error::Fault;

use crate::Number;
use crate::grid::Grid;
use crate::intake::Intake;
use crate::progress::Progress;
use crate::table::TOO_LARGE;
use crate::text::{count, excerpt};

/// All readings that were wanted.
pub(crate) struct Loaded<T> {
    /// The file, for messages.
    pub name: String,
    /// What readings are: rows, or windows.
    pub unit: &'static str,
    /// Names of the inputs.
    pub columns: Vec<String>,
    /// One row of inputs for each.
    pub samples: Grid<T>,
    /// The numbers of their rows, or of the first rows of their windows.
    pub rows: Vec<u64>,
    /// The lines that these stand on.
    pub lines: Vec<u64>,
    /// Their labels, if a column was asked for.
    pub labels: Vec<String>,
    /// What tells recordings apart; all empty if there is no such column.
    pub recordings: Vec<String>,
    /// What was left out.
    pub omissions: Vec<String>,
    /// What a model should not learn from raw samples unawares.
    pub warnings: Vec<String>,
}

/// Reads all of them.
pub(crate) fn load<T: Number>(mut intake: Intake<'_, T>) -> Result<Loaded<T>> {
    let mut progress = Progress::of_file("reading", intake.far());
    let mut loaded = Loaded {
        name: intake.name().into(),
        unit: intake.unit(),
        columns: intake.names().to_vec(),
        samples: Grid::new(intake.names().len()),
        rows: Vec::new(),
        lines: Vec::new(),
        labels: Vec::new(),
        recordings: Vec::new(),
        omissions: Vec::new(),
        warnings: Vec::new(),
    };
    while intake.advance()? {
        loaded.samples.push(&intake.x);
        loaded.rows.push(intake.number());
        loaded.lines.push(intake.line());
        loaded.labels.push(intake.label().into());
        loaded.recordings.push(intake.recording().into());
        progress.row(intake.far());
    }
    loaded.omissions = intake.omissions();
    loaded.warnings = intake.warnings();
    let Some(place) = intake.wished_order() else { return Ok(loaded) };
    let mut order: Vec<usize> = (0..loaded.rows.len()).collect();
    order.sort_by_key(|&i| place(loaded.rows[i]));
    Ok(loaded.only(&order))
}

impl<T: Number> Loaded<T> {
    /// File and line of a sample, e.g. `data.csv:17`.
    pub(crate) fn place(&self, sample: usize) -> String {
        format!("{}:{}", self.name, self.lines.get(sample).copied().unwrap_or_default())
    }

    /// Something is wrong with a sample.
    pub(crate) fn fault(&self, sample: usize, fault: Fault) -> anyhow::Error {
        let place = self.place(sample);
        match fault {
            Fault::NotFinite { input } | Fault::ScaleOverflow { input } => {
                let name = self.columns.get(input).map(|name| excerpt(name)).unwrap_or_default();
                anyhow!("{place}: {TOO_LARGE} (column {name})")
            }
            fault => anyhow!("{place}: {fault}"),
        }
    }

    /// A sample could not be scored.
    pub(crate) fn misfit(&self, sample: usize, error: Error) -> anyhow::Error {
        match error {
            Error::Query(fault) => self.fault(sample, fault),
            other => anyhow!("{}: {other}", self.place(sample)),
        }
    }

    /// Where recordings begin, but for the first.
    pub(crate) fn begins(&self) -> Vec<usize> {
        let pairs = self.recordings.windows(2).enumerate();
        pairs.filter(|(_, pair)| pair[0] != pair[1]).map(|(i, _)| i + 1).collect()
    }

    /// At most so many samples, evenly spread.
    pub(crate) fn thinned(self, most: usize) -> Self {
        match self.lines.len() {
            count if count <= most => self,
            count => self.only(&(0..most).map(|k| spread(k, count, most)).collect::<Vec<_>>()),
        }
    }

    /// Those of the samples that are normal.
    pub(crate) fn normal(self, is_normal: &[bool]) -> Self {
        let normal = is_normal.iter().enumerate().filter(|(_, normal)| **normal);
        let chosen: Vec<usize> = normal.map(|(i, _)| i).collect();
        if chosen.len() == self.lines.len() { self } else { self.only(&chosen) }
    }

    /// Some of the samples.
    fn only(self, chosen: &[usize]) -> Self {
        let mut samples = Grid::new(self.samples.columns());
        let all: Vec<&[T]> = self.samples.iter_rows().collect();
        chosen.iter().for_each(|&i| samples.push(all[i]));
        let texts = |all: &[String]| chosen.iter().map(|&i| all[i].clone()).collect();
        Self {
            samples,
            rows: chosen.iter().map(|&i| self.rows[i]).collect(),
            lines: chosen.iter().map(|&i| self.lines[i]).collect(),
            labels: texts(&self.labels),
            recordings: texts(&self.recordings),
            ..self
        }
    }

    /// Fills cells without a number by the median of their column, and says so.
    pub(crate) fn imputed(mut self) -> Result<Self> {
        let (mut filled, rows) = (Vec::new(), self.lines.len());
        for (column, name) in self.columns.iter().enumerate() {
            let mut known: Vec<T> = self.samples.iter_rows().map(|row| row[column]).collect();
            known.retain(|value| value.is_finite());
            let lost = rows - known.len();
            if lost == 0 {
                continue;
            }
            let place = known.len() / 2;
            ensure!(
                2 * lost < rows,
                "{}: more than half of column {} is missing, too much to fill",
                self.name,
                excerpt(name)
            );
            let (_, &mut median, _) =
                known.select_nth_unstable_by(place, |a, b| a.to_f64().total_cmp(&b.to_f64()));
            let cells = self.samples.iter_rows_mut().map(|row| &mut row[column]);
            cells.filter(|cell| !cell.is_finite()).for_each(|cell| *cell = median);
            filled.push(format!("{} of {}", count(lost, "cell"), excerpt(name)));
        }
        if !filled.is_empty() {
            self.warnings.push(format!(
                "{} filled by the median of the column, which makes it look steadier than it is: a share of false alarms that rests on few such rows is more honest",
                filled.join(", ")
            ));
        }
        Ok(self)
    }
}

/// `k·(count − 1)/(most − 1)`, rounded to the nearest number, halves to the even one.
fn spread(k: usize, count: usize, most: usize) -> usize {
    let (product, parts) = (k * (count - 1), (most - 1).max(1));
    let (whole, rest) = (product / parts, product % parts);
    let up = 2 * rest > parts || (2 * rest == parts && whole % 2 == 1);
    whole + usize::from(up)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_spread_evenly() {
        let of = |count, most| (0..most).map(|k| spread(k, count, most)).collect::<Vec<_>>();
        assert_eq!(of(10, 10), (0..10).collect::<Vec<_>>());
        // 0, 2.25, 4.5, 6.75, 9: the half goes to the even number.
        assert_eq!(of(10, 5), [0, 2, 4, 7, 9]);
        // 0, 1.5, 3.
        assert_eq!(of(4, 3), [0, 2, 3]);
        assert_eq!(of(9, 1), [0]);
        for (count, most) in [(1000, 256), (257, 256), (300, 2)] {
            let chosen = of(count, most);
            assert!(chosen.is_sorted() && chosen[0] == 0 && chosen[most - 1] == count - 1);
            let reference = |k: usize| {
                (k as f64 * (count - 1) as f64 / (most - 1) as f64).round_ties_even() as usize
            };
            assert!(chosen.iter().enumerate().all(|(k, &i)| i == reference(k)));
        }
    }
}
