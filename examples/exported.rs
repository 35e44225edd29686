//! Is a score on the device what `mercer score` says on the desk?
//!
//! From a recording to firmware: `mercer fit data/walking/train.csv` learned a detector, `mercer export --rust` wrote it as the source that is included
//! here, and `mercer score` wrote `scores.csv` for the same readings (`cargo xtask data` runs the three). The detector here computes its kernel values in rows and those of
//! the host command one by one, so they differ by rounding: less than [`BOUND`], or this program fails.
//!
//! - host: `cargo run --release --example exported`
//! - Cortex-M4F in QEMU: `cargo run --release --example exported --target thumbv7em-none-eabihf`
#![cfg_attr(target_os = "none", no_std, no_main)]

mod support;

use mercer::Score;
use support::say;

include!("data/walking/model.rs");

/// `activity,…` and a reading a line.
const READINGS: &str = include_str!("data/walking/readings.csv");
/// `row,spe,t2,abs_sum,alarm`, as `mercer score` prints it.
const SCORES: &str = include_str!("data/walking/scores.csv");

/// The largest difference of a score, relative to the largest that `mercer score` found among the readings.
const BOUND: f32 = 1e-6;

/// Why the program fails.
#[derive(Debug)]
enum Failure {
    /// The files beside the model are not what they should be.
    Data,
    /// A score is further off than [`BOUND`], or the verdict is another.
    Differs,
    /// A reading that cannot be scored.
    Mercer(#[allow(dead_code, reason = "printed")] mercer::Error),
}

impl From<mercer::Error> for Failure {
    fn from(error: mercer::Error) -> Self {
        Self::Mercer(error)
    }
}

/// What the host command says of a reading.
struct Expected {
    scores: [f32; 3],
    alarm: bool,
}

fn run() -> Result<(), Failure> {
    say!("Walking, checksum {:08x}, {} bytes", WALKING_CHECKSUM, size_of_val(&WALKING));
    if READINGS.lines().count() != SCORES.lines().count() {
        return Err(Failure::Data);
    }
    let mut largest = [0.0_f32; 3];
    for line in SCORES.lines().skip(1) {
        for (largest, score) in largest.iter_mut().zip(expected(line)?.scores) {
            *largest = largest.max(score);
        }
    }

    say!("activity        SPE        T2     sum|f|              off by");
    let mut worst = [0.0_f32; 3];
    let mut same_verdicts = true;
    for (reading, line) in READINGS.lines().zip(SCORES.lines()).skip(1) {
        let (activity, numbers) = reading.split_once(',').ok_or(Failure::Data)?;
        let found = WALKING.score(&parsed(numbers)?)?;
        let expected = expected(line)?;
        same_verdicts &= found.anomalous == expected.alarm;
        let scores = scores(&found.score);
        let mut off = [0.0; 3];
        for (i, off) in off.iter_mut().enumerate() {
            *off = (scores[i] - expected.scores[i]).abs() / largest[i];
            worst[i] = worst[i].max(*off);
        }
        say!(
            "{activity:<10} {:>8.6} {:>9.5} {:>10.7}  {:<8} {:.0e} {:.0e} {:.0e}",
            scores[0],
            scores[1],
            scores[2],
            if found.anomalous { "alarm" } else { "" },
            off[0],
            off[1],
            off[2]
        );
    }
    let [spe, t2, abs_sum] = worst;
    say!(
        "Largest difference from `mercer score`: SPE {spe:.1e}, T2 {t2:.1e}, sum|f| {abs_sum:.1e}"
    );
    let within = worst.iter().all(|&off| off <= BOUND);
    say!(
        "{} of {BOUND:e}, verdicts {}",
        verdict(within, "within the bound"),
        verdict(same_verdicts, "equal")
    );
    if within && same_verdicts { Ok(()) } else { Err(Failure::Differs) }
}

/// The scores that `mercer score` prints.
fn scores(score: &Score<f32>) -> [f32; 3] {
    [score.spe, score.t2, score.abs_sum]
}

/// One line of `scores.csv`.
fn expected(line: &str) -> Result<Expected, Failure> {
    let [_, spe, t2, abs_sum, alarm] = parsed(line)?;
    Ok(Expected { scores: [spe, t2, abs_sum], alarm: alarm > 0.0 })
}

/// So many numbers with commas between them.
fn parsed<const N: usize>(line: &str) -> Result<[f32; N], Failure> {
    let mut numbers = [0.0; N];
    let mut cells = line.split(',');
    for number in &mut numbers {
        *number = cells.next().and_then(|cell| cell.parse().ok()).ok_or(Failure::Data)?;
    }
    if cells.next().is_none() { Ok(numbers) } else { Err(Failure::Data) }
}

fn verdict(holds: bool, what: &'static str) -> &'static str {
    if holds { what } else { "FAIL" }
}

support::main!(run);
