//! How a kernel changes with its first argument.
//!
//! **Method.** The derivatives in closed form:
//!
//! | kernel | `∂k(x, y)/∂x` |
//! |---|---|
//! | [`Linear`] | `y` |
//! | [`Rbf`] | `−2γ k (x − y)` |
//! | [`Laplacian`] | `−γ k sign(x − y)`, with 0 for the sign of 0 |
//! | [`Poly`] | `γ p (γ x·y + c)^(p−1) y` |
//! | [`Sigmoid`] | `γ (1 − k²) y` |
//! | [`QuadraticForm`] | `Ay` |
//! | [`Scale`], [`Sum`] | `c ∂k`, `∂k₁ + ∂k₂` |
//! | [`Product`], [`Exp`] | `k₂ ∂k₁ + k₁ ∂k₂`, `exp(k) ∂k` |
//! | [`Normalised`] of `g` | `∂g(x,y)/√(g(x,x) g(y,y)) − k/(2g(x,x)) ∂g(x,x)` |
//!
//! Gradients are added to the caller's slice with a weight: a combination of kernels then needs a
//! weight for each part, never a vector of its own.
//!
//! **Source.** The rules of calculus.
//!
//! **Domain.** That of the kernels. [`Laplacian`] has a kink where inputs are equal, and
//! [`Normalised`] no direction where `g(x,x) ≤ 0`: both contribute 0 there.
//!
//! **Bound.** A few roundings beyond those of the kernel's value; the tests agree with central
//! differences to 1e-7.

use super::{
    BlockKernel, Exp, Kernel, Laplacian, Linear, Normalised, Poly, Product, QuadraticForm, Rbf,
    Scale, Sigmoid, Sum,
};
use crate::math::{Math, Real, dot_in_order};

/// A kernel on vectors that can be differentiated.
///
/// ```
/// use mercer::kernel::{Gradient, Linear, Rbf, Sum};
/// let kernel = Sum(Rbf::new(0.5), Linear);
/// let mut gradient = [0.0, 0.0];
/// kernel.add_gradient(&[1.0, 2.0], &[1.0, 2.0], 3.0, &mut gradient);
/// assert_eq!(gradient, [3.0, 6.0]); // that of the Gaussian is 0 at its peak
/// ```
pub trait Gradient<T: Real>: BlockKernel<[T], Scalar = T> {
    /// Adds `weight · ∂k(x, y)/∂x` to `out`, over the shortest length.
    fn add_gradient(&self, x: &[T], y: &[T], weight: T, out: &mut [T]);

    /// The `g` of `∂k(x, y)/∂x = g·(y − x)`, from the value `k(x, y)`: for kernels of a distance,
    /// whose gradient then takes no second evaluation. None for all others.
    #[inline(always)]
    fn radial(&self, value: T) -> Option<T> {
        let _ = value;
        None
    }

    /// Adds `weight · ∂k(x, x)/∂x` to `out`: by symmetry twice the gradient at `y = x`; to be
    /// overridden where it is cheaper.
    fn add_diagonal_gradient(&self, x: &[T], weight: T, out: &mut [T]) {
        self.add_gradient(x, x, weight + weight, out);
    }
}

/// Adds `weight · values` to `out`.
fn add_scaled<T: Real>(weight: T, values: impl IntoIterator<Item = T>, out: &mut [T]) {
    for (out, value) in out.iter_mut().zip(values) {
        *out += weight * value;
    }
}

/// A kernel that is borrowed has the same gradient.
impl<T: Real, K: Gradient<T>> Gradient<T> for &K {
    fn add_gradient(&self, x: &[T], y: &[T], weight: T, out: &mut [T]) {
        (**self).add_gradient(x, y, weight, out);
    }
    #[inline(always)]
    fn radial(&self, value: T) -> Option<T> {
        (**self).radial(value)
    }
    fn add_diagonal_gradient(&self, x: &[T], weight: T, out: &mut [T]) {
        (**self).add_diagonal_gradient(x, weight, out);
    }
}

impl<T: Real> Gradient<T> for Linear {
    fn add_gradient(&self, _: &[T], y: &[T], weight: T, out: &mut [T]) {
        add_scaled(weight, y.iter().copied(), out);
    }
}

impl<T: Real, M: Math<T>> Gradient<T> for Rbf<T, M> {
    fn add_gradient(&self, x: &[T], y: &[T], weight: T, out: &mut [T]) {
        let factor = -(self.gamma + self.gamma) * self.eval(x, y);
        add_scaled(weight * factor, x.iter().zip(y).map(|(&a, &b)| a - b), out);
    }
    #[inline(always)]
    fn radial(&self, value: T) -> Option<T> {
        Some((self.gamma + self.gamma) * value)
    }
    /// Nothing: `k(x, x)` is 1 everywhere.
    fn add_diagonal_gradient(&self, _: &[T], _: T, _: &mut [T]) {}
}

