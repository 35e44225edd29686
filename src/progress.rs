//! Work that is done in steps.

/// Is a job that is done in steps finished?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
pub enum Progress {
    /// More steps are needed.
    Working,
    /// The result is complete.
    Done,
}
