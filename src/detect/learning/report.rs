//! What learning found, and what may be wrong with it.

use core::fmt;

use crate::detect::Thresholds;
use crate::kpca::FitReport;

/// Something about the samples or the result that may not be what was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Warning {
    /// Inputs that never changed: a sensor that is disconnected, or not needed.
    ConstantInputs {
        /// The first of them.
        first: usize,
        /// How many there are.
        count: usize,
    },
    /// Inputs that kept one value for more than half of the time: a sensor that got stuck.
    StuckInputs {
        /// The first of them.
        first: usize,
        /// How many there are.
        count: usize,
    },
    /// Samples that are exact copies of earlier ones: they teach nothing, and cross-fit takes them
    /// for new ones.
    Duplicates {
        /// How many there are.
        samples: usize,
    },
    /// Fewer samples than it takes to know the inputs.
    FewSamples {
        /// How many there are.
        given: usize,
        /// How many would be better: at least 32, and four for each input.
        advised: usize,
    },
    /// The samples are too few for the wish for false alarms: the threshold is their largest score.
    UnsupportedRate {
        /// How many it would take.
        needed: usize,
    },
    /// There was no room for the components that the recipe asks for.
    ComponentsCapped,
    /// The points do not span the share of the variance that the recipe asks for: more of them
    /// would, or a wider kernel.
    PointsCapped,
    /// The kernel is not positive semi-definite: scores have no meaning as distances.
    Indefinite,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::ConstantInputs { first, count } => {
                write!(f, "{count} inputs never changed, the first is {first}")
            }
            Self::StuckInputs { first, count } => {
                write!(f, "{count} inputs were stuck for half of the time, the first is {first}")
            }
            Self::Duplicates { samples } => write!(f, "{samples} samples are copies of others"),
            Self::FewSamples { given, advised } => {
                write!(f, "few samples: {given} given, {advised} would be better")
            }
            Self::UnsupportedRate { needed } => {
                write!(f, "so few false alarms can only be promised with {needed} samples")
            }
            Self::ComponentsCapped => {
                f.write_str("no room for the components that the recipe asks for")
            }
            Self::PointsCapped => {
                f.write_str("the points do not span the variance that the recipe asks for")
            }
            Self::Indefinite => f.write_str("kernel is not positive semi-definite"),
        }
    }
}

/// What learning found; each kind of warning at most once.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct LearnReport<T> {
    /// The fit to all samples.
    pub fit: FitReport<T>,
    /// The calibrated thresholds.
    pub thresholds: Thresholds<T>,
    /// The share of false alarms the thresholds are for.
    pub false_alarms: T,
    /// How many samples were left out.
    pub trimmed: usize,
    pub(super) warnings: Warnings,
}

impl<T> LearnReport<T> {
    /// What may not be as it was meant.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}

/// Room for one of each kind.
pub(super) type Warnings = heapless::Vec<Warning, 8>;

/// Adds a warning; there is room for one of each kind.
pub(super) fn warn(warnings: &mut Warnings, warning: Warning) {
    let _ = warnings.push(warning);
}
