//! The rows of a report, scored.

use anyhow::{Result, anyhow};
use mercer::detect::Suspect;
use mercer::{AlarmConfig, Error};

use super::axis::Axis;
use super::events::{Event, events};
use super::labels::Labels;
use super::words::count;
use crate::Number;
use crate::grid::Grid;
use crate::intake::{Beside, Intake};
use crate::model::Model;
use crate::progress::Progress;
use crate::table::{RowChoice, Source};
use crate::text::{complain, short, thousands};
use crate::watch::{AlarmChoice, Watch};

/// What a model makes of some rows.
pub(crate) struct Readings<T> {
    /// The file without its folder.
    pub(super) file: String,
    pub(super) rows: Vec<u64>,
    lines: Vec<u64>,
    samples: Grid<T>,
    /// What a reading is called: a row, or a window of them.
    pub(super) unit: &'static str,
    /// Rows of a window; 1 if rows are readings.
    window: usize,
    /// Rows a second, if somebody said so.
    rate: Option<f64>,
    /// Of SPE.
    pub(super) threshold: f64,
    pub(super) unusual: Vec<bool>,
    /// Is the alarm up?
    pub(super) in_alarm: Vec<bool>,
    /// What it was up for.
    pub(super) events: Vec<Event>,
    /// What raises and ends it.
    pub(super) alarm: AlarmConfig,
    /// The first projections of each.
    pub(super) projections: Vec<[f64; FIRST]>,
    /// SPE in thresholds.
    pub(super) severity: Vec<f64>,
    pub(super) axis: Axis,
    /// The texts of the column with the time, if there is one.
    pub(super) times: Vec<String>,
    pub(super) labels: Option<Labels>,
}

/// Projections that are kept of each row; the rest are zeros if the model has fewer.
pub(super) const FIRST: usize = 3;

impl<T: Number> Readings<T> {
    /// Reads and scores all rows that are wanted.
    pub(crate) fn new(
        model: &Model<T>,
        (source, choice): (&Source, &RowChoice),
        beside: &Beside<'_>,
        (alarm, rate): (&AlarmChoice, Option<f64>),
    ) -> Result<Self> {
        let mut room = None;
        let mut intake = Intake::of_model(model, &mut room, (source, choice), beside)?;
        let &Beside { label, time, .. } = beside;
        let alarm = alarm.config()?;
        let mut watch = Watch::new(alarm)?;
        let (mut rows, mut lines) = (Vec::new(), Vec::new());
        let (mut times, mut labels) = (Vec::new(), Vec::new());
        let (mut spe, mut unusual) = (Vec::new(), Vec::new());
        let mut alarms = Vec::new();
        let (mut projections, mut samples) = (Vec::new(), Grid::new(model.inputs()));
        let mut scorer = model.scorer();
        let mut progress = Progress::new("scoring", 0);
        while intake.advance()? {
            let scored = scorer.score_available(&mut intake.x);
            let reading = scored.map_err(|error| intake.misfit(error))?.verdict;
            rows.push(intake.number());
            lines.push(intake.line());
            labels.extend(label.map(|_| intake.label().to_string()));
            times.extend(time.map(|_| intake.time().to_string()));
            samples.push(&intake.x);
            spe.push(reading.score.spe.to_f64());
            unusual.push(reading.unusual);
            let seen = watch.see(&reading, intake.recording());
            alarms.push((seen.active, seen.raised));
            projections.push(first_projections(&scorer.projection));
            progress.step();
        }
        drop(progress);
        intake.omissions().iter().for_each(|omission| complain(omission));
        let front = model.front.as_ref();
        let rate = rate.or(front.and_then(|front| front.rate));
        let per = rate.unwrap_or(1.0);
        let axis = match (time, rate, front) {
            (Some(name), _, _) => Axis::new(name, &times),
            (None, rate, front) => {
                let name = match (rate, front) {
                    (Some(_), _) => "seconds",
                    (None, Some(_)) => "sample",
                    (None, None) => "row",
                };
                Axis::numbers(name, rows.iter().map(|&row| row as f64 / per).collect())
            }
        };
        let file = match source.is_stream() {
            true => intake.name().to_string(),
            false => file_name(&source.data),
        };
        let threshold = model.threshold.spe.to_f64();
        let severity: Vec<f64> = spe.iter().map(|&spe| in_thresholds(spe, threshold)).collect();
        Ok(Self {
            file,
            rows,
            lines,
            samples,
            unit: if front.is_some() { "window" } else { "row" },
            window: front.map_or(1, |front| front.window),
            rate,
            threshold,
            unusual,
            in_alarm: alarms.iter().map(|&(active, _)| active).collect(),
            events: events(&alarms, &severity),
            alarm,
            projections,
            severity,
            axis,
            times,
            labels: label.map(|column| Labels::new(column, &labels)),
        })
    }

