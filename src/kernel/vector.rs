//! Kernels on vectors of readings.
//!
//! **Method.** Inner products in the order of the inputs, and functions of them; the formula stands
//! at each type.
//!
//! **Source.** Schölkopf & Smola, *Learning with Kernels*, 2002, chapter 2.
//!
//! **Domain.** Finite vectors of equal length, and parameters as each field says.
//!
//! **Bound.** An inner product of `d` inputs is off by at most `d·ε Σ|x_i y_i|`; `exp` and `tanh`
//! add the error of the [`Math`] backend.

use super::{BlockKernel, Kernel, require_finite_parameter, require_rate};
use crate::error::{Error, Fault};
use crate::linalg::Matrix;
use crate::math::{Fast, Math, Real, dot_in_order, first_not_finite, sum};

/// Checks that every input is finite and that there are as many as the peer has.
pub(super) fn check_vector<T: Real>(x: &[T], peer: &[T]) -> Result<(), Fault> {
    if x.len() != peer.len() {
        return Err(Fault::Length { expected: peer.len(), given: x.len() });
    }
    match first_not_finite(x) {
        Some(input) => Err(Fault::NotFinite { input }),
        None => Ok(()),
    }
}

/// `x·y`: kernel PCA with it is ordinary PCA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Linear;

impl<T: Real> Kernel<[T]> for Linear {
    type Scalar = T;
    fn eval(&self, x: &[T], y: &[T]) -> T {
        dot_in_order(x, y)
    }
    fn check(&self, x: &[T], peer: &[T]) -> Result<(), Fault> {
        check_vector(x, peer)
    }
}

/// `exp(−γ‖x−y‖₁)`: like [`Rbf`](super::Rbf), but less sensitive to a single input that is far off.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Laplacian<T, M = Fast> {
    /// Inverse width, finite and > 0.
    pub gamma: T,
    /// The backend that computes `exp`.
    pub math: M,
}

impl<T> Laplacian<T> {
    /// The Laplacian kernel of inverse width `gamma`, computed with [`Fast`].
    pub const fn new(gamma: T) -> Self {
        Self { gamma, math: Fast }
    }
}

impl<T: Real, M: Math<T>> Kernel<[T]> for Laplacian<T, M> {
    type Scalar = T;
    fn eval(&self, x: &[T], y: &[T]) -> T {
        let distance = sum(x.iter().zip(y).map(|(&a, &b)| (a - b).abs()));
        self.math.exp(-self.gamma * distance)
    }
    fn diagonal(&self, _: &[T]) -> T {
        T::ONE
    }
    fn stranger_norm(&self) -> Option<T> {
        Some(T::ONE)
    }
    fn validate(&self) -> Result<(), Error> {
        require_rate("gamma", self.gamma)
    }
    fn check(&self, x: &[T], peer: &[T]) -> Result<(), Fault> {
        check_vector(x, peer)
    }
}

/// `(γ x·y + c)^p`. Positive semi-definite for `c ≥ 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Poly<T> {
    /// Factor of the inner product, finite and > 0.
    pub gamma: T,
    /// Constant term `c`, finite.
    pub coef0: T,
    /// Exponent `p` ≥ 1.
    pub degree: u32,
}

impl<T: Real> Kernel<[T]> for Poly<T> {
    type Scalar = T;
    fn eval(&self, x: &[T], y: &[T]) -> T {
        (self.gamma * dot_in_order(x, y) + self.coef0).power(self.degree)
    }
    fn validate(&self) -> Result<(), Error> {
        require_rate("gamma", self.gamma)?;
        require_finite_parameter("coef0", self.coef0)?;
        if self.degree == 0 {
            return Err(Error::Parameter { name: "degree", rule: ">= 1" });
        }
        Ok(())
    }
    fn check(&self, x: &[T], peer: &[T]) -> Result<(), Fault> {
        check_vector(x, peer)
    }
}

/// `tanh(γ x·y + c)`. Not positive definite in general: components with negative eigenvalues are
/// dropped, and the squared reconstruction error can come out below zero.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Sigmoid<T, M = Fast> {
    /// Factor of the inner product, finite and > 0.
    pub gamma: T,
    /// Constant term `c`, finite.
    pub coef0: T,
    /// The backend that computes `tanh`.
    pub math: M,
}

impl<T> Sigmoid<T> {
    /// The sigmoid kernel, computed with [`Fast`].
    pub const fn new(gamma: T, coef0: T) -> Self {
        Self { gamma, coef0, math: Fast }
    }
}

impl<T: Real, M: Math<T>> Kernel<[T]> for Sigmoid<T, M> {
    type Scalar = T;
    fn eval(&self, x: &[T], y: &[T]) -> T {
        self.math.tanh(self.gamma * dot_in_order(x, y) + self.coef0)
    }
    fn validate(&self) -> Result<(), Error> {
        require_rate("gamma", self.gamma)?;
        require_finite_parameter("coef0", self.coef0)
    }
    fn check(&self, x: &[T], peer: &[T]) -> Result<(), Fault> {
        check_vector(x, peer)
    }
}

/// `xᵀAy` for a symmetric, positive semi-definite `A`.
///
/// [`validate`](Kernel::validate) checks that `A` is finite and symmetric and that no 2 × 2
/// principal minor is negative, which is necessary for `A ⪰ 0` but not sufficient.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct QuadraticForm<T, const D: usize> {
    /// The matrix `A`.
    pub matrix: Matrix<T, D, D>,
}

