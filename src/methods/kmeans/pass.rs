//! One look at every sample: does it want to be in another cluster?

use super::{Cluster, KMeansScratch};
use crate::kernel::{BlockKernel, Samples};
use crate::math::{Real, first_least};

impl<T: Real> KMeansScratch<'_, T> {
    /// Moves every sample to the nearest centre, if that is nearer than its own by more than rounding; says whether one moved. Sums and clusters are those of before.
    pub(super) fn move_together(&mut self, rounding: T) -> bool {
        self.measure_own();
        let mut moved = false;
        for (i, row) in self.sums.view().iter_rows().enumerate() {
            let (Some(label), Some(distance), Some(&norm)) =
                (self.labels.get_mut(i), self.distances.get_mut(i), self.norms.get(i))
            else {
                break;
            };
            let centres = self.clusters.iter().zip(row);
            let all = centres.map(|(cluster, &sum)| cluster.squared_distance(norm, sum));
            if let Some((number, nearest)) = first_least(all)
                && nearest + rounding < *distance
            {
                *distance = nearest;
                *label = number as u32;
                moved = true;
            }
        }
        if moved {
            self.fill_empty();
        }
        moved
    }

    /// Gives each cluster without a sample the one that is farthest from its centre, among those that are not alone.
    fn fill_empty(&mut self) {
        for empty in 0..self.clusters.len() {
            let count = |cluster: usize| {
                self.labels.iter().filter(|&&label| label as usize == cluster).count()
            };
            if count(empty) > 0 {
                continue;
            }
            let mut farthest: Option<(usize, T)> = None;
            for (i, (&distance, &label)) in
                self.distances.iter().zip(self.labels.iter()).enumerate()
            {
                let farther = farthest.is_none_or(|(_, best)| distance > best);
                if farther && count(label as usize) > 1 {
                    farthest = Some((i, distance));
                }
            }
            if let Some((i, _)) = farthest
                && let (Some(label), Some(distance)) =
                    (self.labels.get_mut(i), self.distances.get_mut(i))
            {
                *label = empty as u32;
                *distance = T::ZERO;
            }
        }
    }

    /// Moves one sample after the other, if that lowers the objective by more than rounding; says whether one moved. Sums and clusters follow.
    pub(super) fn move_singly<K, S>(&mut self, kernel: &K, samples: &S, rounding: T) -> bool
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
    {
        let mut moved = false;
        for (i, x) in samples.iter_samples().enumerate() {
            let Some((from, to)) = self.best_move(i, rounding) else { continue };
            moved = true;
            let norm = self.norms.get(i).copied().unwrap_or_default();
            let row = self.sums.row_mut(i);
            let [out, into] =
                [from, to].map(|cluster| row.get(cluster).copied().unwrap_or_default());
            if let Some(cluster) = self.clusters.get_mut(from) {
                *cluster = Cluster {
                    samples: cluster.samples.saturating_sub(1),
                    total: cluster.total - (out + out - norm),
                };
            }
            if let Some(cluster) = self.clusters.get_mut(to) {
                *cluster = Cluster {
                    samples: cluster.samples + 1,
                    total: cluster.total + (into + into + norm),
                };
            }
            if let Some(label) = self.labels.get_mut(i) {
                *label = to as u32;
            }
            for (j, (row, y)) in self.sums.iter_rows_mut().zip(samples.iter_samples()).enumerate() {
                let value = if j == i { norm } else { kernel.eval(x, y) };
                if let Some(sum) = row.get_mut(from) {
                    *sum -= value;
                }
                if let Some(sum) = row.get_mut(to) {
                    *sum += value;
                }
            }
        }
        moved
    }

    /// From which cluster to which sample `i` should move, if anywhere.
    fn best_move(&self, i: usize, rounding: T) -> Option<(usize, usize)> {
        let (from, norm) = (*self.labels.get(i)? as usize, *self.norms.get(i)?);
        let row = self.sums.view().row(i);
        let own = self.clusters.get(from).filter(|cluster| cluster.samples > 1)?;
        let count = |cluster: &Cluster<T>| T::from_usize(cluster.samples as usize);
        // By how much the objective falls when the sample leaves, and rises when it joins.
        let falls =
            own.squared_distance(norm, *row.get(from)?) * count(own) / (count(own) - T::ONE);
        let rises = self.clusters.iter().zip(row).enumerate().map(|(number, (cluster, &sum))| {
            let rise =
                cluster.squared_distance(norm, sum) * count(cluster) / (count(cluster) + T::ONE);
            // Staying is no move.
            if number == from { falls } else { rise }
        });
        let (to, rises) = first_least(rises)?;
        (rises + rounding < falls).then_some((from, to))
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::Linear;
    use crate::methods::kmeans::KMeansWorkspace;

    /// From the seeds hardly ever a cluster becomes empty, so this one starts from labels that make it happen.
    #[test]
    fn a_cluster_that_loses_all_samples_takes_the_farthest() {
        let samples = [[-4.0], [-6.0], [4.0], [6.5], [-5.0], [5.0]];
        let mut workspace = KMeansWorkspace::<f64, 6, 3>::new();
        let mut scratch = workspace.scratch(6, 3).unwrap();
        for (norm, [x]) in scratch.norms.iter_mut().zip(samples) {
            *norm = x * x;
        }
        // Centres at -5, 5.25 and 0: both samples of the last leave it.
        scratch.labels.copy_from_slice(&[0, 0, 1, 1, 2, 2]);
        scratch.refresh(&Linear, samples.as_slice()).unwrap();
        let before = scratch.objective();
        assert!((before - (2.0 + 3.125 + 50.0)).abs() < 1e-12);
        assert!(scratch.move_together(1e-12));
        // 4.0 and 6.5 are equally far from 5.25; the first of them goes.
        assert_eq!(scratch.labels, [0, 0, 2, 1, 0, 1]);
        scratch.refresh(&Linear, samples.as_slice()).unwrap();
        assert!((scratch.objective() - (2.0 + 1.125)).abs() < 1e-12);
        assert!(!scratch.move_together(1e-12));
    }
}
