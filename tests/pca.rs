//! Linear PCA: what must hold whatever the numbers are, agreement with kernel PCA, and what is
//! refused.
//!
//! The reference numbers of scikit-learn are in `golden.rs`.

mod common;

use common::{FittedPca, Grid, Route, config, fit_exact, fit_pca};
use mercer::Error;
use mercer::error::Fault;
use mercer::kernel::Linear;
use mercer::kpca::Components;
use mercer::linalg::MatrixView;
use mercer::linalg::eigen::{Eigensolver, TridiagonalQr};
use mercer::math::Real;
use mercer::methods::pca::{self, PcaHeader, PcaMut, PcaScratch, PcaView};
use mercer::methods::{Pca, PcaWorkspace};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

const ROUTES: [Route; 2] = [Route::Primal, Route::Dual];

/// 5 to 14 samples of 2 to 5 inputs, which differ in scale, far from the origin.
fn samples() -> impl Strategy<Value = Grid<f64>> {
    (5..=14_usize, 2..=5_usize, -10.0..10.0).prop_flat_map(|(rows, columns, offset)| {
        vec(-1.0..1.0, rows * columns).prop_map(move |data| {
            // No two samples alike, and no input constant.
            let apart = |i: usize, j| if i % columns == j { 0.5 + 0.1 * i as f64 } else { 0.0 };
            Grid::from_fn(rows, columns, |i, j| {
                offset + (1.0 + j as f64) * (data[i * columns + j] + apart(i, j))
            })
        })
    })
}

fn near<T: Real>(got: &[T], expected: &[T], tolerance: f64) -> TestCaseResult {
    prop_assert_eq!(got.len(), expected.len());
    for (i, (g, e)) in got.iter().zip(expected).enumerate() {
        let difference = (g.to_f64() - e.to_f64()).abs();
        prop_assert!(difference <= tolerance, "entry {i}: {g} is not {e} (± {tolerance:e})");
    }
    Ok(())
}

fn identity<T: Real>(n: usize) -> Grid<T> {
    Grid::from_fn(n, n, |i, j| if i == j { T::ONE } else { T::ZERO })
}

/// `(1/n) Σ y_i y_iᵀ` of vectors whose mean should be zero.
fn second_moments<T: Real>(rows: &[Vec<T>]) -> Grid<T> {
    let rows = Grid::from_rows(rows);
    let product = rows.transposed().times(&rows);
    let count = T::from_usize(rows.rows);
    Grid::from_fn(rows.columns, rows.columns, |i, j| product.at(i, j) / count)
}

fn axes<T: Real>(fitted: &FittedPca<T>) -> Grid<T> {
    Grid::from_rows(&fitted.view().axes().iter_rows().collect::<Vec<_>>())
}

/// Relative to the largest variance, `rounding` is what the eigensolver leaves.
fn identities<T: Real>(x: &Grid<f64>, route: Route, rounding: f64) -> TestCaseResult {
    let x: Grid<T> = x.cast();
    let all = Components::Fixed(x.columns.min(x.rows - 1));
    let fitted = fit_pca(&x, all, route).unwrap();
    let view = fitted.view();
    let (first, last) = (view.variances()[0].to_f64(), view.variances().last().unwrap().to_f64());
    // A whitened coordinate is divided by the deviation along its axis.
    prop_assume!(last > 1e-3 * first);
    let axes = axes(&fitted);
    let components = axes.rows;
    near(
        &axes.times(&axes.transposed()).data,
        &identity(components).data,
        rounding * (first / last).sqrt(),
    )?;

    // De-correlated: the covariance of the projections is Λ.
    let projections: Vec<_> = x.iter_rows().map(|x| fitted.project(x)).collect();
    let diagonal =
        Grid::from_fn(
            components,
            components,
            |i, j| {
                if i == j { view.variances()[i] } else { T::ZERO }
            },
        );
    near(&second_moments(&projections).data, &diagonal.data, rounding * first)?;
    let whitened: Vec<_> = x
        .iter_rows()
        .map(|x| {
            let mut white = vec![T::ZERO; components];
            view.whiten(x, &mut white).unwrap();
            white
        })
        .collect();
    near(&second_moments(&whitened).data, &identity(components).data, rounding * first / last)?;
    Ok(())
}

