//! A model in storage of any kind, with sizes that are run-time values.

use super::expansion::ExpansionView;
use super::route::{self, Block, Keep, Nothing, Prepared, Single, Table};
use super::score::{Score, finite_score, require_finite_outputs};
use crate::error::{Error, require_capacity, require_shape};
use crate::kernel::block::{Query, make_memos};
use crate::kernel::{BlockKernel, Kernel, Samples};
use crate::linalg::lanes::LANES;
use crate::linalg::slices::entry;
use crate::math::Real;

/// A [`KernelPca`](super::KernelPca), borrowed, with sizes that are run-time values.
///
/// It scores with the very bits of the owner. A host program makes one
/// [over its own vectors](Self::new).
#[derive(Clone, Copy, Debug)]
pub struct KernelPcaView<'a, K, S>
where
    S: Samples + ?Sized,
    K: Kernel<S::View>,
{
    kernel: &'a K,
    points: &'a S,
    /// What the kernel keeps beside the leading near points.
    memos: &'a [K::Scalar],
    expansion: ExpansionView<'a, K::Scalar>,
}

impl<'a, K, S> KernelPcaView<'a, K, S>
where
    S: Samples + ?Sized,
    K: Kernel<S::View>,
{
    /// A model with the [memos](Self::memos) of an earlier view of it.
    ///
    /// # Errors
    /// [`Error::Shape`] when there is not one point for each row of weights, and
    /// [`Error::Capacity`] for more memos than points: they are of another model.
    pub fn with_memos(
        kernel: &'a K,
        points: &'a S,
        memos: &'a [K::Scalar],
        expansion: ExpansionView<'a, K::Scalar>,
    ) -> Result<Self, Error> {
        require_shape("points", expansion.points(), points.count())?;
        require_capacity("memos", memos.len(), expansion.points())?;
        Ok(Self { kernel, points, memos, expansion })
    }

    /// What the kernel keeps beside the leading points; empty for kernels that keep nothing.
    pub const fn memos(&self) -> &'a [K::Scalar] {
        self.memos
    }

    /// The kernel.
    pub const fn kernel(&self) -> &'a K {
        self.kernel
    }

    /// The expansion points.
    pub const fn points(&self) -> &'a S {
        self.points
    }

    /// The SPE of a reading that has nothing in common with any point, which is practically the
    /// largest there is (5 of 1,151 exact fits had points above it, by at most 7e-4): a threshold
    /// beyond it is never exceeded. None for kernels without such
    /// [readings](Kernel::stranger_norm).
    pub fn far_field(&self) -> Option<K::Scalar> {
        self.kernel.stranger_norm().map(|norm| self.expansion.far_field(norm))
    }

    /// The weights.
    pub const fn expansion(&self) -> ExpansionView<'a, K::Scalar> {
        self.expansion
    }
}

