//! Cholesky's factorisation, with and without pivoting, and functions of matrices.

use super::common::{Grid, decompose_by};
use super::matrices::{Case, Limits, cases, shift};
use mercer::kernel::Precomputed;
use mercer::kpca::{Landmarks, PivotedCholesky};
use mercer::linalg::cholesky;
use mercer::linalg::eigen::{self, Eigensolver, Jacobi, TridiagonalQr};
use mercer::{Error, Progress};

/// `c` of the bounds `c·n·ε·‖A‖`.
const C: f64 = 4.0;

fn largest(grid: &Grid<f64>) -> f64 {
    grid.data.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}

/// `A − B`, in units before scaling.
fn difference<T: Limits>(a: &Grid<f64>, b: &Grid<T>, exponent: i32) -> f64 {
    let n = a.rows;
    largest(&Grid::from_fn(n, n, |i, j| a.at(i, j) - shift(b.at(i, j).to_f64(), -exponent)))
}

/// The matrix as it is after scaling, in units before.
fn rounded<T: Limits>(case: &Case, exponent: i32) -> Grid<f64> {
    let scaled = case.scaled::<T>(exponent);
    Grid::from_fn(case.n(), case.n(), |i, j| shift(scaled.at(i, j).to_f64(), -exponent))
}

/// Matrices that are positive definite beyond rounding are factorised and systems solved; those
/// that are not are refused; where rounding decides, either may happen.
fn factorises<T: Limits>() -> [usize; 2] {
    let mut counts = [0; 2];
    for case in cases::<T>() {
        for exponent in case.exponents::<T>() {
            let (n, name) = (case.n(), case.name);
            let what = format!("{} {name}, 2^{exponent}", T::NAME);
            let unit = n as f64 * T::EPSILON.to_f64();
            let grain = n as f64 * T::grain(exponent);
            let mut factor = case.scaled::<T>(exponent);
            let result = cholesky::factorise(&mut factor.view_mut());
            let diagonal = (0..n).map(|i| case.matrix.at(i, i)).fold(0.0, f64::max);
            // The refusal is at n·ε of a diagonal entry, the error of a pivot n·ε of it.
            let certain = case.least() > 2.0 * unit * diagonal + grain;
            let hopeless = case.least() < -(C * unit * case.norm() + grain);
            match result {
                Err(Error::NotPositiveDefinite { .. }) if !certain => counts[0] += 1,
                Ok(()) if !hopeless => counts[1] += 1,
                other => panic!("{what}: {other:?}, least eigenvalue {:e}", case.least()),
            }
            if result.is_err() {
                continue;
            }
            let l = Grid::from_fn(n, n, |i, j| if j <= i { factor.at(i, j).to_f64() } else { 0.0 });
            let matrix = rounded::<T>(&case, exponent);
            let error = largest(&Grid::from_fn(n, n, |i, j| {
                let product: f64 = (0..n)
                    .map(|k| shift(l.at(i, k), -exponent / 2))
                    .zip((0..n).map(|k| shift(l.at(j, k), -(exponent - exponent / 2))))
                    .map(|(a, b)| a * b)
                    .sum();
                matrix.at(i, j) - product
            }));
            assert!(error <= C * unit * diagonal + grain, "{what}: factor off by {error:e}");
            solves::<T>(&what, &matrix, &factor, C * unit * case.norm() + grain, exponent);
        }
    }
    counts
}

/// The residual of a solution is that of a matrix `bound` away.
fn solves<T: Limits>(what: &str, matrix: &Grid<f64>, factor: &Grid<T>, bound: f64, exponent: i32) {
    let n = matrix.rows;
    // In units of the matrix, so that the solution has none.
    let right: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -0.5 }).collect();
    let mut solution = Grid::from_fn(n, 1, |i, _| T::from_f64(shift(right[i], exponent)));
    cholesky::substitute(factor.view(), &mut solution.view_mut()).unwrap();
    let x: Vec<f64> = solution.data.iter().map(|x| x.to_f64()).collect();
    // A solution beyond the largest number is infinite: the caller is told to look.
    if x.iter().any(|x| !x.is_finite()) {
        return;
    }
    let size: f64 = x.iter().map(|x| x.abs()).sum();
    for (i, right) in right.iter().enumerate() {
        let image: f64 = (0..n).map(|k| matrix.at(i, k) * x[k]).sum();
        let residual = (image - right).abs();
        assert!(residual <= bound * size + bound, "{what}: residual {residual:e} in row {i}");
    }
}

#[test]
fn cholesky_is_backward_stable_and_refuses_what_is_not_definite() {
    for [refused, made] in [factorises::<f32>(), factorises::<f64>()] {
        println!("Cholesky: {refused} refused, {made} made");
        assert!(refused >= 60 && made >= 60, "{refused} and {made}");
    }
}

