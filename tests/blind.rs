//! Inputs whose faults pass unnoticed are named, those whose faults are found are not.
//!
//! What is found is counted here on readings that were not learned from, with the deviation of the
//! distribution they come from; learning has its samples only. `cargo test --test blind --
//! --nocapture` prints both.

mod faults;
mod common;
mod evaluation;
mod learning;
mod sight;

use common::{Grid, Random, number};
use evaluation::{Width, is_shared, read_shared, standardised};
use mercer::detect::persist::Encode;
use mercer::detect::{Blindness, FalseAlarms, FoldOrder, LearnReport, Replace, Warning};
use mercer::kernel::{BlockKernel, Laplacian, Linear, Poly, Rbf};
use mercer::math::Real;
use mercer::{Error, Learner, Recipe};
use sight::{Input, Learned, random};

/// The first blind input, how many there are, and why the first is.
fn blind<T>(report: &LearnReport<T>) -> Option<(usize, usize, Blindness)> {
    report.warnings().iter().find_map(|warning| match *warning {
        Warning::BlindInputs { first, count, cause } => Some((first, count, cause)),
        _ => None,
    })
}

/// The share of new readings in which a fault of an input is found, `size` being what it is off by.
fn found<T: Real>(learned: &Learned<'_, T>, fresh: &Grid<T>, input: usize, size: f64) -> f64 {
    learned.rate(fresh.iter_rows().enumerate().map(|(i, x)| {
        let mut x = x.to_vec();
        x[input] += T::from_f64(if i % 2 == 0 { size } else { -size });
        x
    }))
}

/// One 65535 among 200 readings: the sensor is named, with the row; trimmed, it sees again.
fn a_single_glitch<T: Real + Encode>(name: &str)
where
    Rbf<T>: BlockKernel<[T], Scalar = T> + Clone + Encode,
{
    let (seeds, d, row) = (20, 4, 77);
    let (mut before, mut after) = (0.0, 0.0);
    for seed in 0..seeds {
        let mut random = random(seed);
        let mut samples = sight::rows::<T>(&[Input::Normal; 4], 200, &mut random);
        let fresh = sight::rows::<T>(&[Input::Normal; 4], 200, &mut random);
        samples.data[row * d + 2] = T::from_f64(65535.0);
        let (kernel, recipe) = (Rbf::<T>::for_inputs(d), Recipe::default());
        sight::learn(&samples, kernel, recipe, |learned| {
            before += found(&learned, &fresh, 2, 100.0);
            let expected = (2, 1, Blindness::Outlier { sample: row });
            assert_eq!(blind(&learned.report), Some(expected));
            assert_eq!(learned.report.blind_inputs().collect::<Vec<_>>(), [2]);
        })
        .unwrap();
        let trimmed = recipe.trim(T::from_f64(0.01));
        sight::learn(&samples, kernel, trimmed, |learned| {
            after += found(&learned, &fresh, 2, 5.0);
            assert_eq!(blind(&learned.report), None);
        })
        .unwrap();
    }
    let [before, after] = [before, after].map(|sum| 100.0 * sum / seeds as f64);
    println!(
        "{name}: one 65535: 100 deviations found in {before:.1} %, named in all; trimmed, 5 deviations in {after:.1} %"
    );
    assert!(before < 10.0 && after > 95.0, "{before} {after}");
}

#[test]
fn a_single_glitch_is_named_with_its_row_and_trimming_mends_it() {
    a_single_glitch::<f32>("f32");
    a_single_glitch::<f64>("f64");
}

#[test]
fn glitches_of_other_sizes_signs_and_numbers_are_named() {
    for size in [200.0, -1e3, 4095.0, -32768.0, 1e9] {
        for n in [64, 128, 200] {
            for seed in 0..10 {
                let mut samples = sight::rows::<f64>(&[Input::Normal; 6], n, &mut random(seed));
                samples.data[(n / 3) * 6 + 1] = size;
                samples.data[(n - 2) * 6 + 4] = -2.0 * size;
                let kernel = Rbf::<f64>::for_inputs(6);
                let look = |learned: Learned<'_, f64>| learned.report;
                let report = sight::learn(&samples, kernel, Recipe::default(), look).unwrap();
                let named: Vec<usize> = report.blind_inputs().collect();
                let case = format!("{size}, n = {n}, {seed}: {:?}", report.warnings());
                assert!(named.contains(&1) && named.contains(&4), "{case}");
                let (first, _, cause) = blind(&report).unwrap();
                if first == 1 {
                    assert_eq!(cause, Blindness::Outlier { sample: n / 3 }, "{case}");
                }
            }
        }
    }
}

