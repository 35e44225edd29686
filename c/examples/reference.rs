//! What `fan.c` must print: the same work on the same recording, by the library in Rust.
//! `cargo run --example reference -- recording.csv FIRST_SAMPLE_AFTER_THE_RESET`.

use std::{env, fs};

use mercer::detect::AlarmRule;
use mercer::kernel::Rbf;
use mercer::monitor::Outcome;
use mercer::signal::{Feature, FrontEnd};
use mercer::{
    Alarm, AlarmConfig, AlarmState, Error, GaussianDetector, GaussianLearner, Monitor, Progress,
    Recipe,
};

struct Vibration;

impl FrontEnd for Vibration {
    const FEATURES: &'static [Feature] = &[Feature::Mean, Feature::LogStd];
}

type Samples = mercer::stream!(Vibration, i16, 2, 40, 40);
type Model = GaussianDetector<4, 12, 4>;
type Learner = GaussianLearner<4, 64, 12, 4>;

const ALARM: AlarmConfig =
    AlarmConfig::DEFAULT.rule(AlarmRule::Count { window: 8, raise: 4, clear: 1 });

fn main() -> Result<(), Error> {
    let mut arguments = env::args().skip(1);
    let path = arguments.next().expect("a recording");
    let after: usize = arguments.next().expect("a sample").parse().expect("a number");
    let samples: Vec<[i16; 2]> = fs::read_to_string(path)
        .expect("a readable file")
        .lines()
        .skip(1)
        .map(|line| {
            let mut numbers = line.split(',').map(|number| number.parse().expect("a number"));
            std::array::from_fn(|_| numbers.next().expect("two numbers"))
        })
        .collect();
    let saved = first_life(&samples)?;
    println!("reset");
    second_life(&samples, after, &saved)
}

fn first_life(samples: &[[i16; 2]]) -> Result<Vec<u8>, Error> {
    let (mut stream, mut learner) = (Samples::new(), Learner::new());
    let mut monitor = Monitor::with_alarm(Model::new(), &mut stream, Alarm::new(ALARM)?);
    let (mut watching, mut saved, mut state) = (false, Vec::new(), AlarmState::Normal);
    for (t, sample) in samples.iter().enumerate() {
        let pushed = monitor.push(sample);
        if learner.is_learning() {
            if learner.step()? == Progress::Done {
                let mut learned = Model::new();
                tell_report(&learner);
                learner.swap_detector(&mut learned)?;
                saved = save(&learned)?;
                println!("saved {}", hex(&saved));
                monitor.set_detector(learned);
                watching = true;
            }
        } else if !watching && pushed == Err(Error::NotFitted) {
            learner.push(monitor.reading().expect("a window is complete"))?;
            if learner.is_full() {
                learner.begin(Rbf::for_inputs(4), Recipe::default())?;
            }
        } else if let Some(outcome) = pushed? {
            tell_outcome(t, &outcome);
            if outcome.alarm == AlarmState::Raised && state != AlarmState::Raised {
                let suspect = monitor.suspect()?;
                println!("suspect {} {}", suspect.input, suspect.expected.to_bits());
            }
            state = outcome.alarm;
        }
    }
    Ok(saved)
}

fn second_life(samples: &[[i16; 2]], after: usize, saved: &[u8]) -> Result<(), Error> {
    let mut model = Model::new();
    model.read_from(Samples::FRONT_END.require(saved)?)?;
    let (mut stream, mut alarm) = (Samples::new(), Alarm::new(ALARM)?);
    let mut resets = 0;
    for (t, sample) in samples.iter().enumerate().skip(after) {
        let mut monitor = Monitor::with_alarm(&model, &mut stream, alarm);
        let Some(outcome) = monitor.push(sample)? else { continue };
        alarm = *monitor.alarm();
        tell_outcome(t, &outcome);
        if outcome.alarm == AlarmState::Raised && resets == 0 {
            resets += 1;
            println!("alarm {}", hex(&alarm.save()));
            alarm = Alarm::restore(ALARM, &alarm.save())?;
            alarm.acknowledge();
        }
    }
    Ok(())
}

fn save(model: &Model) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; Samples::FRONT_END.encoded_len() + Model::ENCODED_SIZE];
    let front = Samples::FRONT_END.write_to(&mut bytes)?;
    let length = front + model.write_to(&mut bytes[front..])?;
    bytes.truncate(length);
    Ok(bytes)
}

fn tell_report(learner: &Learner) {
    let report = learner.report().expect("it has learned");
    let (fit, threshold) = (&report.fit, report.threshold.spe.to_bits());
    println!(
        "learned: points, components, threshold {} {} {threshold}",
        fit.points, fit.components
    );
}

fn tell_outcome(t: usize, outcome: &Outcome<f32>) {
    let Outcome { verdict, alarm, .. } = outcome;
    // As the header numbers them.
    let state = match alarm {
        AlarmState::WarmUp => 0,
        AlarmState::Normal => 1,
        AlarmState::Raised => 2,
        AlarmState::Acknowledged => 3,
        _ => 4,
    };
    let (spe, unusual) = (verdict.score.spe.to_bits(), u8::from(verdict.unusual));
    println!("sample {t} {spe} {unusual} {state}");
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
