//! Builds the firmware of each case, runs it and takes its numbers.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::build::{Library, ROOMY, Setting};
use super::clock::{Clock, Measured};
use super::cycles::{Code, Core, Plugin, Trace};
use super::flash;
use super::plan::Case;
use super::record::{Key, Row};
use super::selection::Selection;
use super::turns::Turns;
use crate::board::Board;
use crate::emulate;
use crate::firmware::Project;
use crate::toolchain::{self, Toolchain};

/// Measures everything that is selected, in the order of the CSV file.
///
/// Each target has a thread, for its libraries replace each other: cargo keeps those of all levels
/// in one place. While one is built, firmware of other targets is.
pub(crate) fn run(project: &Project, selection: &Selection, limit: Duration) -> Result<Vec<Row>> {
    for board in &selection.boards {
        toolchain::require_qemu(board.qemu)?;
    }
    let wanted = selection.boards.iter().any(|board| Core::of(board.name).is_some());
    let plugin = if wanted { loaded(project) } else { None };
    let emulation = Emulation { limit, plugin: plugin.as_ref() };
    let turns = Turns::here();
    let mut targets = Vec::new();
    for (name, boards) in selection.targets() {
        let toolchain = Toolchain::find(name)?;
        eprintln!("{name} with {toolchain}");
        targets.push(Target { project, toolchain, boards, emulation, turns: &turns });
    }
    let all_levels = |target: Target<'_>| {
        let mut rows = Vec::new();
        for level in &selection.levels {
            rows.extend(target.measure(level, selection)?);
        }
        Ok(rows)
    };
    let rows: Vec<Row> = turns.each(targets, all_levels)?.concat();
    let keys = selection.keys();
    ensure!(keys.len() == rows.len(), "{} of {} rows were measured", rows.len(), keys.len());
    let row = |key| rows.iter().find(|row| row.key == key).cloned();
    keys.into_iter().map(|key| row(key).context("a row was not measured")).collect()
}

/// The plugin, or a word that there will be no cycles.
fn loaded(project: &Project) -> Option<Plugin> {
    match Plugin::build(project) {
        Ok(plugin) => Some(plugin),
        Err(error) => {
            eprintln!("no cycles, the column stays empty: {error:#}");
            None
        }
    }
}

/// The boards of one target, which run the same firmware.
struct Target<'a> {
    project: &'a Project,
    toolchain: Toolchain,
    boards: Vec<&'static Board>,
    emulation: Emulation<'a>,
    turns: &'a Turns,
}

impl Target<'_> {
    /// Builds each firmware once and runs it on each board.
    fn measure(&self, level: &str, selection: &Selection) -> Result<Vec<Row>> {
        let cases = |board: &&Board| selection.cases(board.name, level);
        let most = self.boards.iter().map(cases).max_by_key(Vec::len).unwrap_or_default();
        let mut cpus: Vec<&str> = most.iter().map(|case| case.cpu).collect();
        cpus.sort_unstable();
        cpus.dedup();
        let mut rows = Vec::new();
        for cpu in cpus {
            let board = self.boards.first().context("a target without a board")?;
            let setting = Setting { toolchain: &self.toolchain, board, level, cpu };
            let groups = grouped(most.iter().filter(|case| case.cpu == cpu));
            rows.extend(self.measure_library(setting, groups, &cases)?);
        }
        Ok(rows)
    }

    /// Builds a library, then the firmware of each group.
    fn measure_library(
        &self,
        setting: Setting<'_>,
        groups: Vec<Vec<Case>>,
        cases: &(impl Fn(&&Board) -> Vec<Case> + Sync),
    ) -> Result<Vec<Row>> {
        let (turns, dir) = (self.turns, self.project.bench_dir());
        let library = turns.alone(|| Library::build(self.project, &dir, setting))?;
        let empty = || flash::used(&library.firmware("empty", &[Case::EMPTY], ROOMY)?);
        let empty = turns.on_a_processor(empty)?;
        let measured = turns.each(groups, |group| {
            let work = || self.measure_firmware(&library, &group, empty, setting.level, cases);
            turns.on_a_processor(work)
        })?;
        Ok(measured.concat())
    }

    fn measure_firmware(
        &self,
        library: &Library<'_>,
        group: &[Case],
        empty: u64,
        level: &str,
        cases: &impl Fn(&&Board) -> Vec<Case>,
    ) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        let Some(first) = group.first() else { return Ok(rows) };
        let start = Instant::now();
        let elf = library.firmware(&first.firmware(), group, ROOMY)?;
        let (wanted, found) = (first.takes_logarithms(), flash::has_logarithm(&elf)?);
        ensure!(wanted == found, "{}: links a logarithm is {found}, not {wanted}", first.task);
        let flash_bytes = flash::used(&elf)?.saturating_sub(empty);
        for &board in self.boards.iter().filter(|board| cases(board).contains(first)) {
            let describe = || Key::new(board.name, first, level).describe();
            let counts = self.emulation.run(board, &elf).with_context(describe)?;
            ensure!(counts.len() == group.len(), "{}: {} tasks", describe(), counts.len());
            for (case, (measured, cycles)) in group.iter().zip(counts) {
                let key = Key::new(board.name, case, level);
                let Measured { instructions, stack_bytes, ram_bytes } = measured;
                let seconds = start.elapsed().as_secs_f32();
                eprintln!("{:<60} {instructions:>11}  {seconds:.1} s", key.describe());
                rows.push(Row { key, instructions, cycles, stack_bytes, ram_bytes, flash_bytes });
            }
        }
        Ok(rows)
    }
}

