//! The smart-watch recordings as windows of features.
#![allow(dead_code, reason = "every program uses a part of it")]

use mercer::math::Real;

/// Mean and standard deviation of each axis.
pub(crate) const FEATURES: usize = 2 * AXES;
/// Instants of one activity in each of the two files, ten a second: ten recordings of 100.
pub(crate) const ROWS: usize = 1000;

/// Instants in a window of the model in `data/walking`: two seconds.
pub(crate) const MODEL_LENGTH: usize = 20;

/// Instants of one recording.
const RECORDING: usize = 100;
const AXES: usize = 6;

/// All recordings of one activity, one after the other: little-endian `f32`, an instant a row.
///
/// `cargo xtask data` makes these from the CSV files beside them.
#[repr(transparent)]
pub(crate) struct Recordings([u8; 4 * AXES * ROWS]);

macro_rules! recordings {
    ($name:literal) => {
        Recordings(*include_bytes!(concat!("../data/motions/", $name, ".f32")))
    };
}

/// What the model learns from.
pub(crate) static TRAINING: Recordings = recordings!("train_walking");

/// Recordings the model has not seen, the learned activity first.
pub(crate) static UNSEEN: [(&str, Recordings); 4] = [
    ("walking", recordings!("test_walking")),
    ("running", recordings!("test_running")),
    ("badminton", recordings!("test_badminton")),
    ("standing", recordings!("test_standing")),
];

/// The features of one window.
pub(crate) type Window = [f32; FEATURES];

/// What each feature is, for people.
pub(crate) const NAMES: [&str; FEATURES] = [
    "mean of ax",
    "mean of ay",
    "mean of az",
    "mean of gx",
    "mean of gy",
    "mean of gz",
    "deviation of ax",
    "deviation of ay",
    "deviation of az",
    "deviation of gx",
    "deviation of gy",
    "deviation of gz",
];

/// Those of the features that are standard deviations.
pub(crate) const DEVIATIONS: [usize; AXES] = [6, 7, 8, 9, 10, 11];

/// The instants of some recordings, as a sensor gives them; each recording by itself.
pub(crate) fn raw(
    recordings: &Recordings,
) -> impl Iterator<Item = impl Iterator<Item = [f32; AXES]>> {
    let (numbers, _) = recordings.0.as_chunks::<4>();
    let (rows, _) = numbers.as_chunks::<AXES>();
    rows.chunks(RECORDING).map(|rows| rows.iter().map(|row| row.map(f32::from_le_bytes)))
}

/// The windows of `W` instants of some recordings; they do not overlap.
pub(crate) fn windows<const W: usize>(recordings: &Recordings) -> impl Iterator<Item = Window> {
    let (numbers, _) = recordings.0.as_chunks::<4>();
    let (rows, _) = numbers.as_chunks::<AXES>();
    rows.chunks_exact(W).map(features)
}

/// Means of the axes, then their standard deviations.
fn features(rows: &[[[u8; 4]; AXES]]) -> Window {
    let count = rows.len() as f32;
    let mut features = [0.0; FEATURES];
    let (means, deviations) = features.split_at_mut(AXES);
    for (axis, (mean, deviation)) in means.iter_mut().zip(deviations).enumerate() {
        // Decoded where it is used: a window of numbers would take half a kilobyte of stack.
        let values = || rows.iter().map(|row| f32::from_le_bytes(row[axis]));
        *mean = values().sum::<f32>() / count;
        let variance = values().map(|v| (v - *mean) * (v - *mean)).sum::<f32>() / count;
        *deviation = Real::sqrt(variance);
    }
    features
}
