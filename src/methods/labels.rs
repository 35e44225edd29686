//! Labels of samples: numbers to predict from the samples, or classes +1 and −1.

use crate::error::{Error, require_shape};
use crate::math::Real;

/// The rule for labels that are numbers.
pub(crate) const FINITE: &str = "finite";

/// Checks that there is one label for each sample, and that each is finite.
pub(crate) fn require_values<T: Real>(labels: &[T], samples: usize) -> Result<(), Error> {
    require(labels, samples, FINITE, |label| label.is_finite())
}

/// Checks that there is one label for each sample, and that each is +1 or −1.
pub(crate) fn require_classes<T: Real>(labels: &[T], samples: usize) -> Result<(), Error> {
    require(labels, samples, "+1 or -1", |label| label.abs() == T::ONE)
}

fn require<T: Real>(
    labels: &[T],
    samples: usize,
    rule: &'static str,
    follows: impl Fn(T) -> bool,
) -> Result<(), Error> {
    require_shape("labels", samples, labels.len())?;
    match labels.iter().position(|&label| !follows(label)) {
        Some(index) => Err(Error::Label { index, output: 0, rule }),
        None => Ok(()),
    }
}
