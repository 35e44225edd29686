//! Samples in, a model out: the library's learning on memory of run-time sizes.

use anyhow::{Context, Result, anyhow};
use clap::{Args, FromArgMatches, ValueEnum};
use mercer::fit::{Report, exact};
use mercer::learn::Learning;
use mercer::samples::Indexed;
use mercer::{
    Components, Error, FalseAlarms, FoldOrder, Kernel, Landmarks, Progress, Recipe, Samples,
    Thresholds, Watch, scaling,
};

use crate::grid::Grid;
use crate::kernel::{gamma_for, with_kernel};
use crate::memory::{ExactMemory, Memory, Weights};
use crate::model::{Model, Training, fold_order_name};
use crate::table::Loaded;
use crate::{KernelSpec, Number, Precision};

/// The choices of a fit.
#[derive(Args, Clone, Debug)]
pub struct Choices {
    /// How two readings are compared
    #[arg(long, value_enum, default_value_t = KernelName::Rbf)]
    pub kernel: KernelName,
    /// Inverse width of rbf and laplacian, factor of the inner product of poly and sigmoid. `auto` for the first two: 1/(8 × inputs) for scaled inputs,
    /// else 1/(8 × median squared distance); for the others 1/inputs
    #[arg(long, value_name = "G|auto", default_value = "auto", value_parser = gamma, allow_negative_numbers = true)]
    pub gamma: Gamma,
    /// Exponent of poly
    #[arg(long, default_value_t = 3)]
    pub degree: u32,
    /// Constant term of poly and sigmoid
    #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
    pub coef0: f64,
    /// Keep exactly this many components
    #[arg(long, value_name = "P", conflicts_with = "variance")]
    pub components: Option<usize>,
    /// Keep as few components as explain this share of the variance
    #[arg(long, value_name = "SHARE", default_value_t = 0.99)]
    pub variance: f64,
    /// Points of the model; `all` makes each sample one (exact kernel PCA)
    #[arg(long, value_name = "R|all", default_value = "48", value_parser = points)]
    pub landmarks: Points,
    /// Whether each input is brought to mean 0 and deviation 1
    #[arg(long, value_enum, default_value_t = Scale::Standard)]
    pub scale: Scale,
    /// The numbers that the model is made of
    #[arg(long, value_enum, default_value_t = Precision::F32)]
    pub precision: Precision,
    /// The share of normal readings that may raise an alarm
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    pub alpha: f64,
    /// Parts that the samples are dealt into to calibrate thresholds: each is scored by a model of the others
    #[arg(long, value_name = "F", default_value_t = 4)]
    pub folds: usize,
    /// contiguous: for readings that follow each other in time; interleaved: for independent ones
    #[arg(long, value_enum, default_value_t = Order::Contiguous)]
    pub fold_order: Order,
    /// Leave out this share of the samples, those that score worst
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    pub trim: f64,
    /// Which scores can raise an alarm
    #[arg(long, value_enum, default_value_t = WatchName::Spe)]
    pub watch: WatchName,
}

/// A kernel by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KernelName {
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
pub enum Gamma {
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

/// `--landmarks`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Points {
    /// So many at the most.
    Most(usize),
    /// Each sample.
    All,
}

fn points(text: &str) -> Result<Points, String> {
    match text.parse() {
        _ if text == "all" => Ok(Points::All),
        Ok(count) if count > 0 => Ok(Points::Most(count)),
        _ => Err("a number > 0 or `all`".into()),
    }
}

/// `--scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scale {
    /// Mean 0 and deviation 1.
    Standard,
    /// Inputs as they are.
    None,
}

/// `--fold-order`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// In blocks.
    Contiguous,
    /// In turn.
    Interleaved,
}

impl From<Order> for FoldOrder {
    fn from(order: Order) -> Self {
        match order {
            Order::Contiguous => Self::Contiguous,
            Order::Interleaved => Self::Interleaved,
        }
    }
}

/// `--watch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WatchName {
    /// What the components do not explain
    Spe,
    /// How far along the components
    T2,
    /// Either
    Both,
}

