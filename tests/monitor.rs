//! Streams, monitors and lessons against the same work done by hand, on a desk: recordings cut into
//! windows, features and operators chosen at run time, a detector and an alarm that are called one
//! after the other. All of it bit by bit.

mod common;

use common::{Random, config};
use mercer::detect::{
    AlarmRule, LogDetector, LogLearner, LogQuantisedDetector, Logs, Replace, Verdict, Warning,
};
use mercer::error::{FormatFault, FrontEndFault};
use mercer::kernel::Rbf;
use mercer::monitor::stored::StoredFrontEnd;
use mercer::monitor::{FromReading, Lesson};
use mercer::signal::{
    Channel, Feature, Features, FrontEnd, FrontEndView, Operator, RowsMut, SampleKind, Source,
    Stored, Stream, fill_turn, outputs,
};
use mercer::{
    Alarm, AlarmConfig, AlarmState, Detect, Detector, Error, GaussianDetector, GaussianLearner,
    Learner, Monitor, Progress, QuantisedDetector, Recipe,
};
use proptest::prelude::*;

/// What happens to a stream.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Event<T> {
    Sample([T; 2]),
    Gap,
}

/// The readings of a recording by hand, each with the number of the event that completes it, and
/// how many logarithms are at the floor.
fn by_hand<T: Stored>(
    front_end: &FrontEndView<'_>,
    events: &[Event<T>],
) -> Vec<(usize, Vec<f32>, usize)> {
    let FrontEndView { window, hop, features, floor, scales, operators, .. } = *front_end;
    let each = outputs(features);
    let mut turn = vec![0.0; window];
    let mut spectrum = vec![0.0; window];
    fill_turn(&mut turn);
    let list = Features::new(features, floor, window).unwrap();
    let usable = |event: &Event<T>| match event {
        Event::Sample(sample) => sample.iter().all(|x| x.is_usable()),
        Event::Gap => false,
    };
    let (mut readings, mut start) = (Vec::new(), 0);
    // What lies between gaps, or samples that are none.
    for recording in events.split(|event| !usable(event)) {
        let (mut memory, mut row) = (vec![0.0; front_end.memory()], vec![0.0; front_end.inputs()]);
        let mut rows = RowsMut::new(operators, 2 * each, &mut memory, &mut row).unwrap();
        let mut first = 0;
        while first + window <= recording.len() {
            let (mut reading, mut floored) = (vec![0.0; 2 * each], 0);
            for (c, out) in reading.chunks_mut(each).enumerate() {
                let samples: Vec<T> = recording[first..first + window]
                    .iter()
                    .map(|event| match event {
                        Event::Sample(sample) => sample[c],
                        Event::Gap => unreachable!("it was cut there"),
                    })
                    .collect();
                let scale = match *scales {
                    [] => 1.0,
                    [one] => one,
                    _ => scales[c],
                };
                let channel = Channel::new(&samples).unwrap().scaled(scale);
                floored += list.write(&channel, &turn, &mut spectrum, out).unwrap();
            }
            if let Some(row) = rows.push(&reading).unwrap() {
                readings.push((start + first + window - 1, row.to_vec(), floored));
            }
            first += hop;
        }
        start += recording.len() + 1;
    }
    readings
}

fn bits(x: &[f32]) -> Vec<u32> {
    x.iter().map(|x| x.to_bits()).collect()
}

/// Spectra, in windows that overlap.
struct Spectral;
impl FrontEnd for Spectral {
    const FEATURES: &'static [Feature] = &[Feature::Mean, Feature::LogStd, Feature::Bands(4)];
    const CHANNELS: &'static [&'static str] = &["ax", "ay"];
}
type SpectralStream = mercer::stream!(Spectral, f32, 2, 16, 6);

/// Operators that wait, and hops that skip samples.
struct Slow;
impl FrontEnd for Slow {
    const FEATURES: &'static [Feature] =
        &[Feature::Rms, Feature::LogMad, Feature::Kurt, Feature::ZeroCrossings];
    const FLOOR: f32 = 1e-3;
    const OPERATORS: &'static [Operator] =
        &[Operator::Average(2), Operator::Difference, Operator::Lags(2)];
}
type SlowStream = mercer::stream!(Slow, f32, 2, 5, 7);

/// Counts with scales, smoothed; windows that touch.
struct Counted;
impl FrontEnd for Counted {
    const FEATURES: &'static [Feature] = &[Feature::PeakToPeak, Feature::Bands(3), Feature::Max];
    const SCALES: &'static [f32] = &[0.001, -3.0];
    const OPERATORS: &'static [Operator] = &[Operator::Ewma(0.3)];
}
type CountedStream = mercer::stream!(Counted, i16, 2, 8, 8);

/// Samples as they are: a slow sensor without windows.
struct Plain;
impl FrontEnd for Plain {
    const FEATURES: &'static [Feature] = &[Feature::Mean];
    const OPERATORS: &'static [Operator] = &[Operator::Lags(3)];
}
type PlainStream = mercer::stream!(Plain, f32, 2, 1, 1);

