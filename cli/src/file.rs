//! The file of a model, `M.mercer`: JSON with every number as written by the shortest text that reads back as the same number,
//! and the checksum of the bytes that a device would read.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail, ensure};
use mercer::detect::{Thresholds, Watch};
use mercer::kpca::ExpansionHeader;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::ser::Formatter;

use crate::grid::Grid;
use crate::memory::Weights;
use crate::model::{AnyModel, Model, Training, watch_name, with_model};
use crate::whole::write_whole;
use crate::{KernelSpec, Number, Precision};

/// What every model file calls itself.
const FORMAT: &str = "mercer-model";
/// The version that is written, and the only one so far that is read.
const VERSION: u32 = 1;

/// The file, field by field.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record<T> {
    format: String,
    version: u32,
    precision: Precision,
    columns: Vec<String>,
    kernel: KernelSpec<T>,
    mean: Vec<T>,
    deviation: Vec<T>,
    points: Vec<Vec<T>>,
    weights: Vec<Vec<T>>,
    centre: Vec<T>,
    offsets: Vec<T>,
    variances: Vec<T>,
    centre_norm: T,
    total_variance: T,
    indefinite: bool,
    threshold_spe: T,
    threshold_t2: T,
    watch: String,
    training: Training,
    checksum: String,
}

/// Reads a model.
pub(crate) fn read(path: &Path) -> Result<AnyModel> {
    let name = path.display();
    let text = fs::read_to_string(path).with_context(|| name.to_string())?;
    parse(&text).map_err(|error| anyhow!("{name}: {error:#}"))
}

fn parse(text: &str) -> Result<AnyModel> {
    let value: Value = serde_json::from_str(text).map_err(|_| anyhow!("not a model of mercer"))?;
    ensure!(value["format"] == FORMAT, "not a model of mercer");
    ensure!(
        value["version"] == VERSION,
        "a model of format version {}, only {VERSION} can be read",
        value["version"]
    );
    match value["precision"].as_str() {
        Some("f32") => Ok(AnyModel::F32(from_record(serde_json::from_str(text)?)?)),
        Some("f64") => Ok(AnyModel::F64(from_record(serde_json::from_str(text)?)?)),
        _ => bail!("unknown precision {}", value["precision"]),
    }
}

/// Writes a model, all of it or nothing.
pub(crate) fn write(path: &Path, model: &AnyModel) -> Result<()> {
    // What could not be read back is not written.
    with_model!(model, model => model.validate())
        .map_err(|error| anyhow!("{}: {error}", path.display()))?;
    let mut text = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut text, FieldALine::default());
    with_model!(model, model => to_record(model)?.serialize(&mut serializer)?);
    text.push(b'\n');
    write_whole(path, &text)
}

/// JSON with a line for each field of an object, and an array on one line.
#[derive(Default)]
struct FieldALine {
    depth: usize,
}

impl Formatter for FieldALine {
    fn begin_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        out.write_all(b"{")
    }
    fn begin_object_key<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        let indent = 2 * self.depth;
        write!(out, "{}\n{:indent$}", if first { "" } else { "," }, "")
    }
    fn begin_object_value<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
    fn end_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth -= 1;
        let indent = 2 * self.depth;
        write!(out, "\n{:indent$}}}", "")
    }
}

fn to_record<T: Number>(model: &Model<T>) -> Result<Record<T>> {
    let rows = |grid: &Grid<T>| grid.iter_rows().map(<[T]>::to_vec).collect();
    let header = &model.weights.header;
    Ok(Record {
        format: FORMAT.into(),
        version: VERSION,
        precision: T::PRECISION,
        columns: model.columns.clone(),
        kernel: model.kernel,
        mean: model.mean.clone(),
        deviation: model.deviation.clone(),
        points: rows(&model.points),
        weights: rows(&model.weights.weights),
        centre: model.weights.centre.clone(),
        offsets: model.weights.offsets.clone(),
        variances: model.weights.variances.clone(),
        centre_norm: header.centre_norm,
        total_variance: header.total_variance,
        indefinite: header.indefinite,
        threshold_spe: model.thresholds.spe,
        threshold_t2: model.thresholds.t2,
        watch: watch_name(model.thresholds.watch).into(),
        training: model.training.clone(),
        checksum: format!("{:08x}", model.checksum()?),
    })
}

fn from_record<T: Number>(record: Record<T>) -> Result<Model<T>> {
    let inputs = record.columns.len();
    let components = record.variances.len();
    let watch = [Watch::Spe, Watch::T2, Watch::Both];
    let watch = watch.into_iter().find(|&watch| watch_name(watch) == record.watch);
    let model = Model {
        kernel: record.kernel,
        points: grid("points", inputs, &record.points)?,
        weights: Weights {
            header: ExpansionHeader::new(
                u32::try_from(record.points.len())?,
                u32::try_from(components)?,
                record.centre_norm,
                record.total_variance,
                record.indefinite,
            ),
            weights: grid("weights", components, &record.weights)?,
            centre: record.centre,
            offsets: record.offsets,
            variances: record.variances,
        },
        columns: record.columns,
        mean: record.mean,
        deviation: record.deviation,
        thresholds: Thresholds::new(
            record.threshold_spe,
            record.threshold_t2,
            watch.with_context(|| format!("unknown watch \"{}\"", record.watch))?,
        ),
        training: record.training,
    };
    ensure!(inputs > 0 && components > 0 && model.points.rows() > 0, "a model of nothing");
    model.validate()?;
    let checksum = format!("{:08x}", model.checksum()?);
    ensure!(checksum == record.checksum, "altered: its numbers do not match its checksum");
    Ok(model)
}

fn grid<T: Number>(what: &str, columns: usize, rows: &[Vec<T>]) -> Result<Grid<T>> {
    let mut grid = Grid::new(columns);
    for row in rows {
        ensure!(row.len() == columns, "{what}: a row of {} numbers, not {columns}", row.len());
        grid.push(row);
    }
    Ok(grid)
}
