//! Rows of numbers whose sizes come from a file.

use mercer::kernel::Samples;
use mercer::linalg::{MatrixView, MatrixViewMut};
use mercer::math::Real;

/// A matrix in a vector, row by row; also a collection of samples, one a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Grid<T> {
    columns: usize,
    data: Vec<T>,
}

impl<T: Real> Grid<T> {
    /// No rows yet, each of them to be this long.
    pub(crate) fn new(columns: usize) -> Self {
        Self { columns, data: Vec::new() }
    }

    /// All zeros.
    pub(crate) fn zeros(rows: usize, columns: usize) -> Self {
        Self { columns, data: vec![T::ZERO; rows * columns] }
    }

    /// Adds a row, which must be as long as the others.
    pub(crate) fn push(&mut self, row: &[T]) {
        assert_eq!(row.len(), self.columns, "rows of one length");
        self.data.extend_from_slice(row);
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.data.len() / self.columns.max(1)
    }

    /// The length of a row.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Row by row.
    pub(crate) fn iter_rows(&self) -> impl ExactSizeIterator<Item = &[T]> {
        self.data.chunks_exact(self.columns.max(1))
    }

    /// Row by row, to write.
    pub(crate) fn iter_rows_mut(&mut self) -> impl Iterator<Item = &mut [T]> {
        self.data.chunks_exact_mut(self.columns.max(1))
    }

    /// For the library to read.
    pub(crate) fn view(&self) -> MatrixView<'_, T> {
        MatrixView::new(&self.data, self.rows(), self.columns)
            .expect("as many entries as the sizes say")
    }

    /// For the library to write.
    pub(crate) fn view_mut(&mut self) -> MatrixViewMut<'_, T> {
        let rows = self.rows();
        MatrixViewMut::new(&mut self.data, rows, self.columns)
            .expect("as many entries as the sizes say")
    }
}

impl<T: Real> Samples for Grid<T> {
    type View = [T];
    fn count(&self) -> usize {
        self.rows()
    }
    fn sample(&self, index: usize) -> Option<&[T]> {
        self.data.get(index * self.columns..(index + 1) * self.columns)
    }
    fn iter_samples(&self) -> impl Iterator<Item = &[T]> {
        self.iter_rows()
    }
}
