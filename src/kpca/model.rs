//! The model that owns its points and weights; its sizes are part of its type.
//!
//! One struct covers exact and landmark kernel PCA: `R` points, a weight `α_ji` for each point and
//! component, centre weights `β_i`, offsets `b_j`, variances `λ_j` and the squared norm of the
//! centre. For any `x`, with `k_i = k(x, point_i)`:
//!
//! `f_j = Σ_i α_ji k_i − b_j`, and `k̃ = k(x,x) − 2 Σ_i β_i k_i + ‖centre‖²`.
//!
//! A score costs `R` kernel evaluations and `R·(P+1)` multiply-adds.

use core::ops::Deref;

use super::expansion::{Expansion, ExpansionHeader, ExpansionMut, ExpansionView};
use super::route::{self, Block, Keep, Nothing, Prepared, Single, Table};
use super::score::{Score, finite_score, require_finite_outputs};
use super::view::KernelPcaView;
use crate::error::Error;
use crate::kernel::block::Query;
use crate::kernel::{BlockKernel, Kernel, Memos, Sample};
use crate::linalg::lanes::LANES;
use crate::linalg::slices::head;
use crate::math::Real;

/// The scalar type of kernel `K` on samples stored as `X`.
pub type Scalar<K, X> = <K as Kernel<<X as Sample>::View>>::Scalar;

/// A kernel PCA model of at most `R` points and `P` components on samples of type `X`.
///
/// It can be a `static`: [`new`](Self::new) is `const` and all zeros, and a trained model is a
/// constant made [from its parts](Self::from_parts).
///
/// ```
/// use mercer::KernelPca;
/// use mercer::kernel::Rbf;
/// use mercer::kpca::{Components, ExactWorkspace};
///
/// let samples = [[0.0, 0.1], [0.2, 0.0], [1.0, 1.1], [0.9, 1.0], [0.1, 0.2]];
/// let mut model = KernelPca::<Rbf<f32>, [f32; 2], 5, 3>::new();
/// let workspace = &mut ExactWorkspace::<f32, 5>::new();
/// let report = model.fit_exact(Rbf::new(0.5), &samples, Components::Share(0.95), workspace)?;
/// assert!(report.explained >= 0.95);
///
/// let near = model.score(&[0.1, 0.1])?;
/// let far = model.score(&[3.0, -3.0])?;
/// assert!(far.spe > near.spe);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct KernelPca<K, X, const R: usize, const P: usize>
where
    X: Sample,
    K: Kernel<X::View>,
{
    /// None before the first fit, so that an empty model is all zeros and stays out of `.data` (if
    /// the kernel is made of numbers, as those of this crate are).
    kernel: Option<K>,
    points: heapless::Vec<X, R, u32>,
    memos: Memos<Scalar<K, X>, R>,
    expansion: Expansion<Scalar<K, X>, R, P>,
}

impl<K, X, const R: usize, const P: usize> KernelPca<K, X, R, P>
where
    X: Sample,
    K: Kernel<X::View>,
{
    /// Bytes the model occupies, in flash or RAM.
    pub const SIZE: usize = size_of::<Self>();

    /// A model that has not been fitted.
    pub const fn new() -> Self {
        const { assert!(R > 0 && P > 0, "a model needs room for points and components") };
        Self {
            kernel: None,
            points: heapless::Vec::new(),
            memos: Memos::NONE,
            expansion: Expansion::empty(),
        }
    }

    /// A model that was trained earlier, e.g. on the host, and lives in flash.
    ///
    /// `memos` are the [`Rbf::memos`](crate::kernel::Rbf::memos) of the points, or [`Memos::NONE`]
    /// for other kernels. Points beyond those that the expansion uses are ignored.
    pub const fn from_parts(
        kernel: K,
        points: [X; R],
        memos: Memos<Scalar<K, X>, R>,
        expansion: Expansion<Scalar<K, X>, R, P>,
    ) -> Self {
        let points = heapless::Vec::from_array(points);
        let memos = memos.of_first(expansion.header().points);
        Self { kernel: Some(kernel), points, memos, expansion }
    }

    /// The model with its sizes as run-time values.
    ///
    /// # Errors
    /// [`Error::NotFitted`].
    pub fn view(&self) -> Result<KernelPcaView<'_, K, [X]>, Error> {
        let kernel = self.kernel.as_ref().ok_or(Error::NotFitted)?;
        let (expansion, points) = (self.expansion.view(), self.points_in_use());
        KernelPcaView::with_memos(kernel, points, self.memos.leading(), expansion)
    }

    /// Has it been fitted, or made from parts?
    pub const fn is_fitted(&self) -> bool {
        self.kernel.is_some()
    }

    /// The kernel; none before a fit.
    pub const fn kernel(&self) -> Option<&K> {
        self.kernel.as_ref()
    }

    /// The expansion points.
    pub fn points(&self) -> &[X] {
        self.points_in_use()
    }

    fn points_in_use(&self) -> &[X] {
        head(&self.points, self.expansion.header().points as usize)
    }

    /// The weights and what is known about the components; empty before a fit.
    pub fn expansion(&self) -> ExpansionView<'_, Scalar<K, X>> {
        self.expansion.view()
    }

    /// The SPE of a reading that has nothing in common with any point; see
    /// [`KernelPcaView::far_field`].
    pub fn far_field(&self) -> Option<Scalar<K, X>> {
        let norm = self.kernel.as_ref()?.stranger_norm()?;
        Some(self.expansion.view().far_field(norm))
    }

    /// The storage that a fit writes the weights to.
    pub(super) fn expansion_mut(&mut self) -> ExpansionMut<'_, Scalar<K, X>> {
        self.expansion.storage()
    }

    /// Everything a stored model is read into.
    #[allow(
        clippy::type_complexity,
        reason = "the parts of the struct, named where they are declared"
    )]
    pub(crate) fn storage(
        &mut self,
    ) -> (&mut Option<K>, &mut heapless::Vec<X, R, u32>, ExpansionMut<'_, Scalar<K, X>>) {
        (&mut self.kernel, &mut self.points, self.expansion.storage())
    }

    /// Forgets what was learned, in place.
    pub(crate) fn clear(&mut self) {
        self.kernel = None;
        self.memos.clear();
        self.points.clear();
        *self.expansion.storage().header = ExpansionHeader::default();
    }
}

