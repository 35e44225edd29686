//! The command `mercer`; see the library beside it for everything else.

use std::process::ExitCode;

fn main() -> ExitCode {
    mercer_cli::command::main()
}
