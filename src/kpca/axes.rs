//! The axes of a model alone: what projections need of it, and nothing that scores do.
//!
//! `f_j = Σ_i α_ji k_i − b_j`, by the route of every other model, hence with the same bits. The
//! weights of the centre, the variances and what SPE is made of are not there, nor are components
//! that nobody asked for.

use super::model::Scalar;
use super::route::{self, Block, Nothing, Prepared, Single, Table};
use super::score::require_finite_outputs;
use crate::error::Error;
use crate::kernel::{BlockKernel, Kernel, Memos, Sample};
use crate::linalg::lanes::LANES;
use crate::math::Real;

/// `R` points and their weights in `P` components; all of them are in use.
///
/// See [`Projector`](crate::detect::Projector) for one that takes raw readings.
///
/// ```
/// use mercer::kernel::Rbf;
/// use mercer::kpca::Axes;
///
/// const KERNEL: Rbf<f32> = Rbf::new(0.5);
/// const POINTS: [[f32; 2]; 2] = [[0.0, 1.0], [1.0, 0.0]];
/// static AXES: Axes<Rbf<f32>, [f32; 2], 2, 1> =
///     Axes::from_parts(KERNEL, POINTS, KERNEL.memos(&POINTS), [[1.5], [-1.5]], [0.0]);
/// let [first] = AXES.project(&[0.0, 1.0])?;
/// assert!((first - 1.5 * (1.0 - (-1.0_f32).exp())).abs() < 1e-6);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Axes<K, X, const R: usize, const P: usize>
where
    X: Sample,
    K: Kernel<X::View>,
{
    kernel: K,
    points: [X; R],
    memos: Memos<Scalar<K, X>, R>,
    /// `α`, a row for each point.
    weights: [[Scalar<K, X>; P]; R],
    /// `b`.
    offsets: [Scalar<K, X>; P],
}

impl<K, X, const R: usize, const P: usize> Axes<K, X, R, P>
where
    X: Sample,
    K: Kernel<X::View>,
{
    /// The axes of a model that was trained earlier: `weights[i][j]` is the weight of point `i` in
    /// component `j`.
    ///
    /// `memos` are the [`Rbf::memos`](crate::kernel::Rbf::memos) of the points, or [`Memos::NONE`]
    /// for other kernels.
    pub const fn from_parts(
        kernel: K,
        points: [X; R],
        memos: Memos<Scalar<K, X>, R>,
        weights: [[Scalar<K, X>; P]; R],
        offsets: [Scalar<K, X>; P],
    ) -> Self {
        const { assert!(R > 0 && P > 0, "a model needs points and components") };
        Self { kernel, points, memos, weights, offsets }
    }

    /// The kernel.
    pub const fn kernel(&self) -> &K {
        &self.kernel
    }

    /// The points.
    pub const fn points(&self) -> &[X; R] {
        &self.points
    }

    /// `α`: a row for each point, a column for each component.
    pub const fn weights(&self) -> &[[Scalar<K, X>; P]; R] {
        &self.weights
    }

    /// `b`, the projection of the centre of the samples on each component.
    pub const fn offsets(&self) -> &[Scalar<K, X>; P] {
        &self.offsets
    }
}

impl<K, X, const R: usize, const P: usize> Axes<K, X, R, P>
where
    X: Sample,
    K: BlockKernel<X::View>,
{
    /// Projects a point onto the components.
    ///
    /// # Errors
    /// [`Error::Query`] when the point cannot be used.
    pub fn project(&self, x: &X::View) -> Result<[Scalar<K, X>; P], Error> {
        let peer = self.points.first().map(Sample::view);
        let Prepared { query, memos, others } =
            route::prepare(&self.kernel, x, peer, self.memos.leading())?;
        let table = Uncentred { points: &self.points, memos, others, weights: &self.weights };
        let mut projection = [Scalar::<K, X>::ZERO; P];
        route::sums(&self.kernel, query, x, &table, &mut projection, Nothing);
        for (f, &offset) in projection.iter_mut().zip(&self.offsets) {
            *f = query.factor * *f - offset;
        }
        require_finite_outputs(&projection)?;
        Ok(projection)
    }
}

/// The numbers of [`Axes`], point by point. The weights of the centre count as 0.
struct Uncentred<'a, X, T, const R: usize, const P: usize> {
    points: &'a [X; R],
    memos: &'a [T],
    others: usize,
    weights: &'a [[T; P]; R],
}

impl<X: Sample, T: Real, const R: usize, const P: usize> Table for Uncentred<'_, X, T, R, P> {
    type View = X::View;
    type Scalar = T;

    #[inline(always)]
    fn blocks(&self) -> impl Iterator<Item = Block<'_, X::View, T>> {
        let (points, _) = self.points.as_chunks::<LANES>();
        let (memos, _) = self.memos.as_chunks::<LANES>();
        let (weights, _) = self.weights.as_chunks::<LANES>();
        points.iter().zip(memos).zip(weights).map(|((points, &memos), weights)| {
            let ([p0, p1, p2, p3], [w0, w1, w2, w3]) = (points, weights);
            let points = [p0.view(), p1.view(), p2.view(), p3.view()];
            Block { points, memos, weights: [w0, w1, w2, w3], centre: [T::ZERO; LANES] }
        })
    }

    #[inline(always)]
    fn has_others(&self) -> bool {
        self.others < R
    }

    #[inline(always)]
    fn first_other(&self) -> usize {
        self.others
    }

    #[inline(always)]
    fn passed(&self) -> usize {
        if self.memos.is_empty() { self.others } else { 0 }
    }

    #[inline(always)]
    fn others(&self) -> impl Iterator<Item = Single<'_, X::View, T>> {
        let rows = self.points.iter().zip(self.weights).skip(self.others);
        rows.map(|(point, weights)| Single { point: point.view(), weights, centre: T::ZERO })
    }
}
