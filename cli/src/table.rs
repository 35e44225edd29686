//! Rows of a CSV file, one at a time: chosen, counted, and with every fault named by file, line and
//! column.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::Read;

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use csv::{ErrorKind, ReaderBuilder, StringRecord};
use mercer::Error;
use mercer::error::Fault;

use crate::decimals::{Decimals, NoNumber};
use crate::lines::{BeforeWaiting, Lines};
use crate::missing::says_nothing;
use crate::model::LONGEST_NAME;
use crate::names::names;
use crate::rows::RowSet;
pub(crate) use crate::rows::{Each, RowChoice};
use crate::source::Far;
pub(crate) use crate::source::Source;
use crate::survey::{self, Column, Kind};
use crate::text::{excerpt, list, note, thousands};
use crate::unreadable::{csv_error, line_of};
use crate::{Number, escape};

/// Which columns are inputs.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ColumnChoice {
    /// Inputs, in this order; a name with a comma stands in double quotes, or in an option of its
    /// own [default: all columns but those of --drop, --label, --by and --where, and
    /// those that are no sensors by their names and first cells: clocks and counters, texts,
    /// labels, ids]
    #[arg(long, value_name = "NAME,…")]
    pub columns: Vec<String>,
    /// Columns that are no inputs
    #[arg(long, value_name = "NAME,…")]
    pub drop: Vec<String>,
    /// Columns that are inputs, although they look like a clock, a counter, a label or an id
    #[arg(long, value_name = "NAME,…", conflicts_with = "columns")]
    pub keep: Vec<String>,
}

/// Columns of a file; each takes some hundred bytes of memory.
const MOST_COLUMNS: usize = 200_000;

/// Rows, and cells, that are looked at to tell which columns are inputs.
const MOST_AHEAD: usize = 4096;
const MOST_CELLS_AHEAD: usize = 1 << 20;

/// As many as a pipe holds.
const BYTES_AT_A_TIME: usize = 64 << 10;

type Reader = csv::Reader<Lines<Box<dyn Read + Send>>>;

/// A CSV file that is read row by row.
pub(crate) struct Table {
    name: String,
    reader: Reader,
    header: Vec<String>,
    has_header: bool,
    has_quotes: bool,
    far: Far,
    positions: Positions,
    decimals: Decimals,
    /// The row that was read last.
    current: Record,
    /// Rows that were read already, to be given first.
    ahead: VecDeque<Item>,
    most_ahead: usize,
    next_row: u64,
    /// The only rows that there are: those with this text in this column.
    each: Option<(usize, String)>,
    next_order: u64,
    filter: Filter,
    /// Nobody has named the inputs, so there may be columns that are none.
    inputs_implied: bool,
}

/// The cells of a row.
#[derive(Debug, Default)]
struct Record {
    cells: StringRecord,
    /// Its number, counted from 0.
    number: u64,
    /// Its place in the order of rows, of which neighbours follow each other in time.
    order: u64,
    line: u64,
}

/// What was read of a file.
enum Item {
    Row(Record),
    /// A line that is no row, and why.
    Garbled(anyhow::Error),
}

/// What came next.
pub(crate) enum Step {
    Row,
    /// A line that is no row, and why.
    Garbled(anyhow::Error),
    End,
}

/// Where each column is, by its name; none if several have that name.
type Positions = HashMap<String, Option<usize>>;

fn positions(header: &[String]) -> Positions {
    let mut positions = Positions::new();
    for (position, name) in header.iter().enumerate() {
        let known = positions.contains_key(name);
        positions.insert(name.clone(), (!known).then_some(position));
    }
    positions
}

/// What is left of a [`RowChoice`] once the header is known.
struct Filter {
    /// For each column: the cells that are wanted.
    conditions: Vec<(usize, Vec<String>)>,
    rows: Option<RowSet>,
    skip_rows: Option<RowSet>,
    every: u64,
    passed: u64,
}

/// One row of a [`Table`].
pub(crate) struct Row<'a> {
    /// Its number, counted from 0.
    pub number: u64,
    /// One more than that of the row before it, if no row between them is missing.
    pub order: u64,
    table: &'a Table,
}

