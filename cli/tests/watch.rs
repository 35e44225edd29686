//! `mercer watch` on a pseudo-terminal, as a person sees it.
#![cfg(unix)]

mod common;

use std::fs;
use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use common::{Desk, column, text};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn size_of_screen(size: u16) -> NonZero<u16> {
    NonZero::new(size).expect("not 0")
}

/// A terminal with the command in it.
struct Terminal {
    screen: vt100::Parser,
    bytes: Receiver<Vec<u8>>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    /// Runs a line of a shell, in which `$MERCER` is the command.
    fn run(desk: &Desk, (rows, cols): (u16, u16), line: &str) -> Self {
        let size = PtySize { rows, cols, ..PtySize::default() };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new("sh");
        command.args(["-c", line]);
        command.cwd(desk.path("."));
        command.env("MERCER", env!("CARGO_BIN_EXE_mercer"));
        command.env("TERM", "xterm-256color");
        let child = pair.slave.spawn_command(command).expect("a shell");
        let mut reader = pair.master.try_clone_reader().expect("what is printed");
        let keys = pair.master.take_writer().expect("a keyboard");
        let (sender, bytes) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                let _ = sender.send(buffer[..count].to_vec());
            }
        });
        let [height, width] = [rows, cols].map(size_of_screen);
        let screen = vt100::Parser::new(height, width, 0);
        Self { screen, bytes, keys, child, master: pair.master }
    }

    /// All that is to be seen.
    fn text(&self) -> String {
        self.screen.screen().contents()
    }

    fn look(&mut self) {
        if let Ok(bytes) = self.bytes.recv_timeout(Duration::from_millis(50)) {
            self.screen.process(&bytes);
        }
    }

    /// Waits until all of it is to be seen.
    #[track_caller]
    fn wait_for(&mut self, words: &[&str]) -> String {
        let began = Instant::now();
        while !words.iter().all(|word| self.text().contains(word)) {
            assert!(began.elapsed() < PATIENCE, "no {words:?} on:\n{}", self.text());
            self.look();
        }
        self.text()
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("a keyboard");
    }

    /// Waits for the end: the exit code, and what is left on the terminal.
    #[track_caller]
    fn end(mut self) -> (u32, String) {
        let began = Instant::now();
        let status = loop {
            assert!(began.elapsed() < PATIENCE, "it does not end:\n{}", self.text());
            self.look();
            if let Some(status) = self.child.try_wait().expect("a child") {
                break status;
            }
        };
        while let Ok(bytes) = self.bytes.recv_timeout(Duration::from_millis(200)) {
            self.screen.process(&bytes);
        }
        assert!(!self.screen.screen().alternate_screen(), "the terminal as it was");
        assert!(!self.screen.screen().hide_cursor(), "the cursor is back");
        (status.exit_code(), self.text())
    }
}

/// A desk with a model, and 300 rows of which 120 to 159 are a fault of `b`.
fn desk() -> Desk {
    let desk = Desk::new();
    let row = |t: f64| {
        let wave = (t * 0.7).sin();
        [wave, wave + 0.2 * (t * 2.3).cos(), (t * 1.1).cos()]
    };
    let mut train = String::from("a,b,c\n");
    for t in 0..200 {
        let [a, b, c] = row(f64::from(t));
        train += &format!("{a},{b},{c}\n");
    }
    desk.write("train.csv", &train);
    let mut test = String::from("when,a,b,c\n");
    for t in 0..300 {
        let [a, b, c] = row(f64::from(t) + 1000.25);
        let fault = if (120..160).contains(&t) { 4.0 } else { 0.0 };
        test += &format!("t+{t},{a},{},{c}\n", b + fault);
    }
    desk.write("test.csv", &test);
    desk.succeed(&["fit", "train.csv", "--out", "m.mercer"]);
    desk
}

/// The rows at which `mercer score` has an alarm begin and end.
fn changes(desk: &Desk, file: &str) -> (Vec<usize>, Vec<usize>) {
    let alarm = column(&desk.succeed(&["score", "m.mercer", file]), "alarm");
    let at = |was: f64, is: f64| {
        let pairs = alarm.windows(2).enumerate();
        pairs.filter(|(_, pair)| *pair == [was, is]).map(|(row, _)| row + 1).collect()
    };
    (at(0.0, 1.0), at(1.0, 0.0))
}

