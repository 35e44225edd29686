//! Files from strangers: through every door, names do nothing and numbers are checked.

mod common;
#[path = "../../tests/faults/mod.rs"]
mod faults;

use std::cell::Cell;
use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use common::hostile::{
    HOSTILE, assert_harmless, assert_visible, hostile_cell, mended, plain_json, with_field,
};
use common::{Desk, fail, root, text};
use serde_json::{Value, json};

/// Rows of as many inputs as there are hostile names, with a hostile label.
fn rows(count: usize) -> String {
    let names: Vec<String> = HOSTILE.iter().map(|name| hostile_cell(name)).collect();
    let mut csv = format!("{},\"la\x1b[1mbel\"\n", names.join(","));
    for row in 0..count {
        for i in 0..names.len() {
            csv += &format!("{},", ((row + 1) * (i + 3)) % (7 + i));
        }
        let label = if row % 3 == 0 { HOSTILE[row % HOSTILE.len()] } else { "0" };
        csv += &format!("{}\n", hostile_cell(label));
    }
    csv
}

const LABEL: &str = "la\x1b[1mbel";

/// Everything that can be asked of a model prints and writes harmless text.
fn ask_everything(desk: &Desk, model: &str) {
    let commands: [&[&str]; 12] = [
        &["score", model, "rows.csv"],
        &["score", model, "rows.csv", "--why"],
        &["project", model, "rows.csv"],
        &["inspect", model],
        &["inspect", model, "--json"],
        &["eval", model, "rows.csv", "--label", LABEL, "--timeline"],
        &["eval", model, "rows.csv", "--label", LABEL, "--timeline", "--json"],
        &["report", model, "rows.csv", "--label", LABEL, "--time", LABEL, "--out", "r.html"],
        &["report", model, "rows.csv", "--time", HOSTILE[2], "--out", "t.html"],
        &["export", model, "--rust", "m.rs", "--c", "m.h", "--bin", "m.bin"],
        &["export", model, "--rust", "q.rs", "--quantised"],
        &["export", model, "--rust", "f.rs", "--name", "fn"],
    ];
    for arguments in commands {
        let output = desk.run(arguments);
        let (said, printed) = (assert_harmless(&output.stderr), assert_harmless(&output.stdout));
        assert!(output.status.success(), "{arguments:?}: {said}");
        assert!(!printed.is_empty(), "{arguments:?}");
        if arguments.contains(&"--json") {
            serde_json::from_str::<Value>(printed).expect("JSON");
        }
    }
    for file in ["r.html", "t.html"] {
        let page = fs::read(desk.path(file)).expect("the page");
        // It has one script, its own, at its end.
        let (page, _) = assert_visible(&page).rsplit_once("<script>").expect("its script");
        for markup in ["<script", "<img", "</title><", "onload=\"", "onerror=injected()>"] {
            assert!(!page.contains(markup), "{file}: {markup}");
        }
    }
}

#[test]
fn names_of_a_csv_do_nothing() {
    let desk = Desk::new();
    desk.write("rows.csv", &rows(80));
    let fit = ["fit", "rows.csv", "--drop", LABEL, "--out", "m.mercer"];
    assert_harmless(&desk.run(&fit).stdout);
    let model = fs::read(desk.path("m.mercer")).expect("the model");
    assert_visible(&model);
    ask_everything(&desk, "m.mercer");
    let facts = desk.succeed(&["inspect", "m.mercer", "--json"]);
    let facts: Value = serde_json::from_str(&facts).expect("JSON");
    assert_eq!(facts["inputs"], json!(HOSTILE), "as they are, for a program");
    let tuned = desk.run(&["tune", "rows.csv", "--drop", LABEL]);
    assert!(tuned.status.success());
    assert_harmless(&tuned.stdout);
}

