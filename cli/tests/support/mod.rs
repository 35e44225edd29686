//! Runs the command, and a browser.
#![allow(dead_code, reason = "every test uses a part of it")]

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Runs `mercer` in a folder.
pub(crate) fn mercer<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mercer"));
    command.current_dir(folder).args(arguments).output().unwrap()
}

/// What it prints when all is well.
pub(crate) fn ok<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> String {
    let output = mercer(folder, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What it complains about, which must be bad input.
pub(crate) fn refused<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> String {
    let output = mercer(folder, arguments);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    stderr
}

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
    let profile = tempfile::tempdir().unwrap();
    let dump = profile.path().join("dump.html");
    let mut child = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", profile.path().join("profile").display()))
        .args(options)
        .arg("--dump-dom")
        .arg(format!("file://{}", page.display()))
        .stdout(File::create(&dump).unwrap())
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
    fs::read_to_string(&dump).unwrap()
}
