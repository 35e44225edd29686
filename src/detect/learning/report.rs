//! What learning found, and what may be wrong with it.

use crate::detect::Threshold;
use crate::kpca::FitReport;

/// Something about the samples or the result that may not be what was meant.
///
/// Samples are numbered as they were given; those of a [`Learner`](crate::Learner) from the oldest
/// on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Warning {
    /// Inputs that never changed: a sensor that is disconnected, or not needed. Drop them, or
    /// record them at work.
    ConstantInputs {
        /// The first of them.
        first: usize,
        /// How many there are.
        count: usize,
    },
    /// Inputs that kept one value for more than half of the time, and hardly ever had it otherwise:
    /// a sensor that got stuck. Learn from a time when it worked, or drop it.
    StuckInputs {
        /// The first of them.
        first: usize,
        /// How many there are.
        count: usize,
    },
    /// Samples that are exact copies of earlier ones: they teach nothing, and cross-fit takes them
    /// for new ones. Leave them out, or read more slowly. It is said of more than one sample in 40,
    /// and not where all inputs have few levels, so that equal samples need not be copies.
    Duplicates {
        /// How many there are.
        samples: usize,
    },
    /// Fewer samples than it takes to know the inputs. Record more, or drop inputs.
    FewSamples {
        /// How many there are.
        given: usize,
        /// How many would be better: at least 32, and two for each input.
        advised: usize,
    },
    /// The samples are too few for the wish for false alarms: the threshold is their largest score.
    /// Record more, allow more, or go on with [`LaterReadings`](crate::detect::LaterReadings).
    UnsupportedRate {
        /// How many there are.
        given: usize,
        /// How many it would take; `usize::MAX` stands for that many and more.
        needed: usize,
    },
    /// Neighbouring samples are alike, so that they say less about the readings to come than as
    /// many independent ones would: expect more false alarms.
    Autocorrelated {
        /// How many independent samples they are worth.
        effective: usize,
        /// Of so many readings one should be taken as a sample.
        spacing: usize,
    },
    /// A quarter of the samples, in the order in which they were taken, is unlike the others. If it
    /// is the last, the readings drift: those to come may raise false alarms. If it is the first,
    /// something was still settling.
    Drift {
        /// Which quarter, counted from 0.
        quarter: usize,
    },
    /// There was no room for the components that the recipe asks for, and those that there are miss
    /// more than a fifth of the variance: make room for more. (Less than that costs no detection:
    /// [`FitReport::explained`] has the figure.)
    ComponentsCapped,
    /// More than a tenth of the variance, and more than the recipe leaves, lies outside the span of
    /// the points: make room for more of them, or choose a wider kernel. (Less than that costs next
    /// to no detection: [`FitReport::unspanned`] has the figure.)
    PointsCapped,
    /// The kernel is not positive semi-definite: scores have no meaning as distances. Choose
    /// another one, or other parameters.
    Indefinite,
    /// Some samples look as strange as anything could, e.g. a rare state, and set a threshold that
    /// no reading would exceed. It was lowered:
    /// [`false_alarms`](LearnReport::false_alarms) says what that means. Record such states more
    /// often, trim them, or allow more false alarms.
    ThresholdLowered {
        /// The strangest sample.
        sample: usize,
        /// How many samples score above the threshold now, each by a model that has not seen it.
        above: usize,
    },
    /// Usual readings score so close below the threshold, on average, that an alarm by the
    /// [smoothed score](crate::detect::AlarmRule::SMOOTHED) would hardly end by itself. Wish for
    /// fewer false alarms, choose a wider kernel, let the alarm end at a higher share, or
    /// [count](crate::detect::AlarmRule::Count) unusual readings.
    AlarmStays {
        /// What they score, in percent of the threshold.
        percent: usize,
    },
    /// Inputs whose faults pass unnoticed: moved by 5 robust deviations, samples are unusual in
    /// less than a quarter of the trials. See [`LearnReport::blind_inputs`].
    BlindInputs {
        /// The first of them.
        first: usize,
        /// How many there are.
        count: usize,
        /// Why the first is, most likely.
        cause: Blindness,
    },
    /// After a refit some components are others than they were in the detector before. Verdicts are
    /// as good as ever, but what was trained on projections must be trained anew, or do without
    /// these. (Signs are kept; components of close variances may still swap or mix, and the last
    /// ones come and go.) See [`LearnReport::changed_components`].
    ComponentsChanged {
        /// The first of them, counted from 0.
        first: usize,
        /// How many there are.
        count: usize,
    },
}

