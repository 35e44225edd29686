//! A detector: scaling of the inputs, a kernel PCA model, and a threshold that was calibrated for
//! it.
//!
//! One value that can be learned in RAM (see [`Learner`](crate::Learner)) or be a `static` in
//! flash.

mod view;

pub use view::DetectorView;

use crate::detect::hearing::Hearing;
use crate::detect::logs::LogScaling;
use crate::detect::reading::{Prepare, Reading, VectorReading, VectorScaling};
use crate::detect::threshold::{Threshold, Verdict};
use crate::detect::valid::Inspection;
use crate::error::Error;
use crate::kernel::{BlockKernel, Kernel, Rbf};
use crate::kpca::{KernelPca, Projection, Scalar};

/// Scaling, model and threshold in one: at most `R` points and `P` components on
/// [readings](crate::detect::reading) of type `X`.
///
/// `S` is how readings are prepared for the model; vectors are scaled, after a logarithm if that is
/// a [`LogScaling`].
///
/// A [`Learner`](crate::Learner) makes it on the device, `mercer export --rust` on the host:
///
/// ```
/// use mercer::GaussianDetector;
/// include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/walking/model.rs"));
///
/// # fn main() -> Result<(), mercer::Error> {
/// let detector: &GaussianDetector<12, 12, 4> = &WALKING; // a `static`
/// let reading = [-9.0; 12];
/// let verdict = detector.score(&reading)?;
/// if verdict.unusual {
///     let suspect = detector.suspect(&reading)?;
///     println!(
///         "{} reads {}, {} would fit the others",
///         WALKING_INPUTS[suspect.input], suspect.read, suspect.expected
///     );
/// }
/// # assert!(verdict.unusual);
/// # Ok(())
/// # }
/// ```
///
/// What such a file holds, which the compiler checks:
///
/// ```
/// use mercer::GaussianDetector;
/// use mercer::detect::{Scaling, Threshold};
/// use mercer::kernel::Rbf;
/// use mercer::kpca::{Expansion, ExpansionHeader};
///
/// const EXPANSION: Expansion<f32, 2, 1> = {
///     let header = ExpansionHeader::new(2, 1, 0.8, 0.2, false);
///     match Expansion::from_parts(header, [[1.5], [-1.5]], [0.5; 2], [0.0], [0.15]) {
///         Ok(expansion) => expansion,
///         Err(_) => panic!("more points or components than there is room for"),
///     }
/// };
/// static PUMP: GaussianDetector<3, 2, 1> = GaussianDetector::in_flash(
///     Scaling::new([20.0, 1.2, 0.3], [2.0, 0.1, 0.05]),
///     Rbf::new(0.04),
///     [[0.5, -0.4, 1.0], [-0.6, 0.2, -0.9]],
///     EXPANSION,
///     Threshold::new(0.3), // with 1.8 it would not compile: deaf
/// )
/// .expect("a valid detector");
/// assert!(PUMP.score(&[30.0, 2.0, 0.0])?.unusual);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
// In this order: what a score reads one by one comes first, within reach of short offsets.
#[repr(C)]
pub struct Detector<K, X, const R: usize, const P: usize, S = <X as Reading>::Scaling>
where
    X: Reading,
    K: Kernel<X::View>,
    S: Prepare<X>,
{
    pub(crate) scaling: S,
    /// Those of the scaling.
    pub(crate) factors: S::Factors,
    pub(crate) threshold: Threshold<Scalar<K, X>>,
    pub(crate) model: KernelPca<K, X, R, P>,
}

/// The usual case: a Gaussian kernel on `D` inputs in `f32`, at most `R` points and `P` components.
pub type GaussianDetector<const D: usize, const R: usize, const P: usize> =
    Detector<Rbf<f32>, [f32; D], R, P>;

/// As [`GaussianDetector`], for readings with inputs that are [logarithmic](crate::detect::logs).
pub type LogDetector<const D: usize, const R: usize, const P: usize> =
    Detector<Rbf<f32>, [f32; D], R, P, LogScaling<[f32; D]>>;

