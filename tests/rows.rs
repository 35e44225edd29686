//! More rows with the same points, or after them: what 512 rows instead of 128 are worth on real
//! data, learned from or kept for the threshold.
//!
//! The data are not part of the repository; without `../shared/data/adbench` there is nothing to
//! do. `MERCER_UPDATE=1 cargo test --test rows` writes the tables of `docs/EVALUATION.md` anew.

mod common;
mod evaluation;

use std::fmt::Write as _;

use common::{Grid, Random, number};
use evaluation::{
    Width, alarm_rate, auroc, is_shared, learn, mean, read_shared, require_section, standardised,
};
use mercer::detect::{FalseAlarms, LaterReadings, Threshold};
use mercer::{Error, GaussianLearner, Recipe};

const SETS: [&str; 6] = ["breastw", "Ionosphere", "vowels", "Pima", "WDBC", "thyroid"];
const POINTS: usize = 48;
const WISH: f32 = 0.01;
/// Rows beyond those of a split, at the most.
const MORE: usize = 384;

/// What a detector does at its threshold.
#[derive(Clone, Copy)]
struct Rates {
    auroc: f64,
    false_alarms: f64,
    detected: f64,
}

/// One split of a set: few rows by cross-fit, the same with the others kept for the threshold, and
/// all of them learned from.
struct Case {
    few: Rates,
    later: Option<Rates>,
    all: Rates,
    rows: [usize; 2],
    refused: bool,
}

struct Scored {
    threshold: f32,
    more: Vec<f32>,
    normal: Vec<f64>,
    anomalous: Vec<f64>,
}

impl Scored {
    fn rates(&self, threshold: f32) -> Rates {
        let threshold = f64::from(threshold);
        Rates {
            auroc: auroc(&self.normal, &self.anomalous),
            false_alarms: alarm_rate(&self.normal, threshold),
            detected: alarm_rate(&self.anomalous, threshold),
        }
    }
}

/// Learns from some rows, scores the others.
fn scored(rows: &Grid<f32>, training: &[u32], [more, normal, anomalous]: [&[u32]; 3]) -> Scored {
    let scaled = standardised(rows, training);
    let recipe = Recipe::default().false_alarms(FalseAlarms::Share(WISH));
    let judged = [more, normal, anomalous].concat();
    let width = Width::Inputs(rows.columns);
    let learned = learn(&scaled.view(), training, &judged, POINTS, recipe, width).unwrap();
    let mut spe = learned.scores.iter().map(|score| score.spe);
    let mut next = |count: usize| spe.by_ref().take(count).collect::<Vec<f32>>();
    let (more, normal, anomalous) = (next(more.len()), next(normal.len()), next(anomalous.len()));
    let double = |scores: Vec<f32>| scores.into_iter().map(f64::from).collect();
    let threshold = learned.report.threshold.spe;
    Scored { threshold, more, normal: double(normal), anomalous: double(anomalous) }
}

fn case(rows: &Grid<f32>, labels: &[f64], few: &[u32], random: &mut Random) -> Case {
    let of = |label| (0..labels.len() as u32).filter(move |&i| labels[i as usize] == label);
    let anomalous: Vec<u32> = of(1.0).collect();
    let mut others: Vec<u32> = of(0.0).filter(|row| !few.contains(row)).collect();
    for i in (1..others.len()).rev() {
        others.swap(i, (random.uniform() * (i + 1) as f64) as usize);
    }
    // A third at least is left to judge by.
    let (more, normal) = others.split_at(MORE.min(others.len() * 2 / 3));
    let by_few = scored(rows, few, [more, normal, &anomalous]);
    let all = [few, more].concat();
    let by_all = scored(rows, &all, [&[], normal, &anomalous]);
    let before = Threshold::new(by_few.threshold);
    let mut later = LaterReadings::<f32, [f32; 8]>::of(&before, WISH);
    by_few.more.iter().for_each(|&spe| later.push(spe).unwrap());
    let wish = FalseAlarms::Share(WISH);
    let calibrated = later.calibrate_trusting(wish, &before).ok();
    let strange = matches!(later.calibrate(wish, &before), Err(Error::StrangeReadings { .. }));
    Case {
        few: by_few.rates(by_few.threshold),
        later: calibrated.map(|result| by_few.rates(result.threshold.spe)),
        all: by_all.rates(by_all.threshold),
        rows: [few.len(), all.len()],
        refused: strange,
    }
}

