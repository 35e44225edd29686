mod common;
mod evaluation;

use common::{Grid, Table};
use evaluation::*;
use mercer::calibrate::quantile;
use mercer::kernel::Rbf;
use mercer::math::{Libm, Math};
use mercer::{Components, FoldOrder, Recipe};
use std::time::Instant;

#[test]
fn explore() {
    if !is_shared("adbench") {
        return;
    }
    run::<f64>();
    run::<f32>();
}

fn run<T: Precision>()
where
    Libm: Math<T>,
{
    let reference = read_shared("adbench/reference_kpca.csv");
    let splits = read_shared("adbench/splits.csv");
    let mut c = Comparison::default();
    let t0 = Instant::now();
    for row in 0..reference.rows() {
        let name = reference.text(row, "data");
        let table = read_shared(&format!("adbench/{name}.csv"));
        let all = table.numbers();
        let labels = table.column("label");
        let x = Grid::<T>::from_fn(all.rows, all.columns - 1, |i, j| T::from_f64(all.at(i, j)));
        let split = (0..splits.rows())
            .find(|&s| {
                splits.text(s, "data") == name
                    && splits.text(s, "split") == reference.text(row, "split")
            })
            .unwrap();
        let training: Vec<u32> =
            splits.text(split, "train_rows").split(' ').map(|t| t.parse().unwrap()).collect();
        let judged: Vec<u32> = (0..x.rows as u32).filter(|i| !training.contains(i)).collect();
        let scaled = standardised(&x, &training);
        let n = |col: &str| common::number(reference.text(row, col));
        let (factor, frac) =
            if reference.text(row, "recipe") == "2m" { (2.0, 0.95) } else { (8.0, 0.99) };
        let recipe = Recipe {
            components: Components::Share(T::from_f64(frac)),
            order: FoldOrder::Interleaved,
            ..Recipe::default()
        };
        let place = format!(
            "{} {name} {} {}",
            T::NAME,
            reference.text(row, "split"),
            reference.text(row, "recipe")
        );
        let t = Instant::now();
        let choose = Width::Median { factor };
        let k = choose
            .kernel(&mercer::samples::Indexed { samples: &scaled.view(), rows: &training })
            .unwrap();
        let tm = t.elapsed();
        c.relatively_close(&place, "gamma", (k.gamma.to_f64(), n("gamma")), T::TOLERANCE);
        for (label, points) in [("exact", training.len()), ("pch32", 32)] {
            let t = Instant::now();
            let l = match learn(&scaled.view(), &training, &judged, points, recipe, choose) {
                Ok(l) => l,
                Err(e) => {
                    println!("{place} {label}: {e}");
                    continue;
                }
            };
            if row % 10 == 1 {
                println!(
                    "{place} {label} {:?} median {:?} rank {} points {} q {} warnings {:?}",
                    t.elapsed(),
                    tm,
                    l.report.fit.rank,
                    l.report.fit.points,
                    l.report.fit.components,
                    l.report.warnings()
                );
            }
            let by = |f: &dyn Fn(&mercer::Score<T>) -> T, anomaly: f64| -> Vec<f64> {
                judged
                    .iter()
                    .zip(&l.scores)
                    .filter(|&(&i, _)| labels[i as usize] == anomaly)
                    .map(|(_, s)| f(s).to_f64())
                    .collect()
            };
            let a = |f: &dyn Fn(&mercer::Score<T>) -> T| auroc(&by(f, 0.0), &by(f, 1.0));
            if label == "exact" {
                c.close(&place, "q", (l.report.fit.components as f64, n("q")), 0.0);
                c.close(&place, "auroc_spe", (a(&|s| s.spe), n("auroc_spe")), T::TOLERANCE);
                c.close(&place, "auroc_t2", (a(&|s| s.t2), n("auroc_t2")), T::TOLERANCE);
                c.close(&place, "auroc_f", (a(&|s| s.abs_sum), n("auroc_f")), T::TOLERANCE);
                for (alpha, suffix) in [(0.05, "5pct"), (0.01, "1pct")] {
                    let thr =
                        quantile(&l.crossfit_spe, T::from_f64(alpha)).unwrap().threshold.to_f64();
                    c.relatively_close(
                        &place,
                        &format!("cv4_thr_{suffix}"),
                        (thr, n(&format!("cv4_thr_{suffix}"))),
                        T::TOLERANCE,
                    );
                    c.close(
                        &place,
                        &format!("cv4_far_{suffix}"),
                        (alarm_rate(&by(&|s| s.spe, 0.0), thr), n(&format!("cv4_far_{suffix}"))),
                        T::TOLERANCE,
                    );
                    c.close(
                        &place,
                        &format!("cv4_tpr_{suffix}"),
                        (alarm_rate(&by(&|s| s.spe, 1.0), thr), n(&format!("cv4_tpr_{suffix}"))),
                        T::TOLERANCE,
                    );
                }
                // training
                let tr =
                    learn(&scaled.view(), &training, &training, points, recipe, choose).unwrap();
                let spe: Vec<T> = tr.scores.iter().map(|s| s.spe).collect();
                let thr = quantile(&spe, T::from_f64(0.05)).unwrap().threshold.to_f64();
                c.close(
                    &place,
                    "train_q",
                    (alarm_rate(&by(&|s| s.spe, 0.0), thr), n("train_quantile_far_5pct")),
                    10.0,
                );
            } else {
                c.close(&place, "q_pch32", (l.report.fit.components as f64, n("q_pch32")), 0.0);
                c.close(
                    &place,
                    "auroc_pch32_spe",
                    (a(&|s| s.spe), n("auroc_pch32_spe")),
                    T::TOLERANCE,
                );
            }
        }
    }
    println!("{:?}", t0.elapsed());
    println!(
        "{}",
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| c.finish(T::NAME, 0))).is_ok()
    );
}
