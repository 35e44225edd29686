//! `mercer demo`: the whole path on bundled data.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Parser;

use super::say;
use crate::motions;
use crate::whole::write_whole;

/// Go the whole way on bundled recordings of a smart watch: fit, score, export, report.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    /// A folder for what is made; it may exist if nothing else is in it
    #[arg(long, short, value_name = "FOLDER", default_value = "mercer-demo")]
    out: PathBuf,
}

/// What is done one after the other, as one would type it in the folder, and why.
const STEPS: [(&str, &[&str]); 5] = [
    (
        "Learn what walking looks like, from windows of 16 samples:\nmean and log deviation of each axis, by `mercer tune`.\nNo window crosses from one recording to the next.",
        &[
            "fit",
            "walking.csv",
            "--window",
            "16",
            "--features",
            "mean,logstd",
            "--by",
            "recording",
            "--rate",
            "10",
            "--out",
            "walking.mercer",
        ],
    ),
    (
        "Score other recordings: 110 windows each of walking,\nstanding, running and badminton. Each 40th is shown.",
        &["score", "walking.mercer", "motions.csv", "--every", "40", "--by", "recording"],
    ),
    (
        "How many windows are unusual, and what the alarm makes of\nthem, which starts afresh with each recording of 10 s.",
        &[
            "eval",
            "walking.mercer",
            "motions.csv",
            "--label",
            "activity",
            "--normal",
            "walking",
            "--timeline",
            "--by",
            "recording",
        ],
    ),
    (
        "The model as Rust source, for firmware to include: raw\nsamples in, alarm out.",
        &["export", "walking.mercer", "--rust", "walking.rs", "--name", "WALKING"],
    ),
    (
        "All of it on one page, with reasons.",
        &[
            "report",
            "walking.mercer",
            "motions.csv",
            "--label",
            "activity",
            "--by",
            "recording",
            "--out",
            "report.html",
        ],
    ),
];

/// Columns of a narrow terminal, with room for a prompt and a continuation.
const WIDTH: usize = 56;

/// All files that the demo leaves, with what they are.
const FILES: [(&str, &str); 5] = [
    ("walking.csv", "to learn from: 10 recordings of walking"),
    ("motions.csv", "to score: 40 recordings, 4 activities"),
    ("walking.mercer", "the model"),
    ("walking.rs", "the model as a static in flash"),
    ("report.html", "open it in a browser"),
];

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let folder = &arguments.out;
    refuse_other_files(folder)?;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    write_whole(&folder.join("walking.csv"), motions::training()?.as_bytes())?;
    write_whole(&folder.join("motions.csv"), motions::unseen()?.as_bytes())?;
    say!("Raw recordings of a smart watch, 10 s each: accelerometer");
    say!("and gyroscope, six axes, ten samples a second.");
    // Each step reads and writes what its line says.
    std::env::set_current_dir(folder).with_context(|| folder.display().to_string())?;
    say!("\n$ cd {}", folder.display());
    for (why, words) in STEPS {
        say!("\n# {}\n$ {}", why.replace('\n', "\n# "), command_line(words));
        let step = super::Arguments::try_parse_from(["mercer"].iter().chain(words))?;
        step.run()?;
    }
    say!("\nIn {}:", folder.display());
    for (name, what) in FILES {
        say!("  {name:<15} {what}");
    }
    say!("\nNext: open report.html. Then the same with a CSV of your");
    say!("own, a column for each sensor, rows from normal days:");
    say!("  mercer fit yours.csv --window auto --out yours.mercer");
    say!("(without --window, each row is a reading by itself)");
    Ok(())
}

/// What to type; a long line is continued on the next, before an option.
fn command_line(words: &[&str]) -> String {
    let mut line = String::from("mercer");
    let mut length = line.len();
    for (i, word) in words.iter().enumerate() {
        let value = words.get(i + 1).map_or(0, |value| value.len() + 1);
        if word.starts_with("--") && length + 1 + word.len() + value > WIDTH {
            line += " \\\n   ";
            length = 3;
        }
        line.push(' ');
        line += word;
        length += word.len() + 1;
    }
    line
}

/// Somebody's folder is left alone.
fn refuse_other_files(folder: &Path) -> Result<()> {
    let name = folder.display();
    if !folder.exists() {
        return Ok(());
    }
    for entry in fs::read_dir(folder).with_context(|| name.to_string())? {
        let entry = entry.with_context(|| name.to_string())?.file_name();
        ensure!(
            FILES.iter().any(|(own, _)| entry == *own),
            "{name}: has files that are not the demo's, the first is {}; choose another folder with --out",
            entry.to_string_lossy()
        );
    }
    Ok(())
}
