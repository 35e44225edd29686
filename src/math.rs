//! Mathematics of reals: the one place where `exp`, `tanh`, `sqrt` and `ln` are called.
//!
//! **Method.** [`Real`] is `f32` or `f64`, with the exact operations that every algorithm uses. The
//! transcendental functions of *kernels* go through a [`Math`] backend that is chosen by type:
//! [`Fast`] unless the code names another one. The feature `micromath` adds `Micromath` and changes
//! nothing for code that does not name it. The eigensolver and all fits use [`Real::sqrt`], which
//! is never approximated.
//!
//! **Source.** [libm](https://docs.rs/libm), a port of musl's; `exp` of [`Fast`] and `ln` of `f32`
//! are our own.
//!
//! **Domain.** All numbers, as in IEEE 754; a backend's form for rows is for exponents up to about
//! 0.
//!
//! **Bound.** `sqrt` is correctly rounded; the relative errors of the others stand at each backend.

mod fast;
mod logarithm;

use core::fmt::{Debug, Display};
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

mod sealed {
    /// Also tells generic code whether two kinds of real are the same, which takes a question to
    /// either of them, and what the bits of a real say.
    pub trait Sealed: Sized {
        fn as_f32(slice: &[Self]) -> Option<&[f32]>;
        fn as_f64(slice: &[Self]) -> Option<&[f64]>;
        /// Numbers of another kind, if it is this one.
        fn same_type<U: Sealed>(slice: &[U]) -> Option<&[Self]>;
        /// Of two numbers `low < high`: the one in the middle of all that there are from `low` on
        /// and below `high`.
        fn halfway(low: Self, high: Self) -> Self;
        /// Some bits that equal numbers share.
        fn digest(self) -> u32;
    }

    /// Whole numbers in the order of the reals whose bits they are, and back.
    macro_rules! ordered {
        ($bits:expr, $sign:literal) => {
            $bits ^ ((($bits >> $sign).cast_unsigned() >> 1).cast_signed())
        };
    }

    macro_rules! halfway {
        ($t:ty, $sign:literal) => {
            fn halfway(low: $t, high: $t) -> $t {
                let [a, b] = [low, high].map(|x| ordered!(x.to_bits().cast_signed(), $sign));
                // The mean without overflow.
                let mean = (a & b) + ((a ^ b) >> 1);
                let between = <$t>::from_bits(ordered!(mean, $sign).cast_unsigned());
                // 0 and −0 have two places, but are equal.
                if between < high { between } else { low }
            }
        };
    }

    impl Sealed for f32 {
        fn as_f32(slice: &[f32]) -> Option<&[f32]> {
            Some(slice)
        }
        fn as_f64(_: &[f32]) -> Option<&[f64]> {
            None
        }
        fn same_type<U: Sealed>(slice: &[U]) -> Option<&[f32]> {
            U::as_f32(slice)
        }
        halfway!(f32, 31);
        fn digest(self) -> u32 {
            // −0 becomes 0.
            (self + 0.0).to_bits()
        }
    }
    impl Sealed for f64 {
        fn as_f32(_: &[f64]) -> Option<&[f32]> {
            None
        }
        fn as_f64(slice: &[f64]) -> Option<&[f64]> {
            Some(slice)
        }
        fn same_type<U: Sealed>(slice: &[U]) -> Option<&[f64]> {
            U::as_f64(slice)
        }
        halfway!(f64, 63);
        fn digest(self) -> u32 {
            let bits = (self + 0.0).to_bits();
            (bits >> 32) as u32 ^ (bits as u32).rotate_left(9)
        }
    }
}

/// A real number: `f32` or `f64`.
pub trait Real:
    sealed::Sealed
    + Copy
    + Debug
    + Display
    + Default
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + Send
    + Sync
    + 'static
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// Distance from 1 to the next larger number.
    const EPSILON: Self;

    /// The nearest value to an `f64`: how constants enter generic code.
    fn from_f64(value: f64) -> Self;
    /// This value as an `f64`, exactly.
    fn to_f64(self) -> f64;
    /// The nearest value to a count.
    fn from_usize(value: usize) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// Square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// Natural logarithm, that of libm in `f64` and our own in `f32`; −∞ for 0.
    fn ln(self) -> Self;
    /// `eˣ`, that of libm; kernels have a [`Math`] of their own.
    fn exp(self) -> Self;
    /// What [`scaled_by`](Self::scaled_by) takes for this divisor: in `f32` its reciprocal, because
    /// a Cortex-M4F takes 14 cycles to divide; in `f64` itself, which is for hosts, where results
    /// are compared with those of others: among discrete samples a last bit decides between pivots.
    fn to_factor(self) -> Self;
    /// Divided by the number that the factor was made of.
    fn scaled_by(self, factor: Self) -> Self;
    /// Neither NaN nor infinite.
    fn is_finite(self) -> bool;

    /// The larger of two numbers; the first when they are equal or one is NaN.
    fn larger(self, other: Self) -> Self {
        if other > self { other } else { self }
    }
    /// `self` to a whole power ≥ 0, by repeated squaring.
    fn power(self, exponent: u32) -> Self {
        let (mut result, mut square, mut left) = (Self::ONE, self, exponent);
        while left > 0 {
            if left & 1 == 1 {
                result *= square;
            }
            square *= square;
            left >>= 1;
        }
        result
    }
}

