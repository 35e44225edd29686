//! `cargo xtask device`: every program on every board, against the host.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::board::{self, Board};
use crate::compare::differences;
use crate::firmware::{Executables, NO_PANIC, Program, Project, STACK};
use crate::table::Table;
use crate::toolchain::{self, Toolchain};
use crate::{emulate, no_panic, stack};

/// How many differing lines of one run are shown.
const SHOWN: usize = 5;

/// What a row of the final table shows for a board.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Outcome {
    Passed,
    Differs,
    Failed,
    Skipped,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outcome::Passed => "ok",
            Outcome::Differs => "DIFFERS",
            Outcome::Failed => "FAILED",
            Outcome::Skipped => "skipped",
        })
    }
}

/// The outcomes so far, in the order in which their rows and boards first appeared.
#[derive(Default)]
pub(crate) struct Report {
    outcomes: Vec<(String, &'static str, Outcome)>,
}

impl Report {
    /// Announces a step, does it, prints how it ended, and remembers that.
    ///
    /// An error is an outcome like any other here: the remaining steps are still of interest.
    pub(crate) fn step(
        &mut self,
        row: &str,
        board: &'static str,
        work: impl FnOnce() -> Result<(Outcome, String)>,
    ) {
        print!("{board:<8}  {row:<16}  ");
        // Only so that one sees what is running; if it fails, printing the outcome will as well.
        let _ = io::stdout().flush();
        let start = Instant::now();
        let (outcome, detail) =
            work().unwrap_or_else(|error| (Outcome::Failed, format!("{error:#}")));
        println!("{outcome}  {:.1} s  {detail}", start.elapsed().as_secs_f32());
        self.outcomes.push((row.to_string(), board, outcome));
    }

    fn count(&self, outcomes: &[Outcome]) -> usize {
        self.outcomes.iter().filter(|(.., outcome)| outcomes.contains(outcome)).count()
    }

