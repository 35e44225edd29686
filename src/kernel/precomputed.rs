//! A Gram matrix that was computed elsewhere.

use super::{BlockKernel, Kernel};
use crate::error::{Error, Fault};
use crate::linalg::MatrixView;
use crate::linalg::slices::entry;
use crate::math::Real;

/// A Gram matrix as a kernel on row numbers: `k(i, j) = K[i][j]`.
///
/// Samples are then `usize`, and every fit and score works on them as on any other sample. New
/// points are further rows of the same matrix; for points that are not in it, see
/// [`ExpansionView::score_row`](crate::kpca::ExpansionView::score_row).
///
/// ```
/// use mercer::Kernel;
/// use mercer::kernel::Precomputed;
/// use mercer::linalg::Matrix;
/// let similarity = Matrix::from_rows([[1.0_f32, 0.25], [0.25, 1.0]]);
/// let kernel = Precomputed(similarity.view());
/// assert_eq!(kernel.eval(&0, &1), 0.25);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Precomputed<'a, T>(pub MatrixView<'a, T>);

impl<T: Real> Kernel<usize> for Precomputed<'_, T> {
    type Scalar = T;
    /// Rows outside the matrix are for [`check`](Kernel::check) to refuse beforehand.
    fn eval(&self, x: &usize, y: &usize) -> T {
        entry(self.0.row(*x), *y)
    }
    /// The matrix must be square, finite and symmetric.
    fn validate(&self) -> Result<(), Error> {
        self.0.require_symmetric().map(|_| ())
    }
    fn check(&self, x: &usize, _: &usize) -> Result<(), Fault> {
        let size = self.0.rows();
        if *x < size { Ok(()) } else { Err(Fault::OutOfRange { size }) }
    }
}

impl<T: Real> BlockKernel<usize> for Precomputed<'_, T> {}
