//! Whom a detector blames, and what it sees without one of its sensors: six real sets of ADBench,
//! and two tables of `docs/EVALUATION.md`.
//!
//! The data are not part of the repository; without `../shared/data/adbench` there is nothing to
//! do. `MERCER_UPDATE=1` writes the tables anew.

mod common;
mod evaluation;

use std::fmt::Write as _;

use common::{Grid, Random};
use evaluation::{alarm_rate, auroc, is_shared, mean, read_shared, require_section};
use mercer::Recipe;
use mercer::detect::{DetectorBuffer, DetectorView};
use mercer::kernel::{Rbf, Samples};

const SETS: [&str; 6] = ["breastw", "Ionosphere", "vowels", "Pima", "WDBC", "thyroid"];
/// Points of a model, as a device would have it.
const POINTS: usize = 48;
/// Rows of a split that are judged, spread over all.
const ROWS: usize = 150;

type View<'a, S> = DetectorView<'a, Rbf<f32>, S>;

/// What is found out about one split, with a model of it.
trait Study {
    fn look<S: Samples<View = [f32]>>(&mut self, set: usize, split: &Split, detector: &View<'_, S>);
}

/// Rows that were not learned from.
struct Split {
    normal: Vec<Vec<f32>>,
    anomalous: Vec<Vec<f32>>,
}

/// Every split of every set, each learned from by the default recipe.
fn visit(study: &mut impl Study) {
    let splits = read_shared("adbench/splits.csv");
    for (number, set) in SETS.iter().enumerate() {
        let table = read_shared(&format!("adbench/{set}.csv"));
        let numbers = table.numbers();
        let rows = Grid::from_fn(numbers.rows, numbers.columns - 1, |i, j| numbers.at(i, j) as f32);
        let labels = table.column("label");
        for line in (0..splits.rows()).filter(|&line| splits.text(line, "data") == *set) {
            let training = splits.text(line, "train_rows").split(' ');
            let training: Vec<usize> = training.map(|row| row.parse().unwrap()).collect();
            let unseen = |label: f64| {
                let rows = (0..rows.rows).filter(|&i| labels[i] == label && !training.contains(&i));
                spread(rows.collect())
            };
            let pick = |wanted: Vec<usize>| wanted.iter().map(|&i| rows.row(i).to_vec()).collect();
            let split = Split { normal: pick(unseen(0.0)), anomalous: pick(unseen(1.0)) };
            learn(&rows.pick(&training), number, &split, study);
        }
    }
}

/// At most [`ROWS`] of these.
fn spread(rows: Vec<usize>) -> Vec<usize> {
    let count = rows.len().min(ROWS);
    (0..count).map(|i| rows[i * rows.len() / count]).collect()
}

/// Learns from samples, and has a look.
fn learn(samples: &Grid<f32>, set: usize, split: &Split, study: &mut impl Study) {
    let (n, d) = (samples.rows, samples.columns);
    let r = POINTS.min(n);
    let mut memory = vec![0.0; DetectorBuffer::<Rbf<f32>, f32>::numbers(d, r, r)];
    let mut detector = DetectorBuffer::new(d, r, r, &mut memory).unwrap();
    let (mut numbers, mut indices) =
        (vec![0.0; detector.learn_numbers(n)], vec![0; detector.learn_indices(n)]);
    let kernel = Rbf::for_inputs(d);
    detector.learn(&samples.view(), kernel, Recipe::default(), &mut numbers, &mut indices).unwrap();
    study.look(set, split, &detector.view().unwrap());
}

// ---- the right suspect ----

/// What happens to one input.
const FAULTS: [&str; 5] = [
    "1.5 deviations",
    "3 deviations",
    "5 to 8 deviations",
    "another row's value",
    "stuck at its mean",
];

/// A fault of fewer deviations is none: another row may have the same value, and a sensor that
/// hangs may be right.
const LEAST: f32 = 0.5;

/// How often the right input was named.
#[derive(Clone, Copy, Default)]
struct Named {
    cases: usize,
    by_contributions: usize,
    by_scoring: usize,
    /// By scoring with each input at −1 and at 1 only.
    by_one_deviation: usize,
}

#[derive(Default)]
struct Suspects {
    /// By fault and set.
    all: [[Named; 6]; 5],
    /// Of these, the rows that were usual before the fault and are not any more.
    noticed: [[Named; 6]; 5],
    /// Errors of the value that the suspect should have read, in deviations, by fault; those of
    /// answering with the mean, and with what the iteration for Gaussian kernels finds.
    errors: [[Vec<f32>; 3]; 5],
}

impl Study for Suspects {
    fn look<S: Samples<View = [f32]>>(
        &mut self,
        set: usize,
        split: &Split,
        detector: &View<'_, S>,
    ) {
        let inputs = detector.mean.len();
        let (points, components) =
            (detector.model.expansion().points(), detector.model.expansion().components());
        let (mut row, mut projection) = (vec![0.0; points], vec![0.0; components]);
        let (mut contributions, mut instead) = (vec![0.0; inputs], vec![0.0; inputs]);
        let mut random = Random(20);
        for truth in &split.normal {
            let input = (inputs as f64 * random.uniform()) as usize;
            let deviation = detector.deviation[input];
            let sign = if random.uniform() < 0.5 { -deviation } else { deviation };
            let size = 5.0 + 3.0 * random.uniform() as f32;
            let other = (split.normal.len() as f64 * random.uniform()) as usize;
            let usual = !detector.score(&mut truth.clone(), &mut projection).unwrap().unusual;
            let values = [
                truth[input] + 1.5 * sign,
                truth[input] + 3.0 * sign,
                truth[input] + size * sign,
                split.normal[other][input],
                detector.mean[input],
            ];
            for (fault, value) in values.into_iter().enumerate() {
                if (value - truth[input]).abs() < LEAST * deviation {
                    continue;
                }
                let mut x = truth.clone();
                x[input] = value;
                let verdict = detector.score(&mut x.clone(), &mut projection).unwrap();
                let places = (&mut row, &mut projection, &mut contributions);
                detector.contributions(&mut x.clone(), places.0, places.1, places.2).unwrap();
                let suspect = detector.suspect(&x, &mut instead, &mut projection).unwrap();
                let noticed = usual && verdict.unusual;
                let named = Named {
                    cases: 1,
                    by_contributions: usize::from(largest(&contributions) == input),
                    by_scoring: usize::from(suspect.input == input),
                    by_one_deviation: usize::from(at_one_deviation(detector, &x) == input),
                };
                self.all[fault][set].add(named);
                if noticed {
                    self.noticed[fault][set].add(named);
                }
                if suspect.input == input {
                    let mut scaled = x.clone();
                    mercer::detect::scaling::apply(&mut scaled, detector.mean, detector.deviation);
                    let model = &detector.model;
                    let found =
                        model.expected_input(&scaled, input, 300, &mut projection, &mut instead);
                    let iterated = match found {
                        Ok(_) => instead[input] * deviation + detector.mean[input],
                        Err(_) => detector.mean[input],
                    };
                    let answers = [suspect.expected, detector.mean[input], iterated];
                    for (errors, answer) in self.errors[fault].iter_mut().zip(answers) {
                        errors.push((answer - truth[input]).abs() / deviation);
                    }
                }
            }
        }
    }
}

impl Named {
    fn add(&mut self, other: Self) {
        self.cases += other.cases;
        self.by_contributions += other.by_contributions;
        self.by_scoring += other.by_scoring;
        self.by_one_deviation += other.by_one_deviation;
    }

