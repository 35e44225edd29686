//! Ritz values and vectors: eigenpairs of a matrix in a Krylov basis, and what they are in the
//! space of the matrix itself.
//!
//! **Method.** In that basis the matrix is tridiagonal, but for the row after those kept at a
//! restart, which couples to all of them. Reflections remove that row's entries (`householder.rs`),
//! rotations the rest (`qr.rs`).
//!
//! **Source.** Wu & Simon, SIAM J. Matrix Anal. Appl. 22, 2000, §3.
//!
//! **Domain.** A basis of orthonormal rows, and a matrix in it whose squares neither overflow nor
//! vanish.
//!
//! **Bound.** That of `householder.rs` and `qr.rs`: a few `ε` of the largest Ritz value.

use super::conventions::{number, select, swap};
use super::householder;
use super::lanczos::LanczosScratch;
use super::qr::Diagonalisation;
use super::tridiagonal::MAX_SWEEPS;
use crate::error::Error;
use crate::linalg::slices::head_mut;
use crate::linalg::{MatrixViewMut, rows};
use crate::math::Real;

/// Solves the projected problem: Ritz values, descending, and as rows their vectors, or of these
/// the last entries only, which say how large the residuals are. Returns the most passes that one
/// value took.
///
/// The first `kept` of the `size` rows of the basis are Ritz vectors of earlier rounds.
pub(super) fn solve<T: Real>(
    size: usize,
    kept: usize,
    scratch: &mut LanczosScratch<'_, T>,
    vectors: bool,
) -> Result<usize, Error> {
    let mut projected = scratch.projected.reborrow().into_leading(size, size);
    let largest = project(kept, scratch.diagonal, scratch.beside, &mut projected);
    let negligible = T::EPSILON * largest;
    let product = &mut *scratch.values;
    for row in (1..size).rev() {
        if householder::reflect(&mut projected, row, negligible) {
            for at in 0..row {
                householder::multiply(projected.view(), product, row, at);
            }
            householder::complete(projected.view(), product, row);
            for at in 0..row {
                householder::update(&mut projected, product, row, at);
            }
        }
    }
    if vectors {
        let mut rotation = scratch.rotation.reborrow().into_leading(size, size);
        rotation.set_identity();
        for row in 2..=kept.min(size - 1) {
            for at in 0..row {
                householder::apply(projected.view(), rotation.row_mut(at), row);
            }
        }
    } else {
        // The reflections leave the last coordinate alone.
        let last = scratch.rotation.row_mut(0);
        last.fill(T::ZERO);
        if let Some(entry) = last.get_mut(size - 1) {
            *entry = T::ONE;
        }
    }
    householder::gather_inside(&mut projected);
    let (diagonal, beside) = first_two_rows(&mut projected);
    let mut work = Diagonalisation::new(diagonal, beside, MAX_SWEEPS);
    let rotation = &mut scratch.rotation;
    let mut rotate = |i: usize, c: T, s: T| {
        if vectors {
            let (above, below) = rotation.row_pair_mut(i, i + 1);
            rows::rotate(head_mut(above, size), below, c, s);
        } else if let Some([x, y]) =
            rotation.row_mut(0).get_mut(i..).and_then(<[T]>::first_chunk_mut)
        {
            (*x, *y) = (c * *x + s * *y, c * *y - s * *x);
        }
    };
    work.step(diagonal, beside, &mut { usize::MAX }, &mut rotate)?;
    number(beside);
    for at in 0..size {
        if let Some(best) = select(diagonal, beside, at) {
            if vectors {
                rotation.swap_rows(at, best);
            } else {
                swap(rotation.row_mut(0), at, best);
            }
        }
    }
    for (value, &entry) in scratch.values.iter_mut().zip(diagonal.iter()) {
        *value = entry;
    }
    Ok(work.most_passes())
}

/// Writes the matrix in the basis, below the diagonal; returns its largest entry.
fn project<T: Real>(
    kept: usize,
    diagonal: &[T],
    beside: &[T],
    projected: &mut MatrixViewMut<'_, T>,
) -> T {
    let size = projected.rows();
    let mut largest = T::ZERO;
    for (i, (row, &entry)) in projected.iter_rows_mut().zip(diagonal).enumerate() {
        row.fill(T::ZERO);
        if let Some(place) = row.get_mut(i) {
            *place = entry;
        }
        largest = largest.larger(entry.abs());
    }
    for (i, &entry) in beside.iter().enumerate().take(size.saturating_sub(1)) {
        let row = if i < kept { kept } else { i + 1 };
        projected.set(row, i, entry);
        largest = largest.larger(entry.abs());
    }
    largest
}

/// Makes the first rows of the basis Ritz vectors, four columns at a time.
pub(super) fn compress<T: Real>(size: usize, keep: usize, scratch: &mut LanczosScratch<'_, T>) {
    let n = scratch.vector.len();
    let rotation = scratch.rotation.view().leading(keep, size);
    let basis = &mut scratch.basis;
    let whole = if scratch.projected.rows() >= 4 { n / 4 * 4 } else { 0 };
    for first in (0..whole).step_by(4) {
        for i in 0..size {
            if let Some(four) = basis.row_mut(i).get(first..).and_then(<[T]>::first_chunk::<4>) {
                for (k, &entry) in four.iter().enumerate() {
                    scratch.projected.set(k, i, entry);
                }
            }
        }
        let columns = [0, 1, 2, 3].map(|k| scratch.projected.view().row(k));
        for (j, row) in rotation.iter_rows().enumerate() {
            let place = basis.row_mut(j).get_mut(first..);
            if let Some(place) = place.and_then(<[T]>::first_chunk_mut::<4>) {
                *place = rows::dot_four(columns, row);
            }
        }
    }
    for column in whole..n {
        for i in 0..size {
            scratch.projected.set(0, i, basis.at(i, column));
        }
        for (j, row) in rotation.iter_rows().enumerate() {
            basis.set(j, column, rows::dot_in_lanes(row, scratch.projected.view().row(0)));
        }
    }
}

/// Diagonal and its neighbours, where they were put.
fn first_two_rows<'a, T: Real>(matrix: &'a mut MatrixViewMut<'_, T>) -> (&'a mut [T], &'a mut [T]) {
    if matrix.rows() >= 2 { matrix.row_pair_mut(0, 1) } else { (matrix.row_mut(0), &mut []) }
}
