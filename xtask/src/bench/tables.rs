//! The tables in README.md and docs/PERFORMANCE.md, made from the committed rows.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::growth::{self, Series};
use super::others;
use super::peers::{CMSIS_TRANSFORM, PEERS, SHAPES};
use super::plan::{
    Case, EVERYWHERE, FIT, FIT_POINTS, LEVELS, SCORE, SIGNALS, TRANSFORMS, TUNED_CPU, longest,
    transform,
};
use super::record::{Key, Row};
use crate::board::BOARDS;

/// The pages that have such tables.
pub(crate) const PAGES: [&str; 2] = ["README.md", "docs/PERFORMANCE.md"];

/// A page with all its tables rewritten.
fn updated(root: &Path, page: &str, text: &str, rows: &[Row]) -> Result<String> {
    if page == PAGES[0] {
        return replaced(text, "cycle table", &cycle_table(rows));
    }
    let sections = [
        ("score table", score_table(rows)?),
        ("table of others", others::table(root, rows)?),
        ("core table", core_table(rows)?),
        ("work table", work_table(rows)?),
        ("growth table", growth_table(rows)?),
        ("signal table", signal_table(rows)?),
        ("transform table", transform_table(rows)?),
    ];
    sections.iter().try_fold(text.to_string(), |text, (name, table)| replaced(&text, name, table))
}

/// Writes the tables of all pages.
pub(crate) fn rewrite(root: &Path, rows: &[Row]) -> Result<()> {
    for page in PAGES {
        let path = root.join(page);
        let text = fs::read_to_string(&path).with_context(|| page.to_string())?;
        let text = updated(root, page, &text, rows)?;
        fs::write(&path, text).with_context(|| format!("cannot write {page}"))?;
    }
    Ok(())
}

/// `text` with `content` between the markers of this name.
pub(crate) fn replaced(text: &str, name: &str, content: &str) -> Result<String> {
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let start =
        text.find(&begin).with_context(|| format!("the page has no {begin}"))? + begin.len();
    let length = text[start..].find(&end).with_context(|| format!("the page has no {end}"))?;
    Ok(format!("{}{content}{}", &text[..start], &text[start + length..]))
}

/// Scores beside those of others.
fn score_table(rows: &[Row]) -> Result<String> {
    let mut table = Markdown::new(
        ["Cortex-M4F, instructions a reading".to_string()]
            .into_iter()
            .chain(SHAPES.map(|(r, d)| format!("{r} points, {d} inputs"))),
    );
    for (task, name) in [("score", "`KernelPca::score`"), ("detect", "`Detector::score`")] {
        for level in LEVELS {
            let counts = SHAPES.map(|(r, d)| {
                let case = Case { task, r, d, ..SCORE };
                row(rows, "m4f", &case, level).map(|row| grouped(row.instructions))
            });
            let counts = counts.into_iter().collect::<Result<Vec<_>>>()?;
            table.row([format!("{name}, opt-level {level}")].into_iter().chain(counts));
        }
    }
    for peer in PEERS {
        let counts = peer.instructions.map(|count| count.map_or_else(String::new, grouped));
        table.row([peer.name.to_string()].into_iter().chain(counts));
    }
    Ok(table.0)
}

/// Modelled cycles of a score beside its instructions, by the flags of the compiler, and of the
/// longest step of learning.
fn cycle_table(rows: &[Row]) -> String {
    let heading = ["instructions / cycles", "opt-level 3", "s", "z"];
    let mut table = Markdown::new(heading.map(str::to_string));
    let plain = Case { task: "detect", ..SCORE };
    let whole = Case { task: "detect-i16", precision: "i16", ..SCORE };
    let tuned = |case| Case { cpu: TUNED_CPU, ..case };
    let everywhere = |case| [("m0", case), ("m3", case), ("m4f", case), ("m4f", tuned(case))];
    let step = longest("longest-step");
    let lines = [
        ("`Detector::score`", &everywhere(plain)[..]),
        ("`QuantisedDetector::score`", &everywhere(whole)),
        ("longest `Learner::step`", &[("m0", step), ("m4f", step)]),
    ];
    for (name, lines) in lines {
        for (board, case) in lines {
            let flags = match case.cpu {
                "" => String::new(),
                cpu => format!(", `-Ctarget-cpu={cpu}`"),
            };
            let both = |row: &Row| format!("{} / {}", rounded(row.instructions), cycles(row));
            let cells = LEVELS.map(|level| cell(rows, board, case, level, both));
            table.row([format!("{name}, {}{flags}", core(board))].into_iter().chain(cells));
        }
    }
    table.0
}

