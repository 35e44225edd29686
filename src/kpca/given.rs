//! Points that only the caller can compare: their kernel rows are given.

use super::expansion::ExpansionView;
use super::score::Score;
use crate::error::{Error, require_shape};
use crate::math::Real;

impl<T: Real> ExpansionView<'_, T> {
    /// Projects a point given by its kernel row `k_i = k(x, point_i)`.
    ///
    /// # Errors
    /// [`Error::Shape`] when `row` is not as long as there are points, or `projection` as there are
    /// components.
    pub fn project_row(&self, row: &[T], projection: &mut [T]) -> Result<(), Error> {
        self.centre_product(row, projection).map(|_| ())
    }

    /// Projects and scores a point given by `k(x, x)` and its kernel row.
    ///
    /// # Errors
    /// As [`project_row`](Self::project_row).
    pub fn score_row(&self, kxx: T, row: &[T], projection: &mut [T]) -> Result<Score<T>, Error> {
        let centre_product = self.centre_product(row, projection)?;
        let header = self.header();
        let score = Score::new(header, kxx, centre_product, projection, self.variances());
        Ok(score.clamped(header.indefinite))
    }

    /// Writes the projections and returns `Σ β_i k_i`.
    fn centre_product(&self, row: &[T], projection: &mut [T]) -> Result<T, Error> {
        require_shape("kernel row", self.points(), row.len())?;
        require_shape("projection", self.components(), projection.len())?;
        projection.fill(T::ZERO);
        let mut centre_product = T::ZERO;
        for ((&k, weights), &beta) in row.iter().zip(self.weights().iter_rows()).zip(self.centre())
        {
            centre_product += beta * k;
            for (f, &alpha) in projection.iter_mut().zip(weights) {
                *f += alpha * k;
            }
        }
        for (f, &offset) in projection.iter_mut().zip(self.offsets()) {
            *f -= offset;
        }
        Ok(centre_product)
    }
}
