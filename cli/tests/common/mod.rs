//! Runs the built binary, as a user would.

// Every test program uses its own part of it.
#![allow(dead_code)]

pub(crate) mod hostile;
pub(crate) mod waves;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The root of the project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A file of the golden vectors.
pub(crate) fn golden(name: &str) -> PathBuf {
    root().join("tests/data/golden").join(name)
}

/// Data that are not part of the repository; none, and said so, where they are missing.
pub(crate) fn shared(folder: &str) -> Option<PathBuf> {
    let path = root().join("../shared/data").join(folder);
    if path.is_dir() {
        return Some(path);
    }
    skipped(&format!("there is no ../shared/data/{folder} beside the repository"));
    None
}

/// Says that a test was not made, and why: not by `println!`, which the test runner swallows.
pub(crate) fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// A folder of the test's own, with the binary to run in it.
pub(crate) struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder for the test") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).expect("the test's file");
        path
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        command(self.folder.path(), arguments)
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        mercer(self.folder.path(), arguments)
    }

    pub(crate) fn succeed(&self, arguments: &[&str]) -> String {
        succeed(self.folder.path(), arguments)
    }

    /// Runs it, and it must succeed; what it printed and what it said.
    pub(crate) fn all(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let said = String::from_utf8(output.stderr).expect("text");
        assert!(output.status.success(), "mercer {arguments:?}: {said}");
        String::from_utf8(output.stdout).expect("text") + &said
    }

    pub(crate) fn fail(&self, arguments: &[&str]) -> String {
        fail(self.folder.path(), arguments)
    }

    pub(crate) fn files(&self) -> Vec<String> {
        files(self.folder.path())
    }
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mercer"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs `mercer` in a folder.
pub(crate) fn mercer(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().expect("the binary runs")
}

/// Runs it, and it must succeed; what it printed.
pub(crate) fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = mercer(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "mercer {arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

/// Runs it, and it must fail with one line on standard error, notes aside, and exit code 2; that
/// line.
pub(crate) fn fail(folder: &Path, arguments: &[&str]) -> String {
    let output = mercer(folder, arguments);
    let error = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2), "mercer {arguments:?}: {error}");
    let errors: Vec<&str> =
        error.lines().filter(|line| !line.starts_with("mercer: note: ")).collect();
    assert_eq!(errors.len(), 1, "one line: {error}");
    errors[0].to_string()
}

/// Names of the files in a folder, sorted.
pub(crate) fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    names.sort();
    names
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("a path that is text")
}

/// The numbers of a CSV, without its header; with the names of the columns.
pub(crate) fn parse(csv: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let mut lines = csv.lines();
    let header = lines.next().expect("a header").split(',').map(String::from).collect();
    let number = |cell: &str| cell.parse().unwrap_or_else(|_| panic!("{cell} is a number"));
    (header, lines.map(|line| line.split(',').map(number).collect()).collect())
}

/// A column of numbers by its name; the others may be text.
pub(crate) fn column(csv: &str, name: &str) -> Vec<f64> {
    let mut lines = csv.lines();
    let mut header = lines.next().expect("a header").split(',');
    let place = header.position(|column| column == name).expect("the column");
    let number = |cell: &str| cell.parse().unwrap_or_else(|_| panic!("{cell} is a number"));
    lines.map(|line| number(line.split(',').nth(place).expect("a cell"))).collect()
}

/// The largest difference, relative to the largest entry of what was expected.
pub(crate) fn difference(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let largest = expected.iter().fold(0.0_f64, |largest, v| largest.max(v.abs()));
    let worst = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    worst / largest
}
