//! Realised false alarms of many kinds of readings: docs/CALIBRATION.md.
//!
//! `cargo test --test calibration_table -- --nocapture` prints the table, `MERCER_UPDATE=1` writes
//! it into the document.

mod common;
mod evaluation;
mod streams;

use std::fmt::Write as _;

use evaluation::{document, mean};
use mercer::Recipe;
use mercer::detect::{FalseAlarms, FoldOrder, Warning};
use streams::{INDEPENDENT, Kind, Trial, share};

const ALPHAS: [f64; 3] = [0.01, 0.05, 0.1];
const SIZES: [usize; 4] = [32, 64, 128, 256];
const FITS: u64 = 50;
const FRESH: usize = 500;
const INPUTS: usize = 4;
const POINTS: usize = 32;

/// A row of the document for each size.
struct Row {
    name: String,
    n: usize,
    /// The trials for each rate.
    trials: [Vec<Trial>; ALPHAS.len()],
}

fn rows() -> Vec<Row> {
    let in_blocks = INDEPENDENT.into_iter().chain([
        Kind::Autoregressive(0.5),
        Kind::Autoregressive(0.9),
        Kind::Drift(3.0),
    ]);
    let mut cases: Vec<(Kind, FoldOrder)> =
        in_blocks.map(|kind| (kind, FoldOrder::Contiguous)).collect();
    cases.push((Kind::Autoregressive(0.9), FoldOrder::Interleaved));
    let mut rows = Vec::new();
    for (kind, order) in cases {
        let in_turn = if order == FoldOrder::Interleaved { ", folds in turn" } else { "" };
        for n in SIZES {
            let trials = ALPHAS.map(|alpha| {
                let recipe = Recipe::default().order(order).false_alarms(FalseAlarms::Share(alpha));
                let learn = |seed| {
                    let readings = kind.readings((n, FRESH), INPUTS, 40_000 + seed);
                    Trial::of(&readings, n, POINTS, recipe).expect("it can be learned")
                };
                (0..FITS).map(learn).collect()
            });
            rows.push(Row { name: kind.name() + in_turn, n, trials });
        }
    }
    rows
}

#[test]
fn the_document_is_true() {
    let rows = rows();
    require_section("SPE", &spe_table(&rows));
}

fn spe_table(rows: &[Row]) -> String {
    let mut table = String::from(
        "| readings | n | wished 1 % | 5 % | 10 % | said to be alike, at 1 / 5 / 10 % | \
         said to drift |\n|---|---|---|---|---|---|---|\n",
    );
    for Row { name, n, trials } in rows {
        write!(table, "| {name} | {n} |").unwrap();
        for trials in trials {
            write!(table, " {} |", rates(trials)).unwrap();
        }
        let alike = |warning: &Warning| matches!(warning, Warning::Autocorrelated { .. });
        let shares: Vec<String> = trials.iter().map(|trials| warned(trials, alike)).collect();
        let drift = warned(&trials[1], |warning| matches!(warning, Warning::Drift { .. }));
        writeln!(table, " {} % | {drift} % |", shares.join(" / ")).unwrap();
    }
    table
}

/// Mean and 90 % quantile in per cent, with a mark where learning says that the samples are too
/// few.
fn rates(trials: &[Trial]) -> String {
    let mut rates: Vec<f64> = trials.iter().map(Trial::spe_rate).collect();
    rates.sort_by(f64::total_cmp);
    let high = rates[(9 * rates.len()).div_ceil(10) - 1];
    let few = |warning: &Warning| matches!(warning, Warning::UnsupportedRate { .. });
    let mark = if warned(trials, few) == "100" { "†" } else { "" };
    format!("{:.1}, {:.1}{mark}", 100.0 * mean(rates), 100.0 * high)
}

/// The share of fits with a warning, in per cent.
fn warned(trials: &[Trial], which: impl Fn(&Warning) -> bool) -> String {
    let has = |trial: &Trial| trial.report.warnings().iter().any(&which);
    format!("{:.0}", 100.0 * share(trials.iter().map(has)))
}

fn require_section(name: &str, expected: &str) {
    document::require_section("docs/CALIBRATION.md", name, expected, "calibration_table");
}
