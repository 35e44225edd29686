//! The programs that run on the host and on the boards: which there are, and how to build them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use cargo_metadata::{Message, MetadataCommand, Package, TargetKind};

use crate::board::{self, Board};
use crate::emulate::lines_of;
use crate::toolchain::{self, Toolchain};

const PACKAGE: &str = "mercer";
/// The test target that is also firmware.
const DEVICE_TEST: &str = "device";
/// The example target that is only ever linked; see no_panic.rs.
pub(crate) const NO_PANIC: &str = "no_panic";

/// The example target that only makes sense on a device; see stack.rs.
pub(crate) const STACK: &str = "stack";

/// The example target that is a library of tasks to count; see bench.rs.
pub(crate) const BENCH: &str = "bench";

/// What cargo says about the package.
pub(crate) struct Project {
    pub(crate) programs: Vec<Program>,
    skips: Vec<Skip>,
    /// Examples that are no firmware, and why: entries of `package.metadata.device.host-only`.
    pub(crate) host_only: Vec<HostOnly>,
    target_dir: PathBuf,
    /// Where the package lies.
    pub(crate) root: PathBuf,
}

/// An example, or the device test.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) name: String,
    kind: TargetKind,
    features: Vec<String>,
}

impl Program {
    /// Does it outgrow the microbit? The device test does, with all golden cases in it.
    pub(crate) fn is_large(&self) -> bool {
        self.kind == TargetKind::Test
    }
}

/// A board that cannot run a program, and why: an entry of `package.metadata.device.skip`.
#[derive(Debug, PartialEq)]
struct Skip {
    program: String,
    board: String,
    why: String,
}

/// An example that no board can run, and why.
#[derive(Debug, PartialEq)]
pub(crate) struct HostOnly {
    pub(crate) program: String,
    pub(crate) why: String,
}

impl Project {
    pub(crate) fn read() -> Result<Project> {
        let metadata =
            MetadataCommand::new().cargo_path(toolchain::host_cargo()).no_deps().exec()?;
        let package = metadata.packages.iter().find(|package| package.name == PACKAGE);
        let package = package.with_context(|| format!("no package {PACKAGE} here"))?;
        let mut programs = programs(package);
        let host_only = host_only(&package.metadata)?;
        for HostOnly { program: name, .. } in &host_only {
            let place = programs.iter().position(|program| program.name == *name);
            programs
                .remove(place.with_context(|| format!("host-only names no example: {name:?}"))?);
        }
        let skips = skips(&package.metadata)?;
        for skip in &skips {
            board::named(&skip.board).with_context(|| format!("skip names {:?}", skip.board))?;
            let known = programs.iter().any(|program| program.name == skip.program);
            ensure!(known, "skip names {:?}, which is no program", skip.program);
        }
        let (target_dir, root) = (metadata.target_directory.into(), metadata.workspace_root.into());
        Ok(Project { programs, skips, host_only, target_dir, root })
    }

    /// Why the package's manifest says that `program` cannot run on `board`.
    pub(crate) fn why_skipped(&self, program: &Program, board: &Board) -> Option<&str> {
        let skip = |skip: &&Skip| skip.program == program.name && skip.board == board.name;
        self.skips.iter().find(skip).map(|skip| skip.why.as_str())
    }

    /// Where firmware is built, apart from the host's files so that neither disturbs the other.
    pub(crate) fn device_dir(&self) -> PathBuf {
        self.target_dir.join("device")
    }

    /// Where firmware to count is built, for all targets: what runs on the host is then built once.
    pub(crate) fn bench_dir(&self) -> PathBuf {
        self.target_dir.join("bench")
    }

    /// Where the projects of `firmware/` are built, all of them in one place: they have much in
    /// common.
    pub(crate) fn firmware_dir(&self) -> PathBuf {
        self.target_dir.join("firmware")
    }

    /// Where exported C is built.
    pub(crate) fn c_dir(&self) -> PathBuf {
        self.target_dir.join("c")
    }

    /// What the command of this project prints for some arguments.
    pub(crate) fn mercer(&self, arguments: &[&str]) -> Result<Vec<String>> {
        let mut cargo = Command::new(toolchain::host_cargo());
        cargo.current_dir(&self.root).args(["run", "--quiet", "--package", "mercer-cli", "--"]);
        lines_of(cargo.args(arguments))
    }

    /// Where the library for C is built, and programs with it.
    pub(crate) fn c_library_dir(&self) -> PathBuf {
        self.target_dir.join("c-library")
    }

    /// Where fuzz targets are built: with other flags than everything else.
    pub(crate) fn fuzz_dir(&self) -> PathBuf {
        self.target_dir.join("fuzz")
    }

