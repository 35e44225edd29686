//! What one expects of any command: what goes where, help, completions, manual, exit codes.

mod common;

use std::fs;

use common::Desk;
use serde_json::Value;

fn wave(i: usize) -> [f64; 2] {
    let t = i as f64;
    [(t * 0.7).sin(), (t * 0.7).sin() + 0.3 * (t * 2.3).cos()]
}

fn csv(rows: std::ops::Range<usize>) -> String {
    let row = |i: usize| format!("{i},{:.5},{:.5}\n", wave(i)[0], wave(i)[1]);
    format!("time,a,b\n{}", rows.map(row).collect::<String>())
}

fn fitted() -> Desk {
    let desk = Desk::new();
    desk.write("data.csv", &csv(0..200));
    desk.succeed(&["fit", "data.csv", "-o", "m.mercer"]);
    desk
}

/// Names of all commands, as the help lists them.
fn commands(desk: &Desk) -> Vec<String> {
    let help = desk.succeed(&["--help"]);
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    let names = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !name.is_empty() && *name != "help").map(String::from).collect()
}

/// Neighbouring rows are alike, of which a fit warns.
fn slow() -> Desk {
    let desk = Desk::new();
    let row = |i: usize| {
        let t = i as f64 * 0.05;
        format!("{i},{:.5},{:.5}\n", t.sin(), t.sin() + 0.3 * (t * 0.37).cos())
    };
    desk.write("data.csv", &format!("time,a,b\n{}", (0..200).map(row).collect::<String>()));
    desk.succeed(&["fit", "data.csv", "-o", "m.mercer"]);
    desk
}

#[test]
fn warnings_and_notes_are_on_standard_error_alone() {
    let desk = slow();
    for command in [["fit", "data.csv", "-o", "n.mercer"].as_slice(), &["inspect", "m.mercer"]] {
        let output = desk.run(command);
        let [out, err] = [output.stdout, output.stderr].map(|b| String::from_utf8(b).unwrap());
        assert!(!out.contains("warning") && !out.contains("note:"), "{out}");
        assert!(err.contains("mercer: warning: "), "neighbours are alike: {err}");
        assert!(err.lines().all(|line| line.starts_with("mercer: ")), "{err}");
    }
}

#[test]
fn quiet_leaves_results_warnings_and_errors() {
    let desk = slow();
    let output = desk.run(&["fit", "data.csv", "-o", "n.mercer", "--quiet"]);
    assert!(output.status.success() && output.stdout.is_empty());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("warning: ") && !said.contains("note: "), "{said}");
    assert!(!desk.succeed(&["score", "m.mercer", "data.csv", "-q"]).is_empty());
    assert!(!desk.succeed(&["-q", "eval", "m.mercer", "data.csv"]).is_empty(), "before it, too");
    assert!(desk.fail(&["score", "m.mercer", "none.csv", "-q"]).contains("none.csv"));
}

#[test]
fn colours_are_for_terminals_or_whoever_asks() {
    let desk = slow();
    let fit = ["fit", "data.csv", "-o", "n.mercer", "--color"];
    let said = |when: &str, no_color: bool| {
        let mut command = desk.command(&[&fit[..], &[when]].concat());
        command.env_remove("NO_COLOR");
        if no_color {
            command.env("NO_COLOR", "1");
        }
        String::from_utf8(command.output().unwrap().stderr).unwrap()
    };
    assert!(said("always", false).contains("\x1b[1;33mmercer: warning: \x1b[0m"));
    assert!(said("always", true).contains("\x1b[1;36mmercer: note: \x1b[0m"), "asked for");
    for (when, no_color) in [("auto", false), ("auto", true), ("never", false)] {
        assert!(!said(when, no_color).contains('\x1b'), "a pipe has none: {when}");
    }
    assert!(desk.succeed(&["fit", "--help", "--color", "always"]).contains('\x1b'));
    assert!(!desk.succeed(&["fit", "--help"]).contains('\x1b'));
}

#[test]
fn scores_go_to_a_file_whole_or_not_at_all() {
    let desk = fitted();
    let expected = desk.succeed(&["score", "m.mercer", "data.csv", "--with", "time"]);
    let written = ["score", "m.mercer", "data.csv", "--with", "time", "-o", "scores.csv"];
    assert_eq!(desk.succeed(&written), "");
    assert_eq!(fs::read_to_string(desk.path("scores.csv")).unwrap(), expected);
    desk.write("bad.csv", "a,b\n1,2\n1,x\n");
    let error = desk.fail(&["score", "m.mercer", "bad.csv", "-o", "scores.csv"]);
    assert!(error.contains("bad.csv:3:2:"), "{error}");
    assert_eq!(fs::read_to_string(desk.path("scores.csv")).unwrap(), expected, "as it was");
    let error = desk.fail(&["score", "m.mercer", "data.csv", "-o", "data.csv"]);
    assert!(error.contains("is read, so it cannot be written"), "{error}");
    assert!(desk.files().iter().all(|name| !name.ends_with(".part")), "{:?}", desk.files());
    desk.succeed(&["project", "m.mercer", "data.csv", "-o", "f.csv"]);
    desk.succeed(&["features", "data.csv", "--window", "8", "-o", "w.csv"]);
    assert!(fs::read_to_string(desk.path("w.csv")).unwrap().starts_with("row,a_mean"));
}

