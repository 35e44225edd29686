//! `mercer project`: what the components see of each row.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;

use super::Output;
use crate::model::{Model, at_row, with_model};
use crate::progress::Progress;
use crate::table::{RowChoice, Source, Table};
use crate::{Number, file};

/// Project each row on the components: CSV `row,f0,f1,…` on standard output.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    /// A model that `mercer fit` wrote
    #[arg(value_name = "M.mercer")]
    model: PathBuf,
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    rows: RowChoice,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    with_model!(file::read(&arguments.model)?, model => project(&model, arguments))
}

fn project<T: Number>(model: &Model<T>, arguments: &Arguments) -> Result<()> {
    let mut table = Table::open(&arguments.source, &arguments.rows)?;
    let columns = table.columns(&model.columns)?;
    let mut out = Output::new(arguments.source.is_stream());
    write!(out, "row")?;
    for j in 0..model.components() {
        write!(out, ",f{j}")?;
    }
    out.end_line()?;
    let mut progress = out.progress();
    let mut scorer = model.scorer();
    let mut x = vec![T::ZERO; columns.len()];
    while let Some(row) = table.next_row()? {
        row.numbers(&columns, &mut x)?;
        scorer.project(&x).map_err(|error| at_row(&row, &columns, error))?;
        write!(out, "{}", row.number)?;
        for f in &scorer.projection {
            write!(out, ",{f:?}")?;
        }
        out.end_line()?;
        progress.iter_mut().for_each(Progress::step);
    }
    Ok(out.finish()?)
}
