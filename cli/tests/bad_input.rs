//! Bad input: one line with file, line and column, exit code 2, and nothing half written.

mod common;

use std::fs;

use common::Desk;

/// Twelve usable rows of two inputs.
const GOOD: &str = "a,b\n1,2\n2,3.5\n3,1\n4,2\n5,7\n6,3\n7,2\n8,1\n9,4\n1,5\n2,2\n3,9\n";

fn fitted() -> Desk {
    let desk = Desk::new();
    desk.write("good.csv", GOOD);
    desk.succeed(&["fit", "good.csv", "--out", "m.mercer", "--components", "2"]);
    desk
}

#[test]
fn cells_are_named() {
    let desk = Desk::new();
    for (content, place, why) in [
        ("a,b\n1,2\n3,x\n", "data.csv:3:2:", "\"x\" is not a number (column b"),
        ("a,b\n1,2\n3,\n", "data.csv:3:2:", "the cell is empty (column b"),
        ("a,b\nNaN,2\n", "data.csv:2:1:", "NaN is not a finite number (column a"),
        ("a,b\n1,1e39\n", "data.csv:2:2:", "1e39 is too large for f32"),
        ("flow rate\n1\nx\n", "data.csv:3:1:", "--drop 'flow rate'"),
        ("a,b\n1,inf\n", "data.csv:2:2:", "inf is not a finite number (column b"),
        ("a,b\n1,2\n\n3\n", "data.csv:4:2:", "1 cells instead of 2, b is missing"),
        ("a,b\n1,2,3\n", "data.csv:2:3:", "3 cells instead of 2"),
        ("a,b\r\n1,2\r\n3,x\r\n", "data.csv:3:2:", "\"x\" is not a number"),
        ("a,b\r\n\r\n1,2\r\n3\r\n", "data.csv:4:2:", "1 cells instead of 2"),
        ("\na,b\n\n\n1,\"2\"\n\n3,x", "data.csv:7:2:", "\"x\" is not a number"),
        ("a,b\n1,\"2\n3,4\n", "data.csv:2:2:", "is not a number"),
        ("", "data.csv:", "the file is empty"),
        ("a,b\n", "data.csv:", "no rows below the header"),
        ("1,2\n3,4\n", "data.csv:1:", "--no-header"),
        ("a,a\n1,2\n", "data.csv:1:", "two columns are called \"a\""),
    ] {
        desk.write("data.csv", content);
        let error = desk.fail(&["fit", "data.csv", "--out", "m.mercer"]);
        assert!(error.contains(place) && error.contains(why), "{content:?}: {error}");
        assert_eq!(desk.files(), ["data.csv"], "nothing is left: {content:?}");
    }
    let bytes = b"a,b\n1,2\n3,\xff\n";
    fs::write(desk.path("data.csv"), bytes).expect("the file");
    let error = desk.fail(&["fit", "data.csv", "--out", "m.mercer"]);
    assert!(error.contains("data.csv:3:2:") && error.contains("UTF-8"), "{error}");
}

#[test]
fn choices_are_named() {
    let desk = Desk::new();
    desk.write("data.csv", GOOD);
    desk.write("rows.txt", "0 1 99");
    desk.write("words.txt", "0 one");
    for (options, why) in [
        (vec!["--columns", "a,z"], "there is no column \"z\" among a, b"),
        (vec!["--drop", "z"], "there is no column \"z\""),
        (vec!["--drop", "a,b"], "no column is left"),
        (vec!["--where", "z=1"], "there is no column \"z\""),
        (vec!["--where", "a=77"], "none of its 12 rows was chosen"),
        (vec!["--rows", "rows.txt"], "there is no row 99, only 12 rows"),
        (vec!["--rows", "words.txt"], "words.txt:1: \"one\" is not a row number"),
        (vec!["--rows", "none.txt"], "none.txt"),
        (vec!["--folds", "7"], "12 rows are too few, it takes at least 14"),
        (vec!["--folds", "1"], "--folds must be >= 2"),
        (vec!["--gamma", "-1"], "--gamma must be finite and > 0"),
        (vec!["--alpha", "1.5"], "--alpha must be a share > 0 and < 1"),
        (vec!["--trim", "0.9"], "--trim must be"),
        (vec!["--components", "11"], "11 components"),
        (vec!["--components", "100000000000"], "100000000000 components"),
        (vec!["--columns", "a,a"], "--columns names a twice"),
        (vec!["--kernel", "poly", "--degree", "4000000000"], "data.csv:2: the kernel overflows"),
        (vec!["--variance", "0"], "--variance must be > 0 and <= 1"),
    ] {
        let mut fit = vec!["fit", "data.csv", "--out", "m.mercer"];
        fit.extend(&options);
        let error = desk.fail(&fit);
        assert!(error.contains(why), "{options:?}: {error}");
        assert!(!desk.path("m.mercer").exists(), "nothing is left: {options:?}");
    }
}

