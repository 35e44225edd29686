//! Eigenvectors one by one, against rotations of all of them.

use std::vec::Vec;

use core::ops::Range;

use super::super::{Eigensolver, MAX_SWEEPS, TridiagonalQr};
use super::*;
use crate::Progress;

struct Generator(u64);

impl Generator {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) as usize % count
    }

    /// From −1 to 1.
    fn number(&mut self) -> f64 {
        self.below(1 << 24) as f64 / f64::from(1 << 23) - 1.0
    }
}

/// `Q Λ Qᵀ` for some orthogonal `Q`: a product of reflections.
fn with_eigenvalues(values: &[f64], random: &mut Generator) -> Vec<f64> {
    let n = values.len();
    let mut a: Vec<f64> =
        (0..n * n).map(|k| if k / n == k % n { values[k % n] } else { 0.0 }).collect();
    for _ in 0..3 {
        let u: Vec<f64> = (0..n).map(|_| random.number()).collect();
        let square = u.iter().map(|u| u * u).sum::<f64>().max(1e-9);
        for transposed in [false, true] {
            for k in 0..n {
                let at = |i: usize| if transposed { i * n + k } else { k * n + i };
                let product: f64 = (0..n).map(|i| u[i] * a[at(i)]).sum::<f64>() * 2.0 / square;
                (0..n).for_each(|i| a[at(i)] -= product * u[i]);
            }
        }
    }
    (0..n * n).map(|k| 0.5 * (a[k] + a[k % n * n + k / n])).collect()
}

/// The centred Gram matrix of samples of three inputs.
fn centred_gram(n: usize, random: &mut Generator) -> Vec<f64> {
    let levels = [1e9, 1.0, 2.0][random.below(3)];
    let samples: Vec<[f64; 3]> = (0..n)
        .map(|_| core::array::from_fn(|_| libm::round(random.number() * levels) / levels))
        .collect();
    let gamma = libm::pow(10.0, 2.0 * random.number() - 0.5);
    let k = |i: usize, j: usize| {
        let square: f64 =
            (0..3).map(|l| (samples[i][l] - samples[j][l]) * (samples[i][l] - samples[j][l])).sum();
        libm::exp(-gamma * square)
    };
    let mean = |i: usize| (0..n).map(|j| k(i, j)).sum::<f64>() / n as f64;
    let means: Vec<f64> = (0..n).map(mean).collect();
    let grand = means.iter().sum::<f64>() / n as f64;
    let entry = |k_ij, i: usize, j: usize| (k_ij - (means[i] + means[j]) + grand) / n as f64;
    (0..n * n).map(|e| entry(k(e / n, e % n), e / n, e % n)).collect()
}

/// A symmetric matrix of one of many kinds.
fn matrix(n: usize, random: &mut Generator) -> Vec<f64> {
    let tridiagonal = |diagonal: &dyn Fn(usize) -> f64, beside: &dyn Fn(usize) -> f64| {
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 => diagonal(i),
            1 => beside(i.min(j)),
            _ => 0.0,
        };
        (0..n * n).map(|k| entry(k / n, k % n)).collect::<Vec<_>>()
    };
    match random.below(11) {
        0 => {
            let values: Vec<f64> = (0..n).map(|_| random.number()).collect();
            with_eigenvalues(&values, random)
        }
        // Few distinct ones, to rounding or not quite.
        1 => {
            let apart = [0.0, 1e-7, 1e-5, 1e-3][random.below(4)];
            let distinct = 1 + random.below(3);
            let values: Vec<f64> = (0..n)
                .map(|_| random.below(distinct) as f64 + 0.5 + apart * random.number())
                .collect();
            with_eigenvalues(&values, random)
        }
        // Falling by a factor.
        2 => {
            let factor = [0.9, 0.5, 0.1][random.below(3)];
            let values: Vec<f64> = (0..n).map(|i| libm::pow(factor, i as f64)).collect();
            with_eigenvalues(&values, random)
        }
        3 => tridiagonal(&|i| (i % 3) as f64, &|_| 0.0),
        4 => tridiagonal(&|_| 2.0, &|_| -1.0),
        // Wilkinson's, with pairs that agree to all digits, and pieces of it that hardly touch.
        5 => tridiagonal(&|i| (i as f64 - n as f64 / 2.0 + 0.5).abs(), &|_| 1.0),
        6 => {
            let link = [1e-3, 1e-7, 1e-12][random.below(3)];
            tridiagonal(&|i| (i % 5) as f64, &|i| if i % 5 == 4 { link } else { 1.0 })
        }
        7 => std::vec![1.0; n * n],
        8 => {
            let mut a = std::vec![0.0; n * n];
            for i in 0..n {
                for j in 0..=i {
                    a[i * n + j] = random.number();
                    a[j * n + i] = a[i * n + j];
                }
            }
            a
        }
        _ => centred_gram(n, random),
    }
}

