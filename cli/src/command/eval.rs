//! `mercer eval`: how good a model is on rows whose truth is known.

use anyhow::{Result, anyhow};
use mercer::kpca::Score;
use mercer::{Alarm, AlarmConfig, Error};
use serde::Serialize;

use super::answer::Input;
use super::say;
use crate::label::NormalLabels;
use crate::model::{Model, with_model};
use crate::progress::Progress;
use crate::quality::{Estimate, auroc, rate};
use crate::table::{Loaded, load};
use crate::text::{excerpt, percent};
use crate::{Number, escape, file};

/// Measure a model on labelled rows: AUROC, false alarms and detections, with 95 % intervals.
///
/// The intervals take rows as independent of each other. Use rows that the model was not fitted to.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// The column that says what is normal
    #[arg(long, value_name = "COLUMN")]
    label: String,
    #[command(flatten)]
    normal: NormalLabels,
    /// For recordings: each stretch of normal or anomalous rows, and when the alarm (3 of 5 rows) was raised in it
    #[arg(long)]
    timeline: bool,
    /// As JSON, for programs
    #[arg(long)]
    json: bool,
}

/// What was measured.
#[derive(Debug, Serialize)]
struct Evaluation {
    normal: usize,
    anomalous: usize,
    auroc: Estimate,
    auroc_t2: Estimate,
    auroc_abs_sum: Estimate,
    false_alarms: Estimate,
    detections: Estimate,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeline: Option<Vec<Stretch>>,
}

/// Neighbouring rows with the same label.
#[derive(Debug, PartialEq, Serialize)]
struct Stretch {
    label: String,
    normal: bool,
    first_row: u64,
    last_row: u64,
    rows: usize,
    /// Rows above the threshold.
    above: usize,
    /// Rows from the first of the stretch to the one that raised the alarm, or found it raised: 0 for at once.
    alarm_after: Option<usize>,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    with_model!(file::read(&arguments.input.model)?, model => evaluate(&model, arguments))
}

fn evaluate<T: Number>(model: &Model<T>, arguments: &Arguments) -> Result<()> {
    let Arguments { input: Input { source, rows, .. }, label, .. } = arguments;
    let data = load::<T>(source, rows, Some(label), |table| table.columns(&model.columns))?;
    let normal = arguments.normal.split(&data.name, label, &data.labels)?;
    let (scores, alarms) = score_all(model, &data)?;
    let of = |kind: bool, score: fn(&Score<T>) -> T| -> Vec<f64> {
        let chosen = scores.iter().zip(&normal).filter(|(_, normal)| **normal == kind);
        chosen.map(|(scores, _)| score(scores).to_f64()).collect()
    };
    let area = |score| auroc(&of(true, score), &of(false, score)).expect("rows of both kinds");
    let count = |kind| normal.iter().filter(|&&normal| normal == kind).count();
    let raised = |kind| {
        let raised =
            alarms.iter().zip(&normal).filter(|(alarm, normal)| **alarm && **normal == kind);
        rate(raised.count(), count(kind)).expect("rows of both kinds")
    };
    let evaluation = Evaluation {
        normal: count(true),
        anomalous: count(false),
        auroc: area(|score| score.spe),
        auroc_t2: area(|score| score.t2),
        auroc_abs_sum: area(|score| score.abs_sum),
        false_alarms: raised(true),
        detections: raised(false),
        timeline: arguments.timeline.then(|| stretches(&data, &normal, &alarms)).transpose()?,
    };
    match arguments.json {
        true => say!("{}", escape::json(&serde_json::to_string_pretty(&evaluation)?)),
        false => say!("{}", in_words(&evaluation).trim_end()),
    }
    Ok(())
}

/// The scores of all rows, and whether they are above the threshold.
fn score_all<T: Number>(model: &Model<T>, data: &Loaded<T>) -> Result<(Vec<Score<T>>, Vec<bool>)> {
    let mut progress = Progress::new("scoring", data.samples.rows() as u64);
    let mut scorer = model.scorer();
    let (mut scores, mut alarms) = (Vec::new(), Vec::new());
    for (i, x) in data.samples.iter_rows().enumerate() {
        let reading = scorer.score(x);
        let reading = reading.map_err(|error| match error {
            Error::Query(fault) => data.fault(i, fault),
            other => anyhow!("{}: {other}", data.place(i)),
        })?;
        scores.push(reading.score);
        alarms.push(reading.unusual);
        progress.step();
    }
    Ok((scores, alarms))
}

/// Divides a recording where its label changes.
fn stretches<T: Number>(
    data: &Loaded<T>,
    normal: &[bool],
    alarms: &[bool],
) -> Result<Vec<Stretch>> {
    let mut alarm = Alarm::new(AlarmConfig::DEFAULT)?;
    let mut stretches: Vec<Stretch> = Vec::new();
    for (i, (&normal, &above)) in normal.iter().zip(alarms).enumerate() {
        let (label, row) = (&data.labels[i], data.rows[i]);
        if stretches.last().is_none_or(|last| last.label != *label) {
            stretches.push(Stretch {
                label: label.clone(),
                normal,
                first_row: row,
                last_row: row,
                rows: 0,
                above: 0,
                alarm_after: None,
            });
        }
        let stretch = stretches.last_mut().expect("one was just added");
        if alarm.update(above).is_active() && stretch.alarm_after.is_none() {
            stretch.alarm_after = Some(stretch.rows);
        }
        stretch.last_row = row;
        stretch.rows += 1;
        stretch.above += usize::from(above);
    }
    Ok(stretches)
}

fn in_words(evaluation: &Evaluation) -> String {
    let area = |estimate: &Estimate| {
        format!("{:.4} ({:.4} to {:.4})", estimate.value, estimate.low, estimate.high)
    };
    let share = |estimate: &Estimate| {
        let [value, low, high] = [estimate.value, estimate.low, estimate.high].map(percent);
        format!("{value} ({low} to {high})")
    };
    let mut text = format!(
        "rows                   {} normal, {} anomalous\n",
        evaluation.normal, evaluation.anomalous
    );
    for (name, value) in [
        ("AUROC, SPE", area(&evaluation.auroc)),
        ("AUROC, T²", area(&evaluation.auroc_t2)),
        ("AUROC, Σ|f|", area(&evaluation.auroc_abs_sum)),
        ("false alarms", share(&evaluation.false_alarms)),
        ("detections", share(&evaluation.detections)),
    ] {
        text += &format!("{name:<22} {value}\n");
    }
    if let Some(timeline) = &evaluation.timeline {
        text += "\n       rows  above threshold  alarm     label\n";
        for stretch in timeline {
            let rows = format!("{}–{}", stretch.first_row, stretch.last_row);
            let above = percent(stretch.above as f64 / stretch.rows as f64);
            let alarm = match stretch.alarm_after {
                Some(after) => format!("after {after}"),
                None => "–".into(),
            };
            text += &format!(
                "{rows:>11}  {above:>15}  {alarm:<8}  {}\n",
                escape::line(&excerpt(&stretch.label))
            );
        }
        let caught = |kind: bool| {
            let of = || timeline.iter().filter(|stretch| stretch.normal == kind);
            (of().filter(|stretch| stretch.alarm_after.is_some()).count(), of().count())
        };
        let ((found, faults), (disturbed, quiet)) = (caught(false), caught(true));
        text += &format!(
            "alarm in {found} of {faults} anomalous stretches, and in {disturbed} of {quiet} normal ones\n"
        );
    }
    text
}
