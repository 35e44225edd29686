//! Motions of a smart watch: agreement with a reference in numpy, and `docs/EVALUATION.md`.
//!
//! `cargo test --test motions -- --nocapture` prints the largest differences, `MERCER_UPDATE=1`
//! writes the document anew.

mod common;
mod evaluation;

use std::fmt::Write as _;

use common::{Grid, Table};
use evaluation::{
    Comparison, Precision, RULES, Watched, Width, alarm_rate, auroc, learn, mean, require_section,
    with_logs,
};
use mercer::Recipe;
use mercer::detect::logs::Log;
use mercer::detect::{AlarmRule, Threshold};
use mercer::math::{Fast, Math, Real};

const AXES: [&str; 6] = ["ax", "ay", "az", "gx", "gy", "gz"];
/// Rows of one recording.
const RECORDING: usize = 100;

/// What the README of the data says: rows of a window, activity, training windows, components,
/// AUROC.
const REFERENCE: [(usize, &str, usize, usize, f64); 6] = [
    (10, "walking", 100, 40, 0.9485),
    (10, "running", 100, 41, 0.9984),
    (10, "standing", 100, 21, 0.9915),
    (20, "walking", 50, 27, 0.9595),
    (20, "running", 50, 28, 1.0000),
    (20, "standing", 50, 17, 0.9907),
];

#[test]
fn agrees_with_the_reference() {
    let (double, single) = (evaluate_all::<f64>(none), evaluate_all::<f32>(none));
    compare::<f64>(&double);
    compare::<f32>(&single);
    require_section("motions", "motions", &table(&double, &single));
    require_section("motions", "motions alarms", &alarm_table(&single));
    let [auto, deviations] = [automatic, of_deviations].map(evaluate_all::<f32>);
    require_section("motions", "motions logs", &log_table([&single, &auto, &deviations]));
    // What a watch should tell from walking, and walking from.
    let walking = &deviations[3];
    assert_eq!(walking.rows, 20);
    assert!(walking.false_alarms <= 0.08, "{}", walking.false_alarms);
    for (activity, least) in [("standing", 0.85), ("running", 1.0), ("badminton", 1.0)] {
        let found = walking.detected_of(activity);
        assert!(found >= least, "{activity}: {found}");
    }
}

/// Which features are logarithmic: none, those of the rule, those that are deviations.
fn none(_: usize) -> Log {
    Log::No
}

fn automatic(_: usize) -> Log {
    Log::Auto
}

fn of_deviations(feature: usize) -> Log {
    if feature < AXES.len() { Log::No } else { Log::Yes }
}

#[test]
fn auroc_counts_ties_as_one_half() {
    assert_eq!(auroc(&[1.0, 2.0, 3.0], &[4.0, 5.0]), 1.0);
    assert_eq!(auroc(&[4.0, 5.0], &[1.0, 2.0, 3.0]), 0.0);
    assert_eq!(auroc(&[2.0, 2.0], &[2.0]), 0.5);
    // By hand: 3 beats 1 and 2, 2 beats 1 and ties, 0 beats none; of 3 x 3 pairs.
    assert_eq!(auroc(&[2.0, 1.0, 4.0], &[0.0, 3.0, 2.0]), 3.5 / 9.0);
}

/// With a threshold of 1: an alarm that is left over from normal rows has not found a fault.
#[test]
fn a_fault_is_found_by_its_own_rows() {
    let threshold = Threshold::new(1.0).with_usual(0.5);
    let mut watched = Watched::default();
    let mut add = |scores: &[(f64, bool)]| {
        watched.add(AlarmRule::SMOOTHED, &threshold, scores.iter().copied());
    };
    // E is 2.9 after the first row, and above 0.8 for nine more.
    add(&[(20.0, false), (0.5, true), (0.5, true), (0.5, false)]);
    // The same, but the last row of the fault would have raised it.
    add(&[(20.0, false), (0.5, true), (6.0, true)]);
    // Raised by the third row of the fault.
    add(&[(0.5, false), (0.5, true), (0.5, true), (5.0, true)]);
    let expected = "500.0 | 0.750 | 0.286 | 2 | 1 of 3 |";
    assert_eq!(watched.cells(), expected);
}

/// What was found for a row of the reference.
struct Outcome {
    /// Of a window.
    rows: usize,
    /// How many features are logarithmic.
    logarithmic: usize,
    windows: usize,
    components: usize,
    auroc: f64,
    /// With 32 points.
    small_auroc: f64,
    /// Share of unusual windows at a nominal 5 %: of the activity that was learned, and of the
    /// others.
    false_alarms: f64,
    detected: f64,
    /// What the alarm did, by [`RULES`].
    watched: [Watched; RULES.len()],
    /// The same of each activity.
    unusual: Vec<(String, f64)>,
}

