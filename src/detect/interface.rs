//! What all detectors can do, so that code need not know which kind it has.

use crate::detect::quantised::QuantisedDetector;
use crate::detect::reading::{VectorReading, VectorScaling};
use crate::detect::scaling::Scaling;
use crate::detect::{Detector, PartialVerdict, Suspect, Threshold, Verdict};
use crate::error::{Error, require_capacity};
use crate::kernel::{Gradient, Vector};
use crate::linalg::slices::{copy, head_mut};
use crate::math::Real;

/// A detector of any kind, on readings of type `X`: a [`Detector`], or a [`QuantisedDetector`] made
/// from one.
///
/// ```
/// use mercer::{Detect, Error};
/// use mercer::detect::Suspect;
///
/// /// The sensor to blame, if a reading is unusual.
/// fn check<const D: usize>(
///     detector: &impl Detect<[f32; D]>,
///     x: &[f32; D],
/// ) -> Result<Option<Suspect<f32>>, Error> {
///     match detector.score(x)?.unusual {
///         true => detector.suspect(x).map(Some),
///         false => Ok(None),
///     }
/// }
/// ```
pub trait Detect<X: Vector> {
    /// Scores a raw reading and compares it with the threshold.
    ///
    /// # Errors
    /// [`Error::NotFitted`], or [`Error::Query`] that names the input which is not finite.
    fn score(&self, x: &X) -> Result<Verdict<X::Scalar>, Error>;

    /// Scores a raw reading of which inputs may be missing, that is, not finite; see
    /// [`missing`](crate::detect::missing).
    ///
    /// # Errors
    /// As [`score`](Self::score) for the inputs that are there, and when none is; [`Error::Query`]
    /// for inputs too large to be scaled.
    fn score_available(&self, x: &X) -> Result<PartialVerdict<X::Scalar>, Error>;

    /// The input to blame for an unusual reading, and what it should have read; see
    /// [`explain`](crate::detect::explain).
    ///
    /// # Errors
    /// As [`score`](Self::score), and [`Error::Query`] for inputs too large to be scaled.
    fn suspect(&self, x: &X) -> Result<Suspect<X::Scalar>, Error>;

    /// Writes the projections of a raw reading onto the components to the front of `room`, and
    /// returns them: features for a classifier. Where the kind of detector is known, its own
    /// `project` returns them by value.
    ///
    /// # Errors
    /// As [`score`](Self::score), and [`Error::Capacity`] for less room than there are components.
    fn project_into<'r>(&self, x: &X, room: &'r mut [X::Scalar]) -> Result<&'r [X::Scalar], Error>;

    /// How strongly SPE depends on each input of a raw reading: a picture, not shares of it; see
    /// [`explain`](crate::detect::explain).
    ///
    /// # Errors
    /// As [`score`](Self::score), and [`Error::Query`] for inputs too large to be scaled.
    fn contributions(&self, x: &X) -> Result<X, Error>;

    /// Mean and deviation of the inputs, after their logarithm if they are logarithmic.
    fn scaling(&self) -> &Scaling<X>;

    /// The [floors](crate::detect::logs) of inputs that are logarithmic, and 0 for others; empty if
    /// none can be.
    fn floors(&self) -> &[X::Scalar];

    /// The threshold.
    fn threshold(&self) -> &Threshold<X::Scalar>;
}

impl<K, X, const R: usize, const P: usize, S> Detect<X> for Detector<K, X, R, P, S>
where
    X: VectorReading,
    K: Gradient<X::Scalar>,
    S: VectorScaling<X>,
{
    fn score(&self, x: &X) -> Result<Verdict<X::Scalar>, Error> {
        self.score(x)
    }
    fn score_available(&self, x: &X) -> Result<PartialVerdict<X::Scalar>, Error> {
        self.score_available(x)
    }
    fn suspect(&self, x: &X) -> Result<Suspect<X::Scalar>, Error> {
        self.suspect(x)
    }
    fn project_into<'r>(&self, x: &X, room: &'r mut [X::Scalar]) -> Result<&'r [X::Scalar], Error> {
        copied(&self.project(x)?, room)
    }
    fn contributions(&self, x: &X) -> Result<X, Error> {
        self.contributions(x)
    }
    fn scaling(&self) -> &Scaling<X> {
        self.scaling().standard()
    }
    fn floors(&self) -> &[X::Scalar] {
        self.scaling().floors()
    }
    fn threshold(&self) -> &Threshold<X::Scalar> {
        self.threshold()
    }
}

/// Whoever works with a detector need not own it.
macro_rules! by_reference {
    ($($reference:ty),*) => {$(
        impl<X: Vector, D: Detect<X>> Detect<X> for $reference {
            fn score(&self, x: &X) -> Result<Verdict<X::Scalar>, Error> {
                D::score(self, x)
            }
            fn score_available(&self, x: &X) -> Result<PartialVerdict<X::Scalar>, Error> {
                D::score_available(self, x)
            }
            fn suspect(&self, x: &X) -> Result<Suspect<X::Scalar>, Error> {
                D::suspect(self, x)
            }
            fn project_into<'r>(
                &self,
                x: &X,
                room: &'r mut [X::Scalar],
            ) -> Result<&'r [X::Scalar], Error> {
                D::project_into(self, x, room)
            }
            fn contributions(&self, x: &X) -> Result<X, Error> {
                D::contributions(self, x)
            }
            fn scaling(&self) -> &Scaling<X> {
                D::scaling(self)
            }
            fn floors(&self) -> &[X::Scalar] {
                D::floors(self)
            }
            fn threshold(&self) -> &Threshold<X::Scalar> {
                D::threshold(self)
            }
        }
    )*};
}
by_reference!(&D, &mut D);

impl<const D: usize, const R: usize, const P: usize, S> Detect<[f32; D]>
    for QuantisedDetector<D, R, P, S>
where
    S: VectorScaling<[f32; D]>,
{
    fn score(&self, x: &[f32; D]) -> Result<Verdict<f32>, Error> {
        self.score(x)
    }
    fn score_available(&self, x: &[f32; D]) -> Result<PartialVerdict<f32>, Error> {
        self.score_available(x)
    }
    fn suspect(&self, x: &[f32; D]) -> Result<Suspect<f32>, Error> {
        self.suspect(x)
    }
    fn project_into<'r>(&self, x: &[f32; D], room: &'r mut [f32]) -> Result<&'r [f32], Error> {
        copied(&self.project(x)?, room)
    }
    fn contributions(&self, x: &[f32; D]) -> Result<[f32; D], Error> {
        self.contributions(x)
    }
    fn scaling(&self) -> &Scaling<[f32; D]> {
        self.scaling().standard()
    }
    fn floors(&self) -> &[f32] {
        self.scaling().floors()
    }
    fn threshold(&self) -> &Threshold<f32> {
        self.threshold()
    }
}

/// Projections in the caller's memory.
fn copied<'r, T: Real>(projection: &[T], room: &'r mut [T]) -> Result<&'r [T], Error> {
    require_capacity("projections", projection.len(), room.len())?;
    let room = head_mut(room, projection.len());
    copy(projection, room);
    Ok(room)
}
