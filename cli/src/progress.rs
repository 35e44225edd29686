//! Progress on work that takes longer than a second.

use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long work may take before it is worth a line.
const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

/// A line on the terminal that appears only when the work takes longer than a second, in however few steps; none when standard error is no terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
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
        bar.set_draw_target(ProgressDrawTarget::hidden());
        let later = bar.clone();
        thread::spawn(move || {
            thread::sleep(PATIENCE);
            if !later.is_finished() {
                later.set_message(what);
                later.set_draw_target(ProgressDrawTarget::stderr());
                later.enable_steady_tick(TICK);
            }
        });
        Self { bar }
    }

    /// One piece is done.
    pub(crate) fn step(&mut self) {
        self.advance(1);
    }

    /// So many pieces are done.
    pub(crate) fn advance(&mut self, pieces: usize) {
        self.bar.inc(pieces as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