/// What a row says; a dash if there is none, because somebody has measured other boards only.
fn cell(
    rows: &[Row],
    board: &str,
    case: &Case,
    level: &str,
    says: impl Fn(&Row) -> String,
) -> String {
    row(rows, board, case, level).map_or_else(|_| NOTHING.to_string(), says)
}

pub(crate) const NOTHING: &str = "–";

fn cycles(row: &Row) -> String {
    row.cycles.map_or_else(|| NOTHING.to_string(), rounded)
}

/// One score on every core.
fn core_table(rows: &[Row]) -> Result<String> {
    let mut table = Markdown::new(
        ["core", "opt-level 3", "s", "z", "stack", "flash at 3", "s", "z"].map(str::to_string),
    );
    let lines = BOARDS.iter().map(|board| (board.name, SCORE));
    // Other precisions on the smallest core and on the usual one.
    let others = EVERYWHERE.iter().filter(|case| {
        ["score", "detect-i16"].contains(&case.task)
            && (case.r, case.d, case.p) == (SCORE.r, SCORE.d, SCORE.p)
            && **case != SCORE
    });
    let others = others.flat_map(|case| {
        let boards: &[&str] = match case.precision {
            "i16" => &["m0", "m3", "m4f", "rv32imac"],
            _ => &["m0", "m4f"],
        };
        boards.iter().map(|board| (*board, *case))
    });
    for (board, case) in lines.chain(others) {
        let at = |level| row(rows, board, &case, level);
        let (three, s, z) = (at("3")?, at("s")?, at("z")?);
        let most = three.stack_bytes.max(s.stack_bytes).max(z.stack_bytes);
        table.row([
            format!("{}, `{}`", core(board), case.precision),
            grouped(three.instructions),
            grouped(s.instructions),
            grouped(z.instructions),
            grouped(most),
            grouped(three.flash_bytes),
            grouped(s.flash_bytes),
            grouped(z.flash_bytes),
        ]);
    }
    Ok(table.0)
}

/// The Cortex-M7 runs the Cortex-M4F's firmware.
const SHOWN: [&str; 5] = ["m0", "m3", "m4f", "m33", "rv32imac"];

/// What takes longer than a score.
fn work_table(rows: &[Row]) -> Result<String> {
    let heading = ["opt-level 3".to_string()].into_iter().chain(SHOWN.map(core));
    let others = ["M4F, cycles", "stack", "RAM", "flash at 3, s, z"];
    let mut table = Markdown::new(heading.chain(others.map(str::to_string)));
    let long =
        |case: &&Case| (case.n > 0 || case.task == "contributions") && !SIGNALS.contains(case);
    for case in EVERYWHERE.iter().filter(long) {
        let sizes = [("n", case.n), ("d", case.d), ("r", case.r), ("P", case.p)];
        let sizes = sizes.iter().filter(|(_, size)| *size > 0);
        let sizes: Vec<String> = sizes.map(|(name, size)| format!("{name} {size}")).collect();
        let mut cells = vec![format!("`{}` {}", case.task, sizes.join(", "))];
        cells.extend(
            SHOWN.map(|board| cell(rows, board, case, "3", |row| rounded(row.instructions))),
        );
        let here = row(rows, "m4f", case, "3")?;
        cells.extend([cycles(here), grouped(here.stack_bytes), grouped(here.ram_bytes)]);
        let flash = |level| cell(rows, "m4f", case, level, |row| grouped(row.flash_bytes));
        cells.push(LEVELS.map(flash).join(" / "));
        table.row(cells);
    }
    Ok(table.0)
}

