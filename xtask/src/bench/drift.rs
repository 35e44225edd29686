//! A fresh run against the committed one.

use std::fmt;

use super::record::{Key, Row};
use crate::table::Table;

/// Counts repeat; this leaves room for another version of the compiler, and for changes nobody
/// would call slow.
const TOLERATED: f64 = 0.03;

/// How the fresh run differs.
#[derive(Debug, Default)]
pub(crate) struct Drift {
    slower: Vec<(Row, Row)>,
    faster: Vec<(Row, Row)>,
    larger: Vec<(Row, Row)>,
    missing: Vec<Key>,
    new: Vec<Key>,
}

impl Drift {
    pub(crate) fn between(committed: &[Row], fresh: &[Row]) -> Drift {
        let mut drift = Drift::default();
        for new in fresh {
            let Some(old) = committed.iter().find(|row| row.key == new.key) else {
                drift.new.push(new.key.clone());
                continue;
            };
            let pair = || (old.clone(), new.clone());
            let cycles = old.cycles.zip(new.cycles).unwrap_or_default();
            if rises(old.instructions, new.instructions) || rises(cycles.0, cycles.1) {
                drift.slower.push(pair());
            } else if rises(new.instructions, old.instructions) || rises(cycles.1, cycles.0) {
                drift.faster.push(pair());
            }
            if sizes(old).into_iter().zip(sizes(new)).any(|(from, to)| rises(from, to)) {
                drift.larger.push(pair());
            }
        }
        let gone = committed.iter().filter(|old| !fresh.iter().any(|new| new.key == old.key));
        drift.missing = gone.map(|row| row.key.clone()).collect();
        drift
    }

    /// Something is slower, or not the same rows were measured.
    pub(crate) fn fails(&self) -> bool {
        !(self.slower.is_empty() && self.missing.is_empty() && self.new.is_empty())
    }
}

fn sizes(row: &Row) -> [u64; 3] {
    [row.stack_bytes, row.ram_bytes, row.flash_bytes]
}

fn rises(from: u64, to: u64) -> bool {
    to as f64 > from as f64 * (1.0 + TOLERATED)
}

fn change(from: u64, to: u64) -> String {
    match from {
        0 => format!("{to:+}"),
        from => format!("{:+.1} %", 100.0 * (to as f64 / from as f64 - 1.0)),
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = 100.0 * TOLERATED;
        for (pairs, title) in [
            (&self.slower, format!("SLOWER by more than {percent} %")),
            (&self.faster, "better: run `cargo xtask bench --update`".to_string()),
        ] {
            if !pairs.is_empty() {
                let heading = ["committed", "now", "change", "cycles", "now", "change"];
                let mut table = Table::new([title.as_str()].into_iter().chain(heading));
                for (old, new) in pairs {
                    let (from, to) = (old.instructions, new.instructions);
                    let counts = [from.to_string(), to.to_string(), change(from, to)];
                    let cycles = match (old.cycles, new.cycles) {
                        (Some(from), Some(to)) => {
                            [from.to_string(), to.to_string(), change(from, to)]
                        }
                        _ => Default::default(),
                    };
                    table.row([old.key.describe()].into_iter().chain(counts).chain(cycles));
                }
                writeln!(f, "{table}")?;
            }
        }
        if !self.larger.is_empty() {
            let heading = ["larger (not a failure)", "stack", "now", "RAM", "now", "flash", "now"];
            let mut table = Table::new(heading);
            for (old, new) in &self.larger {
                let sizes = sizes(old).into_iter().zip(sizes(new));
                let cells = sizes.flat_map(|(from, to)| [from.to_string(), to.to_string()]);
                table.row([old.key.describe()].into_iter().chain(cells));
            }
            writeln!(f, "{table}")?;
        }
        for key in &self.missing {
            writeln!(f, "MISSING: {} is committed and was not measured", key.describe())?;
        }
        for key in &self.new {
            writeln!(f, "NEW: {} is not in the committed file", key.describe())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::plan::{Case, SCORE};

    fn row(r: u32, instructions: u64) -> Row {
        let key = Key::new("m4f", &Case { r, ..SCORE }, "3");
        let (cycles, stack_bytes, ram_bytes, flash_bytes) = (None, 100, 0, 1000);
        Row { key, instructions, cycles, stack_bytes, ram_bytes, flash_bytes }
    }

    #[test]
    fn three_percent_are_tolerated() {
        let drift = Drift::between(&[row(1, 1000)], &[row(1, 1030)]);
        assert!(!drift.fails());
        assert_eq!(drift.to_string(), "");
    }

    #[test]
    fn a_rise_fails_and_is_shown() {
        let drift = Drift::between(&[row(1, 1000), row(2, 50)], &[row(1, 1031), row(2, 50)]);
        assert!(drift.fails());
        let text = drift.to_string();
        assert!(text.contains("m4f score d=8 r=1 p=4 f32 at 3"), "{text}");
        assert!(text.contains("1000       1031  +3.1 %"), "{text}");
        assert!(!text.contains("r=2"), "{text}");
    }

    #[test]
    fn more_cycles_fail_too() {
        let cycles = |cycles| Row { cycles, ..row(1, 1000) };
        let drift = Drift::between(&[cycles(Some(2000))], &[cycles(Some(2100))]);
        assert!(drift.fails() && drift.to_string().contains("+5.0 %"), "{drift}");
        assert!(!Drift::between(&[cycles(Some(2000))], &[cycles(None)]).fails());
    }

    #[test]
    fn a_fall_is_shown_and_does_not_fail() {
        let drift = Drift::between(&[row(1, 1000)], &[row(1, 900)]);
        assert!(!drift.fails());
        assert!(drift.to_string().starts_with("better: run"), "{drift}");
    }

    #[test]
    fn rows_must_be_the_same() {
        let drift = Drift::between(&[row(1, 10)], &[row(2, 10)]);
        assert!(drift.fails());
        let text = drift.to_string();
        assert!(text.contains("MISSING: m4f score d=8 r=1"), "{text}");
        assert!(text.contains("NEW: m4f score d=8 r=2"), "{text}");
    }

    #[test]
    fn more_flash_is_shown() {
        let more = Row { flash_bytes: 1100, ..row(1, 10) };
        let drift = Drift::between(&[row(1, 10)], &[more]);
        assert!(!drift.fails());
        assert!(drift.to_string().contains("1000   1100"), "{drift}");
    }
}
