//! The two eigensolvers beside each other: every fit can be made with either, and
//! docs/EIGENSOLVERS.md says what each of them is good for.
//!
//! `cargo test --test eigensolvers -- --nocapture` prints the tables, `MERCER_UPDATE=1` writes the
//! document anew. Instructions and flash are those of docs/bench.csv.

mod common;
mod document;
mod learning;

use std::fmt::Write as _;
use std::path::Path;

use common::{Grid, Route, decompose_by, fit_landmarks_by, fit_pca_by};
use learning::Machine;
use mercer::detect::{FalseAlarms, Replace};
use mercer::kernel::Rbf;
use mercer::kpca::{Components, ExactWorkspace, Landmarks};
use mercer::linalg::Matrix;
use mercer::linalg::eigen::{Eigensolver, Jacobi, TridiagonalQr};
use mercer::methods::dimension::{self, DimensionOptions};
use mercer::methods::graph::{self, Diffusion};
use mercer::methods::{DimensionWorkspace, Pca, PcaWorkspace};
use mercer::{Error, KernelPca, Learner, Recipe};

type Qr = TridiagonalQr<f32>;
type Rotations = Jacobi<f32>;

fn near(a: f32, b: f32, tolerance: f32) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1e-3)
}

/// One word makes a learner use the other solver.
#[test]
fn learners_agree() {
    const N: usize = 60;
    fn learned<E: Eigensolver<f32>>() -> Learner<Rbf<f32>, [f32; 4], N, 20, 16, E> {
        let mut learner = Learner::new();
        Machine(1).readings(N).iter().for_each(|x| learner.push(x).unwrap());
        learner.learn(Rbf::for_inputs(4), Recipe::default()).unwrap();
        learner
    }
    let (qr, jacobi) = (learned::<Qr>(), learned::<Rotations>());
    let [a, b] = [qr.report(), jacobi.report()].map(|report| report.unwrap());
    assert!(near(a.threshold.spe, b.threshold.spe, 1e-3), "{a:?}, {b:?}");
    for x in Machine(2).readings::<f32>(20) {
        let [a, b] = [qr.detector(), jacobi.detector()].map(|detector| match detector {
            Ok(detector) => detector.score(&x).unwrap(),
            Err(error) => panic!("{error}"),
        });
        assert!(near(a.score.spe, b.score.spe, 1e-3) && near(a.score.t2, b.score.t2, 2e-3));
    }
}

