//! Plumbing of the evaluation on real data: learning in memory whose sizes are run-time values,
//! AUROC, and the document.

// Every test program uses its own part of it.
#![allow(dead_code)]

#[path = "../document/mod.rs"]
pub(crate) mod document;
pub(crate) mod sets;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use mercer::detect::learning::{LearnReport, LearnScratch, Learning};
use mercer::detect::logs::{self, Log};
use mercer::detect::{AlarmRule, LearnSizes, Threshold, scaling};
use mercer::kernel::{Indexed, Rbf, Samples};
use mercer::kpca::{ExpansionHeader, KernelPcaView, Score};
use mercer::linalg::eigen::TridiagonalQr;
use mercer::math::{Fast, Math, Real};
use mercer::{Alarm, AlarmConfig, Error, Progress, Recipe};

use crate::common::{Grid, Table};

/// The folder of data that are not part of the repository, as seen from `tests/data`.
const SHARED: &str = "../../../shared/data";

/// A table of the shared data.
pub(crate) fn read_shared(path: &str) -> Table {
    Table::read(&format!("{SHARED}/{path}"))
}

/// Are these shared data there? If not, says what is skipped and why.
pub(crate) fn is_shared(folder: &str) -> bool {
    let relative = format!("../shared/data/{folder}");
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).join(&relative).is_dir();
    if !found {
        // Not `println!`, which the test runner swallows.
        let _ =
            writeln!(std::io::stderr(), "skipped: there is no {relative} beside the repository");
    }
    found
}

/// `f32` or `f64`, and how far its results may be from the reference.
pub(crate) trait Precision: Real {
    const NAME: &str;
    /// What the reference expects: 1e-4 in double, 3e-3 in single precision.
    const TOLERANCE: f64;
}

impl Precision for f32 {
    const NAME: &str = "f32";
    const TOLERANCE: f64 = 3e-3;
}

impl Precision for f64 {
    const NAME: &str = "f64";
    const TOLERANCE: f64 = 1e-4;
}

/// All rows, scaled by what is learned from those that `training` names.
pub(crate) fn standardised<T: Real>(rows: &Grid<T>, training: &[u32]) -> Grid<T> {
    with_logs(rows, training, |_| Log::No).0
}

/// The same after the logarithms of some inputs, and how many these are.
pub(crate) fn with_logs<T: Real>(
    rows: &Grid<T>,
    training: &[u32],
    log: impl Fn(usize) -> Log,
) -> (Grid<T>, usize) {
    let inputs = rows.columns;
    let (mut mean, mut deviation) = (vec![T::ZERO; inputs], vec![T::ZERO; inputs]);
    let mut floor = mean.clone();
    let samples = Indexed { samples: &rows.view(), rows: training };
    logs::learn(&samples, 0, log, &mut mean, &mut deviation, &mut floor).unwrap();
    let mut scaled = rows.clone();
    for row in scaled.view_mut().iter_rows_mut() {
        logs::take(row, &floor);
        scaling::apply(row, &mean, &deviation);
    }
    (scaled, floor.iter().filter(|&&floor| floor > T::ZERO).count())
}

/// Memory for learning from `n` samples with room for `r` points and as many components.
struct Memory<T> {
    sizes: LearnSizes,
    header: ExpansionHeader<T>,
    numbers: Vec<T>,
    indices: Vec<u32>,
}

impl<T: Real> Memory<T> {
    fn new(n: usize, r: usize) -> Self {
        let sizes = LearnSizes { samples: n, points: r, components: r };
        let numbers = vec![T::ZERO; sizes.numbers::<T, TridiagonalQr<T>>()];
        let indices = vec![0; sizes.indices()];
        Self { sizes, header: ExpansionHeader::default(), numbers, indices }
    }

    fn scratch(&mut self) -> LearnScratch<'_, T> {
        let Self { sizes, header, numbers, indices } = self;
        LearnScratch::over(*sizes, header, numbers, indices).unwrap()
    }
}

/// How the width of the Gaussian kernel is chosen.
#[derive(Clone, Copy)]
pub(crate) enum Width {
    /// `γ = 1/(factor·m)`, `m` being the median squared distance of the samples that a model is
    /// fitted to.
    Median { factor: f64 },
    /// `γ = 1/(8·d)` for `d` inputs.
    Inputs(usize),
}

impl Width {
    pub(crate) fn kernel<T: Real, S: Samples<View = [T]>>(
        self,
        samples: &S,
    ) -> Result<Rbf<T>, Error> {
        match self {
            Self::Median { factor } => Rbf::for_samples(samples, T::from_f64(factor)),
            Self::Inputs(inputs) => Ok(Rbf::for_inputs(inputs)),
        }
    }
}