/// Straight lines, and the one that is none.
fn growth_table(rows: &[Row]) -> Result<String> {
    let mut table = Markdown::new(
        ["Cortex-M4F, opt-level 3", "sizes", "instructions", "straight line", "off by at most"]
            .map(str::to_string),
    );
    for series in growth::series(rows)? {
        let join = |cell: fn(&growth::Point) -> String| {
            series.points.iter().map(cell).collect::<Vec<_>>().join(" / ")
        };
        let Series { task, letter, title, line, .. } = &series;
        table.row([
            format!("`{task}`: {title}"),
            join(|point| point.size.to_string()),
            join(|point| rounded(point.instructions as u64)),
            format!("{}·{letter} + {}", rounded(line.slope as u64), rounded(line.intercept as u64)),
            format!("{:.1} %", 100.0 * series.deviation()),
        ]);
    }
    let counts = FIT_POINTS.map(|r| growth::count(rows, &Case { r, ..FIT }).map(rounded));
    table.row([
        format!("`{}`: points r, with n = {}, d = {}, P = {}", FIT.task, FIT.n, FIT.d, FIT.p),
        FIT_POINTS.map(|r| r.to_string()).join(" / "),
        counts.into_iter().collect::<Result<Vec<_>>>()?.join(" / "),
        "none: it has terms in r² and r³".to_string(),
        String::new(),
    ]);
    Ok(table.0)
}

/// What is made of raw samples.
fn signal_table(rows: &[Row]) -> Result<String> {
    let heading = ["opt-level 3".to_string()].into_iter().chain(SHOWN.map(core));
    let others = ["M4F, a sample and channel", "M4F, cycles", "stack", "flash at 3, s, z", "RAM"];
    let mut table = Markdown::new(heading.chain(others.map(str::to_string)));
    for case in SIGNALS {
        let mut cells = vec![format!("`{}` n {}, d {}", case.task, case.n, case.d)];
        for board in SHOWN {
            cells.push(grouped(row(rows, board, case, "3")?.instructions));
        }
        let here = row(rows, "m4f", case, "3")?;
        // What a step works on is one channel; what is stored is one sample.
        let numbers = match case.task {
            "window" | "window-bands" => f64::from(case.n * case.d),
            "take" => f64::from(case.d),
            _ => f64::from(case.n),
        };
        cells.push(format!("{:.1}", here.instructions as f64 / numbers));
        cells.extend([cycles(here), grouped(here.stack_bytes)]);
        let flash = |level| row(rows, "m4f", case, level).map(|row| grouped(row.flash_bytes));
        cells.push(LEVELS.map(flash).into_iter().collect::<Result<Vec<_>>>()?.join(" / "));
        cells.push(grouped(here.ram_bytes));
        table.row(cells);
    }
    Ok(table.0)
}

/// The transform alone beside another one.
fn transform_table(rows: &[Row]) -> Result<String> {
    let mut table = Markdown::new(
        ["Cortex-M4F, instructions / cycles".to_string()]
            .into_iter()
            .chain(TRANSFORMS.map(|n| format!("{n} samples"))),
    );
    for level in LEVELS {
        let count = |n| {
            row(rows, "m4f", &transform(n), level)
                .map(|row| format!("{} / {}", grouped(row.instructions), cycles(row)))
        };
        let counts = TRANSFORMS.map(count);
        let counts = counts.into_iter().collect::<Result<Vec<_>>>()?;
        table.row([format!("`power_spectrum`, opt-level {level}")].into_iter().chain(counts));
    }
    let cmsis = CMSIS_TRANSFORM
        .map(|(instructions, cycles)| format!("{} / {}", grouped(instructions), grouped(cycles)));
    table.row(["CMSIS-DSP `arm_rfft_fast_f32`, gcc −O2".to_string()].into_iter().chain(cmsis));
    Ok(table.0)
}

