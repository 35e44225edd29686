//! What both solvers for all eigenpairs promise, checked on each of them.

use core::array::from_fn;
use std::vec;
use std::vec::Vec;

use super::conventions::settle_sign;
use super::plain::jacobi as plain;
use super::{Eigensolver, Jacobi, LanczosScratch, MAX_SWEEPS, TridiagonalQr, leading};
use crate::Progress;
use crate::error::Error;
use crate::linalg::{Matrix, MatrixViewMut};
use crate::math::Real;

/// Runs a generic check on both.
macro_rules! on_both {
    ($check:ident, $scalar:ty $(, $argument:expr)*) => {
        $check::<$scalar, TridiagonalQr<$scalar>>($($argument),*);
        $check::<$scalar, Jacobi<$scalar>>($($argument),*);
    };
}

/// Eigenvalues, eigenvectors as rows, and sweeps.
type Found<T> = (Vec<T>, Vec<T>, usize);

fn solve<T: Real, E: Eigensolver<T>>(a: &[Vec<f64>]) -> Result<Found<T>, Error> {
    let n = a.len();
    let mut matrix: Vec<T> = a.iter().flatten().map(|&x| T::from_f64(x)).collect();
    let (mut values, mut scratch) = (vec![T::ZERO; n], vec![T::ZERO; E::scratch_len(n)]);
    let view = &mut MatrixViewMut::new(&mut matrix, n, n)?;
    let sweeps = E::solve(view, &mut values, &mut scratch, MAX_SWEEPS)?;
    Ok((values, matrix, sweeps))
}

/// Numbers in (−1, 1) that look random.
fn noise(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
}

/// Symmetric matrices of every kind that has made an eigensolver fail.
fn kinds(n: usize, seed: &mut u64) -> [(&'static str, Vec<Vec<f64>>); 8] {
    let noise: Vec<f64> = (0..n * n).map(|_| noise(seed)).collect();
    let fill = |f: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
        (0..n).map(|i| (0..n).map(|j| f(i.min(j), i.max(j))).collect()).collect()
    };
    let inner = |i: usize, j: usize, rank: usize| -> f64 {
        (0..rank).map(|k| noise[i * n + k] * noise[j * n + k]).sum()
    };
    let mirror = noise.iter().take(n).map(|x| x * x).sum::<f64>();
    [
        ("indefinite", fill(&|i, j| noise[i * n + j])),
        ("semi-definite", fill(&|i, j| inner(i, j, n))),
        ("of half the rank", fill(&|i, j| inner(i, j, n.div_ceil(2)))),
        ("graded", fill(&|i, j| libm::exp(-((i + j) as f64)) * noise[i * n + j])),
        ("rank one", fill(&|i, j| noise[i] * noise[j])),
        // A reflection: eigenvalues 1 and −1 only.
        ("repeated", fill(&|i, j| f64::from(i == j) - 2.0 * noise[i] * noise[j] / mirror)),
        ("huge", fill(&|i, j| 1e36 * noise[i * n + j])),
        ("tiny", fill(&|i, j| 1e-30 * noise[i * n + j])),
    ]
}

/// Errors in units of rounding, `n ε‖A‖`; `values` are exact enough.
fn compare<T: Real, E: Eigensolver<T>>(name: &str, a: &[Vec<f64>], values: &[f64]) {
    let n = a.len();
    let rounded = |i: usize, k: usize| T::from_f64(a[i][k]).to_f64();
    let (found, vectors, sweeps) = solve::<T, E>(a).unwrap();
    // Jacobi goes on until it has sorted out what is made of rounding, too.
    let usual = if E::scratch_len(2) == 2 { 10 } else { 16 };
    assert!(sweeps <= usual, "{name}, {n}: {sweeps} sweeps");
    let v = |j: usize, k: usize| vectors[j * n + k].to_f64();
    let norm = values[0].abs().larger(values[n - 1].abs());
    let bound = 2.0 * T::EPSILON.to_f64() * n.max(4) as f64;
    for j in 0..n {
        let value = found[j].to_f64();
        assert!((value - values[j]).abs() <= bound * norm, "{name}, {n}: value {j} {value:e}");
        for i in 0..n {
            let image: f64 = (0..n).map(|k| rounded(i, k) * v(j, k)).sum();
            assert!((image - value * v(j, i)).abs() <= bound * norm, "{name}, {n}: vector {j}");
            let product: f64 = (0..n).map(|k| v(i, k) * v(j, k)).sum();
            assert!((product - f64::from(i == j)).abs() <= bound, "{name}, {n}: {i}, {j}");
        }
    }
}

