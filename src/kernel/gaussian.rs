//! The Gaussian kernel, and its values with all the points of a model.
//!
//! One value is computed from the difference of its two points. A row of them is computed from inner products, `−γ‖x−p‖² = −γ‖x‖² − γ‖p‖² + 2γ x·p`: one
//! instruction less for each input. `−γ‖p‖²` is kept with each point, `2γx` is made once for each query, and what all values have in common, `−γ‖x‖²`, goes into the
//! place where rounding starts and into a factor for their sums.
//!
//! The price is cancellation. In `f32` a value of a row is off by at most `2.3e-7 + 2.5e-7·γ(‖x‖² + ‖p‖²)`, relative, and by less than 3e-7 for standardised readings and the default `γ`.
//! A point with a large `γ‖p‖²` has therefore no memo, and its model no rows: readings far from the origin have to be shifted there, which scaling does. A query far from
//! the origin loses digits too, but then its kernel values are small, and absolute errors stay below 4e-7.

use super::vector::check_vector;
use super::{Kernel, Row, require_positive};
use crate::error::{Error, Fault};
use crate::linalg::lanes::{self, Lanes};
use crate::math::{Fast, Math, Real, squared_distance};

/// The largest `γ‖p‖²` that inner products are used for: errors stay near 1e-6.
const REACH: f64 = 4.0;
/// From this `γ‖x‖²` on, all kernel values are 0: `γ‖x−p‖²` is beyond 7,800.
const FAR: f64 = 8192.0;

/// The Gaussian kernel `exp(−γ‖x−y‖²)`, `γ = 1/(2σ²)`.
///
/// On standardised inputs `γ = 1/(8·d)` is a good start for `d` inputs.
///
/// ```
/// use mercer::Kernel;
/// use mercer::kernel::Rbf;
/// let k = Rbf::new(0.5_f64);
/// assert_eq!(k.eval(&[1.0, 2.0], &[1.0, 2.0]), 1.0);
/// assert!((k.eval(&[0.0], &[2.0]) - (-2.0_f64).exp()).abs() < 1e-15);
/// assert!(Rbf::new(-1.0_f32).eval(&[0.0], &[1.0]) > 1.0); // nonsense, which is why …
/// let refused = Kernel::<[f32]>::validate(&Rbf::new(-1.0_f32)); // … every fit asks this first
/// assert_eq!(refused.unwrap_err().to_string(), "parameter `gamma` must be finite and > 0");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Rbf<T, M = Fast> {
    /// Inverse width, finite and > 0.
    pub gamma: T,
    /// Who computes `exp`.
    pub math: M,
}

impl<T> Rbf<T> {
    /// The Gaussian kernel of inverse width `gamma`, computed with [`Fast`].
    pub const fn new(gamma: T) -> Self {
        Self { gamma, math: Fast }
    }
}

impl<T: Real, M: Math<T>> Kernel<[T]> for Rbf<T, M> {
    type Scalar = T;
    fn eval(&self, x: &[T], y: &[T]) -> T {
        self.math.exp(-self.gamma * squared_distance(x, y))
    }
    fn diagonal(&self, _: &[T]) -> T {
        T::ONE
    }
    fn validate(&self) -> Result<(), Error> {
        require_positive("gamma", self.gamma)
    }
    fn check(&self, x: &[T], peer: &[T]) -> Result<(), Fault> {
        check_vector(x, peer)
    }

    fn memo(&self, point: &[T]) -> Option<T> {
        // Once for each fit, so it can be exact.
        let square = point.iter().fold(0.0, |sum, x| sum + x.to_f64() * x.to_f64());
        let reach = self.gamma.to_f64() * square;
        (reach <= REACH && self.rate().is_finite()).then(|| T::from_f64(-M::STEPS * reach))
    }

