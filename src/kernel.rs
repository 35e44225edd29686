//! Kernels: inner products in a feature space that is never built.
//!
//! | type | `k(x, y)` |
//! |---|---|
//! | [`Linear`] | `x·y` |
//! | [`Rbf`] | `exp(−γ‖x−y‖²)`, with `γ = 1/(2σ²)` |
//! | [`Laplacian`] | `exp(−γ‖x−y‖₁)` |
//! | [`Poly`] | `(γ x·y + c)^p` |
//! | [`Sigmoid`] | `tanh(γ x·y + c)`, not positive definite in general |
//! | [`QuadraticForm`] | `xᵀAy` with `A ⪰ 0` |
//! | [`Spectrum`] | `Σ_s #(s in x) · #(s in y)` over the substrings `s` of one length |
//! | [`Scale`], [`Sum`], [`Product`], [`Exp`] | `c·k`, `k₁+k₂`, `k₁·k₂`, `exp(k)` |
//! | [`Conformal`] | `f(x) k(x,y) f(y)` |
//! | [`Mapped`] | `k(g(x), g(y))` |
//! | [`Normalised`], [`Cosine`] | `k(x,y)/√(k(x,x) k(y,y))` |
//! | [`Precomputed`] | an entry of a Gram matrix that was computed elsewhere |
//!
//! A kernel is a plain struct with public fields, so it can be a constant and live in flash. Its
//! parameters are therefore checked where it is put to work: every fit and every Gram matrix calls
//! [`Kernel::validate`] first.
//!
//! ```
//! use mercer::Kernel;
//! use mercer::kernel::{Linear, Rbf, Sum};
//! const K: Sum<Rbf<f32>, Linear> = Sum(Rbf::new(0.5), Linear);
//! assert!(K.validate().is_ok());
//! assert_eq!(K.eval(&[1.0, 2.0], &[1.0, 2.0]), 6.0);
//! ```
//!
//! # The room
//! [`Kernel`], the trait that says what a kernel is, stands in this file. Then, in reading order:
//!
//! | module | holds |
//! |---|---|
//! | `samples` | [`Sample`], which a model stores and a kernel sees; [`Samples`], many of them |
//! | [`block`] | [`BlockKernel`]: how a model evaluates a kernel, four points at a time |
//! | `vector`, `gaussian` | kernels on vectors; [`Rbf`] has a file of its own, for speed |
//! | `width` | how wide a Gaussian should be |
//! | `compose` | kernels made of kernels |
//! | `spectrum`, `precomputed` | strings; Gram matrices from elsewhere |
//! | `gradient` | [`Gradient`]: what contributions need |
//! | [`gram`] | the Gram matrix and its centring |
//! | [`geometry`] | norms, distances and angles in feature space |
//!
//! This room knows [`linalg`](crate::linalg), [`math`](crate::math) and [`error`](crate::error); it
//! does not know what a model is.

pub mod block;
mod compose;
pub(crate) mod counts;
mod gaussian;
mod gradient;
mod precomputed;
mod samples;
pub mod geometry;
pub mod gram;
mod spectrum;
mod text;
mod vector;
mod width;

#[doc(inline)]
pub use block::{BlockKernel, Memos};
pub use compose::{Conformal, Cosine, Exp, Mapped, Normalised, Product, Scale, Sum};
pub use gaussian::Rbf;
pub use gradient::Gradient;
pub use precomputed::Precomputed;
pub use samples::{Index, Indexed, Sample, Samples, Vector};
pub use spectrum::Spectrum;
pub use text::{Codes, Text};
pub use vector::{Laplacian, Linear, Poly, QuadraticForm, Sigmoid};
pub use width::median_squared_distance;

use crate::error::{Error, Fault};
use crate::math::{Normal, Real};