    /// Counts the outcomes, and says whether all is well.
    pub(crate) fn verdict(&self) -> ExitCode {
        let passed = self.count(&[Outcome::Passed]);
        let failed = self.count(&[Outcome::Differs, Outcome::Failed]);
        println!("{passed} passed, {failed} failed");
        // A selection that ran nothing has shown nothing.
        if failed == 0 && passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn table(&self, boards: &[&'static Board]) -> Table {
        let names = boards.iter().map(|board| board.name);
        let mut table = Table::new(std::iter::once("program").chain(names));
        let mut rows: Vec<&str> = Vec::new();
        for (row, ..) in &self.outcomes {
            if !rows.contains(&row.as_str()) {
                rows.push(row);
            }
        }
        for row in rows {
            let cell = |board: &&Board| {
                let here =
                    |(name, on, _): &&(String, &str, Outcome)| name == row && *on == board.name;
                let outcome = self.outcomes.iter().find(here);
                outcome.map_or_else(|| "-".to_string(), |(.., outcome)| outcome.to_string())
            };
            table.row(std::iter::once(row.to_string()).chain(boards.iter().map(cell)));
        }
        table
    }
}

/// Runs what `only` names, or everything, on `boards`.
pub(crate) fn run(
    boards: &[&'static Board],
    only: Option<&str>,
    limit: Duration,
) -> Result<ExitCode> {
    let project = Project::read()?;
    let selected = |name: &str| only.is_none_or(|only| only == name);
    let programs: Vec<&Program> =
        project.programs.iter().filter(|program| selected(&program.name)).collect();
    if let Some(host_only) = project.host_only.iter().find(|p| only == Some(p.program.as_str())) {
        bail!("{} is for the host only: {}", host_only.program, host_only.why);
    }
    if programs.is_empty() && !selected(NO_PANIC) && !selected(STACK) {
        let names: Vec<&str> = project.programs.iter().map(|p| p.name.as_str()).collect();
        bail!("no such program; there are {}, {STACK}, {NO_PANIC}", names.join(", "));
    }
    // Everything that can be missing is looked for before anything takes time.
    let mut toolchains = BTreeMap::new();
    for board in boards {
        toolchain::require_qemu(board.qemu)?;
        if !toolchains.contains_key(board.target) {
            let toolchain = Toolchain::find(board.target)?;
            toolchains.insert(board.target, toolchain);
        }
    }

    let expected = host_outputs(&project, &programs, limit)?;
    let mut report = Report::default();
    let mut built: BTreeMap<&str, Executables> = BTreeMap::new();
    for &board in boards {
        let toolchain = &toolchains[board.target];
        // A program that some board of a target can run is built for that target.
        let runs_on = |program: &&Program, board| project.why_skipped(program, board).is_none();
        let executables = built.entry(board.target).or_insert_with(|| {
            let same_target = |other: &&&Board| other.target == board.target;
            let wanted = |program: &&&Program| {
                boards.iter().filter(same_target).any(|board| runs_on(program, board))
            };
            let wanted: Vec<&Program> = programs.iter().filter(wanted).copied().collect();
            println!("building for {} with {toolchain}", board.target);
            project.build_for(toolchain, &wanted)
        });
        for program in &programs {
            report.step(&program.name, board.name, || {
                if let Some(why) = project.why_skipped(program, board) {
                    return Ok((Outcome::Skipped, format!("skipped: {why}")));
                }
                compare(program, board, executables, &expected[&program.name], limit)
            });
        }
    }
    if selected(STACK) {
        for &board in boards {
            stack::check(&project, board, &toolchains[board.target], limit, &mut report);
        }
    }
    if selected(NO_PANIC) {
        let boards = boards.iter().filter(|board| no_panic::BOARDS.contains(&board.name));
        for &board in boards {
            let toolchain = &toolchains[board.target];
            no_panic::check(&project, board, toolchain, limit, &mut report);
        }
    }

    println!("\n{}", report.table(boards));
    Ok(report.verdict())
}

/// What each program prints here. There is nothing to compare with unless all of them work.
fn host_outputs(
    project: &Project,
    programs: &[&Program],
    limit: Duration,
) -> Result<BTreeMap<String, Vec<String>>> {
    println!("building for the host");
    let mut outputs = BTreeMap::new();
    for (name, executable) in project.build_for_host(programs) {
        let context = || format!("{name} on the host");
        let mut lines = Vec::new();
        let executable = executable.with_context(context)?;
        let ended = emulate::on_host(&executable, limit, |line| lines.push(line.to_string()))
            .with_context(context)?;
        ensure!(ended.well(), "{name} on the host: {ended}");
        ensure!(!lines.is_empty(), "{name} on the host printed nothing: nothing to compare");
        outputs.insert(name, lines);
    }
    Ok(outputs)
}

/// Runs a program on a board; the detail is a line count, or else what went wrong.
fn compare(
    program: &Program,
    board: &'static Board,
    executables: &Executables,
    expected: &[String],
    limit: Duration,
) -> Result<(Outcome, String)> {
    let elf = match executables.get(&program.name) {
        Some(Ok(elf)) => elf,
        Some(Err(error)) => bail!("{error:#}"),
        None => bail!("it was not built"),
    };
    let board = if program.is_large() { board::roomy(board)? } else { board };
    let mut lines = Vec::new();
    let ended = emulate::on_board(board, elf, limit, |line| lines.push(line.to_string()));
    let differing = differences(expected, &lines);
    let shown = differing.iter().take(SHOWN).map(|difference| format!("\n  {difference}"));
    let mut detail: String = shown.collect();
    if differing.len() > SHOWN {
        detail += &format!("\n  … and {} more lines differ", differing.len() - SHOWN);
    }
    match ended {
        Err(error) => Ok((Outcome::Failed, format!("{error:#}{detail}"))),
        Ok(ended) if !ended.well() => Ok((Outcome::Failed, format!("{ended}{detail}"))),
        Ok(_) if !differing.is_empty() => Ok((Outcome::Differs, detail)),
        Ok(_) => Ok((Outcome::Passed, format!("{} lines", lines.len()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board;

    #[test]
    fn the_table_has_a_row_for_each_program_and_a_column_for_each_board() {
        let mut report = Report::default();
        report.step("fit", "m0", || Ok((Outcome::Skipped, String::new())));
        report.step("fit", "m3", || Ok((Outcome::Passed, String::new())));
        report.step("no_panic", "m3", || bail!("it panics"));
        let boards = [board::named("m0").unwrap(), board::named("m3").unwrap()];
        let expected = "program   m0       m3\n\
                        fit       skipped  ok\n\
                        no_panic  -        FAILED\n";
        assert_eq!(report.table(&boards).to_string(), expected);
        assert_eq!(report.count(&[Outcome::Passed]), 1);
        assert_eq!(report.count(&[Outcome::Failed]), 1);
    }
}
