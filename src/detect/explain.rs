//! Why a reading is unusual, and what a normal device would have read.
//!
//! # Which input
//! Input `l` contributes `c_l = x_l · ∂SPE/∂x_l`: to first order, by how much SPE would fall if it
//! went back to its mean. Two passes over the points, one to score and one for the gradient; the
//! formulas are at [`KernelPcaView::contributions`].
//!
//! Compare contributions by magnitude, as [`suspect`] does: with a Gaussian kernel SPE can pass a
//! crest on its way to its ceiling, and beyond it all signs are turned round.
//!
//! # What instead
//! For Gaussian kernels, where the gradient vanishes at a weighted mean of the points. Two
//! questions, two answers:
//!
//! - The *expected reading* is the [pre-image](crate::kpca::preimage) of the projection, the `z`
//!   whose `φ(z)` comes nearest to `Σ_i w_i φ(point_i)`, found from `x` on. It takes the noise out
//!   of every input at once. But the projection follows one input that is far off, and so does `z`.
//! - The *expected input* is what one input should read by what the others say: the same iteration
//!   for that input alone, started at 0 and with the `w_i` of the current `z`, so that it ends
//!   where `∂SPE/∂z_l = 0`. The value read takes no part in it. **Use it for the suspect**, and for
//!   a sensor that has failed.

use crate::detect::{Detector, VectorReading, VectorScaling};
use crate::error::{Error, require_shape};
use crate::kernel::{Gradient, Kernel, Rbf, Samples};
use crate::kpca::KernelPcaView;
use crate::kpca::preimage::{Search, Total, require_iterations};
use crate::linalg::slices::{copy, head_mut};
use crate::math::{Math, Real};

pub use crate::kpca::preimage::ITERATIONS;

/// The input whose contribution is largest in magnitude, the first of equals; none if there are no
/// inputs.
///
/// ```
/// use mercer::detect::explain::suspect;
/// assert_eq!(suspect(&[0.1, -0.7, 0.4]), Some(1));
/// assert_eq!(suspect::<f32>(&[]), None);
/// ```
pub fn suspect<T: Real>(contributions: &[T]) -> Option<usize> {
    let magnitudes = contributions.iter().map(|c| c.abs()).enumerate();
    magnitudes.reduce(|best, other| if other.1 > best.1 { other } else { best }).map(|(l, _)| l)
}

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

impl<K, X, const R: usize, const P: usize, S> Detector<K, X, R, P, S>
where
    X: VectorReading,
    K: Gradient<X::Scalar>,
    S: VectorScaling<X>,
{
    /// How much each input of a raw reading contributes to its SPE, in at most 2.5 times the time
    /// of a score; see the [module](crate::detect::explain).
    ///
    /// ```
    /// use mercer::detect::explain::{ITERATIONS, suspect};
    /// # use mercer::{Detector, KernelPca};
    /// # use mercer::detect::{Scaling, Threshold};
    /// # use mercer::kernel::Rbf;
    /// # use mercer::kpca::{Components, ExactWorkspace};
    /// # let samples: [[f32; 3]; 16] = core::array::from_fn(|i| {
    /// #     let (s, t) = ((i % 4) as f32 - 1.5, (i / 4) as f32 - 1.5);
    /// #     [20.0 + s, 30.0 + t, 50.0 + s + t]
    /// # });
    /// # let scaling = Scaling::learn(samples.as_slice());
    /// # let scaled = samples.map(|x| scaling.apply(&x));
    /// # let mut model = KernelPca::<Rbf<f32>, [f32; 3], 16, 8>::new();
    /// # let share = Components::Share(0.95);
    /// # model.fit_exact(Rbf::new(0.05), &scaled, share, &mut ExactWorkspace::<f32, 16>::new())?;
    /// # let detector = Detector::from_parts(scaling, model, Threshold::EMPTY)?;
    /// // Learned from readings whose third input is the sum of the others.
    /// let x = [20.5, 30.5, 41.0];
    /// let contributions = detector.contributions(&x)?;
    /// assert_eq!(suspect(&contributions), Some(2));
    /// let instead = detector.expected_input(&x, 2, ITERATIONS)?;
    /// assert!((instead - 51.0).abs() < 0.5);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`score`](Self::score).
    pub fn contributions(&self, x: &X) -> Result<X, Error> {
        self.model.contributions(&self.prepared(x)?)
    }
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
    /// An iteration costs about a score; [`ITERATIONS`] is a good number to allow.
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
    /// An iteration costs about 2 scores; [`ITERATIONS`] is a good number to allow.
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
