//! Alarms as lines of a CSV, each on the disk as soon as it is known.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::Scored;
use crate::escape;

const HEADER: &str = "at,event,row,time,thresholds,suspect,read,expected";

/// A file that events are added to.
pub(crate) struct Log {
    path: PathBuf,
    file: File,
}

/// What happened to the alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Raised,
    Ended,
}

impl Log {
    /// A new log, or one of earlier times to go on with.
    ///
    /// # Errors
    /// If the file is something else than such a log.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let open = || OpenOptions::new().read(true).append(true).create(true).open(path);
        let mut log =
            Self { path: path.into(), file: open().with_context(|| path.display().to_string())? };
        let mut first = String::new();
        // A file that is no text is no log either.
        let is_text = BufReader::new(&log.file).read_line(&mut first).is_ok();
        if is_text && first.is_empty() {
            log.write(HEADER)?;
            return Ok(log);
        }
        ensure!(
            is_text && first.trim_end() == HEADER,
            "{}: holds something else than events; another name keeps both",
            path.display()
        );
        Ok(log)
    }

    /// Adds what happened with this reading.
    pub(crate) fn add(&mut self, change: Change, reading: &Scored) -> Result<()> {
        let event = match change {
            Change::Raised => "raised",
            Change::Ended => "ended",
        };
        let (input, read, expected) = match &reading.suspect {
            Some(blamed) => (
                escape::csv(&blamed.input),
                format!("{:?}", blamed.read),
                format!("{:?}", blamed.expected),
            ),
            None => Default::default(),
        };
        let at = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ");
        let (row, time, score) = (reading.row, escape::csv(&reading.time), reading.score);
        self.write(&format!("{at},{event},{row},{time},{score:.4},{input},{read},{expected}"))
    }

    fn write(&mut self, line: &str) -> Result<()> {
        // In one piece, so that a line is whole or not there.
        self.file
            .write_all(format!("{line}\n").as_bytes())
            .with_context(|| self.path.display().to_string())
    }
}