impl Table {
    /// Opens the file and reads its header.
    pub(crate) fn open(source: &Source, choice: &RowChoice) -> Result<Self> {
        let name = source.name();
        let opened = source.open()?;
        let mut reader = ReaderBuilder::new()
            .delimiter(opened.delimiter)
            .quoting(opened.has_quotes)
            .has_headers(!source.no_header)
            .buffer_capacity(BYTES_AT_A_TIME)
            .from_reader(Lines::new(opened.input));
        let first = match reader.headers() {
            Ok(first) => first.clone(),
            Err(error) => return Err(csv_error(&name, reader.get_ref(), &[], error)),
        };
        ensure!(!first.is_empty(), "{name}: the file is empty");
        ensure!(
            first.len() <= MOST_COLUMNS,
            "{name}:1: {} columns, at most {} are read (is the delimiter right?)",
            thousands(first.len()),
            thousands(MOST_COLUMNS)
        );
        let header: Vec<String> = match source.no_header {
            true => (0..first.len()).map(|i| format!("x{i}")).collect(),
            false => first.iter().map(|cell| cell.trim().to_string()).collect(),
        };
        if !source.no_header {
            require_names(&name, &header)?;
        }
        let mut table = Self {
            name,
            reader,
            positions: positions(&header),
            header,
            has_header: !source.no_header,
            has_quotes: opened.has_quotes,
            far: opened.far,
            decimals: Decimals::new(source.decimal, opened.delimiter),
            current: Record::default(),
            ahead: VecDeque::new(),
            most_ahead: MOST_AHEAD,
            next_row: 0,
            each: None,
            next_order: 0,
            filter: Filter::none(),
            inputs_implied: false,
        };
        table.filter = Filter::new(&table, choice)?;
        if let Some(Each { column, value }) = &choice.each {
            table.each = Some((table.column(column)?, value.clone()));
        }
        Ok(table)
    }

    /// How far the file was read.
    pub(crate) fn far(&self) -> &Far {
        &self.far
    }

    /// Looks at no more than so many rows before it gives the first.
    pub(crate) fn look_ahead(&mut self, rows: usize) {
        self.most_ahead = rows;
    }

    /// To be called whenever all rows were given that are here, and more may be long in coming.
    pub(crate) fn before_waiting(&mut self, call: Option<BeforeWaiting>) {
        self.reader.get_mut().before_waiting(call);
    }

    /// What to call it in messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The position of a column.
    pub(crate) fn column(&self, name: &str) -> Result<usize> {
        match self.positions.get(name) {
            Some(Some(position)) => Ok(*position),
            Some(None) => bail!("{}:1: two columns are called \"{}\"", self.name, excerpt(name)),
            None => bail!(
                "{}:1: there is no column \"{}\" among {}",
                self.name,
                excerpt(name),
                list(&self.header)
            ),
        }
    }

    /// Is there a column of this name?
    pub(crate) fn has_column(&self, name: &str) -> bool {
        self.positions.contains_key(name)
    }

    /// The names of some columns.
    pub(crate) fn names(&self, columns: &[usize]) -> Vec<String> {
        columns.iter().map(|&column| self.header[column].clone()).collect()
    }

    /// Where rows stand in the list of --rows, if there is one.
    pub(crate) fn wished_order(&self) -> Option<impl Fn(u64) -> Option<(usize, u64)>> {
        let order = self.filter.rows.as_ref()?;
        Some(|row| order.position(row))
    }

