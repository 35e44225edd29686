//! Firmware to measure: what all have in common is compiled once for a core and a level, by cargo;
//! what differs is a program of a few lines each, compiled and linked by rustc alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Result, ensure};
use cargo_metadata::Message;

use super::clock::Clock;
use super::plan::Case;
use super::quantised;
use crate::board::Board;
use crate::firmware::{self, BENCH, Project};
use crate::toolchain::Toolchain;

/// For what, and how, firmware is built.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub(crate) toolchain: &'a Toolchain,
    pub(crate) board: &'static Board,
    /// The optimisation level.
    pub(crate) level: &'a str,
    /// A `-Ctarget-cpu`, or empty.
    pub(crate) cpu: &'a str,
}

/// The library of tasks, and all that it needs, compiled for a setting.
pub(crate) struct Library<'a> {
    setting: Setting<'a>,
    root: PathBuf,
    /// Where firmware goes.
    folder: PathBuf,
    /// Arguments of rustc that all programs share.
    arguments: Vec<String>,
    /// The libraries, and when they were built: cargo keeps those of all levels in the same place.
    built: Vec<(PathBuf, SystemTime)>,
}

/// Where a chip has its memory, if it is not the board that is emulated: flags for the linker.
pub(crate) type Memory = &'static [&'static str];

/// More than the microbit has; see [`crate::board::roomy`].
pub(crate) const ROOMY: Memory = &["--defsym=board_ram_size=4M", "--defsym=board_flash_size=4M"];

impl<'a> Library<'a> {
    pub(crate) fn build(project: &Project, dir: &Path, setting: Setting<'a>) -> Result<Self> {
        let Setting { toolchain, board, level, cpu } = setting;
        let mut cargo = toolchain.cargo("build", dir);
        cargo.current_dir(&project.root);
        cargo.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", level);
        if toolchain.builds_core() {
            // Once for all levels, and for speed: so are those that rustup ships, with the
            // arithmetic of cores without an FPU.
            for package in ["core", "compiler_builtins"] {
                let level = format!("profile.release.package.{package}.opt-level = 3");
                cargo.arg("--config").arg(level);
            }
        }
        if !cpu.is_empty() {
            let target = toolchain.target();
            cargo.arg("--config");
            cargo.arg(format!("target.{target}.rustflags = ['-Ctarget-cpu={cpu}']"));
        }
        if let Some(timer) = Clock::of(board)?.timer {
            cargo.env("BENCH_TIMER", timer.to_string());
        }
        let messages = firmware::build_bench(cargo).with_context(|| format!("at {level}"))?;
        let mut arguments = common_arguments(level, cpu);
        arguments.extend(toolchain.configured_flags(&project.root)?);
        arguments.extend(found(&messages, toolchain)?);
        let folder = dir.join("programs").join(format!("{}-{level}{cpu}", toolchain.target()));
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let libraries = arguments.iter().filter_map(|argument| argument.strip_prefix("--extern="));
        let libraries = libraries.filter_map(|named| named.split_once('=')).map(|(_, path)| path);
        let built = libraries.map(built).collect::<Result<_>>()?;
        Ok(Library { setting, root: project.root.clone(), folder, arguments, built })
    }

    /// Compiles and links a firmware that measures these cases, one after the other.
    pub(crate) fn firmware(&self, name: &str, cases: &[Case], memory: Memory) -> Result<PathBuf> {
        let source = self.folder.join(format!("{name}.rs"));
        fs::write(&source, program(cases)?)?;
        let elf = self.folder.join(format!("{name}.elf"));
        let mut rustc = self.setting.toolchain.rustc();
        rustc.current_dir(&self.root).args(&self.arguments);
        rustc.args(memory.iter().map(|flag| format!("-Clink-arg={flag}")));
        rustc.arg(&source).arg("-o").arg(&elf);
        run(&mut rustc).with_context(|| format!("{name} at {}", self.setting.level))?;
        for (path, before) in &self.built {
            let same = built(path)?.1 == *before;
            ensure!(same, "{} was built anew: does another bench run?", path.display());
        }
        Ok(elf)
    }
}

fn built(path: impl AsRef<Path>) -> Result<(PathBuf, SystemTime)> {
    let path = path.as_ref();
    let context = || path.display().to_string();
    Ok((path.to_path_buf(), fs::metadata(path).with_context(context)?.modified()?))
}

