//! The commands, one a file.

mod answer;
mod calibrate;
mod demo;
mod eval;
mod export;
mod features;
mod fit;
mod import;
mod inspect;
mod new;
mod project;
mod report;
mod score;
mod tune;
mod watch;

use std::io::{self, IsTerminal, Write};

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::escape;
use crate::progress::Progress;
use crate::text::{complain, shorten};

/// Bad input, as clap has it for bad options.
const BAD_INPUT: u8 = 2;
/// Characters of an error.
const LONGEST_ERROR: usize = 2000;

/// Does what the command line asks for, and says what went wrong on standard error.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
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
            complain(&shorten(&format!("{error:#}"), LONGEST_ERROR));
            ExitCode::from(BAD_INPUT)
        }
    }
}

/// Kernel PCA for microcontrollers: from a CSV on the desk to a model in flash.
#[derive(Parser, Debug)]
#[command(name = "mercer", version, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Features(features::Arguments),
    Fit(fit::Arguments),
    Calibrate(calibrate::Arguments),
    Project(project::Arguments),
    Score(score::Arguments),
    Watch(watch::Arguments),
    Inspect(inspect::Arguments),
    Eval(eval::Arguments),
    Tune(tune::Arguments),
    Import(import::Arguments),
    Export(export::Arguments),
    Report(report::Arguments),
    New(new::Arguments),
    Demo(demo::Arguments),
}

impl Arguments {
    /// Does what was asked for.
    ///
    /// # Errors
    /// One line that says what is wrong and where. No file was written then; rows before a fault may have been answered.
    pub fn run(self) -> Result<()> {
        let done = match self.command {
            Command::Features(arguments) => features::run(&arguments),
            Command::Fit(arguments) => fit::run(arguments),
            Command::Calibrate(arguments) => calibrate::run(&arguments),
            Command::Project(arguments) => project::run(&arguments),
            Command::Score(arguments) => score::run(&arguments),
            Command::Watch(arguments) => watch::run(arguments),
            Command::Inspect(arguments) => inspect::run(&arguments),
            Command::Eval(arguments) => eval::run(&arguments),
            Command::Tune(arguments) => tune::run(&arguments),
            Command::Import(arguments) => import::run(&arguments),
            Command::Export(arguments) => export::run(&arguments),
            Command::Report(arguments) => report::run(&arguments),
            Command::New(arguments) => new::run(&arguments),
            Command::Demo(arguments) => demo::run(&arguments),
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

/// Standard output, by the line for a stream and by the block for a file.
struct Output {
    out: io::BufWriter<io::StdoutLock<'static>>,
    by_line: bool,
}

impl Output {
    fn new(by_line: bool) -> Self {
        Self { out: io::BufWriter::new(io::stdout().lock()), by_line }
    }

    /// For rows that go to a file; those on a terminal show how far it is.
    fn progress(&self) -> Option<Progress> {
        let silent = !self.by_line && !io::stdout().is_terminal();
        silent.then(|| Progress::new("scoring", 0))
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")?;
        if self.by_line { self.out.flush() } else { Ok(()) }
    }

    fn finish(mut self) -> io::Result<()> {
        self.out.flush()
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
