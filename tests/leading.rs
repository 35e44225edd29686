//! The leading eigenpairs, and the fit that uses them, against the plain Jacobi method: thousands of random problems, many with repeated eigenvalues.
//!
//! `cargo test --test leading -- --nocapture` prints the worst errors.

mod common;
#[path = "../src/eigen/jacobi.rs"]
mod jacobi;

use common::{Grid, decompose};
use mercer::Real;
use mercer::eigen::{self, LanczosScratch, Leading};
use mercer::kernel::{Kernel, Rbf, Sigmoid};

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `[0, 1)`.
    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// About normal, of variance 1.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    /// Between `low` and `high`, both included.
    fn between(&mut self, low: usize, high: usize) -> usize {
        low + (self.next() % (high - low + 1) as u64) as usize
    }
}

/// A symmetric matrix and how many eigenpairs of it are wanted.
struct Problem {
    name: String,
    matrix: Grid<f64>,
    wanted: usize,
    steps: usize,
}

fn centred_gram(samples: &Grid<f64>, kernel: &impl Kernel<[f64], Scalar = f64>) -> Grid<f64> {
    let mut gram = common::gram(kernel, &samples.view()).unwrap();
    mercer::gram::centre(&mut gram.view_mut(), &mut vec![0.0; samples.rows]).unwrap();
    gram
}

/// `Q Λ Qᵀ` with a random orthogonal `Q`, symmetric to the last bit.
fn with_spectrum(values: &[f64], random: &mut Random) -> Grid<f64> {
    let n = values.len();
    let mut a = Grid::from_fn(n, n, |i, j| if i == j { values[i] } else { 0.0 });
    for _ in 0..3 {
        // A ← P A P with the reflection P = I − 2 u uᵀ.
        let u: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let square: f64 = u.iter().map(|u| u * u).sum();
        let p =
            Grid::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - 2.0 * u[i] * u[j] / square);
        a = p.times(&a).times(&p);
    }
    Grid::from_fn(n, n, |i, j| a.at(i.min(j), i.max(j)))
}

fn problem(seed: u64) -> Problem {
    let random = &mut Random(seed);
    let n = random.between(8, 96);
    let inputs = random.between(1, 10);
    let gamma = 0.03 * (2.0_f64 / 0.03).powf(random.uniform());
    let rbf = Rbf::new(gamma);
    let mut cloud = |n: usize| Grid::from_fn(n, inputs, |_, _| random.normal());
    let (name, matrix) = match seed % 10 {
        0..=3 => ("gaussian", centred_gram(&cloud(n), &rbf)),
        4 => {
            let few = cloud(n.div_ceil(3));
            let copies: Vec<usize> = (0..n).map(|i| i % few.rows).collect();
            ("copies", centred_gram(&few.pick(&copies), &rbf))
        }
        5 => {
            let angle = |i: usize| std::f64::consts::TAU * i as f64 / n as f64;
            let polygon = |i, j| if j == 0 { angle(i).cos() } else { angle(i).sin() };
            ("polygon", centred_gram(&Grid::from_fn(n, 2, polygon), &rbf))
        }
        6 => {
            let side = (n as f64).sqrt() as usize;
            let grid = |i: usize, j| (if j == 0 { i / side } else { i % side }) as f64;
            ("grid", centred_gram(&Grid::from_fn(side * side, 2, grid), &rbf))
        }
        7 => {
            let corner = |i, j| f64::from(u8::from(i == j));
            ("simplex", centred_gram(&Grid::from_fn(n.min(40), n.min(40), corner), &rbf))
        }
        8 => {
            let levels: Vec<f64> = (0..n).map(|_| random.between(0, 4) as f64 - 1.0).collect();
            if n % 2 == 0 {
                ("levels", with_spectrum(&levels, random))
            } else {
                // Two equal blocks: every eigenvalue twice, bit for bit.
                let half = with_spectrum(&levels[..n / 2], random);
                let m = half.rows;
                let block = |i, j| if i / m == j / m { half.at(i % m, j % m) } else { 0.0 };
                ("blocks", Grid::from_fn(2 * m, 2 * m, block))
            }
        }
        _ => ("sigmoid", centred_gram(&cloud(n), &Sigmoid::new(gamma, 0.5))),
    };
    let random = &mut Random(!seed);
    let n = matrix.rows;
    let wanted = random.between(1, 12).min(n);
    let steps = random.between((2 * wanted + 4).min(n), (4 * wanted + 8).min(n));
    let name =
        format!("seed {seed}: {name}, n = {n}, {wanted} wanted, {steps} steps, gamma = {gamma}");
    Problem { name, matrix, wanted, steps }
}