impl<K, X, const R: usize, const P: usize> KernelPca<K, X, R, P>
where
    X: Sample,
    K: BlockKernel<X::View>,
{
    /// Projects a point onto the components.
    ///
    /// # Errors
    /// [`Error::NotFitted`], or [`Error::Query`] when the point cannot be used.
    pub fn project(&self, x: &X::View) -> Result<Projection<Scalar<K, X>, P>, Error> {
        let mut values = [Scalar::<K, X>::ZERO; P];
        let (kernel, query, table) = self.prepare(x)?;
        table.project(kernel, query, x, &mut values, Nothing);
        let projection = Projection::leading(values, self.expansion.header().components as usize);
        require_finite_outputs(&projection)?;
        Ok(projection)
    }

    /// Scores a point: one pass over the points.
    ///
    /// # Errors
    /// [`Error::NotFitted`], or [`Error::Query`] when the point cannot be used.
    pub fn score(&self, x: &X::View) -> Result<Score<Scalar<K, X>>, Error> {
        let mut projection = [Scalar::<K, X>::ZERO; P];
        let (_, query, table) = self.prepare(x)?;
        self.score_prepared(query, &table, x, &mut projection, Nothing)
    }

    /// What is known of a query, and what it is compared with.
    #[inline(always)]
    pub(super) fn prepare(&self, x: &X::View) -> Result<PreparedFor<'_, K, X, R, P>, Error> {
        let kernel = self.kernel.as_ref().ok_or(Error::NotFitted)?;
        let points = self.points_in_use();
        let peer = points.first().map(Sample::view);
        let Prepared { query, memos, others } =
            route::prepare(kernel, x, peer, self.memos.leading())?;
        let table = Owned {
            points,
            memos,
            others,
            weights: self.expansion.weights(),
            centre: self.expansion.centre(),
            offsets: self.expansion.offsets(),
        };
        Ok((kernel, query, table))
    }

    /// Writes the projections of a query, and scores it.
    #[inline(always)]
    pub(super) fn score_prepared(
        &self,
        query: Query<Scalar<K, X>>,
        table: &Owned<'_, X, Scalar<K, X>, R, P>,
        x: &X::View,
        projection: &mut [Scalar<K, X>; P],
        keep: impl Keep<Scalar<K, X>>,
    ) -> Result<Score<Scalar<K, X>>, Error> {
        let kernel = self.kernel.as_ref().ok_or(Error::NotFitted)?;
        let centre_product = table.project(kernel, query, x, projection, keep);
        let header = self.expansion.header();
        let projection = head(projection, header.components as usize);
        let (kxx, variances) = (kernel.diagonal(x), self.expansion.variances());
        let score = Score::new(header, kxx, centre_product, projection, variances);
        Ok(finite_score(score)?.clamped(header.indefinite))
    }

    /// Makes the memos of the points once these are in place.
    pub(crate) fn remember(&mut self) {
        if let Some(kernel) = &self.kernel {
            self.memos.make(kernel, self.points.iter().map(Sample::view));
        }
    }
}