/// Pushes events; where there are samples that cannot be used, the error names the channel.
fn pushed<S, T, const D: usize>(
    stream: &mut S,
    events: &[Event<T>],
) -> Vec<(usize, Vec<f32>, usize)>
where
    T: Stored,
    S: Source<Sample = [T; 2], Reading = [f32; D]>,
{
    let mut readings = Vec::new();
    for (number, event) in events.iter().enumerate() {
        let Event::Sample(sample) = event else {
            stream.gap();
            continue;
        };
        match stream.take(sample) {
            Ok(Progress::Done) => continue,
            Ok(Progress::Working) => {}
            Err(Error::Channel { channel, .. }) => {
                assert_eq!(sample.iter().position(|x| !x.is_usable()), Some(channel));
                continue;
            }
            Err(error) => panic!("{error}"),
        }
        assert_eq!(stream.left(), 3, "two channels, and the operators");
        while stream.step().unwrap() == Progress::Working {
            assert_eq!(stream.reading(), None, "it is not complete");
        }
        let reading = stream.reading().map(|x| (number, x.to_vec(), stream.floored()));
        readings.extend(reading);
    }
    readings
}

fn require_same<S, T, const D: usize>(
    mut stream: S,
    front_end: &FrontEndView<'_>,
    events: &[Event<T>],
) where
    T: Stored,
    S: Source<Sample = [T; 2], Reading = [f32; D]>,
{
    assert_eq!(front_end.inputs(), D);
    let (found, expected) = (pushed(&mut stream, events), by_hand(front_end, events));
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!((found.0, bits(&found.1), found.2), (expected.0, bits(&expected.1), expected.2));
    }
}

/// Mostly samples; now and then one that cannot be used, a channel that hangs, or a gap.
fn events(seed: u64, count: usize) -> Vec<Event<f32>> {
    let mut random = Random(seed);
    let mut hangs = 0;
    (0..count)
        .map(|t| {
            hangs = if random.uniform() < 0.02 { 20 } else { usize::saturating_sub(hangs, 1) };
            let wave = 9.81 + (t as f32 * 0.9).sin() + 0.3 * random.noise() as f32;
            let second = if hangs > 0 { 3.5 } else { random.noise() as f32 };
            match random.uniform() {
                x if x < 0.01 => Event::Gap,
                x if x < 0.015 => Event::Sample([wave, f32::NAN]),
                x if x < 0.02 => Event::Sample([f32::NEG_INFINITY, second]),
                _ => Event::Sample([wave, second]),
            }
        })
        .collect()
}

fn counts(events: &[Event<f32>]) -> Vec<Event<i16>> {
    let count = |event: &Event<f32>| match event {
        Event::Sample([a, b]) if a.is_finite() && b.is_finite() => {
            Event::Sample([(a * 1000.0) as i16, (b * 1000.0) as i16])
        }
        _ => Event::Gap,
    };
    events.iter().map(count).collect()
}

proptest! {
    #![proptest_config(config(48))]

    #[test]
    fn a_stream_gives_the_readings_of_a_desk(seed: u64, count in 0_usize..400) {
        let events = events(seed, count);
        let counted = counts(&events);
        require_same(SpectralStream::new(), &SpectralStream::FRONT_END, &events);
        require_same(SlowStream::new(), &SlowStream::FRONT_END, &events);
        require_same(PlainStream::new(), &PlainStream::FRONT_END, &events);
        require_same(CountedStream::new(), &CountedStream::FRONT_END, &counted);
        // By reference it is the same.
        require_same(&mut SpectralStream::new(), &SpectralStream::FRONT_END, &events);
    }
}

#[test]
fn push_is_take_and_all_steps() {
    let events = events(3, 600);
    let mut stream = SpectralStream::new();
    let (mut readings, mut floored) = (Vec::new(), 0);
    for (number, event) in events.iter().enumerate() {
        match event {
            Event::Gap => stream.gap(),
            Event::Sample(sample) => {
                let missing = stream.missing();
                if let Ok(Some(reading)) = stream.push(sample) {
                    assert_eq!(missing, 1);
                    readings.push((number, reading.to_vec()));
                    floored += u32::from(stream.floored() > 0);
                }
            }
        }
    }
    let expected = by_hand(&SpectralStream::FRONT_END, &events);
    assert!(expected.len() > 40 && floored > 5, "{} {floored}", expected.len());
    assert!(readings.iter().zip(&expected).all(|(a, b)| a.0 == b.0 && bits(&a.1) == bits(&b.1)));
    assert_eq!(readings.len(), expected.len());
    assert_eq!(stream.floored_windows(), floored);
}

#[test]
fn names_are_those_of_the_recipe() {
    let text = |names: mercer::signal::Names<'_>| {
        names.iter().map(|name| name.to_string()).collect::<Vec<_>>()
    };
    let named = text(SpectralStream::new().names());
    assert_eq!(named.len(), SpectralStream::INPUTS);
    assert_eq!((&*named[1], &*named[11]), ("ax_logstd", "ay_bands4_3"));
    let numbered = text(SlowStream::new().names());
    assert_eq!(numbered.len(), SlowStream::INPUTS);
    assert_eq!((&*numbered[0], &*numbered[15]), ("0_rms_t", "1_zc_t-1"));
}

