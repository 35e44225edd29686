//! The commands, one a file.

mod answer;
mod batch;
mod calibrate;
mod completions;
mod demo;
mod each;
mod eval;
mod examples;
mod export;
mod features;
mod fit;
mod import;
mod inspect;
mod line;
mod man;
mod new;
mod project;
mod report;
mod score;
mod tune;
mod watch;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use self::each::SomeFailed;
use crate::escape;
use crate::progress::Progress;
use crate::source::Far;
use crate::speech::{self, Colour, fail};
use crate::text::shorten;
use crate::whole::Staged;

/// Some of several models could not be fitted.
const SOME_FAILED: u8 = 1;
/// Bad input, as clap has it for bad options.
const BAD_INPUT: u8 = 2;
/// Characters of an error.
const LONGEST_ERROR: usize = 2000;

/// Does what the command line asks for, and says what went wrong on standard error.
pub fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let colour = match wished_colour(&words) {
        Colour::Auto => ColorChoice::Auto,
        Colour::Always => ColorChoice::Always,
        Colour::Never => ColorChoice::Never,
    };
    let matches = whole_command().color(colour).try_get_matches_from(words);
    let arguments = matches.and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match arguments {
        Ok(arguments) => arguments,
        // Help, and the version.
        Err(asked) if !asked.use_stderr() => asked.exit(),
        Err(error) => {
            let _ = write!(io::stderr(), "{}", escape::screen(&error.render().to_string()));
            return ExitCode::from(BAD_INPUT);
        }
    };
    match arguments.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            fail(&shorten(&format!("{error:#}"), LONGEST_ERROR));
            ExitCode::from(if error.is::<SomeFailed>() { SOME_FAILED } else { BAD_INPUT })
        }
    }
}

/// `--color`, before anything else is understood: help has colours, too.
fn wished_colour(words: &[OsString]) -> Colour {
    let texts: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
    let after = texts.windows(2).filter(|pair| pair[0] == "--color").map(|pair| pair[1]);
    let joined = texts.iter().filter_map(|word| word.strip_prefix("--color="));
    let known = |value: &str| Colour::from_str(value, true).ok();
    after.chain(joined).find_map(known).unwrap_or_default()
}

/// All commands, with examples.
fn whole_command() -> clap::Command {
    examples::add(Arguments::command())
}

/// Kernel PCA for microcontrollers: from a CSV on the desk to a model in flash.
///
/// Learns what normal readings look like, says which are not, because of which input, and writes
/// the model for firmware.
#[derive(Parser, Debug)]
#[command(name = "mercer", version, arg_required_else_help = true, after_help = examples::EXIT_CODES, after_long_help = examples::WORDS)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Say nothing but results, warnings and errors: no notes, no progress, no summary of what was
    /// written
    #[arg(long, short, global = true)]
    quiet: bool,
    /// Whether messages and help have colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Colour::Auto, global = true)]
    color: Colour,
}

/// In the order in which one uses them.
#[derive(Subcommand, Debug)]
enum Command {
    Demo(demo::Arguments),
    Features(features::Arguments),
    Tune(tune::Arguments),
    Fit(fit::Arguments),
    Import(import::Arguments),
    Inspect(inspect::Arguments),
    Calibrate(calibrate::Arguments),
    Eval(eval::Arguments),
    Score(score::Arguments),
    Watch(watch::Arguments),
    Report(report::Arguments),
    Project(project::Arguments),
    Export(export::Arguments),
    New(new::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
}

impl Arguments {
    /// Does what was asked for.
    ///
    /// # Errors
    /// One line that says what is wrong and where. No file was written then; rows before a fault
    /// may have been answered.
    pub fn run(self) -> Result<()> {
        speech::set(self.quiet, self.color);
        let done = match self.command {
            Command::Demo(arguments) => demo::run(&arguments),
            Command::Features(arguments) => features::run(&arguments),
            Command::Tune(arguments) => tune::run(&arguments),
            Command::Fit(arguments) => fit::run(arguments),
            Command::Import(arguments) => import::run(&arguments),
            Command::Inspect(arguments) => inspect::run(&arguments),
            Command::Calibrate(arguments) => calibrate::run(&arguments),
            Command::Eval(arguments) => eval::run(&arguments),
            Command::Score(arguments) => score::run(&arguments),
            Command::Watch(arguments) => watch::run(arguments),
            Command::Report(arguments) => report::run(&arguments),
            Command::Project(arguments) => project::run(&arguments),
            Command::Export(arguments) => export::run(&arguments),
            Command::New(arguments) => new::run(&arguments),
            Command::Completions(arguments) => completions::run(&arguments),
            Command::Man(arguments) => man::run(&arguments),
        };
        match done {
            Err(error) if is_broken_pipe(&error) => Ok(()),
            done => done,
        }
    }
}

/// Who reads the output has had enough of it: no error.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().map(io::Error::kind)
    };
    error.chain().any(|cause| kind(cause) == Some(io::ErrorKind::BrokenPipe))
}

/// Prints lines that a terminal only shows. Unlike `println!`, it hands on what goes wrong: who
/// reads it may have had enough, or the disk may be full.
macro_rules! say {
    ($($text:tt)*) => {
        std::io::Write::write_fmt(
            &mut std::io::stdout(),
            format_args!("{}\n", crate::escape::screen(&format!($($text)*))),
        )?
    };
}
use say;

/// Prints lines about what was written, which --quiet leaves out.
macro_rules! tell {
    ($($text:tt)*) => {
        if !crate::speech::is_quiet() {
            crate::command::say!($($text)*);
        }
    };
}
use tell;

/// Where lines go: standard output, by the line for a stream and by the block for a file; or a file
/// that is written whole or not at all.
struct Output {
    out: io::BufWriter<Sink>,
    by_line: bool,
}

enum Sink {
    Standard(io::Stdout),
    File(Staged),
}

impl Output {
    fn new(by_line: bool, file: Option<&Path>) -> Result<Self> {
        let sink = match file {
            Some(path) => Sink::File(Staged::begin(path)?),
            None => Sink::Standard(io::stdout()),
        };
        let by_line = by_line && file.is_none();
        Ok(Self { out: io::BufWriter::new(sink), by_line })
    }

    /// For rows that go to a file; those on a terminal show how far it is.
    fn progress(&self, far: &Far) -> Option<Progress> {
        let is_shown =
            matches!(self.out.get_ref(), Sink::Standard(_)) && io::stdout().is_terminal();
        (!self.by_line && !is_shown).then(|| Progress::of_file("scoring", far))
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")?;
        self.pause()
    }

    /// Somebody may be waiting for what was written.
    fn pause(&mut self) -> io::Result<()> {
        if self.by_line { self.out.flush() } else { Ok(()) }
    }

    fn finish(self) -> Result<()> {
        match self.out.into_inner().map_err(io::IntoInnerError::into_error)? {
            Sink::Standard(mut out) => Ok(out.flush()?),
            Sink::File(staged) => staged.finish(),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Standard(out) => out.write(bytes),
            Self::File(staged) => staged.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Standard(out) => out.flush(),
            Self::File(staged) => staged.flush(),
        }
    }
}