#[test]
fn exact_models_axes_dimensions_and_graphs_agree() {
    let samples: Vec<[f32; 4]> = Machine(3).readings(24);
    let scaled: Vec<[f32; 4]> =
        samples.iter().map(|&[a, b, c, d]| [a / 3.0, 2.0 * b, c / 8.0, 10.0 * d]).collect();
    fn projections<E: Eigensolver<f32>>(samples: &[[f32; 4]]) -> Vec<f32> {
        let mut model = KernelPca::<_, [f32; 4], 24, 3>::new();
        let mut workspace = ExactWorkspace::<f32, 24, E>::new();
        let (kernel, kept) = (Rbf::for_inputs(4), Components::Fixed(3));
        model.fit_exact(kernel, samples, kept, &mut workspace).unwrap();
        samples.iter().flat_map(|x| model.project(x).unwrap().to_vec()).collect()
    }
    fn axes<E: Eigensolver<f32>>(samples: &[[f32; 4]]) -> Vec<f32> {
        let mut pca = Pca::<[f32; 4], 3>::new();
        let mut workspace = PcaWorkspace::<[f32; 4], 24, E>::new();
        pca.fit(samples, Components::Fixed(3), &mut workspace).unwrap();
        let mut variances = pca.view().unwrap().variances().to_vec();
        pca.fit_dual(samples, Components::Fixed(3), &mut workspace).unwrap();
        variances.extend(pca.view().unwrap().variances());
        variances
    }
    fn denoised<E: Eigensolver<f32>>(samples: &[[f32; 4]]) -> Vec<f32> {
        let labels: Vec<f32> = samples.iter().map(|x| x[0] + 0.1 * x[1]).collect();
        let mut workspace = DimensionWorkspace::<f32, 24, E>::new();
        let mut scratch = workspace.scratch(samples.len()).unwrap();
        let (kernel, options) = (Rbf::for_inputs(4), DimensionOptions::VALUES.centred(true));
        dimension::estimate(&kernel, samples, &labels, options, &mut scratch).unwrap();
        scratch.denoised.to_vec()
    }
    fn heat<E: Eigensolver<f32>>(nodes: &[[f32; 4]]) -> Vec<f32> {
        let [mut weights, mut gram] = [Matrix::<f32, 24, 24>::zeros(); 2];
        let ring = (0..nodes.len()).map(|i| (i, (i + 1) % nodes.len(), 0.5 + nodes[i][0].abs()));
        graph::connect(ring, &mut weights.view_mut()).unwrap();
        let (mut values, mut numbers) = ([0.0; 24], vec![0.0; E::scratch_len(24)]);
        let (solver, out) = (E::scratch(&mut numbers), &mut gram.view_mut());
        Diffusion::new(0.5).gram(&mut weights.view_mut(), &mut values, solver, out).unwrap();
        gram.view().iter_rows().flatten().copied().collect()
    }
    for (qr, jacobi) in [
        (projections::<Qr>(&scaled), projections::<Rotations>(&scaled)),
        (axes::<Qr>(&scaled), axes::<Rotations>(&scaled)),
        (denoised::<Qr>(&scaled), denoised::<Rotations>(&scaled)),
        (heat::<Qr>(&scaled), heat::<Rotations>(&scaled)),
    ] {
        let scale = qr.iter().fold(0.0_f32, |m, x| m.max(x.abs()));
        assert!(qr.iter().zip(&jacobi).all(|(a, b)| (a - b).abs() < 2e-5 * scale));
    }
}

#[test]
fn memory_of_the_wrong_size_is_refused() {
    let mut weights = Matrix::<f32, 3, 3>::zeros();
    let mut gram = weights;
    let mut run = |solver| {
        let (weights, out) = (&mut weights.view_mut(), &mut gram.view_mut());
        Diffusion::new(1.0).gram::<Rotations>(weights, &mut [0.0; 3], solver, out)
    };
    let (mut small, mut right) = ([0.0; 3], [0.0; 9]);
    let shape = Error::Shape { what: "scratch", expected: 9, given: 3 };
    assert_eq!(run(Jacobi::scratch(&mut small)), Err(shape));
    assert_eq!(run(Jacobi::scratch(&mut right)), Ok(()));
}

#[test]
fn tables_are_true() {
    require_section("cost", &cost_table());
    require_section("accuracy", &accuracy_table());
    require_section("pca", &pca_table());
    require_section("refits", &refit_table());
}

