//! The choices of a fit, as options.

use std::fmt;

use clap::{Args, FromArgMatches, ValueEnum};
use mercer::detect::{FalseAlarms, FoldOrder};
use mercer::kpca::Components;
use mercer::{Error, Recipe};
use serde::{Deserialize, Serialize};

use crate::grid::Grid;
use crate::kernel::gamma_for;
use crate::logs::{LogChoice, log_choice};
use crate::{KernelSpec, Number, Precision};

/// The choices of a fit.
#[derive(Args, Clone, Debug)]
pub(crate) struct Choices {
    /// How two readings are compared
    #[arg(long, value_enum, default_value_t = KernelName::Rbf)]
    pub kernel: KernelName,
    /// Inverse width of rbf and laplacian, factor of the inner product of poly and sigmoid. `auto`
    /// for the first two: 1/(8 × inputs) for scaled inputs, else 1/(8 × median squared
    /// distance); for the others 1/inputs
    #[arg(long, value_name = "G|auto", default_value = "auto", value_parser = gamma, allow_negative_numbers = true)]
    pub gamma: Gamma,
    /// Exponent of poly
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub degree: u32,
    /// Constant term of poly and sigmoid
    #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
    pub coef0: f64,
    /// Keep exactly this many components: directions in which normal readings differ from each
    /// other, the strongest first
    #[arg(long, value_name = "P", conflicts_with = "variance", value_parser = count)]
    pub components: Option<usize>,
    /// Keep as few components as explain this share of the variance
    #[arg(long, value_name = "SHARE", default_value_t = 0.99)]
    pub variance: f64,
    /// At most so many landmarks: training readings that the model keeps, and compares each new
    /// one with. `all` keeps each (exact kernel PCA)
    #[arg(long, value_name = "R|all", default_value = "48", value_parser = points)]
    pub landmarks: Points,
    /// Whether each input is brought to mean 0 and deviation 1
    #[arg(long, value_enum, default_value_t = Scale::Standard)]
    pub scale: Scale,
    /// Inputs whose logarithm is taken before: deviations, RMS values, energies. `auto`: where all
    /// values are positive, the largest at least 4 times the smallest, and the logarithm makes
    /// them less skewed; of windows, only std, rms, p2p and mad. Below half the smallest value, a
    /// reading counts as that
    #[arg(long, value_name = "auto|none|NAME,…", default_value = "auto", value_parser = log_choice)]
    pub log: LogChoice,
    /// The numbers that the model is made of
    #[arg(long, value_enum, default_value_t = Precision::F32)]
    pub precision: Precision,
    /// The share of normal readings that may be unusual (an alarm takes more than one)
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    pub alpha: f64,
    /// Parts that the samples are dealt into to calibrate the threshold: each is scored by a model
    /// of the others
    #[arg(long, value_name = "F", default_value_t = 4)]
    pub folds: usize,
    /// contiguous: for readings that follow each other in time; interleaved: for independent ones
    #[arg(long, value_enum, default_value_t = Order::Contiguous)]
    pub fold_order: Order,
    /// Leave out this share of the samples, those that score worst
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    pub trim: f64,
}

/// A kernel by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KernelName {
    /// Gaussian: exp(−γ‖x−y‖²)
    Rbf,
    /// (γ x·y + coef0)^degree
    Poly,
    /// tanh(γ x·y + coef0)
    Sigmoid,
    /// x·y: ordinary PCA
    Linear,
    /// exp(−γ‖x−y‖₁)
    Laplacian,
    /// x·y/(‖x‖‖y‖)
    Cosine,
}

/// `--gamma`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Gamma {
    /// By a rule.
    Auto,
    /// As given.
    Value(f64),
}

fn gamma(text: &str) -> Result<Gamma, String> {
    match text {
        "auto" => Ok(Gamma::Auto),
        _ => text.parse().map(Gamma::Value).map_err(|_| "a number or `auto`".into()),
    }
}

fn count(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&count| count > 0).ok_or_else(|| "a number > 0".into())
}

/// `--landmarks`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Points {
    /// So many at the most.
    Most(usize),
    /// Each sample.
    All,
}

impl Points {
    /// How many a model of so many samples has at the most.
    pub(crate) fn of(self, samples: usize) -> usize {
        match self {
            Self::Most(points) => points.min(samples),
            Self::All => samples,
        }
    }
}

fn points(text: &str) -> Result<Points, String> {
    match text {
        "all" => Ok(Points::All),
        _ => count(text).map(Points::Most).map_err(|error| format!("{error} or `all`")),
    }
}

/// `--scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scale {
    /// Mean 0 and deviation 1.
    Standard,
    /// Inputs as they are.
    None,
}

/// `--fold-order`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Order {
    /// In blocks.
    Contiguous,
    /// In turn.
    Interleaved,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Contiguous => "contiguous",
            Self::Interleaved => "interleaved",
        })
    }
}

impl From<Order> for FoldOrder {
    fn from(order: Order) -> Self {
        match order {
            Order::Contiguous => Self::Contiguous,
            Order::Interleaved => Self::Interleaved,
        }
    }
}

/// What the options are when none is given.
impl Default for Choices {
    fn default() -> Self {
        let command = Self::augment_args(clap::Command::new("fit"));
        Self::from_arg_matches(&command.get_matches_from(["fit"]))
            .expect("every option has a default")
    }
}

impl Choices {
    /// How many models a fit makes: for each fold, again where samples are left out, and the last.
    pub(crate) fn fits(&self) -> u64 {
        let rounds = if self.trim > 0.0 { 2 } else { 1 };
        (self.folds as u64).saturating_mul(rounds).saturating_add(1)
    }

    pub(crate) fn recipe<T: Number>(&self) -> Recipe<T> {
        let components = match self.components {
            Some(count) => Components::Fixed(count),
            None => Components::Share(T::from_f64(self.variance)),
        };
        Recipe::default()
            .standardise(self.scale == Scale::Standard)
            .components(components)
            .folds(self.folds)
            .order(self.fold_order.into())
            .false_alarms(FalseAlarms::Share(T::from_f64(self.alpha)))
            .trim(T::from_f64(self.trim))
    }

    /// The kernel for these samples.
    pub(crate) fn kernel<T: Number>(&self, samples: &Grid<T>) -> Result<KernelSpec<T>, Error> {
        let inputs = samples.columns() as f64;
        let width = || match (self.gamma, self.scale) {
            (Gamma::Value(gamma), _) => Ok(T::from_f64(gamma)),
            (Gamma::Auto, Scale::Standard) => Ok(T::from_f64(1.0 / (8.0 * inputs))),
            (Gamma::Auto, Scale::None) => gamma_for(samples),
        };
        let factor = match self.gamma {
            Gamma::Value(gamma) => T::from_f64(gamma),
            Gamma::Auto => T::from_f64(1.0 / inputs),
        };
        let coef0 = T::from_f64(self.coef0);
        Ok(match self.kernel {
            KernelName::Rbf => KernelSpec::Rbf { gamma: width()? },
            KernelName::Laplacian => KernelSpec::Laplacian { gamma: width()? },
            KernelName::Poly => KernelSpec::Poly { gamma: factor, coef0, degree: self.degree },
            KernelName::Sigmoid => KernelSpec::Sigmoid { gamma: factor, coef0 },
            KernelName::Linear => KernelSpec::Linear {},
            KernelName::Cosine => KernelSpec::Cosine {},
        })
    }
}
