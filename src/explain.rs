//! Why a reading is anomalous, and what a normal device would have read.
//!
//! **Contributions** tell which input is to blame. With `f_j` the projections of `x` and `w_i = β_i + Σ_j f_j α_ji`, the weights of
//! its reconstruction `Σ_i w_i φ(point_i)`, the gradient of the reconstruction error `SPE = k(x,x) − 2 Σ β_i k_i + ‖centre‖² − Σ f_j²` is
//!
//! `∂SPE/∂x = ∂k(x,x)/∂x − 2 Σ_i w_i ∂k(x, point_i)/∂x`, and input `l` contributes `c_l = x_l · ∂SPE/∂x_l`.
//!
//! This is SPE to first order: by how much it would fall if input `l` went back to 0, its mean on scaled inputs. Two passes over the
//! points, one to project and one for the gradient.
//!
//! With a Gaussian kernel SPE is flat far from all points: once `Σ|c_l| ≤ ε·SPE` no change of an input could be seen in it, and the
//! gradient soon underflows. Then `c_l = SPE · x_l²/‖x‖²`. This is no guess: `c_l = 4γ Σ_i w_i k_i x_l (x_l − point_il)`,
//! which is proportional to `x_l²` when `x` is much larger than the points.
//!
//! The **expected reading** is the pre-image of the projection: the `z` whose `φ(z)` is nearest to `Σ_i w_i φ(point_i)`. For a Gaussian
//! kernel it is a fixed point (Mika et al. 1998) of
//!
//! `z ← Σ_i w_i k(z, point_i) point_i / Σ_i w_i k(z, point_i)`, started at `x`.

use crate::detector::Detector;
use crate::error::{Error, Fault};
use crate::kernel::{Gradient, Kernel, Rbf};
use crate::math::{Math, Real, dot, sum};
use crate::model::KernelPcaView;
use crate::samples::{Samples, Vector};
use crate::score::Score;

/// Enough iterations for an expected reading.
pub const ITERATIONS: usize = 100;

/// An iteration that moves `z` by less than this share of the kernel's width `1/√γ` is the last.
const TOLERANCE: f64 = 1e-4;

/// The input that contributes most, the first of equals; none only if there are no inputs.
pub fn suspect<T: Real>(contributions: &[T]) -> Option<usize> {
    let mut best: Option<(usize, T)> = None;
    for (input, &c) in contributions.iter().enumerate() {
        if best.is_none_or(|(_, largest)| c > largest) {
            best = Some((input, c));
        }
    }
    best.map(|(input, _)| input)
}

impl<K, S, T> KernelPcaView<'_, K, S>
where
    T: Real,
    S: Samples<View = [T]> + ?Sized,
    K: Gradient<T>,
{
    /// Scores a point and writes the contribution of each input to its SPE.
    pub fn contributions(
        &self,
        x: &[T],
        projection: &mut [T],
        contributions: &mut [T],
    ) -> Result<Score<T>, Error> {
        require_length("contributions", contributions, x)?;
        let score = self.score(x, projection)?;
        contributions.fill(T::ZERO);
        self.kernel().add_diagonal_gradient(x, T::ONE, contributions);
        for (point, weight) in self.reconstruction(projection) {
            self.kernel().add_gradient(x, point, -(weight + weight), contributions);
        }
        for (c, &x) in contributions.iter_mut().zip(x) {
            *c *= x;
        }
        let total = sum(contributions.iter().map(|c| c.abs()));
        if !total.is_finite() {
            return Err(Error::Query(Fault::Overflow));
        }
        if total <= T::EPSILON * score.spe {
            share_by_deviation(score.spe, x, contributions);
        }
        Ok(score)
    }
}

