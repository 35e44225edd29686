//! `cargo xtask minimal`: the workspace with the least version of each direct dependency that its
//! manifests allow.
//!
//! Otherwise nobody notices when code needs more than the manifest says: everyone's lock file has
//! newer ones. It happens in a copy, whose lock file is made anew.

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};

use crate::firmware::Project;
use crate::toolchain;

/// What the copy does without: what was built, and the history.
const LEFT_OUT: [&str; 2] = ["target", ".git"];

pub(crate) fn run() -> Result<ExitCode> {
    let project = Project::read()?;
    let place = project.device_dir().with_file_name("minimal");
    let copy = place.join("workspace");
    if copy.exists() {
        std::fs::remove_dir_all(&copy)?;
    }
    copy_all(&project.root, &copy)?;
    let cargo = || {
        let mut cargo = Command::new(toolchain::host_cargo());
        cargo.current_dir(&copy).env("CARGO_TARGET_DIR", place.join("target"));
        cargo
    };
    let mut update = cargo();
    // Without the variable, a released cargo has no such option; no code is compiled with it.
    update.env("RUSTC_BOOTSTRAP", "1").args(["update", "-Zdirect-minimal-versions"]);
    ensure!(update.status()?.success(), "no versions can be found: raise those in the manifests");
    let check = cargo().args(["check", "--locked", "--workspace", "--all-targets"]).status()?;
    Ok(if check.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Copies a file, or a folder with all that is in it.
fn copy_all(from: &Path, to: &Path) -> Result<()> {
    let what = || format!("{}", from.display());
    if from.is_file() {
        if let Some(parent) = to.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::copy(from, to).with_context(what)?;
        return Ok(());
    }
    for entry in std::fs::read_dir(from).with_context(what)? {
        let entry = entry?;
        if LEFT_OUT.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        copy_all(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}
