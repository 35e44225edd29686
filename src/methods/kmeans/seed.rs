//! The first clusters: seeds that are far apart, and every sample with the nearest one.
//!
//! **Method.** Each further seed is the sample farthest from those so far. **Source.** Gonzalez,
//! *Clustering to Minimize the Maximum Intercluster Distance*, TCS 38, 1985. **Domain.** As many
//! samples as clusters that differ by more than rounding. **Bound.** In a metric space the largest
//! distance to a seed is at most twice the least possible.

use super::KMeansScratch;
use crate::error::Error;
use crate::kernel::gram::squared_distance;
use crate::kernel::{BlockKernel, Samples};
use crate::linalg::slices::{entry, set};
use crate::math::{Real, first_least};

impl<T: Real> KMeansScratch<'_, T> {
    /// Computes `k(x_i, x_i)`; returns the rounding of a squared distance to a mean of samples.
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
        let nearest = first_least(self.distances.iter().copied());
        nearest.map(|(sample, _)| sample).ok_or(Error::TooFewSamples { given: 0, needed: 1 })
    }

    /// Chooses as many seeds as there are clusters, the first of which is given, and labels the
    /// samples.
    pub(super) fn seed<K, S>(&mut self, kernel: &K, samples: &S, first: usize) -> Result<(), Error>
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
    {
        let mut seed = first;
        let needed = self.clusters.len();
        for number in 0..needed {
            if number > 0 {
                // The farthest, unless only copies of the seeds are left.
                let farthest = first_least(self.distances.iter().map(|&distance| -distance));
                seed = match farthest {
                    Some((sample, negative)) if negative < T::ZERO => sample,
                    _ => return Err(Error::TooFewDistinct { distinct: number, needed }),
                };
            }
            let given = samples.count();
            let x = samples.sample(seed).ok_or(Error::TooFewSamples { given, needed: seed + 1 })?;
            let own = entry(self.norms, seed);
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
            // Its distance to itself is 0 but for rounding, and a copy must not take its place.
            set(self.distances, seed, T::ZERO);
            set(self.labels, seed, number as u32);
        }
        Ok(())
    }
}
