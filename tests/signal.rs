//! Windows, features, bands and operators: agreement with numpy, and with plain versions of their
//! own.
//!
//! The edge cases lie in `data/signal`. The others are features of real recordings that are no part
//! of the repository; without `../shared/data/golden-signal` there is nothing to do for them.
//! `cargo test --test signal -- --nocapture` prints the largest differences.

mod common;
mod evaluation;

use std::collections::BTreeMap;

use common::{Random, Table, config, number};
use evaluation::{is_shared, read_shared};
use mercer::Error;
use mercer::error::Fault;
use mercer::signal::{
    Channel, Extractor, FLOOR, Feature, Features, FrontEnd, LARGEST, Names, Operator, Rows,
    RowsMut, Stored, Window, fill_turn, memory, outputs, power_spectrum, width,
};
use proptest::prelude::*;

/// All features that the reference has in the time domain, under the names it has for them.
const TIME: &[Feature] = &[
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
    Feature::ZeroCrossings,
];
const ALL: &[Feature] = &[
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
    Feature::ZeroCrossings,
    Feature::LogMad,
    Feature::Bands(4),
    Feature::Bands(8),
];

/// Features chosen at run time, and how many of them are at the floor.
fn features<T: Stored>(
    samples: &[T],
    scale: f32,
    list: &[Feature],
    floor: f32,
) -> Result<(Vec<f32>, usize), Error> {
    let n = samples.len();
    let (mut turn, mut memory, mut out) = (vec![0.0; n], vec![0.0; n], vec![0.0; outputs(list)]);
    fill_turn(&mut turn);
    let channel = Channel::new(samples)?.scaled(scale);
    let floored = Features::new(list, floor, n)?.write(&channel, &turn, &mut memory, &mut out)?;
    Ok((out, floored))
}

