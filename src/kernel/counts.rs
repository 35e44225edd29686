//! Vectors of whole numbers, and the Gaussian kernel on them: samples in half the memory.
//!
//! **Method.** Input `j` of a reading is `mean_j + count_j·deviation_j/1024`; who keeps the counts
//! knows mean and deviation. In units of deviations, all inputs then have the same step, so squared
//! distances are sums of squared differences of whole numbers, which are exact, and the step
//! becomes a factor of `γ`.
//!
//! **Domain.** Readings of up to 32 deviations from the mean.
//!
//! **Bound.** A reading is off by at most half a step, `1/2048` of a deviation. The kernel is that
//! of the reading as it is kept: its only rounding is that of the exponent, once, and of `exp`.

use super::{Kernel, Rbf, Sample, require_rate};
use crate::error::Error;
use crate::kernel::BlockKernel;
use crate::linalg::slices::{entry, set};
use crate::math::Math;

/// Steps in a deviation: a power of two, so that counts are exact multiples of a deviation.
pub(crate) const STEPS: f32 = 1024.0;

/// A reading in counts of a deviation's 1024th.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts<const D: usize>([i16; D]);

impl<const D: usize> Counts<D> {
    /// At the mean in every input.
    pub(crate) const ZERO: Self = Self([0; D]);

    /// The count of an input.
    pub(crate) fn get(&self, input: usize) -> i16 {
        entry(&self.0, input)
    }

    /// Replaces the count of an input.
    pub(crate) fn set(&mut self, input: usize, count: i16) {
        set(&mut self.0, input, count);
    }

    /// All of them.
    pub(crate) const fn all(&self) -> &[i16; D] {
        &self.0
    }

    /// The reading in deviations from the mean; exact.
    pub(crate) fn in_deviations(&self) -> [f32; D] {
        self.0.map(|count| f32::from(count) * (1.0 / STEPS))
    }

    fn squared_distance(&self, other: &Self) -> u64 {
        let squares = self.0.iter().zip(&other.0).map(|(&a, &b)| {
            let difference = i32::from(a) - i32::from(b);
            // Up to 65,535²: as bits without a sign, the product is right.
            u64::from(difference.wrapping_mul(difference).cast_unsigned())
        });
        squares.sum()
    }
}

impl<const D: usize> Sample for Counts<D> {
    type View = Self;
    fn view(&self) -> &Self {
        self
    }
}

/// The nearest count; none beyond what a count can be, or of what is not a number.
pub(crate) fn nearest(value: f32) -> Option<i16> {
    let half = if value < 0.0 { -0.5 } else { 0.5 };
    // The cast rounds towards zero, and saturates.
    let count = i16::try_from((value + half) as i32).ok();
    count.filter(|&count| count != i16::MIN && value.is_finite())
}

/// The Gaussian kernel of readings in counts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(crate) struct CountedRbf {
    /// With `γ` for squared distances in counts.
    kernel: Rbf<f32>,
}

impl CountedRbf {
    /// The kernel of readings in deviations, for readings in counts.
    pub(crate) fn new(kernel: Rbf<f32>) -> Self {
        Self { kernel: Rbf::new(kernel.gamma / (STEPS * STEPS)) }
    }

    /// The kernel for readings in deviations.
    pub(crate) fn in_deviations(&self) -> Rbf<f32> {
        Rbf::new(self.kernel.gamma * (STEPS * STEPS))
    }

    fn at(&self, square: u64) -> f32 {
        // What fits into 32 bits is converted by an instruction, where there is an FPU.
        let square = u32::try_from(square).map_or(square as f32, |square| square as f32);
        self.kernel.math.exp(-self.kernel.gamma * square)
    }
}

impl<const D: usize> Kernel<Counts<D>> for CountedRbf {
    type Scalar = f32;
    fn eval(&self, x: &Counts<D>, y: &Counts<D>) -> f32 {
        self.at(x.squared_distance(y))
    }
    fn diagonal(&self, _: &Counts<D>) -> f32 {
        1.0
    }
    fn stranger_norm(&self) -> Option<f32> {
        Some(1.0)
    }
    fn validate(&self) -> Result<(), Error> {
        require_rate("gamma", self.kernel.gamma)?;
        // Below the normal numbers, the factor of the steps would have taken digits.
        match self.kernel.gamma.is_normal() {
            true => Ok(()),
            false => Err(Error::Parameter { name: "gamma", rule: "finite and >= 1.3e-32" }),
        }
    }
}

impl<const D: usize> BlockKernel<Counts<D>> for CountedRbf {
    /// Where the kernel of readings in deviations will keep a memo.
    fn is_near(&self, point: &Counts<D>) -> bool {
        self.in_deviations().is_near(&point.in_deviations())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_is_that_of_the_decoded_readings() {
        let kernel = Rbf::new(1.0 / 24.0_f32);
        let counted = CountedRbf::new(kernel);
        assert_eq!(counted.in_deviations(), kernel);
        let mut state = 5_u32;
        let mut random = |range: i32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (((u64::from(state >> 8) * (2 * range as u64)) >> 24) as i32 - range) as i16
        };
        for range in [10, 1024, 8_000, 32_767] {
            for _ in 0..200 {
                let [x, y] =
                    [(); 2].map(|()| Counts([random(range), random(range), random(range)]));
                let (a, b) = (x.in_deviations(), y.in_deviations());
                let expected = Kernel::<[f32]>::eval(&kernel, &a, &b);
                let exponent = -expected.ln();
                let close = 1e-6 * (1.0 + exponent.min(90.0)) * expected + 1e-30;
                assert!((counted.eval(&x, &y) - expected).abs() <= close, "{x:?} {y:?}");
                assert_eq!(counted.is_near(&x), kernel.is_near(&a));
            }
        }
        let (far, other) = (Counts([i16::MAX; 3]), Counts([-i16::MAX; 3]));
        assert_eq!(far.squared_distance(&other), 3 * 65_534 * 65_534);
        assert!(counted.eval(&far, &other) < 1e-30);
    }

    #[test]
    fn counts_are_the_nearest_or_none() {
        for (value, count) in [(0.4, 0), (-0.4, 0), (0.6, 1), (-0.6, -1), (1000.2, 1000)] {
            assert_eq!(nearest(value), Some(count));
        }
        assert_eq!((nearest(32_767.2), nearest(-32_767.2)), (Some(i16::MAX), Some(-i16::MAX)));
        for value in [32_767.8, -32_767.8, -32_768.0, 1e30, f32::NAN, f32::INFINITY] {
            assert_eq!(nearest(value), None, "{value}");
        }
    }

    #[test]
    fn a_width_that_loses_digits_is_refused() {
        let validate = |gamma| Kernel::<Counts<2>>::validate(&CountedRbf::new(Rbf::new(gamma)));
        assert_eq!(validate(1e-31), Ok(()));
        for gamma in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-38, 1e-34] {
            assert!(matches!(validate(gamma), Err(Error::Parameter { name: "gamma", .. })));
        }
    }
}
