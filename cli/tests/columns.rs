//! Columns that are no inputs, columns with odd names, and rows by number.

mod common;

use common::Desk;
use serde_json::Value;

const ROWS: usize = 60;

/// Two sensors.
fn sensors(i: usize) -> [f64; 2] {
    let t = i as f64;
    [(t * 0.7).sin(), (t * 0.7).sin() + 0.3 * (t * 2.3).cos()]
}

/// A file of two sensors, `a` and `b`, and another column.
fn with_column(name: &str, cell: impl Fn(usize) -> String) -> String {
    let mut csv = format!("{name},a,b\n");
    for i in 0..ROWS {
        let [a, b] = sensors(i);
        csv += &format!("{},{a:.6},{b:.6}\n", cell(i));
    }
    csv
}

/// Fits, and returns the inputs of the model and what was said.
fn fit(desk: &Desk, csv: &str, options: &[&str]) -> (Vec<String>, String) {
    desk.write("data.csv", csv);
    let output = desk.run(&[&["fit", "data.csv", "--out", "m.mercer"], options].concat());
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.success(), "{options:?}: {said}");
    let json = desk.succeed(&["inspect", "m.mercer", "--json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let inputs = json["inputs"].as_array().expect("a list").iter();
    (inputs.map(|name| name.as_str().expect("text").to_string()).collect(), said)
}

#[test]
fn clocks_counters_texts_labels_and_ids_are_left_out_with_a_note() {
    let desk = Desk::new();
    type Cell = fn(usize) -> String;
    let cases: [(&str, Cell); 16] = [
        ("n", |i| i.to_string()),
        ("n", |i| (987_654_321_012_u64 + i as u64 * 4096).to_string()),
        ("n", |i| (1_700_000_000_000_000_000_u64 + i as u64 * 20_000_000).to_string()),
        ("n", |i| format!("{}", 500 - i as i64)),
        ("sec", |i| format!("{:.3}", 0.02 * i as f64)),
        ("sec", |i| format!("{:.2}", i as f64 / 30.0)),
        ("sec", |i| format!("{}", 0.1_f32 * i as f32)),
        ("per recording", |i| (i % 20).to_string()),
        ("timestamp", |i| format!("{}", 100 + i * i)),
        ("when", |i| format!("2024-05-01T12:00:{i:02}Z")),
        ("when", |i| format!("01.05.2024 12:00:{i:02}")),
        ("state", |i| if i % 9 == 0 { "fault".into() } else { "ok".into() }),
        ("Zustand", |i| if i % 9 == 0 { "gestört".into() } else { String::new() }),
        ("label", |i| if i % 9 == 0 { "1" } else { "0" }.into()),
        ("Is Anomaly", |i| if i % 9 == 0 { "NaN".into() } else { "0".into() }),
        ("machine_id", |i| (17 + i % 3).to_string()),
    ];
    for (name, cell) in cases {
        let csv = with_column(name, cell);
        let (inputs, said) = fit(&desk, &csv, &[]);
        assert_eq!(inputs, ["a", "b"], "{name}: {said}");
        let quoted = if name.contains(' ') { format!("'{name}'") } else { name.into() };
        let keep = format!("--keep {quoted})");
        assert!(said.contains("note: no inputs: ") && said.contains(&keep), "{said}");
        // Ends of lines of Windows, a mark of the byte order, quotes: the same.
        let windows = format!("\u{feff}{}", csv.replace('\n', "\r\n"));
        assert_eq!(fit(&desk, &windows, &[]).0, ["a", "b"], "{name}");
        // With --columns, --drop or --keep nothing is left to be said.
        for options in [["--columns", "a,b"], ["--drop", name]] {
            let (inputs, said) = fit(&desk, &csv, &options);
            assert_eq!(inputs, ["a", "b"]);
            assert!(!said.contains("note"), "{options:?}: {said}");
        }
        if cell(1).parse::<f64>().is_ok_and(f64::is_finite) && cell(0) != "NaN" {
            let (inputs, said) = fit(&desk, &csv, &["--keep", name]);
            assert_eq!(inputs, [name, "a", "b"]);
            assert!(!said.contains("note"), "{said}");
        }
    }
}

#[test]
fn what_may_be_a_sensor_stays_with_a_note() {
    let desk = Desk::new();
    type Cell = fn(usize) -> String;
    let jitter = |i: usize| format!("{:.4}", i as f64 * 0.1 + 0.02 * ((i * 7) % 5) as f64);
    let cases: [(&str, Cell, &str); 4] = [
        ("level", |i| (i * i).to_string(), "level only rises (if not: --drop level)"),
        ("wear", |i| format!("{}", 9.0 / (i + 1) as f64), "wear only falls"),
        ("valve", |i| (i * 5 % 7 % 2).to_string(), "valve has two values"),
        ("elapsed", jitter, "elapsed only rises"),
    ];
    for (name, cell, told) in cases {
        let (inputs, said) = fit(&desk, &with_column(name, cell), &[]);
        assert_eq!(inputs, [name, "a", "b"], "{said}");
        assert!(said.contains("note: inputs, but are they sensors? "), "{said}");
        assert!(said.contains(told), "{said}");
    }
    let (inputs, said) = fit(&desk, &with_column("c", |i| sensors(i + 7)[1].to_string()), &[]);
    assert_eq!(inputs, ["c", "a", "b"]);
    assert!(!said.contains("note"), "{said}");
}

/// What the issue was: a clock as an input makes whatever comes later unusual.
#[test]
fn a_clock_raises_no_false_alarms() {
    let desk = Desk::new();
    let rows = |from: usize, to: usize| {
        let row = |i: usize| format!("{i},{:.6},{:.6}\n", sensors(i)[0], sensors(i)[1]);
        format!("time,a,b\n{}", (from..to).map(row).collect::<String>())
    };
    desk.write("later.csv", &rows(400, 600));
    let unusual = |options: &[&str]| {
        fit(&desk, &rows(0, 400), options);
        let json = desk.succeed(&["eval", "m.mercer", "later.csv", "--json"]);
        let json: Value = serde_json::from_str(&json).expect("JSON");
        json["unusual_normal"]["value"].as_f64().expect("a share")
    };
    assert!(unusual(&[]) < 0.15, "{}", unusual(&[]));
    assert!(unusual(&["--keep", "time"]) > 0.5, "{}", unusual(&["--keep", "time"]));
}

#[test]
fn all_commands_that_choose_inputs_choose_the_same() {
    let desk = Desk::new();
    let mut csv = String::from("n,when,a,state,b\n");
    for i in 0..600 {
        let ([a, b], state) = (sensors(i), if i % 100 > 95 { "bad" } else { "ok" });
        let b = if state == "bad" { b + 4.0 } else { b };
        csv += &format!("{},2024-01-01T{i},{a:.5},{state},{b:.5}\n", 5000 + i);
    }
    desk.write("data.csv", &csv);
    let features = desk.run(&["features", "data.csv", "--window", "16", "--features", "mean"]);
    let header = String::from_utf8(features.stdout).unwrap();
    assert!(header.starts_with("row,a_mean,b_mean\n"), "{}", &header[..40]);
    assert!(String::from_utf8(features.stderr).unwrap().contains("--keep n,when,state"));
    let window = ["--window", "16", "--features", "mean,logstd"];
    for front in [[].as_slice(), &window] {
        let fit = [&["fit", "data.csv", "--label", "state", "--out", "m.mercer"], front].concat();
        let output = desk.run(&fit);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && said.contains("--keep n,when)"), "{said}");
        let tune = desk.run(&[&["tune", "data.csv", "--label", "state"], front].concat());
        let told = String::from_utf8(tune.stderr).unwrap();
        assert!(tune.status.success() && told.contains("--keep n,when)"), "{told}");
        assert_eq!(told.matches("no inputs").count(), 1, "said once: {told}");
        // Whatever stands in the other columns, models take their own.
        for command in [
            ["score", "m.mercer", "data.csv"].as_slice(),
            &["project", "m.mercer", "data.csv"],
            &["eval", "m.mercer", "data.csv", "--label", "state"],
            &["report", "m.mercer", "data.csv", "--out", "r.html"],
        ] {
            let output = desk.run(command);
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.success() && !said.contains("note"), "{command:?}: {said}");
        }
        // The line that tune prints fits the rows that it has looked at.
        let printed = String::from_utf8(tune.stdout).unwrap();
        let line = printed.lines().last().expect("a line");
        assert!(line.contains("--label state"), "{line}");
        let words: Vec<&str> = line.split(' ').skip(1).collect();
        desk.succeed(&words);
    }
}

