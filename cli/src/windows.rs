//! How raw samples become readings, as options.

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use mercer::signal::{FLOOR, Feature, Operator};

use crate::front::{Front, parse};
use crate::per_day::rate;
use crate::table::{ColumnChoice, RowChoice, Source, Step, Table};
use crate::text::{note, thousands, warn};

/// What is made of raw samples.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct FrontChoice {
    /// Rows are raw samples: make a reading of every window of so many of them. `auto`: 256, or a
    /// smaller power of two if recordings are short
    #[arg(long, value_name = "N|auto", value_parser = window)]
    pub(crate) window: Option<WindowChoice>,
    /// What a window becomes, for each channel: mean, std, logstd, rms, p2p, min, max, crest,
    /// skew, kurt, mad, logmad, zc, and bandsB (logarithms of the energies in B bands of
    /// frequencies; the window must be a power of two). `auto`: mean,logstd,bands4, or
    /// mean,logstd,logmad if bands cannot be
    #[arg(long, value_name = "LIST|auto", value_parser = features)]
    pub(crate) features: Option<FeatureChoice>,
    #[command(flatten)]
    pub(crate) rest: FrontRest,
}

/// What is made of raw samples, but for windows and features.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct FrontRest {
    /// Samples from the start of a window to that of the next; with more than --window, some are
    /// in none [default: half the window]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) hop: Option<u32>,
    /// What is done with readings over time, one after the other: maW (mean of the last W), ewmaA,
    /// lagL (the last L side by side), diff
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse::<Operator>)]
    pub(crate) operators: Vec<Operator>,
    /// Deviations and mean differences below it count as this before their logarithm is taken,
    /// energies below its square as that [default: 1e-9]
    #[arg(long, value_name = "F")]
    pub(crate) floor: Option<f32>,
    /// What samples are multiplied by, such as units per count: one number, or one for each
    /// channel
    #[arg(long, value_name = "U,…", value_delimiter = ',', allow_negative_numbers = true)]
    pub(crate) units: Vec<f32>,
    /// Samples a second, so that bands can be told in hertz
    #[arg(long, value_name = "HZ", value_parser = rate)]
    pub(crate) rate: Option<f64>,
    /// Rows in a row with the same text in this column are one recording; it is no input. No
    /// window, operator or fold crosses from one to the next [default: all rows are one]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) by: Option<String>,
}

/// `--window`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WindowChoice {
    Auto,
    Samples(u32),
}

pub(crate) fn window(text: &str) -> Result<WindowChoice, String> {
    match text {
        "auto" => Ok(WindowChoice::Auto),
        _ => {
            let samples = text.parse().ok().filter(|&samples| samples > 0);
            samples.map(WindowChoice::Samples).ok_or_else(|| "a number > 0 or `auto`".into())
        }
    }
}

/// `--features`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FeatureChoice {
    Auto,
    These(Vec<Feature>),
}

pub(crate) fn features(text: &str) -> Result<FeatureChoice, String> {
    match text {
        "auto" => Ok(FeatureChoice::Auto),
        _ => {
            let names = text.split(',').map(|name| parse(name.trim()));
            names.collect::<Result<_, _>>().map(FeatureChoice::These)
        }
    }
}

/// The window that is best on most recordings, see `--window`.
const USUAL_WINDOW: usize = 256;
/// The smallest that is chosen unasked.
pub(crate) const LEAST_WINDOW: usize = 16;
/// Windows that a detector learns from, at the least.
pub(crate) const ENOUGH_WINDOWS: usize = 32;

impl FrontChoice {
    /// Refuses what is for raw samples where rows are readings.
    pub(crate) fn require_none(&self) -> Result<()> {
        self.rest.require_none(self.features.is_some())
    }

    /// Refuses to choose a window by rows that can be read only once.
    pub(crate) fn require_file(&self, source: &Source) -> Result<()> {
        let auto = self.window.unwrap_or(WindowChoice::Auto) == WindowChoice::Auto;
        ensure!(
            !(auto && source.is_stream()),
            "--window auto reads the rows twice, which standard input cannot be: name a file, or give a number"
        );
        Ok(())
    }

    /// The recipe for these channels. What was chosen for the user is said on standard error.
    pub(crate) fn front(
        &self,
        source: &Source,
        rows: &RowChoice,
        channels: Vec<String>,
    ) -> Result<Front> {
        let window = match self.window.unwrap_or(WindowChoice::Auto) {
            WindowChoice::Samples(samples) => samples as usize,
            WindowChoice::Auto => {
                let stretches = stretches(source, rows, self.rest.by.as_deref())?;
                choose_window(&stretches, |window| self.rest.hop_of(window))
            }
        };
        let features = match &self.features {
            Some(FeatureChoice::These(features)) => features.clone(),
            _ if window.is_power_of_two() => {
                vec![Feature::Mean, Feature::LogStd, Feature::Bands(4)]
            }
            _ => {
                note(&format!(
                    "mean,logstd,logmad are taken of windows of {window} samples, which are no power of two, as bands need it"
                ));
                vec![Feature::Mean, Feature::LogStd, Feature::LogMad]
            }
        };
        let front = self.rest.front(channels, window, features);
        front.validate().with_context(|| source.name())?;
        if front.hop > front.window {
            warn(&format!(
                "--hop {} is more than --window {}: the samples between two windows are in none",
                front.hop, front.window
            ));
        }
        Ok(front)
    }
}

