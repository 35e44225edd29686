//! Tasks that make a model.

use core::hint::black_box;
use core::marker::PhantomData;

use mercer::kernel::Rbf;
use mercer::kpca::{Components, ExactWorkspace, LandmarkWorkspace, Landmarks, LeadingWorkspace};
use mercer::linalg::Matrix;
use mercer::linalg::eigen::{Eigensolver, MAX_SWEEPS};
use mercer::{GaussianLearner, KernelPca, LeanLearner, Progress, Recipe};

use crate::inputs;
use crate::measure::elapsed;
use crate::task::Task;

type Model<const D: usize, const R: usize, const P: usize> = KernelPca<Rbf<f32>, [f32; D], R, P>;

/// A kernel of the usual width, and what is kept.
fn usual<const D: usize, const P: usize>() -> (Rbf<f32>, Components<f32>) {
    black_box((const { Rbf::new(1.0 / (8.0 * D as f32)) }, Components::Fixed(P)))
}

/// A fit of a model to scaled samples: its name, its workspace, and the call.
macro_rules! fit {
    (
        $(#[$doc:meta])* $name:ident<$(const $size:ident),*>, $points:ident, $workspace:ty,
        |$model:ident, $samples:ident, $with:ident| $call:expr
    ) => {
        $(#[$doc])*
        pub struct $name<$(const $size: usize),*> {
            samples: &'static [[f32; D]],
            memory: &'static mut (Model<D, $points, P>, $workspace),
        }

        impl<$(const $size: usize),*> Task for $name<$($size),*> {
            type Input = [[f32; D]; N];
            const INPUT: Self::Input = inputs::scaled();
            type Memory = (Model<D, $points, P>, $workspace);
            const MEMORY: Self::Memory = (KernelPca::new(), <$workspace>::new());
            fn prepare(
                input: &'static Self::Input,
                memory: &'static mut Self::Memory,
            ) -> Option<Self> {
                Some(Self { samples: black_box(input.as_slice()), memory })
            }
            fn run(&mut self) -> bool {
                let ($model, $with) = &mut *self.memory;
                let $samples = self.samples;
                let report = $call;
                black_box(&self.memory.0);
                black_box(report).is_ok_and(|report| report.points == $points)
            }
        }
    };
}

fit!(
    /// Landmark kernel PCA.
    FitLandmarks<const N, const D, const R, const P>, R, LandmarkWorkspace<f32, N, R>,
    |model, samples, workspace| {
        let ((kernel, kept), rank) = (usual::<D, P>(), black_box(Landmarks::Rank(R)));
        model.fit_landmarks(kernel, samples, rank, kept, workspace)
    }
);
fit!(
    /// Exact kernel PCA: Gram matrix, leading eigenvalues, weights.
    FitExact<const N, const D, const P, const STEPS>, N, LeadingWorkspace<f32, N, STEPS>,
    |model, samples, workspace| {
        let (kernel, kept) = usual::<D, P>();
        model.fit_leading(kernel, samples, kept, workspace)
    }
);
fit!(
    /// Exact kernel PCA: Gram matrix, all eigenvalues, weights.
    FitExactAll<const N, const D, const P>, N, ExactWorkspace<f32, N>,
    |model, samples, workspace| {
        let (kernel, kept) = usual::<D, P>();
        model.fit_exact(kernel, samples, kept, workspace)
    }
);

/// All eigenvalues and eigenvectors of a centred Gram matrix, by the solver `E`.
pub struct Solve<E, const N: usize, const D: usize> {
    matrix: &'static mut Matrix<f32, N, N>,
    values: &'static mut [f32; N],
    scratch: &'static mut [f32],
    solver: PhantomData<E>,
}

impl<E: Eigensolver<f32>, const N: usize, const D: usize> Task for Solve<E, N, D> {
    type Input = Matrix<f32, N, N>;
    const INPUT: Self::Input = Matrix::from_rows(inputs::centred_gram::<N, D>());
    type Memory = (Matrix<f32, N, N>, [f32; N], [[f32; N]; N]);
    const MEMORY: Self::Memory = (Matrix::zeros(), [0.0; N], [[0.0; N]; N]);
    fn prepare(input: &'static Self::Input, memory: &'static mut Self::Memory) -> Option<Self> {
        let (matrix, values, scratch) = memory;
        *matrix = *input;
        let scratch = scratch.as_flattened_mut().get_mut(..E::scratch_len(N))?;
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

fn filled<const N: usize, const D: usize, const R: usize, const P: usize>(
    learner: &mut GaussianLearner<D, N, R, P>,
    samples: &[[f32; D]; N],
) -> Option<()> {
    samples.iter().try_for_each(|sample| learner.push(sample).ok())
}

/// Learning as a device does it: scaling, cross-fitted threshold, model, inspection.
pub struct Learn<const N: usize, const D: usize, const R: usize, const P: usize>(
    &'static mut GaussianLearner<D, N, R, P>,
);

impl<const N: usize, const D: usize, const R: usize, const P: usize> Task for Learn<N, D, R, P> {
    type Input = [[f32; D]; N];
    const INPUT: Self::Input = inputs::raw();
    type Memory = GaussianLearner<D, N, R, P>;
    const MEMORY: Self::Memory = GaussianLearner::new();
    fn prepare(input: &'static Self::Input, memory: &'static mut Self::Memory) -> Option<Self> {
        filled(memory, input)?;
        Some(Self(memory))
    }
    fn run(&mut self) -> bool {
        let learned =
            black_box(self.0.learn(black_box(Rbf::for_inputs(D)), Recipe::default())).is_ok();
        black_box(&self.0);
        learned
    }
}

/// The same in little RAM.
pub struct LearnLean<const N: usize, const D: usize, const R: usize, const P: usize>(
    &'static mut LeanLearner<D, N, R, P>,
);

impl<const N: usize, const D: usize, const R: usize, const P: usize> Task
    for LearnLean<N, D, R, P>
{
    type Input = [[f32; D]; N];
    const INPUT: Self::Input = inputs::raw();
    type Memory = LeanLearner<D, N, R, P>;
    const MEMORY: Self::Memory = LeanLearner::new();
    fn prepare(input: &'static Self::Input, memory: &'static mut Self::Memory) -> Option<Self> {
        input.iter().try_for_each(|sample| memory.push(sample).ok())?;
        Some(Self(memory))
    }
    fn run(&mut self) -> bool {
        let learned =
            black_box(self.0.learn(black_box(Rbf::for_inputs(D)), Recipe::default())).is_ok();
        black_box(&self.0);
        learned
    }
}

/// How a learner begins that takes its time, with samples left out or not.
fn begin<const N: usize, const D: usize, const R: usize, const P: usize>(
    learner: &mut GaussianLearner<D, N, R, P>,
    trim: bool,
) -> Option<()> {
    let recipe = if trim { Recipe::default().trim(TRIMMED) } else { Recipe::default() };
    learner.begin(black_box(Rbf::for_inputs(D)), black_box(recipe)).ok()
}

const TRIMMED: f32 = 0.05;

/// The beginning of learning in steps.
pub struct Begin<const N: usize, const D: usize, const R: usize, const P: usize, const TRIM: bool>(
    &'static mut GaussianLearner<D, N, R, P>,
);

impl<const N: usize, const D: usize, const R: usize, const P: usize, const TRIM: bool> Task
    for Begin<N, D, R, P, TRIM>
{
    type Input = [[f32; D]; N];
    const INPUT: Self::Input = inputs::raw();
    type Memory = GaussianLearner<D, N, R, P>;
    const MEMORY: Self::Memory = GaussianLearner::new();
    fn prepare(input: &'static Self::Input, memory: &'static mut Self::Memory) -> Option<Self> {
        filled(memory, input)?;
        Some(Self(memory))
    }
    fn run(&mut self) -> bool {
        let begun = begin(self.0, TRIM);
        black_box(&self.0);
        begun.is_some()
    }
}

/// The longest step of learning. A first learner tells which it is, a second one stops before it.
pub struct LongestStep<
    const N: usize,
    const D: usize,
    const R: usize,
    const P: usize,
    const TRIM: bool,
>(&'static mut GaussianLearner<D, N, R, P>);

impl<const N: usize, const D: usize, const R: usize, const P: usize, const TRIM: bool> Task
    for LongestStep<N, D, R, P, TRIM>
{
    type Input = [[f32; D]; N];
    const INPUT: Self::Input = inputs::raw();
    type Memory = [GaussianLearner<D, N, R, P>; 2];
    const MEMORY: Self::Memory = [const { GaussianLearner::new() }; 2];
    const RAM: usize = size_of::<GaussianLearner<D, N, R, P>>();
    fn prepare(input: &'static Self::Input, memory: &'static mut Self::Memory) -> Option<Self> {
        let [first, second] = memory;
        filled(first, input)?;
        begin(first, TRIM)?;
        let (mut longest, mut most, mut step, mut progress) = (0, 0, 0, Progress::Working);
        while progress == Progress::Working {
            let mut after = None;
            let took = elapsed(|| after = first.step().ok());
            progress = after?;
            if took > most {
                (longest, most) = (step, took);
            }
            step += 1;
        }
        filled(second, input)?;
        begin(second, TRIM)?;
        for _ in 0..longest {
            let _ = second.step().ok()?;
        }
        Some(Self(second))
    }
    fn run(&mut self) -> bool {
        let done = black_box(self.0.step());
        black_box(&self.0);
        done.is_ok()
    }
}
