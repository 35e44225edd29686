//! `--log`: the same as taking the logarithm of columns by hand, and said wherever a model is
//! shown.

mod common;

use common::{Desk, column, golden, text};

/// Rows of a temperature, the strength of a vibration and its energy; with their logarithms if
/// asked for.
fn table(rows: std::ops::Range<u32>, logs: bool) -> String {
    let mut csv = String::from("temperature,strength,energy\n");
    for i in rows {
        let wave = |step: f64| (f64::from(i) * step).sin();
        let strength = (1.3 * wave(0.7) + 0.3 * wave(2.3)).exp() * 1e-3;
        let energy = (2.5 * wave(0.7) + 0.6 * wave(1.9)).exp() * 40.0;
        let log = |x: f64| if logs { x.ln() } else { x };
        csv += &format!("{:?},{:?},{:?}\n", 20.0 + wave(2.3), log(strength), log(energy));
    }
    csv
}

fn desk() -> Desk {
    let desk = Desk::new();
    for (name, rows) in [("train", 0..80), ("new", 1000..1060)] {
        desk.write(&format!("{name}.csv"), &table(rows.clone(), false));
        desk.write(&format!("{name}_logs.csv"), &table(rows, true));
    }
    desk
}

fn read(desk: &Desk, name: &str) -> String {
    std::fs::read_to_string(desk.path(name)).expect("a file that was written")
}

fn json(desk: &Desk, model: &str) -> serde_json::Value {
    serde_json::from_str(&desk.succeed(&["inspect", model, "--json"])).expect("JSON")
}

#[test]
fn logarithms_are_those_by_hand() {
    let desk = desk();
    let fit = |data: &str, log: &str, model: &str| {
        desk.succeed(&["fit", data, "--precision", "f64", "--log", log, "--out", model])
    };
    fit("train_logs.csv", "none", "hand.mercer");
    let expected = desk.succeed(&["score", "hand.mercer", "new_logs.csv", "--why"]);
    for log in ["auto", "energy,strength"] {
        let summary = fit("train.csv", log, "logs.mercer");
        assert!(summary.contains("logarithmic            2 (strength from "), "{summary}");
        let found = desk.succeed(&["score", "logs.mercer", "new.csv", "--why"]);
        for name in
            ["spe", "t2", "abs_sum", "alarm", "why:temperature", "why:strength", "why:energy"]
        {
            let (found, expected) = (column(&found, name), column(&expected, name));
            let largest = expected.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-10 * largest;
            assert!(found.iter().zip(&expected).all(close), "{name}: {found:?} {expected:?}");
        }
    }
}

#[test]
fn the_automatic_rule_is_the_default_and_changes_nothing_where_it_takes_none() {
    let desk = desk();
    desk.succeed(&["fit", "train.csv", "--out", "default.mercer"]);
    desk.succeed(&["fit", "train.csv", "--log", "auto", "--out", "auto.mercer"]);
    assert_eq!(read(&desk, "default.mercer"), read(&desk, "auto.mercer"));
    let logs = json(&desk, "default.mercer")["logarithmic"].clone();
    let names: Vec<&str> =
        logs.as_array().unwrap().iter().map(|l| l["input"].as_str().unwrap()).collect();
    assert_eq!(names, ["strength", "energy"]);
    let strength = column(&table(0..80, false), "strength");
    let smallest = strength.into_iter().fold(f64::INFINITY, f64::min);
    assert_eq!(logs[0]["floor"].as_f64().unwrap() as f32, (smallest as f32) / 2.0);
    // Negative values: nothing to take a logarithm of.
    let circles = golden("circles_data_train.csv");
    for (log, model) in [("auto", "a.mercer"), ("none", "b.mercer")] {
        desk.succeed(&["fit", text(&circles), "--log", log, "--out", model]);
    }
    assert_eq!(read(&desk, "a.mercer"), read(&desk, "b.mercer"));
    assert!(!read(&desk, "a.mercer").contains("floor"));
    // Inputs as they are have none, either.
    for (log, model) in [("auto", "a.mercer"), ("none", "b.mercer")] {
        desk.succeed(&["fit", "train.csv", "--scale", "none", "--log", log, "--out", model]);
    }
    assert_eq!(read(&desk, "a.mercer"), read(&desk, "b.mercer"));
}

#[test]
fn a_report_names_them() {
    let desk = desk();
    desk.succeed(&["fit", "train.csv", "--out", "m.mercer"]);
    desk.succeed(&["report", "m.mercer", "new.csv", "--out", "r.html"]);
    let page = read(&desk, "r.html");
    assert!(page.contains("Of 2 inputs it takes the logarithm: strength from "), "{page}");
    desk.succeed(&["export", "m.mercer", "--rust", "m.rs", "--c", "m.h"]);
    for file in ["m.rs", "m.h"] {
        assert!(read(&desk, file).contains("of these it takes the logarithm: "), "{file}");
    }
}

#[test]
fn wishes_that_cannot_be_granted_are_refused_by_name() {
    let desk = desk();
    let refused = |options: &[&str]| {
        let error = desk.fail(&[&["fit", "train.csv", "--out", "m.mercer"], options].concat());
        assert!(!desk.path("m.mercer").exists());
        error
    };
    for (options, why) in [
        (["--log", "pressure"].as_slice(), "--log names pressure, which is no input"),
        (&["--log", "energy,energy"], "--log names energy twice"),
        (&["--log", "energy", "--scale", "none"], "--scale none takes inputs as they are"),
        (&["--log", "energy", "--drop", "energy"], "--log names energy, which is no input"),
    ] {
        let error = refused(options);
        assert!(error.contains(why), "{options:?}: {error}");
    }
    let rows = table(0..80, false);
    let (header, rows) = rows.split_once('\n').expect("a header");
    desk.write("train.csv", &format!("{header}\n{}", rows.replace(',', ",-")));
    let error = refused(&["--log", "strength"]);
    assert!(error.contains("train.csv: column strength has no value above 0"), "{error}");
}

#[test]
fn zeros_and_negative_readings_count_as_the_floor() {
    let desk = desk();
    desk.succeed(&["fit", "train.csv", "--out", "m.mercer"]);
    let floor = json(&desk, "m.mercer")["logarithmic"][0]["floor"].as_f64().unwrap() as f32;
    let rows = ["0", "-1", "1e-30", &format!("{floor:?}")].map(|x| format!("20,{x},40\n"));
    desk.write("low.csv", &format!("temperature,strength,energy\n{}", rows.concat()));
    let spe = column(&desk.succeed(&["score", "m.mercer", "low.csv"]), "spe");
    assert!(spe.iter().all(|&value| value == spe[0]), "{spe:?}");
}

#[test]
fn tune_searches_with_the_same_logarithms() {
    let desk = desk();
    let tune = |log: &[&str]| desk.succeed(&[&["tune", "train.csv"], log].concat());
    let (auto, none) = (tune(&[]), tune(&["--log", "none"]));
    let fit = |said: &str| said.lines().last().unwrap_or_default().to_string();
    assert!(!fit(&auto).contains("--log"), "{auto}");
    assert!(fit(&none).contains("--log none"), "{none}");
    let quality = |said: &str| said.lines().find(|line| line.starts_with('>')).map(String::from);
    assert_ne!(quality(&auto), quality(&none));
}
