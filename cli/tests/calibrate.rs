//! `mercer calibrate`: a threshold from rows after learning, as the definition has it; what is
//! refused leaves no file.

mod common;
#[path = "../../tests/learning/mod.rs"]
mod learning;

use std::fs;

use common::{Desk, column};
use learning::Machine;
use serde_json::Value;

/// Rows of a machine with a load that three sensors see; some are faults of the last one.
fn rows(count: usize, seed: u64, is_fault: impl Fn(usize) -> bool) -> String {
    let mut random = Machine(seed * 7919 + 1);
    let mut csv = String::from("a,b,c\n");
    for i in 0..count {
        let load = random.normal();
        let mut see = |offset: f64, gain: f64| offset + gain * load + 0.3 * random.normal();
        let (a, b, c) = (see(20.0, 3.0), see(5.0, -1.0), see(1.0, 0.5));
        let c = if is_fault(i) { c + 6.0 } else { c };
        csv += &format!("{a},{b},{c}\n");
    }
    csv
}

fn fitted(precision: &str) -> Desk {
    let desk = Desk::new();
    desk.write("train.csv", &rows(128, 1, |_| false));
    desk.write("more.csv", &rows(399, 2, |_| false));
    desk.succeed(&["fit", "train.csv", "--out", "m.mercer", "--precision", precision]);
    desk
}

fn facts(desk: &Desk, model: &str) -> Value {
    serde_json::from_str(&desk.succeed(&["inspect", model, "--json"])).expect("JSON")
}

fn threshold(desk: &Desk, model: &str) -> f64 {
    facts(desk, model)["threshold"]["spe"].as_f64().expect("a number")
}

#[test]
fn the_threshold_is_the_one_of_the_definition() {
    for precision in ["f32", "f64"] {
        let desk = fitted(precision);
        let mut spe = column(&desk.succeed(&["score", "m.mercer", "more.csv"]), "spe");
        spe.sort_by(|a, b| b.total_cmp(a));
        for (share, rank) in [("0.01", 4), ("0.05", 20), ("0.0051", 2)] {
            let calibrate = ["calibrate", "m.mercer", "more.csv", "--false-alarms", share];
            let said = desk.succeed(&[calibrate.as_slice(), &["--out", "n.mercer"]].concat());
            let facts = facts(&desk, "n.mercer");
            let found = threshold(&desk, "n.mercer");
            assert!((found / spe[rank - 1] - 1.0).abs() < 1e-6, "{share}: {found}");
            let supported = facts["false_alarms"].as_f64().expect("a number");
            assert!((supported - rank as f64 / 400.0).abs() < 1e-8, "{share}: {supported}");
            assert_eq!(facts["later"]["readings"], 399);
            for words in
                ["399, ", "formerly", "by 399 later readings", "if readings are exchangeable"]
            {
                assert!(said.contains(words), "{words}: {said}");
            }
            assert!(!said.contains("not written"), "{said}");
        }
        // scipy.stats.beta.ppf([0.05, 0.95], 4, 396)
        desk.succeed(&[
            "calibrate",
            "m.mercer",
            "more.csv",
            "--false-alarms",
            "0.01",
            "--out",
            "n.mercer",
        ]);
        let facts = facts(&desk, "n.mercer");
        for (field, expected) in [("low", 3.431395557e-3), ("high", 1.931723505e-2)] {
            let found = facts["later"][field].as_f64().expect("a number");
            assert!((found / expected - 1.0).abs() < 1e-4, "{field}: {found}");
        }
    }
}

#[test]
fn without_a_place_it_is_only_shown_and_the_wish_is_that_of_the_model() {
    let desk = fitted("f32");
    let before = desk.files();
    let said = desk.succeed(&["calibrate", "m.mercer", "more.csv"]);
    assert!(said.contains("not written") && said.contains("5.0 % of normal readings"), "{said}");
    assert_eq!(desk.files(), before);
}

