//! `mercer eval`: how good a model is on rows whose truth is known.

use std::ops::Range;

use anyhow::{Context, Result, ensure};
use mercer::kpca::Score;
use mercer::{AlarmConfig, Verdict};
use serde::Serialize;

use super::answer::Input;
use super::say;
use crate::label::NormalLabels;
use crate::loaded::Loaded;
use crate::model::{Model, with_model};
use crate::per_day::{PerDay, a_day};
use crate::progress::Progress;
use crate::quality::{Estimate, auroc, rate};
use crate::text::{excerpt, hang, percent};
use crate::watch::{AlarmChoice, Cause, InWords, Watch};
use crate::{Number, cores, escape, file};

/// Measure a model on rows that it was not fitted to: false alarms, AUROC, what is found, with 95 %
/// intervals.
///
/// Without --label, or where all labels are normal, the rows count as normal, and false alarms are
/// all there is to measure. AUROC is the chance that an anomalous row scores higher than a normal
/// one: by SPE (spe), what of a row the model does not explain; by T² (t2), how far out it is along
/// the components; by Σ|f| (abs_sum), the sum of the sizes of its projections on them.
/// The intervals take rows as independent of each other.
/// With a model of raw samples all is counted in windows; one is anomalous if any of its rows is.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// The column that says what is normal [default: all rows are]
    #[arg(long, value_name = "COLUMN")]
    label: Option<String>,
    #[command(flatten)]
    normal: NormalLabels,
    /// For recordings: each stretch of rows with the same label, how many of them are unusual, and
    /// what the alarm says
    #[arg(long)]
    timeline: bool,
    #[command(flatten)]
    alarm: AlarmChoice,
    #[command(flatten)]
    per_day: PerDay,
    /// As JSON, for programs
    #[arg(long)]
    json: bool,
}

/// What was measured.
#[derive(Debug, Serialize)]
struct Evaluation {
    /// What is counted: rows, or windows.
    unit: &'static str,
    normal: usize,
    anomalous: usize,
    /// Of SPE, T² and Σ|f|, where there are anomalous rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    auroc: Option<Estimate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    auroc_t2: Option<Estimate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    auroc_abs_sum: Option<Estimate>,
    /// The share of normal rows that are unusual.
    unusual_normal: Estimate,
    /// The same of anomalous rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    unusual_anomalous: Option<Estimate>,
    /// How many normal readings come a day, if somebody asks for what that means.
    #[serde(skip_serializing_if = "Option::is_none")]
    readings_per_day: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unusual_normal_per_day: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alarm: Option<Alarms>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeline: Option<Vec<Stretch>>,
}

/// What the alarm said.
#[derive(Debug, Serialize)]
struct Alarms {
    /// What raises and what ends it.
    rule: String,
    /// How often it was raised in normal rows, and for each 1000 of them.
    raised_normal: usize,
    raised_per_1000_normal: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    raised_per_day_normal: Option<f64>,
    /// The share of normal rows in alarm.
    in_alarm_normal: Option<f64>,
    /// The share of anomalous rows in alarm, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_alarm_anomalous: Option<f64>,
    /// Anomalous stretches with an alarm that their own rows caused.
    found: usize,
    missed: usize,
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
    unusual: usize,
    /// Rows in alarm.
    in_alarm: usize,
    /// How often the alarm was raised.
    raised: usize,
    /// Rows before the first in which the alarm is up because of rows of this stretch (it was
    /// raised by one, or one is above the threshold), not left over from the one before: 0 for
    /// at once.
    found_after: Option<usize>,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    with_model!(file::read(&arguments.input.model)?, model => evaluate(&model, arguments))
}

