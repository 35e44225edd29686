//! Modelled cycles: what the executed instructions take by the published timing tables.
//!
//! QEMU executes instructions and knows no cycles. A plugin of ours (`xtask/plugin`) counts which
//! blocks of the task follow each other; this module reads the instructions from the firmware and
//! adds up. The tables are those of the technical reference manuals: Cortex-M4 (Arm 100166, tables
//! 3-1 and 7-1), Cortex-M3 (DDI 0337), Cortex-M0 (DDI 0432) and Cortex-M0+ (DDI 0484).
//!
//! What is assumed, here once for all figures:
//!
//! - Memory without wait states: code in flash that an accelerator or a cache keeps up with, data
//!   in SRAM. At full speed, a chip without them takes longer.
//! - **Cortex-M4 and M3.** An instruction takes 1 cycle; a load of a word 2, or 1 directly after
//!   another load that its address does not depend on; a store 1, with an offset in a register 2,
//!   and one less after a load; two words 3; `n` words `1 + n`; a store of the FPU 2.
//! - A branch that is taken adds 2: 1 to 3 in the table, by alignment and prediction.
//! - Integer division takes 7: 2 to 12, by the operands.
//! - FPU of the M4: `vmla` and `vfma` 3, `vdiv` and `vsqrt` 14, all other arithmetic 1; a result
//!   that the next instruction uses adds 1. The M3 multiplies to 64 bits in 4, and multiplies and
//!   adds in 2.
//! - **Cortex-M0 and M0+.** 1 an instruction; loads and stores 2; `n` words `1 + n`; the multiplier
//!   is the one of a single cycle (a chip with the small one adds 31). A branch that is taken adds
//!   2 on the M0, 1 on the M0+, `bl` one more; a `pop` of the program counter one more on the M0.
//! - An instruction in an `it` block counts as executed.
//!
//! By the bounds of the doubtful rules, a score moves by −0.4 to +4 % on the M4. The M0+ is checked
//! against another emulator, `rp2040js`, by `cargo xtask cycles`. Nothing is modelled of the
//! Cortex-M7, which executes two instructions at a time, the M33, whose timing is not published,
//! and RISC-V, of which there are many.

mod decode;
mod plugin;
mod timing;
mod trace;

pub(crate) use plugin::Plugin;
pub(crate) use timing::Core;
pub(crate) use trace::{Code, Trace};