    /// The row that was read last.
    pub(crate) fn row(&self) -> Row<'_> {
        Row { number: self.current.number, order: self.current.order, table: self }
    }

    /// The text of one of its cells.
    pub(crate) fn text(&self, column: usize) -> &str {
        self.cell(&self.current, column)
    }

    fn cell<'a>(&self, record: &'a Record, column: usize) -> &'a str {
        let cell = record.cells.get(column).unwrap_or_default().trim();
        let inner = || cell.strip_prefix('"')?.strip_suffix('"');
        if self.has_quotes { cell } else { inner().unwrap_or(cell) }
    }

    /// The positions of columns by lists of their names.
    pub(crate) fn listed(&self, lists: &[String]) -> Result<Vec<usize>> {
        self.columns(&names(lists, |name| self.has_column(name)))
    }

    /// The columns of a file without a header, if there are so many of them.
    pub(crate) fn nameless(&self, columns: usize) -> Option<Vec<usize>> {
        (!self.has_header && self.header.len() == columns).then(|| (0..columns).collect())
    }

    /// The positions of some columns.
    pub(crate) fn columns(&self, names: &[String]) -> Result<Vec<usize>> {
        names.iter().map(|name| self.column(name)).collect()
    }

    /// The positions of the inputs. What is left out unasked is said.
    pub(crate) fn inputs(&mut self, choice: &ColumnChoice) -> Result<Vec<usize>> {
        if !choice.columns.is_empty() {
            ensure!(choice.drop.is_empty(), "--columns and --drop exclude each other");
            let inputs = self.listed(&choice.columns)?;
            let mut known = HashSet::new();
            for &input in &inputs {
                let name = excerpt(&self.header[input]);
                ensure!(known.insert(input), "--columns names {name} twice");
            }
            return Ok(inputs);
        }
        let kept: HashSet<usize> = self.listed(&choice.keep)?.into_iter().collect();
        let mut left_out: HashSet<usize> = self.listed(&choice.drop)?.into_iter().collect();
        if let Some(&both) = kept.intersection(&left_out).min() {
            bail!("--keep and another option both name {}", excerpt(&self.header[both]));
        }
        left_out.extend(self.filter.conditions.iter().map(|(column, _)| *column));
        left_out.retain(|column| !kept.contains(column));
        let mut inputs: Vec<usize> =
            (0..self.header.len()).filter(|c| !left_out.contains(c)).collect();
        for &input in &inputs {
            self.column(&self.header[input])?;
        }
        let kinds = self.kinds(&inputs, &kept)?;
        let mut kinds_left = kinds.iter();
        inputs.retain(|_| !matches!(kinds_left.next(), Some((_, Kind::Other(_)))));
        let notes = survey::in_words(&kinds);
        let why = notes.first().map_or(String::new(), |note| format!(", {note}"));
        ensure!(!inputs.is_empty(), "{}:1: no column is left as an input{why}", self.name);
        notes.iter().for_each(|told| note(told));
        self.inputs_implied = true;
        Ok(inputs)
    }

    /// What some columns are by the rows at the beginning of the file, with their names.
    fn kinds(&mut self, columns: &[usize], kept: &HashSet<usize>) -> Result<Vec<(String, Kind)>> {
        let most = self.most_ahead.min(MOST_CELLS_AHEAD / self.header.len().max(1)).max(1);
        while self.ahead.len() < most
            && let Some(item) = self.read()?
        {
            self.ahead.push_back(item);
        }
        let rows = || {
            self.ahead.iter().filter_map(|item| match item {
                Item::Row(record) => Some(record),
                Item::Garbled(_) => None,
            })
        };
        let kind = |&position: &usize| {
            let name = &self.header[position];
            let mut column = Column::new(name);
            rows().for_each(|row| column.push(self.cell(row, position), &self.decimals));
            let kind = if kept.contains(&position) { Kind::Input } else { column.kind() };
            (name.clone(), kind)
        };
        Ok(columns.iter().map(kind).collect())
    }

    /// The next line of the file; none at its end.
    fn read(&mut self) -> Result<Option<Item>> {
        let mut cells = std::mem::take(&mut self.current.cells);
        loop {
            let item = self.read_line(cells)?;
            let (Some(Item::Row(record)), Some((column, value))) = (&item, &self.each) else {
                self.next_order += 1;
                return Ok(item);
            };
            if self.cell(record, *column) == value {
                self.next_order += 1;
                return Ok(item);
            }
            cells = StringRecord::new();
        }
    }

    fn read_line(&mut self, mut cells: StringRecord) -> Result<Option<Item>> {
        let reader = &mut self.reader;
        let byte = reader.position().byte();
        reader.get_mut().begin_row(byte);
        let number = self.next_row;
        match reader.read_record(&mut cells) {
            Ok(true) => {
                self.next_row += 1;
                let line = line_of(reader.get_ref(), cells.position());
                let order = self.next_order;
                Ok(Some(Item::Row(Record { cells, number, order, line })))
            }
            Ok(false) => Ok(None),
            Err(error) => {
                use ErrorKind::{UnequalLengths, Utf8};
                let is_one_line = matches!(error.kind(), UnequalLengths { .. } | Utf8 { .. });
                let error = csv_error(&self.name, reader.get_ref(), &self.header, error);
                self.next_row += 1;
                if is_one_line { Ok(Some(Item::Garbled(error))) } else { Err(error) }
            }
        }
    }

    /// Goes on to the next row that is wanted, or to a line that is none.
    pub(crate) fn advance(&mut self) -> Result<Step> {
        loop {
            let item = match self.ahead.pop_front() {
                Some(item) => Some(item),
                None => self.read()?,
            };
            match item {
                Some(Item::Row(record)) => {
                    self.current = record;
                    if self.filter.takes(self.current.number, &self.current.cells) {
                        return Ok(Step::Row);
                    }
                }
                Some(Item::Garbled(why)) => return Ok(Step::Garbled(why)),
                None => {
                    self.require_rows()?;
                    return Ok(Step::End);
                }
            }
        }
    }

    /// At the end: there were rows, and all that were asked for by number.
    fn require_rows(&self) -> Result<()> {
        let (name, all) = (&self.name, self.next_row);
        if let Some(beyond) = self.filter.rows.as_ref().and_then(|rows| rows.beyond(all)) {
            bail!("{name}: there is no row {beyond}, only {all} rows");
        }
        ensure!(all > 0, "{name}: no rows below the header");
        ensure!(self.filter.passed > 0, "{name}: none of its {all} rows was chosen");
        Ok(())
    }
}

