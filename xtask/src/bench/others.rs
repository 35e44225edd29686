//! `cargo xtask others`: what other detectors cost on the same cores, each in plain C of
//! `c/others`, from a raw reading to a score beside a threshold; counted, and compared with its
//! formula.
//!
//! The table of docs/PERFORMANCE.md puts them beside ours, with the AUROC that docs/EVALUATION.md
//! has of each.

mod forest;
mod models;

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use mercer::kernel::Rbf;
use mercer::{Detector, QuantisedDetector};

use super::cycles::{Core, Plugin};
use super::measure::Emulation;
use super::plan::{Case, SCORE, TUNED_CPU};
use super::record::Row;
use super::tables::{self, Markdown};
use super::{Purpose, committed, flash, gcc};
use crate::board;
use crate::exported::{self, c_array};
use crate::firmware::Project;
use models::{INPUTS, METHODS, Method, Model, Numbers, ROWS};

const COUNTS: &str = "docs/others.csv";
const HEADER: &str = "method,board,instructions,cycles,code_bytes,model_bytes";
/// Where AUROCs come from.
const EVALUATION: &str = "docs/EVALUATION.md";
/// For speed, as ours beside it: most of them then take fewer cycles than at 2.
const LEVEL: &str = "3";
/// A count may rise by so much before it is noticed, as in `cargo xtask bench`.
const DRIFT: f64 = 1.03;
/// So far a score in `f32` may be from the formula in `f64`, beside its size or 1.
const TOLERATED: f64 = 1e-4;
/// The readings that are counted, all of them usual ones.
const READINGS: usize = 15;

/// What a method takes on a board, on average over the readings.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Count {
    method: String,
    board: String,
    instructions: u64,
    cycles: u64,
    /// Code and constants, those of the functions that it calls included.
    code_bytes: u64,
    model_bytes: u64,
}

