//! Samples in, a model out: the library's learning on memory of run-time sizes.

use anyhow::{Result, anyhow, bail, ensure};
use mercer::detect::learning::Learning;
use mercer::detect::logs::{self, Log};
use mercer::detect::{LearnSizes, Threshold, Warning, scaling};
use mercer::error::Fault;
use mercer::kernel::{BlockKernel, Indexed, Samples};
use mercer::kpca::exact::{self, ExactScratch};
use mercer::kpca::{Components, FitReport};
use mercer::{Error, Progress};

use crate::Number;
use crate::choices::{Choices, Order, Points, Scale};
use crate::crossfit::cross_fit;
use crate::grid::Grid;
use crate::kernel::with_kernel;
use crate::loaded::Loaded;
use crate::memory::{Memory, Weights};
use crate::model::Model;
use crate::spread::spreads;
use crate::text::{excerpt, shorten};
use crate::training::{LONGEST_WARNING, Training};

/// Learns a model. `done` is called after each of the [models](Choices::fits) that it takes but the
/// last.
pub(crate) fn learn<T: Number>(
    data: &Loaded<T>,
    choices: &Choices,
    done: &mut dyn FnMut(),
) -> Result<Model<T>> {
    require_sizes(data, choices)?;
    let mut samples = data.samples.clone();
    let Scaling { mean, deviation, floor } = scale(&mut samples, data, choices)?;
    require_scale(data, &mean, &deviation)?;
    let kernel = choices.kernel(&samples).map_err(|error| explain(error, data))?;
    let fitted = with_kernel!(kernel, T, kernel => {
        fit(&samples, &data.begins(), kernel, choices, done)
    });
    let fitted = fitted.map_err(|error| explain(error, data))?;
    let training = fitted.training(choices, data);
    Ok(Model {
        front: None,
        columns: data.columns.clone(),
        kernel,
        mean,
        deviation,
        floor,
        quantiles: spreads(&data.samples),
        points: fitted.points,
        weights: fitted.weights,
        threshold: fitted.threshold,
        training,
    })
}

/// Checks all sizes before memory is taken for them.
fn require_sizes<T>(data: &Loaded<T>, choices: &Choices) -> Result<()> {
    let (name, rows) = (&data.name, data.lines.len());
    let points = choices.landmarks.of(rows);
    ensure!(
        are_affordable(rows, points),
        "{name}: {rows} {} with {points} landmarks need too much memory: lower --landmarks, or take fewer by --most",
        data.unit
    );
    Ok(())
}

/// Does a matrix of so many rows and columns leave room for others on a desk? This one has 1 GiB in
/// single precision.
pub(crate) fn are_affordable(rows: usize, columns: usize) -> bool {
    const MOST_ENTRIES: usize = 1 << 28;
    rows.checked_mul(columns).is_some_and(|entries| entries <= MOST_ENTRIES)
        && u32::try_from(rows).is_ok()
}

/// How raw inputs become those of the model.
struct Scaling<T> {
    mean: Vec<T>,
    deviation: Vec<T>,
    /// Empty if no input is logarithmic.
    floor: Vec<T>,
}

/// Learns the scaling, and scales the samples.
fn scale<T: Number>(
    samples: &mut Grid<T>,
    data: &Loaded<T>,
    choices: &Choices,
) -> Result<Scaling<T>> {
    let inputs = samples.columns();
    let (mut mean, mut deviation) = (vec![T::ZERO; inputs], vec![T::ONE; inputs]);
    let mut floor = vec![T::ZERO; inputs];
    let wishes = choices.log.of(&data.columns)?;
    if choices.scale == Scale::Standard {
        let outliers = choices.recipe::<T>().trimmed(samples.rows());
        let log = |input: usize| wishes[input];
        logs::learn(samples, outliers, log, &mut mean, &mut deviation, &mut floor)
            .map_err(|error| explain(error, data))?;
        for row in samples.iter_rows_mut() {
            logs::take(row, &floor);
            scaling::apply(row, &mean, &deviation);
        }
    } else {
        let wished = wishes.contains(&Log::Yes);
        ensure!(!wished, "--scale none takes inputs as they are: there is no --log with it");
    }
    if floor.iter().all(|&floor| floor == T::ZERO) {
        floor.clear();
    }
    Ok(Scaling { mean, deviation, floor })
}

/// Names the column that cannot be scaled.
fn require_scale<T: Number>(data: &Loaded<T>, mean: &[T], deviation: &[T]) -> Result<()> {
    let usable = |(mean, deviation)| {
        scaling::validate(std::slice::from_ref(mean), std::slice::from_ref(deviation)).is_ok()
    };
    match mean.iter().zip(deviation).position(|pair| !usable(pair)) {
        Some(input) => bail!(
            "{}: the values of column {} are too large to be scaled (--precision f64 may help)",
            data.name,
            excerpt(&data.columns[input])
        ),
        None => Ok(()),
    }
}

