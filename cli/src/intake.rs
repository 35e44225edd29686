//! Readings from a CSV, one at a time: its rows, or what a front end makes of windows of them.

use std::collections::VecDeque;

use anyhow::{Result, anyhow, bail};
use mercer::Error;
use mercer::error::Fault;

use crate::Number;
use crate::front::{Front, Room, Stream};
use crate::label::NormalLabels;
use crate::lines::BeforeWaiting;
use crate::missing::{Care, Garbled, Missing};
use crate::model::Model;
use crate::source::Far;
use crate::table::{RowChoice, Source, Step, TOO_LARGE, Table};
use crate::text::{count, excerpt, list, thousands};

/// Columns that are read beside the inputs, as text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beside<'a> {
    pub(crate) label: Option<&'a str>,
    /// The column that tells recordings apart.
    pub(crate) by: Option<&'a str>,
    pub(crate) time: Option<&'a str>,
    /// Lists of columns to be repeated beside what is said of a row.
    pub(crate) with: &'a [String],
    /// A window has the label of its first row that is not normal, if there is one.
    pub(crate) normal: NormalLabels,
}

/// The readings of a CSV; one of them at a time is here.
pub(crate) struct Intake<'f, T> {
    table: Table,
    /// The columns that numbers are read from.
    columns: Vec<usize>,
    /// Names of the inputs.
    names: Vec<String>,
    label: Option<usize>,
    by: Option<usize>,
    time: Option<usize>,
    with: Vec<usize>,
    care: Care,
    cut: Option<Cut<'f>>,
    /// Readings so far.
    given: usize,
    /// Rows without a number in each input.
    left_out: usize,
    garbled: Garbled,
    /// The inputs of the reading.
    pub(crate) x: Vec<T>,
}

impl<'f, T: Number> Intake<'f, T> {
    /// For a model: the rows that it takes, or windows of them.
    pub(crate) fn of_model(
        model: &'f Model<T>,
        room: &'f mut Option<Room>,
        (source, choice): (&Source, &RowChoice),
        beside: &Beside<'_>,
    ) -> Result<Self> {
        let is_stream = source.is_live();
        let Some(front) = &model.front else {
            let table = Table::open(source, choice)?;
            let columns = columns_of_readings(&table, &model.columns)?;
            let care = Care::of_rows(choice.missing, is_stream);
            return Ok(Self::rows(table, columns, beside, care)?.waited_for(is_stream));
        };
        let table = Table::open(source, &choice.of_samples())?;
        let columns = columns_of_samples(&table, front, &model.columns)?;
        // Windows cross no recording, even where nobody says so again.
        let known = front.by.as_deref().filter(|by| table.has_column(by));
        let beside = Beside { by: beside.by.or(known), ..beside.clone() };
        let care = Care::of_samples(choice.missing, is_stream);
        let intake = Self::windows((table, columns), front, room, &beside, (care, choice.every))?;
        Ok(intake.waited_for(is_stream))
    }

    /// The rows of a table, with inputs in these columns.
    pub(crate) fn rows(
        table: Table,
        columns: Vec<usize>,
        beside: &Beside<'_>,
        care: Care,
    ) -> Result<Self> {
        let place = |name: Option<&str>| name.map(|name| table.column(name)).transpose();
        Ok(Self {
            label: place(beside.label)?,
            by: place(beside.by)?,
            time: place(beside.time)?,
            with: table.listed(beside.with)?,
            names: table.names(&columns),
            x: vec![T::ZERO; columns.len()],
            columns,
            care,
            cut: None,
            given: 0,
            left_out: 0,
            garbled: Garbled::default(),
            table,
        })
    }

    /// Readings of windows of a table with channels in these columns, each `every`-th of them.
    pub(crate) fn windows(
        (table, columns): (Table, Vec<usize>),
        front: &'f Front,
        room: &'f mut Option<Room>,
        beside: &Beside<'_>,
        (care, every): (Care, u64),
    ) -> Result<Self> {
        if care.missing == Missing::Impute {
            bail!(
                "--missing impute is for readings: in raw samples, a cell without a number begins a new window (--missing skip)"
            );
        }
        let intake = Self::rows(table, columns, beside, care)?;
        let stream = Stream::new(front, room.insert(Room::new(front)))?;
        let cut = Cut::new(front, stream, beside.normal.clone(), every);
        let names = front.names();
        Ok(Self { x: vec![T::ZERO; names.len()], names, cut: Some(cut), ..intake })
    }

