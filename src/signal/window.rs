//! The last samples of all channels.
//!
//! A window is complete when it holds `LENGTH` samples that followed one another, and then again
//! after every `HOP` samples: windows start at sample 0, `HOP`, 2 `HOP`, … after a start or a gap,
//! as in a recording that is cut on a desk. With `HOP` larger than `LENGTH`, the samples between
//! two windows belong to none. What does not fill a window before a gap is dropped.
//!
//! Each channel has a ring of its own, so that it can be lent out in the order of time as two
//! slices, and nothing is moved but the new sample.

use crate::error::{Error, Fault};
use crate::linalg::slices::{set, split};

/// The largest size of a sample: far from where differences or sums overflow.
pub const LARGEST: f32 = 1e20;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for i16 {}
}

/// What raw samples are; see [`Stored`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum SampleKind {
    /// Numbers, as `f32`.
    Numbers,
    /// Counts of a converter, as `i16`.
    Counts,
}

/// What a window keeps of a sample: `f32`, or the raw counts of a converter as `i16` in half the
/// memory.
pub trait Stored: sealed::Sealed + Copy {
    /// Which of the two it is.
    const KIND: SampleKind;
    /// What a window holds before its first sample.
    const ZERO: Self;
    /// As a number.
    fn value(self) -> f32;
    /// Finite, and no larger than [`LARGEST`].
    fn is_usable(self) -> bool;
}

impl Stored for f32 {
    const KIND: SampleKind = SampleKind::Numbers;
    const ZERO: Self = 0.0;
    fn value(self) -> f32 {
        self
    }
    fn is_usable(self) -> bool {
        self.abs() <= LARGEST
    }
}

impl Stored for i16 {
    const KIND: SampleKind = SampleKind::Counts;
    const ZERO: Self = 0;
    fn value(self) -> f32 {
        f32::from(self)
    }
    fn is_usable(self) -> bool {
        true
    }
}

/// The last `LENGTH` samples of `CHANNELS` channels, complete every `HOP` samples.
///
/// `T` is `f32`, or `i16` for raw counts, which [`FrontEnd::SCALES`](crate::signal::FrontEnd)
/// brings to units. An empty window is all zeros, so a `static` one takes no flash. A length or hop
/// of 0 does not compile:
///
/// ```compile_fail
/// # use mercer::signal::Window;
/// let window = Window::<f32, 3, 64, 0>::new();
/// ```
#[derive(Clone, Debug)]
pub struct Window<T, const CHANNELS: usize, const LENGTH: usize, const HOP: usize> {
    rings: [[T; LENGTH]; CHANNELS],
    /// Where the next sample goes: behind the newest, in place of the oldest.
    next: usize,
    /// Samples since the last complete window, or since the start.
    since: usize,
    /// Has a window been complete since the start?
    running: bool,
}

impl<T: Stored, const CHANNELS: usize, const LENGTH: usize, const HOP: usize>
    Window<T, CHANNELS, LENGTH, HOP>
{
    /// A window without samples.
    pub const fn new() -> Self {
        const { assert!(CHANNELS > 0 && LENGTH > 0 && HOP > 0, "channels, length and hop are > 0") };
        Self { rings: [[T::ZERO; LENGTH]; CHANNELS], next: 0, since: 0, running: false }
    }

    /// Takes a sample of all channels; returns the window if this completes one.
    ///
    /// # Errors
    /// [`Error::Channel`] names the first channel whose value is not finite or larger than
    /// [`LARGEST`]. The samples before it and those after it do not follow one another, so the
    /// window starts afresh, as after a [`gap`](Self::gap).
    #[inline]
    pub fn push(
        &mut self,
        sample: &[T; CHANNELS],
    ) -> Result<Option<Full<'_, T, CHANNELS, LENGTH>>, Error> {
        if let Some(channel) = sample.iter().position(|value| !value.is_usable()) {
            self.gap();
            return Err(Error::Channel { channel, rule: "finite and within ±1e20" });
        }
        for (ring, &value) in self.rings.iter_mut().zip(sample) {
            set(ring, self.next, value);
        }
        self.next = if self.next + 1 < LENGTH { self.next + 1 } else { 0 };
        self.since += 1;
        if self.since < if self.running { HOP } else { LENGTH } {
            return Ok(None);
        }
        (self.since, self.running) = (0, true);
        Ok(self.full())
    }

    /// The window that the last sample completed, if it did: the next one takes a place in it.
    pub fn full(&self) -> Option<Full<'_, T, CHANNELS, LENGTH>> {
        let complete = self.running && self.since == 0;
        complete.then_some(Full { rings: &self.rings, oldest: self.next })
    }

    /// Samples are missing here, or another recording begins: no window spans this place.
    pub fn gap(&mut self) {
        (self.next, self.since, self.running) = (0, 0, false);
    }

    /// How many more samples complete a window.
    pub fn missing(&self) -> usize {
        if self.running { HOP - self.since } else { LENGTH - self.since }
    }
}

