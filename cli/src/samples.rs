//! What raw samples are on a device.

use clap::ValueEnum;
use mercer::signal::SampleKind;

/// What a device has of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SampleType {
    /// Numbers.
    #[default]
    F32,
    /// Counts of a converter, which --units of `fit` brings to units: a window takes half the
    /// memory.
    I16,
}

impl SampleType {
    /// Its name in Rust.
    pub(crate) fn rust(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::I16 => "i16",
        }
    }

    /// Its name in C.
    pub(crate) fn c(self) -> &'static str {
        match self {
            Self::F32 => "float",
            Self::I16 => "int16_t",
        }
    }

    /// Bytes of a sample.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::F32 => size_of::<f32>(),
            Self::I16 => size_of::<i16>(),
        }
    }
}

impl From<SampleType> for SampleKind {
    fn from(samples: SampleType) -> Self {
        match samples {
            SampleType::F32 => Self::Numbers,
            SampleType::I16 => Self::Counts,
        }
    }
}
