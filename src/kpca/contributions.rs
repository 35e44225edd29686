//! How strongly the reconstruction error depends on each input, from its gradient.
//!
//! **Method.** Let `f_j` be the projections of `x`, and `w_i = β_i + Σ_j f_j α_ji` the weights of
//! its reconstruction `Σ_i w_i φ(point_i)`. The gradient of
//! `SPE = k(x,x) − 2 Σ β_i k_i + ‖centre‖² − Σ f_j²` is
//!
//! `∂SPE/∂x = ∂k(x,x)/∂x − 2 Σ_i w_i ∂k(x, point_i)/∂x`, and input `l` contributes
//! `c_l = x_l · ∂SPE/∂x_l`:
//!
//! to first order, by how much SPE would fall if input `l` went back to 0, which is its mean when
//! inputs are scaled. For a kernel of a distance, `∂k(x, p)/∂x = g·(p − x)`, so a block of points
//! adds `Σ g_i p_i − x Σ g_i`. The kernel values of the score are kept: the gradient then takes
//! `R·(P + d)` multiply-adds more, less than a score.
//!
//! **Source.** Cho, Lee, Choi, Lee & Lee, *Fault Identification for Process Monitoring Using Kernel
//! Principal Component Analysis*, Chemical Engineering Science 60, 2005.
//!
//! **Domain.** Far from all points the SPE of a Gaussian kernel is flat. Where `Σ|c_l| ≤ ε·SPE`, a
//! change of the inputs by their own size would be lost in rounding, and the gradient soon
//! underflows; then `c_l = SPE · x_l²/‖x‖²`. This is the limit of the formula, not another one:
//! `c_l = 4γ Σ_i w_i k_i x_l (x_l − point_il)` is in proportion to `x_l²` once `x` is much larger
//! than the points.
//!
//! **Bound.** `tests/explain.rs` holds contributions to central differences, within 1e-6 in `f64`.

use super::model::{KernelPca, Owned};
use super::route::{Block, Row, Single, Table};
use super::score::Score;
use super::view::KernelPcaView;
use crate::error::{Error, Fault, require_shape};
use crate::kernel::block::Query;
use crate::kernel::{Gradient, Samples, Vector};
use crate::linalg::lanes::{add_products, add_rows};
use crate::linalg::slices::{tail, tail_mut};
use crate::math::{Real, dot_in_order, sum};

impl<K, S, T> KernelPcaView<'_, K, S>
where
    T: Real,
    S: Samples<View = [T]> + ?Sized,
    K: Gradient<T>,
{
    /// Scores a point and writes how strongly its SPE depends on each input; see
    /// [`explain`](crate::detect::explain).
    ///
    /// `row` has one place for each point, `projection` one for each component, `contributions` one
    /// for each input.
    ///
    /// # Errors
    /// As [`score`](Self::score), and [`Error::Shape`] for a `row` or `contributions` of another
    /// length.
    pub fn contributions(
        &self,
        x: &[T],
        row: &mut [T],
        projection: &mut [T],
        contributions: &mut [T],
    ) -> Result<Score<T>, Error> {
        require_shape("kernel row", self.expansion().points(), row.len())?;
        require_shape("contributions", x.len(), contributions.len())?;
        row.fill(T::ZERO);
        let (query, table) = self.prepare(x)?;
        let keep = Row::after(table.passed(), row);
        let score = self.score_prepared(query, &table, x, projection, keep)?;
        spe_gradient(self.kernel(), query, x, &table, row, projection, contributions);
        weigh_gradient(score.spe, x, contributions)?;
        Ok(score)
    }
}

impl<K, X, const R: usize, const P: usize> KernelPca<K, X, R, P>
where
    X: Vector,
    K: Gradient<X::Scalar>,
{
    /// How strongly the SPE of a point depends on each input; see
    /// [`explain`](crate::detect::explain). It keeps a row of `R` kernel values on the stack.
    ///
    /// # Errors
    /// As [`score`](Self::score).
    pub fn contributions(&self, x: &X) -> Result<X, Error> {
        let mut row = [X::Scalar::ZERO; R];
        let (mut projection, mut contributions) = ([X::Scalar::ZERO; P], X::ZEROS);
        let (kernel, query, table) = self.prepare(x.view())?;
        let keep = Row::after(table.passed(), &mut row);
        let score = self.score_prepared(query, &table, x.view(), &mut projection, keep)?;
        // The columns that are not in use are summed up too.
        tail_mut(&mut projection, self.expansion().components()).fill(X::Scalar::ZERO);
        let gradient = contributions.view_mut();
        table.spe_gradient(kernel, query, x.view(), &row, &projection, gradient);
        weigh_gradient(score.spe, x.view(), contributions.view_mut())?;
        Ok(contributions)
    }
}

