//! A model as source code for firmware, in Rust and in C.
//!
//! Every number reads back bit for bit: in Rust by the shortest decimal that does, in C99 as a hexadecimal literal.

mod c;
mod quantised;
mod rust;

pub(crate) use c::{CSource, c_source};
pub(crate) use quantised::quantise;
pub(crate) use rust::rust_source;

use std::str::FromStr;

use mercer::Error;

use crate::Number;
use crate::model::{Model, watched};
use crate::text::{percent, short};

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

    /// As types of Rust are written.
    pub(crate) fn camel(&self) -> String {
        let words = self.lower.split('_').filter(|word| !word.is_empty());
        words.map(|word| word[..1].to_uppercase() + &word[1..]).collect()
    }

    /// As functions of C are written.
    pub(crate) fn lower(&self) -> &str {
        &self.lower
    }
}

impl FromStr for Name {
    type Err = String;
    /// Whatever both languages take for a name: as all others stand before or behind it, keywords do no harm.
    fn from_str(text: &str) -> Result<Self, String> {
        let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        match is_name {
            true => Ok(Self { upper: text.to_uppercase(), lower: text.to_lowercase() }),
            false => Err("a letter, then letters, digits and _".into()),
        }
    }
}

/// What a reader of the source wants to know, a line each; `quote` shows the name of an input.
fn facts<T: Number>(
    model: &Model<T>,
    quote: impl Fn(&str) -> String,
) -> Result<Vec<String>, Error> {
    let training = &model.training;
    let columns: Vec<String> = model.columns.iter().map(|name| quote(&plain(name))).collect();
    let trimmed = match training.trimmed {
        0 => String::new(),
        trimmed => format!(" ({trimmed} left out)"),
    };
    let mut facts = vec![
        format!("inputs, in this order: {}", columns.join(", ")),
        format!("kernel: {}", model.kernel),
        format!("size: {} points, {} components", model.points.rows(), model.components()),
        format!(
            "fitted to {} samples{trimmed}, whose variance the components explain to {}",
            training.samples,
            percent(training.explained)
        ),
        format!("an alarm is: {}", alarm(model)),
        match training.false_alarms {
            Some(share) => format!(
                "expected false alarms: {} of normal readings ({} {} folds)",
                percent(share),
                training.folds,
                training.fold_order
            ),
            None => "expected false alarms: unknown, see the warnings".into(),
        },
        format!("checksum: {:08x}, as `mercer inspect` shows it", model.checksum()?),
    ];
    facts.extend(training.warnings.iter().map(|warning| format!("warning: {}", plain(warning))));
    Ok(facts)
}

/// The condition that is watched, to four digits.
fn alarm<T: Number>(model: &Model<T>) -> String {
    let spe = format!("SPE above {}", short(model.thresholds.spe.to_f64()));
    let t2 = format!("T2 above {}", short(model.thresholds.t2.to_f64()));
    watched(model.thresholds.watch, spe, t2).join(" or ")
}

/// A text of the user's that can stand in a comment: nothing in it can end the comment, or be taken for markup.
fn plain(text: &str) -> String {
    let is_plain = |c: &char| c.is_alphanumeric() || " .,:;=%°_+-/()".contains(*c);
    text.chars().map(|c| if is_plain(&c) { c } else { '_' }).collect()
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
        assert_eq!("self".parse::<Name>().unwrap().upper(), "SELF");
        for bad in ["", "_", "_A", "2nd", "a-b", "a b", "größe", "r#type", "A\n"] {
            assert!(bad.parse::<Name>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn comments_cannot_be_ended() {
        assert_eq!(plain("a*/b`c\nd[e]<f>\\"), "a_/b_c_d_e__f__");
        assert_eq!(plain("flow rate (l/min), 20 °C"), "flow rate (l/min), 20 °C");
    }
}