/// The largest difference of each kind, in parts of what is allowed.
#[derive(Default)]
struct Worst(BTreeMap<&'static str, (f64, String)>);

impl Worst {
    fn compare(&mut self, kind: &'static str, found: f64, golden: f64, allowed: f64, what: &str) {
        let part = if found == golden { 0.0 } else { (found - golden).abs() / allowed };
        assert!(
            part <= 1.0,
            "{what} {kind}: {found:e} instead of {golden:e}, {part} of what may be"
        );
        let worst = self.0.entry(kind).or_insert((0.0, String::new()));
        if part > worst.0 {
            *worst = (part, what.to_string());
        }
    }

    fn print(&self, title: &str) {
        println!("{title}: differences in parts of what is allowed");
        for (kind, (part, what)) in &self.0 {
            println!("  {kind:<8} {part:.3} {what}");
        }
    }
}

/// One channel of one window, against its golden numbers: how far single precision may be from
/// them, as the reference says.
fn compare(
    samples: &[f32],
    floor: f32,
    golden: impl Fn(&str) -> f64,
    what: &str,
    worst: &mut Worst,
) {
    let size = f64::from(samples.iter().fold(0.0_f32, |size, x| size.max(x.abs())));
    let (found, _) = features(samples, 1.0, TIME, floor).unwrap();
    let found = |feature| f64::from(found[TIME.iter().position(|&f| f == feature).unwrap()]);
    for &feature in TIME {
        let name = feature.to_string();
        let (kind, allowed) = match feature {
            Feature::Mean => ("mean", 2e-6 * size),
            Feature::Rms => ("rms", 2e-6 * size),
            Feature::PeakToPeak | Feature::Min | Feature::Max => ("range", 2e-7 * size),
            Feature::Std => ("std", 5e-6 * golden("std")),
            Feature::Mad => ("mad", 5e-6 * golden("mad")),
            Feature::Crest => ("crest", 5e-6 * golden("crest")),
            Feature::Skew => ("skew", 4e-5),
            Feature::Kurt => ("kurt", 2e-5 * (golden("kurt").abs() + 3.0)),
            // The relative error of the deviation, and a rounding of a number of up to 32.
            Feature::LogStd => ("logstd", 5e-6 + 2e-6),
            Feature::ZeroCrossings => ("zc", 2.0 * near(samples)),
            _ => unreachable!("{feature}"),
        };
        worst.compare(kind, found(feature), golden(&name), allowed, what);
    }
    let (logmad, _) = features(samples, 1.0, &[Feature::LogMad], floor).unwrap();
    let expected = golden("mad").max(floor.into()).ln();
    worst.compare("logmad", logmad[0].into(), expected, 7e-6, what);
    if !samples.len().is_power_of_two() {
        return;
    }
    for bands in [4, 8] {
        let (found, _) = features(samples, 1.0, &[Feature::Bands(bands)], floor).unwrap();
        let expected: Vec<f64> =
            (0..bands).map(|band| golden(&format!("lb{bands}_{band}"))).collect();
        // Bands at the floor are part of it: where all are, each is compared as a logarithm.
        let total: f64 = expected.iter().map(|log| log.exp()).sum();
        for (&found, expected) in found.iter().zip(expected) {
            let (energy, found) = (expected.exp(), f64::from(found));
            worst.compare("energy", found.exp(), energy, 5e-6 * total, what);
            // Below that, rounding is as large as the energy.
            if energy > 1e-4 * total {
                worst.compare("log", found, expected, 7e-5, what);
            } else if energy > 1e-8 * total {
                worst.compare("log low", found, expected, 4e-4, what);
            }
        }
    }
}

/// The formulas as they stand in the definition, in double precision; every column of the golden
/// tables.
fn plain(x: &[f64], floor: f64) -> BTreeMap<String, f64> {
    let n = x.len() as f64;
    let (min, max) = x.iter().fold((x[0], x[0]), |(min, max), &x| (x.min(min), x.max(max)));
    let constant = min == max;
    // Twice, because the offset may be a million times the signal.
    let rough = x.iter().sum::<f64>() / n;
    let mean = if constant { x[0] } else { rough + x.iter().map(|x| x - rough).sum::<f64>() / n };
    let c: Vec<f64> = x.iter().map(|x| x - mean).collect();
    let power = |p| c.iter().map(|c| c.powi(p)).sum::<f64>() / n;
    let std = power(2).sqrt();
    let unless_constant = |value: f64| if constant { 0.0 } else { value };
    let steps = x.windows(2).map(|x| (x[1] - x[0]).abs()).sum::<f64>();
    let mut all = BTreeMap::from(
        [
            ("mean", mean),
            ("std", std),
            ("logstd", std.max(floor).ln()),
            ("rms", (x.iter().map(|x| x * x).sum::<f64>() / n).sqrt()),
            ("p2p", max - min),
            ("min", min),
            ("max", max),
            ("crest", unless_constant(c.iter().fold(0.0_f64, |m, c| m.max(c.abs())) / std)),
            ("skew", unless_constant(power(3) / std.powi(3))),
            ("kurt", unless_constant(power(4) / std.powi(4) - 3.0)),
            ("mad", unless_constant(steps / (n - 1.0))),
            ("zc", c.windows(2).filter(|c| (c[0] >= 0.0) != (c[1] >= 0.0)).count() as f64),
        ]
        .map(|(name, value)| (name.to_string(), value)),
    );
    let spectrum = spectrum(&c);
    for bands in [4, 8] {
        let last = spectrum.len() - 1;
        for band in 0..bands {
            let bins = 1 + band * last / bands..=(band + 1) * last / bands;
            let energy: f64 = bins.map(|k| spectrum[k]).sum();
            all.insert(format!("lb{bands}_{band}"), energy.max(floor * floor).ln());
        }
    }
    all
}

/// The powers of a centred signal's bins, from 0 to half its length, by the sums that define them.
fn spectrum(c: &[f64]) -> Vec<f64> {
    let n = c.len();
    let turn: Vec<(f64, f64)> =
        (0..n).map(|i| (std::f64::consts::TAU * i as f64 / n as f64).sin_cos()).collect();
    let hann: Vec<f64> = turn.iter().map(|(_, cos)| 0.5 - 0.5 * cos).collect();
    let norm = n as f64 * hann.iter().map(|h| h * h).sum::<f64>();
    let power = |k: usize| {
        let (mut re, mut im) = (0.0, 0.0);
        for (i, (c, h)) in c.iter().zip(&hann).enumerate() {
            let (sin, cos) = turn[i * k % n];
            (re, im) = (re + h * c * cos, im - h * c * sin);
        }
        let twice = if k == 0 || 2 * k == n { 1.0 } else { 2.0 };
        if norm > 0.0 { twice * (re * re + im * im) / norm } else { 0.0 }
    };
    (0..=n / 2).map(power).collect()
}

/// Samples so close to the mean that rounding decides on which side they are.
fn near(samples: &[f32]) -> f64 {
    let exact: Vec<f64> = samples.iter().map(|&x| x.into()).collect();
    let mean = exact.iter().sum::<f64>() / exact.len() as f64;
    let size = exact.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    if exact.iter().all(|&x| x == exact[0]) {
        return 0.0;
    }
    exact.iter().filter(|&&x| (x - mean).abs() <= 1e-6 * size).count() as f64
}

/// Cases whose samples are not numbers of single precision: rounding them is already more than
/// features may differ by.
const LOST_IN_ROUNDING: [&str; 2] = ["big_offset", "two_levels_near"];

#[test]
fn edge_cases_agree_with_the_reference() {
    let signals = Table::read("signal/edge_signals.csv");
    let golden = Table::read("signal/edge_features.csv");
    let [mut direct, mut rounded] = [(); 2].map(|()| Worst::default());
    for row in 0..golden.rows() {
        let case = golden.text(row, "case");
        let rows = (0..signals.rows()).filter(|&i| signals.text(i, "case") == case);
        let exact: Vec<f64> = rows.map(|i| number(signals.text(i, "x"))).collect();
        let value = |column: &str| number(golden.text(row, column));
        assert_eq!(exact.len(), value("n") as usize);
        for (name, found) in plain(&exact, value("floor")) {
            let golden = value(&name);
            // The reference's own doubles are off by that much where the offset is a million times
            // the signal.
            let allowed = if LOST_IN_ROUNDING.contains(&case) { 1e-8 } else { 1e-9 };
            let difference = (found - golden).abs() / golden.abs().max(1.0);
            let tiny = name.starts_with("lb") && golden < value("lb4_0").max(value("lb4_3")) - 25.0;
            assert!(tiny || difference <= allowed, "{case} {name}: {found} instead of {golden}");
        }
        let samples: Vec<f32> = exact.iter().map(|&x| x as f32).collect();
        let floor = value("floor") as f32;
        if !LOST_IN_ROUNDING.contains(&case) {
            compare(&samples, floor, value, case, &mut direct);
        }
        let wide: Vec<f64> = samples.iter().map(|&x| x.into()).collect();
        let plain = plain(&wide, floor.into());
        compare(&samples, floor, |name| plain[name], case, &mut rounded);
    }
    direct.print("edge cases");
    rounded.print("edge cases, against a plain version with the same rounded samples");
    assert_eq!(golden.rows(), 52);
}

/// A set of recordings.
struct Set {
    name: &'static str,
    channels: &'static [&'static str],
    /// Lengths and hops that the reference lists.
    windows: &'static [(usize, usize)],
}

