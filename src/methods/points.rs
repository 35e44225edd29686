//! Training samples that a model keeps.

/// Replaces the points by the samples, for which there is room.
pub(super) fn keep<X: Clone, const N: usize>(points: &mut heapless::Vec<X, N, u32>, samples: &[X]) {
    points.clear();
    let kept = points.extend_from_slice(samples);
    debug_assert!(kept.is_ok(), "{} samples, room for {N}", samples.len());
}
