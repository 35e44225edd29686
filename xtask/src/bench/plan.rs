//! What is measured: the tasks of tests/device/bench, each in its shapes.

use anyhow::{Result, bail};

use super::build::INTEGERS;

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
    /// What the compiler tunes for beyond the target's default, its `-Ctarget-cpu`; or empty.
    pub(crate) cpu: &'static str,
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
    Case { task: "projector", ..SCORE },
    Case { task: "contributions", ..SCORE },
    fit_landmarks(128, 12, 32, 24),
    Case { task: "fit-exact", n: 64, d: 8, r: 0, p: 8, precision: "f32", ..SCORE },
    Case { task: "fit-exact", n: 128, d: 8, r: 0, p: 8, precision: "f32", ..SCORE },
    Case { task: "fit-exact-all", n: 32, d: 8, r: 0, p: 8, precision: "f32", ..SCORE },
    solve("eigen", 32),
    solve("jacobi", 16),
    solve("jacobi", 32),
    longest("longest-begin"),
    longest("longest-begin-trim"),
    longest("longest-step"),
    longest("longest-step-trim"),
    Case { task: "learn", n: 64, d: 6, r: 24, p: 16, precision: "f32", ..SCORE },
    // What it costs to learn in little RAM, beside the same with more of it.
    Case { task: "learn", n: 128, d: 12, r: 24, p: 12, precision: "f32", ..SCORE },
    Case { task: "learn-lean", n: 128, d: 12, r: 24, p: 12, precision: "f32", ..SCORE },
];

/// The longest of what a learner does at a time, without and with samples that are left out.
pub(crate) const fn longest(task: &'static str) -> Case {
    Case { task, n: 128, d: 12, r: 32, p: 24, ..SCORE }
}

/// Measured once more on the board for growth, tuned for its core.
pub(crate) const TUNED_CPU: &str = "cortex-m4";
const TUNED: &[Case] = &[
    Case { cpu: TUNED_CPU, ..SCORE },
    Case { task: "detect", cpu: TUNED_CPU, ..SCORE },
    Case { task: "detect-i16", precision: "i16", cpu: TUNED_CPU, ..SCORE },
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

pub(crate) const fn signal(task: &'static str, n: u32, d: u32) -> Case {
    Case { task, n, d, r: 0, p: 0, precision: "f32", cpu: "" }
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
    Case { task: "score", n: 0, d, r, p, precision: "f32", cpu: "" }
}

const fn fit_landmarks(n: u32, d: u32, r: u32, p: u32) -> Case {
    Case { task: "fit-landmarks", n, ..score(r, d, p) }
}

/// All eigenpairs of an `n × n` matrix.
const fn solve(task: &'static str, n: u32) -> Case {
    signal(task, n, 8)
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
        TUNED.iter().copied().for_each(&mut add);
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
    /// The firmware that does nothing, to compare sizes with.
    pub(crate) const EMPTY: Case = signal("empty", 0, 0);

    /// Does its firmware link a logarithm? In integers it has one of its own, and that of floats is
    /// for reasons only.
    pub(crate) fn takes_logarithms(&self) -> bool {
        // What takes a sample also does the work that is left.
        ["detect-log", "window", "window-bands", "channel", "channel-bands", "take"]
            .contains(&self.task)
    }

    /// The name of its firmware, which other cases may share: those that a firmware would do
    /// together anyhow, of which each alone takes the compiler as long as all.
    pub(crate) fn firmware(&self) -> String {
        let Case { task, n, d, r, p, precision, .. } = self;
        let task = if task.starts_with("longest-") { "longest" } else { task };
        format!("{task}_n{n}_d{d}_r{r}_p{p}_{precision}")
    }

    /// The task in Rust: a type of tests/device/bench.
    pub(crate) fn rust_type(&self) -> Result<String> {
        let Case { task, n, d, r, p, precision, .. } = self;
        let stream = |recipe: &str, name: &str| {
            format!("{name}<mercer::stream!({recipe}, f32, {d}, {n}, {n}), {n}, {d}>")
        };
        Ok(match (*task, *precision) {
            ("empty", _) => "bench::task::Empty".to_string(),
            ("score", "f64") => format!("ScoreDouble<{d}, {r}, {p}>"),
            ("score", _) => format!("Score<{d}, {r}, {p}>"),
            ("detect", _) => format!("Detect<{d}, {r}, {p}>"),
            ("detect-i16", _) => format!("DetectWhole<{INTEGERS}, {d}, {r}, {p}>"),
            ("detect-log", _) => format!("DetectLog<{d}, {r}, {p}>"),
            ("detect-log-i16", _) => format!("DetectLogWhole<{INTEGERS}, {d}, {r}, {p}>"),
            ("project", _) => format!("Project<{d}, {r}, {p}>"),
            ("projector", _) => format!("Projection<{d}, {r}, {p}>"),
            ("contributions", _) => format!("Contributions<{d}, {r}, {p}>"),
            ("fit-landmarks", _) => format!("FitLandmarks<{n}, {d}, {r}, {p}>"),
            // As many steps as `LeadingWorkspace` advises.
            ("fit-exact", _) => format!("FitExact<{n}, {d}, {p}, {}>", 4 * p),
            ("fit-exact-all", _) => format!("FitExactAll<{n}, {d}, {p}>"),
            ("eigen", _) => format!("Solve<TridiagonalQr<f32>, {n}, {d}>"),
            ("jacobi", _) => format!("Solve<Jacobi<f32>, {n}, {d}>"),
            ("learn", _) => format!("Learn<{n}, {d}, {r}, {p}>"),
            ("learn-lean", _) => format!("LearnLean<{n}, {d}, {r}, {p}>"),
            ("longest-begin", _) => format!("Begin<{n}, {d}, {r}, {p}, false>"),
            ("longest-begin-trim", _) => format!("Begin<{n}, {d}, {r}, {p}, true>"),
            ("longest-step", _) => format!("LongestStep<{n}, {d}, {r}, {p}, false>"),
            ("longest-step-trim", _) => format!("LongestStep<{n}, {d}, {r}, {p}, true>"),
            ("window", _) => stream("InTime", "Whole"),
            ("window-bands", _) => stream("WithBands", "Whole"),
            ("channel", _) => stream("InTime", "OneChannel"),
            ("channel-bands", _) => stream("WithBands", "OneChannel"),
            ("take", _) => stream("InTime", "Take"),
            ("fft", _) => format!("Transform<{n}>"),
            (other, _) => bail!("nobody knows how to measure {other}"),
        })
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
        let more = solvers + TRANSFORMS.len() + TUNED.len();
        assert_eq!(cases("m4f", "s").len(), everywhere + more);
        assert!(cases("m4f", "3").contains(&Case { n: 256, ..FIT }));
    }

    #[test]
    fn every_case_has_a_type_and_a_firmware() {
        for case in cases(GROWTH_BOARD, GROWTH_LEVEL) {
            assert!(case.rust_type().is_ok(), "{case:?}");
        }
        assert_eq!(SCORE.rust_type().unwrap(), "Score<8, 64, 4>");
        assert_eq!(longest("longest-step").firmware(), longest("longest-begin-trim").firmware());
        assert_ne!(SCORE.firmware(), Case { precision: "f64", ..SCORE }.firmware());
    }
}
