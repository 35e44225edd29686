//! The Gram matrix `K_ij = k(x_i, x_j)` and its centring in feature space.
//!
//! **Method.** With row means `m_i = (1/n) Σ_j K_ij` and grand mean `M = (1/n²) Σ_ij K_ij`, the
//! centred matrix is `K̃_ij = K_ij − m_i − m_j + M`: the Gram matrix of the samples after their
//! mean in feature space has been moved to the origin. It is symmetric, and `K̃ e = 0` for the
//! vector of ones `e`.
//!
//! **Source.** Schölkopf, Smola & Müller, *Nonlinear Component Analysis as a Kernel Eigenvalue
//! Problem*, Neural Computation 10, 1998.
//!
//! **Domain.** At least two samples that the kernel accepts, on which its values are finite.
//!
//! **Bound.** Centring subtracts numbers of the size of `K`, so an entry of `K̃` is off by a few
//! roundings of the largest entry of `K`, however small it is itself. It is symmetric to the last
//! bit.

use crate::error::{Error, require_shape};
use crate::kernel::{BlockKernel, Kernel, Samples};
use crate::linalg::MatrixViewMut;
use crate::linalg::rows::row_sum;
use crate::linalg::slices::tail;
use crate::math::{Real, first_not_finite, long_sum};

/// Fills `gram` with `k(x_i, x_j)`; `n(n+1)/2` kernel evaluations.
///
/// ```
/// use mercer::kernel::{Linear, gram};
/// use mercer::linalg::Matrix;
/// let samples = [[1.0, 0.0], [1.0, 2.0], [0.0, 3.0]];
/// let mut k = Matrix::<f64, 3, 3>::zeros();
/// gram::fill(&Linear, samples.as_slice(), &mut k.view_mut())?;
/// assert_eq!(k, Matrix::from_rows([[1.0, 1.0, 0.0], [1.0, 5.0, 6.0], [0.0, 6.0, 9.0]]));
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// A bad kernel parameter, an unusable sample, a matrix that is not `n × n`, or
/// [`Error::NotFinite`] for a pair on which the kernel overflows.
pub fn fill<K, S>(
    kernel: &K,
    samples: &S,
    gram: &mut MatrixViewMut<'_, K::Scalar>,
) -> Result<(), Error>
where
    S: Samples + ?Sized,
    K: BlockKernel<S::View>,
{
    check_samples(kernel, samples)?;
    let n = samples.count();
    for (what, given) in [("gram rows", gram.rows()), ("gram columns", gram.columns())] {
        require_shape(what, n, given)?;
    }
    for (row, x) in samples.iter_samples().enumerate() {
        let Some([diagonal, others @ ..]) = gram.row_mut(row).get_mut(row..) else { break };
        *diagonal = kernel.diagonal(x);
        kernel.eval_row(x, samples.iter_samples().skip(row + 1), others);
        // One check for the whole row: a value that is not finite shows in the sum. (Many large
        // values can overflow there too; they are fine.)
        if !(*diagonal + row_sum(others)).is_finite()
            && let Some(column) = first_not_finite(tail(gram.row_mut(row), row))
        {
            return Err(Error::NotFinite { row, column: row + column });
        }
    }
    gram.mirror_upper();
    Ok(())
}

/// Centres a Gram matrix in place, writes the row means `m_i` and returns the grand mean `M`.
///
/// # Errors
/// [`Error::Shape`] when the matrix is not square or `means` has another length.
pub fn centre<T: Real>(gram: &mut MatrixViewMut<'_, T>, means: &mut [T]) -> Result<T, Error> {
    let n = gram.rows();
    for (what, given) in [("gram columns", gram.columns()), ("row means", means.len())] {
        require_shape(what, n, given)?;
    }
    for (mean, row) in means.iter_mut().zip(gram.view().iter_rows()) {
        *mean = mean_of(row);
    }
    let grand = mean_of(means);
    for (row, &mine) in gram.iter_rows_mut().zip(means.iter()) {
        for (entry, &other) in row.iter_mut().zip(means.iter()) {
            // m_i + m_j first: the result is then symmetric to the last bit.
            *entry = (*entry - (mine + other)) + grand;
        }
    }
    Ok(grand)
}

