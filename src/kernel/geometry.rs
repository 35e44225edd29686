//! Geometry in feature space, from kernel values alone.
//!
//! **Method.** For `φ` with `k(x, y) = ⟨φ(x), φ(y)⟩`, samples `x_1 … x_n` and their (uncentred)
//! Gram matrix `K`:
//!
//! | | |
//! |---|---|
//! | [`norm`] | `‖φ(x)‖ = √k(x,x)` |
//! | [`distance`] | `‖φ(x) − φ(y)‖² = k(x,x) + k(y,y) − 2k(x,y)` |
//! | [`combination_norm`] | `‖Σ a_i φ(x_i)‖² = aᵀKa` |
//! | [`centre_norm`] | `‖φ̄‖² = M`, the mean of all entries of `K` |
//! | [`centre_distance`] | `‖φ(x) − φ̄‖² = k(x,x) − (2/n) Σ k(x,x_i) + M` |
//! | [`spread`] | mean squared distance to the centre, `(1/n) Σ K_ii − M` |
//! | [`variance_along`] | along `Σ a_i φ(x_i)`, `(1/n) aᵀK²a − ((1/n) aᵀKe)²` |
//!
//! **Source.** Shawe-Taylor & Cristianini, *Kernel Methods for Pattern Analysis*, 2004, §5.1.
//!
//! **Domain.** Positive semi-definite kernels; square Gram matrices with at least one row.
//!
//! **Bound.** With exact kernel values, `‖φ(x) − φ(y)‖²` is off by at most `2ε (k(x,x) + k(y,y))`,
//! sums over `n` entries by `n·ε` of the sum of their magnitudes. Squares that rounding would make
//! negative count as 0 before a root is taken.

use crate::error::Error;
use crate::kernel::Kernel;
use crate::linalg::MatrixView;
use crate::math::{Real, dot_in_order, sum};

/// The root of a square; 0 if rounding made the square negative.
fn root<T: Real>(squared: T) -> T {
    T::ZERO.larger(squared).sqrt()
}

/// Checks that the matrix is square and that there are as many coefficients as rows.
fn require_square<T: Real>(gram: &MatrixView<'_, T>, coefficients: usize) -> Result<(), Error> {
    let expected = gram.rows();
    for (what, given) in [("gram columns", gram.columns()), ("coefficients", coefficients)] {
        if given != expected {
            return Err(Error::Shape { what, expected, given });
        }
    }
    if expected == 0 {
        return Err(Error::TooFewSamples { given: 0, needed: 1 });
    }
    Ok(())
}

/// Length of `φ(x)`.
pub fn norm<X: ?Sized, K: Kernel<X>>(kernel: &K, x: &X) -> K::Scalar {
    root(kernel.diagonal(x))
}

/// Distance between `φ(x)` and `φ(y)`.
///
/// ```
/// use mercer::kernel::{Linear, geometry};
/// assert_eq!(geometry::distance(&Linear, [0.0, 3.0].as_slice(), &[4.0, 0.0]), 5.0);
/// ```
pub fn distance<X: ?Sized, K: Kernel<X>>(kernel: &K, x: &X, y: &X) -> K::Scalar {
    let cross = kernel.eval(x, y);
    root(kernel.diagonal(x) + kernel.diagonal(y) - (cross + cross))
}

/// Length of `Σ a_i φ(x_i)`.
///
/// # Errors
/// [`Error::Shape`] when the matrix is not square or `a` has another length.
pub fn combination_norm<T: Real>(gram: MatrixView<'_, T>, a: &[T]) -> Result<T, Error> {
    require_square(&gram, a.len())?;
    Ok(root(sum(gram.iter_rows().zip(a).map(|(row, &a_i)| a_i * dot_in_order(row, a)))))
}

/// Distance of the centre of mass `φ̄` from the origin.
///
/// # Errors
/// [`Error::Shape`] when the matrix is not square.
pub fn centre_norm<T: Real>(gram: MatrixView<'_, T>) -> Result<T, Error> {
    Ok(root(grand_mean(gram)?))
}

/// Distance from `φ(x)` to the centre of mass, from `k(x,x)` and the row `k(x, x_i)`.
///
/// # Errors
/// [`Error::Shape`] when the matrix is not square or `row` has another length.
pub fn centre_distance<T: Real>(gram: MatrixView<'_, T>, kxx: T, row: &[T]) -> Result<T, Error> {
    require_square(&gram, row.len())?;
    let mean = sum(row.iter().copied()) / T::from_usize(row.len());
    Ok(root(kxx - (mean + mean) + grand_mean(gram)?))
}

/// Mean squared distance of the samples to their centre: the total variance in feature space.
///
/// # Errors
/// [`Error::Shape`] when the matrix is not square.
pub fn spread<T: Real>(gram: MatrixView<'_, T>) -> Result<T, Error> {
    let grand = grand_mean(gram)?;
    Ok(sum(gram.diagonal()) / T::from_usize(gram.rows()) - grand)
}

