//! Some eigenvectors of a tridiagonal matrix whose eigenvalues are known, by inverse iteration.
//!
//! **Method.** `T − λ = L D Lᵀ` takes a division an entry, and solving with it blows up what a
//! vector has of the eigenvector of `λ`: by `1/ε` or so, as `λ` is that near. A vector that solves
//! half of the system is a good start; one whole solution follows. Each vector is made orthogonal
//! to those before it, also in between where eigenvalues are close; where hardly anything is left
//! then, it is solved for again. That takes `O(n)` for a vector, and `O(np)` to make it orthogonal
//! to `p` others, where rotations take `O(n²)`.
//!
//! No rows are exchanged. `D` is that of a matrix off by a few `ε` however it grows (Kahan), and
//! errors of the solution that stem from growth are no larger than the solution is here: pivots
//! of less than `ε‖T‖` are set to that.
//!
//! **Source.** Wilkinson, *The Algebraic Eigenvalue Problem*, 1965, ch. 5; Ipsen, *Computing an
//! Eigenvector with Inverse Iteration*, SIAM Review 39, 1997. W. Kahan, *Accurate Eigenvalues of a
//! Symmetric Tri-Diagonal Matrix*, Stanford CS 41, 1966.
//!
//! **Domain.** Entries whose squares neither overflow nor vanish; eigenvalues, in descending order,
//! off by a few `ε‖T‖`.
//!
//! **Bound.** Residuals of a few `√n·ε‖T‖`, as rotations have them, and orthogonal to a few `√n·ε`;
//! `tests.rs` compares both over thousands of matrices.

use super::conventions::settle_sign;
use crate::error::{Error, require_capacity, require_shape};
use crate::linalg::lanes::{LANES, Lanes, add_dot, add_scaled, four};
use crate::linalg::slices::{entry, set, update};
use crate::linalg::{MatrixView, MatrixViewMut, rows};
use crate::math::{Real, sum};

/// At most so many whole solutions. Hardly any vector takes a second one.
const MOST_SOLUTIONS: usize = 4;

/// Eigenvalues that differ by less than this share of the largest are close.
const CLOSE: f64 = 1.0 / 64.0;

/// A vector of which less than this is left, squared, was almost a sum of those before.
const LEFT: f64 = 0.25;

/// Borrowed memory for [`step_vectors`](super::Eigensolver::step_vectors): eigenvectors of a matrix
/// of `n` rows, as columns.
#[derive(Debug)]
pub struct Columns<'a, T> {
    /// How many are wanted.
    pub count: usize,
    /// `n` rows, with a column for each, or more.
    pub vectors: MatrixViewMut<'a, T>,
    /// `n`; the one that is made.
    pub vector: &'a mut [T],
}

