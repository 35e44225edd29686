//! A set of inputs, by their numbers.

use crate::error::Error;

/// Some of up to [`MOST`](Self::MOST) inputs, counted from 0.
///
/// ```
/// use mercer::detect::InputSet;
/// let deviations = InputSet::of(&[3, 4, 5])?;
/// assert!(deviations.contains(4) && !deviations.contains(0));
/// assert!(deviations.iter().eq([3, 4, 5]));
/// assert!(InputSet::of(&[256]).is_err());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct InputSet([u32; 8]);

impl InputSet {
    /// None of them.
    pub const EMPTY: Self = Self([0; 8]);

    /// How many inputs there can be.
    pub const MOST: usize = 256;

    /// These inputs.
    ///
    /// # Errors
    /// [`Error::UnknownInput`] names one from [`MOST`](Self::MOST) on.
    pub const fn of(mut inputs: &[usize]) -> Result<Self, Error> {
        let mut set = Self::EMPTY;
        while let [input, others @ ..] = inputs {
            set = match set.with(*input) {
                Ok(set) => set,
                Err(error) => return Err(error),
            };
            inputs = others;
        }
        Ok(set)
    }

    /// The same with one more.
    ///
    /// # Errors
    /// [`Error::UnknownInput`] if it is one from [`MOST`](Self::MOST) on.
    pub const fn with(mut self, input: usize) -> Result<Self, Error> {
        let (mut words, mut first): (&mut [u32], _) = (&mut self.0, 0);
        while let [word, others @ ..] = words {
            if first <= input && input < first + 32 {
                *word |= 1 << (input - first);
                return Ok(self);
            }
            (words, first) = (others, first + 32);
        }
        Err(Error::UnknownInput { input, inputs: Self::MOST })
    }

    /// Is it one of them?
    pub fn contains(&self, input: usize) -> bool {
        self.0.get(input / 32).is_some_and(|word| word >> (input % 32) & 1 == 1)
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        let set = *self;
        (0..Self::MOST).filter(move |&input| set.contains(input))
    }

    /// How many they are.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Is it none?
    pub const fn is_empty(&self) -> bool {
        matches!(self.0, [0, 0, 0, 0, 0, 0, 0, 0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in() {
        const ODD: Result<InputSet, Error> = InputSet::of(&[31, 1, 33, 255, 1]);
        let set = ODD.unwrap();
        let wanted = [1, 31, 33, 255];
        assert!(set.iter().eq(wanted));
        assert_eq!(set.len(), 4);
        assert!((0..600).all(|input| set.contains(input) == wanted.contains(&input)));
        assert!(!set.is_empty() && InputSet::EMPTY.is_empty());
        for input in [256, 257, usize::MAX] {
            assert_eq!(InputSet::of(&[0, input]), Err(Error::UnknownInput { input, inputs: 256 }));
        }
    }
}