/// The largest residual, relative to the matrix, and the largest product of two eigenvectors, or of
/// one with itself less 1; both over `√n·ε`.
fn errors<T: Real>(a: &[f64], values: &[T], vectors: &[T], n: usize, count: usize) -> [f64; 2] {
    let wide = |x: &[T]| x.iter().map(|&x| x.to_f64()).collect::<Vec<f64>>();
    let (values, vectors) = (wide(values), wide(vectors));
    let norm = values.iter().fold(0.0_f64, |norm, value| norm.max(value.abs())).max(1e-300);
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let (mut residual, mut product) = (0.0_f64, 0.0_f64);
    for (j, v) in vectors.chunks(n).enumerate().take(count) {
        let difference = |(i, row): (usize, &[f64])| dot(row, v) - values[j] * v[i];
        let square: f64 = a.chunks(n).enumerate().map(difference).map(|d| d * d).sum();
        residual = residual.max(libm::sqrt(square) / norm);
        for (k, w) in vectors.chunks(n).enumerate().take(j + 1) {
            product = product.max((dot(v, w) - if j == k { 1.0 } else { 0.0 }).abs());
        }
    }
    let unit = libm::sqrt(n as f64) * T::EPSILON.to_f64();
    [residual / unit, product / unit]
}

/// Over so many matrices: the worst errors of the plain solver, and of inverse iteration.
fn compare<T: Real>(seeds: Range<u64>) -> [[f64; 2]; 2] {
    let mut worst = [[0.0_f64; 2]; 2];
    for seed in seeds {
        let mut random = Generator(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let n = 1 + random.below(if seed % 8 == 0 { 48 } else { 26 });
        let scale = [1.0, 1.0, 1e-12, 1e12, 1e-3][random.below(5)];
        let rounded: Vec<T> =
            matrix(n, &mut random).iter().map(|&entry| T::from_f64(entry * scale)).collect();
        let a: Vec<f64> = rounded.iter().map(|&entry| entry.to_f64()).collect();

        let (mut plain, mut all) = (std::vec![T::ZERO; n], rounded.clone());
        let mut view = MatrixViewMut::new(&mut all, n, n).unwrap();
        TridiagonalQr::solve(&mut view, &mut plain, &mut std::vec![T::ZERO; n], MAX_SWEEPS)
            .unwrap();

        let (mut values, mut scratch) = (std::vec![T::ZERO; n], std::vec![T::ZERO; n]);
        let mut some = rounded;
        let mut view = MatrixViewMut::new(&mut some, n, n).unwrap();
        let mut solver = TridiagonalQr::start(&mut view, MAX_SWEEPS).unwrap();
        let operations = 1 + random.below(40);
        while solver.step_values(&mut view, &mut values, &mut scratch, operations).unwrap()
            == Progress::Working
        {}
        assert_eq!(values, plain, "seed {seed}: eigenvalues have the same bits");
        let count = random.below(n + 1);
        let room = (count + random.below(4)).min(n);
        let (mut columns, mut vector) = (std::vec![T::ONE; n * room], std::vec![T::ZERO; n]);
        let mut columns = Columns {
            count,
            vectors: MatrixViewMut::new(&mut columns, n, room).unwrap(),
            vector: &mut vector,
        };
        while solver
            .step_vectors(&mut view, &values, &mut scratch, &mut columns, operations)
            .unwrap()
            == Progress::Working
        {}
        for j in 0..count {
            let column = columns.vectors.view().iter_rows().map(|row| row[j]).collect::<Vec<_>>();
            assert_eq!(view.view().row(j), column, "seed {seed}: vector {j} as row and as column");
        }
        let found = [errors(&a, &plain, &all, n, count), errors(&a, &values, &some, n, count)];
        for (worst, found) in worst.iter_mut().zip(found) {
            *worst = [worst[0].max(found[0]), worst[1].max(found[1])];
        }
    }
    worst
}

#[test]
fn vectors_one_by_one_are_about_as_good_as_rotated_ones() {
    for [plain, found] in [compare::<f32>(0..4000), compare::<f64>(4000..8000)] {
        std::println!("rotated {plain:?}, one by one {found:?}");
        assert!(plain.iter().all(|&error| error < 5.0), "{plain:?} of rotated ones");
        let ([residual, product], [plain_residual, plain_product]) = (found, plain);
        assert!(residual < 2.0 * plain_residual && product < plain_product, "{found:?}, {plain:?}");
    }
}
