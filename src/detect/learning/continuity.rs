//! What projections mean, over a refit: a component keeps its sign, and one that is no longer what
//! it was is named.
//!
//! The sign of an eigenvector is arbitrary, and those of close eigenvalues swap or mix when a few
//! samples change. A detector does not mind, but a classifier behind the projections does. So the
//! projections of the samples by the old and by the new model are compared, number by number: with
//! a negative correlation the new component is turned; one that shares no more than half of its
//! variance with the old one of its number (`|r| ≤ 0.71`) is another. (No two old components can
//! have more than half of it, so one that has is the closest.) The order stays that of variances.

use super::candidate::points;
use super::report::{Warning, warn};
use super::{LearnScratch, Learning, Stage};
use crate::Progress;
use crate::kernel::{BlockKernel, Indexed, Samples};
use crate::kpca::landmark::{Factor, LandmarkScratch};
use crate::kpca::{ExpansionMut, KernelPcaView};
use crate::linalg::eigen::Eigensolver;
use crate::linalg::slices::{entry, head, head_mut};
use crate::math::Real;

/// Numbers that are kept for each component.
const SUMS: usize = 3;

impl<K, T: Real, E: Eigensolver<T>> Learning<K, T, E> {
    /// After the last step, for positions from 0 on: compares the components with those of an
    /// earlier model of so many, whose projections of a sample `earlier` writes. When it is done,
    /// signs are as they were, and [`result`](Self::result) says what is not.
    ///
    /// Two projections a step, in memory that learning needs no longer.
    #[inline(never)]
    pub(in crate::detect) fn compare<S, F>(
        &mut self,
        position: usize,
        samples: &S,
        components: usize,
        earlier: impl FnOnce(&S::View, &mut [T]) -> bool,
        scratch: &mut LearnScratch<'_, T, E, F>,
    ) -> Progress
    where
        S: Samples + ?Sized,
        K: BlockKernel<S::View, Scalar = T>,
        F: Factor<T>,
    {
        let Stage::Done { kernel, fit, .. } = &self.stage else { return Progress::Done };
        // The coordinates of the samples have served their purpose. There is room for four numbers
        // a component: no model has more components than there may be points, and there are four
        // samples or more.
        let LandmarkScratch { factor, covariance, pivots, .. } = &mut scratch.landmark;
        let room = factor.room(covariance);
        debug_assert!(room.len() >= (1 + SUMS) * components, "{} numbers", room.len());
        let Some((old, sums)) = room.split_at_mut_checked(components) else {
            return Progress::Done;
        };
        let (sums, _) = sums.as_chunks_mut::<SUMS>();
        let sums = head_mut(sums, components.min(fit.components));
        if position == 0 {
            sums.fill([T::ZERO; SUMS]);
        }
        if position < self.kept {
            let all = Indexed { samples, rows: head(scratch.rows, self.kept) };
            let points = points(samples, pivots, fit.points);
            let new = head_mut(scratch.projection, fit.components);
            let model = KernelPcaView::with_memos(kernel, &points, &[], scratch.candidate.view());
            // A sample that one of them cannot project says nothing.
            if let (Some(x), Ok(model)) = (all.sample(position), model)
                && model.project(x, new).is_ok()
                && earlier(x, old)
            {
                add(sums, old, new);
            }
            return Progress::Working;
        }
        let changed = keep_signs(sums, self.kept, components, &mut scratch.candidate);
        if let Some(first) = changed.first {
            self.changed = changed.bits;
            warn(&mut self.warnings, Warning::ComponentsChanged { first, count: changed.count });
        }
        Progress::Done
    }
}

/// Adds up products of old and new projections, old ones, and their squares.
fn add<T: Real>(sums: &mut [[T; SUMS]], old: &[T], new: &[T]) {
    for (([product, sum, square], &f), &g) in sums.iter_mut().zip(old).zip(new) {
        *product += f * g;
        *sum += f;
        *square += f * f;
    }
}

/// Which components are others.
#[derive(Default)]
struct Changed {
    first: Option<usize>,
    count: usize,
    bits: u64,
}

/// Turns the components that point the other way, and says which ones of the earlier model are
/// gone.
fn keep_signs<T: Real>(
    sums: &[[T; SUMS]],
    samples: usize,
    earlier: usize,
    model: &mut ExpansionMut<'_, T>,
) -> Changed {
    let n = T::from_usize(samples);
    let mut changed = Changed::default();
    for component in 0..earlier {
        // The new projections have mean 0 and a known variance.
        let shared = sums.get(component).filter(|&&[product, sum, square]| {
            let old = square - sum * sum / n;
            let new = n * entry(model.variances, component);
            T::from_f64(2.0) * product * product > old * new
        });
        match shared {
            Some(&[product, ..]) if product < T::ZERO => turn(component, model),
            Some(_) => {}
            None => {
                changed.first = changed.first.or(Some(component));
                changed.count += 1;
                changed.bits |= 1_u64.checked_shl(component as u32).unwrap_or(0);
            }
        }
    }
    changed
}

/// Lets a component point the other way.
fn turn<T: Real>(component: usize, model: &mut ExpansionMut<'_, T>) {
    let offset = model.offsets.iter_mut().skip(component).take(1);
    let weights = model.weights.iter_rows_mut().filter_map(|row| row.get_mut(component));
    offset.chain(weights).for_each(|value| *value = -*value);
}
