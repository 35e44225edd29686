//! Runs a browser.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A browser that can work without a screen: `$MERCER_BROWSER`, or what is installed.
pub(crate) fn browser() -> Option<PathBuf> {
    if let Some(browser) = std::env::var_os("MERCER_BROWSER") {
        return Some(browser.into());
    }
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let all = std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name)));
    all.into_iter().find(|file| file.is_file())
}

/// Longer than this, and a browser hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// Opens a page without a network and returns its elements as they are once it is loaded.
pub(crate) fn open_page(browser: &Path, page: &Path, options: &[&str]) -> String {
    run(browser, page, &[options, &["--dump-dom"]].concat())
}

/// Prints a page on paper, as PDF.
pub(crate) fn print_page(browser: &Path, page: &Path, pdf: &Path) {
    let out = format!("--print-to-pdf={}", pdf.display());
    run(browser, page, &["--no-pdf-header-footer", &out]);
}

/// Runs a browser on a page; returns what it writes.
fn run(browser: &Path, page: &Path, options: &[&str]) -> String {
    let profile = tempfile::tempdir().unwrap();
    let written = profile.path().join("written");
    let mut child = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", profile.path().join("profile").display()))
        .args(options)
        .arg(format!("file://{}", page.display()))
        .stdout(File::create(&written).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("{} does not end", browser.display());
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    assert!(status.success(), "{}: {status}", browser.display());
    fs::read_to_string(&written).unwrap()
}