impl FrontRest {
    /// Refuses what is for raw samples where rows are readings.
    pub(crate) fn require_none(&self, has_features: bool) -> Result<()> {
        let Self { hop, operators, floor, units, rate, by: _ } = self;
        let given = [
            ("hop", hop.is_some()),
            ("features", has_features),
            ("operators", !operators.is_empty()),
            ("floor", floor.is_some()),
            ("units", !units.is_empty()),
            ("rate", rate.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((name, _)) => {
                bail!("--{name} is for raw samples: add --window N or --window auto")
            }
            None => Ok(()),
        }
    }

    /// The columns that are channels or inputs, without those that have another purpose.
    pub(crate) fn columns(&self, choice: &ColumnChoice, label: Option<&str>) -> ColumnChoice {
        let mut choice = choice.clone();
        if choice.columns.is_empty() {
            choice.drop.extend([self.by.as_deref(), label].into_iter().flatten().map(String::from));
        }
        choice
    }

    pub(crate) fn hop_of(&self, window: usize) -> usize {
        self.hop.map_or((window / 2).max(1), |hop| hop as usize)
    }

    /// The recipe, which is not yet validated.
    pub(crate) fn front(
        &self,
        channels: Vec<String>,
        window: usize,
        features: Vec<Feature>,
    ) -> Front {
        Front {
            channels,
            window,
            hop: self.hop_of(window),
            features,
            floor: self.floor.unwrap_or(FLOOR),
            scales: self.units.clone(),
            operators: self.operators.clone(),
            rate: self.rate,
            by: self.by.clone(),
        }
    }
}

/// How many rows follow one another without a gap or a change of recording, again and again.
pub(crate) fn stretches(source: &Source, rows: &RowChoice, by: Option<&str>) -> Result<Vec<usize>> {
    let mut table = Table::open(source, &rows.of_samples())?;
    let by = by.map(|name| table.column(name)).transpose()?;
    let mut stretches: Vec<usize> = Vec::new();
    let mut last: Option<(u64, String)> = None;
    loop {
        match table.advance()? {
            Step::End => return Ok(stretches),
            // A gap; whether it is an error is for whoever reads the numbers to say.
            Step::Garbled(_) => continue,
            Step::Row => {}
        }
        let row = table.row();
        let recording = by.map_or("", |column| row.text(column));
        match (&mut last, stretches.last_mut()) {
            (Some((number, known)), Some(stretch))
                if *number + 1 == row.order && known == recording =>
            {
                *stretch += 1;
                *number = row.order;
            }
            _ => {
                stretches.push(1);
                last = Some((row.order, recording.into()));
            }
        }
    }
}

/// How many windows there are in such stretches.
pub(crate) fn windows_of(stretches: &[usize], window: usize, hop: usize) -> usize {
    let of = |rows: &usize| rows.checked_sub(window).map_or(0, |rest| rest / hop + 1);
    stretches.iter().map(of).sum()
}

/// The largest power of two that gives enough windows, and leaves few rows without one.
fn choose_window(stretches: &[usize], hop_of: impl Fn(usize) -> usize) -> usize {
    let windows = |window: usize| windows_of(stretches, window, hop_of(window));
    let rows: usize = stretches.iter().sum();
    let left_out = |window: usize| -> usize { stretches.iter().filter(|&&n| n < window).sum() };
    let mut window = USUAL_WINDOW;
    let is_enough = |window| windows(window) >= ENOUGH_WINDOWS && 10 * left_out(window) <= rows;
    while window > LEAST_WINDOW && !is_enough(window) {
        window /= 2;
    }
    let why = match window {
        USUAL_WINDOW => String::new(),
        _ => format!(
            ", since {USUAL_WINDOW} would give {} (stretches without a gap have {} rows at the most)",
            thousands(windows(USUAL_WINDOW)),
            thousands(stretches.iter().copied().max().unwrap_or_default())
        ),
    };
    note(&format!(
        "--window auto: {} windows of {window} samples, one every {}{why}",
        thousands(windows(window)),
        hop_of(window)
    ));
    window
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_fit_the_recordings() {
        let half = |window: usize| window / 2;
        for (stretches, expected) in [
            (vec![10_000], 256),
            (vec![200; 40], 128),
            // 18 windows of 256, 42 of 128.
            (vec![1000; 3], 128),
            (vec![100; 400], 64),
            (vec![300], 16),
            (vec![5; 3], 16),
            // One short recording in ten does not count.
            ([vec![1000; 20], vec![100; 2]].concat(), 256),
        ] {
            assert_eq!(choose_window(&stretches, half), expected, "{stretches:?}");
        }
    }
}
