//! Learns, saves the model to flash, is reset, loads it and goes on; then learns anew, and power
//! fails while that is saved.
//!
//! The flash is one in RAM that keeps to the rules of a real one (`support/flash.rs`), with the 1
//! KB pages of a micro:bit. What stores models on it is `support/store.rs`, which takes every flash
//! that has a driver for the embedded-storage traits. At first it is full of something else, and at
//! last a bit of it flips. All of it fits in the 16 KB of RAM of a micro:bit (Cortex-M0), the flash
//! included.
//!
//! - host: `cargo run --release --example store`
//! - Cortex-M4F in QEMU: `cargo run --release --example store --target thumbv7em-none-eabihf`
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "support/flash.rs"]
mod flash;
#[path = "support/motions.rs"]
mod motions;
#[path = "support/store.rs"]
mod store;
mod support;

use embassy_futures::block_on;
use flash::{FlashError, RamFlash};
use mercer::kernel::Rbf;
use mercer::{Detector, Error, Learner, Recipe};
use motions::{Recordings, TRAINING, UNSEEN, WatchStream, Window, windows};
use static_cell::ConstStaticCell;
use store::{Loaded, Slot, Store, StoreError};
use support::say;

/// Each second window is learned from: there is no room for all.
const WINDOWS: usize = motions::WINDOWS / 2;
const POINTS: usize = 8;
const COMPONENTS: usize = 4;

/// How much a watch shakes along each axis.
type Shaking = [f32; 3];
type Model = Detector<Rbf<f32>, Shaking, POINTS, COMPONENTS>;

const PAGE: usize = 1024;
const PAGES: usize = Store::<RamFlash<1, PAGE>>::pages(Model::ENCODED_SIZE);
type Flash = RamFlash<PAGES, PAGE>;

static FLASH: ConstStaticCell<Flash> = ConstStaticCell::new(RamFlash::new());
static LEARNER: ConstStaticCell<Learner<Rbf<f32>, Shaking, WINDOWS, POINTS, COMPONENTS>> =
    ConstStaticCell::new(Learner::new());
static STREAM: ConstStaticCell<WatchStream> = ConstStaticCell::new(WatchStream::new());
static RESTORED: ConstStaticCell<Model> = ConstStaticCell::new(Detector::new());

/// Everything that can end this program.
#[derive(Debug)]
#[allow(dead_code, reason = "read by Debug")]
enum Failure {
    Model(Error),
    Store(StoreError<FlashError>),
    /// A restored model does not score as the one that was saved.
    Differs,
    /// Power did not fail when it should have.
    Saved,
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

fn run() -> Result<(), Failure> {
    let (flash, learner, restored) = (FLASH.take(), LEARNER.take(), RESTORED.take());
    let stream = STREAM.take();
    let [_, (_, running), ..] = &UNSEEN;

    flash.bytes_mut().fill(0x5A);
    say!("Flash: {PAGES} pages of {PAGE} bytes, which were used for something else");
    load(restored, flash)?;
    say!("");
    let walking = learn(learner, stream, &TRAINING)?;
    say!("Learned walking: {} bytes in RAM, {} stored", Model::SIZE, walking.encoded_len());
    save(walking, flash)?;
    say!("Saved: {} bytes of flash were programmed or erased", flash.used());
    reset(restored, flash, walking, stream)?;
    say!("Reset, and loaded from flash: the same scores, bit for bit");
    show(restored, stream)?;

    let running = learn(learner, stream, running)?;
    say!("Learned running. Power fails while it is saved:");
    flash.cut_power_after(200, 0);
    match save(running, flash) {
        Err(error) => say!("  {error:?}"),
        Ok(()) => return Err(Failure::Saved),
    }
    flash.restore_power();
    let walking = learn(learner, stream, &TRAINING)?;
    reset(restored, flash, walking, stream)?;
    say!("Reset, and loaded from flash: the model of walking, as before");
    say!("");

    let running = learn(learner, stream, &UNSEEN[1].1)?;
    save(running, flash)?;
    say!("Saved running once more: {} bytes of flash by now", flash.used());
    reset(restored, flash, running, stream)?;
    say!("Reset, and loaded from flash: the model of running (and the windows it learned from)");
    show(restored, stream)?;

    say!("A bit flips:");
    flash.bytes_mut()[PAGE + 100] ^= 1;
    load(restored, flash)
}

fn learn<'a>(
    learner: &'a mut Learner<Rbf<f32>, Shaking, WINDOWS, POINTS, COMPONENTS>,
    stream: &mut WatchStream,
    recordings: &Recordings,
) -> Result<&'a Model, Error> {
    learner.forget();
    for window in windows(stream, recordings).step_by(2) {
        learner.push(&shaking(&window?))?;
    }
    learner.learn(Rbf::for_inputs(3), Recipe::default())?;
    learner.detector()
}

/// The log deviations of the three axes of the accelerometer.
fn shaking(window: &Window) -> Shaking {
    let [_, x, _, y, _, z, ..] = *window;
    [x, y, z]
}

fn save(model: &Model, flash: &mut Flash) -> Result<(), Failure> {
    let mut bytes = [0; Model::ENCODED_SIZE];
    let length = model.write_to(&mut bytes)?;
    let mut store = Store::new(flash, 0..(PAGES * PAGE) as u32)?;
    let saved = block_on(store.save(&bytes[..length]))?;
    if saved.replaced == Slot::Foreign {
        say!("The flash had not been erased: it is now");
    }
    Ok(())
}

/// Loads the model if there is one, and says if it is not what one would expect.
fn load(model: &mut Model, flash: &mut Flash) -> Result<(), Failure> {
    let mut bytes = [0; Model::ENCODED_SIZE];
    let mut store = Store::new(flash, 0..(PAGES * PAGE) as u32)?;
    match block_on(store.load(&mut bytes))? {
        Loaded::Newest { model: bytes, .. } => model.read_from(bytes)?,
        Loaded::Older { model: bytes, generation, other } => {
            model.read_from(bytes)?;
            say!("  loaded generation {generation}, since the other one is lost: {other:?}");
        }
        Loaded::Nothing { slots } => say!("No model: {slots:?}"),
    }
    Ok(())
}

/// All that a reset leaves is the flash; the model that it brings back must score as the one
/// before.
fn reset(
    restored: &mut Model,
    flash: &mut Flash,
    before: &Model,
    stream: &mut WatchStream,
) -> Result<(), Failure> {
    *restored = Detector::new();
    load(restored, flash)?;
    for (_, recordings) in &UNSEEN {
        for window in windows(stream, recordings) {
            let x = shaking(&window?);
            let bits = |model: &Model| model.score(&x).map(|reading| reading.score.spe.to_bits());
            if bits(restored)? != bits(before)? {
                return Err(Failure::Differs);
            }
        }
    }
    Ok(())
}

fn show(model: &Model, stream: &mut WatchStream) -> Result<(), Failure> {
    say!("activity    unusual windows");
    for (name, recordings) in &UNSEEN {
        let mut unusual = 0;
        for window in windows(stream, recordings) {
            unusual += usize::from(model.score(&shaking(&window?))?.unusual);
        }
        say!("{name:<10}  {unusual:>3} of {}", motions::WINDOWS);
    }
    say!("");
    Ok(())
}

support::main!(run);
