//! Tasks around the `mercer` crate: `cargo xtask help`.

mod board;
mod check;
mod compare;
mod data;
mod device;
mod emulate;
mod firmware;
mod no_panic;
mod stack;
mod table;
mod toolchain;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};

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
    /// Run one firmware in QEMU and print its log; the exit code is the program's
    Emulate(Emulate),
    /// Build the library alone for devices, with every combination of features
    Check,
    /// Make the data and the model that the examples carry from the recordings
    Data(Data),
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
struct Data {
    /// Write nothing; fail when a file is not what would be made
    #[arg(long)]
    check: bool,
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
            let boards = match arguments.boards {
                some if !some.is_empty() => some,
                _ => board::BOARDS.iter().collect(),
            };
            let limit = Duration::from_secs(arguments.timeout);
            device::run(&boards, arguments.only.as_deref(), limit)
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
