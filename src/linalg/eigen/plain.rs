//! The cyclic Jacobi method, as plain as it gets: the slow reference that tests compare with.
//!
//! Each rotation makes one entry beside the diagonal zero; a sweep visits all of them (Golub & Van
//! Loan, §8.5). It shares nothing with what it checks.

use std::vec::Vec;

use super::Real;

/// Eigenvalues, descending, and eigenvectors as rows; signs are as they come.
pub(crate) fn jacobi<T: Real>(mut a: Vec<Vec<T>>) -> (Vec<T>, Vec<Vec<T>>) {
    let n = a.len();
    let unit = |i: usize| (0..n).map(|j| if i == j { T::ONE } else { T::ZERO }).collect();
    let mut vectors: Vec<Vec<T>> = (0..n).map(unit).collect();
    let size = a.iter().flatten().fold(T::ZERO, |sum, &x| sum + x * x).sqrt();
    let negligible = T::EPSILON * size / T::from_usize(n.max(1));
    let mut rotated = true;
    while rotated {
        rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q].abs() > negligible {
                    rotated = true;
                    rotate(&mut a, &mut vectors, p, q);
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[j][j].partial_cmp(&a[i][i]).expect("finite"));
    (order.iter().map(|&i| a[i][i]).collect(), order.iter().map(|&i| vectors[i].clone()).collect())
}

fn rotate<T: Real>(a: &mut [Vec<T>], vectors: &mut [Vec<T>], p: usize, q: usize) {
    // The smaller root of t² + 2θt − 1 = 0: a rotation by at most 45°.
    let (apq, theta) = (a[p][q], (a[q][q] - a[p][p]) / (a[p][q] + a[p][q]));
    let size = T::ONE / (theta.abs() + (theta * theta + T::ONE).sqrt());
    let t = if theta < T::ZERO { -size } else { size };
    let c = T::ONE / (t * t + T::ONE).sqrt();
    let s = t * c;
    a[p][p] -= t * apq;
    a[q][q] += t * apq;
    (a[p][q], a[q][p]) = (T::ZERO, T::ZERO);
    for k in (0..a.len()).filter(|&k| k != p && k != q) {
        let (x, y) = (a[p][k], a[q][k]);
        (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
        (a[k][p], a[k][q]) = (a[p][k], a[q][k]);
    }
    let (head, tail) = vectors.split_at_mut(q);
    for (x, y) in head[p].iter_mut().zip(&mut tail[0]) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
}
