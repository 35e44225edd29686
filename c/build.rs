//! Turns what the builder has chosen into constants.

#[path = "build/config.rs"]
mod config;

use std::path::PathBuf;
use std::{env, fs, process};

use config::{Config, KEYS};

fn main() {
    println!("cargo:rerun-if-changed=build");
    for key in KEYS {
        println!("cargo:rerun-if-env-changed={key}");
    }
    let config = Config::read(|key| env::var(key).ok()).unwrap_or_else(|error| {
        // A panic would hide it among a backtrace.
        eprintln!("mercer-c: {error}");
        process::exit(1);
    });
    if config.raw.is_some() {
        println!("cargo:rustc-cfg=raw");
    }
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(folder.join("config.rs"), config.to_rust()).expect("cargo makes the folder");
}