/// The mean truncation error over the samples is the sum of the eigenvalues dropped, however many
/// are.
fn truncation<T: Real>(x: &Grid<f64>, route: Route, rounding: f64) -> TestCaseResult {
    let x: Grid<T> = x.cast();
    let rank = x.columns.min(x.rows - 1);
    let whole = fit_pca(&x, Components::Fixed(rank), route).unwrap();
    let values = whole.view().variances();
    let total = whole.view().header().total_variance;
    for components in 1..=rank {
        let fitted = fit_pca(&x, Components::Fixed(components), route).unwrap();
        let squares = x.iter_rows().map(|row| {
            let denoised = fitted.denoise(row);
            let squares = row.iter().zip(&denoised).map(|(&a, &b)| (a - b) * (a - b));
            squares.fold(T::ZERO, |sum, square| sum + square)
        });
        let mean = squares.fold(T::ZERO, |sum, s| sum + s) / T::from_usize(x.rows);
        let dropped = values[components..].iter().fold(T::ZERO, |sum, &v| sum + v);
        let error = fitted.view().header().truncation_error;
        let scale = rounding * total.to_f64();
        near(&[mean, error], &[dropped, dropped], scale)?;
    }
    near(&[values.iter().fold(T::ZERO, |sum, &v| sum + v)], &[total], rounding * total.to_f64())
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn projections_are_uncorrelated_and_whitening_gives_unit_covariance(x in samples()) {
        for route in ROUTES {
            identities::<f64>(&x, route, 1e-13)?;
            // ε is 1.2e-7, and an offset of up to 10 times the deviation of the inputs costs their
            // squares two digits.
            identities::<f32>(&x, route, 5e-5)?;
        }
    }

    #[test]
    fn the_mean_truncation_error_is_the_sum_of_the_dropped_variances(x in samples()) {
        for route in ROUTES {
            truncation::<f64>(&x, route, 1e-13)?;
            // As above.
            truncation::<f32>(&x, route, 2e-5)?;
        }
    }

    #[test]
    fn both_routes_and_kernel_pca_agree(x in samples()) {
        let all = Components::Fixed(x.columns.min(x.rows - 1));
        let [primal, dual] = ROUTES.map(|route| fit_pca(&x, all, route).unwrap());
        let kernel = fit_exact(&Linear, &x.view(), all).unwrap();
        let values = primal.view().variances();
        let gaps = values.windows(2).map(|pair| (pair[0] - pair[1]) / values[0]);
        let gap = gaps.fold(values.last().unwrap() / values[0], f64::min);
        prop_assume!(gap > 1e-3);
        // Eigenvectors turn by rounding over the gap. The kernel works on the raw inputs, of size
        // 15 and more.
        let tolerance = 1e-12 / gap;
        near(dual.view().variances(), values, 1e-13 * values[0])?;
        near(kernel.expansion().variances(), values, 1e-12 * values[0])?;
        near(&axes(&dual).data, &axes(&primal).data, tolerance)?;
        for row in x.iter_rows() {
            let expected = primal.project(row);
            near(&dual.project(row), &expected, tolerance)?;
            near(&kernel.score(&Linear, &x.view(), row).unwrap().0, &expected, 10.0 * tolerance)?;
        }
    }

    #[test]
    fn a_share_takes_the_fewest_components_that_reach_it(x in samples(), share in 0.1..1.0) {
        let fitted = fit_pca(&x, Components::Share(share), Route::Primal).unwrap();
        let ratios: Vec<f64> = fitted.view().explained_ratios().collect();
        let sum: f64 = ratios.iter().sum();
        prop_assert!(sum >= share - 1e-14);
        prop_assert!(sum - ratios.last().unwrap() < share, "one fewer would do: {ratios:?}");
        near(&[fitted.report.explained], &[sum], 1e-14)?;
    }
}

// ---- the const-generic owner ----