/// A model without its kernel and scaling.
struct Fitted<T> {
    points: Grid<T>,
    weights: Weights<T>,
    threshold: Threshold<T>,
    /// The share of false alarms that the samples support.
    false_alarms: f64,
    /// How often the scores that the threshold comes from raise the alarm.
    alarms: usize,
    report: FitReport<T>,
    trimmed: usize,
    warnings: Vec<mercer::detect::Warning>,
    /// Why it cannot tell normal from unusual readings.
    refused: Option<Error>,
}

fn fit<T, K>(
    samples: &Grid<T>,
    begins: &[usize],
    kernel: &K,
    choices: &Choices,
    done: &mut dyn FnMut(),
) -> Result<Fitted<T>, Error>
where
    T: Number,
    K: BlockKernel<[T], Scalar = T> + Clone + Send + Sync,
{
    let n = samples.rows();
    // Before anything is multiplied by what may be any number.
    if choices.folds > n / 2 {
        return Err(Error::TooFewSamples { given: n, needed: choices.folds.saturating_mul(2) });
    }
    require_samples(samples, kernel)?;
    let room = choices.landmarks.of(n);
    let components = choices.components.unwrap_or(room).min(room);
    let sizes = LearnSizes { samples: n, points: room, components };
    let mut memory = Memory::of(sizes);
    let mut scratch = memory.scratch();
    let mut learning = Learning::start(choices.recipe(), 0..n as u32, &mut scratch)?
        .with_recordings(begins.iter().copied())?;
    let refused = loop {
        // Where a fold begins, the one before it has ended.
        if learning.next_fold().is_some_and(|fold| fold > 0) {
            done();
        }
        cross_fit(&mut learning, samples, kernel, sizes, &mut scratch, done)?;
        match learning.step(samples, |_: &Indexed<'_, _>| Ok(kernel.clone()), &mut scratch) {
            Ok(Progress::Working) => {}
            Ok(Progress::Done) => break None,
            Err(error) if learning.result().is_some() => break Some(error),
            Err(error) => return Err(error),
        }
    };
    let (_, learned) = learning.result().ok_or(Error::NotFitted)?;
    let points: Vec<u32> = scratch.points(&learned).map(|row| row as u32).collect();
    let kept = Indexed { samples, rows: &scratch.rows[..n - learned.trimmed] };
    let mut fitted = Fitted {
        points: Grid::new(samples.columns()),
        weights: Weights::of(scratch.candidate.view()),
        threshold: match refused {
            Some(_) => Threshold::EMPTY,
            None => learned.threshold,
        },
        false_alarms: match learned.false_alarms > learned.wished {
            true => learned.false_alarms.to_f64(),
            false => choices.alpha,
        },
        alarms: learned.alarms,
        report: learned.fit,
        trimmed: learned.trimmed,
        warnings: learned.warnings().to_vec(),
        refused,
    };
    if choices.landmarks == Points::All {
        fitted.make_exact(kernel, &kept, learned.fit.components)?;
    } else {
        let points = Indexed { samples, rows: &points };
        points.iter_samples().for_each(|point| fitted.points.push(point));
    }
    Ok(fitted)
}

/// Can the kernel compare all samples? Asked here, before they are dealt into folds, so that errors
/// name them as the file does.
fn require_samples<T, K>(samples: &Grid<T>, kernel: &K) -> Result<(), Error>
where
    T: Number,
    K: BlockKernel<[T], Scalar = T>,
{
    kernel.validate()?;
    let peer = samples.sample(0).unwrap_or_default();
    for (index, x) in samples.iter_samples().enumerate() {
        kernel.check(x, peer).map_err(|fault| Error::Sample { index, fault })?;
        if !kernel.diagonal(x).is_finite() {
            return Err(Error::Sample { index, fault: Fault::Overflow });
        }
    }
    Ok(())
}

/// The threshold for exact kernel PCA on samples that are scaled already.
pub(crate) struct Calibrated<T> {
    pub(crate) threshold: Threshold<T>,
    /// The share of false alarms that the samples support.
    pub(crate) false_alarms: f64,
    /// How often their scores raise the alarm.
    pub(crate) alarms: usize,
}

/// Calibrates it.
pub(crate) fn calibrate<T, K>(
    samples: &Grid<T>,
    kernel: &K,
    choices: &Choices,
    done: &mut dyn FnMut(),
) -> Result<Calibrated<T>, Error>
where
    T: Number,
    K: BlockKernel<[T], Scalar = T> + Clone + Send + Sync,
{
    let Fitted { threshold, false_alarms, alarms, refused, .. } =
        fit(samples, &[], kernel, choices, done)?;
    refused.map_or(Ok(Calibrated { threshold, false_alarms, alarms }), Err)
}

