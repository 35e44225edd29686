//! A wireless sensor learns from its own event log what usual operation is, and notices a sequence of events that is not.
//!
//! A record is the last 32 event codes, a plain `[u8; 32]`. Records are compared by the substrings of three events they share, so the order
//! of events counts and not only how many there are: each odd record is also scored by a model that only counts single events.
//! 32 usual records are learned, 79 more give the threshold, and others that it has not seen are scored.
//!
//! - host: `cargo run --release --example events`
//! - Cortex-M4F in QEMU: `cargo run --release --example events --target thumbv7em-none-eabihf`
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "support/events.rs"]
mod events;
mod support;

use core::str::from_utf8;

use events::{LENGTH, Record, Sensor, TROUBLE};
use mercer::detect::calibrate::quantile;
use mercer::kernel::{Normalised, Spectrum};
use mercer::kpca::{Components, LandmarkWorkspace, Landmarks};
use mercer::{Error, KernelPca};
use static_cell::ConstStaticCell;
use support::say;

const RECORDS: usize = 32;
const POINTS: usize = 16;
const COMPONENTS: usize = 12;
/// Scores that the threshold comes from; with 79 of them, the 76th is that for 5 % false alarms.
const CALIBRATION: usize = 79;
/// Usual records to try it on.
const UNSEEN: usize = 100;

type Model = KernelPca<Normalised<Spectrum<f32>>, Record, POINTS, COMPONENTS>;
type Workspace = LandmarkWorkspace<f32, RECORDS, POINTS>;

/// A model of usual operation, and the score above which it is not.
struct Usual {
    model: Model,
    threshold: f32,
}

/// Two, to be compared: by substrings, and by single events.
static USUAL: ConstStaticCell<[Usual; 2]> =
    ConstStaticCell::new([const { Usual { model: Model::new(), threshold: 0.0 } }; 2]);
static WORKSPACE: ConstStaticCell<Workspace> = ConstStaticCell::new(Workspace::new());
static SAMPLES: ConstStaticCell<[Record; RECORDS]> = ConstStaticCell::new([[0; LENGTH]; RECORDS]);

fn run() -> Result<(), Error> {
    let ([by_order, by_counts], workspace, samples) =
        (USUAL.take(), WORKSPACE.take(), SAMPLES.take());
    let mut sensor = Sensor::new(1);
    samples.fill_with(|| sensor.record());
    by_order.learn(3, samples, workspace)?;
    by_counts.learn(1, samples, workspace)?;
    say!("{RECORDS} records of usual operation learned, {} bytes of model", Model::SIZE);

    let (mut alarms, mut sensor) = (0, Sensor::new(3));
    for _ in 0..UNSEEN {
        alarms += usize::from(by_order.model.score(&sensor.record())?.spe > by_order.threshold);
    }
    say!("{alarms} of {UNSEEN} usual records it has not seen are above the threshold");
    say!("");
    say!("SPE / threshold, by");
    say!("3 events  1 event");
    for _ in 0..3 {
        compare(by_order, by_counts, &sensor.record(), "as usual")?;
    }
    for (name, record) in TROUBLE {
        compare(by_order, by_counts, record, name)?;
    }
    Ok(())
}

impl Usual {
    /// Fits the model, then sets the threshold by records that the model has not seen.
    fn learn(
        &mut self,
        length: u32,
        samples: &[Record],
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        let kernel = Normalised(Spectrum::new(length));
        let (points, share) = (Landmarks::Rank(POINTS), Components::Share(0.9));
        self.model.fit_landmarks(kernel, samples, points, share, workspace)?;
        let (mut scores, mut sensor) = ([0.0; CALIBRATION], Sensor::new(2));
        for score in &mut scores {
            *score = self.model.score(&sensor.record())?.spe;
        }
        self.threshold = quantile(&scores, 0.05).map_or(0.0, |found| found.threshold);
        Ok(())
    }

    /// The score of a record in units of the threshold.
    fn share(&self, record: &Record) -> Result<f32, Error> {
        Ok(self.model.score(record)?.spe / self.threshold)
    }
}

fn compare(by_order: &Usual, by_counts: &Usual, record: &Record, name: &str) -> Result<(), Error> {
    let (order, counts) = (by_order.share(record)?, by_counts.share(record)?);
    let codes = from_utf8(record).unwrap_or("?");
    let mark = if order > 1.0 { "!" } else { " " };
    say!("{order:>8.2} {counts:>8.2}  {mark} {codes}  {name}");
    Ok(())
}

support::main!(run);