/// How often inputs were named, by how well their faults are found.
#[derive(Default)]
struct Tally {
    /// Found in less than 10 %: how many, and how many of them were named.
    unseen: [usize; 2],
    /// Found in more than 60 %.
    seen: [usize; 2],
    between: [usize; 2],
}

impl Tally {
    fn count(&mut self, found: f64, named: bool) {
        let place = match found {
            f if f < 0.1 => &mut self.unseen,
            f if f > 0.6 => &mut self.seen,
            _ => &mut self.between,
        };
        place[0] += 1;
        place[1] += usize::from(named);
    }

    fn print(&self, name: &str) {
        println!(
            "{name}: named {} of {} inputs found in < 10 %, {} of {} between, {} of {} in > 60 %",
            self.unseen[1],
            self.unseen[0],
            self.between[1],
            self.between[0],
            self.seen[1],
            self.seen[0]
        );
    }

    fn add(&mut self, other: &Self) {
        for (to, from) in [
            (&mut self.unseen, other.unseen),
            (&mut self.seen, other.seen),
            (&mut self.between, other.between),
        ] {
            to[0] += from[0];
            to[1] += from[1];
        }
    }
}

/// Robust deviation of a distribution: a normal one's by its inner four fifths, or the step between
/// levels.
fn deviation(input: Input) -> f64 {
    let mut random = random(999);
    let mut values: Vec<f64> = (0..20_000).map(|_| input.value(&mut random)).collect();
    values.sort_by(f64::total_cmp);
    let range = values[18_000] - values[2_000];
    if range > 0.0 { range / 2.563 } else { 1.0 }
}

const SEEDS: u64 = 20;

fn tally<K>(
    name: &str,
    inputs: &[Input],
    n: usize,
    kernel: &K,
    recipe: Recipe<f64>,
    units: fn(usize) -> f64,
) -> Tally
where
    K: BlockKernel<[f64], Scalar = f64> + Clone + Encode,
{
    let deviations: Vec<f64> = inputs.iter().map(|&input| deviation(input)).collect();
    let (mut tally, mut refused) = (Tally::default(), 0);
    for seed in 0..SEEDS {
        let mut random = random(seed);
        let mut make = |count| {
            let rows = sight::rows::<f64>(inputs, count, &mut random);
            Grid::from_fn(count, inputs.len(), |i, j| rows.at(i, j) * units(j))
        };
        let (samples, fresh) = (make(n), make(200));
        let outcome = sight::learn(&samples, kernel.clone(), recipe, |learned| {
            for (j, deviation) in deviations.iter().enumerate() {
                let mut values = samples.column(j);
                values.sort_by(f64::total_cmp);
                if values.iter().filter(|&&v| v != values[n / 2]).count() < 2 {
                    continue; // Constant, perhaps but for one: what a fault is cannot be known.
                }
                let rate = found(&learned, &fresh, j, 5.0 * deviation * units(j));
                tally.count(rate, learned.report.blind_inputs().any(|blind| blind == j));
            }
        });
        refused += usize::from(outcome.is_err());
    }
    tally.print(name);
    assert!(refused < SEEDS as usize, "{name}: nothing was learned");
    tally
}

