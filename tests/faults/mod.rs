//! The table of `docs/FAULTS.md`: each row is written, or checked, by the test that tries the
//! fault.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Requires a row of the table; with `MERCER_UPDATE` set, it is there afterwards. Whether as many
/// survive as should is for the test to say.
///
/// `point` is the number by which rows are ordered, `test` the arguments of `cargo test`.
#[track_caller]
pub(crate) fn record(point: u32, fault: &str, tried: usize, survived: usize, test: &str) {
    let row = format!("| {point} | {fault} | {tried} | {survived} | `cargo test {test}` |");
    println!("{row}");
    // Tests of one program run at the same time.
    static DOCUMENT: Mutex<()> = Mutex::new(());
    let _guard = DOCUMENT.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let path = document();
    let text = std::fs::read_to_string(&path).expect("docs/FAULTS.md can be read");
    if std::env::var_os("MERCER_UPDATE").is_some() {
        std::fs::write(&path, with_row(&text, fault, point, &row)).expect("it can be written");
    } else {
        let known = text.lines().any(|line| line == row);
        assert!(known, "docs/FAULTS.md is out of date: `MERCER_UPDATE=1 cargo test {test}`\n{row}");
    }
}

fn document() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut documents = package.ancestors().map(|folder| folder.join("docs/FAULTS.md"));
    documents.find(|path| path.exists()).expect("docs/FAULTS.md is in the repository")
}

/// The text with this row in place of the one about the same fault, or after those of its point.
fn with_row(text: &str, fault: &str, point: u32, row: &str) -> String {
    let cell = |line: &str, n: usize| line.split('|').nth(n).map(|c| c.trim().to_owned());
    let kept = text.lines().filter(|line| cell(line, 2).as_deref() != Some(fault));
    let mut lines: Vec<&str> = kept.collect();
    let rows = |line: &str| cell(line, 1).and_then(|number| number.parse::<u32>().ok());
    let rule = lines.iter().position(|line| line.starts_with("|---")).expect("there is a table");
    let before = |line: &&str| rows(line).is_some_and(|number| number <= point);
    let place = rule + 1 + lines[rule + 1..].iter().take_while(|line| before(line)).count();
    lines.insert(place, row);
    lines.join("\n") + "\n"
}
