//! The alarm follows its documented table, checked against a plain model over every short sequence of events.

use mercer::{Alarm, AlarmConfig, AlarmState, Error};

use AlarmState::{Acknowledged, Latched, Normal, Raised, WarmUp};
use Event::{Acknowledge, Missing, Reading, Reset};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    Reading(bool),
    Missing,
    Acknowledge,
    Reset,
}

const EVENTS: [Event; 5] = [Reading(false), Reading(true), Missing, Acknowledge, Reset];

fn apply(alarm: &mut Alarm, event: Event) -> AlarmState {
    match event {
        Reading(anomalous) => alarm.update(anomalous),
        Missing => alarm.missing(),
        Acknowledge => alarm.acknowledge(),
        Reset => alarm.reset(),
    }
}

/// What the documentation says, with the whole past kept and every number counted anew.
#[derive(Clone, Default)]
struct Model {
    /// All readings since the start.
    readings: Vec<bool>,
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
            Reading(anomalous) => {
                self.readings.push(anomalous);
                let a = self.anomalies(config);
                if !self.active && a >= usize::from(config.raise) {
                    (self.active, self.pending) = (true, true);
                } else if self.active && a <= usize::from(config.clear) {
                    self.active = false;
                    self.pending &= config.latch;
                }
            }
        }
    }

    fn anomalies(&self, config: &AlarmConfig) -> usize {
        let judged = self.readings.iter().skip(usize::from(config.warm_up));
        judged.rev().take(usize::from(config.window)).filter(|&&anomalous| anomalous).count()
    }

    fn state(&self, config: &AlarmConfig) -> AlarmState {
        match (self.active, self.pending) {
            _ if self.readings.len() < usize::from(config.warm_up) => WarmUp,
            (false, false) => Normal,
            (true, true) => Raised,
            (true, false) => Acknowledged,
            (false, true) => Latched,
        }
    }
}

/// Follows all sequences of `left` more events; returns how many states it compared.
fn follow(config: &AlarmConfig, alarm: Alarm, model: &Model, left: usize) -> usize {
    if left == 0 {
        return 0;
    }
    let mut compared = 0;
    for event in EVENTS {
        let (mut alarm, mut model) = (alarm, model.clone());
        let state = apply(&mut alarm, event);
        model.apply(config, event);
        assert_eq!(state, model.state(config), "{config:?}: {event:?} after {:?}", model.readings);
        assert_eq!(alarm.state(), state);
        assert_eq!(alarm.unusual() as usize, model.anomalies(config));
        compared += 1 + follow(config, alarm, &model, left - 1);
    }
    compared
}

fn configs(windows: impl Iterator<Item = u8> + Clone) -> impl Iterator<Item = AlarmConfig> {
    let sizes = windows.flat_map(|window| {
        (1..=window).flat_map(move |raise| (0..raise).map(move |clear| (window, raise, clear)))
    });
    sizes.flat_map(|(window, raise, clear)| {
        [(0, false), (0, true), (2, false), (2, true)].map(|(warm_up, latch)| {
            AlarmConfig::DEFAULT
                .warm_up(warm_up)
                .window(window)
                .raise(raise)
                .clear(clear)
                .latch(latch)
        })
    })
}

#[test]
fn every_short_sequence_agrees_with_the_model() {
    let mut compared = 0;
    for config in configs(1..=3) {
        let alarm = Alarm::new(config).unwrap();
        assert_eq!(alarm.state(), Model::default().state(&config));
        compared += follow(&config, alarm, &Model::default(), 7);
    }
    assert_eq!(compared, 40 * (5 + 25 + 125 + 625 + 3125 + 15625 + 78125));
}

#[test]
fn long_sequences_agree_with_the_model_for_every_size_of_window() {
    // Numerical Recipes' generator: its high bits are good enough for events.
    let mut seed = 1_u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed >> 16
    };
    for window in 1..=32_u8 {
        for raise in [1, window.div_ceil(2), window] {
            let config = AlarmConfig::DEFAULT
                .warm_up(40)
                .window(window)
                .raise(raise)
                .clear(raise - 1)
                .latch(true);
            let (mut alarm, mut model) = (Alarm::new(config).unwrap(), Model::default());
            // Bursts, so that full windows occur too.
            let mut burst = false;
            for _ in 0..2000 {
                burst ^= random() % 40 == 0;
                let event = match random() % 100 {
                    0 => Missing,
                    1..=3 => Acknowledge,
                    _ => Reading(burst ^ (random() % 10 == 0)),
                };
                let state = apply(&mut alarm, event);
                model.apply(&config, event);
                assert_eq!(state, model.state(&config), "{config:?}");
            }
        }
    }
}

