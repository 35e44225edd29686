//! A set of inputs, by their numbers.

/// Some of the first [256](Self::CAPACITY) inputs of a reading.
///
/// ```
/// use mercer::detect::InputSet;
/// const LOST: InputSet = InputSet::of(&[1, 40]);
/// assert!(LOST.contains(40) && !LOST.contains(2));
/// assert!(LOST.with(2).iter().eq([1, 2, 40]));
/// assert_eq!(LOST.len(), 2);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct InputSet([u32; WORDS]);

const WORDS: usize = 8;

impl InputSet {
    /// No input.
    pub const EMPTY: Self = Self([0; WORDS]);

    /// Inputs from this number on cannot be in a set.
    pub const CAPACITY: usize = WORDS * u32::BITS as usize;

    /// These inputs; those beyond the [capacity](Self::CAPACITY) are left out.
    pub const fn of(inputs: &[usize]) -> Self {
        let (mut set, mut left) = (Self::EMPTY, inputs);
        while let [input, others @ ..] = left {
            set = set.with(*input);
            left = others;
        }
        set
    }

    /// With one more input, unless that is beyond the [capacity](Self::CAPACITY).
    pub const fn with(mut self, input: usize) -> Self {
        let mut words: &mut [u32] = &mut self.0;
        let mut skip = input;
        // Neither an index nor an iterator: it is for constants, and cannot panic.
        while let [word, others @ ..] = words {
            if skip < u32::BITS as usize {
                *word |= 1 << skip;
                break;
            }
            skip -= u32::BITS as usize;
            words = others;
        }
        self
    }

    /// Is this input among them?
    pub fn contains(&self, input: usize) -> bool {
        let word = self.0.get(input / u32::BITS as usize).copied().unwrap_or(0);
        (word >> (input % u32::BITS as usize)) & 1 == 1
    }

    /// Their numbers, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        let words = (0..).step_by(u32::BITS as usize).zip(self.0);
        words.flat_map(|(first, word)| {
            (0..u32::BITS as usize)
                .filter(move |bit| (word >> bit) & 1 == 1)
                .map(move |b| first + b)
        })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        *self == Self::EMPTY
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    #[test]
    fn every_input_has_a_place_of_its_own() {
        for input in 0..InputSet::CAPACITY {
            let set = InputSet::EMPTY.with(input);
            assert_eq!(set.iter().collect::<Vec<_>>(), [input]);
            assert!((0..300).all(|other| set.contains(other) == (other == input)));
            assert_eq!((set.len(), set.is_empty()), (1, false));
        }
        let all: Vec<usize> = (0..InputSet::CAPACITY).collect();
        assert_eq!(InputSet::of(&all).iter().collect::<Vec<_>>(), all);
    }

    #[test]
    fn there_is_no_room_beyond_the_capacity() {
        for input in [InputSet::CAPACITY, 1000, usize::MAX] {
            assert!(InputSet::of(&[input]).is_empty());
            assert!(!InputSet::EMPTY.contains(input));
        }
    }
}