fn evaluate<T: Number>(model: &Model<T>, arguments: &Arguments) -> Result<()> {
    let Arguments { input, label, .. } = arguments;
    let config = arguments.alarm.config()?;
    ensure!(
        arguments.timeline || !arguments.alarm.is_given(),
        "the alarm is looked at with --timeline: add it, or leave out --alarm, --alarm-shift and --alarm-end"
    );
    let mut data = input.load(model, label.as_deref(), &arguments.normal)?;
    let normal = match label {
        Some(label) => arguments.normal.normal(&data.name, label, &data.labels)?,
        None => {
            data.labels.iter_mut().for_each(|label| *label = "normal".into());
            vec![true; data.labels.len()]
        }
    };
    let verdicts = score_all(model, &data)?;
    let of = |kind: bool, score: fn(&Score<T>) -> T| -> Vec<f64> {
        let chosen = verdicts.iter().zip(&normal).filter(|(_, normal)| **normal == kind);
        chosen.map(|(verdict, _)| score(&verdict.score).to_f64()).collect()
    };
    let area = |score| auroc(&of(true, score), &of(false, score));
    let count = |kind| normal.iter().filter(|&&normal| normal == kind).count();
    let unusual = |kind| {
        let rows = verdicts.iter().zip(&normal);
        let unusual = rows.filter(|(verdict, normal)| verdict.unusual && **normal == kind);
        rate(unusual.count(), count(kind))
    };
    let timeline =
        arguments.timeline.then(|| stretches(&data, &normal, &verdicts, config)).transpose()?;
    let readings_per_day = arguments.per_day.readings(model.front.as_ref())?;
    let unusual_normal = unusual(true).with_context(|| format!("{}: no rows", data.name))?;
    let evaluation = Evaluation {
        readings_per_day,
        unusual_normal_per_day: readings_per_day.map(|readings| unusual_normal.value * readings),
        unit: data.unit,
        normal: count(true),
        anomalous: count(false),
        auroc: area(|score| score.spe),
        auroc_t2: area(|score| score.t2),
        auroc_abs_sum: area(|score| score.abs_sum),
        unusual_normal,
        unusual_anomalous: unusual(false),
        alarm: timeline.as_ref().map(|timeline| Alarms::of(timeline, config, readings_per_day)),
        timeline,
    };
    match arguments.json {
        true => say!("{}", escape::json(&serde_json::to_string_pretty(&evaluation)?)),
        false => say!("{}", in_words(&evaluation).trim_end()),
    }
    Ok(())
}

/// Rows that a thread scores before it looks for more.
const ROWS_AT_A_TIME: usize = 1024;

/// What the model says of all rows.
fn score_all<T: Number>(model: &Model<T>, data: &Loaded<T>) -> Result<Vec<Verdict<T>>> {
    let rows = data.samples.rows();
    let mut progress = Progress::new("scoring", rows as u64);
    let score = |some: Range<usize>| -> Result<Vec<Verdict<T>>> {
        let mut scorer = model.scorer();
        let chosen = data.samples.iter_rows().enumerate().skip(some.start).take(some.len());
        chosen.map(|(i, x)| scorer.score(x).map_err(|error| data.misfit(i, error))).collect()
    };
    let parts = cores::in_parts(rows, ROWS_AT_A_TIME, score, |done| progress.advance(done));
    Ok(parts.into_iter().collect::<Result<Vec<_>>>()?.concat())
}

/// Divides a recording where its label changes.
fn stretches<T: Number>(
    data: &Loaded<T>,
    normal: &[bool],
    verdicts: &[Verdict<T>],
    config: AlarmConfig,
) -> Result<Vec<Stretch>> {
    let (mut watch, mut cause) = (Watch::new(config)?, Cause::default());
    let mut stretches: Vec<Stretch> = Vec::new();
    for (i, (&normal, verdict)) in normal.iter().zip(verdicts).enumerate() {
        let (label, row) = (&data.labels[i], data.rows[i]);
        if stretches.last().is_none_or(|last| last.label != *label) {
            cause = Cause::default();
            stretches.push(Stretch {
                label: label.clone(),
                normal,
                first_row: row,
                last_row: row,
                rows: 0,
                unusual: 0,
                in_alarm: 0,
                raised: 0,
                found_after: None,
            });
        }
        let stretch = stretches.last_mut().expect("one was just added");
        let seen = watch.see(verdict, &data.recordings[i]);
        if cause.is_cause(verdict, seen) {
            stretch.found_after.get_or_insert(stretch.rows);
        }
        stretch.last_row = row;
        stretch.rows += 1;
        stretch.unusual += usize::from(verdict.unusual);
        stretch.in_alarm += usize::from(seen.active);
        stretch.raised += usize::from(seen.raised);
    }
    Ok(stretches)
}

