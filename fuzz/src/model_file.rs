//! The file of a model, edited: other numbers and other texts in the places of those that `mercer
//! fit` wrote, and a checksum that is right.

use serde_json::Value;

use crate::checksum::crc_32;
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
    "usual_spe",
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
    line.push_str(&quoted(&value));
    line.push_str(comma);
}

/// Puts the right checksum in: that of the text with zeros in its place.
fn mend(text: &str) -> String {
    const NONE: &str = "00000000";
    let with = |text: &str, found: &str, put: &str| {
        text.replace(&format!("\"checksum\": \"{found}\""), &format!("\"checksum\": \"{put}\""))
    };
    let Ok(value) = serde_json::from_str::<Value>(text) else { return text.into() };
    let text = with(text, value["checksum"].as_str().unwrap_or_default(), NONE);
    let checksum = crc_32(text.as_bytes());
    with(&text, NONE, &format!("{checksum:08x}"))
}

/// A text as the command writes it: what would not show as itself is escaped.
fn quoted(value: &Value) -> String {
    let mut quoted = String::new();
    for c in value.to_string().chars() {
        let shows = match c.is_ascii() {
            true => !c.is_ascii_control(),
            false => String::from_iter(['a', c]).escape_debug().skip(1).eq([c]),
        };
        match shows {
            true => quoted.push(c),
            false => {
                let units = &mut [0; 2];
                c.encode_utf16(units).iter().for_each(|unit| quoted += &format!("\\u{unit:04x}"));
            }
        }
    }
    quoted
}
