//! Matrices: const-generic owners, borrowed views with run-time sizes.
//!
//! [`Matrix`] owns its storage, so that a firmware can place it in a `static`. All algorithms
//! take [`MatrixView`] or [`MatrixViewMut`], whose sizes are values: there is one copy of each
//! algorithm in flash, and a host program can use the same functions on sizes it reads from a file.

use core::ops::Range;

use crate::error::{Error, require_shape};
use crate::linalg::lanes::{LANES, four};
use crate::linalg::slices::{entry, head, head_mut, part_mut, set, split_mut, tail, tail_mut};
use crate::math::Real;

/// An `R × C` matrix that owns its entries, stored row by row.
///
/// ```
/// use mercer::linalg::Matrix;
/// static A: Matrix<f32, 2, 3> = Matrix::from_rows([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(A.view().row(1), [4.0, 5.0, 6.0]);
/// assert_eq!(A.view().get(0, 2), Some(3.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Matrix<T, const R: usize, const C: usize> {
    rows: [[T; C]; R],
}

impl<T: Real, const R: usize, const C: usize> Matrix<T, R, C> {
    /// A matrix of zeros; a `static` of it stays in `.bss`.
    pub const fn zeros() -> Self {
        Self { rows: [[T::ZERO; C]; R] }
    }
}

impl<T: Real, const R: usize, const C: usize> Default for Matrix<T, R, C> {
    fn default() -> Self {
        Self::zeros()
    }
}

impl<T, const R: usize, const C: usize> Matrix<T, R, C> {
    /// A matrix from its rows.
    pub const fn from_rows(rows: [[T; C]; R]) -> Self {
        Self { rows }
    }

    /// The rows, with their length known to the compiler.
    pub(crate) const fn as_rows(&self) -> &[[T; C]; R] {
        &self.rows
    }

    /// The whole matrix as a view.
    pub const fn view(&self) -> MatrixView<'_, T> {
        MatrixView { data: self.rows.as_flattened(), rows: R, columns: C, stride: C }
    }

    /// The whole matrix as a view that can be written.
    pub const fn view_mut(&mut self) -> MatrixViewMut<'_, T> {
        MatrixViewMut { data: self.rows.as_flattened_mut(), rows: R, columns: C, stride: C }
    }
}

/// A borrowed matrix whose sizes are run-time values.
///
/// Rows may be part of longer rows (`stride`), so the leading block of a larger matrix is a view,
/// too.
#[derive(Clone, Copy, Debug)]
pub struct MatrixView<'a, T> {
    data: &'a [T],
    rows: usize,
    columns: usize,
    stride: usize,
}

/// A borrowed matrix that can be written; see [`MatrixView`].
#[derive(Debug)]
pub struct MatrixViewMut<'a, T> {
    data: &'a mut [T],
    rows: usize,
    columns: usize,
    stride: usize,
}

/// The columns of a view in a row of the matrix that it is part of.
///
/// Like [`head`], but a slip would leave the row as long as it is: fewer instructions for every
/// row.
fn leading_part<T>(row: &[T], columns: usize) -> &[T] {
    debug_assert!(columns <= row.len(), "{columns} of {} columns", row.len());
    row.get(..columns).unwrap_or(row)
}

/// The same, to write.
fn leading_part_mut<T>(row: &mut [T], columns: usize) -> &mut [T] {
    debug_assert!(columns <= row.len(), "{columns} of {} columns", row.len());
    let columns = columns.min(row.len());
    head_mut(row, columns)
}

fn require_length(length: usize, rows: usize, columns: usize) -> Result<(), Error> {
    // No slice is as long as a product that overflows.
    require_shape("matrix data", rows.saturating_mul(columns), length)
}

impl<'a, T> MatrixView<'a, T> {
    /// A view of `rows × columns` entries stored row by row.
    ///
    /// # Errors
    /// [`Error::Shape`] when `data` has another length.
    pub fn new(data: &'a [T], rows: usize, columns: usize) -> Result<Self, Error> {
        require_length(data.len(), rows, columns)?;
        Ok(Self { data, rows, columns, stride: columns })
    }

