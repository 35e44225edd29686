//! Projections from integers: features for a classifier, on cores without an FPU.

use super::QuantisedDetector;
use super::input::Raw;
use crate::detect::reading::VectorScaling;
use crate::error::Error;
use crate::kpca::Projection;

impl<const D: usize, const R: usize, const P: usize, S> QuantisedDetector<D, R, P, S>
where
    S: VectorScaling<[f32; D]>,
{
    /// Projects a raw reading onto the components, as
    /// [`Detector::project`](crate::Detector::project) does; one pass over the points, of which
    /// nothing is computed in floating point.
    ///
    /// Each projection is less than 1e-3 off that in `f32` (7e-4 at the most on six real data sets,
    /// which `cargo test --test quantised -- --nocapture` prints); none is larger than 2.
    ///
    /// ```
    /// # use mercer::{Learner, QuantisedDetector, Recipe};
    /// # use mercer::kernel::Rbf;
    /// # let mut learner = Learner::<Rbf<f32>, [f32; 2], 64, 16, 8>::new();
    /// # for t in 0..64 {
    /// #     let load = (t as f32 * 0.7).sin();
    /// #     learner.push(&[20.0 + 3.0 * load, 5.0 + load + 0.1 * (t as f32).cos()])?;
    /// # }
    /// # learner.learn(Rbf::for_inputs(2), Recipe::default())?;
    /// # let detector = learner.detector()?;
    /// # let mut quantised = QuantisedDetector::<2, 16, 8>::new();
    /// # quantised.quantise(detector)?;
    /// let (exact, whole) = (detector.project(&[18.0, 4.5])?, quantised.project(&[18.0, 4.5])?);
    /// assert_eq!(exact.len(), whole.len());
    /// assert!(exact.iter().zip(whole.iter()).all(|(f, g)| (f - g).abs() < 1e-3));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`score`](Self::score).
    pub fn project(&self, x: &[f32; D]) -> Result<Projection<f32, P>, Error> {
        self.project_raw(x)
    }

    /// As [`project`](Self::project), for readings that are whole numbers, e.g. of an ADC.
    ///
    /// # Errors
    /// [`Error::NotFitted`].
    pub fn project_counts(&self, x: &[i16; D]) -> Result<Projection<f32, P>, Error> {
        self.project_raw(x)
    }

    #[inline(always)]
    fn project_raw<X: Raw>(&self, x: &[X; D]) -> Result<Projection<f32, P>, Error> {
        let values = self.model.project(x, &self.scaling)?;
        Ok(Projection::leading(values, self.model.header.components as usize))
    }
}
