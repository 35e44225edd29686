//! `cargo xtask c-library`: the static library of `c/` in C programs, on the host with sanitizers
//! and on emulated cores.
//!
//! A fan is learned from a recording, watched, and taken up after a reset; scores, alarms and saved
//! bytes must be those of the same work in Rust, bit by bit.

mod link;
mod sizes;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::bench::Purpose;
use crate::board::{self, Board};
use crate::compare::require_same;
use crate::device::{Outcome, Report};
use crate::emulate::{self, lines_of};
use crate::firmware::Project;
use crate::toolchain::{self, Toolchain};
use link::{Core, GCC};
use sizes::Size;

const CORES: [Core; 2] = [
    Core { board: "m0", flags: &["-mcpu=cortex-m0", "-mthumb"] },
    Core {
        board: "m4f",
        flags: &["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"],
    },
];

/// Other choices of a builder, and what they are for.
const SHAPES: [(&str, &[(&str, &str)]); 3] = [
    (
        "readings",
        &[("MERCER_CHANNELS", "0"), ("MERCER_INPUTS", "3"), ("MERCER_NAMES", "flow,heat,load")],
    ),
    (
        "bands",
        &[
            ("MERCER_CHANNELS", "3"),
            ("MERCER_SAMPLES", "f32"),
            ("MERCER_WINDOW", "32"),
            ("MERCER_HOP", "16"),
            ("MERCER_FEATURES", "mean,logstd,bands4"),
            ("MERCER_POINTS", "24"),
            ("MERCER_COMPONENTS", "8"),
        ],
    ),
    (
        "one",
        &[
            ("MERCER_CHANNELS", "1"),
            ("MERCER_WINDOW", "1"),
            ("MERCER_FEATURES", "mean"),
            ("MERCER_READINGS", "32"),
        ],
    ),
];

const RECORDING: &str = "firmware/fan/recordings/rubbing.csv";
/// From here on it is played once more, after a reset.
const AFTER_RESET: &str = "2560";

pub(crate) fn run(purpose: Purpose, limit: Duration) -> Result<ExitCode> {
    let project = Project::read()?;
    let library = Library::new(&project)?;
    let mut report = Report::default();
    report.step("tests, header", "host", || library.test());
    let mut expected = Vec::new();
    report.step("reference", "host", || {
        expected = library.reference()?;
        fs::write(library.made.join("model.h"), model_header(&expected)?)?;
        Ok((Outcome::Passed, format!("{} lines", expected.len())))
    });
    match toolchain::has_program("cc") {
        true => library.check_on_host(&expected, limit, &mut report),
        false => report.step("C", "host", || skipped("cc", "gcc libc6-dev")),
    }
    if !toolchain::has_program(GCC) {
        report.step("C", "devices", || skipped(GCC, "gcc-arm-none-eabi libnewlib-arm-none-eabi"));
        return Ok(report.verdict());
    }
    let control = &CORES[0];
    let board = board::named(control.board)?;
    report.step("no panic, control", board.name, || library.control_no_panic(control, board));
    let mut measured = Vec::new();
    for core in &CORES {
        let board = board::named(core.board)?;
        report.step("no panic", board.name, || library.prove_no_panic(core, board));
        report.step("learn", board.name, || {
            let (lines, size) = library.run_on_device(core, board, "fan", limit)?;
            require_same(&expected, &lines)?;
            measured.push(size);
            Ok((Outcome::Passed, format!("{} lines as in Rust", expected.len())))
        });
        report.step("score", board.name, || {
            let (lines, size) = library.run_on_device(core, board, "score", limit)?;
            ensure!(lines.len() == 2, "one fault was recorded: {}", lines.join(", "));
            measured.push(size);
            Ok((Outcome::Passed, lines.join(", ")))
        });
    }
    report.step("sizes", "devices", || sizes::settle(&project.root, &measured, purpose));
    Ok(report.verdict())
}

/// The committed header, and the reference, are for the choices that a build has without any.
fn without_choices(cargo: &mut Command) {
    let ours = |name: &OsString| name.to_string_lossy().starts_with("MERCER_");
    for (name, _) in env::vars_os().filter(|(name, _)| ours(name)) {
        cargo.env_remove(name);
    }
}

fn skipped(program: &str, packages: &str) -> Result<(Outcome, String)> {
    Ok((
        Outcome::Skipped,
        format!("skipped: {program} is not on the PATH: apt-get install {packages}"),
    ))
}

/// The folder of the library, and where it is built.
struct Library {
    folder: PathBuf,
    recording: PathBuf,
    /// Build files of the host; those of devices are beside it.
    host: PathBuf,
    device: PathBuf,
    /// What is made for C: headers, the recording, programs.
    made: PathBuf,
}

