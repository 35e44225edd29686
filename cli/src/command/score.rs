//! `mercer score`: how unusual each row is, and because of which column.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;

use super::Output;
use crate::model::{Model, at_row, with_model};
use crate::progress::Progress;
use crate::table::{RowChoice, Source, Table};
use crate::{Number, file};

/// Score each row: CSV `row,spe,t2,abs_sum,alarm` on standard output; alarm is 1 above the threshold, else 0.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    /// A model that `mercer fit` wrote
    #[arg(value_name = "M.mercer")]
    model: PathBuf,
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    rows: RowChoice,
    /// Add a column for each input, of the same name: how much it contributes to SPE
    #[arg(long)]
    why: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    with_model!(file::read(&arguments.model)?, model => score(&model, arguments))
}

fn score<T: Number>(model: &Model<T>, arguments: &Arguments) -> Result<()> {
    let mut table = Table::open(&arguments.source, &arguments.rows)?;
    let columns = table.columns(&model.columns)?;
    let mut out = Output::new(arguments.source.is_stream());
    write!(out, "row,spe,t2,abs_sum,alarm")?;
    if arguments.why {
        for name in &model.columns {
            write!(out, ",{}", cell(name))?;
        }
    }
    out.end_line()?;
    let mut progress = out.progress();
    let mut scorer = model.scorer();
    let mut x = vec![T::ZERO; columns.len()];
    while let Some(row) = table.next_row()? {
        row.numbers(&columns, &mut x)?;
        let reading = if arguments.why { scorer.explain(&x) } else { scorer.score(&x) };
        let reading = reading.map_err(|error| at_row(&row, &columns, error))?;
        let (score, alarm) = (reading.score, u8::from(reading.anomalous));
        let number = row.number;
        write!(out, "{number},{:?},{:?},{:?},{alarm}", score.spe, score.t2, score.abs_sum)?;
        if arguments.why {
            for contribution in &scorer.contributions {
                write!(out, ",{contribution:?}")?;
            }
        }
        out.end_line()?;
        progress.iter_mut().for_each(Progress::step);
    }
    Ok(out.finish()?)
}

/// A name as a cell of CSV.
fn cell(name: &str) -> String {
    match name.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.into(),
    }
}