    /// Somebody may be waiting for what is said of each row.
    fn waited_for(mut self, is_stream: bool) -> Self {
        self.garbled.is_stream = is_stream;
        self
    }

    /// Goes on to the next reading; false at the end.
    pub(crate) fn advance(&mut self) -> Result<bool> {
        let goes_on = if self.cut.is_some() { self.next_window()? } else { self.next_row()? };
        self.given += usize::from(goes_on);
        if !goes_on && self.given == 0 {
            self.require_some()?;
        }
        Ok(goes_on)
    }

    /// At the end: not all rows were left out.
    fn require_some(&self) -> Result<()> {
        let name = self.table.name();
        if let Some(why) = self.garbled.first() {
            bail!("{name}: no row can be used, the first is garbled: {why}");
        }
        if self.left_out > 0 {
            bail!("{name}: no row can be used, each lacks a number in some input");
        }
        Ok(())
    }

    fn next_row(&mut self) -> Result<bool> {
        let Self { table, columns, care, left_out, garbled, x, .. } = self;
        loop {
            let read = match table.advance()? {
                Step::End => return Ok(false),
                Step::Garbled(why) => Err(why),
                Step::Row => match care.missing {
                    Missing::Error => table.row().numbers(columns, x).map(|()| 0),
                    Missing::Skip | Missing::Impute => table.row().numbers_if_any(columns, x),
                },
            };
            match read {
                Ok(0) => return Ok(true),
                Ok(lost) if lost < columns.len() && care.missing == Missing::Impute => {
                    return Ok(true);
                }
                Ok(_) => *left_out += 1,
                Err(why) if care.is_tolerant => garbled.add(&why),
                Err(why) => return Err(why),
            }
        }
    }

    fn next_window(&mut self) -> Result<bool> {
        let Self { table, columns, label, by, time, with, care, cut, garbled, x, .. } = self;
        let Some(cut) = cut else { return Ok(false) };
        let mut sample = vec![0.0; columns.len()];
        loop {
            let read = match table.advance()? {
                Step::End => break,
                Step::Garbled(why) => Err(why),
                Step::Row => match care.missing {
                    Missing::Error => table.row().numbers(columns, &mut sample),
                    _ => table.row().numbers_if_any(columns, &mut sample).map(|_| ()),
                },
            };
            match read {
                Ok(()) => {}
                Err(why) if care.is_tolerant => {
                    garbled.add(&why);
                    cut.gap();
                    continue;
                }
                Err(why) => return Err(why),
            }
            let row = table.row();
            let text = |column: &Option<usize>| column.map_or("", |column| row.text(column));
            let kept = Kept {
                number: row.number,
                order: row.order,
                line: row.line(),
                label: text(label).into(),
                time: text(time).into(),
                with: with.iter().map(|&column| row.text(column).into()).collect(),
            };
            match cut.take(kept, text(by), &sample) {
                Ok(None) => {}
                Ok(Some(reading)) => {
                    for (place, value) in x.iter_mut().zip(reading) {
                        *place = T::from_f64(f64::from(*value));
                    }
                    return Ok(true);
                }
                Err(Error::Channel { channel, .. }) => {
                    let column = columns.get(channel).copied().unwrap_or_default();
                    let cell = excerpt(row.text(column));
                    cut.lose(row.fault(column, &format!("{cell:?} is no number within ±1e20")));
                }
                Err(other) => return Err(anyhow!("{}: {other}", row.place())),
            }
        }
        cut.end_recording();
        if cut.readings == 0 {
            bail!(
                "{}: no window: a reading takes {} rows without a gap, the longest stretch has {} (lower --window)",
                table.name(),
                thousands(cut.needed),
                thousands(cut.longest)
            );
        }
        Ok(false)
    }

    /// How far the file was read.
    pub(crate) fn far(&self) -> &Far {
        self.table.far()
    }

    /// What to call the file in messages.
    pub(crate) fn name(&self) -> &str {
        self.table.name()
    }

