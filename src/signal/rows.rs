//! Readings smoothed, stacked or differentiated over time, also those of slow sensors without
//! windows.
//!
//! **Method.** Each [`Operator`] remembers some rows, the newest first, and turns a row into
//! another one in place; the next operator takes that. All start afresh at a gap.
//!
//! **Source.** Lags: Ku, Storer & Georgakis, *Disturbance detection and isolation by dynamic
//! principal component analysis*, Chemometrics and Intelligent Laboratory Systems 30, 1995.
//!
//! **Domain.** Finite numbers.
//!
//! **Bound.** A moving average is the newest row plus a mean of differences to it, so that an
//! offset costs no digits: 1e-6 of the largest number, which `tests/signal.rs` holds all operators
//! to.

use core::marker::PhantomData;

use crate::error::{Error, Fault, require_capacity, require_shape};
use crate::linalg::slices::{copy, head, head_mut, split_mut};
use crate::math::first_not_finite;
use crate::signal::front_end::{FrontEnd, require};
use crate::signal::operator::{Operator, memory, validate, width};

/// The operators of the recipe `F`, with what they remember: rows of `INPUTS` numbers in, rows of
/// `OUTPUTS` out.
///
/// `OUTPUTS` is [`width`] and `MEMORY` is [`memory`] of them, which the compiler checks. All zeros
/// at first, so that a `static` takes no flash.
///
/// ```
/// use mercer::signal::{Feature, FrontEnd, Operator, Rows, memory, width};
/// struct Tank;
/// impl FrontEnd for Tank {
///     const FEATURES: &'static [Feature] = &[Feature::Mean];
///     const OPERATORS: &'static [Operator] = &[Operator::Average(4), Operator::Lags(2)];
/// }
/// const OUTPUTS: usize = width(Tank::OPERATORS, 2);
/// let mut rows = Rows::<Tank, 2, OUTPUTS, { memory(Tank::OPERATORS, 2) }>::new();
/// assert_eq!(rows.push(&[1.0, 20.0])?, None);
/// assert_eq!(rows.push(&[3.0, 20.0])?, Some(&[2.0, 20.0, 1.0, 20.0]));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug)]
pub struct Rows<F, const INPUTS: usize, const OUTPUTS: usize, const MEMORY: usize> {
    memory: [f32; MEMORY],
    row: [f32; OUTPUTS],
    seen: u32,
    front_end: PhantomData<fn() -> F>,
}

impl<F: FrontEnd, const INPUTS: usize, const OUTPUTS: usize, const MEMORY: usize>
    Rows<F, INPUTS, OUTPUTS, MEMORY>
{
    /// Before the first row.
    pub const fn new() -> Self {
        const {
            require(validate(F::OPERATORS));
            assert!(OUTPUTS == width(F::OPERATORS, INPUTS), "OUTPUTS is width(OPERATORS, INPUTS)");
            assert!(MEMORY == memory(F::OPERATORS, INPUTS), "MEMORY is memory(OPERATORS, INPUTS)");
        };
        let front_end = PhantomData;
        Self { memory: [0.0; MEMORY], row: [0.0; OUTPUTS], seen: 0, front_end }
    }

    /// Takes a row; returns what the operators make of it, or nothing if they need more.
    ///
    /// # Errors
    /// [`Error::Query`] names the first input that is not finite. Everything starts afresh then, as
    /// after a [`gap`](Self::gap).
    pub fn push(&mut self, input: &[f32; INPUTS]) -> Result<Option<&[f32; OUTPUTS]>, Error> {
        let given = push(F::OPERATORS, &mut self.memory, &mut self.row, &mut self.seen, input)?;
        Ok(given.then_some(&self.row))
    }

    /// Rows are missing here, or another recording begins: nothing is carried over.
    pub fn gap(&mut self) {
        self.seen = 0;
    }
}

impl<F: FrontEnd, const INPUTS: usize, const OUTPUTS: usize, const MEMORY: usize> Default
    for Rows<F, INPUTS, OUTPUTS, MEMORY>
{
    fn default() -> Self {
        Self::new()
    }
}

/// The same for operators that are chosen at run time, in memory of the caller's: the same bits.
#[derive(Debug)]
pub struct RowsMut<'a> {
    operators: &'a [Operator],
    inputs: usize,
    memory: &'a mut [f32],
    row: &'a mut [f32],
    seen: u32,
}

impl<'a> RowsMut<'a> {
    /// Before the first row of `inputs` numbers; there must be room for as many numbers as
    /// [`memory`] and [`width`] say.
    ///
    /// # Errors
    /// [`Error::Parameter`] names an operator whose number is out of range, [`Error::Capacity`]
    /// what has no room.
    pub fn new(
        operators: &'a [Operator],
        inputs: usize,
        memory: &'a mut [f32],
        row: &'a mut [f32],
    ) -> Result<Self, Error> {
        validate(operators)?;
        require_capacity("what operators remember", self::memory(operators, inputs), memory.len())?;
        let outputs = width(operators, inputs);
        require_capacity("a row", outputs, row.len())?;
        let row = head_mut(row, outputs);
        Ok(Self { operators, inputs, memory, row, seen: 0 })
    }

    /// As [`Rows::push`].
    ///
    /// # Errors
    /// [`Error::Shape`] if the row has another length; [`Error::Query`] as there.
    pub fn push(&mut self, input: &[f32]) -> Result<Option<&[f32]>, Error> {
        require_shape("row", self.inputs, input.len())?;
        let given = push(self.operators, self.memory, self.row, &mut self.seen, input)?;
        Ok(given.then_some(&*self.row))
    }

    /// As [`Rows::gap`].
    pub fn gap(&mut self) {
        self.seen = 0;
    }
}

/// Takes a copy of a row through the operators; false if one of them needs more.
fn push(
    operators: &[Operator],
    memory: &mut [f32],
    row: &mut [f32],
    seen: &mut u32,
    input: &[f32],
) -> Result<bool, Error> {
    copy(input, row);
    operate(operators, memory, row, seen, input.len())
}

/// Takes the `width` numbers at the front of `row` through the operators, in place; false if one of
/// them needs more.
pub(crate) fn operate(
    operators: &[Operator],
    mut memory: &mut [f32],
    row: &mut [f32],
    seen: &mut u32,
    mut width: usize,
) -> Result<bool, Error> {
    if let Some(input) = first_not_finite(head(row, width)) {
        *seen = 0;
        return Err(Error::Query(Fault::NotFinite { input }));
    }
    let mut before = *seen;
    *seen = seen.saturating_add(1);
    for &operator in operators {
        let (own, rest) = split_mut(memory, operator.memory(width));
        memory = rest;
        let widened = operator.widened(width);
        if !operator.apply(head_mut(row, widened), width, own, before) {
            return Ok(false);
        }
        (before, width) = (before.saturating_sub(operator.delay()), widened);
    }
    debug_assert_eq!(head(row, width).len(), row.len());
    Ok(true)
}
