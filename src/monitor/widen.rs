//! Readings as detectors take them.

/// A vector that a detector takes, made from a reading of a stream: the reading itself, or the same
/// numbers as `f64`.
pub trait FromReading<R>: sealed::Widen<R> {}

impl<R, X: sealed::Widen<R>> FromReading<R> for X {}

pub(super) mod sealed {
    pub trait Widen<R>: crate::kernel::Vector {
        /// Calls a function with the vector.
        fn with<A>(reading: &R, call: impl FnOnce(&Self) -> A) -> A;
    }
}

impl<const D: usize> sealed::Widen<[f32; D]> for [f32; D] {
    #[inline]
    fn with<A>(reading: &[f32; D], call: impl FnOnce(&Self) -> A) -> A {
        call(reading)
    }
}

impl<const D: usize> sealed::Widen<[f32; D]> for [f64; D] {
    #[inline]
    fn with<A>(reading: &[f32; D], call: impl FnOnce(&Self) -> A) -> A {
        let mut wide = [0.0; D];
        for (wide, &x) in wide.iter_mut().zip(reading) {
            *wide = x.into();
        }
        call(&wide)
    }
}