#[test]
fn lines_of_json_say_what_csv_says() {
    let desk = fitted();
    let mut lines = csv(0..30);
    lines = lines.replace("\n7,", "\n7,\"x\"\n8,").replace(",\"x\"", ",9,-9");
    desk.write("new.csv", &lines);
    let options =
        ["score", "m.mercer", "new.csv", "--with", "time", "--why", "--missing", "impute"];
    let (csv, json) = (desk.succeed(&options), desk.succeed(&[&options[..], &["--json"]].concat()));
    let names: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    assert_eq!(csv.lines().count(), json.lines().count() + 1);
    let mut blamed = 0;
    for (cells, object) in csv.lines().skip(1).zip(json.lines()) {
        let object: Value = serde_json::from_str(object).expect("one object a line");
        let object = object.as_object().unwrap();
        assert_eq!(object.len(), names.len());
        for (name, cell) in names.iter().zip(cells.split(',')) {
            match &object[*name] {
                Value::Number(number) => {
                    assert_eq!(number.as_f64(), cell.parse().ok(), "{name}");
                }
                Value::Bool(yes) => assert_eq!(cell, if *yes { "1" } else { "0" }),
                Value::Null => assert_eq!(cell, "", "{name}"),
                Value::Array(list) => assert_eq!(cell.is_empty(), list.is_empty()),
                Value::String(text) => assert_eq!(cell, text),
                other => panic!("{name}: {other}"),
            }
        }
        blamed += usize::from(object["suspect"].is_string());
    }
    assert!(blamed > 0, "{csv}");
    let first: Value = serde_json::from_str(
        desk.succeed(&["project", "m.mercer", "new.csv", "--json"]).lines().next().unwrap(),
    )
    .unwrap();
    assert!(first["f0"].is_number());
}

#[test]
fn commands_are_listed_in_the_order_of_use_and_have_examples() {
    let desk = Desk::new();
    let commands = commands(&desk);
    let place = |name: &str| commands.iter().position(|known| known == name).unwrap();
    let order =
        ["demo", "features", "tune", "fit", "calibrate", "eval", "score", "report", "export"];
    assert!(order.windows(2).all(|pair| place(pair[0]) < place(pair[1])), "{commands:?}");
    for command in &commands {
        for help in ["--help", "-h"] {
            let text = desk.succeed(&[command, help]);
            assert!(text.contains("Examples:\n  "), "{command} {help}: {text}");
            assert!(text.split("Examples:").nth(1).unwrap().contains(&format!("mercer {command}")));
        }
    }
    let help = desk.succeed(&["--help"]);
    for word in
        ["SPE (spe)", "T² (t2)", "Σ|f| (abs_sum)", "landmarks ", "components ", "Exit codes:"]
    {
        assert!(help.contains(word), "{word}: {help}");
    }
    assert!(desk.succeed(&["-h"]).contains("Exit codes: "));
}

/// Options of examples exist: all that can be read by clap is read by it.
#[test]
fn examples_are_understood() {
    let desk = Desk::new();
    for command in commands(&desk) {
        let help = desk.succeed(&[&command, "--help"]);
        let examples = help.split("Examples:\n").nth(1).expect("examples").lines();
        let is_example = |line: &&str| line.starts_with("  ") && line.contains("mercer ");
        for line in examples.filter(is_example) {
            let line = line.split(" > ").next().unwrap().split("| ").last().unwrap();
            let words: Vec<&str> = line.trim().split(' ').skip(1).collect();
            if ["demo", "man", "completions"].contains(&words[0]) {
                continue;
            }
            let output = desk.run(&words);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!said.contains("Usage:") && !said.contains("unexpected"), "{line}: {said}");
        }
    }
}

#[test]
fn shells_and_the_manual_know_all_commands() {
    let desk = Desk::new();
    let commands = commands(&desk);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = desk.succeed(&["completions", shell]);
        assert!(commands.iter().all(|name| script.contains(name.as_str())), "{shell}");
        assert!(script.contains("per-day") && script.contains("missing"), "{shell}");
    }
    desk.succeed(&["man", "-o", "pages/man1"]);
    let page = |name: &str| fs::read_to_string(desk.path("pages/man1").join(name)).expect(name);
    assert!(page("mercer.1").contains("Exit codes"));
    for name in &commands {
        let text = page(&format!("mercer-{name}.1"));
        assert!(text.contains("Examples"), "{name}: {text}");
    }
    assert!(page("mercer-import-sklearn.1").contains("scikit"));
    assert!(!desk.run(&["completions", "tcsh"]).status.success());
}

