//! From a timer's ticks to instructions, for each board.
//!
//! QEMU's `-icount shift=s` lets every instruction take 2ˢ ns of virtual time. With `s = 7` that is
//! more than two ticks of the timer, so a rounded number of ticks tells the number of instructions
//! exactly, and two loops of known length prove it in every run.

use anyhow::{Context, Result, bail, ensure};

use crate::board::{self, Board};

/// How a board is emulated so that its instructions can be counted.
#[derive(Debug)]
pub(crate) struct Clock {
    board: &'static str,
    /// Where the firmware finds its timer; none if the core counts instructions itself.
    pub(crate) timer: Option<u32>,
    /// The `shift` of `-icount`.
    shift: u32,
    /// Virtual time between two ticks.
    tick_ns: u64,
}

const CLOCKS: [Clock; 6] = [
    // Its code runs on the Cortex-M3 board, see `machine`.
    Clock { board: "m0", timer: Some(0x4000_0000), shift: 7, tick_ns: 40 },
    // The MPS2 boards' timers run at 25 MHz, …
    Clock { board: "m3", timer: Some(0x4000_0000), shift: 7, tick_ns: 40 },
    Clock { board: "m4f", timer: Some(0x4000_0000), shift: 7, tick_ns: 40 },
    Clock { board: "m7", timer: Some(0x4000_0000), shift: 7, tick_ns: 40 },
    // … but for this one's, at 20 MHz; and its firmware runs in the secure world.
    Clock { board: "m33", timer: Some(0x5000_0000), shift: 7, tick_ns: 50 },
    // `minstret` counts instructions. QEMU 7.2 shifts it, too, so the shift has to be 0.
    Clock { board: "rv32imac", timer: None, shift: 0, tick_ns: 1 },
];

/// What a firmware found out about a task, that of measuring nothing taken off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Measured {
    pub(crate) instructions: u64,
    pub(crate) stack_bytes: u64,
    /// What it says of its memory; of exported C nothing.
    pub(crate) ram_bytes: u64,
}

impl Clock {
    pub(crate) fn of(board: &Board) -> Result<&'static Clock> {
        let found = CLOCKS.iter().find(|clock| clock.board == board.name);
        found.with_context(|| format!("nobody knows how to count on {}", board.name))
    }

    /// The emulator's arguments for a board that counts.
    pub(crate) fn machine(&self, board: &'static Board) -> Result<Vec<String>> {
        let host = board::roomy(board)?;
        let icount = format!("shift={},align=off,sleep=off", self.shift);
        let machine = host.machine.iter().map(|argument| argument.to_string());
        Ok(machine.chain(["-icount".to_string(), icount]).collect())
    }

    fn instructions(&self, ticks: u64) -> u64 {
        let instruction_ns = 1 << self.shift;
        (ticks * self.tick_ns + instruction_ns / 2) / instruction_ns
    }

    /// Is a line about counts?
    pub(crate) fn understands(line: &str) -> bool {
        ["empty ", "loop ", "task "].iter().any(|kind| line.starts_with(kind))
    }

    /// Reads what the firmware printed of its tasks; an error if the counter is off by even one.
    pub(crate) fn interpret(&self, lines: &[String]) -> Result<Vec<Measured>> {
        let (mut empty, mut tasks, mut loops) = (None, Vec::new(), 0);
        for line in lines {
            let mut words = line.split(' ');
            let kind = words.next().unwrap_or_default();
            let numbers: Vec<u64> = words.map(str::parse).collect::<Result<_, _>>()?;
            match (kind, numbers.as_slice()) {
                ("empty", &[ticks, stack]) => empty = Some((self.instructions(ticks), stack)),
                ("task", &[ticks, stack, ref memory @ ..]) => {
                    let (nothing, empty_stack) = empty.context("a task before nothing")?;
                    tasks.push(Measured {
                        instructions: self.instructions(ticks).saturating_sub(nothing),
                        stack_bytes: stack.saturating_sub(empty_stack),
                        ram_bytes: memory.first().copied().unwrap_or(0),
                    });
                }
                ("loop", &[length, ticks]) => {
                    let (nothing, _) = empty.context("a loop before nothing")?;
                    let counted = self.instructions(ticks).saturating_sub(nothing);
                    ensure!(
                        counted == length,
                        "the counter is off: a loop of {length} instructions counts as {counted}"
                    );
                    loops += 1;
                }
                _ => bail!("it printed {line:?}"),
            }
        }
        ensure!(loops >= 2, "the counter was not tested");
        ensure!(!tasks.is_empty(), "it did not count the task");
        Ok(tasks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(name: &str) -> &'static Clock {
        Clock::of(board::named(name).unwrap()).unwrap()
    }

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_string).collect()
    }

    #[test]
    fn every_board_can_count() {
        for board in board::BOARDS {
            let machine = Clock::of(board).unwrap().machine(board).unwrap().join(" ");
            assert!(machine.contains("-icount shift="), "{machine}");
        }
    }

    #[test]
    fn a_small_core_is_emulated_with_more_memory() {
        let board = board::named("m0").unwrap();
        let machine = clock("m0").machine(board).unwrap().join(" ");
        assert!(machine.contains("mps2-an385"), "{machine}");
    }

    #[test]
    fn any_number_of_instructions_survives_the_ticks() {
        for name in ["m4f", "m33", "rv32imac"] {
            let clock = clock(name);
            for count in (0..10_000).chain(1_000_000_000..1_000_010_000_u64) {
                let ns = count << clock.shift;
                // The timer may stand just before a tick at the start, or just after one.
                let (down, up) = (ns / clock.tick_ns, ns.div_ceil(clock.tick_ns));
                assert_eq!((clock.instructions(down), clock.instructions(up)), (count, count));
            }
        }
    }

    #[test]
    fn what_measuring_costs_is_taken_off() {
        let text =
            "empty 36 36\nloop 201 679\nloop 25188251 80602439\ntask 27548 200 12\ntask 36 36";
        let first = Measured { instructions: 8609 - 11, stack_bytes: 164, ram_bytes: 12 };
        let second = Measured { instructions: 0, stack_bytes: 0, ram_bytes: 0 };
        assert_eq!(clock("m4f").interpret(&lines(text)).unwrap(), [first, second]);
    }

    #[test]
    fn a_counter_that_is_off_by_one_is_refused() {
        let text = "empty 36 36\nloop 201 682\nloop 25188251 80602439\ntask 27548 200";
        let error = clock("m4f").interpret(&lines(text)).unwrap_err().to_string();
        assert!(error.contains("counts as 202"), "{error}");
        assert!(clock("m4f").interpret(&lines("empty 36 36\ntask 27548 200")).is_err());
        assert!(clock("m4f").interpret(&lines("failed: TaskFailed")).is_err());
    }
}
