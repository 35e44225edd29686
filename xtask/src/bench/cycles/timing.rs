//! The timing tables; what they assume is said in the parent module.

use super::decode::{Instruction, Kind};

/// A core whose timing is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Core {
    M0,
    M0Plus,
    M3,
    M4,
}

impl Core {
    /// The core of a board; none if there is no model of it.
    pub(crate) fn of(board: &str) -> Option<Core> {
        match board {
            "m0" => Some(Core::M0),
            "m3" => Some(Core::M3),
            "m4f" => Some(Core::M4),
            _ => None,
        }
    }

    fn is_small(self) -> bool {
        matches!(self, Core::M0 | Core::M0Plus)
    }

    /// Cycles of an instruction by itself.
    fn alone(self, instruction: &Instruction) -> i64 {
        match (instruction.kind, self.is_small()) {
            (Kind::Multiple { words } | Kind::MultipleAndBranch { words }, _) => {
                1 + i64::from(words)
            }
            (Kind::Load { .. } | Kind::Store { .. }, true) => 2,
            (Kind::System, true) => 3 + i64::from(self == Core::M0),
            (Kind::Load { words } | Kind::FloatStore { words }, _) => 1 + i64::from(words),
            (Kind::Store { register_offset }, _) => 1 + i64::from(register_offset),
            (Kind::Double, _) => 3,
            (Kind::TableBranch | Kind::MovePair, _) => 2,
            (Kind::MultiplyAdd, _) if self == Core::M3 => 2,
            (Kind::LongMultiply, _) if self == Core::M3 => 4,
            (Kind::Divide, _) => 7,
            (Kind::FloatMultiplyAdd, _) => 3,
            (Kind::FloatDivide, _) => 14,
            _ => 1,
        }
    }

    /// What it adds, or saves, to come after another one, which has branched or not.
    pub(crate) fn after(self, before: &Instruction, branched: bool, now: &Instruction) -> i64 {
        if self.is_small() {
            let refill = 1 + i64::from(self == Core::M0);
            let more = match before.kind {
                Kind::Call => 1,
                Kind::MultipleAndBranch { .. } => i64::from(self == Core::M0),
                _ => 0,
            };
            return if branched { refill + more } else { 0 };
        }
        const REFILL: i64 = 2;
        let waits = before.result & now.operands != 0;
        let overlaps = match (before.kind, now.kind) {
            (
                Kind::Load { .. },
                Kind::Load { .. } | Kind::Store { .. } | Kind::FloatStore { .. },
            ) => before.loaded.is_none_or(|loaded| (now.address >> loaded) & 1 == 0),
            _ => false,
        };
        let branch = if branched { REFILL } else { -i64::from(overlaps) };
        branch + i64::from(waits)
    }

    /// Cycles of instructions one after another.
    pub(crate) fn straight(self, block: &[Instruction]) -> i64 {
        let alone: i64 = block.iter().map(|instruction| self.alone(instruction)).sum();
        let pairs = block.windows(2);
        alone + pairs.map(|pair| self.after(&pair[0], false, &pair[1])).sum::<i64>()
    }
}

#[cfg(test)]
mod tests {
    use super::super::decode::decode;
    use super::*;

    /// Half-words as an assembler writes them.
    fn instructions(code: &[u16]) -> Vec<Instruction> {
        let (mut found, mut i) = (Vec::new(), 0);
        while let Some(&first) = code.get(i) {
            let instruction = decode(first, code.get(i + 1).copied().unwrap_or(0));
            i += instruction.bytes as usize / 2;
            found.push(instruction);
        }
        found
    }

    /// A loop that runs `times` times, each from its first instruction to its last.
    fn looped(core: Core, code: &[u16], times: i64) -> i64 {
        let block = instructions(code);
        let back = core.after(&block[block.len() - 1], true, &block[0]);
        times * core.straight(&block) + (times - 1) * back
    }

    #[test]
    fn a_loop_that_counts_down() {
        // subs r0, #1; bne: 1 + 1, and the refill for all but the last time.
        let code = [0x3801, 0xd1fd];
        assert_eq!(looped(Core::M4, &code, 100), 2 * 100 + 2 * 99);
        assert_eq!(looped(Core::M3, &code, 100), 2 * 100 + 2 * 99);
        assert_eq!(looped(Core::M0, &code, 100), 2 * 100 + 2 * 99);
        assert_eq!(looped(Core::M0Plus, &code, 100), 2 * 100 + 99);
    }

    #[test]
    fn loads_follow_each_other() {
        // ldr r0, [r1]; ldr r2, [r3, #4]; str r2, [r4]
        let apart = [0x6808, 0x685a, 0x6022];
        assert_eq!(Core::M4.straight(&instructions(&apart)), 2 + 1);
        assert_eq!(Core::M0Plus.straight(&instructions(&apart)), 6);
        // ldr r1, [r1]; ldr r1, [r1]: the second one waits for the first.
        assert_eq!(Core::M4.straight(&instructions(&[0x6809, 0x6809])), 4);
        // ldr r0, [r1, r2]; str r0, [r1, r2]
        assert_eq!(Core::M4.straight(&instructions(&[0x5888, 0x5088])), 2 + 2 - 1);
        // vldr s0, [r0]; vldr s1, [r0, #4]; vstr s1, [r0]
        let floats = [0xed90, 0x0a00, 0xedd0, 0x0a01, 0xedc0, 0x0a00];
        assert_eq!(Core::M4.straight(&instructions(&floats)), 2 + 1 + 1);
    }

