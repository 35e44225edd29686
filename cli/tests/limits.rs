//! Input that has no end: refused early, by a line that says where, in bounded memory.
#![cfg(target_os = "linux")]

mod common;
#[path = "../../tests/faults/mod.rs"]
mod faults;

use std::fs::{self, File};
use std::io::Write;
use std::process::Stdio;
use std::time::Instant;

use common::{Desk, root, text};

const MIB: usize = 1 << 20;

fn fitted() -> Desk {
    let desk = Desk::new();
    let rows: String = (0..40).map(|i| format!("{},{}\n", i % 7, i % 5)).collect();
    desk.write("good.csv", &format!("a,b\n{rows}"));
    desk.succeed(&["fit", "good.csv", "--out", "m.mercer", "--components", "2"]);
    desk
}

/// What is said of a stream that begins with a text and goes on with another for ever; how many MiB
/// were taken of it, and the most memory that took, in MiB.
fn endless(desk: &Desk, begin: &str, goes_on: &str) -> (String, usize, usize) {
    let mut child = desk
        .command(&["score", "m.mercer", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(begin.as_bytes()).expect("it listens");
    let piece = goes_on.repeat(MIB / goes_on.len() / 4);
    let (mut taken, mut peak) = (0, 0);
    while taken < 4 * 64 && input.write_all(piece.as_bytes()).is_ok() {
        taken += 1;
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
        peak = peak.max(kib.unwrap_or(0));
    }
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(2), "{begin:?}");
    (String::from_utf8(output.stderr).expect("text"), taken / 4, peak / 1024)
}

#[test]
fn lines_without_an_end_are_refused_in_bounded_memory() {
    let desk = fitted();
    let mut tried = 0;
    for (begin, goes_on, line) in [
        ("", "x", 1),
        ("a,b\n1,2\n\n3,4\n", "5", 5),
        ("a,b\n1,2\n", ",", 3),
        // Quotes in the first line: cells may have them, and ends of lines between them.
        ("\"a\",b\n1,2\n3,\"", "text\n", 3),
        ("a,b\r1,2\r", "7", 3),
        ("\"a\",b\r\n1,2\r\n3,4\r\n\"", "\r\n", 4),
    ] {
        let (error, taken, peak) = endless(&desk, begin, goes_on);
        println!("{begin:?}: refused after {taken} MiB, with {peak} MiB of memory at the most");
        let expected = format!("mercer: standard input:{line}: a row of more than 4 MiB");
        assert!(error.starts_with(&expected) && error.lines().count() == 1, "{begin:?}: {error}");
        assert!(error.len() < 300, "{error}");
        assert!(taken <= 5 && peak < 96, "{begin:?}: {taken} MiB taken, {peak} MiB of memory");
        tried += 1;
    }
    let fault = "streams whose line never ends";
    faults::record(15, fault, tried, tried, "-p mercer-cli --test limits");
}

#[test]
fn files_have_the_same_limit() {
    let desk = fitted();
    desk.write("long.csv", &format!("a,b\n1,2\n3,{}\n", "4".repeat(5 * MIB)));
    for arguments in [
        ["fit", "long.csv", "--out", "n.mercer"].as_slice(),
        &["score", "m.mercer", "long.csv"],
        &["tune", "long.csv"],
        &["eval", "m.mercer", "long.csv", "--label", "a"],
        &["report", "m.mercer", "long.csv", "--out", "r.html"],
    ] {
        let error = desk.fail(arguments);
        assert!(error.contains("long.csv:3: a row of more than 4 MiB"), "{error}");
    }
    // Blank lines are no row, however many; nor are many rows.
    desk.write("blank.csv", &format!("a,b\n{}1,2\n", "\n".repeat(9 * MIB)));
    desk.succeed(&["score", "m.mercer", "blank.csv"]);
    desk.write("bad.csv", &format!("a,b\n{}1,x\n", "\n".repeat(9 * MIB)));
    let error = desk.fail(&["score", "m.mercer", "bad.csv"]);
    assert!(error.contains(&format!("bad.csv:{}:2:", 9 * MIB + 2)), "{error}");
}

#[test]
fn long_cells_and_many_names_are_not_repeated() {
    let desk = fitted();
    let long = "z".repeat(3 * MIB);
    desk.write("cell.csv", &format!("a,b\n1,{long}\n"));
    desk.write("number.csv", &format!("a,b\n1,{}\n", "9".repeat(3 * MIB)));
    desk.write("name.csv", &format!("a,{long}\n1,2\n"));
    desk.write("names.csv", &format!("{}x\n1\n", "abcdefgh,".repeat(100_000)));
    desk.write("labels.csv", &format!("a,b,l\n1,2,{long}\n3,4,{long}\n"));
    desk.write("rows.txt", &long);
    for (arguments, why) in [
        (["score", "m.mercer", "cell.csv"].as_slice(), "is not a number"),
        (&["fit", "cell.csv", "--out", "n.mercer"], "is not a number"),
        (&["score", "m.mercer", "number.csv"], "is not a finite number"),
        (&["fit", "name.csv", "--out", "n.mercer"], "has more than 256 characters"),
        (&["score", "m.mercer", "names.csv"], "(100,001 in all)"),
        (&["eval", "m.mercer", "labels.csv", "--label", "l"], "no row is normal"),
        (&["fit", "good.csv", "--rows", "rows.txt", "--out", "n.mercer"], "is not a row number"),
    ] {
        let error = desk.fail(arguments);
        assert!(error.contains(why), "{error}");
        assert!(error.len() < 1300, "{arguments:?}: {} bytes", error.len());
    }
    desk.write("page.csv", &format!("a,b,l\n1,2,{long}\n3,4,0\n"));
    let report = ["report", "m.mercer", "page.csv", "--label", "l", "--time", "l"];
    desk.succeed(&[report.as_slice(), &["--out", "r.html"]].concat());
    assert!(fs::metadata(desk.path("r.html")).expect("the page").len() < 200_000);
}

#[test]
fn a_hundred_thousand_columns_take_seconds() {
    const COLUMNS: usize = 100_000;
    let desk = Desk::new();
    let mut csv: String = (0..COLUMNS).map(|i| format!("c{i},")).collect();
    csv += "label\n";
    for row in 0..16_usize {
        csv.extend((0..COLUMNS).map(|i| format!("{},", (row * 31 + i * 17) % (50 + i % 7))));
        csv += if row % 2 == 0 { "0\n" } else { "1\n" };
    }
    desk.write("wide.csv", &csv);
    for arguments in [
        ["fit", "wide.csv", "--drop", "label", "--variance", "0.9", "--out", "m.mercer"].as_slice(),
        &["score", "m.mercer", "wide.csv"],
        &["eval", "m.mercer", "wide.csv", "--label", "label"],
        &["inspect", "m.mercer"],
    ] {
        let start = Instant::now();
        let printed = desk.succeed(arguments);
        let seconds = start.elapsed().as_secs_f64();
        println!("{} of {COLUMNS} columns: {seconds:.1} s", arguments[0]);
        assert!(seconds < 60.0, "{arguments:?}: {seconds} s");
        assert!(printed.len() < 10_000, "{} bytes", printed.len());
    }
    let columns = csv.lines().next().expect("a header").trim_end_matches(",label").to_string();
    let start = Instant::now();
    let all = ["fit", "wide.csv", "--variance", "0.9", "--out", "n.mercer", "--columns"];
    // A command line has a limit of its own, of 128 KiB for a word.
    let some = &columns[..columns[..100_000].rfind(',').expect("a comma")];
    desk.succeed(&[all.as_slice(), &[some]].concat());
    assert!(start.elapsed().as_secs() < 60);
}

#[test]
fn large_files_are_refused_before_they_are_read() {
    let desk = fitted();
    let dump = root().join("cli/tests/data/sklearn/rbf.json");
    for name in ["huge.mercer", "huge.json", "huge.txt"] {
        // A hole, which takes no room on the disk.
        File::create(desk.path(name)).expect("a file").set_len(2 << 30).expect("a hole");
    }
    let start = Instant::now();
    for (arguments, limit) in [
        (["score", "huge.mercer", "good.csv"].as_slice(), 256),
        (&["inspect", "huge.mercer"], 256),
        (&["import", "sklearn", "huge.json"], 256),
        (&["score", "m.mercer", "good.csv", "--rows", "huge.txt"], 64),
        (&["score", "m.mercer", "good.csv", "--skip-rows", "huge.txt"], 64),
        (&["score", "m.mercer", "good.csv", "--rows", "/dev/zero"], 64),
    ] {
        let error = desk.fail(arguments);
        assert!(error.contains(&format!("larger than {limit} MiB")), "{error}");
    }
    assert!(start.elapsed().as_secs() < 20);
    desk.succeed(&["import", "sklearn", text(&dump), "--out", "n.mercer"]);
}

#[test]
fn sizes_on_the_command_line_are_checked() {
    let desk = fitted();
    let most = usize::MAX.to_string();
    let half = (usize::MAX / 2 + 1).to_string();
    for (options, why) in [
        (["--folds", most.as_str()], "40 rows are too few"),
        (["--folds", &half], "40 rows are too few"),
        (["--folds", "0"], "--folds must be >= 2"),
        (["--folds", "21"], "40 rows are too few, it takes at least 42"),
        (["--components", &most], "components"),
        (["--alpha", "nan"], "--alpha must be"),
        (["--alpha", "-0.1"], "--alpha must be"),
        (["--alpha", "inf"], "--alpha must be"),
        (["--trim", "nan"], "--trim must be"),
        (["--trim", "1e300"], "--trim must be"),
        (["--variance", "nan"], "--variance must be"),
        (["--gamma", "inf"], "--gamma must be"),
        (["--gamma", "1e300"], "--gamma must be"),
        (["--gamma", "1e-300"], "--gamma must be"),
        (["--kernel=poly", "--coef0=nan"], "--coef0 must be"),
    ] {
        // As one word, or a minus would be another option.
        let words = match options[1].starts_with("--") {
            true => options.map(String::from).to_vec(),
            false => vec![options.join("=")],
        };
        let words = words.iter().map(String::as_str);
        let fit = ["fit", "good.csv", "--out", "n.mercer"].into_iter().chain(words);
        let error = desk.fail(&fit.collect::<Vec<_>>());
        assert!(error.contains(why), "{options:?}: {error}");
        assert!(!desk.path("n.mercer").exists());
    }
    desk.succeed(&["fit", "good.csv", "--out", "n.mercer", "--landmarks", &most]);
    desk.succeed(&["score", "m.mercer", "good.csv", "--every", &u64::MAX.to_string()]);
    desk.write("commas.csv", &",".repeat(200_000));
    let error = desk.fail(&["score", "m.mercer", "commas.csv"]);
    assert!(error.contains("commas.csv:1: 200,001 columns, at most 200,000"), "{error}");
    let error = desk.fail(&["tune", "good.csv", "--folds", "4294967295"]);
    assert!(error.contains("40 normal rows are too few"), "{error}");
    let dump = root().join("cli/tests/data/sklearn/rbf.json");
    let import = ["import", "sklearn", text(&dump), "--out", "i.mercer", "--folds"];
    for folds in [most.as_str(), &half, "16"] {
        let error = desk.fail(&[import.as_slice(), &[folds]].concat());
        assert!(error.contains("could not be calibrated: too few samples"), "{error}");
    }
    // 20,000 landmarks of 20,000 rows would be a matrix of 1.6 GB, and there are several.
    desk.write("many.csv", &format!("a,b\n{}", "1,2\n2,1\n".repeat(10_000)));
    let error = desk.fail(&["fit", "many.csv", "--landmarks", "all", "--out", "n2.mercer"]);
    assert!(error.contains("need too much memory: lower --landmarks"), "{error}");
}

#[test]
fn errors_name_the_line_of_the_file() {
    let desk = fitted();
    // Counted in the file, whatever was chosen, left out or dealt into folds.
    let rows: String = (0..60).map(|i| format!("{},{}\n", i % 7, 1 + i % 5)).collect();
    let mut lines: Vec<String> = rows.lines().map(String::from).collect();
    lines[40] = "3e38,2".into();
    lines[50] = "-3e38,2".into();
    desk.write("large.csv", &format!("a,b\n{}\n", lines.join("\n")));
    // Scaled, all others look alike beside these two, which a warning says.
    let summary = desk.all(&["fit", "large.csv", "--out", "n.mercer"]);
    assert!(summary.contains("pass unnoticed in input a: line 42 is far"), "{summary}");
    let fit = ["fit", "large.csv", "--out", "n.mercer", "--scale", "none", "--kernel", "poly"];
    let error = desk.fail(&fit);
    assert!(error.contains("large.csv:42: the kernel overflows"), "{error}");
    // Line 52 has no direction.
    lines[40] = "1,2".into();
    lines[50] = "0,0".into();
    desk.write("zero.csv", &format!("a,b\n{}\n", lines.join("\n")));
    let fit = ["fit", "zero.csv", "--out", "n.mercer", "--scale", "none", "--kernel", "cosine"];
    for options in [&[][..], &["--fold-order", "interleaved"], &["--folds", "7"]] {
        let error = desk.fail(&[fit.as_slice(), options].concat());
        assert!(error.contains("zero.csv:52: norm is zero"), "{options:?}: {error}");
    }
    desk.write("rows.txt", &(0..60).rev().map(|i| format!("{i} ")).collect::<String>());
    let error = desk.fail(&[fit.as_slice(), &["--rows", "rows.txt"]].concat());
    assert!(error.contains("zero.csv:52: norm is zero"), "{error}");
    desk.write("labelled.csv", "a,b,l\n1,2,0\n3,4,1\n\n1,3e38,1\n");
    desk.write("tiny.csv", &format!("a,b\n{}", rows.replace(',', ",0.0000")));
    desk.succeed(&["fit", "tiny.csv", "--out", "tiny.mercer"]);
    let error = desk.fail(&["eval", "tiny.mercer", "labelled.csv", "--label", "l"]);
    assert!(error.contains("labelled.csv:5: the value is too large"), "{error}");
    assert!(error.contains("(column b)"), "{error}");
}
