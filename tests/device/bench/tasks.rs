//! The tasks. To add one: implement [`Task`], name it in the table below, and list its shapes in `xtask/src/bench/plan.rs`.
//!
//! What comes in and what comes out passes through `black_box`, so that nothing is computed beforehand or left out.

use core::hint::black_box;
use core::marker::PhantomData;

use mercer::detect::{LogQuantisedDetector, LogScaling};
use mercer::kernel::Rbf;
use mercer::kpca::{Components, ExactWorkspace, LandmarkWorkspace, Landmarks, LeadingWorkspace};
use mercer::linalg::Matrix;
use mercer::linalg::eigen::{Eigensolver, Jacobi, MAX_SWEEPS, TridiagonalQr};
use mercer::{Detector, KernelPca, Learner, QuantisedDetector, Recipe};
use static_cell::ConstStaticCell;

use crate::inputs::{
    CENTRED_GRAM, DETECTOR, GAMMA, LOG_DETECTOR, LOG_SINGLE, RAW_SAMPLES, READING, SAMPLES,
    SCALED_READING, SINGLE, SINGLE_READING, Sample,
};
use crate::measure::{self, Failure, Measured};
use crate::shape::{D, N, P, R, Scalar, is};
use crate::signal::{InTime, LENGTH, OneChannel, Take, Transform, Whole, WithBands};

/// Something to measure.
pub(crate) trait Task: Sized {
    /// All that is not counted; none if it failed.
    fn prepare() -> Option<Self>;
    /// All that is; false if it failed.
    fn run(&mut self) -> bool;
}

/// Makes the function that measures the task of this firmware; the compiler keeps one line of it.
macro_rules! tasks {
    ($($name:literal => $task:ty,)*) => {
        pub(crate) fn measured() -> Result<Measured, Failure> {
            $(if const { is($name) } {
                let mut task = <$task>::prepare().ok_or(Failure::NotPrepared)?;
                return measure::ticks(|| task.run());
            })*
            Err(Failure::NoSuchTask)
        }
    };
}

tasks! {
    "empty" => Empty,
    "score" => Score,
    "detect" => Detect,
    "detect-i16" => DetectWhole,
    "detect-log" => DetectLog,
    "detect-log-i16" => DetectLogWhole,
    "project" => Project,
    "contributions" => Contributions,
    "fit-landmarks" => FitLandmarks,
    "fit-exact" => FitExact,
    "fit-exact-all" => FitExactAll,
    "eigen" => Solve<TridiagonalQr<Scalar>>,
    "jacobi" => Solve<Jacobi<Scalar>>,
    "learn" => Learn,
    "window" => Whole<InTime, 0>,
    "window-bands" => Whole<WithBands, LENGTH>,
    "channel" => OneChannel<InTime, 0>,
    "channel-bands" => OneChannel<WithBands, LENGTH>,
    "take" => Take,
    "fft" => Transform,
}

/// The firmware without a task, to compare sizes with.
struct Empty;

impl Task for Empty {
    fn prepare() -> Option<Self> {
        Some(Self)
    }
    fn run(&mut self) -> bool {
        true
    }
}

type Model = KernelPca<Rbf<Scalar>, Sample, R, P>;

/// The model alone: finite check, projections, scores of a scaled reading.
struct Score(&'static Model, &'static Sample);

impl Task for Score {
    fn prepare() -> Option<Self> {
        Some(Self(black_box(DETECTOR.model()), black_box(&SCALED_READING)))
    }
    fn run(&mut self) -> bool {
        black_box(self.0.score(self.1)).is_ok()
    }
}

/// A raw reading to a verdict: scaling, finite check, projections, scores, threshold.
struct Detect(&'static Detector<Rbf<Scalar>, Sample, R, P>, &'static Sample);

impl Task for Detect {
    fn prepare() -> Option<Self> {
        Some(Self(black_box(&DETECTOR), black_box(&READING)))
    }
    fn run(&mut self) -> bool {
        black_box(self.0.score(self.1)).is_ok()
    }
}

/// The same in integers. Its flash includes the conversion from the other kind, which is not counted.
struct DetectWhole(&'static QuantisedDetector<D, R, P>, &'static [f32; D]);