/// The positive normal numbers of a type, from the smallest to the largest. As `f64`, to which both
/// types convert exactly: rules on them can be `const`.
#[derive(Clone, Copy)]
pub(crate) struct Normal {
    pub(crate) least: f64,
    pub(crate) most: f64,
    /// Distance from 1 to the next larger number.
    pub(crate) epsilon: f64,
}

impl Normal {
    pub(crate) const fn of<T: Real>() -> Self {
        if size_of::<T>() == size_of::<f32>() {
            let (least, most) = (f32::MIN_POSITIVE as f64, f32::MAX as f64);
            Self { least, most, epsilon: f32::EPSILON as f64 }
        } else {
            Self { least: f64::MIN_POSITIVE, most: f64::MAX, epsilon: f64::EPSILON }
        }
    }
}

/// The functions that kernels need beyond arithmetic, for one kind of real.
///
/// A backend is a unit value that sits in the kernel, so that the choice is part of the kernel's
/// type: `Rbf<f32>` means `Rbf<f32, Fast>`.
pub trait Math<T: Real>: Copy {
    /// `eˣ`.
    fn exp(self, x: T) -> T;
    /// Hyperbolic tangent.
    fn tanh(self, x: T) -> T;

    /// Into how many steps [`exp_steps`](Self::exp_steps) divides a unit of the exponent.
    const STEPS: f64 = 1.0;
    /// The start of exponents that share nothing.
    const ORIGIN: T = T::ZERO;
    /// Splits the shared part of the exponents, in steps, into a start for
    /// [`exp_steps`](Self::exp_steps) and a common factor of all values.
    #[inline(always)]
    fn split(self, shared: T) -> (T, T) {
        (shared, T::ONE)
    }
    /// `exp((t + s)/STEPS)` where `start` is [`ORIGIN`](Self::ORIGIN) and `s = 0`, or `start` comes
    /// from [`split`](Self::split) and `s` is what it left to this form. The sum is at most about
    /// 0.
    #[inline(always)]
    fn exp_steps(self, t: T, start: T) -> T {
        self.exp(t + start)
    }
    /// Is [`exp_many`](Self::exp_many) faster than one value at a time?
    const VECTORS: bool = false;
    /// [`exp_steps`](Self::exp_steps) of each value, in place.
    #[inline(always)]
    fn exp_many(self, values: &mut [T], start: T) {
        for t in values {
            *t = self.exp_steps(*t, start);
        }
    }
}

/// The default backend: the same bits on every core.
///
/// It has an `exp` of its own for numbers up to 0. For `f32` there are two: one that is shorter
/// than libm's, with a relative error of up to 8e-8, and one for a model's row of kernel values
/// that is shorter still, with a table of 256 bytes and a relative error of up to 2.6e-7, for
/// exponents from −77 up. For `f64` there is only the one for rows, of a model or of a Gram matrix,
/// with a relative error of up to 5e-16 plus 2e-16 times the magnitude of the exponent. Everything
/// else is that of [libm](https://docs.rs/libm).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Fast;

/// [libm](https://docs.rs/libm): errors below 1 ulp, the same bits on every core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Libm;

/// The [micromath](https://docs.rs/micromath) backend for `f32`: approximations.
///
/// Its `exp` is off by up to 2.4e-3 relative (a test holds it to that). On a core with an FPU it is
/// *slower* than [`Libm`], and much slower than [`Fast`]; what it saves is code size.
/// Fit and score with the same backend, or thresholds will not match.
#[cfg(feature = "micromath")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Micromath;

