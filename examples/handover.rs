//! A detector learns while another one is at work, and then takes its place: no copy, no `unsafe`,
//! and nobody waits.
//!
//! On a device `on_reading` is an interrupt, and may come between any two instructions of `main`;
//! here it is called between two steps of learning. The two sides have a detector each, and
//! exchange them as references through two mailboxes, which are locked for the time of a move.
//! `firmware/` has the same with RTIC and Embassy, in real interrupts.
//!
//! - host: `cargo run --release --example handover`
//! - Cortex-M4F in QEMU: `cargo run --release --example handover --target thumbv7em-none-eabihf`
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "support/random.rs"]
mod random;
mod support;

use core::cell::Cell;

use critical_section::Mutex;
use mercer::detect::Replace;
use mercer::kernel::Rbf;
use mercer::{Error, GaussianDetector, GaussianLearner, Progress, Recipe};
use random::Random;
use static_cell::ConstStaticCell;
use support::say;

type Reading = [f32; 3];
type Model = GaussianDetector<3, 8, 4>;
type Mailbox = Mutex<Cell<Option<&'static mut Model>>>;

/// To the interrupt, and back from it.
static LEARNED: Mailbox = Mutex::new(Cell::new(None));
static SPENT: Mailbox = Mutex::new(Cell::new(None));

// All zeros: they take no flash.
static MODELS: ConstStaticCell<[Model; 2]> = ConstStaticCell::new([const { Model::new() }; 2]);
static LEARNER: ConstStaticCell<GaussianLearner<3, 32, 8, 4>> =
    ConstStaticCell::new(GaussianLearner::new());

fn put(mailbox: &Mailbox, model: &'static mut Model) {
    critical_section::with(|cs| mailbox.borrow(cs).set(Some(model)));
}

fn take(mailbox: &Mailbox) -> Option<&'static mut Model> {
    critical_section::with(|cs| mailbox.borrow(cs).take())
}

/// What the interrupt has.
struct Interrupt {
    model: &'static mut Model,
    readings: u32,
    unusual: u32,
    exchanges: u32,
}

impl Interrupt {
    fn on_reading(&mut self, x: &Reading) -> Result<(), Error> {
        if let Some(learned) = take(&LEARNED) {
            put(&SPENT, core::mem::replace(&mut self.model, learned));
            self.exchanges += 1;
        }
        self.readings += 1;
        self.unusual += u32::from(self.model.score(x)?.unusual);
        Ok(())
    }
}

fn run() -> Result<(), Error> {
    let [first, second] = MODELS.take();
    let learner = LEARNER.take();
    let mut random = Random::new(1);
    let mut machine = Machine { level: 0.0 };

    // The first model comes before the first interrupt.
    while !learner.is_full() {
        learner.push(&machine.reading(&mut random))?;
    }
    learner.learn(Rbf::for_inputs(3), Recipe::default())?;
    first.copy_from(learner.detector()?)?;
    let mut interrupt = Interrupt { model: first, readings: 0, unusual: 0, exchanges: 0 };
    let mut spare = Some(second);

    say!("level  readings  unusual  exchanges");
    for round in 0..6 {
        machine.level = 0.3 * round as f32;
        for _ in 0..200 {
            let x = machine.reading(&mut random);
            interrupt.on_reading(&x)?;
            learner.refresh(&x, Replace::Oldest)?;
        }
        let Interrupt { readings, unusual, exchanges, .. } = interrupt;
        say!("{:>5.1}  {readings:>8}  {unusual:>7}  {exchanges:>9}", machine.level);
        spare = spare.or_else(|| take(&SPENT));
        let Some(model) = spare.take() else { continue };
        learner.begin(Rbf::for_inputs(3), Recipe::default())?;
        while learner.step()? == Progress::Working {
            interrupt.on_reading(&machine.reading(&mut random))?;
        }
        model.copy_from(learner.detector()?)?;
        put(&LEARNED, model);
    }
    Ok(())
}

/// Three sensors of a machine whose level changes slowly.
struct Machine {
    level: f32,
}

impl Machine {
    fn reading(&self, random: &mut Random) -> Reading {
        let load = random.uniform() * 2.0 - 1.0;
        [load, 0.8 * load, -0.5 * load].map(|x| x + 0.3 * self.level + 0.1 * random.normal())
    }
}

support::main!(run);
