//! `mercer export`, by the program itself: what it writes is compiled, run, and compared with
//! `mercer score`.
//!
//! `cargo test --package mercer-cli --test export -- --nocapture` prints the largest differences.

mod bytes;
mod c;
mod c_front;
mod c_misuse;
mod c_quantised;
mod c_reasons;
mod chain;
#[path = "../common/mod.rs"]
mod common;
mod front;
mod image;
mod misra;
mod package;
mod project;
mod refusals;
mod rust;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, str};

/// The kernels, as `mercer fit` calls them.
const KERNELS: [&str; 6] = ["rbf", "laplacian", "poly", "sigmoid", "linear", "cosine"];
const PRECISIONS: [&str; 2] = ["f32", "f64"];
/// The last six of twelve inputs of the windows of walking.
const DEVIATIONS: &str =
    "deviation_ax,deviation_ay,deviation_az,deviation_gx,deviation_gy,deviation_gz";

/// Runs `mercer`, which must go well, and returns what it prints.
fn done(arguments: &[&str]) -> String {
    common::succeed(Path::new("."), arguments)
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).expect("UTF-8")
}

/// A file of the project.
fn project(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the project around it");
    show(&root.join(path))
}

fn show(path: &Path) -> String {
    path.to_str().expect("a path in UTF-8").into()
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A folder that goes when the test has passed.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("room for files"))
    }

    fn path(&self, name: &str) -> String {
        show(&self.0.path().join(name))
    }
}

/// Samples to fit to and readings to score.
struct Data {
    name: &'static str,
    train: String,
    readings: String,
}

impl Data {
    /// Mean and deviation of six axes of a smart watch in windows of 2 s.
    fn walking() -> Self {
        let file = |name: &str| project(&format!("cli/tests/data/walking_{name}.csv"));
        Self { name: "walking", train: file("train"), readings: file("readings") }
    }

    fn golden(name: &'static str) -> Self {
        let file = |part: &str| project(&format!("tests/data/golden/{name}_data_{part}.csv"));
        Self { name, train: file("train"), readings: file("test") }
    }

    /// Are there logarithmic inputs?
    fn has_logs(&self) -> bool {
        self.name == "walking"
    }

    /// Fits a small model; returns its file.
    fn fit(&self, folder: &Folder, kernel: &str, precision: &str) -> String {
        let model = folder.path(&format!("{}_{kernel}_{precision}.mercer", self.name));
        // On two inputs some kernels leave nothing unexplained.
        let mut arguments = vec!["fit", &self.train, "--out", &model, "--force"];
        arguments.extend(["--kernel", kernel, "--precision", precision]);
        arguments.extend(["--landmarks", "16", "--variance", "0.9"]);
        match self.has_logs() {
            true => arguments.extend(["--drop", "activity", "--log", DEVIATIONS]),
            false => arguments.extend(["--log", "none"]),
        }
        // Wide enough for inner products of some dozen inputs.
        if kernel == "sigmoid" {
            arguments.extend(["--gamma", "0.01", "--coef0", "0"]);
        }
        done(&arguments);
        model
    }

    /// The inputs of the readings, as they stand in the file.
    fn inputs(&self) -> Vec<Vec<String>> {
        let skip = usize::from(self.name == "walking");
        let rows = read(&self.readings);
        let cells = |row: &str| row.split(',').skip(skip).map(String::from).collect();
        rows.lines().skip(1).map(cells).collect()
    }
}

/// What was found for a reading: SPE, T², the sum of the absolute projections, the verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scores {
    values: [f64; 3],
    unusual: bool,
}

impl Scores {
    /// From cells `spe,t2,abs_sum,unusual`; what follows is not looked at.
    fn parse<'a>(mut cells: impl Iterator<Item = &'a str>, precision: &str) -> Self {
        let mut next = || cells.next().expect("four cells");
        let mut value = || match precision {
            "f32" => f64::from(next().parse::<f32>().expect("a number")),
            _ => next().parse().expect("a number"),
        };
        let values = [value(), value(), value()];
        Self { values, unusual: next() == "1" }
    }
}

/// What `mercer score` prints.
fn scores(model: &str, readings: &str, precision: &str) -> Vec<Scores> {
    let printed = done(&["score", model, readings]);
    printed.lines().skip(1).map(|row| Scores::parse(row.split(',').skip(1), precision)).collect()
}

/// The largest difference of a score in C from that of `mercer score`, relative to the largest
/// score of its kind among the readings, where `exp` or `tanh` is computed in another way.
///
/// Kernel values then differ in their last digits (up to 3e-7 in `f32`), and weights of both signs,
/// whose sums are small beside their terms, make more of it: the more, the smaller the variances of
/// the components that were kept. The models here keep 90 % of the variance; T², which divides by
/// these, is off by up to 1.1e-5.
fn bound(precision: &str) -> f64 {
    if precision == "f32" { 2e-5 } else { 1e-13 }
}

/// The largest difference of each score, relative to the largest score of its kind; the verdicts
/// must be the same.
fn differences(found: &[Scores], expected: &[Scores]) -> [f64; 3] {
    assert_eq!(found.len(), expected.len());
    assert!(!found.is_empty());
    assert!(found.iter().zip(expected).all(|(a, b)| a.unusual == b.unusual), "other verdicts");
    [0, 1, 2].map(|i| {
        let largest = expected.iter().fold(0.0_f64, |most, e| most.max(e.values[i].abs()));
        let pairs = found.iter().zip(expected);
        let worst = pairs.map(|(a, b)| (a.values[i] - b.values[i]).abs()).fold(0.0, f64::max);
        if worst == 0.0 { 0.0 } else { worst / largest }
    })
}

/// A file of the model without its ending.
fn stem(model: &str) -> PathBuf {
    Path::new(model).with_extension("")
}
