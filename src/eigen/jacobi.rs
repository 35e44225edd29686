//! The cyclic Jacobi method with thresholds (Rutishauser, Numer. Math. 9, 1966; Golub & Van Loan, §8.5).
//!
//! Each rotation makes one off-diagonal entry zero; a sweep visits all `n(n−1)/2` of them. In the first
//! sweeps only entries above a fifth of their mean magnitude are worth a rotation. It ends when no entry exceeds
//! `ε‖A‖_F/n`, so that what is left off the diagonal is below `ε‖A‖_F` in norm, and so is the error of every eigenvalue
//! that this causes. Convergence is quadratic: 6 to 10 sweeps are usual.

use crate::error::Error;
use crate::math::{Real, sum};
use crate::matrix::MatrixViewMut;

/// A generous number of sweeps: three times what matrices of a few hundred rows take.
pub const MAX_SWEEPS: usize = 30;

/// In how many sweeps small entries are passed over.
const THRESHOLD_SWEEPS: usize = 3;

/// Is a job that is done in steps finished?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
pub enum Progress {
    /// More steps are needed.
    Working,
    /// The result is complete.
    Done,
}

/// State of a decomposition that is made in slices; the matrices stay with the caller.
///
/// ```
/// use mercer::{Matrix, eigen::{Jacobi, Progress, MAX_SWEEPS}};
/// let mut a = Matrix::from_rows([[4.0_f32, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]]);
/// let mut vectors = Matrix::<f32, 3, 3>::zeros();
/// let mut jacobi = Jacobi::start(&mut a.view_mut(), &mut vectors.view_mut(), MAX_SWEEPS)?;
/// while jacobi.step(&mut a.view_mut(), &mut vectors.view_mut(), 1)? == Progress::Working {
///     // feed the watchdog, poll the radio
/// }
/// let trace: f32 = a.view().diagonal().sum(); // of the eigenvalues
/// assert!((trace - 9.0).abs() < 1e-5);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Jacobi<T> {
    max_sweeps: usize,
    sweep: usize,
    stage: Stage,
    /// Entries up to this size are left alone in the current sweep.
    threshold: T,
    /// Entries up to this size count as zero.
    negligible: T,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum Stage {
    /// Look whether another sweep is needed.
    Begin,
    /// Visit the entry at `row < column`.
    Sweep {
        row: usize,
        column: usize,
    },
    /// Insertion sort: the eigenpair at `at` moves up among the `end` before it, which are in order.
    Sort {
        end: usize,
        at: usize,
    },
    /// Settle the sign of this eigenvector.
    Sign {
        row: usize,
    },
    Finished,
}

impl<T: Real> Jacobi<T> {
    /// Checks the matrix and makes `vectors` the identity.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`] or [`Error::NotSymmetric`].
    pub fn start(
        matrix: &mut MatrixViewMut<'_, T>,
        vectors: &mut MatrixViewMut<'_, T>,
        max_sweeps: usize,
    ) -> Result<Self, Error> {
        let n = matrix.view().require_symmetric()?;
        for (what, given) in
            [("eigenvector rows", vectors.rows()), ("eigenvector columns", vectors.columns())]
        {
            if given != n {
                return Err(Error::Shape { what, expected: n, given });
            }
        }
        matrix.mirror_upper();
        vectors.set_identity();
        Ok(Self {
            max_sweeps,
            sweep: 0,
            stage: Stage::Begin,
            threshold: T::ZERO,
            negligible: T::EPSILON * mean_size(matrix),
        })
    }

