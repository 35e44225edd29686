//! Seconds and megabytes of `mercer fit`, from the CSV to the file of the model, beside scikit-learn's Nystroem and PCA on numbers in memory, in one run.
//!
//! `cargo bench --package mercer-cli --bench fit`. Both use all cores. Ours reads the CSV, fits once for each of four folds and once to all rows, and takes the threshold;
//! theirs scales, fits and projects once. The last lines say whether the goals are met; without scikit-learn they are not judged.

mod data;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const ROWS: [usize; 3] = [10_000, 100_000, 1_000_000];
const COLUMNS: usize = 8;
const LANDMARKS: usize = 48;
/// Best of so many, in turn.
const RUNS: usize = 3;
/// At most so many times the time of scikit-learn.
const TIMES: f64 = 6.0;
/// Ten times the rows take at most so many times as long.
const GROWTH: f64 = 15.0;

/// What a fit took.
#[derive(Clone, Copy)]
struct Cost {
    seconds: f64,
    megabytes: f64,
}

impl Cost {
    /// The shorter time, and the larger memory.
    fn best(self, other: Self) -> Self {
        let seconds = self.seconds.min(other.seconds);
        Self { seconds, megabytes: self.megabytes.max(other.megabytes) }
    }
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    println!("{COLUMNS} columns, {LANDMARKS} landmarks, f32, all cores; best of {RUNS}\n");
    println!("     rows   mercer fit            scikit-learn {:>16}", "ratio");
    let (mut last, mut goals) = (None::<f64>, Vec::new());
    for rows in ROWS {
        let text = data::csv(rows, COLUMNS, 1);
        fs::write(path.join("rows.csv"), &text).expect("the rows");
        fs::write(path.join("rows.f64"), numbers(&text)).expect("the rows as numbers");
        let (mut ours, mut theirs) = (None, None);
        for _ in 0..RUNS {
            let cost = fit(path);
            ours = Some(ours.map_or(cost, |best: Cost| best.best(cost)));
            match theirs_of(path) {
                Ok(cost) => theirs = Some(theirs.map_or(cost, |best: Cost| best.best(cost))),
                Err(why) => println!("skipped: scikit-learn ({why})"),
            }
        }
        let ours = ours.expect("it was run");
        print!("{rows:>9}  {:>7.2} s {:>6.0} MB", ours.seconds, ours.megabytes);
        if let Some(theirs) = theirs {
            let ratio = ours.seconds / theirs.seconds;
            print!("    {:>7.2} s {:>6.0} MB  {ratio:>9.2}×", theirs.seconds, theirs.megabytes);
            if rows == ROWS[ROWS.len() - 1] {
                goals.push(format!("time within {TIMES}×: {}", judged(ratio <= TIMES)));
                let within = ours.megabytes <= theirs.megabytes;
                goals.push(format!("memory within theirs: {}", judged(within)));
            }
        }
        println!();
        if let Some(before) = last.replace(ours.seconds) {
            let growth = ours.seconds / before;
            goals.push(format!(
                "{rows} rows take {growth:.1} times as long as a tenth of them, at most {GROWTH}: {}",
                judged(growth <= GROWTH)
            ));
        }
    }
    println!();
    goals.iter().for_each(|goal| println!("goal: {goal}"));
}

fn judged(met: bool) -> &'static str {
    if met { "met" } else { "NOT met" }
}

/// The rows as Python reads them fastest.
fn numbers(csv: &str) -> Vec<u8> {
    let cells = csv.lines().skip(1).flat_map(|line| line.split(','));
    cells.flat_map(|cell| cell.parse::<f64>().expect("a number").to_le_bytes()).collect()
}

/// Fits with all landmarks, which is asserted.
fn fit(folder: &Path) -> Cost {
    let start = Instant::now();
    let landmarks = LANDMARKS.to_string();
    let mut child = Command::new(env!("CARGO_BIN_EXE_mercer"))
        .current_dir(folder)
        .args(["fit", "rows.csv", "--out", "m.mercer", "--precision", "f32"])
        .args(["--landmarks", &landmarks])
        .stdout(Stdio::piped())
        .spawn()
        .expect("mercer runs");
    let mut megabytes = 0.0_f64;
    while child.try_wait().expect("it ends").is_none() {
        megabytes = megabytes.max(peak(child.id()).unwrap_or_default());
        thread::sleep(Duration::from_millis(2));
    }
    let seconds = start.elapsed().as_secs_f64();
    let output = child.wait_with_output().expect("it has ended");
    assert!(output.status.success(), "mercer fit failed");
    let said = String::from_utf8(output.stdout).expect("text");
    let kept = said.lines().find(|line| line.starts_with("landmarks")).expect("a summary");
    assert_eq!(kept.split_whitespace().last(), Some(landmarks.as_str()), "landmarks are lost");
    Cost { seconds, megabytes }
}

/// The most memory that a process had so far, in megabytes; none where there is no `/proc`.
fn peak(process: u32) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}

fn theirs_of(folder: &Path) -> Result<Cost, String> {
    let gamma = 1.0 / (8.0 * COLUMNS as f64);
    let arguments = [COLUMNS.to_string(), LANDMARKS.to_string(), gamma.to_string()];
    let said = data::python("fit.py", &arguments, folder, None)?;
    let mut numbers = said.split_whitespace().map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(seconds)), Some(Ok(megabytes))) => Ok(Cost { seconds, megabytes }),
        _ => Err(format!("it says {said:?}")),
    }
}
