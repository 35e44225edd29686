//! What a stranger might send, and what it must not do.

use crc::{CRC_32_ISO_HDLC, Crc};

/// Names that try to get out of a string, a comment, a line, markup or a format, or to give orders
/// to a terminal.
pub(crate) const HOSTILE: [&str; 24] = [
    "*/ int injected(void); /*",
    "a\n*/\nint injected(void);\n/*",
    "??/",
    "\\",
    "back\\\nslash",
    "x\n} fn injected() {} mod x {",
    "\"; injected(); \"",
    "\"] = [injected]; //",
    "`injected` [injected](x)",
    "\u{202e}injected\u{2066}\u{2069}",
    "\x1b]0;injected\x07\x1b[31m\x1b[2J",
    "\u{9b}31minjected\u{9c}",
    "over\rmercer: injected",
    "x\r\nmercer: injected",
    "a\u{2028}injected\u{85}b",
    "</title><script>injected()</script>",
    "<img src=x onerror=injected()>",
    "\" onload=\"injected()",
    "{injected}",
    "%s%n",
    "int",
    "self",
    "größe °C, 温度",
    "\u{feff}zero\u{200b}width",
];

/// A name as a cell of CSV.
pub(crate) fn hostile_cell(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Would a terminal obey it, or an editor hide it?
pub(crate) fn is_order(c: char) -> bool {
    let hidden = [
        '\u{200b}'..='\u{200f}',
        '\u{2028}'..='\u{202e}',
        '\u{2060}'..='\u{206f}',
        '\u{feff}'..='\u{feff}',
    ];
    c.is_control() && c != '\n' || hidden.iter().any(|range| range.contains(&c))
}

/// Nothing in it is hidden or gives orders.
pub(crate) fn assert_visible(content: &[u8]) -> &str {
    let text = std::str::from_utf8(content).expect("UTF-8");
    assert!(!text.chars().any(is_order), "{text:?}");
    text
}

/// Harmless on a terminal, and no line of it is another's.
pub(crate) fn assert_harmless(printed: &[u8]) -> &str {
    let text = assert_visible(printed);
    assert!(!text.lines().any(|line| line.starts_with("mercer: injected")), "{text}");
    text
}

/// JSON as `mercer` writes it, on which the checksum depends: what would not show is escaped.
pub(crate) fn plain_json(value: &serde_json::Value) -> String {
    let shown = |c: char| match c.is_ascii() || c.is_alphanumeric() || c == '°' {
        true => c.to_string(),
        false => format!("\\u{:04x}", u32::from(c)),
    };
    value.to_string().chars().map(shown).collect()
}

/// A model file with another value for a field; it stands on a line of its own.
pub(crate) fn with_field(model: &str, field: &str, value: &str) -> String {
    let key = format!("\"{field}\": ");
    let start = model.find(&key).unwrap_or_else(|| panic!("{field} is a field")) + key.len();
    let end = start + model[start..].find('\n').expect("the end of the line");
    let comma = if model[..end].ends_with(',') { "," } else { "" };
    format!("{}{value}{comma}{}", &model[..start], &model[end..])
}

/// The file with the checksum that belongs to it.
pub(crate) fn mended(model: &str) -> String {
    let blank = with_field(model, "checksum", "\"00000000\"");
    let checksum = Crc::<u32>::new(&CRC_32_ISO_HDLC).checksum(blank.as_bytes());
    with_field(&blank, "checksum", &format!("\"{checksum:08x}\""))
}

/// What a C compiler takes for code: no comments, no strings.
pub(crate) fn c_code(source: &str) -> String {
    let mut code = String::new();
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("/*") {
            let end = rest.find("*/").expect("the end of the comment");
            rest = &rest[end + 2..];
        } else if c == '"' {
            rest = after_string(rest);
        } else {
            code.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    code
}

/// What a Rust compiler takes for code: no comments, no strings.
pub(crate) fn rust_code(source: &str) -> String {
    let mut code = String::new();
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = &rest[rest.find('\n').expect("the end of the line")..];
        } else if c == '"' {
            rest = after_string(rest);
        } else {
            code.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    code
}

/// What follows a literal that stands at the beginning.
fn after_string(text: &str) -> &str {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return &text[at + 1..],
            _ => escaped = c == '\\' && !escaped,
        }
    }
    panic!("a literal without an end")
}