impl<K, S, T> KernelPcaView<'_, K, S>
where
    T: Real,
    S: Samples<View = [T]> + ?Sized,
    K: Kernel<[T], Scalar = T>,
{
    /// The points and their weights `w_i = β_i + Σ_j f_j α_ji` in the reconstruction of a projected point.
    pub fn reconstruction(&self, projection: &[T]) -> impl Iterator<Item = (&[T], T)> {
        let expansion = self.expansion();
        let weights = expansion.weights().iter_rows().zip(expansion.centre());
        let weights = weights.map(|(alpha, &beta)| beta + dot(alpha, projection));
        self.points().iter_samples().zip(weights)
    }
}

/// `total · x_l²/‖x‖²`.
fn share_by_deviation<T: Real>(total: T, x: &[T], shares: &mut [T]) {
    // Squares of numbers up to 1 cannot overflow.
    let largest = x.iter().fold(T::ZERO, |largest, x| largest.larger(x.abs()));
    let squared = |x: &T| (*x / largest) * (*x / largest);
    let norm = sum(x.iter().map(squared));
    for (share, x) in shares.iter_mut().zip(x) {
        *share = if largest > T::ZERO { total * (squared(x) / norm) } else { T::ZERO };
    }
}

fn require_length<T>(what: &'static str, out: &[T], x: &[T]) -> Result<(), Error> {
    let (expected, given) = (x.len(), out.len());
    if given == expected { Ok(()) } else { Err(Error::Shape { what, expected, given }) }
}

impl<M, S, T> KernelPcaView<'_, Rbf<T, M>, S>
where
    T: Real,
    M: Math<T>,
    S: Samples<View = [T]> + ?Sized,
{
    /// Writes to `expected`; returns the number of iterations.
    pub fn expected(
        &self,
        x: &[T],
        iterations: usize,
        projection: &mut [T],
        next: &mut [T],
        expected: &mut [T],
    ) -> Result<usize, Error> {
        require_length("expected", expected, x)?;
        require_length("scratch", next, x)?;
        if iterations == 0 {
            return Err(Error::Parameter { name: "iterations", rule: ">= 1" });
        }
        self.project(x, projection)?;
        expected.copy_from_slice(x);
        let mut restarted = false;
        for iteration in 1..=iterations {
            if self.weighted_mean(projection, expected, next) {
                let moved = squared_distance(expected, next);
                expected.copy_from_slice(next);
                if self.kernel().gamma * moved <= T::from_f64(TOLERANCE * TOLERANCE) {
                    return Ok(iteration);
                }
            } else if restarted {
                return Err(Error::NoConvergence { sweeps: iteration });
            } else {
                restarted = true;
                self.copy_nearest(x, expected);
            }
        }
        Err(Error::NoConvergence { sweeps: iterations })
    }

    fn weighted_mean(&self, projection: &[T], z: &[T], mean: &mut [T]) -> bool {
        mean.fill(T::ZERO);
        let (mut total, mut magnitude) = (T::ZERO, T::ZERO);
        for (point, weight) in self.reconstruction(projection) {
            let weight = weight * self.kernel().eval(z, point);
            total += weight;
            magnitude += weight.abs();
            for (mean, &coordinate) in mean.iter_mut().zip(point) {
                *mean += weight * coordinate;
            }
        }
        let rounding = magnitude * T::EPSILON * T::from_usize(self.expansion().points());
        for mean in mean.iter_mut() {
            *mean /= total;
        }
        total.abs() > rounding && mean.iter().all(|mean| mean.is_finite())
    }

    fn copy_nearest(&self, x: &[T], nearest: &mut [T]) {
        let mut smallest: Option<T> = None;
        for point in self.points().iter_samples() {
            let distance = squared_distance(x, point);
            if smallest.is_none_or(|smallest| distance < smallest) {
                smallest = Some(distance);
                nearest.copy_from_slice(point);
            }
        }
    }
}

fn squared_distance<T: Real>(x: &[T], y: &[T]) -> T {
    sum(x.iter().zip(y).map(|(&a, &b)| (a - b) * (a - b)))
}
