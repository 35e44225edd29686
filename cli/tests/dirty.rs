//! Files as they come from the field: holes, garbled lines, other marks and separators, gzip.

mod common;

use std::io::Write;
use std::process::Stdio;

use common::{Desk, column};
use flate2::Compression;
use flate2::write::GzEncoder;

fn row(i: usize) -> [f64; 3] {
    let t = i as f64;
    [(t * 0.7).sin(), (t * 0.7).sin() + 0.3 * (t * 2.3).cos(), (t * 1.1).cos()]
}

fn clean(rows: usize) -> String {
    let mut csv = String::from("a,b,c\n");
    for [a, b, c] in (0..rows).map(row) {
        csv += &format!("{a:.5},{b:.5},{c:.5}\n");
    }
    csv
}

fn fitted() -> Desk {
    let desk = Desk::new();
    desk.write("clean.csv", &clean(100));
    desk.succeed(&["fit", "clean.csv", "--out", "m.mercer"]);
    desk
}

/// Sends bytes to standard input; what came out, and what was said.
fn stream(desk: &Desk, arguments: &[&str], input: &[u8]) -> (Option<i32>, String, String) {
    let mut command = desk.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary runs");
    // It may have ended before it has read all.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn numbers(scored: &str) -> Vec<usize> {
    scored.lines().skip(1).map(|line| line.split(',').next().unwrap().parse().unwrap()).collect()
}

/// Each of these on line 4, row 2.
const GARBLED: [(&[u8], &str); 8] = [
    (b"0.1,0.2", "2 cells instead of 3"),
    (b"0.1,0.2,0.3,0.4", "4 cells instead of 3"),
    (b"0.1,0.x2,0.3", "\"0.x2\" is not a number"),
    (b"0.1,\xff\xfe,0.3", "not UTF-8"),
    (b"0.1,0.2,1e999", "not a finite number"),
    (b"\x00\x01\x02", "1 cells instead of 3"),
    (b"0.1,\"0.2,0.3", "is not a number"),
    (b"a,b,c", "\"a\" is not a number"),
];

fn with_line(line: &[u8]) -> Vec<u8> {
    let clean = clean(6);
    let mut lines: Vec<&[u8]> = clean.lines().map(str::as_bytes).collect();
    lines[3] = line;
    [lines.join(b"\n".as_slice()), b"\n".to_vec()].concat()
}

#[test]
fn a_garbled_line_does_not_end_a_stream() {
    let desk = fitted();
    let expected =
        column(&desk.succeed(&["score", "m.mercer", "clean.csv", "--rows", "0-5"]), "spe");
    for (line, why) in GARBLED {
        let (code, scored, said) = stream(&desk, &["score", "m.mercer", "-"], &with_line(line));
        assert_eq!(code, Some(0), "{line:?}: {said}");
        assert_eq!(numbers(&scored), [0, 1, 3, 4, 5], "{line:?}: {said}");
        let spe = column(&scored, "spe");
        assert_eq!((spe[1], spe[2]), (expected[1], expected[3]), "the others are as they were");
        assert!(said.contains("standard input:4:") && said.contains(why), "{line:?}: {said}");
        assert!(said.contains("1 garbled line left out: "), "{said}");
        // Unless somebody wants to know.
        let strict = ["score", "m.mercer", "-", "--missing", "error"];
        let (code, scored, said) = stream(&desk, &strict, &with_line(line));
        assert_eq!((code, numbers(&scored).len()), (Some(2), 2), "{said}");
        assert!(said.contains("standard input:4:") && said.contains(why), "{said}");
    }
}

#[test]
fn a_garbled_line_of_a_file_is_an_error_unless_somebody_says_skip() {
    let desk = fitted();
    for (line, why) in GARBLED.iter().filter(|(line, _)| !line.contains(&b'"')) {
        std::fs::write(desk.path("dirty.csv"), with_line(line)).unwrap();
        let error = desk.fail(&["score", "m.mercer", "dirty.csv"]);
        assert!(error.contains("dirty.csv:4:") && error.contains(why), "{error}");
        for missing in ["skip", "impute"] {
            let output = desk.run(&["score", "m.mercer", "dirty.csv", "--missing", missing]);
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.success(), "{said}");
            let scored = String::from_utf8(output.stdout).unwrap();
            assert_eq!(numbers(&scored), [0, 1, 3, 4, 5], "{said}");
            assert!(said.contains("1 garbled line left out: dirty.csv:4:"), "{said}");
        }
    }
}

