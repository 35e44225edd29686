//! What is measured: the tasks of tests/device/bench/tasks.rs, each in its shapes.

use std::process::Command;

/// A task in one shape. A size that it does not have is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Case {
    pub(crate) task: &'static str,
    /// Samples to learn from.
    pub(crate) n: u32,
    /// Inputs.
    pub(crate) d: u32,
    /// Points of the model.
    pub(crate) r: u32,
    /// Components.
    pub(crate) p: u32,
    pub(crate) precision: &'static str,
}

/// Measured on every board at every level. To add a task, add a line.
pub(crate) const EVERYWHERE: &[Case] = &[
    score(32, 3, 4),
    SCORE,
    score(128, 16, 4),
    Case { precision: "f64", ..SCORE },
    Case { task: "detect", ..score(32, 3, 4) },
    Case { task: "detect", ..SCORE },
    Case { task: "detect", ..score(128, 16, 4) },
    Case { task: "detect-i16", precision: "i16", ..SCORE },
    Case { task: "detect-log", ..SCORE },
    Case { task: "detect-log-i16", precision: "i16", ..SCORE },
    Case { task: "project", ..SCORE },
    Case { task: "contributions", ..SCORE },
    fit_landmarks(128, 12, 32, 24),
    Case { task: "fit-exact", n: 64, d: 8, r: 0, p: 8, precision: "f32" },
    Case { task: "fit-exact", n: 128, d: 8, r: 0, p: 8, precision: "f32" },
    Case { task: "fit-exact-all", n: 32, d: 8, r: 0, p: 8, precision: "f32" },
    solve("eigen", 32),
    solve("jacobi", 16),
    solve("jacobi", 32),
    Case { task: "learn", n: 64, d: 6, r: 24, p: 16, precision: "f32" },
];

/// What is made of raw samples, also everywhere: windows of `n` samples of `d` channels.
pub(crate) const SIGNALS: &[Case] = &[
    signal("window", 128, 3),
    signal("window", 256, 3),
    signal("window-bands", 128, 3),
    signal("window-bands", 256, 3),
    signal("channel", 256, 3),
    signal("channel-bands", 256, 3),
    signal("take", 256, 3),
];

const fn signal(task: &'static str, n: u32, d: u32) -> Case {
    Case { task, n, d, r: 0, p: 0, precision: "f32" }
}

/// Where the transform is compared with another, on the board for growth at every level.
pub(crate) const TRANSFORMS: [u32; 3] = [128, 256, 512];
pub(crate) const fn transform(n: u32) -> Case {
    signal("fft", n, 1)
}

/// Where growth is measured: the most common core with an FPU, at the level for speed.
pub(crate) const GROWTH_BOARD: &str = "m4f";
pub(crate) const GROWTH_LEVEL: &str = "3";

/// From here one size grows at a time.
pub(crate) const SCORE: Case = score(64, 8, 4);
pub(crate) const FIT: Case = fit_landmarks(128, 12, 16, 8);
pub(crate) const SCORE_POINTS: [u32; 5] = [16, 32, 64, 96, 128];
pub(crate) const SCORE_INPUTS: [u32; 5] = [2, 4, 8, 16, 32];
pub(crate) const SCORE_COMPONENTS: [u32; 5] = [4, 8, 16, 24, 32];
pub(crate) const FIT_SAMPLES: [u32; 5] = [32, 64, 128, 192, 256];
pub(crate) const FIT_POINTS: [u32; 5] = [12, 16, 24, 32, 48];

/// Where the two eigensolvers are compared, on the same board at every level.
pub(crate) const SOLVERS: [&str; 2] = ["eigen", "jacobi"];
pub(crate) const SOLVER_SIZES: [u32; 8] = [2, 3, 4, 8, 12, 16, 24, 32];

/// The optimisation levels of the release profile.
pub(crate) const LEVELS: [&str; 3] = ["3", "s", "z"];

const fn score(r: u32, d: u32, p: u32) -> Case {
    Case { task: "score", n: 0, d, r, p, precision: "f32" }
}

const fn fit_landmarks(n: u32, d: u32, r: u32, p: u32) -> Case {
    Case { task: "fit-landmarks", n, d, r, p, precision: "f32" }
}

