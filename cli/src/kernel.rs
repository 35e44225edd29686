//! Which kernel a model has, as options and files say it.

use mercer::Error;
use mercer::kernel::{Indexed, Samples, median_squared_distance};
use mercer::math::Real;
use serde::{Deserialize, Serialize};

use crate::Number;
use crate::grid::Grid;

/// A kernel by name and parameters: `{"rbf": {"gamma": 0.1}}`. Braces where there are none, or
/// serde would let strangers stand there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum KernelSpec<T> {
    /// `x·y`.
    Linear {},
    /// `exp(−γ‖x−y‖²)`.
    Rbf {
        /// Inverse width.
        gamma: T,
    },
    /// `exp(−γ‖x−y‖₁)`.
    Laplacian {
        /// Inverse width.
        gamma: T,
    },
    /// `(γ x·y + c)^p`.
    Poly {
        /// Factor of the inner product.
        gamma: T,
        /// Constant term.
        coef0: T,
        /// Exponent.
        degree: u32,
    },
    /// `tanh(γ x·y + c)`.
    Sigmoid {
        /// Factor of the inner product.
        gamma: T,
        /// Constant term.
        coef0: T,
    },
    /// `x·y/(‖x‖‖y‖)`.
    Cosine {},
}

/// Evaluates an expression with the kernel that a [`KernelSpec`] of numbers `$t` names, as a value
/// of the library's type for it.
macro_rules! with_kernel {
    ($spec:expr, $t:ty, $kernel:ident => $body:expr) => {{
        use mercer::kernel as library;
        use $crate::kernel::KernelSpec as Spec;
        let math = <$t as $crate::Number>::MATH;
        match $spec {
            Spec::Linear {} => {
                let $kernel = &library::Linear;
                $body
            }
            Spec::Rbf { gamma } => {
                let $kernel = &library::Rbf { gamma, math };
                $body
            }
            Spec::Laplacian { gamma } => {
                let $kernel = &library::Laplacian { gamma, math };
                $body
            }
            Spec::Poly { gamma, coef0, degree } => {
                let $kernel = &library::Poly { gamma, coef0, degree };
                $body
            }
            Spec::Sigmoid { gamma, coef0 } => {
                let $kernel = &library::Sigmoid { gamma, coef0, math };
                $body
            }
            Spec::Cosine {} => {
                let $kernel = &library::Normalised(library::Linear);
                $body
            }
        }
    }};
}
pub(crate) use with_kernel;

impl<T: Real> KernelSpec<T> {
    /// The name that options and files use.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Linear {} => "linear",
            Self::Rbf { .. } => "rbf",
            Self::Laplacian { .. } => "laplacian",
            Self::Poly { .. } => "poly",
            Self::Sigmoid { .. } => "sigmoid",
            Self::Cosine {} => "cosine",
        }
    }

    /// The parameters by name.
    pub(crate) fn parameters(&self) -> Vec<(&'static str, String)> {
        let show = |value: T| format!("{value:?}");
        match *self {
            Self::Linear {} | Self::Cosine {} => vec![],
            Self::Rbf { gamma } | Self::Laplacian { gamma } => vec![("gamma", show(gamma))],
            Self::Poly { gamma, coef0, degree } => {
                vec![("gamma", show(gamma)), ("coef0", show(coef0)), ("degree", degree.to_string())]
            }
            Self::Sigmoid { gamma, coef0 } => vec![("gamma", show(gamma)), ("coef0", show(coef0))],
        }
    }
}

/// Name and parameters, e.g. `rbf, gamma 0.0125`.
impl<T: Real> std::fmt::Display for KernelSpec<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())?;
        self.parameters().iter().try_for_each(|(name, value)| write!(f, ", {name} {value}"))
    }
}

/// Pairs of more samples than this take too long to look at.
const MOST_FOR_MEDIAN: usize = 512;

/// `1/(8·m)`, `m` being the median squared distance of the samples, or of some that are spread
/// evenly over all of them.
pub(crate) fn gamma_for<T: Number>(samples: &Grid<T>) -> Result<T, Error> {
    let stride = samples.rows().div_ceil(MOST_FOR_MEDIAN).max(1);
    let rows: Vec<u32> = (0..samples.count() as u32).step_by(stride).collect();
    let median = median_squared_distance(&Indexed { samples, rows: &rows });
    Ok(T::ONE / (T::from_f64(8.0) * median.ok_or(Error::NoVariance)?))
}
