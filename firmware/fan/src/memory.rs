//! The model in flash, in two generations: a cut of power leaves one of them.

use core::ops::Range;

use embedded_storage_async::nor_flash::NorFlash;
use mercer::Error;

use crate::store::{Loaded, Store, StoreError};
use crate::{FanStream, Model};

/// What is stored: the recipe of the readings, so that no other firmware takes the model for its
/// own, and the model.
const SIZE: usize = FanStream::FRONT_END.encoded_len() + Model::ENCODED_SIZE;

/// A range of flash that nothing else uses.
pub struct Memory<F>(Store<F>);

/// Why a model was not saved or not loaded.
#[derive(Debug, PartialEq)]
pub enum MemoryError<E> {
    /// The flash, or the range of it.
    Flash(E),
    /// The range is too small, not of whole pages, or worn.
    Range,
    /// What is stored is no model for this firmware.
    Model(Error),
}

impl<E> From<Error> for MemoryError<E> {
    fn from(error: Error) -> Self {
        Self::Model(error)
    }
}

impl<E> From<StoreError<E>> for MemoryError<E> {
    fn from(error: StoreError<E>) -> Self {
        match error {
            StoreError::Flash(error) => Self::Flash(error),
            _ => Self::Range,
        }
    }
}

impl<F: NorFlash> Memory<F> {
    /// How many pages it takes.
    pub const PAGES: usize = Store::<F>::pages(SIZE);

    /// A memory in whole pages.
    ///
    /// # Errors
    /// [`MemoryError::Range`].
    pub fn new(flash: F, range: Range<u32>) -> Result<Self, MemoryError<F::Error>> {
        Ok(Self(Store::new(flash, range)?))
    }

    /// Saves a model; returns its generation.
    ///
    /// # Errors
    /// The one from before is still there then.
    pub async fn save(&mut self, model: &Model) -> Result<u32, MemoryError<F::Error>> {
        let mut bytes = [0; SIZE];
        let recipe = FanStream::FRONT_END.write_to(&mut bytes)?;
        let length = recipe + model.write_to(&mut bytes[recipe..])?;
        Ok(self.0.save(&bytes[..length]).await?.generation)
    }

    /// Loads the newest model there is, if there is one, and returns its generation.
    ///
    /// # Errors
    /// The model is what it was then.
    pub async fn load(&mut self, model: &mut Model) -> Result<Option<u32>, MemoryError<F::Error>> {
        let mut bytes = [0; SIZE];
        match self.0.load(&mut bytes).await? {
            Loaded::Newest { model: stored, generation }
            | Loaded::Older { model: stored, generation, .. } => {
                model.read_from(FanStream::FRONT_END.require(stored)?)?;
                Ok(Some(generation))
            }
            Loaded::Nothing { .. } => Ok(None),
        }
    }
}
