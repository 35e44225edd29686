//! What a task is, and how one becomes a firmware.

use core::hint::black_box;

use crate::measure::{self, Failure, Measured};
use crate::support::{self, say};

/// Something to measure. To add one: implement this, and name it with its shapes in
/// `xtask/src/bench/plan.rs`.
///
/// What comes in and what comes out passes through `black_box`, so that nothing is computed
/// beforehand or left out.
pub trait Task: Sized {
    /// What it works on, computed by the compiler: in flash, and not counted there. How large a
    /// model is, is known.
    type Input: Sync + 'static;
    const INPUT: Self::Input;
    /// What it needs in RAM, beside the stack.
    type Memory: Send + 'static;
    const MEMORY: Self::Memory;
    /// How much of that a firmware has to own that does this task once.
    const RAM: usize = size_of::<Self::Memory>();

    /// All that is not counted.
    fn prepare(input: &'static Self::Input, memory: &'static mut Self::Memory) -> Option<Self>;
    /// All that is; false if it failed.
    fn run(&mut self) -> bool;
}

/// The firmware without a task, to compare sizes with.
pub struct Empty;

impl Task for Empty {
    type Input = ();
    const INPUT: () = ();
    type Memory = ();
    const MEMORY: () = ();
    fn prepare((): &'static (), (): &'static mut ()) -> Option<Self> {
        Some(Self)
    }
    fn run(&mut self) -> bool {
        true
    }
}

unsafe extern "Rust" {
    /// What [`firmware!`] has made.
    safe fn measure_tasks() -> Result<(), Failure>;
}

/// A line for nothing, for each of two loops of known length, and for each task.
fn run() -> Result<(), Failure> {
    let empty = measure::ticks(&mut || true)?;
    let short = measure::ticks(&mut measure::short_loop)?;
    let long = measure::ticks(&mut measure::long_loop)?;
    say!("empty {} {}", empty.ticks, empty.stack);
    say!("loop {} {}", measure::SHORT, short.ticks);
    say!("loop {} {}", measure::LONG, long.ticks);
    measure_tasks()
}

support::main!(run);

/// Makes a firmware that measures these tasks, as a rule a single one.
#[macro_export]
macro_rules! firmware {
    ($($task:ty),*) => {
        #[unsafe(no_mangle)]
        fn measure_tasks() -> Result<(), $crate::measure::Failure> {
            $({
                use $crate::task::{Cell, Task, measure};

                // Known by its name to `xtask/src/bench/flash.rs`.
                static INPUT: <$task as Task>::Input = <$task as Task>::INPUT;
                static MEMORY: Cell<<$task as Task>::Memory> = Cell::new(<$task as Task>::MEMORY);
                measure::<$task>(&INPUT, MEMORY.try_take())?;
            })*
            Ok(())
        }
    };
}
pub use static_cell::ConstStaticCell as Cell;

/// Measures a task, and says with how much memory of its own.
#[inline(always)]
pub fn measure<T: Task>(
    input: &'static T::Input,
    memory: Option<&'static mut T::Memory>,
) -> Result<(), Failure> {
    let prepared = memory.and_then(|memory| T::prepare(black_box(input), memory));
    let mut task = prepared.ok_or(Failure::NotPrepared)?;
    tell(measure::ticks(&mut || task.run())?, T::RAM);
    Ok(())
}

#[inline(never)]
fn tell(Measured { ticks, stack }: Measured, ram: usize) {
    say!("task {ticks} {stack} {ram}");
}
