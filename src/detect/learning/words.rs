//! Warnings in words, with the names that the reader knows.

use core::fmt::{self, Display, Formatter};

use super::report::{Blindness, Warning};

impl Warning {
    /// The warning with names of inputs and samples in the place of their numbers: of columns and
    /// lines, say.
    ///
    /// ```
    /// use mercer::detect::Warning;
    /// let warning = Warning::ConstantInputs { first: 1, count: 1 };
    /// assert_eq!(warning.to_string(), "input 1 never changed: drop it, or record it at work");
    /// let columns = ["flow", "pressure"];
    /// let named = warning.named(|input| columns[input], |sample| format!("line {}", sample + 2));
    /// assert_eq!(named.to_string(), "pressure never changed: drop it, or record it at work");
    /// ```
    pub fn named<I: Display, S: Display>(
        &self,
        input: impl Fn(usize) -> I,
        sample: impl Fn(usize) -> S,
    ) -> impl Display {
        Named { warning: *self, input, sample }
    }
}

impl Display for Warning {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.named(|number| Numbered { kind: "input", number }, number_of_sample).fmt(f)
    }
}

impl Display for Blindness {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_cause(*self, number_of_sample, f)
    }
}

/// What has no name.
struct Numbered {
    kind: &'static str,
    number: usize,
}

impl Display for Numbered {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.number)
    }
}

fn number_of_sample(number: usize) -> Numbered {
    Numbered { kind: "sample", number }
}

/// A warning, and how its inputs and samples are called.
struct Named<I, S> {
    warning: Warning,
    input: I,
    sample: S,
}

impl<I: Fn(usize) -> A, S: Fn(usize) -> B, A: Display, B: Display> Display for Named<I, S> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.warning {
            Warning::ConstantInputs { first, count: 1 } => {
                write!(f, "{} never changed: drop it, or record it at work", (self.input)(first))
            }
            Warning::ConstantInputs { first, count } => write!(
                f,
                "{count} inputs never changed, the first is {}: drop them, or record them at work",
                (self.input)(first)
            ),
            Warning::StuckInputs { first, count: 1 } => write!(
                f,
                "{} was stuck for half of the time: learn from when it worked, or drop it",
                (self.input)(first)
            ),
            Warning::StuckInputs { first, count } => write!(
                f,
                "{count} inputs were stuck for half of the time, the first is {}: learn from when \
                 they worked, or drop them",
                (self.input)(first)
            ),
            Warning::Duplicates { samples } => write!(
                f,
                "{samples} samples are copies of others: leave them out, or read more slowly"
            ),
            Warning::FewSamples { given, advised } => write!(
                f,
                "few samples: {given} given, {advised} would be better: record more, or drop inputs"
            ),
            Warning::UnsupportedRate { given, needed } => write!(
                f,
                "{given} samples support no fewer false alarms than about one in {} readings: \
                 record {needed}{}, allow more false alarms, or calibrate by later readings",
                given.saturating_add(1),
                if needed == usize::MAX { " or more" } else { "" }
            ),
            Warning::Autocorrelated { effective, spacing } => write!(
                f,
                "neighbouring samples are alike, all together are worth about {effective} \
                 independent ones: take one reading in {spacing}, for longer (and folds in blocks)"
            ),
            Warning::Drift { quarter: 0 } => f.write_str(
                "the first quarter of the samples is unlike the others: leave it out if something \
                 was still settling, else learn from a longer recording",
            ),
            Warning::Drift { quarter: 3 } => f.write_str(
                "the last quarter of the samples is unlike the others, readings drift: learn from a \
                 longer recording that covers all that is normal, and learn again from time to time",
            ),
            Warning::Drift { quarter } => write!(
                f,
                "quarter {} of the samples is unlike the others: leave it out if it was not \
                 normal, else learn from a longer recording",
                quarter + 1
            ),
            Warning::ComponentsCapped => f.write_str(
                "no room for the components that the recipe asks for, those kept miss more than a \
                 fifth of the variance: make room for more",
            ),
            Warning::PointsCapped => f.write_str(
                "more than a tenth of the variance lies outside the span of the points: make room \
                 for more of them, or choose a wider kernel",
            ),
            Warning::Indefinite => f.write_str(
                "kernel is not positive semi-definite, scores are no distances: choose another \
                 kernel or other parameters",
            ),
            Warning::ThresholdLowered { sample, above } => write!(
                f,
                "no reading could look stranger than {}: the threshold was lowered, {above} \
                 samples are above it; record such states more often, trim them, or allow more \
                 false alarms",
                (self.sample)(sample)
            ),
            Warning::AlarmStays { percent } => write!(
                f,
                "usual readings score {percent} % of the threshold, an alarm by the smoothed score \
                 would hardly end: wish for fewer false alarms, choose a wider kernel, or let it \
                 end at more than 80 %"
            ),
            Warning::BlindInputs { first, count, cause } => {
                f.write_str("faults of 5 deviations pass unnoticed in ")?;
                match count {
                    1 => write!(f, "{}: ", (self.input)(first))?,
                    _ => write!(f, "{count} inputs, the first is {}: ", (self.input)(first))?,
                }
                write_cause(cause, &self.sample, f)
            }
            Warning::ComponentsChanged { first, count } => write!(
                f,
                "{count} components are others than before, the first is {first}: train anew what \
                 uses their projections, or leave them out there"
            ),
        }
    }
}

/// Why faults of an input pass unnoticed, and what to do.
fn write_cause<S: Display>(
    cause: Blindness,
    name: impl Fn(usize) -> S,
    f: &mut Formatter<'_>,
) -> fmt::Result {
    match cause {
        Blindness::Outlier { sample } => {
            write!(f, "{} is far from all others there: trim, or take it out", name(sample))
        }
        Blindness::Threshold { sample } => write!(
            f,
            "strange samples such as {} set the threshold: trim them, record more of them, or \
             allow more false alarms",
            name(sample)
        ),
        Blindness::Stuck => f.write_str("it hardly ever changed: drop it, or record it at work"),
        Blindness::Scale => f.write_str("it varies much less than others: standardise"),
        Blindness::Kernel => {
            f.write_str("kernel too wide: choose a narrower one, fewer components or fewer inputs")
        }
    }
}
