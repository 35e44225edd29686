//! A long stream takes no more memory than a short one.
#![cfg(target_os = "linux")]

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use common::Desk;

const COLUMNS: usize = 16;

fn rows(count: usize) -> impl Iterator<Item = String> {
    let mut state = 1_u64;
    (0..count).map(move |_| {
        let cells: Vec<String> = (0..COLUMNS)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                format!("{:.4}", (state >> 40) as f64 / (1 << 24) as f64)
            })
            .collect();
        cells.join(",")
    })
}

fn header() -> String {
    (0..COLUMNS).map(|i| format!("c{i}")).collect::<Vec<_>>().join(",")
}

/// The most memory, in KiB, that scoring so many rows took, and how many answers there were.
fn peak(desk: &Desk, count: usize) -> (usize, usize) {
    let mut child = desk
        .command(&["score", "m.mercer", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut input = child.stdin.take().expect("a pipe");
    let output = child.stdout.take().expect("a pipe");
    let answers = std::thread::spawn(move || {
        let mut answers = BufReader::new(output).lines();
        (answers.by_ref().take(count + 1).count(), answers)
    });
    writeln!(input, "{}", header()).expect("it listens");
    for row in rows(count) {
        writeln!(input, "{row}").expect("it listens");
    }
    input.flush().expect("it listens");
    // All rows are answered, and it waits for more.
    let (answered, _rest) = answers.join().expect("answers");
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).expect("its status");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
    let peak = line.split_whitespace().nth(1).expect("a number").parse().expect("a number");
    drop(input);
    assert!(child.wait().expect("it ends").success());
    (peak, answered - 1)
}

#[test]
fn memory_does_not_grow_with_the_stream() {
    let desk = Desk::new();
    let training: Vec<String> = rows(200).collect();
    desk.write("train.csv", &format!("{}\n{}\n", header(), training.join("\n")));
    desk.succeed(&["fit", "train.csv", "--out", "m.mercer"]);
    let ((short, few), (long, many)) = (peak(&desk, 1_000), peak(&desk, 100_000));
    assert_eq!((few, many), (1_000, 100_000));
    println!("peak memory: {short} KiB for 1,000 rows, {long} KiB for 100,000");
    assert!(long <= short + 512, "{short} KiB, then {long} KiB");
}