#[test]
fn only_normal_rows_are_learned_from() {
    let desk = Desk::new();
    let csv = with_column("state", |i| if i % 10 == 3 { "bad" } else { "ok" }.into());
    let samples = |options: &[&str]| {
        fit(&desk, &csv, options);
        let json = desk.succeed(&["inspect", "m.mercer", "--json"]);
        serde_json::from_str::<Value>(&json).unwrap()["samples"].as_u64()
    };
    assert_eq!(samples(&[]), Some(60));
    assert_eq!(samples(&["--label", "state"]), Some(54));
    assert_eq!(samples(&["--label", "state", "--normal", "ok", "--normal", "bad"]), Some(60));
    let where_ok = std::fs::read(desk.path("m.mercer")).unwrap();
    fit(&desk, &csv, &["--where", "state=ok"]);
    assert_ne!(where_ok, std::fs::read(desk.path("m.mercer")).unwrap());
    let by_where = std::fs::read(desk.path("m.mercer")).unwrap();
    fit(&desk, &csv, &["--label", "state"]);
    assert_eq!(by_where, std::fs::read(desk.path("m.mercer")).unwrap(), "the same rows");
    let error =
        desk.fail(&["fit", "data.csv", "--label", "state", "--normal", "fine", "--out", "x"]);
    assert!(error.contains("no row is normal by column state, which has bad, ok"), "{error}");
    let error = desk.fail(&["fit", "data.csv", "--label", "nowhere", "--out", "x"]);
    assert!(error.contains("there is no column \"nowhere\""), "{error}");
}

