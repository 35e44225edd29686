//! Detectors and projectors in flash: constants that the compiler checks by the
//! [rules](super::valid) of every other door.
//!
//! Functions of traits cannot be called in constants, so there is a copy of
//! [`in_flash`](Detector::in_flash) for each kernel that `mercer export` knows, in `f32` and `f64`,
//! for either scaling.
//!
//! A threshold that nothing can exceed does not compile:
//!
//! ```compile_fail,E0080
//! use mercer::GaussianDetector;
//! use mercer::detect::{Scaling, Threshold};
//! use mercer::kernel::Rbf;
//! use mercer::kpca::{Expansion, ExpansionHeader};
//!
//! const EXPANSION: Expansion<f32, 2, 1> = {
//!     let header = ExpansionHeader::new(2, 1, 0.8, 0.2, false);
//!     match Expansion::from_parts(header, [[1.5], [-1.5]], [0.5; 2], [0.0], [0.15]) {
//!         Ok(expansion) => expansion,
//!         Err(_) => panic!(),
//!     }
//! };
//! static PUMP: GaussianDetector<3, 2, 1> = GaussianDetector::in_flash(
//!     Scaling::new([20.0, 1.2, 0.3], [2.0, 0.1, 0.05]),
//!     Rbf::new(0.04),
//!     [[0.5, -0.4, 1.0], [-0.6, 0.2, -0.9]],
//!     EXPANSION,
//!     Threshold::new(1.8),
//! )
//! .expect("a valid detector");
//! ```
//!
//! Nor do counts beyond the capacity:
//!
//! ```compile_fail,E0080
//! use mercer::kpca::{Expansion, ExpansionHeader};
//! static WEIGHTS: Expansion<f32, 2, 1> = {
//!     let header = ExpansionHeader::new(3, 1, 0.8, 0.2, false);
//!     match Expansion::from_parts(header, [[1.5], [-1.5]], [0.5; 2], [0.0], [0.15]) {
//!         Ok(expansion) => expansion,
//!         Err(_) => panic!(),
//!     }
//! };
//! ```

use super::detector::Detector;
use super::logs::LogScaling;
use super::projector::Projector;
use super::scaling::Scaling;
use super::threshold::Threshold;
use super::valid::Inspection;
use crate::kernel::{Cosine, Laplacian, Linear, Memos, Poly, Rbf, Sigmoid, broken_rate_rule};
use crate::kpca::{Axes, Expansion, ExpansionHeader, KernelPca};
use crate::linalg::slices::split;
use crate::math::{Math, Normal};

/// Shows numbers to a rule.
macro_rules! show {
    ($inspection:ident.$rule:ident($values:expr)) => {
        let mut left: &[_] = $values;
        while let [value, others @ ..] = left {
            $inspection.$rule(*value as f64);
            left = others;
        }
    };
}

/// The [factors](crate::math::Real::to_factor) of deviations.
macro_rules! factors {
    (f32, $deviations:expr) => {{
        let (mut factors, mut i) = (*$deviations, 0);
        while i < factors.len() {
            factors[i] = 1.0 / factors[i];
            i += 1;
        }
        factors
    }};
    (f64, $deviations:expr) => {
        *$deviations
    };
}

/// `in_flash` of detectors and projectors for one kernel with either scaling: the parameters of the
/// kernel are valid if the first expression says so, strangers have the norm of the second, and the
/// points the memos of the third.
macro_rules! in_flash {
    ($t:tt, [$($generic:tt)*] $($rest:tt)*) => {
        in_flash_scaled!($t, [$($generic)*] Scaling, |s| s, &[] as &[$t], $($rest)*);
        in_flash_scaled!($t, [$($generic)*] LogScaling, |s| s.scaling, &s.floor, $($rest)*);
    };
}

