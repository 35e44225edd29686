//! The leading eigenpairs of a symmetric matrix by Lanczos' method.
//!
//! **Method.** Products with the matrix build an orthonormal basis, row by row, with full
//! reorthogonalisation and thick restarts. In that basis the matrix is tridiagonal (after a
//! restart: with one full row), and its eigenvalues are the *Ritz values*. A leading one has
//! converged when its residual, the coupling to the next vector times the last entry of its
//! eigenvector, is at rounding level: 4 ε of the norm. A single start vector cannot see a second
//! copy of an eigenvalue, so nothing is returned before it is certain that none was missed: either
//! the rest of the matrix is too small to hide one, or a factorisation shows that there is none
//! (`certificate.rs`). Where one was missed, a fresh vector orthogonal to all that was found goes
//! on. Matrices that are too large for a factorisation are the exception: there the result says
//! whether it is [certain](Leading::certified).
//!
//! **Source.** Wu & Simon, *Thick-restart Lanczos method for large symmetric eigenvalue problems*,
//! SIAM J. Matrix Anal. Appl. 22, 2000.
//!
//! **Domain.** Finite symmetric matrices of any scale.
//!
//! **Bound.** Residuals of 4 `ε‖A‖`, and eigenvalues off by no more than that.

#[cfg(test)]
mod tests;

use super::conventions::{divide, require_finite_eigenvalues, settle_sign};
use super::{certificate, ritz};
use crate::error::{Error, require_capacity};
use crate::linalg::slices::{entry, head};
use crate::linalg::{MatrixView, MatrixViewMut, rows};
use crate::math::{Real, first_not_finite, scale_of};

/// How many restarts are allowed. Positive semi-definite matrices take 25 at the most (the random
/// ones in `tests/leading.rs`, some with the least memory).
///
/// Of indefinite ones about 1 in 1,000 is not solved by then: those whose wanted eigenvalues are
/// tiny beside negative ones, or agree with others to the last digit, when the basis is shorter
/// than `n`.
pub const MAX_RESTARTS: usize = 300;

/// Rows up to which a factorisation certifies the result, if nothing cheaper does. Its `n³/6`
/// multiply-adds take as long as all the rest at 500 rows, and ten times as long at 5,000.
pub const MOST_FACTORISED: usize = 768;

/// Most steps between two looks at the Ritz values, which cost about as much as a step.
const STRIDE: usize = 5;

/// Borrowed memory for [`leading`] on an `n × n` matrix, with room for `s` Lanczos steps between
/// restarts.
///
/// `s` must be `2·wanted + 4` or `n`, at the least. Four times the number of wanted eigenpairs
/// makes restarts rare; more saves little.
#[derive(Debug)]
pub struct LanczosScratch<'a, T> {
    /// `s × n`; afterwards the eigenvectors are its first rows.
    pub basis: MatrixViewMut<'a, T>,
    /// `s × s`; the matrix in the basis, as it is solved.
    pub projected: MatrixViewMut<'a, T>,
    /// `s × s`; the eigenvectors of that.
    pub rotation: MatrixViewMut<'a, T>,
    /// `s`; afterwards the eigenvalues, then the other Ritz values, all descending.
    pub values: &'a mut [T],
    /// `s`; the diagonal of the matrix in the basis.
    pub diagonal: &'a mut [T],
    /// `s`; what is beside the diagonal.
    pub beside: &'a mut [T],
    /// `n`; the vector that is to join the basis.
    pub vector: &'a mut [T],
    /// `n`; pivots of the factorisation that certifies the result.
    pub pivots: &'a mut [T],
}

/// What [`leading`] did.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Leading<T> {
    /// How many of the wanted eigenvalues are above the floor.
    pub found: usize,
    /// Products of the matrix with a vector.
    pub products: usize,
    /// How often the basis was compressed or a fresh vector taken.
    pub restarts: usize,
    /// The most passes that one eigenvalue of the projected matrix took.
    pub sweeps: usize,
    /// The smallest Ritz value: an upper bound of the smallest eigenvalue.
    pub smallest: T,
    /// It is certain that no eigenvalue was missed, as it always is up to [`MOST_FACTORISED`] rows.
    /// Beyond, a second copy of one that was found may be missing if this is false: in samples with
    /// an exact symmetry.
    pub certified: bool,
}

