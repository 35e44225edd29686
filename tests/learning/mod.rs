//! A machine to learn from, learners of it, and a plain computation of what they learn.
#![allow(dead_code, reason = "every test program uses a part of it")]

use mercer::detect::{FalseAlarms, FoldOrder, LearnReport, Scaling};
use mercer::kernel::{BlockKernel, Rbf};
use mercer::kpca::{LandmarkWorkspace, Landmarks, Score};
use mercer::math::Real;
use mercer::{Error, KernelPca, Learner, Recipe};

/// A machine with two hidden states (load and speed), which four sensors see in units of their own.
pub(crate) struct Machine(pub u64);

/// What a deviation of 1 of a hidden state is in the units of each sensor.
pub(crate) const UNITS: [f64; 4] = [3.0, 0.5, 8.0, 0.1];

impl Machine {
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    /// A reading while the mean load is `load`.
    pub(crate) fn loaded<T: Real>(&mut self, load: f64) -> [T; 4] {
        let (load, speed) = (load + self.normal(), self.normal());
        let state = [load, speed, load + speed, load * speed];
        let offset = [20.0, 5.0, 100.0, 1.0];
        std::array::from_fn(|i| {
            T::from_f64(offset[i] + UNITS[i] * (state[i] + 0.2 * self.normal()))
        })
    }

    pub(crate) fn reading<T: Real>(&mut self) -> [T; 4] {
        self.loaded(0.0)
    }

    pub(crate) fn readings<T: Real>(&mut self, count: usize) -> Vec<[T; 4]> {
        (0..count).map(|_| self.reading()).collect()
    }
}

pub(crate) const N: usize = 60;
pub(crate) const R: usize = 20;
pub(crate) const P: usize = 16;

pub(crate) type Small<K, T> = Learner<K, [T; 4], N, R, P>;

pub(crate) fn filled<K, T, const N: usize, const R: usize, const P: usize>(
    samples: &[[T; 4]],
) -> Learner<K, [T; 4], N, R, P>
where
    T: Real,
    K: BlockKernel<[T], Scalar = T> + Clone,
{
    let mut learner = Learner::new();
    for x in samples {
        learner.push(x).unwrap();
    }
    learner
}

/// Learns from samples with the default sizes.
pub(crate) fn learn<K, T>(
    samples: &[[T; 4]],
    kernel: K,
    recipe: Recipe<T>,
) -> Result<(Small<K, T>, LearnReport<T>), Error>
where
    T: Real,
    K: BlockKernel<[T], Scalar = T> + Clone,
{
    let mut learner = filled(samples);
    let report = learner.learn(kernel, recipe)?.clone();
    Ok((learner, report))
}

pub(crate) fn rbf<T: Real>() -> Rbf<T> {
    Rbf::for_inputs(4)
}

pub(crate) fn share<T: Real>(alpha: f64) -> FalseAlarms<T> {
    FalseAlarms::Share(T::from_f64(alpha))
}

/// Everything there is in a learner; two that read the same are the same to the last bit.
pub(crate) fn state(learner: &impl std::fmt::Debug) -> String {
    format!("{learner:?}")
}

// A plain computation of the same thing.

pub(crate) fn scaled<T: Real>(samples: &[[T; 4]]) -> Vec<[T; 4]> {
    let scaling = Scaling::<[T; 4]>::learn(samples);
    samples.iter().map(|x| scaling.apply(x)).collect()
}

pub(crate) fn fit<K, T>(
    kernel: &K,
    samples: &[[T; 4]],
    recipe: &Recipe<T>,
) -> KernelPca<K, [T; 4], R, P>
where
    T: Real,
    K: BlockKernel<[T], Scalar = T> + Clone,
{
    let mut model = KernelPca::new();
    let mut workspace = LandmarkWorkspace::<T, N, R>::new();
    let landmarks = Landmarks::Rank(R);
    model
        .fit_landmarks(kernel.clone(), samples, landmarks, recipe.components, &mut workspace)
        .unwrap();
    model
}

/// Scores each sample by a model of the other folds.
pub(crate) fn cross_fit<K, T>(kernel: &K, samples: &[[T; 4]], recipe: &Recipe<T>) -> Vec<Score<T>>
where
    T: Real,
    K: BlockKernel<[T], Scalar = T> + Clone,
{
    let (n, folds) = (samples.len(), recipe.folds);
    cross_fit_by(kernel, samples, recipe, |i| match recipe.order {
        FoldOrder::Contiguous => i * folds / n,
        _ => i % folds,
    })
}

/// Scores each sample by a model of those that are not in its fold.
pub(crate) fn cross_fit_by<K, T>(
    kernel: &K,
    samples: &[[T; 4]],
    recipe: &Recipe<T>,
    fold_of: impl Fn(usize) -> usize,
) -> Vec<Score<T>>
where
    T: Real,
    K: BlockKernel<[T], Scalar = T> + Clone,
{
    let n = samples.len();
    let mut scores = vec![Score::default(); n];
    for fold in 0..recipe.folds {
        let in_fold = |&i: &usize| fold_of(i) == fold;
        let others: Vec<_> = (0..n).filter(|i| !in_fold(i)).map(|i| samples[i]).collect();
        let model = fit(kernel, &others, recipe);
        for i in (0..n).filter(in_fold) {
            // Point by point, as the learner does it before there is a model.
            let view = model.view().unwrap();
            let mut projection = vec![T::ZERO; view.expansion().components()];
            scores[i] = view.score(&samples[i], &mut projection).unwrap();
        }
    }
    scores
}

/// The `⌈(n+1)(1−α)⌉`-th smallest, `α` in thousandths.
pub(crate) fn quantile<T: Real>(scores: impl Iterator<Item = T>, thousandths: usize) -> T {
    let mut sorted: Vec<T> = scores.collect();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let rank = ((sorted.len() + 1) * (1000 - thousandths)).div_ceil(1000);
    sorted[rank.min(sorted.len()) - 1]
}
