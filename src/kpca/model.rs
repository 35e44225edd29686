//! The model: points and weights.
//!
//! One struct covers exact and landmark kernel PCA: `R` points, a weight `α_ji` for each point and component, centre weights
//! `β_i`, offsets `b_j`, variances `λ_j` and the squared norm of the centre. For any `x`, with `k_i = k(x, point_i)`:
//!
//! `f_j = Σ_i α_ji k_i − b_j`, and `k̃ = k(x,x) − 2 Σ_i β_i k_i + ‖centre‖²`.
//!
//! A score costs `R` kernel evaluations and `R·(P+1)` multiply-adds.

use core::ops::Deref;

use crate::error::{Error, Fault};
use crate::kernel::{Kernel, Sample, Samples};
use crate::kpca::{
    Components, ExactWorkspace, LandmarkWorkspace, Landmarks, LeadingWorkspace, Report, Score,
    exact, landmark, leading,
};
use crate::linalg::eigen::Eigensolver;
use crate::math::Real;

use super::expansion::{Expansion, ExpansionMut, ExpansionView, Header};
use super::row::{self, Points};

/// The scalar type of kernel `K` on samples stored as `X`.
pub type Scalar<K, X> = <K as Kernel<<X as Sample>::View>>::Scalar;

/// A kernel PCA model of at most `R` points and `P` components on samples of type `X`.
///
/// It can be a `static`: [`new`](Self::new) is const and all zeros, and a trained model is const-constructible
/// [from its parts](Self::from_parts).
///
/// ```
/// use mercer::KernelPca;
/// use mercer::kernel::Rbf;
/// use mercer::kpca::{Components, ExactWorkspace};
///
/// let samples = [[0.0, 0.1], [0.2, 0.0], [1.0, 1.1], [0.9, 1.0], [0.1, 0.2]];
/// let mut model = KernelPca::<Rbf<f32>, [f32; 2], 5, 3>::new();
/// let mut workspace = ExactWorkspace::<f32, 5>::new();
/// let report = model.fit_exact(Rbf::new(0.5), &samples, Components::Share(0.95), &mut workspace)?;
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
    /// None before the first fit, so that an empty model is all zeros and stays out of `.data` (with kernels made of numbers, as
    /// those here are).
    kernel: Option<K>,
    points: heapless::Vec<X, R, u32>,
    /// What the kernel remembers of each point, if it does of all of them.
    memos: [Scalar<K, X>; R],
    has_memos: bool,
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
            memos: [Scalar::<K, X>::ZERO; R],
            has_memos: false,
            expansion: Expansion::empty(),
        }
    }

    /// A model that was trained earlier, e.g. on the host, and lives in flash.
    pub const fn from_parts(
        kernel: K,
        points: [X; R],
        expansion: Expansion<Scalar<K, X>, R, P>,
    ) -> Self {
        let points = heapless::Vec::from_array(points);
        let memos = [Scalar::<K, X>::ZERO; R];
        Self { kernel: Some(kernel), points, memos, has_memos: false, expansion }
    }

    /// Adds what [`Rbf::memos`](crate::kernel::Rbf::memos) makes of the points; without it, a model [from parts](Self::from_parts) takes longer to score.
    #[must_use]
    pub const fn with_memos(mut self, memos: Option<[Scalar<K, X>; R]>) -> Self {
        if let Some(memos) = memos {
            self.memos = memos;
            self.has_memos = true;
        }
        self
    }

    /// The model with its sizes as run-time values.
    ///
    /// # Errors
    /// [`Error::NotFitted`].
    pub fn view(&self) -> Result<KernelPcaView<'_, K, [X]>, Error> {
        let kernel = self.kernel.as_ref().ok_or(Error::NotFitted)?;
        let expansion = self.expansion.view();
        let points = self.points.get(..expansion.points()).ok_or(Error::NotFitted)?;
        KernelPcaView::new(kernel, points, expansion)
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
        &self.points
    }

    /// The weights and what is known about the components; empty before a fit.
    pub fn expansion(&self) -> ExpansionView<'_, Scalar<K, X>> {
        self.expansion.view()
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

    /// Projects a point onto the components.
    ///
    /// # Errors
    /// [`Error::NotFitted`], or [`Error::Query`] when the point cannot be used.
    pub fn project(&self, x: &X::View) -> Result<Projection<Scalar<K, X>, P>, Error> {
        let mut values = [Scalar::<K, X>::ZERO; P];
        self.centre_product(x, &mut values)?;
        let projection = Projection::leading(values, self.expansion.header().components as usize);
        require_finite(&projection)?;
        Ok(projection)
    }

    /// Scores a point: one pass over the points.
    ///
    /// # Errors
    /// [`Error::NotFitted`], or [`Error::Query`] when the point cannot be used.
    pub fn score(&self, x: &X::View) -> Result<Score<Scalar<K, X>>, Error> {
        let mut projection = [Scalar::<K, X>::ZERO; P];
        let centre_product = self.centre_product(x, &mut projection)?;
        let kxx = self.kernel.as_ref().ok_or(Error::NotFitted)?.diagonal(x);
        let header = self.expansion.header();
        let projection = projection.get(..header.components as usize).unwrap_or_default();
        finite_score(header.score(kxx, centre_product, projection, self.expansion.variances()))
    }

    /// Writes the projections and returns `Σ β_i k_i`, by [rows](row) if the kernel can, else point by point.
    fn centre_product(
        &self,
        x: &X::View,
        projection: &mut [Scalar<K, X>; P],
    ) -> Result<Scalar<K, X>, Error> {
        let kernel = self.kernel.as_ref().ok_or(Error::NotFitted)?;
        let points = Points {
            points: self.points.get(..self.expansion.header().points as usize).unwrap_or_default(),
            memos: &self.memos,
            weights: self.expansion.weights(),
            centre: self.expansion.centre(),
        };
        let prepare = |x: &mut X::View| if self.has_memos { kernel.prepare(x) } else { None };
        let sums = |x: &X, row| points.sums(kernel, row, x, projection);
        let Some(centre_sum) = X::with_changed(x, prepare, sums) else {
            return self.plain_centre_product(x, projection);
        };
        for (f, &offset) in projection.iter_mut().zip(self.expansion.offsets()) {
            *f -= offset;
        }
        Ok(centre_sum)
    }

    /// Point by point.
    #[cold]
    fn plain_centre_product(
        &self,
        x: &X::View,
        projection: &mut [Scalar<K, X>; P],
    ) -> Result<Scalar<K, X>, Error> {
        let view = self.view()?;
        let projection = projection.get_mut(..view.expansion.components());
        view.centre_product(x, projection.unwrap_or_default())
    }
}

