//! Greedy pivoted Cholesky: picks the samples that best span the rest.
//!
//! **Method.** Residuals start at `δ_i = k(x_i, x_i)`. Each step takes the sample `p` with the
//! largest residual (of equal ones, the first) as a landmark, appends the column
//! `g = (K[:,p] − G G[p]ᵀ)/√δ_p` to the factor `G`, and lowers `δ ← δ − g²`. The `n × n` matrix is
//! never formed: `r` landmarks take `n·r` numbers of memory and `n·r` kernel evaluations.
//!
//! **Source.** Fine & Scheinberg, *Efficient SVM Training Using Low-Rank Kernel Representations*,
//! JMLR 2, 2001.
//!
//! **Domain.** At least two samples with finite `k(x, x)`. An indefinite kernel is noticed by a
//! residual that falls below zero.
//!
//! **Bound.** `Σδ` is the part of the trace of `K` that the landmarks do not span, but for
//! rounding: a residual counts as zero at `min(n, 4(r + 1))·ε` of the largest `k(x, x)`. Each
//! residual is the end of `r` subtractions, each of them rounded and made from a sum of up to `r`
//! products: samples beyond it have no part in that, however many (Higham, *Accuracy and Stability
//! of Numerical Algorithms*, 2nd ed. 2002, theorem 10.3: `γ_{r+1}` of the diagonal). The 4 makes up
//! for rounding in kernel values; of residuals that should be zero the largest seen was
//! `0.7(r + 1)·ε`, among 10² to 10⁵ samples (`tests/large_n.rs`).

use crate::Progress;
use crate::error::Error;
use crate::kernel::gram::check_samples;
use crate::kernel::{Kernel, Samples};
use crate::linalg::MatrixViewMut;
use crate::linalg::slices::{head, set, split_mut, tail_mut};
use crate::math::{Real, dot_in_order, first_least, long_sum};

/// When to stop taking landmarks.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Landmarks<T> {
    /// As many as there is room for, or fewer when the rest is spanned to rounding.
    Room,
    /// At this many, or earlier when the rest is spanned to rounding.
    Rank(usize),
    /// When at most this share of the trace of the Gram matrix is left unspanned (`0 < share < 1`):
    /// a guaranteed bound on the variance lost.
    Residual(T),
}

/// State of a factorisation that is made one landmark a step; the arrays stay with the caller.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct PivotedCholesky<T> {
    rank: usize,
    trace: T,
    samples: usize,
    /// The largest `k(x, x)`.
    largest: T,
    /// A residual fell below zero by more than rounding: the kernel is not positive semi-definite.
    indefinite: bool,
}

impl<T: Real> PivotedCholesky<T> {
    /// Checks kernel and samples and sets the residuals to `k(x_i, x_i)`.
    ///
    /// # Errors
    /// A bad kernel parameter, an unusable sample or too few of them, [`Error::NotFinite`] where
    /// `k(x, x)` overflows, [`Error::Shape`] when there is not one residual for each sample.
    pub fn start<K, S>(kernel: &K, samples: &S, residuals: &mut [T]) -> Result<Self, Error>
    where
        S: Samples + ?Sized,
        K: Kernel<S::View, Scalar = T>,
    {
        check_samples(kernel, samples)?;
        let n = samples.count();
        if residuals.len() != n {
            return Err(Error::Shape { what: "residuals", expected: n, given: residuals.len() });
        }
        let mut largest = T::ZERO;
        for (i, (residual, x)) in residuals.iter_mut().zip(samples.iter_samples()).enumerate() {
            *residual = kernel.diagonal(x);
            if !residual.is_finite() {
                return Err(Error::NotFinite { row: i, column: i });
            }
            largest = largest.larger(*residual);
        }
        Ok(Self {
            rank: 0,
            trace: long_sum(residuals.iter().copied()),
            samples: n,
            largest,
            indefinite: residuals.iter().any(|&r| r < T::ZERO),
        })
    }

