//! The p-spectrum kernel on strings and other sequences of symbols.
//!
//! **Method.** `k(x, y) = Σ_s #(s in x) · #(s in y)`, over all strings `s` of length `p`: the inner
//! product of the counts of substrings. It equals the number of pairs of places at which `x` and
//! `y` have the same `p` symbols, and these can be counted without a table: along each diagonal of
//! the `|x| × |y|` grid of symbols, such a pair ends wherever the last `p` symbols were equal.
//!
//! **Source.** Leslie, Eskin & Noble, *The Spectrum Kernel*, PSB 2002.
//!
//! **Domain.** Sequences of any length of symbols that can be compared, and `p ≥ 1`.
//!
//! **Bound.** The count is exact, up to saturation at `usize::MAX`; as a kernel value it is rounded
//! once, which in `f32` changes counts above 2²⁴.

use core::marker::PhantomData;

use super::{BlockKernel, Kernel};
use crate::error::Error;
use crate::math::Real;

/// How many substrings of a given length two sequences have in common, each counted with its
/// repetitions.
///
/// On `str` the symbols are characters; on slices they are anything that can be compared: bytes,
/// event codes, an `enum`. It takes `|x|·|y|` comparisons of symbols, whatever the length of the
/// substrings, and no memory. Long strings have large values; with
/// [`Normalised`](super::Normalised), which takes about twice the work, only their composition
/// counts.
///
/// A sequence shorter than the substrings contains none of them: its kernel values are 0, and a
/// normalised kernel refuses it with [`Fault::ZeroNorm`](crate::error::Fault::ZeroNorm).
///
/// ```
/// use mercer::Kernel;
/// use mercer::kernel::{Normalised, Spectrum};
/// // "ana" is once in "anatomy" and twice in "banana", "nan" only there.
/// assert_eq!(Spectrum::<f32>::new(3).eval("anatomy", "banana"), 2.0);
/// let kernel = Normalised(Spectrum::<f32>::new(2));
/// assert!(kernel.eval("wake send sleep", "wake sense sleep") > 0.7);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Spectrum<T> {
    /// Length `p` of the substrings, ≥ 1.
    pub length: u32,
    /// The type of the kernel's values, which does not follow from the symbols.
    pub scalar: PhantomData<T>,
}

impl<T> Spectrum<T> {
    /// The kernel that counts substrings of `length` symbols.
    pub const fn new(length: u32) -> Self {
        Self { length, scalar: PhantomData }
    }

    fn require_length(&self) -> Result<(), Error> {
        match self.length {
            0 => Err(Error::Parameter { name: "length", rule: ">= 1" }),
            _ => Ok(()),
        }
    }
}

impl<T: Real> Kernel<str> for Spectrum<T> {
    type Scalar = T;
    fn eval(&self, x: &str, y: &str) -> T {
        T::from_usize(pairs(x.chars(), y.chars(), self.length))
    }
    fn diagonal(&self, x: &str) -> T {
        T::from_usize(pairs_with_itself(x.chars(), self.length))
    }
    fn stranger_norm(&self) -> Option<T> {
        Some(T::from_f64(f64::INFINITY))
    }
    fn validate(&self) -> Result<(), Error> {
        self.require_length()
    }
}

impl<T: Real, S: Eq> Kernel<[S]> for Spectrum<T> {
    type Scalar = T;
    fn eval(&self, x: &[S], y: &[S]) -> T {
        T::from_usize(pairs(x.iter(), y.iter(), self.length))
    }
    fn diagonal(&self, x: &[S]) -> T {
        T::from_usize(pairs_with_itself(x.iter(), self.length))
    }
    fn stranger_norm(&self) -> Option<T> {
        Some(T::from_f64(f64::INFINITY))
    }
    fn validate(&self) -> Result<(), Error> {
        self.require_length()
    }
}

/// Pairs of places at which `x` and `y` have the same `length` symbols.
fn pairs<I>(x: I, y: I, length: u32) -> usize
where
    I: Iterator<Item: Eq> + Clone,
{
    let main = pairs_in_step(x.clone(), y.clone(), length);
    let above = pairs_ahead(x.clone(), &y, length);
    let below = pairs_ahead(y, &x, length);
    main.saturating_add(above).saturating_add(below)
}