type Spectra = [f32; SpectralStream::INPUTS];
const POINTS: usize = 16;
const COMPONENTS: usize = 8;

/// What a machine does when all is well, and later when it trembles.
fn machine(seed: u64, count: usize, tremble: f32) -> Vec<Event<f32>> {
    let mut random = Random(seed);
    let sample = |t| {
        let noise = random.noise() as f32;
        let wave = (t as f32 * 0.9).sin();
        Event::Sample([9.81 + 0.3 * wave + tremble * noise, 0.5 * random.noise() as f32])
    };
    (0..count).map(sample).collect()
}

/// A learner of spectra, and what taught it.
fn learned() -> (Box<GaussianLearner<12, 64, POINTS, COMPONENTS>>, Vec<Event<f32>>) {
    let mut learner = Box::new(GaussianLearner::<12, 64, POINTS, COMPONENTS>::new());
    let events = machine(5, 16 + 63 * 6, 0.1);
    for (_, reading, _) in by_hand(&SpectralStream::FRONT_END, &events) {
        learner.push(&reading.try_into().unwrap()).unwrap();
    }
    learner.learn(Rbf::for_inputs(12), Recipe::default()).unwrap();
    (learner, events)
}

/// All is well; a sample is lost; it trembles; a gap; all is well.
fn life() -> Vec<Event<f32>> {
    let mut events = machine(6, 150, 0.1);
    events[70] = Event::Sample([f32::NAN, 0.0]);
    events.extend(machine(7, 120, 2.0));
    events.push(Event::Sample([9.81, f32::INFINITY]));
    events.extend(machine(8, 60, 2.0));
    events.push(Event::Gap);
    events.extend(machine(9, 100, 0.1));
    events
}

/// What has come of a window, with the event that completed it.
type Judged<T> = (usize, Verdict<T>, AlarmState);

/// Detector and alarm called by hand; returns also the alarm after the last event.
fn judged_by_hand<D, X>(
    detector: &D,
    config: AlarmConfig,
    events: &[Event<f32>],
) -> (Vec<Judged<X::Scalar>>, Alarm<X::Scalar>)
where
    D: Detect<X>,
    X: FromReading<Spectra>,
{
    let mut alarm = Alarm::new(config).unwrap();
    let mut readings = by_hand(&SpectralStream::FRONT_END, events).into_iter().peekable();
    let mut outcomes = Vec::new();
    for (number, event) in events.iter().enumerate() {
        match event {
            Event::Gap => {
                alarm.gap();
            }
            Event::Sample(sample) if sample.iter().any(|x| !x.is_finite()) => {
                alarm.missing();
            }
            Event::Sample(_) => {
                if let Some((_, reading, _)) = readings.next_if(|(at, ..)| *at == number) {
                    let mut x = X::ZEROS;
                    for (x, value) in x.view_mut().iter_mut().zip(reading) {
                        *x = mercer::math::Real::from_f64(value.into());
                    }
                    let verdict = detector.score(&x).unwrap();
                    let state = alarm.update(&verdict);
                    outcomes.push((number, verdict, state));
                }
            }
        }
    }
    assert_eq!(readings.next(), None, "a reading was not judged");
    (outcomes, alarm)
}

/// A monitor does the same, whole windows at a time or in steps, and never mind how many of them
/// fit between two samples.
fn require_judged<D, X>(detector: &D, config: AlarmConfig)
where
    D: Detect<X>,
    X: FromReading<Spectra>,
    X::Scalar: std::fmt::Debug,
{
    let events = life();
    let (expected, after) = judged_by_hand::<D, X>(detector, config, &events);
    assert!(expected.len() > 40);
    assert!(expected.iter().any(|(.., state)| state.is_active()), "there was an alarm");
    // None: in one go.
    for steps_between in [None, Some(0), Some(1), Some(2), Some(3), Some(5)] {
        let mut stream = SpectralStream::new();
        let alarm = Alarm::new(config).unwrap();
        let mut monitor = Monitor::<&D, _, X>::with_alarm(detector, &mut stream, alarm);
        let mut found = Vec::new();
        // Of work that is finished before the next sample, the outcome is the last one.
        let mut pending = None;
        for (number, event) in events.iter().enumerate() {
            let Event::Sample(sample) = event else {
                monitor.gap();
                found.extend(pending.take().map(|at| (at, monitor.last().unwrap())));
                continue;
            };
            let Some(steps) = steps_between else {
                if let Ok(Some(outcome)) = monitor.push(sample) {
                    found.push((number, outcome));
                }
                continue;
            };
            let taken = monitor.take(sample);
            assert_eq!(taken.is_err(), sample.iter().any(|x| !x.is_finite()));
            if let Some(at) = pending.take() {
                found.push((at, monitor.last().unwrap()));
            }
            for _ in 0..steps {
                let outcome = monitor.step().unwrap();
                found.extend(outcome.map(|outcome| (number, outcome)));
            }
            pending = (monitor.left() > 0).then_some(number);
        }
        assert_eq!(monitor.left() > 0, pending.is_some());
        while monitor.left() > 0 {
            let outcome = monitor.step().unwrap();
            found.extend(outcome.map(|outcome| (pending.unwrap(), outcome)));
        }
        let found: Vec<_> = found.into_iter().map(|(at, o)| (at, o.verdict, o.alarm)).collect();
        assert_eq!(found, expected, "{steps_between:?}");
        assert_eq!(monitor.alarm(), &after);
        assert_eq!(monitor.step(), Ok(None), "there is nothing to do");
    }
}

