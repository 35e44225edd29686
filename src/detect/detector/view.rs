//! A detector whose sizes are run-time values: a host program's vectors, with numbers of inputs,
//! points and components from a file.

use crate::detect::logs::{self, apply_checked};
use crate::detect::scaling;
use crate::detect::threshold::{Threshold, Verdict};
use crate::detect::valid::Inspection;
use crate::error::{Error, require_shape};
use crate::kernel::{BlockKernel, Gradient, Kernel, Samples};
use crate::kpca::KernelPcaView;
use crate::math::Real;

/// Scaling, model and threshold, borrowed from storage of any kind.
///
/// Where a [`Detector`](crate::Detector) keeps intermediate values on the stack, this takes slices
/// for them. It links a logarithm, whether there are logarithmic inputs or not.
#[derive(Clone, Copy, Debug)]
pub struct DetectorView<'a, K, S>
where
    S: Samples + ?Sized,
    K: Kernel<S::View>,
{
    /// What is subtracted from each input.
    pub mean: &'a [K::Scalar],
    /// What each input is divided by afterwards.
    pub deviation: &'a [K::Scalar],
    /// The [floors](crate::detect::logs) of inputs that are logarithmic, and 0 for others; may be
    /// empty if none is.
    pub floor: &'a [K::Scalar],
    /// The model, which works on scaled inputs.
    pub model: KernelPcaView<'a, K, S>,
    /// Where unusual readings begin.
    pub threshold: Threshold<K::Scalar>,
}

impl<'a, K, S, T> DetectorView<'a, K, S>
where
    T: Real,
    S: Samples<View = [T]> + ?Sized,
    K: BlockKernel<[T], Scalar = T>,
{
    /// Is it one that can be put to work? By the rules of
    /// [`Detector::validate`](crate::Detector::validate).
    ///
    /// # Errors
    /// As there, and [`Error::Shape`] for means, deviations, floors or points of another
    /// length.
    pub fn validate(&self) -> Result<(), Error> {
        let (kernel, expansion, inputs) =
            (self.model.kernel(), self.model.expansion(), self.mean.len());
        if expansion.points() == 0 || expansion.components() == 0 {
            return Err(Error::NotFitted);
        }
        kernel.validate()?;
        require_shape("deviations", inputs, self.deviation.len())?;
        scaling::validate(self.mean, self.deviation)?;
        if !self.floor.is_empty() {
            require_shape("floors", inputs, self.floor.len())?;
        }
        logs::validate(self.floor)?;
        let mut inspection = Inspection::of::<T>();
        for point in self.model.points().iter_samples() {
            require_shape("inputs of a point", inputs, point.len())?;
            inspection.all(Inspection::coordinate, point.iter().copied());
        }
        inspection.rest(kernel.stranger_norm(), &expansion, self.threshold)
    }

    /// Projects a raw reading, which is scaled in place; `projection` has one place for each
    /// component.
    ///
    /// # Errors
    /// [`Error::Query`] names the input that cannot be used; [`Error::Shape`] for slices of another
    /// length.
    pub fn project(&self, x: &mut [T], projection: &mut [T]) -> Result<(), Error> {
        apply_checked(x, self.mean, self.deviation, self.floor)?;
        self.model.project(x, projection)
    }

    /// Turns a prepared reading back into a raw one, in place.
    pub(in crate::detect) fn undo(&self, x: &mut [T]) {
        scaling::undo(x, self.mean, self.deviation);
        logs::undo(x, self.floor);
    }

    /// Scores a raw reading, which is scaled in place, and compares it with the threshold,
    /// with the bits of [`Detector::score`](crate::Detector::score).
    ///
    /// # Errors
    /// As [`project`](Self::project).
    pub fn score(&self, x: &mut [T], projection: &mut [T]) -> Result<Verdict<T>, Error> {
        apply_checked(x, self.mean, self.deviation, self.floor)?;
        Ok(self.threshold.judge(self.model.score(x, projection)?))
    }
}

impl<K, S, T> DetectorView<'_, K, S>
where
    T: Real,
    S: Samples<View = [T]> + ?Sized,
    K: Gradient<T>,
{
    /// Writes how strongly the SPE of a raw reading, which is scaled in place, depends on each
    /// input; see [`explain`](crate::detect::explain).
    ///
    /// # Errors
    /// As [`project`](Self::project).
    pub fn contributions(
        &self,
        x: &mut [T],
        row: &mut [T],
        projection: &mut [T],
        contributions: &mut [T],
    ) -> Result<(), Error> {
        apply_checked(x, self.mean, self.deviation, self.floor)?;
        self.model.contributions(x, row, projection, contributions).map(|_| ())
    }
}