impl Task for DetectWhole {
    fn prepare() -> Option<Self> {
        static WHOLE: ConstStaticCell<QuantisedDetector<D, R, P>> =
            ConstStaticCell::new(QuantisedDetector::new());
        let whole = WHOLE.try_take()?;
        whole.quantise(black_box(&SINGLE)).ok()?;
        Some(Self(black_box(whole), black_box(&SINGLE_READING)))
    }
    fn run(&mut self) -> bool {
        black_box(self.0.score(self.1)).is_ok()
    }
}

/// As [`Detect`], and all inputs are logarithmic.
struct DetectLog(&'static Detector<Rbf<Scalar>, Sample, R, P, LogScaling<Sample>>, &'static Sample);

impl Task for DetectLog {
    fn prepare() -> Option<Self> {
        Some(Self(black_box(&LOG_DETECTOR), black_box(&READING)))
    }
    fn run(&mut self) -> bool {
        black_box(self.0.score(self.1)).is_ok()
    }
}

/// The same in integers.
struct DetectLogWhole(&'static LogQuantisedDetector<D, R, P>, &'static [f32; D]);

impl Task for DetectLogWhole {
    fn prepare() -> Option<Self> {
        static WHOLE: ConstStaticCell<LogQuantisedDetector<D, R, P>> =
            ConstStaticCell::new(LogQuantisedDetector::new());
        let whole = WHOLE.try_take()?;
        whole.quantise(black_box(&LOG_SINGLE)).ok()?;
        Some(Self(black_box(whole), black_box(&SINGLE_READING)))
    }
    fn run(&mut self) -> bool {
        black_box(self.0.score(self.1)).is_ok()
    }
}

/// Projections and nothing else.
struct Project(&'static Model, &'static Sample);

impl Task for Project {
    fn prepare() -> Option<Self> {
        Some(Self(black_box(DETECTOR.model()), black_box(&SCALED_READING)))
    }
    fn run(&mut self) -> bool {
        black_box(self.0.project(self.1)).is_ok()
    }
}

/// Which input made a raw reading unusual.
struct Contributions(&'static Detector<Rbf<Scalar>, Sample, R, P>, &'static Sample);

impl Task for Contributions {
    fn prepare() -> Option<Self> {
        Some(Self(black_box(&DETECTOR), black_box(&READING)))
    }
    fn run(&mut self) -> bool {
        black_box(self.0.contributions(self.1)).is_ok()
    }
}

/// Landmark kernel PCA of scaled samples.
struct FitLandmarks {
    samples: &'static [Sample],
    model: &'static mut Model,
    workspace: &'static mut LandmarkWorkspace<Scalar, N, R>,
}

impl Task for FitLandmarks {
    fn prepare() -> Option<Self> {
        static MODEL: ConstStaticCell<Model> = ConstStaticCell::new(KernelPca::new());
        static WORKSPACE: ConstStaticCell<LandmarkWorkspace<Scalar, N, R>> =
            ConstStaticCell::new(LandmarkWorkspace::new());
        let (model, workspace) = (MODEL.try_take()?, WORKSPACE.try_take()?);
        Some(Self { samples: black_box(SAMPLES.as_slice()), model, workspace })
    }
    fn run(&mut self) -> bool {
        let (kernel, rank) = black_box((Rbf::new(GAMMA), Landmarks::Rank(R)));
        let kept = black_box(Components::Fixed(P));
        let report = self.model.fit_landmarks(kernel, self.samples, rank, kept, self.workspace);
        black_box(&self.model);
        black_box(report).is_ok_and(|report| report.points == R)
    }
}

/// Exact kernel PCA of scaled samples: Gram matrix, leading eigenvalues, weights.
struct FitExact {
    samples: &'static [Sample],
    model: &'static mut KernelPca<Rbf<Scalar>, Sample, N, P>,
    workspace: &'static mut LeadingWorkspace<Scalar, N, STEPS>,
}

/// What `LeadingWorkspace` advises for `P` components.
const STEPS: usize = 4 * P;

