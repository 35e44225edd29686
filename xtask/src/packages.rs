//! `cargo xtask packages`: what `mercer export --package` writes, given to the tools that its users
//! have.
//!
//! An Arduino library is built for an Uno and run in simavr; its scores and alarms must be those of
//! `mercer score`. PlatformIO and ESP-IDF pack theirs. Of a Zephyr module the manifest and Kconfig
//! are checked, and the source compiled. Whatever tool is missing, its step is skipped, with the
//! command that installs it.

mod uno;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::bench::Purpose;
use crate::device::{Outcome, Report};
use crate::exported::{self, mercer};
use crate::firmware::Project;
use crate::toolchain;

const PYTHON_TOOLS: &str = "pip install platformio idf-component-manager kconfiglib pyyaml";
const ARM_GCC: &str = "arm-none-eabi-gcc";
const STRICT: [&str; 8] = [
    "-std=c99",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wpedantic",
    "-Wconversion",
    "-Wshadow",
    "-ffp-contract=off",
];

/// Forms of a model, and what they are exported with.
const FORMS: [(&str, &[&str]); 5] = [
    ("f32", &[]),
    ("i16", &["--quantised"]),
    ("raw", &["--samples", "i16"]),
    ("projection", &["--project", "2"]),
    ("i16-projection", &["--project", "2", "--quantised"]),
];

pub(crate) fn run(purpose: Purpose, limit: Duration) -> Result<ExitCode> {
    let desk = Desk::new(Project::read()?)?;
    let mut report = Report::default();
    let mut uno = uno::Uno::default();
    for (form, _) in FORMS {
        report.step(form, "host", || desk.on_host(form));
        report.step(form, "arduino", || uno.step(&desk, form, limit));
        report.step(form, "pio", || desk.platformio(form));
        report.step(form, "esp-idf", || desk.esp_idf(form));
        report.step(form, "zephyr", || desk.zephyr(form));
    }
    uno.record(&desk.project, purpose)?;
    Ok(report.verdict())
}

/// Where packages are made.
struct Desk {
    project: Project,
    folder: PathBuf,
    /// Readings, and what C must print of them.
    readings: Vec<Vec<f32>>,
    expected: Vec<String>,
}

