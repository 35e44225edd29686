//! Eigenvalues of a tridiagonal matrix by the implicit QR method with Wilkinson's shift.
//!
//! **Method.** Each pass chases a bulge down the matrix with rotations; the last entry beside the
//! diagonal vanishes at a cubic rate, and the matrix shrinks by a row. Two passes for an eigenvalue
//! are usual.
//!
//! **Source.** Golub & Van Loan, *Matrix Computations*, §8.3.3–8.3.5.
//!
//! **Domain.** Entries whose squares neither overflow nor vanish.
//!
//! **Bound.** Entries beside the diagonal count as zero up to `ε` of the largest entry: eigenvalues
//! are off by a few `ε‖A‖`.

use crate::error::Error;
use crate::linalg::slices::{entry, head};
use crate::math::Real;

/// State of a diagonalisation; the matrix stays with the caller.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Diagonalisation<T> {
    /// Entries beside the diagonal up to this size count as zero.
    negligible: T,
    max_passes: usize,
    /// How many passes the current eigenvalue took so far.
    passes: usize,
    /// The most that one took.
    most_passes: usize,
    /// The eigenvalues after this one are found.
    last: usize,
    /// A pass that is under way.
    pass: Option<Pass<T>>,
}

/// Where the bulge is: rotating rows `at` and `at + 1` is to make `(x, z)` into `(r, 0)`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
struct Pass<T> {
    at: usize,
    /// False before its first rotation.
    under_way: bool,
    x: T,
    z: T,
}

impl<T: Real> Diagonalisation<T> {
    /// For the matrix with this diagonal and these entries beside it.
    ///
    /// `ε` of the largest entry is negligible: with repeated eigenvalues, rounding of the others
    /// keeps an entry from falling much below.
    pub(super) fn new(diagonal: &[T], beside: &[T], max_passes: usize) -> Self {
        let entries = diagonal.iter().chain(beside.iter().take(diagonal.len().saturating_sub(1)));
        let negligible = T::EPSILON * entries.fold(T::ZERO, |m, x| m.larger(x.abs()));
        let last = diagonal.len().saturating_sub(1);
        Self { negligible, max_passes, passes: 0, most_passes: 0, last, pass: None }
    }

    /// The most passes that one eigenvalue took so far.
    pub(super) const fn most_passes(&self) -> usize {
        self.most_passes
    }

    /// Does at most `left` rotations, and counts them down; true when the matrix is diagonal.
    ///
    /// `beside[i]` is the entry between `diagonal[i]` and `diagonal[i + 1]`. The caller applies
    /// each rotation `(x, y) ← (cx + sy, cy − sx)` of rows `i` and `i + 1` to whatever goes with
    /// them: `rotate(i, c, s)`.
    pub(super) fn step(
        &mut self,
        diagonal: &mut [T],
        beside: &mut [T],
        left: &mut usize,
        mut rotate: impl FnMut(usize, T, T),
    ) -> Result<bool, Error> {
        while self.last > 0 {
            let Some(pass) = &mut self.pass else {
                self.begin(diagonal, beside)?;
                continue;
            };
            if pass.at >= self.last {
                self.pass = None;
                continue;
            }
            if *left == 0 {
                return Ok(false);
            }
            *left -= 1;
            let first = pass.at;
            let (c, s) = pass.advance(diagonal, beside, first + 1 < self.last);
            rotate(first, c, s);
        }
        Ok(true)
    }

    /// Begins a pass over the last rows that hang together, or finds that the last one is on its
    /// own.
    fn begin(&mut self, diagonal: &[T], beside: &[T]) -> Result<(), Error> {
        let above = head(beside, self.last);
        let links = above.iter().rev().take_while(|e| e.abs() > self.negligible).count();
        if links == 0 {
            self.last -= 1;
            self.passes = 0;
            return Ok(());
        }
        if self.passes >= self.max_passes {
            return Err(Error::NoConvergence { sweeps: self.passes });
        }
        self.passes += 1;
        self.most_passes = self.most_passes.max(self.passes);
        let at = self.last - links;
        let d = |i: usize| entry(diagonal, i);
        let e = |i: usize| entry(beside, i);
        // The eigenvalue of the last 2 × 2 block that is nearer to its last entry; e is not 0.
        let (end, link) = (d(self.last), e(self.last - 1));
        let half = (d(self.last - 1) - end) / T::from_f64(2.0);
        let root = (half * half + link * link).sqrt();
        let shift = end - link * link / if half < T::ZERO { half - root } else { half + root };
        self.pass = Some(Pass { at, under_way: false, x: d(at) - shift, z: e(at) });
        Ok(())
    }
}

impl<T: Real> Pass<T> {
    /// Rotates rows and columns `at` and `at + 1`, moves the bulge on, and returns the rotation.
    fn advance(&mut self, diagonal: &mut [T], beside: &mut [T], goes_on: bool) -> (T, T) {
        let length = (self.x * self.x + self.z * self.z).sqrt();
        let (c, s) =
            if length > T::ZERO { (self.x / length, self.z / length) } else { (T::ONE, T::ZERO) };
        if self.under_way
            && let Some(entry) = self.at.checked_sub(1).and_then(|i| beside.get_mut(i))
        {
            *entry = length;
        }
        let pair = diagonal.get_mut(self.at..).and_then(<[T]>::first_chunk_mut);
        if let (Some([a, b]), Some(link)) = (pair, beside.get_mut(self.at)) {
            let change = s * (*b - *a) + (c + c) * *link;
            *a += s * change;
            *b -= s * change;
            *link = c * change - *link;
            self.x = *link;
        }
        self.at += 1;
        if let Some(next) = beside.get_mut(self.at).filter(|_| goes_on) {
            self.z = s * *next;
            *next *= c;
        }
        self.under_way = true;
        (c, s)
    }
}
