//! Whole fits to Gram matrices that are hard: what is kept reproduces the matrix, what cannot be
//! fitted is refused, and no number is NaN.

use super::common::{
    Fitted, Grid, Route, fit_exact_by, fit_landmarks_by, fit_leading, fit_pca_by, gram,
};
use super::matrices::{Case, Limits, cases, shift};
use mercer::Error;
use mercer::kernel::{BlockKernel, Precomputed, Rbf};
use mercer::kpca::{Components, Landmarks};
use mercer::linalg::eigen::{Eigensolver, Jacobi, TridiagonalQr};

/// `c` of the bounds `c·n·ε` of the largest kernel value.
const C: f64 = 16.0;

/// Every number of a fit is finite, and shares are shares.
fn is_sound<T: Limits>(what: &str, fitted: &Fitted<T>) {
    let expansion = fitted.expansion();
    let header = expansion.header();
    let numbers = [expansion.centre(), expansion.offsets(), expansion.variances()].concat();
    let weights = expansion.weights();
    let all = numbers.iter().chain(weights.iter_rows().flatten()).chain(&fitted.training.data);
    assert!(all.copied().all(|x| x.is_finite()), "{what}: a number is not finite");
    assert!(header.centre_norm.is_finite() && header.total_variance.is_finite(), "{what}");
    let explained = fitted.report.explained.to_f64();
    assert!(explained > 0.0 && explained <= 1.0, "{what}: explained {explained}");
    let unspanned = fitted.report.unspanned.to_f64();
    assert!((0.0..=1.0).contains(&unspanned), "{what}: unspanned {unspanned}");
}

/// A scaled matrix in units before.
fn shifted<T: Limits>(scaled: &Grid<T>, exponent: i32) -> Grid<f64> {
    let data = scaled.data.iter().map(|x| shift(x.to_f64(), -exponent)).collect();
    Grid { rows: scaled.rows, columns: scaled.columns, data }
}

/// `K̃`.
fn centred(matrix: &Grid<f64>) -> Grid<f64> {
    let n = matrix.rows;
    let means: Vec<f64> =
        matrix.iter_rows().map(|row| row.iter().sum::<f64>() / n as f64).collect();
    let grand = means.iter().sum::<f64>() / n as f64;
    Grid::from_fn(n, n, |i, j| matrix.at(i, j) - means[i] - means[j] + grand)
}

/// Projections of the training samples have the inner products of `K̃`, but for what was left out.
fn reproduces<T: Limits>(what: &str, case: &Case, exponent: i32, fitted: &Fitted<T>) {
    let n = case.n();
    let exact = centred(&shifted(&case.scaled::<T>(exponent), exponent));
    let unit = n as f64 * T::EPSILON.to_f64() * case.largest_entry();
    let left = |i: usize| fitted.residuals.get(i).map_or(0.0, |r| shift(r.to_f64(), -exponent));
    let f = |i: usize, half: i32| -> Vec<f64> {
        fitted.training.row(i).iter().map(|f| shift(f.to_f64(), -half)).collect()
    };
    // Components up to this variance are never kept; so many samples, so much.
    let dropped = 4.0 * unit;
    let halves = (exponent / 2, exponent - exponent / 2);
    let residual = (0..n).map(left).fold(0.0, f64::max);
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let product: f64 = f(i, halves.0).iter().zip(f(j, halves.1)).map(|(a, b)| a * b).sum();
        let error = (exact.at(i, j) - product).abs();
        let bound = C * unit + dropped + 4.0 * residual + n as f64 * T::grain(exponent);
        assert!(error <= bound, "{what}: ({i}, {j}) is off by {error:e} of {bound:e}");
    }
}

/// The errors that a hard matrix may end in.
fn may_be_refused<T: Limits>(what: &str, case: &Case, exponent: i32, error: Error) {
    let expected = match error {
        // Nothing is left of it when the mean is taken off.
        Error::NoVariance => ["zero", "ones"].contains(&case.name) || case.least() < 0.0,
        // Eigenvalues of K̃ add up to its trace.
        Error::EigenvalueOverflow { .. } => {
            let n = case.n() as f64;
            shift(n * case.norm(), exponent - T::LARGEST) >= 1.0
        }
        _ => false,
    };
    assert!(expected, "{what}: {error}");
}

fn every_fit<T: Limits, E: Eigensolver<T>>() -> usize {
    let mut fitted_well = 0;
    for case in cases::<T>().into_iter().filter(|case| case.n() >= 2) {
        let rows: Vec<usize> = (0..case.n()).collect();
        let rows = rows.as_slice();
        for exponent in case.exponents::<T>() {
            let what = format!("{} {}, 2^{exponent}", T::NAME, case.name);
            let scaled = case.scaled::<T>(exponent);
            let kernel = Precomputed(scaled.view());
            let all = Components::Share(T::ONE);
            let exact = fit_exact_by::<E, _, _>(&kernel, rows, all);
            let landmarks =
                fit_landmarks_by::<E, _, _>(&kernel, rows, Landmarks::Room, all, case.n());
            let exactly = shifted(&scaled, exponent) == case.matrix;
            let least = if exactly { -1e-14 * case.norm() } else { T::grain(exponent) };
            // Rounding to subnormal numbers may make a matrix indefinite.
            let semidefinite = case.least() >= least;
            for (name, result) in [("exact", exact), ("landmarks", landmarks)] {
                let what = format!("{what}, {name}");
                match result {
                    Ok(fitted) => {
                        is_sound(&what, &fitted);
                        if semidefinite {
                            reproduces(&what, &case, exponent, &fitted);
                            fitted_well += 1;
                        }
                    }
                    Err(error) => may_be_refused::<T>(&what, &case, exponent, error),
                }
            }
            if let Ok(fitted) = fit_leading(&kernel, rows, 1) {
                is_sound(&what, &fitted);
            }
        }
    }
    fitted_well
}

