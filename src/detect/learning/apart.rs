//! Folds apart from each other: a program with several cores makes them at the same time.

use super::{LearnScratch, Learning, Stage};
use crate::Progress;
use crate::detect::reading::Inspect;
use crate::error::Error;
use crate::kernel::{BlockKernel, Indexed, Samples};
use crate::kpca::landmark::Factor;
use crate::linalg::eigen::Eigensolver;
use crate::math::Real;

impl<K, T: Real, E: Eigensolver<T>> Learning<K, T, E> {
    /// The fold that begins with the next step, if one does. Folds do not depend on each other: see
    /// [`score_fold`](Self::score_fold).
    pub fn next_fold(&self) -> Option<usize> {
        match self.stage {
            Stage::Begin { fold } => Some(fold).filter(|&fold| fold < self.folds()),
            _ => None,
        }
    }

    /// Where a fold [begins](Self::next_fold): does all of one of them in other memory, e.g. on
    /// another core, and calls `step` after each piece of the work. The scores of the samples that
    /// the fold [holds out](Self::held_out) are then in [`spe`](LearnScratch::spe).
    ///
    /// The memory is for as many samples, and [lists](LearnScratch::kept) the same ones, as that of
    /// the learning itself; the kernel is that of [`step`](Self::step).
    ///
    /// ```
    /// # use mercer::{Progress, Recipe};
    /// # use mercer::detect::LearnSizes;
    /// # use mercer::detect::learning::{LearnScratch, Learning};
    /// # use mercer::kernel::{Indexed, Rbf};
    /// # use mercer::kpca::ExpansionHeader;
    /// # use mercer::linalg::eigen::TridiagonalQr;
    /// # let samples: Vec<[f32; 2]> = (0..64).map(|i| [i as f32, (i % 7) as f32]).collect();
    /// # let samples = samples.as_slice();
    /// # let kernel = |_: &Indexed<'_, _>| Ok(Rbf::new(1e-3_f32));
    /// # let sizes = LearnSizes { samples: 64, points: 8, components: 4 };
    /// # let [mut a, mut b] = [(); 2].map(|()| vec![0.0; sizes.numbers::<f32, TridiagonalQr<f32>>()]);
    /// # let [mut c, mut d] = [(); 2].map(|()| vec![0; sizes.indices()]);
    /// # let [mut header, mut beside] = [ExpansionHeader::default(); 2];
    /// # let mut scratch = LearnScratch::<f32>::over(sizes, &mut header, &mut a, &mut c)?;
    /// # let mut other = LearnScratch::<f32>::over(sizes, &mut beside, &mut b, &mut d)?;
    /// # let mut learning = Learning::start(Recipe::default(), 0..64, &mut scratch)?;
    /// while learning.next_fold().is_none() {
    ///     let _ = learning.step(samples, kernel, &mut scratch)?;
    /// }
    /// for fold in 0..learning.folds() {
    ///     other.kept.copy_from_slice(scratch.kept);
    ///     learning.score_fold(fold, samples, kernel, &mut other, || ())?;
    ///     for position in learning.held_out(fold).positions() {
    ///         scratch.spe[position] = other.spe[position];
    ///     }
    /// }
    /// learning.end_folds();
    /// while learning.step(samples, kernel, &mut scratch)? == Progress::Working {}
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`step`](Self::step).
    pub fn score_fold<S, F>(
        &self,
        fold: usize,
        samples: &S,
        kernel: impl Fn(&Indexed<'_, S, F::Index>) -> Result<K, Error>,
        scratch: &mut LearnScratch<'_, T, E, F>,
        mut step: impl FnMut(),
    ) -> Result<(), Error>
    where
        S: Samples<View: Inspect> + ?Sized,
        K: BlockKernel<S::View, Scalar = T> + Clone,
        F: Factor<T>,
    {
        if self.next_fold().is_none() {
            return Err(Error::Learning);
        }
        let mut part = Self { stage: Stage::Begin { fold }, ..self.clone() };
        while part.step(samples, &kernel, scratch)? == Progress::Working {
            step();
            // The next fold begins, or there is none.
            if matches!(part.stage, Stage::Begin { .. } | Stage::Settle) {
                break;
            }
        }
        Ok(())
    }

    /// Where a fold [begins](Self::next_fold): goes on after the last one, with the scores of all
    /// samples in [`spe`](LearnScratch::spe).
    pub fn end_folds(&mut self) {
        if self.next_fold().is_some() {
            self.stage = Stage::Settle;
        }
    }
}
