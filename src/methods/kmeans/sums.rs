//! What follows from the labels: sums of kernel values, clusters, distances, the objective.
//!
//! Method, source, domain and bound are those of the [parent](super).

use super::{Cluster, KMeansScratch};
use crate::error::Error;
use crate::kernel::{BlockKernel, Samples};
use crate::linalg::slices::{entry, update};
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
        let all = || samples.iter_samples().zip(self.labels.iter()).enumerate();
        for ((i, (x, &own)), &norm) in all().zip(self.norms.iter()) {
            add(self.sums.row_mut(i), own, norm);
            for (j, (y, &other)) in all().skip(i + 1) {
                let value = kernel.eval(x, y);
                if !value.is_finite() {
                    return Err(Error::NotFinite { row: i, column: j });
                }
                add(self.sums.row_mut(i), other, value);
                add(self.sums.row_mut(j), own, value);
            }
        }
        self.clusters.fill(Cluster::new(0, T::ZERO));
        for (i, (row, &label)) in self.sums.view().iter_rows().zip(self.labels.iter()).enumerate() {
            let (label, mut finite) = (label as usize, true);
            update(self.clusters, label, |cluster| {
                cluster.samples += 1;
                cluster.total += entry(row, label);
                finite = cluster.total.is_finite();
            });
            // A sum of large finite values can overflow.
            if !finite {
                return Err(Error::NotFinite { row: i, column: i });
            }
        }
        Ok(())
    }

    /// The sum of all samples' squared distances to their own centres, which it writes.
    ///
    /// `Σ_i K_ii − Σ_c (1/|c|) Σ_{i,j∈c} K_ij` is the same with less work, but it is a difference
    /// of numbers that can be much larger, and rounding can then make it negative.
    pub(super) fn objective(&mut self) -> T {
        self.measure_own();
        sum(self.distances.iter().copied())
    }

    /// Writes each sample's squared distance to its own centre.
    pub(super) fn measure_own(&mut self) {
        let samples = self.labels.iter().zip(self.norms.iter()).zip(self.sums.view().iter_rows());
        for (distance, ((&label, &norm), row)) in self.distances.iter_mut().zip(samples) {
            let label = label as usize;
            *distance = entry(self.clusters, label).squared_distance(norm, entry(row, label));
        }
    }
}

/// Adds to the sum of one cluster.
fn add<T: Real>(sums: &mut [T], cluster: u32, value: T) {
    update(sums, cluster as usize, |sum| *sum += value);
}