const SAMPLES: [[f32; 3]; 5] =
    [[1.0, 2.0, 0.5], [2.0, 4.5, 0.25], [3.0, 5.5, 1.0], [4.0, 8.0, -0.5], [5.0, 10.5, 0.0]];

fn fitted() -> Pca<[f32; 3], 2> {
    let mut pca = Pca::new();
    pca.fit(&SAMPLES, Components::Fixed(2), &mut PcaWorkspace::<_, 4>::new()).unwrap();
    pca
}

#[test]
fn the_owner_gives_the_same_bits_as_views() {
    let x = [2.5, 4.0, 0.75];
    for route in ROUTES {
        let expected = fit_pca(&Grid::from_rows(&SAMPLES), Components::Fixed(2), route).unwrap();
        let mut pca = Pca::<[f32; 3], 2>::new();
        let report = match route {
            // More room than it takes: rows are then parts of longer rows.
            Route::Primal => {
                pca.fit(&SAMPLES, Components::Fixed(2), &mut PcaWorkspace::<_, 4>::new())
            }
            Route::Dual => {
                pca.fit_dual(&SAMPLES, Components::Fixed(2), &mut PcaWorkspace::<_, 6>::new())
            }
        };
        assert_eq!(report, Ok(expected.report));
        assert_eq!(pca.project(&x).unwrap()[..], expected.project(&x)[..]);
        assert_eq!(pca.denoise(&x).unwrap()[..], expected.denoise(&x)[..]);
        let mut white = [0.0; 2];
        expected.view().whiten(&x, &mut white).unwrap();
        assert_eq!(pca.whiten(&x).unwrap()[..], white);
        assert_eq!(pca.score(&x), expected.view().score(&x, &mut white));
        assert_eq!(pca.axes().len(), 2);
        assert_eq!(pca.mean()[..], expected.view().mean()[..]);
    }
}

#[test]
fn a_pca_in_flash_is_made_from_its_parts() {
    static FLASH: Pca<[f32; 2], 1> =
        Pca::from_parts(PcaHeader::new(1, 2.5, 0.5), [1.0, 2.0], [[0.6, 0.8]], [2.0]);
    assert_eq!(FLASH.project(&[2.0, 2.0]).unwrap()[..], [0.6]);
    assert_eq!(FLASH.reconstruct(&[5.0]), Ok([4.0, 6.0]));
    assert_eq!(FLASH.view().unwrap().explained_ratios().collect::<Vec<_>>(), [0.8]);
}

// ---- refusals ----

#[test]
fn bad_samples_are_named_and_leave_what_was_learned() {
    let before = fitted();
    let mut pca = before;
    let workspace = &mut PcaWorkspace::<_, 5>::new();
    let mut refuse = |samples: &[[f32; 3]], components, error| {
        assert_eq!(pca.fit(samples, components, workspace), Err(error));
        assert_eq!(pca.fit_dual(samples, components, workspace), Err(error));
    };
    let one = Components::Fixed(1);
    refuse(&SAMPLES[..1], one, Error::TooFewSamples { given: 1, needed: 2 });
    for bad in [f32::NAN, f32::INFINITY] {
        let mut samples = SAMPLES;
        samples[3][1] = bad;
        let fault = Fault::NotFinite { input: 1 };
        refuse(&samples, one, Error::Sample { index: 3, fault });
    }
    refuse(&[[0.1, 0.7, 1e6]; 5], one, Error::NoVariance);
    refuse(&[[3e38, 0.0, 0.0], [-3e38, 0.0, 0.0]], one, Error::NotFinite { row: 0, column: 0 });
    refuse(&SAMPLES, Components::Fixed(0), Error::Parameter { name: "components", rule: ">= 1" });
    let share = Error::Parameter { name: "share", rule: "> 0 and <= 1" };
    refuse(&SAMPLES, Components::Share(1.5), share);
    let full = Error::Capacity { what: "components", needed: 3, capacity: 2 };
    refuse(&SAMPLES, Components::Fixed(3), full);
    let line = SAMPLES.map(|[a, ..]| [a, 2.0 * a, 7.0]);
    refuse(&line, Components::Fixed(2), Error::Rank { wanted: 2, rank: 1 });
    assert_eq!(pca, before);
}

