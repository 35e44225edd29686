//! mercer for firmware in C: what a static library exports, and nothing else.
//!
//! The header is `include/mercer.h`, made by cbindgen from these files; `docs/C_LIBRARY.md` is the
//! guide. Sizes are chosen when the library is built, by the environment variables that
//! `build/config.rs` reads.
//!
//! | module | holds |
//! |---|---|
//! | [`codes`] | what functions return, and what that means in words |
//! | `foreign` | all that looks at pointers of C: the home of the checks, and of `unsafe` |
//! | [`detector`] | a model, its verdicts and its bytes |
//! | [`learner`] | a model from readings, in steps |
//! | [`monitor`] | raw samples, readings, and the alarm |
//!
//! # What C promises
//! This is the only library of the project with `unsafe`. A function looks at what it can look at:
//! null, alignment, sizes, whether an object was initialised, whether two of them overlap. What
//! nobody can look at is for the caller to keep, and is what "as C promises" means in the comments:
//!
//! 1. A pointer that is not null points to as much memory as its type or its length says, and that
//!    memory stays there for the call.
//! 2. Objects are neither copied nor written to behind the library's back, and what a call is given
//!    beside an object does not lie in it.
//! 3. No two calls use an object at the same time, one of an interrupt and one of what it
//!    interrupts among them, unless both take it as `const`.
//!
//! Nothing here keeps a pointer beyond a call, allocates or panics.
#![no_std]

#[cfg(not(target_os = "none"))]
extern crate std;

pub mod codes;
pub mod detector;
mod foreign;
pub mod learner;
pub mod monitor;

/// The choices of the builder, as constants.
pub mod config {
    include!(concat!(env!("OUT_DIR"), "/config.rs"));
}

pub use foreign::Words;

use core::ffi::{CStr, c_char};
use core::ptr;

/// The version of the library, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn mercer_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(text) => text,
            Err(_) => c"",
        };
    VERSION.as_ptr()
}

/// With which choices the library was built; compare it with MERCER_BUILD, that of the header.
/// The functions that initialise objects do so, too.
#[unsafe(no_mangle)]
pub extern "C" fn mercer_build() -> u32 {
    config::BUILD
}

/// What an input is called, such as "ax_logstd"; NULL if there is no such input.
#[unsafe(no_mangle)]
pub extern "C" fn mercer_input_name(input: usize) -> *const c_char {
    config::NAMES.get(input).map_or(ptr::null(), |name| name.as_ptr())
}

/// What the proof must notice.
#[cfg(panic_control)]
#[unsafe(no_mangle)]
pub extern "C" fn mercer_panics(input: usize) -> u32 {
    [config::BUILD; config::INPUTS][input]
}

/// Nothing here panics, and the linker leaves this out. `cargo xtask c-library` proves it: there
/// the handler calls what nobody defines.
#[cfg(target_os = "none")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    #[cfg(panic_proof)]
    {
        unsafe extern "C" {
            safe fn a_panic_path_remains() -> !;
        }
        a_panic_path_remains()
    }
    #[cfg(not(panic_proof))]
    loop {
        core::hint::spin_loop();
    }
}
