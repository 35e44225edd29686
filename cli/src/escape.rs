//! Texts of others, for each place that they can reach: one function for each.
//!
//! Names of columns, labels, cells, names of files and whatever stands in the file of a model may
//! have been chosen by a stranger. They must show as what they are, and do nothing: not end a
//! string or a comment of source code, be no markup, and give a terminal no orders.

/// One line for a terminal.
pub(crate) fn line(text: &str) -> String {
    visible(text, |_| false)
}

/// Lines of our own for a terminal, with texts of others in them.
pub(crate) fn screen(text: &str) -> String {
    visible(text, |c| c == '\n')
}

/// Text of a page, or of an attribute in it.
pub(crate) fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in line(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// JSON that is right already, so that it can be shown too: outside of strings it has nothing to
/// escape but ends of lines.
pub(crate) fn json(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' || is_visible(c) {
            escaped.push(c);
        } else {
            let units = &mut [0; 2];
            c.encode_utf16(units).iter().for_each(|unit| escaped += &format!("\\u{unit:04x}"));
        }
    }
    escaped
}

/// A cell of CSV, on one line.
pub(crate) fn csv(text: &str) -> String {
    let text = line(text);
    match text.contains([',', '"']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

/// A word of a command line.
pub(crate) fn shell(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,+:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// A string literal of Rust.
pub(crate) fn rust_string(text: &str) -> String {
    format!("{text:?}")
}

/// Text in a comment of Rust, documentation too: nothing in it ends the line or is markup.
pub(crate) fn rust_comment(text: &str) -> String {
    let is_plain = |c: &char| c.is_alphanumeric() || " .,:;=%°_+-/()".contains(*c);
    text.chars().map(|c| if is_plain(&c) { c } else { '_' }).collect()
}

/// A string literal of C in ASCII: other bytes in octal, and no trigraphs.
pub(crate) fn c_string(text: &str) -> String {
    let mut literal = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' => literal.extend(['\\', char::from(byte)]),
            b' '..=b'~' => literal.push(char::from(byte)),
            other => literal += &format!("\\{other:03o}"),
        }
    }
    literal + "\""
}

/// Text in a comment of C, in ASCII: nothing in it begins or ends a comment, or is a trigraph.
pub(crate) fn c_comment(text: &str) -> String {
    rust_comment(text).chars().map(|c| if c.is_ascii() { c } else { '_' }).collect()
}

/// The name of a file after `#include`, where nothing can be escaped: none if it is not plain.
pub(crate) fn c_include(name: &str) -> Option<String> {
    let is_plain = |c: char| c.is_alphanumeric() || " ._+-".contains(c);
    name.chars().all(is_plain).then(|| format!("\"{name}\""))
}

/// Characters that do not show as themselves, as `\u{1b}`.
fn visible(text: &str, stays: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match stays(c) || is_visible(c) {
            true => shown.push(c),
            false => shown.extend(c.escape_unicode()),
        }
    }
    shown
}

/// Does it show as itself, and leave its neighbours where they are? Controls do not, nor what turns
/// the direction of writing, is invisible, or unknown to Unicode.
fn is_visible(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control();
    }
    // Rust knows; a mark that combines with the letter before it is one that shows.
    String::from_iter(['a', c]).escape_debug().skip(1).eq([c])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What must never reach a terminal as it is.
    fn harmful() -> impl Iterator<Item = char> {
        let ranges = [
            '\0'..='\x1f',
            '\x7f'..='\u{9f}',
            '\u{200b}'..='\u{200f}',
            '\u{2028}'..='\u{202e}',
            '\u{2060}'..='\u{206f}',
            '\u{fff9}'..='\u{fffb}',
            '\u{e0000}'..='\u{e007f}',
        ];
        ranges.into_iter().flatten().chain(['\u{ad}', '\u{61c}', '\u{feff}'])
    }

    #[test]
    fn orders_for_a_terminal_are_shown() {
        assert_eq!(line("a\x1b[31mb\r\n\u{202e}c"), "a\\u{1b}[31mb\\u{d}\\u{a}\\u{202e}c");
        assert_eq!(screen("a\nb\rc"), "a\nb\\u{d}c");
        assert_eq!(line("größe, 20 °C, e\u{301}, 温度, \\"), "größe, 20 °C, e\u{301}, 温度, \\");
        for c in harmful() {
            for escaped in [line, html, csv, json, rust_string, c_string, rust_comment, c_comment]
                .map(|escape| escape(&format!("x{c}y")))
            {
                assert!(!escaped.contains(c) || c == '\n', "{c:?}: {escaped:?}");
            }
        }
    }

    #[test]
    fn markup_is_text() {
        assert_eq!(html("<a href='x'>&\"\x07"), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;\\u{7}");
    }

    #[test]
    fn json_stays_the_same_value() {
        for text in ["a\u{9b}b", "\u{202e}", "\u{e0041}", "\x1b]0;\x07", "\"\\\n", "ü"] {
            let json = json(&serde_json::to_string(&[text]).unwrap());
            assert!(json.chars().all(is_visible), "{json:?}");
            assert_eq!(serde_json::from_str::<[String; 1]>(&json).unwrap(), [text]);
        }
    }

    #[test]
    fn cells_and_words_stay_whole() {
        assert_eq!(csv("a,\"b\"\nc"), "\"a,\"\"b\"\"\\u{a}c\"");
        assert_eq!(shell("it's; rm -r"), "'it'\\''s; rm -r'");
    }

    #[test]
    fn comments_cannot_be_ended() {
        assert_eq!(rust_comment("a*/b`c\nd[e]<f>\\"), "a_/b_c_d_e__f__");
        assert_eq!(rust_comment("flow rate (l/min), 20 °C"), "flow rate (l/min), 20 °C");
        assert_eq!(c_comment("*/ /* ??/ 20 °C"), "_/ /_ __/ 20 _C");
    }

    #[test]
    fn literals_of_c_are_ascii_without_trigraphs() {
        assert_eq!(c_string("ax"), r#""ax""#);
        assert_eq!(c_string("a\"b\\c??/\n"), r#""a\"b\\c\?\?/\012""#);
        assert_eq!(c_string("20 °C"), r#""20 \302\260C""#);
        assert_eq!(c_include("model-2.h"), Some("\"model-2.h\"".into()));
        for bad in ["a\"b.h", "a??/b.h", "a\nb.h", "a\u{202e}b.h", "a\\b.h"] {
            assert_eq!(c_include(bad), None, "{bad:?}");
        }
    }
}
