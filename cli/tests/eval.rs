//! What `eval` credits, and what it makes of normal rows alone.

mod common;

use common::Desk;
use serde_json::Value;

/// One normal row; `t` is any number.
fn usual(t: usize) -> [f64; 3] {
    let t = t as f64;
    [(t * 0.7).sin(), (t * 0.7).sin() + 0.2 * (t * 2.3).cos(), (t * 1.1).cos()]
}

fn fitted() -> Desk {
    let desk = Desk::new();
    let mut csv = String::from("a,b,c\n");
    (0..200).map(usual).for_each(|[a, b, c]| csv += &format!("{a},{b},{c}\n"));
    desk.write("train.csv", &csv);
    desk.succeed(&["fit", "train.csv", "--out", "m.mercer"]);
    desk
}

/// Rows of stretches: a label, how many rows, and how far `b` is off.
fn recording(stretches: &[(&str, usize, f64)]) -> String {
    let (mut csv, mut t) = (String::from("state,a,b,c\n"), 1000);
    for &(label, rows, off) in stretches {
        for _ in 0..rows {
            let [a, b, c] = usual(t);
            csv += &format!("{label},{a},{},{c}\n", b + off);
            t += 1;
        }
    }
    csv
}

fn json(desk: &Desk, arguments: &[&str]) -> Value {
    serde_json::from_str(&desk.succeed(&[arguments, &["--json"]].concat())).expect("JSON")
}

/// An alarm that hardly ever ends: it follows slowly, and ends at a hundredth of the threshold.
const STUCK: [&str; 4] = ["--alarm-shift", "8", "--alarm-end", "1"];
const TIMELINE: [&str; 6] = ["eval", "m.mercer", "test.csv", "--label", "state", "--timeline"];

#[test]
fn an_alarm_from_before_a_fault_is_no_detection() {
    let desk = fitted();
    // Raised by a disturbance among normal rows, and up ever since: `quiet` looks as usual.
    let rows = [("ok", 20, 0.0), ("ok", 40, 5.0), ("quiet", 10, 0.0), ("ok", 20, 0.0)];
    desk.write("test.csv", &recording(&rows));
    for rule in [STUCK.as_slice(), &["--alarm", "30of32"]] {
        let found = json(&desk, &[&TIMELINE[..], rule].concat());
        let quiet = &found["timeline"][1];
        assert_eq!(quiet["label"], "quiet");
        assert_eq!((&quiet["unusual"], &quiet["raised"]), (&0.into(), &0.into()), "{quiet}");
        assert!(quiet["in_alarm"].as_u64() > Some(0), "it was up: {quiet}");
        assert_eq!(quiet["found_after"], Value::Null, "{quiet}");
        assert_eq!((&found["alarm"]["found"], &found["alarm"]["missed"]), (&0.into(), &1.into()));
        let words = desk.succeed(&[&TIMELINE[..], rule].concat());
        assert!(words.contains("missed    quiet"), "{words}");
        assert!(words.contains("found                  0 of 1 anomalous stretches"), "{words}");
    }
}

#[test]
fn a_fault_is_found_by_scores_of_its_own_under_an_alarm_that_is_up() {
    let desk = fitted();
    // The third row of `mild` is the first that differs.
    let rows =
        [("ok", 20, 0.0), ("ok", 40, 5.0), ("mild", 2, 0.0), ("mild", 3, 5.0), ("ok", 9, 0.0)];
    desk.write("test.csv", &recording(&rows));
    let found = json(&desk, &[&TIMELINE[..], &STUCK].concat());
    assert_eq!(found["timeline"][1]["found_after"], 2, "{}", found["timeline"][1]);
    assert_eq!(found["timeline"][1]["raised"], 0, "it was up already");
    assert_eq!((&found["alarm"]["found"], &found["alarm"]["missed"]), (&1.into(), &0.into()));
}

#[test]
fn a_single_high_score_without_an_alarm_finds_nothing() {
    let desk = fitted();
    desk.write("test.csv", &recording(&[("ok", 20, 0.0), ("short", 1, 5.0), ("ok", 20, 0.0)]));
    let found = json(&desk, &[&TIMELINE[..], &["--alarm", "3of5"]].concat());
    assert_eq!(found["timeline"][1]["unusual"], 1);
    assert_eq!(found["timeline"][1]["found_after"], Value::Null);
}

/// Without a label, with one that says the same of every row in whatever words, or with cells that
/// say nothing: false alarms alone.
#[test]
fn normal_rows_alone_measure_false_alarms() {
    let desk = fitted();
    let rows: Vec<(&str, usize, f64)> = vec![("LABEL", 90, 0.0), ("LABEL", 10, 5.0)];
    let recording = recording(&rows);
    desk.write("test.csv", &recording);
    let expected = json(&desk, &["eval", "m.mercer", "test.csv"]);
    let share = expected["unusual_normal"]["value"].as_f64().unwrap();
    assert!((0.1..0.2).contains(&share), "{expected}");
    assert!(expected["unusual_normal"]["low"].as_f64() < Some(share));
    assert!(expected["unusual_normal"]["high"].as_f64() > Some(share));
    assert_eq!((&expected["normal"], &expected["anomalous"]), (&100.into(), &0.into()));
    for absent in ["auroc", "auroc_t2", "auroc_abs_sum", "unusual_anomalous", "alarm"] {
        assert!(expected.get(absent).is_none(), "{absent}");
    }
    for label in ["0", "0.0", "Normal", "OK", "good", "Healthy", "FALSE", "no", "", "NaN", "n/a"] {
        desk.write("one.csv", &recording.replace("LABEL", label));
        let found = json(&desk, &["eval", "m.mercer", "one.csv", "--label", "state"]);
        assert_eq!(found, expected, "{label:?}");
    }
    desk.write("one.csv", &recording.replace("LABEL", "1.0"));
    let own = ["eval", "m.mercer", "one.csv", "--label", "state", "--normal", "1"];
    assert_eq!(json(&desk, &own), expected);
    let error = desk.fail(&own[..5]);
    assert!(error.contains("no row is normal by column state, which has 1.0"), "{error}");

    let words = desk.succeed(&["eval", "m.mercer", "test.csv"]);
    let lines: Vec<&str> = words.lines().map(|line| line[..22].trim_end()).collect();
    assert_eq!(lines, ["rows", "unusual, normal"], "{words}");
    let words = desk.succeed(&["eval", "m.mercer", "test.csv", "--timeline"]);
    assert!(words.contains("per 1000 rows") && !words.contains("anomalous"), "{words}");
}

#[test]
fn windows_are_called_windows() {
    let desk = Desk::new();
    let samples: String =
        (0..2000).map(usual).map(|[a, b, c]| format!("ok,{a},{b},{c}\n")).collect();
    desk.write("raw.csv", &format!("state,a,b,c\n{samples}"));
    let fit = ["fit", "raw.csv", "--drop", "state", "--window", "16", "--out", "m.mercer"];
    desk.succeed(&fit);
    let eval = ["eval", "m.mercer", "raw.csv", "--timeline", "--alarm", "3of5"];
    let words = desk.succeed(&eval);
    assert!(words.starts_with("windows                249 normal\n"), "{words}");
    assert!(words.contains("per 1000 windows") && !words.contains("1000 rows"), "{words}");
    assert!(words.contains("3 of the last 5 readings unusual"), "{words}");
    assert!(words.contains("0–1984      249"), "windows of these rows: {words}");
    assert_eq!(json(&desk, &eval)["unit"], "windows");
}
