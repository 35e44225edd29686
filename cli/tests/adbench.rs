//! Real anomaly sets through `fit` and `score`.

mod common;

use std::fs;

use common::{Desk, column, shared, text};

#[test]
fn auroc_on_real_data_is_that_of_the_reference() {
    let Some(folder) = shared("adbench") else { return };
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a file of adbench");
    let (splits, reference) = (read("splits.csv"), read("reference_kpca.csv"));
    let names: Vec<&str> = reference.lines().next().expect("a header").split(',').collect();
    let at = |name: &str| names.iter().position(|found| *found == name).expect("the column");
    let mut compared = 0;
    for line in reference.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        // One split of each set, by the recipe whose defaults are ours.
        if cells[1] != "0" || cells[3] != "8m" {
            continue;
        }
        let set = cells[0];
        let rows = splits.lines().find_map(|line| line.strip_prefix(&format!("{set},0,")));
        let desk = Desk::new();
        desk.write("rows.txt", rows.expect("the split"));
        let data = folder.join(format!("{set}.csv"));
        let mut fit = vec!["fit", text(&data), "--drop", "label", "--rows", "rows.txt"];
        fit.extend(["--fold-order", "interleaved", "--gamma", cells[at("gamma")]]);
        fit.extend(["--variance", "0.99", "--landmarks", "all", "--precision", "f64"]);
        // The reference knows no logarithms.
        fit.extend(["--log", "none", "--out", "m.mercer"]);
        desk.succeed(&fit);
        let mut score = vec!["score", "m.mercer", text(&data), "--skip-rows", "rows.txt"];
        let scored = desk.succeed(&score);
        score[0] = "eval";
        score.extend(["--label", "label", "--json"]);
        let evaluation: serde_json::Value =
            serde_json::from_str(&desk.succeed(&score)).expect("JSON");

        let labels = column(&fs::read_to_string(&data).expect("the set"), "label");
        let scores: Vec<(f64, bool)> = column(&scored, "row")
            .into_iter()
            .zip(column(&scored, "spe"))
            .map(|(row, spe)| (spe, labels[row as usize] == 1.0))
            .collect();
        let expected: f64 = cells[at("auroc_spe")].parse().expect("a number");
        let found = auroc(&scores);
        assert!((found - expected).abs() <= 1e-4, "{set}: {found}, reference {expected}");
        let by_eval = evaluation["auroc"]["value"].as_f64().expect("a number");
        assert!((found - by_eval).abs() <= 1e-12, "{set}: eval says {by_eval}, not {found}");
        // Threshold: gamma is chosen anew for each fold there, here it stays.
        let false_alarms: f64 = cells[at("cv4_far_5pct")].parse().expect("a number");
        let by_eval = evaluation["unusual_normal"]["value"].as_f64().expect("a number");
        assert!((by_eval - false_alarms).abs() <= 0.02, "{set}: {by_eval}, {false_alarms}");
        compared += 1;
    }
    assert_eq!(compared, 6);
}

/// What a stranger does first: `mercer fit` on the normal rows of a file, with nothing else said.
/// Warnings are for what is rare.
#[test]
fn fits_with_defaults_are_quiet() {
    let Some(folder) = shared("adbench") else { return };
    for set in ["breastw", "Ionosphere", "vowels", "Pima", "WDBC", "thyroid"] {
        let desk = Desk::new();
        let data = folder.join(format!("{set}.csv"));
        let output = desk.run(&["fit", text(&data), "--where", "label=0", "--out", "m.mercer"]);
        let (said, printed) =
            (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
        assert!(output.status.success() && said.is_empty(), "{set}: {said}");
        assert!(!printed.contains("warning"), "{set}: {printed}");
    }
}

/// By counting all pairs.
fn auroc(scores: &[(f64, bool)]) -> f64 {
    let of = |kind| scores.iter().filter(move |(_, anomaly)| *anomaly == kind).map(|(s, _)| *s);
    let mut won = 0.0;
    for anomaly in of(true) {
        for normal in of(false) {
            won += if anomaly > normal { 1.0 } else { 0.0 }
                + if anomaly == normal { 0.5 } else { 0.0 };
        }
    }
    won / (of(true).count() * of(false).count()) as f64
}
