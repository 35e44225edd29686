//! What the library takes of a device, and the table that says so.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use object::{Object, ObjectSection, ObjectSymbol, SectionKind};

use crate::bench::{Purpose, replaced};
use crate::device::Outcome;

const ROWS: &str = "docs/c_library.csv";
const PAGE: &str = "docs/C_LIBRARY.md";
const HEADER: &str = "board,program,flash_bytes,objects_bytes,stack_bytes";
/// A size may grow by so much before it is noticed, as in `cargo xtask bench`.
const DRIFT: f64 = 1.03;

/// Of one program on one board.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Size {
    board: String,
    program: String,
    /// Code and constants, but for those of the program without the library and the recording.
    flash: u64,
    /// The learner, the detector and the monitor.
    objects: u64,
    stack: u64,
}

impl Size {
    /// From the program, and one that does nothing.
    pub(super) fn of(
        board: &str,
        program: &str,
        elf: &[u8],
        nothing: &[u8],
        stack: u64,
    ) -> Result<Self> {
        let (file, rest) = (object::File::parse(elf)?, object::File::parse(nothing)?);
        let named = |name: &str| {
            let found = file.symbols().find(|symbol| symbol.name() == Ok(name));
            found.map_or(0, |symbol| symbol.size())
        };
        let objects = ["learner", "detector", "monitor"].map(named).iter().sum();
        let data = ["recording", "stored"].map(named).iter().sum();
        let flash =
            flash(&file).checked_sub(flash(&rest)).and_then(|flash| flash.checked_sub(data));
        let flash = flash.context("the program is smaller than none")?;
        Ok(Self { board: board.into(), program: program.into(), flash, objects, stack })
    }

    fn key(&self) -> (&str, &str) {
        (&self.board, &self.program)
    }

    fn numbers(&self) -> [u64; 3] {
        [self.flash, self.objects, self.stack]
    }
}

/// Bytes of all sections that are loaded.
fn flash(file: &object::File<'_>) -> u64 {
    use SectionKind::{Data, ReadOnlyData, Text};
    let loaded =
        |section: &object::Section<'_, '_>| matches!(section.kind(), Text | ReadOnlyData | Data);
    file.sections().filter(loaded).map(|section| section.size()).sum()
}

/// Prints, compares or writes what was measured.
pub(super) fn settle(
    root: &Path,
    measured: &[Size],
    purpose: Purpose,
) -> Result<(Outcome, String)> {
    let (rows, page) = (root.join(ROWS), root.join(PAGE));
    match purpose {
        Purpose::Print => Ok((Outcome::Passed, format!("\n{}", to_csv(measured)))),
        Purpose::Update => {
            fs::write(rows, to_csv(measured))?;
            fs::write(&page, replaced(&fs::read_to_string(&page)?, "sizes", &table(measured))?)?;
            Ok((Outcome::Passed, format!("written to {ROWS} and {PAGE}")))
        }
        Purpose::Check => {
            let old = from_csv(&fs::read_to_string(rows).context(ROWS)?)?;
            require_no_more(&old, measured)?;
            Ok((Outcome::Passed, format!("as in {ROWS}")))
        }
    }
}

fn require_no_more(old: &[Size], fresh: &[Size]) -> Result<()> {
    ensure!(
        old.len() == fresh.len(),
        "{ROWS} has other rows: run `cargo xtask c-library --update`"
    );
    for size in fresh {
        let before = old.iter().find(|old| old.key() == size.key());
        let before = before.with_context(|| format!("{ROWS} has no {:?}", size.key()))?;
        for (before, now) in before.numbers().into_iter().zip(size.numbers()) {
            ensure!(
                now as f64 <= before as f64 * DRIFT,
                "{:?}: {now} bytes instead of {before} (was it the compiler? then run with --update)",
                size.key()
            );
        }
    }
    Ok(())
}

fn to_csv(sizes: &[Size]) -> String {
    sizes.iter().fold(format!("{HEADER}\n"), |mut text, size| {
        let Size { board, program, flash, objects, stack } = size;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{board},{program},{flash},{objects},{stack}");
        text
    })
}

fn from_csv(text: &str) -> Result<Vec<Size>> {
    let mut lines = text.lines();
    ensure!(lines.next() == Some(HEADER), "{ROWS}: the first line is not {HEADER}");
    let size = |line: &str| -> Result<Size> {
        let fields: Vec<&str> = line.split(',').collect();
        let [board, program, flash, objects, stack] = *fields else { bail!("{ROWS}: {line}") };
        let (flash, objects, stack) = (flash.parse()?, objects.parse()?, stack.parse()?);
        Ok(Size { board: board.into(), program: program.into(), flash, objects, stack })
    };
    lines.map(size).collect()
}

/// For people, in Markdown.
fn table(sizes: &[Size]) -> String {
    let mut text = String::from(
        "| core | program | flash | objects in RAM | stack |\n|---|---|---|---|---|\n",
    );
    for Size { board, program, flash, objects, stack } in sizes {
        let _ = writeln!(text, "| {board} | `{program}.c` | {flash} | {objects} | {stack} |");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(flash: u64) -> Size {
        Size { board: "m0".into(), program: "fan".into(), flash, objects: 9, stack: 7 }
    }

    #[test]
    fn what_grew_is_noticed() {
        assert_eq!(from_csv(&to_csv(&[size(5)])).unwrap(), [size(5)]);
        assert!(require_no_more(&[size(1000)], &[size(1030)]).is_ok());
        assert!(require_no_more(&[size(1000)], &[size(1031)]).is_err());
        assert!(require_no_more(&[size(1000)], &[]).is_err());
    }

    /// The committed page is that of the committed sizes.
    #[test]
    fn the_page_is_up_to_date() {
        let sizes = from_csv(include_str!("../../../docs/c_library.csv")).unwrap();
        let page = include_str!("../../../docs/C_LIBRARY.md");
        assert!(page.contains(&table(&sizes)), "run `cargo xtask c-library --update`");
    }
}
