//! `mercer man`: pages of the manual.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap_mangen::Man;

use super::tell;
use crate::whole::write_together;

/// Write pages of the manual, one for each command.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    /// A folder for them, such as ~/.local/share/man/man1
    #[arg(long, short, value_name = "FOLDER")]
    out: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let folder = &arguments.out;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let mut whole = super::whole_command();
    whole.build();
    let mut pages: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    add(&whole, "mercer", folder, &mut pages)?;
    let files: Vec<(&Path, &[u8])> =
        pages.iter().map(|(path, page)| (path.as_path(), page.as_slice())).collect();
    write_together(&files)?;
    tell!("{}: {} pages, the first is mercer.1", folder.display(), files.len());
    Ok(())
}

/// The page of a command, and those of the commands in it.
fn add(
    command: &clap::Command,
    name: &str,
    folder: &Path,
    pages: &mut Vec<(PathBuf, Vec<u8>)>,
) -> Result<()> {
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    pages.push((folder.join(format!("{name}.1")), page));
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        add(inner, &format!("{name}-{}", inner.get_name()), folder, pages)?;
    }
    Ok(())
}
