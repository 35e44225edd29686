//! Models of scikit-learn, imported.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Desk, difference, golden, parse, root, skipped, text};

const KERNELS: [&str; 5] = ["rbf", "poly", "cosine", "sigmoid", "linear"];

fn dumped() -> PathBuf {
    root().join("cli/tests/data/sklearn")
}

fn check(folder: &Path) {
    let desk = Desk::new();
    let test = golden("iris_data_test.csv");
    for kernel in KERNELS {
        let json = folder.join(format!("{kernel}.json"));
        let summary = desk.succeed(&["import", "sklearn", text(&json), "--out", "m.mercer"]);
        assert!(summary.contains("5.0 % of normal readings"), "calibrated: {summary}");
        let projected = desk.succeed(&["project", "m.mercer", text(&test)]);
        let found: Vec<f64> =
            parse(&projected).1.iter().flat_map(|row| row[1..].to_vec()).collect();
        let expected =
            fs::read_to_string(folder.join(format!("{kernel}.csv"))).expect("projections");
        let error = difference(&found, &parse(&expected).1.concat());
        assert!(error <= 1e-9, "{kernel}: {error:e}");
    }
}

#[test]
fn projections_are_those_of_scikit_learn() {
    check(&dumped());
}

#[test]
fn a_live_scikit_learn_agrees_too() {
    let python = std::env::var("MERCER_PYTHON").unwrap_or_else(|_| "python3".into());
    let desk = Desk::new();
    let made = Command::new(&python).arg(dumped().join("make.py")).arg(desk.path("")).output();
    match made {
        Ok(output) if output.status.success() => check(&desk.path("")),
        Ok(output) => {
            let why = String::from_utf8_lossy(&output.stderr);
            assert!(why.contains("ModuleNotFoundError"), "{why}");
            skipped(&format!("scikit-learn: {}", why.lines().last().unwrap_or_default()));
        }
        Err(error) => skipped(&format!("{python}: {error}")),
    }
}

#[test]
fn the_readme_shows_the_snippet() {
    let readme = fs::read_to_string(root().join("README.md")).expect("the README");
    let snippet = fs::read_to_string(root().join("cli/sklearn_dump.py")).expect("the snippet");
    assert!(readme.contains(&snippet), "README.md has another snippet than cli/sklearn_dump.py");
    assert!(snippet.lines().count() <= 20, "it has grown beyond 20 lines");
}

#[test]
fn what_is_no_dump_is_refused() {
    let desk = Desk::new();
    let refused = |name: &str, json: &str, why: &str| {
        desk.write(name, json);
        let error = desk.fail(&["import", "sklearn", name]);
        assert!(error.contains(name) && error.contains(why), "{error}");
    };
    refused("text.json", "hello", "not a dump");
    refused("half.json", r#"{"kernel": "rbf"}"#, "missing field");
    let dump = fs::read_to_string(dumped().join("rbf.json")).expect("a dump");
    refused("kernel.json", &dump.replace("\"rbf\"", "\"callable\""), "\"callable\"");
    refused(
        "ragged.json",
        &dump.replace("\"samples\": [[", "\"samples\": [[1.0, "),
        "different lengths",
    );
    let mut scaled: serde_json::Value = serde_json::from_str(&dump).expect("JSON");
    scaled["scaler"]["scale"][0] = 0.0.into();
    desk.write("scale.json", &scaled.to_string());
    let error = desk.fail(&["import", "sklearn", "scale.json"]);
    assert!(error.contains("scale.mercer") && error.contains("`deviation`"), "{error}");
    desk.write("good.json", &dump);
    let error = desk.fail(&["import", "sklearn", "good.json", "--alpha", "5"]);
    assert!(error.contains("a share > 0 and < 1"), "{error}");
    assert_eq!(desk.files().iter().filter(|name| name.ends_with(".mercer")).count(), 0);
}