impl Outcome {
    fn detected_of(&self, activity: &str) -> f64 {
        self.unusual.iter().find(|(name, _)| name == activity).unwrap().1
    }
}

fn evaluate_all<T: Precision>(log: fn(usize) -> Log) -> Vec<Outcome>
where
    Fast: Math<T>,
{
    let (train, test) = ["train", "test"]
        .map(|name| Table::read(&format!("../../cli/data/motions/{name}.csv")))
        .into();
    REFERENCE
        .iter()
        .map(|&(rows, activity, ..)| evaluate::<T>(&train, &test, rows, activity, log))
        .collect()
}

/// Learns one activity and tells it from the others.
fn evaluate<T: Precision>(
    train: &Table,
    test: &Table,
    rows: usize,
    activity: &str,
    log: fn(usize) -> Log,
) -> Outcome
where
    Fast: Math<T>,
{
    let (mut samples, activities) = windows::<T>(train, rows);
    let (unseen, unseen_activities) = windows::<T>(test, rows);
    let n = samples.rows;
    samples.rows += unseen.rows;
    samples.data.extend(unseen.data);
    let training: Vec<u32> =
        (0..n as u32).filter(|&i| activities[i as usize] == activity).collect();
    let judged: Vec<u32> = (n as u32..samples.rows as u32).collect();
    let (scaled, logarithmic) = with_logs(&samples, &training, log);
    let run = |points| {
        let width = Width::Inputs(scaled.columns);
        learn(&scaled.view(), &training, &judged, points, Recipe::default(), width).unwrap()
    };
    let split = |learned: &evaluation::Learned<T>| {
        let scores = learned.scores.iter().map(|score| score.spe.to_f64()).zip(&unseen_activities);
        let (own, others) = scores.partition::<Vec<_>, _>(|(_, name)| name.as_str() == activity);
        [own, others].map(|scores| scores.into_iter().map(|(spe, _)| spe).collect::<Vec<_>>())
    };
    let (learned, small) = (run(training.len()), run(32));
    [&learned, &small].into_iter().for_each(require_usual);
    let [normal, anomalous] = split(&learned);
    let [small_normal, small_anomalous] = split(&small);
    let threshold = learned.report.threshold.spe.to_f64();
    let mut names = unseen_activities.clone();
    names.sort();
    names.dedup();
    let unusual = |name: String| {
        let own = learned.scores.iter().zip(&unseen_activities).filter(|(_, own)| **own == name);
        let scores: Vec<f64> = own.map(|(score, _)| score.spe.to_f64()).collect();
        (name, alarm_rate(&scores, threshold))
    };
    Outcome {
        rows,
        logarithmic,
        unusual: names.into_iter().map(unusual).collect(),
        windows: training.len(),
        components: learned.report.fit.components,
        auroc: auroc(&normal, &anomalous),
        small_auroc: auroc(&small_normal, &small_anomalous),
        false_alarms: alarm_rate(&normal, threshold),
        detected: alarm_rate(&anomalous, threshold),
        watched: watch(&learned, rows, |window| unseen_activities[window] != activity),
    }
}

/// The mean of the cross-fitted scores, and the alarms that they raise, are those of the formulas.
fn require_usual<T: Real>(learned: &evaluation::Learned<T>) {
    let scores: Vec<f64> = learned.crossfit_spe.iter().map(|spe| spe.to_f64()).collect();
    let (threshold, usual) =
        (learned.report.threshold.spe.to_f64(), learned.report.threshold.usual.to_f64());
    assert!((usual - mean(scores.iter().copied())).abs() < 1e-6, "{usual}");
    assert!(usual > 0.0 && usual < 0.8 * threshold, "{usual} and {threshold}");
    let (mut e, mut up, mut raised) = (usual, false, 0);
    for score in scores {
        e += (score - e) / 8.0;
        raised += usize::from(!up && e > threshold);
        up = if up { e >= 0.8 * threshold } else { e > threshold };
    }
    assert_eq!(learned.report.alarms, raised);
}

/// Shows each recording to an alarm by each rule; one of another activity is a fault from its first
/// window on.
fn watch<T: Real>(
    learned: &evaluation::Learned<T>,
    rows: usize,
    is_fault: impl Fn(usize) -> bool,
) -> [Watched; RULES.len()] {
    RULES.map(|(_, rule)| {
        let mut watched = Watched::default();
        let per_recording = RECORDING / rows;
        for (recording, scores) in learned.scores.chunks(per_recording).enumerate() {
            let fault = is_fault(recording * per_recording);
            let scores = scores.iter().map(|score| (score.spe, fault));
            watched.add(rule, &learned.report.threshold, scores);
        }
        watched
    })
}