impl<T: Number> Fitted<T> {
    /// Replaces landmarks that span all samples by all samples: the same model but for rounding,
    /// and with the signs of exact kernel PCA.
    fn make_exact<K, S>(&mut self, kernel: &K, samples: &S, components: usize) -> Result<(), Error>
    where
        S: Samples<View = [T]>,
        K: BlockKernel<[T], Scalar = T>,
    {
        let n = samples.count();
        self.weights = Weights::new(n, components);
        let mut numbers = vec![T::ZERO; ExactScratch::<T>::numbers(n)];
        let mut scratch = ExactScratch::<T>::over(n, &mut numbers)?;
        let wish = Components::Fixed(components);
        let storage = &mut self.weights.storage();
        self.report = exact::fit(kernel, samples, wish, &mut scratch, storage)?;
        samples.iter_samples().for_each(|sample| self.points.push(sample));
        Ok(())
    }

    fn training(&self, choices: &Choices, data: &Loaded<T>) -> Training {
        let recordings = data.begins().len() + 1;
        let mut warnings: Vec<String> =
            self.warnings.iter().map(|&warning| in_words(warning, data)).collect();
        let of_data = data.warnings.iter().chain(&data.omissions);
        warnings.extend(of_data.map(|warning| shorten(warning, LONGEST_WARNING)));
        Training {
            samples: self.report.samples,
            trimmed: self.trimmed,
            explained: self.report.explained.to_f64(),
            unspanned: self.report.unspanned.to_f64(),
            rank: self.report.rank,
            false_alarms: self.refused.is_none().then_some(self.false_alarms),
            alarms: self.refused.is_none().then_some(self.alarms),
            folds: match choices.fold_order {
                Order::Contiguous if recordings > 1 => choices.folds.min(recordings),
                _ => choices.folds,
            },
            fold_order: choices.fold_order,
            recordings,
            later: None,
            refused: self.refused.map(|error| error.to_string()),
            warnings,
        }
    }
}

/// A warning with the names of columns, the numbers of lines, and the words of options.
fn in_words<T>(warning: Warning, data: &Loaded<T>) -> String {
    let input = |number: usize| {
        data.columns.get(number).map(|name| format!("input {}", excerpt(name))).unwrap_or_default()
    };
    let sample = |number: usize| {
        data.lines.get(number).map(|line| format!("line {line}")).unwrap_or_default()
    };
    match warning {
        Warning::PointsCapped => {
            "more than a tenth of the variance lies outside the span of the landmarks: raise --landmarks, or lower --gamma".into()
        }
        Warning::AlarmStays { percent } => format!(
            "usual readings score {percent} % of the threshold, an alarm by the smoothed score would hardly end: lower --alpha or --gamma, or let it end later (--alarm-end of score, eval and report)"
        ),
        other => other.named(input, sample).to_string(),
    }
}

/// An error of the library in the words of file and options.
pub(crate) fn explain<T: Number>(error: Error, data: &Loaded<T>) -> anyhow::Error {
    let name = &data.name;
    match error {
        Error::Sample { index, fault: Fault::Overflow } => anyhow!(
            "{}: the kernel overflows (scale the inputs, or lower --gamma or --degree)",
            data.place(index)
        ),
        Error::Sample { index, fault } => data.fault(index, fault),
        Error::NotFinite { row, column } => {
            let other = data.lines.get(column).copied().unwrap_or_default();
            anyhow!("{}: the kernel overflows on this and on line {other}", data.place(row))
        }
        Error::TooFewSamples { given, needed } => {
            anyhow!(
                "{name}: {given} {} are too few, it takes at least {needed} (two for each fold)",
                data.unit
            )
        }
        Error::NoLogarithm { input } => anyhow!(
            "{name}: column {} has no value above 0, so it cannot be logarithmic (--log)",
            data.columns.get(input).map(|column| excerpt(column)).unwrap_or_default()
        ),
        other => explain_option(other, name),
    }
}

/// An error of the library in the words of options; others with the name of the file.
pub(crate) fn explain_option(error: Error, file: &str) -> anyhow::Error {
    let known = match error {
        Error::Parameter { name, rule } => {
            OPTIONS.iter().find(|(known, _)| *known == name).map(|(_, option)| (option, rule))
        }
        _ => None,
    };
    match known {
        Some((option, rule)) => anyhow!("{option} must be {rule}"),
        None => anyhow!("{file}: {error}"),
    }
}

/// What the library calls a parameter, and the option for it.
const OPTIONS: [(&str, &str); 8] = [
    ("false_alarms", "--alpha"),
    ("share", "--variance"),
    ("folds", "--folds"),
    ("trim", "--trim"),
    ("gamma", "--gamma"),
    ("coef0", "--coef0"),
    ("degree", "--degree"),
    ("components", "--components"),
];
