//! `mercer calibrate`: a threshold from readings after learning.

use std::path::PathBuf;

use anyhow::{Result, anyhow, bail, ensure};
use mercer::detect::{FalseAlarms, LaterCalibration, LaterReadings};
use mercer::kpca::Score;
use mercer::{AlarmConfig, Error};

use super::answer::Input;
use super::say;
use crate::label::NormalLabels;
use crate::learn::explain_option;
use crate::loaded::Loaded;
use crate::model::{AnyModel, Model};
use crate::per_day::{self, PerDay};
use crate::progress::Progress;
use crate::text::{hang, percent, short, thousands, warn};
use crate::training::Later;
use crate::watch::Watch;
use crate::whole::require_other;
use crate::{Number, escape, file};

/// Take the threshold from more normal rows, which the model was not fitted to.
///
/// Of M rows, the threshold becomes the k-th largest score, k being the whole part of the share of
/// false alarms times M + 1: a rate that new rows back, with its interval. Rows that are stranger
/// than the model promised are refused, since faults among them would raise the threshold.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// The share of normal readings that may be unusual [default: the one that the model is for]
    #[arg(long, value_name = "SHARE")]
    false_alarms: Option<f64>,
    #[command(flatten)]
    per_day: PerDay,
    /// Where the model with the new threshold goes [default: it is only shown]
    #[arg(long, short, value_name = "M2.mercer")]
    out: Option<PathBuf>,
    /// Take the rows as normal however strange they are; whatever uses the model repeats it
    #[arg(long)]
    force: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    if let Some(out) = &arguments.out {
        require_other(out, arguments.input.files())?;
    }
    let (model, text): (AnyModel, String) = match file::read(&arguments.input.model)? {
        AnyModel::F32(model) => calibrate(model, arguments).map(|(m, text)| (m.into(), text))?,
        AnyModel::F64(model) => calibrate(model, arguments).map(|(m, text)| (m.into(), text))?,
    };
    if let Some(out) = &arguments.out {
        file::write(out, &model)?;
    }
    say!("{}", text.trim_end());
    Ok(())
}

/// The model with its new threshold, and what to say about it.
fn calibrate<T: Number>(mut model: Model<T>, arguments: &Arguments) -> Result<(Model<T>, String)> {
    let name = arguments.input.model.display();
    let Some(promised) = model.training.false_alarms else {
        bail!("{name}: learning refused this model, no threshold makes it tell readings apart");
    };
    let wish = arguments.false_alarms.unwrap_or(promised);
    let data = arguments.input.load(&model, None, &NormalLabels::default())?;
    let (before, promised) = (model.threshold, T::from_f64(promised));
    // One more than is needed, whatever the rounding.
    let places = (wish.clamp(0.0, 1.0) * (data.samples.rows() as f64 + 1.0)) as usize + 1;
    let mut later = LaterReadings::kept_in(vec![T::ZERO; places], &before, promised);
    let scores = push_scores(&model, &data, &mut later)?;
    let wished = FalseAlarms::Share(T::from_f64(wish));
    let (result, strange) = match later.calibrate(wished, &before) {
        Err(error @ Error::StrangeReadings { .. }) if arguments.force => {
            (later.calibrate_trusting(wished, &before), Some(error))
        }
        result => (result, None),
    };
    let result = result.map_err(|error| explain(error, &data.name, wish))?;
    model.threshold = result.threshold;
    let mut watch = Watch::new(AlarmConfig::DEFAULT)?;
    let raises = |(score, recording): &(&Score<T>, &String)| {
        watch.see(&result.threshold.judge(**score), recording).raised
    };
    model.training.alarms = Some(scores.iter().zip(&data.recordings).filter(raises).count());
    model.training.false_alarms = Some(result.false_alarms.to_f64());
    model.training.later = Some(Later {
        readings: result.readings,
        low: result.low.to_f64(),
        high: result.high.to_f64(),
    });
    if let Some(error) = strange {
        let warning = format!("the threshold was taken from later readings by force: {error}");
        warn(&warning);
        model.training.warnings.push(warning);
    }
    model.validate().map_err(|error| anyhow!("{}: {error:#}", data.name))?;
    let readings = arguments.per_day.readings(model.front.as_ref())?;
    let mut text = in_words(&model, &result, &later, before.spe, arguments.out.is_some());
    if let Some(readings) = readings {
        let words = per_day::in_words(&model.training, readings);
        text += &format!("{:<22} {}\n", "a day", hang(&words, 23));
    }
    Ok((model, text))
}

/// Scores all rows.
fn push_scores<T: Number>(
    model: &Model<T>,
    data: &Loaded<T>,
    later: &mut LaterReadings<T, Vec<T>>,
) -> Result<Vec<Score<T>>> {
    let mut progress = Progress::new("scoring", data.samples.rows() as u64);
    let mut scorer = model.scorer();
    let mut known = vec![false; model.points.rows()];
    let mut scores = Vec::with_capacity(data.samples.rows());
    for (i, x) in data.samples.iter_rows().enumerate() {
        let scored = scorer.score(x).map(|reading| reading.score);
        let taken = scored.and_then(|score| later.push(score.spe).map(|()| score));
        scores.push(taken.map_err(|error| data.misfit(i, error))?);
        if let Some(point) = scorer.landmark() {
            known[point] = true;
        }
        progress.step();
    }
    // Some may be equal by chance, where inputs have few levels.
    let seen = known.iter().filter(|&&known| known).count();
    ensure!(
        2 * seen <= known.len() || known.len() < LANDMARKS_TO_TELL,
        "{}: {seen} of the {} landmarks are among the rows, so the model was fitted to them: take other rows",
        data.name,
        known.len()
    );
    Ok(scores)
}

/// Fewer say nothing about where a model comes from.
const LANDMARKS_TO_TELL: usize = 4;

fn explain(error: Error, file: &str, wish: f64) -> anyhow::Error {
    match error {
        Error::TooFewSamples { given, needed } => anyhow!(
            "{file}: {given} rows are too few for {} false alarms, it takes at least {needed}",
            percent(wish)
        ),
        Error::StrangeReadings { .. } => {
            anyhow!("{file}: {error} (--force takes them as normal)")
        }
        Error::Parameter { name: "false_alarms", rule } => {
            anyhow!("--false-alarms must be {rule}")
        }
        other => explain_option(other, file),
    }
}

fn in_words<T: Number>(
    model: &Model<T>,
    result: &LaterCalibration<T>,
    later: &LaterReadings<T, Vec<T>>,
    before: T,
    written: bool,
) -> String {
    let [old, new] = [before, result.threshold.spe].map(|spe| short(spe.to_f64()));
    let share = percent(later.unusual() as f64 / result.readings as f64);
    let mut lines = vec![
        (
            "later readings",
            format!(
                "{}, {} of them ({share}) above the former threshold",
                thousands(result.readings),
                thousands(later.unusual())
            ),
        ),
        ("threshold", format!("SPE {new}, formerly {old}")),
        ("expected false alarms", model.training.promise()),
    ];
    lines.extend(model.training.alarms_seen().map(|alarms| ("alarm", alarms)));
    if !written {
        lines.push(("model", "not written: --out M2.mercer writes it".into()));
    }
    let mut text = String::new();
    for (name, value) in lines {
        text += &format!("{name:<22} {}\n", hang(&escape::line(&value), 23));
    }
    text
}
