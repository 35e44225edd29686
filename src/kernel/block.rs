//! How a model evaluates a kernel: four points at a time, with a number kept beside each point that
//! makes this cheaper.
//!
//! [`Kernel`] says what a kernel *is*. [`BlockKernel`] says how many of its values are computed at
//! once; each of its methods has a default that falls back on [`Kernel::eval`]. A kernel of your
//! own needs one line:
//!
//! ```
//! use mercer::Kernel;
//! use mercer::kernel::BlockKernel;
//! /// Counts the positions at which two event codes agree.
//! struct Matches;
//! impl Kernel<[u8]> for Matches {
//!     type Scalar = f32;
//!     fn eval(&self, x: &[u8], y: &[u8]) -> f32 {
//!         x.iter().zip(y).filter(|(a, b)| a == b).count() as f32
//!     }
//! }
//! impl BlockKernel<[u8]> for Matches {}
//! ```
//!
//! # Notes for whoever changes this
//!
//! Every score goes through these methods, in the order in which `kpca::route` calls them. These
//! rules decide its bits:
//!
//! 1. A point is *near* when [`memo`](BlockKernel::memo) has a number for it, which depends on the
//!    kernel and the point alone. [`Memos`] holds the numbers of the leading near points.
//! 2. A query is *near* when [`prepare`](BlockKernel::prepare) returns something for it. A near
//!    query is not checked again, so `prepare` must return nothing for one that [`Kernel::check`]
//!    would refuse. For a query that is not near, the leading near points count as 0, so `prepare`
//!    must return something for every query on which a near point has any effect.
//! 3. Whole blocks of leading near points go to [`eval_block`](BlockKernel::eval_block), if the
//!    query is near; the near points that do not fill a block, and all points after them, go to
//!    [`eval_point`](BlockKernel::eval_point). Both return `k(x, p)/factor` with the factor of the
//!    query; the caller multiplies the sums by it.
//! 4. Each lane of a block is computed by itself: a value must not depend on its neighbours. Sums
//!    over blocks then have the bits of sums over points.
//! 5. Scores stay free of libm's `exp`, which alone takes 500 bytes of flash:
//!    [`eval`](Kernel::eval) is for fits, the methods here are for scores.

use super::Kernel;
use crate::linalg::slices::{copy, head};
use crate::math::Real;

/// Room, in numbers, for what a kernel makes of a query before blocks are evaluated. With more of
/// it, scores would need more stack, and what it saves is the smaller a share the more inputs there
/// are.
pub const FEW: usize = 8;

/// What the kernel values of one query with all points have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Query<T> {
    /// What the kernel adds to the exponents of a block.
    pub start: T,
    /// By which the values, or a sum of them, must still be multiplied: finite and > 0.
    pub factor: T,
}

impl<T: Real> Query<T> {
    /// Nothing in common: every point is evaluated by itself.
    pub const PLAIN: Self = Self { start: T::ZERO, factor: T::ONE };
}

/// How many values of a kernel are computed at once; see the [module](self).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be evaluated in blocks of samples `{X}`",
    note = "a kernel of your own needs one line: `impl BlockKernel<…> for … {{}}`"
)]
pub trait BlockKernel<X: ?Sized>: Kernel<X> {
    /// Is a point near? Cheaper to ask than to make its [memo](Self::memo), which it then has.
    #[inline(always)]
    fn is_near(&self, point: &X) -> bool {
        let _ = point;
        false
    }

    /// A number to keep beside a near point, so that a block of them is cheaper to evaluate.
    ///
    /// None if this kernel keeps no such number, or if blocks would lose digits at this point.
    fn memo(&self, point: &X) -> Option<Self::Scalar> {
        let _ = point;
        None
    }

    /// Whatever can be computed once for a near query; none for any other. `peer` is one of the
    /// points.
    #[inline(always)]
    fn prepare(&self, x: &X, peer: &X) -> Option<Query<Self::Scalar>> {
        let _ = (x, peer);
        None
    }

    /// A near query as [`eval_block`](Self::eval_block) wants it: itself, or written to the room.
    /// Once for all blocks.
    #[inline(always)]
    fn for_blocks<'a>(&self, x: &'a X, room: &'a mut [Self::Scalar; FEW]) -> &'a X {
        let _ = room;
        x
    }

    /// `k(x, p)/factor` for four near points and a near query, which went through
    /// [`for_blocks`](Self::for_blocks).
    #[inline(always)]
    fn eval_block(
        &self,
        query: Query<Self::Scalar>,
        x: &X,
        points: [&X; 4],
        memos: [Self::Scalar; 4],
    ) -> [Self::Scalar; 4] {
        let _ = memos;
        points.map(|point| self.eval_point(query, x, point))
    }