#[test]
fn errors_about_hostile_names_do_nothing() {
    let desk = Desk::new();
    desk.write("rows.csv", &rows(80));
    desk.succeed(&["fit", "rows.csv", "--drop", LABEL, "--out", "m.mercer"]);
    desk.write("other.csv", "a,b\n1,2\n");
    let csv = rows(80);
    let (header, body) = csv.split_at(csv.find("\"\n3,").expect("the end of the header") + 2);
    desk.write(
        "cell.csv",
        &format!("{header}{}", body.replacen("3,", "\"\x1b[31m\rx\u{202e}\",", 1)),
    );
    desk.write("short.csv", &format!("{header}1,2\n"));
    desk.write("twice.csv", "\"\x1b[2J\",\"\x1b[2J\"\n1,2\n");
    desk.write("rows.txt", "0 \x1b[2Jone");
    desk.write("words\x1b[2J.csv", "a,b\n1,x\n");
    for arguments in [
        ["score", "m.mercer", "other.csv"].as_slice(),
        &["score", "m.mercer", "cell.csv"],
        &["score", "m.mercer", "short.csv"],
        &["fit", "cell.csv", "--out", "n.mercer"],
        &["fit", "twice.csv", "--out", "n.mercer"],
        &["fit", "rows.csv", "--drop", LABEL, "--rows", "rows.txt", "--out", "n.mercer"],
        &["fit", "words\x1b[2J.csv", "--out", "n.mercer"],
        &["eval", "m.mercer", "rows.csv", "--label", LABEL, "--normal", "none"],
        &["score", "none\x1b[2J.mercer", "rows.csv"],
    ] {
        let output = desk.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = assert_harmless(&output.stderr);
        let is_note = |line: &&str| line.starts_with("mercer: note: ");
        assert_eq!(said.lines().filter(|line| !is_note(line)).count(), 1, "{said}");
    }
    // Wrong options are the shell's business, but a shell may have taken them from a folder.
    let output = desk.run(&["score", "m.mercer", "rows.csv", "\x1b[2Jthird.csv"]);
    assert_eq!(output.status.code(), Some(2));
    assert_harmless(&output.stderr);
}

#[test]
fn texts_of_a_model_do_nothing() {
    let desk = Desk::new();
    desk.write("rows.csv", &rows(80));
    desk.succeed(&["fit", "rows.csv", "--drop", LABEL, "--out", "m.mercer"]);
    let model = fs::read_to_string(desk.path("m.mercer")).expect("the model");
    let warnings = plain_json(&json!(HOSTILE));
    desk.write("forged.mercer", &mended(&with_field(&model, "warnings", &warnings)));
    ask_everything(&desk, "forged.mercer");
    for text in HOSTILE {
        let why = plain_json(&json!(text));
        let mut forged = with_field(&model, "refused", &why);
        for (field, value) in [
            ("false_alarms", "null"),
            ("alarms", "null"),
            ("threshold_spe", "0.0"),
            ("usual_spe", "0.0"),
        ] {
            forged = with_field(&forged, field, value);
        }
        desk.write("refused.mercer", &mended(&forged));
        let output = desk.run(&["score", "refused.mercer", "rows.csv"]);
        let said = assert_harmless(&output.stderr);
        assert!(output.status.success() && said.lines().count() == 1, "{said}");
    }
}

/// A small model in double precision, whose numbers JSON shows as they are.
fn small() -> (Desk, String) {
    let desk = Desk::new();
    let rows: String = (0..40_u32)
        .map(|i| format!("{},{}\n", i % 7, f64::from(i % 5) + 0.1 * f64::from(i % 3)))
        .collect();
    desk.write("rows.csv", &format!("a,b\n{rows}"));
    let fit = ["fit", "rows.csv", "--out", "m.mercer", "--precision", "f64", "--landmarks", "4"];
    desk.succeed(&[fit.as_slice(), &["--components", "2"]].concat());
    let model = fs::read_to_string(desk.path("m.mercer")).expect("the model");
    (desk, model)
}

