//! What is wanted, beside what was measured.
//!
//! A goal that the committed counts meet must stay met; one that they do not is shown.

use std::fmt;

use super::peers::CMSIS_TRANSFORM;
use super::plan::{
    self, Case, EVERYWHERE, SCORE, SIGNALS, TRANSFORMS, TUNED_CPU, longest, signal, transform,
};
use super::record::{Key, Row};
use crate::table::Table;

/// Which number of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    Instructions,
    Cycles,
    Flash,
}

impl What {
    fn of(self, row: &Row) -> Option<u64> {
        match self {
            What::Instructions => Some(row.instructions),
            What::Cycles => row.cycles,
            What::Flash => Some(row.flash_bytes),
        }
    }

    fn name(self) -> &'static str {
        match self {
            What::Instructions => "instructions",
            What::Cycles => "cycles",
            What::Flash => "bytes of flash",
        }
    }
}

/// No more than so many, in a row.
#[derive(Clone, Debug)]
struct Goal {
    key: Key,
    what: What,
    most: u64,
}

const M4F: &str = "m4f";
const DETECT: Case = Case { task: "detect", ..SCORE };
const WHOLE: Case = Case { task: "detect-i16", precision: "i16", ..SCORE };

/// Instructions of a window's features in time for a sample of a channel.
const PER_SAMPLE: u64 = 40;

fn goals() -> Vec<Goal> {
    use What::{Cycles, Flash, Instructions};
    let mut goals = Vec::new();
    let mut goal = |board: &str, case: Case, level: &str, what: What, most: u64| {
        goals.push(Goal { key: Key::new(board, &case, level), what, most });
    };
    let tuned = Case { cpu: TUNED_CPU, ..DETECT };
    goal(M4F, DETECT, "3", Cycles, 5_600);
    goal(M4F, DETECT, "s", Cycles, 7_000);
    goal(M4F, tuned, "3", Cycles, 4_800);
    goal(M4F, tuned, "s", Cycles, 6_100);
    // A tenth more than when these goals were set.
    goal(M4F, DETECT, "3", Instructions, 3_316);
    goal(M4F, DETECT, "s", Instructions, 4_455);
    goal(M4F, WHOLE, "3", Cycles, 5_000);
    // No more than before those cycles were saved.
    for (board, counts) in [("m0", [7_142, 8_243, 9_170]), ("m3", [4_479, 5_909, 6_629])] {
        for (level, most) in plan::LEVELS.into_iter().zip(counts) {
            goal(board, WHOLE, level, Instructions, most);
        }
    }
    // Two and a half scores: so many took 3,078, 3,554 and 4,018.
    let contributions = Case { task: "contributions", ..SCORE };
    for (level, most) in plan::LEVELS.into_iter().zip([7_695, 8_885, 10_045]) {
        goal(M4F, contributions, level, Instructions, most);
    }
    let learn = EVERYWHERE.iter().find(|case| case.task == "learn");
    goal(M4F, *learn.unwrap_or(&SCORE), "3", Instructions, 4_600_000);
    for task in ["longest-begin", "longest-begin-trim", "longest-step", "longest-step-trim"] {
        goal(M4F, longest(task), "3", Instructions, 64_000);
        goal(M4F, longest(task), "s", Instructions, 110_000);
    }
    goal(M4F, DETECT, "s", Flash, 2_400);
    goal(M4F, DETECT, "3", Flash, 4_000);
    goal("m0", WHOLE, "s", Flash, 2_000);
    for n in [128, 256] {
        let window = signal("window", n, 3);
        debug_assert!(SIGNALS.contains(&window));
        goal(M4F, window, "3", Instructions, PER_SAMPLE * u64::from(n * window.d));
    }
    // Half as much again as CMSIS-DSP.
    for (n, (instructions, cycles)) in TRANSFORMS.into_iter().zip(CMSIS_TRANSFORM) {
        goal(M4F, transform(n), "3", Instructions, instructions * 3 / 2);
        goal(M4F, transform(n), "3", Cycles, cycles * 3 / 2);
    }
    goals
}

/// The goals beside the committed counts and fresh ones.
#[derive(Debug)]
pub(crate) struct Goals(Vec<(Goal, Option<u64>, Option<u64>)>);

impl Goals {
    pub(crate) fn beside(committed: &[Row], fresh: &[Row]) -> Goals {
        let find = |rows: &[Row], goal: &Goal| {
            rows.iter().find(|row| row.key == goal.key).and_then(|row| goal.what.of(row))
        };
        let beside = |goal: Goal| {
            let (before, now) = (find(committed, &goal), find(fresh, &goal));
            (goal, before, now)
        };
        Goals(goals().into_iter().map(beside).collect())
    }

    /// One was met and is not any more.
    pub(crate) fn fails(&self) -> bool {
        self.0.iter().any(|(goal, before, now)| lost(goal, *before, *now))
    }
}

fn lost(goal: &Goal, before: Option<u64>, now: Option<u64>) -> bool {
    before.is_some_and(|count| count <= goal.most) && now.is_some_and(|count| count > goal.most)
}

impl fmt::Display for Goals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(["goal", "at most", "committed", "now", ""]);
        let (mut met, mut measured) = (0, 0);
        for (goal, before, now) in &self.0 {
            let shown =
                |count: &Option<u64>| count.map_or_else(|| "–".to_string(), |n| n.to_string());
            let verdict = match now.or(*before) {
                _ if lost(goal, *before, *now) => "LOST",
                None => "not measured",
                Some(count) if count <= goal.most => "met",
                Some(_) => "not met",
            };
            met += usize::from(verdict == "met");
            measured += usize::from(verdict != "not measured");
            let name = format!("{}, {}", goal.key.describe(), goal.what.name());
            let cells = [name, goal.most.to_string(), shown(before), shown(now)];
            table.row(cells.into_iter().chain([verdict.to_string()]));
        }
        writeln!(f, "{table}")?;
        writeln!(f, "{met} of {measured} goals are met")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::selection::Selection;

    fn row(case: &Case, level: &str, cycles: Option<u64>) -> Row {
        let key = Key::new(M4F, case, level);
        let (instructions, stack_bytes, ram_bytes, flash_bytes) = (3_000, 0, 0, 5_000);
        Row { key, instructions, cycles, stack_bytes, ram_bytes, flash_bytes }
    }

    #[test]
    fn every_goal_is_measured() {
        let keys = Selection::everything().keys();
        for goal in goals() {
            assert!(keys.contains(&goal.key), "{goal:?}");
        }
    }

    #[test]
    fn a_goal_that_was_met_must_stay_met() {
        let (met, missed) = (row(&DETECT, "3", Some(5_600)), row(&DETECT, "3", Some(5_601)));
        let lost = Goals::beside(std::slice::from_ref(&met), std::slice::from_ref(&missed));
        assert!(lost.fails() && lost.to_string().contains("LOST"), "{lost}");
        let never = Goals::beside(std::slice::from_ref(&missed), std::slice::from_ref(&missed));
        assert!(!never.fails() && never.to_string().contains("not met"), "{never}");
        let reached = Goals::beside(&[missed], &[met]);
        assert!(!reached.fails() && reached.to_string().contains("met"), "{reached}");
    }

    #[test]
    fn what_was_not_measured_is_not_lost() {
        let met = row(&DETECT, "3", Some(5_600));
        let without = row(&DETECT, "3", None);
        assert!(!Goals::beside(std::slice::from_ref(&met), &[]).fails());
        assert!(!Goals::beside(&[met], &[without]).fails());
    }
}
