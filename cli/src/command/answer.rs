//! Rows of a CSV in, a line for each of them out.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use mercer::Error;

use super::Output;
use crate::Number;
use crate::missing::Missing;
use crate::model::{Model, Scorer};
use crate::progress::Progress;
use crate::table::{RowChoice, Source, Table};
use crate::text::{complain, thousands};
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
}

impl Input {
    /// All files that are read.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.source.files(&self.rows).chain([self.model.as_path()])
    }
}

/// Writes a header, then for each row its number and what `cells` adds to the text, with a comma before each cell.
/// Where inputs are missing, and that is no error, they are NaN. Beside the inputs of a row it gets the text of one more
/// column, if there is one to be read.
pub(super) fn answer<T: Number>(
    model: &Model<T>,
    input: &Input,
    header: &str,
    missing: Missing,
    more: Option<&str>,
    mut cells: impl FnMut(&mut Scorer<'_, T>, &mut [T], &str, &mut String) -> Result<(), Error>,
) -> Result<()> {
    // Or it would read its own answers, and never end.
    require_other(Path::new("/dev/stdout"), input.files())?;
    let mut table = Table::open(&input.source, &input.rows)?;
    let columns = table.columns(&model.columns)?;
    let more = more.map(|name| table.column(name)).transpose()?;
    let mut out = Output::new(input.source.is_stream());
    write!(out, "row{header}")?;
    out.end_line()?;
    let mut progress = out.progress();
    let mut scorer = model.scorer();
    let (mut x, mut text, mut left_out) = (vec![T::ZERO; columns.len()], String::new(), 0);
    while let Some(row) = table.next_row()? {
        let lost = match missing {
            Missing::Error => row.numbers(&columns, &mut x).map(|()| 0)?,
            Missing::Skip | Missing::Impute => row.numbers_if_any(&columns, &mut x)?,
        };
        if lost == columns.len() || (lost > 0 && missing == Missing::Skip) {
            left_out += 1;
            continue;
        }
        text.clear();
        let more = more.map(|column| row.text(column)).unwrap_or_default();
        cells(&mut scorer, &mut x, more, &mut text).map_err(|error| row.misfit(&columns, error))?;
        write!(out, "{}{text}", row.number)?;
        out.end_line()?;
        progress.iter_mut().for_each(Progress::step);
    }
    out.finish()?;
    if left_out > 0 {
        let which = if missing == Missing::Skip { "with missing" } else { "without any" };
        let plural = if left_out == 1 { "" } else { "s" };
        complain(&format!("{} row{plural} {which} inputs left out", thousands(left_out)));
    }
    Ok(())
}