impl<T: Real> Columns<'_, T> {
    /// All of it is for a matrix of so many rows.
    pub(super) fn require(&self, rows: usize) -> Result<(), Error> {
        require_shape("rows of eigenvectors", rows, self.vectors.rows())?;
        require_shape("entries of an eigenvector", rows, self.vector.len())?;
        require_capacity("eigenvectors", self.count, rows.min(self.vectors.columns()))
    }

    /// Clears all columns: what is not made yet is orthogonal to everything.
    pub(super) fn clear(&mut self) {
        for row in self.vectors.iter_rows_mut() {
            row.fill(T::ZERO);
        }
    }

    /// Makes the eigenvector of eigenvalue `j`; those before are there.
    ///
    /// The matrix, whose eigenvalues are those given over `scale`, is read on and right beside its
    /// diagonal. `pivots` has a place for each row.
    pub(super) fn invert(
        &mut self,
        matrix: MatrixView<'_, T>,
        values: &[T],
        pivots: &mut [T],
        scale: T,
        j: usize,
    ) {
        let [value, first, last] = [j, 0, values.len() - 1].map(|i| entry(values, i) / scale);
        let norm = first.abs().larger(last.abs());
        let before = j.checked_sub(1).map(|before| entry(values, before) / scale - value);
        let is_close = before.is_some_and(|gap| gap < T::from_f64(CLOSE) * norm);
        // Also what right-hand sides are multiplied by, so that no solution overflows.
        let least = (T::EPSILON * norm).larger(T::from_f64(1e-30));
        factorise(matrix, value, least, pivots);
        let seed = j as u32 + 1;
        let entries = self.vector.iter_mut().zip(pivots.iter());
        for ((entry, &inverse), number) in entries.zip(numbers::<T>(seed)) {
            *entry = least * inverse * number;
        }
        substitute_back(matrix, pivots, self.vector);
        normalise(self.vector, seed);
        if is_close {
            self.make_orthogonal(j);
        }
        // The residual of a solution is `least` over its length: is that at most 3√n·ε‖T‖?
        let enough = T::ONE / T::from_usize(9 * self.vector.len());
        for again in 1..=MOST_SOLUTIONS {
            substitute(matrix, pivots, least, self.vector);
            substitute_back(matrix, pivots, self.vector);
            let is_solved = normalise(self.vector, seed) >= enough;
            let is_new = self.make_orthogonal(j);
            if is_solved && is_new {
                break;
            }
            if !is_new {
                // Further from those before, which are blown up most by their own eigenvalue.
                let away = T::from_usize(2 * again) * least;
                factorise(matrix, value - away, least, pivots);
            }
        }
        for (i, &entry) in self.vector.iter().enumerate() {
            self.vectors.set(i, j, entry);
        }
    }

    /// Makes the vector orthogonal to the first `count`; false if little was left of it.
    fn make_orthogonal(&mut self, count: usize) -> bool {
        let is_much = |square: T| square > T::from_f64(LEFT);
        count == 0 || is_much(self.take_off(count)) || {
            // Of what is left, the others may still be a part: twice is enough.
            self.take_off(count);
            false
        }
    }

    /// Takes from the vector what it has of the first `count`, four at a time, and makes it one of
    /// length 1; returns the square of what was left.
    fn take_off(&mut self, count: usize) -> T {
        let others = self.vectors.view();
        let whole = others.columns() / LANES * LANES;
        for first in (0..count.min(whole)).step_by(LANES) {
            let products = products(others, self.vector, first);
            for (entry, row) in self.vector.iter_mut().zip(others.whole_rows()) {
                let Some(others) = four(row, first) else { break };
                *entry = add_dot(*entry, others, products.map(|product| -product));
            }
        }
        for column in whole..count {
            let products = others.whole_rows().zip(&*self.vector);
            let product = sum(products.map(|(row, &own)| own * entry(row, column)));
            for (own, row) in self.vector.iter_mut().zip(others.whole_rows()) {
                *own -= product * entry(row, column);
            }
        }
        normalise(self.vector, count as u32)
    }

    /// Applies a reflection `I − u uᵀ/h` of the first coordinates to all vectors, four at a time.
    // Its numbers are not on the stack while vectors are made.
    #[inline(never)]
    pub(super) fn reflect(&mut self, u: &[T], h: T) {
        let factor = -T::ONE / h;
        let whole = self.vectors.columns() / LANES * LANES;
        for first in (0..self.count.min(whole)).step_by(LANES) {
            let products = products(self.vectors.view(), u, first).map(|product| factor * product);
            for (row, &u) in self.vectors.whole_rows_mut().zip(u) {
                let Some(place) = row.get_mut(first..).and_then(<[T]>::first_chunk_mut) else {
                    break;
                };
                *place = add_scaled(*place, u, products);
            }
        }
        for column in whole..self.count {
            let products = self.vectors.view().whole_rows().zip(u);
            let product = factor * sum(products.map(|(row, &u)| u * entry(row, column)));
            for (row, &u) in self.vectors.whole_rows_mut().zip(u) {
                update(row, column, |entry| *entry += u * product);
            }
        }
    }

    /// Takes vectors that are the rows of a matrix.
    pub(super) fn read(&mut self, rows: MatrixView<'_, T>) {
        for (j, row) in rows.iter_rows().enumerate().take(self.count) {
            for (i, &entry) in row.iter().enumerate() {
                self.vectors.set(i, j, entry);
            }
        }
    }

    /// Copies vector `j` to a row and settles its sign; where there is none, all entries are 0.
    pub(super) fn write(&mut self, j: usize, row: &mut [T]) {
        if j >= self.count {
            row.fill(T::ZERO);
            return;
        }
        for (place, vector) in row.iter_mut().zip(self.vectors.view().whole_rows()) {
            *place = entry(vector, j);
        }
        settle_sign(row);
        for (vector, &entry) in self.vectors.whole_rows_mut().zip(&*row) {
            set(vector, j, entry);
        }
    }
}