/// The same for `x` with itself, where both sides of the main diagonal are equal, for half the
/// work.
fn pairs_with_itself<I>(x: I, length: u32) -> usize
where
    I: Iterator<Item: Eq> + Clone,
{
    let main = pairs_in_step(x.clone(), x.clone(), length);
    main.saturating_add(pairs_ahead(x.clone(), &x, length).saturating_mul(2))
}

/// Pairs whose place in `ahead` is beyond that in `behind`: all diagonals on one side of the main
/// one.
fn pairs_ahead<I>(mut ahead: I, behind: &I, length: u32) -> usize
where
    I: Iterator<Item: Eq> + Clone,
{
    let mut total = 0_usize;
    while ahead.next().is_some() {
        total = total.saturating_add(pairs_in_step(ahead.clone(), behind.clone(), length));
    }
    total
}

/// Pairs along one diagonal: places at which the last `length` symbols, or more, were equal.
fn pairs_in_step<I>(x: I, y: I, length: u32) -> usize
where
    I: Iterator<Item: Eq>,
{
    let (mut equal, mut pairs) = (0_u32, 0);
    for (a, b) in x.zip(y) {
        equal = if a == b { equal.saturating_add(1) } else { 0 };
        pairs += usize::from(equal >= length);
    }
    pairs
}

impl<T: Real> BlockKernel<str> for Spectrum<T> {}
impl<T: Real, S: Eq> BlockKernel<[S]> for Spectrum<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Fault;
    use crate::kernel::Normalised;

    #[test]
    fn counts_by_hand() {
        // banana: ban ana nan ana; bandana: ban and nda dan ana.
        let kernel = Spectrum::<f64>::new(3);
        assert_eq!(kernel.eval("banana", "bandana"), 1.0 + 2.0);
        assert_eq!(kernel.diagonal("banana"), 1.0 + 4.0 + 1.0);
        assert_eq!(kernel.diagonal("bandana"), 5.0);
        assert_eq!(Spectrum::<f64>::new(1).eval("banana", "nab"), 3.0 + 2.0 + 1.0);
        assert_eq!(Spectrum::<f64>::new(2).diagonal("aaaa"), 9.0);
    }

    #[test]
    fn symbols_of_a_string_are_characters() {
        // In UTF-8, ä and ö share their first byte.
        assert_eq!(Spectrum::<f64>::new(1).eval("ä", "ö"), 0.0);
        assert_eq!(Spectrum::<f64>::new(1).eval("ä".as_bytes(), "ö".as_bytes()), 1.0);
        assert_eq!(Spectrum::<f64>::new(2).eval("Käse", "Käfer"), 1.0);
    }

    #[test]
    fn symbols_of_a_slice_can_be_of_any_type() {
        #[derive(PartialEq, Eq)]
        enum Event {
            Wake,
            Send,
            Sleep,
        }
        use Event::{Send, Sleep, Wake};
        let kernel = Spectrum::<f32>::new(2);
        assert_eq!(kernel.eval([Wake, Send, Sleep].as_slice(), &[Wake, Send, Wake, Send]), 2.0);
        assert_eq!(kernel.eval([1_u16, 2, 3].as_slice(), &[2, 3, 1, 2]), 2.0);
    }

    #[test]
    fn sequences_without_substrings_have_no_direction() {
        let kernel = Spectrum::<f32>::new(3);
        for short in ["", "a", "ab"] {
            assert_eq!(kernel.eval(short, "abc"), 0.0);
            assert_eq!(kernel.diagonal(short), 0.0);
            assert_eq!(Normalised(kernel).check(short, "abc"), Err(Fault::ZeroNorm));
            assert_eq!(Normalised(kernel).eval(short, "abc"), 0.0);
        }
        assert_eq!(Normalised(kernel).check("abc", "ab"), Ok(()));
        assert_eq!(Spectrum::<f32>::new(u32::MAX).diagonal("abc"), 0.0);
    }

    #[test]
    fn substrings_of_length_zero_are_refused() {
        let error = Err(Error::Parameter { name: "length", rule: ">= 1" });
        let kernel = Spectrum::<f32>::new(0);
        assert_eq!(Kernel::<str>::validate(&kernel), error);
        assert_eq!(Kernel::<[u8]>::validate(&Normalised(kernel)), error);
        assert_eq!(Kernel::<str>::validate(&Spectrum::<f32>::new(1)), Ok(()));
    }
}
