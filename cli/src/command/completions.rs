//! `mercer completions`: what a shell completes.

use std::io::{self, Write};

use anyhow::Result;
use clap_complete::Shell;

/// Print what a shell needs to complete commands and options.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut super::whole_command(), "mercer", &mut script);
    io::stdout().write_all(&script)?;
    Ok(())
}
