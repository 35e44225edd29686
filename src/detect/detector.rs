//! A detector: scaling of the inputs, a kernel PCA model, and thresholds that were calibrated for it.
//!
//! One value that can be learned in RAM (see [`Learner`](crate::Learner)) or be a `static` in flash.

mod view;

pub use view::DetectorView;

use core::cmp::Ordering;

use crate::detect::scaling::{Scaling, apply_checked};
use crate::error::Error;
use crate::kernel::{BlockKernel, Kernel, Rbf, Vector};
use crate::kpca::{KernelPca, Score};
use crate::math::{Real, sum};

/// Which scores can raise an alarm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Watch {
    /// What the components cannot explain: the default, and the best single score on real data.
    #[default]
    Spe,
    /// How far along the components.
    T2,
    /// Either of them.
    Both,
}

/// Scores above these are anomalous.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
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
        let anomalous = match self.watch {
            Watch::Spe => spe,
            Watch::T2 => t2,
            Watch::Both => spe || t2,
        };
        Verdict { score, anomalous }
    }
}

/// The score of one reading and what the thresholds say of it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Verdict<T> {
    /// The scores.
    pub score: Score<T>,
    /// A score that is watched exceeds its threshold.
    pub anomalous: bool,
}

/// Scaling, model and thresholds in one: at most `R` points and `P` components on readings of type `X`.
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
/// let thresholds = Thresholds { spe: 0.2, t2: 10.0, watch: Watch::Spe };
/// let detector = Detector::from_parts(Scaling::identity(), model, thresholds);
/// assert!(!detector.score(&[1.2, 1.3])?.anomalous);
/// assert!(detector.score(&[1.2, 3.0])?.anomalous);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Detector<K, X, const R: usize, const P: usize>
where
    X: Vector,
    K: Kernel<[X::Scalar], Scalar = X::Scalar>,
{
    pub(crate) scaling: Scaling<X>,
    pub(crate) model: KernelPca<K, X, R, P>,
    pub(crate) thresholds: Thresholds<X::Scalar>,
}

/// The usual case: a Gaussian kernel on `D` inputs in `f32`, at most `R` points and `P` components.
pub type GaussianDetector<const D: usize, const R: usize, const P: usize> =
    Detector<Rbf<f32>, [f32; D], R, P>;

impl<K, X, const R: usize, const P: usize> Detector<K, X, R, P>
where
    X: Vector,
    K: BlockKernel<[X::Scalar], Scalar = X::Scalar>,
{
    /// Bytes it occupies, in flash or RAM.
    pub const SIZE: usize = size_of::<Self>();

    /// A detector that has learned nothing; a `static` of it stays in `.bss`.
    pub const fn new() -> Self {
        Self { scaling: Scaling::EMPTY, model: KernelPca::new(), thresholds: Thresholds::EMPTY }
    }

    /// A detector from parts that were learned earlier.
    pub const fn from_parts(
        scaling: Scaling<X>,
        model: KernelPca<K, X, R, P>,
        thresholds: Thresholds<X::Scalar>,
    ) -> Self {
        Self { scaling, model, thresholds }
    }

    /// Mean and deviation of the inputs.
    pub const fn scaling(&self) -> &Scaling<X> {
        &self.scaling
    }

    /// The model, which works on scaled inputs.
    pub const fn model(&self) -> &KernelPca<K, X, R, P> {
        &self.model
    }

    /// The thresholds.
    pub const fn thresholds(&self) -> &Thresholds<X::Scalar> {
        &self.thresholds
    }

    /// Replaces the thresholds.
    ///
    /// # Errors
    /// [`Error::Parameter`] names one that is not finite: nothing would exceed it.
    pub fn set_thresholds(&mut self, thresholds: Thresholds<X::Scalar>) -> Result<(), Error> {
        thresholds.validate()?;
        self.thresholds = thresholds;
        Ok(())
    }

    /// Scores a raw reading and compares it with the thresholds; one pass over the points.
    ///
    /// # Errors
    /// [`Error::NotFitted`], or [`Error::Query`] that names the input which is not finite.
    pub fn score(&self, x: &X) -> Result<Verdict<X::Scalar>, Error> {
        let scaled = self.scaling.apply(x);
        match self.model.score(scaled.view()) {
            Ok(score) if sum(scaled.view().iter().copied()).is_finite() => {
                Ok(self.thresholds.judge(score))
            }
            // The sum of finite values can still overflow: only a look at each of them tells.
            scored => self.scaled(x).and(scored).map(|score| self.thresholds.judge(score)),
        }
    }

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

    /// Forgets what was learned, in place.
    pub(crate) fn clear(&mut self) {
        self.scaling = Scaling::EMPTY;
        self.model.clear();
        self.thresholds = Thresholds::EMPTY;
    }

    /// A raw reading as the model sees it.
    pub(crate) fn scaled(&self, x: &X) -> Result<X, Error> {
        if !self.model.is_fitted() {
            return Err(Error::NotFitted);
        }
        let mut scaled = *x;
        let (mean, deviation) = (self.scaling.mean.view(), self.scaling.deviation.view());
        apply_checked(scaled.view_mut(), mean, deviation)?;
        Ok(scaled)
    }
}

impl<K, X, const R: usize, const P: usize> Default for Detector<K, X, R, P>
where
    X: Vector,
    K: BlockKernel<[X::Scalar], Scalar = X::Scalar>,
{
    fn default() -> Self {
        Self::new()
    }
}