    pub(super) fn count(&self) -> usize {
        self.rows.len()
    }

    /// How many rows are unusual.
    pub(super) fn unusual_count(&self) -> usize {
        self.unusual.iter().filter(|&&unusual| unusual).count()
    }

    /// How many rows the alarm was up for.
    pub(super) fn alarm_count(&self) -> usize {
        self.in_alarm.iter().filter(|&&active| active).count()
    }

    /// Rows and alarms in a few words.
    pub(crate) fn in_short(&self) -> String {
        let (rows, unusual) = (count(self.count(), self.unit), thousands(self.unusual_count()));
        format!("{rows}, {unusual} unusual, {}", count(self.events.len(), "alarm"))
    }

    /// The most severe of some rows, the first of equals.
    pub(super) fn worst(&self, rows: impl Iterator<Item = usize>) -> Option<usize> {
        rows.reduce(
            |worst, row| if self.severity[row] > self.severity[worst] { row } else { worst },
        )
    }

    /// Where a reading begins, as the file or the axis has it.
    pub(super) fn start(&self, row: usize) -> String {
        self.times.get(row).cloned().unwrap_or_else(|| self.place(self.rows[row]))
    }

    /// Where it ends: that of a window is its last row.
    pub(super) fn end(&self, row: usize) -> String {
        let last = self.rows[row] + self.window as u64 - 1;
        self.times.get(row).cloned().unwrap_or_else(|| self.place(last))
    }

    fn place(&self, number: u64) -> String {
        match self.rate {
            Some(rate) => format!("{} s", short(number as f64 / rate)),
            None => format!("{} {}", if self.window > 1 { "sample" } else { "row" }, number),
        }
    }

    /// What an input reads from row to row.
    pub(super) fn input(&self, input: usize) -> impl Iterator<Item = f64> {
        self.samples.iter_rows().map(move |row| row[input].to_f64())
    }

    /// What scores are measured in.
    pub(super) fn score_unit(&self) -> &'static str {
        if self.threshold > 0.0 { "thresholds" } else { "SPE" }
    }

    /// A score in units of the threshold.
    pub(super) fn in_thresholds(&self, spe: f64) -> f64 {
        in_thresholds(spe, self.threshold)
    }

    /// The input to blame for a row.
    pub(super) fn suspect(&self, model: &Model<T>, row: usize) -> Result<Suspect<T>> {
        let suspect = model.scorer().suspect(self.sample(row));
        suspect.map_err(|error| self.unexplained(row, &error))
    }

    pub(super) fn sample(&self, row: usize) -> &[T] {
        self.samples.iter_rows().nth(row).unwrap_or_default()
    }

    fn unexplained(&self, row: usize, error: &Error) -> anyhow::Error {
        anyhow!("{}:{}: cannot be explained: {error}", self.file, self.lines[row])
    }

    /// SPE of a row in thresholds, dealt out to the inputs in proportion to the magnitudes of their
    /// contributions.
    pub(super) fn shares(&self, model: &Model<T>, row: usize) -> Result<Vec<f64>> {
        let mut scorer = model.scorer();
        scorer.explain(self.sample(row)).map_err(|error| self.unexplained(row, &error))?;
        let magnitudes: Vec<f64> = scorer.contributions.iter().map(|c| c.to_f64().abs()).collect();
        let total: f64 = magnitudes.iter().sum();
        let share = |c: &f64| if total > 0.0 { self.severity[row] * c / total } else { 0.0 };
        Ok(magnitudes.iter().map(share).collect())
    }
}

/// A score in units of its threshold, or as it is where that is 0.
fn in_thresholds(value: f64, threshold: f64) -> f64 {
    let share = if threshold > 0.0 { value / threshold } else { value };
    share.max(0.0)
}

pub(super) fn first_projections<T: Number>(projection: &[T]) -> [f64; FIRST] {
    let mut first = [0.0; FIRST];
    for (place, value) in first.iter_mut().zip(projection) {
        *place = value.to_f64();
    }
    first
}

/// The name of a file without its folder, so that a page does not depend on where it was made.
pub(crate) fn file_name(path: &std::path::Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
