//! A smart watch learns how its wearer walks, then says when it is something else, and what gave it
//! away.
//!
//! Raw samples of accelerometer and gyroscope become windows, and each of these 12 features. The
//! learner takes 110 windows of walking, calibrates its threshold by cross-fit of whole recordings
//! and learns a detector, all in steps that a firmware can put between other work. Then it watches
//! recordings it has not seen. Host and device print the same.
//!
//! - host: `cargo run --release --example motions`
//! - Cortex-M4F in QEMU: `cargo run --release --example motions --target thumbv7em-none-eabihf`
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "support/motions.rs"]
mod motions;
mod support;

use core::fmt;

use mercer::detect::Suspect;
use mercer::kernel::Rbf;
use mercer::monitor::{Lesson, Outcome};
use mercer::{Error, GaussianDetector, LeanLearner, Monitor, Progress, Recipe};
use motions::{
    FEATURES, NAMES, RECORDING_WINDOWS, Recordings, TRAINING, UNSEEN, WINDOWS, WatchStream, raw,
};
use static_cell::ConstStaticCell;
use support::say;

/// Windows in a line of the timeline: narrow terminals show it whole.
const LINE: usize = 55;

/// Samples, memory to learn and the detector in 11 KB: with stream and stack it learns on a
/// micro:bit, which has 16.
type Walking = LeanLearner<FEATURES, WINDOWS, 24, 12>;
type Detector = GaussianDetector<FEATURES, 24, 12>;
type Watching<'d, 's> = Monitor<&'d Detector, &'s mut WatchStream>;

static LEARNER: ConstStaticCell<Walking> = ConstStaticCell::new(Walking::new());
static STREAM: ConstStaticCell<WatchStream> = ConstStaticCell::new(WatchStream::new());

fn run() -> Result<(), Error> {
    let (learner, stream) = (LEARNER.take(), STREAM.take());
    let mut lesson = Lesson::new(learner, &mut *stream);
    for recording in raw(&TRAINING) {
        for sample in recording {
            lesson.push(&sample)?;
        }
        // No window spans two recordings, and no fold cuts through one.
        lesson.gap();
    }
    learner.begin(Rbf::for_inputs(FEATURES), Recipe::default())?;
    let mut steps = 1;
    while learner.step()? == Progress::Working {
        // A firmware would feed its watchdog here.
        steps += 1;
    }
    say!("Learned walking from {WINDOWS} windows of 1.6 s, in {steps} steps");
    if let Some(report) = learner.report() {
        say!("  {} points, {} components", report.fit.points, report.fit.components);
        say!("  threshold {:.4}, usual is {:.4}", report.threshold.spe, report.threshold.usual);
        say!(
            "  {} % of windows to come are unusual, if they are like the samples",
            100.0 * report.false_alarms
        );
        say!("  alarms raised by the samples: {}", report.alarms);
        for warning in report.warnings() {
            say!("  note: {warning}");
        }
    }
    let detector = learner.detector()?;
    say!("  {} bytes of detector", Detector::SIZE);

    say!("");
    say!("Watching what it has not seen, a character a window, each 0.8 s after the last:");
    say!("  . usual   o unusual   O above 4 thresholds   ! the alarm is up");
    say!("  (it starts afresh with each recording of 10 s, which is {RECORDING_WINDOWS} of them)");
    let mut monitor = Monitor::new(detector, stream);
    let mut findings = [Findings::default(); UNSEEN.len()];
    for (found, (name, recordings)) in findings.iter_mut().zip(&UNSEEN) {
        *found = watch(&mut monitor, name, recordings)?;
    }

    say!("");
    say!("activity   unusual  in alarm  most often because of");
    for (found, (name, _)) in findings.iter().zip(&UNSEEN) {
        let [unusual, in_alarm] = [found.unusual, found.in_alarm].map(|n| 100 * n / WINDOWS);
        say!("{name:<10} {unusual:>5} %  {in_alarm:>6} %  {found}");
    }
    say!("");
    for (found, (name, _)) in findings.iter().zip(&UNSEEN).skip(1) {
        if let Some(suspect) = &found.first
            && let Some(input) = NAMES.get(suspect.input)
        {
            let (read, expected) = (suspect.read, suspect.expected);
            say!(
                "{name}: at first {input} was {read:.2}; walking, it would be about {expected:.2}"
            );
        }
    }
    Ok(())
}

/// What was seen of one activity.
#[derive(Clone, Copy, Default)]
struct Findings {
    unusual: usize,
    in_alarm: usize,
    /// How often each feature was to blame.
    blamed: [usize; FEATURES],
    /// What was to blame for the first unusual window.
    first: Option<Suspect<f32>>,
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let worst = self.blamed.iter().enumerate().max_by_key(|&(_, &count)| count);
        if let (Some((feature, &count)), true) = (worst, self.unusual > 0)
            && let Some(name) = NAMES.get(feature)
        {
            let share = 100 * count / self.unusual;
            write!(f, "{name} ({share} % of the unusual windows)")?;
        }
        Ok(())
    }
}

/// Shows the recordings of an activity to the monitor, sample by sample, and draws what it says.
fn watch(
    monitor: &mut Watching<'_, '_>,
    name: &str,
    recordings: &Recordings,
) -> Result<Findings, Error> {
    let mut found = Findings::default();
    let (mut scores, mut alarms) = ([b' '; WINDOWS], [b' '; WINDOWS]);
    let mut places = scores.iter_mut().zip(&mut alarms);
    for recording in raw(recordings) {
        monitor.gap();
        for sample in recording {
            let Some(Outcome { verdict, alarm, .. }) = monitor.push(&sample)? else { continue };
            let Some((score, mark)) = places.next() else { continue };
            *score = match verdict.score.spe / verdict.threshold.spe {
                usual if usual <= 1.0 => b'.',
                above if above <= 4.0 => b'o',
                _ => b'O',
            };
            if verdict.unusual {
                let suspect = monitor.suspect()?;
                found.unusual += 1;
                found.blamed[suspect.input] += 1;
                found.first = found.first.or(Some(suspect));
            }
            if alarm.is_active() {
                *mark = b'!';
                found.in_alarm += 1;
            }
        }
    }
    for (line, (scores, alarms)) in scores.chunks(LINE).zip(alarms.chunks(LINE)).enumerate() {
        say!("{:<10} {}", if line == 0 { name } else { "" }, text(scores));
        say!("{:<10} {}", "", text(alarms).trim_end());
    }
    Ok(found)
}

/// The drawings are ASCII.
fn text(drawing: &[u8]) -> &str {
    core::str::from_utf8(drawing).unwrap_or("?")
}

support::main!(run);
