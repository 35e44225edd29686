//! The two criteria that are least at the relevant dimension.
//!
//! Method, source, domain and bound are those of the [parent](super).

use crate::math::{Real, dot_in_order, sum};

/// Writes the criterion of the two-component model for `d = 1 … n−1`, in `2n` operations.
pub(super) fn two_components<T: Real>(coefficients: &[T], criterion: &mut [T]) {
    let n = coefficients.len();
    let count = T::from_usize(n);
    // Sums from the end: differences from the whole would lose small ones.
    let mut tail = T::ZERO;
    let beyond = coefficients.iter().skip(1).rev();
    for (place, &z) in criterion.iter_mut().take(n.saturating_sub(1)).rev().zip(beyond) {
        tail += z * z;
        *place = tail;
    }
    // A coefficient is known to about √n·ε of the length of the labels; anything less may be 0.
    let rounding = count * T::EPSILON * T::EPSILON * dot_in_order(coefficients, coefficients);
    let log_variance = |squares: T, number: T| rounding.larger(squares / number).ln();
    let mut head = T::ZERO;
    for (d, (place, &z)) in (1..n).zip(criterion.iter_mut().zip(coefficients)) {
        head += z * z;
        let (first, second) = (T::from_usize(d), T::from_usize(n - d));
        *place = first / count * log_variance(head, first)
            + second / count * log_variance(*place, second);
    }
}

/// What leave-one-out carries over, for each sample, from one dimension to the next.
pub(super) struct Left<'a, T> {
    /// The labels less what the dimensions so far explain.
    pub(super) residuals: &'a mut [T],
    /// `(S_d)_ii`.
    pub(super) spanned: &'a mut [T],
    /// The mean's part in `(S_d)_ii`: `1/n`, or 0 if there is no mean to predict.
    pub(super) mean_share: T,
}

impl<T: Real> Left<'_, T> {
    /// Adds one dimension; returns the mean squared error of predicting each label, less `mean`,
    /// from the others.
    pub(super) fn error(&mut self, vector: &[T], z: T, labels: &[T], mean: T) -> T {
        let n = T::from_usize(vector.len());
        let places = self.residuals.iter_mut().zip(self.spanned.iter_mut());
        let errors =
            places.zip(vector.iter().zip(labels)).map(|((residual, spanned), (&v, &y))| {
                *residual -= z * v;
                *spanned += v * v;
                let others = T::ONE - *spanned;
                // The others say nothing about a sample that is spanned entirely: without it, the
                // shortest solution predicts 0, or their mean, of which this label is no part.
                let error = if others > n * T::EPSILON {
                    *residual / others
                } else {
                    (y - mean) / (T::ONE - self.mean_share)
                };
                error * error
            });
        sum(errors) / n
    }
}
