//! A model in flash that survives a cut of power at any moment: for you to copy.
//!
//! [sequential-storage](https://docs.rs/sequential-storage) is a map of keys to items; storing one item is atomic, but an item must fit
//! into a page of flash, and a model may not. So a model is stored in chunks, and there is room for two:
//!
//! | key | item |
//! |---|---|
//! | `[0, i]` | chunk `i` of slot 0 |
//! | `[1, i]` | chunk `i` of slot 1 |
//! | `[2, 0]` | which slot is valid: slot, length, last four bytes of the model |
//!
//! Saving writes the chunks to the slot that is *not* valid, and then the item that makes it so. Whenever power fails, that item is the old
//! one or the new one, and the chunks it speaks of are complete. The last four bytes of a stored detector are its checksum, by which
//! loading notices a chunk that has become unreadable and was replaced by an older one.
//!
//! This rests on sequential-storage, which takes an interrupted erase to have gone from the front of the page to its back (as in
//! `flash.rs`). Where all bits of a page rise together, a page that was cut just before its end can be taken for one in use, and
//! the model for missing: if a flash does that and power may fail during an erase, keep a copy outside this range.
#![allow(dead_code, reason = "every program uses a part of it")]

use core::ops::Range;

use embedded_storage_async::nor_flash::NorFlash;
use sequential_storage::cache::{Cache, Uncached};
use sequential_storage::map::{MapConfig, MapConfigError, MapStorage};

type Key = [u8; 2];

const SLOTS: u8 = 2;
const VALID: Key = [SLOTS, 0];
/// Together with the key it is a whole number of words of 4, 8, 16 or 32 bytes.
const CHUNK: usize = 126;
/// Room for a key and a chunk.
const BUFFER: usize = CHUNK + size_of::<Key>();

/// What went wrong with the store.
#[derive(Debug, PartialEq)]
pub(crate) enum StoreError<E> {
    /// The range is not two or more whole pages.
    Range(MapConfigError),
    /// From the map, or from the flash below it.
    Map(sequential_storage::Error<E>),
    /// The buffer is too small for the model that is stored.
    Buffer { needed: usize },
    /// More than 256 chunks, or fewer than four bytes.
    Length,
    /// A chunk of the model is missing or too old.
    Damaged,
}

impl<E> From<sequential_storage::Error<E>> for StoreError<E> {
    fn from(error: sequential_storage::Error<E>) -> Self {
        Self::Map(error)
    }
}

/// The item that says which slot is valid.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Valid {
    slot: u8,
    length: u32,
    checksum: [u8; 4],
}

impl Valid {
    fn to_bytes(self) -> [u8; 9] {
        let [a, b, c, d] = self.length.to_le_bytes();
        let [e, f, g, h] = self.checksum;
        [self.slot, a, b, c, d, e, f, g, h]
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let &[slot, a, b, c, d, e, f, g, h] = bytes else { return None };
        let length = u32::from_le_bytes([a, b, c, d]);
        Some(Self { slot, length, checksum: [e, f, g, h] })
    }
}

/// One model in a range of flash.
pub(crate) struct Store<S: NorFlash> {
    map: MapStorage<Key, S, Cache<Uncached, Uncached, Uncached, Key>>,
    buffer: Buffer,
}

/// Some flash drivers copy by words.
#[repr(align(4))]
struct Buffer([u8; BUFFER]);

impl<S: NorFlash> Store<S> {
    /// A store in whole pages of flash that nothing else uses.
    pub(crate) fn new(flash: S, range: Range<u32>) -> Result<Self, StoreError<S::Error>> {
        let config = MapConfig::try_new(range).map_err(StoreError::Range)?;
        let map = MapStorage::new(flash, config, Cache::new_uncached());
        Ok(Self { map, buffer: Buffer([0; BUFFER]) })
    }

    /// How many pages a model of at most `length` bytes needs.
    ///
    /// Two models and the item that says which is valid, room for one item more, and a page that is always empty: with fewer the
    /// map is full, with more the pages wear less.
    pub(crate) const fn pages(length: usize) -> usize {
        let item =
            MapStorage::<Key, S, Cache<Uncached, Uncached, Uncached, Key>>::item_overhead_size();
        let items_per_page = (S::ERASE_SIZE - 2 * S::WRITE_SIZE) / (item as usize + BUFFER);
        (SLOTS as usize * length.div_ceil(CHUNK) + 2).div_ceil(items_per_page) + 1
    }

    /// Stores a model, whose last four bytes are its checksum, in place of the one that was there.
    ///
    /// After an error the old one is still there, or the new one if it was complete.
    pub(crate) async fn save(&mut self, model: &[u8]) -> Result<(), StoreError<S::Error>> {
        let checksum = *model.last_chunk().ok_or(StoreError::Length)?;
        let slot = match self.valid().await? {
            Some(Valid { slot: 0, .. }) => 1,
            _ => 0,
        };
        for (i, chunk) in model.chunks(CHUNK).enumerate() {
            let i = u8::try_from(i).map_err(|_| StoreError::Length)?;
            self.map.store_item(&mut self.buffer.0, &[slot, i], &chunk).await?;
        }
        let length = u32::try_from(model.len()).map_err(|_| StoreError::Length)?;
        let valid = Valid { slot, length, checksum }.to_bytes();
        self.map.store_item(&mut self.buffer.0, &VALID, &valid.as_slice()).await?;
        Ok(())
    }

    /// Copies the model to `out` and returns it; none if none was ever saved.
    pub(crate) async fn load<'a>(
        &mut self,
        out: &'a mut [u8],
    ) -> Result<Option<&'a [u8]>, StoreError<S::Error>> {
        let Some(Valid { slot, length, checksum }) = self.valid().await? else {
            return Ok(None);
        };
        let needed = length as usize;
        let out = out.get_mut(..needed).ok_or(StoreError::Buffer { needed })?;
        for (i, place) in (0..=u8::MAX).zip(out.chunks_mut(CHUNK)) {
            let chunk = self.map.fetch_item::<&[u8]>(&mut self.buffer.0, &[slot, i]).await?;
            match chunk {
                Some(chunk) if chunk.len() == place.len() => place.copy_from_slice(chunk),
                _ => return Err(StoreError::Damaged),
            }
        }
        if out.last_chunk() != Some(&checksum) {
            return Err(StoreError::Damaged);
        }
        Ok(Some(out))
    }

    async fn valid(&mut self) -> Result<Option<Valid>, StoreError<S::Error>> {
        let item = self.map.fetch_item::<&[u8]>(&mut self.buffer.0, &VALID).await?;
        Ok(item.and_then(Valid::from_bytes))
    }
}
