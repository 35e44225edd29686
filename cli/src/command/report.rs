//! `mercer report`: a page on what a model makes of the rows of a CSV.

use std::path::PathBuf;

use anyhow::Result;

use super::answer::Input;
use super::tell;
use crate::intake::Beside;
use crate::model::{Model, with_model};
use crate::report::{Readings, page};
use crate::watch::AlarmChoice;
use crate::whole::{require_other, write_whole};
use crate::{Number, file};

/// Show scores, unusual rows with their reasons, and alarms on one HTML page that needs no network.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// Where the page goes
    #[arg(long, short, value_name = "REPORT.html")]
    out: PathBuf,
    /// Mark rows by what stands in this column
    #[arg(long, value_name = "COLUMN")]
    label: Option<String>,
    /// What scores are drawn over [default: the number of the row]
    #[arg(long, value_name = "COLUMN")]
    time: Option<String>,
    /// Rows a second: scores are drawn over seconds [default: the rate that a model of raw samples
    /// was fitted with]
    #[arg(long, value_name = "HERTZ", conflicts_with = "time", value_parser = rate)]
    rate: Option<f64>,
    #[command(flatten)]
    alarm: AlarmChoice,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    with_model!(file::read(&arguments.input.model)?, model => report(&model, arguments))
}

fn report<T: Number>(model: &Model<T>, arguments: &Arguments) -> Result<()> {
    let Arguments {
        input: Input { model: file, source, rows, by }, label, time, rate, alarm, ..
    } = arguments;
    require_other(&arguments.out, arguments.input.files())?;
    let beside = Beside {
        label: label.as_deref(),
        by: by.as_deref(),
        time: time.as_deref(),
        ..Beside::default()
    };
    let readings = Readings::new(model, (source, rows), &beside, (alarm, *rate))?;
    write_whole(&arguments.out, page(file, model, &readings)?.as_bytes())?;
    tell!("{}: {}", arguments.out.display(), readings.in_short());
    Ok(())
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate > 0.0);
    rate.ok_or_else(|| "a number above 0".into())
}
