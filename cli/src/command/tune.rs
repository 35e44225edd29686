//! `mercer tune`: which width, components and landmarks to fit with.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Result, bail};
use mercer::detect::Cost;
use mercer::detect::cost::detector_size;
use mercer::kernel::Rbf;

use super::say;
use crate::escape;
use crate::intake::{Beside, Intake};
use crate::label::NormalLabels;
use crate::learn::explain;
use crate::loaded::load;
use crate::logs::{LogChoice, log_choice};
use crate::missing::Missing;
use crate::progress::Progress;
use crate::search::{Candidate, Found, Search};
use crate::table::{ColumnChoice, RowChoice, Source, Table};
use crate::text::{hang, short, thousands};

/// Search gamma, variance and landmarks by cross-fit, and print the `fit` line to use.
///
/// Each candidate is fitted to all folds but one, which it then scores. With --label, quality is the AUROC of the anomalous rows against held-out normal ones. Without, it
/// is that of single-sensor faults: the held-out rows again, each with one input moved by three of its deviations.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    source: Source,
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
    /// Parts that the normal rows are dealt into
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

/// Quality that counts as as good as the best.
const CLOSE_ENOUGH: f64 = 0.005;

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let Arguments { source, rows, label, columns, .. } = arguments;
    let mut columns = columns.clone();
    if columns.columns.is_empty() {
        columns.drop.extend(label.clone());
    }
    let mut table = Table::open(source, rows)?;
    let inputs = table.inputs(&columns)?;
    let beside = Beside { label: label.as_deref(), ..Beside::default() };
    let data = load(Intake::<f32>::rows(table, inputs, &beside, Missing::Error)?)?;
    let normal = match label {
        Some(label) => arguments.normal.split(&data.name, label, &data.labels)?,
        None => vec![true; data.samples.rows()],
    };
    let order = arguments.fold_order.into();
    let search = Search::new(&data, &normal, &arguments.log, arguments.folds as usize, order)?;
    let candidates = search.candidates();
    let mut progress = Progress::new("searching", candidates.len() as u64);
    let (mut found, mut refused) = (Vec::new(), None);
    for candidate in candidates {
        match search.measure(candidate) {
            Ok(measured) => found.push(measured),
            Err(error) => refused = Some(error),
        }
        progress.step();
    }
    drop(progress);
    let inputs = data.columns.len();
    let rows: Vec<Row> = found.iter().map(|found| Row::new(inputs, found)).collect();
    let affordable = |row: &&Row| {
        arguments.max_flash.is_none_or(|most| row.flash <= most)
            && arguments.max_instructions.is_none_or(|most| row.instructions <= most)
    };
    let mut rows: Vec<&Row> = rows.iter().filter(affordable).collect();
    let Some(best) = rows.iter().map(|row| row.quality).max_by(f64::total_cmp) else {
        match refused.filter(|_| found.is_empty()) {
            Some(error) => {
                return Err(explain(error, &data).context("no candidate could be fitted"));
            }
            None => bail!("no candidate is within these limits"),
        }
    };
    rows.sort_by(|a, b| a.flash.cmp(&b.flash).then(b.quality.total_cmp(&a.quality)));
    let chosen = rows
        .iter()
        .find(|row| row.quality >= best - CLOSE_ENOUGH)
        .expect("the best is one of them");

    say!("{}", hang(&search.description(label.as_deref()), 0));
    say!("\n     gamma   var.  landm.  comp.  quality   flash   instr.");
    let mut so_far = f64::NEG_INFINITY;
    for row in &rows {
        let beaten = row.quality <= so_far;
        so_far = so_far.max(row.quality);
        if beaten && !arguments.all && !std::ptr::eq(*row, *chosen) {
            continue;
        }
        say!("{} {row}", if std::ptr::eq(*row, *chosen) { '>' } else { ' ' });
    }
    let legend = format!(
        "(variance, landmarks, components; flash in bytes; instructions of a score on a Cortex-M4F, at the most; > is the smallest within {CLOSE_ENOUGH} of the best)"
    );
    say!("\n{}", hang(&legend, 0));
    let mut labels: Vec<&str> = data.labels.iter().map(String::as_str).collect();
    labels.retain(|label| arguments.normal.is_normal(label));
    labels.sort_unstable();
    labels.dedup();
    say!("\n{}", fit_line(arguments, &labels, chosen.candidate));
    Ok(())
}

/// One line of the table.
struct Row {
    candidate: Candidate,
    components: usize,
    quality: f64,
    flash: usize,
    instructions: usize,
}

impl Row {
    fn new(inputs: usize, found: &Found) -> Self {
        let Found { candidate, components, quality } = *found;
        // The folds may have needed fewer, all rows may not.
        let points = candidate.landmarks;
        Self {
            candidate,
            components,
            quality,
            flash: detector_size::<Rbf<f32>, f32>(inputs, points, components),
            instructions: Cost::gaussian(inputs, points, components).instructions.cortex_m4f,
        }
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Candidate { gamma, variance, landmarks } = self.candidate;
        write!(
            f,
            "{:>8}  {variance:>5}  {landmarks:>6}  {:>5}  {:>7.4}  {:>6}  {:>7}",
            short(gamma),
            self.components,
            self.quality,
            thousands(self.flash),
            thousands(self.instructions),
        )
    }
}

/// The command that fits the chosen candidate to the normal rows, of which --every then takes each K-th.
fn fit_line(arguments: &Arguments, normal_labels: &[&str], candidate: Candidate) -> String {
    let Arguments { source, rows, columns, label, .. } = arguments;
    let mut words: Vec<String> = vec!["mercer".into(), "fit".into(), path(&source.data)];
    let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    if source.delimiter != b',' {
        let delimiter = if source.delimiter == b'\t' {
            "tab".into()
        } else {
            char::from(source.delimiter).to_string()
        };
        option("delimiter", escape::shell(&delimiter));
    }
    for (column, value) in
        rows.conditions.iter().filter(|(column, _)| Some(column) != label.as_ref())
    {
        option("where", escape::shell(&format!("{column}={value}")));
    }
    // Only normal rows are for training.
    if let Some(label) = label {
        for normal in normal_labels {
            option("where", escape::shell(&format!("{label}={normal}")));
        }
    }
    for (name, file) in [("rows", &rows.rows), ("skip-rows", &rows.skip_rows)] {
        if let Some(file) = file {
            option(name, path(file));
        }
    }
    if rows.every > 1 {
        option("every", rows.every.to_string());
    }
    for (name, list) in [("columns", &columns.columns), ("drop", &columns.drop)] {
        if !list.is_empty() {
            option(name, escape::shell(&list.join(",")));
        }
    }
    let default =
        clap::ValueEnum::to_possible_value(&arguments.fold_order).expect("a value with a name");
    option("fold-order", default.get_name().to_string());
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

fn path(path: &Path) -> String {
    escape::shell(&OsString::from(path).to_string_lossy())
}
