//! Tasks around the `mercer` crate: `cargo xtask help`.

mod bench;
mod board;
mod c_library;
mod check;
mod compare;
mod crates;
mod data;
mod device;
mod emulate;
mod exported;
mod firmware;
mod fuzz;
mod minimal;
mod no_panic;
mod packages;
mod projects;
mod sbom;
mod stack;
mod supply;
mod table;
mod template;
mod toolchain;
#[cfg(test)]
mod workflow;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};

use bench::{Purpose, Selection};
use board::Board;

/// Builds mercer for microcontrollers and runs it on emulated boards.
///
/// Exit codes: 0 all is well, 1 something failed, 2 the command is wrong or a tool is missing (the
/// message says what to install).
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run every example and tests/device on the emulated boards and compare them with the host
    ///
    /// Each program is built with --release and must print, line by line, what it prints on the
    /// host. The firmware `no_panic` must moreover link, at opt-level 3, s and z: it does so only
    /// when no panic path is left in it.
    Device(Device),
    /// Count instructions, cycles, stack, RAM and flash of the usual tasks on the emulated boards
    ///
    /// Prints CSV, progress goes to standard error. What the tasks have in common
    /// (tests/device/bench) is compiled once for a core and an optimisation level, each task in
    /// each shape is then a firmware of its own, built like the release profile.
    ///
    /// instructions: of one call, the same in every run. QEMU's -icount ties a timer to them; every
    /// firmware first counts two loops of known length, and one instruction too many or too few
    /// fails the run.
    ///
    /// cycles: modelled from the executed instructions and the published timing tables of the
    /// Cortex-M0, M3 and M4, by a plugin of QEMU. xtask/src/bench/cycles.rs says what is
    /// assumed. Empty for other cores, and where QEMU loads no plugins.
    ///
    /// stack_bytes: by how much more the call lowers the stack than a call that does nothing.
    ///
    /// ram_bytes: what its caller has to own for it beside that: workspace, learner, window.
    ///
    /// flash_bytes: code, constants and initial values that the firmware has more than one with a
    /// task that does nothing; samples and models that it works on are left out. The tasks
    /// longest-… share a firmware.
    ///
    /// n samples, d inputs, r points and p components; a size that a task does not have is empty.
    /// cpu is a -Ctarget-cpu. The code for m0 runs on the MPS2 board of m3 with its 4 MB of
    /// RAM: the same instructions, while the microbit has 16 KB. At every level `core` is built
    /// for speed, as rustup ships it.
    Bench(Bench),
    /// Compare the modelled cycles of a Cortex-M0+ with those that rp2040js counts
    ///
    /// They may be 3 % apart. Skipped without Node and that package (npm ci --prefix
    /// firmware/pico-embassy).
    Cycles(Cycles),
    /// Build, test and run the projects of `firmware/`
    ///
    /// Their common logic is tested on the host with a recording. `rtic` runs in QEMU,
    /// `pico-embassy` in rp2040js if Node and that package are there (npm ci --prefix
    /// firmware/pico-embassy), with the same recording in its converter: alarms must change
    /// with the very windows that they change with here, also after a reset, and no sample may
    /// be missed. Their recorders must send the recording as it is. With `pico-embassy`, a project
    /// that `mercer new firmware` writes is tested, built and run in the same way.
    Firmware(Firmware),
    /// Compare exported C with Rust on emulated cores: the same scores and alarms, and the
    /// instructions of a score
    ///
    /// Models are fitted and exported, compiled with arm-none-eabi-gcc for a Cortex-M0 and an M4F,
    /// and run. Skipped without that compiler. A score may take 1.5 times the instructions of
    /// Rust's in docs/bench.csv.
    C(C),
    /// Count what other detectors cost: linear PCA, Mahalanobis, mixture, k-means, neighbours,
    /// forest, SVM, autoencoder
    ///
    /// Each is plain C (xtask/src/bench/c/others), compiled with arm-none-eabi-gcc -O3 for a
    /// Cortex-M0 and an M4F, run on usual readings of 8 inputs, and compared with its formula.
    /// Means over the readings; bytes of code include the functions of the C library that it calls.
    /// The table of docs/PERFORMANCE.md puts them beside ours. Skipped without that compiler,
    /// or where QEMU loads no plugins.
    Others(C),
    /// Give what `mercer export --package` writes to the tools of Arduino, PlatformIO, ESP-IDF and
    /// Zephyr
    ///
    /// An Arduino library is built for an Uno and run in simavr, where scores and alarms must be
    /// those of `mercer score`. The others are packed, or checked and compiled. A step whose
    /// tool is missing is skipped; the message says what to install.
    Packages(Packages),
    /// Build the static library of `c/` and run C programs with it, here and on emulated cores
    ///
    /// Here with sanitizers: everything that C can get wrong, other sizes, and a fan that is
    /// learned from a recording. That fan is also learned on a Cortex-M0 and an M4F: scores,
    /// alarms and saved bytes must be those of Rust, bit by bit. Every function is linked into
    /// a program that links only if none of them can panic. What has no compiler here is skipped.
    CLibrary(C),
    /// Run one firmware in QEMU and print its log; the exit code is the program's
    Emulate(Emulate),
    /// Build the library alone for devices, with every combination of features
    Check,
    /// Make the data and the model that the examples carry from the recordings
    Data(Data),
    /// Check licences, sources and bans of all dependencies, by the rules of deny.toml
    Supply,
    /// Print a bill of materials of what a package ships, as CycloneDX JSON
    Sbom(Sbom),
    /// Check the workspace with the least versions of its direct dependencies, in a copy
    Minimal,
    /// Check what would be published: build it, unpack it, and run the tests that come with it
    Crates,
    /// Run the fuzz targets: stored detectors, learning, calls, files from strangers, exports
    ///
    /// First what was found before (fuzz/findings), then what the fuzzer thinks of; it goes on
    /// where it stopped the last time (fuzz/corpus), and keeps what it finds in fuzz/artifacts.
    Fuzz(Fuzz),
}