/// `in_flash` for one kernel and one scaling, of which one expression is the mean and deviation and
/// another one the floors.
macro_rules! in_flash_scaled {
    (
        $t:tt, [$($generic:tt)*] $scaling:ident, |$s:ident| $standard:expr, $floors:expr, $kernel:ty,
        |$k:ident, $points:ident| $valid:expr, $norm:expr, $memos:expr
    ) => {
        impl<$($generic)* const D: usize, const R: usize, const P: usize>
            Detector<$kernel, [$t; D], R, P, $scaling<[$t; D]>>
        {
            /// A detector in flash, from parts that were learned earlier; what `mercer export`
            /// writes.
            ///
            /// None if it is not [valid](Self::validate), for which
            /// [`from_parts`](Self::from_parts) names the reason: with `unwrap` or `expect`, a
            /// `static` of it does not compile.
            pub const fn in_flash(
                scaling: $scaling<[$t; D]>,
                kernel: $kernel,
                points: [[$t; D]; R],
                expansion: Expansion<$t, R, P>,
                threshold: Threshold<$t>,
            ) -> Option<Self> {
                let ($k, $points, $s) = (&kernel, &points, &scaling);
                let header = expansion.header();
                let (in_use, components) = (header.points as usize, header.components as usize);
                if !($valid) || in_use > R || components > P {
                    return None;
                }
                let mut inspection = Inspection::of::<$t>();
                show!(inspection.mean(&$standard.mean));
                show!(inspection.deviation(&$standard.deviation));
                show!(inspection.floor($floors));
                show!(inspection.coordinate(split(&points, in_use).0.as_flattened()));
                show!(inspection.centre(split(expansion.centre(), in_use).0));
                let mut rows = split(expansion.weights(), in_use).0;
                while let [row, others @ ..] = rows {
                    show!(inspection.weight(split(row, components).0));
                    rows = others;
                }
                show!(inspection.offset(split(expansion.offsets(), components).0));
                show!(inspection.variance(split(expansion.variances(), components).0));
                let header = ExpansionHeader::new(
                    header.points,
                    header.components,
                    header.centre_norm as f64,
                    header.total_variance as f64,
                    header.indefinite,
                );
                let in_f64 =
                    Threshold::new(threshold.spe as f64).with_usual(threshold.usual as f64);
                match inspection.finish($norm, &header, &in_f64) {
                    Ok(()) => {
                        let memos = $memos;
                        let model = KernelPca::from_parts(kernel, points, memos, expansion);
                        let factors = factors!($t, &$standard.deviation);
                        Some(Self { scaling, factors, threshold, model })
                    }
                    Err(_) => None,
                }
            }
        }

        impl<$($generic)* const D: usize, const R: usize, const P: usize>
            Projector<$kernel, [$t; D], R, P, $scaling<[$t; D]>>
        {
            /// A projector in flash, from parts that were learned earlier; what
            /// `mercer export --project` writes. `weights[i][j]` is the weight of point `i` in
            /// component `j`.
            ///
            /// None if it is not valid, for which [`from_parts`](Self::from_parts) names the
            /// reason: with `unwrap` or `expect`, a `static` of it does not compile.
            pub const fn in_flash(
                scaling: $scaling<[$t; D]>,
                kernel: $kernel,
                points: [[$t; D]; R],
                weights: [[$t; P]; R],
                offsets: [$t; P],
            ) -> Option<Self> {
                let ($k, $points, $s) = (&kernel, &points, &scaling);
                if !($valid) {
                    return None;
                }
                let mut inspection = Inspection::of::<$t>();
                show!(inspection.mean(&$standard.mean));
                show!(inspection.deviation(&$standard.deviation));
                show!(inspection.floor($floors));
                show!(inspection.coordinate(points.as_flattened()));
                show!(inspection.weight(weights.as_flattened()));
                show!(inspection.offset(&offsets));
                match inspection.finish_axes($norm) {
                    Ok(()) => {
                        let memos = $memos;
                        let axes = Axes::from_parts(kernel, points, memos, weights, offsets);
                        let factors = factors!($t, &$standard.deviation);
                        Some(Self { scaling, factors, axes })
                    }
                    Err(_) => None,
                }
            }
        }
    };
}

/// Is it one that a kernel can work with?
macro_rules! is_rate {
    ($t:tt, $value:expr) => {
        broken_rate_rule($value as f64, Normal::of::<$t>()).is_none()
    };
}

macro_rules! every_kernel {
    ($t:tt) => {
        in_flash!($t, [] Linear, |_k, _points| true, None, Memos::NONE);
        in_flash!($t, [] Cosine, |_k, _points| true, None, Memos::NONE);
        in_flash!($t, [M: Math<$t>,] Rbf<$t, M>,
            |kernel, points| is_rate!($t, kernel.gamma), Some(1.0), kernel.memos(points));
        in_flash!($t, [M: Math<$t>,] Laplacian<$t, M>,
            |kernel, _points| is_rate!($t, kernel.gamma), Some(1.0), Memos::NONE);
        in_flash!($t, [] Poly<$t>,
            |kernel, _points| {
                is_rate!($t, kernel.gamma) && kernel.coef0.is_finite() && kernel.degree > 0
            },
            None, Memos::NONE);
        in_flash!($t, [M: Math<$t>,] Sigmoid<$t, M>,
            |kernel, _points| is_rate!($t, kernel.gamma) && kernel.coef0.is_finite(),
            None, Memos::NONE);
    };
}

every_kernel!(f32);
every_kernel!(f64);
