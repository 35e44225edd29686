//! All eigenpairs by reduction to a tridiagonal matrix and implicit QR.
//!
//! **Method.** Reflections make the matrix tridiagonal (`householder.rs`), rotations make that
//! diagonal (`qr.rs`); the same reflections and rotations, applied to the identity, give the
//! eigenvectors. They take the place of the matrix: the product of the first reflections needs just
//! the room of those that it contains already. About `(2/3)n³` multiply-adds each for the reduction
//! and for the product of its reflections, `3n³` for the rotations. Where only some eigenvectors
//! are wanted, no row is rotated: they are found one by one when all eigenvalues are known
//! (`inverse.rs`), and then reflected, `2n²` each.
//!
//! **Source.** Golub & Van Loan, *Matrix Computations*, §8.3.
//!
//! **Domain.** Finite symmetric matrices of any scale.
//!
//! **Bound.** Eigenvalues are off by a few `ε‖A‖`: the large ones are good to rounding, small ones
//! relative to the largest only.

use super::Columns;
use super::conventions::{Arrangement, prepare, restore, sort};
use super::householder;
use super::qr::Diagonalisation;
use super::solver::{Eigensolver, require_room};
use crate::Progress;
use crate::error::Error;
use crate::linalg::{MatrixViewMut, rows};
use crate::math::Real;

/// A generous number of sweeps: `TridiagonalQr` rarely takes four for one eigenvalue, `Jacobi`
/// rarely ten.
pub const MAX_SWEEPS: usize = 30;

/// State of a decomposition by reflections and QR; see the [module](super) for when to take it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TridiagonalQr<T> {
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
    Arrange(Arrangement),
    /// The eigenvalues are known: find the eigenvector of this one.
    Invert {
        vector: usize,
    },
    /// Apply the reflection of this row to those found.
    Reflected {
        row: usize,
    },
    /// Write this one.
    Write {
        vector: usize,
    },
    Finished,
}

impl<T: Real> Eigensolver<T> for TridiagonalQr<T> {
    type Memory<const N: usize> = [T; N];

    fn scratch_len(rows: usize) -> usize {
        rows
    }

    fn start(matrix: &mut MatrixViewMut<'_, T>, max_sweeps: usize) -> Result<Self, Error> {
        let (scale, largest) = prepare(matrix)?;
        let negligible = T::EPSILON * largest;
        let stage = match matrix.rows().checked_sub(1) {
            Some(row) => Stage::Reflect { row },
            None => Stage::Finished,
        };
        Ok(Self { scale, negligible, max_sweeps, sweeps: 0, stage })
    }

    fn step(
        &mut self,
        matrix: &mut MatrixViewMut<'_, T>,
        values: &mut [T],
        scratch: &mut [T],
        operations: usize,
    ) -> Result<Progress, Error> {
        self.advance::<true>(matrix, values, scratch, operations)
    }

    fn step_values(
        &mut self,
        matrix: &mut MatrixViewMut<'_, T>,
        values: &mut [T],
        scratch: &mut [T],
        operations: usize,
    ) -> Result<Progress, Error> {
        self.advance::<false>(matrix, values, scratch, operations)
    }

    fn step_vectors(
        &mut self,
        matrix: &mut MatrixViewMut<'_, T>,
        values: &[T],
        scratch: &mut [T],
        columns: &mut Columns<'_, T>,
        operations: usize,
    ) -> Result<Progress, Error> {
        let n = matrix.rows();
        require_room::<T, Self>(n, values, scratch)?;
        columns.require(n)?;
        let count = columns.count;
        let mut left = operations;
        loop {
            // How many operations of O(n) this is.
            let cost = match self.stage {
                Stage::Invert { vector } => 6 + vector + vector / 4,
                Stage::Reflected { .. } => 2 + count / 3,
                _ => 1,
            };
            // What is more than a step may do is a step of its own.
            if cost > left && left < operations {
                return Ok(Progress::Working);
            }
            self.stage = match self.stage {
                Stage::Invert { vector } if vector < count => {
                    if vector == 0 {
                        columns.clear();
                    }
                    columns.invert(matrix.view(), values, scratch, self.scale, vector);
                    Stage::Invert { vector: vector + 1 }
                }
                Stage::Invert { .. } => Stage::Reflected { row: 2 },
                Stage::Reflected { row } if row < n => {
                    if let Some((u, h)) = householder::reflection(&matrix.view(), row) {
                        columns.reflect(u, h);
                    }
                    Stage::Reflected { row: row + 1 }
                }
                Stage::Reflected { .. } => Stage::Write { vector: 0 },
                Stage::Write { vector } if vector < n => {
                    columns.write(vector, matrix.row_mut(vector));
                    Stage::Write { vector: vector + 1 }
                }
                Stage::Write { .. } => Stage::Finished,
                _ => return Ok(Progress::Done),
            };
            left = left.saturating_sub(cost);
        }
    }

