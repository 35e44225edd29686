//! The way of a new user: a recording, a model, `mercer new firmware`, and what that has written,
//! tested on the host and run in an emulator.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::compare::require_same;
use crate::device::Outcome;
use crate::emulate::lines_of;
use crate::firmware::Project;
use crate::toolchain::{self, Toolchain};

const TARGET: &str = "thumbv6m-none-eabi";
const NAME: &str = "watcher";
/// So many lines of the recording are of a sound fan: a heading, and samples.
const NORMAL: usize = 1 + 4080;

/// A project that `mercer new firmware` has written.
pub(crate) struct Written {
    folder: PathBuf,
    recording: PathBuf,
    /// Where firmware is built: with what its board's own project has built already.
    target: PathBuf,
    /// When the alarm changes, as `mercer score` has it: `window N: ALARM`, `window N: normal`.
    expected: Vec<String>,
}

impl Written {
    /// Fits a model to the first part of a recording, and writes a project around it.
    pub(crate) fn make(project: &Project, recording: &Path) -> Result<Self> {
        let target = project.firmware_dir();
        let desk = target.join("desk");
        // What an earlier run has left: nothing is written over.
        if desk.exists() {
            fs::remove_dir_all(&desk).with_context(|| desk.display().to_string())?;
        }
        fs::create_dir_all(&desk)?;
        let path = |name: &str| desk.join(name).display().to_string();
        let (normal, model) = (path("normal.csv"), path("fan.mercer"));
        let (text, folder) = (fs::read_to_string(recording)?, desk.join(NAME));
        let lines: Vec<&str> = text.lines().take(NORMAL).collect();
        fs::write(&normal, lines.join("\n") + "\n")?;
        let windows = ["--window", "40", "--features", "mean,logstd", "--rate", "1000"];
        project.mercer(&[&["fit", &normal, "--out", &model], &windows[..]].concat())?;
        let root = project.root.display().to_string();
        project.mercer(&["new", "firmware", &path(NAME), "--model", &model, "--mercer", &root])?;
        let scores = project.mercer(&["score", &model, &recording.display().to_string()])?;
        // The versions that the project of this board is tested with.
        let lock = project.root.join("firmware/pico-embassy/Cargo.lock");
        fs::copy(lock, folder.join("board/Cargo.lock"))?;
        fs::copy(recording, folder.join("watch/recording.csv"))?;
        Ok(Self { folder, recording: recording.into(), target, expected: changes(&scores)? })
    }

    /// Its own tests, on the host; they show when the alarm changes.
    pub(crate) fn test(&self) -> Result<(Outcome, String)> {
        let mut cargo = Command::new(toolchain::host_cargo());
        cargo.current_dir(self.folder.join("watch")).args(["test", "--quiet", "--target-dir"]);
        let said = lines_of(cargo.arg(self.target.join("host")).args(["--", "--nocapture"]))?;
        require_same(&self.expected, &told(&said))?;
        Ok((Outcome::Passed, self.expected.join(", ")))
    }

    /// Its firmware.
    pub(crate) fn build(&self) -> Result<PathBuf> {
        let mut cargo = Toolchain::find(TARGET)?.cargo("build", &self.target);
        cargo.current_dir(self.folder.join("board")).arg("--release");
        cargo.env("CARGO_ENCODED_RUSTFLAGS", "");
        ensure!(cargo.status()?.success(), "it does not build");
        Ok(self.target.join(TARGET).join("release").join(NAME))
    }

    /// The firmware in an emulator, with the recording in its converter.
    pub(crate) fn run(&self, emulator: &Path, elf: &Path) -> Result<(Outcome, String)> {
        let mut node = Command::new("node");
        node.arg(emulator).arg(elf).arg(&self.recording).stderr(Stdio::inherit());
        let said = lines_of(&mut node)?;
        require_same(&self.expected, &told(&said))?;
        ensure!(said.len() == self.expected.len(), "it says more: {}", said.join("\n  "));
        Ok((Outcome::Passed, said.join(", ")))
    }
}

/// Where the last column of `mercer score`, the alarm, changes.
fn changes(scores: &[String]) -> Result<Vec<String>> {
    let (mut changes, mut before) = (Vec::new(), "0");
    for (window, line) in scores.iter().skip(1).enumerate() {
        let (_, alarm) = line.rsplit_once(',').with_context(|| format!("mercer score: {line}"))?;
        if alarm != before {
            changes.push(format!(
                "window {window}: {}",
                if alarm == "1" { "ALARM" } else { "normal" }
            ));
            before = alarm;
        }
    }
    ensure!(changes.len() >= 2, "the recording raises no alarm that ends");
    Ok(changes)
}

/// The same of lines such as `window 102: ALARM, score 1.2938`, of which a test may begin with its
/// dots.
fn told(lines: &[String]) -> Vec<String> {
    let window = |line: &String| {
        let (_, rest) = line.split_once("window ")?;
        Some(format!("window {}", rest.split_once(',')?.0))
    };
    lines.iter().filter_map(window).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_string).collect()
    }

    #[test]
    fn changes_are_found_on_the_desk_and_in_a_log() {
        let scores = lines("row,spe,alarm\n0,1,0\n40,9,1\n80,9,1\n120,1,0");
        let expected = lines("window 1: ALARM\nwindow 3: normal");
        assert_eq!(changes(&scores).unwrap(), expected);
        let log = lines("..window 1: ALARM, score 9\nnothing\nwindow 3: normal, score 1");
        assert_eq!(told(&log), expected);
        assert!(changes(&scores[..3]).is_err());
    }
}