impl<K, X, const R: usize, const P: usize> KernelPca<K, X, R, P>
where
    X: Sample + Clone,
    K: BlockKernel<X::View>,
{
    /// Takes over a model that was fitted elsewhere, with the memos of its near points, in place.
    pub(crate) fn replace<'a>(
        &mut self,
        kernel: K,
        points: impl Iterator<Item = &'a X>,
        memos: &[Scalar<K, X>],
        expansion: ExpansionView<'_, Scalar<K, X>>,
    ) where
        X: 'a,
    {
        self.expansion.storage().copy_from(expansion);
        self.take_points(points);
        self.kernel = Some(kernel);
        self.memos.take(memos);
    }

    /// Becomes the same as another model, in place: a point at a time goes over the stack.
    pub(crate) fn copy_from(&mut self, other: &Self)
    where
        K: Clone,
    {
        self.expansion.storage().copy_from(other.expansion.view());
        self.kernel.clone_from(&other.kernel);
        self.take_points(other.points_in_use().iter());
        self.memos.copy_from(&other.memos);
    }

    /// Takes over kernel and points once a fit has written the expansion.
    pub(super) fn adopt<'a>(&mut self, kernel: K, points: impl Iterator<Item = &'a X>)
    where
        X: 'a,
    {
        self.take_points(points);
        self.kernel = Some(kernel);
        self.remember();
    }

    fn take_points<'a>(&mut self, points: impl Iterator<Item = &'a X>)
    where
        X: 'a,
    {
        self.points.clear();
        for point in points {
            let pushed = self.points.push(point.clone());
            debug_assert!(pushed.is_ok(), "a model has no more points than there is room for");
        }
    }
}

impl<K, X, const R: usize, const P: usize> Default for KernelPca<K, X, R, P>
where
    X: Sample,
    K: Kernel<X::View>,
{
    fn default() -> Self {
        Self::new()
    }
}

/// Kernel, query and points.
pub(super) type PreparedFor<'a, K, X, const R: usize, const P: usize> =
    (&'a K, Query<Scalar<K, X>>, Owned<'a, X, Scalar<K, X>, R, P>);

/// The numbers of a [`KernelPca`], point by point.
pub(super) struct Owned<'a, X, T, const R: usize, const P: usize> {
    points: &'a [X],
    memos: &'a [T],
    others: usize,
    weights: &'a [[T; P]; R],
    centre: &'a [T; R],
    offsets: &'a [T; P],
}

impl<X: Sample, T: Real, const R: usize, const P: usize> Owned<'_, X, T, R, P> {
    /// Writes the projections and returns `Σ β_i k_i`.
    ///
    /// All `P` columns of weights are added up, in use or not: their number is then known to the
    /// compiler, which keeps the sums in registers. Not inlined, or all arrays would be addressed
    /// from the start of the model, out of reach of the short offsets of load instructions.
    #[inline(never)]
    fn project<K>(
        &self,
        kernel: &K,
        query: Query<T>,
        x: &X::View,
        projection: &mut [T; P],
        keep: impl Keep<T>,
    ) -> T
    where
        K: BlockKernel<X::View, Scalar = T>,
    {
        let mut sums = [T::ZERO; P];
        let centre_sum = route::sums(kernel, query, x, self, &mut sums, keep);
        for ((f, sum), &offset) in projection.iter_mut().zip(sums).zip(self.offsets) {
            *f = query.factor * sum - offset;
        }
        query.factor * centre_sum
    }
}

impl<X: Sample, T: Real, const R: usize, const P: usize> Table for Owned<'_, X, T, R, P> {
    type View = X::View;
    type Scalar = T;

    #[inline(always)]
    fn blocks(&self) -> impl Iterator<Item = Block<'_, X::View, T>> {
        // Whole chunks of everything: then no bound is checked inside the loop.
        let (points, _) = self.points.as_chunks::<LANES>();
        let (memos, _) = self.memos.as_chunks::<LANES>();
        let (weights, _) = self.weights.as_chunks::<LANES>();
        let (centre, _) = self.centre.as_chunks::<LANES>();
        points.iter().zip(memos).zip(weights).zip(centre).map(
            |(((points, &memos), weights), &centre)| {
                let ([p0, p1, p2, p3], [w0, w1, w2, w3]) = (points, weights);
                let points = [p0.view(), p1.view(), p2.view(), p3.view()];
                Block { points, memos, weights: [w0, w1, w2, w3], centre }
            },
        )
    }

    #[inline(always)]
    fn has_others(&self) -> bool {
        self.others < self.points.len()
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
        let rows = self.points.iter().zip(self.weights).zip(self.centre);
        rows.skip(self.others).map(|((point, weights), &centre)| Single {
            point: point.view(),
            weights,
            centre,
        })
    }
}

/// The projections `f_j` of one point, at most `P` of them; a slice to the user.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Projection<T, const P: usize>(heapless::Vec<T, P>);

impl<T, const P: usize> Projection<T, P> {
    /// The first `components` of these values.
    pub(crate) fn leading(values: [T; P], components: usize) -> Self {
        let mut projection = Self(heapless::Vec::from_array(values));
        projection.0.truncate(components);
        projection
    }
}

impl<T, const P: usize> Deref for Projection<T, P> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.0
    }
}
