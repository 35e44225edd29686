//! The file of a model, `M.mercer`: JSON with every number as written by the shortest text that
//! reads back as the same number. `docs/MODEL_FILE.md` describes it.
//!
//! It may come from a stranger: all of it is checked before any of it is used.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Result, anyhow, ensure};
use crc::{CRC_32_ISO_HDLC, Crc};
use mercer::detect::Threshold;
use mercer::kpca::ExpansionHeader;
use serde::{Deserialize, Serialize};
use serde_json::ser::Formatter;

use crate::bounded::{MOST_JSON, read_text};
use crate::front::Front;
use crate::grid::Grid;
use crate::memory::Weights;
use crate::model::{AnyModel, Model, with_model};
use crate::spread::Spread;
use crate::text::{shorten, warn};
use crate::training::Training;
use crate::whole::write_whole;
use crate::{KernelSpec, Number, Precision, escape};

/// What every model file calls itself.
const FORMAT: &str = "mercer-model";
/// The version that is written, and the only one that is read.
const VERSION: u32 = 5;
/// What stands in the place of the checksum while it is computed.
const NO_CHECKSUM: &str = "00000000";

/// The file, field by field.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record<T> {
    format: String,
    version: u32,
    precision: Precision,
    /// None if rows are readings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    front_end: Option<Front>,
    columns: Vec<String>,
    kernel: KernelSpec<T>,
    mean: Vec<T>,
    deviation: Vec<T>,
    /// None if no input is logarithmic.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    floor: Vec<T>,
    quantiles: Vec<Spread<T>>,
    points: Vec<Vec<T>>,
    weights: Vec<Vec<T>>,
    centre: Vec<T>,
    offsets: Vec<T>,
    variances: Vec<T>,
    centre_norm: T,
    total_variance: T,
    indefinite: bool,
    threshold_spe: T,
    usual_spe: T,
    training: Training,
    /// CRC-32 of the whole file, with [`NO_CHECKSUM`] in this place.
    checksum: String,
}

/// What tells how to read the rest.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
    precision: Precision,
}

/// Reads a model. That learning refused it is said on standard error, whatever it is used for.
pub(crate) fn read(path: &Path) -> Result<AnyModel> {
    let name = path.display();
    let model =
        parse(&read_text(path, MOST_JSON)?).map_err(|error| anyhow!("{name}: {error:#}"))?;
    if let Some(refusal) = with_model!(&model, model => model.training.refusal()) {
        warn(&format!("{name}: {refusal}"));
    }
    Ok(model)
}

fn parse(text: &str) -> Result<AnyModel> {
    let head: Head = serde_json::from_str(text).map_err(|_| anyhow!("not a model of mercer"))?;
    ensure!(head.format == FORMAT, "not a model of mercer");
    ensure!(
        head.version == VERSION,
        "a model of format version {}, only {VERSION} can be read: fit it again",
        head.version
    );
    Ok(match head.precision {
        Precision::F32 => from_text::<f32>(text)?.into(),
        Precision::F64 => from_text::<f64>(text)?.into(),
    })
}

/// Characters of what is wrong with a file, which may quote from it.
pub(crate) const LONGEST_FAULT: usize = 200;

fn from_text<T: Number>(text: &str) -> Result<Model<T>> {
    let record: Record<T> = serde_json::from_str(text).map_err(|error| {
        anyhow!("not a valid model: {}", shorten(&error.to_string(), LONGEST_FAULT))
    })?;
    let found = record.checksum.clone();
    let record = Record { checksum: NO_CHECKSUM.into(), ..record };
    ensure!(found == checksum(&to_text(&record)?), "altered: it does not match its checksum");
    let model = from_record(record)?;
    model.validate().map_err(|error| anyhow!("not a valid model: {error:#}"))?;
    Ok(model)
}

/// Writes a model, all of it or nothing.
pub(crate) fn write(path: &Path, model: &AnyModel) -> Result<()> {
    let text = with_model!(model, model => {
        // What could not be read back is not written.
        model.validate().map_err(|error| anyhow!("{}: {error:#}", path.display()))?;
        let mut record = to_record(model);
        record.checksum = checksum(&to_text(&record)?);
        to_text(&record)?
    });
    write_whole(path, text.as_bytes())
}

fn to_text<T: Number>(record: &Record<T>) -> Result<String> {
    let mut text = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut text, FieldALine::default());
    record.serialize(&mut serializer)?;
    text.push(b'\n');
    Ok(escape::json(&String::from_utf8(text)?))
}

fn checksum(text: &str) -> String {
    static CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);
    format!("{:08x}", CRC.checksum(text.as_bytes()))
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

fn to_record<T: Number>(model: &Model<T>) -> Record<T> {
    let rows = |grid: &Grid<T>| grid.iter_rows().map(<[T]>::to_vec).collect();
    let header = &model.weights.header;
    Record {
        format: FORMAT.into(),
        version: VERSION,
        precision: T::PRECISION,
        front_end: model.front.clone(),
        columns: model.columns.clone(),
        kernel: model.kernel,
        mean: model.mean.clone(),
        deviation: model.deviation.clone(),
        floor: model.floor.clone(),
        quantiles: model.quantiles.clone(),
        points: rows(&model.points),
        weights: rows(&model.weights.weights),
        centre: model.weights.centre.clone(),
        offsets: model.weights.offsets.clone(),
        variances: model.weights.variances.clone(),
        centre_norm: header.centre_norm,
        total_variance: header.total_variance,
        indefinite: header.indefinite,
        threshold_spe: model.threshold.spe,
        usual_spe: model.threshold.usual,
        training: model.training.clone(),
        checksum: NO_CHECKSUM.into(),
    }
}

fn from_record<T: Number>(record: Record<T>) -> Result<Model<T>> {
    let inputs = record.columns.len();
    let components = record.variances.len();
    Ok(Model {
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
        front: record.front_end,
        columns: record.columns,
        mean: record.mean,
        deviation: record.deviation,
        floor: record.floor,
        quantiles: record.quantiles,
        threshold: Threshold::new(record.threshold_spe).with_usual(record.usual_spe),
        training: record.training,
    })
}

fn grid<T: Number>(what: &str, columns: usize, rows: &[Vec<T>]) -> Result<Grid<T>> {
    let mut grid = Grid::new(columns);
    for row in rows {
        ensure!(row.len() == columns, "{what}: a row of {} numbers, not {columns}", row.len());
        grid.push(row);
    }
    Ok(grid)
}
