//! Waves with a sensor that fails: a small recording to report on.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::succeed as ok;

/// A name that would be markup if nobody took care, as a cell of CSV.
pub(crate) const C_CELL: &str = "\"<c> & \"\"c\"\"\"";

/// A folder with a model of waves and rows to report on: four sensors, the third of which fails
/// towards the end.
pub(crate) fn waves() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let wave = |row: usize, sensor: usize| {
        let noise = ((row * 7919 + sensor * 104_729) % 1000) as f64 / 2000.0;
        (row as f64 / 9.0).sin() * (1 + sensor) as f64 + noise
    };
    let csv = |rows: std::ops::Range<usize>, fails_at: usize| {
        let mut text = format!("when,state,a,b,{C_CELL},d\n");
        for row in rows {
            let failed = row >= fails_at;
            let x = |sensor| wave(row, sensor) + if failed && sensor == 2 { 9.0 } else { 0.0 };
            let state = if failed { "<i>bad</i>" } else { "good" };
            let (a, b, c, d) = (x(0), x(1), x(2), x(3));
            text += &format!("{:.1},{state},{a:.4},{b:.4},{c:.4},{d:.4}\n", row as f64 / 10.0);
        }
        text
    };
    fs::write(folder.path().join("train.csv"), csv(0..200, usize::MAX)).unwrap();
    fs::write(folder.path().join("test.csv"), csv(200..400, 380)).unwrap();
    ok(folder.path(), &["fit", "train.csv", "--drop", "when,state", "--out", "m.mercer"]);
    folder
}

/// The command that reports on it.
pub(crate) const REPORT: [&str; 9] = [
    "report",
    "m.mercer",
    "test.csv",
    "--label",
    "state",
    "--time",
    "when",
    "--out",
    "report.html",
];

/// The folder, the page and what is in it.
pub(crate) fn report() -> (TempDir, PathBuf, String) {
    let folder = waves();
    let said = ok(folder.path(), &REPORT);
    assert!(said.starts_with("report.html: 200 rows, "), "{said}");
    let page = folder.path().join("report.html");
    let html = fs::read_to_string(&page).unwrap();
    (folder, page, html)
}
