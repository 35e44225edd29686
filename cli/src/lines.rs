//! Which line of a file a byte is on: the CSV parser counts blank lines and those that end as on
//! Windows differently than an editor does. And an end to lines that have none.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Read};

/// Bytes of a row; one of 100,000 inputs has about a million. Without a limit, a file without ends
/// of lines, or with a quote that is never closed, would fill the memory.
const LONGEST_ROW: u64 = 4 << 20;

/// A reader that remembers where lines begin, of what was not yet asked about.
pub(crate) struct Lines<R> {
    input: R,
    /// Number and first byte of each line that is not blank.
    begins: VecDeque<(u64, u64)>,
    line: u64,
    byte: u64,
    is_blank: bool,
    /// The last byte was a return, which ends a line alone or together with the next byte.
    after_return: bool,
    before_waiting: Option<BeforeWaiting>,
}

/// To be called when all that was read is used up, and more may be long in coming.
pub(crate) type BeforeWaiting = Box<dyn FnMut() -> io::Result<()> + Send>;

/// A row that is longer than [`LONGEST_ROW`], where it begins.
#[derive(Debug)]
pub(crate) struct LongRow {
    pub(crate) line: u64,
}

impl fmt::Display for LongRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a row of more than {} MiB, the longest that is read (is a quote not closed, or is this no CSV?)",
            LONGEST_ROW >> 20
        )
    }
}

impl std::error::Error for LongRow {}

impl<R: Read> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self {
            input,
            begins: VecDeque::new(),
            line: 1,
            byte: 0,
            is_blank: true,
            after_return: false,
            before_waiting: None,
        }
    }

    pub(crate) fn before_waiting(&mut self, call: Option<BeforeWaiting>) {
        self.before_waiting = call;
    }

    /// The first line that is not blank and does not begin before this byte.
    pub(crate) fn line_from(&self, byte: u64) -> u64 {
        let found = self.begins.iter().find(|(_, begin)| *begin >= byte);
        found.map_or(self.line, |(line, _)| *line)
    }

    /// A row begins at this byte or after it: nobody will ask about what is before.
    pub(crate) fn begin_row(&mut self, byte: u64) {
        while self.begins.front().is_some_and(|(_, begin)| *begin < byte) {
            self.begins.pop_front();
        }
    }
}

impl<R: Read> Read for Lines<R> {
    /// Called when the parser has used up what it got, and the row is not at its end.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(&(line, begin)) = self.begins.front()
            && self.byte - begin > LONGEST_ROW
        {
            return Err(io::Error::other(LongRow { line }));
        }
        if let Some(call) = &mut self.before_waiting {
            call()?;
        }
        let count = self.input.read(buffer)?;
        for &byte in &buffer[..count] {
            match byte {
                b'\n' if self.after_return => {}
                b'\n' | b'\r' => {
                    self.line += 1;
                    self.is_blank = true;
                }
                _ if self.is_blank => {
                    self.begins.push_back((self.line, self.byte));
                    self.is_blank = false;
                }
                _ => {}
            }
            self.after_return = byte == b'\r';
            self.byte += 1;
        }
        Ok(count)
    }
}
