//! The data and the model that the examples carry, made from the recordings in `examples/data/motions`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use mercer::kernel::Rbf;
use mercer::{Components, Learner, Recipe};

#[path = "../../examples/support/motions.rs"]
mod motions;

use motions::{FEATURES, ROWS, TRAINING, Window, windows};

const MOTIONS: &str = "examples/data/motions";
const MODEL: &str = "examples/data/walking.rs";

/// Two seconds.
const LENGTH: usize = 20;
const WINDOWS: usize = ROWS / LENGTH;
/// Size of the model in flash.
const POINTS: usize = 12;
const COMPONENTS: usize = 4;

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
    settle(root, MODEL, walking_model()?.as_bytes(), check)?;
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

/// A detector of walking as Rust source; `{:?}` prints floats so that they read back bit for bit.
fn walking_model() -> Result<String> {
    let mut learner = Box::new(Learner::<Rbf<f32>, Window, WINDOWS, POINTS, COMPONENTS>::new());
    for window in windows::<LENGTH>(&TRAINING) {
        learner.push(&window)?;
    }
    let kernel = Rbf::for_inputs(FEATURES);
    let components = Components::Fixed(COMPONENTS);
    learner.learn(kernel, Recipe { components, ..Recipe::default() })?;

    let detector = learner.detector()?;
    let expansion = detector.model().expansion();
    let mut text = String::from(
        "//! What walking looks like to a smart watch. Made by `cargo xtask data`: do not edit.\n\n\
         use super::motions::Window;\n\
         use mercer::kernel::Rbf;\n\
         use mercer::model::{Expansion, Header};\n\
         use mercer::{Detector, KernelPca, Scaling, Thresholds, Watch::Spe};\n\n",
    );
    writeln!(
        text,
        "/// Instants in a window.\n\
         pub(crate) const LENGTH: usize = {LENGTH};\n\n\
         const KERNEL: Rbf<f32> = Rbf::new({:?});\n\
         #[rustfmt::skip]\n\
         const POINTS: [Window; {POINTS}] = [\n{}];\n\n\
         /// {POINTS} of {WINDOWS} windows as points, {COMPONENTS} components.\n\
         #[rustfmt::skip]\n\
         pub(crate) static WALKING: Detector<Rbf<f32>, Window, {POINTS}, {COMPONENTS}> = Detector::from_parts(\n\
         \x20   {:?},\n\
         \x20   KernelPca::from_parts(\n\
         \x20       KERNEL,\n\
         \x20       POINTS,\n\
         \x20       Expansion::from_parts(\n\
         \x20           {:?},\n\
         \x20           [\n{}            ],\n\
         \x20           {:?},\n\
         \x20           {:?},\n\
         \x20           {:?},\n\
         \x20       ),\n\
         \x20   )\n\
         \x20   .with_memos(KERNEL.memos(&POINTS)),\n\
         \x20   {:?},\n\
         );",
        kernel.gamma,
        rows(4, detector.model().points().iter().map(|point| point.as_slice())),
        detector.scaling(),
        expansion.header(),
        rows(16, expansion.weights().iter_rows()),
        expansion.centre(),
        expansion.offsets(),
        expansion.variances(),
        detector.thresholds(),
    )?;
    Ok(text)
}

/// One row a line.
fn rows<'a>(indent: usize, rows: impl Iterator<Item = &'a [f32]>) -> String {
    rows.map(|row| format!("{:indent$}{row:?},\n", "")).collect()
}
