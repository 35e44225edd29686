//! How long mercer and its desktop relatives take for the same work: `cargo bench --bench peers`.
//!
//! One thread, double precision, one run: only ratios of times that stand in one table mean anything. Without Python, or a module of it, its rows are skipped.

mod data;
mod ours;
mod python;
mod relatives;
mod table;
mod timing;

use anyhow::Result;

use table::Table;

/// The eigenpairs, and the components, that are looked for.
const LEADING: usize = 8;

fn main() -> Result<()> {
    // Cargo hands over `--bench` and filters; there is nothing to choose.
    let python = python::measure(LEADING)?;

    let mut eigen = Table::new("leading 8 eigenpairs of a centred Gram matrix");
    eigen.row(ours::NAME, ours::eigenpairs(LEADING)?);
    eigen.row("nalgebra SymmetricEigen", relatives::nalgebra(LEADING)?);
    eigen.row("faer self_adjoint_eigen", relatives::faer(LEADING)?);
    let mut fit = Table::new("fit, then score as many new readings");
    fit.row("mercer fit_leading, exact", ours::exact_detector()?);
    fit.row("mercer fit_landmarks, 48 points", ours::landmark_detector()?);
    for row in &python {
        let table = if row.task == "eigen" { &mut eigen } else { &mut fit };
        table.row(&row.name, row.milliseconds);
    }
    println!("milliseconds, best of several; one thread, f64, {} inputs\n", data::INPUTS);
    println!("{eigen}");
    println!("{fit}");
    if python.is_empty() {
        println!("Without LAPACK and scikit-learn the comparison is not complete.");
    }
    Ok(())
}