#[test]
fn matrices_of_all_kinds_agree_with_the_plain_method() {
    let mut seed = 1;
    for n in (1..=14).chain([23, 32, 41]) {
        for (name, a) in kinds(n, &mut seed) {
            let (values, _) = plain(a.clone());
            on_both!(compare, f64, name, &a, &values);
            on_both!(compare, f32, name, &a, &values);
        }
    }
}

/// Eigenvalues `2 − 2cos(kπ/(n+1))` of the second-difference matrix, known in closed form.
fn second_differences<T: Real, E: Eigensolver<T>>(tolerance: f64) {
    const N: usize = 12;
    let entry = |i: usize, j: usize| [2.0, -1.0, 0.0][i.abs_diff(j).min(2)];
    let a: Vec<Vec<f64>> = (0..N).map(|i| (0..N).map(|j| entry(i, j)).collect()).collect();
    let (values, ..) = solve::<T, E>(&a).unwrap();
    for (k, value) in values.iter().enumerate() {
        let angle = core::f64::consts::PI * (N - k) as f64 / (N + 1) as f64;
        assert!((value.to_f64() - (2.0 - 2.0 * libm::cos(angle))).abs() < tolerance);
    }
}

#[test]
fn second_differences_have_their_known_spectrum() {
    on_both!(second_differences, f64, 1e-14);
    on_both!(second_differences, f32, 2e-6);
}

/// A matrix `D S D` with a well-conditioned `S` and a diagonal over twelve decades: Jacobi finds
/// every eigenvalue relative to itself, QR the largest only. (Exact ones by Jacobi in `f64`.)
#[test]
fn jacobi_finds_small_eigenvalues_of_graded_matrices() {
    let mut seed = 5;
    for n in [4, 8, 16] {
        let s: Vec<f64> = (0..n * n).map(|_| 0.3 * noise(&mut seed) / n as f64).collect();
        let d = |i: usize| 10_f64.powf(-6.0 * i as f64 / (n - 1) as f64);
        let entry = |i: usize, j: usize| {
            let (low, high) = (i.min(j), i.max(j));
            let scaled = if i == j { 1.0 } else { s[low * n + high] };
            f64::from((scaled * d(i) * d(j)) as f32)
        };
        let a: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
        let (exact, ..) = solve::<f64, Jacobi<f64>>(&a).unwrap();
        let worst = |values: Vec<f32>| {
            let errors = values.iter().zip(&exact).map(|(v, e)| (f64::from(*v) / e - 1.0).abs());
            errors.fold(0.0, f64::max)
        };
        let jacobi = worst(solve::<f32, Jacobi<f32>>(&a).unwrap().0);
        let qr = worst(solve::<f32, TridiagonalQr<f32>>(&a).unwrap().0);
        assert!(jacobi < 4.0 * f64::from(f32::EPSILON), "{n}: {jacobi:e}");
        assert!(qr > 1e-3, "{n}: {qr:e} is as good");
    }
}

/// Sylvester's Hadamard matrix, whose eigenvalues are `√n` and `−√n`, half of each.
fn hadamard(n: usize, size: f64) -> Vec<Vec<f64>> {
    let sign =
        |i: usize, j: usize| if (i & j).count_ones().is_multiple_of(2) { size } else { -size };
    (0..n).map(|i| (0..n).map(|j| sign(i, j)).collect()).collect()
}

/// The same by `leading`.
fn lead<T: Real>(a: &[Vec<f64>]) -> Result<T, Error> {
    let n = a.len();
    let mut matrix: Vec<T> = a.iter().flatten().map(|&x| T::from_f64(x)).collect();
    let mut squares: [Vec<T>; 3] = from_fn(|_| vec![T::ZERO; n * n]);
    let mut arrays: [Vec<T>; 5] = from_fn(|_| vec![T::ZERO; n]);
    let [basis, projected, rotation] = &mut squares;
    let [values, diagonal, beside, vector, pivots] = &mut arrays;
    let mut scratch = LanczosScratch {
        basis: MatrixViewMut::new(basis, n, n)?,
        projected: MatrixViewMut::new(projected, n, n)?,
        rotation: MatrixViewMut::new(rotation, n, n)?,
        values,
        diagonal,
        beside,
        vector,
        pivots,
    };
    leading(&mut MatrixViewMut::new(&mut matrix, n, n)?, 1, T::ZERO, &mut scratch)?;
    Ok(values[0])
}

