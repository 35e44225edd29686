//! What a score, and a step of learning, costs, as constants that a firmware can check when it is
//! compiled.
//!
//! ```
//! use mercer::Detector;
//! use mercer::kernel::Rbf;
//! type Watch = Detector<Rbf<f32>, [f32; 12], 48, 24>;
//! const _: () = assert!(Watch::COST.instructions.cortex_m4f < 15_000 && Watch::COST.ram <= 1536);
//! ```
//!
//! A learner does its work in even steps; what the longest takes says how long a watchdog, or
//! another task of the same priority, has to wait:
//!
//! ```
//! use mercer::GaussianLearner;
//! const LONGEST: usize = GaussianLearner::<12, 128, 32, 24>::COST.step.cortex_m4f;
//! const _: () = assert!(LONGEST < 110_000);
//! ```
//!
//! Instructions are upper bounds for opt-level 3, s and z: `cargo xtask bench` counts, and a test
//! compares what it committed with these. They are for a model that has its
//! [memos](crate::kpca::KernelPcaView::with_memos), as every fit on scaled readings makes them.

use crate::detect::GaussianLearner;
use crate::detect::{Detector, GaussianProjector, LogDetector, LogProjector, Projector};
use crate::kernel::{BlockKernel, Rbf};
use crate::math::Real;

/// What one [`Detector::score`], or one [`Projector::project`], costs at the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Cost {
    /// Evaluations of the kernel.
    pub kernel_evaluations: usize,
    /// Multiply-adds: inner products with the points, and weighted sums of kernel values.
    pub multiply_adds: usize,
    /// Instructions, by core.
    pub instructions: Instructions,
    /// Bytes of the detector as a `static` in flash. The code is not among them; `docs/bench.csv`
    /// has it.
    pub flash: usize,
    /// Bytes of stack; all the RAM that a detector in flash needs.
    pub ram: usize,
}

/// Upper bounds of instructions, by family of cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Instructions {
    /// Cortex-M0, M0+, M1: no FPU, 16-bit instructions.
    pub cortex_m0: usize,
    /// Cortex-M3, or M4 and M33 without FPU.
    pub cortex_m3: usize,
    /// Cortex-M4F, M7, M33 with single-precision FPU.
    pub cortex_m4f: usize,
    /// RV32IMAC.
    pub rv32imac: usize,
}

/// Instructions of one core: for a score, and for each point, input, component, and pair of them.
struct Rates {
    score: usize,
    input: usize,
    component: usize,
    point: usize,
    point_input: usize,
    point_component: usize,
}

impl Rates {
    const fn bound(&self, inputs: usize, points: usize, components: usize) -> usize {
        let a_point =
            self.point + self.point_input * inputs + self.point_component * (components + 1);
        self.score + self.input * inputs + self.component * components + a_point * points
    }
}

// Above what was counted at the slowest level, for what other data and sizes may take;
// xtask/src/bench/cost.rs says how far.
const CORTEX_M0: Rates = Rates {
    score: 3000,
    input: 1500,
    component: 1500,
    point: 1200,
    point_input: 250,
    point_component: 250,
};
const CORTEX_M3: Rates = Rates {
    score: 2000,
    input: 900,
    component: 900,
    point: 750,
    point_input: 150,
    point_component: 150,
};
const CORTEX_M4F: Rates =
    Rates { score: 600, input: 40, component: 40, point: 28, point_input: 3, point_component: 5 };
const RV32IMAC: Rates = Rates {
    score: 2000,
    input: 900,
    component: 900,
    point: 750,
    point_input: 140,
    point_component: 140,
};

/// Instructions of the logarithm of an input.
const LOGARITHM: Instructions =
    Instructions { cortex_m0: 3300, cortex_m3: 2000, cortex_m4f: 110, rv32imac: 2000 };

impl Cost {
    /// What a score of a detector with a Gaussian kernel in `f32` costs, when its sizes are known
    /// only at run time.
    pub const fn gaussian(inputs: usize, points: usize, components: usize) -> Self {
        Self {
            kernel_evaluations: points,
            multiply_adds: points * (inputs + components + 1),
            instructions: Instructions {
                cortex_m0: CORTEX_M0.bound(inputs, points, components),
                cortex_m3: CORTEX_M3.bound(inputs, points, components),
                cortex_m4f: CORTEX_M4F.bound(inputs, points, components),
                rv32imac: RV32IMAC.bound(inputs, points, components),
            },
            flash: detector_size::<Rbf<f32>, f32>(inputs, points, components),
            ram: 400 + 24 * inputs + 16 * components,
        }
    }
}

impl Cost {
    /// What a projection of a [`Projector`] with a Gaussian kernel in `f32` costs: the bounds of a
    /// score with as many components, of which it leaves out the part after the last point.
    pub const fn gaussian_projection(inputs: usize, points: usize, components: usize) -> Self {
        Self {
            multiply_adds: points * (inputs + components),
            flash: projector_size::<Rbf<f32>, f32>(inputs, points, components),
            ..Self::gaussian(inputs, points, components)
        }
    }