/// Finds the `wanted` largest eigenvalues of a symmetric matrix, as far as they are above `floor`,
/// and their eigenvectors, with the [conventions](super) of this module.
///
/// They are the first of `scratch.values` and the first rows of `scratch.basis`; to rounding, and
/// none is missed, unless the matrix is large and the result [says so](Leading::certified). Only
/// the diagonal of `matrix` and what is below it are read; what is above is lost. About 20 to 50
/// products with the matrix, so this pays when few eigenpairs of a large matrix are wanted.
///
/// ```
/// use mercer::linalg::Matrix;
/// use mercer::linalg::eigen::{self, LanczosScratch};
/// let mut a = Matrix::from_rows([[2.0_f64, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]]);
/// let [mut basis, mut projected, mut rotation] = [Matrix::<f64, 3, 3>::zeros(); 3];
/// let [mut values, mut diagonal, mut beside, mut vector, mut pivots] = [[0.0; 3]; 5];
/// let mut scratch = LanczosScratch {
///     basis: basis.view_mut(),
///     projected: projected.view_mut(),
///     rotation: rotation.view_mut(),
///     values: &mut values,
///     diagonal: &mut diagonal,
///     beside: &mut beside,
///     vector: &mut vector,
///     pivots: &mut pivots,
/// };
/// let leading = eigen::leading(&mut a.view_mut(), 1, 0.0, &mut scratch)?;
/// assert_eq!(leading.found, 1);
/// assert!((values[0] - 3.0).abs() < 1e-14);
/// assert!((basis.view().row(0)[1] - 0.5_f64.sqrt()).abs() < 1e-14);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// [`Error::Shape`] or [`Error::Capacity`] for memory of the wrong size; [`Error::Parameter`] when
/// `wanted` is 0 or more than `n`; [`Error::NotFinite`]; [`Error::NoConvergence`] after
/// [`MAX_RESTARTS`], never with room for `n` steps; [`Error::EigenvalueOverflow`] when one that was
/// found overflows, or the smallest Ritz value.
pub fn leading<T: Real>(
    matrix: &mut MatrixViewMut<'_, T>,
    wanted: usize,
    floor: T,
    scratch: &mut LanczosScratch<'_, T>,
) -> Result<Leading<T>, Error> {
    let factorises = matrix.rows() <= MOST_FACTORISED;
    leading_by(factorises, matrix, wanted, floor, scratch)
}

/// The same, with a factorisation where nothing else certifies the result, or without.
fn leading_by<T: Real>(
    factorises: bool,
    matrix: &mut MatrixViewMut<'_, T>,
    wanted: usize,
    floor: T,
    scratch: &mut LanczosScratch<'_, T>,
) -> Result<Leading<T>, Error> {
    let n = scratch.require_shape(matrix)?;
    if wanted == 0 || wanted > n {
        return Err(Error::Parameter { name: "wanted", rule: ">= 1 and <= matrix rows" });
    }
    require_capacity("Lanczos steps", n.min(2 * wanted + 4), scratch.values.len())?;
    let (scale, squares) = normalise(matrix)?;
    let mut state = Lanczos { factorises, ..Lanczos::new(n, wanted, floor / scale, squares) };
    let mut found = state.run(matrix, scratch)?;
    if scale != T::ONE {
        for value in scratch.values.iter_mut().chain([&mut found.smallest]) {
            *value *= scale;
        }
        require_finite_eigenvalues(head(scratch.values, found.found))?;
        if !found.smallest.is_finite() {
            return Err(Error::EigenvalueOverflow { index: n - 1 });
        }
    }
    for vector in scratch.basis.iter_rows_mut().take(found.found) {
        settle_sign(vector);
    }
    Ok(found)
}

