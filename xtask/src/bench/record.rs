//! The results, as rows of a CSV file.

use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};

use super::plan::Case;

const HEADER: &str =
    "board,task,n,d,r,p,precision,cpu,opt,instructions,cycles,stack_bytes,ram_bytes,flash_bytes";

/// What was measured: where, which task in which shape, and how it was built.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Key {
    pub(crate) board: String,
    pub(crate) task: String,
    pub(crate) n: u32,
    pub(crate) d: u32,
    pub(crate) r: u32,
    pub(crate) p: u32,
    pub(crate) precision: String,
    /// What the compiler tuned for, beyond the target's default.
    pub(crate) cpu: String,
    pub(crate) opt: String,
}

/// One measurement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) key: Key,
    pub(crate) instructions: u64,
    /// Modelled, for cores that there is a model of.
    pub(crate) cycles: Option<u64>,
    pub(crate) stack_bytes: u64,
    /// What the caller has to own, beside the stack.
    pub(crate) ram_bytes: u64,
    pub(crate) flash_bytes: u64,
}

impl Key {
    pub(crate) fn new(board: &str, case: &Case, opt: &str) -> Key {
        let Case { task, n, d, r, p, precision, cpu } = *case;
        let [board, task, precision, cpu, opt] =
            [board, task, precision, cpu, opt].map(str::to_string);
        Key { board, task, n, d, r, p, precision, cpu, opt }
    }

    /// The first nine fields of a row; a size that a task does not have is left empty.
    fn fields(&self) -> String {
        let size = |size: u32| if size == 0 { String::new() } else { size.to_string() };
        let sizes = [self.n, self.d, self.r, self.p].map(size).join(",");
        let Key { board, task, precision, cpu, opt, .. } = self;
        format!("{board},{task},{sizes},{precision},{cpu},{opt}")
    }

    /// For people.
    pub(crate) fn describe(&self) -> String {
        let sizes = [("n", self.n), ("d", self.d), ("r", self.r), ("p", self.p)];
        let sizes = sizes.iter().filter(|(_, size)| *size > 0);
        let sizes: String = sizes.map(|(name, size)| format!(" {name}={size}")).collect();
        let Key { board, task, precision, cpu, opt, .. } = self;
        let cpu = if cpu.is_empty() { String::new() } else { format!(" for {cpu}") };
        format!("{board} {task}{sizes} {precision} at {opt}{cpu}")
    }
}

pub(crate) fn to_csv(rows: &[Row]) -> String {
    let mut text = format!("{HEADER}\n");
    for Row { key, instructions, cycles, stack_bytes, ram_bytes, flash_bytes } in rows {
        let (key, cycles) = (key.fields(), cycles.map_or_else(String::new, |n| n.to_string()));
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "{key},{instructions},{cycles},{stack_bytes},{ram_bytes},{flash_bytes}");
    }
    text
}

pub(crate) fn from_csv(text: &str) -> Result<Vec<Row>> {
    let mut lines = text.lines().enumerate();
    let header = lines.next().map_or("", |(_, line)| line);
    ensure!(header == HEADER, "the first line is not {HEADER}");
    lines.map(|(i, line)| row(line).with_context(|| format!("line {}", i + 1))).collect()
}

fn row(line: &str) -> Result<Row> {
    let fields: Vec<&str> = line.split(',').collect();
    let [board, task, n, d, r, p, precision, cpu, opt, counts @ ..] = fields.as_slice() else {
        anyhow::bail!("{} fields", fields.len());
    };
    let [instructions, cycles, stack_bytes, ram_bytes, flash_bytes] = *counts else {
        anyhow::bail!("{} fields", fields.len());
    };
    let size = |field: &str| if field.is_empty() { Ok(0) } else { field.parse() };
    let (n, d, r, p) = (size(n)?, size(d)?, size(r)?, size(p)?);
    let [board, task, precision, cpu, opt] =
        [board, task, precision, cpu, opt].map(|s| s.to_string());
    Ok(Row {
        key: Key { board, task, n, d, r, p, precision, cpu, opt },
        instructions: instructions.parse()?,
        cycles: if cycles.is_empty() { None } else { Some(cycles.parse()?) },
        stack_bytes: stack_bytes.parse()?,
        ram_bytes: ram_bytes.parse()?,
        flash_bytes: flash_bytes.parse()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::plan::SCORE;

    #[test]
    fn rows_survive_the_file() {
        let fit = Case { task: "fit", n: 32, r: 0, ..SCORE };
        let tuned = Case { cpu: "cortex-m7", ..fit };
        let row = |key, instructions, cycles| Row {
            key,
            instructions,
            cycles,
            stack_bytes: 8,
            ram_bytes: 6,
            flash_bytes: 9,
        };
        let rows = [
            row(Key::new("m0", &SCORE, "3"), 7, Some(12)),
            row(Key::new("m7", &tuned, "z"), 1 << 33, None),
        ];
        let text = to_csv(&rows);
        assert!(text.contains("\nm0,score,,8,64,4,f32,,3,7,12,8,6,9\n"), "{text}");
        assert!(text.contains(",cortex-m7,z,8589934592,,8,6,9\n"), "{text}");
        assert_eq!(from_csv(&text).unwrap(), rows);
    }

    #[test]
    fn a_bad_line_is_named() {
        let text = format!("{HEADER}\nm0,score,,8,64,4,f32,,3,7,,8,0,9\nm0,score\n");
        let error = format!("{:#}", from_csv(&text).unwrap_err());
        assert!(error.starts_with("line 3"), "{error}");
        assert!(from_csv("a,b\n").is_err());
    }

    #[test]
    fn descriptions_leave_out_what_is_not_there() {
        let key = Key::new("m0", &SCORE, "3");
        assert_eq!(key.describe(), "m0 score d=8 r=64 p=4 f32 at 3");
    }
}
