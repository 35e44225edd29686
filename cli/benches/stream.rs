//! Rows a second: `mercer score` on a stream of CSV, beside scikit-learn's `KernelPCA.transform` on
//! numbers in memory, in one run; then on one core and on all of them.
//!
//! `cargo bench --package mercer-cli`. Without scikit-learn, its rows are skipped.

mod data;

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

const TRAINING: usize = 512;
const ROWS: usize = 100_000;
const COLUMNS: usize = 16;
const COMPONENTS: &str = "8";
/// Best of so many.
const RUNS: usize = 3;
/// To score on all cores.
const MANY: usize = 1_000_000;
const INPUTS: usize = 8;

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    beside_python(path);
    on_all_cores(path);
}

fn beside_python(path: &Path) {
    fs::write(path.join("train.csv"), data::csv(TRAINING, COLUMNS, 1)).expect("the training rows");
    fs::write(path.join("rows.csv"), data::csv(ROWS, COLUMNS, 2)).expect("the rows");
    println!(
        "{ROWS} rows of {COLUMNS} columns, {TRAINING} training rows, {COMPONENTS} components; rows a second, best of {RUNS}, one thread\n"
    );
    for (name, options) in [
        ("mercer score, 48 landmarks", ["--landmarks", "48", "--precision", "f32"]),
        ("mercer score, all 512 points, f64", ["--landmarks", "all", "--precision", "f64"]),
    ] {
        fit(path, &[&options[..], &["--components", COMPONENTS]].concat());
        let mut score = score(path, "1", &["score", "m.mercer", "-"]);
        let best = (0..RUNS).map(|_| score()).fold(f64::INFINITY, f64::min);
        println!("{:>10.0}  {name}: CSV in, CSV out", ROWS as f64 / best);
    }
    let arguments = [COMPONENTS.to_string(), RUNS.to_string()];
    match data::python("stream.py", &arguments, path, Some(1)) {
        Ok(said) => print!("{said}"),
        Err(why) => println!("skipped: scikit-learn ({why})"),
    }
}

/// One core and all of them take turns, so that a busy machine is busy for both.
fn on_all_cores(path: &Path) {
    let cores = thread::available_parallelism().map_or(1, usize::from).to_string();
    fs::write(path.join("train.csv"), data::csv(TRAINING, INPUTS, 1)).expect("the training rows");
    fs::write(path.join("rows.csv"), data::csv(MANY, INPUTS, 2)).expect("the rows");
    fit(path, &[]);
    println!(
        "\n{MANY} rows of {INPUTS} columns, `mercer fit` by default; rows a second, best of {RUNS}, with 1 thread, with {cores}, and how many times as many\n"
    );
    for (name, arguments) in [
        ("a file", &["score", "m.mercer", "rows.csv"][..]),
        ("standard input", &["score", "m.mercer", "-"]),
        ("a file, --why", &["score", "m.mercer", "rows.csv", "--why"]),
    ] {
        let (mut one, mut all) = (score(path, "1", arguments), score(path, &cores, arguments));
        let times: Vec<[f64; 2]> = (0..RUNS).map(|_| [one(), all()]).collect();
        let [one, all] = [0, 1]
            .map(|i| MANY as f64 / times.iter().map(|pair| pair[i]).fold(f64::INFINITY, f64::min));
        println!("{one:>10.0} {all:>10.0} {:>6.2}×  {name}", all / one);
    }
}

fn fit(path: &Path, options: &[&str]) {
    let status = mercer(path)
        .args(["fit", "train.csv", "--out", "m.mercer", "--force"])
        .args(options)
        .stdout(Stdio::null())
        .status();
    assert!(status.expect("mercer runs").success());
}

/// Seconds that a command takes with so many threads, which reads `rows.csv` if it asks for
/// standard input.
fn score<'a>(path: &'a Path, threads: &'a str, arguments: &'a [&str]) -> impl FnMut() -> f64 + 'a {
    move || {
        let input = File::open(path.join("rows.csv")).expect("the rows");
        let start = Instant::now();
        let status = mercer(path)
            .args(arguments)
            .env("MERCER_THREADS", threads)
            .stdin(input)
            .stdout(Stdio::null())
            .status();
        assert!(status.expect("mercer runs").success());
        start.elapsed().as_secs_f64()
    }
}

fn mercer(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mercer"));
    command.current_dir(folder);
    command
}