/// What learning leaves.
pub(crate) struct Learned<T> {
    pub(crate) kernel: Rbf<T>,
    pub(crate) report: LearnReport<T>,
    /// The SPE of each training sample by a model that was fitted without its fold.
    pub(crate) crossfit_spe: Vec<T>,
    /// Scores of the samples to judge, in order.
    pub(crate) scores: Vec<Score<T>>,
}

/// Learns from the samples that `training` names with at most `points` points, and scores those
/// that `judged` names.
pub(crate) fn learn<T, S>(
    samples: &S,
    training: &[u32],
    judged: &[u32],
    points: usize,
    recipe: Recipe<T>,
    width: Width,
) -> Result<Learned<T>, Error>
where
    T: Real,
    S: Samples<View = [T]>,
    Fast: Math<T>,
{
    let mut memory = Memory::new(training.len(), points);
    let scratch = &mut memory.scratch();
    let mut learning = Learning::start(recipe, training.iter().copied(), scratch)?;
    let kernel = |samples: &Indexed<'_, S>| width.kernel(samples);
    while learning.step(samples, kernel, scratch)? == Progress::Working {}
    let (&kernel, report) = learning.result().ok_or(Error::NotFitted)?;

    let points: Vec<u32> = scratch.points(&report).map(|row| row as u32).collect();
    let points = Indexed { samples, rows: &points };
    let mut memos = vec![Default::default(); scratch.candidate.view().points()];
    let model = KernelPcaView::new(&kernel, &points, scratch.candidate.view(), &mut memos)?;
    let projection = &mut scratch.projection[..report.fit.components];
    let judged = Indexed { samples, rows: judged };
    let scores =
        judged.iter_samples().map(|x| model.score(x, projection)).collect::<Result<_, _>>()?;
    Ok(Learned { kernel, report, crossfit_spe: scratch.spe.to_vec(), scores })
}

/// Area under the ROC curve: the chance that an anomaly scores higher than a normal sample, ties as
/// one half.
pub(crate) fn auroc(normal: &[f64], anomalous: &[f64]) -> f64 {
    let mut all: Vec<(f64, bool)> = normal.iter().map(|&score| (score, false)).collect();
    all.extend(anomalous.iter().map(|&score| (score, true)));
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut won, mut normal_below) = (0.0, 0.0);
    for tied in all.chunk_by(|a, b| a.0 == b.0) {
        let anomalies = tied.iter().filter(|(_, anomaly)| *anomaly).count() as f64;
        let normals = tied.len() as f64 - anomalies;
        won += anomalies * (normal_below + normals / 2.0);
        normal_below += normals;
    }
    won / (normal.len() as f64 * anomalous.len() as f64)
}

/// How many scores are unusual.
pub(crate) fn count_alarms(scores: &[f64], threshold: f64) -> usize {
    scores.iter().filter(|&&score| score > threshold).count()
}

/// The share of scores that are unusual.
pub(crate) fn alarm_rate(scores: &[f64], threshold: f64) -> f64 {
    count_alarms(scores, threshold) as f64 / scores.len() as f64
}

/// The rules that are compared, and what the document calls them.
pub(crate) const RULES: [(&str, AlarmRule); 3] = [
    ("each unusual row", AlarmRule::Count { window: 1, raise: 1, clear: 0 }),
    ("3 of 5", AlarmRule::THREE_OF_FIVE),
    ("smoothed", AlarmRule::SMOOTHED),
];

/// What an alarm did.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watched {
    normal: usize,
    normal_in_alarm: usize,
    /// Alarms that normal rows raised.
    raised: usize,
    faulty: usize,
    /// Rows of faults in an alarm that the fault is the cause of.
    faulty_in_alarm: usize,
    /// For each fault the rows before such an alarm, if there was one.
    delays: Vec<Option<usize>>,
}