const SETS: [Set; 5] = [
    Set { name: "fan", channels: &["ax", "ay", "az"], windows: &[(64, 64), (128, 64), (100, 50)] },
    Set {
        name: "cnc",
        channels: &["ax", "ay", "az"],
        windows: &[(64, 64), (128, 64), (256, 256), (1024, 512), (100, 50)],
    },
    Set {
        name: "shoulder",
        channels: &["ax", "ay", "az", "gx", "gy", "gz"],
        windows: &[(64, 64), (128, 64), (256, 256), (100, 50)],
    },
    Set {
        name: "current",
        channels: &["ia", "ib", "ic"],
        windows: &[(64, 64), (128, 64), (256, 256), (100, 50)],
    },
    Set {
        name: "pressure",
        channels: &["p"],
        windows: &[(64, 64), (128, 64), (256, 256), (1024, 512), (100, 50)],
    },
];

/// The channels of a set, and where each recording begins and ends.
struct Recordings {
    channels: Vec<Vec<f32>>,
    ranges: Vec<std::ops::Range<usize>>,
}

impl Recordings {
    fn read(set: &str, channels: &[&str]) -> Self {
        let table = read_shared(&format!("signals/{set}/{set}.csv"));
        let number_of = table.column("recording");
        let mut ranges: Vec<std::ops::Range<usize>> = Vec::new();
        for (row, recording) in number_of.iter().enumerate() {
            match ranges.last_mut() {
                Some(last) if number_of[last.start] == *recording => last.end = row + 1,
                _ => ranges.push(row..row + 1),
            }
        }
        let single = |name: &&str| table.column(name).into_iter().map(|x| x as f32).collect();
        Self { channels: channels.iter().map(single).collect(), ranges }
    }

    /// The first rows of all windows.
    fn windows(&self, length: usize, hop: usize) -> Vec<usize> {
        let fits = |range: &std::ops::Range<usize>| {
            let (start, end) = (range.start, range.end);
            (start..end).step_by(hop).take_while(move |row| row + length <= end)
        };
        self.ranges.iter().flat_map(fits).collect()
    }
}

#[test]
fn real_windows_agree_with_the_reference() {
    if !is_shared("golden-signal") || !is_shared("signals") {
        return;
    }
    let counts = read_shared("golden-signal/windows.csv");
    let (mut compared, mut worst) = (0, Worst::default());
    for Set { name: set, channels: names, windows } in SETS {
        let recordings = Recordings::read(set, names);
        for &(length, hop) in windows {
            let golden = read_shared(&format!("golden-signal/{set}_w{length}h{hop}.csv"));
            for row in 0..golden.rows() {
                let first = number(golden.text(row, "row0")) as usize;
                for (name, channel) in names.iter().zip(&recordings.channels) {
                    let value =
                        |column: &str| number(golden.text(row, &format!("{name}_{column}")));
                    let samples = &channel[first..first + length];
                    let what = format!("{set} {name}, {length} samples from {first}");
                    compare(samples, FLOOR, value, &what, &mut worst);
                    compared += 1;
                }
            }
        }
        for row in (0..counts.rows()).filter(|&row| counts.text(row, "set") == set) {
            let value = |column: &str| number(counts.text(row, column)) as usize;
            let starts = recordings.windows(value("window"), value("hop"));
            assert_eq!(starts.len(), value("windows"), "{set}");
            if let Some(&last) = starts.last() {
                assert_eq!(last, value("first_row_of_last"), "{set}");
            }
        }
    }
    worst.print("real windows");
    assert_eq!(compared, 12 * (3 * 3 + 5 * 3 + 4 * 6 + 4 * 3 + 5));
}

