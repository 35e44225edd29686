//! A long life of a device, in a short time: drift, faults, sensors that fail for a while, resets,
//! and cuts of power while a model is stored. It learns, scores, raises alarms, stores and takes up
//! again, all from one seed.
//!
//! `cargo xtask device` compares what it prints with the host's, which has lived the same life; and
//! the program itself fails
//! - when the alarm ever differs from one that was never reset: none is lost by a reset, and none
//!   is invented;
//! - when a fault passes without an alarm;
//! - when what is taken up after a reset is neither the model that was stored last nor, after a
//!   cut, the one before.
//!
//! 20,000 readings, or as many as the environment variable `MERCER_SOAK` says when it is compiled;
//! `.ci/long` takes a million.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "../../examples/support/flash.rs"]
mod flash;
#[path = "../../examples/support/store.rs"]
mod store;
#[path = "../../examples/support/mod.rs"]
mod support;

use embassy_futures::block_on;
use flash::{FlashError, RamFlash};
use mercer::detect::Replace;
use mercer::detect::alarm::SAVED_SIZE;
use mercer::kernel::Rbf;
use mercer::{Alarm, AlarmConfig, Error, GaussianDetector, GaussianLearner, Progress, Recipe};
use static_cell::ConstStaticCell;
use store::{Loaded, Store, StoreError};
use support::say;

const READINGS: u32 = match option_env!("MERCER_SOAK") {
    Some(text) => match u32::from_str_radix(text, 10) {
        Ok(readings) => readings,
        Err(_) => panic!("MERCER_SOAK is no number of readings"),
    },
    None => 20_000,
};
const INPUTS: usize = 3;
type Reading = [f32; INPUTS];
type Model = GaussianDetector<INPUTS, 8, 4>;
type Pupil = GaussianLearner<INPUTS, 32, 8, 4>;

const PAGE: usize = 512;
const PAGES: usize = Store::<RamFlash<1, PAGE>>::pages(Model::ENCODED_SIZE);
type Flash = RamFlash<PAGES, PAGE>;

const ALARM: AlarmConfig = AlarmConfig::DEFAULT.latch(true);
/// No fault and no reset before so many readings: the first model takes some time.
const FIRST: u32 = 1000;
/// It learns again after so many readings, a step with each of the next.
const AGAIN: u32 = 400;

static FLASH: ConstStaticCell<Flash> = ConstStaticCell::new(Flash::new());
static LEARNER: ConstStaticCell<Pupil> = ConstStaticCell::new(Pupil::new());

#[derive(Debug)]
#[allow(dead_code, reason = "shown by Debug")]
enum Failure {
    Model(Error),
    Store(StoreError<FlashError>),
    /// The alarm is not what it would be without resets, at this reading.
    Alarm(u32),
    /// The fault that ended with this reading has raised no alarm.
    Lost(u32),
    /// The model that was taken up at this reading is another one.
    OtherModel(u32),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Model(error)
    }
}

impl From<StoreError<FlashError>> for Failure {
    fn from(error: StoreError<FlashError>) -> Self {
        Self::Store(error)
    }
}

/// What happens to the device; the same in every run.
struct World {
    random: u32,
    time: u32,
    /// Readings that a fault, or a sensor's failure, still lasts.
    fault: u32,
    silent: u32,
    /// Readings until the next fault can begin: time to notice that the last one is over.
    calm: u32,
}

impl World {
    fn new() -> Self {
        Self { random: 1, time: 0, fault: 0, silent: 0, calm: FIRST }
    }