/// Instructions and flash of both solvers on a Cortex-M4F.
fn cost_table() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/bench.csv");
    let text = std::fs::read_to_string(path).expect("docs/bench.csv can be read");
    let mut rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let header = rows.remove(0);
    let place = |name: &str| header.iter().position(|column| *column == name).expect("a column");
    let (opt, cpu) = (place("opt"), place("cpu"));
    rows.retain(|row| row[0] == "m4f" && ["eigen", "jacobi"].contains(&row[1]));
    let mut sizes: Vec<usize> = rows.iter().map(|row| row[2].parse().unwrap()).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut table = String::from(
        "| Cortex-M4F, instructions | opt-level 3: QR | Jacobi | s: QR | Jacobi | z: QR | Jacobi |\n\
         |---|---|---|---|---|---|---|\n",
    );
    let cell = |column: usize, task: &str, n: usize, level: &str| -> u64 {
        let wanted = |row: &&Vec<&str>| {
            row[1] == task && row[2] == n.to_string() && row[opt] == level && row[cpu].is_empty()
        };
        rows.iter().find(wanted).expect("a row for each")[column].parse().unwrap()
    };
    let mut line = |name: &str, column: &str, n: usize| {
        let column = place(column);
        write!(table, "| {name} |").unwrap();
        for level in ["3", "s", "z"] {
            let [qr, jacobi] = ["eigen", "jacobi"].map(|task| cell(column, task, n, level));
            let bold = |less: bool, count: u64| match less {
                true => format!(" **{}** |", grouped(count)),
                false => format!(" {} |", grouped(count)),
            };
            table.push_str(&bold(qr < jacobi, qr));
            table.push_str(&bold(jacobi < qr, jacobi));
        }
        table.push('\n');
    };
    for &n in &sizes {
        line(&format!("n = {n}"), "instructions", n);
    }
    line("flash, bytes", "flash_bytes", 32);
    line("stack, bytes", "stack_bytes", 32);
    table
}

fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|g| std::str::from_utf8(g).unwrap()).collect();
    groups.join(",")
}

/// The worst relative error of an eigenvalue of graded matrices `D S D` in `f32`; exact ones by
/// Jacobi in `f64`.
fn accuracy_table() -> String {
    let mut table = String::from(
        "| λ_max/λ_min, about | 10² | 10⁴ | 10⁶ | 10⁸ | 10¹² | 10¹⁶ |\n|---|---|---|---|---|---|---|\n",
    );
    fn worst<E: Eigensolver<f32>>(decades: i32) -> f64 {
        let (n, mut worst) = (12, 0.0_f64);
        for seed in 0..20 {
            let mut machine = Machine(seed);
            let s = Grid::from_fn(n, n, |_, _| 0.3 * machine.normal() / n as f64);
            // Small first: the order that costs the reduction least.
            let d = |i: usize| 10_f64.powf(0.5 * f64::from(decades) * i as f64 / (n - 1) as f64);
            let a = Grid::from_fn(n, n, |i, j| {
                let scaled = if i == j { 1.0 } else { s.at(i.min(j), i.max(j)) };
                (scaled * d(i) * d(j)) as f32
            });
            let exact = decompose_by::<f64, Jacobi<f64>>(&a.cast()).unwrap().values;
            let found = decompose_by::<f32, E>(&a).unwrap().values;
            for (value, exact) in found.iter().zip(&exact) {
                worst = worst.max((f64::from(*value) / exact - 1.0).abs());
            }
        }
        worst
    }
    for (name, error) in [("QR", worst::<Qr> as fn(i32) -> f64), ("Jacobi", worst::<Rotations>)] {
        let cells: String =
            [2, 4, 6, 8, 12, 16].map(|d| format!(" {} |", one_digit(error(d)))).concat();
        writeln!(table, "| {name} |{cells}").unwrap();
    }
    table
}

fn one_digit(error: f64) -> String {
    if error >= 1.0 { "all of it".into() } else { format!("{error:.0e}") }
}

/// Linear PCA of the machine's four sensors, one of them in a unit `factor` times smaller: the
/// worst relative error of a variance that is kept, in `f32`.
fn pca_table() -> String {
    let mut table = String::from(
        "| one unit is so many times the others | 1 | 10 | 100 | 1000 |\n|---|---|---|---|---|\n",
    );
    fn worst<E: Eigensolver<f32>>(factor: f64) -> f64 {
        let mut worst = 0.0_f64;
        for seed in 0..20 {
            let readings: Vec<[f64; 4]> = Machine(seed).readings(64);
            let samples = Grid::from_fn(64, 4, |i, j| {
                let units = [3.0 / factor, 0.5, 8.0, 0.1];
                (readings[i][j] / units[j]) as f32
            });
            let kept = Components::Share(1.0);
            let exact = fit_pca_by::<Jacobi<f64>, f64>(&samples.cast(), kept_f64(), Route::Primal);
            let (exact, found) =
                (exact.unwrap(), fit_pca_by::<E, f32>(&samples, kept, Route::Primal).unwrap());
            let found = found.view();
            for (value, exact) in found.variances().iter().zip(exact.view().variances()) {
                worst = worst.max((f64::from(*value) / exact - 1.0).abs());
            }
        }
        worst
    }
    fn kept_f64() -> Components<f64> {
        Components::Share(1.0)
    }
    for (name, error) in [("QR", worst::<Qr> as fn(f64) -> f64), ("Jacobi", worst::<Rotations>)] {
        let cells: String =
            [1.0, 10.0, 100.0, 1000.0].map(|f| format!(" {} |", one_digit(error(f)))).concat();
        writeln!(table, "| {name} |{cells}").unwrap();
    }
    table
}