    /// What readings are made of.
    pub(crate) fn unit(&self) -> &'static str {
        if self.cut.is_some() { "windows" } else { "rows" }
    }

    /// Names of the inputs.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of the reading's row, or of the first row of its window.
    pub(crate) fn number(&self) -> u64 {
        self.first().map_or_else(|| self.table.row().number, |first| first.number)
    }

    /// The line that this row stands on.
    pub(crate) fn line(&self) -> u64 {
        self.first().map_or_else(|| self.table.row().line(), |first| first.line)
    }

    pub(crate) fn label(&self) -> &str {
        match &self.cut {
            Some(cut) => cut.label(),
            None => self.text(self.label),
        }
    }

    pub(crate) fn recording(&self) -> &str {
        self.text(self.by)
    }

    pub(crate) fn time(&self) -> &str {
        self.first().map_or_else(|| self.text(self.time), |first| &first.time)
    }

    /// The names of the columns that are repeated.
    pub(crate) fn with_names(&self) -> Vec<String> {
        self.table.names(&self.with)
    }

    /// The cells of these columns.
    pub(crate) fn with(&self) -> Vec<&str> {
        match self.first() {
            Some(first) => first.with.iter().map(String::as_str).collect(),
            None => self.with.iter().map(|&column| self.table.text(column)).collect(),
        }
    }

    /// Where rows stand in the list that they were chosen by, if they were.
    pub(crate) fn wished_order(&self) -> Option<impl Fn(u64) -> Option<(usize, u64)>> {
        self.cut.is_none().then(|| self.table.wished_order()).flatten()
    }

    /// To be called whenever all readings were given that are here, and more may be long in coming.
    pub(crate) fn before_waiting(&mut self, call: Option<BeforeWaiting>) {
        self.table.before_waiting(call);
    }

    /// Something is wrong with the reading.
    pub(crate) fn misfit(&self, error: Error) -> anyhow::Error {
        self.misfit_of(self.line(), error)
    }

    /// Something is wrong with the reading whose row, or first row, stands on this line.
    pub(crate) fn misfit_of(&self, line: u64, error: Error) -> anyhow::Error {
        if self.cut.is_none() {
            return self.table.misfit(line, &self.columns, error);
        }
        let place = format!("{}:{line}", self.table.name());
        match error {
            Error::Query(Fault::NotFinite { input } | Fault::ScaleOverflow { input }) => {
                let name = self.names.get(input).map(|name| excerpt(name)).unwrap_or_default();
                anyhow!("{place}: {TOO_LARGE} (input {name} of the window that begins here)")
            }
            Error::Query(fault) => anyhow!("{place}: {fault}"),
            other => anyhow!("{place}: {other}"),
        }
    }

    /// What was left out, once all is read.
    pub(crate) fn omissions(&self) -> Vec<String> {
        let is_any = self.care.missing == Missing::Impute;
        let which = if is_any { "without any" } else { "with missing" };
        let rows = (self.left_out > 0)
            .then(|| format!("{} {which} inputs left out", count(self.left_out, "row")));
        let lines = self.garbled.in_words();
        rows.into_iter().chain(lines).chain(self.cut.iter().flat_map(Cut::omissions)).collect()
    }

    /// What a model should not learn from raw samples unawares.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.cut.as_ref().map_or_else(Vec::new, |cut| cut.stream.warnings())
    }

    fn text(&self, column: Option<usize>) -> &str {
        column.map_or("", |column| self.table.text(column))
    }

    /// The first row of the window.
    fn first(&self) -> Option<&Kept> {
        self.cut.as_ref()?.kept.front()
    }
}

/// Where the inputs of a model are whose rows are readings.
fn columns_of_readings(table: &Table, inputs: &[String]) -> Result<Vec<usize>> {
    let found = table.columns(inputs).or_else(|error| table.nameless(inputs.len()).ok_or(error));
    found.map_err(|error| {
        // A feature is behind the last `_`, or in front of the number of a band.
        let made = |name: &String| {
            let mut ends = name.match_indices('_').map(|(at, _)| &name[..at]);
            ends.any(|channel| table.has_column(channel))
        };
        match inputs.iter().all(made) {
            true => anyhow!(
                "{error}: the model takes features, not raw samples (`mercer features` makes them, or fit one with --window)"
            ),
            false => error,
        }
    })
}