    /// In [0, 1).
    fn uniform(&mut self) -> f32 {
        self.random = self.random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.random >> 8) as f32 / 16_777_216.0
    }

    fn noise(&mut self) -> f32 {
        2.0 * self.uniform() - 1.0
    }

    fn happens_once_in(&mut self, readings: u32) -> bool {
        self.uniform() * (readings as f32) < 1.0
    }

    /// The next reading; what is normal drifts up and down, by half of its spread in 50,000
    /// readings.
    fn reading(&mut self) -> Reading {
        let phase = (self.time % 50_000) as f32 / 50_000.0;
        let drift = 0.5 * (2.0 * phase - 1.0).abs();
        self.time += 1;
        self.calm = self.calm.saturating_sub(1);
        self.fault = self.fault.saturating_sub(1);
        self.silent = self.silent.saturating_sub(1);
        if self.calm == 0 && self.fault == 0 && self.happens_once_in(300) {
            (self.fault, self.calm) = (40, 200);
        }
        if self.silent == 0 && self.happens_once_in(500) {
            self.silent = 1 + (8.0 * self.uniform()) as u32;
        }
        let load = self.noise();
        let [mut a, b, c] = [load, 0.8 * load, -0.5 * load].map(|x| x + drift);
        // Every input by itself is as usual: what they have to do with each other is not.
        if self.fault > 0 {
            a = -a - 1.5 * if load < 0.0 { -1.0 } else { 1.0 };
        }
        let mut reading = [a, b, c].map(|x| x + 0.1 * self.noise());
        if self.silent > 0 {
            reading[(self.silent % 3) as usize] = f32::NAN;
        }
        reading
    }
}

/// What has been lived through.
#[derive(Debug, Default)]
struct Life {
    faults: u32,
    alarms: u32,
    missing: u32,
    resets: u32,
    cuts: u32,
    saves: u32,
    refusals: u32,
}

struct Device {
    learner: &'static mut Pupil,
    flash: &'static mut Flash,
    alarm: Alarm<f32>,
    /// Memory that survives a reset, but not much of it.
    backup: [u8; SAVED_SIZE],
    /// Of the models that flash may hold: the one that was saved last, and one of which the save
    /// was cut.
    saved: u32,
    cut: Option<u32>,
}

fn run() -> Result<(), Failure> {
    let alarm = Alarm::new(ALARM)?;
    let (learner, flash) = (LEARNER.take(), FLASH.take());
    let backup = alarm.save();
    let mut device = Device { learner, flash, alarm, backup, saved: 0, cut: None };
    // The same verdicts, and never reset.
    let mut twin = alarm;
    let (mut world, mut life) = (World::new(), Life::default());
    let (mut digest, mut since, mut raised) = (0_u32, 0, false);
    for time in 0..READINGS {
        let before = world.fault;
        let x = world.reading();
        let active = twin.state().is_active();
        match device.take(&x)? {
            Some(Ok(verdict)) => {
                digest = digest.rotate_left(5) ^ verdict.score.spe.to_bits();
                device.alarm.update(&verdict);
                twin.update(&verdict);
            }
            Some(Err(_)) => {
                life.missing += 1;
                device.alarm.missing();
                twin.missing();
            }
            None => {}
        }
        device.backup = device.alarm.save();
        life.alarms += u32::from(!active && twin.state().is_active());
        // Each alarm is seen to once it is over.
        if !twin.state().is_active() && world.happens_once_in(50) {
            device.alarm.acknowledge();
            twin.acknowledge();
            device.backup = device.alarm.save();
        }
        if device.alarm != twin {
            return Err(Failure::Alarm(time));
        }
        raised |= world.fault > 0 && twin.state().is_active();
        if before == 1 && world.fault == 0 {
            life.faults += 1;
            if !core::mem::take(&mut raised) {
                return Err(Failure::Lost(time));
            }
        }
        since += 1;
        if device.learner.is_learning() {
            device.learn(&mut world, &mut life, time)?;
        } else if since > AGAIN && device.learner.is_full() && world.fault == 0 {
            since = 0;
            if device.learner.begin(Rbf::for_inputs(INPUTS), Recipe::default()).is_err() {
                life.refusals += 1;
            }
        }
        if time > FIRST && world.happens_once_in(1500) {
            life.resets += 1;
            device.reset(time)?;
        }
        if (time + 1) % (READINGS / 10) == 0 {
            let state = twin.state();
            say!("{}: {digest:08x}, model {:08x}, {state:?}", time + 1, device.checksum()?);
        }
    }
    say!("{life:?}");
    say!("flash: {} bytes programmed or erased", device.flash.used());
    Ok(())
}

