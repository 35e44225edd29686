//! Is a score on the device what `mercer score` says on the desk, and is the alarm?
//!
//! From raw recordings to firmware: `mercer fit` learned a detector, `mercer export --rust` wrote
//! it as the source that is included here, and `mercer score` wrote `scores.csv` for recordings
//! that it has not seen (`cargo xtask data` runs the three). Here their raw samples go through a
//! `Monitor`. Every score must have the very same bits, and the alarm the same state after each, or
//! this program fails.
//!
//! - host: `cargo run --release --example exported`
//! - Cortex-M4F in QEMU: `cargo run --release --example exported --target thumbv7em-none-eabihf`
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "support/motions.rs"]
mod motions;
mod support;

use mercer::kpca::Score;
use mercer::monitor::Outcome;
use motions::{Recordings, UNSEEN, raw};
use static_cell::ConstStaticCell;
use support::say;

include!("data/walking/model.rs");

/// `row,spe,t2,abs_sum,unusual,alarm`, as `mercer score` prints it, for one activity after the
/// other.
const SCORES: &str = include_str!("data/walking/scores.csv");

static STREAM: ConstStaticCell<WalkingStream> = ConstStaticCell::new(WalkingStream::new());

/// Why the program fails.
#[derive(Debug)]
enum Failure {
    /// The file beside the model is not what it should be.
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
    let mut monitor = WalkingMonitor::new(&WALKING, STREAM.take());
    let mut lines = SCORES.lines().skip(1);
    let (mut all, mut same) = (0, 0);
    say!("activity   windows  unusual  in alarm");
    for (name, recordings) in &UNSEEN {
        let found = watch(&mut monitor, recordings, &mut lines)?;
        say!("{name:<10} {:>7} {:>8} {:>9}", found.windows, found.unusual, found.in_alarm);
        (all, same) = (all + found.windows, same + found.same);
    }
    say!("The same bits as from `mercer score`: {same} of {all} windows");
    if same == all && lines.next().is_none() { Ok(()) } else { Err(Failure::Differs) }
}

/// How many windows there were, and how many of them are what.
#[derive(Default)]
struct Counts {
    windows: usize,
    unusual: usize,
    in_alarm: usize,
    same: usize,
}

/// Shows the recordings of an activity to the monitor, and compares what it says.
fn watch<'a>(
    monitor: &mut WalkingMonitor<'_>,
    recordings: &Recordings,
    lines: &mut impl Iterator<Item = &'a str>,
) -> Result<Counts, Failure> {
    let mut found = Counts::default();
    for recording in raw(recordings) {
        monitor.gap();
        for sample in recording {
            let Some(Outcome { verdict, alarm, .. }) = monitor.push(&sample)? else { continue };
            let expected = expected(lines.next().ok_or(Failure::Data)?)?;
            let same = scores(&verdict.score) == expected.scores
                && (verdict.unusual, alarm.is_active()) == (expected.unusual, expected.alarm);
            found.windows += 1;
            found.unusual += usize::from(verdict.unusual);
            found.in_alarm += usize::from(alarm.is_active());
            found.same += usize::from(same);
        }
    }
    Ok(found)
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
