//! The closure properties of kernels as types: every type here turns kernels into a kernel.
//!
//! **Method.** Scaling, sums, products, `exp`, reweighting, feature maps and normalisation all keep
//! a kernel positive semi-definite.
//!
//! **Source.** Shawe-Taylor & Cristianini, *Kernel Methods for Pattern Analysis*, 2004,
//! propositions 3.22 and 3.24.
//!
//! **Domain.** That of the parts; a factor must be finite and positive, and a normalised kernel has
//! no value where `k(x, x) ≤ 0`.
//!
//! **Bound.** One rounding for each operation beyond those of the parts, and the error of `exp` in
//! the [`Math`] backend.

use super::{BlockKernel, Kernel, Linear, require_rate};
use crate::error::{Error, Fault};
use crate::kernel::Sample;
use crate::math::{Fast, Math, Real};

/// `c·k(x, y)` with `c > 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Scale<T, K> {
    /// The factor `c`, finite and > 0.
    pub factor: T,
    /// The kernel `k`.
    pub kernel: K,
}

impl<X: ?Sized, T: Real, K: Kernel<X, Scalar = T>> Kernel<X> for Scale<T, K> {
    type Scalar = T;
    fn eval(&self, x: &X, y: &X) -> T {
        self.factor * self.kernel.eval(x, y)
    }
    fn diagonal(&self, x: &X) -> T {
        self.factor * self.kernel.diagonal(x)
    }
    fn stranger_norm(&self) -> Option<T> {
        Some(self.factor * self.kernel.stranger_norm()?)
    }
    fn validate(&self) -> Result<(), Error> {
        require_rate("factor", self.factor)?;
        self.kernel.validate()
    }
    fn check(&self, x: &X, peer: &X) -> Result<(), Fault> {
        self.kernel.check(x, peer)
    }
}

/// `k₁(x, y) + k₂(x, y)`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Sum<A, B>(pub A, pub B);

impl<X: ?Sized, T: Real, A, B> Kernel<X> for Sum<A, B>
where
    A: Kernel<X, Scalar = T>,
    B: Kernel<X, Scalar = T>,
{
    type Scalar = T;
    fn eval(&self, x: &X, y: &X) -> T {
        self.0.eval(x, y) + self.1.eval(x, y)
    }
    fn diagonal(&self, x: &X) -> T {
        self.0.diagonal(x) + self.1.diagonal(x)
    }
    fn stranger_norm(&self) -> Option<T> {
        Some(self.0.stranger_norm()? + self.1.stranger_norm()?)
    }
    fn validate(&self) -> Result<(), Error> {
        self.0.validate()?;
        self.1.validate()
    }
    fn check(&self, x: &X, peer: &X) -> Result<(), Fault> {
        self.0.check(x, peer)?;
        self.1.check(x, peer)
    }
}

/// `k₁(x, y)·k₂(x, y)`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Product<A, B>(pub A, pub B);

impl<X: ?Sized, T: Real, A, B> Kernel<X> for Product<A, B>
where
    A: Kernel<X, Scalar = T>,
    B: Kernel<X, Scalar = T>,
{
    type Scalar = T;
    fn eval(&self, x: &X, y: &X) -> T {
        self.0.eval(x, y) * self.1.eval(x, y)
    }
    fn diagonal(&self, x: &X) -> T {
        self.0.diagonal(x) * self.1.diagonal(x)
    }
    fn stranger_norm(&self) -> Option<T> {
        Some(self.0.stranger_norm()? * self.1.stranger_norm()?)
    }
    fn validate(&self) -> Result<(), Error> {
        self.0.validate()?;
        self.1.validate()
    }
    fn check(&self, x: &X, peer: &X) -> Result<(), Fault> {
        self.0.check(x, peer)?;
        self.1.check(x, peer)
    }
}

/// `exp(k(x, y))`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Exp<K, M = Fast> {
    /// The kernel in the exponent.
    pub kernel: K,
    /// The backend that computes `exp`.
    pub math: M,
}

impl<K> Exp<K> {
    /// `exp` of a kernel, computed with [`Fast`].
    pub const fn new(kernel: K) -> Self {
        Self { kernel, math: Fast }
    }
}

impl<X: ?Sized, K: Kernel<X>, M: Math<K::Scalar>> Kernel<X> for Exp<K, M> {
    type Scalar = K::Scalar;
    fn eval(&self, x: &X, y: &X) -> K::Scalar {
        self.math.exp(self.kernel.eval(x, y))
    }
    fn diagonal(&self, x: &X) -> K::Scalar {
        self.math.exp(self.kernel.diagonal(x))
    }
    fn validate(&self) -> Result<(), Error> {
        self.kernel.validate()
    }
    fn check(&self, x: &X, peer: &X) -> Result<(), Fault> {
        self.kernel.check(x, peer)
    }
}