impl<T: Real> LanczosScratch<'_, T> {
    /// How many eigenpairs there is room to look for.
    pub(crate) fn most_eigenpairs(&self) -> usize {
        let (n, steps) = (self.vector.len(), self.values.len());
        if steps >= n { n } else { steps.saturating_sub(4) / 2 }
    }

    /// All arrays are for the same `n` and `s`; returns `n`.
    fn require_shape(&self, matrix: &MatrixViewMut<'_, T>) -> Result<usize, Error> {
        let (n, steps) = (matrix.rows(), self.basis.rows());
        for (what, given, expected) in [
            ("matrix columns", matrix.columns(), n),
            ("basis columns", self.basis.columns(), n),
            ("Lanczos vector", self.vector.len(), n),
            ("pivots", self.pivots.len(), n),
            ("projected rows", self.projected.rows(), steps),
            ("projected columns", self.projected.columns(), steps),
            ("rotation rows", self.rotation.rows(), steps),
            ("rotation columns", self.rotation.columns(), steps),
            ("Ritz values", self.values.len(), steps),
            ("projected diagonal", self.diagonal.len(), steps),
            ("entries beside it", self.beside.len(), steps),
        ] {
            if given != expected {
                return Err(Error::Shape { what, expected, given });
            }
        }
        Ok(n)
    }
}

/// Divides the matrix by the first number returned, which is 1 unless squares would overflow or
/// vanish; the second one is `‖A‖_F²` then.
fn normalise<T: Real>(matrix: &mut MatrixViewMut<'_, T>) -> Result<(T, T), Error> {
    let squares = squares(matrix.view());
    let usual = T::from_f64(1e-16)..T::from_f64(1e16);
    if usual.contains(&squares) {
        return Ok((T::ONE, squares));
    }
    for (row, entries) in matrix.view().iter_rows().enumerate() {
        if let Some(column) = first_not_finite(head(entries, row + 1)) {
            return Err(Error::NotFinite { row, column });
        }
    }
    let scale = scale_of(matrix.view().largest_below());
    divide(matrix, scale);
    Ok((scale, self::squares(matrix.view())))
}

/// `‖A‖_F²` from the lower triangle.
fn squares<T: Real>(matrix: MatrixView<'_, T>) -> T {
    let (mut diagonal, mut beside) = (T::ZERO, T::ZERO);
    for (i, row) in matrix.iter_rows().enumerate() {
        if let Some((left, [entry, ..])) = row.split_at_checked(i) {
            diagonal += *entry * *entry;
            beside += rows::squares(left);
        }
    }
    diagonal + (beside + beside)
}

/// Where the iteration stands.
struct Lanczos<T> {
    n: usize,
    wanted: usize,
    floor: T,
    /// `‖A‖_F²`.
    squares: T,
    /// Nothing is returned that is not certain.
    factorises: bool,
    /// Rows of the basis.
    size: usize,
    /// How many of them are Ritz vectors of earlier rounds, coupled to the row after them by the
    /// first entries of `beside`.
    kept: usize,
    /// What couples the last row to the vector that is to follow: 0 if that is a fresh one.
    coupling: T,
    /// Length of the vector that is to follow.
    length: T,
    /// How often what was found could not be certified.
    doubts: usize,
    seed: u32,
    products: usize,
    restarts: usize,
    sweeps: usize,
}

/// When to look at the Ritz values next: residuals fall at a steady rate once they fall.
struct Schedule {
    at: usize,
    /// Where the last look was, and the binary logarithm of the residual there.
    last: Option<(usize, usize)>,
}

impl Schedule {
    const fn new(at: usize) -> Self {
        Self { at, last: None }
    }

    /// After a look that found this residual, at a matrix of `n` rows.
    fn plan<T: Real>(&mut self, size: usize, residual: T, n: usize) {
        // The exponent of the number; residuals below 1 are none.
        let bits = (residual.to_f64().to_bits() >> 52) as usize;
        let logarithm = bits.saturating_sub(1022);
        let steps = match self.last {
            // One more than the rate since then suggests; a rate of zero, or worse, suggests
            // nothing.
            Some((before, higher)) => (logarithm * (size - before))
                .checked_div(higher.saturating_sub(logarithm))
                .map_or(STRIDE, |steps| steps + 1),
            None => 1 + logarithm / 8,
        };
        // A look costs about as much as 2·(4·size/n)² products with the matrix.
        let least = 1 + (4 * size / n.max(1)).pow(2);
        self.at = size + steps.max(least).min(STRIDE);
        self.last = Some((size, logarithm));
    }
}

