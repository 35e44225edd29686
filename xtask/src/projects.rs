//! `cargo xtask firmware`: the projects of `firmware/`, each built as its users would, and run
//! where there is an emulator for it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::compare::require_same;
use crate::device::{Outcome, Report};
use crate::emulate::{self, lines_of};
use crate::firmware::Project;
use crate::template::Written;
use crate::toolchain::{self, Toolchain};

/// A folder of `firmware/`.
#[derive(Debug)]
struct Board {
    name: &'static str,
    target: &'static str,
    programs: &'static [&'static str],
    emulator: Emulator,
}

/// What runs it here.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Emulator {
    Qemu(&'static [&'static str]),
    Rp2040js,
    /// Nothing: that it builds is all that is known.
    None,
}

/// An instruction takes 16 ns.
const LM3S6965: &[&str] = &["-machine", "lm3s6965evb", "-icount", "shift=4"];

const BOARDS: [Board; 5] = [
    Board {
        name: "rtic",
        target: "thumbv7m-none-eabi",
        programs: &["rtic-fan", "record"],
        emulator: Emulator::Qemu(LM3S6965),
    },
    Board {
        name: "pico-embassy",
        target: "thumbv6m-none-eabi",
        programs: &["pico-embassy", "record"],
        emulator: Emulator::Rp2040js,
    },
    Board {
        name: "nrf52840-embassy",
        target: "thumbv7em-none-eabihf",
        programs: &["nrf52840-embassy", "record"],
        emulator: Emulator::None,
    },
    Board {
        name: "stm32-embassy",
        target: "thumbv7em-none-eabihf",
        programs: &["stm32-embassy", "record"],
        emulator: Emulator::None,
    },
    Board {
        name: "esp32c6",
        target: "riscv32imac-unknown-none-elf",
        programs: &["esp32c6"],
        emulator: Emulator::None,
    },
];

/// The names of the projects.
pub(crate) fn names() -> [&'static str; BOARDS.len()] {
    BOARDS.map(|board| board.name)
}

/// What the logic of all projects is tested with, and what the recorders record.
const RECORDING: &str = "fan/recordings/rubbing.csv";
/// From here on it is played to a chip that has learned, and was reset.
const AFTER_RESET: &str = "2560";

/// Builds, tests and runs these projects.
pub(crate) fn run(chosen: &[String], limit: Duration) -> Result<ExitCode> {
    let project = Project::read()?;
    let folder = Folder { root: project.root.join("firmware"), target: project.firmware_dir() };
    let mut report = Report::default();
    report.step("logic", "host", || folder.test());
    for board in &BOARDS {
        if !chosen.is_empty() && !chosen.iter().any(|name| name == board.name) {
            continue;
        }
        let mut built = Vec::new();
        report.step("build", board.name, || {
            built = folder.build(board)?;
            Ok((Outcome::Passed, String::new()))
        });
        if board.emulator == Emulator::None {
            continue;
        }
        if let [watch, record] = &built[..] {
            report.step("watch", board.name, || folder.watch(board.emulator, watch, limit));
            report.step("record", board.name, || folder.record(board.emulator, record, limit));
        }
        if board.emulator == Emulator::Rp2040js {
            folder.check_template(&project, board.name, &mut report);
        }
    }
    Ok(report.verdict())
}

/// `firmware/`, and where its projects are built.
struct Folder {
    root: PathBuf,
    target: PathBuf,
}

impl Folder {
    fn recording(&self) -> PathBuf {
        self.root.join(RECORDING)
    }

    /// The host's cargo on the logic that all projects share.
    fn host_cargo(&self, arguments: &[&str]) -> Result<Vec<String>> {
        let mut cargo = Command::new(toolchain::host_cargo());
        cargo.current_dir(self.root.join("fan")).args(arguments);
        cargo.arg("--target-dir").arg(self.target.join("host"));
        lines_of(&mut cargo)
    }

    fn test(&self) -> Result<(Outcome, String)> {
        let said = self.host_cargo(&["test", "--quiet"])?;
        let result = said.iter().find(|line| line.starts_with("test result"));
        Ok((Outcome::Passed, result.cloned().unwrap_or_default()))
    }

    /// The executables, in the order of the programs.
    fn build(&self, board: &Board) -> Result<Vec<PathBuf>> {
        let toolchain = Toolchain::find(board.target)?;
        let mut cargo = toolchain.cargo("build", &self.target);
        cargo.current_dir(self.root.join(board.name)).arg("--release");
        // The configuration of this repository, which cargo reads as well, is not that of the
        // project: its link arguments do not apply.
        cargo.env("CARGO_ENCODED_RUSTFLAGS", "");
        ensure!(cargo.status()?.success(), "it does not build");
        let out = self.target.join(board.target).join("release");
        // The projects share the folder, and some names of programs: each has its own copies.
        let own = self.target.join(board.name);
        fs::create_dir_all(&own)?;
        let keep = |program: &&str| {
            let kept = own.join(program);
            fs::copy(out.join(program), &kept).with_context(|| format!("no program {program}"))?;
            Ok(kept)
        };
        board.programs.iter().map(keep).collect()
    }

