//! Which cargo builds firmware, and how.
//!
//! A target that rustup has installed needs nothing special. Without it, a toolchain that has the
//! sources of the standard library (`rust-src`, or a distribution's package of them) builds `core`
//! itself, which cargo calls `-Zbuild-std`.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// A tool that has to be installed first; the message says how.
#[derive(Debug)]
pub(crate) struct Missing(String);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Missing {}

/// The environment variables with which a user names a cargo and a rustc for firmware.
const CARGO_OVERRIDE: &str = "MERCER_DEVICE_CARGO";
const RUSTC_OVERRIDE: &str = "MERCER_DEVICE_RUSTC";

/// Where a distribution puts its own cargo and rustc, which a rustup earlier on the `PATH` hides.
const SYSTEM_CARGO: &str = "/usr/bin/cargo";
const SYSTEM_RUSTC: &str = "/usr/bin/rustc";

/// A way of building for one target.
#[derive(Debug)]
pub(crate) struct Toolchain {
    target: &'static str,
    compiler: Compiler,
    /// `None` where the target's own default, the toolchain's `rust-lld`, is there.
    linker: Option<PathBuf>,
    build_core: bool,
}

#[derive(Clone, Debug)]
struct Compiler {
    cargo: PathBuf,
    /// `None` for the rustc that cargo finds by itself.
    rustc: Option<PathBuf>,
    sysroot: PathBuf,
}

impl Toolchain {
    /// The target that it builds for.
    pub(crate) fn target(&self) -> &'static str {
        self.target
    }

    /// The first toolchain that has `target` ready, else the first that can build `core` for it.
    pub(crate) fn find(target: &'static str) -> Result<Toolchain> {
        let compilers = candidates()?;
        if let Some(compiler) = compilers.iter().find(|compiler| compiler.has_target(target)) {
            let compiler = compiler.clone();
            return Ok(Toolchain { target, compiler, linker: None, build_core: false });
        }
        let Some(compiler) = compilers.iter().find(|compiler| compiler.has_core_sources()) else {
            return Err(Missing(format!(
                "no Rust toolchain here builds for {target}. Do one of\n  \
                 rustup target add {target}\n  \
                 apt-get install rustc-web cargo-web rust-web-src lld   (builds core from source)\n\
                 or name a cargo and a rustc in {CARGO_OVERRIDE} and {RUSTC_OVERRIDE}"
            ))
            .into());
        };
        let linker = match compiler.rust_lld() {
            Some(_) => None,
            None => Some(other_lld(&compilers)?),
        };
        Ok(Toolchain { target, compiler: compiler.clone(), linker, build_core: true })
    }

    /// Whether `core` is compiled from its sources.
    pub(crate) fn builds_core(&self) -> bool {
        self.build_core
    }

    /// What `.cargo/config.toml` tells rustc for this target, which cargo alone would pass on.
    pub(crate) fn configured_flags(&self, root: &Path) -> Result<Vec<String>> {
        let mut cargo = Command::new(&self.compiler.cargo);
        // A command that is not stable; what it reads is.
        cargo.env("RUSTC_BOOTSTRAP", "1").current_dir(root);
        cargo.args(["-Zunstable-options", "config", "get", "--format", "json", "target"]);
        let output = cargo.output().context("cargo does not run")?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "cargo config: {}", said.trim_end());
        let config: serde_json::Value = serde_json::from_slice(&output.stdout)?;
        Ok(flags_for(&config, self.target))
    }

    /// The rustc that [`cargo`](Self::cargo) uses, with the linker for this target.
    pub(crate) fn rustc(&self) -> Command {
        let program = self.compiler.rustc.as_deref().unwrap_or(Path::new("rustc"));
        let mut command = Command::new(program);
        if self.compiler.rustc.is_some() {
            command.env_remove("RUSTUP_TOOLCHAIN").env_remove("LD_LIBRARY_PATH");
        }
        if self.build_core {
            command.env("RUSTC_BOOTSTRAP", "1").arg("-Zunstable-options");
        }
        command.args(["--target", self.target]);
        if let Some(linker) = &self.linker {
            command.arg(format!("-Clinker={}", linker.display()));
        }
        command
    }

    /// `cargo <subcommand>` for this target, with `target_dir` for its output.
    pub(crate) fn cargo(&self, subcommand: &str, target_dir: &Path) -> Command {
        let mut command = Command::new(&self.compiler.cargo);
        // These would replace the link arguments of .cargo/config.toml.
        command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
        if let Some(rustc) = &self.compiler.rustc {
            // What the cargo that runs us tells its children does not hold for another toolchain.
            command.env_remove("RUSTUP_TOOLCHAIN").env_remove("LD_LIBRARY_PATH");
            command.env("RUSTC", rustc);
        }
        if self.build_core {
            command.env("RUSTC_BOOTSTRAP", "1").arg("-Zbuild-std=core");
        }
        command.args([subcommand, "--quiet", "--target", self.target]);
        command.arg("--target-dir").arg(target_dir);
        if let Some(linker) = &self.linker {
            let linker = linker.display();
            // After the subcommand: a `--config` that a caller adds would else replace it.
            command.arg("--config");
            command.arg(format!("target.'cfg(target_os = \"none\")'.linker = '{linker}'"));
        }
        command
    }
}

