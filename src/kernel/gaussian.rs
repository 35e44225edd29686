//! The Gaussian kernel, one value at a time and in blocks.
//!
//! **Method.** `exp(−γ‖x−p‖²)`. A block of points is evaluated from inner products: the exponent is
//! `2γ(x·p − ‖p‖²/2) − γ‖x‖²`, one multiplication and addition for each input where the difference
//! takes two additions. What the point alone decides is kept beside it; the last term, common to
//! all points, is split into a start for `exp` and a factor of the sums. A query of few inputs is
//! itself multiplied by `2γ`, once for all points; of any other, the sums are. All other values
//! come from differences, `−γ Σ (x_l − p_l)²`. Exponents are counted in steps of the table in
//! [`Fast`].
//!
//! **Source.** `‖x−p‖² = ‖x‖² − 2x·p + ‖p‖²`; the choice between the two forms was measured here.
//!
//! **Domain.** Inner products lose digits away from the origin, so points with `γ‖p‖² > 4` are
//! evaluated from differences, as are those that do not fill a block. Standardised inputs lie
//! around the origin, so hardly any point is that far. For queries with `γ‖x‖²` above 45 (72 in
//! `f64`) the near points count as 0: their values are at most 2.3e-10 (4e-19).
//!
//! **Bound.** In `f32`, values in blocks are off by at most `3e-7 + 2.5e-7·γ(‖x‖²+‖p‖²)`
//! relative, which is less than 3.5e-7 at the default width, and nowhere by more than 4e-7 absolute
//! (1e-6 where the query is multiplied). Of 64 inputs, relative errors are up to 1.7 times as
//! large, for want of digits in the inner product. From differences they are off by 2.5e-7 and 2e-7
//! times the exponent, relative, for up to 11 inputs. Tests hold both.

use core::hint::black_box;

use super::block::{BlockKernel, FEW, Memos, Query};
use super::vector::check_vector;
use super::{Kernel, require_rate};
use crate::error::{Error, Fault};
use crate::linalg::lanes::{self, Lanes};
use crate::linalg::slices::head;
use crate::math::{Fast, Math, Real, squared_distance, sum};

/// The largest `γ‖p‖²` of a near point: errors of inner products stay near 1e-6.
const NEAR_POINT: f64 = 4.0;
/// The least exponent: `exp` of less is less than 4e-34.
const LEAST: f64 = -76.9;

/// The largest `γ‖x‖²` of a near query, `q`. Beyond it a near point has at most `e^−(√q−2)²`, which
/// is lost in rounding when it is added to 1: 2.3e-10 in `f32`, 4e-19 in `f64`. Up to it, exponents
/// are at least `−(√q+2)²`, within the range of the table in `f32`.
#[inline(always)]
fn near_query<T: Real>() -> T {
    T::from_f64(if T::EPSILON > T::from_f64(1e-9) { 45.0 } else { 72.0 })
}

/// Is it the query that is multiplied by `2γ`, rather than the sums over its inputs?
#[inline(always)]
const fn scales_query(inputs: usize) -> bool {
    inputs <= FEW
}

/// `‖p‖²` by a plain sum.
#[inline(always)]
fn squared_length<T: Real>(point: &[T]) -> T {
    sum(point.iter().map(|&x| x * x))
}

/// `‖p‖²` with what rounding takes from the sum added in the end (Knuth, *The Art of Computer
/// Programming* 2, 4.2.2): all terms have one sign, and of many inputs a plain sum would be off by
/// more than the inner product that it joins.
fn exact_squared_length<T: Real>(point: &[T]) -> T {
    let (mut square, mut lost) = (T::ZERO, T::ZERO);
    for &x in point {
        let (before, term) = (square, x * x);
        square += term;
        let added = square - before;
        lost += (before - (square - added)) + (term - added);
    }
    square + lost
}

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
    /// The backend that computes `exp`.
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

impl<T: Real, M: Math<T>> BlockKernel<[T]> for Rbf<T, M> {
    #[inline(always)]
    fn is_near(&self, point: &[T]) -> bool {
        let square = squared_length(point);
        self.gamma * square <= T::from_f64(NEAR_POINT) && self.rate().is_finite()
    }