    /// The firmware itself, which must raise the alarm when it should, and miss no sample.
    fn watch(&self, emulator: Emulator, elf: &Path, limit: Duration) -> Result<(Outcome, String)> {
        match emulator {
            Emulator::Qemu(machine) => {
                let lines = in_qemu(machine, elf, limit)?;
                Ok((Outcome::Passed, lines.join("\n  ")))
            }
            Emulator::Rp2040js => {
                if let Some(missing) = self.missing_for_pico() {
                    return Ok((Outcome::Skipped, missing));
                }
                let recording = self.recording().display().to_string();
                let replay = ["run", "--quiet", "--example", "replay", &recording, AFTER_RESET];
                let (expected, lines) = (self.host_cargo(&replay)?, self.on_pico(elf, true)?);
                let changes = |line: &&String| line.starts_with("window") || *line == "reset";
                let found: Vec<String> = lines.iter().filter(changes).cloned().collect();
                require_same(&expected, &found)?;
                let missed = lines.iter().filter(|line| line.ends_with(" missed"));
                for line in missed {
                    ensure!(line.ends_with(" 0 missed"), "{line}");
                }
                ensure!(lines.iter().any(|line| line.ends_with("loaded")), "the model is lost");
                Ok((Outcome::Passed, lines.join("\n  ")))
            }
            Emulator::None => bail!("there is no emulator for it"),
        }
    }

    /// The recorder, which must send what the sensor gave.
    fn record(&self, emulator: Emulator, elf: &Path, limit: Duration) -> Result<(Outcome, String)> {
        let lines = match emulator {
            Emulator::Qemu(machine) => in_qemu(machine, elf, limit)?,
            Emulator::Rp2040js if self.missing_for_pico().is_none() => self.on_pico(elf, false)?,
            _ => return Ok((Outcome::Skipped, "as above".to_string())),
        };
        let text = fs::read_to_string(self.recording())?;
        let expected: Vec<String> = text.lines().map(str::to_string).collect();
        // An emulated converter repeats its last sample until the emulator stops.
        ensure!(lines.len() >= expected.len(), "{} lines only", lines.len());
        require_same(&expected, &lines[..expected.len()])?;
        Ok((Outcome::Passed, format!("{} lines", expected.len())))
    }

    /// What `mercer new firmware` writes for that board.
    fn check_template(&self, project: &Project, board: &'static str, report: &mut Report) {
        let mut made = None;
        report.step("new", board, || {
            made = Some(Written::make(project, &self.recording())?);
            Ok((Outcome::Passed, String::new()))
        });
        let Some(written) = made else { return };
        report.step("new, tests", board, || written.test());
        report.step("new, watch", board, || {
            let elf = written.build()?;
            match self.missing_for_pico() {
                Some(missing) => Ok((Outcome::Skipped, format!("built; {missing}"))),
                None => written.run(&self.root.join("pico-embassy/emulate.mjs"), &elf),
            }
        });
    }

    fn missing_for_pico(&self) -> Option<String> {
        let package = self.root.join("pico-embassy/node_modules/rp2040js");
        if !toolchain::has_program("node") {
            return Some("skipped: no node on the PATH: apt-get install nodejs npm".to_string());
        }
        let install = "skipped: no emulator: npm ci --prefix firmware/pico-embassy";
        (!package.is_dir()).then(|| install.to_string())
    }

    /// Runs a firmware in rp2040js; after a reset once more, if that is wanted.
    fn on_pico(&self, elf: &Path, reset: bool) -> Result<Vec<String>> {
        let mut node = Command::new("node");
        node.arg(self.root.join("pico-embassy/emulate.mjs")).arg(elf).arg(self.recording());
        if reset {
            node.arg(AFTER_RESET);
        }
        // There it says how many cycles that took.
        lines_of(node.stderr(Stdio::inherit()))
    }
}

fn in_qemu(machine: &[&str], elf: &Path, limit: Duration) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    let take = |line: &str| lines.push(line.to_string());
    let ended = emulate::on_machine("qemu-system-arm", machine, elf, limit, take)?;
    ensure!(ended.well(), "{}\n  {ended}", lines.join("\n  "));
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_folder_with_a_board_is_known() {
        let root = Project::read().unwrap().root.join("firmware");
        let mut folders: Vec<String> = fs::read_dir(root)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|folder| folder.join("src/main.rs").is_file())
            .map(|folder| folder.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        folders.sort();
        let mut known = names();
        known.sort_unstable();
        assert_eq!(folders, known);
    }
}
