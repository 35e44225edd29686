//! Lines to the debugger, made in a buffer and sent at once, without a critical section.

use core::fmt::{self, Write as _};

use semihosting::io::{self, Write as _};

/// Long enough for every line of these programs; what is longer is cut.
type Line = heapless::String<96>;

/// Sends a line; see `say!`.
pub fn send(arguments: fmt::Arguments<'_>) {
    let mut line = Line::new();
    let _ = line.write_fmt(arguments);
    let _ = line.push('\n');
    // Nobody may be listening, which is no reason to stop.
    if let Ok(mut out) = io::stdout() {
        let _ = out.write_all(line.as_bytes());
    }
}

/// As `println!`.
#[macro_export]
macro_rules! say {
    ($($arguments:tt)*) => { $crate::log::send(format_args!($($arguments)*)) };
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    send(format_args!("{info}"));
    semihosting::process::exit(1)
}
