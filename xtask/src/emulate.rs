//! Runs a program, in QEMU or on the host, for a bounded time, and takes its output line by line.

use std::fmt;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use defmt_decoder::{DecodeError, Frame, StreamDecoder, Table};
use object::{Object, ObjectSymbol};

use crate::board::Board;
use crate::toolchain;

/// How a program ended, and what it, or its emulator, wrote to standard error.
pub(crate) struct Ended {
    status: ExitStatus,
    complaint: String,
}

impl Ended {
    pub(crate) fn well(&self) -> bool {
        self.status.success()
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.status)?;
        // QEMU aborts when a core locks up: a fault while it handles a fault.
        if self.complaint.contains("Lockup") {
            write!(f, ": the core locked up, as when the stack has outgrown the RAM")?;
        }
        for line in self.complaint.lines() {
            write!(f, "\n  {line}")?;
        }
        Ok(())
    }
}

/// Runs `elf` on `board`, hands over each line of its log, and returns the program's exit code.
pub(crate) fn run(
    board: &Board,
    elf: &Path,
    limit: Duration,
    on_line: impl FnMut(&str),
) -> Result<ExitCode> {
    let ended = on_board(board, elf, limit, on_line)?;
    if !ended.well() {
        eprintln!("{ended}");
    }
    let code = ended.status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Runs `elf` on `board` and decodes its defmt frames; firmware without defmt prints plain text.
pub(crate) fn on_board(
    board: &Board,
    elf: &Path,
    limit: Duration,
    on_line: impl FnMut(&str),
) -> Result<Ended> {
    on_machine(board.qemu, board.machine, elf, limit, on_line)
}

/// As [`on_board`], with the emulator's arguments for some other machine.
pub(crate) fn on_machine(
    qemu: &str,
    machine: &[&str],
    elf: &Path,
    limit: Duration,
    mut on_line: impl FnMut(&str),
) -> Result<Ended> {
    toolchain::require_qemu(qemu)?;
    let bytes = fs::read(elf).with_context(|| format!("cannot read {}", elf.display()))?;
    let table = defmt_table(&bytes)
        .with_context(|| format!("cannot read the defmt table of {}", elf.display()))?;

    let mut command = Command::new(qemu);
    command.args(machine);
    command.args(["-nographic", "-monitor", "none", "-serial", "none"]);
    command.args(["-semihosting-config", "enable=on,target=native"]);
    command.arg("-kernel").arg(elf);
    match &table {
        None => text_lines(&mut command, limit, on_line),
        Some(table) => {
            let mut decoder = table.new_stream_decoder();
            bounded(&mut command, limit, |bytes| decode(&mut *decoder, bytes, &mut on_line))
        }
    }
}

/// Runs `program` here.
pub(crate) fn on_host(program: &Path, limit: Duration, on_line: impl FnMut(&str)) -> Result<Ended> {
    text_lines(&mut Command::new(program), limit, on_line)
}

/// What a program prints; if it fails, the error is all it said.
pub(crate) fn lines_of(command: &mut Command) -> Result<Vec<String>> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot start {name}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{name}: {}\n{said}{complaint}", output.status);
    Ok(said.lines().map(|line| line.trim_end().to_string()).collect())
}

/// The strings that the firmware's frames refer to; `None` for firmware that does not log.
///
/// Its version symbol tells, not its section: the linker script makes that in any case.
fn defmt_table(elf: &[u8]) -> Result<Option<Table>> {
    let file = object::File::parse(elf)?;
    let mut names = file.symbols().filter_map(|symbol| symbol.name().ok());
    match names.any(|name| name.contains("_defmt_version_")) {
        true => Table::parse(elf),
        false => Ok(None),
    }
}

/// Decodes the frames that are complete, each of which is one line of the log, or more.
fn decode(
    decoder: &mut dyn StreamDecoder,
    bytes: &[u8],
    on_line: &mut impl FnMut(&str),
) -> Result<()> {
    decoder.received(bytes);
    loop {
        match decoder.decode() {
            Ok(frame) => message(&frame).split('\n').for_each(&mut *on_line),
            Err(DecodeError::UnexpectedEof) => return Ok(()),
            Err(DecodeError::Malformed) => bail!("the program sent a malformed defmt frame"),
        }
    }
}

/// `defmt::println!` has no level, hence no prefix.
fn message(frame: &Frame<'_>) -> String {
    match frame.level() {
        None => frame.display_message().to_string(),
        Some(level) => format!("{}: {}", level.as_str(), frame.display_message()),
    }
}

/// Hands over each line that a command prints.
pub(crate) fn text_lines(
    command: &mut Command,
    limit: Duration,
    mut on_line: impl FnMut(&str),
) -> Result<Ended> {
    let mut unfinished = Vec::new();
    let ended = bounded(command, limit, |bytes| {
        unfinished.extend_from_slice(bytes);
        while let Some(end) = unfinished.iter().position(|&byte| byte == b'\n') {
            on_line(&String::from_utf8_lossy(&unfinished[..end]));
            unfinished.drain(..=end);
        }
        Ok(())
    })?;
    if !unfinished.is_empty() {
        on_line(&String::from_utf8_lossy(&unfinished));
    }
    Ok(ended)
}

/// Runs `command`, handing over its standard output as it comes; one that outlives `limit` is
/// killed.
fn bounded(
    command: &mut Command,
    limit: Duration,
    mut on_bytes: impl FnMut(&[u8]) -> Result<()>,
) -> Result<Ended> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {name}"))?;
    let mut errors = child.stderr.take().context("standard error is not piped")?;
    let complaint = thread::spawn(move || {
        let mut bytes = Vec::new();
        // What could be read is worth showing, whatever stopped it.
        let _ = errors.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let result = follow(&mut child, Instant::now() + limit, &mut on_bytes);
    if !matches!(result, Ok(Some(_))) {
        // Already gone, perhaps; there is nothing else to do about it either way.
        let _ = child.kill();
        let _ = child.wait();
    }
    match result? {
        Some(status) => Ok(Ended { status, complaint: complaint.join().unwrap_or_default() }),
        None => bail!("still running after {} s, stopped", limit.as_secs()),
    }
}

/// `None` when the deadline passes first; the child then still runs.
fn follow(
    child: &mut Child,
    deadline: Instant,
    on_bytes: &mut impl FnMut(&[u8]) -> Result<()>,
) -> Result<Option<ExitStatus>> {
    // A read cannot be given a deadline, so a thread reads and we wait for what it sends.
    let mut output = child.stdout.take().context("the output is not piped")?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = output.read(&mut buffer) {
            if sender.send(buffer[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    loop {
        match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(bytes) => on_bytes(&bytes)?,
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => return Ok(None),
        }
    }
    // The output has ended; the process follows, as a rule at once.
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(None)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> (Vec<String>, Result<Ended>) {
        let mut lines = Vec::new();
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let status = text_lines(&mut command, limit, |line| lines.push(line.to_string()));
        (lines, status)
    }

    #[test]
    fn lines_and_exit_code_arrive() {
        let (lines, status) =
            shell("echo a; echo; printf b; echo oh >&2; exit 3", Duration::from_secs(10));
        assert_eq!(lines, ["a", "", "b"]);
        let ended = status.unwrap();
        assert_eq!(ended.to_string(), "exit status: 3\n  oh");
    }

    #[test]
    fn a_program_that_does_not_end_is_stopped() {
        let (lines, status) = shell("echo a; exec sleep 60", Duration::from_millis(300));
        assert_eq!(lines, ["a"]);
        let error = status.err().unwrap().to_string();
        assert!(error.contains("still running"), "{error}");
    }
}