/// The mean of some values, also where their sum overflows.
fn mean_of<T: Real>(values: &[T]) -> T {
    let count = T::from_usize(values.len().max(1));
    let sum = sum_of_many(values);
    if sum.is_finite() { sum / count } else { long_sum(values.iter().map(|&v| v / count)) }
}

/// How many values of type `f64` are added up in lanes, before [`long_sum`] keeps what rounding
/// would lose.
const IN_LANES: usize = 64;

/// [`long_sum`], for `f64` of sums in lanes.
fn sum_of_many<T: Real>(values: &[T]) -> T {
    if size_of::<T>() > size_of::<f32>() {
        long_sum(values.chunks(IN_LANES).map(row_sum))
    } else {
        long_sum(values.iter().copied())
    }
}

/// The kernel's parameters are valid, there are at least two samples, and each can be used.
pub(crate) fn check_samples<K, S>(kernel: &K, samples: &S) -> Result<(), Error>
where
    S: Samples + ?Sized,
    K: Kernel<S::View>,
{
    kernel.validate()?;
    let given = samples.count();
    let Some(first) = samples.sample(0).filter(|_| given >= 2) else {
        return Err(Error::TooFewSamples { given, needed: 2 });
    };
    for (index, x) in samples.iter_samples().enumerate() {
        kernel.check(x, first).map_err(|fault| Error::Sample { index, fault })?;
    }
    Ok(())
}

/// Some sample is further from the first, in feature space, than rounding explains.
///
/// The squared distance of equal samples is exactly zero, while the trace of their centred Gram
/// matrix is a sum of rounding errors. So this is the test to make.
pub(crate) fn require_variance<K, S>(
    kernel: &K,
    samples: &S,
    norms: impl Iterator<Item = K::Scalar>,
) -> Result<(), Error>
where
    S: Samples + ?Sized,
    K: Kernel<S::View>,
{
    let mut norms = norms.peekable();
    let (Some(first), Some(&norm)) = (samples.sample(0), norms.peek()) else {
        return Err(Error::NoVariance);
    };
    let apart = samples
        .iter_samples()
        .zip(norms)
        .any(|(x, own)| squared_distance([own, norm], kernel.eval(x, first)) != K::Scalar::ZERO);
    if apart { Ok(()) } else { Err(Error::NoVariance) }
}

