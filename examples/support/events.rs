//! What the event log of a wireless sensor looks like: a made-up one, that is the same in every run
//! and on every core.
//!
//! | code | event | | code | event |
//! |---|---|---|---|---|
//! | `w` | wakes up | | `t` | waited for the answer in vain |
//! | `m` | measures | | `z` | goes to sleep |
//! | `c` | connects | | `b` | boots |
//! | `s` | sends | | `d` | supply voltage dropped |
//! | `a` | was answered | | `k` | calibrates itself |
#![allow(dead_code, reason = "every program uses a part of it")]

/// Events in a record.
pub(crate) const LENGTH: usize = 32;

/// The latest events, as codes.
pub(crate) type Record = [u8; LENGTH];

/// A sensor that works as it should.
pub(crate) struct Sensor {
    state: u32,
}

impl Sensor {
    pub(crate) const fn new(seed: u32) -> Self {
        Self { state: seed }
    }

    /// The next record, which begins somewhere in a cycle.
    pub(crate) fn record(&mut self) -> Record {
        let (mut record, mut ahead) = ([0; LENGTH], self.below(7) as usize);
        let mut places = record.iter_mut();
        loop {
            for &event in self.cycle() {
                if ahead > 0 {
                    ahead -= 1;
                } else if let Some(place) = places.next() {
                    *place = event;
                } else {
                    return record;
                }
            }
        }
    }

    /// From waking up to going to sleep: mostly as usual, sometimes with a second try, rarely with
    /// a calibration.
    fn cycle(&mut self) -> &'static [u8] {
        match self.below(16) {
            0 => b"wkmcsaz",
            1..=3 => b"wmcstsaz",
            4..=6 => b"wmz",
            _ => b"wmcsaz",
        }
    }

    /// A random number below `bound`, by a linear congruence.
    fn below(&mut self, bound: u32) -> u32 {
        self.state = self.state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.state >> 16) % bound
    }
}

/// What goes wrong, and a record of it.
pub(crate) const TROUBLE: [(&str, &Record); 5] = [
    ("supply drops under load", b"wmcsdbwmcsdbwmcsdbwmcsdbwmcsdbwm"),
    ("nobody answers", b"wmcststststststzwmcststststststz"),
    ("never sleeps", b"wmcsamcsamcsamcsamcsamcsamcsamcs"),
    ("sends before it measures", b"wcsamzwcsamzwcsamzwcsamzwcsamzwc"),
    // Each event as often as usual.
    ("a usual record backwards", b"ascmwzascmwzmwzascmwzascmwzascmw"),
];