#[test]
fn the_checksum_covers_every_field() {
    let (desk, model) = small();
    assert_eq!(mended(&model), model, "computed as docs/MODEL_FILE.md says");
    let mut changed = 0;
    for line in model.lines().filter(|line| line.contains("\": ")) {
        let (field, value) = line.trim().split_once("\": ").expect("a field");
        let value = value.trim_end_matches(',');
        let other = match value {
            "{" => continue,
            "true" => "false".into(),
            "false" => "true".into(),
            "null" => "\"learned elsewhere\"".into(),
            "[]" => "[\"none\"]".into(),
            "\"contiguous\"" => "\"interleaved\"".into(),
            "\"spe\"" => "\"both\"".into(),
            "\"f64\"" => "\"f32\"".into(),
            // Of a number, a name or a list, another digit or letter.
            text => match text.rfind(['1', '2', '3', '4', '5', '6', '7', '8', 'b', 'r']) {
                Some(at) => format!("{}9{}", &text[..at], &text[at + 1..]),
                None => continue,
            },
        };
        let altered = with_field(&model, &field[1..], &other);
        assert_ne!(altered, model);
        desk.write("altered.mercer", &altered);
        let error = desk.fail(&["inspect", "altered.mercer"]);
        let known = [
            "altered: it does not match its checksum",
            "not a model",
            "not a valid model",
            "version",
        ];
        assert!(known.iter().any(|known| error.contains(known)), "{field}: {error}");
        changed += 1;
    }
    assert!(changed >= 24, "{changed} fields");
    let fault = "fields of a model file changed, and its checksum not";
    faults::record(14, fault, changed, changed, "-p mercer-cli --test hostile");
}

/// Inserts a front end into a model that has none.
fn with_front_end(model: &str, front_end: &str) -> String {
    model.replacen("  \"columns\": ", &format!("  \"front_end\": {front_end},\n  \"columns\": "), 1)
}

