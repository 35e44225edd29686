//! What the solvers have in common: the scale they work at, the order and the signs they end with.
//!
//! A matrix whose squares could overflow or vanish is divided by its largest entry before the work
//! and the eigenvalues are multiplied by it afterwards; one that overflows then is an error.

use crate::error::Error;
use crate::linalg::MatrixViewMut;
use crate::linalg::slices::head_mut;
use crate::math::{Real, first_not_finite, scale_of};

/// Checks a matrix and scales it; returns what it was divided by and its largest entry after that.
pub(super) fn prepare<T: Real>(matrix: &mut MatrixViewMut<'_, T>) -> Result<(T, T), Error> {
    let largest = matrix.view().symmetric_largest()?;
    let scale = scale_of(largest);
    divide(matrix, scale);
    Ok((scale, largest / scale))
}

/// Divides every entry by a scale that is not 1.
pub(super) fn divide<T: Real>(matrix: &mut MatrixViewMut<'_, T>, scale: T) {
    if scale != T::ONE {
        for entry in matrix.iter_rows_mut().flatten() {
            *entry /= scale;
        }
    }
}

/// Multiplies eigenvalues by the scale of their matrix.
///
/// # Errors
/// [`Error::EigenvalueOverflow`] names the first that is not finite then.
pub(super) fn restore<T: Real>(values: &mut [T], scale: T) -> Result<(), Error> {
    for value in values.iter_mut() {
        *value *= scale;
    }
    require_finite_eigenvalues(values)
}

/// No eigenvalue is infinite.
pub(super) fn require_finite_eigenvalues<T: Real>(values: &[T]) -> Result<(), Error> {
    match first_not_finite(values) {
        None => Ok(()),
        Some(index) => Err(Error::EigenvalueOverflow { index }),
    }
}

/// Sorts eigenpairs and settles their signs, in slices: the last part of a decomposition.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Arrangement {
    /// How many operations are done, of `2n − 1`: a place for each eigenpair but the last, a sign
    /// for each.
    done: usize,
}

impl Arrangement {
    /// For eigenvalues in the order in which they were found; `order` takes their numbers.
    pub(super) fn new<T: Real>(order: &mut [T]) -> Self {
        number(order);
        Self { done: 0 }
    }

    /// Does at most `left` operations, and counts them down; true when all are done.
    pub(super) fn step<T: Real>(
        &mut self,
        vectors: &mut MatrixViewMut<'_, T>,
        values: &mut [T],
        order: &mut [T],
        left: &mut usize,
    ) -> bool {
        let places = values.len().saturating_sub(1);
        while self.done < places + values.len() {
            if *left == 0 {
                return false;
            }
            *left -= 1;
            match self.done.checked_sub(places) {
                None => {
                    if let Some(best) = select(values, order, self.done) {
                        vectors.swap_rows(self.done, best);
                    }
                }
                Some(row) => settle_sign(vectors.row_mut(row)),
            }
            self.done += 1;
        }
        true
    }
}

/// Numbers the eigenvalues as they were found.
pub(super) fn number<T: Real>(order: &mut [T]) {
    for (i, entry) in order.iter_mut().enumerate() {
        *entry = T::from_usize(i);
    }
}

/// Exchanges eigenvalue `at` with the largest from there on, among equal ones the first that was
/// found; says which that was, unless it is there already.
pub(super) fn select<T: Real>(values: &mut [T], order: &mut [T], at: usize) -> Option<usize> {
    let pairs = values.iter().zip(order.iter()).enumerate().skip(at);
    let best = pairs.reduce(|best, this| {
        let ((_, (&largest, &found)), (_, (&value, &number))) = (best, this);
        if value > largest || (value == largest && number < found) { this } else { best }
    });
    let best = best.map(|(best, _)| best).filter(|&best| best > at)?;
    swap(values, at, best);
    swap(order, at, best);
    Some(best)
}

/// Sorts eigenvalues without vectors by insertion, which takes little where they are in order, as
/// QR finds most of them.
pub(super) fn sort<T: Real>(values: &mut [T]) {
    for end in 1..values.len() {
        let mut sorted = head_mut(values, end + 1);
        while let [rest @ .., above, below] = sorted
            && *above < *below
        {
            core::mem::swap(above, below);
            let count = rest.len() + 1;
            sorted = head_mut(sorted, count);
        }
    }
}

/// Exchanges two entries; unlike the slice's own method, without a panic.
pub(super) fn swap<T>(values: &mut [T], first: usize, second: usize) {
    if let Some((head, [b, ..])) = values.split_at_mut_checked(second)
        && let Some(a) = head.get_mut(first)
    {
        core::mem::swap(a, b);
    }
}

/// Makes the entry of largest magnitude, the first of them, positive.
pub(super) fn settle_sign<T: Real>(vector: &mut [T]) {
    let extreme =
        vector.iter().fold(T::ZERO, |best, &v| if v.abs() > best.abs() { v } else { best });
    if extreme < T::ZERO {
        for entry in vector {
            *entry = -*entry;
        }
    }
}