/// How many landmarks stay when a learner takes new readings and learns again, and what a start
/// from the eigenvectors before would save if they all did.
fn refit_table() -> String {
    const N: usize = 64;
    const R: usize = 24;
    const TRIALS: u64 = 20;
    let mut table = String::from(
        "| readings taken, of 64 | landmarks all stay: oldest replaced | random ones replaced | \
         leading ones that stay | rotations from the old eigenvectors | from nothing |\n\
         |---|---|---|---|---|---|\n",
    );
    for taken in [1, 2, 4, 8, 16, 32, 64] {
        let (mut all, mut leading) = ([0; 2], 0);
        let (mut warm, mut cold) = (0, 0);
        for trial in 0..TRIALS {
            let mut machine = Machine(100 + trial);
            let readings: Vec<[f32; 4]> = machine.readings(N + 4 * taken);
            for (place, replace) in [Replace::Oldest, Replace::Random].into_iter().enumerate() {
                let mut learner = Learner::<Rbf<f32>, [f32; 4], N, R, 16>::new();
                let recipe = Recipe::default()
                    .landmarks(Landmarks::Rank(R))
                    .false_alarms(FalseAlarms::Share(0.02));
                readings[..N].iter().for_each(|x| learner.push(x).unwrap());
                learner.learn(Rbf::for_inputs(4), recipe).unwrap();
                let before = learner.detector().unwrap().model().points().to_vec();
                let normal = |x: &&[f32; 4]| !learner.refresh(x, replace).unwrap().unusual;
                let count = readings[N..].iter().filter(normal).take(taken).count();
                assert_eq!(count, taken);
                learner.learn(Rbf::for_inputs(4), recipe).unwrap();
                let after = learner.detector().unwrap().model().points();
                let same = before.iter().zip(after).take_while(|(a, b)| a == b).count();
                all[place] += usize::from(same == R);
                leading += same;
            }
            let (w, c) = rotations(&readings, taken, R);
            (warm, cold) = (warm + w, cold + c);
        }
        let share = |count: usize| format!("{} %", 100 * count / TRIALS as usize);
        let mean = |count: usize| (count + TRIALS as usize / 2) / TRIALS as usize;
        writeln!(
            table,
            "| {taken} | {} | {} | {} of {R} | {} | {} |",
            share(all[0]),
            share(all[1]),
            (leading + TRIALS as usize) / (2 * TRIALS as usize),
            mean(warm),
            mean(cold)
        )
        .unwrap();
    }
    table
}

