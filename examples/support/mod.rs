//! What lets one example run on the host and on a microcontroller.
//!
//! An example is written once, with two lines at its top and one at its end:
//!
//! ```ignore
//! #![cfg_attr(target_os = "none", no_std, no_main)]
//! mod support;
//!
//! fn run() -> Result<(), Error> {
//!     say!("{:>8.3}", 0.25);
//!     Ok(())
//! }
//!
//! support::main!(run);
//! ```
//!
//! On the host this is a `main` that prints. On a device it is the reset handler, and each line
//! travels as one defmt frame through the debugger (semihosting) to whoever listens, QEMU included.

#[cfg(target_os = "none")]
pub(crate) mod device;
#[cfg(not(target_os = "none"))]
pub(crate) mod host;

#[cfg(target_os = "none")]
pub(crate) use device as platform;
#[cfg(not(target_os = "none"))]
pub(crate) use host as platform;

/// Prints one line, with the arguments of `println!`.
macro_rules! say {
    ($($arguments:tt)*) => {
        $crate::support::platform::say(::core::format_args!($($arguments)*))
    };
}
pub(crate) use say;

/// Makes `fn run() -> Result<(), impl Debug>` the program, and its error the exit code.
macro_rules! main {
    ($run:path) => {
        #[cfg(not(target_os = "none"))]
        fn main() -> ::std::process::ExitCode {
            $crate::support::platform::finish($run())
        }

        #[cfg_attr(all(target_os = "none", target_arch = "arm"), ::cortex_m_rt::entry)]
        #[cfg_attr(all(target_os = "none", target_arch = "riscv32"), ::riscv_rt::entry)]
        #[cfg(target_os = "none")]
        fn entry() -> ! {
            $crate::support::platform::finish($run())
        }
    };
}
pub(crate) use main;
