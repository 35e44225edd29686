//! Source code as its reader sees it: what is left of it without comments, with numbers and strings
//! as such.

/// A piece of source code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// A name or a keyword.
    Word(String),
    /// A number, its sign included, or `true` or `false`.
    Value,
    /// A string: the bytes that it stands for.
    Text(Vec<u8>),
    /// Anything else.
    Symbol(char),
}

/// Two languages that are alike, but for comments and escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C99.
    C,
    /// Rust.
    Rust,
}

/// The tokens of a source.
///
/// # Errors
/// A comment or a string without an end, a character that has no business there.
pub fn tokens(source: &str, language: Language) -> Result<Vec<Token>, String> {
    let mut rest = source;
    let mut tokens = Vec::new();
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("/*") && language == Language::C {
            rest = rest[2..].split_once("*/").ok_or("a comment without an end")?.1;
        } else if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if first == '"' {
            let (text, after) = string(&rest[1..], language)?;
            tokens.push(Token::Text(text));
            rest = after;
        } else if first.is_ascii_digit() {
            let is_exponent = |before: Option<char>| matches!(before, Some('e' | 'E' | 'p' | 'P'));
            let mut last = None;
            let end = rest.find(|c: char| {
                let goes_on = c.is_ascii_alphanumeric()
                    || "._".contains(c)
                    || "+-".contains(c) && is_exponent(last);
                last = Some(c);
                !goes_on
            });
            // A sign belongs to the number, so that values of either sign look the same.
            if tokens.last() == Some(&Token::Symbol('-')) {
                tokens.pop();
            }
            tokens.push(Token::Value);
            rest = &rest[end.unwrap_or(rest.len())..];
        } else if first.is_ascii_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
            tokens.push(match word {
                "true" | "false" => Token::Value,
                _ => Token::Word(word.into()),
            });
            rest = after;
        } else if first.is_ascii_punctuation() && first != '\'' && first != '\\' {
            tokens.push(Token::Symbol(first));
            rest = &rest[1..];
        } else if first == ' ' || first == '\n' {
            rest = &rest[1..];
        } else {
            return Err(format!("{first:?} outside of comments and strings"));
        }
    }
    Ok(tokens)
}

/// The value of a string literal, and what follows it.
fn string(text: &str, language: Language) -> Result<(Vec<u8>, &str), String> {
    let mut value = Vec::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Ok((value, &text[at + 1..])),
            '\n' => return Err("a string that does not end on its line".into()),
            '\\' => {
                let (_, escape) = chars.next().ok_or("half an escape")?;
                match (escape, language) {
                    ('0'..='7', Language::C) => {
                        let digits = text.get(at + 1..at + 4).ok_or("half an escape")?;
                        let code =
                            u8::from_str_radix(digits, 8).map_err(|error| error.to_string())?;
                        value.push(code);
                        chars.next();
                        chars.next();
                    }
                    ('u', Language::Rust) => {
                        let (digits, _) = text[at..].split_once('}').ok_or("half an escape")?;
                        let code =
                            digits.strip_prefix("\\u{").ok_or("an escape without a brace")?;
                        let code = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
                        let code = code.ok_or("no character")?;
                        value.extend(code.encode_utf8(&mut [0; 4]).bytes());
                        chars.by_ref().take(digits.len() - 1).for_each(drop);
                    }
                    ('n', Language::Rust) => value.push(b'\n'),
                    ('r', Language::Rust) => value.push(b'\r'),
                    ('t', Language::Rust) => value.push(b'\t'),
                    ('0', Language::Rust) => value.push(0),
                    ('"' | '\\' | '\'' | '?', _) => value.push(escape as u8),
                    _ => return Err(format!("an unknown escape {escape:?}")),
                }
            }
            c if language == Language::C && !(' '..='~').contains(&c) => {
                return Err(format!("{c:?} in a string"));
            }
            c => value.extend(c.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    Err("a string without an end".into())
}

/// The strings among some tokens.
pub fn texts(tokens: &[Token]) -> Vec<&[u8]> {
    tokens
        .iter()
        .filter_map(|token| match token {
            Token::Text(text) => Some(text.as_slice()),
            _ => None,
        })
        .collect()
}

/// The tokens without the values of strings: what stays the same when only values change.
pub fn skeleton(tokens: &[Token]) -> Vec<Token> {
    let without = |token: &Token| match token {
        Token::Text(_) => Token::Text(Vec::new()),
        other => other.clone(),
    };
    tokens.iter().map(without).collect()
}