/// Variance of the samples along `v = Σ a_i φ(x_i)`; along the unit vector when `aᵀKa = 1`.
///
/// # Errors
/// [`Error::Shape`] when the matrix is not square or `a` has another length.
pub fn variance_along<T: Real>(gram: MatrixView<'_, T>, a: &[T]) -> Result<T, Error> {
    require_square(&gram, a.len())?;
    let n = T::from_usize(a.len());
    // (Ka)_i = ⟨v, φ(x_i)⟩: its variance is computed around its mean, where nothing cancels.
    let mean = sum(gram.iter_rows().map(|row| dot_in_order(row, a))) / n;
    let deviation = |row| dot_in_order(row, a) - mean;
    Ok(sum(gram.iter_rows().map(|row| deviation(row) * deviation(row))) / n)
}

/// `M`, the mean of all entries.
fn grand_mean<T: Real>(gram: MatrixView<'_, T>) -> Result<T, Error> {
    let n = gram.rows();
    require_square(&gram, n)?;
    let total = sum(gram.iter_rows().map(|row| sum(row.iter().copied())));
    Ok(total / T::from_usize(n) / T::from_usize(n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Linear, Rbf, gram};
    use crate::linalg::Matrix;

    const SAMPLES: [[f64; 2]; 4] = [[1.0, 2.0], [3.0, -1.0], [0.5, 0.0], [-2.0, 4.0]];

    fn linear() -> Matrix<f64, 4, 4> {
        let mut k = Matrix::zeros();
        gram::fill(&Linear, SAMPLES.as_slice(), &mut k.view_mut()).unwrap();
        k
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-13 * b.abs().max(1.0), "{a} is not {b}");
    }

    /// With the linear kernel feature space is the plane: compare with coordinates.
    #[test]
    fn linear_kernel_gives_plane_geometry() {
        let k = linear();
        let mean = [0.625, 1.25];
        close(norm(&Linear, SAMPLES[0].as_slice()), 5.0_f64.sqrt());
        close(distance(&Linear, SAMPLES[0].as_slice(), &SAMPLES[1]), 13.0_f64.sqrt());
        close(centre_norm(k.view()).unwrap(), (0.625_f64 * 0.625 + 1.25 * 1.25).sqrt());
        let a = [1.0, -1.0, 2.0, 0.5];
        let v = [1.0 - 3.0 + 1.0 - 1.0, 2.0 + 1.0 + 2.0];
        close(combination_norm(k.view(), &a).unwrap(), (v[0] * v[0] + v[1] * v[1]).sqrt());
        let x = [2.0, 2.0];
        let row: [f64; 4] = SAMPLES.map(|s| dot_in_order(&s, &x));
        let to_centre =
            ((2.0 - mean[0]) * (2.0 - mean[0]) + (2.0 - mean[1]) * (2.0 - mean[1])).sqrt();
        close(centre_distance(k.view(), 8.0, &row).unwrap(), to_centre);
        let squared = |s: &[f64; 2]| (s[0] - mean[0]).powi(2) + (s[1] - mean[1]).powi(2);
        close(spread(k.view()).unwrap(), SAMPLES.iter().map(squared).sum::<f64>() / 4.0);
        let along = SAMPLES.map(|s| dot_in_order(&s, &v));
        let mean = along.iter().sum::<f64>() / 4.0;
        let variance = along.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / 4.0;
        close(variance_along(k.view(), &a).unwrap(), variance);
    }

    #[test]
    fn variance_follows_the_formula_of_the_lecture() {
        let mut k = Matrix::<f64, 4, 4>::zeros();
        gram::fill(&Rbf::new(0.2), SAMPLES.as_slice(), &mut k.view_mut()).unwrap();
        let a = [0.3, -0.8, 0.1, 0.9];
        let ka: [f64; 4] = core::array::from_fn(|i| dot_in_order(k.view().row(i), &a));
        let expected = dot_in_order(&ka, &ka) / 4.0 - (ka.iter().sum::<f64>() / 4.0).powi(2);
        close(variance_along(k.view(), &a).unwrap(), expected);
    }

    #[test]
    fn sizes_are_checked() {
        let k = linear();
        let wrong = Error::Shape { what: "coefficients", expected: 4, given: 3 };
        assert_eq!(combination_norm(k.view(), &[0.0; 3]), Err(wrong));
        assert_eq!(variance_along(k.view(), &[0.0; 3]), Err(wrong));
        assert_eq!(centre_distance(k.view(), 1.0, &[0.0; 3]), Err(wrong));
        let oblong = Error::Shape { what: "gram columns", expected: 4, given: 2 };
        assert_eq!(spread(k.view().leading(4, 2)), Err(oblong));
        assert_eq!(
            centre_norm(k.view().leading(0, 0)),
            Err(Error::TooFewSamples { given: 0, needed: 1 })
        );
    }
}
