//! The smart-watch recordings, and the recipe that makes readings of them.
#![allow(dead_code, reason = "every program uses a part of it")]

use mercer::Error;
use mercer::signal::{Feature, FrontEnd, Names};

/// What is made of raw samples: a recipe that the compiler knows.
pub(crate) struct Watch;

impl FrontEnd for Watch {
    const FEATURES: &'static [Feature] = &[Feature::Mean, Feature::LogStd];
    const CHANNELS: &'static [&'static str] = &["ax", "ay", "az", "gx", "gy", "gz"];
}

/// Six axes, ten samples a second: windows of 1.6 s, one every 0.8 s.
pub(crate) type WatchStream = mercer::stream!(Watch, f32, AXES, LENGTH, HOP);

/// Mean and log deviation of each axis.
pub(crate) const FEATURES: usize = WatchStream::INPUTS;
/// Windows of one activity in each of the two files, of ten recordings.
pub(crate) const WINDOWS: usize = 10 * RECORDING_WINDOWS;
/// Windows of one recording.
pub(crate) const RECORDING_WINDOWS: usize = (RECORDING - LENGTH) / HOP + 1;

/// What the features are called.
pub(crate) const NAMES: Names<'static> = Names::new(Watch::CHANNELS, Watch::FEATURES, &[]);

const AXES: usize = 6;
const LENGTH: usize = 16;
const HOP: usize = 8;
/// Instants of one recording: ten seconds.
const RECORDING: usize = 100;

/// All recordings of one activity, one after the other: little-endian `f32`, an instant a row.
///
/// `cargo xtask data` makes these from the CSV files beside them.
#[repr(transparent)]
pub(crate) struct Recordings([u8; 4 * AXES * 10 * RECORDING]);

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

/// The instants of some recordings, as a sensor gives them; each recording by itself.
pub(crate) fn raw(
    recordings: &Recordings,
) -> impl Iterator<Item = impl Iterator<Item = [f32; AXES]>> {
    let (numbers, _) = recordings.0.as_chunks::<4>();
    let (rows, _) = numbers.as_chunks::<AXES>();
    rows.chunks(RECORDING).map(|rows| rows.iter().map(|row| row.map(f32::from_le_bytes)))
}

/// The windows of some recordings, none of which crosses from one to the next.
pub(crate) fn windows(
    stream: &mut WatchStream,
    recordings: &Recordings,
) -> impl Iterator<Item = Result<Window, Error>> {
    let instants = raw(recordings).flat_map(|recording| recording.enumerate());
    instants.filter_map(|(place, sample)| {
        if place == 0 {
            stream.gap();
        }
        stream.push(&sample).map(|reading| reading.copied()).transpose()
    })
}
