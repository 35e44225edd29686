//! The data and the models that the examples carry, made from recordings.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, ensure};

use crate::toolchain::host_cargo;

/// The recordings of the watch, which `mercer demo` carries too.
const RECORDINGS: &str = "cli/data/motions";
const MOTIONS: &str = "examples/data/motions";
const WALKING: &str = "examples/data/walking";
const SHOULDER: &str = "examples/data/shoulder";

/// Makes the files, or with `check` says which are not what would be made.
pub(crate) fn run(check: bool) -> Result<ExitCode> {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in the project")?;
    for (file, activities) in [
        ("train", ["walking"].as_slice()),
        ("test", &["walking", "running", "badminton", "standing"]),
    ] {
        let csv = root.join(RECORDINGS).join(file).with_extension("csv");
        let text = fs::read_to_string(&csv).with_context(|| csv.display().to_string())?;
        for activity in activities {
            let name = format!("{MOTIONS}/{file}_{activity}.f32");
            settle(root, &name, &recordings(&text, activity)?, check)?;
        }
    }
    for file in ["train", "test"] {
        let csv = root.join(SHOULDER).join(file).with_extension("csv");
        let text = fs::read_to_string(&csv).with_context(|| csv.display().to_string())?;
        settle(root, &format!("{SHOULDER}/{file}.i16"), &counts(&text)?, check)?;
    }
    MODELS.iter().try_for_each(|model| model.settle(root, check))?;
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

/// The axes of all rows of the shoulder exercises, as little-endian `i16`.
fn counts(csv: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for (line, row) in csv.lines().enumerate().skip(1) {
        for field in row.split(',').skip(2) {
            let count: i16 = field.parse().with_context(|| format!("line {}", line + 1))?;
            bytes.extend(count.to_le_bytes());
        }
    }
    Ok(bytes)
}

/// A model that the host command makes of raw recordings, and what it says of others.
struct Model {
    folder: &'static str,
    name: &'static str,
    /// How it is fitted, without where it goes.
    fit: &'static [&'static str],
    /// What its samples are on a device.
    samples: &'static str,
    test: &'static str,
    /// Which rows are scored, one kind after the other.
    scored: &'static [&'static [&'static str]],
}

const MODELS: [Model; 2] = [
    Model {
        folder: WALKING,
        name: "WALKING",
        // The recipe of `examples/support/motions.rs`.
        fit: &[
            "cli/data/motions/train.csv",
            "--where",
            "activity=walking",
            "--drop",
            "t_s",
            "--by",
            "recording",
            "--window",
            "16",
            "--features",
            "mean,logstd",
            "--rate",
            "10",
            "--landmarks",
            "12",
            "--components",
            "4",
        ],
        samples: "f32",
        test: "cli/data/motions/test.csv",
        scored: &[
            &["--where", "activity=walking"],
            &["--where", "activity=running"],
            &["--where", "activity=badminton"],
            &["--where", "activity=standing"],
        ],
    },
    Model {
        folder: SHOULDER,
        name: "ROWING",
        fit: &[
            "examples/data/shoulder/train.csv",
            "--drop",
            "exercise",
            "--by",
            "recording",
            "--window",
            "64",
            "--features",
            "mean,logstd,logmad",
            "--units",
            "0.001",
            "--rate",
            "50",
            "--landmarks",
            "24",
            "--components",
            "12",
        ],
        samples: "i16",
        test: "examples/data/shoulder/test.csv",
        scored: &[&[]],
    },
];

impl Model {
    fn settle(&self, root: &Path, check: bool) -> Result<()> {
        let folder = root.join("target/data").join(self.name);
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let path = |name: &str| folder.join(name).display().to_string();
        let (model, source) = (path("model.mercer"), path("model.rs"));
        mercer(root, &[&["fit"], self.fit, &["--out", &model]].concat())?;
        let export = ["export", &model, "--rust", &source, "--name", self.name];
        mercer(root, &[export.as_slice(), &["--samples", self.samples]].concat())?;
        let source = fs::read(&source).with_context(|| source.clone())?;
        settle(root, &format!("{}/model.rs", self.folder), &source, check)?;
        let mut scores = String::new();
        for rows in self.scored {
            let score = ["score", &model, self.test, "--by", "recording"];
            let said = String::from_utf8(mercer(root, &[&score, *rows].concat())?)?;
            let first = if scores.is_empty() { 0 } else { 1 };
            scores.extend(said.split_inclusive('\n').skip(first));
        }
        settle(root, &format!("{}/scores.csv", self.folder), scores.as_bytes(), check)
    }
}

/// Runs the host command: as a program and not as a dependency, which every firmware would wait for
/// that is run through here.
fn mercer(root: &Path, arguments: &[&str]) -> Result<Vec<u8>> {
    let package = ["run", "--quiet", "--package", "mercer-cli", "--"];
    let mut command = Command::new(host_cargo());
    command.current_dir(root).args(package).args(arguments).stderr(Stdio::inherit());
    let output = command.output().context("cargo does not run")?;
    ensure!(output.status.success(), "mercer {} failed", arguments.join(" "));
    Ok(output.stdout)
}
