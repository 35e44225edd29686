//! `mercer fit`: a model from the rows of a CSV.

use std::path::PathBuf;

use anyhow::Result;

use super::{each, tell};
use crate::choices::Choices;
use crate::intake::{Beside, Intake};
use crate::label::NormalLabels;
use crate::learn::learn;
use crate::loaded::load;
use crate::logs::in_words;
use crate::missing::{Care, Missing};
use crate::model::{AnyModel, Model, with_model};
use crate::per_day::{self, readings_a_day};
use crate::progress::Progress;
use crate::samples::SampleType;
use crate::table::{ColumnChoice, RowChoice, Source, Table};
use crate::text::{hang, list, percent, short, thousands, warn};
use crate::whole::require_other;
use crate::windows::FrontChoice;
use crate::{Number, Precision, escape, file};

/// Learn what normal looks like from the rows of a CSV, or from windows of raw samples.
///
/// With --window the recipe that makes readings of raw samples is kept in the model: all other
/// commands then take raw samples for it.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    pub(super) source: Source,
    /// Where the model goes; with --each, a folder for the models
    #[arg(long, short, value_name = "M.mercer")]
    pub(super) out: PathBuf,
    /// One model for the rows of each machine, by the texts in this column, on all cores:
    /// FOLDER/MACHINE.mercer, all with the same inputs. One that fails leaves the others alone
    /// (exit code 1)
    #[arg(long, value_name = "COLUMN")]
    each: Option<String>,
    /// Say how many false alarms a day are to be expected; takes --rate, rows a second
    #[arg(long)]
    per_day: bool,
    /// Write a model even if learning refuses it as one that cannot tell which readings are
    /// unusual; whatever uses it repeats why
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    pub(super) front: FrontChoice,
    /// The column that says what is normal; it is no input, and only normal rows are learned from.
    /// A window is normal if all of its rows are
    #[arg(long, value_name = "COLUMN")]
    pub(super) label: Option<String>,
    #[command(flatten)]
    normal: NormalLabels,
    #[command(flatten)]
    pub(super) rows: RowChoice,
    /// Of the readings that are left, at most so many, evenly spread
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    most: Option<u32>,
    #[command(flatten)]
    pub(super) columns: ColumnChoice,
    #[command(flatten)]
    choices: Choices,
}

pub(super) fn run(arguments: Arguments) -> Result<()> {
    let Arguments { source, rows, out, .. } = &arguments;
    if let Some(column) = &arguments.each {
        return each::run(&arguments, column);
    }
    if arguments.per_day && arguments.front.window.is_none() {
        // Before the work rather than after it.
        readings_a_day(arguments.front.rest.rate, None)?;
    }
    require_other(out, source.files(rows))?;
    let model = fit_any(&arguments)?;
    file::write(out, &model)?;
    with_model!(&model, model => say_warnings(model));
    tell!("{}", with_model!(&model, model => summary(model)).trim_end());
    if arguments.per_day {
        let rate = arguments.front.rest.rate;
        let words = with_model!(&model, model => {
            per_day::in_words(&model.training, readings_a_day(rate, model.front.as_ref())?)
        });
        tell!("{:<22} {}", "a day", hang(&words, 23));
    }
    Ok(())
}

/// Fits a model of the precision that was asked for, if learning accepts it.
pub(super) fn fit_any(arguments: &Arguments) -> Result<AnyModel> {
    let model: AnyModel = match arguments.choices.precision {
        Precision::F32 => fit::<f32>(arguments)?.into(),
        Precision::F64 => fit::<f64>(arguments)?.into(),
    };
    let name = arguments.source.name();
    with_model!(&model, model => model.require_accepted(&name, arguments.force))?;
    Ok(model)
}