#[test]
fn odd_names_can_be_named() {
    let desk = Desk::new();
    let mut csv = String::from("\"p, in\",\"say \"\"hi\"\"\",a=b,größe °C,plain\n");
    for i in 0..ROWS {
        let cells: Vec<String> = (0..5).map(|k| format!("{:.5}", sensors(i + 11 * k)[1])).collect();
        csv += &format!("{}\n", cells.join(","));
    }
    let all = ["p, in", "say \"hi\"", "a=b", "größe °C", "plain"];
    assert_eq!(fit(&desk, &csv, &[]).0, all);
    let named = |options: &[&str]| fit(&desk, &csv, options).0;
    assert_eq!(named(&["--columns", "p, in"]), ["p, in"], "as a whole");
    assert_eq!(named(&["--columns", "plain,\"p, in\""]), ["plain", "p, in"], "in quotes");
    assert_eq!(named(&["--columns", "plain", "--columns", "p, in"]), ["plain", "p, in"]);
    assert_eq!(named(&["--columns", "\"say \"\"hi\"\"\",größe °C"]), ["say \"hi\"", "größe °C"]);
    assert_eq!(named(&["--drop", "\"p, in\",a=b"]), ["say \"hi\"", "größe °C", "plain"]);
    assert_eq!(named(&["--log", "none", "--drop", "p, in"])[0], "say \"hi\"");
    let first = csv.lines().nth(1).unwrap().split(',').nth(2).unwrap();
    let error = desk.fail(&["fit", "data.csv", "--where", &format!("a=b={first}"), "--out", "x"]);
    assert!(error.contains("1 rows are too few"), "the row is found: {error}");
    let error = desk.fail(&["fit", "data.csv", "--columns", "plain,p, in", "--out", "x"]);
    assert!(error.contains("there is no column \"p\""), "{error}");
    // And repeated.
    desk.succeed(&["fit", "data.csv", "--columns", "plain", "--out", "m.mercer"]);
    let scored = desk.succeed(&["score", "m.mercer", "data.csv", "--with", "p, in"]);
    assert!(scored.starts_with("row,\"p, in\",spe,"), "{scored}");
}