/// `k(x,x) + k(y,y) − 2k(x,y)`: the squared distance in feature space, and 0 if it is no larger
/// than rounding explains.
pub(crate) fn squared_distance<T: Real>([kxx, kyy]: [T; 2], kxy: T) -> T {
    // Where the sum would overflow, that of quarters does not.
    let part = if (kxx + kyy).is_finite() { T::ONE } else { T::from_f64(0.25) };
    let norms = kxx * part + kyy * part;
    let distance = norms - (kxy * part + kxy * part);
    let rounding = T::from_f64(4.0) * T::EPSILON * norms.abs();
    if distance.abs() > rounding { distance / part } else { T::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Fault;
    use crate::kernel::{Linear, Poly, Rbf};
    use crate::linalg::Matrix;
    use crate::math::Libm;

    #[test]
    fn centring_the_linear_kernel_centres_the_samples() {
        // Samples 1, 2, 6 with mean 3: centred -2, -1, 3.
        let mut k = Matrix::<f64, 3, 3>::zeros();
        fill(&Linear, [[1.0], [2.0], [6.0]].as_slice(), &mut k.view_mut()).unwrap();
        let mut means = [0.0; 3];
        let grand = centre(&mut k.view_mut(), &mut means).unwrap();
        assert_eq!(grand, 9.0);
        assert_eq!(means, [3.0, 6.0, 18.0]);
        let expected = [[4.0, 2.0, -6.0], [2.0, 1.0, -3.0], [-6.0, -3.0, 9.0]];
        assert_eq!(k, Matrix::from_rows(expected));
    }

    #[test]
    fn entries_are_kernel_values() {
        let samples: [[f64; 5]; 7] =
            core::array::from_fn(|i| core::array::from_fn(|j| ((3 * i + 5 * j) % 11) as f64 * 0.3));
        // `Fast` computes many at once, `Libm` one by one.
        let (fast, plain) = (Rbf::new(0.2), Rbf { gamma: 0.2, math: Libm });
        let (mut k, mut reference) = (Matrix::<f64, 7, 7>::zeros(), Matrix::<f64, 7, 7>::zeros());
        fill(&fast, samples.as_slice(), &mut k.view_mut()).unwrap();
        fill(&plain, samples.as_slice(), &mut reference.view_mut()).unwrap();
        for (i, x) in samples.iter().enumerate() {
            for (j, y) in samples.iter().enumerate() {
                let exact = plain.eval(x, y);
                assert_eq!(reference.view().at(i, j), exact);
                assert!((k.view().at(i, j) / exact - 1.0).abs() < 2e-15, "entry {i}, {j}");
            }
        }
        // The value of equal samples is exactly 1. That of samples very far apart is next to
        // nothing, and no error.
        let far = [[0.0], [0.0], [1e200]];
        let mut k = Matrix::<f64, 3, 3>::zeros();
        fill(&fast, far.as_slice(), &mut k.view_mut()).unwrap();
        assert_eq!(k.view().at(0, 1), 1.0);
        assert!(k.view().at(0, 2) < 1e-300);
    }

    #[test]
    fn wrong_sizes_are_named() {
        let mut k = Matrix::<f64, 3, 3>::zeros();
        let two = [[1.0], [2.0]];
        assert_eq!(
            fill(&Linear, two.as_slice(), &mut k.view_mut()),
            Err(Error::Shape { what: "gram rows", expected: 2, given: 3 })
        );
        assert_eq!(
            centre(&mut k.view_mut(), &mut [0.0; 2]),
            Err(Error::Shape { what: "row means", expected: 3, given: 2 })
        );
    }

    #[test]
    fn unusable_samples_are_named() {
        let mut k = Matrix::<f32, 2, 2>::zeros();
        let one = [[1.0_f32]];
        assert_eq!(
            fill(&Linear, one.as_slice(), &mut k.view_mut()),
            Err(Error::TooFewSamples { given: 1, needed: 2 })
        );
        let nan = [[0.0, 1.0], [1.0, f32::NAN]];
        assert_eq!(
            fill(&Linear, nan.as_slice(), &mut k.view_mut()),
            Err(Error::Sample { index: 1, fault: Fault::NotFinite { input: 1 } })
        );
        let ragged: [&[f32]; 2] = [&[0.0, 1.0], &[0.0]];
        assert_eq!(
            fill(&Linear, ragged.as_slice(), &mut k.view_mut()),
            Err(Error::Sample { index: 1, fault: Fault::Length { expected: 2, given: 1 } })
        );
        let huge = [[0.0_f32], [1e20]];
        let poly = Poly { gamma: 1.0, coef0: 0.0, degree: 3 };
        assert_eq!(
            fill(&poly, huge.as_slice(), &mut k.view_mut()),
            Err(Error::NotFinite { row: 1, column: 1 })
        );
    }

    #[test]
    fn equal_samples_have_no_variance() {
        let equal = [[0.1_f32, 0.7]; 5];
        assert_eq!(
            require_variance(&Rbf::new(0.3), equal.as_slice(), [1.0; 5].into_iter()),
            Err(Error::NoVariance)
        );
        let mut apart = equal;
        apart[3][1] = 0.8;
        assert_eq!(
            require_variance(&Rbf::new(0.3), apart.as_slice(), [1.0; 5].into_iter()),
            Ok(())
        );
    }
}