/// Mean and standard deviation of each axis over each window of so many rows, and its activity.
fn windows<T: Real>(table: &Table, rows: usize) -> (Grid<T>, Vec<String>) {
    assert_eq!(table.rows() % RECORDING, 0);
    let axes = AXES.map(|name| table.column(name));
    let count = T::from_usize(rows);
    let features = Grid::from_fn(table.rows() / rows, 2 * AXES.len(), |i, j| {
        let axis = &axes[j % AXES.len()][i * rows..(i + 1) * rows];
        let sum = |f: &dyn Fn(T) -> T| axis.iter().fold(T::ZERO, |s, &v| s + f(T::from_f64(v)));
        let mean = sum(&|v| v) / count;
        if j < AXES.len() { mean } else { (sum(&|v| (v - mean) * (v - mean)) / count).sqrt() }
    });
    let activity = |i: usize| {
        let rows = i * rows..(i + 1) * rows;
        let (first, last) = (rows.start, rows.end - 1);
        let same = |column| table.text(first, column) == table.text(last, column);
        assert!(same("recording") && same("activity"), "a window over two recordings");
        table.text(first, "activity").to_string()
    };
    let activities = (0..features.rows).map(activity).collect();
    (features, activities)
}

fn compare<T: Precision>(outcomes: &[Outcome]) {
    let mut comparison = Comparison::default();
    for (&(rows, activity, windows, components, auroc), found) in REFERENCE.iter().zip(outcomes) {
        let place = format!("{activity}, {rows} rows");
        let counts =
            [("windows", found.windows, windows), ("components", found.components, components)];
        for (quantity, found, expected) in counts {
            comparison.require(found == expected, &place, quantity, &(found, expected));
        }
        comparison.close(&place, "AUROC", (found.auroc, auroc), T::TOLERANCE);
    }
    comparison.finish(&format!("motions {}", T::NAME), 6 * 3);
}

fn alarm_table(outcomes: &[Outcome]) -> String {
    let mut table = format!(
        "| window | learned | alarm | {}\n|---|---|---|---|---|---|---|---|\n",
        Watched::HEAD
    );
    for (&(rows, activity, ..), outcome) in REFERENCE.iter().zip(outcomes) {
        for ((name, _), watched) in RULES.iter().zip(&outcome.watched) {
            let seconds = rows / 10;
            writeln!(table, "| {seconds} s | {activity} | {name} | {}", watched.cells()).unwrap();
        }
    }
    table
}

fn table(double: &[Outcome], single: &[Outcome]) -> String {
    let mut table = String::from(
        "| window | learned | windows | components | AUROC `f64` | AUROC `f32` | 32 points, `f32` | reference | false alarms at 5 % | detected |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    for ((&(rows, activity, windows, components, reference), double), single) in
        REFERENCE.iter().zip(double).zip(single)
    {
        writeln!(
            table,
            "| {} s | {activity} | {windows} | {components} | {:.3} | {:.3} | {:.3} | {reference:.4} | {:.3} | {:.3} |",
            rows / 10,
            double.auroc,
            single.auroc,
            single.small_auroc,
            single.false_alarms,
            single.detected
        )
        .unwrap();
    }
    table
}

/// Each number without logarithms, with those of the automatic rule, and with those of the
/// deviations.
fn log_table(outcomes: [&[Outcome]; 3]) -> String {
    let mut table = String::from(
        "| window | learned | logarithmic inputs | AUROC | false alarms at 5 % | detected | least detected activity |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for (i, &(rows, activity, ..)) in REFERENCE.iter().enumerate() {
        let cell = |value: &dyn Fn(&Outcome) -> String| {
            outcomes.map(|outcomes| value(&outcomes[i])).join(" / ")
        };
        let least = |outcome: &Outcome| {
            let others = outcome.unusual.iter().filter(|(name, _)| name != activity);
            others.map(|(_, share)| *share).fold(1.0, f64::min)
        };
        writeln!(
            table,
            "| {} s | {activity} | {} | {} | {} | {} | {} |",
            rows / 10,
            cell(&|outcome| outcome.logarithmic.to_string()),
            cell(&|outcome| format!("{:.3}", outcome.auroc)),
            cell(&|outcome| format!("{:.3}", outcome.false_alarms)),
            cell(&|outcome| format!("{:.3}", outcome.detected)),
            cell(&|outcome| format!("{:.3}", least(outcome))),
        )
        .unwrap();
    }
    table
}
