//! What is written, where, and what is left when that goes wrong.
#![cfg(unix)]

mod common;
#[path = "../../tests/faults/mod.rs"]
mod faults;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::{Desk, text};

fn rows() -> String {
    let rows: String = (0..40).map(|i| format!("{},{}\n", i % 7, i % 5)).collect();
    format!("a,b\n{rows}")
}

fn fitted() -> Desk {
    let desk = Desk::new();
    desk.write("good.csv", &rows());
    desk.write("rows.txt", &(0..30).map(|i| format!("{i}\n")).collect::<String>());
    desk.succeed(&["fit", "good.csv", "--out", "m.mercer"]);
    desk
}

/// All files of a folder with what they are.
fn contents(desk: &Desk) -> Vec<(String, Option<Vec<u8>>)> {
    desk.files().into_iter().map(|name| (name.clone(), fs::read(desk.path(&name)).ok())).collect()
}

#[test]
fn what_is_read_is_not_written_by_whatever_name() {
    let desk = fitted();
    symlink("rows.txt", desk.path("link.txt")).expect("a link");
    symlink(".", desk.path("here")).expect("a link");
    fs::hard_link(desk.path("rows.txt"), desk.path("twin.txt")).expect("another name");
    symlink("good.csv", desk.path("data.csv")).expect("a link");
    let before = contents(&desk);
    let mut tried = 0;
    let places = ["rows.txt", "./rows.txt", "here/rows.txt", "link.txt", "twin.txt"];
    for place in places.into_iter().chain([text(&desk.path("rows.txt"))]) {
        for option in ["--rows", "--skip-rows"] {
            for command in [
                ["fit", "good.csv", "--out", place].as_slice(),
                &["report", "m.mercer", "good.csv", "--out", place],
            ] {
                let error = desk.fail(&[command, &[option, "rows.txt"]].concat());
                assert!(error.contains("is read, so it cannot be written too"), "{place}: {error}");
                tried += 1;
            }
        }
    }
    for arguments in [
        ["fit", "good.csv", "--out", "data.csv"].as_slice(),
        &["fit", "data.csv", "--out", "good.csv"],
        &["report", "m.mercer", "good.csv", "--out", "here/m.mercer"],
        &["report", "m.mercer", "good.csv", "--out", "data.csv"],
        &["export", "m.mercer", "--bin", "here/m.mercer"],
        &["export", "here/m.mercer", "--rust", "./m.mercer"],
    ] {
        let error = desk.fail(arguments);
        assert!(error.contains("is read, so it cannot be written too"), "{error}");
        tried += 1;
    }
    // What the shell opened.
    for arguments in [
        ["fit", "-", "--out", "good.csv"].as_slice(),
        &["report", "m.mercer", "-", "--out", "data.csv"],
    ] {
        let input = fs::File::open(desk.path("good.csv")).expect("the data");
        let output = desk.command(arguments).stdin(Stdio::from(input)).output().expect("it runs");
        assert_eq!(output.status.code(), Some(2));
    }
    let append = fs::OpenOptions::new().append(true).open(desk.path("good.csv")).expect("the data");
    let mut score = desk.command(&["score", "m.mercer", "good.csv"]);
    let status = score.stdout(Stdio::from(append)).stderr(Stdio::null()).status().expect("it runs");
    assert_eq!(status.code(), Some(2), "it would never end");
    assert_eq!(contents(&desk), before);
    let fault = "outputs that are a file which is being read, by whatever name";
    faults::record(15, fault, tried, tried, "-p mercer-cli --test outputs");
}

#[test]
fn outputs_through_links_are_one_file() {
    let desk = fitted();
    symlink("m.rs", desk.path("link.rs")).expect("a link");
    for (one, other) in [("m.rs", "link.rs"), ("m.rs", "./m.rs"), ("link.rs", "m.rs")] {
        let error = desk.fail(&["export", "m.mercer", "--rust", one, "--bin", other]);
        assert!(error.contains("asked for twice"), "{error}");
        assert!(!desk.path("m.rs").exists());
    }
}

#[test]
fn a_dangling_link_stays_and_its_target_is_made() {
    let desk = fitted();
    fs::create_dir(desk.path("store")).expect("a folder");
    symlink("store/new.mercer", desk.path("link.mercer")).expect("a link");
    symlink("link.mercer", desk.path("twice.mercer")).expect("a link");
    desk.succeed(&["fit", "good.csv", "--out", "twice.mercer"]);
    for link in ["link.mercer", "twice.mercer"] {
        assert!(desk.path(link).is_symlink(), "{link}");
    }
    assert!(!desk.path("store/new.mercer").is_symlink());
    let made = fs::read(desk.path("store/new.mercer")).expect("the target");
    assert_eq!(made, fs::read(desk.path("m.mercer")).expect("the model"));
    // Once more, now that it exists.
    desk.succeed(&["fit", "good.csv", "--out", "twice.mercer", "--alpha", "0.1"]);
    assert!(desk.path("twice.mercer").is_symlink());
    assert_ne!(fs::read(desk.path("store/new.mercer")).expect("the target"), made);

    symlink("no/such/folder/x.mercer", desk.path("lost.mercer")).expect("a link");
    symlink("b", desk.path("a")).expect("a link");
    symlink("a", desk.path("b")).expect("a link");
    let before = contents(&desk);
    let error = desk.fail(&["fit", "good.csv", "--out", "lost.mercer"]);
    assert!(error.contains("there is no folder"), "{error}");
    let error = desk.fail(&["fit", "good.csv", "--out", "a"]);
    assert!(error.contains("a link that leads nowhere"), "{error}");
    for folder in ["store", "store/", ".", "/"] {
        let error = desk.fail(&["fit", "good.csv", "--out", folder]);
        assert!(error.contains("is a folder"), "{folder}: {error}");
    }
    assert_eq!(contents(&desk), before);
}