/// Of a semi-definite matrix, what the landmarks leave is what the residuals say; an indefinite one
/// is found out, or what is left is as small.
fn pivots<T: Limits>() -> [usize; 2] {
    let mut counts = [0; 2];
    for case in cases::<T>().into_iter().filter(|case| case.n() >= 2) {
        for exponent in case.exponents::<T>() {
            let (n, name) = (case.n(), case.name);
            let what = format!("{} {name}, 2^{exponent}", T::NAME);
            let scaled = case.scaled::<T>(exponent);
            let kernel = Precomputed(scaled.view());
            let rows: Vec<usize> = (0..n).collect();
            let (mut factor, mut residuals) = (Grid::<T>::zeros(n, n), vec![T::ZERO; n]);
            let mut pivots = vec![0; n];
            let samples = rows.as_slice();
            let mut state = PivotedCholesky::start(&kernel, samples, &mut residuals).unwrap();
            let mut step = || {
                let factor = &mut factor.view_mut();
                state.step(&kernel, samples, Landmarks::Room, factor, &mut residuals, &mut pivots)
            };
            let mut steps = 0;
            let failed = loop {
                steps += 1;
                assert!(steps <= n + 1, "{what}: no end");
                match step() {
                    Ok(Progress::Working) => {}
                    Ok(Progress::Done) => break false,
                    // Entries of an indefinite matrix may grow without bound.
                    Err(Error::NotFinite { .. }) => break true,
                    Err(error) => panic!("{what}: {error}"),
                }
            };
            let unit = n as f64 * T::EPSILON.to_f64();
            let diagonal = (0..n).map(|i| case.matrix.at(i, i)).fold(0.0, f64::max);
            let grain = n as f64 * T::grain(exponent);
            let matrix = rounded::<T>(&case, exponent);
            // Rounding to subnormal numbers may make a matrix indefinite.
            let least = if matrix == case.matrix { -1e-14 * case.norm() } else { grain };
            if case.least() < least {
                counts[0] += usize::from(state.is_indefinite());
                continue;
            }
            counts[1] += 1;
            assert!(!failed && !state.is_indefinite(), "{what} is not indefinite");
            let part = |i: usize, k: usize, half: i32| shift(factor.at(i, k).to_f64(), -half);
            let halves = (exponent / 2, exponent - exponent / 2);
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let product: f64 =
                    (0..n).map(|k| part(i, k, halves.0) * part(j, k, halves.1)).sum();
                let left = |i: usize| shift(residuals[i].to_f64(), -exponent);
                let allowed = (left(i) * left(j)).sqrt() + C * unit * diagonal + grain;
                let error = (matrix.at(i, j) - product).abs();
                assert!(error <= allowed, "{what}: ({i}, {j}) is off by {error:e} of {allowed:e}");
            }
        }
    }
    counts
}

#[test]
fn pivoted_cholesky_says_what_it_leaves() {
    for [found_out, made] in [pivots::<f32>(), pivots::<f64>()] {
        println!("pivoted Cholesky: {found_out} found out, {made} made");
        assert!(found_out >= 40 && made >= 60, "{found_out} and {made}");
    }
}

/// `f(A)` of the identity function, the square, the root and the inverse.
fn functions<T: Limits, E: Eigensolver<T>>() {
    for case in cases::<T>() {
        let (n, name) = (case.n(), case.name);
        let unit = n as f64 * T::EPSILON.to_f64();
        for exponent in case.exponents::<T>() {
            let found = decompose_by::<T, E>(&case.scaled::<T>(exponent)).unwrap();
            let mut same = Grid::<T>::zeros(n, n);
            let (values, vectors) = (&found.values, found.vectors.view());
            eigen::matrix_function(values, vectors, |v| v, &mut same.view_mut()).unwrap();
            let error = difference(&rounded::<T>(&case, exponent), &same, exponent);
            let bound = C * unit * case.norm() + n as f64 * T::grain(exponent);
            assert!(error <= bound, "{} {name}, 2^{exponent}: off by {error:e}", T::NAME);
        }
        let found = decompose_by::<T, E>(&case.scaled::<T>(0)).unwrap();
        let mut out = Grid::<T>::zeros(n, n);
        let mut apply = |f: &dyn Fn(T) -> T| {
            let (values, vectors) = (&found.values, found.vectors.view());
            let result = eigen::matrix_function(values, vectors, f, &mut out.view_mut());
            result.map(|()| out.cast::<f64>())
        };
        if case.norm() < 1e15 {
            let square = apply(&|v| v * v).unwrap();
            let off = difference(&case.matrix.times(&case.matrix), &square, 0);
            assert!(off <= 2.0 * C * unit * case.norm().powi(2), "{name}: square off by {off:e}");
        }
        let root = apply(&|v| T::ZERO.larger(v).sqrt()).unwrap();
        if case.least() >= 0.0 {
            let off = difference(&case.matrix, &root.times(&root), 0);
            assert!(off <= 2.0 * C * unit * case.norm(), "{} {name}: root off by {off:e}", T::NAME);
        }
        let least = case.values.iter().fold(f64::MAX, |m, v| m.min(v.abs()));
        // No singular matrix has an inverse, whatever rounding makes of its eigenvalues.
        match apply(&|v| T::ONE / v) {
            Ok(inverse) if least > 100.0 * unit * case.norm() => {
                let one = Grid::from_fn(n, n, |i, j| f64::from(u8::from(i == j)));
                let off = difference(&one, &case.matrix.times(&inverse), 0);
                let condition = case.norm() / least;
                assert!(off <= 2.0 * C * unit * condition, "{name}: inverse off by {off:e}");
            }
            Ok(inverse) => assert!(inverse.data.iter().all(|v| v.is_finite()), "{name}"),
            Err(Error::NotFinite { row, .. }) => assert_eq!(found.values[row], T::ZERO, "{name}"),
            Err(error) => panic!("{name}: {error}"),
        }
    }
}

#[test]
fn functions_of_matrices_are_as_good_as_the_eigenpairs() {
    functions::<f32, TridiagonalQr<f32>>();
    functions::<f32, Jacobi<f32>>();
    functions::<f64, TridiagonalQr<f64>>();
    functions::<f64, Jacobi<f64>>();
}