impl<T: Real, M: Math<T>> Gradient<T> for Laplacian<T, M> {
    fn add_gradient(&self, x: &[T], y: &[T], weight: T, out: &mut [T]) {
        let factor = -self.gamma * self.eval(x, y);
        add_scaled(weight * factor, x.iter().zip(y).map(|(&a, &b)| sign(a - b)), out);
    }
    /// Nothing: `k(x, x)` is 1 everywhere.
    fn add_diagonal_gradient(&self, _: &[T], _: T, _: &mut [T]) {}
}

/// −1, 0 or 1.
fn sign<T: Real>(value: T) -> T {
    if value > T::ZERO {
        T::ONE
    } else if value < T::ZERO {
        -T::ONE
    } else {
        T::ZERO
    }
}

impl<T: Real> Gradient<T> for Poly<T> {
    fn add_gradient(&self, x: &[T], y: &[T], weight: T, out: &mut [T]) {
        let base = self.gamma * dot_in_order(x, y) + self.coef0;
        let degree = T::from_usize(self.degree as usize);
        let factor = self.gamma * degree * base.power(self.degree.saturating_sub(1));
        add_scaled(weight * factor, y.iter().copied(), out);
    }
}

impl<T: Real, M: Math<T>> Gradient<T> for Sigmoid<T, M> {
    fn add_gradient(&self, x: &[T], y: &[T], weight: T, out: &mut [T]) {
        let tanh = self.eval(x, y);
        let factor = self.gamma * (T::ONE - tanh * tanh);
        add_scaled(weight * factor, y.iter().copied(), out);
    }
}

impl<T: Real, const D: usize> Gradient<T> for QuadraticForm<T, D> {
    fn add_gradient(&self, _: &[T], y: &[T], weight: T, out: &mut [T]) {
        add_scaled(weight, self.matrix.view().iter_rows().map(|row| dot_in_order(row, y)), out);
    }
}

impl<T: Real, K: Gradient<T>> Gradient<T> for Scale<T, K> {
    fn add_gradient(&self, x: &[T], y: &[T], weight: T, out: &mut [T]) {
        self.kernel.add_gradient(x, y, weight * self.factor, out);
    }
    fn add_diagonal_gradient(&self, x: &[T], weight: T, out: &mut [T]) {
        self.kernel.add_diagonal_gradient(x, weight * self.factor, out);
    }
}

impl<T: Real, A: Gradient<T>, B: Gradient<T>> Gradient<T> for Sum<A, B> {
    fn add_gradient(&self, x: &[T], y: &[T], weight: T, out: &mut [T]) {
        self.0.add_gradient(x, y, weight, out);
        self.1.add_gradient(x, y, weight, out);
    }
    fn add_diagonal_gradient(&self, x: &[T], weight: T, out: &mut [T]) {
        self.0.add_diagonal_gradient(x, weight, out);
        self.1.add_diagonal_gradient(x, weight, out);
    }
}

impl<T: Real, A: Gradient<T>, B: Gradient<T>> Gradient<T> for Product<A, B> {
    fn add_gradient(&self, x: &[T], y: &[T], weight: T, out: &mut [T]) {
        self.0.add_gradient(x, y, weight * self.1.eval(x, y), out);
        self.1.add_gradient(x, y, weight * self.0.eval(x, y), out);
    }
    fn add_diagonal_gradient(&self, x: &[T], weight: T, out: &mut [T]) {
        self.0.add_diagonal_gradient(x, weight * self.1.diagonal(x), out);
        self.1.add_diagonal_gradient(x, weight * self.0.diagonal(x), out);
    }
}

impl<T: Real, K: Gradient<T>, M: Math<T>> Gradient<T> for Exp<K, M> {
    fn add_gradient(&self, x: &[T], y: &[T], weight: T, out: &mut [T]) {
        self.kernel.add_gradient(x, y, weight * self.eval(x, y), out);
    }
    fn add_diagonal_gradient(&self, x: &[T], weight: T, out: &mut [T]) {
        self.kernel.add_diagonal_gradient(x, weight * self.diagonal(x), out);
    }
}