/// Every bin by itself: as many bands as there are.
#[test]
fn spectra_agree_with_the_reference() {
    if !is_shared("golden-signal") || !is_shared("signals") {
        return;
    }
    let golden = read_shared("golden-signal/spectrum.csv");
    let mut worst = Worst::default();
    for row in 0..golden.rows() {
        let value = |column: &str| number(golden.text(row, column));
        let (set, channel) = (golden.text(row, "set"), golden.text(row, "channel"));
        let first = value("row0") as usize;
        let recordings = Recordings::read(set, &[channel]);
        let samples = &recordings.channels[0][first..first + 64];
        let (bins, _) = features(samples, 1.0, &[Feature::Bands(32)], 1e-18).unwrap();
        for (k, log) in bins.into_iter().enumerate() {
            let (found, golden) = (f64::from(log).exp(), value(&format!("p{}", k + 1)));
            let what = format!("{set} {channel}");
            worst.compare("bin", found, golden, 5e-6 * value("sum_of_p"), &what);
        }
    }
    worst.print("spectra");
    assert!(golden.rows() >= 16, "{} spectra", golden.rows());
}

/// A recipe with everything, for windows of a power of two.
struct Everything;

impl FrontEnd for Everything {
    const FEATURES: &'static [Feature] = ALL;
}

/// Without bands.
struct InTime;

impl FrontEnd for InTime {
    const FEATURES: &'static [Feature] = TIME;
}

/// The transform by itself, against the plain sum.
#[test]
fn power_spectra_are_squared_sizes() {
    let mut random = Random(3);
    for n in [2_usize, 4, 8, 16, 32, 64, 128] {
        let samples: Vec<f32> = (0..n).map(|_| random.noise() as f32).collect();
        let (mut turn, mut powers) = (vec![0.0; n], vec![0.0; n]);
        fill_turn(&mut turn);
        power_spectrum(&samples, &turn, &mut powers).unwrap();
        let plain = |k: usize| {
            let (mut re, mut im) = (0.0, 0.0);
            for (i, &x) in samples.iter().enumerate() {
                let angle = std::f64::consts::TAU * (i * k) as f64 / n as f64;
                (re, im) = (re + f64::from(x) * angle.cos(), im + f64::from(x) * angle.sin());
            }
            (re * re + im * im) * if k == 0 || k == n / 2 { 1.0 } else { 2.0 }
        };
        let all: f64 = (0..=n / 2).map(plain).sum();
        for k in 0..=n / 2 {
            let found = f64::from(powers[if k == n / 2 { 1 } else { 2 * k }]);
            assert!((found - plain(k)).abs() <= 5e-6 * all, "bin {k} of {n}: {found}");
        }
    }
    for n in [0, 1, 3, 100] {
        let error = power_spectrum(&vec![0.0; n], &vec![0.0; n], &mut vec![0.0; n]).unwrap_err();
        assert!(matches!(error, Error::Parameter { name: "samples", .. }), "{error}");
    }
    let error = power_spectrum(&[0.0; 4], &[0.0; 2], &mut [0.0; 4]).unwrap_err();
    assert!(matches!(error, Error::Shape { what: "turn", expected: 4, given: 2 }), "{error}");
}

/// Pushes recordings through a window, with a gap after each, and compares every reading, bit by
/// bit, with the same samples cut from a slice.
fn stream<
    F: FrontEnd,
    const C: usize,
    const N: usize,
    const HOP: usize,
    const D: usize,
    const M: usize,
>(
    recordings: &Recordings,
) -> usize {
    let mut window = Window::<f32, C, N, HOP>::new();
    let mut extractor = Extractor::<F, D, M>::new();
    let mut starts = recordings.windows(N, HOP).into_iter();
    let mut count = 0;
    for range in &recordings.ranges {
        for row in range.clone() {
            let sample: [f32; C] = std::array::from_fn(|c| recordings.channels[c][row]);
            let Some(full) = window.push(&sample).unwrap() else { continue };
            let floored = extractor.extract(&full);
            let first = starts.next().expect("no window too many");
            assert_eq!(first + N, row + 1, "window {count}");
            let mut expected = (Vec::new(), 0);
            for channel in &recordings.channels {
                let (out, floored) =
                    features(&channel[first..=row], 1.0, F::FEATURES, F::FLOOR).unwrap();
                expected.0.extend(out);
                expected.1 += floored;
            }
            let bits = |x: &[f32]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!((bits(extractor.reading()), floored), (bits(&expected.0), expected.1));
            count += 1;
        }
        window.gap();
    }
    assert_eq!(starts.next(), None, "a window is missing");
    count
}

#[test]
fn windows_of_recordings_are_those_of_the_reference() {
    if !is_shared("signals") {
        return;
    }
    let fan = Recordings::read("fan", &["ax", "ay", "az"]);
    assert_eq!(stream::<Everything, 3, 128, 64, 75, 128>(&fan), 148);
    assert_eq!(stream::<InTime, 3, 100, 50, 36, 0>(&fan), 222);
    // Longer than any of them.
    assert_eq!(stream::<InTime, 3, 256, 256, 36, 0>(&fan), 0);
    let pressure = Recordings::read("pressure", &["p"]);
    assert_eq!(stream::<Everything, 1, 1024, 512, 25, 1024>(&pressure), 12);
    let shoulder = Recordings::read("shoulder", &["ax", "ay", "az", "gx", "gy", "gz"]);
    assert_eq!(stream::<Everything, 6, 64, 64, 150, 64>(&shoulder), 120);
}

