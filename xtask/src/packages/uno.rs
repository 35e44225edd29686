//! An Arduino library on an Uno: built by Arduino's own tool, run in simavr.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use object::{Object, ObjectSection};

use super::{Desk, copy_folder, missing, said};
use crate::bench::{Purpose, replaced};
use crate::device::Outcome;
use crate::emulate;
use crate::exported;
use crate::firmware::Project;

const INSTALL: &str = "apt-get install arduino-builder arduino-core-avr gcc-avr avr-libc simavr";
const TABLES_IN_RAM: &str = "-DMODEL_TABLES_IN_RAM";
const ROWS: &str = "docs/avr.csv";
const PAGE: &str = "docs/C.md";
const HEADER: &str = "numbers,tables,flash_bytes,ram_bytes,stack_bytes,microseconds";
/// A figure may rise by so much before it is noticed.
const DRIFT: f64 = 1.03;
/// How far a score of an AVR, whose compiler rounds otherwise, may be off, as a share of the
/// largest.
const TOLERANCE: f64 = 1e-5;

/// What a sketch that scores takes.
#[derive(Clone, Debug, PartialEq)]
struct Figures {
    numbers: String,
    tables: String,
    /// Bytes of flash, of static RAM, and of the stack of a score; microseconds of a score at 16
    /// MHz.
    values: [u64; 4],
}

/// Figures so far.
#[derive(Default)]
pub(super) struct Uno(Vec<Figures>);

impl Uno {
    /// Builds and runs the sketch that prints scores, with tables in flash and in RAM, or the
    /// package's own example.
    pub(super) fn step(
        &mut self,
        desk: &Desk,
        form: &str,
        limit: Duration,
    ) -> Result<(Outcome, String)> {
        if let Some(skipped) = missing(&["arduino-builder", "avr-gcc", "simavr"], INSTALL) {
            return Ok(skipped);
        }
        let libraries = desk.folder.join(format!("{form}-libraries"));
        copy_folder(&desk.package(form, "arduino"), &libraries.join("model"))?;
        let board = Board { libraries, build: desk.folder.join(format!("{form}-build")) };
        let mut detail = board.example(desk, form)?;
        if matches!(form, "f32" | "i16") {
            for tables in ["flash", "RAM"] {
                let (figures, off) = board.scores(desk, form, tables, limit)?;
                write!(detail, "; tables in {tables}: {:?}, off by {off:.1e}", figures.values)?;
                self.0.push(figures);
            }
        }
        Ok((Outcome::Passed, detail))
    }

    /// Writes the figures, or compares them with those that are committed.
    pub(super) fn record(&self, project: &Project, purpose: Purpose) -> Result<()> {
        let page = project.root.join(PAGE);
        let updated = |rows: &[Figures]| -> Result<String> {
            replaced(&fs::read_to_string(&page)?, "avr", &table(rows))
        };
        match purpose {
            _ if self.0.is_empty() => {}
            Purpose::Print => print!("{}", to_csv(&self.0)),
            Purpose::Update => {
                fs::write(project.root.join(ROWS), to_csv(&self.0))?;
                fs::write(&page, updated(&self.0)?)?;
            }
            Purpose::Check => {
                let old = from_csv(&fs::read_to_string(project.root.join(ROWS)).context(ROWS)?)?;
                require_no_more(&old, &self.0)?;
            }
        }
        Ok(())
    }
}

fn require_no_more(old: &[Figures], fresh: &[Figures]) -> Result<()> {
    for now in fresh {
        let name = format!("{}, tables in {}", now.numbers, now.tables);
        let same = |old: &&Figures| (&old.numbers, &old.tables) == (&now.numbers, &now.tables);
        let before = old.iter().find(same).with_context(|| format!("{ROWS} has no {name}"))?;
        let rose = now
            .values
            .iter()
            .zip(before.values)
            .any(|(now, before)| *now as f64 > before as f64 * DRIFT);
        ensure!(
            !rose,
            "{name}: {:?} instead of {:?} (was it the compiler? then run with --update)",
            now.values,
            before.values
        );
    }
    Ok(())
}

fn to_csv(rows: &[Figures]) -> String {
    rows.iter().fold(format!("{HEADER}\n"), |text, Figures { numbers, tables, values }| {
        let values = values.map(|value| value.to_string()).join(",");
        text + &format!("{numbers},{tables},{values}\n")
    })
}

