//! Models in flash that survive a cut of power at any moment, worn pages and flipped bits: for you
//! to copy.
//!
//! The range is divided into two slots of whole pages. Each holds one *generation* of a model:
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 64 | header: magic, number of the generation, length, CRC-32 of the model, CRC-32 of this |
//! | 64 | length | the model |
//! | last 64 | 64 | the header once more |
//!
//! Saving erases the slot that does not hold the newest generation, writes the model there, then
//! both headers, and reads everything back. Whenever power fails, the other slot is untouched; what
//! the flash held before the first save does not matter. A flipped bit in a header leaves the other
//! copy of it, and one in a model is found by its checksum: loading then takes the older
//! generation, and says so. Generations are counted modulo 2^32.
#![allow(dead_code, reason = "every program uses a part of it")]

use core::ops::Range;

use crc::{CRC_32_ISO_HDLC, Crc, NoTable};
use embedded_storage_async::nor_flash::NorFlash;

const CRC: Crc<u32, NoTable> = Crc::<u32, NoTable>::new(&CRC_32_ISO_HDLC);
const MAGIC: [u8; 4] = *b"MRS1";
/// A header, and what is read or written at once: whole words of up to 64 bytes.
const BLOCK: usize = 64;
const ERASED: u8 = 0xFF;

/// What went wrong with the store. Whatever it is, the newest generation is still there.
#[derive(Debug, PartialEq)]
pub(crate) enum StoreError<E> {
    /// The range is not two or more whole pages of this flash.
    Range,
    /// From the flash.
    Flash(E),
    /// The buffer is too small for the model that is stored.
    Buffer { needed: usize },
    /// The model does not fit into half of the range.
    Length { capacity: usize },
    /// What was written is not what is read back: the pages of this slot are worn.
    Worn { slot: usize },
}

/// What a slot holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Slot {
    /// Nothing.
    Erased,
    /// Something that is no model, or no longer to be recognised as one: flash that was used before
    /// and not erased.
    Foreign,
    /// A model of which the save was cut off.
    Unfinished,
    /// Something that the flash refuses to read.
    Unreadable,
    /// A model that was saved and cannot be read any more.
    Damaged { generation: u32 },
    /// A model.
    Whole { generation: u32 },
}

/// What loading found.
#[derive(Debug, PartialEq)]
pub(crate) enum Loaded<'a> {
    /// The model that was saved last.
    Newest { model: &'a [u8], generation: u32 },
    /// A model that may not be the one that was saved last: the other slot holds something else
    /// that cannot be read.
    Older { model: &'a [u8], generation: u32, other: Slot },
    /// No model; the next save erases whatever there is.
    Nothing { slots: [Slot; 2] },
}

/// What saving did.
#[derive(Debug, PartialEq)]
pub(crate) struct Saved {
    pub(crate) generation: u32,
    /// What was in its place, and is erased now.
    pub(crate) replaced: Slot,
}

/// What identifies a generation.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Header {
    generation: u32,
    length: u32,
    /// Of the model.
    checksum: u32,
}

impl Header {
    const SIZE: usize = 20;

    fn to_block(self) -> [u8; BLOCK] {
        let Self { generation, length, checksum } = self;
        let mut block = [ERASED; BLOCK];
        let numbers = [u32::from_le_bytes(MAGIC), generation, length, checksum];
        let places = block.as_chunks_mut().0;
        for (place, number) in places.iter_mut().zip(numbers) {
            *place = number.to_le_bytes();
        }
        let own_checksum = CRC.checksum(places[..numbers.len()].as_flattened());
        places[numbers.len()] = own_checksum.to_le_bytes();
        block
    }

    fn from_block(block: &[u8; BLOCK]) -> Option<Self> {
        let field = |i: usize| u32::from_le_bytes(block.as_chunks().0[i]);
        let header = Self { generation: field(1), length: field(2), checksum: field(3) };
        let same = header.to_block()[..Self::SIZE] == block[..Self::SIZE];
        same.then_some(header)
    }
}

/// What a slot holds, and the header of a model that is whole.
type Found = (Slot, Option<Header>);

/// Was the first generation saved after the second one? They are at most a few apart.
fn is_newer(a: u32, b: u32) -> bool {
    a != b && a.wrapping_sub(b) < 1 << 31
}

/// Two generations of a model in a range of flash.
pub(crate) struct Store<S> {
    flash: S,
    start: u32,
    /// Bytes of a slot.
    size: u32,
    buffer: Block,
}