    /// Does at most `operations` of them, each of `O(n)`: a rotation, an exchange of two eigenpairs, a sign.
    ///
    /// Before each sweep it also reads the matrix once. When it is [`Done`](Progress::Done), the eigenvalues are on the diagonal of
    /// `matrix` and the eigenvectors are the rows of `vectors`, sorted and with their signs settled.
    ///
    /// # Errors
    /// [`Error::NoConvergence`] when the allowed sweeps are used up.
    pub fn step(
        &mut self,
        matrix: &mut MatrixViewMut<'_, T>,
        vectors: &mut MatrixViewMut<'_, T>,
        operations: usize,
    ) -> Result<Progress, Error> {
        let n = matrix.rows();
        let mut left = operations;
        loop {
            // Passing from one stage to the next costs nothing; everything else is counted.
            self.stage = match self.stage {
                Stage::Begin => self.begin_sweep(matrix)?,
                Stage::Sweep { row, .. } if row + 1 >= n => {
                    self.sweep += 1;
                    Stage::Begin
                }
                Stage::Sweep { row, column } if column >= n => {
                    Stage::Sweep { row: row + 1, column: row + 2 }
                }
                Stage::Sort { end, .. } if end >= n => Stage::Sign { row: 0 },
                Stage::Sign { row } if row >= n => Stage::Finished,
                Stage::Finished => return Ok(Progress::Done),
                _ if left == 0 => return Ok(Progress::Working),
                counted => {
                    left -= 1;
                    match counted {
                        Stage::Sweep { row, column } => {
                            if matrix.at(row, column).abs() > self.threshold {
                                annihilate(matrix, vectors, row, column);
                            }
                            Stage::Sweep { row, column: column + 1 }
                        }
                        Stage::Sort { end, at } if at > 0 && exchange(matrix, vectors, at) => {
                            Stage::Sort { end, at: at - 1 }
                        }
                        Stage::Sort { end, .. } => Stage::Sort { end: end + 1, at: end + 1 },
                        Stage::Sign { row } => {
                            settle_sign(vectors.row_mut(row));
                            Stage::Sign { row: row + 1 }
                        }
                        other => other,
                    }
                }
            };
        }
    }

    /// How many sweeps were completed so far.
    pub const fn sweeps(&self) -> usize {
        self.sweep
    }

    /// Sets the threshold of a new sweep, or finds that none is needed.
    fn begin_sweep(&mut self, matrix: &MatrixViewMut<'_, T>) -> Result<Stage, Error> {
        let (mut total, mut largest) = (T::ZERO, T::ZERO);
        for (i, row) in matrix.view().iter_rows().enumerate() {
            for entry in row.iter().skip(i + 1) {
                total += entry.abs();
                largest = largest.larger(entry.abs());
            }
        }
        if largest <= self.negligible {
            return Ok(Stage::Sort { end: 1, at: 1 });
        }
        if self.sweep >= self.max_sweeps {
            return Err(Error::NoConvergence { sweeps: self.sweep });
        }
        let n = T::from_usize(matrix.rows().max(1));
        self.threshold = if self.sweep < THRESHOLD_SWEEPS {
            self.negligible.larger(T::from_f64(0.2) * total / (n * n))
        } else {
            self.negligible
        };
        Ok(Stage::Sweep { row: 0, column: 1 })
    }
}

/// `‖A‖_F/n`, computed so that it does not overflow.
fn mean_size<T: Real>(matrix: &MatrixViewMut<'_, T>) -> T {
    let largest = matrix.view().largest();
    if largest > T::ZERO {
        let entries = matrix.view().iter_rows().flatten();
        let scaled = sum(entries.map(|&a| (a / largest) * (a / largest)));
        largest * (scaled.sqrt() / T::from_usize(matrix.rows()))
    } else {
        T::ZERO
    }
}