/// Is the first line one of names?
fn require_names(name: &str, header: &[String]) -> Result<()> {
    ensure!(
        header.iter().any(|cell| cell.parse::<f64>().is_err()),
        "{name}:1: only numbers where the names of the columns should be (if there is no such line: --no-header)"
    );
    if let [only] = header
        && let Some(other) = only.chars().find(|c| ";\t|".contains(*c))
    {
        let other = if other == '\t' { "tab".into() } else { other.to_string() };
        bail!("{name}:1: only one column (try --delimiter '{other}')");
    }
    if let Some(long) = header.iter().position(|cell| !is_name(cell)) {
        bail!(
            "{name}:1:{}: the name of a column has more than {LONGEST_NAME} characters: {:?}",
            long + 1,
            excerpt(&header[long])
        );
    }
    Ok(())
}

impl Row<'_> {
    /// The text of a cell.
    pub(crate) fn text(&self, column: usize) -> &str {
        self.table.text(column)
    }

    /// The numbers in some columns.
    pub(crate) fn numbers<T: Number>(&self, columns: &[usize], out: &mut [T]) -> Result<()> {
        for (place, &column) in out.iter_mut().zip(columns) {
            *place = self.number(column)?;
        }
        Ok(())
    }

    /// The numbers in some columns, NaN where there is [none](says_nothing). Returns how many are
    /// missing.
    pub(crate) fn numbers_if_any<T: Number>(
        &self,
        columns: &[usize],
        out: &mut [T],
    ) -> Result<usize> {
        let mut missing = 0;
        for (place, &column) in out.iter_mut().zip(columns) {
            *place = match says_nothing(self.text(column)) {
                true => T::from_f64(f64::NAN),
                false => self.number(column)?,
            };
            missing += usize::from(!place.is_finite());
        }
        Ok(missing)
    }

    fn number<T: Number>(&self, column: usize) -> Result<T> {
        let text = self.text(column);
        let shown = || excerpt(text);
        let decimals = &self.table.decimals;
        match decimals.parse::<T>(text) {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) if decimals.parse(text).is_ok_and(f64::is_finite) => {
                Err(self.fault(column, &format!("{} is too large for {}", shown(), T::NAMES[0])))
            }
            Ok(_) => Err(self.lack(column, &format!("{} is not a finite number", shown()))),
            Err(_) if text.is_empty() => Err(self.lack(column, "the cell is empty")),
            Err(NoNumber::Word) => {
                Err(self.lack(column, &format!("{:?} is not a number", shown())))
            }
            Err(NoNumber::Mixed) => Err(self.fault(
                column,
                &format!(
                    "{} among numbers with another decimal mark: --decimal says which",
                    shown()
                ),
            )),
        }
    }

    /// The line it stands on.
    pub(crate) fn line(&self) -> u64 {
        self.table.current.line
    }

    /// File and line, e.g. `data.csv:17`.
    pub(crate) fn place(&self) -> String {
        self.table.place(self.line())
    }

    /// Something is wrong with a cell.
    pub(crate) fn fault(&self, column: usize, what: &str) -> anyhow::Error {
        self.table.fault(self.line(), column, what, "")
    }

    /// A cell has no number; where it [says nothing](says_nothing), `--missing` is the remedy.
    fn lack(&self, column: usize, what: &str) -> anyhow::Error {
        let remedy = match says_nothing(self.text(column)) {
            true => "; to leave such rows out: --missing skip",
            false => "",
        };
        self.table.fault(self.line(), column, what, remedy)
    }
}

