//! Detectors in integers beside those that they were made from: on six real data sets, far away, and at the ends of every range.

mod common;
mod evaluation;

use common::number;
use evaluation::{alarm_rate, auroc, is_shared, mean, read_shared};
use mercer::kernel::Rbf;
use mercer::{Components, Detector, FoldOrder, Learner, QuantisedDetector, Recipe, Scaling};

const SPLITS: usize = 5;

/// A data set with detectors of one size.
struct Case {
    name: String,
    /// Scores by the detector in `f32` and by the quantised one, of rows that neither has seen: normal ones, anomalous ones.
    spe: [[Vec<f64>; 2]; 2],
    threshold: f64,
}

fn cases<const D: usize, const R: usize, const P: usize>(set: &str, factor: f32) -> Vec<Case> {
    let table = read_shared(&format!("adbench/{set}.csv"));
    let (numbers, labels) = (table.numbers(), table.column("label"));
    let rows: Vec<[f32; D]> =
        (0..numbers.rows).map(|i| std::array::from_fn(|j| numbers.at(i, j) as f32)).collect();
    let splits = read_shared("adbench/splits.csv");
    let lines = (0..splits.rows()).filter(|&line| splits.text(line, "data") == set);
    let cases: Vec<_> = lines
        .map(|line| {
            let training = splits.text(line, "train_rows").split(' ').map(|row| number(row) as usize);
            let training: Vec<usize> = training.collect();
            let mut learner = Box::new(Learner::<Rbf<f32>, [f32; D], 128, R, P>::new());
            let samples: Vec<[f32; D]> = training.iter().map(|&i| rows[i]).collect();
            let scaling = Scaling::learn(samples.as_slice());
            let scaled: Vec<[f32; D]> = samples.iter().map(|x| scaling.apply(x)).collect();
            for x in &samples {
                learner.push(x).unwrap();
            }
            let kernel = Rbf::for_samples(scaled.as_slice(), factor).unwrap();
            let recipe = Recipe { components: Components::Share(0.99), order: FoldOrder::Interleaved, ..Recipe::default() };
            learner.learn(kernel, recipe).unwrap();
            let detector = learner.detector().unwrap();
            let mut quantised = Box::new(QuantisedDetector::<D, R, P>::new());
            quantised.quantise(detector).unwrap();
            let unseen = |label: f64| {
                (0..rows.len()).filter(move |i| labels_at(*i) == label)
            };
            let _ = unseen;
            let test = |label: f64, score: &dyn Fn(&[f32; D]) -> f32| -> Vec<f64> {
                (0..rows.len())
                    .filter(|i| labels[*i] == label && !training.contains(i))
                    .map(|i| score(&rows[i]).into())
                    .collect()
            };
            let float = |x: &[f32; D]| detector.score(x).unwrap().score.spe;
            let whole = |x: &[f32; D]| quantised.score(x).unwrap().score.spe;
            Case {
                name: format!("{set} {factor} {R} {P} split"),
                spe: [[test(0.0, &float), test(1.0, &float)], [test(0.0, &whole), test(1.0, &whole)]],
                threshold: detector.thresholds().spe.into(),
            }
        })
        .collect();
    assert_eq!(cases.len(), SPLITS);
    cases
}
fn labels_at(_: usize) -> f64 { 0.0 }

#[test]
fn hardly_any_auroc_is_lost() {
    if !is_shared("adbench") {
        return;
    }
    let mut losses = Vec::new();
    let mut fars = Vec::new();
    let all = [
        cases::<9, 32, 32>("breastw", 8.0), cases::<32, 32, 32>("Ionosphere", 8.0), cases::<12, 32, 32>("vowels", 8.0),
        cases::<8, 32, 32>("Pima", 8.0), cases::<30, 32, 32>("WDBC", 8.0), cases::<6, 32, 32>("thyroid", 8.0),
        cases::<9, 128, 32>("breastw", 8.0), cases::<32, 128, 32>("Ionosphere", 8.0), cases::<12, 128, 32>("vowels", 8.0),
        cases::<8, 128, 32>("Pima", 8.0), cases::<30, 128, 32>("WDBC", 8.0), cases::<6, 128, 32>("thyroid", 8.0),
        cases::<9, 32, 32>("breastw", 2.0), cases::<8, 64, 4>("Pima", 8.0), cases::<6, 32, 8>("thyroid", 1.0),
    ];
    for case in all.iter().flatten() {
        let [float, whole] = &case.spe;
        let loss = auroc(&float[0], &float[1]) - auroc(&whole[0], &whole[1]);
        let mut worst = 0.0_f64;
        for (a, b) in float.iter().flatten().zip(whole.iter().flatten()) {
            worst = worst.max((a - b).abs() / case.threshold);
        }
        let far = [alarm_rate(&float[0], case.threshold), alarm_rate(&whole[0], case.threshold)];
        println!("{}: {loss:+.5} worst {worst:.1e} of {} far {far:?}", case.name, case.threshold);
        losses.push(loss);
        fars.push(far);
    }
    println!("mean loss {}, far {} {}", mean(losses), mean(fars.iter().map(|f| f[0])), mean(fars.iter().map(|f| f[1])));
}
