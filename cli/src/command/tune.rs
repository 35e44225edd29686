//! `mercer tune`: which width, components and landmarks to fit with, and which windows and features
//! of raw samples.

mod trial;

use std::ffi::OsString;
use std::ops::Range;
use std::path::Path;

use anyhow::{Result, bail};
use clap::ValueEnum;
use mercer::detect::Cost;
use mercer::detect::cost::detector_size;
use mercer::kernel::Rbf;

use self::trial::{Trial, trials};
use super::say;
use crate::front::Front;
use crate::fronts::FrontSearch;
use crate::label::NormalLabels;
use crate::learn::explain;
use crate::loaded::Loaded;
use crate::logs::{LogChoice, log_choice};
use crate::progress::Progress;
use crate::search::{Candidate, Found, Search};
use crate::source::delimiter_option;
use crate::table::{ColumnChoice, RowChoice, Source};
use crate::text::{complain, hang, short, thousands, warn};
use crate::{cores, escape};

/// Search gamma, variance and landmarks by cross-fit, and print the `fit` line to use; of raw
/// samples, windows and features first.
///
/// Each candidate is fitted to all folds but one, which it then scores. With --label, it is judged
/// by the AUROC of the anomalous rows against held-out normal ones, and by how many of them are
/// found at 5 % false alarms. Without, by that of single-sensor faults: the held-out rows again,
/// each with one input moved by three of its deviations.
///
/// With --window, rows are raw samples. Windows and features are compared by what a fit makes of
/// them unless it is told otherwise, window by window (one is anomalous if any of its rows
/// is), which takes --label: faults that are made of readings say nothing about which readings to
/// take. The rest is then searched for the best.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    fronts: FrontSearch,
    /// The column that says what is normal; it is no input
    #[arg(long, value_name = "COLUMN")]
    label: Option<String>,
    #[command(flatten)]
    normal: NormalLabels,
    #[command(flatten)]
    rows: RowChoice,
    #[command(flatten)]
    columns: ColumnChoice,
    /// Inputs whose logarithm is taken first, as `mercer fit` does it
    #[arg(long, value_name = "auto|none|NAME,…", default_value = "auto", value_parser = log_choice)]
    log: LogChoice,
    /// Parts that the normal rows are dealt into; with --by, whole recordings
    #[arg(long, value_name = "F", default_value_t = 4, value_parser = clap::value_parser!(u32).range(2..))]
    folds: u32,
    /// contiguous: for readings that follow each other in time; interleaved: for independent ones
    #[arg(long, value_enum, default_value_t = crate::choices::Order::Contiguous)]
    fold_order: crate::choices::Order,
    /// About as many bytes of flash as this for the model, at the most
    #[arg(long, value_name = "BYTES")]
    max_flash: Option<usize>,
    /// About as many instructions a score as this on a Cortex-M4F, at the most
    #[arg(long, value_name = "COUNT")]
    max_instructions: Option<usize>,
    /// Show every candidate, not only those that no other beats
    #[arg(long)]
    all: bool,
}

/// AUROC, and then the share that is found, which count as as good as the best.
const CLOSE_ENOUGH: f64 = 0.005;
const FOUND_CLOSE_ENOUGH: f64 = 0.02;

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let trials = trials(arguments)?;
    let judged = |trial: &Trial| trial.found.map_or((0.0, 0.0), |found| found.judged());
    let chosen = smallest_of_the_best(&trials, judged).expect("no trials are an error");
    if trials.len() > 1 {
        say!("  window   hop  inputs  windows   AUROC   found  features");
        for trial in &trials {
            let mark = if std::ptr::eq(trial, chosen) { '>' } else { ' ' };
            say!("{mark} {}", trial.line());
        }
        let legend = format!(
            "(normal and anomalous windows; AUROC and what is found as below; > is the one with the fewest inputs, and then the shortest window, within {CLOSE_ENOUGH} of the best AUROC and of these within {} % of the most that is found)",
            100.0 * FOUND_CLOSE_ENOUGH
        );
        say!("\n{}\n", hang(&legend, 0));
    }
    let Trial { front, data, search, .. } = chosen;
    data.omissions.iter().for_each(|omission| complain(omission));
    data.warnings.iter().for_each(|warning| warn(warning));
    let candidate = search_grid(arguments, data, search)?;
    say!("\n{}", fit_line(arguments, front.as_ref(), candidate));
    Ok(())
}

/// The first of those that are as good as the best, by their AUROC and then by what they find.
fn smallest_of_the_best<R>(sorted: &[R], judged: impl Fn(&R) -> (f64, f64)) -> Option<&R> {
    let most = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::NEG_INFINITY, f64::max);
    let auroc = most(&mut sorted.iter().map(|row| judged(row).0)) - CLOSE_ENOUGH;
    let close = || sorted.iter().filter(|row| judged(row).0 >= auroc);
    let found = most(&mut close().map(|row| judged(row).1)) - FOUND_CLOSE_ENOUGH;
    close().find(|row| judged(row).1 >= found)
}

