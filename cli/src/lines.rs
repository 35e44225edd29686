//! Which line of a file a byte is on: the CSV parser counts blank lines and those that end as on Windows differently than an editor does.

use std::collections::VecDeque;
use std::io::{self, Read};

/// A reader that remembers where lines begin, of what was not yet asked about.
pub(crate) struct Lines<R> {
    input: R,
    /// Number and first byte of each line that is not blank.
    begins: VecDeque<(u64, u64)>,
    line: u64,
    byte: u64,
    is_blank: bool,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, begins: VecDeque::new(), line: 1, byte: 0, is_blank: true }
    }

    /// The first line that is not blank and does not begin before this byte.
    pub(crate) fn line_from(&self, byte: u64) -> u64 {
        let found = self.begins.iter().find(|(_, begin)| *begin >= byte);
        found.map_or(self.line, |(line, _)| *line)
    }

    /// Nobody will ask about what is before this byte.
    pub(crate) fn forget_before(&mut self, byte: u64) {
        while self.begins.front().is_some_and(|(_, begin)| *begin < byte) {
            self.begins.pop_front();
        }
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        for &byte in &buffer[..count] {
            if byte == b'\n' {
                self.line += 1;
                self.is_blank = true;
            } else if self.is_blank && byte != b'\r' {
                self.begins.push_back((self.line, self.byte));
                self.is_blank = false;
            }
            self.byte += 1;
        }
        Ok(count)
    }
}