fn from_csv(text: &str) -> Result<Vec<Figures>> {
    let mut lines = text.lines();
    ensure!(lines.next() == Some(HEADER), "{ROWS}: the first line is not {HEADER}");
    let row = |line: &str| -> Result<Figures> {
        let cells: Vec<&str> = line.split(',').collect();
        let [numbers, tables, a, b, c, d] = *cells else { anyhow::bail!("{ROWS}: {line}") };
        let values = [a.parse()?, b.parse()?, c.parse()?, d.parse()?];
        Ok(Figures { numbers: numbers.into(), tables: tables.into(), values })
    };
    lines.map(row).collect()
}

/// For people, in Markdown.
fn table(rows: &[Figures]) -> String {
    let heading = "| numbers | tables in | flash | static RAM | stack of a score | a score at 16 MHz |\n|---|---|---|---|---|---|\n";
    rows.iter().fold(heading.into(), |text, Figures { numbers, tables, values }| {
        let [flash, ram, stack, time] = values;
        let time = *time as f64 / 1e3;
        text + &format!(
            "| {numbers} | {tables} | {flash} B | {ram} B | {stack} B | {time:.2} ms |\n"
        )
    })
}

/// An Uno with a library.
struct Board {
    libraries: PathBuf,
    build: PathBuf,
}

impl Board {
    /// Builds a sketch; the library is compiled with this flag.
    fn compile(&self, sketch: &Path, flag: &str) -> Result<PathBuf> {
        fs::create_dir_all(&self.build)?;
        let mut builder = Command::new("arduino-builder");
        builder.args(["-compile", "-hardware", "/usr/share/arduino/hardware"]);
        builder.args(["-hardware", "/usr/share/arduino-builder", "-tools", "/usr/bin"]);
        builder.args(["-fqbn", "arduino:avr:uno", "-libraries"]).arg(&self.libraries);
        // The core of this version and the compiler disagree on a name.
        builder.arg("-prefs=compiler.cpp.extra_flags=-DDECIMAL_DIG=__DECIMAL_DIG__");
        builder.arg(format!("-prefs=compiler.c.extra_flags=-Werror {flag}"));
        builder.arg("-prefs=compiler.warning_flags=-Wall -Wextra");
        said(builder.arg("-build-path").arg(&self.build).arg(sketch))?;
        let name = sketch.file_name().context("a sketch has a name")?.to_string_lossy();
        Ok(self.build.join(format!("{name}.elf")))
    }

    /// The package's own example, which must say what it says on the host. It never ends.
    fn example(&self, desk: &Desk, form: &str) -> Result<String> {
        let elf = self.compile(&self.libraries.join("model/examples/Score/Score.ino"), "")?;
        let expected = desk.example(form)?;
        let mut lines = Vec::new();
        let stopped = in_simavr(&elf, Duration::from_secs(5), |line| lines.push(line.to_string()));
        ensure!(stopped.is_err(), "the example ended");
        let lines: Vec<String> =
            lines.into_iter().skip_while(|line| Some(line) != expected.first()).collect();
        ensure!(
            lines.starts_with(&expected),
            "the example says\n  {}\ninstead of\n  {}",
            lines.join("\n  "),
            expected.join("\n  ")
        );
        Ok(format!("example: {}", expected.join("; ")))
    }

    /// What the readings come to, and what a score takes; and by which share of the largest score
    /// any is off that of the host.
    fn scores(
        &self,
        desk: &Desk,
        form: &str,
        tables: &str,
        limit: Duration,
    ) -> Result<(Figures, f64)> {
        let sketch = self.build.with_extension("sketch").join("readings");
        fs::create_dir_all(&sketch)?;
        fs::write(sketch.join("readings.ino"), include_str!("readings.ino"))?;
        fs::write(sketch.join("readings.h"), exported::c_array(&desk.readings, " PROGMEM"))?;
        let flag = if tables == "RAM" { TABLES_IN_RAM } else { "" };
        let elf = self.compile(&sketch.join("readings.ino"), flag)?;
        let mut lines = Vec::new();
        in_simavr(&elf, limit, |line| lines.push(line.to_string()))?;
        let all = |word: &str| -> Vec<&str> {
            lines.iter().filter_map(|line| line.strip_prefix(word)?.strip_prefix(' ')).collect()
        };
        let number = |word: &str| -> Result<u64> {
            let found = all(word);
            let found =
                found.first().with_context(|| format!("no {word}:\n{}", lines.join("\n")))?;
            Ok(found.parse()?)
        };
        ensure!(number("test")? == 0, "the self-test fails");
        let found = all("reading");
        ensure!(found.len() == desk.expected.len(), "{} readings", found.len());
        // Integers have another SPE, which the self-test compares.
        let off = match form {
            "f32" => difference(&found, &desk.expected)?,
            _ => 0.0,
        };
        let [flash, ram] = sizes(&elf)?;
        let values = [flash, ram, number("stack")?, number("time")?];
        Ok((Figures { numbers: form.into(), tables: tables.into(), values }, off))
    }
}

