//! On however many cores: the same bytes.

mod common;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use common::Desk;

/// Readings of four inputs, with some anomalies.
fn readings(rows: usize) -> String {
    let mut csv = String::from("a,b,c,d,state\n");
    let mut seed = 3_u32;
    let mut noise = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(seed >> 8) / f64::from(1 << 24) - 0.5
    };
    for row in 0..rows {
        let (cause, odd) = (4.0 * noise(), row % 17 == 16);
        let shift = if odd { 1.5 } else { 0.0 };
        csv += &format!(
            "{:.4},{:.4},{:.4},{:.4},{}\n",
            cause + noise(),
            cause * cause + noise() + shift,
            noise() - cause,
            noise() - shift,
            if odd { "odd" } else { "ok" }
        );
    }
    csv
}

/// What a command says, with so many threads.
fn said(desk: &Desk, threads: &str, arguments: &[&str]) -> String {
    let output = desk.command(arguments).env("MERCER_THREADS", threads).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn threads_change_no_byte() {
    let desk = Desk::new();
    desk.write("data.csv", &readings(1200));
    let fit = ["fit", "data.csv", "--where", "state=ok", "--out", "m.mercer"];
    let trimmed = ["--trim", "0.02", "--precision", "f64", "--folds", "7"];
    let commands: [Vec<&str>; 4] = [
        fit.to_vec(),
        fit.iter().chain(&trimmed).copied().collect(),
        vec!["eval", "m.mercer", "data.csv", "--label", "state", "--normal", "ok", "--timeline"],
        vec!["tune", "data.csv", "--label", "state", "--normal", "ok", "--every", "12", "--all"],
    ];
    for command in commands {
        let mut models = Vec::new();
        // More threads than folds, too.
        let answers = ["1", "2", "16"].map(|threads| {
            let answer = said(&desk, threads, &command);
            models.push(fs::read(desk.path("m.mercer")).expect("a model"));
            answer
        });
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{command:?}: {answers:?}");
        assert!(models.iter().all(|model| *model == models[0]), "{command:?}");
    }
}

/// Also what is wrong: the first row or fold that cannot be used is named.
#[test]
fn threads_change_no_error() {
    let desk = Desk::new();
    desk.write("data.csv", &readings(1200));
    // Beyond what can be scaled, at both ends of the file.
    let huge = readings(1200).replacen('\n', "\n1,1,1,3e38,ok\n", 1) + "1,1,1,-3e38,odd\n";
    desk.write("huge.csv", &huge);
    desk.succeed(&["fit", "data.csv", "--drop", "state", "--out", "m.mercer"]);
    for arguments in [
        &["eval", "m.mercer", "huge.csv", "--label", "state", "--normal", "ok"][..],
        &[
            "fit", "huge.csv", "--drop", "state", "--scale", "none", "--kernel", "poly", "--out",
            "x",
        ],
    ] {
        let errors = ["1", "3"].map(|threads| {
            let output = desk.command(arguments).env("MERCER_THREADS", threads).output();
            let output = output.expect("it runs");
            assert!(!output.status.success(), "{arguments:?}");
            String::from_utf8(output.stderr).expect("text")
        });
        assert!(errors.iter().all(|error| *error == errors[0]), "{errors:?}");
    }
}

/// All that a command says, from a file or by standard input.
fn all(desk: &Desk, threads: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = desk.command(arguments);
    if arguments.contains(&"-") {
        command.stdin(File::open(desk.path("data.csv")).expect("the rows"));
    }
    let output = command.env("MERCER_THREADS", threads).output().expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A model of four inputs, and 5,000 rows to score: several batches, recordings of all lengths.
fn scored(desk: &Desk, spoil: impl Fn(usize, &str) -> String) {
    desk.write("train.csv", &readings(400));
    desk.succeed(&["fit", "train.csv", "--drop", "state", "--out", "m.mercer"]);
    let rows = readings(5_000);
    let mut lines = rows.lines();
    let mut text = format!("{},id\n", lines.next().expect("a header"));
    for (row, line) in lines.enumerate() {
        let recording = (row + 1).ilog2().min(9) * 2 + row as u32 / 1_700;
        text += &spoil(row, &format!("{line},machine {recording}"));
        text += "\n";
    }
    desk.write("data.csv", &text);
}

#[test]
fn threads_change_no_answer() {
    let desk = Desk::new();
    // Cells without a number, garbled lines, blank ones, and lines that end as on Windows.
    scored(&desk, |row, line| match row % 97 {
        13 => line.replacen(|c: char| c.is_ascii_digit(), "x", 1),
        29 => format!(",{}", line.split_once(',').expect("cells").1),
        41 => format!("{line},one too many"),
        57 => format!("{line}\r"),
        71 => format!("\n{line}\n"),
        _ => line.into(),
    });
    for source in ["data.csv", "-"] {
        for options in [
            &["score", "--missing", "skip"][..],
            &["score", "--missing", "impute", "--by", "id", "--with", "id,state", "--json"],
            &["score", "--missing", "skip", "--why", "--alarm", "3of5", "--where", "state=odd"],
            &["score", "--missing", "skip", "--every", "7", "--out", "answers.csv"],
            &["project", "--missing", "skip", "--with", "id"],
        ] {
            let arguments = [&options[..1], &["m.mercer", source], &options[1..]].concat();
            let one = all(&desk, "1", &arguments);
            let file = fs::read(desk.path("answers.csv")).ok();
            assert_eq!(one.0, Some(0), "{one:?}");
            assert!(one.2.contains("left out"), "{one:?}");
            for threads in ["2", "16"] {
                assert!(all(&desk, threads, &arguments) == one, "{threads}: {arguments:?}");
                assert_eq!(fs::read(desk.path("answers.csv")).ok(), file, "{threads}");
            }
        }
    }
}

/// What is wrong with the first row that is, is said, after the answers to all rows before it:
/// whether it cannot be read or cannot be scored.
#[test]
fn threads_change_no_failure() {
    let desk = Desk::new();
    for (huge, garbled) in [(3_000, 3_001), (3_001, 3_000), (0, 1), (4_999, 10_000)] {
        scored(&desk, |row, line| match row {
            row if row == huge => "1,1,1,3e38,ok,m".into(),
            row if row == garbled => "1,1,one,1,ok,m".into(),
            _ => line.into(),
        });
        let one = all(&desk, "1", &["score", "m.mercer", "data.csv"]);
        let first = huge.min(garbled);
        assert_eq!((one.0, one.1.lines().count()), (Some(2), first + 1), "{}", one.2);
        assert!(one.2.contains(&format!("data.csv:{}:", first + 2)), "{}", one.2);
        for threads in ["2", "16"] {
            assert!(all(&desk, threads, &["score", "m.mercer", "data.csv"]) == one, "{threads}");
        }
    }
}

/// A command that is fed row by row, and its answers as they come.
fn live(desk: &Desk, threads: &str, options: &[&str]) -> (Child, ChildStdin, Receiver<String>) {
    let mut command = desk.command(&[&["score", "m.mercer", "-"], options].concat());
    command.env("MERCER_THREADS", threads).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::null()).spawn().expect("it runs");
    let input = child.stdin.take().expect("a pipe");
    let output = BufReader::new(child.stdout.take().expect("a pipe"));
    let (sender, answers) = mpsc::channel();
    thread::spawn(move || {
        output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
    });
    (child, input, answers)
}

/// Long, for a busy machine; an answer that waits for the next row never comes.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn each_row_of_a_stream_is_answered_at_once() {
    let desk = Desk::new();
    scored(&desk, |_, line| line.into());
    for threads in ["1", "2", "8"] {
        let (mut child, mut input, answers) = live(&desk, threads, &["--where", "state=ok"]);
        let mut send = |text: &str| input.write_all(text.as_bytes()).expect("it listens");
        let answer = || answers.recv_timeout(PATIENCE).expect("an answer");
        send("a,b,c,d,state\n");
        assert!(answer().starts_with("row,spe"));
        // Whatever comes after it that is no row to answer: a blank line, another end of lines,
        // rows that nobody wants or that are garbled, half of the next row.
        let ends = ["\n", "\r\n", "\n\n\n", "\n1,2,3,4,odd\n", "\nrubbish\n", "\n1,2,"];
        let mut row = 0;
        for end in ends {
            send(&format!("1,1,1,1,ok{end}"));
            assert!(answer().starts_with(&format!("{row},")), "{threads}: {end:?}");
            row += if end.len() > 4 && !end.ends_with(',') { 2 } else { 1 };
        }
        send("3,4,ok\n");
        assert!(answer().starts_with(&format!("{row},")));
        // And many of them.
        let many: String = (0..2_000).map(|_| "1,1,1,1,ok\n").collect();
        send(&many);
        (0..2_000).for_each(|_| drop(answer()));
        drop(input);
        assert!(child.wait().expect("it ends").success());
    }
}

#[test]
fn a_stream_that_cannot_be_answered_ends_at_once() {
    let desk = Desk::new();
    scored(&desk, |_, line| line.into());
    for threads in ["1", "2"] {
        let (mut child, mut input, answers) = live(&desk, threads, &[]);
        input.write_all(b"a,b,c,d\n1,1,1,1\n1,1,1,3e38\n").expect("it listens");
        assert_eq!(answers.iter().count(), 2, "header and one row, while it could read on");
        let started = Instant::now();
        let status = loop {
            match child.try_wait().expect("a child") {
                Some(status) => break status,
                None => assert!(started.elapsed() < PATIENCE, "it waits for more"),
            }
            thread::sleep(Duration::from_millis(5));
        };
        assert_eq!(status.code(), Some(2));
        drop(input);
    }
}
