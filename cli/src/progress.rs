//! Progress on work that takes longer than a second.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// A line on the terminal that appears only when the work takes longer than a second; none when standard error is no terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
    what: &'static str,
    started: Instant,
    shown: bool,
}

impl Progress {
    /// Work of `length` pieces; 0 if that is not known.
    pub(crate) fn new(what: &'static str, length: u64) -> Self {
        let bar = if length == 0 { ProgressBar::no_length() } else { ProgressBar::new(length) };
        let template = match length {
            0 => "{spinner} {msg}: {pos}, {elapsed}",
            _ => "{msg} {wide_bar} {pos}/{len}, {eta} left",
        };
        bar.set_style(ProgressStyle::with_template(template).expect("a template that is right"));
        bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
        Self { bar, what, started: Instant::now(), shown: false }
    }

    /// One piece is done.
    pub(crate) fn step(&mut self) {
        self.bar.inc(1);
        if !self.shown && self.started.elapsed() > Duration::from_secs(1) {
            self.shown = true;
            self.bar.set_message(self.what);
            self.bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
