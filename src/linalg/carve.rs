//! One block of memory, divided into the arrays that a job needs: for programs whose sizes are
//! known at run time only.

use super::MatrixViewMut;
use crate::error::{Error, require_capacity};

/// What is left of a block of memory.
pub(crate) struct Carver<'a, T> {
    rest: &'a mut [T],
}

/// The sum of these products: how many entries a block must have. More than can be counted are
/// `usize::MAX`, for which no block has room.
pub(crate) const fn total(products: &[(usize, usize)]) -> usize {
    let mut rest = products;
    let mut total: usize = 0;
    while let [(count, size), others @ ..] = rest {
        total = total.saturating_add(count.saturating_mul(*size));
        rest = others;
    }
    total
}

impl<'a, T> Carver<'a, T> {
    /// Divides this block, which must have room for `needed` entries.
    pub(crate) fn new(
        what: &'static str,
        needed: usize,
        block: &'a mut [T],
    ) -> Result<Self, Error> {
        require_capacity(what, needed, block.len())?;
        Ok(Self { rest: block })
    }

    /// The next `count` entries.
    pub(crate) fn take(&mut self, count: usize) -> &'a mut [T] {
        let rest = core::mem::take(&mut self.rest);
        debug_assert!(count <= rest.len(), "{count} of {} entries", rest.len());
        let (taken, rest) = rest.split_at_mut_checked(count).unwrap_or_default();
        self.rest = rest;
        taken
    }

    /// A matrix of the next entries.
    pub(crate) fn matrix(
        &mut self,
        rows: usize,
        columns: usize,
    ) -> Result<MatrixViewMut<'a, T>, Error> {
        MatrixViewMut::new(self.take(rows * columns), rows, columns)
    }
}