impl Task for FitExact {
    fn prepare() -> Option<Self> {
        static MODEL: ConstStaticCell<KernelPca<Rbf<Scalar>, Sample, N, P>> =
            ConstStaticCell::new(KernelPca::new());
        static WORKSPACE: ConstStaticCell<LeadingWorkspace<Scalar, N, STEPS>> =
            ConstStaticCell::new(LeadingWorkspace::new());
        let (model, workspace) = (MODEL.try_take()?, WORKSPACE.try_take()?);
        Some(Self { samples: black_box(SAMPLES.as_slice()), model, workspace })
    }
    fn run(&mut self) -> bool {
        let (kernel, kept) = black_box((Rbf::new(GAMMA), Components::Fixed(P)));
        let report = self.model.fit_leading(kernel, self.samples, kept, self.workspace);
        black_box(&self.model);
        black_box(report).is_ok()
    }
}

/// Exact kernel PCA of scaled samples: Gram matrix, all eigenvalues, weights.
struct FitExactAll {
    samples: &'static [Sample],
    model: &'static mut KernelPca<Rbf<Scalar>, Sample, N, P>,
    workspace: &'static mut ExactWorkspace<Scalar, N>,
}

impl Task for FitExactAll {
    fn prepare() -> Option<Self> {
        static MODEL: ConstStaticCell<KernelPca<Rbf<Scalar>, Sample, N, P>> =
            ConstStaticCell::new(KernelPca::new());
        static WORKSPACE: ConstStaticCell<ExactWorkspace<Scalar, N>> =
            ConstStaticCell::new(ExactWorkspace::new());
        let (model, workspace) = (MODEL.try_take()?, WORKSPACE.try_take()?);
        Some(Self { samples: black_box(SAMPLES.as_slice()), model, workspace })
    }
    fn run(&mut self) -> bool {
        let (kernel, kept) = black_box((Rbf::new(GAMMA), Components::Fixed(P)));
        let report = self.model.fit_exact(kernel, self.samples, kept, self.workspace);
        black_box(&self.model);
        black_box(report).is_ok()
    }
}

/// All eigenvalues and eigenvectors of a centred Gram matrix, by the solver `E`.
struct Solve<E> {
    matrix: &'static mut Matrix<Scalar, N, N>,
    values: &'static mut [Scalar; N],
    scratch: &'static mut [Scalar],
    solver: PhantomData<E>,
}

impl<E: Eigensolver<Scalar>> Task for Solve<E> {
    fn prepare() -> Option<Self> {
        static MATRIX: ConstStaticCell<Matrix<Scalar, N, N>> =
            ConstStaticCell::new(Matrix::zeros());
        static VALUES: ConstStaticCell<[Scalar; N]> = ConstStaticCell::new([0.0; N]);
        static SCRATCH: ConstStaticCell<[Scalar; N * N]> = ConstStaticCell::new([0.0; N * N]);
        let (matrix, values) = (MATRIX.try_take()?, VALUES.try_take()?);
        let scratch = SCRATCH.try_take()?.get_mut(..E::scratch_len(N))?;
        *matrix = *black_box(&CENTRED_GRAM);
        Some(Self { matrix, values, scratch, solver: PhantomData })
    }
    fn run(&mut self) -> bool {
        // Sizes that the compiler does not know: with constant ones it may unroll what it should
        // not, and LLVM 22 takes forever to look for a checksum in the loops of a 32 × 32 matrix.
        let mut matrix = black_box(self.matrix.view_mut());
        let values = black_box(self.values.as_mut_slice());
        let scratch = black_box(&mut *self.scratch);
        let done = E::solve(&mut matrix, values, scratch, black_box(MAX_SWEEPS));
        black_box((&self.matrix, &self.values));
        black_box(done).is_ok()
    }
}

/// Learning as a device does it: scaling, cross-fitted threshold, model, inspection.
struct Learn(&'static mut Learner<Rbf<Scalar>, Sample, N, R, P>);

impl Task for Learn {
    fn prepare() -> Option<Self> {
        static LEARNER: ConstStaticCell<Learner<Rbf<Scalar>, Sample, N, R, P>> =
            ConstStaticCell::new(Learner::new());
        let learner = LEARNER.try_take()?;
        for sample in black_box(&RAW_SAMPLES) {
            learner.push(sample).ok()?;
        }
        Some(Self(learner))
    }
    fn run(&mut self) -> bool {
        let learned =
            black_box(self.0.learn(black_box(Rbf::for_inputs(D)), Recipe::default())).is_ok();
        black_box(&self.0);
        learned
    }
}
