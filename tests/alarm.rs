//! The alarm follows its documented tables, checked against a plain model over every short sequence
//! of events, for both rules and all numbers; and what it keeps survives a reset.

use std::fmt::Debug;

use mercer::detect::alarm::{SAVED_SIZE, Smooth};
use mercer::detect::{AlarmRule, Judged, Threshold};
use mercer::error::FormatFault;
use mercer::kpca::Score;
use mercer::math::Real;
use mercer::{Alarm, AlarmConfig, AlarmState, Error, Verdict};

use AlarmState::{Acknowledged, Latched, Normal, Raised, WarmUp};
use Event::{Acknowledge, Gap, Missing, Reading, Reset};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    Reading(f64),
    Missing,
    Gap,
    Acknowledge,
    Reset,
}

/// Usual, unusual, and far off: with a threshold of 1, as usual readings score 0.5.
const SCORES: [f64; 3] = [0.25, 1.5, 6.0];
const EVENTS: [Event; 7] =
    [Reading(SCORES[0]), Reading(SCORES[1]), Reading(SCORES[2]), Missing, Gap, Acknowledge, Reset];
const THRESHOLD: Threshold<f64> = Threshold::new(1.0).with_usual(0.5);

fn verdict<T: Real>(spe: T, threshold: Threshold<T>) -> Verdict<T> {
    let mut score = Score::default();
    score.spe = spe;
    threshold.judge(score)
}

fn apply(alarm: &mut Alarm<f64>, event: Event) -> AlarmState {
    match event {
        Reading(spe) => alarm.update(&verdict(spe, THRESHOLD)),
        Missing => alarm.missing(),
        Gap => alarm.gap(),
        Acknowledge => alarm.acknowledge(),
        Reset => alarm.reset(),
    }
}

/// What the documentation says, with the whole past kept and every number computed anew.
#[derive(Clone, Default)]
struct Model {
    /// How many readings since the start.
    readings: usize,
    /// The scores since the last gap, without those of warm-up.
    scores: Vec<f64>,
    /// What is lit: the condition, and whether somebody has to acknowledge it.
    active: bool,
    pending: bool,
}

impl Model {
    fn apply(&mut self, config: &AlarmConfig, event: Event) {
        match event {
            Missing => {}
            Reset => *self = Self::default(),
            Acknowledge => self.pending = false,
            Gap => {
                self.scores.clear();
                self.end(config);
            }
            Reading(spe) => {
                self.readings += 1;
                if self.readings <= usize::from(config.warm_up) {
                    return;
                }
                self.scores.push(spe);
                let (up, over) = match config.rule {
                    AlarmRule::Smoothed { shift, end } => {
                        let smoothed = self.smoothed(shift);
                        (smoothed > 1.0, smoothed < f64::from(end) / 100.0)
                    }
                    AlarmRule::Count { window, raise, clear } => {
                        let count = self.count(window);
                        (count >= usize::from(raise), count <= usize::from(clear))
                    }
                    other => panic!("{other:?}"),
                };
                if !self.active && up {
                    (self.active, self.pending) = (true, true);
                } else if self.active && over {
                    self.end(config);
                }
            }
        }
    }

    fn end(&mut self, config: &AlarmConfig) {
        if self.active {
            self.active = false;
            self.pending &= config.latch;
        }
    }

    /// As a sum over the past: `E_n = (1−w)^n E_0 + Σ w (1−w)^(n−i) x_i`.
    fn smoothed(&self, shift: u8) -> f64 {
        let weight = 0.5_f64.powi(shift.into());
        let kept = |age: usize| (1.0 - weight).powi(i32::try_from(age).unwrap());
        let terms = self.scores.iter().rev().enumerate().map(|(age, x)| weight * kept(age) * x);
        kept(self.scores.len()) * THRESHOLD.usual + terms.sum::<f64>()
    }

    fn count(&self, window: u8) -> usize {
        self.scores.iter().rev().take(window.into()).filter(|&&spe| spe > 1.0).count()
    }

    fn state(&self, config: &AlarmConfig) -> AlarmState {
        match (self.active, self.pending) {
            _ if self.readings < usize::from(config.warm_up) => WarmUp,
            (false, false) => Normal,
            (true, true) => Raised,
            (true, false) => Acknowledged,
            (false, true) => Latched,
        }
    }

