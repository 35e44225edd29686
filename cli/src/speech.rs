//! How much is said on standard error, and in which colours.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use clap::ValueEnum;

use crate::escape;
use crate::hanging::wrap;

/// `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    Always,
    Never,
}

static IS_QUIET: AtomicBool = AtomicBool::new(false);
static HAS_COLOUR: AtomicBool = AtomicBool::new(false);
/// What waits until a picture has left the terminal; none while there is no picture.
static HELD: Mutex<Option<Vec<String>>> = Mutex::new(None);

/// To be called once, before anything is said.
pub(crate) fn set(is_quiet: bool, colour: Colour) {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let has_colour = match colour {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => io::stderr().is_terminal() && !is_set("NO_COLOR") && !is_dumb,
    };
    IS_QUIET.store(is_quiet, Ordering::Relaxed);
    HAS_COLOUR.store(has_colour, Ordering::Relaxed);
}

/// Nothing but results, warnings and errors?
pub(crate) fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}

/// Says why it ends here, on standard error, where nobody may be listening.
pub(crate) fn fail(text: &str) {
    say("", text, "1;31");
}

/// Says what was left out.
pub(crate) fn complain(text: &str) {
    say("", text, "1");
}

/// Says what may not be as it was meant.
pub(crate) fn warn(text: &str) {
    say("warning: ", text, "1;33");
}

/// Says what was done unasked, and how to have it otherwise.
pub(crate) fn note(text: &str) {
    if !is_quiet() {
        say("note: ", text, "1;36");
    }
}

/// From here on nothing is said: a picture is on the terminal.
pub(crate) fn hold() {
    held().get_or_insert_default();
}

/// Says all that was held.
pub(crate) fn release() {
    for line in held().take().unwrap_or_default() {
        let _ = writeln!(io::stderr(), "{line}");
    }
}

fn held() -> MutexGuard<'static, Option<Vec<String>>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

fn say(kind: &str, text: &str, colour: &str) {
    let mut text = escape::line(text);
    if let Some((_, columns)) = console::Term::stderr().size_checked() {
        text = wrap(&text, "mercer: ".len() + kind.len(), usize::from(columns));
    }
    let line = match HAS_COLOUR.load(Ordering::Relaxed) {
        true => format!("\x1b[{colour}mmercer: {kind}\x1b[0m{text}"),
        false => format!("mercer: {kind}{text}"),
    };
    match held().as_mut() {
        Some(held) => held.push(line),
        None => {
            let _ = writeln!(io::stderr(), "{line}");
        }
    }
}
