//! The tables in the README and beside it say what is true.
//!
//! `MERCER_UPDATE=1 cargo test --test readme` writes them anew.

mod document;

use std::fmt::Write as _;
use std::path::Path;

use mercer::kernel::Rbf;
use mercer::kpca::{ExactWorkspace, LandmarkWorkspace};
use mercer::math::{Fast, Math, Real};
use mercer::{Detector, GaussianLearner, KernelPca, LeanLearner, Learner, QuantisedDetector};

#[test]
fn tables_are_true() {
    require_section("docs/MEMORY.md", "memory table", &memory_table());
    require_section("README.md", "learner table", &learner_table());
    require_section("docs/MEMORY.md", "lean table", &lean_table());
    require_section("docs/MEMORY.md", "lean cost", &lean_cost());
}

/// Names of types that exist, or this would not compile.
macro_rules! types {
    ($($module:ident)::+ { $($name:ident),* }) => {{
        #[allow(unused_imports)]
        use $($module)::+::{$($name),*};
        [$(stringify!($name)),*]
    }};
}

#[test]
fn topics_have_a_type_and_an_example() {
    let mut known = types!(mercer { Alarm, Detector, KernelPca, Learner, Monitor }).to_vec();
    known.extend(types!(mercer::methods {
        KernelFisher,
        KernelKMeans,
        KernelRidge,
        Pca,
        PreImages,
        RelevantDimension
    }));
    known.extend(types!(mercer::kernel { Normalised, Product, Spectrum, Sum }));
    known.extend(types!(mercer::methods::graph { Diffusion }));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/METHODS.md")).expect("it can be read");
    let (_, table) = page.split_once("<!-- topics -->\n").expect("the table begins");
    let (table, _) = table.split_once("<!-- end of topics -->").expect("the table ends");
    let mut examples = 0;
    for line in table.lines().skip(2) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let names = |cell: &str| -> Vec<String> {
            cell.split(',')
                .map(|name| name.trim().replace('`', ""))
                .filter(|n| !n.is_empty())
                .collect()
        };
        for name in names(cells[2]) {
            assert!(known.contains(&name.as_str()), "there is no type {name}: {line}");
        }
        for name in names(cells[3]) {
            let file = |suffix: &str| root.join(format!("examples/{name}{suffix}")).is_file();
            assert!(file(".rs") || file("/main.rs"), "there is no example {name}: {line}");
            examples += 1;
        }
    }
    assert!(examples >= 14, "the table has {examples} examples");
}

