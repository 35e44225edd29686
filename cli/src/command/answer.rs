//! Rows of a CSV in, a line for each of them out.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use mercer::Error;
use mercer::detect::Verdict;

use super::Output;
use super::batch::{Batch, Writer, answer_all};
use super::line::Line;
use crate::Number;
use crate::cores;
use crate::intake::{Beside, Intake};
use crate::label::NormalLabels;
use crate::loaded::{Loaded, load};
use crate::missing::Missing;
use crate::model::{Model, Scorer};
use crate::queue::in_order;
use crate::table::{RowChoice, Source};
use crate::text::complain;
use crate::watch::Watch;
use crate::whole::require_other;

/// A model, and rows to ask it about.
#[derive(clap::Args, Debug)]
pub(super) struct Input {
    /// A model that `mercer fit` wrote
    #[arg(value_name = "M.mercer")]
    pub(super) model: PathBuf,
    #[command(flatten)]
    pub(super) source: Source,
    #[command(flatten)]
    pub(super) rows: RowChoice,
    /// Rows in a row with the same text in this column are one recording; with each, windows and
    /// the alarm start afresh [default: all rows are one; with a model of raw samples as in `fit`,
    /// if there is this column]
    #[arg(long, value_name = "COLUMN")]
    pub(super) by: Option<String>,
}

/// What is written, and where.
#[derive(clap::Args, Debug)]
pub(super) struct Written {
    /// Columns of the data to repeat beside each row, such as a time or an id; of a window, those
    /// of its first row
    #[arg(long, value_name = "NAME,…")]
    with: Vec<String>,
    /// One object of JSON a line instead of CSV, with the same names
    #[arg(long)]
    json: bool,
    /// A file to write to, whole or not at all [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Input {
    /// All files that are read.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.source.files(&self.rows).chain([self.model.as_path()])
    }

    /// All readings that are asked about.
    pub(super) fn load<T: Number>(
        &self,
        model: &Model<T>,
        label: Option<&str>,
        normal: &NormalLabels,
    ) -> Result<Loaded<T>> {
        let by = self.by.as_deref();
        let beside = Beside { label, by, normal: normal.clone(), ..Beside::default() };
        let (mut room, rows) = (None, (&self.source, &self.rows));
        let mut data = load(Intake::of_model(model, &mut room, rows, &beside)?)?;
        data.omissions.iter().for_each(|omission| complain(omission));
        if self.rows.missing == Some(Missing::Impute) {
            fill(model, &mut data)?;
        }
        Ok(data)
    }
}

/// Fills cells without a number by what the others say to the model.
fn fill<T: Number>(model: &Model<T>, data: &mut Loaded<T>) -> Result<()> {
    let mut scorer = model.scorer();
    let mut wrong = None;
    for (i, x) in data.samples.iter_rows_mut().enumerate() {
        if let Err(error) = scorer.score_available(x) {
            wrong.get_or_insert((i, error));
        }
    }
    wrong.map_or(Ok(()), |(i, error)| Err(data.misfit(i, error)))
}

/// Writes a header, then for each reading the number of its row and what `cells` adds to the line.
/// Where inputs are missing, and that is no error, they are NaN. If there is an alarm, it sees the
/// verdicts in order, and what it says goes where `cells` has left room.
pub(super) fn answer<T: Number>(
    model: &Model<T>,
    (input, written): (&Input, &Written),
    columns: Vec<String>,
    alarm: Option<Watch<T>>,
    cells: impl Fn(&mut Scorer<'_, T>, &mut [T], &mut Line) -> Result<Option<Verdict<T>>, Error> + Sync,
) -> Result<()> {
    // Or it would read its own answers, and never end.
    let place = written.out.as_deref().unwrap_or(Path::new("/dev/stdout"));
    require_other(place, input.files())?;
    let beside = Beside { by: input.by.as_deref(), with: &written.with, ..Beside::default() };
    let (mut room, rows) = (None, (&input.source, &input.rows));
    let mut intake = Intake::of_model(model, &mut room, rows, &beside)?;
    let is_live = input.source.is_stream();
    let mut out = Output::new(is_live, written.out.as_deref())?;
    let names = std::iter::once("row".to_string()).chain(intake.with_names()).chain(columns);
    let line = Line::new(names.collect(), written.json);
    if let Some(header) = line.header() {
        write!(out, "{header}")?;
        out.end_line()?;
    }
    let progress = out.progress(intake.far());
    let writer = Writer { out, alarm, is_json: written.json, progress, far: intake.far().clone() };
    let work = |(scorer, line): &mut (Scorer<'_, T>, Line), batch: Batch<T>| {
        batch.told(line, |x, line| cells(scorer, x, line))
    };
    let worker = || (model.scorer(), line.clone());
    let threads = cores::count();
    let workers = if threads > 1 { (0..threads).map(|_| worker()).collect() } else { Vec::new() };
    let mut own = worker();
    let writer = in_order(workers, work, |queue| {
        let own = |batch| work(&mut own, batch);
        answer_all(&mut intake, is_live, writer, queue, own)
    })?;
    writer.out.finish()?;
    intake.omissions().iter().for_each(|omission| complain(omission));
    Ok(())
}
