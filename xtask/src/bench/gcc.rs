//! Programs in C for emulated cores.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::firmware::Project;
use crate::toolchain;

const GCC: &str = "arm-none-eabi-gcc";

/// A board, and what GCC needs to know of its core.
pub(crate) const BOARDS: [(&str, &[&str]); 2] = [
    ("m0", &["-mcpu=cortex-m0", "-mthumb"]),
    ("m4f", &["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"]),
];

/// What is missing, if anything is.
pub(crate) fn missing() -> Option<String> {
    toolchain::on_path(GCC).is_none().then(|| {
        format!(
            "{GCC} is not on the PATH: apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi"
        )
    })
}

/// Where the sources are that are not written by a program.
pub(crate) fn sources(project: &Project) -> PathBuf {
    project.root.join("xtask/src/bench/c")
}

/// Links these files with `machine.c` to a program, which finds headers in `folder`, too.
pub(crate) fn build(
    project: &Project,
    folder: &Path,
    core: &[&str],
    opt: &str,
    files: &[PathBuf],
) -> Result<PathBuf> {
    let (elf, sources) = (folder.join("program.elf"), sources(project));
    let output = Command::new(GCC)
        .args(core)
        // In C99 GCC contracts nothing, so scores have the bits of Rust's.
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror"])
        .arg(format!("-O{opt}"))
        .args(["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections", "-nostartfiles"])
        .args([Path::new("-I"), folder, Path::new("-I"), &sources])
        .arg("-T")
        .args([sources.join("link.ld"), sources.join("machine.c")])
        .args(files)
        .args(["-lm", "-lgcc", "-o"])
        .arg(&elf)
        .output()
        .with_context(|| format!("{GCC} does not run"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{GCC} failed:\n{said}");
    Ok(elf)
}
