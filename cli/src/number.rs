//! The precisions a model can have.

use std::str::FromStr;

use clap::ValueEnum;
use mercer::detect::persist::Encode;
use mercer::math::{Fast, Math, Real};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What numbers a model is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Precision {
    /// Single: what a device has in hardware.
    F32,
    /// Double.
    F64,
}

/// `f32` or `f64`, with all that models of them need here.
pub(crate) trait Number: Real + Encode + FromStr + Serialize + DeserializeOwned {
    /// Its name in options and files.
    const PRECISION: Precision;
    /// Who computes `exp` in kernels: the library's default, which firmware uses too.
    type Math: Math<Self> + Encode + Send + Sync;
    /// The value of it.
    const MATH: Self::Math;
    /// The name of the type in source code: that of Rust, then that of C.
    const NAMES: [&str; 2];
}

impl Number for f32 {
    const PRECISION: Precision = Precision::F32;
    type Math = Fast;
    const MATH: Fast = Fast;
    const NAMES: [&str; 2] = ["f32", "float"];
}

impl Number for f64 {
    const PRECISION: Precision = Precision::F64;
    type Math = Fast;
    const MATH: Fast = Fast;
    const NAMES: [&str; 2] = ["f64", "double"];
}