/// Where the channels of a model's front end are.
fn columns_of_samples(table: &Table, front: &Front, inputs: &[String]) -> Result<Vec<usize>> {
    let channels = &front.channels;
    let found =
        table.columns(channels).or_else(|error| table.nameless(channels.len()).ok_or(error));
    found.map_err(|error| match inputs.iter().all(|name| table.has_column(name)) {
        true => anyhow!("{error}: the model takes raw samples, not features of them"),
        false => error,
    })
}

/// A row of the window.
struct Kept {
    number: u64,
    order: u64,
    line: u64,
    label: String,
    time: String,
    with: Vec<String>,
}

/// Windows that are cut from rows.
struct Cut<'f> {
    stream: Stream<'f>,
    window: usize,
    /// Rows that it takes to a reading.
    needed: usize,
    normal: NormalLabels,
    /// The last rows, as many as a window has.
    kept: VecDeque<Kept>,
    /// Of the readings, each so-many-th is given.
    every: u64,
    /// All readings, and those of this recording.
    readings: u64,
    of_recording: u64,
    recording: Option<String>,
    /// Rows without a gap: the present ones, and the most so far.
    stretch: usize,
    longest: usize,
    /// Recordings without a reading.
    short: Vec<String>,
    /// Rows that cannot be used, and what is wrong with the first ones.
    lost: usize,
    first_lost: Vec<String>,
}

/// Unusable rows that are named one by one.
const MOST_NAMED: usize = 3;

impl<'f> Cut<'f> {
    fn new(front: &Front, stream: Stream<'f>, normal: NormalLabels, every: u64) -> Self {
        Self {
            stream,
            window: front.window,
            needed: front.rows_to_first(),
            normal,
            kept: VecDeque::new(),
            every: every.max(1),
            readings: 0,
            of_recording: 0,
            recording: None,
            stretch: 0,
            longest: 0,
            short: Vec::new(),
            lost: 0,
            first_lost: Vec::new(),
        }
    }

    /// Takes a row; returns a reading if there is one to be given.
    fn take(&mut self, row: Kept, by: &str, sample: &[f32]) -> Result<Option<&[f32]>, Error> {
        if self.recording.as_deref() != Some(by) {
            self.end_recording();
            self.recording = Some(by.into());
            self.gap();
        }
        // Rows that are left out on purpose are a gap, too.
        if self.kept.back().is_some_and(|last| last.order + 1 != row.order) {
            self.gap();
        }
        if self.kept.len() == self.window {
            self.kept.pop_front();
        }
        self.kept.push_back(row);
        self.stretch += 1;
        let reading = match self.stream.push(sample) {
            Ok(reading) => reading,
            Err(error) => {
                self.stretch -= 1;
                (self.longest, self.stretch) = (self.longest.max(self.stretch), 0);
                self.kept.clear();
                return Err(error);
            }
        };
        let Some(reading) = reading else { return Ok(None) };
        self.readings += 1;
        self.of_recording += 1;
        Ok((self.readings - 1).is_multiple_of(self.every).then_some(reading))
    }

    fn gap(&mut self) {
        (self.longest, self.stretch) = (self.longest.max(self.stretch), 0);
        self.kept.clear();
        self.stream.gap();
    }

    fn end_recording(&mut self) {
        self.longest = self.longest.max(self.stretch);
        let ended = self.recording.take().filter(|_| self.of_recording == 0);
        self.short.extend(ended);
        self.of_recording = 0;
    }

    fn lose(&mut self, why: anyhow::Error) {
        self.lost += 1;
        if self.first_lost.len() < MOST_NAMED {
            self.first_lost.push(why.to_string());
        }
    }

    fn label(&self) -> &str {
        let odd = self.kept.iter().find(|row| !self.normal.is_normal(&row.label));
        odd.or(self.kept.front()).map_or("", |row| &row.label)
    }

    fn omissions(&self) -> Vec<String> {
        let mut all = Vec::new();
        if self.lost > 0 {
            let more = if self.lost > self.first_lost.len() { ", …" } else { "" };
            all.push(format!(
                "{} without a number in each channel, after which windows start afresh: {}{more}",
                count(self.lost, "row"),
                self.first_lost.join(", ")
            ));
        }
        if !self.short.is_empty() {
            all.push(format!(
                "{} left out, without the {} rows that a reading takes: {}",
                count(self.short.len(), "recording"),
                thousands(self.needed),
                list(&self.short)
            ));
        }
        all
    }
}
