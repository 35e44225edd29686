//! A detector: scaling of the inputs, a kernel PCA model, and thresholds that were calibrated for
//! it.
//!
//! One value that can be learned in RAM (see [`Learner`](crate::Learner)) or be a `static` in
//! flash.

mod view;

pub use view::DetectorView;

use core::cmp::Ordering;

use crate::detect::reading::{Prepare, Reading, VectorReading};
use crate::error::Error;
use crate::kernel::{BlockKernel, Kernel, Rbf};
use crate::kpca::{KernelPca, Projection, Scalar, Score};
use crate::math::Real;

/// Which scores can raise an alarm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Watch {
    /// What the components cannot explain: the default, and the best single score on real data.
    #[default]
    Spe,
    /// How far along the components.
    T2,
    /// Either of them.
    Both,
}

impl Watch {
    /// Does SPE count?
    pub const fn watches_spe(self) -> bool {
        matches!(self, Self::Spe | Self::Both)
    }

    /// Does T² count?
    pub const fn watches_t2(self) -> bool {
        matches!(self, Self::T2 | Self::Both)
    }
}

/// Scores above these are anomalous.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Thresholds<T> {
    /// Largest usual [`Score::spe`].
    pub spe: T,
    /// Largest usual [`Score::t2`].
    pub t2: T,
    /// Which of them count.
    pub watch: Watch,
}

impl<T: Real> Thresholds<T> {
    /// Nothing calibrated yet; all zeros.
    pub const EMPTY: Self = Self { spe: T::ZERO, t2: T::ZERO, watch: Watch::Spe };

    /// Thresholds that were calibrated earlier, or set by hand.
    pub const fn new(spe: T, t2: T, watch: Watch) -> Self {
        Self { spe, t2, watch }
    }

    /// Twice as high.
    pub(crate) fn doubled(&self) -> Self {
        Self { spe: self.spe + self.spe, t2: self.t2 + self.t2, ..*self }
    }

    /// Can they be exceeded?
    pub(crate) fn validate(&self) -> Result<(), Error> {
        for (name, value) in [("spe", self.spe), ("t2", self.t2)] {
            if !value.is_finite() {
                return Err(Error::Parameter { name, rule: "finite" });
            }
        }
        Ok(())
    }

    /// Compares a score with the thresholds.
    pub fn judge(&self, score: Score<T>) -> Verdict<T> {
        // A threshold that is not a number was never calibrated: better an alarm too many.
        let exceeds =
            |score: T, threshold: T| score.partial_cmp(&threshold).is_none_or(Ordering::is_gt);
        let (spe, t2) = (exceeds(score.spe, self.spe), exceeds(score.t2, self.t2));
        let anomalous = (spe && self.watch.watches_spe()) || (t2 && self.watch.watches_t2());
        Verdict { score, anomalous }
    }
}

/// The score of one reading and what the thresholds say of it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Verdict<T> {
    /// The scores.
    pub score: Score<T>,
    /// A score that is watched exceeds its threshold.
    pub anomalous: bool,
}

/// Scaling, model and thresholds in one: at most `R` points and `P` components on
/// [readings](crate::detect::reading) of type `X`.
///
/// ```
/// use mercer::{Detector, KernelPca};
/// use mercer::detect::{Scaling, Thresholds, Watch};
/// use mercer::kernel::Rbf;
/// use mercer::kpca::{Components, LandmarkWorkspace, Landmarks};
/// # let samples: [[f32; 2]; 6] = [[0.0, 0.1], [0.9, 1.0], [2.1, 1.9], [3.0, 3.1], [1.5, 1.4], [2.4, 2.6]];
/// # let mut model = KernelPca::<Rbf<f32>, [f32; 2], 4, 2>::new();
/// # let mut workspace = LandmarkWorkspace::<f32, 6, 4>::new();
/// # model.fit_landmarks(Rbf::new(0.5), &samples, Landmarks::Rank(4), Components::Fixed(2), &mut workspace)?;
/// let thresholds = Thresholds::new(0.2, 10.0, Watch::Spe);
/// let detector = Detector::from_parts(Scaling::identity(), model, thresholds);
/// assert!(!detector.score(&[1.2, 1.3])?.anomalous);
/// assert!(detector.score(&[1.2, 3.0])?.anomalous);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Detector<K, X, const R: usize, const P: usize>
where
    X: Reading,
    K: Kernel<X::View>,
{
    pub(crate) scaling: X::Scaling,
    pub(crate) model: KernelPca<K, X, R, P>,
    pub(crate) thresholds: Thresholds<Scalar<K, X>>,
}