fn hadamard_has_its_eigenvalues<T: Real, E: Eigensolver<T>>(n: usize, size: f64) {
    let a = hadamard(n, size);
    let expected = libm::sqrt(n as f64);
    let near = |value: T, expected: f64| {
        // Subnormal numbers have fewer digits.
        let (ratio, rounding) = (value.to_f64() / size, T::from_f64(size) * T::EPSILON);
        (ratio - expected).abs() < if rounding > T::ZERO { 1e-6 } else { 1e-3 }
    };
    let (values, ..) = solve::<T, E>(&a).unwrap();
    for (j, &value) in values.iter().enumerate() {
        assert!(near(value, if j < n / 2 { expected } else { -expected }), "{n}: {value}");
    }
    let first = lead::<T>(&a).unwrap();
    assert!(near(first, expected), "{n}: leading {first}");
}

fn hadamard_overflows<T: Real, E: Eigensolver<T>>(n: usize, size: f64) {
    let a = hadamard(n, size);
    let error = Error::EigenvalueOverflow { index: 0 };
    assert_eq!(solve::<T, E>(&a), Err(error));
    assert_eq!(lead::<T>(&a), Err(error));
}

#[test]
fn an_eigenvalue_that_overflows_is_an_error_and_one_that_does_not_is_right() {
    for n in [4, 8] {
        on_both!(hadamard_has_its_eigenvalues, f32, n, 1e38);
    }
    for n in [16, 32] {
        on_both!(hadamard_overflows, f32, n, 1e38);
    }
    on_both!(hadamard_has_its_eigenvalues, f64, 2, 1e308);
    for n in [4, 8, 16] {
        on_both!(hadamard_overflows, f64, n, 1e308);
        on_both!(hadamard_has_its_eigenvalues, f64, n, 4e307);
    }
    // Subnormal matrices, the last of them of the smallest numbers there are but a few.
    for n in [4, 16] {
        on_both!(hadamard_has_its_eigenvalues, f32, n, 1e-39);
        on_both!(hadamard_has_its_eigenvalues, f64, n, 1e-310);
        on_both!(hadamard_has_its_eigenvalues, f32, n, 2e-42);
        on_both!(hadamard_has_its_eigenvalues, f64, n, 1e-320);
    }
    // Only the last eigenvalue overflows.
    let a = vec![vec![-1e38; 4]; 4];
    let last = Error::EigenvalueOverflow { index: 3 };
    assert_eq!(solve::<f32, TridiagonalQr<f32>>(&a), Err(last));
    assert_eq!(solve::<f32, Jacobi<f32>>(&a), Err(last));
}

/// Bits, sweeps and, for each length of a slice, the number of slices.
fn slices<T: Real, E: Eigensolver<T>>() {
    const N: usize = 7;
    let mut seed = 3;
    let mut a = Matrix::<T, N, N>::zeros();
    for (i, j) in (0..N).flat_map(|i| (0..=i).map(move |j| (i, j))) {
        let entry = T::from_f64(noise(&mut seed));
        a.view_mut().set(i, j, entry);
        a.view_mut().set(j, i, entry);
    }
    let run = |operations: usize| {
        let (mut a, mut values, mut scratch) = (a, [T::ZERO; N], vec![T::ZERO; E::scratch_len(N)]);
        let matrix = &mut a.view_mut();
        let mut solver = E::start(matrix, MAX_SWEEPS).unwrap();
        let mut step = || solver.step(matrix, &mut values, &mut scratch, operations);
        let mut calls = 1;
        while step().unwrap() == Progress::Working {
            calls += 1;
        }
        assert_eq!(step(), Ok(Progress::Done), "done is done");
        (calls, (solver.sweeps(), values, a))
    };
    let (calls, whole) = run(usize::MAX);
    assert_eq!(calls, 1);
    let (operations, _) = run(1);
    // At the least a place and a sign for each eigenpair; at the most, in each sweep, a rotation
    // for each pair, or for each pair of a tridiagonal matrix that shrinks, and the reflections.
    assert!((2 * N..=2 * N + 21 * (whole.0 + 7)).contains(&operations), "{operations}");
    for slice in [2, 5, 7, 100] {
        let (calls, sliced) = run(slice);
        assert_eq!(sliced, whole, "{slice} operations a slice");
        assert_eq!(calls, operations.div_ceil(slice), "{slice} operations a slice");
    }
}

