//! How long mercer and its desktop relatives take: `cargo bench --bench peers` builds and runs the
//! package in `peers/`.
//!
//! A package of its own, because what it compares with takes longer to compile than all of mercer.
//! It is built for AVX2 where the processor has that, else for the processor that it runs on, as
//! nalgebra and faer are with it, and as LAPACK chooses its code when it starts; flags in
//! `RUSTFLAGS` take the place of that. Not for more than AVX2: there the compiler reads the table of
//! `exp` by one instruction for four entries, which takes longer than four that read one each.

use std::env;
use std::path::Path;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/Cargo.toml");
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["run", "--release", "--quiet", "--manifest-path"]).arg(manifest);
    if env::var_os("RUSTFLAGS").is_none() {
        cargo.env("RUSTFLAGS", flags());
    }
    match cargo.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(status) => {
            eprintln!("the comparison with peers ended with {status}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("cannot start cargo: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn flags() -> &'static str {
    let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    if avx2 { "-Ctarget-cpu=x86-64-v3" } else { "-Ctarget-cpu=native" }
}

#[cfg(not(target_arch = "x86_64"))]
fn flags() -> &'static str {
    "-Ctarget-cpu=native"
}