fn memory_table() -> String {
    let mut table = String::from(
        "| fit | samples × inputs | points | components | model | workspace | samples | to learn, in all |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    landmarks::<f32, 55, 12, 18, 16>(&mut table, "landmarks (example `fit`)");
    landmarks::<f32, 64, 6, 24, 8>(&mut table, "landmarks");
    landmarks::<f32, 128, 12, 32, 24>(&mut table, "landmarks");
    landmarks::<f32, 128, 12, 48, 24>(&mut table, "landmarks");
    landmarks::<f64, 128, 12, 48, 24>(&mut table, "landmarks, `f64`");
    exact::<f32, 32, 6, 8>(&mut table, "exact");
    exact::<f32, 64, 6, 8>(&mut table, "exact");
    table
}

fn learner_table() -> String {
    let mut table = String::from(
        "| samples × inputs | points | components | `Learner`, all of it | its `Detector` | stored | `QuantisedDetector` |\n\
         |---|---|---|---|---|---|---|\n",
    );
    learner::<32, 6, 12, 8>(&mut table);
    learner::<64, 6, 24, 16>(&mut table);
    learner::<100, 12, 32, 24>(&mut table);
    learner::<128, 12, 48, 24>(&mut table);
    table
}

fn lean_table() -> String {
    let mut table = String::from(
        "| samples × inputs | points | components | `GaussianLearner` | `LeanLearner` | of that, its `Detector` |\n\
         |---|---|---|---|---|---|\n",
    );
    lean::<64, 6, 16, 8>(&mut table);
    lean::<110, 12, 24, 12>(&mut table);
    lean::<128, 12, 24, 12>(&mut table);
    lean::<128, 12, 48, 24>(&mut table);
    lean::<512, 12, 48, 24>(&mut table);
    table
}

/// What learning takes on cores without and with an FPU, by both learners, as counted.
fn lean_cost() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/bench.csv");
    let text = std::fs::read_to_string(path).expect("docs/bench.csv can be read");
    let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next().expect("a header");
    let rows: Vec<Vec<&str>> = rows.collect();
    let place = |name: &str| header.iter().position(|&column| column == name).expect("a column");
    let of = |board: &str, task: &str, opt: &str, column: &str| -> f64 {
        let key = [("board", board), ("task", task), ("opt", opt), ("n", "128"), ("r", "24")];
        let row =
            rows.iter().find(|row| key.iter().all(|&(name, value)| row[place(name)] == value));
        row.expect("a row for each")[place(column)].parse().expect("a number")
    };
    let mut table = String::from(
        "| 128 × 12, 24 points, 12 components | opt-level | instructions, `GaussianLearner` | `LeanLearner` | times | stack, `GaussianLearner` | `LeanLearner` |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for (core, board) in [("Cortex-M0", "m0"), ("Cortex-M3", "m3"), ("Cortex-M4F", "m4f")] {
        for opt in ["3", "s"] {
            let [ample, lean] =
                ["learn", "learn-lean"].map(|task| of(board, task, opt, "instructions"));
            let stacks = ["learn", "learn-lean"].map(|task| of(board, task, opt, "stack_bytes"));
            writeln!(
                table,
                "| {core} | {opt} | {:.1} M | {:.1} M | {:.1} | {} | {} |",
                ample / 1e6,
                lean / 1e6,
                lean / ample,
                stacks[0],
                stacks[1]
            )
            .expect("a string takes what is written to it");
        }
    }
    table
}

fn lean<const N: usize, const D: usize, const R: usize, const P: usize>(table: &mut String) {
    let (ample, lean) = (GaussianLearner::<D, N, R, P>::SIZE, LeanLearner::<D, N, R, P>::SIZE);
    let detector = Detector::<Rbf<f32>, [f32; D], R, P>::SIZE;
    writeln!(table, "| {N} × {D} | {R} | {P} | {ample} | {lean} | {detector} |")
        .expect("a string takes what is written to it");
}

fn learner<const N: usize, const D: usize, const R: usize, const P: usize>(table: &mut String) {
    let learner = Learner::<Rbf<f32>, [f32; D], N, R, P>::SIZE;
    let detector = Detector::<Rbf<f32>, [f32; D], R, P>::SIZE;
    let stored = Detector::<Rbf<f32>, [f32; D], R, P>::ENCODED_SIZE;
    let quantised = QuantisedDetector::<D, R, P>::SIZE;
    writeln!(table, "| {N} × {D} | {R} | {P} | {learner} | {detector} | {stored} | {quantised} |")
        .expect("a string takes what is written to it");
}

fn landmarks<T: Real, const N: usize, const D: usize, const R: usize, const P: usize>(
    table: &mut String,
    name: &str,
) where
    Fast: Math<T>,
{
    let workspace = LandmarkWorkspace::<T, N, R>::SIZE;
    row::<T, N, D, R, P>(table, name, workspace);
}

fn exact<T: Real, const N: usize, const D: usize, const P: usize>(table: &mut String, name: &str)
where
    Fast: Math<T>,
{
    row::<T, N, D, N, P>(table, name, ExactWorkspace::<T, N>::SIZE);
}

fn row<T: Real, const N: usize, const D: usize, const R: usize, const P: usize>(
    table: &mut String,
    name: &str,
    workspace: usize,
) where
    Fast: Math<T>,
{
    let model = KernelPca::<Rbf<T>, [T; D], R, P>::SIZE;
    let samples = size_of::<[[T; D]; N]>();
    let total = model + workspace + samples;
    writeln!(
        table,
        "| {name} | {N} × {D} | {R} | {P} | {model} | {workspace} | {samples} | {total} |"
    )
    .expect("a string takes what is written to it");
}

fn require_section(page: &str, name: &str, expected: &str) {
    document::require_section(page, name, expected, "readme");
}