/// Rotations for the covariance of 64 readings in fixed coordinates, after some were replaced: from
/// the eigenvectors before, and from nothing.
fn rotations(readings: &[[f32; 4]], taken: usize, r: usize) -> (usize, usize) {
    let scaled = |x: &[f32; 4]| {
        let (mean, unit) = ([20.0, 5.0, 100.0, 1.0], learning::UNITS);
        std::array::from_fn::<f32, 4, _>(|i| (x[i] - mean[i]) / unit[i] as f32)
    };
    let samples: Vec<[f32; 4]> = readings.iter().take(64 + taken).map(scaled).collect();
    // Landmarks of the first 64; all samples have coordinates in their span: rows of the factor.
    let kernel = Rbf::for_inputs(4);
    let fitted = fit_landmarks_by::<Qr, _, _>(
        &kernel,
        &samples[..64],
        Landmarks::Rank(r),
        Components::Fixed(1),
        r,
    );
    let points: Vec<[f32; 4]> = fitted.unwrap().points.iter().map(|&i| samples[i]).collect();
    let k = |x: &[f32; 4], y: &[f32; 4]| {
        let square: f32 = x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum();
        f64::from((-kernel.gamma * square).exp())
    };
    let mut l = vec![vec![0.0; r]; r];
    for i in 0..r {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|m| l[i][m] * l[j][m]).sum();
            let left = k(&points[i], &points[j]) - sum;
            l[i][j] = if i == j { left.max(1e-12).sqrt() } else { left / l[j][j] };
        }
    }
    let coordinates: Vec<Vec<f64>> = samples
        .iter()
        .map(|x| {
            let mut z = vec![0.0; r];
            for i in 0..r {
                let sum: f64 = (0..i).map(|m| l[i][m] * z[m]).sum();
                z[i] = (k(x, &points[i]) - sum) / l[i][i];
            }
            z
        })
        .collect();
    let covariance = |rows: &[Vec<f64>]| {
        let count = rows.len() as f64;
        let mean: Vec<f64> =
            (0..r).map(|i| rows.iter().map(|z| z[i]).sum::<f64>() / count).collect();
        Grid::from_fn(r, r, |i, j| {
            rows.iter().map(|z| (z[i] - mean[i]) * (z[j] - mean[j])).sum::<f64>() / count
        })
    };
    let (old, new) = (covariance(&coordinates[..64]), covariance(&coordinates[taken..]));
    let basis = decompose_by::<f64, Jacobi<f64>>(&old).unwrap().vectors;
    let turned = basis.times(&new).times(&basis.transposed());
    (count_rotations(turned.cast()), count_rotations(new.cast()))
}

/// The rule of `Jacobi`, counting.
fn count_rotations(mut a: Grid<f32>) -> usize {
    let n = a.rows;
    let at = |a: &Grid<f32>, i: usize, j: usize| a.data[i * n + j];
    let mut count = 0;
    for sweep in 0.. {
        let total: f32 = (0..n * n).filter(|e| e / n < e % n).map(|e| a.data[e].abs()).sum();
        let threshold = if sweep < 4 { 0.5 * total / (n * n) as f32 } else { 0.0 };
        let before = count;
        for (p, q) in (0..n).flat_map(|p| (p + 1..n).map(move |q| (p, q))) {
            let (app, aqq, apq) = (at(&a, p, p), at(&a, q, q), at(&a, p, q));
            let small = |d: f32| apq.abs() <= f32::EPSILON * d.abs();
            if apq.abs() <= threshold || small(app) && small(aqq) {
                continue;
            }
            count += 1;
            let theta = f64::from(aqq - app) / (2.0 * f64::from(apq));
            let t = 1.0_f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let (t, s, c) = (t as f32, (t * c) as f32, c as f32);
            for k in (0..n).filter(|&k| k != p && k != q) {
                let (x, y) = (at(&a, p, k), at(&a, q, k));
                for (e, value) in [(p, c * x - s * y), (q, s * x + c * y)] {
                    (a.data[e * n + k], a.data[k * n + e]) = (value, value);
                }
            }
            (a.data[p * n + p], a.data[q * n + q]) = (app - t * apq, aqq + t * apq);
            (a.data[p * n + q], a.data[q * n + p]) = (0.0, 0.0);
        }
        if count == before && threshold == 0.0 {
            break;
        }
    }
    count
}

fn require_section(name: &str, expected: &str) {
    document::require_section("docs/EIGENSOLVERS.md", name, expected, "eigensolvers");
}