macro_rules! real {
    ($t:ty, $sqrt:path, $ln:path, $exp:path, $tanh:path, |$x:ident| $factor:expr, $scale:path) => {
        impl Real for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const EPSILON: Self = <$t>::EPSILON;

            fn from_f64(value: f64) -> Self {
                value as Self
            }
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            fn from_usize(value: usize) -> Self {
                value as Self
            }
            fn abs(self) -> Self {
                self.abs()
            }
            // libm uses the legacy (SSE) form of this instruction, which stalls while the upper
            // halves of wide vector registers are in use; compilers clear these halves before a
            // call.
            #[cfg_attr(target_arch = "x86_64", inline(never))]
            fn sqrt(self) -> Self {
                $sqrt(self)
            }
            // Large, and called in few places: one copy in flash, which can be looked for.
            #[inline(never)]
            fn ln(self) -> Self {
                $ln(self)
            }
            fn exp(self) -> Self {
                $exp(self)
            }
            #[inline(always)]
            fn to_factor(self) -> Self {
                let $x = self;
                $factor
            }
            #[inline(always)]
            fn scaled_by(self, factor: Self) -> Self {
                $scale(self, factor)
            }
            fn is_finite(self) -> bool {
                self.is_finite()
            }
        }

        impl Math<$t> for Libm {
            fn exp(self, x: $t) -> $t {
                $exp(x)
            }
            fn tanh(self, x: $t) -> $t {
                $tanh(x)
            }
        }
    };
}
real!(f32, libm::sqrtf, logarithm::ln, libm::expf, libm::tanhf, |x| 1.0 / x, Mul::mul);
real!(f64, libm::sqrt, libm::log, libm::exp, libm::tanh, |x| x, Div::div);

#[cfg(feature = "micromath")]
impl Math<f32> for Micromath {
    fn exp(self, x: f32) -> f32 {
        // micromath's exponent wraps below its range; the true value there is under 2⁻¹²⁶.
        if x < -87.0 { 0.0 } else { micromath::F32(x).exp().0 }
    }
    fn tanh(self, x: f32) -> f32 {
        // Written in exp(-2|x|), which cannot overflow.
        let e = self.exp(-2.0 * x.abs());
        ((1.0 - e) / (1.0 + e)).copysign(x)
    }
}

/// `Σ xᵢ yᵢ`, added up in the order of the entries, over the shorter length.
///
/// Kernels promise this order: the rows of a score have the same bits. Where no order is promised,
/// [`dot_in_lanes`](crate::linalg::rows::dot_in_lanes) is faster.
pub(crate) fn dot_in_order<T: Real>(x: &[T], y: &[T]) -> T {
    x.iter().zip(y).fold(T::ZERO, |sum, (&a, &b)| sum + a * b)
}

/// `‖x − y‖²`, over the shorter length.
pub(crate) fn squared_distance<T: Real>(x: &[T], y: &[T]) -> T {
    sum(x.iter().zip(y).map(|(&a, &b)| (a - b) * (a - b)))
}

/// Position of the first value that is not finite.
pub(crate) fn first_not_finite<T: Real>(values: &[T]) -> Option<usize> {
    values.iter().position(|v| !v.is_finite())
}

/// `Σ values`; from −0, since adding to it changes nothing, so that the first addition is left out.
pub(crate) fn sum<T: Real>(values: impl IntoIterator<Item = T>) -> T {
    values.into_iter().fold(-T::ZERO, |sum, v| sum + v)
}

/// Values that [`long_sum`] adds up before they join the total.
const BLOCK: usize = 64;

/// `Σ values` of any number of values, off by at most 34 `ε·Σ|values|`.
///
/// Blocks of 64 are added in order. Their sums are added up together with what rounding takes from
/// them (Neumaier, *Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen*, ZAMM
/// 54, 1974), so that the error does not grow with their number. Up to 64 values have the bits of
/// [`sum`].
pub(crate) fn long_sum<T: Real>(values: impl IntoIterator<Item = T>) -> T {
    let (mut total, mut lost, mut block) = (T::ZERO, T::ZERO, T::ZERO);
    let mut settle = |block: T| {
        let before = total;
        total += block;
        lost += if before.abs() > block.abs() {
            (before - total) + block
        } else {
            (block - total) + before
        };
        (total, lost)
    };
    for (i, value) in values.into_iter().enumerate() {
        if i > 0 && i % BLOCK == 0 {
            settle(block);
            block = T::ZERO;
        }
        block += value;
    }
    let (total, lost) = settle(block);
    // Nothing can be taken from an infinite total.
    if lost.is_finite() { total + lost } else { total }
}

/// What to divide numbers of at most this size by before they are squared: 1, unless the squares or
/// their sums come near the limits of `f32`.
pub(crate) fn scale_of<T: Real>(largest: T) -> T {
    let usual = T::from_f64(1e-8)..T::from_f64(1e8);
    if largest > T::ZERO && !usual.contains(&largest) { largest } else { T::ONE }
}

/// Position and value of the least value; among equal ones, of the first.
pub(crate) fn first_least<T: Real>(values: impl IntoIterator<Item = T>) -> Option<(usize, T)> {
    let values = values.into_iter().enumerate();
    values.reduce(|best, this| if this.1 < best.1 { this } else { best })
}