#[test]
fn whatever_blinds_the_blind_are_named_and_the_seeing_are_not() {
    use Input::*;
    let one = |_| 1.0;
    let mixed = |input: Input, d: usize| {
        let mut inputs = vec![Normal; d];
        inputs[0] = input;
        inputs
    };
    let share = |alpha| Recipe::<f64>::default().false_alarms(FalseAlarms::Share(alpha));
    let mut total = Tally::default();
    for alpha in [0.05, 0.01] {
        for n in [64, 128] {
            for d in [4, 8] {
                let rbf = Rbf::<f64>::for_inputs(d);
                for input in [Normal, Rare(0.03), Levels(3), Heavy(2), Heavy(1), Lognormal] {
                    let name = format!("{input:?}, d = {d}, n = {n}, {alpha}");
                    total.add(&tally(&name, &mixed(input, d), n, &rbf, share(alpha), one));
                }
            }
        }
    }
    let normal = [Normal; 6];
    let plain = share(0.05);
    for gamma in [1e-3, 1e-5, 1e-7] {
        let kernel = Rbf::<f64>::new(gamma);
        total.add(&tally(&format!("γ = {gamma}"), &normal, 128, &kernel, plain, one));
    }
    let unscaled = |j| [100.0, 0.01, 1.0, 1.0, 5.0, 1.0][j];
    let raw = plain.standardise(false);
    let name = "not scaled";
    total.add(&tally(name, &normal, 128, &Rbf::<f64>::new(1e-5), raw, unscaled));
    total.add(&tally("Laplacian", &normal, 128, &Laplacian::<f64>::new(0.05), plain, one));
    let poly = Poly { gamma: 0.1, coef0: 1.0, degree: 2 };
    total.add(&tally("Poly", &normal, 128, &poly, plain, one));
    for d in [16, 30] {
        let rbf = Rbf::<f64>::for_inputs(d);
        let name = format!("d = {d}");
        total.add(&tally(&name, &vec![Normal; d], 128, &rbf, plain, one));
        total.add(&tally(&format!("{name}, 1 %"), &vec![Normal; d], 128, &rbf, share(0.01), one));
    }
    total.print("all");
    let [blind, named] = total.unseen;
    faults::record(2, "inputs whose faults pass unnoticed, named", blind, named, "--test blind");
    let [seeing, suspected] = total.seen;
    let fault = "inputs whose faults are found, not suspected";
    faults::record(2, fault, seeing, seeing - suspected, "--test blind");
    let rate = |[all, named]: [usize; 2]| named as f64 / all as f64;
    assert!(total.unseen[0] > 300 && total.seen[0] > 1000, "too few cases to tell");
    assert!(rate(total.unseen) > 0.95, "blind, but not named");
    assert!(rate(total.seen) < 0.01, "named, but not blind");
}

#[test]
fn causes_are_told_apart() {
    let cause = |samples: &Grid<f64>, gamma: f64, recipe: Recipe<f64>| {
        sight::learn(samples, Rbf::<f64>::new(gamma), recipe, |learned| blind(&learned.report))
    };
    let mut random = random(3);
    let normal = sight::rows::<f64>(&[Input::Normal; 4], 128, &mut random);

    // Units: the third input is a thousandth of the others.
    let mut unscaled = normal.clone();
    unscaled.data.iter_mut().skip(2).step_by(4).for_each(|value| *value *= 1e-3);
    let raw = Recipe::default().standardise(false);
    assert_eq!(cause(&unscaled, 1.0 / 32.0, raw), Ok(Some((2, 1, Blindness::Scale))));
    assert_eq!(cause(&unscaled, 1.0 / 32.0, Recipe::default()), Ok(None), "standardised");

    // Constant but for one sample.
    let mut once = normal.clone();
    for i in 0..128 {
        once.data[4 * i + 1] = if i == 50 { 1.0 } else { 0.0 };
    }
    let expected = (1, 1, Blindness::Outlier { sample: 50 });
    assert_eq!(cause(&once, 1.0 / 32.0, Recipe::default()), Ok(Some(expected)));

    // Never changed: there is a warning for that already.
    for i in 0..128 {
        once.data[4 * i + 1] = 7.0;
    }
    let report = sight::learn(&once, Rbf::<f64>::for_inputs(4), Recipe::default(), |l| l.report);
    let constant = Warning::ConstantInputs { first: 1, count: 1 };
    assert_eq!(report.unwrap().warnings(), [constant]);

    // Two strange samples, by α = 1 %, set the threshold for inputs that have no outlier
    // themselves.
    let mut strange = normal.clone();
    for (i, value) in [(40, 5.5), (90, -5.5)] {
        for j in 0..4 {
            strange.data[4 * i + j] = if j % 2 == 0 { value } else { -value };
        }
    }
    let strict = Recipe::default().false_alarms(FalseAlarms::Share(0.005));
    let found = cause(&strange, 1.0 / 32.0, strict).unwrap();
    let Some((0, 4, Blindness::Threshold { sample })) = found else { panic!("{found:?}") };
    assert!([40, 90].contains(&sample), "{sample}");
}