#[test]
fn a_monitor_gives_the_verdicts_of_its_parts() {
    let (learner, _) = learned();
    let detector = learner.detector().unwrap();
    let latched = AlarmConfig::DEFAULT.latch(true).warm_up(3);
    let counting = AlarmConfig::DEFAULT.rule(AlarmRule::THREE_OF_FIVE);
    for config in [AlarmConfig::DEFAULT, latched, counting] {
        require_judged::<_, Spectra>(detector, config);
    }
    let mut whole = QuantisedDetector::<12, POINTS, COMPONENTS>::new();
    whole.quantise(detector).unwrap();
    require_judged::<_, Spectra>(&whole, AlarmConfig::DEFAULT);
}

#[test]
fn readings_are_widened_for_a_detector_in_f64() {
    let mut learner = Box::new(Learner::<Rbf<f64>, [f64; 12], 64, POINTS, COMPONENTS>::new());
    let mut stream = SpectralStream::new();
    let mut lesson = Lesson::new(&mut *learner, &mut stream);
    for event in machine(5, 16 + 63 * 6, 0.1) {
        let Event::Sample(sample) = event else { unreachable!("there is no gap") };
        lesson.push(&sample).unwrap();
    }
    assert!(learner.is_full());
    learner.learn(Rbf::for_inputs(12), Recipe::default()).unwrap();
    require_judged::<_, [f64; 12]>(learner.detector().unwrap(), AlarmConfig::DEFAULT);
}

/// Features that are positive, for logarithms inside the detector.
#[test]
fn detectors_with_logarithms_are_watched_as_well() {
    struct Deviations;
    impl FrontEnd for Deviations {
        const FEATURES: &'static [Feature] = &[Feature::Std, Feature::Mad];
    }
    type DeviationStream = mercer::stream!(Deviations, f32, 2, 16, 8);
    let mut learner = Box::new(LogLearner::<4, 48, POINTS, COMPONENTS>::new());
    let mut stream = DeviationStream::new();
    let mut lesson = Lesson::new(&mut *learner, &mut stream);
    let usual = machine(11, 16 + 47 * 8, 0.1);
    for event in &usual {
        if let Event::Sample(sample) = event {
            lesson.push(sample).unwrap();
        }
    }
    lesson.gap();
    let logs = Logs::Inputs(mercer::detect::InputSet::of(&[0, 1, 2, 3]).unwrap());
    learner.learn(Rbf::for_inputs(4), Recipe::default().logs(logs)).unwrap();
    let detector: &LogDetector<4, POINTS, COMPONENTS> = learner.detector().unwrap();
    let mut whole = LogQuantisedDetector::<4, POINTS, COMPONENTS>::new();
    whole.quantise(detector).unwrap();
    let mut in_integers = DeviationStream::new();
    let mut monitor = Monitor::new(detector, &mut stream);
    let mut other = Monitor::new(&whole, &mut in_integers);
    let (mut verdicts, mut unusual) = (0, 0);
    for event in machine(12, 200, 2.0) {
        let Event::Sample(sample) = event else { unreachable!("there is no gap") };
        let outcome = monitor.push(&sample).unwrap();
        assert_eq!(outcome.is_some(), other.push(&sample).unwrap().is_some());
        if let Some(outcome) = outcome {
            verdicts += 1;
            unusual += usize::from(outcome.verdict.unusual);
            assert_eq!(detector.score(monitor.reading().unwrap()), Ok(outcome.verdict));
        }
    }
    assert_eq!((verdicts, unusual), (24, 24));
    assert!(monitor.alarm().state().is_active() && other.alarm().state().is_active());
    let suspect = monitor.suspect().unwrap();
    let name = monitor.names().get(suspect.input).unwrap().to_string();
    assert!(["0_std", "0_mad"].contains(&&*name), "{name}");
}