impl<T: Real> Lanczos<T> {
    const fn new(n: usize, wanted: usize, floor: T, squares: T) -> Self {
        Self {
            n,
            wanted,
            floor,
            squares,
            factorises: true,
            size: 0,
            kept: 0,
            coupling: T::ZERO,
            length: T::ZERO,
            doubts: 0,
            seed: 1,
            products: 0,
            restarts: 0,
            sweeps: 0,
        }
    }

    fn run(
        &mut self,
        matrix: &mut MatrixViewMut<'_, T>,
        scratch: &mut LanczosScratch<'_, T>,
    ) -> Result<Leading<T>, Error> {
        let room = scratch.values.len().min(self.n);
        let mut look = Schedule::new(2 * self.wanted);
        // Each restart is counted, and there are at most `room` steps between two of them.
        loop {
            if self.coupling == T::ZERO {
                self.fresh_vector(scratch);
            }
            self.extend(matrix.view(), scratch);
            let needed = self.needed();
            let invariant = self.coupling == T::ZERO && self.doubts == 0;
            let full = invariant || self.size == room;
            if self.size < needed || !(full || self.size >= look.at) {
                continue;
            }
            let residual = self.residual(scratch)?;
            look.plan(self.size, residual, self.n);
            let complete = residual <= T::ONE;
            let found = self.above_floor(scratch);
            if !(complete || full) {
                continue;
            }
            self.solve(scratch, true)?;
            let keep = if complete { found } else { needed + (room - needed) / 3 };
            let settled = complete || self.lead_is_settled(scratch, found);
            let certain = settled && self.nothing_is_hidden(scratch, found);
            ritz::compress(self.size, keep, scratch);
            if settled && !self.factorises {
                return Ok(self.result(scratch, found, certain));
            }
            if certain || settled && self.nothing_is_missed(matrix, scratch, found) {
                return Ok(self.result(scratch, found, true));
            }
            if complete {
                // Something was missed, or rounding decides: a fresh vector will tell, then a
                // little more tolerance.
                self.doubts += 1;
                self.coupling = T::ZERO;
            }
            self.restart(scratch, keep)?;
            look = Schedule::new(self.size + STRIDE);
        }
    }

    /// How many Ritz values must have converged: in doubt also the best of those that the fresh
    /// vector found.
    fn needed(&self) -> usize {
        (self.wanted + self.doubts.min(1)).min(self.n)
    }

    /// Makes the next vector one that looks random, orthogonal to the basis.
    fn fresh_vector(&mut self, scratch: &mut LanczosScratch<'_, T>) {
        for entry in scratch.vector.iter_mut() {
            // Constants of Numerical Recipes' quick generator; the upper 16 bits are good enough.
            self.seed = self.seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *entry = T::from_usize((self.seed >> 16) as usize) / T::from_f64(32768.0) - T::ONE;
        }
        for _ in 0..3 {
            self.orthogonalise(scratch);
            self.length = rows::dot_in_lanes(scratch.vector, scratch.vector).sqrt();
            if self.length > T::ZERO {
                for entry in scratch.vector.iter_mut() {
                    *entry /= self.length;
                }
            }
        }
        self.length = T::ONE;
    }

