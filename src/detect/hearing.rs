//! Which thresholds can be exceeded: the one place that says when a detector is deaf.
//!
//! With a kernel that has [strangers](crate::Kernel::stranger_norm), such as a Gaussian, no reading
//! has an SPE above that of a stranger but for at most 7e-4 (5 of 1,151 fits). A threshold at or
//! above it is never exceeded. Numbers are `f64`, to which both scalar types convert exactly, so
//! that learning, storage, integers and constants get the same answer.

use super::threshold::Threshold;
use crate::error::Error;
use crate::kernel::{Kernel, Samples};
use crate::kpca::{ExpansionView, KernelPcaView};
use crate::math::{Real, sum};

/// The share of all that an SPE is summed up of, by which a threshold must lie below the SPE of a
/// stranger: it covers the rounding of sums over up to thousands of components in `f32`.
const MARGIN: f64 = 1.0 / 1024.0;

/// What decides how large an SPE can become.
#[derive(Clone, Copy, Debug)]
pub(in crate::detect) struct Hearing {
    /// `k(s, s)` of a stranger; none for a kernel that knows no bound.
    pub(in crate::detect) norm: Option<f64>,
    /// `‖centre‖²`.
    pub(in crate::detect) centre_norm: f64,
    /// `Σ b_j²`.
    pub(in crate::detect) offsets: f64,
    /// Scores can be negative.
    pub(in crate::detect) indefinite: bool,
}

impl Hearing {
    /// What a kernel and an expansion decide.
    pub(in crate::detect) fn of<T: Real>(
        norm: Option<T>,
        expansion: &ExpansionView<'_, T>,
    ) -> Self {
        Self {
            norm: norm.map(T::to_f64),
            centre_norm: expansion.header().centre_norm.to_f64(),
            offsets: sum(expansion.offsets().iter().map(|b| b.to_f64() * b.to_f64())),
            indefinite: expansion.header().indefinite,
        }
    }

    /// The highest threshold that a stranger surely exceeds, whose SPE is
    /// `k(s, s) + ‖centre‖² − Σ b_j²`.
    pub(in crate::detect) const fn highest_spe(&self) -> f64 {
        match self.norm {
            Some(norm) if norm.is_finite() => {
                let ceiling = norm + self.centre_norm;
                ceiling - self.offsets - MARGIN * (ceiling + self.offsets)
            }
            _ => f64::INFINITY,
        }
    }

    /// Can this threshold be exceeded?
    ///
    /// # Errors
    /// [`Error::Parameter`] if it is not finite, or if its `usual` score is none; [`Error::Deaf`].
    pub(in crate::detect) const fn require(&self, threshold: &Threshold<f64>) -> Result<(), Error> {
        if let Err(fault) = threshold.validate(self.indefinite) {
            return Err(fault);
        }
        if threshold.spe > self.highest_spe() { Err(Error::Deaf) } else { Ok(()) }
    }
}

/// The highest SPE threshold with which a detector on this model can alarm: one above it is refused
/// with [`Error::Deaf`], wherever a detector comes from. None for kernels that know no bound.
///
/// ```
/// # use mercer::KernelPca;
/// # use mercer::kernel::Rbf;
/// # use mercer::kpca::{Components, ExactWorkspace};
/// # let samples = [[0.0, 0.1], [0.2, 0.0], [1.0, 1.1], [0.9, 1.0], [0.1, 0.2]];
/// # let mut model = KernelPca::<Rbf<f32>, [f32; 2], 5, 3>::new();
/// # let mut workspace = ExactWorkspace::<f32, 5>::new();
/// # model.fit_exact(Rbf::new(0.5), &samples, Components::Fixed(2), &mut workspace)?;
/// use mercer::detect::hearing::highest_threshold;
/// let highest = highest_threshold(&model.view()?).unwrap();
/// assert!(model.score(&[1e9, -1e9])?.spe > highest);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn highest_threshold<K, S>(model: &KernelPcaView<'_, K, S>) -> Option<K::Scalar>
where
    S: Samples + ?Sized,
    K: Kernel<S::View>,
{
    let highest = Hearing::of(model.kernel().stranger_norm(), &model.expansion()).highest_spe();
    let nearest = K::Scalar::from_f64(highest);
    // Rounded down, so that it is itself no threshold above it.
    let down = nearest - nearest.abs() * K::Scalar::EPSILON;
    highest.is_finite().then_some(if nearest.to_f64() > highest { down } else { nearest })
}