impl<'a, K, S> KernelPcaView<'a, K, S>
where
    S: Samples + ?Sized,
    K: BlockKernel<S::View>,
{
    /// A model in the caller's storage. `memos` has room for one number for each point: what the
    /// kernel keeps beside them is written there.
    ///
    /// # Errors
    /// [`Error::Shape`] when there is not one point for each row of weights, and
    /// [`Error::Capacity`] when `memos` is too short.
    pub fn new(
        kernel: &'a K,
        points: &'a S,
        expansion: ExpansionView<'a, K::Scalar>,
        memos: &'a mut [K::Scalar],
    ) -> Result<Self, Error> {
        require_capacity("memos", expansion.points(), memos.len())?;
        let memos = make_memos(kernel, points.iter_samples(), memos);
        Self::with_memos(kernel, points, memos, expansion)
    }

    /// Projects a point; `projection` has one place for each component.
    ///
    /// # Errors
    /// [`Error::NotFitted`] without points, [`Error::Shape`] for a `projection` of another length,
    /// and [`Error::Query`] when the point cannot be used.
    pub fn project(&self, x: &S::View, projection: &mut [K::Scalar]) -> Result<(), Error> {
        let (query, table) = self.prepare(x)?;
        self.project_prepared(query, &table, x, projection, Nothing)?;
        require_finite_outputs(projection)
    }

    /// Projects and scores a point; `projection` has one place for each component.
    ///
    /// # Errors
    /// As [`project`](Self::project).
    pub fn score(
        &self,
        x: &S::View,
        projection: &mut [K::Scalar],
    ) -> Result<Score<K::Scalar>, Error> {
        let (query, table) = self.prepare(x)?;
        self.score_prepared(query, &table, x, projection, Nothing)
    }

    /// What is known of a query, and what it is compared with.
    pub(super) fn prepare(&self, x: &S::View) -> Result<PreparedFor<'a, S, K::Scalar>, Error> {
        let peer = self.points.sample(0);
        let Prepared { query, memos, others } = route::prepare(self.kernel, x, peer, self.memos)?;
        Ok((query, Borrowed { points: self.points, memos, others, expansion: self.expansion }))
    }

    /// Writes the projections of a query, and scores it.
    pub(super) fn score_prepared(
        &self,
        query: Query<K::Scalar>,
        table: &Borrowed<'a, S, K::Scalar>,
        x: &S::View,
        projection: &mut [K::Scalar],
        keep: impl Keep<K::Scalar>,
    ) -> Result<Score<K::Scalar>, Error> {
        let centre_product = self.project_prepared(query, table, x, projection, keep)?;
        let (header, variances) = (self.expansion.header(), self.expansion.variances());
        let kxx = self.kernel.diagonal(x);
        let score = Score::new(header, kxx, centre_product, projection, variances);
        Ok(finite_score(score)?.clamped(header.indefinite))
    }

    /// Writes the projections of a query and returns `Σ β_i k_i`.
    fn project_prepared(
        &self,
        query: Query<K::Scalar>,
        table: &Borrowed<'a, S, K::Scalar>,
        x: &S::View,
        projection: &mut [K::Scalar],
        keep: impl Keep<K::Scalar>,
    ) -> Result<K::Scalar, Error> {
        require_shape("projection", self.expansion.components(), projection.len())?;
        projection.fill(K::Scalar::ZERO);
        let centre_sum = route::sums(self.kernel, query, x, table, projection, keep);
        for (f, &offset) in projection.iter_mut().zip(self.expansion.offsets()) {
            *f = query.factor * *f - offset;
        }
        Ok(query.factor * centre_sum)
    }
}

/// A query, and the points that it is compared with.
pub(super) type PreparedFor<'a, S, T> = (Query<T>, Borrowed<'a, S, T>);

/// The numbers of a model in any storage, point by point.
pub(super) struct Borrowed<'a, S: ?Sized, T> {
    points: &'a S,
    memos: &'a [T],
    others: usize,
    expansion: ExpansionView<'a, T>,
}

impl<'a, S: Samples + ?Sized, T: Real> Borrowed<'a, S, T> {
    fn single(&self, index: usize) -> Option<Single<'a, S::View, T>> {
        let point = self.points.sample(index);
        debug_assert!(point.is_some(), "there are as many points as rows of weights");
        let (weights, centre) = (self.expansion.weights(), self.expansion.centre());
        Some(Single { point: point?, weights: weights.row(index), centre: entry(centre, index) })
    }
}

impl<S: Samples + ?Sized, T: Real> Table for Borrowed<'_, S, T> {
    type View = S::View;
    type Scalar = T;

    fn blocks(&self) -> impl Iterator<Item = Block<'_, S::View, T>> {
        let (memos, _) = self.memos.as_chunks::<LANES>();
        memos.iter().enumerate().map_while(|(block, &memos)| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|lane| self.single(LANES * block + lane));
            let (a, b, c, d) = (a?, b?, c?, d?);
            Some(Block {
                points: [a.point, b.point, c.point, d.point],
                memos,
                weights: [a.weights, b.weights, c.weights, d.weights],
                centre: [a.centre, b.centre, c.centre, d.centre],
            })
        })
    }

    fn has_others(&self) -> bool {
        self.others < self.expansion.points()
    }

    fn first_other(&self) -> usize {
        self.others
    }

    fn passed(&self) -> usize {
        if self.memos.is_empty() { self.others } else { 0 }
    }

    fn others(&self) -> impl Iterator<Item = Single<'_, S::View, T>> {
        (self.others..self.expansion.points()).map_while(|index| self.single(index))
    }
}
