//! Numbers and words for people, CSV and shells.

use std::fmt::{Debug, Write as _};

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

/// A word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,+:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
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

/// A text that starts at column `indent`: on a terminal it goes on there in the next line where words do not fit; one line elsewhere.
pub(crate) fn hang(text: &str, indent: usize) -> String {
    match console::Term::stdout().size_checked() {
        Some((_, columns)) => wrap(text, indent, usize::from(columns)),
        None => text.into(),
    }
}

/// A word of its own that is too long is left to the terminal.
fn wrap(text: &str, indent: usize, columns: usize) -> String {
    let mut wrapped = String::new();
    let mut column = indent;
    for (i, word) in text.split(' ').enumerate() {
        let length = word.chars().count();
        if i > 0 && column + 1 + length > columns {
            wrapped += &format!("\n{:indent$}", "");
            column = indent;
        } else if i > 0 {
            wrapped.push(' ');
            column += 1;
        }
        wrapped += word;
        column += length;
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hang_below_each_other() {
        assert_eq!(wrap("one two three four", 4, 12), "one two\n    three\n    four");
        assert_eq!(wrap("one two", 4, 11), "one two");
        assert_eq!(wrap("overlong a", 4, 8), "overlong\n    a");
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