/// The usual case: a Gaussian kernel on `D` inputs in `f32`, at most `R` points and `P` components.
pub type GaussianDetector<const D: usize, const R: usize, const P: usize> =
    Detector<Rbf<f32>, [f32; D], R, P>;

impl<K, X, const R: usize, const P: usize> Detector<K, X, R, P>
where
    X: Reading,
    K: BlockKernel<X::View>,
{
    /// Bytes it occupies, in flash or RAM.
    pub const SIZE: usize = size_of::<Self>();

    /// A detector that has learned nothing; a `static` of it stays in `.bss`.
    pub const fn new() -> Self {
        Self { scaling: X::Scaling::EMPTY, model: KernelPca::new(), thresholds: Thresholds::EMPTY }
    }

    /// A detector from parts that were learned earlier.
    pub const fn from_parts(
        scaling: X::Scaling,
        model: KernelPca<K, X, R, P>,
        thresholds: Thresholds<Scalar<K, X>>,
    ) -> Self {
        Self { scaling, model, thresholds }
    }

    /// How readings are prepared for the model: mean and deviation of the inputs, if they have any.
    pub const fn scaling(&self) -> &X::Scaling {
        &self.scaling
    }

    /// The model, which works on scaled inputs.
    pub const fn model(&self) -> &KernelPca<K, X, R, P> {
        &self.model
    }

    /// The thresholds.
    pub const fn thresholds(&self) -> &Thresholds<Scalar<K, X>> {
        &self.thresholds
    }

    /// Replaces the thresholds.
    ///
    /// # Errors
    /// [`Error::Parameter`] names one that is not finite: nothing would exceed it.
    pub fn set_thresholds(&mut self, thresholds: Thresholds<Scalar<K, X>>) -> Result<(), Error> {
        thresholds.validate()?;
        self.thresholds = thresholds;
        Ok(())
    }

    /// Scores a raw reading and compares it with the thresholds; one pass over the points.
    ///
    /// # Errors
    /// [`Error::NotFitted`], or [`Error::Query`] that names the input which is not finite.
    pub fn score(&self, x: &X) -> Result<Verdict<Scalar<K, X>>, Error> {
        let prepared = self.scaling.apply(x);
        let score = match self.model.score(prepared.view()) {
            Ok(score) if X::Scaling::looks_usable(&prepared) => score,
            // Something is wrong with the reading, or may be.
            scored => self.prepared(x).and(scored)?,
        };
        Ok(self.thresholds.judge(score))
    }

    /// Projects a raw reading onto the components.
    ///
    /// # Errors
    /// As [`score`](Self::score).
    pub fn project(&self, x: &X) -> Result<Projection<Scalar<K, X>, P>, Error> {
        self.model.project(self.prepared(x)?.view())
    }

    /// Forgets what was learned, in place.
    pub(crate) fn clear(&mut self) {
        self.scaling = X::Scaling::EMPTY;
        self.model.clear();
        self.thresholds = Thresholds::EMPTY;
    }

    /// A raw reading as the model sees it, or what is wrong with it.
    pub(crate) fn prepared(&self, x: &X) -> Result<X, Error> {
        if !self.model.is_fitted() {
            return Err(Error::NotFitted);
        }
        X::Scaling::check(x)?;
        let prepared = self.scaling.apply(x);
        X::Scaling::check_prepared(&prepared)?;
        Ok(prepared)
    }
}

impl<K, X, const R: usize, const P: usize> Detector<K, X, R, P>
where
    X: VectorReading,
    K: BlockKernel<[X::Scalar], Scalar = X::Scalar>,
{
    /// The detector with its sizes as run-time values.
    ///
    /// # Errors
    /// [`Error::NotFitted`].
    pub fn view(&self) -> Result<DetectorView<'_, K, [X]>, Error> {
        Ok(DetectorView {
            mean: self.scaling.mean.view(),
            deviation: self.scaling.deviation.view(),
            model: self.model.view()?,
            thresholds: self.thresholds,
        })
    }
}

impl<K, X, const R: usize, const P: usize> Default for Detector<K, X, R, P>
where
    X: Reading,
    K: BlockKernel<X::View>,
{
    fn default() -> Self {
        Self::new()
    }
}
