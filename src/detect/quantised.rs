//! A detector in integers, for cores without an FPU: tens of times as fast there as the same one in
//! `f32`, and 2/3 of its size.
//!
//! On cores *with* an FPU there is no need for it: the ordinary [`Detector`](crate::Detector) is
//! more exact.
//!
//! A [`QuantisedDetector`] is made from a detector with a Gaussian kernel in `f32`, on the host or
//! on the device, by [`quantise`](QuantisedDetector::quantise). Raw readings in, scores out, as
//! ever; in between there are no floating-point operations.
//!
//! # Formats
//! `Qn` is a number with `n` bits after the binary point. Lengths are in widths of the kernel:
//! `k(x, y) = 2^(−‖x − y‖²)`, that is, a scaled input times `√(γ log2 e)`.
//!
//! | quantity | type | format |
//! |---|---|---|
//! | input | `i32` | `z = x·2^q − mean`, taken from the bits of the `f32`; of a [logarithmic](crate::detect::logs) input, `x` is the logarithm to base 2, off by less than 1e-7; `q` for each input such that a unit is between 2^−12 and 2^−14 or so of a width |
//! | coordinate of a point | `u16`, 2^15 added | the steps that make `z·p` a `Qh`: 2^−13 to 2^−15 of a width or so |
//! | half a squared distance | `u32` | `Qh`, `h` from 20 to 28, as fine as the points' extent allows |
//! | kernel value | `u32` | Q16; 0 from 17 octaves on |
//! | weight, for each component and the centre | `u16`, 2^15 added | Q14 to Q0, as fine as the largest allows |
//! | sum of weighted kernel values | `u32` modulo 2^32 | Q30 to Q16 |
//! | projection | `i32` | Q29 |
//! | SPE, centre distance, squares of projections | `u32` | Q28 |
//! | T² | `u64` | shares a power of two |
//!
//! # Ranges
//! Nothing overflows, whatever the reading. What is proven where:
//!
//! - A distance is `Σ w (z − p/(2w))²`, hence not negative, and below 2^32 for readings not *far*
//!   from all points; those are told by their length and by single inputs, and all their kernel
//!   values are 0.
//! - Sums of weighted kernel values may wrap around on the way. In the end they are inner products
//!   with a vector of length 1 in feature space, so they are no longer than their component, and
//!   [`quantise`](QuantisedDetector::quantise) refuses a model in which that is more than 1.9, all
//!   errors of rounding included.
//! - Squares of projections, all below 16, add up with saturation.
//!
//! # Errors
//! A kernel value is off by at most 1.4·2^−16, points by half a step, weights by a step, and what
//! one of them is off the next one makes up for. `cargo test --test quantised -- --nocapture` shows
//! what that comes to on six real data sets, with 32 and with 128 points: SPE differs from that in
//! `f32` by at most 5 % of the threshold (by about 2 % when this was written), the mean AUROC by
//! less than 0.0005, and the mean rate of false alarms by less than 0.1 %. So the threshold is
//! taken over as it is. Where normal readings leave next to nothing unexplained, so that the
//! threshold is of the order of 10^−3, expect more: SPE itself is exact to about 10^−4.
//!
//! Points of 8 bits were tried (the same test prints it): SPE is then off by up to the threshold
//! itself and one set loses 0.026 of its AUROC, so they are not offered.

mod exponential;
mod logarithm;
mod input;
mod score;
mod judge;
mod project;
mod projector;
mod explain;
mod quantise;
mod persist;
mod trial;
mod valid;

pub use input::Input;
pub use judge::WholeVerdict;
pub use persist::QUANTISED_FORMAT_VERSION;
pub use projector::{LogQuantisedProjector, QuantisedProjector};
pub use score::{Component, QuantisedHeader, QuantisedPoint};

use crate::detect::logs::LogScaling;
use crate::detect::reading::VectorScaling;
use crate::detect::scaling::Scaling;
use crate::detect::{Threshold, Verdict};
use crate::error::Error;
use score::{PAIR, Sums};

/// The numbers of a quantised model, as they are stored; see the [module](self).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct QuantisedModel<const D: usize, const R: usize, const P: usize> {
    /// Sizes, formats, and constants of the scores.
    pub header: QuantisedHeader,
    /// How raw inputs become whole numbers.
    pub inputs: [Input; D],
    /// The points with their weights.
    pub points: [QuantisedPoint<D, P>; R],
    /// What else is known about the components.
    pub components: [Component; P],
}

impl<const D: usize, const R: usize, const P: usize> QuantisedModel<D, R, P> {
    /// All zeros: nothing learned.
    pub const EMPTY: Self = Self {
        header: QuantisedHeader::EMPTY,
        inputs: [Input::EMPTY; D],
        points: [QuantisedPoint::EMPTY; R],
        components: [Component::EMPTY; P],
    };
}