    fn compare(&self, config: &AlarmConfig, alarm: &Alarm<f64>) {
        assert_eq!(alarm.state(), self.state(config), "{config:?} after {:?}", self.scores);
        match config.rule {
            AlarmRule::Smoothed { shift, .. } => {
                assert_eq!(alarm.smoothed().is_some(), !self.scores.is_empty());
                let found = alarm.smoothed().unwrap_or(THRESHOLD.usual);
                assert!((found - self.smoothed(shift)).abs() < 1e-12, "{found}");
                assert_eq!(alarm.unusual(), 0);
            }
            AlarmRule::Count { window, .. } => {
                assert_eq!(alarm.unusual() as usize, self.count(window));
                assert_eq!(alarm.smoothed(), None);
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Follows all sequences of `left` more events; returns how many states it compared.
fn follow(config: &AlarmConfig, alarm: Alarm<f64>, model: &Model, left: usize) -> usize {
    if left == 0 {
        return 0;
    }
    let mut compared = 0;
    for event in EVENTS {
        // From the bytes, so that every state that can be reached is also stored and taken up.
        let restored = Alarm::restore(*config, &alarm.save());
        assert_eq!(restored, Ok(alarm), "{config:?}");
        let (mut alarm, mut model) = (restored.unwrap(), model.clone());
        let state = apply(&mut alarm, event);
        model.apply(config, event);
        assert_eq!(alarm.state(), state);
        model.compare(config, &alarm);
        compared += 1 + follow(config, alarm, &model, left - 1);
    }
    compared
}

/// Rules with every warm-up and latch.
fn configs(rules: &[AlarmRule]) -> impl Iterator<Item = AlarmConfig> {
    rules.iter().flat_map(|&rule| {
        [(0, false), (0, true), (2, false), (2, true)]
            .map(|(warm_up, latch)| AlarmConfig::DEFAULT.rule(rule).warm_up(warm_up).latch(latch))
    })
}

#[test]
fn every_short_sequence_agrees_with_the_model() {
    let mut rules = Vec::new();
    for window in 1..=3 {
        for raise in 1..=window {
            rules.extend((0..raise).map(|clear| AlarmRule::Count { window, raise, clear }));
        }
    }
    for (shift, end) in [(0, 80), (0, 100), (1, 50), (2, 80), (3, 80), (3, 30)] {
        rules.push(AlarmRule::Smoothed { shift, end });
    }
    assert_eq!(rules.len(), 16);
    let mut compared = 0;
    for config in configs(&rules) {
        let alarm = Alarm::new(config).unwrap();
        assert_eq!(alarm.state(), Model::default().state(&config));
        compared += follow(&config, alarm, &Model::default(), 5);
    }
    assert_eq!(compared, 64 * (7 + 49 + 343 + 2401 + 16807));
}

#[test]
fn long_sequences_agree_with_the_model() {
    // Numerical Recipes' generator: its high bits are good enough for events.
    let mut seed = 1_u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed >> 16
    };
    let counts = (1..=32_u8).flat_map(|window| {
        [1, window.div_ceil(2), window].map(|raise| AlarmRule::Count {
            window,
            raise,
            clear: raise - 1,
        })
    });
    let smoothed =
        (0..=8).flat_map(|shift| [1, 50, 80, 100].map(|end| AlarmRule::Smoothed { shift, end }));
    let mut raised = [0; 2];
    for rule in counts.chain(smoothed) {
        let config = AlarmConfig::DEFAULT.rule(rule).warm_up(40).latch(true);
        let (mut alarm, mut model) = (Alarm::new(config).unwrap(), Model::default());
        // Bursts, so that full windows occur too.
        let mut burst = false;
        for _ in 0..2000 {
            burst ^= random() % 40 == 0;
            let unusual = burst ^ (random() % 10 == 0);
            let event = match random() % 200 {
                0 | 1 => Missing,
                2 => Gap,
                3..=6 => Acknowledge,
                _ => Reading(f64::from(random() % 1000) / 1000.0 + f64::from(u8::from(unusual))),
            };
            apply(&mut alarm, event);
            model.apply(&config, event);
            model.compare(&config, &alarm);
            raised[usize::from(matches!(rule, AlarmRule::Count { .. }))] +=
                usize::from(alarm.state() == Raised);
        }
    }
    assert!(raised.iter().all(|&raised| raised > 5000), "{raised:?}");
}

/// The table in the documentation of the module, cell by cell.
#[test]
fn the_documented_table_holds() {
    // 2 of 3, ends at 0 of 3; the readings that lead to a state, and then the event.
    let rule = AlarmRule::Count { window: 3, raise: 2, clear: 0 };
    let config = AlarmConfig::DEFAULT.rule(rule).warm_up(1).latch(true);
    let [normal, unusual] = [Reading(SCORES[0]), Reading(SCORES[1])];
    let cells: [(&[Event], Event, AlarmState); 28] = [
        (&[], Missing, WarmUp),
        (&[], Acknowledge, WarmUp),
        (&[], Gap, WarmUp),
        (&[], unusual, Normal),
        (&[], normal, Normal),
        (&[normal], normal, Normal),
        (&[normal], Acknowledge, Normal),
        (&[normal], Gap, Normal),
        (&[normal, unusual], normal, Normal),
        (&[normal, unusual], unusual, Raised),
        // During warm-up, or before a gap: not one of the two.
        (&[unusual], unusual, Normal),
        (&[normal, unusual, Gap], unusual, Normal),
        (&[normal, unusual, Gap, unusual], unusual, Raised),
        (&[normal, unusual, unusual], unusual, Raised),
        (&[normal, unusual, unusual], Missing, Raised),
        (&[normal, unusual, unusual], Gap, Latched),
        (&[normal, unusual, unusual, normal], normal, Raised),
        (&[normal, unusual, unusual, normal, normal], normal, Latched),
        (&[normal, unusual, unusual], Acknowledge, Acknowledged),
        (&[normal, unusual, unusual, Acknowledge], unusual, Acknowledged),
        (&[normal, unusual, unusual, Acknowledge], Gap, Normal),
        (&[normal, unusual, unusual, Acknowledge, normal], normal, Acknowledged),
        (&[normal, unusual, unusual, Acknowledge, normal, normal], normal, Normal),
        (&[normal, unusual, unusual, normal, normal, normal], unusual, Latched),
        (&[normal, unusual, unusual, normal, normal, normal], Gap, Latched),
        (&[normal, unusual, unusual, normal, normal, normal, unusual], unusual, Raised),
        (&[normal, unusual, unusual, normal, normal, normal], Acknowledge, Normal),
        (&[normal, unusual, unusual], Reset, WarmUp),
    ];
    for (before, event, after) in cells {
        let mut alarm = Alarm::new(config).unwrap();
        for &event in before {
            apply(&mut alarm, event);
        }
        assert_eq!(apply(&mut alarm, event), after, "{before:?}, then {event:?}");
    }
    let mut unlatched = Alarm::new(config.latch(false).warm_up(0)).unwrap();
    let states = [unusual, unusual, normal, normal, normal].map(|e| apply(&mut unlatched, e));
    assert_eq!(states, [Normal, Raised, Raised, Raised, Normal]);
    let mut unlatched = Alarm::new(config.latch(false).warm_up(0)).unwrap();
    let states = [unusual, unusual, Gap].map(|e| apply(&mut unlatched, e));
    assert_eq!(states, [Normal, Raised, Normal]);
}

/// By hand: E = ½, then ½ + (s − ½)/8, …
#[test]
fn the_default_smooths_by_an_eighth() {
    let mut alarm = Alarm::new(AlarmConfig::DEFAULT).unwrap();
    for (spe, smoothed, state) in [
        (0.5, 0.5, Normal),
        (2.5, 0.75, Normal),
        (2.75, 1.0, Normal), // not above the threshold
        (1.125, 1.015_625, Raised),
        (0.0, 0.888_671_875, Raised),
        (0.177_734_375, 0.799_804_687_5, Normal), // below 0.8 of it
    ] {
        assert_eq!(alarm.update(&verdict(spe, THRESHOLD)), state, "{spe}");
        assert_eq!(alarm.smoothed(), Some(smoothed));
    }
    alarm.gap();
    assert_eq!(alarm.smoothed(), None);
    alarm.update(&verdict(0.5, THRESHOLD));
    assert_eq!(alarm.smoothed(), Some(0.5), "it starts afresh");
}

/// A mean above the threshold, one that is not known, and thresholds that were never calibrated.
#[test]
fn odd_thresholds_neither_raise_an_alarm_by_themselves_nor_keep_one_down() {
    let first = |threshold: Threshold<f32>, spe: f32| {
        let mut alarm = Alarm::new(AlarmConfig::DEFAULT).unwrap();
        alarm.update(&verdict(spe, threshold))
    };
    let lowered = Threshold::new(1.0).with_usual(5.0);
    assert_eq!((first(lowered, 0.9), first(lowered, 1.1)), (Normal, Raised));
    let by_hand = Threshold::new(1.0);
    assert_eq!((first(by_hand, 8.0), first(by_hand, 8.1)), (Normal, Raised));
    for never in [f32::NAN, f32::NEG_INFINITY] {
        let never = Threshold::new(never).with_usual(f32::NAN);
        assert_eq!((first(never, 0.0), first(never, 9.0)), (Raised, Raised), "{never:?}");
    }
    assert_eq!(first(Threshold::EMPTY, 0.1), Raised, "what learning refused");
    // An indefinite kernel: E comes from below, and the end is farther below.
    let below = Threshold::new(-1.0).with_usual(-2.0);
    let mut alarm =
        Alarm::new(AlarmConfig::DEFAULT.rule(AlarmRule::Smoothed { shift: 0, end: 80 })).unwrap();
    let states = [-1.5, -0.9, -1.1, -1.19, -1.21].map(|spe| alarm.update(&verdict(spe, below)));
    assert_eq!(states, [Normal, Raised, Raised, Raised, Normal]);
}

/// One number that is none must not stay for ever.
#[test]
fn a_score_that_is_not_finite_is_missing() {
    for config in configs(&[AlarmRule::SMOOTHED, AlarmRule::THREE_OF_FIVE]) {
        let mut alarm = Alarm::new(config).unwrap();
        for _ in 0..4 {
            alarm.update(&verdict(0.9, THRESHOLD));
        }
        let before = alarm;
        for (i, nothing) in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].into_iter().enumerate() {
            assert_eq!(alarm.update(&verdict(nothing, THRESHOLD)), before.state());
            assert_eq!(usize::from(alarm.absent()), i + 1);
            assert_eq!((alarm.smoothed(), alarm.unusual()), (before.smoothed(), before.unusual()));
        }
        for _ in 0..20 {
            alarm.update(&verdict(9.0, THRESHOLD));
        }
        assert_eq!((alarm.state(), alarm.absent()), (Raised, 0));
    }
}

#[test]
fn the_largest_scores_neither_overflow_nor_stay() {
    fn try_it<T: Real + Smooth + Debug>(largest: T) {
        let threshold = Threshold::new(T::ONE);
        for shift in 0..=8 {
            let rule = AlarmRule::Smoothed { shift, end: 80 };
            let mut alarm = Alarm::new(AlarmConfig::DEFAULT.rule(rule)).unwrap();
            for spe in [largest, -largest, largest, largest, -largest, -largest] {
                alarm.update(&verdict(spe, threshold));
                let smoothed = alarm.smoothed().unwrap();
                assert!(smoothed.abs() <= largest, "{smoothed:?} with {shift}");
            }
            for _ in 0..8000 {
                alarm.update(&verdict(largest, threshold));
            }
            assert!(alarm.smoothed().unwrap() <= largest);
            assert_eq!(alarm.state(), Raised);
            // From the largest number of `f64` in halves, eighths, … of what is left.
            let mut readings = 0;
            while alarm.update(&verdict(T::ZERO, threshold)) == Raised {
                readings += 1;
                assert!(readings < 710 << shift, "{shift}");
            }
        }
    }
    try_it(f32::MAX);
    try_it(f64::MAX);
}

#[test]
fn wrong_configurations_are_named() {
    let name = |rule| {
        let config = AlarmConfig::DEFAULT.rule(rule);
        let nothing = &[0; SAVED_SIZE];
        match (config.validate(), Alarm::<f32>::new(config), Alarm::<f32>::restore(config, nothing))
        {
            (Err(Error::Parameter { name, .. }), Err(same), Err(again)) => {
                assert_eq!([config.validate(); 2], [Err(same), Err(again)]);
                name
            }
            (Ok(()), Ok(_), Err(Error::Format(FormatFault::Checksum))) => "",
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(AlarmConfig::default(), AlarmConfig::DEFAULT);
    assert_eq!(AlarmConfig::DEFAULT.rule, AlarmRule::SMOOTHED);
    for rule in [AlarmRule::SMOOTHED, AlarmRule::THREE_OF_FIVE] {
        assert_eq!(name(rule), "");
    }
    for window in [0, 33, 255] {
        assert_eq!(name(AlarmRule::Count { window, raise: 3, clear: 1 }), "window");
    }
    for raise in [0, 6] {
        assert_eq!(name(AlarmRule::Count { window: 5, raise, clear: 1 }), "raise");
    }
    assert_eq!(name(AlarmRule::Count { window: 5, raise: 3, clear: 3 }), "clear");
    assert_eq!(name(AlarmRule::Count { window: 32, raise: 32, clear: 31 }), "");
    for shift in 0..=255 {
        let expected = if shift <= 8 { "" } else { "shift" };
        assert_eq!(name(AlarmRule::Smoothed { shift, end: 80 }), expected, "{shift}");
    }
    for end in 0..=255 {
        let expected = if (1..=100).contains(&end) { "" } else { "end" };
        assert_eq!(name(AlarmRule::Smoothed { shift: 3, end }), expected, "{end}");
    }
}

#[test]
fn missing_readings_are_counted_and_the_count_saturates() {
    let mut alarm = Alarm::new(AlarmConfig::DEFAULT.warm_up(u16::MAX)).unwrap();
    for _ in 0..70_000 {
        alarm.missing();
    }
    assert_eq!((alarm.absent(), alarm.state()), (u16::MAX, WarmUp));
    assert_eq!(Alarm::restore(*alarm.config(), &alarm.save()), Ok(alarm));
    for _ in 0..u16::MAX {
        assert_eq!(alarm.state(), WarmUp);
        alarm.update(&verdict(9.0, THRESHOLD));
    }
    assert_eq!((alarm.absent(), alarm.state(), alarm.smoothed()), (0, Normal, None));
}

/// The figure in the documentation of `AlarmRule::THREE_OF_FIVE`.
#[test]
fn three_of_five_are_unusual_once_in_860_readings() {
    let (p, q) = (0.05_f64, 0.95_f64);
    let three_of_five = 10.0 * p.powi(3) * q.powi(2) + 5.0 * p.powi(4) * q + p.powi(5);
    assert!((1.0 / three_of_five - 860.0).abs() < 5.0, "{}", 1.0 / three_of_five);
}

#[test]
fn states_say_what_to_show() {
    for (state, active, unacknowledged) in [
        (WarmUp, false, false),
        (Normal, false, false),
        (Raised, true, true),
        (Acknowledged, true, false),
        (Latched, false, true),
    ] {
        assert_eq!((state.is_active(), state.is_unacknowledged()), (active, unacknowledged));
    }
}

/// An alarm that is up, of a type of number.
fn raised<T: Smooth>(config: AlarmConfig, readings: &[impl Judged<Number = T>]) -> Alarm<T> {
    let mut alarm = Alarm::new(config).unwrap();
    readings.iter().for_each(|reading| _ = alarm.update(reading));
    assert_eq!(alarm.state(), Raised);
    alarm
}

/// The bytes with a checksum that is right, by the usual polynomial, bit by bit.
fn sealed(mut bytes: [u8; SAVED_SIZE]) -> [u8; SAVED_SIZE] {
    let (body, check) = bytes.split_at_mut(SAVED_SIZE - 4);
    let crc = body.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 }
        })
    });
    check.copy_from_slice(&(!crc).to_le_bytes());
    bytes
}

