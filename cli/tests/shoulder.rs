//! Shoulder exercises, raw: `fit` and `eval` on counts with gravity and gyroscope, and
//! `docs/SIGNALS.md`.
//!
//! `MERCER_UPDATE=1 cargo test -p mercer-cli --test shoulder` writes its table anew.

mod common;
#[path = "../../tests/document/mod.rs"]
mod document;

use std::fmt::Write as _;
use std::fs;

use common::{Desk, root, shared, text};
use serde_json::Value;

/// Windows and features of each model, the least of anomalous windows that must be found, and of
/// the six stretches of other exercises.
const RECIPES: [(&str, &str, f64, u64); 6] = [
    ("64", "mean,logstd", 0.95, 6),
    ("64", "mean,logstd,logmad", 0.95, 6),
    ("64", "mean,logstd,bands4", 0.85, 5),
    ("128", "mean,logstd", 0.95, 6),
    ("128", "mean,logstd,logmad", 0.95, 6),
    ("128", "mean,logstd,bands4", 0.85, 5),
];

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn file(name: &str) -> String {
    let path = root().join("examples/data/shoulder").join(name);
    text(&path).into()
}

#[test]
fn other_exercises_are_told_from_rowing() {
    let desk = Desk::new();
    let (train, test) = (file("train.csv"), file("test.csv"));
    let mut table = String::from(
        "| window | features | learned from | inputs | AUROC | false alarms | detected | exercises found by the alarm |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for (window, features, least, exercises) in RECIPES {
        let rows = ["fit", &train, "--drop", "exercise", "--by", "recording", "--units", "0.001"];
        let recipe = ["--window", window, "--features", features, "--out", "m.mercer"];
        desk.succeed(&[rows.as_slice(), &recipe].concat());
        let model = json(&desk.succeed(&["inspect", "m.mercer", "--json"]));
        let eval = ["eval", "m.mercer", &test, "--label", "exercise", "--normal", "rowing"];
        let found = json(
            &desk.succeed(&[&eval[..], &["--timeline", "--by", "recording", "--json"]].concat()),
        );
        let share = |name: &str| found[name]["value"].as_f64().expect("a share");
        let (auroc, detected) = (share("auroc"), share("unusual_anomalous"));
        let false_alarms = share("unusual_normal");
        let alarm = |name: &str| found["alarm"][name].as_u64().expect("a count");
        assert!(auroc > 0.99, "{window} {features}: {auroc}");
        assert!(false_alarms <= 0.05, "{window} {features}: {false_alarms}");
        assert!(detected >= least, "{window} {features}: {detected}");
        assert!(alarm("found") >= exercises, "{window} {features}: {found}");
        assert_eq!(alarm("raised_normal"), 0, "{window} {features}");
        let [false_alarms, detected] = [false_alarms, detected].map(|share| 100.0 * share);
        let found = format!("{} of {}", alarm("found"), alarm("found") + alarm("missed"));
        let samples = &model["samples"];
        let inputs = model["inputs"].as_array().expect("names").len();
        writeln!(
            table,
            "| {window} | `{features}` | {samples} | {inputs} | {auroc:.4} | {false_alarms:.1} % | {detected:.1} % | {found} |"
        )
        .expect("room for a line");
    }
    document::require_section("../docs/SIGNALS.md", "shoulder", &table, "shoulder");
}

/// The committed part is what its README says: subjects 1 to 3, in whole counts.
#[test]
fn the_recordings_are_those_of_the_source() {
    let Some(folder) = shared("signals/shoulder") else { return };
    let source = fs::read_to_string(folder.join("shoulder.csv")).expect("the source");
    let first_of_test = ["6", "7", "8", "12", "13", "14", "15", "16", "17"];
    for (name, recordings) in
        [("train.csv", ["0", "1", "2"].as_slice()), ("test.csv", &first_of_test)]
    {
        let counts = |line: &str| {
            let cells: Vec<&str> = line.split(',').collect();
            let counts = cells[..6].iter().map(|cell| cell.parse::<f64>().expect("a number"));
            let counts: Vec<String> =
                counts.map(|value| format!("{:.0}", (1000.0 * value).round_ties_even())).collect();
            recordings.contains(&cells[7]).then(|| format!("{},{}", cells[7], counts.join(",")))
        };
        let expected: Vec<String> = source.lines().skip(1).filter_map(counts).collect();
        let committed = fs::read_to_string(file(name)).expect("the committed part");
        let without_exercise = |line: &str| {
            let (recording, rest) = line.split_once(',').expect("a recording");
            format!("{recording},{}", rest.split_once(',').expect("an exercise").1)
        };
        let found: Vec<String> = committed.lines().skip(1).map(without_exercise).collect();
        let plain = |lines: &[String]| -> Vec<String> {
            lines.iter().map(|line| line.replace(",-0", ",0")).collect()
        };
        assert_eq!(plain(&found), plain(&expected), "{name}");
    }
}