    /// Number of rows.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// Row `i`; empty when there is no such row.
    pub fn row(&self, i: usize) -> &'a [T] {
        let start = i * self.stride;
        if i >= self.rows {
            return &[];
        }
        debug_assert!(start + self.columns <= self.data.len(), "row {i} is not all there");
        // Not through `slices`: written out, here and in `row_mut`, fits take up to 2.7 % fewer
        // instructions.
        self.data.get(start..start + self.columns).unwrap_or(&[])
    }

    /// The rows in order.
    pub fn iter_rows(&self) -> impl Iterator<Item = &'a [T]> + use<'a, T> {
        let columns = self.columns;
        let rows = self.data.chunks(self.stride.max(1)).take(self.rows);
        rows.map(move |row| leading_part(row, columns))
    }

    /// Some of the rows, as far as there are so many.
    pub(crate) fn part(&self, rows: Range<usize>) -> MatrixView<'a, T> {
        let end = rows.end.min(self.rows);
        let start = rows.start.min(end);
        Self { data: tail(self.data, start * self.stride), rows: end - start, ..*self }
    }

    /// The rows in order, each with what stands behind it in the matrix that this is part of: all
    /// are equally long, so that a loop over them checks a column once.
    #[inline(always)]
    pub(crate) fn whole_rows(&self) -> WholeRows<&'a [T]> {
        let left = head(self.data, self.rows * self.stride);
        WholeRows { left, stride: self.stride.max(1) }
    }

    /// The leading block of at most `rows × columns`.
    pub fn leading(&self, rows: usize, columns: usize) -> MatrixView<'a, T> {
        Self { rows: rows.min(self.rows), columns: columns.min(self.columns), ..*self }
    }
}

impl<T: Copy> MatrixView<'_, T> {
    /// Entry at row `i` and column `j`.
    pub fn get(&self, i: usize, j: usize) -> Option<T> {
        self.row(i).get(j).copied()
    }
}

impl<T: Real> MatrixView<'_, T> {
    /// Entry at row `i` and column `j`, both known to lie inside.
    pub(crate) fn at(&self, i: usize, j: usize) -> T {
        debug_assert!(i < self.rows && j < self.columns, "({i}, {j}) is outside");
        entry(self.data, i * self.stride + j)
    }

    /// The entries of the main diagonal.
    pub fn diagonal(&self) -> impl Iterator<Item = T> {
        let view = *self;
        (0..self.rows.min(self.columns)).map(move |i| view.at(i, i))
    }

    /// Magnitude of the largest entry of a symmetric matrix, from its lower triangle.
    pub(crate) fn largest_below(&self) -> T {
        let mut largest = T::ZERO;
        for (i, row) in self.iter_rows().enumerate() {
            largest =
                head(row, i + 1).iter().fold(largest, |largest, entry| largest.larger(entry.abs()));
        }
        largest
    }

    /// The number of rows of a square, finite, symmetric matrix.
    ///
    /// Entries count as equal when they differ by no more than `n·ε` of the largest one.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`] or [`Error::NotSymmetric`].
    pub fn require_symmetric(&self) -> Result<usize, Error> {
        self.symmetric_largest().map(|_| self.rows)
    }

    /// Magnitude of the largest entry of such a matrix, to rounding.
    ///
    /// # Errors
    /// Those of [`require_symmetric`](Self::require_symmetric).
    pub(crate) fn symmetric_largest(&self) -> Result<T, Error> {
        require_shape("matrix columns", self.rows, self.columns)?;
        let largest = self.largest_below();
        let rounding = largest * T::EPSILON * T::from_usize(self.rows);
        // What is not finite then differs from everything, also from itself.
        let rounding = if rounding.is_finite() { rounding } else { T::ZERO };
        for (row, entries) in self.iter_rows().enumerate() {
            let mut pairs = tail(entries, row).iter().zip(self.whole_rows().skip(row));
            let is_same = |(&a, b): (&T, &[T])| (a - entry(b, row)).abs() <= rounding;
            if let Some(behind) = pairs.position(|pair| !is_same(pair)) {
                return Err(self.not_finite_or(Error::NotSymmetric { row, column: row + behind }));
            }
        }
        Ok(largest)
    }

    /// The first entry that is not finite, or another error if all are.
    fn not_finite_or(&self, other: Error) -> Error {
        let bad = |entries: &[T]| entries.iter().position(|entry| !entry.is_finite());
        let mut rows = self.iter_rows().enumerate();
        let found = rows.find_map(|(row, entries)| bad(entries).map(|column| (row, column)));
        found.map_or(other, |(row, column)| Error::NotFinite { row, column })
    }
}

impl<'a, T> MatrixViewMut<'a, T> {
    /// A view of `rows × columns` entries stored row by row.
    ///
    /// # Errors
    /// [`Error::Shape`] when `data` has another length.
    pub fn new(data: &'a mut [T], rows: usize, columns: usize) -> Result<Self, Error> {
        require_length(data.len(), rows, columns)?;
        Ok(Self { data, rows, columns, stride: columns })
    }

