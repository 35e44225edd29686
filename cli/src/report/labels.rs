//! Which rows carry which label.

use std::collections::HashMap;

use super::tone::{Key, LABELS, Tone};
use crate::text::shorten;

/// The labels of all rows.
pub(super) struct Labels {
    /// The column that they stand in.
    pub(super) column: String,
    /// Each label once, in the order in which they appear.
    pub(super) names: Vec<String>,
    /// For each row the position of its label.
    pub(super) of_rows: Vec<usize>,
}

impl Labels {
    pub(super) fn new(column: &str, texts: &[String]) -> Self {
        let mut known: HashMap<&str, usize> = HashMap::new();
        let mut names = Vec::new();
        let mut position = |text| {
            *known.entry(text).or_insert_with(|| {
                names.push(if text.is_empty() { "(empty)".into() } else { text.to_string() });
                names.len() - 1
            })
        };
        let of_rows = texts.iter().map(|text| position(text.as_str())).collect();
        Self { column: column.into(), names, of_rows }
    }

    /// The tone of a row.
    pub(super) fn tone(&self, row: usize) -> Tone {
        tone(self.of_rows[row])
    }

    /// Keys of a legend with marks of this form; a name may be longer than there is room for.
    pub(super) fn legend(&self, form: &'static str, longest: usize) -> Vec<Key> {
        let own = self.names.iter().take(LABELS).enumerate();
        let mut legend: Vec<Key> =
            own.map(|(i, name)| (form, tone(i), shorten(name, longest))).collect();
        if self.names.len() > LABELS {
            legend.push((form, tone(LABELS), "others".into()));
        }
        legend
    }
}

fn tone(label: usize) -> Tone {
    Tone::Label(label.min(LABELS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_told_apart_until_there_are_too_many() {
        let texts: Vec<String> = ["b", "a", "", "b"].iter().map(|text| text.to_string()).collect();
        let labels = Labels::new("what", &texts);
        assert_eq!(labels.names, ["b", "a", "(empty)"]);
        assert_eq!(labels.of_rows, [0, 1, 2, 0]);
        let many: Vec<String> = (0..9).map(|label| label.to_string()).collect();
        let labels = Labels::new("what", &many);
        assert_eq!(labels.legend("dot", 9).len(), LABELS + 1);
        assert_eq!([labels.tone(0), labels.tone(8)], [Tone::Label(0), Tone::Label(LABELS)]);
    }
}