#[test]
fn every_use_of_the_model_knows_the_new_threshold() {
    let desk = fitted("f32");
    desk.succeed(&[
        "calibrate",
        "m.mercer",
        "more.csv",
        "--false-alarms",
        "0.01",
        "--out",
        "n.mercer",
    ]);
    let limit = threshold(&desk, "n.mercer");
    desk.write("new.csv", &rows(300, 3, |i| i % 3 == 0));
    let scored = desk.succeed(&["score", "n.mercer", "new.csv"]);
    let unusual = scored.lines().skip(1).map(|line| line.split(',').nth(4) == Some("1"));
    for (spe, unusual) in column(&scored, "spe").into_iter().zip(unusual) {
        assert_eq!(spe > limit, unusual, "{spe}");
    }
    let inspected = desk.succeed(&["inspect", "n.mercer"]);
    assert!(
        inspected.contains("1.00 % of normal readings are unusual (by 399 later readings"),
        "{inspected}"
    );
    desk.succeed(&["report", "n.mercer", "new.csv", "--out", "r.html"]);
    let page = fs::read_to_string(desk.path("r.html")).expect("the page");
    assert!(page.contains("by 399 later readings") && page.contains("if like the later readings"));
    desk.succeed(&["export", "n.mercer", "--rust", "m.rs", "--bin", "m.bin"]);
    // And again, from what was calibrated.
    let again =
        ["calibrate", "n.mercer", "more.csv", "--false-alarms", "0.02", "--out", "o.mercer"];
    desk.succeed(&again);
    assert!(threshold(&desk, "o.mercer") < limit);
}

#[test]
fn what_would_make_it_blind_is_refused_and_leaves_no_file() {
    let desk = fitted("f32");
    desk.write("faults.csv", &rows(399, 2, |i| i % 20 == 7));
    desk.write("few.csv", &rows(50, 2, |_| false));
    desk.write("word.csv", "a,b,c\n1,2,x\n");
    desk.write("other.csv", "a,b\n1,2\n");
    let share = ["--false-alarms", "0.01"].as_slice();
    let before = desk.files();
    for (data, options, why) in [
        ("faults.csv", share, "--force takes them as normal"),
        ("faults.csv", &[], "leave out what was not normal"),
        ("few.csv", share, "50 rows are too few for 1.0 % false alarms, it takes at least 99"),
        ("more.csv", &["--false-alarms", "0"], "--false-alarms must be a share"),
        ("more.csv", &["--false-alarms", "1.5"], "--false-alarms must be a share"),
        ("more.csv", &["--false-alarms", "NaN"], "--false-alarms must be a share"),
        ("train.csv", &[], "the model was fitted to them"),
        ("word.csv", &[], "word.csv:2"),
        ("other.csv", &[], "c"),
    ] {
        let arguments = ["calibrate", "m.mercer", data, "--out", "n.mercer"];
        let error = desk.fail(&[arguments.as_slice(), options].concat());
        assert!(error.contains(why), "{why}: {error}");
        assert_eq!(desk.files(), before, "{why}");
    }
    let error = desk.fail(&["calibrate", "m.mercer", "more.csv", "--out", "m.mercer"]);
    assert!(error.contains("is read, so it cannot be written too"), "{error}");

    // By force, and never quiet about it.
    let clean = threshold(&desk, "m.mercer");
    let arguments = ["calibrate", "m.mercer", "faults.csv", "--force", "--out", "n.mercer"];
    let output = desk.run(&[arguments.as_slice(), share].concat());
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.success() && said.contains("by force"), "{said}");
    assert!(threshold(&desk, "n.mercer") > 2.0 * clean);
    assert!(desk.all(&["inspect", "n.mercer"]).contains("warning: the threshold was taken"));
}

#[test]
fn a_model_that_learning_refused_stays_refused() {
    let desk = fitted("f32");
    let fit = ["fit", "train.csv", "--gamma", "1e6", "--force", "--out", "r.mercer"];
    desk.succeed(&fit);
    let output = desk.run(&["calibrate", "r.mercer", "more.csv", "--out", "n.mercer"]);
    let said = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("learning refused this model, no threshold"), "{said}");
    assert!(!desk.path("n.mercer").exists());
}