/// Scaling, model and threshold in one, in integers: at most `R` points and `P` components on
/// readings of `D` inputs.
///
/// `S` is the scaling of the detector that it is made from; only with [`LogScaling`] it links a
/// logarithm, which is in integers, too.
///
/// `R` must be even. Components are added up four at a time: room that is not used costs time only
/// up to the next multiple of 4.
///
/// ```
/// use mercer::{Learner, QuantisedDetector, Recipe};
/// use mercer::kernel::Rbf;
/// # let mut learner = Learner::<Rbf<f32>, [f32; 2], 64, 16, 8>::new();
/// # for t in 0..64 {
/// #     let load = (t as f32 * 0.7).sin();
/// #     learner.push(&[20.0 + 3.0 * load, 5.0 + load + 0.1 * (t as f32).cos()])?;
/// # }
/// # learner.learn(Rbf::for_inputs(2), Recipe::default())?;
/// let detector = learner.detector()?;
/// let mut quantised = QuantisedDetector::<2, 16, 8>::new(); // in firmware a `static`
/// quantised.quantise(detector)?;
/// let (exact, whole) = (detector.score(&[17.5, 6.0])?, quantised.score(&[17.5, 6.0])?);
/// assert!(exact.unusual && whole.unusual);
/// assert!((exact.score.spe - whole.score.spe).abs() < 0.05 * detector.threshold().spe);
/// assert_eq!(quantised.suspect(&[17.5, 6.0])?.input, detector.suspect(&[17.5, 6.0])?.input);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct QuantisedDetector<const D: usize, const R: usize, const P: usize, S = Scaling<[f32; D]>>
{
    scaling: S,
    threshold: Threshold<f32>,
    model: QuantisedModel<D, R, P>,
}

/// A [`QuantisedDetector`] of readings with inputs that are [logarithmic](crate::detect::logs).
pub type LogQuantisedDetector<const D: usize, const R: usize, const P: usize> =
    QuantisedDetector<D, R, P, LogScaling<[f32; D]>>;

impl<const D: usize, const R: usize, const P: usize, S> QuantisedDetector<D, R, P, S>
where
    S: VectorScaling<[f32; D]>,
{
    /// Bytes it occupies, in flash or RAM.
    pub const SIZE: usize = size_of::<Self>();

    /// Does not compile for capacities that cannot be worked with.
    const CAPACITY: () = {
        assert!(D > 0 && R > 0 && P > 0, "a model needs inputs, points and components");
        assert!(R.is_multiple_of(PAIR), "there must be room for an even number of points");
        assert!(P <= 256, "at most 256 components can be added up");
    };

    /// A detector that has learned nothing; a `static` of it stays in `.bss`.
    pub const fn new() -> Self {
        const { Self::CAPACITY }
        Self { scaling: S::EMPTY, model: QuantisedModel::EMPTY, threshold: Threshold::EMPTY }
    }

    /// Mean and deviation of the inputs, and floors if they can be logarithmic.
    pub const fn scaling(&self) -> &S {
        &self.scaling
    }

    /// The model, which works on raw inputs.
    pub const fn model(&self) -> &QuantisedModel<D, R, P> {
        &self.model
    }

    /// The threshold.
    pub const fn threshold(&self) -> &Threshold<f32> {
        &self.threshold
    }

    /// Replaces the threshold.
    ///
    /// # Errors
    /// [`Error::Parameter`] says that it is not finite, or its `usual` score none;
    /// [`Error::Deaf`] says that nothing would exceed it, and [`Error::NotFitted`] that there is
    /// nothing to judge yet.
    pub fn set_threshold(&mut self, threshold: Threshold<f32>) -> Result<(), Error> {
        self.require_heard(&threshold)?;
        self.threshold = threshold;
        Ok(())
    }

    /// Scores a raw reading and compares it with the threshold; one pass over the points, no
    /// floating-point operation. See [`judge`](Self::judge) for an alarm in whole numbers, too.
    ///
    /// Every finite reading has a score: what is too large for the format is far from all points.
    ///
    /// # Errors
    /// [`Error::NotFitted`], or [`Error::Query`] that names the input which is not finite.
    pub fn score(&self, x: &[f32; D]) -> Result<Verdict<f32>, Error> {
        self.verdict(x)
    }

    /// As [`score`](Self::score), for readings that are whole numbers, e.g. of an ADC: equal values
    /// have equal scores.
    ///
    /// # Errors
    /// [`Error::NotFitted`].
    pub fn score_counts(&self, x: &[i16; D]) -> Result<Verdict<f32>, Error> {
        self.verdict(x)
    }
}

/// `from_parts` for one scaling, of which one expression is the mean and deviation and another one
/// the floors: functions of traits cannot be called in constants.
macro_rules! from_parts {
    ($scaling:ident, |$s:ident| $standard:expr, $floors:expr) => {
        impl<const D: usize, const R: usize, const P: usize>
            QuantisedDetector<D, R, P, $scaling<[f32; D]>>
        {
            /// A detector from parts that [`quantise`](Self::quantise) made earlier, e.g. on the
            /// host: a detector in flash. A `static` that unwraps an error does not compile.
            ///
            /// # Errors
            /// As [`validate`](Self::validate).
            pub const fn from_parts(
                scaling: $scaling<[f32; D]>,
                model: QuantisedModel<D, R, P>,
                threshold: Threshold<f32>,
            ) -> Result<Self, Error> {
                const { Self::CAPACITY }
                let $s = &scaling;
                match valid::validate($standard, $floors, &model, Some(&threshold)) {
                    Ok(()) => Ok(Self { scaling, model, threshold }),
                    Err(error) => Err(error),
                }
            }
        }
    };
}
from_parts!(Scaling, |s| s, &[]);
from_parts!(LogScaling, |s| &s.scaling, &s.floor);

impl<const D: usize, const R: usize, const P: usize, S> Default for QuantisedDetector<D, R, P, S>
where
    S: VectorScaling<[f32; D]>,
{
    fn default() -> Self {
        Self::new()
    }
}
