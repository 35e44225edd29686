//! `cargo xtask cycles`: the model of the Cortex-M0+ beside an emulator that counts cycles by
//! itself, `rp2040js`.
//!
//! The same code runs in both; only its place in memory differs.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::build::{Library, Memory, ROOMY, Setting};
use super::cycles::{Core, Plugin};
use super::measure::Emulation;
use super::plan::{Case, SCORE, signal};
use crate::board;
use crate::firmware::Project;
use crate::table::Table;
use crate::toolchain::{self, Toolchain};

/// Where a Raspberry Pi Pico has its memory.
const PICO: Memory = &[
    "--defsym=board_flash=0x10000000",
    "--defsym=board_flash_size=2M",
    "--defsym=board_ram_size=256K",
];

/// So far the two may be apart.
const TOLERATED: f64 = 0.03;

/// In floats, which are calls of small functions; in integers; and much of everything.
const CASES: [Case; 5] = [
    Case { task: "detect", ..SCORE },
    Case { task: "detect-i16", precision: "i16", ..SCORE },
    Case { task: "contributions", ..SCORE },
    signal("window", 128, 3),
    Case { task: "fit-landmarks", n: 32, d: 12, r: 16, p: 8, ..SCORE },
];

pub(crate) fn run(limit: Duration) -> Result<ExitCode> {
    let project = Project::read()?;
    let folder = project.root.join("firmware/pico-embassy");
    let missing =
        match (toolchain::has_program("node"), folder.join("node_modules/rp2040js").is_dir()) {
            (false, _) => Some("no node on the PATH: apt-get install nodejs npm"),
            (_, false) => Some("no emulator: npm ci --prefix firmware/pico-embassy"),
            _ => None,
        };
    if let Some(missing) = missing {
        eprintln!("skipped: {missing}");
        return Ok(ExitCode::SUCCESS);
    }
    let plugin = Plugin::build(&project)?;
    let board = board::named("m0")?;
    let toolchain = Toolchain::find(board.target)?;
    let mut table = Table::new(["Cortex-M0+, cycles", "opt", "model", "rp2040js", "apart"]);
    let mut worst: f64 = 0.0;
    for level in ["3", "s"] {
        let setting = Setting { toolchain: &toolchain, board, level, cpu: "" };
        let library = Library::build(&project, &project.bench_dir(), setting)?;
        for case in CASES {
            let elf = library.firmware(&case.firmware(), &[case], ROOMY)?;
            let emulation = Emulation { limit, plugin: Some(&plugin) };
            let (_, cycles) = emulation.with_cycles(board, Core::M0Plus, &plugin, &elf)?;
            let model = *cycles.first().context("no task")?;
            let name = format!("{}-pico", case.firmware());
            let other = on_pico(&folder, &library.firmware(&name, &[case], PICO)?)?;
            let apart = model as f64 / other as f64 - 1.0;
            worst = worst.max(apart.abs());
            let cells = [case.task.to_string(), level.to_string(), model.to_string()];
            let others = [other.to_string(), format!("{:+.2} %", 100.0 * apart)];
            table.row(cells.into_iter().chain(others));
        }
    }
    print!("{table}");
    let (worst, most) = (100.0 * worst, 100.0 * TOLERATED);
    println!("at most {worst:.2} % apart; {most} % are tolerated");
    Ok(if worst <= most { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The cycles of the task, those of measuring nothing taken off.
fn on_pico(folder: &Path, elf: &Path) -> Result<u64> {
    let mut node = Command::new("node");
    let output =
        node.arg(folder.join("cycles.mjs")).arg(elf).output().context("node does not run")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "rp2040js: {}\n{said}{complaint}", output.status);
    let regions = said.lines().map(str::parse).collect::<Result<Vec<u64>, _>>()?;
    // Nothing, two loops, the task.
    let [empty, _, _, task] = *regions else {
        anyhow::bail!("rp2040js: {} regions", regions.len());
    };
    Ok(task - empty)
}