    /// Takes one more landmark, unless `stop` says that there are enough; `n` kernel evaluations.
    ///
    /// `factor` has a row for each sample and a column for each landmark there is room for;
    /// `pivots` has a place for each of those landmarks.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a bad `stop`, [`Error::Shape`] for arrays that do not fit the
    /// samples, [`Error::NotFinite`] when the kernel overflows, and [`Error::Capacity`] when `stop`
    /// asks for another landmark and there is no room for it.
    pub fn step<K, S>(
        &mut self,
        kernel: &K,
        samples: &S,
        stop: Landmarks<T>,
        factor: &mut MatrixViewMut<'_, T>,
        residuals: &mut [T],
        pivots: &mut [u32],
    ) -> Result<Progress, Error>
    where
        S: Samples + ?Sized,
        K: Kernel<S::View, Scalar = T>,
    {
        let n = samples.count();
        for (what, expected, given) in [
            ("factor rows", n, factor.rows()),
            ("residuals", n, residuals.len()),
            ("pivots", factor.columns(), pivots.len()),
        ] {
            if given != expected {
                return Err(Error::Shape { what, expected, given });
            }
        }
        let enough = self.is_enough(stop, pivots.len(), residuals)?;
        let (pivot, residual) = largest(residuals);
        if enough || residual <= self.rounding() {
            return Ok(Progress::Done);
        }
        let capacity = pivots.len();
        let (Some(place), Some(landmark)) = (pivots.get_mut(self.rank), samples.sample(pivot))
        else {
            return Err(Error::Capacity { what: "landmarks", needed: self.rank + 1, capacity });
        };
        *place = pivot as u32;
        self.append_column(kernel, samples, landmark, (pivot, residual.sqrt()), factor, residuals)?;
        self.rank += 1;
        Ok(Progress::Working)
    }

    /// Does the wish, or the room, ask for no other landmark?
    pub(super) fn is_enough(
        &self,
        stop: Landmarks<T>,
        room: usize,
        residuals: &[T],
    ) -> Result<bool, Error> {
        match stop {
            Landmarks::Room => Ok(self.rank >= room),
            Landmarks::Rank(0) => Err(Error::Parameter { name: "landmarks", rule: ">= 1" }),
            Landmarks::Rank(limit) => Ok(self.rank >= limit),
            Landmarks::Residual(share) if share > T::ZERO && share < T::ONE => {
                Ok(long_sum(residuals.iter().copied()) <= share * self.trace)
            }
            Landmarks::Residual(_) => {
                Err(Error::Parameter { name: "residual", rule: "> 0 and < 1" })
            }
        }
    }

    /// Writes the column of one landmark and lowers the residuals.
    fn append_column<K, S>(
        &mut self,
        kernel: &K,
        samples: &S,
        landmark: &S::View,
        (pivot, root): (usize, T),
        factor: &mut MatrixViewMut<'_, T>,
        residuals: &mut [T],
    ) -> Result<(), Error>
    where
        S: Samples + ?Sized,
        K: Kernel<S::View, Scalar = T>,
    {
        let column = self.rank;
        let (mut earlier, own, mut later) = factor.around_row_mut(pivot);
        let mut append = Column {
            kernel,
            landmark,
            spanned: head(own, column),
            root,
            // Rounding of entries that are divided by a small root adds to that of the residual.
            below: -T::from_f64(8.0) * self.rounding(),
            sum: root,
            indefinite: self.indefinite,
        };
        let (before, after) = split_mut(residuals, pivot);
        let mut samples = samples.iter_samples();
        append.lower(&mut earlier, before, &mut samples);
        // The landmark itself.
        let _ = samples.next();
        append.lower(&mut later, tail_mut(after, 1), &mut samples);
        let Column { sum, indefinite, .. } = append;
        set(after, 0, T::ZERO);
        set(own, column, root);
        self.indefinite = indefinite;
        // One check for the whole column: a value that is not finite shows in the sum.
        if !sum.is_finite() {
            let mut entries = factor.view().iter_rows().map(|row| row.get(column));
            let bad = entries.position(|entry| entry.is_some_and(|entry| !entry.is_finite()));
            if let Some(row) = bad {
                return Err(Error::NotFinite { row, column: pivot });
            }
        }
        Ok(())
    }

