//! Sums over many samples, in blocks.
//!
//! **Method.** A block's samples are added up one by one, and its sum joins those of the blocks
//! before. Up to one block there is one sum, with the bits of the plain loop. A covariance needs no
//! second matrix for that: the sums of a block are made on and above the diagonal, those of the
//! blocks before are kept below it, and for its own entries there is a row beside.
//!
//! **Source.** Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed. 2002, §4.2.
//!
//! **Domain.** Any number of samples.
//!
//! **Bound.** A sum of `n` terms is off by at most `γ_k Σ|x_i|` with `k = 512 + n/512`, instead of
//! `k = n`: in `f32`, a sum of a million terms would lose a third of its digits.

use crate::linalg::{MatrixViewMut, rows};
use crate::math::Real;

/// How many samples are added up before their sum joins the others.
pub(crate) const BLOCK: usize = 512;

/// Does a new block begin with this sample, after another?
pub(crate) const fn is_next(sample: usize) -> bool {
    sample > 0 && sample.is_multiple_of(BLOCK)
}

/// How many terms are added up one by one, at the most, for so many samples.
pub(crate) fn longest(samples: usize) -> usize {
    samples.min(BLOCK)
}

/// Adds a block's sum to that of the blocks before, and begins with nothing.
#[inline(never)]
pub(crate) fn set_aside<T: Real>(sum: &mut [T], before: &mut [T]) {
    rows::add(before, T::ONE, sum);
    sum.fill(T::ZERO);
}

/// The same for sums on and above the diagonal of a matrix: those of the blocks before are below
/// it, and in `diagonal`.
// Called rarely: kept out of the loops that call them, here and below.
#[inline(never)]
pub(crate) fn set_matrix_aside<T: Real>(sums: &mut MatrixViewMut<'_, T>, diagonal: &mut [T]) {
    let rank = sums.rows();
    for (i, diagonal) in diagonal.iter_mut().enumerate().take(rank) {
        *diagonal += sums.at(i, i);
        sums.set(i, i, T::ZERO);
        for j in i + 1..rank {
            sums.set(j, i, sums.at(j, i) + sums.at(i, j));
            sums.set(i, j, T::ZERO);
        }
    }
}

/// Brings the sums of all blocks together, on both sides of the diagonal.
#[inline(never)]
pub(crate) fn complete_matrix<T: Real>(sums: &mut MatrixViewMut<'_, T>, diagonal: &[T]) {
    let rank = sums.rows();
    for (i, &diagonal) in diagonal.iter().enumerate().take(rank) {
        sums.set(i, i, sums.at(i, i) + diagonal);
        for j in i + 1..rank {
            let sum = sums.at(i, j) + sums.at(j, i);
            sums.set(i, j, sum);
            sums.set(j, i, sum);
        }
    }
}
