//! Stored front ends that somebody has edited, with the checksum mended afterwards, and streams of
//! arbitrary samples.
//!
//! What is read must be written back as the same bytes if it makes sense, and refused by name if it
//! does not; a front end takes its own bytes and no other one's. A stream gives finite readings
//! whatever it is given, and errors only for samples that are no numbers.

#![no_main]

use mercer::Error;
use mercer::monitor::stored::StoredFrontEnd;
use mercer::signal::{Feature, FrontEnd, FrontEndView, Operator, SampleKind};
use mercer_fuzz::checksum::mend_stored;
use mercer_fuzz::number;
use mercer_fuzz::{Decisions, pick};

const BASES: [FrontEndView<'static>; 3] = [
    FrontEndView {
        samples: SampleKind::Numbers,
        channels: 3,
        window: 256,
        hop: 128,
        features: &[Feature::Mean, Feature::LogStd, Feature::Bands(4)],
        floor: 1e-9,
        scales: &[],
        operators: &[],
    },
    FrontEndView {
        samples: SampleKind::Counts,
        channels: 2,
        window: 100,
        hop: 150,
        features: &[Feature::Rms, Feature::ZeroCrossings],
        floor: 1e-3,
        scales: &[0.5, -2.0],
        operators: &[
            Operator::Average(3),
            Operator::Ewma(0.5),
            Operator::Difference,
            Operator::Lags(2),
        ],
    },
    FrontEndView {
        samples: SampleKind::Numbers,
        channels: 1,
        window: 1,
        hop: 1,
        features: &[Feature::Mean],
        floor: 1.0,
        scales: &[1e-20],
        operators: &[Operator::Lags(1)],
    },
];

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let decisions = &mut Decisions::new(data);
    match number::below(decisions, 2) {
        0 => stored(decisions),
        _ => streamed(decisions),
    }
});

fn stored(decisions: &mut Decisions<'_>) {
    let base = pick(decisions, &BASES);
    let mut bytes = vec![0; base.encoded_len()];
    base.write_to(&mut bytes).expect("there is room");
    edit(&mut bytes, decisions);
    let (read, rest) = match StoredFrontEnd::read(&bytes) {
        Ok(read) => read,
        Err(Error::Format(_)) => {
            assert!(matches!(base.require(&bytes), Err(Error::Format(_))));
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let features: Vec<Feature> = read.features().collect();
    let scales: Vec<f32> = read.scales().collect();
    let operators: Vec<Operator> = read.operators().collect();
    let view = FrontEndView {
        samples: read.samples,
        channels: read.channels,
        window: read.window,
        hop: read.hop,
        features: &features,
        floor: read.floor,
        scales: &scales,
        operators: &operators,
    };
    let length = bytes.len() - rest.len();
    assert_eq!(view.encoded_len(), length);
    // Whatever its sizes are, they can be counted.
    let _ = (view.inputs(), view.memory(), view.names(&["a"]).len());
    let mut again = vec![0; length];
    match (view.validate(), view.write_to(&mut again)) {
        (Ok(()), Ok(written)) => {
            assert_eq!((written, &again[..]), (length, &bytes[..length]), "written as it was read");
            assert_eq!(view.require(&bytes), Ok(rest));
        }
        (Err(Error::Parameter { .. }), Err(Error::Parameter { .. })) => {}
        other => panic!("{other:?}"),
    }
    match base.require(&bytes) {
        Ok(_) => assert_eq!(view, base),
        Err(Error::FrontEnd(_)) => assert_ne!(view, base),
        Err(error) => panic!("{error}"),
    }
}

/// Overwrites some bytes, adds some, drops some.
fn edit(bytes: &mut Vec<u8>, decisions: &mut Decisions<'_>) {
    for _ in 0..number::below(decisions, 6) {
        let place = number::below(decisions, bytes.len().max(1));
        match number::below(decisions, 4) {
            0 => bytes.truncate(place.max(8)),
            1 => bytes.insert(place, decisions.arbitrary().unwrap_or(0)),
            2 => {
                // A size or a count.
                let size = pick(decisions, &[0, 1, 2, 3, 4, 8, 255, 256, 1 << 16, u32::MAX]);
                let place = 8 + 4 * number::below(decisions, 8);
                if let Some(part) = bytes.get_mut(place..place + 4) {
                    part.copy_from_slice(&size.to_le_bytes());
                }
            }
            _ => {
                if let Some(byte) = bytes.get_mut(place) {
                    *byte = decisions.arbitrary().unwrap_or(0);
                }
            }
        }
    }
    // Most of the time, it is as long as it says.
    if number::below(decisions, 4) != 0 {
        let length = (bytes.len() as u32).to_le_bytes();
        if let Some(part) = bytes.get_mut(8..12) {
            part.copy_from_slice(&length);
        }
    }
    mend_stored(bytes);
}

struct Everything;

impl FrontEnd for Everything {
    const FEATURES: &'static [Feature] = &[
        Feature::Mean,
        Feature::Std,
        Feature::LogStd,
        Feature::Rms,
        Feature::PeakToPeak,
        Feature::Min,
        Feature::Max,
        Feature::Crest,
        Feature::Skew,
        Feature::Kurt,
        Feature::Mad,
        Feature::LogMad,
        Feature::ZeroCrossings,
        Feature::Bands(3),
    ];
    const SCALES: &'static [f32] = &[1e10, -1e-20];
    const OPERATORS: &'static [Operator] =
        &[Operator::Average(2), Operator::Ewma(0.5), Operator::Difference, Operator::Lags(2)];
}

fn streamed(decisions: &mut Decisions<'_>) {
    let mut stream = <mercer::stream!(Everything, f32, 2, 8, 3)>::new();
    for _ in 0..64 {
        if decisions.is_empty() {
            break;
        }
        let sample = [number::any(decisions), number::any(decisions)];
        match stream.push(&sample) {
            Ok(None) => {}
            Ok(Some(reading)) => {
                assert!(reading.iter().all(|x| x.is_finite()), "{reading:?}");
            }
            Err(Error::Channel { channel, .. }) => {
                let value: f32 = sample[channel];
                assert!(!value.is_finite() || value.abs() > mercer::signal::LARGEST);
            }
            Err(error) => panic!("{error}"),
        }
        if number::below(decisions, 16) == 15 {
            stream.gap();
        }
    }
}
