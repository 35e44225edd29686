//! One step of the search for a pre-image, and whether it was the last.

use crate::kernel::{BlockKernel, Kernel, Linear, Rbf};
use crate::linalg::rows;
use crate::math::{Math, Real, first_not_finite};

/// A step of less than this share of the kernel's width `1/√γ` is the last.
const TOLERANCE: f64 = 1e-3;

/// A kernel with a formula to search by. Public in a private module, it seals
/// [`PreImage`](super::PreImage).
pub trait Search<T: Real>: BlockKernel<[T], Scalar = T> {
    /// Writes what comes after `z`, given the points and their weights; false if nothing does.
    fn step<'a>(
        &self,
        z: &[T],
        reconstruction: impl Iterator<Item = (&'a [T], T)>,
        next: &mut [T],
    ) -> bool;

    /// Is a step of length `moved`, which ends at a distance `place` from the origin, the last one?
    /// Both are squared.
    fn is_last(&self, moved: T, place: T) -> bool;
}

impl<T: Real> Search<T> for Linear {
    fn step<'a>(
        &self,
        _: &[T],
        reconstruction: impl Iterator<Item = (&'a [T], T)>,
        next: &mut [T],
    ) -> bool {
        next.fill(T::ZERO);
        for (point, weight) in reconstruction {
            rows::add(next, weight, point);
        }
        first_not_finite(next).is_none()
    }

    /// The first step is.
    fn is_last(&self, _: T, _: T) -> bool {
        true
    }
}

impl<T: Real, M: Math<T>> Search<T> for Rbf<T, M> {
    fn step<'a>(
        &self,
        z: &[T],
        reconstruction: impl Iterator<Item = (&'a [T], T)>,
        next: &mut [T],
    ) -> bool {
        let mut total = Total::ZERO;
        next.fill(T::ZERO);
        for (point, weight) in reconstruction {
            let pull = weight * self.eval(z, point);
            total.add(pull);
            // How far to go, rather than where to: far from the origin, rounding in the sum of the
            // points themselves would exceed a step.
            for ((way, &from), &to) in next.iter_mut().zip(z).zip(point) {
                *way += pull * (to - from);
            }
        }
        let Some(divisor) = total.divisor() else { return false };
        for (next, &from) in next.iter_mut().zip(z) {
            *next = from + *next / divisor;
        }
        first_not_finite(next).is_none()
    }

    /// One that hardly changes any kernel value, or the inputs by no more than their rounding.
    fn is_last(&self, moved: T, place: T) -> bool {
        let rounding = T::from_f64(2.0) * T::EPSILON;
        self.gamma * moved <= T::from_f64(TOLERANCE * TOLERANCE)
            || moved <= rounding * rounding * place
    }
}

/// `Σ w_i k_i`, and `Σ |w_i| k_i` to compare it with.
pub(crate) struct Total<T> {
    sum: T,
    magnitude: T,
    count: usize,
}

impl<T: Real> Total<T> {
    pub(crate) const ZERO: Self = Self { sum: T::ZERO, magnitude: T::ZERO, count: 0 };

    pub(crate) fn add(&mut self, pull: T) {
        self.sum += pull;
        self.magnitude += pull.abs();
        self.count += 1;
    }

    /// The sum, unless it vanishes: far from all points, or because weights of both signs cancel.
    pub(crate) fn divisor(&self) -> Option<T> {
        let rounding = T::EPSILON * T::from_usize(self.count) * self.magnitude;
        (self.sum.abs() > rounding).then_some(self.sum)
    }
}