#[test]
fn models_are_checked() {
    let desk = fitted();
    let model = fs::read_to_string(desk.path("m.mercer")).expect("the model");
    for (content, why) in [
        ("hello".to_string(), "not a model of mercer"),
        ("{}".into(), "not a model of mercer"),
        (model[..model.len() / 2].to_string(), "not a model of mercer"),
        (model.replace("\"version\": 5", "\"version\": 99"), "format version 99"),
        (model.replacen("\"centre_norm\": 0.", "\"centre_norm\": 0.1", 1), "checksum"),
    ] {
        desk.write("bad.mercer", &content);
        for command in ["score", "project"] {
            let error = desk.fail(&[command, "bad.mercer", "good.csv"]);
            assert!(error.contains("bad.mercer") && error.contains(why), "{error}");
        }
        assert!(desk.fail(&["inspect", "bad.mercer"]).contains(why));
    }
    assert!(desk.fail(&["score", "none.mercer", "good.csv"]).contains("none.mercer"));
    assert!(desk.fail(&["score", "m.mercer", "none.csv"]).contains("none.csv"));
}

#[test]
fn rows_that_do_not_fit_the_model_are_named() {
    let desk = fitted();
    desk.write("other.csv", "a,c\n1,2\n");
    let error = desk.fail(&["score", "m.mercer", "other.csv"]);
    assert!(error.contains("other.csv:1: there is no column \"b\" among a, c"), "{error}");
    desk.write("text.csv", "b,a\n1,2\n3,four\n");
    let error = desk.fail(&["project", "m.mercer", "text.csv"]);
    assert!(error.contains("text.csv:3:2: \"four\" is not a number (column a)"), "{error}");
    // Its deviation is below 1, so that dividing by it overflows.
    desk.write("small.csv", &GOOD.replace("3.5", "3").replace(',', ",0.0"));
    let fit = ["fit", "small.csv", "--columns", "a,0.0b", "--log", "none"];
    desk.succeed(&[fit.as_slice(), &["--out", "small.mercer"]].concat());
    desk.write("large.csv", "a,0.0b\n1,0.02\n1,3.4e38\n");
    let error = desk.fail(&["score", "small.mercer", "large.csv"]);
    assert!(error.contains("large.csv:3:2: the value is too large to be scaled"), "{error}");
}

#[test]
fn an_old_model_survives_a_failed_fit() {
    let desk = fitted();
    let before = fs::read(desk.path("m.mercer")).expect("the model");
    desk.write("bad.csv", "a,b\n1,x\n");
    desk.fail(&["fit", "bad.csv", "--out", "m.mercer"]);
    assert_eq!(fs::read(desk.path("m.mercer")).expect("the model"), before);
    let error = desk.fail(&["fit", "good.csv", "--out", "no/such/folder/m.mercer"]);
    assert!(
        error.contains("there is no folder no/such/folder") && !error.contains(".tmp"),
        "{error}"
    );
    for output in ["good.csv", "./good.csv"] {
        let error = desk.fail(&["fit", "good.csv", "--out", output]);
        assert!(error.contains("is read, so it cannot be written too"), "{error}");
    }
    assert_eq!(fs::read_to_string(desk.path("good.csv")).expect("the data"), GOOD);
}

#[test]
fn several_outputs_are_written_together_or_not_at_all() {
    let desk = fitted();
    let before = desk.files();
    let error = desk.fail(&["export", "m.mercer", "--rust", "m.rs", "--bin", "no/such/m.bin"]);
    assert!(error.contains("there is no folder no/such"), "{error}");
    let error = desk.fail(&["export", "m.mercer", "--rust", "m.rs", "--bin", "./m.rs"]);
    assert!(error.contains("asked for twice"), "{error}");
    let error = desk.fail(&["export", "m.mercer", "--bin", "m.mercer"]);
    assert!(error.contains("is read"), "{error}");
    assert_eq!(desk.files(), before);
}

#[cfg(unix)]
#[test]
fn outputs_keep_what_they_are() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let desk = fitted();
    symlink("target.mercer", desk.path("link.mercer")).expect("a link");
    fs::write(desk.path("target.mercer"), "old").expect("a file");
    fs::set_permissions(desk.path("target.mercer"), fs::Permissions::from_mode(0o600))
        .expect("mode");
    desk.succeed(&["fit", "good.csv", "--out", "link.mercer"]);
    assert!(desk.path("link.mercer").is_symlink(), "a link stays a link");
    let mode = fs::metadata(desk.path("target.mercer")).expect("the file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "and a file as private as it was");
    desk.succeed(&["fit", "good.csv", "--out", "/dev/null"]);
    assert!(!fs::metadata("/dev/null").expect("it is there").is_file(), "and a device a device");
}

#[test]
fn rows_that_are_not_there_are_missed_by_every_command() {
    let desk = fitted();
    desk.write("rows.txt", "3 99");
    desk.write("empty.csv", "a,b\n");
    for command in ["score", "project"] {
        let error = desk.fail(&[command, "m.mercer", "good.csv", "--rows", "rows.txt"]);
        assert!(error.contains("there is no row 99, only 12 rows"), "{error}");
        let error = desk.fail(&[command, "m.mercer", "empty.csv"]);
        assert!(error.contains("no rows below the header"), "{error}");
        let error = desk.fail(&[command, "m.mercer", "good.csv", "--where", "a=77"]);
        assert!(error.contains("none of its 12 rows was chosen"), "{error}");
    }
}

#[test]
fn nothing_can_be_learned_from_equal_rows() {
    let desk = Desk::new();
    desk.write("constant.csv", &format!("a,b\n{}", "1,2\n".repeat(20)));
    let error = desk.fail(&["fit", "constant.csv", "--out", "m.mercer"]);
    assert!(error.contains("all samples are equal"), "{error}");
}
