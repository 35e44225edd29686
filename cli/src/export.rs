//! A model as source code for firmware, in Rust and in C.
//!
//! Every number reads back bit for bit, as the shortest decimal that does.

mod c;
mod leading;
mod package;
mod quantised;
mod rust;
mod vectors;

pub(crate) use c::{CSource, c_projector, c_quantised, c_quantised_projector, c_source};
pub(crate) use leading::Leading;
pub(crate) use package::{
    Contents, Ecosystem, Example, MARK, PackageFile, Release, folders, header_file, package,
};
pub(crate) use quantised::{Quantised, quantise};
pub(crate) use rust::{monitor_source, rust_projector, rust_source, stream_source};
pub(crate) use vectors::candidates;

use std::str::FromStr;

use mercer::Error;

use crate::Number;
use crate::logs::logarithmic;
use crate::model::Model;
use crate::text::{percent, short};

/// Characters of what a model is called.
const LONGEST_NAME: usize = 63;

/// What an exported model is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    upper: String,
    lower: String,
}

impl Name {
    /// As statics of Rust and macros of C are written.
    pub(crate) fn upper(&self) -> &str {
        &self.upper
    }

    /// As types of Rust are written. One of them is a keyword.
    pub(crate) fn camel(&self) -> String {
        let words = self.lower.split('_');
        let name: String = words.map(|word| word[..1].to_uppercase() + &word[1..]).collect();
        if name == "Self" { "SelfDetector".into() } else { name }
    }

    /// As functions of C are written.
    pub(crate) fn lower(&self) -> &str {
        &self.lower
    }
}

impl FromStr for Name {
    type Err = String;
    /// Whatever both languages, and C++, take for a name that is not reserved. No keyword is in
    /// capitals, and in C something is always behind it.
    fn from_str(text: &str) -> Result<Self, String> {
        let is_word =
            |word: &str| !word.is_empty() && word.chars().all(|c: char| c.is_ascii_alphanumeric());
        let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.len() <= LONGEST_NAME
            && text.split('_').all(is_word);
        match is_name {
            true => Ok(Self { upper: text.to_uppercase(), lower: text.to_lowercase() }),
            false => Err(format!(
                "a letter, then letters, digits and _, no two of these together or at the end, {LONGEST_NAME} at the most"
            )),
        }
    }
}

/// What a reader of the source wants to know, a line each; `comment` makes a text one that can
/// stand in a comment.
pub(crate) fn facts<T: Number>(
    model: &Model<T>,
    quote: char,
    comment: fn(&str) -> String,
) -> Result<Vec<String>, Error> {
    let training = &model.training;
    let mut facts = facts_of_inputs(model, quote, comment);
    facts.extend([
        format!("kernel: {}", model.kernel),
        format!("size: {} points, {} components", model.points.rows(), model.components()),
        format!(
            "{}, whose variance the components explain to {}",
            fitted_to(model),
            percent(training.explained)
        ),
        format!(
            "unusual is: SPE above {}; on average it is {}",
            short(model.threshold.spe.to_f64()),
            short(model.threshold.usual.to_f64())
        ),
        format!("expected false alarms: {}", training.promise()),
        format!("checksum: {:08x}, as `mercer inspect` shows it", model.checksum()?),
    ]);
    facts.extend(training.all_warnings().map(|warning| format!("warning: {}", comment(&warning))));
    Ok(facts)
}

/// How many samples a model is of.
fn fitted_to<T>(model: &Model<T>) -> String {
    let training = &model.training;
    let trimmed = match training.trimmed {
        0 => String::new(),
        trimmed => format!(" ({trimmed} left out)"),
    };
    format!("fitted to {} samples{trimmed}", training.samples)
}

/// What a reading is made of.
fn facts_of_inputs<T: Number>(
    model: &Model<T>,
    quote: char,
    comment: fn(&str) -> String,
) -> Vec<String> {
    let quoted = |name: &String| format!("{quote}{}{quote}", comment(name));
    let columns: Vec<String> = model.columns.iter().map(quoted).collect();
    let logs: Vec<String> = logarithmic(&model.columns, &model.floor)
        .map(|(name, floor)| format!("{} from {} up", quoted(name), short(floor.to_f64())))
        .collect();
    let mut facts = vec![format!("inputs, in this order: {}", columns.join(", "))];
    if let Some(front) = &model.front {
        facts.push(format!("these come of raw samples: {}", comment(&front.description())));
    }
    if !logs.is_empty() {
        facts.push(format!("of these it takes the logarithm: {}", logs.join(", ")));
    }
    facts
}

/// Numbers with a comma between them.
fn list<T>(values: &[T], literal: impl Fn(&T) -> String) -> String {
    values.iter().map(literal).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers() {
        let name: Name = "Pump_2".parse().unwrap();
        assert_eq!([name.upper(), name.lower()], ["PUMP_2", "pump_2"]);
        let name: Name = "self".parse().unwrap();
        assert_eq!([name.upper(), &name.camel()], ["SELF", "SelfDetector"]);
        assert!("a".repeat(LONGEST_NAME + 1).parse::<Name>().is_err());
        for bad in ["", "_", "_A", "2nd", "a-b", "a b", "größe", "r#type", "A\n", "a__b", "a_"] {
            assert!(bad.parse::<Name>().is_err(), "{bad:?}");
        }
    }
}