/// All eigenpairs of an `n × n` matrix.
const fn solve(task: &'static str, n: u32) -> Case {
    Case { task, n, d: 8, r: 0, p: 0, precision: "f32" }
}

/// Everything that is measured on a board at a level.
pub(crate) fn cases(board: &str, level: &str) -> Vec<Case> {
    let mut cases = [EVERYWHERE, SIGNALS].concat();
    let mut add = |case: Case| {
        if !cases.contains(&case) {
            cases.push(case);
        }
    };
    if board == GROWTH_BOARD {
        SOLVERS.iter().flat_map(|task| SOLVER_SIZES.map(|n| solve(task, n))).for_each(&mut add);
        TRANSFORMS.map(transform).into_iter().for_each(&mut add);
    }
    if board == GROWTH_BOARD && level == GROWTH_LEVEL {
        SCORE_POINTS
            .map(|r| Case { r, ..SCORE })
            .into_iter()
            .chain(SCORE_INPUTS.map(|d| Case { d, ..SCORE }))
            .chain(SCORE_COMPONENTS.map(|p| Case { p, ..SCORE }))
            .chain(FIT_SAMPLES.map(|n| Case { n, ..FIT }))
            .chain(FIT_POINTS.map(|r| Case { r, ..FIT }))
            .for_each(add);
    }
    cases
}

/// The names of the tasks.
pub(crate) fn tasks() -> Vec<&'static str> {
    let mut names = Vec::new();
    for case in [EVERYWHERE, SIGNALS, &[transform(256)]].concat() {
        if !names.contains(&case.task) {
            names.push(case.task);
        }
    }
    names
}

impl Case {
    /// Does its firmware link a logarithm? In integers it has one of its own, and that of floats is for reasons only.
    pub(crate) fn takes_logarithms(&self) -> bool {
        // What takes a sample also does the work that is left.
        ["detect-log", "window", "window-bands", "channel", "channel-bands", "take"]
            .contains(&self.task)
    }

    /// The firmware that does nothing, to compare sizes with.
    pub(crate) const EMPTY: Case = Case { task: "empty", n: 0, d: 0, r: 0, p: 0, precision: "f32" };

    /// Tells the build of the firmware what it is to measure; see tests/device/bench/shape.rs.
    pub(crate) fn pass_to(&self, cargo: &mut Command) {
        cargo.env("BENCH_TASK", self.task).env("BENCH_PRECISION", self.precision);
        for (name, size) in
            [("BENCH_N", self.n), ("BENCH_D", self.d), ("BENCH_R", self.r), ("BENCH_P", self.p)]
        {
            match size {
                0 => cargo.env_remove(name),
                size => cargo.env(name, size.to_string()),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_case_is_measured_twice() {
        for (board, level) in [("m0", "z"), (GROWTH_BOARD, GROWTH_LEVEL)] {
            let cases = cases(board, level);
            for (i, case) in cases.iter().enumerate() {
                assert!(!cases[..i].contains(case), "{case:?}");
            }
        }
    }

    #[test]
    fn growth_is_measured_in_one_place() {
        let everywhere = EVERYWHERE.len() + SIGNALS.len();
        assert_eq!(cases("m7", "3").len(), everywhere);
        let solvers = SOLVERS.len() * SOLVER_SIZES.len() - 3;
        assert_eq!(cases("m4f", "s").len(), everywhere + solvers + TRANSFORMS.len());
        assert!(cases("m4f", "3").contains(&Case { n: 256, ..FIT }));
    }

    #[test]
    fn sizes_that_a_task_does_not_have_are_not_passed() {
        let mut cargo = Command::new("cargo");
        SCORE.pass_to(&mut cargo);
        let value = |name: &str| {
            let found = cargo.get_envs().find(|(key, _)| *key == name).unwrap();
            found.1.map(|value| value.to_string_lossy().into_owned())
        };
        assert_eq!(value("BENCH_TASK").as_deref(), Some("score"));
        assert_eq!(value("BENCH_R").as_deref(), Some("64"));
        assert_eq!(value("BENCH_N"), None);
    }
}
