//! The two routes to the axes: through the covariance, and through the inner products.
//!
//! Method, source, domain and bound are those of the [parent](super).

use super::PcaHeader;
use crate::error::{Error, require_capacity, require_shape};
use crate::kernel::gram::check_samples;
use crate::kernel::{Linear, Samples, Vector};
use crate::kpca::Components;
use crate::kpca::components::{Choice, choose};
use crate::linalg::eigen::{self, EigenScratch, Eigensolver, Jacobi, Memory};
use crate::linalg::slices::{head_mut, tail, tail_mut};
use crate::linalg::{Matrix, MatrixView, MatrixViewMut, blocks, rows};
use crate::math::{Real, dot_in_order, sum};

/// Memory for a fit: an `M × M` matrix and a little more, where `M` is the number of inputs or, for
/// a dual fit, of samples.
///
/// `E` is the [eigensolver](eigen) that the fit is made with. Here that is [`Jacobi`]: inputs are
/// few, and where their units differ it knows small variances better. It has a second matrix; with
/// [`TridiagonalQr`](eigen::TridiagonalQr) there is none.
#[derive(Clone, Debug)]
pub struct PcaWorkspace<
    X: Vector,
    const M: usize,
    E: Eigensolver<X::Scalar> = Jacobi<<X as Vector>::Scalar>,
> {
    matrix: Matrix<X::Scalar, M, M>,
    values: [X::Scalar; M],
    solver: E::Memory<M>,
    mean: X,
}

impl<X: Vector, const M: usize, E: Eigensolver<X::Scalar>> PcaWorkspace<X, M, E> {
    /// Bytes it occupies.
    pub const SIZE: usize = size_of::<Self>();

    /// An empty workspace; a `static` of it stays in `.bss`.
    pub const fn new() -> Self {
        Self {
            matrix: Matrix::zeros(),
            values: [X::Scalar::ZERO; M],
            solver: E::Memory::EMPTY,
            mean: X::ZEROS,
        }
    }

    /// The part for a matrix of this side.
    pub(super) fn scratch(
        &mut self,
        what: &'static str,
        side: usize,
    ) -> Result<PcaScratch<'_, X::Scalar, E>, Error> {
        require_capacity(what, side, M)?;
        Ok(PcaScratch {
            matrix: self.matrix.view_mut().into_leading(side, side),
            values: head_mut(&mut self.values, side),
            solver: eigen::part(&mut self.solver, side),
            mean: self.mean.view_mut(),
        })
    }
}

impl<X: Vector, const M: usize, E: Eigensolver<X::Scalar>> Default for PcaWorkspace<X, M, E> {
    fn default() -> Self {
        Self::new()
    }
}

/// Borrowed memory for a fit, of whatever origin; `m` is the number of inputs or, for a dual fit,
/// of samples.
#[derive(Debug)]
pub struct PcaScratch<'a, T, E = Jacobi<T>> {
    /// `m × m`; covariance or inner products, then the eigenvectors as rows.
    pub matrix: MatrixViewMut<'a, T>,
    /// `m`; the variances of all axes, before that sums over samples.
    pub values: &'a mut [T],
    /// For the eigensolver, which it names.
    pub solver: EigenScratch<'a, T, E>,
    /// One for each input; the mean.
    pub mean: &'a mut [T],
}

/// Storage that a fit writes to; the number of axes and variances is the capacity.
#[derive(Debug)]
pub struct PcaMut<'a, T> {
    /// Which part of the arrays is in use, and the scalars; written last.
    pub header: &'a mut PcaHeader<T>,
    /// One for each input.
    pub mean: &'a mut [T],
    /// A row for each component, a column for each input.
    pub axes: MatrixViewMut<'a, T>,
    /// One for each component.
    pub variances: &'a mut [T],
}

/// What a fit found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct PcaReport<T> {
    /// Number of training samples.
    pub samples: usize,
    /// Number of axes kept.
    pub components: usize,
    /// Number of axes that could have been kept: those with a variance above rounding.
    pub rank: usize,
    /// Share of the total variance along the kept axes.
    pub explained: T,
    /// The most passes that the eigensolver took for one eigenvalue.
    pub sweeps: usize,
}

