//! Warnings are rare: on real data, with defaults, there are none but for what deserves it, and
//! each says what to do.
//!
//! The data are not part of the repository; without `../shared/data` there is nothing to do. `cargo
//! test --test quiet -- --nocapture` prints what is said of each set.

mod common;
mod evaluation;

use common::{Grid, number};
use evaluation::{Width, is_shared, learn, read_shared, standardised};
use mercer::Recipe;
use mercer::detect::{Blindness, Warning};

const SETS: [&str; 6] = ["breastw", "Ionosphere", "vowels", "Pima", "WDBC", "thyroid"];
/// As many as the host command has by default.
const POINTS: usize = 48;

/// What the default recipe says of some rows.
fn said(rows: &Grid<f32>, training: &[u32]) -> Vec<Warning> {
    let scaled = standardised(rows, training);
    let (points, width) = (POINTS.min(training.len()), Width::Inputs(rows.columns));
    let learned = learn(&scaled.view(), training, &[], points, Recipe::default(), width);
    learned.expect("a model").report.warnings().to_vec()
}

/// The inputs of a set, and the numbers of its normal rows.
fn set(name: &str) -> (Grid<f32>, Vec<u32>) {
    let table = read_shared(&format!("adbench/{name}.csv"));
    let (numbers, labels) = (table.numbers(), table.column("label"));
    let rows = Grid::from_fn(numbers.rows, numbers.columns - 1, |i, j| numbers.at(i, j) as f32);
    (rows, (0..labels.len() as u32).filter(|&i| labels[i as usize] == 0.0).collect())
}

#[test]
fn all_normal_rows_of_a_set_give_no_warning() {
    if !is_shared("adbench") {
        return;
    }
    for name in SETS {
        let (rows, normal) = set(name);
        assert_eq!(said(&rows, &normal), [], "{name}");
    }
}

/// With 128 rows some inputs are blind, and that is so: `tests/blind.rs` finds faults of what is
/// named in less than half of new rows. All else is quiet.
#[test]
fn few_rows_of_a_set_give_no_warning_but_of_blind_inputs() {
    if !is_shared("adbench") {
        return;
    }
    let splits = read_shared("adbench/splits.csv");
    let (mut quiet, mut all) = (0, 0);
    for name in SETS {
        let (rows, _) = set(name);
        for line in (0..splits.rows()).filter(|&line| splits.text(line, "data") == name) {
            let training: Vec<u32> =
                splits.text(line, "train_rows").split(' ').map(|row| number(row) as u32).collect();
            let said = said(&rows, &training);
            println!("{name} {}: {said:?}", splits.text(line, "split"));
            let blind = |warning: &Warning| matches!(warning, Warning::BlindInputs { .. });
            assert!(said.iter().all(blind), "{name}: {said:?}");
            quiet += usize::from(said.is_empty());
            all += 1;
        }
    }
    println!("{quiet} of {all} splits are quiet");
    assert_eq!(all, 30);
    assert!(quiet >= 15, "{quiet} of {all}");
}

#[test]
fn a_rig_that_drifts_is_said_to_and_nothing_else() {
    if !is_shared("skab") {
        return;
    }
    for file in ["valve1_0", "valve2_0", "other_9", "other_13"] {
        let numbers = read_shared(&format!("skab/{file}.csv")).numbers();
        // The time stands first; eight sensors follow. The first 400 rows are normal.
        let sensors = Grid::from_fn(400, 8, |i, j| numbers.at(i, j + 1) as f32);
        let said = said(&sensors, &(0..400).collect::<Vec<_>>());
        assert!(matches!(said[..], [Warning::Drift { .. }]), "{file}: {said:?}");
    }
}

