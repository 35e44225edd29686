//! A front end with its sizes as run-time values.

use crate::error::Error;
use crate::signal::extract::spectrum_memory;
use crate::signal::feature::{Feature, outputs, validate as validate_features};
use crate::signal::front_end::{validate_floor, validate_scales};
use crate::signal::names::Names;
use crate::signal::operator::{Operator, memory, validate as validate_operators, width};
use crate::signal::window::SampleKind;

/// All that a front end does with raw samples, as values: what a [`Stream`](crate::signal::Stream)
/// is by its type, or what a desk has read from a file.
///
/// Together with a detector it is [stored](crate::monitor::stored) as bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrontEndView<'a> {
    /// What samples are.
    pub samples: SampleKind,
    /// How many channels a sample has.
    pub channels: usize,
    /// Samples in a window.
    pub window: usize,
    /// Samples from the start of a window to that of the next.
    pub hop: usize,
    /// See [`FrontEnd::FEATURES`](crate::signal::FrontEnd::FEATURES).
    pub features: &'a [Feature],
    /// See [`FrontEnd::FLOOR`](crate::signal::FrontEnd::FLOOR).
    pub floor: f32,
    /// See [`FrontEnd::SCALES`](crate::signal::FrontEnd::SCALES).
    pub scales: &'a [f32],
    /// See [`FrontEnd::OPERATORS`](crate::signal::FrontEnd::OPERATORS).
    pub operators: &'a [Operator],
}

impl<'a> FrontEndView<'a> {
    /// Can readings be made so?
    ///
    /// # Errors
    /// [`Error::Parameter`] names what breaks a rule.
    pub const fn validate(&self) -> Result<(), Error> {
        let (name, rule) = match (self.channels, self.window, self.hop) {
            (0, ..) => ("channels", "> 0"),
            (_, 0, _) => ("window", "> 0"),
            (.., 0) => ("hop", "> 0"),
            _ => {
                return match (
                    validate_features(self.features, self.window),
                    validate_floor(self.floor),
                    validate_scales(self.scales, self.channels),
                    validate_operators(self.operators),
                ) {
                    (Err(error), ..)
                    | (_, Err(error), ..)
                    | (_, _, Err(error), _)
                    | (.., Err(error)) => Err(error),
                    _ => Ok(()),
                };
            }
        };
        Err(Error::Parameter { name, rule })
    }

    /// How many numbers the features of all channels are.
    pub const fn row(&self) -> usize {
        self.channels.saturating_mul(outputs(self.features))
    }

    /// How many numbers a reading has: the inputs of a detector.
    pub const fn inputs(&self) -> usize {
        width(self.operators, self.row())
    }

    /// How many numbers a [`Stream`](crate::signal::Stream) remembers or works in beside its window
    /// and its reading.
    pub const fn memory(&self) -> usize {
        self.spectrum().saturating_add(memory(self.operators, self.row()))
    }

    /// How many of these a transform takes.
    pub(crate) const fn spectrum(&self) -> usize {
        spectrum_memory(self.features, self.window)
    }

    /// What the numbers of a reading are called; channels without a name are numbered.
    pub const fn names(&self, channels: &'a [&'a str]) -> Names<'a> {
        Names::counted(self.channels, channels, self.features, self.operators)
    }
}
