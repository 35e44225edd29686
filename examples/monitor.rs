//! Raw samples in, alarms out: a smart watch learns how its wearer walks, and watches what comes
//! then.
//!
//! `Stream` makes a reading of every two seconds of accelerometer and gyroscope, `Lesson` teaches
//! it to a learner, `Monitor` scores it and smooths the scores into an alarm. All of it takes 13 KB
//! of RAM, so that the smallest board can learn. Host and device print the same.
//!
//! - host: `cargo run --release --example monitor`
//! - Cortex-M0 in QEMU: `cargo run --release --example monitor --target thumbv6m-none-eabi`
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "support/motions.rs"]
mod motions;
mod support;

use mercer::kernel::Rbf;
use mercer::monitor::Lesson;
use mercer::signal::{Feature, FrontEnd};
use mercer::{Error, GaussianLearner, Monitor, Progress, Recipe};
use motions::{TRAINING, UNSEEN, raw};
use static_cell::ConstStaticCell;
use support::say;

/// What is made of raw samples: a recipe that the compiler knows.
struct Watch;

impl FrontEnd for Watch {
    const FEATURES: &'static [Feature] = &[Feature::Mean, Feature::LogStd];
    const CHANNELS: &'static [&'static str] = &["ax", "ay", "az", "gx", "gy", "gz"];
}

/// Six axes, ten samples a second: windows of two seconds, one after the other.
type WatchStream = mercer::stream!(Watch, f32, 6, 20, 20);
const INPUTS: usize = WatchStream::INPUTS;

/// Ten recordings of ten seconds have 50 such windows.
type Walking = GaussianLearner<INPUTS, 50, 12, 8>;

static STREAM: ConstStaticCell<WatchStream> = ConstStaticCell::new(WatchStream::new());
static LEARNER: ConstStaticCell<Walking> = ConstStaticCell::new(Walking::new());

fn run() -> Result<(), Error> {
    let (stream, learner) = (STREAM.take(), LEARNER.take());
    let mut lesson = Lesson::new(learner, &mut *stream);
    for recording in raw(&TRAINING) {
        for sample in recording {
            lesson.push(&sample)?;
        }
        // No window spans two recordings, and no fold cuts through one.
        lesson.gap();
    }
    say!("Learned walking from {} readings of {INPUTS} numbers", learner.len());
    // Where there are any, a channel is dead.
    say!("  windows with a logarithm at the floor: {}", stream.floored_windows());
    learner.begin(Rbf::for_inputs(INPUTS), Recipe::default())?;
    while learner.step()? == Progress::Working {
        // A firmware would feed its watchdog here.
    }
    let detector = learner.detector()?;
    say!("  threshold {:.3}, usual is {:.3}", detector.threshold().spe, detector.threshold().usual);
    for warning in learner.report().map_or(&[][..], |report| report.warnings()) {
        say!("  note: {warning}");
    }

    say!("");
    say!("Two seconds a character:  . usual   o unusual   ! the alarm is up");
    let mut monitor = Monitor::new(detector, &mut *stream);
    for (name, recordings) in &UNSEEN {
        let (mut line, mut shown) = ([b' '; 60], 0);
        // The input that was to blame when an alarm was raised, and what it should have read.
        let mut blamed = None;
        for recording in raw(recordings) {
            for sample in recording {
                let Some(outcome) = monitor.push(&sample)? else { continue };
                line[shown] = match (outcome.alarm.is_active(), outcome.verdict.unusual) {
                    (true, _) => b'!',
                    (false, true) => b'o',
                    (false, false) => b'.',
                };
                shown += 1;
                if outcome.alarm.is_active() && blamed.is_none() {
                    blamed = Some(monitor.suspect()?);
                }
            }
            monitor.gap();
            shown += 1;
        }
        say!("{name:<10} {}", core::str::from_utf8(&line).unwrap_or("?").trim_end());
        if let Some(suspect) = blamed
            && let Some(input) = monitor.names().get(suspect.input)
        {
            let (read, expected) = (suspect.read, suspect.expected);
            say!("           {input} was {read:.2}; walking, it would be about {expected:.2}");
        }
    }
    Ok(())
}

support::main!(run);