    #[inline(always)]
    fn prepare(&self, x: &mut [T]) -> Option<Row<T>> {
        let square = x.iter().fold(T::ZERO, |sum, &x| sum + x * x);
        // One look instead of one at each input: whatever is not finite shows in the sum.
        if !square.is_finite() {
            return None;
        }
        let reach = self.gamma * square;
        let far = reach > T::from_f64(FAR);
        let rate = if far { T::ZERO } else { self.rate() };
        for x in x.iter_mut() {
            *x *= rate;
        }
        if far {
            return Some(Row { start: T::ZERO, factor: T::ZERO });
        }
        let (start, factor) = self.math.split(-T::from_f64(M::STEPS) * reach);
        Some(Row { start, factor })
    }

    #[inline(always)]
    fn eval_prepared(&self, row: Row<T>, x: &[T], point: &[T], memo: T) -> T {
        let exponent = x.iter().zip(point).fold(memo, |sum, (&x, &y)| sum + x * y);
        self.math.exp_steps(exponent, row.start)
    }

    #[inline(always)]
    fn eval_four(&self, row: Row<T>, x: &[T], points: Lanes<&[T]>, memos: Lanes<T>) -> Lanes<T> {
        let [e0, e1, e2, e3] = lanes::add_products(memos, x, points);
        let (math, start) = (self.math, row.start);
        [
            math.exp_steps(e0, start),
            math.exp_steps(e1, start),
            math.exp_steps(e2, start),
            math.exp_steps(e3, start),
        ]
    }

    // Exponents first, then `exp` of many at once, where that is faster.
    #[inline(always)]
    fn begin(&self, x: &[T], y: &[T]) -> T {
        if M::VECTORS {
            let square = lanes::sum_of(x, y, |x, y| (x - y) * (x - y));
            T::from_f64(-M::STEPS) * self.gamma * square
        } else {
            self.eval(x, y)
        }
    }
    #[inline(always)]
    fn begin_prepared(&self, row: Row<T>, x: &[T], point: &[T], memo: T) -> T {
        if M::VECTORS {
            memo + lanes::sum_of(x, point, |x, y| x * y)
        } else {
            self.eval_prepared(row, x, point, memo)
        }
    }
    #[inline(always)]
    fn finish(&self, row: Row<T>, values: &mut [T]) {
        if M::VECTORS {
            self.math.exp_many(values, row.start);
        }
    }
}

impl<T: Real, M: Math<T>> Rbf<T, M> {
    /// `2γ` in the steps of the exponent.
    #[inline(always)]
    fn rate(&self) -> T {
        T::from_f64(2.0 * M::STEPS) * self.gamma
    }
}

