//! How far the rate of one calibration may be from the mean.
//!
//! **Method.** The rate above the `k`-th largest of `M` scores is spread like Beta(`k`, `M+1−k`),
//! and is below `x` with the chance that a binomial count of `M` trials at `x` is `k` or more. Its
//! terms are summed up in both directions from the one of `k`, in units of that one, so that
//! neither factorials nor powers are needed and nothing vanishes. Quantiles follow by bisection.
//!
//! **Source.** Johnson, Kotz, Balakrishnan, *Continuous Univariate Distributions* 2, 1995, for the
//! beta distribution by binomial sums.
//!
//! **Bound.** At most `M` terms a sum; those that change nothing any more are left out, which
//! leaves about `k + 8√k` of them. Within 1e-4 of itself in `f32`, for `k` up to thousands.

use crate::math::Real;

/// The chance that of so many trials, each with this chance, at least `count` come true.
pub(super) fn chance_of_at_least<T: Real>(count: usize, trials: usize, chance: T) -> T {
    if count == 0 || chance >= T::ONE {
        return T::ONE;
    }
    if count > trials || chance <= T::ZERO {
        return T::ZERO;
    }
    let odds = chance / (T::ONE - chance);
    let number = T::from_usize;
    let more = (count..trials).map(|i| odds * number(trials - i) / number(i + 1));
    let fewer = (1..=count).rev().map(|i| number(i) / (odds * number(trials - i + 1)));
    let (more, fewer) = (T::ONE + sum_of_products(more), sum_of_products(fewer));
    if more.is_finite() { more / (more + fewer) } else { T::ONE }
}

/// `a + ab + abc + …` of factors that fall from each to the next; infinite beyond all that matters.
fn sum_of_products<T: Real>(factors: impl Iterator<Item = T>) -> T {
    let (mut sum, mut product) = (T::ZERO, T::ONE);
    let enough = T::ONE / (T::EPSILON * T::EPSILON);
    for factor in factors {
        product *= factor;
        sum += product;
        if sum > enough {
            return T::ONE / T::ZERO;
        }
        // The factors are below 1 by now, and fall.
        if product < sum * T::EPSILON {
            break;
        }
    }
    sum
}

/// The rate that is not reached with this chance, if the threshold is the `rank`-th largest of so
/// many scores.
pub(super) fn rate_below<T: Real>(rank: usize, scores: usize, chance: T) -> T {
    let (mut low, mut high) = (T::ZERO, T::ONE);
    for _ in 0..HALVINGS {
        let middle = (low + high) * T::from_f64(0.5);
        if middle <= low || middle >= high {
            break;
        }
        if chance_of_at_least(rank, scores, middle) < chance {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// Enough for `f64`, down to rates of one in a thousand million.
const HALVINGS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    /// `scipy.stats.beta.ppf(p, k, M + 1 - k)` for p = 0.05 and 0.95, by scipy 1.17.1.
    const REFERENCE: [(usize, usize, f64, f64); 11] = [
        (1, 19, 2.696006302871e-03, 1.458685033122e-01),
        (1, 99, 5.179798867980e-04, 2.980667377335e-02),
        (3, 384, 2.132693028845e-03, 1.630382966945e-02),
        (4, 399, 3.431395557250e-03, 1.931723504699e-02),
        (5, 99, 2.010875556759e-02, 9.007355819197e-02),
        (20, 400, 3.337901341768e-02, 6.892162748403e-02),
        (99, 99, 9.701933262266e-01, 9.994820201132e-01),
        (50, 99, 4.181092215883e-01, 5.818907784117e-01),
        (1, 100_000, 5.129328123254e-07, 2.995687401943e-05),
        (500, 10_000, 4.646251581725e-02, 5.362980477492e-02),
        (1000, 1_000_000, 9.485837785944e-04, 1.052548914268e-03),
    ];

    #[test]
    fn quantiles_are_those_of_the_beta_distribution() {
        for (k, m, low, high) in REFERENCE {
            for (chance, expected) in [(0.05, low), (0.95, high)] {
                let double = rate_below::<f64>(k, m, chance);
                assert!((double / expected - 1.0).abs() < 1e-9, "{k} {m}: {double} {expected}");
                let single = f64::from(rate_below::<f32>(k, m, chance as f32));
                assert!((single / expected - 1.0).abs() < 1e-4, "{k} {m}: {single} {expected}");
            }
        }
    }

    /// Against the sum as it is written in books, where that neither overflows nor vanishes.
    #[test]
    fn chances_are_those_of_the_binomial_distribution() {
        for trials in [1, 2, 7, 30] {
            for percent in [1, 10, 50, 90, 99] {
                let chance = f64::from(percent) / 100.0;
                let term = |i: usize| {
                    let ways =
                        (0..i).fold(1.0, |ways, j| ways * (trials - j) as f64 / (j + 1) as f64);
                    ways * chance.power(i as u32) * (1.0 - chance).power((trials - i) as u32)
                };
                for count in 0..=trials + 1 {
                    let expected: f64 = (count..=trials).map(term).sum();
                    let found = chance_of_at_least(count, trials, chance);
                    assert!((found - expected).abs() < 1e-12, "{count} of {trials} at {chance}");
                }
            }
        }
    }
}
