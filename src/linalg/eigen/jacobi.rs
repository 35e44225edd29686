//! All eigenpairs by the cyclic Jacobi method with thresholds.
//!
//! **Method.** A rotation of rows and columns `p` and `q` makes the entry `a_pq` zero, by the angle
//! of at most 45° with `tan 2φ = 2a_pq/(a_qq − a_pp)`; that moves `2a_pq²` from the sum of squares
//! beside the diagonal to the one on it. A sweep visits every entry above the diagonal, row by row.
//! In the first four sweeps, entries below a quarter of their mean are passed over: to turn the
//! large ones first saves rotations. After that only those are that are at most `ε` of both
//! diagonal entries, and a sweep that turns nothing is the last one. Convergence is quadratic: 6 to
//! 9 sweeps are usual, the last of them almost empty. The product of all rotations has the
//! eigenvectors as its rows.
//!
//! **Source.** H. Rutishauser, *The Jacobi method for real symmetric matrices*, Numer. Math. 9,
//! 1966; Golub & Van Loan, *Matrix Computations*, §8.5. Relative accuracy: J. Demmel and K.
//! Veselić, *Jacobi's method is more accurate than QR*, SIAM J. Matrix Anal. Appl. 13, 1992.
//!
//! **Domain.** Finite symmetric matrices of any scale. Beside the matrix it needs as much memory
//! again.
//!
//! **Bound.** Eigenvalues are off by a few `ε‖A‖`. Those of a positive definite matrix `D S D`, `D`
//! being the roots of its diagonal, are even off by no more than a few `ε` times the condition of
//! `S`, *each relative to itself*: however widely the diagonal is graded.

use super::Columns;
use super::conventions::{Arrangement, prepare, restore};
use super::solver::{Eigensolver, require_room};
use crate::Progress;
use crate::error::Error;
use crate::linalg::slices::{entry, head_mut, set, tail, tail_mut};
use crate::linalg::{Matrix, MatrixViewMut, rows};
use crate::math::{Real, sum};

/// In how many sweeps small entries are passed over.
const THRESHOLD_SWEEPS: usize = 4;