impl<T: Real, K: Gradient<T>> Gradient<T> for Normalised<K> {
    /// Nothing where a sample has no direction, as its value is 0 there.
    fn add_gradient(&self, x: &[T], y: &[T], weight: T, out: &mut [T]) {
        let squared = self.0.diagonal(x);
        let norms = squared.sqrt() * self.0.diagonal(y).sqrt();
        if norms > T::ZERO {
            let weight = weight / norms;
            self.0.add_gradient(x, y, weight, out);
            let turned = -weight * self.0.eval(x, y) / (squared + squared);
            self.0.add_diagonal_gradient(x, turned, out);
        }
    }
    /// Nothing: `k(x, x)` is 1 everywhere.
    fn add_diagonal_gradient(&self, _: &[T], _: T, _: &mut [T]) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Matrix;

    const X: [f64; 3] = [0.5, -1.0, 2.0];
    const Y: [f64; 3] = [1.5, 0.25, -0.5];
    const POLY: Poly<f64> = Poly { gamma: 0.5, coef0: 1.0, degree: 3 };
    const FORM: QuadraticForm<f64, 3> = QuadraticForm {
        matrix: Matrix::from_rows([[2.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 4.0]]),
    };

    /// `(f(x + h e_l) − f(x − h e_l))/2h` for each input `l`.
    fn differences(f: impl Fn(&[f64]) -> f64) -> [f64; 3] {
        let h = 1e-6;
        core::array::from_fn(|l| {
            let (mut above, mut below) = (X, X);
            above[l] += h;
            below[l] -= h;
            (f(&above) - f(&below)) / (2.0 * h)
        })
    }

    #[track_caller]
    fn close(got: [f64; 3], expected: [f64; 3]) {
        for (g, e) in got.into_iter().zip(expected) {
            assert!((g - e).abs() <= 1e-7 * e.abs().max(1.0), "{got:?} is not {expected:?}");
        }
    }

    /// The weighted gradients are added to what is there and agree with finite differences.
    #[track_caller]
    fn agrees(kernel: impl Gradient<f64>) {
        for y in [Y, X, [0.5, 0.25, 2.0]] {
            let mut gradient = [1.0; 3];
            kernel.add_gradient(&X, &y, -0.5, &mut gradient);
            // A kink has no finite difference; the symmetric one is 0 like ours.
            let expected = differences(|x| kernel.eval(x, &y)).map(|v| 1.0 - 0.5 * v);
            close(gradient, expected);
        }
        let mut gradient = [1.0; 3];
        kernel.add_diagonal_gradient(&X, -0.5, &mut gradient);
        close(gradient, differences(|x| kernel.diagonal(x)).map(|v| 1.0 - 0.5 * v));
        let mut by_symmetry = [1.0; 3];
        kernel.add_gradient(&X, &X, -1.0, &mut by_symmetry);
        close(by_symmetry, gradient);
    }

    #[test]
    fn vector_kernels_agree_with_finite_differences() {
        agrees(Linear);
        agrees(Rbf::new(0.3));
        agrees(Laplacian::new(0.3));
        agrees(POLY);
        agrees(Poly { degree: 1, ..POLY });
        agrees(Sigmoid::new(0.5, 0.1));
        agrees(FORM);
    }

    #[test]
    fn composed_kernels_agree_with_finite_differences() {
        agrees(Scale { factor: 3.0, kernel: POLY });
        agrees(Sum(POLY, Rbf::new(0.1)));
        agrees(Product(POLY, Rbf::new(0.1)));
        agrees(Exp::new(Scale { factor: 0.2, kernel: FORM }));
        agrees(Normalised(Linear));
        agrees(Normalised(POLY));
        agrees(Normalised(Sum(Exp::new(Scale { factor: 0.2, kernel: Linear }), FORM)));
        let product = Product(Normalised(FORM), Laplacian::new(0.2));
        agrees(Scale { factor: 2.0, kernel: &product });
    }

    #[test]
    fn no_direction_has_no_gradient() {
        let mut gradient = [0.0; 3];
        Normalised(Linear).add_gradient(&[0.0; 3], &Y, 1.0, &mut gradient);
        Normalised(Linear).add_gradient(&X, &[0.0; 3], 1.0, &mut gradient);
        assert_eq!(gradient, [0.0; 3]);
    }

    #[test]
    fn a_constant_diagonal_has_no_gradient_in_any_combination() {
        let rbf = Rbf::new(0.3);
        let flat =
            Exp::new(Sum(Product(rbf, Normalised(POLY)), Scale { factor: 2.0, kernel: rbf }));
        let mut gradient = [0.0; 3];
        flat.add_diagonal_gradient(&X, 1.0, &mut gradient);
        assert_eq!(gradient, [0.0; 3]);
    }
}