impl<K, X, const R: usize, const P: usize> KernelPca<K, X, R, P>
where
    X: Sample + Clone,
    K: Kernel<X::View>,
{
    /// Fits exact kernel PCA: every sample becomes a point.
    ///
    /// # Errors
    /// See [`exact::fit`]. The model is unchanged then.
    pub fn fit_exact<const N: usize, E: Eigensolver<Scalar<K, X>>>(
        &mut self,
        kernel: K,
        samples: &[X],
        components: Components<Scalar<K, X>>,
        workspace: &mut ExactWorkspace<Scalar<K, X>, N, E>,
    ) -> Result<Report<Scalar<K, X>>, Error> {
        let mut scratch = workspace.scratch(samples.len())?;
        let mut storage = self.expansion.storage();
        let report = exact::fit(&kernel, samples, components, &mut scratch, &mut storage)?;
        self.adopt(kernel, samples.iter());
        Ok(report)
    }

    /// Fits the leading components of exact kernel PCA: faster than [`fit_exact`](Self::fit_exact) when there are many samples.
    ///
    /// # Errors
    /// See [`leading::fit`]. The model is unchanged then.
    pub fn fit_leading<const N: usize, const S: usize>(
        &mut self,
        kernel: K,
        samples: &[X],
        components: Components<Scalar<K, X>>,
        workspace: &mut LeadingWorkspace<Scalar<K, X>, N, S>,
    ) -> Result<Report<Scalar<K, X>>, Error> {
        let mut scratch = workspace.scratch(samples.len())?;
        let mut storage = self.expansion.storage();
        let report = leading::fit(&kernel, samples, components, &mut scratch, &mut storage)?;
        self.adopt(kernel, samples.iter());
        Ok(report)
    }

    /// Fits landmark kernel PCA: the samples that best span the rest become points.
    ///
    /// # Errors
    /// See [`landmark::fit`]. The model is unchanged then.
    pub fn fit_landmarks<const N: usize, E: Eigensolver<Scalar<K, X>>>(
        &mut self,
        kernel: K,
        samples: &[X],
        landmarks: Landmarks<Scalar<K, X>>,
        components: Components<Scalar<K, X>>,
        workspace: &mut LandmarkWorkspace<Scalar<K, X>, N, R, E>,
    ) -> Result<Report<Scalar<K, X>>, Error> {
        let mut scratch = workspace.scratch(samples.len())?;
        let mut storage = self.expansion.storage();
        let report =
            landmark::fit(&kernel, samples, landmarks, components, &mut scratch, &mut storage)?;
        let chosen =
            scratch.pivots.iter().take(report.points).filter_map(|&i| samples.get(i as usize));
        self.adopt(kernel, chosen);
        Ok(report)
    }

    /// Takes over a model that was fitted elsewhere, in place.
    pub(crate) fn replace<'a>(
        &mut self,
        kernel: K,
        points: impl Iterator<Item = &'a X>,
        expansion: &Expansion<Scalar<K, X>, R, P>,
    ) where
        X: 'a,
    {
        self.expansion = *expansion;
        self.adopt(kernel, points);
    }

    /// Forgets what was learned, in place.
    pub(crate) fn clear(&mut self) {
        self.kernel = None;
        self.has_memos = false;
        self.points.clear();
        *self.expansion.storage().header = Header::default();
    }

    /// Takes over kernel and points once a fit has written the expansion.
    fn adopt<'a>(&mut self, kernel: K, points: impl Iterator<Item = &'a X>)
    where
        X: 'a,
    {
        self.points.clear();
        for point in points {
            // The fit has checked that there is room.
            let _ = self.points.push(point.clone());
        }
        self.kernel = Some(kernel);
        self.remember();
    }
}