    fn memo(&self, point: &[T]) -> Option<T> {
        // By half the rate of the query, so that rounding of the rate is but another width.
        let share = if scales_query(point.len()) { self.half_rate() } else { T::from_f64(0.5) };
        self.is_near(point).then(|| -(share * exact_squared_length(point)))
    }

    #[inline(always)]
    fn prepare(&self, x: &[T], peer: &[T]) -> Option<Query<T>> {
        let reach = self.gamma * squared_length(x);
        // One check instead of one for each input: a value that is not finite shows in the sum.
        if !(reach <= near_query::<T>() && x.len() == peer.len()) {
            return None;
        }
        let (start, factor) = self.math.split(-T::from_f64(M::STEPS) * reach);
        Some(Query { start, factor })
    }

    #[inline(always)]
    fn for_blocks<'a>(&self, x: &'a [T], room: &'a mut [T; FEW]) -> &'a [T] {
        if !scales_query(x.len()) {
            return x;
        }
        let rate = self.rate();
        let scaled = |j| x.get(j).map_or(T::ZERO, |&x| rate * x);
        // Written out, since a loop would fill the room with zeros first: at s, by a call.
        let [a, b, c, d] = [scaled(0), scaled(1), scaled(2), scaled(3)];
        let [e, f, g, h] = [scaled(4), scaled(5), scaled(6), scaled(7)];
        *room = [a, b, c, d, e, f, g, h];
        head(room, x.len())
    }

    #[inline(always)]
    fn eval_block(
        &self,
        query: Query<T>,
        x: &[T],
        points: Lanes<&[T]>,
        memos: Lanes<T>,
    ) -> Lanes<T> {
        let (math, rate, start) = (self.math, self.rate(), query.start);
        let [e0, e1, e2, e3] = if M::VECTORS {
            let [p0, p1, p2, p3] = points;
            let [m0, m1, m2, m3] = memos;
            let exponent = |point, memo| memo + lanes::sum_of(x, point, |x, p| x * p);
            [exponent(p0, m0), exponent(p1, m1), exponent(p2, m2), exponent(p3, m3)]
        } else {
            lanes::add_products(memos, x, points)
        };
        let [e0, e1, e2, e3] = match scales_query(x.len()) {
            true => [e0, e1, e2, e3],
            false => [rate * e0, rate * e1, rate * e2, rate * e3],
        };
        let values = [
            math.exp_steps(e0, start),
            math.exp_steps(e1, start),
            math.exp_steps(e2, start),
            math.exp_steps(e3, start),
        ];
        // Four numbers fill a vector of such a host. Without this, its compiler mixes them with the
        // sums that follow, in vectors of which it shuffles half.
        if M::VECTORS && cfg!(target_feature = "avx") { black_box(values) } else { values }
    }

    #[inline(always)]
    fn eval_point(&self, query: Query<T>, x: &[T], point: &[T]) -> T {
        let exponent = self.exponent(x, point);
        // Whatever is not a number is far away too: an overflow in the difference.
        let least = T::from_f64(LEAST * M::STEPS);
        let exponent = if exponent > least { exponent } else { least };
        self.math.exp_steps(exponent, M::ORIGIN) / query.factor
    }

    fn eval_row<'a>(&self, x: &[T], others: impl Iterator<Item = &'a [T]>, row: &mut [T]) {
        if M::VECTORS {
            // Exponents first, then `exp` of many at once, which is faster.
            for (exponent, y) in row.iter_mut().zip(others) {
                *exponent = self.exponent(x, y);
            }
            self.math.exp_many(row, M::ORIGIN);
        } else {
            for (value, y) in row.iter_mut().zip(others) {
                *value = self.eval(x, y);
            }
        }
    }
}

impl<T: Real, M: Math<T>> Rbf<T, M> {
    /// `2γ` in the steps of the exponent.
    #[inline(always)]
    fn rate(&self) -> T {
        T::from_f64(2.0 * M::STEPS) * self.gamma
    }

    /// `γ` in the steps of the exponent: just half the rate.
    #[inline(always)]
    fn half_rate(&self) -> T {
        T::from_f64(M::STEPS) * self.gamma
    }