/// Recordings made up: channels of noise, and how long each recording is.
fn made_up(channels: usize, lengths: &[usize], seed: u64) -> Recordings {
    let mut random = Random(seed);
    let total = lengths.iter().sum();
    let mut channel = || (0..total).map(|_| 9.81 + 0.02 * random.noise() as f32).collect();
    let (mut ranges, mut start) = (Vec::new(), 0);
    for length in lengths {
        ranges.push(start..start + length);
        start += length;
    }
    Recordings { channels: (0..channels).map(|_| channel()).collect(), ranges }
}

proptest! {
    #![proptest_config(config(64))]

    /// Any hop, also one that skips samples, and gaps anywhere.
    #[test]
    fn windows_are_cut_as_on_a_desk(
        lengths in prop::collection::vec(0_usize..40, 1..8),
        seed in any::<u64>(),
    ) {
        let recordings = made_up(2, &lengths, seed);
        stream::<Everything, 2, 8, 8, 50, 8>(&recordings);
        stream::<Everything, 2, 8, 3, 50, 8>(&recordings);
        stream::<Everything, 2, 8, 1, 50, 8>(&recordings);
        stream::<Everything, 2, 16, 21, 50, 16>(&recordings);
        stream::<InTime, 2, 7, 5, 24, 0>(&recordings);
        stream::<InTime, 2, 1, 4, 24, 0>(&recordings);
    }

    /// Counts have the features of the same numbers in units.
    #[test]
    fn counts_are_as_good_as_numbers(
        counts in prop::collection::vec(any::<i16>(), 32),
        scale in prop::sample::select(vec![1.0_f32, 0.000_061, -2.5, 1e-12, 3e7]),
    ) {
        let units: Vec<f32> = counts.iter().map(|&count| f32::from(count) * scale).collect();
        let from_counts = features(&counts, scale, ALL, 1e-6).unwrap();
        prop_assert_eq!(&from_counts, &features(&units, 1.0, ALL, 1e-6).unwrap());
        let mut window = Window::<i16, 1, 32, 32>::new();
        let mut extractor = Extractor::<Counts, 25, 32>::new();
        for &count in &counts {
            if let Some(full) = window.push(&[count]).unwrap() {
                extractor.extract(&full);
            }
        }
        let by_recipe = features(&counts, Counts::SCALES[0], ALL, FLOOR).unwrap().0;
        prop_assert_eq!(&extractor.reading()[..], &by_recipe[..]);
    }

    /// Samples in other units have the same features in those units: powers of two change no bit.
    #[test]
    fn units_do_not_matter(
        noise in prop::collection::vec(-1.0_f32..1.0, 64),
        offset in -3.0_f32..3.0,
        exponent in -90_i32..60,
    ) {
        let factor = 2.0_f32.powi(exponent);
        let samples: Vec<f32> = noise.iter().map(|x| x + offset).collect();
        let other: Vec<f32> = samples.iter().map(|x| x * factor).collect();
        let (here, _) = features(&samples, 1.0, ALL, 1e-30).unwrap();
        let (there, _) = features(&other, 1.0, ALL, 1e-37).unwrap();
        let mut numbers = here.iter().zip(&there);
        for &feature in ALL {
            for (&here, &there) in numbers.by_ref().take(feature.outputs()) {
                let log = exponent as f32 * std::f32::consts::LN_2;
                match feature {
                    Feature::Crest | Feature::Skew | Feature::Kurt | Feature::ZeroCrossings => {
                        prop_assert_eq!(here, there, "{}", feature);
                    }
                    Feature::LogStd | Feature::LogMad => {
                        prop_assert!((here + log - there).abs() < 2e-5, "{feature}: {there}");
                    }
                    Feature::Bands(_) => {
                        prop_assert!((here + 2.0 * log - there).abs() < 5e-5, "{feature}: {there}");
                    }
                    _ => prop_assert_eq!(here * factor, there, "{}", feature),
                }
            }
        }
    }

    /// Within the reference's tolerances of plain formulas: any length, any offset up to a thousand
    /// deviations, an outlier first.
    #[test]
    fn features_agree_with_plain_formulas(
        length in prop::sample::select(vec![2_usize, 3, 5, 8, 33, 64, 100, 256, 500, 1024, 4096]),
        offset in -1000.0_f64..1000.0,
        outlier in prop::sample::select(vec![0.0, 30.0, -1000.0]),
        heavy in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let mut random = Random(seed);
        let mut samples: Vec<f32> = (0..length)
            .map(|i| {
                let noise = random.normal();
                let noise = if heavy { noise.powi(3) } else { noise };
                (offset + noise + (0.3 * i as f64).sin()) as f32
            })
            .collect();
        samples[0] += outlier as f32;
        let wide: Vec<f64> = samples.iter().map(|&x| x.into()).collect();
        let plain = plain(&wide, FLOOR.into());
        let what = format!("{length} samples, offset {offset}, outlier {outlier}");
        compare(&samples, FLOOR, |name| plain[name], &what, &mut Worst::default());
    }
}