/// Eigenvalues and eigenvectors, one a row.
struct Found<T> {
    values: Vec<T>,
    vectors: Vec<Vec<T>>,
    leading: Leading<T>,
}

fn leading<T: Real>(
    matrix: &Grid<T>,
    norm: f64,
    wanted: usize,
    steps: usize,
) -> Result<Found<T>, mercer::Error> {
    let n = matrix.rows;
    let mut work = matrix.clone();
    let (mut basis, mut projected) = (Grid::zeros(steps, n), Grid::zeros(steps, steps));
    let (mut rotation, mut values) = (Grid::zeros(steps, steps), vec![T::ZERO; steps]);
    let (mut diagonal, mut beside) = (vec![T::ZERO; steps], vec![T::ZERO; steps]);
    let (mut vector, mut pivots) = (vec![T::ZERO; n], vec![T::ZERO; n]);
    let mut scratch = LanczosScratch {
        basis: basis.view_mut(),
        projected: projected.view_mut(),
        rotation: rotation.view_mut(),
        values: &mut values,
        diagonal: &mut diagonal,
        beside: &mut beside,
        vector: &mut vector,
        pivots: &mut pivots,
    };
    let floor = T::EPSILON * T::from_usize(4 * n) * T::from_f64(norm);
    let leading = eigen::leading(&mut work.view_mut(), wanted, floor, &mut scratch)?;
    values.truncate(leading.found);
    let vectors = basis.iter_rows().take(leading.found).map(<[T]>::to_vec).collect();
    Ok(Found { values, vectors, leading })
}

/// Worst errors of eigenpairs relative to the norm of the matrix, computed in `f64`.
#[derive(Clone, Copy, Debug, Default)]
struct Errors {
    value: f64,
    residual: f64,
    orthogonality: f64,
}

fn errors<T: Real>(matrix: &Grid<f64>, truth: &[f64], values: &[T], vectors: &[Vec<T>]) -> Errors {
    let n = matrix.rows;
    let norm = truth[0].abs().max(truth[n - 1].abs()).max(f64::MIN_POSITIVE);
    let mut worst = Errors::default();
    for (j, (value, vector)) in values.iter().zip(vectors).enumerate() {
        worst.value = worst.value.max((value.to_f64() - truth[j]).abs() / norm);
        let v: Vec<f64> = vector.iter().map(|x| x.to_f64()).collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let residual = (0..n).map(|i| dot(matrix.row(i), &v) - value.to_f64() * v[i]);
        let residual = residual.map(|r| r * r).sum::<f64>().sqrt();
        worst.residual = worst.residual.max(residual / norm);
        for (k, other) in vectors.iter().enumerate().take(j + 1) {
            let w: Vec<f64> = other.iter().map(|x| x.to_f64()).collect();
            let error = (dot(&v, &w) - f64::from(u8::from(j == k))).abs();
            worst.orthogonality = worst.orthogonality.max(error);
        }
    }
    worst
}

fn rows<T: Real>(matrix: &Grid<T>) -> Vec<Vec<T>> {
    matrix.iter_rows().map(<[T]>::to_vec).collect()
}

