//! Readings in batches: what is said of them is made on all cores, and written in their order.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use mercer::Error;
use mercer::detect::Verdict;

use super::Output;
use super::line::{Line, flag};
use crate::Number;
use crate::cores;
use crate::intake::Intake;
use crate::progress::Progress;
use crate::queue::Queue;
use crate::source::Far;
use crate::watch::Watch;

/// Readings that a thread takes at a time; fewer where somebody may be waiting for them, or they
/// are large.
const MOST_ROWS: usize = 512;
const MOST_ROWS_LIVE: usize = 64;
const MOST_BYTES: usize = 1 << 20;

/// Readings, and what is written of each as it is.
pub(super) struct Batch<T> {
    inputs: Vec<T>,
    rows: Vec<Row>,
    bytes: usize,
}

struct Row {
    number: u64,
    line: u64,
    recording: String,
    with: Vec<String>,
}

impl<T: Number> Batch<T> {
    fn new() -> Self {
        Self { inputs: Vec::new(), rows: Vec::new(), bytes: 0 }
    }

    fn add(&mut self, intake: &Intake<'_, T>) {
        let row = Row {
            number: intake.number(),
            line: intake.line(),
            recording: intake.recording().into(),
            with: intake.with().into_iter().map(String::from).collect(),
        };
        self.bytes += size_of_val(intake.x.as_slice()) + row.recording.len();
        self.bytes += row.with.iter().map(String::len).sum::<usize>();
        self.inputs.extend_from_slice(&intake.x);
        self.rows.push(row);
    }

    fn is_full(&self, most_rows: usize) -> bool {
        self.rows.len() >= most_rows || self.bytes >= MOST_BYTES
    }

    /// What `cells` says of each, up to the first that cannot be answered.
    pub(super) fn told(
        mut self,
        line: &mut Line,
        mut cells: impl FnMut(&mut [T], &mut Line) -> Result<Option<Verdict<T>>, Error>,
    ) -> Told<T> {
        let mut told = Told { text: String::new(), alarms: Vec::new(), misfit: None };
        let inputs = self.inputs.len() / self.rows.len().max(1);
        for (row, x) in self.rows.into_iter().zip(self.inputs.chunks_mut(inputs.max(1))) {
            line.begin(row.number);
            row.with.iter().for_each(|cell| line.text(cell));
            match cells(x, line) {
                Ok(verdict) => {
                    let place = line.end(&mut told.text);
                    told.alarms.extend(place.zip(verdict).map(|(place, verdict)| Alarm {
                        place,
                        verdict,
                        recording: row.recording,
                    }));
                }
                Err(error) => {
                    told.misfit = Some((row.line, error));
                    break;
                }
            }
        }
        told
    }
}

/// What is to be written of a batch.
pub(super) struct Told<T> {
    text: String,
    alarms: Vec<Alarm<T>>,
    /// The line of a reading that cannot be answered, and why.
    misfit: Option<(u64, Error)>,
}

/// What the alarm says of a verdict goes to a place in the text.
struct Alarm<T> {
    place: usize,
    verdict: Verdict<T>,
    recording: String,
}

/// Why there is no answer.
enum Wrong {
    /// To the reading of this line.
    Misfit(u64, Error),
    Output(io::Error),
}

impl Wrong {
    fn in_words<T: Number>(self, intake: &Intake<'_, T>) -> anyhow::Error {
        match self {
            Self::Misfit(line, error) => intake.misfit_of(line, error),
            Self::Output(error) => error.into(),
        }
    }
}

/// Where answers go, batch by batch.
pub(super) struct Writer<T> {
    pub(super) out: Output,
    pub(super) alarm: Option<Watch<T>>,
    pub(super) is_json: bool,
    pub(super) progress: Option<Progress>,
    pub(super) far: Far,
}

impl<T: Number> Writer<T> {
    fn write(&mut self, told: Told<T>) -> Result<(), Wrong> {
        self.write_text(&told).map_err(Wrong::Output)?;
        told.misfit.map_or(Ok(()), |(line, error)| Err(Wrong::Misfit(line, error)))
    }