#[test]
fn every_warning_says_what_to_do() {
    const TO_DO: [&str; 10] = [
        "drop",
        "record",
        "learn",
        "leave",
        "make room",
        "choose",
        "take one",
        "trim",
        "allow",
        "standardise",
    ];
    let blind = |cause| Warning::BlindInputs { first: 1, count: 2, cause };
    for warning in [
        Warning::ConstantInputs { first: 0, count: 1 },
        Warning::ConstantInputs { first: 0, count: 2 },
        Warning::StuckInputs { first: 3, count: 1 },
        Warning::StuckInputs { first: 3, count: 2 },
        Warning::Duplicates { samples: 5 },
        Warning::FewSamples { given: 20, advised: 32 },
        Warning::UnsupportedRate { given: 20, needed: 99 },
        Warning::Autocorrelated { effective: 6, spacing: 19 },
        Warning::Drift { quarter: 0 },
        Warning::Drift { quarter: 1 },
        Warning::Drift { quarter: 3 },
        Warning::ComponentsCapped,
        Warning::PointsCapped,
        Warning::Indefinite,
        Warning::ThresholdLowered { sample: 3, above: 2 },
        blind(Blindness::Outlier { sample: 7 }),
        blind(Blindness::Threshold { sample: 7 }),
        blind(Blindness::Stuck),
        blind(Blindness::Scale),
        blind(Blindness::Kernel),
    ] {
        let text = warning.to_string();
        // After the last mark comes what to do.
        let advice = text.rsplit([':', ';']).next().unwrap_or_default();
        let told = TO_DO.iter().any(|verb| advice.trim_start().starts_with(verb));
        assert!(told && text.contains([':', ';']), "{text}");
    }
}

/// What made these warnings rare has not made them deaf: each still speaks where there is reason
/// to.
#[test]
fn what_deserves_a_warning_gets_it() {
    let mut random = common::Random(5);
    let mut noise = move || random.normal() as f32;
    let clean = Grid::from_fn(128, 6, |_, _| noise());
    let all: Vec<u32> = (0..128).collect();
    assert_eq!(said(&clean, &all), []);

    // A recording that was written twice: the folds know each other.
    let twice = Grid::from_fn(128, 6, |i, j| clean.at(i % 64, j));
    assert_eq!(said(&twice, &all)[0], Warning::Duplicates { samples: 64 });
    // The same levels again and again are no copies.
    let coarse = Grid::from_fn(128, 3, |i, j| clean.at(i, j).round());
    assert_eq!(said(&coarse, &all), []);
    // But one fine input says that the equal rows among them are.
    let mixed =
        Grid::from_fn(
            128,
            3,
            |i, j| if j < 2 { coarse.at(i % 120, j) } else { clean.at(i % 120, 2) },
        );
    assert_eq!(said(&mixed, &all)[0], Warning::Duplicates { samples: 8 });

    // Stuck for the first three quarters; and an input that is mostly 0 by nature.
    let stuck = Grid::from_fn(128, 6, |i, j| if j == 2 && i < 96 { 0.5 } else { clean.at(i, j) });
    let stuck_input = Warning::StuckInputs { first: 2, count: 1 };
    assert!(said(&stuck, &all).contains(&stuck_input), "{:?}", said(&stuck, &all));
    let rare = Grid::from_fn(128, 6, |i, j| match j {
        2 => f32::from(u8::from([9, 97, 110, 119].contains(&i))),
        _ => clean.at(i, j),
    });
    let is_stuck = |warning: &Warning| matches!(warning, Warning::StuckInputs { .. });
    assert!(!said(&rare, &all).iter().any(is_stuck), "{:?}", said(&rare, &all));

    // Too few points for what the inputs do.
    let (scaled, width) = (standardised(&clean, &all), Width::Inputs(6));
    let capped = |points| {
        let learned = learn(&scaled.view(), &all, &[], points, Recipe::default(), width).unwrap();
        (learned.report.fit.unspanned, learned.report.warnings().contains(&Warning::PointsCapped))
    };
    let (unspanned, warned) = capped(8);
    assert!(unspanned > 0.1 && warned, "{unspanned}");
    let (unspanned, warned) = capped(24);
    assert!(unspanned > 0.01 && unspanned < 0.1 && !warned, "{unspanned}");
}