#[test]
fn storage_that_does_not_fit_is_named() {
    let mut pca = Pca::<[f32; 3], 2>::new();
    let (one, small) = (Components::Fixed(1), &mut PcaWorkspace::<_, 2>::new());
    let what = "inputs in the workspace";
    assert_eq!(
        pca.fit(&SAMPLES, one, small),
        Err(Error::Capacity { what, needed: 3, capacity: 2 })
    );
    let what = "samples in the workspace";
    assert_eq!(
        pca.fit_dual(&SAMPLES, one, small),
        Err(Error::Capacity { what, needed: 5, capacity: 2 })
    );

    let samples = Grid::from_rows(&SAMPLES);
    let fit_with = |side: usize, inputs: usize, route: Route| {
        let (mut matrix, mut axes) = (Grid::zeros(side, side), Grid::zeros(2, inputs));
        let mut memory = vec![0.0; side];
        let mut scratch = PcaScratch {
            matrix: matrix.view_mut(),
            values: &mut vec![0.0; side],
            solver: TridiagonalQr::scratch(&mut memory),
            mean: &mut [0.0; 3],
        };
        let mut storage = PcaMut {
            header: &mut PcaHeader::default(),
            mean: &mut [0.0; 3],
            axes: axes.view_mut(),
            variances: &mut [0.0; 2],
        };
        match route {
            Route::Primal => pca::fit(&samples.view(), one, &mut scratch, &mut storage),
            Route::Dual => pca::fit_dual(&samples.view(), one, &mut scratch, &mut storage),
        }
    };
    let shape = |what, expected, given| Err(Error::Shape { what, expected, given });
    assert!(fit_with(3, 3, Route::Primal).is_ok());
    assert_eq!(fit_with(4, 3, Route::Primal), shape("covariance rows", 3, 4));
    assert_eq!(fit_with(4, 3, Route::Dual), shape("inner product rows", 5, 4));
    assert_eq!(fit_with(3, 4, Route::Primal), shape("inputs of an axis", 3, 4));
}

#[test]
fn bad_queries_are_named() {
    let pca = fitted();
    let not_finite = Error::Query(Fault::NotFinite { input: 2 });
    assert_eq!(pca.project(&[0.0, 0.0, f32::NAN]).unwrap_err(), not_finite);
    assert_eq!(pca.score(&[0.0, 0.0, f32::INFINITY]), Err(not_finite));
    assert_eq!(pca.score(&[3e38, 0.0, 0.0]), Err(Error::Query(Fault::Overflow)));
    let short = Error::Shape { what: "projection", expected: 2, given: 1 };
    assert_eq!(pca.reconstruct(&[0.0]), Err(short));
    assert_eq!(pca.reconstruct(&[f32::INFINITY, 0.0]), Err(Error::Query(Fault::Overflow)));
    let view = pca.view().unwrap();
    let length = Error::Query(Fault::Length { expected: 3, given: 2 });
    assert_eq!(view.project(&[0.0; 2], &mut [0.0; 2]), Err(length));
    assert_eq!(view.whiten(&[0.0; 3], &mut [0.0; 1]), Err(short));
    let what = "reconstruction";
    let shape = Error::Shape { what, expected: 3, given: 2 };
    assert_eq!(view.reconstruct(&[0.0; 2], &mut [0.0; 2]), Err(shape));

    let empty = Pca::<[f32; 3], 2>::new();
    assert_eq!(empty.project(&[0.0; 3]).unwrap_err(), Error::NotFitted);
    assert_eq!(empty.denoise(&[0.0; 3]), Err(Error::NotFitted));
    assert!(empty.axes().is_empty());
    let header = PcaHeader::new(1, 0.0, 0.0);
    let axes = MatrixView::new(&[1.0_f32, 0.0], 1, 2).unwrap();
    let error = PcaView::new(header, &[0.0; 3], axes, &[1.0]).unwrap_err();
    assert_eq!(error, Error::Shape { what: "inputs of an axis", expected: 3, given: 2 });
}
