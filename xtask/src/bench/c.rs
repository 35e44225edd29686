//! `cargo xtask c`: exported C beside Rust, on a core without an FPU and on one with: the same
//! scores and alarms, and how many instructions a score takes.
//!
//! Models are fitted and exported by `mercer` itself. Rust's counts are those of docs/bench.csv,
//! for detectors of the same sizes.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use super::gcc;
use super::measure::Emulation;
use super::peers::SHAPES;
use super::plan::{Case, SCORE};
use super::record::{Key, Row};
use super::{Purpose, committed};
use crate::board::{self, Board};
use crate::exported::{self, mercer};
use crate::firmware::Project;

const ROWS: &str = "docs/c.csv";
const PAGE: &str = "docs/C.md";
const HEADER: &str = "board,d,r,p,numbers,opt,instructions";
/// C may take so many times the instructions of Rust.
const MOST: f64 = 1.5;
/// A count may rise by so much before it is noticed, as in `cargo xtask bench`.
const DRIFT: f64 = 1.03;
const LEVELS: [&str; 2] = ["3", "s"];

/// A score that was counted.
#[derive(Clone, Debug, PartialEq)]
struct Count {
    board: String,
    d: u32,
    r: u32,
    numbers: String,
    opt: String,
    instructions: u64,
}

