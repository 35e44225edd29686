//! What works with a stream, whoever owns it.

use crate::error::Error;
use crate::progress::Progress;
use crate::signal::front_end::FrontEnd;
use crate::signal::names::Names;
use crate::signal::stream::Stream;
use crate::signal::window::Stored;

/// Where readings come from: a [`Stream`], or a mutable reference to one, so that the stream can be
/// a `static` while whoever works with it is a small value.
///
/// What these methods do is said at those of [`Stream`].
pub trait Source: sealed::Sealed {
    /// One sample of all channels.
    type Sample;
    /// What is made of a window: an array of `f32`.
    type Reading;

    /// See [`Stream::take`].
    ///
    /// # Errors
    /// As there.
    fn take(&mut self, sample: &Self::Sample) -> Result<Progress, Error>;
    /// See [`Stream::step`].
    ///
    /// # Errors
    /// As there.
    fn step(&mut self) -> Result<Progress, Error>;
    /// See [`Stream::left`].
    fn left(&self) -> usize;
    /// See [`Stream::gap`].
    fn gap(&mut self);
    /// See [`Stream::missing`].
    fn missing(&self) -> usize;
    /// See [`Stream::reading`].
    fn reading(&self) -> Option<&Self::Reading>;
    /// See [`Stream::floored`].
    fn floored(&self) -> usize;
    /// See [`Stream::names`].
    fn names(&self) -> Names<'static>;
}

mod sealed {
    pub trait Sealed {}
}

impl<
    F,
    T,
    const CHANNELS: usize,
    const LENGTH: usize,
    const HOP: usize,
    const INPUTS: usize,
    const MEMORY: usize,
> sealed::Sealed for Stream<F, T, CHANNELS, LENGTH, HOP, INPUTS, MEMORY>
{
}

impl<
    F: FrontEnd,
    T: Stored,
    const CHANNELS: usize,
    const LENGTH: usize,
    const HOP: usize,
    const INPUTS: usize,
    const MEMORY: usize,
> Source for Stream<F, T, CHANNELS, LENGTH, HOP, INPUTS, MEMORY>
{
    type Sample = [T; CHANNELS];
    type Reading = [f32; INPUTS];

    #[inline]
    fn take(&mut self, sample: &[T; CHANNELS]) -> Result<Progress, Error> {
        self.take(sample)
    }
    fn step(&mut self) -> Result<Progress, Error> {
        self.step()
    }
    fn left(&self) -> usize {
        self.left()
    }
    fn gap(&mut self) {
        self.gap();
    }
    fn missing(&self) -> usize {
        self.missing()
    }
    fn reading(&self) -> Option<&[f32; INPUTS]> {
        self.reading()
    }
    fn floored(&self) -> usize {
        self.floored()
    }
    fn names(&self) -> Names<'static> {
        self.names()
    }
}

impl<S: Source> sealed::Sealed for &mut S {}

impl<S: Source> Source for &mut S {
    type Sample = S::Sample;
    type Reading = S::Reading;

    #[inline]
    fn take(&mut self, sample: &S::Sample) -> Result<Progress, Error> {
        S::take(self, sample)
    }
    fn step(&mut self) -> Result<Progress, Error> {
        S::step(self)
    }
    fn left(&self) -> usize {
        S::left(self)
    }
    fn gap(&mut self) {
        S::gap(self);
    }
    fn missing(&self) -> usize {
        S::missing(self)
    }
    fn reading(&self) -> Option<&S::Reading> {
        S::reading(self)
    }
    fn floored(&self) -> usize {
        S::floored(self)
    }
    fn names(&self) -> Names<'static> {
        S::names(self)
    }
}