#[test]
fn a_linear_kernel_that_explains_an_input_away_is_named() {
    // The product of two hidden states is no combination of the other inputs: a component of its
    // own.
    let mut random = random(5);
    let reading = |random: &mut Random| {
        let (a, b) = (random.normal(), random.normal());
        [a, b, a + b, a * b].map(|state| state + 0.2 * random.normal())
    };
    let rows: Vec<[f64; 4]> = (0..128).map(|_| reading(&mut random)).collect();
    let fresh: Vec<[f64; 4]> = (0..200).map(|_| reading(&mut random)).collect();
    let (samples, fresh) = (Grid::from_rows(&rows), Grid::from_rows(&fresh));
    sight::learn(&samples, Linear, Recipe::default(), |learned| {
        let rates = [0, 1, 2, 3].map(|j| found(&learned, &fresh, j, 5.0));
        println!("Linear: found {rates:.2?}, named {:?}", blind(&learned.report));
        for (j, rate) in rates.iter().enumerate() {
            let named = learned.report.blind_inputs().any(|blind| blind == j);
            assert!(if *rate < 0.1 { named } else { *rate < 0.6 || !named }, "{j}: {rate}");
        }
        assert_eq!(learned.report.blind_inputs().collect::<Vec<_>>(), [3]);
    })
    .unwrap();
}

/// On clean data nothing is said.
#[test]
fn clean_samples_give_no_such_warning() {
    let (mut warned, mut learned) = (0, 0);
    for d in [2, 4, 8, 16, 30] {
        for n in [64, 128, 200] {
            let mut these = 0;
            for seed in 0..SEEDS {
                let samples = sight::rows::<f32>(&vec![Input::Normal; d], n, &mut random(seed));
                let kernel = Rbf::<f32>::for_inputs(d);
                let recipe = Recipe::default();
                let report = sight::learn(&samples, kernel, recipe, |l| l.report).unwrap();
                these += usize::from(blind(&report).is_some());
                learned += 1;
            }
            println!("clean, d = {d}, n = {n}: {these} of {SEEDS} warn");
            warned += these;
        }
    }
    println!("clean: {warned} of {learned} warn");
    assert!(100 * warned <= 2 * learned, "{warned} of {learned}");
}

const SETS: [&str; 6] = ["breastw", "Ionosphere", "vowels", "Pima", "WDBC", "thyroid"];

