//! How wide a Gaussian kernel should be.
//!
//! **Method.** `γ = 1/(8·d)` from the number `d` of standardised inputs, or `γ = 1/(factor·m)` from
//! the median `m` of the samples' squared distances. The median needs no memory: it bisects over
//! the bit patterns of the distances, which for numbers above 0 are in the order of the numbers.
//!
//! **Source.** The median heuristic, e.g. in Gretton et al., *A Kernel Two-Sample Test*, JMLR 13,
//! 2012; the factor 8 was chosen on real data (`docs/EVALUATION.md`).
//!
//! **Domain.** At least one input; for the median, samples that are not all equal.
//!
//! **Bound.** The median is exact, but for the rounding of the distances themselves.

use super::Rbf;
use crate::error::Error;
use crate::kernel::Samples;
use crate::math::{Real, squared_distance};

impl<T: Real> Rbf<T> {
    /// `γ = 1/(8·d)` for `d` standardised inputs: costs nothing, and on real data is hardly worse
    /// than the best.
    ///
    /// ```
    /// use mercer::kernel::Rbf;
    /// assert_eq!(Rbf::<f32>::for_inputs(4).gamma, 1.0 / 32.0);
    /// ```
    pub fn for_inputs(inputs: usize) -> Self {
        Self::new(T::ONE / T::from_usize(8 * inputs.max(1)))
    }

    /// `γ = 1/(factor·m)` with the [median squared distance](median_squared_distance) `m` of the
    /// samples; 8 is a good factor.
    ///
    /// # Errors
    /// [`Error::NoVariance`] when all samples are equal.
    pub fn for_samples<S>(samples: &S, factor: T) -> Result<Self, Error>
    where
        S: Samples<View = [T]> + ?Sized,
    {
        let median = median_squared_distance(samples).ok_or(Error::NoVariance)?;
        Ok(Self::new(T::ONE / (factor * median)))
    }
}

/// Median of the squared distances over all pairs of samples, without those at distance 0; at most
/// 66 passes over the `n²/2` pairs, and no memory.
pub fn median_squared_distance<T, S>(samples: &S) -> Option<T>
where
    T: Real,
    S: Samples<View = [T]> + ?Sized,
{
    let distances = || {
        let others = move |i| samples.iter_samples().take(i);
        samples
            .iter_samples()
            .enumerate()
            .flat_map(move |(i, x)| others(i).map(move |y| squared_distance(x, y)))
            .filter(|&distance| distance > T::ZERO)
    };
    let count = distances().count();
    let at_most = |bits: u64| distances().filter(|d| d.to_f64().to_bits() <= bits).count();
    // The lower of the two middle ones if the count is even.
    let rank = count.div_ceil(2);
    let (mut low, mut high) = (0, f64::MAX.to_bits());
    while low < high {
        let middle = low + (high - low) / 2;
        if at_most(middle) >= rank {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    let lower = distances().find(|d| d.to_f64().to_bits() == low)?;
    if count % 2 == 1 || at_most(low) > rank {
        return Some(lower);
    }
    let upper = distances()
        .filter(|&d| d > lower)
        .fold(None, |least: Option<T>, d| Some(least.map_or(d, |l| if d < l { d } else { l })))?;
    Some((lower + upper) / T::from_f64(2.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// By sorting.
    fn reference(samples: &[[f64; 2]]) -> Option<f64> {
        let mut all: Vec<f64> = (0..samples.len())
            .flat_map(|i| (0..i).map(move |j| squared_distance(&samples[i], &samples[j])))
            .filter(|&d| d > 0.0)
            .collect();
        all.sort_by(f64::total_cmp);
        let middle = all.len().checked_sub(1)? / 2;
        Some((all[middle] + all[all.len() / 2]) / 2.0)
    }

    #[test]
    fn median_agrees_with_sorting() {
        let mut state = 1_u64;
        for n in 2..12 {
            let mut samples = std::vec![[0.0; 2]; n];
            for value in samples.iter_mut().flatten() {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                // Few values, so that there are copies and ties.
                *value = (state >> 61) as f64;
            }
            assert_eq!(median_squared_distance(samples.as_slice()), reference(&samples), "{n}");
        }
        assert_eq!(median_squared_distance([[1.0, 2.0]; 4].as_slice()), None);
        assert_eq!(median_squared_distance::<f64, [[f64; 2]]>(&[]), None);
    }
}