impl Watched {
    /// Shows an alarm one recording more: scores, and which of them are of a fault.
    ///
    /// An alarm that is left over from before a fault has not found it: only one that is raised by
    /// a row of the fault, or would be up had it seen nothing else.
    pub(crate) fn add<T: Real>(
        &mut self,
        rule: AlarmRule,
        threshold: &Threshold<T>,
        recording: impl Iterator<Item = (T, bool)>,
    ) {
        let new = || Alarm::<T>::new(AlarmConfig::DEFAULT.rule(rule)).unwrap();
        let (mut alarm, mut own) = (new(), new());
        let (mut was_faulty, mut raised_within, mut age) = (false, false, 0);
        for (spe, faulty) in recording {
            let mut score = Score::default();
            score.spe = spe;
            let verdict = threshold.judge(score);
            if faulty && !was_faulty {
                (own, raised_within, age) = (new(), false, 0);
                self.delays.push(None);
            }
            let before = alarm.state().is_active();
            let active = alarm.update(&verdict).is_active();
            let own_active = own.update(&verdict).is_active();
            raised_within = active && (raised_within || !before);
            if faulty {
                let found = active && (raised_within || own_active);
                self.faulty += 1;
                self.faulty_in_alarm += usize::from(found);
                if let Some(delay) = self.delays.last_mut().filter(|_| found) {
                    delay.get_or_insert(age);
                }
                age += 1;
            } else {
                self.normal += 1;
                self.normal_in_alarm += usize::from(active);
                self.raised += usize::from(active && !before);
            }
            was_faulty = faulty;
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.normal += other.normal;
        self.normal_in_alarm += other.normal_in_alarm;
        self.raised += other.raised;
        self.faulty += other.faulty;
        self.faulty_in_alarm += other.faulty_in_alarm;
        self.delays.extend(other.delays);
    }

    pub(crate) const HEAD: &str = "alarms raised per 1000 normal rows | normal rows in alarm | fault rows in alarm | median delay, rows | faults missed |";

    /// Cells of a table, below [`HEAD`](Self::HEAD).
    pub(crate) fn cells(&self) -> String {
        let mut found: Vec<usize> = self.delays.iter().flatten().copied().collect();
        found.sort_unstable();
        let delay = found.get(found.len() / 2).map_or("–".into(), usize::to_string);
        format!(
            "{:.1} | {:.3} | {:.3} | {delay} | {} of {} |",
            1000.0 * self.raised as f64 / self.normal as f64,
            self.normal_in_alarm as f64 / self.normal as f64,
            self.faulty_in_alarm as f64 / self.faulty as f64,
            self.delays.len() - found.len(),
            self.delays.len()
        )
    }
}

pub(crate) fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) = values.into_iter().fold((0.0, 0), |(sum, count), v| (sum + v, count + 1));
    sum / f64::from(count)
}

/// Compares with a reference, remembers the largest difference of each quantity and every one that
/// is too large.
#[derive(Default)]
pub(crate) struct Comparison {
    checked: usize,
    worst: Vec<(String, f64)>,
    failures: String,
}

impl Comparison {
    /// `|found − expected| ≤ tolerance`.
    pub(crate) fn close(
        &mut self,
        place: &str,
        quantity: &str,
        (found, expected): (f64, f64),
        tolerance: f64,
    ) {
        let difference = (found - expected).abs();
        self.note(quantity, difference);
        // Written so that NaN fails.
        self.require(difference <= tolerance, place, quantity, &(found, expected));
    }

    /// `|found/expected − 1| ≤ tolerance`.
    pub(crate) fn relatively_close(
        &mut self,
        place: &str,
        quantity: &str,
        (found, expected): (f64, f64),
        tolerance: f64,
    ) {
        let difference = (found / expected - 1.0).abs();
        self.note(quantity, difference);
        self.require(difference <= tolerance, place, quantity, &(found, expected));
    }

    /// Some other condition.
    pub(crate) fn require(
        &mut self,
        holds: bool,
        place: &str,
        quantity: &str,
        values: &dyn std::fmt::Debug,
    ) {
        self.checked += 1;
        if !holds {
            writeln!(self.failures, "{place}: {quantity} (found, expected) {values:?}").unwrap();
        }
    }

    fn note(&mut self, quantity: &str, difference: f64) {
        match self.worst.iter_mut().find(|(name, _)| name == quantity) {
            Some((_, worst)) => *worst = worst.max(difference),
            None => self.worst.push((quantity.into(), difference)),
        }
    }

    /// Prints the largest differences; panics if one was too large or a number of checks is
    /// missing.
    pub(crate) fn finish(self, name: &str, expected: usize) {
        println!("{name}: {} checks, largest differences:", self.checked);
        for (quantity, worst) in &self.worst {
            println!("  {quantity}: {worst:.1e}");
        }
        assert!(self.failures.is_empty(), "{name}:\n{}", self.failures);
        assert_eq!(self.checked, expected, "{name}: checks");
    }
}

/// `docs/EVALUATION.md` holds this text between its markers.
pub(crate) fn require_section(test: &str, name: &str, expected: &str) {
    document::require_section("docs/EVALUATION.md", name, expected, test);
}
