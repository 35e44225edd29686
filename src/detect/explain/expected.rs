//! What a normal device would have read, with a Gaussian kernel; see the
//! [module](crate::detect::explain).

use crate::detect::{Detector, VectorReading, VectorScaling};
use crate::error::{Error, require_shape};
use crate::kernel::{Kernel, Rbf, Samples};
use crate::kpca::KernelPcaView;
use crate::kpca::preimage::{Search, Total, require_iterations};
use crate::linalg::slices::{copy, head_mut};
use crate::math::{Math, Real};

impl<M, S, T> KernelPcaView<'_, Rbf<T, M>, S>
where
    T: Real,
    M: Math<T>,
    S: Samples<View = [T]> + ?Sized,
{
    /// Writes `x` with one input as the others let expect it; see the
    /// [module](crate::detect::explain). Returns the number of iterations.
    ///
    /// What `x` holds for that input does not matter and need not be finite. `projection` has one
    /// place for each component, `expected` one for each input. An iteration costs about 2 scores.
    ///
    /// # Errors
    /// As [`project`](Self::project), [`Error::Shape`] for slices of another length,
    /// [`Error::Parameter`] when there is no such `input` or no `iterations`, and
    /// [`Error::NoPreImage`] when these do not suffice or, far from all points, the weights vanish.
    pub fn expected_input(
        &self,
        x: &[T],
        input: usize,
        iterations: usize,
        projection: &mut [T],
        expected: &mut [T],
    ) -> Result<usize, Error> {
        require_iterations(iterations)?;
        require_shape("expected", x.len(), expected.len())?;
        copy(x, expected);
        replace_input(expected, input, T::ZERO)?;
        for iteration in 1..=iterations {
            self.project(expected, projection)?;
            let mean = self.weighted_mean_of(input, projection, expected);
            let mean = mean.ok_or(Error::NoPreImage { iterations: iteration })?;
            let moved = replace_input(expected, input, mean)? - mean;
            if self.kernel().is_last(moved * moved, mean * mean) {
                return Ok(iteration);
            }
        }
        Err(Error::NoPreImage { iterations })
    }

    /// One input of the weighted mean; none if there is no such mean.
    fn weighted_mean_of(&self, input: usize, projection: &[T], z: &[T]) -> Option<T> {
        let (mut total, mut way, from) = (Total::ZERO, T::ZERO, *z.get(input)?);
        for (point, weight) in self.reconstruction(projection) {
            let pull = weight * self.kernel().eval(z, point);
            total.add(pull);
            way += pull * (*point.get(input)? - from);
        }
        let mean = from + way / total.divisor()?;
        mean.is_finite().then_some(mean)
    }
}

/// Puts a value in the place of an input and returns what was there.
fn replace_input<T: Real>(x: &mut [T], input: usize, value: T) -> Result<T, Error> {
    let place = x.get_mut(input);
    let place = place.ok_or(Error::Parameter { name: "input", rule: "< number of inputs" })?;
    Ok(core::mem::replace(place, value))
}

impl<M, X, const R: usize, const P: usize, S> Detector<Rbf<X::Scalar, M>, X, R, P, S>
where
    X: VectorReading,
    M: Math<X::Scalar>,
    S: VectorScaling<X>,
{
    /// The expected reading, in raw units: the pre-image of the projection. See the
    /// [module](crate::detect::explain) for when to use this and when
    /// [`expected_input`](Self::expected_input).
    ///
    /// An iteration costs about a score;
    /// [`ITERATIONS`](crate::detect::explain::ITERATIONS) is a good number to allow.
    ///
    /// # Errors
    /// As [`score`](Self::score), [`Error::Parameter`] for no `iterations`, and
    /// [`Error::NoPreImage`] when these do not suffice.
    pub fn expected(&self, x: &X, iterations: usize) -> Result<X, Error> {
        let scaled = self.prepared(x)?;
        let view = self.model.view()?;
        let (mut projection, mut scratch, mut expected) =
            ([X::Scalar::ZERO; P], X::ZEROS, X::ZEROS);
        let projection = head_mut(&mut projection, view.expansion().components());
        view.denoise(
            scaled.view(),
            iterations,
            projection,
            scratch.view_mut(),
            expected.view_mut(),
        )?;
        Ok(self.scaling.undo(&expected))
    }

    /// What one input should read by what the others say, in raw units. What `x` holds for it does
    /// not matter and need not be finite: a sensor that has failed can be replaced.
    ///
    /// An iteration costs about 2 scores;
    /// [`ITERATIONS`](crate::detect::explain::ITERATIONS) is a good number to allow.
    ///
    /// # Errors
    /// As [`score`](Self::score), [`Error::Parameter`] when there is no such `input` or no
    /// `iterations`, and [`Error::NoPreImage`] when these do not suffice or the other inputs alone
    /// are far from normal.
    pub fn expected_input(
        &self,
        x: &X,
        input: usize,
        iterations: usize,
    ) -> Result<X::Scalar, Error> {
        let mut known = *x;
        let mean = self.scaling.undo(&X::ZEROS);
        let mean = mean.view().get(input).copied().unwrap_or(X::Scalar::ZERO);
        replace_input(known.view_mut(), input, mean)?;
        let scaled = self.prepared(&known)?;
        let view = self.model.view()?;
        let (mut projection, mut expected) = ([X::Scalar::ZERO; P], X::ZEROS);
        let projection = head_mut(&mut projection, view.expansion().components());
        view.expected_input(scaled.view(), input, iterations, projection, expected.view_mut())?;
        replace_input(self.scaling.undo(&expected).view_mut(), input, X::Scalar::ZERO)
    }
}