#[test]
fn rows_are_chosen_by_ranges_or_by_files() {
    let desk = Desk::new();
    let csv = with_column("state", |_| "ok".into());
    fit(&desk, &csv, &["--where", "state=ok"]);
    desk.write("rows.txt", "0-2, 7\n58-\n");
    let rows = |option: &str, list: &str| {
        let scored = desk.succeed(&["score", "m.mercer", "data.csv", option, list]);
        let number = |line: &str| line.split(',').next().unwrap().parse::<u64>().unwrap();
        scored.lines().skip(1).map(number).collect::<Vec<_>>()
    };
    assert_eq!(rows("--rows", "0-2,7,58-"), [0, 1, 2, 7, 58, 59]);
    assert_eq!(rows("--rows", "rows.txt"), [0, 1, 2, 7, 58, 59]);
    assert_eq!(rows("--rows", "59"), [59]);
    assert_eq!(rows("--skip-rows", "1-58"), [0, 59]);
    assert_eq!(rows("--skip-rows", "2-"), [0, 1]);
    for (list, why) in [
        ("0-60", "there is no row 60, only 60 rows"),
        ("60-", "there is no row 60"),
        ("5,4-6", "row 5 again"),
        ("7-3", "\"7-3\" is not a row number"),
        ("none.txt", "none.txt"),
    ] {
        let output = desk.run(&["score", "m.mercer", "data.csv", "--rows", list]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{list}: {said}");
        assert!(said.contains(why), "{list}: {said}");
    }
}

#[test]
fn a_time_or_an_id_goes_along_with_the_scores() {
    let desk = Desk::new();
    let csv = with_column("when", |i| format!("12:00:{i:02}"));
    fit(&desk, &csv, &[]);
    let scored = desk.succeed(&["score", "m.mercer", "data.csv", "--with", "when,b", "--why"]);
    let lines: Vec<&str> = scored.lines().collect();
    assert!(lines[0].starts_with("row,when,b,spe,t2,abs_sum,unusual,alarm,"), "{}", lines[0]);
    assert!(lines[0].ends_with(",why:a,why:b"), "{}", lines[0]);
    assert!(lines[8].starts_with("7,12:00:07,"), "{}", lines[8]);
    let projected = desk.succeed(&["project", "m.mercer", "data.csv", "--with", "when"]);
    assert!(projected.lines().nth(3).unwrap().starts_with("2,12:00:02,"), "{projected}");
    let error = desk.fail(&["score", "m.mercer", "data.csv", "--with", "nowhere"]);
    assert!(error.contains("there is no column \"nowhere\""), "{error}");
    // Of a window, that of its first row.
    let fit = ["fit", "data.csv", "--window", "4", "--out", "w.mercer", "--features", "mean,std"];
    desk.succeed(&fit);
    let scored = desk.succeed(&["score", "w.mercer", "data.csv", "--with", "when"]);
    assert!(scored.lines().nth(2).unwrap().starts_with("2,12:00:02,"), "{scored}");
}

#[test]
fn a_file_without_any_input_says_why() {
    let desk = Desk::new();
    for (csv, why) in [
        ("n\n1\n2\n3\n4\n5\n6\n7\n8\n9\n", "n: a clock or counter, +1 from row to row"),
        ("state\nok\nok\n", "state: text, such as \"ok\""),
        ("a\n", "no rows below the header"),
        ("", "the file is empty"),
    ] {
        desk.write("data.csv", csv);
        let error = desk.fail(&["fit", "data.csv", "--out", "m.mercer"]);
        assert!(error.contains(why), "{csv:?}: {error}");
    }
    // One column of a sensor is enough.
    let one: String = (0..ROWS).map(|i| format!("{}\n", sensors(i)[1])).collect();
    assert_eq!(fit(&desk, &format!("a\n{one}"), &[]).0, ["a"]);
}
