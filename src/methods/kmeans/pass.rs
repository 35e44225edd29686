//! One pass over all samples: which of them should be in another cluster?
//!
//! **Method.** All together to the nearest centre, or one after the other where that lowers the
//! objective. **Source.** Lloyd 1982; Hartigan 1975. **Domain, bound.** Those of the
//! [parent](super): a sample moves only for a gain above rounding.

use super::{Cluster, KMeansScratch};
use crate::kernel::{BlockKernel, Samples};
use crate::linalg::slices::{entry, set, update};
use crate::math::{Real, first_least};

impl<T: Real> KMeansScratch<'_, T> {
    /// Moves every sample to the nearest centre if that is nearer than its own by more than
    /// rounding; says whether any moved. Sums and clusters are still those of before.
    pub(super) fn move_together(&mut self, rounding: T) -> bool {
        self.measure_own();
        let mut moved = false;
        let own = self.labels.iter_mut().zip(self.distances.iter_mut()).zip(self.norms.iter());
        for (row, ((label, distance), &norm)) in self.sums.view().iter_rows().zip(own) {
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

    /// Gives each empty cluster the sample that is farthest from its centre, among those that are
    /// not alone in their cluster.
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
            if let Some((i, _)) = farthest {
                set(self.labels, i, empty as u32);
                set(self.distances, i, T::ZERO);
            }
        }
    }

    /// Moves one sample after the other if that lowers the objective by more than rounding; says
    /// whether any moved. Sums and clusters are kept up to date.
    pub(super) fn move_singly<K, S>(&mut self, kernel: &K, samples: &S, rounding: T) -> bool
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
    {
        let mut moved = false;
        for (i, x) in samples.iter_samples().enumerate() {
            let Some((from, to)) = self.best_move(i, rounding) else { continue };
            moved = true;
            let norm = entry(self.norms, i);
            let row = self.sums.row_mut(i);
            let [out, into] = [from, to].map(|cluster| entry(row, cluster));
            update(self.clusters, from, |cluster| {
                cluster.samples = cluster.samples.saturating_sub(1);
                cluster.total -= out + out - norm;
            });
            update(self.clusters, to, |cluster| {
                cluster.samples += 1;
                cluster.total += into + into + norm;
            });
            set(self.labels, i, to as u32);
            for (j, (row, y)) in self.sums.iter_rows_mut().zip(samples.iter_samples()).enumerate() {
                let value = if j == i { norm } else { kernel.eval(x, y) };
                update(row, from, |sum| *sum -= value);
                update(row, to, |sum| *sum += value);
            }
        }
        moved
    }

    /// From which cluster to which sample `i` should move, if it should.
    fn best_move(&self, i: usize, rounding: T) -> Option<(usize, usize)> {
        let (from, norm) = (entry(self.labels, i) as usize, entry(self.norms, i));
        let row = self.sums.view().row(i);
        let own = entry(self.clusters, from);
        // The last sample of a cluster stays.
        if own.samples <= 1 {
            return None;
        }
        let count = |cluster: &Cluster<T>| T::from_usize(cluster.samples as usize);
        // By how much the objective falls when the sample leaves its cluster, and rises when it
        // joins another one.
        let falls =
            own.squared_distance(norm, entry(row, from)) * count(&own) / (count(&own) - T::ONE);
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

    /// A cluster hardly ever becomes empty after seeding, so this starts from labels that make it
    /// happen.
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
