//! Is this the exercise that was shown? Raw counts of a smart watch in, alarm out, with a detector
//! in flash.
//!
//! `mercer fit` learned rowing from the raw counts of three people, by windows of 64 samples with
//! mean, log deviation and log mean difference of each axis, gravity and all; `mercer export` wrote
//! `data/shoulder/model.rs`, with the types of stream and monitor. Here counts of other recordings
//! go through a `Monitor`, one after the other: the window keeps them as `i16`, which takes half
//! the RAM. Each score must have the bits of `mercer score`, in `scores.csv`, or this program
//! fails.
//!
//! - host: `cargo run --release --example exercise`
//! - Cortex-M0 in QEMU: `cargo run --release --example exercise --target thumbv6m-none-eabi`
#![cfg_attr(target_os = "none", no_std, no_main)]

mod support;

use mercer::Error;
use static_cell::ConstStaticCell;
use support::say;

include!("data/shoulder/model.rs");

const AXES: usize = 6;
/// Instants of a recording.
const RECORDING: usize = 256;
/// Their axes, each a little-endian `i16`.
static COUNTS: &[u8] = include_bytes!("data/shoulder/test.i16");
/// The exercises that were recorded, one after the other.
const EXERCISES: [&str; 9] =
    ["rowing", "rowing", "rowing", "fel", "abd", "ir", "er", "pen", "trap"];
/// `row,spe,t2,abs_sum,unusual,alarm` of each window, as `mercer score` prints it.
const SCORES: &str = include_str!("data/shoulder/scores.csv");

/// Why the program fails.
#[derive(Debug)]
#[allow(dead_code, reason = "read by Debug")]
enum Failure {
    /// The scores are not those of these recordings.
    Data,
    /// A score has other bits than on the desk.
    Differs,
    Mercer(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Mercer(error)
    }
}

static STREAM: ConstStaticCell<RowingStream> = ConstStaticCell::new(RowingStream::new());

fn run() -> Result<(), Failure> {
    say!(
        "Rowing: {} bytes of detector in flash, {} numbers a window",
        size_of_val(&ROWING),
        RowingStream::INPUTS
    );
    say!("A window a character:  . usual   o unusual   ! the alarm is up");
    let mut monitor = RowingMonitor::new(&ROWING, STREAM.take());
    let mut scores = SCORES.lines().skip(1);
    for (name, recording) in EXERCISES.iter().zip(COUNTS.chunks(2 * AXES * RECORDING)) {
        monitor.gap();
        let (mut line, mut windows) = ([b' '; 8], 0);
        let mut blamed = None;
        for instant in recording.chunks_exact(2 * AXES) {
            let Some(outcome) = monitor.push(&counts(instant))? else { continue };
            let spe = scores.next().and_then(|line| line.split(',').nth(1)?.parse::<f32>().ok());
            if outcome.verdict.score.spe != spe.ok_or(Failure::Data)? {
                return Err(Failure::Differs);
            }
            line[windows % line.len()] = match (outcome.alarm.is_active(), outcome.verdict.unusual)
            {
                (true, _) => b'!',
                (false, true) => b'o',
                (false, false) => b'.',
            };
            windows += 1;
            if outcome.alarm.is_active() && blamed.is_none() {
                blamed = Some(monitor.suspect()?);
            }
        }
        let line = core::str::from_utf8(&line).unwrap_or("?");
        match blamed.and_then(|suspect| Some((suspect, monitor.names().get(suspect.input)?))) {
            Some((suspect, input)) => {
                let (read, expected) = (suspect.read, suspect.expected);
                say!(
                    "{name:<7} {line} {input} was {read:.2}; rowing, it would be about {expected:.2}"
                );
            }
            None => say!("{name:<7} {}", line.trim_end()),
        }
    }
    say!("Every score has the bits of `mercer score`.");
    Ok(())
}

/// The axes of an instant.
fn counts(instant: &[u8]) -> [i16; AXES] {
    let (pairs, _) = instant.as_chunks::<2>();
    core::array::from_fn(|axis| pairs.get(axis).map_or(0, |&pair| i16::from_le_bytes(pair)))
}

support::main!(run);
