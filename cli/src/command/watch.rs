//! `mercer watch`: a live view of what arrives.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use mercer::AlarmConfig;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::front::Front;
use crate::intake::{Beside, Intake};
use crate::live::feed::{Pace, feed};
use crate::live::log::Log;
use crate::live::{News, View, screen};
use crate::missing::Missing;
use crate::model::{AnyModel, with_model};
use crate::table::{RowChoice, Source};
use crate::watch::AlarmChoice;
use crate::whole::require_other;
use crate::{file, speech};

/// Rows a second of a recording, where nobody knows better.
const USUAL_RATE: f64 = 10.0;
/// News that wait to be shown.
const WAITING: usize = 256;
/// Pictures a second, at the most.
const PICTURE: Duration = Duration::from_millis(50);

/// Watch rows as they arrive: score against threshold, state, suspect and events, on the terminal.
///
/// The chart shows SPE, the squared prediction error: how much of a reading the model does not
/// explain. It is counted in thresholds, on a logarithmic axis: above 1× a reading is unusual.
/// Keys: q quits, space holds the picture, + and − change how many readings it shows.
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("data", |data| data.required(false).default_value("-").help(
        "CSV with a line of column names: `-` for standard input, a file to replay, or a serial port with --baud"
    )),
    after_help = "Examples:\n  \
        cat /dev/ttyACM0 | mercer watch pump.mercer\n  \
        mercer watch pump.mercer /dev/ttyACM0 --baud 115200 --log events.csv\n  \
        mercer watch pump.mercer monday.csv --rate 200 --speed 10\n\n\
        It needs a terminal; `mercer score M.mercer -` is for scripts."
)]
pub(super) struct Arguments {
    /// A model that `mercer fit` wrote
    #[arg(value_name = "M.mercer")]
    model: PathBuf,
    #[command(flatten)]
    source: Source,
    /// The data are a serial port with so many bits a second (8 data bits, no parity)
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(1..))]
    baud: Option<u32>,
    /// Replay a file so many times as fast as it was recorded; `max` for as fast as it can be read
    #[arg(long, value_name = "TIMES|max", default_value = "1", value_parser = speed)]
    speed: Speed,
    /// Rows a second with which a file was recorded [default: what the model was told, else 10]
    #[arg(long, value_name = "HZ", value_parser = positive)]
    rate: Option<f64>,
    /// Add a line to this CSV when an alarm is raised and when it ends
    #[arg(long, value_name = "EVENTS.csv")]
    log: Option<PathBuf>,
    /// The column with the time of a row, to be shown and logged
    #[arg(long, value_name = "COLUMN")]
    time: Option<String>,
    /// Rows in a row with the same text in this column are one recording; with each, windows and
    /// the alarm start afresh
    #[arg(long, value_name = "COLUMN")]
    by: Option<String>,
    #[command(flatten)]
    alarm: AlarmChoice,
}

/// `--speed`; none is as fast as possible.
#[derive(Clone, Copy, Debug)]
struct Speed(Option<f64>);

fn speed(text: &str) -> Result<Speed, String> {
    match text {
        "max" => Ok(Speed(None)),
        _ => positive(text).map(|times| Speed(Some(times))),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "a number above 0".into())
}