/// Rotates rows and columns `p < q` so that the entry at `(p, q)` becomes zero.
fn annihilate<T: Real>(
    matrix: &mut MatrixViewMut<'_, T>,
    vectors: &mut MatrixViewMut<'_, T>,
    p: usize,
    q: usize,
) {
    let (app, aqq, apq) = (matrix.at(p, p), matrix.at(q, q), matrix.at(p, q));
    // The smaller root of t² + 2θt − 1 = 0: the rotation by at most 45°. |θ| < n/ε, so θ² does not overflow.
    let theta = (aqq - app) / (apq + apq);
    let size = T::ONE / (theta.abs() + (theta * theta + T::ONE).sqrt());
    let t = if theta < T::ZERO { -size } else { size };
    let c = T::ONE / (t * t + T::ONE).sqrt();
    let s = t * c;

    let (row_p, row_q) = matrix.row_pair_mut(p, q);
    rotate(row_p, row_q, s, s / (T::ONE + c));
    for k in 0..matrix.rows() {
        let (kp, kq) = (matrix.at(p, k), matrix.at(q, k));
        matrix.set(k, p, kp);
        matrix.set(k, q, kq);
    }
    matrix.set(p, p, app - t * apq);
    matrix.set(q, q, aqq + t * apq);
    matrix.set(p, q, T::ZERO);
    matrix.set(q, p, T::ZERO);

    let (vector_p, vector_q) = vectors.row_pair_mut(p, q);
    rotate(vector_p, vector_q, s, s / (T::ONE + c));
}

/// `(x, y) ← (cx − sy, sx + cy)` written as small corrections, with `τ = s/(1 + c)`: rounding then scales with the
/// angle, which is tiny in the last sweeps.
fn rotate<T: Real>(x: &mut [T], y: &mut [T], s: T, tau: T) {
    for (x, y) in x.iter_mut().zip(y) {
        let (a, b) = (*x, *y);
        *x = a - s * (b + tau * a);
        *y = b + s * (a - tau * b);
    }
}

/// Exchanges eigenpair `at` with the one before it if its eigenvalue is larger; equal ones keep their order.
fn exchange<T: Real>(
    matrix: &mut MatrixViewMut<'_, T>,
    vectors: &mut MatrixViewMut<'_, T>,
    at: usize,
) -> bool {
    let (before, this) = (matrix.at(at - 1, at - 1), matrix.at(at, at));
    if this > before {
        matrix.set(at - 1, at - 1, this);
        matrix.set(at, at, before);
        vectors.swap_rows(at - 1, at);
        true
    } else {
        false
    }
}