/// Tries all candidates, shows the best of each size, and returns the one to use.
fn search_grid(arguments: &Arguments, data: &Loaded<f32>, search: &Search) -> Result<Candidate> {
    let candidates = search.candidates();
    let mut progress = Progress::new("searching", candidates.len() as u64);
    let (mut found, mut refused) = (Vec::new(), None);
    let measure = |one: Range<usize>| search.measure(candidates[one.start]);
    for measured in cores::in_parts(candidates.len(), 1, measure, |done| progress.advance(done)) {
        match measured {
            Ok(measured) => found.push(measured),
            Err(error) => refused = Some(error),
        }
    }
    drop(progress);
    let inputs = data.columns.len();
    let rows: Vec<Row> = found.iter().map(|found| Row::new(inputs, found)).collect();
    let affordable = |row: &&Row| {
        arguments.max_flash.is_none_or(|most| row.flash <= most)
            && arguments.max_instructions.is_none_or(|most| row.instructions <= most)
    };
    let mut rows: Vec<&Row> = rows.iter().filter(affordable).collect();
    rows.sort_by(|a, b| a.flash.cmp(&b.flash).then(b.found.auroc.total_cmp(&a.found.auroc)));
    let Some(&chosen) = smallest_of_the_best(&rows, |row| row.found.judged()) else {
        match refused.filter(|_| found.is_empty()) {
            Some(error) => {
                return Err(explain(error, data).context("no candidate could be fitted"));
            }
            None => bail!("no candidate is within these limits"),
        }
    };
    say!("{}", hang(&search.description(arguments.label.as_deref()), 0));
    say!("\n     gamma   var. landm. comp.  AUROC   found   flash  instr.");
    let mut best = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for row in &rows {
        let (auroc, detected) = row.found.judged();
        let is_beaten = auroc <= best.0 && detected <= best.1;
        best = (best.0.max(auroc), best.1.max(detected));
        let is_chosen = std::ptr::eq(*row, chosen);
        if is_chosen || arguments.all || !is_beaten {
            say!("{} {row}", if is_chosen { '>' } else { ' ' });
        }
    }
    let legend = format!(
        "(variance, landmarks, components; flash in bytes; instructions of a score on a Cortex-M4F, at the most; > is the smallest within {CLOSE_ENOUGH} of the best AUROC and of these within {} % of the most that is found)",
        100.0 * FOUND_CLOSE_ENOUGH
    );
    say!("\n{}", hang(&legend, 0));
    Ok(chosen.found.candidate)
}

/// One line of the table.
struct Row {
    found: Found,
    flash: usize,
    instructions: usize,
}

impl Row {
    fn new(inputs: usize, found: &Found) -> Self {
        let components = found.components;
        // The folds may have needed fewer, all rows may not.
        let points = found.candidate.landmarks;
        Self {
            found: *found,
            flash: detector_size::<Rbf<f32>, f32>(inputs, points, components),
            instructions: Cost::gaussian(inputs, points, components).instructions.cortex_m4f,
        }
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Candidate { gamma, variance, landmarks } = self.found.candidate;
        write!(
            f,
            "{:>8}  {variance:>5} {landmarks:>6} {:>5}  {:.4} {:>5.1} %  {:>6} {:>7}",
            short(gamma),
            self.found.components,
            self.found.auroc,
            100.0 * self.found.detected,
            thousands(self.flash),
            thousands(self.instructions),
        )
    }
}

/// The command that fits the chosen candidate to the normal rows.
fn fit_line(arguments: &Arguments, front: Option<&Front>, candidate: Candidate) -> String {
    let Arguments { source, fronts, rows, columns, label, normal, .. } = arguments;
    let mut words: Vec<String> = vec!["mercer".into(), "fit".into(), path(&source.data)];
    let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    if let Some(delimiter) = source.delimiter {
        option("delimiter", escape::shell(&delimiter_option(delimiter)));
    }
    if let Some(mark) = &source.decimal {
        option("decimal", value_name(mark));
    }
    for condition in &rows.conditions {
        option("where", escape::shell(condition));
    }
    if let Some(label) = label {
        option("label", escape::shell(label));
    }
    for normal in &normal.labels {
        option("normal", escape::shell(normal));
    }
    for (name, list) in [("rows", &rows.rows), ("skip-rows", &rows.skip_rows)] {
        if let Some(list) = list {
            option(name, escape::shell(&list.text()));
        }
    }
    if rows.every > 1 {
        option("every", rows.every.to_string());
    }
    if let Some(missing) = &rows.missing {
        option("missing", value_name(missing));
    }
    let lists = [("columns", &columns.columns), ("drop", &columns.drop), ("keep", &columns.keep)];
    for (name, list) in
        lists.into_iter().flat_map(|(name, lists)| lists.iter().map(move |l| (name, l)))
    {
        option(name, escape::shell(list));
    }
    if let Some(front) = front {
        option("window", front.window.to_string());
        option("hop", front.hop.to_string());
        option("features", listed(&front.features));
        if !front.operators.is_empty() {
            option("operators", listed(&front.operators));
        }
        if let Some(floor) = fronts.rest.floor {
            option("floor", format!("{floor:?}"));
        }
        if !front.scales.is_empty() {
            option("units", listed(&front.scales));
        }
        if let Some(rate) = front.rate {
            option("rate", rate.to_string());
        }
    }
    if let Some(by) = &fronts.rest.by {
        option("by", escape::shell(by));
    }
    option("fold-order", value_name(&arguments.fold_order));
    if arguments.folds != 4 {
        option("folds", arguments.folds.to_string());
    }
    if let Some(log) = arguments.log.option() {
        option("log", log);
    }
    option("gamma", format!("{:?}", candidate.gamma as f32));
    option("variance", candidate.variance.to_string());
    option("landmarks", candidate.landmarks.to_string());
    option("out", "M.mercer".into());
    if source.no_header {
        words.push("--no-header".into());
    }
    words.join(" ")
}

fn listed(values: &[impl ToString]) -> String {
    let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
    texts.join(",")
}

fn value_name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or(String::new(), |value| value.get_name().to_string())
}

fn path(path: &Path) -> String {
    escape::shell(&OsString::from(path).to_string_lossy())
}