#[test]
fn measure() {
    let count: u64 = std::env::var("COUNT").ok().and_then(|c| c.parse().ok()).unwrap_or(400);
    let mut w64 = Errors::default();
    let mut w32 = Errors::default();
    let mut j32 = Errors::default();
    let mut s32 = Errors::default();
    let mut restarts = std::collections::BTreeMap::<String, (usize, usize, usize)>::new();
    let up = |w: &mut Errors, e: Errors| {
        w.value = w.value.max(e.value);
        w.residual = w.residual.max(e.residual);
        w.orthogonality = w.orthogonality.max(e.orthogonality);
    };
    for seed in 0..count {
        let p = problem(seed);
        let (truth, _) = jacobi::jacobi(rows(&p.matrix));
        let f = match leading(
            &p.matrix,
            truth[0].abs().max(truth[truth.len() - 1].abs()) / truth.len() as f64,
            p.wanted,
            p.steps,
        ) {
            Ok(f) => f,
            Err(e) => {
                println!("f64 {} {e:?}", p.name);
                continue;
            }
        };
        let fl = 4.0 * f64::EPSILON * truth[0].abs().max(truth[truth.len() - 1].abs());
        if f.leading.found < p.wanted && truth[f.leading.found] > 5.0 * fl {
            println!("f64 MISSED {} {:e} {:?}", p.name, truth[f.leading.found] / fl, f.leading);
        }
        let e = errors(&p.matrix, &truth, &f.values, &f.vectors);
        if e.value > 1e-13 || e.residual > 1e-13 || e.orthogonality > 1e-13 {
            println!("f64 {} {e:?} {:?}", p.name, f.leading);
        }
        up(&mut w64, e);
        let kind = p.name.split(' ').nth(2).unwrap().to_string();
        let entry = restarts.entry(kind.clone()).or_default();
        entry.0 += 1;
        entry.1 = entry.1.max(f.leading.restarts);
        if (seed / 10) % 3 > 0 {
            continue;
        }
        let m32: Grid<f32> = p.matrix.cast();
        let m64: Grid<f64> = m32.cast();
        let (truth, _) = jacobi::jacobi(rows(&m64));
        let f = match leading(
            &m32,
            truth[0].abs().max(truth[truth.len() - 1].abs()) / truth.len() as f64,
            p.wanted,
            p.steps,
        ) {
            Ok(f) => f,
            Err(e) => {
                println!("f32 {} {e:?}", p.name);
                continue;
            }
        };
        entry.2 = entry.2.max(f.leading.restarts);
        let fl = 4.0 * f32::EPSILON as f64 * truth[0].abs().max(truth[truth.len() - 1].abs());
        if f.leading.found < p.wanted && truth[f.leading.found] > 5.0 * fl {
            println!("f32 MISSED {} {:e} {:?}", p.name, truth[f.leading.found] / fl, f.leading);
        }
        let e = errors(&m64, &truth, &f.values, &f.vectors);
        if e.value > 1e-6 || e.residual > 2e-6 || e.orthogonality > 3e-6 {
            println!("f32 {} {e:?} {:?}", p.name, f.leading);
        }
        up(&mut w32, e);
        let el = e;
        let (v, x) = jacobi::jacobi(rows(&m32));
        let ej = errors(&m64, &truth, &v[..f.leading.found], &x[..f.leading.found]);
        up(&mut j32, ej);
        if el.value > ej.value + 1e-6 || el.residual > ej.residual + 1e-6 {
            println!("worse {} {el:?} {ej:?}", p.name);
        }
        let d = decompose(&m32).unwrap();
        let x = rows(&d.vectors);
        let es = errors(&m64, &truth, &d.values[..f.leading.found], &x[..f.leading.found]);
        up(&mut s32, es);
    }
    println!("f64 {w64:?}\nf32 {w32:?}\nf32 jacobi {j32:?}\nf32 symmetric {s32:?}\n{restarts:?}");
}
