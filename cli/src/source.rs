//! Files of rows, as options and opened: plain or compressed, with whatever stands between cells.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result};
use clap::Args;
use flate2::read::MultiGzDecoder;

use crate::decimals::DecimalMark;
use crate::port;
use crate::rows::RowChoice;
use crate::text::note;

/// Where rows come from.
#[derive(Args, Clone, Debug)]
pub(crate) struct Source {
    /// CSV file with a line of column names, compressed by gzip or not; `-` for standard input
    #[arg(value_name = "DATA.csv")]
    pub data: PathBuf,
    /// What stands between two cells, `tab` for a tabulator [default: a comma; or a semicolon,
    /// tabulator or bar, if the first line has these and no comma]
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub delimiter: Option<u8>,
    /// What stands in front of decimals [default: a point; or a comma, if cells are not separated
    /// by commas and have one]
    #[arg(long, value_enum, value_name = "MARK")]
    pub decimal: Option<DecimalMark>,
    /// The first line is data too; columns are then called x0, x1, … For a model, as many columns
    /// as it has inputs are taken in its order
    #[arg(long)]
    pub no_header: bool,
    /// It is a serial port, with so many bits a second.
    #[arg(skip)]
    pub baud: Option<u32>,
}

impl Source {
    /// Is it standard input, whose rows are to be answered one by one?
    pub(crate) fn is_stream(&self) -> bool {
        self.data.as_os_str() == "-"
    }

    /// Do its rows come as they are made?
    pub(crate) fn is_live(&self) -> bool {
        self.is_stream() || self.baud.is_some()
    }

    /// What to call it in messages.
    pub(crate) fn name(&self) -> String {
        if self.is_stream() { "standard input".into() } else { self.data.display().to_string() }
    }

    /// All files that rows come from or are chosen by.
    pub(crate) fn files<'a>(&'a self, choice: &'a RowChoice) -> impl Iterator<Item = &'a Path> {
        let data = if self.is_stream() { Path::new("/dev/stdin") } else { &self.data };
        std::iter::once(data).chain(choice.files())
    }

    /// Opens it, and looks at its first line.
    pub(crate) fn open(&self) -> Result<Opened> {
        let input: Box<dyn Read + Send> = match self.baud {
            Some(baud) => port::open(&self.data, baud, !self.no_header)?,
            None if self.is_stream() => Box::new(io::stdin()),
            None => Box::new(File::open(&self.data).with_context(|| self.name())?),
        };
        let file = std::fs::metadata(&self.data).ok().filter(|found| found.is_file());
        let size = file.filter(|_| !self.is_stream()).map(|found| found.len());
        let far = Far { read: Arc::default(), size };
        let input = Box::new(Counted { input, read: Arc::clone(&far.read) });
        let mut input = decompressed(input).with_context(|| self.name())?;
        let first = first_line(&mut input).with_context(|| self.name())?;
        let delimiter = self.delimiter.unwrap_or_else(|| {
            let found = likely_delimiter(&first);
            if found != b',' {
                note(&format!("{}: cells are separated by {}", self.name(), shown(found)));
            }
            found
        });
        // A single garbled quote would swallow all lines of a stream that follow.
        let has_quotes = !self.is_live() || line_of(&first).contains(&b'"');
        Ok(Opened { input: Box::new(Cursor::new(first).chain(input)), delimiter, has_quotes, far })
    }
}

/// How far a file was read.
#[derive(Clone, Debug)]
pub(crate) struct Far {
    read: Arc<AtomicU64>,
    /// Its bytes, if somebody knows.
    pub(crate) size: Option<u64>,
}

impl Far {
    pub(crate) fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }
}

/// Counts what is read.
struct Counted<R> {
    input: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// A file whose first line was looked at.
pub(crate) struct Opened {
    pub(crate) input: Box<dyn Read + Send>,
    pub(crate) delimiter: u8,
    /// Cells may stand in quotes.
    pub(crate) has_quotes: bool,
    pub(crate) far: Far,
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"\\t" | b"tab" => Ok(b'\t'),
        &[byte] if !b"\"\r\n".contains(&byte) => Ok(byte),
        _ => Err("one character, or `tab`".into()),
    }
}

/// As an option has it.
pub(crate) fn delimiter_option(delimiter: u8) -> String {
    if delimiter == b'\t' { "tab".into() } else { char::from(delimiter).to_string() }
}

fn shown(delimiter: u8) -> &'static str {
    match delimiter {
        b';' => "semicolons",
        b'\t' => "tabulators",
        _ => "bars",
    }
}

/// What a file of gzip begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

fn decompressed(mut input: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
    let mut magic = Vec::new();
    input.by_ref().take(GZIP.len() as u64).read_to_end(&mut magic)?;
    let is_compressed = magic == GZIP;
    let whole = Cursor::new(magic).chain(input);
    Ok(match is_compressed {
        true => Box::new(BufReader::new(MultiGzDecoder::new(BufReader::new(whole)))),
        false => Box::new(whole),
    })
}

/// Bytes of a first line that are looked at.
const MOST_BYTES: usize = 4 << 20;

/// All up to the end of the first line that is not blank, and whatever came along with it.
fn first_line(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let (mut first, mut chunk, mut has_begun) = (Vec::new(), [0; 4096], false);
    loop {
        let count = input.read(&mut chunk)?;
        let new = &chunk[..count];
        first.extend_from_slice(new);
        let begin = if has_begun { Some(0) } else { new.iter().position(|byte| !is_end(byte)) };
        has_begun = begin.is_some();
        let has_ended = begin.is_some_and(|begin| new[begin..].iter().any(is_end));
        if count == 0 || has_ended || first.len() > MOST_BYTES {
            return Ok(first);
        }
    }
}

/// The first line that is not blank.
fn line_of(first: &[u8]) -> &[u8] {
    first.split(is_end).find(|line| !line.is_empty()).unwrap_or_default()
}

fn is_end(byte: &u8) -> bool {
    b"\r\n".contains(byte)
}

/// What separates the cells of the first line.
fn likely_delimiter(first: &[u8]) -> u8 {
    let mut is_quoted = false;
    let mut plain: Vec<u8> = Vec::new();
    for &byte in line_of(first) {
        is_quoted ^= byte == b'"';
        plain.extend((!is_quoted).then_some(byte));
    }
    let count = |delimiter: u8| plain.iter().filter(|&&byte| byte == delimiter).count();
    // Numbers with decimal commas in a first line that is no header.
    let is_number = |cell: &[u8]| {
        let text = String::from_utf8_lossy(cell).trim().replacen(',', ".", 1);
        text.parse::<f64>().is_ok()
    };
    if count(b';') > 0 && plain.split(|&byte| byte == b';').all(is_number) {
        return b';';
    }
    match count(b',') {
        0 => *b";\t|"
            .iter()
            .max_by_key(|&&other| count(other))
            .filter(|&&o| count(o) > 0)
            .unwrap_or(&b','),
        _ => b',',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_are_found_in_the_first_line() {
        for (first, delimiter) in [
            ("a,b,c\n1;2\n", b','),
            ("a;b;c\n1,5;2;3\n", b';'),
            ("\r\n\r\na\tb\r\n1,2", b'\t'),
            ("a|b|c", b'|'),
            ("alone\n1;2", b','),
            ("\"temp, inlet\";p\n", b';'),
            ("1,5;2,5\n", b';'),
            ("p;q,r\n", b','),
            ("", b','),
        ] {
            assert_eq!(likely_delimiter(first.as_bytes()), delimiter, "{first:?}");
        }
    }
}
