//! What follows from the labels: sums of kernel values, clusters, distances, the objective.

use super::{Cluster, KMeansScratch};
use crate::error::Error;
use crate::kernel::{BlockKernel, Samples};
use crate::math::{Real, sum};

impl<T: Real> KMeansScratch<'_, T> {
    /// Computes sums and clusters from the labels; `n(n−1)/2` kernel evaluations.
    pub(super) fn refresh<K, S>(&mut self, kernel: &K, samples: &S) -> Result<(), Error>
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
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
        for (i, (row, &label)) in self.sums.view().iter_rows().zip(self.labels.iter()).enumerate() {
            if let (Some(cluster), Some(&sum)) =
                (self.clusters.get_mut(label as usize), row.get(label as usize))
            {
                cluster.samples += 1;
                cluster.total += sum;
                // Large values that are finite can have a sum that is not.
                if !cluster.total.is_finite() {
                    return Err(Error::NotFinite { row: i, column: i });
                }
            }
        }
        Ok(())
    }

    /// The sum of all samples' squared distances to their own centres, which it writes.
    ///
    /// `Σ_i K_ii − Σ_c (1/|c|) Σ_{i,j∈c} K_ij` is the same with less work, but a difference of numbers that can be much larger than it, and then rounding makes it negative.
    pub(super) fn objective(&mut self) -> T {
        self.measure_own();
        sum(self.distances.iter().copied())
    }

    /// Writes each sample's squared distance to its own centre.
    pub(super) fn measure_own(&mut self) {
        for (i, (distance, &label)) in self.distances.iter_mut().zip(self.labels.iter()).enumerate()
        {
            let row = self.sums.view();
            if let (Some(cluster), Some(&sum), Some(&norm)) = (
                self.clusters.get(label as usize),
                row.row(i).get(label as usize),
                self.norms.get(i),
            ) {
                *distance = cluster.squared_distance(norm, sum);
            }
        }
    }
}

/// Adds to the sum of one cluster.
fn add<T: Real>(sums: &mut [T], cluster: u32, value: T) {
    if let Some(sum) = sums.get_mut(cluster as usize) {
        *sum += value;
    }
}