/// The table in the documentation of the module, cell by cell.
#[test]
fn the_documented_table_holds() {
    // 2 of 3, ends at 0 of 3; the readings that lead to a state, and then the event.
    let config = AlarmConfig::DEFAULT.warm_up(1).window(3).raise(2).clear(0).latch(true);
    let (normal, anomalous) = (Reading(false), Reading(true));
    let cells: [(&[Event], Event, AlarmState); 21] = [
        (&[], Missing, WarmUp),
        (&[], Acknowledge, WarmUp),
        (&[], anomalous, Normal),
        (&[], normal, Normal),
        (&[normal], normal, Normal),
        (&[normal], Acknowledge, Normal),
        (&[normal, anomalous], normal, Normal),
        (&[normal, anomalous], anomalous, Raised),
        // During warm-up: not one of the two.
        (&[anomalous], anomalous, Normal),
        (&[normal, anomalous, anomalous], anomalous, Raised),
        (&[normal, anomalous, anomalous], Missing, Raised),
        (&[normal, anomalous, anomalous, normal], normal, Raised),
        (&[normal, anomalous, anomalous, normal, normal], normal, Latched),
        (&[normal, anomalous, anomalous], Acknowledge, Acknowledged),
        (&[normal, anomalous, anomalous, Acknowledge], anomalous, Acknowledged),
        (&[normal, anomalous, anomalous, Acknowledge, normal], normal, Acknowledged),
        (&[normal, anomalous, anomalous, Acknowledge, normal, normal], normal, Normal),
        (&[normal, anomalous, anomalous, normal, normal, normal], anomalous, Latched),
        (&[normal, anomalous, anomalous, normal, normal, normal, anomalous], anomalous, Raised),
        (&[normal, anomalous, anomalous, normal, normal, normal], Acknowledge, Normal),
        (&[normal, anomalous, anomalous], Reset, WarmUp),
    ];
    for (before, event, after) in cells {
        let mut alarm = Alarm::new(config).unwrap();
        for &event in before {
            apply(&mut alarm, event);
        }
        assert_eq!(apply(&mut alarm, event), after, "{before:?}, then {event:?}");
    }
    let mut unlatched = Alarm::new(config.latch(false).warm_up(0)).unwrap();
    let states = [true, true, false, false, false].map(|anomalous| unlatched.update(anomalous));
    assert_eq!(states, [Normal, Raised, Raised, Raised, Normal]);
}

#[test]
fn wrong_configurations_are_named() {
    let name = |config: AlarmConfig| match (config.validate(), Alarm::new(config)) {
        (Err(Error::Parameter { name, .. }), Err(same)) => {
            assert_eq!(config.validate(), Err(same));
            name
        }
        (Ok(()), Ok(_)) => "",
        other => panic!("{other:?}"),
    };
    let default = AlarmConfig::DEFAULT;
    assert_eq!(name(default), "");
    assert_eq!(AlarmConfig::default(), default);
    for window in [0, 33, 255] {
        assert_eq!(name(default.window(window)), "window");
    }
    for raise in [0, 6] {
        assert_eq!(name(default.raise(raise)), "raise");
    }
    assert_eq!(name(default.clear(3)), "clear");
    assert_eq!(name(default.window(32).raise(32).clear(31)), "");
}

#[test]
fn missing_readings_are_counted_and_the_count_saturates() {
    let mut alarm = Alarm::new(AlarmConfig::DEFAULT.warm_up(u16::MAX)).unwrap();
    for _ in 0..70_000 {
        alarm.missing();
    }
    assert_eq!((alarm.absent(), alarm.state()), (u16::MAX, WarmUp));
    for _ in 0..u16::MAX {
        assert_eq!(alarm.state(), WarmUp);
        alarm.update(true);
    }
    assert_eq!((alarm.absent(), alarm.state(), alarm.unusual()), (0, Normal, 0));
}

/// The figure in the documentation of `AlarmConfig::DEFAULT`.
#[test]
fn the_default_raises_falsely_once_in_860_readings() {
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
