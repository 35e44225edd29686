//! The alarm of `score`, `eval` and `report`, against one that is computed here from the scores.

mod common;

use common::{Desk, column};
use serde_json::Value;

/// 60 rows of one recording, then 40 of each of two others; in the middle of each something is
/// wrong.
const RECORDINGS: [(&str, usize); 3] = [("a", 60), ("b", 40), ("c", 40)];

/// A desk with a model and `test.csv`, whose columns beside the inputs are `state` and `run`.
fn desk() -> Desk {
    let desk = Desk::new();
    let wave = |t: f64| [(t * 0.7).sin(), (t * 0.7).sin() + 0.2 * (t * 2.3).cos(), (t * 1.1).cos()];
    let mut train = String::from("a,b,c\n");
    for t in 0..200 {
        let [a, b, c] = wave(f64::from(t));
        train += &format!("{a},{b},{c}\n");
    }
    desk.write("train.csv", &train);
    let (mut test, mut t) = (String::from("state,run,a,b,c\n"), 1000.25);
    for (name, rows) in RECORDINGS {
        for row in 0..rows {
            let [a, mut b, c] = wave(t);
            // A fault, and an outlier here and there.
            let fault = (rows / 2..rows / 2 + 12).contains(&row);
            if fault || row % 17 == 5 {
                b += if row % 2 == 0 { 1.5 } else { 0.8 };
            }
            let state = if fault { "bad" } else { "good" };
            test += &format!("{state},{name},{a},{b},{c}\n");
            t += 1.0;
        }
    }
    desk.write("test.csv", &test);
    desk.succeed(&["fit", "train.csv", "--out", "m.mercer", "--precision", "f64"]);
    desk
}

/// Which rows each recording has.
fn recordings() -> Vec<std::ops::Range<usize>> {
    let mut first = 0;
    RECORDINGS
        .iter()
        .map(|(_, rows)| {
            first += rows;
            first - rows..first
        })
        .collect()
}

/// Threshold and mean, as `inspect` says them.
fn threshold(desk: &Desk) -> (f64, f64) {
    let json: Value =
        serde_json::from_str(&desk.succeed(&["inspect", "m.mercer", "--json"])).unwrap();
    let number = |name| json["threshold"][name].as_f64().expect("a number");
    (number("spe"), number("usual"))
}

/// By the formula, for one recording after the other.
fn smoothed(
    spe: &[f64],
    recordings: &[std::ops::Range<usize>],
    (threshold, usual): (f64, f64),
    (shift, end): (i32, f64),
) -> Vec<bool> {
    let mut up = Vec::new();
    for rows in recordings {
        let (mut e, mut is_up) = (usual, false);
        for &score in &spe[rows.clone()] {
            e += (score - e) / 2_f64.powi(shift);
            is_up = if is_up { e >= end * threshold } else { e > threshold };
            up.push(is_up);
        }
    }
    up
}

fn alarms(scored: &str) -> Vec<bool> {
    column(scored, "alarm").iter().map(|&cell| cell == 1.0).collect()
}

#[test]
fn the_alarm_is_that_of_the_formula() {
    let desk = desk();
    let limits = threshold(&desk);
    let score = ["score", "m.mercer", "test.csv"];
    let plain = desk.succeed(&score);
    let spe = column(&plain, "spe");
    assert_eq!(spe.len(), 140);
    let unusual: Vec<bool> = column(&plain, "unusual").iter().map(|&cell| cell == 1.0).collect();
    assert!(unusual.iter().zip(&spe).all(|(&unusual, &spe)| unusual == (spe > limits.0)));
    let one = std::iter::once(0..140).collect::<Vec<_>>();
    assert_eq!(alarms(&plain), smoothed(&spe, &one, limits, (3, 0.8)));
    for (options, recordings, rule) in [
        (["--by", "run"].as_slice(), recordings(), (3, 0.8)),
        (&["--alarm", "smoothed", "--alarm-shift", "1"], one.clone(), (1, 0.8)),
        (&["--alarm-shift", "5", "--alarm-end", "50"], one.clone(), (5, 0.5)),
        (&["--alarm-shift", "0", "--alarm-end", "100"], one.clone(), (0, 1.0)),
    ] {
        let scored = desk.succeed(&[score.as_slice(), options].concat());
        let expected = smoothed(&spe, &recordings, limits, rule);
        assert!(expected.contains(&true) && expected.contains(&false), "{options:?}");
        assert_eq!(alarms(&scored), expected, "{options:?}");
    }
    // Smoothed by nothing and without hysteresis, it is what is unusual; 1 of 1 is the same.
    let single = desk.succeed(&[score.as_slice(), &["--alarm", "1of1"]].concat());
    assert_eq!(alarms(&single), unusual);
    let counted = desk.succeed(&[score.as_slice(), &["--alarm", "3of5"]].concat());
    let mut up = false;
    let expected: Vec<bool> = (0_usize..140)
        .map(|row| {
            let last = &unusual[row.saturating_sub(4)..=row];
            let count = last.iter().filter(|&&unusual| unusual).count();
            up = if up { count > 1 } else { count >= 3 };
            up
        })
        .collect();
    assert_eq!(alarms(&counted), expected);
    assert_ne!(alarms(&counted), alarms(&plain));
}

