//! Rows of a CSV file, one at a time: chosen, counted, and with every fault named by file, line and column.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use csv::{ErrorKind, ReaderBuilder, StringRecord};
use mercer::Error;
use mercer::error::Fault;

use crate::bounded::{MOST_ROW_NUMBERS, read_text};
use crate::lines::{Lines, LongRow};
use crate::missing::says_nothing;
use crate::model::LONGEST_NAME;
use crate::text::{excerpt, list, thousands};
use crate::{Number, escape, port};

/// Where rows come from.
#[derive(Args, Clone, Debug)]
pub(crate) struct Source {
    /// CSV file with a line of column names; `-` for standard input
    #[arg(value_name = "DATA.csv")]
    pub data: PathBuf,
    /// What stands between two cells
    #[arg(long, value_name = "CHAR", default_value = ",", value_parser = delimiter)]
    pub delimiter: u8,
    /// The first line is data too; columns are then called x0, x1, …
    #[arg(long)]
    pub no_header: bool,
    /// It is a serial port, with so many bits a second.
    #[arg(skip)]
    pub baud: Option<u32>,
}

impl Source {
    /// Is it standard input, whose rows are to be answered one by one?
    pub(crate) fn is_stream(&self) -> bool {
        self.data.as_os_str() == "-"
    }

    /// What to call it in messages.
    pub(crate) fn name(&self) -> String {
        if self.is_stream() { "standard input".into() } else { self.data.display().to_string() }
    }

    /// All files that rows come from or are chosen by.
    pub(crate) fn files<'a>(&'a self, choice: &'a RowChoice) -> impl Iterator<Item = &'a Path> {
        let data = if self.is_stream() { Path::new("/dev/stdin") } else { &self.data };
        let lists = [&choice.rows, &choice.skip_rows];
        std::iter::once(data).chain(lists.into_iter().filter_map(Option::as_deref))
    }
}

/// Which rows are taken. They are counted from 0, the header not among them.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct RowChoice {
    /// Only rows with this cell; repeat it for another column (both must hold) or another value (either may)
    #[arg(long = "where", value_name = "COLUMN=VALUE", value_parser = condition)]
    pub conditions: Vec<(String, String)>,
    /// Only the rows whose numbers are in this file, separated by white space or commas; `fit` takes them in that order. No window of raw samples spans a row that is left out, by this or otherwise
    #[arg(long, value_name = "FILE")]
    pub rows: Option<PathBuf>,
    /// Not the rows whose numbers are in this file
    #[arg(long, value_name = "FILE")]
    pub skip_rows: Option<PathBuf>,
    /// Of the rows that are left, only each K-th; of raw samples, each K-th window
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub every: u64,
}

impl RowChoice {
    /// The same for raw samples, of which a window has all: `every` is of windows then.
    pub(crate) fn of_samples(&self) -> Self {
        Self { every: 1, ..self.clone() }
    }
}

/// Which columns are inputs.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ColumnChoice {
    /// Inputs, in this order [default: all columns but those of --drop and --where]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// Columns that are no inputs
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub drop: Vec<String>,
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"\\t" | b"tab" => Ok(b'\t'),
        &[byte] if !b"\"\r\n".contains(&byte) => Ok(byte),
        _ => Err("one character, or `tab`".into()),
    }
}

fn condition(text: &str) -> Result<(String, String), String> {
    let (column, value) = text.split_once('=').ok_or("has the form COLUMN=VALUE")?;
    Ok((column.trim().into(), value.trim().into()))
}

/// Columns of a file; each takes some hundred bytes of memory.
const MOST_COLUMNS: usize = 200_000;

/// A CSV file that is read row by row.
pub(crate) struct Table {
    name: String,
    reader: csv::Reader<Lines<Box<dyn Read>>>,
    header: Vec<String>,
    positions: Positions,
    record: StringRecord,
    next_row: u64,
    filter: Filter,
    /// Nobody has named the inputs, so there may be columns that are none.
    inputs_implied: bool,
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
    rows: Option<HashMap<u64, usize>>,
    skip_rows: HashMap<u64, usize>,
    every: u64,
    passed: u64,
}

/// One row of a [`Table`].
pub(crate) struct Row<'a> {
    /// Its number, counted from 0.
    pub number: u64,
    table: &'a Table,
}