/// `f(x) k(x, y) f(y)`: a kernel reweighted by a function of the sample.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Conformal<K, F> {
    /// The kernel `k`.
    pub kernel: K,
    /// The weight `f`; a `fn` item or pointer can be stored in flash.
    pub weight: F,
}

impl<X: ?Sized, K: Kernel<X>, F: Fn(&X) -> K::Scalar> Kernel<X> for Conformal<K, F> {
    type Scalar = K::Scalar;
    fn eval(&self, x: &X, y: &X) -> K::Scalar {
        (self.weight)(x) * self.kernel.eval(x, y) * (self.weight)(y)
    }
    fn validate(&self) -> Result<(), Error> {
        self.kernel.validate()
    }
    fn check(&self, x: &X, peer: &X) -> Result<(), Fault> {
        self.kernel.check(x, peer)
    }
}

/// `k(g(x), g(y))`: a kernel on features of the sample.
///
/// ```
/// use mercer::Kernel;
/// use mercer::kernel::{Mapped, Rbf};
/// /// Direction and strength of a 2-D reading.
/// fn polar(x: &[f32]) -> [f32; 2] {
///     [x[1].atan2(x[0]), x[0].hypot(x[1])]
/// }
/// let k = Mapped { kernel: Rbf::new(1.0_f32), map: polar };
/// assert_eq!(k.eval(&[3.0, 4.0], &[3.0, 4.0]), 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Mapped<K, G> {
    /// The kernel on the features.
    pub kernel: K,
    /// The map `g`; a `fn` item or pointer can be stored in flash.
    pub map: G,
}

impl<X: ?Sized, Z: Sample, K: Kernel<Z::View>, G: Fn(&X) -> Z> Kernel<X> for Mapped<K, G> {
    type Scalar = K::Scalar;
    fn eval(&self, x: &X, y: &X) -> K::Scalar {
        self.kernel.eval((self.map)(x).view(), (self.map)(y).view())
    }
    fn diagonal(&self, x: &X) -> K::Scalar {
        self.kernel.diagonal((self.map)(x).view())
    }
    fn stranger_norm(&self) -> Option<K::Scalar> {
        self.kernel.stranger_norm()
    }
    fn validate(&self) -> Result<(), Error> {
        self.kernel.validate()
    }
    fn check(&self, x: &X, peer: &X) -> Result<(), Fault> {
        self.kernel.check((self.map)(x).view(), (self.map)(peer).view())
    }
}

/// `k(x, y)/√(k(x, x) k(y, y))`: only the direction in feature space counts.
///
/// A sample with `k(x, x) ≤ 0` has no direction: [`check`](Kernel::check) refuses it with
/// [`Fault::ZeroNorm`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Normalised<K>(pub K);

/// The cosine of the angle between two vectors.
pub type Cosine = Normalised<Linear>;

impl<X: ?Sized, K: Kernel<X>> Kernel<X> for Normalised<K> {
    type Scalar = K::Scalar;
    fn eval(&self, x: &X, y: &X) -> K::Scalar {
        // Two roots rather than the root of the product, which could overflow.
        let norms = self.0.diagonal(x).sqrt() * self.0.diagonal(y).sqrt();
        if norms > K::Scalar::ZERO { self.0.eval(x, y) / norms } else { K::Scalar::ZERO }
    }
    fn diagonal(&self, _: &X) -> K::Scalar {
        K::Scalar::ONE
    }
    fn stranger_norm(&self) -> Option<K::Scalar> {
        self.0.stranger_norm().map(|_| K::Scalar::ONE)
    }
    fn validate(&self) -> Result<(), Error> {
        self.0.validate()
    }
    fn check(&self, x: &X, peer: &X) -> Result<(), Fault> {
        self.0.check(x, peer)?;
        let squared = self.0.diagonal(x);
        if !squared.is_finite() {
            Err(Fault::Overflow)
        } else if squared > K::Scalar::ZERO {
            Ok(())
        } else {
            Err(Fault::ZeroNorm)
        }
    }
}

