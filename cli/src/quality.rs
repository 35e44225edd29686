//! How well scores tell normal from anomalous readings, and how sure one can be of it.
//!
//! - AUROC: the chance that an anomalous reading scores higher than a normal one, ties as one half;
//!   its interval is that of Newcombe (2006, method 5), which stays honest at 1, where the usual
//!   one has no width.
//! - Rates: Wilson's score interval (1927).
//!
//! Both take readings as independent of each other; those of a recording are not, so that the truth
//! can lie outside more often.

/// Two-sided 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// A share with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub(crate) struct Estimate {
    /// What was measured.
    pub(crate) value: f64,
    /// The lower end.
    pub(crate) low: f64,
    /// The upper end.
    pub(crate) high: f64,
}

/// Area under the ROC curve; none without normal or without anomalous scores.
pub(crate) fn auroc(normal: &[f64], anomalous: &[f64]) -> Option<Estimate> {
    if normal.is_empty() || anomalous.is_empty() {
        return None;
    }
    let mut all: Vec<(f64, bool)> = normal.iter().map(|&score| (score, false)).collect();
    all.extend(anomalous.iter().map(|&score| (score, true)));
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut won, mut normal_below) = (0.0, 0.0);
    for tied in all.chunk_by(|a, b| a.0 == b.0) {
        let anomalies = tied.iter().filter(|(_, anomaly)| *anomaly).count() as f64;
        let normals = tied.len() as f64 - anomalies;
        won += anomalies * (normal_below + normals / 2.0);
        normal_below += normals;
    }
    let (m, n) = (anomalous.len() as f64, normal.len() as f64);
    let value = won / (m * n);
    let deviation = |truth: f64| {
        let others = (m + n) / 2.0 - 1.0;
        let spread = 1.0 + others * ((1.0 - truth) / (2.0 - truth) + truth / (1.0 + truth));
        (truth * (1.0 - truth) * spread / (m * n)).sqrt()
    };
    Some(interval(value, deviation))
}

/// The share `count/of`.
pub(crate) fn rate(count: usize, of: usize) -> Option<Estimate> {
    let n = of as f64;
    (of > 0).then(|| interval(count as f64 / n, |truth| (truth * (1.0 - truth) / n).sqrt()))
}

/// All truths from which what was measured is no further away than `Z` deviations.
fn interval(value: f64, deviation: impl Fn(f64) -> f64) -> Estimate {
    let plausible = |truth: f64| (value - truth).abs() <= Z * deviation(truth);
    let border = |mut inside: f64, mut outside: f64| {
        if plausible(outside) {
            return outside;
        }
        for _ in 0..60 {
            let middle = 0.5 * (inside + outside);
            if plausible(middle) { inside = middle } else { outside = middle }
        }
        inside
    };
    Estimate { value, low: border(value, 0.0), high: border(value, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn rates_have_wilsons_interval() {
        for (count, of) in [(0_usize, 10_usize), (3, 10), (10, 10), (56, 70)] {
            let (n, p) = (of as f64, count as f64 / of as f64);
            let middle = (p + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
            let half = Z / (1.0 + Z * Z / n) * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
            let found = rate(count, of).unwrap();
            close(found.low, middle - half);
            close(found.high, middle + half);
        }
        assert_eq!(rate(0, 0), None);
    }

    #[test]
    fn auroc_counts_pairs_and_is_never_certain() {
        let normal = [1.0, 2.0, 2.0, 3.0];
        let anomalous = [2.0, 4.0, 5.0];
        // By hand: 2.0 wins against 1.0 and ties twice, the others win all four.
        let found = auroc(&normal, &anomalous).unwrap();
        close(found.value, (1.0 + 0.5 + 0.5 + 4.0 + 4.0) / 12.0);
        assert!(found.low < found.value && found.value < found.high && found.high <= 1.0);
        let perfect = auroc(&[0.0; 20], &[1.0; 20]).unwrap();
        assert_eq!((perfect.value, perfect.high), (1.0, 1.0));
        assert!(perfect.low > 0.8 && perfect.low < 0.99, "{perfect:?}");
        let more = auroc(&[0.0; 200], &[1.0; 200]).unwrap();
        assert!(more.low > perfect.low);
        assert_eq!(auroc(&[], &[1.0]), None);
    }
}
