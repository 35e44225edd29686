//! The host: standard output, standard error, an exit code.

use std::fmt;
use std::process::ExitCode;

pub(crate) fn say(line: fmt::Arguments<'_>) {
    println!("{line}");
}

pub(crate) fn finish<E: fmt::Debug>(result: Result<(), E>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("failed: {error:?}");
            ExitCode::FAILURE
        }
    }
}