impl<X: ?Sized, T: Real, K: Kernel<X, Scalar = T>> BlockKernel<X> for Scale<T, K> {}
impl<X: ?Sized, T: Real, A, B> BlockKernel<X> for Sum<A, B>
where
    A: Kernel<X, Scalar = T>,
    B: Kernel<X, Scalar = T>,
{
}
impl<X: ?Sized, T: Real, A, B> BlockKernel<X> for Product<A, B>
where
    A: Kernel<X, Scalar = T>,
    B: Kernel<X, Scalar = T>,
{
}
impl<X: ?Sized, K: Kernel<X>, M: Math<K::Scalar>> BlockKernel<X> for Exp<K, M> {}
impl<X: ?Sized, K: Kernel<X>, F: Fn(&X) -> K::Scalar> BlockKernel<X> for Conformal<K, F> {}
impl<X: ?Sized, Z: Sample, K: Kernel<Z::View>, G: Fn(&X) -> Z> BlockKernel<X> for Mapped<K, G> {}
impl<X: ?Sized, K: Kernel<X>> BlockKernel<X> for Normalised<K> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Poly, Rbf};

    const X: [f64; 2] = [0.5, -1.0];
    const Y: [f64; 2] = [1.5, 0.25];

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-14 * b.abs().max(1.0), "{a} is not {b}");
    }

    #[test]
    fn closure_follows_the_formulas() {
        let (inner, rbf) = (0.5, (-0.2_f64 * (1.0 + 1.25 * 1.25)).exp());
        let k = Rbf::new(0.2);
        close(Scale { factor: 3.0, kernel: k }.eval(&X, &Y), 3.0 * rbf);
        close(Sum(k, Linear).eval(&X, &Y), rbf + inner);
        close(Product(k, Linear).eval(&X, &Y), rbf * inner);
        close(Exp::new(Linear).eval(&X, &Y), inner.exp());
        let weighted = Conformal { kernel: k, weight: |x: &[f64]| x[0] };
        close(weighted.eval(&X, &Y), 0.5 * rbf * 1.5);
        let first = Mapped { kernel: Linear, map: |x: &[f64]| [x[0]] };
        close(first.eval(&X, &Y), 0.5 * 1.5);
    }

    #[test]
    fn gaussian_is_normalised_exponential() {
        // exp(-γ|x-y|²) = normalised exp(2γ x·y)
        let scaled = Scale { factor: 0.4, kernel: Linear };
        close(Normalised(Exp::new(scaled)).eval(&X, &Y), Rbf::new(0.2).eval(&X, &Y));
    }

    #[test]
    fn diagonal_agrees_with_eval() {
        fn agrees(kernel: impl Kernel<[f64], Scalar = f64>) {
            close(kernel.diagonal(&X), kernel.eval(&X, &X));
        }
        let poly = Poly { gamma: 0.5, coef0: 1.0, degree: 2 };
        agrees(Scale { factor: 3.0, kernel: poly });
        agrees(Sum(poly, Rbf::new(0.1)));
        agrees(Product(poly, Rbf::new(0.1)));
        agrees(Exp::new(poly));
        agrees(Conformal { kernel: poly, weight: |x: &[f64]| x[1] });
        agrees(Mapped { kernel: poly, map: |x: &[f64]| [x[0], x[1] * x[1]] });
        agrees(Normalised(poly));
    }

    #[test]
    fn faults_of_the_parts_are_faults_of_the_whole() {
        let bad = Rbf::new(0.0);
        let error = Err(Error::Parameter { name: "gamma", rule: "finite and > 0" });
        assert_eq!(Sum(Linear, bad).validate(), error);
        assert_eq!(Product(bad, Linear).validate(), error);
        assert_eq!(Normalised(Exp::new(bad)).validate(), error);
        let scaled = Scale { factor: -1.0, kernel: Linear };
        let error = Err(Error::Parameter { name: "factor", rule: "finite and > 0" });
        assert_eq!(Kernel::<[f64]>::validate(&scaled), error);
        let nan = Err(Fault::NotFinite { input: 0 });
        assert_eq!(Sum(Linear, bad).check(&[f64::NAN, 0.0], &X), nan);
        assert_eq!(Normalised(Linear).check(&[0.0, 0.0], &X), Err(Fault::ZeroNorm));
        assert_eq!(Normalised(Linear).eval(&[0.0, 0.0], &X), 0.0);
        assert_eq!(Normalised(Linear).check(&[1e200, 0.0], &X), Err(Fault::Overflow));
        let mapped = Mapped { kernel: Linear, map: |x: &[f64]| [x[0].ln()] };
        assert_eq!(mapped.check(&[-1.0, 0.0], &X), nan);
    }
}
