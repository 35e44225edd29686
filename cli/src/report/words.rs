//! The report in sentences.

use super::readings::Readings;
use crate::Number;
use crate::logs::in_words;
use crate::model::Model;
use crate::text::{list, percent, short, thousands};
use crate::training::Training;
use crate::watch::InWords;

/// `1 row`, `2 rows`.
pub(super) fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", thousands(number))
}

/// A score in thresholds.
pub(super) fn thresholds(score: f64) -> String {
    if (0.01..1000.0).contains(&score) { format!("{score:.2}") } else { short(score) }
}

/// What components are.
pub(super) const COMPONENTS: &str = "A component is one of the ways in which normal readings vary, found by the model; here is where readings stand on the first ones, which vary most.";

/// What scores are, in HTML.
pub(super) fn score<T: Number>(model: &Model<T>, readings: &Readings<T>) -> String {
    let noun = readings.unit;
    let mut text = format!(
        "The <b>score</b> says how far a {noun} is from all that the model learned as normal: SPE, the squared error that is left when the {noun} is put together from what normal readings have in common."
    );
    if readings.threshold > 0.0 {
        text += &format!(" It is shown in <b>thresholds</b>: above 1, the {noun} is unusual");
        if let Some(share) = model.training.false_alarms {
            text += &format!(", which {} of normal ones are expected to be", percent(share));
        }
        text += &format!(". (1 is an SPE of {}.)", short(readings.threshold));
    }
    text
}

/// How the model came about, a sentence each.
pub(super) fn fit<T: Number>(model: &Model<T>) -> Vec<String> {
    let Training { samples, trimmed, explained, unspanned, .. } = model.training;
    let mut sentences = Vec::new();
    let left_out = match trimmed {
        0 => String::new(),
        trimmed => format!("; {} were left out because they scored worst", thousands(trimmed)),
    };
    sentences.push(format!(
        "The model learned from {} of {}{left_out}.",
        count(samples, "sample"),
        count(model.inputs(), "input"),
    ));
    if let Some(front) = &model.front {
        let bands: String = front.bands_in_hertz().iter().map(|text| format!("; {text}")).collect();
        sentences.push(format!("It takes raw samples: {}{bands}.", front.description()));
    }
    let logs = in_words(&model.columns, &model.floor);
    if !logs.is_empty() {
        let (inputs, names) = (count(logs.len(), "input"), list(&logs));
        sentences.push(format!("Of {inputs} it takes the logarithm: {names} up."));
    }
    let landmarks = model.points.rows();
    let spans = match landmarks == samples {
        true => format!("with all {} of them", thousands(landmarks)),
        false => format!("with {} of them, its landmarks", thousands(landmarks)),
    };
    sentences.push(format!("It compares a reading {spans}, by the kernel {}.", model.kernel));
    let outside = match unspanned > 1e-6 {
        true => format!(" ({} lies outside the span of the landmarks)", percent(unspanned)),
        false => String::new(),
    };
    sentences.push(format!(
        "{} explain{} {} of the variance{outside}.",
        count(model.components(), "component"),
        if model.components() == 1 { "s" } else { "" },
        percent(explained)
    ));
    sentences
}

/// What was to be expected, and what came, a sentence each.
pub(super) fn alarms<T: Number>(model: &Model<T>, readings: &Readings<T>) -> Vec<String> {
    let training = &model.training;
    let limit = short(readings.threshold);
    let unit = readings.unit;
    let mut sentences = vec![format!("A {unit} is unusual when its SPE is above {limit}.")];
    let (rows, seen) = (readings.count(), readings.unusual_count());
    let came = match seen {
        0 => "none is".to_string(),
        1 => "1 is".to_string(),
        seen => format!("{} are ({})", thousands(seen), percent(seen as f64 / rows as f64)),
    };
    match training.false_alarms {
        Some(share) => {
            sentences.push(format!(
                "The threshold was calibrated ({}) so that {} of normal readings are unusual, {}.",
                training.calibration(),
                percent(share),
                training.assumption()
            ));
            let expected = (share * rows as f64).round() as usize;
            sentences.push(format!(
                "If all {} here were normal and such readings, about {} could be expected to be unusual; {came}.",
                count(rows, unit),
                thousands(expected)
            ));
        }
        None => {
            sentences.push("The threshold is not calibrated: how many normal readings are unusual is not known.".into());
            sentences.push(format!("Of {}, {came}.", count(rows, unit)));
        }
    }
    sentences.push(format!("The alarm: {}.", InWords(readings.alarm)));
    let raised = match readings.events.len() {
        0 => "never raised".to_string(),
        1 => format!("raised once, and up for {}", count(readings.alarm_count(), unit)),
        raised => format!(
            "raised {} times, and up for {} altogether",
            thousands(raised),
            count(readings.alarm_count(), unit)
        ),
    };
    sentences.push(format!("It was {raised}."));
    sentences
        .extend(training.alarms_seen().map(|seen| format!("During calibration it was {seen}.")));
    sentences
}