#[test]
fn gram_matrices_of_every_kind_and_scale() {
    for fitted in [
        every_fit::<f32, TridiagonalQr<f32>>(),
        every_fit::<f32, Jacobi<f32>>(),
        every_fit::<f64, TridiagonalQr<f64>>(),
        every_fit::<f64, Jacobi<f64>>(),
    ] {
        println!("{fitted} fits reproduce their matrix");
        assert!(fitted >= 150, "{fitted}");
    }
}

/// Samples that make a Gram matrix hard: repeated, on a line, in two heaps, one far away, many more
/// inputs than samples, a handful.
fn samples<T: Limits>() -> Vec<(&'static str, Grid<T>)> {
    let of = |n: usize, d: usize, f: &dyn Fn(usize, usize) -> f64| {
        Grid::from_fn(n, d, |i, j| T::from_f64(f(i, j)))
    };
    vec![
        ("two", of(2, 1, &|i, _| i as f64)),
        ("three of which two are equal", of(3, 2, &|i, j| (i / 2 * (j + 1)) as f64)),
        ("repeated", of(20, 2, &|i, j| ((i % 4) * (j + 1)) as f64)),
        ("almost equal", of(12, 2, &|i, j| 1.0 + 1e-6 * (i * (j + 1)) as f64)),
        ("on a line", of(30, 3, &|i, j| (i * (j + 1)) as f64 / 10.0)),
        ("two heaps", of(24, 2, &|i, j| (i % 2 * 50) as f64 + ((i * 7 + j) % 5) as f64 / 10.0)),
        ("one far away", of(16, 2, &|i, j| if i == 9 { 1e6 } else { (i * (j + 2) % 7) as f64 })),
        ("wide", of(4, 60, &|i, j| ((i * 31 + j * 17) % 13) as f64)),
        ("islands", of(10, 1, &|i, _| 1e4 * i as f64)),
    ]
}

fn kernels<T: Limits>()
where
    Rbf<T>: BlockKernel<[T], Scalar = T>,
{
    for (name, x) in samples::<T>() {
        for gamma in [1e-12, 1e-6, 1e-2, 1.0, 1e6] {
            let what = format!("{} {name}, gamma {gamma:e}", T::NAME);
            let kernel = Rbf::new(T::from_f64(gamma));
            let all = Components::Share(T::ONE);
            let view = &x.view();
            let results = [
                fit_exact_by::<TridiagonalQr<T>, _, _>(&kernel, view, all),
                fit_exact_by::<Jacobi<T>, _, _>(&kernel, view, all),
                fit_landmarks_by::<Jacobi<T>, _, _>(&kernel, view, Landmarks::Room, all, x.rows),
                fit_leading(&kernel, view, 1),
            ];
            let matrix = gram(&kernel, view).unwrap().cast::<f64>();
            // Equal to the last digit for the kernel, or nothing above rounding.
            let spread = centred(&matrix).data.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            for result in results {
                match result {
                    Ok(fitted) => {
                        is_sound(&what, &fitted);
                        let points = x.pick(&fitted.points);
                        for row in x.iter_rows() {
                            let score = fitted.score(&kernel, &points.view(), row).unwrap().1;
                            let slack = 1e4 * T::EPSILON.to_f64();
                            assert!(score.spe.to_f64() >= -slack, "{what}: {score:?}");
                            assert!(score.t2.is_finite() && score.t2 >= T::ZERO, "{what}");
                        }
                    }
                    Err(Error::NoVariance) => {
                        let rounding = 8.0 * T::EPSILON.to_f64() * x.rows as f64;
                        assert!(spread <= rounding, "{what}: spread {spread:e}");
                    }
                    Err(error) => panic!("{what}: {error}"),
                }
            }
        }
    }
}

#[test]
fn samples_that_make_hard_matrices() {
    kernels::<f32>();
    kernels::<f64>();
}

/// Linear PCA of inputs in units over many orders of magnitude, and of units near the limits.
fn axes<T: Limits>() {
    for (low, high) in [(-4, 4), (-15, 15), (T::SMALLEST / 2 + 8, 0), (0, T::LARGEST / 2 - 8)] {
        let unit = |j: usize| shift(1.0, low + (high - low) * j as i32 / 4);
        let x = Grid::<T>::from_fn(40, 5, |i, j| {
            T::from_f64(unit(j) * (((i * (7 + 3 * j) + j) % 41) as f64 / 41.0 - 0.5))
        });
        for route in [Route::Primal, Route::Dual] {
            let fitted = fit_pca_by::<Jacobi<T>, T>(&x, Components::Fixed(1), route).unwrap();
            let view = fitted.view();
            let all = view.variances().iter().chain(view.mean());
            assert!(all.copied().all(|v| v.is_finite()), "units 2^{low} to 2^{high}");
            let mean = x.column(4).iter().map(|v| v.to_f64() / 40.0).sum::<f64>();
            let variance: f64 =
                x.column(4).iter().map(|v| (v.to_f64() - mean).powi(2) / 40.0).sum();
            let found = view.variances()[0].to_f64();
            assert!((found / variance - 1.0).abs() < 0.5, "2^{low} to 2^{high}: {found:e}");
        }
    }
}

#[test]
fn axes_of_any_units() {
    axes::<f32>();
    axes::<f64>();
}
