//! Front ends to compare, as options.

use anyhow::Result;
use clap::Args;
use mercer::signal::Feature;

use crate::table::{RowChoice, Source};
use crate::windows::{
    ENOUGH_WINDOWS, FeatureChoice, FrontRest, LEAST_WINDOW, WindowChoice, features, stretches,
    window, windows_of,
};

/// What could be made of raw samples.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct FrontSearch {
    /// Rows are raw samples: compare readings of windows of so many of them, which takes --label.
    /// `auto`: the four longest of 16, 32, 64, 128, 256, 512 that give enough windows
    #[arg(long, value_name = "N,…|auto", value_delimiter = ',', value_parser = window)]
    window: Vec<WindowChoice>,
    /// What a window becomes, for each channel, as for `mercer fit`; repeat it to compare several
    /// sets. `auto` [default]: mean and logstd, with logmad, with bands4, with both
    #[arg(long, value_name = "LIST|auto", value_parser = features)]
    features: Vec<FeatureChoice>,
    #[command(flatten)]
    pub(crate) rest: FrontRest,
}

/// The longest that is tried unasked.
const MOST_WINDOW: usize = 512;

impl FrontSearch {
    /// Are rows raw samples? If not, nothing may be said about what is made of them.
    pub(crate) fn is_raw(&self) -> Result<bool> {
        if self.window.is_empty() {
            self.rest.require_none(!self.features.is_empty())?;
        }
        Ok(!self.window.is_empty())
    }

    /// Those that were asked for.
    pub(crate) fn windows(&self) -> Vec<usize> {
        let mut windows: Vec<usize> = self
            .window
            .iter()
            .filter_map(|choice| match choice {
                WindowChoice::Samples(samples) => Some(*samples as usize),
                WindowChoice::Auto => None,
            })
            .collect();
        windows.sort_unstable();
        windows.dedup();
        windows
    }

    /// Those to choose from where it was left to us, the longest first: there must be enough
    /// windows, of which some may turn out not to be normal.
    pub(crate) fn automatic(&self, source: &Source, rows: &RowChoice) -> Result<Vec<usize>> {
        if !self.window.contains(&WindowChoice::Auto) {
            return Ok(Vec::new());
        }
        let stretches = stretches(source, rows, self.rest.by.as_deref())?;
        let windows = std::iter::successors(Some(MOST_WINDOW), |window| Some(window / 2));
        let has_enough = |window: &usize| {
            windows_of(&stretches, *window, self.rest.hop_of(*window)) >= ENOUGH_WINDOWS
        };
        Ok(windows.take_while(|window| *window >= LEAST_WINDOW).filter(has_enough).collect())
    }

    /// The sets of features for windows of so many samples.
    pub(crate) fn sets(&self, window: usize) -> Vec<Vec<Feature>> {
        let mut sets: Vec<Vec<Feature>> = Vec::new();
        for choice in &self.features {
            match choice {
                FeatureChoice::These(features) => sets.push(features.clone()),
                FeatureChoice::Auto => sets.extend(usual_sets(window)),
            }
        }
        if self.features.is_empty() {
            sets = usual_sets(window);
        }
        sets
    }
}

/// Sets that are good on most recordings; bands need a window that is a power of two.
fn usual_sets(window: usize) -> Vec<Vec<Feature>> {
    let base = [Feature::Mean, Feature::LogStd];
    let more: &[&[Feature]] = match window.is_power_of_two() {
        true => {
            &[&[], &[Feature::LogMad], &[Feature::Bands(4)], &[Feature::LogMad, Feature::Bands(4)]]
        }
        false => &[&[], &[Feature::LogMad]],
    };
    more.iter().map(|more| [&base, *more].concat()).collect()
}