    /// Builds `programs` for the host.
    pub(crate) fn build_for_host(&self, programs: &[&Program]) -> Executables {
        build(programs, || {
            let mut command = Command::new(toolchain::host_cargo());
            command.args(["build", "--quiet"]);
            command
        })
    }

    /// Builds `programs` for a device.
    pub(crate) fn build_for(&self, toolchain: &Toolchain, programs: &[&Program]) -> Executables {
        let cargo = || {
            let mut cargo = toolchain.cargo("build", &self.device_dir());
            // The microbit has 256 KB of flash.
            if toolchain.target() == "thumbv6m-none-eabi" {
                cargo.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "s");
            }
            cargo
        };
        let (large, others): (Vec<&Program>, Vec<&Program>) =
            programs.iter().partition(|program| program.is_large());
        let mut built = build(&others, cargo);
        built.extend(build(&large, || {
            let mut cargo = cargo();
            with_much_memory(&mut cargo);
            cargo
        }));
        built
    }

    /// Builds `stack` for a device.
    pub(crate) fn build_stack(&self, toolchain: &Toolchain) -> Result<PathBuf> {
        let (name, kind) = (STACK.to_string(), TargetKind::Example);
        let program = Program { name, kind, features: Vec::new() };
        let mut built = self.build_for(toolchain, &[&program]);
        built.remove(STACK).context("cargo reported no executable")?
    }

    /// Builds `no_panic` for a device, at an optimisation level and with arguments for its rustc.
    pub(crate) fn build_no_panic(
        &self,
        toolchain: &Toolchain,
        level: &str,
        rustc_arguments: &[&str],
    ) -> Result<PathBuf> {
        let (name, kind) = (NO_PANIC.to_string(), TargetKind::Example);
        let program = Program { name, kind, features: Vec::new() };
        let mut cargo = toolchain.cargo("rustc", &self.device_dir());
        cargo.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", level);
        with_much_memory(&mut cargo);
        cargo.args(selection(&[&program])).arg("--").args(rustc_arguments);
        executables(&mut cargo)?.remove(NO_PANIC).context("cargo reported no executable")
    }
}

/// More memory than the microbit of .cargo/config.toml has; see [`board::roomy`].
pub(crate) fn with_much_memory(cargo: &mut Command) {
    let sizes = ["ram", "flash"].map(|what| format!("'-Clink-arg=--defsym=board_{what}_size=4M'"));
    cargo.arg("--config");
    cargo.arg(format!("target.thumbv6m-none-eabi.rustflags = [{}]", sizes.join(", ")));
}

/// Builds `bench`, a library, with a cargo that has been told for what; returns what cargo reports.
pub(crate) fn build_bench(mut cargo: Command) -> Result<Vec<Message>> {
    let (name, kind) = (BENCH.to_string(), TargetKind::Example);
    cargo.args(selection(&[&Program { name, kind, features: Vec::new() }]));
    messages(&mut cargo)
}

/// By program, where its executable is or why there is none.
pub(crate) type Executables = BTreeMap<String, Result<PathBuf>>;

/// All at once, because cargo then links in parallel; should that fail, one by one, to learn which
/// program is to blame.
fn build(programs: &[&Program], cargo: impl Fn() -> Command) -> Executables {
    if programs.is_empty() {
        return Executables::new();
    }
    let take = |built: &mut BTreeMap<String, PathBuf>, program: &Program| {
        built.remove(&program.name).context("cargo reported no executable")
    };
    if let Ok(mut built) = executables(cargo().args(selection(programs))) {
        let path = |program: &&Program| (program.name.clone(), take(&mut built, program));
        return programs.iter().map(path).collect();
    }
    let alone = |program: &&Program| {
        let built = executables(cargo().args(selection(&[program])));
        (program.name.clone(), built.and_then(|mut built| take(&mut built, program)))
    };
    programs.iter().map(alone).collect()
}

/// The arguments that make cargo build these programs and nothing else.
fn selection(programs: &[&Program]) -> Vec<String> {
    let mut arguments = vec![
        "--release".to_string(),
        "--message-format=json-render-diagnostics".to_string(),
        format!("--package={PACKAGE}"),
    ];
    for program in programs {
        let kind = if program.kind == TargetKind::Test { "test" } else { "example" };
        arguments.push(format!("--{kind}={}", program.name));
        arguments.extend(program.features.iter().map(|feature| format!("--features={feature}")));
    }
    arguments
}

/// Runs a cargo that builds, and returns the executables it reports; the error is what it said.
fn executables(cargo: &mut Command) -> Result<BTreeMap<String, PathBuf>> {
    let mut found = BTreeMap::new();
    for message in messages(cargo)? {
        if let Message::CompilerArtifact(artifact) = message
            && let Some(path) = artifact.executable
        {
            found.insert(artifact.target.name, path.into());
        }
    }
    Ok(found)
}

