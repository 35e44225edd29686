//! One interface for the two solvers that find all eigenpairs, so that a fit can be made with
//! either.

use core::fmt::Debug;
use core::marker::PhantomData;

use super::{Columns, Jacobi, MAX_SWEEPS, TridiagonalQr};
use crate::Progress;
use crate::error::{Error, require_shape};
use crate::linalg::slices::head_mut;
use crate::linalg::{Matrix, MatrixViewMut};
use crate::math::Real;

mod sealed {
    pub trait Sealed {}
    impl<T> Sealed for super::Jacobi<T> {}
    impl<T> Sealed for super::TridiagonalQr<T> {}
}

/// A way to all eigenpairs of a symmetric matrix, in slices: [`TridiagonalQr`] or [`Jacobi`].
///
/// A value of it is the state of one decomposition; matrix and memory stay with the caller. Fits
/// take it as a type parameter, so that a firmware contains the solver it names and no other:
/// `ExactWorkspace<f32, 8, Jacobi<f32>>`.
///
/// ```
/// use mercer::Progress;
/// use mercer::linalg::Matrix;
/// use mercer::linalg::eigen::{Eigensolver, MAX_SWEEPS, TridiagonalQr};
/// let mut a = Matrix::from_rows([[4.0_f32, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]]);
/// let (mut values, mut scratch) = ([0.0; 3], [0.0; 3]);
/// let mut solver = TridiagonalQr::start(&mut a.view_mut(), MAX_SWEEPS)?;
/// while solver.step(&mut a.view_mut(), &mut values, &mut scratch, 1)? == Progress::Working {
///     // feed the watchdog, poll the radio
/// }
/// assert!((values.iter().sum::<f32>() - 9.0).abs() < 1e-5); // the trace
/// // Of the first eigenvector, for the eigenvalue 3 + √3.
/// assert!((a.view().row(0)[1] - 0.577_350_3).abs() < 1e-6);
/// # Ok::<(), mercer::Error>(())
/// ```
pub trait Eigensolver<T: Real>: Copy + Debug + PartialEq + sealed::Sealed {
    /// Memory for it beside a matrix of at most `N` rows.
    type Memory<const N: usize>: Memory<T>;

    /// How many numbers it needs beside a matrix of so many rows.
    fn scratch_len(rows: usize) -> usize;

    /// Checks the matrix, and scales it if its squares could overflow or vanish.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`] or [`Error::NotSymmetric`].
    fn start(matrix: &mut MatrixViewMut<'_, T>, max_sweeps: usize) -> Result<Self, Error>;

    /// Does at most `operations` of them, each of `O(n)`: a row of a reflection, a rotation, an
    /// exchange of two eigenpairs, a sign. (`Jacobi` also reads the matrix before a sweep.)
    ///
    /// `values` has a place for each row, `scratch` is [`scratch_len`](Self::scratch_len) long.
    /// When it is [`Done`](Progress::Done), the eigenvalues are in `values` and the eigenvectors
    /// are the rows of `matrix`, sorted and with their signs settled.
    ///
    /// # Errors
    /// [`Error::Shape`] when `values` or `scratch` has another length; [`Error::NoConvergence`]
    /// when the allowed sweeps are used up; [`Error::EigenvalueOverflow`].
    fn step(
        &mut self,
        matrix: &mut MatrixViewMut<'_, T>,
        values: &mut [T],
        scratch: &mut [T],
        operations: usize,
    ) -> Result<Progress, Error>;

    /// Instead of [`step`](Self::step), where fewer eigenvectors than eigenvalues are wanted: goes
    /// on until the eigenvalues are in `values`, and `matrix` is ready for
    /// [`step_vectors`](Self::step_vectors).
    ///
    /// # Errors
    /// Those of [`step`](Self::step).
    fn step_values(
        &mut self,
        matrix: &mut MatrixViewMut<'_, T>,
        values: &mut [T],
        scratch: &mut [T],
        operations: usize,
    ) -> Result<Progress, Error>;

    /// Goes on until the leading eigenvectors are the first rows of `matrix`, and the columns, as
    /// many as are wanted.
    ///
    /// # Errors
    /// [`Error::Shape`] when something has another length.
    fn step_vectors(
        &mut self,
        matrix: &mut MatrixViewMut<'_, T>,
        values: &[T],
        scratch: &mut [T],
        columns: &mut Columns<'_, T>,
        operations: usize,
    ) -> Result<Progress, Error>;

    /// How many sweeps it took so far; `TridiagonalQr`: the most passes for one eigenvalue.
    fn sweeps(&self) -> usize;

    /// Decomposes `matrix = Σ_j values[j] · vectors[j] vectors[j]ᵀ` in one go; returns the sweeps
    /// it took. The eigenvectors take the place of the matrix, as its rows.
    ///
    /// # Errors
    /// Those of [`start`](Self::start) and [`step`](Self::step).
    fn solve(
        matrix: &mut MatrixViewMut<'_, T>,
        values: &mut [T],
        scratch: &mut [T],
        max_sweeps: usize,
    ) -> Result<usize, Error> {
        let mut solver = Self::start(matrix, max_sweeps)?;
        while solver.step(matrix, values, scratch, usize::MAX)? == Progress::Working {}
        Ok(solver.sweeps())
    }

    /// Memory for this solver, from numbers of whatever origin; their count is checked by the fit.
    fn scratch(numbers: &mut [T]) -> EigenScratch<'_, T, Self> {
        EigenScratch { numbers, solver: PhantomData }
    }
}