/// State of a decomposition by rotations; see the [module](super) for when to take it.
///
/// ```
/// use mercer::linalg::Matrix;
/// use mercer::linalg::eigen::{Eigensolver, Jacobi, MAX_SWEEPS};
/// let mut a = Matrix::from_rows([[1.0_f32, 1e-9], [1e-9, 1e-17]]);
/// let mut values = [0.0; 2];
/// Jacobi::solve(&mut a.view_mut(), &mut values, &mut [0.0; 4], MAX_SWEEPS)?;
/// assert!((values[1] / 9e-18 - 1.0).abs() < 1e-6); // seventeen decades below the other one
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Jacobi<T> {
    /// The matrix was divided by this.
    scale: T,
    max_sweeps: usize,
    /// How many sweeps have turned something.
    sweeps: usize,
    /// Entries up to this size are passed over in the current sweep.
    threshold: T,
    /// Has the current sweep turned something?
    turned: bool,
    stage: Stage,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum Stage {
    /// Move the matrix to the scratch; in its place goes the identity, to be turned with it.
    Move,
    /// Begin a sweep.
    Begin,
    /// Visit the entry at `row < column`.
    Visit {
        row: usize,
        column: usize,
    },
    Arrange(Arrangement),
    Finished,
}

impl<T: Real> Eigensolver<T> for Jacobi<T> {
    type Memory<const N: usize> = Matrix<T, N, N>;

    fn scratch_len(rows: usize) -> usize {
        rows.saturating_mul(rows)
    }

    fn start(matrix: &mut MatrixViewMut<'_, T>, max_sweeps: usize) -> Result<Self, Error> {
        let (scale, _) = prepare(matrix)?;
        let stage = if matrix.rows() == 0 { Stage::Finished } else { Stage::Move };
        Ok(Self { scale, max_sweeps, sweeps: 0, threshold: T::ZERO, turned: false, stage })
    }

    fn step(
        &mut self,
        vectors: &mut MatrixViewMut<'_, T>,
        values: &mut [T],
        scratch: &mut [T],
        operations: usize,
    ) -> Result<Progress, Error> {
        let n = vectors.rows();
        require_room::<T, Self>(n, values, scratch)?;
        let mut left = operations;
        loop {
            // Passing from one stage to the next costs nothing; everything else is counted.
            self.stage = match self.stage {
                Stage::Move => {
                    values.iter_mut().zip(vectors.view().diagonal()).for_each(|(v, a)| *v = a);
                    let entries = vectors.view().iter_rows().flatten();
                    scratch.iter_mut().zip(entries).for_each(|(to, &from)| *to = from);
                    vectors.set_identity();
                    Stage::Begin
                }
                Stage::Begin => {
                    self.threshold = threshold(scratch, n, self.sweeps);
                    self.turned = false;
                    Stage::Visit { row: 0, column: 1 }
                }
                Stage::Visit { row, .. } if row + 1 >= n => self.end_sweep(head_mut(scratch, n))?,
                Stage::Visit { row, column } if column >= n => {
                    Stage::Visit { row: row + 1, column: row + 2 }
                }
                Stage::Finished => return Ok(Progress::Done),
                _ if left == 0 => return Ok(Progress::Working),
                Stage::Visit { row, column } => {
                    let end = n.min(column.saturating_add(left));
                    left -= end - column;
                    for column in column..end {
                        let place = (row, column);
                        self.turned |= annihilate(scratch, values, vectors, place, self.threshold);
                    }
                    Stage::Visit { row, column: end }
                }
                Stage::Arrange(mut arrangement) => {
                    if arrangement.step(vectors, values, head_mut(scratch, n), &mut left) {
                        restore(values, self.scale)?;
                        Stage::Finished
                    } else {
                        Stage::Arrange(arrangement)
                    }
                }
            };
        }
    }

    /// It turns all eigenvectors on its way.
    fn step_values(
        &mut self,
        matrix: &mut MatrixViewMut<'_, T>,
        values: &mut [T],
        scratch: &mut [T],
        operations: usize,
    ) -> Result<Progress, Error> {
        self.step(matrix, values, scratch, operations)
    }

    fn step_vectors(
        &mut self,
        matrix: &mut MatrixViewMut<'_, T>,
        _: &[T],
        _: &mut [T],
        columns: &mut Columns<'_, T>,
        _: usize,
    ) -> Result<Progress, Error> {
        columns.require(matrix.rows())?;
        columns.read(matrix.view());
        Ok(Progress::Done)
    }

    fn sweeps(&self) -> usize {
        self.sweeps
    }
}

impl<T: Real> Jacobi<T> {
    /// Decides whether the sweep just made was the last one; `order` is free to be written then.
    fn end_sweep(&mut self, order: &mut [T]) -> Result<Stage, Error> {
        if !self.turned && self.threshold == T::ZERO {
            return Ok(Stage::Arrange(Arrangement::new(order)));
        }
        if self.sweeps >= self.max_sweeps {
            return Err(Error::NoConvergence { sweeps: self.sweeps });
        }
        self.sweeps += 1;
        Ok(Stage::Begin)
    }
}

/// What entries of an `n × n` matrix must exceed to be worth a rotation, after so many sweeps: a
/// quarter of their mean, there being about `n²/2` of them.
fn threshold<T: Real>(a: &[T], n: usize, sweeps: usize) -> T {
    if sweeps >= THRESHOLD_SWEEPS {
        return T::ZERO;
    }
    let right = |(row, i): (&[T], usize)| sum(tail(row, i).iter().map(|entry| entry.abs()));
    let total = sum(a.chunks(n.max(1)).zip(1..).map(right));
    T::from_f64(0.5) * total / T::from_usize(n * n)
}

/// Makes the entry at `p < q` zero, unless it is small; true if it was not.
///
/// `a` is the matrix above its diagonal, row by row; what is below is not used.
fn annihilate<T: Real>(
    a: &mut [T],
    diagonal: &mut [T],
    vectors: &mut MatrixViewMut<'_, T>,
    (p, q): (usize, usize),
    threshold: T,
) -> bool {
    let n = diagonal.len();
    let (a_pp, a_qq, a_pq) = (entry(diagonal, p), entry(diagonal, q), entry(a, p * n + q));
    let size = a_pq.abs();
    let negligible = |diagonal: T| size <= T::EPSILON * diagonal.abs();
    if size <= threshold || negligible(a_pp) && negligible(a_qq) {
        return false;
    }
    let (t, c) = angle(a_qq - a_pp, a_pq + a_pq);
    let s = t * c;
    set(diagonal, p, a_pp - t * a_pq);
    set(diagonal, q, a_qq + t * a_pq);
    turn_triangle(a, n, (p, q), (c, s));
    set(a, p * n + q, T::ZERO);
    let (row_p, row_q) = vectors.row_pair_mut(p, q);
    rows::rotate(row_p, row_q, c, -s);
    true
}

/// Tangent and cosine of the angle `φ` of at most 45° for which `tan 2φ = twice/gap`.
fn angle<T: Real>(gap: T, twice: T) -> (T, T) {
    // The smaller is divided by the larger, so that nothing overflows.
    let steep = twice.abs() > gap.abs();
    let ratio = if steep { gap / twice } else { twice / gap };
    let square = T::ONE + ratio * ratio;
    let root = square * inverse_root(square);
    let tangent = match steep {
        false => ratio / (T::ONE + root),
        true if ratio < T::ZERO => T::ONE / (ratio - root),
        true => T::ONE / (ratio + root),
    };
    (tangent, inverse_root(T::ONE + tangent * tangent))
}

/// `1/√x` for `x` from 1 to 2, to about a unit in the last place: Newton's method from a parabola.
///
/// The parabola is off by 3.2e-3, and a relative error `e` becomes `1.5e²`: 1.6e-5, 3.5e-10,
/// 1.9e-19. A rotation needs two of them, and at small sizes a square root of libm would take more
/// time than all else.
#[inline(always)]
fn inverse_root<T: Real>(x: T) -> T {
    let (c0, c1, c2) = (T::from_f64(0.9968124), T::from_f64(-0.4351392), T::from_f64(0.1476876));
    let steps = if T::EPSILON > T::from_f64(1e-9) { 2 } else { 3 };
    let z = x - T::ONE;
    let mut y = c0 + z * (c1 + z * c2);
    for _ in 0..steps {
        y += T::from_f64(0.5) * y * (T::ONE - x * y * y);
    }
    y
}

/// Turns rows and columns `p < q` of an `n × n` matrix, but for the entries where they cross.
///
/// Above the diagonal they meet the others in three places.
fn turn_triangle<T: Real>(a: &mut [T], n: usize, (p, q): (usize, usize), (c, s): (T, T)) {
    let turned = |x: T, y: T| (c * x - s * y, c * y + s * x);
    let mut rows = a.chunks_exact_mut(n.max(1));
    // Above row p: down two columns.
    for row in rows.by_ref().take(p) {
        if let Some([x, .., y]) = row.get_mut(p..=q) {
            (*x, *y) = turned(*x, *y);
        }
    }
    // Between p and q: along row p and down column q.
    let Some((left, right)) = rows.next().and_then(|row| row.split_at_mut_checked(q)) else {
        return;
    };
    for (x, row) in tail_mut(left, p + 1).iter_mut().zip(rows.by_ref()) {
        if let Some(y) = row.get_mut(q) {
            (*x, *y) = turned(*x, *y);
        }
    }
    // Beyond q: along two rows.
    if let (Some([_, x @ ..]), Some(y)) = (Some(right), rows.next()) {
        crate::linalg::rows::rotate(x, tail_mut(y, q + 1), c, -s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_roots_are_good_to_their_bound() {
        let (mut single, mut double) = (0.0_f64, 0.0_f64);
        for step in 0..=10_000 {
            let x = 1.0 + f64::from(step) / 10_000.0;
            let x32 = x as f32;
            let exact = 1.0 / libm::sqrt(f64::from(x32));
            single = single.max((f64::from(inverse_root(x32)) / exact - 1.0).abs());
            double = double.max((inverse_root(x) * libm::sqrt(x) - 1.0).abs());
        }
        assert!(single < 1.5 * f64::from(f32::EPSILON), "{single:e}");
        assert!(double < 2.0 * f64::EPSILON, "{double:e}");
    }

    /// `J A Jᵀ` with the whole matrix, as the textbook has it; below the diagonal is no number.
    #[test]
    fn a_rotation_is_that_of_the_whole_matrix() {
        const N: usize = 6;
        let whole = |i: usize, j: usize| libm::cos((3 * i.min(j) + 7 * i.max(j)) as f64);
        let triangle = |e: usize| if e / N < e % N { whole(e / N, e % N) } else { f64::NAN };
        for (p, q) in (0..N).flat_map(|p| (p + 1..N).map(move |q| (p, q))) {
            let mut a: [f64; N * N] = core::array::from_fn(triangle);
            let mut diagonal: [f64; N] = core::array::from_fn(|i| whole(i, i));
            let mut v = Matrix::<f64, N, N>::zeros();
            v.view_mut().set_identity();
            assert!(annihilate(&mut a, &mut diagonal, &mut v.view_mut(), (p, q), 0.0));
            assert_eq!(a[p * N + q], 0.0);
            for (i, j) in (0..N).flat_map(|i| (i..N).map(move |j| (i, j))) {
                let (x, y) = (v.view().row(i), v.view().row(j));
                let term = |e: usize| x[e / N] * whole(e / N, e % N) * y[e % N];
                let expected: f64 = (0..N * N).map(term).sum();
                let got = if i == j { diagonal[i] } else { a[i * N + j] };
                assert!((got - expected).abs() < 1e-14, "({p}, {q}): ({i}, {j})");
            }
        }
    }

    #[test]
    fn small_entries_are_passed_over() {
        let (mut vectors, mut diagonal) = (Matrix::<f32, 2, 2>::zeros(), [1.0, 2.0]);
        let mut turns = |entry: f32, threshold| {
            let a = &mut [0.0, entry, 0.0, 0.0];
            annihilate(a, &mut diagonal, &mut vectors.view_mut(), (0, 1), threshold)
        };
        assert!(!turns(-0.25, 0.25) && !turns(f32::EPSILON, 0.0));
        assert!(turns(1.1 * f32::EPSILON, 0.0) && turns(-0.25, 0.2));
    }
}
