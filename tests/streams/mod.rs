//! Streams of readings to calibrate on, of known kinds, and learning from them in memory whose
//! sizes are run-time values.

// Every test program uses its own part of it.
#![allow(dead_code)]

use mercer::Recipe;
use mercer::detect::LearnReport;
use mercer::kpca::Score;

use crate::common::{Grid, Random};
use crate::evaluation::{Width, learn, standardised};

/// How readings come about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Independent inputs, independent readings.
    Gaussian,
    /// Two hidden states that all inputs see, and noise; readings are independent.
    Correlated,
    /// Student's t with three degrees of freedom; readings are independent.
    HeavyTailed,
    /// Whole numbers, about nine of them; readings are independent.
    Discrete,
    /// Three modes of operation in random turn; readings are independent.
    Mixture,
    /// Each input is an autoregression: `φ` times its last value, and noise; of variance 1.
    Autoregressive(f64),
    /// Independent noise around a mean that moves by so many deviations while the samples are
    /// taken, and goes on for a quarter of that time.
    Drift(f64),
}

/// The kinds whose readings are independent of each other and keep their distribution.
pub(crate) const INDEPENDENT: [Kind; 5] =
    [Kind::Gaussian, Kind::Correlated, Kind::HeavyTailed, Kind::Discrete, Kind::Mixture];

impl Kind {
    pub(crate) fn name(self) -> String {
        match self {
            Self::Gaussian => "Gaussian".into(),
            Self::Correlated => "correlated inputs".into(),
            Self::HeavyTailed => "heavy tails".into(),
            Self::Discrete => "discrete".into(),
            Self::Mixture => "mixture".into(),
            Self::Autoregressive(phi) => format!("AR(1), φ = {phi}"),
            Self::Drift(by) => format!("drift by {by} σ"),
        }
    }

    /// `n` samples and then `fresh` readings of `inputs` inputs, one a row.
    pub(crate) fn readings(
        self,
        (n, fresh): (usize, usize),
        inputs: usize,
        seed: u64,
    ) -> Grid<f64> {
        // Neighbouring seeds give unlike streams.
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66);
        for _ in 0..8 {
            random.uniform();
        }
        let mut last = vec![0.0; inputs];
        last.iter_mut().for_each(|x| *x = random.normal());
        let mut row = vec![0.0; inputs];
        let mut data = Vec::with_capacity((n + fresh) * inputs);
        for t in 0..n + fresh {
            let after = t.saturating_sub(n) as f64 / fresh.max(1) as f64;
            let time = (t as f64 / n as f64).min(1.0) + after / 4.0;
            self.fill(&mut row, &mut last, time, &mut random);
            data.extend_from_slice(&row);
            // What is learned must not be judged by readings that remember it.
            if t + 1 == n && matches!(self, Self::Autoregressive(_)) {
                last.iter_mut().for_each(|x| *x = random.normal());
            }
        }
        Grid { rows: n + fresh, columns: inputs, data }
    }

    fn fill(self, row: &mut [f64], last: &mut [f64], time: f64, random: &mut Random) {
        let states = [random.normal(), random.normal()];
        let mode = random.uniform();
        for (i, x) in row.iter_mut().enumerate() {
            let noise = random.normal();
            *x = match self {
                Self::Gaussian => noise,
                Self::Correlated => {
                    let angle = i as f64;
                    libm::cos(angle) * states[0] + libm::sin(angle) * states[1] + 0.3 * noise
                }
                Self::HeavyTailed => {
                    let squares: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
                    noise / (squares / 3.0).sqrt()
                }
                Self::Discrete => (2.0 * noise).round(),
                Self::Mixture => {
                    let mean = if mode < 0.5 {
                        0.0
                    } else if mode < 0.8 {
                        4.0
                    } else {
                        -5.0
                    };
                    noise + if i % 2 == 0 { mean } else { mean * mean / 5.0 }
                }
                Self::Autoregressive(phi) => {
                    last[i] = phi * last[i] + (1.0 - phi * phi).sqrt() * noise;
                    last[i]
                }
                Self::Drift(by) => noise + by * time,
            };
        }
    }
}

/// What was learned from the first `n` rows, and the scores of the others.
pub(crate) struct Trial {
    pub(crate) report: LearnReport<f64>,
    pub(crate) fresh: Vec<Score<f64>>,
    pub(crate) crossfit_spe: Vec<f64>,
}

impl Trial {
    pub(crate) fn of(
        readings: &Grid<f64>,
        n: usize,
        points: usize,
        recipe: Recipe<f64>,
    ) -> Option<Self> {
        let training: Vec<u32> = (0..n as u32).collect();
        let judged: Vec<u32> = (n as u32..readings.rows as u32).collect();
        let rows = standardised(readings, &training);
        let width = Width::Inputs(readings.columns);
        let learned = learn(&rows.view(), &training, &judged, points.min(n), recipe, width).ok()?;
        let crossfit_spe = learned.crossfit_spe;
        Some(Self { report: learned.report, fresh: learned.scores, crossfit_spe })
    }

    /// The share of fresh readings whose SPE raises an alarm.
    pub(crate) fn spe_rate(&self) -> f64 {
        share(self.fresh.iter().map(|score| score.spe > self.report.threshold.spe))
    }
}

/// The share of what is true.
pub(crate) fn share(flags: impl IntoIterator<Item = bool>) -> f64 {
    let (count, all) =
        flags.into_iter().fold((0, 0), |(c, n), flag| (c + usize::from(flag), n + 1));
    f64::from(count as u32) / f64::from(all.max(1))
}
