//! A fit with coordinates that are found again is that with coordinates that are kept.

use std::vec::Vec;

use super::*;
use crate::kernel::{Laplacian, Rbf, Sigmoid};
use crate::kpca::landmark::{LandmarkFit, LandmarkWorkspace};
use crate::kpca::{Components, Expansion, FitReport};
use crate::linalg::Matrix;
use crate::linalg::eigen::TridiagonalQr;

const N: usize = 60;
const R: usize = 12;

/// Readings in two groups, with a copy among them, from a small generator.
fn samples(seed: u32) -> Vec<[f32; 3]> {
    let mut state = seed;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 16_777_216.0 * 3.4 - 1.7
    };
    let mut samples: Vec<[f32; 3]> =
        (0..N).map(|i| [random(), random(), random() + (i % 2) as f32]).collect();
    samples[40] = samples[3];
    samples
}

struct Fitted {
    report: FitReport<f32>,
    points: Vec<usize>,
    expansion: Expansion<f32, R, R>,
    residuals: Vec<f32>,
    steps: usize,
    order: Vec<f32>,
}

fn order_of(mut coordinates: impl Coordinates<f32>) -> Vec<f32> {
    let mut found = Vec::new();
    for t in [0, 1, 2, 7, 20] {
        for apart in [N / 2, N / 8] {
            let (product, norms) = coordinates.neighbours(t, apart);
            found.extend([product, norms]);
        }
    }
    // In parts, where there are parts.
    let mut sum = 0.0;
    for first in (0..N / 4).step_by(coordinates.in_step()) {
        let end = (first + coordinates.in_step()).min(N / 4);
        sum = coordinates.squared_sum(first..end, first == 0);
    }
    found.push(sum);
    found
}

fn kept<K>(kernel: &K, samples: &[[f32; 3]], wish: Landmarks<f32>) -> Result<Fitted, Error>
where
    K: BlockKernel<[f32], Scalar = f32>,
{
    let mut workspace = LandmarkWorkspace::<f32, N, R>::new();
    let mut scratch = workspace.scratch(N)?;
    run(kernel, samples, wish, &mut scratch)
}

fn recomputed<K>(kernel: &K, samples: &[[f32; 3]], wish: Landmarks<f32>) -> Result<Fitted, Error>
where
    K: BlockKernel<[f32], Scalar = f32>,
{
    let (mut residuals, mut pivots) = ([0.0; N], [0; R]);
    let mut covariance = Matrix::<f32, R, R>::zeros();
    let [mut roots, mut values, mut mean, mut beside] = [[0.0; R]; 4];
    let mut scratch = LandmarkScratch {
        factor: Recomputed { roots: &mut roots },
        residuals: &mut residuals,
        pivots: &mut pivots,
        covariance: covariance.view_mut(),
        values: &mut values,
        mean: &mut mean,
        solver: TridiagonalQr::scratch(&mut beside),
    };
    run(kernel, samples, wish, &mut scratch)
}

fn run<K, F>(
    kernel: &K,
    samples: &[[f32; 3]],
    wish: Landmarks<f32>,
    scratch: &mut LandmarkScratch<'_, f32, TridiagonalQr<f32>, F>,
) -> Result<Fitted, Error>
where
    K: BlockKernel<[f32], Scalar = f32>,
    F: Factor<f32>,
{
    let mut expansion = Expansion::empty();
    let components = Components::Share(0.9);
    let mut fit = LandmarkFit::start(kernel, samples, wish, components, scratch)?;
    let mut steps = 1;
    let report = loop {
        steps += 1;
        if let Some(report) = fit.step(kernel, samples, scratch, &mut expansion.storage())? {
            break report;
        }
    };
    let points = scratch.pivots.iter().take(report.points).map(|p| p.at()).collect();
    let residuals = scratch.residuals.to_vec();
    let numbers: Vec<F::Index> = (0..N).map(F::Index::of).collect();
    let all = Indexed { samples, rows: &numbers };
    let order = order_of(F::coordinates(scratch, fit.cholesky(), kernel, all));
    Ok(Fitted { report, points, expansion, residuals, steps, order })
}

fn require_same<K: BlockKernel<[f32], Scalar = f32>>(kernel: &K, wish: Landmarks<f32>) {
    for seed in 1..6 {
        let samples = samples(seed);
        let a = kept(kernel, &samples, wish).unwrap();
        let b = recomputed(kernel, &samples, wish).unwrap();
        let (mut left, mut right) = (a.points.clone(), b.points.clone());
        left.sort_unstable();
        right.sort_unstable();
        assert_eq!(left, right, "the same landmarks");
        assert_eq!((a.report.points, a.report.components), (b.report.points, b.report.components));
        assert_eq!(a.report.indefinite, b.report.indefinite);
        assert!((a.report.unspanned - b.report.unspanned).abs() < 1e-6);
        assert!(a.residuals.iter().zip(&b.residuals).all(|(a, b)| (a - b).abs() < 1e-6));
        for x in samples.iter().take(9) {
            let mut projected = [[0.0; R]; 2];
            for (fitted, out) in [&a, &b].into_iter().zip(&mut projected) {
                let view = fitted.expansion.view();
                for (i, &point) in fitted.points.iter().enumerate() {
                    let k = kernel.eval(x, &samples[point]);
                    let weights = view.weights().row(i);
                    out.iter_mut().zip(weights).for_each(|(f, &w)| *f += w * k);
                }
            }
            let [a, b] = projected;
            assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 2e-4), "{a:?} {b:?}");
        }
        let close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-4 * (1.0 + a.abs());
        assert!(a.order.iter().zip(&b.order).all(close), "{:?} {:?}", a.order, b.order);
        assert!(b.steps > a.steps, "smaller pieces");
    }
}

#[test]
fn the_fit_is_that_of_coordinates_that_are_kept() {
    for wish in [Landmarks::Room, Landmarks::Rank(7), Landmarks::Residual(0.4)] {
        require_same(&Rbf::new(0.1), wish);
        require_same(&Laplacian::new(0.2), wish);
    }
    require_same(&Rbf::new(1e-3), Landmarks::Room);
}

#[test]
fn what_is_wrong_is_found_as_with_coordinates_that_are_kept() {
    let samples = samples(2);
    let kernel = Rbf::new(0.1);
    for wish in [Landmarks::Rank(0), Landmarks::Residual(0.0), Landmarks::Residual(1e-6)] {
        let expected = kept(&kernel, &samples, wish).map(drop).unwrap_err();
        assert_eq!(recomputed(&kernel, &samples, wish).map(drop), Err(expected));
    }
    let sigmoid = Sigmoid::new(2.0, -1.0);
    assert!(recomputed(&sigmoid, &samples, Landmarks::Room).unwrap().report.indefinite);
    let equal = [[1.0_f32; 3]; N];
    let refused = recomputed(&kernel, &equal, Landmarks::Room).map(drop);
    assert_eq!(refused, Err(Error::NoVariance));
}