    /// Adds the next vector to the basis, and makes of its product with the matrix the one after
    /// it.
    fn extend(&mut self, matrix: MatrixView<'_, T>, scratch: &mut LanczosScratch<'_, T>) {
        let at = self.size;
        let inverse = T::ONE / self.length;
        for (entry, &v) in scratch.basis.row_mut(at).iter_mut().zip(scratch.vector.iter()) {
            *entry = v * inverse;
        }
        let basis = scratch.basis.view();
        let (this, vector) = (basis.row(at), &mut *scratch.vector);
        // To and fro, so that each product begins with what the last one has left in the caches of
        // a host; devices have none, and count fewer instructions without the choice.
        let backwards = size_of::<T>() > size_of::<f32>() && self.products % 2 == 1;
        rows::multiply_symmetric(matrix, this, vector, backwards);
        self.products += 1;
        if at > self.kept {
            if let Some(beside) = scratch.beside.get_mut(at - 1) {
                *beside = self.coupling;
            }
            rows::add(vector, -self.coupling, basis.row(at - 1));
        }
        let projection = rows::dot_in_lanes(this, vector);
        rows::add(vector, -projection, this);
        if let Some(diagonal) = scratch.diagonal.get_mut(at) {
            *diagonal = projection;
        }
        self.size += 1;

        let before = rows::dot_in_lanes(scratch.vector, scratch.vector);
        self.orthogonalise(scratch);
        let mut after = rows::dot_in_lanes(scratch.vector, scratch.vector);
        // Where much was taken away, rounding of it is left (Daniel, Gragg, Kaufman & Stewart
        // 1976).
        if after + after < before {
            self.orthogonalise(scratch);
            after = rows::dot_in_lanes(scratch.vector, scratch.vector);
        }
        let diagonal = head(scratch.diagonal, self.size);
        let rounding = T::EPSILON * diagonal.iter().fold(T::ZERO, |m, d| m.larger(d.abs()));
        self.length = after.sqrt();
        // Less than that is made of rounding. (So is a little more, which is as good as a fresh
        // vector.)
        self.coupling =
            if self.length > rounding / T::from_f64(8.0) { self.length } else { T::ZERO };
    }

    /// Takes from the next vector what lies in the span of the basis.
    fn orthogonalise(&self, scratch: &mut LanczosScratch<'_, T>) {
        let basis = scratch.basis.view();
        let mut first = 0;
        while first + 4 <= self.size {
            let four = [0, 1, 2, 3].map(|k| basis.row(first + k));
            let parts = rows::dot_four(four, scratch.vector);
            rows::add_four(scratch.vector, parts.map(|part| -part), four);
            first += 4;
        }
        for i in first..self.size {
            let part = rows::dot_in_lanes(basis.row(i), scratch.vector);
            rows::add(scratch.vector, -part, basis.row(i));
        }
    }

    /// The largest residual of the Ritz values that count, over what rounding explains: 1 or less
    /// means that they are eigenvalues.
    fn residual(&mut self, scratch: &mut LanczosScratch<'_, T>) -> Result<T, Error> {
        self.solve(scratch, false)?;
        let last = scratch.rotation.view().row(0);
        Ok(self.worst(scratch, last.iter().copied().take(self.needed())))
    }

    /// Have those above the floor converged, though others have not?
    fn lead_is_settled(&self, scratch: &LanczosScratch<'_, T>, found: usize) -> bool {
        let vectors = scratch.rotation.view();
        let last = (0..found).map(|i| vectors.at(i, self.size - 1));
        found < self.wanted && self.worst(scratch, last) <= T::ONE
    }

    /// The largest residual that follows from these last entries of the projected problem's
    /// eigenvectors, over what rounding explains.
    fn worst(&self, scratch: &LanczosScratch<'_, T>, last: impl Iterator<Item = T>) -> T {
        let largest = last.fold(T::ZERO, |m, entry| m.larger(entry.abs()));
        let (residual, rounding) =
            (self.coupling * largest, T::from_f64(4.0) * self.rounding(scratch));
        if self.size == self.n || residual <= rounding { T::ZERO } else { residual / rounding }
    }

    /// How many of the wanted Ritz values are above the floor.
    fn above_floor(&self, scratch: &LanczosScratch<'_, T>) -> usize {
        let values = scratch.values.iter().take(self.size.min(self.wanted));
        values.take_while(|&&value| value > self.floor).count()
    }

