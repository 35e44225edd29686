//! `mercer features`: readings of raw samples.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::Output;
use crate::escape;
use crate::intake::{Beside, Intake};
use crate::label::NormalLabels;
use crate::missing::Care;
use crate::table::{ColumnChoice, RowChoice, Source, Table};
use crate::text::{complain, note, push_cell, warn};
use crate::whole::require_other;
use crate::windows::{FrontChoice, WindowChoice};

/// Make readings of raw samples: CSV `row`, the --by column, the --label column, then
/// CHANNEL_FEATURE for all, on standard output.
///
/// `row` is the first row of a window. Numbers have the bits that they have on a device. What does
/// not fill a window at the end of a recording is left out; after a cell without a number a new
/// window begins. `mercer fit --window` does the same unseen, and keeps the recipe in the model.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    front: FrontChoice,
    /// The column that says what is normal; a window has the label of its first row that is not,
    /// if there is one
    #[arg(long, value_name = "COLUMN")]
    label: Option<String>,
    #[command(flatten)]
    normal: NormalLabels,
    #[command(flatten)]
    rows: RowChoice,
    #[command(flatten)]
    columns: ColumnChoice,
    /// A file to write to, whole or not at all [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let Arguments { source, front, label, normal, rows, columns, out } = arguments;
    // Or it would read its own answers, and never end.
    let place = out.as_deref().unwrap_or(Path::new("/dev/stdout"));
    require_other(place, source.files(rows))?;
    front.require_file(source)?;
    let (label, by) = (label.as_deref(), front.rest.by.as_deref());
    let mut table = Table::open(source, &rows.of_samples())?;
    if let (true, Some(WindowChoice::Samples(window))) = (source.is_stream(), front.window) {
        // Whoever waits for the first reading waits no longer for it.
        table.look_ahead(window as usize);
    }
    let channels = table.inputs(&front.rest.columns(columns, label))?;
    let front = front.front(source, rows, table.names(&channels))?;
    front.bands_in_hertz().iter().for_each(|bands| note(bands));
    let beside = Beside { label, by, normal: normal.clone(), ..Beside::default() };
    let care = Care::of_samples(rows.missing, source.is_stream());
    let (mut room, taken) = (None, (care, rows.every));
    let mut intake = Intake::<f32>::windows((table, channels), &front, &mut room, &beside, taken)?;

    let mut out = Output::new(source.is_stream(), out.as_deref())?;
    let names = by.into_iter().chain(label).chain(intake.names().iter().map(String::as_str));
    let header: String = names.map(|name| format!(",{}", escape::csv(name))).collect();
    write!(out, "row{header}")?;
    out.end_line()?;
    let mut progress = out.progress(intake.far());
    let mut text = String::new();
    while intake.advance()? {
        text.clear();
        for cell in by.map(|_| intake.recording()).into_iter().chain(label.map(|_| intake.label()))
        {
            text.push(',');
            text.push_str(&escape::csv(cell));
        }
        intake.x.iter().for_each(|value| push_cell(&mut text, value));
        write!(out, "{}{text}", intake.number())?;
        out.end_line()?;
        progress.iter_mut().for_each(|progress| progress.row(intake.far()));
    }
    out.finish()?;
    intake.omissions().iter().for_each(|omission| complain(omission));
    intake.warnings().iter().for_each(|warning| warn(warning));
    Ok(())
}