#[test]
fn what_was_acknowledged_or_latched_survives() {
    let config = AlarmConfig::DEFAULT.latch(true);
    let mut alarm = raised(config, &[verdict(9.0_f32, Threshold::new(1.0)); 3]);
    let restored = |alarm: &Alarm<f32>| Alarm::<f32>::restore(config, &alarm.save()).unwrap();
    assert_eq!(restored(&alarm).state(), Raised);
    alarm.acknowledge();
    assert_eq!(restored(&alarm).state(), Acknowledged);
    alarm.reset();
    let mut alarm = raised(config, &[verdict(9.0_f32, Threshold::new(1.0)); 3]);
    alarm.gap();
    assert_eq!(restored(&alarm).state(), Latched);
    assert_eq!(restored(&alarm).acknowledge(), Normal);
}

/// No bit can flip unnoticed, and nothing that was never saved is taken for an alarm.
#[test]
fn altered_bytes_are_refused() {
    let config = AlarmConfig::DEFAULT.latch(true).warm_up(1);
    let alarm = raised(config, &[verdict(9.0_f64, THRESHOLD); 5]);
    let bytes = alarm.save();
    assert_eq!(sealed(bytes), bytes, "the checksum is the usual one");
    for bit in 0..8 * SAVED_SIZE {
        let mut altered = bytes;
        altered[bit / 8] ^= 1 << (bit % 8);
        let refused = Alarm::<f64>::restore(config, &altered);
        assert_eq!(refused, Err(Error::Format(FormatFault::Checksum)), "bit {bit}");
    }
    for filled in 0..=255 {
        assert!(Alarm::<f64>::restore(config, &[filled; SAVED_SIZE]).is_err(), "{filled}");
        assert!(Alarm::<f64>::restore(config, &sealed([filled; SAVED_SIZE])).is_err(), "{filled}");
    }
}