#[test]
fn a_read_only_file_stays() {
    let desk = fitted();
    fs::set_permissions(desk.path("m.mercer"), fs::Permissions::from_mode(0o444)).expect("mode");
    let before = contents(&desk);
    let error = desk.fail(&["fit", "good.csv", "--out", "m.mercer", "--alpha", "0.1"]);
    assert!(error.contains("m.mercer: is not to be written"), "{error}");
    assert_eq!(contents(&desk), before);
}

#[test]
fn a_full_disk_loses_nothing() {
    let desk = fitted();
    let before = contents(&desk);
    if Path::new("/dev/full").exists() {
        let error = desk.fail(&["fit", "good.csv", "--out", "/dev/full"]);
        assert!(error.contains("/dev/full: "), "{error}");
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("it is there");
        let status = desk.command(&["score", "none", "none"]).stderr(Stdio::from(full)).status();
        assert_eq!(status.expect("it runs").code(), Some(2), "nobody hears it, but it is said");
    }
    // Files may have one block only, and who writes more is told so instead of being killed.
    let mercer = env!("CARGO_BIN_EXE_mercer");
    for (files, command) in [
        ("m.mercer", "fit good.csv --alpha 0.1 --out m.mercer"),
        ("new.mercer", "fit good.csv --out new.mercer"),
        ("r.html", "report m.mercer good.csv --out r.html"),
        ("m.rs", "export m.mercer --bin m.bin --rust m.rs"),
    ] {
        let script = format!("trap '' XFSZ; ulimit -f 1; exec {mercer} {command}");
        let output = Command::new("sh")
            .args(["-c", &script])
            .current_dir(desk.path(""))
            .output()
            .expect("a shell");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command}: {error}");
        assert!(error.contains(files) && error.lines().count() == 1, "{error}");
        assert_eq!(contents(&desk), before, "{command}");
    }
}

/// Sends a signal to a process of this test.
fn signal(name: &str, process: u32) {
    let sent =
        Command::new("kill").args([name, &process.to_string()]).stderr(Stdio::null()).status();
    let _gone_already = sent.expect("kill runs");
}

#[test]
fn an_interrupt_in_the_middle_of_writing_loses_nothing() {
    let desk = Desk::new();
    // A model of some megabytes, so that there is a middle.
    const COLUMNS: usize = 20_000;
    let mut csv = (0..COLUMNS).map(|i| format!("c{i}")).collect::<Vec<_>>().join(",") + "\n";
    for row in 0..40_usize {
        let cells = (0..COLUMNS).map(|i| ((row * 31 + i * 17) % (50 + i % 7)).to_string());
        csv += &(cells.collect::<Vec<_>>().join(",") + "\n");
    }
    desk.write("wide.csv", &csv);
    desk.succeed(&["fit", "wide.csv", "--out", "m.mercer"]);
    let old = fs::read(desk.path("m.mercer")).expect("the model");
    let is_part = |name: &String| name.starts_with(".mercer-");
    let mut interrupted = 0;
    for (round, name) in ["-TERM", "-INT", "-HUP"].into_iter().cycle().take(12).enumerate() {
        if interrupted == 3 && round >= 3 {
            break;
        }
        let fit = ["fit", "wide.csv", "--out", "m.mercer", "--alpha", "0.2"];
        let mut child = desk
            .command(&fit)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it runs");
        let start = Instant::now();
        while !desk.files().iter().any(is_part) && start.elapsed() < Duration::from_secs(60) {
            if child.try_wait().expect("a child").is_some() {
                break;
            }
            thread::sleep(Duration::from_millis(1));
        }
        // Held there, so that it is certain in which state the signal finds it.
        signal("-STOP", child.id());
        let caught = desk.files().iter().any(is_part);
        signal(name, child.id());
        signal("-CONT", child.id());
        let status = child.wait().expect("it ends");
        assert_eq!(desk.files(), ["m.mercer", "wide.csv"], "{name}: nothing is left behind");
        let now = fs::read(desk.path("m.mercer")).expect("the model");
        if caught {
            assert_eq!(status.code(), None, "{name}: ended by the signal");
            // The signal may still come after the last step, which puts the new one in its place.
            if now != old {
                desk.succeed(&["inspect", "m.mercer"]);
                fs::write(desk.path("m.mercer"), &old).expect("the old model again");
            }
            interrupted += 1;
        } else {
            desk.succeed(&["inspect", "m.mercer"]);
            fs::write(desk.path("m.mercer"), &old).expect("the old model again");
        }
    }
    println!("interrupted in the middle of writing: {interrupted} times");
    assert!(interrupted > 0, "never caught in the middle of writing");
}

#[test]
fn several_files_appear_together() {
    let desk = fitted();
    desk.write("m.h", "old header");
    fs::create_dir(desk.path("m.c")).expect("a folder in the way");
    let before = contents(&desk);
    let error = desk.fail(&["export", "m.mercer", "--c", "m.h", "--bin", "m.bin"]);
    assert!(error.contains("m.c: is a folder"), "{error}");
    assert_eq!(contents(&desk), before);
}
