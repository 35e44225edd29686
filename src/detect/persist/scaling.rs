//! Scalings as bytes: means and deviations, and floors if some input is logarithmic.

use super::encode::{Encode, Reader, Writer};
use crate::detect::{LogScaling, Scaling, Unscaled};
use crate::error::Error;
use crate::kernel::Vector;
use crate::math::Real;

/// A scaling that can be stored with its detector.
pub trait EncodeScaling: Sized {
    /// How many bytes it takes without floors.
    const SIZE: usize;

    /// Can an input be logarithmic? If it can, but none is, no floors are stored.
    const WITH_FLOORS: bool = false;

    /// Is there a logarithmic input?
    fn has_floors(&self) -> bool {
        false
    }

    /// Writes means and deviations, and floors if it [has](Self::has_floors) them.
    ///
    /// # Errors
    /// [`Error::Capacity`] from the [`Writer`] when there is no room.
    fn encode(&self, out: &mut Writer<'_>) -> Result<(), Error>;

    /// Reads what [`encode`](Self::encode) wrote, with or without floors.
    ///
    /// # Errors
    /// [`Error::Format`] from the [`Reader`] when bytes are missing.
    fn decode(input: &mut Reader<'_>, floors: bool) -> Result<Self, Error>;
}

/// Nothing.
impl EncodeScaling for Unscaled {
    const SIZE: usize = 0;
    fn encode(&self, _: &mut Writer<'_>) -> Result<(), Error> {
        Ok(())
    }
    fn decode(_: &mut Reader<'_>, _: bool) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl<X: Encode> EncodeScaling for Scaling<X> {
    const SIZE: usize = 2 * X::SIZE;
    fn encode(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        self.mean.encode(out)?;
        self.deviation.encode(out)
    }
    fn decode(input: &mut Reader<'_>, _: bool) -> Result<Self, Error> {
        Ok(Self { mean: X::decode(input)?, deviation: X::decode(input)? })
    }
}

impl<X: Vector + Encode> EncodeScaling for LogScaling<X> {
    const SIZE: usize = Scaling::<X>::SIZE;
    const WITH_FLOORS: bool = true;
    fn has_floors(&self) -> bool {
        self.floor.view().iter().any(|&floor| floor > X::Scalar::ZERO)
    }
    fn encode(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        self.scaling.encode(out)?;
        if self.has_floors() { self.floor.encode(out) } else { Ok(()) }
    }
    fn decode(input: &mut Reader<'_>, floors: bool) -> Result<Self, Error> {
        let scaling = Scaling::decode(input, false)?;
        Ok(Self { scaling, floor: if floors { X::decode(input)? } else { X::ZEROS } })
    }
}