#[test]
fn a_timeline_has_the_same_alarm_and_names_its_rule() {
    let desk = desk();
    let score = ["score", "m.mercer", "test.csv", "--by", "run"];
    let eval = ["eval", "m.mercer", "test.csv", "--label", "state", "--timeline", "--by", "run"];
    for (options, rule) in [
        (
            ["--alarm-shift", "2"].as_slice(),
            "smoothed score (1/4 of each reading) above the threshold, until below 80 % of it",
        ),
        (&["--alarm", "3of5"], "3 of the last 5 readings unusual, until at most 1 of them are"),
    ] {
        let up = alarms(&desk.succeed(&[score.as_slice(), options].concat()));
        let in_words = desk.succeed(&[eval.as_slice(), options].concat());
        assert!(in_words.replace("\n                       ", " ").contains(rule), "{in_words}");
        let json = desk.succeed(&[eval.as_slice(), options, &["--json"]].concat());
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["alarm"]["rule"], rule);
        let mut first = 0;
        let stretches = json["timeline"].as_array().expect("a list");
        assert_eq!(stretches.len(), 7, "good, bad, … good");
        for stretch in stretches {
            let rows = stretch["rows"].as_u64().unwrap() as usize;
            let own = &up[first..first + rows];
            let count = own.iter().filter(|&&up| up).count() as u64;
            assert_eq!(stretch["in_alarm"].as_u64(), Some(count), "{stretch}");
            if let Some(after) = stretch["found_after"].as_u64() {
                assert!(own[after as usize], "{stretch}");
            }
            let bad = stretch["label"] == "bad";
            assert!(!bad || stretch["found_after"].is_u64(), "{stretch}");
            first += rows;
        }
        assert_eq!(first, 140);
        assert_eq!((&json["alarm"]["found"], &json["alarm"]["missed"]), (&3.into(), &0.into()));
    }
}

/// An alarm that a fault is the cause of is up for some rows of the next stretch, too, which has
/// not caused it.
#[test]
fn an_alarm_that_is_left_over_finds_nothing() {
    let desk = desk();
    let csv = std::fs::read_to_string(desk.path("test.csv")).unwrap();
    // The rows after the faults, which are as usual, are said to be another fault.
    let mut lines: Vec<String> = csv.lines().map(String::from).collect();
    for line in [43, 44, 45] {
        assert!(lines[line].starts_with("good,"));
        lines[line] = lines[line].replacen("good", "next", 1);
    }
    desk.write("next.csv", &lines.join("\n"));
    let eval =
        ["eval", "m.mercer", "next.csv", "--label", "state", "--normal", "good", "--timeline"];
    let json: Value =
        serde_json::from_str(&desk.succeed(&[eval.as_slice(), &["--json"]].concat())).unwrap();
    let stretches = json["timeline"].as_array().unwrap();
    let next = stretches.iter().find(|stretch| stretch["label"] == "next").unwrap();
    assert!(next["in_alarm"].as_u64() >= Some(2), "{next}");
    assert_eq!((&next["found_after"], &next["raised"]), (&Value::Null, &0.into()), "{next}");
    assert_eq!((&json["alarm"]["found"], &json["alarm"]["missed"]), (&3.into(), &1.into()));
}

#[test]
fn options_out_of_range_are_refused() {
    let desk = desk();
    let eval = ["eval", "m.mercer", "test.csv", "--label", "state", "--timeline"];
    let report = ["report", "m.mercer", "test.csv", "--out", "r.html"];
    for command in [["score", "m.mercer", "test.csv"].as_slice(), &eval, &report] {
        for (options, why) in [
            (["--alarm", "0of5"], "3of5"),
            (["--alarm", "6of5"], "3of5"),
            (["--alarm", "3of33"], "32"),
            (["--alarm", "often"], "smoothed"),
            (["--alarm-shift", "9"], "0..=8"),
            (["--alarm-shift", "-1"], "-1"),
            (["--alarm-end", "0"], "1..=100"),
            (["--alarm-end", "101"], "1..=100"),
            (["--by", "nowhere"], "nowhere"),
        ] {
            let output = desk.run(&[command, &options].concat());
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{options:?}: {said}");
            assert!(said.contains(why), "{options:?}: {said}");
        }
        let error = desk.fail(&[command, &["--alarm", "3of5", "--alarm-end", "70"]].concat());
        assert!(error.contains("are for --alarm smoothed"), "{error}");
    }
    let quiet = desk.fail(&[&eval[..5], &["--alarm", "3of5"]].concat());
    assert!(quiet.contains("--timeline"), "{quiet}");
    assert!(!desk.path("r.html").exists());
}

/// What would not end by itself is said at once, with what to do.
#[test]
fn a_threshold_near_what_is_usual_is_warned_of() {
    let desk = desk();
    let fit = ["fit", "train.csv", "--out", "half.mercer"];
    let warning = "an alarm by the smoothed score would hardly end: lower --alpha";
    let half = desk.all(&[fit.as_slice(), &["--alpha", "0.6"]].concat());
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat(&half).contains(warning), "{half}");
    let usual = desk.all(&fit);
    assert!(!flat(&usual).contains(warning), "{usual}");
}
