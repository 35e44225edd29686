//! Counts instructions and watches the stack.
//!
//! Nothing here depends on the task: whatever is measured, this is the same code, and its size is
//! that of the firmware without a task.
//!
//! QEMU's `-icount` makes every instruction take the same virtual time, so a timer counts
//! instructions; `xtask/src/bench/clock.rs` has the rates. The timer is the first CMSDK timer of
//! the MPS2 boards, counting down in 32 bits, or `minstret` of a RISC-V core.

use core::hint::black_box;
use core::sync::atomic::{Ordering, compiler_fence};

use timer::{now, overflowed, start};

/// What one run took.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// Ticks of the timer, those of measuring included.
    pub ticks: u32,
    /// Bytes of stack, the frame of the work included.
    pub stack: usize,
}

/// Why there is no count.
#[derive(Clone, Copy, Debug)]
pub enum Failure {
    /// The task could not be made ready.
    NotPrepared,
    /// Refusing to work is quick, and not what is to be measured.
    TaskFailed,
    /// The stack went deeper than is watched.
    Stack,
    /// The timer ran out.
    Timer,
}

/// The most stack that is watched.
const WATCHED_WORDS: usize = 16 * 1024;
const PAINT: u32 = 0xdead_beef;

/// Something to run, of which the compiler knows nothing where it is measured.
pub(crate) type Work<'a> = &'a mut dyn FnMut() -> bool;

/// Paints the stack, runs `work` between two looks at the timer, and finds the deepest word that
/// lost its paint.
#[inline(never)]
pub(crate) fn ticks(work: Work<'_>) -> Result<Measured, Failure> {
    let work = black_box(work);
    start();
    let top = stack_pointer();
    let word = |i: usize| (top - 4 * (i + 1)) as *mut u32;
    for i in 0..WATCHED_WORDS {
        // SAFETY: free stack, below everything that lives.
        unsafe { word(i).write_volatile(PAINT) };
    }
    let (before, done, after) = counted(work);
    let ticks = timer::between(before, after);
    // SAFETY: as above; plain memory, read as it is.
    let painted = |i: &usize| unsafe { word(*i).read_volatile() == PAINT };
    let untouched = (0..WATCHED_WORDS).rev().take_while(painted).count();
    match (done, untouched) {
        (false, _) => Err(Failure::TaskFailed),
        (true, 0) => Err(Failure::Stack),
        (true, _) if overflowed() => Err(Failure::Timer),
        (true, _) => Ok(Measured { ticks, stack: 4 * (WATCHED_WORDS - untouched) }),
    }
}

/// Nothing but the work between the two looks, and between the two marks for whoever watches from
/// outside: `xtask/plugin` knows these instructions, which do nothing and which no compiler uses.
#[inline(never)]
fn counted(work: Work<'_>) -> (u32, bool, u32) {
    let before = now();
    // SAFETY: moves a register to itself.
    #[cfg(target_arch = "arm")]
    unsafe {
        core::arch::asm!("mov r10, r10", options(nostack, preserves_flags))
    };
    compiler_fence(Ordering::SeqCst);
    let done = work();
    compiler_fence(Ordering::SeqCst);
    // SAFETY: as above.
    #[cfg(target_arch = "arm")]
    unsafe {
        core::arch::asm!("mov r11, r11", options(nostack, preserves_flags))
    };
    let after = now();
    (before, done, after)
}

/// Ticks that some work takes, about: for comparing parts of it with each other.
pub(crate) fn elapsed(work: impl FnOnce()) -> u32 {
    let before = now();
    compiler_fence(Ordering::SeqCst);
    work();
    compiler_fence(Ordering::SeqCst);
    timer::between(before, now())
}

/// How many instructions the loops below execute.
pub(crate) const SHORT: u32 = 1 + 2 * 100;
pub(crate) const LONG: u32 = 1 + 50 * (1 + 50 * (1 + 2 * 40 + 2) + 2);

/// One register is set, then counted down to zero.
pub(crate) fn short_loop() -> bool {
    // SAFETY: changes one register, which is declared.
    #[cfg(target_arch = "arm")]
    unsafe {
        core::arch::asm!("movs {0}, #100", "2:", "subs {0}, #1", "bne 2b", out(reg) _, options(nomem, nostack));
    }
    // SAFETY: changes one register, which is declared.
    #[cfg(target_arch = "riscv32")]
    unsafe {
        core::arch::asm!("li {0}, 100", "2:", "addi {0}, {0}, -1", "bnez {0}, 2b", out(reg) _, options(nomem, nostack));
    }
    true
}