/// A symmetric function of two samples that is an inner product in some feature space.
///
/// Implement it for your own sample type; only [`eval`](Kernel::eval) is required. Models and fits
/// also ask for [`BlockKernel`], for which an empty implementation will do:
///
/// ```
/// use mercer::Kernel;
/// use mercer::kernel::BlockKernel;
/// /// Counts the positions at which two event codes agree.
/// struct Matches;
/// impl Kernel<[u8]> for Matches {
///     type Scalar = f32;
///     fn eval(&self, x: &[u8], y: &[u8]) -> f32 {
///         x.iter().zip(y).filter(|(a, b)| a == b).count() as f32
///     }
/// }
/// impl BlockKernel<[u8]> for Matches {}
/// assert_eq!(Matches.eval(b"boot-ok", b"boot-no"), 5.0);
/// ```
pub trait Kernel<X: ?Sized> {
    /// The type of the kernel's values: `f32` or `f64`.
    type Scalar: Real;

    /// `k(x, y)`.
    fn eval(&self, x: &X, y: &X) -> Self::Scalar;

    /// `k(x, x)`, the squared norm in feature space. Override it where there is a cheaper way.
    fn diagonal(&self, x: &X) -> Self::Scalar {
        self.eval(x, x)
    }

    /// The largest `k(s, s)` of a *stranger* `s`, whose kernel value with every other sample is 0:
    /// for a Gaussian, a reading infinitely far away. Infinite if there is no largest; none if the
    /// kernel has no strangers, or does not say (the default).
    ///
    /// A threshold that no stranger exceeds is never exceeded at all, so a
    /// [detector](crate::Detector) with such a threshold is refused. For a kernel that does not
    /// say, it cannot be.
    fn stranger_norm(&self) -> Option<Self::Scalar> {
        None
    }

    /// Are the kernel's own parameters in their domain?
    ///
    /// # Errors
    /// [`Error::Parameter`] names the first that is not.
    fn validate(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Can `x` be compared with samples like `peer`?
    ///
    /// # Errors
    /// The [`Fault`] says what is wrong with `x`.
    fn check(&self, x: &X, peer: &X) -> Result<(), Fault> {
        let _ = (x, peer);
        Ok(())
    }
}

/// A borrowed kernel is a kernel.
impl<X: ?Sized, K: Kernel<X> + ?Sized> Kernel<X> for &K {
    type Scalar = K::Scalar;
    fn eval(&self, x: &X, y: &X) -> K::Scalar {
        (**self).eval(x, y)
    }
    fn diagonal(&self, x: &X) -> K::Scalar {
        (**self).diagonal(x)
    }
    fn stranger_norm(&self) -> Option<K::Scalar> {
        (**self).stranger_norm()
    }
    fn validate(&self) -> Result<(), Error> {
        (**self).validate()
    }
    fn check(&self, x: &X, peer: &X) -> Result<(), Fault> {
        (**self).check(x, peer)
    }
}

/// `value` must be finite and above zero.
pub(crate) fn require_positive<T: Real>(name: &'static str, value: T) -> Result<(), Error> {
    if value.is_finite() && value > T::ZERO {
        Ok(())
    } else {
        Err(Error::Parameter { name, rule: "finite and > 0" })
    }
}

/// A rate such as `γ` must be usable; see [`broken_rate_rule`].
pub(crate) fn require_rate<T: Real>(name: &'static str, value: T) -> Result<(), Error> {
    match broken_rate_rule(value.to_f64(), Normal::of::<T>()) {
        Some(rule) => Err(Error::Parameter { name, rule }),
        None => Ok(()),
    }
}

/// Which rule a rate breaks: it must be a normal number, and so must it be in the steps of an
/// exponent, in which a score multiplies by it. `const`, for kernels in flash.
pub(crate) const fn broken_rate_rule(value: f64, normal: Normal) -> Option<&'static str> {
    /// More than twice the [steps](crate::math::Math::STEPS) of any backend.
    const STEPS: f64 = 1024.0;
    if !(value.is_finite() && value > 0.0) {
        Some("finite and > 0")
    } else if value < normal.least || value > normal.most / STEPS {
        Some("neither tiny nor huge")
    } else {
        None
    }
}

/// `value` must be finite.
fn require_finite_parameter<T: Real>(name: &'static str, value: T) -> Result<(), Error> {
    if value.is_finite() { Ok(()) } else { Err(Error::Parameter { name, rule: "finite" }) }
}
