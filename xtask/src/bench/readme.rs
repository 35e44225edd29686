//! The tables in README.md, made from the committed rows.

use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};

use super::growth::{self, Series};
use super::peers::{CMSIS_TRANSFORM, PEERS, SHAPES};
use super::plan::{
    Case, EVERYWHERE, FIT, FIT_POINTS, LEVELS, SCORE, SIGNALS, TRANSFORMS, transform,
};
use super::record::{Key, Row};
use crate::board::BOARDS;

/// All sections of `readme`, rewritten.
pub(crate) fn updated(readme: &str, rows: &[Row]) -> Result<String> {
    let sections = [
        ("score table", score_table(rows)?),
        ("core table", core_table(rows)?),
        ("work table", work_table(rows)?),
        ("growth table", growth_table(rows)?),
        ("signal table", signal_table(rows)?),
        ("transform table", transform_table(rows)?),
    ];
    sections.iter().try_fold(readme.to_string(), |text, (name, table)| replaced(&text, name, table))
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
    let heading = heading.chain(["stack".to_string(), "flash at 3, s, z".to_string()]);
    let mut table = Markdown::new(heading);
    let long =
        |case: &&Case| (case.n > 0 || case.task == "contributions") && !SIGNALS.contains(case);
    for case in EVERYWHERE.iter().filter(long) {
        let sizes = [("n", case.n), ("d", case.d), ("r", case.r), ("P", case.p)];
        let sizes = sizes.iter().filter(|(_, size)| *size > 0);
        let sizes: Vec<String> = sizes.map(|(name, size)| format!("{name} {size}")).collect();
        let mut cells = vec![format!("`{}` {}", case.task, sizes.join(", "))];
        for board in SHOWN {
            cells.push(rounded(row(rows, board, case, "3")?.instructions));
        }
        cells.push(grouped(row(rows, "m4f", case, "3")?.stack_bytes));
        let flash = |level| row(rows, "m4f", case, level).map(|row| grouped(row.flash_bytes));
        cells.push(LEVELS.map(flash).into_iter().collect::<Result<Vec<_>>>()?.join(" / "));
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
    let others = ["M4F, a sample and channel", "stack", "flash at 3, s, z", "RAM"];
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
        cells.push(grouped(here.stack_bytes));
        let flash = |level| row(rows, "m4f", case, level).map(|row| grouped(row.flash_bytes));
        cells.push(LEVELS.map(flash).into_iter().collect::<Result<Vec<_>>>()?.join(" / "));
        cells.push(grouped(stream_bytes(case)));
        table.row(cells);
    }
    Ok(table.0)
}

/// RAM of the stream on a core of 32 bits, as its firmware asserts.
fn stream_bytes(case: &Case) -> u64 {
    let (outputs, spectrum) = if case.task.ends_with("-bands") { (6, case.n) } else { (3, 0) };
    u64::from(4 * (case.n * case.d + spectrum + outputs * case.d) + 32)
}

/// The transform alone beside another one.
fn transform_table(rows: &[Row]) -> Result<String> {
    let mut table = Markdown::new(
        ["Cortex-M4F, instructions".to_string()]
            .into_iter()
            .chain(TRANSFORMS.map(|n| format!("{n} samples"))),
    );
    for level in LEVELS {
        let counts = TRANSFORMS
            .map(|n| row(rows, "m4f", &transform(n), level).map(|row| grouped(row.instructions)));
        let counts = counts.into_iter().collect::<Result<Vec<_>>>()?;
        table.row([format!("`power_spectrum`, opt-level {level}")].into_iter().chain(counts));
    }
    let cmsis = CMSIS_TRANSFORM.map(grouped);
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

fn row<'a>(rows: &'a [Row], board: &str, case: &Case, level: &str) -> Result<&'a Row> {
    let key = Key::new(board, case, level);
    let found = rows.iter().find(|row| row.key == key);
    found.with_context(|| format!("{} is not in the CSV file", key.describe()))
}

/// 1,234,567.
fn grouped(number: u64) -> String {
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
fn rounded(number: u64) -> String {
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
struct Markdown(String);

impl Markdown {
    fn new(heading: impl IntoIterator<Item = String>) -> Markdown {
        let mut table = Markdown(String::new());
        let cells: Vec<String> = heading.into_iter().collect();
        let rule = cells.iter().map(|_| "---").collect::<Vec<_>>().join("|");
        table.row(cells);
        // Writing to a string cannot fail.
        let _ = writeln!(table.0, "|{rule}|");
        table
    }

    fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<String> = cells.into_iter().collect();
        let _ = writeln!(self.0, "| {} |", cells.join(" | "));
    }
}

/// Fails unless the README shows these rows.
pub(crate) fn require_current(readme: &str, rows: &[Row]) -> Result<()> {
    let current = updated(readme, rows)? == readme;
    ensure!(current, "README.md is not what docs/bench.csv says: run `cargo xtask bench --update`");
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
        require_current(include_str!("../../../README.md"), &rows).unwrap();
    }
}