impl<T: Stored, const CHANNELS: usize, const LENGTH: usize, const HOP: usize> Default
    for Window<T, CHANNELS, LENGTH, HOP>
{
    fn default() -> Self {
        Self::new()
    }
}

/// A complete window, lent out by [`Window::push`].
#[derive(Clone, Copy, Debug)]
pub struct Full<'a, T, const CHANNELS: usize, const LENGTH: usize> {
    rings: &'a [[T; LENGTH]; CHANNELS],
    oldest: usize,
}

impl<'a, T: Stored, const CHANNELS: usize, const LENGTH: usize> Full<'a, T, CHANNELS, LENGTH> {
    /// The channels, in order.
    pub fn channels(&self) -> impl ExactSizeIterator<Item = Channel<'a, T>> {
        let oldest = self.oldest;
        self.rings.iter().map(move |ring| Channel::of_ring(ring, oldest))
    }

    /// One of the channels, counted from 0.
    pub fn channel(&self, number: usize) -> Option<Channel<'a, T>> {
        self.rings.get(number).map(|ring| Channel::of_ring(ring, self.oldest))
    }
}

/// The samples of one channel, in the order of time: what a window lends out, or any slice.
#[derive(Clone, Copy, Debug)]
pub struct Channel<'a, T> {
    parts: [&'a [T]; 2],
    scale: f32,
}

impl<'a, T: Stored> Channel<'a, T> {
    /// The samples of a slice.
    ///
    /// # Errors
    /// [`Error::TooFewSamples`] if there are none; [`Error::Sample`] names the first that is not
    /// finite or larger than [`LARGEST`], as input 0.
    pub fn new(samples: &'a [T]) -> Result<Self, Error> {
        if samples.is_empty() {
            return Err(Error::TooFewSamples { given: 0, needed: 1 });
        }
        match samples.iter().position(|sample| !sample.is_usable()) {
            Some(index) => Err(Error::Sample { index, fault: Fault::NotFinite { input: 0 } }),
            None => Ok(Self { parts: [samples, &[]], scale: 1.0 }),
        }
    }

    fn of_ring(ring: &'a [T], oldest: usize) -> Self {
        let (newer, older) = split(ring, oldest);
        Self { parts: [older, newer], scale: 1.0 }
    }

    /// The same samples times a factor, such as units per count.
    #[must_use]
    pub fn scaled(self, factor: f32) -> Self {
        Self { scale: self.scale * factor, ..self }
    }

    /// How many samples there are: at least one.
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        let [older, newer] = self.parts;
        older.len() + newer.len()
    }

    /// The samples as numbers, from the oldest to the newest.
    pub fn values(&self) -> impl Iterator<Item = f32> {
        let [older, newer] = self.parts;
        older.iter().chain(newer).map(|sample| sample.value() * self.scale)
    }

    /// The oldest sample.
    pub(crate) fn first(&self) -> f32 {
        let [older, newer] = self.parts;
        let first = older.first().or(newer.first());
        debug_assert!(first.is_some(), "a channel has samples");
        first.map_or(0.0, |sample| sample.value() * self.scale)
    }

    /// Hands over each sample, from the oldest to the newest: two plain loops where an iterator
    /// over both parts would ask at every sample which of them it is in.
    #[inline(always)]
    pub(crate) fn each(&self, mut visit: impl FnMut(f32)) {
        for part in self.parts {
            for sample in part {
                visit(sample.value() * self.scale);
            }
        }
    }

    /// The sums of some terms of each sample.
    ///
    /// Those of 32 samples are added up before they join the totals, so that errors stay small in
    /// long windows: off by at most `(32 + n/32) ε/2` of the sum of sizes. Blocks are counted from
    /// the oldest sample, wherever the ring begins: the same samples have the same bits.
    #[inline(always)]
    pub(crate) fn sums<S: Terms>(&self, mut terms: impl FnMut(f32) -> S) -> S {
        let (mut totals, mut sums, mut left) = (S::default(), S::default(), BLOCK);
        for mut part in self.parts {
            while !part.is_empty() {
                let (now, later) = split(part, left.min(part.len()));
                for sample in now {
                    sums = sums.plus(terms(sample.value() * self.scale));
                }
                (part, left) = (later, left - now.len());
                if left == 0 {
                    (totals, sums, left) = (totals.plus(sums), S::default(), BLOCK);
                }
            }
        }
        totals.plus(sums)
    }
}

/// Samples whose terms are added up before they join a total.
const BLOCK: usize = 32;

/// Numbers that are added up at the same time.
pub(crate) trait Terms: Copy + Default {
    fn plus(self, other: Self) -> Self;
}

impl Terms for f32 {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
}

impl Terms for (f32, f32) {
    #[inline(always)]
    fn plus(self, (a, b): Self) -> Self {
        (self.0 + a, self.1 + b)
    }
}

impl Terms for (f32, f32, f32) {
    #[inline(always)]
    fn plus(self, (a, b, c): Self) -> Self {
        (self.0 + a, self.1 + b, self.2 + c)
    }
}
