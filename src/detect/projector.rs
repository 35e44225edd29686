//! Features instead of verdicts: scaling and the axes of a model, for a classifier of the user's.
//!
//! A [`Projector`] is what `mercer export --project P` writes: the first `P` components of a
//! detector without SPE, threshold and the rest, in less flash and with fewer instructions. Its
//! projections have the bits of [`Detector::project`](crate::Detector::project).

use super::logs::LogScaling;
use super::reading::{Prepare, Reading};
use super::valid::Inspection;
use crate::error::Error;
use crate::kernel::{BlockKernel, Kernel, Rbf};
use crate::kpca::{Axes, Scalar};
use crate::math::Real;

/// Scaling and the axes of a model in one: `R` points and `P` components on
/// [readings](crate::detect::reading) of type `X`.
///
/// In flash, and checked by the compiler:
///
/// ```
/// use mercer::detect::{GaussianProjector, Scaling};
/// use mercer::kernel::Rbf;
///
/// static PUMP: GaussianProjector<3, 2, 1> = GaussianProjector::in_flash(
///     Scaling::new([20.0, 1.2, 0.3], [2.0, 0.1, 0.05]),
///     Rbf::new(0.04),
///     [[0.5, -0.4, 1.0], [-0.6, 0.2, -0.9]],
///     [[1.5], [-1.5]],
///     [0.0],
/// )
/// .expect("finite numbers");
/// let [load] = PUMP.project(&[21.0, 1.16, 0.35])?;
/// assert!(load > 0.0);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// A weight that is no number does not compile:
///
/// ```compile_fail,E0080
/// use mercer::detect::{GaussianProjector, Scaling};
/// use mercer::kernel::Rbf;
///
/// static PUMP: GaussianProjector<1, 2, 1> = GaussianProjector::in_flash(
///     Scaling::new([20.0], [2.0]),
///     Rbf::new(0.04),
///     [[0.5], [-0.6]],
///     [[1.5], [f32::NAN]],
///     [0.0],
/// )
/// .expect("finite numbers");
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Projector<K, X, const R: usize, const P: usize, S = <X as Reading>::Scaling>
where
    X: Reading,
    K: Kernel<X::View>,
    S: Prepare<X>,
{
    pub(super) scaling: S,
    /// Those of the scaling.
    pub(super) factors: S::Factors,
    pub(super) axes: Axes<K, X, R, P>,
}

/// The usual case: a Gaussian kernel on `D` inputs in `f32`, `R` points and `P` components.
pub type GaussianProjector<const D: usize, const R: usize, const P: usize> =
    Projector<Rbf<f32>, [f32; D], R, P>;

/// As [`GaussianProjector`], for readings with inputs that are [logarithmic](crate::detect::logs).
pub type LogProjector<const D: usize, const R: usize, const P: usize> =
    Projector<Rbf<f32>, [f32; D], R, P, LogScaling<[f32; D]>>;

impl<K, X, const R: usize, const P: usize, S> Projector<K, X, R, P, S>
where
    X: Reading,
    K: BlockKernel<X::View>,
    S: Prepare<X>,
{
    /// Bytes it occupies, in flash or RAM.
    pub const SIZE: usize = size_of::<Self>();

    /// A projector from parts that were learned earlier. In flash, that is
    /// [`in_flash`](Self::in_flash).
    ///
    /// # Errors
    /// [`Error::Parameter`] names a number out of range, by the rules of
    /// [`Detector::validate`](crate::Detector::validate).
    pub fn from_parts(scaling: S, axes: Axes<K, X, R, P>) -> Result<Self, Error> {
        axes.kernel().validate()?;
        scaling.validate()?;
        if !axes.points().iter().all(|point| S::check(point).is_ok()) {
            return Err(Error::Parameter { name: "points", rule: "finite" });
        }
        let mut inspection = Inspection::of::<Scalar<K, X>>();
        inspection.all(Inspection::weight, axes.weights().as_flattened().iter().copied());
        inspection.all(Inspection::offset, axes.offsets().iter().copied());
        inspection.finish_axes(axes.kernel().stranger_norm().map(Real::to_f64))?;
        Ok(Self { factors: scaling.factors(), scaling, axes })
    }

    /// How readings are prepared for the axes: mean and deviation of the inputs, if they have any.
    pub const fn scaling(&self) -> &S {
        &self.scaling
    }

    /// The axes, which take scaled inputs.
    pub const fn axes(&self) -> &Axes<K, X, R, P> {
        &self.axes
    }

    /// Projects a raw reading onto the components; one pass over the points.
    ///
    /// # Errors
    /// [`Error::Query`] names the input which is not finite, or too large to be scaled.
    pub fn project(&self, x: &X) -> Result<[Scalar<K, X>; P], Error> {
        S::check(x)?;
        let prepared = self.scaling.apply_by(&self.factors, x);
        S::check_prepared(&prepared)?;
        self.axes.project(prepared.view())
    }
}