    #[test]
    fn several_words() {
        // push {r4, r5, r6, lr}; pop {r4, r5, r6, pc}
        assert_eq!(Core::M4.straight(&instructions(&[0xb570])), 5);
        assert_eq!(Core::M0.straight(&instructions(&[0xb570, 0xbd70])), 10);
        // ldm r0, {r1, r2, r3}; push.w {r4-r11, lr}; vldmia r0!, {s0-s3}; ldrd r0, r1, [r2]
        assert_eq!(Core::M3.straight(&instructions(&[0xc80e])), 4);
        assert_eq!(Core::M4.straight(&instructions(&[0xe92d, 0x4ff0])), 10);
        assert_eq!(Core::M4.straight(&instructions(&[0xecb0, 0x0a04])), 5);
        assert_eq!(Core::M4.straight(&instructions(&[0xe9d2, 0x0100])), 3);
    }

    #[test]
    fn arithmetic_of_the_fpu() {
        // vmul.f32 s0, s1, s2; vadd.f32 s3, s4, s5
        let apart = [0xee20, 0x0a81, 0xee72, 0x1a22];
        assert_eq!(Core::M4.straight(&instructions(&apart)), 2);
        // vmul.f32 s0, s1, s2; vadd.f32 s3, s0, s5: waits.
        let chained = [0xee20, 0x0a81, 0xee70, 0x1a22];
        assert_eq!(Core::M4.straight(&instructions(&chained)), 3);
        // vmla.f32 s0, s1, s2, twice: the second one adds to the result of the first.
        let twice = [0xee00, 0x0a81, 0xee00, 0x0a81];
        assert_eq!(Core::M4.straight(&instructions(&twice)), 3 + 3 + 1);
        // vfma.f32 s0, s1, s2; vdiv.f32 s0, s1, s2; vsqrt.f32 s0, s1
        assert_eq!(Core::M4.straight(&instructions(&[0xeea0, 0x0a81])), 3);
        assert_eq!(Core::M4.straight(&instructions(&[0xee80, 0x0a81])), 14);
        assert_eq!(Core::M4.straight(&instructions(&[0xeeb1, 0x0ae0])), 14);
        // vmul.f32 s0, s1, s2; vmov r0, s0: waits. And: vmov s0, s1 does not make others wait.
        assert_eq!(Core::M4.straight(&instructions(&[0xee20, 0x0a81, 0xee10, 0x0a10])), 3);
        assert_eq!(Core::M4.straight(&instructions(&[0xeeb0, 0x0a60, 0xee70, 0x1a22])), 2);
        // vmov r0, r1, s2, s3
        assert_eq!(Core::M4.straight(&instructions(&[0xec51, 0x0a11])), 2);
    }

    #[test]
    fn products_and_quotients() {
        // mla r0, r1, r2, r3; umull r0, r1, r2, r3; smlad r0, r1, r2, r3; udiv r0, r1, r2
        let (mla, umull) = ([0xfb01, 0x3002], [0xfba2, 0x0103]);
        assert_eq!(Core::M4.straight(&instructions(&mla)), 1);
        assert_eq!(Core::M3.straight(&instructions(&mla)), 2);
        assert_eq!(Core::M4.straight(&instructions(&umull)), 1);
        assert_eq!(Core::M3.straight(&instructions(&umull)), 4);
        assert_eq!(Core::M4.straight(&instructions(&[0xfb21, 0x3002])), 1);
        assert_eq!(Core::M4.straight(&instructions(&[0xfbb1, 0xf0f2])), 7);
        // muls r0, r1
        assert_eq!(Core::M0.straight(&instructions(&[0x4348])), 1);
    }

    #[test]
    fn a_call_and_its_return() {
        // bl; bx lr
        let (call, back) = (instructions(&[0xf000, 0xf800]), instructions(&[0x4770]));
        let cycles = |core: Core| {
            let there = core.straight(&call) + core.after(&call[0], true, &back[0]);
            there + core.straight(&back) + core.after(&back[0], true, &call[0])
        };
        assert_eq!(cycles(Core::M0), 4 + 3);
        assert_eq!(cycles(Core::M0Plus), 3 + 2);
        assert_eq!(cycles(Core::M4), 3 + 3);
        // pop {r4, pc}: 4 + n on the M0, 2 + n on the M0+, the program counter being one of the n.
        let pop = instructions(&[0xbd10]);
        let cycles = |core: Core| core.straight(&pop) + core.after(&pop[0], true, &call[0]);
        assert_eq!((cycles(Core::M0), cycles(Core::M0Plus)), (4 + 2, 2 + 2));
    }

    #[test]
    fn boards_without_a_model() {
        assert_eq!(Core::of("m4f"), Some(Core::M4));
        assert!(["m7", "m33", "rv32imac"].iter().all(|board| Core::of(board).is_none()));
    }
}