impl<X: Vector, const R: usize, const P: usize> Owned<'_, X, X::Scalar, R, P> {
    /// Writes `∂SPE/∂x` of a point with these projections. Not inlined, for the reason given at
    /// `project`.
    #[inline(never)]
    fn spe_gradient<K: Gradient<X::Scalar>>(
        &self,
        kernel: &K,
        query: Query<X::Scalar>,
        x: &[X::Scalar],
        row: &[X::Scalar; R],
        projection: &[X::Scalar; P],
        gradient: &mut [X::Scalar],
    ) {
        spe_gradient(kernel, query, x, self, row, projection, gradient);
    }
}

/// Writes `∂SPE/∂x`, given the row of `k_i/factor`.
#[inline(always)]
fn spe_gradient<K, P, T>(
    kernel: &K,
    query: Query<T>,
    x: &[T],
    table: &P,
    row: &[T],
    projection: &[T],
    gradient: &mut [T],
) where
    T: Real,
    P: Table<View = [T], Scalar = T>,
    K: Gradient<T>,
{
    gradient.fill(T::ZERO);
    kernel.add_diagonal_gradient(x, T::ONE, gradient);
    let twice = -(query.factor + query.factor);
    // What the gradients of all blocks take off along `x`.
    let mut along_x = T::ZERO;
    let (rows, _) = row.as_chunks();
    for (block, &[k0, k1, k2, k3]) in table.blocks().zip(rows) {
        let Block { points, weights, centre, .. } = block;
        let [w0, w1, w2, w3] = add_products(centre, projection, weights);
        let (w0, w1, w2, w3) = (twice * w0, twice * w1, twice * w2, twice * w3);
        if let (Some(g0), Some(g1), Some(g2), Some(g3)) =
            (kernel.radial(k0), kernel.radial(k1), kernel.radial(k2), kernel.radial(k3))
        {
            let (g0, g1, g2, g3) = (g0 * w0, g1 * w1, g2 * w2, g3 * w3);
            along_x += (g0 + g1) + (g2 + g3);
            add_rows(gradient, points, [g0, g1, g2, g3]);
        } else {
            for (point, weight) in points.into_iter().zip([w0, w1, w2, w3]) {
                kernel.add_gradient(x, point, weight, gradient);
            }
        }
    }
    for (gradient, &x) in gradient.iter_mut().zip(x) {
        *gradient -= along_x * x;
    }
    // These may be far from the origin, where such a difference of sums would lose digits.
    for (Single { point, weights, centre }, &k) in
        table.others().zip(tail(row, table.first_other()))
    {
        let weight = twice * (centre + dot_in_order(weights, projection));
        match kernel.radial(k) {
            Some(pull) => {
                for ((gradient, &x), &y) in gradient.iter_mut().zip(x).zip(point) {
                    *gradient += weight * pull * (y - x);
                }
            }
            None => kernel.add_gradient(x, point, weight, gradient),
        }
    }
}

/// Replaces the gradient of an SPE by contributions.
pub(crate) fn weigh_gradient<T: Real>(spe: T, x: &[T], gradient: &mut [T]) -> Result<(), Error> {
    for (c, &x) in gradient.iter_mut().zip(x) {
        *c *= x;
    }
    let total = sum(gradient.iter().map(|c| c.abs()));
    if !total.is_finite() {
        return Err(Error::Query(Fault::Overflow));
    }
    if total <= T::EPSILON * spe {
        share_by_deviation(spe, x, gradient);
    }
    Ok(())
}

/// `total · x_l²/‖x‖²`; zeros if `x` is.
fn share_by_deviation<T: Real>(total: T, x: &[T], shares: &mut [T]) {
    let largest = x.iter().fold(T::ZERO, |largest, x| largest.larger(x.abs()));
    // Squares of numbers up to 1 cannot overflow.
    let squared = |x: &T| (*x / largest) * (*x / largest);
    let norm = sum(x.iter().map(squared));
    for (share, x) in shares.iter_mut().zip(x) {
        *share = if largest > T::ZERO { total * squared(x) / norm } else { T::ZERO };
    }
}