/// Raw counts of a converter.
struct Counts;

impl FrontEnd for Counts {
    const FEATURES: &'static [Feature] = ALL;
    const SCALES: &'static [f32] = &[0.000_061];
}

/// Takes rows through operators chosen at run time, with a gap where the recording changes; returns
/// what they give, and for which row.
fn operate(
    operators: &[Operator],
    rows: &[Vec<f32>],
    recordings: &[f64],
) -> Vec<(usize, Vec<f32>)> {
    let inputs = rows[0].len();
    let (mut remembered, mut row) =
        (vec![f32::NAN; memory(operators, inputs)], vec![f32::NAN; width(operators, inputs)]);
    let mut chain = RowsMut::new(operators, inputs, &mut remembered, &mut row).unwrap();
    let mut given = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        if number > 0 && recordings[number] != recordings[number - 1] {
            chain.gap();
        }
        given.extend(chain.push(row).unwrap().map(|row| (number, row.to_vec())));
    }
    given
}

#[test]
fn operators_agree_with_the_reference() {
    if !is_shared("golden-signal") {
        return;
    }
    let mut compared = 0;
    for tag in ["short", "long"] {
        let input = read_shared(&format!("golden-signal/rows_{tag}_input.csv"));
        let (all, recordings) = (input.numbers(), input.column("recording"));
        let rows: Vec<Vec<f32>> = (0..all.rows)
            .map(|row| all.view().row(row)[2..].iter().map(|&x| x as f32).collect())
            .collect();
        let size = |column: usize| {
            rows.iter().fold(0.0_f64, |size, row| size.max(row[column % row.len()].abs().into()))
        };
        for name in ["ma3", "ma8", "ewma0.1", "ewma0.5", "lag2", "lag4", "diff"] {
            let golden = read_shared(&format!("golden-signal/rows_{tag}_{name}.csv"));
            let operators: [Operator; 1] = [name.parse().unwrap()];
            assert_eq!(operators[0].to_string(), name);
            let given = operate(&operators, &rows, &recordings);
            assert_eq!(given.len(), golden.rows(), "{tag} {name}");
            let (numbers, numbered) = (golden.numbers(), golden.column("row"));
            for (i, (number, row)) in given.iter().enumerate() {
                assert_eq!(*number as f64, numbered[i], "{tag} {name}");
                let expected = &numbers.view().row(i)[2..];
                assert_eq!(row.len(), expected.len());
                for (column, (&found, expected)) in row.iter().zip(expected).enumerate() {
                    let difference = (f64::from(found) - expected).abs();
                    assert!(difference <= 1e-6 * size(column), "{tag} {name} row {number}");
                    compared += 1;
                }
            }
            // The inputs are features, so the names are as in the table.
            let features = [Feature::Mean, Feature::LogStd];
            let names = Names::new(&["ax", "ay", "az"], &features, &operators);
            let expected = numbers.columns - 2;
            assert_eq!(names.len(), expected);
            for name in names.iter() {
                golden.column(&name.to_string());
            }
        }
    }
    assert_eq!(compared, 2472);
}

/// Everything one after the other, as constants.
struct Chained;

impl FrontEnd for Chained {
    const FEATURES: &'static [Feature] = &[Feature::Mean];
    const OPERATORS: &'static [Operator] =
        &[Operator::Difference, Operator::Average(3), Operator::Lags(2), Operator::Ewma(0.25)];
}

/// The operators as their definitions say, each on whole recordings, in double precision.
fn plainly(operator: Operator, rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let columns = |f: &dyn Fn(usize) -> f64, width: usize| (0..width).map(f).collect::<Vec<_>>();
    let mut out: Vec<Vec<f64>> = Vec::new();
    for (t, row) in rows.iter().enumerate() {
        match operator {
            Operator::Average(w) => {
                let last = &rows[(t + 1).saturating_sub(w.into())..=t];
                let mean =
                    |c: usize| last.iter().map(|row| row[c]).sum::<f64>() / last.len() as f64;
                out.push(columns(&mean, row.len()));
            }
            Operator::Ewma(a) => {
                let before = out.last().unwrap_or(row).clone();
                out.push(columns(&|c| before[c] + f64::from(a) * (row[c] - before[c]), row.len()));
            }
            Operator::Lags(l) if t + 1 >= l.into() => {
                out.push((0..l.into()).flat_map(|age: usize| rows[t - age].clone()).collect());
            }
            Operator::Difference if t > 0 => {
                out.push(columns(&|c| row[c] - rows[t - 1][c], row.len()));
            }
            _ => {}
        }
    }
    out
}

fn any_operator() -> impl Strategy<Value = Operator> {
    prop_oneof![
        (1_u16..6).prop_map(Operator::Average),
        (1_u16..4).prop_map(Operator::Lags),
        (0.01_f32..=1.0).prop_map(Operator::Ewma),
        Just(Operator::Difference),
    ]
}

