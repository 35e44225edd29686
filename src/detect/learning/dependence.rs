//! What the order of the samples says about them: are neighbours alike, and do the readings drift?
//!
//! **Method.** Both questions are asked in feature space, hence of any kind of reading and in all
//! inputs at once; `z_i` are the centred coordinates that the fit to all samples leaves.
//!
//! *Neighbours.* Of samples half a recording apart, `u_t = z_t − z_{t+n/2}`, neighbours have the
//! products `q_t = u_t·u_{t+1}`. If the samples are exchangeable, each is as likely to have one
//! sign as the other (exchange the later two of its four samples), whatever their distribution: so
//! `Σq/√Σq²` is about standard normal. The lag-1 autocorrelation `Σq / Σ‖u‖²` is too small by about
//! `(1+3ρ)/n`; with that added, `n` samples are worth about `n(1−ρ)/(1+ρ)` independent ones.
//!
//! *Drift.* The mean of a quarter of the samples lies from that of the others as far as chance
//! takes it: the squared distance, in units of what is expected, is about `χ²_ν/ν` with
//! `ν = (Σλ)²/Σλ²`; the cube root of that is about normal. More is expected if neighbours are
//! alike: `(1+ρ)/(1−ρ)` times as much, with a `ρ` from samples an eighth of a recording apart, over
//! which a drift does not show.
//!
//! **Source.** Bartlett, *On the Theoretical Specification and Sampling Properties of
//! Autocorrelated Time-Series*, 1946; Kendall, *Note on Bias in the Estimation of Autocorrelation*,
//! 1954; Gretton et al., *A Kernel Two-Sample Test*, JMLR 13, 2012, for distances of means in
//! feature space; Wilson & Hilferty, *The Distribution of Chi-Square*, 1931.
//!
//! **Domain.** Samples in the order in which they were taken. In another order nothing is found.
//!
//! **Bound.** Of independent samples, 32 or more, at most 4 % are said to be alike and at most 4 %
//! to drift (`tests/promises.rs`). About `5n·r` multiply-adds for `r` coordinates, in up to 13
//! steps.

use crate::kpca::landmark::Coordinates;
use crate::linalg::slices::set;
use crate::math::{Real, sum};

/// What the order of the samples says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dependence {
    /// Neighbours are alike.
    pub(super) alike: Option<Alike>,
    /// The quarter that is unlike the others, counted from 0.
    pub(super) unlike: Option<usize>,
}

/// Samples whose neighbours are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Alike {
    /// How many independent ones they are worth.
    pub(super) effective: usize,
    /// Of so many readings one is enough.
    pub(super) spacing: usize,
}

/// How far the look at the order has come.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Examination<T> {
    total: T,
    /// `ν`.
    freedom: T,
    shifts: [T; QUARTERS],
    /// How many independent samples each one is worth, if neighbours are alike and that can do
    /// harm.
    worth: Option<T>,
    part: Part<T>,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum Part<T> {
    /// Find how far this quarter lies from the others; its samples before this one are added up.
    Shift { quarter: usize, sample: usize },
    /// Compare neighbours by samples half a recording apart.
    Far(Neighbours<T>),
    /// The same by samples an eighth of it apart.
    Near(Neighbours<T>),
}

impl<T: Real> Examination<T> {
    /// For samples with these variances along the principal axes.
    pub(super) fn new(variances: &[T]) -> Self {
        let total = sum(variances.iter().copied());
        let freedom = T::ONE / sum(variances.iter().map(|&v| (v / total) * (v / total)));
        Self {
            total,
            freedom,
            shifts: [T::ZERO; QUARTERS],
            worth: None,
            part: Part::Shift { quarter: 0, sample: 0 },
        }
    }

    /// Goes on; the centred coordinates of all samples are the same each time.
    pub(super) fn step(&mut self, mut coordinates: impl Coordinates<T>) -> Option<Dependence> {
        let n = coordinates.count();
        match &mut self.part {
            Part::Shift { quarter, sample } => {
                let (begin, end) = (*quarter * n / QUARTERS, (*quarter + 1) * n / QUARTERS);
                let next = sample.saturating_add(coordinates.in_step()).min(end);
                let norm = coordinates.squared_sum(*sample..next, *sample == begin);
                *sample = next;
                if next < end {
                    return None;
                }
                let shift = quarter_shift(norm, self.total, end - begin, n);
                set(&mut self.shifts, *quarter, shift);
                *quarter += 1;
                if *quarter == QUARTERS {
                    let steady = sum(self.shifts) < T::from_f64(STEADY * QUARTERS as f64);
                    let next = if steady { Part::Near } else { Part::Far };
                    self.part = next(Neighbours::NONE);
                }
            }
            Part::Far(neighbours) => {
                if neighbours.add_some(&mut coordinates, self.total, n / 2) {
                    self.worth = neighbours.worth(n);
                    self.part = Part::Near(Neighbours::NONE);
                }
            }
            Part::Near(neighbours) => {
                if neighbours.add_some(&mut coordinates, self.total, n / 8) {
                    let nearby = neighbours.worth(n).unwrap_or(T::ONE);
                    return Some(self.conclude(nearby, n));
                }
            }
        }
        None
    }

