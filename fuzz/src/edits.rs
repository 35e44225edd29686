//! Edits of a text or of bytes that were valid.

use crate::number::{below, byte};
use crate::{Decisions, pick};

/// No text grows beyond this: what takes long, or much memory, does so with less.
const LONGEST: usize = 1 << 17;

/// What often matters in CSV and JSON.
const WORDS: [&str; 40] = [
    ",",
    "\n",
    "\r\n",
    "\"",
    ";",
    "\t",
    "{",
    "}",
    "[",
    "]",
    ":",
    "null",
    "true",
    "NaN",
    "inf",
    "-0",
    "0",
    "1",
    "1e999",
    "-1e-400",
    "1e38",
    "3.5e38",
    "18446744073709551615",
    "-1",
    "0.1",
    "\\u0000",
    "\\ud800",
    "\u{1b}[2J",
    "\u{feff}",
    "é",
    "\u{202e}",
    "*/",
    "\\",
    "??/",
    "`",
    "]]",
    "x0",
    "a",
    " ",
    "\0",
];

/// A word that often matters, or a few characters of any kind.
pub fn word(decisions: &mut Decisions<'_>) -> String {
    match byte(decisions) % 4 {
        0 => {
            let count = 1 + below(decisions, 8);
            (0..count)
                .map(|_| char::from_u32(below(decisions, 0xd000) as u32).unwrap_or('?'))
                .collect()
        }
        _ => pick(decisions, &WORDS).into(),
    }
}

/// Applies as many edits as there are decisions for.
pub fn edit(text: &mut Vec<u8>, decisions: &mut Decisions<'_>) {
    while !decisions.is_empty() {
        let at = below(decisions, text.len() + 1);
        match byte(decisions) % 8 {
            0 => flip(text, at, decisions),
            1 | 2 => insert(text, at, pick(decisions, &WORDS).as_bytes()),
            3 => {
                let count = below(decisions, 32);
                let bytes: Vec<u8> = (0..count).map(|_| byte(decisions)).collect();
                insert(text, at, &bytes);
            }
            4 => {
                let end = (at + below(decisions, 256)).min(text.len());
                text.drain(at..end);
            }
            5 => {
                // Puts a word in the place of a number, or of another word.
                let end = at + text[at..].iter().take_while(|c| is_of_word(**c)).count();
                text.splice(at..end, pick(decisions, &WORDS).bytes());
            }
            6 => repeat(text, at, below(decisions, 64), 1 + below(decisions, 16)),
            _ => repeat(text, at, below(decisions, 16), 1 << below(decisions, 18)),
        }
        text.truncate(LONGEST);
    }
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+-._".contains(&byte)
}

fn flip(text: &mut [u8], at: usize, decisions: &mut Decisions<'_>) {
    if let Some(place) = text.get_mut(at) {
        *place ^= byte(decisions);
    }
}

fn insert(text: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    text.splice(at..at, bytes.iter().copied());
}

/// Repeats the `length` bytes from a place on.
fn repeat(text: &mut Vec<u8>, at: usize, length: usize, times: usize) {
    let end = (at + length).min(text.len());
    let part = text[at..end].to_vec();
    let room = LONGEST.saturating_sub(text.len());
    let times = times.min(room / part.len().max(1));
    insert(text, at, &part.repeat(times));
}