    /// `ε‖A‖`, as far as the norm is known.
    fn rounding(&self, scratch: &LanczosScratch<'_, T>) -> T {
        let values = head(scratch.values, self.size);
        T::EPSILON * values.iter().fold(T::ZERO, |m, value| m.larger(value.abs()))
    }

    fn solve(&mut self, scratch: &mut LanczosScratch<'_, T>, vectors: bool) -> Result<(), Error> {
        let passes = ritz::solve(self.size, self.kept, scratch, vectors)?;
        self.sweeps = self.sweeps.max(passes);
        Ok(())
    }

    /// What no other eigenvalue may exceed: the last that was found, or the floor.
    fn ceiling(&self, scratch: &LanczosScratch<'_, T>, found: usize) -> T {
        let last = found.checked_sub(1).filter(|_| found == self.wanted);
        last.and_then(|last| scratch.values.get(last)).copied().unwrap_or(self.floor)
    }

    /// What lies outside the basis is too small to hide another eigenvalue.
    ///
    /// In the basis and outside it the matrix is `[[H, b], [bᵀ, C]]`, with `|b|` the coupling, and
    /// `‖C‖_F` follows from `‖A‖_F`. So all other eigenvalues are at most that of `[[θ, |b|], [|b|,
    /// ‖C‖_F]]`, with `θ` the next Ritz value.
    fn nothing_is_hidden(&self, scratch: &LanczosScratch<'_, T>, found: usize) -> bool {
        if self.size == self.n {
            return true;
        }
        let square = |sum: T, &x: &T| sum + x * x;
        let diagonal = scratch.diagonal.iter().take(self.size).fold(T::ZERO, square);
        let beside = scratch.beside.iter().take(self.size - 1).fold(T::ZERO, square);
        let beside = beside + self.coupling * self.coupling;
        // What n² squares, summed row by row, may be off by at the most, and as much again for the
        // matrix in the basis.
        let slack = T::from_usize(2 * self.n) * T::EPSILON * self.squares;
        let outside = T::ZERO.larger(self.squares - diagonal - (beside + beside)) + slack;
        let next = scratch.values.get(found).filter(|_| found < self.size);
        let outside = outside.sqrt();
        let bound = next
            .map_or(outside, |&next| certificate::larger_eigenvalue(next, self.coupling, outside));
        bound <= self.ceiling(scratch, found)
    }

    /// The rest of the matrix has no other eigenvalue above the ceiling, to rounding.
    fn nothing_is_missed(
        &self,
        matrix: &mut MatrixViewMut<'_, T>,
        scratch: &mut LanczosScratch<'_, T>,
        found: usize,
    ) -> bool {
        let margin = T::from_usize(8 + 8 * self.doubts) * self.rounding(scratch);
        let bound = self.ceiling(scratch, found) + margin;
        let values = head(scratch.values, found);
        let vectors = scratch.basis.view();
        certificate::remainder_is_below(matrix, values, vectors, bound, scratch.pivots)
    }

    /// Goes on with nothing but the first Ritz vectors, and what couples them to the next vector.
    fn restart(&mut self, scratch: &mut LanczosScratch<'_, T>, keep: usize) -> Result<(), Error> {
        let rotation = scratch.rotation.view();
        for i in 0..keep {
            if let (Some(diagonal), Some(beside), Some(&value)) =
                (scratch.diagonal.get_mut(i), scratch.beside.get_mut(i), scratch.values.get(i))
            {
                *diagonal = value;
                *beside = self.coupling * rotation.at(i, self.size - 1);
            }
        }
        (self.size, self.kept) = (keep, keep);
        self.restarts += 1;
        if self.restarts > MAX_RESTARTS {
            return Err(Error::NoConvergence { sweeps: MAX_RESTARTS });
        }
        Ok(())
    }

    fn result(&self, scratch: &LanczosScratch<'_, T>, found: usize, certified: bool) -> Leading<T> {
        let smallest = entry(scratch.values, self.size - 1);
        let (products, restarts, sweeps) = (self.products, self.restarts, self.sweeps);
        Leading { found, products, restarts, sweeps, smallest, certified }
    }
}
