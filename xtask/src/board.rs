//! The emulated boards, one for each kind of core.

use std::path::Path;

use anyhow::{Context, Result, bail};

/// A machine that runs the code of a board and has memory for all of it.
///
/// The microbit has too little for most tasks. The Cortex-M3 of the MPS2 executes all that a
/// Cortex-M0 does, and the very same code is the very same number of instructions there.
pub(crate) fn roomy(board: &'static Board) -> Result<&'static Board> {
    if board.name == "m0" { named("m3") } else { Ok(board) }
}

/// A machine that QEMU emulates, and the Rust target whose code it runs.
#[derive(Debug, PartialEq)]
pub(crate) struct Board {
    pub(crate) name: &'static str,
    pub(crate) target: &'static str,
    /// The emulator, a program on the `PATH`.
    pub(crate) qemu: &'static str,
    /// The emulator's arguments that choose the machine and its core.
    pub(crate) machine: &'static [&'static str],
}

const ARM: &str = "qemu-system-arm";
const RISCV: &str = "qemu-system-riscv32";

/// From the smallest core to the largest. Where a target's memory differs from memory.x's defaults,
/// .cargo/config.toml says so.
pub(crate) const BOARDS: &[Board] = &[
    // No FPU, no divider, no atomic compare-and-swap; 16 KB of RAM.
    Board {
        name: "m0",
        target: "thumbv6m-none-eabi",
        qemu: ARM,
        machine: &["-machine", "microbit", "-cpu", "cortex-m0"],
    },
    // No FPU.
    Board {
        name: "m3",
        target: "thumbv7m-none-eabi",
        qemu: ARM,
        machine: &["-machine", "mps2-an385", "-cpu", "cortex-m3"],
    },
    // Single-precision FPU.
    Board {
        name: "m4f",
        target: "thumbv7em-none-eabihf",
        qemu: ARM,
        machine: &["-machine", "mps2-an386", "-cpu", "cortex-m4"],
    },
    // The very firmware of the Cortex-M4F, on a larger core.
    Board {
        name: "m7",
        target: "thumbv7em-none-eabihf",
        qemu: ARM,
        machine: &["-machine", "mps2-an500", "-cpu", "cortex-m7"],
    },
    Board {
        name: "m33",
        target: "thumbv8m.main-none-eabihf",
        qemu: ARM,
        machine: &["-machine", "mps2-an505", "-cpu", "cortex-m33"],
    },
    // No FPU, and not an Arm.
    Board {
        name: "rv32imac",
        target: "riscv32imac-unknown-none-elf",
        qemu: RISCV,
        machine: &["-machine", "virt", "-cpu", "rv32", "-bios", "none"],
    },
];

/// The board with this name.
pub(crate) fn named(name: &str) -> Result<&'static Board> {
    let found = BOARDS.iter().find(|board| board.name == name);
    found.with_context(|| format!("no such board; there are {}", names()))
}

/// The first board that runs firmware built into this path, which cargo names after the target.
pub(crate) fn of_path(elf: &Path) -> Result<&'static Board> {
    let has_folder = |board: &&Board| elf.components().any(|part| part.as_os_str() == board.target);
    match BOARDS.iter().find(has_folder) {
        Some(board) => Ok(board),
        None => bail!("{} names no known target: choose --board from {}", elf.display(), names()),
    }
}

fn names() -> String {
    BOARDS.iter().map(|board| board.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_found_by_name() {
        for board in BOARDS {
            assert_eq!(named(board.name).unwrap(), board);
        }
        let error = named("m1").unwrap_err().to_string();
        assert!(error.contains("m0, m3, m4f"), "{error}");
    }

    #[test]
    fn boards_are_found_by_the_target_in_a_path() {
        let board = |path| of_path(Path::new(path)).map(|board| board.name).ok();
        assert_eq!(board("target/thumbv7em-none-eabihf/release/examples/fit"), Some("m4f"));
        assert_eq!(board("/x/thumbv8m.main-none-eabihf/debug/fit"), Some("m33"));
        assert_eq!(board("target/release/examples/thumbv6m-none-eabi-fit"), None);
    }
}
