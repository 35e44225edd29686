//! How many components a fit keeps, and what it reports.

use crate::error::Error;
use crate::math::Real;

/// How many components to keep.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Components<T> {
    /// Exactly this many; an error when the samples do not span so many.
    Fixed(usize),
    /// The fewest whose variances reach this share (`0 < share ≤ 1`) of the total, or as many as
    /// there is room for: [`FitReport::explained`] says what was reached.
    Share(T),
}

/// What a fit found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct FitReport<T> {
    /// Number of training samples.
    pub samples: usize,
    /// Number of points the model evaluates its kernel at.
    pub points: usize,
    /// Number of components kept.
    pub components: usize,
    /// Number of components that could have been kept: those with a variance above rounding. After
    /// a [`leading`](super::leading) fit, only those it looked for are counted.
    pub rank: usize,
    /// Share of the total variance that the kept components explain.
    pub explained: T,
    /// Share of the total variance that lies outside the span of the points: 0 in an exact fit.
    pub unspanned: T,
    /// The most passes that the eigensolver took for one eigenvalue.
    pub sweeps: usize,
    /// The kernel is not positive semi-definite on these samples.
    pub indefinite: bool,
    /// It is certain that these are the leading components. Only a [`leading`](super::leading) fit
    /// to many samples can leave it open.
    pub certified: bool,
}

/// How many of the descending `values` to keep.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(crate) struct Choice<T> {
    pub(crate) components: usize,
    pub(crate) rank: usize,
    pub(crate) explained: T,
}

/// Applies the rule of [`Components`]. Values up to `rounding` are never kept, since weights are
/// divided by their roots.
pub(crate) fn choose<T: Real>(
    rule: Components<T>,
    values: &[T],
    rounding: T,
    total: T,
    capacity: usize,
) -> Result<Choice<T>, Error> {
    let rank = values.iter().take_while(|&&value| value > rounding).count();
    if rank == 0 {
        return Err(Error::NoVariance);
    }
    let components = match rule {
        Components::Fixed(0) => {
            return Err(Error::Parameter { name: "components", rule: ">= 1" });
        }
        Components::Fixed(wanted) if wanted > rank => return Err(Error::Rank { wanted, rank }),
        Components::Fixed(needed) if needed > capacity => {
            return Err(Error::Capacity { what: "components", needed, capacity });
        }
        Components::Fixed(wanted) => wanted,
        Components::Share(share) if share > T::ZERO && share <= T::ONE => {
            let mut reached = T::ZERO;
            let missing = values.iter().take_while(|&&value| {
                let short = reached < share * total;
                reached += value;
                short
            });
            // One at least, even of a total that negative eigenvalues leave nothing of.
            missing.count().max(1).min(rank).min(capacity)
        }
        Components::Share(_) => {
            return Err(Error::Parameter { name: "share", rule: "> 0 and <= 1" });
        }
    };
    if components == 0 {
        return Err(Error::Capacity { what: "components", needed: 1, capacity });
    }
    let kept = values.iter().take(components).fold(T::ZERO, |sum, &value| sum + value);
    // Rounding, or negative eigenvalues of an indefinite kernel, can make the whole less than a
    // part.
    let explained = if kept < total { kept / total } else { T::ONE };
    Ok(Choice { components, rank, explained })
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: [f64; 5] = [6.0, 3.0, 1.0, 1e-18, -1e-17];

    fn count(rule: Components<f64>, capacity: usize) -> Result<usize, Error> {
        choose(rule, &VALUES, 1e-15, 10.0, capacity).map(|choice| choice.components)
    }

    #[test]
    fn shares_take_the_fewest_that_reach_them() {
        assert_eq!(count(Components::Share(0.6), 5), Ok(1));
        assert_eq!(count(Components::Share(0.61), 5), Ok(2));
        assert_eq!(count(Components::Share(0.9), 5), Ok(2));
        assert_eq!(count(Components::Share(1.0), 5), Ok(3));
        assert_eq!(count(Components::Share(0.9), 1), Ok(1));
        let choice = choose(Components::Share(0.9), &VALUES, 1e-15, 10.0, 5).unwrap();
        assert_eq!((choice.rank, choice.explained), (3, 0.9));
    }

    #[test]
    fn impossible_numbers_are_refused() {
        assert_eq!(count(Components::Fixed(3), 3), Ok(3));
        assert_eq!(count(Components::Fixed(4), 5), Err(Error::Rank { wanted: 4, rank: 3 }));
        let full = Error::Capacity { what: "components", needed: 3, capacity: 2 };
        assert_eq!(count(Components::Fixed(3), 2), Err(full));
        let none = Error::Capacity { what: "components", needed: 1, capacity: 0 };
        assert_eq!(count(Components::Share(0.5), 0), Err(none));
        for rule in [Components::Fixed(0), Components::Share(0.0), Components::Share(f64::NAN)] {
            assert!(matches!(count(rule, 5), Err(Error::Parameter { .. })), "{rule:?}");
        }
        let flat = choose(Components::Fixed(1), &[0.0, 0.0], 0.0, 0.0, 2).map(|choice| choice.rank);
        assert_eq!(flat, Err(Error::NoVariance));
    }
}