/// Some flash drivers copy by words.
#[repr(align(4))]
struct Block([u8; BLOCK]);

impl<S: NorFlash> Store<S> {
    /// A store in whole pages of flash that nothing else uses.
    pub(crate) fn new(flash: S, range: Range<u32>) -> Result<Self, StoreError<S::Error>> {
        const {
            assert!(BLOCK.is_multiple_of(S::READ_SIZE) && BLOCK.is_multiple_of(S::WRITE_SIZE));
            assert!(S::ERASE_SIZE.is_multiple_of(S::READ_SIZE));
            assert!(S::ERASE_SIZE.is_multiple_of(S::WRITE_SIZE));
        }
        let page = S::ERASE_SIZE as u32;
        let whole = range.start.is_multiple_of(page) && range.end.is_multiple_of(page);
        let pages = range.end.saturating_sub(range.start) / page;
        if !whole || pages < 2 || range.end as usize > flash.capacity() {
            return Err(StoreError::Range);
        }
        let size = pages / 2 * page;
        Ok(Self { flash, start: range.start, size, buffer: Block([0; BLOCK]) })
    }

    /// How many pages a model of at most `length` bytes needs.
    pub(crate) const fn pages(length: usize) -> usize {
        2 * (length.next_multiple_of(BLOCK) + 2 * BLOCK).div_ceil(S::ERASE_SIZE)
    }

    /// How long a model can be.
    pub(crate) fn capacity(&self) -> usize {
        (self.size as usize).saturating_sub(2 * BLOCK) / BLOCK * BLOCK
    }

    /// Stores a model in place of the one before the newest, which stays what it is.
    pub(crate) async fn save(&mut self, model: &[u8]) -> Result<Saved, StoreError<S::Error>> {
        let capacity = self.capacity();
        if model.len() > capacity {
            return Err(StoreError::Length { capacity });
        }
        let found = self.inspect_both().await?;
        let slots = found.map(|(slot, _)| slot);
        let header = Header {
            generation: next_generation(slots),
            length: model.len() as u32,
            checksum: CRC.checksum(model),
        };
        match newest(&found) {
            Some((newest, _)) => self.write(1 - newest, slots, header, model).await,
            None => {
                // Nothing can be lost, so let nothing remain that could be taken for a model.
                self.erase(1).await?;
                match self.write(0, slots, header, model).await {
                    Err(StoreError::Worn { .. }) => self.write(1, slots, header, model).await,
                    done => done,
                }
            }
        }
    }

