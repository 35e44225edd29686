//! Numbers and words for people.

use std::fmt::{Debug, Write as _};

pub(crate) use crate::hanging::hang;
pub(crate) use crate::speech::{complain, note, warn};

/// A count of things.
pub(crate) fn count(number: usize, what: &str) -> String {
    format!("{} {what}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// A share as a percentage, with as many digits as it takes to see that it is not 0 or 100 %.
pub(crate) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let distance = percent.min(100.0 - percent).abs();
    let digits = match distance {
        d if d < 0.000_05 => 0,
        d if d < 0.01 => 4,
        d if d < 0.1 => 3,
        d if d < 1.0 => 2,
        _ => 1,
    };
    format!("{percent:.digits$} %")
}

/// Adds a cell of CSV: the shortest text that reads back as the same number.
pub(crate) fn push_cell(line: &mut String, value: &impl Debug) {
    write!(line, ",{value:?}").expect("a string takes what is written to it");
}

/// Characters of a text that a message repeats.
const LONGEST_EXCERPT: usize = 40;
/// Names of a list that a message repeats.
const LONGEST_LIST: usize = 24;

/// A text of at most so many characters: what is too much is cut from its middle, because ends tell
/// names apart.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.into();
    }
    let tail = (most - 1) / 2;
    let start = text.chars().take(most - 1 - tail);
    start.chain(['…']).chain(text.chars().skip(length - tail)).collect()
}

/// As much of a cell or a name as a message repeats.
pub(crate) fn excerpt(text: &str) -> String {
    shorten(text, LONGEST_EXCERPT)
}

/// As many names as a message repeats.
pub(crate) fn list<S: AsRef<str>>(names: &[S]) -> String {
    let first = names.iter().take(LONGEST_LIST).map(|name| excerpt(name.as_ref()));
    let mut shown: Vec<String> = first.collect();
    if names.len() > LONGEST_LIST {
        shown.push(format!("… ({} in all)", thousands(names.len())));
    }
    shown.join(", ")
}

/// A count with a separator between thousands.
pub(crate) fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number to four significant digits.
pub(crate) fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let magnitude = value.abs().log10().floor();
    if (-4.0..6.0).contains(&magnitude) {
        let digits = (3.0 - magnitude).max(0.0) as usize;
        format!("{value:.digits$}")
    } else {
        format!("{value:.3e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_and_lists_are_cut() {
        assert_eq!(shorten("temperature_inlet_7", 9), "temp…et_7");
        assert_eq!([shorten("four", 4), shorten("naïve", 4)], ["four", "na…e"]);
        assert_eq!(excerpt(&"x".repeat(1000)).chars().count(), LONGEST_EXCERPT);
        assert_eq!(list(&["a", "b"]), "a, b");
        assert!(list(&vec!["a"; 100_000]).ends_with("a, … (100,000 in all)"));
    }

    #[test]
    fn numbers_are_readable() {
        assert_eq!([percent(0.05), percent(1.0), percent(0.0)], ["5.0 %", "100 %", "0 %"]);
        assert_eq!([percent(0.9999), percent(0.9943)], ["99.990 %".to_string(), "99.43 %".into()]);
        assert_eq!(
            [thousands(7), thousands(1234), thousands(1_000_000)],
            ["7", "1,234", "1,000,000"]
        );
        assert_eq!(
            [short(0.012_345), short(123_456.0), short(1.2e-9)],
            ["0.01235", "123456", "1.200e-9"]
        );
    }
}