#[test]
fn another_configuration_or_type_is_named() {
    let config = AlarmConfig::DEFAULT.latch(true).warm_up(1);
    let bytes = raised(config, &[verdict(9.0_f64, THRESHOLD); 5]).save();
    let name = |config| match Alarm::<f64>::restore(config, &bytes) {
        Err(Error::Parameter { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(name(config.latch(false)), "latch");
    assert_eq!(name(config.warm_up(2)), "warm_up");
    for rule in [
        AlarmRule::THREE_OF_FIVE,
        AlarmRule::Smoothed { shift: 4, end: 80 },
        AlarmRule::Smoothed { shift: 3, end: 81 },
    ] {
        assert_eq!(name(config.rule(rule)), "rule");
    }
    let scalar = |expected, found| Error::Format(FormatFault::Scalar { expected, found });
    assert_eq!(Alarm::<f32>::restore(config, &bytes), Err(scalar(4, 8)));
    assert_eq!(Alarm::<u64>::restore(config, &bytes), Err(scalar(1, 8)));
}

/// Every value of every byte, with a checksum that is right: what is accepted is a state that can
/// be stored and says the same again, and no other.
#[test]
fn states_that_no_alarm_comes_into_are_refused() {
    fn try_it<T: Smooth + Debug>(config: AlarmConfig, alarm: &Alarm<T>) -> usize {
        let bytes = alarm.save();
        let mut accepted = 0;
        for place in 0..SAVED_SIZE - 4 {
            for value in 0..=255 {
                let mut altered = bytes;
                altered[place] = value;
                let altered = sealed(altered);
                match Alarm::<T>::restore(config, &altered) {
                    Ok(alarm) => {
                        accepted += 1;
                        assert_eq!(alarm.save(), altered, "byte {place} is {value}");
                        // An eighth of what it is moves it: it is no number that stays.
                        if let Some(smoothed) = alarm.smoothed() {
                            assert!(smoothed.is_finite(), "{smoothed:?}");
                        }
                    }
                    Err(Error::Parameter { .. } | Error::Format(_)) => {}
                    Err(other) => panic!("{other:?}"),
                }
            }
        }
        accepted
    }
    let config = AlarmConfig::DEFAULT.latch(true).warm_up(3);
    let mut warming = Alarm::new(config).unwrap();
    warming.update(&verdict(9.0_f32, Threshold::new(1.0)));
    // Unaltered in 20 places; 1 or 2 or 3 readings of warm-up, and any number of missing ones.
    assert_eq!(try_it(config, &warming), 20 + 2 + 2 * 255);

    let config = AlarmConfig::DEFAULT;
    let alarm = raised(config, &[verdict(9.0_f32, Threshold::new(1.0)); 3]);
    // `f32` as an `f64`: its lowest bits are 0, and some numbers are too large.
    let in_f32 = try_it(config, &alarm);
    assert!((20 + 2 + 2 * 255..20 + 2 + 7 * 255).contains(&in_f32), "{in_f32}");

    let config = AlarmConfig::DEFAULT.rule(AlarmRule::THREE_OF_FIVE);
    let alarm = raised(config, &[verdict(9.0_f32, Threshold::new(1.0)); 3]);
    // Other states (2), histories of 5 readings of which one at least is unusual (30), missing
    // ones.
    assert_eq!(try_it(config, &alarm), 20 + 2 + 30 + 2 * 255);
}

/// Numbers that are none, with a checksum that is right.
#[test]
fn a_smoothed_score_that_is_none_is_refused() {
    let config = AlarmConfig::DEFAULT;
    let bytes = raised(config, &[verdict(9.0_f32, Threshold::new(1.0)); 3]).save();
    for none in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 1e300, 0.1, 1e-60] {
        let mut altered = bytes;
        altered[12..20].copy_from_slice(&none.to_le_bytes());
        let refused = Alarm::<f32>::restore(config, &sealed(altered));
        assert!(matches!(refused, Err(Error::Parameter { name: "saved", .. })), "{none}");
    }
}
