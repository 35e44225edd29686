//! Seconds and megabytes of `mercer fit`, from the CSV to the file of the model, beside
//! scikit-learn's Nystroem and PCA on numbers in memory, in one run.
//!
//! `cargo bench --package mercer-cli --bench fit`. Both use all cores. Ours reads the CSV, fits
//! once for each of four folds and once to all rows, and takes the threshold; theirs scales, fits
//! and projects once. Time is that of the clock, and that of the processors, which others at work
//! on the machine hardly change; Linux says what a process takes. The last lines say whether the
//! goals are met; without scikit-learn, those beside it are not judged.

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

/// Clock ticks of a second in `/proc`, as Linux tells programs.
const TICKS: f64 = 100.0;

/// What a fit took.
#[derive(Clone, Copy, Default)]
struct Cost {
    seconds: f64,
    /// Of all cores together.
    processor: f64,
    megabytes: f64,
}

impl Cost {
    /// The shorter times, and the larger memory.
    fn best(self, other: Self) -> Self {
        Self {
            seconds: self.seconds.min(other.seconds),
            processor: self.processor.min(other.processor),
            megabytes: self.megabytes.max(other.megabytes),
        }
    }

    fn in_words(self) -> String {
        let Self { seconds, processor, megabytes } = self;
        format!("{seconds:>7.2} {processor:>10.2} {megabytes:>6.0}")
    }
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    println!(
        "{COLUMNS} columns, {LANDMARKS} landmarks, f32, {} cores; best of {RUNS}",
        thread::available_parallelism().map_or(1, usize::from)
    );
    println!("seconds by the clock and of processors, megabytes\n");
    println!("     rows  mercer fit                 scikit-learn               ratio");
    let (mut last, mut goals) = (None::<f64>, Vec::new());
    for rows in ROWS {
        let text = data::csv(rows, COLUMNS, 1);
        fs::write(path.join("rows.csv"), &text).expect("the rows");
        fs::write(path.join("rows.f64"), numbers(&text)).expect("the rows as numbers");
        let mut ours = fit(path);
        let mut theirs = theirs_of(path);
        for _ in 1..RUNS {
            ours = ours.best(fit(path));
            theirs = theirs.and_then(|best| Ok(best.best(theirs_of(path)?)));
        }
        print!("{rows:>9}  {}", ours.in_words());
        match theirs {
            Ok(theirs) => {
                let ratio = ours.seconds / theirs.seconds;
                let processor = ours.processor / theirs.processor;
                println!("  {}  {ratio:.1}× {processor:.1}×", theirs.in_words());
                if rows == ROWS[ROWS.len() - 1] {
                    let times = |what: &str, times: f64| {
                        (format!("{what} within {TIMES} times theirs: {times:.1}"), times <= TIMES)
                    };
                    goals.push(times("time by the clock", ratio));
                    goals.push(times("time of processors", processor));
                    let within = ours.megabytes <= theirs.megabytes;
                    goals.push(("memory within theirs".into(), within));
                }
            }
            Err(why) => println!("  skipped: scikit-learn ({why})"),
        }
        if let Some(before) = last.replace(ours.processor) {
            let growth = ours.processor / before;
            let goal = format!("{rows} rows at most {GROWTH} times a tenth of them: {growth:.1}");
            goals.push((goal, growth <= GROWTH));
        }
    }
    println!("\nall {LANDMARKS} landmarks were kept in every fit");
    for (goal, is_met) in goals {
        println!("{}: {goal}", if is_met { "met    " } else { "NOT MET" });
    }
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
    let mut cost = Cost::default();
    while child.try_wait().expect("it ends").is_none() {
        cost = so_far(child.id()).unwrap_or(cost);
        thread::sleep(Duration::from_millis(2));
    }
    cost.seconds = start.elapsed().as_secs_f64();
    assert!(cost.megabytes > 0.0, "without /proc, nobody knows the memory that a process takes");
    let output = child.wait_with_output().expect("it has ended");
    assert!(output.status.success(), "mercer fit failed");
    let said = String::from_utf8(output.stdout).expect("text");
    let kept = said.lines().find(|line| line.starts_with("landmarks")).expect("a summary");
    assert_eq!(kept.split_whitespace().last(), Some(landmarks.as_str()), "landmarks are lost");
    cost
}

/// The processor time and the most memory of a process so far, while it runs.
fn so_far(process: u32) -> Option<Cost> {
    let read = |file: &str| fs::read_to_string(format!("/proc/{process}/{file}")).ok();
    let status = read("status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    // Behind the name, which stands in brackets: user and system time are the 12th and 13th.
    let stat = read("stat")?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    let processor = (ticks()? + ticks()?) / TICKS;
    Some(Cost { seconds: 0.0, processor, megabytes: kilobytes / 1024.0 })
}

fn theirs_of(folder: &Path) -> Result<Cost, String> {
    let gamma = 1.0 / (8.0 * COLUMNS as f64);
    let arguments = [COLUMNS.to_string(), LANDMARKS.to_string(), gamma.to_string()];
    let said = data::python("fit.py", &arguments, folder, None)?;
    let numbers: Option<Vec<f64>> = said.split_whitespace().map(|word| word.parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[seconds, processor, megabytes]) => Ok(Cost { seconds, processor, megabytes }),
        _ => Err(format!("it says {said:?}")),
    }
}