/// The products of a vector with four columns, over the length of the vector.
fn products<T: Real>(matrix: MatrixView<'_, T>, vector: &[T], first: usize) -> Lanes<T> {
    let mut sums = [T::ZERO; LANES];
    for (row, &entry) in matrix.whole_rows().zip(vector) {
        let Some(others) = four(row, first) else { break };
        sums = add_scaled(sums, entry, others);
    }
    sums
}

/// Writes `1/D` of `T − λ = L D Lᵀ`, with pivots of at least `least`.
fn factorise<T: Real>(matrix: MatrixView<'_, T>, value: T, least: T, inverses: &mut [T]) {
    let (mut inverse, mut beside) = (T::ZERO, T::ZERO);
    for (i, (place, row)) in inverses.iter_mut().zip(matrix.whole_rows()).enumerate() {
        let pivot = (entry(row, i) - value) - beside * beside * inverse;
        let pivot = match pivot {
            small if small.abs() > least => small,
            small if small < T::ZERO => -least,
            _ => least,
        };
        inverse = T::ONE / pivot;
        *place = inverse;
        beside = row.get(i + 1).copied().unwrap_or_default();
    }
}

/// `x ← D⁻¹ L⁻¹ cx`.
fn substitute<T: Real>(matrix: MatrixView<'_, T>, inverses: &[T], c: T, x: &mut [T]) {
    let mut above = T::ZERO;
    for (i, ((row, &inverse), x)) in matrix.whole_rows().zip(inverses).zip(x).enumerate() {
        *x = (c * *x - above) * inverse;
        above = row.get(i + 1).map_or(T::ZERO, |&beside| beside * *x);
    }
}

/// `x ← L⁻ᵀ x`.
fn substitute_back<T: Real>(matrix: MatrixView<'_, T>, inverses: &[T], x: &mut [T]) {
    let mut below = T::ZERO;
    for (i, (&inverse, x)) in inverses.iter().zip(x).enumerate().rev() {
        let beside = matrix.get(i, i + 1).unwrap_or(T::ZERO);
        *x -= beside * inverse * below;
        below = *x;
    }
}

/// Makes the vector one of length 1; returns the square that it had. If nothing was left of it, it
/// becomes another.
fn normalise<T: Real>(x: &mut [T], seed: u32) -> T {
    let square = rows::dot_in_lanes(x, x);
    if square > T::ZERO && square.is_finite() {
        let inverse = T::ONE / square.sqrt();
        for entry in x {
            *entry *= inverse;
        }
        return square;
    }
    x.iter_mut().zip(numbers(!seed)).for_each(|(entry, number)| *entry = number);
    T::ZERO
}

/// Numbers from −1 to 1 that no eigenvector is at right angles to, but by bad luck.
fn numbers<T: Real>(seed: u32) -> impl Iterator<Item = T> {
    let mut state = seed.wrapping_mul(0x9e37_79b9);
    core::iter::repeat_with(move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // Odd, so that none is 0.
        T::from_usize((state >> 24 | 1) as usize) / T::from_f64(128.0) - T::ONE
    })
}

#[cfg(test)]
mod tests;
