//! The data and the model that the examples carry, made from the recordings in `examples/data/motions`.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, ensure};

use crate::toolchain::host_cargo;

#[path = "../../examples/support/motions.rs"]
mod motions;

use motions::{DEVIATIONS, FEATURES, MODEL_LENGTH, NAMES, TRAINING, UNSEEN, Window, windows};

const MOTIONS: &str = "examples/data/motions";
const WALKING: &str = "examples/data/walking";

/// Of the unseen windows, each so-many-th is a reading for the model.
const EVERY: usize = 10;

/// Makes the files, or with `check` says which are not what would be made.
pub(crate) fn run(check: bool) -> Result<ExitCode> {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in the project")?;
    for (file, activities) in [
        ("train", ["walking"].as_slice()),
        ("test", &["walking", "running", "badminton", "standing"]),
    ] {
        let csv = root.join(MOTIONS).join(file).with_extension("csv");
        let text = fs::read_to_string(&csv).with_context(|| csv.display().to_string())?;
        for activity in activities {
            let name = format!("{MOTIONS}/{file}_{activity}.f32");
            settle(root, &name, &recordings(&text, activity)?, check)?;
        }
    }
    let train = windows::<MODEL_LENGTH>(&TRAINING).map(|window| ("walking", window));
    settle(root, &format!("{WALKING}/train.csv"), table(train).as_bytes(), check)?;
    let readings = UNSEEN.iter().flat_map(|(activity, recordings)| {
        windows::<MODEL_LENGTH>(recordings).step_by(EVERY).map(move |window| (*activity, window))
    });
    settle(root, &format!("{WALKING}/readings.csv"), table(readings).as_bytes(), check)?;
    let made = Walking::make(root)?;
    settle(root, &format!("{WALKING}/model.rs"), &made.source, check)?;
    settle(root, &format!("{WALKING}/scores.csv"), &made.scores, check)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes one file, or checks it.
fn settle(root: &Path, name: &str, made: &[u8], check: bool) -> Result<()> {
    let path = root.join(name);
    let same = fs::read(&path).is_ok_and(|found| found == made);
    if check {
        ensure!(same, "{name} is out of date: run `cargo xtask data`");
    } else if !same {
        fs::write(&path, made).with_context(|| name.to_string())?;
    }
    println!("{name}: {} bytes, {}", made.len(), if same { "up to date" } else { "written" });
    Ok(())
}

/// The six axes of one activity's rows, as little-endian `f32`.
fn recordings(csv: &str, activity: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for (line, row) in csv.lines().enumerate().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        ensure!(fields.len() == 9, "line {}: {} fields instead of 9", line + 1, fields.len());
        if fields[1] == activity {
            for field in &fields[3..] {
                let value: f32 = field.parse().with_context(|| format!("line {}", line + 1))?;
                bytes.extend(value.to_le_bytes());
            }
        }
    }
    Ok(bytes)
}

/// Windows as CSV: the activity, then the features, each as the shortest text that reads back as the same number.
fn table(windows: impl Iterator<Item = (&'static str, Window)>) -> String {
    let names = columns();
    let mut text = format!("activity,{}\n", names.join(","));
    for (activity, window) in windows {
        text += activity;
        for feature in window {
            text += &format!(",{feature:?}");
        }
        text += "\n";
    }
    text
}

/// What the features are called in a CSV file.
fn columns() -> [String; FEATURES] {
    NAMES.map(|name| name.replace(" of ", "_"))
}

/// What the host command makes of the windows: a model, its source, and the scores of readings.
struct Walking {
    source: Vec<u8>,
    scores: Vec<u8>,
}

impl Walking {
    fn make(root: &Path) -> Result<Self> {
        // As a program and not as a dependency, which every firmware would wait for that is run through here.
        let mercer = |arguments: &[&str]| -> Result<Vec<u8>> {
            let package = ["run", "--quiet", "--package", "mercer-cli", "--"];
            let mut command = Command::new(host_cargo());
            command.current_dir(root).args(package).args(arguments).stderr(Stdio::inherit());
            let output = command.output().context("cargo does not run")?;
            ensure!(output.status.success(), "mercer {} failed", arguments.join(" "));
            Ok(output.stdout)
        };
        let folder = root.join("target/walking");
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let (model, source) = (folder.join("walking.mercer"), folder.join("model.rs"));
        let path = |path: &Path| path.display().to_string();
        let (train, readings) = (format!("{WALKING}/train.csv"), format!("{WALKING}/readings.csv"));
        let sizes = ["--landmarks", "12", "--components", "4"];
        let names = columns();
        let deviations = DEVIATIONS.map(|feature| names[feature].as_str()).join(",");
        let log = ["--log", &deviations, "--out", &path(&model)];
        let fit = [["fit", &train, "--drop", "activity"], log].concat();
        mercer(&[fit.as_slice(), &sizes].concat())?;
        mercer(&["export", &path(&model), "--rust", &path(&source), "--name", "WALKING"])?;
        let scores = mercer(&["score", &path(&model), &readings])?;
        Ok(Self { source: fs::read(&source).with_context(|| path(&source))?, scores })
    }
}