impl From<WatchName> for Watch {
    fn from(watch: WatchName) -> Self {
        match watch {
            WatchName::Spe => Self::Spe,
            WatchName::T2 => Self::T2,
            WatchName::Both => Self::Both,
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
    fn recipe<T: Number>(&self) -> Recipe<T> {
        Recipe {
            standardise: self.scale == Scale::Standard,
            landmarks: Landmarks::Room,
            components: match self.components {
                Some(count) => Components::Fixed(count),
                None => Components::Share(T::from_f64(self.variance)),
            },
            folds: self.folds,
            order: self.fold_order.into(),
            false_alarms: FalseAlarms::Share(T::from_f64(self.alpha)),
            watch: self.watch.into(),
            trim: T::from_f64(self.trim),
        }
    }

    /// The kernel for these samples.
    fn kernel<T: Number>(&self, samples: &Grid<T>) -> Result<KernelSpec<T>, Error> {
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
            KernelName::Linear => KernelSpec::Linear,
            KernelName::Cosine => KernelSpec::Cosine,
        })
    }
}

/// Learns a model. `step` is called after each piece of the work.
pub fn learn<T: Number>(
    data: &Loaded<T>,
    choices: &Choices,
    step: &mut dyn FnMut(),
) -> Result<Model<T>> {
    let mut samples = data.samples.clone();
    let (mean, deviation) = scale(&mut samples, choices).context(data.name.clone())?;
    let kernel = choices.kernel(&samples)?;
    let fitted = with_kernel!(kernel, T, kernel => fit(&samples, kernel, choices, step));
    let fitted = fitted.map_err(|error| explain(error, data))?;
    let training = fitted.training(choices, &data.columns);
    Ok(Model {
        columns: data.columns.clone(),
        kernel,
        mean,
        deviation,
        points: fitted.points,
        weights: fitted.weights,
        thresholds: fitted.thresholds,
        training,
    })
}

/// Scales the samples; returns mean and deviation.
fn scale<T: Number>(samples: &mut Grid<T>, choices: &Choices) -> Result<(Vec<T>, Vec<T>), Error> {
    let inputs = samples.columns();
    let (mut mean, mut deviation) = (vec![T::ZERO; inputs], vec![T::ONE; inputs]);
    if choices.scale == Scale::Standard {
        let outliers = (choices.trim.clamp(0.0, 0.5) * samples.rows() as f64) as usize;
        let mut column = vec![T::ZERO; samples.rows()];
        scaling::learn_clamped(samples, outliers, &mut column, &mut mean, &mut deviation);
        scaling::validate(&mean, &deviation)?;
        for row in samples.iter_rows_mut() {
            scaling::apply(row, &mean, &deviation);
        }
    }
    Ok((mean, deviation))
}

/// A model without its kernel and scaling.
struct Fitted<T> {
    points: Grid<T>,
    weights: Weights<T>,
    thresholds: Thresholds<T>,
    report: Report<T>,
    trimmed: usize,
    warnings: Vec<mercer::Warning>,
    /// Why it cannot tell normal from anomalous readings.
    useless: Option<Error>,
}

fn fit<T, K>(
    samples: &Grid<T>,
    kernel: &K,
    choices: &Choices,
    step: &mut dyn FnMut(),
) -> Result<Fitted<T>, Error>
where
    T: Number,
    K: Kernel<[T], Scalar = T> + Clone,
{
    let n = samples.rows();
    let room = match choices.landmarks {
        Points::Most(points) => points.min(n),
        Points::All => n,
    };
    let components = choices.components.unwrap_or(room);
    let mut memory = Memory::new(n, room, components);
    let mut scratch = memory.scratch();
    let mut learning = Learning::start(choices.recipe(), 0..n as u32, &mut scratch)?;
    let useless = loop {
        step();
        match learning.step(samples, |_: &Indexed<'_, _>| Ok(kernel.clone()), &mut scratch) {
            Ok(Progress::Working) => {}
            Ok(Progress::Done) => break None,
            Err(error) if learning.result().is_some() => break Some(error),
            Err(error) => return Err(error),
        }
    };
    let (_, learned) = learning.result().ok_or(Error::NotFitted)?;
    let kept = Indexed { samples, rows: &memory.rows[..n - learned.trimmed] };
    let mut fitted = Fitted {
        points: Grid::new(samples.columns()),
        weights: memory.candidate,
        thresholds: learned.thresholds,
        report: learned.fit,
        trimmed: learned.trimmed,
        warnings: learned.warnings().to_vec(),
        useless,
    };
    if choices.landmarks == Points::All {
        fitted.make_exact(kernel, &kept, learned.fit.components)?;
        step();
    } else {
        let pivots = &memory.pivots[..learned.fit.points];
        let points = Indexed { samples: &kept, rows: pivots };
        points.iter_samples().for_each(|point| fitted.points.push(point));
    }
    fitted.weights = fitted.weights.fitted();
    Ok(fitted)
}