#[test]
fn a_replay_shows_and_logs_what_score_says() {
    let desk = desk();
    let (raised, ended) = changes(&desk, "test.csv");
    assert!((1..=3).contains(&raised.len()) && raised.len() == ended.len(), "{raised:?} {ended:?}");
    for size in [(24, 60), (50, 160), (12, 40)] {
        let log = desk.path("events.csv");
        let _ = fs::remove_file(&log);
        let line = "$MERCER watch m.mercer test.csv --speed max --log events.csv";
        let mut terminal = Terminal::run(&desk, size, line);
        let seen = terminal.wait_for(&["end of the data", "300 rows"]);
        assert!(seen.contains("normal"), "{seen}");
        assert!(seen.contains("suspect: ") && seen.contains("read "), "{seen}");
        if size.0 > 12 {
            assert!(seen.contains("b: "), "{seen}");
            assert!(seen.contains("threshold") && seen.contains("10×"), "{seen}");
            assert!(seen.contains("alarm from") && seen.contains("suspect at the peak"), "{seen}");
            assert!(seen.contains(&format!("row {}", raised[0])), "{seen}");
        }
        terminal.press("q");
        let (code, left) = terminal.end();
        assert_eq!((code, left.trim()), (0, ""));
        let events = fs::read_to_string(&log).expect("a log");
        let rows = |event: &str| -> Vec<usize> {
            let lines = events.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
            lines.filter(|cells| cells[1] == event).map(|cells| cells[2].parse().unwrap()).collect()
        };
        assert_eq!((rows("raised"), rows("ended")), (raised.clone(), ended.clone()), "{events}");
        let first = events.lines().nth(1).expect("an event");
        assert!(first.split(',').nth(5) == Some("b"), "{first}");
    }
}

#[test]
fn a_stream_is_shown_as_it_comes() {
    let desk = desk();
    // A row with nothing in it is left out, and said so.
    let rows = fs::read_to_string(desk.path("test.csv")).unwrap();
    let mut lines: Vec<&str> = rows.lines().collect();
    lines.insert(50, "later,,,");
    let (before, after) = lines.split_at(140);
    desk.write("before.csv", &format!("{}\n", before.join("\n")));
    desk.write("after.csv", &format!("{}\n", after.join("\n")));
    let line = "mkfifo go stop; (cat before.csv go after.csv stop) \
        | $MERCER watch m.mercer --time when";
    let mut terminal = Terminal::run(&desk, (30, 80), line);
    let seen = terminal.wait_for(&["ALARM since t+12", "138 rows", "nothing has come for"]);
    assert!(seen.contains("suspect: b"), "{seen}");
    assert!(seen.contains("1 row with missing inputs left out"), "{seen}");
    // Held, nothing moves, and nothing is lost.
    terminal.press(" ");
    terminal.wait_for(&["held"]);
    fs::write(desk.path("go"), "").expect("somebody reads it");
    terminal.wait_for(&["300 rows"]);
    assert!(terminal.text().contains("t+137:"), "{}", terminal.text());
    terminal.press(" ");
    let seen = terminal.wait_for(&["normal", "t+299:"]);
    assert!(!seen.contains("held"), "{seen}");
    terminal.press("+");
    terminal.wait_for(&["300 rows ago"]);
    terminal.press("---");
    terminal.wait_for(&["30 rows ago"]);
    // Another size, while it runs.
    let size = PtySize { rows: 20, cols: 60, ..PtySize::default() };
    terminal.master.resize(size).expect("another size");
    let [height, width] = [20, 60].map(size_of_screen);
    terminal.screen.screen_mut().set_size(height, width);
    terminal.press("+");
    terminal.wait_for(&["60 rows ago", "300 rows"]);
    // Ctrl-C, although the stream goes on.
    terminal.press("\x03");
    fs::write(desk.path("stop"), "").expect("the stream waits");
    assert_eq!(terminal.end().0, 0);
}

#[test]
fn faults_end_it_with_a_line_and_the_terminal_as_it_was() {
    let desk = desk();
    desk.write("bad.csv", "a,b,c\n1,2,3\n1,two,3\n");
    let mut terminal = Terminal::run(&desk, (24, 80), "$MERCER watch m.mercer bad.csv --speed max");
    terminal.wait_for(&["stopped:", "bad.csv:3"]);
    terminal.press("q");
    let (code, left) = terminal.end();
    assert_eq!(code, 2, "{left}");
    assert!(left.starts_with("mercer: bad.csv:3"), "{left}");

    // Asked to end from outside, while it waits for more.
    let line =
        r#"mkfifo stop; cat test.csv stop | sh -c 'echo $$ > pid; exec "$MERCER" watch m.mercer'"#;
    let mut terminal = Terminal::run(&desk, (24, 80), line);
    terminal.wait_for(&["300 rows"]);
    let pid = fs::read_to_string(desk.path("pid")).expect("its number");
    let killed = std::process::Command::new("kill").args(["-TERM", pid.trim()]).status();
    assert!(killed.expect("kill").success());
    fs::write(desk.path("stop"), "").expect("the stream waits");
    terminal.end();
}

