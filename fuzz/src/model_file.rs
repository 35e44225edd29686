//! The file of a model, edited: other numbers and other texts in the places of those that `mercer
//! fit` wrote, and a checksum that is right.

use serde_json::Value;

use crate::checksum::{crc_32, mend_stored};
use crate::edits::word;
use crate::number::{self, Number};
use crate::{Decisions, pick};

/// Fields of numbers, and those of a single one.
const NUMBERS: [&str; 12] = [
    "mean",
    "deviation",
    "points",
    "weights",
    "centre",
    "offsets",
    "variances",
    "centre_norm",
    "total_variance",
    "threshold_spe",
    "threshold_t2",
    "gamma",
];

/// Replaces some numbers and texts of a model file.
pub fn edit(text: &str, decisions: &mut Decisions<'_>) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let single = text.contains("\"precision\": \"f32\"");
    for _ in 0..1 + number::byte(decisions) % 6 {
        match number::byte(decisions) % 4 {
            0 | 1 => {
                let field = pick(decisions, &NUMBERS);
                let which = number::below(decisions, 64);
                let value = match single {
                    true => literal(number::finite::<f32>(decisions)),
                    false => literal(number::finite::<f64>(decisions)),
                };
                replace(&mut lines, field, which, &value, |c| {
                    c.is_ascii_alphanumeric() || "+-.".contains(c)
                });
            }
            2 => {
                let (field, which) = ("columns", number::below(decisions, 8));
                replace_text(&mut lines, field, which, &name(decisions));
            }
            _ => {
                let (field, which) =
                    (pick(decisions, &["warnings", "fold_order"]), number::below(decisions, 8));
                replace_text(&mut lines, field, which, &name(decisions));
            }
        }
    }
    mend(&(lines.join("\n") + "\n"))
}

fn literal<T: Number + serde::Serialize>(value: T) -> String {
    serde_json::to_string(&value).expect("a finite number")
}

/// A text that somebody might have chosen with care.
fn name(decisions: &mut Decisions<'_>) -> String {
    (0..1 + number::byte(decisions) % 4).map(|_| word(decisions)).collect()
}

/// The line of a field, up to its value, and the value.
fn value_of<'a>(lines: &'a mut [String], field: &str) -> Option<(&'a mut String, usize)> {
    let key = format!("\"{field}\": ");
    let line = lines.iter_mut().find(|line| line.trim_start().starts_with(&key))?;
    let begin = line.find(&key).expect("it was found") + key.len();
    Some((line, begin))
}

/// Replaces one of the words, made of these characters, in the value of a field.
fn replace(
    lines: &mut [String],
    field: &str,
    which: usize,
    with: &str,
    of_word: impl Fn(char) -> bool,
) {
    let Some((line, begin)) = value_of(lines, field) else { return };
    let mut words: Vec<(usize, usize)> = Vec::new();
    for (at, c) in line.char_indices().filter(|(at, _)| *at >= begin) {
        match words.last_mut() {
            Some((_, end)) if of_word(c) && *end == at => *end = at + c.len_utf8(),
            _ if of_word(c) => words.push((at, at + c.len_utf8())),
            _ => {}
        }
    }
    if !words.is_empty() {
        let (from, to) = words[which % words.len()];
        line.replace_range(from..to, with);
    }
}

/// Replaces one of the texts in the value of a field; the first in an empty list.
fn replace_text(lines: &mut [String], field: &str, which: usize, with: &str) {
    let Some((line, begin)) = value_of(lines, field) else { return };
    let comma = if line.ends_with(',') { "," } else { "" };
    let Ok(mut value) = serde_json::from_str::<Value>(line[begin..].trim_end_matches(',')) else {
        return;
    };
    match &mut value {
        Value::Array(texts) if texts.is_empty() => texts.push(with.into()),
        Value::Array(texts) => {
            let which = which % texts.len();
            texts[which] = with.into();
        }
        other => *other = with.into(),
    }
    line.truncate(begin);
    line.push_str(&value.to_string());
    line.push_str(comma);
}

/// Puts the right checksum in: that of the bytes that a device would read.
fn mend(text: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return text.into() };
    let Some(bytes) = device_bytes(&value) else { return text.into() };
    let last = bytes.last_chunk().copied().unwrap_or_default();
    let found = value["checksum"].as_str().unwrap_or_default();
    text.replace(
        &format!("\"checksum\": \"{found}\""),
        &format!("\"checksum\": \"{:08x}\"", u32::from_le_bytes(last)),
    )
}

/// What `mercer::detect::persist` documents, written down once more.
fn device_bytes(model: &Value) -> Option<Vec<u8>> {
    let single = model["precision"] == "f32";
    let number = |bytes: &mut Vec<u8>, value: &Value| -> Option<()> {
        let value = value.as_f64()?;
        match single {
            true => bytes.extend((value as f32).to_le_bytes()),
            false => bytes.extend(value.to_le_bytes()),
        }
        Some(())
    };
    let watch: u8 = match model["watch"].as_str()? {
        "spe" => 0,
        "t2" => 1,
        _ => 2,
    };
    let flags = watch | if model["indefinite"] == true { 4 } else { 0 };
    let mut bytes = b"MRCR".to_vec();
    bytes.extend([1, 0, if single { 4 } else { 8 }, flags, 0, 0, 0, 0]);
    for field in ["columns", "points", "variances"] {
        bytes.extend((model[field].as_array()?.len() as u32).to_le_bytes());
    }
    let kernel = &model["kernel"];
    let fast = 3;
    let (tags, parameters, maths): (&[u8], &[&str], bool) = match kernel["type"].as_str()? {
        "linear" => (&[1], &[], false),
        "rbf" => (&[2], &["gamma"], true),
        "laplacian" => (&[3], &["gamma"], true),
        "poly" => (&[4], &["gamma", "coef0"], false),
        "sigmoid" => (&[5], &["gamma", "coef0"], true),
        _ => (&[0x14, 1], &[], false),
    };
    bytes.extend(tags);
    parameters.iter().try_for_each(|name| number(&mut bytes, &kernel[name]))?;
    if kernel["type"] == "poly" {
        bytes.extend((kernel["degree"].as_u64()? as u32).to_le_bytes());
    }
    bytes.extend(maths.then_some(fast));
    for field in [
        "threshold_spe",
        "threshold_t2",
        "centre_norm",
        "total_variance",
        "mean",
        "deviation",
        "points",
        "centre",
        "weights",
        "offsets",
        "variances",
    ] {
        flatten(&model[field]).into_iter().try_for_each(|value| number(&mut bytes, value))?;
    }
    let length = bytes.len() as u32 + 4;
    bytes[8..12].copy_from_slice(&length.to_le_bytes());
    bytes.extend([0; 4]);
    mend_stored(&mut bytes);
    debug_assert_eq!(crc_32(b"123456789"), 0xcbf4_3926);
    Some(bytes)
}

fn flatten(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(values) => values.iter().flat_map(flatten).collect(),
        other => vec![other],
    }
}
