//! The linker script, of esp-hal.

fn main() {
    println!("cargo:rustc-link-arg-bins=-Tlinkall.x");
}
