//! Words that go on in the next line where they do not fit.

/// A text that starts at column `indent`: on a terminal it goes on there in the next line where
/// words do not fit; one line elsewhere.
pub(crate) fn hang(text: &str, indent: usize) -> String {
    match console::Term::stdout().size_checked() {
        Some((_, columns)) => wrap(text, indent, usize::from(columns)),
        None => text.into(),
    }
}

/// The same for a window of so many columns. A word of its own that is too long is left to the
/// terminal.
pub(crate) fn wrap(text: &str, indent: usize, columns: usize) -> String {
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
}
