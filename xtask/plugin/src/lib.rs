//! A plugin of QEMU: counts which blocks of a firmware follow each other, between two marks.
//!
//! `cargo xtask bench` loads it and makes cycles of its counts (`xtask/src/bench/cycles.rs`); here
//! nothing is known about instructions but the two marks of `tests/device/bench/measure.rs`. What
//! lies between them is a region; each has its own counts.
//!
//! With `out=FILE` it writes, when QEMU ends, a line `region` for each region, in order, and under
//! it a line `BEFORE START INSTRUCTIONS COUNT` for each pair of blocks: the address of the last
//! instruction before the block, or 0, that of the first one, how many instructions it has, and how
//! often it ran.
//!
//! QEMU's interface is declared here, as Debian has no header of it: version 1, that of its QEMU
//! 7.2. One that has left this version behind refuses the plugin, and says so.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fmt::Write as _;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Names of QEMU's interface.
mod qemu {
    use super::{c_int, c_uint, c_void};

    pub(crate) type Id = u64;
    #[repr(C)]
    pub(crate) struct Block([u8; 0]);
    #[repr(C)]
    pub(crate) struct Instruction([u8; 0]);
    pub(crate) type OnBlock = extern "C" fn(Id, *mut Block);
    pub(crate) type OnRun = extern "C" fn(c_uint, *mut c_void);
    pub(crate) type OnExit = extern "C" fn(Id, *mut c_void);
    /// The callback does not look at registers.
    pub(crate) const NO_REGISTERS: c_int = 0;

    unsafe extern "C" {
        pub(crate) fn qemu_plugin_register_vcpu_tb_trans_cb(id: Id, on: OnBlock);
        pub(crate) fn qemu_plugin_register_atexit_cb(id: Id, on: OnExit, data: *mut c_void);
        pub(crate) fn qemu_plugin_tb_n_insns(block: *const Block) -> usize;
        pub(crate) fn qemu_plugin_tb_get_insn(block: *const Block, i: usize) -> *mut Instruction;
        pub(crate) fn qemu_plugin_insn_vaddr(instruction: *const Instruction) -> u64;
        pub(crate) fn qemu_plugin_insn_data(instruction: *const Instruction) -> *const c_void;
        pub(crate) fn qemu_plugin_register_vcpu_tb_exec_cb(
            block: *mut Block,
            on: OnRun,
            flags: c_int,
            data: *mut c_void,
        );
        pub(crate) fn qemu_plugin_register_vcpu_insn_exec_cb(
            instruction: *mut Instruction,
            on: OnRun,
            flags: c_int,
            data: *mut c_void,
        );
    }
}

/// `mov r10, r10` and `mov r11, r11`.
const BEGIN: [u8; 2] = [0xd2, 0x46];
const END: [u8; 2] = [0xdb, 0x46];

/// What is counted of a block that was translated: the part between the marks.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Counted {
    start: u64,
    instructions: usize,
    last: u64,
}

#[derive(Default)]
struct State {
    out: String,
    /// By the number that QEMU hands back.
    blocks: Vec<Counted>,
    /// The last instruction that ran, 0 at the start of a region.
    before: u64,
    /// In each region and for each block: after which instructions it ran, and how often.
    regions: Vec<Vec<Vec<(u64, u64)>>>,
}

/// Between two marks?
static ACTIVE: AtomicBool = AtomicBool::new(false);

static STATE: Mutex<Option<State>> = Mutex::new(None);

fn state() -> MutexGuard<'static, Option<State>> {
    // A panic while it was locked would end QEMU.
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// What is to be counted under a number of its own.
    fn number(&mut self, counted: Counted) -> *mut c_void {
        let known = self.blocks.iter().position(|block| *block == counted);
        let number = known.unwrap_or_else(|| {
            self.blocks.push(counted);
            self.blocks.len() - 1
        });
        number as *mut c_void
    }

    fn ran(&mut self, number: usize) {
        let (Some(block), Some(region)) = (self.blocks.get(number), self.regions.last_mut()) else {
            return;
        };
        if block.instructions == 0 {
            return;
        }
        if region.len() <= number {
            region.resize(number + 1, Vec::new());
        }
        let counts = &mut region[number];
        match counts.iter().position(|(before, _)| *before == self.before) {
            Some(place) => {
                counts[place].1 += 1;
                // What came last comes next, as a rule.
                counts.swap(0, place);
            }
            None => counts.push((self.before, 1)),
        }
        self.before = block.last;
    }

    fn report(&self) -> String {
        let mut text = String::new();
        for region in &self.regions {
            text.push_str("region\n");
            for (block, counts) in self.blocks.iter().zip(region) {
                let Counted { start, instructions, .. } = block;
                for (before, count) in counts {
                    // Writing to a string cannot fail.
                    let _ = writeln!(text, "{before:x} {start:x} {instructions} {count}");
                }
            }
        }
        text
    }
}