/// Front ends that no fit writes, and what is wrong with them.
fn forged_front_ends() -> Vec<(String, &'static str)> {
    let long_memory = format!("[{}]", vec![r#""ma65535""#; 40].join(","));
    let right = [
        ("channels", r#"["a","b"]"#),
        ("window", "64"),
        ("hop", "32"),
        ("features", r#"["mean"]"#),
        ("floor", "1e-9"),
    ];
    let written = |fields: &[(&str, &str)]| {
        let lines: Vec<String> =
            fields.iter().map(|(name, value)| format!("    \"{name}\": {value}")).collect();
        format!("{{\n{}\n  }}", lines.join(",\n"))
    };
    // In the order in which they are written, or the checksum is another one.
    let changed = |name: &str, value: &str| {
        let mut fields = right.to_vec();
        match fields.iter_mut().find(|(known, _)| *known == name) {
            Some(field) => field.1 = value,
            None => fields.push((name, value)),
        }
        written(&fields)
    };
    let mut forged = vec![
        // Readings of it are called a_mean and b_mean, the columns are not.
        (written(&right), "columns are not what the front end makes"),
        (written(&right[1..]), "missing field"),
    ];
    for (name, value, why) in [
        ("channels", "[]", "no channels"),
        ("window", "0", "window and hop must be"),
        ("window", "18446744073709551615", "window and hop must be"),
        ("hop", "0", "window and hop must be"),
        ("window", "-1", "not a valid model"),
        ("features", "[]", "at least one"),
        ("features", r#"["mean","mean"]"#, "different"),
        ("features", r#"["*/ int injected(void);"]"#, "not a valid model"),
        ("features", r#"["bands256"]"#, "not a valid model"),
        ("floor", "0.0", "floor must be"),
        ("floor", "1e999", "not a valid model"),
        ("scales", "[1.0,1.0,1.0]", "units must be"),
        ("scales", "[0.0]", "units must be"),
        ("operators", r#"["lag65535","lag65535","lag65535","lag65535","lag65535"]"#, "inputs"),
        ("operators", &long_memory, "remember"),
        ("rate", "-1.0", "the rate must be"),
        ("extra", "1", "unknown field"),
    ] {
        forged.push((changed(name, value), why));
    }
    forged
}

#[test]
fn every_field_is_checked_even_if_the_checksum_is_right() {
    let (desk, model) = small();
    let tried = Cell::new(0);
    let refused = |content: &str, what: &str, why: &str| {
        tried.set(tried.get() + 1);
        desk.write("bad.mercer", content);
        for command in [
            ["score", "bad.mercer", "rows.csv"].as_slice(),
            &["inspect", "bad.mercer"],
            &["export", "bad.mercer", "--rust", "m.rs", "--c", "m.h"],
        ] {
            let error = desk.fail(command);
            assert!(error.contains("bad.mercer: "), "{error}");
            assert!(error.contains(why), "{what}: {error}");
        }
        assert!(!desk.path("m.rs").exists());
    };
    for (field, value, why) in [
        ("format", "\"other\"", "not a model of mercer"),
        ("version", "2", "format version 2"),
        ("version", "4", "format version 4"),
        ("version", "6", "format version 6"),
        ("precision", "\"f16\"", "not a model of mercer"),
        ("columns", "[]", "points: a row of 2 numbers, not 0"),
        ("columns", "[\"a\",\"a\"]", "two columns are called \"a\""),
        ("columns", "[\"a\"]", "points: a row of 2 numbers, not 1"),
        ("columns", "[\"a\",2]", "expected a string"),
        ("columns", "[\"a\",\" b\"]", "white space around the name"),
        ("gamma", "0.0", "`gamma` must be"),
        ("gamma", "-1.0", "`gamma` must be"),
        ("gamma", "null", "invalid type"),
        ("mean", "[0.0]", "size mismatch in means: 1 given, 2 expected"),
        ("mean", "[0.0,1e999]", "not a valid model"),
        ("deviation", "[1.0,0.0]", "`deviation`"),
        ("quantiles", "[[0.0,1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0]]", "quantiles of 1 inputs, not 2"),
        (
            "quantiles",
            "[[0.0,1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0],[0.0,1.0,2.0,3.0]]",
            "not a valid model",
        ),
        (
            "quantiles",
            "[[0.0,1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0],[0.0,1.0,2.0,3.0,4.0,3.0,6.0,7.0,8.0]]",
            "quantiles of input 1 must be",
        ),
        (
            "quantiles",
            "[[0.0,1.0,2.0,3.0,4.0,5.0,6.0,7.0,1e999],[0.0,1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0]]",
            "not a valid model",
        ),
        ("deviation", "[1.0,-1.0]", "`deviation`"),
        (
            "deviation",
            "[1.0,1.0],\n  \"floor\": [0.5]",
            "size mismatch in floors: 1 given, 2 expected",
        ),
        ("deviation", "[1.0,1.0],\n  \"floor\": [0.0,0.0]", "none of a logarithmic input"),
        ("deviation", "[1.0,1.0],\n  \"floor\": [0.5,-1.0]", "`floor` must be finite and >= 0"),
        ("deviation", "[1.0,1.0],\n  \"floor\": [0.5,1e-310]", "`floor` must be not subnormal"),
        ("deviation", "[1.0,1.0],\n  \"floor\": [0.5,1e999]", "not a valid model"),
        ("points", "[[0.0,0.0]]", "2 components of only 1 points"),
        ("points", "[]", "a model of nothing"),
        ("weights", "[[0.0,0.0]]", "size mismatch in weights: 1 given"),
        ("centre", "[]", "size mismatch in weights of the centre: 0 given"),
        ("offsets", "[0.0]", "size mismatch in offsets: 1 given"),
        ("variances", "[]", "weights: a row of 2 numbers, not 0"),
        ("variances", "[0.1,-0.1]", "`variances` must be finite and > 0"),
        ("variances", "[0.01,0.02]", "`variances` must be descending"),
        ("variances", "[100.0,99.0]", "at most the total variance"),
        ("centre_norm", "-10.0", "`centre_norm` must be >= 0"),
        ("total_variance", "0.0", "`total_variance` must be"),
        ("indefinite", "1", "expected a boolean"),
        ("threshold_spe", "5.0", "no reading can exceed the threshold"),
        ("usual_spe", "-0.1", "`usual` must be >= 0"),
        ("usual_spe", "1e999", "not a valid model"),
        ("usual_spe", "null", "invalid type"),
        ("samples", "1", "points of only 1 samples"),
        ("samples", "18446744073709551615", "too many"),
        ("trimmed", "18446744073709551615", "too many"),
        ("samples", "-1", "not a valid model"),
        ("explained", "7.0", "explained must be a share"),
        ("unspanned", "-3.0", "unspanned must be a share"),
        ("rank", "1", "rank 1 of 2 components"),
        ("rank", "100000", "rank 100000 of 2 components"),
        ("false_alarms", "0.0", "false_alarms must be a share"),
        ("false_alarms", "null", "neither false_alarms nor why"),
        ("alarms", "null", "alarms must be a number"),
        ("alarms", "41", "alarms must be a number, at most that of the samples"),
        ("alarms", "-1", "not a valid model"),
        ("refused", "\"deaf\"", "`threshold` must be 0 in a model that was refused"),
        ("folds", "0", "0 folds"),
        ("folds", "18446744073709551615", "folds of 40 samples"),
        ("fold_order", "\"*/ int injected(void);\"", "unknown variant"),
        ("recordings", "0", "0 recordings of 40 samples"),
        ("recordings", "18446744073709551615", "recordings of 40 samples"),
        ("warnings", "[1]", "expected a string"),
        ("later", "0", "not a valid model"),
        ("later", "{\"readings\":99}", "missing field `low`"),
    ] {
        refused(&mended(&with_field(&model, field, value)), &format!("{field} {value}"), why);
    }
    for (readings, low, high, why) in [
        (0, "0.01", "0.09", "0 later readings"),
        (99, "0.06", "0.09", "must lie between"),
        (99, "0.0", "0.09", "must lie between"),
        (99, "0.01", "1.0", "must lie between"),
        (99, "0.01", "0.02", "must lie between"),
    ] {
        let later = format!(
            "{{\n      \"readings\": {readings},\n      \"low\": {low},\n      \"high\": {high}\n    }}"
        );
        refused(&mended(&with_field(&model, "later", &later)), &later, why);
    }
    for (front_end, why) in forged_front_ends() {
        refused(&mended(&with_front_end(&model, &front_end)), &front_end, why);
    }
    let long =
        |text: &str, count: usize| format!("[{}\"b\"]", format!("\"{text}\",").repeat(count));
    let name = "n".repeat(257);
    refused(&mended(&with_field(&model, "columns", &long(&name, 1))), "name", "more than 256");
    let warning = "w".repeat(1001);
    refused(&mended(&with_field(&model, "warnings", &long(&warning, 1))), "text", "more than 1000");
    refused(&mended(&with_field(&model, "warnings", &long("w", 40))), "many", "more than 32");
    // Fields of nobody, once more, and none.
    for (from, to) in [
        ("\"version\": 5,", "\"version\": 5,\n  \"extra\": 1,"),
        ("\"folds\": ", "\"extra\": 1,\n    \"folds\": "),
        ("\"gamma\": ", "\"extra\": 1,\n      \"gamma\": "),
        ("\"rbf\": ", "\"rbf2\": "),
        // Parameters of another kernel, and too few.
        ("\"rbf\": ", "\"linear\": "),
        ("\"rbf\": ", "\"poly\": "),
        ("\"indefinite\": false,", "\"indefinite\": false,\n  \"indefinite\": false,"),
        ("\"indefinite\": false,\n", ""),
        // T² is compared with nothing.
        ("\"threshold_spe\": ", "\"threshold_t2\": 9.0,\n  \"threshold_spe\": "),
        ("\"threshold_spe\": ", "\"watch\": \"t2\",\n  \"threshold_spe\": "),
    ] {
        assert!(model.contains(from));
        refused(&mended(&model.replacen(from, to, 1)), to, "not a valid model");
    }
    refused(&"[".repeat(100_000), "depth", "not a model of mercer");
    refused(&with_field(&model, "kernel", &"[".repeat(100_000)), "depth", "not a model of mercer");
    let fault = "forged model files with the right checksum, through three commands each";
    faults::record(14, fault, tried.get(), tried.get(), "-p mercer-cli --test hostile");
}

#[test]
fn long_texts_of_a_model_are_not_repeated() {
    let (desk, model) = small();
    let huge = format!("\"{}\"", "x".repeat(2_000_000));
    for field in ["format", "precision", "fold_order", "mean", "checksum"] {
        desk.write("bad.mercer", &with_field(&model, field, &huge));
        let error = desk.fail(&["inspect", "bad.mercer"]);
        assert!(error.len() < 400, "{field}: {} bytes", error.len());
    }
}

fn dump() -> Value {
    let path = root().join("cli/tests/data/sklearn/rbf.json");
    serde_json::from_str(&fs::read_to_string(path).expect("a dump")).expect("JSON")
}

#[test]
fn names_of_an_import_do_nothing() {
    let desk = Desk::new();
    // As many samples as it takes, of as many inputs as there are names: a linear kernel, whose
    // eigenvectors are easy to give.
    let mut dump = dump();
    let inputs = dump["samples"][0].as_array().expect("a sample").len();
    for names in HOSTILE.chunks_exact(inputs) {
        dump["columns"] = json!(names);
        desk.write("dump.json", &dump.to_string());
        let output = desk.run(&["import", "sklearn", "dump.json", "--out", "m.mercer"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_harmless(&output.stdout);
        let cells: Vec<String> = names.iter().map(|name| hostile_cell(name)).collect();
        let mut csv = format!("{},\"la\x1b[1mbel\"\n", cells.join(","));
        for row in 0..20_usize {
            csv += &format!("{}{}\n", format!("{}.5,", row % 5).repeat(inputs), row % 2);
        }
        desk.write("rows.csv", &csv);
        for arguments in [
            ["score", "m.mercer", "rows.csv", "--why"].as_slice(),
            &["inspect", "m.mercer"],
            &["inspect", "m.mercer", "--json"],
            &["report", "m.mercer", "rows.csv", "--label", LABEL, "--out", "r.html"],
            &["export", "m.mercer", "--rust", "m.rs", "--c", "m.h"],
        ] {
            assert_harmless(desk.succeed(arguments).as_bytes());
        }
        for file in ["r.html", "m.rs", "m.h", "m.c", "m.mercer"] {
            assert_visible(&fs::read(desk.path(file)).expect("it was written"));
        }
    }
    for (field, value) in [
        ("kernel", json!("\x1b[2Jrbf")),
        ("columns", json!(vec!["n".repeat(300); inputs])),
        ("\x1b[2J", json!(1)),
        ("gamma", json!("\x1b[2J")),
    ] {
        let mut bad = dump.clone();
        bad[field] = value;
        desk.write("dump.json", &bad.to_string());
        let output = desk.run(&["import", "sklearn", "dump.json", "--out", "bad.mercer"]);
        assert_eq!(output.status.code(), Some(2), "{field:?}");
        assert_eq!(assert_harmless(&output.stderr).lines().count(), 1);
        assert!(!desk.path("bad.mercer").exists());
    }
}

#[test]
fn a_stream_from_a_stranger_does_nothing() {
    let (desk, _) = small();
    let mut child = desk
        .command(&["score", "m.mercer", "-", "--missing", "error"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(b"a,b\n1,2\n1,\x1b]0;x\x07\n")
        .expect("it listens");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(2));
    assert!(assert_harmless(&output.stderr).contains("standard input:3:2:"));
    assert_eq!(assert_harmless(&output.stdout).lines().count(), 2, "the row before was answered");
    let output = fail(desk.path("").as_path(), &["score", "m.mercer", text(&desk.path("none"))]);
    assert!(output.contains("none"));
}