/// The thresholds for exact kernel PCA on samples that are scaled already.
pub(crate) fn calibrate<T, K>(
    samples: &Grid<T>,
    kernel: &K,
    choices: &Choices,
    step: &mut dyn FnMut(),
) -> Result<Thresholds<T>, Error>
where
    T: Number,
    K: Kernel<[T], Scalar = T> + Clone,
{
    let fitted = fit(samples, kernel, choices, step)?;
    fitted.useless.map_or(Ok(fitted.thresholds), Err)
}

impl<T: Number> Fitted<T> {
    /// Replaces landmarks that span all samples by all samples: the same model but for rounding, and with the signs of exact kernel PCA.
    fn make_exact<K, S>(&mut self, kernel: &K, samples: &S, components: usize) -> Result<(), Error>
    where
        S: Samples<View = [T]>,
        K: Kernel<[T], Scalar = T>,
    {
        let n = samples.count();
        self.weights = Weights::new(n, components);
        let mut memory = ExactMemory::new(n);
        let wish = Components::Fixed(components);
        let storage = &mut self.weights.storage();
        self.report = exact::fit(kernel, samples, wish, &mut memory.scratch(), storage)?;
        samples.iter_samples().for_each(|sample| self.points.push(sample));
        Ok(())
    }

    fn training(&self, choices: &Choices, columns: &[String]) -> Training {
        let mut warnings: Vec<String> =
            self.warnings.iter().map(|&warning| in_words(warning, columns)).collect();
        if let Some(error) = self.useless {
            warnings
                .push(format!("it projects readings but cannot tell which are anomalous: {error}"));
        }
        Training {
            samples: self.report.samples,
            trimmed: self.trimmed,
            explained: self.report.explained.to_f64(),
            unspanned: self.report.unspanned.to_f64(),
            rank: self.report.rank,
            false_alarms: Some(choices.alpha),
            folds: choices.folds,
            fold_order: fold_order_name(choices.fold_order.into()).into(),
            warnings,
        }
    }
}

/// A warning with the names of columns.
fn in_words(warning: mercer::Warning, columns: &[String]) -> String {
    let name = |first: usize| columns.get(first).map_or("", String::as_str);
    match warning {
        mercer::Warning::ConstantInputs { first, count: 1 } => {
            format!("input {} never changed", name(first))
        }
        mercer::Warning::ConstantInputs { first, count } => {
            format!("{count} inputs never changed, the first is {}", name(first))
        }
        mercer::Warning::StuckInputs { first, count: 1 } => {
            format!("input {} was stuck for half of the time", name(first))
        }
        mercer::Warning::StuckInputs { first, count } => {
            format!("{count} inputs were stuck for half of the time, the first is {}", name(first))
        }
        other => other.to_string(),
    }
}

/// An error of the library in the words of the file.
fn explain<T: Number>(error: Error, data: &Loaded<T>) -> anyhow::Error {
    match error {
        Error::Sample { index, fault } => {
            let row = data.rows.get(index).copied().unwrap_or_default();
            anyhow!("{}: row {row} {fault}", data.name)
        }
        Error::TooFewSamples { given, needed } => anyhow!(
            "{}: {given} rows are too few, it takes at least {needed} (two for each fold)",
            data.name
        ),
        other => anyhow!("{}: {other}", data.name),
    }
}