#[test]
fn slices_of_any_length_give_the_same_bits() {
    on_both!(slices, f32);
    on_both!(slices, f64);
}

fn conventions<T: Real, E: Eigensolver<T>>() {
    let (values, vectors, _) =
        solve::<T, E>(&[vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 2.0]]).unwrap();
    assert_eq!(values, [2.0, 1.0, 1.0].map(T::from_f64));
    assert_eq!(vectors, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].map(T::from_f64));
    for a in [vec![vec![0.0; 3]; 3], vec![vec![5.0; 3]; 3]] {
        let (values, ..) = solve::<T, E>(&a).unwrap();
        let [first, second] = [values[0], values[1]].map(T::to_f64);
        assert!((first - 3.0 * a[0][0]).abs() < 1e-5 && second.abs() < 1e-5);
    }
    assert_eq!(solve::<T, E>(&[]), Ok((vec![], vec![], 0)));
    assert_eq!(solve::<T, E>(&[vec![-3.0]]).unwrap().0, [T::from_f64(-3.0)]);
}

#[test]
fn ties_keep_their_order_and_signs_follow_the_rule() {
    on_both!(conventions, f32);
    on_both!(conventions, f64);
    let mut vector = [0.5, -0.7, 0.7];
    settle_sign(&mut vector);
    assert_eq!(vector, [-0.5, 0.7, -0.7]);
}

fn refusals<T: Real, E: Eigensolver<T>>() {
    let skewed = [vec![1.0, 2.0], vec![2.1, 1.0]];
    assert_eq!(solve::<T, E>(&skewed), Err(Error::NotSymmetric { row: 0, column: 1 }));
    let infinite = [vec![1.0, f64::INFINITY], vec![2.1, 1.0]];
    assert_eq!(solve::<T, E>(&infinite), Err(Error::NotFinite { row: 0, column: 1 }));
    let run = |values: usize, more: usize, sweeps: usize| {
        let mut a = Matrix::from_rows([[1.0, 1.0], [1.0, 2.0]].map(|row| row.map(T::from_f64)));
        let mut values = vec![T::ZERO; values];
        let mut scratch = vec![T::ZERO; E::scratch_len(2) + more];
        E::solve(&mut a.view_mut(), &mut values, &mut scratch, sweeps)
    };
    let shape = |what, expected, given| Err(Error::Shape { what, expected, given });
    assert_eq!(run(3, 0, MAX_SWEEPS), shape("eigenvalues", 2, 3));
    let needed = E::scratch_len(2);
    assert_eq!(run(2, 1, MAX_SWEEPS), shape("scratch", needed, needed + 1));
    assert_eq!(run(2, 0, 0), Err(Error::NoConvergence { sweeps: 0 }));
}

#[test]
fn bad_matrices_and_sizes_are_refused_and_sweeps_are_bounded() {
    on_both!(refusals, f32);
    on_both!(refusals, f64);
}

fn part_of_a_larger_one<T: Real, E: Eigensolver<T>>() {
    let mark = T::from_f64(7.5);
    let mut a = Matrix::<T, 8, 9>::from_rows([[mark; 9]; 8]);
    for i in 0..7 {
        a.view_mut().set(i, i, T::from_usize(i));
    }
    let (mut values, mut scratch) = ([T::ZERO; 7], vec![T::ZERO; E::scratch_len(7)]);
    let mut part = a.view_mut().into_leading(7, 7);
    E::solve(&mut part, &mut values, &mut scratch, MAX_SWEEPS).unwrap();
    assert!(a.view().iter_rows().all(|row| row[7..] == [mark; 2]));
    assert_eq!(a.view().row(7), [mark; 9]);
}

#[test]
fn a_part_of_a_larger_matrix_is_solved_and_the_rest_untouched() {
    on_both!(part_of_a_larger_one, f32);
    on_both!(part_of_a_larger_one, f64);
}
