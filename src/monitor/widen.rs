//! Readings as detectors take them.

use crate::kernel::Vector;

/// A vector that a detector takes, made from a reading of a stream: the reading itself, or the same
/// numbers as `f64`.
pub trait FromReading<R>: Vector + sealed::Sealed {
    /// Calls a function with the vector.
    #[doc(hidden)]
    fn with<A>(reading: &R, call: impl FnOnce(&Self) -> A) -> A;
}

mod sealed {
    pub trait Sealed {}
}

impl<const D: usize> sealed::Sealed for [f32; D] {}

impl<const D: usize> FromReading<[f32; D]> for [f32; D] {
    #[inline]
    fn with<A>(reading: &[f32; D], call: impl FnOnce(&Self) -> A) -> A {
        call(reading)
    }
}

impl<const D: usize> sealed::Sealed for [f64; D] {}

impl<const D: usize> FromReading<[f32; D]> for [f64; D] {
    #[inline]
    fn with<A>(reading: &[f32; D], call: impl FnOnce(&Self) -> A) -> A {
        let mut wide = [0.0; D];
        for (wide, &x) in wide.iter_mut().zip(reading) {
            *wide = x.into();
        }
        call(&wide)
    }
}