impl Alarms {
    fn of(timeline: &[Stretch], config: AlarmConfig, readings_per_day: Option<f64>) -> Self {
        let of = |kind: bool| timeline.iter().filter(move |stretch| stretch.normal == kind);
        let share = |kind| {
            let rows: usize = of(kind).map(|stretch| stretch.rows).sum();
            let in_alarm: usize = of(kind).map(|stretch| stretch.in_alarm).sum();
            (rows > 0).then(|| in_alarm as f64 / rows as f64)
        };
        let raised: usize = of(true).map(|stretch| stretch.raised).sum();
        let rows: usize = of(true).map(|stretch| stretch.rows).sum();
        let found = of(false).filter(|stretch| stretch.found_after.is_some()).count();
        Self {
            rule: InWords(config).to_string(),
            raised_normal: raised,
            raised_per_1000_normal: 1000.0 * raised as f64 / rows as f64,
            raised_per_day_normal: readings_per_day
                .map(|readings| readings * raised as f64 / rows as f64),
            in_alarm_normal: share(true),
            in_alarm_anomalous: share(false),
            found,
            missed: of(false).count() - found,
        }
    }
}

fn in_words(evaluation: &Evaluation) -> String {
    let area = |estimate: &Estimate| {
        format!("{:.4} ({:.4} to {:.4})", estimate.value, estimate.low, estimate.high)
    };
    let share = |estimate: &Estimate| {
        let [value, low, high] = [estimate.value, estimate.low, estimate.high].map(percent);
        format!("{value} ({low} to {high})")
    };
    let counts = match evaluation.anomalous {
        0 => format!("{} normal", evaluation.normal),
        anomalous => format!("{} normal, {anomalous} anomalous", evaluation.normal),
    };
    let in_day = |share: f64| {
        let readings = evaluation.readings_per_day;
        readings.map_or(String::new(), |readings| format!(", {}", a_day(share, readings)))
    };
    let daily = in_day(evaluation.unusual_normal.value);
    let mut text = String::new();
    for (name, value) in [
        (evaluation.unit, Some(counts)),
        ("AUROC, SPE (spe)", evaluation.auroc.as_ref().map(area)),
        ("AUROC, T² (t2)", evaluation.auroc_t2.as_ref().map(area)),
        ("AUROC, Σ|f| (abs_sum)", evaluation.auroc_abs_sum.as_ref().map(area)),
        ("unusual, normal", Some(share(&evaluation.unusual_normal) + &daily)),
        ("unusual, anomalous", evaluation.unusual_anomalous.as_ref().map(share)),
    ] {
        text += &value.map_or(String::new(), |value| format!("{name:<22} {value}\n"));
    }
    if let (Some(timeline), Some(alarm)) = (&evaluation.timeline, &evaluation.alarm) {
        let daily = in_day(alarm.raised_per_1000_normal / 1000.0);
        text += &timeline_in_words(timeline, alarm, evaluation.unit, &daily);
    }
    text
}

fn timeline_in_words(timeline: &[Stretch], alarm: &Alarms, unit: &str, daily: &str) -> String {
    // A row is counted by its number already.
    let counted = if unit == "rows" { String::new() } else { format!("  {unit:>7}") };
    let mut text = format!("\n       rows{counted}  unusual  in alarm  raised  found     label\n");
    for stretch in timeline {
        let rows = format!("{}–{}", stretch.first_row, stretch.last_row);
        let share = |rows: usize| percent(rows as f64 / stretch.rows as f64);
        let counted = if unit == "rows" { String::new() } else { format!("  {:>7}", stretch.rows) };
        let found = match (stretch.normal, stretch.found_after) {
            (true, _) => String::new(),
            (false, Some(after)) => format!("after {after}"),
            (false, None) => "missed".into(),
        };
        text += &format!(
            "{rows:>11}{counted}  {:>7}  {:>8}  {:>6}  {found:<8}  {}\n",
            share(stretch.unusual),
            share(stretch.in_alarm),
            stretch.raised,
            escape::line(&excerpt(&stretch.label))
        );
    }
    let raised = match alarm.raised_normal {
        1 => "once".to_string(),
        raised => format!("{raised} times"),
    };
    let per_1000 = format!("{raised}, {:.1} per 1000 {unit}{daily}", alarm.raised_per_1000_normal);
    let faults = alarm.found + alarm.missed;
    let found = (faults > 0).then(|| {
        format!("{} of {faults} anomalous stretches, by what is within them", alarm.found)
    });
    for (name, value) in [
        ("alarm", Some(alarm.rule.clone())),
        ("raised, normal", Some(per_1000)),
        ("in alarm, normal", alarm.in_alarm_normal.map(percent)),
        ("in alarm, anomalous", alarm.in_alarm_anomalous.map(percent)),
        ("found", found),
    ] {
        text += &value.map_or(String::new(), |value| format!("{name:<22} {}\n", hang(&value, 23)));
    }
    text
}
