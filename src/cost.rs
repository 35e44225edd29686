//! What a score costs, as constants that a firmware can check when it is compiled.
//!
//! ```
//! use mercer::{Detector, kernel::Rbf};
//! type Watch = Detector<Rbf<f32>, [f32; 12], 48, 24>;
//! const _: () = assert!(Watch::COST.instructions.cortex_m4f < 15_000 && Watch::COST.ram <= 1536);
//! ```
//!
//! Instructions are upper bounds for opt-level 3, s and z: `cargo xtask bench` counts, and a test compares what it committed with these.
//! They are for a model that has its [memos](crate::KernelPca::with_memos), as every fit on scaled readings makes them.

use crate::detector::Detector;
use crate::kernel::Rbf;

/// What one [`Detector::score`] costs at the most.
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
    /// Bytes of the detector as a `static` in flash. The code is not among them; `docs/bench.csv` has it.
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

// Above what was counted at the slowest level, for what other data and sizes may take; xtask/src/bench/cost.rs says how far.
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
    Rates { score: 700, input: 50, component: 40, point: 28, point_input: 3, point_component: 5 };
const RV32IMAC: Rates = Rates {
    score: 2000,
    input: 900,
    component: 900,
    point: 750,
    point_input: 140,
    point_component: 140,
};

impl<const D: usize, const R: usize, const P: usize> Detector<Rbf<f32>, [f32; D], R, P> {
    /// What a score costs, whatever the reading.
    pub const COST: Cost = Cost {
        kernel_evaluations: R,
        multiply_adds: R * (D + P + 1),
        instructions: Instructions {
            cortex_m0: CORTEX_M0.bound(D, R, P),
            cortex_m3: CORTEX_M3.bound(D, R, P),
            cortex_m4f: CORTEX_M4F.bound(D, R, P),
            rv32imac: RV32IMAC.bound(D, R, P),
        },
        flash: Self::SIZE,
        ram: 400 + 24 * D + 16 * P,
    };
}
