//! What a board must say to the recording: `cargo xtask firmware pico-embassy` compares.
//!
//! First from an empty flash, then after a reset, with the samples from the given number on.

use std::env;
use std::fs;

use fan::{FanLearner, FanStream, Model, Sample, Sentry, Teacher};

fn main() {
    let mut arguments = env::args().skip(1);
    let (Some(file), Some(Ok(second))) = (arguments.next(), arguments.next().map(|n| n.parse()))
    else {
        panic!("usage: replay RECORDING.csv SAMPLE");
    };
    let text = fs::read_to_string(file).expect("a file");
    let samples: Vec<Sample> =
        text.lines().skip(1).map(|line| fan::sample(line).expect("two numbers")).collect();
    let model = watch(&samples, None);
    println!("reset");
    watch(&samples[second..], model);
}

/// Says when the alarm changes, and returns the model.
fn watch(samples: &[Sample], known: Option<Model>) -> Option<Model> {
    let mut model = known.clone().unwrap_or_default();
    let (mut spare, mut stream) = (Model::new(), FanStream::new());
    let mut learner = Box::new(FanLearner::new());
    let mut sentry = Sentry::new(&mut model, &mut stream).expect("a valid alarm");
    let mut teacher = known.is_none().then(|| Teacher::new(&mut learner, &mut spare));
    let mut learned = known;
    for sample in samples {
        let Some(window) = sentry.on_sample(sample).expect("samples are whole") else { continue };
        if window.changed {
            println!("{window}");
        }
        let Some(teacher) = &mut teacher else { continue };
        if learned.is_none() {
            teacher.on_window(&window).expect("there is something to learn");
            while teacher.is_learning() {
                if let Some(model) = teacher.step().expect("it can be learned") {
                    learned = Some(model.clone());
                    sentry.set_model(model);
                }
            }
        }
    }
    learned
}
