//! What the host command reads from strangers: CSV, model files, dumps of scikit-learn models;
//! valid ones that were edited, and any bytes at all.
//!
//! No panic, an error that says something, and what a command has written can be read again. The
//! fuzzer's own limits hold time and memory: a file is 128 KB at most.

#![no_main]

use mercer_fuzz::desk::Desk;
use mercer_fuzz::edits::edit;
use mercer_fuzz::number;
use mercer_fuzz::{Decisions, pick};

const CSV: &str = "flow,temperature,\"load, total\",state
1.0,20.5,3,ok\n1.25,20.25,4,ok\n0.75,21.5,3.5,ok\n1.1,20.0,2.5,ok\n1.5,19.5,3.25,warm
0.9,20.75,3.75,ok\n1.05,20.125,4.5,ok\n1.2,20.6,3.1,ok\n0.8,21.1,2.9,warm\n1.3,19.9,3.3,ok
";
const DUMP: &str = r#"{"kernel": "rbf", "gamma": 0.25, "degree": 3, "coef0": 1,
"samples": [[0.0, 1.0], [1.0, 0.5], [0.5, -1.0], [-1.0, 0.0],
  [0.25, 0.75], [1.5, 1.0], [-0.5, -0.5], [0.75, 0.25]],
"eigenvalues": [1.25, 0.5], "eigenvectors": [[0.1, 0.2], [0.3, -0.4], [-0.5, 0.1], [0.2, 0.3],
  [-0.3, 0.5], [0.4, -0.1], [0.5, 0.4], [-0.3, 0.5]],
"columns": ["a", "b"], "scaler": {"mean": [0.0, 1.0], "scale": [1.0, 2.0]}}"#;

thread_local! {
    static DESK: Desk = desk();
    /// A valid model.
    static MODEL: String = DESK.with(|desk| desk.read("valid.mercer"));
}

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("valid.csv", CSV.as_bytes());
    desk.run(&[
        "fit",
        "@valid.csv",
        "--drop",
        "state",
        "--components",
        "2",
        "--out",
        "@valid.mercer",
    ])
    .expect("valid rows");
    desk
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let decisions = &mut Decisions::new(data);
    let kind = number::byte(decisions);
    DESK.with(|desk| match kind % 4 {
        0 | 1 => rows(desk, decisions),
        2 => MODEL.with(|model| model_file(desk, model, decisions)),
        _ => dump(desk, decisions),
    });
});

/// Edits a valid text, or takes the fuzzer's bytes as they are.
fn text(valid: &str, decisions: &mut Decisions<'_>) -> Vec<u8> {
    match number::byte(decisions) % 8 {
        0 => decisions.bytes(decisions.len()).unwrap_or_default().to_vec(),
        _ => {
            let mut text = valid.as_bytes().to_vec();
            edit(&mut text, decisions);
            text
        }
    }
}

/// An error says what is wrong.
fn require_message(done: Result<(), String>) -> bool {
    if let Err(message) = &done {
        assert!(!message.trim().is_empty());
    }
    done.is_ok()
}

fn rows(desk: &Desk, decisions: &mut Decisions<'_>) {
    let command = number::byte(decisions);
    let mut options: Vec<&str> = match command % 4 {
        0 => vec!["score", "@valid.mercer", "@rows.csv", "--why"],
        1 => vec!["score", "@valid.mercer", "@rows.csv", "--where", "state=ok", "--every", "2"],
        2 => vec!["fit", "@rows.csv", "--out", "@fitted.mercer"],
        _ => vec!["fit", "@rows.csv", "--out", "@fitted.mercer", "--drop", "state"],
    };
    if number::below(decisions, 8) == 0 {
        options.push("--no-header");
    }
    options.extend(["--delimiter", pick(decisions, &[",", ",", ",", ";", "tab"])]);
    desk.write("rows.csv", &text(CSV, decisions));
    let done = require_message(desk.run(&options));
    if done && options[0] == "fit" {
        desk.run(&["inspect", "@fitted.mercer", "--json"]).expect("what was written can be read");
    }
}

fn model_file(desk: &Desk, valid: &str, decisions: &mut Decisions<'_>) {
    let scores = number::flag(decisions);
    desk.write("read.mercer", &text(valid, decisions));
    let shown = require_message(desk.run(&["inspect", "@read.mercer"]));
    if shown && scores {
        require_message(desk.run(&["score", "@read.mercer", "@valid.csv", "--why"]));
    }
}

fn dump(desk: &Desk, decisions: &mut Decisions<'_>) {
    let precision = pick(decisions, &["f64", "f32"]);
    desk.write("dump.json", &text(DUMP, decisions));
    let words =
        ["import", "sklearn", "@dump.json", "--out", "@imported.mercer", "--precision", precision];
    if require_message(desk.run(&words)) {
        desk.run(&["inspect", "@imported.mercer"]).expect("what was written can be read");
    }
}