    /// `−γ‖x−y‖²` in steps.
    #[inline(always)]
    fn exponent(&self, x: &[T], y: &[T]) -> T {
        let square = if M::VECTORS {
            lanes::sum_of(x, y, |x, y| (x - y) * (x - y))
        } else {
            squared_distance(x, y)
        };
        T::from_f64(-M::STEPS) * self.gamma * square
    }
}

macro_rules! const_memos {
    ($t:ty) => {
        impl<M: Math<$t>> Rbf<$t, M> {
            /// What a model in flash keeps beside its points, made when it is compiled.
            pub const fn memos<const D: usize, const R: usize>(
                &self,
                points: &[[$t; D]; R],
            ) -> Memos<$t, R> {
                let mut memos = Memos::NONE;
                let rate = (2.0 * M::STEPS) as $t * self.gamma;
                let share = if scales_query(D) { M::STEPS as $t * self.gamma } else { 0.5 };
                let mut i = 0;
                while i < R {
                    let (mut square, mut lost, mut j) = (0.0, 0.0, 0);
                    while j < D {
                        // As in `exact_squared_length`.
                        let (before, term) = (square, points[i][j] * points[i][j]);
                        square += term;
                        let added = square - before;
                        lost += (before - (square - added)) + (term - added);
                        j += 1;
                    }
                    if !(self.gamma * square <= NEAR_POINT as $t && rate.is_finite()) {
                        break;
                    }
                    memos.values[i] = -(share * (square + lost));
                    i += 1;
                }
                memos.near = i as u32;
                memos
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
    /// So few inputs that the query is multiplied, and more.
    const INPUTS: [usize; 6] = [1, 2, 4, FEW, SEVERAL, MANY];
    const SEVERAL: usize = FEW + 3;
    const MANY: usize = 64;

    /// Points of about unit variance, from a small generator.
    fn points<const N: usize>() -> [[f32; MANY]; N] {
        let mut state = 7_u32;
        from_fn(|_| {
            from_fn(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) as f32 / 16_777_216.0 * 3.4 - 1.7
            })
        })
    }

    fn exact(kernel: &Rbf<f32>, x: &[f32], y: &[f32]) -> f64 {
        let squares = x.iter().zip(y).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2));
        libm::exp(-f64::from(kernel.gamma) * squares.sum::<f64>())
    }

    /// The kernel value in a block if the query is near, else from the difference; and the exact
    /// one.
    fn by_route(kernel: &Rbf<f32>, x: &[f32], y: &[f32]) -> (f64, f64) {
        let value = match kernel.prepare(x, y) {
            Some(query) => {
                let (memo, mut room) = (kernel.memo(y).unwrap(), [0.0; FEW]);
                let x = kernel.for_blocks(x, &mut room);
                let [value, ..] = kernel.eval_block(query, x, [y; 4], [memo; 4]);
                query.factor * value
            }
            None => kernel.eval_point(Query::PLAIN, x, y),
        };
        (f64::from(value), exact(kernel, x, y))
    }

    #[test]
    fn blocks_are_as_exact_as_promised() {
        let points = points::<200>();
        let square = |x: &[f32]| x.iter().map(|x| f64::from(x * x)).sum::<f64>();
        for (inputs, width) in
            INPUTS.into_iter().flat_map(|d| [8.0, 2.9, 1.5, 0.75].map(|w| (d, w)))
        {
            let gamma = 1.0 / (width * inputs as f32);
            let kernel = Rbf::new(gamma);
            let mut worst = 0.0_f64;
            for (x, y) in
                points[..100].iter().flat_map(|x| points[100..].iter().map(move |y| (x, y)))
            {
                let (value, exact) = by_route(&kernel, &x[..inputs], &y[..inputs]);
                let spread = f64::from(gamma) * (square(&x[..inputs]) + square(&y[..inputs]));
                let error = (value / exact - 1.0).abs();
                assert!(error < 3.5e-7 || width < 8.0, "off by {error:e} at the default width");
                worst = worst.max(error / (3e-7 + 2.5e-7 * spread));
                // Away from the points relative errors grow, but not absolute ones.
                for stretch in [3.0, 10.0, 30.0, 1e3, 1e18] {
                    let far = x.map(|x| stretch * x);
                    let (value, exact) = by_route(&kernel, &far[..inputs], &y[..inputs]);
                    let bound = if scales_query(inputs) { 1e-6 } else { 4e-7 };
                    assert!((value - exact).abs() <= bound, "{value} instead of {exact}");
                }
            }
            let most = if inputs == MANY { 1.7 } else { 1.0 };
            assert!(worst <= most, "{inputs} inputs, γ {gamma}: {worst} of the promised error");
            assert!(worst >= 0.6, "{inputs} inputs, γ {gamma}: only {worst} of what is promised");
        }
    }

    #[test]
    fn differences_are_as_exact_as_promised_however_far_the_points() {
        let points = points::<200>();
        for gamma in [1.0 / 56.0, 0.2, 3.0] {
            let kernel = Rbf::new(gamma);
            for (x, y) in points[..100].iter().zip(&points[100..]) {
                for offset in [0.0, 8.0, 1e3, 1e15] {
                    let (x, y) = (x.map(|x| x + offset), y.map(|y| y + offset));
                    let (x, y) = (&x[..SEVERAL], &y[..SEVERAL]);
                    let query = kernel.prepare(x, y).unwrap_or(Query::PLAIN);
                    let value = f64::from(query.factor * kernel.eval_point(query, x, y));
                    let exact = exact(&kernel, x, y);
                    let bound = 2.5e-7 + 2e-7 * libm::log(1.0 / exact);
                    let error = (value - exact).abs();
                    assert!(error <= bound * exact + 5e-34, "{value} instead of {exact}");
                }
            }
        }
        assert!(KERNEL.eval_point(Query::PLAIN, &[f32::MAX; MANY], &points[0]) < 1e-18);
        assert!(KERNEL.eval_point(Query::PLAIN, &[f32::MAX; MANY], &[-f32::MAX; MANY]) < 1e-18);
    }

    #[test]
    fn four_points_have_the_bits_of_each() {
        let points = points::<5>();
        for inputs in INPUTS {
            let [x, near @ ..] = points.each_ref().map(|p| &p[..inputs]);
            let query = KERNEL.prepare(x, near[0]).unwrap();
            let mut room = [0.0; FEW];
            let x = KERNEL.for_blocks(x, &mut room);
            let memos = near.map(|p| KERNEL.memo(p).unwrap());
            let four = KERNEL.eval_block(query, x, near, memos);
            for l in 0..4 {
                let [alone, ..] = KERNEL.eval_block(query, x, [near[l]; 4], [memos[l]; 4]);
                assert_eq!(four[l], alone);
            }
        }
    }

    #[test]
    fn memos_in_flash_are_those_of_the_device() {
        const POINTS: [[f64; 2]; 3] = [[0.5, -1.0], [0.1, 0.7], [-2.0, 1.3]];
        const MEMOS: Memos<f64, 3> = Rbf::new(0.3_f64).memos(&POINTS);
        assert_eq!(MEMOS.leading(), POINTS.map(|p| Rbf::new(0.3_f64).memo(&p).unwrap()));
        let points = points::<20>();
        assert_eq!(KERNEL.memos(&points).leading(), points.map(|p| KERNEL.memo(&p).unwrap()));
    }

    #[test]
    fn what_would_lose_digits_is_not_near() {
        assert_eq!(KERNEL.memo(&[10.0, 0.0]), None);
        assert_eq!(KERNEL.memos(&[[0.0, 0.0], [10.0, 0.0], [1.0, 0.0]]).leading(), [0.0]);
        assert_eq!(KERNEL.memo(&[f32::NAN, 0.0]), None);
        assert_eq!(Rbf::new(f32::MAX).memo(&[0.0]), None, "exponents could not be scaled");
        let peer = &[0.0, 0.0][..];
        for far in [f32::INFINITY, f32::NAN, f32::MAX, 1e6] {
            assert_eq!(KERNEL.prepare(&[far, 0.0], peer), None);
        }
        assert_eq!(KERNEL.prepare(&[0.0], peer), None, "another length");
    }

    #[test]
    fn parameters_are_validated() {
        let refused = Kernel::<[f32]>::validate(&Rbf::new(f32::NAN));
        assert!(matches!(refused, Err(Error::Parameter { name: "gamma", .. })));
    }
}