    /// How many landmarks were taken so far.
    pub const fn rank(&self) -> usize {
        self.rank
    }

    /// The largest `k(x, x)`.
    pub const fn largest(&self) -> T {
        self.largest
    }

    /// Residuals up to this size are rounding: `4(r + 1)·ε` of the largest `k(x, x)`, after `r`
    /// landmarks, or `n·ε` where there are fewer samples than that.
    pub fn rounding(&self) -> T {
        self.rounding_after(self.rank)
    }

    /// The same after so many landmarks.
    pub(super) fn rounding_after(&self, landmarks: usize) -> T {
        T::from_usize(self.samples.min(4 * (landmarks + 1))) * T::EPSILON * self.largest
    }

    /// Takes note of a landmark that was chosen elsewhere.
    pub(super) const fn count_landmark(&mut self) {
        self.rank += 1;
    }

    /// Takes note of a sample that an indefinite kernel makes longer than it is.
    pub(super) const fn note_indefinite(&mut self) {
        self.indefinite = true;
    }

    /// Did a residual show that the kernel is not positive semi-definite on these samples?
    pub const fn is_indefinite(&self) -> bool {
        self.indefinite
    }
}

/// The column of a landmark, while it is appended.
struct Column<'a, K, X: ?Sized, T> {
    kernel: &'a K,
    landmark: &'a X,
    /// The coordinates of the landmark so far.
    spanned: &'a [T],
    root: T,
    /// Residuals less than this are no rounding.
    below: T,
    /// Of all entries, to see whether they are finite.
    sum: T,
    indefinite: bool,
}

impl<X: ?Sized, T: Real, K: Kernel<X, Scalar = T>> Column<'_, K, X, T> {
    /// Writes the entries of some samples and lowers their residuals.
    // Called for the samples before and after the landmark: one loop in flash for both.
    #[inline(never)]
    fn lower<'x>(
        &mut self,
        factor: &mut MatrixViewMut<'_, T>,
        residuals: &mut [T],
        samples: &mut impl Iterator<Item = &'x X>,
    ) where
        X: 'x,
    {
        let Self { kernel, landmark, spanned, root, below, mut sum, mut indefinite } = *self;
        let column = spanned.len();
        for ((row, residual), x) in factor.iter_rows_mut().zip(residuals).zip(samples) {
            // A sample that is spanned already has no part in this landmark: the landmarks' rows of
            // the factor stay triangular.
            let entry = if *residual <= T::ZERO {
                T::ZERO
            } else {
                (kernel.eval(x, landmark) - dot_in_order(spanned, row)) / root
            };
            sum += entry;
            let left = *residual - entry * entry;
            set(row, column, entry);
            if left < below {
                indefinite = true;
                set(row, column, shortened(entry, *residual));
            }
            *residual = T::ZERO.larger(left);
        }
        (self.sum, self.indefinite) = (sum, indefinite);
    }
}

/// The coordinate of a sample that an indefinite kernel makes longer than the sample itself: what
/// is left of its length. Far longer ones would drown the landmarks' own in the mean.
pub(super) fn shortened<T: Real>(entry: T, residual: T) -> T {
    let length = T::ZERO.larger(residual).sqrt();
    if entry < T::ZERO { -length } else { length }
}