    /// The same with so many [logarithmic](crate::detect::logs) inputs.
    #[must_use]
    pub const fn with_logs(self, logs: usize) -> Self {
        let Instructions { cortex_m0, cortex_m3, cortex_m4f, rv32imac } = self.instructions;
        Self {
            instructions: Instructions {
                cortex_m0: cortex_m0 + LOGARITHM.cortex_m0 * logs,
                cortex_m3: cortex_m3 + LOGARITHM.cortex_m3 * logs,
                cortex_m4f: cortex_m4f + LOGARITHM.cortex_m4f * logs,
                rv32imac: rv32imac + LOGARITHM.rv32imac * logs,
            },
            ..self
        }
    }
}

/// What learning in steps costs at the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct LearnCost {
    /// Instructions of the longest [`step`](crate::Learner::step), by core;
    /// [`begin`](crate::Learner::begin) takes fewer.
    pub step: Instructions,
    /// Bytes of RAM, stack not included.
    pub ram: usize,
}

const fn larger(a: usize, b: usize) -> usize {
    if b > a { b } else { a }
}

/// Instructions of one core for what a step of learning may be.
struct StepRates {
    /// Anything.
    step: usize,
    /// One sample, and each of its inputs and coordinates, where a landmark is taken.
    sample: usize,
    sample_input: usize,
    sample_point: usize,
    /// One value of an input, where one of them is selected.
    value: usize,
    /// One product that is added to the covariance.
    product: usize,
    /// One operation of the eigensolver, and each entry of the rows that it changes.
    operation: usize,
    operation_point: usize,
    /// One entry of the covariance, where it is completed or checked, or of the eigenvectors that
    /// another one is made orthogonal to.
    entry: usize,
}

impl StepRates {
    /// The longest of them, or two scores, as when models are compared.
    const fn bound(&self, samples: usize, inputs: usize, points: usize, score: usize) -> usize {
        let landmark =
            samples * (self.sample + self.sample_input * inputs + self.sample_point * points);
        // As many samples as `Factor::summed_in_step` says, of `r(r + 1)/2` products each.
        let products = larger(2 * samples, 8 * points) * (points + 1) * self.product;
        let operations = (1 + samples / 2) * (self.operation + self.operation_point * points);
        let sums = larger(products, points * points * self.entry);
        let fit = larger(larger(landmark, operations), sums);
        let longest = larger(larger(fit, samples * self.value), 2 * score);
        self.step + longest
    }
}

// As above.
const STEP_CORTEX_M0: StepRates = StepRates {
    step: 20_000,
    sample: 2500,
    sample_input: 450,
    sample_point: 260,
    value: 3000,
    product: 290,
    operation: 5000,
    operation_point: 800,
    entry: 700,
};
const STEP_CORTEX_M3: StepRates = StepRates {
    step: 15_000,
    sample: 1700,
    sample_input: 280,
    sample_point: 165,
    value: 2000,
    product: 170,
    operation: 3500,
    operation_point: 500,
    entry: 450,
};
const STEP_CORTEX_M4F: StepRates = StepRates {
    step: 3000,
    sample: 150,
    sample_input: 8,
    sample_point: 8,
    value: 500,
    product: 12,
    operation: 350,
    operation_point: 34,
    entry: 60,
};
const STEP_RV32IMAC: StepRates = StepRates {
    step: 15_000,
    sample: 1700,
    sample_input: 280,
    sample_point: 165,
    value: 2000,
    product: 160,
    operation: 3500,
    operation_point: 500,
    entry: 450,
};

impl LearnCost {
    /// What learning with a Gaussian kernel in `f32` costs, from at most so many samples.
    const fn gaussian(
        samples: usize,
        inputs: usize,
        points: usize,
        components: usize,
        ram: usize,
    ) -> Self {
        let score = Cost::gaussian(inputs, points, components).instructions;
        let (n, d, r) = (samples, inputs, points);
        Self {
            step: Instructions {
                cortex_m0: STEP_CORTEX_M0.bound(n, d, r, score.cortex_m0),
                cortex_m3: STEP_CORTEX_M3.bound(n, d, r, score.cortex_m3),
                cortex_m4f: STEP_CORTEX_M4F.bound(n, d, r, score.cortex_m4f),
                rv32imac: STEP_RV32IMAC.bound(n, d, r, score.rv32imac),
            },
            ram,
        }
    }
}

impl<const D: usize, const N: usize, const R: usize, const P: usize> GaussianLearner<D, N, R, P> {
    /// What a step costs, whatever the samples and the recipe.
    pub const COST: LearnCost = LearnCost::gaussian(N, D, R, P, Self::SIZE);
}

