//! The cyclic Jacobi method with thresholds (Rutishauser, Numer. Math. 9, 1966; Golub & Van Loan, §8.5).
//!
//! Each rotation makes one off-diagonal entry zero; a sweep visits all `n(n−1)/2` of them, largest diagonal entries first. In the first
//! sweeps only entries above a fifth of their mean magnitude are worth a rotation. It ends when no entry exceeds
//! `ε‖A‖_F/n`, so that what is left off the diagonal is below `ε‖A‖_F` in norm, and so is the error of every eigenvalue
//! that this causes. Convergence is quadratic: 5 to 10 sweeps are usual.
//!
//! Only the upper triangle is used. Four rotations of a row are done together where the caller allows that many operations; the bits are the same.

mod triangle;
mod turn;

use triangle::{annihilate, annihilate_four, bring_largest};
use turn::TOGETHER;

use super::symmetric::settle_sign;
use crate::Progress;
use crate::error::Error;
use crate::linalg::MatrixViewMut;
use crate::math::{Real, sum};

/// In how many sweeps small entries are passed over.
const THRESHOLD_SWEEPS: usize = 3;

/// Decomposes `matrix = Σ_j values[j] · vectors[j] vectors[j]ᵀ` in one go by rotations; returns the sweeps it took.
///
/// [`symmetric`](super::symmetric) does the same in less time and memory; this is the plain way, with the matrix and its eigenvectors side by side. `matrix` is
/// destroyed.
///
/// # Errors
/// Those of [`Jacobi::start`] and [`Jacobi::step`], and [`Error::Shape`] when `values` has another length.
pub fn jacobi<T: Real>(
    matrix: &mut MatrixViewMut<'_, T>,
    vectors: &mut MatrixViewMut<'_, T>,
    values: &mut [T],
    max_sweeps: usize,
) -> Result<usize, Error> {
    let (expected, given) = (matrix.rows(), values.len());
    if given != expected {
        return Err(Error::Shape { what: "eigenvalues", expected, given });
    }
    let mut jacobi = Jacobi::start(matrix, vectors, max_sweeps)?;
    while jacobi.step(matrix, vectors, usize::MAX)? == Progress::Working {}
    for (value, entry) in values.iter_mut().zip(matrix.view().diagonal()) {
        *value = entry;
    }
    Ok(jacobi.sweeps())
}

/// State of a decomposition that is made in slices; the matrices stay with the caller.
///
/// ```
/// use mercer::Progress;
/// use mercer::linalg::Matrix;
/// use mercer::linalg::eigen::{Jacobi, MAX_SWEEPS};
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
        for row in matrix.iter_rows_mut() {
            // −0 becomes 0, so that a rotation by nothing changes no bit. (Sums and differences bring up no other −0.)
            row.iter_mut().for_each(|entry| *entry += T::ZERO);
        }
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
    /// Before each sweep it also reads the matrix once, and before each row the diagonal. When it is [`Done`](Progress::Done), the eigenvalues are on the diagonal of
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
                Stage::Sweep { row, column } => {
                    if column == row + 1 {
                        bring_largest(matrix, vectors, row);
                    }
                    let entries = if left.min(n - column) < TOGETHER {
                        annihilate(matrix, vectors, (row, column), self.threshold);
                        1
                    } else {
                        annihilate_four(matrix, vectors, (row, column), self.threshold);
                        TOGETHER
                    };
                    left -= entries;
                    Stage::Sweep { row, column: column + entries }
                }
                counted => {
                    left -= 1;
                    match counted {
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
        let view = matrix.view();
        let upper = || view.iter_rows().zip(1..).filter_map(|(row, right)| row.get(right..));
        if upper().all(|row| row.iter().all(|entry| entry.abs() <= self.negligible)) {
            return Ok(Stage::Sort { end: 1, at: 1 });
        }
        if self.sweep >= self.max_sweeps {
            return Err(Error::NoConvergence { sweeps: self.sweep });
        }
        self.threshold = self.negligible;
        if self.sweep < THRESHOLD_SWEEPS {
            let total = sum(upper().map(|row| sum(row.iter().map(|entry| entry.abs()))));
            let n = T::from_usize(matrix.rows().max(1));
            self.threshold = self.negligible.larger(T::from_f64(0.2) * total / (n * n));
        }
        Ok(Stage::Sweep { row: 0, column: 1 })
    }
}