    fn write_text(&mut self, Told { text, alarms, .. }: &Told<T>) -> io::Result<()> {
        let mut rest = text.as_bytes();
        let mut written = 0;
        for Alarm { place, verdict, recording } in alarms {
            let (before, after) = rest.split_at(place - written);
            self.out.write_all(before)?;
            if let Some(alarm) = &mut self.alarm {
                let is_active = alarm.see(verdict, recording).active;
                self.out.write_all(flag(self.is_json, is_active).as_bytes())?;
            }
            (rest, written) = (after, *place);
        }
        self.out.write_all(rest)?;
        self.out.pause()?;
        let lines = text.bytes().filter(|&byte| byte == b'\n').count();
        self.progress.iter_mut().for_each(|progress| progress.rows(lines, &self.far));
        Ok(())
    }
}

pub(super) type Batches<T> = Queue<Batch<T>, Told<T>>;

/// Answers all readings, as the workers of the queue make it or, without one, `own`.
pub(super) fn answer_all<T: Number>(
    intake: &mut Intake<'_, T>,
    is_live: bool,
    writer: Writer<T>,
    queue: Option<&Arc<Batches<T>>>,
    own: impl FnMut(Batch<T>) -> Told<T>,
) -> Result<Writer<T>> {
    match queue {
        Some(queue) => on_all_cores(intake, is_live, writer, queue),
        None => on_this_core(intake, is_live, writer, own),
    }
}

fn on_this_core<T: Number>(
    intake: &mut Intake<'_, T>,
    is_live: bool,
    mut writer: Writer<T>,
    mut own: impl FnMut(Batch<T>) -> Told<T>,
) -> Result<Writer<T>> {
    // What comes next may be long in coming.
    let most_rows = if is_live { 1 } else { MOST_ROWS };
    loop {
        let mut batch = Batch::new();
        let goes_on = loop {
            match intake.advance() {
                Ok(true) => batch.add(intake),
                end => break end,
            }
            if batch.is_full(most_rows) {
                break Ok(true);
            }
        };
        writer.write(own(batch)).map_err(|wrong| wrong.in_words(intake))?;
        if !goes_on? {
            return Ok(writer);
        }
    }
}

/// What reading and writing share, for answers that are due before the next reading comes.
struct Shared<T> {
    open: Batch<T>,
    queue: Arc<Batches<T>>,
    /// Batches that may be on their way.
    tolerated: u64,
    writer: Writer<T>,
    wrong: Option<Wrong>,
}

impl<T: Number> Shared<T> {
    /// Hands out the batch, and writes what is ready.
    fn hand_out(&mut self, tolerated: u64) -> Result<(), Wrong> {
        self.queue.push(std::mem::replace(&mut self.open, Batch::new()));
        while let Some(told) = self.queue.next(tolerated) {
            self.writer.write(told)?;
        }
        Ok(())
    }

    /// Writes all answers to what was read.
    fn settle(&mut self) -> Result<(), Wrong> {
        self.wrong.take().map_or_else(|| self.hand_out(0), Err)
    }
}

fn on_all_cores<T: Number>(
    intake: &mut Intake<'_, T>,
    is_live: bool,
    writer: Writer<T>,
    queue: &Arc<Batches<T>>,
) -> Result<Writer<T>> {
    let tolerated = 2 + 2 * cores::count() as u64;
    let (open, queue) = (Batch::new(), Arc::clone(queue));
    let shared = Arc::new(Mutex::new(Shared { open, queue, tolerated, writer, wrong: None }));
    if is_live {
        let shared = Arc::clone(&shared);
        intake.before_waiting(Some(Box::new(move || {
            let mut shared = locked(&shared);
            let settled = shared.settle();
            settled.map_err(|wrong| {
                shared.wrong = Some(wrong);
                io::Error::other("not answered")
            })
        })));
    }
    let most_rows = if is_live { MOST_ROWS_LIVE } else { MOST_ROWS };
    let goes_on = loop {
        match intake.advance() {
            Ok(true) => {}
            end => break end,
        }
        let mut shared = locked(&shared);
        shared.open.add(intake);
        if shared.open.is_full(most_rows) {
            let tolerated = shared.tolerated;
            shared.hand_out(tolerated).map_err(|wrong| wrong.in_words(intake))?;
        }
    };
    // What is wrong with a reading counts before what is wrong with one that was read later.
    locked(&shared).settle().map_err(|wrong| wrong.in_words(intake))?;
    goes_on?;
    intake.before_waiting(None);
    let shared = Arc::into_inner(shared).context("somebody else writes")?;
    Ok(shared.into_inner().unwrap_or_else(PoisonError::into_inner).writer)
}

fn locked<T>(shared: &Mutex<Shared<T>>) -> MutexGuard<'_, Shared<T>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
