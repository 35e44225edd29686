//! Is a score on the device what `mercer score` says on the desk, and is the alarm?
//!
//! From a recording to firmware: `mercer fit data/walking/train.csv` learned a detector, `mercer export --rust` wrote it as the source that is included
//! here, and `mercer score` wrote `scores.csv` for the same readings (`cargo xtask data` runs the three). Every score must have the very same bits, and the alarm
//! the same state after each, or this program fails.
//!
//! - host: `cargo run --release --example exported`
//! - Cortex-M4F in QEMU: `cargo run --release --example exported --target thumbv7em-none-eabihf`
#![cfg_attr(target_os = "none", no_std, no_main)]

mod support;

use mercer::kpca::Score;
use mercer::{Alarm, AlarmConfig};
use support::say;

include!("data/walking/model.rs");

/// `activity,…` and a reading a line.
const READINGS: &str = include_str!("data/walking/readings.csv");
/// `row,spe,t2,abs_sum,unusual,alarm`, as `mercer score` prints it.
const SCORES: &str = include_str!("data/walking/scores.csv");

/// Why the program fails.
#[derive(Debug)]
enum Failure {
    /// The files beside the model are not what they should be.
    Data,
    /// A score has other bits, or the verdict is another.
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
    unusual: bool,
    alarm: bool,
}

fn run() -> Result<(), Failure> {
    say!("Walking, checksum {:08x}, {} bytes", WALKING_CHECKSUM, size_of_val(&WALKING));
    if READINGS.lines().count() != SCORES.lines().count() {
        return Err(Failure::Data);
    }
    say!("activity        SPE        T2     sum|f|");
    let (mut readings, mut same) = (0, 0);
    let mut alarm = Alarm::new(AlarmConfig::DEFAULT)?;
    for (reading, line) in READINGS.lines().zip(SCORES.lines()).skip(1) {
        let (activity, numbers) = reading.split_once(',').ok_or(Failure::Data)?;
        let found = WALKING.score(&parsed(numbers)?)?;
        let is_active = alarm.update(&found).is_active();
        let (scores, expected) = (scores(&found.score), expected(line)?);
        readings += 1;
        let verdict = (found.unusual, is_active) == (expected.unusual, expected.alarm);
        same += usize::from(scores == expected.scores && verdict);
        let [spe, t2, abs_sum] = scores;
        let unusual = if found.unusual { "unusual" } else { "" };
        let alarm = if is_active { "alarm" } else { "" };
        say!("{activity:<10} {spe:>8.6} {t2:>9.5} {abs_sum:>10.7}  {unusual:<7}  {alarm}");
    }
    say!("The same bits as from `mercer score`: {same} of {readings} readings");
    if same == readings { Ok(()) } else { Err(Failure::Differs) }
}

/// The scores that `mercer score` prints.
fn scores(score: &Score<f32>) -> [f32; 3] {
    [score.spe, score.t2, score.abs_sum]
}

/// One line of `scores.csv`.
fn expected(line: &str) -> Result<Expected, Failure> {
    let [_, spe, t2, abs_sum, unusual, alarm] = parsed(line)?;
    Ok(Expected { scores: [spe, t2, abs_sum], unusual: unusual > 0.0, alarm: alarm > 0.0 })
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

support::main!(run);