/// Cases that share a firmware, together.
fn grouped<'a>(cases: impl Iterator<Item = &'a Case>) -> Vec<Vec<Case>> {
    let mut groups: Vec<Vec<Case>> = Vec::new();
    for case in cases {
        match groups.iter_mut().find(|group| group[0].firmware() == case.firmware()) {
            Some(group) => group.push(*case),
            None => groups.push(vec![*case]),
        }
    }
    groups
}

/// How firmware is run.
#[derive(Clone, Copy)]
pub(crate) struct Emulation<'a> {
    pub(crate) limit: Duration,
    /// Without it there are no cycles.
    pub(crate) plugin: Option<&'a Plugin>,
}

impl Emulation<'_> {
    /// What the tasks of a firmware take, in order, with their cycles if the board has a model.
    fn run(&self, board: &'static Board, elf: &Path) -> Result<Vec<(Measured, Option<u64>)>> {
        match (Core::of(board.name), self.plugin) {
            (Some(core), Some(plugin)) => {
                let (ran, cycles) = self.with_cycles(board, core, plugin, elf)?;
                Ok(ran.silent()?.into_iter().zip(cycles.into_iter().map(Some)).collect())
            }
            _ => {
                let measured = self.counted(board, elf, &[])?.silent()?;
                Ok(measured.into_iter().map(|measured| (measured, None)).collect())
            }
        }
    }

    /// As [`run`](Self::run), for a board and a model of its core. The timer and the plugin must
    /// count the same instructions.
    pub(crate) fn with_cycles(
        &self,
        board: &'static Board,
        core: Core,
        plugin: &Plugin,
        elf: &Path,
    ) -> Result<(Ran, Vec<u64>)> {
        let out = elf.with_extension("trace");
        let ran = self.counted(board, elf, &plugin.arguments(&out))?;
        let text = fs::read_to_string(&out).with_context(|| out.display().to_string())?;
        let (Trace(regions), code) = (Trace::parse(&text)?, Code::of(elf)?);
        // Nothing, two loops, then the tasks.
        let [empty, _, _, tasks @ ..] = regions.as_slice() else {
            anyhow::bail!("{} regions were traced", regions.len());
        };
        ensure!(tasks.len() == ran.measured.len(), "{} tasks were traced", tasks.len());
        let nothing = (empty.instructions(), empty.cycles(core, &code)?);
        let mut cycles = Vec::new();
        for (task, measured) in tasks.iter().zip(&ran.measured) {
            let (traced, timed) = (task.instructions() - nothing.0, measured.instructions);
            ensure!(traced == timed, "{traced} instructions were traced, but {timed} counted");
            cycles.push(task.cycles(core, &code)? - nothing.1);
        }
        Ok((ran, cycles))
    }

    /// What the tasks of a firmware take, without cycles; `more` are arguments of the emulator.
    pub(crate) fn counted(
        &self,
        board: &'static Board,
        elf: &Path,
        more: &[String],
    ) -> Result<Ran> {
        let clock = Clock::of(board)?;
        let machine = clock.machine(board)?;
        let machine: Vec<&str> = machine.iter().chain(more).map(String::as_str).collect();
        let (mut counts, mut said) = (Vec::new(), Vec::new());
        let ended = emulate::on_machine(board.qemu, &machine, elf, self.limit, |line| {
            let lines = if Clock::understands(line) { &mut counts } else { &mut said };
            lines.push(line.to_string());
        })?;
        ensure!(ended.well(), "{}\n  {ended}", [counts, said].concat().join("\n  "));
        Ok(Ran { measured: clock.interpret(&counts)?, said })
    }
}

/// What a firmware has measured of its tasks, and what else it printed.
pub(crate) struct Ran {
    pub(crate) measured: Vec<Measured>,
    pub(crate) said: Vec<String>,
}

impl Ran {
    /// The tasks of one that prints nothing else.
    fn silent(self) -> Result<Vec<Measured>> {
        ensure!(self.said.is_empty(), "it printed {:?}", self.said);
        Ok(self.measured)
    }
}