#[derive(Args)]
struct Device {
    #[arg(long = "board", value_name = "NAME", value_parser = board::named, value_delimiter = ',')]
    #[arg(help = boards_help("Boards to run on, separated by commas, or else all"))]
    boards: Vec<&'static Board>,
    /// Run only this program: an example, `device`, `stack` or `no_panic`
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Stop a program that runs for longer than this
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    timeout: u64,
}

#[derive(Args)]
struct Bench {
    #[arg(long = "board", value_name = "NAME", value_parser = board::named, value_delimiter = ',')]
    #[arg(help = boards_help("Boards to count on, separated by commas, or else all"))]
    boards: Vec<&'static Board>,
    #[arg(long = "task", value_name = "NAME", value_delimiter = ',')]
    #[arg(value_parser = PossibleValuesParser::new(bench::plan::tasks()))]
    #[arg(help = "Tasks to count, separated by commas, or else all")]
    tasks: Vec<String>,
    #[arg(long = "opt", value_name = "LEVEL", value_delimiter = ',')]
    #[arg(value_parser = PossibleValuesParser::new(bench::plan::LEVELS))]
    #[arg(help = "Optimisation levels to build at, separated by commas, or else all")]
    levels: Vec<String>,
    /// Compare with docs/bench.csv: fail when a count rose by more than 3 %, when a row is missing
    /// or new, when a goal is not met any more, or when growth is not linear. Shows all goals
    #[arg(long, conflicts_with = "update")]
    check: bool,
    /// Write docs/bench.csv, docs/growth.svg and the tables of README.md and docs/PERFORMANCE.md;
    /// rows that are not selected stay as they are
    #[arg(long)]
    update: bool,
    /// Stop a program that runs for longer than this
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    timeout: u64,
}

#[derive(Args)]
struct Cycles {
    /// Stop a program that runs for longer than this
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    timeout: u64,
}

#[derive(Args)]
struct C {
    /// Compare with the committed table of docs/: fail when a number rose by more than 3 %, or the
    /// page is not up to date
    #[arg(long, conflicts_with = "update")]
    check: bool,
    /// Write the table of docs/, and the page that shows it
    #[arg(long)]
    update: bool,
    /// Stop a program that runs for longer than this
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    timeout: u64,
}

#[derive(Args)]
struct Packages {
    /// Compare with docs/avr.csv: fail when RAM, flash, stack or time of a score rose by more than
    /// 3 %
    #[arg(long, conflicts_with = "update")]
    check: bool,
    /// Write docs/avr.csv and its table in docs/C.md
    #[arg(long)]
    update: bool,
    /// Stop a program that runs for longer than this
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    timeout: u64,
}

#[derive(Args)]
struct Data {
    /// Write nothing; fail when a file is not what would be made
    #[arg(long)]
    check: bool,
}