/// Those for all devices, then those for this one. A dot in a name has made tables of its parts.
fn flags_for(config: &serde_json::Value, target: &str) -> Vec<String> {
    let common = config.pointer("/target/cfg(target_os = \"none\")");
    let own = config.pointer(&format!("/target/{}", target.replace('.', "/")));
    let flags =
        [common, own].into_iter().flatten().filter_map(|table| table["rustflags"].as_array());
    flags.flatten().filter_map(|flag| flag.as_str().map(str::to_string)).collect()
}

impl fmt::Display for Toolchain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.build_core { ", building core" } else { "" };
        write!(f, "{}{how}", self.compiler.cargo.display())
    }
}

impl Compiler {
    /// `None` if there is no such rustc.
    fn probe(cargo: &Path, rustc: Option<&Path>) -> Option<Compiler> {
        let sysroot = ask_rustc(rustc, &["--print", "sysroot"])?;
        Some(Compiler {
            cargo: cargo.to_path_buf(),
            rustc: rustc.map(Path::to_path_buf),
            sysroot: PathBuf::from(sysroot),
        })
    }

    fn rustlib(&self) -> PathBuf {
        self.sysroot.join("lib/rustlib")
    }

    fn has_target(&self, target: &str) -> bool {
        self.rustlib().join(target).join("lib").is_dir()
    }

    fn has_core_sources(&self) -> bool {
        self.rustlib().join("src/rust/library/core").is_dir()
    }

    /// The linker that rustup ships with a toolchain.
    fn rust_lld(&self) -> Option<PathBuf> {
        let host = ask_rustc(self.rustc.as_deref(), &["--print", "host-tuple"])?;
        let lld = self.rustlib().join(host).join("bin/rust-lld");
        lld.is_file().then_some(lld)
    }
}

/// The toolchains to consider, in order: the user's choice alone, or else the one that runs us,
/// then the distribution's.
fn candidates() -> Result<Vec<Compiler>> {
    let chosen = |variable| env::var_os(variable).map(PathBuf::from);
    let (cargo, rustc) = (chosen(CARGO_OVERRIDE), chosen(RUSTC_OVERRIDE));
    if cargo.is_some() || rustc.is_some() {
        let rustc = rustc.unwrap_or_else(|| "rustc".into());
        let compiler = Compiler::probe(&cargo.unwrap_or_else(host_cargo), Some(&rustc));
        let compiler = compiler.with_context(|| format!("{} does not run", rustc.display()))?;
        return Ok(vec![compiler]);
    }
    let ours = Compiler::probe(&host_cargo(), None);
    let system = Compiler::probe(Path::new(SYSTEM_CARGO), Some(Path::new(SYSTEM_RUSTC)));
    Ok([ours, system].into_iter().flatten().collect())
}

/// The cargo that runs us.
pub(crate) fn host_cargo() -> PathBuf {
    env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from)
}

/// What the rustc on the `PATH` builds for by itself.
pub(crate) fn host_target() -> Result<String> {
    ask_rustc(None, &["--print", "host-tuple"]).context("rustc does not run")
}

