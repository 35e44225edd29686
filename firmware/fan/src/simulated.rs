//! A fan to try things on where there is none: in an emulator, or before the sensor has arrived.
//!
//! In integers only, and the same samples in every run.

use crate::Sample;

/// One turn of the shaft: 50 turns a second at 1000 samples.
const TURN: [i32; 20] = [
    0, 309, 588, 809, 951, 1000, 951, 809, 588, 309, 0, -309, -588, -809, -951, -1000, -951, -809,
    -588, -309,
];
/// The load goes up and down once in so many samples.
const LOAD_PERIOD: u32 = 1400;

/// How the fan is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    /// As it should be.
    Sound,
    /// A blade touches the housing once a turn, which axis `ay` feels.
    Rubbing,
}

/// Where the fan is in its turn.
#[derive(Clone, Debug)]
pub struct Fan {
    time: u32,
    noise: u32,
}

impl Fan {
    /// A fan at rest.
    pub const fn new() -> Self {
        Self { time: 0, noise: 1 }
    }

    /// The next sample.
    pub fn sample(&mut self, condition: Condition) -> Sample {
        let phase = (self.time % TURN.len() as u32) as usize;
        let round = (self.time % LOAD_PERIOD) as i32;
        let load = 80 + (round - LOAD_PERIOD as i32 / 2).abs() / 20;
        self.time = self.time.wrapping_add(1);
        let quarter = (phase + TURN.len() / 4) % TURN.len();
        let ax = 4 * TURN[phase] * load / 1000 + self.noise(40);
        let mut ay = 3 * TURN[quarter] * load / 1000 + self.noise(40);
        if condition == Condition::Rubbing && phase == 0 {
            ay += 900;
        }
        [ax, ay].map(|value| (2048 + value) as i16)
    }

    /// From `-largest` to `largest`.
    fn noise(&mut self, largest: i32) -> i32 {
        self.noise = self.noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.noise >> 8) as i32 % (2 * largest + 1) - largest
    }
}

impl Default for Fan {
    fn default() -> Self {
        Self::new()
    }
}

/// Which samples of the recording are of a fan that rubs.
pub const RUBBING: core::ops::Range<u32> = 4080..4600;
/// How many samples the recording has.
pub const RECORDED: u32 = 6120;

/// How the fan is at a sample of the recording.
pub fn condition(time: u32) -> Condition {
    if RUBBING.contains(&time) { Condition::Rubbing } else { Condition::Sound }
}
