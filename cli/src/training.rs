//! How a model came about, and what it can be trusted with.

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use crate::choices::Order;
use crate::text::{percent, thousands};

/// What an expected share of false alarms rests on.
const ASSUMPTION: &str = "if readings are exchangeable with the training readings: same conditions, independent of each other";

/// The same after a calibration by later readings.
const ASSUMPTION_LATER: &str =
    "if readings are exchangeable with the later ones: same conditions, independent of each other";

/// Rounding of sums in single precision.
pub(crate) const ROUNDING: f64 = 1e-3;
/// Warnings of a model, and characters of each.
const MOST_WARNINGS: usize = 32;
pub(crate) const LONGEST_WARNING: usize = 1000;

/// What is known about the fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Training {
    /// How many samples it was fitted to.
    pub samples: usize,
    /// How many were left out as outliers.
    pub trimmed: usize,
    /// Share of the total variance that the components explain.
    pub explained: f64,
    /// Share of the total variance outside the span of the points.
    pub unspanned: f64,
    /// Components that could have been kept.
    pub rank: usize,
    /// The share of false alarms that the threshold is for, of normal readings that are unusual;
    /// none if it is not calibrated.
    pub false_alarms: Option<f64>,
    /// How often the alarm, by its default rule, is raised by the scores that the threshold was
    /// calibrated on; none as above.
    pub alarms: Option<usize>,
    /// Folds of the cross-fit.
    pub folds: usize,
    /// How samples were dealt into folds.
    pub fold_order: Order,
    /// How many recordings the samples are of, as far as these were told apart.
    pub recordings: usize,
    /// The readings after learning that the threshold was taken from, if it was.
    pub later: Option<Later>,
    /// Why learning refused it, if it did: somebody wanted it all the same.
    pub refused: Option<String>,
    /// What may not be as it was meant.
    pub warnings: Vec<String>,
}

/// Readings after learning that a threshold rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Later {
    /// How many there were.
    pub readings: usize,
    /// One calibration in twenty has a smaller share of false alarms,
    pub low: f64,
    /// and one in twenty a larger one.
    pub high: f64,
}

impl Later {
    /// Can so many readings have led to this share?
    fn validate(&self, share: Option<f64>) -> Result<()> {
        let Self { readings, low, high } = *self;
        ensure!(u32::try_from(readings).is_ok() && readings > 0, "{readings} later readings");
        let within = share.is_some_and(|share| 0.0 < low && low < share && share < high);
        ensure!(within && high < 1.0, "false_alarms must lie between low and high of later");
        Ok(())
    }
}

impl Training {
    /// How many false alarms are to be expected, and what that rests on.
    pub(crate) fn promise(&self) -> String {
        match self.false_alarms {
            Some(share) => format!(
                "{} of normal readings are unusual ({}), {}",
                percent(share),
                self.calibration(),
                self.assumption()
            ),
            None => "unknown, see the warnings".into(),
        }
    }

    /// How often the alarm is raised by normal readings, as far as it was seen.
    pub(crate) fn alarms_seen(&self) -> Option<String> {
        let alarms = self.alarms?;
        let times = match alarms {
            0 => "never".into(),
            1 => "once".into(),
            alarms => format!("{alarms} times"),
        };
        Some(match &self.later {
            Some(later) => {
                format!("{times} raised by the {} later readings", thousands(later.readings))
            }
            None => format!(
                "{times} raised by the {} samples, each scored by a model that has not seen it",
                self.samples
            ),
        })
    }

    /// What the threshold was taken from.
    pub(crate) fn calibration(&self) -> String {
        match &self.later {
            Some(Later { readings, low, high }) => format!(
                "by {} later readings, which makes it {} to {} in nine cases of ten",
                thousands(*readings),
                percent(*low),
                percent(*high)
            ),
            None if self.recordings > 1 && self.fold_order == Order::Contiguous => {
                format!("{} folds of whole recordings", self.folds)
            }
            None => format!("{} {} folds", self.folds, self.fold_order),
        }
    }

    /// What an expected share of false alarms rests on.
    pub(crate) fn assumption(&self) -> &'static str {
        if self.later.is_some() { ASSUMPTION_LATER } else { ASSUMPTION }
    }

    /// The same where there is little room.
    pub(crate) fn assumption_in_short(&self) -> &'static str {
        match self.later {
            Some(_) => "if like the later readings, and independent",
            None => "if like the training readings, and independent",
        }
    }

    /// That learning refused it, in a sentence.
    pub(crate) fn refusal(&self) -> Option<String> {
        let why = self.refused.as_ref()?;
        Some(format!(
            "learning refused this model, which projects readings but cannot tell which are unusual (it has no threshold, whatever scores above 0 is unusual): {why}"
        ))
    }

    /// All that may not be as it was meant, the worst first.
    pub(crate) fn all_warnings(&self) -> impl Iterator<Item = String> {
        self.refusal().into_iter().chain(self.warnings.iter().cloned())
    }

    /// Can a fit have said this of a model with so many components?
    pub(crate) fn validate(&self, components: usize, indefinite: bool) -> Result<()> {
        let Self { samples, trimmed, explained, unspanned, rank, folds, .. } = self;
        let all = samples.checked_add(*trimmed).filter(|&all| u32::try_from(all).is_ok());
        ensure!(all.is_some(), "{samples} samples and {trimmed} left out are too many");
        ensure!(
            (components..=*samples).contains(rank),
            "rank {rank} of {components} components and {samples} samples"
        );
        let is_share = |share: f64| (-ROUNDING..=1.0 + ROUNDING).contains(&share);
        // Components of a kernel that is not positive semi-definite can explain more than there is.
        let explains = if indefinite { explained.is_finite() } else { is_share(*explained) };
        ensure!(explains, "explained must be a share, not {explained:?}");
        ensure!(is_share(*unspanned), "unspanned must be a share, not {unspanned:?}");
        match self.false_alarms {
            Some(share) => {
                ensure!(share > 0.0 && share < 1.0, "false_alarms must be a share > 0 and < 1");
                ensure!(self.refused.is_none(), "false_alarms of a model that was refused");
                let most = self.later.as_ref().map_or(*samples, |later| later.readings);
                let some = self.alarms.is_some_and(|alarms| alarms <= most);
                ensure!(some, "alarms must be a number, at most that of the samples");
                ensure!(
                    *folds >= 2 && all.is_some_and(|all| *folds <= all),
                    "{folds} folds of {samples} samples"
                );
            }
            None => {
                ensure!(self.refused.is_some(), "neither false_alarms nor why there are none");
                ensure!(self.alarms.is_none(), "alarms of a model that was refused");
            }
        }
        ensure!(
            self.recordings > 0 && all.is_some_and(|all| self.recordings <= all),
            "{} recordings of {samples} samples",
            self.recordings
        );
        self.later.as_ref().map_or(Ok(()), |later| later.validate(self.false_alarms))?;
        ensure!(self.warnings.len() <= MOST_WARNINGS, "more than {MOST_WARNINGS} warnings");
        for text in self.warnings.iter().chain(&self.refused) {
            let is_short = text.chars().nth(LONGEST_WARNING).is_none();
            ensure!(is_short, "a warning of more than {LONGEST_WARNING} characters");
        }
        Ok(())
    }
}