/// Three such loops, one in the other.
pub(crate) fn long_loop() -> bool {
    // SAFETY: changes three registers, which are declared.
    #[cfg(target_arch = "arm")]
    unsafe {
        core::arch::asm!(
            "movs {0}, #50",
            "4:", "movs {1}, #50",
            "3:", "movs {2}, #40",
            "2:", "subs {2}, #1", "bne 2b",
            "subs {1}, #1", "bne 3b",
            "subs {0}, #1", "bne 4b",
            out(reg) _, out(reg) _, out(reg) _, options(nomem, nostack)
        );
    }
    // SAFETY: changes three registers, which are declared.
    #[cfg(target_arch = "riscv32")]
    unsafe {
        core::arch::asm!(
            "li {0}, 50",
            "4:", "li {1}, 50",
            "3:", "li {2}, 40",
            "2:", "addi {2}, {2}, -1", "bnez {2}, 2b",
            "addi {1}, {1}, -1", "bnez {1}, 3b",
            "addi {0}, {0}, -1", "bnez {0}, 4b",
            out(reg) _, out(reg) _, out(reg) _, options(nomem, nostack)
        );
    }
    true
}

#[inline(always)]
fn stack_pointer() -> usize {
    let pointer: usize;
    // SAFETY: reads a register.
    #[cfg(target_arch = "arm")]
    unsafe {
        core::arch::asm!("mov {}, sp", out(reg) pointer, options(nomem, nostack))
    };
    // SAFETY: reads a register.
    #[cfg(target_arch = "riscv32")]
    unsafe {
        core::arch::asm!("mv {}, sp", out(reg) pointer, options(nomem, nostack))
    };
    pointer
}

#[cfg(target_arch = "arm")]
mod timer {
    /// Registers of the CMSDK APB timer (Arm DDI 0479): control, value, reload, interrupt status.
    const TIMER: usize = match option_env!("BENCH_TIMER") {
        Some(text) => match usize::from_str_radix(text, 10) {
            Ok(address) => address,
            Err(_) => panic!("not a number"),
        },
        None => 0x4000_0000,
    };
    const CONTROL: *mut u32 = TIMER as *mut u32;
    const VALUE: *mut u32 = (TIMER + 4) as *mut u32;
    const RELOAD: *mut u32 = (TIMER + 8) as *mut u32;
    const STATUS: *mut u32 = (TIMER + 12) as *mut u32;

    const ENABLE: u32 = 1;
    /// Sets the status when the timer runs out. No interrupt follows: nobody has asked the NVIC for
    /// it.
    const NOTICE_END: u32 = 1 << 3;

    pub(crate) fn start() {
        // SAFETY: registers of a device that nobody else uses.
        unsafe {
            RELOAD.write_volatile(u32::MAX);
            VALUE.write_volatile(u32::MAX);
            // What it noticed before is forgotten.
            STATUS.write_volatile(1);
            CONTROL.write_volatile(ENABLE | NOTICE_END);
        }
    }

    #[inline(always)]
    pub(crate) fn now() -> u32 {
        // SAFETY: as above.
        unsafe { VALUE.read_volatile() }
    }

    pub(crate) fn between(before: u32, after: u32) -> u32 {
        before.wrapping_sub(after)
    }

    /// After 2³² ticks, 1.3 billion instructions: more than any task takes.
    pub(crate) fn overflowed() -> bool {
        // SAFETY: as above.
        unsafe { STATUS.read_volatile() != 0 }
    }
}

#[cfg(target_arch = "riscv32")]
mod timer {
    pub(crate) fn start() {}

    #[inline(always)]
    pub(crate) fn now() -> u32 {
        let count: u32;
        // SAFETY: reads a counter.
        unsafe { core::arch::asm!("csrr {}, minstret", out(reg) count, options(nomem, nostack)) };
        count
    }

    pub(crate) fn between(before: u32, after: u32) -> u32 {
        after.wrapping_sub(before)
    }

    /// It counts from reset.
    pub(crate) fn overflowed() -> bool {
        let high: u32;
        // SAFETY: reads a counter.
        unsafe { core::arch::asm!("csrr {}, minstreth", out(reg) high, options(nomem, nostack)) };
        high != 0
    }
}
