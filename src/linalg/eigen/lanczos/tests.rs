//! Results without a factorisation: right, or not called certain.

use std::vec;
use std::vec::Vec;

use super::super::plain::jacobi;
use super::*;

/// The leading eigenvalues without a factorisation, and whether they are called certain.
fn without(a: &[Vec<f64>], wanted: usize) -> Result<(Vec<f64>, bool), Error> {
    let n = a.len();
    let steps = n.min(4 * wanted + 4);
    let mut matrix = a.concat();
    let (mut basis, mut vector, mut pivots) = (vec![0.0; steps * n], vec![0.0; n], vec![0.0; n]);
    let (mut projected, mut rotation) = (vec![0.0; steps * steps], vec![0.0; steps * steps]);
    let [mut values, mut diagonal, mut beside] = [(); 3].map(|()| vec![0.0; steps]);
    let mut scratch = LanczosScratch {
        basis: MatrixViewMut::new(&mut basis, steps, n)?,
        projected: MatrixViewMut::new(&mut projected, steps, steps)?,
        rotation: MatrixViewMut::new(&mut rotation, steps, steps)?,
        values: &mut values,
        diagonal: &mut diagonal,
        beside: &mut beside,
        vector: &mut vector,
        pivots: &mut pivots,
    };
    let matrix = &mut MatrixViewMut::new(&mut matrix, n, n)?;
    let found = leading_by(false, matrix, wanted, f64::MIN, &mut scratch)?;
    Ok((values[..found.found].to_vec(), found.certified))
}

/// The centred Gram matrix of samples in the plane.
fn gram(samples: &[[f64; 2]], gamma: f64) -> Vec<Vec<f64>> {
    let n = samples.len() as f64;
    let kernel = |x: &[f64; 2], y: &[f64; 2]| {
        libm::exp(-gamma * ((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1])))
    };
    let row = |x| samples.iter().map(|y| kernel(x, y)).collect::<Vec<f64>>();
    let plain: Vec<Vec<f64>> = samples.iter().map(row).collect();
    let means: Vec<f64> = plain.iter().map(|row| row.iter().sum::<f64>() / n).collect();
    let grand = means.iter().sum::<f64>() / n;
    let centred = |(row, mine): (&Vec<f64>, &f64)| {
        row.iter().zip(&means).map(|(k, other)| k - (mine + other) + grand).collect()
    };
    plain.iter().zip(&means).map(centred).collect()
}

/// Is it off by more than rounding?
fn is_wrong(found: &[f64], truth: &[f64]) -> bool {
    let size = 1.0 + truth.first().map_or(0.0, |largest| largest.abs());
    found.iter().zip(truth).any(|(found, truth)| (found - truth).abs() > 1e-12 * size)
}

/// Thousands of sets of samples that look random, of all sizes, with kernels narrow and wide.
#[test]
fn random_samples_hide_nothing() {
    let mut seed = 5_u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (mut certain, mut open) = (0, 0);
    for _ in 0..3000 {
        let n = 6 + (42.0 * random()) as usize;
        let wanted = 1 + (6.0 * random()) as usize;
        let gamma = 0.02 * libm::exp(5.0 * random());
        let samples: Vec<[f64; 2]> =
            (0..n).map(|_| [4.0 * random() - 2.0, 4.0 * random() - 2.0]).collect();
        let a = gram(&samples, gamma);
        let (found, certified) = without(&a, wanted).unwrap();
        let (truth, _) = jacobi(a);
        assert!(!is_wrong(&found, &truth), "{n} samples, γ {gamma}: {found:?}, not {truth:?}");
        if certified { certain += 1 } else { open += 1 }
    }
    // Both kinds are among them.
    assert!(certain > 100 && open > 100, "{certain} certain, {open} open");
}

/// Corners of a polygon: nearly all eigenvalues are double, and one vector sees each of them once.
#[test]
fn what_symmetry_hides_is_not_called_certain() {
    let mut missed = 0;
    for n in 12..60 {
        for gamma in [0.1, 0.5, 2.0, 8.0] {
            let corner = |i: usize| {
                let turn = core::f64::consts::TAU * i as f64 / n as f64;
                [libm::cos(turn), libm::sin(turn)]
            };
            let a = gram(&(0..n).map(corner).collect::<Vec<_>>(), gamma);
            let (truth, _) = jacobi(a.clone());
            for wanted in [2, 3, 5] {
                let (found, certified) = without(&a, wanted).unwrap();
                let wrong = is_wrong(&found, &truth);
                assert!(!(wrong && certified), "{n} corners, γ {gamma}: {found:?}, not {truth:?}");
                missed += usize::from(wrong);
            }
        }
    }
    assert!(missed > 0, "nothing was hidden");
}