proptest! {
    #![proptest_config(config(256))]

    /// Any operators one after the other, and gaps anywhere.
    #[test]
    fn operators_follow_one_another(
        operators in prop::collection::vec(any_operator(), 0..4),
        lengths in prop::collection::vec(1_usize..12, 1..4),
        seed in any::<u64>(),
    ) {
        let mut random = Random(seed);
        let (mut rows, mut recordings, mut expected) = (Vec::new(), Vec::new(), Vec::new());
        for (recording, &length) in lengths.iter().enumerate() {
            let mut wide = Vec::new();
            for _ in 0..length {
                let row: Vec<f32> = (0..2).map(|_| 20.0 + random.noise() as f32).collect();
                wide.push(row.iter().map(|&x| x.into()).collect());
                rows.push(row);
                recordings.push(recording as f64);
            }
            expected.extend(operators.iter().fold(wide, |rows, &operator| plainly(operator, &rows)));
        }
        let given = operate(&operators, &rows, &recordings);
        prop_assert_eq!(given.len(), expected.len());
        for ((_, found), expected) in given.iter().zip(&expected) {
            prop_assert_eq!(found.len(), expected.len());
            for (&found, expected) in found.iter().zip(expected) {
                prop_assert!((f64::from(found) - expected).abs() < 2e-5, "{found} {expected}");
            }
        }
        let names = Names::new(&["a", "b"], &[Feature::Max], &operators);
        prop_assert_eq!(names.len(), width(&operators, 2));
        let all: std::collections::BTreeSet<String> =
            names.iter().map(|name| name.to_string()).collect();
        prop_assert_eq!(all.len(), names.len(), "two have the same name");
        prop_assert!(names.get(names.len()).is_none());
    }
}

#[test]
fn operators_as_constants_give_the_same_bits() {
    const OUTPUTS: usize = width(Chained::OPERATORS, 3);
    const MEMORY: usize = memory(Chained::OPERATORS, 3);
    let mut random = Random(7);
    let rows: Vec<Vec<f32>> =
        (0..20).map(|_| (0..3).map(|_| random.noise() as f32).collect()).collect();
    let at_run_time = operate(Chained::OPERATORS, &rows, &[0.0; 20]);
    let mut chain = Rows::<Chained, 3, OUTPUTS, MEMORY>::new();
    let mut given = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let row: [f32; 3] = row[..].try_into().unwrap();
        given.extend(chain.push(&row).unwrap().map(|row| (number, row.to_vec())));
    }
    assert_eq!(given, at_run_time);
    assert_eq!(given.len(), 20 - 1 - 1);
    // Nothing of what came before a gap, or a number that is none, is left after it.
    for restart in [Ok(()), Err(Error::Query(Fault::NotFinite { input: 1 }))] {
        match restart {
            Ok(()) => chain.gap(),
            Err(error) => assert_eq!(chain.push(&[1.0, f32::NAN, 2.0]), Err(error)),
        }
        for (number, row) in rows.iter().enumerate() {
            let row: [f32; 3] = row[..].try_into().unwrap();
            let expected =
                at_run_time.iter().find(|(of, _)| *of == number).map(|(_, row)| &row[..]);
            assert_eq!(chain.push(&row).unwrap().map(|row| &row[..]), expected);
        }
    }
}

#[test]
fn names_count_bands_and_channels() {
    let names = Names::new(&["ax", "ay"], ALL, &[]);
    let all: Vec<String> = names.iter().map(|name| name.to_string()).collect();
    assert_eq!(all.len(), 2 * outputs(ALL));
    assert_eq!(all[0], "ax_mean");
    assert_eq!(all[4], "ax_p2p");
    assert_eq!(all[13], "ax_bands4_0");
    assert_eq!(all[24], "ax_bands8_7");
    assert_eq!(all[25], "ay_mean");
    assert!(Names::new(&[], ALL, &[]).is_empty());
    for &feature in ALL {
        assert_eq!(feature.to_string().parse(), Ok(feature));
    }
    for wrong in ["bands", "bands0", "bands256", "Mean", "", "bands-1", "bands4 "] {
        assert!(wrong.parse::<Feature>().is_err(), "{wrong}");
    }
    for wrong in ["ma0", "ma", "lag0", "ewma0", "ewma1.5", "ewmaNaN", "diff2", ""] {
        assert!(wrong.parse::<Operator>().is_err(), "{wrong}");
    }
}