/// Fits through the `d × d` covariance of the inputs.
///
/// About `n·d²/2` multiply-adds and a `d × d` eigenproblem. Nothing is written to `pca` before
/// every check has passed.
///
/// # Errors
/// Whatever is wrong with samples, sizes or the requested components; [`Error::NoVariance`] when
/// all samples are equal; [`Error::NotFinite`] where the covariance overflows;
/// [`Error::NoConvergence`] or [`Error::EigenvalueOverflow`].
pub fn fit<T: Real, S: Samples<View = [T]> + ?Sized, E: Eigensolver<T>>(
    samples: &S,
    components: Components<T>,
    scratch: &mut PcaScratch<'_, T, E>,
    pca: &mut PcaMut<'_, T>,
) -> Result<PcaReport<T>, Error> {
    let d = begin(samples, scratch.mean, scratch.values, pca)?;
    require_shape("covariance rows", d, scratch.matrix.rows())?;
    require_shape("covariance columns", d, scratch.matrix.columns())?;
    scratch.solver.require(d)?;
    for row in scratch.matrix.iter_rows_mut() {
        row.fill(T::ZERO);
    }
    let count = T::from_usize(samples.count());
    // Until the eigensolver needs it: a sample less the mean.
    let centred = scratch.solver.numbers(d);
    scratch.values.fill(T::ZERO);
    for (i, x) in samples.iter_samples().enumerate() {
        if blocks::is_next(i) {
            blocks::set_matrix_aside(&mut scratch.matrix, scratch.values);
        }
        for ((centred, &x), &mean) in centred.iter_mut().zip(x).zip(scratch.mean.iter()) {
            *centred = x - mean;
        }
        let rows = scratch.matrix.iter_rows_mut().zip(centred.iter());
        for (i, (row, &own)) in rows.enumerate() {
            rows::add(tail_mut(row, i), own / count, tail(centred, i));
        }
    }
    blocks::complete_matrix(&mut scratch.matrix, scratch.values);
    solve(samples, components, scratch, pca, |axis, vector, _| {
        for (axis, &entry) in axis.iter_mut().zip(vector) {
            *axis = entry;
        }
    })
}

/// Fits through the `n × n` inner products of the samples: the smaller problem when there are fewer
/// samples than inputs.
///
/// About `d·n²/2` multiply-adds and an `n × n` eigenproblem. Nothing is written to `pca` before
/// every check has passed.
///
/// # Errors
/// Those of [`fit`].
pub fn fit_dual<T: Real, S: Samples<View = [T]> + ?Sized, E: Eigensolver<T>>(
    samples: &S,
    components: Components<T>,
    scratch: &mut PcaScratch<'_, T, E>,
    pca: &mut PcaMut<'_, T>,
) -> Result<PcaReport<T>, Error> {
    // Samples that have a row and a column of a matrix each are not so many.
    begin(samples, scratch.mean, &mut [], pca)?;
    let n = samples.count();
    require_shape("inner product rows", n, scratch.matrix.rows())?;
    require_shape("inner product columns", n, scratch.matrix.columns())?;
    let count = T::from_usize(n);
    for (i, x) in samples.iter_samples().enumerate() {
        let row = tail_mut(scratch.matrix.row_mut(i), i);
        for (entry, y) in row.iter_mut().zip(samples.iter_samples().skip(i)) {
            let pairs = x.iter().zip(y).zip(scratch.mean.iter());
            *entry = sum(pairs.map(|((&x, &y), &mean)| (x - mean) * (y - mean))) / count;
        }
    }
    scratch.matrix.mirror_upper();
    solve(samples, components, scratch, pca, |axis, vector, mean| {
        axis.fill(T::ZERO);
        for (x, &weight) in samples.iter_samples().zip(vector) {
            for ((axis, &x), &mean) in axis.iter_mut().zip(x).zip(mean) {
                *axis += weight * (x - mean);
            }
        }
        // √(nλ) but for rounding, which this leaves out of the axis.
        let length = dot_in_order(axis, axis).sqrt();
        for entry in axis {
            *entry /= length;
        }
    })
}