fn core(board: &str) -> String {
    match board {
        "rv32imac" => "RV32IMAC".to_string(),
        "m4f" => "Cortex-M4F".to_string(),
        other => format!("Cortex-{}", other.to_uppercase()),
    }
}

pub(crate) fn row<'a>(rows: &'a [Row], board: &str, case: &Case, level: &str) -> Result<&'a Row> {
    let key = Key::new(board, case, level);
    let found = rows.iter().find(|row| row.key == key);
    found.with_context(|| format!("{} is not in the CSV file", key.describe()))
}

/// 1,234,567.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Three digits of a large number.
pub(crate) fn rounded(number: u64) -> String {
    let three = |number: f64| {
        let decimals = if number < 10.0 { 2 } else { usize::from(number < 100.0) };
        format!("{number:.decimals$}")
    };
    match number {
        ..100_000 => grouped(number),
        100_000..1_000_000 => format!("{} k", three(number as f64 / 1e3)),
        _ => format!("{} M", three(number as f64 / 1e6)),
    }
}

/// A table, row by row.
pub(crate) struct Markdown(String);

impl Markdown {
    pub(crate) fn new(heading: impl IntoIterator<Item = String>) -> Markdown {
        let mut table = Markdown(String::new());
        let cells: Vec<String> = heading.into_iter().collect();
        let rule = cells.iter().map(|_| "---").collect::<Vec<_>>().join("|");
        table.row(cells);
        // Writing to a string cannot fail.
        let _ = writeln!(table.0, "|{rule}|");
        table
    }

    pub(crate) fn text(self) -> String {
        self.0
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<String> = cells.into_iter().collect();
        let _ = writeln!(self.0, "| {} |", cells.join(" | "));
    }
}

/// Fails unless the README shows these rows.
pub(crate) fn require_current(root: &Path, rows: &[Row]) -> Result<()> {
    for page in PAGES {
        let text = fs::read_to_string(root.join(page)).with_context(|| page.to_string())?;
        let current = updated(root, page, &text, rows)? == text;
        ensure!(
            current,
            "{page} is not what docs/bench.csv and docs/others.csv say: run `cargo xtask bench --update`"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::record;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(rounded(99_999), "99,999");
        assert_eq!(rounded(598_440), "598 k");
        assert_eq!(rounded(6_648_331), "6.65 M");
        assert_eq!(rounded(188_232_507), "188 M");
    }

    #[test]
    fn a_section_is_replaced_and_nothing_else() {
        let text = "a\n<!-- t -->\nold\n<!-- end of t -->\nb\n";
        let expected = "a\n<!-- t -->\nnew\n<!-- end of t -->\nb\n";
        assert_eq!(replaced(text, "t", "new\n").unwrap(), expected);
        let error = replaced(text, "u", "new\n").unwrap_err().to_string();
        assert!(error.contains("<!-- u -->"), "{error}");
    }

    #[test]
    fn tables_have_a_rule_below_their_heading() {
        let mut table = Markdown::new(["a".to_string(), "b".to_string()]);
        table.row(["1".to_string(), "2".to_string()]);
        assert_eq!(table.0, "| a | b |\n|---|---|\n| 1 | 2 |\n");
    }

    #[test]
    fn cores_have_their_usual_names() {
        assert_eq!(core("m0"), "Cortex-M0");
        assert_eq!(core("m4f"), "Cortex-M4F");
        assert_eq!(core("rv32imac"), "RV32IMAC");
    }

    #[test]
    fn the_readme_shows_the_committed_rows() {
        let rows = record::from_csv(include_str!("../../../docs/bench.csv")).unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        require_current(root, &rows).unwrap();
    }
}