    /// What was found, about `n` samples each of which is worth so much nearby.
    fn conclude(&self, nearby: T, n: usize) -> Dependence {
        Dependence {
            alike: self.worth.map(|worth| Alike {
                effective: whole_up_to(n, T::from_usize(n) * worth).max(1),
                spacing: (whole_up_to(n, T::ONE / worth) + 1).min(n),
            }),
            unlike: find_unlike(self.shifts.map(|shift| shift * nearby), self.freedom, n),
        }
    }
}

const QUARTERS: usize = 4;

/// Quarters whose means differ by less than this share of what chance makes of independent samples
/// have all seen the same: the readings went through all their states several times, as periodic
/// ones do, and neighbours being alike does no harm.
const STEADY: f64 = 0.7;

/// So many standard deviations are more than chance: one case in fifty.
const ALIKE: f64 = 2.0;

/// The same for the largest of four shifts: about one case in a hundred.
const UNLIKE: f64 = 2.8;

/// A mean shifted by less than this, as a squared distance in units of the total variance, is no
/// reason to warn, however certain it is.
const NEGLIGIBLE: f64 = 0.1;

/// Products of neighbours among the differences of samples so far apart, added up.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
struct Neighbours<T> {
    products: T,
    squares: T,
    power: T,
    /// How many are added.
    done: usize,
}

impl<T: Real> Neighbours<T> {
    const NONE: Self = Self { products: T::ZERO, squares: T::ZERO, power: T::ZERO, done: 0 };

    /// Adds those of up to a quarter of the samples; true when all are done.
    fn add_some(&mut self, coordinates: &mut impl Coordinates<T>, total: T, apart: usize) -> bool {
        let n = coordinates.count();
        let all = n.saturating_sub(apart + 1);
        // Each takes a look at two more.
        let some = n.div_ceil(4).min(coordinates.in_step().div_ceil(2));
        let next = all.min(self.done + some);
        for t in self.done..next {
            let (mut product, norms) = coordinates.neighbours(t, apart);
            // In units of the variance, so that squares neither overflow nor vanish.
            product /= total;
            self.products += product;
            self.squares += product * product;
            self.power += norms / total;
        }
        self.done = next;
        next == all
    }

    /// How many independent samples each of `n` is worth, if neighbours are alike beyond chance.
    fn worth(&self, n: usize) -> Option<T> {
        let Self { products, squares, power, .. } = *self;
        let limit = T::from_f64(ALIKE * ALIKE) * squares;
        if !(products > T::ZERO && products * products > limit) {
            return None;
        }
        let count = T::from_usize(n);
        let found = (products + products) / power;
        // In a short recording it comes out too small by that much.
        let bias = (T::ONE + T::from_f64(3.0) * found) / count;
        let most = T::ONE - T::ONE / count;
        let correlation = if found + bias < most { found + bias } else { most };
        Some((T::ONE - correlation) / (T::ONE + correlation))
    }
}

/// The whole part of a number ≥ 0, at most `limit`.
fn whole_up_to<T: Real>(limit: usize, value: T) -> usize {
    let value = value.to_f64();
    if value < limit as f64 { value as usize } else { limit }
}

/// How far the mean of a quarter lies from that of the others, squared, in units of what is
/// expected of independent samples; of `m` of `n` samples, the sum has this squared length.
fn quarter_shift<T: Real>(norm: T, total: T, m: usize, n: usize) -> T {
    // ‖mean − mean of the others‖² · m(n−m)/n, over the variance n/(n−1) · total.
    let (m, n) = (T::from_usize(m), T::from_usize(n));
    norm * (n - T::ONE) / (m * (n - m) * total)
}

fn find_unlike<T: Real>(shifts: [T; QUARTERS], freedom: T, n: usize) -> Option<usize> {
    let spread = T::from_f64(2.0 / 9.0) / freedom;
    let root = T::ONE - spread + T::from_f64(UNLIKE) * spread.sqrt();
    let by_chance = root * root * root;
    // A quarter against the others: m(n−m)/n is 3n/16.
    let negligible = T::from_f64(NEGLIGIBLE * 3.0 / 16.0) * T::from_usize(n);
    let limit = by_chance.larger(negligible);
    let [.., last] = shifts;
    let (mut worst, mut largest) = (None, limit);
    for (quarter, shift) in shifts.into_iter().enumerate() {
        if shift > largest {
            (worst, largest) = (Some(quarter), shift);
        }
    }
    // What moves steadily has moved as far in the first quarter as in the last, which matters more.
    let as_far = last > limit && last + last > largest;
    if as_far { Some(QUARTERS - 1) } else { worst }
}