/// `u·(x − μ)`.
pub(super) fn project_on<T: Real>(axis: &[T], x: &[T], mean: &[T]) -> T {
    sum(axis.iter().zip(x).zip(mean).map(|((&u, &x), &mean)| u * (x - mean)))
}

/// Checks samples and sizes and writes the mean; returns the number of inputs.
///
/// `before` has a place for the sum of each input, or none at all if there are few samples.
fn begin<T: Real, S: Samples<View = [T]> + ?Sized>(
    samples: &S,
    mean: &mut [T],
    before: &mut [T],
    pca: &PcaMut<'_, T>,
) -> Result<usize, Error> {
    check_samples(&Linear, samples)?;
    let first = samples.sample(0).ok_or(Error::TooFewSamples { given: 0, needed: 2 })?;
    let d = first.len();
    require_shape("mean", d, mean.len())?;
    require_shape("mean to write", d, pca.mean.len())?;
    require_shape("inputs of an axis", d, pca.axes.columns())?;
    // Measured from the first sample: equal samples then have no variance at all, and samples far
    // from the origin lose no digits.
    mean.fill(T::ZERO);
    before.fill(T::ZERO);
    for (i, x) in samples.iter_samples().enumerate() {
        if blocks::is_next(i) && !before.is_empty() {
            blocks::set_aside(mean, before);
        }
        for ((mean, &x), &origin) in mean.iter_mut().zip(x).zip(first) {
            *mean += x - origin;
        }
    }
    rows::add(mean, T::ONE, before);
    let count = T::from_usize(samples.count());
    for (mean, &origin) in mean.iter_mut().zip(first) {
        *mean = origin + *mean / count;
    }
    Ok(d)
}

/// Solves the eigenproblem of either matrix, whose eigenvalues are the variances, and writes the
/// axes that `axis_of` makes of the eigenvectors.
fn solve<T: Real, S: Samples<View = [T]> + ?Sized, E: Eigensolver<T>>(
    samples: &S,
    components: Components<T>,
    scratch: &mut PcaScratch<'_, T, E>,
    pca: &mut PcaMut<'_, T>,
    axis_of: impl Fn(&mut [T], &[T], &[T]),
) -> Result<PcaReport<T>, Error> {
    let PcaScratch { matrix, values, solver, mean } = scratch;
    let total_variance = eigen::trace(matrix.view());
    // Each entry is a sum of d products, or of n in blocks; the eigensolver adds rounding in
    // proportion to the side.
    let terms = mean.len().max(blocks::longest(samples.count()));
    let side = T::from_usize(matrix.rows().max(terms));
    let rounding = T::from_f64(4.0) * side * T::EPSILON * matrix.view().largest_below();
    let sweeps = solver.solve(matrix, values)?;
    let capacity = pca.axes.rows().min(pca.variances.len());
    let Choice { components, rank, explained } =
        choose(components, values, rounding, total_variance, capacity)?;
    for (place, &mean) in pca.mean.iter_mut().zip(mean.iter()) {
        *place = mean;
    }
    let vectors: MatrixView<'_, T> = matrix.view();
    let kept = vectors.iter_rows().zip(values.iter()).take(components);
    for ((axis, variance), (vector, &value)) in
        pca.axes.iter_rows_mut().zip(pca.variances.iter_mut()).zip(kept)
    {
        axis_of(axis, vector, mean);
        settle_sign(axis, samples, mean);
        *variance = value;
    }
    let dropped = values.iter().skip(components).map(|&value| T::ZERO.larger(value));
    *pca.header = PcaHeader::new(components as u32, total_variance, sum(dropped));
    Ok(PcaReport { samples: samples.count(), components, rank, explained, sweeps })
}

/// Reverses an axis if the projection of largest magnitude, the first of them, is negative.
fn settle_sign<T: Real, S: Samples<View = [T]> + ?Sized>(axis: &mut [T], samples: &S, mean: &[T]) {
    let projections = samples.iter_samples().map(|x| project_on(axis, x, mean));
    let extreme = projections.fold(T::ZERO, |m, f| if f.abs() > m.abs() { f } else { m });
    if extreme < T::ZERO {
        for entry in axis {
            *entry = -*entry;
        }
    }
}
