//! `cargo xtask check`: the library alone, without the examples' dependencies, for devices.

use std::process::ExitCode;

use anyhow::Result;

use crate::firmware::Project;
use crate::table::Table;
use crate::toolchain::Toolchain;

/// The smallest core and the usual one: without and with an FPU, without and with compare-and-swap.
const TARGETS: [&str; 2] = ["thumbv6m-none-eabi", "thumbv7em-none-eabihf"];

const FEATURES: [&str; 4] = ["", "micromath", "defmt", "micromath,defmt"];

pub(crate) fn run() -> Result<ExitCode> {
    let toolchains: Vec<Toolchain> =
        TARGETS.into_iter().map(Toolchain::find).collect::<Result<_>>()?;
    let project = Project::read()?;
    let mut table = Table::new(std::iter::once("features").chain(TARGETS));
    let mut passed = 0;
    let mut failed = 0;
    for features in FEATURES {
        let mut row = vec![if features.is_empty() { "(none)" } else { features }];
        for toolchain in &toolchains {
            let mut cargo = toolchain.cargo("build", &project.device_dir());
            cargo.args(["--package=mercer", "--lib", "--release", "--no-default-features"]);
            cargo.arg(format!("--features={features}"));
            if cargo.status()?.success() {
                row.push("ok");
                passed += 1;
            } else {
                row.push("FAILED");
                failed += 1;
            }
        }
        table.row(row);
    }
    println!("{table}\n{passed} passed, {failed} failed");
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