impl Desk {
    /// Fits a model of readings and one of raw samples, and packs them for all.
    fn new(project: Project) -> Result<Self> {
        let folder = project.c_dir().join("packages");
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
        }
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let path = |name: &str| folder.join(name).display().to_string();
        let run = |arguments: &[&str]| mercer(&project.root, arguments);
        let (usual, readings) = exported::readings(60, 4);
        fs::write(path("train.csv"), exported::csv(&usual))?;
        fs::write(path("readings.csv"), exported::csv(&readings))?;
        let few = ["--landmarks", "12", "--components", "3", "--log", "none", "--force"];
        let (train, raw) = (path("train.csv"), path("raw.csv"));
        run(&[&["fit", &train, "--out", &path("readings.mercer")], &few[..]].concat())?;
        let counts: String = (0..2_400_i32).map(|t| format!("{}\n", (t * t) % 97 - 48)).collect();
        fs::write(&raw, format!("vibration\n{counts}"))?;
        let window = ["--window", "16", "--features", "mean,logstd,bands2"];
        run(&[&["fit", &raw, "--out", &path("raw.mercer")], &window[..], &few].concat())?;
        for (form, options) in FORMS {
            for ecosystem in ["arduino", "platformio", "esp-idf", "zephyr"] {
                let model = path(if form == "raw" { "raw.mercer" } else { "readings.mercer" });
                let out = path(&format!("{form}-{ecosystem}"));
                let export = ["export", &model, "--package", ecosystem, "--out", &out];
                run(&[&export[..], options].concat())?;
            }
        }
        let scores = run(&["score", &path("readings.mercer"), &path("readings.csv")])?;
        let expected = scores.lines().skip(1).map(exported::expected).collect::<Result<_>>()?;
        Ok(Self { project, folder, readings, expected })
    }

    fn package(&self, form: &str, ecosystem: &str) -> PathBuf {
        self.folder.join(format!("{form}-{ecosystem}"))
    }

    /// What the example of a package prints here.
    fn example(&self, form: &str) -> Result<Vec<String>> {
        let package = self.package(form, "platformio");
        let program = self.folder.join(format!("{form}-example"));
        let mut cc = Command::new("cc");
        cc.args(STRICT).arg("-I").arg(package.join("src"));
        cc.args([package.join("src/model.c"), package.join("examples/score/src/main.c")]);
        said(cc.arg("-lm").arg("-o").arg(&program))?;
        Ok(said(&mut Command::new(program))?.lines().map(str::to_string).collect())
    }

    fn on_host(&self, form: &str) -> Result<(Outcome, String)> {
        if let Some(skipped) = missing(&["cc"], "apt-get install gcc libc6-dev") {
            return Ok(skipped);
        }
        let lines = self.example(form)?;
        let first = lines.first().context("the example says nothing")?;
        ensure!(first.ends_with("self-test 0"), "{first}");
        Ok((Outcome::Passed, lines.join("; ")))
    }

    /// Packs a library, by both kinds of manifest.
    fn platformio(&self, form: &str) -> Result<(Outcome, String)> {
        if let Some(skipped) = missing(&["pio"], PYTHON_TOOLS) {
            return Ok(skipped);
        }
        let mut detail = String::new();
        for ecosystem in ["platformio", "arduino"] {
            let package = self.package(form, ecosystem);
            let pack = |folder: &Path| {
                let mut pio = Command::new("pio");
                pio.args(["pkg", "pack", "--output"]).arg(self.folder.join("pio.tar.gz"));
                said(pio.arg(folder))
            };
            match pack(&package) {
                // It looks licences up in the network.
                Err(error) if error.to_string().contains("Could not load SPDX") => {
                    let copy = self.folder.join(format!("{form}-without-licence"));
                    copy_folder(&package, &copy)?;
                    let manifest = copy.join("library.json");
                    let lines = fs::read_to_string(&manifest)?;
                    let lines = lines.lines().filter(|line| !line.contains("\"license\""));
                    fs::write(&manifest, lines.collect::<Vec<_>>().join("\n"))?;
                    pack(&copy)?;
                    detail =
                        "packed without the name of the licence, whose list could not be fetched"
                            .into();
                }
                packed => drop(packed?),
            }
        }
        Ok((Outcome::Passed, detail))
    }

    fn esp_idf(&self, form: &str) -> Result<(Outcome, String)> {
        if let Some(skipped) = missing(&["compote"], PYTHON_TOOLS) {
            return Ok(skipped);
        }
        let mut compote = Command::new("compote");
        compote.args(["component", "pack", "--name", "model", "--project-dir"]);
        compote.arg(self.package(form, "esp-idf"));
        said(compote.arg("--dest-dir").arg(self.folder.join(format!("{form}-idf"))))?;
        Ok((Outcome::Passed, String::new()))
    }

    fn zephyr(&self, form: &str) -> Result<(Outcome, String)> {
        let package = self.package(form, "zephyr");
        let gcc = "apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi";
        if let Some(skipped) = missing(&[ARM_GCC], gcc) {
            return Ok(skipped);
        }
        for core in ["-mcpu=cortex-m0", "-mcpu=cortex-m4"] {
            for file in ["src/model.c", "samples/score/src/main.c"] {
                let mut compiler = Command::new(ARM_GCC);
                compiler.args(STRICT).args([core, "-mthumb", "-Os", "-c", "-o", "/dev/null", "-I"]);
                said(compiler.arg(package.join("src")).arg(package.join(file)))?;
            }
        }
        let mut python = Command::new("python3");
        let import = python.args(["-c", "import kconfiglib, yaml"]).output();
        if !import.is_ok_and(|output| output.status.success()) {
            let why = format!("compiled, but its manifest is not checked: {PYTHON_TOOLS}");
            return Ok((Outcome::Skipped, why));
        }
        let mut python = Command::new("python3");
        python.args(["-c", include_str!("packages/zephyr.py")]).arg(package);
        said(python.arg("MERCER_MODEL").arg(self.folder.join(format!("{form}-Kconfig"))))?;
        Ok((Outcome::Passed, String::new()))
    }
}

/// Why a step is skipped, if a tool is not there.
fn missing(tools: &[&str], install: &str) -> Option<(Outcome, String)> {
    let missing: Vec<&&str> =
        tools.iter().filter(|tool| toolchain::on_path(tool).is_none()).collect();
    let first = missing.first()?;
    Some((Outcome::Skipped, format!("no {first} on the PATH: {install}")))
}

/// What a program prints, which must end well.
fn said(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot start {name}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{name}: {}\n{text}{complaint}", output.status);
    Ok(text)
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy_folder(&entry.path(), &place)?,
            false => drop(fs::copy(entry.path(), place)?),
        }
    }
    Ok(())
}
