//! Was a sample missed, and how close was it?

use crate::timer::{self, PERIOD};

/// What the interrupt has seen of time; in counts of [`timer::CLOCK`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Ticks {
    /// Samples taken.
    pub seen: u32,
    /// Samples that were due in between, and not taken.
    pub missed: u32,
    /// By how much a sample came late at the most, after the one before: the longest time for
    /// which anything kept the interrupt waiting.
    pub latest: u32,
    /// The longest time that a sample took, scoring included.
    pub longest: u32,
    last: u32,
}

impl Ticks {
    /// An interrupt begins.
    pub fn begin(&mut self) {
        let interval = timer::since(self.last);
        self.last = timer::now();
        if self.seen > 0 {
            self.missed += (interval + PERIOD / 2) / PERIOD - 1;
            self.latest = self.latest.max(interval.saturating_sub(PERIOD));
        }
        self.seen += 1;
    }

    /// It ends.
    pub fn end(&mut self) {
        self.longest = self.longest.max(timer::since(self.last));
    }
}