#[test]
fn a_stream_of_which_nothing_can_be_used_is_an_error() {
    let desk = fitted();
    let (code, _, said) = stream(&desk, &["score", "m.mercer", "-"], b"a,b,c\nx,y,z\n1,2\n");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("no row can be used, the first is garbled: "), "{said}");
    let (code, _, said) = stream(&desk, &["score", "m.mercer", "-"], b"a,b,c\n,2,3\n1,NaN,2\n");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("each lacks a number in some input"), "{said}");
}

/// Holes on rows 10 to 13.
fn with_holes() -> String {
    let clean = clean(100);
    let mut lines: Vec<String> = clean.lines().map(String::from).collect();
    for (line, cell) in [(11, ""), (12, "n/a"), (13, "NaN"), (14, "NULL")] {
        let c = lines[line].split(',').nth(2).unwrap().to_string();
        lines[line] = format!("{cell},0.3,{c}");
    }
    lines.join("\n")
}

#[test]
fn holes_are_an_error_skipped_or_filled_in_every_command() {
    let desk = fitted();
    desk.write("holes.csv", &with_holes());
    let (fit, out) = (["fit", "holes.csv", "--out"], "h.mercer");
    for command in [
        [&fit[..], &[out]].concat(),
        vec!["tune", "holes.csv"],
        vec!["score", "m.mercer", "holes.csv"],
        vec!["project", "m.mercer", "holes.csv"],
        vec!["eval", "m.mercer", "holes.csv"],
        vec!["calibrate", "m.mercer", "holes.csv", "--rows", "5-40", "--force"],
        vec!["report", "m.mercer", "holes.csv", "--out", "r.html"],
    ] {
        for missing in [[].as_slice(), &["--missing", "error"]] {
            let error = desk.fail(&[&command[..], missing].concat());
            assert!(error.contains("holes.csv:12:1: the cell is empty"), "{command:?}: {error}");
        }
        for missing in ["skip", "impute"] {
            let output = desk.run(&[&command[..], &["--missing", missing]].concat());
            let said = String::from_utf8(output.stderr).unwrap();
            let is_known = command[0] == "calibrate" && said.contains("fitted to them");
            assert!(output.status.success() || is_known, "{command:?} {missing}: {said}");
        }
    }
    let samples = |missing: &str| {
        desk.succeed(&[&fit[..], &[out, "--missing", missing]].concat());
        let json = desk.succeed(&["inspect", out, "--json"]);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        (json["samples"].as_u64().unwrap(), json["warnings"].to_string())
    };
    let (skipped, said) = samples("skip");
    assert!(skipped == 96 && said.contains("4 rows with missing inputs left out"), "{said}");
    let (filled, said) = samples("impute");
    assert!(filled == 100 && said.contains("4 cells of a filled by the median"), "{said}");
    // A column that is mostly holes is not made up.
    let mostly: String = (0..60)
        .map(|i| format!("{},{}\n", if i % 3 == 0 { "1.5" } else { "" }, row(i)[1]))
        .collect();
    desk.write("mostly.csv", &format!("a,b\n{mostly}"));
    let error = desk.fail(&["fit", "mostly.csv", "--out", out, "--missing", "impute"]);
    assert!(error.contains("more than half of column a is missing"), "{error}");
}

#[test]
fn a_garbled_line_begins_a_new_window() {
    let desk = Desk::new();
    desk.write("clean.csv", &clean(400));
    desk.succeed(&[
        "fit",
        "clean.csv",
        "--window",
        "8",
        "--hop",
        "4",
        "--out",
        "m.mercer",
        "--features",
        "mean,std",
    ]);
    let clean = clean(40);
    let mut lines: Vec<&str> = clean.lines().collect();
    lines[21] = "1,2";
    let (code, scored, said) =
        stream(&desk, &["score", "m.mercer", "-"], lines.join("\n").as_bytes());
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(numbers(&scored), [0, 4, 8, 12, 21, 25, 29], "none spans row 20: {said}");
}

