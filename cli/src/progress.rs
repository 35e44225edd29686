//! Progress on work that takes longer than a second.

use std::fmt;
use std::thread;
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::source::Far;
use crate::speech::is_quiet;

/// How long work may take before it is worth a line.
const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

/// A line on the terminal that appears only when the work takes longer than a second, in however
/// few steps; none when standard error is no terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Work of `length` pieces; 0 if that is not known.
    pub(crate) fn new(what: &'static str, length: u64) -> Self {
        let bar = if length == 0 { ProgressBar::no_length() } else { ProgressBar::new(length) };
        let template = match length {
            0 => "{spinner} {msg}: {pos}, {elapsed}",
            _ => "{msg} {wide_bar} {pos}/{len}{time_left}",
        };
        Self::shown(bar, what, template)
    }

    /// Work on so many bytes.
    fn of_bytes(what: &'static str, bytes: u64) -> Self {
        let template = "{msg} {wide_bar} {bytes}/{total_bytes}{time_left}";
        Self::shown(ProgressBar::new(bytes), what, template)
    }

    /// Reading a file, whose size may be known.
    pub(crate) fn of_file(what: &'static str, far: &Far) -> Self {
        far.size.map_or_else(|| Self::new(what, 0), |bytes| Self::of_bytes(what, bytes))
    }

    /// A row is done.
    pub(crate) fn row(&mut self, far: &Far) {
        self.rows(1, far);
    }

    /// So many rows are done.
    pub(crate) fn rows(&mut self, rows: usize, far: &Far) {
        if far.size.is_some() { self.bar.set_position(far.read()) } else { self.advance(rows) }
    }

    fn shown(bar: ProgressBar, what: &'static str, template: &str) -> Self {
        let style = ProgressStyle::with_template(template).expect("a template that is right");
        bar.set_style(style.with_key("time_left", time_left));
        bar.set_draw_target(ProgressDrawTarget::hidden());
        let later = bar.clone();
        thread::spawn(move || {
            thread::sleep(PATIENCE);
            if !later.is_finished() && !is_quiet() {
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

/// How long it will still take: nothing before the first piece is done, nor as long as nobody can
/// know how fast it goes, of which a bar says that it takes no time.
fn time_left(state: &ProgressState, text: &mut dyn fmt::Write) {
    let left = state.eta();
    if state.pos() > 0 && !left.is_zero() {
        // A terminal that does not take it has no other line to say so.
        let _ = write!(text, ", {:#} left", HumanDuration(left));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
