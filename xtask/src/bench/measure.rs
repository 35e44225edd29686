//! Builds the firmware of each case, runs it and takes its numbers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};

use super::clock::{Clock, Measured};
use super::flash;
use super::plan::Case;
use super::record::{Key, Row};
use super::selection::{Selection, TargetBoards};
use crate::board::Board;
use crate::emulate;
use crate::firmware::{self, Project};
use crate::toolchain::{self, Toolchain};

/// Measures everything that is selected, in the order of the CSV file.
pub(crate) fn run(project: &Project, selection: &Selection, limit: Duration) -> Result<Vec<Row>> {
    let mut toolchains = BTreeMap::new();
    for board in &selection.boards {
        toolchain::require_qemu(board.qemu)?;
        if !toolchains.contains_key(board.target) {
            let toolchain = Toolchain::find(board.target)?;
            eprintln!("{} with {toolchain}", board.target);
            toolchains.insert(board.target, toolchain);
        }
    }
    let work = |lane: usize, targets: Vec<TargetBoards>| {
        let mut rows = Vec::new();
        for (target, boards) in targets {
            let bench =
                Target { toolchain: &toolchains[target], boards, dir: project.bench_dir(lane) };
            for level in &selection.levels {
                bench.measure(level, selection, limit, &mut rows)?;
            }
        }
        Ok(rows)
    };
    let lanes: Vec<Result<Vec<Row>>> = thread::scope(|scope| {
        let start = |(lane, targets)| scope.spawn(move || work(lane, targets));
        let started: Vec<_> = selection.lanes().into_iter().enumerate().map(start).collect();
        let end = |lane: thread::ScopedJoinHandle<'_, _>| {
            lane.join().unwrap_or_else(|_| Err(anyhow!("a worker has panicked")))
        };
        started.into_iter().map(end).collect()
    });
    let rows: Vec<Row> = lanes.into_iter().collect::<Result<Vec<_>>>()?.concat();
    let keys = selection.keys();
    ensure!(keys.len() == rows.len(), "{} of {} rows were measured", rows.len(), keys.len());
    let row = |key| rows.iter().find(|row| row.key == key).cloned();
    keys.into_iter().map(|key| row(key).context("a row was not measured")).collect()
}

/// The boards of one target, which run the same firmware.
struct Target<'a> {
    toolchain: &'a Toolchain,
    boards: Vec<&'static Board>,
    dir: PathBuf,
}

impl Target<'_> {
    /// Builds each case once and runs it on each board.
    fn measure(
        &self,
        level: &str,
        selection: &Selection,
        limit: Duration,
        rows: &mut Vec<Row>,
    ) -> Result<()> {
        let cases = |board: &&Board| selection.cases(board.name, level);
        let most = self.boards.iter().map(cases).max_by_key(Vec::len).unwrap_or_default();
        let mut empty = None;
        for case in most {
            let start = Instant::now();
            let empty = match empty {
                Some(size) => size,
                None => *empty.insert(flash::used(&self.build(level, &Case::EMPTY)?)?),
            };
            let elf = self.build(level, &case)?;
            let (wanted, found) = (case.takes_logarithms(), flash::has_logarithm(&elf)?);
            ensure!(wanted == found, "{}: links a logarithm is {found}, not {wanted}", case.task);
            let flash_bytes = flash::used(&elf)?.saturating_sub(empty);
            for &board in self.boards.iter().filter(|board| cases(board).contains(&case)) {
                let key = Key::new(board.name, &case, level);
                let Measured { instructions, stack_bytes } =
                    emulated(board, &elf, limit).with_context(|| key.describe())?;
                let seconds = start.elapsed().as_secs_f32();
                eprintln!("{:<50} {instructions:>11}  {seconds:.1} s", key.describe());
                rows.push(Row { key, instructions, stack_bytes, flash_bytes });
            }
        }
        Ok(())
    }

    fn build(&self, level: &str, case: &Case) -> Result<PathBuf> {
        let mut cargo = self.toolchain.cargo("build", &self.dir);
        cargo.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", level);
        if self.toolchain.builds_core() {
            // Once for all levels, and for speed: so are those that rustup ships, with the arithmetic of cores without an FPU.
            for package in ["core", "compiler_builtins"] {
                let level = format!("profile.release.package.{package}.opt-level = 3");
                cargo.arg("--config").arg(level);
            }
        }
        firmware::with_much_memory(&mut cargo);
        if let Some(board) = self.boards.first()
            && let Some(timer) = Clock::of(board)?.timer
        {
            cargo.env("BENCH_TIMER", timer.to_string());
        }
        case.pass_to(&mut cargo);
        firmware::build_bench(cargo).with_context(|| format!("{} at {level}", case.task))
    }
}

fn emulated(board: &'static Board, elf: &Path, limit: Duration) -> Result<Measured> {
    let clock = Clock::of(board)?;
    let machine = clock.machine(board)?;
    let machine: Vec<&str> = machine.iter().map(String::as_str).collect();
    let mut lines = Vec::new();
    let ended = emulate::on_machine(board.qemu, &machine, elf, limit, |line| {
        lines.push(line.to_string());
    })?;
    ensure!(ended.well(), "{}\n  {ended}", lines.join("\n  "));
    clock.interpret(&lines)
}
