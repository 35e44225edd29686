//! Why a reading is unusual, and what a normal device would have read.
//!
//! # Which input
//! Two answers, at different prices:
//!
//! - The [*suspect*](Detector::suspect), for alarms: which one input, if it read something else,
//!   would lower SPE the most? Each input in turn is put a deviation from its mean, either way, and
//!   the reading is scored again, by the same route; for the two inputs that lower SPE most, so it
//!   is with values nearby, to find the lowest. It says [which](Suspect::input), what it
//!   [read](Suspect::read), what it [should have read](Suspect::expected) and by how much SPE
//!   [falls](Suspect::fall). `2d + 21` scores for `d` inputs, with every kernel on vectors.
//! - [*Contributions*](Detector::contributions), a picture of all inputs for the price of two
//!   scores: `c_l = x_l · ∂SPE/∂x_l`, to first order by how much SPE would fall if input `l` went
//!   back to its mean; the formulas are at [`KernelPcaView::contributions`]. They are slopes, not
//!   shares: they do not add up to SPE, and may be negative. Compare them by magnitude: with a
//!   Gaussian kernel SPE can pass a crest on its way to its ceiling, and beyond it all signs are
//!   turned round. An input that hangs at its mean has none, whatever it should read.
//!
//! `docs/EVALUATION.md` compares the two: the suspect is the right sensor more often, above all
//! when its value is possible by itself but not beside the others.
//!
//! # What instead
//! The suspect comes with its expected value, for every kernel. With Gaussian kernels, where the
//! gradient vanishes at a weighted mean of the points, two more questions have an answer:
//!
//! - The *expected reading* is the [pre-image](crate::kpca::preimage) of the projection, the `z`
//!   whose `φ(z)` comes nearest to `Σ_i w_i φ(point_i)`, found from `x` on. It takes the noise out
//!   of every input at once. But the projection follows one input that is far off, and so does `z`.
//! - The *expected input* is what one input should read by what the others say: the same iteration
//!   for that input alone, started at 0 and with the `w_i` of the current `z`, so that it ends
//!   where `∂SPE/∂z_l = 0`. The value read takes no part in it. Use it for an input of your choice.
//!
//! A sensor that has failed needs no explanation: [`missing`](crate::detect::missing) scores the
//! others without it.

mod expected;
mod suspect;

pub use crate::kpca::preimage::ITERATIONS;
pub use suspect::Suspect;
pub(in crate::detect) use suspect::blame;

use crate::detect::{Detector, VectorReading, VectorScaling};
use crate::error::Error;
use crate::kernel::Gradient;
#[cfg(doc)]
use crate::kpca::KernelPcaView;

impl<K, X, const R: usize, const P: usize, S> Detector<K, X, R, P, S>
where
    X: VectorReading,
    K: Gradient<X::Scalar>,
    S: VectorScaling<X>,
{
    /// How strongly SPE depends on each input of a raw reading, in at most 2.5 times the time of a
    /// score: a picture, not shares of SPE. To name the input to blame there is
    /// [`suspect`](Self::suspect); see the [module](crate::detect::explain).
    ///
    /// ```
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
    /// assert!(contributions[2] > contributions[0] && contributions[2] > contributions[1]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`score`](Self::score).
    pub fn contributions(&self, x: &X) -> Result<X, Error> {
        self.model.contributions(&self.prepared(x)?)
    }
}
