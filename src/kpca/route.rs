//! The one route from a query to its sums over the points.
//!
//! Every score, projection and explanation goes through [`sums`]: that of an owner, whose sizes the
//! compiler knows, and that of a view, whose sizes it does not. They differ only in their
//! [`Table`], that is, in how they find the numbers of a point, so their results have the same
//! bits. Sums run in the order of the points. `kernel::block` has the rules of evaluation.

use crate::error::Error;
use crate::kernel::BlockKernel;
use crate::kernel::block::{FEW, Query};
use crate::linalg::lanes::{LANES, Lanes, add_dot, add_rows};
use crate::linalg::slices::tail_mut;
use crate::math::Real;

/// The points of a model and the numbers that belong to each.
pub(super) trait Table {
    /// What a kernel compares.
    type View: ?Sized;
    /// `f32` or `f64`.
    type Scalar: Real;

    /// The leading points in whole blocks of near ones.
    fn blocks(&self) -> impl Iterator<Item = Block<'_, Self::View, Self::Scalar>>;

    /// Are there points to be evaluated by themselves?
    fn has_others(&self) -> bool;

    /// Where these begin.
    fn first_other(&self) -> usize;

    /// How many leading points count as 0 for this query.
    fn passed(&self) -> usize;

    /// The points to be evaluated by themselves.
    fn others(&self) -> impl Iterator<Item = Single<'_, Self::View, Self::Scalar>>;
}

/// Four near points.
pub(super) struct Block<'a, X: ?Sized, T> {
    pub(super) points: Lanes<&'a X>,
    pub(super) memos: Lanes<T>,
    /// `α`, a row for each point.
    pub(super) weights: Lanes<&'a [T]>,
    /// `β`.
    pub(super) centre: Lanes<T>,
}

/// A point by itself.
pub(super) struct Single<'a, X: ?Sized, T> {
    pub(super) point: &'a X,
    /// `α`, for each component.
    pub(super) weights: &'a [T],
    /// `β`.
    pub(super) centre: T,
}

/// A query that can be used.
pub(super) struct Prepared<'m, T> {
    pub(super) query: Query<T>,
    /// Those of the points that are evaluated in blocks, and of less than a block more.
    pub(super) memos: &'m [T],
    /// Where the points begin that are evaluated by themselves.
    pub(super) others: usize,
}

/// Prepares a query, or says what is wrong with it.
#[inline(always)]
pub(super) fn prepare<'m, K, X>(
    kernel: &K,
    x: &X,
    peer: Option<&X>,
    memos: &'m [K::Scalar],
) -> Result<Prepared<'m, K::Scalar>, Error>
where
    X: ?Sized,
    K: BlockKernel<X>,
{
    let peer = peer.ok_or(Error::NotFitted)?;
    match kernel.prepare(x, peer) {
        Some(query) => Ok(Prepared { query, memos, others: memos.len() / LANES * LANES }),
        None => {
            kernel.check(x, peer).map_err(Error::Query)?;
            Ok(Prepared { query: Query::PLAIN, memos: &[], others: memos.len() })
        }
    }
}

/// Adds `Σ_i α_ji k_i/factor` to the sum of each component, and returns `Σ_i β_i k_i/factor`.
/// `keep` gets the values `k_i/factor` as they are found.
#[inline(always)]
pub(super) fn sums<K, P>(
    kernel: &K,
    query: Query<P::Scalar>,
    x: &P::View,
    table: &P,
    sums: &mut [P::Scalar],
    mut keep: impl Keep<P::Scalar>,
) -> P::Scalar
where
    P: Table,
    K: BlockKernel<P::View, Scalar = P::Scalar>,
{
    let mut centre_sum = P::Scalar::ZERO;
    let mut room = [P::Scalar::ZERO; FEW];
    let in_blocks = kernel.for_blocks(x, &mut room);
    for Block { points, memos, weights, centre } in table.blocks() {
        let k = kernel.eval_block(query, in_blocks, points, memos);
        add_rows(sums, weights, k);
        centre_sum = add_dot(centre_sum, centre, k);
        keep.four(k);
    }
    if table.has_others() {
        centre_sum += add_others(kernel, query, x, table, sums, keep);
    }
    centre_sum
}

/// The part of [`sums`] for points by themselves. A function of its own, so that what it needs does
/// not take registers away from the loop over blocks.
#[inline(never)]
fn add_others<K, P>(
    kernel: &K,
    query: Query<P::Scalar>,
    x: &P::View,
    table: &P,
    sums: &mut [P::Scalar],
    mut keep: impl Keep<P::Scalar>,
) -> P::Scalar
where
    P: Table,
    K: BlockKernel<P::View, Scalar = P::Scalar>,
{
    let mut centre_sum = P::Scalar::ZERO;
    for Single { point, weights, centre } in table.others() {
        let k = kernel.eval_point(query, x, point);
        centre_sum += centre * k;
        for (sum, &alpha) in sums.iter_mut().zip(weights) {
            *sum += alpha * k;
        }
        keep.one(k);
    }
    centre_sum
}

/// Who is told the kernel values of a query, in the order of the points.
pub(super) trait Keep<T> {
    /// Those of a block.
    fn four(&mut self, values: Lanes<T>);
    /// That of a point by itself.
    fn one(&mut self, value: T);
}

/// Keeps nothing.
pub(super) struct Nothing;

impl<T> Keep<T> for Nothing {
    #[inline(always)]
    fn four(&mut self, _: Lanes<T>) {}
    #[inline(always)]
    fn one(&mut self, _: T) {}
}

/// Keeps values in a row with a place for each point.
pub(super) struct Row<'a, T> {
    places: &'a mut [T],
}

impl<'a, T: Real> Row<'a, T> {
    /// Of which the first few places are passed over.
    pub(super) fn after(passed: usize, row: &'a mut [T]) -> Self {
        Self { places: tail_mut(row, passed) }
    }

    #[inline(always)]
    fn next<const N: usize>(&mut self, values: [T; N]) {
        let places = core::mem::take(&mut self.places).split_first_chunk_mut();
        debug_assert!(places.is_some(), "a place for each point");
        if let Some((now, later)) = places {
            *now = values;
            self.places = later;
        }
    }
}

impl<T: Real> Keep<T> for Row<'_, T> {
    #[inline(always)]
    fn four(&mut self, values: Lanes<T>) {
        self.next(values);
    }
    #[inline(always)]
    fn one(&mut self, value: T) {
        self.next([value]);
    }
}