#[derive(Args)]
struct Sbom {
    /// The package: `mercer`, which goes into firmware, or `mercer-cli`, the command
    #[arg(long, value_name = "NAME", default_value = "mercer")]
    package: String,
    /// Write it to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Args)]
struct Fuzz {
    #[arg(value_name = "TARGET", value_parser = PossibleValuesParser::new(fuzz::TARGETS))]
    #[arg(help = "Targets to run, or else all")]
    targets: Vec<String>,
    /// How long each of them runs
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,
}

#[derive(Args)]
struct Firmware {
    #[arg(value_name = "PROJECT", value_parser = PossibleValuesParser::new(projects::names()))]
    #[arg(help = "Projects to look at, or else all")]
    projects: Vec<String>,
    /// Stop a program that runs for longer than this
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    timeout: u64,
}

#[derive(Args)]
struct Emulate {
    /// The firmware
    elf: PathBuf,
    #[arg(long, value_name = "NAME", value_parser = board::named)]
    #[arg(help = boards_help("Board to run on, or else the one for the target in the path"))]
    board: Option<&'static Board>,
    /// Stop a program that runs for longer than this
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    timeout: u64,
    /// What `cargo test` and `cargo run` pass on to the program, which cannot read it
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

fn boards_help(what: &str) -> String {
    let names: Vec<&str> = board::BOARDS.iter().map(|board| board.name).collect();
    format!("{what}: {}", names.join(", "))
}

/// In the order of the table, each once.
fn some_or_all(chosen: Vec<&'static Board>) -> Vec<&'static Board> {
    board::BOARDS.iter().filter(|board| chosen.is_empty() || chosen.contains(board)).collect()
}

fn main() -> ExitCode {
    match run(Cli::parse().task) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            match error.downcast_ref::<toolchain::Missing>() {
                Some(_) => ExitCode::from(2),
                None => ExitCode::FAILURE,
            }
        }
    }
}

fn run(task: Task) -> Result<ExitCode> {
    match task {
        Task::Device(arguments) => {
            let boards = some_or_all(arguments.boards);
            let limit = Duration::from_secs(arguments.timeout);
            device::run(&boards, arguments.only.as_deref(), limit)
        }
        Task::Bench(arguments) => {
            let purpose = purpose(arguments.check, arguments.update);
            let wanted = |level: &&str| {
                arguments.levels.is_empty() || arguments.levels.iter().any(|l| l == level)
            };
            let selection = Selection {
                boards: some_or_all(arguments.boards),
                tasks: arguments.tasks,
                levels: bench::plan::LEVELS.into_iter().filter(wanted).collect(),
            };
            bench::run(&selection, purpose, Duration::from_secs(arguments.timeout))
        }
        Task::Firmware(arguments) => {
            projects::run(&arguments.projects, Duration::from_secs(arguments.timeout))
        }
        Task::Cycles(arguments) => bench::check_cycles(Duration::from_secs(arguments.timeout)),
        Task::C(arguments) => {
            let purpose = purpose(arguments.check, arguments.update);
            bench::run_c(purpose, Duration::from_secs(arguments.timeout))
        }
        Task::Others(arguments) => {
            let purpose = purpose(arguments.check, arguments.update);
            bench::run_others(purpose, Duration::from_secs(arguments.timeout))
        }
        Task::Packages(arguments) => {
            let purpose = purpose(arguments.check, arguments.update);
            packages::run(purpose, Duration::from_secs(arguments.timeout))
        }
        Task::CLibrary(arguments) => {
            let purpose = purpose(arguments.check, arguments.update);
            c_library::run(purpose, Duration::from_secs(arguments.timeout))
        }
        Task::Emulate(arguments) => {
            let board = match arguments.board {
                Some(board) => board,
                None => board::of_path(&arguments.elf)?,
            };
            let limit = Duration::from_secs(arguments.timeout);
            emulate::run(board, &arguments.elf, limit, |line| println!("{line}"))
        }
        Task::Check => check::run(),
        Task::Data(arguments) => data::run(arguments.check),
        Task::Supply => supply::run(),
        Task::Sbom(arguments) => sbom::run(&arguments.package, arguments.out.as_deref()),
        Task::Minimal => minimal::run(),
        Task::Crates => crates::run(),
        Task::Fuzz(arguments) => {
            let wanted = |target: &&str| {
                arguments.targets.is_empty() || arguments.targets.iter().any(|t| t == target)
            };
            let targets: Vec<&str> = fuzz::TARGETS.into_iter().filter(wanted).collect();
            fuzz::run(&targets, arguments.seconds)
        }
    }
}

fn purpose(check: bool, update: bool) -> Purpose {
    match (check, update) {
        (true, _) => Purpose::Check,
        (_, true) => Purpose::Update,
        _ => Purpose::Print,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn boards_are_separated_by_commas() {
        let cli = Cli::try_parse_from(["cargo xtask", "device", "--board", "m0,m7"]).unwrap();
        let Task::Device(device) = cli.task else { panic!("not the device task") };
        let names: Vec<&str> = device.boards.iter().map(|board| board.name).collect();
        assert_eq!(names, ["m0", "m7"]);
        assert!(Cli::try_parse_from(["cargo xtask", "device", "--board", "m1"]).is_err());
    }

    #[test]
    fn arguments_for_the_program_are_swallowed() {
        let parsed = Cli::try_parse_from(["cargo xtask", "emulate", "a.elf", "--nocapture", "x"]);
        assert!(parsed.is_ok());
    }
}
