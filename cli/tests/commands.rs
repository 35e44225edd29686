//! What the commands print, and that they agree with each other.

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use common::{Desk, column, golden, parse, root, text};

fn iris(desk: &Desk, options: &[&str]) -> String {
    let data = golden("iris_data_train.csv");
    let mut fit = vec!["fit", text(&data), "--out", "m.mercer"];
    fit.extend(options);
    desk.all(&fit)
}

#[test]
fn a_summary_says_what_was_fitted() {
    let desk = Desk::new();
    let summary = iris(&desk, &[]);
    for line in [
        "samples                90",
        "inputs                 4 (x0, x1, x2, x3)",
        "kernel                 rbf, gamma 0.03125",
        // The rows are ordered by species, so that neighbours are alike.
        "warning: neighbouring samples are alike",
        "expected false alarms  8.3 % of normal readings are unusual (4 contiguous folds), if readings are exchangeable with the training readings: same conditions, independent of each other",
    ] {
        assert!(summary.contains(line), "{line}: {summary}");
    }
    let inspected = desk.succeed(&["inspect", "m.mercer"]);
    assert!(
        inspected.starts_with(&summary[..summary.find("mercer: warning").expect("one")]),
        "{inspected}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&desk.succeed(&["inspect", "m.mercer", "--json"])).expect("JSON");
    let eigenvalues = json["eigenvalues"].as_array().expect("a list");
    assert_eq!(eigenvalues.len() as u64, json["components"].as_u64().expect("a count"));
    assert!(eigenvalues.windows(2).all(|pair| pair[0].as_f64() >= pair[1].as_f64()));
    assert_eq!(json["inputs"].as_array().map(Vec::len), Some(4));
    assert_eq!(json["kernel"]["rbf"]["gamma"], 0.03125);
    let assumption = json["false_alarms_assume"].as_str().expect("an assumption");
    assert!(inspected.contains(assumption), "{assumption}");
    assert!(json["cost"]["instructions"]["cortex_m4f"].as_u64() > Some(1000));
    assert!(inspected.contains(json["checksum"].as_str().expect("text")));
}

#[test]
fn unusual_is_a_score_above_the_threshold_and_contributions_are_named() {
    let desk = Desk::new();
    iris(&desk, &["--precision", "f64", "--alpha", "0.2"]);
    let test = golden("iris_data_test.csv");
    let why = desk.succeed(&["score", "m.mercer", text(&test), "--why"]);
    let names = ["row", "spe", "t2", "abs_sum", "unusual", "alarm", "suspect", "expected", "fall"];
    assert_eq!(
        cells(&why)[0],
        [names.as_slice(), &["why:x0", "why:x1", "why:x2", "why:x3"]].concat()
    );
    let scored = desk.succeed(&["score", "m.mercer", text(&test)]);
    let (header, rows) = parse(&scored);
    assert_eq!(header, names[..6]);
    assert_eq!(column(&scored, "row"), (0..60).map(f64::from).collect::<Vec<_>>());
    let json: serde_json::Value =
        serde_json::from_str(&desk.succeed(&["inspect", "m.mercer", "--json"])).expect("JSON");
    let threshold = json["threshold"]["spe"].as_f64().expect("a number");
    let unusual = rows.iter().filter(|row| row[4] == 1.0).count();
    assert!(unusual > 0 && unusual < rows.len(), "{unusual}");
    assert!(rows.iter().all(|row| (row[4] == 1.0) == (row[1] > threshold)));
    for (plain, why) in cells(&scored).iter().zip(cells(&why)) {
        assert_eq!(plain[..6], why[..6], "reasons change no score");
        // A suspect where there is something to explain.
        let blamed = why[6..9].iter().filter(|cell| !cell.is_empty()).count();
        assert_eq!(blamed, if plain[4] == "0" { 0 } else { 3 }, "{why:?}");
    }
}

/// The suspect of every unusual row is the column that was disturbed; with what it should have
/// read in its place, the row scores as much less as was said.
#[test]
fn suspects_explain_the_score() {
    let desk = Desk::new();
    iris(&desk, &["--precision", "f64"]);
    let test = fs::read_to_string(golden("iris_data_test.csv")).expect("golden data");
    let (header, rows) = parse(&test);
    let head = header.join(",");
    let disturbed: Vec<Vec<f64>> = rows
        .into_iter()
        .enumerate()
        .map(|(i, mut row)| {
            row[i % 4] += 12.0;
            row
        })
        .collect();
    let write = |name: &str, rows: &[Vec<f64>]| {
        let lines: Vec<String> = rows.iter().map(|row| row.map_to_text()).collect();
        desk.write(name, &format!("{head}\n{}\n", lines.join("\n")));
    };
    write("disturbed.csv", &disturbed);
    let why = desk.succeed(&["score", "m.mercer", "disturbed.csv", "--why"]);
    let why = &cells(&why)[1..];
    let mut corrected = disturbed.clone();
    let mut right = 0;
    for (i, cells) in why.iter().enumerate() {
        let suspect = header.iter().position(|name| name == cells[6]).expect("an input");
        right += usize::from(suspect == i % 4);
        corrected[i][suspect] = cells[7].parse().expect("a number");
    }
    assert!(right >= 59, "{right} of 60");
    write("corrected.csv", &corrected);
    let rest = column(&desk.succeed(&["score", "m.mercer", "corrected.csv"]), "spe");
    for (cells, rest) in why.iter().zip(rest) {
        let [spe, fall] = [cells[1], cells[8]].map(|cell| cell.parse::<f64>().expect("a number"));
        assert!((spe - fall - rest).abs() < 1e-12, "{cells:?} falls to {rest}");
    }
}

/// All cells, the header's too.
fn cells(csv: &str) -> Vec<Vec<&str>> {
    csv.lines().map(|line| line.split(',').collect()).collect()
}

#[test]
fn contributions_name_the_column_that_was_disturbed() {
    let desk = Desk::new();
    iris(&desk, &[]);
    let test = fs::read_to_string(golden("iris_data_test.csv")).expect("golden data");
    let (header, rows) = parse(&test);
    let mut disturbed = format!("{}\n", header.join(","));
    for (i, mut row) in rows.into_iter().enumerate() {
        row[i % 4] += 12.0;
        disturbed += &format!("{}\n", row.map_to_text());
    }
    desk.write("disturbed.csv", &disturbed);
    let why = desk.succeed(&["score", "m.mercer", "disturbed.csv", "--why"]);
    let rows = cells(&why);
    let right = rows[1..].iter().enumerate().filter(|(i, row)| {
        let size = |cell: &&str| cell.parse::<f64>().expect("a number").abs();
        let largest = row[9..].iter().map(size).fold(0.0, f64::max);
        size(&row[9 + i % 4]) == largest
    });
    assert!(right.count() >= 57, "of 60");
}

trait MapToText {
    fn map_to_text(&self) -> String;
}

impl MapToText for Vec<f64> {
    fn map_to_text(&self) -> String {
        self.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>().join(",")
    }
}

#[test]
fn rows_and_columns_can_be_chosen() {
    let desk = Desk::new();
    let motions = root().join("cli/data/motions/train.csv");
    let mut fit = vec!["fit", text(&motions), "--out", "walking.mercer", "--every", "4"];
    fit.extend(["--where", "activity=walking", "--drop", "recording,t_s"]);
    let summary = desk.succeed(&fit);
    assert!(summary.contains("samples                250"), "{summary}");
    assert!(summary.contains("6 (ax, ay, az, gx, gy, gz)"), "{summary}");
    let mut score = vec!["score", "walking.mercer", text(&motions)];
    score.extend(["--where", "activity=running", "--where", "activity=walking"]);
    assert_eq!(parse(&desk.succeed(&score)).1.len(), 2000, "either of them");
    let mut chosen = vec!["score", "walking.mercer", text(&motions), "--rows", "rows.txt"];
    desk.write("rows.txt", "7, 3\n2000");
    assert_eq!(column(&desk.succeed(&chosen), "row"), [3.0, 7.0, 2000.0], "in the file's order");
    desk.write("skip.txt", "7");
    chosen.extend(["--skip-rows", "skip.txt"]);
    assert_eq!(column(&desk.succeed(&chosen), "row"), [3.0, 2000.0]);
    let eval = ["eval", "walking.mercer", text(&motions), "--label", "activity", "--timeline"];
    let evaluation = desk.succeed(&[eval.as_slice(), &["--normal", "walking"]].concat());
    assert!(evaluation.contains("1000 normal, 3000 anomalous"), "{evaluation}");
    assert!(evaluation.contains("1000–1999") && evaluation.contains("running"), "{evaluation}");
    let error = desk.fail(&eval);
    assert!(error.contains("no row is normal by column activity"), "{error}");
}

#[test]
fn other_separators_and_no_header_are_read() {
    let desk = Desk::new();
    iris(&desk, &[]);
    let csv = fs::read_to_string(golden("iris_data_train.csv")).expect("golden data");
    let body: Vec<&str> = csv.lines().skip(1).collect();
    desk.write("bare.csv", &body.join("\r\n"));
    desk.succeed(&["fit", "bare.csv", "--no-header", "--out", "bare.mercer"]);
    desk.write("semicolon.csv", &csv.replace(',', " ; "));
    desk.succeed(&["fit", "semicolon.csv", "--delimiter", ";", "--out", "semicolon.mercer"]);
    let checksum = |name: &str| desk.succeed(&["inspect", name, "--json"]);
    assert_eq!(checksum("bare.mercer"), checksum("m.mercer"));
    assert_eq!(checksum("semicolon.mercer"), checksum("m.mercer"));
}

#[test]
fn a_stream_is_answered_row_by_row() {
    let desk = Desk::new();
    iris(&desk, &[]);
    for (command, cells) in [("score", 6), ("project", 2)] {
        let mut child = desk
            .command(&[command, "m.mercer", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let mut input = child.stdin.take().expect("a pipe");
        let mut answers = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let mut answer = || answers.next().expect("an answer").expect("text");
        writeln!(input, "x3,x2,x1,x0").expect("it listens");
        assert!(answer().starts_with("row,"));
        for row in 0..3 {
            // The next row is not written before this one was answered.
            writeln!(input, "0.2,1.4,3.5,{row}.1").expect("it listens");
            let line = answer();
            assert!(line.starts_with(&format!("{row},")), "{line}");
            assert!(line.split(',').count() >= cells, "{line}");
        }
        drop(input);
        assert!(child.wait().expect("it ends").success());
    }
}

#[test]
fn who_stops_reading_is_no_error() {
    let desk = Desk::new();
    iris(&desk, &[]);
    let data = golden("iris_data_train.csv");
    let data = text(&data);
    for arguments in [
        vec!["score", "m.mercer", data],
        vec!["inspect", "m.mercer"],
        vec!["fit", data, "--out", "other.mercer"],
        vec!["tune", data],
        vec!["export", "m.mercer", "--bin", "m.bin"],
        vec!["report", "m.mercer", data, "--out", "r.html"],
    ] {
        let mut child = desk
            .command(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        let is_warning = |line: &str| line.starts_with("mercer: warning: ");
        assert!(output.status.success(), "{arguments:?}: {said}");
        assert!(said.lines().all(is_warning), "{arguments:?}: {said}");
    }
}

#[test]
fn tune_prints_a_line_that_fits() {
    let desk = Desk::new();
    let motions = root().join("cli/data/motions/train.csv");
    let mut tune = vec!["tune", text(&motions), "--where", "activity=walking", "--every", "8"];
    tune.extend(["--drop", "recording,t_s", "--max-flash", "3000"]);
    let table = desk.succeed(&tune);
    assert!(table.contains("one input of a row moved by 3 deviations"), "{table}");
    let line = table.lines().last().expect("the line to use");
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    let summary = desk.succeed(&words);
    let flash = summary.lines().find_map(|line| line.strip_prefix("flash on a device"));
    let flash = flash.expect("a line").replace([',', ' '], "").replace("bytes", "");
    assert!(flash.parse::<usize>().expect("a number") <= 3300, "about what was asked for: {flash}");
    assert!(desk.path("M.mercer").exists());

    let mut labelled = vec!["tune", text(&motions), "--label", "activity", "--normal", "walking"];
    labelled.extend(["--every", "16", "--columns", "ax,ay,az"]);
    let table = desk.succeed(&labelled);
    assert!(table.contains("that activity calls anomalous"), "{table}");
    assert!(
        table.contains("--label activity --normal walking --every 16 --columns ax,ay,az"),
        "{table}"
    );
    let error = desk.fail(&["tune", text(&motions), "--every", "1000", "--columns", "ax"]);
    assert!(error.contains("too few"), "{error}");
    // Whatever the filter lets in, only normal rows are learned from.
    labelled.extend(["--where", "activity=walking", "--where", "activity=running"]);
    let table = desk.succeed(&labelled);
    let line = table.lines().last().expect("the line to use");
    assert!(line.contains("--label activity --normal walking"), "{line}");
    desk.write("constant.csv", &format!("a,b\n{}", "1,2\n".repeat(40)));
    let error = desk.fail(&["tune", "constant.csv"]);
    assert!(
        error.contains("no candidate could be fitted: constant.csv: all samples are equal"),
        "{error}"
    );
}

#[test]
fn every_command_explains_itself() {
    let desk = Desk::new();
    let help = desk.succeed(&["--help"]);
    for command in [
        "fit",
        "calibrate",
        "project",
        "score",
        "inspect",
        "eval",
        "tune",
        "import",
        "export",
        "report",
        "new",
        "demo",
    ] {
        assert!(help.contains(command), "{help}");
        let own = desk.succeed(&[command, "--help"]);
        assert!(own.contains("Usage: mercer"), "{own}");
    }
    assert!(desk.succeed(&["--version"]).starts_with("mercer 0."));
    let output = desk.run(&["fit"]);
    assert_eq!(output.status.code(), Some(2), "as for bad input");
}
