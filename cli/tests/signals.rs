//! Raw recordings with labelled anomalies through `fit` and `eval`, beside a reference in double
//! precision.

mod common;
#[path = "../../tests/document/mod.rs"]
mod document;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::num::NonZero;
use std::path::Path;
use std::{fs, thread};

use common::{Desk, column, parse, shared, text};

/// What the reference calls features, and we.
const NAMES: [(&str, &str); 3] = [
    ("all", "mean,std,logstd,rms,p2p,min,max,crest,skew,kurt,mad,zc,bands4,bands8"),
    ("lb4", "bands4"),
    ("lb8", "bands8"),
];

/// A line of `reference_detect.csv`.
struct Reference {
    set: String,
    window: String,
    hop: String,
    features: String,
    train_windows: usize,
    normal: usize,
    anomalous: usize,
    auroc: f64,
    unusual: Unusual,
}

fn references(folder: &Path) -> Vec<Reference> {
    let text = fs::read_to_string(folder.join("reference_detect.csv")).expect("the reference");
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let at = |name: &str| names.iter().position(|found| *found == name).expect("the column");
    let read = |line: &str| {
        // Only the features are quoted.
        let (head, rest) = line.split_once('"').expect("features");
        let (features, tail) = rest.split_once('"').expect("their end");
        let cells: Vec<&str> = head
            .trim_end_matches(',')
            .split(',')
            .chain([features])
            .chain(tail[1..].split(','))
            .collect();
        let number = |name: &str| cells[at(name)].parse::<f64>().expect("a number");
        Reference {
            set: cells[at("set")].into(),
            window: cells[at("window")].into(),
            hop: cells[at("hop")].into(),
            features: features.into(),
            train_windows: number("train_windows") as usize,
            normal: number("test_normal") as usize,
            anomalous: number("test_anomalous") as usize,
            auroc: number("auroc"),
            unusual: Unusual {
                normal: number("false_alarms_recfold"),
                anomalous: number("detected_recfold"),
            },
        }
    };
    lines.map(read).collect()
}

/// `--where recording=…` for all recordings of one part of a set.
fn recordings(folder: &Path, set: &str, part: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.join(set).join("recordings.csv")).expect("recordings");
    let cells = text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    let of_part = cells.filter(|cells| cells[3] == part);
    of_part.flat_map(|cells| ["--where".into(), format!("recording={}", cells[0])]).collect()
}

/// The share of false alarms that all thresholds are for.
const NOMINAL: f64 = 0.05;
/// The reference has four decimals.
const ROUNDING: f64 = 0.000_051;

/// Shares of normal and of anomalous windows that are unusual.
#[derive(Clone, Copy, Default)]
struct Unusual {
    normal: f64,
    anomalous: f64,
}

