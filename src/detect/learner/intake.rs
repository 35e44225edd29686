//! Which readings become samples while a detector is at work.
//!
//! If only usual readings did, the tail of what is normal would be missing from the samples, and
//! with every refit the threshold would be off a little more. If all did, a fault would be learned.
//! So an unusual reading waits: it becomes a sample if its score is no more than twice the
//! threshold, and if the readings around it are usual. A fault that lasts, or a spike, never
//! enters. What is refused is counted, for the threshold to make up for.

use crate::detect::reading::Reading;
use crate::detect::{Threshold, Verdict};
use crate::math::Real;

/// How many readings on either side of an unusual one must be usual, if this share of normal ones
/// is unusual: up to 4, but so few that two thirds of these still become samples.
///
/// More keep out faults that flicker. But where more of what is normal is refused than the
/// threshold can make up for, it falls with every refit: with two readings and a share of 20 %,
/// false alarms rose to 80 % in 150 refits.
pub(super) fn calm_around<T: Real>(share: T) -> u32 {
    let usual = T::ONE - share;
    let mut taken = T::ONE;
    let enough = |_: &u32| {
        taken *= usual * usual;
        taken >= T::from_f64(0.65)
    };
    (1..=4).take_while(enough).last().unwrap_or(0)
}

/// What the score of a reading says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Not above the threshold.
    Usual,
    /// Up to twice the threshold.
    Unusual,
    /// Beyond that.
    Far,
}

impl Kind {
    pub(super) fn of<T: Real>(verdict: &Verdict<T>, threshold: &Threshold<T>) -> Self {
        match (verdict.unusual, threshold.doubled()) {
            (false, _) => Self::Usual,
            (true, twice) if twice.judge(verdict.score).unusual => Self::Far,
            (true, _) => Self::Unusual,
        }
    }
}

/// Decides which readings become samples.
#[derive(Clone, Debug)]
pub(super) struct Intake<X> {
    /// An unusual reading, at most one. Not an `Option`: see `AtMostOne` in `learner.rs`.
    waiting: heapless::Vec<X, 1, u32>,
    /// How many usual readings came since the last one that was not.
    calm: u32,
    /// How many readings became samples.
    taken: u32,
    /// How many did not.
    refused: u32,
}

impl<X: Reading> Intake<X> {
    /// Nothing seen yet; all zeros.
    pub(super) const EMPTY: Self =
        Self { waiting: heapless::Vec::new(), calm: 0, taken: 0, refused: 0 };

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        (self.calm, self.taken, self.refused) = (0, 0, 0);
    }

    /// Counts a sample that was pushed.
    pub(super) fn count_pushed(&mut self) {
        self.taken = self.taken.saturating_add(1);
    }

    /// What comes next does not follow what waits, and says nothing about it.
    pub(super) fn interrupt(&mut self) {
        self.refused = self.refused.saturating_add(self.waiting.len() as u32);
        self.waiting.clear();
    }

    /// Takes note of a reading; whether it becomes a sample at once, and one that no longer waits.
    /// `calm` is how many readings around an unusual one must be usual. `room` is the number of
    /// samples: what happened longer ago than a few times that fades.
    pub(super) fn offer(&mut self, x: &X, kind: Kind, calm: u32, room: usize) -> (bool, Option<X>) {
        let (now, waited) = match kind {
            Kind::Usual => {
                self.calm = self.calm.saturating_add(1);
                (true, if self.calm >= calm { self.waiting.pop() } else { None })
            }
            Kind::Unusual if calm == 0 => (true, None),
            Kind::Unusual | Kind::Far => {
                let isolated = self.calm >= calm;
                self.calm = 0;
                self.refused += self.waiting.len() as u32;
                self.waiting.clear();
                if isolated && kind == Kind::Unusual {
                    let pushed = self.waiting.push(x.clone());
                    debug_assert!(pushed.is_ok(), "nothing waits any more");
                } else {
                    self.refused += 1;
                }
                (false, None)
            }
        };
        self.taken += u32::from(now) + u32::from(waited.is_some());
        if (self.taken + self.refused) as usize / 4 >= room {
            self.taken /= 2;
            self.refused /= 2;
        }
        (now, waited)
    }

    /// The share of readings that were refused.
    pub(super) fn refused<T: Real>(&self) -> T {
        let seen = (self.taken + self.refused).max(1);
        T::from_usize(self.refused as usize) / T::from_usize(seen as usize)
    }
}