/// `‖A‖_F/n`, computed so that it does not overflow.
fn mean_size<T: Real>(matrix: &MatrixViewMut<'_, T>) -> T {
    let largest = matrix.view().largest();
    if largest > T::ZERO {
        let mut scaled = T::ZERO;
        for row in matrix.view().iter_rows() {
            scaled += sum(row.iter().map(|&a| (a / largest) * (a / largest)));
        }
        largest * (scaled.sqrt() / T::from_usize(matrix.rows()))
    } else {
        T::ZERO
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

#[cfg(test)]
mod tests {
    use core::array::from_fn;
    use std::vec::Vec;

    use super::*;
    use crate::linalg::Matrix;
    use crate::linalg::eigen::MAX_SWEEPS;

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
            jacobi(&mut a.view_mut(), &mut vectors.view_mut(), &mut values, MAX_SWEEPS).unwrap();
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

    /// The same algorithm without anything that makes it fast: whole matrix, every entry, textbook rotations.
    fn plain(mut a: Vec<Vec<f64>>) -> Vec<f64> {
        let n = a.len();
        let size = a.iter().flatten().fold(0.0, |largest, x| x.abs().larger(largest));
        for (p, q) in (0..30 * n * n).map(|visit| (visit / n % n, visit % n)) {
            if p >= q || a[p][q].abs() <= f64::EPSILON * size / n as f64 {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = 1.0_f64.copysign(theta) / (theta.abs() + libm::hypot(theta, 1.0));
            let (c, s) = (1.0 / libm::hypot(t, 1.0), t / libm::hypot(t, 1.0));
            let pairs = a[p].iter().zip(&a[q]);
            (a[p], a[q]) = pairs.map(|(x, y)| (c * x - s * y, s * x + c * y)).unzip();
            for row in &mut a {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
        }
        let mut values: Vec<f64> = (0..n).map(|i| a[i][i]).collect();
        values.sort_by(|x, y| y.total_cmp(x));
        values
    }

    /// Symmetric matrices of every kind that has made an eigensolver fail.
    fn kinds(n: usize, random: &mut impl FnMut() -> f64) -> [(&'static str, Vec<Vec<f64>>); 7] {
        let noise: Vec<f64> = (0..n * n).map(|_| random()).collect();
        let fill = |f: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
            (0..n).map(|i| (0..n).map(|j| f(i.min(j), i.max(j))).collect()).collect()
        };
        let inner = |i: usize, j: usize| (0..n).map(|k| noise[i * n + k] * noise[j * n + k]).sum();
        let mirror = noise.iter().take(n).map(|x| x * x).sum::<f64>();
        [
            ("indefinite", fill(&|i, j| noise[i * n + j])),
            ("semi-definite", fill(&inner)),
            ("graded", fill(&|i, j| libm::exp(-((i + j) as f64)) * noise[i * n + j])),
            ("rank one", fill(&|i, j| noise[i] * noise[j])),
            // A reflection: eigenvalues 1 and −1 only.
            ("repeated", fill(&|i, j| f64::from(i == j) - 2.0 * noise[i] * noise[j] / mirror)),
            ("huge", fill(&|i, j| 1e36 * noise[i * n + j])),
            ("tiny", fill(&|i, j| 1e-30 * noise[i * n + j])),
        ]
    }

    /// Errors in units of rounding, `n ε‖A‖`; `values` are exact enough.
    fn compare<T: Real>(name: &str, a: &[Vec<f64>], values: &[f64]) {
        let n = a.len();
        let mut work: Vec<T> = a.iter().flatten().map(|&x| T::from_f64(x)).collect();
        let rounded: Vec<f64> = work.iter().map(|x| x.to_f64()).collect();
        let (mut vectors, mut found) = (std::vec![T::ZERO; n * n], std::vec![T::ZERO; n]);
        jacobi(
            &mut MatrixViewMut::new(&mut work, n, n).unwrap(),
            &mut MatrixViewMut::new(&mut vectors, n, n).unwrap(),
            &mut found,
            MAX_SWEEPS,
        )
        .unwrap();
        let v = |j: usize, k: usize| vectors[j * n + k].to_f64();
        let norm = values[0].abs().larger(values[n - 1].abs());
        let bound = 2.0 * T::EPSILON.to_f64() * n.max(4) as f64;
        for j in 0..n {
            let value = found[j].to_f64();
            assert!((value - values[j]).abs() <= bound * norm, "{name}, {n}: value {j} {value:e}");
            for i in 0..n {
                let image: f64 = (0..n).map(|k| rounded[i * n + k] * v(j, k)).sum();
                assert!((image - value * v(j, i)).abs() <= bound * norm, "{name}, {n}: vector {j}");
                let product: f64 = (0..n).map(|k| v(i, k) * v(j, k)).sum();
                assert!((product - f64::from(i == j)).abs() <= bound, "{name}, {n}: {i}, {j}");
            }
        }
    }

    #[test]
    fn agrees_with_the_plain_method_on_matrices_of_all_kinds() {
        let mut state = 1_u64;
        let mut random = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
        };
        for n in (1..=14).chain([23, 32, 41]) {
            for (name, a) in kinds(n, &mut random) {
                let values = plain(a.clone());
                compare::<f64>(name, &a, &values);
                compare::<f32>(name, &a, &values);
            }
        }
    }

    /// Slices of one operation do all rotations singly, whole runs do four at a time, also if two of them are by nothing.
    #[test]
    fn bits_do_not_depend_on_how_many_rotations_are_done_together() {
        const N: usize = 13;
        for coupled in [N, 3] {
            let entry = |i: usize, j: usize| match i.max(j) {
                _ if i == j => (N - i) as f32,
                last if last < coupled => libm::sinf((i * j + i + j) as f32),
                _ => -0.0,
            };
            let a: [[f32; N]; N] = from_fn(|i| from_fn(|j| entry(i, j)));
            let run = |operations: usize| {
                let (mut a, mut vectors) = (Matrix::from_rows(a), Matrix::<f32, N, N>::zeros());
                let (matrix, v) = (&mut a.view_mut(), &mut vectors.view_mut());
                let mut jacobi = Jacobi::start(matrix, v, MAX_SWEEPS).unwrap();
                while jacobi.step(matrix, v, operations).unwrap() == Progress::Working {}
                [a, vectors].map(|m| m.as_rows().map(|row| row.map(f32::to_bits)))
            };
            let whole = run(usize::MAX);
            for slice in [1, 2, 3, 5, 6, 100] {
                assert!(run(slice) == whole, "{slice} operations a slice, {coupled} coupled");
            }
        }
    }

    #[test]
    fn a_part_of_a_larger_matrix_is_solved_and_the_rest_untouched() {
        let mut a = Matrix::<f64, 8, 9>::from_rows([[7.5; 9]; 8]);
        for i in 0..7 {
            a.view_mut().set(i, i, i as f64);
        }
        let mut vectors = Matrix::<f64, 8, 9>::from_rows([[7.5; 9]; 8]);
        jacobi(
            &mut a.view_mut().into_leading(7, 7),
            &mut vectors.view_mut().into_leading(7, 7),
            &mut [0.0; 7],
            MAX_SWEEPS,
        )
        .unwrap();
        for m in [a, vectors] {
            assert!(m.view().iter_rows().all(|row| row[7..] == [7.5; 2]));
            assert_eq!(m.view().row(7), [7.5; 9]);
        }
    }

    #[test]
    fn sweeps_are_bounded() {
        let mut a = Matrix::from_rows([[1.0_f64, 1.0], [1.0, 2.0]]);
        let (mut vectors, mut values) = (Matrix::<f64, 2, 2>::zeros(), [0.0; 2]);
        let result = jacobi(&mut a.view_mut(), &mut vectors.view_mut(), &mut values, 0);
        assert_eq!(result, Err(Error::NoConvergence { sweeps: 0 }));
    }

    #[test]
    fn ties_keep_their_order_and_signs_follow_the_rule() {
        let mut a = Matrix::from_rows([[1.0_f64, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]);
        let (mut vectors, mut values) = (Matrix::<f64, 3, 3>::zeros(), [0.0; 3]);
        jacobi(&mut a.view_mut(), &mut vectors.view_mut(), &mut values, MAX_SWEEPS).unwrap();
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
            jacobi(&mut work.view_mut(), &mut vectors.view_mut(), &mut values, MAX_SWEEPS).unwrap();
            let trace: f64 = a.view().diagonal().sum();
            assert!((values[0] - trace).abs() < 1e-14 && values[1].abs() < 1e-14);
        }
        let huge = f32::MAX / 4.0;
        let mut a = Matrix::from_rows([[huge, huge], [huge, huge]]);
        let (mut vectors, mut values) = (Matrix::<f32, 2, 2>::zeros(), [0.0; 2]);
        jacobi(&mut a.view_mut(), &mut vectors.view_mut(), &mut values, MAX_SWEEPS).unwrap();
        assert!((values[0] / huge - 2.0).abs() < 1e-6);
        let none = jacobi::<f32>(
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
            jacobi(&mut a.view_mut(), &mut vectors.view_mut(), &mut values, MAX_SWEEPS)
        };
        let skewed = Matrix::from_rows([[1.0, 2.0], [2.1, 1.0]]);
        assert_eq!(solve(skewed), Err(Error::NotSymmetric { row: 0, column: 1 }));
        let nan = Matrix::from_rows([[1.0, f64::INFINITY], [2.1, 1.0]]);
        assert_eq!(solve(nan), Err(Error::NotFinite { row: 0, column: 1 }));
        let mut a = Matrix::<f64, 2, 2>::zeros();
        let mut short = Matrix::<f64, 1, 2>::zeros();
        assert_eq!(
            jacobi(&mut a.view_mut(), &mut short.view_mut(), &mut [0.0; 2], MAX_SWEEPS),
            Err(Error::Shape { what: "eigenvector rows", expected: 2, given: 1 })
        );
        assert_eq!(
            jacobi(&mut a.view_mut(), &mut vectors.view_mut(), &mut [0.0; 3], MAX_SWEEPS),
            Err(Error::Shape { what: "eigenvalues", expected: 2, given: 3 })
        );
    }
}