impl Table {
    fn place(&self, line: u64) -> String {
        format!("{}:{line}", self.name)
    }

    /// Something is wrong with the row on this line as a reading, whose inputs are in these
    /// columns.
    pub(crate) fn misfit(&self, line: u64, columns: &[usize], error: Error) -> anyhow::Error {
        match error {
            Error::Query(Fault::NotFinite { input } | Fault::ScaleOverflow { input }) => {
                self.fault(line, columns.get(input).copied().unwrap_or_default(), TOO_LARGE, "")
            }
            Error::Query(fault) => anyhow!("{}: {fault}", self.place(line)),
            other => anyhow!("{}: {other}", self.place(line)),
        }
    }

    /// Something is wrong with a cell of this line, and there may be a remedy.
    fn fault(&self, line: u64, column: usize, what: &str, remedy: &str) -> anyhow::Error {
        let name = self.header.get(column).map_or("", String::as_str);
        let hint = match self.inputs_implied && !name.is_empty() {
            true => format!("; if it is no input: --drop {}", escape::shell(name)),
            false => String::new(),
        };
        anyhow!(
            "{}:{}: {what} (column {}{hint}{remedy})",
            self.place(line),
            column + 1,
            excerpt(name)
        )
    }
}

impl Filter {
    fn none() -> Self {
        Self { conditions: Vec::new(), rows: None, skip_rows: None, every: 1, passed: 0 }
    }

    fn new(table: &Table, choice: &RowChoice) -> Result<Self> {
        let mut conditions: Vec<(usize, Vec<String>)> = Vec::new();
        for text in &choice.conditions {
            let (column, value) = condition(table, text).context("--where")?;
            match conditions.iter_mut().find(|(known, _)| *known == column) {
                Some((_, values)) => values.push(value),
                None => conditions.push((column, vec![value])),
            }
        }
        Ok(Self {
            conditions,
            rows: choice.rows.as_ref().map(|list| list.read()).transpose()?,
            skip_rows: choice.skip_rows.as_ref().map(|list| list.read()).transpose()?,
            every: choice.every.max(1),
            passed: 0,
        })
    }

    fn takes(&mut self, number: u64, record: &StringRecord) -> bool {
        let holds = |(column, values): &(usize, Vec<String>)| {
            let cell = record.get(*column).unwrap_or_default().trim();
            values.iter().any(|value| is_same(cell, value))
        };
        let has = |rows: &RowSet| rows.position(number).is_some();
        let wanted = self.rows.as_ref().is_none_or(has)
            && !self.skip_rows.as_ref().is_some_and(has)
            && self.conditions.iter().all(holds);
        if wanted {
            self.passed += 1;
        }
        wanted && (self.passed - 1).is_multiple_of(self.every)
    }
}

/// `COLUMN=VALUE`; the name of a column may contain `=`, too.
fn condition(table: &Table, text: &str) -> Result<(usize, String)> {
    let mut splits = text.match_indices('=').map(|(at, _)| (text[..at].trim(), &text[at + 1..]));
    let first = splits.clone().next().unwrap_or((text, ""));
    let (name, value) = splits.find(|(name, _)| table.has_column(name)).unwrap_or(first);
    Ok((table.column(name)?, value.trim().into()))
}

/// Is it short enough for a name? Whatever is in it, [`escape`] takes care of.
fn is_name(cell: &str) -> bool {
    cell.chars().nth(LONGEST_NAME).is_none()
}

/// Equal as text or as numbers.
pub(crate) fn is_same(cell: &str, value: &str) -> bool {
    cell == value || matches!((cell.parse::<f64>(), value.parse::<f64>()), (Ok(a), Ok(b)) if a == b)
}

/// What is wrong with a number that was finite in the file.
pub(crate) const TOO_LARGE: &str = "the value is too large to be scaled";
