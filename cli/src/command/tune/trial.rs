//! Readings to choose from, and what the usual fit makes of them.

use anyhow::{Result, anyhow, bail, ensure};

use super::{Arguments, listed};
use crate::front::Front;
use crate::intake::{Beside, Intake};
use crate::learn::explain;
use crate::loaded::{Loaded, load};
use crate::missing::{Care, Missing};
use crate::progress::Progress;
use crate::search::{Dealing, Found, Search};
use crate::table::{ColumnChoice, Table};
use crate::text::complain;
use crate::windows::ENOUGH_WINDOWS;

/// Windows that are compared unasked.
const MOST_WINDOWS: usize = 4;

/// Readings to fit to.
pub(super) struct Trial {
    /// What made them of raw samples, if these were given.
    pub(super) front: Option<Front>,
    pub(super) data: Loaded<f32>,
    pub(super) search: Search,
    /// What comes of the usual fit; not looked for where there is nothing to compare it with.
    pub(super) found: Option<Found>,
}

/// The readings of the rows; or those that front ends make of them which are to be compared, the
/// smallest first, at least one.
pub(super) fn trials(arguments: &Arguments) -> Result<Vec<Trial>> {
    let Arguments { source, fronts, rows, label, columns, .. } = arguments;
    let columns = fronts.rest.columns(columns, label.as_deref());
    if !fronts.is_raw()? {
        return Ok(vec![Trial::new(arguments, &columns, None)?]);
    }
    ensure!(
        !source.is_stream(),
        "--window reads the rows again for each recipe, which standard input cannot be: name a file"
    );
    let asked = fronts.windows();
    let mut automatic = fronts.automatic(source, rows)?;
    automatic.retain(|window| !asked.contains(window));
    let windows = || asked.iter().chain(&automatic);
    let recipes: usize = windows().map(|&window| fronts.sets(window).len()).sum();
    ensure!(
        recipes <= 1 || label.is_some(),
        "to choose between windows or features takes --label: faults that are made of readings, by moving one by its own deviation, say nothing about which readings to take"
    );
    let channels = channels(arguments, &columns)?;
    let mut attempt = Attempt {
        arguments,
        // Looked at once, and not again for each trial.
        columns: ColumnChoice { columns: channels.clone(), ..ColumnChoice::default() },
        channels,
        is_compared: recipes > 1,
        refused: None,
        progress: Progress::new("comparing", recipes as u64),
    };
    let mut trials: Vec<Trial> = Vec::new();
    for &window in &asked {
        trials.extend(attempt.window(window, true));
    }
    let chosen_unasked = automatic.iter().map(|&window| attempt.window(window, false));
    let enough = chosen_unasked.filter(|trials| !trials.is_empty()).take(MOST_WINDOWS);
    trials.extend(enough.flatten());
    if trials.is_empty() {
        bail!(attempt.refused.unwrap_or_else(|| anyhow!(
            "{}: --window auto: no window of 16 samples or more gives {ENOUGH_WINDOWS} normal ones",
            source.name()
        )));
    }
    trials.sort_by_key(Trial::size);
    Ok(trials)
}

/// The names of the channels.
fn channels(arguments: &Arguments, columns: &ColumnChoice) -> Result<Vec<String>> {
    let mut table = Table::open(&arguments.source, &arguments.rows.of_samples())?;
    let channels = table.inputs(columns)?;
    Ok(table.names(&channels))
}

/// What trials are made of.
struct Attempt<'a> {
    arguments: &'a Arguments,
    columns: ColumnChoice,
    channels: Vec<String>,
    is_compared: bool,
    /// Why the last one failed that did.
    refused: Option<anyhow::Error>,
    progress: Progress,
}

impl Attempt<'_> {
    /// All sets of features with windows of so many samples. Where nobody asked for these, there
    /// must be enough of them to fit a model to; where somebody did, it is said why one fails.
    fn window(&mut self, window: usize, is_asked: bool) -> Vec<Trial> {
        let fronts = &self.arguments.fronts;
        let mut trials = Vec::new();
        for features in fronts.sets(window) {
            let names = listed(&features);
            let front = fronts.rest.front(self.channels.clone(), window, features);
            let trial = Trial::new(self.arguments, &self.columns, Some(front));
            match trial.and_then(|trial| if self.is_compared { trial.tried() } else { Ok(trial) }) {
                Ok(trial) if is_asked || trial.search.normal_rows() >= ENOUGH_WINDOWS => {
                    trials.push(trial);
                }
                Ok(_) => {}
                Err(error) => {
                    if is_asked && self.is_compared {
                        complain(&format!("{names} of {window} samples left out: {error:#}"));
                    }
                    self.refused = Some(error);
                }
            }
            self.progress.step();
        }
        trials
    }
}

impl Trial {
    fn new(arguments: &Arguments, columns: &ColumnChoice, front: Option<Front>) -> Result<Self> {
        let Arguments { source, fronts, rows, label, normal, .. } = arguments;
        let beside = Beside {
            label: label.as_deref(),
            by: fronts.rest.by.as_deref(),
            normal: normal.clone(),
            ..Beside::default()
        };
        let data = match &front {
            Some(front) => {
                front.validate()?;
                let mut table = Table::open(source, &rows.of_samples())?;
                let channels = table.inputs(columns)?;
                let care = Care::of_samples(rows.missing, false);
                let (mut room, taken) = (None, (care, rows.every));
                load(Intake::windows((table, channels), front, &mut room, &beside, taken)?)?
            }
            None => {
                let mut table = Table::open(source, rows)?;
                let inputs = table.inputs(columns)?;
                let care = Care::of_rows(rows.missing, false);
                let data = load(Intake::rows(table, inputs, &beside, care)?)?;
                if care.missing == Missing::Impute { data.imputed()? } else { data }
            }
        };
        let is_normal = match label {
            Some(label) => normal.split(&data.name, label, &data.labels)?,
            None => vec![true; data.samples.rows()],
        };
        let dealing =
            Dealing { folds: arguments.folds as usize, order: arguments.fold_order.into() };
        let what = if front.is_some() { "windows" } else { "rows" };
        let log = front.as_ref().map(|front| arguments.log.with_front(front));
        let log = log.as_ref().unwrap_or(&arguments.log);
        let search = Search::new(&data, &is_normal, log, dealing, what)?;
        Ok(Self { front, data, search, found: None })
    }

    /// With what comes of the usual fit.
    fn tried(self) -> Result<Self> {
        let found = self.search.measure(self.search.usual());
        let found = Some(found.map_err(|error| explain(error, &self.data))?);
        Ok(Self { found, ..self })
    }

    /// Inputs, and samples of a window: what it takes on a device.
    fn size(&self) -> (usize, usize) {
        (self.data.columns.len(), self.front.as_ref().map_or(0, |front| front.window))
    }

    /// For the table of all that are compared.
    pub(super) fn line(&self) -> String {
        let (Some(front), Some(found)) = (&self.front, &self.found) else { return String::new() };
        let windows = format!("{}+{}", self.search.normal_rows(), self.search.anomalous_rows());
        format!(
            "{:>6} {:>5}  {:>6} {windows:>8}  {:.4} {:>5.1} %  {}",
            front.window,
            front.hop,
            self.data.columns.len(),
            found.auroc,
            100.0 * found.detected,
            listed(&front.features)
        )
    }
}
