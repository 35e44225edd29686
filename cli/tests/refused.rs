//! A model that learning refuses: an exit code, no file; and with `--force` a warning for ever.

mod common;
#[path = "../../tests/faults/mod.rs"]
mod faults;

use std::fs;

use common::{Desk, golden, text};
use serde_json::Value;

/// Each with what makes learning refuse it.
const REFUSED: [(&str, &[&str], &str); 3] = [
    ("narrow", &["--gamma", "1e6"], "kernel is too narrow"),
    ("wide", &["--gamma", "1e-6"], "kernel is too wide"),
    ("complete", &["--kernel", "linear", "--components", "4"], "leave nothing unexplained"),
];

#[test]
fn nothing_is_written_unless_it_is_forced_and_then_every_use_says_why() {
    let (train, test) = (golden("iris_data_train.csv"), golden("iris_data_test.csv"));
    let mut tried = 0;
    for (name, options, why) in REFUSED {
        let desk = Desk::new();
        let fit = [&["fit", text(&train), "--out", "m.mercer"], options].concat();
        let error = desk.fail(&fit);
        assert!(error.contains(why) && error.contains("--force"), "{name}: {error}");
        assert!(desk.files().is_empty(), "{name}: {:?}", desk.files());

        let summary = desk.all(&[fit.as_slice(), &["--force"]].concat());
        assert!(summary.contains("warning: learning refused this model"), "{summary}");
        assert!(summary.contains("expected false alarms  unknown"), "{summary}");
        assert!(summary.contains("threshold              none"), "{summary}");
        let labelled = desk.write("labelled.csv", &labelled(&test));
        let uses: [&[&str]; 8] = [
            &["score", "m.mercer", text(&test)],
            &["project", "m.mercer", text(&test)],
            &["eval", "m.mercer", text(&labelled), "--label", "label"],
            &["inspect", "m.mercer"],
            &["inspect", "m.mercer", "--json"],
            &["report", "m.mercer", text(&test), "--out", "r.html"],
            &["export", "m.mercer", "--rust", "m.rs", "--c", "m.h"],
            &["export", "m.mercer", "--bin", "m.bin"],
        ];
        for arguments in uses {
            let output = desk.run(arguments);
            let said = String::from_utf8(output.stderr).expect("text");
            assert!(output.status.success(), "{arguments:?}: {said}");
            // `inspect` goes on with what else may not be as it was meant.
            let is_one = arguments == ["inspect", "m.mercer"] || said.lines().count() == 1;
            assert!(is_one, "{arguments:?}: {said}");
            assert_eq!(said.matches("learning refused").count(), 1, "{arguments:?}: {said}");
            let start = "mercer: warning: m.mercer: learning refused this model";
            assert!(said.starts_with(start) && said.contains(why), "{arguments:?}: {said}");
        }
        for file in ["r.html", "m.rs", "m.h"] {
            let content = fs::read_to_string(desk.path(file)).expect("it was written");
            assert!(content.contains("learning refused this model"), "{name}: {file}");
        }
        // Never quiet: where anything can be scored, all of it is unusual, and an alarm.
        if name == "narrow" {
            let scored = desk.succeed(&["score", "m.mercer", text(&test)]);
            assert!(scored.lines().skip(1).all(|line| line.ends_with(",1,1")), "{scored}");
        }
        let json: Value =
            serde_json::from_str(&desk.succeed(&["inspect", "m.mercer", "--json"])).expect("JSON");
        assert!(json["refused"].as_str().is_some_and(|found| found.contains(why)), "{json}");
        assert_eq!(
            (&json["false_alarms"], &json["false_alarms_assume"]),
            (&Value::Null, &Value::Null)
        );
        tried += uses.len();
    }
    let fault = "uses of a model that learning refused";
    faults::record(8, fault, tried, tried, "-p mercer-cli --test refused");
}

fn labelled(data: &std::path::Path) -> String {
    let csv = fs::read_to_string(data).expect("golden data");
    let rows = csv.lines().enumerate().map(|(i, line)| match i {
        0 => format!("{line},label\n"),
        i => format!("{line},{}\n", i % 2),
    });
    rows.collect()
}

#[test]
fn an_old_model_is_not_replaced_by_a_refused_one() {
    let desk = Desk::new();
    let train = golden("iris_data_train.csv");
    desk.succeed(&["fit", text(&train), "--out", "m.mercer"]);
    let before = fs::read(desk.path("m.mercer")).expect("the model");
    desk.fail(&["fit", text(&train), "--out", "m.mercer", "--gamma", "1e6"]);
    assert_eq!(fs::read(desk.path("m.mercer")).expect("the model"), before);
}

#[test]
fn an_accepted_model_is_used_in_silence() {
    let desk = Desk::new();
    let train = golden("iris_data_train.csv");
    let forced = desk.run(&["fit", text(&train), "--out", "m.mercer", "--force"]);
    let said = String::from_utf8(forced.stderr).expect("text");
    assert!(forced.status.success() && !said.contains("refused"), "{said}");
    assert!(desk.run(&["score", "m.mercer", text(&train)]).stderr.is_empty());
}

#[test]
fn an_import_without_thresholds_is_refused_too() {
    let desk = Desk::new();
    let dump = common::root().join("cli/tests/data/sklearn/rbf.json");
    // More folds than samples for them.
    let import = ["import", "sklearn", text(&dump), "--out", "m.mercer", "--folds", "1000"];
    let error = desk.fail(&import);
    assert!(error.contains("could not be calibrated") && error.contains("--force"), "{error}");
    assert!(desk.files().is_empty());
    desk.succeed(&[import.as_slice(), &["--force"]].concat());
    let output = desk.run(&["inspect", "m.mercer"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("could not be calibrated"));
}
