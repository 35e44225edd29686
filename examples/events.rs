//! A wireless sensor learns from its own event log what usual operation is, stores that, takes it
//! up again after a reset, and raises an alarm when the sequence of events is not as usual.
//!
//! A record is the last 32 event codes, a plain `[u8; 32]`. Records are compared by the substrings
//! of three events that they share, so the order of events counts and not only how many there are.
//! Everything is what vectors of sensors have too: a [`Learner`] that cross-fits its threshold, a
//! detector of a few bytes in flash, an [`Alarm`]. What codes do not have is a scale, and inputs to
//! blame.
//!
//! - host: `cargo run --release --example events`
//! - Cortex-M4F in QEMU: `cargo run --release --example events --target thumbv7em-none-eabihf`
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "support/events.rs"]
mod events;
mod support;

use core::str::from_utf8;

use events::{LENGTH, Record, Sensor, TROUBLE};
use mercer::kernel::{Normalised, Spectrum};
use mercer::kpca::Components;
use mercer::{Alarm, AlarmConfig, Detector, Error, Learner, Progress, Recipe};
use static_cell::ConstStaticCell;
use support::say;

const RECORDS: usize = 40;
const POINTS: usize = 16;
const COMPONENTS: usize = 10;
/// Usual records to try it on.
const UNSEEN: usize = 100;

type Kernel = Normalised<Spectrum<f32>>;
type Usual = Detector<Kernel, Record, POINTS, COMPONENTS>;

static LEARNER: ConstStaticCell<Learner<Kernel, Record, RECORDS, POINTS, COMPONENTS>> =
    ConstStaticCell::new(Learner::new());
static RESTORED: ConstStaticCell<Usual> = ConstStaticCell::new(Usual::new());
static FLASH: ConstStaticCell<[u8; Usual::ENCODED_SIZE]> =
    ConstStaticCell::new([0; Usual::ENCODED_SIZE]);

fn run() -> Result<(), Error> {
    let (learner, flash) = (LEARNER.take(), FLASH.take());
    let mut sensor = Sensor::new(1);
    while !learner.is_full() {
        learner.push(&sensor.record())?;
    }
    let recipe = Recipe::default().components(Components::Share(0.9));
    learner.begin(Normalised(Spectrum::new(3)), recipe)?;
    let mut steps = 1;
    while learner.step()? == Progress::Working {
        steps += 1;
    }
    let length = learner.detector()?.write_to(flash)?;
    say!("{RECORDS} records of {LENGTH} events learned in {steps} steps, {length} bytes stored");

    // After a reset.
    let detector = RESTORED.take();
    detector.read_from(flash)?;
    let (mut unusual, mut sensor) = (0, Sensor::new(3));
    for _ in 0..UNSEEN {
        unusual += usize::from(detector.score(&sensor.record())?.unusual);
    }
    say!("{unusual} of {UNSEEN} records of usual operation that it has not seen are unusual");
    say!("");
    say!("SPE / threshold");
    let mut alarm = Alarm::new(AlarmConfig::DEFAULT)?;
    for _ in 0..3 {
        watch(detector, &mut alarm, &sensor.record(), "as usual")?;
    }
    for (name, record) in TROUBLE {
        watch(detector, &mut alarm, record, name)?;
    }
    for _ in 0..4 {
        watch(detector, &mut alarm, &sensor.record(), "as usual")?;
    }
    Ok(())
}

fn watch(
    detector: &Usual,
    alarm: &mut Alarm<f32>,
    record: &Record,
    name: &str,
) -> Result<(), Error> {
    let verdict = detector.score(record)?;
    let share = verdict.score.spe / detector.threshold().spe;
    let state = alarm.update(&verdict);
    let (codes, mark) = (from_utf8(record).unwrap_or("?"), if verdict.unusual { "o" } else { " " });
    say!("{share:>8.2} {mark} {codes}  {name}: {state:?}");
    Ok(())
}

support::main!(run);
