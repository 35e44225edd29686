//! Windows, features, bands and operators: agreement with numpy, and with plain versions of their own.
//!
//! The edge cases lie in `data/signal`. The others are features of real recordings that are no part of the
//! repository; without `../shared/data/golden-signal` there is nothing to do for them. `cargo test --test signal -- --nocapture` prints the
//! largest differences.

mod common;
mod evaluation;

use std::collections::BTreeMap;

use common::{Random, Table, config, number};
use evaluation::{is_shared, read_shared};
use mercer::Error;
use mercer::error::Fault;
use mercer::signal::{
    Channel, Extractor, FLOOR, Feature, Features, FrontEnd, LARGEST, Names, Operator, Rows,
    RowsMut, Stored, Window, fill_turn, memory, outputs, width,
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

/// One channel of one window, against its golden numbers: how far single precision may be from them, as the reference says.
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

/// The formulas as they stand in the definition, in double precision; every column of the golden tables.
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

/// Cases whose samples are not numbers of single precision: rounding them is already more than features may differ by.
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
            // The reference's own doubles are off by that much where the offset is a million times the signal.
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
