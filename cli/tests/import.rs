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
        assert!(summary.contains(" % of normal readings"), "calibrated: {summary}");
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
fn the_page_shows_the_snippet() {
    let page = fs::read_to_string(root().join("docs/SKLEARN.md")).expect("the page");
    let snippet = fs::read_to_string(root().join("cli/sklearn_dump.py")).expect("the snippet");
    assert!(
        page.contains(&snippet),
        "docs/SKLEARN.md has another snippet than cli/sklearn_dump.py"
    );
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
    assert!(error.contains("scale.json: a scale of the scaler is not finite and > 0"), "{error}");
    desk.write("good.json", &dump);
    let error = desk.fail(&["import", "sklearn", "good.json", "--alpha", "5"]);
    assert!(error.contains("--alpha must be a share > 0 and < 1"), "{error}");
    assert_eq!(desk.files().iter().filter(|name| name.ends_with(".mercer")).count(), 0);
}

/// A dump with something changed in it.
fn changed(name: &str, change: impl FnOnce(&mut serde_json::Value)) -> String {
    let dump = fs::read_to_string(dumped().join(format!("{name}.json"))).expect("a dump");
    let mut dump = serde_json::from_str(&dump).expect("JSON");
    change(&mut dump);
    dump.to_string()
}

/// Multiplies all numbers in some JSON.
fn scale(value: &mut serde_json::Value, factor: f64) {
    match value {
        serde_json::Value::Array(values) => values.iter_mut().for_each(|v| scale(v, factor)),
        number => *number = (factor * number.as_f64().expect("a number")).into(),
    }
}

#[test]
fn eigenvectors_must_belong_to_the_samples() {
    let desk = Desk::new();
    let refused = |dump: &str, why: &str| {
        desk.write("bad.json", dump);
        let error = desk.fail(&["import", "sklearn", "bad.json"]);
        assert!(error.contains("bad.json: ") && error.contains(why), "{error}");
        assert!(!desk.path("bad.mercer").exists());
    };
    let other = "does not belong to the samples";
    for kernel in KERNELS {
        let rows = |dump: &mut serde_json::Value, field: &str| {
            dump[field].as_array_mut().expect("rows").swap(0, 17);
        };
        refused(&changed(kernel, |dump| rows(dump, "samples")), other);
        refused(&changed(kernel, |dump| rows(dump, "eigenvectors")), other);
        refused(&changed(kernel, |dump| scale(&mut dump["eigenvalues"], 1.01)), other);
        refused(&changed(kernel, |dump| scale(&mut dump["eigenvectors"], 1.01)), "not orthonormal");
        // One number of the last component.
        let nudge = |dump: &mut serde_json::Value| {
            let vector = dump["eigenvectors"][3].as_array_mut().expect("a row");
            let last = vector.last_mut().expect("a component");
            *last = (last.as_f64().expect("a number") + 0.02).into();
        };
        refused(&changed(kernel, nudge), "");
        // Those of another model.
        let source = if kernel == "rbf" { "sigmoid" } else { "rbf" };
        let source = fs::read_to_string(dumped().join(format!("{source}.json"))).expect("a dump");
        let source: serde_json::Value = serde_json::from_str(&source).expect("JSON");
        let mixed = changed(kernel, |dump| {
            for field in ["eigenvalues", "eigenvectors"] {
                dump[field] = source[field].clone();
            }
        });
        refused(&mixed, other);
    }
    refused(&changed("rbf", |dump| dump["gamma"] = 0.3.into()), other);
    refused(&changed("rbf", |dump| dump["kernel"] = "laplacian".into()), other);
    refused(&changed("rbf", |dump| dump["gamma"] = (-1.0).into()), "`gamma` must be");
    refused(&changed("poly", |dump| dump["degree"] = 1e300.into()), "degree 1e300");
    refused(&changed("rbf", |dump| dump["extra"] = 1.into()), "unknown field");
    refused(&changed("rbf", |dump| dump["eigenvalues"][0] = 1e-3.into()), "descend");
    // Twice the same component, the second with the right eigenvalue for it.
    let twice = changed("rbf", |dump| {
        dump["eigenvalues"][1] = dump["eigenvalues"][0].clone();
        for row in dump["eigenvectors"].as_array_mut().expect("rows") {
            row[1] = row[0].clone();
        }
    });
    refused(&twice, "eigenvectors 0 and 1 are not orthonormal");
    // Signs are free; and single precision is as good as it can be.
    desk.write("turned.json", &changed("rbf", |dump| scale(&mut dump["eigenvectors"], -1.0)));
    desk.succeed(&["import", "sklearn", "turned.json"]);
    let single = changed("rbf", |dump| {
        for field in ["eigenvalues", "eigenvectors"] {
            to_single(&mut dump[field]);
        }
    });
    desk.write("single.json", &single);
    desk.succeed(&["import", "sklearn", "single.json"]);
}

fn to_single(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Array(values) => values.iter_mut().for_each(to_single),
        number => *number = f64::from(number.as_f64().expect("a number") as f32).into(),
    }
}
