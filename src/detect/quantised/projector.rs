//! Features instead of verdicts, in integers: what `mercer export --project P --quantised` writes.

use super::input::Raw;
use super::{QuantisedDetector, QuantisedModel, valid};
use crate::detect::logs::LogScaling;
use crate::detect::reading::VectorScaling;
use crate::detect::scaling::Scaling;
use crate::error::Error;

/// Scaling and a quantised model without a threshold: `R` points and `P` components on readings of
/// `D` inputs. Projections have the bits of [`QuantisedDetector::project`].
///
/// ```
/// # use mercer::{Learner, QuantisedDetector, Recipe};
/// # use mercer::kernel::Rbf;
/// # let mut learner = Learner::<Rbf<f32>, [f32; 2], 64, 16, 2>::new();
/// # for t in 0..64 {
/// #     let load = (t as f32 * 0.7).sin();
/// #     learner.push(&[20.0 + 3.0 * load, 5.0 + load + 0.1 * (t as f32).cos()])?;
/// # }
/// # learner.learn(Rbf::for_inputs(2), Recipe::default().with_components(mercer::kpca::Components::Count(2)))?;
/// # let mut quantised = QuantisedDetector::<2, 16, 2>::new();
/// # quantised.quantise(learner.detector()?)?;
/// use mercer::detect::quantised::QuantisedProjector;
///
/// // As `mercer export` does it, for the components that are wanted.
/// let projector = QuantisedProjector::from_parts(quantised.scaling().clone(), *quantised.model())?;
/// let [load, other] = projector.project(&[18.0, 4.5])?;
/// assert_eq!([load, other], quantised.project(&[18.0, 4.5])?[..]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct QuantisedProjector<const D: usize, const R: usize, const P: usize, S = Scaling<[f32; D]>>
{
    scaling: S,
    model: QuantisedModel<D, R, P>,
}

/// A [`QuantisedProjector`] of readings with inputs that are [logarithmic](crate::detect::logs).
pub type LogQuantisedProjector<const D: usize, const R: usize, const P: usize> =
    QuantisedProjector<D, R, P, LogScaling<[f32; D]>>;

impl<const D: usize, const R: usize, const P: usize, S> QuantisedProjector<D, R, P, S>
where
    S: VectorScaling<[f32; D]>,
{
    /// Bytes it occupies, in flash or RAM.
    pub const SIZE: usize = size_of::<Self>();

    /// Does not compile for capacities that cannot be worked with.
    const CAPACITY: () = QuantisedDetector::<D, R, P, S>::CAPACITY;

    /// Mean and deviation of the inputs, and floors if they can be logarithmic.
    pub const fn scaling(&self) -> &S {
        &self.scaling
    }

    /// The model, which works on raw inputs.
    pub const fn model(&self) -> &QuantisedModel<D, R, P> {
        &self.model
    }

    /// Projects a raw reading onto the components; one pass over the points, of which nothing is
    /// computed in floating point.
    ///
    /// # Errors
    /// [`Error::Query`] names the input which is not finite.
    pub fn project(&self, x: &[f32; D]) -> Result<[f32; P], Error> {
        self.model.project(x, &self.scaling)
    }

    /// As [`project`](Self::project), for readings that are whole numbers, e.g. of an ADC.
    ///
    /// # Errors
    /// None for a projector that was made from parts.
    pub fn project_counts(&self, x: &[i16; D]) -> Result<[f32; P], Error> {
        self.model.project(x, &self.scaling)
    }
}

impl<const D: usize, const R: usize, const P: usize> QuantisedModel<D, R, P> {
    /// The projections of a raw reading; 0 where there is no component.
    #[inline(always)]
    pub(super) fn project<X: Raw, S: VectorScaling<[f32; D]>>(
        &self,
        x: &[X; D],
        scaling: &S,
    ) -> Result<[f32; P], Error> {
        let mut sums = super::Sums::new();
        self.whole_score(x, scaling, &mut sums)?;
        let mut values = [0.0; P];
        for (value, projection) in values.iter_mut().zip(sums.projections()) {
            *value = projection;
        }
        Ok(values)
    }
}

/// As the macro of the same name for detectors.
macro_rules! from_parts {
    ($scaling:ident, |$s:ident| $standard:expr, $floors:expr) => {
        impl<const D: usize, const R: usize, const P: usize>
            QuantisedProjector<D, R, P, $scaling<[f32; D]>>
        {
            /// A projector from parts of a detector that was quantised, e.g. on the host: a
            /// projector in flash. A `static` that unwraps an error does not compile.
            ///
            /// # Errors
            /// As [`QuantisedDetector::validate`], but for the threshold; and [`Error::Parameter`]
            /// for other than `P` components.
            pub const fn from_parts(
                scaling: $scaling<[f32; D]>,
                model: QuantisedModel<D, R, P>,
            ) -> Result<Self, Error> {
                const { Self::CAPACITY }
                let $s = &scaling;
                if model.header.components as usize != P {
                    return Err(Error::Parameter { name: "components", rule: "all in use" });
                }
                match valid::validate($standard, $floors, &model, None) {
                    Ok(()) => Ok(Self { scaling, model }),
                    Err(error) => Err(error),
                }
            }
        }
    };
}
from_parts!(Scaling, |s| s, &[]);
from_parts!(LogScaling, |s| &s.scaling, &s.floor);