#[test]
fn other_marks_and_separators_are_found() {
    let desk = fitted();
    let expected = desk.succeed(&["score", "m.mercer", "clean.csv"]);
    let clean = clean(100);
    let german = clean.replace(',', ";").replace('.', ",");
    for (name, content, note) in [
        ("german", german.clone(), "is read as"),
        ("german, windows", german.replace('\n', "\r\n"), "separated by semicolons"),
        ("semicolons", clean.replace(',', ";"), "separated by semicolons"),
        ("tabs", clean.replace(',', "\t"), "separated by tabulators"),
        ("bars", clean.replace(',', "|"), "separated by bars"),
        ("spaces", clean.replace(',', " ; "), "separated by semicolons"),
    ] {
        desk.write("other.csv", &content);
        let output = desk.run(&["score", "m.mercer", "other.csv"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{name}: {said}");
        assert!(said.contains(note), "{name}: {said}");
        let (_, scored, _) = stream(&desk, &["score", "m.mercer", "-"], content.as_bytes());
        assert_eq!(scored, expected, "{name} as a stream");
    }
    desk.write("german.csv", &german);
    let error = desk.fail(&["score", "m.mercer", "german.csv", "--decimal", "point"]);
    assert!(error.contains("is not a number"), "{error}");
    // In quotes, where commas separate cells, somebody has to say it.
    let quoted: String =
        german.lines().map(|line| format!("\"{}\"\n", line.replace(';', "\",\""))).collect();
    desk.write("quoted.csv", &quoted);
    let asked = ["score", "m.mercer", "quoted.csv", "--decimal", "comma"];
    assert_eq!(desk.succeed(&asked), expected);
    assert!(desk.fail(&asked[..3]).contains("is not a number"));
    // Both in one file are no numbers that anybody could be sure of.
    desk.write("mixed.csv", &format!("{german}0.5;0.5;0.5\n"));
    let error = desk.fail(&["score", "m.mercer", "mixed.csv"]);
    assert!(
        error.contains("mixed.csv:102:1: 0.5 among numbers with another decimal mark"),
        "{error}"
    );
}

#[test]
fn files_without_a_header_are_taken_in_the_order_of_the_inputs() {
    let desk = fitted();
    let expected = desk.succeed(&["score", "m.mercer", "clean.csv"]);
    let body = clean(100).split_once('\n').unwrap().1.to_string();
    desk.write("body.csv", &body);
    let nameless = ["score", "m.mercer", "body.csv", "--no-header"];
    assert_eq!(desk.succeed(&nameless), expected);
    let (_, scored, _) = stream(&desk, &["score", "m.mercer", "-", "--no-header"], body.as_bytes());
    assert_eq!(scored, expected);
    desk.write("german.csv", &body.replace(',', ";").replace('.', ","));
    assert_eq!(desk.succeed(&["score", "m.mercer", "german.csv", "--no-header"]), expected);
    desk.write("wide.csv", "1,2,3,4\n");
    let error = desk.fail(&["score", "m.mercer", "wide.csv", "--no-header"]);
    assert!(error.contains("there is no column \"a\" among x0, x1, x2, x3"), "{error}");
    let error = desk.fail(&nameless[..3]);
    assert!(error.contains("--no-header"), "{error}");
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn gzip_is_read_by_its_content() {
    let desk = fitted();
    let expected = desk.succeed(&["score", "m.mercer", "clean.csv"]);
    let clean = clean(100);
    for name in ["clean.csv.gz", "no_ending"] {
        std::fs::write(desk.path(name), gzip(&clean)).unwrap();
        assert_eq!(desk.succeed(&["score", "m.mercer", name]), expected, "{name}");
        desk.succeed(&["fit", name, "--out", "gz.mercer"]);
    }
    assert_eq!(stream(&desk, &["score", "m.mercer", "-"], &gzip(&clean)).1, expected);
    // Two of them, one behind the other, as log rotation makes them.
    let (head, tail) = clean.split_at(clean.find('\n').unwrap() + 400);
    std::fs::write(desk.path("two.gz"), [gzip(head), gzip(tail)].concat()).unwrap();
    assert_eq!(desk.succeed(&["score", "m.mercer", "two.gz"]), expected);
    // Half of one is an error that names the file.
    let whole = gzip(&clean);
    std::fs::write(desk.path("half.gz"), &whole[..whole.len() / 2]).unwrap();
    let error = desk.fail(&["fit", "half.gz", "--out", "x.mercer"]);
    assert!(error.contains("half.gz"), "{error}");
    std::fs::write(desk.path("tiny.csv"), b"a").unwrap();
    assert!(desk.fail(&["fit", "tiny.csv", "--out", "x.mercer"]).contains("no rows below"));
}
