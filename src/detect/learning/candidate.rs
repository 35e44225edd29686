//! The model that was fitted last, in the memory of learning: it scores before it is handed out.

use super::LearnScratch;
use crate::error::Error;
use crate::kernel::block::make_memos;
use crate::kernel::{BlockKernel, Index, Indexed, Samples};
use crate::kpca::landmark::{Factor, LandmarkScratch};
use crate::kpca::{ExpansionView, KernelPcaView, Score};
use crate::linalg::slices::{entry, head, head_mut, set, tail_mut};
use crate::math::Real;

/// How many memos are made in a step. Each is a sum in `f64`, dear where that is not in hardware.
const MEMOS: usize = 8;

/// A model that was fitted.
pub(super) struct Candidate<'a, S: ?Sized, T, I> {
    pub(super) points: Indexed<'a, S, I>,
    pub(super) memos: &'a [T],
    pub(super) expansion: ExpansionView<'a, T>,
}

impl<S: Samples + ?Sized, T: Real, I: Index> Candidate<'_, S, T, I> {
    /// Scores a reading; `projection` has room for as many components as there may be.
    pub(super) fn score<K>(
        &self,
        kernel: &K,
        x: &S::View,
        projection: &mut [T],
    ) -> Result<Score<T>, Error>
    where
        K: BlockKernel<S::View, Scalar = T>,
    {
        let model = KernelPcaView::with_memos(kernel, &self.points, self.memos, self.expansion)?;
        model.score(x, head_mut(projection, self.expansion.components()))
    }
}

/// The points of a fit, of which so many are listed.
pub(super) fn points<'a, S: ?Sized, I>(
    samples: &'a S,
    pivots: &'a [I],
    count: usize,
) -> Indexed<'a, S, I> {
    Indexed { samples, rows: head(pivots, count) }
}

/// Makes some more memos of the points of a fit, of which so many are near and have one, in the
/// place of its eigenvalues, which have served their purpose. True when no other point is near.
pub(super) fn remember_points<K, T, S, E, F>(
    kernel: &K,
    samples: &S,
    count: usize,
    near: &mut usize,
    scratch: &mut LandmarkScratch<'_, T, E, F>,
) -> bool
where
    T: Real,
    S: Samples + ?Sized,
    K: BlockKernel<S::View, Scalar = T>,
    F: Factor<T>,
{
    let points = points(samples, scratch.pivots, count);
    let wanted = MEMOS.min(count - *near);
    let next = points.iter_samples().skip(*near).take(wanted);
    let made = make_memos(kernel, next, tail_mut(scratch.values, *near)).len();
    *near += made;
    made < wanted || *near == count
}

/// Scores the sample at a position by the candidate.
pub(super) fn score_held_out<K, T, S, E, F>(
    samples: &S,
    kernel: &K,
    near: usize,
    position: usize,
    scratch: &mut LearnScratch<'_, T, E, F>,
) -> Result<(), Error>
where
    T: Real,
    S: Samples + ?Sized,
    K: BlockKernel<S::View, Scalar = T>,
    F: Factor<T>,
{
    let expansion = scratch.candidate.view();
    let candidate = Candidate {
        points: points(samples, scratch.landmark.pivots, expansion.points()),
        memos: head(scratch.landmark.values, near),
        expansion,
    };
    let row = entry(scratch.kept, position).at();
    let Some(x) = samples.sample(row) else {
        return Err(Error::NotFitted);
    };
    let score =
        candidate.score(kernel, x, scratch.projection).map_err(|error| error.of_sample(row))?;
    set(scratch.spe, position, score.spe);
    Ok(())
}
