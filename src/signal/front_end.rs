//! The recipe of a front end.

use crate::error::Error;
use crate::linalg::slices::entry;
use crate::signal::feature::Feature;
use crate::signal::operator::Operator;

/// The floor of logarithms unless a recipe says otherwise: it hardly matters, as long as it is
/// below what sensors resolve.
pub const FLOOR: f32 = 1e-9;

/// What is made of raw samples, as constants: a recipe that firmware has in flash.
///
/// Implement it for a type without values. The compiler checks the recipe where it is used: that
/// features are there, that none is there twice, that bands have windows of a power of two, …
pub trait FrontEnd {
    /// The features of each channel, in the order of the outputs.
    const FEATURES: &'static [Feature];
    /// Deviations and mean differences below it count as this, and energies below its square as
    /// that, before their logarithm is taken. Finite and > 0.
    const FLOOR: f32 = FLOOR;
    /// What samples are multiplied by, such as units per count of a converter: nothing, one number
    /// for all channels, or one for each. From 1e-20 to 1e10 in size.
    const SCALES: &'static [f32] = &[];
    /// What is done with readings before a detector sees them, one after the other.
    const OPERATORS: &'static [Operator] = &[];
    /// What the channels are called in logs: nothing, so that they are numbered, or a name for
    /// each.
    const CHANNELS: &'static [&'static str] = &[];
}

/// What the samples of a channel are multiplied by.
pub(crate) fn scale(scales: &[f32], channel: usize) -> f32 {
    match *scales {
        [] => 1.0,
        [one] => one,
        _ => entry(scales, channel),
    }
}

pub(crate) const fn validate_floor(floor: f32) -> Result<(), Error> {
    if floor > 0.0 && floor.is_finite() {
        Ok(())
    } else {
        Err(Error::Parameter { name: "floor", rule: "finite and > 0" })
    }
}

pub(crate) const fn validate_scales(scales: &[f32], channels: usize) -> Result<(), Error> {
    let mut right = scales.len() <= 1 || scales.len() == channels;
    let mut i = 0;
    while i < scales.len() {
        right &= scales[i].abs() >= 1e-20 && scales[i].abs() <= 1e10;
        i += 1;
    }
    let rule = "none, one or one for each channel, from 1e-20 to 1e10 in size";
    if right { Ok(()) } else { Err(Error::Parameter { name: "scales", rule }) }
}

/// Stops the compiler with the rule that a recipe breaks.
pub(crate) const fn require(checked: Result<(), Error>) {
    match checked {
        Ok(()) => {}
        Err(Error::Parameter { rule, .. }) => panic!("{}", rule),
        Err(_) => panic!("wrong recipe"),
    }
}
