//! A microcontroller: defmt frames out, semihosting to stop, and every way of failing ends the run.

use core::fmt::{self, Write};
use core::panic::PanicInfo;

use heapless::String;
use semihosting::process::ExitCode;

// Linked for their side effects: the transport of the frames, and how to enter a critical section.
#[cfg(target_arch = "arm")]
use cortex_m as _;
use defmt_semihosting as _;
#[cfg(target_arch = "riscv32")]
use riscv as _;

/// Formats on the device, so that a line is the same bytes as on the host, and sends it as one
/// frame.
///
/// Kept out of line: the buffer is then on the stack once, and only while a line is written.
#[inline(never)]
pub(crate) fn say(arguments: fmt::Arguments<'_>) {
    let mut line = Line::default();
    // Only a `Display` of the caller's can fail here; what it wrote before is still worth sending.
    let _ = line.write_fmt(arguments);
    defmt::println!("{=str}", line.as_str());
}

pub(crate) fn finish<E: fmt::Debug>(result: Result<(), E>) -> ! {
    match result {
        Ok(()) => ExitCode::SUCCESS.exit_process(),
        Err(error) => fail(format_args!("failed: {error:?}")),
    }
}

fn fail(message: fmt::Arguments<'_>) -> ! {
    say(message);
    ExitCode::FAILURE.exit_process()
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    fail(format_args!("{info}"))
}

// Without these a fault is an endless loop, which says nothing to whoever waits for the output.

#[cfg(target_arch = "arm")]
#[cortex_m_rt::exception]
// SAFETY: `unsafe` because a fault may come from anywhere; nothing of what was interrupted is
// touched.
unsafe fn HardFault(frame: &cortex_m_rt::ExceptionFrame) -> ! {
    fail(format_args!("hard fault at {:#010x}", frame.pc()))
}

#[cfg(target_arch = "riscv32")]
// SAFETY: riscv-rt declares this name, with this signature, for the exceptions nobody handles.
#[unsafe(export_name = "ExceptionHandler")]
fn exception(_: &riscv_rt::TrapFrame) -> ! {
    fail(format_args!("exception at {:#010x}", riscv::register::mepc::read()))
}

/// A line of at most `CAPACITY` bytes; a longer one ends in `CUT`, where the host prints all of it.
#[derive(Default)]
struct Line {
    text: String<{ CAPACITY + CUT.len() }>,
    cut: bool,
}

const CAPACITY: usize = 240;
const CUT: &str = " [line cut]";

impl Line {
    fn as_str(&self) -> &str {
        &self.text
    }
}

impl Write for Line {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        if self.cut {
            return Ok(());
        }
        let room = CAPACITY - self.text.len();
        if piece.len() <= room {
            return self.text.push_str(piece).map_err(|_| fmt::Error);
        }
        self.cut = true;
        let fits = (0..=room).rfind(|&end| piece.is_char_boundary(end)).unwrap_or(0);
        self.text.push_str(&piece[..fits]).map_err(|_| fmt::Error)?;
        self.text.push_str(CUT).map_err(|_| fmt::Error)
    }
}