/// A learner that a stream feeds has the samples, recordings and detector of one that is fed by
/// hand.
#[test]
fn lessons_are_readings_by_hand() {
    let mut events = machine(21, 200, 0.1);
    events.push(Event::Gap);
    events.extend(machine(22, 150, 0.2));
    events[80] = Event::Sample([0.0, f32::NAN]);
    type Small = GaussianLearner<12, 64, POINTS, COMPONENTS>;
    let (mut by_stream, mut plain) = (Box::new(Small::new()), Box::new(Small::new()));
    let mut stream = SpectralStream::new();
    let mut lesson = Lesson::new(&mut *by_stream, &mut stream);
    let mut readings = by_hand(&SpectralStream::FRONT_END, &events).into_iter().peekable();
    for (number, event) in events.iter().enumerate() {
        let due = readings.next_if(|(at, ..)| *at == number);
        match event {
            Event::Gap => {
                lesson.gap();
                plain.gap();
            }
            Event::Sample(sample) => match lesson.push(sample) {
                Ok(learned) => assert_eq!(learned, due.is_some()),
                Err(error) => {
                    assert!(matches!(error, Error::Channel { channel: 1, .. }), "{error}");
                    plain.gap();
                }
            },
        }
        if let Some((_, reading, _)) = due {
            plain.push(&reading.try_into().unwrap()).unwrap();
        }
    }
    assert!(plain.len() > 40);
    assert_eq!(by_stream.len(), plain.len());
    for learner in [&mut by_stream, &mut plain] {
        // Whole recordings are left out of a fold, so gaps matter.
        learner.learn(Rbf::for_inputs(12), Recipe::default()).unwrap();
    }
    let bytes = |learner: &Small| {
        let detector = learner.detector().unwrap();
        let mut bytes = vec![0; detector.encoded_len()];
        detector.write_to(&mut bytes).unwrap();
        bytes
    };
    assert_eq!(bytes(&by_stream), bytes(&plain));
    // And so it goes on while the detector is at work.
    let mut stream = SpectralStream::new();
    let later = machine(23, 100, 0.1);
    let readings = by_hand(&SpectralStream::FRONT_END, &later);
    let mut lesson = Lesson::new(&mut *by_stream, &mut stream);
    let mut verdicts = Vec::new();
    for event in &later {
        let Event::Sample(sample) = event else { unreachable!("there is no gap") };
        verdicts.extend(lesson.refresh(sample, Replace::Oldest).unwrap());
    }
    let expected: Vec<_> = readings
        .iter()
        .map(|(_, x, _)| plain.refresh(&x[..].try_into().unwrap(), Replace::Oldest).unwrap())
        .collect();
    assert_eq!(verdicts, expected);
    assert!(by_stream.samples().eq(plain.samples()));
}

#[test]
fn a_full_learner_says_so() {
    let mut learner = Box::new(GaussianLearner::<12, 4, 3, 2>::new());
    let mut stream = SpectralStream::new();
    let mut lesson = Lesson::new(&mut *learner, &mut stream);
    let mut refused = 0;
    for event in machine(1, 60, 0.1) {
        let Event::Sample(sample) = event else { unreachable!("there is no gap") };
        if let Err(error) = lesson.push(&sample) {
            assert!(matches!(error, Error::Capacity { .. }), "{error}");
            refused += 1;
        }
    }
    // 8 windows, and room for 4.
    assert_eq!(refused, 4);
    assert_eq!(lesson.source().floored_windows(), 0);
}

/// What the issue lists as bad input, as far as it comes while a device is at work.
#[test]
fn a_monitor_outlives_bad_samples() {
    let (learner, usual) = learned();
    let detector = learner.detector().unwrap();
    let mut monitor = Monitor::new(detector, SpectralStream::new());
    let too_few = Error::TooFewSamples { given: 0, needed: 16 };
    assert_eq!(monitor.suspect(), Err(too_few));
    assert_eq!(monitor.project_into(&mut [0.0; COMPONENTS]), Err(too_few));
    assert_eq!((monitor.reading(), monitor.last()), (None, None));
    let push = |monitor: &mut Monitor<_, _>, event| match event {
        Event::Sample(sample) => monitor.push(&sample),
        Event::Gap => unreachable!("there is no gap"),
    };

    // The same window twice: once by itself, once after half of another and a sample that is none.
    let whole: Vec<_> = usual[..16].iter().map(|&e| push(&mut monitor, e)).collect();
    let first = whole[15].unwrap().unwrap();
    let projection = detector.project(monitor.reading().unwrap()).unwrap();
    assert_eq!(monitor.project_into(&mut [0.0; COMPONENTS]), Ok(&projection[..]));
    monitor.gap();
    for &event in &usual[40..52] {
        assert_eq!(push(&mut monitor, event), Ok(None));
    }
    for lost in 1..=3 {
        let error = monitor.push(&[1.0, f32::NAN]).unwrap_err();
        assert_eq!(error, Error::Channel { channel: 1, rule: "finite and within ±1e20" });
        assert_eq!(monitor.alarm().absent(), lost, "nobody can miss that readings are missing");
    }
    assert_eq!(monitor.left(), 0);
    for &event in &usual[..15] {
        assert_eq!(push(&mut monitor, event), Ok(None));
    }
    let again = push(&mut monitor, usual[15]).unwrap().unwrap();
    assert_eq!(again.verdict, first.verdict);
    assert_eq!(monitor.alarm().absent(), 0);

    // An alarm that is up stays up while samples are lost, and ends at a gap.
    for event in machine(31, 200, 3.0) {
        push(&mut monitor, event).unwrap();
    }
    assert_eq!(monitor.alarm().state(), AlarmState::Raised);
    for _ in 0..1000 {
        assert!(monitor.push(&[f32::INFINITY, 0.0]).is_err());
    }
    assert_eq!(monitor.alarm().state(), AlarmState::Raised);
    assert_eq!(monitor.acknowledge(), AlarmState::Acknowledged);
    assert_eq!(monitor.gap(), AlarmState::Normal);
    // A detector that has learned nothing is named, and no reading is taken for judged.
    let empty = GaussianDetector::<12, POINTS, COMPONENTS>::new();
    let mut monitor = Monitor::new(&empty, SpectralStream::new());
    let refused = usual[..100].iter().filter(|&&e| push(&mut monitor, e) == Err(Error::NotFitted));
    assert_eq!(refused.count(), 15);
    assert_eq!((monitor.alarm().absent(), monitor.last()), (15, None));
    // Until it is replaced.
    monitor.set_detector(detector);
    assert!(usual[..6].iter().any(|&e| push(&mut monitor, e).is_ok_and(|o| o.is_some())));
}

