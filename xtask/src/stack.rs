//! The check that learning and scoring stay within the stack they promise; tests/device/stack.rs measures it.

use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::board::Board;
use crate::device::{Outcome, Report};
use crate::emulate;
use crate::firmware::Project;
use crate::toolchain::Toolchain;

pub(crate) fn check(
    project: &Project,
    board: &'static Board,
    toolchain: &Toolchain,
    limit: Duration,
    report: &mut Report,
) {
    report.step("stack", board.name, || {
        let lines = measure(project, board, toolchain, limit)?;
        Ok((Outcome::Passed, lines.join("; ")))
    });
}

fn measure(
    project: &Project,
    board: &Board,
    toolchain: &Toolchain,
    limit: Duration,
) -> Result<Vec<String>> {
    let elf = project.build_stack(toolchain).context("building it")?;
    let mut lines = Vec::new();
    let ended = emulate::on_board(board, &elf, limit, |line| lines.push(line.to_string()))?;
    ensure!(ended.well(), "{}\n  {ended}", lines.join("\n  "));
    Ok(lines)
}