impl Library {
    fn new(project: &Project) -> Result<Self> {
        let target = project.c_library_dir();
        let made = target.join("made");
        fs::create_dir_all(&made).with_context(|| made.display().to_string())?;
        let recording = project.root.join(RECORDING);
        fs::write(made.join("recording.h"), recording_header(&fs::read_to_string(&recording)?))?;
        Ok(Self {
            folder: project.root.join("c"),
            recording,
            host: target.join("host"),
            device: target.join("device"),
            made,
        })
    }

    /// The host's cargo in the folder of the library, without choices of whoever runs this.
    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut cargo = Command::new(toolchain::host_cargo());
        cargo.current_dir(&self.folder).args(arguments).arg("--target-dir").arg(&self.host);
        without_choices(&mut cargo);
        cargo
    }

    /// Its own tests: what a builder may choose, and whether the committed header is up to date.
    fn test(&self) -> Result<(Outcome, String)> {
        let said = lines_of(&mut self.cargo(&["test", "--quiet"]))?;
        let results = said.iter().filter(|line| line.starts_with("test result: ok"));
        Ok((Outcome::Passed, format!("{} suites", results.count())))
    }

    /// What `fan.c` must print.
    fn reference(&self) -> Result<Vec<String>> {
        let mut cargo = self.cargo(&["run", "--quiet", "--example", "reference"]);
        lines_of(cargo.arg("--").arg(&self.recording).arg(AFTER_RESET))
    }

    fn check_on_host(&self, expected: &[String], limit: Duration, report: &mut Report) {
        let include = self.folder.join("include");
        report.step("C++", "host", || {
            if !toolchain::has_program("c++") {
                return skipped("c++", "g++");
            }
            link::check_header(&include.join("mercer.h"), &["c++", "-std=c++11", "-x", "c++"])?;
            Ok((Outcome::Passed, "the header".to_string()))
        });
        report.step("sanitizers", "host", || self.control_sanitizers(&include, limit));
        report.step("bad input", "host", || {
            let lines =
                self.run_on_host(&["tests/bad_input.c"], &include, "bad_input", &[], limit)?;
            Ok((Outcome::Passed, lines.join(" ")))
        });
        report.step("learn", "host", || {
            let sources = ["examples/fan.c", "examples/support/say.c", "examples/support/host.c"];
            let lines = self.run_on_host(&sources, &include, "fan", &[], limit)?;
            require_same(expected, &lines)?;
            Ok((Outcome::Passed, format!("{} lines as in Rust", lines.len())))
        });
        for (name, choices) in SHAPES {
            report.step(name, "host", || {
                let include = self.made.join(name);
                fs::create_dir_all(&include)?;
                let header = include.join("mercer.h");
                let mut cargo = self.cargo(&["run", "--quiet", "--example", "header"]);
                lines_of(cargo.envs(choices.iter().copied()).arg("--").arg(&header))?;
                let lines = self.run_on_host(&["tests/shape.c"], &include, name, choices, limit)?;
                Ok((Outcome::Passed, lines.join(" ")))
            });
        }
    }

    /// Builds a program, with a library as `choices` say, and runs it; it must end well.
    fn run_on_host(
        &self,
        sources: &[&str],
        include: &Path,
        name: &str,
        choices: &[(&str, &str)],
        limit: Duration,
    ) -> Result<Vec<String>> {
        let program = self.build_on_host(sources, include, name, choices)?;
        let mut lines = Vec::new();
        let ended = emulate::on_host(&program, limit, |line| lines.push(line.to_string()))?;
        ensure!(ended.well(), "{}\n  {ended}", lines.join("\n  "));
        Ok(lines)
    }

    /// What the sanitizers are there for.
    fn control_sanitizers(&self, include: &Path, limit: Duration) -> Result<(Outcome, String)> {
        let program = self.build_on_host(&["tests/overrun.c"], include, "overrun", &[])?;
        let ended = emulate::on_host(&program, limit, |_| {})?;
        let noticed = ended.to_string().contains("heap-buffer-overflow");
        ensure!(!ended.well() && noticed, "reading too far was not noticed: {ended}");
        Ok((Outcome::Passed, "reading too far is noticed".to_string()))
    }

    /// Both halves of a program watch their accesses, the library by an option that stable
    /// compilers have behind this variable, and have debug assertions.
    fn build_on_host(
        &self,
        sources: &[&str],
        include: &Path,
        name: &str,
        choices: &[(&str, &str)],
    ) -> Result<PathBuf> {
        let target = toolchain::host_target()?;
        let mut cargo = self.cargo(&["rustc", "--quiet", "--lib", "--crate-type", "staticlib"]);
        cargo.env("RUSTC_BOOTSTRAP", "1").env("CARGO_ENCODED_RUSTFLAGS", "-Zsanitizer=address");
        lines_of(cargo.args(["--target", &target]).envs(choices.iter().copied()))?;
        let sources: Vec<PathBuf> = sources.iter().map(|file| self.folder.join(file)).collect();
        let program = self.made.join(format!("{name}_on_host"));
        let includes = [include, &self.folder.join("examples/support"), &self.made];
        let library = self.host.join(target).join("debug/libmercer_c.a");
        link::with_sanitizers(&sources, &includes, &library, &program)?;
        Ok(program)
    }

    /// The library for a core.
    fn build_for(&self, board: &Board, rustc_arguments: &[&str]) -> Result<PathBuf> {
        let toolchain = Toolchain::find(board.target)?;
        let mut cargo = toolchain.cargo("rustc", &self.device);
        without_choices(&mut cargo);
        // The configuration of this repository, which cargo reads as well, is for programs.
        cargo.env("CARGO_ENCODED_RUSTFLAGS", "").current_dir(&self.folder);
        cargo.args(["--release", "--lib", "--crate-type", "staticlib", "--"]).args(rustc_arguments);
        ensure!(cargo.status()?.success(), "the library does not build");
        Ok(self.device.join(board.target).join("release/libmercer_c.a"))
    }

    /// Every function of the header, in a program that links only if none of them can panic.
    fn prove_no_panic(&self, core: &Core, board: &'static Board) -> Result<(Outcome, String)> {
        let header = fs::read_to_string(self.folder.join("include/mercer.h"))?;
        let functions = link::functions(&header);
        let elf = self.link_functions(core, board, "", &functions, &["--cfg", "panic_proof"])?;
        link::require_own_maths(&fs::read(&elf)?)?;
        Ok((Outcome::Passed, format!("{} functions", functions.len())))
    }

    /// A function that can panic, which the proof must notice.
    fn control_no_panic(&self, core: &Core, board: &'static Board) -> Result<(Outcome, String)> {
        let cfg = ["--cfg", "panic_proof", "--cfg", "panic_control"];
        let declaration = "uint32_t mercer_panics(size_t input);\n";
        match self.link_functions(core, board, declaration, &["mercer_panics"], &cfg) {
            Ok(_) => bail!("a program that panics was linked: the proof notices nothing"),
            Err(error) if error.to_string().contains("a_panic_path_remains") => {
                Ok((Outcome::Passed, "a panic is noticed".to_string()))
            }
            Err(error) => Err(error),
        }
    }

    /// A program that refers to these functions of a library built with these arguments.
    fn link_functions(
        &self,
        core: &Core,
        board: &'static Board,
        declarations: &str,
        functions: &[&str],
        rustc_arguments: &[&str],
    ) -> Result<PathBuf> {
        let library = self.build_for(board, rustc_arguments)?;
        let source = self.made.join("every_function.c");
        fs::write(&source, link::every_function(declarations, functions))?;
        let elf = self.made.join(format!("every_function_{}.elf", board.name));
        core.link(&[source], &self.folder, &self.made, Some(&library), &elf)?;
        Ok(elf)
    }

    /// What an example prints on a core, and what it takes.
    fn run_on_device(
        &self,
        core: &Core,
        board: &'static Board,
        program: &'static str,
        limit: Duration,
    ) -> Result<(Vec<String>, Size)> {
        let library = self.build_for(board, &[])?;
        let elf = |name: &str| self.made.join(format!("{name}_{}.elf", board.name));
        let nothing = self.made.join("nothing.c");
        fs::write(&nothing, "int main(void)\n{\n    return 0;\n}\n")?;
        core.link(&[nothing], &self.folder, &self.made, None, &elf("nothing"))?;
        let source = self.folder.join(format!("examples/{program}.c"));
        core.link(&[source], &self.folder, &self.made, Some(&library), &elf(program))?;
        let mut lines = Vec::new();
        let ended =
            emulate::on_board(board, &elf(program), limit, |line| lines.push(line.to_string()))?;
        ensure!(ended.well(), "{}\n  {ended}", lines.join("\n  "));
        let stack = lines.pop().context("it printed nothing")?;
        let stack = stack.strip_prefix("stack ").context("no stack")?.parse()?;
        let (whole, rest) = (fs::read(elf(program))?, fs::read(elf("nothing"))?);
        let size = Size::of(board.name, program, &whole, &rest, stack)?;
        Ok((lines, size))
    }
}

/// The model that the reference has saved, as C.
fn model_header(lines: &[String]) -> Result<String> {
    let digits =
        lines.iter().find_map(|line| line.strip_prefix("saved ")).context("nothing saved")?;
    let bytes: Vec<String> = digits
        .as_bytes()
        .chunks(2)
        .map(|pair| format!("0x{}", String::from_utf8_lossy(pair)))
        .collect();
    let count = bytes.len();
    Ok(format!("static const unsigned char stored[{count}] = {{{}}};\n", bytes.join(", ")))
}

/// The recording as C.
fn recording_header(csv: &str) -> String {
    let rows: Vec<String> = csv.lines().skip(1).map(|row| format!("    {{{row}}},\n")).collect();
    format!(
        "#include \"mercer.h\"\n\n#define RECORDED {}\n#define AFTER_RESET {AFTER_RESET}\n\
         static const mercer_sample recording[RECORDED][MERCER_CHANNELS] = {{\n{}}};\n",
        rows.len(),
        rows.concat()
    )
}