fn fit<T: Number>(arguments: &Arguments) -> Result<Model<T>> {
    let Arguments { source, rows, columns, label, normal, choices, .. } = arguments;
    let label = label.as_deref();
    let columns = arguments.front.rest.columns(columns, label);
    let by = arguments.front.rest.by.as_deref();
    let beside = Beside { label, by, normal: normal.clone(), ..Beside::default() };
    let (mut room, front);
    let intake = if arguments.front.window.is_some() {
        arguments.front.require_file(source)?;
        let mut table = Table::open(source, &rows.of_samples())?;
        let channels = table.inputs(&columns)?;
        front = Some(arguments.front.front(source, rows, table.names(&channels))?);
        room = None;
        let care = Care::of_samples(rows.missing, false);
        let recipe = front.as_ref().expect("it was just made");
        Intake::windows((table, channels), recipe, &mut room, &beside, (care, rows.every))?
    } else {
        let mut front_choice = arguments.front.clone();
        // A rate is for windows, or for --per-day.
        front_choice.rest.rate = front_choice.rest.rate.filter(|_| !arguments.per_day);
        front_choice.require_none()?;
        front = None;
        let mut table = Table::open(source, rows)?;
        let inputs = table.inputs(&columns)?;
        Intake::rows(table, inputs, &beside, Care::of_rows(rows.missing, false))?
    };
    let mut data = load(intake)?;
    if let Some(label) = label {
        let is_normal = normal.normal(&data.name, label, &data.labels)?;
        data = data.normal(&is_normal);
    }
    if rows.missing == Some(Missing::Impute) {
        data = data.imputed()?;
    }
    let data = match arguments.most {
        Some(most) => data.thinned(most as usize),
        None => data,
    };
    let mut choices = choices.clone();
    if let Some(front) = &front {
        choices.log = choices.log.with_front(front);
    }
    let mut progress = Progress::new("fitting", choices.fits());
    let model = learn(&data, &choices, &mut || progress.step())?;
    Ok(Model { front, ..model })
}

/// What a fit found, for people.
pub(crate) fn summary<T: Number>(model: &Model<T>) -> String {
    let training = &model.training;
    let mut lines = vec![(
        "samples",
        match training.trimmed {
            0 => thousands(training.samples),
            trimmed => format!("{}, {trimmed} left out", thousands(training.samples)),
        },
    )];
    if let Some(front) = &model.front {
        lines.push(("raw samples", escape::line(&front.description())));
        lines.extend(front.bands_in_hertz().into_iter().map(|bands| ("", bands)));
    }
    let inputs = format!("{} ({})", model.inputs(), escape::line(&list(&model.columns)));
    lines.push(("inputs", inputs));
    let logs = in_words(&model.columns, &model.floor);
    if !logs.is_empty() {
        lines.push(("logarithmic", format!("{} ({})", logs.len(), escape::line(&list(&logs)))));
    }
    lines.extend([
        ("kernel", model.kernel.to_string()),
        ("landmarks", model.points.rows().to_string()),
        ("components", model.components().to_string()),
        ("variance kept", percent(training.explained)),
        (
            "threshold",
            match training.refused {
                None => format!("SPE {}", short(model.threshold.spe.to_f64())),
                Some(_) => "none, see the warnings".into(),
            },
        ),
    ]);
    lines.push(("expected false alarms", training.promise()));
    lines.extend(training.alarms_seen().map(|seen| ("alarm", seen)));
    lines.push(("flash on a device", format!("{} bytes", thousands(model.flash()))));
    if let Some(front) = &model.front {
        let [numbers, counts] =
            [SampleType::F32, SampleType::I16].map(|samples| thousands(front.ram(samples)));
        let ram = format!("about {numbers} bytes of RAM, {counts} with samples as i16");
        lines.push(("its raw samples", ram));
    }
    let about = if model.cost().is_some() { "" } else { "about " };
    let stack = format!("{about}{} bytes of stack", thousands(model.stack()));
    lines.push(("RAM on a device", stack));
    if let Some(cost) = model.cost() {
        let count = thousands(cost.instructions.cortex_m4f);
        lines.push(("a score takes", format!("{count} instructions on a Cortex-M4F, at the most")));
    }
    let mut text = String::new();
    for (name, value) in lines {
        text.push_str(&format!("{name:<22} {}\n", hang(&value, 23)));
    }
    text
}

/// Says what may not be as it was meant.
pub(crate) fn say_warnings<T: Number>(model: &Model<T>) {
    model.training.all_warnings().for_each(|warning| warn(&warning));
}
