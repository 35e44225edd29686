//! Decomposition of a symmetric matrix in slices: reduction to a tridiagonal matrix, its diagonalisation, order and signs.
//!
//! About `(2/3)n³` multiply-adds each for the reduction and for the product of its reflections, `3n³` for the rotations. The eigenvectors take the
//! place of the matrix: the product of the first reflections needs just the room of those that it contains already.

use super::householder;
use super::tridiagonal::Diagonalisation;
use crate::Progress;
use crate::error::Error;
use crate::linalg::{MatrixViewMut, rows};
use crate::math::Real;

/// A generous number of passes for one eigenvalue: four is already rare.
pub const MAX_SWEEPS: usize = 30;

/// State of a decomposition that is made in slices; matrix and memory stay with the caller.
///
/// ```
/// use mercer::Progress;
/// use mercer::linalg::Matrix;
/// use mercer::linalg::eigen::{Decomposition, MAX_SWEEPS};
/// let mut a = Matrix::from_rows([[4.0_f32, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]]);
/// let (mut values, mut scratch) = ([0.0; 3], [0.0; 3]);
/// let mut eigen = Decomposition::start(&mut a.view_mut(), MAX_SWEEPS)?;
/// while eigen.step(&mut a.view_mut(), &mut values, &mut scratch, 1)? == Progress::Working {
///     // feed the watchdog, poll the radio
/// }
/// assert!((values.iter().sum::<f32>() - 9.0).abs() < 1e-5); // the trace
/// assert!((a.view().row(0)[1] - 0.577_350_3).abs() < 1e-6); // of the first eigenvector, for the eigenvalue 3 + √3
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Decomposition<T> {
    /// The matrix was divided by this.
    scale: T,
    /// Entries up to this size count as zero.
    negligible: T,
    max_sweeps: usize,
    /// The most passes that one eigenvalue took.
    sweeps: usize,
    stage: Stage<T>,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum Stage<T> {
    /// Find the reflection for this row.
    Reflect {
        row: usize,
    },
    /// Multiply by its vector, from row `at` on.
    Multiply {
        row: usize,
        at: usize,
    },
    /// Apply it, from row `at` on.
    Update {
        row: usize,
        at: usize,
    },
    /// Add it to the product of reflections, from row `at` of that on.
    Apply {
        row: usize,
        at: usize,
    },
    /// Diagonalise what is left.
    Diagonalise(Diagonalisation<T>),
    /// Put the largest of the remaining eigenvalues at `at`.
    Sort {
        at: usize,
    },
    /// Settle the sign of this eigenvector.
    Sign {
        row: usize,
    },
    Finished,
}

impl<T: Real> Decomposition<T> {
    /// Checks the matrix, and scales it if its squares could overflow or vanish.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`] or [`Error::NotSymmetric`].
    pub fn start(matrix: &mut MatrixViewMut<'_, T>, max_sweeps: usize) -> Result<Self, Error> {
        let n = matrix.view().require_symmetric()?;
        let largest = matrix.view().largest();
        let scale = scale_of(largest);
        if scale != T::ONE {
            for entry in matrix.iter_rows_mut().flatten() {
                *entry /= scale;
            }
        }
        let negligible = T::EPSILON * (largest / scale);
        let stage = match n.checked_sub(1) {
            Some(row) => Stage::Reflect { row },
            None => Stage::Finished,
        };
        Ok(Self { scale, negligible, max_sweeps, sweeps: 0, stage })
    }

    /// Does at most `operations` of them, each of `O(n)`: a row of a reflection, a rotation, an exchange of two eigenpairs, a sign.
    ///
    /// `values` and `scratch` have a place for each row. When it is [`Done`](Progress::Done), the eigenvalues are in `values` and the eigenvectors are the rows of
    /// `matrix`, sorted and with their signs settled.
    ///
    /// # Errors
    /// [`Error::Shape`] when `values` or `scratch` has another length; [`Error::NoConvergence`] when the allowed sweeps are used up.
    pub fn step(
        &mut self,
        matrix: &mut MatrixViewMut<'_, T>,
        values: &mut [T],
        scratch: &mut [T],
        operations: usize,
    ) -> Result<Progress, Error> {
        let n = matrix.rows();
        for (what, given) in [("eigenvalues", values.len()), ("scratch", scratch.len())] {
            if given != n {
                return Err(Error::Shape { what, expected: n, given });
            }
        }
        let mut left = operations;
        loop {
            // Passing from one stage to the next costs nothing; everything else is counted.
            self.stage = match self.stage {
                Stage::Reflect { row: 0 } => {
                    householder::gather(matrix.view(), values, scratch);
                    householder::extend(matrix, 0);
                    Stage::Apply { row: 1, at: 0 }
                }
                Stage::Update { row, at } if at >= row => Stage::Reflect { row: row - 1 },
                Stage::Apply { row, .. } if row >= n => {
                    Stage::Diagonalise(Diagonalisation::new(values, scratch, self.max_sweeps))
                }
                Stage::Sort { at } if at + 1 >= n => Stage::Sign { row: 0 },
                Stage::Sign { row } if row >= n => {
                    for value in values.iter_mut() {
                        *value *= self.scale;
                    }
                    Stage::Finished
                }
                Stage::Finished => return Ok(Progress::Done),
                _ if left == 0 => return Ok(Progress::Working),
                counted => self.work(counted, matrix, (values, scratch), &mut left)?,
            };
        }
    }

    /// The most passes that one eigenvalue took so far.
    pub const fn sweeps(&self) -> usize {
        self.sweeps
    }

    /// At least one operation, and at most those that are left, of one stage.
    fn work(
        &mut self,
        stage: Stage<T>,
        matrix: &mut MatrixViewMut<'_, T>,
        (values, scratch): (&mut [T], &mut [T]),
        left: &mut usize,
    ) -> Result<Stage<T>, Error> {
        let mut take = |at: usize, end: usize| {
            let rows = end.saturating_sub(at).min(*left);
            *left -= rows;
            at..at + rows
        };
        Ok(match stage {
            Stage::Reflect { row } => {
                take(0, 1);
                if householder::reflect(matrix, row, self.negligible) {
                    Stage::Multiply { row, at: 0 }
                } else {
                    Stage::Reflect { row: row - 1 }
                }
            }
            Stage::Multiply { row, at } if at >= row => {
                take(0, 1);
                householder::complete(matrix.view(), scratch, row);
                Stage::Update { row, at: 0 }
            }
            Stage::Multiply { row, at } => {
                let rows = take(at, row);
                for at in rows.clone() {
                    householder::multiply(matrix.view(), scratch, row, at);
                }
                Stage::Multiply { row, at: rows.end }
            }
            Stage::Update { row, at } => {
                let rows = take(at, row);
                for at in rows.clone() {
                    householder::update(matrix, scratch, row, at);
                }
                Stage::Update { row, at: rows.end }
            }
            Stage::Apply { row, at } if at >= row => {
                take(0, 1);
                householder::extend(matrix, row);
                Stage::Apply { row: row + 1, at: 0 }
            }
            Stage::Apply { row, at } => {
                let rows = take(at, row);
                for at in rows.clone() {
                    householder::apply_inside(matrix, row, at);
                }
                Stage::Apply { row, at: rows.end }
            }
            Stage::Diagonalise(mut work) => {
                let done = work.step(values, scratch, left, |i, c, s| {
                    let (above, below) = matrix.row_pair_mut(i, i + 1);
                    rows::rotate(above, below, c, s);
                });
                self.sweeps = work.most_passes();
                if done? {
                    number(scratch);
                    Stage::Sort { at: 0 }
                } else {
                    Stage::Diagonalise(work)
                }
            }
            Stage::Sort { at } => {
                take(0, 1);
                if let Some(best) = select(values, scratch, at) {
                    matrix.swap_rows(at, best);
                }
                Stage::Sort { at: at + 1 }
            }
            Stage::Sign { row } => {
                take(0, 1);
                settle_sign(matrix.row_mut(row));
                Stage::Sign { row: row + 1 }
            }
            Stage::Finished => Stage::Finished,
        })
    }
}

/// 1, unless squares of numbers of this size, summed over a matrix, come near the limits of `f32`.
pub(super) fn scale_of<T: Real>(largest: T) -> T {
    let usual = T::from_f64(1e-8)..T::from_f64(1e8);
    if largest > T::ZERO && !usual.contains(&largest) { largest } else { T::ONE }
}

/// Numbers the eigenvalues as they were found.
pub(super) fn number<T: Real>(order: &mut [T]) {
    for (i, entry) in order.iter_mut().enumerate() {
        *entry = T::from_usize(i);
    }
}

/// Exchanges eigenvalue `at` with the largest from there on, among equal ones the first that was found; says which that was, unless it is there already.
pub(super) fn select<T: Real>(values: &mut [T], order: &mut [T], at: usize) -> Option<usize> {
    let pairs = values.iter().zip(order.iter()).enumerate().skip(at);
    let best = pairs.reduce(|best, this| {
        let ((_, (&largest, &found)), (_, (&value, &number))) = (best, this);
        if value > largest || (value == largest && number < found) { this } else { best }
    });
    let best = best.map(|(best, _)| best).filter(|&best| best > at)?;
    swap(values, at, best);
    swap(order, at, best);
    Some(best)
}

/// Exchanges two entries; unlike the slice's own method, without a panic.
pub(super) fn swap<T>(values: &mut [T], first: usize, second: usize) {
    if let Some((head, [b, ..])) = values.split_at_mut_checked(second)
        && let Some(a) = head.get_mut(first)
    {
        core::mem::swap(a, b);
    }
}

/// Makes the entry of largest magnitude, the first of them, positive.
pub(super) fn settle_sign<T: Real>(vector: &mut [T]) {
    let extreme =
        vector.iter().fold(T::ZERO, |best, &v| if v.abs() > best.abs() { v } else { best });
    if extreme < T::ZERO {
        for entry in vector {
            *entry = -*entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::linalg::Matrix;
    use crate::linalg::eigen::plain::jacobi;
    use crate::linalg::eigen::symmetric;

    /// Numbers in (−1, 1) that look random.
    fn noise(seed: &mut u32) -> f64 {
        *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(*seed >> 8) / f64::from(1 << 23) - 1.0
    }

    /// Random matrices of every size up to 40, some of low rank, some graded over nine decades, against the plain method.
    fn agrees_with_jacobi<T: Real>(tolerance: f64) {
        let mut seed = 7;
        for n in 1..=40 {
            let factor: Vec<Vec<f64>> =
                (0..n).map(|_| (0..n).map(|_| noise(&mut seed)).collect()).collect();
            let rank = if n % 3 == 0 { n / 2 } else { n };
            let weight = |k: usize| match n % 4 {
                0 => 10_f64.powi(-(9 * k as i32) / n as i32),
                1 => {
                    if k.is_multiple_of(2) {
                        1.0
                    } else {
                        -1.0
                    }
                }
                _ => 1.0,
            };
            let entry = |i: usize, j: usize| {
                let (i, j) = (i.min(j), i.max(j));
                T::from_f64((0..rank).map(|k| weight(k) * factor[i][k] * factor[j][k]).sum())
            };
            let a: Vec<Vec<T>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
            let mut flat: Vec<T> = a.iter().flatten().copied().collect();
            let (mut values, mut scratch) = (std::vec![T::ZERO; n], std::vec![T::ZERO; n]);
            let sweeps = symmetric(
                &mut MatrixViewMut::new(&mut flat, n, n).unwrap(),
                &mut values,
                &mut scratch,
                MAX_SWEEPS,
            );
            assert!(sweeps.unwrap() <= 10);
            let (expected, _) = jacobi(a.clone());
            let scale = expected[0].abs().larger(expected[n - 1].abs()).to_f64();
            for (j, (value, expected)) in values.iter().zip(&expected).enumerate() {
                let error = (value.to_f64() - expected.to_f64()).abs();
                assert!(error <= tolerance * scale, "n = {n}: {value} is not {expected}");
                // The vector belongs to the value.
                let v = &flat[j * n..(j + 1) * n];
                for (row, &entry) in a.iter().zip(v) {
                    let image: f64 = row.iter().zip(v).map(|(a, v)| a.to_f64() * v.to_f64()).sum();
                    let error = (image - value.to_f64() * entry.to_f64()).abs();
                    assert!(error <= tolerance * scale, "n = {n}: vector {j} is off by {error:e}");
                }
            }
        }
    }

    #[test]
    fn every_size_agrees_with_the_plain_method() {
        agrees_with_jacobi::<f64>(2e-14);
        agrees_with_jacobi::<f32>(2e-6);
    }

    /// Eigenvalues 2 − 2cos(kπ/(n+1)) of the second-difference matrix, known in closed form.
    #[test]
    fn second_differences_have_their_known_spectrum() {
        const N: usize = 12;
        let mut a = Matrix::<f64, N, N>::zeros();
        let mut view = a.view_mut();
        for i in 0..N {
            view.set(i, i, 2.0);
            if i + 1 < N {
                view.set(i, i + 1, -1.0);
                view.set(i + 1, i, -1.0);
            }
        }
        let mut values = [0.0; N];
        let sweeps = symmetric(&mut a.view_mut(), &mut values, &mut [0.0; N], MAX_SWEEPS).unwrap();
        assert!(sweeps <= 10, "{sweeps} sweeps");
        for (k, value) in values.iter().enumerate() {
            let angle = core::f64::consts::PI * (N - k) as f64 / (N + 1) as f64;
            assert!((value - (2.0 - 2.0 * libm::cos(angle))).abs() < 1e-13);
        }
    }

    #[test]
    fn slices_of_any_length_give_the_same_bits() {
        let a = Matrix::from_rows([
            [4.0_f32, 1.0, -2.0, 0.5],
            [1.0, 3.0, 0.25, 1.5],
            [-2.0, 0.25, 1.0, -1.0],
            [0.5, 1.5, -1.0, 2.0],
        ]);
        let run = |operations: usize| {
            let (mut a, mut values, mut scratch) = (a, [0.0; 4], [0.0; 4]);
            let matrix = &mut a.view_mut();
            let mut eigen = Decomposition::start(matrix, MAX_SWEEPS).unwrap();
            let mut step = || eigen.step(matrix, &mut values, &mut scratch, operations);
            let mut calls = 1;
            while step().unwrap() == Progress::Working {
                calls += 1;
            }
            assert_eq!(step(), Ok(Progress::Done), "done is done");
            (calls, eigen.sweeps(), values, a)
        };
        let (calls, sweeps, values, vectors) = run(usize::MAX);
        assert_eq!(calls, 1);
        let (operations, ..) = run(1);
        // 3 rows to reflect, 3 + 1 + 3 and 2 + 1 + 2 for the two that need it, 6 + 3 rows of their product, 3 to sort, 4 signs, and rotations.
        assert!((31..=31 + 6 * sweeps).contains(&operations), "{operations}");
        for slice in [2, 5, 7] {
            let sliced = run(slice);
            assert_eq!((sliced.1, sliced.2, sliced.3), (sweeps, values, vectors));
            assert_eq!(sliced.0, operations.div_ceil(slice), "{slice} operations a slice");
        }
    }

    #[test]
    fn sweeps_are_bounded() {
        let mut a = Matrix::from_rows([[1.0_f64, 1.0], [1.0, 2.0]]);
        let result = symmetric(&mut a.view_mut(), &mut [0.0; 2], &mut [0.0; 2], 0);
        assert_eq!(result, Err(Error::NoConvergence { sweeps: 0 }));
    }

    #[test]
    fn ties_keep_their_order_and_signs_follow_the_rule() {
        let mut a = Matrix::from_rows([[1.0_f64, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]);
        let mut values = [0.0; 3];
        symmetric(&mut a.view_mut(), &mut values, &mut [0.0; 3], MAX_SWEEPS).unwrap();
        assert_eq!(values, [2.0, 1.0, 1.0]);
        let expected = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        assert_eq!(a, Matrix::from_rows(expected));
        let mut vector = [0.5, -0.7, 0.7];
        settle_sign(&mut vector);
        assert_eq!(vector, [-0.5, 0.7, -0.7]);
    }

    #[test]
    fn degenerate_matrices_are_solved() {
        for a in [Matrix::<f64, 3, 3>::zeros(), Matrix::from_rows([[5.0; 3]; 3])] {
            let (mut work, mut values) = (a, [0.0; 3]);
            symmetric(&mut work.view_mut(), &mut values, &mut [0.0; 3], MAX_SWEEPS).unwrap();
            let trace: f64 = a.view().diagonal().sum();
            assert!((values[0] - trace).abs() < 1e-14 && values[1].abs() < 1e-14);
        }
        let huge = f32::MAX / 4.0;
        let mut a = Matrix::from_rows([[huge, huge], [huge, huge]]);
        let mut values = [0.0; 2];
        symmetric(&mut a.view_mut(), &mut values, &mut [0.0; 2], MAX_SWEEPS).unwrap();
        assert!((values[0] / huge - 2.0).abs() < 1e-6);
        let none = symmetric::<f32>(
            &mut MatrixViewMut::new(&mut [], 0, 0).unwrap(),
            &mut [],
            &mut [],
            MAX_SWEEPS,
        );
        assert_eq!(none, Ok(0));
    }

    #[test]
    fn bad_matrices_are_refused() {
        let solve = |mut a: Matrix<f64, 2, 2>| {
            symmetric(&mut a.view_mut(), &mut [0.0; 2], &mut [0.0; 2], MAX_SWEEPS)
        };
        let skewed = Matrix::from_rows([[1.0, 2.0], [2.1, 1.0]]);
        assert_eq!(solve(skewed), Err(Error::NotSymmetric { row: 0, column: 1 }));
        let nan = Matrix::from_rows([[1.0, f64::INFINITY], [2.1, 1.0]]);
        assert_eq!(solve(nan), Err(Error::NotFinite { row: 0, column: 1 }));
        let mut a = Matrix::<f64, 2, 2>::zeros();
        assert_eq!(
            symmetric(&mut a.view_mut(), &mut [0.0; 3], &mut [0.0; 2], MAX_SWEEPS),
            Err(Error::Shape { what: "eigenvalues", expected: 2, given: 3 })
        );
        assert_eq!(
            symmetric(&mut a.view_mut(), &mut [0.0; 2], &mut [0.0; 1], MAX_SWEEPS),
            Err(Error::Shape { what: "scratch", expected: 2, given: 1 })
        );
    }
}