impl Table {
    /// Opens the file and reads its header.
    pub(crate) fn open(source: &Source, choice: &RowChoice) -> Result<Self> {
        let name = source.name();
        let input: Box<dyn Read> = match source.baud {
            Some(baud) => port::open(&source.data, baud, !source.no_header)?,
            None if source.is_stream() => Box::new(io::stdin()),
            None => Box::new(File::open(&source.data).with_context(|| name.clone())?),
        };
        let mut reader = ReaderBuilder::new()
            .delimiter(source.delimiter)
            .has_headers(!source.no_header)
            .from_reader(Lines::new(input));
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
            ensure!(
                header.iter().any(|cell| cell.parse::<f64>().is_err()),
                "{name}:1: only numbers where the names of the columns should be (if there is no such line: --no-header)"
            );
            if let [only] = header.as_slice()
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
        }
        let mut table = Self {
            name,
            reader,
            positions: positions(&header),
            header,
            record: StringRecord::new(),
            next_row: 0,
            filter: Filter::none(),
            inputs_implied: false,
        };
        table.filter = Filter::new(&table, choice)?;
        Ok(table)
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

    /// Where rows stand in the file of --rows, if there is one.
    pub(crate) fn wished_order(&self) -> Option<impl Fn(u64) -> Option<usize>> {
        let order = self.filter.rows.as_ref()?;
        Some(|row| order.get(&row).copied())
    }

    /// The row that was read last.
    pub(crate) fn row(&self) -> Row<'_> {
        Row { number: self.next_row.saturating_sub(1), table: self }
    }

    /// The text of one of its cells.
    pub(crate) fn text(&self, column: usize) -> &str {
        self.record.get(column).unwrap_or_default().trim()
    }

    /// The positions of some columns.
    pub(crate) fn columns(&self, names: &[String]) -> Result<Vec<usize>> {
        names.iter().map(|name| self.column(name)).collect()
    }

    /// The positions of the inputs.
    pub(crate) fn inputs(&mut self, choice: &ColumnChoice) -> Result<Vec<usize>> {
        if !choice.columns.is_empty() {
            ensure!(choice.drop.is_empty(), "--columns and --drop exclude each other");
            let mut known = HashSet::new();
            for name in &choice.columns {
                ensure!(known.insert(name), "--columns names {} twice", excerpt(name));
            }
            return self.columns(&choice.columns);
        }
        let mut left_out: HashSet<usize> = self.columns(&choice.drop)?.into_iter().collect();
        left_out.extend(self.filter.conditions.iter().map(|(column, _)| *column));
        let inputs: Vec<usize> = (0..self.header.len()).filter(|c| !left_out.contains(c)).collect();
        for &input in &inputs {
            self.column(&self.header[input])?;
        }
        ensure!(!inputs.is_empty(), "{}:1: no column is left as an input", self.name);
        self.inputs_implied = true;
        Ok(inputs)
    }

    /// The next row that is wanted; none at the end of the file.
    pub(crate) fn next_row(&mut self) -> Result<Option<Row<'_>>> {
        loop {
            let byte = self.reader.position().byte();
            self.reader.get_mut().begin_row(byte);
            match self.reader.read_record(&mut self.record) {
                Ok(true) => {}
                Ok(false) => {
                    self.require_rows()?;
                    return Ok(None);
                }
                Err(error) => {
                    let lines = self.reader.get_ref();
                    return Err(csv_error(&self.name, lines, &self.header, error));
                }
            }
            let number = self.next_row;
            self.next_row += 1;
            if self.filter.takes(number, &self.record) {
                return Ok(Some(Row { number, table: self }));
            }
        }
    }

    /// At the end: there were rows, and all that were asked for by number.
    fn require_rows(&self) -> Result<()> {
        let (name, all) = (&self.name, self.next_row);
        let rows = self.filter.rows.iter().flat_map(HashMap::keys);
        if let Some(beyond) = rows.filter(|&&row| row >= all).min() {
            bail!("{name}: there is no row {beyond}, only {all} rows");
        }
        ensure!(all > 0, "{name}: no rows below the header");
        ensure!(self.filter.passed > 0, "{name}: none of its {all} rows was chosen");
        Ok(())
    }
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
        match text.parse::<T>() {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) if text.parse().is_ok_and(f64::is_finite) => {
                Err(self.fault(column, &format!("{} is too large for {}", shown(), T::NAMES[0])))
            }
            Ok(_) => Err(self.fault(column, &format!("{} is not a finite number", shown()))),
            Err(_) if text.is_empty() => Err(self.fault(column, "the cell is empty")),
            Err(_) => Err(self.fault(column, &format!("{:?} is not a number", shown()))),
        }
    }

    /// The line it stands on.
    pub(crate) fn line(&self) -> u64 {
        line_of(self.table.reader.get_ref(), self.table.record.position())
    }

    /// File and line, e.g. `data.csv:17`.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.table.name, self.line())
    }

    /// Something is wrong with the row as a reading, whose inputs are in these columns.
    pub(crate) fn misfit(&self, columns: &[usize], error: Error) -> anyhow::Error {
        match error {
            Error::Query(Fault::NotFinite { input } | Fault::ScaleOverflow { input }) => {
                self.fault(columns.get(input).copied().unwrap_or_default(), TOO_LARGE)
            }
            Error::Query(fault) => anyhow!("{}: {fault}", self.place()),
            other => anyhow!("{}: {other}", self.place()),
        }
    }

    /// Something is wrong with a cell.
    pub(crate) fn fault(&self, column: usize, what: &str) -> anyhow::Error {
        let name = self.table.header.get(column).map_or("", String::as_str);
        let hint = match self.table.inputs_implied && !name.is_empty() {
            true => format!("; if it is no input: --drop {}", escape::shell(name)),
            false => String::new(),
        };
        anyhow!("{}:{}: {what} (column {}{hint})", self.place(), column + 1, excerpt(name))
    }
}