/// Real data: what is named deserves it. The faults are put into normal rows that were not learned
/// from.
#[test]
fn on_real_data_only_inputs_whose_faults_are_not_found_are_named() -> Result<(), Error> {
    if !is_shared("adbench") {
        return Ok(());
    }
    let splits = read_shared("adbench/splits.csv");
    let mut total = Tally::default();
    for set in SETS {
        let table = read_shared(&format!("adbench/{set}.csv"));
        let (numbers, labels) = (table.numbers(), table.column("label"));
        let inputs = numbers.columns - 1;
        let rows = Grid::from_fn(numbers.rows, inputs, |i, j| numbers.at(i, j));
        let (mut tally, mut named, mut quiet) = (Tally::default(), Vec::new(), 0);
        for line in (0..splits.rows()).filter(|&line| splits.text(line, "data") == set) {
            let training: Vec<u32> =
                splits.text(line, "train_rows").split(' ').map(|row| number(row) as u32).collect();
            let mut grid = standardised(&rows, &training);
            let fresh: Vec<usize> = (0..rows.rows)
                .filter(|&i| labels[i] == 0.0 && !training.contains(&(i as u32)))
                .take(200)
                .collect();
            let first = grid.rows as u32;
            for j in 0..inputs {
                let mut values: Vec<f64> =
                    training.iter().map(|&i| grid.at(i as usize, j)).collect();
                values.sort_by(f64::total_cmp);
                let n = values.len();
                let range = values[n * 9 / 10] - values[n / 10];
                let middle = values[n / 2];
                let mut steps: Vec<f64> =
                    values.iter().map(|v| (v - middle).abs()).filter(|&v| v > 0.0).collect();
                steps.sort_by(f64::total_cmp);
                let level = steps.get(steps.len().saturating_sub(1) / 2).copied().unwrap_or(0.0);
                // As documented: the others' median distance where more than half are the same.
                let mostly_one = 2 * steps.len() < n;
                let size = 5.0 * if mostly_one { level } else { range / 2.563 };
                for (k, &i) in fresh.iter().enumerate() {
                    let mut x = grid.row(i).to_vec();
                    x[j] += if k % 2 == 0 { size } else { -size };
                    grid.data.extend(x);
                    grid.rows += 1;
                }
            }
            let judged: Vec<u32> = (first..grid.rows as u32).collect();
            let recipe = Recipe::default().order(FoldOrder::Interleaved);
            let width = Width::Median { factor: 8.0 };
            let learned = evaluation::learn(&grid.view(), &training, &judged, 128, recipe, width)?;
            let threshold = learned.report.threshold.spe;
            quiet += usize::from(blind(&learned.report).is_none());
            for (j, scores) in learned.scores.chunks(fresh.len()).enumerate() {
                let alarms = scores.iter().filter(|score| score.spe > threshold).count();
                let rate = alarms as f64 / fresh.len() as f64;
                let is_named = learned.report.blind_inputs().any(|blind| blind == j);
                tally.count(rate, is_named);
                if is_named {
                    named.push(rate);
                }
            }
        }
        tally.print(set);
        named.sort_by(f64::total_cmp);
        println!("  {quiet} of 5 splits are quiet; the named are found in {named:.2?}");
        total.add(&tally);
        if let Some(&worst) = named.last() {
            assert!(worst < 0.5, "{set}: an input found in {worst} was named");
        }
    }
    total.print("adbench");
    assert_eq!(total.seen[1], 0, "named, but found");
    let [unseen, named] = total.unseen;
    assert!(unseen > 10 && 100 * named >= 95 * unseen, "{named} of {unseen} named");
    Ok(())
}

#[test]
fn samples_are_numbered_as_the_caller_does() {
    let mut machine = learning::Machine(4);
    let mut learner = Box::new(Learner::<Rbf<f32>, [f32; 4], 60, 20, 16>::new());
    for i in 0..60 {
        let mut x: [f32; 4] = machine.reading();
        if i == 20 {
            x[2] = 30_000.0;
        }
        learner.push(&x).unwrap();
    }
    let outlier = |learner: &Learner<Rbf<f32>, [f32; 4], 60, 20, 16>| {
        let (first, _, cause) = blind(learner.report().unwrap()).unwrap();
        let place = learner.samples().position(|x| x[2] > 20_000.0).unwrap();
        assert_eq!((first, cause), (2, Blindness::Outlier { sample: place }));
        place
    };
    learner.learn(Rbf::for_inputs(4), Recipe::default()).unwrap();
    assert_eq!(outlier(&learner), 20);
    // After seven replacements the oldest sample is no longer the first in memory.
    let mut taken = 0;
    while taken < 7 {
        let verdict = learner.refresh(&machine.reading(), Replace::Oldest).unwrap();
        taken += usize::from(!verdict.unusual);
    }
    learner.learn(Rbf::for_inputs(4), Recipe::default()).unwrap();
    assert_eq!(outlier(&learner), 13);
}

/// With trimming the positions shift: of two glitches one is trimmed, and the other one is named by
/// its own row.
#[test]
fn rows_keep_their_numbers_when_others_are_trimmed() {
    let mut samples = sight::rows::<f64>(&[Input::Normal; 4], 120, &mut random(8));
    for (row, value) in [(10, 9e4), (30, -9e4), (60, 9e4), (90, 8e4)] {
        samples.data[4 * row + 1] = value;
    }
    let recipe = Recipe::default().trim(0.01).order(FoldOrder::Interleaved);
    let kernel = Rbf::<f64>::for_inputs(4);
    let report = sight::learn(&samples, kernel, recipe, |learned| learned.report).unwrap();
    assert_eq!(report.trimmed, 1);
    let Some((1, _, Blindness::Outlier { sample })) = blind(&report) else {
        panic!("{:?}", report.warnings());
    };
    assert!([10, 30, 60, 90].contains(&sample), "{sample}");
}