/// Position and value of the largest entry, the first of them.
pub(super) fn largest<T: Real>(values: &[T]) -> (usize, T) {
    let least = first_least(values.iter().map(|&value| -value));
    least.map_or((0, T::ZERO), |(position, negative)| (position, -negative))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Linear, Rbf, Sigmoid};
    use crate::linalg::Matrix;

    const SAMPLES: [[f64; 2]; 5] = [[0.0, 0.0], [1.0, 0.2], [0.1, 0.1], [-1.0, 2.0], [3.0, 3.0]];

    struct Arrays {
        factor: Matrix<f64, 5, 5>,
        residuals: [f64; 5],
        pivots: [u32; 5],
    }

    fn run<K: Kernel<[f64], Scalar = f64>>(
        kernel: &K,
        stop: Landmarks<f64>,
    ) -> Result<(PivotedCholesky<f64>, Arrays), Error> {
        let mut a = Arrays { factor: Matrix::zeros(), residuals: [0.0; 5], pivots: [0; 5] };
        let samples = SAMPLES.as_slice();
        let mut state = PivotedCholesky::start(kernel, samples, &mut a.residuals)?;
        let factor = &mut a.factor.view_mut();
        while state.step(kernel, samples, stop, factor, &mut a.residuals, &mut a.pivots)?
            == Progress::Working
        {}
        Ok((state, a))
    }

    #[test]
    fn full_factor_reproduces_the_gram_matrix() {
        let kernel = Rbf::new(0.7);
        let (state, a) = run(&kernel, Landmarks::Rank(5)).unwrap();
        assert_eq!(state.rank(), 5);
        assert!(!state.is_indefinite());
        for (i, x) in SAMPLES.iter().enumerate() {
            for (j, y) in SAMPLES.iter().enumerate() {
                let product = dot_in_order(a.factor.view().row(i), a.factor.view().row(j));
                assert!((product - kernel.eval(x, y)).abs() < 1e-14);
            }
        }
        // Row of the k-th landmark: zero beyond column k.
        for (k, &pivot) in a.pivots.iter().enumerate() {
            assert!(a.factor.view().row(pivot as usize)[k + 1..].iter().all(|&v| v == 0.0));
        }
    }

    #[test]
    fn rank_of_the_linear_kernel_is_the_dimension() {
        let (state, a) = run(&Linear, Landmarks::Rank(5)).unwrap();
        assert_eq!(state.rank(), 2);
        assert_eq!(a.pivots[0], 4, "the longest sample comes first");
    }

    #[test]
    fn residual_bounds_what_is_lost() {
        let (state, a) = run(&Rbf::new(0.7), Landmarks::Residual(0.1)).unwrap();
        assert!(state.rank() < 5);
        assert!(a.residuals.iter().sum::<f64>() <= 0.1 * 5.0);
        assert_eq!(a.pivots[0], 0, "ties go to the lowest index");
    }

    #[test]
    fn bad_requests_and_indefinite_kernels_are_noticed() {
        let kernel = Rbf::new(0.7);
        for (stop, name) in [
            (Landmarks::Rank(0), "landmarks"),
            (Landmarks::Residual(0.0), "residual"),
            (Landmarks::Residual(f64::NAN), "residual"),
            (Landmarks::Residual(1.0), "residual"),
        ] {
            match run(&kernel, stop).map(|_| ()) {
                Err(Error::Parameter { name: given, .. }) => assert_eq!(given, name),
                other => panic!("{other:?}"),
            }
        }
        let (state, _) = run(&Sigmoid::new(2.0, -1.0), Landmarks::Rank(5)).unwrap();
        assert!(state.is_indefinite());
        let mut short = Matrix::<f64, 5, 1>::zeros();
        let (mut residuals, mut pivots) = ([0.0; 5], [0; 1]);
        let samples = SAMPLES.as_slice();
        let mut state = PivotedCholesky::start(&kernel, samples, &mut residuals).unwrap();
        let mut step = || {
            let factor = &mut short.view_mut();
            let stop = Landmarks::Residual(1e-3);
            state.step(&kernel, samples, stop, factor, &mut residuals, &mut pivots)
        };
        assert_eq!(step(), Ok(Progress::Working));
        assert_eq!(step(), Err(Error::Capacity { what: "landmarks", needed: 2, capacity: 1 }));
    }
}