macro_rules! const_memos {
    ($t:ty) => {
        impl Rbf<$t> {
            /// What [`KernelPca::with_memos`](crate::KernelPca::with_memos) adds to a model in flash, made when it is compiled.
            ///
            /// `None` when a point is too far from the origin for it.
            pub const fn memos<const D: usize, const R: usize>(
                &self,
                points: &[[$t; D]; R],
            ) -> Option<[$t; R]> {
                let mut memos = [0.0; R];
                let mut i = 0;
                while i < R {
                    let (mut square, mut j) = (0.0, 0);
                    while j < D {
                        square += points[i][j] as f64 * points[i][j] as f64;
                        j += 1;
                    }
                    let reach = self.gamma as f64 * square;
                    let rate = (2.0 * <Fast as Math<$t>>::STEPS) as $t * self.gamma;
                    if !(reach <= REACH && rate.is_finite()) {
                        return None;
                    }
                    memos[i] = (-<Fast as Math<$t>>::STEPS * reach) as $t;
                    i += 1;
                }
                Some(memos)
            }
        }
    };
}
const_memos!(f32);
const_memos!(f64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use core::array::from_fn;

    const KERNEL: Rbf<f32> = Rbf::new(0.05);

    /// Points of about unit variance, from a small generator.
    fn points<const N: usize>() -> [[f32; 7]; N] {
        let mut state = 7_u32;
        from_fn(|_| {
            from_fn(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) as f32 / 16_777_216.0 * 3.4 - 1.7
            })
        })
    }

    /// The kernel value by a row, and the exact one.
    fn by_row(kernel: &Rbf<f32>, x: &[f32; 7], y: &[f32; 7]) -> (f64, f64) {
        let mut prepared = *x;
        let row = kernel.prepare(&mut prepared).unwrap();
        let memo = kernel.memo(y).unwrap();
        let value = row.factor * kernel.eval_prepared(row, &prepared, y, memo);
        let squares = x.iter().zip(y).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2));
        (f64::from(value), libm::exp(-f64::from(kernel.gamma) * squares.sum::<f64>()))
    }

    #[test]
    fn rows_are_as_exact_as_promised() {
        let points = points::<200>();
        let square = |x: &[f32; 7]| x.iter().map(|x| f64::from(x * x)).sum::<f64>();
        for gamma in [1.0 / 56.0, 0.05, 0.2] {
            let kernel = Rbf::new(gamma);
            let mut worst = 0.0_f64;
            for (x, y) in
                points[..100].iter().flat_map(|x| points[100..].iter().map(move |y| (x, y)))
            {
                let (value, exact) = by_row(&kernel, x, y);
                let spread = f64::from(gamma) * (square(x) + square(y));
                let error = (value / exact - 1.0).abs();
                assert!(
                    error < 3e-7 || gamma > 1.0 / 56.0,
                    "off by {error:e} at the default width"
                );
                worst = worst.max(error / (2.3e-7 + 2.5e-7 * spread));
                // Away from the points relative errors grow, but not absolute ones.
                for stretch in [3.0, 10.0, 30.0, 1e3, 1e18] {
                    let (value, exact) = by_row(&kernel, &x.map(|x| stretch * x), y);
                    assert!((value - exact).abs() <= 4e-7, "{value} instead of {exact}");
                }
            }
            assert!(worst <= 1.0, "γ {gamma}: {worst} of the promised error");
            assert!(worst >= 0.6, "γ {gamma}: only {worst} of the promised error");
        }
    }

    #[test]
    fn four_points_have_the_bits_of_one() {
        let points = points::<5>();
        let mut x = points[4];
        let row = KERNEL.prepare(&mut x).unwrap();
        let memos = from_fn(|l| KERNEL.memo(&points[l]).unwrap());
        let four = KERNEL.eval_four(row, &x, from_fn(|l| points[l].as_slice()), memos);
        for l in 0..4 {
            assert_eq!(four[l], KERNEL.eval_prepared(row, &x, &points[l], memos[l]));
        }
    }

    #[test]
    fn memos_in_flash_are_those_of_the_device() {
        const POINTS: [[f64; 2]; 3] = [[0.5, -1.0], [0.1, 0.7], [-2.0, 1.3]];
        const MEMOS: Option<[f64; 3]> = Rbf::new(0.3_f64).memos(&POINTS);
        assert_eq!(MEMOS.unwrap(), POINTS.map(|p| Rbf::new(0.3_f64).memo(&p).unwrap()));
        let points = points::<20>();
        let memos = KERNEL.memos(&points).unwrap();
        assert_eq!(memos, points.map(|p| KERNEL.memo(&p).unwrap()));
    }

    #[test]
    fn what_would_lose_digits_has_no_memo() {
        assert_eq!(KERNEL.memo(&[10.0, 0.0]), None);
        assert_eq!(KERNEL.memos(&[[0.0, 0.0], [10.0, 0.0]]), None);
        assert_eq!(KERNEL.memo(&[f32::NAN, 0.0]), None);
        assert_eq!(Rbf::new(f32::MAX).memo(&[0.0]), None, "the query could not be scaled");
        assert_eq!(KERNEL.prepare(&mut [f32::INFINITY, 0.0]), None);
        assert_eq!(KERNEL.prepare(&mut [f32::MAX, 0.0]), None, "its square is not finite");
    }

    #[test]
    fn parameters_are_validated() {
        let refused = Kernel::<[f32]>::validate(&Rbf::new(f32::NAN));
        assert!(matches!(refused, Err(Error::Parameter { name: "gamma", .. })));
    }
}