    /// Copies the newest model that can be read to `out`, and says what it is.
    pub(crate) async fn load<'a>(
        &mut self,
        out: &'a mut [u8],
    ) -> Result<Loaded<'a>, StoreError<S::Error>> {
        let found = self.inspect_both().await?;
        let slots = found.map(|(slot, _)| slot);
        let Some((newest, Header { generation, length, .. })) = newest(&found) else {
            return Ok(Loaded::Nothing { slots });
        };
        let needed = length as usize;
        let model = out.get_mut(..needed).ok_or(StoreError::Buffer { needed })?;
        for (i, place) in model.chunks_mut(BLOCK).enumerate() {
            self.read(newest, (i + 1) * BLOCK).await?;
            place.copy_from_slice(&self.buffer.0[..place.len()]);
        }
        let other = slots[1 - newest];
        Ok(match other {
            Slot::Erased | Slot::Whole { .. } => Loaded::Newest { model, generation },
            Slot::Damaged { generation: lost } if !is_newer(lost, generation) => {
                Loaded::Newest { model, generation }
            }
            _ => Loaded::Older { model, generation, other },
        })
    }

    /// Erases a slot, writes a generation there, and reads it back.
    async fn write(
        &mut self,
        slot: usize,
        slots: [Slot; 2],
        header: Header,
        model: &[u8],
    ) -> Result<Saved, StoreError<S::Error>> {
        self.erase(slot).await?;
        for (i, chunk) in model.chunks(BLOCK).enumerate() {
            self.buffer.0.fill(ERASED);
            self.buffer.0[..chunk.len()].copy_from_slice(chunk);
            self.program(slot, (i + 1) * BLOCK).await?;
        }
        for place in [0, self.size as usize - BLOCK] {
            self.buffer.0 = header.to_block();
            self.program(slot, place).await?;
        }
        // Both headers: if only one can be read, the next flipped bit is one too many.
        let whole = self.inspect(slot).await? == (whole_slot(header), Some(header));
        self.read(slot, self.size as usize - BLOCK).await?;
        if !whole || Header::from_block(&self.buffer.0) != Some(header) {
            // What cannot be relied on must not be found.
            self.erase(slot).await?;
            return Err(StoreError::Worn { slot });
        }
        Ok(Saved { generation: header.generation, replaced: slots[slot] })
    }

    /// Looks at both slots. One that cannot be read is no reason to give up the other.
    async fn inspect_both(&mut self) -> Result<[Found; 2], StoreError<S::Error>> {
        let unreadable = (Slot::Unreadable, None);
        match (self.inspect(0).await, self.inspect(1).await) {
            (Err(error), Err(_)) => Err(error),
            (first, second) => Ok([first.unwrap_or(unreadable), second.unwrap_or(unreadable)]),
        }
    }

    async fn inspect(&mut self, slot: usize) -> Result<Found, StoreError<S::Error>> {
        let (mut header, mut blank) = (None, 0);
        for place in [0, self.size as usize - BLOCK] {
            self.read(slot, place).await?;
            header = header.or(Header::from_block(&self.buffer.0));
            blank += usize::from(is_blank(&self.buffer.0));
        }
        let capacity = self.capacity();
        let Some(header) = header.filter(|header| header.length as usize <= capacity) else {
            // Headers are written one after the other, and erased so, too.
            return Ok(match blank {
                2 if self.is_erased(slot).await? => (Slot::Erased, None),
                0 => (Slot::Foreign, None),
                _ => (Slot::Unfinished, None),
            });
        };
        match self.checksum(slot, header.length as usize).await? == header.checksum {
            true => Ok((whole_slot(header), Some(header))),
            false => Ok((Slot::Damaged { generation: header.generation }, None)),
        }
    }

    /// The checksum of the model in a slot.
    async fn checksum(&mut self, slot: usize, length: usize) -> Result<u32, StoreError<S::Error>> {
        let mut digest = CRC.digest();
        for done in (0..length).step_by(BLOCK) {
            self.read(slot, BLOCK + done).await?;
            digest.update(&self.buffer.0[..BLOCK.min(length - done)]);
        }
        Ok(digest.finalize())
    }

    async fn is_erased(&mut self, slot: usize) -> Result<bool, StoreError<S::Error>> {
        for done in (0..self.capacity()).step_by(BLOCK) {
            self.read(slot, BLOCK + done).await?;
            if !is_blank(&self.buffer.0) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Where a slot begins.
    fn address(&self, slot: usize) -> u32 {
        self.start + slot as u32 * self.size
    }

    /// Reads a block to the buffer.
    async fn read(&mut self, slot: usize, offset: usize) -> Result<(), StoreError<S::Error>> {
        let address = self.address(slot) + offset as u32;
        self.flash.read(address, &mut self.buffer.0).await.map_err(StoreError::Flash)
    }

    /// Writes the buffer to a block.
    async fn program(&mut self, slot: usize, offset: usize) -> Result<(), StoreError<S::Error>> {
        let address = self.address(slot) + offset as u32;
        self.flash.write(address, &self.buffer.0).await.map_err(StoreError::Flash)
    }

    async fn erase(&mut self, slot: usize) -> Result<(), StoreError<S::Error>> {
        let address = self.address(slot);
        self.flash.erase(address, address + self.size).await.map_err(StoreError::Flash)
    }
}

fn whole_slot(header: Header) -> Slot {
    Slot::Whole { generation: header.generation }
}

fn is_blank(block: &[u8]) -> bool {
    block.iter().all(|&byte| byte == ERASED)
}

/// The slot with the newest model that is whole.
fn newest(found: &[Found; 2]) -> Option<(usize, Header)> {
    match [found[0].1, found[1].1] {
        [Some(a), Some(b)] if is_newer(b.generation, a.generation) => Some((1, b)),
        [Some(a), _] => Some((0, a)),
        [None, b] => b.map(|header| (1, header)),
    }
}

/// One more than the newest generation that was ever there, as far as can be told.
fn next_generation(slots: [Slot; 2]) -> u32 {
    let known = slots.map(|slot| match slot {
        Slot::Whole { generation } | Slot::Damaged { generation } => Some(generation),
        _ => None,
    });
    match known {
        [Some(a), Some(b)] => (if is_newer(a, b) { a } else { b }).wrapping_add(1),
        [a, b] => a.or(b).map_or(0, |generation| generation.wrapping_add(1)),
    }
}
