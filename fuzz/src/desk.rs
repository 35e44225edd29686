//! The host command on a desk of its own: a folder for its files, and its commands within this
//! process.

use std::fs;
use std::path::PathBuf;

use clap::Parser;
use mercer_cli::command::Arguments;

/// A folder, wherever `TMPDIR` says: in memory, if it is to be fast.
pub struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    /// An empty one.
    ///
    /// # Panics
    /// When no folder can be made.
    #[allow(clippy::new_without_default, reason = "it makes a folder")]
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    /// Where a file is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write(&self, name: &str, content: &[u8]) {
        fs::write(self.path(name), content).expect("the folder can be written to");
    }

    /// Reads a file that a command wrote.
    ///
    /// # Panics
    /// When there is none, or it is no text.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a text that was written")
    }

    /// Runs `mercer` with these words; `@name` stands for a file on the desk.
    ///
    /// # Errors
    /// The message that a person would see.
    pub fn run(&self, words: &[&str]) -> Result<(), String> {
        let words = words.iter().map(|word| match word.strip_prefix('@') {
            Some(name) => self.path(name).into_os_string(),
            None => word.into(),
        });
        let arguments = Arguments::try_parse_from(
            [std::ffi::OsString::from("mercer")].into_iter().chain(words),
        );
        arguments.map_err(|error| error.to_string())?.run().map_err(|error| format!("{error:#}"))
    }
}
