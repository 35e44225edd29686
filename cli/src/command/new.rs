//! `mercer new`: a project to start from.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::{Subcommand, ValueEnum};

use super::say;
use crate::export::{Name, monitor_source, rust_source, stream_source};
use crate::front::Front;
use crate::model::{Model, with_model};
use crate::samples::SampleType;
use crate::whole::write_together;
use crate::{Number, file};

/// Write a project to start from, around a model of yours.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(subcommand)]
    project: Project,
}

#[derive(Subcommand, Debug)]
enum Project {
    Firmware(Firmware),
}

/// Firmware in Rust for a board: samples its converter, scores windows, raises the alarm; `cargo
/// test` runs its logic on the desk.
///
/// The model must take raw samples (`mercer fit --window …`), as the converter counts them: the
/// project has a program that records such.
#[derive(clap::Args, Debug)]
struct Firmware {
    /// The folder to write to, which must not exist; its last part is the name of the program
    #[arg(value_name = "NAME")]
    folder: PathBuf,
    /// A model that `mercer fit` wrote
    #[arg(long, value_name = "M.mercer")]
    model: PathBuf,
    /// The board
    #[arg(long, value_enum, default_value_t)]
    board: Board,
    /// Samples a second, from 1 to 10000, where the model does not say it (`mercer fit --rate`)
    #[arg(long, value_name = "HZ")]
    rate: Option<u32>,
    /// Where the crate mercer lies, instead of its version in the registry
    #[arg(long, value_name = "FOLDER")]
    mercer: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Board {
    /// Raspberry Pi Pico (RP2040), with Embassy
    #[default]
    Pico,
}

/// The analog pins of a Pico.
const PINS: [u8; 3] = [26, 27, 28];
const FASTEST: u32 = 10_000;

macro_rules! template {
    ($to:literal, $from:literal) => {
        ($to, include_str!(concat!("../../templates/pico/", $from)))
    };
}

/// Where each file goes, and what is in it. (Cargo packs no folder that has a Cargo.toml of its
/// own.)
const PICO: [(&str, &str); 11] = [
    template!("README.md", "README.md"),
    template!("watch/Cargo.toml", "watch/manifest.toml"),
    template!("watch/src/lib.rs", "watch/lib.rs"),
    template!("watch/tests/watch.rs", "watch/tests.rs"),
    template!("board/Cargo.toml", "board/manifest.toml"),
    template!("board/.cargo/config.toml", "board/config.toml"),
    template!("board/build.rs", "board/build.rs"),
    template!("board/memory.x", "board/memory.x"),
    template!("board/src/lib.rs", "board/lib.rs"),
    template!("board/src/main.rs", "board/main.rs"),
    template!("board/src/bin/record.rs", "board/record.rs"),
];

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let Project::Firmware(firmware) = &arguments.project;
    with_model!(file::read(&firmware.model)?, model => write(&model, firmware))
}