pub(super) fn run(mut arguments: Arguments) -> Result<()> {
    let config = arguments.alarm.config()?;
    arguments.source.baud = arguments.baud;
    let is_live = arguments.source.is_live();
    ensure!(
        arguments.baud.is_none() || !arguments.source.is_stream(),
        "--baud is for a serial port, such as /dev/ttyACM0, in place of `-`"
    );
    ensure!(
        io::stdout().is_terminal(),
        "standard output is no terminal: `mercer score M.mercer -` writes scores to files and pipes"
    );
    ensure!(
        !arguments.source.is_stream() || !io::stdin().is_terminal(),
        "nothing arrives on standard input: pipe rows into it, or name a file to replay"
    );
    let model = file::read(&arguments.model)?;
    let refused = with_model!(&model, model => model.training.refused.clone());
    if let Some(why) = refused {
        bail!("{}: nothing can be watched with it: {why}", arguments.model.display());
    }
    let mut log = None;
    if let Some(path) = &arguments.log {
        require_other(path, [arguments.model.as_path(), &arguments.source.data])?;
        log = Some(Log::open(path)?);
    }
    let front = with_model!(&model, model => model.front.clone());
    let title =
        format!("mercer watch · {} · {}", arguments.model.display(), arguments.source.name());
    let unit = if front.is_some() { "window" } else { "row" };
    let mut view = View::new(title, unit, is_live);
    let pace = if is_live { Pace(None) } else { arguments.pace(front.as_ref()) };

    let (sender, receiver) = sync_channel(WAITING);
    quit_on_signals(sender.clone());
    speech::hold();
    let mut terminal = ratatui::init();
    // Either may wait for what never comes, so nobody waits for them.
    let keyboard = sender.clone();
    thread::spawn(move || read_keys(&keyboard));
    thread::spawn(move || arguments.feed(&model, config, pace, &sender));
    let shown = show(&mut terminal, &mut view, &mut log, &receiver);
    ratatui::restore();
    speech::release();
    shown?;
    match view.end {
        Some(Some(fault)) => bail!(fault),
        _ => Ok(()),
    }
}

impl Arguments {
    fn pace(&self, front: Option<&Front>) -> Pace {
        let known = front.and_then(|front| front.rate);
        let rate = self.rate.or(known).unwrap_or(USUAL_RATE);
        let rows = front.map_or(1, |front| front.hop);
        Pace(self.speed.0.map(|times| rows as f64 / (rate * times)))
    }

    /// Reads until there is no more, and says so.
    fn feed(self, model: &AnyModel, config: AlarmConfig, pace: Pace, news: &SyncSender<News>) {
        let beside =
            Beside { by: self.by.as_deref(), time: self.time.as_deref(), ..Beside::default() };
        let missing = Some(Missing::Skip);
        let rows = RowChoice { every: 1, missing, ..RowChoice::default() };
        let mut room = None;
        let fault = with_model!(model, model => {
            let from = (&self.source, &rows);
            let intake = Intake::of_model(model, &mut room, from, &beside);
            intake.and_then(|intake| feed(model, intake, config, pace, news)).err()
        });
        let _ = news.send(News::End(fault.map(|error| format!("{error:#}"))));
    }
}

/// Ends it as `q` does, so that the terminal is left as it was.
#[cfg(unix)]
fn quit_on_signals(news: SyncSender<News>) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]) else {
        return;
    };
    thread::spawn(move || signals.forever().try_for_each(|_| news.send(News::Quit)));
}

#[cfg(not(unix))]
fn quit_on_signals(_: SyncSender<News>) {}

/// Sends keys as they are pressed.
fn read_keys(news: &SyncSender<News>) {
    loop {
        let item = match event::read() {
            Ok(Event::Key(key)) if key.kind == KeyEventKind::Press => News::Key(key),
            Ok(_) => continue,
            // Without keys nobody could end it.
            Err(_) => News::Quit,
        };
        if news.send(item).is_err() {
            return;
        }
    }
}

/// Draws until somebody quits.
fn show(
    terminal: &mut DefaultTerminal,
    view: &mut View,
    log: &mut Option<Log>,
    news: &Receiver<News>,
) -> Result<()> {
    loop {
        terminal.draw(|frame| screen::draw(view, frame))?;
        let next = Instant::now() + PICTURE;
        // The keyboard keeps a sender, so this ends by its time alone.
        while let Ok(item) = news.recv_timeout(next.saturating_duration_since(Instant::now())) {
            match item {
                News::Quit => return Ok(()),
                News::Key(key) if press(view, key) => return Ok(()),
                // There is nothing to be seen.
                News::End(Some(fault)) if view.count == 0 => bail!(fault),
                item => {
                    if let (Some((change, scored)), Some(log)) = (view.take(item), log.as_mut()) {
                        log.add(change, &scored)?;
                    }
                }
            }
        }
    }
}

/// Does what a key says; true if that is to quit.
fn press(view: &mut View, key: KeyEvent) -> bool {
    match key.code {
        KeyCode::Char('q') | KeyCode::Esc => return true,
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return true,
        KeyCode::Char(' ') => view.hold(),
        KeyCode::Char('+' | '=') => view.widen(),
        KeyCode::Char('-') => view.narrow(),
        _ => {}
    }
    false
}