#[test]
fn the_document_is_true_of_more_rows() {
    if !is_shared("adbench") {
        return;
    }
    let splits = read_shared("adbench/splits.csv");
    let mut text = String::from(
        "| set | rows | AUROC | false alarms at 1 % | detected | rows after learning: false alarms | detected | all rows learned | AUROC | false alarms at 1 % | detected |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let (mut totals, mut refused, mut calibrations) = (Vec::new(), 0, 0);
    for set in SETS {
        let table = read_shared(&format!("adbench/{set}.csv"));
        let (numbers, labels) = (table.numbers(), table.column("label"));
        let rows = Grid::from_fn(numbers.rows, numbers.columns - 1, |i, j| numbers.at(i, j) as f32);
        let mut random = Random(17);
        let cases: Vec<Case> = (0..splits.rows())
            .filter(|&line| splits.text(line, "data") == set)
            .map(|line| {
                let few = splits.text(line, "train_rows").split(' ');
                let few: Vec<u32> = few.map(|row| number(row) as u32).collect();
                case(&rows, &labels, &few, &mut random)
            })
            .collect();
        assert_eq!(cases.len(), 5, "{set}");
        refused += cases.iter().filter(|case| case.refused).count();
        let over = |rates: &dyn Fn(&Case) -> Option<f64>| {
            cases.iter().map(rates).collect::<Option<Vec<f64>>>().map(mean)
        };
        let columns = [
            over(&|case| Some(case.few.auroc)),
            over(&|case| Some(case.few.false_alarms)),
            over(&|case| Some(case.few.detected)),
            over(&|case| case.later.map(|rates| rates.false_alarms)),
            over(&|case| case.later.map(|rates| rates.detected)),
            over(&|case| Some(case.all.auroc)),
            over(&|case| Some(case.all.false_alarms)),
            over(&|case| Some(case.all.detected)),
        ];
        let [few, all] = cases[0].rows;
        line(&mut text, set, [few.to_string(), all.to_string()], columns);
        if columns[3].is_some() {
            calibrations += cases.len();
            totals.push(columns.map(|column| column.expect("supported")));
        }
    }
    let means = std::array::from_fn(|i| Some(mean(totals.iter().map(|columns| columns[i]))));
    line(&mut text, "mean of those with all", ["".into(), "".into()], means);
    println!("refused as strange: {refused} of {calibrations}");
    require_section("rows", "adbench rows", &text);
    let [_, few_far, few, later_far, later, _, all_far, all] = means.map(|mean| mean.unwrap());
    assert!(few < later && later < all, "{few} {later} {all}");
    assert!(
        few_far < 0.02 && later_far < 0.02 && all_far < 0.02,
        "{few_far} {later_far} {all_far}"
    );
}

fn line(text: &mut String, set: &str, [few, all]: [String; 2], columns: [Option<f64>; 8]) {
    let [a, b, c, d, e, f, g, h] =
        columns.map(|rate| rate.map_or("–".to_string(), |rate| format!("{rate:.3}")));
    writeln!(text, "| {set} | {few} | {a} | {b} | {c} | {d} | {e} | {all} | {f} | {g} | {h} |")
        .unwrap();
}

/// What another sample takes on a device, and the detector it goes into not a byte more.
#[test]
fn a_sample_takes_the_bytes_that_are_documented() {
    fn bytes<const D: usize, const R: usize>() -> [usize; 2] {
        let few = GaussianLearner::<D, 128, R, 24>::SIZE;
        let many = GaussianLearner::<D, 512, R, 24>::SIZE;
        [(many - few) / 384, 8 * D + 4 * R + 17]
    }
    for [found, documented] in [bytes::<4, 32>(), bytes::<8, 48>(), bytes::<12, 48>()] {
        assert_eq!(found, documented);
    }
    let kilobytes = |bytes: usize| format!("{:.1}", bytes as f64 / 1024.0);
    let row = |inputs: usize, sizes: [usize; 4]| {
        let sizes = sizes.map(kilobytes).join(" | ");
        format!("| {inputs} | {sizes} |\n")
    };
    let table = String::from("| inputs | 64 samples | 128 | 256 | 512 |\n|---|---|---|---|---|\n")
        + &row(4, sizes::<4>())
        + &row(8, sizes::<8>())
        + &row(12, sizes::<12>());
    require_section("rows", "learner sizes", &table);
}

fn sizes<const D: usize>() -> [usize; 4] {
    [
        GaussianLearner::<D, 64, POINTS, 24>::SIZE,
        GaussianLearner::<D, 128, POINTS, 24>::SIZE,
        GaussianLearner::<D, 256, POINTS, 24>::SIZE,
        GaussianLearner::<D, 512, POINTS, 24>::SIZE,
    ]
}