    /// Shares by contributions, by scoring, and by scoring with one deviation only.
    fn shares(self) -> [f64; 3] {
        let named = [self.by_contributions, self.by_scoring, self.by_one_deviation];
        named.map(|named| named as f64 / self.cases as f64)
    }
}

/// The input of the largest contribution, in magnitude.
fn largest(contributions: &[f32]) -> usize {
    let magnitudes = contributions.iter().map(|c| c.abs()).enumerate();
    magnitudes.reduce(|best, other| if other.1 > best.1 { other } else { best }).unwrap().0
}

/// The input with which SPE falls lowest if it is put a deviation from its mean, either way.
fn at_one_deviation<S: Samples<View = [f32]>>(detector: &View<'_, S>, x: &[f32]) -> usize {
    let mut scaled = x.to_vec();
    mercer::detect::scaling::apply(&mut scaled, detector.mean, detector.deviation);
    let mut projection = vec![0.0; detector.model.expansion().components()];
    let mut best = (0, f32::INFINITY);
    for input in 0..x.len() {
        let own = scaled[input];
        for value in [-1.0, 1.0] {
            scaled[input] = value;
            let spe = detector.model.score(&scaled, &mut projection).unwrap().spe;
            best = if spe < best.1 { (input, spe) } else { best };
        }
        scaled[input] = own;
    }
    best.0
}

#[test]
fn scoring_again_names_the_right_input_more_often() {
    if !is_shared("adbench") {
        return;
    }
    let mut suspects = Suspects::default();
    visit(&mut suspects);
    let mut table =
        format!("| set | {} |\n|---|{}\n", FAULTS.join(" | "), "---|".repeat(FAULTS.len()));
    let cell = |[before, after, _]: [f64; 3]| format!(" {before:.2} → {after:.2} |");
    for (set, name) in SETS.iter().enumerate() {
        write!(table, "| {name} |").unwrap();
        suspects.all.iter().for_each(|of| table += &cell(of[set].shares()));
        table.push('\n');
    }
    table += "| mean |";
    let mut one_deviation = String::from("\n| mean, with ±1 only |");
    for (of, fault) in suspects.all.iter().zip(FAULTS) {
        let shares = [0, 1, 2].map(|way| mean(of.iter().map(|named| named.shares()[way])));
        table += &cell(shares);
        write!(one_deviation, " → {:.2} |", shares[2]).unwrap();
        assert!(shares[0] <= shares[1], "{fault}: {shares:?}");
    }
    table += &one_deviation;
    // Too few for a line of each set.
    table += "\n| rows that it made unusual |";
    let mut one_deviation = String::from("\n| these, with ±1 only |");
    for (of, fault) in suspects.noticed.iter().zip(FAULTS) {
        let mut all = Named::default();
        of.iter().for_each(|&named| all.add(named));
        let shares = all.shares();
        table += &cell(shares);
        write!(one_deviation, " → {:.2} |", shares[2]).unwrap();
        assert!(shares[0] <= shares[1], "{fault}: {shares:?}");
    }
    table += &one_deviation;
    table += "\n| number of these |";
    for of in &suspects.noticed {
        let cases: usize = of.iter().map(|named| named.cases).sum();
        write!(table, " {cases} |").unwrap();
    }
    table.push('\n');
    println!("{table}");
    let mut errors =
        String::from("| fault | mean | `expected_input` | `suspect` |\n|---|---|---|---|\n");
    for (fault, [found, middle, iterated]) in FAULTS.iter().zip(&mut suspects.errors) {
        let [found, middle, iterated] = [found, middle, iterated].map(|errors| {
            errors.sort_by(f32::total_cmp);
            errors[errors.len() / 2]
        });
        writeln!(errors, "| {fault} | {middle:.2} | {iterated:.2} | {found:.2} |").unwrap();
        assert!(found < middle, "{fault}: {found}, {middle}");
        assert!(found <= iterated + 0.02, "{fault}: {found}, {iterated}");
    }
    println!("{errors}");
    require_section("blame", "suspects", &table);
    require_section("blame", "expected", &errors);
}

// ---- without an input ----

/// How to judge a reading without some of its inputs.
const WAYS: [&str; 4] = [
    "filled by the lowest score",
    "filled by the mean",
    "left out of the distances",
    "left out, distances made up for it",
];
/// How many inputs are missing.
const LOST: [usize; 3] = [0, 1, 2];

/// AUROC, false alarms and detections.
type Rates = [f64; 3];

#[derive(Default)]
struct Missing {
    /// By way, number of missing inputs and set: sums and how many of them.
    rates: [[[(Rates, f64); 6]; 3]; 4],
}

impl Study for Missing {
    fn look<S: Samples<View = [f32]>>(
        &mut self,
        set: usize,
        split: &Split,
        detector: &View<'_, S>,
    ) {
        let inputs = detector.mean.len();
        let threshold = f64::from(detector.threshold.spe);
        for (place, &lost) in LOST.iter().enumerate() {
            // Each input in turn, and with one half the inputs away.
            for first in 0..if lost == 0 { 1 } else { inputs } {
                let missing: Vec<usize> =
                    (0..lost).map(|other| (first + other * (inputs / 2)) % inputs).collect();
                for (way, rates) in self.rates.iter_mut().enumerate() {
                    let spe = |x: &Vec<f32>| f64::from(without(detector, x, &missing, way));
                    let normal: Vec<f64> = split.normal.iter().map(spe).collect();
                    let anomalous: Vec<f64> = split.anomalous.iter().map(spe).collect();
                    let (sums, count) = &mut rates[place][set];
                    let found = [
                        auroc(&normal, &anomalous),
                        alarm_rate(&normal, threshold),
                        alarm_rate(&anomalous, threshold),
                    ];
                    sums.iter_mut().zip(found).for_each(|(sum, rate)| *sum += rate);
                    *count += 1.0;
                }
            }
        }
    }
}

/// The SPE of a reading without some of its inputs, in one of the [`WAYS`].
fn without<S: Samples<View = [f32]>>(
    detector: &View<'_, S>,
    x: &[f32],
    missing: &[usize],
    way: usize,
) -> f32 {
    let mut x = x.to_vec();
    let mut projection = vec![0.0; detector.model.expansion().components()];
    match way {
        0 => {
            missing.iter().for_each(|&input| x[input] = f32::NAN);
            let partial = detector.score_available(&mut x, &mut projection).unwrap();
            assert!(partial.missing.len() == missing.len());
            partial.verdict.score.spe
        }
        1 => {
            missing.iter().for_each(|&input| x[input] = detector.mean[input]);
            detector.score(&mut x, &mut projection).unwrap().score.spe
        }
        way => {
            let inputs = x.len() as f32;
            let factor = if way == 2 { 1.0 } else { inputs / (inputs - missing.len() as f32) };
            left_out(detector, &x, missing, factor)
        }
    }
}

/// SPE by its formula, with squared distances over the inputs that are there, times a factor.
fn left_out<S: Samples<View = [f32]>>(
    detector: &View<'_, S>,
    x: &[f32],
    missing: &[usize],
    factor: f32,
) -> f32 {
    let expansion = detector.model.expansion();
    let gamma = detector.model.kernel().gamma;
    let mut scaled = x.to_vec();
    mercer::detect::scaling::apply(&mut scaled, detector.mean, detector.deviation);
    let mut projection: Vec<f32> = expansion.offsets().iter().map(|offset| -offset).collect();
    let mut centre_product = 0.0;
    for (i, point) in detector.model.points().iter_samples().enumerate() {
        let there = (0..x.len()).filter(|input| !missing.contains(input));
        let squares: f32 = there.map(|input| (scaled[input] - point[input]).powi(2)).sum();
        let k = (-gamma * factor * squares).exp();
        centre_product += expansion.centre()[i] * k;
        for (f, weight) in projection.iter_mut().zip(expansion.weights().row(i)) {
            *f += weight * k;
        }
    }
    let explained: f32 = projection.iter().map(|f| f * f).sum();
    1.0 - 2.0 * centre_product + expansion.header().centre_norm - explained
}

#[test]
fn a_missing_input_costs_little() {
    if !is_shared("adbench") {
        return;
    }
    let mut missing = Missing::default();
    visit(&mut missing);
    let of_set = |way: usize, place: usize, set: usize| {
        let (sums, count) = missing.rates[way][place][set];
        sums.map(|sum| sum / count)
    };
    let of_all = |way: usize, place: usize| {
        let rates: Vec<Rates> = (0..SETS.len()).map(|set| of_set(way, place, set)).collect();
        [0, 1, 2].map(|rate| mean(rates.iter().map(|rates| rates[rate])))
    };
    let head = |first: &str| {
        let columns = ["AUROC", "false alarms", "detected"].map(|what| {
            let of = |lost: &str| format!("{what}, {lost}");
            format!("{} | {} | {}", of("complete"), of("1 missing"), of("2 missing"))
        });
        format!("| {first} | {} |\n|---|{}\n", columns.join(" | "), "---|".repeat(9))
    };
    let line = |name: &str, rates: [Rates; 3]| {
        let mut line = format!("| {name} |");
        for what in 0..3 {
            rates.iter().for_each(|rates| write!(line, " {:.3} |", rates[what]).unwrap());
        }
        line + "\n"
    };
    let mut sets = head("set");
    for (set, name) in SETS.iter().enumerate() {
        sets += &line(name, [0, 1, 2].map(|place| of_set(0, place, set)));
    }
    let filled = [0, 1, 2].map(|place| of_all(0, place));
    sets += &line("mean", filled);
    let mut ways = head("mean of the sets");
    for (way, name) in WAYS.iter().enumerate() {
        let rates = [0, 1, 2].map(|place| of_all(way, place));
        ways += &line(name, rates);
        let agree = rates[0].iter().zip(filled[0]).all(|(a, b)| (a - b).abs() < 1e-3);
        assert!(agree, "{name}: nothing is missing");
        for place in [1, 2] {
            assert!(rates[place][0] <= filled[place][0], "{name} is better");
        }
    }
    println!("{sets}\n{ways}");
    // A promise of false alarms is kept without a sensor, too.
    assert!(filled[1][1] <= filled[0][1] && filled[2][1] <= filled[0][1]);
    require_section("blame", "missing", &sets);
    require_section("blame", "missing ways", &ways);
}
