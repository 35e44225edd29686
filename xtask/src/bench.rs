//! `cargo xtask bench`: instructions, stack and flash of the usual tasks on every board.
//!
//! tests/device/bench is the firmware; plan.rs says what is measured.

mod clock;
mod drift;
mod flash;
mod measure;
pub(crate) mod plan;
mod record;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::firmware::Project;
use drift::Drift;
pub(crate) use measure::Selection;
use record::Row;

/// What becomes of the results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Purpose {
    /// They are printed.
    Print,
    /// And compared with the committed ones.
    Check,
    /// And committed: file, tables, plot.
    Update,
}

pub(crate) fn run(selection: &Selection, purpose: Purpose, limit: Duration) -> Result<ExitCode> {
    let project = Project::read()?;
    let committed = committed_path(&project);
    // What is not there to compare with should be noticed before minutes are spent.
    let old = match purpose {
        Purpose::Check => read(&committed)?,
        Purpose::Print | Purpose::Update => read(&committed).unwrap_or_default(),
    };
    let fresh = measure::run(&project, selection, limit)?;
    print!("{}", record::to_csv(&fresh));
    match purpose {
        Purpose::Print => Ok(ExitCode::SUCCESS),
        Purpose::Check => check(selection, &old, &fresh),
        Purpose::Update => update(&project, selection, old, fresh),
    }
}

fn committed_path(project: &Project) -> PathBuf {
    project.root.join("docs/bench.csv")
}

fn read(path: &PathBuf) -> Result<Vec<Row>> {
    let context = || format!("{}: run `cargo xtask bench --update`", path.display());
    record::from_csv(&fs::read_to_string(path).with_context(context)?).with_context(context)
}

fn check(selection: &Selection, old: &[Row], fresh: &[Row]) -> Result<ExitCode> {
    let old: Vec<Row> = old.iter().filter(|row| selection.covers(&row.key)).cloned().collect();
    let drift = Drift::between(&old, fresh);
    eprint!("\n{drift}");
    if drift.fails() {
        return Ok(ExitCode::FAILURE);
    }
    eprintln!("{} counts are as committed, or better", fresh.len());
    Ok(ExitCode::SUCCESS)
}

fn update(
    project: &Project,
    selection: &Selection,
    old: Vec<Row>,
    fresh: Vec<Row>,
) -> Result<ExitCode> {
    fs::write(committed_path(project), record::to_csv(&fresh))?;
    let _ = (selection, old);
    Ok(ExitCode::SUCCESS)
}