fn line_of(lines: &Lines<Box<dyn Read>>, position: Option<&csv::Position>) -> u64 {
    lines.line_from(position.map_or(0, csv::Position::byte))
}

/// What the parser says, in our words.
fn csv_error(
    name: &str,
    lines: &Lines<Box<dyn Read>>,
    header: &[String],
    error: csv::Error,
) -> anyhow::Error {
    let line = line_of(lines, error.position());
    match error.kind() {
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            let (expected, found) = (*expected_len, *len);
            let column = expected.min(found) + 1;
            let missing = header.get(found as usize);
            let missing =
                missing.map_or(String::new(), |name| format!(", {} is missing", excerpt(name)));
            anyhow!("{name}:{line}:{column}: {found} cells instead of {expected}{missing}")
        }
        ErrorKind::Utf8 { err, .. } => {
            anyhow!("{name}:{line}:{}: a cell that is not UTF-8 text", err.field() + 1)
        }
        ErrorKind::Io(cause) => match cause.get_ref().and_then(|cause| cause.downcast_ref()) {
            Some(long @ LongRow { line }) => anyhow!("{name}:{line}: {long}"),
            None => anyhow::Error::from(error).context(name.to_string()),
        },
        _ => anyhow!("{name}:{line}: {error}"),
    }
}

impl Filter {
    fn none() -> Self {
        let (conditions, skip_rows) = (Vec::new(), HashMap::new());
        Self { conditions, rows: None, skip_rows, every: 1, passed: 0 }
    }

    fn new(table: &Table, choice: &RowChoice) -> Result<Self> {
        let mut conditions: Vec<(usize, Vec<String>)> = Vec::new();
        for (name, value) in &choice.conditions {
            let column = table.column(name).context("--where")?;
            match conditions.iter_mut().find(|(known, _)| *known == column) {
                Some((_, values)) => values.push(value.clone()),
                None => conditions.push((column, vec![value.clone()])),
            }
        }
        let rows = choice.rows.as_deref().map(row_numbers).transpose()?;
        let skip_rows = choice.skip_rows.as_deref().map(row_numbers).transpose()?;
        Ok(Self {
            conditions,
            rows,
            skip_rows: skip_rows.unwrap_or_default(),
            every: choice.every.max(1),
            passed: 0,
        })
    }

    fn takes(&mut self, number: u64, record: &StringRecord) -> bool {
        let holds = |(column, values): &(usize, Vec<String>)| {
            let cell = record.get(*column).unwrap_or_default().trim();
            values.iter().any(|value| is_same(cell, value))
        };
        let wanted = self.rows.as_ref().is_none_or(|rows| rows.contains_key(&number))
            && !self.skip_rows.contains_key(&number)
            && self.conditions.iter().all(holds);
        if wanted {
            self.passed += 1;
        }
        wanted && (self.passed - 1).is_multiple_of(self.every)
    }
}

/// Is it short enough for a name? Whatever is in it, [`escape`] takes care of.
fn is_name(cell: &str) -> bool {
    cell.chars().nth(LONGEST_NAME).is_none()
}

/// Equal as text or as numbers.
fn is_same(cell: &str, value: &str) -> bool {
    cell == value || matches!((cell.parse::<f64>(), value.parse::<f64>()), (Ok(a), Ok(b)) if a == b)
}

/// The numbers in a file, each with its position there.
fn row_numbers(path: &Path) -> Result<HashMap<u64, usize>> {
    let name = path.display();
    let text = read_text(path, MOST_ROW_NUMBERS)?;
    let mut numbers = HashMap::new();
    for (line, row) in text.lines().enumerate() {
        for word in row.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty()) {
            let place = format!("{name}:{}", line + 1);
            let number = word
                .parse()
                .map_err(|_| anyhow!("{place}: {:?} is not a row number", excerpt(word)))?;
            let position = numbers.len();
            ensure!(numbers.insert(number, position).is_none(), "{place}: row {number} again");
        }
    }
    ensure!(!numbers.is_empty(), "{name}: no row numbers");
    Ok(numbers)
}

/// What is wrong with a number that was finite in the file.
pub(crate) const TOO_LARGE: &str = "the value is too large to be scaled";
