//! `cargo xtask bench`: instructions, cycles, stack, RAM and flash of the usual tasks on every
//! board.
//!
//! tests/device/bench is what firmware is made of; plan.rs says what is measured, cycles.rs what is
//! assumed of cycles, goals.rs what is wanted.

mod build;
mod c;
mod clock;
#[cfg(test)]
mod cost;
mod cycles;
mod drift;
mod flash;
mod gcc;
mod goals;
mod growth;
mod measure;
mod others;
mod peers;
pub(crate) mod plan;
mod plot;
mod quantised;
mod record;
mod rp2040;
mod selection;
mod tables;
mod turns;

use std::fs;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::firmware::Project;
pub(crate) use c::run as run_c;
use drift::Drift;
use goals::Goals;
pub(crate) use others::run as run_others;
use record::Row;
pub(crate) use rp2040::run as check_cycles;
pub(crate) use selection::Selection;
pub(crate) use tables::replaced;

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
    // What can be noticed at once should be, before minutes are spent.
    let old = match purpose {
        Purpose::Check => {
            let rows = committed(&project)?;
            tables::require_current(&project.root, &rows)?;
            rows
        }
        Purpose::Print | Purpose::Update => committed(&project).unwrap_or_default(),
    };
    let fresh = measure::run(&project, selection, limit)?;
    print!("{}", record::to_csv(&fresh));
    match purpose {
        Purpose::Print => Ok(ExitCode::SUCCESS),
        Purpose::Check => check(selection, &old, &fresh),
        Purpose::Update => update(&project, selection, old, fresh),
    }
}

const ROWS: &str = "docs/bench.csv";
const PLOT: &str = "docs/growth.svg";

fn committed(project: &Project) -> Result<Vec<Row>> {
    let context = || format!("{ROWS}: run `cargo xtask bench --update`");
    let text = fs::read_to_string(project.root.join(ROWS)).with_context(context)?;
    record::from_csv(&text).with_context(context)
}

fn check(selection: &Selection, old: &[Row], fresh: &[Row]) -> Result<ExitCode> {
    let (covered, others): (Vec<Row>, Vec<Row>) =
        old.iter().cloned().partition(|row| selection.covers(&row.key));
    let drift = Drift::between(&covered, fresh);
    let goals = Goals::beside(old, fresh);
    eprint!("\n{goals}\n{drift}");
    if drift.fails() {
        eprintln!("(Was it the compiler? A new one counts differently: then run with --update.)");
        return Ok(ExitCode::FAILURE);
    }
    if goals.fails() {
        eprintln!("a goal that was met is lost");
        return Ok(ExitCode::FAILURE);
    }
    // Lines may need counts that were not asked for.
    growth::require_linear(&[fresh, &others].concat())?;
    eprintln!("{} counts are as committed, or better; growth is linear", fresh.len());
    Ok(ExitCode::SUCCESS)
}

/// Fresh rows in place of old ones, tables and plot from all of them.
fn update(
    project: &Project,
    selection: &Selection,
    old: Vec<Row>,
    fresh: Vec<Row>,
) -> Result<ExitCode> {
    eprint!("\n{}\n", Goals::beside(&old, &fresh));
    let kept = old.into_iter().filter(|row| !selection.covers(&row.key));
    let mut rows: Vec<Row> = kept.chain(fresh).collect();
    let order = Selection::everything().keys();
    rows.sort_by_key(|row| order.iter().position(|key| *key == row.key));
    let write = |name, text: String| {
        fs::write(project.root.join(name), text).with_context(|| format!("cannot write {name}"))
    };
    write(ROWS, record::to_csv(&rows))?;
    write(PLOT, plot::svg(&growth::series(&rows)?)?)?;
    tables::rewrite(&project.root, &rows)?;
    growth::require_linear(&rows)?;
    eprintln!("{ROWS}, {PLOT} and {} are up to date", tables::PAGES.join(", "));
    Ok(ExitCode::SUCCESS)
}
