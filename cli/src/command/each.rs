//! `mercer fit --each`: one model for each machine.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, bail, ensure};

use super::fit::{Arguments, fit_any};
use super::tell;
use crate::file;
use crate::model::Model;
use crate::model::{AnyModel, with_model};
use crate::progress::Progress;
use crate::table::{ColumnChoice, Each, RowChoice, Source, Step, Table};
use crate::text::{count, excerpt, percent, short};
use crate::{Number, escape};

/// Models were written, and others could not be.
#[derive(Debug)]
pub(super) struct SomeFailed {
    failed: usize,
    of: usize,
}

impl fmt::Display for SomeFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} models could not be fitted, see the table", self.failed, self.of)
    }
}

impl std::error::Error for SomeFailed {}

/// Machines that are told apart.
const MOST_MACHINES: usize = 10_000;

/// Fits a model to the rows of each machine, on all cores.
pub(super) fn run(arguments: &Arguments, column: &str) -> Result<()> {
    let Arguments { source, rows, .. } = arguments;
    ensure!(
        !source.is_stream(),
        "--each reads the rows again for each machine, which standard input cannot be: name a file"
    );
    let machines = machines(source, rows, column)?;
    let folder = &arguments.out;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let files = file_names(&machines);
    let columns = columns(arguments, column, &machines[0])?;
    let (next, progress) =
        (AtomicUsize::new(0), Mutex::new(Progress::new("fitting", machines.len() as u64)));
    let results: Mutex<Vec<(usize, Result<AnyModel>)>> = Mutex::default();
    let work = || {
        while let Some(machine) = machines.get(next.fetch_add(1, Ordering::Relaxed)) {
            let number = machines.iter().position(|known| known == machine).unwrap_or_default();
            let each = Each { column: column.into(), value: machine.clone() };
            let mut own = arguments.clone();
            own.rows.each = Some(each);
            own.columns = columns.clone();
            let path = folder.join(&files[number]);
            let fitted = fit_any(&own).and_then(|model| {
                file::write(&path, &model)?;
                Ok(model)
            });
            if let Ok(mut results) = results.lock() {
                results.push((number, fitted));
            }
            if let Ok(mut progress) = progress.lock() {
                progress.step();
            }
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from).min(machines.len());
    thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(work))));
    drop(progress);
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by_key(|(number, _)| *number);
    tell!("{}", table(&machines, &files, &results));
    let failed = results.iter().filter(|(_, result)| result.is_err()).count();
    match failed {
        0 => Ok(()),
        failed if failed == machines.len() => {
            bail!("none of {} could be fitted", count(failed, "model"))
        }
        failed => bail!(SomeFailed { failed, of: machines.len() }),
    }
}

/// The texts of the column, in the order of their first rows.
fn machines(source: &Source, rows: &RowChoice, column: &str) -> Result<Vec<String>> {
    let mut table = Table::open(source, &rows.of_samples())?;
    let place = table.column(column).context("--each")?;
    let (mut machines, mut known) = (Vec::new(), HashSet::new());
    loop {
        match table.advance()? {
            Step::End => break,
            // For whoever reads its numbers to complain of.
            Step::Garbled(_) => continue,
            Step::Row => {}
        }
        let machine = table.text(place);
        if !known.contains(machine) {
            known.insert(machine.to_string());
            machines.push(machine.to_string());
        }
        ensure!(
            machines.len() <= MOST_MACHINES,
            "{}: more than {MOST_MACHINES} different texts in column {}: is it the right one?",
            source.name(),
            excerpt(column)
        );
    }
    ensure!(!machines.is_empty(), "{}: only garbled lines", source.name());
    Ok(machines)
}

/// All models have the same inputs: those that the first machine's rows say.
fn columns(arguments: &Arguments, column: &str, first: &str) -> Result<ColumnChoice> {
    let Arguments { source, rows, columns, label, front, .. } = arguments;
    let mut choice = front.rest.columns(columns, label.as_deref());
    if choice.columns.is_empty() {
        choice.drop.push(column.into());
    }
    let each = Each { column: column.into(), value: first.into() };
    let rows = RowChoice { each: Some(each), ..rows.of_samples() };
    let mut table = Table::open(source, &rows)?;
    let inputs = table.inputs(&choice)?;
    Ok(ColumnChoice { columns: table.names(&inputs), ..ColumnChoice::default() })
}

/// A file for each machine: its name, as far as that is one for a file.
fn file_names(machines: &[String]) -> Vec<PathBuf> {
    let mut known: HashSet<String> = HashSet::new();
    let name = |machine: &String| {
        let is_plain = |c: char| c.is_alphanumeric() || "-_.+".contains(c);
        let plain: String =
            machine.chars().take(100).map(|c| if is_plain(c) { c } else { '_' }).collect();
        let plain = match plain.trim_start_matches('.') {
            "" => "_".to_string(),
            plain => plain.to_string(),
        };
        let mut tries =
            (1_usize..).map(|n| if n == 1 { plain.clone() } else { format!("{plain}-{n}") });
        // Some file systems take large and small letters for the same.
        let free = tries.find(|name| known.insert(name.to_lowercase())).unwrap_or_default();
        PathBuf::from(format!("{free}.mercer"))
    };
    machines.iter().map(name).collect()
}

fn table(machines: &[String], files: &[PathBuf], results: &[(usize, Result<AnyModel>)]) -> String {
    let mut text = String::from("samples  landm.  comp.  threshold  unusual  warnings  model\n");
    for (number, result) in results {
        text += &match result {
            Ok(model) => {
                format!(
                    "{}  {}\n",
                    with_model!(model, model => facts(model)),
                    files[*number].display()
                )
            }
            Err(error) => {
                format!(
                    "not fitted: {}: {}\n",
                    excerpt(&machines[*number]),
                    escape::line(&format!("{error:#}"))
                )
            }
        };
    }
    text.trim_end().to_string()
}

fn facts<T: Number>(model: &Model<T>) -> String {
    let training = &model.training;
    format!(
        "{:>7}  {:>6}  {:>5}  {:>9}  {:>7}  {:>8}",
        training.samples,
        model.points.rows(),
        model.components(),
        short(model.threshold.spe.to_f64()),
        training.false_alarms.map_or("–".into(), percent),
        training.all_warnings().count(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_machines_are_names_of_files() {
        let machines =
            ["A", "a", "../x", "", "pump 7/1", "pump 7_1", "Anlage Süd"].map(String::from);
        let names: Vec<String> =
            file_names(&machines).iter().map(|name| name.display().to_string()).collect();
        assert_eq!(
            names,
            [
                "A.mercer",
                "a-2.mercer",
                "_x.mercer",
                "_.mercer",
                "pump_7_1.mercer",
                "pump_7_1-2.mercer",
                "Anlage_Süd.mercer",
            ]
        );
    }
}
