//! Rows with cells that say nothing.

mod common;

use common::{Desk, column};

/// Three inputs, the third of which is the sum of the others.
fn fitted() -> Desk {
    let desk = Desk::new();
    let mut csv = String::from("a,b,sum\n");
    for i in 0..80 {
        let (a, b) = (f64::from(i * 37 % 80) / 10.0, f64::from(i * 53 % 80) / 20.0);
        csv += &format!("{a},{b},{}\n", a + b + 0.1 * f64::from(i % 3));
    }
    desk.write("good.csv", &csv);
    desk.succeed(&["fit", "good.csv", "--out", "m.mercer"]);
    desk
}

/// Rows 1, 2, 3 and 5 lack something, row 4 everything.
const HOLES: &str = "a,b,sum\n4,2,6\n4,,6\nn/a,2,6\nNaN,2,60\n, NA ,null\n4,inf,\n4,2,6.1\n";

fn numbers(csv: &str) -> Vec<u64> {
    csv.lines().skip(1).map(|line| line.split(',').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn by_default_they_are_an_error() {
    let desk = fitted();
    desk.write("holes.csv", HOLES);
    for arguments in [
        ["score", "m.mercer", "holes.csv"].as_slice(),
        &["score", "m.mercer", "holes.csv", "--missing", "error"],
    ] {
        let error = desk.fail(arguments);
        assert!(error.contains("holes.csv:3:2: the cell is empty (column b"), "{error}");
        assert!(error.contains("to leave such rows out: --missing skip)"), "{error}");
    }
}

#[test]
fn they_can_be_skipped_and_are_counted() {
    let desk = fitted();
    desk.write("holes.csv", HOLES);
    let output = desk.run(&["score", "m.mercer", "holes.csv", "--missing", "skip"]);
    assert!(output.status.success());
    let answers = String::from_utf8(output.stdout).unwrap();
    assert_eq!(numbers(&answers), [0, 6]);
    assert!(answers.starts_with("row,spe,t2,abs_sum,unusual,alarm\n"), "{answers}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "mercer: 5 rows with missing inputs left out\n");
    // The same numbers as without the others.
    desk.write("whole.csv", "a,b,sum\n4,2,6\n4,2,6.1\n");
    let whole = desk.succeed(&["score", "m.mercer", "whole.csv"]);
    assert_eq!(column(&whole, "spe"), column(&answers, "spe"));
}

#[test]
fn they_can_be_imputed_and_the_row_says_so() {
    let desk = fitted();
    desk.write("holes.csv", HOLES);
    let output = desk.run(&["score", "m.mercer", "holes.csv", "--missing", "impute", "--why"]);
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "mercer: 1 row without any inputs left out\n");
    let answers = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<Vec<&str>> = answers.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0][..9].join(","), "row,spe,t2,abs_sum,unusual,alarm,missing,suspect,expected");
    let missing: Vec<_> = rows[1..].iter().map(|row| (row[0], row[4], row[6])).collect();
    let expected = [
        ("0", "0", ""),
        ("1", "0", "b"),
        ("2", "0", "a"),
        // What is there is judged.
        ("3", "1", "a"),
        ("5", "0", "b;sum"),
        ("6", "0", ""),
    ];
    assert_eq!(missing, expected, "{answers}");
    // Whoever is missing is not to blame.
    assert_ne!(rows[4][7], "a", "{answers}");
    assert!(rows[1..].iter().all(|row| row.len() == rows[0].len()), "{answers}");
}

#[test]
fn other_words_stay_an_error() {
    let desk = fitted();
    for (cell, why) in [("x", "\"x\" is not a number"), ("1e400", "is not a finite number")] {
        desk.write("bad.csv", &format!("a,b,sum\n4,{cell},6\n"));
        for missing in ["skip", "impute"] {
            let error = desk.fail(&["score", "m.mercer", "bad.csv", "--missing", missing]);
            assert!(error.contains("bad.csv:2:2:") && error.contains(why), "{error}");
        }
    }
    desk.write("bad.csv", "a,b,sum\n4,1,6\n");
    assert!(!desk.run(&["score", "m.mercer", "bad.csv", "--missing", "zero"]).status.success());
}
