//! Eigenvalues, residuals and orthogonality of all three solvers.

use super::common::{Grid, decompose_by};
use super::faults;
use super::matrices::{Case, Limits, cases, shift};
use mercer::Error;
use mercer::linalg::MatrixViewMut;
use mercer::linalg::eigen::{self, Eigensolver, Jacobi, LanczosScratch, TridiagonalQr};

/// `c` of the bounds `c·n·ε·‖A‖`; the largest that was seen is 2.2.
const C: f64 = 4.0;

/// In units of the matrix before it was scaled.
struct Found {
    values: Vec<f64>,
    vectors: Grid<f64>,
}

/// Compares some of the leading eigenpairs, or all, with the exact ones; returns the largest error,
/// of the largest that is allowed.
fn compare<T: Limits>(solver: &str, case: &Case, exponent: i32, found: &Found) -> f64 {
    let (n, name) = (case.n(), case.name);
    let what = format!("{solver} {} {name}, 2^{exponent}", T::NAME);
    let relative = C * n as f64 * T::EPSILON.to_f64();
    let grain = n as f64 * T::grain(exponent);
    let bound = relative * case.norm() + grain;
    // The entries as they are after scaling: subnormal ones are rounded.
    let matrix = case.scaled::<T>(exponent).cast::<f64>();
    let mut worst = 0.0_f64;
    let mut within = |error: f64, bound: f64| {
        // 0/0 for the matrix of zeros.
        worst = worst.max(if error == 0.0 { 0.0 } else { error / bound });
        error <= bound
    };
    for (j, (&value, v)) in found.values.iter().zip(found.vectors.iter_rows()).enumerate() {
        let error = (value - case.values[j]).abs();
        assert!(within(error, bound), "{what}: eigenvalue {j} is {value:e}, off by {error:e}");
        for i in 0..n {
            let image: f64 = (0..n).map(|k| shift(matrix.at(i, k), -exponent) * v[k]).sum();
            let residual = (image - value * v[i]).abs();
            assert!(within(residual, bound), "{what}: residual {residual:e} of eigenpair {j}");
        }
        for (i, other) in found.vectors.iter_rows().enumerate().take(j + 1) {
            let product: f64 = v.iter().zip(other).map(|(a, b)| a * b).sum();
            let off = (product - f64::from(u8::from(i == j))).abs();
            assert!(within(off, relative), "{what}: vectors {i} and {j} are off by {off:e}");
        }
        assert!(j == 0 || value <= found.values[j - 1], "{what}: not in order");
    }
    worst
}

fn all_pairs<T: Limits, E: Eigensolver<T>>(
    matrix: &Grid<T>,
    exponent: i32,
) -> Result<Found, Error> {
    let eigen = decompose_by::<T, E>(matrix)?;
    let values = eigen.values.iter().map(|v| shift(v.to_f64(), -exponent)).collect();
    Ok(Found { values, vectors: eigen.vectors.cast() })
}

fn leading_pairs<T: Limits>(
    matrix: &Grid<T>,
    exponent: i32,
    wanted: usize,
    steps: usize,
) -> Result<Found, Error> {
    let n = matrix.rows;
    let mut matrix = matrix.clone();
    let mut basis = Grid::<T>::zeros(steps, n);
    let [mut projected, mut rotation] = [(); 2].map(|()| Grid::<T>::zeros(steps, steps));
    let [mut values, mut diagonal, mut beside] = [(); 3].map(|()| vec![T::ZERO; steps]);
    let [mut vector, mut pivots] = [(); 2].map(|()| vec![T::ZERO; n]);
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
    let floor = T::from_f64(-f64::MAX);
    let found = eigen::leading(&mut matrix.view_mut(), wanted, floor, &mut scratch)?;
    assert_eq!(found.found, wanted);
    let values = values.iter().take(wanted).map(|v| shift(v.to_f64(), -exponent)).collect();
    let vectors = Grid::from_fn(wanted, n, |i, j| basis.at(i, j).to_f64());
    Ok(Found { values, vectors })
}

fn every_case<T: Limits>(mut check: impl FnMut(&Case, i32)) {
    for case in cases::<T>() {
        for exponent in case.exponents::<T>() {
            check(&case, exponent);
        }
    }
}

fn every_case_by<T: Limits, E: Eigensolver<T>>(solver: &str) {
    let (mut tried, mut worst) = (0, 0.0_f64);
    every_case::<T>(|case, exponent| match all_pairs::<T, E>(&case.scaled(exponent), exponent) {
        Ok(found) => {
            tried += 1;
            worst = worst.max(compare::<T>(solver, case, exponent, &found));
        }
        Err(error) => panic!("{solver} {} {}, 2^{exponent}: {error}", T::NAME, case.name),
    });
    println!("{solver} {}: errors of at most {:.2}·n·ε·‖A‖", T::NAME, C * worst);
    let fault = format!("hard matrices for the {solver} eigensolver, {}", T::NAME);
    faults::record(17, &fault, tried, tried, "--test torture");
}

#[test]
fn tridiagonal_qr() {
    every_case_by::<f32, TridiagonalQr<f32>>("QR");
    every_case_by::<f64, TridiagonalQr<f64>>("QR");
}

#[test]
fn jacobi() {
    every_case_by::<f32, Jacobi<f32>>("Jacobi");
    every_case_by::<f64, Jacobi<f64>>("Jacobi");
}