type Judged = Result<mercer::Verdict<f32>, Error>;

impl Device {
    /// Takes a reading: one to learn from at first, one to judge later.
    fn take(&mut self, x: &Reading) -> Result<Option<Judged>, Failure> {
        if self.learner.detector().is_ok() {
            return Ok(Some(self.learner.refresh(x, Replace::Oldest)));
        }
        if !self.learner.is_learning() && !self.learner.is_full() {
            // A sensor that says nothing is no sample.
            let _ = self.learner.push(x);
        }
        if self.learner.is_full() && !self.learner.is_learning() {
            self.learner.begin(Rbf::for_inputs(INPUTS), Recipe::default())?;
        }
        Ok(None)
    }

    /// A step; after the last one, the model is stored, during which power may fail.
    fn learn(&mut self, world: &mut World, life: &mut Life, time: u32) -> Result<(), Failure> {
        match self.learner.step() {
            Ok(Progress::Working) => Ok(()),
            Ok(Progress::Done) => {
                let model = self.checksum()?;
                let cut = life.saves > 0 && world.happens_once_in(3);
                if cut {
                    let bytes = (2.0 * (PAGES * PAGE) as f32 * world.uniform()) as usize;
                    self.flash.cut_power_after(bytes, (256.0 * world.uniform()) as u8);
                }
                let saved = self.save();
                match saved {
                    Ok(()) => self.saved = model,
                    Err(StoreError::Flash(FlashError::PowerCut)) if cut => self.cut = Some(model),
                    Err(error) => return Err(error.into()),
                }
                life.saves += 1;
                self.flash.restore_power();
                if self.cut.is_some() {
                    life.cuts += 1;
                    self.reset(time)?;
                }
                Ok(())
            }
            Err(_) => {
                life.refusals += 1;
                Ok(())
            }
        }
    }

    /// All that is left is what flash and backup hold.
    fn reset(&mut self, time: u32) -> Result<(), Failure> {
        self.learner.forget();
        let mut bytes = [0; Model::ENCODED_SIZE];
        let mut store = Store::new(&mut *self.flash, 0..(PAGES * PAGE) as u32)?;
        match block_on(store.load(&mut bytes))? {
            Loaded::Newest { model, .. } | Loaded::Older { model, .. } => {
                self.learner.restore(model)?;
                let found = self.checksum()?;
                if found != self.saved && Some(found) != self.cut {
                    return Err(Failure::OtherModel(time));
                }
                (self.saved, self.cut) = (found, None);
            }
            Loaded::Nothing { .. } => return Err(Failure::OtherModel(time)),
        }
        self.alarm = Alarm::restore(ALARM, &self.backup)?;
        Ok(())
    }

    fn save(&mut self) -> Result<(), StoreError<FlashError>> {
        let mut bytes = [0; Model::ENCODED_SIZE];
        let written = self.learner.detector().and_then(|model| model.write_to(&mut bytes));
        let Ok(length) = written else { return Err(StoreError::Buffer { needed: 0 }) };
        let mut store = Store::new(&mut *self.flash, 0..(PAGES * PAGE) as u32)?;
        block_on(store.save(&bytes[..length])).map(|_| ())
    }

    /// Tells models apart: a stored one ends with its checksum.
    fn checksum(&self) -> Result<u32, Failure> {
        let mut bytes = [0; Model::ENCODED_SIZE];
        let length = self.learner.detector()?.write_to(&mut bytes)?;
        Ok(bytes[..length].last_chunk().map_or(0, |last| u32::from_le_bytes(*last)))
    }
}

support::main!(run);
