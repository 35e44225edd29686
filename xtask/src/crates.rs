//! `cargo xtask crates`: what would be published, unpacked and tested as a stranger has it.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};

use crate::firmware::Project;
use crate::toolchain;

/// What is published, in the order of dependence.
const PACKAGES: [&str; 2] = ["mercer", "mercer-cli"];
/// Every package has its own copy, since it is published without the others' folders.
const LICENCES: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];

pub(crate) fn run() -> Result<ExitCode> {
    let project = Project::read()?;
    require_licences(&project.root)?;
    let cargo = |folder: &Path| {
        let mut cargo = Command::new(toolchain::host_cargo());
        cargo.current_dir(folder);
        cargo
    };
    let named = PACKAGES.iter().flat_map(|name| ["--package", name]);
    // Changes that are not committed are to be checked too.
    let mut publish = cargo(&project.root);
    publish.args(["publish", "--dry-run", "--allow-dirty"]).args(named);
    ensure!(publish.status()?.success(), "what would be published does not build");

    // Beside the target folder of the workspace, which has a package of the same name.
    let target = project.device_dir().with_file_name("package");
    let library = unpacked(&target, PACKAGES[0])?;
    for name in PACKAGES {
        let folder = unpacked(&target, name)?;
        let (files, bytes) = size(&folder)?;
        println!("{name}: {files} files, {} KiB", bytes.div_ceil(1024));
        let mut test = cargo(&folder);
        test.arg("test").env("CARGO_TARGET_DIR", target.join("tests"));
        if folder != library {
            let path = library.to_str().context("a path that is text")?;
            test.args(["--config", &format!("patch.crates-io.mercer.path={path:?}")]);
        }
        ensure!(test.status()?.success(), "{name}, unpacked, fails its tests");
    }
    Ok(ExitCode::SUCCESS)
}

/// Where cargo has unpacked it to build it.
fn unpacked(target: &Path, name: &str) -> Result<std::path::PathBuf> {
    let folder = target.join(format!("{name}-{}", env!("CARGO_PKG_VERSION")));
    folder.canonicalize().with_context(|| folder.display().to_string())
}

fn require_licences(root: &Path) -> Result<()> {
    for licence in LICENCES {
        let [ours, copy] = [root.join(licence), root.join("cli").join(licence)]
            .map(|path| fs::read(&path).with_context(|| path.display().to_string()));
        ensure!(ours? == copy?, "cli/{licence} is not what {licence} is");
    }
    Ok(())
}

/// Files of a folder and their bytes.
fn size(folder: &Path) -> Result<(usize, u64)> {
    let (mut files, mut bytes) = (0, 0);
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (more_files, more_bytes) = match entry.file_type()?.is_dir() {
            true => size(&entry.path())?,
            false => (1, entry.metadata()?.len()),
        };
        files += more_files;
        bytes += more_bytes;
    }
    Ok((files, bytes))
}
