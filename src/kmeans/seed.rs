//! The first clusters: seeds that are far apart, and every sample with the nearest.

use super::{Cluster, KMeansScratch};
use crate::error::Error;
use crate::kernel::Kernel;
use crate::math::Real;
use crate::samples::Samples;

impl<T: Real> KMeansScratch<'_, T> {
    /// Chooses as many seeds as there are clusters and labels the samples; returns what is rounding in a squared distance.
    pub(super) fn seed<K, S>(&mut self, kernel: &K, samples: &S) -> Result<T, Error>
    where
        S: Samples + ?Sized,
        K: Kernel<S::View, Scalar = T>,
    {
        let mut largest = T::ZERO;
        for (i, (norm, x)) in self.norms.iter_mut().zip(samples.iter_samples()).enumerate() {
            *norm = kernel.diagonal(x);
            if !norm.is_finite() {
                return Err(Error::NotFinite { row: i, column: i });
            }
            largest = largest.larger(norm.abs());
        }
        let rounding = T::from_usize(self.norms.len()) * T::EPSILON * largest;
        // All in one cluster: how near each sample is to the mean of all.
        self.labels.fill(0);
        self.refresh(kernel, samples)?;
        self.measure_own();
        let mut seed = first_least(self.distances.iter().copied());
        let needed = self.clusters.len();
        for number in 0..needed {
            if number > 0 {
                seed = first_least(self.distances.iter().map(|&distance| -distance));
                // Only copies of the seeds are left.
                if self.distances.get(seed).is_none_or(|&distance| distance <= rounding) {
                    return Err(Error::TooFewSamples { given: number, needed });
                }
            }
            let (Some(x), Some(&own)) = (samples.sample(seed), self.norms.get(seed)) else { break };
            let places = self.distances.iter_mut().zip(self.labels.iter_mut());
            for ((y, &norm), (distance, label)) in
                samples.iter_samples().zip(self.norms.iter()).zip(places)
            {
                let cross = kernel.eval(x, y);
                let new = norm + own - (cross + cross);
                if number == 0 || new < *distance {
                    *distance = new;
                    *label = number as u32;
                }
            }
            // Of itself it is not farther than rounding.
            if let (Some(distance), Some(label)) =
                (self.distances.get_mut(seed), self.labels.get_mut(seed))
            {
                *distance = T::ZERO;
                *label = number as u32;
            }
        }
        Ok(rounding)
    }

    /// Computes sums and clusters from the labels; `n(n−1)/2` kernel evaluations.
    pub(super) fn refresh<K, S>(&mut self, kernel: &K, samples: &S) -> Result<(), Error>
    where
        S: Samples + ?Sized,
        K: Kernel<S::View, Scalar = T>,
    {
        for row in self.sums.iter_rows_mut() {
            row.fill(T::ZERO);
        }
        for (i, (x, &own)) in samples.iter_samples().zip(self.labels.iter()).enumerate() {
            add(self.sums.row_mut(i), own, self.norms.get(i).copied().unwrap_or_default());
            let others = samples.iter_samples().zip(self.labels.iter()).enumerate();
            for (j, (y, &other)) in others.skip(i + 1) {
                let value = kernel.eval(x, y);
                if !value.is_finite() {
                    return Err(Error::NotFinite { row: i, column: j });
                }
                add(self.sums.row_mut(i), other, value);
                add(self.sums.row_mut(j), own, value);
            }
        }
        self.clusters.fill(Cluster { samples: 0, total: T::ZERO });
        for (row, &label) in self.sums.view().iter_rows().zip(self.labels.iter()) {
            if let (Some(cluster), Some(&sum)) =
                (self.clusters.get_mut(label as usize), row.get(label as usize))
            {
                cluster.samples += 1;
                cluster.total += sum;
            }
        }
        Ok(())
    }
}

/// Adds to the sum of one cluster.
fn add<T: Real>(sums: &mut [T], cluster: u32, value: T) {
    if let Some(sum) = sums.get_mut(cluster as usize) {
        *sum += value;
    }
}

/// Position of the least value, the first of them.
fn first_least<T: Real>(values: impl Iterator<Item = T>) -> usize {
    let least = values.enumerate().reduce(|best, this| if this.1 < best.1 { this } else { best });
    least.map_or(0, |(position, _)| position)
}
