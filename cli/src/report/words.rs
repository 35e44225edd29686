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
    if score < 1000.0 { format!("{score:.2}") } else { short(score) }
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
    let mut sentences = vec![format!("A row is unusual when its SPE is above {limit}.")];
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
                count(rows, "row"),
                thousands(expected)
            ));
        }
        None => {
            sentences.push("The threshold is not calibrated: how many normal readings are unusual is not known.".into());
            sentences.push(format!("Of {}, {came}.", count(rows, "row")));
        }
    }
    sentences.push(format!("The alarm: {}.", InWords(readings.alarm)));
    let raised = match readings.raised {
        0 => "never raised".to_string(),
        1 => format!("raised once, and up for {}", count(readings.alarm_count(), "row")),
        raised => format!(
            "raised {} times, and up for {} altogether",
            thousands(raised),
            count(readings.alarm_count(), "row")
        ),
    };
    sentences.push(format!("It was {raised}."));
    sentences
        .extend(training.alarms_seen().map(|seen| format!("During calibration it was {seen}.")));
    sentences
}