#[test]
fn false_alarms_are_told_per_day() {
    let desk = fitted();
    desk.write("later.csv", &csv(300..500));
    let eval = ["eval", "m.mercer", "later.csv", "--timeline"];
    let json = |more: &[&str]| -> Value {
        serde_json::from_str(&desk.succeed(&[&eval[..], more, &["--json"]].concat())).unwrap()
    };
    let plain = json(&[]);
    assert!(plain.get("readings_per_day").is_none());
    let daily = json(&["--per-day", "--rate", "1/60"]);
    assert_eq!(daily["readings_per_day"], 1440.0);
    let share = plain["unusual_normal"]["value"].as_f64().unwrap();
    assert_eq!(daily["unusual_normal_per_day"].as_f64(), Some(share * 1440.0));
    let words = desk.succeed(&[&eval[..], &["--per-day", "--rate", "10"]].concat());
    assert!(words.matches(" a day").count() == 2, "{words}");
    for command in
        [&eval[..], &["fit", "data.csv", "-o", "n.mercer"], &["calibrate", "m.mercer", "later.csv"]]
    {
        let error = desk.fail(&[command, &["--per-day"]].concat());
        assert!(error.contains("--rate HZ"), "{error}");
        let told = desk.succeed(&[command, &["--per-day", "--rate", "2"]].concat());
        assert!(told.contains("a day"), "{command:?}: {told}");
    }
    // A model of raw samples knows its rate: 8 rows a reading, 16 a second.
    let fit = [
        "fit",
        "data.csv",
        "--window",
        "16",
        "--hop",
        "8",
        "--rate",
        "16",
        "--features",
        "mean,std",
        "--force",
    ];
    desk.succeed(&[&fit[..], &["-o", "w.mercer", "--per-day"]].concat());
    let json = desk.succeed(&["eval", "w.mercer", "later.csv", "--per-day", "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["readings_per_day"], 2.0 * 86_400.0);
}

/// Three machines whose rows alternate, each with a counter of its own.
fn fleet(last: impl Fn(usize) -> String) -> String {
    let mut text = String::from("machine,n,a,b\n");
    for i in 0..100 {
        for machine in ["A 1", "B/2"] {
            let [a, b] = wave(i + machine.len());
            text += &format!("{machine},{},{a:.5},{b:.5}\n", 70 + i);
        }
        text += &format!("c,{i},{}\n", last(i));
    }
    text
}

#[test]
fn each_machine_has_a_model_of_its_own() {
    let desk = Desk::new();
    let usual = |i: usize| format!("{:.5},{:.5}", wave(i)[0], wave(i)[1]);
    desk.write("fleet.csv", &fleet(usual));
    let table = desk.succeed(&["fit", "fleet.csv", "--each", "machine", "--out", "models"]);
    assert_eq!(common::files(&desk.path("models")), ["A_1.mercer", "B_2.mercer", "c.mercer"]);
    assert_eq!(table.lines().count(), 4, "{table}");
    // The same bits as a fit to the rows of one machine alone.
    let alone: String = fleet(usual)
        .lines()
        .filter(|line| line.starts_with("machine") || line.starts_with("A 1"))
        .map(|line| format!("{line}\n"))
        .collect();
    desk.write("alone.csv", &alone);
    for front in [[].as_slice(), &["--window", "8", "--features", "mean,std"]] {
        let each = ["fit", "fleet.csv", "--each", "machine", "--out", "models"];
        desk.succeed(&[&each[..], front].concat());
        desk.succeed(
            &[&["fit", "alone.csv", "--drop", "machine", "--out", "alone.mercer"], front].concat(),
        );
        let facts = |path: &str| {
            let json = desk.succeed(&["inspect", path, "--json"]);
            let json: Value = serde_json::from_str(&json).unwrap();
            (
                json["inputs"].clone(),
                json["samples"].clone(),
                json["eigenvalues"].clone(),
                json["threshold"].clone(),
            )
        };
        assert_eq!(facts("models/A_1.mercer"), facts("alone.mercer"), "{front:?}");
    }
}

#[test]
fn one_bad_machine_fails_alone() {
    let desk = Desk::new();
    desk.write(
        "fleet.csv",
        &fleet(|i| if i == 50 { "x,1".into() } else { format!("{},{}", wave(i)[0], wave(i)[1]) }),
    );
    let each = ["fit", "fleet.csv", "--each", "machine", "--out", "models"];
    let output = desk.run(&each);
    assert_eq!(output.status.code(), Some(1));
    let [table, said] = [output.stdout, output.stderr].map(|b| String::from_utf8(b).unwrap());
    assert!(table.contains("not fitted: c: fleet.csv:154:3: \"x\" is not a number"), "{table}");
    assert!(said.contains("1 of 3 models could not be fitted"), "{said}");
    assert_eq!(common::files(&desk.path("models")), ["A_1.mercer", "B_2.mercer"]);
    // None at all is as bad as bad input.
    desk.write("short.csv", "machine,a\nA,1\nB,2\n");
    let error = desk.fail(&["fit", "short.csv", "--each", "machine", "--out", "none"]);
    assert!(error.contains("none of 2 models could be fitted"), "{error}");
    let error = desk.fail(&["fit", "fleet.csv", "--each", "nowhere", "--out", "none"]);
    assert!(error.contains("there is no column \"nowhere\""), "{error}");
    let error = desk.fail(&["fit", "-", "--each", "machine", "--out", "none"]);
    assert!(error.contains("name a file"), "{error}");
}