    /// Number of rows.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// The same matrix to read.
    pub const fn view(&self) -> MatrixView<'_, T> {
        MatrixView { data: self.data, rows: self.rows, columns: self.columns, stride: self.stride }
    }

    /// The same matrix, borrowed for a shorter time.
    pub const fn reborrow(&mut self) -> MatrixViewMut<'_, T> {
        MatrixViewMut {
            data: self.data,
            rows: self.rows,
            columns: self.columns,
            stride: self.stride,
        }
    }

    /// The leading block of at most `rows × columns`.
    pub fn into_leading(self, rows: usize, columns: usize) -> MatrixViewMut<'a, T> {
        Self { rows: rows.min(self.rows), columns: columns.min(self.columns), ..self }
    }

    /// Row `i`; empty when there is no such row.
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        let start = i * self.stride;
        if i >= self.rows {
            return &mut [];
        }
        debug_assert!(start + self.columns <= self.data.len(), "row {i} is not all there");
        self.data.get_mut(start..start + self.columns).unwrap_or_default()
    }

    /// The rows in order, each with what stands behind it; see [`MatrixView::whole_rows`].
    #[inline(always)]
    pub(crate) fn whole_rows_mut(&mut self) -> WholeRows<&mut [T]> {
        let left = head_mut(self.data, self.rows * self.stride);
        WholeRows { left, stride: self.stride.max(1) }
    }

    /// The rows in order.
    pub fn iter_rows_mut(&mut self) -> impl Iterator<Item = &mut [T]> {
        let columns = self.columns;
        let rows = self.data.chunks_mut(self.stride.max(1)).take(self.rows);
        rows.map(move |row| leading_part_mut(row, columns))
    }

    /// Rows `first < second` together.
    pub(crate) fn row_pair_mut(&mut self, first: usize, second: usize) -> (&mut [T], &mut [T]) {
        debug_assert!(first < second && second < self.rows, "rows {first}, {second}");
        // Not through `slices`: to return at once is cheaper than to go on with empty parts.
        let Some((above, below)) = self.data.split_at_mut_checked(second * self.stride) else {
            debug_assert!(false, "row {second} is not all there");
            return (&mut [], &mut []);
        };
        (part_mut(above, first * self.stride, self.columns), head_mut(below, self.columns))
    }

    /// Row `i`, which is there, with the rows above and below it.
    pub(crate) fn around_row_mut(
        &mut self,
        i: usize,
    ) -> (MatrixViewMut<'_, T>, &mut [T], MatrixViewMut<'_, T>) {
        debug_assert!(i < self.rows, "row {i} of {}", self.rows);
        let (columns, stride) = (self.columns, self.stride);
        let (above, rest) = split_mut(self.data, i * stride);
        let (row, below) = split_mut(rest, stride);
        let part = |data, rows| MatrixViewMut { data, rows, columns, stride };
        let left = self.rows.saturating_sub(i + 1);
        (part(above, i), head_mut(row, columns), part(below, left))
    }

    /// All entries of a whole matrix.
    pub(crate) fn into_entries(self) -> &'a mut [T] {
        self.data
    }

    /// Exchanges rows `first < second`.
    pub(crate) fn swap_rows(&mut self, first: usize, second: usize) {
        let (a, b) = self.row_pair_mut(first, second);
        for (a, b) in a.iter_mut().zip(b) {
            core::mem::swap(a, b);
        }
    }
}

impl<T: Real> MatrixViewMut<'_, T> {
    /// Entry at row `i` and column `j`, both known to lie inside.
    pub(crate) fn at(&self, i: usize, j: usize) -> T {
        self.view().at(i, j)
    }

    /// Writes the entry at row `i` and column `j`, both known to lie inside.
    pub(crate) fn set(&mut self, i: usize, j: usize, value: T) {
        debug_assert!(i < self.rows && j < self.columns, "({i}, {j}) is outside");
        set(self.data, i * self.stride + j, value);
    }

    /// Makes this the identity (ones on the main diagonal).
    pub(crate) fn set_identity(&mut self) {
        for (i, row) in self.iter_rows_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                *entry = if i == j { T::ONE } else { T::ZERO };
            }
        }
    }

    /// Copies the upper triangle to the lower one.
    ///
    /// For `f64`, the type of hosts, four rows at a time: of what stands above them, four entries
    /// are then read together, which one by one come from four lines of a cache.
    pub(crate) fn mirror_upper(&mut self) {
        let stride = self.stride.max(1);
        let in_fours =
            if size_of::<T>() > size_of::<f32>() { self.rows / LANES * LANES } else { 0 };
        for first in (0..in_fours).step_by(LANES) {
            let (above, rows) = split_mut(self.data, first * stride);
            mirror_four(above.chunks(stride), first, rows, stride);
        }
        for i in 1..self.rows {
            let done = if i < in_fours { i / LANES * LANES } else { 0 };
            let (above, row) = split_mut(self.data, i * stride);
            for (place, above) in
                tail_mut(row, done).iter_mut().zip(above.chunks(stride).skip(done))
            {
                *place = entry(above, i);
            }
        }
    }
}