impl<K, X, const R: usize, const P: usize, S> Detector<K, X, R, P, S>
where
    X: Reading,
    K: BlockKernel<X::View>,
    S: Prepare<X>,
{
    /// Bytes it occupies, in flash or RAM.
    pub const SIZE: usize = size_of::<Self>();

    /// A detector that has learned nothing; a `static` of it stays in `.bss`.
    pub const fn new() -> Self {
        Self {
            scaling: S::EMPTY,
            factors: S::NO_FACTORS,
            threshold: Threshold::EMPTY,
            model: KernelPca::new(),
        }
    }

    /// A detector from parts that were learned earlier. In flash, that is
    /// [`in_flash`](Self::in_flash).
    ///
    /// # Errors
    /// As [`validate`](Self::validate).
    pub fn from_parts(
        scaling: S,
        model: KernelPca<K, X, R, P>,
        threshold: Threshold<Scalar<K, X>>,
    ) -> Result<Self, Error> {
        let mut detector = Self { factors: S::NO_FACTORS, scaling, threshold, model };
        detector.validate()?;
        detector.remember();
        Ok(detector)
    }

    /// Is it one that can be put to work? Whatever was learned, [read](Self::read_from) or made
    /// [from parts](Self::from_parts) is.
    ///
    /// # Errors
    /// [`Error::NotFitted`]; [`Error::Deaf`] if no reading can exceed the threshold;
    /// [`Error::Parameter`] names a number out of range:
    ///
    /// | name | rule |
    /// |---|---|
    /// | parameters of the kernel | [`Kernel::validate`] |
    /// | `mean`, `points`, `centre`, `weights`, `offsets`, `spe` | finite |
    /// | `usual` | finite; not negative, but for indefinite kernels |
    /// | `deviation`, `total_variance` | finite, > 0 and not subnormal |
    /// | `floor` | finite, >= 0 and not subnormal |
    /// | `variances` | the same, descending; in sum at most the total variance, but for rounding and indefinite kernels |
    /// | `centre`, `weights` | with a bounded kernel: not so large that rounding is all that is left |
    /// | `centre_norm` | finite; not negative, but for rounding and indefinite kernels |
    pub fn validate(&self) -> Result<(), Error> {
        let kernel = self.model.kernel().ok_or(Error::NotFitted)?;
        kernel.validate()?;
        self.scaling.validate()?;
        let usable = |point| S::check(point).is_ok();
        if !self.model.points().iter().all(usable) {
            return Err(Error::Parameter { name: "points", rule: "finite" });
        }
        let expansion = self.model.expansion();
        Inspection::of::<Scalar<K, X>>().rest(kernel.stranger_norm(), &expansion, self.threshold)
    }

    /// How readings are prepared for the model: mean and deviation of the inputs, if they have any.
    pub const fn scaling(&self) -> &S {
        &self.scaling
    }

    /// The model, which works on scaled inputs.
    pub const fn model(&self) -> &KernelPca<K, X, R, P> {
        &self.model
    }

    /// The threshold.
    pub const fn threshold(&self) -> &Threshold<Scalar<K, X>> {
        &self.threshold
    }

    /// Replaces the threshold.
    ///
    /// # Errors
    /// [`Error::Parameter`] says that it is not finite, or its `usual` score none;
    /// [`Error::Deaf`] says that nothing would exceed it, and [`Error::NotFitted`] that there is
    /// nothing to judge yet.
    pub fn set_threshold(&mut self, threshold: Threshold<Scalar<K, X>>) -> Result<(), Error> {
        let kernel = self.model.kernel().ok_or(Error::NotFitted)?;
        let hearing = Hearing::of(kernel.stranger_norm(), &self.model.expansion());
        hearing.require(&threshold.to_f64())?;
        self.threshold = threshold;
        Ok(())
    }

    /// Scores a raw reading and compares it with the threshold; one pass over the points.
    ///
    /// # Errors
    /// [`Error::NotFitted`], or [`Error::Query`] that names the input which is not finite.
    pub fn score(&self, x: &X) -> Result<Verdict<Scalar<K, X>>, Error> {
        let prepared = self.scaling.apply_by(&self.factors, x);
        if !S::looks_usable(&prepared) {
            // Something is wrong with the reading, or may be.
            self.require_usable(x, &prepared)?;
        }
        Ok(self.threshold.judge(self.model.score(prepared.view())?))
    }

    /// Projects a raw reading onto the components.
    ///
    /// # Errors
    /// As [`score`](Self::score).
    pub fn project(&self, x: &X) -> Result<Projection<Scalar<K, X>, P>, Error> {
        self.model.project(self.prepared(x)?.view())
    }

    /// Becomes the same as another detector, in place: neither of the two goes over the stack,
    /// which a detector that is assigned or cloned may do. For a detector that other code goes on
    /// to use, such as one that [a learner](crate::Learner) has; see also
    /// [handing over](crate::monitor#handing-over-a-detector).
    ///
    /// ```
    /// # use mercer::{GaussianDetector, GaussianLearner, Recipe};
    /// # use mercer::kernel::Rbf;
    /// # let mut learner = GaussianLearner::<2, 32, 8, 4>::new();
    /// # for t in 0..32_u16 {
    /// #     let t = f32::from(t);
    /// #     learner.push(&[(t * 0.7).sin(), (t * 0.7).sin() + 0.1 * t.cos()])?;
    /// # }
    /// # learner.learn(Rbf::for_inputs(2), Recipe::default())?;
    /// let mut at_work = GaussianDetector::<2, 8, 4>::new(); // in firmware a `static`
    /// at_work.copy_from(learner.detector()?)?;
    /// assert_eq!(at_work.score(&[0.3, 0.2]), learner.detector()?.score(&[0.3, 0.2]));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotFitted`] if the other one has learned nothing; this one is what it was then.
    pub fn copy_from(&mut self, other: &Self) -> Result<(), Error>
    where
        K: Clone,
    {
        if !other.model.is_fitted() {
            return Err(Error::NotFitted);
        }
        self.scaling.clone_from(&other.scaling);
        self.factors.clone_from(&other.factors);
        self.model.copy_from(&other.model);
        self.threshold = other.threshold;
        Ok(())
    }

    /// Forgets what was learned, in place.
    pub(crate) fn clear(&mut self) {
        self.scaling = S::EMPTY;
        self.factors = S::NO_FACTORS;
        self.model.clear();
        self.threshold = Threshold::EMPTY;
    }

    /// Makes what follows from scaling and points once these are in place.
    pub(crate) fn remember(&mut self) {
        self.factors = self.scaling.factors();
        self.model.remember();
    }

    /// A raw reading as the model sees it, or what is wrong with it.
    pub(crate) fn prepared(&self, x: &X) -> Result<X, Error> {
        let prepared = self.scaling.apply_by(&self.factors, x);
        self.require_usable(x, &prepared)?;
        Ok(prepared)
    }

    /// Names what is wrong with a raw reading, which is prepared like this.
    fn require_usable(&self, x: &X, prepared: &X) -> Result<(), Error> {
        if !self.model.is_fitted() {
            return Err(Error::NotFitted);
        }
        S::check(x)?;
        S::check_prepared(prepared)
    }
}

impl<K, X, const R: usize, const P: usize, S> Detector<K, X, R, P, S>
where
    X: VectorReading,
    K: BlockKernel<[X::Scalar], Scalar = X::Scalar>,
    S: VectorScaling<X>,
{
    /// The detector with its sizes as run-time values.
    ///
    /// # Errors
    /// [`Error::NotFitted`].
    pub fn view(&self) -> Result<DetectorView<'_, K, [X]>, Error> {
        Ok(DetectorView {
            mean: self.scaling.standard().mean.view(),
            deviation: self.scaling.standard().deviation.view(),
            floor: self.scaling.floors(),
            model: self.model.view()?,
            threshold: self.threshold,
        })
    }
}

impl<K, X, const R: usize, const P: usize, S> Default for Detector<K, X, R, P, S>
where
    X: Reading,
    K: BlockKernel<X::View>,
    S: Prepare<X>,
{
    fn default() -> Self {
        Self::new()
    }
}