/// A channel that hangs, at a usual value or at the end of its range: deviation and bands see it.
#[test]
fn channels_that_hang_are_unusual() {
    let (learner, usual) = learned();
    for (channel, hangs_at) in [(0, 9.81), (0, 10.3), (1, 0.0), (1, -0.5)] {
        let mut monitor = Monitor::new(learner.detector().unwrap(), SpectralStream::new());
        for &event in &usual[..160] {
            let Event::Sample(mut sample) = event else { unreachable!("there is no gap") };
            sample[channel] = hangs_at;
            if let Some(outcome) = monitor.push(&sample).unwrap() {
                assert!(outcome.verdict.unusual);
                assert_eq!(monitor.source().floored(), 5, "log deviation and four bands");
            }
        }
        assert!(monitor.alarm().state().is_active());
        assert_eq!(monitor.source().floored_windows(), 25);
    }
    // Learning from such a channel is warned of.
    let mut lame = Box::new(GaussianLearner::<12, 64, POINTS, COMPONENTS>::new());
    let mut stream = SpectralStream::new();
    let mut lesson = Lesson::new(&mut *lame, &mut stream);
    for event in &usual {
        let Event::Sample([first, _]) = *event else { unreachable!("there is no gap") };
        lesson.push(&[first, 0.25]).unwrap();
    }
    assert_eq!(lesson.source().floored_windows(), 64);
    lame.learn(Rbf::for_inputs(12), Recipe::default()).unwrap();
    let warned = lame.report().unwrap().warnings();
    let constant = Warning::ConstantInputs { first: 6, count: 6 };
    assert!(warned.contains(&constant), "{warned:?}");
}

#[test]
fn an_alarm_outlasts_a_reset_of_the_device() {
    let (learner, _) = learned();
    let detector = learner.detector().unwrap();
    let config = AlarmConfig::DEFAULT.latch(true);
    let alarm = Alarm::new(config).unwrap();
    let mut monitor = Monitor::with_alarm(detector, SpectralStream::new(), alarm);
    for event in machine(31, 100, 3.0) {
        let Event::Sample(sample) = event else { unreachable!("there is no gap") };
        monitor.push(&sample).unwrap();
    }
    let saved = monitor.alarm().save();
    let restored = Alarm::restore(config, &saved).unwrap();
    let monitor = Monitor::with_alarm(detector, SpectralStream::new(), restored);
    assert_eq!(monitor.alarm().state(), AlarmState::Raised);
    assert_eq!(restored.save(), saved);
}

/// Run-time parts write the bytes that a stream's constants write.
#[test]
fn front_ends_are_stored_and_read_back() {
    fn require<
        T,
        const C: usize,
        const L: usize,
        const H: usize,
        const I: usize,
        const M: usize,
    >(
        _: Stream<impl FrontEnd, T, C, L, H, I, M>,
        view: FrontEndView<'static>,
    ) {
        let mut bytes = vec![0xaa; view.encoded_len() + 3];
        assert_eq!(view.write_to(&mut bytes), Ok(view.encoded_len()));
        assert_eq!(view.require(&bytes), Ok(&[0xaa; 3][..]));
        let (stored, rest) = StoredFrontEnd::read(&bytes).unwrap();
        assert_eq!(rest, [0xaa; 3]);
        let features: Vec<Feature> = stored.features().collect();
        let scales: Vec<f32> = stored.scales().collect();
        let operators: Vec<Operator> = stored.operators().collect();
        let read = FrontEndView {
            samples: stored.samples,
            channels: stored.channels,
            window: stored.window,
            hop: stored.hop,
            features: &features,
            floor: stored.floor,
            scales: &scales,
            operators: &operators,
        };
        assert_eq!(read, view);
        assert_eq!((read.inputs(), read.memory()), (I, M));
        let mut again = vec![0; read.encoded_len()];
        read.write_to(&mut again).unwrap();
        assert_eq!(again, bytes[..again.len()]);
        for shorter in 0..again.len() {
            assert!(matches!(
                read.write_to(&mut vec![0; shorter]),
                Err(Error::Capacity { needed, .. }) if needed == again.len()
            ));
            assert!(
                matches!(
                    StoredFrontEnd::read(&again[..shorter]),
                    Err(Error::Format(FormatFault::Truncated { .. }))
                ),
                "{shorter} bytes"
            );
        }
        // Every bit matters.
        for bit in 0..8 * again.len() {
            again[bit / 8] ^= 1 << (bit % 8);
            let error = StoredFrontEnd::read(&again).unwrap_err();
            assert!(matches!(error, Error::Format(_)), "bit {bit}: {error}");
            again[bit / 8] ^= 1 << (bit % 8);
        }
    }
    require(SpectralStream::new(), SpectralStream::FRONT_END);
    require(SlowStream::new(), SlowStream::FRONT_END);
    require(CountedStream::new(), CountedStream::FRONT_END);
    require(PlainStream::new(), PlainStream::FRONT_END);
}