/// Why faults of an input pass unnoticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Blindness {
    /// A sample has a value of this input so far from all others that these look alike beside it: a
    /// glitch. Trim it, or take it out; if the input is like that, take its logarithm.
    Outlier {
        /// Which sample.
        sample: usize,
    },
    /// The threshold is so high that little exceeds it, because some samples are strange. Trim
    /// them, record more like them, or allow more false alarms.
    Threshold {
        /// The strangest sample.
        sample: usize,
    },
    /// The input had the same value in more than half of the samples. Drop it, or record it while
    /// it works.
    Stuck,
    /// The input varies much less than another one: standardise.
    Scale,
    /// The kernel is too wide for the number of inputs, or the components explain whatever this
    /// input does: choose a narrower kernel, fewer components or fewer inputs.
    Kernel,
}

impl Warning {
    /// The same with another number for the sample, if it names one.
    fn renumbered(self, row: impl Fn(usize) -> usize) -> Self {
        match self {
            Self::ThresholdLowered { sample, above } => {
                Self::ThresholdLowered { sample: row(sample), above }
            }
            Self::BlindInputs { first, count, cause } => {
                Self::BlindInputs { first, count, cause: cause.renumbered(row) }
            }
            other => other,
        }
    }
}

impl Blindness {
    /// The same with another number for the sample, if it names one.
    pub(super) fn renumbered(self, row: impl Fn(usize) -> usize) -> Self {
        match self {
            Self::Outlier { sample } => Self::Outlier { sample: row(sample) },
            Self::Threshold { sample } => Self::Threshold { sample: row(sample) },
            other => other,
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
    /// The calibrated threshold.
    pub threshold: Threshold<T>,
    /// The share of false alarms that was wished for: of normal readings that are unusual.
    pub wished: T,
    /// The share of false alarms that the samples support: the wish, or more if they are too few
    /// for it, or worth too few since [neighbours are alike](Warning::Autocorrelated) (with folds
    /// in turn it is then still too small), or since the threshold [had to be
    /// lowered](Warning::ThresholdLowered). It is to be expected of readings that are
    /// [exchangeable](crate::detect::calibrate) with the samples: taken under the same conditions,
    /// and independent of each other.
    pub false_alarms: T,
    /// How often an alarm, by its [default](crate::AlarmConfig::DEFAULT), is raised by the scores
    /// of the samples: in their order, each by a model that has not seen it. All of them false, if
    /// the samples are normal. (The shares above are of readings that are
    /// [unusual](crate::Verdict::unusual), of which it takes more than one to raise an alarm.)
    pub alarms: usize,
    /// How many samples were left out.
    pub trimmed: usize,
    pub(super) warnings: Warnings,
    /// A bit for each of the first 64 inputs.
    pub(super) blind: u64,
    /// A bit for each of the first 64 components.
    pub(super) changed: u64,
}

impl<T> LearnReport<T> {
    /// The inputs whose faults pass unnoticed, among the first 64; see [`Warning::BlindInputs`].
    pub fn blind_inputs(&self) -> impl Iterator<Item = usize> + use<T> {
        numbers(self.blind)
    }

    /// The components of the detector before that are gone, or others now, among the first 64; see
    /// [`Warning::ComponentsChanged`]. The projections on all others mean what they did.
    pub fn changed_components(&self) -> impl Iterator<Item = usize> + use<T> {
        numbers(self.changed)
    }

    /// Numbers the samples that it names otherwise.
    pub(crate) fn renumber(&mut self, row: impl Fn(usize) -> usize) {
        for warning in &mut self.warnings {
            *warning = warning.renumbered(&row);
        }
    }

    /// What may not be as it was meant.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}

/// The numbers of the bits that are set.
fn numbers(bits: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |number| bits >> number & 1 == 1)
}

/// Room for one of each kind.
pub(super) type Warnings = heapless::Vec<Warning, 14>;

/// Adds a warning; there is room for one of each kind.
pub(super) fn warn(warnings: &mut Warnings, warning: Warning) {
    let _ = warnings.push(warning);
}
