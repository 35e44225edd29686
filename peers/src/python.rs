//! LAPACK through numpy and scipy, and scikit-learn, if there is a Python that has them.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use crate::data::{GAMMA, INPUTS, bytes, readings};
use crate::table::{Sizes, Times};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers.py");
/// Who wants another Python than the first on the `PATH` names it here.
const OVERRIDE: &str = "MERCER_PYTHON";

/// One row that the script measured.
pub(crate) struct Row {
    /// `eigen` or `fit`.
    pub(crate) task: String,
    pub(crate) name: String,
    pub(crate) milliseconds: Times,
    /// Of eigenpairs; otherwise not numbers.
    pub(crate) residuals: Times,
}

/// Runs the script on the same readings, for all methods or only those for `few` of many
/// eigenpairs; what it lacks is said and left out.
pub(crate) fn measure(leading: usize, sizes: Sizes, few: bool) -> Result<Vec<Row>> {
    let folder = std::env::temp_dir().join(format!("mercer-peers-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    for n in sizes {
        fs::write(folder.join(format!("train{n}.f64")), bytes(&readings(n, n as u64)))?;
        fs::write(folder.join(format!("test{n}.f64")), bytes(&readings(n, 1 + n as u64)))?;
    }
    let python = std::env::var(OVERRIDE).unwrap_or_else(|_| "python3".into());
    let mut command = Command::new(&python);
    command.arg(SCRIPT).arg(if few { "few" } else { "all" }).arg(&folder);
    command.args([leading.to_string(), INPUTS.to_string(), GAMMA.to_string()]);
    command.args(sizes.map(|n| n.to_string()));
    for threads in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
        command.env(threads, "1");
    }
    let output = command.output();
    fs::remove_dir_all(&folder)?;
    let output = match output {
        Err(error) => {
            println!("skipped: numpy, scipy and scikit-learn ({python}: {error})");
            return Ok(Vec::new());
        }
        Ok(output) => output,
    };
    for line in String::from_utf8_lossy(&output.stderr).lines().filter(|l| !l.is_empty()) {
        println!("{line}");
    }
    String::from_utf8(output.stdout)?.lines().map(row).collect()
}

/// A line of the script: task, name, a time and a residual for each size, separated by semicolons.
fn row(line: &str) -> Result<Row> {
    let mut parts = line.split(';');
    let mut next = || parts.next().with_context(|| format!("incomplete: {line}"));
    let (task, name) = (next()?.to_string(), next()?.to_string());
    let (mut milliseconds, mut residuals) = (Times::default(), Times::default());
    for number in milliseconds.iter_mut().chain(&mut residuals) {
        *number = next()?.parse().with_context(|| format!("not a number in: {line}"))?;
    }
    Ok(Row { task, name, milliseconds, residuals })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read() {
        let row = row("eigen;numpy eigh;1.5;2;30.25;1e-15;2e-15;nan").expect("a row");
        assert_eq!((row.task.as_str(), row.name.as_str()), ("eigen", "numpy eigh"));
        assert_eq!(row.milliseconds, [1.5, 2.0, 30.25]);
        assert_eq!(row.residuals[..2], [1e-15, 2e-15]);
        assert!(row.residuals[2].is_nan());
        assert!(super::row("eigen;numpy eigh;1.5;2;3;1e-15;2e-15").is_err());
    }
}
