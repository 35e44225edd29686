//! Was a sample missed, and how close was it?

use crate::timer::{self, PERIOD};

/// What the interrupts have seen of time; in counts of [`timer::CLOCK`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Ticks {
    /// Samples taken.
    pub seen: u32,
    /// Samples that were due and are lost.
    pub missed: u32,
    /// The shortest and the longest time from sample to sample.
    shortest: u32,
    longest: u32,
    /// The longest time that a window took.
    pub window: u32,
    last: u32,
}

impl Ticks {
    /// A sample is taken; returns how many there were before.
    pub fn tick(&mut self) -> u32 {
        let interval = timer::since(self.last);
        self.last = timer::now();
        let before = self.seen;
        if before > 0 {
            self.missed += (interval + PERIOD / 2) / PERIOD - 1;
            self.shortest = if before == 1 { interval } else { self.shortest.min(interval) };
            self.longest = self.longest.max(interval);
        }
        self.seen += 1;
        before
    }

    /// A window has been scored in this time.
    pub fn scored(&mut self, time: u32) {
        self.window = self.window.max(time);
    }

    /// For how long a sample was kept waiting at the most, by critical sections or anything else.
    pub fn wait(&self) -> u32 {
        self.longest - self.shortest
    }
}
