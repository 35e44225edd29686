//! Rows a second: `mercer score` on a stream of CSV, beside scikit-learn's `KernelPCA.transform` on numbers in memory, in one run.
//!
//! `cargo bench --package mercer-cli`. Without scikit-learn, its rows are skipped.

mod data;

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const TRAINING: usize = 512;
const ROWS: usize = 100_000;
const COLUMNS: usize = 16;
const COMPONENTS: &str = "8";
/// Best of so many.
const RUNS: usize = 3;

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::write(path.join("train.csv"), data::csv(TRAINING, COLUMNS, 1)).expect("the training rows");
    fs::write(path.join("rows.csv"), data::csv(ROWS, COLUMNS, 2)).expect("the rows");
    println!(
        "{ROWS} rows of {COLUMNS} columns, {TRAINING} training rows, {COMPONENTS} components; rows a second, best of {RUNS}, one thread\n"
    );
    for (name, options) in [
        ("mercer score, 48 landmarks", ["--landmarks", "48", "--precision", "f32"]),
        ("mercer score, all 512 points, f64", ["--landmarks", "all", "--precision", "f64"]),
    ] {
        mercer(path)
            .args(["fit", "train.csv", "--out", "m.mercer", "--components", COMPONENTS])
            .args(options)
            .stdout(Stdio::null())
            .status()
            .expect("mercer runs");
        let mut best = f64::INFINITY;
        for _ in 0..RUNS {
            let input = File::open(path.join("rows.csv")).expect("the rows");
            let start = Instant::now();
            let status = mercer(path)
                .args(["score", "m.mercer", "-"])
                .stdin(input)
                .stdout(Stdio::null())
                .status();
            assert!(status.expect("mercer runs").success());
            best = best.min(start.elapsed().as_secs_f64());
        }
        println!("{:>10.0}  {name}: CSV in, CSV out", ROWS as f64 / best);
    }
    let arguments = [COMPONENTS.to_string(), RUNS.to_string()];
    match data::python("stream.py", &arguments, path, Some(1)) {
        Ok(said) => print!("{said}"),
        Err(why) => println!("skipped: scikit-learn ({why})"),
    }
}

fn mercer(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mercer"));
    command.current_dir(folder);
    command
}