fn write<T: Number>(model: &Model<T>, arguments: &Firmware) -> Result<()> {
    let Board::Pico = arguments.board;
    let (folder, path) = (&arguments.folder, arguments.model.display());
    let name = crate_name(folder)?;
    ensure!(!folder.exists(), "{}: is there already", folder.display());
    let front = model.front.as_ref().with_context(|| {
        format!("{path}: takes readings; firmware for a converter needs a model of raw samples: fit it with --window")
    })?;
    let channels = front.channels.len();
    ensure!(
        channels <= PINS.len(),
        "{path}: has {channels} channels, the converter of a Pico has {} pins",
        PINS.len()
    );
    if let Some(odd) = front.channels.iter().find(|channel| !is_plain(channel)) {
        bail!(
            "{path}: the name {odd:?} of a channel cannot stand in source and CSV: rename the column"
        );
    }
    let rate = rate(front, arguments.rate).with_context(|| path.to_string())?;
    let static_name: Name = "MODEL".parse().map_err(anyhow::Error::msg)?;
    let source = rust_source(model, &static_name)?
        + &stream_source(front, &static_name, SampleType::I16)
        + &monitor_source::<T>(front, &static_name);

    let pins = || PINS.iter().take(channels);
    let wiring: String = pins()
        .zip(&front.channels)
        .map(|(pin, channel)| format!("| GP{pin} | `{channel}`, 0 to 3.3 V |\n"))
        .collect();
    let opened: Vec<String> =
        pins().map(|pin| format!("Channel::new_pin(p.PIN_{pin}, Pull::None)")).collect();
    let values = [
        ("@name@", name),
        ("@model@", file_name(&arguments.model)),
        ("@channels@", channels.to_string()),
        ("@header@", front.channels.join(",")),
        ("@wiring@", wiring),
        ("@pins@", opened.join(", ")),
        ("@rate@", rate.to_string()),
        ("@number@", if size_of::<T>() == size_of::<f32>() { "f32" } else { "f64" }.to_string()),
        ("@mercer@", dependency(arguments.mercer.as_deref())?),
    ];
    let fill = |text: &str| {
        values.iter().fold(text.to_string(), |text, (key, value)| text.replace(key, value))
    };
    let mut files: Vec<(PathBuf, String)> =
        PICO.iter().map(|(to, text)| (folder.join(to), fill(text))).collect();
    files.push((folder.join("watch/src/model.rs"), source));
    for (file, _) in &files {
        let parent = file.parent().unwrap_or(folder);
        fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
    }
    let written: Vec<(&Path, &[u8])> =
        files.iter().map(|(file, text)| (file.as_path(), text.as_bytes())).collect();
    write_together(&written)?;
    say!(
        "{}: firmware for a Raspberry Pi Pico, {channels} channels at {rate} Hz",
        folder.display()
    );
    say!("  (cd {}/watch && cargo test)           its logic, on the desk", folder.display());
    say!("  (cd {}/board && cargo run --release)  flashes it, by probe-rs", folder.display());
    Ok(())
}

/// Can it stand in a string of Rust, in a heading of CSV and in a table of Markdown as it is?
fn is_plain(name: &str) -> bool {
    !name.contains(['"', '\\', ',', '`', '|', '@']) && !name.chars().any(char::is_control)
}

/// What the model is called in the text for people.
fn file_name(model: &Path) -> String {
    let name = model.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if is_plain(&name) { name } else { "a model".to_string() }
}

/// The last part of the path, if a crate can be called so.
fn crate_name(folder: &Path) -> Result<String> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    ensure!(
        name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(plain),
        "{name:?}: a program is called by small letters, digits, - and _, and begins with a letter"
    );
    // Names that the project has already, or that no crate may have.
    ensure!(
        !["watch", "board", "record", "test", "core", "std", "mercer"].contains(&name.as_str()),
        "{name:?}: is taken, choose another name"
    );
    Ok(name)
}

/// As the model says or, if it does not, as was asked for.
fn rate(front: &Front, asked: Option<u32>) -> Result<u32> {
    let known = match (front.rate, asked) {
        (Some(rate), Some(asked)) => {
            ensure!(
                rate == f64::from(asked),
                "it was fitted at {rate} samples a second, not at {asked}"
            );
            rate
        }
        (Some(rate), None) => rate,
        (None, asked) => asked.context("how many samples a second? Say --rate")?.into(),
    };
    ensure!(
        known.fract() == 0.0 && (1.0..=f64::from(FASTEST)).contains(&known),
        "{known} samples a second: the ticker of the project does whole numbers from 1 to {FASTEST}"
    );
    Ok(known as u32)
}

/// The value of `mercer = …` in a manifest.
fn dependency(folder: Option<&Path>) -> Result<String> {
    let Some(folder) = folder else {
        return Ok(format!("{:?}", env!("CARGO_PKG_VERSION")));
    };
    let whole = fs::canonicalize(folder).with_context(|| folder.display().to_string())?;
    ensure!(whole.join("Cargo.toml").is_file(), "{}: has no Cargo.toml", folder.display());
    let text = whole.to_str().with_context(|| format!("{}: is no text", whole.display()))?;
    Ok(format!("{{ path = {text:?} }}"))
}