impl<K, X, const R: usize, const P: usize> KernelPca<K, X, R, P>
where
    X: Sample,
    K: Kernel<X::View>,
{
    /// Makes the memos of the points, if the kernel has one of each.
    pub(crate) fn remember(&mut self) {
        let memo = |point: &X| self.kernel.as_ref()?.memo(point.view());
        let made = self.memos.iter_mut().zip(&self.points).map_while(|(place, point)| {
            *place = memo(point)?;
            Some(())
        });
        self.has_memos = made.count() == self.points.len();
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

/// A model to score with, borrowed from storage of any kind: a [`KernelPca`], or a host program's vectors.
#[derive(Clone, Copy, Debug)]
pub struct KernelPcaView<'a, K, S>
where
    S: Samples + ?Sized,
    K: Kernel<S::View>,
{
    kernel: &'a K,
    points: &'a S,
    expansion: ExpansionView<'a, K::Scalar>,
    /// What the kernel remembers of each point; empty where it does not.
    memos: &'a [K::Scalar],
}

impl<'a, K, S> KernelPcaView<'a, K, S>
where
    S: Samples + ?Sized,
    K: Kernel<S::View>,
{
    /// Puts kernel, points and weights together.
    ///
    /// # Errors
    /// [`Error::Shape`] when there are not as many points as the expansion has weights for.
    pub fn new(
        kernel: &'a K,
        points: &'a S,
        expansion: ExpansionView<'a, K::Scalar>,
    ) -> Result<Self, Error> {
        let (expected, given) = (expansion.points(), points.count());
        if given != expected {
            return Err(Error::Shape { what: "points", expected, given });
        }
        Ok(Self { kernel, points, expansion, memos: &[] })
    }

    /// Writes what the kernel remembers of each point, for [`with_memos`](Self::with_memos); false where it has nothing to remember, or `memos` is too short.
    pub fn write_memos(&self, memos: &mut [K::Scalar]) -> bool {
        let made = memos.iter_mut().zip(self.points.iter_samples()).map_while(|(place, point)| {
            *place = self.kernel.memo(point)?;
            Some(())
        });
        made.count() == self.points.count()
    }

    /// Scores by rows from now on, where a query may be changed: as a [`KernelPca`] does, with the same bits.
    #[must_use]
    pub fn with_memos(self, memos: &'a [K::Scalar]) -> Self {
        Self { memos, ..self }
    }

    /// The kernel.
    pub const fn kernel(&self) -> &'a K {
        self.kernel
    }

    /// The expansion points.
    pub const fn points(&self) -> &'a S {
        self.points
    }

    /// The weights.
    pub const fn expansion(&self) -> ExpansionView<'a, K::Scalar> {
        self.expansion
    }

    /// Projects a point; `projection` has one place for each component.
    ///
    /// # Errors
    /// [`Error::NotFitted`] without points, [`Error::Shape`] for a `projection` of another length, and
    /// [`Error::Query`] when the point cannot be used.
    pub fn project(&self, x: &S::View, projection: &mut [K::Scalar]) -> Result<(), Error> {
        self.centre_product(x, projection)?;
        require_finite(projection)
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
        let centre_product = self.centre_product(x, projection)?;
        let (header, variances) = (self.expansion.header(), self.expansion.variances());
        finite_score(header.score(self.kernel.diagonal(x), centre_product, projection, variances))
    }

    /// As [`project`](Self::project), of a point that may be changed: with [memos](Self::with_memos) it is faster.
    ///
    /// # Errors
    /// As [`project`](Self::project).
    pub fn project_mut(&self, x: &mut S::View, projection: &mut [K::Scalar]) -> Result<(), Error> {
        self.centre_product_mut(x, projection)?;
        require_finite(projection)
    }

    /// As [`score`](Self::score), of a point that may be changed: with [memos](Self::with_memos) it is faster.
    ///
    /// # Errors
    /// As [`project`](Self::project).
    pub fn score_mut(
        &self,
        x: &mut S::View,
        projection: &mut [K::Scalar],
    ) -> Result<Score<K::Scalar>, Error> {
        let kxx = self.kernel.diagonal(x);
        let centre_product = self.centre_product_mut(x, projection)?;
        let (header, variances) = (self.expansion.header(), self.expansion.variances());
        finite_score(header.score(kxx, centre_product, projection, variances))
    }

    /// By rows if the kernel can, else point by point.
    fn centre_product_mut(
        &self,
        x: &mut S::View,
        projection: &mut [K::Scalar],
    ) -> Result<K::Scalar, Error> {
        let (r, p) = (self.expansion.points(), self.expansion.components());
        if self.memos.len() != r || r == 0 || projection.len() != p {
            return self.centre_product(x, projection);
        }
        // A query of another length would pass for one that ends in zeros.
        if let Some(peer) = self.points.sample(0) {
            self.kernel.check(x, peer).map_err(Error::Query)?;
        }
        match self.kernel.prepare(x) {
            Some(row) => {
                let (points, memos) = (self.points, self.memos);
                Ok(row::sums(self.kernel, row, x, points, memos, self.expansion, projection))
            }
            None => self.centre_product(x, projection),
        }
    }

    /// Writes the projections and returns `Σ β_i k_i`.
    fn centre_product(
        &self,
        x: &S::View,
        projection: &mut [K::Scalar],
    ) -> Result<K::Scalar, Error> {
        let peer = self.points.sample(0).ok_or(Error::NotFitted)?;
        self.kernel.check(x, peer).map_err(Error::Query)?;
        let row = self.points.iter_samples().map(|point| self.kernel.eval(x, point));
        self.expansion.accumulate(row, projection)
    }
}

/// Projections that did not overflow.
pub(crate) fn require_finite<T: Real>(projection: &[T]) -> Result<(), Error> {
    match projection.iter().all(|f| f.is_finite()) {
        true => Ok(()),
        false => Err(Error::Query(Fault::Overflow)),
    }
}

/// A score that did not overflow: if anything did, it ends up in one of these.
pub(crate) fn finite_score<T: Real>(score: Score<T>) -> Result<Score<T>, Error> {
    match (score.spe + score.t2 + score.centre_distance).is_finite() {
        true => Ok(score),
        false => Err(Error::Query(Fault::Overflow)),
    }
}
