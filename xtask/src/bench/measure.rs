//! Builds the firmware of each case, runs it and takes its numbers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};

use super::clock::{Clock, Measured};
use super::flash;
use super::plan::{self, Case};
use super::record::{Key, Row};
use crate::board::{self, Board};
use crate::emulate;
use crate::firmware::{self, Project};
use crate::toolchain::{self, Toolchain};

/// What to measure.
pub(crate) struct Selection {
    pub(crate) boards: Vec<&'static Board>,
    /// All tasks if there is none.
    pub(crate) tasks: Vec<String>,
    pub(crate) levels: Vec<&'static str>,
}

impl Selection {
    pub(crate) fn everything() -> Selection {
        let (boards, levels) = (board::BOARDS.iter().collect(), plan::LEVELS.to_vec());
        Selection { boards, tasks: Vec::new(), levels }
    }

    /// In the order of the CSV file.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let mut keys = Vec::new();
        for board in &self.boards {
            let mut cases: Vec<Case> = Vec::new();
            for level in &self.levels {
                for case in self.cases(board.name, level) {
                    if !cases.contains(&case) {
                        cases.push(case);
                    }
                }
            }
            for case in cases {
                let here = |level: &&&str| plan::cases(board.name, level).contains(&case);
                let levels = self.levels.iter().filter(here);
                keys.extend(levels.map(|level| Key::new(board.name, &case, level)));
            }
        }
        keys
    }

    /// Whether a row of the committed file belongs to what is measured, now or before it was dropped.
    pub(crate) fn covers(&self, key: &Key) -> bool {
        self.boards.iter().any(|board| board.name == key.board)
            && self.levels.contains(&key.opt.as_str())
            && (self.tasks.is_empty() || self.tasks.contains(&key.task))
    }

    fn cases(&self, board: &str, level: &str) -> Vec<Case> {
        let mut cases = plan::cases(board, level);
        cases.retain(|case| self.tasks.is_empty() || self.tasks.iter().any(|t| t == case.task));
        cases
    }

    /// The targets of the boards, each with its boards, in lanes that work at the same time.
    ///
    /// A target stays in its lane whatever else is selected, so that what was built for it is found again.
    fn lanes(&self) -> [Vec<(&'static str, Vec<&'static Board>)>; 2] {
        let mut lanes = [Vec::new(), Vec::new()];
        for &board in &self.boards {
            // Half of the work each; growth is measured on the Cortex-M4F.
            let lane = usize::from(!["m4f", "m7", "m33"].contains(&board.name));
            let targets: &mut Vec<(&str, Vec<&Board>)> = &mut lanes[lane];
            match targets.iter_mut().find(|(target, _)| *target == board.target) {
                Some((_, boards)) => boards.push(board),
                None => targets.push((board.target, vec![board])),
            }
        }
        lanes
    }
}

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
    let work = |lane: usize, targets: Vec<(&'static str, Vec<&'static Board>)>| {
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
        // As rustup ships them: whatever the level of the firmware, `core` and the arithmetic of cores without an FPU were
        // built for speed. And so they are built once, where rustup has none.
        for package in ["core", "compiler_builtins"] {
            cargo.arg("--config").arg(format!("profile.release.package.{package}.opt-level = 3"));
        }
        // More memory than the microbit of .cargo/config.toml has; see `Clock::machine`.
        let sizes =
            ["ram", "flash"].map(|what| format!("'-Clink-arg=--defsym=board_{what}_size=4M'"));
        cargo.arg("--config");
        cargo.arg(format!("target.thumbv6m-none-eabi.rustflags = [{}]", sizes.join(", ")));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn some(boards: &[&str], tasks: &[&str], levels: &[&'static str]) -> Selection {
        Selection {
            boards: boards.iter().map(|name| board::named(name).unwrap()).collect(),
            tasks: tasks.iter().map(|name| name.to_string()).collect(),
            levels: levels.to_vec(),
        }
    }

    #[test]
    fn levels_of_one_case_follow_each_other() {
        let keys = some(&["m0", "m7"], &["jacobi"], &["3", "z"]).keys();
        let shown: Vec<String> = keys.iter().map(Key::describe).collect();
        let expected = [
            "m0 jacobi n=16 d=8 f32 at 3",
            "m0 jacobi n=16 d=8 f32 at z",
            "m0 jacobi n=32 d=8 f32 at 3",
            "m0 jacobi n=32 d=8 f32 at z",
        ];
        assert_eq!(shown[..4], expected);
        assert_eq!(shown.len(), 8);
    }

    #[test]
    fn a_selection_covers_what_it_measures_and_nothing_else() {
        let part = some(&["m4f"], &["score"], &["3"]);
        let keys = Selection::everything().keys();
        let covered: Vec<&Key> = keys.iter().filter(|key| part.covers(key)).collect();
        assert_eq!(covered, part.keys().iter().collect::<Vec<_>>());
        assert!(keys.len() > covered.len());
    }

    #[test]
    fn a_target_is_built_in_one_lane() {
        let lanes = Selection::everything().lanes();
        let mut targets: Vec<&str> = lanes.iter().flatten().map(|(target, _)| *target).collect();
        targets.sort_unstable();
        let all = targets.len();
        targets.dedup();
        assert_eq!(targets.len(), all);
        let boards: usize = lanes.iter().flatten().map(|(_, boards)| boards.len()).sum();
        assert_eq!(boards, board::BOARDS.len());
    }
}
