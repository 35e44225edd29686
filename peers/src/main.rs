//! How long mercer and its desktop relatives take for the same work: `cargo bench --bench peers`.
//!
//! One thread, double precision, one run: only ratios of times that stand in one table mean anything. Without Python, or a module of it, its rows are skipped.
//! The last lines say whether the goals are met.

mod data;
mod ours;
mod python;
mod relatives;
mod table;
mod timing;

use anyhow::Result;

use data::{LARGE, SIZES};
use table::{Goal, Table};

/// The eigenpairs, and the components, that are looked for.
const LEADING: usize = 8;
/// The same of many samples.
const LEADING_OF_MANY: usize = 16;
/// Ours and theirs take turns, so that a time at which the machine was busy is nobody's misfortune.
const ROUNDS: usize = 3;

const EXACT: &str = "mercer fit_leading, exact";
const LANDMARKS: &str = "mercer fit_landmarks, 48 points";

fn main() -> Result<()> {
    // Cargo hands over `--bench` and filters; there is nothing to choose.
    let mut eigen = Table::new("leading 8 eigenpairs of a centred Gram matrix", SIZES);
    let mut large = Table::new("leading 16 eigenpairs of a larger one", LARGE);
    let mut fit = Table::new("fit, then score as many new readings", SIZES);
    let (mut residuals, mut complete) = (Vec::new(), true);
    for _ in 0..ROUNDS {
        let (milliseconds, residual) = ours::eigenpairs(LEADING, SIZES)?;
        eigen.row(ours::NAME, milliseconds);
        eigen.row("nalgebra SymmetricEigen", relatives::nalgebra(LEADING)?);
        eigen.row("faer self_adjoint_eigen", relatives::faer(LEADING)?);
        fit.row(EXACT, ours::exact_detector()?);
        fit.row(LANDMARKS, ours::landmark_detector()?);
        residuals = vec![(ours::NAME.to_string(), residual)];
        large.row(ours::NAME, ours::eigenpairs(LEADING_OF_MANY, LARGE)?.0);
        large.row("mercer fit_leading, with its Gram matrix", ours::fit_leading(LEADING_OF_MANY)?);
        for row in python::measure(LEADING_OF_MANY, LARGE, true)? {
            large.row(&row.name, row.milliseconds);
        }
        let python = python::measure(LEADING, SIZES, false)?;
        complete = complete && !python.is_empty();
        for row in python {
            if row.task == "eigen" {
                eigen.row(&row.name, row.milliseconds);
                residuals.push((row.name, row.residuals));
            } else {
                fit.row(&row.name, row.milliseconds);
            }
        }
        if !complete {
            break;
        }
    }
    println!(
        "milliseconds, best of several in {ROUNDS} rounds; one thread, f64, {} inputs; Rust built for {}\n",
        data::INPUTS,
        if cfg!(target_feature = "avx2") {
            "vectors of four numbers (AVX2) or more"
        } else {
            "the baseline of its target"
        },
    );
    println!("{eigen}");
    println!("largest residual |A v - l v| of the eight, over the largest l");
    for (name, [a, b, c]) in &residuals {
        println!("  {name:<30}  {a:8.1e}  {b:8.1e}  {c:8.1e}");
    }
    println!("\n{large}\n{fit}");
    if !complete {
        println!("Without LAPACK and scikit-learn the comparison is not complete.");
    }
    let goal = |what, times, sizes, lead: Option<table::Times>| {
        println!("{}", Goal { what, times, sizes, lead: lead.filter(|_| complete) });
    };
    let sklearn = |name: &str| name.starts_with("scikit-learn");
    goal(
        "leading 8 eigenpairs against the fastest of the others",
        2.0,
        SIZES,
        eigen.lead(ours::NAME, |name| name != ours::NAME),
    );
    let arpack = large.lead(ours::NAME, |name| name.ends_with("eigsh"));
    goal("leading 16 eigenpairs against ARPACK", 1.0, LARGE, arpack);
    goal("exact detector against scikit-learn's fastest", 3.0, SIZES, fit.lead(EXACT, sklearn));
    let lead = fit.lead(LANDMARKS, sklearn);
    goal("landmark detector against scikit-learn's fastest", 3.0, SIZES, lead);
    Ok(())
}
