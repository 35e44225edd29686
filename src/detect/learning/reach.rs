//! No threshold is out of reach: the farthest reading there is must be unusual.
//!
//! The SPE of a Gaussian kernel is bounded by its far-field value
//! ([`KernelPcaView::far_field`](crate::kpca::KernelPcaView::far_field)), but thresholds come from
//! the models of the folds, whose bounds are others: a rare state that is alone in its fold scores
//! beyond the bound of the final model. A threshold that is set by such scores would never be
//! exceeded, so it falls to the next score that far readings do exceed.

use crate::math::Real;

/// The share of the far-field value that a threshold may reach. A tenth is left for quantised
/// scores, which may be off by a twentieth, and for readings that are not infinitely far: with all
/// inputs 10 deviations off, at least 96 % are found at this limit itself.
const REACH: f64 = 0.9;

/// A threshold that was lowered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lowered<T> {
    pub(super) threshold: T,
    /// How many of the scores are above it.
    pub(super) above: usize,
}

/// Lowers a threshold that far readings do not exceed clearly to the largest score that they do;
/// none if it can stay.
///
/// Why not to the limit: with a rare binary input and 1 % wanted, 5 deviations in another input are
/// found in at most 2 % of readings there, and in 93 to 97 % at that score. The price is false
/// alarms in 2 to 4 % of readings, where the limit has next to none.
///
/// `highest` is the [highest](crate::detect::hearing) that any detector may have.
pub(super) fn lower<T: Real>(
    threshold: T,
    far_field: T,
    highest: T,
    scores: &[T],
) -> Option<Lowered<T>> {
    let reach = far_field * T::from_f64(REACH);
    let below = highest - highest.abs() * T::EPSILON;
    let limit = if below < reach { below } else { reach };
    if threshold <= limit {
        return None;
    }
    let within = scores.iter().copied().filter(|&score| score <= limit);
    let threshold = within.reduce(T::larger).unwrap_or(limit);
    let above = scores.iter().filter(|&&score| score > threshold).count();
    Some(Lowered { threshold, above })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_within_reach_stays() {
        assert_eq!(lower(0.9, 1.0, 1.0, &[0.1, 0.9, 0.95]), None);
        assert_eq!(lower(7.0, f64::INFINITY, f64::INFINITY, &[7.0]), None);
    }

    #[test]
    fn a_threshold_out_of_reach_falls_to_the_largest_score_within() {
        let scores = [0.1, 1.1, 0.3, 0.2, 0.95];
        for threshold in [1.1, 0.95] {
            let lowered = lower(threshold, 1.0, 1.0, &scores);
            assert_eq!(lowered, Some(Lowered { threshold: 0.3, above: 2 }));
        }
        let none_within = lower(1.1_f32, 1.0, 1.0, &[1.1, 1.2]);
        assert_eq!(none_within, Some(Lowered { threshold: 0.9, above: 2 }));
        let refused_elsewhere = lower(0.8, 1.0, 0.5, &[0.1, 0.3, 0.8]);
        assert_eq!(refused_elsewhere, Some(Lowered { threshold: 0.3, above: 1 }));
    }
}
