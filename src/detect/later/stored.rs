//! Later readings as bytes, so that they outlast a reset.
//!
//! All numbers are little-endian and follow each other without gaps; a scalar takes `s` bytes.
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 4 | `MRCL` |
//! | 4 | 2 | [`LATER_FORMAT_VERSION`] |
//! | 6 | 1 | `s`: 4 for `f32`, 8 for `f64` |
//! | 7 | 1 | 0 |
//! | 8 | 4 | `K`, how many scores are kept at the most |
//! | 12 | 4 | the number of readings |
//! | 16 | 4 | how many of them are above the threshold from before |
//! | 20 | 4`s` | that threshold, the mean score that belongs to it, the share it promised, the mean of the scores |
//! | | `Ks` | the largest scores, descending; zeros after those in use |
//! | last 4 | 4 | CRC-32 of all bytes before |

use super::LaterReadings;
use crate::detect::Threshold;
use crate::detect::persist::{Encode, Reader, Writer, checksum};
use crate::error::{Error, FormatFault};
use crate::math::Real;

/// The version of the layout that is written, and the only one that is read.
pub const LATER_FORMAT_VERSION: u16 = 1;

const MAGIC: [u8; 4] = *b"MRCL";
const CHECKSUM_SIZE: usize = 4;

/// Storing.
impl<T: Real + Encode, const K: usize> LaterReadings<T, [T; K]> {
    /// How many bytes [`write_to`](Self::write_to) needs.
    pub const ENCODED_SIZE: usize = 20 + (4 + K) * T::SIZE + CHECKSUM_SIZE;

    /// Writes all to the front of `out` and returns how many bytes that took, which are
    /// [`ENCODED_SIZE`](Self::ENCODED_SIZE).
    ///
    /// # Errors
    /// [`Error::Capacity`] when `out` is shorter.
    pub fn write_to(&self, out: &mut [u8]) -> Result<usize, Error> {
        let (needed, capacity) = (Self::ENCODED_SIZE, out.len());
        let no_room = Error::Capacity { what: "encoded later readings", needed, capacity };
        let out = out.get_mut(..needed).ok_or(no_room)?;
        let (body, check) = out.split_last_chunk_mut().ok_or(no_room)?;
        let mut to = Writer::new(body);
        to.bytes(MAGIC)?;
        LATER_FORMAT_VERSION.encode(&mut to)?;
        to.bytes([T::SIZE as u8, 0])?;
        for number in [K as u32, self.count, self.unusual] {
            number.encode(&mut to)?;
        }
        let Threshold { spe, usual } = self.before;
        for number in [spe, usual, self.promised, self.mean].iter().chain(&self.largest) {
            number.encode(&mut to)?;
        }
        *check = checksum(body).to_le_bytes();
        Ok(needed)
    }

    /// Takes up what [`write_to`](Self::write_to) wrote, from the front of `bytes`.
    ///
    /// # Errors
    /// All of them leave it as it was: [`Error::Format`] for bytes that are no later readings or
    /// were altered, [`Error::Shape`] for another `K`, and [`Error::Parameter`] for numbers that
    /// are never written.
    pub fn read_from(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let read = Self::decode(bytes)?;
        read.validate()?;
        *self = read;
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let mut from = Reader::new(bytes);
        if from.bytes()? != MAGIC {
            return Err(Error::Format(FormatFault::Magic));
        }
        let (found, expected) = (u16::decode(&mut from)?, LATER_FORMAT_VERSION);
        if found != expected {
            return Err(Error::Format(FormatFault::Version { found, expected }));
        }
        let [scalar, flags] = from.bytes()?;
        let room = u32::decode(&mut from)? as usize;
        if usize::from(scalar) != T::SIZE {
            let fault = FormatFault::Scalar { expected: T::SIZE as u8, found: scalar };
            return Err(Error::Format(fault));
        }
        if room != K {
            return Err(Error::Shape { what: "largest scores", expected: K, given: room });
        }
        let needed = Self::ENCODED_SIZE;
        let truncated = Error::Format(FormatFault::Truncated { needed, given: bytes.len() });
        let whole = bytes.get(..needed).ok_or(truncated)?;
        let (checked, stored) = whole.split_last_chunk().ok_or(truncated)?;
        if checksum(checked) != u32::from_le_bytes(*stored) {
            return Err(Error::Format(FormatFault::Checksum));
        }
        if flags != 0 {
            return Err(Error::Format(FormatFault::Flags { found: flags }));
        }
        let mut read = Self::of(&Threshold::EMPTY, T::ZERO);
        (read.count, read.unusual) = (u32::decode(&mut from)?, u32::decode(&mut from)?);
        read.before = Threshold::new(T::decode(&mut from)?).with_usual(T::decode(&mut from)?);
        (read.promised, read.mean) = (T::decode(&mut from)?, T::decode(&mut from)?);
        for place in &mut read.largest {
            *place = T::decode(&mut from)?;
        }
        Ok(read)
    }

    /// Can readings have led to this?
    fn validate(&self) -> Result<(), Error> {
        let kept = self.largest();
        let above = kept.iter().filter(|&&score| score > self.before.spe).count();
        let rest = self.largest.iter().skip(kept.len());
        let (name, rule) = if !kept.iter().chain([&self.mean]).all(|score| score.is_finite()) {
            ("spe", "finite")
        } else if !kept.is_sorted_by(|a, b| a >= b) || rest.into_iter().any(|&v| v != T::ZERO) {
            ("largest", "descending, then zeros")
        } else if above != self.unusual().min(kept.len()) || self.unusual > self.count {
            ("unusual", "as many as are above the threshold")
        } else {
            return Ok(());
        };
        Err(Error::Parameter { name, rule })
    }
}