pub(crate) fn run(purpose: Purpose, limit: Duration) -> Result<ExitCode> {
    let project = Project::read()?;
    if let Some(missing) = gcc::missing() {
        eprintln!("skipped: {missing}");
        return Ok(ExitCode::SUCCESS);
    }
    let rust = committed(&project)?;
    let mut counts = Vec::new();
    let shapes = SHAPES.iter().map(|&(r, d)| (r, d, "f32")).chain([(SCORE.r, SCORE.d, "i16")]);
    for (r, d, numbers) in shapes {
        let exported = Exported::make(&project, r, d, numbers)?;
        for (board, core) in gcc::BOARDS {
            for opt in LEVELS {
                let elf = exported.build(&project, core, opt)?;
                let instructions =
                    exported.count(board::named(board)?, &elf, limit).with_context(|| {
                        format!("{board}, {r} points, {d} inputs, {numbers}, −O{opt}")
                    })?;
                let (board, numbers, opt) = (board.into(), numbers.into(), opt.into());
                let count = Count { board, d, r, numbers, opt, instructions };
                let ratio = count.ratio(&rust)?;
                eprintln!(
                    "{}: {instructions} instructions, {ratio:.2} times Rust's",
                    count.fields()
                );
                ensure!(ratio <= MOST, "{}: more than {MOST} times Rust's", count.fields());
                counts.push(count);
            }
        }
    }
    print!("{}", to_csv(&counts));
    let page = project.root.join(PAGE);
    let updated = |counts: &[Count]| -> Result<String> {
        super::tables::replaced(&fs::read_to_string(&page)?, "counts", &table(counts, &rust)?)
    };
    match purpose {
        Purpose::Print => {}
        Purpose::Update => {
            fs::write(project.root.join(ROWS), to_csv(&counts))?;
            fs::write(&page, updated(&counts)?)?;
        }
        Purpose::Check => {
            let old = from_csv(&fs::read_to_string(project.root.join(ROWS)).context(ROWS)?)?;
            let current = updated(&old)? == fs::read_to_string(&page)?;
            ensure!(current, "{PAGE} is not what {ROWS} says: run `cargo xtask c --update`");
            require_no_more(&old, &counts)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Fails where a count rose, or is new.
fn require_no_more(old: &[Count], fresh: &[Count]) -> Result<()> {
    ensure!(old.len() == fresh.len(), "{ROWS} has other rows: run `cargo xtask c --update`");
    for count in fresh {
        let before = old.iter().find(|old| old.fields() == count.fields());
        let before = before.with_context(|| format!("{ROWS} has no {}", count.fields()))?;
        ensure!(
            count.instructions as f64 <= before.instructions as f64 * DRIFT,
            "{}: {} instructions instead of {} (was it the compiler? then run with --update)",
            count.fields(),
            count.instructions,
            before.instructions
        );
    }
    Ok(())
}

impl Count {
    fn fields(&self) -> String {
        let Self { board, d, r, numbers, opt, .. } = self;
        format!("{board},{d},{r},{},{numbers},{opt}", SCORE.p)
    }

    /// Beside Rust, with the same sizes and numbers.
    fn ratio(&self, rust: &[Row]) -> Result<f64> {
        let Self { board, d, r, numbers, opt, instructions } = self;
        let (task, precision) = match numbers.as_str() {
            "i16" => ("detect-i16", "i16"),
            _ => ("detect", "f32"),
        };
        let case = Case { task, d: *d, r: *r, precision, ..SCORE };
        let key = Key::new(board, &case, opt);
        let found = rust.iter().find(|row| row.key == key);
        let found = found.with_context(|| format!("docs/bench.csv has no {}", key.describe()))?;
        Ok(*instructions as f64 / found.instructions as f64)
    }
}

fn to_csv(counts: &[Count]) -> String {
    counts.iter().fold(format!("{HEADER}\n"), |mut text, count| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{},{}", count.fields(), count.instructions);
        text
    })
}

fn from_csv(text: &str) -> Result<Vec<Count>> {
    let mut lines = text.lines();
    ensure!(lines.next() == Some(HEADER), "{ROWS}: the first line is not {HEADER}");
    let count = |line: &str| -> Result<Count> {
        let fields: Vec<&str> = line.split(',').collect();
        let [board, d, r, _, numbers, opt, instructions] = *fields else {
            bail!("{ROWS}: {line}");
        };
        let (d, r, instructions) = (d.parse()?, r.parse()?, instructions.parse()?);
        let (board, numbers, opt) = (board.into(), numbers.into(), opt.into());
        Ok(Count { board, d, r, numbers, opt, instructions })
    };
    lines.map(count).collect()
}

/// For people, in Markdown: a line for each core and shape.
fn table(counts: &[Count], rust: &[Row]) -> Result<String> {
    let mut text = String::from(
        "| core | model | C, −O3 | beside Rust | C, −Os | beside Rust |\n|---|---|---|---|---|---|\n",
    );
    for count in counts.iter().filter(|count| count.opt == LEVELS[0]) {
        let small = counts.iter().find(|other| {
            other.opt == LEVELS[1]
                && (&other.board, other.d, other.r, &other.numbers)
                    == (&count.board, count.d, count.r, &count.numbers)
        });
        let small = small.context("a level was not counted")?;
        let Count { board, d, r, numbers, .. } = count;
        writeln!(
            text,
            "| {board} | {r} points, {d} inputs, {numbers} | {} | {:.2} | {} | {:.2} |",
            count.instructions,
            count.ratio(rust)?,
            small.instructions,
            small.ratio(rust)?
        )?;
    }
    Ok(text)
}

/// A model in C, and readings with what `mercer score` says of them.
struct Exported {
    folder: PathBuf,
    /// Bits of SPE, unusual?, in alarm? None for integers, which test themselves.
    expected: Vec<String>,
}

impl Exported {
    fn make(project: &Project, r: u32, d: u32, numbers: &str) -> Result<Self> {
        let folder = project.c_dir().join(format!("{r}_{d}_{numbers}"));
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let path = |name: &str| folder.join(name).display().to_string();
        let root = project.root.as_path();
        let (train, model, test) = (path("train.csv"), path("m.mercer"), path("readings.csv"));
        let (usual, readings) = exported::readings(3 * r, d);
        fs::write(&train, exported::csv(&usual))?;
        fs::write(&test, exported::csv(&readings))?;
        let (points, components) = (r.to_string(), SCORE.p.to_string());
        let fit = ["fit", &train, "--out", &model, "--log", "none", "--landmarks", &points];
        mercer(root, &[&fit[..], &["--components", &components, "--force"]].concat())?;
        let export = ["export", &model, "--c", &path("model.h")];
        let quantised: &[&str] = if numbers == "i16" { &["--quantised"] } else { &[] };
        mercer(root, &[&export[..], quantised].concat())?;
        fs::write(path("readings.h"), exported::c_array(&readings, ""))?;
        let scores = mercer(root, &["score", &model, &test])?;
        let expected =
            scores.lines().skip(1).map(exported::expected).collect::<Result<Vec<_>>>()?;
        let expected = if numbers == "i16" { Vec::new() } else { expected };
        Ok(Self { folder, expected })
    }

    fn build(&self, project: &Project, core: &[&str], opt: &str) -> Result<PathBuf> {
        let files = [gcc::sources(project).join("harness.c"), self.folder.join("model.c")];
        gcc::build(project, &self.folder, core, opt, &files)
    }

    /// Runs it, compares what it says, and returns the instructions of a score.
    fn count(&self, board: &'static Board, elf: &Path, limit: Duration) -> Result<u64> {
        let ran = Emulation { limit, plugin: None }.counted(board, elf, &[])?;
        let (mut readings, mut test) = (Vec::new(), None);
        for line in &ran.said {
            match line.split_once(' ') {
                Some(("reading", rest)) => readings.push(rest),
                Some(("test", rest)) => test = Some(rest),
                _ => bail!("it printed {line:?}"),
            }
        }
        ensure!(test == Some("0"), "the self-test says {test:?}");
        for (i, (found, expected)) in readings.iter().zip(&self.expected).enumerate() {
            ensure!(found == expected, "reading {i}: {found} instead of {expected}");
        }
        ensure!(readings.len() >= self.expected.len(), "{} readings", readings.len());
        Ok(ran.measured.first().context("no task")?.instructions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(opt: &str, instructions: u64) -> Count {
        let (board, numbers, opt) = ("m0".into(), "f32".into(), opt.into());
        Count { board, d: 8, r: 64, numbers, opt, instructions }
    }

    #[test]
    fn counts_survive_the_file() {
        let counts = [count("3", 7), count("s", 1 << 33)];
        assert_eq!(from_csv(&to_csv(&counts)).unwrap(), counts);
        assert!(from_csv("a\n").is_err());
    }

    #[test]
    fn a_count_that_rose_is_noticed() {
        let old = [count("3", 1_000), count("s", 1_000)];
        assert!(require_no_more(&old, &[count("3", 1_030), count("s", 10)]).is_ok());
        assert!(require_no_more(&old, &[count("3", 1_031), count("s", 10)]).is_err());
        assert!(require_no_more(&old, &[count("3", 1)]).is_err());
    }

    /// The committed page is that of the committed counts, and these are within the bound.
    #[test]
    fn the_page_is_up_to_date() {
        let counts = from_csv(include_str!("../../../docs/c.csv")).unwrap();
        let rust = super::super::record::from_csv(include_str!("../../../docs/bench.csv")).unwrap();
        let page = include_str!("../../../docs/C.md");
        assert!(page.contains(&table(&counts, &rust).unwrap()), "run `cargo xtask c --update`");
        assert!(counts.iter().all(|count| count.ratio(&rust).unwrap() <= MOST));
    }
}