#[cfg(test)]
mod tests {
    use super::sealed::Sealed;
    use super::*;

    #[test]
    fn power_agrees_with_repeated_multiplication() {
        let mut product = 1.0_f64;
        for exponent in 0..12 {
            assert_eq!(1.5.power(exponent), product);
            product *= 1.5;
        }
    }

    /// Terms whose sum loses digits when they are added one by one: equal ones, a large one first,
    /// and a million tenths.
    #[test]
    fn long_sums_keep_their_digits() {
        let error = |terms: &[f32]| {
            let exact: f64 = terms.iter().map(|&x| f64::from(x)).sum();
            let sizes: f64 = terms.iter().map(|&x| f64::from(x.abs())).sum();
            let bound = 34.0 * f64::from(f32::EPSILON) * sizes;
            let [plain, long] = [sum(terms.iter().copied()), long_sum(terms.iter().copied())]
                .map(|found| (f64::from(found) - exact).abs() / bound);
            assert!(long <= 1.0, "{long}");
            plain
        };
        assert!(error(&std::vec![0.1; 1_000_000]) > 1.0, "a plain sum would do");
        let mut large = std::vec![1e-3; 500_000];
        large[0] = 1e6;
        assert!(error(&large) > 1.0, "a plain sum would do");
        let signs: std::vec::Vec<f32> =
            (0..300_001).map(|i| if i % 2 == 0 { 1e3 + i as f32 } else { -1e3 }).collect();
        error(&signs);
        let few: std::vec::Vec<f32> = (0..64).map(|i| 1.0 / (i + 1) as f32).collect();
        assert_eq!(long_sum(few.iter().copied()), sum(few.iter().copied()));
        assert_eq!(long_sum::<f64>([]), 0.0);
        assert_eq!(long_sum([f32::MAX; 200]), f32::INFINITY);
        assert!(long_sum([f32::NAN, 1.0]).is_nan());
    }

    /// Towards either end, halving is over after as many steps as a number has bits.
    #[test]
    fn halfway_halves_what_is_between() {
        fn steps<T: Real>(low: T, high: T, up: bool) -> usize {
            let (mut low, mut high, mut steps) = (low, high, 0);
            loop {
                let middle = T::halfway(low, high);
                assert!(low <= middle && middle < high, "{middle} from {low} to {high}");
                steps += 1;
                if middle == low {
                    return steps;
                }
                if up { low = middle } else { high = middle }
            }
        }
        let numbers = [f32::NEG_INFINITY, f32::MIN, -1.0, -1e-45, -0.0, 0.0, 1e-45, 2.5, f32::MAX];
        for (i, &low) in numbers.iter().enumerate() {
            for &high in numbers.iter().skip(i + 1).filter(|&&high| low < high) {
                for up in [true, false] {
                    assert!(steps(low, high, up) <= 33, "f32 from {low} to {high}");
                    assert!(steps(f64::from(low), f64::from(high), up) <= 65, "{low} to {high}");
                }
            }
        }
        assert_eq!(f32::halfway(1.0, 4.0), 2.0, "as many numbers from 1 to 2 as from 2 to 4");
        assert_eq!(f64::halfway(-4.0, -1.0), -2.0);
        assert_eq!(f32::halfway(-1e-45, 0.0), -1e-45, "−0 is no number between them");
    }

    #[test]
    fn equal_numbers_share_their_digest() {
        assert_eq!((-0.0_f32).digest(), 0.0_f32.digest());
        assert_eq!((-0.0_f64).digest(), 0.0_f64.digest());
        let digests: std::collections::HashSet<u32> =
            (0..1000).map(|i| (f64::from(i) * 0.1).digest()).collect();
        assert_eq!(digests.len(), 1000);
    }

    #[test]
    fn larger_keeps_the_first_on_ties_and_nan() {
        assert_eq!(2.0_f32.larger(1.0), 2.0);
        assert_eq!(1.0_f32.larger(2.0), 2.0);
        assert_eq!(1.0_f32.larger(f32::NAN), 1.0);
    }

    #[cfg(feature = "micromath")]
    #[test]
    fn micromath_stays_within_its_documented_error() {
        for step in 0..=3000 {
            let x = -(step as f32) * 0.01;
            let exact = f64::from(x);
            let exact = libm::exp(exact);
            let relative = (f64::from(Micromath.exp(x)) - exact).abs() / exact;
            assert!(relative <= 2.4e-3, "exp({x}) is off by {relative:e}");
            let tanh = (Micromath.tanh(x) - libm::tanhf(x)).abs();
            assert!(tanh <= 2.4e-3, "tanh({x}) is off by {tanh:e}");
        }
        assert_eq!(Micromath.exp(-1e4), 0.0);
    }
}
