//! What the lean learner's savings cost on six real anomaly-detection sets, beside the ordinary
//! learner; `docs/MEMORY.md`.
//!
//! The data are not part of the repository; without `../shared/data/adbench` there is nothing to
//! do. `MERCER_UPDATE=1 cargo test --test lean_adbench` writes the table anew.

mod common;
mod evaluation;

use std::fmt::Write as _;

use evaluation::document::require_section;
use evaluation::sets::{SETS, SPLITS, Set};
use evaluation::{auroc, is_shared, mean, read_shared};
use mercer::detect::FoldOrder;
use mercer::kernel::Rbf;
use mercer::{GaussianDetector, GaussianLearner, LeanLearner, Recipe};

/// Training rows of a split at the most.
const N: usize = 128;
/// The largest loss on average.
const TOLERABLE: f64 = 0.005;

#[test]
fn the_loss_is_what_the_document_says() {
    if !is_shared("adbench") {
        return;
    }
    let mut table = String::from(
        "| set | inputs | `GaussianLearner`, 48 points, 24 components | the same, 24, 12 | `LeanLearner`, 24, 12 | loss | largest in a split |\n\
         |---|---|---|---|---|---|---|\n",
    );
    let splits = read_shared("adbench/splits.csv");
    let mut all = Vec::new();
    for name in SETS {
        let set = Set::read(name, &splits);
        let areas = match set.rows::<f32>().columns {
            6 => areas::<6>(&set),
            8 => areas::<8>(&set),
            9 => areas::<9>(&set),
            12 => areas::<12>(&set),
            30 => areas::<30>(&set),
            32 => areas::<32>(&set),
            33 => areas::<33>(&set),
            inputs => panic!("{name} has {inputs} inputs"),
        };
        assert_eq!(areas.len(), SPLITS);
        let of = |model: usize| mean(areas.iter().map(|split| split[model]));
        let worst = areas.iter().map(|[_, ample, lean]| ample - lean).fold(f64::MIN, f64::max);
        all.push([of(0), of(1), of(2)]);
        row(&mut table, name, &set.rows::<f32>().columns.to_string(), all[all.len() - 1], worst);
    }
    let of = |model: usize| mean(all.iter().map(|set| set[model]));
    let worst = all.iter().map(|[_, ample, lean]| ample - lean).fold(f64::MIN, f64::max);
    row(&mut table, "mean", "", [of(0), of(1), of(2)], worst);
    assert!(of(1) - of(2) <= TOLERABLE, "{table}");
    require_section("docs/MEMORY.md", "lean adbench", &table, "lean_adbench");
}

fn row(table: &mut String, name: &str, inputs: &str, [large, ample, lean]: [f64; 3], worst: f64) {
    // Without a minus before zeros.
    let [loss, worst] = [ample - lean, worst].map(|loss| (1e5 * loss).round() / 1e5 + 0.0);
    writeln!(
        table,
        "| {name} | {inputs} | {large:.4} | {ample:.4} | {lean:.4} | {loss:.5} | {worst:.5} |"
    )
    .expect("a string takes what is written to it");
}

/// AUROC of the rows that were not learned from, for each split: the large model, and a small one
/// by either learner.
fn areas<const D: usize>(set: &Set) -> Vec<[f64; 3]> {
    let rows = set.rows::<f32>();
    let rows: Vec<[f32; D]> =
        rows.view().iter_rows().map(|row| row.try_into().expect("all inputs")).collect();
    let recipe = Recipe::default().order(FoldOrder::Interleaved);
    let kernel = Rbf::for_inputs(D);
    let areas = |(_, training): &(usize, Vec<u32>)| {
        let mut large = Box::new(GaussianLearner::<D, N, 48, 24>::new());
        let mut ample = Box::new(GaussianLearner::<D, N, 24, 12>::new());
        let mut lean = Box::new(LeanLearner::<D, N, 24, 12>::new());
        for &row in training {
            let x = &rows[row as usize];
            large.push(x).expect("room for a finite row");
            ample.push(x).expect("room for a finite row");
            lean.push(x).expect("room for a finite row");
        }
        large.learn(kernel, recipe).expect("it learns");
        ample.learn(kernel, recipe).expect("it learns");
        lean.learn(kernel, recipe).expect("it learns");
        [
            area(large.detector().expect("it has learned"), &rows, set, training),
            area(ample.detector().expect("it has learned"), &rows, set, training),
            area(lean.detector().expect("it has learned"), &rows, set, training),
        ]
    };
    set.splits.iter().map(areas).collect()
}

fn area<const D: usize, const R: usize, const P: usize>(
    detector: &GaussianDetector<D, R, P>,
    rows: &[[f32; D]],
    set: &Set,
    training: &[u32],
) -> f64 {
    let unseen = |i: &usize| !training.contains(&(*i as u32));
    let [normal, anomalous] = [0.0, 1.0].map(|label| {
        let of_label = (0..rows.len()).filter(unseen).filter(|&i| set.labels[i] == label);
        let spe = |i: usize| f64::from(detector.score(&rows[i]).expect("finite").score.spe);
        of_label.map(spe).collect::<Vec<_>>()
    });
    auroc(&normal, &anomalous)
}