/// As the release profile of the package: one codegen unit, optimised as a whole.
fn common_arguments(level: &str, cpu: &str) -> Vec<String> {
    let mut arguments: Vec<String> = [
        "--crate-name=bench_case",
        "--crate-type=bin",
        "--edition=2024",
        "-Clto",
        "-Ccodegen-units=1",
        "-Cstrip=debuginfo",
    ]
    .map(str::to_string)
    .to_vec();
    arguments.push(format!("-Copt-level={level}"));
    if !cpu.is_empty() {
        arguments.push(format!("-Ctarget-cpu={cpu}"));
    }
    arguments
}

/// Where the libraries are that cargo has built, and the linker's scripts.
fn found(messages: &[Message], toolchain: &Toolchain) -> Result<Vec<String>> {
    let mut arguments = Vec::new();
    let mut has_library = false;
    for message in messages {
        match message {
            Message::CompilerArtifact(artifact) => {
                let library =
                    artifact.filenames.iter().find(|path| path.extension() == Some("rlib"));
                let folders = artifact.filenames.iter().filter_map(|path| path.parent());
                for folder in folders {
                    let argument = format!("-Ldependency={folder}");
                    if !arguments.contains(&argument) {
                        arguments.push(argument);
                    }
                }
                let name = artifact.target.name.as_str();
                match library {
                    Some(path) if name == BENCH => {
                        arguments.push(format!("--extern={BENCH}={path}"));
                        has_library = true;
                    }
                    Some(path) if name == "mercer" => {
                        arguments.push(format!("--extern=mercer={path}"))
                    }
                    // As cargo does it for those that it has built itself.
                    Some(path)
                        if toolchain.builds_core()
                            && ["core", "compiler_builtins"].contains(&name) =>
                    {
                        arguments.push(format!("--extern=noprelude,nounused:{name}={path}"));
                    }
                    _ => {}
                }
            }
            Message::BuildScriptExecuted(script) => {
                arguments.extend(script.linked_paths.iter().map(|path| format!("-L{path}")));
            }
            _ => {}
        }
    }
    ensure!(has_library, "cargo reported no library of tasks");
    Ok(arguments)
}

fn run(rustc: &mut Command) -> Result<()> {
    let output =
        rustc.output().with_context(|| format!("cannot start {:?}", rustc.get_program()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "it does not build\n{}", said.trim_end());
    eprint!("{said}");
    Ok(())
}

/// The name that a program gives to a model in integers.
pub(crate) const INTEGERS: &str = "Quantised";

/// The few lines.
fn program(cases: &[Case]) -> Result<String> {
    let tasks = cases.iter().map(Case::rust_type).collect::<Result<Vec<_>>>()?;
    let whole = cases.iter().find(|case| case.precision == "i16");
    let integers = match whole {
        Some(case) => quantised::integers(INTEGERS, case.task.contains("-log"))?,
        None => String::new(),
    };
    Ok(format!(
        "#![no_std]\n#![no_main]\n#![allow(unused_imports)]\n\
         use bench::{{learning::*, scoring::*, signal::*}};\n\
         use mercer::linalg::eigen::{{Jacobi, TridiagonalQr}};\n\
         {integers}bench::firmware!({});\n",
        tasks.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::plan::SCORE;

    #[test]
    fn a_program_names_its_task_and_brings_integers_only_if_it_needs_them() {
        let text = program(&[SCORE]).unwrap();
        assert!(text.contains("bench::firmware!(Score<8, 64, 4>);"), "{text}");
        assert!(!text.contains(INTEGERS), "{text}");
        let whole = Case { task: "detect-i16", precision: "i16", ..SCORE };
        let text = program(&[whole]).unwrap();
        assert!(text.contains("impl Integers<8, 64, 4> for Quantised"), "{text}");
        assert!(program(&[Case { task: "nonsense", ..SCORE }]).is_err());
    }

    #[test]
    fn flags_are_those_of_the_release_profile() {
        let plain = common_arguments("s", "");
        assert!(
            plain.contains(&"-Copt-level=s".to_string()) && plain.contains(&"-Clto".to_string())
        );
        assert!(!plain.iter().any(|flag| flag.contains("target-cpu")));
        let tuned = common_arguments("3", "cortex-m4");
        assert!(tuned.contains(&"-Ctarget-cpu=cortex-m4".to_string()));
    }
}
