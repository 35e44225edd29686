//! The order of samples that take each other's places, and the recordings that they are of.

use crate::linalg::slices::{entry, set, swap};

/// Which sample is older than which.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    /// Samples are in the order of their age from this place on and round the end.
    oldest: usize,
}

impl Turn {
    /// In the order of their places; all zeros.
    pub(super) const FIRST: Self = Self { oldest: 0 };

    /// There are no samples any more.
    pub(super) const fn clear(&mut self) {
        self.oldest = 0;
    }

    /// Where the oldest sample is.
    pub(super) const fn oldest(&self) -> usize {
        self.oldest
    }

    /// Where the sample of this age is among so many, counted from the oldest.
    pub(super) fn place(&self, age: usize, samples: usize) -> usize {
        (self.oldest + age).checked_rem(samples).unwrap_or(0)
    }

    /// The age of the sample at this place among so many.
    pub(super) fn age(&self, place: usize, samples: usize) -> usize {
        age(place, self.oldest, samples)
    }

    /// Of so many samples, which is all that there is room for: the place of the oldest, which is
    /// to be the newest.
    pub(super) fn replace_oldest(&mut self, samples: usize) -> usize {
        let next = self.place(1, samples);
        core::mem::replace(&mut self.oldest, next)
    }

    /// Moves a random one of so many samples to the place of the oldest, and those that are older
    /// than it by a place each; `random` is the state of the generator.
    pub(super) fn bring_random_forward(
        &self,
        random: &mut u32,
        samples: usize,
        mut exchange: impl FnMut(usize, usize),
    ) {
        // Numerical Recipes' generator of 32 bits, of which the upper ones are taken.
        *random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let chosen = ((u64::from(*random) * samples as u64) >> 32) as usize;
        for age in (0..chosen).rev() {
            exchange(self.place(age, samples), self.place(age + 1, samples));
        }
    }
}

/// The age of the sample at this place among so many, of which this is the oldest.
pub(super) fn age(place: usize, oldest: usize, samples: usize) -> usize {
    (place + samples - oldest).checked_rem(samples).unwrap_or(0)
}

/// Which recording each of at most `N` samples is of; samples of one follow each other.
#[derive(Clone, Debug)]
pub(super) struct Recordings<const N: usize> {
    numbers: [u8; N],
    present: u8,
    /// The next sample begins a recording.
    interrupted: bool,
}

impl<const N: usize> Recordings<N> {
    /// No samples; all zeros.
    pub(super) const EMPTY: Self = Self { numbers: [0; N], present: 0, interrupted: false };

    /// The next sample does not follow the last one.
    pub(super) const fn interrupt(&mut self) {
        self.interrupted = true;
    }

    /// The newest sample, at this place, is of the present recording.
    pub(super) fn note(&mut self, place: usize) {
        if core::mem::take(&mut self.interrupted) {
            self.present = self.present.wrapping_add(1);
        }
        set(&mut self.numbers, place, self.present);
    }

    /// Two samples change places.
    pub(super) fn swap(&mut self, a: usize, b: usize) {
        swap(&mut self.numbers, a, b);
    }

    /// At which ages, among so many samples, all recordings but the first begin.
    pub(super) fn begins(
        &self,
        turn: &Turn,
        samples: usize,
    ) -> impl Iterator<Item = usize> + Clone {
        let recording = move |age| entry(&self.numbers, turn.place(age, samples));
        (1..samples).filter(move |&age| recording(age) != recording(age - 1))
    }
}
