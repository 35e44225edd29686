//! Detectors of any size and kernel, learned from made-up readings, and how well they see.
#![allow(dead_code, reason = "every test program uses a part of it")]

use mercer::detect::persist::Encode;
use mercer::detect::{DetectorBuffer, LearnReport, Verdict};
use mercer::kernel::BlockKernel;
use mercer::math::Real;
use mercer::{Error, Recipe};

use crate::common::{Grid, Random};

/// What an input is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Input {
    Normal,
    /// 1 in this share of the readings, else 0.
    Rare(f64),
    /// So many levels, the outer ones as rare as a normal distribution has it.
    Levels(u32),
    /// Student's distribution of so many degrees of freedom.
    Heavy(usize),
    Lognormal,
    Constant,
}

impl Input {
    pub(crate) fn value(self, random: &mut Random) -> f64 {
        match self {
            Self::Normal => random.normal(),
            Self::Rare(share) => f64::from(u8::from(random.uniform() < share)),
            Self::Levels(levels) => {
                let most = f64::from(levels - 1) / 2.0;
                (random.normal() + most).round().clamp(0.0, 2.0 * most)
            }
            Self::Heavy(freedom) => {
                let squares: f64 = (0..freedom).map(|_| random.normal().powi(2)).sum();
                random.normal() / (squares / freedom as f64).sqrt()
            }
            Self::Lognormal => random.normal().exp(),
            Self::Constant => 20.0,
        }
    }
}

/// Numbers for one of many cases.
pub(crate) fn random(seed: u64) -> Random {
    let mut random = Random(seed * 7919 + 1);
    // Neighbouring seeds begin alike.
    for _ in 0..10 {
        random.uniform();
    }
    random
}

/// A reading.
pub(crate) fn row<T: Real>(inputs: &[Input], random: &mut Random) -> Vec<T> {
    inputs.iter().map(|input| T::from_f64(input.value(random))).collect()
}

/// Some readings.
pub(crate) fn rows<T: Real>(inputs: &[Input], n: usize, random: &mut Random) -> Grid<T> {
    Grid::from_fn(n, inputs.len(), |_, j| T::from_f64(inputs[j].value(random)))
}

/// Room for points, as `DESIGN.md` advises.
pub(crate) const POINTS: usize = 48;

/// A detector that judges readings, and what was reported when it was learned.
pub(crate) struct Learned<'a, T> {
    pub(crate) report: LearnReport<T>,
    /// The SPE of a reading infinitely far away.
    pub(crate) far_field: Option<T>,
    judge: &'a dyn Fn(&[T]) -> Verdict<T>,
}

impl<T: Real> Learned<'_, T> {
    pub(crate) fn judge(&self, x: &[T]) -> Verdict<T> {
        (self.judge)(x)
    }

    pub(crate) fn alarms(&self, x: &[T]) -> bool {
        self.judge(x).unusual
    }

    /// The share of some readings that raise an alarm.
    pub(crate) fn rate(&self, readings: impl IntoIterator<Item = Vec<T>>) -> f64 {
        let (mut alarms, mut count) = (0, 0);
        for x in readings {
            alarms += usize::from(self.alarms(&x));
            count += 1;
        }
        alarms as f64 / f64::from(count)
    }
}

/// Learns from rows of readings, and hands the detector to `look`.
pub(crate) fn learn<K, T, A>(
    samples: &Grid<T>,
    kernel: K,
    recipe: Recipe<T>,
    look: impl FnOnce(Learned<'_, T>) -> A,
) -> Result<A, Error>
where
    T: Real + Encode,
    K: BlockKernel<[T], Scalar = T> + Clone + Encode,
{
    let (n, d) = (samples.rows, samples.columns);
    let r = POINTS.min(n);
    let mut memory = vec![T::ZERO; DetectorBuffer::<K, T>::numbers(d, r, r)];
    let mut detector = DetectorBuffer::new(d, r, r, &mut memory)?;
    let mut numbers = vec![T::ZERO; detector.learn_numbers(n)];
    let mut indices = vec![0; detector.learn_indices(n)];
    let report = detector.learn(&samples.view(), kernel, recipe, &mut numbers, &mut indices)?;
    let view = detector.view()?;
    let judge = |x: &[T]| {
        let mut projection = vec![T::ZERO; report.fit.components];
        view.score(&mut x.to_vec(), &mut projection).unwrap()
    };
    let far_field = view.model.far_field();
    Ok(look(Learned { report: report.clone(), far_field, judge: &judge }))
}
