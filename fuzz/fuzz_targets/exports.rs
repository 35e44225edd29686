//! Exports of arbitrary models to C and to Rust: models that `mercer fit` wrote, with other numbers
//! and hostile texts in them and the checksum mended.
//!
//! Numbers and texts are all that differs, so the source must have the tokens of the export of the
//! model that was not edited, but for the values of numbers and strings; and the strings are the
//! names of the columns. That rules out that anything of the file becomes code. One in a thousand
//! is compiled as well, by a C compiler and by rustc, with warnings as errors.

#![no_main]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use mercer_fuzz::desk::Desk;
use mercer_fuzz::model_file;
use mercer_fuzz::number;
use mercer_fuzz::tokens::{Language, Token, skeleton, texts, tokens};
use mercer_fuzz::{Decisions, pick};

/// One in so many is compiled.
const SAMPLE: usize = 1000;

const CSV: &str = "flow,temperature,\"load, total\"
1.0,20.5,3\n1.25,20.25,4\n0.75,21.5,3.5\n1.1,20.0,2.5\n1.5,19.5,3.25
0.9,20.75,3.75\n1.05,20.125,4.5\n1.2,20.6,3.1\n0.8,21.1,2.9\n1.3,19.9,3.3\n";

/// Options of the models that are edited.
const FITS: [&[&str]; 9] = [
    &["--kernel", "rbf"],
    &["--kernel", "rbf", "--precision", "f64"],
    &["--kernel", "linear"],
    &["--kernel", "laplacian"],
    &["--kernel", "poly"],
    &["--kernel", "poly", "--precision", "f64"],
    &["--kernel", "sigmoid", "--gamma", "0.01"],
    &["--kernel", "cosine"],
    &["--kernel", "laplacian", "--precision", "f64"],
];

/// A valid model, and the sources that are made of it.
struct Valid {
    file: String,
    source: Sources,
    quantised: Option<Vec<Token>>,
}

struct Sources {
    header: Vec<Token>,
    c: Vec<Token>,
    rust: Vec<Token>,
}

thread_local! {
    static DESK: Desk = Desk::new();
    static MODELS: Vec<Valid> =
        DESK.with(|desk| FITS.iter().map(|options| valid(desk, options)).collect());
}
static RUNS: AtomicUsize = AtomicUsize::new(0);

fn valid(desk: &Desk, options: &[&str]) -> Valid {
    desk.write("rows.csv", CSV.as_bytes());
    let words = [
        &["fit", "@rows.csv", "--components", "2", "--landmarks", "6", "--out", "@m.mercer"],
        options,
    ]
    .concat();
    desk.run(&words).expect("valid rows");
    desk.run(&EXPORT).expect("a valid model");
    let source = read(desk);
    compile(desk, false);
    let quantised = desk.run(&QUANTISED).is_ok().then(|| {
        compile(desk, true);
        read_tokens(desk, "q.rs", Language::Rust)
    });
    Valid { file: desk.read("m.mercer"), source, quantised }
}

const EXPORT: [&str; 6] = ["export", "@m.mercer", "--c", "@m.h", "--rust", "@m.rs"];
const QUANTISED: [&str; 5] = ["export", "@m.mercer", "--quantised", "--rust", "@q.rs"];

fn read(desk: &Desk) -> Sources {
    Sources {
        header: read_tokens(desk, "m.h", Language::C),
        c: read_tokens(desk, "m.c", Language::C),
        rust: read_tokens(desk, "m.rs", Language::Rust),
    }
}

fn read_tokens(desk: &Desk, name: &str, language: Language) -> Vec<Token> {
    let source = desk.read(name);
    tokens(&source, language).unwrap_or_else(|fault| panic!("{name}: {fault}\n{source}"))
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let decisions = &mut Decisions::new(data);
    MODELS.with(|models| {
        DESK.with(|desk| export(desk, &models[number::below(decisions, models.len())], decisions))
    });
});

fn export(desk: &Desk, valid: &Valid, decisions: &mut Decisions<'_>) {
    let is_quantised = pick(decisions, &[false, false, true]);
    let edited = model_file::edit(&valid.file, decisions);
    desk.write("m.mercer", edited.as_bytes());
    if desk.run(if is_quantised { &QUANTISED } else { &EXPORT }).is_err() {
        return;
    }
    let file: serde_json::Value = serde_json::from_str(&edited).expect("it was read");
    let names: Vec<&str> = file["columns"]
        .as_array()
        .expect("names")
        .iter()
        .filter_map(|name| name.as_str())
        .collect();
    if is_quantised {
        let expected = valid.quantised.as_ref().expect("others cannot be quantised");
        require_same("q.rs", &read_tokens(desk, "q.rs", Language::Rust), expected, &names);
    } else {
        let Sources { header, c, rust } = read(desk);
        require_same("m.h", &header, &valid.source.header, &[]);
        require_same("m.c", &c, &valid.source.c, &names);
        require_same("m.rs", &rust, &valid.source.rust, &names);
    }
    if RUNS.fetch_add(1, Ordering::Relaxed).is_multiple_of(SAMPLE) {
        compile(desk, is_quantised);
    }
}

/// The same code, but for values; and the names of the columns among its strings, in their order.
fn require_same(file: &str, found: &[Token], expected: &[Token], names: &[&str]) {
    let (same, other) = (skeleton(expected), skeleton(found));
    let at = same.iter().zip(&other).position(|(a, b)| a != b);
    assert!(
        same == other,
        "{file}: other code at token {at:?}: {:?}",
        at.map(|at| &found[at..(at + 8).min(found.len())])
    );
    let strings = texts(found);
    let names: Vec<&[u8]> = names.iter().map(|name| name.as_bytes()).collect();
    let is_there = names.is_empty() || strings.windows(names.len()).any(|window| window == names);
    assert!(is_there, "{file}: {names:?} are not among {strings:?}");
}

/// Compiles what is on the desk.
fn compile(desk: &Desk, is_quantised: bool) {
    if !is_quantised {
        let mut cc = Command::new("cc");
        cc.args(["-fsyntax-only", "-std=c99", "-Wall", "-Wextra", "-Werror"]).arg(desk.path("m.c"));
        succeed(&mut cc);
    }
    let Some(library) = library() else { return };
    let source = desk.path(if is_quantised { "q.rs" } else { "m.rs" });
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "-Dwarnings"]);
    rustc.arg("--extern").arg(format!("mercer={}", library.display()));
    rustc.arg("-L").arg(library.parent().expect("it is in a folder"));
    rustc.arg("-o").arg(desk.path("m.rmeta")).arg(source);
    succeed(&mut rustc);
}

/// The library as it was compiled for this program, which lies beside it.
fn library() -> Option<PathBuf> {
    let folder = std::env::current_exe().ok()?.parent()?.join("deps");
    let is_library = |path: &PathBuf| {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        name.starts_with("libmercer-") && path.extension() == Some(OsStr::new("rlib"))
    };
    let files =
        folder.read_dir().ok()?.filter_map(|entry| Some(entry.ok()?.path())).filter(is_library);
    files.max_by_key(|file| modified(file))
}

fn modified(file: &Path) -> Option<std::time::SystemTime> {
    file.metadata().ok()?.modified().ok()
}

fn succeed(command: &mut Command) {
    let output = command.output().expect("a compiler");
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
}
