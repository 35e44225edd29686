//! The closed list of operators on readings that follow one another.

use core::fmt;
use core::str::FromStr;

use crate::error::Error;
use crate::linalg::slices::copy;

/// What becomes of a row `x_t` of readings that follow one another.
///
/// Its text is the name that recipes use, and parses again:
///
/// ```
/// use mercer::signal::Operator;
/// assert_eq!(Operator::Average(8).to_string(), "ma8");
/// assert_eq!("ewma0.25".parse(), Ok(Operator::Ewma(0.25)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Operator {
    /// `maW`: the mean of the last `W` rows, of fewer at the start. `W` is at least 1.
    Average(u16),
    /// `ewmaA`: `y_t = y_{t−1} + A(x_t − y_{t−1})`, and the first row itself at the start; `A` is
    /// above 0, and at most 1.
    Ewma(f32),
    /// `lagL`: the row and the `L − 1` before it side by side, the newest first; nothing before the
    /// `L`-th row. `L` is at least 1. (Dynamic kernel PCA.)
    Lags(u16),
    /// `diff`: `x_t − x_{t−1}`; nothing at the first row.
    Difference,
}

impl Operator {
    /// How many rows it remembers.
    const fn kept(self) -> usize {
        match self {
            Self::Average(rows) | Self::Lags(rows) => (rows as usize).saturating_sub(1),
            Self::Ewma(_) | Self::Difference => 1,
        }
    }

    /// How many rows pass before it gives the first.
    pub(crate) const fn delay(self) -> u32 {
        match self {
            Self::Lags(rows) => (rows as u32).saturating_sub(1),
            Self::Difference => 1,
            Self::Average(_) | Self::Ewma(_) => 0,
        }
    }

    /// How many numbers a row of this many becomes.
    pub(crate) const fn widened(self, width: usize) -> usize {
        match self {
            Self::Lags(rows) => width.saturating_mul(rows as usize),
            _ => width,
        }
    }

    /// How many numbers it remembers of rows of this many.
    pub(crate) const fn memory(self, width: usize) -> usize {
        width.saturating_mul(self.kept())
    }

    const fn validate(self) -> Result<(), Error> {
        let (name, rule) = match self {
            Self::Average(0) => ("ma", "at least 1 row"),
            Self::Lags(0) => ("lag", "at least 1 row"),
            Self::Ewma(share) if !(share > 0.0 && share <= 1.0) => ("ewma", "> 0 and <= 1"),
            _ => return Ok(()),
        };
        Err(Error::Parameter { name, rule })
    }

    /// Turns the `width` numbers at the front of `row`, the first after `seen` others, into what it
    /// gives; false if that is nothing yet. `memory` is its own, zeros or not before the first row.
    pub(crate) fn apply(
        self,
        row: &mut [f32],
        width: usize,
        memory: &mut [f32],
        seen: u32,
    ) -> bool {
        match self {
            Self::Average(_) => average(row, memory, seen),
            Self::Ewma(share) => {
                for (x, y) in row.iter_mut().zip(memory) {
                    *y = if seen == 0 { *x } else { *y + share * (*x - *y) };
                    *x = *y;
                }
            }
            Self::Lags(_) => {
                copy(memory, row.get_mut(width..).unwrap_or_default());
                // What was remembered has moved on by one row, and the oldest is left out.
                for (kept, x) in memory.iter_mut().zip(row) {
                    *kept = *x;
                }
            }
            Self::Difference => {
                for (x, before) in row.iter_mut().zip(memory) {
                    (*x, *before) = (*x - *before, *x);
                }
            }
        }
        seen >= self.delay()
    }
}

/// The mean of a row and those remembered, of which `seen` are from before; the oldest is
/// forgotten.
fn average(row: &mut [f32], memory: &mut [f32], seen: u32) {
    let width = row.len().max(1);
    let known = (memory.len() / width).min(seen as usize);
    for (column, x) in row.iter_mut().enumerate() {
        let (newest, mut moved, mut sum) = (*x, *x, 0.0);
        for (age, past) in memory.chunks_exact_mut(width).enumerate() {
            let Some(past) = past.get_mut(column) else { break };
            if age < known {
                sum += *past - newest;
            }
            moved = core::mem::replace(past, moved);
        }
        *x = newest + sum / (known + 1) as f32;
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Average(rows) => write!(f, "ma{rows}"),
            Self::Ewma(share) => write!(f, "ewma{share}"),
            Self::Lags(rows) => write!(f, "lag{rows}"),
            Self::Difference => f.write_str("diff"),
        }
    }
}

impl FromStr for Operator {
    type Err = Error;

    /// # Errors
    /// [`Error::Parameter`] if there is no such operator, or its number is out of range.
    fn from_str(text: &str) -> Result<Self, Error> {
        let rows = |prefix| text.strip_prefix(prefix)?.parse().ok();
        let operator = if text == "diff" {
            Some(Self::Difference)
        } else if let Some(share) = text.strip_prefix("ewma") {
            share.parse().ok().map(Self::Ewma)
        } else {
            rows("ma").map(Self::Average).or_else(|| rows("lag").map(Self::Lags))
        };
        let rule = "one of ma1, ma2, …, ewma0.1, …, lag1, lag2, …, diff";
        let operator = operator.ok_or(Error::Parameter { name: "operator", rule })?;
        operator.validate()?;
        Ok(operator)
    }
}

/// How many numbers a row of `inputs` numbers becomes by these operators.
pub const fn width(operators: &[Operator], inputs: usize) -> usize {
    let (mut width, mut i) = (inputs, 0);
    while i < operators.len() {
        width = operators[i].widened(width);
        i += 1;
    }
    width
}

/// How many numbers these operators remember of rows of `inputs` numbers.
pub const fn memory(operators: &[Operator], inputs: usize) -> usize {
    let (mut width, mut memory, mut i) = (inputs, 0_usize, 0);
    while i < operators.len() {
        memory = memory.saturating_add(operators[i].memory(width));
        width = operators[i].widened(width);
        i += 1;
    }
    memory
}

/// Checks a list of operators.
pub(crate) const fn validate(operators: &[Operator]) -> Result<(), Error> {
    let mut i = 0;
    while i < operators.len() {
        if let Err(error) = operators[i].validate() {
            return Err(error);
        }
        i += 1;
    }
    Ok(())
}