/// Bytes of a [`Detector`] with kernel `K` and numbers `T`: [`Detector::SIZE`] when sizes are known
/// only at run time.
pub const fn detector_size<K, T>(inputs: usize, points: usize, components: usize) -> usize
where
    T: Real,
    K: BlockKernel<[T], Scalar = T>,
{
    // What does not depend on the sizes is that of the smallest detector.
    let rest = Detector::<K, [T; 1], 1, 1>::SIZE - scalars(1, 1, 1) * size_of::<T>();
    rest + scalars(inputs, points, components) * size_of::<T>()
}

/// Bytes of a [`Projector`] with kernel `K` and numbers `T`: [`Projector::SIZE`] when sizes are
/// known only at run time.
pub const fn projector_size<K, T>(inputs: usize, points: usize, components: usize) -> usize
where
    T: Real,
    K: BlockKernel<[T], Scalar = T>,
{
    let rest = Projector::<K, [T; 1], 1, 1>::SIZE - axes_scalars(1, 1, 1) * size_of::<T>();
    rest + axes_scalars(inputs, points, components) * size_of::<T>()
}

/// Points with memo and weights; offsets; mean, deviation and its factor.
const fn axes_scalars(inputs: usize, points: usize, components: usize) -> usize {
    points * (inputs + components + 1) + components + 3 * inputs
}

/// Points with memo, centre weight and weights; offsets and variances; mean, deviation
/// and its factor.
const fn scalars(inputs: usize, points: usize, components: usize) -> usize {
    points * (inputs + components + 2) + 2 * components + 3 * inputs
}

impl<const D: usize, const R: usize, const P: usize> Detector<Rbf<f32>, [f32; D], R, P> {
    /// What a score costs, whatever the reading.
    pub const COST: Cost = Cost { flash: Self::SIZE, ..Cost::gaussian(D, R, P) };
}

impl<const D: usize, const R: usize, const P: usize> LogDetector<D, R, P> {
    /// What a score costs, whatever the reading and however many of its inputs are logarithmic.
    pub const COST: Cost = Cost { flash: Self::SIZE, ..Cost::gaussian(D, R, P).with_logs(D) };
}

impl<const D: usize, const R: usize, const P: usize> GaussianProjector<D, R, P> {
    /// What a projection costs, whatever the reading.
    pub const COST: Cost = Cost { flash: Self::SIZE, ..Cost::gaussian_projection(D, R, P) };
}

impl<const D: usize, const R: usize, const P: usize> LogProjector<D, R, P> {
    /// What a projection costs, whatever the reading and however many of its inputs are
    /// logarithmic.
    pub const COST: Cost =
        Cost { flash: Self::SIZE, ..Cost::gaussian_projection(D, R, P).with_logs(D) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::VectorReading;
    use crate::kernel::{Laplacian, Linear, Poly, Sigmoid};

    fn sizes<K, X, const R: usize, const P: usize>() -> (usize, usize)
    where
        X: VectorReading,
        K: BlockKernel<[X::Scalar], Scalar = X::Scalar>,
    {
        let formula = detector_size::<K, X::Scalar>(X::INPUTS, R, P);
        (Detector::<K, X, R, P>::SIZE, formula)
    }

    #[test]
    fn sizes_at_run_time_are_those_of_the_types() {
        let found = [
            sizes::<Rbf<f32>, [f32; 12], 48, 24>(),
            sizes::<Rbf<f32>, [f32; 1], 1, 1>(),
            sizes::<Laplacian<f32>, [f32; 3], 32, 4>(),
            sizes::<Poly<f32>, [f32; 8], 64, 5>(),
            sizes::<Sigmoid<f32>, [f32; 7], 9, 3>(),
            sizes::<Linear, [f32; 7], 9, 3>(),
            sizes::<Rbf<f64>, [f64; 12], 48, 24>(),
            sizes::<Poly<f64>, [f64; 3], 5, 7>(),
            sizes::<Linear, [f64; 2], 5, 7>(),
        ];
        assert!(found.iter().all(|(size, formula)| size == formula), "{found:?}");
    }

    fn projector_sizes<K, X, const R: usize, const P: usize>() -> (usize, usize)
    where
        X: VectorReading,
        K: BlockKernel<[X::Scalar], Scalar = X::Scalar>,
    {
        let formula = projector_size::<K, X::Scalar>(X::INPUTS, R, P);
        (Projector::<K, X, R, P>::SIZE, formula)
    }

    #[test]
    fn sizes_of_projectors_at_run_time_are_those_of_the_types() {
        let found = [
            projector_sizes::<Rbf<f32>, [f32; 12], 48, 4>(),
            projector_sizes::<Rbf<f32>, [f32; 1], 1, 1>(),
            projector_sizes::<Poly<f32>, [f32; 8], 64, 5>(),
            projector_sizes::<Linear, [f32; 7], 9, 3>(),
            projector_sizes::<Rbf<f64>, [f64; 12], 48, 24>(),
            projector_sizes::<Poly<f64>, [f64; 3], 5, 7>(),
            projector_sizes::<Linear, [f64; 2], 5, 7>(),
        ];
        assert!(found.iter().all(|(size, formula)| size == formula), "{found:?}");
    }
}
