//! The firmware's logic on a recording: this is how to test yours.
extern crate std;

use std::boxed::Box;
use std::string::String;
use std::vec::Vec;

use crate::simulated::{Fan, RECORDED, RUBBING, condition};
use crate::{FanLearner, FanStream, HEADER, LONGEST_LINE, Model, Sample, Sentry, Teacher, Window};
use crate::{line, sample};

const RECORDING: &str = include_str!("../recordings/rubbing.csv");
/// Samples of a window. The alarm looks at eight of them.
const LENGTH: u32 = 40;

fn recording() -> Vec<Sample> {
    RECORDING.lines().skip(1).map(|text| sample(text).expect("two numbers")).collect()
}

/// What becomes of a recording, with so many steps of learning between two samples.
fn watch(samples: &[Sample], steps: usize) -> (Vec<Window>, usize) {
    let (mut first, mut second) = (Box::new(Model::new()), Box::new(Model::new()));
    let mut learner = Box::new(FanLearner::new());
    let mut stream = FanStream::new();
    let mut sentry = Sentry::new(&mut first, &mut stream).unwrap();
    let mut teacher = Teacher::new(&mut learner, &mut second);
    let (mut windows, mut models, mut on_its_way) = (Vec::new(), 0, None);
    for sample in samples {
        if sentry.takes_a_model()
            && let Some(model) = on_its_way.take()
        {
            teacher.take_back(sentry.set_model(model));
            models += 1;
        }
        if let Some(window) = sentry.on_sample(sample).unwrap() {
            teacher.on_window(&window).unwrap();
            windows.push(window);
        }
        for _ in 0..steps {
            let learned = teacher.step().unwrap();
            on_its_way = on_its_way.or(learned);
        }
    }
    (windows, models)
}

/// On a fast core and on a slow one.
#[test]
fn the_alarm_is_raised_by_the_fault_and_by_nothing_else() {
    let samples = recording();
    for steps in [100, 3, 1] {
        let (windows, models) = watch(&samples, steps);
        assert_eq!(windows.len(), samples.len() / LENGTH as usize);
        assert!(models >= 1);
        let changes: Vec<_> = windows.iter().filter(|window| window.changed).collect();
        let [raised, ended] = changes[..] else { panic!("{steps} steps: {changes:?}") };
        let (fault, over) = (RUBBING.start / LENGTH, RUBBING.end / LENGTH);
        assert!(raised.outcome.is_some_and(|outcome| outcome.alarm.is_active()));
        assert!((fault..fault + 8).contains(&raised.number), "raised in window {}", raised.number);
        assert!((over..over + 8).contains(&ended.number), "ended in window {}", ended.number);
    }
}

/// A fan that changes slowly is learned again, and the sentry gets each of the models.
#[test]
fn models_go_back_and_forth() {
    let mut fan = Fan::new();
    let samples: Vec<_> = (0..40_000)
        .map(|time| fan.sample(condition(0)).map(|x| x + (time / 2000) as i16))
        .collect();
    let (_, models) = watch(&samples, 20);
    assert!(models >= 5, "{models}");
}

#[test]
fn lines_are_read_as_they_were_written() {
    for sample in [[0, 0], [i16::MIN, i16::MAX], [-1, 32], [i16::MIN, i16::MIN]] {
        let mut text = String::new();
        line(&sample, &mut text).unwrap();
        assert!(text.len() <= LONGEST_LINE);
        assert_eq!(crate::sample(&text), Some(sample));
    }
    for text in ["", "1", "1,", "1,2,3", "ax,ay", "40000,1"] {
        assert_eq!(sample(text), None, "{text}");
    }
}

/// `cargo xtask firmware rtic` records it, in an emulator.
#[test]
fn the_recording_is_of_the_simulated_fan() {
    let mut fan = Fan::new();
    let expected: Vec<_> = (0..RECORDED).map(|time| fan.sample(condition(time))).collect();
    assert_eq!(RECORDING.lines().next(), Some(HEADER));
    assert!(recording() == expected);
}

#[path = "../../../examples/support/flash.rs"]
mod flash;

use crate::{Memory, MemoryError};
use embassy_futures::block_on;
use flash::RamFlash;

/// The flash of a Pico, as far as it is used.
type Pages = RamFlash<{ Memory::<RamFlash<1, 4096>>::PAGES }, 4096>;

#[test]
fn a_model_survives_a_reset() {
    let mut flash = Box::new(Pages::new());
    let range = 0..(Memory::<&mut Pages>::PAGES * 4096) as u32;
    let mut model = Box::new(Model::new());
    let mut memory = Memory::new(&mut *flash, range.clone()).unwrap();
    assert_eq!(block_on(memory.load(&mut model)).unwrap(), None);
    assert!(matches!(block_on(memory.save(&model)), Err(MemoryError::Model(_))));

    let (learned, samples) = (learned(), recording());
    block_on(memory.save(&learned)).unwrap();
    let mut memory = Memory::new(&mut *flash, range).unwrap();
    assert!(block_on(memory.load(&mut model)).unwrap().is_some());
    assert_eq!(model.threshold(), learned.threshold());
    let mut stream = FanStream::new();
    for sample in &samples {
        if let Some(reading) = stream.push(sample).unwrap() {
            assert_eq!(model.score(reading), learned.score(reading));
        }
    }
}

/// The first model of the recording.
fn learned() -> Box<Model> {
    let mut spare = Box::new(Model::new());
    let mut learner = Box::new(FanLearner::new());
    let (mut none, mut stream) = (Box::new(Model::new()), FanStream::new());
    let mut sentry = Sentry::new(&mut none, &mut stream).unwrap();
    let mut teacher = Teacher::new(&mut learner, &mut spare);
    for sample in &recording() {
        if let Some(window) = sentry.on_sample(sample).unwrap() {
            teacher.on_window(&window).unwrap();
        }
        if let Some(model) = teacher.step().unwrap() {
            return Box::new(model.clone());
        }
    }
    panic!("the recording is too short");
}
