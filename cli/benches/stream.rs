//! Rows a second: `mercer score` on a stream of CSV, beside scikit-learn's `KernelPCA.transform` on numbers in memory, in one run.
//!
//! `cargo bench --package mercer-cli`. Without scikit-learn, its rows are skipped.

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
/// Who wants another Python than the first on the `PATH` names it here.
const PYTHON: &str = "MERCER_PYTHON";

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::write(path.join("train.csv"), csv(TRAINING, 1)).expect("the training rows");
    fs::write(path.join("rows.csv"), csv(ROWS, 2)).expect("the rows");
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
    let python = std::env::var(PYTHON).unwrap_or_else(|_| "python3".into());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/stream.py");
    let mut command = Command::new(&python);
    command.arg(script).args([COMPONENTS, &RUNS.to_string()]).current_dir(path);
    for threads in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
        command.env(threads, "1");
    }
    match command.output() {
        Err(error) => println!("skipped: scikit-learn ({python}: {error})"),
        Ok(output) if !output.status.success() => {
            let why = String::from_utf8_lossy(&output.stderr);
            println!("skipped: scikit-learn ({})", why.lines().last().unwrap_or_default());
        }
        Ok(output) => print!("{}", String::from_utf8_lossy(&output.stdout)),
    }
}

fn mercer(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mercer"));
    command.current_dir(folder);
    command
}

/// Readings that depend on three causes, with noise; the same for the same seed.
fn csv(rows: usize, seed: u64) -> String {
    let mut state = seed;
    let mut uniform = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let mut text = (0..COLUMNS).map(|i| format!("x{i}")).collect::<Vec<_>>().join(",");
    for _ in 0..rows {
        let causes = [uniform(), uniform(), uniform()];
        let cells: Vec<String> = (0..COLUMNS)
            .map(|i| {
                format!(
                    "{:.5}",
                    causes[i % 3] + causes[(i + 1) % 3] * causes[i % 3] + 0.3 * uniform()
                )
            })
            .collect();
        text += &format!("\n{}", cells.join(","));
    }
    text + "\n"
}