/// Fails, saying what to install, unless there is a compiler for the fuzzer itself.
pub(crate) fn require_cpp() -> Result<()> {
    let install = "no C++ compiler for the fuzzer: apt-get install g++";
    ensure!(on_path("c++").is_some(), Missing(install.to_string()));
    Ok(())
}

/// For a toolchain without a linker: the system's, or else another toolchain's.
fn other_lld(compilers: &[Compiler]) -> Result<PathBuf> {
    let found = on_path("ld.lld").or_else(|| compilers.iter().find_map(Compiler::rust_lld));
    let install = "no lld to link firmware with: apt-get install lld";
    found.ok_or_else(|| Missing(install.to_string()).into())
}

/// Fails, saying what to install, unless the emulator is there.
pub(crate) fn require_qemu(qemu: &str) -> Result<()> {
    let package = match qemu {
        "qemu-system-arm" => "qemu-system-arm",
        _ => "qemu-system-misc",
    };
    ensure!(
        on_path(qemu).is_some(),
        Missing(format!("{qemu} is not on the PATH: apt-get install {package}"))
    );
    Ok(())
}

fn ask_rustc(rustc: Option<&Path>, question: &[&str]) -> Option<String> {
    let program = rustc.map_or(OsStr::new("rustc"), Path::as_os_str);
    let mut command = Command::new(program);
    if rustc.is_some() {
        command.env_remove("LD_LIBRARY_PATH");
    }
    let output = command.args(question).output().ok()?;
    let answer = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| answer.trim().to_string())
}

/// Is there such a program?
pub(crate) fn has_program(program: &str) -> bool {
    on_path(program).is_some()
}

pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(program)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toolchain(rustc: Option<&str>, linker: Option<&str>, build_core: bool) -> Toolchain {
        let (cargo, sysroot) = ("cargo".into(), "/nowhere".into());
        let compiler = Compiler { cargo, rustc: rustc.map(PathBuf::from), sysroot };
        let linker = linker.map(PathBuf::from);
        Toolchain { target: "thumbv6m-none-eabi", compiler, linker, build_core }
    }

    fn words(command: &Command) -> String {
        let arguments: Vec<_> = command.get_args().map(OsStr::to_string_lossy).collect();
        arguments.join(" ")
    }

    #[test]
    fn an_installed_target_needs_no_unstable_option() {
        let command = toolchain(None, None, false).cargo("build", Path::new("out"));
        let expected = "build --quiet --target thumbv6m-none-eabi --target-dir out";
        assert_eq!(words(&command), expected);
    }

    #[test]
    fn sources_build_core() {
        let toolchain = toolchain(Some("/usr/bin/rustc"), Some("/usr/bin/ld.lld"), true);
        let command = toolchain.cargo("build", Path::new("out"));
        let words = words(&command);
        assert!(words.starts_with("-Zbuild-std=core build --quiet"), "{words}");
        assert!(words.contains(" --config target.'cfg("), "{words}");
        assert!(command.get_envs().any(|(name, _)| name == "RUSTC_BOOTSTRAP"));
    }

    #[test]
    fn flags_are_those_of_all_devices_and_of_one() {
        let config = serde_json::json!({ "target": {
            "cfg(target_os = \"none\")": { "rustflags": ["-Ca"] },
            "thumbv8m": { "main-none-eabihf": { "rustflags": ["-Cb"] } },
            "thumbv6m-none-eabi": { "rustflags": ["-Cc"] },
        } });
        assert_eq!(flags_for(&config, "thumbv8m.main-none-eabihf"), ["-Ca", "-Cb"]);
        assert_eq!(flags_for(&config, "thumbv6m-none-eabi"), ["-Ca", "-Cc"]);
        assert_eq!(flags_for(&config, "thumbv7m-none-eabi"), ["-Ca"]);
    }

    #[test]
    fn a_sysroot_without_the_target_is_noticed() {
        let compiler = toolchain(None, None, false).compiler;
        assert!(!compiler.has_target("thumbv6m-none-eabi"));
        assert!(!compiler.has_core_sources());
    }
}
