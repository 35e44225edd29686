//! The first clusters: seeds that are far apart, and every sample with the nearest.

use super::KMeansScratch;
use crate::error::Error;
use crate::kernel::gram::squared_distance;
use crate::kernel::{BlockKernel, Samples};
use crate::math::{Real, first_least};

impl<T: Real> KMeansScratch<'_, T> {
    /// Computes `k(x_i, x_i)`; returns what is rounding in a squared distance to a mean of samples.
    pub(super) fn measure<K, S>(&mut self, kernel: &K, samples: &S) -> Result<T, Error>
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
    {
        let mut largest = T::ZERO;
        for (i, (norm, x)) in self.norms.iter_mut().zip(samples.iter_samples()).enumerate() {
            *norm = kernel.diagonal(x);
            if !norm.is_finite() {
                return Err(Error::NotFinite { row: i, column: i });
            }
            largest = largest.larger(norm.abs());
        }
        Ok(T::from_usize(self.norms.len()) * T::EPSILON * largest)
    }

    /// The sample nearest to the mean of all.
    pub(super) fn nearest_to_all<K, S>(&mut self, kernel: &K, samples: &S) -> Result<usize, Error>
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
    {
        self.labels.fill(0);
        self.refresh(kernel, samples)?;
        self.measure_own();
        Ok(first_least(self.distances.iter().copied()).map_or(0, |(sample, _)| sample))
    }

    /// Chooses as many seeds as there are clusters, the first of which is given, and labels the samples.
    pub(super) fn seed<K, S>(&mut self, kernel: &K, samples: &S, first: usize) -> Result<(), Error>
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
    {
        let mut seed = first;
        let needed = self.clusters.len();
        for number in 0..needed {
            if number > 0 {
                // The farthest; when only copies of the seeds are left, there is none.
                let farthest = first_least(self.distances.iter().map(|&distance| -distance));
                seed = match farthest {
                    Some((sample, negative)) if negative < T::ZERO => sample,
                    _ => return Err(Error::TooFewDistinct { distinct: number, needed }),
                };
            }
            let (Some(x), Some(&own)) = (samples.sample(seed), self.norms.get(seed)) else { break };
            let places = self.distances.iter_mut().zip(self.labels.iter_mut());
            for ((y, &norm), (distance, label)) in
                samples.iter_samples().zip(self.norms.iter()).zip(places)
            {
                let new = squared_distance([norm, own], kernel.eval(x, y));
                if number == 0 || new < *distance {
                    *distance = new;
                    *label = number as u32;
                }
            }
            // Its distance from itself is 0 but for rounding, and a copy must not take its place.
            if let (Some(distance), Some(label)) =
                (self.distances.get_mut(seed), self.labels.get_mut(seed))
            {
                *distance = T::ZERO;
                *label = number as u32;
            }
        }
        Ok(())
    }
}
