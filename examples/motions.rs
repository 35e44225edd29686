//! A smart watch learns how its wearer walks, then says when it is something else, and what gave it away.
//!
//! Each second of accelerometer and gyroscope becomes 12 features. The learner takes 100 such windows of walking, calibrates its
//! threshold by cross-fit and learns a detector, all in steps that a firmware can put between other work. Then it watches recordings it
//! has not seen. Host and device print the same.
//!
//! - host: `cargo run --release --example motions`
//! - Cortex-M4F in QEMU: `cargo run --release --example motions --target thumbv7em-none-eabihf`
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "support/motions.rs"]
mod motions;
mod support;

use core::fmt;

use mercer::detect::{InputSet, LogDetector, LogLearner, Logs};
use mercer::kernel::Rbf;
use mercer::{Alarm, AlarmConfig, Error, Progress, Recipe};
use motions::{DEVIATIONS, FEATURES, NAMES, ROWS, Recordings, TRAINING, UNSEEN, windows};
use static_cell::ConstStaticCell;
use support::say;

/// One second.
const LENGTH: usize = 10;
const WINDOWS: usize = ROWS / LENGTH;
/// Windows of one recording.
const RECORDING: usize = 100 / LENGTH;
/// Windows in a line of the timeline: narrow terminals show it whole.
const LINE: usize = 50;

type Walking = LogLearner<FEATURES, WINDOWS, 32, 24>;
type Detector = LogDetector<FEATURES, 32, 24>;

static LEARNER: ConstStaticCell<Walking> = ConstStaticCell::new(Walking::new());

fn run() -> Result<(), Error> {
    let learner = LEARNER.take();
    for window in windows::<LENGTH>(&TRAINING) {
        learner.push(&window)?;
    }
    // Deviations vary by factors: their logarithm tells standing from walking.
    let logs = Logs::Inputs(InputSet::of(&DEVIATIONS)?);
    learner.begin(Rbf::for_inputs(FEATURES), Recipe::default().logs(logs))?;
    let mut steps = 1;
    while learner.step()? == Progress::Working {
        // A firmware would feed its watchdog here.
        steps += 1;
    }
    say!("Learned walking from {WINDOWS} windows of 1 s, in {steps} steps");
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
    say!("Watching what it has not seen, a character a second:");
    say!("  . usual   o unusual   O above 4 thresholds   ! the alarm is up");
    say!("  (it starts afresh with each recording of 10 s)");
    let mut findings = [Findings::default(); UNSEEN.len()];
    for (found, (name, recordings)) in findings.iter_mut().zip(&UNSEEN) {
        *found = watch(detector, name, recordings)?;
    }

    say!("");
    say!("activity   unusual  in alarm  first at  most often because of");
    for (found, (name, _)) in findings.iter().zip(&UNSEEN) {
        let [unusual, in_alarm] = [found.unusual, found.in_alarm].map(|n| 100 * n / WINDOWS);
        say!("{name:<10} {unusual:>5} %  {in_alarm:>6} %  {found}");
    }
    say!("");
    explain_first(detector, "standing")
}

/// What was seen of one activity.
#[derive(Clone, Copy, Default)]
struct Findings {
    unusual: usize,
    in_alarm: usize,
    /// The second in which the alarm was first raised.
    raised: Option<usize>,
    /// How often each feature was to blame.
    blamed: [usize; FEATURES],
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.raised {
            Some(second) => write!(f, "{second:>6} s")?,
            None => write!(f, "   never")?,
        }
        let worst = self.blamed.iter().enumerate().max_by_key(|&(_, &count)| count);
        if let (Some((feature, &count)), true) = (worst, self.unusual > 0) {
            let share = 100 * count / self.unusual;
            write!(f, "  {} ({share} % of the unusual windows)", NAMES[feature])?;
        }
        Ok(())
    }
}

/// Scores the windows of an activity one after the other and draws them.
fn watch(detector: &Detector, name: &str, recordings: &Recordings) -> Result<Findings, Error> {
    let mut alarm = Alarm::new(AlarmConfig::DEFAULT)?;
    let mut found = Findings::default();
    let (mut scores, mut alarms) = ([b' '; WINDOWS], [b' '; WINDOWS]);
    for (second, window) in windows::<LENGTH>(recordings).enumerate() {
        if second % RECORDING == 0 {
            alarm.gap();
        }
        let reading = detector.score(&window)?;
        let excess = reading.score.spe / detector.threshold().spe;
        scores[second] = match excess {
            usual if usual <= 1.0 => b'.',
            above if above <= 4.0 => b'o',
            _ => b'O',
        };
        if reading.unusual {
            found.unusual += 1;
            found.blamed[detector.suspect(&window)?.input] += 1;
        }
        if alarm.update(&reading).is_active() {
            alarms[second] = b'!';
            found.in_alarm += 1;
            found.raised = found.raised.or(Some(second));
        }
    }
    for (line, (scores, alarms)) in scores.chunks(LINE).zip(alarms.chunks(LINE)).enumerate() {
        say!("{:<10} {}", if line == 0 { name } else { "" }, text(scores));
        say!("{:<10} {}", "", text(alarms).trim_end());
    }
    Ok(found)
}

/// The first unusual window of an activity: which feature, what it was, and what it would have been.
fn explain_first(detector: &Detector, activity: &str) -> Result<(), Error> {
    let recordings = UNSEEN.iter().filter(|(name, _)| *name == activity);
    for window in recordings.flat_map(|(_, recordings)| windows::<LENGTH>(recordings)) {
        if detector.score(&window)?.unusual {
            let suspect = detector.suspect(&window)?;
            say!(
                "The first unusual window of {activity}: the {} is {:.3}; walking, it would be about {:.3}.",
                NAMES[suspect.input],
                suspect.read,
                suspect.expected
            );
            break;
        }
    }
    Ok(())
}

/// The drawings are ASCII.
fn text(drawing: &[u8]) -> &str {
    core::str::from_utf8(drawing).unwrap_or("?")
}

support::main!(run);
