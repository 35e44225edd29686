//! Which values an input had in training: a few quantiles, small enough for the file of a model.

use anyhow::{Result, ensure};

use crate::Number;
use crate::grid::Grid;

/// The shares of the values that are at most as large as a quantile: ends, tails, quarters, middle.
pub(crate) const SHARES: [f64; 9] = [0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0];

/// Quantiles of one input, at [`SHARES`].
pub(crate) type Spread<T> = [T; SHARES.len()];

/// The spread of some values: each quantile is a value that occurs, that of the nearest rank.
pub(crate) fn spread<T: Number>(values: &mut [T]) -> Spread<T> {
    values.sort_unstable_by(|a, b| a.to_f64().total_cmp(&b.to_f64()));
    let last = values.len().saturating_sub(1) as f64;
    let at = |share: f64| values.get((share * last).round() as usize).copied();
    SHARES.map(|share| at(share).unwrap_or(T::ZERO))
}

/// The spread of each column.
pub(crate) fn spreads<T: Number>(samples: &Grid<T>) -> Vec<Spread<T>> {
    let mut column = Vec::with_capacity(samples.rows());
    let of = |input: usize| {
        column.clear();
        column.extend(samples.iter_rows().map(|row| row[input]));
        spread(&mut column)
    };
    (0..samples.columns()).map(of).collect()
}

/// Can these be the spreads of so many inputs?
pub(crate) fn validate<T: Number>(spreads: &[Spread<T>], inputs: usize) -> Result<()> {
    let given = spreads.len();
    ensure!(given == inputs, "quantiles of {given} inputs, not {inputs}");
    for (input, spread) in spreads.iter().enumerate() {
        let is_spread = spread.iter().all(|value| value.is_finite()) && spread.is_sorted();
        ensure!(is_spread, "quantiles of input {input} must be finite and ascending");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_of_the_nearest_rank() {
        let mut hundred: Vec<f64> = (0..=100).rev().map(f64::from).collect();
        assert_eq!(spread(&mut hundred), [0.0, 1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0, 100.0]);
        assert_eq!(spread(&mut [7.0_f32]), [7.0; 9]);
        // Ranks 0, 0.02, 0.1, 0.5, 1, 1.5, 1.9, 1.98, 2; halves go up.
        assert_eq!(spread(&mut [3.0, 1.0, 2.0]), [1.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0]);
    }

    #[test]
    fn what_is_no_spread_is_refused() {
        let good = [[1.0; 9], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]];
        assert!(validate(&good, 2).is_ok());
        assert!(validate(&good, 3).is_err());
        let mut bad = good;
        bad[1][4] = 2.5;
        assert!(validate(&bad, 2).unwrap_err().to_string().contains("input 1"));
        bad[1] = [f64::INFINITY; 9];
        assert!(validate(&bad, 2).is_err());
    }
}
