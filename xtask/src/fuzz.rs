//! `cargo xtask fuzz`: builds the targets in `fuzz/` and runs each of them for a while.
//!
//! What `cargo fuzz` does, without having to install it, and on any toolchain: only its address
//! sanitizer needs a nightly one, and there is no unsafe code to watch. Its folders are the same,
//! so that either can go on where the other has stopped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::firmware::Project;
use crate::table::Table;
use crate::toolchain::{host_cargo, host_target, require_cpp};

/// The targets, files in `fuzz/fuzz_targets`.
pub(crate) const TARGETS: [&str; 6] =
    ["stored", "front_ends", "learning", "calls", "readers", "exports"];

/// Those that need the command, and its dependencies with it.
const OF_COMMAND: [&str; 2] = ["readers", "exports"];

/// Counts which edges are taken, and shows the fuzzer what is compared.
const RUSTFLAGS: [&str; 6] = [
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// An input that takes longer than the first, or more memory than the second, is a finding. What
/// commands print goes nowhere; and where each run takes many edges, the usual choice of inputs
/// takes longer than to run them.
const LIMITS: [&str; 6] = [
    "-timeout=60",
    "-rss_limit_mb=2048",
    "-max_len=1024",
    "-close_fd_mask=1",
    "-entropic=0",
    "-print_final_stats=1",
];

/// Runs each target for so many seconds, after what was found before.
pub(crate) fn run(targets: &[&str], seconds: u64) -> Result<ExitCode> {
    require_cpp()?;
    let project = Project::read()?;
    let folder = project.root.join("fuzz");
    let with_command = targets.iter().any(|target| OF_COMMAND.contains(target));
    let programs = build(&folder, &project.fuzz_dir(), with_command)?;
    let mut table = Table::new(["target", "replayed", "executions", "seconds", "crashes"]);
    let mut crashes = 0;
    for target in targets {
        let fuzzer = Fuzzer { folder: &folder, program: programs.join(target), target };
        let replayed = fuzzer.findings()?;
        let start = Instant::now();
        let again = fuzzer.replay(&replayed)?;
        let new = if again.crashed { None } else { Some(fuzzer.search(seconds)?) };
        let crashed = again.crashed || new.as_ref().is_some_and(|run| run.crashed);
        crashes += usize::from(crashed);
        table.row([
            (*target).to_string(),
            replayed.len().to_string(),
            new.map_or(0, |run| run.executions).to_string(),
            start.elapsed().as_secs().to_string(),
            usize::from(crashed).to_string(),
        ]);
    }
    println!("{table}\n{} passed, {crashes} failed", targets.len() - crashes);
    Ok(if crashes == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Builds all targets, or those of the library alone; returns the folder they are in.
fn build(folder: &Path, target_dir: &Path, with_command: bool) -> Result<PathBuf> {
    let host = host_target()?;
    let mut cargo = Command::new(host_cargo());
    cargo.args(["build", "--quiet", "--release", "--bins", "--target", &host]);
    cargo.arg("--manifest-path").arg(folder.join("Cargo.toml"));
    cargo.arg("--target-dir").arg(target_dir);
    if !with_command {
        cargo.arg("--no-default-features");
    }
    cargo.env("CARGO_ENCODED_RUSTFLAGS", RUSTFLAGS.join("\u{1f}"));
    ensure!(cargo.status()?.success(), "the fuzz targets do not compile");
    Ok(target_dir.join(host).join("release"))
}

/// One target.
struct Fuzzer<'a> {
    /// `fuzz/`.
    folder: &'a Path,
    program: PathBuf,
    target: &'a str,
}

/// A folder for the files of a target, in memory where there is one. A fuzzer that has found
/// something ends at once, and leaves its files there.
struct Desk(PathBuf);

impl Desk {
    fn new() -> Result<Self> {
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { memory.into() } else { std::env::temp_dir() };
        let folder = folder.join(format!("mercer-fuzz-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What became of a run.
struct Run {
    executions: u64,
    crashed: bool,
}

impl Fuzzer<'_> {
    /// What was found before, and is kept so that it is not found again.
    fn findings(&self) -> Result<Vec<PathBuf>> {
        let folder = self.folder.join("findings").join(self.target);
        if !folder.is_dir() {
            return Ok(Vec::new());
        }
        let mut files: Vec<PathBuf> =
            folder.read_dir()?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
        files.sort();
        Ok(files)
    }

    fn replay(&self, files: &[PathBuf]) -> Result<Run> {
        if files.is_empty() {
            return Ok(Run { executions: 0, crashed: false });
        }
        self.run(|command| command.args(files))
    }

    /// Looks for more.
    fn search(&self, seconds: u64) -> Result<Run> {
        let corpus = self.folder.join("corpus").join(self.target);
        fs::create_dir_all(&corpus)?;
        self.run(|command| command.arg(format!("-max_total_time={seconds}")).arg(corpus))
    }

    fn run(&self, arguments: impl FnOnce(&mut Command) -> &mut Command) -> Result<Run> {
        let artifacts = self.folder.join("artifacts").join(self.target);
        fs::create_dir_all(&artifacts)?;
        let desk = Desk::new()?;
        let mut command = Command::new(&self.program);
        command.env("TMPDIR", &desk.0);
        command.args(LIMITS).arg(format!("-artifact_prefix={}/", artifacts.display()));
        arguments(&mut command).stdin(Stdio::null());
        let output = command.output().with_context(|| self.program.display().to_string())?;
        let log = String::from_utf8_lossy(&output.stderr);
        let crashed = !output.status.success();
        if crashed {
            self.explain(&output, &log);
        }
        Ok(Run { executions: executions(&log), crashed })
    }

    /// What happened, and how to see it once more.
    fn explain(&self, output: &Output, log: &str) {
        eprintln!("--- {}: {}", self.target, output.status);
        for line in reason(log) {
            eprintln!("{line}");
        }
        eprintln!("once more: {} FILE", self.program.display());
    }
}

/// What the fuzzer says that it has done.
fn executions(log: &str) -> u64 {
    let stat = "stat::number_of_executed_units:";
    let found = log.lines().filter_map(|line| line.strip_prefix(stat)).next_back();
    found.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

/// The lines of a log that tell why it ended: the panic's, and where the input was written to.
fn reason(log: &str) -> impl Iterator<Item = &str> {
    const MOST_LINES: usize = 20;
    let panic = log.lines().skip_while(|line| !line.contains("panicked at"));
    let panic = panic.take_while(|line| !line.starts_with("stack backtrace")).take(MOST_LINES);
    let rest = ["ERROR: libFuzzer", "SUMMARY:", "Test unit written to", "Running: "];
    panic.chain(log.lines().filter(move |line| rest.iter().any(|word| line.contains(word))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "#1 NEW cov: 8
thread '<unnamed>' panicked at a.rs:1:2:
boom
stack backtrace:
 0: main
==1== ERROR: libFuzzer: deadly signal
x; Test unit written to crash-1
stat::number_of_executed_units: 4711
";

    #[test]
    fn a_log_is_understood() {
        assert_eq!(executions(LOG), 4711);
        assert_eq!(executions("nothing"), 0);
        let lines: Vec<&str> = reason(LOG).collect();
        assert_eq!(lines.len(), 4, "{lines:?}");
        assert!(lines[1] == "boom" && lines[3].contains("crash-1"));
    }

    #[test]
    fn every_target_is_known() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/fuzz_targets");
        let mut files: Vec<String> = folder
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        files.sort();
        let mut targets = TARGETS.map(str::to_string);
        targets.sort();
        assert_eq!(files, targets);
    }
}
