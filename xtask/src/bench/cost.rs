//! The constants `COST` of detectors, projectors and learners against the committed counts.

use std::fs;
use std::path::Path;

use mercer::detect::{Cost, GaussianProjector, Instructions, LogDetector};
use mercer::kernel::Rbf;
use mercer::{Detector, GaussianLearner};

use super::record;

/// What a bound may exceed the count by, at the level that takes longest.
const GENEROUS: f64 = 1.7;

fn cost(d: u32, r: u32, p: u32) -> Option<Cost> {
    match (d, r, p) {
        (3, 32, 4) => Some(Detector::<Rbf<f32>, [f32; 3], 32, 4>::COST),
        (8, 64, 4) => Some(Detector::<Rbf<f32>, [f32; 8], 64, 4>::COST),
        (16, 128, 4) => Some(Detector::<Rbf<f32>, [f32; 16], 128, 4>::COST),
        _ => None,
    }
}

fn bound(bounds: &Instructions, board: &str) -> u64 {
    let bound = match board {
        "m0" => bounds.cortex_m0,
        "m3" => bounds.cortex_m3,
        "m4f" | "m7" | "m33" => bounds.cortex_m4f,
        "rv32imac" => bounds.rv32imac,
        other => panic!("no bound for {other}"),
    };
    bound as u64
}

#[test]
fn bounds_hold_and_are_not_too_generous() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/bench.csv");
    let rows = record::from_csv(&fs::read_to_string(path).unwrap()).unwrap();
    let (mut detectors, mut projectors) = (0, 0);
    for row in rows.iter().filter(|row| row.key.cpu.is_empty()) {
        let key = &row.key;
        let cost = match key.task.as_str() {
            "detect" => cost(key.d, key.r, key.p).unwrap(),
            "detect-log" => LogDetector::<8, 64, 4>::COST,
            "projector" => GaussianProjector::<8, 64, 4>::COST,
            _ => continue,
        };
        let (count, bound) = (row.instructions, bound(&cost.instructions, &key.board));
        assert!(count <= bound, "{key:?}: {count}, but the bound is {bound}");
        assert!(row.stack_bytes <= cost.ram as u64, "{key:?}: {} of stack", row.stack_bytes);
        if key.opt == "z" {
            assert!(bound as f64 <= GENEROUS * count as f64, "{key:?}: {count} of {bound}");
        }
        match key.task == "projector" {
            true => projectors += 1,
            false => detectors += 1,
        }
    }
    assert_eq!(detectors, 4 * 6 * 3, "four shapes, six boards, three levels");
    assert_eq!(projectors, 6 * 3, "six boards, three levels");
}

/// What `begin` and the longest step take, with and without trimming.
#[test]
fn no_step_of_learning_takes_longer_than_its_bound() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/bench.csv");
    let rows = record::from_csv(&fs::read_to_string(path).unwrap()).unwrap();
    for row in rows.iter().filter(|row| row.key.task.starts_with("longest-")) {
        let key = &row.key;
        assert_eq!((key.n, key.d, key.r, key.p), (128, 12, 32, 24), "{key:?}");
        let bounds = GaussianLearner::<12, 128, 32, 24>::COST.step;
        let (count, bound) = (row.instructions, bound(&bounds, &key.board));
        assert!(count <= bound, "{key:?}: {count}, but the bound is {bound}");
        if key.opt == "z" && key.task == "longest-step" {
            assert!(bound as f64 <= GENEROUS * count as f64, "{key:?}: {count} of {bound}");
        }
    }
}

#[test]
fn a_firmware_can_check_it() {
    const COST: Cost = Detector::<Rbf<f32>, [f32; 8], 64, 4>::COST;
    const { assert!(COST.kernel_evaluations == 64 && COST.multiply_adds == 64 * 13) };
    assert_eq!(COST.flash, Detector::<Rbf<f32>, [f32; 8], 64, 4>::SIZE);
}