    /// `k(x, p)/factor` for any point and query.
    #[inline(always)]
    fn eval_point(&self, query: Query<Self::Scalar>, x: &X, point: &X) -> Self::Scalar {
        let _ = query;
        self.eval(x, point)
    }

    /// `k(x, y)` for each of `others`: a row of a Gram matrix.
    fn eval_row<'a>(&self, x: &X, others: impl Iterator<Item = &'a X>, row: &mut [Self::Scalar])
    where
        X: 'a,
    {
        for (value, y) in row.iter_mut().zip(others) {
            *value = self.eval(x, y);
        }
    }
}

/// A borrowed kernel is evaluated as its owner is.
impl<X: ?Sized, K: BlockKernel<X> + ?Sized> BlockKernel<X> for &K {
    #[inline(always)]
    fn is_near(&self, point: &X) -> bool {
        (**self).is_near(point)
    }
    fn memo(&self, point: &X) -> Option<K::Scalar> {
        (**self).memo(point)
    }
    #[inline(always)]
    fn prepare(&self, x: &X, peer: &X) -> Option<Query<K::Scalar>> {
        (**self).prepare(x, peer)
    }
    #[inline(always)]
    fn for_blocks<'a>(&self, x: &'a X, room: &'a mut [K::Scalar; FEW]) -> &'a X {
        (**self).for_blocks(x, room)
    }
    #[inline(always)]
    fn eval_block(
        &self,
        query: Query<K::Scalar>,
        x: &X,
        points: [&X; 4],
        memos: [K::Scalar; 4],
    ) -> [K::Scalar; 4] {
        (**self).eval_block(query, x, points, memos)
    }
    #[inline(always)]
    fn eval_point(&self, query: Query<K::Scalar>, x: &X, point: &X) -> K::Scalar {
        (**self).eval_point(query, x, point)
    }
    fn eval_row<'a>(&self, x: &X, others: impl Iterator<Item = &'a X>, row: &mut [K::Scalar])
    where
        X: 'a,
    {
        (**self).eval_row(x, others, row);
    }
}

/// The numbers that a kernel keeps beside the points of a model of at most `R` points.
///
/// A model in flash gets it from [`Rbf::memos`](super::Rbf::memos), which is `const`; for other
/// kernels it is [`NONE`](Self::NONE).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Memos<T, const R: usize> {
    /// How many of the leading points are near.
    pub(super) near: u32,
    pub(super) values: [T; R],
}

impl<T: Real, const R: usize> Memos<T, R> {
    /// For no point; all zeros.
    pub const NONE: Self = Self { near: 0, values: [T::ZERO; R] };

    /// Those of the leading near points.
    pub(crate) fn leading(&self) -> &[T] {
        debug_assert!(self.near as usize <= R, "{} near points of {R}", self.near);
        // All of them, rather than none as from `head`: a select less for every score.
        self.values.get(..self.near as usize).unwrap_or(&self.values)
    }

    /// Makes them anew.
    pub(crate) fn make<'a, K, X>(&mut self, kernel: &K, points: impl Iterator<Item = &'a X>)
    where
        X: ?Sized + 'a,
        K: BlockKernel<X, Scalar = T>,
    {
        self.near = make_memos(kernel, points, &mut self.values).len() as u32;
    }

    /// Those of the first few points, if only these are in use.
    pub(crate) const fn of_first(mut self, points: u32) -> Self {
        if self.near > points {
            self.near = points;
        }
        self
    }

    /// Forgets them.
    pub(crate) fn clear(&mut self) {
        self.near = 0;
    }

    /// Takes over those that were made of the same points already.
    pub(crate) fn take(&mut self, made: &[T]) {
        copy(made, &mut self.values);
        self.near = made.len() as u32;
    }

    /// Takes over those of the same points, in place.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.values.copy_from_slice(&other.values);
        self.near = other.near;
    }
}

/// Writes the memos of the leading near points and returns them.
pub(crate) fn make_memos<'a, 'm, K, X>(
    kernel: &K,
    points: impl Iterator<Item = &'a X>,
    memos: &'m mut [K::Scalar],
) -> &'m [K::Scalar]
where
    X: ?Sized + 'a,
    K: BlockKernel<X>,
{
    let made = memos.iter_mut().zip(points).map_while(|(place, point)| {
        *place = kernel.memo(point)?;
        Some(())
    });
    let near = made.count();
    head(memos, near)
}