/// With room for all steps it never fails; with the least room it may only give up.
fn lanczos_finds<T: Limits>() {
    let (mut tried, mut given_up, mut worst) = (0, 0, 0.0_f64);
    every_case::<T>(|case, exponent| {
        let n = case.n();
        let mut wishes = vec![1, n.min(3), n / 2, n];
        wishes.retain(|&wanted| wanted > 0);
        wishes.dedup();
        for wanted in wishes {
            for steps in [n, n.min(2 * wanted + 4)] {
                tried += 1;
                let what = format!("leading {wanted} in {steps} steps");
                match leading_pairs::<T>(&case.scaled(exponent), exponent, wanted, steps) {
                    Ok(found) => worst = worst.max(compare::<T>(&what, case, exponent, &found)),
                    Err(Error::NoConvergence { .. }) if steps < n => {
                        // Four leading eigenvalues that agree to the last digit.
                        assert_eq!(case.name, "glued", "{what}");
                        given_up += 1;
                    }
                    Err(error) => {
                        panic!("{what} {} {}, 2^{exponent}: {error}", T::NAME, case.name)
                    }
                }
            }
        }
    });
    let name = T::NAME;
    println!("leading {name}: errors of at most {:.2}·n·ε·‖A‖", C * worst);
    let fault = format!("hard matrices for Lanczos, {name} (it gave up on the others)");
    faults::record(17, &fault, tried, tried - given_up, "--test torture");
    assert!(given_up * 100 <= tried, "{given_up} of {tried} given up");
}

#[test]
fn lanczos() {
    lanczos_finds::<f32>();
    lanczos_finds::<f64>();
}

/// A matrix `D S D` with a tame `S`: Jacobi finds each eigenvalue relative to itself, over 30
/// orders of magnitude.
fn graded<T: Limits>() {
    for case in cases::<T>().into_iter().filter(|case| case.name.starts_with("graded")) {
        let found = all_pairs::<T, Jacobi<T>>(&case.scaled(0), 0).unwrap();
        for (found, exact) in found.values.iter().zip(&case.values) {
            let error = (found / exact - 1.0).abs() / T::EPSILON.to_f64();
            assert!(error <= C * case.n() as f64, "{}: {exact:e} is off by {error} eps", case.name);
        }
    }
}

#[test]
fn jacobi_finds_the_smallest_of_graded_matrices() {
    graded::<f32>();
    graded::<f64>();
}

/// The largest entry is as large as numbers are: eigenvalues beyond them are an error that names
/// the first, all others are found.
fn overflow<T: Limits>() -> usize {
    let mut refused = 0;
    for case in cases::<T>().into_iter().filter(|case| case.norm() > 0.0) {
        let exponent = T::LARGEST - 1 - case.largest_entry().log2().floor() as i32;
        let matrix = case.scaled::<T>(exponent);
        if matrix.data.iter().any(|entry| !entry.is_finite()) {
            continue;
        }
        // In units of the limit; what is next to it may round either way.
        let size = |value: f64| shift(value.abs(), exponent - T::LARGEST);
        let beyond = case.values.iter().position(|&value| size(value) > 1.0);
        if case.values.iter().any(|&value| (size(value) - 1.0).abs() < 1e-4) {
            continue;
        }
        let n = case.n();
        let results = [
            ("QR", all_pairs::<T, TridiagonalQr<T>>(&matrix, exponent)),
            ("Jacobi", all_pairs::<T, Jacobi<T>>(&matrix, exponent)),
            ("leading", leading_pairs::<T>(&matrix, exponent, n, n)),
        ];
        for (solver, result) in results {
            match (beyond, result) {
                (None, Ok(found)) => {
                    compare::<T>(solver, &case, exponent, &found);
                }
                (Some(index), Err(error)) => {
                    assert_eq!(error, Error::EigenvalueOverflow { index }, "{}", case.name);
                    refused += 1;
                }
                (None, Err(error)) => panic!("{solver} {}: {error}", case.name),
                (Some(index), Ok(_)) => panic!("{solver} {}: no error for {index}", case.name),
            }
        }
    }
    refused
}

#[test]
fn eigenvalues_beyond_the_largest_number_are_errors() {
    for refused in [overflow::<f32>(), overflow::<f64>()] {
        assert_eq!(refused % 3, 0, "the solvers agree");
        assert!(refused > 0, "there are such eigenvalues");
    }
}

/// One operation a step: the same bits, in a bounded number of steps.
#[test]
fn steps_are_bounded() {
    fn steps<E: Eigensolver<f32>>(case: &Case) -> usize {
        let n = case.n();
        let mut matrix = case.scaled::<f32>(0);
        let (mut values, mut scratch) = (vec![0.0; n], vec![0.0; E::scratch_len(n)]);
        let view: &mut MatrixViewMut<'_, f32> = &mut matrix.view_mut();
        let mut solver = E::start(view, eigen::MAX_SWEEPS).unwrap();
        let mut steps = 1;
        while solver.step(view, &mut values, &mut scratch, 1).unwrap() == mercer::Progress::Working
        {
            steps += 1;
        }
        assert_eq!(matrix, decompose_by::<f32, E>(&case.scaled(0)).unwrap().vectors);
        steps
    }
    for case in cases::<f32>() {
        let n = case.n();
        // Reflections and their product take n² rows; each sweep at most a rotation for each pair.
        let most = 2 * n * n + 4 * n + 1 + 16 * n * n;
        assert!(steps::<TridiagonalQr<f32>>(&case) <= most, "{}", case.name);
        assert!(steps::<Jacobi<f32>>(&case) <= most, "{}", case.name);
    }
}