/// Memory of an eigensolver whose size is known to the compiler.
pub trait Memory<T>: Clone + Debug {
    /// All zeros; a `static` of it stays in `.bss`.
    const EMPTY: Self;

    /// All of it.
    fn as_mut_slice(&mut self) -> &mut [T];
}

impl<T: Real, const N: usize> Memory<T> for [T; N] {
    const EMPTY: Self = [T::ZERO; N];

    fn as_mut_slice(&mut self) -> &mut [T] {
        self
    }
}

impl<T: Real, const N: usize> Memory<T> for Matrix<T, N, N> {
    const EMPTY: Self = Self::zeros();

    fn as_mut_slice(&mut self) -> &mut [T] {
        self.view_mut().into_entries()
    }
}

/// Borrowed memory of an eigensolver; its type says of which one, and so which one a fit is made
/// with. [`Eigensolver::scratch`] makes it.
#[derive(Debug)]
pub struct EigenScratch<'a, T, E = TridiagonalQr<T>> {
    numbers: &'a mut [T],
    solver: PhantomData<E>,
}

impl<T: Real, E: Eigensolver<T>> EigenScratch<'_, T, E> {
    /// The same memory, borrowed for a shorter time.
    pub fn reborrow(&mut self) -> EigenScratch<'_, T, E> {
        E::scratch(self.numbers)
    }

    /// It is as much as a matrix of so many rows takes.
    pub(crate) fn require(&self, rows: usize) -> Result<(), Error> {
        require_shape("scratch", E::scratch_len(rows), self.numbers.len())
    }

    /// The part for a matrix of so many rows, no more than it was made for.
    pub(crate) fn part(&mut self, rows: usize) -> &mut [T] {
        head_mut(self.numbers, E::scratch_len(rows))
    }

    /// As many of its numbers, for another use before or after the solver's.
    pub(crate) fn numbers(&mut self, count: usize) -> &mut [T] {
        head_mut(self.numbers, count)
    }

    /// [`Eigensolver::solve`] with the usual number of sweeps.
    pub(crate) fn solve(
        &mut self,
        matrix: &mut MatrixViewMut<'_, T>,
        values: &mut [T],
    ) -> Result<usize, Error> {
        E::solve(matrix, values, self.numbers, MAX_SWEEPS)
    }
}

/// The part of a workspace's memory for a matrix of so many rows, no more than it is made for.
pub(crate) fn part<T: Real, E: Eigensolver<T>, const N: usize>(
    memory: &mut E::Memory<N>,
    rows: usize,
) -> EigenScratch<'_, T, E> {
    E::scratch(head_mut(memory.as_mut_slice(), E::scratch_len(rows)))
}

/// `values` and `scratch` are of the right sizes for a matrix of so many rows.
pub(super) fn require_room<T: Real, E: Eigensolver<T>>(
    rows: usize,
    values: &[T],
    scratch: &[T],
) -> Result<(), Error> {
    require_shape("eigenvalues", rows, values.len())?;
    require_shape("scratch", E::scratch_len(rows), scratch.len())
}