#[test]
fn a_log_goes_on_and_replaces_nothing() {
    let desk = desk();
    let run = |desk: &Desk, log: &str| {
        let line = format!("$MERCER watch m.mercer test.csv --speed max --log {log}");
        let mut terminal = Terminal::run(desk, (24, 80), &line);
        terminal.wait_for(&["end of the data"]);
        terminal.press("q");
        terminal.end().0
    };
    assert_eq!([run(&desk, "log.csv"), run(&desk, "log.csv")], [0, 0]);
    let log = fs::read_to_string(desk.path("log.csv")).unwrap();
    let headers = log.lines().filter(|line| line.starts_with("at,event")).count();
    assert_eq!(headers, 1, "{log}");
    let rows = |half: usize| -> Vec<String> {
        let lines: Vec<&str> = log.lines().skip(1).collect();
        let half = &lines[half * lines.len() / 2..(half + 1) * lines.len() / 2];
        half.iter().map(|line| line.split_once(',').unwrap().1.to_string()).collect()
    };
    assert_eq!(rows(0), rows(1), "the same events, at another time");

    for (name, content) in
        [("notes.txt", "my notes\n"), ("train.csv", ""), ("raw.bin", "\u{0}\u{1}")]
    {
        let path = desk.path(name);
        if !content.is_empty() {
            desk.write(name, content);
        }
        let kept = fs::read(&path).unwrap();
        let line = format!("$MERCER watch m.mercer test.csv --log {name}");
        let (code, left) = Terminal::run(&desk, (24, 80), &line).end();
        assert_eq!(code, 2, "{left}");
        assert!(left.contains("something else than events"), "{left}");
        assert_eq!(fs::read(&path).unwrap(), kept);
    }
    for name in ["test.csv", "m.mercer"] {
        let line = format!("$MERCER watch m.mercer test.csv --log {name}");
        let (code, left) = Terminal::run(&desk, (24, 80), &line).end();
        assert!(code == 2 && left.contains("is read"), "{left}");
    }
}

#[test]
fn without_a_terminal_or_data_it_says_what_to_do() {
    let desk = desk();
    assert!(desk.fail(&["watch", "m.mercer", "test.csv"]).contains("mercer score"));
    let (code, left) = Terminal::run(&desk, (24, 100), "$MERCER watch m.mercer").end();
    assert!(code == 2 && left.contains("nothing arrives on standard input"), "{left}");
    let (code, left) =
        Terminal::run(&desk, (24, 100), "$MERCER watch m.mercer - --baud 9600").end();
    assert!(code == 2 && left.contains("--baud is for a serial port"), "{left}");
    for bad in ["--speed 0", "--speed -1", "--speed fast", "--rate nan", "--baud 0"] {
        let line = format!("$MERCER watch m.mercer test.csv {bad}");
        let (code, left) = Terminal::run(&desk, (24, 100), &line).end();
        assert!(code == 2 && left.contains("error:"), "{bad}: {left}");
    }
}

#[test]
fn a_replay_keeps_its_pace() {
    let desk = desk();
    let line = "$MERCER watch m.mercer test.csv --rate 100 --speed 2";
    let began = Instant::now();
    let mut terminal = Terminal::run(&desk, (24, 80), line);
    terminal.wait_for(&["300 rows"]);
    // 300 rows at 200 a second.
    assert!(began.elapsed() >= Duration::from_millis(1490), "{:?}", began.elapsed());
    terminal.press("q");
    assert_eq!(terminal.end().0, 0);
}

/// Another pseudo-terminal takes the part of the port.
#[test]
fn a_serial_port_is_read() {
    let desk = desk();
    let port = native_pty_system().openpty(PtySize::default()).expect("a pseudo-terminal");
    let Some(name) = port.master.tty_name() else {
        return common::skipped("a pseudo-terminal has no name here");
    };
    let mut device = port.master.take_writer().expect("a device");
    let line = format!("$MERCER watch m.mercer {} --baud 115200", text(Path::new(&name)));
    let mut terminal = Terminal::run(&desk, (24, 80), &line);
    terminal.wait_for(&["waiting for the first row"]);
    for line in fs::read_to_string(desk.path("test.csv")).unwrap().lines().take(140) {
        device.write_all(format!("{line}\r\n").as_bytes()).expect("it listens");
    }
    terminal.wait_for(&["139 rows", "ALARM since row 12", "suspect: b"]);
    terminal.press("q");
    assert_eq!(terminal.end().0, 0);

    let (code, left) =
        Terminal::run(&desk, (24, 80), "$MERCER watch m.mercer test.csv --baud 9600").end();
    assert!(code == 2, "a file is no port: {left}");
}