/// The largest difference of SPE, as a share of the largest; all else must be the same.
fn difference(found: &[&str], expected: &[String]) -> Result<f64> {
    let split = |line: &str| -> Result<(f64, String)> {
        let cells: Vec<&str> = line.split(' ').collect();
        let [code, bits, unusual, alarm] = *cells else { anyhow::bail!("{line}") };
        let spe = f32::from_bits(bits.parse()?);
        Ok((f64::from(spe), format!("{code} {unusual} {alarm}")))
    };
    let (mut off, mut largest) = (0.0_f64, 0.0_f64);
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let ((here, verdict), (there, other)) = (split(found)?, split(expected)?);
        ensure!(verdict == other, "reading {i}: {found} instead of {expected}");
        off = off.max((here - there).abs());
        largest = largest.max(there.abs());
    }
    ensure!(off <= TOLERANCE * largest, "scores are off by {off:.1e}");
    Ok(off / largest)
}

/// Hands over each line that a sketch prints, without the emulator's colours and its signs for ends
/// of lines.
fn in_simavr(elf: &Path, limit: Duration, mut on_line: impl FnMut(&str)) -> Result<()> {
    // What the sketch sends goes to its standard error.
    let mut command = Command::new("sh");
    command.args(["-c", "exec simavr -m atmega328p -f 16000000 \"$0\" 2>&1"]).arg(elf);
    let ended = emulate::text_lines(&mut command, limit, |line| {
        let plain: String = line
            .split('\u{1b}')
            .enumerate()
            .map(|(i, part)| match i {
                0 => part,
                _ => part.split_once('m').map_or("", |(_, text)| text),
            })
            .collect();
        on_line(plain.trim_end_matches('.'));
    })?;
    ensure!(ended.well(), "{ended}");
    Ok(())
}

/// Bytes of flash and of static RAM.
fn sizes(elf: &Path) -> Result<[u64; 2]> {
    let bytes = fs::read(elf).with_context(|| elf.display().to_string())?;
    let file = object::File::parse(&*bytes)?;
    let size = |name: &str| file.section_by_name(name).map_or(0, |section| section.size());
    Ok([size(".text") + size(".data"), size(".data") + size(".bss")])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The committed page is that of the committed figures, and tables in flash are what saves RAM.
    #[test]
    fn the_page_is_up_to_date() {
        let root = Project::read().unwrap().root;
        let rows = from_csv(&fs::read_to_string(root.join(ROWS)).unwrap()).unwrap();
        let page = fs::read_to_string(root.join(PAGE)).unwrap();
        assert_eq!(replaced(&page, "avr", &table(&rows)).unwrap(), page);
        assert_eq!(from_csv(&to_csv(&rows)).unwrap(), rows);
        for pair in rows.chunks(2) {
            let [flash, ram] = pair else { panic!("rows come in pairs") };
            assert_eq!([flash.tables.as_str(), ram.tables.as_str()], ["flash", "RAM"]);
            assert!(2 * flash.values[1] < ram.values[1], "{flash:?} {ram:?}");
        }
    }

    #[test]
    fn a_figure_that_rose_is_noticed() {
        let figures = |ram| Figures {
            numbers: "f32".into(),
            tables: "flash".into(),
            values: [100, ram, 100, 100],
        };
        assert!(require_no_more(&[figures(100)], &[figures(103)]).is_ok());
        assert!(require_no_more(&[figures(100)], &[figures(104)]).is_err());
        assert!(require_no_more(&[], &[figures(1)]).is_err());
    }

    #[test]
    fn scores_are_compared() {
        let line = |spe: f32, rest: &str| format!("0 {} {rest}", spe.to_bits());
        let expected = [line(1.0, "1 0"), line(0.5, "0 0")];
        let found = |lines: [String; 2]| difference(&[&lines[0], &lines[1]], &expected);
        assert_eq!(found(expected.clone()).unwrap(), 0.0);
        assert!(found([line(1.000_001, "1 0"), line(0.5, "0 0")]).unwrap() > 0.0);
        assert!(found([line(1.0, "1 0"), line(0.501, "0 0")]).is_err());
        assert!(found([line(1.0, "1 1"), line(0.5, "0 0")]).is_err());
    }
}