#[test]
fn detection_is_that_of_the_reference() {
    let Some(folder) = shared("signals") else { return };
    let mut wrong = Vec::new();
    let mut table = String::from(
        "| set | window | features | AUROC | false alarms | detected |\n|---|---|---|---|---|---|\n",
    );
    let mut sets: BTreeMap<String, Vec<[Unusual; 3]>> = BTreeMap::new();
    let references = references(&folder);
    for (reference, found) in references.iter().zip(measure_all(&folder, &references)) {
        let Found { auroc, ours, inside } = found;
        let Reference { set, window, hop, features, normal, anomalous, .. } = reference;
        let what = format!("{set} {window}/{hop} {features}");
        let step = 1.0 / (normal * anomalous) as f64;
        if (auroc - reference.auroc).abs() > step.max(0.003) + ROUNDING {
            wrong.push(format!("{what}: AUROC {auroc:.4}, reference {}", reference.auroc));
        }
        // As the reference does it: the same, so that its scaling inside of folds is all that
        // differs.
        for (kind, found, expected, windows) in [
            ("false alarms", inside.normal, reference.unusual.normal, normal),
            ("detected", inside.anomalous, reference.unusual.anomalous, anomalous),
        ] {
            if (found - expected).abs() > 1.0 / *windows as f64 + ROUNDING {
                wrong.push(format!("{what}, scaled in folds: {kind} {found:.4}, not {expected}"));
            }
        }
        let shares = |of: fn(&Unusual) -> f64| {
            [&ours, &inside, &reference.unusual].map(|unusual| percent(of(unusual))).join(" / ")
        };
        writeln!(
            table,
            "| {set} | {window}/{hop} | {} | {auroc:.4} ({:.4}) | {} | {} |",
            our_names(features),
            reference.auroc,
            shares(|unusual| unusual.normal),
            shares(|unusual| unusual.anomalous),
        )
        .expect("a string takes it");
        sets.entry(set.clone()).or_default().push([ours, inside, reference.unusual]);
    }
    let mut summary =
        String::from("| set | recipes | false alarms | detected |\n|---|---|---|---|\n");
    for (set, rows) in &sets {
        let mean = |which: usize, of: fn(&Unusual) -> f64| {
            rows.iter().map(|row| of(&row[which])).sum::<f64>() / rows.len() as f64
        };
        let [ours, inside] = [0, 1].map(|which| Unusual {
            normal: mean(which, |unusual| unusual.normal),
            anomalous: mean(which, |unusual| unusual.anomalous),
        });
        // What scaling outside of the folds must keep, and what it is for.
        if ours.normal > NOMINAL || ours.anomalous < inside.anomalous {
            wrong.push(format!("{set}: {:.4} false alarms, {:.4}", ours.normal, ours.anomalous));
        }
        let shares =
            |of: fn(&Unusual) -> f64| [0, 1, 2].map(|which| percent(mean(which, of))).join(" / ");
        writeln!(
            summary,
            "| {set} | {} | {} | {} |",
            rows.len(),
            shares(|unusual| unusual.normal),
            shares(|unusual| unusual.anomalous)
        )
        .expect("a string takes it");
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    document::require_section("../docs/SIGNALS.md", "summary", &summary, "signals");
    document::require_section("../docs/SIGNALS.md", "detection", &table, "signals");
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// The features of the reference by our names.
fn our_names(features: &str) -> String {
    NAMES.iter().fold(features.into(), |list: String, (theirs, ours)| list.replace(theirs, ours))
}

/// What came of a line of the reference.
struct Found {
    auroc: f64,
    ours: Unusual,
    /// With a threshold whose folds have a scaling of their own.
    inside: Unusual,
}

/// All of them, on all cores.
fn measure_all(folder: &Path, references: &[Reference]) -> Vec<Found> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let part = references.len().div_ceil(cores);
    thread::scope(|scope| {
        let measure = |part: &[Reference]| -> Vec<Found> {
            part.iter().map(|reference| measure(folder, reference)).collect()
        };
        let parts: Vec<_> =
            references.chunks(part).map(|part| scope.spawn(move || measure(part))).collect();
        parts.into_iter().flat_map(|part| part.join().expect("it was measured")).collect()
    })
}

fn measure(folder: &Path, reference: &Reference) -> Found {
    let Reference { set, window, hop, features, .. } = reference;
    let desk = Desk::new();
    let data = folder.join(set).join(format!("{set}.csv"));
    let features = our_names(features);
    let of_part = |command: &[&str], part: &str| {
        let recordings = recordings(folder, set, part);
        let words: Vec<&str> =
            command.iter().copied().chain(recordings.iter().map(String::as_str)).collect();
        desk.succeed(&words)
    };
    let recipe = ["--by", "recording", "--drop", "label", "--window", window, "--hop", hop];
    let recipe = [&recipe[..], &["--features", &features]].concat();
    let fit = ["fit", text(&data), "--most", "256", "--log", "none", "--out", "m.mercer"];
    let fitted = of_part(&[&fit[..], &recipe].concat(), "train");
    let samples = fitted.lines().find_map(|line| line.strip_prefix("samples "));
    assert_eq!(samples.expect("samples").trim(), reference.train_windows.to_string());

    let eval = ["eval", "m.mercer", text(&data), "--label", "label", "--json"];
    let eval: serde_json::Value = serde_json::from_str(&of_part(&eval, "test")).expect("JSON");
    assert_eq!(eval["normal"], reference.normal);
    assert_eq!(eval["anomalous"], reference.anomalous);
    let of = |name: &str| eval[name]["value"].as_f64().expect("a number");

    let train = of_part(&[&["features", text(&data)], &recipe[..]].concat(), "train");
    let threshold = scaled_in_folds::threshold(&parse(&train).1);
    let labels = column(&fs::read_to_string(&data).expect("the set"), "label");
    let length: usize = window.parse().expect("a number");
    let scored = of_part(&["score", "m.mercer", text(&data)], "test");
    let scored: Vec<(bool, bool)> = column(&scored, "row")
        .into_iter()
        .zip(column(&scored, "spe"))
        .map(|(row, spe)| (labels[row as usize..][..length].contains(&1.0), spe > threshold))
        .collect();
    let share = |odd: bool, windows: usize| {
        scored.iter().filter(|&&window| window == (odd, true)).count() as f64 / windows as f64
    };
    Found {
        auroc: of("auroc"),
        ours: Unusual { normal: of("unusual_normal"), anomalous: of("unusual_anomalous") },
        inside: Unusual {
            normal: share(false, reference.normal),
            anomalous: share(true, reference.anomalous),
        },
    }
}

/// The threshold of the reference: each fold learns the scaling anew.
mod scaled_in_folds {
    use mercer::detect::learning::{LearnScratch, Learning};
    use mercer::detect::{FalseAlarms, LearnSizes};
    use mercer::kernel::{BlockKernel, Indexed, Samples};
    use mercer::kpca::{Components, ExpansionHeader};
    use mercer::linalg::eigen::TridiagonalQr;
    use mercer::{Error, Kernel, Progress, Recipe};

    const MOST: usize = 256;
    const POINTS: usize = 48;

    struct Rows(Vec<Vec<f64>>);

    impl Samples for Rows {
        type View = [f64];
        fn count(&self) -> usize {
            self.0.len()
        }
        fn sample(&self, index: usize) -> Option<&[f64]> {
            self.0.get(index).map(Vec::as_slice)
        }
    }

    /// A Gaussian of distances in deviations.
    #[derive(Clone)]
    struct InDeviations {
        gamma: f64,
        /// Of each input, 1 over its variance.
        weights: Vec<f64>,
    }

    impl Kernel<[f64]> for InDeviations {
        type Scalar = f64;
        fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
            let each = x.iter().zip(y).zip(&self.weights);
            (-self.gamma * each.map(|((x, y), w)| w * (x - y) * (x - y)).sum::<f64>()).exp()
        }
        fn diagonal(&self, _: &[f64]) -> f64 {
            1.0
        }
        fn stranger_norm(&self) -> Option<f64> {
            Some(1.0)
        }
    }

    impl BlockKernel<[f64]> for InDeviations {}

    /// The kernel for the samples that a model is fitted to.
    fn kernel(samples: &Indexed<'_, Rows>) -> Result<InDeviations, Error> {
        let (count, inputs) = (samples.count() as f64, samples.sample(0).map_or(0, <[f64]>::len));
        let weight = |input: usize| {
            let values = || samples.iter_samples().map(|x| x[input]);
            let mean = values().sum::<f64>() / count;
            let variance = values().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count;
            if variance > 0.0 { 1.0 / variance } else { 1.0 }
        };
        let gamma = 1.0 / (8.0 * inputs as f64);
        Ok(InDeviations { gamma, weights: (0..inputs).map(weight).collect() })
    }

    /// For rows `row,recording,features…`.
    pub(super) fn threshold(rows: &[Vec<f64>]) -> f64 {
        let (count, most) = (rows.len(), rows.len().min(MOST));
        let spread = |k: usize| k as f64 * (count - 1) as f64 / (most - 1) as f64;
        let chosen: Vec<&Vec<f64>> =
            (0..most).map(|k| &rows[spread(k).round_ties_even() as usize]).collect();
        let begins = (1..most).filter(|&i| chosen[i][1] != chosen[i - 1][1]);
        let samples = Rows(chosen.iter().map(|row| row[2..].to_vec()).collect());
        let sizes = LearnSizes { samples: most, points: POINTS, components: POINTS };
        let mut header = ExpansionHeader::default();
        let mut numbers = vec![0.0; sizes.numbers::<f64, TridiagonalQr<f64>>()];
        let mut indices = vec![0; sizes.indices()];
        let mut scratch = LearnScratch::<f64>::over(sizes, &mut header, &mut numbers, &mut indices)
            .expect("as much as the sizes take");
        let recipe = Recipe::default()
            .components(Components::Share(0.99))
            .false_alarms(FalseAlarms::Share(super::NOMINAL));
        let mut learning = Learning::start(recipe, 0..most as u32, &mut scratch)
            .and_then(|learning| learning.with_recordings(begins))
            .expect("samples to learn from");
        while learning.step(&samples, kernel, &mut scratch).expect("a fit") == Progress::Working {}
        learning.result().expect("it is done").1.threshold.spe
    }
}
