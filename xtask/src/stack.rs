//! The check that learning and scoring stay within the stack they promise, which
//! tests/device/stack.rs measures, and that an empty learner costs no flash.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use object::{Object, ObjectSection};

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
    require_bss(&elf)?;
    let mut lines = Vec::new();
    let ended = emulate::on_board(board, &elf, limit, |line| lines.push(line.to_string()))?;
    ensure!(ended.well(), "{}\n  {ended}", lines.join("\n  "));
    Ok(lines)
}

/// More initialised data than this can only be the learner, which should be in `.bss`.
const INITIALISED: u64 = 1024;

fn require_bss(elf: &Path) -> Result<()> {
    let bytes = fs::read(elf)?;
    let file = object::File::parse(bytes.as_slice())?;
    let size = file.section_by_name(".data").map_or(0, |section| section.size());
    ensure!(size <= INITIALISED, "{size} bytes of initialised data: is the learner not all zeros?");
    Ok(())
}