/// Makes the entry of largest magnitude, the first of them, positive.
fn settle_sign<T: Real>(vector: &mut [T]) {
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
    use super::*;
    use crate::eigen::symmetric;
    use crate::matrix::Matrix;

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
        let (mut vectors, mut values) = (Matrix::<f64, N, N>::zeros(), [0.0; N]);
        let sweeps =
            symmetric(&mut a.view_mut(), &mut vectors.view_mut(), &mut values, MAX_SWEEPS).unwrap();
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
            let (mut a, mut vectors) = (a, Matrix::<f32, 4, 4>::zeros());
            let (matrix, v) = (&mut a.view_mut(), &mut vectors.view_mut());
            let mut jacobi = Jacobi::start(matrix, v, MAX_SWEEPS).unwrap();
            let mut calls = 1;
            while jacobi.step(matrix, v, operations).unwrap() == Progress::Working {
                calls += 1;
            }
            assert_eq!(jacobi.step(matrix, v, operations), Ok(Progress::Done), "done is done");
            (calls, jacobi.sweeps(), a, vectors)
        };
        let (calls, sweeps, values, vectors) = run(usize::MAX);
        assert_eq!(calls, 1);
        let (operations, ..) = run(1);
        assert!(operations >= sweeps * 6 + 4 && operations <= sweeps * 6 + 9 + 4);
        for slice in [2, 5, 7] {
            let sliced = run(slice);
            assert_eq!((sliced.1, sliced.2, sliced.3), (sweeps, values, vectors));
            assert_eq!(sliced.0, operations.div_ceil(slice), "{slice} operations a slice");
        }
    }

    #[test]
    fn sweeps_are_bounded() {
        let mut a = Matrix::from_rows([[1.0_f64, 1.0], [1.0, 2.0]]);
        let (mut vectors, mut values) = (Matrix::<f64, 2, 2>::zeros(), [0.0; 2]);
        let result = symmetric(&mut a.view_mut(), &mut vectors.view_mut(), &mut values, 0);
        assert_eq!(result, Err(Error::NoConvergence { sweeps: 0 }));
    }

    #[test]
    fn ties_keep_their_order_and_signs_follow_the_rule() {
        let mut a = Matrix::from_rows([[1.0_f64, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]);
        let (mut vectors, mut values) = (Matrix::<f64, 3, 3>::zeros(), [0.0; 3]);
        symmetric(&mut a.view_mut(), &mut vectors.view_mut(), &mut values, MAX_SWEEPS).unwrap();
        assert_eq!(values, [2.0, 1.0, 1.0]);
        let expected = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        assert_eq!(vectors, Matrix::from_rows(expected));
        let mut vector = [0.5, -0.7, 0.7];
        settle_sign(&mut vector);
        assert_eq!(vector, [-0.5, 0.7, -0.7]);
    }

    #[test]
    fn degenerate_matrices_are_solved() {
        for a in [Matrix::<f64, 3, 3>::zeros(), Matrix::from_rows([[5.0; 3]; 3])] {
            let (mut work, mut vectors, mut values) = (a, Matrix::<f64, 3, 3>::zeros(), [0.0; 3]);
            symmetric(&mut work.view_mut(), &mut vectors.view_mut(), &mut values, MAX_SWEEPS)
                .unwrap();
            let trace: f64 = a.view().diagonal().sum();
            assert!((values[0] - trace).abs() < 1e-14 && values[1].abs() < 1e-14);
        }
        let huge = f32::MAX / 4.0;
        let mut a = Matrix::from_rows([[huge, huge], [huge, huge]]);
        let (mut vectors, mut values) = (Matrix::<f32, 2, 2>::zeros(), [0.0; 2]);
        symmetric(&mut a.view_mut(), &mut vectors.view_mut(), &mut values, MAX_SWEEPS).unwrap();
        assert!((values[0] / huge - 2.0).abs() < 1e-6);
        let none = symmetric::<f32>(
            &mut MatrixViewMut::new(&mut [], 0, 0).unwrap(),
            &mut MatrixViewMut::new(&mut [], 0, 0).unwrap(),
            &mut [],
            MAX_SWEEPS,
        );
        assert_eq!(none, Ok(0));
    }

    #[test]
    fn bad_matrices_are_refused() {
        let (mut vectors, mut values) = (Matrix::<f64, 2, 2>::zeros(), [0.0; 2]);
        let mut solve = |mut a: Matrix<f64, 2, 2>| {
            symmetric(&mut a.view_mut(), &mut vectors.view_mut(), &mut values, MAX_SWEEPS)
        };
        let skewed = Matrix::from_rows([[1.0, 2.0], [2.1, 1.0]]);
        assert_eq!(solve(skewed), Err(Error::NotSymmetric { row: 0, column: 1 }));
        let nan = Matrix::from_rows([[1.0, f64::INFINITY], [2.1, 1.0]]);
        assert_eq!(solve(nan), Err(Error::NotFinite { row: 0, column: 1 }));
        let mut a = Matrix::<f64, 2, 2>::zeros();
        let mut short = Matrix::<f64, 1, 2>::zeros();
        assert_eq!(
            symmetric(&mut a.view_mut(), &mut short.view_mut(), &mut [0.0; 2], MAX_SWEEPS),
            Err(Error::Shape { what: "eigenvector rows", expected: 2, given: 1 })
        );
        assert_eq!(
            symmetric(&mut a.view_mut(), &mut vectors.view_mut(), &mut [0.0; 3], MAX_SWEEPS),
            Err(Error::Shape { what: "eigenvalues", expected: 2, given: 3 })
        );
    }
}