#[test]
fn what_is_no_number_starts_a_window_afresh() {
    let mut window = Window::<f32, 2, 4, 2>::new();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 2.0 * LARGEST, -2.0 * LARGEST] {
        for good in 0..3 {
            assert!(window.push(&[good as f32, 1.0]).unwrap().is_none());
        }
        let error = window.push(&[1.0, bad]).unwrap_err();
        assert!(matches!(error, Error::Channel { channel: 1, .. }), "{error}");
        let text = "raw sample: channel 1 must be finite and within ±1e20";
        assert_eq!(error.to_string(), text);
        assert_eq!(window.missing(), 4, "what came before is forgotten");
    }
    // All after it, and nothing before.
    for t in 0..4 {
        let full = window.push(&[t as f32, LARGEST]).unwrap();
        assert_eq!(full.is_some(), t == 3);
        if let Some(full) = full {
            let values: Vec<Vec<f32>> = full.channels().map(|c| c.values().collect()).collect();
            assert_eq!(values, [vec![0.0, 1.0, 2.0, 3.0], vec![LARGEST; 4]]);
        }
    }
    assert_eq!(window.missing(), 2);
    // Counts are always numbers.
    let mut counts = Window::<i16, 1, 2, 1>::new();
    assert!(counts.push(&[i16::MIN]).unwrap().is_none());
    assert!(counts.push(&[i16::MAX]).unwrap().is_some());
}

#[test]
fn slices_and_recipes_are_checked() {
    let refused = |list: &[Feature], floor, length| {
        Features::new(list, floor, length).map(|_| ()).unwrap_err().to_string()
    };
    let mean = [Feature::Mean];
    assert_eq!(refused(&[], 1.0, 4), "parameter `features` must be at least one");
    assert_eq!(refused(&[Feature::Bands(0)], 1.0, 4), "parameter `bands` must be 1 to 255");
    let twice = [Feature::Mean, Feature::Bands(3), Feature::Mean];
    assert_eq!(refused(&twice, 1.0, 4), "parameter `features` must be different");
    let bands = [Feature::Mean, Feature::Bands(3)];
    assert_eq!(refused(&bands, 1.0, 100), "parameter `window` must be a power of two for bands");
    for floor in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert_eq!(refused(&mean, floor, 4), "parameter `floor` must be finite and > 0");
    }
    // Two numbers of bands are two features.
    assert!(Features::new(&[Feature::Bands(3), Feature::Bands(4)], 1.0, 64).is_ok());
    assert!(Features::new(&mean, 1.0, 100).is_ok());

    assert_eq!(Channel::<f32>::new(&[]).unwrap_err(), Error::TooFewSamples { given: 0, needed: 1 });
    let fault = Fault::NotFinite { input: 0 };
    let error = Channel::new(&[1.0, 2.0, f32::NAN]).unwrap_err();
    assert_eq!(error, Error::Sample { index: 2, fault });

    let features = Features::new(&bands, 1.0, 4).unwrap();
    let samples = Channel::new(&[1.0, 2.0, 1.5, 0.0]).unwrap();
    let (turn, mut memory, mut out) = ([0.0; 4], [0.0; 4], [0.0; 4]);
    assert!(features.write(&samples, &turn, &mut memory, &mut out).is_ok());
    assert!(matches!(
        features.write(&samples, &turn, &mut memory, &mut out[..3]),
        Err(Error::Shape { what: "outputs", expected: 4, given: 3 })
    ));
    assert!(matches!(
        features.write(&samples, &turn[..2], &mut memory, &mut out),
        Err(Error::Shape { what: "turn", .. })
    ));
    assert!(matches!(
        features.write(&samples, &turn, &mut memory[..3], &mut out),
        Err(Error::Capacity { needed: 4, capacity: 3, .. })
    ));
    let short = Channel::new(&[1.0, 2.0]).unwrap();
    assert!(matches!(
        features.write(&short, &turn, &mut memory, &mut out),
        Err(Error::Shape { what: "samples", .. })
    ));
}

/// A constant or saturated channel, and one that is quieter than the floor.
#[test]
fn numbers_at_the_floor_are_counted() {
    let list = [Feature::Mean, Feature::LogStd, Feature::LogMad, Feature::Bands(4)];
    let floor = 1e-3;
    let saturated = [32767_i16; 16];
    let (out, floored) = features(&saturated, 1.0, &list, floor).unwrap();
    let log = floor.ln();
    assert_eq!(out, [32767.0, log, log, 2.0 * log, 2.0 * log, 2.0 * log, 2.0 * log]);
    assert_eq!(floored, 6);
    let quiet: Vec<f32> = (0..16).map(|i| 1e-5 * ((i * i) % 7) as f32).collect();
    let (out, floored) = features(&quiet, 1.0, &list, floor).unwrap();
    assert_eq!(floored, 6);
    assert_eq!(out[1..], [log, log, 2.0 * log, 2.0 * log, 2.0 * log, 2.0 * log]);
    let (_, floored) = features(&quiet, 1.0, &list, 1e-9).unwrap();
    assert_eq!(floored, 0);
    // All but the last bit are stuck: it is not constant.
    let mut almost = saturated;
    almost[7] -= 1;
    assert_eq!(features(&almost, 1.0, &list, 1e-9).unwrap().1, 0);
}

/// Where `std` is linked, its methods of `f32` hide those of `Real`, and a host would take other
/// logarithms than a device.
#[test]
fn mathematics_is_called_by_path() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/signal");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        for method in [".ln()", ".sqrt()", ".exp()", ".sin()", ".cos()", ".powi(", ".powf("] {
            assert!(!text.contains(method), "{}: {method}", path.display());
        }
        files += 1;
    }
    assert!(files > 8, "{files} files");
}