const BASE: FrontEndView<'static> = FrontEndView {
    samples: SampleKind::Numbers,
    channels: 3,
    window: 64,
    hop: 32,
    features: &[Feature::Mean, Feature::LogStd, Feature::Bands(4)],
    floor: 1e-9,
    scales: &[1.0, 2.0, 3.0],
    operators: &[Operator::Average(4), Operator::Ewma(0.5), Operator::Lags(2)],
};

#[test]
fn another_front_end_is_refused_by_name() {
    let base = BASE;
    let count = |what, expected, found| FrontEndFault::Count { what, expected, found };
    let entry = |what, index| FrontEndFault::Entry { what, index };
    let other = |what| FrontEndFault::Other { what };
    let fewer = &base.features[..2];
    let cases = [
        (FrontEndView { samples: SampleKind::Counts, ..base }, other("kind of samples")),
        (FrontEndView { channels: 4, scales: &[], ..base }, count("channels", 3, 4)),
        (FrontEndView { window: 128, ..base }, count("window", 64, 128)),
        (FrontEndView { hop: 64, ..base }, count("hop", 32, 64)),
        (FrontEndView { features: fewer, ..base }, count("features", 3, 2)),
        (FrontEndView { scales: &[2.0], ..base }, count("scales", 3, 1)),
        (FrontEndView { operators: &[], ..base }, count("operators", 3, 0)),
        (FrontEndView { floor: 1e-8, ..base }, other("floor")),
        (
            FrontEndView { features: &[Feature::Mean, Feature::Std, Feature::Bands(4)], ..base },
            entry("feature", 1),
        ),
        (
            FrontEndView { features: &[Feature::Mean, Feature::LogStd, Feature::Bands(3)], ..base },
            entry("feature", 2),
        ),
        (FrontEndView { scales: &[1.0, 2.0, -3.0], ..base }, entry("scale", 2)),
        (
            FrontEndView {
                operators: &[Operator::Average(4), Operator::Ewma(0.25), Operator::Lags(2)],
                ..base
            },
            entry("operator", 1),
        ),
        (
            FrontEndView {
                operators: &[Operator::Lags(4), Operator::Ewma(0.5), Operator::Lags(2)],
                ..base
            },
            entry("operator", 0),
        ),
    ];
    for (stored, fault) in cases {
        let mut bytes = vec![0; stored.encoded_len()];
        stored.write_to(&mut bytes).unwrap();
        assert_eq!(base.require(&bytes), Err(Error::FrontEnd(fault)));
        assert_eq!(stored.require(&bytes), Ok(&[][..]));
    }
    let text = |fault| Error::FrontEnd(fault).to_string();
    assert_eq!(
        text(count("window", 64, 128)),
        "model was made for another front end: its window: 128, expected 64"
    );
    assert_eq!(
        text(entry("feature", 1)),
        "model was made for another front end: its feature 1 is another one"
    );
}

/// CRC-32, so that edits get past it.
fn mend(bytes: &mut [u8]) {
    let Some((body, check)) = bytes.split_last_chunk_mut() else { return };
    let crc = body.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 }
        })
    });
    *check = (!crc).to_le_bytes();
}

/// Every feature and operator, at the largest and the smallest scale.
struct Everything;
impl FrontEnd for Everything {
    const FEATURES: &'static [Feature] = &[
        Feature::Mean,
        Feature::Std,
        Feature::LogStd,
        Feature::Rms,
        Feature::PeakToPeak,
        Feature::Min,
        Feature::Max,
        Feature::Crest,
        Feature::Skew,
        Feature::Kurt,
        Feature::Mad,
        Feature::LogMad,
        Feature::ZeroCrossings,
        Feature::Bands(3),
    ];
    const SCALES: &'static [f32] = &[1e10, -1e-20];
    const OPERATORS: &'static [Operator] =
        &[Operator::Average(2), Operator::Ewma(0.5), Operator::Difference, Operator::Lags(2)];
}

