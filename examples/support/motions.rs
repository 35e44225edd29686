//! The smart-watch recordings as windows of features.
#![allow(dead_code, reason = "every program uses a part of it")]

use mercer::Real;

/// Mean and standard deviation of each axis.
pub(crate) const FEATURES: usize = 2 * AXES;
/// Two seconds.
const WINDOW: usize = 20;
/// Windows of one activity, in each of the two files.
pub(crate) const WINDOWS: usize = 50;

const AXES: usize = 6;

/// All recordings of one activity, one after the other: little-endian `f32`, an instant a row.
///
/// `cargo xtask data` makes these from the CSV files beside them.
#[repr(transparent)]
pub(crate) struct Recordings([u8; 4 * AXES * WINDOW * WINDOWS]);

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

/// The windows of some recordings; they do not overlap.
pub(crate) fn windows(recordings: &Recordings) -> impl Iterator<Item = Window> {
    let (numbers, _) = recordings.0.as_chunks::<4>();
    let (rows, _) = numbers.as_chunks::<AXES>();
    rows.chunks_exact(WINDOW).map(|rows| {
        let mut window = [[0.0; AXES]; WINDOW];
        for (row, bytes) in window.iter_mut().zip(rows) {
            *row = bytes.map(f32::from_le_bytes);
        }
        features(&window)
    })
}

/// Means of the axes, then their standard deviations.
fn features(rows: &[[f32; AXES]]) -> Window {
    let count = rows.len() as f32;
    let mut features = [0.0; FEATURES];
    let (means, deviations) = features.split_at_mut(AXES);
    for (axis, (mean, deviation)) in means.iter_mut().zip(deviations).enumerate() {
        *mean = rows.iter().map(|row| row[axis]).sum::<f32>() / count;
        let square = |row: &[f32; AXES]| (row[axis] - *mean) * (row[axis] - *mean);
        *deviation = Real::sqrt(rows.iter().map(square).sum::<f32>() / count);
    }
    features
}

/// Shifts and scales every feature to mean 0 and standard deviation 1 over the training windows.
#[derive(Debug)]
pub(crate) struct Standardise {
    pub(crate) mean: Window,
    pub(crate) deviation: Window,
}

impl Standardise {
    pub(crate) fn learn(windows: &[Window]) -> Self {
        let count = windows.len() as f32;
        let mut scale = Self { mean: [0.0; FEATURES], deviation: [1.0; FEATURES] };
        for (i, (mean, deviation)) in scale.mean.iter_mut().zip(&mut scale.deviation).enumerate() {
            *mean = windows.iter().map(|window| window[i]).sum::<f32>() / count;
            let square = |window: &Window| (window[i] - *mean) * (window[i] - *mean);
            let variance = windows.iter().map(square).sum::<f32>() / count;
            if variance > 0.0 {
                *deviation = Real::sqrt(variance);
            }
        }
        scale
    }

    pub(crate) fn apply(&self, window: &mut Window) {
        for ((x, mean), deviation) in window.iter_mut().zip(&self.mean).zip(&self.deviation) {
            *x = (*x - mean) / deviation;
        }
    }
}
