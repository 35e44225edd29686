//! `mercer new firmware`: what it writes, and what it refuses. `cargo xtask firmware pico-embassy`
//! builds and runs it.

mod common;

use std::fs;

use common::{Desk, files, root};

/// A model of raw samples, with these columns.
fn desk(columns: &[&str], options: &[&str]) -> Desk {
    let desk = Desk::new();
    let row = |t: usize| -> String {
        let value = |column: usize| 2000 + (t * (7 + column)) % 41 + 8 * ((t / 40 + column) % 5);
        (0..columns.len()).map(|column| value(column).to_string()).collect::<Vec<_>>().join(",")
    };
    let rows: Vec<String> = (0..2400).map(row).collect();
    desk.write("rows.csv", &format!("{}\n{}\n", columns.join(","), rows.join("\n")));
    let fit = ["fit", "rows.csv", "--out", "m.mercer", "--force"];
    desk.succeed(&[&fit[..], options].concat());
    desk
}

const WINDOWS: [&str; 4] = ["--window", "40", "--features", "mean,logstd"];
const NEW: [&str; 5] = ["new", "firmware", "watcher", "--model", "m.mercer"];

#[test]
fn a_project_is_written_around_the_model() {
    let desk = desk(&["ax", "ay", "az"], &[&WINDOWS[..], &["--rate", "500"]].concat());
    let said = desk.succeed(&NEW);
    assert!(said.contains("3 channels at 500 Hz"), "{said}");
    let read = |name: &str| fs::read_to_string(desk.path("watcher").join(name)).unwrap();
    assert_eq!(files(&desk.path("watcher")), ["README.md", "board", "watch"]);
    let (logic, main) = (read("watch/src/lib.rs"), read("board/src/main.rs"));
    assert!(logic.contains("RATE: u32 = 500") && logic.contains("[i16; 3]"));
    assert!(logic.contains("\"ax,ay,az\""));
    assert!(main.contains("p.PIN_26") && main.contains("p.PIN_28"));
    assert!(read("watch/Cargo.toml").contains("mercer = \"0.1.0\""));
    assert!(read("README.md").contains("| GP28 | `az`, 0 to 3.3 V |"));
    // The model is the one that `mercer export` writes.
    desk.succeed(&["export", "m.mercer", "--samples", "i16", "--rust", "model.rs"]);
    assert_eq!(read("watch/src/model.rs"), fs::read_to_string(desk.path("model.rs")).unwrap());
    // Nothing was left open, and what is there is never written over.
    for file in [
        "README.md",
        "watch/Cargo.toml",
        "watch/src/lib.rs",
        "watch/tests/watch.rs",
        "board/Cargo.toml",
        "board/src/lib.rs",
        "board/src/main.rs",
        "board/src/bin/record.rs",
    ] {
        assert!(!read(file).contains('@'), "{file}");
    }
    assert!(desk.fail(&NEW).contains("watcher: is there already"));
}

/// Two copies of a file that say the same.
#[test]
fn the_board_is_that_of_the_tested_project() {
    let (ours, theirs) =
        (root().join("cli/templates/pico/board"), root().join("firmware/pico-embassy"));
    for (file, other) in [("build.rs", "build.rs"), ("config.toml", ".cargo/config.toml")] {
        let read = |path| fs::read_to_string(path).unwrap();
        assert_eq!(read(ours.join(file)), read(theirs.join(other)), "{file}");
    }
}

#[test]
fn models_that_do_not_suit_are_refused() {
    let rate: &[&str] = &["--rate", "500"];
    let refused = |columns: &[&str], options: &[&str], more: &[&str], why: &str| {
        let desk = desk(columns, options);
        let error = desk.fail(&[&NEW[..], more].concat());
        assert!(error.contains(why), "{error}");
        assert!(!desk.path("watcher").exists());
    };
    refused(&["a", "b"], &[], rate, "takes readings");
    refused(
        &["a", "b", "c", "d"],
        &WINDOWS,
        rate,
        "has 4 channels, the converter of a Pico has 3 pins",
    );
    refused(&["a"], &WINDOWS, &[], "how many samples a second? Say --rate");
    refused(
        &["a"],
        &[&WINDOWS[..], &["--rate", "250"]].concat(),
        rate,
        "fitted at 250 samples a second, not at 500",
    );
    refused(&["a"], &[&WINDOWS[..], &["--rate", "12.5"]].concat(), &[], "12.5 samples a second");
    refused(&["a"], &WINDOWS, &["--rate", "0"], "0 samples a second");
    refused(&["a"], &WINDOWS, &["--rate", "20000"], "from 1 to 10000");
    refused(&["a`b"], &WINDOWS, rate, "cannot stand in source and CSV");
}

#[test]
fn names_that_no_program_has_are_refused() {
    let desk = desk(&["a"], &[&WINDOWS[..], &["--rate", "500"]].concat());
    for name in ["Fan", "1fan", "fan fan", "f\"n", "board", "core", "..", "/"] {
        let error = desk.fail(&["new", "firmware", name, "--model", "m.mercer"]);
        assert!(error.contains("letters") || error.contains("is taken"), "{name}: {error}");
    }
    let nowhere = [&NEW[..], &["--mercer", "nowhere"]].concat();
    assert!(desk.fail(&nowhere).contains("nowhere"));
    assert!(desk.fail(&[&NEW[..], &["--mercer", "."]].concat()).contains("has no Cargo.toml"));
    assert_eq!(desk.files(), ["m.mercer", "rows.csv"]);
}
