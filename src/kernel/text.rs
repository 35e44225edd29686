//! Samples of varying length in memory of fixed size: codes and text.

use super::samples::Sample;
use crate::error::Error;

/// At most `N` event codes, seen by a kernel as `[u8]`.
///
/// ```
/// use mercer::Kernel;
/// use mercer::kernel::{Codes, Sample, Spectrum};
/// let mut log = Codes::<8>::new();
/// for event in *b"wmcs" {
///     log.push(event)?;
/// }
/// let other = Codes::<8>::try_from(&b"wmcsaz"[..])?;
/// assert_eq!(Spectrum::<f32>::new(2).eval(log.view(), other.view()), 3.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Codes<const N: usize>(heapless::Vec<u8, N, u32>);

impl<const N: usize> Codes<N> {
    /// No codes yet.
    pub const fn new() -> Self {
        Self(heapless::Vec::new())
    }

    /// Adds a code.
    ///
    /// # Errors
    /// [`Error::Capacity`] when there are `N` already.
    pub fn push(&mut self, code: u8) -> Result<(), Error> {
        let full = Error::Capacity { what: "codes", needed: N + 1, capacity: N };
        self.0.push(code).map_err(|_| full)
    }

    /// Drops all codes.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl<const N: usize> TryFrom<&[u8]> for Codes<N> {
    type Error = Error;
    fn try_from(codes: &[u8]) -> Result<Self, Error> {
        let full = Error::Capacity { what: "codes", needed: codes.len(), capacity: N };
        heapless::Vec::from_slice(codes).map(Self).map_err(|_| full)
    }
}

impl<const N: usize> Sample for Codes<N> {
    type View = [u8];
    fn view(&self) -> &[u8] {
        &self.0
    }
}

/// Text of at most `N` bytes, seen by a kernel as `str`.
///
/// ```
/// use mercer::kernel::{Sample, Text};
/// let name = Text::<16>::try_from("pump-3")?;
/// assert_eq!(name.view(), "pump-3");
/// assert!(Text::<4>::try_from("pump-3").is_err());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Text<const N: usize>(heapless::String<N, u32>);

impl<const N: usize> Text<N> {
    /// No text yet.
    pub const fn new() -> Self {
        Self(heapless::String::new())
    }
}

impl<const N: usize> TryFrom<&str> for Text<N> {
    type Error = Error;
    fn try_from(text: &str) -> Result<Self, Error> {
        let full = Error::Capacity { what: "bytes of text", needed: text.len(), capacity: N };
        let mut copy = heapless::String::new();
        copy.push_str(text).map_err(|_| full)?;
        Ok(Self(copy))
    }
}

impl<const N: usize> Sample for Text<N> {
    type View = str;
    fn view(&self) -> &str {
        &self.0
    }
}