/// The part of a block from one instruction to another, which is left out.
fn part(addresses: &[u64], from: usize, to: usize) -> Counted {
    let part = addresses.get(from..to).unwrap_or_default();
    Counted {
        start: part.first().copied().unwrap_or_default(),
        instructions: part.len(),
        last: part.last().copied().unwrap_or_default(),
    }
}

extern "C" fn on_translated(_: qemu::Id, block: *mut qemu::Block) {
    let mut state = state();
    let Some(state) = state.as_mut() else { return };
    let (mut addresses, mut begin, mut end) = (Vec::new(), None, None);
    // SAFETY: QEMU's own functions, with the block it has handed over and numbers below its length;
    // no instruction has less than two bytes.
    unsafe {
        for i in 0..qemu::qemu_plugin_tb_n_insns(block) {
            let instruction = qemu::qemu_plugin_tb_get_insn(block, i);
            addresses.push(qemu::qemu_plugin_insn_vaddr(instruction));
            let data = qemu::qemu_plugin_insn_data(instruction).cast::<[u8; 2]>();
            // Never more: before the end of a page QEMU 7.2 takes the next one for a part of it.
            let word = data.read_unaligned();
            begin = begin.or((word == BEGIN).then_some((i, instruction)));
            end = end.or((word == END).then_some((i, instruction)));
        }
        // All of it; up to the end of a region; or what follows the beginning of one.
        let whole = match (&begin, &end) {
            (None, Some((i, _))) => part(&addresses, 0, *i),
            (None, None) => part(&addresses, 0, addresses.len()),
            (Some(_), _) => part(&addresses, 0, 0),
        };
        let (number, flags) = (state.number(whole), qemu::NO_REGISTERS);
        qemu::qemu_plugin_register_vcpu_tb_exec_cb(block, on_run, flags, number);
        if let Some((i, instruction)) = begin {
            let rest = state.number(part(&addresses, i + 1, addresses.len()));
            qemu::qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_begin, flags, rest);
        }
        if let Some((_, instruction)) = end {
            let none = std::ptr::null_mut();
            qemu::qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_end, flags, none);
        }
    }
}

extern "C" fn on_run(_: c_uint, number: *mut c_void) {
    if ACTIVE.load(Ordering::Relaxed)
        && let Some(state) = state().as_mut()
    {
        state.ran(number as usize);
    }
}

extern "C" fn on_begin(_: c_uint, rest: *mut c_void) {
    if let Some(state) = state().as_mut() {
        state.before = 0;
        state.regions.push(Vec::new());
        state.ran(rest as usize);
        ACTIVE.store(true, Ordering::Relaxed);
    }
}

extern "C" fn on_end(_: c_uint, _: *mut c_void) {
    ACTIVE.store(false, Ordering::Relaxed);
}

extern "C" fn on_exit(_: qemu::Id, _: *mut c_void) {
    if let Some(state) = state().as_ref()
        && let Err(error) = fs::write(&state.out, state.report())
    {
        eprintln!("cannot write {}: {error}", state.out);
    }
}

/// The version of the interface that this was written for.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "QEMU looks for this name")]
pub static qemu_plugin_version: c_int = 1;

/// Called by QEMU.
///
/// # Safety
/// `arguments` are `count` strings that end in a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qemu_plugin_install(
    id: qemu::Id,
    _info: *const c_void,
    count: c_int,
    arguments: *const *const c_char,
) -> c_int {
    // SAFETY: see above.
    let arguments = (0..usize::try_from(count).unwrap_or(0))
        .map(|i| unsafe { CStr::from_ptr(*arguments.add(i)) }.to_string_lossy().into_owned());
    let out =
        arguments.filter_map(|text| text.strip_prefix("out=").map(str::to_string)).next_back();
    let Some(out) = out else {
        eprintln!("give it a file: out=FILE");
        return 1;
    };
    *state() = Some(State { out, ..State::default() });
    // SAFETY: QEMU's own functions, with the number it has given us.
    unsafe {
        qemu::qemu_plugin_register_vcpu_tb_trans_cb(id, on_translated);
        qemu::qemu_plugin_register_atexit_cb(id, on_exit, std::ptr::null_mut());
    }
    0
}