impl<T: Real, const D: usize> Kernel<[T]> for QuadraticForm<T, D> {
    type Scalar = T;
    fn eval(&self, x: &[T], y: &[T]) -> T {
        sum(x
            .iter()
            .zip(self.matrix.view().iter_rows())
            .map(|(&xi, row)| xi * dot_in_order(row, y)))
    }
    fn validate(&self) -> Result<(), Error> {
        let matrix = self.matrix.view();
        matrix.require_symmetric()?;
        for i in 0..D {
            for j in 0..=i {
                let diagonal = matrix.at(i, i) * matrix.at(j, j);
                let off = matrix.at(i, j) * matrix.at(i, j);
                let rounding = diagonal.abs() * T::EPSILON * T::from_f64(4.0);
                if matrix.at(i, i) < T::ZERO || off > diagonal + rounding {
                    return Err(Error::Parameter {
                        name: "matrix",
                        rule: "positive semi-definite",
                    });
                }
            }
        }
        Ok(())
    }
    fn check(&self, x: &[T], peer: &[T]) -> Result<(), Fault> {
        if x.len() != D {
            return Err(Fault::Length { expected: D, given: x.len() });
        }
        check_vector(x, peer)
    }
}

impl<T: Real> BlockKernel<[T]> for Linear {}
impl<T: Real, M: Math<T>> BlockKernel<[T]> for Laplacian<T, M> {}
impl<T: Real> BlockKernel<[T]> for Poly<T> {}
impl<T: Real, M: Math<T>> BlockKernel<[T]> for Sigmoid<T, M> {}
impl<T: Real, const D: usize> BlockKernel<[T]> for QuadraticForm<T, D> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Rbf;

    const X: [f64; 3] = [0.5, -1.0, 2.0];
    const Y: [f64; 3] = [1.5, 0.25, -0.5];

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-14 * b.abs().max(1.0), "{a} is not {b}");
    }

    #[test]
    fn values_follow_the_formulas() {
        let inner = 0.5 * 1.5 - 0.25 - 1.0;
        let squared = 1.0 + 1.25 * 1.25 + 2.5 * 2.5;
        close(Linear.eval(&X, &Y), inner);
        close(Rbf::new(0.3).eval(&X, &Y), (-0.3_f64 * squared).exp());
        close(Laplacian::new(0.3).eval(&X, &Y), (-0.3 * (1.0 + 1.25 + 2.5_f64)).exp());
        let poly = Poly { gamma: 0.5, coef0: 1.0, degree: 3 };
        close(poly.eval(&X, &Y), (0.5 * inner + 1.0).powi(3));
        close(Sigmoid::new(0.5, 0.1).eval(&X, &Y), (0.5 * inner + 0.1).tanh());
    }

    #[test]
    fn quadratic_form_of_the_identity_is_linear() {
        let mut matrix = Matrix::<f64, 3, 3>::zeros();
        matrix.view_mut().set_identity();
        let form = QuadraticForm { matrix };
        assert_eq!(form.validate(), Ok(()));
        close(form.eval(&X, &Y), Linear.eval(&X, &Y));
        let weighted = QuadraticForm { matrix: Matrix::from_rows([[2.0, 1.0], [1.0, 3.0]]) };
        close(weighted.eval(&[1.0, 2.0], &[3.0, -1.0]), 2.0 * 3.0 - 1.0 + 2.0 * (3.0 - 3.0));
    }

    #[test]
    fn parameters_outside_their_domain_are_named() {
        let name = |result: Result<(), Error>| match result {
            Err(Error::Parameter { name, .. }) => name,
            other => panic!("{other:?}"),
        };
        for gamma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(name(Rbf::new(gamma).validate()), "gamma");
            assert_eq!(name(Laplacian::new(gamma).validate()), "gamma");
            assert_eq!(name(Poly { gamma, coef0: 0.0, degree: 2 }.validate()), "gamma");
            assert_eq!(name(Sigmoid::new(gamma, 0.0).validate()), "gamma");
        }
        assert_eq!(name(Poly { gamma: 1.0, coef0: f64::NAN, degree: 2 }.validate()), "coef0");
        assert_eq!(name(Poly { gamma: 1.0, coef0: 0.0, degree: 0 }.validate()), "degree");
        assert_eq!(name(Sigmoid::new(1.0, f64::INFINITY).validate()), "coef0");
        let indefinite = QuadraticForm { matrix: Matrix::from_rows([[1.0, 2.0], [2.0, 1.0]]) };
        assert_eq!(name(indefinite.validate()), "matrix");
        let skewed = QuadraticForm { matrix: Matrix::from_rows([[1.0, 0.5], [0.0, 1.0]]) };
        assert!(matches!(skewed.validate(), Err(Error::NotSymmetric { row: 0, column: 1 })));
    }

    #[test]
    fn unusable_samples_are_refused() {
        let kernel = Rbf::new(1.0);
        assert_eq!(kernel.check(&[0.0, f64::NAN], &[0.0; 2]), Err(Fault::NotFinite { input: 1 }));
        let wrong = Fault::Length { expected: 2, given: 3 };
        assert_eq!(kernel.check(&[0.0; 3], &[0.0; 2]), Err(wrong));
        let form = QuadraticForm { matrix: Matrix::<f64, 2, 2>::zeros() };
        assert_eq!(form.check(&[0.0; 3], &[0.0; 3]), Err(wrong));
    }
}