/// Writes what stands above four rows, from column `first` on, to their beginnings.
fn mirror_four<'a, T: Real>(
    above: impl Iterator<Item = &'a [T]>,
    first: usize,
    rows: &mut [T],
    stride: usize,
) {
    let (a, rows) = split_mut(rows, stride);
    let (b, rows) = split_mut(rows, stride);
    let (c, d) = split_mut(rows, stride);
    let places = a.iter_mut().zip(b).zip(c).zip(d);
    for ((((a, b), c), d), above) in places.zip(above) {
        if let Some(column) = four(above, first) {
            [*a, *b, *c, *d] = column;
        }
    }
}

/// Rows of equal length, one after the other.
///
/// Not `chunks_exact`, although a loop over that and other numbers takes a tenth fewer
/// instructions: it divides by the length, and where the compiler optimises for size it does so in
/// a function of its own, which does not know that the length is not 0, and can panic.
#[derive(Clone, Debug)]
pub(crate) struct WholeRows<D> {
    left: D,
    stride: usize,
}

impl<'a, T> Iterator for WholeRows<&'a [T]> {
    type Item = &'a [T];
    #[inline(always)]
    fn next(&mut self) -> Option<&'a [T]> {
        let (row, left) = self.left.split_at_checked(self.stride)?;
        self.left = left;
        Some(row)
    }
}

impl<'a, T> Iterator for WholeRows<&'a mut [T]> {
    type Item = &'a mut [T];
    #[inline(always)]
    fn next(&mut self) -> Option<&'a mut [T]> {
        let (row, left) = core::mem::take(&mut self.left).split_at_mut_checked(self.stride)?;
        self.left = left;
        Some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Matrix<f64, 3, 3> =
        Matrix::from_rows([[2.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 4.0]]);

    #[test]
    fn leading_block_keeps_the_stride() {
        let block = A.view().leading(2, 2);
        assert_eq!((block.rows(), block.columns()), (2, 2));
        assert_eq!(block.row(0), [2.0, 1.0]);
        assert_eq!(block.row(1), [1.0, 3.0]);
        assert!(block.row(2).is_empty());
        assert_eq!(block.get(1, 2), None);
        assert!(block.iter_rows().eq([[2.0, 1.0], [1.0, 3.0]]));
    }

    #[test]
    fn views_of_slices_check_the_length() {
        assert!(MatrixView::new(&[0.0; 6], 2, 3).is_ok());
        let short = MatrixView::new(&[0.0; 5], 2, 3).unwrap_err();
        assert_eq!(short, Error::Shape { what: "matrix data", expected: 6, given: 5 });
        assert!(MatrixViewMut::new(&mut [0.0; 5], usize::MAX, 2).is_err());
    }

    #[test]
    fn symmetry_is_checked_to_rounding() {
        assert_eq!(A.view().require_symmetric(), Ok(3));
        let mut b = A;
        b.view_mut().set(2, 1, -1.0 + 1e-15);
        assert_eq!(b.view().require_symmetric(), Ok(3));
        b.view_mut().set(2, 1, -1.0 + 1e-12);
        assert_eq!(b.view().require_symmetric(), Err(Error::NotSymmetric { row: 1, column: 2 }));
        b.view_mut().set(2, 0, f64::NAN);
        assert_eq!(b.view().require_symmetric(), Err(Error::NotFinite { row: 2, column: 0 }));
        let oblong = Matrix::<f64, 2, 3>::zeros();
        assert!(matches!(oblong.view().require_symmetric(), Err(Error::Shape { .. })));
    }

    #[test]
    fn rows_swap_and_mirror() {
        let mut b = A;
        b.view_mut().swap_rows(0, 2);
        assert_eq!(b.view().row(0), [0.5, -1.0, 4.0]);
        assert_eq!(b.view().row(2), [2.0, 1.0, 0.5]);
        let mut c = Matrix::from_rows([[1.0, 2.0], [9.0, 3.0]]);
        c.view_mut().set_identity();
        assert_eq!(c, Matrix::from_rows([[1.0, 0.0], [0.0, 1.0]]));
    }

    /// Whole groups of four rows and the rest, also where the matrix is part of a larger one.
    #[test]
    fn a_mirrored_triangle_is_its_transpose() {
        const ROOM: usize = 13;
        let full = Matrix::<f64, ROOM, ROOM>::from_rows(core::array::from_fn(|i| {
            core::array::from_fn(|j| (100 * i + j) as f64)
        }));
        for n in 0..=ROOM {
            let mut mirrored = full;
            mirrored.view_mut().into_leading(n, n).mirror_upper();
            for i in 0..ROOM {
                for j in 0..ROOM {
                    let (a, b) = if i < n && j < i { (j, i) } else { (i, j) };
                    assert_eq!(mirrored.view().at(i, j), full.view().at(a, b), "{n}: ({i}, {j})");
                }
            }
        }
    }
}
