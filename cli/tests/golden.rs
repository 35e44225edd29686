//! Golden vectors through the command: CSV in, CSV out.

mod common;

use std::collections::HashMap;
use std::fs;

use common::{Desk, column, difference, golden, parse, text};

/// Relative to the largest entry.
const TOLERANCE: f64 = 1e-9;

#[test]
fn projections_and_scores_are_those_of_scikit_learn() {
    let manifest = fs::read_to_string(golden("manifest.csv")).expect("the manifest");
    let names: Vec<&str> = manifest.lines().next().expect("a header").split(',').collect();
    let mut cases = 0;
    for line in manifest.lines().skip(1) {
        let case: HashMap<&str, &str> = names.iter().copied().zip(line.split(',')).collect();
        if case["type"] == "kpca" {
            check(&case);
            cases += 1;
        }
    }
    assert_eq!(cases, 11);
}

fn check(case: &HashMap<&str, &str>) {
    let (name, dataset) = (case["case"], case["dataset"]);
    let desk = Desk::new();
    let data = |part: &str| golden(&format!("{dataset}_data_{part}.csv"));
    let (train, test) = (data("train"), data("test"));
    let mut fit = vec!["fit", text(&train), "--out", "m.mercer", "--kernel", case["kernel"]];
    fit.extend(["--precision", "f64", "--landmarks", "all", "--scale", "none"]);
    // Some keep all components, so that nothing is left for a score to measure.
    fit.extend(["--components", case["q"], "--force"]);
    for (option, key) in [("--gamma", "gamma"), ("--degree", "degree"), ("--coef0", "coef0")] {
        if !case[key].is_empty() {
            fit.extend([option, case[key]]);
        }
    }
    desk.succeed(&fit);
    for (part, file) in [("test", &test), ("train", &train)] {
        let read = |what: &str| {
            let path = golden(&format!("{name}_{what}.csv"));
            fs::read_to_string(path).expect("golden vectors")
        };
        let projected = desk.succeed(&["project", "m.mercer", text(file)]);
        let (_, rows) = parse(&projected);
        let found: Vec<f64> = rows.iter().flat_map(|row| row[1..].to_vec()).collect();
        let expected: Vec<f64> = parse(&read(part)).1.concat();
        let error = difference(&found, &expected);
        assert!(error <= TOLERANCE, "{name}, projections of {part}: {error:e}");

        let scored = desk.succeed(&["score", "m.mercer", text(file)]);
        let reference = read(if part == "test" { "scores" } else { "scores_train" });
        let centre = column(&reference, "kxx").into_iter().fold(0.0, f64::max);
        for (ours, theirs) in [("spe", "spe"), ("t2", "t2"), ("abs_sum", "fabs")] {
            let (found, expected) = (column(&scored, ours), column(&reference, theirs));
            // SPE is a difference of larger numbers; where all components are kept, it is their
            // rounding.
            let scale = if ours == "spe" {
                centre
            } else {
                expected.iter().fold(0.0, |a: f64, b| a.max(*b))
            };
            let error = found.iter().zip(&expected).map(|(a, b)| (a - b).abs() / scale);
            let error = error.fold(0.0, f64::max);
            assert!(error <= TOLERANCE, "{name}, {ours} of {part}: {error:e}");
        }
    }
}
