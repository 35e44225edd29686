//! The command `mercer`; see the library beside it for everything else.

use std::process::ExitCode;

use clap::Parser;
use mercer_cli::command::Arguments;

/// Bad input, as clap has it for bad options.
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    match Arguments::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mercer: {error:#}");
            ExitCode::from(BAD_INPUT)
        }
    }
}
