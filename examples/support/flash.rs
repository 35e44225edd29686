//! A NOR flash in RAM that keeps to the rules of a real one, and whose power can fail at any byte.
//!
//! Programming only clears bits, erasing sets whole pages to 0xFF, and both happen byte by byte
//! from front to back. Where a real driver would return garbage or nothing at all for a broken
//! rule, this one returns an error.
#![allow(dead_code, reason = "every program uses a part of it")]

use embedded_storage_async::nor_flash::{
    ErrorType, NorFlash, NorFlashError, NorFlashErrorKind, ReadNorFlash,
};

/// Bytes that are programmed together.
pub(crate) const WORD: usize = 4;

/// `PAGES` pages of `PAGE` bytes that can only be erased as a whole.
#[derive(Clone)]
pub(crate) struct RamFlash<const PAGES: usize, const PAGE: usize> {
    bytes: [[u8; PAGE]; PAGES],
    /// How many more bytes can be programmed or erased; none means that power is stable.
    power: Option<usize>,
    /// Bits of the byte at which power fails that are still programmed or erased.
    torn: u8,
    /// Bytes programmed or erased so far: the wear, and the places at which power can fail.
    used: usize,
    /// A byte that is worn: it stays as it is, whatever is done to it, and nobody is told.
    worn: Option<usize>,
}

/// What went wrong with the flash.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FlashError {
    /// Power has failed. Nothing works before it is back.
    PowerCut,
    /// Outside the flash.
    OutOfBounds,
    /// Not at the start of a word or page, or not a whole number of them.
    NotAligned,
    /// A bit that was already programmed should become 1 again.
    NotErased,
}

impl NorFlashError for FlashError {
    fn kind(&self) -> NorFlashErrorKind {
        match self {
            Self::OutOfBounds => NorFlashErrorKind::OutOfBounds,
            Self::NotAligned => NorFlashErrorKind::NotAligned,
            Self::PowerCut | Self::NotErased => NorFlashErrorKind::Other,
        }
    }
}

impl<const PAGES: usize, const PAGE: usize> RamFlash<PAGES, PAGE> {
    /// A flash as it is delivered: erased.
    pub(crate) const fn new() -> Self {
        Self { bytes: [[0xFF; PAGE]; PAGES], power: None, torn: 0, used: 0, worn: None }
    }

    /// Power will fail after `bytes` more bytes; of the byte after these, only the bits of `torn`
    /// are programmed or erased.
    pub(crate) fn cut_power_after(&mut self, bytes: usize, torn: u8) {
        (self.power, self.torn) = (Some(bytes), torn);
    }

    /// Power is back, and stable.
    pub(crate) fn restore_power(&mut self) {
        self.power = None;
    }

    /// All bytes, to put something else there.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        self.bytes.as_flattened_mut()
    }

    /// From now on this byte cannot be changed.
    pub(crate) fn wear_out(&mut self, address: usize) {
        self.worn = Some(address);
    }

    /// Bytes programmed or erased so far.
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    /// The range of bytes of an operation.
    fn place(&mut self, start: u32, length: usize, unit: usize) -> Result<&mut [u8], FlashError> {
        let start = start as usize;
        if !start.is_multiple_of(unit) || !length.is_multiple_of(unit) {
            return Err(FlashError::NotAligned);
        }
        let bytes = self.bytes.as_flattened_mut();
        bytes.get_mut(start..start.saturating_add(length)).ok_or(FlashError::OutOfBounds)
    }

    /// Whether another byte can be changed, and which of its bits.
    fn spend(&mut self) -> Result<(), u8> {
        match &mut self.power {
            Some(0) => return Err(core::mem::take(&mut self.torn)),
            Some(left) => *left -= 1,
            None => {}
        }
        self.used += 1;
        Ok(())
    }
}

impl<const PAGES: usize, const PAGE: usize> ErrorType for RamFlash<PAGES, PAGE> {
    type Error = FlashError;
}

impl<const PAGES: usize, const PAGE: usize> ReadNorFlash for RamFlash<PAGES, PAGE> {
    const READ_SIZE: usize = WORD;

    async fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), FlashError> {
        if self.power == Some(0) {
            return Err(FlashError::PowerCut);
        }
        bytes.copy_from_slice(self.place(offset, bytes.len(), WORD)?);
        Ok(())
    }

    fn capacity(&self) -> usize {
        PAGES * PAGE
    }
}

impl<const PAGES: usize, const PAGE: usize> NorFlash for RamFlash<PAGES, PAGE> {
    const WRITE_SIZE: usize = WORD;
    const ERASE_SIZE: usize = PAGE;

    async fn erase(&mut self, from: u32, to: u32) -> Result<(), FlashError> {
        let worn = self.worn;
        let length = to.checked_sub(from).ok_or(FlashError::OutOfBounds)? as usize;
        self.place(from, length, PAGE)?;
        for address in from..to {
            let change = self.spend();
            let [byte] = self.place(address, 1, 1)? else { return Err(FlashError::OutOfBounds) };
            match change {
                Ok(()) if worn == Some(address as usize) => {}
                Ok(()) => *byte = 0xFF,
                Err(torn) => {
                    *byte |= torn;
                    return Err(FlashError::PowerCut);
                }
            }
        }
        Ok(())
    }

    async fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), FlashError> {
        let worn = self.worn.and_then(|worn| worn.checked_sub(offset as usize));
        let place = self.place(offset, bytes.len(), WORD)?;
        let cannot = |(i, (old, new)): (usize, (&u8, &u8))| new & !old != 0 && worn != Some(i);
        if place.iter().zip(bytes).enumerate().any(cannot) {
            return Err(FlashError::NotErased);
        }
        for (address, new) in (offset..).zip(bytes) {
            let change = self.spend();
            let [byte] = self.place(address, 1, 1)? else { return Err(FlashError::OutOfBounds) };
            match change {
                Ok(()) if worn == Some((address - offset) as usize) => {}
                Ok(()) => *byte &= new,
                Err(torn) => {
                    *byte &= new | !torn;
                    return Err(FlashError::PowerCut);
                }
            }
        }
        Ok(())
    }
}