proptest! {
    #![proptest_config(config(2000))]

    /// Bytes that somebody has altered, checksum included: what is read is written back, or breaks
    /// a rule that is named.
    #[test]
    fn altered_front_ends_are_read_or_refused(
        edits in prop::collection::vec((6_usize..80, any::<u8>()), 0..4),
    ) {
        let mut bytes = vec![0; BASE.encoded_len()];
        BASE.write_to(&mut bytes).unwrap();
        for (place, byte) in edits {
            if let Some(old) = bytes.get_mut(place) {
                // Small changes of counts and tags are those that come through.
                *old = if byte < 128 { byte % 16 } else { byte };
            }
        }
        mend(&mut bytes);
        match StoredFrontEnd::read(&bytes) {
            Err(error) => prop_assert!(matches!(error, Error::Format(_)), "{}", error),
            Ok((read, rest)) => {
                let features: Vec<Feature> = read.features().collect();
                let scales: Vec<f32> = read.scales().collect();
                let operators: Vec<Operator> = read.operators().collect();
                let view = FrontEndView {
                    samples: read.samples,
                    channels: read.channels,
                    window: read.window,
                    hop: read.hop,
                    features: &features,
                    floor: read.floor,
                    scales: &scales,
                    operators: &operators,
                };
                prop_assert!(rest.is_empty() && view.encoded_len() == bytes.len());
                prop_assert!(view.inputs() <= view.names(&[]).len());
                let mut again = vec![0; bytes.len()];
                match view.write_to(&mut again) {
                    Ok(_) => prop_assert_eq!(&again, &bytes),
                    Err(error) => prop_assert!(matches!(error, Error::Parameter { .. }), "{}", error),
                }
                match BASE.require(&bytes) {
                    Ok(_) => prop_assert_eq!(view, BASE),
                    Err(error) => {
                        prop_assert!(matches!(error, Error::FrontEnd(_)));
                        prop_assert!(view != BASE);
                    }
                }
            }
        }
    }

    /// Whatever a sensor sends, readings are finite, or the channel is named.
    #[test]
    fn any_samples_give_finite_readings(
        samples in prop::collection::vec((any::<f32>(), any::<f32>()), 0..60),
        common in 0_u32..40,
    ) {
        let mut stream = <mercer::stream!(Everything, f32, 2, 8, 3)>::new();
        for (a, b) in samples {
            // The same magnitude for a while, or all numbers are lost in the largest.
            let sized = |x: f32| if common < 20 { x % 10_f32.powi(common as i32) } else { x };
            match stream.push(&[sized(a), b]) {
                Ok(None) => {}
                Ok(Some(reading)) => prop_assert!(reading.iter().all(|x| x.is_finite())),
                Err(error) => {
                    let Error::Channel { channel, .. } = error else { panic!("{error}") };
                    prop_assert!(![sized(a), b][channel].is_usable());
                }
            }
        }
    }
}

#[test]
fn front_ends_that_make_no_sense_are_not_written() {
    let mut bytes = [0; 100];
    let mut refused = |view: FrontEndView<'_>| match view.write_to(&mut bytes) {
        Err(Error::Parameter { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    let base = BASE;
    assert_eq!(refused(FrontEndView { channels: 0, ..base }), "channels");
    assert_eq!(refused(FrontEndView { window: 0, ..base }), "window");
    assert_eq!(refused(FrontEndView { hop: 0, ..base }), "hop");
    assert_eq!(refused(FrontEndView { window: 100, ..base }), "window");
    assert_eq!(refused(FrontEndView { features: &[], ..base }), "features");
    assert_eq!(refused(FrontEndView { floor: f32::NAN, ..base }), "floor");
    assert_eq!(refused(FrontEndView { scales: &[1.0, 2.0], ..base }), "scales");
    assert_eq!(refused(FrontEndView { operators: &[Operator::Lags(0)], ..base }), "lag");
}

/// A model for one thing is no model for the other: neither reader takes the other one's bytes.
#[test]
fn no_door_forgets_the_front_end() {
    let (learner, _) = learned();
    let detector = learner.detector().unwrap();
    let front_end = SpectralStream::FRONT_END;
    let mut bytes = vec![0; front_end.encoded_len() + detector.encoded_len()];
    let length = front_end.write_to(&mut bytes).unwrap();
    detector.write_to(&mut bytes[length..]).unwrap();
    let mut read = GaussianDetector::<12, POINTS, COMPONENTS>::new();
    let magic = Error::Format(FormatFault::Magic);
    assert_eq!(read.read_from(&bytes), Err(magic));
    assert_eq!(front_end.require(&bytes[length..]), Err(magic));
    read.read_from(front_end.require(&bytes).unwrap()).unwrap();
    assert_eq!(read.threshold(), detector.threshold());
    assert_eq!(front_end.require(&[0xff; 64]), Err(magic), "erased flash");
    let mut whole = QuantisedDetector::<12, POINTS, COMPONENTS>::new();
    whole.quantise(detector).unwrap();
    whole.write_to(&mut bytes[length..]).unwrap();
    let mut whole_read = QuantisedDetector::<12, POINTS, COMPONENTS>::new();
    whole_read.read_from(front_end.require(&bytes).unwrap()).unwrap();
    let mut twin = Box::new(GaussianLearner::<12, 64, POINTS, COMPONENTS>::new());
    detector.write_to(&mut bytes[length..]).unwrap();
    twin.restore(front_end.require(&bytes).unwrap()).unwrap();
}

/// Streams are all zeros at first, and as large as they say; the rest is a few dozen bytes.
#[test]
fn sizes_are_what_they_seem() {
    // Window, transform, reading, and a few counters.
    const { assert!(SpectralStream::SIZE <= 4 * (2 * 16 + 16 + 12) + 80) };
    const { assert!(CountedStream::SIZE < 2 * 2 * 8 + 4 * (8 + 2 * 5 + 2 * 5) + 80) };
    type Small<'a> =
        Monitor<&'a Detector<Rbf<f32>, Spectra, POINTS, COMPONENTS>, &'a mut SpectralStream>;
    const { assert!(size_of::<Small<'_>>() <= 120) };
}