pub(crate) fn run(purpose: Purpose, limit: Duration) -> Result<ExitCode> {
    let project = Project::read()?;
    let old = fs::read_to_string(project.root.join(COUNTS))
        .context(COUNTS)
        .and_then(|text| from_csv(&text));
    if purpose == Purpose::Check {
        tables::require_current(&project.root, &committed(&project)?)?;
    }
    if let Some(missing) = gcc::missing() {
        eprintln!("skipped: {missing}");
        return Ok(ExitCode::SUCCESS);
    }
    let plugin = match Plugin::build(&project) {
        Ok(plugin) => plugin,
        Err(error) => {
            eprintln!("skipped: {error:#}");
            return Ok(ExitCode::SUCCESS);
        }
    };
    let bench = Bench::new(&project, Emulation { limit, plugin: Some(&plugin) }, &plugin)?;
    let mut counts = Vec::new();
    for method in METHODS {
        for (board, core) in gcc::BOARDS {
            let count = bench.count(&method, board, core);
            let count = count.with_context(|| format!("{}, {board}", method.title))?;
            eprintln!("{}", count.line());
            counts.push(count);
        }
    }
    print!("{}", to_csv(&counts));
    match purpose {
        Purpose::Print => {}
        Purpose::Check => require_no_more(&old?, &counts)?,
        Purpose::Update => {
            fs::write(project.root.join(COUNTS), to_csv(&counts))?;
            tables::rewrite(&project.root, &committed(&project)?)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What all methods have in common.
struct Bench<'a> {
    project: &'a Project,
    emulation: Emulation<'a>,
    plugin: &'a Plugin,
    rows: Vec<Vec<f32>>,
    readings: Vec<Vec<f32>>,
}

impl<'a> Bench<'a> {
    fn new(project: &'a Project, emulation: Emulation<'a>, plugin: &'a Plugin) -> Result<Self> {
        let (rows, mut readings) = exported::readings(ROWS as u32, INPUTS as u32);
        readings.truncate(READINGS);
        Ok(Self { project, emulation, plugin, rows, readings })
    }

    fn count(&self, method: &Method, board: &str, core: &[&str]) -> Result<Count> {
        let folder = self.project.c_dir().join("others");
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        fs::write(folder.join("readings.h"), c_array(&self.readings, ""))?;
        let Model { header, says } = (method.model)(&mut Numbers::of(&self.rows));
        fs::write(folder.join("model.h"), &header.text)?;
        let sources = gcc::sources(self.project).join("others");
        let build = |name: &str| {
            let files = [sources.join("main.c"), sources.join(format!("{name}.c"))];
            gcc::build(self.project, &folder, core, LEVEL, &files)
        };
        let empty = flash::used(&build("nothing")?)?;
        let elf = build(method.file)?;
        let model = Core::of(board).context("no model of this core")?;
        let board = board::named(board)?;
        let (ran, cycles) = self.emulation.with_cycles(board, model, self.plugin, &elf)?;
        ensure!(cycles.len() == READINGS && ran.said.len() == READINGS, "{} counts", cycles.len());
        for (reading, said) in self.readings.iter().zip(&ran.said) {
            let reading: Vec<f64> = reading.iter().map(|&x| f64::from(x)).collect();
            require_near(said, says(&reading))?;
        }
        let mean = |sum: u64| (sum + READINGS as u64 / 2) / READINGS as u64;
        let model_bytes = header.bytes as u64;
        let all_bytes = flash::used(&elf)?.saturating_sub(empty);
        Ok(Count {
            method: method.title.to_string(),
            board: board.name.to_string(),
            instructions: mean(ran.measured.iter().map(|task| task.instructions).sum()),
            cycles: mean(cycles.iter().sum()),
            code_bytes: all_bytes.checked_sub(model_bytes).context("less than its model")?,
            model_bytes,
        })
    }
}

/// `reading` and the bits of its score.
fn require_near(said: &str, expected: f64) -> Result<()> {
    let bits = said.strip_prefix("reading ").with_context(|| format!("it printed {said:?}"))?;
    let found = f64::from(f32::from_bits(bits.parse()?));
    let apart = (found - expected).abs();
    ensure!(apart <= TOLERATED * expected.abs().max(1.0), "{found} instead of {expected}");
    Ok(())
}

/// Fails where a count rose, or is new.
fn require_no_more(old: &[Count], fresh: &[Count]) -> Result<()> {
    let hint = "run `cargo xtask others --update`";
    ensure!(old.len() == fresh.len(), "{COUNTS} has other rows: {hint}");
    for (old, fresh) in old.iter().zip(fresh) {
        let same = (&old.method, &old.board) == (&fresh.method, &fresh.board);
        ensure!(same, "{COUNTS} has other rows: {hint}");
        let pairs = old.numbers().into_iter().zip(fresh.numbers());
        let rose = pairs.into_iter().any(|(old, fresh)| fresh as f64 > old as f64 * DRIFT);
        ensure!(
            !rose,
            "{} instead of {}: {hint}, if it was the compiler",
            fresh.line(),
            old.line()
        );
    }
    Ok(())
}

impl Count {
    fn numbers(&self) -> [u64; 4] {
        [self.instructions, self.cycles, self.code_bytes, self.model_bytes]
    }

    fn line(&self) -> String {
        let numbers = self.numbers().map(|number| number.to_string()).join(",");
        format!("\"{}\",{},{numbers}", self.method, self.board)
    }
}

fn to_csv(counts: &[Count]) -> String {
    let lines: Vec<String> = counts.iter().map(Count::line).collect();
    format!("{HEADER}\n{}\n", lines.join("\n"))
}

fn from_csv(text: &str) -> Result<Vec<Count>> {
    let mut lines = text.lines();
    ensure!(lines.next() == Some(HEADER), "{COUNTS}: the first line is not {HEADER}");
    let count = |line: &str| -> Result<Count> {
        let context = || format!("{COUNTS}: {line}");
        let quoted = line.strip_prefix('"').and_then(|line| line.split_once("\","));
        let (method, rest) = quoted.with_context(context)?;
        let fields: Vec<&str> = rest.split(',').collect();
        let [board, instructions, cycles, code_bytes, model_bytes] = *fields else {
            bail!(context());
        };
        Ok(Count {
            method: method.to_string(),
            board: board.to_string(),
            instructions: instructions.parse().with_context(context)?,
            cycles: cycles.parse().with_context(context)?,
            code_bytes: code_bytes.parse().with_context(context)?,
            model_bytes: model_bytes.parse().with_context(context)?,
        })
    };
    lines.map(count).collect()
}

/// Ours, in the sizes that are counted: how it is called, its line in [`EVALUATION`], its case, and
/// the bytes of its model.
const OURS: [(&str, &str, Case, usize); 4] = [
    (
        "**mercer**, 64 points, 4 components, `i16`",
        "mercer, 64 points, 4 components",
        Case { task: "detect-i16", precision: "i16", cpu: TUNED_CPU, ..SCORE },
        QuantisedDetector::<8, 64, 4>::SIZE,
    ),
    (
        "**mercer**, 64 points, 4 components",
        "mercer, 64 points, 4 components",
        Case { task: "detect", cpu: TUNED_CPU, ..SCORE },
        Detector::<Rbf<f32>, [f32; 8], 64, 4>::SIZE,
    ),
    (
        "**mercer**, 64 points, 8 components",
        "mercer, 64 points, 8 components",
        Case { p: 8, ..SCORE },
        Detector::<Rbf<f32>, [f32; 8], 64, 8>::SIZE,
    ),
    (
        "**mercer**, 64 points, 32 components",
        "mercer, 48 points",
        Case { p: 32, ..SCORE },
        Detector::<Rbf<f32>, [f32; 8], 64, 32>::SIZE,
    ),
];

/// A line of the table.
struct Line {
    title: String,
    /// AUROC, and the share of anomalies found at 5 % false alarms.
    found: [String; 2],
    /// Instructions, cycles, bytes of code and of the model on an M4F.
    large: [u64; 4],
    /// Instructions and cycles on an M0, if that is counted.
    small: Option<[u64; 2]>,
}

/// What else one could use, from the committed counts of others and of ours.
pub(crate) fn table(root: &Path, rows: &[Row]) -> Result<String> {
    let read = |name: &str| fs::read_to_string(root.join(name)).with_context(|| name.to_string());
    let (counts, evaluation) = (from_csv(&read(COUNTS)?)?, read(EVALUATION)?);
    let mut lines = METHODS
        .iter()
        .map(|method| theirs(method, &counts, &evaluation))
        .collect::<Result<Vec<_>>>()?;
    for own in OURS {
        lines.push(ours(own, rows, &evaluation)?);
    }
    lines.sort_by_key(|line| line.large[1]);
    let heading = [
        "8 inputs",
        "AUROC",
        "found",
        "M4F: cycles",
        "instructions",
        "bytes of code",
        "of model",
        "M0: cycles",
        "instructions",
    ];
    let mut table = Markdown::new(heading.map(str::to_string));
    for Line { title, found, large: [instructions, cycles, code, model], small } in lines {
        let numbers = [cycles, instructions, code, model].map(tables::grouped);
        let small = match small {
            Some([instructions, cycles]) => {
                [tables::rounded(cycles), tables::rounded(instructions)]
            }
            None => [tables::NOTHING, tables::NOTHING].map(str::to_string),
        };
        table.row([title].into_iter().chain(found).chain(numbers).chain(small));
    }
    Ok(table.text())
}

fn theirs(method: &Method, counts: &[Count], evaluation: &str) -> Result<Line> {
    let count = |board: &str| {
        let found =
            counts.iter().find(|count| count.method == method.title && count.board == board);
        found.with_context(|| format!("{COUNTS} has no {} on {board}", method.title))
    };
    let small = count("m0")?;
    Ok(Line {
        title: method.title.to_string(),
        found: found(evaluation, method.evaluated)?,
        large: count("m4f")?.numbers(),
        small: Some([small.instructions, small.cycles]),
    })
}

fn ours(
    (title, evaluated, case, bytes): (&str, &str, Case, usize),
    rows: &[Row],
    evaluation: &str,
) -> Result<Line> {
    let large = tables::row(rows, "m4f", &case, "3")?;
    let small = tables::row(rows, "m0", &Case { cpu: "", ..case }, "3").ok();
    let cycles = large.cycles.with_context(|| format!("no cycles of {}", large.key.describe()))?;
    Ok(Line {
        title: title.to_string(),
        found: found(evaluation, evaluated)?,
        large: [large.instructions, cycles, large.flash_bytes, bytes as u64],
        small: small.and_then(|row| Some([row.instructions, row.cycles?])),
    })
}

/// Mean AUROC and what is found at 5 % false alarms, with 128 rows, as the document has them.
fn found(evaluation: &str, method: &str) -> Result<[String; 2]> {
    let begin = format!("| {method} | ");
    let line = evaluation.lines().find_map(|line| line.strip_prefix(&begin));
    let cells: Vec<&str> = line.unwrap_or_default().split(" | ").collect();
    let [_, _, auroc, _, _, found, _] = *cells else {
        bail!("{EVALUATION} has no line of {method}");
    };
    Ok([auroc, found].map(str::to_string))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(method: &str, instructions: u64) -> Count {
        let (method, board) = (method.to_string(), "m0".to_string());
        Count { method, board, instructions, cycles: 9, code_bytes: 100, model_bytes: 8 }
    }

    #[test]
    fn counts_survive_the_file() {
        let counts = [count("a, b", 7), count("c", 1 << 33)];
        assert_eq!(from_csv(&to_csv(&counts)).unwrap(), counts);
        assert!(from_csv("a\n").is_err());
        assert!(from_csv(&format!("{HEADER}\n\"a\",m0,1,2,3\n")).is_err());
    }

    #[test]
    fn a_count_that_rose_is_noticed() {
        let old = [count("a", 1_000), count("b", 1_000)];
        assert!(require_no_more(&old, &[count("a", 1_030), count("b", 10)]).is_ok());
        assert!(require_no_more(&old, &[count("a", 1_031), count("b", 10)]).is_err());
        assert!(require_no_more(&old, &[count("b", 1), count("a", 1)]).is_err());
        assert!(require_no_more(&old, &[count("a", 1)]).is_err());
    }

    #[test]
    fn a_score_that_is_off_is_noticed() {
        let said = |value: f32| format!("reading {}", value.to_bits());
        assert!(require_near(&said(20.001), 20.0).is_ok());
        assert!(require_near(&said(20.01), 20.0).is_err());
        assert!(require_near(&said(f32::NAN), 20.0).is_err());
        assert!(require_near("failed", 20.0).is_err());
    }

    /// The formulas themselves, where their values are known.
    #[test]
    fn formulas_are_right_where_it_is_easy() {
        let (rows, _) = exported::readings(ROWS as u32, INPUTS as u32);
        let reading = |x: &[f32]| x.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>();
        let far = vec![1e3; INPUTS];
        for method in METHODS {
            let Model { says, header } = (method.model)(&mut Numbers::of(&rows));
            let usual = rows.iter().map(|row| says(&reading(row))).sum::<f64>() / ROWS as f64;
            assert!(says(&far) > usual, "{}", method.title);
            assert!(header.bytes > 0 && !header.text.contains("NaN"), "{}", method.title);
        }
        let of = |file: &str| METHODS.into_iter().find(|method| method.file == file).unwrap();
        // Its centres are the first rows.
        let k_means = (of("k_means").model)(&mut Numbers::of(&rows));
        assert!((k_means.says)(&reading(&rows[3])) < 1e-9);
    }
}