    fn sweeps(&self) -> usize {
        self.sweeps
    }
}

impl<T: Real> TridiagonalQr<T> {
    /// Goes on with all eigenpairs, or with eigenvalues alone.
    fn advance<const VECTORS: bool>(
        &mut self,
        matrix: &mut MatrixViewMut<'_, T>,
        values: &mut [T],
        scratch: &mut [T],
        operations: usize,
    ) -> Result<Progress, Error> {
        let n = matrix.rows();
        require_room::<T, Self>(n, values, scratch)?;
        let mut left = operations;
        loop {
            // Passing from one stage to the next costs nothing; everything else is counted.
            self.stage = match self.stage {
                Stage::Reflect { row: 0 } => {
                    householder::gather(matrix.view(), values, scratch);
                    if VECTORS {
                        householder::extend(matrix, 0);
                        Stage::Apply { row: 1, at: 0 }
                    } else {
                        Stage::Diagonalise(Diagonalisation::new(values, scratch, self.max_sweeps))
                    }
                }
                Stage::Update { row, at } if at >= row => Stage::Reflect { row: row - 1 },
                Stage::Apply { row, .. } if row >= n => {
                    Stage::Diagonalise(Diagonalisation::new(values, scratch, self.max_sweeps))
                }
                Stage::Invert { .. } | Stage::Finished => return Ok(Progress::Done),
                _ if left == 0 => return Ok(Progress::Working),
                counted => self.work::<VECTORS>(counted, matrix, (values, scratch), &mut left)?,
            };
        }
    }

    /// At least one operation, and at most those that are left, of one stage.
    fn work<const VECTORS: bool>(
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
            Stage::Apply { row, at } if VECTORS && at >= row => {
                take(0, 1);
                householder::extend(matrix, row);
                Stage::Apply { row: row + 1, at: 0 }
            }
            Stage::Apply { row, at } if VECTORS => {
                let rows = take(at, row);
                for at in rows.clone() {
                    householder::apply_inside(matrix, row, at);
                }
                Stage::Apply { row, at: rows.end }
            }
            Stage::Diagonalise(mut work) if !VECTORS => {
                // Rotations of no rows: four of them are an operation.
                let mut rotations = left.saturating_mul(4);
                let done = work.step(values, scratch, &mut rotations, |_, _, _| {});
                *left = rotations / 4;
                self.sweeps = work.most_passes();
                if done? {
                    sort(values);
                    restore(values, self.scale)?;
                    Stage::Invert { vector: 0 }
                } else {
                    Stage::Diagonalise(work)
                }
            }
            Stage::Diagonalise(mut work) => {
                let done = work.step(values, scratch, left, |i, c, s| {
                    let (above, below) = matrix.row_pair_mut(i, i + 1);
                    rows::rotate(above, below, c, s);
                });
                self.sweeps = work.most_passes();
                if done? {
                    Stage::Arrange(Arrangement::new(scratch))
                } else {
                    Stage::Diagonalise(work)
                }
            }
            Stage::Arrange(mut arrangement) if VECTORS => {
                if arrangement.step(matrix, values, scratch, left) {
                    restore(values, self.scale)?;
                    Stage::Finished
                } else {
                    Stage::Arrange(arrangement)
                }
            }
            other => other,
        })
    }
}