fn messages(cargo: &mut Command) -> Result<Vec<Message>> {
    let output =
        cargo.output().with_context(|| format!("cannot start {:?}", cargo.get_program()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "it does not build\n{}", said.trim_end());
    eprint!("{said}");
    Message::parse_stream(output.stdout.as_slice()).map(|message| Ok(message?)).collect()
}

/// The device test and the examples, in the order of their names.
fn programs(package: &Package) -> Vec<Program> {
    let mut programs = Vec::new();
    for target in &package.targets {
        let kind = match (target.kind.as_slice(), target.name.as_str()) {
            ([TargetKind::Example], name) if ![NO_PANIC, STACK, BENCH].contains(&name) => {
                TargetKind::Example
            }
            ([TargetKind::Test], DEVICE_TEST) => TargetKind::Test,
            _ => continue,
        };
        let features = target.required_features.clone();
        programs.push(Program { name: target.name.clone(), kind, features });
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    programs
}

fn skips(metadata: &serde_json::Value) -> Result<Vec<Skip>> {
    let entries = entries(metadata, "skip", ["program", "board", "why"])?;
    Ok(entries.into_iter().map(|[program, board, why]| Skip { program, board, why }).collect())
}

fn host_only(metadata: &serde_json::Value) -> Result<Vec<HostOnly>> {
    let entries = entries(metadata, "host-only", ["program", "why"])?;
    Ok(entries.into_iter().map(|[program, why]| HostOnly { program, why }).collect())
}

/// A list in `package.metadata.device` whose entries have these texts.
fn entries<const N: usize>(
    metadata: &serde_json::Value,
    list: &str,
    keys: [&str; N],
) -> Result<Vec<[String; N]>> {
    let context = || format!("package.metadata.device.{list}");
    let Some(found) = metadata.pointer(&format!("/device/{list}")) else {
        return Ok(Vec::new());
    };
    let found = found.as_array().context("not a list").with_context(context)?;
    let texts = |entry: &serde_json::Value| {
        let mut texts = [const { String::new() }; N];
        for (text, key) in texts.iter_mut().zip(keys) {
            let value = entry.get(key).and_then(serde_json::Value::as_str);
            *text = value.with_context(|| format!("an entry has no {key:?}"))?.to_string();
        }
        Ok(texts)
    };
    found.iter().map(texts).collect::<Result<_>>().with_context(context)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn program(name: &str, kind: TargetKind, features: &[&str]) -> Program {
        let features = features.iter().map(|feature| feature.to_string()).collect();
        Program { name: name.to_string(), kind, features }
    }

    #[test]
    fn cargo_is_asked_for_the_programs_and_what_they_require() {
        let test = program("device", TargetKind::Test, &[]);
        let example = program("fast", TargetKind::Example, &["micromath"]);
        let arguments = selection(&[&test, &example]).join(" ");
        let expected = "--package=mercer --test=device --example=fast --features=micromath";
        assert!(arguments.ends_with(expected), "{arguments}");
    }

    #[test]
    fn skips_are_read_from_the_manifest() {
        let metadata = json!({ "device": { "skip": [
            { "program": "fit", "board": "m0", "why": "too little RAM" },
        ] } });
        let (program, board, why) = ("fit".into(), "m0".into(), "too little RAM".into());
        assert_eq!(skips(&metadata).unwrap(), [Skip { program, board, why }]);
        assert_eq!(skips(&json!(null)).unwrap(), []);
    }

    #[test]
    fn a_skip_without_a_reason_is_refused() {
        let metadata = json!({ "device": { "skip": [{ "program": "fit", "board": "m0" }] } });
        let error = format!("{:#}", skips(&metadata).unwrap_err());
        assert!(error.contains("device.skip") && error.contains("why"), "{error}");
    }

    #[test]
    fn examples_for_the_host_are_read_from_the_manifest() {
        let metadata = json!({ "device": { "host-only": [{ "program": "draw", "why": "std" }] } });
        let (program, why) = ("draw".into(), "std".into());
        assert_eq!(host_only(&metadata).unwrap(), [HostOnly { program, why }]);
        let metadata = json!({ "device": { "host-only": ["draw"] } });
        assert!(host_only(&metadata).is_err());
    }

    #[test]
    fn this_project_has_its_programs() {
        let project = Project::read().unwrap();
        let names: Vec<&str> = project.programs.iter().map(|p| p.name.as_str()).collect();
        assert!(names.contains(&DEVICE_TEST), "{names:?}");
        assert!(!names.contains(&NO_PANIC) && !names.contains(&BENCH), "{names:?}");
        assert!(!project.host_only.is_empty());
        for host_only in &project.host_only {
            assert!(!names.contains(&host_only.program.as_str()), "{names:?}");
        }
    }
}
